/* sessions.c - two sessions in two threads, which know nothing of each other: each runs its own
 * query.
 *
 *	cc sessions.c -o sessions $(pkg-config --cflags --libs runnel) -lpthread
 *	./sessions 'count of read for 1s' 'count of write for 1s' */
#include <pthread.h>
#include <runnel.h>
#include <stdio.h>
#include <stdlib.h>

struct work {
	const char *text;
	char answer[256];
	int status;
};

static void *run(void *arg)
{
	struct work *w = arg;
	struct runnel *r = runnel_open(NULL);
	struct runnel_query *q = runnel_query_new(r, w->text);

	w->status = runnel_prepare(q);
	while (w->status >= 0 && (w->status = runnel_step(q, -1)) == RUNNEL_ROW)
		snprintf(w->answer, sizeof(w->answer), "%s = %s", runnel_column(q, 0)->name,
			 runnel_get_text(q, 0, NULL));
	if (w->status < 0)
		snprintf(w->answer, sizeof(w->answer), "%s", runnel_error_text(q));
	runnel_close(r);
	return NULL;
}

int main(int argc, char **argv)
{
	struct work w[2] = {{.text = argc > 1 ? argv[1] : "count of read for 1s"},
			    {.text = argc > 2 ? argv[2] : "count of write for 1s"}};
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, run, &w[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < 2; i++)
		printf("%s: %s\n", w[i].text, w[i].answer);
	return w[0].status < 0 || w[1].status < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
