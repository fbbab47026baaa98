/* unsearched.c - a search for tags also sees the calls by which a process uses a way that is not
 * searched (probes/bpf/unsearched.bpf.h).
 *
 * They are no events of the class, and never shown. But the ledger says that there is a way of
 * which the answer knows nothing. `where` leaves them out only by its conditions on the process: a
 * way without events cannot meet conditions on events. */
#include <asm/unistd.h>
#include <linux/bpf.h>
#include <string.h>
#include "probes/gen/gen_impl.h"

static const uint16_t calls[] = {__NR_setsockopt, __NR_ptrace};
enum { NCALLS = sizeof(calls) / sizeof(*calls), NMOST = 64 };

bool rn_gen_is_unsearched(unsigned nr)
{
	for (unsigned i = 0; i < NCALLS; i++)
		if (calls[i] == nr)
			return true;
	return false;
}

/* Is it the same for all that a process does? */
static bool of_process(const struct rn_expr *e)
{
	static const uint16_t fields[] = {RN_F_NODE, RN_F_PROC,  RN_F_PID,   RN_F_PPID, RN_F_UID,
					  RN_F_GID,  RN_F_NETNS, RN_F_START, RN_F_EXE};
	bool known = e->kind != RN_E_FIELD;

	for (unsigned i = 0; e->kind == RN_E_FIELD && i < sizeof(fields) / sizeof(*fields); i++)
		known |= e->field->id == fields[i];
	for (unsigned i = 0; i < e->narg; i++)
		known &= of_process(e->arg[i]);
	return known;
}

static bool reads_exe(const struct rn_expr *e)
{
	bool r = e->kind == RN_E_FIELD && e->field->id == RN_F_EXE;

	for (unsigned i = 0; i < e->narg; i++)
		r |= reads_exe(e->arg[i]);
	return r;
}

/* Only the current process's program is known. */
static bool is_tested(const struct rn_gen *g, const struct rn_conjunct *w)
{
	return w->place == RN_AT_KERNEL && of_process(w->expr) &&
	       (rn_hook_row(g->hook)->at != RN_AT_FILES || !reads_exe(w->expr));
}

void rn_gen_where_process(struct rn_gen *g)
{
	const struct rn_fragment *f = g->f;

	for (unsigned i = 0; i < f->nwhere; i++)
		if (is_tested(g, &f->where[i]))
			rn_gen_where(g, &f->where[i], 1);
}

void rn_gen_unsearched(struct rn_gen *g)
{
	int other = rn_emit_label(g->e);
	const uint16_t *copying;
	unsigned n = rn_gen_copying(&copying);
	uint16_t all[NMOST];

	if (g->f->cls->id != RN_CLS_TAG || g->hook != RN_HOOK_SYS_EXIT || g->is_op ||
	    n + NCALLS > NMOST)
		return;
	memcpy(all, calls, sizeof(calls));
	memcpy(all + NCALLS, copying, n * sizeof(*copying));
	/* before the branch: the event needs them too */
	for (unsigned i = 0; i < g->f->nwhere; i++)
		if (is_tested(g, &g->f->where[i]))
			rn_gen_need(g, g->f->where[i].expr);
	rn_emit_note(g->e, "ways that are not searched");
	rn_gen_nr_test(g, all, NCALLS + n, false, other);
	rn_gen_leave_out_copying(g);
	rn_gen_where_process(g);
	rn_gen_call_in_r1(g);
	rn_gen_intrinsic(g, RN_I_UNSEARCHED);
	rn_emit_ja(g->e, g->out_label);
	rn_emit_bind(g->e, other);
}

/* struct bpf_iter__task_file: the context of an iterator over open files. */
enum { ITER_TASK = 8, ITER_FILE = 24 };

void rn_gen_open_file(struct rn_gen *g)
{
	int call = rn_gen_stack(g, sizeof(struct rn_bpf_call));

	rn_emit_note(g->e, "r8 = the task, r7 = its file; none: that was all");
	rn_emit_ldx(g->e, BPF_DW, BPF_REG_8, BPF_REG_1, ITER_TASK, "task");
	rn_emit_ldx(g->e, BPF_DW, BPF_REG_7, BPF_REG_1, ITER_FILE, "file");
	rn_emit_jmpi(g->e, BPF_JEQ, BPF_REG_8, 0, g->out_label);
	rn_emit_jmpi(g->e, BPF_JEQ, BPF_REG_7, 0, g->out_label);
	rn_gen_scope_task(g);
	rn_gen_where_process(g);
	for (int i = 0; i < (int)sizeof(struct rn_bpf_call); i += 8)
		rn_emit_sti(g->e, BPF_DW, BPF_REG_10, call + i, 0);
	rn_emit_stx(g->e, BPF_DW, BPF_REG_10, call + (int)offsetof(struct rn_bpf_call, arg),
		    BPF_REG_7);
	rn_emit_mov(g->e, BPF_REG_1, BPF_REG_10);
	rn_emit_alui(g->e, BPF_ADD, BPF_REG_1, call);
	rn_gen_intrinsic(g, RN_I_RINGS);
}

void rn_gen_rings(struct rn_gen *g)
{
	const struct rn_hook_row *h;

	for (unsigned i = 0; g->f->cls->id == RN_CLS_TAG && (h = rn_hook_row(i)); i++) {
		if (h->at != RN_AT_FILES || !g->o->btf->trace[i])
			continue;
		rn_gen_begin(g, i, "rn_rings");
		h->begin(g);
		rn_gen_end(g);
	}
}

/* dst = argument `arg`, an int. */
static void int_arg(struct rn_gen *g, int arg, int dst)
{
	rn_gen_arg(g, arg, dst);
	rn_emit_alui(g->e, BPF_LSH, dst, 32);
	rn_emit_alui(g->e, BPF_RSH, dst, 32);
}

void rn_gen_leave_out_options(struct rn_gen *g)
{
	static const uint16_t option[] = {__NR_getsockopt};
	enum { LEVEL_TCP = 6, ZEROCOPY_RECEIVE = 35 }; /* from the kernel's ABI */
	int other = rn_emit_label(g->e);

	if (g->f->cls->id != RN_CLS_TAG || g->hook != RN_HOOK_SYS_EXIT)
		return;
	rn_emit_note(
		g->e,
		"of the options of sockets, only what a TCP connection received without a copy");
	rn_gen_nr_test(g, option, 1, false, other);
	rn_emit_jmpi(g->e, BPF_JNE, BPF_REG_7, 0, g->out_label);
	int_arg(g, 1, BPF_REG_1);
	rn_emit_jmpi(g->e, BPF_JNE, BPF_REG_1, LEVEL_TCP, g->out_label);
	int_arg(g, 2, BPF_REG_1);
	rn_emit_jmpi(g->e, BPF_JNE, BPF_REG_1, ZEROCOPY_RECEIVE, g->out_label);
	rn_emit_bind(g->e, other);
}
