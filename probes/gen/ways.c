/* ways.c - a search for tags also watches, at tracepoints of the kernel, ways that it does not
 * search, and counts them as uncovered:
 *
 *   Loop devices and nbd: a process reads from one, or writes to one past the page cache. The
 *   kernel then reads from or writes to another file, or a socket, in a thread of its own. The
 *   process's request reveals it. Write-back of pages is left out.
 *   Threads of nfsd: they read and write files for other machines.
 *   Overlayfs: a call that changes a file of a lower layer copies it first. An inode changes
 *   while the task has the credentials of the user who mounted. When the call returns, that
 *   inode is a file with bytes (probes/bpf/unsearched.bpf.h).
 *
 * As in unsearched.c, `where` leaves them out by its conditions on the process. */
#include <asm/unistd.h>
#include <linux/bpf.h>
#include "probes/gen/gen_impl.h"

/* From the kernel's ABI, or the same in all versions. */
enum { LOOP_MAJOR = 7, NBD_MAJOR = 43, PF_KTHREAD = 0x00200000 };
enum { REQ_OP_MASK = 255, REQ_READ = 0, REQ_WRITE = 1, REQ_META = 1 << 12, REQ_IDLE = 1 << 15 };

/* Calls by path that may have a file copied up, and calls by descriptor that work on one not opened
 * for writing. */
static const uint16_t copying[] = {
	__NR_open,           __NR_creat,           __NR_openat,
	__NR_truncate,       __NR_chmod,           __NR_fchmod,
	__NR_fchmodat,       __NR_chown,           __NR_lchown,
	__NR_fchown,         __NR_fchownat,        __NR_utime,
	__NR_utimes,         __NR_futimesat,       __NR_utimensat,
	__NR_link,           __NR_linkat,          __NR_rename,
	__NR_renameat,       __NR_renameat2,       __NR_setxattr,
	__NR_lsetxattr,      __NR_fsetxattr,       __NR_removexattr,
	__NR_lremovexattr,   __NR_fremovexattr,    437 /* openat2 */,
	452 /* fchmodat2 */, 463 /* setxattrat */, 466 /* removexattrat */,
};
enum { NCOPYING = sizeof(copying) / sizeof(*copying) };

unsigned rn_gen_copying(const uint16_t **nr)
{
	*nr = copying;
	return NCOPYING;
}

/* r1 = address of what the query's programs share. */
static void globals(struct rn_gen *g)
{
	rn_emit_map_value(g->emit, BPF_REG_1, RN_MAP_GLOBALS, 0);
	g->out->map[RN_MAP_GLOBALS].used = true;
}

void rn_gen_leave_out_copying(struct rn_gen *gen)
{
	int on = rn_emit_label(gen->emit);

	globals(gen);
	rn_emit_ldx(gen->emit, BPF_DW, BPF_REG_1, BPF_REG_1, offsetof(struct rn_globals, copied),
		    NULL);
	rn_emit_jmpi(gen->emit, BPF_JNE, BPF_REG_1, 0, on);
	rn_gen_nr_test(gen, copying, NCOPYING, true, gen->out_label);
	rn_emit_bind(gen->emit, on);
}

static void count(struct rn_gen *g, enum rn_once what)
{
	rn_emit_movi(g->emit, BPF_REG_1, what);
	rn_gen_intrinsic(g, RN_I_USED);
}

