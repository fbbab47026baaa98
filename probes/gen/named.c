/* named.c - programs on functions that a query names, of programs and of the kernel.
 *
 * The event is their entry; or, if the result or the latency is asked for, their end, to which the
 * entry is noted (planner/plan/call_ends.h). The entry tests the conditions on what it knows. A
 * call that it leaves out is not noted. It drops the note that an earlier call has left in the same
 * place, since the end would take it for its own.
 *
 * Functions of programs: both moments are places in the function (probes/uprobe/leaves.h), at which
 * the stack pointer is at the return address: with the process it says which call it is. A call
 * that is left in another way stays noted until the same place of the stack is used again.
 *
 * Functions of the kernel: no two stacks of it have an address in common, those of interrupts
 * included. So the stack pointer and the function say which call it is. At the return the address
 * is gone from the stack: the pointer is 8 higher. If the kernel has kprobe.session, one program
 * runs at both moments, and the kernel keeps 8 bytes from one to the other. An entry that gives 1
 * has no return. These bytes are the beginning of the call. If arguments are wanted at the end,
 * their address is the key.
 *
 * Few functions of the kernel have programs of their own (fentry, fexit). One call finds its
 * arguments at the same address of the stack at both, so that this address is the key. */
#include <linux/bpf.h>
#include "planner/plan/call_ends.h"
#include "probes/gen/gen_impl.h"

enum { KEY_BYTES = 16 };

/* r7 = the function: its number among those that are named, and its file. */
static void function_in_r7(struct rn_gen *gen)
{
	rn_emit_mov(gen->emit, BPF_REG_1, BPF_REG_6);
	rn_emit_call(gen->emit, BPF_FUNC_get_attach_cookie);
	rn_emit_mov(gen->emit, BPF_REG_7, BPF_REG_0);
}

void rn_gen_user_enter(struct rn_gen *gen)
{
	rn_gen_library_scope(gen);
	rn_emit_note(gen->emit, "r6 = registers of the program, r7 = the function");
	rn_gen_take_cpu(gen);
	function_in_r7(gen);
}

void rn_gen_kernel_enter(struct rn_gen *gen)
{
	rn_emit_note(gen->emit, "r6 = registers of the kernel, r7 = the function");
	rn_emit_mov(gen->emit, BPF_REG_6, BPF_REG_1);
	function_in_r7(gen);
}

/* A program on one function (fentry) is cheaper than one on many: it gets the arguments, and no
 * registers. It may be hit in an interrupt amid another one of the query, so these mark the CPU. */
void rn_gen_traced_enter(struct rn_gen *gen)
{
	rn_emit_note(gen->emit, "r6 = arguments of the function in r7");
	rn_emit_mov(gen->emit, BPF_REG_6, BPF_REG_1);
	rn_emit_movi(gen->emit, BPF_REG_7, gen->traced);
}

/* The last program is of the function in question. */
static void of_traced(struct rn_gen *g)
{
	g->out->prog[g->out->nprogs - 1].function = &g->opts->traced[g->traced];
}

void rn_gen_traced(struct rn_gen *gen)
{
	bool ends = rn_fragment_of_ends(gen->fragment, 0);

	for (gen->traced = 0; gen->traced < gen->opts->ntraced && !gen->rc; gen->traced++) {
		rn_gen_event_program(gen, ends ? RN_HOOK_TRACED_RETURN : RN_HOOK_KERNEL_TRACED);
		of_traced(gen);
		if (!ends)
			continue;
		rn_gen_plain_program(gen, RN_HOOK_TRACED_NOTE, "rn_note");
		of_traced(gen);
	}
}

/* ---- the entry, if the end is the event ---- */

static bool tests_at_entry(const struct rn_gen *g)
{
	bool any = false;

	for (unsigned i = 0; i < g->fragment->nwhere; i++)
		any |= rn_tested_at_entry(g->fragment, &g->fragment->where[i]);
	return any;
}

/* Leaves if the call is of nobody in scope, or if a condition does not hold. r8 = current task. A
 * pair's second event may be of anybody. */
