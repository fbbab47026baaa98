/* test_resolve.c - name resolution and typing over the fake catalogue. The cases are a table
 * (resolve_cases.h): a query and what comes of it, either its columns with their types and its
 * notes, or every error as "CODE line:column text". */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "lang/base/nearest.h"
#include "lang/catalog/funcs.h"
#include "lang/resolve/names.h"
#include "lang/resolve/resolve.h"
#include "lang/base/limits.h"
#include "lang/syntax/parse.h"
#include "lang/syntax/print.h"
#include "planner/plan/agg.h"
#include "tests/support/fake_catalog.h"

/* ---- views and traces for the cases ---- */

static const struct {
	const char *name, *text;
} saved[] = {
	{"big_files",
	 "view big_files(n = 20) := sum(bytes) as moved of io where bytes > $n by file;"},
	{"broken", "view broken() := count of read where;"},
	{"deep0", NULL}, /* made up: deep0 uses deep1, and so on without end */
	{"limited", "view limited(n) := bytes, file of read limit $n;"},
	{"loop", "view loop() := count of loop;"},
	{"named", "view named(who) := count as n of read where proc = $who by proc;"},
	{"other", "view another() := count of read;"},
	{"ping", "view ping() := count of pong;"},
	{"pong", "view pong() := count of ping;"},
	{"slow", "view slow(threshold, top = 3) := count as n of read where latency > $threshold "
		 "by proc, file;"},
	{"tagged", "view tagged(t) := bytes, file of tag $t;"},
	{"wrong", "view wrong() := count of read where latency > 4KiB and nosuch = 1;"},
};
enum { NSAVED = sizeof(saved) / sizeof(saved[0]) };

static const char *find_view(void *self, const char *name, const char **origin)
{
	char *made = self;
	unsigned n;

	*origin = "view";
	if (sscanf(name, "deep%u", &n) == 1) {
		sprintf(made, "view deep%u() := count of deep%u;", n, n + 1);
		return made;
	}
	if (sscanf(name, "twice%u", &n) == 1) {
		sprintf(made,
			n < 14 ? "view twice%u() := pid of twice%u where pid in (pid of twice%u);"
			       : "view twice%u() := pid of processes;",
			n, n + 1, n + 1);
		return made;
	}
	for (unsigned i = 0; i < NSAVED; i++)
		if (!strcmp(saved[i].name, name))
			return saved[i].text;
	return NULL;
}

static const char *const *view_names(void *self)
{
	static const char *names[NSAVED + 1];

	(void)self;
	for (unsigned i = 0; i < NSAVED; i++)
		names[i] = saved[i].name;
	return names;
}

/* A recording that holds reads only. */
static const struct rn_class *find_read(void *self, const char *name, const char *arg, char *why,
					size_t why_bytes)
{
	const struct rn_catalog *base = self;

	if (!strcmp(name, "read"))
		return base->find(base->self, name, arg, why, why_bytes);
	if (why)
		snprintf(why, why_bytes, "the trace holds no `%s`", name);
	return NULL;
}

static const struct rn_catalog *open_trace(void *self, const char *path,
					   const struct rn_catalog *base, char *why,
					   size_t why_bytes)
{
	struct rn_catalog *trace = self;

	if (strcmp(path, "good.rnt")) {
		snprintf(why, why_bytes, "no such file");
		return NULL;
	}
	*trace = *base;
	trace->self = (void *)base;
	trace->find = find_read;
	return trace;
}

/* ---- what comes of a query ---- */

struct run {
	struct rn_arena *arena;
	struct rn_diag *d;
	struct rn_ast_query *q;
	bool ok;
	char made_view[192];
	const char *scope;
	struct rn_catalog trace;
};

static void resolve_text(struct run *r, const char *text, const char *const *params)
{
	struct rn_views views = {.self = r->made_view, .find = find_view, .names = view_names};
	struct rn_names names = {.catalog = rn_fake_catalog(),
				 .views = &views,
				 .params = params,
				 .trace = open_trace,
				 .trace_self = &r->trace,
				 .scope = r->scope};
	struct rn_ast_file *file;

	r->arena = rn_arena_create(RN_ARENA_CAP);
	r->d = rn_diag_new(r->arena);
	file = rn_parse(r->arena, r->d, rn_diag_source(r->d, "query", text, strlen(text)));
	r->q = file->stmts ? file->stmts->query : NULL;
	r->ok = r->q && !rn_diag_errors(r->d) && rn_resolve(r->arena, r->d, r->q, &names);
}

static const char *diagnostics(struct run *r, enum rn_severity sev)
{
	const char *out = "";

	for (const struct rn_diag_item *it = rn_diag_first(r->d); it; it = it->next) {
		unsigned line, col;

		if (it->severity != sev)
			continue;
		rn_diag_where(r->d, it->span, &line, &col);
		out = rn_arena_printf(r->arena, "%s%s%s %u:%u %s", out, *out ? "; " : "", it->code,
				      line, col, it->text);
	}
	return out;
}

