/* field_load.c - one table: how each field is packed, and the code that loads it if loading is
 * cheap.
 *
 * Fields of the current task are read by direct loads from task_struct (27 ns cheaper than the
 * helper for its name). rn_gen_cache (field_fetch.c) computes costly fields (latency, file,
 * sockets, tags) once; here they are read from the stack. Kernel pointers on the way from a task
 * may be NULL (it exits): such loads give 0. That is not so of a tracepoint's own arguments: the
 * verifier trusts them, and a direct load from one that is NULL is a fault of the kernel. */
#include <linux/bpf.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/user.h>
#include "probes/gen/gen_impl.h"

typedef void load_fn(struct rn_gen *g, const struct rn_field *f, int dst);

static void load_pid(struct rn_gen *g, const struct rn_field *f, int dst)
{
	rn_gen_member(g, BPF_W, dst, BPF_REG_8,
		      f->id == RN_F_TID ? RN_BM_TASK_PID : RN_BM_TASK_TGID);
}

static void load_ppid(struct rn_gen *g, const struct rn_field *f, int dst)
{
	(void)f;
	rn_gen_member(g, BPF_DW, dst, BPF_REG_8, RN_BM_TASK_REAL_PARENT);
	rn_gen_member(g, BPF_W, dst, dst, RN_BM_TASK_TGID);
}

static void load_cpu(struct rn_gen *g, const struct rn_field *f, int dst)
{
	(void)f;
	rn_emit_call(g->emit, BPF_FUNC_get_smp_processor_id);
	rn_emit_mov(g->emit, dst, BPF_REG_0);
}

static void load_uid(struct rn_gen *g, const struct rn_field *f, int dst)
{
	rn_gen_member(g, BPF_DW, dst, BPF_REG_8, RN_BM_TASK_CRED);
	rn_gen_member(g, BPF_W, dst, dst, f->id == RN_F_GID ? RN_BM_CRED_GID : RN_BM_CRED_UID);
}

static void load_cgroup(struct rn_gen *g, const struct rn_field *f, int dst)
{
	(void)f;
	rn_gen_member(g, BPF_DW, dst, BPF_REG_8, RN_BM_TASK_CGROUPS);
	rn_gen_member(g, BPF_DW, dst, dst, RN_BM_CSS_SET_DFL);
	rn_gen_member(g, BPF_DW, dst, dst, RN_BM_CGROUP_KN);
	rn_gen_member(g, BPF_DW, dst, dst, RN_BM_KN_ID);
}

static void load_netns(struct rn_gen *g, const struct rn_field *f, int dst)
{
	const int32_t *off = g->opts->btf->off;

	(void)f;
	if (off[RN_BM_NET_NS] < 0 || off[RN_BM_NSC_INUM] < 0)
		rn_gen_fail(g, "this kernel has no net.ns.inum");
	rn_gen_member(g, BPF_DW, dst, BPF_REG_8, RN_BM_TASK_NSPROXY);
	rn_gen_member(g, BPF_DW, dst, dst, RN_BM_NSPROXY_NET);
	rn_emit_ldx(g->emit, BPF_W, dst, dst, off[RN_BM_NET_NS] + off[RN_BM_NSC_INUM],
		    "net.ns.inum");
}

/* The process's start, counted from the boot, including sleep of the machine. */
static void load_start(struct rn_gen *g, const struct rn_field *f, int dst)
{
	int other = dst == BPF_REG_5 ? BPF_REG_4 : BPF_REG_5;

	(void)f;
	rn_gen_member(g, BPF_DW, dst, BPF_REG_8, RN_BM_TASK_LEADER);
	rn_gen_member(g, BPF_DW, dst, dst, RN_BM_TASK_START_BOOT);
	rn_emit_movi_sym(g->emit, other, g->opts->boot_ns, "epoch_minus_boot");
	rn_emit_alu(g->emit, BPF_ADD, dst, other);
}

void rn_gen_known_ret(struct rn_gen *gen, int temp)
{
	int known = rn_emit_label(gen->emit);

	if (gen->hook != RN_HOOK_USER_RETURN)
		return;
	rn_emit_movi(gen->emit, temp, RN_NOT_KNOWN);
	rn_emit_jmp(gen->emit, BPF_JNE, BPF_REG_7, temp, known);
	rn_gen_stat(gen, RN_STAT_UNPAIRED);
	rn_emit_ja(gen->emit, gen->out_label);
	rn_emit_bind(gen->emit, known);
}

