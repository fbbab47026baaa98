/* hooks.c - see hooks.h. The arguments of a typed tracepoint are 8 bytes each, from r1 on, in the
 * order of its prototype. */
#include <asm/unistd.h>
#include "probes/gen/hooks.h"
#include "probes/gen/gen_impl.h"

static void sys_exit(struct rn_gen *g)
{
	rn_emit_note(g->emit, "r6 = registers of the call, r7 = its return value");
	rn_emit_ldx(g->emit, BPF_DW, BPF_REG_7, BPF_REG_1, 8, NULL);
	if (!rn_gen_hands_over(g)) {
		rn_emit_ldx(g->emit, BPF_DW, BPF_REG_6, BPF_REG_1, 0, NULL);
		return;
	}
	rn_emit_ldx(g->emit, BPF_DW, BPF_REG_1, BPF_REG_1, 0, NULL);
	rn_gen_cast(g, g->opts->regs_type, "struct pt_regs");
	rn_emit_mov(g->emit, BPF_REG_6, BPF_REG_0);
}

static void sys_enter(struct rn_gen *g)
{
	rn_emit_note(g->emit, "r6 = registers of the call");
	rn_emit_ldx(g->emit, BPF_DW, BPF_REG_6, BPF_REG_1, 0, NULL);
}

static void tracepoint(struct rn_gen *g)
{
	rn_emit_note(g->emit, "r6 = the tracepoint's record");
	rn_emit_mov(g->emit, BPF_REG_6, BPF_REG_1);
	rn_emit_note(g->emit, "out once the query is over");
	rn_emit_map_value(g->emit, BPF_REG_1, RN_MAP_GLOBALS, 0);
	rn_emit_ldx(g->emit, BPF_DW, BPF_REG_1, BPF_REG_1, offsetof(struct rn_globals, over), NULL);
	rn_emit_jmpi(g->emit, BPF_JNE, BPF_REG_1, 0, g->out_label);
	g->out->map[RN_MAP_GLOBALS].used = true;
}

static void clock_ticks(struct rn_gen *g)
{
	rn_emit_note(g->emit, "r6 = registers of what the CPU was at");
	rn_emit_mov(g->emit, BPF_REG_6, BPF_REG_1);
}

/* r7 = process id of the task in r6; leaves if the task is not the process's leader. */
static void leader(struct rn_gen *g)
{
	rn_gen_member(g, BPF_W, BPF_REG_7, BPF_REG_6, RN_BM_TASK_PID);
	rn_gen_member(g, BPF_W, BPF_REG_2, BPF_REG_6, RN_BM_TASK_TGID);
	rn_emit_jmp(g->emit, BPF_JNE, BPF_REG_7, BPF_REG_2, g->out_label);
}

static void process_fork(struct rn_gen *g)
{
	rn_emit_note(g->emit, "r6 = the new task, r7 = its process id; new threads do not count");
	rn_emit_ldx(g->emit, BPF_DW, BPF_REG_6, BPF_REG_1, 8, NULL);
	leader(g);
}

/* A process ends with its last thread, and since 6.16 the kernel says which that is. Before, the
 * leader's end counts, unless another thread begins a new program and the leader makes room for
 * it. */
static void process_exit(struct rn_gen *gen)
{
	rn_emit_note(gen->emit,
		     "r6 = the leader of the process that ends, r7 = its exit code; threads "
		     "do not count");
	rn_emit_ldx(gen->emit, BPF_DW, BPF_REG_6, BPF_REG_1, 0, NULL);
	if (gen->opts->btf->nargs[gen->hook] >= 2) {
		rn_emit_ldx(gen->emit, BPF_B, BPF_REG_2, BPF_REG_1, 8, NULL);
		rn_emit_jmpi(gen->emit, BPF_JEQ, BPF_REG_2, 0, gen->out_label);
		rn_gen_member(gen, BPF_DW, BPF_REG_6, BPF_REG_6, RN_BM_TASK_LEADER);
	} else {
		leader(gen);
		if (gen->opts->btf->off[RN_BM_SIGNAL_EXEC] >= 0) {
			rn_gen_member(gen, BPF_DW, BPF_REG_2, BPF_REG_6, RN_BM_TASK_SIGNAL);
			rn_gen_member(gen, BPF_DW, BPF_REG_2, BPF_REG_2, RN_BM_SIGNAL_EXEC);
			rn_emit_jmpi(gen->emit, BPF_JNE, BPF_REG_2, 0, gen->out_label);
		}
	}
	rn_gen_exit_status(gen, BPF_REG_7);
	rn_emit_alui(gen->emit, BPF_RSH, BPF_REG_7, 8);
	rn_emit_alui(gen->emit, BPF_AND, BPF_REG_7, 0xff);
}

