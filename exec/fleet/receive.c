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
	return rn_err_set(&m->err, -EPROTO, "it sends a window that is %lld s away from now",
			  (long long)((window_ns - rn_fleet_now(f)) / 1000000000));
}

static int stage(struct rn_fleet *f, struct rn_member *m, const struct rn_message *msg)
{
	struct rn_staged *s;

	if (m->staged_bytes + msg->n > STAGED_MAX)
		return rn_err_set(&m->err, -E2BIG, "it sends more than %llu MiB of a window",
				  STAGED_MAX >> 20);
	s = rn_malloc(sizeof(*s) + msg->n);
	m->staged_bytes += msg->n;
	*s = (struct rn_staged){.n = msg->n, .number = ++f->staged_number};
	memcpy(s->bytes, msg->bytes, msg->n);
	*m->staged_last = s;
	m->staged_last = &s->next;
	return 0;
}

void rn_fleet_unhold(struct rn_fleet *f)
{
	if (f->held_number)
		rn_frame_release(&f->held, f->frag->aggs, f->frag->naggs);
	f->held_number = 0;
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
	return f->frag->every_ns && !f->o.pass_late && p->window_ns < f->given_ns;
}

static void count_late(const struct rn_fleet *f, struct rn_member *m, const struct rn_partials *p)
{
	for (uint32_t i = 0; i < p->n; i++)
		m->late += p->p[i].events;
	if (p->window_ns < m->late_from_ns)
		m->late_from_ns = p->window_ns;
	if (p->window_ns + f->frag->every_ns > m->late_to_ns)
		m->late_to_ns = p->window_ns + f->frag->every_ns;
}

int rn_member_merge(struct rn_fleet *f, struct rn_member *m)
{
	int r = 0;

	for (struct rn_staged *s = m->staged; s && !r; s = s->next) {
		struct rn_frame in;

		if (s->number == f->held_number) {
			in = f->held;
			f->held_number = 0;
		} else {
			r = decode(f, s->bytes, s->n, &in, &m->err);
		}
		if (!r && is_late(f, &in.partials))
			count_late(f, m, &in.partials);
		else if (!r)
			hand_on(f, &in, &f->sink);
		rn_frame_release(&in, f->frag->aggs, f->frag->naggs);
	}
	rn_member_unstage(m);
	return r;
}

static int out_of_turn(struct rn_member *m)
{
	return rn_err_set(&m->err, -EPROTO, "it sends what is not due");
}

static int misshapen(struct rn_member *m)
{
	return rn_err_set(&m->err, -EPROTO, "it sends what is not of the form that was asked for");
}

static void ready(struct rn_fleet *f, struct rn_member *m)
{
	m->state = RN_M_READY;
	if (f->frag && m->chosen && !f->stopping &&
	    (m->part == RN_PART_NONE || m->part == RN_PART_FAILED))
		rn_member_ask(f, m);
}

static int take_hello(struct rn_fleet *f, struct rn_member *m, const struct rn_frame *in)
{
	struct rn_frame ping = {.kind = RN_FRAME_PING};

	if (m->trips || (strcmp(in->hello.kind, "agent") && strcmp(in->hello.kind, "relay")))
		return rn_err_set(&m->err, -EPROTO,
				  "what answers is no agent and no relay, but `%.40s`",
				  in->hello.kind);
	m->relay = !strcmp(in->hello.kind, "relay");
	m->nodes_below = in->hello.nodes < NODES_MAX ? in->hello.nodes : NODES_MAX;
	m->same_kernel = rn_place_same_kernel(in->hello.place, f->o.place);
	rn_member_clock_begin(f, m, in->hello.clock_base_ns);
	if (m->same_kernel) {
		m->trips = TRIPS;
		ready(f, m);
		return 0;
	}
	m->trips = 1;
	ping.sent_ns = rn_mono_ns() + f->base_ns;
	rn_member_send(f, m, 0, &ping);
	return 0;
}

