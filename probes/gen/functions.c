/* functions.c - a query of a few system calls has programs on the kernel's functions that do these
 * calls: other calls cost nothing. If the kernel refuses that, the query has the tracepoints.
 *
 * The programs are those of sys_exit and sys_enter: the arguments of a function at its return are
 * the registers and the result, as those of sys_exit. Some calls pass the tracepoints and do not
 * reach their function. More programs see those:
 *
 *   refused   seccomp refuses the call: __secure_computing gives -1, and the result is set
 *   emulated  a tracer does the call itself (PTRACE_SYSEMU): ptrace_notify returns to it
 *   compat    32-bit calls, which are counted: ia32_sys_call
 *   callers   calls that began before the query: an iterator over tasks counts those that sleep in
 *             one. If there are any, probes/live/functions.c takes the tracepoints.
 *
 * A program on a function may lose the CPU if the kernel is preemptible. probes/live/functions.c
 * takes the tracepoints then. */
#include <asm/unistd.h>
#include <linux/bpf.h>
#include <string.h>
#include "probes/gen/gen_impl.h"

/* Calls that do not return as others do, or return in a new task. */
static const uint16_t barred[] = {__NR_execve,     __NR_execveat, __NR_exit,
				  __NR_exit_group, __NR_clone,    __NR_fork,
				  __NR_vfork,      __NR_clone3,   __NR_rt_sigreturn};

bool rn_gen_at_return(unsigned hook)
{
	return hook == RN_HOOK_SYS_EXIT || hook == RN_HOOK_CALL_RETURN ||
	       hook == RN_HOOK_CALL_REFUSED || hook == RN_HOOK_CALL_EMULATED ||
	       hook == RN_HOOK_CALL_COMPAT;
}

static bool is_name_test(const struct rn_expr *field, const struct rn_expr *text)
{
	return field->kind == RN_E_FIELD && field->field->id == RN_F_NAME &&
	       text->kind == RN_E_CONST && text->value.kind == RN_STR;
}

static bool is_name(const struct rn_expr *field, const struct rn_expr *text, const char *name)
{
	return is_name_test(field, text) && text->value.len == strlen(name) &&
	       !memcmp(text->value.s, name, text->value.len);
}

/* May the condition hold for a call of that name? */
static bool allows(const struct rn_expr *e, const char *name)
{
	bool any = false;

	if (e->kind == RN_E_OP && e->op == RN_OP_AND)
		return allows(e->arg[0], name) && allows(e->arg[1], name);
	if (e->kind == RN_E_OP && e->op == RN_OP_OR)
		return allows(e->arg[0], name) || allows(e->arg[1], name);
	if (e->kind == RN_E_OP && e->op == RN_OP_EQ && is_name_test(e->arg[0], e->arg[1]))
		return is_name(e->arg[0], e->arg[1], name);
	if (e->kind == RN_E_OP && e->op == RN_OP_EQ && is_name_test(e->arg[1], e->arg[0]))
		return is_name(e->arg[1], e->arg[0], name);
	if (e->kind != RN_E_IN || e->index)
		return true;
	for (unsigned i = 1; i < e->narg; i++)
		any |= !is_name_test(e->arg[0], e->arg[i]) || is_name(e->arg[0], e->arg[i], name);
	return any;
}

static bool asks_for(const struct rn_fragment *f, unsigned nr)
{
	const char *name = rn_class_covers(f->cls, nr) ? rn_sys_name(nr) : NULL;

	for (unsigned i = 0; name && i < f->nwhere; i++)
		if (f->where[i].place == RN_AT_KERNEL && !allows(f->where[i].expr, name))
			return false;
	return name != NULL;
}

unsigned rn_gen_function_calls(const struct rn_fragment *fragment, uint16_t *nr, const char **why)
{
	unsigned n = 0;

	*why = NULL;
	if (!rn_class_is_syscall(fragment->cls) || fragment->cls->id == RN_CLS_TAG)
		return 0;
	for (unsigned i = 0; i < RN_OP_FIRST && !*why; i++) {
		if (!asks_for(fragment, i))
			continue;
		if (n == RN_FUNCTIONS_MAX)
			*why = "the query is about more than 16 calls";
		else
			nr[n++] = (uint16_t)i;
		for (unsigned k = 0; k < sizeof(barred) / sizeof(*barred); k++)
			if (barred[k] == i)
				*why = "it is about calls that begin or end a task, or its program";
	}
	return *why ? 0 : n;
}

/* What this kernel does not have; NULL: it has all. */
static const char *lacking(const struct rn_gen *g, const uint16_t *nr, unsigned n)
{
	const struct rn_call_functions *f = g->opts->functions;
	const int32_t *off = g->opts->btf->off;

	for (unsigned i = 0; i < n; i++)
		if (!f->call[nr[i]].id)
			return rn_arena_printf(g->arena,
					       "this kernel's types have no function of %s",
					       rn_sys_name(nr[i]));
	if (!f->refused.id || f->emulated.nargs != 2 || (f->takes_compat && !f->compat.id))
		return "this kernel does not show which calls do not reach their function";
	if (!g->opts->btf->trace[RN_HOOK_CALLERS] || off[RN_BM_TASK_STATE] < 0 ||
	    off[RN_BM_TASK_THREAD_INFO] < 0 || off[RN_BM_THREAD_INFO_WORK] < 0)
		return "this kernel does not show which tasks are in a call";
	return NULL;
}

