/* plan.c - facts of a plan that need no planner. */
#include "planner/plan/plan.h"

struct rn_fragment rn_fragment_fine(struct rn_arena *arena, const struct rn_fragment *fragment)
{
	struct rn_fragment fine = *fragment;
	unsigned n = 0;

	if (!fragment->derived)
		return fine;
	fine.keys = RN_NEWN(arena, struct rn_expr *, fragment->nfine + fragment->nkeys);
	for (; n < fragment->nfine; n++) {
		const struct rn_field *field = fragment->fields[n];

		fine.keys[n] = rn_expr_ref(arena, RN_E_FIELD, (int)n, field->ty);
		fine.keys[n]->field = field;
		fine.keys[n]->name = field->name;
	}
	for (unsigned i = 0; i < fragment->nkeys; i++)
		if (!(fragment->derived >> i & 1))
			fine.keys[n++] = fragment->keys[i];
	fine.nkeys = n;
	return fine;
}

bool rn_fragment_spills(const struct rn_fragment *fragment)
{
	bool spills = fragment->derived != 0;

	for (unsigned i = 0; i < fragment->nwhere; i++)
		spills |= fragment->where[i].judged;
	return spills && fragment->grouped && fragment->agg_place == RN_AT_KERNEL;
}

bool rn_fragment_raw(const struct rn_fragment *fragment)
{
	if (fragment->grouped && fragment->agg_place == RN_AT_COORDINATOR)
		return true;
	for (unsigned i = 0; i < fragment->nwhere; i++)
		if (fragment->where[i].place == RN_AT_COORDINATOR)
			return true;
	return false;
}

int64_t rn_window_start(int64_t time_ns, int64_t every_ns)
{
	int64_t rest;

	if (every_ns <= 0)
		return 0;
	rest = time_ns % every_ns;
	if (rest < 0)
		rest += every_ns;
	/* before the first window that has a beginning */
	return time_ns < INT64_MIN + rest ? time_ns : time_ns - rest;
}

struct search {
	const struct rn_func *func;
	bool found;
};

static void find_call(void *self, const struct rn_expr *e)
{
	struct search *s = self;

	s->found |= e->kind == RN_E_CALL && e->func == s->func;
}

bool rn_plan_calls(const struct rn_plan *plan, const struct rn_func *func)
{
	struct search s = {.func = func};

	for (unsigned i = 0; i < plan->nout; i++)
		rn_expr_look(plan->out[i].expr, find_call, &s);
	rn_expr_look(plan->having, find_call, &s);
	return s.found;
}