static const char *outcome(struct run *r)
{
	const char *out = "", *notes = diagnostics(r, RN_NOTE);

	if (!r->ok)
		return diagnostics(r, RN_ERROR);
	for (const struct rn_ast_item *it = r->q->items; it; it = it->next)
		out = rn_arena_printf(r->arena, "%s%s%s: %s", out, *out ? ", " : "", it->label,
				      rn_type_name(it->expr->ty));
	return *notes ? rn_arena_printf(r->arena, "%s; %s", out, notes) : out;
}

/* ---- tests ---- */

static const struct {
	const char *query, *want;
} cases[] = {
#include "tests/unit/lang/resolve_cases.h"
};
enum { NCASES = sizeof(cases) / sizeof(cases[0]) };

static void test_cases(void **state)
{
	unsigned failed = 0;

	(void)state;
	for (unsigned i = 0; i < NCASES; i++) {
		struct run r = {0};
		const char *got;

		resolve_text(&r, cases[i].query, NULL);
		got = outcome(&r);
		if (strcmp(got, cases[i].want)) {
			print_error("%s\n  want %s\n  got  %s\n", cases[i].query, cases[i].want,
				    got);
			failed++;
		}
		rn_arena_destroy(r.arena);
	}
	assert_int_equal(failed, 0);
	assert_true(NCASES >= 240);
}

/* Queries about some processes over what happens in the context of any; want: code and place of the
 * warning. */
static void test_scope(void **state)
{
	static const struct {
		const char *query, *want;
	} of[] = {
		{"count of tracepoint \"sched:sched_switch\"", "W-SCOPE 1:21"},
		{"count of tracepoint \"sched:sched_process_exec\"", ""},
		{"count of tracepoint \"block:block_rq_issue\" where dev in (dev of tracepoint "
		 "\"block:block_rq_complete\")",
		 "W-SCOPE 1:21"},
		{"count of between block_rq_issue and block_rq_complete on dev, sector",
		 "W-SCOPE 1:18"},
		{"count of between openat and block_rq_complete on pid = dev", ""},
		{"count of read", ""},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(of) / sizeof(*of); i++)
		for (int scoped = 1; scoped >= 0; scoped--) {
			struct run r = {.scope = scoped ? "-c" : NULL};
			const char *got;

			resolve_text(&r, of[i].query, NULL);
			if (!r.ok)
				fail_msg("%s: %s", of[i].query, diagnostics(&r, RN_ERROR));
			got = diagnostics(&r, RN_WARNING);
			if (*got)
				*strchr(strchr(got, ' ') + 1, ' ') = 0;
			if (strcmp(got, scoped ? of[i].want : ""))
				fail_msg("%s: got '%s'", of[i].query, got);
			rn_arena_destroy(r.arena);
		}
}

/* What rn_resolve promises of the tree it leaves behind, over every case that has no error. */
static void check_expr(const struct rn_ast_expr *e, const char *query)
{
	if (e->kind == RN_AST_PARAM || e->ty.type == RN_T_ERROR ||
	    (e->kind == RN_AST_NAME && !e->field && e->column == -1) ||
	    (e->kind == RN_AST_CALL && !e->agg && !e->func))
		fail_msg("unresolved `%s` in: %s", e->name ? e->name : "?", query);
	for (const struct rn_ast_expr *x = e->args; x; x = x->next)
		check_expr(x, query);
}

static void check_query(const struct rn_ast_query *q, const char *query)
{
	const struct rn_ast_item *lists[] = {q->items, q->by, q->order};
	const struct rn_ast_expr *single[] = {q->where, q->having, q->top_by};

	assert_non_null(q->items);
	for (unsigned i = 0; i < 3; i++) {
		for (const struct rn_ast_item *it = lists[i]; it; it = it->next)
			check_expr(it->expr, query);
		if (single[i])
			check_expr(single[i], query);
	}
	if (q->source->kind == RN_SRC_QUERY)
		check_query(q->source->query, query);
	else if (q->source->kind == RN_SRC_CLASS)
		assert_non_null(q->source->cls);
}

static void test_nothing_unresolved(void **state)
{
	(void)state;
	for (unsigned i = 0; i < NCASES; i++) {
		struct run r = {0};

		resolve_text(&r, cases[i].query, NULL);
		if (r.ok)
			check_query(r.q, cases[i].query);
		else
			assert_true(rn_diag_errors(r.d) > 0);
		rn_arena_destroy(r.arena);
	}
}

