/* test_agg.c - aggregates: the same answer for any split, order and tree of merging; and the right
 * answer, against plain code that sorts and counts. Random, but seeded: a failure repeats. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "lang/values/hist.h"
#include "planner/agg/agg_impl.h"
#include "exec/groups/groups.h"
#include "planner/agg/state.h"

static uint64_t seed;
static uint64_t rnd(void) /* splitmix64 */
{
	uint64_t z = (seed += 0x9e3779b97f4a7c15ULL);

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}
static unsigned below(unsigned n)
{
	return (unsigned)(rnd() % n);
}
static double unit(void)
{
	return (double)(rnd() >> 11) * 0x1p-53;
}

static const struct rn_agg *agg(const char *name)
{
	for (unsigned i = 0; rn_aggs[i]; i++)
		if (!strcmp(rn_aggs[i]->sig.name, name))
			return rn_aggs[i];
	fail_msg("no aggregate %s", name);
	return NULL;
}

/* A use of an aggregate over values of one type, with the parameters that it needs. */
static struct rn_agg_call call_of(const struct rn_agg *d, struct rn_expr *arg, enum rn_type type)
{
	struct rn_agg_call c = {.def = d, .param = {d->preset}};

	*arg = (struct rn_expr){.kind = RN_E_FIELD, .ty = {(uint8_t)type, 0}};
	c.arg = d->sig.arg == RN_ARG_NONE ? NULL : arg;
	c.fixed = type == RN_T_FLOAT;
	c.ty = d->sig.result == RN_RES_ARG ? arg->ty : (struct rn_ty){RN_T_INT, 0};
	if (d->cell == RN_CELL_LINEAR)
		memcpy(c.param, (double[]){-50, 1000, 37}, sizeof(c.param));
	if (!strcmp(d->sig.name, "quantile"))
		c.param[0] = 0.37;
	if (!strcmp(d->sig.name, "set"))
		c.param[0] = 16;
	return c;
}

struct event {
	struct rn_value v;
	int64_t time_ns;
};

static char strings[256][24];
static struct rn_value random_value(enum rn_type type, unsigned spread)
{
	switch (type) {
	case RN_T_STR: {
		unsigned i = below(spread < 256 ? spread : 256);

		return rn_strn(strings[i], (size_t)snprintf(strings[i], sizeof(strings[i]),
							    "value %u%s", i, i % 7 ? "" : " long"));
	}
	case RN_T_FLOAT: return rn_float((unit() - 0.3) * (double)spread);
	case RN_T_BOOL: return rn_bool(rnd() & 1);
	default:
		return below(8) ? rn_int((int64_t)below(spread) - (int64_t)(spread / 4))
				: rn_int((int64_t)rnd() >> below(64));
	}
}

static char *finish(const struct rn_agg_call *c, const struct rn_state *s)
{
	struct rn_arena *a = rn_arena_create(1 << 20);
	struct rn_finish_ctx f = {.window_ns = 1500000000};
	int64_t whole[4];
	struct rn_state own = *s;
	struct rn_value v;
	char *out;
	int n;

	/* it leaves its node, which has covered all of the window */
	if (rn_agg_has_rate(c->def) && s->words) {
		memcpy(whole, s->words, sizeof(whole));
		rn_agg_cover(whole, f.window_ns, f.window_ns);
		own.words = whole;
	}
	v = c->def->finish(c, &own, &f, a);
	out = NULL;
	n = c->def->sig.result == RN_RES_HIST ? asprintf(&out, "%s", rn_hist_text(a, &v))
	    : v.kind == RN_STR                ? asprintf(&out, "%.*s", (int)v.len, v.s)
	    : v.kind == RN_FLOAT              ? asprintf(&out, "%a", v.f)
	    : v.kind == RN_NULL               ? asprintf(&out, "NULL")
					      : asprintf(&out, "%lld", (long long)v.i);
	assert_true(n >= 0);
	rn_arena_destroy(a);
	return out;
}

static char *answer_at_once(const struct rn_agg_call *c, const struct event *ev, unsigned n)
{
	struct rn_state s;
	char *out;

	rn_state_init(c, &s);
	for (unsigned i = 0; i < n; i++)
		rn_state_update(c, &s, &ev[i].v, ev[i].time_ns, i == 0);
	out = finish(c, &s);
	rn_state_free(c, &s);
	return out;
}

