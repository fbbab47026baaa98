/* string.c - strings and addresses compared with constants in BPF.
 *
 * Names of tasks are two 8-byte words, padded with NUL by the kernel. Names of system calls are
 * numbers. A file's key is looked up in the map of paths. Strings of tracepoints are first copied
 * to scratch memory. A constant longer than any value is never equal. Globs: exact text and
 * `prefix*` of short strings are inlined; a precompiled function runs the rest. */
#include <linux/bpf.h>
#include <string.h>
#include "lang/catalog/numbering.h"
#include "probes/gen/gen_impl.h"

enum {
	/* a task's name, with its final NUL and without */
	COMM_BYTES = 16,
	COMM_MAX = COMM_BYTES - 1,
	/* of the string in scratch memory */
	TEXT = RN_SCRATCH_TEXT + offsetof(struct rn_bpf_str, text),
};

static void jump_if(struct rn_gen *g, bool yes, int label)
{
	if (yes)
		rn_emit_ja(g->emit, label);
}

/* Comparisons fall through if both are equal and jump to `differ` if not. These two functions turn
 * one into a jump to `label` on the outcome `want`: where it jumps, and what follows it. */
static int differ_label(struct rn_gen *g, bool want, int label)
{
	return want ? rn_emit_label(g->emit) : label;
}

static void outcome(struct rn_gen *g, bool want, int label, int differ)
{
	if (want) {
		rn_emit_ja(g->emit, label);
		rn_emit_bind(g->emit, differ);
	}
}

/* Word i of the constant, zero-padded. */
static uint64_t word(const struct rn_value *v, unsigned i)
{
	uint64_t w = 0;

	if (8 * i < v->len)
		memcpy(&w, v->s + (size_t)8 * i, v->len - 8 * i < 8 ? v->len - 8 * i : 8);
	return w;
}

/* Jump to differ unless r2, masked to the first n bytes, is w; clobbers r3. */
static void word_differs(struct rn_emit *e, uint64_t w, unsigned n, int differ)
{
	if (n < 8) {
		rn_emit_alui(e, BPF_LSH, BPF_REG_2, 64 - 8 * (int)n);
		w <<= 64 - 8 * n;
	}
	if ((int64_t)w == (int32_t)w) {
		rn_emit_jmpi(e, BPF_JNE, BPF_REG_2, (int32_t)w, differ);
		return;
	}
	rn_emit_movi(e, BPF_REG_3, (int64_t)w);
	rn_emit_jmp(e, BPF_JNE, BPF_REG_2, BPF_REG_3, differ);
}

/* Compare the first n bytes of a task's name with those of v; fall through if they are equal. */
static void comm_differs(struct rn_gen *g, const struct rn_field *f, const struct rn_value *v,
			 unsigned n, int differ)
{
	int task = rn_gen_comm(g, f, BPF_REG_1);

	for (unsigned i = 0; 8 * i < n; i++) {
		rn_gen_comm_word(g, f, BPF_REG_2, task, (int)i);
		word_differs(g->emit, word(v, i), n - 8 * i < 8 ? n - 8 * i : 8, differ);
	}
}

/* Compare the text at r1 + off, whose length is in r2, with v. */
static void text_differs(struct rn_gen *g, const struct rn_value *v, int off, bool prefix,
			 int differ)
{
	rn_emit_jmpi(g->emit, prefix ? BPF_JLT : BPF_JNE, BPF_REG_2, (int32_t)v->len, differ);
	for (unsigned i = 0; 8 * i < v->len; i++) {
		rn_emit_ldx(g->emit, BPF_DW, BPF_REG_2, BPF_REG_1, off + 8 * (int)i, NULL);
		word_differs(g->emit, word(v, i), v->len - 8 * i < 8 ? v->len - 8 * i : 8, differ);
	}
}

static void tp_text_differs(struct rn_gen *g, const struct rn_field *f, const struct rn_value *v,
			    bool prefix, int differ)
{
	if (v->len >= sizeof(((struct rn_bpf_str *)0)->text)) {
		rn_emit_ja(g->emit, differ);
		return;
	}
	rn_gen_text(g, f, BPF_REG_1);
	rn_emit_ldx(g->emit, BPF_W, BPF_REG_2, BPF_REG_1, RN_SCRATCH_TEXT, NULL);
	text_differs(g, v, TEXT, prefix, differ);
}

