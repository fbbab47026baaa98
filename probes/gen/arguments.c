/* arguments.c - arguments of static probes, and the texts that arguments point to.
 *
 * Each place of a static probe has its arguments elsewhere. So the program does not know where they
 * are: the map of places tells (struct rn_operands), by the number in the probe's cookie.
 *
 * A text is read when the event happens: at the entry of a function, even if the event is its end.
 * Then it lies behind the noted call. What cannot be read is not known: RN_NOT_KNOWN, in a text as
 * its first 8 bytes. A query that only shows it keeps the event; any other one leaves it out, and
 * counts it. */
#include <linux/bpf.h>
#include "planner/plan/call_ends.h"
#include "probes/gen/gen_impl.h"

/* ---- the arguments that a fragment uses ---- */

static void add_argument(void *self, const struct rn_field *f)
{
	if (rn_is_arg(f->id))
		*(unsigned *)self |= 1u << (f->id - RN_F_ARG0);
	else if (rn_is_text(f->id) && f->id != RN_F_TEXT_RET)
		*(unsigned *)self |= 1u << (f->id - RN_F_TEXT0);
}

unsigned rn_gen_arguments(const struct rn_fragment *fragment, unsigned part)
{
	unsigned set = 0;

	rn_fragment_each_field(fragment, part, add_argument, &set);
	return set;
}

static void add_text(void *self, const struct rn_field *f)
{
	if (rn_is_text(f->id) && f->id != RN_F_TEXT_RET)
		*(unsigned *)self |= 1u << (f->id - RN_F_TEXT0);
}

/* The texts of arguments that are noted at the entry. */
static unsigned noted_texts(const struct rn_gen *g, unsigned part)
{
	unsigned set = 0;

	rn_fragment_each_field(g->fragment, part, add_text, &set);
	return set;
}

enum rn_cached rn_gen_cached_argument(const struct rn_gen *gen, const struct rn_field *field)
{
	if (rn_is_text(field->id))
		return RN_CACHED_TEXT0 + (field->id - RN_F_TEXT0);
	if (rn_is_arg(field->id) && gen->cls->id == RN_CLS_USDT)
		return RN_CACHED_ARG0 + (field->id - RN_F_ARG0);
	return RN_CACHED_COUNT;
}

/* ---- what is not known ---- */

/* Leaves the event out, if the query does more than show it. */
static void leave_unknown(struct rn_gen *g)
{
	if (g->shows)
		return;
	rn_gen_stat(g, RN_STAT_UNPAIRED);
	rn_emit_ja(g->emit, g->out_label);
}

/* ---- arguments of static probes ---- */

static void fetch_place(struct rn_gen *gen)
{
	struct rn_emit *e = gen->emit;

	rn_emit_note(e, "the places of the arguments; r7 = the number of the probe's place");
	rn_emit_mov(e, BPF_REG_1, BPF_REG_7);
	rn_emit_alui(e, BPF_LSH, BPF_REG_1, 32);
	rn_emit_alui(e, BPF_RSH, BPF_REG_1, 32);
	if (gen->part)
		rn_emit_alui(e, BPF_ADD, BPF_REG_1, (int)gen->opts->places_from);
	rn_gen_array(gen, RN_MAP_PLACES, -1, gen->out_label);
	rn_emit_stx(e, BPF_DW, BPF_REG_10, gen->cached[RN_CACHED_PLACE], BPF_REG_0);
}

/* The sum in slot += the register at r9 + member, shifted by scale (if it is one): an offset in
 * struct pt_regs, which r6 points to. */
