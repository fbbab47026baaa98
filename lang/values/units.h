/* units.h - the units that a number literal can have: one table for the lexer, for values of
 * parameters, and for hints. */
#ifndef RN_LANG_VALUES_UNITS_H
#define RN_LANG_VALUES_UNITS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lang/values/value.h"

struct rn_unit_def {
	const char *name;
	enum rn_unit unit;
	int64_t size; /* in ns or bytes */
};
extern const struct rn_unit_def rn_units[]; /* ends with name NULL */
/* Every unit that a literal can have, for hints: "ns, us, ...". */
extern const char rn_unit_names[];
const struct rn_unit_def *rn_unit_find(const char *s, size_t n);
/* Multiplies digits[.digits] by size, truncated; false if s is no number or does not fit in
 * int64. */
bool rn_decimal_scale(const char *s, size_t n, int64_t size, int64_t *out);
/* The unit of a product of two numbers, or of a quotient (over). A size / a duration, for example,
 * is a throughput. Durations count ns and rates count seconds: *shift is the power of ten by which
 * the result must still be multiplied, 9, 0 or -9. false: there is no such unit. Errors and devices
 * count as plain numbers; times and hex values have no products. */
bool rn_unit_product(enum rn_unit a, bool over, enum rn_unit b, enum rn_unit *out, int *shift);
#endif
