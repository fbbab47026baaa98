/* member_link.c - the link to a node: starts it, greets, reads the clock, and starts again after a
 * loss.
 *
 * A few round trips read a node's clock before it is asked, and one a second from then on
 * (exec/fleet/member_clock.c). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "exec/fleet/fleet_impl.h"
#include "lang/base/clock.h"

enum { TRIPS = 5, GREET_NS_S = 20, ONCE_TIMES = 6 };
#define PING_NS 1000000000LL
#define STUCK_NS (60 * 1000000000LL)
#define RETRY_NS 1000000000LL
#define RETRY_MAX_NS (30 * 1000000000LL)

const char *rn_place_here(struct rn_arena *a)
{
	char boot[64] = "unknown", ns[64] = "";
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
	ssize_t n = readlink("/proc/self/ns/pid", ns, sizeof(ns) - 1);

	if (f && fscanf(f, "%60s", boot) != 1)
		strcpy(boot, "unknown");
	if (f)
		(void)fclose(f);
	ns[n > 0 ? n : 0] = 0;
	return rn_arena_printf(a, "%s %s", boot, ns);
}

bool rn_place_same_kernel(const char *a, const char *b)
{
	size_t n = strcspn(a, " ");

	return n && strncmp(a, "unknown", 7) && n == strcspn(b, " ") && !strncmp(a, b, n);
}

void rn_member_init(struct rn_fleet *f, struct rn_member *m, const struct rn_host_entry *host)
{
	m->host = host;
	m->staged_last = &m->staged;
	m->clock = rn_clocks_node(f->clocks, host->name);
	m->is_wildcard = !strcmp(host->name, "*");
}

/* bytes of one window of one node */

void rn_member_unstage(struct rn_member *m)
{
	for (struct rn_staged *s = m->staged, *next; s; s = next) {
		next = s->next;
		free(s);
	}
	m->staged = NULL;
	m->staged_last = &m->staged;
	m->staged_bytes = 0;
}

static void set_state(struct rn_member *m, enum rn_link_state s)
{
	m->state = s;
	m->since_ns = rn_mono_ns();
}

void rn_member_connect(struct rn_fleet *f, struct rn_member *m)
{
	struct rn_err err = {0};
	struct rn_transport *t = NULL;

	if (f->o.dial)
		t = f->o.dial(f->o.dial_self, m->host, &err);
	else if (m->host->kind == RN_HOST_NATS)
		t = rn_member_dial(f, m, &err);
	else
		t = rn_stream_spawn(m->host->command, NULL, &err);
	m->tries++;
	m->heard_ns = rn_mono_ns();
	if (!t) {
		rn_member_lost(f, m, &err);
		return;
	}
	m->link = rn_link_create(t, RN_FRAME_MAX);
	m->trips = 0;
	m->seq = 0;
	set_state(m, RN_M_GREETING);
}

void rn_member_send(struct rn_fleet *f, struct rn_member *m, uint32_t query, struct rn_frame *frame)
{
	size_t n = 0;

	frame->node = "coordinator";
	frame->seq = m->seq++;
	if (rn_frame_encode(frame, NULL, 0, 0, &f->buf, &n, &f->cap) >= 0)
		rn_link_send(m->link, RN_LANE_CONTROL, query, f->buf + 4, n - 4);
}

void rn_member_hello(struct rn_fleet *f, struct rn_member *m)
{
	struct rn_frame frame = {.kind = RN_FRAME_HELLO};
	/* our process, and those that carry our frames */
	int32_t pids[RN_ASKERS_MAX] = {(int32_t)getpid()};
	unsigned n = 1;

	for (unsigned i = 0; i < f->n && n < RN_ASKERS_MAX; i++)
		if (f->m[i].link && rn_link_pid(f->m[i].link))
			pids[n++] = rn_link_pid(f->m[i].link);
	frame.hello = (struct rn_hello){.program = f->o.program,
					.kind = "coordinator",
					.name = m->host->name,
					.asker = f->o.asker,
					.place = f->o.place,
					.pids = pids,
					.npids = n,
					.depth = f->o.depth};
	rn_member_send(f, m, 0, &frame);
}

void rn_member_ping(struct rn_fleet *f, struct rn_member *m)
{
	struct rn_frame frame = {.kind = RN_FRAME_PING};

	m->pinged_ns = rn_mono_ns();
	frame.sent_ns = m->pinged_ns + f->base_ns;
	rn_member_send(f, m, 0, &frame);
}

