/* emit.c - the instruction buffer: see emit.h.
 *
 * Invariant: v[i] is slot i of the final program. The second slot of a 64-bit immediate is an entry
 * of its own (code 0), so that label distances need no translation. */
#include "probes/emit/emit.h"
#include <string.h>
#include "probes/kernel/maps.h"
#include "probes/intrinsics/splice.h"
#include "lang/base/vec.h"

struct rn_emit *rn_emit_new(struct rn_arena *arena)
{
	struct rn_emit *e = RN_NEW(arena, struct rn_emit);

	e->arena = arena;
	return e;
}

void rn_emit_note(struct rn_emit *emit, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	emit->note = rn_arena_vprintf(emit->arena, fmt, ap);
	va_end(ap);
}

int rn_emit_label(struct rn_emit *emit)
{
	rn_vec_room_in(emit->arena, emit->label, emit->nlabels, emit->cap_labels);
	emit->label[emit->nlabels] = -1;
	return (int)emit->nlabels++;
}

void rn_emit_bind(struct rn_emit *emit, int label)
{
	emit->label[label] = (int)emit->n;
}

void rn_emit_raw(struct rn_emit *emit, struct bpf_insn in, int label, const char *sym)
{
	rn_vec_room_in(emit->arena, emit->insns, emit->n, emit->cap);
	emit->insns[emit->n++] =
		(struct rn_insn){.in = in, .label = label, .sym = sym, .note = emit->note};
	emit->note = NULL;
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

void rn_emit_mov(struct rn_emit *emit, int dst, int src)
{
	if (dst != src)
		put(emit, BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0, -1, NULL);
}

void rn_emit_movi(struct rn_emit *emit, int dst, int64_t imm)
{
	if (imm == (int32_t)imm)
		put(emit, BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, (int32_t)imm, -1, NULL);
	else
		put64(emit, dst, 0, imm, NULL);
}

void rn_emit_movi_sym(struct rn_emit *emit, int dst, int64_t imm, const char *sym)
{
	put64(emit, dst, 0, imm, sym);
}

void rn_emit_alu(struct rn_emit *emit, int op, int dst, int src)
{
	put(emit, BPF_ALU64 | op | BPF_X, dst, src, 0, 0, -1, NULL);
}

void rn_emit_alui(struct rn_emit *emit, int op, int dst, int32_t imm)
{
	put(emit, BPF_ALU64 | op | BPF_K, dst, 0, 0, imm, -1, NULL);
}

void rn_emit_addi_sym(struct rn_emit *emit, int dst, int32_t imm, const char *sym)
{
	put(emit, BPF_ALU64 | BPF_ADD | BPF_K, dst, 0, 0, imm, -1, sym);
}

void rn_emit_ldx(struct rn_emit *emit, int size, int dst, int base, int off, const char *sym)
{
	put(emit, BPF_LDX | BPF_MEM | size, dst, base, off, 0, -1, sym);
}

void rn_emit_stx(struct rn_emit *emit, int size, int base, int off, int src)
{
	put(emit, BPF_STX | BPF_MEM | size, base, src, off, 0, -1, NULL);
}

void rn_emit_sti(struct rn_emit *emit, int size, int base, int off, int32_t imm)
{
	put(emit, BPF_ST | BPF_MEM | size, base, 0, off, imm, -1, NULL);
}

void rn_emit_atomic(struct rn_emit *emit, int op, int base, int off, int src)
{
	put(emit, BPF_STX | BPF_ATOMIC | BPF_DW, base, src, off, op, -1, NULL);
}

void rn_emit_jmp(struct rn_emit *emit, int op, int dst, int src, int label)
{
	put(emit, BPF_JMP | op | BPF_X, dst, src, 0, 0, label, NULL);
}

void rn_emit_jmpi(struct rn_emit *emit, int op, int dst, int32_t imm, int label)
{
	put(emit, BPF_JMP | op | BPF_K, dst, 0, 0, imm, label, NULL);
}

void rn_emit_jmpi_sym(struct rn_emit *emit, int op, int dst, int32_t imm, const char *sym,
		      int label)
{
	put(emit, BPF_JMP | op | BPF_K, dst, 0, 0, imm, label, sym);
}

void rn_emit_ja(struct rn_emit *emit, int label)
{
	put(emit, BPF_JMP | BPF_JA, 0, 0, 0, 0, label, NULL);
}

void rn_emit_call(struct rn_emit *emit, int helper)
{
	put(emit, BPF_JMP | BPF_CALL, 0, 0, 0, helper, -1, rn_emit_helper_name(helper));
}

void rn_emit_sub(struct rn_emit *emit, int function, const char *name)
{
	put(emit, BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, RN_CALL_MARK, function, -1, name);
}

void rn_emit_map(struct rn_emit *emit, int dst, int map)
{
	put64(emit, dst, BPF_PSEUDO_MAP_FD, map, rn_map_name(map));
}

void rn_emit_map_value(struct rn_emit *emit, int dst, int map, uint32_t off)
{
	put64(emit, dst, BPF_PSEUDO_MAP_VALUE, (int64_t)((uint64_t)off << 32 | (uint32_t)map),
	      rn_map_name(map));
}

void rn_emit_exit(struct rn_emit *emit)
{
	put(emit, BPF_JMP | BPF_EXIT, 0, 0, 0, 0, -1, NULL);
}

/* The instructions that may run after i: the next one (or -1) and the target of a jump (or -1). */
static void successors(const struct rn_emit *e, unsigned i, int next[2])
{
	const struct bpf_insn *in = &e->insns[i].in;
	int class = BPF_CLASS(in->code), op = BPF_OP(in->code);
	bool jump = class == BPF_JMP && op != BPF_CALL;

	next[0] = jump && (op == BPF_EXIT || op == BPF_JA) ? -1 : (int)i + 1;
	next[1] = e->insns[i].label >= 0 ? e->label[e->insns[i].label] : -1;
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

bool rn_emit_reads(const struct rn_emit *emit, int reg)
{
	for (unsigned i = 0; i < emit->n; i++)
		if (reads(&emit->insns[i].in, reg))
			return true;
	return false;
}

void rn_emit_prune(struct rn_emit *emit)
{
	bool *live = RN_NEWN(emit->arena, bool, emit->n + 1);
	int *todo = RN_NEWN(emit->arena, int, emit->n + 1),
	    *place = RN_NEWN(emit->arena, int, emit->n + 1), n = 0, next[2];
	unsigned kept = 0;

	todo[n++] = 0;
	live[0] = true;
	while (n) {
		successors(emit, (unsigned)todo[--n], next);
		for (int k = 0; k < 2; k++)
			if (next[k] >= 0 && (unsigned)next[k] < emit->n && !live[next[k]]) {
				live[next[k]] = true;
				todo[n++] = next[k];
			}
	}
	for (unsigned i = 0; i < emit->n; i++) {
		place[i] = (int)kept;
		if (live[i])
			emit->insns[kept++] = emit->insns[i];
	}
	place[emit->n] = (int)kept;
	for (unsigned l = 0; l < emit->nlabels; l++)
		if (emit->label[l] >= 0)
			emit->label[l] = place[emit->label[l]];
	emit->n = kept;
}

struct bpf_insn *rn_emit_resolve(const struct rn_emit *emit, const int *fds, unsigned *n)
{
	struct bpf_insn *out = RN_NEWN(emit->arena, struct bpf_insn, emit->n + 1);

	if (emit->n > RN_MAX_INSNS)
		return NULL;
	for (unsigned i = 0; i < emit->n; i++) {
		const struct rn_insn *insn = &emit->insns[i];

		out[i] = insn->in;
		if (insn->label >= 0) {
			if (emit->label[insn->label] < 0)
				return NULL;
			out[i].off = (int16_t)(emit->label[insn->label] - (int)i - 1);
		}
		if (fds && insn->in.code == (BPF_LD | BPF_DW | BPF_IMM) && insn->in.src_reg)
			out[i].imm = fds[insn->in.imm];
	}
	*n = emit->n;
	return out;
}
