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

void rn_gen_select(struct rn_gen *g, int map0)
{
	struct rn_emit *e = g->e;
	int second, done;

	g->out->map[map0].used = true;
	if (!g->epoch_off) {
		rn_emit_map(e, BPF_REG_1, map0);
		return;
	}
	g->out->map[map0 + 1].used = true;
	second = rn_emit_label(e);
	done = rn_emit_label(e);
	rn_emit_ldx(e, BPF_DW, BPF_REG_0, BPF_REG_10, g->epoch_off, NULL);
	rn_emit_jmpi(e, BPF_JNE, BPF_REG_0, 0, second);
	rn_emit_map(e, BPF_REG_1, map0);
	rn_emit_ja(e, done);
	rn_emit_bind(e, second);
	rn_emit_map(e, BPF_REG_1, map0 + 1);
	rn_emit_bind(e, done);
}

void rn_gen_key_address(struct rn_gen *g, int reg)
{
	if (g->recent) {
		rn_emit_ldx(g->e, BPF_DW, reg, BPF_REG_10, g->recent, NULL);
		rn_emit_alui(g->e, BPF_ADD, reg, (int32_t)g->out->value_bytes);
	} else if (g->key_in_scratch) {
		rn_gen_scratch(g, reg);
		rn_emit_alui(g->e, BPF_ADD, reg, RN_SCRATCH_KEY);
	} else {
		rn_emit_mov(g->e, reg, BPF_REG_10);
		rn_emit_alui(g->e, BPF_ADD, reg, g->key_off);
	}
}

/* r0 = the value of `total` of this epoch. */
static void total(struct rn_gen *g)
{
	if (g->epoch_off)
		rn_emit_ldx(g->e, BPF_DW, BPF_REG_1, BPF_REG_10, g->epoch_off, NULL);
	rn_gen_array(g, RN_MAP_TOTAL, g->epoch_off ? -1 : 0, g->out_label);
}

