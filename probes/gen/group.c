/* group.c - finds the event's group in the map of the current epoch, or makes it if it is new; also
 * the sizes of the maps for grouping.
 *
 * The map is a plain hash whose value holds one part for each CPU, a cache line or more apart. It
 * is as fast to update as a per-CPU hash, but created in a millisecond. A per-CPU hash allocates
 * every entry on every CPU (50 ms for 16,000).
 *
 * A new group is inserted with zeros and found again: if another CPU inserted it first, that one
 * serves as well. When the map is full, the event goes to the total of this epoch, which is the
 * (other) group; its cells get a key of all ones. */
#include <linux/bpf.h>
#include "probes/gen/gen_impl.h"

void rn_gen_select(struct rn_gen *gen, int map0)
{
	struct rn_emit *emit = gen->emit;
	int second, done;

	gen->out->map[map0].used = true;
	if (!gen->epoch_off) {
		rn_emit_map(emit, BPF_REG_1, map0);
		return;
	}
	gen->out->map[map0 + 1].used = true;
	second = rn_emit_label(emit);
	done = rn_emit_label(emit);
	rn_emit_ldx(emit, BPF_DW, BPF_REG_0, BPF_REG_10, gen->epoch_off, NULL);
	rn_emit_jmpi(emit, BPF_JNE, BPF_REG_0, 0, second);
	rn_emit_map(emit, BPF_REG_1, map0);
	rn_emit_ja(emit, done);
	rn_emit_bind(emit, second);
	rn_emit_map(emit, BPF_REG_1, map0 + 1);
	rn_emit_bind(emit, done);
}

void rn_gen_key_address(struct rn_gen *gen, int reg)
{
	if (gen->recent) {
		rn_emit_ldx(gen->emit, BPF_DW, reg, BPF_REG_10, gen->recent, NULL);
		rn_emit_alui(gen->emit, BPF_ADD, reg, (int32_t)gen->out->value_bytes);
	} else if (gen->key_in_scratch) {
		rn_gen_scratch(gen, reg);
		rn_emit_alui(gen->emit, BPF_ADD, reg, RN_SCRATCH_KEY);
	} else {
		rn_emit_mov(gen->emit, reg, BPF_REG_10);
		rn_emit_alui(gen->emit, BPF_ADD, reg, gen->key_off);
	}
}

void rn_gen_cpu_part(struct rn_gen *gen, int map, unsigned off, unsigned stride, int miss)
{
	struct rn_emit *e = gen->emit;

	rn_emit_call(e, BPF_FUNC_get_smp_processor_id);
	rn_emit_jmpi_sym(e, BPF_JGE, BPF_REG_0, (int32_t)gen->opts->ncpus, "cpus", miss);
	rn_emit_alui(e, BPF_MUL, BPF_REG_0, (int32_t)stride);
	rn_emit_map_value(e, BPF_REG_1, map, off);
	rn_emit_alu(e, BPF_ADD, BPF_REG_0, BPF_REG_1);
	gen->out->map[map].used = true;
}

void rn_gen_half(struct rn_gen *gen, unsigned stride)
{
	if (!gen->epoch_off)
		return;
	rn_emit_ldx(gen->emit, BPF_DW, BPF_REG_1, BPF_REG_10, gen->epoch_off, NULL);
	rn_emit_alui(gen->emit, BPF_AND, BPF_REG_1, 1);
	rn_emit_alui(gen->emit, BPF_MUL, BPF_REG_1, (int32_t)stride);
	rn_emit_alu(gen->emit, BPF_ADD, BPF_REG_0, BPF_REG_1);
}

/* r0 = this CPU's part: counters, totals. */
static void part(struct rn_gen *g, int miss)
{
	rn_gen_cpu_part(g, RN_MAP_GLOBALS, g->out->part_off, g->out->part_stride, miss);
}

void rn_gen_stat(struct rn_gen *gen, enum rn_stat s)
{
	int skip = rn_emit_label(gen->emit);

	part(gen, skip);
	rn_emit_ldx(gen->emit, BPF_DW, BPF_REG_1, BPF_REG_0, 8 * (int)s, NULL);
	rn_emit_alui(gen->emit, BPF_ADD, BPF_REG_1, 1);
	rn_emit_stx(gen->emit, BPF_DW, BPF_REG_0, 8 * (int)s, BPF_REG_1);
	rn_emit_bind(gen->emit, skip);
}

