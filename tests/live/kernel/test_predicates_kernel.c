/* test_predicates_kernel.c - every kind of condition that runs in the kernel, against the same
 * condition written in C.
 *
 * A child named "pred child" calls getppid with pairs of arguments; `where` must pass exactly those
 * for which the C expression over a and b is true. Every condition must have been placed in the
 * kernel; arithmetic that may exceed 64 bits never is. */
#include <stdio.h>
#include "tests/support/live.h"
#include <sys/prctl.h>
#include <sys/syscall.h>

struct pair {
	int64_t a, b;
};
static const int64_t values[] = {0,
				 1,
				 -1,
				 2,
				 3,
				 7,
				 -7,
				 8,
				 10,
				 -10,
				 63,
				 64,
				 100,
				 -100,
				 4096,
				 INT32_MAX,
				 INT32_MIN,
				 (int64_t)INT32_MAX + 1,
				 1LL << 40,
				 -(1LL << 40),
				 INT64_MAX,
				 INT64_MIN,
				 INT64_MIN + 1,
				 0x5bd1e995};
enum { NVALUES = sizeof(values) / sizeof(*values) };

/* The multiple of s at or below a, or the least number. */
static int64_t floor_to(int64_t a, int64_t s)
{
	int64_t r = a % s;

	r = r < 0 ? r + s : r;
	return a < INT64_MIN + r ? INT64_MIN : a - r;
}

static void body(void *arg)
{
	(void)arg;
	prctl(PR_SET_NAME, "pred child");
	for (int i = 0; i < NVALUES; i++)
		for (int j = 0; j < NVALUES; j++)
			syscall(SYS_getppid, values[i], values[j]);
}

struct predicate {
	const char *text;
	bool (*holds)(int64_t a, int64_t b);
};
#define P(n, text, expr) \
	static bool p##n(int64_t a, int64_t b) \
	{ \
		(void)a; \
		(void)b; \
		return expr; \
	}
