/* emit.c - the instruction buffer: see emit.h.
 *
 * Invariant: v[i] is slot i of the final program. The second slot of a 64-bit immediate is an entry
 * of its own (code 0), so that label distances need no translation. */
#include "probes/emit/emit.h"
#include <string.h>
#include "probes/kernel/maps.h"
#include "probes/intrinsics/splice.h"

struct rn_emit *rn_emit_new(struct rn_arena *a)
{
	struct rn_emit *e = RN_NEW(a, struct rn_emit);

	e->a = a;
	return e;
}

void rn_emit_note(struct rn_emit *e, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	e->note = rn_arena_vprintf(e->a, fmt, ap);
	va_end(ap);
}

int rn_emit_label(struct rn_emit *e)
{
	if (e->nlabels == e->cap_labels) {
		unsigned cap = e->cap_labels ? 2 * e->cap_labels : 64;
		int *l = RN_NEWN(e->a, int, cap);

		if (e->nlabels)
			memcpy(l, e->label, e->nlabels * sizeof(*l));
		e->label = l;
		e->cap_labels = cap;
	}
	e->label[e->nlabels] = -1;
	return (int)e->nlabels++;
}

void rn_emit_bind(struct rn_emit *e, int label)
{
	e->label[label] = (int)e->n;
}

void rn_emit_raw(struct rn_emit *e, struct bpf_insn in, int label, const char *sym)
{
	if (e->n == e->cap) {
		unsigned cap = e->cap ? 2 * e->cap : 256;
		struct rn_insn *v = RN_NEWN(e->a, struct rn_insn, cap);

		if (e->n)
			memcpy(v, e->v, e->n * sizeof(*v));
		e->v = v;
		e->cap = cap;
	}
	e->v[e->n++] = (struct rn_insn){.in = in, .label = label, .sym = sym, .note = e->note};
	e->note = NULL;
}

static void put(struct rn_emit *e, int code, int dst, int src, int off, int32_t imm, int label,
		const char *sym)
{
	rn_emit_raw(e,
		    (struct bpf_insn){.code = (uint8_t)code,
				      .dst_reg = (uint8_t)dst,
				      .src_reg = (uint8_t)src,
				      .off = (int16_t)off,
				      .imm = imm},
		    label, sym);
}

static void put64(struct rn_emit *e, int dst, int src, int64_t imm, const char *sym)
{
	put(e, BPF_LD | BPF_DW | BPF_IMM, dst, src, 0, (int32_t)imm, -1, sym);
	put(e, 0, 0, 0, 0, (int32_t)(imm >> 32), -1, NULL);
}

void rn_emit_mov(struct rn_emit *e, int dst, int src)
{
	if (dst != src)
		put(e, BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0, -1, NULL);
}

void rn_emit_movi(struct rn_emit *e, int dst, int64_t imm)
{
	if (imm == (int32_t)imm)
		put(e, BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, (int32_t)imm, -1, NULL);
	else
		put64(e, dst, 0, imm, NULL);
}

void rn_emit_movi_sym(struct rn_emit *e, int dst, int64_t imm, const char *sym)
{
	put64(e, dst, 0, imm, sym);
}

void rn_emit_alu(struct rn_emit *e, int op, int dst, int src)
{
	put(e, BPF_ALU64 | op | BPF_X, dst, src, 0, 0, -1, NULL);
}

void rn_emit_alui(struct rn_emit *e, int op, int dst, int32_t imm)
{
	put(e, BPF_ALU64 | op | BPF_K, dst, 0, 0, imm, -1, NULL);
}

void rn_emit_addi_sym(struct rn_emit *e, int dst, int32_t imm, const char *sym)
{
	put(e, BPF_ALU64 | BPF_ADD | BPF_K, dst, 0, 0, imm, -1, sym);
}

void rn_emit_ldx(struct rn_emit *e, int size, int dst, int base, int off, const char *sym)
{
	put(e, BPF_LDX | BPF_MEM | size, dst, base, off, 0, -1, sym);
}

void rn_emit_stx(struct rn_emit *e, int size, int base, int off, int src)
{
	put(e, BPF_STX | BPF_MEM | size, base, src, off, 0, -1, NULL);
}

void rn_emit_sti(struct rn_emit *e, int size, int base, int off, int32_t imm)
{
	put(e, BPF_ST | BPF_MEM | size, base, 0, off, imm, -1, NULL);
}

void rn_emit_atomic(struct rn_emit *e, int op, int base, int off, int src)
{
	put(e, BPF_STX | BPF_ATOMIC | BPF_DW, base, src, off, op, -1, NULL);
}

void rn_emit_jmp(struct rn_emit *e, int op, int dst, int src, int label)
{
	put(e, BPF_JMP | op | BPF_X, dst, src, 0, 0, label, NULL);
}

void rn_emit_jmpi(struct rn_emit *e, int op, int dst, int32_t imm, int label)
{
	put(e, BPF_JMP | op | BPF_K, dst, 0, 0, imm, label, NULL);
}