static void load_ret(struct rn_gen *g, const struct rn_field *f, int dst)
{
	(void)f;
	if (!g->shows)
		rn_gen_known_ret(g, dst);
	rn_emit_mov(g->emit, dst, BPF_REG_7);
}

static int moves_data(const struct rn_sys_trait *t)
{
	return !rn_sys_ret_is_bytes(t) ? 2 : (t->families & RN_FAM_PAYLOAD) != 0;
}

static void bytes_body(struct rn_gen *g, int moves, void *self)
{
	int dst = *(int *)self, done = rn_emit_label(g->emit);

	if (moves == 2) {
		rn_emit_ldx(g->emit, BPF_DW, dst, BPF_REG_10, g->cached[RN_CACHED_BYTES], NULL);
		return;
	}
	rn_emit_movi(g->emit, dst, 0);
	if (moves) {
		rn_emit_jmpi(g->emit, BPF_JSLE, BPF_REG_7, 0, done);
		rn_emit_mov(g->emit, dst, BPF_REG_7);
	}
	rn_emit_bind(g->emit, done);
}

static void load_bytes(struct rn_gen *g, const struct rn_field *f, int dst)
{
	(void)f;
	rn_gen_by_trait(g, moves_data, bytes_body, &dst);
}

static void load_error(struct rn_gen *g, const struct rn_field *f, int dst)
{
	int done = rn_emit_label(g->emit);

	(void)f;
	rn_emit_movi(g->emit, dst, 0);
	rn_emit_jmpi(g->emit, BPF_JSGE, BPF_REG_7, 0, done);
	rn_emit_jmpi(g->emit, BPF_JSLT, BPF_REG_7, -4095, done);
	rn_emit_alu(g->emit, BPF_SUB, dst, BPF_REG_7);
	rn_emit_bind(g->emit, done);
}

static void load_mat(struct rn_gen *g, enum rn_cached m, int off, int size, int dst)
{
	rn_gen_cache(g, m);
	rn_emit_ldx(g->emit, size, dst, BPF_REG_10, g->cached[m] + off, NULL);
}

static void load_time(struct rn_gen *g, const struct rn_field *f, int dst)
{
	int other = dst == BPF_REG_5 ? BPF_REG_4 : BPF_REG_5;

	(void)f;
	load_mat(g, RN_CACHED_TIME, 0, BPF_DW, dst);
	rn_emit_movi_sym(g->emit, other, g->opts->clock_ns, "epoch_minus_monotonic");
	rn_emit_alu(g->emit, BPF_ADD, dst, other);
}

static void load_latency(struct rn_gen *g, const struct rn_field *f, int dst)
{
	(void)f;
	load_mat(g, RN_CACHED_LATENCY, 0, BPF_DW, dst);
}

static void load_begin(struct rn_gen *g, const struct rn_field *f, int dst)
{
	int other = dst == BPF_REG_5 ? BPF_REG_4 : BPF_REG_5, done = rn_emit_label(g->emit);

	if (g->shows) {
		load_mat(g, RN_CACHED_LATENCY, 0, BPF_DW, other);
		rn_emit_movi(g->emit, dst, RN_NOT_KNOWN);
		rn_emit_jmp(g->emit, BPF_JEQ, other, dst, done);
	}
	load_time(g, f, dst);
	load_mat(g, RN_CACHED_LATENCY, 0, BPF_DW, other);
	rn_emit_alu(g->emit, BPF_SUB, dst, other);
	rn_emit_bind(g->emit, done);
}

