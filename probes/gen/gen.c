/* gen.c - a fragment becomes programs: prologue, filters in the order given, then a row or an
 * update of a group.
 *
 * Order inside an event program: number of the call (rejects most), scope, conjuncts, then the
 * costly fields that only the result needs. One program per hook; see gen.h for the register
 * contract. */
#include "probes/gen/gen.h"
#include <asm/unistd.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "planner/plan/call_ends.h"
#include "probes/gen/gen_impl.h"

enum { TS_COMPAT = 2 }; /* of x86-64 */

void rn_gen_fail(struct rn_gen *gen, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	if (gen->rc)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	gen->rc = rn_err_set(gen->err, -ENOTSUP, "%s", text);
}

int rn_gen_stack(struct rn_gen *gen, unsigned bytes)
{
	gen->stack -= (int)((bytes + 7) & ~7u);
	if (gen->stack < -RN_STACK_MAX)
		rn_gen_fail(gen, "the query needs too much of the kernel stack");
	return gen->stack;
}

int rn_gen_push(struct rn_gen *gen, int reg)
{
	if (gen->ntemp == sizeof(gen->temp) / sizeof(*gen->temp)) {
		rn_gen_fail(gen, "an expression is nested too deeply for the kernel");
		return -8;
	}
	if (gen->ntemp == gen->ntemp_made)
		gen->temp[gen->ntemp_made++] = rn_gen_stack(gen, 8);
	rn_emit_stx(gen->emit, BPF_DW, BPF_REG_10, gen->temp[gen->ntemp], reg);
	return gen->temp[gen->ntemp++];
}

void rn_gen_pop(struct rn_gen *gen, int reg)
{
	if (gen->ntemp)
		rn_emit_ldx(gen->emit, BPF_DW, reg, BPF_REG_10, gen->temp[--gen->ntemp], NULL);
}

void rn_gen_drop(struct rn_gen *gen)
{
	if (gen->ntemp)
		gen->ntemp--;
}

void rn_gen_member(struct rn_gen *gen, int size, int dst, int base, enum rn_btf_member m)
{
	int off = gen->opts->btf->off[m];

	if (off < 0)
		rn_gen_fail(gen, "this kernel has no %s", rn_btf_member_name(m));
	rn_emit_ldx(gen->emit, size, dst, base, off < 0 ? 0 : off, rn_btf_member_name(m));
}

/* r0 = entry `index` of an array map, or a jump to miss. The index is in r1 if index < 0. */
void rn_gen_array(struct rn_gen *gen, int map, int index, int miss)
{
	int slot;

	if (index >= 0)
		rn_emit_movi(gen->emit, BPF_REG_1, index);
	slot = rn_gen_push(gen, BPF_REG_1);
	rn_gen_drop(gen);
	rn_emit_mov(gen->emit, BPF_REG_2, BPF_REG_10);
	rn_emit_alui(gen->emit, BPF_ADD, BPF_REG_2, slot);
	rn_emit_map(gen->emit, BPF_REG_1, map);
	rn_emit_call(gen->emit, BPF_FUNC_map_lookup_elem);
	rn_emit_jmpi(gen->emit, BPF_JEQ, BPF_REG_0, 0, miss);
	gen->out->map[map].used = true;
}

void rn_gen_scratch(struct rn_gen *gen, int reg)
{
	rn_gen_array(gen, RN_MAP_SCRATCH, gen->first ? 1 : 0, gen->out_label);
	rn_emit_mov(gen->emit, reg, BPF_REG_0);
}

void rn_gen_intrinsic(struct rn_gen *gen, enum rn_intrinsic i)
{
	gen->out->intrinsics |= 1ull << i;
	rn_emit_sub(gen->emit, i, rn_intrinsic_name(i));
}

void rn_gen_cast(struct rn_gen *gen, uint32_t type, const char *name)
{
	rn_emit_movi_sym(gen->emit, BPF_REG_2, type, name);
	rn_emit_call(gen->emit, RN_CAST_MARK);
}

bool rn_gen_set_fits(const struct rn_gen *gen, const struct rn_expr *expr)
{
	const struct rn_gen_out *o = gen->out;
	bool has = o->nsets < RN_SETS_MAX;

	for (unsigned i = 0; i < o->nsets; i++)
		has |= o->sets[i]->arg[1] == expr->arg[1]; /* of another program */
	return has;
}