static struct rn_prog *last(struct rn_gen *g)
{
	return &g->out->prog[g->out->nprogs - 1];
}

/* The last program, once for the function of each call. */
static void for_each_call(struct rn_gen *g, const uint16_t *nr, unsigned n)
{
	last(g)->function = &g->opts->functions->call[nr[0]];
	for (unsigned i = 1; i < n; i++) {
		g->out->prog[g->out->nprogs] = *last(g);
		g->out->prog[g->out->nprogs++].function = &g->opts->functions->call[nr[i]];
	}
}

/* A program on another function of that type: it tail-calls the one on the first. */
static void go_on(struct rn_gen *g, unsigned hook, int map)
{
	rn_gen_begin(g, hook, hook == RN_HOOK_CALL_ENTRY ? "rn_enter" : "rn_event");
	rn_emit_note(g->emit, "to the program of all these functions");
	rn_emit_map(g->emit, BPF_REG_2, map);
	rn_emit_movi(g->emit, BPF_REG_3, 0);
	rn_emit_call(g->emit, BPF_FUNC_tail_call);
	rn_gen_end(g);
	g->out->map[map].used = true;
}

static void one_program(struct rn_gen *g, unsigned hook, const uint16_t *nr, unsigned n)
{
	g->nr = nr;
	g->nnr = n;
	g->all_nr = false;
	if (hook == RN_HOOK_CALL_ENTRY)
		rn_gen_enter_program(g, hook);
	else
		rn_gen_event_program(g, hook);
}

/* The programs at these calls. The larger one is verified once for all functions of one type; the
 * kernel lets tail calls go no further. Functions have two such types: their argument has a name,
 * or none. map: of the first type; the other's is the next one. */
static void make_programs(struct rn_gen *g, unsigned hook, int map, const uint16_t *nr, unsigned n)
{
	const struct rn_function *call = g->opts->functions->call;
	uint16_t *same = RN_NEWN(g->arena, uint16_t, n);
	bool done[RN_FUNCTIONS_MAX] = {false};
	int end = map + 2;

	for (unsigned i = 0; i < n; i++) {
		unsigned nsame = 0;

		if (done[i])
			continue;
		one_program(g, hook, nr, n);
		last(g)->function = &call[nr[i]];
		for (unsigned k = i + 1; k < n && map < end; k++) {
			if (call[nr[k]].type != call[nr[i]].type)
				continue;
			done[k] = true;
			same[nsame++] = nr[k];
		}
		if (!nsame)
			continue;
		last(g)->tail = map;
		go_on(g, hook, map++);
		for_each_call(g, same, nsame);
	}
}

/* Events that do not reach their function. Here the whole class counts, as at the tracepoints: the
 * number of a 32-bit call has another meaning. */
static void make_others(struct rn_gen *g)
{
	const struct rn_call_functions *f = g->opts->functions;

	rn_gen_numbers(g, 0, RN_OP_FIRST);
	rn_gen_event_program(g, RN_HOOK_CALL_REFUSED);
	last(g)->function = &f->refused;
	rn_gen_event_program(g, RN_HOOK_CALL_EMULATED);
	last(g)->function = &f->emulated;
	if (!f->compat.id)
		return;
	rn_gen_begin(g, RN_HOOK_CALL_COMPAT, "rn_compat");
	last(g)->function = &f->compat;
	rn_gen_context(g);
	rn_gen_filter_task(g, false);
	rn_gen_end(g);
}

void rn_gen_functions(struct rn_gen *gen)
{
	struct rn_gen_out *out = gen->out;
	uint16_t *nr = RN_NEWN(gen->arena, uint16_t, RN_FUNCTIONS_MAX);
	unsigned n = rn_gen_function_calls(gen->fragment, nr, &out->no_functions);
	unsigned first = out->nprogs;

	if (!n || !gen->opts->functions)
		return;
	out->no_functions = gen->clones ? "some of its ioctls count as copies of data"
			    : out->uses_kstack
				    ? "the query shows stacks of the kernel, which differ there"
				    : lacking(gen, nr, n);
	if (out->no_functions)
		return;
	for (unsigned i = 0; i < first; i++)
		if (out->prog[i].hook == RN_HOOK_SYS_EXIT || out->prog[i].hook == RN_HOOK_SYS_ENTER)
			out->prog[i].way = RN_WAY_TRACEPOINTS;
	make_programs(gen, RN_HOOK_CALL_RETURN, RN_MAP_RETURNS0, nr, n);
	make_others(gen);
	if (out->map[RN_MAP_START].used)
		make_programs(gen, RN_HOOK_CALL_ENTRY, RN_MAP_ENTRIES0, nr, n);
	gen->nr = nr;
	gen->nnr = n;
	rn_gen_plain_program(gen, RN_HOOK_CALLERS, "rn_callers");
	for (unsigned i = first; i < out->nprogs; i++)
		out->prog[i].way = RN_WAY_FUNCTIONS;
}

