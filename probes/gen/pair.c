/* pair.c - the two programs of `between A and B on KEYS`.
 *
 * At A: task and conditions are tested. Then {keys -> time, the fields of A that the query uses}
 * goes into a map, with the key once more behind the value. When the map is full, it forgets the
 * entry that was not used for longest. At B: the entry of the same keys is copied to scratch memory
 * and taken out of the map, which only one B can do. From then on it is an event like any other;
 * its fields are B's own or were kept from A (rn_gen_resolve_pair_field).
 *
 * B does not test the scope: it may happen in an interrupt. Each program has scratch memory of its
 * own, since one may come amid the other. */
#include <errno.h>
#include <linux/bpf.h>
#include "planner/plan/call_ends.h"
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
	*k = (struct rn_pair_capture){.of = of, .enc = RN_ENCODING_TIME, .off = g->kept_bytes};
	if (of && !rn_field_enc(of, g->tp != NULL, &k->enc))
		rn_gen_fail(g, "the field `%s` of class %s has no probe", of->name, g->cls->name);
	if (k->enc == RN_ENCODING_SYSCALL_NR && !g->nnr)
		k->enc = RN_ENCODING_EVENT;
	g->kept_bytes += rn_encoding_bytes(k->enc);
	g->nkept++;
}

static void keep_field(struct rn_gen *g, const struct rn_field *f)
{
	const struct rn_pair_field *p = rn_pair_field(g->fragment->cls, f);

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
	const struct rn_fragment *f = g->fragment;
	bool groups = f->grouped && f->agg_place == RN_AT_KERNEL;

	keep(g, NULL);
	for (unsigned i = 0; i < f->nwhere; i++)
		if (f->where[i].place == RN_AT_KERNEL)
			rn_expr_look(f->where[i].expr, keep_of, g);
	for (unsigned i = 0; groups && i < f->nkeys; i++)
		rn_expr_look(f->keys[i], keep_of, g);
	for (unsigned i = 0; groups && i < f->naggs; i++) {
		rn_expr_look(f->aggs[i].arg, keep_of, g);
		rn_expr_look(f->aggs[i].where, keep_of, g);
	}
	for (unsigned i = 0; !groups && i < f->nfields; i++)
		keep_field(g, f->fields[i]);
}

const struct rn_field *rn_gen_resolve_pair_field(struct rn_gen *gen, const struct rn_field *field,
						 struct rn_pair_capture **kept)
{
	const struct rn_pair_field *p = gen->pair ? rn_pair_field(gen->fragment->cls, field) : NULL;

	*kept = NULL;
	if (!p)
		return field;
	switch (p->part) {
	case RN_PAIR_END: return &time_field;
	case RN_PAIR_LATENCY: return &latency_field;
	case RN_PAIR_START: *kept = find_kept(gen, NULL); return field;
	case RN_PAIR_FIRST: *kept = find_kept(gen, p->of); return p->of;
	case RN_PAIR_SECOND: break;
	}
	return p->of;
}

void rn_gen_kept(struct rn_gen *gen, const struct rn_pair_capture *capture, int reg)
{
	rn_emit_ldx(gen->emit, BPF_DW, reg, BPF_REG_10, gen->kept_off, NULL);
	rn_emit_alui(gen->emit, BPF_ADD, reg, (int32_t)capture->off);
}

/* ---- both programs ---- */

static void take_end(struct rn_gen *g, unsigned end)
{
	g->cls = g->fragment->cls->pair->end[end];
	g->tp = rn_class_tp(g->cls);
	g->first = end == 0;
	g->part = end;
	g->pair = end ? g->fragment->cls->pair : NULL;
	g->nnr = 0;
	g->all_nr = false;
	if (rn_class_is_syscall(g->cls))
		rn_gen_numbers(g, 0, RN_OP_FIRST);
}

