/* named.c - functions that a query names, of programs or of the kernel: found when the source is
 * opened, and attached to. */
#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "lang/base/memory.h"
#include "planner/plan/call_ends.h"
#include "probes/catalog/members.h"
#include "probes/catalog/tracefs.h"
#include "probes/intrinsics/splice.h"
#include "probes/live/live_impl.h"
#include "probes/uprobe/usdt.h"

/* Parameters by their names: a function of which the kernel does not tell them has no probe. */
static void leave_out_unknown(struct rn_named *named)
{
	const struct rn_class *cls = named->cls;
	struct rn_user *u = &named->user;
	unsigned n = 0;

	for (unsigned i = 0; i < u->n; i++)
		if (rn_types_fits(cls->member_self, cls, u->at[i].name))
			u->at[n++] = u->at[i];
		else
			rn_user_leave_out(u, u->at[i].name);
	u->n = n;
}

/* RUNNEL_WITHOUT can hide a way, and with it the better ones. */
static enum rn_kprobe_way best_of(enum rn_kprobe_way most)
{
	for (enum rn_kprobe_way way = RN_KPROBE_PERF; way <= most; way++)
		if (rn_btf_without(rn_kprobe_name(way)))
			most = way - 1;
	return rn_kprobe_best(most);
}

static enum rn_kprobe_way best_way(const struct rn_live *live, bool ends)
{
	bool session = ends && rn_splice_session(&live->ids, NULL, 0);

	return best_of(session ? RN_KPROBE_SESSION : RN_KPROBE_MULTI);
}

