/* scope_warning.c - warns about queries on some processes only (-c, -p) over tracepoints that fire
 * in the context of any running process.
 *
 * An event belongs to the task in which it happens. The kernel's own work (switching, interrupts,
 * timers, requests, packets) happens in any task. For a few processes alone, the query shows some
 * of their events and misses others. Its answer is right, but seldom the one that was meant: a
 * warning says so. */
#include "lang/values/glob.h"
#include "lang/resolve/resolve_impl.h"
#include "lang/syntax/print.h"

/* Globs of names; the first match counts. instead: how to choose events; NULL: they happen in the
 * process that they are about. */
static const struct {
	const char *group, *name, *instead;
	const char *but[2]; /* they do so, too, under this condition, which has two spellings */
} elsewhere[] = {
	{"sched", "sched_process_ex[ei][ct]", NULL},
	{"sched", "sched_process_fork", NULL},
	{"sched", "sched_process_wait", NULL},
	{"sched", "sched_switch",
	 "where next_pid = PID or prev_pid = PID (these are thread ids), or where next_comm = "
	 "NAME"},
	{"sched", "*", "where pid = TID, or where comm = NAME"},
	{"irq", "*", ""},
	{"irq_vectors", "*", ""},
	{"softirq", "*", ""},
	{"ipi", "*", ""},
	{"napi", "*", ""},
	{"timer", "*", ""},
	{"hrtimer", "*", ""},
	{"rcu", "*", ""},
	{"power", "*", ""},
	{"workqueue", "*", ""},
	{"block", "*", ""},
	{"scsi", "*", ""},
	{"nvme", "*", ""},
	{"ata", "*", ""},
	{"mmc", "*", ""},
	{"jbd2", "*", ""},
	{"writeback", "*", ""},
	{"sock", "sock_*", NULL}, /* the lengths that a process sends and receives */
	/* a process connects */
	{"sock",
	 "inet_sock_set_state",
	 "where local = ... or peer = ...",
	 {"newstate = TCP_SYN_SENT", "newstate = 2"}},
	{"sock", "*", ""},
	{"tcp", "*", "where local = ... or peer = ..."},
	{"udp", "*", ""},
	{"net", "*", ""},
	{"skb", "*", ""},
	{"qdisc", "*", ""},
	{"xdp", "*", ""},
};

/* query: the query to whose `where` the tracepoint's condition belongs. */
static const char *instead_of(struct rn_arena *arena, const char *tracepoint,
			      const struct rn_ast_query *query)
{
	const char *colon = strchr(tracepoint, ':');
	char group[64];

	if (!colon || (size_t)(colon - tracepoint) >= sizeof(group))
		return NULL;
	memcpy(group, tracepoint, (size_t)(colon - tracepoint));
	group[colon - tracepoint] = 0;
	for (size_t i = 0; i < sizeof(elsewhere) / sizeof(*elsewhere); i++) {
		const char *where = elsewhere[i].but[0] && query->where
					    ? rn_print_expr(arena, query->where)
					    : "";

		if (!rn_glob_str(group, elsewhere[i].group) ||
		    !rn_glob_str(elsewhere[i].name, colon + 1))
			continue;
		for (unsigned k = 0; k < 2 && elsewhere[i].but[k]; k++)
			if (strstr(where, elsewhere[i].but[k]) && !strstr(where, " or "))
				return NULL;
		/* a glob has no fields of its own */
		return elsewhere[i].instead && colon[strcspn(colon, "*?[")] ? ""
									    : elsewhere[i].instead;
	}
	return NULL;
}

void rn_resolve_warn_scope(struct rn_resolve_scope *scope, const struct rn_ast_source *src)
{
	struct rn_resolver *resolver = scope->resolver;
	const char *who = resolver->names->scope, *instead;
	struct rn_diag_item *it;

	if (!who || resolver->scope_told || scope->catalog != resolver->names->catalog ||
	    !src->cls->arg || strcmp(src->cls->name, "tracepoint"))
		return;
	instead = instead_of(resolver->arena, src->cls->arg, scope->query);
	if (!instead)
		return;
	resolver->scope_told = true;
	it = rn_diag_add(resolver->diag, RN_WARNING, "W-SCOPE",
			 resolver->nviews ? resolver->view_span
			 : src->args      ? src->args->span
					  : src->name_span,
			 "%s keeps what happens in some processes, and \"%s\"%s%s%s happens in "
			 "whichever is running, not in the one that it is about",
			 who, src->cls->arg, resolver->nviews ? ", which `" : "",
			 resolver->nviews ? resolver->view_stack[0] : "",
			 resolver->nviews ? "` reads," : "");
	if (resolver->nviews)
		rn_diag_hint(resolver->diag, it,
			     "leave out %s, and choose by the view's columns: `runnel describe %s`",
			     who, resolver->view_stack[0]);
	else if (*instead)
		rn_diag_hint(resolver->diag, it,
			     "leave out %s, and choose by the event's own fields: %s", who,
			     instead);
	else
		rn_diag_hint(resolver->diag, it,
			     "leave out %s: such an event is the kernel's own, and tells of others "
			     "at most in its fields: `runnel describe '%s'`",
			     who, src->cls->arg);
}
