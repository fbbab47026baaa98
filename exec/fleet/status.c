/* status.c - how nodes stand. Only rn_member_choose changes a member here. */
#include <string.h>
#include "exec/fleet/fleet_impl.h"
#include "lang/base/clock.h"

enum { TELL_NS = 500 * 1000 * 1000 }; /* between two calls of the fleet's `waiting` */

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

/* Is the member one that the call waits for? Between queries, only greetings are. */
static bool is_awaited(const struct rn_fleet *fleet, const struct rn_member *member)
{
	if (!fleet->frag)
		return member->link.state == RN_M_GREETING;
	return member->query.chosen && (member->query.part <= RN_PART_ASKED ||
					(fleet->started && member->query.part == RN_PART_ACCEPTED));
}

static void tell_wait(const struct rn_fleet *fleet, struct rn_fleet_status *status)
{
	status->waits = true;
	status->waited_ns = rn_mono_ns() - fleet->waits_ns;
	for (unsigned i = 0; i < fleet->n; i++) {
		const struct rn_member *member = &fleet->members[i];

		if (is_awaited(fleet, member)) {
			if (!status->nawaited)
				status->reached_by = member->host->shown;
			if (status->nawaited < RN_FLEET_AWAITED)
				status->awaited[status->nawaited] = member->host->name;
			status->nawaited++;
			continue;
		}
		status->failed +=
			fleet->frag ? member->query.chosen && member->query.part == RN_PART_FAILED
				    : member->link.state == RN_M_DOWN && member->link.tries;
		status->ready +=
			fleet->frag ? member->query.chosen && member->query.part != RN_PART_FAILED
				    : member->link.state == RN_M_READY;
	}
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
	if (fleet->waits_ns)
		tell_wait(fleet, status);
}

/* ---- waiting for nodes ---- */

void rn_fleet_wait_begin(struct rn_fleet *fleet)
{
	fleet->waits_ns = rn_mono_ns();
	fleet->tell_ns = fleet->waits_ns + TELL_NS;
}

void rn_fleet_wait_told(struct rn_fleet *fleet)
{
	struct rn_fleet_status status;

	if (!fleet->waiting || rn_mono_ns() < fleet->tell_ns)
		return;
	fleet->tell_ns = rn_mono_ns() + TELL_NS;
	rn_fleet_status(fleet, &status);
	fleet->waiting(fleet->waiting_self, &status);
}

void rn_fleet_wait_end(struct rn_fleet *fleet)
{
	fleet->waits_ns = 0;
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
