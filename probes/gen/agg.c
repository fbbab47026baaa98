/* agg.c - slots and cells of planner/plan/agg.h as BPF.
 *
 * A group's value is `events`, then the words of every aggregate in order; COUNT has none, as it is
 * `events`. An aggregate of a part has its own count of events before its slots. Only this CPU
 * writes its copy, so plain loads and stores suffice. The CPUs share cells and update them
 * atomically. Registers: r9 = the group; r3 = the argument during one aggregate; r0, r1, r2, r4, r5
 * scratch. */
#include <linux/bpf.h>
#include "planner/split/range.h"
#include "probes/gen/gen_impl.h"

unsigned rn_slot_words(enum rn_slot_op op)
{
	static const uint8_t words[] = {
		[RN_SLOT_COUNT] = 0, [RN_SLOT_SUM] = 2, [RN_SLOT_RATE] = 2,  [RN_SLOT_SUMSQ] = 3,
		[RN_SLOT_MIN] = 1,   [RN_SLOT_MAX] = 1, [RN_SLOT_FIRST] = 2, [RN_SLOT_LAST] = 2};

	return words[op];
}

bool rn_agg_bpf_counts(const struct rn_agg_call *call)
{
	return call->where && call->def->nslots;
}

unsigned rn_agg_bpf_words(const struct rn_agg_call *call)
{
	unsigned n = rn_agg_bpf_counts(call);

	for (unsigned i = 0; i < call->def->nslots; i++)
		n += rn_slot_words(call->def->slot[i]);
	return n;
}

/* [r9+off], [r9+off+8] += r3 as a signed number. The second word is seldom touched: most numbers
 * are not negative, and few additions carry. least: no number is less. */
static void sum(struct rn_emit *emit, int off, __int128 least)
{
	int no_carry = rn_emit_label(emit), done = rn_emit_label(emit);

	rn_emit_ldx(emit, BPF_DW, BPF_REG_1, BPF_REG_9, off, NULL);
	rn_emit_alu(emit, BPF_ADD, BPF_REG_1, BPF_REG_3);
	rn_emit_stx(emit, BPF_DW, BPF_REG_9, off, BPF_REG_1);
	if (least >= 0) {
		rn_emit_jmp(emit, BPF_JGE, BPF_REG_1, BPF_REG_3, done);
		rn_emit_movi(emit, BPF_REG_2, 1);
	} else {
		rn_emit_mov(emit, BPF_REG_2, BPF_REG_3);
		rn_emit_alui(emit, BPF_ARSH, BPF_REG_2, 63);
		rn_emit_jmp(emit, BPF_JGE, BPF_REG_1, BPF_REG_3, no_carry);
		rn_emit_alui(emit, BPF_ADD, BPF_REG_2, 1);
		rn_emit_bind(emit, no_carry);
		rn_emit_jmpi(emit, BPF_JEQ, BPF_REG_2, 0, done);
	}
	rn_emit_ldx(emit, BPF_DW, BPF_REG_1, BPF_REG_9, off + 8, NULL);
	rn_emit_alu(emit, BPF_ADD, BPF_REG_1, BPF_REG_2);
	rn_emit_stx(emit, BPF_DW, BPF_REG_9, off + 8, BPF_REG_1);
	rn_emit_bind(emit, done);
}

/* The same for a sum of two words at r4 + off. */
static void sum_of_sums(struct rn_emit *e, int off)
{
	int no_carry = rn_emit_label(e);

	rn_emit_ldx(e, BPF_DW, BPF_REG_3, BPF_REG_4, off, NULL);
	rn_emit_ldx(e, BPF_DW, BPF_REG_2, BPF_REG_4, off + 8, NULL);
	rn_emit_ldx(e, BPF_DW, BPF_REG_1, BPF_REG_9, off, NULL);
	rn_emit_alu(e, BPF_ADD, BPF_REG_1, BPF_REG_3);
	rn_emit_stx(e, BPF_DW, BPF_REG_9, off, BPF_REG_1);
	rn_emit_jmp(e, BPF_JGE, BPF_REG_1, BPF_REG_3, no_carry);
	rn_emit_alui(e, BPF_ADD, BPF_REG_2, 1);
	rn_emit_bind(e, no_carry);
	rn_emit_ldx(e, BPF_DW, BPF_REG_1, BPF_REG_9, off + 8, NULL);
	rn_emit_alu(e, BPF_ADD, BPF_REG_1, BPF_REG_2);
	rn_emit_stx(e, BPF_DW, BPF_REG_9, off + 8, BPF_REG_1);
}

