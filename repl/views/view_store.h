/* view_store.h - finds views by name: those of used stdlib modules (built in), those of the current
 * text, and those saved in an SQLite catalogue.
 *
 * The catalogue is $RUNNEL_CATALOG or ~/.local/share/runnel/catalog.db. It is opened when nothing
 * else explains a name, read again when it has changed, and made when the first view is saved. A
 * file that is not ours is left as it is. */
#ifndef RN_REPL_VIEWS_VIEW_STORE_H
#define RN_REPL_VIEWS_VIEW_STORE_H
#include "lang/base/err.h"
#include "lang/resolve/names.h"

struct rn_view {
	const char *name, *text, *origin, *doc;
	bool saved;
};
struct rn_module_data {
	const char *name, *text;
};
extern const struct rn_module_data rn_stdlib[]; /* ends with name NULL; generated from stdlib */

struct rn_viewstore;
struct rn_viewset;
/* path: the catalogue's; NULL: its default place. rest: what saved views of an older version are
 * resolved with, to carry them over; they outlive the store. */
struct rn_viewstore *rn_views_create(const char *path, const struct rn_names *rest);
void rn_views_destroy(struct rn_viewstore *store);
const char *rn_views_path(const struct rn_viewstore *store);
/* Returns once what became of saved views of an older version, in lines for people; NULL: nothing
 * new. It lives as long as the store. */
const char *rn_views_carried(struct rn_viewstore *store);
/* Begins a new text: forgets what the one before defined, and reads the catalogue again if it has
 * changed. */
void rn_views_begin(struct rn_viewstore *store);
/* Returns the lookup for name resolution; it lives as long as the store. */
const struct rn_views *rn_views_names(struct rn_viewstore *store);
/* Makes a module's views known. Returns 0, 1 (already in use) or -ENOENT. */
int rn_views_use(struct rn_viewstore *store, const char *module);
void rn_views_unuse(struct rn_viewstore *store); /* all modules */
/* Makes a view known from now on: queries of the same text see it before it is saved. */
/* source, origin: as in rn_view_change, or NULL. */
void rn_views_define(struct rn_viewstore *store, const char *name, const char *text,
		     const char *doc, const char *source, const char *origin);
/* Returns a view's text with the `use` lines that it needs to be read alone. NULL, and reported: it
 * uses a module's view and another view whose name the module has too. */
const char *rn_views_canonical(struct rn_viewstore *store, struct rn_arena *arena,
			       const struct rn_ast_stmt *view, struct rn_diag *diag);

/* One change of the saved views. text NULL: the view is dropped. The function that makes or tries
 * the change sets outcome. */
enum rn_view_outcome {
	RN_VIEW_NEW,
	RN_VIEW_REPLACED,
	RN_VIEW_UNCHANGED,
	RN_VIEW_DROPPED,
	RN_VIEW_NOT_SAVED
};
struct rn_view_change {
	const char *name, *text, *doc;
	struct rn_span span;
	enum rn_view_outcome outcome;
	/* For messages, where it was written: source is a file's text with all but this view and
	 * `use` lines blank, origin the file's name. NULL: messages point into `text`. */
	const char *source, *origin;
};
/* Makes all changes or none, in one transaction. Returns 0; 1: they would break what is saved, and
 * diag says what; or a negative errno. a lives as long as diag. */
int rn_views_store(struct rn_viewstore *views, struct rn_view_change *change, unsigned n,
		   const struct rn_names *names, struct rn_diag *diag, struct rn_arena *arena,
		   struct rn_err *err);
/* False: rn_views_store would refuse, and diag says why. Uses the saved views as they were read.
 * *set: NULL at first, then the set after the changes so far. */
bool rn_views_try(struct rn_viewstore *store, struct rn_viewset **set,
		  struct rn_view_change *change, unsigned n, const struct rn_names *names,
		  struct rn_diag *diag, struct rn_arena *arena);
/* Returns the saved views (view_set.h), in the arena. NULL: see rn_views_problem. */
struct rn_viewset *rn_views_saved(struct rn_viewstore *store, struct rn_arena *arena);

/* ---- view_export.c ---- */

/* Returns the saved views (only: these and what they use; NULL: all) as a .rnl text, in the arena:
 * `use` lines, then each view behind those that it uses. "": there are none. NULL: err says why;
 * -ENOENT: there is no such view; -EINVAL: there is no such order. (view_export.c) */
const char *rn_views_export(struct rn_viewstore *store, const char *const *only,
			    struct rn_arena *arena, struct rn_err *err);

/* Returns the summary in a view's documentation: its first line that is not "NAME: text" about a
 * parameter or a column; NULL: none. view: its declaration; NULL: unknown. (view_export.c) */
const char *rn_view_summary(struct rn_arena *arena, const struct rn_ast_stmt *view,
			    const char *doc);

/* ---- view_store.c ---- */

/* Lists the views by name, NULL-terminated. all: also those of modules not in use. */
const struct rn_view *const *rn_views_list(struct rn_viewstore *store, struct rn_arena *arena,
					   bool all);
/* Names the saved views that a module in use hides, as "`a`, `b`"; NULL: none. */
const char *rn_views_hidden(struct rn_viewstore *store, struct rn_arena *arena, const char *module);
/* Returns why the catalogue cannot be read; code 0 if it can be, or was not needed. */
const struct rn_err *rn_views_problem(const struct rn_viewstore *store);
#endif