int rn_gen_set(struct rn_gen *gen, const struct rn_expr *expr, enum rn_encoding enc)
{
	struct rn_gen_out *o = gen->out;

	o->map[RN_MAP_SETS].used = true;
	for (unsigned i = 0; i < o->nsets; i++)
		if (o->sets[i]->arg[1] == expr->arg[1])
			return (int)i;
	if (o->nsets == RN_SETS_MAX) {
		rn_gen_fail(gen, "more than %d long lists after `in`", RN_SETS_MAX);
		return 0;
	}
	o->set_enc[o->nsets] = enc;
	o->sets[o->nsets++] = expr;
	o->map[RN_MAP_SETS].entries += expr->narg;
	return (int)o->nsets - 1;
}

int rn_gen_pattern(struct rn_gen *gen, const char *text, unsigned len)
{
	struct rn_gen_out *o = gen->out;

	for (unsigned i = 0; i < o->npatterns; i++)
		if (strlen(o->patterns[i]) == len && !memcmp(o->patterns[i], text, len))
			return (int)i;
	if (o->npatterns == RN_MAX_PATTERNS) {
		rn_gen_fail(gen, "more than %d patterns", RN_MAX_PATTERNS);
		return 0;
	}
	o->patterns[o->npatterns] = rn_arena_strndup(gen->arena, text, len);
	return (int)o->npatterns++;
}

/* ---- the parts of an event program ---- */

/* Begin as the hook says. The record of an operation is per CPU. */
static void at_hook(struct rn_gen *g)
{
	const struct rn_hook_row *h = rn_hook_row(g->hook);

	if (g->shared && rn_hook_is_op(h) && h->at == RN_AT_TRACE) {
		rn_emit_mov(g->emit, BPF_REG_6, BPF_REG_1);
		rn_gen_check_cpu(g);
		rn_emit_mov(g->emit, BPF_REG_1, BPF_REG_6);
	}
	h->begin(g);
}

void rn_gen_context(struct rn_gen *gen)
{
	if (gen->out->uses_stacks || rn_gen_hands_over(gen) || rn_gen_takes_over(gen) ||
	    rn_gen_chained(gen)) {
		rn_emit_note(gen->emit, "the context, which helpers ask for");
		gen->ctx_off = rn_gen_stack(gen, 8);
		rn_emit_stx(gen->emit, BPF_DW, BPF_REG_10, gen->ctx_off, BPF_REG_1);
	}
	at_hook(gen);
}

/* A 32-bit system call (of a 32-bit program, or by int 0x80) has other numbers: it is counted, and
 * left out. */
void rn_gen_leave_out_compat(struct rn_gen *g)
{
	const int32_t *off = g->opts->btf->off;
	int native = rn_emit_label(g->emit);

	if (off[RN_BM_TASK_THREAD_INFO] < 0 || off[RN_BM_THREAD_INFO_STATUS] < 0)
		return;
	rn_emit_note(g->emit, "no 32-bit calls");
	rn_emit_ldx(g->emit, BPF_W, BPF_REG_1, BPF_REG_8,
		    off[RN_BM_TASK_THREAD_INFO] + off[RN_BM_THREAD_INFO_STATUS],
		    "task_struct.thread_info.status");
	rn_emit_alui(g->emit, BPF_AND, BPF_REG_1, TS_COMPAT);
	rn_emit_jmpi(g->emit, BPF_JEQ, BPF_REG_1, 0, native);
	/* of a call without arguments, both kinds have one function */
	if (rn_gen_at_return(g->hook) && g->hook != RN_HOOK_CALL_RETURN)
		rn_gen_stat(g, RN_STAT_COMPAT);
	rn_emit_ja(g->emit, g->out_label);
	rn_emit_bind(g->emit, native);
}

static bool of_calls(const struct rn_gen *g)
{
	return rn_gen_at_return(g->hook) || g->hook == RN_HOOK_SYS_ENTER ||
	       g->hook == RN_HOOK_CALL_ENTRY;
}

void rn_gen_of_class(struct rn_gen *gen)
{
	struct rn_emit *e = gen->emit;
	int native = rn_emit_label(e);

	if (rn_gen_chained(gen))
		rn_gen_chain_wants(gen);
	if (!of_calls(gen) || gen->all_nr)
		return;
	rn_emit_note(e, "calls of class %s; 32-bit programs have other numbers", gen->cls->name);
	rn_gen_member(gen, BPF_H, BPF_REG_1, BPF_REG_6, RN_BM_REGS_CS);
	rn_emit_jmpi(e, BPF_JEQ, BPF_REG_1, RN_USER32_CS, native);
	if (gen->clones)
		rn_gen_clone_class(gen);
	else if (!rn_gen_chained(gen))
		rn_gen_nr_test(gen, gen->nr, gen->nnr, false, gen->out_label);
	rn_gen_leave_out_options(gen);
	rn_emit_bind(e, native);
}

