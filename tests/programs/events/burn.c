/* burn.c - uses the CPU in known functions, so that a profile can be held against it.
 *
 *     burn MS [TIMES]
 *
 * MS milliseconds of CPU time (of the thread, by its own clock) in `burn_hot`, called by
 * `burn_outer`, called by main; then TIMES system calls getppid. Each function keeps its frame. It
 * ends as soon as the time is used, however long that takes. */
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define FRAME __attribute__((noinline, noclone))
#define FRAMED __asm__ volatile("" : : "r"(__builtin_frame_address(0)) : "memory")

static volatile unsigned long work;

static long used_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

FRAME static void burn_hot(void)
{
	for (int i = 0; i < 3000000; i++)
		work = work * 3 + 1;
	FRAMED;
}

FRAME static void burn_outer(long ms)
{
	/* where the machine is emulated, loading libc has used hundreds of milliseconds by now */
	long begin = used_ms();

	while (used_ms() - begin < ms)
		burn_hot();
	FRAMED;
}

FRAME int main(int argc, char **argv)
{
	burn_outer(argc > 1 ? atol(argv[1]) : 100);
	for (long i = argc > 2 ? atol(argv[2]) : 0; i > 0; i--)
		syscall(SYS_getppid);
	return 0;
}
