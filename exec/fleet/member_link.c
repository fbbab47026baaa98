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

const char *rn_place_here(struct rn_arena *arena)
{
	char boot[64] = "unknown", ns[64] = "";
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
	ssize_t n = readlink("/proc/self/ns/pid", ns, sizeof(ns) - 1);

	if (f && fscanf(f, "%60s", boot) != 1)
		strcpy(boot, "unknown");
	if (f)
		(void)fclose(f);
	ns[n > 0 ? n : 0] = 0;
	return rn_arena_printf(arena, "%s %s", boot, ns);
}

bool rn_place_same_kernel(const char *a, const char *b)
{
	size_t n = strcspn(a, " ");

	return n && strncmp(a, "unknown", 7) && n == strcspn(b, " ") && !strncmp(a, b, n);
}

void rn_member_init(struct rn_fleet *fleet, struct rn_member *member,
		    const struct rn_host_entry *host)
{
	member->host = host;
	rn_member_begin(member);
	member->clock.number = rn_clocks_node(fleet->clocks, host->name);
	member->discovery.is_wildcard = !strcmp(host->name, "*");
}

void rn_member_begin(struct rn_member *member)
{
	/* a line `*` fails when it is looked up, before any query begins */
	struct rn_err err = member->discovery.is_wildcard ? member->query.err : (struct rn_err){0};

	rn_member_unstage(member);
	free(member->query.below);
	free(member->query.missing);
	member->query = (struct rn_member_query){
		.mark_ns = INT64_MIN,
		.whole_ns = INT64_MAX,
		.late_from_ns = INT64_MAX,
		.staged_last = &member->query.staged,
		.err = err,
	};
}

void rn_member_unstage(struct rn_member *member)
{
	for (struct rn_staged *s = member->query.staged, *next; s; s = next) {
		next = s->next;
		free(s);
	}
	member->query.staged = NULL;
	member->query.staged_last = &member->query.staged;
	member->query.staged_bytes = 0;
}

static void set_state(struct rn_member *m, enum rn_link_state s)
{
	m->link.state = s;
	m->link.since_ns = rn_mono_ns();
}

void rn_member_connect(struct rn_fleet *fleet, struct rn_member *member)
{
	struct rn_err err = {0};
	struct rn_transport *transport = NULL;

	if (fleet->opts.dial)
		transport = fleet->opts.dial(fleet->opts.dial_self, member->host, &err);
	else if (member->host->kind == RN_HOST_NATS)
		transport = rn_member_dial(fleet, member, &err);
	else
		transport = rn_stream_spawn(member->host->command, NULL, &err);
	member->link.tries++;
	member->link.heard_ns = rn_mono_ns();
	if (!transport) {
		rn_member_lost(fleet, member, &err);
		return;
	}
	member->link.io = rn_link_create(transport, RN_FRAME_MAX);
	member->clock.trips = 0;
	member->link.seq = 0;
	set_state(member, RN_M_GREETING);
}

void rn_member_send(struct rn_fleet *fleet, struct rn_member *member, uint32_t query,
		    struct rn_frame *frame)
{
	size_t n = 0;

	frame->node = "coordinator";
	frame->seq = member->link.seq++;
	if (rn_frame_encode(frame, NULL, 0, 0, &fleet->buf, &n, &fleet->cap) >= 0)
		rn_link_send(member->link.io, RN_LANE_CONTROL, query, fleet->buf + 4, n - 4);
}

void rn_member_hello(struct rn_fleet *fleet, struct rn_member *member)
{
	struct rn_frame frame = {.kind = RN_FRAME_HELLO};
	/* our process, and those that carry our frames */
	int32_t pids[RN_ASKERS_MAX] = {(int32_t)getpid()};
	unsigned n = 1;

	for (unsigned i = 0; i < fleet->n && n < RN_ASKERS_MAX; i++)
		if (fleet->members[i].link.io && rn_link_pid(fleet->members[i].link.io))
			pids[n++] = rn_link_pid(fleet->members[i].link.io);
	frame.hello = (struct rn_hello){.program = fleet->opts.program,
					.kind = "coordinator",
					.name = member->host->name,
					.asker = fleet->opts.asker,
					.place = fleet->opts.place,
					.pids = pids,
					.npids = n,
					.depth = fleet->opts.depth};
	rn_member_send(fleet, member, 0, &frame);
}

void rn_member_ping(struct rn_fleet *fleet, struct rn_member *member)
{
	struct rn_frame frame = {.kind = RN_FRAME_PING};

	member->link.pinged_ns = rn_mono_ns();
	frame.sent_ns = member->link.pinged_ns + fleet->base_ns;
	rn_member_send(fleet, member, 0, &frame);
}

void rn_member_ask(struct rn_fleet *fleet, struct rn_member *member)
{
	struct rn_frame frame = {.kind = RN_FRAME_FRAGMENT,
				 .fragment = (struct rn_fragment *)(uintptr_t)fleet->frag,
				 .clock_shift_ns = rn_member_shift(fleet, member),
				 .on = member->query.on};

	member->query.mark_ns = INT64_MIN;
	member->query.begin_ns = member->query.seen = 0;
	member->query.nledgers = 0;
	member->query.part = RN_PART_ASKED;
	member->query.part_ns = rn_mono_ns();
	rn_member_send(fleet, member, fleet->query, &frame);
}

