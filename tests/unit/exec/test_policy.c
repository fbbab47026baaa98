/* test_policy.c - a node's policy: what a file may say, and which fragments it keeps out. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include "exec/node/agent.h"
#include "exec/node/policy.h"
#include "exec/node/policy_payload_impl.h"
#include "tests/support/fake_catalog.h"
#include "tests/support/fake_provider.h"
#include "lang/resolve/resolve.h"
#include "lang/syntax/parse.h"
#include "lang/base/limits.h"

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

static void a_policy_says_what_may_be_seen(void **state)
{
	static const struct {
		const char *text;
		enum rn_policy_payload payload;
		unsigned line;
	} cases[] = {
		{"", RN_PAYLOAD_UNSEEN, 0},
		{"# payload = allow\n", RN_PAYLOAD_UNSEEN, 0},
		{"payload = allow\n", RN_PAYLOAD_ALLOW, 1},
		{"payload=deny", RN_PAYLOAD_DENY, 1},
		{"\n  # x\r\n \t payload \t=\tallow \r\n\n", RN_PAYLOAD_ALLOW, 3},
		{"payload = allow\npayload = deny\n", RN_PAYLOAD_DENY, 2},
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
	assert_int_equal(p.payload, RN_PAYLOAD_UNSEEN);
}

static void a_slip_in_a_policy_is_an_error_with_its_line(void **state)
{
	static const struct {
		const char *text, *why, *hint;
	} cases[] = {
		{"payload\n", ":1: `payload` is not `key = value` [E-POLICY]",
		 "for instance `payload = deny`"},
		{"# x\npayload = yes\n", ":2: `payload` is allow or deny, not `yes` [E-POLICY]",
		 ""},
		{"payload = \n", ":1: `payload` is allow or deny, not `` [E-POLICY]", ""},
		{"payload = allow deny\n",
		 ":1: `payload` is allow or deny, not `allow deny` [E-POLICY]", ""},
		{"payloads = allow\n", ":1: `payloads` is no key of a policy [E-POLICY]",
		 "did you mean `payload`?"},
		{"payload = allow\nfoo = bar\n", ":2: `foo` is no key of a policy [E-POLICY]",
		 "there are payload, tags, hash_key, ask, classes, max_queries, max_events, "
		 "max_cpu, max_memory, max_seconds, max_groups"},
		{"max_event = 3\n", ":1: `max_event` is no key of a policy [E-POLICY]",
		 "did you mean `max_events`?"},
		{"max_events = 0\n",
		 ":1: `max_events` is a whole number from 1 on, not `0` [E-POLICY]", ""},
		{"max_cpu = 20%\n",
		 ":1: `max_cpu` is a whole number from 1 on, not `20%` [E-POLICY]", ""},
		{"max_cpu = -1\n", ":1: `max_cpu` is a whole number from 1 on, not `-1` [E-POLICY]",
		 ""},
		{"max_memory = 99999999999999999999\n",
		 ":1: `max_memory` is a whole number from 1 on, not `99999999999999999999` "
		 "[E-POLICY]",
		 ""},
		{"max_seconds =\n",
		 ":1: `max_seconds` is a whole number from 1 on, not `` [E-POLICY]", ""},
		{"ask =\n",
		 ":1: `ask` is a list of names and globs, with commas between, not `` [E-POLICY]",
		 ""},
		{"\nclasses = read,, tag\n",
		 ":2: `classes` is a list of names and globs, with commas between, not `read,, "
		 "tag` [E-POLICY]",
		 ""},
		{"tags = \"\"\n",
		 ":1: `tags` is a list of globs, with commas between, in quotes if they hold "
		 "blanks, not `\"\"` [E-POLICY]",
		 ""},
		{"tags = \"order *\n",
		 ":1: `tags` is a list of globs, with commas between, in quotes if they hold "
		 "blanks, not `\"order *` [E-POLICY]",
		 ""},
		{"tags = \"a\" b\n",
		 ":1: `tags` is a list of globs, with commas between, in quotes if they hold "
		 "blanks, not `\"a\" b` [E-POLICY]",
		 ""},
		{"tags = zq*\n", ":1: `tags` holds only with `payload = deny` [E-POLICY]",
		 "write `payload = deny` into it, or leave the line out"},
		{"\nhash_key = /k\npayload = allow\n",
		 ":2: `hash_key` holds only with `payload = deny` [E-POLICY]",
		 "write `payload = deny` into it, or leave the line out"},
		{"hash_key = hash.key\n",
		 ":1: `hash_key` is the path of a file, from / on, not `hash.key` [E-POLICY]", ""},
		{"classes = read,\n",
		 ":1: `classes` is a list of names and globs, with commas between, not `read,` "
		 "[E-POLICY]",
		 ""},
	};
	char want[256], *much = malloc(1000), much5[2600];
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
	for (int i = 0; i < 5; i++) { /* a list of 5 lines that is too long for one */
		char line[502];

		memset(line, 'a', sizeof(line));
		memcpy(line, "ask = ", 6);
		snprintf(line + 500, 2, "\n");
		snprintf(much5 + 501 * i, 502, "%s", line);
	}
	assert_int_equal(load(much5, &p, &err), -E2BIG);
	assert_non_null(strstr(err.text, ":5: `ask` is too long a list"));
	much[999] = 0;
	assert_int_equal(load(much, &p, &err), -EINVAL);
	assert_non_null(strstr(err.text, "more than"));
	free(much);
	setenv("RUNNEL_POLICY", "/", 1);
	assert_true(rn_policy_load(&p, &err) < 0);
}

