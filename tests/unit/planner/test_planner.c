/* test_planner.c - plans that must be the same, rules that must keep the meaning, and limits.
 *
 * Goldens (tests/golden/plan, split, explain) pin how plans look; here stands what no golden says:
 * that two ways to write a query give one plan, that each rule of the table does something
 * somewhere, and that options decide the places. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "lang/resolve/names.h"
#include "lang/resolve/resolve.h"
#include "lang/base/limits.h"
#include "lang/values/glob.h"
#include "lang/values/regex.h"
#include "lang/syntax/parse.h"
#include "planner/split/place.h"
#include "planner/rules/rules.h"
#include "tests/support/fake_catalog.h"

struct planned {
	struct rn_arena *a;
	struct rn_diag *d;
	struct rn_plan *p;
};

static const char *const views[][2] = {
	{"slow",
	 "view slow(threshold) := p99(latency) of read where latency > $threshold by file;"},
	{"big", "view big(least) := proc, bytes, latency of read where bytes > $least;"},
	{"cats", "view cats := proc, bytes of big(1KiB) where proc = cat;"},
};

static const char *find_view(void *self, const char *name, const char **origin)
{
	(void)self;
	for (size_t i = 0; i < sizeof(views) / sizeof(*views); i++)
		if (!strcmp(views[i][0], name)) {
			*origin = views[i][0];
			return views[i][1];
		}
	return NULL;
}

static const char *const *view_names(void *self)
{
	static const char *const names[] = {"big", "cats", "slow", NULL};

	(void)self;
	return names;
}

static struct planned plan_with(const char *text, const struct rn_plan_opts *opts)
{
	struct planned t = {.a = rn_arena_create(RN_ARENA_CAP)};
	struct rn_views v = {.find = find_view, .names = view_names};
	struct rn_names names = {.catalog = rn_fake_catalog(), .views = &v};
	struct rn_ast_file *f;

	t.d = rn_diag_new(t.a);
	f = rn_parse(t.a, t.d, rn_diag_source(t.d, "query", text, strlen(text)));
	if (!rn_diag_errors(t.d) && rn_resolve(t.a, t.d, f->stmts->query, &names))
		t.p = rn_plan_query(t.a, t.d, f->stmts->query, &names, opts);
	if (!t.p)
		print_message("# %.100s\n%.500s\n", text, rn_diag_render(t.d, t.a, false));
	return t;
}

static struct planned plan(const char *text)
{
	return plan_with(text, &(struct rn_plan_opts){0});
}

static const char *text_of(const struct planned *t)
{
	assert_non_null(t->p);
	return rn_arena_printf(t->a, "%s%s", rn_dump_plan(t->a, t->p), rn_dump_split(t->a, t->p));
}

/* The dump without what tells how the query was written. */
static const char *essence(const struct planned *t)
{
	const char *s = text_of(t), *out = "";

	while (*s) {
		const char *end = strchr(s, '\n');
		const char *word = s + strspn(s, " ");

		if (strncmp(word, "merged ", 7))
			out = rn_arena_printf(t->a, "%s%.*s\n", out, (int)(end - s), s);
		s = end + 1;
	}
	return out;
}

static void same(const char *x, const char *y)
{
	struct planned a = plan(x), b = plan(y);

	assert_string_equal(essence(&a), essence(&b));
	rn_arena_destroy(a.a);
	rn_arena_destroy(b.a);
}

static void differ(const char *x, const char *y)
{
	struct planned a = plan(x), b = plan(y);

	assert_string_not_equal(essence(&a), essence(&b));
	rn_arena_destroy(a.a);
	rn_arena_destroy(b.a);
}

static void test_same_plan(void **state)
{
	(void)state;
	same("count of read where proc = cat and bytes > 1KiB",
	     "count of read where bytes > 1KiB and proc = cat");
	same("count of read where bytes between 1KiB and 2KiB",
	     "count of read where bytes >= 1KiB and bytes <= 2KiB");
	same("count of read where bytes > 4 * 1KiB", "count of read where bytes > 4KiB");
	same("count of read where (proc = cat and pid = 1) and uid = 0",
	     "count of read where proc = cat and (pid = 1 and uid = 0)");
	same("count of read where proc = cat and 1 = 1", "count of read where proc = cat");
	same("count of read where proc = cat and proc = cat", "count of read where proc = cat");
	same("count of read by proc having proc ~ \"c*\"",
	     "count of read where proc ~ \"c*\" by proc");
	same("count of read by proc top 5", "count of read by proc order by count desc limit 5");
	same("count of read by proc, proc", "count of read by proc");
	same("tags of tag fix283, fix283", "tags of tag fix283");
	differ("count of read where proc = cat", "count of read where proc != cat");
	differ("count of read by proc", "count of read by thread");
}

