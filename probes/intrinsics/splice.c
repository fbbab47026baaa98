/* splice.c - see splice.h.
 *
 * The trick: libbpf calls the handler of a program's section when it is about to load the program.
 * The code is then final: types, maps and variables relocated, called functions appended. The code
 * from the lowest called function on is the intrinsic with its callees. We keep it with the
 * functions' BTF ids and let libbpf load an empty program instead. When it is appended to a
 * generated program with those ids, the kernel verifies each function once, not at every call. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "lang/base/memory.h"
#include "probes/intrinsics/loop_jumps.h"
#include "probes/intrinsics/splice_impl.h"

/* The place where the intrinsic's code begins in its donor; 0: it calls nothing. */
static unsigned lowest_call(const struct bpf_insn *in, unsigned n)
{
	unsigned low = n;

	for (unsigned i = 0; i < n; i++)
		if (in[i].code == (BPF_JMP | BPF_CALL) && in[i].src_reg == BPF_PSEUDO_CALL &&
		    i + 1 + in[i].imm < low)
			low = i + 1 + in[i].imm;
	return low == n ? 0 : low;
}

/* Replace the mark by a call of a function of the kernel; id 0: by r0 = 0. */
static void set_calls(struct bpf_insn *in, unsigned n, int mark, uint32_t id)
{
	for (unsigned i = 0; i < n; i++)
		if (in[i].code == (BPF_JMP | BPF_CALL) && !in[i].src_reg && in[i].imm == mark)
			in[i] = id ? (struct bpf_insn){.code = BPF_JMP | BPF_CALL,
						       .src_reg = BPF_PSEUDO_KFUNC_CALL,
						       .imm = (int)id}
				   : (struct bpf_insn){.code = BPF_ALU64 | BPF_MOV | BPF_K,
						       .dst_reg = BPF_REG_0};
}

bool rn_splice_preempt(const struct rn_btf_ids *ids, struct rn_spliced *spliced, bool use)
{
	bool have = ids->preempt_off && ids->preempt_on && rn_intrinsics_jit();

	set_calls(spliced->insn, spliced->ninsn, RN_PREEMPT_OFF_MARK,
		  have && use ? ids->preempt_off : 0);
	set_calls(spliced->insn, spliced->ninsn, RN_PREEMPT_ON_MARK,
		  have && use ? ids->preempt_on : 0);
	return have;
}

bool rn_splice_session(const struct rn_btf_ids *ids, struct bpf_insn *insn, unsigned n)
{
	set_calls(insn, n, RN_SESSION_RETURN_MARK, ids->session_return);
	set_calls(insn, n, RN_SESSION_COOKIE_MARK, ids->session_cookie);
	return ids->session_return && ids->session_cookie && rn_intrinsics_jit();
}

void rn_splice_cast(const struct rn_btf_ids *ids, struct bpf_insn *insn, unsigned n)
{
	set_calls(insn, n, RN_CAST_MARK, ids->cast);
}

static int take_code(struct rn_code *c, const struct bpf_insn *in, unsigned n,
		     const struct bpf_func_info *fi, unsigned nfi)
{
	unsigned low = lowest_call(in, n);
	uint32_t *to;

	if (!low || nfi < 2 || nfi > RN_SUBS_MAX + 1 || fi[1].insn_off != low)
		return -EINVAL;
	for (unsigned i = 0; i < low; i++)
		if (in[i].code == (BPF_JMP | BPF_CALL) && in[i].src_reg == BPF_PSEUDO_CALL)
			c->entry = i + 1 + in[i].imm - low;
	to = rn_calloc(n - low, sizeof(*to));
	c->insn = rn_backedge_mend(in + low, n - low, to, &c->n);
	if (!c->insn) {
		free(to);
		return -E2BIG;
	}
	c->entry = to[c->entry];
	c->main_type = fi[0].type_id;
	c->nsubs = nfi - 1;
	for (unsigned i = 0; i < c->nsubs; i++) {
		c->start[i] = to[fi[i + 1].insn_off - low];
		c->type[i] = fi[i + 1].type_id;
	}
	free(to);
	return 0;
}

