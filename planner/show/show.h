/* show.h - small texts that explain.c and dump.c share. All in the arena. */
#ifndef RN_PLANNER_SHOW_SHOW_H
#define RN_PLANNER_SHOW_SHOW_H
#include "planner/plan/plan.h"

/* The text as the language writes it: "10ms". */
const char *rn_show_size(struct rn_arena *arena, int64_t bytes);
const char *rn_show_duration(struct rn_arena *arena, int64_t ns);
/* The class with its argument or tags: `tracepoint "sched:sched_switch"`, `tag fix283, ulr821`. */
const char *rn_show_class(struct rn_arena *arena, const struct rn_fragment *fragment);
/* An aggregate as it was written, with its argument if merging changed that: `sum(b) of bytes`. */
const char *rn_show_agg(struct rn_arena *arena, const struct rn_plan *plan,
			const struct rn_agg_call *call);
#endif
