/* job.c - see job.h. One mutex guards commands and the queue; `changed` is signalled for both
 * threads. */
#include "exec/serve/job.h"
#include "lang/base/memory.h"
#include "lang/base/clock.h"
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct rn_job {
	struct rn_job_from from;
	void (*body)(struct rn_job *j, void *self);
	void *self;
	int wake_fd;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned commands;
	uint32_t peek;
	int64_t first_ns, until_ns, wait_ns;
	int aborted; /* atomic */
	bool returned;
	struct rn_job_message *first, **last;
	size_t waiting;
	int64_t shed;
	struct rn_account account; /* of the body's thread */
	uint64_t seq[RN_LANES];    /* of the body */
	unsigned char *buf;
	size_t cap;
};

static void wake(struct rn_job *j)
{
	uint64_t one = 1;

	if (write(j->wake_fd, &one, sizeof(one)) < 0) /* it is full: then the other side is awake */
		return;
}

static void *thread(void *self)
{
	struct rn_job *j = self;

	rn_account_use(&j->account);
	j->body(j, j->self);
	rn_account_use(NULL);
	pthread_mutex_lock(&j->lock);
	j->returned = true;
	pthread_mutex_unlock(&j->lock);
	wake(j);
	return NULL;
}

struct rn_job *rn_job_create(const struct rn_job_from *from,
			     void (*body)(struct rn_job *j, void *self), void *self, int wake_fd)
{
	struct rn_job *j = rn_calloc(1, sizeof(*j));
	pthread_condattr_t attr;

	j->from = *from;
	j->from.name = rn_strdup(from->name);
	j->from.asker = rn_strdup(from->asker);
	j->from.pids = memcpy(rn_calloc(from->npids + 1, sizeof(*from->pids)),
			      from->npids ? from->pids : (const int32_t[1]){0},
			      from->npids * sizeof(*from->pids));
	j->from.fragment = memcpy(rn_malloc(from->n + 1), from->fragment, from->n);
	j->body = body;
	j->self = self;
	j->wake_fd = wake_fd;
	j->last = &j->first;
	pthread_mutex_init(&j->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&j->changed, &attr);
	pthread_condattr_destroy(&attr);
	if (pthread_create(&j->thread, NULL, thread, j))
		abort();
	return j;
}

void rn_job_destroy(struct rn_job *job)
{
	if (!job)
		return;
	rn_job_command(job, RN_JOB_ABORT, 0);
	pthread_join(job->thread, NULL);
	for (struct rn_job_message *m; (m = rn_job_take(job));)
		free(m);
	pthread_mutex_destroy(&job->lock);
	pthread_cond_destroy(&job->changed);
	free((void *)(uintptr_t)job->from.name);
	free((void *)(uintptr_t)job->from.asker);
	free((void *)(uintptr_t)job->from.pids);
	free((void *)(uintptr_t)job->from.fragment);
	free(job->buf);
	free(job);
}

/* ---- for the serving thread ---- */

void rn_job_command(struct rn_job *job, enum rn_job_command c, uint32_t peek)
{
	pthread_mutex_lock(&job->lock);
	job->commands |= c;
	if (c == RN_JOB_ABORT)
		__atomic_store_n(&job->aborted, 1, __ATOMIC_RELAXED);
	if (c == RN_JOB_PEEK)
		job->peek = peek;
	pthread_cond_broadcast(&job->changed);
	pthread_mutex_unlock(&job->lock);
}

void rn_job_start(struct rn_job *job, int64_t first_ns, int64_t until_ns)
{
	pthread_mutex_lock(&job->lock);
	job->first_ns = first_ns;
	job->until_ns = until_ns;
	pthread_mutex_unlock(&job->lock);
	rn_job_command(job, RN_JOB_START, 0);
}

void rn_job_stop(struct rn_job *job, int64_t wait_ns)
{
	pthread_mutex_lock(&job->lock);
	job->wait_ns = wait_ns;
	pthread_mutex_unlock(&job->lock);
	rn_job_command(job, RN_JOB_STOP, 0);
}

int64_t rn_job_wait_ns(struct rn_job *job)
{
	int64_t ns;

	pthread_mutex_lock(&job->lock);
	ns = job->wait_ns;
	pthread_mutex_unlock(&job->lock);
	return ns;
}

const volatile int *rn_job_aborted(const struct rn_job *job)
{
	return &job->aborted;
}

void rn_job_held(struct rn_job *job, int64_t *first_ns, int64_t *until_ns)
{
	pthread_mutex_lock(&job->lock);
	*first_ns = job->first_ns;
	*until_ns = job->until_ns;
	pthread_mutex_unlock(&job->lock);
}

struct rn_job_message *rn_job_take(struct rn_job *job)
{
	struct rn_job_message *m;

	pthread_mutex_lock(&job->lock);
	m = job->first;
	if (m) {
		job->first = m->next;
		if (!job->first)
			job->last = &job->first;
		job->waiting -= m->n;
		rn_account_give(&job->account, m);
		pthread_cond_broadcast(&job->changed);
	}
	pthread_mutex_unlock(&job->lock);
	return m;
}

