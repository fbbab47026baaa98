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
#include "probes/gen/gen_impl.h"

enum { USER32_CS = 0x23, TS_COMPAT = 2 }; /* of x86-64 */

void rn_gen_fail(struct rn_gen *g, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	if (g->rc)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	g->rc = rn_err_set(g->err, -ENOTSUP, "%s", text);
}

int rn_gen_stack(struct rn_gen *g, unsigned bytes)
{
	g->stack -= (int)((bytes + 7) & ~7u);
	if (g->stack < -RN_STACK_MAX)
		rn_gen_fail(g, "the query needs too much of the kernel stack");
	return g->stack;
}

int rn_gen_push(struct rn_gen *g, int reg)
{
	if (g->ntemp == sizeof(g->temp) / sizeof(*g->temp)) {
		rn_gen_fail(g, "an expression is nested too deeply for the kernel");
		return -8;
	}
	if (g->ntemp == g->ntemp_made)
		g->temp[g->ntemp_made++] = rn_gen_stack(g, 8);
	rn_emit_stx(g->e, BPF_DW, BPF_REG_10, g->temp[g->ntemp], reg);
	return g->temp[g->ntemp++];
}

void rn_gen_pop(struct rn_gen *g, int reg)
{
	if (g->ntemp)
		rn_emit_ldx(g->e, BPF_DW, reg, BPF_REG_10, g->temp[--g->ntemp], NULL);
}

void rn_gen_drop(struct rn_gen *g)
{
	if (g->ntemp)
		g->ntemp--;
}

void rn_gen_member(struct rn_gen *g, int size, int dst, int base, enum rn_btf_member m)
{
	int off = g->o->btf->off[m];

	if (off < 0)
		rn_gen_fail(g, "this kernel has no %s", rn_btf_member_name(m));
	rn_emit_ldx(g->e, size, dst, base, off < 0 ? 0 : off, rn_btf_member_name(m));
}

/* r0 = entry `index` of an array map, or a jump to miss. The index is in r1 if index < 0. */
void rn_gen_array(struct rn_gen *g, int map, int index, int miss)
{
	int slot;

	if (index >= 0)
		rn_emit_movi(g->e, BPF_REG_1, index);
	slot = rn_gen_push(g, BPF_REG_1);
	rn_gen_drop(g);
	rn_emit_mov(g->e, BPF_REG_2, BPF_REG_10);
	rn_emit_alui(g->e, BPF_ADD, BPF_REG_2, slot);
	rn_emit_map(g->e, BPF_REG_1, map);
	rn_emit_call(g->e, BPF_FUNC_map_lookup_elem);
	rn_emit_jmpi(g->e, BPF_JEQ, BPF_REG_0, 0, miss);
	g->out->map[map].used = true;
}

void rn_gen_stat(struct rn_gen *g, enum rn_stat s)
{
	int skip = rn_emit_label(g->e);

	rn_gen_array(g, RN_MAP_STATS, 0, skip);
	rn_emit_ldx(g->e, BPF_DW, BPF_REG_1, BPF_REG_0, 8 * (int)s, NULL);
	rn_emit_alui(g->e, BPF_ADD, BPF_REG_1, 1);
	rn_emit_stx(g->e, BPF_DW, BPF_REG_0, 8 * (int)s, BPF_REG_1);
	rn_emit_bind(g->e, skip);
}

void rn_gen_scratch(struct rn_gen *g, int reg)
{
	rn_gen_array(g, RN_MAP_SCRATCH, g->first ? 1 : 0, g->out_label);
	rn_emit_mov(g->e, reg, BPF_REG_0);
}

void rn_gen_intrinsic(struct rn_gen *g, enum rn_intrinsic i)
{
	g->out->intrinsics |= 1ull << i;
	rn_emit_sub(g->e, i, rn_intrinsic_name(i));
}