static void file_differs(struct rn_gen *g, const struct rn_field *f, const struct rn_value *v,
			 int differ)
{
	int none = v->len ? differ : rn_emit_label(g->emit);

	rn_gen_path(g, f, none);
	rn_emit_mov(g->emit, BPF_REG_1, BPF_REG_0);
	rn_emit_ldx(g->emit, BPF_H, BPF_REG_2, BPF_REG_1, offsetof(struct rn_bpf_path, len), NULL);
	text_differs(g, v, offsetof(struct rn_bpf_path, text), false, differ);
	if (!v->len)
		rn_emit_bind(g->emit, none); /* no file: the empty text */
}

/* An address, and its port if the constant has one. */
static void ip_differs(struct rn_gen *g, const struct rn_field *f, const struct rn_value *v,
		       int differ)
{
	int from = rn_gen_ip(g, f);

	for (unsigned i = 0; i < 3; i++) {
		if (i == 2 && !word(v, 2))
			continue;
		rn_emit_ldx(g->emit, i < 2 ? BPF_DW : BPF_H, BPF_REG_2, BPF_REG_10,
			    from + 8 * (int)i, NULL);
		word_differs(g->emit, word(v, i), 8, differ);
	}
}

/* ---- names of system calls: the matching numbers are known here ---- */

static void name_in(struct rn_gen *gen, const struct rn_field *field, enum rn_encoding enc,
		    const struct rn_value *value, bool glob, bool want, int label)
{
	uint16_t *nr = RN_NEWN(gen->arena, uint16_t, RN_SYS_MAX);
	char *pattern = rn_arena_strndup(gen->arena, value->s, value->len);
	unsigned n = 0;

	for (unsigned i = 0; i < RN_SYS_MAX; i++) {
		const char *name = enc == RN_ENCODING_TRACEPOINT_INDEX ? rn_gen_tp_name(gen, i)
								       : rn_sys_name(i);

		if (name && (glob ? rn_glob_text(pattern, name, (unsigned)strlen(name))
				  : !strcmp(name, pattern)))
			nr[n++] = (uint16_t)i;
	}
	if (!n) {
		jump_if(gen, !want, label);
		return;
	}
	rn_gen_load(gen, field, BPF_REG_1);
	rn_gen_nr_among(gen, nr, n, want, label);
}

/* Jumps to the label if r0 is the number. */
static void is_number(struct rn_emit *e, int64_t number, int label)
{
	if (number == (int32_t)number) {
		rn_emit_jmpi(e, BPF_JEQ, BPF_REG_0, (int32_t)number, label);
		return;
	}
	rn_emit_movi(e, BPF_REG_2, number);
	rn_emit_jmp(e, BPF_JEQ, BPF_REG_0, BPF_REG_2, label);
}

static void word_in(struct rn_gen *g, const struct rn_field *f, const struct rn_value *v, bool glob,
		    bool want, int label)
{
	const char *pattern = rn_arena_strndup(g->arena, v->s, v->len), *word;
	int in = want ? label : rn_emit_label(g->emit);

	rn_gen_load(g, f, BPF_REG_0);
	for (unsigned i = 0; (word = rn_field_word(g->fragment->cls, f, i)); i++)
		if (glob ? rn_glob_text(pattern, word, (unsigned)strlen(word))
			 : !strcmp(word, pattern))
			rn_emit_jmpi(g->emit, BPF_JEQ, BPF_REG_0, (int32_t)i, in);
	if (!want) {
		rn_emit_ja(g->emit, label);
		rn_emit_bind(g->emit, in);
	}
}

/* The same for flags, of which a mask may be taken first. NULL: all bits. */
static void flags_are(struct rn_gen *gen, const struct rn_field *field, const struct rn_value *mask,
		      const struct rn_value *value, bool want, int label)
{
	const struct rn_numbering *all = field->numbering;
	struct rn_emit *e = gen->emit;
	int64_t bits = -1, number;
	int differ = differ_label(gen, want, label);

	if (mask)
		rn_numbering_bits(all, mask->s, mask->len, &bits);
	if (!rn_numbering_bits(all, value->s, value->len, &number) || number & ~bits) {
		jump_if(gen, !want, label);
		return;
	}
	rn_gen_load(gen, field, BPF_REG_0);
	rn_emit_movi(e, BPF_REG_1, bits);
	rn_emit_alu(e, BPF_AND, BPF_REG_0, BPF_REG_1);
	rn_emit_movi(e, BPF_REG_1, number);
	rn_emit_jmp(e, BPF_JNE, BPF_REG_0, BPF_REG_1, differ);
	outcome(gen, want, label, differ);
}

