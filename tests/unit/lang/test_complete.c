/* test_complete.c - what Tab offers: a text with `|` for the cursor, and what must be (or, behind
 * `!`, must not be) among the candidates; `=` before all of them: these and no others. And that no
 * text, however broken, makes it fail. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "lang/complete/complete.h"
#include "tests/support/fake_catalog.h"
#include "lang/resolve/resolve.h"
#include "lang/syntax/parse.h"
#include "lang/base/limits.h"

static const struct {
	const char *name, *text;
} known[] = {
	{"busiest", "view busiest(what, key, n = 10) := count of $what by $key top $n"},
	{"failing", "view failing(when) := count of open where error != 0 and $when by proc"},
	{"late", "view late(t = 1ms) := events of open where latency > $t"},
	{"later", "view later := events of late(5ms)"},
	{"slow", "view slow(threshold = 10ms, who) := count as calls, max(latency) as longest of "
		 "read where latency > $threshold and proc = $who by file"},
	{"sums", "view first(y) := count of exit; view sums(x, from = read) := sum($x) of "
		 "(latency, bytes of $from)"},
};
enum { KNOWN = sizeof(known) / sizeof(*known) };

static const char *find_view(void *self, const char *name, const char **origin)
{
	(void)self;
	*origin = name;
	for (unsigned i = 0; i < KNOWN; i++)
		if (!strcmp(name, known[i].name))
			return known[i].text;
	return NULL;
}

static const char *const *view_names(void *self)
{
	static const char *names[KNOWN + 1];

	(void)self;
	for (unsigned i = 0; i < KNOWN; i++)
		names[i] = known[i].name;
	return names;
}

static const char *no_module(void *self, const char *name)
{
	(void)self, (void)name;
	return NULL;
}

static const struct rn_views views = {.find = find_view, .names = view_names, .module = no_module};

static struct rn_let results = {.name = "results"};

static const struct rn_let *find_let(void *self, const char *name)
{
	(void)self;
	return strcmp(name, results.name) ? NULL : &results;
}

static const char *const *let_names(void *self)
{
	static const char *const names[] = {"results", NULL};

	(void)self;
	return names;
}

/* let results := max(latency) as worst of read by file */
static const struct rn_lets *lets(struct rn_arena *a)
{
	static const struct rn_lets l = {.find = find_let, .names = let_names};
	static const char text[] = "max(latency) as worst of read by file";
	struct rn_diag *d = rn_diag_new(a);
	struct rn_ast_query *q =
		rn_parse(a, d, rn_diag_source(d, "query", text, sizeof(text) - 1))->stmts->query;
	struct rn_names names = {.catalog = rn_fake_catalog()};

	rn_resolve(a, d, q, &names);
	results.shape = rn_let_shape(a, q);
	return &l;
}

static struct rn_completion complete(struct rn_arena *a, const char *text, size_t len,
				     size_t cursor)
{
	static const char *const params[] = {"limit=5", NULL}, *const formats[] = {"picture",
										   "sound", NULL};
	struct rn_names names = {.catalog = rn_fake_catalog(),
				 .views = &views,
				 .lets = lets(a),
				 .params = params,
				 .formats = formats};

	return rn_complete_at(a, text, len, cursor, &names);
}

