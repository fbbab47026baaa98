/* harness.c - see live/harness.h. */
#include <asm/unistd.h>
#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "probes/kernel/btf.h"
#include "tests/support/harness.h"
#include "probes/gen/hooks.h"

struct shared {
	uint64_t runs, value, out[RN_DATA_BYTES / 8 + 1];
};
struct harness {
	struct rn_intrinsics *x;
	struct shared *m;
	int map, prog, link;
};

#define OP(c, d, s, o, i) \
	(struct bpf_insn) \
	{ \
		.code = (c), .dst_reg = (d), .src_reg = (s), .off = (int16_t)(o), \
		.imm = (int32_t)(i) \
	}
enum {
	LOAD = BPF_LDX | BPF_MEM | BPF_DW,
	STORE = BPF_STX | BPF_MEM | BPF_DW,
	MOV = BPF_ALU64 | BPF_MOV,
	ADDI = BPF_ALU64 | BPF_ADD | BPF_K
};

/* A struct rn_bpf_call on the stack; clobbers r0. */
static unsigned call_record(struct bpf_insn *p, unsigned n, const struct rn_btf *b,
			    const enum rn_btf_member *regs)
{
	int to = -(int)sizeof(struct rn_bpf_call);

	p[n++] = OP(LOAD, 0, 6, b->off[RN_BM_REGS_ORIG_AX], 0);
	p[n++] = OP(STORE, 10, 0, to + (int)offsetof(struct rn_bpf_call, nr), 0);
	p[n++] = OP(STORE, 10, 7, to + (int)offsetof(struct rn_bpf_call, ret), 0);
	for (int i = 0; i < 6; i++) {
		p[n++] = OP(LOAD, 0, 6, b->off[regs[i]], 0);
		p[n++] = OP(STORE, 10, 0, to + (int)offsetof(struct rn_bpf_call, arg) + 8 * i, 0);
	}
	p[n++] = OP(MOV | BPF_K, 0, 0, 0, 0);
	p[n++] = OP(STORE, 10, 0, to + (int)offsetof(struct rn_bpf_call, begin_ns), 0);
	return n;
}