/* Three words from r9 + off on += r3 * r3, by halves of |r3|: a = h * 2^32 + l; r3^2 has at most
 * 127 bits. */
static void sumsq(struct rn_emit *emit, int off)
{
	int positive = rn_emit_label(emit), no_carry = rn_emit_label(emit),
	    no_carry2 = rn_emit_label(emit), no_carry3 = rn_emit_label(emit);

	rn_emit_mov(emit, BPF_REG_1, BPF_REG_3);
	rn_emit_jmpi(emit, BPF_JSGE, BPF_REG_1, 0, positive);
	rn_emit_movi(emit, BPF_REG_1, 0);
	rn_emit_alu(emit, BPF_SUB, BPF_REG_1, BPF_REG_3);
	rn_emit_bind(emit, positive);
	rn_emit_mov(emit, BPF_REG_2, BPF_REG_1);
	rn_emit_alui(emit, BPF_RSH, BPF_REG_2, 32); /* r2 = h */
	rn_emit_alui(emit, BPF_LSH, BPF_REG_1, 32);
	rn_emit_alui(emit, BPF_RSH, BPF_REG_1, 32); /* r1 = l */
	rn_emit_mov(emit, BPF_REG_4, BPF_REG_1);
	rn_emit_alu(emit, BPF_MUL, BPF_REG_4, BPF_REG_2); /* r4 = h * l < 2^63 */
	rn_emit_alu(emit, BPF_MUL, BPF_REG_1, BPF_REG_1); /* r1 = l * l */
	rn_emit_alu(emit, BPF_MUL, BPF_REG_2, BPF_REG_2); /* r2 = h * h */
	rn_emit_mov(emit, BPF_REG_5, BPF_REG_4);
	rn_emit_alui(emit, BPF_RSH, BPF_REG_5, 31);
	rn_emit_alu(emit, BPF_ADD, BPF_REG_2, BPF_REG_5); /* high += 2hl >> 32 */
	rn_emit_alui(emit, BPF_LSH, BPF_REG_4, 33);
	rn_emit_alu(emit, BPF_ADD, BPF_REG_1, BPF_REG_4); /* low += 2hl << 32 */
	rn_emit_jmp(emit, BPF_JGE, BPF_REG_1, BPF_REG_4, no_carry);
	rn_emit_alui(emit, BPF_ADD, BPF_REG_2, 1);
	rn_emit_bind(emit, no_carry);
	rn_emit_ldx(emit, BPF_DW, BPF_REG_4, BPF_REG_9, off, NULL);
	rn_emit_ldx(emit, BPF_DW, BPF_REG_5, BPF_REG_9, off + 8, NULL);
	rn_emit_alu(emit, BPF_ADD, BPF_REG_4, BPF_REG_1);
	rn_emit_jmp(emit, BPF_JGE, BPF_REG_4, BPF_REG_1, no_carry2);
	/* < 2^64: the high word of a square is below 2^63 */
	rn_emit_alui(emit, BPF_ADD, BPF_REG_2, 1);
	rn_emit_bind(emit, no_carry2);
	rn_emit_alu(emit, BPF_ADD, BPF_REG_5, BPF_REG_2);
	rn_emit_stx(emit, BPF_DW, BPF_REG_9, off, BPF_REG_4);
	rn_emit_stx(emit, BPF_DW, BPF_REG_9, off + 8, BPF_REG_5);
	rn_emit_jmp(emit, BPF_JGE, BPF_REG_5, BPF_REG_2, no_carry3);
	rn_emit_ldx(emit, BPF_DW, BPF_REG_4, BPF_REG_9, off + 16, NULL);
	rn_emit_alui(emit, BPF_ADD, BPF_REG_4, 1);
	rn_emit_stx(emit, BPF_DW, BPF_REG_9, off + 16, BPF_REG_4);
	rn_emit_bind(emit, no_carry3);
}

