/* cells.c - cells of histograms, quantiles and HyperLogLog in BPF: the bucket functions and the
 * hash of planner/plan/agg.h, and the update of the shared hash map of cells.
 *
 * tests/live compares these with their user-space twins, value by value. Registers: r3 = the
 * argument, r0 = the bucket; r0..r5 are free otherwise. */
#include <linux/bpf.h>
#include <math.h>
#include <string.h>
#include "probes/gen/gen_impl.h"

/* r0 = floor(log2 r1), r1 != 0; clobbers r1, r2. */
static void floor_log2(struct rn_emit *e)
{
	rn_emit_movi(e, BPF_REG_0, 0);
	for (int s = 32; s; s /= 2) {
		int skip = rn_emit_label(e);

		rn_emit_mov(e, BPF_REG_2, BPF_REG_1);
		rn_emit_alui(e, BPF_RSH, BPF_REG_2, s);
		rn_emit_jmpi(e, BPF_JEQ, BPF_REG_2, 0, skip);
		rn_emit_mov(e, BPF_REG_1, BPF_REG_2);
		rn_emit_alui(e, BPF_ADD, BPF_REG_0, s);
		rn_emit_bind(e, skip);
	}
}

static void bucket_log2(struct rn_emit *e)
{
	int done = rn_emit_label(e), negative = rn_emit_label(e);

	rn_emit_movi(e, BPF_REG_0, -1);
	rn_emit_jmpi(e, BPF_JSLT, BPF_REG_3, 0, negative);
	rn_emit_movi(e, BPF_REG_0, 0);
	rn_emit_jmpi(e, BPF_JEQ, BPF_REG_3, 0, done);
	rn_emit_mov(e, BPF_REG_1, BPF_REG_3);
	floor_log2(e);
	rn_emit_alui(e, BPF_ADD, BPF_REG_0, 1);
	rn_emit_bind(e, done);
	rn_emit_bind(e, negative);
}

static void bucket_loglin(struct rn_emit *emit)
{
	int positive = rn_emit_label(emit), small = rn_emit_label(emit), done = rn_emit_label(emit);

	rn_emit_mov(emit, BPF_REG_4, BPF_REG_3);
	rn_emit_jmpi(emit, BPF_JSGE, BPF_REG_3, 0, positive);
	rn_emit_movi(emit, BPF_REG_4, 0);
	rn_emit_alu(emit, BPF_SUB, BPF_REG_4, BPF_REG_3); /* r4 = |v| */
	rn_emit_bind(emit, positive);
	rn_emit_mov(emit, BPF_REG_0, BPF_REG_4);
	rn_emit_jmpi(emit, BPF_JLT, BPF_REG_4, 128, small);
	rn_emit_mov(emit, BPF_REG_1, BPF_REG_4);
	floor_log2(emit);
	rn_emit_alui(emit, BPF_SUB, BPF_REG_0, 6); /* leaves 7 bits, the first of them 1 */
	rn_emit_alui(emit, BPF_AND, BPF_REG_0, 63);
	rn_emit_alu(emit, BPF_RSH, BPF_REG_4, BPF_REG_0);
	rn_emit_alui(emit, BPF_LSH, BPF_REG_0, 6);
	rn_emit_alu(emit, BPF_ADD, BPF_REG_0, BPF_REG_4);
	rn_emit_bind(emit, small);
	rn_emit_jmpi(emit, BPF_JSGE, BPF_REG_3, 0, done);
	rn_emit_movi(emit, BPF_REG_1, -1);
	rn_emit_alu(emit, BPF_SUB, BPF_REG_1, BPF_REG_0);
	rn_emit_mov(emit, BPF_REG_0, BPF_REG_1);
	rn_emit_bind(emit, done);
}

