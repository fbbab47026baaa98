/* foreign_program.c - see foreign_program.h.
 *
 * A program of bpftrace is PROBE /CONDITION/ { @NAME[KEYS] = FUNCTION(ARGUMENT); }. Its first
 * probe, condition and map become a query. If part of the condition has no counterpart, the hint
 * says so. */
#include "lang/syntax/foreign_program.h"
#include <string.h>
#include "lang/base/str.h"
#include "lang/syntax/foreign_words.h"

/* The most bytes of a word in the hint, and the most keys and conditions. */
enum { TEXT_MAX = 100, LIST_MAX = 8 };

/* Bytes of the text. An empty part points at a string too: memchr and its like take no NULL. */
struct part {
	const char *s;
	size_t n;
};
#define EMPTY ((struct part){"", 0})

struct program {
	struct rn_arena *arena;
	struct part probe, condition, body;
	bool left_out; /* of the condition */
};

static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

static struct part trimmed(struct part p)
{
	while (p.n && strchr(" \t\n\r", *p.s))
		p.s++, p.n--;
	while (p.n && strchr(" \t\n\r", p.s[p.n - 1]))
		p.n--;
	return p;
}

/* The length of the string or comment that p begins with; 0: it begins with neither. */
static size_t skipped(struct part p)
{
	size_t n = 1;

	if (p.n >= 2 && p.s[0] == '-' && p.s[1] == '-') {
		const char *end = memchr(p.s, '\n', p.n);

		return end ? (size_t)(end - p.s) : p.n;
	}
	if (!p.n || (*p.s != '"' && *p.s != '\''))
		return 0;
	while (n < p.n && p.s[n] != *p.s)
		n += p.s[n] == '\\' ? 2 : 1;
	return n < p.n ? n + 1 : p.n;
}

static struct part from(struct part p, size_t i)
{
	return (struct part){p.s + i, p.n - i};
}

/* The part before the byte c outside of parentheses, strings and comments; *rest: what follows
 * c. */
static struct part before(struct part p, char c, struct part *rest)
{
	int depth = 0;

	for (size_t i = 0, k; i < p.n; i += k ? k : 1) {
		k = skipped(from(p, i));
		if (k)
			continue;
		if (depth == 0 && p.s[i] == c) {
			*rest = from(p, i + 1);
			return trimmed((struct part){p.s, i});
		}
		depth += (p.s[i] == '(') - (p.s[i] == ')');
	}
	*rest = (struct part){p.s + p.n, 0};
	return trimmed(p);
}

static bool reads(struct part p, const char *word)
{
	return p.n == strlen(word) && !memcmp(p.s, word, p.n);
}

static bool starts(struct part p, const char *word)
{
	return p.n >= strlen(word) && !memcmp(p.s, word, strlen(word));
}

static bool holds(struct part p, const char *word)
{
	return memmem(p.s, p.n, word, strlen(word));
}

static const char *text(struct program *g, struct part p)
{
	return rn_arena_strndup(g->arena, p.s, p.n < TEXT_MAX ? p.n : TEXT_MAX);
}

/* ---- what it is ---- */

/* A text that begins with a probe, with `BEGIN` or `END`, and has a block. */
static bool split(struct part all, struct program *g)
{
	struct part rest, first = before(all, '{', &rest);
	const char *slash = memchr(first.s, '/', first.n);

	if (first.s + first.n == all.s + all.n || !first.n)
		return false;
	g->body = before(rest, '}', &rest);
	g->probe = first;
	if (slash && first.s[first.n - 1] == '/' && slash != first.s + first.n - 1) {
		g->probe = trimmed((struct part){first.s, (size_t)(slash - first.s)});
		g->condition =
			trimmed((struct part){slash + 1, (size_t)(first.s + first.n - slash - 2)});
	}
	g->probe = before(g->probe, ',', &rest); /* the first of several */
	for (size_t i = 0; i < g->probe.n; i++)
		if (!is_name(g->probe.s[i]) && !strchr(":*?./-+", g->probe.s[i]))
			return false;
	return holds(g->probe, ":") || reads(g->probe, "BEGIN") || reads(g->probe, "END");
}