bool rn_job_done(struct rn_job *job)
{
	bool done;

	pthread_mutex_lock(&job->lock);
	done = job->returned && !job->first;
	pthread_mutex_unlock(&job->lock);
	return done;
}

uint32_t rn_job_query(const struct rn_job *job)
{
	return job->from.query;
}

/* ---- for the body ---- */

const struct rn_job_from *rn_job_of(const struct rn_job *job)
{
	return &job->from;
}

struct rn_account *rn_job_account(struct rn_job *job)
{
	return &job->account;
}

unsigned rn_job_wait(struct rn_job *job, unsigned but, int timeout_ms)
{
	struct timespec end = rn_mono_after_ms(timeout_ms < 0 ? 0 : timeout_ms);
	unsigned now;
	int r = 0;

	pthread_mutex_lock(&job->lock);
	while (!(job->commands & ~but) && !r && timeout_ms)
		r = timeout_ms < 0 ? pthread_cond_wait(&job->changed, &job->lock)
				   : pthread_cond_timedwait(&job->changed, &job->lock, &end);
	now = job->commands;
	pthread_mutex_unlock(&job->lock);
	return now;
}

uint32_t rn_job_peek(struct rn_job *job)
{
	uint32_t n;

	pthread_mutex_lock(&job->lock);
	n = job->commands & RN_JOB_PEEK ? job->peek : 0;
	job->commands &= ~(unsigned)RN_JOB_PEEK;
	pthread_mutex_unlock(&job->lock);
	return n;
}

int64_t rn_job_shed(struct rn_job *job)
{
	return job->shed;
}

/* Waits for room. False: there will be none (aborted), or the frame cannot wait. Once the query is
 * to end, rows need not wait: only what the ring held is left. */
static bool room_for(struct rn_job *j, const struct rn_frame *f)
{
	if (f->kind == RN_FRAME_PARTIALS)
		return j->waiting < RN_JOB_ROOM_PARTIALS;
	while (f->kind == RN_FRAME_ROWS && j->waiting >= RN_JOB_ROOM &&
	       !(j->commands & (RN_JOB_ABORT | RN_JOB_STOP | RN_JOB_OVER)))
		pthread_cond_wait(&j->changed, &j->lock);
	return !(j->commands & RN_JOB_ABORT);
}

static void count_shed(struct rn_job *j, const struct rn_frame *f)
{
	for (uint32_t i = 0; i < f->partials.n && !f->peek; i++)
		j->shed += f->partials.parts[i].events;
}

static int queue(struct rn_job *job, const struct rn_frame *frame, enum rn_lane lane, size_t n)
{
	struct rn_job_message *m;
	int r = 0;

	pthread_mutex_lock(&job->lock);
	if (room_for(job, frame)) {
		m = rn_malloc(sizeof(*m) + n);
		*m = (struct rn_job_message){.lane = lane, .n = n};
		memcpy(m->bytes, job->buf + 4, n); /* the link adds its own lengths */
		*job->last = m;
		job->last = &m->next;
		job->waiting += n;
		job->seq[lane]++;
	} else if (job->commands & RN_JOB_ABORT) {
		r = -ECANCELED;
	} else {
		count_shed(job, frame);
	}
	pthread_mutex_unlock(&job->lock);
	wake(job);
	return r;
}

static int send_halves(struct rn_job *job, struct rn_frame *frame,
		       const struct rn_fragment *fragment)
{
	struct rn_frame half[2] = {*frame, *frame};
	int r;

	if (frame->kind == RN_FRAME_ROWS) {
		struct rn_rows rows[2];

		rn_rows_halve(&frame->rows, rows);
		half[0].rows = rows[0];
		half[1].rows = rows[1];
	} else {
		struct rn_partials parts[2];

		rn_partials_halve(&frame->partials, parts);
		half[0].partials = parts[0];
		half[1].partials = parts[1];
	}
	r = rn_job_send(job, &half[0], fragment);
	return r < 0 ? r : rn_job_send(job, &half[1], fragment);
}

int rn_job_send(struct rn_job *job, struct rn_frame *frame, const struct rn_fragment *fragment)
{
	enum rn_lane lane = rn_frame_in_order(frame->kind) ? RN_LANE_DATA : RN_LANE_CONTROL;
	size_t n = 0;
	int r;

	frame->node = job->from.name;
	frame->seq = job->seq[lane];
	r = rn_frame_encode(frame, fragment ? fragment->aggs : NULL, fragment ? fragment->naggs : 0,
			    fragment ? fragment->nkeys : 0, &job->buf, &n, &job->cap);
	if (r == -EMSGSIZE && (frame->kind == RN_FRAME_ROWS       ? frame->rows.nrows
			       : frame->kind == RN_FRAME_PARTIALS ? frame->partials.n
								  : 0) > 1)
		return send_halves(job, frame, fragment);
	return r < 0 ? r : queue(job, frame, lane, n - 4);
}

void rn_job_refuse(struct rn_job *job, const struct rn_err *err)
{
	struct rn_frame f = {.kind = RN_FRAME_ERROR, .error = *err};

	rn_job_send(job, &f, NULL);
}
