/* call_ends.c - see call_ends.h. */
#include <string.h>
#include "planner/plan/call_ends.h"

/* ---- the fields that one part of a fragment uses ---- */

struct look {
	const struct rn_class *cls; /* the fields' class: a pair, or not */
	unsigned part;
	rn_field_fn *fn;
	void *self;
};

static void look_at(const struct look *x, const struct rn_field *f)
{
	const struct rn_pair_field *from = f && x->cls->pair ? rn_pair_field(x->cls, f) : NULL;

	if (from) /* its own latency is from one event to the other */
		f = from->part == (x->part ? RN_PAIR_SECOND : RN_PAIR_FIRST) ? from->of : NULL;
	if (f)
		x->fn(x->self, f);
}

static void look(void *self, const struct rn_expr *e)
{
	if (e->kind == RN_E_FIELD)
		look_at(self, e->field);
}

/* Keys of a pair, and conditions of its end. */
static void look_at_end(const struct rn_fragment *f, unsigned part, struct look *x)
{
	const struct rn_pair *pair = f->cls->pair;
	struct look own = {.cls = pair->end[part], .fn = x->fn, .self = x->self};

	for (unsigned i = 0; i < pair->nkeys; i++)
		look_at(&own, pair->key[i][part]);
	for (unsigned i = 0; f->ends && i < f->ends[part].nwhere; i++)
		rn_expr_look(f->ends[part].where[i].expr, look, &own);
}

void rn_fragment_each_field(const struct rn_fragment *fragment, unsigned part, rn_field_fn *fn,
			    void *self)
{
	struct look x = {.cls = fragment->cls, .part = part, .fn = fn, .self = self};

	if (fragment->cls->pair)
		look_at_end(fragment, part, &x);
	for (unsigned i = 0; i < fragment->nwhere; i++)
		rn_expr_look(fragment->where[i].expr, look, &x);
	for (unsigned i = 0; i < fragment->nkeys; i++)
		rn_expr_look(fragment->keys[i], look, &x);
	for (unsigned i = 0; i < fragment->naggs; i++) {
		rn_expr_look(fragment->aggs[i].arg, look, &x);
		rn_expr_look(fragment->aggs[i].where, look, &x);
	}
	for (unsigned i = 0; i < fragment->nfields; i++)
		look_at(&x, fragment->fields[i]);
	for (unsigned i = 0; i < fragment->ncols; i++)
		rn_expr_look(fragment->cols[i].expr, look, &x);
}

/* ---- the two moments of a call ---- */

const struct rn_class *rn_fragment_functions(const struct rn_fragment *fragment, unsigned part)
{
	const struct rn_class *cls = fragment->cls;

	cls = cls->pair ? cls->pair->end[part] : part ? NULL : cls;
	return cls && rn_class_of_functions(cls->name) ? cls : NULL;
}

static void is_of_end(void *self, const struct rn_field *f)
{
	*(bool *)self |= f->of_end;
}

bool rn_fragment_of_ends(const struct rn_fragment *fragment, unsigned part)
{
	bool any = false;

	if (rn_fragment_functions(fragment, part))
		rn_fragment_each_field(fragment, part, is_of_end, &any);
	return any;
}

/* The event is the end: its time and its CPU are those of that moment. */
static void look_for_later(void *self, const struct rn_expr *e)
{
	*(bool *)self |= e->kind == RN_E_FIELD && e->field &&
			 (e->field->of_end || !strcmp(e->field->name, "time") ||
			  !strcmp(e->field->name, "cpu"));
}

bool rn_tested_at_entry(const struct rn_fragment *fragment, const struct rn_conjunct *conjunct)
{
	bool later = false;

	if (conjunct->place != RN_AT_KERNEL || conjunct->judged || fragment->cls->pair ||
	    !rn_fragment_of_ends(fragment, 0))
		return false;
	rn_expr_look(conjunct->expr, look_for_later, &later);
	return !later;
}
