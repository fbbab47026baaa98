/* tracepoint_glob.c - the programs of a glob of tracepoints: which tracepoint an event is of.
 *
 * Each tracepoint has a program, which knows its name when it is made. The exception is
 * syscalls:sys_enter_* and syscalls:sys_exit_*, those of single system calls. The kernel takes long
 * to detach each of them, and their events also pass two places where a program attaches at no such
 * cost. So one program handles all entries and one all returns, by the number of the call. */
#include "probes/gen/gen_impl.h"

static void by_number(struct rn_gen *g, bool at_return)
{
	uint16_t *nr = RN_NEWN(g->a, uint16_t, RN_SYS_FIRST_FREE);

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

void rn_gen_tracepoints(struct rn_gen *g)
{
	for (g->tp_match = 0; g->tp_match < (int)g->tp->nmatch && !g->rc; g->tp_match++)
		if (g->tp->match[g->tp_match].nr < 0)
			rn_gen_event_program(g, RN_HOOK_TP);
	by_number(g, false);
	by_number(g, true);
}

const char *rn_gen_tp_name(const struct rn_gen *g, unsigned nr)
{
	unsigned at = nr < RN_SYS_FIRST_FREE ? g->tp->by_nr[g->hook == RN_HOOK_SYS_EXIT][nr] : 0;

	return at ? g->tp->match[at - 1].name : NULL;
}

void rn_gen_store_tp(struct rn_gen *g, int base, int off)
{
	if (g->tp_match >= 0) {
		rn_emit_sti(g->e, BPF_DW, base, off, g->tp_match);
		return;
	}
	rn_gen_nr(g, BPF_REG_1);
	rn_emit_alui(g->e, BPF_ADD, BPF_REG_1,
		     RN_TP_BY_NR + (g->hook == RN_HOOK_SYS_EXIT ? RN_SYS_FIRST_FREE : 0));
	rn_emit_stx(g->e, BPF_DW, base, off, BPF_REG_1);
}