#define PREDICATES(X) \
	X(0, "arg0 = arg1", a == b) \
	X(1, "arg0 != arg1", a != b) \
	X(2, "arg0 < arg1", a < b) \
	X(3, "arg0 <= arg1", a <= b) \
	X(4, "arg0 > arg1", a > b) \
	X(5, "arg0 >= arg1", a >= b) \
	X(6, "arg0 = 7", a == 7) \
	X(7, "arg0 > -1", a > -1) \
	X(8, "arg0 < 2147483648", a < 2147483648LL) \
	X(9, "arg0 = 1099511627776", a == 1LL << 40) \
	X(10, "arg0 between -10 and 64", a >= -10 && a <= 64) \
	X(11, "not (arg0 > 3 and arg1 > 3)", !(a > 3 && b > 3)) \
	X(12, "arg0 > 3 or arg1 < 0", a > 3 || b < 0) \
	X(13, "(arg0 > 3 and arg1 < 0) or not (arg0 = 1 or arg1 = 2)", \
	  (a > 3 && b < 0) || !(a == 1 || b == 2)) \
	X(14, "arg0 in (1, 7, -100, 1099511627776)", \
	  a == 1 || a == 7 || a == -100 || a == 1LL << 40) \
	X(15, "not (arg0 in (1, 2))", a != 1 && a != 2) \
	X(16, "div(arg0, 2) + div(arg1, 2) > 10", a / 2 + b / 2 > 10) \
	X(17, "div(arg0, 2) - div(arg1, 4) < 5", a / 2 - b / 4 < 5) \
	X(18, "arg0 % 3000000000 * (arg1 % 3000000000) = 64", \
	  a % 3000000000 * (b % 3000000000) == 64) \
	X(19, "-(div(arg0, 2)) > arg1", -(a / 2) > b) \
	X(20, "div(arg0, 3) = -2", a / 3 == -2) \
	X(21, "arg0 % 3 = -1", a % 3 == -1) \
	X(22, "arg0 % 4096 = arg1", a % 4096 == b) \
	X(23, "div(arg0, 4294967296) = 256", a / 4294967296LL == 256) \
	X(24, "bucket(arg0, 7) = arg1", floor_to(a, 7) == b) \
	X(25, "bucket(arg0, 10) < -5", floor_to(a, 10) < -5) \
	X(26, "(div(arg0, 8) + 1) * 2 - div(arg1, 8) * 3 > 100", \
	  (a / 8 + 1) * 2 - b / 8 * 3 > 100) \
	X(27, "proc = \"pred child\"", true) \
	X(28, "thread != \"pred child\"", false) \
	X(29, "proc = \"pred chil\"", false) \
	X(30, "proc ~ \"pred*\"", true) \
	X(31, "proc ~ \"*child\"", true) \
	X(32, "proc ~ \"p?ed c*d\"", true) \
	X(33, "proc !~ \"*x*\"", true) \
	X(34, "proc ~ \"*x*\"", false) \
	X(35, "proc in (java, \"pred child\")", true) \
	X(36, "proc = \"pred child and more than fits\"", false) \
	X(37, "proc ~ \"pred child and more*\"", false) \
	X(38, "name = getppid and arg0 = 3", a == 3) \
	X(39, "name ~ \"get*\" and arg0 = 3", a == 3) \
	X(40, "name !~ \"*ppid\"", false) \
	X(41, "name in (read, getppid)", true) \
	X(42, "node = testnode", true) \
	X(43, "node ~ \"test*\"", true) \
	X(44, "error = ENOENT", false) \
	X(45, "ret > 0 and pid > 1 and tid = pid and ppid != pid and bytes = 0", true) \
	X(46, "(arg0 = 1) = (arg1 = 2)", (a == 1) == (b == 2)) \
	X(47, "proc ~ \"*\"", true) \
	X(48, "fd = -1", true) \
	X(49, "file = \"\"", true) \
	X(50, "arg0 / 3 = -2", a == -6) \
	X(51, "arg0 / 3 > 2.5", a > 7) \
	X(52, "arg0 / 8 <= -0.125 or 1.5 < arg1 / 2", a <= -1 || b > 3) \
	X(53, "arg0 / 4096 != 1", a != 4096) \
	X(54, "arg0 & 7 = arg1 & 3", (a & 7) == (b & 3)) \
	X(55, "arg0 | 4294967296 = arg1 ^ 1", (a | 1LL << 32) == (b ^ 1)) \
	X(56, "arg0 & arg1 != 0 or arg0 ^ arg1 < 0", (a & b) != 0 || (a ^ b) < 0) \
	X(57, "arg0 << 60 < 0", (int64_t)((uint64_t)a << 60) < 0) \
	X(58, "arg0 >> 3 = arg1 >> 63", a >> 3 == b >> 63) \
	X(59, "arg0 & 1099511627776 | arg1 & 64 != 0", ((a & 1LL << 40) | (b & 64)) != 0) \
	X(60, "if(arg0 > 3, arg1, 7) = 7", (a > 3 ? b : 7) == 7) \
	X(61, "if(arg0 & 1 = 1, arg0 > 5, arg1 < 0)", a & 1 ? a > 5 : b < 0) \
	X(62, "if(if(arg0 > arg1, arg0 & 15, arg1 & 15) > 7, 1, 0) + 2 = 3", \
	  ((a > b ? a : b) & 15) > 7) \
	X(63, "startswith(proc, \"pred\") and not endswith(proc, \"x\")", true) \
	X(64, "contains(proc, \"d c\") and endswith(proc, \"ild\")", true) \
	X(65, "startswith(proc, \"pred child and more\")", false) \
	X(66, "len(proc) = 10 and arg0 > len(proc)", a > 10) \
	X(67, "substr(proc, 0, 4) = \"pred\" and substr(proc, -5) = \"child\"", true) \
	X(68, "substr(proc, 2, 3) != \"ed \" or substr(proc, 5, 30) = \"chil\"", false)
PREDICATES(P)
static const struct predicate predicates[] = {
#define E(n, text, expr) {text, p##n},
	PREDICATES(E)};