static const struct {
	const char *text, *want;
	unsigned wants;
	const char *note;
} cases[] = {
	/* the beginning of a statement */
	{"|", "events flow view use drop explain count p99 !where !read"},
	{"|", "let assert param !else !format !to"},
	{"as|", "=assert"},
	{"count of read form|", "=format"},
	{"count of (events of read form|", "="},
	{"count of read format csv |", "=to"},
	{"assert count = 0 of read el|", "=else"},
	{"assert cou|", "=count"},
	{"let x := cou|", "=count"},
	{"let |", "=", 0, "a name for the result"},
	{"param |", "=", 0, "a name for the parameter"},
	{"let x := count of rea|", "=read"},
	{"count of resu|", "=results"},
	{"wor| of results", "=worst"},
	{"count of results where |", "worst file !latency"},
	{"ev|", "=events"},
	{"slo|", "=slow"},
	{"res|", "=results"},
	{"sum(bytes) as moved, mo|", "=moved"},
	{"sum(bytes) as moved, mo| of read", "=moved"},
	{"count of read by mo|", "="},
	{"events |", "=of"},
	{"flow |", "=of"},
	{"count |", "of as !where"},
	{"count o|", "=of or"},
	{"explain cou|", "=count"},
	{"count of read; ev|", "=events"},
	/* sources */
	{"count of |", "read processes tag slow syscall between !fsync !latency", 0,
	 "or any system call by its name"},
	{"count of re|", "read recv"},
	{"count of fsy|", "=fsync"},
	{"count of read, |", "read write exit tracepoint late !processes !slow !tag !sample !where",
	 0, "or any system call by its name"},
	{"count of read, fsy|", "=fsync"},
	{"count of read, la|", "=late later"},
	{"count of read, late(|", "", 0, "t: a value; late(t = 1ms)"},
	{"count of read, late(5ms), fsy|", "=fsync"},
	{"count of read, later where |", "name latency file !bytes"},
	{"count of tracepoint \"block:block_rq_*\" where se|", "=sector"},
	{"count of read, tracepoint |", "=", 0, "its name in quotes, as \"sched:sched_switch\""},
	{"count of read, tracepoint \"sched:sched_sw|", "=sched:sched_switch"},
	{"count of tracepoint \"sched:sched_wakeup\", \"block:block_rq_i|",
	 "=block:block_rq_issue"},
	{"count of read, exit where |", "name latency ret !bytes !file"},
	{"events of sl|", "=slow"},
	{"max(calls) of (cou|", "=count"},
	{"max(calls) of (count of re|", "read !where"},
	{"flow of ta|", "=tag"},
	{"flow of |", "=tag"},
	{"flow of tag |", "=from", RN_WANT_TAG,
	 "a tag: a word, a number, a quoted string, x\"bytes in hexadecimal\""},
	{"count of tracepoint |", "=", 0, "its name in quotes, as \"sched:sched_switch\""},
	{"count of sample |", "=", 0, "how often a second, as 99hz"},
	{"count of between tracepoint |", "=", 0, "its name in quotes, as \"sched:sched_switch\""},
	{"count of tracepoint \"sched:sched_switch\" |", "by where limit"},
	{"count of kernel |", "=", 0, "functions in quotes, as \"vfs_*\""},
	{"count of user |", "=", 0,
	 "functions in quotes, as \"libc:malloc\", \"/usr/bin/app:main\""},
	{"count of kernel \"vfs_|", "=", RN_WANT_FUNCTION},
	{"count of user \"libc:mal|", "=", RN_WANT_FUNCTION},
	{"count of user \"libc:mal|\" by proc", "=", RN_WANT_FUNCTION},
	{"count of user \"libc:malloc\", \"libc:fr|", "=", RN_WANT_FUNCTION},
	{"count of between user \"a:b\" and user \"|", "=", RN_WANT_FUNCTION},
	{"count of nosuch \"|", "="},
	{"count of tracepoint \"sch|", "=sched:"},
	{"count of tracepoint \"sched:sched_sw|", "=sched:sched_switch"},
	/* clauses by position */
	{"count of read |", "where by limit every for from into !of !and !latency"},
	{"count of read wh|", "=where"},
	{"count of read where proc = java |", "and or by limit !where"},
	{"count of read by proc |", "where having limit !by"},
	{"count of read by proc order |", "=by"},
	{"count of read by proc or|", "=or order by"},
	{"count of read top 5 |", "by where !top"},
	{"count of read by file top 5 |", "by where !top"},
	{"count of read by proc order by count |", "asc desc limit"},
	{"count of read | limit 5", "where !limit"},
	{"max(n) of (count as n of read by proc) |", "where by"},
	/* fields of the source in hand, also of one behind the cursor */
	{"count of read where lat|", "=latency"},
	{"p99(lat|) of read", "=latency"},
	{"sum(|", "abs !latency !p50", 0, "or a field of the source, as bytes, latency, file"},
	{"p99(|) of read", "latency bytes len !count !p50"},
	{"count of read by |", "proc file !count !p99"},
	{"count of read where |", "proc file len not !count"},
	{"count, sum(bytes) of read having |", "count sum"},
	{"sum(bytes) as moved of read by proc order by mo|", "=moved"},
	{"count of read by proc top 5 by co|", "count"},
	{"rs| of processes", "=rss"},
	{"pid, proc of processes where rs|", "=rss"},
	{"lat|", "=late latency later"},
	{"max(ca|) of (count as calls of syscall by proc)", "=calls"},
	{"calls of (count as calls of syscall by proc) where |", "calls proc !latency"},
	{"cal| of slow(10ms, java)", "=calls"},
	{"lon| of slow", "=longest"},
	{"sum(bytes) as moved, max(|) of read", "bytes !moved !count"},
	{"sum(bytes) as moved of read having max(|)", "bytes !moved !count"},
	{"sum(bytes) as moved of read by proc order by max(|)", "bytes !moved !count"},
	{"sum(bytes) as moved of read by proc top 5 by max(mo|", "="},
	{"count of read where pid in (pid of processes where rs|", "=rss"},
	{"count of read where pid in (pi| of processes)", "=pid"},
	{"count of read where foo bar baz by lat|", "=latency"}, /* behind a mistake */
	/* parameters of views */
	{"events of slow(|", "!latency !read", 0,
	 "threshold: a value; slow(threshold = 10ms, who)"},
	{"events of slow(10ms, |", "!latency !read", 0,
	 "who: a value; slow(threshold = 10ms, who)"},
	{"events of busiest(|",
	 "read exit processes slow busiest !tracepoint !results !latency !count !not", 0,
	 "what: a source; busiest(what source, key field, n = 10)"},
	{"busiest(re|", "=read recv recvfrom"},
	{"busiest(fsy|", "=fsync"},
	{"let x := busiest(re|", "=read recv recvfrom"},
	{"busiest(read, |", "latency bytes basename !rss !count !share !read !not", 0,
	 "key: a field; busiest(what source, key field, n = 10)"},
	{"busiest(read, lat|", "=latency"},
	{"busiest(processes, rs|", "=rss"},
	{"busiest(processes, lat|", "="},
	{"busiest(slow, |", "calls longest file !latency"},
	{"busiest((pid, rss of processes), |", "pid rss !vsz"},
	{"busiest((events of read where lat|", "=latency"},
	{"busiest((cou|", "=count"},
	{"busiest(read, basename(fil|", "=file"},
	{"busiest(key = rs|, what = processes)", "=rss"},
	{"busiest(what = re|", "=read recv recvfrom"},
	{"busiest(nothing, lat|", "=latency"}, /* its source is not known */
	{"busiest(read, file, |", "!latency !read", 0,
	 "n: a value; busiest(what source, key field, n = 10)"},
	{"busiest(read, file, 3, |", "!latency !read", 0,
	 "busiest(what source, key field, n = 10)"},
	{"failing(|", "latency error not len !bytes !count !read !where", 0,
	 "when: a condition; failing(when condition)"},
	{"failing(proc = java and lat|", "=latency"},
	{"failing(proc = |", "=", RN_WANT_PROCESS},
	{"sums(|", "latency bytes !file", 0, "x: anything; sums(x, from source = read)"},
	/* values */
	{"count of read where proc = |", "=", RN_WANT_PROCESS},
	{"count of read where proc = \"ja|\" by file", "=", RN_WANT_PROCESS},
	{"count of read where proc in (java, |", "=", RN_WANT_PROCESS},
	{"count of read where user = |", "=", RN_WANT_USER},
	{"count of open where error = ENOE|", "=ENOENT ENOEXEC"},
	{"count of read where name = pr|", "=pread64 preadv preadv2"},
	{"count of read where latency > |", "=", 0, "a duration, as 10ms"},
	{"count of read where bytes > 4|", "="},
	{"count of read every |", "=", 0, "a duration, as 500ms, 10s, 5m"},
	{"count of read limit |", "=", 0, "a number"},
	/* the rest */
	{"use |", "=", RN_WANT_MODULE},
	{"use i|", "=", RN_WANT_MODULE},
	{"drop |", "=view"},
	{"drop view |", "=busiest failing late later slow sums"},
	{"count of read on |", "except", RN_WANT_NODE},
	{"count of read on node1, |", "=", RN_WANT_NODE},
	{"count of read on \"no|", "=", RN_WANT_NODE},
	{"count of read from \"x|", "=", RN_WANT_FILE},
	{"events of read into \"|", "=", RN_WANT_FILE},
	{"events of read into \"x.rnt\" re|", "=replace"},
	{"events of read into \"x.rnt\" ap|", "=append"},
	{"count of read from |", "=", 0, "a quoted file, as \"x.rnt\""},
	{"count of tag |", "from", RN_WANT_TAG},
	{"tags |", "=add drop list"},
	{"tags drop |", "=", RN_WANT_TAG},
	{"drop view slow, |", "=busiest failing late later slow sums"},
	{"le|", "=least len let"},
	{"let |", "=", 0, "a name for the result"},
	{"let x := ev|", "=events"},
	{"param |", "=", 0, "a name for the parameter"},
	{"assert cou|", "=count"},
	{"assert count of read having count < 5 e|", "=else ending where every"},
	{"count of read format |", "=picture sound"},
	{"count of read format csv |", "=to"},
	{"count of read format csv to \"|", "=", RN_WANT_FILE},
	{"count as |", "=", 0, "a name for the column"},
	{"view x|", "=", 0, "a name for the view"},
	{"view v(least = 1ms, most) := count of read where latency > $|", "=$least $limit $most"},
	{"view v(least) := cou|", "=count"},
	{"-- cou|", "="},
	{"count of read where data = x\"0|", "="},
	{"count of read ; \\h|", "="},
	{"count of read where (proc = java and lat|) by file", "=latency"},
	{")))) cou|", "="},
};