static void pack_keys(struct rn_gen *g)
{
	struct rn_layout *l = &g->out->key;
	int base = BPF_REG_10, off = g->key_off;

	if (g->key_in_scratch) {
		rn_emit_note(g->e, "r9 = scratch memory, where the keys are packed");
		rn_gen_scratch(g, BPF_REG_9);
		g->r9_set = true;
		base = BPF_REG_9;
		off = RN_SCRATCH_KEY;
	}
	for (unsigned i = 0; i < l->n; i++) {
		rn_emit_note(g->e, "by %s", rn_expr_text(g->a, l->v[i].expr));
		if (l->v[i].field) {
			rn_gen_store(g, l->v[i].field, base, off + (int)l->v[i].off);
		} else {
			rn_gen_eval(g, l->v[i].expr);
			rn_emit_stx(g->e, BPF_DW, base, off + (int)l->v[i].off, BPF_REG_0);
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
	rn_emit_call(g->e, BPF_FUNC_map_lookup_elem);
}

static void insert(struct rn_gen *g)
{
	struct rn_emit *e = g->e;

	if (g->key_in_scratch) {
		rn_gen_key_address(g, BPF_REG_2);
		rn_gen_select(g, RN_MAP_GROUPS0);
	} else {
		rn_gen_select(g, RN_MAP_GROUPS0);
		rn_gen_key_address(g, BPF_REG_2);
	}
	rn_emit_map_value(e, BPF_REG_3, RN_MAP_GLOBALS, sizeof(struct rn_globals));
	rn_emit_movi(e, BPF_REG_4, BPF_NOEXIST);
	rn_emit_call(e, BPF_FUNC_map_update_elem);
}

/* Report the process whose stack is in the key, so that user space reads its mappings while it
 * lives. */
static void new_process(struct rn_gen *g)
{
	const struct rn_layout *l = &g->out->key;

	for (unsigned i = 0; i < l->n; i++) {
		if (l->v[i].enc != RN_ENC_USTACK)
			continue;
		rn_gen_key_address(g, BPF_REG_2);
		rn_emit_alui(g->e, BPF_ADD, BPF_REG_2, (int32_t)l->v[i].off + 8);
		rn_emit_mov(g->e, BPF_REG_3, BPF_REG_2);
		rn_emit_map(g->e, BPF_REG_1, RN_MAP_PROCS);
		rn_emit_movi(g->e, BPF_REG_4, BPF_ANY);
		rn_emit_call(g->e, BPF_FUNC_map_update_elem);
		g->out->map[RN_MAP_PROCS].used = true;
		return;
	}
}

static bool has_cells(const struct rn_gen *g)
{
	for (unsigned i = 0; i < g->f->naggs; i++)
		if (g->f->aggs[i].def->cell != RN_CELL_NONE)
			return true;
	return false;
}

void rn_gen_find(struct rn_gen *g)
{
	struct rn_emit *e = g->e;
	int found = rn_emit_label(e), done = rn_emit_label(e);
	unsigned bytes = g->out->key.bytes;

	rn_emit_note(e, "r9 = the group");
	lookup(g);
	rn_emit_jmpi(e, BPF_JNE, BPF_REG_0, 0, found);
	rn_emit_note(e, "a new group");
	new_process(g);
	insert(g);
	lookup(g);
	rn_emit_jmpi(e, BPF_JNE, BPF_REG_0, 0, found);
	rn_emit_note(e, "no room: (other)");
	if (has_cells(g)) {
		rn_gen_key_address(g, BPF_REG_2);
		for (unsigned i = 0; i < bytes; i += 8)
			rn_emit_sti(e, BPF_DW, BPF_REG_2, (int)i, -1);
	}
	total(g);
	rn_emit_mov(e, BPF_REG_9, BPF_REG_0);
	rn_emit_ja(e, done);
	rn_emit_bind(e, found);
	rn_emit_note(e, "this CPU's part of it");
	rn_emit_mov(e, BPF_REG_9, BPF_REG_0);
	rn_emit_call(e, BPF_FUNC_get_smp_processor_id);
	rn_emit_jmpi_sym(e, BPF_JGE, BPF_REG_0, (int32_t)g->o->ncpus, "cpus", g->out_label);
	rn_emit_alui(e, BPF_MUL, BPF_REG_0, (int32_t)g->out->stride);
	rn_emit_alu(e, BPF_ADD, BPF_REG_9, BPF_REG_0);
	rn_emit_bind(e, done);
}

void rn_gen_group(struct rn_gen *g)
{
	struct rn_emit *e = g->e;
	unsigned bytes = g->out->key.bytes;

	for (unsigned i = 0; i < g->f->nkeys; i++)
		rn_gen_need(g, g->f->keys[i]);
	for (unsigned i = 0; i < g->f->naggs; i++) {
		const struct rn_agg *d = g->f->aggs[i].def;

		if (g->f->aggs[i].arg)
			rn_gen_need(g, g->f->aggs[i].arg);
		for (unsigned k = 0; k < d->nslots; k++)
			if (d->slot[k] == RN_SLOT_FIRST || d->slot[k] == RN_SLOT_LAST)
				rn_gen_fetch(g, RN_MAT_TIME);
	}
	if (g->f->every_ns) {
		rn_emit_note(e, "the half that is being filled");
		g->epoch_off = rn_gen_stack(g, 8);
		rn_emit_map_value(e, BPF_REG_1, RN_MAP_GLOBALS, 0);
		rn_emit_ldx(e, BPF_DW, BPF_REG_1, BPF_REG_1, offsetof(struct rn_globals, epoch),
			    NULL);
		rn_emit_alui(e, BPF_AND, BPF_REG_1, 1);
		rn_emit_stx(e, BPF_DW, BPF_REG_10, g->epoch_off, BPF_REG_1);
	}
	g->out->map[RN_MAP_GLOBALS].used = true;
	g->key_in_scratch = bytes > RN_KEY_ON_STACK;
	if (!g->key_in_scratch)
		g->key_off = rn_gen_stack(g, bytes + 8);
	if (bytes) {
		pack_keys(g);
		if (g->out->recent_stride)
			rn_gen_recent(g);
		else
			rn_gen_find(g);
	} else {
		rn_emit_note(e, "r9 = the only group");
		total(g);
		rn_emit_mov(e, BPF_REG_9, BPF_REG_0);
	}
	g->r9_set = true;
	rn_gen_update(g);
	rn_gen_cells(g);
}

/* Room for cells: one group may use all buckets, many groups use few each. Rounded so that creation
 * stays cheap. */
static uint32_t cell_entries(const struct rn_fragment *f, uint32_t groups)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < f->naggs; i++) {
		const struct rn_agg_call *c = &f->aggs[i];
		double linear =
			(c->param[1] - c->param[0]) / (c->param[2] > 1 ? c->param[2] : 1) + 3;

		if (rn_agg_same_state(f->aggs, i) != i)
			continue;
		switch (c->def->cell) {
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

static struct sizes measure(struct rn_gen *g)
{
	const struct rn_fragment *f = g->f;
	struct sizes z = {.groups = f->max_groups ? f->max_groups : 10000,
			  .value = 8,
			  .key = g->out->key.bytes};

	for (unsigned i = 0; i < f->naggs; i++)
		z.value += 8 * rn_agg_bpf_words(f->aggs[i].def);
	if (!z.key)
		z.groups = 1;
	z.cells = cell_entries(f, z.groups);
	g->out->value_bytes = z.value;
	g->out->stride = g->o->ncpus > 1 ? (z.value + 63) / 64 * 64 : z.value;
	z.parts = g->out->stride * (g->o->ncpus ? g->o->ncpus : 1);
	z.globals = sizeof(struct rn_globals) + z.parts;
	if (rn_gen_recent_fits(g)) {
		g->out->recent_off = (z.globals + 63) / 64 * 64;
		g->out->recent_stride = (z.value + z.key + 8 + 63) / 64 * 64;
		z.globals = g->out->recent_off + 2 * g->o->ncpus * g->out->recent_stride;
	}
	return z;
}

void rn_gen_map_specs(struct rn_gen *g)
{
	const struct rn_fragment *f = g->f;
	struct rn_map_spec *m = g->out->map;
	const struct sizes z = measure(g);
	uint32_t ring = g->o->ring_bytes ? g->o->ring_bytes : RN_RING_BYTES;

	m[RN_MAP_GLOBALS] =
		(struct rn_map_spec){BPF_MAP_TYPE_ARRAY, 4, z.globals, 1, BPF_F_MMAPABLE, 0};
	m[RN_MAP_STATS] =
		(struct rn_map_spec){BPF_MAP_TYPE_PERCPU_ARRAY, 4, 8 * RN_STAT_COUNT, 1, 0, false};
	m[RN_MAP_TOTAL] = (struct rn_map_spec){BPF_MAP_TYPE_PERCPU_ARRAY, 4, z.value, 2, 0, false};
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
	m[RN_MAP_PAIRS] =
		(struct rn_map_spec){BPF_MAP_TYPE_LRU_HASH,
				     f->cls->pair ? 8 * f->cls->pair->nkeys : 8,
				     g->kept_bytes + (f->cls->pair ? 8 * f->cls->pair->nkeys : 0),
				     RN_PAIRS_MAX + RN_PAIRS_CPU * g->o->ncpus,
				     0,
				     m[RN_MAP_PAIRS].used};
	m[RN_MAP_START] = (struct rn_map_spec){
		BPF_MAP_TYPE_TASK_STORAGE, 4, sizeof(struct rn_start), 0, BPF_F_NO_PREALLOC, false};
	m[RN_MAP_SCOPE] = (struct rn_map_spec){BPF_MAP_TYPE_ARRAY, 4,    RN_SCOPE_PIDS / 8, 1,
					       BPF_F_MMAPABLE,     false};
	m[RN_MAP_RING] = (struct rn_map_spec){BPF_MAP_TYPE_RINGBUF, 0, 0, ring, 0, false};
	m[RN_MAP_SCRATCH] = (struct rn_map_spec){BPF_MAP_TYPE_PERCPU_ARRAY, 4, RN_SCRATCH_BYTES,
						 f->cls->pair ? 2 : 1,      0, false};
	for (int i = 0; i < RN_STACK_WAYS; i++)
		m[RN_MAP_STACKS0 + i] =
			(struct rn_map_spec){BPF_MAP_TYPE_STACK_TRACE, 4, 8 * RN_STACK_FRAMES,
					     RN_STACK_PLACES,          0, false};
	m[RN_MAP_PROCS] = (struct rn_map_spec){BPF_MAP_TYPE_HASH, 8, 8, RN_STACK_PROCS, 0, false};
	m[RN_MAP_CGROUP] = (struct rn_map_spec){BPF_MAP_TYPE_CGROUP_ARRAY, 4, 4, 1, 0, false};
	m[RN_MAP_NAMES] = (struct rn_map_spec){BPF_MAP_TYPE_ARRAY, 4, 8, RN_SYS_MAX + 1, 0, false};
}