/* The first event (the word at `count` is 0) stores; later ones store only if the comparison
 * holds. */
static void extreme(struct rn_emit *e, int off, int count, bool min)
{
	int store = rn_emit_label(e), skip = rn_emit_label(e);

	rn_emit_ldx(e, BPF_DW, BPF_REG_1, BPF_REG_9, count, NULL);
	rn_emit_jmpi(e, BPF_JEQ, BPF_REG_1, 0, store);
	rn_emit_ldx(e, BPF_DW, BPF_REG_1, BPF_REG_9, off, NULL);
	rn_emit_jmp(e, min ? BPF_JSGE : BPF_JSLE, BPF_REG_3, BPF_REG_1, skip);
	rn_emit_bind(e, store);
	rn_emit_stx(e, BPF_DW, BPF_REG_9, off, BPF_REG_3);
	rn_emit_bind(e, skip);
}

/* Keep the least or greatest (time, argument). */
static void edge(struct rn_gen *gen, int off, int count, bool first)
{
	struct rn_emit *emit = gen->emit;
	int store = rn_emit_label(emit), skip = rn_emit_label(emit), same = rn_emit_label(emit);

	rn_emit_ldx(emit, BPF_DW, BPF_REG_4, BPF_REG_10, gen->cached[RN_CACHED_TIME], NULL);
	rn_emit_movi_sym(emit, BPF_REG_1, gen->opts->clock_ns, "epoch_minus_monotonic");
	rn_emit_alu(emit, BPF_ADD, BPF_REG_4, BPF_REG_1);
	rn_emit_ldx(emit, BPF_DW, BPF_REG_1, BPF_REG_9, count, NULL);
	rn_emit_jmpi(emit, BPF_JEQ, BPF_REG_1, 0, store);
	rn_emit_ldx(emit, BPF_DW, BPF_REG_1, BPF_REG_9, off, NULL);
	rn_emit_jmp(emit, BPF_JEQ, BPF_REG_4, BPF_REG_1, same);
	rn_emit_jmp(emit, first ? BPF_JSLT : BPF_JSGT, BPF_REG_4, BPF_REG_1, store);
	rn_emit_ja(emit, skip);
	rn_emit_bind(emit, same);
	rn_emit_ldx(emit, BPF_DW, BPF_REG_1, BPF_REG_9, off + 8, NULL);
	rn_emit_jmp(emit, first ? BPF_JSGE : BPF_JSLE, BPF_REG_3, BPF_REG_1, skip);
	rn_emit_bind(emit, store);
	rn_emit_stx(emit, BPF_DW, BPF_REG_9, off, BPF_REG_4);
	rn_emit_stx(emit, BPF_DW, BPF_REG_9, off + 8, BPF_REG_3);
	rn_emit_bind(emit, skip);
}

/* count: where the number of events stands that the state has seen. */
static void slot(struct rn_gen *g, enum rn_slot_op op, int off, int count, __int128 least)
{
	struct rn_emit *e = g->emit;

	switch (op) {
	case RN_SLOT_COUNT: break;
	case RN_SLOT_SUM:
	case RN_SLOT_RATE: /* user space widens it */ sum(e, off, least); break;
	case RN_SLOT_SUMSQ: sumsq(e, off); break;
	case RN_SLOT_MIN:
	case RN_SLOT_MAX: extreme(e, off, count, op == RN_SLOT_MIN); break;
	case RN_SLOT_FIRST:
	case RN_SLOT_LAST: edge(g, off, count, op == RN_SLOT_FIRST); break;
	}
}

bool rn_agg_bpf_merges(const struct rn_agg *agg)
{
	bool r = agg->cell == RN_CELL_NONE;

	for (unsigned i = 0; i < agg->nslots; i++)
		r &= agg->slot[i] == RN_SLOT_COUNT || agg->slot[i] == RN_SLOT_SUM ||
		     agg->slot[i] == RN_SLOT_RATE || agg->slot[i] == RN_SLOT_MIN ||
		     agg->slot[i] == RN_SLOT_MAX;
	return r;
}

