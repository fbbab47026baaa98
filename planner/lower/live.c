/* live.c - sets after `in live`: pid in live (pid of exec where proc = java).
 *
 * A plan has a call of rn_func_in_live first, whose argument the rules treat as any other: so a
 * condition on a view's column `pid` comes down to the events. Then rn_place_live_sets puts the
 * field of a set in place of the call. */
#include <string.h>
#include "lang/base/limits.h"
#include "lang/catalog/list.h"
#include "lang/syntax/print.h"
#include "planner/lower/lower.h"
#include "planner/rules/rules.h"
#include "planner/split/place.h"
#include "planner/split/split.h"

static const struct rn_ty bool_ty = {RN_T_BOOL, RN_U_NONE};

struct mapping {
	struct rn_lower *lower;
	const struct rn_class *exec;
	bool ok;
};

/* A field of `processes` becomes the one of that name of `exec`. */
static void map_field(void *self, struct rn_expr *e)
{
	struct mapping *m = self;
	const struct rn_field *field;
	struct rn_diag_item *it;

	if (e->kind != RN_E_FIELD || !m->ok)
		return;
	field = rn_class_field(m->exec, e->name);
	if (field && field->ty.type == e->ty.type && field->ty.unit == e->ty.unit) {
		e->field = field;
		return;
	}
	m->ok = false;
	it = rn_diag_add(m->lower->diag, RN_ERROR, "E-TYPE", e->span,
			 "`%s` is not known when a program begins, which is when a live set takes "
			 "its members",
			 e->name);
	rn_diag_hint(m->lower->diag, it, "ask for what `exec` has, too: proc, exe, uid, ppid");
}

static bool in_kernel(struct rn_lower *l, const struct rn_plan *p)
{
	struct rn_diag_item *it;

	for (unsigned i = 0; i < p->frag.nwhere; i++) {
		const struct rn_conjunct *w = &p->frag.where[i];

		if (w->place == RN_AT_KERNEL && !w->judged)
			continue;
		it = rn_diag_add(
			l->diag, RN_ERROR, "E-TYPE", w->expr->span,
			"the kernel takes a process into a live set, and cannot test this: %s",
			w->judged ? "it knows numbers of users and cgroups, not their names"
				  : w->reason);
		rn_diag_hint(
			l->diag, it,
			"`explain events of exec where ...` shows what it can test: proc, exe, "
			"file, uid, ppid");
		return false;
	}
	return true;
}

/* `events of exec where C`, from `pid of processes where C`. */
static struct rn_plan *as_exec(struct rn_lower *l, const struct rn_plan *begin)
{
	struct rn_plan *p = RN_NEW(l->arena, struct rn_plan);
	struct mapping m = {.lower = l, .ok = true};
	char why[256];

	*p = *begin;
	m.exec = rn_class_find(l->arena, l->names->catalog, "exec", NULL, why, sizeof(why));
	p->frag.cls = m.exec;
	p->frag.class_name = "exec";
	p->frag.where = RN_NEWN(l->arena, struct rn_conjunct, begin->frag.nwhere + 1);
	for (unsigned i = 0; i < begin->frag.nwhere && m.exec; i++) {
		p->frag.where[i] = begin->frag.where[i];
		p->frag.where[i].expr = rn_expr_clone(l->arena, begin->frag.where[i].expr);
		rn_expr_walk(p->frag.where[i].expr, map_field, &m);
	}
	return m.exec && m.ok ? p : NULL;
}

static struct rn_live_set *make_set(struct rn_lower *l, const struct rn_ast_expr *expr)
{
	static const struct rn_plan_opts all;
	struct rn_live_set *set = RN_NEW(l->arena, struct rn_live_set);
	struct rn_plan *exec = rn_lower_query(l->arena, l->diag, expr->query, l->names, l, false),
		       *begin = NULL;

	if (!exec)
		return NULL;
	rn_rules_apply(l->arena, exec);
	if (exec->frag.cls->kind == RN_CLASS_TABLE) {
		begin = exec;
		exec = as_exec(l, begin);
		rn_split(l->arena, begin, &all);
	}
	if (!exec)
		return NULL;
	/* a set adds processes: it has no rows */
	exec->frag.ncols = exec->frag.nfields = 0;
	exec->frag.limit = -1;
	rn_split(l->arena, exec, &all);
	if (!in_kernel(l, exec))
		return NULL;
	exec->frag.adds = true;
	set->exec = &exec->frag;
	set->begin = begin ? &begin->frag : NULL;
	return set;
}