/* A new task returns 0 from the call that its parent made: this is the parent's call. */
static void leave_out_births(struct rn_gen *g)
{
	static const uint16_t births[] = {__NR_clone, __NR_fork, __NR_vfork, __NR_clone3};
	enum { N = sizeof(births) / sizeof(*births) };
	int on = rn_emit_label(g->emit);
	bool any = g->all_nr;

	for (unsigned i = 0; i < g->nnr; i++)
		for (unsigned k = 0; k < N; k++)
			any |= g->nr[i] == births[k];
	if (!any)
		return;
	rn_emit_note(g->emit, "no calls that a parent made and a new task returns from");
	rn_emit_jmpi(g->emit, BPF_JNE, BPF_REG_7, 0, on);
	rn_gen_nr_test(g, births, N, true, g->out_label);
	rn_emit_bind(g->emit, on);
}

void rn_gen_filter_task(struct rn_gen *gen, bool any_task)
{
	if (of_calls(gen) && rn_gen_hands_over(gen))
		rn_gen_class_by_table(gen);
	else
		rn_gen_of_class(gen);
	if (any_task)
		rn_gen_current(gen);
	else if (!gen->is_op || !rn_gen_scope_any(gen)) /* else the hook has tested it */
		rn_gen_scope(gen);
	if (of_calls(gen))
		rn_gen_leave_out_compat(gen);
	if (gen->hook == RN_HOOK_SYS_EXIT)
		leave_out_births(gen);
}

/* The text of a condition, unless it has a list of a million values. */
static const char *note_of(struct rn_arena *arena, const struct rn_expr *expr)
{
	uint64_t nodes = 0;
	unsigned depth = 0;

	rn_expr_measure(expr, &nodes, &depth);
	return nodes > 1000 ? "a value is in a long list" : rn_expr_text(arena, expr);
}

/* Leaves if the node has judged that the condition does not hold; notes if it has not judged. */
static void by_verdict(struct rn_gen *g, const struct rn_conjunct *c)
{
	const struct rn_field *field = rn_expr_judged(c->expr);
	int known = rn_emit_label(g->emit), next = rn_emit_label(g->emit), key;

	rn_gen_need_field(g, field);
	if (!g->unjudged_off) {
		g->unjudged_off = rn_gen_stack(g, 8);
		g->verdict_off = rn_gen_stack(g, sizeof(struct rn_verdict_key));
		rn_emit_sti(g->emit, BPF_DW, BPF_REG_10, g->unjudged_off, 0);
	}
	key = g->verdict_off;
	rn_gen_load(g, field, BPF_REG_1);
	rn_emit_stx(g->emit, BPF_DW, BPF_REG_10, key, BPF_REG_1);
	rn_emit_sti(g->emit, BPF_DW, BPF_REG_10,
		    key + (int)offsetof(struct rn_verdict_key, conjunct),
		    (int32_t)(c - g->fragment->where));
	rn_emit_mov(g->emit, BPF_REG_2, BPF_REG_10);
	rn_emit_alui(g->emit, BPF_ADD, BPF_REG_2, key);
	rn_emit_map(g->emit, BPF_REG_1, RN_MAP_VERDICTS);
	rn_emit_call(g->emit, BPF_FUNC_map_lookup_elem);
	g->out->map[RN_MAP_VERDICTS].used = true;
	rn_emit_jmpi(g->emit, BPF_JNE, BPF_REG_0, 0, known);
	rn_emit_sti(g->emit, BPF_DW, BPF_REG_10, g->unjudged_off, 1);
	rn_emit_ja(g->emit, next);
	rn_emit_bind(g->emit, known);
	rn_emit_ldx(g->emit, BPF_DW, BPF_REG_1, BPF_REG_0, 0, NULL);
	rn_emit_jmpi(g->emit, BPF_JEQ, BPF_REG_1, 0, g->out_label);
	rn_emit_bind(g->emit, next);
}

void rn_gen_where(struct rn_gen *gen, const struct rn_conjunct *conjunct, unsigned n)
{
	struct rn_expr *expr;

	for (unsigned i = 0; i < n; i++) {
		if (conjunct[i].place != RN_AT_KERNEL ||
		    rn_tested_at_entry(gen->fragment, &conjunct[i]) != gen->noting)
			continue;
		rn_emit_note(gen->emit, "where %s", note_of(gen->arena, conjunct[i].expr));
		if (conjunct[i].judged) {
			by_verdict(gen, &conjunct[i]);
			continue;
		}
		expr = rn_gen_narrow(gen, conjunct[i].expr);
		if (expr->kind == RN_E_CONST && expr->value.i)
			continue;
		if (expr->kind == RN_E_CONST) {
			rn_emit_ja(gen->emit, gen->out_label);
			continue;
		}
		rn_gen_need(gen, expr);
		rn_gen_branch(gen, expr, false, gen->out_label);
	}
}