/* enum rn_proto, from the result of rn_sock. */
static void load_proto(struct rn_gen *gen, const struct rn_field *field, int dst)
{
	static const struct {
		uint16_t family, proto;
		uint8_t is;
	} known[] = {
		{AF_UNIX, 0, RN_PROTO_UNIX},           {AF_INET, IPPROTO_TCP, RN_PROTO_TCP},
		{AF_INET6, IPPROTO_TCP, RN_PROTO_TCP}, {AF_INET, IPPROTO_UDP, RN_PROTO_UDP},
		{AF_INET6, IPPROTO_UDP, RN_PROTO_UDP}, {0, 0, RN_PROTO_NONE},
	};
	int other = dst == BPF_REG_5 ? BPF_REG_4 : BPF_REG_5, done = rn_emit_label(gen->emit);

	(void)field;
	load_mat(gen, RN_CACHED_SOCK, offsetof(struct rn_bpf_sock, proto), BPF_W, other);
	rn_emit_ldx(gen->emit, BPF_H, dst, BPF_REG_10,
		    gen->cached[RN_CACHED_SOCK] + (int)offsetof(struct rn_bpf_sock, family), NULL);
	rn_emit_alui(gen->emit, BPF_LSH, dst, 32);
	rn_emit_alu(gen->emit, BPF_OR, dst, other);
	for (unsigned i = 0; i < sizeof(known) / sizeof(*known); i++) {
		int next = rn_emit_label(gen->emit);

		rn_emit_movi(gen->emit, other, (int64_t)known[i].family << 32 | known[i].proto);
		rn_emit_jmp(gen->emit, BPF_JNE, dst, other, next);
		rn_emit_movi(gen->emit, dst, known[i].is);
		rn_emit_ja(gen->emit, done);
		rn_emit_bind(gen->emit, next);
	}
	rn_emit_movi(gen->emit, dst, RN_PROTO_OTHER);
	rn_emit_bind(gen->emit, done);
}

static void load_hash(struct rn_gen *g, const struct rn_field *f, int dst)
{
	(void)f;
	load_mat(g, RN_CACHED_HASH, 0, BPF_DW, dst);
}

static void load_tags(struct rn_gen *g, const struct rn_field *f, int dst)
{
	(void)f;
	load_mat(g, RN_CACHED_TAGS, 0, BPF_DW, dst);
}

/* dev, ino: 0 for a name that led to no file. */
static void load_inode(struct rn_gen *g, const struct rn_field *f, int dst)
{
	if (f->id == RN_F_INO)
		load_mat(g, RN_CACHED_FILE, offsetof(struct rn_bpf_file, ino), BPF_DW, dst);
	else
		load_mat(g, RN_CACHED_FILE, offsetof(struct rn_bpf_file, dev), BPF_W, dst);
}

static void load_source_inode(struct rn_gen *g, const struct rn_field *f, int dst)
{
	bool ino = f->id == RN_F_SOURCE_INO;

	load_mat(g, RN_CACHED_SOURCE,
		 ino ? offsetof(struct rn_bpf_file, ino) : offsetof(struct rn_bpf_file, dev),
		 ino ? BPF_DW : BPF_W, dst);
}

static int peer_key(const struct rn_sys_trait *t)
{
	return t->peer ? 0 : -1;
}
static int fd_key(const struct rn_sys_trait *t)
{
	return t->fd_arg;
}
static int flags_key(const struct rn_sys_trait *t)
{
	return t->flags_arg;
}
static int offset_key(const struct rn_sys_trait *t)
{
	return t->off_arg >= 0 ? t->off_arg : moves_data(t) ? 6 : -1;
}

/* A descriptor: an int, -1 if there is none. */
static void fd_body(struct rn_gen *gen, int arg, void *self)
{
	int dst = *(int *)self;

	if (arg == RN_ARG_RET) {
		int ok = rn_emit_label(gen->emit);

		rn_emit_mov(gen->emit, dst, BPF_REG_7);
		rn_emit_jmpi(gen->emit, BPF_JSGE, dst, 0, ok);
		rn_emit_movi(gen->emit, dst, -1);
		rn_emit_bind(gen->emit, ok);
	} else if (arg == RN_ARG_AIO) {
		rn_emit_ldx(gen->emit, BPF_DW, dst, BPF_REG_10, gen->cached[RN_CACHED_AIO_FD],
			    NULL);
		rn_emit_alui(gen->emit, BPF_LSH, dst, 32);
		rn_emit_alui(gen->emit, BPF_ARSH, dst, 32);
	} else if (arg >= 0) {
		int small = rn_emit_label(gen->emit);

		rn_gen_arg(gen, arg, dst);
		if (gen->is_op) { /* or the address of a file */
			int high = dst == BPF_REG_1 ? BPF_REG_2 : BPF_REG_1;

			if (rn_gen_takes_over(gen))
				rn_gen_if_call(gen, high, small);
			rn_emit_mov(gen->emit, high, dst);
			rn_emit_alui(gen->emit, BPF_RSH, high, 32);
			rn_emit_jmpi(gen->emit, BPF_JEQ, high, 0, small);
			rn_emit_movi(gen->emit, dst, -1);
		}
		rn_emit_bind(gen->emit, small);
		rn_emit_alui(gen->emit, BPF_LSH, dst, 32);
		rn_emit_alui(gen->emit, BPF_ARSH, dst, 32);
	} else {
		rn_emit_movi(gen->emit, dst, -1);
	}
}

