/* status.c - how nodes stand. Only rn_member_choose changes a member here. */
#include <string.h>
#include "exec/fleet/fleet_impl.h"
#include "lang/base/clock.h"

int64_t rn_fleet_now(const struct rn_fleet *fleet)
{
	return rn_mono_ns() + fleet->base_ns + fleet->opts.shift_ns;
}

void rn_member_choose(const struct rn_fleet *fleet, struct rn_member *member,
		      const char *const *nodes)
{
	member->chosen = !member->is_wildcard && !member->share && /* see rn_fleet_divide */
			 rn_host_chosen(member->host->name, member->host->group,
					member->host->local && !fleet->opts.below, nodes);
	member->asked_for_nodes_below = false;
	member->on = NULL;
	if ((member->host->kind == RN_HOST_RELAY || member->relay) && !member->share) {
		bool own = member->chosen;

		member->on = rn_hosts_below(member->host->name, member->host->group, nodes,
					    &member->chosen);
		member->asked_for_nodes_below = member->chosen && !own;
	}
}

unsigned rn_fleet_sender(const struct rn_fleet *fleet)
{
	return fleet->sender;
}

unsigned rn_fleet_parts(const struct rn_fleet *fleet, enum rn_part from, enum rn_part to)
{
	unsigned n = 0;

	for (unsigned i = 0; i < fleet->n; i++)
		n += fleet->members[i].chosen && fleet->members[i].part >= from &&
		     fleet->members[i].part <= to;
	return n;
}

/* ---- running ---- */

bool rn_fleet_once(const struct rn_fleet *fleet)
{
	return fleet->frag->cls && fleet->frag->cls->kind == RN_CLASS_TABLE &&
	       !fleet->frag->every_ns;
}

bool rn_fleet_overdue(const struct rn_fleet *fleet)
{
	return fleet->frag && fleet->stopping && rn_mono_ns() - fleet->stop_ns > fleet->deadline_ns;
}

/* True if this member's next window has been due for longer than windows wait. */
bool rn_member_late(const struct rn_fleet *fleet, const struct rn_member *member, int64_t now)
{
	int64_t every = fleet->frag->every_ns,
		mark = member->mark_ns != INT64_MIN ? member->mark_ns
						    : rn_window_start(member->begin_ns, every);

	return every && member->part == RN_PART_RUNNING && mark < now &&
	       now - mark > every + fleet->opts.late_ns && rn_mono_ns() >= fleet->excused_ns;
}

void rn_fleet_status(const struct rn_fleet *fleet, struct rn_fleet_status *status)
{
	int64_t now = rn_fleet_now(fleet);

	*status = (struct rn_fleet_status){0};
	for (unsigned i = 0; i < fleet->n; i++) {
		const struct rn_member *member = &fleet->members[i];
		bool running = member->part == RN_PART_RUNNING || member->part == RN_PART_ENDED;
		unsigned below = member->relay && member->nodes_below ? member->nodes_below : 1;
		bool late = running && rn_member_late(fleet, member, now);

		if (!member->chosen)
			continue;
		status->nodes += below;
		status->attached +=
			!running ? 0
			: member->answering_below + member->late_below &&
					member->answering_below + member->late_below < below
				? member->answering_below + member->late_below
				: below;
		status->late += late ? below : running ? member->late_below : 0;
		status->answering += !running || late ? 0
				     : member->relay && member->answering_below < below
					     ? member->answering_below
					     : below;
		status->whole += !running || member->was_lost || member->joined_ns ? 0
				 : member->relay && member->whole_below < below
					 ? member->whole_below
					 : below;
		status->seen += member->seen;
	}
}

/* Returns why the member's part is not whole; NULL: it is. */
static const char *not_whole(const struct rn_member *m, unsigned nodes, unsigned whole,
			     int64_t mark_ns)
{
	bool there = m->part == RN_PART_RUNNING || m->part == RN_PART_ENDED;

	if (whole == nodes)
		return NULL;
	if (!there && m->err.text[0])
		return m->err.text;
	if (!there)
		return "it was never reached";
	if (m->mark_ns < mark_ns)
		return "it is behind";
	if (m->missing)
		return m->missing;
	return whole      ? "not all nodes below it answer"
	       : m->relay ? "no node below it answers"
			  : "it began in the middle of the window";
}

void rn_fleet_window(const struct rn_fleet *fleet, int64_t mark_ns,
		     void (*each)(void *self, const struct rn_window_node *n), void *self)
{
	for (unsigned i = 0; i < fleet->n; i++) {
		const struct rn_member *m = &fleet->members[i];
		unsigned nodes = m->relay && m->nodes_below ? m->nodes_below : 1,
			 whole = m->relay && m->in_window < nodes ? m->in_window : nodes;

		if (!m->chosen)
			continue;
		if (m->mark_ns < mark_ns ||
		    (m->joined_ns && m->joined_ns > mark_ns - fleet->frag->every_ns))
			whole = 0;
		each(self, &(struct rn_window_node){m->host->name, nodes, whole,
						    not_whole(m, nodes, whole, mark_ns)});
	}
}

void rn_fleet_members(const struct rn_fleet *fleet,
		      void (*each)(void *self, const struct rn_host_entry *h, bool reached,
				   const char *why),
		      void *self)
{
	for (unsigned i = 0; i < fleet->n; i++)
		if (!fleet->members[i]
			     .is_wildcard) /* a line `*` counts by the members that it found */
			each(self, fleet->members[i].host,
			     fleet->members[i].link && fleet->members[i].state == RN_M_READY,
			     fleet->members[i].err.text);
}
