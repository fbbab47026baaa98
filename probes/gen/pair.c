/* pair.c - the two programs of `between A and B on KEYS`.
 *
 * At A: task and conditions are tested. Then {keys -> time, the fields of A that the query uses}
 * goes into a map, with the key once more behind the value. When the map is full, it forgets the
 * entry that was not used for longest. At B: the entry of the same keys is copied to scratch memory
 * and taken out of the map, which only one B can do. From then on it is an event like any other;
 * its fields are B's own or were kept from A (rn_gen_own).
 *
 * B does not test the scope: it may happen in an interrupt. Each program has scratch memory of its
 * own, since one may come amid the other. */
#include <errno.h>
#include <linux/bpf.h>
#include "probes/gen/gen_impl.h"

static const struct rn_field time_field = {
	.name = "time", .ty = {RN_T_INT, RN_U_EPOCH}, .id = RN_F_TIME};
static const struct rn_field latency_field = {
	.name = "latency", .ty = {RN_T_INT, RN_U_NS}, .id = RN_F_LATENCY};

/* ---- the kept values ---- */

static struct rn_pair_capture *find_kept(struct rn_gen *g, const struct rn_field *of)
{
	for (unsigned i = 0; i < g->nkept; i++)
		if (g->kept[i].of == of)
			return &g->kept[i];
	return NULL;
}

static void keep(struct rn_gen *g, const struct rn_field *of)
{
	struct rn_pair_capture *k = &g->kept[g->nkept];

	if (find_kept(g, of))
		return;
	if (g->nkept == RN_PAIR_CAPTURES_MAX) {
		rn_gen_fail(g, "more fields of the first event than can be kept until the second "
			       "comes: name those that are wanted");
		return;
	}
	*k = (struct rn_pair_capture){.of = of, .enc = RN_ENC_TIME, .off = g->kept_bytes};
	if (of && !rn_field_enc(of, g->tp != NULL, &k->enc))
		rn_gen_fail(g, "the field `%s` of class %s has no probe", of->name, g->cls->name);
	if (k->enc == RN_ENC_NR && !g->nnr)
		k->enc = RN_ENC_EVENT;
	g->kept_bytes += rn_enc_bytes(k->enc);
	g->nkept++;
}

static void keep_field(struct rn_gen *g, const struct rn_field *f)
{
	const struct rn_pair_field *p = rn_pair_field(g->f->cls, f);

	if (p && p->part == RN_PAIR_FIRST)
		keep(g, p->of);
}

static void keep_of(void *self, const struct rn_expr *e)
{
	if (e->kind == RN_E_FIELD)
		keep_field(self, e->field);
}

static void keep_used(struct rn_gen *g)
{
	const struct rn_fragment *f = g->f;
	bool groups = f->grouped && f->agg_place == RN_AT_KERNEL;

	keep(g, NULL);
	for (unsigned i = 0; i < f->nwhere; i++)
		if (f->where[i].place == RN_AT_KERNEL)
			rn_expr_look(f->where[i].expr, keep_of, g);
	for (unsigned i = 0; groups && i < f->nkeys; i++)
		rn_expr_look(f->keys[i], keep_of, g);
	for (unsigned i = 0; groups && i < f->naggs; i++)
		rn_expr_look(f->aggs[i].arg, keep_of, g);
	for (unsigned i = 0; !groups && i < f->nfields; i++)
		keep_field(g, f->fields[i]);
}

const struct rn_field *rn_gen_own(struct rn_gen *g, const struct rn_field *f,
				  struct rn_pair_capture **kept)
{
	const struct rn_pair_field *p = g->pair ? rn_pair_field(g->f->cls, f) : NULL;

	*kept = NULL;
	if (!p)
		return f;
	switch (p->part) {
	case RN_PAIR_END: return &time_field;
	case RN_PAIR_LATENCY: return &latency_field;
	case RN_PAIR_START: *kept = find_kept(g, NULL); return f;
	case RN_PAIR_FIRST: *kept = find_kept(g, p->of); return p->of;
	case RN_PAIR_SECOND: break;
	}
	return p->of;
}

void rn_gen_kept(struct rn_gen *g, const struct rn_pair_capture *k, int reg)
{
	rn_emit_ldx(g->e, BPF_DW, reg, BPF_REG_10, g->kept_off, NULL);
	rn_emit_alui(g->e, BPF_ADD, reg, (int32_t)k->off);
}

/* ---- both programs ---- */

static int hook_of_end(const struct rn_gen *g, unsigned end)
{
	return rn_hook_of(g->f->cls->pair->end[end]);
}

static void take_end(struct rn_gen *g, unsigned end)
{
	g->cls = g->f->cls->pair->end[end];
	g->tp = rn_class_tp(g->cls);
	g->first = end == 0;
	g->pair = end ? g->f->cls->pair : NULL;
	g->nnr = 0;
	g->all_nr = false;
	if (rn_class_is_syscall(g->cls))
		rn_gen_numbers(g, 0, RN_OP_FIRST);
}