/* Once the time has come, later events do not read the clock. */
void rn_gen_gate(struct rn_gen *gen)
{
	enum { FIRST = offsetof(struct rn_globals, first) };
	struct rn_emit *emit = gen->emit;
	int open = rn_emit_label(emit);

	if (!gen->fragment->held)
		return;
	rn_emit_note(emit, "nothing counts before the first window");
	rn_emit_map_value(emit, BPF_REG_1, RN_MAP_GLOBALS, 0);
	rn_emit_ldx(emit, BPF_DW, BPF_REG_2, BPF_REG_1, FIRST, NULL);
	rn_emit_jmpi(emit, BPF_JEQ, BPF_REG_2, 0, open);
	rn_emit_call(emit, BPF_FUNC_ktime_get_ns);
	rn_emit_map_value(emit, BPF_REG_1, RN_MAP_GLOBALS, 0);
	rn_emit_ldx(emit, BPF_DW, BPF_REG_2, BPF_REG_1, FIRST, NULL);
	rn_emit_jmp(emit, BPF_JLT, BPF_REG_0, BPF_REG_2, gen->out_label);
	rn_emit_sti(emit, BPF_DW, BPF_REG_1, FIRST, 0);
	rn_emit_bind(emit, open);
	gen->out->map[RN_MAP_GLOBALS].used = true;
}

/* Searches for tags, and first events of pairs, run before the first window too: events in it need
 * what they leave behind. */
static bool gated_late(const struct rn_gen *g)
{
	return g->fragment->cls->id == RN_CLS_TAG || g->fragment->cls->pair;
}

static void conjuncts(struct rn_gen *g)
{
	unsigned n = 0;
	bool entry = false; /* calls were seen when they began */

	if (rn_gen_takes_over(g)) {
		for (unsigned i = 0; i < g->fragment->nwhere; i++)
			if (!rn_gen_of_task(g, &g->fragment->where[i]))
				rn_gen_where(g, &g->fragment->where[i], 1);
		return;
	}
	rn_gen_unsearched(g);
	if (!gated_late(g))
		rn_gen_gate(g);
	for (unsigned i = 0; i < g->fragment->nwhere; i++) {
		n += g->fragment->where[i].place == RN_AT_KERNEL;
		entry |= rn_tested_at_entry(g->fragment, &g->fragment->where[i]);
	}
	if (!entry && (n || g->fragment->cls->id == RN_CLS_TAG || g->fragment->counted)) {
		g->out->counts_seen = true;
		rn_emit_note(g->emit, "seen");
		rn_gen_stat(g, RN_STAT_SEEN);
	}
	rn_gen_where(g, g->fragment->where, g->fragment->nwhere);
}

/* Is it the result of the second event? That of the first one was known when it was kept. */
static bool is_second_ret(struct rn_gen *g, const struct rn_field *field)
{
	struct rn_pair_capture *kept;

	return g->pair && rn_gen_resolve_pair_field(g, field, &kept)->id == RN_F_RET && !kept;
}

