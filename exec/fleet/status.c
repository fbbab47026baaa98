/* status.c - how nodes stand. Only rn_member_choose changes a member here. */
#include <string.h>
#include "exec/fleet/fleet_impl.h"
#include "lang/base/clock.h"

int64_t rn_fleet_now(const struct rn_fleet *f)
{
	return rn_mono_ns() + f->base_ns + f->o.shift_ns;
}

void rn_member_choose(const struct rn_fleet *f, struct rn_member *m, const char *const *nodes)
{
	m->chosen =
		!m->is_wildcard && !m->share && /* see rn_fleet_divide */
		rn_host_chosen(m->host->name, m->host->group, m->host->local && !f->o.below, nodes);
	m->asked_for_nodes_below = false;
	m->on = NULL;
	if ((m->host->kind == RN_HOST_RELAY || m->relay) && !m->share) {
		bool own = m->chosen;

		m->on = rn_hosts_below(m->host->name, m->host->group, nodes, &m->chosen);
		m->asked_for_nodes_below = m->chosen && !own;
	}
}

unsigned rn_fleet_sender(const struct rn_fleet *f)
{
	return f->sender;
}

unsigned rn_fleet_parts(const struct rn_fleet *f, enum rn_part from, enum rn_part to)
{
	unsigned n = 0;

	for (unsigned i = 0; i < f->n; i++)
		n += f->m[i].chosen && f->m[i].part >= from && f->m[i].part <= to;
	return n;
}

/* ---- running ---- */

bool rn_fleet_once(const struct rn_fleet *f)
{
	return f->frag->cls && f->frag->cls->kind == RN_CLASS_TABLE && !f->frag->every_ns;
}

bool rn_fleet_overdue(const struct rn_fleet *f)
{
	return f->frag && f->stopping && rn_mono_ns() - f->stop_ns > f->deadline_ns;
}

/* True if this member's next window has been due for longer than windows wait. */
bool rn_member_late(const struct rn_fleet *f, const struct rn_member *m, int64_t now)
{
	int64_t every = f->frag->every_ns,
		mark = m->mark_ns != INT64_MIN ? m->mark_ns : rn_window_start(m->begin_ns, every);

	return every && m->part == RN_PART_RUNNING && mark < now &&
	       now - mark > every + f->o.late_ns && rn_mono_ns() >= f->excused_ns;
}

void rn_fleet_status(const struct rn_fleet *f, struct rn_fleet_status *s)
{
	int64_t now = rn_fleet_now(f);

	*s = (struct rn_fleet_status){0};
	for (unsigned i = 0; i < f->n; i++) {
		const struct rn_member *m = &f->m[i];
		bool running = m->part == RN_PART_RUNNING || m->part == RN_PART_ENDED;
		unsigned below = m->relay && m->nodes_below ? m->nodes_below : 1;
		bool late = running && rn_member_late(f, m, now);

		if (!m->chosen)
			continue;
		s->nodes += below;
		s->attached += !running ? 0
			       : m->answering_below + m->late_below &&
					       m->answering_below + m->late_below < below
				       ? m->answering_below + m->late_below
				       : below;
		s->late += late ? below : running ? m->late_below : 0;
		s->answering += !running || late                         ? 0
				: m->relay && m->answering_below < below ? m->answering_below
									 : below;
		s->whole += !running || m->was_lost || m->joined_ns ? 0
			    : m->relay && m->whole_below < below    ? m->whole_below
								    : below;
		s->seen += m->seen;
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

void rn_fleet_window(const struct rn_fleet *f, int64_t mark_ns,
		     void (*each)(void *self, const struct rn_window_node *n), void *self)
{
	for (unsigned i = 0; i < f->n; i++) {
		const struct rn_member *m = &f->m[i];
		unsigned nodes = m->relay && m->nodes_below ? m->nodes_below : 1,
			 whole = m->relay && m->in_window < nodes ? m->in_window : nodes;

		if (!m->chosen)
			continue;
		if (m->mark_ns < mark_ns ||
		    (m->joined_ns && m->joined_ns > mark_ns - f->frag->every_ns))
			whole = 0;
		each(self, &(struct rn_window_node){m->host->name, nodes, whole,
						    not_whole(m, nodes, whole, mark_ns)});
	}
}

void rn_fleet_members(const struct rn_fleet *f,
		      void (*each)(void *self, const struct rn_host_entry *h, bool reached,
				   const char *why),
		      void *self)
{
	for (unsigned i = 0; i < f->n; i++)
		if (!f->m[i].is_wildcard) /* a line `*` counts by the members that it found */
			each(self, f->m[i].host, f->m[i].link && f->m[i].state == RN_M_READY,
			     f->m[i].err.text);
}
