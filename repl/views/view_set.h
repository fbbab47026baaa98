/* view_set.h - saved views as a set in memory: which uses which, and whether a change leaves all of
 * them whole. Opens no file.
 *
 * The text of a view is what counts: what it uses is read from it, so a set from a file of any
 * version has its dependencies. */
#ifndef RN_REPL_VIEWS_VIEW_SET_H
#define RN_REPL_VIEWS_VIEW_SET_H
#include "repl/views/view_store.h"

struct rn_saved {
	const char *name, *text, *doc, *origin;
	/* the same view as it was written, in what `origin` names; NULL: text */
	const char *source;
	const struct rn_ast_stmt *view; /* of the text; NULL: it cannot be read */
	const char *const *modules;     /* that it `use`s; NULL-terminated */
	/* every source that it names, but for those its modules have; NULL-terminated, sorted */
	const char *const *names;
};
struct rn_viewset {
	struct rn_arena *a;
	const struct rn_saved **v;
	unsigned n, cap;       /* by name */
	struct rn_views views; /* what resolution asks, for rn_names */
};

/* An empty one, or one that holds what from holds; in the arena. */
struct rn_viewset *rn_viewset_new(struct rn_arena *a, const struct rn_viewset *from);
/* text: canonical, with the `use` lines that it needs. Replaces a view of that name. Strings are
 * copied. */
void rn_viewset_put(struct rn_viewset *s, const char *name, const char *text, const char *doc);
bool rn_viewset_remove(struct rn_viewset *s, const char *name);
const struct rn_saved *rn_viewset_find(const struct rn_viewset *s, const char *name);
bool rn_viewset_uses(const struct rn_viewset *s, const struct rn_saved *user,
		     const struct rn_saved *used);
/* The views that use this one, as "`a`, `b`"; NULL: none. */
const char *rn_viewset_users(const struct rn_viewset *s, const char *name, struct rn_arena *a);

/* What changes make of a set. after: before with the changes. Reports to d what they would break:
 * cycles, views that others use and that would be gone, views that would no longer be right but
 * were before. True: nothing. names: for the rest of resolution. */
bool rn_viewset_check(const struct rn_viewset *before, struct rn_viewset *after,
		      const struct rn_view_change *c, unsigned n, const struct rn_names *names,
		      struct rn_diag *d);
/* and says in each what became of it */
void rn_viewset_apply(struct rn_viewset *s, struct rn_view_change *c, unsigned n);

/* In an order in which they can be read back: what is used comes first. NULL: there is none, why
 * says it. only: names of views that are wanted, with what they use; NULL: all. NULL-terminated. */
const struct rn_saved *const *rn_viewset_order(const struct rn_viewset *s, const char *const *only,
					       struct rn_arena *a, const char **why);
/* The text of a module of the standard library; NULL: there is none. Fits rn_views.module, self is
 * not used. */
const char *rn_module_text(void *self, const char *name);
/* The text of a module's view; NULL: it has none of that name. */
const struct rn_ast_stmt *rn_module_view(struct rn_arena *a, const char *module, const char *name);
#endif