void rn_gen_row(struct rn_gen *gen)
{
	struct rn_emit *emit = gen->emit;
	struct rn_layout *layout = &gen->out->rec;
	int lost = rn_emit_label(emit), wake = rn_emit_label(emit), submit = rn_emit_label(emit);

	gen->shows = !gen->fragment->cls->pair;
	for (unsigned i = 0; i < layout->n; i++) {
		rn_gen_need_field(gen, layout->fields[i].field);
		/* a pair needs what it shows: all is known before there is a row */
		if (is_second_ret(gen, layout->fields[i].field))
			rn_gen_known_ret(gen, BPF_REG_1);
	}
	gen->shows = true;
	rn_gen_cache(gen, RN_CACHED_TIME);
	rn_emit_note(emit, "a row of %u bytes", layout->bytes);
	rn_emit_map(emit, BPF_REG_1, RN_MAP_RING);
	rn_emit_movi(emit, BPF_REG_2, layout->bytes);
	rn_emit_movi(emit, BPF_REG_3, 0);
	rn_emit_call(emit, BPF_FUNC_ringbuf_reserve);
	rn_emit_jmpi(emit, BPF_JEQ, BPF_REG_0, 0, lost);
	rn_emit_mov(emit, BPF_REG_9, BPF_REG_0);
	gen->r9_set = true;
	rn_emit_ldx(emit, BPF_DW, BPF_REG_1, BPF_REG_10, gen->cached[RN_CACHED_TIME], NULL);
	rn_emit_stx(emit, BPF_DW, BPF_REG_9, 0, BPF_REG_1);
	for (unsigned i = 0; i < layout->n; i++) {
		rn_emit_note(emit, "field %s", layout->fields[i].field->name);
		rn_gen_store(gen, layout->fields[i].field, BPF_REG_9, (int)layout->fields[i].off);
	}
	rn_emit_note(emit, "wake the reader only if it sleeps");
	rn_emit_mov(emit, BPF_REG_1, BPF_REG_9);
	rn_emit_map_value(emit, BPF_REG_3, RN_MAP_GLOBALS, 0);
	rn_emit_ldx(emit, BPF_DW, BPF_REG_4, BPF_REG_3, offsetof(struct rn_globals, want_wakeup),
		    NULL);
	rn_emit_jmpi(emit, BPF_JNE, BPF_REG_4, 0, wake);
	rn_emit_movi(emit, BPF_REG_2, BPF_RB_NO_WAKEUP);
	rn_emit_ja(emit, submit);
	rn_emit_bind(emit, wake);
	rn_emit_movi(emit, BPF_REG_4, 0);
	rn_emit_stx(emit, BPF_DW, BPF_REG_3, offsetof(struct rn_globals, want_wakeup), BPF_REG_4);
	rn_emit_movi(emit, BPF_REG_2, BPF_RB_FORCE_WAKEUP);
	rn_emit_bind(emit, submit);
	rn_emit_call(emit, BPF_FUNC_ringbuf_submit);
	rn_emit_ja(emit, gen->out_label);
	rn_emit_bind(emit, lost);
	rn_emit_note(emit, "the ring is full");
	rn_gen_stat(gen, RN_STAT_LOST_RING);
	gen->out->map[RN_MAP_RING].used = gen->out->map[RN_MAP_GLOBALS].used = true;
}

void rn_gen_begin(struct rn_gen *gen, unsigned hook, const char *name)
{
	struct rn_prog *p = &gen->out->prog[gen->out->nprogs++];

	gen->emit = rn_emit_new(gen->arena);
	gen->hook = hook;
	gen->is_op = (rn_hook_is_op(rn_hook_row(hook)) && !rn_hook_row(hook)->auxiliary) ||
		     rn_hook_ends_call(hook);
	gen->stack = 0;
	gen->ntemp = gen->ntemp_made = 0;
	memset(gen->cached, 0, sizeof(gen->cached));
	gen->unjudged_off = gen->verdict_off = gen->set_off = gen->walk_slot = 0;
	gen->nwalks = 0;
	gen->of_record = gen->of_arguments = NULL;
	gen->epoch_off = gen->key_off = gen->busy_off = gen->max_ops_per_hit = 0;
	gen->r9_set = gen->shows = false;
	gen->out_label = rn_emit_label(gen->emit);
	*p = (struct rn_prog){.hook = hook,
			      .name = name,
			      .emit = gen->emit,
			      .tp = hook == RN_HOOK_TP ? gen->tp : NULL,
			      .part = gen->part,
			      .match = -1,
			      .tail = -1};
}

void rn_gen_forget(struct rn_gen *gen, const struct rn_gen *before)
{
	int rc = gen->rc;

	*gen = *before;
	gen->rc = rc;
}

void rn_gen_rounds(struct rn_gen *gen, int rounds)
{
	gen->max_ops_per_hit = rounds;
	gen->round_off = rn_gen_stack(gen, 8);
	gen->round_label = rn_emit_label(gen->emit);
	gen->end_label = gen->out_label;
	gen->out_label = rn_emit_label(gen->emit);
	rn_emit_sti(gen->emit, BPF_DW, BPF_REG_10, gen->round_off, 0);
	rn_emit_bind(gen->emit, gen->round_label);
}

