/* field_store.c - how a field becomes part of a row or of a key: its form, and the code that stores
 * it. Numbers come from field_load.c. This file copies names, texts, addresses and values kept from
 * a pair's first event. */
#include <errno.h>
#include <linux/bpf.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include "probes/gen/gen_impl.h"

bool rn_gen_enc(const struct rn_gen *gen, const struct rn_field *field, enum rn_encoding *enc)
{
	struct rn_pair_capture *kept;

	field = rn_gen_resolve_pair_field((struct rn_gen *)gen, field, &kept);
	if (kept) {
		*enc = kept->enc;
		return true;
	}
	if (!rn_field_enc(field, gen->tp != NULL, enc))
		return false;
	if (*enc == RN_ENCODING_SYSCALL_NR && gen->tp && gen->tp->nmatch)
		*enc = RN_ENCODING_TRACEPOINT_INDEX;
	else if (*enc == RN_ENCODING_SYSCALL_NR && !gen->nnr)
		*enc = RN_ENCODING_EVENT;
	return true;
}

const char *rn_gen_const_text(const struct rn_gen *gen, const struct rn_field *field,
			      enum rn_encoding enc)
{
	const struct rn_class *c = gen->cls;
	struct rn_pair_capture *kept;

	rn_gen_resolve_pair_field((struct rn_gen *)gen, field, &kept);
	if (kept)
		c = gen->pair->end[0];
	if (enc == RN_ENCODING_NODE)
		return gen->opts->node;
	if (enc == RN_ENCODING_TRACEPOINT_INDEX)
		return gen->tp->match[gen->tp_match].name;
	return c->arg && rn_class_tp(c) ? c->arg : c->name;
}

int rn_gen_comm(struct rn_gen *gen, const struct rn_field *field, int reg)
{
	struct rn_pair_capture *kept;

	field = rn_gen_resolve_pair_field(gen, field, &kept);
	if (kept) {
		rn_gen_kept(gen, kept, reg);
		return reg;
	}
	if (gen->opts->btf->off[RN_BM_TASK_COMM] < 0)
		rn_gen_fail(gen, "this kernel has no task_struct.comm");
	switch (field->id) {
	case RN_F_THREAD: return BPF_REG_8;
	case RN_F_PROC: rn_gen_member(gen, BPF_DW, reg, BPF_REG_8, RN_BM_TASK_LEADER); return reg;
	default: /* the current task has a name too, but the wrong one */
		rn_gen_fail(gen, "the field `%s` does not say which task's name it is",
			    field->name);
		return reg;
	}
}

void rn_gen_comm_word(struct rn_gen *gen, const struct rn_field *field, int dst, int task, int word)
{
	struct rn_pair_capture *kept;

	rn_gen_resolve_pair_field(gen, field, &kept);
	if (kept) {
		rn_emit_ldx(gen->emit, BPF_DW, dst, task, 8 * word, NULL);
		return;
	}
	rn_emit_ldx(gen->emit, BPF_DW, dst, task, gen->opts->btf->off[RN_BM_TASK_COMM] + 8 * word,
		    word ? "task_struct.comm[8]" : "task_struct.comm");
}

/* Copy the string of a tracepoint to [base+off], zero-padded; base survives calls. */
static void store_text(struct rn_gen *gen, const struct rn_tp_field *t, int base, int off)
{
	struct rn_emit *emit = gen->emit;
	int ok = rn_emit_label(emit), room = sizeof(((struct rn_bpf_str *)0)->text);
	const char *sym =
		rn_arena_printf(gen->arena, "%s.%s", rn_gen_record(gen)->name, t->field.name);

	rn_gen_of_record(gen, t->field.name);
	for (int i = 0; i < (int)sizeof(struct rn_bpf_str); i += 8)
		rn_emit_sti(emit, BPF_DW, base, off + i, 0);
	rn_emit_mov(emit, BPF_REG_3, BPF_REG_6);
	if (t->kind == RN_TP_CHARS) {
		rn_emit_addi_sym(emit, BPF_REG_3, t->offset, sym);
		room = t->size < room ? t->size : room;
	} else {
		rn_emit_ldx(emit, BPF_W, BPF_REG_1, BPF_REG_6, t->offset, sym);
		rn_emit_alui(emit, BPF_AND, BPF_REG_1, 0xffff);
		if (t->kind == RN_TP_RELLOC)
			rn_emit_addi_sym(emit, BPF_REG_1, t->offset + 4, sym);
		rn_emit_alu(emit, BPF_ADD, BPF_REG_3, BPF_REG_1);
	}
	rn_emit_mov(emit, BPF_REG_1, base);
	rn_emit_alui(emit, BPF_ADD, BPF_REG_1, off + (int)offsetof(struct rn_bpf_str, text));
	rn_emit_movi(emit, BPF_REG_2, room);
	rn_emit_call(emit, BPF_FUNC_probe_read_kernel_str);
	rn_emit_jmpi(emit, BPF_JSGE, BPF_REG_0, 1, ok);
	rn_emit_movi(emit, BPF_REG_0, 1);
	rn_emit_bind(emit, ok);
	rn_emit_alui(emit, BPF_SUB, BPF_REG_0, 1);
	rn_emit_stx(emit, BPF_W, base, off, BPF_REG_0);
	if (t->kind != RN_TP_CHARS) {
		int whole = rn_emit_label(emit);

		rn_emit_jmpi(emit, BPF_JNE, BPF_REG_0, room - 1, whole);
		rn_gen_stat(gen, RN_STAT_TRUNCATED);
		rn_emit_bind(emit, whole);
	}
}