static void bucket_linear(struct rn_emit *emit, const struct rn_agg_call *call)
{
	int64_t lo = llrint(call->param[0]), hi = llrint(call->param[1]),
		step = llrint(call->param[2]);
	uint64_t last =
		hi <= lo ? 0
			 : ((uint64_t)hi - (uint64_t)lo - 1) / (uint64_t)(step > 0 ? step : 1) + 1;
	int done = rn_emit_label(emit), below = rn_emit_label(emit), above = rn_emit_label(emit),
	    fits = rn_emit_label(emit);

	rn_emit_movi(emit, BPF_REG_1, lo);
	rn_emit_movi(emit, BPF_REG_0, -1);
	rn_emit_jmp(emit, BPF_JSLT, BPF_REG_3, BPF_REG_1, below);
	rn_emit_movi(emit, BPF_REG_2, hi);
	rn_emit_jmp(emit, BPF_JSGE, BPF_REG_3, BPF_REG_2, above);
	rn_emit_mov(emit, BPF_REG_0, BPF_REG_3);
	rn_emit_alu(emit, BPF_SUB, BPF_REG_0, BPF_REG_1);
	rn_emit_movi(emit, BPF_REG_2, step > 0 ? step : 1);
	rn_emit_alu(emit, BPF_DIV, BPF_REG_0, BPF_REG_2);
	rn_emit_jmpi(emit, BPF_JLE, BPF_REG_0, INT32_MAX, fits);
	rn_emit_movi(emit, BPF_REG_0, INT32_MAX);
	rn_emit_bind(emit, fits);
	rn_emit_ja(emit, done);
	rn_emit_bind(emit, above);
	rn_emit_movi(emit, BPF_REG_0, last > INT32_MAX ? INT32_MAX : (int64_t)last);
	rn_emit_bind(emit, done);
	rn_emit_bind(emit, below);
}

/* r0 = mix(r0); clobbers r1, r2. */
static void mix(struct rn_emit *e)
{
	rn_emit_movi(e, BPF_REG_2, (int64_t)0xd6e8feb86659fd93ULL);
	for (int i = 0; i < 3; i++) {
		rn_emit_mov(e, BPF_REG_1, BPF_REG_0);
		rn_emit_alui(e, BPF_RSH, BPF_REG_1, 32);
		rn_emit_alu(e, BPF_XOR, BPF_REG_0, BPF_REG_1);
		if (i < 2)
			rn_emit_alu(e, BPF_MUL, BPF_REG_0, BPF_REG_2);
	}
}

/* r0 = the hash after the word in r3, if it is not 0. */
static void hash_word(struct rn_emit *e)
{
	int skip = rn_emit_label(e);

	rn_emit_jmpi(e, BPF_JEQ, BPF_REG_3, 0, skip);
	rn_emit_alu(e, BPF_XOR, BPF_REG_0, BPF_REG_3);
	mix(e);
	rn_emit_bind(e, skip);
}

static void hash_begin(struct rn_emit *e)
{
	rn_emit_movi(e, BPF_REG_0, (int64_t)0x9E3779B97F4A7C15ULL);
}

static void hash_end(struct rn_emit *e)
{
	rn_emit_movi(e, BPF_REG_1, 0x5bd1e995);
	rn_emit_alu(e, BPF_XOR, BPF_REG_0, BPF_REG_1);
	mix(e);
}

/* Hash of words in memory at reg r4 + off. The last word is masked to the rest of the `bytes` of
 * text. */
static void hash_memory(struct rn_emit *e, int off, unsigned words)
{
	for (unsigned i = 0; i < words; i++) {
		rn_emit_ldx(e, BPF_DW, BPF_REG_3, BPF_REG_4, off + 8 * (int)i, NULL);
		hash_word(e);
	}
}

static void hash_file(struct rn_gen *g, const struct rn_field *f)
{
	rn_gen_file_key(g, f, BPF_REG_1);
	rn_gen_intrinsic(g, RN_I_PATH_HASH);
}

static uint64_t hash_text(const char *s)
{
	struct rn_value v = rn_strn(s, strlen(s));

	return rn_hash_value(&v);
}

/* A name or an address, of which a copy is made. */
static void hash_copy(struct rn_gen *g, const struct rn_field *f, enum rn_encoding enc)
{
	int slot = rn_gen_stack(g, rn_encoding_bytes(enc));

	rn_gen_store(g, f, BPF_REG_10, slot);
	rn_emit_mov(g->emit, BPF_REG_4, BPF_REG_10);
	hash_begin(g->emit);
	hash_memory(g->emit, slot, rn_encoding_bytes(enc) / 8);
	hash_end(g->emit);
}

/* A text of a tracepoint. */
static void hash_tp_text(struct rn_gen *g, const struct rn_field *f)
{
	rn_gen_text(g, f, BPF_REG_4);
	hash_begin(g->emit);
	hash_memory(g->emit, 4, 15);
	rn_emit_ldx(g->emit, BPF_W, BPF_REG_3, BPF_REG_4, 124, NULL);
	hash_word(g->emit);
	hash_end(g->emit);
}

