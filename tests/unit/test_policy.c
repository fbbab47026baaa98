/* test_policy.c - a node's policy: what a file may say, and which fragments it keeps out. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "exec/agent.h"
#include "exec/policy.h"
#include "tests/fake_catalog.h"
#include "tests/fake_provider.h"

static char path[] = "/tmp/runnel-policy-XXXXXX";

static int load(const char *text, struct rn_policy *p, struct rn_err *err)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	setenv("RUNNEL_POLICY", path, 1);
	memset(err, 0, sizeof(*err));
	return rn_policy_load(p, err);
}

static void says(void **state)
{
	static const struct { const char *text; bool payload; unsigned line; } cases[] = {
		{"", false, 0}, {"# payload = allow\n", false, 0}, {"payload = allow\n", true, 1}, {"payload=deny", false, 1},
		{"\n  # x\r\n \t payload \t=\tallow \r\n\n", true, 3}, {"payload = allow\npayload = deny\n", false, 2},
	};
	struct rn_policy p;
	struct rn_err err;

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(load(cases[i].text, &p, &err), 0);
		assert_int_equal(p.payload, cases[i].payload);
		assert_int_equal(p.payload_line, cases[i].line);
	}
	setenv("RUNNEL_POLICY", "/nonexistent/policy", 1);
	assert_int_equal(rn_policy_load(&p, &err), 0);
	assert_false(p.payload);
}

static void slips(void **state)
{
	static const struct { const char *text, *why, *hint; } cases[] = {
		{"payload\n", ":1: `payload` is not `key = value` [E-POLICY]", "for instance `payload = deny`"},
		{"# x\npayload = yes\n", ":2: `payload` is allow or deny, not `yes` [E-POLICY]", ""},
		{"payload = \n", ":1: `payload` is allow or deny, not `` [E-POLICY]", ""},
		{"payload = allow deny\n", ":1: `payload` is allow or deny, not `allow deny` [E-POLICY]", ""},
		{"payloads = allow\n", ":1: `payloads` is no key of a policy [E-POLICY]", "did you mean `payload`?"},
		{"payload = allow\nfoo = bar\n", ":2: `foo` is no key of a policy [E-POLICY]", "there is `payload`"},
	};
	char want[256], *much = malloc(1000);
	struct rn_policy p;
	struct rn_err err;

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(load(cases[i].text, &p, &err), -EINVAL);
		snprintf(want, sizeof(want), "%s%s", path, cases[i].why);
		assert_string_equal(err.text, want);
		assert_string_equal(err.hint, cases[i].hint);
	}
	memset(much, '#', 999);
	much[999] = 0;
	assert_int_equal(load(much, &p, &err), -EINVAL);
	assert_non_null(strstr(err.text, "more than"));
	free(much);
	setenv("RUNNEL_POLICY", "/", 1);
	assert_true(rn_policy_load(&p, &err) < 0);
}

static int nothing_rows(void *self, const struct rn_rows *r) { return (void)self, (void)r, 0; }
static int nothing_partials(void *self, const struct rn_partials *p) { return (void)self, (void)p, 0; }

/* Opens an agent for the query over the fake provider. */
static int open_query(const char *text, struct rn_err *err)
{
	static struct rn_value row[64];
	static int64_t time_ns;
	const struct rn_catalog *c = rn_fake_catalog();
	const struct rn_class *cls = c->find(c->self, "io", NULL, NULL, 0);
	struct rn_fake_rows rows = {.v = row, .time_ns = &time_ns, .nrows = 1, .ncols = cls->nfields, .cls = cls, .batch = 1};
	struct rn_provider provider = rn_fake_provider(&rows);
	struct rn_sink sink = {.rows = nothing_rows, .partials = nothing_partials};
	struct rn_arena *a = rn_arena_create(RN_ARENA_CAP);
	struct rn_names names = {.catalog = c};
	struct rn_diag *d = rn_diag_new(a);
	struct rn_ast_file *f = rn_parse(a, d, rn_diag_source(d, "query", text, strlen(text)));
	struct rn_agent *g = NULL;
	struct rn_plan *p;
	int r;

	rn_fake_row(row, cls);
	assert_true(rn_resolve(a, d, f->stmts->query, &names));
	p = rn_plan_query(a, d, f->stmts->query, &names, &(struct rn_plan_opts){.no_kernel = true});
	assert_non_null(p);
	memset(err, 0, sizeof(*err));
	r = rn_agent_open("n1", &provider, &p->frag, NULL, &sink, &g, err);
	if (!r)
		rn_agent_close(g);
	rn_arena_destroy(a);
	return r;
}

static void fragments(void **state)
{
	static const struct { const char *query; bool payload; } cases[] = {
		{"time, data of io", true}, {"count of io where data ~ \"*x*\"", true}, {"set(data) of io by proc", true},
		{"count of io where len(data) > 3 by proc", true}, {"count of io by len(data)", true}, {"events of io", false},
		{"time, hash, sketch of io", false}, {"count of io where similar(data, \"some text\") > 0.5 by hash", false},
	};
	struct rn_policy p;
	struct rn_err err;
	char want[256];

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(load("# nothing\n", &p, &err), 0);
		assert_int_equal(open_query(cases[i].query, &err), cases[i].payload ? -EPERM : 0);
		assert_int_equal(load("\npayload = deny\n", &p, &err), 0);
		assert_int_equal(open_query(cases[i].query, &err), cases[i].payload ? -EPERM : 0);
		snprintf(want, sizeof(want), "%s:2 [E-POLICY]", path);
		assert_true(!cases[i].payload || strstr(err.text, want));
		snprintf(want, sizeof(want), "`payload = allow` into %s;", path);
		assert_true(!cases[i].payload || strstr(err.hint, want));
		assert_int_equal(load("payload = allow\n", &p, &err), 0);
		assert_int_equal(open_query(cases[i].query, &err), 0);
		assert_int_equal(load("payload = allow\npaylaod = deny\n", &p, &err), -EINVAL);
		assert_int_equal(open_query(cases[i].query, &err), -EINVAL); /* a slip closes all */
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(says), cmocka_unit_test(slips), cmocka_unit_test(fragments)};
	int fd = mkstemp(path), failed;

	if (fd < 0)
		return 1;
	close(fd);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return failed;
}
