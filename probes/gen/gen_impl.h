/* gen_impl.h - inside the generator: the larger parts of a program, one file each. */
#ifndef RN_PROBES_GEN_GEN_IMPL_H
#define RN_PROBES_GEN_GEN_IMPL_H
#include "probes/catalog/members.h"
#include "probes/gen/gen.h"

enum { RN_USER32_CS = 0x23 }; /* of x86-64: the code segment of 32-bit programs */
enum {
	RN_STACK_MAX = 320,   /* the rest of the 512 bytes is for precompiled functions */
	RN_KEY_ON_STACK = 96, /* wider keys are packed in scratch memory */
	/* larger maps of cells grow on demand: creating them would take too long */
	RN_CELLS_PREALLOC = 65536,
	RN_CELLS_MAX = 1 << 19,
	/* bytes; beyond it (many CPUs) entries are allocated as they come */
	RN_GROUPS_PREALLOC = 64 << 20,
};

/* gen.c: the steps of an event program. begin; context (by hook, into r6, r7); admit (checks the
 * class, then the task; any_task: each task; leaves r8 = current task); its conditions; result;
 * end. */
void rn_gen_begin(struct rn_gen *gen, unsigned hook, const char *name);
/* After a branch of the program: forget what it computed, since another branch does not know it. */
void rn_gen_forget(struct rn_gen *gen, const struct rn_gen *before);
void rn_gen_context(struct rn_gen *gen);
/* field_load.c: dst = the status of the process with leader r6, as wait(2) gives it (kernel/exit.c:
 * wait_task_zombie). */
void rn_gen_exit_status(struct rn_gen *gen, int dst);

/* ---- gen.c ---- */

void rn_gen_filter_task(struct rn_gen *gen, bool any_task);
void rn_gen_of_class(struct rn_gen *gen); /* leaves if the event is not of the class */
/* those tested in the kernel */
void rn_gen_where(struct rn_gen *gen, const struct rn_conjunct *conjunct, unsigned n);
void rn_gen_result(struct rn_gen *gen);
/* the event goes to the ring; then it leaves, or goes on if the ring is full, which is counted */
void rn_gen_row(struct rn_gen *gen);
void rn_gen_of_event(struct rn_gen *gen); /* an event's conditions, and its result */
void rn_gen_end(struct rn_gen *gen);
void rn_gen_enter_program(struct rn_gen *gen, unsigned hook);
/* operations.c: ioctls that are operations. The function for numbers sets gen->clones if the class
 * covers them. The one for the class leaves if the call is neither in gen->nr nor one of them. The
 * branch jumps to the returned label if the call is one. The last begins the code at that label;
 * the part before it ends here. */
unsigned rn_gen_clone_ops(const uint16_t **nr); /* their numbers */
void rn_gen_clone_numbers(struct rn_gen *gen);
void rn_gen_clone_class(struct rn_gen *gen);
int rn_gen_clone_branch(struct rn_gen *gen);
void rn_gen_clone_begin(struct rn_gen *gen, int clone);
/* named.c: the beginnings of the hooks on functions that a query names; all of the programs that
 * note a call */
void rn_gen_user_enter(struct rn_gen *gen);
void rn_gen_user_note(struct rn_gen *gen);
void rn_gen_user_return(struct rn_gen *gen);
void rn_gen_kernel_enter(struct rn_gen *gen);
void rn_gen_kernel_note(struct rn_gen *gen);
void rn_gen_kernel_return(struct rn_gen *gen);
void rn_gen_kernel_session(struct rn_gen *gen);
void rn_gen_traced_enter(struct rn_gen *gen);
void rn_gen_traced_note(struct rn_gen *gen);
void rn_gen_traced_return(struct rn_gen *gen);
void rn_gen_traced(struct rn_gen *gen); /* makes the programs for each of opts->traced */
/* hooks.c: r6 = r1, the context; leaves if the task is out of scope, before anything that the end
 * of the program has to give back. Only for a program that may lose the CPU. */
void rn_gen_library_scope(struct rn_gen *gen);
/* gen.c: the hook of the events of this part of the fragment: its class, or an end of a pair. -1:
 * it has none. note: of the program that notes a call, if the event is its end; 0: there is
 * none. */
int rn_gen_hook_of(const struct rn_gen *gen, unsigned part, unsigned *note);
/* pair.c: both programs of a pair. begin: chooses the kept values, before anything is laid out. */
void rn_gen_pair_begin(struct rn_gen *gen);
void rn_gen_pair(struct rn_gen *gen);
/* The event's own field for a field of the fragment's class. kept: the value kept from the first
 * event if the event has no such field; else NULL. */
const struct rn_field *rn_gen_resolve_pair_field(struct rn_gen *gen, const struct rn_field *field,
						 struct rn_pair_capture **kept);
