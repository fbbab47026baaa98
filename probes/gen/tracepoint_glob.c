/* tracepoint_glob.c - the programs of a glob of tracepoints: which tracepoint an event is of.
 *
 * Each tracepoint has a program, which knows its name when it is made. The exception is
 * syscalls:sys_enter_* and syscalls:sys_exit_*, those of single system calls. The kernel takes long
 * to detach each of them, and their events also pass two places where a program attaches at no such
 * cost. So one program handles all entries and one all returns, by the number of the call. */
#include "probes/gen/gen_impl.h"

static void by_number(struct rn_gen *g, bool at_return)
{
	uint16_t *nr = RN_NEWN(g->arena, uint16_t, RN_SYS_FIRST_FREE);

	g->nnr = 0;
	for (unsigned i = 0; g->tp->by_nr && i < RN_SYS_FIRST_FREE; i++)
		if (g->tp->by_nr[at_return][i])
			nr[g->nnr++] = (uint16_t)i;
	g->nr = nr;
	g->tp_match = -1;
	if (g->nnr && !g->rc)
		rn_gen_event_program(g, at_return ? RN_HOOK_SYS_EXIT : RN_HOOK_SYS_ENTER);
	g->nnr = 0;
}

void rn_gen_tracepoints(struct rn_gen *gen)
{
	for (gen->tp_match = 0; gen->tp_match < (int)gen->tp->nmatch && !gen->rc; gen->tp_match++)
		if (gen->tp->match[gen->tp_match].nr < 0)
			rn_gen_event_program(gen, RN_HOOK_TP);
	by_number(gen, false);
	by_number(gen, true);
}

const char *rn_gen_tp_name(const struct rn_gen *gen, unsigned nr)
{
	unsigned at =
		nr < RN_SYS_FIRST_FREE ? gen->tp->by_nr[gen->hook == RN_HOOK_SYS_EXIT][nr] : 0;

	return at ? gen->tp->match[at - 1].name : NULL;
}

void rn_gen_store_tp(struct rn_gen *gen, int base, int off)
{
	if (gen->tp_match >= 0) {
		rn_emit_sti(gen->emit, BPF_DW, base, off, gen->tp_match);
		return;
	}
	rn_gen_nr(gen, BPF_REG_1);
	rn_emit_alui(gen->emit, BPF_ADD, BPF_REG_1,
		     RN_TP_BY_NR + (gen->hook == RN_HOOK_SYS_EXIT ? RN_SYS_FIRST_FREE : 0));
	rn_emit_stx(gen->emit, BPF_DW, base, off, BPF_REG_1);
}