/* Go on with the next event, if there is one: call again the function that reports it. */
static void next_round(struct rn_gen *g)
{
	rn_emit_note(g->emit, "is there another one?");
	rn_emit_sti(g->emit, BPF_DW, BPF_REG_6, (int)offsetof(struct rn_bpf_call, arg) + 8 * 5,
		    RN_AGAIN);
	rn_emit_ldx(g->emit, BPF_DW, BPF_REG_1, BPF_REG_10, g->round_off, NULL);
	rn_emit_alui(g->emit, BPF_ADD, BPF_REG_1, 1);
	rn_emit_stx(g->emit, BPF_DW, BPF_REG_10, g->round_off, BPF_REG_1);
	rn_emit_jmpi(g->emit, BPF_JLE, BPF_REG_1, g->max_ops_per_hit, g->round_label);
	rn_emit_bind(g->emit, g->end_label);
}

void rn_gen_end(struct rn_gen *gen)
{
	rn_emit_bind(gen->emit, gen->out_label);
	if (gen->max_ops_per_hit)
		next_round(gen);
	rn_gen_give_cpu(gen);
	if (rn_gen_chained(gen))
		rn_gen_chain_next(gen);
	rn_emit_movi(gen->emit, BPF_REG_0, 0);
	rn_emit_exit(gen->emit);
	rn_emit_prune(gen->emit);
}

/* Take over what was learned before the return of a call that leaves nothing to search. Also if the
 * call is of no interest: otherwise a later call would find it. */
void rn_gen_take_pipe_capture(struct rn_gen *gen)
{
	static const uint16_t splice[] = {__NR_splice};
	int other = rn_emit_label(gen->emit);

	if (gen->fragment->cls->id != RN_CLS_TAG)
		return;
	rn_emit_note(gen->emit, "what went out of a pipe");
	rn_gen_nr_test(gen, splice, 1, false, other);
	rn_gen_intrinsic(gen, RN_I_PIPE_TAKE);
	rn_emit_bind(gen->emit, other);
}

void rn_gen_result(struct rn_gen *gen)
{
	if (gen->fragment->adds) {
		rn_gen_add_member(gen);
		return;
	}
	if (gated_late(gen))
		rn_gen_gate(gen);
	if (gen->fragment->grouped && gen->fragment->agg_place == RN_AT_KERNEL) {
		if (gen->unjudged_off) {
			int judged = rn_emit_label(gen->emit);

			rn_emit_ldx(gen->emit, BPF_DW, BPF_REG_1, BPF_REG_10, gen->unjudged_off,
				    NULL);
			rn_emit_jmpi(gen->emit, BPF_JEQ, BPF_REG_1, 0, judged);
			rn_emit_note(gen->emit, "not judged yet: a row");
			rn_gen_leave_as_row(gen);
			rn_emit_bind(gen->emit, judged);
		}
		rn_gen_group(gen);
	} else {
		rn_gen_row(gen);
	}
}

void rn_gen_of_event(struct rn_gen *gen)
{
	conjuncts(gen);
	if (gen->fragment->cls->id == RN_CLS_TAG) {
		rn_gen_cache(gen, RN_CACHED_TAGS);
		rn_emit_ldx(gen->emit, BPF_DW, BPF_REG_1, BPF_REG_10, gen->cached[RN_CACHED_TAGS],
			    NULL);
		rn_emit_jmpi(gen->emit, BPF_JEQ, BPF_REG_1, 0, gen->out_label);
	}
	rn_gen_result(gen);
}

/* The same for calls of which some may be operations: neither branch knows what the other
 * computes. */
static void of_calls_and_clones(struct rn_gen *g)
{
	int clone = rn_gen_clone_branch(g);
	struct rn_gen before = *g;

	if (g->nnr) {
		rn_gen_take_pipe_capture(g);
		rn_gen_of_event(g);
	}
	rn_gen_forget(g, &before);
	rn_gen_clone_begin(g, clone);
	rn_gen_of_event(g);
	g->nr = before.nr;
	g->nnr = before.nnr;
}

void rn_gen_event_program(struct rn_gen *gen, unsigned hook)
{
	bool globbed = gen->tp && gen->tp->nmatch,
	     several = globbed || hook == RN_HOOK_KERNEL_TRACED;

	gen->hook = hook;
	if (rn_gen_hands_over(gen)) {
		if (!gen->opts->joins)
			rn_gen_hook_program(gen, hook);
		return;
	}
	rn_gen_begin(gen, hook, "rn_event");
	if (globbed)
		gen->out->prog[gen->out->nprogs - 1].match = gen->tp_match;
	if (several)
		rn_gen_may_mark(gen);
	rn_gen_context(gen);
	rn_gen_filter_task(gen, false);
	if (several) {
		rn_emit_note(gen->emit, "no other program of the query was interrupted here");
		rn_gen_mark(gen);
	}
	if (gen->shared && !gen->is_op && !gen->busy_off)
		rn_gen_check_cpu(gen);
	if (hook == RN_HOOK_SYS_EXIT && gen->clones) {
		of_calls_and_clones(gen);
	} else {
		if (hook == RN_HOOK_SYS_EXIT)
			rn_gen_take_pipe_capture(gen);
		rn_gen_of_event(gen);
	}
	rn_gen_end(gen);
}

