/* view_check.c - would a change of saved views leave all of them whole? Every view that the change
 * touches, and every one that uses it, is resolved as it would stand afterwards. A view that was
 * wrong before does not prevent the change. */
#include <string.h>
#include "repl/views/view_set.h"
#include "lang/syntax/walk_sources.h"
#include "lang/resolve/resolve.h"
#include "lang/syntax/parse.h"
#include "lang/base/limits.h"

/* Resolve `events of NAME` among the views of s; true: it is right. The memory is freed, because
 * there may be thousands of views. d NULL: errors are dropped too. */
static bool resolves(struct rn_viewset *s, const struct rn_saved *v, const struct rn_names *names,
		     struct rn_diag *d)
{
	struct rn_names own = *names;
	const char *text = rn_arena_printf(s->a, "events of %s", v->name);
	struct rn_arena *a;
	struct rn_ast_file *f;
	bool right;

	if (!v->view)
		return false;
	if (v->view->params && rn_query_has_word_params(v->view->query))
		return true; /* its uses are checked instead, with their values */
	own.views = &s->views;
	own.params = NULL;
	own.unbound = true;
	a = rn_arena_create(RN_ARENA_CAP);
	d = d ? d : rn_diag_new(a);
	f = rn_parse(
		a, d,
		rn_diag_source(d, rn_arena_printf(s->a, "view %s", v->name), text, strlen(text)));
	right = f->stmts && rn_resolve(a, d, f->stmts->query, &own);
	rn_arena_destroy(a);
	return right;
}

/* ---- cycles ---- */

struct path {
	const struct rn_saved *v;
	const struct path *up;
};

/* Return the path from v back to `to`, as "a -> b -> a"; NULL: there is none. seen: views that do
 * not lead there. */
static const char *way_back(const struct rn_viewset *s, const struct path *at,
			    const struct rn_saved *to, bool *seen)
{
	for (unsigned i = 0; i < s->n; i++) {
		struct path next;
		const char *found;

		if (!rn_viewset_uses(s, at->v, s->v[i]))
			continue;
		if (s->v[i] == to) {
			const char *way = to->name;

			for (const struct path *p = at; p; p = p->up)
				way = rn_arena_printf(s->a, "%s -> %s", p->v->name, way);
			return way;
		}
		if (seen[i])
			continue;
		seen[i] = true;
		next = (struct path){s->v[i], at};
		found = way_back(s, &next, to, seen);
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
		if (marked[i] || !rn_viewset_uses(s, s->v[i], v))
			continue;
		marked[i] = true;
		mark_users(s, s->v[i], marked);
	}
}

static bool check_drop(const struct rn_viewset *before, const struct rn_viewset *after,
		       const struct rn_view_change *c, struct rn_diag *d)
{
	const struct rn_saved *was = rn_viewset_find(before, c->name);
	const char *users = "", *plain = "";
	bool *marked = RN_NEWN(after->a, bool, after->n + 1);

	if (!was || rn_viewset_find(after, c->name))
		return true;
	mark_users(after, was, marked);
	for (unsigned i = 0; i < after->n; i++) {
		if (rn_viewset_uses(after, after->v[i], was))
			users = rn_arena_printf(after->a, "%s%s`%s`", users, *users ? ", " : "",
						after->v[i]->name);
		if (marked[i])
			plain = rn_arena_printf(after->a, "%s, %s", plain, after->v[i]->name);
	}
	if (!*users)
		return true;
	rn_diag_hint(d,
		     rn_diag_add(d, RN_ERROR, "E-VIEW-USED", c->span, "`%s` is used by %s", c->name,
				 users),
		     "drop what uses it first, or all together: drop view %s%s", c->name, plain);
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

/* Return the first change that v depends on, itself or through others; NULL: none. */
static const struct rn_view_change *reason(const struct rn_viewset *s, const struct rn_saved *v,
					   const struct rn_view_change *c, unsigned n, bool *seen)
{
	for (unsigned i = 0; i < n; i++) {
		const struct rn_saved *changed = rn_viewset_find(s, c[i].name);

		if (changed && rn_viewset_uses(s, v, changed))
			return &c[i];
	}
	for (unsigned i = 0; i < s->n; i++) {
		const struct rn_view_change *why;

		if (seen[i] || !rn_viewset_uses(s, v, s->v[i]))
			continue;
		seen[i] = true;
		why = reason(s, s->v[i], c, n, seen);
		if (why)
			return why;
	}
	return NULL;
}

/* Was the view right before, with the same names? */
static bool was_right(const struct rn_viewset *before, const char *name,
		      const struct rn_names *names)
{
	struct rn_viewset *s = rn_viewset_new(before->a, before);
	const struct rn_saved *v = rn_viewset_find(s, name);

	return v && resolves(s, v, names, NULL);
}

static bool check_user(const struct rn_viewset *before, struct rn_viewset *after,
		       const struct rn_saved *v, const struct rn_view_change *c, unsigned n,
		       const struct rn_names *names, bool *seen, struct rn_diag *d)
{
	const struct rn_view_change *why;

	memset(seen, 0, after->n);
	why = reason(after, v, c, n, seen);
	if (!why || resolves(after, v, names, NULL) || !was_right(before, v->name, names))
		return true;
	/* if a view between is wrong, its error says it better */
	for (unsigned i = 0; i < after->n; i++) {
		const struct rn_saved *o = after->v[i];

		if (rn_viewset_uses(after, v, o) && !is_changed(c, n, o->name) &&
		    !resolves(after, o, names, NULL))
			return false;
	}
	resolves(after, v, names, d); /* again, to report the errors */
	rn_diag_hint(d,
		     rn_diag_add(d, RN_ERROR, "E-VIEW-USED", why->span,
				 "`%s` uses `%s`, which this changes, and would be wrong", v->name,
				 why->name),
		     "define `%s` anew beside this, in the same text, or drop it", v->name);
	return false;
}

bool rn_viewset_check(const struct rn_viewset *before, struct rn_viewset *after,
		      const struct rn_view_change *c, unsigned n, const struct rn_names *names,
		      struct rn_diag *d)
{
	bool ok = true, *seen = RN_NEWN(after->a, bool, after->n + 1);

	for (unsigned i = 0; i < n; i++)
		ok &= c[i].text ? check_cycle(after, &c[i], seen, d)
				: check_drop(before, after, &c[i], d);
	if (!ok) /* the checks below would report the same again */
		return false;
	for (unsigned i = 0; i < after->n; i++) {
		const struct rn_saved *v = after->v[i];

		if (!is_changed(c, n, v->name))
			ok &= check_user(before, after, v, c, n, names, seen, d);
		else if (!rn_viewset_find(before, v->name) ||
			 strcmp(rn_viewset_find(before, v->name)->text, v->text))
			/* warnings were reported before */
			ok &= resolves(after, v, names, NULL) || resolves(after, v, names, d);
	}
	return ok;
}
