/* receive.c - takes what nodes send. Invariants: messages of an earlier query are dropped unread. A
 * node that sends something undecodable, or out of turn, loses its link and not the query. If the
 * sink refuses, the query ends. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "exec/fleet/fleet_impl.h"
#include "exec/wire/validate.h"
#include "lang/base/memory.h"
#include "lang/base/clock.h"
#include "lang/base/str.h"

#define TURN_NS (20LL * 1000 * 1000) /* how long one node may be read in a turn */
/* no node's clock is so far from now, unless it runs at another rate */
#define FAR_NS (300 * 1000000000LL)
enum {
	TRIPS = 5,
	NODES_MAX = 1 << 20,
	LEDGERS_MAX = 1 << 17,
	RATE_PERCENT = 5,
	RELAY_RATES = 16,
	MESSAGE_BYTES = 256,
	TEXT_MAX = 600
};
#define STAGED_MAX (256ull << 20)
/* Could a node that runs this query mean time_ns? Its clock may be wrong, and run at another
 * rate. */
static bool is_near(const struct rn_fleet *f, int64_t time_ns)
{
	int64_t now = rn_fleet_now(f), most = FAR_NS + f->frag->every_ns;

	return time_ns >= f->began_ns - most &&
	       time_ns - now <= most + (now - f->began_ns) / 100 * RATE_PERCENT;
}

/* Refuses a window of a far time. Such windows would only fill memory: nobody says that they are
 * over. */
static int check_window(const struct rn_fleet *f, struct rn_member *m, int64_t window_ns)
{
	if (!f->frag->every_ns || is_near(f, window_ns))
		return 0;
	return rn_err_set(&m->query.err, -EPROTO, "it sends a window that is %lld s away from now",
			  (long long)((window_ns - rn_fleet_now(f)) / 1000000000));
}

static int stage(struct rn_fleet *f, struct rn_member *m, const struct rn_message *msg)
{
	struct rn_staged *s;

	if (m->query.staged_bytes + msg->n > STAGED_MAX)
		return rn_err_set(&m->query.err, -E2BIG, "it sends more than %llu MiB of a window",
				  STAGED_MAX >> 20);
	s = rn_malloc(sizeof(*s) + msg->n);
	m->query.staged_bytes += msg->n;
	*s = (struct rn_staged){.n = msg->n, .number = ++f->staged_number};
	memcpy(s->bytes, msg->bytes, msg->n);
	*m->query.staged_last = s;
	m->query.staged_last = &s->next;
	return 0;
}

void rn_fleet_unhold(struct rn_fleet *fleet)
{
	if (fleet->held_number)
		rn_frame_release(&fleet->held, fleet->frag->aggs, fleet->frag->naggs);
	fleet->held_number = 0;
}

/* Keeps the frame that was staged last, decoded. */
static void hold(struct rn_fleet *f, struct rn_frame *in)
{
	struct rn_arena *a = f->held_in;

	rn_fleet_unhold(f);
	f->held_in = f->scratch;
	f->scratch = a;
	f->held = *in;
	f->held_number = f->staged_number;
	in->partials.n = 0;
}

static int decode(struct rn_fleet *f, const unsigned char *bytes, size_t n, struct rn_frame *out,
		  struct rn_err *err)
{
	const struct rn_fragment *g = f->frag;

	rn_arena_reset(f->scratch);
	return rn_frame_decode(f->scratch, bytes, n, g ? g->aggs : NULL, g ? g->naggs : 0,
			       g ? g->nkeys : 0, out, err);
}

static void hand_on(struct rn_fleet *f, const struct rn_frame *in, const struct rn_sink *sink)
{
	int r;

	rn_keepalive_leave(f->keep); /* the sink may write to a reader that does not read */
	r = in->kind == RN_FRAME_ROWS ? sink->rows(sink->self, &in->rows)
				      : sink->partials(sink->self, &in->partials);
	rn_keepalive_enter(f->keep);
	if (r < 0 && !f->refused)
		f->refused = r;
}

/* Were the window of p delivered without it? */
static bool is_late(const struct rn_fleet *f, const struct rn_partials *p)
{
	return f->frag->every_ns && !f->opts.pass_late && p->window_ns < f->delivered_until_ns;
}

static void count_late(const struct rn_fleet *f, struct rn_member *m, const struct rn_partials *p)
{
	for (uint32_t i = 0; i < p->n; i++)
		m->query.late += p->parts[i].events;
	if (p->window_ns < m->query.late_from_ns)
		m->query.late_from_ns = p->window_ns;
	if (p->window_ns + f->frag->every_ns > m->query.late_to_ns)
		m->query.late_to_ns = p->window_ns + f->frag->every_ns;
}