static void load_fd(struct rn_gen *g, const struct rn_field *f, int dst)
{
	(void)f;
	rn_gen_by_trait(g, fd_key, fd_body, &dst);
}

static void flags_body(struct rn_gen *g, int arg, void *self)
{
	int dst = *(int *)self;

	if (arg >= 0)
		rn_gen_arg(g, arg, dst);
	else
		rn_emit_movi(g->emit, dst, 0);
	rn_emit_alui(g->emit, BPF_LSH, dst, 32);
	rn_emit_alui(g->emit, BPF_RSH, dst, 32);
}

static void load_flags(struct rn_gen *g, const struct rn_field *f, int dst)
{
	(void)f;
	rn_gen_by_trait(g, flags_key, flags_body, &dst);
}

/* The position where the data began: the argument, else from the file or the connection as it is
 * now. */
static void offset_body(struct rn_gen *g, int arg, void *self)
{
	int dst = *(int *)self;

	if (arg >= 0 && arg < 6)
		rn_gen_arg(g, arg, dst);
	else if (arg == 6)
		rn_emit_ldx(g->emit, BPF_DW, dst, BPF_REG_10, g->cached[RN_CACHED_OFFSET], NULL);
	else
		rn_emit_movi(g->emit, dst, -1);
}

static void load_offset(struct rn_gen *g, const struct rn_field *f, int dst)
{
	(void)f;
	rn_gen_cache(g, RN_CACHED_OFFSET);
	rn_gen_by_trait(g, offset_key, offset_body, &dst);
}

static enum rn_cached mat_of_end(const struct rn_field *f)
{
	switch (f->id) {
	case RN_F_SEQ: return RN_CACHED_SEQ;
	case RN_F_PEER_INO: return RN_CACHED_PEER_INO;
	case RN_F_FUSE_DEV: return RN_CACHED_FUSE_DEV;
	case RN_F_FUSE_NODE: return RN_CACHED_FUSE_NODE;
	default: return RN_CACHED_FUSE_TID;
	}
}

static void load_end(struct rn_gen *g, const struct rn_field *f, int dst)
{
	load_mat(g, mat_of_end(f), 0, BPF_DW, dst);
}

static void load_arg(struct rn_gen *g, const struct rn_field *f, int dst)
{
	/* may be the address of a file, which users must not see */
	int call = rn_emit_label(g->emit), done = rn_emit_label(g->emit);

	if (rn_gen_cached_argument(g, f) < RN_CACHED_COUNT) {
		load_mat(g, rn_gen_cached_argument(g, f), 0, BPF_DW, dst);
		return;
	}
	if (rn_gen_takes_over(g))
		rn_gen_if_call(g, dst, call);
	if (g->is_op && !rn_hook_in_library(rn_hook_row(g->hook)) && !rn_hook_ends_call(g->hook)) {
		rn_emit_movi(g->emit, dst, 0);
		rn_emit_ja(g->emit, done);
	}
	rn_emit_bind(g->emit, call);
	rn_gen_arg(g, f->id - RN_F_ARG0, dst);
	rn_emit_bind(g->emit, done);
}

static void load_peer_pid(struct rn_gen *g, const struct rn_field *f, int dst)
{
	(void)f;
	rn_gen_by_trait(g, peer_key, flags_body, &dst);
}

enum { SIGNAL_GROUP_EXIT = 4 }; /* include/linux/sched/signal.h */

