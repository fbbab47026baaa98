/* job_agent.c - a query on one node: the fragment is bound, checked against the policy and opened; then it runs until it is told to stop.
 *
 * ERROR goes on the control lane and is the last thing of a query that was refused; of one that failed while it ran, the ledger says
 * why. A watermark is told when it moves, and at least twice a second, with the events seen. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "exec/agent.h"
#include "exec/limits.h"
#include "exec/serve.h"

enum { STEP_MS = 50, TELL_NS = 500 * 1000 * 1000, ARENA = 64 << 20 };

struct run {
	struct rn_job *j;
	const struct rn_host *host;
	struct rn_arena *a;
	struct rn_fragment *f;
	struct rn_scope scope;
	struct rn_agent *agent;
	struct rn_err err;
	int64_t told_mark_ns, told_at_ns;
	uint32_t peek;             /* while groups so far are given */
	struct rn_limits *limits;  /* of the policy; NULL: none that are watched */
	int64_t watched_ns;
};

static int64_t mono_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int send_rows(void *self, const struct rn_rows *r)
{
	struct run *x = self;
	struct rn_frame f = {.kind = RN_FRAME_ROWS, .rows = *r};

	return r->nrows ? rn_job_send(x->j, &f, x->f) : 0;
}

static int send_partials(void *self, const struct rn_partials *p)
{
	struct run *x = self;
	struct rn_frame f = {.kind = RN_FRAME_PARTIALS, .partials = *p, .peek = x->peek};

	return p->n ? rn_job_send(x->j, &f, x->f) : 0;
}

static int receive(struct run *x, const struct rn_catalog *c)
{
	const struct rn_job_from *from = rn_job_of(x->j);
	struct rn_frame in;
	int r = rn_frame_decode(x->a, from->fragment, from->n, NULL, 0, 0, &in, &x->err);

	if (!r && in.kind != RN_FRAME_FRAGMENT)
		r = rn_err_set(&x->err, -EPROTO, "something else came where a fragment was due");
	if (!r)
		r = rn_fragment_bind(x->a, in.fragment, c, &x->err);
	if (r)
		return r;
	x->f = in.fragment;
	x->f->clock_ns = from->clock_ns + in.clock_shift_ns;
	return 0;
}

/* The limits as the policy has them now: they hold for this query until it ends. */
static int take_limits(struct run *x)
{
	struct rn_policy p;
	int r = rn_policy_load(&p, &x->err);

	if (!r && !(x->limits = rn_limits_create(&p)))
		r = rn_err_set(&x->err, -ENOMEM, "no memory for a query");
	return r;
}

/* Is the query within what the policy allows it? Looked at a few times a second. */
static int watch(struct run *x)
{
	int64_t now = mono_ns();
	struct rn_cost c;

	if (!rn_limits_any(x->limits) || now - x->watched_ns < RN_LIMITS_EVERY_MS * 1000000LL)
		return 0;
	x->watched_ns = now;
	rn_agent_cost(x->agent, &c);
	return rn_limits_step(x->limits, now, rn_agent_seen(x->agent), c.cpu_ns, c.memory_bytes, &x->err);
}

static int open_query(struct run *x, const struct rn_catalog *c, const struct rn_provider *p)
{
	const struct rn_job_from *from = rn_job_of(x->j);
	struct rn_sink sink = {.self = x, .rows = send_rows, .partials = send_partials};
	int r = receive(x, c);

	x->scope = *x->host->scope;
	x->scope.askers = from->pids;
	x->scope.naskers = from->npids < RN_ASKERS_MAX ? from->npids : RN_ASKERS_MAX;
	if (!r)
		r = rn_agent_open(from->name, p, x->f, &x->scope, from->asker, &sink, &x->agent, &x->err);
	if (!r)
		r = take_limits(x);
	return r;
}

