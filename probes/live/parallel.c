/* parallel.c - see parallel.h. */
#include "probes/live/parallel.h"
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

enum { STACK_BYTES = 1 << 20 };

struct each {
	unsigned n;
	atomic_uint next;
	void (*work)(void *self, unsigned i);
	void *self;
};

static void *take(void *p)
{
	struct each *e = p;

	for (unsigned i; (i = atomic_fetch_add(&e->next, 1)) < e->n;)
		e->work(e->self, i);
	return NULL;
}

static void spread(unsigned threads, unsigned n, void (*work)(void *self, unsigned i), void *self)
{
	struct each e = {.n = n, .work = work, .self = self};
	pthread_t t[RN_EACH_WAITING_MAX];
	pthread_attr_t small;
	unsigned nt = 0;
	sigset_t all, before;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, STACK_BYTES);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (nt + 1 < threads && nt + 1 < n && !pthread_create(&t[nt], &small, take, &e))
		nt++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&small);
	take(&e);
	while (nt)
		pthread_join(t[--nt], NULL);
}

void rn_parallel_for(unsigned n, void (*work)(void *self, unsigned i), void *self)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	spread(cpus < RN_EACH_MAX ? (unsigned)cpus : RN_EACH_MAX, n, work, self);
}

void rn_each_waiting(unsigned n, void (*work)(void *self, unsigned i), void *self)
{
	spread(RN_EACH_WAITING_MAX, n, work, self);
}
