/* live.h - the live kernel of this machine as a source of rows and partial states. */
#ifndef RN_PROBES_LIVE_LIVE_H
#define RN_PROBES_LIVE_LIVE_H
#include <stdio.h>
#include "planner/plan/source.h"

/* Facts that queries have learnt about the kernel: the places of its fields, and which programs it
 * refuses. One thread at a time. */
struct rn_live_kernel;
/* Cheap: reads nothing before the first query. node: its name in rows; copied. shared: what its
 * queries share with others of the process, or NULL; it outlives the result. */
struct rn_shared;
struct rn_live_kernel *rn_live_create(const char *node, struct rn_shared *shared);
void rn_live_destroy(struct rn_live_kernel *kernel); /* after its sources; NULL is allowed */

/* Opens a source of the fragment's events: its programs are verified by the kernel, and not
 * attached. Negative errno: err says what is missing. */
int rn_live_open(struct rn_live_kernel *kernel, const struct rn_fragment *fragment,
		 const struct rn_scope *scope, struct rn_source **out, struct rn_err *err);
/* Returns lines of text in the arena: how the calls of the fragment are hooked here, and how
 * members of structs of the kernel are read. NULL: it has neither, or this user may not trace.
 * fragment NULL: that of the query that was started last. */
const char *rn_live_hooks(struct rn_live_kernel *kernel, const struct rn_fragment *fragment,
			  struct rn_arena *arena);
/* Returns why this kernel refused the program of a hook, in the queries opened so far; NULL: it did
 * not. */
const char *rn_live_refused(const struct rn_live_kernel *kernel, unsigned hook);

/* ---- dump.c ---- */

/* Returns the maps and programs that would be loaded, in the arena; NULL: see err. Asks no kernel.
 * node: its name. */
const char *rn_live_dump(const char *node, const struct rn_fragment *fragment,
			 struct rn_arena *arena, struct rn_err *err);

/* ---- named.c ---- */

/* Opens the kernel's list of its functions, one a line, which the caller closes. NULL: err says
 * that they cannot be probed, or listed. */
FILE *rn_live_kernel_functions(struct rn_err *err);
/* Finds those that the argument of a source `kernel` names. Errors as rn_user_find_kernel has. */
struct rn_user;
int rn_live_find_kernel(struct rn_user *user, const char *arg, struct rn_err *err);

/* Has the fragment functions that a query names, or members of structs of the kernel? */
bool rn_live_named(const struct rn_fragment *fragment);

/* ---- attach.c ---- */

/* Is the module loaded that serves files to other machines? */
bool rn_live_has_nfsd(void);
#endif