static int tell_watermark(struct run *x, bool now)
{
	struct rn_frame f = {.kind = RN_FRAME_WATERMARK, .watermark_ns = rn_agent_watermark(x->agent), .answering = 1, .whole = 1, .in_window = 1};
	int64_t at = mono_ns();

	if (f.watermark_ns == x->told_mark_ns && !now && at - x->told_at_ns < TELL_NS)
		return 0;
	rn_agent_ledger(x->agent, &f.ledger);
	f.ledger.n[RN_L_SHED] += rn_job_shed(x->j);
	f.seen = f.ledger.n[RN_L_SEEN];
	x->told_mark_ns = f.watermark_ns;
	x->told_at_ns = at;
	return rn_job_send(x->j, &f, NULL);
}

static int answer_peek(struct run *x)
{
	struct rn_sink sink = {.self = x, .rows = send_rows, .partials = send_partials};
	struct rn_frame f = {.kind = RN_FRAME_PEEKED};
	int r;

	x->peek = f.peek = rn_job_peek(x->j);
	if (!x->peek)
		return 0;
	r = rn_agent_peek(x->agent, &sink, &x->err);
	x->peek = 0;
	return r < 0 ? r : rn_job_send(x->j, &f, NULL);
}

static int run_query(struct run *x)
{
	unsigned asked;
	int r = 0;

	while (!r && !((asked = rn_job_wait(x->j, 0, 0)) & (RN_JOB_STOP | RN_JOB_ABORT))) {
		r = rn_agent_step(x->agent, STEP_MS, &x->err);
		if (r >= 0 && asked & RN_JOB_PEEK)
			r = answer_peek(x) < 0 ? x->err.code ? x->err.code : -EIO : r;
		if (r >= 0 && tell_watermark(x, false) < 0)
			r = -ECANCELED;
		if (!r)
			r = watch(x);
	}
	return r < 0 ? r : 0;
}

/* Stops, gives what is left and the ledger. failed: why the query did not run to its end; 0: it did. */
static void end_query(struct run *x, int failed)
{
	struct rn_frame l = {.kind = RN_FRAME_LEDGER}, end = {.kind = RN_FRAME_END};
	struct rn_err own = {0};
	int r = rn_agent_finish(x->agent, &l.ledger, &own);

	if (failed || r < 0) {
		l.ledger.answered = false;
		l.ledger.why = failed ? x->err.text : own.text;
		l.ledger.until_ns = x->told_mark_ns == INT64_MIN ? 0 : x->told_mark_ns;
	}
	l.ledger.n[RN_L_SHED] += rn_job_shed(x->j);
	l.ledger.node = rn_job_of(x->j)->name;
	l.ledger.place = x->host->place;
	rn_job_send(x->j, &l, NULL);
	rn_job_send(x->j, &end, NULL);
}

void rn_job_agent(struct rn_job *j, void *self)
{
	struct run x = {.j = j, .host = self, .a = rn_arena_create(ARENA), .told_mark_ns = INT64_MIN};
	struct rn_frame accepted = {.kind = RN_FRAME_ACCEPTED, .nodes = 1}, started = {.kind = RN_FRAME_STARTED};
	struct rn_catalog *c = NULL;
	struct rn_provider *p = NULL;
	int r = x.host->open(x.host->self, rn_job_of(j)->name, rn_job_of(j), &c, &p, &x.err);

	if (!r)
		r = open_query(&x, c, p);
	if (!r)
		r = rn_job_send(j, &accepted, NULL);
	if (!r && rn_job_wait(j, RN_JOB_PEEK, -1) & RN_JOB_START) {
		int64_t first, until;

		r = rn_agent_start(x.agent, &x.err);
		rn_job_held(j, &first, &until);
		if (!r)
			rn_agent_hold(x.agent, first, until);
		started.node_ns = r ? 0 : rn_agent_cover(x.agent)->span[0].begin;
		if (!r)
			r = rn_job_send(j, &started, NULL);
		if (!r)
			end_query(&x, run_query(&x));
	}
	if (r && r != -ECANCELED) {
		if (!x.err.code)
			rn_err_set(&x.err, r, "%s", strerror(-r));
		rn_job_refuse(j, &x.err);
	}
	rn_agent_close(x.agent);
	rn_limits_destroy(x.limits);
	if (x.host->close)
		x.host->close(x.host->self, c, p);
	rn_arena_destroy(x.a);
}