void rn_gen_exit_status(struct rn_gen *gen, int dst)
{
	int own = rn_emit_label(gen->emit), done = rn_emit_label(gen->emit);

	if (gen->opts->btf->off[RN_BM_SIGNAL_FLAGS] >= 0) {
		rn_emit_note(gen->emit,
			     "what ended all of its threads at once, else how the leader ended");
		rn_gen_member(gen, BPF_DW, dst, BPF_REG_6, RN_BM_TASK_SIGNAL);
		rn_gen_member(gen, BPF_W, dst, dst, RN_BM_SIGNAL_FLAGS);
		rn_emit_alui(gen->emit, BPF_AND, dst, SIGNAL_GROUP_EXIT);
		rn_emit_jmpi(gen->emit, BPF_JEQ, dst, 0, own);
		rn_gen_member(gen, BPF_DW, dst, BPF_REG_6, RN_BM_TASK_SIGNAL);
		rn_gen_member(gen, BPF_W, dst, dst, RN_BM_SIGNAL_EXIT_CODE);
		rn_emit_ja(gen->emit, done);
	}
	rn_emit_bind(gen->emit, own);
	rn_gen_member(gen, BPF_W, dst, BPF_REG_6, RN_BM_TASK_EXIT_CODE);
	rn_emit_bind(gen->emit, done);
}

static void load_signal(struct rn_gen *g, const struct rn_field *f, int dst)
{
	(void)f;
	rn_gen_exit_status(g, dst);
	rn_emit_alui(g->emit, BPF_AND, dst, 0x7f);
}

/* The lowest bits of the code segment are the CPU's privilege, which is not 0 in user mode. */
static void load_mode(struct rn_gen *g, const struct rn_field *f, int dst)
{
	int done = rn_emit_label(g->emit), kernel = rn_emit_label(g->emit);

	(void)f;
	rn_emit_ldx(g->emit, BPF_DW, dst, BPF_REG_6, offsetof(struct user_regs_struct, cs),
		    "bpf_perf_event_data.regs.cs");
	rn_emit_alui(g->emit, BPF_AND, dst, 3);
	rn_emit_jmpi(g->emit, BPF_JEQ, dst, 0, kernel);
	rn_emit_movi(g->emit, dst, RN_MODE_PROGRAM);
	rn_emit_ja(g->emit, done);
	rn_emit_bind(g->emit, kernel);
	rn_emit_movi(g->emit, dst, RN_MODE_KERNEL);
	rn_emit_bind(g->emit, done);
}

static void load_func(struct rn_gen *g, const struct rn_field *f, int dst)
{
	(void)f;
	if (g->is_op)
		rn_gen_nr(g, dst);
	else
		rn_emit_mov(g->emit, dst, BPF_REG_7);
}

static void load_nr(struct rn_gen *g, const struct rn_field *f, int dst)
{
	(void)f;
	rn_gen_nr(g, dst);
}

static int way_of(const struct rn_sys_trait *t)
{
	return t->dir == RN_DIR_NONE ? RN_DATA_NONE
	       : t->dir == RN_DIR_IN ? RN_DATA_IN
				     : RN_DATA_OUT;
}

static void way_body(struct rn_gen *g, int way, void *self)
{
	rn_emit_movi(g->emit, *(int *)self, way < 0 ? RN_DATA_NONE : way);
}

static void load_dir(struct rn_gen *g, const struct rn_field *f, int dst)
{
	(void)f;
	rn_gen_by_trait(g, way_of, way_body, &dst);
}