static void admit(struct rn_gen *gen)
{
	if (gen->part)
		rn_gen_current(gen);
	else
		rn_gen_scope(gen);
	if (!tests_at_entry(gen))
		return;
	rn_emit_note(gen->emit, "seen");
	rn_gen_stat(gen, RN_STAT_SEEN);
	gen->out->counts_seen = true;
	gen->noting = true;
	rn_gen_where(gen, gen->fragment->where, gen->fragment->nwhere);
	gen->noting = false;
}

/* r1 = argument i of the function in r7. */
static void argument(struct rn_gen *g, int i)
{
	static const enum rn_btf_member from[] = {RN_BM_REGS_DI, RN_BM_REGS_SI, RN_BM_REGS_DX,
						  RN_BM_REGS_CX, RN_BM_REGS_R8, RN_BM_REGS_R9};

	if (g->hook != RN_HOOK_TRACED_NOTE)
		rn_gen_member(g, BPF_DW, BPF_REG_1, BPF_REG_6, from[i]);
	else if (i < g->opts->traced[g->traced].nargs)
		rn_gen_arg(g, i, BPF_REG_1);
	else
		rn_emit_movi(g->emit, BPF_REG_1, 0);
}

/* The call of the function in r7, on the stack. Returns true if texts are noted with it: all is at
 * r9 then. */
static bool describe_call(struct rn_gen *gen, int call)
{
	enum { ARG = offsetof(struct rn_bpf_call, arg) };
	struct rn_emit *e = gen->emit;

	rn_emit_note(e, "the function, its arguments, and when");
	rn_emit_stx(e, BPF_DW, BPF_REG_10, call + (int)offsetof(struct rn_bpf_call, nr), BPF_REG_7);
	rn_emit_sti(e, BPF_DW, BPF_REG_10, call + (int)offsetof(struct rn_bpf_call, ret), 0);
	for (int i = 0; i < 6; i++) {
		argument(gen, i);
		rn_emit_stx(e, BPF_DW, BPF_REG_10, call + ARG + 8 * i, BPF_REG_1);
	}
	rn_emit_call(e, BPF_FUNC_ktime_get_ns);
	rn_emit_stx(e, BPF_DW, BPF_REG_10, call + (int)offsetof(struct rn_bpf_call, begin_ns),
		    BPF_REG_0);
	return rn_gen_note_texts(gen, call);
}

/* r1, r2 = the map of noted calls, and the key's address. */
static void noted_calls(struct rn_gen *g, int key)
{
	rn_emit_map(g->emit, BPF_REG_1, RN_MAP_NOTED);
	rn_emit_mov(g->emit, BPF_REG_2, BPF_REG_10);
	rn_emit_alui(g->emit, BPF_ADD, BPF_REG_2, key);
	g->out->map[RN_MAP_NOTED].used = true;
}

/* The key of a program's call. */
static void key_of_user(struct rn_gen *g, int key)
{
	rn_gen_member(g, BPF_DW, BPF_REG_1, BPF_REG_6, RN_BM_REGS_SP);
	rn_emit_stx(g->emit, BPF_DW, BPF_REG_10, key, BPF_REG_1);
	rn_emit_call(g->emit, BPF_FUNC_get_current_pid_tgid);
	rn_emit_alui(g->emit, BPF_RSH, BPF_REG_0, 32);
	rn_emit_stx(g->emit, BPF_DW, BPF_REG_10, key + 8, BPF_REG_0);
	if (g->part) { /* the first event may be a call that begins at the same place of the stack
			*/
		rn_emit_movi(g->emit, BPF_REG_0, 1);
		rn_emit_stx(g->emit, BPF_W, BPF_REG_10, key + 12, BPF_REG_0);
	}
}

/* The key of a call of the kernel's function in register `function`; popped: bytes that are gone
 * from the stack. A function with programs of its own has its arguments on the stack, at the same
 * place at its entry and at its return. */
static void key_of_kernel(struct rn_gen *g, int key, int function, int popped)
{
	if (g->hook == RN_HOOK_TRACED_NOTE || g->hook == RN_HOOK_TRACED_RETURN) {
		rn_emit_mov(g->emit, BPF_REG_1, BPF_REG_6);
	} else {
		rn_gen_member(g, BPF_DW, BPF_REG_1, BPF_REG_6, RN_BM_REGS_SP);
		rn_emit_alui(g->emit, BPF_SUB, BPF_REG_1, popped);
	}
	rn_emit_stx(g->emit, BPF_DW, BPF_REG_10, key, BPF_REG_1);
	rn_emit_stx(g->emit, BPF_DW, BPF_REG_10, key + 8, function);
}