int rn_member_merge(struct rn_fleet *fleet, struct rn_member *member)
{
	int r = 0;

	for (struct rn_staged *s = member->query.staged; s && !r; s = s->next) {
		struct rn_frame in;

		if (s->number == fleet->held_number) {
			in = fleet->held;
			fleet->held_number = 0;
		} else {
			r = decode(fleet, s->bytes, s->n, &in, &member->query.err);
		}
		if (!r && is_late(fleet, &in.partials))
			count_late(fleet, member, &in.partials);
		else if (!r)
			hand_on(fleet, &in, &fleet->sink);
		rn_frame_release(&in, fleet->frag->aggs, fleet->frag->naggs);
	}
	rn_member_unstage(member);
	return r;
}

static int out_of_turn(struct rn_member *m)
{
	return rn_err_set(&m->query.err, -EPROTO, "it sends what is not due");
}

static int misshapen(struct rn_member *m)
{
	return rn_err_set(&m->query.err, -EPROTO,
			  "it sends what is not of the form that was asked for");
}

static void ready(struct rn_fleet *f, struct rn_member *m)
{
	m->link.state = RN_M_READY;
	if (f->frag && m->query.chosen && !f->stopping &&
	    (m->query.part == RN_PART_NONE || m->query.part == RN_PART_FAILED))
		rn_member_ask(f, m);
}

static int take_hello(struct rn_fleet *fleet, struct rn_member *member, const struct rn_frame *in)
{
	struct rn_frame ping = {.kind = RN_FRAME_PING};

	if (member->clock.trips ||
	    (strcmp(in->hello.kind, "agent") && strcmp(in->hello.kind, "relay")))
		return rn_err_set(&member->query.err, -EPROTO,
				  "what answers is no agent and no relay, but `%.40s`",
				  in->hello.kind);
	member->relay = !strcmp(in->hello.kind, "relay");
	member->discovery.nodes_below = in->hello.nodes < NODES_MAX ? in->hello.nodes : NODES_MAX;
	member->same_kernel = rn_place_same_kernel(in->hello.place, fleet->opts.place);
	rn_member_clock_begin(fleet, member, in->hello.clock_base_ns);
	if (member->same_kernel) {
		member->clock.trips = TRIPS;
		ready(fleet, member);
		return 0;
	}
	member->clock.trips = 1;
	ping.sent_ns = rn_mono_ns() + fleet->base_ns;
	rn_member_send(fleet, member, 0, &ping);
	return 0;
}

static int take_pong(struct rn_fleet *f, struct rn_member *m, const struct rn_frame *in)
{
	int64_t now = rn_mono_ns() + f->base_ns;
	struct rn_frame ping = {.kind = RN_FRAME_PING};

	if (now < in->sent_ns || !m->clock.trips)
		return out_of_turn(m);
	rn_member_trip(f, m, in->sent_ns, in->node_ns, now);
	if (m->link.state != RN_M_GREETING)
		return 0;
	if (++m->clock.trips > TRIPS) {
		ready(f, m);
		return 0;
	}
	ping.sent_ns = rn_mono_ns() + f->base_ns;
	rn_member_send(f, m, 0, &ping);
	return 0;
}

static const char *own_text(struct rn_fleet *f, const char *s)
{
	char *own = s ? rn_arena_strndup(f->qa, s, strnlen(s, TEXT_MAX)) : NULL;

	if (own)
		rn_str_printable(own);
	return own;
}

static void keep_ledger(struct rn_fleet *fleet, struct rn_member *member,
			const struct rn_ledger *ledger)
{
	struct rn_ledger *more, *n;

	if (!(member->query.nledgers &
	      (member->query.nledgers - 1))) { /* full: its room is doubled */
		more = RN_NEWN(fleet->qa, struct rn_ledger,
			       member->query.nledgers ? 2 * member->query.nledgers : 1);
		if (member->query.nledgers)
			memcpy(more, member->query.ledgers, member->query.nledgers * sizeof(*more));
		member->query.ledgers = more;
	}
	n = &member->query.ledgers[member->query.nledgers++];
	*n = *ledger;
	if (n->begin_ns && !is_near(fleet, n->begin_ns)) /* a wrong one would spoil the answer's */
		n->begin_ns = member->query.first_ns;
	if (n->end_ns && !is_near(fleet, n->end_ns))
		n->end_ns = rn_fleet_now(fleet);
	n->node = own_text(fleet, member->relay ? ledger->node : member->host->name);
	n->why = own_text(fleet, ledger->why);
	n->place = own_text(fleet, ledger->place);
}