void rn_gen_pair_begin(struct rn_gen *g)
{
	unsigned keys = 8 * g->f->cls->pair->nkeys;

	for (unsigned end = 0; end < 2; end++)
		if (hook_of_end(g, end) < 0 ||
		    (hook_of_end(g, end) == RN_HOOK_TP && !rn_class_tp(g->f->cls->pair->end[end])))
			rn_gen_fail(g, "the class %s has no probe",
				    g->f->cls->pair->end[end]->name);
	take_end(g, 0);
	keep_used(g);
	if (2 * keys + g->kept_bytes > RN_PAIR_BYTES)
		rn_gen_fail(g,
			    "the fields of the first event are %u bytes, too many to be kept until "
			    "the second comes: name those that are wanted",
			    g->kept_bytes);
	take_end(g, 1);
	g->out->map[RN_MAP_PAIRS].used = true;
}

/* r9 = scratch memory with the keys, as named at this end. Clobbers r0..r5. */
static void pack_key(struct rn_gen *g)
{
	const struct rn_pair *p = g->f->cls->pair;
	unsigned end = g->first ? 0 : 1;

	rn_emit_note(g->e, "r9 = the key of the pair, then what is kept");
	rn_gen_scratch(g, BPF_REG_9);
	rn_emit_alui(g->e, BPF_ADD, BPF_REG_9, RN_SCRATCH_PAIR);
	g->r9_set = true;
	for (unsigned i = 0; i < p->nkeys; i++) {
		rn_emit_note(g->e, "on %s", p->key[i][end]->name);
		rn_gen_load(g, p->key[i][end], BPF_REG_1);
		rn_emit_stx(g->e, BPF_DW, BPF_REG_9, 8 * (int)i, BPF_REG_1);
	}
}

static void need_keys(struct rn_gen *g)
{
	const struct rn_pair *p = g->f->cls->pair;

	for (unsigned i = 0; i < p->nkeys; i++)
		rn_gen_need_field(g, p->key[i][g->first ? 0 : 1]);
}

/* r0 = 0, or the error why the key at r9 with its value is not in the map now. */
static void put(struct rn_gen *g, int flags)
{
	rn_emit_map(g->e, BPF_REG_1, RN_MAP_PAIRS);
	rn_emit_mov(g->e, BPF_REG_2, BPF_REG_9);
	rn_emit_mov(g->e, BPF_REG_3, BPF_REG_9);
	rn_emit_alui(g->e, BPF_ADD, BPF_REG_3, 8 * (int)g->f->cls->pair->nkeys);
	rn_emit_movi(g->e, BPF_REG_4, flags);
	rn_emit_call(g->e, BPF_FUNC_map_update_elem);
	rn_emit_note(g->e, "kernels before 6.4 give an int, whose upper half is not its sign");
	rn_emit_alui(g->e, BPF_LSH, BPF_REG_0, 32);
	rn_emit_alui(g->e, BPF_ARSH, BPF_REG_0, 32);
}

/* If two first events have one key, the later one counts. */
static void first_event(struct rn_gen *g)
{
	struct rn_emit *e = g->e;
	unsigned nkeys = g->f->cls->pair->nkeys;
	int begun = rn_emit_label(e), again = rn_emit_label(e), lost = rn_emit_label(e),
	    from = 8 * (int)nkeys;

	need_keys(g);
	for (unsigned i = 1; i < g->nkept; i++)
		rn_gen_need_field(g, g->kept[i].of);
	rn_gen_fetch(g, RN_MAT_TIME);
	pack_key(g);
	rn_emit_ldx(e, BPF_DW, BPF_REG_1, BPF_REG_10, g->mat[RN_MAT_TIME], NULL);
	rn_emit_stx(e, BPF_DW, BPF_REG_9, from, BPF_REG_1);
	for (unsigned i = 1; i < g->nkept; i++) {
		int off = from + (int)g->kept[i].off;

		rn_emit_note(e, "keeps %s", g->kept[i].of->name);
		/* its 18 bytes leave part of the last word unchanged */
		if (g->kept[i].enc == RN_ENC_IP)
			rn_emit_sti(e, BPF_DW, BPF_REG_9, off + 16, 0);
		rn_gen_store(g, g->kept[i].of, BPF_REG_9, off);
	}
	for (unsigned i = 0; i < nkeys; i++) {
		rn_emit_ldx(e, BPF_DW, BPF_REG_1, BPF_REG_9, 8 * (int)i, NULL);
		rn_emit_stx(e, BPF_DW, BPF_REG_9, from + (int)g->kept_bytes + 8 * (int)i,
			    BPF_REG_1);
	}
	rn_emit_note(e, "the later one counts");
	put(g, BPF_NOEXIST);
	rn_emit_jmpi(e, BPF_JEQ, BPF_REG_0, 0, begun);
	rn_emit_jmpi(e, BPF_JNE, BPF_REG_0, -EEXIST, lost);
	put(g, BPF_EXIST);
	rn_emit_jmpi(e, BPF_JEQ, BPF_REG_0, 0, again);
	rn_emit_note(e, "it has just been paired");
	put(g, BPF_NOEXIST);
	rn_emit_jmpi(e, BPF_JEQ, BPF_REG_0, 0, begun);
	rn_emit_jmpi(e, BPF_JEQ, BPF_REG_0, -EEXIST, again);
	rn_emit_bind(e, lost);
	rn_gen_stat(g, RN_STAT_PAIR_LOST);
	rn_emit_ja(e, g->out_label);
	rn_emit_bind(e, again);
	rn_gen_stat(g, RN_STAT_PAIR_AGAIN);
	rn_emit_bind(e, begun);
	rn_gen_stat(g, RN_STAT_PAIR_BEGUN);
}