int rn_gen_pattern(struct rn_gen *g, const char *text, unsigned len)
{
	struct rn_gen_out *o = g->out;

	for (unsigned i = 0; i < o->npatterns; i++)
		if (strlen(o->patterns[i]) == len && !memcmp(o->patterns[i], text, len))
			return (int)i;
	if (o->npatterns == RN_MAX_PATTERNS) {
		rn_gen_fail(g, "more than %d patterns", RN_MAX_PATTERNS);
		return 0;
	}
	o->patterns[o->npatterns] = rn_arena_strndup(g->a, text, len);
	return (int)o->npatterns++;
}

/* ---- the parts of an event program ---- */

/* Begin as the hook says. The record of an operation is per CPU. */
static void at_hook(struct rn_gen *g)
{
	const struct rn_hook_row *h = rn_hook_row(g->hook);

	if (g->shared && rn_hook_is_op(h) && h->at == RN_AT_TRACE) {
		rn_emit_mov(g->e, BPF_REG_6, BPF_REG_1);
		rn_gen_check_cpu(g);
		rn_emit_mov(g->e, BPF_REG_1, BPF_REG_6);
	}
	h->begin(g);
}

void rn_gen_context(struct rn_gen *g)
{
	if (g->out->uses_stacks) {
		rn_emit_note(g->e, "the context, which helpers ask for");
		g->ctx_off = rn_gen_stack(g, 8);
		rn_emit_stx(g->e, BPF_DW, BPF_REG_10, g->ctx_off, BPF_REG_1);
	}
	at_hook(g);
}

/* A 32-bit system call (of a 32-bit program, or by int 0x80) has other numbers: it is counted, and
 * left out. */
static void leave_out_compat(struct rn_gen *g)
{
	const int32_t *off = g->o->btf->off;
	int native = rn_emit_label(g->e);

	if (off[RN_BM_TASK_THREAD_INFO] < 0 || off[RN_BM_THREAD_INFO_STATUS] < 0)
		return;
	rn_emit_note(g->e, "no 32-bit calls");
	rn_emit_ldx(g->e, BPF_W, BPF_REG_1, BPF_REG_8,
		    off[RN_BM_TASK_THREAD_INFO] + off[RN_BM_THREAD_INFO_STATUS],
		    "task_struct.thread_info.status");
	rn_emit_alui(g->e, BPF_AND, BPF_REG_1, TS_COMPAT);
	rn_emit_jmpi(g->e, BPF_JEQ, BPF_REG_1, 0, native);
	if (g->hook == RN_HOOK_SYS_EXIT)
		rn_gen_stat(g, RN_STAT_COMPAT);
	rn_emit_ja(g->e, g->out_label);
	rn_emit_bind(g->e, native);
}

static bool of_calls(const struct rn_gen *g)
{
	return g->hook == RN_HOOK_SYS_EXIT || g->hook == RN_HOOK_SYS_ENTER;
}

/* Leave if the event is not of the class. */
static void of_class(struct rn_gen *g)
{
	struct rn_emit *e = g->e;
	int native = rn_emit_label(e);

	if (!of_calls(g) || g->all_nr)
		return;
	rn_emit_note(e, "calls of class %s; 32-bit programs have other numbers", g->cls->name);
	rn_gen_member(g, BPF_H, BPF_REG_1, BPF_REG_6, RN_BM_REGS_CS);
	rn_emit_jmpi(e, BPF_JEQ, BPF_REG_1, USER32_CS, native);
	if (g->clones)
		rn_gen_clone_class(g);
	else
		rn_gen_nr_test(g, g->nr, g->nnr, false, g->out_label);
	rn_gen_leave_out_options(g);
	rn_emit_bind(e, native);
}

/* A new task returns 0 from the call that its parent made: this is the parent's call. */
static void leave_out_births(struct rn_gen *g)
{
	static const uint16_t births[] = {__NR_clone, __NR_fork, __NR_vfork, __NR_clone3};
	enum { N = sizeof(births) / sizeof(*births) };
	int on = rn_emit_label(g->e);
	bool any = g->all_nr;

	for (unsigned i = 0; i < g->nnr; i++)
		for (unsigned k = 0; k < N; k++)
			any |= g->nr[i] == births[k];
	if (!any)
		return;
	rn_emit_note(g->e, "no calls that a parent made and a new task returns from");
	rn_emit_jmpi(g->e, BPF_JNE, BPF_REG_7, 0, on);
	rn_gen_nr_test(g, births, N, true, g->out_label);
	rn_emit_bind(g->e, on);
}

