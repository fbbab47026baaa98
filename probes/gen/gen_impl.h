/* gen_impl.h - inside the generator: the larger parts of a program, one file each. */
#ifndef RN_PROBES_GEN_GEN_IMPL_H
#define RN_PROBES_GEN_GEN_IMPL_H
#include "probes/gen/gen.h"

enum {
	RN_STACK_MAX = 320,   /* the rest of the 512 bytes is for precompiled functions */
	RN_KEY_ON_STACK = 96, /* wider keys are packed in scratch memory */
	/* larger maps of cells grow on demand: creating them would take too long */
	RN_CELLS_PREALLOC = 65536,
	RN_CELLS_MAX = 1 << 19,
	/* bytes; beyond it (many CPUs) entries are allocated as they come */
	RN_GROUPS_PREALLOC = 64 << 20,
};

/* gen.c: a program of events is begin, context (by hook, into r6, r7), admit (the class, then who;
 * anybody: no matter who; leaves r8 = current task), its conditions, result, end. */
void rn_gen_begin(struct rn_gen *g, unsigned hook, const char *name);
void rn_gen_context(struct rn_gen *g);
/* field_load.c: dst = the status of the process whose leader is r6, as wait(2) gives it
 * (kernel/exit.c: wait_task_zombie). */
void rn_gen_exit_status(struct rn_gen *g, int dst);
void rn_gen_admit(struct rn_gen *g, bool anybody);
/* those of the kernel */
void rn_gen_where(struct rn_gen *g, const struct rn_conjunct *w, unsigned n);
void rn_gen_result(struct rn_gen *g);
void rn_gen_end(struct rn_gen *g);
void rn_gen_enter_program(struct rn_gen *g);
/* those from [from, to) whose events the next program makes: g->nr */
void rn_gen_numbers(struct rn_gen *g, unsigned from, unsigned to);
/* clone.c: ioctls that are operations. numbers: whether the class covers them: g->clones.
 * class: out if the call is none of g->nr and none of them. branch: to the label that it gives if
 * the call is one. begin: there, of what follows; the part before it ends here. */
void rn_gen_clone_numbers(struct rn_gen *g);
void rn_gen_clone_class(struct rn_gen *g);
int rn_gen_clone_branch(struct rn_gen *g);
void rn_gen_clone_begin(struct rn_gen *g, int clone);
/* pair.c: both programs of a pair. begin: what is kept, before anything is laid out. */
void rn_gen_pair_begin(struct rn_gen *g);
void rn_gen_pair(struct rn_gen *g);
/* A field of the fragment's class as one of the event's own. kept: it is not, but was kept of the
 * first event; else NULL. */
const struct rn_field *rn_gen_own(struct rn_gen *g, const struct rn_field *f,
				  struct rn_pair_capture **kept);
void rn_gen_kept(struct rn_gen *g, const struct rn_pair_capture *k,
		 int reg); /* reg = its address */
/* preempt.c. Of a program that may lose the CPU: makes it the only one of this query on it, until
 * it gives it back; out if another one is at work there. Clobbers all but r6 and r7. */
void rn_gen_take_cpu(struct rn_gen *g);
void rn_gen_give_cpu(struct rn_gen *g); /* at the end; nothing if it was not taken */
/* The same of programs on several tracepoints, one of which may be hit amid another's: first of
 * all, and once the event is to be looked at. */
void rn_gen_may_mark(struct rn_gen *g);
void rn_gen_mark(struct rn_gen *g);
/* Of the others: out if such a program was interrupted on this CPU. Clobbers r0..r5, r9. */
void rn_gen_check_cpu(struct rn_gen *g);
/* gen.c: r0 = the element of an array, or to miss. */
void rn_gen_array(struct rn_gen *g, int map, int index, int miss);
/* group.c */
void rn_gen_group(struct rn_gen *g);
/* gen.c. Leaves a fragment that is held if its time has not come. Clobbers r0 to r5. */
void rn_gen_gate(struct rn_gen *g);
/* r1 = map0 or the one after it, by epoch; clobbers r0 */
void rn_gen_select(struct rn_gen *g, int map0);
/* reg = address of the packed key; clobbers r0..r5 */
void rn_gen_key_address(struct rn_gen *g, int reg);
/* r9 = the group of that key, this CPU's part */
void rn_gen_find(struct rn_gen *g);
void rn_gen_map_specs(struct rn_gen *g);
/* stack_id.c */
void rn_gen_fetch_stack(struct rn_gen *g, enum rn_mat m);
void rn_gen_store_stack(struct rn_gen *g, bool user, int base, int off); /* base is r9 or r10 */
/* tracepoint_glob.c: programs for all that a glob matches; the name that a call has in such a
 * program, NULL: none; the number of the event's name. */
void rn_gen_tracepoints(struct rn_gen *g);
const char *rn_gen_tp_name(const struct rn_gen *g, unsigned nr);
void rn_gen_store_tp(struct rn_gen *g, int base, int off); /* clobbers r1 */
/* gen.c: a program that makes events of the class. */
void rn_gen_event_program(struct rn_gen *g, unsigned hook);
/* unsearched.c: calls that begin to use a way which a search for tags does not search; out once
 * they are counted. Is nr one of them? */
void rn_gen_unsearched(struct rn_gen *g);
bool rn_gen_is_unsearched(unsigned nr);
/* the program that finds those that were there before the query */
void rn_gen_rings(struct rn_gen *g);
void rn_gen_open_file(struct rn_gen *g); /* the whole of it: r1 = an iterator's context */
/* of the kernel's conditions, those that are about the process alone; their fields are fetched */
void rn_gen_where_process(struct rn_gen *g);
void rn_gen_leave_out_options(struct rn_gen *g); /* out: a getsockopt that moves no payload */
/* ways.c: such ways that tracepoints tell; the programs of hooks. copying: calls that may have
 * a file copied up; leave_out_copying: out if the call is one, and none has had that. */
void rn_gen_ways(struct rn_gen *g);
void rn_gen_bio(struct rn_gen *g);
void rn_gen_served(struct rn_gen *g);
void rn_gen_inode(struct rn_gen *g);
unsigned rn_gen_copying(const uint16_t **nr);
void rn_gen_leave_out_copying(struct rn_gen *g);
/* last_group.c */
bool rn_gen_recent_fits(const struct rn_gen *g);
/* r9 = this CPU's recent group, now that of the key on the stack */
void rn_gen_recent(struct rn_gen *g);
/* scope.c. r8 = current task; jumps to g->out_label if it is not to be watched: one that asks, or
 * out of scope. Clobbers r0..r5. */
void rn_gen_scope(struct rn_gen *g);
/* the same of the task in r8, which need not be the current one */
void rn_gen_scope_task(struct rn_gen *g);
void rn_gen_current(struct rn_gen *g);         /* r8 = current task, whoever it is */
bool rn_gen_scope_any(const struct rn_gen *g); /* is there a scope at all? */
void rn_gen_scope_fork(struct rn_gen *g);
void rn_gen_scope_free(struct rn_gen *g);

/* field_load.c: the field of the tracepoint itself, NULL if f is none. */
const struct rn_tp_field *rn_gen_tp_field(const struct rn_gen *g, const struct rn_field *f);
#endif