/* Events dealt to nparts parts in random order, parts merged two by two in a random tree. */
static char *answer_in_parts(const struct rn_agg_call *c, const struct event *ev, unsigned n,
			     unsigned nparts)
{
	struct rn_state part[16];
	unsigned *order = malloc((n + 1) * sizeof(*order)), seen[16] = {0};
	char *out;

	for (unsigned i = 0; i < n; i++) {
		unsigned j = below(i + 1);

		order[i] = order[j];
		order[j] = i;
	}
	for (unsigned i = 0; i < nparts; i++)
		rn_state_init(c, &part[i]);
	for (unsigned i = 0; i < n; i++) {
		unsigned p = below(nparts);

		rn_state_update(c, &part[p], &ev[order[i]].v, ev[order[i]].time_ns, !seen[p]++);
	}
	while (nparts > 1) {
		unsigned to = below(nparts), from = below(nparts - 1);

		from += from >= to;
		rn_state_merge(c, &part[to], !seen[to], &part[from]);
		seen[to] += seen[from];
		rn_state_free(c, &part[from]);
		part[from] = part[nparts - 1];
		seen[from] = seen[nparts - 1];
		nparts--;
	}
	out = finish(c, &part[0]);
	rn_state_free(c, &part[0]);
	free(order);
	return out;
}

static bool takes(const struct rn_agg *d, enum rn_type type)
{
	return type != RN_T_STR || d->sig.arg <= RN_ARG_ANY;
}

static void any_split_gives_the_same_answer(void **state)
{
	static const enum rn_type types[] = {RN_T_INT, RN_T_FLOAT, RN_T_STR, RN_T_BOOL};
	struct event ev[300];

	(void)state;
	seed = 1;
	for (unsigned i = 0; rn_aggs[i]; i++)
		for (unsigned t = 0; t < 4; t++) {
			struct rn_expr arg;
			struct rn_agg_call c = call_of(rn_aggs[i], &arg, types[t]);

			for (unsigned round = 0; round < 40 && takes(rn_aggs[i], types[t]);
			     round++) {
				unsigned n = below(300),
					 spread = 2 + below(round % 2 ? 40 : 100000);
				char *whole, *parts;

				for (unsigned k = 0; k < n; k++)
					ev[k] = (struct event){random_value(types[t], spread),
							       (int64_t)below(50)};
				if (n && !(round % 5))
					ev[0].v = rn_null();
				whole = answer_at_once(&c, ev, n);
				parts = answer_in_parts(&c, ev, n, 1 + below(16));
				if (strcmp(whole, parts))
					fail_msg("%s, type %d, round %u: %s at once, %s in parts",
						 rn_aggs[i]->sig.name, types[t], round, whole,
						 parts);
				free(whole);
				free(parts);
			}
		}
}

/* As the kernel keeps them: a zeroed copy for each CPU, of which those without events take no
 * part. */
static void copies_without_events_take_no_part(void **state)
{
	struct event ev[64];

	(void)state;
	seed = 2;
	for (unsigned i = 0; rn_aggs[i]; i++) {
		struct rn_expr arg;
		struct rn_agg_call c = call_of(rn_aggs[i], &arg, RN_T_INT);
		unsigned events[4] = {0};
		struct rn_state cpu[4], sum;
		bool empty;
		char *whole, *parts;

		if (!c.def->nslots)
			continue;
		for (unsigned k = 0; k < 64; k++)
			ev[k] = (struct event){rn_int(-500 + (int64_t)below(300)),
					       1000 + (int64_t)below(9)};
		for (unsigned p = 0; p < 4; p++) {
			rn_state_init(&c, &cpu[p]);
			cpu[p].words = calloc(rn_agg_words(c.def), 8);
		}
		for (unsigned k = 0; k < 64; k++) {
			unsigned p = 1 + below(2); /* 0 and 3 see nothing */

			rn_state_update(&c, &cpu[p], &ev[k].v, ev[k].time_ns, !events[p]++);
		}
		rn_state_init(&c, &sum);
		empty = true;
		for (unsigned p = 0; p < 4; p++)
			if (events[p]) {
				rn_state_merge(&c, &sum, empty, &cpu[p]);
				empty = false;
			}
		whole = answer_at_once(&c, ev, 64);
		parts = finish(&c, &sum);
		assert_string_equal(whole, parts);
		free(whole);
		free(parts);
		for (unsigned p = 0; p < 4; p++)
			rn_state_free(&c, &cpu[p]);
		rn_state_free(&c, &sum);
	}
}