/* The name of a system call: the hashes of all are in a map. */
static void hash_call(struct rn_gen *g, const struct rn_field *f)
{
	int known = rn_emit_label(g->emit);

	rn_gen_load(g, f, BPF_REG_1);
	rn_emit_jmpi(g->emit, BPF_JLT, BPF_REG_1, RN_SYS_MAX, known);
	rn_emit_movi(g->emit, BPF_REG_1, RN_SYS_MAX);
	rn_emit_bind(g->emit, known);
	rn_gen_array(g, RN_MAP_NAMES, -1, g->out_label);
	rn_emit_ldx(g->emit, BPF_DW, BPF_REG_0, BPF_REG_0, 0, NULL);
}

/* One of few words: the hash is chosen by the number. */
static void hash_choice(struct rn_gen *g, const struct rn_field *f)
{
	int found = rn_emit_label(g->emit);
	const char *word;

	rn_gen_load(g, f, BPF_REG_1);
	for (unsigned i = 0; (word = rn_field_word(g->fragment->cls, f, i)); i++) {
		rn_emit_movi(g->emit, BPF_REG_0, (int64_t)hash_text(word));
		rn_emit_jmpi(g->emit, BPF_JEQ, BPF_REG_1, (int32_t)i, found);
	}
	rn_emit_bind(g->emit, found);
}

/* The name of one of several tracepoints. */
static void hash_tracepoint(struct rn_gen *g)
{
	int found = rn_emit_label(g->emit);

	rn_gen_nr(g, BPF_REG_1);
	for (unsigned i = 0; i < g->nnr; i++) {
		rn_emit_movi(g->emit, BPF_REG_0, (int64_t)hash_text(rn_gen_tp_name(g, g->nr[i])));
		rn_emit_jmpi(g->emit, BPF_JEQ, BPF_REG_1, g->nr[i], found);
	}
	rn_emit_bind(g->emit, found);
}

static void hash_number(struct rn_gen *g, const struct rn_expr *x)
{
	rn_gen_eval(g, x);
	rn_emit_mov(g->emit, BPF_REG_3, BPF_REG_0);
	hash_begin(g->emit);
	hash_word(g->emit);
	hash_end(g->emit);
}

/* r0 = rn_hash_value of the aggregate's argument. */
static void hash_arg(struct rn_gen *gen, const struct rn_expr *expr)
{
	enum rn_encoding enc = RN_ENCODING_INT;
	const char *text;

	if (expr->kind == RN_E_FIELD)
		rn_gen_enc(gen, expr->field, &enc);
	switch (enc) {
	case RN_ENCODING_COMM:
	case RN_ENCODING_IP: hash_copy(gen, expr->field, enc); return;
	case RN_ENCODING_TEXT: hash_tp_text(gen, expr->field); return;
	case RN_ENCODING_FILE: hash_file(gen, expr->field); return;
	case RN_ENCODING_SYSCALL_NR: hash_call(gen, expr->field); return;
	case RN_ENCODING_ENUM: hash_choice(gen, expr->field); return;
	case RN_ENCODING_TRACEPOINT_INDEX:
		if (gen->tp_match < 0) {
			hash_tracepoint(gen);
			return;
		}
		/* fall through */
	case RN_ENCODING_NODE:
	case RN_ENCODING_EVENT:
		text = rn_gen_const_text(gen, expr->field, enc);
		rn_emit_movi(gen->emit, BPF_REG_0, (int64_t)hash_text(text));
		return;
	case RN_ENCODING_NUMBERED: /* those without a name are too many to hash here */
		rn_gen_fail(gen, "a hash of `%s` is not in the kernel", expr->field->name);
		return;
	default: hash_number(gen, expr);
	}
}

/* r0 = the register's number; the rank goes to a new temporary. */
static void bucket_hll(struct rn_gen *g, const struct rn_expr *x)
{
	struct rn_emit *e = g->emit;

	hash_arg(g, x);
	rn_emit_mov(e, BPF_REG_3, BPF_REG_0);
	rn_emit_movi(e, BPF_REG_1, 1LL << 49);
	rn_emit_alu(e, BPF_OR, BPF_REG_1, BPF_REG_0);
	rn_emit_movi(e, BPF_REG_2, 0);
	rn_emit_alu(e, BPF_SUB, BPF_REG_2, BPF_REG_1);
	rn_emit_alu(e, BPF_AND, BPF_REG_1, BPF_REG_2); /* the lowest bit that is set */
	floor_log2(e);
	rn_emit_alui(e, BPF_ADD, BPF_REG_0, 1);
	rn_gen_push(g, BPF_REG_0);
	rn_emit_mov(e, BPF_REG_0, BPF_REG_3);
	rn_emit_alui(e, BPF_RSH, BPF_REG_0, 64 - RN_HLL_BITS);
}

