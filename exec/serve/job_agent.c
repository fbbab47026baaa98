/* job_agent.c - a query on one node: binds the fragment, checks it against the policy and opens it.
 * Then it runs until the coordinator stops it.
 *
 * ERROR goes on the control lane and is the last frame of a query that was refused. If a query
 * fails while it runs, its ledger says why. A watermark is sent when it moves, and at least twice a
 * second, with the events seen.
 *
 * From its first moment on, another thread watches what the job takes (exec/node/guard.h). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "exec/node/agent.h"
#include "exec/serve/serve.h"
#include "exec/node/guard.h"
#include "lang/base/clock.h"

enum { STEP_MS = 50, TELL_NS = 500 * 1000 * 1000, TELL_COST_NS = 100 * 1000 * 1000 };
enum { FRAGMENT_MIB = 1024 }; /* limit of a decoded query, unless the policy allows less */

struct run {
	struct rn_job *job;
	const struct rn_host *host;
	struct rn_arena *arena;
	struct rn_fragment *fragment;
	struct rn_scope scope;
	struct rn_agent *agent;
	struct rn_err err;
	int64_t told_mark_ns, told_at_ns;
	uint32_t peek; /* while a peek is answered */
	/* as it was when the query came: its limits hold until the end */
	struct rn_policy policy;
	struct rn_guard *guard; /* NULL: no limit is watched */
	int64_t told_cost_ns;
	bool ended; /* its end has been sent */
};

static int send_rows(void *self, const struct rn_rows *r)
{
	struct run *x = self;
	struct rn_frame f = {.kind = RN_FRAME_ROWS, .rows = *r};

	return r->nrows ? rn_job_send(x->job, &f, x->fragment) : 0;
}

static int send_partials(void *self, const struct rn_partials *p)
{
	struct run *x = self;
	struct rn_frame f = {.kind = RN_FRAME_PARTIALS, .partials = *p, .peek = x->peek};

	return p->n ? rn_job_send(x->job, &f, x->fragment) : 0;
}

/* How many MiB the fragment may take: never more than the whole query may. */
static int64_t fragment_mib(const struct rn_policy *p)
{
	const int64_t max = p->limit[RN_MAX_MEMORY].max;

	return p->limit[RN_MAX_MEMORY].line && max < FRAGMENT_MIB ? max : FRAGMENT_MIB;
}

static int too_great(struct run *x)
{
	const struct rn_policy *p = &x->policy;
	const int64_t mib = fragment_mib(p);

	if (mib == FRAGMENT_MIB)
		return rn_err_set(&x->err, -EDQUOT,
				  "the query takes more than %d MiB when it is decoded",
				  FRAGMENT_MIB);
	rn_err_set(&x->err, -EDQUOT,
		   "the policy of this node does not let a query take so much: decoded, it is more "
		   "than %lld MiB: %s:%u [E-POLICY]",
		   (long long)mib, p->path, p->limit[RN_MAX_MEMORY].line);
	rn_err_hint(&x->err, "fewer values after `in` take less; the owner of the node can raise "
			     "`max_memory` there");
	return -EDQUOT;
}

static int receive(struct run *x, const struct rn_catalog *c)
{
	const struct rn_job_from *from = rn_job_of(x->job);
	struct rn_frame in;
	int r = rn_frame_decode(x->arena, from->fragment, from->n, NULL, 0, 0, &in, &x->err);

	if (r == -EDQUOT)
		return too_great(x);
	if (!r && in.kind != RN_FRAME_FRAGMENT)
		r = rn_err_set(&x->err, -EPROTO,
			       "the peer sent another frame instead of a fragment");
	if (!r)
		r = rn_fragment_bind(x->arena, in.fragment, c, &x->err);
	if (r)
		return r;
	x->fragment = in.fragment;
	x->fragment->clock_ns = from->clock_ns + in.clock_shift_ns;
	return 0;
}

static void over(void *self)
{
	rn_job_command(self, RN_JOB_OVER, 0);
}

/* Must the query end for what it takes? */
static int check_limits(struct run *x)
{
	return rn_guard_over(x->guard, &x->err) ? -EDQUOT : 0;
}

/* Tells the guard what only this thread can ask the source for. */
static void tell_cost(struct run *x)
{
	int64_t now = rn_mono_ns();
	struct rn_cost c;

	if (!x->guard || now - x->told_cost_ns < TELL_COST_NS)
		return;
	x->told_cost_ns = now;
	rn_agent_cost(x->agent, &c);
	rn_guard_tell(x->guard, rn_agent_seen(x->agent), &c);
}

static int open_query(struct run *x, const struct rn_catalog *c, const struct rn_provider *p)
{
	const struct rn_job_from *from = rn_job_of(x->job);
	struct rn_sink sink = {.self = x, .rows = send_rows, .partials = send_partials};
	int r = receive(x, c);

	x->scope = *x->host->scope;
	x->scope.askers = from->pids;
	x->scope.naskers = from->npids < RN_ASKERS_MAX ? from->npids : RN_ASKERS_MAX;
	if (!r)
		r = rn_agent_open(from->name, p, x->fragment, &x->scope, from->asker, &sink,
				  &x->agent, &x->err);
	return r;
}