/* r6 = registers of the current task's call, r7 = the result that they hold. */
static void take_registers(struct rn_gen *g)
{
	rn_emit_note(g->emit, "r6 = registers of the call, r7 = what it will return");
	rn_emit_call(g->emit, BPF_FUNC_get_current_task_btf);
	rn_emit_mov(g->emit, BPF_REG_1, BPF_REG_0);
	rn_emit_call(g->emit, BPF_FUNC_task_pt_regs);
	rn_emit_mov(g->emit, BPF_REG_6, BPF_REG_0);
	rn_gen_member(g, BPF_DW, BPF_REG_7, BPF_REG_6, RN_BM_REGS_AX);
}

void rn_gen_refused(struct rn_gen *gen)
{
	rn_emit_note(gen->emit, "out unless seccomp refuses the call: -1, an int");
	rn_emit_ldx(gen->emit, BPF_DW, BPF_REG_2, BPF_REG_1,
		    8 * (int)gen->opts->functions->refused.nargs, NULL);
	rn_emit_alui(gen->emit, BPF_LSH, BPF_REG_2, 32);
	rn_emit_alui(gen->emit, BPF_ARSH, BPF_REG_2, 32);
	rn_emit_jmpi(gen->emit, BPF_JNE, BPF_REG_2, -1, gen->out_label);
	take_registers(gen);
}

void rn_gen_emulated(struct rn_gen *gen)
{
	enum { AT_ENTRY = 1, EMULATED = 1 << 3 }; /* PTRACE_EVENTMSG_SYSCALL_ENTRY; SYSCALL_EMU */
	const int32_t *off = gen->opts->btf->off;

	rn_emit_note(gen->emit, "out unless a tracer does the call that begins");
	rn_emit_ldx(gen->emit, BPF_DW, BPF_REG_2, BPF_REG_1, 8, NULL);
	rn_emit_jmpi(gen->emit, BPF_JNE, BPF_REG_2, AT_ENTRY, gen->out_label);
	rn_emit_call(gen->emit, BPF_FUNC_get_current_task_btf);
	rn_emit_ldx(gen->emit, BPF_DW, BPF_REG_1, BPF_REG_0,
		    off[RN_BM_TASK_THREAD_INFO] + off[RN_BM_THREAD_INFO_WORK],
		    "task_struct.thread_info.syscall_work");
	rn_emit_alui(gen->emit, BPF_AND, BPF_REG_1, EMULATED);
	rn_emit_jmpi(gen->emit, BPF_JEQ, BPF_REG_1, 0, gen->out_label);
	take_registers(gen);
}

void rn_gen_caller(struct rn_gen *gen)
{
	enum { ITER_TASK = 8, ASLEEP = 3, KERNEL_THREAD = 0x200000 }; /* sched.h */

	rn_emit_note(gen->emit, "r8 = the task; none: that was all");
	rn_emit_ldx(gen->emit, BPF_DW, BPF_REG_8, BPF_REG_1, ITER_TASK, "task");
	rn_emit_jmpi(gen->emit, BPF_JEQ, BPF_REG_8, 0, gen->out_label);
	rn_emit_note(gen->emit, "one that sleeps is in the kernel");
	rn_gen_member(gen, BPF_W, BPF_REG_1, BPF_REG_8, RN_BM_TASK_STATE);
	rn_emit_alui(gen->emit, BPF_AND, BPF_REG_1, ASLEEP);
	rn_emit_jmpi(gen->emit, BPF_JEQ, BPF_REG_1, 0, gen->out_label);
	rn_gen_member(gen, BPF_W, BPF_REG_1, BPF_REG_8, RN_BM_TASK_FLAGS);
	rn_emit_alui(gen->emit, BPF_AND, BPF_REG_1, KERNEL_THREAD);
	rn_emit_jmpi(gen->emit, BPF_JNE, BPF_REG_1, 0, gen->out_label);
	rn_emit_note(gen->emit, "in a call that the query is about");
	rn_emit_mov(gen->emit, BPF_REG_1, BPF_REG_8);
	rn_emit_call(gen->emit, BPF_FUNC_task_pt_regs);
	rn_emit_mov(gen->emit, BPF_REG_6, BPF_REG_0);
	rn_gen_nr_test(gen, gen->nr, gen->nnr, false, gen->out_label);
	rn_gen_scope_task(gen);
	rn_gen_where_process(gen);
	rn_emit_map_value(gen->emit, BPF_REG_1, RN_MAP_GLOBALS, 0);
	rn_emit_ldx(gen->emit, BPF_DW, BPF_REG_2, BPF_REG_1, offsetof(struct rn_globals, callers),
		    NULL);
	rn_emit_alui(gen->emit, BPF_ADD, BPF_REG_2, 1);
	rn_emit_stx(gen->emit, BPF_DW, BPF_REG_1, offsetof(struct rn_globals, callers), BPF_REG_2);
	gen->out->map[RN_MAP_GLOBALS].used = true;
}
