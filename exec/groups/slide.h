/* slide.h - groups of windows that overlap: every 1s over 10s. Each part, of a second, comes once.
 * A window is the merge of the last ten.
 *
 * The parts are a queue of two stacks: of the older ones, each has merged with those behind it; of
 * the newer ones there is one merge of all. So a window costs one merge of two tables, and each
 * part is merged twice, however many a window has. Source: Tangwongsan, Hirzel, Schneider, Wu,
 * "General Incremental Sliding-Window Aggregation", PVLDB 8(7), 2015, section 3 (two-stacks). Not
 * thread-safe. */
#ifndef RN_EXEC_GROUPS_SLIDE_H
#define RN_EXEC_GROUPS_SLIDE_H
#include "exec/groups/groups.h"

struct rn_slide;

/* As rn_groups_create: aggs outlive it. max_groups holds for a window, and for a part. */
struct rn_slide *rn_slide_create(const struct rn_agg_call *aggs, unsigned naggs, unsigned nkeys,
				 uint32_t max_groups);
void rn_slide_destroy(struct rn_slide *slide); /* may be NULL */
/* Adds groups of the part that starts at partials->window_ns. Parts come in order of time; one may
 * come in several calls. Returns how many events went to (other), for lack of room. */
int64_t rn_slide_add(struct rn_slide *slide, const struct rn_partials *partials);
/* Forgets the parts that start before from_ns, and visits the groups of all others, as those of a
 * window that starts at window_ns. *moved gets the events that went to (other). Returns what visit
 * returns; 0 if there are none. */
int rn_slide_window(struct rn_slide *slide, int64_t from_ns, int64_t window_ns,
		    int (*visit)(void *self, const struct rn_partials *partials), void *self,
		    int64_t *moved);
bool rn_slide_empty(const struct rn_slide *slide);
/* How many groups it holds, those of merges included. */
uint64_t rn_slide_groups(const struct rn_slide *slide);
#endif
