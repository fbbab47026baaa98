/* operations.c - operations of a class that are no system calls: io_uring, mapped pages, libraries.
 *
 * A row of hooks.c says where the kernel reports them. A kernel may lack the place. Then the class
 * goes without these operations, and a search for tags counts the call that asks for them. */
#include <asm/unistd.h>
#include <linux/bpf.h>
#include "probes/gen/gen_impl.h"

/* Can the hook of an operation be attached here? */
static bool available(const struct rn_gen *g, unsigned hook)
{
	return rn_hook_row(hook)->at == RN_AT_TRACE ? g->opts->btf->trace[hook] != 0 : g->opts->tls;
}

/* Does a hook on this kernel make events of these operations? If not, a program that helps it has
 * nothing to do. */
static bool made(const struct rn_gen *g, unsigned op)
{
	for (unsigned i = 0; rn_hook_row(i); i++)
		if (rn_hook_row(i)->op == op && rn_hook_is_op(rn_hook_row(i)) &&
		    !rn_hook_row(i)->auxiliary && available(g, i))
			return true;
	return false;
}

/* Is there a hook of these operations that this kernel lacks? Then some of them are not
 * reported. */
static bool op_lacks_hook(const struct rn_gen *g, unsigned op)
{
	for (unsigned i = 0; rn_hook_row(i); i++)
		if (rn_hook_row(i)->op == op && rn_hook_is_op(rn_hook_row(i)) &&
		    !rn_hook_row(i)->auxiliary && !available(g, i))
			return true;
	return false;
}

static bool is_every_call(const struct rn_class *cls)
{
	bool every = cls->id == RN_CLS_SYSCALL;

	for (const struct rn_class *const *m = cls->list; m && *m; m++)
		every |= is_every_call(*m);
	return every;
}

void rn_gen_numbers(struct rn_gen *gen, unsigned from, unsigned to)
{
	uint16_t *nr = RN_NEWN(gen->arena, uint16_t, RN_SYS_MAX);
	/* If no hook reports what io_uring does, or what is done through maps, a search for tags
	 * counts the call that asks for it as uncovered. It always does so for calls that take a
	 * message from a queue. */
	bool tag = from == 0 && gen->cls->id == RN_CLS_TAG,
	     reads = !op_lacks_hook(gen, RN_OP_MMAP_READ);
	bool uring = tag && !made(gen, RN_OP_URING_READ),
	     maps = tag && (!reads || op_lacks_hook(gen, RN_OP_MMAP_WRITE));

	gen->all_nr = is_every_call(gen->cls);
	gen->nnr = 0;
	for (unsigned i = from; i < to; i++)
		if ((rn_class_covers(gen->cls, i) || (uring && i == __NR_io_uring_enter) ||
		     (maps && i == __NR_mmap) ||
		     (tag && (i == __NR_msgrcv || i == __NR_mq_timedreceive ||
			      rn_gen_is_unsearched(i)))) &&
		    rn_sys_name(i))
			nr[gen->nnr++] = (uint16_t)i;
	gen->nr = nr;
	gen->out->no_map_reads |= maps && !reads;
}

/* Does the query search payload for tags? */
static bool searches(const struct rn_gen *g)
{
	return g->fragment->cls->id == RN_CLS_TAG || g->out->intrinsics >> RN_I_SCAN & 1;
}

void rn_gen_operations(struct rn_gen *gen)
{
	const struct rn_hook_row *hook;
	unsigned helped = 0;

	for (unsigned i = 0; (hook = rn_hook_row(i)); i++) {
		if (!rn_hook_is_op(hook) || !available(gen, i) ||
		    (hook->op >= RN_OP_FIRST && !made(gen, hook->op)))
			continue;
		gen->attach_on_demand = hook->attach_on_demand && hook->op == helped;
		if (hook->only_with_search &&
		    ((hook->op == helped && !gen->attach_on_demand) || !searches(gen)))
			continue;
		rn_gen_numbers(gen, hook->op, hook->op + hook->nops);
		if (!gen->nnr || gen->rc)
			continue;
		if (hook->auxiliary && hook->at == RN_AT_TRACE && gen->opts->joins)
			continue;
		if (hook->auxiliary)
			rn_gen_plain_program(gen, i, "rn_begin");
		else
			rn_gen_event_program(gen, i);
		if (gen->out->nprogs)
			gen->out->prog[gen->out->nprogs - 1].attach_on_demand =
				gen->attach_on_demand;
		if (hook->only_with_search)
			helped = hook->op;
	}
}

/* ---- ioctls by which files share blocks: FICLONE, ... ----
 *
 * They are copies, operations of their own. A branch of the program of system calls handles them.
 * So no second program runs at every call, and other calls pay for two comparisons. */

static const uint16_t clones[] = {RN_OP_FICLONE, RN_OP_FICLONERANGE, RN_OP_FIDEDUPERANGE};
enum { NCLONES = sizeof(clones) / sizeof(*clones) };

unsigned rn_gen_clone_ops(const uint16_t **nr)
{
	*nr = clones;
	return NCLONES;
}

void rn_gen_clone_numbers(struct rn_gen *gen)
{
	gen->clones = false;
	for (unsigned i = 0; i < NCLONES; i++)
		gen->clones |= rn_class_covers(gen->cls, clones[i]);
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
static void begin_clone(struct rn_gen *gen)
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
	rn_gen_numbers(gen, clones[0], clones[NCLONES - 1] + 1);
	begin_clone(gen);
}