/* r0 = the total of this epoch. */
static void total(struct rn_gen *g)
{
	part(g, g->out_label);
	rn_gen_half(g, g->out->value_bytes);
	rn_emit_alui(g->emit, BPF_ADD, BPF_REG_0, RN_PART_TOTALS);
}

static void pack_keys(struct rn_gen *gen)
{
	struct rn_layout *layout = &gen->out->key;
	int base = BPF_REG_10, off = gen->key_off;

	if (gen->key_in_scratch) {
		rn_emit_note(gen->emit, "r9 = scratch memory for the packed keys");
		rn_gen_scratch(gen, BPF_REG_9);
		gen->r9_set = true;
		base = BPF_REG_9;
		off = RN_SCRATCH_KEY;
	}
	for (unsigned i = 0; i < layout->n; i++) {
		rn_emit_note(gen->emit, "by %s", rn_expr_text(gen->arena, layout->fields[i].expr));
		if (layout->fields[i].field) {
			rn_gen_store(gen, layout->fields[i].field, base,
				     off + (int)layout->fields[i].off);
		} else {
			rn_gen_eval(gen, layout->fields[i].expr);
			rn_emit_stx(gen->emit, BPF_DW, base, off + (int)layout->fields[i].off,
				    BPF_REG_0);
		}
	}
}

/* r0 = the group's value, or 0. */
static void lookup(struct rn_gen *g)
{
	if (g->key_in_scratch) {
		rn_gen_key_address(g, BPF_REG_2);
		rn_gen_select(g, RN_MAP_GROUPS0);
	} else {
		rn_gen_select(g, RN_MAP_GROUPS0);
		rn_gen_key_address(g, BPF_REG_2);
	}
	rn_emit_call(g->emit, BPF_FUNC_map_lookup_elem);
}

static void insert(struct rn_gen *g)
{
	struct rn_emit *e = g->emit;

	if (g->key_in_scratch) {
		rn_gen_key_address(g, BPF_REG_2);
		rn_gen_select(g, RN_MAP_GROUPS0);
	} else {
		rn_gen_select(g, RN_MAP_GROUPS0);
		rn_gen_key_address(g, BPF_REG_2);
	}
	rn_emit_map_value(e, BPF_REG_3, RN_MAP_GLOBALS, g->out->zeros_off);
	rn_emit_movi(e, BPF_REG_4, BPF_NOEXIST);
	rn_emit_call(e, BPF_FUNC_map_update_elem);
}

/* Report the process whose stack is in the key, so that user space reads its mappings while it
 * lives. */
static void new_process(struct rn_gen *g)
{
	const struct rn_layout *l = &g->out->key;

	for (unsigned i = 0; i < l->n; i++) {
		if (l->fields[i].enc != RN_ENCODING_USTACK)
			continue;
		rn_gen_key_address(g, BPF_REG_2);
		rn_emit_alui(g->emit, BPF_ADD, BPF_REG_2, (int32_t)l->fields[i].off + 8);
		rn_emit_mov(g->emit, BPF_REG_3, BPF_REG_2);
		rn_emit_map(g->emit, BPF_REG_1, RN_MAP_PROCS);
		rn_emit_movi(g->emit, BPF_REG_4, BPF_ANY);
		rn_emit_call(g->emit, BPF_FUNC_map_update_elem);
		g->out->map[RN_MAP_PROCS].used = true;
		return;
	}
}

static bool has_cells(const struct rn_gen *g)
{
	for (unsigned i = 0; i < g->fragment->naggs; i++)
		if (g->fragment->aggs[i].def->cell != RN_CELL_NONE)
			return true;
	return false;
}

/* Is the name of what is in the key to be looked up while it is there? A cgroup may end soon. */
static bool must_learn(const struct rn_gen *g)
{
	for (unsigned i = 0; i < g->out->key.n; i++)
		if (g->out->key.fields[i].enc == RN_ENCODING_CGROUP ||
		    g->out->key.fields[i].enc == RN_ENCODING_CONTAINER)
			return true;
	return false;
}

void rn_gen_leave_as_row(struct rn_gen *gen)
{
	struct rn_gen before = *gen;

	rn_gen_row(gen);
	rn_emit_ja(gen->emit, gen->out_label);
	rn_gen_forget(gen, &before);
}

