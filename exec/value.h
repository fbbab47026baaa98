/* value.h - text and JSON of values, as aggregates with structured results (hist, set, top) and the wire need them.
 *
 * Text grows in an arena and ends in NUL; nothing here owns heap memory. Ordering of values is lang's rn_value_cmp. */
#ifndef RN_EXEC_VALUE_H
#define RN_EXEC_VALUE_H
#include "lang/arena.h"
#include "lang/types.h"

struct rn_text { struct rn_arena *arena; char *s; size_t len, cap; };

void rn_text_put(struct rn_text *t, const char *s, size_t n);
void rn_text_printf(struct rn_text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* One JSON value: numbers plain, NULL as null, an IP in its usual notation, other strings escaped; bytes that are not UTF-8 appear
 * as the code point of the same number (\u00ff), so that the output is always valid JSON. */
void rn_text_json(struct rn_text *t, struct rn_ty ty, const struct rn_value *v);
struct rn_value rn_text_value(const struct rn_text *t); /* the text so far, as a string value */

static inline bool rn_is_text(struct rn_ty t)
{
	return t.type == RN_T_STR || t.type == RN_T_IP || t.type == RN_T_TAGS || t.type == RN_T_BYTES || t.type == RN_T_STACK ||
	       t.type == RN_T_HIST || t.type == RN_T_LIST;
}
static inline bool rn_is_number(struct rn_ty t) { return t.type == RN_T_BOOL || t.type == RN_T_INT || t.type == RN_T_FLOAT; }
#endif
