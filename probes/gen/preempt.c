/* preempt.c - which program may use a query's per-CPU data: scratch memory, groups, counters.
 *
 * Programs on tracepoints run with preemption off, one at a time. A program on a function of a user
 * program may lose the CPU while it runs. The events of the thread that gets it may write to the
 * same memory. If the kernel has functions to switch preemption off (and lets such a section call
 * others: 6.15), the program uses these. Otherwise (globals.guard) it marks the CPU as busy in the
 * scratch memory; a program that finds the mark leaves, and is counted.
 *
 * The tracepoints of a glob have a program each, and share this data. So have few functions of the
 * kernel (fentry, fexit). One may be hit while the program of another is at work on that CPU: in an
 * interrupt, or by what that program does itself (locks, memory). These programs always mark the
 * CPU. */
#include <linux/bpf.h>
#include "probes/gen/gen_impl.h"

/* r1 = globals.guard, or a jump. */
static void unless_guarded(struct rn_gen *g, int label)
{
	rn_emit_map_value(g->emit, BPF_REG_1, RN_MAP_GLOBALS, 0);
	rn_emit_ldx(g->emit, BPF_DW, BPF_REG_1, BPF_REG_1, offsetof(struct rn_globals, guard),
		    NULL);
	rn_emit_jmpi(g->emit, BPF_JEQ, BPF_REG_1, 0, label);
	g->out->map[RN_MAP_GLOBALS].used = true;
}

static void leave_busy(struct rn_gen *g)
{
	rn_gen_stat(g, RN_STAT_LOST_SCRATCH);
	rn_emit_ja(g->emit, g->out_label);
}

/* r9 = the scratch memory with the mark: one for both programs of a pair. */
static void mark_of(struct rn_gen *g)
{
	rn_gen_array(g, RN_MAP_SCRATCH, 0, g->out_label);
	rn_emit_mov(g->emit, BPF_REG_9, BPF_REG_0);
}

void rn_gen_may_mark(struct rn_gen *gen)
{
	gen->busy_off = rn_gen_stack(gen, 8);
	rn_emit_sti(gen->emit, BPF_DW, BPF_REG_10, gen->busy_off, 0);
}

void rn_gen_mark(struct rn_gen *gen)
{
	struct rn_emit *e = gen->emit;
	int free = rn_emit_label(e);

	mark_of(gen);
	rn_emit_mov(e, BPF_REG_3, BPF_REG_9);
	rn_emit_alui(e, BPF_ADD, BPF_REG_3, RN_SCRATCH_BUSY);
	rn_emit_movi(e, BPF_REG_0, 0);
	rn_emit_movi(e, BPF_REG_1, 1);
	rn_emit_atomic(e, BPF_CMPXCHG, BPF_REG_3, 0, BPF_REG_1);
	rn_emit_jmpi(e, BPF_JEQ, BPF_REG_0, 0, free);
	leave_busy(gen);
	rn_emit_bind(e, free);
	rn_emit_stx(e, BPF_DW, BPF_REG_10, gen->busy_off, BPF_REG_3);
}

void rn_gen_take_cpu(struct rn_gen *gen)
{
	int mine = rn_emit_label(gen->emit);

	rn_emit_note(gen->emit, "nobody else of this query on this CPU");
	rn_emit_call(gen->emit, RN_PREEMPT_OFF_MARK);
	rn_gen_may_mark(gen);
	unless_guarded(gen, mine);
	rn_gen_mark(gen);
	rn_emit_bind(gen->emit, mine);
}

void rn_gen_give_cpu(struct rn_gen *gen)
{
	struct rn_emit *e = gen->emit;
	int none = rn_emit_label(e);

	if (!gen->busy_off)
		return;
	rn_emit_note(e, "others may go on");
	rn_emit_ldx(e, BPF_DW, BPF_REG_1, BPF_REG_10, gen->busy_off, NULL);
	rn_emit_jmpi(e, BPF_JEQ, BPF_REG_1, 0, none);
	rn_emit_sti(e, BPF_DW, BPF_REG_1, 0, 0);
	rn_emit_bind(e, none);
	if (rn_hook_in_library(rn_hook_row(gen->hook)))
		rn_emit_call(e, RN_PREEMPT_ON_MARK);
}

void rn_gen_check_cpu(struct rn_gen *gen)
{
	struct rn_emit *e = gen->emit;
	int free = rn_emit_label(e);

	rn_emit_note(e, "no probe in a program was interrupted here");
	unless_guarded(gen, free);
	mark_of(gen);
	rn_emit_ldx(e, BPF_DW, BPF_REG_1, BPF_REG_9, RN_SCRATCH_BUSY, NULL);
	rn_emit_jmpi(e, BPF_JEQ, BPF_REG_1, 0, free);
	leave_busy(gen);
	rn_emit_bind(e, free);
}