/* If an entry was replaced meanwhile, its place may now hold another one. Its key tells; so does
 * its time, if it changed during the copy. r0 = the entry. */
static void same_entry(struct rn_gen *g, int other)
{
	struct rn_emit *e = g->e;
	unsigned nkeys = g->f->cls->pair->nkeys;

	/* last the time, which follows the keys in scratch memory */
	for (unsigned i = 0; i <= nkeys; i++) {
		rn_emit_ldx(e, BPF_DW, BPF_REG_1, BPF_REG_0,
			    i < nkeys ? (int)g->kept_bytes + 8 * (int)i : 0, NULL);
		rn_emit_ldx(e, BPF_DW, BPF_REG_2, BPF_REG_9, 8 * (int)i, NULL);
		rn_emit_jmp(e, BPF_JNE, BPF_REG_1, BPF_REG_2, other);
	}
}

/* Take the values of the first event out of the map; leave if there are none. */
static void second_event(struct rn_gen *g)
{
	struct rn_emit *e = g->e;
	int unpaired = rn_emit_label(e), found = rn_emit_label(e),
	    to = 8 * (int)g->f->cls->pair->nkeys;

	need_keys(g);
	rn_gen_fetch(g, RN_MAT_TIME);
	g->kept_off = rn_gen_stack(g, 8);
	pack_key(g);
	rn_emit_note(e, "the first event with this key");
	rn_emit_map(e, BPF_REG_1, RN_MAP_PAIRS);
	rn_emit_mov(e, BPF_REG_2, BPF_REG_9);
	rn_emit_call(e, BPF_FUNC_map_lookup_elem);
	rn_emit_jmpi(e, BPF_JEQ, BPF_REG_0, 0, unpaired);
	for (int i = 0; i < (int)g->kept_bytes; i += 8) {
		rn_emit_ldx(e, BPF_DW, BPF_REG_1, BPF_REG_0, i, NULL);
		rn_emit_stx(e, BPF_DW, BPF_REG_9, to + i, BPF_REG_1);
	}
	same_entry(g, unpaired);
	rn_emit_note(e, "it is this one's: nobody else takes it");
	rn_emit_map(e, BPF_REG_1, RN_MAP_PAIRS);
	rn_emit_mov(e, BPF_REG_2, BPF_REG_9);
	rn_emit_call(e, BPF_FUNC_map_delete_elem);
	rn_emit_jmpi(e, BPF_JEQ, BPF_REG_0, 0, found);
	rn_emit_bind(e, unpaired);
	rn_emit_note(e, "none: it is counted if it is of somebody in scope");
	rn_gen_scope(g);
	rn_gen_stat(g, RN_STAT_UNPAIRED);
	rn_emit_ja(e, g->out_label);
	rn_emit_bind(e, found);
	rn_emit_alui(e, BPF_ADD, BPF_REG_9, to);
	rn_emit_stx(e, BPF_DW, BPF_REG_10, g->kept_off, BPF_REG_9);
	g->r9_set = false;
	rn_gen_stat(g, RN_STAT_PAIRED);
}

static void program(struct rn_gen *g, unsigned end)
{
	const struct rn_pair_end *w = &g->f->ends[end];

	take_end(g, end);
	rn_gen_begin(g, (unsigned)hook_of_end(g, end), end ? "rn_second" : "rn_first");
	rn_gen_context(g);
	rn_gen_admit(g, end == 1);
	if (w->nwhere) { /* else all that were seen go on */
		rn_emit_note(g->e, "seen");
		rn_gen_stat(g, RN_STAT_SEEN);
	}
	g->pair = NULL; /* the end's own fields: its own latency, for example */
	rn_gen_where(g, w->where, w->nwhere);
	g->pair = end ? g->f->cls->pair : NULL;
	if (end) {
		g->mat[RN_MAT_LATENCY] = 0;
		second_event(g);
		rn_gen_where(g, g->f->where, g->f->nwhere);
		rn_gen_result(g);
	} else {
		first_event(g);
	}
	rn_gen_end(g);
}

/* Programs are attached from the last one on, and those of one hook run in the order in which they
 * were attached. An event may be both ends (between read and read on tid): then the second end's
 * program has to run first. */
void rn_gen_pair(struct rn_gen *g)
{
	struct rn_map_spec *start = &g->out->map[RN_MAP_START];
	bool any = false;

	for (unsigned end = 0; end < 2 && !g->rc; end++) {
		start->used = false;
		program(g, end);
		any |= start->used;
		if (start->used && !g->rc)
			rn_gen_enter_program(g);
	}
	start->used = any;
}
