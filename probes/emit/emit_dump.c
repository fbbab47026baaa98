/* emit_dump.c - BPF instructions as a person reads them, for --dump=bpf.
 *
 * The text is deterministic, and the same on every kernel. Offsets into kernel structs, clock
 * offsets and maps appear as their symbols, helpers and precompiled functions by name, jumps by
 * label. There is one line for each instruction, and a note above each group. */
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include "probes/emit/emit.h"
#include "probes/abi/abi.h"

static const struct {
	int id;
	const char *name;
} helpers[] = {
	{BPF_FUNC_map_lookup_elem, "bpf_map_lookup_elem"},
	{BPF_FUNC_map_update_elem, "bpf_map_update_elem"},
	{BPF_FUNC_map_delete_elem, "bpf_map_delete_elem"},
	{BPF_FUNC_ktime_get_ns, "bpf_ktime_get_ns"},
	{BPF_FUNC_get_prandom_u32, "bpf_get_prandom_u32"},
	{BPF_FUNC_current_task_under_cgroup, "bpf_current_task_under_cgroup"},
	{BPF_FUNC_get_current_task_btf, "bpf_get_current_task_btf"},
	{BPF_FUNC_get_current_pid_tgid, "bpf_get_current_pid_tgid"},
	{BPF_FUNC_get_current_cgroup_id, "bpf_get_current_cgroup_id"},
	{BPF_FUNC_get_smp_processor_id, "bpf_get_smp_processor_id"},
	{BPF_FUNC_task_storage_get, "bpf_task_storage_get"},
	{BPF_FUNC_ringbuf_reserve, "bpf_ringbuf_reserve"},
	{BPF_FUNC_ringbuf_submit, "bpf_ringbuf_submit"},
	{BPF_FUNC_ringbuf_discard, "bpf_ringbuf_discard"},
	{BPF_FUNC_probe_read_kernel, "bpf_probe_read_kernel"},
	{BPF_FUNC_probe_read_kernel_str, "bpf_probe_read_kernel_str"},
	{BPF_FUNC_probe_read_user, "bpf_probe_read_user"},
	{BPF_FUNC_probe_read_user_str, "bpf_probe_read_user_str"},
	{BPF_FUNC_get_attach_cookie, "bpf_get_attach_cookie"},
	{RN_PREEMPT_OFF_MARK, "bpf_preempt_disable"},
	{RN_CAST_MARK, "bpf_rdonly_cast"},
	{BPF_FUNC_tail_call, "bpf_tail_call"},
	{RN_PREEMPT_ON_MARK, "bpf_preempt_enable"},
	{RN_SESSION_RETURN_MARK, "bpf_session_is_return"},
	{RN_SESSION_COOKIE_MARK, "bpf_session_cookie"},
};

const char *rn_emit_helper_name(int helper)
{
	for (unsigned i = 0; i < sizeof(helpers) / sizeof(*helpers); i++)
		if (helpers[i].id == helper)
			return helpers[i].name;
	return NULL;
}

static const char *size_name(int code)
{
	switch (BPF_SIZE(code)) {
	case BPF_B: return "u8";
	case BPF_H: return "u16";
	case BPF_W: return "u32";
	default: return "u64";
	}
}

static const char *alu_op(int code)
{
	switch (BPF_OP(code)) {
	case BPF_ADD: return "+=";
	case BPF_SUB: return "-=";
	case BPF_MUL: return "*=";
	case BPF_DIV: return "/=";
	case BPF_MOD: return "%=";
	case BPF_OR: return "|=";
	case BPF_AND: return "&=";
	case BPF_XOR: return "^=";
	case BPF_LSH: return "<<=";
	case BPF_RSH: return ">>=";
	case BPF_ARSH: return "s>>=";
	default: return "=";
	}
}

static const char *jmp_op(int code)
{
	switch (BPF_OP(code)) {
	case BPF_JEQ: return "==";
	case BPF_JNE: return "!=";
	case BPF_JGT: return ">";
	case BPF_JGE: return ">=";
	case BPF_JLT: return "<";
	case BPF_JLE: return "<=";
	case BPF_JSGT: return "s>";
	case BPF_JSGE: return "s>=";
	case BPF_JSLT: return "s<";
	case BPF_JSLE: return "s<=";
	default: return "&";
	}
}

struct text {
	char *p;
	size_t n, cap;
};

static void add(struct text *t, struct rn_arena *a, const char *s)
{
	size_t n = strlen(s);

	if (t->n + n + 1 > t->cap) {
		size_t cap = 2 * (t->n + n + 1) + 1024;
		char *p = rn_arena_alloc(a, cap);

		if (t->n)
			memcpy(p, t->p, t->n);
		t->p = p;
		t->cap = cap;
	}
	memcpy(t->p + t->n, s, n + 1);
	t->n += n;
}

/* "[r10-16]", or "[r8+task_struct.tgid]" if the offset has a symbol. */
static void address(char *out, size_t cap, int base, int off, const char *sym)
{
	if (sym)
		snprintf(out, cap, "[r%d+%s]", base, sym);
	else
		snprintf(out, cap, "[r%d%+d]", base, off);
}

