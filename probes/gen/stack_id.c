/* stack_id.c - the event's stack, kept in the kernel: its number goes to the program's stack, at
 * rn_gen.mat.
 *
 * The number is a place in one of RN_STACK_WAYS maps (stack.h): the first map whose place is free,
 * or already holds this stack. */
#include <errno.h>
#include <linux/bpf.h>
#include "probes/gen/gen_impl.h"

void rn_gen_fetch_stack(struct rn_gen *gen, enum rn_cached m)
{
	struct rn_emit *emit = gen->emit;
	int done = rn_emit_label(emit), none = rn_emit_label(emit), found[RN_STACK_WAYS];
	bool user = m == RN_CACHED_USTACK;

	if (!gen->ctx_off) {
		rn_gen_fail(gen, "a stack can be a key or a column only");
		return;
	}
	rn_emit_note(emit, "%s", user ? "the program's stack" : "the kernel's stack");
	/* kernel threads have none; for idle threads the helper's answers vary */
	if (user) {
		rn_gen_member(gen, BPF_DW, BPF_REG_1, BPF_REG_8, RN_BM_TASK_MM);
		rn_emit_jmpi(emit, BPF_JEQ, BPF_REG_1, 0, none);
	}
	for (int i = 0; i < RN_STACK_WAYS; i++) {
		found[i] = rn_emit_label(emit);
		rn_emit_ldx(emit, BPF_DW, BPF_REG_1, BPF_REG_10, gen->ctx_off, NULL);
		rn_emit_map(emit, BPF_REG_2, RN_MAP_STACKS0 + i);
		rn_emit_movi(emit, BPF_REG_3, user ? BPF_F_USER_STACK : 0);
		rn_emit_call(emit, BPF_FUNC_get_stackid);
		rn_emit_jmpi(emit, BPF_JSGE, BPF_REG_0, 0, found[i]);
		/* a program's code is in no function of the kernel */
		if ((user || rn_hook_row(gen->hook)->at == RN_AT_CLOCK) && !i)
			rn_emit_jmpi(emit, BPF_JEQ, BPF_REG_0, -EFAULT, none);
		gen->out->map[RN_MAP_STACKS0 + i].used = true;
	}
	rn_emit_note(emit, "no place for it");
	rn_gen_stat(gen, RN_STAT_LOST_STACK);
	rn_emit_movi(emit, BPF_REG_0, RN_STACK_LOST);
	rn_emit_ja(emit, done);
	rn_emit_bind(emit, none);
	rn_emit_movi(emit, BPF_REG_0, RN_STACK_NONE);
	rn_emit_ja(emit, done);
	/* falling through adds one way after the other */
	for (int i = RN_STACK_WAYS - 1; i >= 0; i--) {
		rn_emit_bind(emit, found[i]);
		if (i)
			rn_emit_alui(emit, BPF_ADD, BPF_REG_0, 1 << RN_STACK_WAY_SHIFT);
	}
	rn_emit_bind(emit, done);
	rn_emit_stx(emit, BPF_DW, BPF_REG_10, gen->cached[m], BPF_REG_0);
}

void rn_gen_store_stack(struct rn_gen *gen, bool user, int base, int off)
{
	enum rn_cached m = user ? RN_CACHED_USTACK : RN_CACHED_STACK;
	struct rn_emit *emit = gen->emit;
	int known = rn_emit_label(emit);

	rn_gen_cache(gen, m);
	rn_emit_ldx(emit, BPF_DW, BPF_REG_1, BPF_REG_10, gen->cached[m], NULL);
	rn_emit_stx(emit, BPF_DW, base, off, BPF_REG_1);
	if (!user)
		return;
	rn_emit_movi(emit, BPF_REG_2, 0);
	rn_emit_jmpi(emit, BPF_JSLT, BPF_REG_1, 0, known);
	rn_gen_member(gen, BPF_W, BPF_REG_2, BPF_REG_8, RN_BM_TASK_TGID);
	rn_gen_member(gen, BPF_W, BPF_REG_3, BPF_REG_8, RN_BM_TASK_EXEC_ID);
	rn_emit_alui(emit, BPF_LSH, BPF_REG_3, 32);
	rn_emit_alu(emit, BPF_OR, BPF_REG_2, BPF_REG_3);
	rn_emit_bind(emit, known);
	rn_emit_stx(emit, BPF_DW, base, off + 8, BPF_REG_2);
}