/* The same for names of the kernel's own, of which a number may have none. */
static void numbered_in(struct rn_gen *gen, const struct rn_field *field,
			const struct rn_value *value, bool glob, bool want, int label)
{
	const struct rn_numbering *all = field->numbering;
	const char *pattern = rn_arena_strndup(gen->arena, value->s, value->len);
	int in = want ? label : rn_emit_label(gen->emit);
	int64_t number;

	if (glob && !rn_numbering_glob(value->s, value->len))
		rn_gen_fail(gen, "a pattern that numbers may match is not in the kernel");
	rn_gen_load(gen, field, BPF_REG_0);
	for (unsigned i = 0; i < all->n; i++)
		if (glob ? rn_glob_text(pattern, all->of[i].name, (unsigned)strlen(all->of[i].name))
			 : !strcmp(all->of[i].name, pattern))
			is_number(gen->emit, all->of[i].number, in);
	if (!glob && rn_numbering_unnamed(all, value->s, value->len, &number))
		is_number(gen->emit, number, in);
	if (!want) {
		rn_emit_ja(gen->emit, label);
		rn_emit_bind(gen->emit, in);
	}
}

static void const_matches(struct rn_gen *g, const struct rn_field *f, enum rn_encoding enc,
			  const struct rn_value *v, bool glob, bool want, int label)
{
	const char *text = rn_gen_const_text(g, f, enc),
		   *pattern = rn_arena_strndup(g->arena, v->s, v->len);
	bool yes =
		glob ? rn_glob_text(pattern, text, (unsigned)strlen(text)) : !strcmp(text, pattern);

	jump_if(g, yes == want, label);
}

static bool encoding(struct rn_gen *g, const struct rn_expr *a, const struct rn_expr *b,
		     enum rn_encoding *enc)
{
	if (a->kind != RN_E_FIELD || b->kind != RN_E_CONST || b->value.kind != RN_STR ||
	    !rn_gen_enc(g, a->field, enc)) {
		rn_gen_fail(g, "comparing %s with %s is not in the kernel",
			    rn_expr_text(g->arena, a), rn_expr_text(g->arena, b));
		return false;
	}
	return true;
}

void rn_gen_str_eq(struct rn_gen *gen, const struct rn_expr *left, const struct rn_expr *right,
		   bool want, int label)
{
	const struct rn_value *value = &right->value;
	const struct rn_field *numbered = rn_expr_numbered(left);
	enum rn_encoding enc;
	int differ;

	if (numbered && numbered->numbering->flags) {
		flags_are(gen, numbered, left->kind == RN_E_OP ? &left->arg[1]->value : NULL, value,
			  want, label);
		return;
	}
	differ = differ_label(gen, want, label);
	if (!encoding(gen, left, right, &enc))
		return;
	switch (enc == RN_ENCODING_TRACEPOINT_INDEX && gen->tp_match < 0 ? RN_ENCODING_SYSCALL_NR
									 : enc) {
	case RN_ENCODING_SYSCALL_NR:
		name_in(gen, left->field, enc, value, false, want, label);
		return;
	case RN_ENCODING_ENUM: word_in(gen, left->field, value, false, want, label); return;
	case RN_ENCODING_NUMBERED: numbered_in(gen, left->field, value, false, want, label); return;
	case RN_ENCODING_NODE:
	case RN_ENCODING_EVENT:
	case RN_ENCODING_TRACEPOINT_INDEX:
		const_matches(gen, left->field, enc, value, false, want, label);
		return;
	case RN_ENCODING_COMM:
		if (value->len > COMM_MAX) {
			jump_if(gen, !want, label);
			return;
		}
		comm_differs(gen, left->field, value, COMM_BYTES, differ);
		break;
	case RN_ENCODING_TEXT: tp_text_differs(gen, left->field, value, false, differ); break;
	case RN_ENCODING_FILE: file_differs(gen, left->field, value, differ); break;
	case RN_ENCODING_IP: ip_differs(gen, left->field, value, differ); break;
	default: rn_gen_fail(gen, "comparing `%s` is not in the kernel", left->field->name); return;
	}
	outcome(gen, want, label, differ);
}