static void test_views_as_if_written(void **state)
{
	(void)state;
	same("count of big(1KiB) by proc", "count of read where bytes > 1KiB by proc");
	same("count of (proc, bytes of read where bytes > 1KiB) by proc",
	     "count of read where bytes > 1KiB by proc");
	same("count of cats where bytes < 1MiB",
	     "count of read where bytes > 1KiB and proc = cat and bytes < 1MiB");
	same("proc, n of (count as n of read by proc) where proc = cat",
	     "proc, n of (count as n of read where proc = cat by proc)");
	differ("count of (proc of read limit 5) by proc", "count of read by proc");
}

/* With the rule's effect and without: the dump differs, or the rule is dead. */
static void test_every_rule_acts(void **state)
{
	static const struct {
		const char *rule, *query;
	} acts[] = {
		{"fold", "count of read where bytes > 2 * 1KiB"},
		{"quotient", "count of read where bytes / 1KiB > 4"},
		{"texts", "count of read where startswith(file, \"/var/\")"},
		{"merge", "count of (proc of read) by proc"},
		{"having", "count of read by proc having proc = cat"},
		{"pushdown", "n of (count as n of read by proc) where proc = cat"},
		{"prune", "n of (count as n, sum(bytes) of read by proc)"},
		{"trivial", "count of read where true"},
		{"regexes", "count of read where file =~ \"^/var\""},
		{"cheap-first", "count of read where file = \"/x\" and pid = 1"},
		{"limit", "pid of read limit 3"},
		{"aggsplit", "count of read by proc"},
	};
	size_t n = 0;

	(void)state;
	for (const struct rn_rule *r = rn_rules; r->name; r++, n++) {
		struct planned t;
		const char *before;

		assert_true(n < sizeof(acts) / sizeof(*acts));
		assert_string_equal(r->name, acts[n].rule);
		t = plan_with(acts[n].query, &(struct rn_plan_opts){.no_rules = true});
		before = text_of(&t);
		r->apply(t.a, t.p);
		assert_string_not_equal(before, text_of(&t));
		rn_arena_destroy(t.a);
	}
	assert_int_equal(n, sizeof(acts) / sizeof(*acts));
}

static void test_rules_off_keeps_the_query(void **state)
{
	struct planned t =
		plan_with("count of (proc, bytes of read where 1 < 2) where bytes > 1KiB by proc",
			  &(struct rn_plan_opts){.no_rules = true});

	(void)state;
	assert_non_null(t.p->child);
	assert_int_equal(t.p->frag.nwhere, 1);
	assert_int_equal(t.p->child->frag.nwhere, 1);
	assert_int_equal(t.p->frag.agg_place, RN_AT_NODE);
	rn_arena_destroy(t.a);
}

static void test_options_decide_places(void **state)
{
	static const char query[] = "count of read where proc = cat and file =~ \"x\" by proc";
	struct planned t = plan("count of read where proc = cat by proc");

	(void)state;
	assert_int_equal(t.p->frag.agg_place, RN_AT_KERNEL);
	assert_int_equal(t.p->frag.where[0].place, RN_AT_KERNEL);
	assert_int_equal(t.p->frag.nfields, 0);
	rn_arena_destroy(t.a);

	t = plan(query);
	assert_int_equal(t.p->frag.agg_place, RN_AT_NODE);
	assert_int_equal(t.p->frag.where[0].place, RN_AT_KERNEL);
	assert_int_equal(t.p->frag.where[1].place, RN_AT_NODE);
	/* file for the predicate, proc for the key; not proc for its predicate */
	assert_int_equal(t.p->frag.nfields, 2);
	assert_string_equal(t.p->frag.fields[0]->name, "file");
	assert_int_equal(t.p->frag.where[0].expr->arg[0]->index, -1);
	assert_int_equal(t.p->frag.keys[0]->index, 1);
	rn_arena_destroy(t.a);

	t = plan_with(query, &(struct rn_plan_opts){.no_kernel = true});
	assert_int_equal(t.p->frag.agg_place, RN_AT_NODE);
	assert_int_equal(t.p->frag.where[0].place, RN_AT_NODE);
	rn_arena_destroy(t.a);

	t = plan_with(query, &(struct rn_plan_opts){.no_pushdown = true});
	assert_int_equal(t.p->frag.agg_place, RN_AT_COORDINATOR);
	assert_int_equal(t.p->frag.where[0].place, RN_AT_COORDINATOR);
	assert_int_equal(t.p->frag.where[1].place, RN_AT_COORDINATOR);
	rn_arena_destroy(t.a);
}