/* Notes the call under the key; leaves if there is no room. texts: it is at r9, with its texts. */
static void note(struct rn_gen *gen, int key, int call, bool texts)
{
	struct rn_emit *e = gen->emit;
	int noted = rn_emit_label(e);

	noted_calls(gen, key);
	rn_emit_mov(e, BPF_REG_3, texts ? BPF_REG_9 : BPF_REG_10);
	if (!texts)
		rn_emit_alui(e, BPF_ADD, BPF_REG_3, call);
	rn_emit_movi(e, BPF_REG_4, BPF_ANY);
	rn_emit_call(e, BPF_FUNC_map_update_elem);
	rn_emit_alui(e, BPF_LSH, BPF_REG_0, 32); /* an int before 6.4 */
	rn_emit_jmpi(e, BPF_JEQ, BPF_REG_0, 0, noted);
	rn_gen_stat(gen, RN_STAT_NOTE_LOST);
	rn_emit_ja(e, gen->out_label);
	rn_emit_bind(e, noted);
	rn_gen_stat(gen, RN_STAT_NOTED);
}

/* The call is left out: what an earlier one has left under the key must not be its. */
static void drop_note(struct rn_gen *gen, int key)
{
	noted_calls(gen, key);
	rn_emit_call(gen->emit, BPF_FUNC_map_lookup_elem);
	rn_emit_jmpi(gen->emit, BPF_JEQ, BPF_REG_0, 0, gen->out_label);
	noted_calls(gen, key);
	rn_emit_call(gen->emit, BPF_FUNC_map_delete_elem);
}

/* The whole program. */
void rn_gen_user_note(struct rn_gen *gen)
{
	int call = rn_gen_stack(gen, sizeof(struct rn_bpf_call)),
	    key = rn_gen_stack(gen, KEY_BYTES), out = gen->out_label,
	    left = rn_emit_label(gen->emit);
	bool tests = tests_at_entry(gen), texts;

	rn_gen_library_scope(gen);
	rn_gen_take_cpu(gen);
	function_in_r7(gen);
	if (tests) {
		gen->out_label = left;
		admit(gen);
		gen->out_label = out;
	}
	texts = describe_call(gen, call);
	key_of_user(gen, key);
	note(gen, key, call, texts);
	if (tests) {
		rn_emit_ja(gen->emit, out);
		rn_emit_bind(gen->emit, left);
		rn_emit_note(gen->emit, "left out");
		key_of_user(gen, key);
		drop_note(gen, key);
	}
}

/* Leaves unless all is attached and the query goes on: a call whose end may not be seen is not
 * noted. */
static void while_attached(struct rn_gen *gen)
{
	rn_emit_note(gen->emit, "out unless all is attached");
	rn_emit_map_value(gen->emit, BPF_REG_1, RN_MAP_GLOBALS, 0);
	rn_emit_ldx(gen->emit, BPF_DW, BPF_REG_1, BPF_REG_1, offsetof(struct rn_globals, over),
		    NULL);
	rn_emit_jmpi(gen->emit, BPF_JNE, BPF_REG_1, 0, gen->out_label);
	gen->out->map[RN_MAP_GLOBALS].used = true;
}

/* Notes the call of the kernel's function in r7, or drops what is noted if it is left out. */
static void note_kernel(struct rn_gen *gen)
{
	int call = rn_gen_stack(gen, sizeof(struct rn_bpf_call)),
	    key = rn_gen_stack(gen, KEY_BYTES), out = gen->out_label,
	    left = rn_emit_label(gen->emit);
	bool texts;

	while_attached(gen);
	gen->out_label = left;
	admit(gen);
	gen->out_label = out;
	texts = describe_call(gen, call);
	key_of_kernel(gen, key, BPF_REG_7, 0);
	note(gen, key, call, texts);
	rn_emit_ja(gen->emit, out);
	rn_emit_bind(gen->emit, left);
	rn_emit_note(gen->emit, "left out");
	key_of_kernel(gen, key, BPF_REG_7, 0);
	drop_note(gen, key);
}