static int take_control(struct rn_fleet *fleet, struct rn_member *member, const struct rn_frame *in)
{
	struct rn_frame start = {
		.kind = RN_FRAME_START, .first_ns = fleet->first_ns, .until_ns = fleet->until_ns};

	switch (in->kind) {
	case RN_FRAME_ACCEPTED:
		if (member->query.part != RN_PART_ASKED)
			return out_of_turn(member);
		member->query.part = RN_PART_ACCEPTED;
		member->discovery.nodes_below = in->nodes < NODES_MAX ? in->nodes : NODES_MAX;
		rn_member_names(member, member->relay ? in->names : NULL);
		member->query.part_ns = rn_mono_ns();
		if (fleet->started) {
			member->query.joined_ns = rn_fleet_now(fleet);
			rn_member_send(fleet, member, fleet->query, &start);
		}
		return 0;
	case RN_FRAME_STARTED:
		if (member->query.part != RN_PART_ACCEPTED)
			return out_of_turn(member);
		member->query.part = RN_PART_RUNNING;
		member->query.part_ns = rn_mono_ns();
		member->query.begin_ns =
			is_near(fleet, in->node_ns) ? in->node_ns : rn_fleet_now(fleet);
		if (!member->query.first_ns)
			member->query.first_ns = member->query.begin_ns;
		if (member->query.joined_ns ||
		    (fleet->first_ns && member->query.begin_ns > fleet->first_ns))
			member->query.joined_ns = member->query.begin_ns;
		return 0;
	case RN_FRAME_TRIP:
		return member->relay && member->query.part != RN_PART_NONE
			       ? rn_member_trip_below(fleet, member, &in->trip)
			       : out_of_turn(member);
	case RN_FRAME_ERROR:
		if (member->query.asked_for_nodes_below &&
		    in->error.code == -ENOENT) /* `on` means no node below it */
			member->query.chosen = false;
		if (member->query.part == RN_PART_RUNNING &&
		    member->discovery.share) { /* the groups merged so far stay */
			member->query.was_lost = true;
			member->query.lost_until_ns =
				member->query.mark_ns == INT64_MIN ? 0 : member->query.mark_ns;
		}
		rn_member_failed(member, &in->error);
		member->link.retry_ns = INT64_MAX;
		member->discovery.lost_its_nodes = true;
		return 0;
	default: return out_of_turn(member);
	}
}

static int take_watermark(struct rn_fleet *fleet, struct rn_member *member,
			  const struct rn_frame *in)
{
	int r = rn_member_merge(fleet, member);

	if (member->relay && in->whole < member->discovery.nodes_below &&
	    member->query.whole_ns == INT64_MAX)
		member->query.whole_ns = member->query.mark_ns;
	if (in->watermark_ns > member->query.mark_ns)
		member->query.mark_ns = in->watermark_ns;
	member->query.seen = in->seen;
	memcpy(member->query.counts, in->ledger.n, sizeof(member->query.counts));
	if (!member->query.counts[RN_L_SEEN])
		member->query.counts[RN_L_SEEN] = in->seen;
	member->query.answering_below = in->answering;
	member->query.late_below = in->late;
	member->query.whole_below = in->whole;
	/* an older relay does not tell it */
	member->query.in_window =
		in->in_window || in->ledger.n[RN_L_SEEN] ? in->in_window : in->answering;
	rn_member_missing(member, member->relay ? in->names : NULL);
	return r;
}

static int take_data(struct rn_fleet *fleet, struct rn_member *member, struct rn_frame *in,
		     const struct rn_message *msg)
{
	int r;

	/* the nodes of a relay do not begin together */
	if (member->query.part != RN_PART_RUNNING &&
	    !(member->query.part == RN_PART_ACCEPTED && fleet->started))
		return member->query.part == RN_PART_FAILED ? 0 : out_of_turn(member);
	switch (in->kind) {
	case RN_FRAME_ROWS:
		member->query.rows += in->rows.nrows;
		if (!rn_shape_rows(fleet->frag, &in->rows))
			return misshapen(member);
		rn_member_align_rows(fleet, member, (struct rn_rows *)(uintptr_t)&in->rows);
		fleet->sender = (unsigned)(member - fleet->members);
		hand_on(fleet, in, &fleet->sink);
		return 0;
	case RN_FRAME_PARTIALS:
		if (!rn_shape_partials(fleet->frag, &in->partials))
			return misshapen(member);
		if (!in->peek) {
			r = check_window(fleet, member, in->partials.window_ns);
			if (!r)
				r = stage(fleet, member, msg);
			if (!r)
				hold(fleet, in);
			return r;
		}
		if (fleet->peek && in->peek == fleet->peek_number)
			hand_on(fleet, in, fleet->peek);
		return 0;
	case RN_FRAME_WATERMARK: return take_watermark(fleet, member, in);
	case RN_FRAME_PEEKED: member->query.peeked = in->peek; return 0;
	case RN_FRAME_LEDGER:
		if (member->query.nledgers >= (member->relay ? LEDGERS_MAX : 1))
			return out_of_turn(member);
		keep_ledger(fleet, member, &in->ledger);
		return 0;
	case RN_FRAME_END:
		r = rn_member_merge(fleet, member);
		member->query.part = RN_PART_ENDED;
		return r;
	default: return out_of_turn(member);
	}
}