void rn_gen_enter_program(struct rn_gen *gen, unsigned hook)
{
	rn_gen_begin(gen, hook, "rn_enter");
	rn_gen_context(gen);
	rn_gen_filter_task(gen, false);
	rn_gen_enter(gen);
	rn_gen_end(gen);
}

void rn_gen_plain_program(struct rn_gen *gen, unsigned hook, const char *name)
{
	rn_gen_begin(gen, hook, name);
	at_hook(gen);
	rn_gen_end(gen);
}

/* Lay out a list of fields or expressions, 8-byte aligned, from offset `off` on. */
static void layout(struct rn_gen *gen, struct rn_layout *l, struct rn_expr *const *exprs,
		   const struct rn_field *const *fields, unsigned n, unsigned off)
{
	l->fields = RN_NEWN(gen->arena, struct rn_packed_field, n);
	l->n = n;
	for (unsigned i = 0; i < n; i++) {
		struct rn_packed_field *p = &l->fields[i];

		p->expr = exprs ? exprs[i] : NULL;
		p->field = fields                                   ? fields[i]
			   : p->expr && p->expr->kind == RN_E_FIELD ? p->expr->field
								    : NULL;
		p->off = off;
		p->enc = RN_ENCODING_INT;
		if (p->field && !rn_gen_enc(gen, p->field, &p->enc))
			rn_gen_fail(gen, "the field `%s` of class %s has no probe", p->field->name,
				    gen->cls->name);
		if (p->enc == RN_ENCODING_TAGS && gen->fragment->ntags > 64)
			p->enc = RN_ENCODING_TAGSET;
		gen->out->uses_files |= p->enc == RN_ENCODING_FILE;
		gen->out->uses_kstack |= p->enc == RN_ENCODING_STACK;
		gen->out->uses_stacks |=
			p->enc == RN_ENCODING_STACK || p->enc == RN_ENCODING_USTACK;
		off += rn_encoding_bytes(p->enc);
	}
	l->bytes = off;
}

static bool reads_file(const struct rn_expr *e)
{
	bool r = e->kind == RN_E_FIELD && (e->field->id == RN_F_FILE ||
					   e->field->id == RN_F_SOURCE || e->field->id == RN_F_EXE);

	for (unsigned i = 0; i < e->narg; i++)
		r |= reads_file(e->arg[i]);
	return r;
}

/* Texts of files are needed if any predicate, computed key or aggregate reads one; layout() handles
 * fields that are keys or columns. */
static void find_files(struct rn_gen *g, bool groups)
{
	for (unsigned i = 0; i < g->fragment->nwhere; i++)
		g->out->uses_files |= g->fragment->where[i].place == RN_AT_KERNEL &&
				      reads_file(g->fragment->where[i].expr);
	for (unsigned end = 0; g->fragment->ends && end < 2; end++)
		for (unsigned i = 0; i < g->fragment->ends[end].nwhere; i++)
			g->out->uses_files |= reads_file(g->fragment->ends[end].where[i].expr);
	for (unsigned i = 0; groups && i < g->fragment->nkeys; i++) /* file ~ "*.log" */
		g->out->uses_files |= reads_file(g->fragment->keys[i]);
	for (unsigned i = 0; groups && i < g->fragment->naggs; i++)
		g->out->uses_files |=
			(g->fragment->aggs[i].arg && reads_file(g->fragment->aggs[i].arg)) ||
			(g->fragment->aggs[i].where && reads_file(g->fragment->aggs[i].where));
}

/* Make the programs besides the one at the class's own hook. */
static void other_programs(struct rn_gen *gen, int hook, unsigned note)
{
	if (rn_class_is_syscall(gen->fragment->cls))
		rn_gen_operations(gen);
	if (note)
		rn_gen_plain_program(gen, note, "rn_note");
	if (!gen->rc)
		rn_gen_takers(gen);
	if (!gen->rc && hook == RN_HOOK_SYS_EXIT && gen->out->map[RN_MAP_START].used) {
		rn_gen_numbers(gen, 0, RN_OP_FIRST);
		rn_gen_enter_program(gen, RN_HOOK_SYS_ENTER);
	}
	if (!gen->rc && !gen->opts->joins) {
		rn_gen_ways(gen);
		rn_gen_rings(gen);
	}
	if (!gen->rc)
		rn_gen_functions(gen);
}