static void add_register(struct rn_gen *g, int slot, int member, int scale)
{
	struct rn_emit *e = g->emit;
	int none = rn_emit_label(e), temp;

	rn_emit_ldx(e, BPF_H, BPF_REG_3, BPF_REG_9, member, NULL);
	rn_emit_jmpi(e, BPF_JEQ, BPF_REG_3, RN_NO_REGISTER, none);
	rn_emit_alui(e, BPF_AND, BPF_REG_3, 0xff);
	rn_emit_mov(e, BPF_REG_1, BPF_REG_6);
	rn_emit_alu(e, BPF_ADD, BPF_REG_1, BPF_REG_3);
	rn_emit_mov(e, BPF_REG_3, BPF_REG_1);
	rn_emit_movi(e, BPF_REG_2, 0);
	temp = rn_gen_push(g, BPF_REG_2);
	rn_emit_mov(e, BPF_REG_1, BPF_REG_10);
	rn_emit_alui(e, BPF_ADD, BPF_REG_1, temp);
	rn_emit_movi(e, BPF_REG_2, 8);
	rn_emit_call(e, BPF_FUNC_probe_read_kernel);
	rn_gen_pop(g, BPF_REG_1);
	if (scale >= 0) {
		rn_emit_ldx(e, BPF_B, BPF_REG_2, BPF_REG_9, scale, NULL);
		rn_emit_alui(e, BPF_AND, BPF_REG_2, 3);
		rn_emit_alu(e, BPF_LSH, BPF_REG_1, BPF_REG_2);
	}
	rn_emit_ldx(e, BPF_DW, BPF_REG_2, BPF_REG_10, slot, NULL);
	rn_emit_alu(e, BPF_ADD, BPF_REG_2, BPF_REG_1);
	rn_emit_stx(e, BPF_DW, BPF_REG_10, slot, BPF_REG_2);
	rn_emit_bind(e, none);
}

/* The slot = as many bytes of the program's memory as the operand at r9 + off has, at the address
 * in the slot. Other bytes of the slot do not count. */
static void read_memory(struct rn_gen *g, int slot, int off, int fault)
{
	struct rn_emit *e = g->emit;

	rn_emit_ldx(e, BPF_B, BPF_REG_1, BPF_REG_9, off + (int)offsetof(struct rn_operand, shift),
		    NULL);
	rn_emit_jmpi(e, BPF_JGT, BPF_REG_1, 56, fault);
	rn_emit_movi(e, BPF_REG_2, 64);
	rn_emit_alu(e, BPF_SUB, BPF_REG_2, BPF_REG_1);
	rn_emit_alui(e, BPF_RSH, BPF_REG_2, 3);
	rn_emit_ldx(e, BPF_DW, BPF_REG_3, BPF_REG_10, slot, NULL);
	rn_emit_mov(e, BPF_REG_1, BPF_REG_10);
	rn_emit_alui(e, BPF_ADD, BPF_REG_1, slot);
	rn_emit_call(e, BPF_FUNC_probe_read_user);
	rn_emit_jmpi(e, BPF_JNE, BPF_REG_0, 0, fault);
}

/* The slot = its lower bits, with their sign or without. */
static void extend(struct rn_gen *g, int slot, int off)
{
	struct rn_emit *e = g->emit;
	int plain = rn_emit_label(e), done = rn_emit_label(e);

	rn_emit_ldx(e, BPF_DW, BPF_REG_1, BPF_REG_10, slot, NULL);
	rn_emit_ldx(e, BPF_B, BPF_REG_2, BPF_REG_9, off + (int)offsetof(struct rn_operand, shift),
		    NULL);
	rn_emit_alui(e, BPF_AND, BPF_REG_2, 63);
	rn_emit_alu(e, BPF_LSH, BPF_REG_1, BPF_REG_2);
	rn_emit_ldx(e, BPF_B, BPF_REG_3, BPF_REG_9,
		    off + (int)offsetof(struct rn_operand, is_signed), NULL);
	rn_emit_jmpi(e, BPF_JEQ, BPF_REG_3, 0, plain);
	rn_emit_alu(e, BPF_ARSH, BPF_REG_1, BPF_REG_2);
	rn_emit_ja(e, done);
	rn_emit_bind(e, plain);
	rn_emit_alu(e, BPF_RSH, BPF_REG_1, BPF_REG_2);
	rn_emit_bind(e, done);
	rn_emit_stx(e, BPF_DW, BPF_REG_10, slot, BPF_REG_1);
}

