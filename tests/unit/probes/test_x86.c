/* Where a function is probed cheaply: code made by hand, one thing changed at a time. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <setjmp.h>
#include <cmocka.h>
#include "probes/uprobe/points.h"

#define SUB "\x48\x83\xec\x18"                       /*  0: sub $0x18, %rsp */
#define GUARD "\x64\x48\x8b\x04\x25\x28\x00\x00\x00" /*  4: mov %fs:0x28, %rax */
#define KEEP "\x48\x89\x44\x24\x08\x31\xc0"          /* 13: mov %rax, 8(%rsp); xor %eax, %eax */
#define TEST "\x85\xd2"                              /* 20: test %edx, %edx */
#define JS "\x78\x05"                                /* 22: js 29 */
#define CALL "\xe8\x00\x01\x00\x00"                  /* 24: call elsewhere */
/* 29: mov 8(%rsp), %rdx; sub %fs:0x28, %rdx */
#define CHECK "\x48\x8b\x54\x24\x08\x64\x48\x2b\x14\x25\x28\x00\x00\x00"
#define JNE "\x75\x05"              /* 43: jne 50 */
#define ADD "\x48\x83\xc4\x18"      /* 45: add $0x18, %rsp */
#define RET "\xc3"                  /* 49 */
#define FAIL "\xe8\x00\x02\x00\x00" /* 50: call __stack_chk_fail */
#define WHOLE SUB GUARD KEEP TEST JS CALL CHECK JNE ADD RET FAIL

static bool points(const char *code, size_t n, struct rn_points *p)
{
	return rn_points_find((const uint8_t *)code, (unsigned)n, p);
}
#define POINTS(code, p) points(code, sizeof(code) - 1, p)

static void cheap_places_of_a_function_are_found(void **state)
{
	struct rn_points p;

	(void)state;
	assert_true(POINTS(WHOLE, &p));
	assert_int_equal(p.entry.off, 22);
	assert_int_equal(p.entry.to_frame, 0x18);
	assert_int_equal(p.nleave, 1);
	assert_int_equal(p.leave[0].off, 43);
	assert_int_equal(p.leave[0].to_frame, 0x18);
	/* registers that are cleared and restored on the way out */
	assert_true(POINTS(SUB GUARD KEEP TEST JS CALL CHECK "\x75\x08"
							     "\x48\x83\xc4\x10"
							     "\x5b"
							     "\x31\xff" RET FAIL,
			   &p));
	assert_int_equal(p.leave[0].to_frame, 0x18);
	assert_true(POINTS(SUB GUARD KEEP TEST JS CALL CHECK "\x75\x07"
							     "\x48\x83\xc4\x10"
							     "\x41\x5c" RET FAIL,
			   &p));
	assert_int_equal(p.leave[0].to_frame, 0x18);
}

static void a_function_that_overwrites_its_arguments_is_refused(void **state)
{
	struct rn_points p;

	(void)state;
	/* begins with push: cheap as it is */
	assert_false(POINTS("\x53" WHOLE, &p));
	/* an argument is overwritten */
	assert_false(POINTS(SUB "\x48\x89\xc7" GUARD KEEP TEST JS CALL CHECK JNE ADD RET FAIL, &p));
	/* no branch before ret */
	assert_false(POINTS(SUB GUARD KEEP TEST JS CALL CHECK ADD RET, &p));
	/* the branch is a loop */
	assert_false(POINTS(SUB GUARD KEEP TEST JS CALL CHECK "\x75\xcd" ADD RET FAIL, &p));
	/* the result is set after it, and it leads elsewhere */
	assert_false(POINTS(SUB GUARD KEEP TEST JS CALL CHECK JNE "\x31\xc0" ADD RET FAIL, &p));
	/* the result is set after it */
	assert_false(POINTS(SUB GUARD KEEP TEST JS CALL CHECK "\x75\x07"
							      "\x31\xc0" ADD RET FAIL,
			    &p));
	/* a way around it: to add */
	assert_false(POINTS(SUB GUARD KEEP TEST "\x78\x15" CALL CHECK JNE ADD RET FAIL, &p));
	/* a branch out of the function */
	assert_false(POINTS(SUB GUARD KEEP TEST "\x78\x7f" CALL CHECK JNE ADD RET FAIL, &p));
	/* back to the entry */
	assert_false(
		POINTS(SUB GUARD KEEP TEST JS "\xeb\xf7\x90\x90\x90" CHECK JNE ADD RET FAIL, &p));
	/* a jump to who knows where */
	assert_false(
		POINTS(SUB GUARD KEEP TEST JS "\xff\xe0\x90\x90\x90" CHECK JNE ADD RET FAIL, &p));
	/* what the branch calls may come back */
	assert_false(POINTS(SUB GUARD KEEP TEST JS CALL CHECK JNE ADD RET FAIL "\x90", &p));
	/* not understood */
	assert_false(POINTS(
		SUB GUARD KEEP TEST JS CALL "\xc4\xe2\x78\xf2\xc0" CHECK JNE ADD RET FAIL, &p));
	for (unsigned n = 0; n < sizeof(WHOLE) - 1; n++) /* cut short */
		assert_false(points(WHOLE, n, &p));
}

