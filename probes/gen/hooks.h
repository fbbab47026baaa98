/* hooks.h - where the programs are attached: one table, hooks.c. rn_hook_traces lists the
 * prototypes to look for. gen.c asks which hook a class has, and how its program begins. attach.c
 * attaches the programs.
 *
 * A new class of events is a row of that table with the function that takes the tracepoint's
 * arguments, and a row of RN_CLASSES. */
#ifndef RN_PROBES_GEN_HOOKS_H
#define RN_PROBES_GEN_HOOKS_H
#include <stdbool.h>
#include <stdint.h>
#include "lang/catalog/catalog.h"
#include "probes/kernel/btf.h"

struct rn_gen;
/* hooks that the generator calls by name; the other rows follow, found by their class */
enum rn_hook {
	RN_HOOK_SYS_EXIT,
	RN_HOOK_SYS_ENTER,
	RN_HOOK_SCOPE_FORK,
	RN_HOOK_SCOPE_FREE,
	RN_HOOK_TP,
	RN_HOOK_TAKER, /* none: other programs hand events over (handover.c) */
	/* the kernel's functions of the calls alone, and what goes with them: functions.c */
	RN_HOOK_CALL_RETURN,
	RN_HOOK_CALL_ENTRY,
	RN_HOOK_CALL_REFUSED,
	RN_HOOK_CALL_EMULATED,
	RN_HOOK_CALL_COMPAT,
	RN_HOOK_CALLERS,
	/* functions of programs: their entry is the event; or their end, and the entry is noted */
	RN_HOOK_USER_ENTRY,
	RN_HOOK_USER_RETURN,
	RN_HOOK_USER_NOTE,
	/* the same of the kernel; session: one program at both */
	RN_HOOK_KERNEL_ENTRY,
	RN_HOOK_KERNEL_RETURN,
	RN_HOOK_KERNEL_NOTE,
	RN_HOOK_KERNEL_SESSION,
	RN_HOOK_KERNEL_TRACED, /* a program for each of few functions: its arguments, no registers
				*/
	RN_HOOK_TRACED_RETURN, /* and two for each, if the end is the event */
	RN_HOOK_TRACED_NOTE,
	RN_HOOK_OTHERS, /* the first of the other rows, which have no names here */
	RN_HOOK_MAX = RN_BTF_TRACES_MAX,
};
struct rn_hook_row {
	/* tracepoint of the kernel, attached to by its type (tp_btf), or by its name if the program
	 * hands events over; NULL: the class names it */
	const char *trace;
	uint16_t cls; /* the class whose events it makes; RN_CLS_NONE: none of its own */
	/* Emits the beginning of a program: r1 is the context. Sets r6 and r7 by the contract of
	 * probes/gen/gen.h; jumps to out_label if the event is not of the class. For a hook that
	 * makes no events: the whole program. */
	void (*begin)(struct rn_gen *gen);
	/* Operations that are not calls: this hook makes the numbers [op, op + nops). Next come the
	 * precompiled function that describes one, and how many of the tracepoint's arguments it
	 * takes at most: rn_bpf_call.arg[5] then has their number. The program goes with every
	 * class that covers one of the numbers, if the kernel has the tracepoint. An
	 * auxiliary program makes no events; it goes with those of these numbers, which may also be
	 * calls. only_with_search: it goes only if their payload is searched. If several such rows
	 * have one `op`, the first with a tracepoint of this kernel counts. */
	uint16_t op, nops;
	int intrinsic, nargs;
	bool auxiliary, only_with_search;
	/* goes with every search for tags, to count a way that is not searched (ways.c) */
	bool way;
	/* a row that also helps the rows before it; attached when it is found to be missed:
	 * probes/live/attach.c */
	bool attach_on_demand;
	/* one hit of the hook may stand for several operations: the function is called at most so
	 * often */
	int max_ops_per_hit;
	/* Hooks other than a tracepoint, which is then NULL: the clock of each CPU; or functions of
	 * TLS libraries, at their return or their entry; or those that the query names. Programs on
	 * these may lose the CPU to others while they run: see probes/gen/preempt.c. An iterator,
	 * under the kernel's name in `trace`, passes over all tasks, or over all their open files,
	 * and may lose the CPU too. Functions of the kernel, at their return or their entry:
	 * rn_prog.function says which. */
	enum {
		RN_AT_TRACE,
		RN_AT_CLOCK,
		RN_AT_TLS_RETURN,
		RN_AT_TLS_ENTRY,
		RN_AT_USER_ENTRY,
		RN_AT_USER_RETURN,
		RN_AT_KERNEL_ENTRY,
		RN_AT_KERNEL_RETURN,
		RN_AT_KERNEL_SESSION,
		RN_AT_ITERATOR,
		RN_AT_RETURN,
		RN_AT_ENTRY,
		RN_AT_NONE,
		RN_AT_MODULE /* a tracepoint of a module, which may not be there: attached to by its
				name, without types */
	} at;
};
bool rn_hook_in_library(const struct rn_hook_row *hook);
bool rn_hook_in_kernel(const struct rn_hook_row *hook); /* functions of it that a query names */
/* Is the event the end of a call that was noted when it began? */
bool rn_hook_ends_call(unsigned hook);
bool rn_hook_is_op(const struct rn_hook_row *hook);   /* the operations are not calls */
const struct rn_hook_row *rn_hook_row(unsigned hook); /* NULL: there are no more */
/* Lists what to look for in the kernel's types: want[h] is for hook h. Returns how many. */
unsigned rn_hook_traces(struct rn_btf_trace want[RN_HOOK_MAX]);
/* Returns the hook of an event class; -1: it has none. */
int rn_hook_of(const struct rn_class *cls);
#endif
