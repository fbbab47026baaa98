/* test_kept.c - rows that are kept for later queries: their limits, and that they can be read again
 * and again. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>
#include "exec/coord/coord_impl.h"
#include "exec/coord/let_result_impl.h"
#include "exec/coord/let_result.h"
#include "tests/support/fake_catalog.h"
#include "lang/resolve/resolve.h"
#include "lang/syntax/parse.h"

static int add(struct rn_let_result *k, int64_t i, const char *s, struct rn_err *err)
{
	struct rn_value v[] = {rn_int(i), rn_strn(s, strlen(s))};

	return rn_let_result_row(k, v, i * 10, err);
}

static void test_rows(void **state)
{
	struct rn_let_result *k = rn_let_result_create(2, 3, 1 << 20);
	struct rn_err err = {0};

	(void)state;
	for (int i = 0; i < 3; i++)
		assert_int_equal(add(k, i, "x", &err), 0);
	assert_int_equal(add(k, 3, "x", &err), -E2BIG);
	assert_int_equal(rn_let_result_rows(k), 3);
	assert_string_equal(err.text, "the result has more than 3 rows, the most that is kept");
	assert_non_null(strstr(err.hint, "keep less of it"));
	rn_let_result_destroy(k);
}

static void test_bytes(void **state)
{
	struct rn_let_result *k = rn_let_result_create(2, 1 << 20, 1 << 20);
	struct rn_err err = {0};
	static char text[100001];
	int n = 0;

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	while (!add(k, n, text, &err) && n < 100)
		n++;
	assert_int_equal(n, 10); /* of 100 kB each, in 1 MiB */
	assert_int_equal(err.code, -E2BIG);
	assert_string_equal(err.text, "the result needs more than 1 MiB, the most that is kept");
	rn_let_result_destroy(k);
}

struct got {
	int64_t n, sum, last_ns;
};

static int count(void *self, const struct rn_value *v, int64_t time_ns)
{
	struct got *g = self;

	g->n++;
	g->sum += v[0].i;
	g->last_ns = time_ns;
	return 0;
}

/* A plan over it, by way of the language: `let r := ...; pid of r where pid > 1000`. */
static void test_read_again(void **state)
{
	static const char made[] = "pid, proc of read", asked[] = "pid of r where pid > 1000";
	struct rn_arena *a = rn_arena_create(1 << 20);
	struct rn_diag *d = rn_diag_new(a);
	struct rn_names names = {.catalog = rn_fake_catalog()};
	struct rn_ast_query *q =
		rn_parse(a, d, rn_diag_source(d, "query", made, sizeof(made) - 1))->stmts->query;
	struct rn_let let = {.name = "r", .line = 1};
	struct rn_err err = {0};
	struct rn_plan *p;

	(void)state;
	assert_true(rn_resolve(a, d, q, &names));
	p = rn_plan_query(a, d, q, &names, &(struct rn_plan_opts){0});
	let.shape = rn_let_shape(a, q);
	let.cls = rn_plan_class(a, p);
	let.rows = rn_let_result_create(let.cls->nfields, 5000, 1 << 20);
	for (int i = 0; i < 3000; i++)
		assert_int_equal(add(let.rows, i, "x", &err), 0);
	rn_let_result_close(let.rows, &(struct rn_ledgers){0}, &(struct rn_ran){0});

	q = rn_parse(a, d, rn_diag_source(d, "query", asked, sizeof(asked) - 1))->stmts->query;
	q->source->kind = RN_SRC_QUERY;
	q->source->let = &let;
	q->source->query = let.shape;
	assert_true(rn_resolve(a, d, q, &names));
	p = rn_plan_query(a, d, q, &names, &(struct rn_plan_opts){0});
	assert_ptr_equal(p->given, &let);
	assert_true(rn_plan_ends(p));
	for (int i = 0; i < 3; i++) {
		struct got got = {0};
		struct rn_ledgers l = {0};
		struct rn_ran span = {0};
		struct rn_answer_sink to = {.self = &got, .row = count};

		assert_int_equal(
			rn_coord_execute(a, p, &(struct rn_run_opts){0}, &to, &l, &span, &err), 0);
		assert_int_equal(got.n, 1999);
		assert_int_equal(got.sum, (1001 + 2999) * 1999 / 2);
		assert_int_equal(got.last_ns, 29990);
		assert_int_equal(l.n, 0);
	}
	rn_let_result_destroy(let.rows);
	let.rows = NULL;
	assert_int_equal(rn_coord_execute(a, p, &(struct rn_run_opts){0},
					  &(struct rn_answer_sink){.row = count},
					  &(struct rn_ledgers){0}, &(struct rn_ran){0}, &err),
			 -ESTALE);
	assert_string_equal(err.text, "the result `r` is not there: its query has not run");
	rn_arena_destroy(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows),
					   cmocka_unit_test(test_bytes),
					   cmocka_unit_test(test_read_again)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
