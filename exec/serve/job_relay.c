/* job_relay.c - a query at a relay: sends it to the nodes below, merges their partial states, and
 * sends complete windows up.
 *
 * A relay knows only the query's aggregates: merging needs no more. It passes late partial states
 * on as they are: the coordinator decides whether they are too late. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "exec/fleet/fleet.h"
#include "planner/plan/ledger.h"
#include "exec/groups/groups.h"
#include "exec/groups/merge.h"
#include "exec/serve/serve.h"

enum { STEP_MS = 50, ARENA = 1 << 30 /* limit of a decoded query */, TELL_NS = 500 * 1000 * 1000 };

struct run {
	struct rn_job *job;
	struct rn_arena *arena;
	struct rn_fragment *fragment;
	const char *const *on;
	bool any; /* is one of its nodes meant? */
	struct rn_fleet *fleet;
	struct rn_relay *relay;
	struct rn_groups *peeked;
	volatile int stop;
	uint32_t peek;
	int64_t told_mark_ns;
	struct rn_err err;
	bool own_told; /* a ledger has the losses here */
};

static int up_rows(void *self, const struct rn_rows *r)
{
	struct run *x = self;
	struct rn_frame f = {.kind = RN_FRAME_ROWS, .rows = *r};

	return r->nrows ? rn_job_send(x->job, &f, x->fragment) : 0;
}

static int up_partials(void *self, const struct rn_partials *p)
{
	struct run *x = self;
	struct rn_frame f = {.kind = RN_FRAME_PARTIALS, .partials = *p, .peek = x->peek};

	return p->n ? rn_job_send(x->job, &f, x->fragment) : 0;
}

static int peek_partials(void *self, const struct rn_partials *p)
{
	struct run *x = self;

	rn_groups_merge(x->peeked, p);
	return 0;
}

static bool any_chosen(const struct rn_fleet_opts *o, const char *const *on)
{
	for (unsigned i = 0; i < o->hosts->n; i++) {
		const struct rn_host_entry *e = &o->hosts->entries[i];

		if (rn_host_chosen(e->name, e->group, false, on) || e->kind == RN_HOST_RELAY ||
		    !strcmp(e->name, "*"))
			return true;
	}
	return false;
}

/* Makes the list of the nodes that the coordinator has given to this relay. */
static const struct rn_hosts *share(struct rn_arena *a, const char *nats, const char *const *names)
{
	struct rn_hosts *h = RN_NEW(a, struct rn_hosts);

	h->path = "what the coordinator asks for";
	while (names && names[h->n])
		h->n++;
	h->entries = RN_NEWN(a, struct rn_host_entry, h->n + 1);
	for (unsigned i = 0; names && i < h->n; i++)
		h->entries[i] = (struct rn_host_entry){
			.name = names[i], .kind = RN_HOST_NATS, .command = nats};
	return h;
}

static int receive(struct run *x, const struct rn_relay_host *host)
{
	const struct rn_job_from *from = rn_job_of(x->job);
	struct rn_sink up = {.self = x, .rows = up_rows, .partials = up_partials};
	struct rn_fleet_opts opts = host->fleet;
	struct rn_frame in;
	int r = rn_frame_decode(x->arena, from->fragment, from->n, NULL, 0, 0, &in, &x->err);

	if (!r && in.kind != RN_FRAME_FRAGMENT)
		r = rn_err_set(&x->err, -EPROTO,
			       "the peer sent another frame instead of a fragment");
	if (!r)
		r = rn_fragment_bind_aggs(in.fragment, &x->err);
	if (r)
		return r;
	x->fragment = in.fragment;
	if (opts.hosts)
		x->on = in.on;
	else
		opts.hosts = share(x->arena, host->nats, in.on);
	x->any = any_chosen(&opts, x->on);
	opts.asker = from->asker;
	opts.below = true;
	opts.shift_ns = in.clock_shift_ns;
	opts.base_ns = from->clock_ns;
	opts.stop = &x->stop;
	opts.pass_late = true;
	opts.depth = from->depth + 1;
	x->relay = rn_relay_create(x->fragment, &up);
	x->fleet = rn_fleet_create(&opts);
	return 0;
}

/* While it waits for nodes, the node above may give up the query. */
static void waiting(void *self, const struct rn_fleet_status *s)
{
	struct run *x = self;

	(void)s;
	if (rn_job_wait(x->job, 0, 0) & (RN_JOB_ABORT | RN_JOB_STOP))
		x->stop = 1;
}

static void add_counts(void *self, const struct rn_ledger *l)
{
	rn_ledger_add(self, l);
}

static void count_whole(void *self, const struct rn_window_node *n)
{
	*(uint32_t *)self += n->whole;
}

static int tell_watermark(struct run *x, int64_t mark, bool now)
{
	struct rn_frame frame = {.kind = RN_FRAME_WATERMARK, .watermark_ns = mark};
	char names[RN_NAMES_BYTES];
	struct rn_fleet_status status;

	if (mark == INT64_MAX) /* End will tell that all have ended */
		mark = x->told_mark_ns;
	if (mark <= x->told_mark_ns && !now)
		return 0;
	rn_fleet_status(x->fleet, &status);
	rn_fleet_so_far(x->fleet, add_counts, &frame.ledger);
	frame.seen = status.seen;
	rn_relay_ledger(x->relay, &frame.ledger);
	frame.ledger.n[RN_L_SHED] += rn_job_shed(x->job);
	rn_fleet_window(x->fleet, mark, count_whole, &frame.in_window);
	rn_fleet_missing(x->fleet, mark, frame.names = names, sizeof(names));
	frame.answering = status.answering;
	frame.late = status.late;
	frame.whole = status.whole;
	x->told_mark_ns = mark;
	return rn_job_send(x->job, &frame, NULL);
}