/* A limit must not hold before the last predicate has been asked. */
static void test_limit_behind_predicates(void **state)
{
	struct planned t = plan("pid of read where pid = 1 limit 3");

	(void)state;
	assert_int_equal(t.p->frag.limit, 3);
	rn_arena_destroy(t.a);
	t = plan_with("pid of read where pid = 1 limit 3",
		      &(struct rn_plan_opts){.no_pushdown = true});
	assert_int_equal(t.p->frag.limit, -1);
	assert_int_equal(t.p->limit, 3);
	rn_arena_destroy(t.a);
}

/* What a fragment's row holds and what the plan's columns refer to must exist, whatever the rules
 * did. */
static void check_refs(void *self, struct rn_expr *e)
{
	const struct rn_plan *p = self;

	switch (e->kind) {
	case RN_E_FIELD:
		assert_true(e->index < (int)p->frag.nfields);
		if (e->index >= 0)
			assert_ptr_equal(p->frag.fields[e->index], e->field);
		break;
	case RN_E_KEY: assert_true(e->index >= 0 && e->index < (int)p->frag.nkeys); break;
	case RN_E_AGG: assert_true(e->index >= 0 && e->index < (int)p->frag.naggs); break;
	case RN_E_IN: assert_true(e->index >= 0 && e->index <= (int)p->nsets); break;
	default: break;
	}
}

static struct rn_expr *check_tree(void *self, struct rn_expr *e)
{
	rn_expr_walk(e, check_refs, self);
	return e;
}

static void check_plan(struct rn_plan *p)
{
	rn_plan_rewrite(p, check_tree, p);
	assert_true(p->nhidden < p->nout);
	for (unsigned i = 0; i < p->norder; i++)
		assert_true(p->order[i].column >= 0 && p->order[i].column < (int)p->nout);
	for (unsigned i = 0; i < p->nout && p->kind == RN_PLAN_ROWS; i++) {
		assert_int_equal(p->out[i].expr->kind, RN_E_COLUMN);
		assert_int_equal(p->out[i].expr->index, i);
		assert_true(i < p->frag.ncols);
	}
	for (unsigned i = 0; i < p->nsets; i++)
		check_plan(p->sets[i]);
	if (!p->child)
		return;
	for (unsigned i = 0; i < p->frag.nfields; i++)
		assert_true(p->frag.fields[i]->id <
			    p->child->nout - p->child->nhidden + (p->child->frag.every_ns ? 1 : 0));
	check_plan(p->child);
}

static void test_references_hold(void **state)
{
	static const char *const queries[] = {
		"events of getppid",
		"top 10 of (sum(bytes) as b of write by file)",
		"count, b of (sum(bytes) as b, count as c, max(latency) of write by file order by "
		"c limit 3) by b",
		"max(n) of (count as n, p99(latency) of read by proc, pid every 1s) where window > "
		"\"2026-01-01 00:00:00\" by window",
		"count of (file of read where pid in (pid of processes)) where file in (cmdline of "
		"processes "
		"where uid in (uid of processes))",
		"proc of (proc, bytes, latency of read order by latency desc limit 9) where bytes "
		"> 1KiB order by proc",
		"count of cats",
		"top 3 of slow(1ms)",
		"flow of tag fix283",
		"count of (hop, proc of (flow of tag fix283)) by proc",
		"n, n + 1 of (count as n of (proc of (proc, pid of read limit 4) where pid = 1) by "
		"proc)",
	};
	static const struct rn_plan_opts opts[] = {
		{0}, {.no_rules = true}, {.no_pushdown = true}, {.no_kernel = true}};

	(void)state;
	for (size_t i = 0; i < sizeof(queries) / sizeof(*queries); i++)
		for (size_t k = 0; k < sizeof(opts) / sizeof(*opts); k++) {
			struct planned t = plan_with(queries[i], &opts[k]);

			assert_non_null(t.p);
			check_plan(t.p);
			rn_arena_destroy(t.a);
		}
}