void rn_emit_jmpi_sym(struct rn_emit *e, int op, int dst, int32_t imm, const char *sym, int label)
{
	put(e, BPF_JMP | op | BPF_K, dst, 0, 0, imm, label, sym);
}

void rn_emit_ja(struct rn_emit *e, int label)
{
	put(e, BPF_JMP | BPF_JA, 0, 0, 0, 0, label, NULL);
}

void rn_emit_call(struct rn_emit *e, int helper)
{
	put(e, BPF_JMP | BPF_CALL, 0, 0, 0, helper, -1, rn_emit_helper_name(helper));
}

void rn_emit_sub(struct rn_emit *e, int function, const char *name)
{
	put(e, BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, RN_CALL_MARK, function, -1, name);
}

void rn_emit_map(struct rn_emit *e, int dst, int map)
{
	put64(e, dst, BPF_PSEUDO_MAP_FD, map, rn_map_name(map));
}

void rn_emit_map_value(struct rn_emit *e, int dst, int map, uint32_t off)
{
	put64(e, dst, BPF_PSEUDO_MAP_VALUE, (int64_t)((uint64_t)off << 32 | (uint32_t)map),
	      rn_map_name(map));
}

void rn_emit_exit(struct rn_emit *e)
{
	put(e, BPF_JMP | BPF_EXIT, 0, 0, 0, 0, -1, NULL);
}

/* The instructions that may run after i: the next one (or -1) and the target of a jump (or -1). */
static void successors(const struct rn_emit *e, unsigned i, int next[2])
{
	const struct bpf_insn *in = &e->v[i].in;
	int class = BPF_CLASS(in->code), op = BPF_OP(in->code);
	bool jump = class == BPF_JMP && op != BPF_CALL;

	next[0] = jump && (op == BPF_EXIT || op == BPF_JA) ? -1 : (int)i + 1;
	next[1] = e->v[i].label >= 0 ? e->label[e->v[i].label] : -1;
}

static bool reads(const struct bpf_insn *in, int reg)
{
	bool by_reg = BPF_SRC(in->code) == BPF_X;

	switch (BPF_CLASS(in->code)) {
	case BPF_LDX: return in->src_reg == reg;
	case BPF_ST: return in->dst_reg == reg;
	case BPF_STX: return in->src_reg == reg || in->dst_reg == reg;
	case BPF_ALU:
	case BPF_ALU64:
		return (by_reg && in->src_reg == reg) ||
		       (BPF_OP(in->code) != BPF_MOV && in->dst_reg == reg);
	case BPF_JMP:
	case BPF_JMP32:
		return BPF_OP(in->code) != BPF_CALL && BPF_OP(in->code) != BPF_EXIT &&
		       ((by_reg && in->src_reg == reg) || in->dst_reg == reg);
	}
	return false; /* constants and maps */
}

bool rn_emit_reads(const struct rn_emit *e, int reg)
{
	for (unsigned i = 0; i < e->n; i++)
		if (reads(&e->v[i].in, reg))
			return true;
	return false;
}

void rn_emit_prune(struct rn_emit *e)
{
	bool *live = RN_NEWN(e->a, bool, e->n + 1);
	int *todo = RN_NEWN(e->a, int, e->n + 1), *place = RN_NEWN(e->a, int, e->n + 1), n = 0,
	    next[2];
	unsigned kept = 0;

	todo[n++] = 0;
	live[0] = true;
	while (n) {
		successors(e, (unsigned)todo[--n], next);
		for (int k = 0; k < 2; k++)
			if (next[k] >= 0 && (unsigned)next[k] < e->n && !live[next[k]]) {
				live[next[k]] = true;
				todo[n++] = next[k];
			}
	}
	for (unsigned i = 0; i < e->n; i++) {
		place[i] = (int)kept;
		if (live[i])
			e->v[kept++] = e->v[i];
	}
	place[e->n] = (int)kept;
	for (unsigned l = 0; l < e->nlabels; l++)
		if (e->label[l] >= 0)
			e->label[l] = place[e->label[l]];
	e->n = kept;
}

struct bpf_insn *rn_emit_resolve(const struct rn_emit *e, const int *fds, unsigned *n)
{
	struct bpf_insn *out = RN_NEWN(e->a, struct bpf_insn, e->n + 1);

	if (e->n > RN_MAX_INSNS)
		return NULL;
	for (unsigned i = 0; i < e->n; i++) {
		const struct rn_insn *v = &e->v[i];

		out[i] = v->in;
		if (v->label >= 0) {
			if (e->label[v->label] < 0)
				return NULL;
			out[i].off = (int16_t)(e->label[v->label] - (int)i - 1);
		}
		if (fds && v->in.code == (BPF_LD | BPF_DW | BPF_IMM) && v->in.src_reg)
			out[i].imm = fds[v->in.imm];
	}
	*n = e->n;
	return out;
}
