/* errors.c - checks a query without running it, as an editor would: what is wrong, where, and what
 * to do about it.
 *
 *	cc errors.c -o errors $(pkg-config --cflags --libs runnel)
 *	./errors 'p99(latncy) of read where latency > 10 by proc' */
#include <runnel.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	const char *text = argc > 1 ? argv[1] : "p99(latncy) of read where latency > 10 by proc";
	struct runnel *r = runnel_open(NULL);
	struct runnel_query *q = runnel_query_new(r, text);
	int status = runnel_prepare(q);

	for (unsigned i = 0; i < runnel_error_count(q); i++) {
		const struct runnel_error *e = runnel_error(q, i);

		printf("%s at %s:%u:%u, bytes %zu to %zu", e->code, e->source, e->line, e->column,
		       e->start, e->end);
		printf(", `%.*s`: %s\n", (int)(e->end - e->start), text + e->start, e->message);
		if (e->hint[0])
			printf("  %s\n", e->hint);
	}
	for (unsigned i = 0; i < runnel_column_count(q); i++)
		printf("%s: %s\n", runnel_column(q, i)->name, runnel_column(q, i)->type_name);
	runnel_close(r);
	return status == RUNNEL_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
