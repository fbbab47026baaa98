/* view_set.h - saved views as a set in memory: which uses which, and whether a change leaves all of
 * them whole. Opens no file.
 *
 * Only the text of a view counts. What a view uses is read from its text, so a set from a file of
 * any version has its dependencies. */
#ifndef RN_REPL_VIEWS_VIEW_SET_H
#define RN_REPL_VIEWS_VIEW_SET_H
#include "repl/views/view_store.h"

struct rn_saved {
	const char *name, *text, *doc, *origin;
	/* the view as it was written, in the file named by `origin`; NULL: text */
	const char *source;
	const struct rn_ast_stmt *view; /* the text parsed; NULL: it cannot be */
	const char *const *modules;     /* that its text uses; NULL-terminated */
	/* every source that it names, except those of its modules; NULL-terminated, sorted */
	const char *const *names;
};
struct rn_viewset {
	struct rn_arena *arena;
	const struct rn_saved **list;
	unsigned n, cap;       /* by name */
	struct rn_views views; /* lookup for name resolution (rn_names) */
};

/* Creates an empty set, or a copy of from; in the arena. */
struct rn_viewset *rn_viewset_new(struct rn_arena *arena, const struct rn_viewset *from);
/* Adds a view, or replaces that of its name. text: canonical, with the `use` lines that it needs.
 * Strings are copied. */
void rn_viewset_put(struct rn_viewset *views, const char *name, const char *text, const char *doc);
bool rn_viewset_remove(struct rn_viewset *views, const char *name);
const struct rn_saved *rn_viewset_find(const struct rn_viewset *views, const char *name);
bool rn_viewset_uses(const struct rn_viewset *views, const struct rn_saved *user,
		     const struct rn_saved *used);
/* Names the views that use this one, as "`a`, `b`"; NULL: none. */
const char *rn_viewset_users(const struct rn_viewset *views, const char *name,
			     struct rn_arena *arena);

/* ---- view_check.c ---- */

/* Checks changes of a set. after: `before` with the changes. Reports to diag what they would break:
 * cycles, dropped views that others use, and views that were right before and would be wrong. True:
 * they break nothing. names: for the rest of resolution. */
bool rn_viewset_check(const struct rn_viewset *before, struct rn_viewset *after,
		      const struct rn_view_change *change, unsigned n, const struct rn_names *names,
		      struct rn_diag *diag);

/* ---- carry_over.c ---- */

/* Writes the views of a catalogue of version 0.1.0 in the words of this version, so that they
 * answer as before. Returns a line for each view that was changed, or could not be, in the arena;
 * NULL: there is none. names: for resolution; its views are not used. */
const char *rn_viewset_carry_over(struct rn_viewset *views, const struct rn_names *names,
				  struct rn_arena *arena);

/* ---- view_set.c ---- */

/* applies the changes, and sets the outcome of each */
void rn_viewset_apply(struct rn_viewset *views, struct rn_view_change *change, unsigned n);

/* Puts views in an order in which they can be read back: used ones come first. only: the wanted
 * views, to which those they use are added; NULL: all. Both lists are NULL-terminated. NULL: there
 * is no order, and *why tells why. */
const struct rn_saved *const *rn_viewset_order(const struct rn_viewset *views,
					       const char *const *only, struct rn_arena *arena,
					       const char **why);
/* Returns the text of a module of the standard library; NULL: there is none. Fits rn_views.module;
 * self is unused. */
const char *rn_module_text(void *self, const char *name);
/* Returns the module with a view of this name, which only one has; NULL: none has. */
const struct rn_module_data *rn_module_of(const char *name);
/* Returns the description in the first line of a module's text, in the arena. */
const char *rn_module_doc(struct rn_arena *arena, const struct rn_module_data *module);
/* "stdlib/io.rnl": where the views of a module come from. */
const char *rn_module_origin(struct rn_arena *arena, const struct rn_module_data *module);
/* Returns the statement of a module's view; NULL: it has none of that name. */
const struct rn_ast_stmt *rn_module_view(struct rn_arena *arena, const char *module,
					 const char *name);
#endif