/* In a program that others hand events to. */
static void taken_over(struct rn_gen *g)
{
	rn_emit_note(g->emit, "r6 = the call or the operation");
	if (rn_gen_joined(g)) {
		rn_gen_array(g, RN_MAP_SEARCHED, 0, g->out_label);
		rn_emit_mov(g->emit, BPF_REG_6, BPF_REG_0);
	} else {
		rn_gen_scratch(g, BPF_REG_6);
	}
	rn_emit_alui(g->emit, BPF_ADD, BPF_REG_6, RN_SCRATCH_CALL);
	rn_gen_current(g);
}

/* Copy the tracepoint's arguments to the record of the operation; the intrinsic replaces them by
 * their meaning. Pointers pass through memory, since a function verified alone takes no pointers of
 * its caller. */
static void operation(struct rn_gen *gen)
{
	const struct rn_hook_row *hook = rn_hook_row(gen->hook);
	int has = gen->opts->btf->nargs[gen->hook],
	    n = has < hook->nargs && has ? has : hook->nargs;

	rn_emit_note(gen->emit, "r6 = the operation, r7 = its result");
	rn_emit_mov(gen->emit, BPF_REG_7, BPF_REG_1);
	rn_gen_scope(gen);
	rn_gen_scratch(gen, BPF_REG_6);
	rn_emit_alui(gen->emit, BPF_ADD, BPF_REG_6, RN_SCRATCH_CALL);
	for (int i = 0; i < n; i++) {
		rn_emit_ldx(gen->emit, BPF_DW, BPF_REG_1, BPF_REG_7, 8 * i, NULL);
		rn_emit_stx(gen->emit, BPF_DW, BPF_REG_6,
			    (int)offsetof(struct rn_bpf_call, arg) + 8 * i, BPF_REG_1);
	}
	rn_emit_sti(gen->emit, BPF_DW, BPF_REG_6, (int)offsetof(struct rn_bpf_call, arg) + 8 * 5,
		    n);
	if (hook->max_ops_per_hit && !rn_gen_hands_over(gen))
		rn_gen_rounds(gen, hook->max_ops_per_hit);
	rn_emit_mov(gen->emit, BPF_REG_1, BPF_REG_6);
	rn_gen_intrinsic(gen, (enum rn_intrinsic)hook->intrinsic);
	rn_emit_jmpi(gen->emit, BPF_JEQ, BPF_REG_0, 0,
		     gen->max_ops_per_hit ? gen->end_label : gen->out_label);
	rn_emit_ldx(gen->emit, BPF_DW, BPF_REG_7, BPF_REG_6, offsetof(struct rn_bpf_call, ret),
		    NULL);
}

/* Pass a splice's output to the function that searches it, before it leaves the pipe: n bytes (a
 * register; if there is none, at most what the call asks for). r6 = registers of the call. */
static void look_into_pipe(struct rn_gen *gen, int n)
{
	rn_emit_note(gen->emit, "r8 = the call for functions that look at its payload");
	rn_gen_scratch(gen, BPF_REG_8);
	rn_emit_alui(gen->emit, BPF_ADD, BPF_REG_8, RN_SCRATCH_CALL);
	rn_gen_member(gen, BPF_DW, BPF_REG_1, BPF_REG_6, RN_BM_REGS_DI);
	rn_emit_stx(gen->emit, BPF_DW, BPF_REG_8, offsetof(struct rn_bpf_call, arg), BPF_REG_1);
	if (n < 0)
		rn_gen_member(gen, BPF_DW, BPF_REG_1, BPF_REG_6, RN_BM_REGS_R8);
	rn_emit_stx(gen->emit, BPF_DW, BPF_REG_8, offsetof(struct rn_bpf_call, arg[1]),
		    n < 0 ? BPF_REG_1 : n);
	rn_emit_sti(gen->emit, BPF_DW, BPF_REG_8, offsetof(struct rn_bpf_call, arg[2]),
		    n >= 0                  ? 0
		    : gen->attach_on_demand ? 2
					    : 1);
	rn_gen_member(gen, BPF_DW, BPF_REG_1, BPF_REG_6, RN_BM_REGS_DX);
	rn_emit_stx(gen->emit, BPF_DW, BPF_REG_8, offsetof(struct rn_bpf_call, arg[3]), BPF_REG_1);
	rn_emit_mov(gen->emit, BPF_REG_1, BPF_REG_8);
	rn_gen_intrinsic(gen, RN_I_PIPE_EARLY);
}