static void instructions_have_their_lengths(void **state)
{
	static const struct {
		const char *code;
		unsigned n;
	} list[] = {
		{"\x90", 1},
		{"\x55", 1},
		{"\x41\x57", 2},
		{"\xf3\x0f\x1e\xfa", 4},
		{"\x48\x8d\x05\x01\x02\x03\x04", 7},
		{"\x0f\x84\x01\x02\x03\x04", 6},
		{"\x66\xc7\x00\x01\x02", 5},
		{"\x48\xb8\x01\x02\x03\x04\x05\x06\x07\x08", 10},
		{"\xf6\x00\x01", 3},
		{"\xf7\xd8", 2},
		{"\x8b\x04\x25\x28\x00\x00\x00", 7},
		{"\x0f\xb6\x44\x24\x10", 5},
		{"\x66\x0f\x1f\x84\x00\x00\x00\x00\x00", 9},
		{"\x0f\x05", 0},
		{"\x66\xe8\x01\x02\x03\x04", 0}, /* processors differ */
		{"\xe2\x01", 0},
		{"\xc2\x08\x00", 0},
		{"\xc5\xf8\x77", 0},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(list) / sizeof(*list); i++) {
		uint8_t code[16] = {0};

		memcpy(code, list[i].code, list[i].n ? list[i].n : 3);
		assert_int_equal(rn_points_length(code, sizeof(code)), list[i].n);
	}
}

static void some_instructions_may_have_a_probe(void **state)
{
	static const struct {
		const char *code;
		unsigned n;
		bool may;
	} list[] = {
		{"\x55", 1, true},                                 /* push %rbp */
		{"\x48\x89\xf8", 3, true},                         /* mov %rdi,%rax */
		{"\x48\x8d\x05\x01\x02\x03\x04", 7, true},         /* lea 0x4030201(%rip),%rax */
		{"\x64\x48\x8b\x04\x25\x28\x00\x00\x00", 9, true}, /* mov %fs:40,%rax */
		{"\x66\x0f\x6e\xc7", 4, true},                     /* movd %edi,%xmm0 */
		{"\xc3", 1, true},                                 /* ret */
		{"\xe9\x01\x02\x03\x04", 5, true},                 /* jmp */
		{"\xc5\xf9\x6e\xc7", 4, false},         /* vmovd %edi,%xmm0: taken for outsb */
		{"\x62\xf2\x7d\x48\x7a\xcf", 6, false}, /* vpbroadcastb: taken for jp */
		{"\xf0\xff\x06", 3, false},             /* lock incl (%rsi) */
		{"\xf3\xaa", 2, false},                 /* rep stosb: a hit for each round */
		{"\x9c", 1, false},                     /* pushf */
		{"\x2e\x89\xf8", 3, false},             /* mov with a segment's prefix */
		{"\x8e\xd0", 2, false},                 /* mov %eax,%ss */
		{"\x0f\x05", 2, false},                 /* syscall */
		{"\xcc", 1, false},                     /* int3 */
		{"\x6e", 1, false},                     /* outsb */
		{"\x0f\x0b", 2, false},                 /* ud2 */
		{"\xe2\x01", 2, false},                 /* loop */
		{"\x48", 1, false},                     /* cut */
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(list) / sizeof(*list); i++)
		assert_int_equal(rn_points_probed((const uint8_t *)list[i].code, list[i].n),
				 list[i].may);
}

static void a_probe_goes_ahead_to_an_instruction_that_costs_less(void **state)
{
#define CODE(bytes) (const uint8_t *)(bytes), sizeof(bytes) - 1
	static const struct {
		const uint8_t *code;
		unsigned n, ahead;
	} list[] = {
		{CODE("\x55\xc3"), 0},                         /* push %rbp: at once */
		{CODE("\x31\xc0\x55\xc3"), 2},                 /* xor %eax, %eax; push %rbp */
		{CODE("\x85\xff\x74\x01\xc3\xc3"), 2},         /* test %edi, %edi; je */
		{CODE("\xf3\x0f\x1e\xfa\x41\x54\xc3"), 4},     /* endbr64; push %r12 */
		{CODE("\x0f\x1f\x00\x90\xc3"), 3},             /* nop of 3 bytes; nop */
		{CODE("\x31\xff\x55\xc3"), 0},                 /* xor %edi, %edi: an argument */
		{CODE("\x45\x31\xc0\x55\xc3"), 0},             /* xor %r8d, %r8d: another */
		{CODE("\x48\x83\xec\x18\x55\xc3"), 0},         /* sub $0x18, %rsp */
		{CODE("\x8b\x07\x55\xc3"), 0},                 /* mov (%rdi), %eax: may fault */
		{CODE("\x8b\x05\x10\x00\x00\x00\x55\xc3"), 6}, /* mov 16(%rip), %eax */
		{CODE("\x89\x07\x55\xc3"), 0},                 /* mov %eax, (%rdi) */
		{CODE("\x31\xc0\xc3"), 0},                     /* no such instruction */
		{CODE("\x31\xc0\xf0\xff\x07\x55"), 0},         /* lock incl (%rdi) on the way */
		{CODE("\x31\xc0\x0f\x85"), 0},                 /* cut short */
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(list) / sizeof(*list); i++)
		assert_int_equal(rn_points_ahead(list[i].code, list[i].n), list[i].ahead);
	assert_true(rn_points_emulated(CODE("\x41\x54")));
	assert_true(rn_points_emulated(CODE("\xe8\x00\x01\x00\x00")));
	assert_false(rn_points_emulated(CODE("\x66\x50")));
	assert_false(rn_points_emulated(CODE("\x0f\x1f\x00")));
	assert_false(rn_points_emulated(CODE("\xff\xd0"))); /* call *%rax */
	assert_false(rn_points_emulated(CODE("\xc3")));
#undef CODE
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(some_instructions_may_have_a_probe),
		cmocka_unit_test(cheap_places_of_a_function_are_found),
		cmocka_unit_test(a_function_that_overwrites_its_arguments_is_refused),
		cmocka_unit_test(instructions_have_their_lengths),
		cmocka_unit_test(a_probe_goes_ahead_to_an_instruction_that_costs_less)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