void rn_gen_admit(struct rn_gen *g, bool anybody)
{
	of_class(g);
	if (anybody)
		rn_gen_current(g);
	else if (!g->is_op || !rn_gen_scope_any(g)) /* else the hook has tested it */
		rn_gen_scope(g);
	if (of_calls(g))
		leave_out_compat(g);
	if (g->hook == RN_HOOK_SYS_EXIT)
		leave_out_births(g);
}

void rn_gen_where(struct rn_gen *g, const struct rn_conjunct *w, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		if (w[i].place != RN_AT_KERNEL)
			continue;
		rn_gen_need(g, w[i].expr);
		rn_emit_note(g->e, "where %s", rn_expr_text(g->a, w[i].expr));
		rn_gen_branch(g, w[i].expr, false, g->out_label);
	}
}

/* Once the time has come, later events do not read the clock. */
void rn_gen_gate(struct rn_gen *g)
{
	enum { FIRST = offsetof(struct rn_globals, first) };
	struct rn_emit *e = g->e;
	int open = rn_emit_label(e);

	if (!g->f->held)
		return;
	rn_emit_note(e, "nothing counts before the first window");
	rn_emit_map_value(e, BPF_REG_1, RN_MAP_GLOBALS, 0);
	rn_emit_ldx(e, BPF_DW, BPF_REG_2, BPF_REG_1, FIRST, NULL);
	rn_emit_jmpi(e, BPF_JEQ, BPF_REG_2, 0, open);
	rn_emit_call(e, BPF_FUNC_ktime_get_ns);
	rn_emit_map_value(e, BPF_REG_1, RN_MAP_GLOBALS, 0);
	rn_emit_ldx(e, BPF_DW, BPF_REG_2, BPF_REG_1, FIRST, NULL);
	rn_emit_jmp(e, BPF_JLT, BPF_REG_0, BPF_REG_2, g->out_label);
	rn_emit_sti(e, BPF_DW, BPF_REG_1, FIRST, 0);
	rn_emit_bind(e, open);
	g->out->map[RN_MAP_GLOBALS].used = true;
}

/* Searches for tags, and first events of pairs, run before the first window too: events in it need
 * what they leave behind. */
static bool gated_late(const struct rn_gen *g)
{
	return g->f->cls->id == RN_CLS_TAG || g->f->cls->pair;
}

static void conjuncts(struct rn_gen *g)
{
	unsigned n = 0;

	rn_gen_unsearched(g);
	if (!gated_late(g))
		rn_gen_gate(g);
	for (unsigned i = 0; i < g->f->nwhere; i++)
		n += g->f->where[i].place == RN_AT_KERNEL;
	if (n || g->f->cls->id == RN_CLS_TAG || g->f->counted) {
		g->out->counts_seen = true;
		rn_emit_note(g->e, "seen");
		rn_gen_stat(g, RN_STAT_SEEN);
	}
	rn_gen_where(g, g->f->where, g->f->nwhere);
}