static void fetch_arg(struct rn_gen *gen, enum rn_cached m)
{
	struct rn_emit *e = gen->emit;
	int off = (int)((m - RN_CACHED_ARG0) * sizeof(struct rn_operand)), slot = gen->cached[m];
	int fault = rn_emit_label(e), none = rn_emit_label(e), value = rn_emit_label(e),
	    done = rn_emit_label(e);

	rn_gen_cache(gen, RN_CACHED_PLACE);
	rn_emit_note(e, "arg%d", m - RN_CACHED_ARG0);
	if (gen->r9_set)
		rn_gen_push(gen, BPF_REG_9);
	rn_emit_ldx(e, BPF_DW, BPF_REG_9, BPF_REG_10, gen->cached[RN_CACHED_PLACE], NULL);
	rn_emit_ldx(e, BPF_DW, BPF_REG_1, BPF_REG_9,
		    off + (int)offsetof(struct rn_operand, constant), NULL);
	rn_emit_stx(e, BPF_DW, BPF_REG_10, slot, BPF_REG_1);
	rn_emit_ldx(e, BPF_B, BPF_REG_1, BPF_REG_9, off + (int)offsetof(struct rn_operand, kind),
		    NULL);
	rn_emit_jmpi(e, BPF_JEQ, BPF_REG_1, RN_OPERAND_NONE, none);
	rn_emit_jmpi(e, BPF_JEQ, BPF_REG_1, RN_OPERAND_UNKNOWN, fault);
	add_register(gen, slot, off + (int)offsetof(struct rn_operand, base), -1);
	add_register(gen, slot, off + (int)offsetof(struct rn_operand, index),
		     off + (int)offsetof(struct rn_operand, scale));
	rn_emit_ldx(e, BPF_B, BPF_REG_1, BPF_REG_9, off + (int)offsetof(struct rn_operand, kind),
		    NULL);
	rn_emit_jmpi(e, BPF_JEQ, BPF_REG_1, RN_OPERAND_VALUE, value);
	read_memory(gen, slot, off, fault);
	rn_emit_bind(e, value);
	extend(gen, slot, off);
	rn_emit_ja(e, done);
	rn_emit_bind(e, fault);
	rn_gen_stat(gen, RN_STAT_FAULTED);
	rn_emit_bind(e, none);
	leave_unknown(gen);
	rn_emit_movi(e, BPF_REG_1, RN_NOT_KNOWN);
	rn_emit_stx(e, BPF_DW, BPF_REG_10, slot, BPF_REG_1);
	rn_emit_bind(e, done);
	if (gen->r9_set)
		rn_gen_pop(gen, BPF_REG_9);
}

/* ---- texts ---- */

/* Copies the text at r3 to [base + off], a struct rn_bpf_str, zero-padded; base survives calls. The
 * address 0 has none, and nothing went wrong. */
static void read_text(struct rn_gen *g, int base, int off)
{
	enum { ROOM = sizeof(((struct rn_bpf_str *)0)->text) };
	struct rn_emit *e = g->emit;
	int ok = rn_emit_label(e), none = rn_emit_label(e), done = rn_emit_label(e);

	for (int i = 0; i < (int)sizeof(struct rn_bpf_str); i += 8)
		rn_emit_sti(e, BPF_DW, base, off + i, 0);
	rn_emit_jmpi(e, BPF_JEQ, BPF_REG_3, 0, none);
	rn_emit_movi(e, BPF_REG_1, RN_NOT_KNOWN);
	rn_emit_jmp(e, BPF_JEQ, BPF_REG_3, BPF_REG_1, none);
	rn_emit_mov(e, BPF_REG_1, base);
	rn_emit_alui(e, BPF_ADD, BPF_REG_1, off + (int)offsetof(struct rn_bpf_str, text));
	rn_emit_movi(e, BPF_REG_2, ROOM);
	rn_emit_call(e, g->cls->id == RN_CLS_KERNEL ? BPF_FUNC_probe_read_kernel_str
						    : BPF_FUNC_probe_read_user_str);
	rn_emit_jmpi(e, BPF_JSGE, BPF_REG_0, 1, ok);
	rn_gen_stat(g, RN_STAT_FAULTED);
	rn_emit_bind(e, none);
	rn_emit_movi(e, BPF_REG_1, RN_NOT_KNOWN);
	rn_emit_stx(e, BPF_DW, base, off, BPF_REG_1);
	rn_emit_ja(e, done);
	rn_emit_bind(e, ok);
	rn_emit_alui(e, BPF_SUB, BPF_REG_0, 1);
	rn_emit_stx(e, BPF_W, base, off, BPF_REG_0);
	rn_emit_jmpi(e, BPF_JNE, BPF_REG_0, ROOM - 1, done);
	rn_gen_stat(g, RN_STAT_TRUNCATED);
	rn_emit_bind(e, done);
}

static int text_in_scratch(unsigned i)
{
	return RN_SCRATCH_TEXTS + (int)(i * sizeof(struct rn_bpf_str));
}

/* r3 = the address of text i, of an event that is not the end of a call. */
static void address(struct rn_gen *g, unsigned i)
{
	if (g->cls->id == RN_CLS_USDT)
		rn_emit_ldx(g->emit, BPF_DW, BPF_REG_3, BPF_REG_10, g->cached[RN_CACHED_ARG0 + i],
			    NULL);
	else
		rn_gen_arg(g, (int)i, BPF_REG_3);
}

