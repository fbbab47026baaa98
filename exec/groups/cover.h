/* cover.h - which time a node has covered, and rates that are divided by it.
 *
 * A window is covered in part if the query begins or ends in it, or if the recording does. Each
 * node divides its rates by its own part (planner/plan/agg.h, rn_agg_cover) when its groups leave
 * it; after that rates add up, at relays too. */
#ifndef RN_EXEC_GROUPS_COVER_H
#define RN_EXEC_GROUPS_COVER_H
#include "planner/plan/source.h"

/* How much of from to until (epoch ns) is covered. hull: from the first to the last moment of it
 * that is; {from, from} if none is. May be NULL. */
int64_t rn_cover_of(const struct rn_cover *c, int64_t from_ns, int64_t until_ns,
		    struct rn_span_ns *hull);
/* Spans in any order become spans in order, apart from one another. Returns how many are left. */
unsigned rn_cover_tidy(struct rn_span_ns *s, unsigned n);

/* Groups on their way out of a node. */
struct rn_covered {
	const struct rn_fragment *f;
	const struct rn_cover *cover;
	struct rn_arena *scratch; /* NULL: no aggregate of f is a rate */
};
void rn_covered_init(struct rn_covered *c, const struct rn_fragment *f,
		     const struct rn_cover *cover);
void rn_covered_release(struct rn_covered *c);
/* Divides the rates of p by what is covered of its window, until now_ns at most, and hands copies
 * of it to `to`. What it returns. */
int rn_covered_partials(struct rn_covered *c, const struct rn_partials *p, int64_t now_ns,
			const struct rn_sink *to);
#endif