/* A send that is part of a splice: its length is known, and the pipe still holds the data. */
static void splice_sends(struct rn_gen *g)
{
	rn_emit_note(g->emit, "r7 = bytes sent, within splice");
	rn_emit_ldx(g->emit, BPF_DW, BPF_REG_7, BPF_REG_1, 8, NULL);
	rn_gen_scope(g);
	rn_emit_mov(g->emit, BPF_REG_1, BPF_REG_8);
	rn_emit_call(g->emit, BPF_FUNC_task_pt_regs);
	rn_emit_mov(g->emit, BPF_REG_6, BPF_REG_0);
	rn_gen_member(g, BPF_DW, BPF_REG_1, BPF_REG_6, RN_BM_REGS_ORIG_AX);
	rn_emit_jmpi(g->emit, BPF_JNE, BPF_REG_1, __NR_splice, g->out_label);
	look_into_pipe(g, BPF_REG_7);
}

/* Without that tracepoint, or into a device: the pipe's content when the call begins. */
static void splice_begins(struct rn_gen *g)
{
	rn_emit_note(g->emit, "r6 = registers of the call, of splice");
	rn_emit_ldx(g->emit, BPF_DW, BPF_REG_6, BPF_REG_1, 0, NULL);
	rn_emit_ldx(g->emit, BPF_DW, BPF_REG_7, BPF_REG_1, 8, NULL);
	rn_emit_jmpi(g->emit, BPF_JNE, BPF_REG_7, __NR_splice, g->out_label);
	rn_gen_scope(g);
	look_into_pipe(g, -1);
}

/* r6 = r1, the context; leaves if the task is out of scope, so that none of its calls counts as
 * lost. Runs before anything that the end of the program has to give back. */
void rn_gen_library_scope(struct rn_gen *gen)
{
	int end = gen->out_label, on;

	rn_emit_mov(gen->emit, BPF_REG_6, BPF_REG_1);
	if (!rn_gen_scope_any(gen) || gen->part)
		return;
	on = rn_emit_label(gen->emit);
	gen->out_label = rn_emit_label(gen->emit);
	rn_gen_scope(gen);
	rn_emit_mov(gen->emit, BPF_REG_1, BPF_REG_6);
	rn_emit_ja(gen->emit, on);
	rn_emit_bind(gen->emit, gen->out_label);
	rn_emit_movi(gen->emit, BPF_REG_0, 0);
	rn_emit_exit(gen->emit);
	rn_emit_bind(gen->emit, on);
	gen->out_label = end;
}

