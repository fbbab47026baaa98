/* api_run.c - librunnel: a query that runs. Its thread runs the statements of the text and puts
 * rows into a queue that has a bound; runnel_step takes them out. See runnel.h and api.h.
 *
 * A consumer that does not take its rows holds the thread up. The thread wakes after TURN_MS at the
 * latest and checks for a request to end, because a signal handler that asks cannot wake it. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "lang/base/memory.h"
#include "repl/api/api.h"
#include "repl/engine/assert.h"
#include "repl/render/ledger.h"
#include "repl/engine/lets.h"
#include "repl/engine/pid_watch.h"
#include "repl/engine/record.h"
#include "repl/engine/tag_store.h"
#include "lang/base/clock.h"

enum { TURN_MS = 50, ARENA_CAP = 64 << 20, SPARE_BYTES = 8 << 20 };

/* ---- the queue ---- */

/* Wait, with the lock held, until something changes or the turn is over. */
static void wait_turn(struct runnel_query *q)
{
	struct timespec t = rn_mono_after_ms(TURN_MS);

	pthread_cond_timedwait(&q->changed, &q->lock, &t);
}

static size_t bytes_of(const struct rn_value *v, unsigned n)
{
	size_t bytes = sizeof(struct api_row) + n * sizeof(*v);

	for (unsigned i = 0; i < n; i++)
		bytes += v[i].kind == RN_STR ? v[i].len + 1 : 0;
	return bytes;
}

/* Copy a row. Texts end in a NUL that is not counted. */
static struct api_row *copy_row(const struct rn_value *v, unsigned n)
{
	size_t bytes = bytes_of(v, n);
	struct api_row *row = rn_malloc(bytes);
	char *at;

	*row = (struct api_row){.bytes = bytes};
	at = (char *)&row->v[n];
	for (unsigned i = 0; i < n; i++) {
		row->v[i] = v[i];
		if (v[i].kind != RN_STR)
			continue;
		if (v[i].len)
			memcpy(at, v[i].s, v[i].len);
		at[v[i].len] = 0;
		row->v[i].s = at;
		at += v[i].len + 1;
	}
	return row;
}

static void drop_rows(struct runnel_query *q)
{
	for (struct api_row *row = q->first, *next; row; row = next) {
		next = row->next;
		free(row);
	}
	q->first = NULL;
	q->last = &q->first;
	q->waiting = 0;
}

/* ---- what the coordinator gives: in the query's thread ---- */

static int on_begin(void *self, const struct rn_result *result)
{
	(void)self;
	(void)result; /* the columns are those of the plan */
	return 0;
}

static int on_row(void *self, const struct rn_value *v)
{
	struct runnel_query *q = self;
	bool other = q->other, partial = q->partial;
	struct api_row *row;

	q->other = q->partial = false;
	if (rn_api_cancelled(q))
		return -EINTR;
	if (q->skip)
		return 0;
	row = copy_row(v, q->ncols);
	row->other = other;
	row->partial = partial;
	row->covered = q->covered;
	row->snapshot = q->fresh ? q->snapshots : 0;
	pthread_mutex_lock(&q->lock);
	while (q->waiting && q->waiting + row->bytes > q->r->queue_bytes && !rn_api_cancelled(q))
		wait_turn(q);
	*q->last = row;
	q->last = &row->next;
	q->waiting += row->bytes;
	pthread_cond_broadcast(&q->changed);
	pthread_mutex_unlock(&q->lock);
	return 0;
}

static void on_other(void *self, int column)
{
	struct runnel_query *q = self;

	(void)column;
	q->other = true;
}

static void on_partial(void *self, const struct rn_extent *covered)
{
	struct runnel_query *q = self;

	q->partial = true;
	q->covered = *covered;
}

static int on_snapshot(void *self, bool begin)
{
	struct runnel_query *q = self;

	q->fresh = begin;
	if (!begin) {
		q->skip = false;
		return 0;
	}
	pthread_mutex_lock(&q->lock);
	q->skip = q->first != NULL;
	pthread_mutex_unlock(&q->lock);
	q->snapshots += !q->skip;
	return 0;
}

static int on_end(void *self)
{
	(void)self;
	return 0;
}

static int on_started(void *self)
{
	struct runnel_query *q = self;

	pthread_mutex_lock(&q->lock);
	q->started = true;
	q->progress.started = 1;
	pthread_cond_broadcast(&q->changed);
	pthread_mutex_unlock(&q->lock);
	return 0;
}

static void on_progress(void *self, const struct rn_fleet_status *s)
{
	struct runnel_query *q = self;

	pthread_mutex_lock(&q->lock);
	q->progress = (struct runnel_progress){.seen = s->seen,
					       .nodes = s->nodes,
					       .attached = s->attached,
					       .answering = s->answering,
					       .late = s->late,
					       .started = q->started};
	pthread_mutex_unlock(&q->lock);
}