static const struct {
	uint16_t id;
	uint8_t enc;
	load_fn *load;
} fields[] = {
	{RN_F_TIME, RN_ENCODING_TIME, load_time},
	{RN_F_NODE, RN_ENCODING_NODE, NULL},
	{RN_F_PROC, RN_ENCODING_COMM, NULL},
	{RN_F_THREAD, RN_ENCODING_COMM, NULL},
	{RN_F_PID, RN_ENCODING_INT, load_pid},
	{RN_F_TID, RN_ENCODING_INT, load_pid},
	{RN_F_PPID, RN_ENCODING_INT, load_ppid},
	{RN_F_CPU, RN_ENCODING_INT, load_cpu},
	{RN_F_UID, RN_ENCODING_INT, load_uid},
	{RN_F_GID, RN_ENCODING_INT, load_uid},
	{RN_F_USER, RN_ENCODING_USER, load_uid},
	{RN_F_CGROUP, RN_ENCODING_CGROUP, load_cgroup},
	{RN_F_CONTAINER, RN_ENCODING_CONTAINER, load_cgroup},
	{RN_F_NETNS, RN_ENCODING_INT, load_netns},
	{RN_F_START, RN_ENCODING_INT, load_start},
	{RN_F_EXE, RN_ENCODING_FILE, NULL},
	{RN_F_CMDLINE, RN_ENCODING_CMDLINE, NULL},
	{RN_F_NAME, RN_ENCODING_SYSCALL_NR, load_nr},
	{RN_F_FD, RN_ENCODING_INT, load_fd},
	{RN_F_FILE, RN_ENCODING_FILE, NULL},
	{RN_F_SOURCE, RN_ENCODING_FILE, NULL},
	{RN_F_DEV, RN_ENCODING_INT, load_inode},
	{RN_F_INO, RN_ENCODING_INT, load_inode},
	{RN_F_SOURCE_DEV, RN_ENCODING_INT, load_source_inode},
	{RN_F_SOURCE_INO, RN_ENCODING_INT, load_source_inode},
	{RN_F_DIR, RN_ENCODING_ENUM, load_dir},
	{RN_F_BYTES, RN_ENCODING_INT, load_bytes},
	{RN_F_RET, RN_ENCODING_INT, load_ret},
	{RN_F_ERROR, RN_ENCODING_INT, load_error},
	{RN_F_LATENCY, RN_ENCODING_INT, load_latency},
	{RN_F_BEGIN, RN_ENCODING_INT, load_begin},
	{RN_F_OFFSET, RN_ENCODING_INT, load_offset},
	{RN_F_SEQ, RN_ENCODING_INT, load_end},
	{RN_F_PEER_INO, RN_ENCODING_INT, load_end},
	{RN_F_FUSE_DEV, RN_ENCODING_INT, load_end},
	{RN_F_FUSE_NODE, RN_ENCODING_INT, load_end},
	{RN_F_FUSE_TID, RN_ENCODING_INT, load_end},
	{RN_F_LOCAL, RN_ENCODING_IP, NULL},
	{RN_F_PEER, RN_ENCODING_IP, NULL},
	{RN_F_PROTO, RN_ENCODING_ENUM, load_proto},
	{RN_F_PEER_PID, RN_ENCODING_INT, load_peer_pid},
	{RN_F_TAGS, RN_ENCODING_TAGS, load_tags},
	{RN_F_HITS, RN_ENCODING_HITS, NULL},
	{RN_F_AROUND, RN_ENCODING_AROUND, NULL},
	{RN_F_HASH, RN_ENCODING_INT, load_hash},
	{RN_F_SKETCH, RN_ENCODING_SKETCH, NULL},
	{RN_F_DATA, RN_ENCODING_DATA, NULL},
	{RN_F_FLAGS, RN_ENCODING_INT, load_flags},
	{RN_F_ARG0, RN_ENCODING_INT, load_arg},
	{RN_F_ARG1, RN_ENCODING_INT, load_arg},
	{RN_F_ARG2, RN_ENCODING_INT, load_arg},
	{RN_F_ARG3, RN_ENCODING_INT, load_arg},
	{RN_F_ARG4, RN_ENCODING_INT, load_arg},
	{RN_F_ARG5, RN_ENCODING_INT, load_arg},
	{RN_F_ARG6, RN_ENCODING_INT, load_arg},
	{RN_F_ARG7, RN_ENCODING_INT, load_arg},
	{RN_F_ARG8, RN_ENCODING_INT, load_arg},
	{RN_F_ARG9, RN_ENCODING_INT, load_arg},
	{RN_F_ARG10, RN_ENCODING_INT, load_arg},
	{RN_F_ARG11, RN_ENCODING_INT, load_arg},
	{RN_F_FUNC, RN_ENCODING_FUNC, load_func},
	{RN_F_MODULE, RN_ENCODING_FUNC, load_func},
	{RN_F_CHILD, RN_ENCODING_INT, load_ret},
	{RN_F_SIGNAL, RN_ENCODING_INT, load_signal},
	{RN_F_MODE, RN_ENCODING_ENUM, load_mode},
	{RN_F_STACK, RN_ENCODING_STACK, NULL},
	{RN_F_USTACK, RN_ENCODING_USTACK, NULL},
};