/* The whole program. */
void rn_gen_kernel_note(struct rn_gen *gen)
{
	rn_gen_kernel_enter(gen);
	rn_emit_jmpi(gen->emit, BPF_JEQ, BPF_REG_7, RN_NO_FUNCTION, gen->out_label);
	note_kernel(gen);
}

/* The program's beginning on a function of its own. Nobody else of the query is at work on this
 * CPU. */
static void enter_traced(struct rn_gen *g)
{
	rn_gen_may_mark(g);
	rn_gen_traced_enter(g);
	rn_emit_note(g->emit, "no other program of the query was interrupted here");
	rn_gen_mark(g);
}

/* The whole program. */
void rn_gen_traced_note(struct rn_gen *gen)
{
	enter_traced(gen);
	note_kernel(gen);
}

/* ---- the end ---- */

/* r6 = the noted call at r9, copied; it is not noted any more. */
static void take_noted(struct rn_gen *gen, int key)
{
	struct rn_emit *e = gen->emit;

	rn_gen_scratch(gen, BPF_REG_6);
	rn_emit_alui(e, BPF_ADD, BPF_REG_6, RN_SCRATCH_CALL);
	for (unsigned i = 0; i < sizeof(struct rn_bpf_call); i += 8) {
		rn_emit_ldx(e, BPF_DW, BPF_REG_1, BPF_REG_9, (int)i, NULL);
		rn_emit_stx(e, BPF_DW, BPF_REG_6, (int)i, BPF_REG_1);
	}
	rn_gen_take_texts(gen);
	noted_calls(gen, key);
	rn_emit_call(e, BPF_FUNC_map_delete_elem);
	rn_gen_stat(gen, RN_STAT_ENDED);
}

/* What follows looks at the task, unless there is a scope: then the call would not be here. */
static void current_if_scoped(struct rn_gen *gen)
{
	if (rn_gen_scope_any(gen))
		rn_gen_current(gen);
}

/* A jump to another function returns the result of that. */
void rn_gen_user_return(struct rn_gen *gen)
{
	int key = rn_gen_stack(gen, KEY_BYTES), known = rn_emit_label(gen->emit),
	    unknown = rn_emit_label(gen->emit), done = rn_emit_label(gen->emit);
	struct rn_emit *e = gen->emit;

	rn_gen_library_scope(gen);
	rn_emit_note(e, "r6 = the call, r7 = its result");
	rn_gen_take_cpu(gen);
	rn_gen_member(gen, BPF_DW, BPF_REG_7, BPF_REG_6, RN_BM_REGS_AX);
	rn_emit_mov(e, BPF_REG_1, BPF_REG_6);
	rn_emit_call(e, BPF_FUNC_get_attach_cookie);
	rn_emit_mov(e, BPF_REG_8, BPF_REG_0);
	key_of_user(gen, key);
	noted_calls(gen, key);
	rn_emit_call(e, BPF_FUNC_map_lookup_elem);
	rn_emit_jmpi(e, BPF_JEQ, BPF_REG_0, 0, unknown);
	rn_emit_ldx(e, BPF_DW, BPF_REG_1, BPF_REG_0, offsetof(struct rn_bpf_call, nr), NULL);
	rn_emit_mov(e, BPF_REG_2, BPF_REG_8);
	rn_emit_alui(e, BPF_LSH, BPF_REG_2, 1); /* without RN_USER_JUMP */
	rn_emit_alui(e, BPF_RSH, BPF_REG_2, 1);
	rn_emit_jmp(e, BPF_JEQ, BPF_REG_1, BPF_REG_2, known);
	rn_emit_bind(e, unknown);
	if (!tests_at_entry(gen)) /* else the entry has left it out */
		rn_gen_stat(gen, RN_STAT_UNPAIRED);
	rn_emit_ja(e, gen->out_label);
	rn_emit_bind(e, known);
	rn_emit_mov(e, BPF_REG_9, BPF_REG_0);
	take_noted(gen, key);
	rn_emit_jmpi(e, BPF_JSGE, BPF_REG_8, 0, done);
	rn_emit_movi(e, BPF_REG_7, RN_NOT_KNOWN);
	rn_emit_bind(e, done);
	current_if_scoped(gen);
}

