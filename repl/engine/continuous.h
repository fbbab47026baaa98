/* continuous.h - a view that is kept running: the query that runs for it, and how its answers
 * come. */
#ifndef RN_REPL_ENGINE_CONTINUOUS_H
#define RN_REPL_ENGINE_CONTINUOUS_H
#include "repl/engine/script.h"

/* Returns "events of NAME(VALUE, ...)" in the arena. params: values as NAME=VALUE (NULL-terminated,
 * may be NULL); the others get defaults. A saved view comes before a module's, for which the text
 * has its `use` line. NULL: err says why; -ENOENT: there is no such view. */
const char *rn_continuous_text(struct rn_viewstore *store, const char *name,
			       const char *const *params, struct rn_arena *arena,
			       struct rn_err *err);
/* If script, made of that text, has errors about a value, moves them to the value's place on the
 * command line. */
void rn_continuous_as_typed(struct rn_script *script, const char *name, const char *const *params);
/* Returns the view's documentation; NULL: none. */
const char *rn_continuous_doc(struct rn_viewstore *store, const char *name, struct rn_arena *arena);
/* Call it after resolution. Gives windows of every_ns to the groups of query, or to its ordered
 * rows, if they have none. Returns how its answers come. RN_CONTINUOUS_NOT: it cannot be kept
 * running, and diag says why. asked: the user asked for every_ns, so windows of its own are an
 * error. */
enum rn_continuous_kind rn_continuous_query(struct rn_ast_query *query, int64_t every_ns,
					    bool asked, struct rn_diag *diag);
#endif
