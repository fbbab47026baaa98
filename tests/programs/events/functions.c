/* functions.c - calls its own functions a known number of times, and says how often.
 *
 *     functions WHAT [N]
 *
 * WHAT, and what it calls:
 *   args         six_args N times, with known arguments
 *   deep         go_down, N deep
 *   stay         the same, and the process stays for a second
 *   threads      do_step N times in each of eight threads
 *   jump         leap N times, which longjmp leaves
 *   children     do_step in N children of vfork
 *   tail         first N times, which ends with a jump to second
 *   stacks       do_step N times in each of two contexts that take turns on stacks of their own
 *   end          linger in N threads, which ends them; and in N more, which are cancelled in it
 *   late FILE N  the function `late` of that library
 *
 *   cost         do_step N times: prints the nanoseconds of a call
 *   cost-framed  the same of framed, which begins as most functions do: with a push
 *
 * Prints FUNCTION=CALLS. */
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define SEEN __attribute__((noinline, noclone, visibility("default")))
#define HERE() __asm__ volatile("" ::: "memory")

SEEN long six_args(long a, long b, long c, long d, long e, long f)
{
	HERE();
	return a + b + c + d + e + f;
}

SEEN long go_down(long n)
{
	HERE();
	return n > 1 ? go_down(n - 1) + 1 : 1;
}

SEEN long do_step(long n)
{
	HERE();
	return n;
}

SEEN long framed(long n)
{
	do_step(n);
	HERE();
	return n;
}

static jmp_buf back;
SEEN void leap(int n)
{
	HERE();
	longjmp(back, n);
}

static void *thread(void *n)
{
	for (long i = 0; i < *(long *)n; i++)
		do_step(i);
	return NULL;
}

static void threads(long n)
{
	pthread_t t[8];

	for (int i = 0; i < 8; i++)
		pthread_create(&t[i], NULL, thread, &n);
	for (int i = 0; i < 8; i++)
		pthread_join(t[i], NULL);
}

static void children(long n)
{
	for (long i = 0; i < n; i++) {
		pid_t pid = vfork();

		if (!pid) {
			do_step(i);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
}

SEEN long second(long n)
{
	HERE();
	return n + 2;
}

SEEN long first(long n)
{
	HERE();
	return second(n + 1);
}

static ucontext_t at[3];
static long turns;
static void turn(int me)
{
	for (long i = 0; i < turns; i++) {
		do_step(i);
		swapcontext(&at[me], &at[3 - me]);
	}
	setcontext(&at[0]);
}

/* Leaves the context in the midst of a function. */
SEEN void take_turns(long n)
{
	static char stack[2][65536];

	turns = n;
	for (int i = 1; i < 3; i++) {
		getcontext(&at[i]);
		at[i].uc_stack.ss_sp = stack[i - 1];
		at[i].uc_stack.ss_size = sizeof(stack[0]);
		makecontext(&at[i], (void (*)(void))turn, 1, i);
	}
	swapcontext(&at[0], &at[1]);
}

SEEN void linger(int cancelled)
{
	if (!cancelled)
		pthread_exit(NULL);
	for (;;)
		pause();
}

static void *end(void *cancelled)
{
	linger(cancelled != NULL);
	return NULL;
}

static void ends(long n)
{
	for (long i = 0; i < 2 * n; i++) {
		pthread_t t;

		pthread_create(&t, NULL, end, i < n ? NULL : &t);
		if (i >= n)
			pthread_cancel(t);
		pthread_join(t, NULL);
	}
}

static int late(const char *path, long n)
{
	void *library = dlopen(path, RTLD_NOW);
	long (*function)(long);

	*(void **)&function = library ? dlsym(library, "late") : NULL;
	for (long i = 0; function && i < n; i++)
		function(i);
	return function ? 0 : 1;
}

static void cost(long (*of)(long), long n)
{
	struct timespec from, to;

	clock_gettime(CLOCK_MONOTONIC, &from);
	for (volatile long i = 0; i < n; i++)
		of(i);
	clock_gettime(CLOCK_MONOTONIC, &to);
	printf("%.1f\n",
	       ((double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec)) /
		       (double)n);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	long n = argc > 2 ? strtol(argv[2], NULL, 10) : 1;

	if (!strcmp(what, "args")) {
		for (volatile long i = 0; i < n; i++)
			six_args(1, -2, 3L << 40, 4, 5, i);
		printf("six_args=%ld\n", n);
	} else if (!strcmp(what, "deep") || !strcmp(what, "stay")) {
		printf("go_down=%ld\n", go_down(n));
		sleep(!strcmp(what, "stay"));
	} else if (!strcmp(what, "threads")) {
		threads(n);
		printf("do_step=%ld\n", 8 * n);
	} else if (!strcmp(what, "jump")) {
		for (volatile long i = 0; i < n; i++)
			if (!setjmp(back))
				leap(1);
		printf("leap=%ld\n", n);
	} else if (!strcmp(what, "tail")) {
		for (volatile long i = 0; i < n; i++)
			first(i);
		printf("first=%ld second=%ld\n", n, n);
	} else if (!strcmp(what, "stacks")) {
		take_turns(n);
		printf("do_step=%ld\n", 2 * n);
	} else if (!strcmp(what, "end")) {
		ends(n);
		printf("linger=%ld\n", 2 * n);
	} else if (!strcmp(what, "children")) {
		children(n);
		printf("do_step=%ld\n", n);
	} else if (!strcmp(what, "cost")) {
		cost(do_step, n);
	} else if (!strcmp(what, "cost-framed")) {
		cost(framed, n);
	} else if (!strcmp(what, "late")) {
		n = argc > 3 ? strtol(argv[3], NULL, 10) : 1;
		printf("late=%ld\n", n);
		return late(argv[2], n);
	} else {
		return 2;
	}
	return 0;
}