static void test_params(void **state)
{
	static const char *const params[] = {"t=10ms",     "who=java", "n=3", "e=ENOENT",
					     "tag=fix283", "half=0.5", NULL};
	static const struct {
		const char *query, *want;
	} with[] = {
		{"count of read where latency > $t and proc = $who", "count: integer"},
		{"quantile(latency, $half) of open where error = $e",
		 "quantile(latency, 0.5): duration"},
		{"time, bytes of tag $tag limit $n", "time: time, bytes: size"},
		{"count of read where latency > $n",
		 "E-UNIT 1:31 units differ: a duration and a plain number"},
		{"count of read where latency > $tt", "E-NAME-PARAM 1:31 `$tt` has no value"},
		{"count of read for $n", "E-UNIT 1:19 `for` takes a duration longer than zero"},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(with) / sizeof(with[0]); i++) {
		struct run r = {0};

		resolve_text(&r, with[i].query, params);
		assert_string_equal(outcome(&r), with[i].want);
		rn_arena_destroy(r.arena);
	}
}

static void test_param_values(void **state)
{
	static const char *const params[] = {"tag=fix283", "n=3", NULL};
	struct run r = {0};

	(void)state;
	resolve_text(&r, "time of tag $tag limit $n", params);
	assert_true(r.ok);
	assert_string_equal(r.q->source->args->text, "fix283");
	assert_int_equal(r.q->limit, 3);
	rn_arena_destroy(r.arena);
}

static void test_output_places(void **state)
{
	struct run r = {0};
	const struct rn_ast_item *o;

	(void)state;
	resolve_text(&r,
		     "count as c, sum(bytes) of read by proc having c > 5 order by sum(bytes) "
		     "desc, proc top 5 by c",
		     NULL);
	assert_true(r.ok);
	assert_true(r.q->grouped);
	assert_int_equal(r.q->having->args->column, 1);
	o = r.q->order;
	assert_int_equal(o->expr->column, 2);
	assert_true(o->desc);
	assert_int_equal(o->next->expr->column, 0);
	assert_int_equal(r.q->top_by->column, 1);
	rn_arena_destroy(r.arena);
}

static void test_literals_take_types(void **state)
{
	struct run r = {0};
	const struct rn_ast_expr *right;

	(void)state;
	resolve_text(&r, "count of open where error = ENOENT", NULL);
	right = r.q->where->args->next;
	assert_int_equal(right->value.i, 2);
	assert_int_equal(right->ty.unit, RN_U_ERRNO);
	assert_string_equal(rn_print_expr(r.arena, r.q->where), "error = ENOENT");
	rn_arena_destroy(r.arena);

	resolve_text(&r, "count of read where peer = \"10.0.0.1:80\"", NULL);
	right = r.q->where->args->next;
	assert_int_equal(right->ty.type, RN_T_IP);
	assert_int_equal(right->value.len, RN_IP_BYTES);
	assert_memory_equal(right->value.s + 10, "\xff\xff\x0a\x00\x00\x01\x00\x50", 8);
	assert_string_equal(rn_print_expr(r.arena, r.q->where), "peer = \"10.0.0.1:80\"");
	rn_arena_destroy(r.arena);

	resolve_text(&r, "count of read where dev = \"8:1\" and time > \"2026-11-20T10:00:00Z\"",
		     NULL);
	assert_int_equal(r.q->where->args->args->next->value.i, 8 << 20 | 1);
	assert_int_equal(r.q->where->args->next->args->next->value.i, 1795168800000000000);
	rn_arena_destroy(r.arena);
}

static void test_views_become_queries(void **state)
{
	struct run r = {0};

	(void)state;
	resolve_text(&r, "sum(moved) of big_files(5)", NULL);
	assert_true(r.ok);
	assert_int_equal(r.q->source->kind, RN_SRC_QUERY);
	assert_string_equal(r.q->source->view, "big_files");
	assert_string_equal(rn_print_expr(r.arena, r.q->source->query->where), "bytes > 5");
	rn_arena_destroy(r.arena);
}

static void test_trace_of_outer_query(void **state)
{
	struct run r = {0};

	(void)state;
	resolve_text(&r, "count of (count of read by proc) where count > 1 from \"good.rnt\"",
		     NULL);
	assert_true(r.ok);
	assert_string_equal(r.q->source->query->from, "good.rnt");
	rn_arena_destroy(r.arena);
}

static void test_nearest(void **state)
{
	static const char *const names[] = {"read", "write", "latency", "open", NULL};

	(void)state;
	assert_string_equal(rn_nearest("raed", names), "read");
	assert_string_equal(rn_nearest("latncy", names), "latency");
	assert_string_equal(rn_nearest("wirte", names), "write");
	assert_null(rn_nearest("java", names));
	assert_null(rn_nearest("x", names));
	assert_null(rn_nearest("", names));
	assert_null(rn_nearest("read", NULL));
}