/* r6 = pt_regs, r7 = ret, r9 = the map's value. */
static unsigned generate(struct bpf_insn *p, const struct rn_btf *b, int nr, enum rn_intrinsic i,
			 const int *arg, int map)
{
	static const enum rn_btf_member regs[6] = {RN_BM_REGS_DI,  RN_BM_REGS_SI, RN_BM_REGS_DX,
						   RN_BM_REGS_R10, RN_BM_REGS_R8, RN_BM_REGS_R9};
	unsigned n = 0, jump[2];
	uint8_t reg = 1;

	p[n++] = OP(LOAD, 6, 1, 0, 0);
	p[n++] = OP(LOAD, 7, 1, 8, 0);
	p[n++] = OP(LOAD, 1, 6, b->off[RN_BM_REGS_ORIG_AX], 0);
	jump[0] = n;
	p[n++] = OP(BPF_JMP | BPF_JNE | BPF_K, 1, 0, 0, nr);
	p[n++] = OP(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_get_current_pid_tgid);
	p[n++] = OP(BPF_ALU | BPF_MOV | BPF_X, 0, 0, 0, 0); /* the thread: lower half */
	jump[1] = n;
	p[n++] = OP(BPF_JMP | BPF_JNE | BPF_K, 0, 0, 0, syscall(SYS_gettid));
	p[n++] = OP(BPF_LD | BPF_IMM | BPF_DW, 9, BPF_PSEUDO_MAP_VALUE, 0, map);
	p[n++] = OP(0, 0, 0, 0, 0);
	for (; *arg != ARG_END; arg++, reg++) {
		if (*arg >= ARG_CONST(0)) {
			p[n++] = OP(MOV | BPF_K, reg, 0, 0, *arg - ARG_CONST(0));
		} else if (*arg == ARG_OUT) {
			p[n++] = OP(MOV | BPF_X, reg, 9, 0, 0);
			p[n++] = OP(ADDI, reg, 0, 0, offsetof(struct shared, out));
		} else if (*arg == ARG_CALL) {
			n = call_record(p, n, b, regs);
			p[n++] = OP(MOV | BPF_X, reg, 10, 0, 0);
			p[n++] = OP(ADDI, reg, 0, 0, -(int)sizeof(struct rn_bpf_call));
		} else if (*arg == ARG_RET) {
			p[n++] = OP(MOV | BPF_X, reg, 7, 0, 0);
		} else {
			p[n++] = OP(LOAD, reg, 6, b->off[regs[*arg]], 0);
		}
	}
	p[n++] = OP(BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, RN_CALL_MARK, i);
	/* as generated programs do: what these could not name, the other one does */
	if (i == RN_I_FILE || i == RN_I_EXE) {
		p[n++] = OP(BPF_JMP | BPF_JNE | BPF_K, 0, 0, 3, RN_UNNAMED);
		p[n++] = OP(MOV | BPF_X, 1, 9, 0, 0);
		p[n++] = OP(ADDI, 1, 0, 0, offsetof(struct shared, out));
		p[n++] = OP(BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, RN_CALL_MARK, RN_I_RESOLVE);
	}
	p[n++] = OP(STORE, 9, 0, offsetof(struct shared, value), 0);
	p[n++] = OP(LOAD, 1, 9, offsetof(struct shared, runs), 0);
	p[n++] = OP(ADDI, 1, 0, 0, 1);
	p[n++] = OP(STORE, 9, 1, offsetof(struct shared, runs), 0);
	for (unsigned k = 0; k < 2; k++)
		p[jump[k]].off = (int16_t)(n - jump[k] - 1);
	p[n++] = OP(MOV | BPF_K, 0, 0, 0, 0);
	p[n++] = OP(BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
	return n;
}

static int load(struct harness *h, const struct bpf_insn *insn, unsigned n, uint32_t btf_id,
		struct rn_err *err)
{
	struct rn_spliced s;
	static char log[1 << 16];
	LIBBPF_OPTS(bpf_prog_load_opts, o, .expected_attach_type = BPF_TRACE_RAW_TP,
		    .attach_btf_id = btf_id, .func_info_rec_size = sizeof(*s.func), .log_buf = log,
		    .log_size = sizeof(log));
	int ret = rn_splice(h->x, insn, n, &s, err);

	if (ret)
		return ret;
	o.prog_btf_fd = (uint32_t)s.btf_fd;
	o.func_info = s.func;
	o.func_info_cnt = s.nfunc;
	h->prog = bpf_prog_load(BPF_PROG_TYPE_TRACING, "rn_harness", "Dual MIT/GPL", s.insn,
				s.ninsn, &o);
	ret = h->prog < 0 ? rn_err_set(err, -errno, "load: %s: %.500s", strerror(errno), log) : 0;
	rn_spliced_free(&s);
	return ret;
}

struct harness *harness_open(int nr, enum rn_intrinsic i, const int *arguments,
			     const struct rn_intrinsics_opts *o, struct rn_err *err)
{
	struct harness *h = calloc(1, sizeof(*h));
	LIBBPF_OPTS(bpf_map_create_opts, mo, .map_flags = BPF_F_MMAPABLE);
	struct rn_intrinsics_opts opts = *o;
	struct bpf_insn insn[64];
	struct rn_btf_trace want[RN_HOOK_MAX];
	struct rn_btf b;

	opts.wanted = 1ull << i | (i == RN_I_FILE || i == RN_I_EXE ? 1ull << RN_I_RESOLVE : 0);
	h->prog = h->link = -1;
	h->map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "rn_harness", 4, sizeof(struct shared), 1, &mo);
	h->m = h->map < 0 ? MAP_FAILED
			  : mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, h->map, 0);
	if (h->m == MAP_FAILED)
		rn_err_set(err, -errno, "map: %s", strerror(errno));
	else if (!rn_btf_read(&b, want, rn_hook_traces(want), err) &&
		 !rn_intrinsics_open(&opts, &h->x, err) &&
		 !load(h, insn, generate(insn, &b, nr, i, arguments, h->map),
		       b.trace[RN_HOOK_SYS_EXIT], err)) {
		h->link = bpf_raw_tracepoint_open(NULL, h->prog);
		if (h->link >= 0)
			return h;
		rn_err_set(err, -errno, "attach: %s", strerror(errno));
	}
	harness_close(h);
	return NULL;
}

void harness_close(struct harness *h)
{
	if (!h)
		return;
	if (h->link >= 0)
		close(h->link);
	if (h->prog >= 0)
		close(h->prog);
	if (h->m != MAP_FAILED)
		munmap(h->m, 4096);
	if (h->map >= 0)
		close(h->map);
	rn_intrinsics_close(h->x);
	free(h);
}

uint64_t harness_runs(const struct harness *h)
{
	return *(volatile uint64_t *)&h->m->runs;
}
uint64_t harness_value(const struct harness *h)
{
	return *(volatile uint64_t *)&h->m->value;
}
const void *harness_out(const struct harness *h)
{
	return h->m->out;
}
void harness_reset(struct harness *h)
{
	memset(h->m, 0, sizeof(*h->m));
}
const struct rn_intrinsics *harness_intrinsics(const struct harness *h)
{
	return h->x;
}