/* Make libbpf load the donor with the intrinsic's final code. func: says where its functions
 * are. */
static int verify_this(struct bpf_program *prog, const struct rn_code *c,
		       struct bpf_prog_load_opts *opts, struct bpf_func_info *func)
{
	const struct bpf_insn *in = bpf_program__insns(prog);
	unsigned low = lowest_call(in, (unsigned)bpf_program__insn_cnt(prog)), n = low + c->n;
	struct bpf_insn *copy = rn_malloc((n + 1) * sizeof(*copy));
	int ret;

	memcpy(copy, in, low * sizeof(*copy));
	memcpy(copy + low, c->insn, c->n * sizeof(*copy));
	for (unsigned i = 0; i < low; i++)
		if (copy[i].code == (BPF_JMP | BPF_CALL) && copy[i].src_reg == BPF_PSEUDO_CALL)
			copy[i].imm = (int32_t)(low + c->entry - i - 1);
	func[0] = (struct bpf_func_info){0, c->main_type};
	for (unsigned i = 0; i < c->nsubs; i++)
		func[i + 1] = (struct bpf_func_info){low + c->start[i], c->type[i]};
	opts->func_info = func;
	opts->line_info_cnt = 0; /* they are elsewhere now */
	ret = bpf_program__set_insns(prog, copy, n);
	free(copy);
	return ret;
}