void rn_gen_text(struct rn_gen *gen, const struct rn_field *field, int dst)
{
	const struct rn_tp_field *t;
	const struct rn_arg_member *m;
	struct rn_pair_capture *kept;

	field = rn_gen_resolve_pair_field(gen, field, &kept);
	if (kept) {
		rn_gen_kept(gen, kept, dst);
		return;
	}
	if (rn_is_text(field->id)) {
		rn_gen_cache(gen, rn_gen_cached_argument(gen, field));
		rn_emit_ldx(gen->emit, BPF_DW, dst, BPF_REG_10,
			    gen->cached[rn_gen_cached_argument(gen, field)], NULL);
		return;
	}
	m = rn_gen_member_field(gen, field);
	t = rn_gen_tp_field(gen, field);
	if (!t && !m) {
		rn_gen_fail(gen, "the field `%s` is no string of the tracepoint", field->name);
		return;
	}
	if (gen->r9_set)
		rn_gen_push(gen, BPF_REG_9);
	rn_gen_scratch(gen, BPF_REG_9);
	if (m)
		rn_gen_walk_text(gen, m, BPF_REG_9, RN_SCRATCH_TEXT);
	else
		store_text(gen, t, BPF_REG_9, RN_SCRATCH_TEXT);
	rn_emit_mov(gen->emit, dst, BPF_REG_9);
	if (gen->r9_set)
		rn_gen_pop(gen, BPF_REG_9);
}

/* As in the program's memory, each argument with a NUL behind it. The kernel has just written it
 * there, so it can be read. After a failure there is none. A condition and a row use one copy. */
void rn_gen_fetch_cmdline(struct rn_gen *gen)
{
	struct rn_emit *emit = gen->emit;
	int done = rn_emit_label(emit), fits = rn_emit_label(emit), read = rn_emit_label(emit),
	    off = RN_SCRATCH_DATA, base = BPF_REG_9;

	if (gen->r9_set)
		rn_gen_push(gen, base);
	rn_gen_scratch(gen, base);
	rn_emit_sti(emit, BPF_DW, base, off, 0);
	rn_emit_jmpi(emit, BPF_JNE, BPF_REG_7, 0, done);
	rn_gen_member(gen, BPF_DW, BPF_REG_1, BPF_REG_8, RN_BM_TASK_MM);
	rn_emit_jmpi(emit, BPF_JEQ, BPF_REG_1, 0, done);
	rn_gen_member(gen, BPF_DW, BPF_REG_3, BPF_REG_1, RN_BM_MM_ARG_START);
	rn_gen_member(gen, BPF_DW, BPF_REG_2, BPF_REG_1, RN_BM_MM_ARG_END);
	rn_emit_alu(emit, BPF_SUB, BPF_REG_2, BPF_REG_3);
	rn_emit_stx(emit, BPF_DW, base, off, BPF_REG_2);
	rn_emit_jmpi(emit, BPF_JLE, BPF_REG_2, RN_DATA_BYTES, fits);
	rn_emit_movi(emit, BPF_REG_2, RN_DATA_BYTES);
	rn_emit_bind(emit, fits);
	rn_emit_mov(emit, BPF_REG_1, base);
	rn_emit_alui(emit, BPF_ADD, BPF_REG_1, off + (int)offsetof(struct rn_bpf_data, byte));
	rn_emit_call(emit, BPF_FUNC_probe_read_user);
	rn_emit_jmpi(emit, BPF_JEQ, BPF_REG_0, 0, read);
	rn_emit_sti(emit, BPF_DW, base, off, 0);
	rn_gen_stat(gen, RN_STAT_FAULTED);
	rn_emit_bind(emit, read);
	rn_emit_ldx(emit, BPF_DW, BPF_REG_1, base, off, NULL);
	/* with the NUL behind the last argument */
	rn_emit_jmpi(emit, BPF_JLE, BPF_REG_1, RN_DATA_BYTES + 1, done);
	rn_gen_stat(gen, RN_STAT_TRUNCATED);
	rn_emit_bind(emit, done);
	rn_emit_alui(emit, BPF_ADD, base, off);
	rn_emit_stx(emit, BPF_DW, BPF_REG_10, gen->cached[RN_CACHED_CMDLINE], base);
	if (gen->r9_set)
		rn_gen_pop(gen, base);
}