static void assert_answer(const char *name, enum rn_type type, const struct event *ev, unsigned n,
			  double param, const char *want)
{
	struct rn_expr arg;
	struct rn_agg_call c = call_of(agg(name), &arg, type);
	char *got;

	if (param >= 0)
		c.param[0] = param;
	got = answer_at_once(&c, ev, n);
	assert_string_equal(got, want);
	free(got);
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Each quantile lies between the least and the greatest, those of 0 and 1 are these two, and the
 * others are within 1/128 of the value of their rank: of values of any size and sign, in any
 * split. */
static void quantiles_are_held(void **state)
{
	static const double qs[] = {0, 0.001, 0.5, 0.9, 0.99, 0.999, 1};
	enum { MANY = 300 };
	struct event ev[MANY];
	double sorted[MANY];

	(void)state;
	for (unsigned round = 0; round < 400; round++) {
		bool fractions = round & 1;
		unsigned n = 1 + below(MANY), bits = below(fractions ? 40 : 62);

		seed = 100 + round;
		for (unsigned k = 0; k < n; k++) {
			int64_t v =
				(int64_t)(below(UINT32_MAX) * (uint64_t)UINT32_MAX >> (63 - bits)) *
				(below(3) ? 1 : -1);

			ev[k] = (struct event){
				fractions ? rn_float((double)v / 1024 / 3) : rn_int(v), (int64_t)k};
			sorted[k] = fractions ? ev[k].v.f : (double)v;
		}
		qsort(sorted, n, sizeof(*sorted), by_size);
		for (unsigned i = 0; i < sizeof(qs) / sizeof(*qs); i++) {
			struct rn_expr arg;
			struct rn_agg_call c =
				call_of(agg("quantile"), &arg, fractions ? RN_T_FLOAT : RN_T_INT);
			char *whole, *parts;
			double got, rank, want;

			c.param[0] = qs[i];
			whole = answer_at_once(&c, ev, n);
			parts = answer_in_parts(&c, ev, n, 1 + below(7));
			got = strtod(whole, NULL);
			rank = ceil(qs[i] * n - 1e-9 * n);
			want = sorted[rank < 1 ? 0 : (unsigned)rank - 1];
			assert_string_equal(whole, parts);
			assert_true(got >= sorted[0] && got <= sorted[n - 1]);
			assert_true(fabs(got - want) <= fabs(want) / 127 + 1e-6);
			if (rank <= 1 || rank >= n)
				assert_true(got == want);
			free(whole);
			free(parts);
		}
	}
}

static void nothing_seen(void **state)
{
	static const char *const want[][2] = {
		{"count", "0"},    {"sum", "0"},       {"avg", "NULL"},      {"min", "NULL"},
		{"max", "NULL"},   {"stddev", "NULL"}, {"first", "NULL"},    {"last", "NULL"},
		{"hist", "[]"},    {"lhist", "[]"},    {"quantile", "NULL"}, {"p99", "NULL"},
		{"distinct", "0"}, {"set", "[]"},      {"top", "[]"},        {"rate", "0x0p+0"},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(want) / sizeof(*want); i++)
		assert_answer(want[i][0], RN_T_INT, NULL, 0, -1, want[i][1]);
}

static void known_answers(void **state)
{
	struct event ev[6] = {{rn_int(4), 30}, {rn_int(-2), 10}, {rn_int(4), 40},
			      {rn_int(9), 40}, {rn_null(), 90},  {rn_int(1), 20}};

	(void)state;
	assert_answer("count", RN_T_INT, ev, 6, -1, "6");
	assert_answer("sum", RN_T_INT, ev, 6, -1, "16");
	/* 3.2: NULL does not count */
	assert_answer("avg", RN_T_INT, ev, 6, -1, "0x1.999999999999ap+1");
	assert_answer("min", RN_T_INT, ev, 6, -1, "-2");
	assert_answer("max", RN_T_INT, ev, 6, -1, "9");
	assert_answer("first", RN_T_INT, ev, 6, -1, "-2");
	assert_answer("last", RN_T_INT, ev, 6, -1, "9"); /* of two at 40 the greater */
	assert_answer("hist", RN_T_INT, ev, 6, -1,
		      "[[-9223372036854775808,0,1],[0,1,0],[1,2,1],[2,4,0],[4,8,2],[8,16,1]]");
	assert_answer("set", RN_T_INT, ev, 6, 3, "[-2,1,4,\"(more)\"]");
	assert_answer("set", RN_T_INT, ev, 6, 4, "[-2,1,4,9]");
	assert_answer("top", RN_T_INT, ev, 6, 2, "[[4,2],[-2,1]]");
	assert_answer("distinct", RN_T_INT, ev, 6, -1, "4");
	assert_answer("p50", RN_T_INT, ev, 6, -1, "4");
	assert_answer("quantile", RN_T_INT, ev, 6, 0, "-2");
	assert_answer("quantile", RN_T_INT, ev, 6, 0.2, "-2");
	assert_answer("quantile", RN_T_INT, ev, 6, 0.21, "1");
	assert_answer("quantile", RN_T_INT, ev, 6, 1, "9");
}

static void lhist_has_open_ends(void **state)
{
	struct event ev[4] = {
		{rn_int(-60), 0}, {rn_int(-50), 0}, {rn_int(30), 0}, {rn_int(5000), 0}};
	struct rn_expr arg;
	struct rn_agg_call c = call_of(agg("lhist"), &arg, RN_T_INT);
	char *got;

	(void)state;
	memcpy(c.param, (double[]){-50, 100, 40}, sizeof(c.param));
	got = answer_at_once(&c, ev, 4);
	assert_string_equal(got, "[[-9223372036854775808,-50,1],[-50,-10,1],[-10,30,0],[30,70,1],["
				 "70,100,0],[100,9223372036854775807,1]]");
	free(got);
}

/* Steps that no binary fraction equals: they are as many as were asked for, begin where they were
 * said to, and take what lies there. */
static void lhist_of_fractions(void **state)
{
	struct event ev[7] = {{rn_float(0.2), 0}, {rn_float(0.4), 0},  {rn_float(0.6), 0},
			      {rn_float(0.8), 0}, {rn_float(0.99), 0}, {rn_float(1), 0},
			      {rn_float(-1), 0}};
	struct rn_expr arg;
	struct rn_agg_call c = call_of(agg("lhist"), &arg, RN_T_FLOAT);
	char *got;

	(void)state;
	memcpy(c.param, (double[]){0, 1, 0.2}, sizeof(c.param));
	got = answer_at_once(&c, ev, 7);
	assert_string_equal(got, "[[-4.611686018427388e+18,0,1],[0,0.2,0],[0.2,0.4,1],[0.4,0.6,1],["
				 "0.6,0.8,1],[0.8,1,2],[1,4.611686018427388e+18,1]]");
	free(got);
	/* each value that a step begins at is in it, and the last step is the last */
	for (int steps = 1; steps <= 1000; steps++) {
		memcpy(c.param, (double[]){-0.1, 0.3, 0.4 / steps}, sizeof(c.param));
		for (int k = 0; k < steps; k++)
			assert_int_equal(
				rn_agg_step_of(&c, (rn_wide)rint(ldexp(-0.1 + k * (0.4 / steps),
								       RN_FIXED_SHIFT))),
				k);
		assert_int_equal(rn_agg_step_of(&c, (rn_wide)rint(ldexp(0.3, RN_FIXED_SHIFT))),
				 steps);
		assert_int_equal(rn_agg_step_of(&c, (rn_wide)1 << 90), steps);
	}
}

/* No order of merges may tell: what has left 64 bits may come back. */
static void sums_are_wide(void **state)
{
	struct event up[4] = {{rn_int(INT64_MAX), 0},
			      {rn_int(INT64_MAX), 0},
			      {rn_int(INT64_MIN), 0},
			      {rn_int(INT64_MIN), 0}},
		     many[512];
	struct event fractions[3] = {
		{rn_float(4e18), 0}, {rn_float(4e18), 0}, {rn_float(-0x1p60), 0}};
	static const char *const sums[] = {"sum", "avg", "stddev", "rate"};
	uint64_t overflow = 0;
	struct rn_finish_ctx f = {.window_ns = 1, .overflow = &overflow};
	struct rn_state s = {0};
	struct rn_agg_call c;
	struct rn_expr arg;

	(void)state;
	assert_answer("sum", RN_T_INT, up, 4, -1, "-2");
	assert_answer("avg", RN_T_INT, up, 4, -1, "-0x1p-1");
	assert_answer("sum", RN_T_INT, up, 2, -1, "NULL");
	assert_answer("avg", RN_T_INT, up, 2, -1, "0x1p+63");
	assert_answer("stddev", RN_T_INT, up, 4, -1, "0x1p+63");
	assert_answer("stddev", RN_T_INT, up, 2, -1, "0x0p+0");
	assert_answer("rate", RN_T_INT, up, 2, -1, "0x1.5555555555555p+63"); /* 2^64 in 1.5 s */
	assert_answer("sum", RN_T_FLOAT, fractions, 3, -1, "0x1.7c16d674ec8p+62");
	seed = 9;
	for (unsigned i = 0; i < 512; i++)
		many[i] = (struct event){rn_int(i % 3 ? INT64_MAX - (int64_t)below(9)
						      : INT64_MIN + (int64_t)below(9)),
					 (int64_t)i};
	for (unsigned i = 0; i < sizeof(sums) / sizeof(*sums); i++) {
		char *whole;

		c = call_of(agg(sums[i]), &arg, RN_T_INT);
		whole = answer_at_once(&c, many, 512);

		for (unsigned round = 0; round < 20; round++) {
			char *parts = answer_in_parts(&c, many, 512, 1 + below(16));

			assert_string_equal(whole, parts);
			free(parts);
		}
		free(whole);
	}
	c = call_of(agg("sum"), &arg, RN_T_INT);
	for (unsigned i = 0; i < 2; i++)
		rn_state_update(&c, &s, &up[i].v, 0, false);
	assert_int_equal(c.def->finish(&c, &s, &f, NULL).kind, RN_NULL);
	assert_int_equal(overflow, 1);
	rn_state_update(&c, &s, &up[2].v, 0, false);
	assert_int_equal(c.def->finish(&c, &s, &f, NULL).i, INT64_MAX - 1);
	assert_int_equal(overflow, 1);
	rn_state_free(&c, &s);
}

/* Fractions: values of hours in ns, and what is beyond all bounds. */
static void fractions_are_wide(void **state)
{
	const double day = 86400e9 * 1.5;
	struct event ev[4] = {{rn_float(day), 1},
			      {rn_float(day + 0.25), 2},
			      {rn_float(-day), 3},
			      {rn_float(0.1), 4}};
	static const struct {
		const char *agg;
		double greatest, beyond;
	} cases[] = {
		{"sum", 0x1.fffffffffffffp61, 0x1p62},
		{"avg", 0x1.fffffffffffffp61, -0x1p62},
		{"stddev", 0x1.fffffffffffffp52, 0x1p53},
		{"hist", 0x1.fffffffffffffp61, 0x1p62},
		{"p99", -0x1.fffffffffffffp61, INFINITY},
		{"rate", 1, -INFINITY},
		{"max", INFINITY, NAN},
		{"first", 0x1p1000, NAN},
		{"distinct", 0x1p1000, NAN},
	};
	struct rn_expr arg;

	(void)state;
	assert_answer("sum", RN_T_FLOAT, ev, 2, -1, "0x1.d77b67da00008p+47"); /* 2.592e14 + 0.25 */
	assert_answer("max", RN_T_FLOAT, ev, 4, -1, "0x1.d77b67da0001p+46");
	assert_answer("min", RN_T_FLOAT, ev, 4, -1, "-0x1.d77b67dap+46");
	/* the very number */
	assert_answer("min", RN_T_FLOAT, ev + 3, 1, -1, "0x1.999999999999ap-4");
	assert_answer("first", RN_T_FLOAT, ev, 4, -1, "0x1.d77b67dap+46");
	assert_answer("last", RN_T_FLOAT, ev, 4, -1, "0x1.999999999999ap-4");
	/* of the last rank: the greatest */
	assert_answer("p99", RN_T_FLOAT, ev, 2, -1, "0x1.d77b67da0001p+46");
	assert_answer("hist", RN_T_FLOAT, ev, 2, -1, "[[70368744177664,140737488355328,2]]");
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct rn_agg_call c = call_of(agg(cases[i].agg), &arg, RN_T_FLOAT);
		struct rn_value most = rn_float(cases[i].greatest),
				more = rn_float(cases[i].beyond);
		struct rn_state s = {0};

		assert_true(rn_state_update(&c, &s, &most, 0, false));
		/* what is no number is no argument */
		if (rn_state_update(&c, &s, &more, 0, false) != isnan(cases[i].beyond))
			fail_msg("%s", cases[i].agg);
		rn_state_free(&c, &s);
	}
}