static void the_last_line_of_a_limit_counts(void **state)
{
	static const char text[] =
		"max_queries = 2\nmax_events=5000\n# x\nmax_cpu = 20\nmax_memory = 64\nmax_seconds "
		"= 600\nmax_groups = 100\nmax_cpu = 30\n";
	static const int64_t max[RN_LIMIT_COUNT] = {2, 5000, 30, 64, 600, 100};
	static const unsigned line[RN_LIMIT_COUNT] = {1, 2, 8, 5, 6, 7};
	struct rn_fragment f = {.max_groups = 16384};
	struct rn_policy p;
	struct rn_err err;
	char want[300];

	(void)state;
	assert_int_equal(load(text, &p, &err), 0);
	for (int i = 0; i < RN_LIMIT_COUNT; i++) {
		assert_int_equal(p.limit[i].max, max[i]);
		assert_int_equal(p.limit[i].line, line[i]);
		assert_non_null(strstr(text, rn_policy_limit_name((enum rn_policy_limit)i)));
	}
	assert_int_equal(rn_policy_room(&p, 1, &err), 0);
	assert_int_equal(rn_policy_room(&p, 2, &err), -EBUSY);
	snprintf(want, sizeof(want),
		 "lets 2 queries run at a time, and so many do: %s:1 [E-POLICY]", path);
	assert_non_null(strstr(err.text, want));
	assert_true(err.hint[0]);
	assert_int_equal(rn_policy_cap(&p, &f, &err), 0);
	assert_int_equal(f.max_groups, 100);
	f.max_groups = 7;
	assert_int_equal(rn_policy_cap(&p, &f, &err), 0);
	assert_int_equal(f.max_groups, 7);
	assert_int_equal(load("", &p, &err), 0);
	assert_int_equal(rn_policy_room(&p, 1000, &err), 0);
	f.max_groups = 16384;
	assert_int_equal(rn_policy_cap(&p, &f, &err), 0);
	assert_int_equal(f.max_groups, 16384);
}