/* ---- its words ---- */

static const char *source_of(struct program *g)
{
	struct part rest = g->probe, kind = before(rest, ':', &rest),
		    group = before(rest, ':', &rest), name = rest;

	if (reads(kind, "profile"))
		return rn_arena_printf(g->arena, "sample %shz", text(g, name));
	if (reads(kind, "syscall")) /* of DTrace: syscall::read:entry */
		return text(g, before(name, ':', &rest));
	if (!reads(kind, "tracepoint") && !reads(kind, "t"))
		return NULL;
	if (reads(group, "raw_syscalls"))
		return "syscall";
	if (reads(group, "syscalls") && (starts(name, "sys_enter_") || starts(name, "sys_exit_"))) {
		size_t n = strlen(starts(name, "sys_enter_") ? "sys_enter_" : "sys_exit_");

		return text(g, (struct part){name.s + n, name.n - n});
	}
	return rn_arena_printf(g->arena, "tracepoint \"%s:%s\"", text(g, group), text(g, name));
}

/* The field behind comm, str(args->filename), args.ret */
static const char *field_of(struct program *g, struct part p)
{
	size_t end = p.n, begin;
	const char *word, *ours;

	while (end && !is_name(p.s[end - 1]))
		end--;
	for (begin = end; begin && is_name(p.s[begin - 1]);)
		begin--;
	word = text(g, (struct part){p.s + begin, end - begin});
	ours = rn_foreign_name(RN_FOREIGN_FIELD, word);
	if (!strcmp(word, "id")) /* of raw_syscalls */
		ours = "name";
	return ours ? ours : word;
}

/* The field of an argument: latency for a difference of times, bytes for the result of a call. */
static const char *amount_of(struct program *g, struct part p)
{
	return holds(p, "nsecs") ? "latency" : holds(p, "ret") ? "bytes" : field_of(g, p);
}

static const char *list_of(struct program *g, struct part keys)
{
	const char *out = "";

	for (int i = 0; keys.n && i < LIST_MAX; i++) {
		struct part key = before(keys, ',', &keys);

		out = rn_arena_printf(g->arena, "%s%s%s", out, *out ? ", " : "", field_of(g, key));
	}
	return out;
}

static const char *where_of(struct program *g)
{
	struct part rest = g->condition, side;
	const char *out = "";

	for (int i = 0; rest.n && i < LIST_MAX; i++) {
		struct part one = before(rest, '&', &rest), value;

		if (rest.n && *rest.s == '&')
			rest.s++, rest.n--;
		side = before(one, '=', &value);
		if (!side.n || !value.n || *value.s != '=' || strchr("!<>", side.s[side.n - 1])) {
			g->left_out = true;
			continue;
		}
		value = trimmed((struct part){value.s + 1, value.n - 1});
		out = rn_arena_printf(g->arena, "%s%s%s = %s", out, *out ? " and " : " where ",
				      field_of(g, side), text(g, value));
	}
	return out;
}

/* count() -> count; hist(args->ret) -> hist(bytes) */
static const char *what_of(struct program *g, struct part call)
{
	struct part inner, func = before(call, '(', &inner), rest, arg;
	const char *name = text(g, func), *ours = rn_foreign_name(RN_FOREIGN_FUNC, name);

	inner = before(inner, ')', &rest);
	arg = before(inner, ',', &rest);
	if (reads(func, "count") || !arg.n)
		return "count";
	if (reads(func, "stats")) {
		const char *x = amount_of(g, arg);

		return rn_arena_printf(g->arena, "count, avg(%s), sum(%s)", x, x);
	}
	return rn_arena_printf(g->arena, "%s(%s%s%s)", ours ? ours : name, amount_of(g, arg),
			       rest.n ? ", " : "", text(g, trimmed(rest)));
}

