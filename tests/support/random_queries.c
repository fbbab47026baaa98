/* random_queries.c - see random_queries.h. Each part is made twice, in the language and in SQL: `q`
 * and `s`. A part that SQL lacks has no `s`, and then the whole query has none.
 *
 * Left out: values that can be NULL (latency, divisions), since `not` of them differs in SQL; and
 * orders that leave ties, since then several answers are right. */
#include "tests/support/random_queries.h"
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct part {
	const char *q, *s;
};

struct maker {
	struct rn_arena *a;
	unsigned *seed;
	bool sql; /* only what SQL has, too */
};

static unsigned any(struct maker *m, unsigned n)
{
	return (unsigned)rand_r(m->seed) % n;
}
#define ONE_OF(m, list) (list)[any(m, sizeof(list) / sizeof(*(list)))]

/* f: a text with %1, %2, %3 for the parts; NULL: SQL lacks it */
static const char *fill(struct rn_arena *a, const char *f, const char *const *part)
{
	const char *out = "";

	for (const char *at; f && (at = strchr(f, '%')); f = at + 2) {
		const char *p = at[1] == '%' ? "%" : part[at[1] - '1'];

		if (!p)
			return NULL;
		out = rn_arena_printf(a, "%s%.*s%s", out, (int)(at - f), f, p);
	}
	return f ? rn_arena_printf(a, "%s%s", out, f) : NULL;
}

static struct part put(struct maker *m, const char *q, const char *s, struct part x, struct part y,
		       struct part z)
{
	const char *const of_q[] = {x.q, y.q, z.q}, *const of_s[] = {x.s, y.s, z.s};

	return (struct part){fill(m->a, q, of_q), fill(m->a, s, of_s)};
}

static const struct part none = {"", ""};

static struct part plain(const char *text)
{
	return (struct part){text, text};
}

/* SQL lacks it. */
static struct part plain_q(const char *q)
{
	return (struct part){q, NULL};
}

static struct part number_text(struct maker *m, unsigned n)
{
	return plain(rn_arena_printf(m->a, "%u", any(m, n)));
}

/* ---- expressions ---- */

static struct part condition(struct maker *m, unsigned depth);
static struct part text(struct maker *m, unsigned depth);

/* A number without a unit. */
static struct part number(struct maker *m, unsigned depth)
{
	static const char *const fields[] = {"fd", "pid", "tid", "uid", "ret", "ppid"};
	struct part x = plain(ONE_OF(m, fields)), y;

	if (!depth || !any(m, 3))
		return x;
	x = number(m, depth - 1);
	y = number(m, depth - 1);
	switch (any(m, m->sql ? 16 : 24)) {
	case 16: return put(m, "abs(%1)", "abs(%1)", x, none, none);
	case 17: return put(m, "(-%1)", "(-%1)", x, none, none);
	case 18: return put(m, "round(%1 / 4)", NULL, x, none, none);
	case 19: return put(m, "round(sqrt(abs(%1)))", NULL, x, none, none);
	case 20: return put(m, "round(log2(abs(%1) + 1))", NULL, x, none, none);
	case 21: return plain_q(any(m, 2) ? "port(peer)" : "hour(time)");
	case 22: return put(m, "(%1 * nodes())", NULL, x, none, none);
	case 23: return plain_q("round(bytes / 1KiB)");
	case 0: return put(m, "(%1 + %2)", "(%1 + %2)", x, y, none);
	case 1: return put(m, "(%1 - %2)", "(%1 - %2)", x, y, none);
	case 2: return put(m, "%1 * 3", "%1 * 3", x, none, none);
	case 3: return put(m, "(%1 %% %2)", "(%1 %% %2)", x, plain(any(m, 2) ? "7" : "10"), none);
	case 4: return put(m, "div(%1, 9)", "(%1 / 9)", x, none, none);
	case 5: return put(m, "(%1 & %2)", "(%1 & %2)", x, y, none);
	case 6: return put(m, "(%1 | %2)", "(%1 | %2)", x, y, none);
	case 7: return put(m, "(%1 ^ %2)", "((%1 | %2) - (%1 & %2))", x, y, none);
	case 8:
		return any(m, 2) ? put(m, "(fd << 3)", "(fd << 3)", none, none, none)
				 : put(m, "(%1 + (12 ^ 10) * (7 %% 4) - (9 & 5))",
				       "(%1 + 6 * 3 - 1)", x, none, none);
	case 9: return put(m, "(%1 >> 2)", "(%1 >> 2)", x, none, none);
	case 10: return put(m, "if(%3, %1, %2)", "iif(%3, %1, %2)", x, y, condition(m, depth - 1));
	case 11: return put(m, "least(%1, %2)", "min(%1, %2)", x, y, none);
	case 12: return put(m, "greatest(%1, %2)", "max(%1, %2)", x, y, none);
	case 13: return put(m, "len(%1)", "length(%1)", text(m, depth - 1), none, none);
	case 14: return put(m, "bucket(fd, 8)", "(fd - fd %% 8)", none, none, none);
	default: return put(m, "div(bytes, 1B)", "bytes", none, none, none);
	}
}