static int tell_watermark(struct run *x, bool now)
{
	struct rn_frame f = {.kind = RN_FRAME_WATERMARK,
			     .watermark_ns = rn_agent_watermark(x->agent),
			     .answering = 1,
			     .whole = 1,
			     .in_window = 1};
	int64_t at = rn_mono_ns();

	if (f.watermark_ns == x->told_mark_ns && !now && at - x->told_at_ns < TELL_NS)
		return 0;
	rn_agent_ledger(x->agent, &f.ledger);
	f.ledger.n[RN_L_SHED] += rn_job_shed(x->job);
	f.seen = f.ledger.n[RN_L_SEEN];
	x->told_mark_ns = f.watermark_ns;
	x->told_at_ns = at;
	return rn_job_send(x->job, &f, NULL);
}

static int answer_peek(struct run *x)
{
	struct rn_sink sink = {.self = x, .rows = send_rows, .partials = send_partials};
	struct rn_frame f = {.kind = RN_FRAME_PEEKED};
	int r;

	x->peek = f.peek = rn_job_peek(x->job);
	if (!x->peek)
		return 0;
	r = rn_agent_peek(x->agent, &sink, &x->err);
	x->peek = 0;
	return r < 0 ? r : rn_job_send(x->job, &f, NULL);
}

static int run_query(struct run *x)
{
	unsigned asked;
	int r = 0;

	while (!r && !((asked = rn_job_wait(x->job, 0, 0)) &
		       (RN_JOB_STOP | RN_JOB_ABORT | RN_JOB_OVER))) {
		r = rn_agent_step(x->agent, STEP_MS, &x->err);
		if (r >= 0 && asked & RN_JOB_PEEK)
			r = answer_peek(x) < 0 ? x->err.code ? x->err.code : -EIO : r;
		if (r >= 0 && tell_watermark(x, false) < 0)
			r = -ECANCELED;
		if (!r)
			tell_cost(x);
	}
	return r < 0 ? r : 0;
}

/* Stops, sends what is left and the ledger. failed: why the query did not run to its end; 0: it
 * did. */
static void end_query(struct run *x, int failed)
{
	struct rn_frame frame = {.kind = RN_FRAME_LEDGER}, end = {.kind = RN_FRAME_END};
	struct rn_err own = {0};
	int r = rn_agent_finish(x->agent, &frame.ledger, &own);

	if (check_limits(x)) /* then it stopped in the middle of something, whose error says less */
		failed = -EDQUOT;

	if (failed || r < 0) {
		frame.ledger.answered = false;
		frame.ledger.why = failed ? x->err.text : own.text;
		frame.ledger.until_ns = x->told_mark_ns == INT64_MIN ? 0 : x->told_mark_ns;
	}
	frame.ledger.n[RN_L_SHED] += rn_job_shed(x->job);
	frame.ledger.node = rn_job_of(x->job)->name;
	frame.ledger.place = x->host->place;
	rn_job_send(x->job, &frame, NULL);
	rn_job_send(x->job, &end, NULL);
	x->ended = true;
}

/* Does all that may take time and memory before the query runs. */
static int prepare(struct run *x, struct rn_catalog **c, struct rn_provider **p)
{
	const struct rn_host *host = x->host;
	int r = rn_policy_load(&x->policy, &x->err);

	x->arena = rn_arena_create((size_t)fragment_mib(&x->policy) << 20);
	if (!r)
		r = rn_guard_create(&x->policy, rn_job_account(x->job), over, x->job, &x->guard,
				    &x->err);
	if (!r)
		r = host->open(host->self, rn_job_of(x->job)->name, rn_job_of(x->job), c, p,
			       &x->err);
	return r ? r : open_query(x, *c, *p);
}

/* Runs from the coordinator's START to the end. */
static int run(struct run *x)
{
	struct rn_frame started = {.kind = RN_FRAME_STARTED};
	int64_t first, until;
	int r = rn_agent_start(x->agent, &x->err);

	if (r)
		return r;
	rn_guard_begin(x->guard);
	rn_job_held(x->job, &first, &until);
	rn_agent_hold(x->agent, first, until);
	started.node_ns = rn_agent_cover(x->agent)->span[0].begin;
	r = rn_job_send(x->job, &started, NULL);
	if (!r)
		end_query(x, run_query(x));
	return r;
}

void rn_job_agent(struct rn_job *job, void *self)
{
	struct run x = {.job = job, .host = self, .told_mark_ns = INT64_MIN};
	struct rn_frame accepted = {.kind = RN_FRAME_ACCEPTED, .nodes = 1};
	struct rn_catalog *catalog = NULL;
	struct rn_provider *p = NULL;
	int r = prepare(&x, &catalog, &p);

	if (!r)
		r = check_limits(&x);
	if (!r)
		r = rn_job_send(job, &accepted, NULL);
	if (!r && rn_job_wait(job, RN_JOB_PEEK, -1) & RN_JOB_START && !(r = check_limits(&x)))
		r = run(&x);
	if (!r)
		r = check_limits(&x) && !x.ended ? -EDQUOT : 0; /* while it waited */
	if (r && r != -ECANCELED) {
		/* then a limit is the reason for the error */
		if (!check_limits(&x) && !x.err.code)
			rn_err_set(&x.err, r, "%s", strerror(-r));
		rn_job_refuse(job, &x.err);
	}
	rn_agent_close(x.agent);
	rn_guard_destroy(x.guard);
	if (x.host->close)
		x.host->close(x.host->self, catalog, p);
	rn_arena_destroy(x.arena);
}