/* ---- the statements: in the query's thread ---- */

static int on_poll(void *self)
{
	struct runnel_query *q = self;

	return rn_api_cancelled(q) || rn_pid_watch_ended(q->watch);
}

static int recorded(void *self, struct rn_arena *a, struct rn_plan *p, const struct rn_output *out,
		    struct rn_ledgers *l, struct rn_err *err)
{
	const struct rn_run_opts *o = self;

	return rn_coord_run(a, p, o, out, l, err);
}

/* Rows go to own, or (if it is NULL) to the caller; and into keep, if it is not NULL. */
static int run_plan(struct runnel_query *q, struct rn_plan *p, const struct rn_output *own,
		    struct rn_let_result *keep)
{
	struct runnel *r = q->r;
	struct rn_engine *e = q->e;
	bool live = rn_plan_is_live(p);
	struct rn_scope scope = {.pids = r->pids, .npids = r->npids, .follow = r->npids > 0};
	struct rn_node node = {.name = e->node, .provider = e->provider};
	struct rn_output out = {.self = q,
				.begin = on_begin,
				.row = on_row,
				.other = on_other,
				.partial = on_partial,
				.end = on_end,
				.snapshot = q->refresh_ns ? on_snapshot : NULL};
	struct rn_run_opts o = {.scope = &scope,
				.nodes = &node,
				.nnodes = 1,
				.fleet = e->fleet,
				.catalog = e->catalog,
				.refresh_ns = q->refresh_ns,
				.stop = &q->end->stop,
				.started = on_started,
				.started_self = q,
				.progress = on_progress,
				.done = on_poll,
				.so_far = rn_api_ledgers_told,
				.keep = keep};
	int64_t rows;
	int code = rn_plan_nodes_known(e, p, &q->err);

	if (!code)
		code = rn_plan_files_apart(&q->u, p, NULL, &q->err);
	if (!code && r->npids && live)
		code = rn_pid_watch_create(r->pids, r->npids, &q->watch, &q->err);
	if (!code)
		code = p->into ? rn_record(q->arena, p, recorded, &o, &q->ledgers, &rows, &q->err)
			       : rn_coord_run(q->arena, p, &o, own ? own : &out, &q->ledgers,
					      &q->err);
	rn_pid_watch_destroy(q->watch);
	q->watch = NULL;
	if (code)
		rn_plan_explain_refusal(e, p, &q->err);
	return code;
}

static int no_row(void *self, const struct rn_value *v)
{
	(void)v;
	return rn_api_cancelled(self) ? -EINTR : 0;
}

/* An interrupted `let` gives no result: the session keeps none. */
static int run_let(struct runnel_query *q, struct rn_statement *job)
{
	struct rn_let_result *rows = rn_let_begin(job);
	int code = run_plan(q, job->plan,
			    &(struct rn_output){.self = q, .row = no_row, .end = on_end}, rows);

	if (!code && rn_stopped(&q->end->stop))
		code = -EINTR;
	if (code)
		rn_let_result_destroy(rows);
	else
		rn_let_done(&q->u, job, rows);
	return code;
}

/* A failed assertion is an error in the text that points at the condition. */
static int run_assert(struct runnel_query *q, struct rn_statement *job)
{
	struct rn_output out = rn_assert_output(job->assertion);
	int code = run_plan(q, job->plan, &out, NULL);

	if (!code && !rn_assert_holds(&q->u, job, &q->diag))
		return -EBADMSG;
	if (!code && rn_stopped(&q->end->stop))
		return -EINTR;
	if (!code && !rn_ledger_complete(&q->ledgers))
		q->diag = rn_assert_doubt(&q->u, job);
	return code;
}

static int run_statement(struct runnel_query *q, struct rn_statement *job)
{
	const char *said;

	if (job->deferred) {
		if (!rn_script_check_deferred(&q->u, job, &q->diag, &q->err))
			return q->err.code ? q->err.code : -EBADMSG;
		rn_api_columns(q);
	}
	q->places = job->diag;
	switch (job->stmt->kind) {
	case RN_STMT_QUERY: return run_plan(q, job->plan, NULL, NULL);
	case RN_STMT_LET: return run_let(q, job);
	case RN_STMT_ASSERT: return run_assert(q, job);
	case RN_STMT_VIEW:
	case RN_STMT_DROP: {
		int code = rn_statement_store(&q->u, job, &q->diag, &q->err);

		return code > 0 ? -EBADMSG : code;
	}
	case RN_STMT_TAGS: return rn_tags_store(&q->u, job->stmt, &said, &q->err);
	default: return 0;
	}
}