static int take(struct rn_fleet *fleet, struct rn_member *member, const struct rn_message *msg)
{
	struct rn_frame in;
	int r;

	if (msg->query && (!fleet->frag || msg->query != fleet->query)) /* of an earlier query */
		return 0;
	r = decode(fleet, msg->bytes, msg->n, &in, &member->query.err);
	if (r)
		return r;
	rn_str_printable(in.error.text);
	rn_str_printable(in.error.hint);
	if (in.names) {
		rn_str_printable(in.names);
		in.names[strnlen(in.names, RN_NAMES_BYTES)] = 0;
	}
	if (msg->query)
		r = msg->lane == RN_LANE_DATA ? take_data(fleet, member, &in, msg)
					      : take_control(fleet, member, &in);
	else if (in.kind == RN_FRAME_HELLO)
		r = take_hello(fleet, member, &in);
	else if (in.kind == RN_FRAME_PONG)
		r = take_pong(fleet, member, &in);
	else if (in.kind == RN_FRAME_ERROR)
		r = rn_err_set(&member->query.err, in.error.code, "%s", in.error.text);
	else
		r = out_of_turn(member);
	if (fleet->frag)
		rn_frame_release(&in, fleet->frag->aggs, fleet->frag->naggs);
	return r;
}

/* ---- how fast a node may send. The rest waits at the node, which counts what it has no room for
 * ---- */

static int64_t rate_of(const struct rn_fleet *f, const struct rn_member *m)
{
	int64_t rate = f->opts.node_bytes_s ? f->opts.node_bytes_s : RN_NODE_BYTES_S;
	unsigned nodes = m->relay && m->discovery.nodes_below > 1 ? m->discovery.nodes_below : 1;

	return rate * (nodes < RELAY_RATES ? nodes : RELAY_RATES);
}

int64_t rn_member_wait_ns(struct rn_fleet *fleet, struct rn_member *member)
{
	int64_t now = rn_mono_ns(), rate = rate_of(fleet, member),
		away = now - member->link.credit_ns;

	if (!member->link.credit_ns || away >= 1000000000 ||
	    member->link.credit + (int64_t)((double)rate * (double)away * 1e-9) > rate)
		member->link.credit = rate;
	else
		member->link.credit += (int64_t)((double)rate * (double)away * 1e-9);
	member->link.credit_ns = now;
	return member->link.credit > 0
		       ? 0
		       : (int64_t)((double)-member->link.credit / (double)rate * 1e9) + 1000000;
}

int rn_member_take(struct rn_fleet *fleet, struct rn_member *member)
{
	struct rn_message msg;
	struct rn_err err = {0};
	int64_t begin = rn_mono_ns();
	int r = rn_link_pump(member->link.io, &err);

	member->link.more = false;
	if (r >= 0 && rn_member_wait_ns(fleet, member)) {
		member->link.heard_ns = begin; /* more has come than is read */
		member->link.more = true;
		return 0;
	}
	while (r >= 0 && !fleet->refused && !member->link.more &&
	       (r = rn_link_next(member->link.io, &msg, &err)) > 0) {
		member->link.heard_ns = rn_mono_ns();
		member->link.credit -= (int64_t)msg.n + MESSAGE_BYTES;
		/* others have something too, and the query may have to end */
		member->link.more =
			member->link.heard_ns - begin > TURN_NS || member->link.credit <= 0;
		r = take(fleet, member, &msg);
		if (r < 0)
			err = member->query.err;
	}
	if (r < 0) {
		rn_member_lost(fleet, member, &err);
		return r;
	}
	r = rn_link_pump(member->link.io, &err); /* send what the answers queued */
	if (r < 0)
		rn_member_lost(fleet, member, &err);
	return r;
}
