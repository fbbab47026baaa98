/* stage.h - the user-space part of a fragment over rows of its fields: predicates, then columns or
 * groups.
 *
 * The same object serves the agent (conjuncts placed at the node) and the coordinator (conjuncts
 * and groups that the plan keeps there), so a split cannot change an answer. It owns copies of the
 * expressions it evaluates. The fragment's aggregate calls and its other parts must outlive it. One
 * thread.
 *
 * If a condition, a key or an aggregate uses a field that is unknown for an event (rn_is_unknown),
 * the event is left out, and counted as unpaired. A column computed from such a field is unknown
 * too. */
#ifndef RN_EXEC_GROUPS_STAGE_H
#define RN_EXEC_GROUPS_STAGE_H
#include "exec/groups/groups.h"

struct rn_stage;

/* places: a set of 1 << enum rn_place whose conjuncts are applied here. produce: make columns or
 * groups here; else the rows that pass go on as they are. sink: takes rows, and partial states when
 * windows are flushed. */
int rn_stage_create(const struct rn_fragment *fragment, unsigned places, bool produce,
		    const struct rn_sink *sink, struct rn_stage **out, struct rn_err *err);
void rn_stage_destroy(struct rn_stage *stage);
/* Takes rows of the fragment's fields. 1: the fragment's limit of rows is reached; negative errno:
 * the sink refused. */
int rn_stage_rows(struct rn_stage *stage, const struct rn_rows *rows);
/* For a fragment with derived keys: takes groups of a source by what they are derived from.
 * Negative errno: the query's memory is used up. */
int rn_stage_regroup(struct rn_stage *stage, const struct rn_partials *fine);
/* Gives such groups to the caller's sink by their keys, and keeps none. Groups of equal keys stay
 * apart: the receiver merges them. */
int rn_stage_peek_regrouped(struct rn_stage *stage, const struct rn_partials *fine,
			    const struct rn_sink *sink);
/* Delivers and forgets the groups of windows that start before before_ns; INT64_MAX: all. Later
 * rows for these windows make groups again: the coordinator decides whether they are too late. */
int rn_stage_flush(struct rn_stage *stage, int64_t before_ns);
/* Gives the groups so far to the caller's sink. */
int rn_stage_peek(struct rn_stage *stage, const struct rn_sink *sink);
/* True if predicates are tested here: then only this stage knows what matched. */
bool rn_stage_tests(const struct rn_stage *stage);
/* Adds to a ledger what this stage knows: events whose group did not fit, results that did not fit
 * 64 bits, and rows left out as unpaired. If predicates are tested here, the number of rows that
 * passed replaces the source's. */
void rn_stage_ledger(const struct rn_stage *stage, struct rn_ledger *ledger);
#endif