static void check(const struct predicate *p)
{
	char query[512];
	struct live l;
	int64_t want = 0;

	snprintf(query, sizeof(query), "count of syscall where name = getppid and (%s)", p->text);
	live_run(&l, query, body, NULL);
	for (unsigned i = 0; i < l.plan->frag.nwhere; i++)
		if (l.plan->frag.where[i].place != RN_AT_KERNEL)
			fail_msg("%s: not in the kernel: %s", p->text,
				 l.plan->frag.where[i].reason);
	for (int i = 0; i < NVALUES; i++)
		for (int j = 0; j < NVALUES; j++)
			want += p->holds(values[i], values[j]);
	if (l.ledger.n[RN_L_MATCHED] != want)
		fail_msg("%s: %lld matched, not %lld", p->text, (long long)l.ledger.n[RN_L_MATCHED],
			 (long long)want);
	live_free(&l);
}

static void conditions_agree(void **state)
{
	(void)state;
	for (unsigned i = 0; i < sizeof(predicates) / sizeof(*predicates); i++)
		check(&predicates[i]);
}

/* The same expressions as keys: their values, not only their truth. */
static int keys_hold(void *self, const struct rn_partials *p)
{
	int64_t *total = self;

	for (unsigned i = 0; i < p->n; i++) {
		const struct rn_value *k = p->parts[i].key;
		int64_t a = k[0].i, b = k[1].i;

		assert_int_equal(k[2].i, a % 7);
		assert_int_equal(k[3].i, a / 1000);
		assert_int_equal(k[4].i, a % 4097 * (b % 4097) - b % 4097);
		assert_int_equal(k[5].i, floor_to(a, 13));
		assert_int_equal(k[6].i, a > b);
		assert_int_equal(k[6].kind, RN_BOOL);
		*total += p->parts[i].events;
	}
	return 0;
}

static void computed_keys(void **state)
{
	struct live l;
	int64_t total = 0;

	(void)state;

	live_run(&l,
		 "count of getppid by arg0, arg1, arg0 % 7, div(arg0, 1000), arg0 % 4097 * (arg1 % "
		 "4097) - arg1 % 4097, bucket(arg0, 13), arg0 > arg1",
		 body, NULL);
	assert_int_equal(l.plan->frag.agg_place, RN_AT_KERNEL);
	rn_groups_visit(l.groups, INT64_MAX, false, keys_hold, &total);
	assert_int_equal(total, NVALUES * NVALUES);
	live_free(&l);
}

/* What is known of fields and constants decides: the same arithmetic is in the kernel where it fits
 * 64 bits, else it is not. */
static void arithmetic_that_fits(void **state)
{
	static const struct {
		const char *where;
		bool kernel;
	} cases[] = {
		{"arg0 + 1 > 0", false},
		{"arg0 + arg1 > 0", false},
		{"arg0 * 2 > 0", false},
		{"-arg0 > 0", false},
		{"ret - 1 > 0", false},
		{"bytes * 1000000000000 > 0", false},
		{"bytes * 10000 > 0KiB", true},
		{"latency * 31 > 0ms", true},
		{"latency * 33 > 0ms", false},
		{"latency * 3 - 1ms > latency", true},
		{"time - begin > 1ms", true},
		{"pid * tid > 5", false},
		{"pid * 1000 + tid > 5", true},
		{"pid + arg0 % 4096 > 0", true},
		{"div(arg0, 3) + div(arg1, 3) > 0", true},
		{"div(arg0, 2) - 1 > 0", true},
		{"bucket(arg0, 4096) > 0", true},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char query[256];
		struct live l;

		snprintf(query, sizeof(query), "count of io where %s", cases[i].where);
		live_plan(&l, query, NULL);
		if ((l.plan->frag.where[0].place == RN_AT_KERNEL) != cases[i].kernel)
			fail_msg("%s: %s", cases[i].where, l.plan->frag.where[0].reason);
		live_free(&l);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(conditions_agree),
					   cmocka_unit_test(computed_keys),
					   cmocka_unit_test(arithmetic_that_fits)};

	live_require();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
