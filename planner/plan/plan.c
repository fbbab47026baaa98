/* plan.c - facts of a plan that need no planner. */
#include "planner/plan/plan.h"

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
