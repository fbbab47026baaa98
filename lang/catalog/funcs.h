/* funcs.h - the scalar functions of the language. */
#ifndef RN_LANG_CATALOG_FUNCS_H
#define RN_LANG_CATALOG_FUNCS_H
#include <stdbool.h>
#include <stdint.h>
#include "lang/catalog/catalog.h"

enum { RN_UNIT_OF_FIRST = 0xff };
/* A scalar function, as in the one table in lang/catalog/funcs.c. */
struct rn_func {
	const char *name;
	uint8_t min_args, max_args;
	uint8_t arg[3]; /* enum rn_arg_kind of each argument */
	/* RN_T_ERROR: the type of the first argument; unit RN_UNIT_OF_FIRST: its unit */
	struct rn_ty result;
	bool kernel; /* has an emitter in probes/ */
	const char *doc;
};
extern const struct rn_func rn_funcs[]; /* ends with name NULL */
/* `x is null`, which has no call: not in the table, but found by the name "is null". */
extern const struct rn_func rn_func_is_null;
const struct rn_func *rn_func_find(const char *name);
/* Can argument number i be of this type? */
bool rn_func_takes(const struct rn_func *func, unsigned i, struct rn_ty have);
#endif