static void stddev_does_not_cancel(void **state)
{
	struct event ev[3] = {{rn_int(3000000000000000001), 0},
			      {rn_int(3000000000000000002), 0},
			      {rn_int(3000000000000000003), 0}};

	(void)state;
	assert_answer("stddev", RN_T_INT, ev, 3, -1, "0x1.a20bd700c2c3ep-1"); /* sqrt(2/3) */
}

static void first_and_last_of_text(void **state)
{
	struct event ev[4] = {{rn_strn("b", 1), 10},
			      {rn_strn("a", 1), 10},
			      {rn_strn("y", 1), 50},
			      {rn_strn("z", 1), 50}};

	(void)state;
	assert_answer("first", RN_T_STR, ev, 4, -1, "a");
	assert_answer("last", RN_T_STR, ev, 4, -1, "z");
}

static void a_rate_is_per_second_of_its_window(void **state)
{
	struct event ev[3] = {{rn_int(300), 0}, {rn_int(300), 0}, {rn_int(900), 0}};
	struct rn_expr arg;
	struct rn_agg_call c = call_of(agg("rate"), &arg, RN_T_INT);
	char *got;

	(void)state;
	assert_answer("rate", RN_T_INT, ev, 3, -1, "0x1.f4p+9"); /* 1500 in 1.5 s */
	c.arg = NULL;
	got = answer_at_once(&c, ev, 3);
	assert_string_equal(got, "0x1p+1");
	free(got);
}

