/* live_set.h - a set after `in live`: processes that a node's kernel adds and removes while the
 * query runs.
 *
 * Members are the processes that begin a program of which the condition holds, their children, and
 * theirs, until they end. An event asks by a field that only this fragment has. The kernel looks a
 * bit up for it. */
#ifndef RN_PLANNER_PLAN_LIVE_SET_H
#define RN_PLANNER_PLAN_LIVE_SET_H
#include "lang/catalog/catalog.h"

struct rn_fragment;
struct rn_live_set {
	/* Is the event's process a member, or with of_parent its parent? A truth value. Its name is
	 * the text of the condition, so it is no name of a field of a class. */
	const struct rn_field *field;
	bool of_parent;
	/* `events of exec where C`, all of C in the kernel. An exec that fails adds nobody. */
	struct rn_fragment *exec;
	/* `pid of processes where C`, asked once, when the query begins; NULL: only what begins
	 * later is a member */
	struct rn_fragment *begin;
};

/* Makes the field of a set in the arena, from `pid` or `ppid` of cls. name is not copied. NULL: cls
 * has no such field in the kernel. */
const struct rn_field *rn_live_field(struct rn_arena *arena, const struct rn_class *cls,
				     const char *name, bool of_parent);
/* The set of the fragment whose field has that name; NULL: there is none. */
const struct rn_live_set *rn_live_set_named(const struct rn_fragment *fragment, const char *name);
/* The set of the fragment that has that field; NULL: it is a field of the class. */
const struct rn_live_set *rn_live_set_of(const struct rn_fragment *fragment,
					 const struct rn_field *field);
#endif