static void row(struct rn_gen *g)
{
	struct rn_emit *e = g->e;
	struct rn_layout *l = &g->out->rec;
	int lost = rn_emit_label(e), wake = rn_emit_label(e), submit = rn_emit_label(e);

	g->shows = !g->f->cls->pair;
	for (unsigned i = 0; i < l->n; i++)
		rn_gen_need_field(g, l->v[i].field);
	rn_gen_fetch(g, RN_MAT_TIME);
	rn_emit_note(e, "a row of %u bytes", l->bytes);
	rn_emit_map(e, BPF_REG_1, RN_MAP_RING);
	rn_emit_movi(e, BPF_REG_2, l->bytes);
	rn_emit_movi(e, BPF_REG_3, 0);
	rn_emit_call(e, BPF_FUNC_ringbuf_reserve);
	rn_emit_jmpi(e, BPF_JEQ, BPF_REG_0, 0, lost);
	rn_emit_mov(e, BPF_REG_9, BPF_REG_0);
	g->r9_set = true;
	rn_emit_ldx(e, BPF_DW, BPF_REG_1, BPF_REG_10, g->mat[RN_MAT_TIME], NULL);
	rn_emit_stx(e, BPF_DW, BPF_REG_9, 0, BPF_REG_1);
	for (unsigned i = 0; i < l->n; i++) {
		rn_emit_note(e, "field %s", l->v[i].field->name);
		rn_gen_store(g, l->v[i].field, BPF_REG_9, (int)l->v[i].off);
	}
	rn_emit_note(e, "wake the reader only if it sleeps");
	rn_emit_mov(e, BPF_REG_1, BPF_REG_9);
	rn_emit_map_value(e, BPF_REG_3, RN_MAP_GLOBALS, 0);
	rn_emit_ldx(e, BPF_DW, BPF_REG_4, BPF_REG_3, offsetof(struct rn_globals, want_wakeup),
		    NULL);
	rn_emit_jmpi(e, BPF_JNE, BPF_REG_4, 0, wake);
	rn_emit_movi(e, BPF_REG_2, BPF_RB_NO_WAKEUP);
	rn_emit_ja(e, submit);
	rn_emit_bind(e, wake);
	rn_emit_movi(e, BPF_REG_4, 0);
	rn_emit_stx(e, BPF_DW, BPF_REG_3, offsetof(struct rn_globals, want_wakeup), BPF_REG_4);
	rn_emit_movi(e, BPF_REG_2, BPF_RB_FORCE_WAKEUP);
	rn_emit_bind(e, submit);
	rn_emit_call(e, BPF_FUNC_ringbuf_submit);
	rn_emit_ja(e, g->out_label);
	rn_emit_bind(e, lost);
	rn_emit_note(e, "the ring is full");
	rn_gen_stat(g, RN_STAT_LOST_RING);
	g->out->map[RN_MAP_RING].used = g->out->map[RN_MAP_GLOBALS].used = true;
}

void rn_gen_begin(struct rn_gen *g, unsigned hook, const char *name)
{
	struct rn_prog *p = &g->out->prog[g->out->nprogs++];

	g->e = rn_emit_new(g->a);
	g->hook = hook;
	g->is_op = rn_hook_is_op(rn_hook_row(hook)) && !rn_hook_row(hook)->quiet;
	g->stack = 0;
	g->ntemp = g->ntemp_made = 0;
	memset(g->mat, 0, sizeof(g->mat));
	g->epoch_off = g->key_off = g->busy_off = g->rounds = 0;
	g->r9_set = g->shows = false;
	g->out_label = rn_emit_label(g->e);
	*p = (struct rn_prog){.hook = hook,
			      .name = name,
			      .e = g->e,
			      .tp = hook == RN_HOOK_TP ? g->tp : NULL,
			      .match = -1};
}

void rn_gen_rounds(struct rn_gen *g, int rounds)
{
	g->rounds = rounds;
	g->round_off = rn_gen_stack(g, 8);
	g->round_label = rn_emit_label(g->e);
	g->end_label = g->out_label;
	g->out_label = rn_emit_label(g->e);
	rn_emit_sti(g->e, BPF_DW, BPF_REG_10, g->round_off, 0);
	rn_emit_bind(g->e, g->round_label);
}

/* Go on with the next event, if there is one: call again the function that reports it. */
static void next_round(struct rn_gen *g)
{
	rn_emit_note(g->e, "is there another one?");
	rn_emit_sti(g->e, BPF_DW, BPF_REG_6, (int)offsetof(struct rn_bpf_call, arg) + 8 * 5,
		    RN_AGAIN);
	rn_emit_ldx(g->e, BPF_DW, BPF_REG_1, BPF_REG_10, g->round_off, NULL);
	rn_emit_alui(g->e, BPF_ADD, BPF_REG_1, 1);
	rn_emit_stx(g->e, BPF_DW, BPF_REG_10, g->round_off, BPF_REG_1);
	rn_emit_jmpi(g->e, BPF_JLE, BPF_REG_1, g->rounds, g->round_label);
	rn_emit_bind(g->e, g->end_label);
}