void rn_gen_pair_begin(struct rn_gen *gen)
{
	unsigned keys = 8 * gen->fragment->cls->pair->nkeys, note;

	for (unsigned end = 0; end < 2; end++) {
		const struct rn_class *cls = gen->fragment->cls->pair->end[end];
		int hook = rn_gen_hook_of(gen, end, &note);

		if (hook < 0 || (hook == RN_HOOK_TP && !rn_class_tp(cls)))
			rn_gen_fail(gen, "the class %s has no probe", cls->name);
	}
	take_end(gen, 0);
	keep_used(gen);
	if (2 * keys + gen->kept_bytes > RN_PAIR_BYTES)
		rn_gen_fail(gen,
			    "the fields of the first event are %u bytes, too many to be kept until "
			    "the second comes: name those that are wanted",
			    gen->kept_bytes);
	take_end(gen, 1);
	gen->out->map[RN_MAP_PAIRS].used = true;
}

/* r9 = scratch memory with the keys, as named at this end. Clobbers r0..r5. */
static void pack_key(struct rn_gen *g)
{
	const struct rn_pair *p = g->fragment->cls->pair;
	unsigned end = g->first ? 0 : 1;

	rn_emit_note(g->emit, "r9 = the key of the pair, then what is kept");
	rn_gen_scratch(g, BPF_REG_9);
	rn_emit_alui(g->emit, BPF_ADD, BPF_REG_9, RN_SCRATCH_PAIR);
	g->r9_set = true;
	for (unsigned i = 0; i < p->nkeys; i++) {
		rn_emit_note(g->emit, "on %s", p->key[i][end]->name);
		rn_gen_load(g, p->key[i][end], BPF_REG_1);
		rn_emit_stx(g->emit, BPF_DW, BPF_REG_9, 8 * (int)i, BPF_REG_1);
	}
}

static void need_keys(struct rn_gen *g)
{
	const struct rn_pair *p = g->fragment->cls->pair;

	for (unsigned i = 0; i < p->nkeys; i++)
		rn_gen_need_field(g, p->key[i][g->first ? 0 : 1]);
}

/* r0 = 0, or the error why the key at r9 with its value is not in the map now. */
static void put(struct rn_gen *g, int flags)
{
	rn_emit_map(g->emit, BPF_REG_1, RN_MAP_PAIRS);
	rn_emit_mov(g->emit, BPF_REG_2, BPF_REG_9);
	rn_emit_mov(g->emit, BPF_REG_3, BPF_REG_9);
	rn_emit_alui(g->emit, BPF_ADD, BPF_REG_3, 8 * (int)g->fragment->cls->pair->nkeys);
	rn_emit_movi(g->emit, BPF_REG_4, flags);
	rn_emit_call(g->emit, BPF_FUNC_map_update_elem);
	rn_emit_note(g->emit, "kernels before 6.4 give an int, whose upper half is not its sign");
	rn_emit_alui(g->emit, BPF_LSH, BPF_REG_0, 32);
	rn_emit_alui(g->emit, BPF_ARSH, BPF_REG_0, 32);
}