/* What a node with these events gives away, having covered so much of a second. */
static void node_rate(const struct rn_agg_call *c, struct rn_state *s, int64_t x, unsigned times,
		      int64_t covered_ns)
{
	struct rn_value v = rn_int(x);

	rn_state_init(c, s);
	for (unsigned i = 0; i < times; i++)
		rn_state_update(c, s, &v, 0, false);
	rn_agg_cover(s->words, RN_RATE_NS, covered_ns);
}

static double merged_rate(const struct rn_agg_call *c, struct rn_state *nodes, unsigned n)
{
	struct rn_finish_ctx f = {.window_ns = RN_RATE_NS};
	struct rn_state sum;
	struct rn_value v;

	rn_state_init(c, &sum);
	for (unsigned i = 0; i < n; i++) {
		rn_state_merge(c, &sum, !i, &nodes[i]);
		rn_state_free(c, &nodes[i]);
	}
	v = c->def->finish(c, &sum, &f, NULL);
	rn_state_free(c, &sum);
	return v.f;
}

/* Each node divides by what it has covered; then rates add up, whatever their sign, however great,
 * and in any order. */
static void rates_of_nodes_add_up(void **state)
{
	struct rn_expr arg;
	struct rn_agg_call c = call_of(agg("rate"), &arg, RN_T_INT);
	struct rn_state s[3];

	(void)state;
	node_rate(&c, &s[0], 7, 10, 1000000000); /* 70/s */
	node_rate(&c, &s[1], 7, 10, 250000000);  /* 280/s */
	node_rate(&c, &s[2], -1, 3, 300000000);  /* -10/s */
	assert_true(merged_rate(&c, s, 3) == 340);
	node_rate(&c, &s[0], 1, 1, 3); /* 1/3 of an event a ns */
	node_rate(&c, &s[1], 1, 2, 3);
	assert_true(merged_rate(&c, s, 2) == 1e9);
	node_rate(&c, &s[0], 1, 1, 86400000000000); /* one in a day */
	assert_true(fabs(merged_rate(&c, s, 1) * 86400 - 1) < 1e-12);
	node_rate(&c, &s[0], INT64_MAX, 4, 1);
	node_rate(&c, &s[1], INT64_MIN, 4, 1);
	assert_true(merged_rate(&c, s, 2) == -4e9); /* what has left a range comes back into it */
	node_rate(&c, &s[0], INT64_MAX, 2, 1);
	assert_true(fabs(merged_rate(&c, s, 1) / 0x1p64 - 1e9) < 1);
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

static int64_t draw(unsigned distribution)
{
	switch (distribution) {
	case 0: return (int64_t)below(100);        /* small: exact */
	case 1: return (int64_t)below(1000000000); /* uniform */
	case 2:
		return (int64_t)(1000 / pow(unit() + 1e-12, 1.2)); /* heavy tail */
	/* about log-normal */
	case 3: return (int64_t)exp(8 + 2 * (unit() + unit() + unit() + unit() - 2));
	/* two humps */
	case 4: return unit() < 0.9 ? 1500 + (int64_t)below(100) : 4000000 + (int64_t)below(100000);
	default: return (int64_t)below(2000000) - 1000000; /* both signs */
	}
}

static void quantiles_are_within_one_percent(void **state)
{
	static const double qs[] = {0, 0.01, 0.1, 0.5, 0.9, 0.95, 0.99, 0.999, 1};
	enum { N = 20000 };
	int64_t *v = malloc(N * sizeof(*v));

	(void)state;
	seed = 3;
	for (unsigned d = 0; d < 6; d++) {
		struct rn_expr arg;
		struct rn_agg_call c = call_of(agg("quantile"), &arg, RN_T_INT);
		struct rn_state s;

		rn_state_init(&c, &s);
		for (unsigned i = 0; i < N; i++) {
			struct rn_value x = rn_int(v[i] = draw(d));

			rn_state_update(&c, &s, &x, 0, i == 0);
		}
		qsort(v, N, sizeof(*v), by_value);
		for (unsigned i = 0; i < sizeof(qs) / sizeof(*qs); i++) {
			unsigned rank;
			int64_t exact, got;

			c.param[0] = qs[i];
			rank = (unsigned)ceil(qs[i] * N - 1e-6);
			exact = v[rank ? rank - 1 : 0];
			got = c.def->finish(&c, &s, NULL, NULL).i;
			if (llabs(got - exact) > 0.01 * (double)llabs(exact))
				fail_msg("distribution %u, q %g: %lld, exactly %lld", d, qs[i],
					 (long long)got, (long long)exact);
		}
		rn_state_free(&c, &s);
	}
	free(v);
}

static void distinct_is_within_three_percent(void **state)
{
	static const unsigned sizes[] = {10,    100,   1000,  5000,   10000,  20000,
					 40000, 60000, 80000, 100000, 300000, 1000000};

	(void)state;
	for (unsigned kind = 0; kind < 3; kind++) /* consecutive, random, strings */
		for (unsigned i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
			struct rn_expr arg;
			struct rn_agg_call c =
				call_of(agg("distinct"), &arg, kind == 2 ? RN_T_STR : RN_T_INT);
			struct rn_state s;
			char text[32];
			double got;

			seed = 4;
			rn_state_init(&c, &s);
			for (unsigned k = 0; k < sizes[i]; k++) {
				struct rn_value x = rn_int(kind ? (int64_t)rnd() : (int64_t)k);

				if (kind == 2)
					x = rn_strn(text, (size_t)snprintf(text, sizeof(text),
									   "/var/lib/file%u", k));
				rn_state_update(&c, &s, &x, 0, k == 0);
				if (k % 3 == 0)
					rn_state_update(&c, &s, &x, 0, false);
			}
			got = (double)c.def->finish(&c, &s, NULL, NULL).i;
			if (fabs(got - sizes[i]) > 0.03 * sizes[i])
				fail_msg("kind %u: %g, exactly %u", kind, got, sizes[i]);
			rn_state_free(&c, &s);
		}
}

/* More different values than `top` keeps: the same for every split, counts of what is kept are
 * whole, and the ledger counts the rest. */
static void top_beyond_its_bound(void **state)
{
	enum { N = 300000 };
	struct rn_expr arg;
	struct rn_agg_call c = call_of(agg("top"), &arg, RN_T_INT);
	struct rn_state whole, part[3];
	long long listed = 0, other = 0;
	char *a, *b;

	(void)state;
	c.param[0] = 65536;
	rn_state_init(&c, &whole);
	for (unsigned p = 0; p < 3; p++)
		rn_state_init(&c, &part[p]);
	for (unsigned round = 0; round < 2; round++)
		for (unsigned k = 0; k < N; k++) {
			struct rn_value x = rn_int(k);

			rn_state_update(&c, &whole, &x, 0, false);
			rn_state_update(&c, &part[(k + round) % 3], &x, 0, false);
		}
	rn_state_merge(&c, &part[2], false, &part[0]);
	rn_state_merge(&c, &part[1], false, &part[2]);
	a = finish(&c, &whole);
	b = finish(&c, &part[1]);
	assert_string_equal(a, b);
	for (const char *p = a; (p = strchr(p + 1, '['));) {
		long long v, n;

		if (sscanf(p, "[%lld,%lld]", &v, &n) == 2) {
			assert_int_equal(n, 2);
			listed++;
		} else {
			assert_int_equal(sscanf(p, "[\"(other)\",%lld]", &other), 1);
		}
	}
	assert_int_equal(listed, 65536);
	assert_int_equal(other, 2 * (N - 65536));
	free(a);
	free(b);
	rn_state_free(&c, &whole);
	for (unsigned p = 0; p < 3; p++)
		rn_state_free(&c, &part[p]);
}

static void a_value_lies_in_its_bucket(void **state)
{
	static const int64_t edges[] = {0,         1,   2,    127,  128,       129,
					130,       255, 256,  1000, 123456789, INT64_MAX,
					INT64_MIN, -1,  -127, -128, -1000};

	(void)state;
	for (unsigned i = 0; i < sizeof(edges) / sizeof(*edges); i++) {
		int64_t v = edges[i];
		rn_wide mid = rn_bucket_loglin_mid(rn_bucket_loglin(v));
		int32_t b = rn_bucket_log2(v);

		assert_true(fabs((double)mid - (double)v) <= fabs((double)v) / 128);
		if (v > -128 && v < 128)
			assert_true(mid == v);
		assert_true(v < 0 ? b == -1 : v == 0 ? b == 0 : v >> (b - 1) == 1);
	}
	assert_int_equal(rn_bucket_log2((rn_wide)1 << 81), 82);
	for (int32_t b = -5000; b <= 5000; b++)
		if (b != -1)
			assert_int_equal(rn_bucket_loglin(rn_bucket_loglin_mid(b)), b);
	for (int64_t v = 0, before = -1; v < 100000; v++) {
		assert_true(rn_bucket_loglin(v) == before || rn_bucket_loglin(v) == before + 1);
		before = rn_bucket_loglin(v);
	}
	assert_int_equal(rn_bucket_linear(9, 10, 30, 7), -1);
	assert_int_equal(rn_bucket_linear(10, 10, 30, 7), 0);
	assert_int_equal(rn_bucket_linear(29, 10, 30, 7), 2);
	assert_int_equal(rn_bucket_linear(30, 10, 30, 7), 3);
	assert_int_equal(rn_bucket_linear(INT64_MAX, INT64_MIN, INT64_MAX, 1), INT32_MAX);
}

/* Pinned: the kernel's generated code computes the same. */
static void hashes_are_fixed(void **state)
{
	struct rn_value zero = rn_int(0), none = rn_strn("", 0),
			padded = rn_strn("abc\0\0\0\0\0", 8), abc = rn_strn("abc", 3);
	int32_t reg;
	int64_t rank;

	(void)state;
	assert_true(rn_hash_value(&zero) == rn_hash_value(&none));
	assert_true(rn_hash_value(&padded) == rn_hash_value(&abc));
	rn_hll_cell(0, &reg, &rank);
	assert_int_equal(reg, 0);
	assert_int_equal(rank, 50);
	rn_hll_cell(UINT64_MAX << 3, &reg, &rank);
	assert_int_equal(reg, 16383);
	assert_int_equal(rank, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_split_gives_the_same_answer),
		cmocka_unit_test(copies_without_events_take_no_part),
		cmocka_unit_test(nothing_seen),
		cmocka_unit_test(known_answers),
		cmocka_unit_test(lhist_has_open_ends),
		cmocka_unit_test(lhist_of_fractions),
		cmocka_unit_test(sums_are_wide),
		cmocka_unit_test(fractions_are_wide),
		cmocka_unit_test(stddev_does_not_cancel),
		cmocka_unit_test(first_and_last_of_text),
		cmocka_unit_test(a_rate_is_per_second_of_its_window),
		cmocka_unit_test(rates_of_nodes_add_up),
		cmocka_unit_test(quantiles_are_within_one_percent),
		cmocka_unit_test(quantiles_are_held),
		cmocka_unit_test(distinct_is_within_three_percent),
		cmocka_unit_test(top_beyond_its_bound),
		cmocka_unit_test(a_value_lies_in_its_bucket),
		cmocka_unit_test(hashes_are_fixed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