void rn_gen_end(struct rn_gen *g)
{
	rn_emit_bind(g->e, g->out_label);
	if (g->rounds)
		next_round(g);
	rn_gen_give_cpu(g);
	rn_emit_movi(g->e, BPF_REG_0, 0);
	rn_emit_exit(g->e);
	rn_emit_prune(g->e);
}

/* Take over what was learned before the return of a call that leaves nothing to search. Also if the
 * call is of no interest: otherwise a later call would find it. */
static void aided(struct rn_gen *g)
{
	static const uint16_t splice[] = {__NR_splice};
	int other = rn_emit_label(g->e);

	if (g->f->cls->id != RN_CLS_TAG)
		return;
	rn_emit_note(g->e, "what went out of a pipe");
	rn_gen_nr_test(g, splice, 1, false, other);
	rn_gen_intrinsic(g, RN_I_PIPE_TAKE);
	rn_emit_bind(g->e, other);
}

void rn_gen_result(struct rn_gen *g)
{
	if (gated_late(g))
		rn_gen_gate(g);
	if (g->f->grouped && g->f->agg_place == RN_AT_KERNEL)
		rn_gen_group(g);
	else
		row(g);
}

/* An event's conditions, and its result. */
static void of_event(struct rn_gen *g)
{
	conjuncts(g);
	if (g->f->cls->id == RN_CLS_TAG) {
		rn_gen_fetch(g, RN_MAT_TAGS);
		rn_emit_ldx(g->e, BPF_DW, BPF_REG_1, BPF_REG_10, g->mat[RN_MAT_TAGS], NULL);
		rn_emit_jmpi(g->e, BPF_JEQ, BPF_REG_1, 0, g->out_label);
	}
	rn_gen_result(g);
}

/* The same for calls of which some may be operations: neither branch knows what the other
 * computes. */
static void of_calls_and_clones(struct rn_gen *g)
{
	int clone = rn_gen_clone_branch(g), rc;
	struct rn_gen before = *g;

	if (g->nnr) {
		aided(g);
		of_event(g);
	}
	rc = g->rc;
	*g = before;
	g->rc = rc;
	rn_gen_clone_begin(g, clone);
	of_event(g);
	g->nr = before.nr;
	g->nnr = before.nnr;
}

void rn_gen_event_program(struct rn_gen *g, unsigned hook)
{
	bool several = g->tp && g->tp->nmatch;

	rn_gen_begin(g, hook, "rn_event");
	if (several) {
		g->out->prog[g->out->nprogs - 1].match = g->tp_match;
		rn_gen_may_mark(g);
	}
	rn_gen_context(g);
	rn_gen_admit(g, false);
	if (several) {
		rn_emit_note(g->e, "no other tracepoint's program was interrupted here");
		rn_gen_mark(g);
	}
	if (g->shared && !g->is_op)
		rn_gen_check_cpu(g);
	if (hook == RN_HOOK_SYS_EXIT && g->clones) {
		of_calls_and_clones(g);
	} else {
		if (hook == RN_HOOK_SYS_EXIT)
			aided(g);
		of_event(g);
	}
	rn_gen_end(g);
}

void rn_gen_enter_program(struct rn_gen *g)
{
	rn_gen_begin(g, RN_HOOK_SYS_ENTER, "rn_enter");
	rn_gen_context(g);
	rn_gen_admit(g, false);
	rn_gen_enter(g);
	rn_gen_end(g);
}

static void scope_program(struct rn_gen *g, unsigned hook, const char *name)
{
	rn_gen_begin(g, hook, name);
	at_hook(g);
	rn_gen_end(g);
}

/* ---- what the class means ---- */

/* Can the hook of an operation be attached here? */
static bool available(const struct rn_gen *g, unsigned hook)
{
	return rn_hook_row(hook)->at == RN_AT_TRACE ? g->o->btf->trace[hook] != 0 : g->o->tls;
}