/* Entry of a function of a TLS library: r1 = registers of the program. The whole program. */
static void tls_enter(struct rn_gen *gen)
{
	static const enum rn_btf_member from[] = {RN_BM_REGS_DI, RN_BM_REGS_SI, RN_BM_REGS_DX,
						  RN_BM_REGS_CX, RN_BM_REGS_SP};
	int call = rn_gen_stack(gen, sizeof(struct rn_bpf_call));

	rn_gen_library_scope(gen);
	rn_emit_note(gen->emit, "the function and where its frame begins, its arguments, and when");
	rn_emit_call(gen->emit, BPF_FUNC_get_attach_cookie);
	rn_emit_stx(gen->emit, BPF_DW, BPF_REG_10, call + (int)offsetof(struct rn_bpf_call, nr),
		    BPF_REG_0);
	rn_emit_sti(gen->emit, BPF_DW, BPF_REG_10, call + (int)offsetof(struct rn_bpf_call, ret),
		    0);
	for (int i = 0; i < 5; i++) {
		rn_gen_member(gen, BPF_DW, BPF_REG_1, BPF_REG_6, from[i]);
		rn_emit_stx(gen->emit, BPF_DW, BPF_REG_10,
			    call + (int)offsetof(struct rn_bpf_call, arg) + 8 * i, BPF_REG_1);
	}
	rn_emit_sti(gen->emit, BPF_DW, BPF_REG_10,
		    call + (int)offsetof(struct rn_bpf_call, arg) + 40, 0);
	rn_emit_call(gen->emit, BPF_FUNC_ktime_get_ns);
	rn_emit_stx(gen->emit, BPF_DW, BPF_REG_10,
		    call + (int)offsetof(struct rn_bpf_call, begin_ns), BPF_REG_0);
	rn_emit_mov(gen->emit, BPF_REG_1, BPF_REG_10);
	rn_emit_alui(gen->emit, BPF_ADD, BPF_REG_1, call);
	rn_gen_intrinsic(gen, RN_I_TLS_ENTER);
}

/* At its return: r1 as above. */
static void tls_return(struct rn_gen *gen)
{
	rn_gen_library_scope(gen);
	rn_emit_note(gen->emit, "r6 = the operation, r7 = its result");
	rn_gen_take_cpu(gen);
	rn_gen_scratch(gen, BPF_REG_7);
	rn_emit_mov(gen->emit, BPF_REG_1, BPF_REG_6);
	rn_emit_call(gen->emit, BPF_FUNC_get_attach_cookie);
	rn_gen_member(gen, BPF_DW, BPF_REG_1, BPF_REG_6, RN_BM_REGS_AX);
	rn_gen_member(gen, BPF_DW, BPF_REG_2, BPF_REG_6, RN_BM_REGS_SP);
	rn_emit_mov(gen->emit, BPF_REG_6, BPF_REG_7);
	rn_emit_alui(gen->emit, BPF_ADD, BPF_REG_6, RN_SCRATCH_CALL);
	rn_emit_stx(gen->emit, BPF_DW, BPF_REG_6, offsetof(struct rn_bpf_call, nr), BPF_REG_0);
	rn_emit_stx(gen->emit, BPF_DW, BPF_REG_6, offsetof(struct rn_bpf_call, ret), BPF_REG_1);
	rn_emit_stx(gen->emit, BPF_DW, BPF_REG_6, offsetof(struct rn_bpf_call, arg[4]), BPF_REG_2);
	rn_emit_mov(gen->emit, BPF_REG_1, BPF_REG_6);
	rn_gen_intrinsic(gen, RN_I_TLS_RETURN);
	rn_emit_jmpi(gen->emit, BPF_JEQ, BPF_REG_0, 0, gen->out_label);
	rn_emit_ldx(gen->emit, BPF_DW, BPF_REG_7, BPF_REG_6, offsetof(struct rn_bpf_call, ret),
		    NULL);
}

