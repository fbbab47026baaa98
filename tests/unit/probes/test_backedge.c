/* Loops that run into their beginning: code made by hand, and what becomes of it. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <setjmp.h>
#include <cmocka.h>
#include "probes/intrinsics/loop_jumps.h"

#define ADD \
	{ \
		.code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_1, .imm = 1 \
	}
#define JA(to) \
	{ \
		.code = BPF_JMP | BPF_JA, .off = (to) \
	}
#define JNE(to) \
	{ \
		.code = BPF_JMP | BPF_JNE | BPF_K, .dst_reg = BPF_REG_1, .off = (to) \
	}
#define CALL(to) \
	{ \
		.code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_CALL, .imm = (to) \
	}
#define EXIT \
	{ \
		.code = BPF_JMP | BPF_EXIT \
	}
#define MEND(in, to, n) rn_backedge_mend(in, sizeof(in) / sizeof(*in), to, n)

/* 0 goes to the middle, 3; what it does stands before it, and runs into it. */
static void runs_into_its_beginning(void **state)
{
	static const struct bpf_insn in[] = {JA(2), ADD, CALL(3), JNE(-3), JA(0), EXIT, EXIT};
	static const struct bpf_insn want[] = {JA(3),   ADD,   CALL(4), JA(0),
					       JNE(-4), JA(0), EXIT,    EXIT};
	uint32_t to[7];
	unsigned n;
	struct bpf_insn *out = MEND(in, to, &n);

	(void)state;
	assert_int_equal(n, 8);
	assert_memory_equal(out, want, sizeof(want));
	assert_int_equal(to[2], 2);
	assert_int_equal(to[3], 4);
	free(out);
}

static void left_as_it_is(void **state)
{
	static const struct bpf_insn in[] = {ADD, ADD, JNE(-2), ADD, JNE(1), ADD, EXIT};
	uint32_t to[7];
	unsigned n;
	struct bpf_insn *out = MEND(in, to, &n);

	(void)state;
	assert_int_equal(n, 7);
	assert_memory_equal(out, in, sizeof(in));
	assert_int_equal(to[6], 6);
	free(out);
}

static void too_far(void **state)
{
	static struct bpf_insn in[32771];
	static uint32_t to[32771];
	unsigned n;

	(void)state;
	for (unsigned i = 0; i < 32771; i++)
		in[i] = (struct bpf_insn)ADD;
	in[0] = (struct bpf_insn)JA(32767);
	in[32769] = (struct bpf_insn)JNE(-32768);
	in[32770] = (struct bpf_insn)EXIT;
	in[32767] = (struct bpf_insn)JNE(-10);
	in[32760] = (struct bpf_insn)JA(1);
	assert_null(MEND(in, to, &n));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_into_its_beginning),
		cmocka_unit_test(left_as_it_is),
		cmocka_unit_test(too_far),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