static void memory_text(char *out, size_t cap, const struct rn_insn *v)
{
	const struct bpf_insn *in = &v->in;
	char where[160];

	address(where, sizeof(where), BPF_CLASS(in->code) == BPF_LDX ? in->src_reg : in->dst_reg,
		in->off, v->sym);
	if (BPF_CLASS(in->code) == BPF_LDX)
		snprintf(out, cap, "r%d = %s %s", in->dst_reg, size_name(in->code), where);
	else if (BPF_CLASS(in->code) == BPF_ST)
		snprintf(out, cap, "%s %s = %d", size_name(in->code), where, in->imm);
	else if (BPF_MODE(in->code) == BPF_ATOMIC)
		snprintf(out, cap, "lock %s %s %s r%d", size_name(in->code), where, alu_op(in->imm),
			 in->src_reg);
	else
		snprintf(out, cap, "%s %s = r%d", size_name(in->code), where, in->src_reg);
}

static void wide_text(char *out, size_t cap, const struct rn_insn *v)
{
	int64_t imm = (int64_t)((uint64_t)(uint32_t)v[1].in.imm << 32 | (uint32_t)v->in.imm);

	if (v->in.src_reg == BPF_PSEUDO_MAP_FD)
		snprintf(out, cap, "r%d = map %s", v->in.dst_reg, v->sym);
	else if (v->in.src_reg == BPF_PSEUDO_MAP_VALUE)
		snprintf(out, cap, "r%d = &%s[%d]", v->in.dst_reg, v->sym, v[1].in.imm);
	else if (v->sym)
		snprintf(out, cap, "r%d = %s", v->in.dst_reg, v->sym);
	else
		snprintf(out, cap, "r%d = 0x%llx", v->in.dst_reg, (unsigned long long)imm);
}

static void alu_text(char *out, size_t cap, const struct rn_insn *v)
{
	const struct bpf_insn *in = &v->in;
	const char *w = BPF_CLASS(in->code) == BPF_ALU ? "w" : "r";

	if (BPF_OP(in->code) == BPF_NEG)
		snprintf(out, cap, "%s%d = -%s%d", w, in->dst_reg, w, in->dst_reg);
	else if (BPF_OP(in->code) == BPF_END)
		snprintf(out, cap, "r%d = be%d r%d", in->dst_reg, in->imm, in->dst_reg);
	else if (BPF_SRC(in->code) == BPF_X)
		snprintf(out, cap, "%s%d %s %s%d", w, in->dst_reg, alu_op(in->code), w,
			 in->src_reg);
	else if (v->sym)
		snprintf(out, cap, "%s%d %s offset of %s", w, in->dst_reg, alu_op(in->code),
			 v->sym);
	else
		snprintf(out, cap, "%s%d %s %d", w, in->dst_reg, alu_op(in->code), in->imm);
}

static void jump_text(char *out, size_t cap, const struct rn_insn *insn, unsigned label)
{
	const struct bpf_insn *in = &insn->in;

	if (BPF_OP(in->code) == BPF_EXIT)
		snprintf(out, cap, "exit");
	else if (BPF_OP(in->code) == BPF_CALL)
		snprintf(out, cap, "call %s", insn->sym ? insn->sym : "?");
	else if (BPF_OP(in->code) == BPF_JA)
		snprintf(out, cap, "goto L%u", label);
	else if (insn->sym)
		snprintf(out, cap, "if r%d %s %s goto L%u", in->dst_reg, jmp_op(in->code),
			 insn->sym, label);
	else if (BPF_SRC(in->code) == BPF_X)
		snprintf(out, cap, "if r%d %s r%d goto L%u", in->dst_reg, jmp_op(in->code),
			 in->src_reg, label);
	else
		snprintf(out, cap, "if r%d %s %d goto L%u", in->dst_reg, jmp_op(in->code), in->imm,
			 label);
}

/* The targets of jumps, numbered from 1 in order; 0: no instruction jumps there. */
static unsigned *targets(const struct rn_emit *e, struct rn_arena *a)
{
	unsigned *number = RN_NEWN(a, unsigned, e->n + 1), n = 0;

	for (unsigned i = 0; i < e->n; i++)
		if (e->insns[i].label >= 0 && e->label[e->insns[i].label] >= 0)
			number[e->label[e->insns[i].label]] = 1;
	for (unsigned i = 0; i <= e->n; i++)
		if (number[i])
			number[i] = ++n;
	return number;
}

const char *rn_emit_dump(const struct rn_emit *emit, struct rn_arena *arena)
{
	unsigned *number = targets(emit, arena);
	struct text t = {0};
	char line[512];

	add(&t, arena, "");
	for (unsigned i = 0; i <= emit->n; i++) {
		if (number[i]) {
			snprintf(line, sizeof(line), "L%u:\n", number[i]);
			add(&t, arena, line);
		}
		if (i == emit->n || (!emit->insns[i].in.code && i))
			continue;
		if (emit->insns[i].note) {
			snprintf(line, sizeof(line), "  ; %.480s\n", emit->insns[i].note);
			add(&t, arena, line);
		}
		switch (BPF_CLASS(emit->insns[i].in.code)) {
		case BPF_LD: wide_text(line, sizeof(line), &emit->insns[i]); break;
		case BPF_LDX:
		case BPF_ST:
		case BPF_STX: memory_text(line, sizeof(line), &emit->insns[i]); break;
		case BPF_ALU:
		case BPF_ALU64: alu_text(line, sizeof(line), &emit->insns[i]); break;
		default:
			jump_text(line, sizeof(line), &emit->insns[i],
				  emit->insns[i].label >= 0
					  ? number[emit->label[emit->insns[i].label]]
					  : 0);
			break;
		}
		add(&t, arena, "\t");
		add(&t, arena, line);
		add(&t, arena, "\n");
	}
	return t.p;
}
