/* read_clocks.c - reads the clocks of nodes between queries, for the table `clocks`. */
#include "exec/fleet/fleet_impl.h"
#include "lang/base/clock.h"

enum { READ_TRIPS = 5, READ_NS_S = 5 };

static bool chosen(const struct rn_fleet *f, const struct rn_member *m, const char *const *nodes)
{
	return m->host->kind != RN_HOST_NATS
		       ? rn_host_chosen(m->host->name, m->host->group,
					m->host->local && !f->opts.below, nodes)
		       : m->link.io != NULL &&
				 rn_host_chosen(m->host->name, m->host->group, false, nodes);
}

bool rn_fleet_chosen(const struct rn_fleet *fleet, unsigned clock, const char *const *nodes)
{
	for (unsigned i = 0; i < fleet->n; i++)
		if (fleet->members[i].clock.number == clock)
			return chosen(fleet, &fleet->members[i], nodes);
	return rn_host_chosen(rn_clocks_name(fleet->clocks, clock), NULL, false, nodes);
}

static uint64_t trips(struct rn_fleet *f, const struct rn_member *m)
{
	struct rn_clock_state s;

	rn_clocks_state(f->clocks, m->clock.number, &s);
	return s.trips;
}

/* Sets how many trips are wanted. Greets a node whose link is down. */
static void reach(struct rn_fleet *f, struct rn_member *m)
{
	m->clock.read_trips = trips(f, m) + READ_TRIPS;
	if (m->link.io)
		m->link.heard_ns = rn_mono_ns(); /* we did not listen to it since the last query */
	if (m->link.state == RN_M_DOWN) {
		rn_member_connect(f, m);
		if (m->link.io)
			rn_member_hello(f, m);
	}
}

void rn_fleet_read_clocks(struct rn_fleet *fleet, const char *const *nodes)
{
	int64_t end = rn_mono_ns() + READ_NS_S * 1000000000LL;
	unsigned left = 1;

	if (fleet->frag)
		return;
	for (unsigned i = 0; i < fleet->n; i++)
		if (chosen(fleet, &fleet->members[i], nodes))
			reach(fleet, &fleet->members[i]);
	rn_fleet_wait_begin(fleet);
	while (left && !rn_stopped(fleet->opts.stop)) {
		left = 0;
		for (unsigned i = 0; i < fleet->n; i++) {
			struct rn_member *member = &fleet->members[i];
			bool wanted = chosen(fleet, member, nodes) && member->link.io &&
				      !(member->link.state == RN_M_READY && member->same_kernel);

			if (!wanted || (member->link.state == RN_M_READY &&
					(trips(fleet, member) >= member->clock.read_trips ||
					 rn_mono_ns() > end)))
				continue;
			if (member->link.state == RN_M_READY &&
			    rn_mono_ns() - member->link.pinged_ns > 50 * 1000000LL)
				rn_member_ping(fleet, member);
			left++;
		}
		if (left)
			rn_fleet_turn(fleet, 50);
		rn_fleet_wait_told(fleet);
	}
	rn_fleet_wait_end(fleet);
}
