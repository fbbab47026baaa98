/* chain.c - calls getppid through known chains of functions, so that stacks can be held against
 * them.
 *
 *     chain [COUNT [MS [BITS]]]
 *
 * main > a > b > c COUNT times, main > a > d twice as often; with BITS, each of the 2^BITS chains
 * of so many times `zero` or `one`, once; then it lives MS milliseconds more. Each function asks
 * for its frame's address, and so has a frame; the system call is made in place, because a wrapper
 * without a frame would hide its caller. */
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FRAME __attribute__((noinline, noclone))
#define FRAMED __asm__ volatile("" : : "r"(__builtin_frame_address(0)) : "memory")

static inline __attribute__((always_inline)) void call(void)
{
	long r = SYS_getppid;

	__asm__ volatile("syscall"
			 : "+a"(r)
			 : "r"(__builtin_frame_address(0))
			 : "rcx", "r11", "memory");
}

FRAME static void chain_c(void)
{
	call();
	FRAMED;
}
FRAME static void chain_b(void)
{
	chain_c();
	FRAMED;
}
FRAME static void chain_d(void)
{
	call();
	FRAMED;
}
FRAME static void chain_a(long n)
{
	for (long i = 0; i < n; i++) {
		chain_b();
		chain_d();
		chain_d();
	}
	FRAMED;
}

FRAME static void one(unsigned path, long bits);
FRAME static void zero(unsigned path, long bits)
{
	if (!bits)
		call();
	else if (path & 1)
		one(path >> 1, bits - 1);
	else
		zero(path >> 1, bits - 1);
	FRAMED;
}
FRAME static void one(unsigned path, long bits)
{
	if (!bits)
		call();
	else if (path & 1)
		one(path >> 1, bits - 1);
	else
		zero(path >> 1, bits - 1);
	FRAMED;
}

FRAME int main(int argc, char **argv)
{
	chain_a(argc > 1 ? atol(argv[1]) : 1);
	for (unsigned i = 0; argc > 3 && i < 1u << atol(argv[3]); i++)
		zero(i, atol(argv[3]));
	usleep(argc > 2 ? (useconds_t)atol(argv[2]) * 1000 : 0);
	return 0;
}