static const struct rn_hook_row rows[] = {
	/* also for every other class of system calls */
	[RN_HOOK_SYS_EXIT] = {"sys_exit", RN_CLS_SYSCALL, sys_exit},
	[RN_HOOK_SYS_ENTER] = {"sys_enter", RN_CLS_NONE, sys_enter},
	[RN_HOOK_SCOPE_FORK] = {"sched_process_fork", RN_CLS_NONE, rn_gen_scope_fork},
	[RN_HOOK_SCOPE_FREE] = {"sched_process_free", RN_CLS_NONE, rn_gen_scope_free},
	[RN_HOOK_TP] = {NULL, RN_CLS_TRACEPOINT, tracepoint},
	[RN_HOOK_TAKER] = {.cls = RN_CLS_NONE, .begin = taken_over, .at = RN_AT_NONE},
	[RN_HOOK_CALL_RETURN] = {.cls = RN_CLS_NONE, .begin = sys_exit, .at = RN_AT_RETURN},
	[RN_HOOK_CALL_ENTRY] = {.cls = RN_CLS_NONE, .begin = sys_enter, .at = RN_AT_ENTRY},
	[RN_HOOK_CALL_REFUSED] = {.cls = RN_CLS_NONE, .begin = rn_gen_refused, .at = RN_AT_RETURN},
	[RN_HOOK_CALL_EMULATED] = {.cls = RN_CLS_NONE,
				   .begin = rn_gen_emulated,
				   .at = RN_AT_RETURN},
	[RN_HOOK_CALL_COMPAT] = {.cls = RN_CLS_NONE, .begin = sys_enter, .at = RN_AT_RETURN},
	[RN_HOOK_CALLERS] = {"task", RN_CLS_NONE, rn_gen_caller, .auxiliary = true,
			     .at = RN_AT_ITERATOR},
	[RN_HOOK_USER_ENTRY] = {.cls = RN_CLS_USER,
				.begin = rn_gen_user_enter,
				.at = RN_AT_USER_ENTRY},
	[RN_HOOK_USER_RETURN] = {.cls = RN_CLS_NONE,
				 .begin = rn_gen_user_return,
				 .at = RN_AT_USER_RETURN},
	[RN_HOOK_USER_NOTE] = {.cls = RN_CLS_NONE,
			       .begin = rn_gen_user_note,
			       .auxiliary = true,
			       .at = RN_AT_USER_ENTRY},
	[RN_HOOK_KERNEL_ENTRY] = {.cls = RN_CLS_KERNEL,
				  .begin = rn_gen_kernel_enter,
				  .at = RN_AT_KERNEL_ENTRY},
	[RN_HOOK_KERNEL_RETURN] = {.cls = RN_CLS_NONE,
				   .begin = rn_gen_kernel_return,
				   .at = RN_AT_KERNEL_RETURN},
	[RN_HOOK_KERNEL_NOTE] = {.cls = RN_CLS_NONE,
				 .begin = rn_gen_kernel_note,
				 .auxiliary = true,
				 .at = RN_AT_KERNEL_ENTRY},
	[RN_HOOK_KERNEL_SESSION] = {.cls = RN_CLS_NONE,
				    .begin = rn_gen_kernel_session,
				    .at = RN_AT_KERNEL_SESSION},
	[RN_HOOK_KERNEL_TRACED] = {.cls = RN_CLS_NONE,
				   .begin = rn_gen_traced_enter,
				   .at = RN_AT_ENTRY},
	[RN_HOOK_TRACED_RETURN] = {.cls = RN_CLS_NONE,
				   .begin = rn_gen_traced_return,
				   .at = RN_AT_RETURN},
	[RN_HOOK_TRACED_NOTE] = {.cls = RN_CLS_NONE,
				 .begin = rn_gen_traced_note,
				 .auxiliary = true,
				 .at = RN_AT_ENTRY},
	[RN_HOOK_OTHERS] = {"sched_process_fork", RN_CLS_FORK, process_fork},
	{.cls = RN_CLS_USDT, .begin = rn_gen_user_enter, .at = RN_AT_USER_ENTRY},
	{"sched_process_exit", RN_CLS_EXIT, process_exit},
	{.cls = RN_CLS_SAMPLE, .begin = clock_ticks, .at = RN_AT_CLOCK},
	{.trace = "sock_send_length",
	 .cls = RN_CLS_NONE,
	 .begin = splice_sends,
	 .op = __NR_splice,
	 .nops = 1,
	 .intrinsic = RN_I_PIPE_EARLY,
	 .auxiliary = true,
	 .only_with_search = true},
	{.trace = "sys_enter",
	 .cls = RN_CLS_NONE,
	 .begin = splice_begins,
	 .op = __NR_splice,
	 .nops = 1,
	 .intrinsic = RN_I_PIPE_EARLY,
	 .auxiliary = true,
	 .only_with_search = true,
	 .attach_on_demand = true},
	{.trace = "io_uring_complete",
	 .cls = RN_CLS_NONE,
	 .begin = operation,
	 .op = RN_OP_URING_READ,
	 .nops = 4,
	 .intrinsic = RN_I_URING_DONE,
	 .nargs = 5},
	{.trace = "io_uring_submit_req",
	 .cls = RN_CLS_NONE,
	 .begin = operation,
	 .op = RN_OP_URING_READ,
	 .nops = 4,
	 .intrinsic = RN_I_URING_SUBMIT,
	 .nargs = 1,
	 .auxiliary = true},
	{.trace = "io_uring_submit_sqe",
	 .cls = RN_CLS_NONE,
	 .begin = operation,
	 .op = RN_OP_URING_READ,
	 .nops = 4,
	 .intrinsic = RN_I_URING_SUBMIT,
	 .nargs = 1,
	 .auxiliary = true}, /* its name before 6.4 */
	{.cls = RN_CLS_NONE,
	 .begin = tls_return,
	 .op = RN_OP_TLS_READ,
	 .nops = 2,
	 .intrinsic = RN_I_TLS_RETURN,
	 .at = RN_AT_TLS_RETURN},
	{.cls = RN_CLS_NONE,
	 .begin = tls_enter,
	 .op = RN_OP_TLS_READ,
	 .nops = 2,
	 .intrinsic = RN_I_TLS_ENTER,
	 .auxiliary = true,
	 .at = RN_AT_TLS_ENTRY},
	{.trace = "mm_filemap_map_pages",
	 .cls = RN_CLS_NONE,
	 .begin = operation,
	 .op = RN_OP_MMAP_READ,
	 .nops = 1,
	 .intrinsic = RN_I_OP_MAP,
	 .nargs = 3},
	{.trace = "mm_filemap_fault",
	 .cls = RN_CLS_NONE,
	 .begin = operation,
	 .op = RN_OP_MMAP_READ,
	 .nops = 1,
	 .intrinsic = RN_I_OP_FAULT,
	 .nargs = 2},
	{.trace = "mmap_lock_acquire_returned",
	 .cls = RN_CLS_NONE,
	 .begin = operation,
	 .op = RN_OP_MMAP_WRITE,
	 .nops = 1,
	 .intrinsic = RN_I_OP_LOCK,
	 .nargs = 1,
	 .max_ops_per_hit = RN_AREAS},
	{.trace = "block_bio_queue",
	 .cls = RN_CLS_NONE,
	 .begin = rn_gen_bio,
	 .auxiliary = true,
	 .way = true},
	{.trace = "writeback_dirty_inode_start",
	 .cls = RN_CLS_NONE,
	 .begin = rn_gen_inode,
	 .auxiliary = true,
	 .way = true},
	{.trace = "nfsd_read_start",
	 .cls = RN_CLS_NONE,
	 .begin = rn_gen_served,
	 .auxiliary = true,
	 .way = true,
	 .at = RN_AT_MODULE},
	{.trace = "nfsd_write_start",
	 .cls = RN_CLS_NONE,
	 .begin = rn_gen_served,
	 .auxiliary = true,
	 .way = true,
	 .at = RN_AT_MODULE},
	{.trace = "task_file",
	 .cls = RN_CLS_NONE,
	 .begin = rn_gen_open_file,
	 .auxiliary = true,
	 .at = RN_AT_ITERATOR},
};
enum { NROWS = sizeof(rows) / sizeof(*rows) };
_Static_assert((int)NROWS <= (int)RN_HOOK_MAX, "struct rn_btf has no room for more hooks");

