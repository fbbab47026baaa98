/* clone.c - ioctls by which files share blocks are operations of their own (FICLONE, ...): copies.
 * A branch of the program of system calls handles them. So no second program runs at every call,
 * and other calls pay for two comparisons. */
#include <asm/unistd.h>
#include "probes/gen/gen_impl.h"

static const uint16_t ops[] = {RN_OP_FICLONE, RN_OP_FICLONERANGE, RN_OP_FIDEDUPERANGE};
enum { NOPS = sizeof(ops) / sizeof(*ops) };

unsigned rn_gen_clone_ops(const uint16_t **nr)
{
	*nr = ops;
	return NOPS;
}

void rn_gen_clone_numbers(struct rn_gen *gen)
{
	gen->clones = false;
	for (unsigned i = 0; i < NOPS; i++)
		gen->clones |= rn_class_covers(gen->cls, ops[i]);
}

void rn_gen_clone_class(struct rn_gen *gen)
{
	int on = rn_emit_label(gen->emit);
	const uint16_t *copying;
	bool tag = gen->fragment->cls->id == RN_CLS_TAG && gen->hook == RN_HOOK_SYS_EXIT;
	unsigned n = gen->nnr, more = tag ? rn_gen_copying(&copying) : 0;
	uint16_t *nr = RN_NEWN(gen->arena, uint16_t, n + more + 1);

	for (unsigned i = 0; i < n; i++)
		nr[i] = gen->nr[i];
	for (unsigned i = 0; i < more; i++) /* unsearched.c takes them out again */
		nr[n++] = copying[i];
	nr[n++] = __NR_ioctl;
	rn_gen_nr_test(gen, nr, n, false, gen->out_label);
	rn_emit_jmpi(gen->emit, BPF_JNE, BPF_REG_1, __NR_ioctl, on);
	rn_emit_note(gen->emit, "of the ioctls, those that share blocks");
	rn_gen_member(gen, BPF_W, BPF_REG_1, BPF_REG_6, RN_BM_REGS_SI);
	rn_emit_jmpi(gen->emit, BPF_JEQ, BPF_REG_1, RN_IOCTL_FICLONE, on);
	rn_emit_jmpi(gen->emit, BPF_JEQ, BPF_REG_1, RN_IOCTL_FICLONERANGE, on);
	/* An immediate is signed; the function that reads the call checks the value again. */
	rn_emit_alui(gen->emit, BPF_AND, BPF_REG_1, INT32_MAX);
	rn_emit_jmpi(gen->emit, BPF_JNE, BPF_REG_1, RN_IOCTL_FIDEDUPERANGE & INT32_MAX,
		     gen->out_label);
	rn_emit_bind(gen->emit, on);
}

/* r6 = the operation, r7 = its result; once for each file of the call. */
static void begin(struct rn_gen *gen)
{
	static const enum rn_btf_member args[] = {RN_BM_REGS_DI, RN_BM_REGS_SI, RN_BM_REGS_DX};
	struct rn_emit *emit = gen->emit;

	rn_emit_note(emit, "r6 = the operation, r7 = its result");
	rn_emit_mov(emit, BPF_REG_9, BPF_REG_6);
	rn_gen_scratch(gen, BPF_REG_6);
	rn_emit_alui(emit, BPF_ADD, BPF_REG_6, RN_SCRATCH_CALL);
	for (int i = 0; i < 3; i++) {
		rn_gen_member(gen, BPF_DW, BPF_REG_1, BPF_REG_9, args[i]);
		rn_emit_stx(emit, BPF_DW, BPF_REG_6, (int)offsetof(struct rn_bpf_call, arg) + 8 * i,
			    BPF_REG_1);
	}
	rn_emit_sti(emit, BPF_DW, BPF_REG_6, offsetof(struct rn_bpf_call, arg[5]), 0);
	rn_emit_stx(emit, BPF_DW, BPF_REG_6, offsetof(struct rn_bpf_call, ret), BPF_REG_7);
	if (!rn_gen_hands_over(gen))
		rn_gen_rounds(gen, RN_CLONES);
	rn_emit_mov(emit, BPF_REG_1, BPF_REG_6);
	rn_gen_intrinsic(gen, RN_I_OP_CLONE);
	rn_emit_jmpi(emit, BPF_JEQ, BPF_REG_0, 0,
		     gen->max_ops_per_hit ? gen->end_label : gen->out_label);
	rn_emit_ldx(emit, BPF_DW, BPF_REG_7, BPF_REG_6, offsetof(struct rn_bpf_call, ret), NULL);
}

int rn_gen_clone_branch(struct rn_gen *gen)
{
	int clone = rn_emit_label(gen->emit);

	if (!gen->nnr) { /* the class has no other events */
		rn_emit_ja(gen->emit, clone);
		return clone;
	}
	rn_gen_nr(gen, BPF_REG_1);
	rn_emit_jmpi(gen->emit, BPF_JEQ, BPF_REG_1, __NR_ioctl, clone);
	return clone;
}

void rn_gen_clone_begin(struct rn_gen *gen, int clone)
{
	rn_emit_ja(gen->emit, gen->out_label);
	rn_emit_bind(gen->emit, clone);
	gen->is_op = true;
	rn_gen_numbers(gen, ops[0], ops[NOPS - 1] + 1);
	begin(gen);
}
