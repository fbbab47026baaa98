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
	member->query.chosen = !member->discovery.is_wildcard &&
			       !member->discovery.share && /* see rn_fleet_divide */
			       rn_host_chosen(member->host->name, member->host->group,
					      member->host->local && !fleet->opts.below, nodes);
	member->query.asked_for_nodes_below = false;
	member->query.on = NULL;
	if ((member->host->kind == RN_HOST_RELAY || member->relay) && !member->discovery.share) {
		bool own = member->query.chosen;

		member->query.on = rn_hosts_below(member->host->name, member->host->group, nodes,
						  &member->query.chosen);
		member->query.asked_for_nodes_below = member->query.chosen && !own;
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
		n += fleet->members[i].query.chosen && fleet->members[i].query.part >= from &&
		     fleet->members[i].query.part <= to;
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
		mark = member->query.mark_ns != INT64_MIN
			       ? member->query.mark_ns
			       : rn_window_start(member->query.begin_ns, every);

	return every && member->query.part == RN_PART_RUNNING && mark < now &&
	       now - mark > every + fleet->opts.late_ns && rn_mono_ns() >= fleet->excused_ns;
}

void rn_fleet_status(const struct rn_fleet *fleet, struct rn_fleet_status *status)
{
	int64_t now = rn_fleet_now(fleet);

	*status = (struct rn_fleet_status){0};
	for (unsigned i = 0; i < fleet->n; i++) {
		const struct rn_member *member = &fleet->members[i];
		bool running = member->query.part == RN_PART_RUNNING ||
			       member->query.part == RN_PART_ENDED;
		unsigned below = member->relay && member->discovery.nodes_below
					 ? member->discovery.nodes_below
					 : 1;
		bool late = running && rn_member_late(fleet, member, now);

		if (!member->query.chosen)
			continue;
		status->nodes += below;
		status->attached +=
			!running ? 0
			: member->query.answering_below + member->query.late_below &&
					member->query.answering_below + member->query.late_below <
						below
				? member->query.answering_below + member->query.late_below
				: below;
		status->late += late ? below : running ? member->query.late_below : 0;
		status->answering += !running || late ? 0
				     : member->relay && member->query.answering_below < below
					     ? member->query.answering_below
					     : below;
		status->whole += !running || member->query.was_lost || member->query.joined_ns ? 0
				 : member->relay && member->query.whole_below < below
					 ? member->query.whole_below
					 : below;
		status->seen += member->query.seen;
	}
}

/* Returns why the member's part is not whole; NULL: it is. */
static const char *not_whole(const struct rn_member *m, unsigned nodes, unsigned whole,
			     int64_t mark_ns)
{
	bool there = m->query.part == RN_PART_RUNNING || m->query.part == RN_PART_ENDED;

	if (whole == nodes)
		return NULL;
	if (!there && m->query.err.text[0])
		return m->query.err.text;
	if (!there)
		return "it was never reached";
	if (m->query.mark_ns < mark_ns)
		return "it is behind";
	if (m->query.missing)
		return m->query.missing;
	return whole      ? "not all nodes below it answer"
	       : m->relay ? "no node below it answers"
			  : "it began in the middle of the window";
}

void rn_fleet_window(const struct rn_fleet *fleet, int64_t mark_ns,
		     void (*each)(void *self, const struct rn_window_node *n), void *self)
{
	for (unsigned i = 0; i < fleet->n; i++) {
		const struct rn_member *m = &fleet->members[i];
		unsigned nodes = m->relay && m->discovery.nodes_below ? m->discovery.nodes_below
								      : 1,
			 whole = m->relay && m->query.in_window < nodes ? m->query.in_window
									: nodes;

		if (!m->query.chosen)
			continue;
		if (m->query.mark_ns < mark_ns ||
		    (m->query.joined_ns && m->query.joined_ns > mark_ns - fleet->frag->every_ns))
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
		if (!fleet->members[i].discovery.is_wildcard) /* a line `*` counts by the members
								 that it found */
			each(self, fleet->members[i].host,
			     fleet->members[i].link.io &&
				     fleet->members[i].link.state == RN_M_READY,
			     fleet->members[i].query.err.text);
}