struct rn_expr *rn_lower_live(struct rn_lower *lower, const struct rn_ast_expr *expr,
			      struct rn_expr *of)
{
	struct rn_expr *call = rn_expr_new(lower->arena, RN_E_CALL, bool_ty, expr->span);

	call->func = &rn_func_in_live;
	call->name = rn_print_expr(lower->arena, expr);
	call->live = of ? make_set(lower, expr) : NULL;
	call->arg = RN_NEWN(lower->arena, struct rn_expr *, 1);
	call->arg[0] = of;
	call->narg = 1;
	return call->live ? call : NULL;
}

/* ---- after the rules ---- */

struct placing {
	struct rn_arena *arena;
	struct rn_diag *diag;
	struct rn_plan *plan;
	bool ok;
};

static void refuse(struct placing *p, const struct rn_expr *e, const char *text)
{
	struct rn_diag_item *it = rn_diag_add(p->diag, RN_ERROR, "E-TYPE", e->span, "%s", text);

	rn_diag_hint(p->diag, it,
		     "for instance: events of read where pid in live (pid of exec where "
		     "proc = java)");
	p->ok = false;
}

static void refuse_more(struct placing *p, const struct rn_expr *e)
{
	struct rn_diag_item *it = rn_diag_add(p->diag, RN_ERROR, "E-LIMIT-LIVE", e->span,
					      "more than %d sets after `in live`", RN_MAX_LIVE);

	rn_diag_hint(p->diag, it,
		     "one set may have `or`: pid in live (pid of exec where uid = 1 or uid = 2)");
	p->ok = false;
}

/* The fragment's own set for e; NULL after a report. Two that are the same are one. */
static const struct rn_live_set *own_set(struct placing *p, const struct rn_expr *e)
{
	struct rn_fragment *f = &p->plan->frag;
	bool of_parent = !strcmp(e->arg[0]->name, "ppid");
	struct rn_live_set **more, *set;

	for (unsigned i = 0; i < f->nlive; i++)
		if (f->live[i]->of_parent == of_parent && !strcmp(f->live[i]->field->name, e->name))
			return f->live[i];
	if (f->nlive == RN_MAX_LIVE) {
		refuse_more(p, e);
		return NULL;
	}
	set = RN_NEW(p->arena, struct rn_live_set);
	*set = *e->live;
	set->of_parent = of_parent;
	set->field = rn_live_field(p->arena, f->cls, e->name, of_parent);
	if (!set->field) {
		refuse(p, e, "`in live` asks of the events of the kernel, and of no pair");
		return NULL;
	}
	more = RN_NEWN(p->arena, struct rn_live_set *, f->nlive + 1);
	if (f->nlive)
		memcpy(more, f->live, f->nlive * sizeof(struct rn_live_set *));
	more[f->nlive++] = set;
	f->live = more;
	return set;
}

static struct rn_expr *place_set(void *self, struct rn_expr *e)
{
	struct placing *p = self;
	const struct rn_expr *of = e->narg ? e->arg[0] : NULL;
	const struct rn_live_set *set;

	for (unsigned i = 0; i < e->narg; i++)
		e->arg[i] = place_set(self, e->arg[i]);
	if (e->kind != RN_E_CALL || e->func != &rn_func_in_live || !p->ok)
		return e;
	if (!of || of->kind != RN_E_FIELD || rn_place_source(p->plan) ||
	    rn_plan_is_local(p->plan) ||
	    (strcmp(of->name, "pid") != 0 && strcmp(of->name, "ppid") != 0)) {
		refuse(p, e,
		       "`in live` asks of `pid` or `ppid` of the kernel's own events, and of "
		       "nothing that is made of them");
		return e;
	}
	set = own_set(p, e);
	if (set) {
		e->kind = RN_E_FIELD;
		e->field = set->field;
		e->name = set->field->name;
		e->func = NULL;
		e->live = NULL;
		e->narg = 0;
	}
	return e;
}

bool rn_place_live_sets(struct rn_arena *arena, struct rn_diag *diag, struct rn_plan *plan)
{
	struct placing p = {arena, diag, plan, true};
	bool ok = !plan->child || rn_place_live_sets(arena, diag, plan->child);

	for (unsigned i = 0; i < plan->nsets; i++)
		ok &= rn_place_live_sets(arena, diag, plan->sets[i]);
	rn_plan_rewrite(plan, place_set, &p);
	for (unsigned i = 0; plan->frag.ends && i < 2; i++)
		for (unsigned k = 0; k < plan->frag.ends[i].nwhere; k++)
			place_set(&p, plan->frag.ends[i].where[k].expr);
	return ok && p.ok;
}
