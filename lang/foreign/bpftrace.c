/* bpftrace.c - a program of bpftrace or DTrace as a query: query.h.
 *
 * A program is blocks PROBE /CONDITION/ { ACTIONS }. The first action that fills a map by an
 * aggregate, @NAME[KEYS] = FUNCTION(ARGUMENT), is the query. Without one it is the first `printf`.
 * Blocks of `interval` say how long it runs and how often it answers. */
#include "lang/foreign/bpftrace.h"
#include <string.h>
#include "lang/base/str.h"
#include "lang/foreign/words.h"

/* Functions of the kernel, and the source that sees the same. */
static const struct {
	const char *function, *source;
} functions[] = {
	{"vfs_read", "read"},          {"vfs_write", "write"},        {"vfs_open", "open"},
	{"vfs_fsync", "fsync"},        {"do_sys_open", "open"},       {"do_sys_openat2", "openat"},
	{"tcp_sendmsg", "send"},       {"tcp_recvmsg", "recv"},       {"tcp_connect", "connect"},
	{"tcp_v4_connect", "connect"}, {"inet_csk_accept", "accept"},
};
static const char *const aggregates[] = {"count", "sum",   "avg",   "min",      "max",
					 "hist",  "lhist", "stats", "quantize", "lquantize"};

/* ---- blocks ---- */

static bool is_probe(struct rn_phrase r)
{
	bool colon = false;

	for (const struct rn_word *w = r.w; w < r.end; w++) {
		if (w->kind == RN_WORD_STRING)
			return false;
		if (w->kind == RN_WORD_SIGN && !strchr(":*?./-+", *w->s))
			return false;
		colon |= rn_word_is(w, ":");
	}
	return colon || rn_phrase_begin(r, "BEGIN") || rn_phrase_begin(r, "END");
}

/* The slash that begins a condition stands apart; those of a path do not. */
static const struct rn_word *begin_of_condition(struct rn_phrase head)
{
	for (const struct rn_word *w = head.w + 1; w < head.end; w++)
		if (rn_word_is(w, "/") && w->s > w[-1].s + w[-1].n)
			return w;
	return rn_phrase_begin(head, "uprobe") || rn_phrase_begin(head, "uretprobe") ||
			       rn_phrase_begin(head, "usdt")
		       ? NULL
		       : rn_phrase_find(head, "/");
}

static bool take_block(struct rn_phrase *r, struct rn_block *b)
{
	const struct rn_word *brace = rn_phrase_find(*r, "{"), *slash;
	struct rn_phrase head = {r->w, brace};

	if (!brace || !brace->partner || head.w == brace)
		return false;
	*b = (struct rn_block){.condition = rn_phrase_none,
			       .body = {brace + 1, brace + brace->partner}};
	r->w = brace + brace->partner + 1;
	slash = begin_of_condition(head);
	if (slash && rn_word_is(brace - 1, "/") && slash != brace - 1) {
		b->condition = (struct rn_phrase){slash + 1, brace - 1};
		head.end = slash;
	}
	b->probe = rn_phrase_take_to(&head, ",");
	b->several = !rn_phrase_empty(head);
	return is_probe(b->probe);
}

unsigned rn_foreign_blocks(struct rn_phrase r, struct rn_block *list, unsigned most)
{
	unsigned n = 0;

	while (n < most && take_block(&r, &list[n]))
		n++;
	return n;
}

/* ---- the source ---- */