unsigned rn_encoding_bytes(enum rn_encoding enc)
{
	static const uint16_t bytes[RN_ENCODING_COUNT] = {
		[RN_ENCODING_INT] = 8,
		[RN_ENCODING_TIME] = 8,
		[RN_ENCODING_COMM] = 16,
		[RN_ENCODING_SYSCALL_NR] = 8,
		[RN_ENCODING_FILE] = 16,
		[RN_ENCODING_IP] = 24,
		[RN_ENCODING_TAGS] = 8,
		[RN_ENCODING_TAGSET] = sizeof(struct rn_bpf_tags),
		[RN_ENCODING_HITS] = sizeof(struct rn_bpf_hits),
		[RN_ENCODING_AROUND] = sizeof(struct rn_bpf_around),
		[RN_ENCODING_USER] = 8,
		[RN_ENCODING_CGROUP] = 8,
		[RN_ENCODING_CONTAINER] = 8,
		[RN_ENCODING_TEXT] = sizeof(struct rn_bpf_str),
		[RN_ENCODING_STACK] = 8,
		[RN_ENCODING_USTACK] = 16,
		[RN_ENCODING_ENUM] = 8,
		[RN_ENCODING_NUMBERED] = 8,
		[RN_ENCODING_FUNC] = 8,
		[RN_ENCODING_TRACEPOINT_INDEX] = 8,
		[RN_ENCODING_SKETCH] = sizeof(struct rn_bpf_sketch),
		[RN_ENCODING_DATA] = sizeof(struct rn_bpf_data),
		[RN_ENCODING_CMDLINE] = sizeof(struct rn_bpf_data)};

	return bytes[enc];
}

const struct rn_tp *rn_gen_record(const struct rn_gen *gen)
{
	if (!gen->tp || !gen->tp->nmatch)
		return gen->tp;
	return gen->tp_match < 0 ? NULL : gen->tp->match[gen->tp_match].tp;
}

const struct rn_tp_field *rn_gen_tp_field(const struct rn_gen *gen, const struct rn_field *field)
{
	const struct rn_tp *record = rn_gen_record(gen);

	return record && field->id >= RN_F_TP ? rn_tp_own_field(record, field->name) : NULL;
}

