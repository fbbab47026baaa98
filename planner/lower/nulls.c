/* nulls.c - counts what arithmetic leaves out of aggregates. `avg(bytes / latency)` has no value of
 * an event whose latency is 0. Such an aggregate gets a companion: sum(latency = 0), which is
 * formed and merged as any other, in the kernel too, and which the coordinator puts into the
 * ledger. Integers of more than 64 bits are counted apart, as `overflow`. */
#include "planner/lower/lower.h"

struct zeros {
	struct rn_arena *arena;
	struct rn_expr *any; /* NULL: no divisor yet */
};

static void add_divisor(void *self, struct rn_expr *e)
{
	static const struct rn_ty truth = {RN_T_BOOL, RN_U_NONE};
	struct zeros *z = self;
	struct rn_expr *d = rn_expr_divisor(e), *zero, *is_zero;

	if (!d)
		return;
	zero = rn_expr_new(z->arena, RN_E_CONST, d->ty, d->span);
	zero->value = d->ty.type == RN_T_FLOAT ? rn_float(0) : rn_int(0);
	is_zero = rn_expr_op(z->arena, RN_OP_EQ, truth, rn_expr_clone(z->arena, d), zero);
	z->any = z->any ? rn_expr_op(z->arena, RN_OP_OR, truth, z->any, is_zero) : is_zero;
}

static struct rn_agg_call companion(struct rn_arena *a, const struct rn_agg_call *call)
{
	struct zeros z = {.arena = a};

	rn_expr_walk(call->arg, add_divisor, &z);
	return (struct rn_agg_call){.def = rn_agg_find("sum"),
				    .arg = z.any,
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
		all[i] = f->aggs[i];
		if (rn_expr_divides(all[i].arg))
			all[n++] = companion(arena, &all[i]);
	}
	f->aggs = all;
	f->naggs = n;
}