/* Does a hook on this kernel make events of these operations? If not, a program that helps it has
 * nothing to do. */
static bool made(const struct rn_gen *g, unsigned op)
{
	for (unsigned i = 0; rn_hook_row(i); i++)
		if (rn_hook_row(i)->op == op && rn_hook_is_op(rn_hook_row(i)) &&
		    !rn_hook_row(i)->quiet && available(g, i))
			return true;
	return false;
}

/* Is there a hook of these operations that this kernel lacks? Then some of them are not
 * reported. */
static bool lacking(const struct rn_gen *g, unsigned op)
{
	for (unsigned i = 0; rn_hook_row(i); i++)
		if (rn_hook_row(i)->op == op && rn_hook_is_op(rn_hook_row(i)) &&
		    !rn_hook_row(i)->quiet && !available(g, i))
			return true;
	return false;
}

void rn_gen_numbers(struct rn_gen *g, unsigned from, unsigned to)
{
	uint16_t *nr = RN_NEWN(g->a, uint16_t, RN_SYS_MAX);
	/* If no hook reports what io_uring does, or what is done through maps, a search for tags
	 * counts the call that asks for it as uncovered. It always does so for calls that take a
	 * message from a queue. */
	bool tag = from == 0 && g->cls->id == RN_CLS_TAG, reads = !lacking(g, RN_OP_MMAP_READ);
	bool uring = tag && !made(g, RN_OP_URING_READ),
	     maps = tag && (!reads || lacking(g, RN_OP_MMAP_WRITE));

	g->all_nr = g->cls->id == RN_CLS_SYSCALL;
	g->nnr = 0;
	for (unsigned i = from; i < to; i++)
		if ((rn_class_covers(g->cls, i) || (uring && i == __NR_io_uring_enter) ||
		     (maps && i == __NR_mmap) ||
		     (tag && (i == __NR_msgrcv || i == __NR_mq_timedreceive ||
			      rn_gen_is_unsearched(i)))) &&
		    rn_sys_name(i))
			nr[g->nnr++] = (uint16_t)i;
	g->nr = nr;
	g->out->no_map_reads |= maps && !reads;
}

/* Make programs for operations that the class covers besides calls, if this machine has a place to
 * attach them. */
static void operations(struct rn_gen *g)
{
	const struct rn_hook_row *h;
	unsigned helped = 0;

	for (unsigned i = 0; (h = rn_hook_row(i)); i++) {
		if (!rn_hook_is_op(h) || !available(g, i) ||
		    (h->op >= RN_OP_FIRST && !made(g, h->op)))
			continue;
		g->late = h->late && h->op == helped;
		if (h->scan &&
		    ((h->op == helped && !g->late) || !(g->out->intrinsics >> RN_I_SCAN & 1)))
			continue;
		rn_gen_numbers(g, h->op, h->op + h->nops);
		if (!g->nnr || g->rc)
			continue;
		if (h->quiet)
			scope_program(g, i, "rn_begin");
		else
			rn_gen_event_program(g, i);
		if (g->out->nprogs)
			g->out->prog[g->out->nprogs - 1].late = g->late;
		if (h->scan)
			helped = h->op;
	}
}