static int result_of(const struct runnel_query *q, int code)
{
	if (q->spare.used || code == -ENOMEM)
		return RUNNEL_E_NOMEM;
	if (rn_api_cancelled(q))
		return RUNNEL_INTERRUPTED;
	if (!code)
		return RUNNEL_DONE;
	/* it was asked to end before it began: there is nothing to tell */
	if (code == -EINTR && rn_stopped(&q->end->stop))
		return RUNNEL_DONE;
	return q->diag && rn_diag_errors(q->diag) && !rn_script_system_refused(q->diag)
		       ? RUNNEL_E_QUERY
		       : RUNNEL_E_SYSTEM;
}

static void *run(void *self)
{
	struct runnel_query *q = self;
	struct api_was was = rn_api_enter_thread(q);
	int code = 0;

	for (unsigned i = 0; i < q->u.njobs && !code && !rn_stopped(&q->end->stop); i++)
		code = run_statement(q, &q->u.jobs[i]);
	rn_api_leave(was);
	pthread_mutex_lock(&q->lock);
	q->code = result_of(q, code);
	q->over = true;
	pthread_cond_broadcast(&q->changed);
	pthread_mutex_unlock(&q->lock);
	return NULL;
}

/* ---- the caller's side ---- */

/* Does the plan read events or tables of nodes? */
static bool reads_nodes(const struct rn_plan *p)
{
	for (unsigned i = 0; i < p->nsets; i++) {
		if (reads_nodes(p->sets[i]))
			return true;
	}
	return p->child ? reads_nodes(p->child) : !p->from && !p->given;
}

static bool needs_fleet(const struct runnel_query *q)
{
	for (unsigned i = 0; q->e->fleet && i < q->u.njobs; i++) {
		const struct rn_statement *job = &q->u.jobs[i];

		/* a statement that is checked late may read anything */
		if (job->deferred || (job->plan && reads_nodes(job->plan)))
			return true;
	}
	return false;
}

static void leave_fleet(struct runnel_query *q)
{
	if (q->r->on_fleet != q)
		return;
	q->r->on_fleet = NULL;
	rn_fleet_set_stop(q->e->fleet, &q->r->stop);
}

static int begin_now(struct runnel_query *q)
{
	sigset_t all, before;
	int code;

	if (q->state == API_NEW)
		return rn_api_misuse(q, "the query is not prepared: call runnel_prepare first");
	if (q->state == API_WRONG)
		return q->status;
	if (needs_fleet(q) && q->r->on_fleet)
		return rn_api_misuse(q, "the links to the nodes carry one query at a time: end "
					"that one first, or open another session");
	if (needs_fleet(q)) {
		q->r->on_fleet = q;
		rn_fleet_set_stop(q->e->fleet, &q->end->stop);
	}
	q->spare.raise[0] = &q->end->stop;
	q->spare.raise[1] = &q->end->cancelled;
	if (!rn_spare_fill(&q->spare, SPARE_BYTES)) {
		leave_fleet(q);
		return rn_api_nomem(q);
	}
	q->arena = rn_arena_create(ARENA_CAP);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	code = pthread_create(&q->thread, NULL, run, q);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (code) {
		struct rn_err err = {0};

		leave_fleet(q);
		rn_err_set(&err, -code, "no thread for the query: %s", strerror(code));
		rn_api_errors(q, NULL, &err);
		return RUNNEL_E_SYSTEM;
	}
	q->threaded = true;
	q->state = API_RUNNING;
	return 0;
}

static int begin(struct runnel_query *q)
{
	struct api_was was;
	int r;

	if (q->state == API_RUNNING || q->state == API_ENDED)
		return 0;
	was = rn_api_enter(q->r);
	r = begin_now(q);
	rn_api_leave(was);
	return r;
}

/* Join the thread, which has nothing left to do. */
static void join(struct runnel_query *q)
{
	if (!q->threaded)
		return;
	pthread_join(q->thread, NULL);
	q->threaded = false;
	leave_fleet(q);
	/* a request to the session does not count for queries that begin later */
	rn_api_go_on(q);
	for (struct runnel_query *other = q->r->queries; other; other = other->next) {
		if (other->state == API_READY)
			rn_api_go_on(other);
	}
}

static int end(struct runnel_query *q)
{
	struct api_was was = rn_api_enter(q->r);

	join(q);
	drop_rows(q);
	rn_api_ledgers_forget(q);
	q->state = API_ENDED;
	q->status = q->code;
	if (q->spare.used)
		rn_api_nomem(q);
	else if (q->code < 0) /* or an assertion gave warnings */
		rn_api_errors(q, q->diag, &q->err);
	else if (q->diag)
		rn_api_errors(q, q->diag, NULL); /* notes and warnings */
	rn_spare_empty(&q->spare);
	rn_api_leave(was);
	return q->status;
}

