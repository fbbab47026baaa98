/* call_ends.h - calls of functions of programs and of the kernel: which of their two moments is the
 * event, and which conditions are tested at the first.
 *
 * A query that asks for what only the end of a call knows (`latency`, `ret`, `begin`) is about
 * ends. The entry notes the call then. It leaves out a call for which a condition on what the entry
 * knows does not hold: nothing is noted, and the end is no event. */
#ifndef RN_PLANNER_PLAN_CALL_ENDS_H
#define RN_PLANNER_PLAN_CALL_ENDS_H
#include <stdbool.h>
#include "planner/plan/plan.h"

/* Are the ends of calls of functions the events of the fragment? */
bool rn_fragment_of_ends(const struct rn_fragment *fragment);
/* Is the condition, one of the fragment's `where`, tested when a call begins? Its fields have the
 * values of that moment. */
bool rn_tested_at_entry(const struct rn_fragment *fragment, const struct rn_conjunct *conjunct);
#endif