/* Lay out a list of fields or expressions, 8-byte aligned, from offset `off` on. */
static void layout(struct rn_gen *g, struct rn_layout *l, struct rn_expr *const *exprs,
		   const struct rn_field *const *fields, unsigned n, unsigned off)
{
	l->v = RN_NEWN(g->a, struct rn_packed, n);
	l->n = n;
	for (unsigned i = 0; i < n; i++) {
		struct rn_packed *p = &l->v[i];

		p->expr = exprs ? exprs[i] : NULL;
		p->field = fields                                   ? fields[i]
			   : p->expr && p->expr->kind == RN_E_FIELD ? p->expr->field
								    : NULL;
		p->off = off;
		p->enc = RN_ENC_INT;
		if (p->field && !rn_gen_enc(g, p->field, &p->enc))
			rn_gen_fail(g, "the field `%s` of class %s has no probe", p->field->name,
				    g->cls->name);
		if (p->enc == RN_ENC_TAGS && g->f->ntags > 64)
			p->enc = RN_ENC_TAGSET;
		g->out->uses_files |= p->enc == RN_ENC_FILE;
		g->out->uses_kstack |= p->enc == RN_ENC_STACK;
		g->out->uses_stacks |= p->enc == RN_ENC_STACK || p->enc == RN_ENC_USTACK;
		off += rn_enc_bytes(p->enc);
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

/* Texts of files are needed if any predicate or `distinct` reads one; layout() handles keys and
 * columns. */
static void find_files(struct rn_gen *g, bool groups)
{
	for (unsigned i = 0; i < g->f->nwhere; i++)
		g->out->uses_files |=
			g->f->where[i].place == RN_AT_KERNEL && reads_file(g->f->where[i].expr);
	for (unsigned end = 0; g->f->ends && end < 2; end++)
		for (unsigned i = 0; i < g->f->ends[end].nwhere; i++)
			g->out->uses_files |= reads_file(g->f->ends[end].where[i].expr);
	for (unsigned i = 0; groups && i < g->f->naggs; i++)
		g->out->uses_files |= g->f->aggs[i].arg && reads_file(g->f->aggs[i].arg);
}

int rn_gen_fragment(struct rn_arena *a, const struct rn_fragment *f, const struct rn_gen_opts *o,
		    struct rn_gen_out *out, struct rn_err *err)
{
	struct rn_gen g = {.a = a,
			   .f = f,
			   .o = o,
			   .out = out,
			   .err = err,
			   .cls = f->cls,
			   .tp = rn_class_tp(f->cls)};
	bool groups = f->grouped && f->agg_place == RN_AT_KERNEL;
	bool pair = f->cls->pair != NULL;
	int hook = pair ? RN_HOOK_TP : rn_hook_of(f->cls);

	*out = (struct rn_gen_out){.patterns = RN_NEWN(a, const char *, RN_MAX_PATTERNS)};
	if (hook < 0)
		return rn_err_set(err, -ENOTSUP, "the class %s has no probe", f->cls->name);
	g.shared = o->tls && rn_class_covers(f->cls, RN_OP_TLS_READ);
	if (rn_class_is_syscall(f->cls))
		rn_gen_numbers(&g, 0, RN_SYS_MAX);
	if (pair)
		rn_gen_pair_begin(&g);
	if (groups)
		layout(&g, &out->key, f->keys, NULL, f->nkeys, 0);
	else
		layout(&g, &out->rec, NULL, (const struct rn_field *const *)f->fields, f->nfields,
		       8);
	if (out->key.bytes > RN_KEY_MAX)
		rn_gen_fail(&g, "the keys are %u bytes wide, more than %d", out->key.bytes,
			    RN_KEY_MAX);
	find_files(&g, groups);
	rn_gen_map_specs(&g);
	if (rn_class_is_syscall(f->cls)) {
		rn_gen_clone_numbers(&g);
		rn_gen_numbers(&g, 0, RN_OP_FIRST);
	}
	if (!g.rc && pair)
		rn_gen_pair(&g);
	else if (!g.rc && g.tp && g.tp->nmatch)
		rn_gen_tracepoints(&g);
	else if (!g.rc && (g.nnr || g.clones || hook != RN_HOOK_SYS_EXIT))
		rn_gen_event_program(&g, (unsigned)hook);
	if (!g.rc && hook == RN_HOOK_SYS_EXIT && out->map[RN_MAP_START].used)
		rn_gen_enter_program(&g);
	if (rn_class_is_syscall(f->cls))
		operations(&g);
	if (!g.rc) {
		rn_gen_ways(&g);
		rn_gen_rings(&g);
	}
	if (!out->nprogs)
		rn_gen_fail(&g, "nothing on this machine makes events of class %s", f->cls->name);
	if (!g.rc && o->scoped && o->follow) {
		scope_program(&g, RN_HOOK_SCOPE_FORK, "rn_scope_fork");
		scope_program(&g, RN_HOOK_SCOPE_FREE, "rn_scope_free");
	}
	return g.rc;
}
