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
	size_t bytes = sizeof(struct rn_api_row) + n * sizeof(*v);

	for (unsigned i = 0; i < n; i++)
		bytes += v[i].kind == RN_STR ? v[i].len + 1 : 0;
	return bytes;
}

/* Copy a row. Texts end in a NUL that is not counted. */
static struct rn_api_row *copy_row(const struct rn_value *value, unsigned n)
{
	size_t bytes = bytes_of(value, n);
	struct rn_api_row *row = rn_malloc(bytes);
	char *at;

	*row = (struct rn_api_row){.bytes = bytes};
	at = (char *)&row->values[n];
	for (unsigned i = 0; i < n; i++) {
		row->values[i] = value[i];
		if (value[i].kind != RN_STR)
			continue;
		if (value[i].len)
			memcpy(at, value[i].s, value[i].len);
		at[value[i].len] = 0;
		row->values[i].s = at;
		at += value[i].len + 1;
	}
	return row;
}

static void drop_rows(struct runnel_query *q)
{
	for (struct rn_api_row *row = q->first, *next; row; row = next) {
		next = row->next;
		free(row);
	}
	q->first = NULL;
	q->last = &q->first;
	q->waiting = 0;
}

/* ---- what the coordinator gives: in the query's thread ---- */

static int on_begin(void *self, const struct rn_answer_shape *result)
{
	(void)self;
	(void)result; /* the columns are those of the plan */
	return 0;
}