static struct part text(struct maker *m, unsigned depth)
{
	static const char *const fields[] = {"proc", "name", "file", "node", "thread"};
	static const char *const others[] = {"dirname(file)", "ext(file)",
					     "split_part(file, \"/\", 2)",
					     "extract(file, \"[0-9]+\")"};
	struct part x = plain(ONE_OF(m, fields));

	if (!depth || any(m, 2))
		return x;
	x = text(m, depth - 1);
	switch (any(m, m->sql ? 8 : 12)) {
	case 0: return put(m, "upper(%1)", "upper(%1)", x, none, none);
	case 1: return put(m, "lower(%1)", "lower(%1)", x, none, none);
	case 2: return put(m, "substr(%1, 1, 4)", "substr(%1, 2, 4)", x, none, none);
	case 3: return put(m, "concat(%1, %2)", "(%1 || %2)", x, text(m, depth - 1), none);
	case 4: return put(m, "replace(%1, \"a\", \"-\")", "replace(%1, 'a', '-')", x, none, none);
	case 5:
		return put(m, "basename(file)",
			   "replace(file, rtrim(file, replace(file, '/', '')), '')", none, none,
			   none);
	case 6: return put(m, "trim(%1)", "trim(%1)", x, none, none);
	case 7:
		return put(m, "if(%3, %1, %2)", "iif(%3, %1, %2)", x, text(m, depth - 1),
			   condition(m, depth - 1));
	default: return plain_q(ONE_OF(m, others));
	}
}

static struct part text_condition(struct maker *m, unsigned depth)
{
	static const char *const words[] = {"java", "read", "node1", "nginx", "/dev/null", "sshd"};
	static const char *const globs[] = {"*a*", "r*", "*log*", "????", "[a-m]*", "*.?"};
	static const char *const pieces[] = {"a", "re", "log", "/", "o"};
	struct part x = text(m, depth), word = plain(ONE_OF(m, words));

	switch (any(m, m->sql ? 8 : 9)) {
	case 0: return put(m, "%1 = \"%2\"", "%1 = '%2'", x, word, none);
	case 1: return put(m, "%1 != \"%2\"", "%1 <> '%2'", x, word, none);
	case 2:
		return put(m, "%1 in (\"%2\", \"%3\")", "%1 in ('%2', '%3')", x, word,
			   plain(ONE_OF(m, words)));
	case 3: return put(m, "%1 ~ \"%2\"", "%1 glob '%2'", x, plain(ONE_OF(m, globs)), none);
	case 4: return put(m, "%1 !~ \"%2\"", "not %1 glob '%2'", x, plain(ONE_OF(m, globs)), none);
	case 5:
		return put(m, "contains(%1, \"%2\")", "instr(%1, '%2') > 0", x,
			   plain(ONE_OF(m, pieces)), none);
	case 6:
		return put(m, "startswith(%1, \"%2\")", "%1 glob '%2*'", x,
			   plain(ONE_OF(m, pieces)), none);
	case 7:
		return put(m, "endswith(%1, \"%2\")", "%1 glob '*%2'", x, plain(ONE_OF(m, pieces)),
			   none);
	default: return put(m, "%1 =~ \"^%2|%3$\"", NULL, x, word, plain(ONE_OF(m, pieces)));
	}
}

