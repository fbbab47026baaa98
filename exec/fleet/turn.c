/* turn.c - one turn over all links of a fleet. */
#include <poll.h>
#include "exec/fleet/fleet_impl.h"
#include "lang/base/clock.h"
#include "lang/base/memory.h"

enum { TEND_NS = 20 * 1000 * 1000, SWEEP_NS = 1000 * 1000 * 1000, NET_POLLS = 16 };

/* Adds its descriptors. A node that has sent more than it may is not listened to for a while. */
static unsigned add_polls(struct rn_fleet *f, struct rn_member *m, struct pollfd *to,
			  int *timeout_ms)
{
	int64_t wait_ns = m->link.io && m->link.more ? rn_member_wait_ns(f, m) : 0;
	int fd[2];
	short ev[2];
	unsigned n = m->link.io && !wait_ns ? rn_link_polls(m->link.io, fd, ev) : 0;

	if (wait_ns && wait_ns / 1000000 < *timeout_ms)
		*timeout_ms = (int)(wait_ns / 1000000);
	if (m->link.io && m->link.more && !wait_ns)
		*timeout_ms = 0;
	m->link.waits = wait_ns > 0;
	for (unsigned x = 0; x < n; x++)
		to[x] = (struct pollfd){.fd = fd[x], .events = ev[x]};
	return n;
}

/* ---- turning ---- */

static void wait_for_news(struct rn_fleet *fleet, int timeout_ms)
{
	unsigned n;

	if (fleet->cap_fds < 2 * fleet->n + NET_POLLS) {
		fleet->cap_fds = 2 * fleet->n + NET_POLLS;
		fleet->fds = rn_realloc(fleet->fds, fleet->cap_fds * sizeof(*fleet->fds));
	}
	n = rn_fleet_net_polls(fleet, fleet->fds);
	for (unsigned i = 0; i < fleet->n; i++) {
		struct rn_member *m = &fleet->members[i];

		m->link.polls_at = n;
		m->link.polls = add_polls(fleet, m, fleet->fds + n, &timeout_ms);
		n += m->link.polls;
	}
	poll(fleet->fds, n, timeout_ms);
	for (unsigned i = 0; i < fleet->n; i++) {
		struct rn_member *m = &fleet->members[i];

		/* without a descriptor it is read each time */
		m->link.news = (!m->link.polls || m->link.more) && !m->link.waits;
		for (unsigned x = 0; x < m->link.polls; x++)
			m->link.news |= fleet->fds[m->link.polls_at + x].revents != 0;
	}
}

/* One turn over all links. Only those of thousands that have something are read, and all once a
 * second: that also reads what a command says on stderr. */
int rn_fleet_turn(struct rn_fleet *fleet, int timeout_ms)
{
	bool tend, sweep;

	wait_for_news(fleet, timeout_ms);
	rn_fleet_news(fleet);
	tend = rn_mono_ns() - fleet->tended_ns >= TEND_NS;
	sweep = rn_mono_ns() - fleet->swept_ns >= SWEEP_NS;
	if (sweep)
		fleet->swept_ns = rn_mono_ns();
	if (tend)
		fleet->tended_ns = rn_mono_ns();
	for (unsigned i = 0; i < fleet->n && !fleet->refused; i++) {
		if (fleet->members[i].link.io && (fleet->members[i].link.news || sweep))
			rn_member_take(fleet, &fleet->members[i]);
		if (tend || rn_fleet_overdue(fleet))
			rn_member_tend(fleet, &fleet->members[i]);
		if (fleet->members[i].link.io) {
			struct rn_err err = {0};

			if (rn_link_pump(fleet->members[i].link.io, &err) < 0)
				rn_member_lost(fleet, &fleet->members[i], &err);
		}
	}
	rn_fleet_take_back_nodes(fleet);
	return fleet->refused;
}

/* ---- how many there are ---- */

void rn_fleet_greet(struct rn_fleet *fleet)
{
	for (unsigned i = 0; i < fleet->n; i++)
		if (fleet->members[i].query.chosen && fleet->members[i].link.state == RN_M_DOWN &&
		    !fleet->members[i].discovery.is_wildcard)
			rn_member_connect(fleet, &fleet->members[i]);
	/* once all are started: a hello names all their processes */
	for (unsigned i = 0; i < fleet->n; i++)
		if (fleet->members[i].query.chosen && fleet->members[i].link.io &&
		    fleet->members[i].link.state == RN_M_GREETING && !fleet->members[i].link.seq)
			rn_member_hello(fleet, &fleet->members[i]);
	rn_fleet_take_back_nodes(fleet);
}