/* r6 = the noted call of that key, taken out of the map. Leaves if there is none: it began before
 * all was attached, or the entry has left it out. */
static void find_noted(struct rn_gen *g, int key)
{
	noted_calls(g, key);
	rn_emit_call(g->emit, BPF_FUNC_map_lookup_elem);
	rn_emit_jmpi(g->emit, BPF_JEQ, BPF_REG_0, 0, g->out_label);
	rn_emit_mov(g->emit, BPF_REG_9, BPF_REG_0);
	take_noted(g, key);
}

void rn_gen_kernel_return(struct rn_gen *gen)
{
	int key = rn_gen_stack(gen, KEY_BYTES);
	struct rn_emit *e = gen->emit;

	rn_emit_note(e, "r6 = the call, r7 = its result");
	rn_emit_mov(e, BPF_REG_6, BPF_REG_1);
	rn_emit_call(e, BPF_FUNC_get_attach_cookie);
	rn_gen_member(gen, BPF_DW, BPF_REG_7, BPF_REG_6, RN_BM_REGS_AX);
	key_of_kernel(gen, key, BPF_REG_0, 8);
	find_noted(gen, key);
	current_if_scoped(gen);
}

void rn_gen_traced_return(struct rn_gen *gen)
{
	const struct rn_function *f = &gen->opts->traced[gen->traced];
	int key = rn_gen_stack(gen, KEY_BYTES);
	struct rn_emit *e = gen->emit;

	enter_traced(gen);
	key_of_kernel(gen, key, BPF_REG_7, 0);
	rn_emit_note(e, "r6 = the call, r7 = its result");
	if (f->has_result)
		rn_emit_ldx(e, BPF_DW, BPF_REG_7, BPF_REG_6, 8 * f->nargs, NULL);
	else
		rn_emit_movi(e, BPF_REG_7, 0);
	find_noted(gen, key);
	current_if_scoped(gen);
}

/* ---- both in one program: kprobe.session ---- */

/* Is it an argument, its text, or a member of what it points to? */
static bool is_of_args(const struct rn_field *f)
{
	return f->id == RN_F_MEMBER || rn_is_arg(f->id) ||
	       (rn_is_text(f->id) && f->id != RN_F_TEXT_RET);
}

static void look_for_args(void *self, const struct rn_expr *e)
{
	*(bool *)self |= e->kind == RN_E_FIELD && e->field && is_of_args(e->field);
}

/* Does the end need what the function was called with? */
static bool wants_args(const struct rn_fragment *f)
{
	bool any = false;

	for (unsigned i = 0; i < f->nwhere; i++)
		if (!rn_tested_at_entry(f, &f->where[i]))
			rn_expr_look(f->where[i].expr, look_for_args, &any);
	for (unsigned i = 0; i < f->nkeys; i++)
		rn_expr_look(f->keys[i], look_for_args, &any);
	for (unsigned i = 0; i < f->naggs; i++) {
		rn_expr_look(f->aggs[i].arg, look_for_args, &any);
		rn_expr_look(f->aggs[i].where, look_for_args, &any);
	}
	for (unsigned i = 0; i < f->nfields; i++)
		any |= is_of_args(f->fields[i]);
	return any;
}

/* The key is the address of the bytes that the kernel keeps: no other call has it. */
static void key_of_session(struct rn_gen *gen, int key, int function)
{
	rn_emit_call(gen->emit, RN_SESSION_COOKIE_MARK);
	rn_emit_stx(gen->emit, BPF_DW, BPF_REG_10, key, BPF_REG_0);
	rn_emit_stx(gen->emit, BPF_DW, BPF_REG_10, key + 8, function);
}