void rn_api_end(struct runnel_query *q)
{
	if (q->threaded) {
		runnel_query_cancel(q);
		join(q);
	}
	drop_rows(q);
	free(q->row);
	rn_arena_destroy(q->arena);
	rn_spare_empty(&q->spare);
	q->row = NULL;
	q->arena = NULL;
	q->diag = q->places = NULL;
	rn_api_ledgers_forget(q);
	q->ledgers = (struct rn_ledgers){0};
	q->err = (struct rn_err){0};
	q->progress = (struct runnel_progress){0};
	q->over = q->started = q->fresh = q->skip = q->other = false;
	q->snapshots = 0;
}

/* Wait, with the lock held, until wanted is true or the time is over. False: the time is over. */
static bool await(struct runnel_query *q, bool (*wanted)(const struct runnel_query *q),
		  int timeout_ms)
{
	struct timespec until = rn_mono_after_ms(timeout_ms < 0 ? 0 : timeout_ms);
	int code = 0;

	while (!wanted(q) && code != ETIMEDOUT) {
		if (timeout_ms < 0)
			code = pthread_cond_wait(&q->changed, &q->lock);
		else
			code = pthread_cond_timedwait(&q->changed, &q->lock, &until);
	}
	return wanted(q);
}

static bool has_started(const struct runnel_query *q)
{
	return q->started || q->over;
}

/* If the query is cancelled, rows do not matter any more. */
static bool has_news(const struct runnel_query *q)
{
	return q->over || (q->first && !rn_api_cancelled(q));
}

int runnel_start(struct runnel_query *q, int timeout_ms)
{
	int r = q ? begin(q) : RUNNEL_E_NOMEM;
	bool there, over;

	if (r || q->state == API_ENDED)
		return r                                                  ? r
		       : q->status < 0 || q->status == RUNNEL_INTERRUPTED ? q->status
									  : RUNNEL_OK;
	pthread_mutex_lock(&q->lock);
	there = await(q, has_started, timeout_ms);
	over = q->over;
	rn_api_ledgers_look(q);
	pthread_mutex_unlock(&q->lock);
	if (!there)
		return RUNNEL_TIMEOUT;
	if (over && (q->code < 0 || q->code == RUNNEL_INTERRUPTED))
		return end(q);
	return RUNNEL_OK;
}

int runnel_step(struct runnel_query *q, int timeout_ms)
{
	int r;
	bool there;
	struct api_row *row;

	if (!q)
		return RUNNEL_E_NOMEM;
	r = begin(q);
	free(q->row);
	q->row = NULL;
	rn_arena_reset(q->scratch);
	if (r || q->state == API_ENDED)
		return r ? r : q->status;
	pthread_mutex_lock(&q->lock);
	there = await(q, has_news, timeout_ms);
	row = there && !(q->over && q->code == RUNNEL_INTERRUPTED) ? q->first : NULL;
	if (row) {
		q->first = row->next;
		if (!q->first)
			q->last = &q->first;
		q->waiting -= row->bytes;
		pthread_cond_broadcast(&q->changed);
	}
	rn_api_ledgers_look(q);
	pthread_mutex_unlock(&q->lock);
	q->row = row;
	return row ? RUNNEL_ROW : there ? end(q) : RUNNEL_TIMEOUT;
}

int runnel_refresh(struct runnel_query *q, int ms)
{
	enum { LEAST_MS = 50 };

	if (!q)
		return RUNNEL_E_NOMEM;
	if (q->state == API_RUNNING)
		return rn_api_misuse(q, "the refresh is set while the query runs");
	if (ms && ms < LEAST_MS)
		return rn_api_misuse(q, "the refresh is 0, or at least 50 ms");
	q->refresh_ns = ms * 1000000LL;
	return RUNNEL_OK;
}

int runnel_reset(struct runnel_query *q)
{
	if (q && q->state == API_NEW)
		return rn_api_misuse(q, "the query is not prepared: call runnel_prepare first");
	return runnel_prepare(q);
}

const struct runnel_progress *runnel_progress(struct runnel_query *q)
{
	static const struct runnel_progress none;

	if (!q)
		return &none;
	pthread_mutex_lock(&q->lock);
	q->told = q->progress;
	if (q->over && q->ledgers.n)
		q->told.seen = rn_ledger_total(&q->ledgers).n[RN_L_SEEN];
	q->told.waiting_bytes = q->waiting;
	pthread_mutex_unlock(&q->lock);
	return &q->told;
}
