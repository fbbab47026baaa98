/* view_check.c - would a change of saved views leave all of them whole? Every view that the change
 * touches, and every one that uses it, is resolved as it would stand afterwards. A view that was
 * wrong before does not prevent the change. */
#include <string.h>
#include "repl/views/view_set.h"
#include "lang/syntax/walk_sources.h"
#include "lang/resolve/resolve.h"
#include "lang/syntax/parse.h"
#include "lang/base/limits.h"

/* Resolve `events of NAME` among the views of views; true: it is right. The memory is freed,
 * because there may be thousands of views. diag NULL: errors are dropped too. */
static bool resolves(struct rn_viewset *views, const struct rn_saved *saved,
		     const struct rn_names *names, struct rn_diag *diag)
{
	struct rn_names own = *names;
	const char *text = rn_arena_printf(views->arena, "events of %s", saved->name);
	struct rn_arena *arena;
	struct rn_ast_file *file;
	bool right;

	if (!saved->view)
		return false;
	if (saved->view->params && rn_query_has_word_params(saved->view->query))
		return true; /* its uses are checked instead, with their values */
	own.views = &views->views;
	own.params = NULL;
	own.unbound = true;
	arena = rn_arena_create(RN_ARENA_CAP);
	diag = diag ? diag : rn_diag_new(arena);
	file = rn_parse(arena, diag,
			rn_diag_source(diag, rn_arena_printf(views->arena, "view %s", saved->name),
				       text, strlen(text)));
	right = file->stmts && rn_resolve(arena, diag, file->stmts->query, &own);
	rn_arena_destroy(arena);
	return right;
}

/* ---- cycles ---- */

struct path {
	const struct rn_saved *saved;
	const struct path *up;
};

/* Return the path from v back to `to`, as "a -> b -> a"; NULL: there is none. seen: views that do
 * not lead there. */
static const char *way_back(const struct rn_viewset *views, const struct path *at,
			    const struct rn_saved *to, bool *seen)
{
	for (unsigned i = 0; i < views->n; i++) {
		struct path next;
		const char *found;

		if (!rn_viewset_uses(views, at->saved, views->list[i]))
			continue;
		if (views->list[i] == to) {
			const char *way = to->name;

			for (const struct path *p = at; p; p = p->up)
				way = rn_arena_printf(views->arena, "%s -> %s", p->saved->name,
						      way);
			return way;
		}
		if (seen[i])
			continue;
		seen[i] = true;
		next = (struct path){views->list[i], at};
		found = way_back(views, &next, to, seen);
		if (found)
			return found;
	}
	return NULL;
}

static bool check_cycle(const struct rn_viewset *after, const struct rn_view_change *c, bool *seen,
			struct rn_diag *d)
{
	const struct rn_saved *v = rn_viewset_find(after, c->name);
	struct path at = {v, NULL};
	const char *way;

	memset(seen, 0, after->n);
	way = v ? way_back(after, &at, v, seen) : NULL;
	if (!way)
		return true;
	rn_diag_hint(d,
		     rn_diag_add(d, RN_ERROR, "E-NAME-VIEW", c->span, "the view `%s` uses itself",
				 c->name),
		     "%s", way);
	return false;
}

/* ---- what is dropped ---- */

/* Mark the views that use v, themselves or through others. */
static void mark_users(const struct rn_viewset *s, const struct rn_saved *v, bool *marked)
{
	for (unsigned i = 0; i < s->n; i++) {
		if (marked[i] || !rn_viewset_uses(s, s->list[i], v))
			continue;
		marked[i] = true;
		mark_users(s, s->list[i], marked);
	}
}

static bool check_drop(const struct rn_viewset *before, const struct rn_viewset *after,
		       const struct rn_view_change *change, struct rn_diag *diag)
{
	const struct rn_saved *was = rn_viewset_find(before, change->name);
	const char *users = "", *plain = "";
	bool *marked = RN_NEWN(after->arena, bool, after->n + 1);

	if (!was || rn_viewset_find(after, change->name))
		return true;
	mark_users(after, was, marked);
	for (unsigned i = 0; i < after->n; i++) {
		if (rn_viewset_uses(after, after->list[i], was))
			users = rn_arena_printf(after->arena, "%s%s`%s`", users, *users ? ", " : "",
						after->list[i]->name);
		if (marked[i])
			plain = rn_arena_printf(after->arena, "%s, %s", plain,
						after->list[i]->name);
	}
	if (!*users)
		return true;
	rn_diag_hint(diag,
		     rn_diag_add(diag, RN_ERROR, "E-VIEW-USED", change->span, "`%s` is used by %s",
				 change->name, users),
		     "drop what uses it first, or all together: drop view %s%s", change->name,
		     plain);
	return false;
}