static void who_and_what(void **state)
{
	static const char *const both[] = {"sched:sched_switch", "signal:signal_deliver", NULL};
	static const struct rn_class read_cls = {.name = "read"}, processes = {.name = "processes"},
				     tp = {.name = "tracepoint", .arg = "sched:sched_switch"},
				     glob = {.name = "tracepoint",
					     .arg = "s*:[a-z]*",
					     .each = both};
	static const struct rn_class *const members[] = {&read_cls, &glob, NULL};
	static const struct rn_class list = {.name = "read, tracepoint", .list = members};
	static const struct {
		const char *text, *asker;
		const struct rn_class *cls;
		const char *why;
	} cases[] = {
		{"", "a@b", &read_cls, NULL},
		{"", NULL, &tp, NULL},
		{"ask = alice@ops1, *@lab\n", "alice@ops1", &read_cls, NULL},
		{"ask = alice@ops1, *@lab\n", "bob@lab", &read_cls, NULL},
		{"ask = alice@ops1,*@lab\n", "bob@lab2", &read_cls,
		 "does not let bob@lab2 ask: %s:1 [E-POLICY]"},
		{"ask = alice@ops1\n", "", &read_cls, "does not let (nobody) ask: %s:1"},
		{"ask = alice@ops1\n", NULL, &read_cls, NULL},
		{"ask = alice@ops1\n\nask = bob@lab\n", "bob@lab", &read_cls, NULL},
		{"ask = alice@ops1\n\nask = bob@lab\n", "alice@ops1", &read_cls, NULL},
		{"ask = alice@ops1\n\nask = bob@lab\n", "carol@lab", &read_cls,
		 "does not let carol@lab ask: %s:1"},
		{"ask = ali\n", "alice@ops1", &read_cls, "does not let alice@ops1 ask"},
		{"classes = write , read\n", NULL, &read_cls, NULL},
		{"# x\nclasses = write\n", NULL, &read_cls,
		 "does not let a query have events of the class read: %s:2 [E-POLICY]"},
		{"classes = read\n", NULL, &tp, "of the class tracepoint sched:sched_switch"},
		{"classes = tracepoint\n", NULL, &tp, "of the class tracepoint sched:sched_switch"},
		{"classes = tracepoint sched:*\n", NULL, &glob,
		 "of the class tracepoint signal:signal_deliver"},
		{"classes = tracepoint s*:?a-z?*\n", NULL, &glob,
		 "of the class tracepoint sched:sched_switch"},
		{"classes = tracepoint sched:*, tracepoint signal:*\n", NULL, &glob, NULL},
		{"classes = tracepoint sched:*\n", NULL, &tp, NULL},
		{"classes = *\n", "x", &tp, NULL},
		{"classes = read\n", NULL, &list, "of the class tracepoint sched:sched_switch"},
		{"classes = tracepoint *\n", NULL, &list, "of the class read"},
		{"classes = tracepoint *, read\n", NULL, &list, NULL},
		/* the names of version 0.1.0 */
		{"classes = read, proc, write\n", NULL, &processes, NULL},
		{"classes = clock\n", NULL, &processes, "of the class processes"},
		{"classes = proc, write\n", NULL, &read_cls, "of the class read"},
	};
	struct rn_policy p;
	struct rn_err err;
	char want[300];

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct rn_fragment f = {.cls = cases[i].cls,
					.class_name = "io" /* what it was asked for as */,
					.span = {9, 11, 0}};

		assert_int_equal(load(cases[i].text, &p, &err), 0);
		assert_int_equal(rn_policy_check(&p, &f, cases[i].asker, &err),
				 cases[i].why ? -EPERM : 0);
		if (!cases[i].why)
			continue;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		snprintf(want, sizeof(want), cases[i].why, path);
#pragma GCC diagnostic pop
		if (!strstr(err.text, want))
			fail_msg("%s", err.text);
		snprintf(want, sizeof(want), "to %s", path);
		assert_non_null(strstr(err.hint, want));
		/* the client stands nowhere in the query */
		assert_int_equal(err.span.start, strstr(err.text, "class") ? 9 : 0);
		assert_int_equal(err.span.end, strstr(err.text, "class") ? 11 : 0);
	}
}

static int nothing_rows(void *self, const struct rn_rows *r)
{
	return (void)self, (void)r, 0;
}
static int nothing_partials(void *self, const struct rn_partials *p)
{
	return (void)self, (void)p, 0;
}