int rn_gen_hook_of(const struct rn_gen *gen, unsigned part, unsigned *note)
{
	const struct rn_pair *pair = gen->fragment->cls->pair;
	int hook = rn_hook_of(pair ? pair->end[part] : gen->fragment->cls);

	*note = 0;
	if (!rn_fragment_of_ends(gen->fragment, part))
		return hook;
	if (hook == RN_HOOK_USER_ENTRY) {
		*note = RN_HOOK_USER_NOTE;
		return RN_HOOK_USER_RETURN;
	}
	if (hook == RN_HOOK_KERNEL_ENTRY && (gen->opts->ntraced || gen->opts->session))
		return gen->opts->ntraced ? RN_HOOK_TRACED_RETURN : RN_HOOK_KERNEL_SESSION;
	if (hook == RN_HOOK_KERNEL_ENTRY) {
		*note = RN_HOOK_KERNEL_NOTE;
		return RN_HOOK_KERNEL_RETURN;
	}
	return hook;
}

/* May a program of the query lose the CPU while it runs? */
static bool may_lose_cpu(const struct rn_gen *g)
{
	const struct rn_class *cls = g->fragment->cls;
	bool any = g->opts->tls && rn_class_covers(cls, RN_OP_TLS_READ);

	for (unsigned part = 0; part < (cls->pair ? 2 : 1); part++) {
		const struct rn_class *of = cls->pair ? cls->pair->end[part] : cls;

		any |= of->id == RN_CLS_USER || of->id == RN_CLS_USDT;
	}
	return any;
}

int rn_gen_fragment(struct rn_arena *arena, const struct rn_fragment *fragment,
		    const struct rn_gen_opts *opts, struct rn_gen_out *out, struct rn_err *err)
{
	struct rn_gen gen = {.arena = arena,
			     .fragment = fragment,
			     .opts = opts,
			     .out = out,
			     .err = err,
			     .cls = fragment->cls,
			     .tp = rn_class_tp(fragment->cls)};
	bool groups = fragment->grouped && fragment->agg_place == RN_AT_KERNEL;
	bool pair = fragment->cls->pair != NULL;
	unsigned note = 0;
	int hook = pair ? RN_HOOK_TP : rn_gen_hook_of(&gen, 0, &note);

	*out = (struct rn_gen_out){.patterns = RN_NEWN(arena, const char *, RN_MAX_PATTERNS)};
	if (hook < 0)
		return rn_err_set(err, -ENOTSUP, "the class %s has no probe", fragment->cls->name);
	gen.shared = may_lose_cpu(&gen);
	if (rn_class_is_syscall(fragment->cls))
		rn_gen_numbers(&gen, 0, RN_SYS_MAX);
	if (pair)
		rn_gen_pair_begin(&gen);
	if (groups)
		layout(&gen, &out->key, fragment->keys, NULL, fragment->nkeys, 0);
	if (!groups || rn_fragment_spills(fragment))
		layout(&gen, &out->rec, NULL, (const struct rn_field *const *)fragment->fields,
		       fragment->nfields, 8);
	if (out->key.bytes > RN_KEY_MAX)
		rn_gen_fail(&gen, "the keys are %u bytes wide, more than %d", out->key.bytes,
			    RN_KEY_MAX);
	find_files(&gen, groups);
	rn_gen_map_specs(&gen);
	if (rn_class_is_syscall(fragment->cls)) {
		rn_gen_clone_numbers(&gen);
		rn_gen_numbers(&gen, 0, RN_OP_FIRST);
	}
	if (!gen.rc && pair)
		rn_gen_pair(&gen);
	else if (!gen.rc && opts->ntraced)
		rn_gen_traced(&gen);
	else if (!gen.rc && gen.tp && gen.tp->nmatch)
		rn_gen_tracepoints(&gen);
	else if (!gen.rc && (gen.nnr || gen.clones || hook != RN_HOOK_SYS_EXIT))
		rn_gen_event_program(&gen, (unsigned)hook);
	other_programs(&gen, hook, note);
	if (!out->nprogs)
		rn_gen_fail(&gen, "nothing on this machine makes events of class %s",
			    fragment->cls->name);
	if (!gen.rc && rn_gen_follows(&gen)) {
		rn_gen_plain_program(&gen, RN_HOOK_SCOPE_FORK, "rn_scope_fork");
		rn_gen_plain_program(&gen, RN_HOOK_SCOPE_FREE, "rn_scope_free");
	}
	return gen.rc;
}