void rn_member_failed(struct rn_member *member, const struct rn_err *err)
{
	for (unsigned i = 0; i < RN_L_COUNT; i++) {
		member->query.counts_before[i] += member->query.counts[i];
		member->query.counts[i] = 0;
	}
	if (member->query.part == RN_PART_RUNNING) {
		int64_t whole = member->query.mark_ns < member->query.whole_ns
					? member->query.mark_ns
					: member->query.whole_ns;

		if (!member->query.was_lost &&
		    !member->query.joined_ns) /* else something was missing before */
			member->query.lost_until_ns = whole == INT64_MIN ? 0 : whole;
		member->query.was_lost = true;
		member->link.tries = 0;
	}
	rn_member_wrong(member, err);
	member->query.part = RN_PART_FAILED;
	rn_member_unstage(member);
}

/* What ssh and the kernel say if there is no way to a node, in fewer words. */
static const char *const causes[][2] = {
	{"timed out", "timed out"},
	{"onnection refused", "connection refused"},
	{"ould not resolve", "no such host"},
	{"ame or service not known", "no such host"},
	{"o route to host", "no route to it"},
	{"etwork is unreachable", "its network is unreachable"},
};

/* Words an error about a link on which no agent has greeted yet. */
static struct rn_err unreachable(const struct rn_err *err)
{
	size_t skip = strncmp(err->text, RN_LINK_ENDED, strlen(RN_LINK_ENDED))
			      ? 0
			      : strlen(RN_LINK_ENDED);
	struct rn_err own = *err;
	const char *why = err->text + skip;

	for (size_t i = 0; i < sizeof(causes) / sizeof(*causes); i++)
		if (skip && strstr(why, causes[i][0])) {
			why = causes[i][1];
			break;
		}
	rn_err_set(&own, err->code, "not reachable (%s)", why);
	return own;
}

void rn_member_lost(struct rn_fleet *fleet, struct rn_member *member, const struct rn_err *err)
{
	struct rn_err own;
	int64_t wait;

	if (member->link.state == RN_M_GREETING &&
	    (err->code == -EPIPE || err->code == -ETIMEDOUT)) {
		own = unreachable(err);
		err = &own;
	}

	if (member->query.chosen && fleet->frag && member->query.part != RN_PART_ENDED)
		rn_member_failed(member, err);
	else
		rn_member_wrong(member, err);
	wait = RETRY_NS << (member->link.tries < 6 ? member->link.tries : 6);
	if (member->link.io)
		rn_link_give_up(member->link.io);
	member->link.io = NULL;
	set_state(member, RN_M_DOWN);
	member->link.retry_ns = rn_mono_ns() + (wait < RETRY_MAX_NS ? wait : RETRY_MAX_NS);
	member->discovery.lost_its_nodes = true;
}

static bool silent(const struct rn_fleet *f, const struct rn_member *m, int64_t now,
		   struct rn_err *err)
{
	int64_t limit =
		m->link.state == RN_M_GREETING && f->opts.lease_ns < GREET_NS_S * 1000000000LL
			? GREET_NS_S * 1000000000LL
			: f->opts.lease_ns;

	if (now < f->excused_ns ||
	    (now - m->link.heard_ns <= limit &&
	     (m->link.state != RN_M_GREETING || now - m->link.since_ns <= 3 * limit)))
		return false;
	rn_err_set(err, -ETIMEDOUT,
		   m->link.state == RN_M_GREETING ? "no agent has answered for %lld s"
						  : "nothing has come from it for %lld s",
		   (long long)((now - (m->link.state == RN_M_GREETING ? m->link.since_ns
								      : m->link.heard_ns)) /
			       1000000000));
	return true;
}

/* An agent lives, but its query makes no progress: how long it is waited for, whatever else it
 * sends. Programs of many probes take seconds to verify. */
static bool stuck(const struct rn_fleet *fleet, const struct rn_member *member, int64_t now,
		  struct rn_err *err)
{
	/* it ends by itself */
	bool once = fleet->frag && rn_fleet_once(fleet) && member->query.part == RN_PART_RUNNING;
	int64_t since = fleet->stopping ? fleet->stop_ns : member->query.part_ns,
		limit = fleet->stopping ? fleet->deadline_ns
			: once          ? ONCE_TIMES * fleet->deadline_ns
					: STUCK_NS;

	/* it waits as long for those below, and then has to report. At the end the coordinator said
	 * how long it has */
	if (member->relay && !fleet->stopping)
		limit *= 2;
	if (!fleet->frag || !member->query.chosen || member->query.part < RN_PART_ASKED ||
	    member->query.part > RN_PART_RUNNING ||
	    (member->query.part == RN_PART_ACCEPTED && !fleet->started) ||
	    (member->query.part == RN_PART_RUNNING && !fleet->stopping && !once) ||
	    now - since <= limit || (now < fleet->excused_ns && !fleet->stopping))
		return false;
	rn_err_set(err, -ETIMEDOUT, "its agent lives, but has %s the query for %lld s",
		   member->query.part == RN_PART_ASKED      ? "not accepted"
		   : member->query.part == RN_PART_ACCEPTED ? "not begun"
							    : "not ended",
		   (long long)((now - since) / 1000000000));
	return true;
}

void rn_member_tend(struct rn_fleet *fleet, struct rn_member *member)
{
	int64_t now = rn_mono_ns();
	struct rn_err err = {0};

	if (member->link.state == RN_M_DOWN) {
		if (fleet->frag && fleet->started && !fleet->stopping && member->query.chosen &&
		    member->query.part == RN_PART_FAILED && now >= member->link.retry_ns) {
			rn_member_connect(fleet, member);
			if (member->link.io)
				rn_member_hello(fleet, member);
		}
	} else if (silent(fleet, member, now, &err) || stuck(fleet, member, now, &err)) {
		rn_member_lost(fleet, member, &err);
	} else if (now - member->link.pinged_ns >= PING_NS &&
		   (member->link.state == RN_M_READY || member->clock.trips)) {
		rn_member_ping(fleet, member);
	}
}