/* ---- what uses something that changes ---- */

static bool is_changed(const struct rn_view_change *c, unsigned n, const char *name)
{
	for (unsigned i = 0; i < n; i++) {
		if (!strcmp(c[i].name, name))
			return true;
	}
	return false;
}

/* Return the first change that saved depends on, itself or through others; NULL: none. */
static const struct rn_view_change *reason(const struct rn_viewset *views,
					   const struct rn_saved *saved,
					   const struct rn_view_change *change, unsigned n,
					   bool *seen)
{
	for (unsigned i = 0; i < n; i++) {
		const struct rn_saved *changed = rn_viewset_find(views, change[i].name);

		if (changed && rn_viewset_uses(views, saved, changed))
			return &change[i];
	}
	for (unsigned i = 0; i < views->n; i++) {
		const struct rn_view_change *why;

		if (seen[i] || !rn_viewset_uses(views, saved, views->list[i]))
			continue;
		seen[i] = true;
		why = reason(views, views->list[i], change, n, seen);
		if (why)
			return why;
	}
	return NULL;
}

/* Was the view right before, with the same names? */
static bool was_right(const struct rn_viewset *before, const char *name,
		      const struct rn_names *names)
{
	struct rn_viewset *s = rn_viewset_new(before->arena, before);
	const struct rn_saved *v = rn_viewset_find(s, name);

	return v && resolves(s, v, names, NULL);
}

static bool check_user(const struct rn_viewset *before, struct rn_viewset *after,
		       const struct rn_saved *saved, const struct rn_view_change *change,
		       unsigned n, const struct rn_names *names, bool *seen, struct rn_diag *diag)
{
	const struct rn_view_change *why;

	memset(seen, 0, after->n);
	why = reason(after, saved, change, n, seen);
	if (!why || resolves(after, saved, names, NULL) || !was_right(before, saved->name, names))
		return true;
	/* if a view between is wrong, its error says it better */
	for (unsigned i = 0; i < after->n; i++) {
		const struct rn_saved *o = after->list[i];

		if (rn_viewset_uses(after, saved, o) && !is_changed(change, n, o->name) &&
		    !resolves(after, o, names, NULL))
			return false;
	}
	resolves(after, saved, names, diag); /* again, to report the errors */
	rn_diag_hint(diag,
		     rn_diag_add(diag, RN_ERROR, "E-VIEW-USED", why->span,
				 "`%s` uses `%s`, which this changes, and would be wrong",
				 saved->name, why->name),
		     "define `%s` again in the same text, or drop it", saved->name);
	return false;
}

bool rn_viewset_check(const struct rn_viewset *before, struct rn_viewset *after,
		      const struct rn_view_change *change, unsigned n, const struct rn_names *names,
		      struct rn_diag *diag)
{
	bool ok = true, *seen = RN_NEWN(after->arena, bool, after->n + 1);

	for (unsigned i = 0; i < n; i++)
		ok &= change[i].text ? check_cycle(after, &change[i], seen, diag)
				     : check_drop(before, after, &change[i], diag);
	if (!ok) /* the checks below would report the same again */
		return false;
	for (unsigned i = 0; i < after->n; i++) {
		const struct rn_saved *saved = after->list[i];

		if (!is_changed(change, n, saved->name))
			ok &= check_user(before, after, saved, change, n, names, seen, diag);
		else if (!rn_viewset_find(before, saved->name) ||
			 strcmp(rn_viewset_find(before, saved->name)->text, saved->text))
			/* warnings were reported before */
			ok &= resolves(after, saved, names, NULL) ||
			      resolves(after, saved, names, diag);
	}
	return ok;
}
