/* nulls.c - counts what arithmetic leaves out of aggregates. `avg(bytes / latency)` has no value of
 * an event whose latency is 0. Such an aggregate gets a companion: sum(latency = 0), which is
 * formed and merged as any other, in the kernel too, and which the coordinator puts into the
 * ledger. Integers of more than 64 bits are counted apart, as `overflow`. */
#include "planner/lower/lower.h"

static struct rn_expr *either(struct rn_arena *a, struct rn_expr *x, struct rn_expr *y)
{
	return x && y ? rn_expr_op(a, RN_OP_OR, x->ty, x, y) : x ? x : y;
}

static struct rn_expr *gaps(struct rn_arena *a, const struct rn_expr *e);

/* if(c, x, y): the gaps of x if c is true, those of y if it is not. */
static struct rn_expr *chosen_gaps(struct rn_arena *a, const struct rn_expr *e)
{
	struct rn_expr *part[2] = {gaps(a, e->arg[1]), gaps(a, e->arg[2])};

	for (int i = 0; i < 2; i++) {
		struct rn_expr *c = rn_expr_clone(a, e->arg[0]);

		if (part[i])
			part[i] = rn_expr_op(a, RN_OP_AND, part[i]->ty,
					     i ? rn_expr_op(a, RN_OP_NOT, c->ty, c, NULL) : c,
					     part[i]);
	}
	return either(a, part[0], part[1]);
}

/* When has e no value, though its fields have? NULL: never. */
static struct rn_expr *gaps(struct rn_arena *a, const struct rn_expr *e)
{
	struct rn_expr *any = rn_expr_gap(a, e);

	if (e->kind == RN_E_CALL && rn_func_chooses(e->func))
		return chosen_gaps(a, e);
	for (unsigned i = 0; i < e->narg; i++)
		any = either(a, any, gaps(a, e->arg[i]));
	return any;
}

static struct rn_agg_call companion(struct rn_arena *a, const struct rn_agg_call *call,
				    struct rn_expr *gap)
{
	if (call->where)
		gap = rn_expr_op(a, RN_OP_AND, gap->ty, rn_expr_clone(a, call->where), gap);
	return (struct rn_agg_call){.def = rn_agg_find("sum"),
				    .arg = gap,
				    .ty = {RN_T_INT, RN_U_NONE},
				    .text = rn_arena_printf(a, "nulls of %s", call->text),
				    .nulls_of = call->text};
}

void rn_count_nulls(struct rn_arena *arena, struct rn_plan *plan)
{
	struct rn_fragment *f = &plan->frag;
	struct rn_agg_call *all = RN_NEWN(arena, struct rn_agg_call, 2 * f->naggs + 1);
	unsigned n = f->naggs;

	if (plan->child)
		rn_count_nulls(arena, plan->child);
	for (unsigned i = 0; i < plan->nsets; i++)
		rn_count_nulls(arena, plan->sets[i]);
	for (unsigned i = 0; i < f->naggs; i++) {
		struct rn_expr *gap;

		all[i] = f->aggs[i];
		gap = rn_expr_has_gap(all[i].arg) ? gaps(arena, all[i].arg) : NULL;
		if (gap)
			all[n++] = companion(arena, &all[i], gap);
	}
	f->aggs = all;
	f->naggs = n;
}
