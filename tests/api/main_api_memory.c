/* main_api_memory.c - api_memory TRACE: librunnel in processes that may have little memory. Each
 * process of its own opens a session, lets its address space grow by so many KiB and no more, and
 * asks everything; the next one may have a little more. None may die. Each answer is the same as
 * without a limit, or an error that says that memory, or a thread, is lacking. Exit 0: all of this
 * held. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "repl/api/runnel.h"

enum { STEP_KIB = 1024, STEPS = 48, BIG = 100 << 20 };

static const char *trace;
static const char *const texts[] = {
	"count of syscall by proc from $from",
	"count, p99(latency), hist(latency), distinct(pid) of syscall by proc, pid, tid, latency "
	"from $from order by latency limit 5",
	"time, proc, pid, latency of syscall from $from order by latency, time",
	"let all := time, proc, pid, latency of syscall from $from; count, sum(latency) of all by "
	"proc",
	"top 3 of (count of syscall by pid, tid from $from)",
	"count of (events of syscall from $from)",
	"use io; count of syscall where proc in (count of read by proc from $from) from $from",
	"count of syscall where latency > 10 by prc from $from",
	"count of syscall by proc, name for 20ms", /* live, where that is permitted */
};
enum { TEXTS = sizeof(texts) / sizeof(*texts) };
static unsigned long long *sums; /* of each text without a limit; shared with the processes */

/* A status, and the sum over what the rows say. */
static int ask(struct runnel *r, const char *text, unsigned long long *sum)
{
	struct runnel_query *q = runnel_query_new(r, text);
	int status = RUNNEL_OK;
	const struct runnel_error *e;

	*sum = 5381;
	if (strstr(text, "$from"))
		status = runnel_bind_text(q, "from", trace, -1);
	if (status == RUNNEL_OK)
		status = runnel_prepare(q);
	while (status >= 0 && (status = runnel_step(q, -1)) == RUNNEL_ROW)
		for (unsigned i = 0; i < runnel_column_count(q); i++)
			for (const char *s = runnel_get_text(q, i, NULL); *s; s++)
				*sum = *sum * 33 + (unsigned char)*s;
	if (status == RUNNEL_DONE && !runnel_ledger_of(q, -1))
		status = -99;
	e = runnel_error(q, 0);
	if (status < 0 && (!e || !e->message[0] || !runnel_error_text(q)[0]))
		status = -98; /* an error must say something */
	if (status == RUNNEL_E_SYSTEM && e && e->system != EAGAIN && e->system != ENOMEM &&
	    e->system != EPERM && e->system != EACCES)
		fprintf(stderr, "%s\n", runnel_error_text(q));
	runnel_query_free(q);
	return status;
}

/* Texts and parameters of 100 MB are refused for their size, whatever memory there is. */
static int ask_big(struct runnel *r)
{
	char *big =
		mmap(NULL, BIG + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int bad = 0;
	struct runnel_query *q;

	if (big == MAP_FAILED)
		return 1;
	memset(big, 'x', BIG);
	q = runnel_query_new(r, big);
	bad |= runnel_prepare(q) != RUNNEL_E_QUERY ||
	       strcmp(runnel_error(q, 0)->code, "E-LIMIT-TEXT") ||
	       !strstr(runnel_error_text(q), "104857600");
	bad |= runnel_bind_text(q, "x", big, -1) != RUNNEL_E_MISUSE;
	bad |= runnel_bind_value(q, "x", big) != RUNNEL_E_MISUSE;
	runnel_query_free(q);
	munmap(big, BIG + 4096);
	return bad;
}

static void limit(size_t more)
{
	long pages = 0;
	FILE *f = fopen("/proc/self/statm", "re");
	struct rlimit l;

	if (!f || fscanf(f, "%ld", &pages) != 1)
		_exit(3);
	fclose(f);
	l = (struct rlimit){.rlim_cur = (rlim_t)pages * 4096 + more, .rlim_max = RLIM_INFINITY};
	setrlimit(RLIMIT_AS, &l);
}

/* opened: the session is there before the limit. Exit: 0, bit 1: something was answered, bit 2:
 * something was refused for memory; 64: wrong. */
static int child(size_t more, int opened)
{
	struct runnel *r = opened ? runnel_open(NULL) : NULL;
	int result = 0;

	limit(more);
	if (!opened)
		r = runnel_open(NULL);
	for (int i = 0; i < TEXTS; i++) {
		unsigned long long sum;
		int status = ask(r, texts[i], &sum);

		if (status == RUNNEL_DONE || status == RUNNEL_E_QUERY)
			result |= sum == sums[i] || i == TEXTS - 1 ? 1 : 64;
		else
			result |= status == RUNNEL_E_NOMEM || status == RUNNEL_E_SYSTEM ? 2 : 64;
		if (result & 64) {
			fprintf(stderr, "%zu KiB more: %s: %s\n", more >> 10, texts[i],
				runnel_status_name(status));
			break;
		}
	}
	runnel_close(r);
	return result;
}

int main(int argc, char **argv)
{
	struct runnel *r = runnel_open(NULL);
	int failures = 0, answered = 0, refused = 0;

	if (argc < 2)
		return 2;
	trace = argv[1];
	sums = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (int i = 0; i < TEXTS; i++)
		ask(r, texts[i], &sums[i]);
	failures += ask_big(r);
	runnel_close(r);
	for (int i = 0; i < 2 * STEPS; i++) {
		int status;
		pid_t pid = fork();

		if (!pid)
			_exit(child((size_t)(i / 2) * STEP_KIB << 10, i % 2));
		if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status) ||
		    WEXITSTATUS(status) & 64) {
			fprintf(stderr, "%d KiB, %s: %s %d\n", i / 2 * STEP_KIB,
				i % 2 ? "opened before" : "all",
				WIFEXITED(status) ? "exit" : "signal",
				WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
			failures++;
			continue;
		}
		answered += WEXITSTATUS(status) & 1;
		refused += WEXITSTATUS(status) >> 1 & 1;
	}
	printf("%d processes, %d with answers, %d without memory for some, %d failures\n",
	       2 * STEPS, answered, refused, failures);
	return failures || !answered || !refused;
}
