/* note_rows.c - notes a query that only counts, and takes every event of a busy class out of the
 * kernel: it costs the more the busier the machine is. */
#include <string.h>
#include "planner/split/place.h"
#include "planner/split/split.h"

/* Is it a class of which there may be a million events a second? */
static bool is_busy(const struct rn_class *cls)
{
	static const char *const busy[] = {"syscall", "io", "read", "write", "recv", "send"};

	for (size_t i = 0; i < sizeof(busy) / sizeof(*busy); i++)
		if (!strcmp(cls->name, busy[i]))
			return true;
	return cls->list || rn_class_arg_is_glob(cls->name, cls->arg);
}

/* The condition or key for which every event of the class leaves the kernel; NULL: the kernel forms
 * the groups, or leaves events out, or an aggregate needs the events themselves. */
static const struct rn_expr *needs_rows(struct rn_arena *arena, const struct rn_plan *p)
{
	const struct rn_fragment *f = &p->frag;
	const struct rn_expr *first = NULL;

	if (p->kind != RN_PLAN_GROUPS || f->agg_place != RN_AT_NODE || rn_place_source(p) ||
	    !is_busy(f->cls))
		return NULL;
	for (unsigned i = 0; i < f->naggs; i++)
		if (rn_place_agg(arena, &f->aggs[i]))
			return NULL;
	for (unsigned i = 0; i < f->nwhere; i++) {
		if (f->where[i].place == RN_AT_KERNEL)
			return NULL;
		first = first ? first : f->where[i].expr;
	}
	for (unsigned i = 0; i < f->nkeys && !first; i++)
		first = rn_place_key(arena, f->keys[i]) ? f->keys[i] : NULL;
	return first;
}

void rn_split_note_rows(struct rn_arena *arena, struct rn_diag *diag, const struct rn_plan *plan)
{
	const struct rn_expr *why;
	struct rn_diag_item *it;

	for (unsigned i = 0; i < plan->nsets; i++)
		rn_split_note_rows(arena, diag, plan->sets[i]);
	if (plan->child) {
		rn_split_note_rows(arena, diag, plan->child);
		return;
	}
	why = needs_rows(arena, plan);
	if (!why)
		return;
	it = rn_diag_add(diag, RN_NOTE, "N-ROWS", why->span,
			 "every event of `%s` leaves the kernel, since only the node can %s",
			 rn_class_text(arena, plan->frag.cls),
			 plan->frag.nwhere ? "test this condition" : "compute this key");
	rn_diag_hint(diag, it,
		     "a condition for the kernel, such as proc = NAME, leaves most of them there; "
		     "`explain` shows what runs where");
}