static FILE *open_list(int tracefs, const char *name)
{
	int fd = openat(tracefs, name, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? NULL : fdopen(fd, "r");
}

static int no_probes(struct rn_err *err)
{
	rn_err_set(err, -ENOTSUP, "this kernel is built without probes on its functions");
	rn_err_hint(err, "its tracepoints are there: `runnel list 'tcp:*'` shows those of "
			 "tcp; and system calls by name");
	return -ENOTSUP;
}

static int find_kernel(struct rn_live *live, struct rn_named *named, bool members,
		       struct rn_err *err)
{
	int root = rn_tracefs_open(err), r;
	FILE *list, *symbols;

	if (root < 0)
		return root;
	named->kprobe = best_way(live, named->ends && !live->fragment->cls->pair);
	named->multi = named->kprobe > RN_KPROBE_PERF;
	if (!named->multi) /* far fewer than any limit: see few_enough */
		named->user.most = RN_MAX_FUNCTIONS;
	symbols = named->kprobe > RN_KPROBE_PERF ? fopen("/proc/kallsyms", "re") : NULL;
	list = symbols ? open_list(root, "available_filter_functions_addrs") : NULL;
	if (!list)
		list = open_list(root, "available_filter_functions");
	close(root);
	if (list && named->kprobe)
		r = rn_user_find_kernel(&named->user, list, symbols, named->cls->arg, err);
	else
		r = no_probes(err);
	if (!r && members)
		leave_out_unknown(named);
	if (list)
		(void)fclose(list);
	if (symbols)
		(void)fclose(symbols);
	return r;
}

FILE *rn_live_kernel_functions(struct rn_err *err)
{
	int root = rn_tracefs_open(err);
	FILE *list;

	if (root < 0)
		return NULL;
	list = open_list(root, "available_filter_functions");
	if (!list)
		rn_err_set(err, -errno, "the kernel's list of its functions: %s", strerror(errno));
	close(root);
	if (!best_of(RN_KPROBE_MULTI)) {
		if (list)
			(void)fclose(list);
		no_probes(err);
		return NULL;
	}
	if (!list)
		rn_err_hint(err, "run as root, or have /sys/kernel/tracing mounted and readable");
	return list;
}

int rn_live_find_kernel(struct rn_user *user, const char *arg, struct rn_err *err)
{
	FILE *list = rn_live_kernel_functions(err);
	int r;

	if (!list)
		return err->code;
	r = rn_user_find_kernel(user, list, NULL, arg, err);
	(void)fclose(list);
	return r;
}

/* The decoder tells the functions of a pair's second event by this bit. */
static void mark_second(struct rn_user *u)
{
	for (unsigned i = 0; i < u->n; i++)
		u->at[i].cookie |= RN_USER_SECOND;
	for (unsigned i = 0; i < u->nleave; i++)
		u->leave[i].cookie |= RN_USER_SECOND;
}

static int find_part(struct rn_live *live, unsigned part, struct rn_err *err)
{
	const struct rn_fragment *f = live->fragment;
	struct rn_named *named = &live->named[part];
	struct rn_user *u = &named->user;
	int r = 0;

	named->cls = rn_fragment_functions(f, part);
	if (!named->cls)
		return 0;
	named->ends = rn_fragment_of_ends(f, part);
	u->most = f->max_functions;
	named->multi = named->cls->id != RN_CLS_KERNEL && rn_uprobe_multi();
	live->dec.functions[part] = u;
	switch (named->cls->id) {
	case RN_CLS_USER: r = rn_user_find(u, named->cls->arg, named->ends, err); break;
	case RN_CLS_USDT:
		u->most = 0; /* the map of places has no room for more */
		r = rn_usdt_find(u, named->cls->arg, rn_gen_arguments(f, part), err);
		break;
	default: r = find_kernel(live, named, !f->cls->pair && rn_gen_has_members(f), err); break;
	}
	if (part)
		mark_second(u);
	return r;
}

/* Without links that hold many, each probe is a perf event, which the kernel takes 110 ms to end.
 */
static int few_enough(const struct rn_live *live, struct rn_err *err)
{
	enum { FEW = 64 };
	unsigned n = 0;

	for (unsigned part = 0; part < 2; part++)
		n += live->named[part].multi ? 0 : live->named[part].user.n;
	if (n <= FEW)
		return 0;
	rn_err_set(err, -E2BIG,
		   "%u functions: this kernel attaches to each alone, and ends that so slowly that "
		   "at most %d are probed [E-LIMIT-FUNCTIONS]",
		   n, FEW);
	rn_err_hint(err, "ask for fewer: a longer glob; or use Linux 6.6 or later");
	return -E2BIG;
}

int rn_live_find_functions(struct rn_live *live, struct rn_err *err)
{
	int r = find_part(live, 0, err);

	r = r ? r : find_part(live, 1, err);
	return r ? r : few_enough(live, err);
}

static void look_for_result(void *self, const struct rn_field *f)
{
	*(bool *)self |= f->id == RN_F_RET || f->id == RN_F_TEXT_RET;
}

static void look_for_stack(void *self, const struct rn_field *f)
{
	*(bool *)self |= f->id == RN_F_STACK;
}

/* Stacks of the kernel would begin in another place. */
bool rn_live_may_trace(const struct rn_live *live)
{
	const struct rn_named *named = &live->named[0];
	bool stacks = false;

	if (!named->kprobe || live->fragment->cls->pair || !named->user.n ||
	    named->user.n > RN_TRACED_MAX || rn_btf_without("fentry"))
		return false;
	rn_fragment_each_field(live->fragment, 0, look_for_stack, &stacks);
	return !stacks;
}

/* If several functions have one name, the types tell one of them. */
void rn_live_find_traced(struct rn_live *live, const struct rn_btf_image *kernel)
{
	struct rn_named *named = &live->named[0];
	const char *names[RN_TRACED_MAX];
	unsigned args = rn_gen_arguments(live->fragment, 0), n = named->user.n;
	bool result = false;

	for (unsigned i = 0; i < n; i++) {
		names[i] = named->user.at[i].name;
		if (named->user.at[i].cookie != i) /* of a module */
			return;
		for (unsigned k = 0; k < i; k++)
			if (!strcmp(names[i], names[k]))
				return;
	}
	if (!rn_functions_find(named->traced, names, n, kernel))
		return;
	rn_fragment_each_field(live->fragment, 0, look_for_result, &result);
	for (unsigned i = 0; i < n; i++) /* what it does not have */
		if (args >> named->traced[i].nargs || (result && !named->traced[i].has_result))
			return;
	named->ntraced = n;
}

bool rn_live_named(const struct rn_fragment *fragment)
{
	return rn_fragment_functions(fragment, 0) || rn_fragment_functions(fragment, 1) ||
	       rn_gen_has_members(fragment);
}

struct rn_named *rn_live_named_of(struct rn_live *live, const struct rn_prog *prog)
{
	return &live->named[prog->part];
}

void rn_live_count_late(struct rn_live *live)
{
	for (unsigned part = 0; part < 2; part++) {
		struct rn_named *named = &live->named[part];

		if (named->cls && named->cls->id != RN_CLS_KERNEL)
			named->user.left_out += rn_user_late(&named->user, named->cls->arg);
	}
}

void rn_live_close_named(struct rn_live *live)
{
	for (unsigned part = 0; part < 2; part++)
		rn_user_close_files(&live->named[part].user);
}

void rn_live_free_named(struct rn_live *live)
{
	for (unsigned part = 0; part < 2; part++)
		rn_user_free(&live->named[part].user);
}

/* Static probes of both ends of a pair follow one another: rn_gen_opts.places_from. */
int rn_live_write_places(struct rn_live *live, struct rn_err *err)
{
	uint32_t at = 0;

	for (unsigned part = 0; part < 2; part++) {
		const struct rn_user *u = &live->named[part].user;

		for (uint32_t i = 0; u->operands && i < u->n; i++, at++)
			if (bpf_map_update_elem(live->maps.fd[RN_MAP_PLACES], &at, &u->operands[i],
						BPF_ANY))
				return rn_err_set(err, -errno, "cannot fill the map of places: %s",
						  strerror(errno));
	}
	return 0;
}

/* Is it this function that the kernel does not probe? Two notes of one place may name different
 * counters, and others may probe the place already with another one: -EINVAL. */
static bool is_refusal(const struct rn_named *named, int file, int code)
{
	enum { ENOTSUPP = 524 }; /* of the kernel alone */

	return code == -ENOTSUPP || (named->user.operands && code == -EINVAL) ||
	       (file < 0 &&
		(code == -EINVAL || code == -ESRCH || code == -ENOENT || code == -EADDRNOTAVAIL));
}

/* The places that a program is attached to: functions of a file, or of the kernel. */
struct places {
	struct rn_live *live;
	struct rn_named *named;
	int prog, file; /* -1: the kernel */
	bool at_return; /* of the kernel */
};

static int attach_all(const struct places *p, const struct rn_probe_at *at, unsigned n)
{
	const struct rn_uprobes uprobes = {.file = p->file, .at = at, .n = n};
	int *links = rn_live_more_probes(p->live, n) + p->live->nprobes, r;

	r = p->file < 0 ? rn_kprobe_attach(p->prog, p->named->kprobe, p->at_return, at, n, links)
			: rn_uprobe_attach(p->prog, p->named->multi, &uprobes, links);
	p->live->nprobes += r > 0 ? (unsigned)r : 0;
	return r;
}

/* The kernel refuses this one. At its return it was counted at its entry, and one that is idle
 * is none of the query's. */
static void refuse(const struct places *p, const struct rn_probe_at *at)
{
	if (p->file >= 0)
		p->named->user.left_out++;
	else if (!p->at_return && at->cookie != UINT64_MAX)
		rn_user_leave_out(&p->named->user, at->name);
}

/* Attaches to n functions. One that cannot be probed fails the link that holds it: halves tell
 * which it is. */
static int attach_functions(const struct places *p, const struct rn_probe_at *at, unsigned n)
{
	/* each is attached alone: the first refusal would take out those before it */
	bool alone = n > 1 && !p->named->multi;
	int r = alone ? -ENOTSUP : attach_all(p, at, n);

	if (!alone && !is_refusal(p->named, p->file, r))
		return r < 0 ? r : 0;
	if (n == 1) {
		refuse(p, at);
		return 0;
	}
	r = attach_functions(p, at, n / 2);
	return r < 0 ? r : attach_functions(p, at + n / 2, n - n / 2);
}

/* Kernels before 6.14 keep as many calls at once whose return is probed as the link has functions,
 * for twice the number of CPUs. So a link of few functions gets some that are never called. */
static unsigned add_idle(const struct rn_user *u, unsigned ncpus, struct rn_probe_at *to)
{
	enum { CALLS = 2048 };
	unsigned want = CALLS / (2 * ncpus), n = want > u->n ? want - u->n : 0;

	n = n < u->nidle ? n : u->nidle;
	memcpy(to, u->idle, n * sizeof(*to));
	return n;
}

static int all_refused(const struct rn_user *u, struct rn_err *err)
{
	return rn_err_set(err, -ENOTSUP, "the kernel refuses a probe on `%s`%s", u->left_name[0],
			  u->left_out > 1 ? ", and on all others" : "");
}

static int attach_kernel(struct rn_live *live, unsigned i, struct rn_err *err)
{
	bool leave = live->out.prog[i].hook == RN_HOOK_KERNEL_RETURN,
	     ends = leave || live->out.prog[i].hook == RN_HOOK_KERNEL_SESSION;
	struct rn_named *named = rn_live_named_of(live, &live->out.prog[i]);
	const struct places p = {.live = live,
				 .named = named,
				 .prog = live->prog_fd[i],
				 .file = -1,
				 .at_return = leave};
	struct rn_user *u = &named->user;
	struct rn_probe_at *at = rn_malloc((u->n + u->nidle + 1) * sizeof(*at));
	unsigned n = u->n, from = live->nprobes;
	int r;

	memcpy(at, u->at, n * sizeof(*at));
	if (ends && named->multi)
		n += add_idle(u, live->ncpus, at + n);
	r = attach_functions(&p, at, n);
	free(at);
	if (!leave) { /* what it misses: a return without it is no event */
		named->entry_from = from;
		named->nentry = live->nprobes - from;
		if (!r && u->nleft && !named->nentry)
			return all_refused(u, err);
	}
	return r < 0 ? rn_live_denied(err, r, "cannot attach to the functions") : 0;
}

static int attach_user(struct rn_live *live, unsigned i, struct rn_err *err)
{
	bool leave = live->out.prog[i].hook == RN_HOOK_USER_RETURN;
	struct rn_named *named = rn_live_named_of(live, &live->out.prog[i]);
	struct rn_user *u = &named->user;
	int r = 0;

	for (unsigned k = 0; k < u->nfiles && r >= 0; k++) {
		const struct rn_user_file *f = &u->file[k];
		const struct places p = {
			.live = live, .named = named, .prog = live->prog_fd[i], .file = f->fd};
		unsigned n = leave ? f->nleave : f->n;

		if (!n)
			continue;
		r = attach_functions(&p, leave ? u->leave + f->leave_from : u->at + f->from, n);
	}
	return r < 0 ? rn_live_denied(err, r, "cannot attach to the functions") : 0;
}

int rn_live_attach_functions(struct rn_live *live, unsigned i, struct rn_err *err)
{
	return rn_hook_in_kernel(rn_hook_row(live->out.prog[i].hook)) ? attach_kernel(live, i, err)
								      : attach_user(live, i, err);
}

void rn_live_hold_calls(struct rn_live *live, bool hold)
{
	bool any = false;

	for (unsigned part = 0; part < 2; part++)
		any |= live->named[part].kprobe && live->named[part].ends;
	if (live->maps.globals && any)
		__atomic_store_n(&live->maps.globals->over, hold, __ATOMIC_SEQ_CST);
}

/* "; unattached: a, b and 7 more", or nothing */
static const char *unattached_text(const struct rn_user *u, struct rn_arena *arena)
{
	const char *text = "";

	for (unsigned i = 0; i < u->nleft; i++)
		text = rn_arena_printf(arena, "%s%s%s", text,
				       i ? ", " : "; unattached: ", u->left_name[i]);
	return u->nleft && u->left_out > u->nleft
		       ? rn_arena_printf(arena, "%s and %u more", text, u->left_out - u->nleft)
		       : text;
}

static const char *text_of(const struct rn_named *named, struct rn_arena *arena)
{
	bool kernel = named->cls->id == RN_CLS_KERNEL;
	const char *way = named->ntraced ? named->ends ? "fentry, fexit" : "fentry"
			  : kernel       ? rn_kprobe_name(named->kprobe)
			  : named->multi ? "uprobe.multi"
					 : "uprobe";
	const char *at = !named->ends ? "at the entry"
			 : kernel     ? "at the entry and at the return"
				      : "at the entry, and wherever it is left,";
	unsigned n = named->user.n, stepped = named->user.stepped;
	const char *text =
		rn_arena_printf(arena, "%s, %s of %s%u function%s%s", way, at,
				(named->multi && !named->ntraced) || n == 1 ? "" : "each of ", n,
				n == 1 ? "" : "s", unattached_text(&named->user, arena));

	if (!stepped)
		return text;
	return rn_arena_printf(
		arena, "%s (%s%s with an instruction that the kernel single-steps)", text,
		n == stepped ? n == 1 ? "it" : "all" : rn_arena_printf(arena, "%u", stepped),
		stepped == 1 ? " begins" : " begin");
}

const char *rn_live_named_text(const struct rn_live *live, struct rn_arena *arena)
{
	const char *text = live->named[0].cls || live->named[1].cls ? "hooks:" : "";

	for (unsigned part = 0; part < 2; part++)
		if (live->named[part].cls)
			text = rn_arena_printf(arena, "%s%s %s", text,
					       part && live->named[0].cls ? ";" : "",
					       text_of(&live->named[part], arena));
	if (!live->members)
		return text;
	return rn_arena_printf(arena, "%s%smembers: by %s", text, text[0] ? "\n" : "",
			       live->loads ? "loads" : "calls of bpf_probe_read_kernel");
}
