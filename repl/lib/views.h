/* views.h - views by name: those of used stdlib modules (built in) and those saved in an SQLite catalogue.
 *
 * The catalogue is $RUNNEL_CATALOG or ~/.local/share/runnel/catalog.db. It is opened when a name is looked up that nothing
 * else explains, and made when the first view is saved; a file that is not ours is left as it is. */
#ifndef RN_LIB_VIEWS_H
#define RN_LIB_VIEWS_H
#include "lang/err.h"
#include "lang/parse.h"

struct rn_view { const char *name, *text, *origin, *doc; bool saved; };
struct rn_module_data { const char *name, *text; };
extern const struct rn_module_data rn_stdlib[]; /* ends with name NULL; generated from stdlib */

struct rn_viewstore;
struct rn_viewstore *rn_views_create(const char *path); /* of the catalogue; NULL: where it is by default */
void rn_views_destroy(struct rn_viewstore *s);
/* What name resolution asks; lives as long as the store. */
const struct rn_views *rn_views_names(struct rn_viewstore *s);
/* Makes a module's views known. 0, 1 (already in use) or -ENOENT. */
int rn_views_use(struct rn_viewstore *s, const char *module);
/* Known from now on, saved or not: queries of the same text see a view before it is saved. */
void rn_views_define(struct rn_viewstore *s, const char *name, const char *text, const char *doc);
/* Into the catalogue; replaces a view of that name. */
int rn_views_save(struct rn_viewstore *s, const char *name, const char *text, const char *doc, struct rn_err *err);
int rn_views_drop(struct rn_viewstore *s, const char *name, struct rn_err *err); /* -ENOENT: no such saved view */
/* NULL-terminated, by name. all: the views of modules not in use as well. */
const struct rn_view *const *rn_views_list(struct rn_viewstore *s, struct rn_arena *a, bool all);
/* The saved views that a module in use hides, as "`a`, `b`"; NULL: none. */
const char *rn_views_hidden(struct rn_viewstore *s, struct rn_arena *a, const char *module);
/* The module that has a view of this name, in use or not; NULL: none. */
const char *rn_views_module_of(struct rn_viewstore *s, const char *name);
/* Why the catalogue cannot be read; code 0 if it can be, or was not needed. */
const struct rn_err *rn_views_problem(const struct rn_viewstore *s);
#endif