int rn_splice_on_load(struct bpf_program *prog, struct bpf_prog_load_opts *opts, long cookie)
{
	static const struct bpf_insn empty[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	size_t log_bytes;
	struct rn_intrinsics *intrinsics =
		(struct rn_intrinsics *)(bpf_program__log_buf(prog, &log_bytes) -
					 offsetof(struct rn_intrinsics, log));
	struct bpf_insn copy[2];
	int ret;

	(void)cookie;
	for (unsigned i = 0; i < RN_I_COUNT; i++) {
		if (strcmp(bpf_program__name(prog) + strlen("donor_"), rn_intrinsic_name(i)))
			continue;
		if (opts->func_info_rec_size != sizeof(struct bpf_func_info))
			return -EINVAL;
		ret = take_code(&intrinsics->code[i], bpf_program__insns(prog),
				(unsigned)bpf_program__insn_cnt(prog), opts->func_info,
				opts->func_info_cnt);
		if (!ret)
			/* without one the place cannot be reached */
			set_calls(intrinsics->code[i].insn, intrinsics->code[i].n, RN_CAST_MARK,
				  intrinsics->ids.cast);
		if (ret)
			return ret;
		if (intrinsics->verify) /* the kernel sees the code that will be spliced */
			return verify_this(prog, &intrinsics->code[i], opts, intrinsics->func);
	}
	memcpy(copy, empty, sizeof(copy));
	opts->func_info_cnt = opts->line_info_cnt = 0;
	return bpf_program__set_insns(prog, copy, 2);
}

static bool marked(const struct bpf_insn *in)
{
	return in->code == (BPF_JMP | BPF_CALL) && in->src_reg == BPF_PSEUDO_CALL &&
	       in->off == RN_CALL_MARK;
}

/* Which functions a program needs, and where each will begin. Intrinsics share functions: those of
 * one type id are the same, and stand there once. */
struct placed {
	const struct rn_code *code;
	unsigned from, n, base; /* in that code; in the program */
	uint32_t type;
};
struct layout {
	struct placed *func; /* malloc'ed */
	unsigned nfuncs, total;
	uint64_t used; /* intrinsics, by number */
};

static const struct placed *find(const struct layout *l, uint32_t type)
{
	for (unsigned i = 0; i < l->nfuncs; i++)
		if (l->func[i].type == type)
			return &l->func[i];
	return NULL;
}

static void place(struct layout *l, const struct rn_code *c)
{
	l->func = rn_realloc(l->func, (l->nfuncs + c->nsubs) * sizeof(*l->func));
	for (unsigned i = 0; i < c->nsubs; i++) {
		unsigned n = (i + 1 < c->nsubs ? c->start[i + 1] : c->n) - c->start[i];

		if (find(l, c->type[i]))
			continue;
		l->func[l->nfuncs++] = (struct placed){c, c->start[i], n, l->total, c->type[i]};
		l->total += n;
	}
}

static int lay_out(const struct rn_intrinsics *intrinsics, const struct bpf_insn *insn, unsigned n,
		   struct layout *l, struct rn_err *err)
{
	*l = (struct layout){.total = n};
	for (unsigned i = 0; i < n; i++) {
		unsigned k;

		if (!marked(&insn[i]))
			continue;
		k = (unsigned)insn[i].imm;
		if (!intrinsics || k >= RN_I_COUNT || !(intrinsics->wanted >> k & 1))
			return rn_err_set(err, -EINVAL, "a program calls %s, which is not open",
					  rn_intrinsic_name(k));
		if (l->used >> k & 1)
			continue;
		l->used |= 1ull << k;
		place(l, &intrinsics->code[k]);
	}
	return 0;
}

/* The place of the function that begins at an instruction of the code. */
static unsigned base_of(const struct layout *l, const struct rn_code *c, unsigned at)
{
	unsigned i = 0;

	while (c->start[i] != at)
		i++;
	return find(l, c->type[i])->base;
}

static void copy_code(const struct layout *l, struct rn_spliced *out)
{
	for (unsigned i = 0; i < l->nfuncs; i++) {
		const struct placed *f = &l->func[i];
		struct bpf_insn *to = out->insn + f->base;

		memcpy(to, f->code->insn + f->from, f->n * sizeof(*to));
		for (unsigned k = 0; k < f->n; k++)
			if (rn_calls_ours(&to[k])) {
				unsigned at = f->from + k + 1 + (unsigned)to[k].imm;

				to[k].imm = (int32_t)(base_of(l, f->code, at) - f->base - k - 1);
			}
		out->func[out->nfunc++] = (struct bpf_func_info){f->base, f->type};
	}
}

static void link_calls(const struct rn_intrinsics *x, const struct layout *l, unsigned n,
		       struct bpf_insn *insn)
{
	for (unsigned i = 0; i < n; i++) {
		const struct rn_code *c;

		if (!marked(&insn[i]))
			continue;
		c = &x->code[insn[i].imm];
		insn[i].off = 0;
		insn[i].imm = (int32_t)(base_of(l, c, c->entry) - i - 1);
	}
}

unsigned rn_splice_size(const struct rn_intrinsics *intrinsics, const struct bpf_insn *insn,
			unsigned n)
{
	struct layout l;

	lay_out(intrinsics, insn, n, &l, NULL);
	free(l.func);
	return l.total;
}

int rn_splice(const struct rn_intrinsics *intrinsics, const struct bpf_insn *insn, unsigned n,
	      struct rn_spliced *out, struct rn_err *err)
{
	struct layout l;
	int r;

	memset(out, 0, sizeof(*out));
	r = lay_out(intrinsics, insn, n, &l, err);
	if (r) {
		free(l.func);
		return r;
	}
	out->insn = rn_malloc((l.total + 1) * sizeof(*insn));
	out->func = rn_calloc(l.nfuncs + 1, sizeof(*out->func));
	memcpy(out->insn, insn, n * sizeof(*insn));
	out->ninsn = l.total;
	if (l.nfuncs) {
		out->func[out->nfunc++] = (struct bpf_func_info){0, l.func[0].code->main_type};
		out->btf_fd = intrinsics->btf_fd;
	}
	copy_code(&l, out);
	link_calls(intrinsics, &l, n, out->insn);
	free(l.func);
	return 0;
}

void rn_spliced_free(struct rn_spliced *spliced)
{
	free(spliced->insn);
	free(spliced->func);
	memset(spliced, 0, sizeof(*spliced));
}
