/* call_ends.h - calls of functions of programs and of the kernel: which of their two moments is the
 * event, and which conditions are tested at the first.
 *
 * A query that asks for what only the end of a call knows (`latency`, `ret`, `begin`) is about
 * ends. The entry notes the call then. It leaves out a call for which a condition on what the entry
 * knows does not hold: nothing is noted, and the end is no event.
 *
 * Each end of `between` has a moment of its own: malloc of which `ret` is a key is the end of a
 * call, free(arg0) the beginning of one. Its conditions are tested at that moment. */
#ifndef RN_PLANNER_PLAN_CALL_ENDS_H
#define RN_PLANNER_PLAN_CALL_ENDS_H
#include <stdbool.h>
#include "planner/plan/plan.h"

/* Returns the class of an end of a pair (part 0 or 1), or the fragment's class if it has no pair
 * and part is 0; NULL: it has no such part, or its events are no calls of functions. */
const struct rn_class *rn_fragment_functions(const struct rn_fragment *fragment, unsigned part);
/* Calls fn for each field that the fragment uses of the events of this part, some of them several
 * times: a pair's fields as those of the end that they come from. */
typedef void rn_field_fn(void *self, const struct rn_field *field);
void rn_fragment_each_field(const struct rn_fragment *fragment, unsigned part, rn_field_fn *fn,
			    void *self);
/* Are the ends of calls of functions the events of this part of the fragment? */
bool rn_fragment_of_ends(const struct rn_fragment *fragment, unsigned part);
/* Is the condition, one of the fragment's `where`, tested when a call begins? Its fields have the
 * values of that moment. */
bool rn_tested_at_entry(const struct rn_fragment *fragment, const struct rn_conjunct *conjunct);
#endif