/* At the entry; ends the program. */
static void session_begins(struct rn_gen *gen, bool args)
{
	int call = args ? rn_gen_stack(gen, sizeof(struct rn_bpf_call)) : 0,
	    key = args ? rn_gen_stack(gen, KEY_BYTES) : 0, left = rn_emit_label(gen->emit);
	struct rn_emit *e = gen->emit;
	bool texts;

	gen->is_op = false;
	gen->out_label = left;
	rn_emit_note(e, "the call begins: r7 = the function");
	while_attached(gen);
	function_in_r7(gen);
	rn_emit_jmpi(e, BPF_JEQ, BPF_REG_7, RN_NO_FUNCTION, left);
	admit(gen);
	if (args) {
		texts = describe_call(gen, call);
		key_of_session(gen, key, BPF_REG_7);
		note(gen, key, call, texts);
	} else {
		rn_gen_stat(gen, RN_STAT_NOTED);
		rn_emit_call(e, RN_SESSION_COOKIE_MARK);
		rn_emit_mov(e, BPF_REG_9, BPF_REG_0);
		rn_emit_call(e, BPF_FUNC_ktime_get_ns);
		rn_emit_stx(e, BPF_DW, BPF_REG_9, 0, BPF_REG_0);
	}
	rn_emit_movi(e, BPF_REG_0, 0);
	rn_emit_exit(e);
	rn_emit_bind(e, left);
	rn_emit_note(e, "left out: its return is not wanted");
	rn_emit_movi(e, BPF_REG_0, 1);
	rn_emit_exit(e);
}

/* r6 = the call, made of its beginning. The kernel does not clear the bytes that it keeps, and some
 * versions run the return of a call whose entry the program has missed: so 0 is left behind. */
static void session_ends(struct rn_gen *gen)
{
	struct rn_emit *e = gen->emit;

	rn_emit_call(e, RN_SESSION_COOKIE_MARK);
	rn_emit_ldx(e, BPF_DW, BPF_REG_8, BPF_REG_0, 0, NULL);
	rn_emit_sti(e, BPF_DW, BPF_REG_0, 0, 0);
	rn_emit_jmpi(e, BPF_JEQ, BPF_REG_8, 0, gen->out_label);
	rn_emit_mov(e, BPF_REG_1, BPF_REG_6);
	rn_emit_call(e, BPF_FUNC_get_attach_cookie);
	rn_emit_mov(e, BPF_REG_9, BPF_REG_0);
	rn_gen_scratch(gen, BPF_REG_6);
	rn_emit_alui(e, BPF_ADD, BPF_REG_6, RN_SCRATCH_CALL);
	rn_emit_stx(e, BPF_DW, BPF_REG_6, offsetof(struct rn_bpf_call, nr), BPF_REG_9);
	rn_emit_stx(e, BPF_DW, BPF_REG_6, offsetof(struct rn_bpf_call, begin_ns), BPF_REG_8);
	rn_gen_stat(gen, RN_STAT_ENDED);
}

void rn_gen_kernel_session(struct rn_gen *gen)
{
	bool args = wants_args(gen->fragment);
	int ends = rn_emit_label(gen->emit), key;
	struct rn_emit *e = gen->emit;
	struct rn_gen before;

	rn_emit_note(e, "r6 = registers of the kernel");
	rn_emit_mov(e, BPF_REG_6, BPF_REG_1);
	rn_emit_call(e, RN_SESSION_RETURN_MARK);
	rn_emit_alui(e, BPF_AND, BPF_REG_0, 0xff);
	rn_emit_jmpi(e, BPF_JNE, BPF_REG_0, 0, ends);
	before = *gen;
	session_begins(gen, args);
	rn_gen_forget(gen, &before);
	rn_emit_bind(e, ends);
	rn_emit_note(e, "r6 = the call, r7 = its result");
	rn_gen_member(gen, BPF_DW, BPF_REG_7, BPF_REG_6, RN_BM_REGS_AX);
	if (!args) {
		session_ends(gen);
	} else {
		key = rn_gen_stack(gen, KEY_BYTES);
		rn_emit_mov(e, BPF_REG_1, BPF_REG_6);
		rn_emit_call(e, BPF_FUNC_get_attach_cookie);
		rn_emit_mov(e, BPF_REG_9, BPF_REG_0);
		key_of_session(gen, key, BPF_REG_9);
		find_noted(gen, key);
	}
	current_if_scoped(gen);
}