void rn_gen_find(struct rn_gen *gen)
{
	struct rn_emit *emit = gen->emit;
	int found = rn_emit_label(emit), done = rn_emit_label(emit);
	unsigned bytes = gen->out->key.bytes;

	rn_emit_note(emit, "r9 = the group");
	lookup(gen);
	rn_emit_jmpi(emit, BPF_JNE, BPF_REG_0, 0, found);
	rn_emit_note(emit, "a new group");
	new_process(gen);
	insert(gen);
	if (!gen->fragment->derived || !must_learn(gen)) {
		lookup(gen);
		rn_emit_jmpi(emit, BPF_JNE, BPF_REG_0, 0, found);
	}
	if (gen->fragment->derived) {
		rn_emit_note(emit, "no room, or a name to look up: a row");
		rn_gen_leave_as_row(gen);
	} else {
		rn_emit_note(emit, "no room: (other)");
		if (has_cells(gen)) {
			rn_gen_key_address(gen, BPF_REG_2);
			for (unsigned i = 0; i < bytes; i += 8)
				rn_emit_sti(emit, BPF_DW, BPF_REG_2, (int)i, -1);
		}
		total(gen);
		rn_emit_mov(emit, BPF_REG_9, BPF_REG_0);
		rn_emit_ja(emit, done);
	}
	rn_emit_bind(emit, found);
	rn_emit_note(emit, "this CPU's part of it");
	rn_emit_mov(emit, BPF_REG_9, BPF_REG_0);
	rn_emit_call(emit, BPF_FUNC_get_smp_processor_id);
	rn_emit_jmpi_sym(emit, BPF_JGE, BPF_REG_0, (int32_t)gen->opts->ncpus, "cpus",
			 gen->out_label);
	rn_emit_alui(emit, BPF_MUL, BPF_REG_0, (int32_t)gen->out->stride);
	rn_emit_alu(emit, BPF_ADD, BPF_REG_9, BPF_REG_0);
	rn_emit_bind(emit, done);
}

void rn_gen_group(struct rn_gen *gen)
{
	struct rn_emit *emit = gen->emit;
	unsigned bytes = gen->out->key.bytes;

	for (unsigned i = 0; i < gen->fragment->nkeys; i++)
		rn_gen_need(gen, gen->fragment->keys[i]);
	for (unsigned i = 0; i < gen->fragment->naggs; i++) {
		const struct rn_agg *agg = gen->fragment->aggs[i].def;

		if (gen->fragment->aggs[i].arg)
			rn_gen_need(gen, gen->fragment->aggs[i].arg);
		if (gen->fragment->aggs[i].where)
			rn_gen_need(gen, gen->fragment->aggs[i].where);
		for (unsigned k = 0; k < agg->nslots; k++)
			if (agg->slot[k] == RN_SLOT_FIRST || agg->slot[k] == RN_SLOT_LAST)
				rn_gen_cache(gen, RN_CACHED_TIME);
	}
	if (gen->fragment->every_ns) {
		rn_emit_note(emit, "the half that is being filled");
		gen->epoch_off = rn_gen_stack(gen, 8);
		rn_emit_map_value(emit, BPF_REG_1, RN_MAP_GLOBALS, 0);
		rn_emit_ldx(emit, BPF_DW, BPF_REG_1, BPF_REG_1, offsetof(struct rn_globals, epoch),
			    NULL);
		rn_emit_alui(emit, BPF_AND, BPF_REG_1, 1);
		rn_emit_stx(emit, BPF_DW, BPF_REG_10, gen->epoch_off, BPF_REG_1);
	}
	gen->out->map[RN_MAP_GLOBALS].used = true;
	gen->key_in_scratch = bytes > RN_KEY_ON_STACK;
	if (!gen->key_in_scratch)
		gen->key_off = rn_gen_stack(gen, bytes + 8);
	if (bytes) {
		pack_keys(gen);
		if (gen->out->recent_stride)
			rn_gen_last_group(gen);
		else
			rn_gen_find(gen);
	} else {
		rn_emit_note(emit, "r9 = the only group");
		total(gen);
		rn_emit_mov(emit, BPF_REG_9, BPF_REG_0);
	}
	gen->r9_set = true;
	rn_gen_update(gen);
	rn_gen_cells(gen);
}