static int take_pong(struct rn_fleet *f, struct rn_member *m, const struct rn_frame *in)
{
	int64_t now = rn_mono_ns() + f->base_ns;
	struct rn_frame ping = {.kind = RN_FRAME_PING};

	if (now < in->sent_ns || !m->trips)
		return out_of_turn(m);
	rn_member_trip(f, m, in->sent_ns, in->node_ns, now);
	if (m->state != RN_M_GREETING)
		return 0;
	if (++m->trips > TRIPS) {
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

static void keep_ledger(struct rn_fleet *f, struct rn_member *m, const struct rn_ledger *l)
{
	struct rn_ledger *more, *n;

	if (!(m->nledgers & (m->nledgers - 1))) { /* full: its room is doubled */
		more = RN_NEWN(f->qa, struct rn_ledger, m->nledgers ? 2 * m->nledgers : 1);
		if (m->nledgers)
			memcpy(more, m->ledgers, m->nledgers * sizeof(*more));
		m->ledgers = more;
	}
	n = &m->ledgers[m->nledgers++];
	*n = *l;
	if (n->begin_ns && !is_near(f, n->begin_ns)) /* a wrong one would spoil the answer's */
		n->begin_ns = m->first_ns;
	if (n->end_ns && !is_near(f, n->end_ns))
		n->end_ns = rn_fleet_now(f);
	n->node = own_text(f, m->relay ? l->node : m->host->name);
	n->why = own_text(f, l->why);
	n->place = own_text(f, l->place);
}

static int take_control(struct rn_fleet *f, struct rn_member *m, const struct rn_frame *in)
{
	struct rn_frame start = {
		.kind = RN_FRAME_START, .first_ns = f->first_ns, .until_ns = f->until_ns};

	switch (in->kind) {
	case RN_FRAME_ACCEPTED:
		if (m->part != RN_PART_ASKED)
			return out_of_turn(m);
		m->part = RN_PART_ACCEPTED;
		m->nodes_below = in->nodes < NODES_MAX ? in->nodes : NODES_MAX;
		rn_member_names(m, m->relay ? in->names : NULL);
		m->part_ns = rn_mono_ns();
		if (f->started) {
			m->joined_ns = rn_fleet_now(f);
			rn_member_send(f, m, f->query, &start);
		}
		return 0;
	case RN_FRAME_STARTED:
		if (m->part != RN_PART_ACCEPTED)
			return out_of_turn(m);
		m->part = RN_PART_RUNNING;
		m->part_ns = rn_mono_ns();
		m->begin_ns = is_near(f, in->node_ns) ? in->node_ns : rn_fleet_now(f);
		if (!m->first_ns)
			m->first_ns = m->begin_ns;
		if (m->joined_ns || (f->first_ns && m->begin_ns > f->first_ns))
			m->joined_ns = m->begin_ns;
		return 0;
	case RN_FRAME_TRIP:
		return m->relay && m->part != RN_PART_NONE ? rn_member_trip_below(f, m, &in->trip)
							   : out_of_turn(m);
	case RN_FRAME_ERROR:
		if (m->asked_for_nodes_below &&
		    in->error.code == -ENOENT) /* `on` means no node below it */
			m->chosen = false;
		if (m->part == RN_PART_RUNNING && m->share) { /* the groups merged so far stay */
			m->was_lost = true;
			m->lost_until_ns = m->mark_ns == INT64_MIN ? 0 : m->mark_ns;
		}
		rn_member_failed(m, &in->error);
		m->retry_ns = INT64_MAX;
		m->lost_its_nodes = true;
		return 0;
	default: return out_of_turn(m);
	}
}

static int take_watermark(struct rn_fleet *f, struct rn_member *m, const struct rn_frame *in)
{
	int r = rn_member_merge(f, m);

	if (m->relay && in->whole < m->nodes_below && m->whole_ns == INT64_MAX)
		m->whole_ns = m->mark_ns;
	if (in->watermark_ns > m->mark_ns)
		m->mark_ns = in->watermark_ns;
	m->seen = in->seen;
	memcpy(m->counts, in->ledger.n, sizeof(m->counts));
	if (!m->counts[RN_L_SEEN])
		m->counts[RN_L_SEEN] = in->seen;
	m->answering_below = in->answering;
	m->late_below = in->late;
	m->whole_below = in->whole;
	/* an older relay does not tell it */
	m->in_window = in->in_window || in->ledger.n[RN_L_SEEN] ? in->in_window : in->answering;
	rn_member_missing(m, m->relay ? in->names : NULL);
	return r;
}

static int take_data(struct rn_fleet *f, struct rn_member *m, struct rn_frame *in,
		     const struct rn_message *msg)
{
	int r;

	/* the nodes of a relay do not begin together */
	if (m->part != RN_PART_RUNNING && !(m->part == RN_PART_ACCEPTED && f->started))
		return m->part == RN_PART_FAILED ? 0 : out_of_turn(m);
	switch (in->kind) {
	case RN_FRAME_ROWS:
		m->rows += in->rows.nrows;
		if (!rn_shape_rows(f->frag, &in->rows))
			return misshapen(m);
		rn_member_align_rows(f, m, (struct rn_rows *)(uintptr_t)&in->rows);
		f->sender = (unsigned)(m - f->m);
		hand_on(f, in, &f->sink);
		return 0;
	case RN_FRAME_PARTIALS:
		if (!rn_shape_partials(f->frag, &in->partials))
			return misshapen(m);
		if (!in->peek) {
			r = check_window(f, m, in->partials.window_ns);
			if (!r)
				r = stage(f, m, msg);
			if (!r)
				hold(f, in);
			return r;
		}
		if (f->peek && in->peek == f->peek_number)
			hand_on(f, in, f->peek);
		return 0;
	case RN_FRAME_WATERMARK: return take_watermark(f, m, in);
	case RN_FRAME_PEEKED: m->peeked = in->peek; return 0;
	case RN_FRAME_LEDGER:
		if (m->nledgers >= (m->relay ? LEDGERS_MAX : 1))
			return out_of_turn(m);
		keep_ledger(f, m, &in->ledger);
		return 0;
	case RN_FRAME_END:
		r = rn_member_merge(f, m);
		m->part = RN_PART_ENDED;
		return r;
	default: return out_of_turn(m);
	}
}

static int take(struct rn_fleet *f, struct rn_member *m, const struct rn_message *msg)
{
	struct rn_frame in;
	int r;

	if (msg->query && (!f->frag || msg->query != f->query)) /* of an earlier query */
		return 0;
	r = decode(f, msg->bytes, msg->n, &in, &m->err);
	if (r)
		return r;
	rn_str_printable(in.error.text);
	rn_str_printable(in.error.hint);
	if (in.names) {
		rn_str_printable(in.names);
		in.names[strnlen(in.names, RN_NAMES_BYTES)] = 0;
	}
	if (msg->query)
		r = msg->lane == RN_LANE_DATA ? take_data(f, m, &in, msg) : take_control(f, m, &in);
	else if (in.kind == RN_FRAME_HELLO)
		r = take_hello(f, m, &in);
	else if (in.kind == RN_FRAME_PONG)
		r = take_pong(f, m, &in);
	else if (in.kind == RN_FRAME_ERROR)
		r = rn_err_set(&m->err, in.error.code, "%s", in.error.text);
	else
		r = out_of_turn(m);
	if (f->frag)
		rn_frame_release(&in, f->frag->aggs, f->frag->naggs);
	return r;
}

/* ---- how fast a node may send. The rest waits at the node, which counts what it has no room for
 * ---- */

static int64_t rate_of(const struct rn_fleet *f, const struct rn_member *m)
{
	int64_t rate = f->o.node_bytes_s ? f->o.node_bytes_s : RN_NODE_BYTES_S;
	unsigned nodes = m->relay && m->nodes_below > 1 ? m->nodes_below : 1;

	return rate * (nodes < RELAY_RATES ? nodes : RELAY_RATES);
}

int64_t rn_member_wait_ns(struct rn_fleet *f, struct rn_member *m)
{
	int64_t now = rn_mono_ns(), rate = rate_of(f, m), away = now - m->credit_ns;

	if (!m->credit_ns || away >= 1000000000 ||
	    m->credit + (int64_t)((double)rate * (double)away * 1e-9) > rate)
		m->credit = rate;
	else
		m->credit += (int64_t)((double)rate * (double)away * 1e-9);
	m->credit_ns = now;
	return m->credit > 0 ? 0 : (int64_t)((double)-m->credit / (double)rate * 1e9) + 1000000;
}

int rn_member_take(struct rn_fleet *f, struct rn_member *m)
{
	struct rn_message msg;
	struct rn_err err = {0};
	int64_t begin = rn_mono_ns();
	int r = rn_link_pump(m->link, &err);

	m->more = false;
	if (r >= 0 && rn_member_wait_ns(f, m)) {
		m->heard_ns = begin; /* more has come than is read */
		m->more = true;
		return 0;
	}
	while (r >= 0 && !f->refused && !m->more && (r = rn_link_next(m->link, &msg, &err)) > 0) {
		m->heard_ns = rn_mono_ns();
		m->credit -= (int64_t)msg.n + MESSAGE_BYTES;
		/* others have something too, and the query may have to end */
		m->more = m->heard_ns - begin > TURN_NS || m->credit <= 0;
		r = take(f, m, &msg);
		if (r < 0)
			err = m->err;
	}
	if (r < 0) {
		rn_member_lost(f, m, &err);
		return r;
	}
	r = rn_link_pump(m->link, &err); /* send what the answers queued */
	if (r < 0)
		rn_member_lost(f, m, &err);
	return r;
}