void rn_member_ask(struct rn_fleet *f, struct rn_member *m)
{
	struct rn_frame frame = {.kind = RN_FRAME_FRAGMENT,
				 .fragment = (struct rn_fragment *)(uintptr_t)f->frag,
				 .clock_shift_ns = rn_member_shift(f, m),
				 .on = m->on};

	m->mark_ns = INT64_MIN;
	m->begin_ns = m->seen = 0;
	m->nledgers = 0;
	m->part = RN_PART_ASKED;
	m->part_ns = rn_mono_ns();
	rn_member_send(f, m, f->query, &frame);
}

void rn_member_failed(struct rn_member *m, const struct rn_err *err)
{
	for (unsigned i = 0; i < RN_L_COUNT; i++) {
		m->counts_before[i] += m->counts[i];
		m->counts[i] = 0;
	}
	if (m->part == RN_PART_RUNNING) {
		int64_t whole = m->mark_ns < m->whole_ns ? m->mark_ns : m->whole_ns;

		if (!m->was_lost && !m->joined_ns) /* else something was missing before */
			m->lost_until_ns = whole == INT64_MIN ? 0 : whole;
		m->was_lost = true;
		m->tries = 0;
	}
	rn_member_wrong(m, err);
	m->part = RN_PART_FAILED;
	rn_member_unstage(m);
}

void rn_member_lost(struct rn_fleet *f, struct rn_member *m, const struct rn_err *err)
{
	int64_t wait;

	if (m->chosen && f->frag && m->part != RN_PART_ENDED)
		rn_member_failed(m, err);
	else
		rn_member_wrong(m, err);
	wait = RETRY_NS << (m->tries < 6 ? m->tries : 6);
	if (m->link)
		rn_link_give_up(m->link);
	m->link = NULL;
	set_state(m, RN_M_DOWN);
	m->retry_ns = rn_mono_ns() + (wait < RETRY_MAX_NS ? wait : RETRY_MAX_NS);
	m->lost_its_nodes = true;
}

static bool silent(const struct rn_fleet *f, const struct rn_member *m, int64_t now,
		   struct rn_err *err)
{
	int64_t limit = m->state == RN_M_GREETING && f->o.lease_ns < GREET_NS_S * 1000000000LL
				? GREET_NS_S * 1000000000LL
				: f->o.lease_ns;

	if (now < f->excused_ns || (now - m->heard_ns <= limit &&
				    (m->state != RN_M_GREETING || now - m->since_ns <= 3 * limit)))
		return false;
	rn_err_set(err, -ETIMEDOUT,
		   m->state == RN_M_GREETING ? "no agent has answered for %lld s"
					     : "nothing has come from it for %lld s",
		   (long long)((now - (m->state == RN_M_GREETING ? m->since_ns : m->heard_ns)) /
			       1000000000));
	return true;
}

/* An agent lives, but its query makes no progress: how long it is waited for, whatever else it
 * sends. Programs of many probes take seconds to verify. */
static bool stuck(const struct rn_fleet *f, const struct rn_member *m, int64_t now,
		  struct rn_err *err)
{
	/* it ends by itself */
	bool once = f->frag && rn_fleet_once(f) && m->part == RN_PART_RUNNING;
	int64_t since = f->stopping ? f->stop_ns : m->part_ns,
		limit = f->stopping ? f->deadline_ns
			: once      ? ONCE_TIMES * f->deadline_ns
				    : STUCK_NS;

	/* it waits as long for those below, and then has to report. At the end the coordinator said
	 * how long it has */
	if (m->relay && !f->stopping)
		limit *= 2;
	if (!f->frag || !m->chosen || m->part < RN_PART_ASKED || m->part > RN_PART_RUNNING ||
	    (m->part == RN_PART_ACCEPTED && !f->started) ||
	    (m->part == RN_PART_RUNNING && !f->stopping && !once) || now - since <= limit ||
	    (now < f->excused_ns && !f->stopping))
		return false;
	rn_err_set(err, -ETIMEDOUT, "its agent lives, but has %s the query for %lld s",
		   m->part == RN_PART_ASKED      ? "not accepted"
		   : m->part == RN_PART_ACCEPTED ? "not begun"
						 : "not ended",
		   (long long)((now - since) / 1000000000));
	return true;
}

void rn_member_tend(struct rn_fleet *f, struct rn_member *m)
{
	int64_t now = rn_mono_ns();
	struct rn_err err = {0};

	if (m->state == RN_M_DOWN) {
		if (f->frag && f->started && !f->stopping && m->chosen &&
		    m->part == RN_PART_FAILED && now >= m->retry_ns) {
			rn_member_connect(f, m);
			if (m->link)
				rn_member_hello(f, m);
		}
	} else if (silent(f, m, now, &err) || stuck(f, m, now, &err)) {
		rn_member_lost(f, m, &err);
	} else if (now - m->pinged_ns >= PING_NS && (m->state == RN_M_READY || m->trips)) {
		rn_member_ping(f, m);
	}
}