/* ---- globs ---- */

/* A text without wildcards, or with one `*` at the end: its length without the star; -1 for
 * anything else. */
static int plain_length(const struct rn_value *v, bool *prefix)
{
	unsigned n = v->len;

	*prefix = n && v->s[n - 1] == '*';
	n -= *prefix;
	for (unsigned i = 0; i < n; i++)
		if (strchr("*?[\\", v->s[i]))
			return -1;
	return (int)n;
}

/* r2 = struct rn_bpf_str * of a task's name, in scratch memory: the first NUL ends it; r0 = its
 * length. */
static void comm_text(struct rn_gen *gen, const struct rn_field *field)
{
	struct rn_emit *emit = gen->emit;
	int next = rn_emit_label(emit), task;

	rn_gen_scratch(gen, BPF_REG_2);
	task = rn_gen_comm(gen, field, BPF_REG_1);
	for (int i = 0; i < 2; i++) {
		rn_gen_comm_word(gen, field, BPF_REG_3, task, i);
		rn_emit_stx(emit, BPF_W, BPF_REG_2, TEXT + 8 * i, BPF_REG_3);
		rn_emit_alui(emit, BPF_RSH, BPF_REG_3, 32);
		rn_emit_stx(emit, BPF_W, BPF_REG_2, TEXT + 8 * i + 4, BPF_REG_3);
	}
	for (int i = 0; i < COMM_BYTES; i++) {
		rn_emit_movi(emit, BPF_REG_0, i);
		rn_emit_ldx(emit, BPF_B, BPF_REG_3, BPF_REG_2, TEXT + i, NULL);
		rn_emit_jmpi(emit, BPF_JEQ, BPF_REG_3, 0, next);
	}
	rn_emit_bind(emit, next);
	rn_emit_stx(emit, BPF_W, BPF_REG_2, RN_SCRATCH_TEXT, BPF_REG_0);
}

/* r0 = does the text of the field match pattern number p? */
static void call_glob(struct rn_gen *gen, const struct rn_field *field, enum rn_encoding enc, int p)
{
	struct rn_emit *emit = gen->emit;

	if (enc == RN_ENCODING_FILE) {
		rn_gen_file_key(gen, field, BPF_REG_2);
		rn_emit_movi(emit, BPF_REG_1, p);
		rn_gen_intrinsic(gen, RN_I_MATCH);
		return;
	}
	if (enc == RN_ENCODING_CMDLINE) {
		rn_gen_cmdline(gen, field, BPF_REG_2);
		rn_emit_movi(emit, BPF_REG_1, p);
		rn_gen_intrinsic(gen, RN_I_GLOB_ARGS);
		return;
	}
	if (enc == RN_ENCODING_TEXT)
		rn_gen_text(gen, field, BPF_REG_2);
	else
		comm_text(gen, field);
	rn_emit_movi(emit, BPF_REG_1, p);
	rn_gen_intrinsic(gen, RN_I_GLOB);
}