static int on_row(void *self, const struct rn_value *value)
{
	struct runnel_query *query = self;
	bool other = query->other, partial = query->partial;
	struct rn_api_row *row;

	query->other = query->partial = false;
	if (rn_api_cancelled(query))
		return -EINTR;
	if (query->skip)
		return 0;
	row = copy_row(value, query->ncols);
	row->other = other;
	row->partial = partial;
	row->covered = query->covered;
	row->snapshot = query->fresh ? query->snapshots : 0;
	pthread_mutex_lock(&query->lock);
	while (query->waiting && query->waiting + row->bytes > query->session->queue_bytes &&
	       !rn_api_cancelled(query))
		wait_turn(query);
	*query->last = row;
	query->last = &row->next;
	query->waiting += row->bytes;
	pthread_cond_broadcast(&query->changed);
	pthread_mutex_unlock(&query->lock);
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
static int run_plan(struct runnel_query *query, struct rn_plan *plan, const struct rn_output *own,
		    struct rn_let_result *keep)
{
	struct runnel *session = query->session;
	struct rn_engine *engine = query->engine;
	bool live = rn_plan_is_live(plan);
	struct rn_scope scope = {
		.pids = session->pids, .npids = session->npids, .follow = session->npids > 0};
	struct rn_node node = {.name = engine->node, .provider = engine->provider};
	struct rn_output out = {.self = query,
				.begin = on_begin,
				.row = on_row,
				.other = on_other,
				.partial = on_partial,
				.end = on_end,
				.snapshot = query->refresh_ns ? on_snapshot : NULL};
	struct rn_run_opts opts = {.scope = &scope,
				   .nodes = &node,
				   .nnodes = 1,
				   .fleet = engine->fleet,
				   .catalog = engine->catalog,
				   .refresh_ns = query->refresh_ns,
				   .stop = &query->end->stop,
				   .started = on_started,
				   .started_self = query,
				   .progress = on_progress,
				   .done = on_poll,
				   .so_far = rn_api_ledgers_told,
				   .keep = keep};
	int64_t rows;
	int code = rn_plan_nodes_known(engine, plan, &query->err);

	if (!code)
		code = rn_check_no_overwrite(&query->script, plan, NULL, &query->err);
	if (!code && session->npids && live)
		code = rn_pid_watch_create(session->pids, session->npids, &query->watch,
					   &query->err);
	if (!code)
		code = plan->into ? rn_record(query->arena, plan, recorded, &opts, &query->ledgers,
					      &rows, &query->err)
				  : rn_coord_run(query->arena, plan, &opts, own ? own : &out,
						 &query->ledgers, &query->err);
	rn_pid_watch_destroy(query->watch);
	query->watch = NULL;
	if (code)
		rn_plan_explain_refusal(engine, plan, &query->err);
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
		rn_let_done(&q->script, job, rows);
	return code;
}

/* A failed assertion is an error in the text that points at the condition. */
static int run_assert(struct runnel_query *q, struct rn_statement *job)
{
	struct rn_output out = rn_assert_output(job->assertion);
	int code = run_plan(q, job->plan, &out, NULL);

	if (!code && !rn_assert_holds(&q->script, job, &q->diag))
		return -EBADMSG;
	if (!code && rn_stopped(&q->end->stop))
		return -EINTR;
	if (!code && !rn_ledger_complete(&q->ledgers))
		q->diag = rn_assert_doubt(&q->script, job);
	return code;
}

static int run_statement(struct runnel_query *query, struct rn_statement *job)
{
	const char *said;

	if (job->deferred) {
		if (!rn_script_check_deferred(&query->script, job, &query->diag, &query->err))
			return query->err.code ? query->err.code : -EBADMSG;
		rn_api_columns(query);
	}
	query->places = job->diag;
	switch (job->stmt->kind) {
	case RN_STMT_QUERY: return run_plan(query, job->plan, NULL, NULL);
	case RN_STMT_LET: return run_let(query, job);
	case RN_STMT_ASSERT: return run_assert(query, job);
	case RN_STMT_VIEW:
	case RN_STMT_DROP: {
		int code = rn_statement_store(&query->script, job, &query->diag, &query->err);

		return code > 0 ? -EBADMSG : code;
	}
	case RN_STMT_TAGS: return rn_tags_store(&query->script, job->stmt, &said, &query->err);
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
	struct rn_api_was was = rn_api_enter_thread(q);
	int code = 0;

	for (unsigned i = 0; i < q->script.njobs && !code && !rn_stopped(&q->end->stop); i++)
		code = run_statement(q, &q->script.jobs[i]);
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
	for (unsigned i = 0; q->engine->fleet && i < q->script.njobs; i++) {
		const struct rn_statement *job = &q->script.jobs[i];

		/* a statement that is checked late may read anything */
		if (job->deferred || (job->plan && reads_nodes(job->plan)))
			return true;
	}
	return false;
}

static void leave_fleet(struct runnel_query *q)
{
	if (q->session->on_fleet != q)
		return;
	q->session->on_fleet = NULL;
	rn_fleet_set_stop(q->engine->fleet, &q->session->stop);
}

static int begin_now(struct runnel_query *query)
{
	sigset_t all, before;
	int code;

	if (query->state == RN_API_NEW)
		return rn_api_misuse(query, "the query is not prepared: call runnel_prepare first");
	if (query->state == RN_API_WRONG)
		return query->status;
	if (needs_fleet(query) && query->session->on_fleet)
		return rn_api_misuse(query, "the links to the nodes carry one query at a time: end "
					    "that one first, or open another session");
	if (needs_fleet(query)) {
		query->session->on_fleet = query;
		rn_fleet_set_stop(query->engine->fleet, &query->end->stop);
	}
	query->spare.raise[0] = &query->end->stop;
	query->spare.raise[1] = &query->end->cancelled;
	if (!rn_spare_fill(&query->spare, SPARE_BYTES)) {
		leave_fleet(query);
		return rn_api_nomem(query);
	}
	query->arena = rn_arena_create(ARENA_CAP);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	code = pthread_create(&query->thread, NULL, run, query);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (code) {
		struct rn_err err = {0};

		leave_fleet(query);
		rn_err_set(&err, -code, "no thread for the query: %s", strerror(code));
		rn_api_errors(query, NULL, &err);
		return RUNNEL_E_SYSTEM;
	}
	query->threaded = true;
	query->state = RN_API_RUNNING;
	return 0;
}

static int begin(struct runnel_query *q)
{
	struct rn_api_was was;
	int r;

	if (q->state == RN_API_RUNNING || q->state == RN_API_ENDED)
		return 0;
	was = rn_api_enter(q->session);
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
	for (struct runnel_query *other = q->session->queries; other; other = other->next) {
		if (other->state == RN_API_READY)
			rn_api_go_on(other);
	}
}

static int end(struct runnel_query *q)
{
	struct rn_api_was was = rn_api_enter(q->session);

	join(q);
	drop_rows(q);
	rn_api_ledgers_forget(q);
	q->state = RN_API_ENDED;
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

void rn_api_end(struct runnel_query *query)
{
	if (query->threaded) {
		runnel_query_cancel(query);
		join(query);
	}
	drop_rows(query);
	free(query->row);
	rn_arena_destroy(query->arena);
	rn_spare_empty(&query->spare);
	query->row = NULL;
	query->arena = NULL;
	query->diag = query->places = NULL;
	rn_api_ledgers_forget(query);
	query->ledgers = (struct rn_ledgers){0};
	query->err = (struct rn_err){0};
	query->progress = (struct runnel_progress){0};
	query->over = query->started = query->fresh = query->skip = query->other = false;
	query->snapshots = 0;
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

int runnel_start(struct runnel_query *query, int timeout_ms)
{
	int r = query ? begin(query) : RUNNEL_E_NOMEM;
	bool there, over;

	if (r || query->state == RN_API_ENDED)
		return r                                                          ? r
		       : query->status < 0 || query->status == RUNNEL_INTERRUPTED ? query->status
										  : RUNNEL_OK;
	pthread_mutex_lock(&query->lock);
	there = await(query, has_started, timeout_ms);
	over = query->over;
	rn_api_ledgers_look(query);
	pthread_mutex_unlock(&query->lock);
	if (!there)
		return RUNNEL_TIMEOUT;
	if (over && (query->code < 0 || query->code == RUNNEL_INTERRUPTED))
		return end(query);
	return RUNNEL_OK;
}

int runnel_step(struct runnel_query *query, int timeout_ms)
{
	int r;
	bool there;
	struct rn_api_row *row;

	if (!query)
		return RUNNEL_E_NOMEM;
	r = begin(query);
	free(query->row);
	query->row = NULL;
	rn_arena_reset(query->scratch);
	if (r || query->state == RN_API_ENDED)
		return r ? r : query->status;
	pthread_mutex_lock(&query->lock);
	there = await(query, has_news, timeout_ms);
	/* it came to its end before it was cancelled, and its rows are not wanted any more */
	if (query->over && query->code == RUNNEL_DONE && query->first && rn_api_cancelled(query))
		query->code = RUNNEL_INTERRUPTED;
	row = there && !(query->over && query->code == RUNNEL_INTERRUPTED) ? query->first : NULL;
	if (row) {
		query->first = row->next;
		if (!query->first)
			query->last = &query->first;
		query->waiting -= row->bytes;
		pthread_cond_broadcast(&query->changed);
	}
	rn_api_ledgers_look(query);
	pthread_mutex_unlock(&query->lock);
	query->row = row;
	return row ? RUNNEL_ROW : there ? end(query) : RUNNEL_TIMEOUT;
}

int runnel_refresh(struct runnel_query *query, int ms)
{
	enum { LEAST_MS = 50 };

	if (!query)
		return RUNNEL_E_NOMEM;
	if (query->state == RN_API_RUNNING)
		return rn_api_misuse(query, "the refresh is set while the query runs");
	if (ms && ms < LEAST_MS)
		return rn_api_misuse(query, "the refresh is 0, or at least 50 ms");
	query->refresh_ns = ms * 1000000LL;
	return RUNNEL_OK;
}

int runnel_reset(struct runnel_query *query)
{
	if (query && query->state == RN_API_NEW)
		return rn_api_misuse(query, "the query is not prepared: call runnel_prepare first");
	return runnel_prepare(query);
}

const struct runnel_progress *runnel_progress(struct runnel_query *query)
{
	static const struct runnel_progress none;

	if (!query)
		return &none;
	pthread_mutex_lock(&query->lock);
	query->told = query->progress;
	if (query->over && query->ledgers.n)
		query->told.seen = rn_ledger_total(&query->ledgers).n[RN_L_SEEN];
	query->told.waiting_bytes = query->waiting;
	pthread_mutex_unlock(&query->lock);
	return &query->told;
}