void rn_gen_cmdline(struct rn_gen *gen, const struct rn_field *field, int dst)
{
	struct rn_pair_capture *kept;

	rn_gen_resolve_pair_field(gen, field, &kept);
	if (kept) {
		rn_gen_kept(gen, kept, dst);
		return;
	}
	rn_gen_cache(gen, RN_CACHED_CMDLINE);
	rn_emit_ldx(gen->emit, BPF_DW, dst, BPF_REG_10, gen->cached[RN_CACHED_CMDLINE], NULL);
}

static void copy_kept(struct rn_gen *g, const struct rn_pair_capture *k, int base, int off)
{
	if (!rn_encoding_bytes(k->enc))
		return;
	rn_gen_kept(g, k, BPF_REG_1);
	for (int i = 0; i < (int)rn_encoding_bytes(k->enc); i += 8) {
		rn_emit_ldx(g->emit, BPF_DW, BPF_REG_2, BPF_REG_1, i, NULL);
		rn_emit_stx(g->emit, BPF_DW, base, off + i, BPF_REG_2);
	}
}

/* Two ends of a socket: see RN_CACHED_SOCK in field_fetch.c. */
int rn_gen_ip(struct rn_gen *gen, const struct rn_field *field)
{
	struct rn_pair_capture *kept;

	field = rn_gen_resolve_pair_field(gen, field, &kept);
	if (kept) {
		if (!kept->ip) {
			kept->ip = rn_gen_stack(gen, rn_encoding_bytes(RN_ENCODING_IP));
			copy_kept(gen, kept, BPF_REG_10, kept->ip);
		}
		return kept->ip;
	}
	rn_gen_cache(gen, RN_CACHED_SOCK);
	if (field->id != RN_F_LOCAL && field->id != RN_F_PEER)
		rn_gen_fail(gen, "the field `%s` does not say which address is meant", field->name);
	return gen->cached[RN_CACHED_SOCK] +
	       (field->id == RN_F_PEER ? (int)sizeof(struct rn_bpf_sock) : 0);
}

/* Copy what the search left in its scratch memory to [base+off]. */
static void store_found(struct rn_gen *g, enum rn_intrinsic i, int base, int off)
{
	rn_gen_cache(g, RN_CACHED_TAGS);
	rn_emit_mov(g->emit, BPF_REG_1, base);
	rn_emit_alui(g->emit, BPF_ADD, BPF_REG_1, off);
	rn_gen_intrinsic(g, i);
}

static void store_comm(struct rn_gen *g, const struct rn_field *f, int base, int off)
{
	int task = rn_gen_comm(g, f, BPF_REG_1);

	for (int i = 0; i < 2; i++) {
		rn_gen_comm_word(g, f, BPF_REG_2, task, i);
		rn_emit_stx(g->emit, BPF_DW, base, off + 8 * i, BPF_REG_2);
	}
}

static void store_file(struct rn_gen *g, const struct rn_field *f, int base, int off)
{
	rn_gen_file_key(g, f, BPF_REG_2);
	for (int i = 0; i < 2; i++) {
		rn_emit_ldx(g->emit, BPF_DW, BPF_REG_1, BPF_REG_2, 8 * i, NULL);
		rn_emit_stx(g->emit, BPF_DW, base, off + 8 * i, BPF_REG_1);
	}
}

