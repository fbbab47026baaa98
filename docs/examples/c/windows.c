/* windows.c - prints the windows of a query as they are over, until a second thread has had enough
 * of them and ends it.
 *
 *	cc windows.c -o windows $(pkg-config --cflags --libs runnel) -lpthread
 *	./windows 'count of syscall by proc every 1s' 5 */
#include <pthread.h>
#include <runnel.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

static sem_t enough;

/* Any thread may end a query; a signal handler may, too. runnel_stop instead would have what is
 * left of the answer delivered. */
static void *guard(void *session)
{
	sem_wait(&enough);
	runnel_cancel(session);
	return NULL;
}

int main(int argc, char **argv)
{
	struct runnel *r = runnel_open(NULL);
	struct runnel_query *q =
		runnel_query_new(r, argc > 1 ? argv[1] : "count of syscall by proc every 1s");
	int wanted = argc > 2 ? atoi(argv[2]) : 3, windows = 0, status = runnel_prepare(q);
	int64_t last = 0;
	pthread_t t;

	sem_init(&enough, 0, 0);
	pthread_create(&t, NULL, guard, r);
	while (status >= 0 && (status = runnel_step(q, -1)) == RUNNEL_ROW) {
		if (runnel_window(q) != last) { /* a new one: rows of one window come together */
			last = runnel_window(q);
			if (windows++ == wanted)
				sem_post(&enough);
			if (windows <= wanted)
				printf("window %d\n", windows);
		}
		if (windows <= wanted)
			printf("  %s %s\n", runnel_get_shown(q, 1), runnel_get_shown(q, 2));
	}
	sem_post(&enough);
	pthread_join(t, NULL);
	if (status == RUNNEL_INTERRUPTED)
		puts("ended");
	else if (status == RUNNEL_DONE)
		puts("over before that");
	else
		fputs(runnel_error_text(q), stderr);
	runnel_close(r); /* and its queries */
	return status < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
