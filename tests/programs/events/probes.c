/* probes.c - a program with static probes, whose notes are written here by hand: it hits them a
 * known number of times, and says how often.
 *
 *     probes WHAT [N] [MS]
 *
 * WHAT, and what it hits N times:
 *   forms    kinds:forms, whose arguments are in all places that there are; prints their values
 *   places   kinds:places at two places, with different operands; kinds:bare, without arguments
 *   guarded  kinds:guarded, behind a semaphore: prints how often it was on, then whether it is
 *   texts    kinds:text, which points to `text 0`, `text 1`, `text 2`; to NULL; and to nothing
 *   odd      other:odd, of whose operands some cannot be read; other:locked, where no probe may sit
 *   wait     nothing, for a minute
 *
 * It waits for MS milliseconds first, and between the hits of `guarded`. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A note of type 3, of the owner `stapsdt`: where the instruction is, where the section
 * .stapsdt.base was then, the semaphore, provider, name and operands. */
#define PROBE(provider, name, semaphore, args, instruction) \
	"990: " instruction "\n" \
	".pushsection .note.stapsdt,\"\",\"note\"\n" \
	".balign 4\n" \
	".4byte 992f-991f, 994f-993f, 3\n" \
	"991: .asciz \"stapsdt\"\n" \
	"992: .balign 4\n" \
	"993: .8byte 990b, _.stapsdt.base, " semaphore "\n" \
	".asciz \"" provider "\"\n" \
	".asciz \"" name "\"\n" \
	".asciz \"" args "\"\n" \
	"994: .balign 4\n" \
	".popsection\n" \
	".ifndef _.stapsdt.base\n" \
	".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n" \
	".weak _.stapsdt.base\n" \
	".hidden _.stapsdt.base\n" \
	"_.stapsdt.base: .space 1\n" \
	".size _.stapsdt.base, 1\n" \
	".popsection\n" \
	".endif\n"

uint16_t guard __attribute__((section(".probes")));
static int where = 7; /* of `odd` */

static void pause_ms(long ms)
{
	struct timespec t = {ms / 1000, ms % 1000 * 1000000};

	nanosleep(&t, NULL);
}

static void forms(long n)
{
	struct {
		int64_t whole;
		int32_t part, one;
		uint8_t bytes[8];
	} at = {0, -70000, 1, {200, 201, 202, 203, 204, 205, 206, 207}};

	for (long i = 0; i < n; i++) {
		at.whole = i * 1000;
		__asm__ volatile(PROBE("kinds", "forms", "0",
				       "-4@%%edi 8@%%rsi 2@%%ax 1@%%ah -1@%%dl -8@$-5 8@(%%rbx) "
				       "-4@8(%%rbx) 1@16(%%rbx,%%rcx) 8@-24(%%rbx,%%rcx,8) "
				       "4@$4294967295 -2@8(%%rbx)",
				       "nop")
				 :
				 : "D"((int)-i), "S"(i + (1L << 40)), "a"(0x12345678), "d"(-3L),
				   "b"(&at), "c"(3L), "m"(at));
		printf("[%ld,%ld,%d,%d,-3,-5,%ld,-70000,203,%ld,4294967295,%d,1]\n", -i,
		       i + (1L << 40), 0x5678, 0x56, (long)at.whole, (long)at.whole,
		       (int16_t)-70000);
	}
}

static void places(long n)
{
	for (long i = 0; i < n; i++) {
		__asm__ volatile(PROBE("kinds", "places", "0", "8@%[a]", "nop") : : [a] "r"(i));
		__asm__ volatile(PROBE("kinds", "places", "0", "4@$1000", "nop"));
		__asm__ volatile(PROBE("kinds", "bare", "0", "", "nop"));
	}
	printf("kinds:bare=%ld kinds:places=%ld\n", n, 2 * n);
}

static void guarded(long n, long ms)
{
	long on = 0;

	for (long i = 0; i < n; i++) {
		if (__atomic_load_n(&guard, __ATOMIC_RELAXED)) {
			on++;
			__asm__ volatile(PROBE("kinds", "guarded", "guard", "8@%[a]", "nop")
					 :
					 : [a] "r"(i));
		}
		pause_ms(ms);
	}
	printf("kinds:guarded=%ld %d\n", on, guard);
}

static void texts(long n)
{
	char text[16];

	for (long i = 0; i < n; i++) {
		const char *p = i % 5 == 3 ? NULL : i % 5 == 4 ? (const char *)1 : text;

		snprintf(text, sizeof(text), "text %ld", i % 5);
		__asm__ volatile(PROBE("kinds", "text", "0", "8@%[p] 8@%[i]", "nop")
				 :
				 : [p] "r"(p), [i] "r"(i)
				 : "memory");
	}
	printf("kinds:text=%ld\n", n);
}

static void odd(long n)
{
	long x = 0;

	for (long i = 0; i < n; i++) {
		__asm__ volatile(PROBE("other", "odd", "0",
				       "4@where(%%rip) 8f@%%xmm0 8@%[i] 8@(%[null])", "nop")
				 :
				 : [i] "r"(i), [null] "r"(0L), "m"(where));
		__asm__ volatile(PROBE("other", "locked", "0", "8@%[i]", "lock incq (%[x])")
				 :
				 : [i] "r"(i), [x] "r"(&x)
				 : "memory");
	}
	printf("other:odd=%ld %ld\n", n, x);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	long n = argc > 2 ? strtol(argv[2], NULL, 10) : 1,
	     ms = argc > 3 ? strtol(argv[3], NULL, 10) : 0;

	pause_ms(ms);
	if (!strcmp(what, "forms"))
		forms(n);
	else if (!strcmp(what, "places"))
		places(n);
	else if (!strcmp(what, "guarded"))
		guarded(n, ms);
	else if (!strcmp(what, "texts"))
		texts(n);
	else if (!strcmp(what, "odd"))
		odd(n);
	else if (!strcmp(what, "wait"))
		pause_ms(60000);
	else
		return 2;
	return 0;
}