static void store_ip(struct rn_gen *g, const struct rn_field *f, int base, int off)
{
	int from = rn_gen_ip(g, f);

	for (int i = 0; i < 3; i++) {
		rn_emit_ldx(g->emit, i < 2 ? BPF_DW : BPF_H, BPF_REG_1, BPF_REG_10, from + 8 * i,
			    NULL);
		rn_emit_stx(g->emit, BPF_DW, base, off + 8 * i, BPF_REG_1);
	}
}

/* Stores what lies in scratch memory; the slot has its address. */
static void store_scratch(struct rn_gen *g, enum rn_encoding enc, enum rn_cached from, int base,
			  int off)
{
	rn_gen_cache(g, from);
	rn_emit_ldx(g->emit, BPF_DW, BPF_REG_1, BPF_REG_10, g->cached[from], NULL);
	for (int i = 0; i < (int)rn_encoding_bytes(enc); i += 8) {
		rn_emit_ldx(g->emit, BPF_DW, BPF_REG_2, BPF_REG_1, i, NULL);
		rn_emit_stx(g->emit, BPF_DW, base, off + i, BPF_REG_2);
	}
}

/* Stores the kernel's time as it is: user space adds the clock's offset. */
static void store_time(struct rn_gen *g, int base, int off)
{
	rn_gen_cache(g, RN_CACHED_TIME);
	rn_emit_ldx(g->emit, BPF_DW, BPF_REG_1, BPF_REG_10, g->cached[RN_CACHED_TIME], NULL);
	rn_emit_stx(g->emit, BPF_DW, base, off, BPF_REG_1);
}

/* ---- the event's stack, kept in the kernel ----
 *
 * Its number is a place in one of RN_STACK_WAYS maps (stack.h): the first map whose place is free,
 * or already holds this stack. The number goes to the program's stack, at rn_gen.cached. */

void rn_gen_fetch_stack(struct rn_gen *gen, enum rn_cached m)
{
	struct rn_emit *emit = gen->emit;
	int done = rn_emit_label(emit), none = rn_emit_label(emit), found[RN_STACK_WAYS];
	bool user = m == RN_CACHED_USTACK;

	if (!gen->ctx_off) {
		rn_gen_fail(gen, "a stack can be a key or a column only");
		return;
	}
	rn_emit_note(emit, "%s", user ? "the program's stack" : "the kernel's stack");
	/* kernel threads have none; for idle threads the helper's answers vary */
	if (user) {
		rn_gen_member(gen, BPF_DW, BPF_REG_1, BPF_REG_8, RN_BM_TASK_MM);
		rn_emit_jmpi(emit, BPF_JEQ, BPF_REG_1, 0, none);
	}
	for (int i = 0; i < RN_STACK_WAYS; i++) {
		found[i] = rn_emit_label(emit);
		rn_emit_ldx(emit, BPF_DW, BPF_REG_1, BPF_REG_10, gen->ctx_off, NULL);
		rn_emit_map(emit, BPF_REG_2, RN_MAP_STACKS0 + i);
		rn_emit_movi(emit, BPF_REG_3, user ? BPF_F_USER_STACK : 0);
		rn_emit_call(emit, BPF_FUNC_get_stackid);
		rn_emit_jmpi(emit, BPF_JSGE, BPF_REG_0, 0, found[i]);
		/* a program's code is in no function of the kernel */
		if ((user || rn_hook_row(gen->hook)->at == RN_AT_CLOCK ||
		     rn_hook_in_library(rn_hook_row(gen->hook))) &&
		    !i)
			rn_emit_jmpi(emit, BPF_JEQ, BPF_REG_0, -EFAULT, none);
		gen->out->map[RN_MAP_STACKS0 + i].used = true;
	}
	rn_emit_note(emit, "no place for it");
	rn_gen_stat(gen, RN_STAT_LOST_STACK);
	rn_emit_movi(emit, BPF_REG_0, RN_STACK_LOST);
	rn_emit_ja(emit, done);
	rn_emit_bind(emit, none);
	rn_emit_movi(emit, BPF_REG_0, RN_STACK_NONE);
	rn_emit_ja(emit, done);
	/* falling through adds one way after the other */
	for (int i = RN_STACK_WAYS - 1; i >= 0; i--) {
		rn_emit_bind(emit, found[i]);
		if (i)
			rn_emit_alui(emit, BPF_ADD, BPF_REG_0, 1 << RN_STACK_WAY_SHIFT);
	}
	rn_emit_bind(emit, done);
	rn_emit_stx(emit, BPF_DW, BPF_REG_10, gen->cached[m], BPF_REG_0);
}

