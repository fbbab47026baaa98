/* each.c - see each.h. */
#include "probes/each.h"
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

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

void rn_each(unsigned n, void (*work)(void *self, unsigned i), void *self)
{
	struct each e = {.n = n, .work = work, .self = self};
	pthread_t t[RN_EACH_MAX];
	unsigned nt = 0;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (nt + 1 < RN_EACH_MAX && nt + 1 < n && (long)nt + 1 < cpus && !pthread_create(&t[nt], NULL, take, &e))
		nt++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	take(&e);
	while (nt)
		pthread_join(t[--nt], NULL);
}