/* What SQL lacks: units, values that can be NULL, addresses, tags. */
static struct part other_condition(struct maker *m)
{
	static const char *const all[] = {
		"latency > 1ms",
		"latency between 10us and 2s",
		"latency * 2.5 < 100ms",
		"latency is null",
		"latency is not null",
		"bytes / latency > 1MiB/s",
		"1 / latency < 100/s",
		"now() - time > 1h",
		"cidr(peer, \"10.0.0.0/16\")",
		"not cidr(local, \"10.0.1.0/24\")",
		"cidr(peer, \"10.0.2.0/24\")",
		"peer = ip4(\"10.0.1.10:2181\")",
		"peer != ip4(\"10.0.1.10:2181\")",
		"peer = \"10.0.0.2\"",
		"tags is not null",
		"file is null",
		"date(time) ~ \"2*\"",
		"file = x\"2f6465762f6e756c6c\"",
		"fd * 1.5 > 7.5",
		"error = EAGAIN",
		"error != 0",
		"true",
		"false",
	};

	return plain_q(ONE_OF(m, all));
}

static struct part number_condition(struct maker *m, unsigned depth)
{
	static const char *const ops[] = {"=", "<", "<=", ">", ">="};
	struct part x = number(m, depth), y = any(m, 2) ? number_text(m, 60) : number_text(m, 2000);

	switch (any(m, 9)) {
	case 0: return put(m, "%1 != %2", "%1 <> %2", x, y, none);
	case 6:
		return put(m, "fd / 7 %1 %2", "fd / 7.0 %1 %2", plain(ONE_OF(m, ops)),
			   number_text(m, 6), none);
	case 1:
		return put(m, "%1 in (1, 3, %2, %3)", "%1 in (1, 3, %2, %3)", x, y,
			   number_text(m, 40));
	case 2:
		return any(m, 2) ? put(m, "%1 between 5 and %2", "%1 between 5 and %2", x, y, none)
				 : put(m, "%1 not between 7 and %2", "%1 not between 7 and %2", x,
				       y, none);
	case 3: return put(m, "%1 not in (0, %2)", "%1 not in (0, %2)", x, y, none);
	case 4: return put(m, "bytes %2 %1", "bytes %2 %1", y, plain(ONE_OF(m, ops)), none);
	case 5: return put(m, "error = ENOENT", "error = 2", none, none, none);
	default: return put(m, "%1 %2 %3", "%1 %2 %3", x, plain(ONE_OF(m, ops)), y);
	}
}

static struct part condition(struct maker *m, unsigned depth)
{
	struct part x, y;

	if (!m->sql && !any(m, 6))
		return other_condition(m);
	if (!depth || any(m, 2))
		return any(m, 2) ? number_condition(m, depth ? depth - 1 : 0)
				 : text_condition(m, depth ? depth - 1 : 0);
	x = condition(m, depth - 1);
	y = condition(m, depth - 1);
	switch (any(m, 6)) {
	case 4: return put(m, "(2 > 1 and %1)", "(1 and %1)", x, none, none);
	case 5: return put(m, "(%1 or \"a\" = \"b\")", "(%1 or 0)", x, none, none);
	case 0: return put(m, "(%1 and %2)", "(%1 and %2)", x, y, none);
	case 1: return put(m, "(%1 or %2)", "(%1 or %2)", x, y, none);
	case 2: return put(m, "not (%1)", "not (%1)", x, none, none);
	default: return put(m, "if(%1, %2, false)", "iif(%1, %2, 0)", x, y, none);
	}
}

