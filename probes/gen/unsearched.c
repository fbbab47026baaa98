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
	       (rn_hook_row(g->hook)->at != RN_AT_ITERATOR || !reads_exe(w->expr));
}

bool rn_gen_of_task(const struct rn_gen *gen, const struct rn_conjunct *conjunct)
{
	return is_tested(gen, conjunct) && !reads_exe(conjunct->expr);
}

void rn_gen_where_process(struct rn_gen *gen)
{
	const struct rn_fragment *f = gen->fragment;

	for (unsigned i = 0; i < f->nwhere; i++)
		if (is_tested(gen, &f->where[i]))
			rn_gen_where(gen, &f->where[i], 1);
}

void rn_gen_unsearched(struct rn_gen *gen)
{
	int other = rn_emit_label(gen->emit);
	const uint16_t *copying;
	unsigned n = rn_gen_copying(&copying);
	uint16_t all[NMOST];

	if (gen->fragment->cls->id != RN_CLS_TAG || gen->hook != RN_HOOK_SYS_EXIT || gen->is_op ||
	    n + NCALLS > NMOST)
		return;
	memcpy(all, calls, sizeof(calls));
	memcpy(all + NCALLS, copying, n * sizeof(*copying));
	/* before the branch: the event needs them too */
	for (unsigned i = 0; i < gen->fragment->nwhere; i++)
		if (is_tested(gen, &gen->fragment->where[i]))
			rn_gen_need(gen, gen->fragment->where[i].expr);
	rn_emit_note(gen->emit, "ways that are not searched");
	rn_gen_nr_test(gen, all, NCALLS + n, false, other);
	rn_gen_leave_out_copying(gen);
	rn_gen_where_process(gen);
	rn_gen_call_in_r1(gen);
	rn_gen_intrinsic(gen, RN_I_UNSEARCHED);
	rn_emit_ja(gen->emit, gen->out_label);
	rn_emit_bind(gen->emit, other);
}

/* struct bpf_iter__task_file: the context of an iterator over open files. */
enum { ITER_TASK = 8, ITER_FILE = 24 };

void rn_gen_open_file(struct rn_gen *gen)
{
	int call = rn_gen_stack(gen, sizeof(struct rn_bpf_call));

	rn_emit_note(gen->emit, "r8 = the task, r7 = its file; none: that was all");
	rn_emit_ldx(gen->emit, BPF_DW, BPF_REG_8, BPF_REG_1, ITER_TASK, "task");
	rn_emit_ldx(gen->emit, BPF_DW, BPF_REG_7, BPF_REG_1, ITER_FILE, "file");
	rn_emit_jmpi(gen->emit, BPF_JEQ, BPF_REG_8, 0, gen->out_label);
	rn_emit_jmpi(gen->emit, BPF_JEQ, BPF_REG_7, 0, gen->out_label);
	rn_gen_scope_task(gen);
	rn_gen_where_process(gen);
	for (int i = 0; i < (int)sizeof(struct rn_bpf_call); i += 8)
		rn_emit_sti(gen->emit, BPF_DW, BPF_REG_10, call + i, 0);
	rn_emit_stx(gen->emit, BPF_DW, BPF_REG_10, call + (int)offsetof(struct rn_bpf_call, arg),
		    BPF_REG_7);
	rn_emit_mov(gen->emit, BPF_REG_1, BPF_REG_10);
	rn_emit_alui(gen->emit, BPF_ADD, BPF_REG_1, call);
	rn_gen_intrinsic(gen, RN_I_RINGS);
}

void rn_gen_rings(struct rn_gen *gen)
{
	const struct rn_hook_row *h;

	for (unsigned i = 0; gen->fragment->cls->id == RN_CLS_TAG && (h = rn_hook_row(i)); i++) {
		if (h->begin != rn_gen_open_file || !gen->opts->btf->trace[i])
			continue;
		rn_gen_begin(gen, i, "rn_rings");
		h->begin(gen);
		rn_gen_end(gen);
	}
}

/* dst = argument `arg`, an int. */
static void int_arg(struct rn_gen *g, int arg, int dst)
{
	rn_gen_arg(g, arg, dst);
	rn_emit_alui(g->emit, BPF_LSH, dst, 32);
	rn_emit_alui(g->emit, BPF_RSH, dst, 32);
}

void rn_gen_leave_out_options(struct rn_gen *gen)
{
	static const uint16_t option[] = {__NR_getsockopt};
	enum { LEVEL_TCP = 6, ZEROCOPY_RECEIVE = 35 }; /* from the kernel's ABI */
	int other = rn_emit_label(gen->emit);

	if (gen->fragment->cls->id != RN_CLS_TAG || gen->hook != RN_HOOK_SYS_EXIT)
		return;
	rn_emit_note(
		gen->emit,
		"of the options of sockets, only what a TCP connection received without a copy");
	rn_gen_nr_test(gen, option, 1, false, other);
	rn_emit_jmpi(gen->emit, BPF_JNE, BPF_REG_7, 0, gen->out_label);
	int_arg(gen, 1, BPF_REG_1);
	rn_emit_jmpi(gen->emit, BPF_JNE, BPF_REG_1, LEVEL_TCP, gen->out_label);
	int_arg(gen, 2, BPF_REG_1);
	rn_emit_jmpi(gen->emit, BPF_JNE, BPF_REG_1, ZEROCOPY_RECEIVE, gen->out_label);
	rn_emit_bind(gen->emit, other);
}