/* Folding computes what the evaluator would. */
static void test_fold(void **state)
{
	static const struct {
		const char *in, *out;
	} folds[] = {
		{"pid of read where pid = 7 / 2", "pid = 3.5"},
		{"pid of read where pid = 6 / 3", "pid = 2"},
		{"pid of read where pid = div(-7, 2)", "pid = -3"},
		{"pid of read where pid = div(1, 0)", "pid = div(1, 0)"},
		{"pid of read where latency > 10ms / 3", "latency > 3333333ns"},
		{"pid of read where pid = 7 % 4 - 9", "pid = -6"},
		{"pid of read where pid = 1 / 0", "pid = 1 / 0"},
		{"pid of read where pid = 9223372036854775807 + 1",
		 "pid = 9223372036854775807 + 1"},
		{"pid of read where not (1 = 2) and pid = 1", "pid = 1"},
		{"pid of read where (pid = 1 or true) and pid = 2", "pid = 2"},
		{"pid of read where \"a\" < \"b\" and pid = 3", "pid = 3"},
		{"pid of read where latency > 3 * 500us", "latency > 1500us"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(folds) / sizeof(*folds); i++) {
		struct planned t = plan(folds[i].in);

		assert_non_null(t.p);
		assert_int_equal(t.p->frag.nwhere, 1);
		assert_string_equal(rn_expr_text(t.a, t.p->frag.where[0].expr), folds[i].out);
		rn_arena_destroy(t.a);
	}
}

static void test_text_has_the_parentheses_it_needs(void **state)
{
	static const char *const texts[] = {
		"(pid + 1) * 2 = 6",
		"pid + 1 * tid = 6",
		"pid - (tid - 1) = 2",
		"pid - tid - 1 = 2",
		"not (pid = 1 or tid = 2)",
		"pid = 1 or tid = 2 and uid = 3",
		"-(pid + 1) = 2",
		"pid in (1, 2) or proc ~ \"a\\\"b\"",
		"(pid = 1) = (tid = 2)",
		"error = ENOENT or bytes > 4KiB",
		"peer = \"10.0.0.1:80\" or local = \"::1\"",
		"substr(proc, 0, 2) = \"ab\" or pid = 1",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct rn_arena *a = rn_arena_create(1 << 20);
		struct planned t = plan_with(rn_arena_printf(a, "pid of read where %s", texts[i]),
					     &(struct rn_plan_opts){.no_rules = true});

		assert_non_null(t.p);
		assert_int_equal(t.p->frag.nwhere, 1);
		assert_string_equal(rn_expr_text(t.a, t.p->frag.where[0].expr), texts[i]);
		rn_arena_destroy(t.a);
		rn_arena_destroy(a);
	}
}

/* A pattern of some parts, and the same in a string of the language. */
static void make_pattern(unsigned *seed, char pattern[64], char quoted[128])
{
	static const char *const parts[] = {
		"a",   "b", "c",   "a",   "b",   "ab", "[ab]",        "[^a]",  "[]a]",
		"\\.", ".", "*",   "+",   "?",   "(",  "b)",          "{2}",   "|",
		"$",   "^", "\\|", "\\$", "(a)", "()", "[[:alpha:]]", "[a\\]", "\\\\"};
	unsigned n = 1 + (unsigned)rand_r(seed) % 6;
	char *to = quoted;

	pattern[0] = 0;
	if (rand_r(seed) % 2)
		strcat(pattern, "^");
	while (n--)
		strcat(pattern, parts[(unsigned)rand_r(seed) % (sizeof(parts) / sizeof(*parts))]);
	if (rand_r(seed) % 2)
		strcat(pattern, "$");
	for (const char *s = pattern; *s; *to++ = *s++)
		if (*s == '\\')
			*to++ = '\\';
	*to = 0;
}

/* Whatever a regular expression matches, the globs that stand before it match too. */
static void test_globs_before_regexes(void **state)
{
	unsigned seed = 4242, globs = 0, matches = 0;

	(void)state;
	for (unsigned round = 0; round < 4000; round++) {
		char pattern[64], quoted[128], text[8];
		struct rn_arena *a = rn_arena_create(1 << 20);
		struct planned t;
		regex_t re;

		make_pattern(&seed, pattern, quoted);
		if (rn_regex_compile(&re, pattern, strlen(pattern), &(struct rn_err){0})) {
			rn_arena_destroy(a);
			continue;
		}
		t = plan(rn_arena_printf(a, "pid of read where file =~ \"%s\"", quoted));
		assert_non_null(t.p);
		globs += t.p->frag.nwhere - 1;
		for (unsigned i = 0; i < 100; i++) {
			unsigned n = (unsigned)rand_r(&seed) % 7;

			for (unsigned k = 0; k < n; k++)
				text[k] = "aabbc.|$[\\"[(unsigned)rand_r(&seed) % 10];
			text[n] = 0;
			if (regexec(&re, text, 0, NULL, 0))
				continue;
			matches++;
			for (unsigned k = 0; k < t.p->frag.nwhere; k++) {
				const struct rn_expr *e = t.p->frag.where[k].expr;

				if (e->op == RN_OP_GLOB &&
				    !rn_glob(e->arg[1]->value.s, e->arg[1]->value.len, text, n))
					fail_msg("%s matches %s, and %s does not", pattern, text,
						 rn_expr_text(t.a, e));
			}
		}
		regfree(&re);
		rn_arena_destroy(t.a);
		rn_arena_destroy(a);
	}
	assert_true(globs > 500 && matches > 10000);
}

/* Limits of what the kernel takes: the last that fits, and the first that does not. */
static void test_kernel_limits(void **state)
{
	const char *text = "pid of read where pid in (0";
	struct rn_arena *a = rn_arena_create(1 << 20);
	struct planned t;

	(void)state;
	for (int i = 1; i < RN_KERNEL_IN; i++)
		text = rn_arena_printf(a, "%s, %d", text, i);
	t = plan(rn_arena_printf(a, "%s)", text));
	assert_int_equal(t.p->frag.where[0].place, RN_AT_KERNEL);
	rn_arena_destroy(t.a);
	t = plan(rn_arena_printf(a, "%s, 64)", text)); /* a lookup in a map */
	assert_int_equal(t.p->frag.where[0].place, RN_AT_KERNEL);
	rn_arena_destroy(t.a);
	text = "(x";
	for (int i = 1; i <= RN_KERNEL_IN; i++)
		text = rn_arena_printf(a, "%s, \"%d\"", text, i);
	t = plan(rn_arena_printf(a, "pid of read where file in %s)", text)); /* so is a path */
	assert_int_equal(t.p->frag.where[0].place, RN_AT_KERNEL);
	rn_arena_destroy(t.a);
	t = plan(rn_arena_printf(
		a, "pid of tracepoint \"sched:sched_switch\" where prev_comm in %s)", text));
	assert_int_equal(t.p->frag.where[0].place, RN_AT_NODE);
	rn_arena_destroy(t.a);
	t = plan(rn_arena_printf(a, "pid of read where proc ~ \"%063d\"", 0));
	assert_int_equal(t.p->frag.where[0].place, RN_AT_KERNEL);
	rn_arena_destroy(t.a);
	t = plan(rn_arena_printf(a, "pid of read where proc ~ \"%064d\"", 0));
	assert_int_equal(t.p->frag.where[0].place, RN_AT_NODE);
	rn_arena_destroy(t.a);
	t = plan("count of read by proc, thread, pid, tid, ppid, uid, fd, file");
	assert_int_equal(t.p->frag.agg_place, RN_AT_KERNEL);
	rn_arena_destroy(t.a);
	t = plan("count of tracepoint \"sched:sched_switch\" by prev_comm, next_comm, proc");
	assert_int_equal(t.p->frag.agg_place, RN_AT_KERNEL);
	rn_arena_destroy(t.a);
	t = plan(
		"count of tracepoint \"sched:sched_switch\" by prev_comm, next_comm, proc, thread");
	assert_int_equal(t.p->frag.agg_place, RN_AT_NODE); /* 4 texts of 128 bytes */
	rn_arena_destroy(t.a);
	t = plan("pid of read where pid - (tid - (uid - (fd - ppid))) > 1");
	assert_int_equal(t.p->frag.where[0].place, RN_AT_KERNEL);
	rn_arena_destroy(t.a);
	t = plan("pid of read where pid - (tid - (uid - (fd - (ppid - pid)))) > 1");
	assert_int_equal(t.p->frag.where[0].place, RN_AT_NODE);
	rn_arena_destroy(t.a);
	t = plan("count of read by proc, thread, pid, tid, ppid, uid, fd, file, bytes");
	assert_int_equal(t.p->frag.agg_place, RN_AT_NODE);
	rn_arena_destroy(t.a);
	rn_arena_destroy(a);
}

static void test_kernel_takes_so_many_predicates(void **state)
{
	const char *text = "count of read where (pid = 0)";
	struct rn_arena *a = rn_arena_create(1 << 20);
	struct planned t;
	unsigned kernel = 0;

	(void)state;
	for (int i = 1; i < 90; i++)
		text = rn_arena_printf(a, "%s and (proc ~ \"%d*\")", text, i);
	t = plan(text);
	for (unsigned i = 0; i < t.p->frag.nwhere; i++)
		kernel += t.p->frag.where[i].place == RN_AT_KERNEL;
	assert_int_equal(kernel, 1 + (RN_KERNEL_NODES - 3) / (RN_KERNEL_GLOB + 2));
	assert_int_equal(t.p->frag.agg_place, RN_AT_NODE);
	rn_arena_destroy(t.a);
	rn_arena_destroy(a);
}

/* Each level doubles what the one below says: merged without an end it would be 2^40 nodes. */
static void test_merging_has_an_end(void **state)
{
	(void)state;
	for (int ordered = 0; ordered < 2; ordered++) {
		struct rn_arena *a = rn_arena_create(1 << 20);
		const char *text = "pid as x of read";
		struct planned t;

		for (int k = 0; k < 40; k++)
			text = ordered ? rn_arena_printf(
						 a, "x + x as x of (%s order by x) where x > 1",
						 text)
				       : rn_arena_printf(a, "x + x as x of (%s)", text);
		t = plan(text);
		assert_non_null(t.p);
		for (const struct rn_plan *p = t.p; p; p = p->child) {
			uint64_t nodes = 0;
			unsigned depth = 0;

			for (unsigned k = 0; k < p->frag.nwhere; k++)
				rn_expr_measure(p->frag.where[k].expr, &nodes, &depth);
			for (unsigned k = 0; k < p->frag.ncols; k++)
				rn_expr_measure(p->frag.cols[k].expr, &nodes, &depth);
			assert_true(nodes <= 3 * RN_MAX_NODES);
			assert_true(depth <= RN_MAX_DEPTH);
		}
		check_plan(t.p);
		rn_arena_destroy(t.a);
		rn_arena_destroy(a);
	}
}

static void test_limits_of_a_query(void **state)
{
	struct rn_arena *a = rn_arena_create(1 << 20);
	const char *text = "count of read by pid + 1", *list = "pid + 1";
	struct planned t;

	(void)state;
	for (int i = 2; i <= 64; i++)
		text = rn_arena_printf(a, "%s, pid + %d", text, i);
	t = plan(text);
	assert_non_null(t.p);
	rn_arena_destroy(t.a);
	t = plan(rn_arena_printf(a, "%s, pid + 65", text));
	assert_null(t.p);
	assert_string_equal(rn_diag_first(t.d)->code, "E-LIMIT-KEYS");
	rn_arena_destroy(t.a);

	for (int i = 2; i <= 600; i++)
		list = rn_arena_printf(a, "%s, pid + %d", list, i);
	text = rn_arena_printf(a, "%s of read order by %s", list, list);
	t = plan(text); /* ordered by what is shown: nothing is added */
	assert_non_null(t.p);
	rn_arena_destroy(t.a);
	text = rn_arena_printf(a, "%s of read order by tid", list);
	for (int i = 0; i < 400; i++)
		text = rn_arena_printf(a, "%s, tid + %d", text, i);
	t = plan(text);
	assert_null(t.p);
	assert_string_equal(rn_diag_first(t.d)->code, "E-LIMIT-LIST");
	rn_arena_destroy(t.a);
	rn_arena_destroy(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_plan),
		cmocka_unit_test(test_views_as_if_written),
		cmocka_unit_test(test_every_rule_acts),
		cmocka_unit_test(test_rules_off_keeps_the_query),
		cmocka_unit_test(test_options_decide_places),
		cmocka_unit_test(test_limit_behind_predicates),
		cmocka_unit_test(test_references_hold),
		cmocka_unit_test(test_fold),
		cmocka_unit_test(test_text_has_the_parentheses_it_needs),
		cmocka_unit_test(test_kernel_limits),
		cmocka_unit_test(test_kernel_takes_so_many_predicates),
		cmocka_unit_test(test_globs_before_regexes),
		cmocka_unit_test(test_merging_has_an_end),
		cmocka_unit_test(test_limits_of_a_query),
	};

	return cmocka_run_group_tests_name("planner", tests, NULL, NULL);
}
