/* functions.c - chooses how the system calls of a query are hooked: on the kernel's functions of
 * these calls alone, so that others cost nothing, or on the tracepoints that all calls pass.
 *
 * The answer must be the same. So the query has the tracepoints
 *   - if the kernel refuses programs on functions, which one trial shows;
 *   - if it may take the CPU from such a program, whose memory is that of the CPU;
 *   - if a task that the query is about sleeps in one of the calls when the query begins: its
 *     return would not be seen. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "probes/catalog/tracefs.h"
#include "probes/kernel/trial.h"
#include "probes/live/live_impl.h"
#include "probes/live/parallel.h"

/* In which mode does a kernel with several run? A file of debugfs says so, as in "none (voluntary)
 * full". A kernel with one mode has no such file; its version says so if it is preemptible. */
static bool is_preemptible(void)
{
	int fd = open("/sys/kernel/debug/sched/preempt", O_RDONLY | O_CLOEXEC);
	int debugfs = fd < 0 ? rn_private_mount("debugfs") : -1;
	char text[128] = "";
	struct utsname name;
	ssize_t n;

	if (debugfs >= 0) {
		fd = openat(debugfs, "sched/preempt", O_RDONLY | O_CLOEXEC);
		close(debugfs);
	}
	if (fd < 0)
		return uname(&name) || strstr(name.version, "PREEMPT");
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	return n <= 0 || (!strstr(text, "(none)") && !strstr(text, "(voluntary)"));
}

bool rn_live_functions_try(struct rn_live_functions *known, const struct rn_btf *btf)
{
	char *why = known->refused;
	int fd;

	if (known->tried)
		return !*why;
	known->tried = true;
	/* such a kernel refuses before it looks for the function, which is gone after the boot */
	fd = rn_trial_load(BPF_PROG_TYPE_TRACING, BPF_TRACE_FEXIT, btf->trace[RN_HOOK_CALLERS]);
	rn_trial_close(fd);
	if (rn_btf_without("fexit"))
		snprintf(why, sizeof(known->refused), "this kernel has no programs on functions");
	else if (fd == -EPERM || fd == -EACCES)
		snprintf(why, sizeof(known->refused),
			 "this kernel refuses programs on functions: %s", strerror(-fd));
	else if (is_preemptible())
		snprintf(
			why, sizeof(known->refused),
			"this kernel may take the CPU from programs on functions, or does not say");
	return !*why;
}

bool rn_live_has_functions(const struct rn_live *live)
{
	bool any = false;

	for (unsigned i = 0; i < live->out.nprogs; i++)
		any |= live->out.prog[i].way == RN_WAY_FUNCTIONS;
	return any;
}

void rn_live_no_functions(struct rn_live *live, int code, const struct rn_err *err)
{
	live->functions = false;
	if (code != -EMFILE && code != -ENFILE) /* these say nothing about the kernel */
		snprintf(live->known->refused, sizeof(live->known->refused), "%.190s", err->text);
}

static void close_link(void *self, unsigned i)
{
	close(((int *)self)[i]);
}

static void take_off(struct rn_live *s)
{
	int fd[RN_PROGS_MAX];
	unsigned n = 0;

	for (unsigned i = 0; i < s->out.nprogs; i++)
		if (s->out.prog[i].way == RN_WAY_FUNCTIONS && s->link_fd[i] >= 0) {
			fd[n++] = s->link_fd[i];
			s->link_fd[i] = -1;
		}
	rn_parallel_for(n, close_link, fd);
}

/* With the programs in place: does a task sleep in a call that it began before? */
static bool are_in_calls(const struct rn_live *s)
{
	for (unsigned i = 0; i < s->out.nprogs; i++)
		if (s->out.prog[i].hook == RN_HOOK_CALLERS && s->link_fd[i] >= 0)
			rn_live_iterate(s->link_fd[i]);
	return __atomic_load_n(&s->maps.globals->callers, __ATOMIC_SEQ_CST) != 0;
}

int rn_live_attach_calls(struct rn_live *live, struct rn_err *err)
{
	struct rn_err refused = {0};
	const char *text;
	int r = 0;

	if (live->functions && rn_live_attach_way(live, RN_WAY_FUNCTIONS, &refused) < 0)
		rn_live_no_functions(live, -ENOTSUP, &refused);
	if (live->functions && are_in_calls(live)) {
		live->out.no_functions = "tasks were in such calls when the query began";
		live->functions = false;
	}
	if (!live->functions) {
		take_off(live);
		r = rn_live_attach_way(live, RN_WAY_TRACEPOINTS, err);
	}
	text = live->known ? rn_live_hooks_text(live, live->arena) : NULL;
	if (text)
		snprintf(live->known->taken, sizeof(live->known->taken), "%s", text);
	return r;
}

static const char *add_name(struct rn_arena *arena, const char *list, const char *name)
{
	return rn_arena_printf(arena, "%s%s%s", list, *list ? ", " : "", name);
}

const char *rn_live_hooks_text(const struct rn_live *live, struct rn_arena *arena)
{
	const char *names = "", *why = live->out.no_functions;
	bool entry = false, several;

	for (unsigned i = 0; i < live->out.nprogs; i++) {
		const struct rn_prog *p = &live->out.prog[i];

		if (live->functions && p->hook == RN_HOOK_CALL_RETURN)
			names = add_name(arena, names, p->function->name);
		else if (!live->functions &&
			 (p->hook == RN_HOOK_SYS_EXIT || p->hook == RN_HOOK_SYS_ENTER))
			names = add_name(arena, names, rn_hook_row(p->hook)->trace);
		entry |= p->hook == RN_HOOK_CALL_ENTRY;
	}
	several = strchr(names, ',') != NULL;
	if (!*names)
		return NULL;
	if (live->functions)
		return rn_arena_printf(
			arena,
			"hooks: function%s %s (%sfexit); other calls are not touched, except "
			"under seccomp",
			several ? "s" : "", names, entry ? "fentry, " : "");
	if (!why && live->known->refused[0])
		why = live->known->refused;
	return rn_arena_printf(arena,
			       "hooks: tracepoint%s %s; each call of the machine passes %s%s%s",
			       several ? "s" : "", names, several ? "them" : "it", why ? ": " : "",
			       why ? why : "");
}