static const char *of_function(struct rn_reading *f, const char *name)
{
	const char *call = strstr(name, "sys_"), *source = NULL;

	for (unsigned i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (!strcmp(functions[i].function, name))
			source = functions[i].source;
	if (!source && call && (call == name || !strncmp(name, "__", 2)))
		source = call + strlen("sys_");
	f->no_arguments = source;
	if (source)
		rn_foreign_remark(f, rn_arena_printf(f->arena,
						     "Every kernel shows system calls: "
						     "the nearest to `%s` is `%s`",
						     name, source));
	return source ? source : rn_arena_printf(f->arena, "kernel \"%s\"", name);
}

static const char *of_tracepoint(struct rn_reading *f, const char *group, const char *name)
{
	static const char *const begin[] = {"sys_enter_", "sys_exit_"};

	if (!strcmp(group, "raw_syscalls"))
		return "syscall";
	for (unsigned i = 0; i < 2 && !strcmp(group, "syscalls"); i++)
		if (!strncmp(name, begin[i], strlen(begin[i])))
			return strchr(name, '*') ? "syscall" : name + strlen(begin[i]);
	return rn_arena_printf(f->arena, "tracepoint \"%s:%s\"", group, name);
}

static const char *source_of(struct rn_reading *f, struct rn_phrase probe)
{
	static const char *const of_kernel[] = {"kprobe", "kretprobe", "fentry", "fexit",
						"kfunc",  "kretfunc",  "k",      "kr"};
	struct rn_phrase kind = rn_phrase_take_to(&probe, ":"),
			 group = rn_phrase_take_to(&probe, ":");
	const char *name = rn_phrase_text(f->arena, probe);

	if (rn_phrase_begin(kind, "profile"))
		return rn_arena_printf(f->arena, "sample %shz", name);
	if (rn_phrase_begin(kind, "syscall")) /* of DTrace: syscall::read:entry */
		return rn_phrase_text(f->arena, rn_phrase_take_to(&probe, ":"));
	if (rn_phrase_begin(kind, "tracepoint") || rn_phrase_begin(kind, "t"))
		return of_tracepoint(f, rn_phrase_text(f->arena, group), name);
	if (rn_phrase_begin(kind, "uprobe") || rn_phrase_begin(kind, "u") ||
	    rn_phrase_begin(kind, "uretprobe") || rn_phrase_begin(kind, "ur"))
		return rn_arena_printf(f->arena, "user \"%s:%s\"", rn_phrase_text(f->arena, group),
				       name);
	if (rn_phrase_begin(kind, "usdt"))
		return rn_arena_printf(f->arena, "usdt \"%s:%s\"", rn_phrase_text(f->arena, group),
				       name);
	for (unsigned i = 0; i < sizeof(of_kernel) / sizeof(*of_kernel); i++)
		if (rn_phrase_begin(kind, of_kernel[i]))
			return of_function(f, rn_phrase_text(f->arena, group));
	return NULL;
}

/* ---- expressions ---- */

/* One that may fail without the whole failing: NULL then. */
static const char *attempt(struct rn_reading *f, struct rn_phrase r)
{
	const char *text = rn_phrase_find(r, "@") ? NULL : rn_foreign_expr(f, r);

	if (f->failed)
		text = NULL;
	f->failed = false;
	return text;
}

static bool is_function(const struct rn_reading *f)
{
	return !strncmp(f->query.source, "user ", 5) || !strncmp(f->query.source, "kernel ", 7);
}

/* The number of an aggregate: latency for a difference of times, bytes for the result of a call. */
static const char *amount(struct rn_reading *f, struct rn_phrase r)
{
	const char *text;

	if (rn_phrase_find(r, "nsecs") && rn_phrase_find(r, "-"))
		return "latency";
	text = attempt(f, r);
	return !text ? NULL : !strcmp(text, "ret") && !is_function(f) ? "bytes" : text;
}

static void add_all(struct rn_reading *f, struct rn_phrase r, struct rn_foreign_list *list)
{
	while (!rn_phrase_empty(r)) {
		struct rn_phrase one = rn_phrase_take_to(&r, ",");
		const char *text = attempt(f, one);

		if (!text || !*text) {
			f->failed = true;
			return;
		}
		/* of raw_syscalls, the number of the call */
		rn_foreign_add(f, list, !strcmp(text, "id") ? "name" : text, "");
	}
}

static void condition(struct rn_reading *f, struct rn_phrase r, bool timed)
{
	static const char *const signs[] = {"==", "!=", "<", "<=", ">", ">=", "||", NULL};

	while (!rn_phrase_empty(r)) {
		struct rn_phrase one = rn_phrase_take_to(&r, "&&"), rest = one;
		const char *text = attempt(f, one);

		if (!text && !(timed && rn_phrase_find(one, "@")))
			rn_foreign_remark(f, "A part of its condition is left out");
		if (!text)
			continue;
		rn_phrase_take_until(&rest, signs);
		if (rn_phrase_empty(rest)) /* a number that is not 0 */
			text = rn_arena_printf(f->arena, "%s != 0", text);
		rn_foreign_where(f, text);
	}
}

/* ---- actions ---- */

/* An action: @NAME[KEYS] = FUNCTION(ARGUMENTS) */
struct map {
	struct rn_phrase keys, arguments;
	const char *function;
};

static bool is_map(struct rn_reading *f, struct rn_phrase action, struct map *m)
{
	*m = (struct map){.keys = rn_phrase_none, .arguments = rn_phrase_none};
	if (!rn_phrase_take(&action, "@"))
		return false;
	rn_phrase_take_name(f->arena, &action);
	if (rn_phrase_begin(action, "["))
		m->keys = rn_phrase_take_inside(&action);
	if (!rn_phrase_take(&action, "=") || !rn_phrase_then(action, "("))
		return false;
	m->function = rn_phrase_take_name(f->arena, &action);
	m->arguments = rn_phrase_take_inside(&action);
	for (unsigned i = 0; m->function && i < sizeof(aggregates) / sizeof(*aggregates); i++)
		if (!strcmp(aggregates[i], m->function))
			return true;
	m->function = NULL;
	return false;
}

/* How many maps the programs fill by aggregates. */
static unsigned count_maps(struct rn_reading *f, const struct rn_block *b, unsigned n)
{
	unsigned maps = 0;
	struct map m;

	for (unsigned i = 0; i < n; i++)
		for (struct rn_phrase body = b[i].body; !rn_phrase_empty(body);)
			maps += is_map(f, rn_phrase_take_to(&body, ";"), &m);
	return maps;
}

static bool find_map(struct rn_reading *f, struct rn_phrase body, struct map *m)
{
	while (!rn_phrase_empty(body))
		if (is_map(f, rn_phrase_take_to(&body, ";"), m))
			return true;
	return false;
}

static bool find_printf(struct rn_phrase body, struct rn_phrase *arguments)
{
	while (!rn_phrase_empty(body)) {
		struct rn_phrase action = rn_phrase_take_to(&body, ";");

		if (!rn_phrase_take(&action, "printf"))
			continue;
		*arguments = rn_phrase_take_inside(&action);
		rn_phrase_take_to(arguments, ",");
		return true;
	}
	return false;
}

static void read_map(struct rn_reading *f, const struct map *m)
{
	struct rn_phrase rest = m->arguments, first = rn_phrase_take_to(&rest, ",");
	struct rn_foreign_list by = {.n = 0}, list = {.n = 0};
	const char *ours = rn_foreign_name(RN_FOREIGN_FUNC, m->function), *x;

	add_all(f, m->keys, &by);
	x = rn_phrase_empty(first) ? "" : amount(f, first);
	f->failed |= !x;
	if (f->failed)
		return;
	if (!strcmp(m->function, "count") || !strcmp(m->function, "stats"))
		rn_foreign_add(f, &list, "count", "");
	if (!strcmp(m->function, "stats")) {
		rn_foreign_add(f, &list, rn_arena_printf(f->arena, "avg(%s)", x), "");
		rn_foreign_add(f, &list, rn_arena_printf(f->arena, "sum(%s)", x), "");
	} else if (strcmp(m->function, "count") != 0) {
		rn_foreign_add(f, &list,
			       rn_arena_printf(f->arena, "%s(%s%s%s)", ours ? ours : m->function, x,
					       rn_phrase_empty(rest) ? "" : ", ",
					       rn_phrase_text(f->arena, rest)),
			       "");
	}
	f->query.by = by;
	f->query.list = list;
	f->query.grouped = true;
}

static void read_printf(struct rn_reading *f, struct rn_phrase arguments)
{
	struct rn_foreign_list list = {.n = 0};

	add_all(f, arguments, &list);
	if (f->failed || !list.n) {
		if (list.n || !rn_phrase_empty(arguments))
			rn_foreign_remark(f,
					  "Not all that it prints has a name here: `events` shows "
					  "the fields that there are");
		list.n = 0;
		f->failed = false;
		rn_foreign_add(f, &list, "events", "");
	}
	f->query.list = list;
}

/* ---- the whole ---- */

/* An interval with an exit in it ends the query, any other one is a window. */
static void interval(struct rn_reading *f, const struct rn_block *b)
{
	struct rn_phrase probe = b->probe;
	const char *unit, *n;

	rn_phrase_take_to(&probe, ":");
	unit = rn_phrase_text(f->arena, rn_phrase_take_to(&probe, ":"));
	n = rn_phrase_text(f->arena, probe);
	f->query.windows =
		rn_arena_printf(f->arena, "%s %s %s%s", f->query.windows,
				rn_phrase_find(b->body, "exit") ? "for" : "every", n, unit);
}

static bool is_interval(const struct rn_block *b)
{
	return rn_phrase_begin(b->probe, "interval") || rn_phrase_begin(b->probe, "i");
}

bool rn_foreign_bpftrace(struct rn_reading *f, const struct rn_block *b, unsigned n)
{
	const struct rn_block *main = NULL;
	struct rn_phrase arguments = rn_phrase_none;
	struct map m = {.keys = rn_phrase_none, .arguments = rn_phrase_none};
	const char *source;

	f->probes = true;
	for (unsigned i = 0; i < n && !main; i++)
		if (find_map(f, b[i].body, &m))
			main = &b[i];
	for (unsigned i = 0; i < n && !main; i++)
		if (!is_interval(&b[i]) && source_of(f, b[i].probe))
			main = &b[i];
	source = main ? source_of(f, main->probe) : NULL;
	if (!source)
		return false;
	f->query.source = source;
	if (main->several)
		rn_foreign_remark(f, "It is about the first of its probes");
	if (count_maps(f, b, n) > 1)
		rn_foreign_remark(f, "It is about the first of its maps");
	condition(f, main->condition, m.function && rn_phrase_find(m.arguments, "nsecs"));
	if (m.function) {
		read_map(f, &m);
	} else {
		find_printf(main->body, &arguments);
		read_printf(f, arguments);
	}
	for (unsigned i = 0; i < n; i++)
		if (is_interval(&b[i]))
			interval(f, &b[i]);
	return !f->failed;
}
