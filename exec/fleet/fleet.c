/* fleet.c - a fleet: its members, a turn over all links, how the nodes stand, and how many there
 * are. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "exec/fleet/fleet_impl.h"
#include "lang/base/memory.h"
#include "lang/base/clock.h"

enum {
	FLEET_ARENA = 256 << 20,
	SCRATCH_ARENA = 256 << 20,
	TEND_NS = 20 * 1000 * 1000,
	SWEEP_NS = 1000 * 1000 * 1000,
	NET_POLLS = 16
};

struct rn_fleet *rn_fleet_create(const struct rn_fleet_opts *o)
{
	struct rn_fleet *f = rn_calloc(1, sizeof(*f));

	f->o = *o;
	f->a = rn_arena_create(FLEET_ARENA);
	f->scratch = rn_arena_create(SCRATCH_ARENA);
	f->held_in = rn_arena_create(SCRATCH_ARENA);
	f->base_ns = o->base_ns ? o->base_ns : rn_event_clock_base();
	f->clocks = rn_clocks_create();
	f->n = o->hosts->n;
	f->deadline_ns = o->hosts->deadline_ns ? o->hosts->deadline_ns : RN_DEADLINE_NS;
	f->m = RN_NEWN(f->a, struct rn_member, f->n + 1);
	for (unsigned i = 0; i < f->n; i++)
		rn_member_init(f, &f->m[i], &o->hosts->e[i]);
	f->keep = rn_keepalive_create(f);
	return f;
}

void rn_member_init(struct rn_fleet *f, struct rn_member *m, const struct rn_host_entry *host)
{
	m->host = host;
	m->staged_last = &m->staged;
	m->clock = rn_clocks_node(f->clocks, host->name);
	m->star = !strcmp(host->name, "*");
}

void rn_fleet_destroy(struct rn_fleet *f)
{
	if (!f)
		return;
	rn_fleet_close(f);
	rn_keepalive_destroy(f->keep);
	for (unsigned i = 0; i < f->n; i++)
		if (f->m[i].link)
			rn_link_hangup(f->m[i].link);
	for (unsigned i = 0; i < f->n; i++) {
		rn_link_destroy(f->m[i].link);
		free(f->m[i].below);
		free(f->m[i].missing);
	}
	rn_fleet_clock_end(f);
	rn_clocks_destroy(f->clocks);
	rn_fleet_nets_close(f);
	rn_arena_destroy(f->scratch);
	rn_arena_destroy(f->held_in);
	rn_arena_destroy(f->a);
	free(f->buf);
	free(f->fds);
	free(f);
}

void rn_member_choose(const struct rn_fleet *f, struct rn_member *m, const char *const *nodes)
{
	m->chosen =
		!m->star && !m->share && /* see rn_fleet_divide */
		rn_host_chosen(m->host->name, m->host->group, m->host->local && !f->o.below, nodes);
	m->maybe = false;
	m->on = NULL;
	if ((m->host->kind == RN_HOST_RELAY || m->relay) && !m->share) {
		bool own = m->chosen;

		m->on = rn_hosts_below(m->host->name, m->host->group, nodes, &m->chosen);
		m->maybe = m->chosen && !own;
	}
}

/* ---- turning ---- */

/* Its descriptors; a node that has sent more than it may is not listened to for a while. */
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

		/* what cannot be polled is read each time */
		m->news = (!m->polls || m->more) && !m->waits;
		for (unsigned x = 0; x < m->polls; x++)
			m->news |= f->fds[m->polls_at + x].revents != 0;
	}
}

/* One turn over all links: of thousands, only those that have something are read, and all once a
 * second: what a command says on its stderr is read along. */
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
	return f->refused;
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

/* When this member's next window has been due for longer than windows wait. */
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

/* Its name in the answer's part: why it is not whole. */
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
		if (!f->m[i].star) /* a line `*` is those that it has found */
			each(self, f->m[i].host, f->m[i].link && f->m[i].state == RN_M_READY,
			     f->m[i].err.text);
}

void rn_fleet_set_stop(struct rn_fleet *f, const volatile int *stop)
{
	f->o.stop = stop;
}

/* ---- how many there are ---- */

void rn_fleet_greet(struct rn_fleet *f)
{
	for (unsigned i = 0; i < f->n; i++)
		if (f->m[i].chosen && f->m[i].state == RN_M_DOWN && !f->m[i].star)
			rn_member_connect(f, &f->m[i]);
	/* once all are started: a hello names the processes of all of them */
	for (unsigned i = 0; i < f->n; i++)
		if (f->m[i].chosen && f->m[i].link && f->m[i].state == RN_M_GREETING &&
		    !f->m[i].seq)
			rn_member_hello(f, &f->m[i]);
}

static bool greeting(const struct rn_fleet *f)
{
	for (unsigned i = 0; i < f->n; i++)
		if (f->m[i].chosen && f->m[i].state == RN_M_GREETING)
			return true;
	return false;
}

unsigned rn_fleet_count(struct rn_fleet *f, const char *const *nodes)
{
	unsigned n = 0;

	rn_fleet_gather(f);
	for (unsigned i = 0; i < f->n; i++) /* only a relay can say how many it is */
		if (f->m[i].host->kind == RN_HOST_RELAY)
			rn_member_choose(f, &f->m[i], nodes);
	rn_fleet_greet(f);
	while (greeting(f) && !rn_stopped(f->o.stop))
		rn_fleet_turn(f, 100);
	for (unsigned i = 0; i < f->n; i++) {
		rn_member_choose(f, &f->m[i], nodes);
		if (f->m[i].chosen && !f->m[i].maybe)
			n += f->m[i].relay && f->m[i].nodes_below ? f->m[i].nodes_below : 1;
		f->m[i].chosen = false;
	}
	return n;
}