static bool has(const struct rn_completion *c, const char *word, size_t n)
{
	for (unsigned i = 0; i < c->n; i++)
		if (strlen(c->candidates[i].text) == n && !memcmp(c->candidates[i].text, word, n))
			return true;
	return false;
}

static const char *all_of(struct rn_arena *a, const struct rn_completion *c)
{
	const char *s = "";

	for (unsigned i = 0; i < c->n; i++)
		s = rn_arena_printf(a, "%s%s%s", s, i ? " " : "", c->candidates[i].text);
	return s;
}

static bool check(struct rn_arena *a, const char *text, const struct rn_completion *c,
		  const char *want)
{
	const char *found = all_of(a, c);
	bool fine;

	if (*want == '=') {
		if (!strcmp(found, want + 1))
			return true;
		print_error("%s\n  gives %s\n  not   %s\n", text, found, want + 1);
		return false;
	}
	fine = true;
	for (const char *w = want; *w; w += strcspn(w, " "), w += *w == ' ') {
		bool absent = *w == '!';
		size_t n = strcspn(w, " ") - absent;

		if (has(c, w + absent, n) == absent) {
			print_error("%s\n  %s %.*s in: %s\n", text, absent ? "unwanted" : "missing",
				    (int)n, w + absent, found);
			fine = false;
		}
	}
	return fine;
}