bool rn_hook_in_library(const struct rn_hook_row *hook)
{
	return hook->at == RN_AT_TLS_RETURN || hook->at == RN_AT_TLS_ENTRY ||
	       hook->at == RN_AT_USER_ENTRY || hook->at == RN_AT_USER_RETURN;
}

bool rn_hook_in_kernel(const struct rn_hook_row *hook)
{
	return hook->at == RN_AT_KERNEL_ENTRY || hook->at == RN_AT_KERNEL_RETURN ||
	       hook->at == RN_AT_KERNEL_SESSION;
}

bool rn_hook_ends_call(unsigned hook)
{
	return hook == RN_HOOK_USER_RETURN || hook == RN_HOOK_KERNEL_RETURN ||
	       hook == RN_HOOK_KERNEL_SESSION || hook == RN_HOOK_TRACED_RETURN;
}

bool rn_hook_is_op(const struct rn_hook_row *hook)
{
	return hook->nops;
}

const struct rn_hook_row *rn_hook_row(unsigned hook)
{
	return hook < NROWS ? &rows[hook] : NULL;
}

unsigned rn_hook_traces(struct rn_btf_trace want[RN_HOOK_MAX])
{
	for (unsigned h = 0; h < NROWS; h++)
		want[h] = (struct rn_btf_trace){rows[h].trace, rows[h].at == RN_AT_ITERATOR};
	return NROWS;
}

