/* scope.c - whom a query is about: a bit for each process id, kept current by programs on fork and release.
 *
 * A bitmap over all possible ids is as cheap to test as a constant (a hash costs 20 ns more per event). Fork copies the
 * parent's bit before the child first runs; the bit goes when the group's leader is released, so that events during exit are
 * still in scope. */
#include "probes/scope.h"
#include <errno.h>
#include "probes/gen_parts.h"

/* r2 = address of the bit's word, r3 = the bit; reg is kept. */
static void bit_address(struct rn_gen *g, int reg)
{
	struct rn_emit *e = g->e;

	rn_emit_mov(e, BPF_REG_0, reg);
	rn_emit_alui(e, BPF_RSH, BPF_REG_0, 6);
	rn_emit_alui(e, BPF_AND, BPF_REG_0, RN_SCOPE_PIDS / 64 - 1);
	rn_emit_alui(e, BPF_LSH, BPF_REG_0, 3);
	rn_emit_map_value(e, BPF_REG_2, RN_MAP_SCOPE, 0);
	rn_emit_alu(e, BPF_ADD, BPF_REG_2, BPF_REG_0);
	rn_emit_movi(e, BPF_REG_3, 1);
	rn_emit_mov(e, BPF_REG_0, reg);
	rn_emit_alui(e, BPF_AND, BPF_REG_0, 63);
	rn_emit_alu(e, BPF_LSH, BPF_REG_3, BPF_REG_0);
	g->out->map[RN_MAP_SCOPE].used = true;
}

void rn_gen_scope_test(struct rn_gen *g, int reg, int out)
{
	int in = rn_emit_label(g->e);

	bit_address(g, reg);
	rn_emit_ldx(g->e, BPF_DW, BPF_REG_2, BPF_REG_2, 0, NULL);
	rn_emit_jmp(g->e, BPF_JSET, BPF_REG_2, BPF_REG_3, in);
	rn_emit_ja(g->e, out);
	rn_emit_bind(g->e, in);
}

void rn_gen_scope_fork(struct rn_gen *g)
{
	struct rn_emit *e = g->e;

	rn_emit_note(e, "a child of a process in scope is in scope");
	rn_emit_ldx(e, BPF_DW, BPF_REG_7, BPF_REG_1, 0, NULL);
	rn_emit_ldx(e, BPF_DW, BPF_REG_6, BPF_REG_1, 8, NULL);
	rn_gen_member(g, BPF_W, BPF_REG_1, BPF_REG_7, RN_BM_TASK_TGID);
	rn_gen_scope_test(g, BPF_REG_1, g->out_label);
	rn_gen_member(g, BPF_W, BPF_REG_1, BPF_REG_6, RN_BM_TASK_TGID);
	bit_address(g, BPF_REG_1);
	rn_emit_atomic(e, BPF_OR, BPF_REG_2, 0, BPF_REG_3);
}

void rn_gen_scope_free(struct rn_gen *g)
{
	struct rn_emit *e = g->e;

	rn_emit_note(e, "a released process leaves the scope: its id may be given again");
	rn_emit_ldx(e, BPF_DW, BPF_REG_6, BPF_REG_1, 0, NULL);
	rn_gen_member(g, BPF_W, BPF_REG_1, BPF_REG_6, RN_BM_TASK_TGID);
	rn_gen_member(g, BPF_W, BPF_REG_2, BPF_REG_6, RN_BM_TASK_PID);
	rn_emit_jmp(e, BPF_JNE, BPF_REG_1, BPF_REG_2, g->out_label);
	bit_address(g, BPF_REG_1);
	rn_emit_movi(e, BPF_REG_4, -1);
	rn_emit_alu(e, BPF_XOR, BPF_REG_3, BPF_REG_4);
	rn_emit_atomic(e, BPF_AND, BPF_REG_2, 0, BPF_REG_3);
}

int rn_scope_fill(uint64_t *bits, const struct rn_scope *scope, struct rn_err *err)
{
	for (unsigned i = 0; i < scope->npids; i++) {
		int32_t pid = scope->pids[i];

		if (pid <= 0 || pid >= RN_SCOPE_PIDS)
			return rn_err_set(err, -EINVAL, "%d is not a process id", pid);
		__atomic_fetch_or(&bits[pid / 64], 1ULL << (pid % 64), __ATOMIC_SEQ_CST);
	}
	return 0;
}