static void test_cases(void **state)
{
	unsigned bad = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct rn_arena *a = rn_arena_create(RN_ARENA_CAP);
		const char *bar = strchr(cases[i].text, '|');
		size_t cursor = (size_t)(bar - cases[i].text);
		const char *text =
			rn_arena_printf(a, "%.*s%s", (int)cursor, cases[i].text, bar + 1);
		struct rn_completion c = complete(a, text, strlen(text), cursor);

		bad += !check(a, cases[i].text, &c, cases[i].want);
		if (c.wants != cases[i].wants) {
			print_error("%s\n  wants %u, not %u\n", cases[i].text, c.wants,
				    cases[i].wants);
			bad++;
		}
		if ((c.wants == RN_WANT_FUNCTION) !=
		    (c.functions_of && strstr(cases[i].text, c.functions_of))) {
			print_error("%s\n  functions of %s\n", cases[i].text,
				    c.functions_of ? c.functions_of : "nothing");
			bad++;
		}
		if (cases[i].note && (!c.note || strcmp(c.note, cases[i].note))) {
			print_error("%s\n  says %s\n", cases[i].text, c.note ? c.note : "nothing");
			bad++;
		}
		rn_arena_destroy(a);
	}
	assert_int_equal(bad, 0);
}

/* Where the word begins, and in what kind of string. */
static void test_word(void **state)
{
	struct rn_arena *a = rn_arena_create(RN_ARENA_CAP);
	struct rn_completion c;

	(void)state;
	c = complete(a, "count of re", 11, 11);
	assert_int_equal(c.start, 9);
	assert_int_equal(c.quote, 0);
	c = complete(a, "count of read from 'a b", 23, 23);
	assert_int_equal(c.start, 20);
	assert_int_equal(c.quote, '\'');
	c = complete(a, "view v(x) := count of read where fd = $", 39, 39);
	assert_int_equal(c.start, 38);
	rn_arena_destroy(a);
}