static const char *query_of(struct program *g, const char *source)
{
	const char *at = memchr(g->body.s, '@', g->body.n);
	struct part map = at ? from(g->body, (size_t)(at - g->body.s)) : EMPTY, call, keys = EMPTY,
		    rest;
	struct part name = before(map, '=', &call);
	const char *by, *where = where_of(g);

	if (!at || !name.n || !call.n || holds(name, "{"))
		return rn_arena_printf(g->arena, "events of %s%s", source, where);
	before(name, '[', &keys);
	keys = before(keys, ']', &rest);
	by = list_of(g, keys);
	return rn_arena_printf(g->arena, "%s of %s%s%s%s",
			       what_of(g, trimmed(before(call, ';', &rest))), source, where,
			       *by ? " by " : "", by);
}

/* ---- PromQL ---- */

/* The range [5m] outside of strings and comments, *n bytes of 5m; NULL: there is none. */
static const char *range_in(struct part all, size_t *n)
{
	for (size_t i = 0, past; i < all.n; i += past ? past : 1) {
		size_t k = i + 1;

		past = skipped(from(all, i));
		if (past || all.s[i] != '[')
			continue;
		while (k < all.n && all.s[k] >= '0' && all.s[k] <= '9')
			k++;
		if (k > i + 1 && k + 1 < all.n && strchr("smhd", all.s[k]) && all.s[k + 1] == ']') {
			*n = k - i;
			return all.s + i;
		}
	}
	return NULL;
}

static const char *query_of_range(struct program *g, struct part all, const char *range, size_t n)
{
	static const char *const classes[] = {"write", "open", "send", "recv",    "fsync",
					      "exec",  "fork", "read", "connect", "accept"};
	struct part metric = {all.s, (size_t)(range - all.s)};
	const char *source = "read", *by = memmem(all.s, all.n, "by", 2);
	struct part keys = EMPTY, rest;

	if (by) /* sum by (comm) (...) */
		before((struct part){by, (size_t)(all.s + all.n - by)}, '(', &keys);
	by = list_of(g, before(keys, ')', &rest));
	for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++)
		if (holds(metric, classes[i]))
			source = classes[i];
	return rn_arena_printf(g->arena, "rate%s of %s%s%s every %s",
			       holds(metric, "bytes") ? "(bytes)" : "", source, *by ? " by " : "",
			       by, text(g, (struct part){range + 1, n}));
}

/* ---- the error ---- */

bool rn_foreign_program(struct rn_arena *arena, struct rn_diag *diag, uint16_t src)
{
	struct program g = {.arena = arena, .probe = EMPTY, .condition = EMPTY, .body = EMPTY};
	struct part all;
	const char *whole = rn_diag_text(diag, src, &all.n), *range, *source, *probe, *query;
	struct rn_diag_item *it;
	struct part rest, kind;
	size_t n = 0;

	all.s = whole;
	all = trimmed(all);
	if (all.n && split(all, &g)) {
		uint32_t at = (uint32_t)(g.probe.s - whole);

		it = rn_diag_add(diag, RN_ERROR, "E-SYNTAX",
				 (struct rn_span){at, at + (uint32_t)g.probe.n, src},
				 "this is a program for bpftrace, and no query");
		source = source_of(&g);
		kind = before(g.probe, ':', &rest);
		probe = source ? NULL : rn_foreign_probe(kind.s, kind.n);
		query = source ? query_of(&g, source) : NULL;
		if (query)
			rn_diag_hint(diag, it, "as a query: %s%s", query,
				     g.left_out ? "; the rest of its condition goes into `where`"
						: "");
		else
			rn_diag_hint(
				diag, it, "%s",
				probe ? probe
				      : "a query says what it wants of a source: count of open by "
					"proc every 1s");
		return true;
	}
	range = range_in(all, &n);
	if (!range)
		return false;
	it = rn_diag_add(diag, RN_ERROR, "E-SYNTAX",
			 (struct rn_span){(uint32_t)(range - whole),
					  (uint32_t)(range - whole) + (uint32_t)n + 2, src},
			 "a range in brackets is PromQL: here windows are a clause");
	rn_diag_hint(diag, it, "as a query: %s", query_of_range(&g, all, range, n));
	return true;
}