void rn_gen_bio(struct rn_gen *gen)
{
	struct rn_emit *emit = gen->emit;
	int on = rn_emit_label(emit), read = rn_emit_label(emit), nbd = rn_emit_label(emit);

	rn_emit_note(emit, "r7 = the request of a loop device or of nbd, r6 = which");
	rn_emit_ldx(emit, BPF_DW, BPF_REG_7, BPF_REG_1, 0, NULL);
	rn_gen_member(gen, BPF_DW, BPF_REG_1, BPF_REG_7, RN_BM_BIO_BDEV);
	rn_gen_member(gen, BPF_DW, BPF_REG_1, BPF_REG_1, RN_BM_BDEV_DISK);
	rn_gen_member(gen, BPF_W, BPF_REG_6, BPF_REG_1, RN_BM_DISK_MAJOR);
	rn_emit_jmpi(emit, BPF_JEQ, BPF_REG_6, LOOP_MAJOR, on);
	rn_emit_jmpi(emit, BPF_JNE, BPF_REG_6, NBD_MAJOR, gen->out_label);
	rn_emit_bind(emit, on);
	rn_gen_member(gen, BPF_W, BPF_REG_2, BPF_REG_1, RN_BM_DISK_MINOR);
	rn_emit_alui(emit, BPF_LSH, BPF_REG_6, 20);
	rn_emit_alu(emit, BPF_OR, BPF_REG_6, BPF_REG_2);
	rn_emit_note(emit, "a read, or a write that is not from the page cache");
	rn_gen_member(gen, BPF_W, BPF_REG_1, BPF_REG_7, RN_BM_BIO_OPF);
	rn_emit_mov(emit, BPF_REG_2, BPF_REG_1);
	rn_emit_alui(emit, BPF_AND, BPF_REG_2, REQ_OP_MASK);
	rn_emit_jmpi(emit, BPF_JEQ, BPF_REG_2, REQ_READ, read);
	rn_emit_jmpi(emit, BPF_JNE, BPF_REG_2, REQ_WRITE, gen->out_label);
	rn_emit_alui(emit, BPF_AND, BPF_REG_1, REQ_IDLE | REQ_META);
	rn_emit_jmpi(emit, BPF_JNE, BPF_REG_1, REQ_IDLE, gen->out_label);
	rn_emit_bind(emit, read);
	rn_gen_scope(gen);
	rn_emit_note(emit, "by a process");
	rn_gen_member(gen, BPF_W, BPF_REG_1, BPF_REG_8, RN_BM_TASK_FLAGS);
	rn_emit_jmpi(emit, BPF_JSET, BPF_REG_1, PF_KTHREAD, gen->out_label);
	rn_gen_where_process(gen);
	rn_emit_mov(emit, BPF_REG_2, BPF_REG_6);
	rn_emit_mov(emit, BPF_REG_1, BPF_REG_6);
	rn_emit_alui(emit, BPF_RSH, BPF_REG_1, 20);
	rn_emit_jmpi(emit, BPF_JEQ, BPF_REG_1, NBD_MAJOR, nbd);
	count(gen, RN_ONCE_LOOP);
	rn_emit_ja(emit, gen->out_label);
	rn_emit_bind(emit, nbd);
	rn_emit_mov(emit, BPF_REG_2, BPF_REG_6);
	count(gen, RN_ONCE_NBD);
}

void rn_gen_served(struct rn_gen *gen)
{
	rn_emit_note(gen->emit, "a thread that serves files to other machines");
	rn_gen_scope(gen);
	rn_gen_where_process(gen);
	rn_gen_member(gen, BPF_W, BPF_REG_2, BPF_REG_8, RN_BM_TASK_PID);
	count(gen, RN_ONCE_NFSD);
}

void rn_gen_inode(struct rn_gen *gen)
{
	struct rn_emit *emit = gen->emit;
	int call = rn_gen_stack(gen, sizeof(struct rn_bpf_call));

	rn_emit_note(emit, "r7 = an inode that changes while credentials are not the task's own");
	rn_emit_ldx(emit, BPF_DW, BPF_REG_7, BPF_REG_1, 0, NULL);
	rn_gen_current(gen);
	rn_gen_member(gen, BPF_DW, BPF_REG_1, BPF_REG_8, RN_BM_TASK_CRED);
	rn_gen_member(gen, BPF_DW, BPF_REG_2, BPF_REG_8, RN_BM_TASK_REAL_CRED);
	rn_emit_jmp(emit, BPF_JEQ, BPF_REG_1, BPF_REG_2, gen->out_label);
	rn_gen_scope(gen);
	rn_gen_where_process(gen);
	for (int i = 0; i < (int)sizeof(struct rn_bpf_call); i += 8)
		rn_emit_sti(emit, BPF_DW, BPF_REG_10, call + i, 0);
	rn_emit_stx(emit, BPF_DW, BPF_REG_10, call + (int)offsetof(struct rn_bpf_call, arg),
		    BPF_REG_7);
	rn_emit_mov(emit, BPF_REG_1, BPF_REG_10);
	rn_emit_alui(emit, BPF_ADD, BPF_REG_1, call);
	rn_gen_intrinsic(gen, RN_I_COPYING);
	rn_emit_jmpi(emit, BPF_JEQ, BPF_REG_0, 0, gen->out_label);
	globals(gen);
	rn_emit_sti(emit, BPF_DW, BPF_REG_1, offsetof(struct rn_globals, copied), 1);
}

/* Does the kernel have the hook, and what its program reads? */
static bool can(const struct rn_gen *g, unsigned hook)
{
	static const enum rn_btf_member of_bio[] = {RN_BM_BIO_BDEV, RN_BM_BIO_OPF, RN_BM_BDEV_DISK,
						    RN_BM_DISK_MAJOR, RN_BM_DISK_MINOR};
	const struct rn_hook_row *h = rn_hook_row(hook);
	bool all = h->at == RN_AT_MODULE ? g->opts->nfsd : g->opts->btf->trace[hook] != 0;

	if (h->begin == rn_gen_bio)
		for (unsigned i = 0; i < sizeof(of_bio) / sizeof(*of_bio); i++)
			all &= g->opts->btf->off[of_bio[i]] >= 0;
	return all;
}

void rn_gen_ways(struct rn_gen *gen)
{
	const struct rn_hook_row *h;

	for (unsigned i = 0; gen->fragment->cls->id == RN_CLS_TAG && (h = rn_hook_row(i)); i++) {
		if (!h->way || !can(gen, i))
			continue;
		rn_gen_begin(gen, i, "rn_way");
		h->begin(gen);
		rn_gen_end(gen);
	}
}
