/* funcs.h - the scalar functions of the language. */
#ifndef RN_LANG_CATALOG_FUNCS_H
#define RN_LANG_CATALOG_FUNCS_H
#include <stdbool.h>
#include <stdint.h>
#include "lang/catalog/catalog.h"

enum { RN_UNIT_OF_FIRST = 0xff, RN_FUNC_ARGS = 8 };
/* A scalar function, as in the one table in lang/catalog/funcs.c. */
struct rn_func {
	const char *name;
	uint8_t min_args, max_args;
	uint8_t arg[RN_FUNC_ARGS]; /* enum rn_arg_kind of each argument */
	/* RN_T_ERROR: the type of the first argument; unit RN_UNIT_OF_FIRST: its unit */
	struct rn_ty result;
	bool kernel; /* has an emitter in probes/ */
	const char *doc;
};
extern const struct rn_func rn_funcs[]; /* ends with name NULL */
/* `x is null`, which has no call: not in the table, but found by the name "is null". */
extern const struct rn_func rn_func_is_null;
/* `text(arg0)`: resolution makes it a field of the class, of that name. */
enum { RN_TEXT_BYTES = 123 }; /* that a text in the kernel may have */
extern const struct rn_func rn_func_text;
/* `pid in live (QUERY)` in a plan, until each fragment knows its sets: not in the table, and not
 * found by name. */
extern const struct rn_func rn_func_in_live;
/* Functions of groups: the coordinator computes them from all groups of a window, or of two.
 * rn_func_delta is also of the rows of a table. NULL-terminated. */
extern const struct rn_func rn_func_share, rn_func_delta;
extern const struct rn_func *const rn_group_funcs[];
/* The i-th function that a query can call, of events or of groups; NULL: there are no more. */
const struct rn_func *rn_func_at(unsigned i);
/* `now()`: the planner replaces it by the time at which it plans. */
extern const char rn_func_now[];
/* Finds a scalar function, or one of groups; NULL: there is none of that name. */
const struct rn_func *rn_func_find(const char *name);
/* if(c, a, b): its first argument decides which of the others is looked at. */
static inline bool rn_func_chooses(const struct rn_func *func)
{
	return func->arg[0] == RN_ARG_CONDITION;
}
/* How many arguments of func a query can write. */
unsigned rn_func_written(const struct rn_func *func);
/* Can argument number i be of this type? */
bool rn_func_takes(const struct rn_func *func, unsigned i, struct rn_ty have);
#endif