void rn_gen_store_stack(struct rn_gen *gen, bool user, int base, int off)
{
	enum rn_cached m = user ? RN_CACHED_USTACK : RN_CACHED_STACK;
	struct rn_emit *emit = gen->emit;
	int known = rn_emit_label(emit);

	rn_gen_cache(gen, m);
	rn_emit_ldx(emit, BPF_DW, BPF_REG_1, BPF_REG_10, gen->cached[m], NULL);
	rn_emit_stx(emit, BPF_DW, base, off, BPF_REG_1);
	if (!user)
		return;
	rn_emit_movi(emit, BPF_REG_2, 0);
	rn_emit_jmpi(emit, BPF_JSLT, BPF_REG_1, 0, known);
	rn_gen_member(gen, BPF_W, BPF_REG_2, BPF_REG_8, RN_BM_TASK_TGID);
	rn_gen_member(gen, BPF_W, BPF_REG_3, BPF_REG_8, RN_BM_TASK_EXEC_ID);
	rn_emit_alui(emit, BPF_LSH, BPF_REG_3, 32);
	rn_emit_alu(emit, BPF_OR, BPF_REG_2, BPF_REG_3);
	rn_emit_bind(emit, known);
	rn_emit_stx(emit, BPF_DW, base, off + 8, BPF_REG_2);
}

/* ---- any field ---- */

/* Does the program's event lack the field? In a list of classes others have it. */
static bool is_lacking(const struct rn_gen *gen, const struct rn_field *field)
{
	return field->id == RN_F_NONE || (field->id >= RN_F_TP && !rn_gen_tp_field(gen, field));
}

void rn_gen_store(struct rn_gen *gen, const struct rn_field *field, int base, int off)
{
	struct rn_pair_capture *kept;
	enum rn_encoding enc;

	if (!rn_gen_enc(gen, field, &enc)) {
		rn_gen_fail(gen, "the field `%s` has no probe", field->name);
		return;
	}
	field = rn_gen_resolve_pair_field(gen, field, &kept);
	if (kept) {
		copy_kept(gen, kept, base, off);
		return;
	}
	if (is_lacking(gen, field)) {
		for (int i = 0; i < (int)rn_encoding_bytes(enc); i += 8)
			rn_emit_sti(gen->emit, BPF_DW, base, off + i, 0);
		return;
	}
	switch (enc) {
	case RN_ENCODING_NODE:
	case RN_ENCODING_EVENT: return;
	case RN_ENCODING_TRACEPOINT_INDEX: rn_gen_store_tp(gen, base, off); return;
	case RN_ENCODING_COMM: store_comm(gen, field, base, off); return;
	case RN_ENCODING_FILE: store_file(gen, field, base, off); return;
	case RN_ENCODING_IP: store_ip(gen, field, base, off); return;
	case RN_ENCODING_SKETCH: store_scratch(gen, enc, RN_CACHED_SKETCH, base, off); return;
	case RN_ENCODING_CMDLINE: store_scratch(gen, enc, RN_CACHED_CMDLINE, base, off); return;
	case RN_ENCODING_DATA: store_scratch(gen, enc, RN_CACHED_DATA, base, off); return;
	case RN_ENCODING_TAGS:
		if (gen->fragment->ntags > 64) {
			store_found(gen, RN_I_TAGS, base, off);
			return;
		}
		break;
	case RN_ENCODING_HITS: store_found(gen, RN_I_HITS, base, off); return;
	case RN_ENCODING_AROUND: store_found(gen, RN_I_AROUND, base, off); return;
	case RN_ENCODING_STACK:
	case RN_ENCODING_USTACK:
		rn_gen_store_stack(gen, enc == RN_ENCODING_USTACK, base, off);
		return;
	case RN_ENCODING_TEXT:
		if (field->id == RN_F_MEMBER)
			rn_gen_walk_text(gen, rn_gen_member_field(gen, field), base, off);
		else if (rn_is_text(field->id))
			store_scratch(gen, enc, rn_gen_cached_argument(gen, field), base, off);
		else
			store_text(gen, rn_gen_tp_field(gen, field), base, off);
		return;
	case RN_ENCODING_TIME: store_time(gen, base, off); return;
	default: break;
	}
	rn_gen_load(gen, field, BPF_REG_1);
	rn_emit_stx(gen->emit, BPF_DW, base, off, BPF_REG_1);
}