static int answer_peek(struct run *x)
{
	struct rn_sink sink = {.self = x, .rows = up_rows, .partials = peek_partials};
	struct rn_frame f = {.kind = RN_FRAME_PEEKED};
	int r;

	f.peek = rn_job_peek(x->job);
	if (!f.peek || !x->fragment->grouped)
		return 0;
	x->peeked = rn_groups_create(x->fragment->aggs, x->fragment->naggs, x->fragment->nkeys,
				     x->fragment->max_groups);
	r = rn_fleet_peek(x->fleet, &sink, &x->err);
	x->peek = f.peek;
	if (r >= 0)
		r = rn_groups_visit(x->peeked, INT64_MAX, true, up_partials, x);
	x->peek = 0;
	rn_groups_destroy(x->peeked);
	return r < 0 ? r : rn_job_send(x->job, &f, NULL);
}

static void tell_trip(void *self, const struct rn_round_trip *t)
{
	struct run *x = self;
	struct rn_frame f = {.kind = RN_FRAME_TRIP, .trip = *t};

	rn_job_send(x->job, &f, NULL);
}

static int run_query(struct run *x)
{
	unsigned asked, turns = 0;
	int r = 0, s = 0;

	while (!r && s >= 0 &&
	       !((asked = rn_job_wait(x->job, 0, 0)) & (RN_JOB_STOP | RN_JOB_ABORT))) {
		int64_t mark;

		r = rn_fleet_step(x->fleet, STEP_MS, &x->err);
		mark = rn_fleet_watermark(x->fleet);
		if (r >= 0 && x->fragment->every_ns && mark > x->told_mark_ns)
			s = rn_relay_flush(x->relay, mark);
		if (r >= 0 && s >= 0)
			s = tell_watermark(x, mark, ++turns % 10 == 0);
		if (r >= 0 && s >= 0 && turns % 10 == 0)
			rn_fleet_tell_trips(x->fleet, tell_trip, x);
		if (r >= 0 && s >= 0 && asked & RN_JOB_PEEK)
			s = answer_peek(x);
	}
	return r < 0 ? r : s;
}

static void each_ledger(void *self, const struct rn_ledger *l)
{
	struct run *x = self;
	struct rn_frame f = {.kind = RN_FRAME_LEDGER, .ledger = *l};

	/* groups that did not fit here belong to no node: they go with the first ledger, once all
	 * have been sent */
	if (!x->own_told) {
		rn_relay_flush(x->relay, INT64_MAX);
		rn_relay_ledger(x->relay, &f.ledger);
		f.ledger.n[RN_L_SHED] += rn_job_shed(x->job);
	}
	x->own_told = true;
	rn_job_send(x->job, &f, NULL);
}

static void finish(struct run *x)
{
	struct rn_frame end = {.kind = RN_FRAME_END};

	rn_fleet_within(x->fleet, rn_job_wait_ns(x->job));
	rn_fleet_set_stop(x->fleet, rn_job_aborted(x->job));
	rn_fleet_finish(x->fleet, each_ledger, x, &x->err);
	rn_fleet_tell_trips(x->fleet, tell_trip, x);
	rn_relay_flush(x->relay, INT64_MAX);
	rn_job_send(x->job, &end, NULL);
}

static int open_fleet(struct run *x, const struct rn_sink *in)
{
	int r;

	rn_fleet_on_wait(x->fleet, waiting, x);
	r = rn_fleet_open(x->fleet, x->fragment, x->on, in, &x->err);
	rn_fleet_on_wait(x->fleet, NULL, NULL);
	return r;
}

void rn_job_relay(struct rn_job *job, void *self)
{
	struct run x = {.job = job, .arena = rn_arena_create(ARENA), .told_mark_ns = INT64_MIN};
	struct rn_frame accepted = {.kind = RN_FRAME_ACCEPTED},
			started = {.kind = RN_FRAME_STARTED};
	struct rn_fleet_status status;
	char names[RN_NAMES_BYTES];
	const struct rn_relay_host *host = self;
	int r = receive(&x, host);

	if (!r) {
		struct rn_sink in = rn_relay_sink(x.relay);

		if (!x.any)
			r = rn_err_set(&x.err, -ENOENT, "none of the nodes below it is meant");
		else
			r = open_fleet(&x, &in);
	}
	if (!r) {
		rn_fleet_status(x.fleet, &status);
		accepted.nodes = status.nodes;
		rn_fleet_names(x.fleet, accepted.names = names, sizeof(names));
		r = rn_job_send(job, &accepted, NULL);
	}
	while (!r && !(rn_job_wait(job, RN_JOB_PEEK, STEP_MS) &
		       (RN_JOB_START | RN_JOB_STOP | RN_JOB_ABORT)))
		r = rn_fleet_step(x.fleet, 0, &x.err) < 0 ? -EIO : 0;
	if (!r && rn_job_wait(job, RN_JOB_PEEK, 0) & RN_JOB_START) {
		int64_t first, until;

		rn_job_held(job, &first, &until);
		rn_fleet_hold(x.fleet, first, until);
		r = rn_fleet_start(x.fleet, &x.err);
		started.node_ns = rn_fleet_begin(x.fleet);
		if (!r)
			r = rn_job_send(job, &started, NULL);
		if (!r) {
			run_query(&x);
			if (!(rn_job_wait(job, 0, 0) & RN_JOB_ABORT))
				finish(&x);
		}
	}
	if (r && r != -ECANCELED) {
		if (!x.err.code)
			rn_err_set(&x.err, r, "%s", strerror(-r));
		rn_job_refuse(job, &x.err);
	}
	rn_fleet_destroy(x.fleet);
	rn_relay_destroy(x.relay);
	rn_arena_destroy(x.arena);
}