void rn_gen_glob(struct rn_gen *gen, const struct rn_expr *expr, const struct rn_expr *pattern,
		 bool want, int label)
{
	const struct rn_value *value = &pattern->value;
	enum rn_encoding enc;
	bool prefix;
	int n;

	if (!encoding(gen, expr, pattern, &enc))
		return;
	/* a command line is compared by its function alone */
	n = enc == RN_ENCODING_CMDLINE ? -1 : plain_length(value, &prefix);
	if (enc == RN_ENCODING_SYSCALL_NR ||
	    (enc == RN_ENCODING_TRACEPOINT_INDEX && gen->tp_match < 0)) {
		name_in(gen, expr->field, enc, value, true, want, label);
	} else if (enc == RN_ENCODING_ENUM) {
		word_in(gen, expr->field, value, true, want, label);
	} else if (enc == RN_ENCODING_NUMBERED) {
		numbered_in(gen, expr->field, value, true, want, label);
	} else if (enc == RN_ENCODING_NODE || enc == RN_ENCODING_EVENT ||
		   enc == RN_ENCODING_TRACEPOINT_INDEX) {
		const_matches(gen, expr->field, enc, value, true, want, label);
	} else if (n >= 0 && !prefix) {
		rn_gen_str_eq(gen, expr, pattern, want, label);
	} else if (n >= 0 && enc != RN_ENCODING_FILE) {
		struct rn_value head = rn_strn(value->s, (size_t)n);
		int differ = differ_label(gen, want, label);

		if (enc == RN_ENCODING_COMM && n > COMM_MAX) {
			jump_if(gen, !want, label);
			return;
		}
		if (enc == RN_ENCODING_COMM)
			comm_differs(gen, expr->field, &head, (unsigned)n, differ);
		else
			tp_text_differs(gen, expr->field, &head, true, differ);
		outcome(gen, want, label, differ);
	} else {
		call_glob(gen, expr->field, enc, rn_gen_pattern(gen, value->s, value->len));
		rn_emit_jmpi(gen->emit, want ? BPF_JNE : BPF_JEQ, BPF_REG_0, 0, label);
	}
}

/* ---- len(text) ---- */

void rn_gen_len(struct rn_gen *gen, const struct rn_expr *call)
{
	const struct rn_expr *text = call->arg[0];
	struct rn_emit *emit = gen->emit;
	enum rn_encoding enc = RN_ENCODING_INT;
	int none = rn_emit_label(emit), done = rn_emit_label(emit);

	if (text->kind == RN_E_FIELD)
		rn_gen_enc(gen, text->field, &enc);
	switch (enc) {
	case RN_ENCODING_COMM: comm_text(gen, text->field); break;
	case RN_ENCODING_TEXT:
		rn_gen_text(gen, text->field, BPF_REG_1);
		rn_emit_ldx(emit, BPF_W, BPF_REG_0, BPF_REG_1, RN_SCRATCH_TEXT, NULL);
		break;
	case RN_ENCODING_FILE:
		rn_gen_path(gen, text->field, none);
		rn_emit_ldx(emit, BPF_H, BPF_REG_0, BPF_REG_0, offsetof(struct rn_bpf_path, len),
			    NULL);
		rn_emit_ja(emit, done);
		rn_emit_bind(emit, none); /* no file: the empty text */
		rn_emit_movi(emit, BPF_REG_0, 0);
		rn_emit_bind(emit, done);
		break;
	default: rn_gen_fail(gen, "%s is not in the kernel", rn_expr_text(gen->arena, call));
	}
}

/* ---- cidr(ip, "10.0.0.0/8") ---- */

void rn_gen_cidr(struct rn_gen *gen, const struct rn_expr *call, bool want, int label)
{
	const struct rn_expr *address = call->arg[0], *block = call->arg[1];
	int differ = differ_label(gen, want, label), from;
	unsigned char net[RN_IP_BYTES], mask[16] = {0};
	enum rn_encoding enc;
	unsigned bits;

	if (!encoding(gen, address, block, &enc) || enc != RN_ENCODING_IP ||
	    !rn_ip_parse_net(block->value.s, block->value.len, net, &bits)) {
		rn_gen_fail(gen, "%s is not in the kernel", rn_expr_text(gen->arena, call));
		return;
	}
	from = rn_gen_ip(gen, address->field);
	for (unsigned i = 0; i < bits; i++)
		mask[i / 8] |= (unsigned char)(0x80 >> i % 8);
	for (int i = 0; i < 2; i++) {
		uint64_t m, w;

		memcpy(&m, mask + (size_t)8 * i, 8);
		memcpy(&w, net + (size_t)8 * i, 8);
		if (!m)
			continue;
		rn_emit_ldx(gen->emit, BPF_DW, BPF_REG_2, BPF_REG_10, from + 8 * i, NULL);
		rn_emit_movi(gen->emit, BPF_REG_3, (int64_t)m);
		rn_emit_alu(gen->emit, BPF_AND, BPF_REG_2, BPF_REG_3);
		word_differs(gen->emit, w, 8, differ);
	}
	outcome(gen, want, label, differ);
}