/* ---- queries ---- */

#define READS "'read', 'pread64', 'readv', 'preadv', 'preadv2'"
#define WRITES "'write', 'pwrite64', 'writev', 'pwritev', 'pwritev2'"
#define RECVS "'recvfrom', 'recvmsg', 'recvmmsg'"

static struct part source(struct maker *m)
{
	static const struct part sources[] = {
		{"syscall", "1"},
		{"syscall", "1"},
		{"syscall", "1"},
		{"read", "name in (" READS ")"},
		{"write", "name in (" WRITES ")"},
		{"recv", "name in (" RECVS ")"},
		{"sendfile", "name = 'sendfile'"},
		{"read, write", "name in (" READS ", " WRITES ")"},
		{"write, pread64, recvmsg", "name in (" WRITES ", 'pread64', 'recvmsg')"},
		{"sendfile, pread64", "name in ('sendfile', 'pread64')"},
		{"between read and write on tid", NULL},
		{"between (events of openat where error = 0) and close on pid, uid", NULL},
		{"between syscall and openat on pid = ppid", NULL},
		{"between openat and (events of fsync) on pid", NULL},
	};

	return sources[any(m, m->sql ? 10 : sizeof(sources) / sizeof(*sources))];
}

/* where: "" or a condition that ends with a blank */
static struct part where(struct maker *m, struct part of)
{
	struct part c = condition(m, 3);

	switch (any(m, 8)) {
	case 0: return put(m, "%1", "%1", (struct part){"", of.s}, none, none);
	case 1:
		return put(m, "where fd %3 (fd of recv where %2)",
			   "%1 and fd %3 (select fd from events where name in (" RECVS ") and %2)",
			   (struct part){"", of.s}, condition(m, 1),
			   plain(any(m, 2) ? "in" : "not in"));
	case 2:
		return put(m, "where fd > (min(fd) + 5 of syscall where %2) and %3",
			   "%1 and fd > (select min(fd) + 5 from events where %2) and %3",
			   (struct part){"", of.s}, number_condition(m, 0), c);
	default: return put(m, "where %2", "%1 and %2", (struct part){"", of.s}, c, none);
	}
}

static struct part aggregate(struct maker *m)
{
	static const char *const others[] = {"stddev(%1)",
					     "p50(%1)",
					     "p95(%1)",
					     "p07(%1)",
					     "set(proc)",
					     "top(name, 3)",
					     "hist(%1)",
					     "first(%1)",
					     "last(%1)",
					     "distinct(%1)",
					     "lhist(fd, 0, 50, 5)",
					     "rate",
					     "quantile(%1, 0.75)",
					     "share(count)",
					     "p90(%1)",
					     "p99(%1)",
					     "p999(%1)",
					     "p95(%1)"};
	struct part x = number(m, 2), c = condition(m, 1);

	switch (any(m, m->sql ? 8 : 14)) {
	case 0:
	case 1: return plain("count");
	case 2: return put(m, "count(where %1)", "coalesce(sum(iif(%1, 1, 0)), 0)", c, none, none);
	case 3: return put(m, "sum(%1)", "coalesce(sum(%1), 0)", x, none, none);
	case 4: return put(m, "min(%1)", "min(%1)", x, none, none);
	case 5: return put(m, "max(%1 where %2)", "max(iif(%2, %1, null))", x, c, none);
	case 6: return put(m, "avg(%1)", "avg(%1)", x, none, none);
	case 7: return put(m, "sum(bytes)", "coalesce(sum(bytes), 0)", none, none, none);
	default: return put(m, ONE_OF(m, others), NULL, x, none, none);
	}
}

static struct part as_count(struct part p)
{
	return strcmp(p.q, "count") != 0 ? p : (struct part){"count", "count(*)"};
}

