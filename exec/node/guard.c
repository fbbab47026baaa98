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
	struct rn_guard *guard = self;
	struct timespec until;

	pthread_mutex_lock(&guard->lock);
	while (!guard->stop) {
		bool now = look(guard);

		if (now) {
			pthread_mutex_unlock(&guard->lock);
			guard->over(guard->self);
			pthread_mutex_lock(&guard->lock);
			continue;
		}
		until = rn_mono_after_ms(RN_LIMITS_EVERY_MS);
		if (guard->passed)
			pthread_cond_wait(&guard->changed, &guard->lock);
		else
			pthread_cond_timedwait(&guard->changed, &guard->lock, &until);
	}
	pthread_mutex_unlock(&guard->lock);
	return NULL;
}

int rn_guard_create(const struct rn_policy *policy, struct rn_account *account,
		    void (*over)(void *self), void *self, struct rn_guard **out, struct rn_err *err)
{
	struct rn_guard *guard = rn_calloc(1, sizeof(*guard));
	pthread_condattr_t attr;
	int r;

	*out = NULL;
	guard->account = account;
	guard->over = over;
	guard->self = self;
	guard->limits = rn_limits_create(policy);
	r = pthread_getcpuclockid(pthread_self(), &guard->cpu);
	if (r || !rn_limits_any(guard->limits)) {
		rn_limits_destroy(guard->limits);
		free(guard);
		return r ? rn_err_set(err, -r, "a query cannot be watched: %s", strerror(r)) : 0;
	}
	pthread_mutex_init(&guard->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&guard->changed, &attr);
	pthread_condattr_destroy(&attr);
	r = pthread_create(&guard->thread, NULL, watch, guard);
	if (!r) {
		*out = guard;
		return 0;
	}
	pthread_mutex_destroy(&guard->lock);
	pthread_cond_destroy(&guard->changed);
	rn_limits_destroy(guard->limits);
	free(guard);
	return rn_err_set(err, -r, "no thread to watch a query: %s", strerror(r));
}

void rn_guard_destroy(struct rn_guard *guard)
{
	if (!guard)
		return;
	pthread_mutex_lock(&guard->lock);
	guard->stop = true;
	pthread_cond_signal(&guard->changed);
	pthread_mutex_unlock(&guard->lock);
	pthread_join(guard->thread, NULL);
	pthread_mutex_destroy(&guard->lock);
	pthread_cond_destroy(&guard->changed);
	rn_limits_destroy(guard->limits);
	free(guard);
}

void rn_guard_begin(struct rn_guard *guard)
{
	if (!guard)
		return;
	pthread_mutex_lock(&guard->lock);
	rn_limits_begin(guard->limits, rn_mono_ns());
	pthread_mutex_unlock(&guard->lock);
}

void rn_guard_tell(struct rn_guard *guard, int64_t seen, const struct rn_cost *source)
{
	if (!guard)
		return;
	pthread_mutex_lock(&guard->lock);
	guard->seen = seen;
	guard->source = *source;
	pthread_mutex_unlock(&guard->lock);
}

bool rn_guard_over(struct rn_guard *guard, struct rn_err *err)
{
	bool passed;

	if (!guard)
		return false;
	pthread_mutex_lock(&guard->lock);
	passed = guard->passed;
	if (passed)
		*err = guard->err;
	pthread_mutex_unlock(&guard->lock);
	return passed;
}
