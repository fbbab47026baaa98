/* call_ends.c - see call_ends.h. */
#include <string.h>
#include "planner/plan/call_ends.h"

static void look_for_end(void *self, const struct rn_expr *e)
{
	*(bool *)self |= e->kind == RN_E_FIELD && e->field && e->field->of_end;
}

bool rn_fragment_of_ends(const struct rn_fragment *fragment)
{
	bool any = false;

	if (!rn_class_of_functions(fragment->cls->name))
		return false;
	for (unsigned i = 0; i < fragment->nwhere; i++)
		rn_expr_look(fragment->where[i].expr, look_for_end, &any);
	for (unsigned i = 0; i < fragment->nkeys; i++)
		rn_expr_look(fragment->keys[i], look_for_end, &any);
	for (unsigned i = 0; i < fragment->naggs; i++) {
		rn_expr_look(fragment->aggs[i].arg, look_for_end, &any);
		rn_expr_look(fragment->aggs[i].where, look_for_end, &any);
	}
	for (unsigned i = 0; i < fragment->nfields; i++)
		any |= fragment->fields[i]->of_end;
	for (unsigned i = 0; i < fragment->ncols; i++)
		rn_expr_look(fragment->cols[i].expr, look_for_end, &any);
	return any;
}

/* The event is the end: its time and its CPU are those of that moment. */
static void look_for_later(void *self, const struct rn_expr *e)
{
	look_for_end(self, e);
	*(bool *)self |= e->kind == RN_E_FIELD && e->field &&
			 (!strcmp(e->field->name, "time") || !strcmp(e->field->name, "cpu"));
}

bool rn_tested_at_entry(const struct rn_fragment *fragment, const struct rn_conjunct *conjunct)
{
	bool later = false;

	if (conjunct->place != RN_AT_KERNEL || conjunct->judged || !rn_fragment_of_ends(fragment))
		return false;
	rn_expr_look(conjunct->expr, look_for_later, &later);
	return !later;
}
