/* emit.h - a growing buffer of raw BPF instructions with labels and comments. Maps and precompiled
 * functions are referred to by number. Only offsets depend on this kernel, and they carry their
 * symbol for the dump.
 *
 * A program is emitted once and then resolved into a flat array for bpf_prog_load: labels become
 * offsets, map numbers become fds. All memory is in the arena. Jumps go forward only, except those
 * to a label that rn_emit_bind bound before its use (bounded loops). */
#ifndef RN_PROBES_EMIT_EMIT_H
#define RN_PROBES_EMIT_EMIT_H
#include <linux/bpf.h>
#include "lang/base/arena.h"
#include <stdbool.h>
#include <stdint.h>

struct rn_insn {
	struct bpf_insn in;
	int label; /* target of a jump; -1: none */
	/* the name of an offset, an immediate or a map: "task_struct.tgid", "groups0" */
	const char *sym;
	const char *note; /* comment above this instruction; NULL: none */
};
struct rn_emit {
	struct rn_arena *arena;
	struct rn_insn *insns;
	unsigned n, cap;
	int *label; /* instruction each label is bound to; -1: not yet */
	unsigned nlabels, cap_labels;
	const char *note; /* waits for the next instruction */
};

enum { RN_MAX_INSNS = 30000 }; /* jump offsets have 16 bits */

struct rn_emit *rn_emit_new(struct rn_arena *arena);
/* Add a comment for the instructions that follow. */
void rn_emit_note(struct rn_emit *emit, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

int rn_emit_label(struct rn_emit *emit);            /* a new label, unbound */
void rn_emit_bind(struct rn_emit *emit, int label); /* here */

void rn_emit_raw(struct rn_emit *emit, struct bpf_insn in, int label, const char *sym);
/* nothing if dst == src */
void rn_emit_mov(struct rn_emit *emit, int dst, int src);
/* one or two slots, as imm needs */
void rn_emit_movi(struct rn_emit *emit, int dst, int64_t imm);
/* always two slots: dumps look the same everywhere */
void rn_emit_movi_sym(struct rn_emit *emit, int dst, int64_t imm, const char *sym);
/* 64 bits: BPF_ADD ... */
void rn_emit_alu(struct rn_emit *emit, int op, int dst, int src);
void rn_emit_alui(struct rn_emit *emit, int op, int dst, int32_t imm);
void rn_emit_addi_sym(struct rn_emit *emit, int dst, int32_t imm,
		      const char *sym); /* shown as sym */
/* size: BPF_B, H, W, DW */
void rn_emit_ldx(struct rn_emit *emit, int size, int dst, int base, int off, const char *sym);
void rn_emit_stx(struct rn_emit *emit, int size, int base, int off, int src);
void rn_emit_sti(struct rn_emit *emit, int size, int base, int off, int32_t imm);
/* 64 bits: BPF_ADD, OR, AND, CMPXCHG */
void rn_emit_atomic(struct rn_emit *emit, int op, int base, int off, int src);
void rn_emit_jmp(struct rn_emit *emit, int op, int dst, int src, int label);
void rn_emit_jmpi(struct rn_emit *emit, int op, int dst, int32_t imm, int label);
/* shown as sym */
void rn_emit_jmpi_sym(struct rn_emit *emit, int op, int dst, int32_t imm, const char *sym,
		      int label);
void rn_emit_ja(struct rn_emit *emit, int label);
void rn_emit_call(struct rn_emit *emit, int helper);
/* precompiled function by number */
void rn_emit_sub(struct rn_emit *emit, int function, const char *name);
void rn_emit_map(struct rn_emit *emit, int dst, int map); /* dst = the map */
/* dst = address inside an array map's value */
void rn_emit_map_value(struct rn_emit *emit, int dst, int map, uint32_t off);
void rn_emit_exit(struct rn_emit *emit);

/* Remove code that can never run (behind a condition that is known beforehand): the kernel refuses
 * it. */
void rn_emit_prune(struct rn_emit *emit);
/* Does anything read this register, or change what is in it? Setting it is not reading it. */
bool rn_emit_reads(const struct rn_emit *emit, int reg);
/* Resolve into a flat array in the arena. fds: by map number (NULL: keep the numbers, for tests and
 * dumps). Calls of precompiled functions keep their number in imm. NULL: a label is unbound or the
 * program is too long, which is our fault. */
struct bpf_insn *rn_emit_resolve(const struct rn_emit *emit, const int *fds, unsigned *n);

/* ---- emit_dump.c ---- */

/* Return readable text: labels, symbols, notes; no numbers that vary between kernels or runs. In
 * the arena. */
const char *rn_emit_dump(const struct rn_emit *emit, struct rn_arena *arena);
/* "bpf_ktime_get_ns"; NULL if this generator never calls it. */
const char *rn_emit_helper_name(int helper);
#endif