bool rn_field_enc(const struct rn_field *field, bool is_tp, enum rn_encoding *enc)
{
	if (rn_is_text(field->id)) {
		*enc = RN_ENCODING_TEXT;
		return true;
	}
	if (field->id == RN_F_NONE) {
		*enc = field->ty.type == RN_T_STR  ? RN_ENCODING_TEXT
		       : field->ty.type == RN_T_IP ? RN_ENCODING_IP
						   : RN_ENCODING_INT;
		return field->ty.type == RN_T_STR || field->ty.type == RN_T_IP ||
		       field->ty.type == RN_T_INT || field->ty.type == RN_T_BOOL;
	}
	if (field->id >= RN_F_TP || field->id == RN_F_MEMBER) {
		*enc = field->numbering             ? RN_ENCODING_NUMBERED
		       : field->ty.type == RN_T_STR ? RN_ENCODING_TEXT
						    : RN_ENCODING_INT;
		return is_tp || field->id == RN_F_MEMBER;
	}
	for (unsigned i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		if (fields[i].id == field->id) {
			*enc = (enum rn_encoding)fields[i].enc;
			return true;
		}
	return false;
}

void rn_gen_arg(struct rn_gen *gen, int arg, int dst)
{
	/* system calls have the fourth where functions have a return address */
	const enum rn_btf_member fourth =
		gen->cls->id == RN_CLS_USER || gen->cls->id == RN_CLS_KERNEL ? RN_BM_REGS_CX
									     : RN_BM_REGS_R10;
	const enum rn_btf_member regs[] = {RN_BM_REGS_DI, RN_BM_REGS_SI, RN_BM_REGS_DX,
					   fourth,        RN_BM_REGS_R8, RN_BM_REGS_R9};

	if (gen->hook == RN_HOOK_KERNEL_TRACED || gen->hook == RN_HOOK_TRACED_NOTE)
		rn_emit_ldx(gen->emit, BPF_DW, dst, BPF_REG_6, 8 * arg, NULL);
	else if (gen->is_op)
		rn_emit_ldx(gen->emit, BPF_DW, dst, BPF_REG_6,
			    (int)offsetof(struct rn_bpf_call, arg) + 8 * arg, NULL);
	else
		rn_gen_member(gen, BPF_DW, dst, BPF_REG_6, regs[arg]);
}

void rn_gen_nr(struct rn_gen *gen, int dst)
{
	if (gen->is_op)
		rn_emit_ldx(gen->emit, BPF_DW, dst, BPF_REG_6, offsetof(struct rn_bpf_call, nr),
			    NULL);
	else
		rn_gen_member(gen, BPF_DW, dst, BPF_REG_6, RN_BM_REGS_ORIG_AX);
}

/* A number of a tracepoint's record: the verifier allows only natural alignment. */
static void load_tp(struct rn_gen *g, const struct rn_tp_field *t, int dst)
{
	int size = t->size == 1 ? BPF_B : t->size == 2 ? BPF_H : t->size == 4 ? BPF_W : BPF_DW;
	int shift = 64 - 8 * (int)t->size;

	rn_gen_of_record(g, t->field.name);
	if ((t->size & (t->size - 1)) || t->size > 8 || !t->size || t->offset % t->size) {
		rn_gen_fail(g, "the field `%s` is not a number that the kernel part can load",
			    t->field.name);
		return;
	}
	rn_emit_ldx(g->emit, size, dst, BPF_REG_6, t->offset,
		    rn_arena_printf(g->arena, "%s.%s", rn_gen_record(g)->name, t->field.name));
	if (t->is_signed && shift) {
		rn_emit_alui(g->emit, BPF_LSH, dst, shift);
		rn_emit_alui(g->emit, BPF_ARSH, dst, shift);
	}
}

/* A number kept from the first event. */
static void load_kept(struct rn_gen *g, const struct rn_pair_capture *k, int dst)
{
	int other = dst == BPF_REG_5 ? BPF_REG_4 : BPF_REG_5;

	rn_gen_kept(g, k, dst);
	rn_emit_ldx(g->emit, BPF_DW, dst, dst, 0, NULL);
	if (k->enc != RN_ENCODING_TIME)
		return;
	rn_emit_movi_sym(g->emit, other, g->opts->clock_ns, "epoch_minus_monotonic");
	rn_emit_alu(g->emit, BPF_ADD, dst, other);
}

static bool load_by_table(struct rn_gen *g, const struct rn_field *field, int dst)
{
	for (unsigned i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		if (fields[i].id == field->id && fields[i].load) {
			fields[i].load(g, field, dst);
			return true;
		}
	return false;
}

/* The field of a live set has the number of the field that it asks of: pid or ppid. */
static bool load_member(struct rn_gen *g, const struct rn_field *field, int dst)
{
	for (unsigned i = 0; i < g->fragment->nlive; i++)
		if (g->fragment->live[i]->field == field) {
			load_by_table(g, field, BPF_REG_1);
			rn_gen_is_member(g, i, BPF_REG_1, dst);
			return true;
		}
	return false;
}

void rn_gen_load(struct rn_gen *gen, const struct rn_field *field, int dst)
{
	const struct rn_tp_field *t;
	struct rn_pair_capture *kept;

	if (load_member(gen, field, dst))
		return;

	field = rn_gen_resolve_pair_field(gen, field, &kept);
	if (kept) {
		load_kept(gen, kept, dst);
		return;
	}
	if (field->id == RN_F_MEMBER) {
		rn_emit_ldx(gen->emit, BPF_DW, dst, BPF_REG_10,
			    rn_gen_walk(gen, rn_gen_member_field(gen, field)), NULL);
		return;
	}
	t = rn_gen_tp_field(gen, field);
	if (t) {
		load_tp(gen, t, dst);
		return;
	}
	if (load_by_table(gen, field, dst))
		return;
	rn_gen_fail(gen, "the field `%s` has no value in the kernel", field->name);
}