static void test_typed(void **state)
{
	static const struct {
		const char *text;
		size_t whole;
		bool rest;
		size_t command;
	} t[] = {
		{"", 0, false, 0},
		{"count of read", 0, true, 13},
		{"count of read;", 14, false, 14},
		{"a; b", 2, true, 4},
		{"a; -- b;", 2, false, 8},
		{"a where x = \";\"", 0, true, 15},
		{"a \\g", 0, true, 2},
		{"\\x", 0, false, 0},
		{"x = \"\\d\" \\p", 0, true, 9},
		{"-- \\x", 0, false, 5},
		{"a \";\n;", 6, false, 6},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
		struct rn_typed got = rn_parse_typed(t[i].text, strlen(t[i].text));

		assert_int_equal(got.whole, t[i].whole);
		assert_int_equal(got.rest, t[i].rest);
		assert_int_equal(got.command, t[i].command);
	}
	assert_true(rn_parse_typed("a \"b\n", 5).broken);
	assert_false(rn_parse_typed("a \"b", 4).broken); /* its line goes on */
	assert_false(rn_parse_typed("a \"b\n; c", 8).broken);
	assert_false(rn_parse_typed("a 'b\\'c'\n", 9).broken);
	assert_false(rn_parse_typed("-- it's\n", 8).broken);
	assert_int_equal(rn_parse_typed("a (b (\"(\") -- (", 16).open, 1);
	assert_int_equal(rn_parse_typed("a (; b )", 8).open, 0);
}

/* Words and signs in any order, at any cursor; every candidate begins with the word. */
static void test_any_text(void **state)
{
	static const char *const parts[] = {"count", " of ",     "read",        " where ", "by ",
					    "(",     ")",        "\"",          "'",       "proc",
					    "=",     ",",        "tag ",        "x\"",     "--",
					    "\n",    ";",        "$p",          "5s",      "view ",
					    ":=",    "in ",      "between ",    "and ",    "on ",
					    "top ",  "\\",       "\xc3",        "\xff",    "sum(",
					    "slow(", "busiest(", "tracepoint ", "from ",   " "};
	unsigned seed = 1;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		char text[256] = "";
		size_t len = 0;
		struct rn_arena *a = rn_arena_create(RN_ARENA_CAP);
		size_t cursor;
		struct rn_completion c;

		for (int n = rand_r(&seed) % 14; n > 0; n--) {
			const char *part =
				parts[(size_t)rand_r(&seed) % (sizeof(parts) / sizeof(*parts))];

			len += (size_t)snprintf(text + len, sizeof(text) - len, "%s", part);
		}
		cursor = len ? (size_t)rand_r(&seed) % (len + 1) : 0;
		c = complete(a, text, len, cursor);
		assert_true(c.start <= cursor);
		for (unsigned k = 0; k < c.n; k++)
			assert_true(
				!strncmp(c.candidates[k].text, text + c.start, cursor - c.start));
		rn_arena_destroy(a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases), cmocka_unit_test(test_word),
		cmocka_unit_test(test_typed), cmocka_unit_test(test_any_text)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