/* Opens an agent for the query over the fake provider. */
static int open_query(const char *text, struct rn_err *err)
{
	static struct rn_value row[64];
	static int64_t time_ns;
	const struct rn_catalog *c = rn_fake_catalog();
	const struct rn_class *cls = c->find(c->self, "io", NULL, NULL, 0);
	struct rn_fake_rows rows = {.v = row,
				    .time_ns = &time_ns,
				    .nrows = 1,
				    .ncols = cls->nfields,
				    .cls = cls,
				    .batch = 1};
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
	r = rn_agent_open("n1", &provider, &p->frag, NULL, NULL, &sink, &g, err);
	if (!r)
		rn_agent_close(g);
	rn_arena_destroy(a);
	return r;
}

static void fragments_that_want_payload_are_refused(void **state)
{
	/* at: what is refused, 0: nothing; of a policy without a line `payload`, and of one that
	 * denies it */
	static const struct {
		const char *query, *unseen, *deny;
	} cases[] = {
		{"time, data of io", "data", "data"},
		{"count of io where data ~ \"*x*\"", "data", "data"},
		{"set(data) of io by proc", "data", "data"},
		{"count of io where len(data) > 3 by proc", "data", "data"},
		{"count of io by len(data)", "data", "data"},
		{"events of io", NULL, NULL},
		{"time, sketch of io", NULL, "sketch"},
		{"first(sketch) of io by proc", NULL, "sketch"},
		{"count of io where similar(data, \"some text\") > 0.5 by hash", NULL, "data"},
		{"time, hash of io", NULL, NULL},
		{"count of io by hash", NULL, NULL},
		{"set(hash), distinct(hash), top(hash, 3) of io by file", NULL, NULL},
		{"count of io where hash = 0x1", NULL, "hash"},
		{"count of io where bytes > 3 and not hash in (0x1, 0x2)", NULL, "hash"},
		{"first(hash) of io by proc", NULL, "hash"},
		{"time, hash = 0x1 as x of io", NULL, "hash"},
		{"count of io by hash != 0x0 as x", NULL, "hash"},
		{"count of tag zq9x", NULL, NULL},
		{"count of tag \"order 7\", zq9x", NULL, NULL},
		{"count of tag zq9x, password", NULL, "tag"},
		{"count of tag xzq9", NULL, "tag"},
		{"count of tag x\"7a710001\"", NULL, NULL},
	};
	static const char deny[] = "\npayload = deny\ntags = zq*, \"order *\"\n";
	struct rn_policy p;
	struct rn_err err;
	char want[256];

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		for (unsigned k = 0; k < 2; k++) {
			const char *at = k ? cases[i].deny : cases[i].unseen;

			assert_int_equal(load(k ? deny : "# nothing\n", &p, &err), 0);
			assert_int_equal(open_query(cases[i].query, &err), at ? -EPERM : 0);
			if (!at)
				continue;
			snprintf(want, sizeof(want),
				 k ? "%s:%d [E-POLICY]" : "%s does not allow it [E-POLICY]", path,
				 strcmp(at, "tag") ? 2 : 3);
			if (!strstr(err.text, want))
				fail_msg("%s: %s", cases[i].query, err.text);
			assert_int_equal(strncmp(cases[i].query + err.span.start, at, strlen(at)),
					 0);
			snprintf(want, sizeof(want),
				 k ? "`payload = allow` in %s would" : "`payload = allow` into %s;",
				 path);
			assert_true(strcmp(at, "data") || strstr(cases[i].query, "similar") ||
				    strstr(err.hint, want));
		}
		assert_int_equal(load("payload = allow\n", &p, &err), 0);
		assert_int_equal(open_query(cases[i].query, &err), 0);
		assert_int_equal(load("payload = allow\npaylaod = deny\n", &p, &err), -EINVAL);
		assert_int_equal(open_query(cases[i].query, &err), -EINVAL); /* a slip closes all */
	}
	assert_int_equal(load("payload = deny\n", &p, &err), 0);
	assert_int_equal(open_query("count of tag zq9x", &err), -EPERM); /* none unless said */
	assert_int_equal(load("payload = deny\ntags = a?*\ntags=\" b,c\"\n", &p, &err), 0);
	assert_true(rn_policy_admits(&p, rn_tag_of(" b,c", 4)) &&
		    rn_policy_admits(&p, rn_tag_of("a\0cd", 4)));
	assert_false(rn_policy_admits(&p, rn_tag_of("b,c", 3)) ||
		     rn_policy_admits(&p, rn_tag_of("a\n", 1)));
}