enum kind { TEXT, NUMBER, TRUTH };

/* What follows `by` if there are no windows; kind: of the last key */
static struct part end_of_groups(struct maker *m, unsigned nkeys, enum kind kind, struct part keys)
{
	struct part n = number_text(m, 5);

	if (nkeys && kind != TRUTH && !any(m, 4))
		return put(m,
			   kind == TEXT ? " having %2 != \"read\" and count > %1"
					: " having %2 < 2000 and count > %1",
			   kind == TEXT ? " having %2 <> 'read' and count(*) > %1"
					: " having %2 < 2000 and count(*) > %1",
			   number_text(m, 30), plain(rn_arena_printf(m->a, "k%u", nkeys - 1)),
			   none);
	if (!any(m, 4))
		return put(m, " having count > %1", " having count(*) > %1", number_text(m, 300),
			   none, none);
	if (nkeys && !any(m, 3))
		return put(m, " order by c0 desc, %1 limit 1%2", " order by c0 desc, %1 limit 1%2",
			   keys, n, none);
	if (nkeys && !any(m, 3))
		return put(m, " top 1%1 by count", " order by count(*) desc, %2 limit 1%1", n, keys,
			   none);
	return none;
}

static struct rn_random_query groups(struct maker *m)
{
	struct part of = source(m), w = where(m, of), list = none, by = none, keys = none,
		    end = none;
	unsigned nkeys = any(m, 4), nagg = 1 + any(m, 3);
	const char *window = "";
	bool windows = !any(m, 6);
	enum kind kind = TRUTH; /* of the last key */

	for (unsigned i = 0; i < nkeys; i++) {
		struct part k, name = plain(rn_arena_printf(m->a, "k%u", i));

		kind = any(m, 2) ? TEXT : any(m, 2) ? NUMBER : TRUTH;
		k = kind == TEXT ? text(m, 1) : kind == NUMBER ? number(m, 1) : condition(m, 0);
		by = put(m, i ? "%1, %2 as %3" : "%1 by %2 as %3", "%1, %2 as %3", by, k, name);
		keys = put(m, i ? "%1, %2" : "%1%2", i ? "%1, %2" : "%1%2", keys, name, none);
	}
	for (unsigned i = 0; i < nagg; i++) {
		struct part x = as_count(aggregate(m)),
			    name = plain(rn_arena_printf(m->a, "c%u", i));

		list = put(m, i ? "%1, %2 as %3" : "%1%2 as %3", i ? "%1, %2 as %3" : "%1%2 as %3",
			   list, x, name);
	}
	if (windows && (m->sql || any(m, 4)))
		window = "time / 10000000000 * 10000000000 as w, ";
	if (windows && !m->sql && !any(m, 3))
		list = plain_q(rn_arena_printf(m->a, "%s, delta(count) as d", list.q));
	if (windows)
		end = *window ? (struct part){" every 10s", ""} : plain_q(" every 5s over 20s");
	else if (nkeys && !m->sql && !any(m, 8)) /* no two groups end at the same time */
		return (struct rn_random_query){
			rn_arena_printf(m->a, "max(time) as t, %s of %s %s%s top 3", list.q, of.q,
					w.q, by.q),
			NULL};
	else
		end = end_of_groups(m, nkeys, kind, keys);
	return (struct rn_random_query){
		rn_arena_printf(m->a, "%s of %s %s%s%s", list.q, of.q, w.q, by.q, end.q),
		list.s && w.s && by.s && end.s
			? rn_arena_printf(m->a, "select %s%s%s%s from events where %s%s%s%s%s%s",
					  window, nkeys ? by.s + 2 : "", nkeys ? ", " : "", list.s,
					  w.s, *window || nkeys ? " group by " : "",
					  *window ? "w" : "", *window && nkeys ? ", " : "", keys.s,
					  end.s)
			: NULL};
}