/* *r0 = max(*r0, rank), against other CPUs; the rank is the last temporary. */
static void raise_cell(struct rn_gen *g, int done)
{
	struct rn_emit *e = g->emit;

	rn_emit_mov(e, BPF_REG_4, BPF_REG_0);
	rn_emit_ldx(e, BPF_DW, BPF_REG_2, BPF_REG_10, g->temp[g->ntemp - 1], NULL);
	rn_emit_ldx(e, BPF_DW, BPF_REG_0, BPF_REG_4, 0, NULL);
	for (int i = 0; i < 4; i++) {
		rn_emit_jmp(e, BPF_JSGE, BPF_REG_0, BPF_REG_2, done);
		rn_emit_mov(e, BPF_REG_1, BPF_REG_0);
		rn_emit_atomic(e, BPF_CMPXCHG, BPF_REG_4, 0, BPF_REG_2);
		rn_emit_jmp(e, BPF_JEQ, BPF_REG_0, BPF_REG_1, done);
	}
}

/* Find or make the cell of bucket r0 of aggregate number i, and count there. */
static void cell(struct rn_gen *gen, unsigned i, bool hll)
{
	struct rn_emit *emit = gen->emit;
	int found = rn_emit_label(emit), done = rn_emit_label(emit), off = (int)gen->out->key.bytes;

	for (int round = 0; round < 2; round++) {
		if (round) {
			rn_emit_note(emit, "a new cell");
			rn_gen_key_address(gen, BPF_REG_2);
			rn_gen_select(gen, RN_MAP_CELLS0);
			rn_emit_map_value(emit, BPF_REG_3, RN_MAP_GLOBALS, gen->out->zeros_off);
			rn_emit_movi(emit, BPF_REG_4, BPF_NOEXIST);
			rn_emit_call(emit, BPF_FUNC_map_update_elem);
			rn_gen_key_address(gen, BPF_REG_2);
		} else {
			rn_gen_push(gen, BPF_REG_0);
			rn_gen_key_address(gen, BPF_REG_2);
			rn_gen_pop(gen, BPF_REG_0);
			rn_emit_sti(emit, BPF_W, BPF_REG_2, off, (int32_t)i);
			rn_emit_stx(emit, BPF_W, BPF_REG_2, off + 4, BPF_REG_0);
		}
		rn_gen_select(gen, RN_MAP_CELLS0);
		rn_emit_call(emit, BPF_FUNC_map_lookup_elem);
		rn_emit_jmpi(emit, BPF_JNE, BPF_REG_0, 0, found);
	}
	rn_gen_stat(gen, RN_STAT_LOST_CELL);
	rn_emit_ja(emit, done);
	rn_emit_bind(emit, found);
	if (hll) {
		raise_cell(gen, done);
		rn_gen_stat(gen, RN_STAT_LOST_CELL);
	} else {
		rn_emit_movi(emit, BPF_REG_1, 1);
		rn_emit_atomic(emit, BPF_ADD, BPF_REG_0, 0, BPF_REG_1);
	}
	rn_emit_bind(emit, done);
}

/* r0 = the bucket of the number in r3. */
static void bucket(struct rn_emit *emit, const struct rn_agg_call *call)
{
	switch (call->def->cell) {
	case RN_CELL_LOG2: bucket_log2(emit); break;
	case RN_CELL_LOGLIN: bucket_loglin(emit); break;
	case RN_CELL_LINEAR: bucket_linear(emit, call); break;
	case RN_CELL_HLL: /* of a hash: bucket_hll */
	case RN_CELL_NONE: break;
	}
}

void rn_gen_cells(struct rn_gen *gen)
{
	for (unsigned i = 0; i < gen->fragment->naggs; i++) {
		const struct rn_agg_call *call = &gen->fragment->aggs[i];
		bool hll = call->def->cell == RN_CELL_HLL;
		int other;

		if (call->def->cell == RN_CELL_NONE ||
		    rn_agg_same_state(gen->fragment->aggs, i) != i)
			continue;
		other = rn_emit_label(gen->emit);
		rn_emit_note(gen->emit, "%s: cell", call->text);
		if (call->where)
			rn_gen_branch(gen, call->where, false, other);
		if (hll) {
			bucket_hll(gen, call->arg);
		} else {
			rn_gen_eval(gen, call->arg);
			rn_emit_mov(gen->emit, BPF_REG_3, BPF_REG_0);
			bucket(gen->emit, call);
		}
		cell(gen, i, hll);
		if (hll)
			rn_gen_drop(gen);
		rn_emit_bind(gen->emit, other);
	}
}
