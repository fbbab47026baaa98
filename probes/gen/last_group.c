/* last_group.c - each CPU counts in one group at a time, apart from the map, and puts it away when
 * an event of another group comes.
 *
 * Calls come in runs: a task makes many before another task runs on that CPU. If the keys are facts
 * of the task, each event costs a comparison with the key of this CPU's recent group instead of a
 * lookup. The end of a run costs one lookup, to add the recent group to the map. drain.c reads
 * groups that are not put away yet along with the map.
 *
 * Globals hold, for each CPU and half: the value (as in a group), the key, and a count of changes,
 * which is odd during a change. A reader that finds the count even, and the same before and after,
 * has seen the map and the recent group in accord. */
#include <linux/bpf.h>
#include "probes/gen/gen_impl.h"

static bool of_task(const struct rn_expr *e)
{
	static const uint16_t ids[] = {
		RN_F_PROC, RN_F_THREAD, RN_F_PID,       RN_F_TID,   RN_F_PPID, RN_F_UID,  RN_F_GID,
		RN_F_USER, RN_F_CGROUP, RN_F_CONTAINER, RN_F_NETNS, RN_F_NODE, RN_F_START};
	bool found = false;

	for (unsigned i = 0; e->kind == RN_E_FIELD && i < sizeof(ids) / sizeof(*ids); i++)
		found |= e->field->id == ids[i];
	return found;
}

bool rn_gen_recent_fits(const struct rn_gen *gen)
{
	bool fits = !gen->fragment->derived && rn_class_is_syscall(gen->fragment->cls) &&
		    gen->out->key.bytes && gen->out->key.bytes <= RN_KEY_ON_STACK;

	for (unsigned i = 0; i < gen->fragment->nkeys && fits; i++)
		fits = of_task(gen->fragment->keys[i]);
	for (unsigned i = 0; i < gen->fragment->naggs && fits; i++)
		fits = rn_agg_bpf_merges(gen->fragment->aggs[i].def);
	return fits;
}

static void count_change(struct rn_gen *g)
{
	int off = (int)(g->out->value_bytes + g->out->key.bytes);

	rn_emit_ldx(g->emit, BPF_DW, BPF_REG_1, BPF_REG_9, off, NULL);
	rn_emit_alui(g->emit, BPF_ADD, BPF_REG_1, 1);
	rn_emit_stx(g->emit, BPF_DW, BPF_REG_9, off, BPF_REG_1);
}

/* r9 = this CPU's recent group of this half. */
static void address(struct rn_gen *g)
{
	struct rn_emit *e = g->emit;

	rn_emit_note(e, "r9 = the group that this CPU counts in");
	rn_gen_cpu_part(g, RN_MAP_GLOBALS, g->out->recent_off, 2 * g->out->recent_stride,
			g->out_label);
	rn_gen_half(g, g->out->recent_stride);
	rn_emit_mov(e, BPF_REG_9, BPF_REG_0);
}

/* Add the recent group to its group in the map; r9 is kept. */
static void put_away(struct rn_gen *g)
{
	rn_emit_note(g->emit, "another one: what was counted goes to the map");
	g->recent = rn_gen_stack(g, 8);
	rn_emit_stx(g->emit, BPF_DW, BPF_REG_10, g->recent, BPF_REG_9);
	rn_gen_find(g);
	rn_gen_merge(g, g->recent);
	rn_emit_ldx(g->emit, BPF_DW, BPF_REG_9, BPF_REG_10, g->recent, NULL);
	g->recent = 0;
}

void rn_gen_last_group(struct rn_gen *gen)
{
	struct rn_emit *emit = gen->emit;
	int hit = rn_emit_label(emit), other = rn_emit_label(emit), begin = rn_emit_label(emit);
	int key = (int)gen->out->value_bytes, bytes = (int)gen->out->key.bytes;

	address(gen);
	for (int i = 0; i < bytes; i += 8) {
		rn_emit_ldx(emit, BPF_DW, BPF_REG_1, BPF_REG_9, key + i, NULL);
		rn_emit_ldx(emit, BPF_DW, BPF_REG_2, BPF_REG_10, gen->key_off + i, NULL);
		if (i + 8 < bytes)
			rn_emit_jmp(emit, BPF_JNE, BPF_REG_1, BPF_REG_2, other);
		else
			rn_emit_jmp(emit, BPF_JEQ, BPF_REG_1, BPF_REG_2, hit);
	}
	rn_emit_bind(emit, other);
	count_change(gen);
	rn_emit_ldx(emit, BPF_DW, BPF_REG_1, BPF_REG_9, 0, NULL);
	rn_emit_jmpi(emit, BPF_JEQ, BPF_REG_1, 0, begin);
	put_away(gen);
	rn_emit_bind(emit, begin);
	rn_emit_note(emit, "a run of this group begins");
	for (int i = 0; i < bytes; i += 8) {
		rn_emit_ldx(emit, BPF_DW, BPF_REG_1, BPF_REG_10, gen->key_off + i, NULL);
		rn_emit_stx(emit, BPF_DW, BPF_REG_9, key + i, BPF_REG_1);
	}
	rn_emit_movi(emit, BPF_REG_1, 0);
	for (int i = 0; i < key; i += 8)
		rn_emit_stx(emit, BPF_DW, BPF_REG_9, i, BPF_REG_1);
	count_change(gen);
	rn_emit_bind(emit, hit);
}
