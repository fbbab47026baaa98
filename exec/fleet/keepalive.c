/* keepalive.c - pings while no thread turns the fleet: the reader of the answer may be slow (`|
 * less`), and must not cost a node.
 *
 * A thread looks twice a second whether the fleet was turned lately. If not, it pings the nodes of
 * the query that runs, and reads nothing: messages wait in the nodes' queues and then in their
 * rings, where losses are counted. The fleet's thread holds the lock while it is inside of the
 * fleet, and releases it around the calls of its sink. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include "exec/fleet/fleet_impl.h"
#include "lang/base/memory.h"
#include "lang/base/clock.h"

enum { LOOK_MS = 500 };
#define AWAY_NS (1000LL * 1000 * 1000)

struct rn_keepalive {
	struct rn_fleet *fleet;
	pthread_t thread;
	pthread_mutex_t in, lock; /* in: a thread is inside of the fleet; lock: guards end */
	pthread_cond_t ended;
	bool end, runs;
	int64_t turned_ns; /* when the fleet's thread was last inside; atomic */
};

static void ping_all(struct rn_fleet *f)
{
	int64_t now = rn_mono_ns();
	struct rn_err err = {0};

	for (unsigned i = 0; f->frag && i < f->n; i++) {
		struct rn_member *m = &f->members[i];

		if (!m->link.io || m->link.state != RN_M_READY || now - m->link.pinged_ns < AWAY_NS)
			continue;
		rn_member_ping(f, m);
		rn_link_pump(m->link.io, &err); /* a dead link is noticed when it is read */
	}
}

/* Waits. True: the fleet ends. */
static bool wait_for_end(struct rn_keepalive *k)
{
	struct timespec t = rn_mono_after_ms(LOOK_MS);
	bool end;

	pthread_mutex_lock(&k->lock);
	while (!k->end && pthread_cond_timedwait(&k->ended, &k->lock, &t) != ETIMEDOUT)
		;
	end = k->end;
	pthread_mutex_unlock(&k->lock);
	return end;
}

static void *keep(void *self)
{
	struct rn_keepalive *k = self;

	while (!wait_for_end(k)) {
		if (rn_mono_ns() - __atomic_load_n(&k->turned_ns, __ATOMIC_RELAXED) < AWAY_NS ||
		    pthread_mutex_trylock(&k->in))
			continue;
		ping_all(k->fleet);
		pthread_mutex_unlock(&k->in);
	}
	return NULL;
}

struct rn_keepalive *rn_keepalive_create(struct rn_fleet *fleet)
{
	struct rn_keepalive *k = rn_calloc(1, sizeof(*k));
	pthread_condattr_t attr;

	k->fleet = fleet;
	k->turned_ns = rn_mono_ns();
	pthread_mutex_init(&k->in, NULL);
	pthread_mutex_init(&k->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&k->ended, &attr);
	pthread_condattr_destroy(&attr);
	/* without it, only slow readers lose nodes */
	k->runs = !pthread_create(&k->thread, NULL, keep, k);
	return k;
}

void rn_keepalive_destroy(struct rn_keepalive *keepalive)
{
	pthread_mutex_lock(&keepalive->lock);
	keepalive->end = true;
	pthread_cond_signal(&keepalive->ended);
	pthread_mutex_unlock(&keepalive->lock);
	if (keepalive->runs)
		pthread_join(keepalive->thread, NULL);
	pthread_cond_destroy(&keepalive->ended);
	pthread_mutex_destroy(&keepalive->lock);
	pthread_mutex_destroy(&keepalive->in);
	free(keepalive);
}

void rn_keepalive_enter(struct rn_keepalive *keepalive)
{
	int64_t now, away;

	pthread_mutex_lock(&keepalive->in);
	now = rn_mono_ns();
	away = now - __atomic_load_n(&keepalive->turned_ns, __ATOMIC_RELAXED);
	if (away <= AWAY_NS)
		return;
	/* first read what nodes have sent meanwhile */
	keepalive->fleet->excused_ns = now + keepalive->fleet->opts.late_ns;
	keepalive->fleet->stop_ns += away;
}

void rn_keepalive_leave(struct rn_keepalive *keepalive)
{
	__atomic_store_n(&keepalive->turned_ns, rn_mono_ns(), __ATOMIC_RELAXED);
	pthread_mutex_unlock(&keepalive->in);
}