/* [r9 + off] += r3; clobbers r1. */
static void add_word(struct rn_emit *e, int off)
{
	rn_emit_ldx(e, BPF_DW, BPF_REG_1, BPF_REG_9, off, NULL);
	rn_emit_alu(e, BPF_ADD, BPF_REG_1, BPF_REG_3);
	rn_emit_stx(e, BPF_DW, BPF_REG_9, off, BPF_REG_1);
}

/* Adds the words of one aggregate, of the group at r4, from off on. */
static void merge(struct rn_gen *g, const struct rn_agg_call *call, int off)
{
	struct rn_emit *e = g->emit;
	bool counts = rn_agg_bpf_counts(call);
	int count = counts ? off : 0, none = rn_emit_label(e), at = off + 8 * counts;

	if (counts) {
		rn_emit_ldx(e, BPF_DW, BPF_REG_3, BPF_REG_4, off, NULL);
		rn_emit_jmpi(e, BPF_JEQ, BPF_REG_3, 0, none);
	}
	for (unsigned k = 0; k < call->def->nslots; k++) {
		enum rn_slot_op op = call->def->slot[k];

		if (op == RN_SLOT_SUM || op == RN_SLOT_RATE) {
			sum_of_sums(e, at);
		} else if (rn_slot_words(op)) {
			rn_emit_ldx(e, BPF_DW, BPF_REG_3, BPF_REG_4, at, NULL);
			slot(g, op, at, count, 0);
		}
		at += 8 * (int)rn_slot_words(op);
	}
	if (counts) {
		rn_emit_ldx(e, BPF_DW, BPF_REG_3, BPF_REG_4, off, NULL);
		add_word(e, off);
	}
	rn_emit_bind(e, none);
}

/* Add another group's words: its sum, least or greatest value counts like that of one event. */
void rn_gen_merge(struct rn_gen *gen, int from)
{
	struct rn_emit *emit = gen->emit;
	int off = 8;

	rn_emit_ldx(emit, BPF_DW, BPF_REG_4, BPF_REG_10, from, NULL);
	for (unsigned i = 0; i < gen->fragment->naggs; i++) {
		merge(gen, &gen->fragment->aggs[i], off);
		off += 8 * (int)rn_agg_bpf_words(&gen->fragment->aggs[i]);
	}
	rn_emit_ldx(emit, BPF_DW, BPF_REG_3, BPF_REG_4, 0, NULL);
	add_word(emit, 0);
}

/* Takes the event into one aggregate, whose words begin at off. */
static void update(struct rn_gen *g, const struct rn_agg_call *call, int off)
{
	struct rn_emit *e = g->emit;
	bool counts = rn_agg_bpf_counts(call);
	int count = counts ? off : 0, other = rn_emit_label(e), at = off + 8 * counts;

	rn_emit_note(e, "%s", call->text);
	if (call->where)
		rn_gen_branch(g, call->where, false, other);
	if (call->arg) {
		rn_gen_eval(g, call->arg);
		rn_emit_mov(e, BPF_REG_3, BPF_REG_0);
	} else {
		rn_emit_movi(e, BPF_REG_3, 1);
	}
	for (unsigned k = 0; k < call->def->nslots; k++) {
		slot(g, call->def->slot[k], at, count, call->arg ? rn_range_of(call->arg).low : 1);
		at += 8 * (int)rn_slot_words(call->def->slot[k]);
	}
	if (counts) {
		rn_emit_movi(e, BPF_REG_3, 1);
		add_word(e, off);
	}
	rn_emit_bind(e, other);
}

void rn_gen_update(struct rn_gen *gen)
{
	int off = 8;

	for (unsigned i = 0; i < gen->fragment->naggs; i++) {
		const struct rn_agg_call *call = &gen->fragment->aggs[i];

		/* of an equal state the words stay empty: drain.c takes the other's */
		if (rn_agg_bpf_words(call) && rn_agg_same_state(gen->fragment->aggs, i) == i)
			update(gen, call, off);
		off += 8 * (int)rn_agg_bpf_words(call);
	}
	rn_emit_note(gen->emit, "events of the group");
	rn_emit_movi(gen->emit, BPF_REG_3, 1);
	add_word(gen->emit, 0);
}