/* Room for cells: one group may use all buckets, many groups use few each. Rounded so that creation
 * stays cheap. */
static uint32_t cell_entries(const struct rn_fragment *fragment, uint32_t groups)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < fragment->naggs; i++) {
		const struct rn_agg_call *call = &fragment->aggs[i];
		double linear = (call->param[1] - call->param[0]) /
					(call->param[2] > 1 ? call->param[2] : 1) +
				3;

		if (rn_agg_same_state(fragment->aggs, i) != i)
			continue;
		switch (call->def->cell) {
		case RN_CELL_NONE: break;
		case RN_CELL_LOG2: n += 66 + 20ull * (groups - 1); break;
		case RN_CELL_LINEAR:
			n += (linear > 0 && linear < 65536 ? (uint64_t)linear : 65536) +
			     32ull * (groups - 1);
			break;
		case RN_CELL_LOGLIN: n += 8192 + 64ull * (groups - 1); break;
		case RN_CELL_HLL: n += (1u << RN_HLL_BITS) + 256ull * (groups - 1); break;
		}
	}
	return n > RN_CELLS_MAX ? RN_CELLS_MAX : (uint32_t)n;
}

/* Sizes of the values, keys and parts of groups, and of the globals with what lies behind them. */
struct sizes {
	uint32_t groups, cells, value, key, parts, globals;
};

static struct sizes measure(struct rn_gen *gen)
{
	const struct rn_fragment *fragment = gen->fragment;
	struct sizes z = {.groups = fragment->max_groups ? fragment->max_groups : 10000,
			  .value = 8,
			  .key = gen->out->key.bytes};

	for (unsigned i = 0; i < fragment->naggs; i++)
		z.value += 8 * rn_agg_bpf_words(&fragment->aggs[i]);
	if (!z.key)
		z.groups = 1;
	z.cells = cell_entries(fragment, z.groups);
	gen->out->value_bytes = z.value;
	gen->out->stride = gen->opts->ncpus > 1 ? (z.value + 63) / 64 * 64 : z.value;
	z.parts = gen->out->stride * (gen->opts->ncpus ? gen->opts->ncpus : 1);
	gen->out->part_off = (sizeof(struct rn_globals) + 63) / 64 * 64;
	gen->out->part_stride =
		(RN_PART_TOTALS + (fragment->grouped ? 2 * z.value : 0) + 63) / 64 * 64;
	gen->out->zeros_off = gen->out->part_off + gen->opts->ncpus * gen->out->part_stride;
	z.globals = gen->out->zeros_off + z.parts;
	if (rn_gen_recent_fits(gen)) {
		gen->out->recent_off = (z.globals + 63) / 64 * 64;
		gen->out->recent_stride = (z.value + z.key + 8 + 63) / 64 * 64;
		z.globals = gen->out->recent_off + 2 * gen->opts->ncpus * gen->out->recent_stride;
	}
	return z;
}

/* Maps that user space fills. */
static void table_specs(const struct rn_gen *gen, struct rn_map_spec *m)
{
	m[RN_MAP_CGROUP] = (struct rn_map_spec){BPF_MAP_TYPE_CGROUP_ARRAY, 4, 4, 1, 0, false};
	m[RN_MAP_VERDICTS] = (struct rn_map_spec){
		BPF_MAP_TYPE_HASH, sizeof(struct rn_verdict_key), 8, RN_VERDICTS_MAX, 0, false};
	m[RN_MAP_SETS] =
		(struct rn_map_spec){BPF_MAP_TYPE_HASH, sizeof(struct rn_set_key), 8, 0, 0, false};
	m[RN_MAP_PLACES] = (struct rn_map_spec){BPF_MAP_TYPE_ARRAY, 4, sizeof(struct rn_operands),
						gen->opts->places,  0, false};
	m[RN_MAP_NAMES] = (struct rn_map_spec){BPF_MAP_TYPE_ARRAY, 4, 8, RN_SYS_MAX + 1, 0, false};
}

