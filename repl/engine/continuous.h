/* continuous.h - a view that is kept running: the question that is asked for it, and how its
 * answers come. */
#ifndef RN_REPL_ENGINE_CONTINUOUS_H
#define RN_REPL_ENGINE_CONTINUOUS_H
#include "repl/engine/script.h"

/* "events of NAME(VALUE, ...)", with values as NAME=VALUE (NULL-terminated, may be NULL) and
 * defaults for the others; in the arena. A saved view comes before one of a module, whose `use` is
 * part of the text. NULL: err says why; -ENOENT: there is no such view. */
const char *rn_continuous_text(struct rn_viewstore *s, const char *name, const char *const *params,
			       struct rn_arena *a, struct rn_err *err);
/* u was made of that text and has errors: those about a value are moved to where it stands on the
 * command line. */
void rn_continuous_as_typed(struct rn_script *u, const char *name, const char *const *params);
/* The view's documentation; NULL: none. */
const char *rn_continuous_doc(struct rn_viewstore *s, const char *name, struct rn_arena *a);
/* After resolution: gives the groups of q, or its rows that are put in order, windows of every_ns
 * if they have none, and says how its answers come. Reports to d what cannot be kept running
 * (RN_CONTINUOUS_NOT). asked: every_ns was asked for, so windows of its own are an error. */
enum rn_continuous_kind rn_continuous_query(struct rn_ast_query *q, int64_t every_ns, bool asked,
					    struct rn_diag *d);
#endif
