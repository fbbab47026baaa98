/* cover.h - which time a node has covered, and rates divided by it.
 *
 * A window is covered in part if the query, or the recording, begins or ends in it. Each node
 * divides its rates by its own part (planner/plan/agg.h, rn_agg_cover) when its groups leave it.
 * After that, rates add up, at relays too. */
#ifndef RN_EXEC_GROUPS_COVER_H
#define RN_EXEC_GROUPS_COVER_H
#include "planner/plan/source.h"

/* Returns how much of from to until (epoch ns) is covered. hull: from the first to the last covered
 * moment; {from, from} if there is none. May be NULL. */
int64_t rn_cover_of(const struct rn_cover *cover, int64_t from_ns, int64_t until_ns,
		    struct rn_span_ns *hull);
/* Sorts spans and joins those that touch. Returns how many are left. */
unsigned rn_cover_tidy(struct rn_span_ns *span, unsigned n);

/* Groups that leave a node. */
struct rn_covered {
	const struct rn_fragment *fragment;
	const struct rn_cover *cover;
	struct rn_arena *scratch; /* NULL: no aggregate of f is a rate */
};
void rn_covered_init(struct rn_covered *covered, const struct rn_fragment *fragment,
		     const struct rn_cover *cover);
void rn_covered_release(struct rn_covered *covered);
/* Divides the rates of partials by what is covered of its window, until now_ns at most. Hands
 * copies to `to`, and returns what `to` returns. */
int rn_covered_partials(struct rn_covered *cover, const struct rn_partials *partials,
			int64_t now_ns, const struct rn_sink *to);
#endif