void rn_gen_map_specs(struct rn_gen *gen)
{
	const struct rn_fragment *fragment = gen->fragment;
	struct rn_map_spec *m = gen->out->map;
	const struct sizes z = measure(gen);
	uint32_t ring = gen->opts->ring_bytes ? gen->opts->ring_bytes : RN_RING_BYTES;
	unsigned keys = fragment->cls->pair ? 8 * fragment->cls->pair->nkeys : 0;

	m[RN_MAP_GLOBALS] =
		(struct rn_map_spec){BPF_MAP_TYPE_ARRAY, 4, z.globals, 1, BPF_F_MMAPABLE, 0};
	m[RN_MAP_GROUPS0] = m[RN_MAP_GROUPS1] = (struct rn_map_spec){
		BPF_MAP_TYPE_HASH,
		z.key,
		z.parts,
		z.groups,
		(uint64_t)z.parts * z.groups > RN_GROUPS_PREALLOC ? BPF_F_NO_PREALLOC : 0,
		false};
	m[RN_MAP_CELLS0] = m[RN_MAP_CELLS1] =
		(struct rn_map_spec){BPF_MAP_TYPE_HASH,
				     z.key + 8,
				     8,
				     z.cells,
				     z.cells > RN_CELLS_PREALLOC ? BPF_F_NO_PREALLOC : 0,
				     false};
	m[RN_MAP_PAIRS] = (struct rn_map_spec){BPF_MAP_TYPE_LRU_HASH,
					       keys,
					       gen->kept_bytes + keys,
					       RN_PAIRS_MAX + RN_PAIRS_CPU * gen->opts->ncpus,
					       0,
					       m[RN_MAP_PAIRS].used};
	m[RN_MAP_NOTED] = (struct rn_map_spec){BPF_MAP_TYPE_LRU_HASH,
					       16,
					       rn_gen_noted_bytes(gen),
					       RN_PAIRS_MAX + RN_PAIRS_CPU * gen->opts->ncpus,
					       0,
					       false};
	m[RN_MAP_START] = (struct rn_map_spec){
		BPF_MAP_TYPE_TASK_STORAGE, 4, sizeof(struct rn_start), 0, BPF_F_NO_PREALLOC, false};
	m[RN_MAP_SCOPE] = (struct rn_map_spec){BPF_MAP_TYPE_ARRAY, 4,    RN_SCOPE_PIDS / 8, 1,
					       BPF_F_MMAPABLE,     false};
	for (int i = RN_MAP_MEMBERS; i <= RN_MAP_LIVE3; i++)
		m[i] = m[RN_MAP_SCOPE];
	m[RN_MAP_RING] = (struct rn_map_spec){BPF_MAP_TYPE_RINGBUF, 0, 0, ring, 0, false};
	m[RN_MAP_SCRATCH] = (struct rn_map_spec){BPF_MAP_TYPE_PERCPU_ARRAY,   4, RN_SCRATCH_BYTES,
						 fragment->cls->pair ? 2 : 1, 0, false};
	for (int i = 0; i < RN_STACK_WAYS; i++)
		m[RN_MAP_STACKS0 + i] =
			(struct rn_map_spec){BPF_MAP_TYPE_STACK_TRACE, 4, 8 * RN_STACK_FRAMES,
					     RN_STACK_PLACES,          0, false};
	m[RN_MAP_PROCS] = (struct rn_map_spec){BPF_MAP_TYPE_HASH, 8, 8, RN_STACK_PROCS, 0, false};
	m[RN_MAP_CALLS] =
		(struct rn_map_spec){BPF_MAP_TYPE_ARRAY, 4, RN_SYS_FIRST_FREE, 1, 0, false};
	m[RN_MAP_SEARCHED] = m[RN_MAP_SCRATCH];
	m[RN_MAP_TAILS] =
		(struct rn_map_spec){BPF_MAP_TYPE_PROG_ARRAY, 4, 4, RN_TAIL_COUNT, 0, false};
	rn_gen_chain_specs(m, gen->opts->ncpus);
	for (int i = RN_MAP_RETURNS0; i <= RN_MAP_ENTRIES1; i++)
		m[i] = (struct rn_map_spec){BPF_MAP_TYPE_PROG_ARRAY, 4, 4, 1, 0, false};
	table_specs(gen, m);
}

/* ---- recent groups ----
 *
 * Each CPU counts in one group at a time, apart from the map, and puts it away when
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
static void recent_address(struct rn_gen *g)
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

	recent_address(gen);
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