static void fetch_text(struct rn_gen *gen, enum rn_cached m)
{
	struct rn_emit *e = gen->emit;
	unsigned i = m - RN_CACHED_TEXT0;
	bool ret = i == RN_F_TEXT_RET - RN_F_TEXT0;
	int known = rn_emit_label(e);

	if (gen->cls->id == RN_CLS_USDT)
		rn_gen_cache(gen, RN_CACHED_ARG0 + i);
	if (ret)
		rn_emit_note(e, "text(ret)");
	else
		rn_emit_note(e, "text(arg%u)", i);
	if (gen->r9_set)
		rn_gen_push(gen, BPF_REG_9);
	rn_gen_scratch(gen, BPF_REG_9);
	rn_emit_alui(e, BPF_ADD, BPF_REG_9, text_in_scratch(i));
	rn_emit_stx(e, BPF_DW, BPF_REG_10, gen->cached[m], BPF_REG_9);
	if (ret)
		rn_emit_mov(e, BPF_REG_3, BPF_REG_7);
	else if (!gen->is_op)
		address(gen, i);
	if (ret || !gen->is_op) /* else it was taken out of the noted call */
		read_text(gen, BPF_REG_9, 0);
	if (!gen->shows) {
		rn_emit_ldx(e, BPF_DW, BPF_REG_1, BPF_REG_9, 0, NULL);
		rn_emit_movi(e, BPF_REG_2, RN_NOT_KNOWN);
		rn_emit_jmp(e, BPF_JNE, BPF_REG_1, BPF_REG_2, known);
		leave_unknown(gen);
	}
	rn_emit_bind(e, known);
	if (gen->r9_set)
		rn_gen_pop(gen, BPF_REG_9);
}

void rn_gen_fetch_argument(struct rn_gen *gen, enum rn_cached m)
{
	if (m == RN_CACHED_PLACE)
		fetch_place(gen);
	else if (m >= RN_CACHED_TEXT0)
		fetch_text(gen, m);
	else
		fetch_arg(gen, m);
}

/* ---- texts of calls whose end is the event ---- */

unsigned rn_gen_noted_bytes(const struct rn_gen *gen)
{
	unsigned most = 0;

	for (unsigned part = 0; part < 2; part++) {
		unsigned n = (unsigned)__builtin_popcount(noted_texts(gen, part));

		most = n > most ? n : most;
	}
	return sizeof(struct rn_bpf_call) + most * sizeof(struct rn_bpf_str);
}

bool rn_gen_note_texts(struct rn_gen *gen, int call)
{
	unsigned set = noted_texts(gen, gen->part), off = sizeof(struct rn_bpf_call);
	struct rn_emit *e = gen->emit;

	if (!set)
		return false;
	rn_emit_note(e, "r9 = the call, then texts of its arguments");
	rn_gen_scratch(gen, BPF_REG_9);
	rn_emit_alui(e, BPF_ADD, BPF_REG_9, RN_SCRATCH_PAIR);
	for (int i = 0; i < (int)off; i += 8) {
		rn_emit_ldx(e, BPF_DW, BPF_REG_1, BPF_REG_10, call + i, NULL);
		rn_emit_stx(e, BPF_DW, BPF_REG_9, i, BPF_REG_1);
	}
	for (unsigned i = 0; set >> i; i++) {
		if (!(set >> i & 1))
			continue;
		rn_gen_arg(gen, (int)i, BPF_REG_3);
		read_text(gen, BPF_REG_9, (int)off);
		off += sizeof(struct rn_bpf_str);
	}
	return true;
}

void rn_gen_take_texts(struct rn_gen *gen)
{
	unsigned set = noted_texts(gen, gen->part), off = sizeof(struct rn_bpf_call);

	for (unsigned i = 0; set >> i; i++) {
		if (!(set >> i & 1))
			continue;
		for (int k = 0; k < (int)sizeof(struct rn_bpf_str); k += 8) {
			rn_emit_ldx(gen->emit, BPF_DW, BPF_REG_1, BPF_REG_9, (int)off + k, NULL);
			rn_emit_stx(gen->emit, BPF_DW, BPF_REG_6,
				    text_in_scratch(i) - RN_SCRATCH_CALL + k, BPF_REG_1);
		}
		off += sizeof(struct rn_bpf_str);
	}
}