/* If two first events have one key, the later one counts. */
static void first_event(struct rn_gen *gen)
{
	struct rn_emit *emit = gen->emit;
	unsigned nkeys = gen->fragment->cls->pair->nkeys;
	int begun = rn_emit_label(emit), again = rn_emit_label(emit), lost = rn_emit_label(emit),
	    from = 8 * (int)nkeys;

	need_keys(gen);
	for (unsigned i = 1; i < gen->nkept; i++)
		rn_gen_need_field(gen, gen->kept[i].of);
	rn_gen_cache(gen, RN_CACHED_TIME);
	pack_key(gen);
	rn_emit_ldx(emit, BPF_DW, BPF_REG_1, BPF_REG_10, gen->cached[RN_CACHED_TIME], NULL);
	rn_emit_stx(emit, BPF_DW, BPF_REG_9, from, BPF_REG_1);
	for (unsigned i = 1; i < gen->nkept; i++) {
		int off = from + (int)gen->kept[i].off;

		rn_emit_note(emit, "keeps %s", gen->kept[i].of->name);
		/* its 18 bytes leave part of the last word unchanged */
		if (gen->kept[i].enc == RN_ENCODING_IP)
			rn_emit_sti(emit, BPF_DW, BPF_REG_9, off + 16, 0);
		rn_gen_store(gen, gen->kept[i].of, BPF_REG_9, off);
	}
	for (unsigned i = 0; i < nkeys; i++) {
		rn_emit_ldx(emit, BPF_DW, BPF_REG_1, BPF_REG_9, 8 * (int)i, NULL);
		rn_emit_stx(emit, BPF_DW, BPF_REG_9, from + (int)gen->kept_bytes + 8 * (int)i,
			    BPF_REG_1);
	}
	rn_emit_note(emit, "the later one counts");
	put(gen, BPF_NOEXIST);
	rn_emit_jmpi(emit, BPF_JEQ, BPF_REG_0, 0, begun);
	rn_emit_jmpi(emit, BPF_JNE, BPF_REG_0, -EEXIST, lost);
	put(gen, BPF_EXIST);
	rn_emit_jmpi(emit, BPF_JEQ, BPF_REG_0, 0, again);
	rn_emit_note(emit, "it has just been paired");
	put(gen, BPF_NOEXIST);
	rn_emit_jmpi(emit, BPF_JEQ, BPF_REG_0, 0, begun);
	rn_emit_jmpi(emit, BPF_JEQ, BPF_REG_0, -EEXIST, again);
	rn_emit_bind(emit, lost);
	rn_gen_stat(gen, RN_STAT_PAIR_LOST);
	rn_emit_ja(emit, gen->out_label);
	rn_emit_bind(emit, again);
	rn_gen_stat(gen, RN_STAT_PAIR_AGAIN);
	rn_emit_bind(emit, begun);
	rn_gen_stat(gen, RN_STAT_PAIR_BEGUN);
}

/* If an entry was replaced meanwhile, its place may now hold another one. Its key tells; so does
 * its time, if it changed during the copy. r0 = the entry. */
static void same_entry(struct rn_gen *g, int other)
{
	struct rn_emit *e = g->emit;
	unsigned nkeys = g->fragment->cls->pair->nkeys;

	/* last the time, which follows the keys in scratch memory */
	for (unsigned i = 0; i <= nkeys; i++) {
		rn_emit_ldx(e, BPF_DW, BPF_REG_1, BPF_REG_0,
			    i < nkeys ? (int)g->kept_bytes + 8 * (int)i : 0, NULL);
		rn_emit_ldx(e, BPF_DW, BPF_REG_2, BPF_REG_9, 8 * (int)i, NULL);
		rn_emit_jmp(e, BPF_JNE, BPF_REG_1, BPF_REG_2, other);
	}
}