static int key_of(const char *bytes, size_t n, mode_t mode, uint64_t key[2], struct rn_err *err)
{
	char name[100], text[200];
	struct rn_policy p;
	FILE *f;
	int r;

	snprintf(name, sizeof(name), "%s.key", path);
	unlink(name);
	f = fopen(name, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	fclose(f);
	assert_int_equal(chmod(name, mode), 0);
	snprintf(text, sizeof(text), "payload = deny\nhash_key = %s\n", name);
	assert_int_equal(load(text, &p, err), 0);
	r = rn_policy_hash_key(&p, key, err);
	unlink(name);
	return r;
}

static void keys_of_hashes(void **state)
{
	static char bytes[RN_HASH_KEY_MAX + 1];
	uint64_t a[2], b[2];
	struct rn_policy p;
	struct rn_err err;

	(void)state;
	memset(bytes, 'k', sizeof(bytes));
	assert_int_equal(key_of(bytes, 32, 0600, a, &err), 0);
	assert_int_equal(key_of(bytes, 32, 0400, b, &err), 0);
	assert_memory_equal(a, b, sizeof(a));
	bytes[31] = 'x'; /* all of it counts */
	assert_int_equal(key_of(bytes, 32, 0600, b, &err), 0);
	assert_memory_not_equal(a, b, sizeof(a));
	assert_int_equal(key_of(bytes, 16, 0600, b, &err), 0);
	assert_int_equal(key_of(bytes, RN_HASH_KEY_MAX, 0600, b, &err), 0);
	assert_int_equal(key_of(bytes, 15, 0600, b, &err), -EINVAL);
	assert_non_null(strstr(err.text, ".key, has less than 16 bytes: "));
	assert_non_null(strstr(err.hint, "names a file with 16 to 4,096 random bytes"));
	assert_int_equal(key_of(bytes, RN_HASH_KEY_MAX + 1, 0600, b, &err), -EINVAL);
	assert_int_equal(key_of(bytes, 32, 0640, b, &err), -EPERM);
	assert_non_null(strstr(err.text, "may be read or written by others"));
	assert_int_equal(key_of(bytes, 32, 0602, b, &err), -EPERM);
	assert_int_equal(load("payload = deny\nhash_key = /dev/null\n", &p, &err), 0);
	assert_int_equal(rn_policy_hash_key(&p, a, &err), -EINVAL);
	assert_int_equal(load("payload = deny\nhash_key = /nonexistent\n", &p, &err), 0);
	assert_int_equal(rn_policy_hash_key(&p, a, &err), -ENOENT);
	/* and who needs none is answered */
	assert_int_equal(open_query("time, hash of io", &err), -ENOENT);
	assert_int_equal(open_query("events of io", &err), 0);
	assert_int_equal(load("payload = deny\n", &p, &err), 0); /* of each query alone */
	assert_int_equal(rn_policy_hash_key(&p, a, &err) | rn_policy_hash_key(&p, b, &err), 0);
	assert_memory_not_equal(a, b, sizeof(a));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_policy_says_what_may_be_seen),
		cmocka_unit_test(a_slip_in_a_policy_is_an_error_with_its_line),
		cmocka_unit_test(the_last_line_of_a_limit_counts),
		cmocka_unit_test(who_and_what),
		cmocka_unit_test(fragments_that_want_payload_are_refused),
		cmocka_unit_test(keys_of_hashes)};
	int fd = mkstemp(path), failed;

	if (fd < 0)
		return 1;
	close(fd);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return failed;
}