void rn_gen_kept(struct rn_gen *gen, const struct rn_pair_capture *capture,
		 int reg); /* reg = its address */
/* preempt.c, for a program that may lose the CPU. Makes it the only one of this query on the CPU,
 * until it gives the CPU back. Leaves if another one is at work there. Clobbers all but r6 and
 * r7. */
void rn_gen_take_cpu(struct rn_gen *gen);
void rn_gen_give_cpu(struct rn_gen *gen); /* at the end; nothing if the CPU was not taken */
/* The same for programs on several tracepoints, one of which may be hit amid another's. may: first
 * of all; then once the event is to be handled. */
void rn_gen_may_mark(struct rn_gen *gen);
void rn_gen_mark(struct rn_gen *gen);
/* In every other program: leaves if it interrupted such a program on this CPU. Clobbers r0..r5,
 * r9. */
void rn_gen_check_cpu(struct rn_gen *gen);
/* gen.c: r0 = the element of an array, or a jump to miss. */
void rn_gen_array(struct rn_gen *gen, int map, int index, int miss);
/* group.c */
void rn_gen_group(struct rn_gen *gen);
/* gen.c: leaves a held fragment if its time has not come. Clobbers r0 to r5. */
void rn_gen_gate(struct rn_gen *gen);

/* ---- group.c ---- */

/* r0 = a CPU's part of a map's only value: a part is `stride` bytes, the first is at `off`. A CPU
 * without a part jumps to miss. Programs of one CPU share it, as with a per-CPU map; a lookup in
 * such a map reads two more lines of memory. Clobbers r0..r5. */
void rn_gen_cpu_part(struct rn_gen *gen, int map, unsigned off, unsigned stride, int miss);
/* the counter += 1; clobbers r0..r5 */
void rn_gen_stat(struct rn_gen *gen, enum rn_stat s);
/* r0 += stride if the epoch is odd; clobbers r1 */
void rn_gen_half(struct rn_gen *gen, unsigned stride);
/* r1 = map0 or the one after it, by epoch; clobbers r0 */
void rn_gen_select(struct rn_gen *gen, int map0);
/* The event leaves the kernel as a row: a branch of its own, which ends here. */
void rn_gen_leave_as_row(struct rn_gen *gen);
/* reg = address of the packed key; clobbers r0..r5 */
void rn_gen_key_address(struct rn_gen *gen, int reg);
/* r9 = this CPU's part of the group of that key */
void rn_gen_find(struct rn_gen *gen);
void rn_gen_map_specs(struct rn_gen *gen);
/* arguments.c: arguments of static probes, and texts: computes what the slot is for. Notes the
 * texts at the entry behind the call at stack offset `call`, if the query has any; returns true
 * with r9 = both, else false. Takes them out of the noted call at r9; r6 = the copied call. Bytes
 * that are noted of a call. */
void rn_gen_fetch_argument(struct rn_gen *gen, enum rn_cached m);
bool rn_gen_note_texts(struct rn_gen *gen, int call);
void rn_gen_take_texts(struct rn_gen *gen);
unsigned rn_gen_noted_bytes(const struct rn_gen *gen);
/* The slot of the field, if it is such an argument or text; else RN_CACHED_COUNT. */
enum rn_cached rn_gen_cached_argument(const struct rn_gen *gen, const struct rn_field *field);
/* field_store.c */
void rn_gen_fetch_stack(struct rn_gen *gen, enum rn_cached m);
void rn_gen_store_stack(struct rn_gen *gen, bool user, int base, int off); /* base is r9 or r10 */
/* hooks.c: makes programs for all tracepoints of a glob. The name that a call has in such
 * a program, NULL: none. The number of the event's name. */
void rn_gen_tracepoints(struct rn_gen *gen);
const char *rn_gen_tp_name(const struct rn_gen *gen, unsigned nr);
void rn_gen_store_tp(struct rn_gen *gen, int base, int off); /* clobbers r1 */
/* gen.c: makes a program for events of the class. */
void rn_gen_event_program(struct rn_gen *gen, unsigned hook);
/* gen.c: makes a program that is all said by its hook. */
void rn_gen_plain_program(struct rn_gen *gen, unsigned hook, const char *name);
/* operations.c: programs for operations that the class covers besides calls */
void rn_gen_operations(struct rn_gen *gen);
/* the numbers from [from, to) whose events the next program makes: gen->nr */
void rn_gen_numbers(struct rn_gen *gen, unsigned from, unsigned to);
/* unsearched.c: calls that begin to use a way that a search for tags does not cover; leaves once
 * they are counted. Is nr one of them? */
void rn_gen_unsearched(struct rn_gen *gen);
bool rn_gen_is_unsearched(unsigned nr);
/* the program that finds rings from before the query */
void rn_gen_rings(struct rn_gen *gen);
void rn_gen_open_file(struct rn_gen *gen); /* the whole program: r1 = an iterator's context */
/* the kernel's conditions on the process alone; fetches their fields */
void rn_gen_where_process(struct rn_gen *gen);
void rn_gen_leave_out_options(
	struct rn_gen *gen); /* leaves for a getsockopt that moves no payload */
