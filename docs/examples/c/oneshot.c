/* oneshot.c - puts one query to this machine, or to a recording, and prints its rows and how
 * complete they are.
 *
 *	cc oneshot.c -o oneshot $(pkg-config --cflags --libs runnel)
 *	./oneshot 'count, sum(bytes) of write where proc = $who by file for 2s' who=tar */
#include <runnel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_row(struct runnel_query *q)
{
	for (unsigned i = 0; i < runnel_column_count(q); i++)
		printf("%s%s", i ? "\t" : "", runnel_get_shown(q, i));
	putchar('\n');
}

/* NAME=VALUE, as on the command line of runnel. */
static int bind(struct runnel_query *q, char *arg)
{
	char *value = strchr(arg, '=');

	if (!value)
		return RUNNEL_E_MISUSE;
	*value++ = '\0';
	return runnel_bind_value(q, arg, value);
}

int main(int argc, char **argv)
{
	struct runnel *r = runnel_open(NULL);
	struct runnel_query *q =
		runnel_query_new(r, argc > 1 ? argv[1] : "count of syscall by proc for 2s");
	int status = RUNNEL_OK;

	for (int i = 2; i < argc && status == RUNNEL_OK; i++)
		status = bind(q, argv[i]);
	if (status == RUNNEL_OK)
		status = runnel_prepare(q);
	if (status == RUNNEL_OK) {
		for (unsigned i = 0; i < runnel_column_count(q); i++)
			printf("%s%s", i ? "\t" : "", runnel_column(q, i)->name);
		putchar('\n');
		while ((status = runnel_step(q, -1)) == RUNNEL_ROW)
			print_row(q);
	}
	if (status == RUNNEL_DONE)
		fputs(runnel_ledger_text(q), stderr);
	else
		fputs(runnel_error_text(q), stderr);
	status = status == RUNNEL_DONE ? EXIT_SUCCESS : EXIT_FAILURE;
	runnel_query_free(q);
	runnel_close(r);
	return status;
}
