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
	int64_t wait_ns = m->link && m->more ? rn_member_wait_ns(f, m) : 0;
	int fd[2];
	short ev[2];
	unsigned n = m->link && !wait_ns ? rn_link_polls(m->link, fd, ev) : 0;

	if (wait_ns && wait_ns / 1000000 < *timeout_ms)
		*timeout_ms = (int)(wait_ns / 1000000);
	if (m->link && m->more && !wait_ns)
		*timeout_ms = 0;
	m->waits = wait_ns > 0;
	for (unsigned x = 0; x < n; x++)
		to[x] = (struct pollfd){.fd = fd[x], .events = ev[x]};
	return n;
}

/* ---- turning ---- */

static void wait_for_news(struct rn_fleet *f, int timeout_ms)
{
	unsigned n;

	if (f->cap_fds < 2 * f->n + NET_POLLS) {
		f->cap_fds = 2 * f->n + NET_POLLS;
		f->fds = rn_realloc(f->fds, f->cap_fds * sizeof(*f->fds));
	}
	n = rn_fleet_net_polls(f, f->fds);
	for (unsigned i = 0; i < f->n; i++) {
		struct rn_member *m = &f->m[i];

		m->polls_at = n;
		m->polls = add_polls(f, m, f->fds + n, &timeout_ms);
		n += m->polls;
	}
	poll(f->fds, n, timeout_ms);
	for (unsigned i = 0; i < f->n; i++) {
		struct rn_member *m = &f->m[i];

		/* without a descriptor it is read each time */
		m->news = (!m->polls || m->more) && !m->waits;
		for (unsigned x = 0; x < m->polls; x++)
			m->news |= f->fds[m->polls_at + x].revents != 0;
	}
}

/* One turn over all links. Only those of thousands that have something are read, and all once a
 * second: that also reads what a command says on stderr. */
int rn_fleet_turn(struct rn_fleet *f, int timeout_ms)
{
	bool tend, sweep;

	wait_for_news(f, timeout_ms);
	rn_fleet_news(f);
	tend = rn_mono_ns() - f->tended_ns >= TEND_NS;
	sweep = rn_mono_ns() - f->swept_ns >= SWEEP_NS;
	if (sweep)
		f->swept_ns = rn_mono_ns();
	if (tend)
		f->tended_ns = rn_mono_ns();
	for (unsigned i = 0; i < f->n && !f->refused; i++) {
		if (f->m[i].link && (f->m[i].news || sweep))
			rn_member_take(f, &f->m[i]);
		if (tend || rn_fleet_overdue(f))
			rn_member_tend(f, &f->m[i]);
		if (f->m[i].link) {
			struct rn_err err = {0};

			if (rn_link_pump(f->m[i].link, &err) < 0)
				rn_member_lost(f, &f->m[i], &err);
		}
	}
	rn_fleet_take_back_nodes(f);
	return f->refused;
}

/* ---- how many there are ---- */

void rn_fleet_greet(struct rn_fleet *f)
{
	for (unsigned i = 0; i < f->n; i++)
		if (f->m[i].chosen && f->m[i].state == RN_M_DOWN && !f->m[i].is_wildcard)
			rn_member_connect(f, &f->m[i]);
	/* once all are started: a hello names all their processes */
	for (unsigned i = 0; i < f->n; i++)
		if (f->m[i].chosen && f->m[i].link && f->m[i].state == RN_M_GREETING &&
		    !f->m[i].seq)
			rn_member_hello(f, &f->m[i]);
	rn_fleet_take_back_nodes(f);
}