/* Take the values of the first event out of the map; leave if there are none. */
static void second_event(struct rn_gen *gen)
{
	struct rn_emit *emit = gen->emit;
	int unpaired = rn_emit_label(emit), found = rn_emit_label(emit),
	    to = 8 * (int)gen->fragment->cls->pair->nkeys;

	need_keys(gen);
	rn_gen_cache(gen, RN_CACHED_TIME);
	gen->kept_off = rn_gen_stack(gen, 8);
	pack_key(gen);
	rn_emit_note(emit, "the first event with this key");
	rn_emit_map(emit, BPF_REG_1, RN_MAP_PAIRS);
	rn_emit_mov(emit, BPF_REG_2, BPF_REG_9);
	rn_emit_call(emit, BPF_FUNC_map_lookup_elem);
	rn_emit_jmpi(emit, BPF_JEQ, BPF_REG_0, 0, unpaired);
	for (int i = 0; i < (int)gen->kept_bytes; i += 8) {
		rn_emit_ldx(emit, BPF_DW, BPF_REG_1, BPF_REG_0, i, NULL);
		rn_emit_stx(emit, BPF_DW, BPF_REG_9, to + i, BPF_REG_1);
	}
	same_entry(gen, unpaired);
	rn_emit_note(emit, "it is this one's: nobody else takes it");
	rn_emit_map(emit, BPF_REG_1, RN_MAP_PAIRS);
	rn_emit_mov(emit, BPF_REG_2, BPF_REG_9);
	rn_emit_call(emit, BPF_FUNC_map_delete_elem);
	rn_emit_jmpi(emit, BPF_JEQ, BPF_REG_0, 0, found);
	rn_emit_bind(emit, unpaired);
	rn_emit_note(emit, "none: it is counted if it is of somebody in scope");
	rn_gen_scope(gen);
	rn_gen_stat(gen, RN_STAT_UNPAIRED);
	rn_emit_ja(emit, gen->out_label);
	rn_emit_bind(emit, found);
	rn_emit_alui(emit, BPF_ADD, BPF_REG_9, to);
	rn_emit_stx(emit, BPF_DW, BPF_REG_10, gen->kept_off, BPF_REG_9);
	gen->r9_set = false;
	rn_gen_stat(gen, RN_STAT_PAIRED);
}

/* At the event of this end. */
static void program(struct rn_gen *gen, unsigned end, unsigned hook)
{
	const struct rn_pair_end *w = &gen->fragment->ends[end];

	take_end(gen, end);
	rn_gen_begin(gen, hook, end ? "rn_second" : "rn_first");
	rn_gen_context(gen);
	rn_gen_filter_task(gen, end == 1);
	if (gen->shared && !gen->busy_off)
		rn_gen_check_cpu(gen);
	if (w->nwhere) { /* else all that were seen go on */
		rn_emit_note(gen->emit, "seen");
		rn_gen_stat(gen, RN_STAT_SEEN);
	}
	gen->pair = NULL; /* the end's own fields: its own latency, for example */
	rn_gen_where(gen, w->where, w->nwhere);
	gen->pair = end ? gen->fragment->cls->pair : NULL;
	if (end) {
		gen->cached[RN_CACHED_LATENCY] = 0;
		second_event(gen);
		rn_gen_where(gen, gen->fragment->where, gen->fragment->nwhere);
		rn_gen_result(gen);
	} else {
		first_event(gen);
	}
	rn_gen_end(gen);
}

/* Does the program that was attached last run first? If an event is both ends (between read and
 * read on tid), the program of the second end has to run first. Programs of a tracepoint run in the
 * order in which they were attached. Those at the beginning of a function run the other way round,
 * since the kernel puts each in front of the others. Those at the return of a function of the
 * kernel run in the order of attachment again. */
static bool runs_last_first(const struct rn_gen *g)
{
	unsigned note, hook[2];

	for (unsigned end = 0; end < 2; end++) {
		hook[end] = (unsigned)rn_gen_hook_of(g, end, &note);
		if (!rn_fragment_functions(g->fragment, end))
			return false;
	}
	return hook[0] != RN_HOOK_KERNEL_RETURN || hook[1] != RN_HOOK_KERNEL_RETURN;
}

void rn_gen_pair(struct rn_gen *gen)
{
	struct rn_map_spec *start = &gen->out->map[RN_MAP_START];
	bool any = false, turned = runs_last_first(gen);
	unsigned note[2];

	for (unsigned i = 0; i < 2 && !gen->rc; i++) {
		unsigned end = turned ? 1 - i : i;

		start->used = false;
		program(gen, end, (unsigned)rn_gen_hook_of(gen, end, &note[end]));
		any |= start->used;
		if (start->used && !gen->rc)
			rn_gen_enter_program(gen, RN_HOOK_SYS_ENTER);
	}
	for (unsigned end = 0; end < 2 && !gen->rc; end++) {
		take_end(gen, end);
		if (note[end])
			rn_gen_plain_program(gen, note[end], "rn_note");
	}
	start->used = any;
}