int rn_hook_of(const struct rn_class *cls)
{
	if (rn_class_is_syscall(cls))
		return RN_HOOK_SYS_EXIT;
	for (unsigned i = 0; i < NROWS; i++)
		if (rows[i].cls == cls->id && cls->id != RN_CLS_NONE)
			return (int)i;
	return -1;
}

/* ---- globs of tracepoints: which tracepoint an event is of ----
 *
 * Each tracepoint has a program, which knows its name when it is made, and the places of the fields
 * in its record. The exception is syscalls:sys_enter_* and syscalls:sys_exit_*, those of single
 * system calls. The kernel takes long to detach each of them, and their events also pass two places
 * where a program attaches at no such cost. So one program handles all entries and one all returns,
 * by the number of the call. There is no record there: if a field of it is wanted, they have a
 * program each, too. */

static bool is_of_record(const struct rn_tp *tp, const struct rn_field *field)
{
	return field->id >= RN_F_TP ||
	       (tp->ends.known && (field->id == RN_F_LOCAL || field->id == RN_F_PEER));
}

static bool reads_record(const struct rn_tp *tp, const struct rn_expr *e)
{
	bool reads = e && e->kind == RN_E_FIELD && is_of_record(tp, e->field);

	for (unsigned i = 0; e && i < e->narg && !reads; i++)
		reads = reads_record(tp, e->arg[i]);
	return reads;
}

static bool wants_record(const struct rn_tp *tp, const struct rn_fragment *f)
{
	bool wants = false;

	for (unsigned i = 0; i < f->nwhere; i++)
		wants |= reads_record(tp, f->where[i].expr);
	for (unsigned i = 0; i < f->nfields; i++)
		wants |= is_of_record(tp, f->fields[i]);
	for (unsigned i = 0; i < f->nkeys; i++)
		wants |= reads_record(tp, f->keys[i]);
	for (unsigned i = 0; i < f->naggs; i++)
		wants |= reads_record(tp, f->aggs[i].arg) || reads_record(tp, f->aggs[i].where);
	return wants;
}

static void by_number(struct rn_gen *g, bool at_return)
{
	uint16_t *nr = RN_NEWN(g->arena, uint16_t, RN_SYS_FIRST_FREE);

	g->nnr = 0;
	for (unsigned i = 0; g->tp->by_nr && i < RN_SYS_FIRST_FREE; i++)
		if (g->tp->by_nr[at_return][i])
			nr[g->nnr++] = (uint16_t)i;
	g->nr = nr;
	g->tp_match = -1;
	if (g->nnr && !g->rc)
		rn_gen_event_program(g, at_return ? RN_HOOK_SYS_EXIT : RN_HOOK_SYS_ENTER);
	g->nnr = 0;
}

void rn_gen_tracepoints(struct rn_gen *gen)
{
	bool each = wants_record(gen->tp, gen->fragment);

	for (gen->tp_match = 0; gen->tp_match < (int)gen->tp->nmatch && !gen->rc; gen->tp_match++)
		if (each || gen->tp->match[gen->tp_match].nr < 0)
			rn_gen_event_program(gen, RN_HOOK_TP);
	if (each)
		return;
	by_number(gen, false);
	by_number(gen, true);
}

const char *rn_gen_tp_name(const struct rn_gen *gen, unsigned nr)
{
	unsigned at =
		nr < RN_SYS_FIRST_FREE ? gen->tp->by_nr[gen->hook == RN_HOOK_SYS_EXIT][nr] : 0;

	return at ? gen->tp->match[at - 1].name : NULL;
}

void rn_gen_store_tp(struct rn_gen *gen, int base, int off)
{
	if (gen->tp_match >= 0) {
		rn_emit_sti(gen->emit, BPF_DW, base, off, gen->tp_match);
		return;
	}
	rn_gen_nr(gen, BPF_REG_1);
	rn_emit_alui(gen->emit, BPF_ADD, BPF_REG_1,
		     RN_TP_BY_NR + (gen->hook == RN_HOOK_SYS_EXIT ? RN_SYS_FIRST_FREE : 0));
	rn_emit_stx(gen->emit, BPF_DW, base, off, BPF_REG_1);
}