/* No name is both an aggregate and a function. */
static void test_names_are_one_thing(void **state)
{
	(void)state;
	for (const struct rn_agg_sig *const *sig = rn_agg_sigs; *sig; sig++)
		assert_null(rn_func_find((*sig)->name));
}

/* A difference of times is a duration, of anything else what it was; a sum of times is refused by
 * the kind of the argument. */
static void test_differences(void **state)
{
	static const struct rn_agg_sig range = {
		.name = "range", .arg = RN_ARG_NUMBER, .result = RN_RES_DIFF};
	static const struct rn_agg_sig *const sigs[] = {&range, NULL};
	static const struct {
		const char *text;
		enum rn_type type;
		enum rn_unit unit;
	} types[] = {
		{"range(time) of read", RN_T_INT, RN_U_NS},
		{"range(latency) of read", RN_T_INT, RN_U_NS},
		{"range(bytes) of read", RN_T_INT, RN_U_BYTE},
		{"range(bytes > 5) of read", RN_T_INT, RN_U_NONE},
		{"stddev(latency) of read", RN_T_FLOAT, RN_U_NS},
		{"avg(latency) of read", RN_T_FLOAT, RN_U_NS},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		struct rn_catalog c = *rn_fake_catalog();
		struct rn_names names = {.catalog = &c};
		struct rn_arena *a = rn_arena_create(RN_ARENA_CAP);
		struct rn_diag *d = rn_diag_new(a);
		struct rn_ast_query *q =
			rn_parse(a, d,
				 rn_diag_source(d, "query", types[i].text, strlen(types[i].text)))
				->stmts->query;

		if (types[i].text[0] == 'r')
			c.aggs = sigs;
		assert_true(rn_resolve(a, d, q, &names));
		assert_int_equal(q->items->expr->ty.type, types[i].type);
		assert_int_equal(q->items->expr->ty.unit, types[i].unit);
		rn_arena_destroy(a);
	}
}

static bool has_code(const struct run *r, const char *code)
{
	for (const struct rn_diag_item *it = rn_diag_first(r->d); it; it = it->next)
		if (!strcmp(it->code, code))
			return true;
	return false;
}

static void test_limits(void **state)
{
	static char text[32 * RN_MAX_TAGS] = "count of tag tag0";
	char path[] = "/tmp/runnel-tags-XXXXXX";
	struct run r = {0};
	int fd = mkstemp(path);
	size_t at = strlen(text);

	(void)state;
	for (int i = 1; i < RN_MAX_TAGS; i++)
		at += (size_t)sprintf(text + at, ", tag%d", i);
	resolve_text(&r, text, NULL);
	assert_true(r.ok);
	assert_int_equal(r.q->source->ntags, RN_MAX_TAGS);
	rn_arena_destroy(r.arena);

	assert_true(fd >= 0);
	for (int i = 0; i <= RN_MAX_TAGS; i++)
		dprintf(fd, "tag%d\ntag%d\n", i, i); /* those that are there twice are one */
	close(fd);
	snprintf(text, sizeof(text), "count of tag from \"%s\"", path);
	resolve_text(&r, text, NULL);
	assert_true(has_code(&r, "E-LIMIT-TAGS"));
	assert_int_equal(rn_diag_errors(r.d), 1);
	assert_int_equal(r.q->source->ntags, RN_MAX_TAGS);
	rn_arena_destroy(r.arena);
	unlink(path);

	/* Each view uses the next one twice: 2^14 expansions, were there no limit. */
	resolve_text(&r, "count of twice0", NULL);
	assert_true(has_code(&r, "E-LIMIT-VIEWS"));
	rn_arena_destroy(r.arena);
	resolve_text(&r, "count of twice9", NULL);
	assert_true(r.ok);
	rn_arena_destroy(r.arena);

	resolve_text(&r, "count of deep0", NULL);
	assert_true(has_code(&r, "E-LIMIT-VIEWS"));
	rn_arena_destroy(r.arena);
}

static void test_many_errors(void **state)
{
	char text[4096] = "count of read where a0 > 1ms";
	struct run r = {0};

	(void)state;
	for (int i = 1; i < 60; i++)
		sprintf(text + strlen(text), " and a%d > 1ms", i);
	resolve_text(&r, text, NULL);
	assert_false(r.ok);
	assert_int_equal(rn_diag_errors(r.d), 60);
	rn_arena_destroy(r.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_scope),
		cmocka_unit_test(test_nothing_unresolved),
		cmocka_unit_test(test_params),
		cmocka_unit_test(test_param_values),
		cmocka_unit_test(test_output_places),
		cmocka_unit_test(test_literals_take_types),
		cmocka_unit_test(test_views_become_queries),
		cmocka_unit_test(test_trace_of_outer_query),
		cmocka_unit_test(test_nearest),
		cmocka_unit_test(test_names_are_one_thing),
		cmocka_unit_test(test_differences),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_many_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
