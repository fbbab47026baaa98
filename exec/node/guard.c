/* guard.c - see guard.h. One mutex guards all of a watch; `over` is called without it. */
#include "exec/node/guard.h"
#include "lang/base/clock.h"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct rn_guard {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	clockid_t cpu; /* of the query's thread */
	struct rn_account *account;
	void (*over)(void *self);
	void *self;
	struct rn_limits *limits;
	bool stop, passed;
	int64_t seen;
	struct rn_cost source;
	struct rn_err err; /* if passed */
};

/* Returns the resident memory of the process, if nothing counts what a thread allocates
 * (repl/heap.c says when). */
static int64_t resident(void)
{
	char text[100] = "", *end;
	FILE *f = fopen("/proc/self/statm", "re");
	long long pages = 0;

	if (f && fgets(text, sizeof(text), f)) { /* all pages, resident pages, ... */
		(void)strtoll(text, &end, 10);
		pages = strtoll(end, NULL, 10);
	}
	if (f)
		(void)fclose(f);
	return pages * sysconf(_SC_PAGESIZE);
}

/* Checks the limits, lock held. True: one was passed now. */
static bool look(struct rn_guard *w)
{
	int64_t held = rn_account_bytes(w->account);

	if (w->passed)
		return false;
	if (held <= 0)
		held = resident();
	w->passed = rn_limits_step(w->limits, rn_mono_ns(), w->seen,
				   w->source.cpu_ns + rn_clock_ns(w->cpu),
				   w->source.memory_bytes + held, &w->err) != 0;
	if (w->passed)
		rn_account_end(w->account);
	return w->passed;
}

static void *watch(void *self)
{
	struct rn_guard *w = self;
	struct timespec until;

	pthread_mutex_lock(&w->lock);
	while (!w->stop) {
		bool now = look(w);

		if (now) {
			pthread_mutex_unlock(&w->lock);
			w->over(w->self);
			pthread_mutex_lock(&w->lock);
			continue;
		}
		until = rn_mono_after_ms(RN_LIMITS_EVERY_MS);
		if (w->passed)
			pthread_cond_wait(&w->changed, &w->lock);
		else
			pthread_cond_timedwait(&w->changed, &w->lock, &until);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

int rn_guard_create(const struct rn_policy *p, struct rn_account *account, void (*over)(void *self),
		    void *self, struct rn_guard **out, struct rn_err *err)
{
	struct rn_guard *w = rn_calloc(1, sizeof(*w));
	pthread_condattr_t attr;
	int r;

	*out = NULL;
	w->account = account;
	w->over = over;
	w->self = self;
	w->limits = rn_limits_create(p);
	r = w->limits ? pthread_getcpuclockid(pthread_self(), &w->cpu) : ENOMEM;
	if (r || !rn_limits_any(w->limits)) {
		rn_limits_destroy(w->limits);
		free(w);
		return r ? rn_err_set(err, -r, "a query cannot be watched: %s", strerror(r)) : 0;
	}
	pthread_mutex_init(&w->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&w->changed, &attr);
	pthread_condattr_destroy(&attr);
	r = pthread_create(&w->thread, NULL, watch, w);
	if (!r) {
		*out = w;
		return 0;
	}
	pthread_mutex_destroy(&w->lock);
	pthread_cond_destroy(&w->changed);
	rn_limits_destroy(w->limits);
	free(w);
	return rn_err_set(err, -r, "no thread to watch a query: %s", strerror(r));
}

void rn_guard_destroy(struct rn_guard *w)
{
	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	w->stop = true;
	pthread_cond_signal(&w->changed);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
	pthread_mutex_destroy(&w->lock);
	pthread_cond_destroy(&w->changed);
	rn_limits_destroy(w->limits);
	free(w);
}

void rn_guard_begin(struct rn_guard *w)
{
	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	rn_limits_begin(w->limits, rn_mono_ns());
	pthread_mutex_unlock(&w->lock);
}

void rn_guard_tell(struct rn_guard *w, int64_t seen, const struct rn_cost *source)
{
	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	w->seen = seen;
	w->source = *source;
	pthread_mutex_unlock(&w->lock);
}

bool rn_guard_over(struct rn_guard *w, struct rn_err *err)
{
	bool passed;

	if (!w)
		return false;
	pthread_mutex_lock(&w->lock);
	passed = w->passed;
	if (passed)
		*err = w->err;
	pthread_mutex_unlock(&w->lock);
	return passed;
}