/* ways.c: such ways that tracepoints report; the programs of their hooks. copying: calls that may
 * have a file copied up. leave_out_copying: leaves if the call is one of these and no file was
 * copied up. */
void rn_gen_ways(struct rn_gen *gen);
void rn_gen_bio(struct rn_gen *gen);
void rn_gen_served(struct rn_gen *gen);
void rn_gen_inode(struct rn_gen *gen);
unsigned rn_gen_copying(const uint16_t **nr);
void rn_gen_leave_out_copying(struct rn_gen *gen);
/* functions.c: makes programs on the functions of the calls alone, beside those on tracepoints; the
 * beginnings of their hooks. Is it a hook at which calls return? */
void rn_gen_functions(struct rn_gen *gen);
void rn_gen_refused(struct rn_gen *gen);
void rn_gen_emulated(struct rn_gen *gen);
void rn_gen_caller(struct rn_gen *gen); /* the whole program: r1 = an iterator's context */
bool rn_gen_at_return(unsigned hook);
/* gen.c: counts a 32-bit call, and leaves */
void rn_gen_leave_out_compat(struct rn_gen *gen);
/* handover.c: one program searches and makes the results; those at hooks hand events to it. Does
 * the present program? Makes the program at a hook, then those without one. */
bool rn_gen_hands_over(const struct rn_gen *gen);
bool rn_gen_takes_over(const struct rn_gen *gen);
void rn_gen_hook_program(struct rn_gen *gen, unsigned hook);
void rn_gen_takers(struct rn_gen *gen);
/* Is the present program handed the hits of another query's search? */
bool rn_gen_joined(const struct rn_gen *gen);
/* Jumps to label if the record is of a call. Only in a program that events are handed to; clobbers
 * reg. */
void rn_gen_if_call(struct rn_gen *gen, int reg, int label);
/* Leaves if the call is none that the query wants, by a table. */
void rn_gen_class_by_table(struct rn_gen *gen);
/* unsearched.c: is it a condition on the process that every hook can test at once? */
bool rn_gen_of_task(const struct rn_gen *gen, const struct rn_conjunct *conjunct);
/* chain.c: is the present program one of several that run one after another? Then does the chain
 * note when the calls of the class begin? Notes which calls it wants, at its begin; goes on to the
 * next program, at its end. dst = when the call began; jumps to unknown if that is not known. */
bool rn_gen_chained(const struct rn_gen *gen);
bool rn_gen_chain_begins(const struct rn_gen *gen);
void rn_gen_chain_wants(struct rn_gen *gen);
void rn_gen_chain_next(struct rn_gen *gen);
void rn_gen_chain_begin(struct rn_gen *gen, int dst, int unknown);
/* gen.c: what went out of a pipe */
void rn_gen_take_pipe_capture(struct rn_gen *gen);
/* group.c */
bool rn_gen_recent_fits(const struct rn_gen *gen);
/* r9 = this CPU's recent group, now the group of the key on the stack */
void rn_gen_last_group(struct rn_gen *gen);
/* scope.c: r8 = current task; jumps to gen->out_label if the query must not watch it: a task of the
 * asking process, or out of scope. Clobbers r0..r5. */
void rn_gen_scope(struct rn_gen *gen);
/* the same for the task in r8, which need not be the current one */
void rn_gen_scope_task(struct rn_gen *gen);
/* Is r8 a pointer that helpers refuse? Then they get one of their own. */
bool rn_gen_task_is_cast(const struct rn_gen *gen);
void rn_gen_current(struct rn_gen *gen);         /* r8 = current task, whatever it is */
bool rn_gen_scope_any(const struct rn_gen *gen); /* is there a scope at all? */
/* Does some set of processes take the children of its members in? Then programs at fork and
 * release keep it. */
bool rn_gen_follows(const struct rn_gen *gen);
void rn_gen_scope_fork(struct rn_gen *gen);
void rn_gen_scope_free(struct rn_gen *gen);
/* The event's process becomes a member of the live set that the fragment adds to. */
void rn_gen_add_member(struct rn_gen *gen);
/* dst = 1 if the process id in register pid is a member of that live set of the fragment, else 0;
 * clobbers r0, r2, r3. */
void rn_gen_is_member(struct rn_gen *gen, unsigned set, int pid, int dst);

/* field_load.c: the field of the tracepoint itself; NULL if field is none. */
/* the tracepoint whose record r6 is; NULL: r6 is none */
const struct rn_tp *rn_gen_record(const struct rn_gen *gen);
const struct rn_tp_field *rn_gen_tp_field(const struct rn_gen *gen, const struct rn_field *field);
#endif