/* A query without a list of its own has the columns of its source. Times differ from event to
 * event, so an order by them leaves no ties. */
static struct rn_random_query unlisted(struct maker *m)
{
	static const char *const heads[] = {"events of %1 %2", "* of %1 %2", "top 7 of %1 %2"};
	static const char *const ends[] = {
		"", "order by time asc limit 9", "order by time asc, pid limit 7",
		"order by time desc, fd limit 5", "order by time limit 3"};
	struct part of = source(m), w = where(m, of);
	unsigned head = any(m, 3);

	return (struct rn_random_query){
		put(m,
		    rn_arena_printf(m->a, "%s %s", heads[head], head == 2 ? "" : ONE_OF(m, ends)),
		    NULL, of, w, none)
			.q,
		NULL};
}

static struct rn_random_query rows(struct maker *m)
{
	struct part of = source(m), w = where(m, of), list = none, order = none, end = none;
	unsigned n = 1 + any(m, 3);

	for (unsigned i = 0; i < n; i++) {
		struct part x = any(m, 2) ? text(m, 2) : number(m, 2),
			    name = plain(rn_arena_printf(m->a, "c%u", i));

		list = put(m, i ? "%1, %2 as %3" : "%1%2 as %3", i ? "%1, %2 as %3" : "%1%2 as %3",
			   list, x, name);
		order = put(m, i ? "%1, %2" : "%1%2", i ? "%1, %2" : "%1%2", order, name, none);
	}
	if (any(m, 2))
		end = put(m, " order by %1 limit 4%2", " order by %1 limit 4%2", order,
			  number_text(m, 10), none);
	return (struct rn_random_query){
		rn_arena_printf(m->a, "%s of %s %s%s", list.q, of.q, w.q, end.q),
		list.s && w.s ? rn_arena_printf(m->a, "select %s from events where %s%s", list.s,
						w.s, end.s)
			      : NULL};
}

/* Groups of rows: what stands inside may be merged with what stands around it. */
static struct rn_random_query of_rows(struct maker *m)
{
	struct part of = source(m), w = where(m, of), k = text(m, 1);

	return (struct rn_random_query){
		rn_arena_printf(
			m->a,
			"count, max(n) as most of (%s as k, fd as n, proc of %s %s) where %s by k",
			k.q, of.q, w.q, "n > 2 and k != proc"),
		w.s && k.s ? rn_arena_printf(
				     m->a,
				     "select k, count(*), max(n) from (select %s as k, fd as n, "
				     "proc from events where %s) where n > 2 and k <> proc "
				     "group by k",
				     k.s, w.s)
			   : NULL};
}

/* Groups of groups. */
static struct rn_random_query nested(struct maker *m)
{
	struct part of = source(m), w = where(m, of), k = text(m, 1);
	/* nothing reads b */
	const char
		*q = "sum(n) as all, max(p) as most, count of (sum(bytes) as b, count as n, "
		     "max(pid) as p of %s %s by %s as k, fd) where n > 2 by %s",
		*s = "select %s as g, sum(n), max(p), count(*) from (select %s as k, fd, count(*) "
		     "as n, max(pid) as p from events where %s group by 1, 2) where n > 2 group "
		     "by 1";
	bool by_key = any(m, 2);

	return (struct rn_random_query){
		rn_arena_printf(m->a, q, of.q, w.q, k.q, by_key ? "k" : "fd"),
		w.s && k.s ? rn_arena_printf(m->a, s, by_key ? "k" : "fd", k.s, w.s) : NULL};
}

struct rn_random_query rn_random_query(struct rn_arena *arena, unsigned *seed)
{
	struct maker m = {arena, seed, false};

	m.sql = any(&m, 100) < 66;
	switch (any(&m, 6)) {
	case 0: return m.sql || any(&m, 2) ? rows(&m) : unlisted(&m);
	case 1: return any(&m, 2) ? nested(&m) : of_rows(&m);
	default: return groups(&m);
	}
}
