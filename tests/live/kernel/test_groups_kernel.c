/* test_groups_kernel.c - groups formed in the kernel hold exactly what user space computes over the
 * same calls.
 *
 * A child calls getppid with arguments of our choice: the kernel ignores them, arg0 and arg1 show
 * them, so that any 64-bit value can be fed to every aggregate. The truth is exec/groups/groups.h
 * over the list of values. */
#include "planner/agg/state.h"
#include "tests/support/live.h"
#include <sched.h>
#include <sys/syscall.h>

struct pair {
	int64_t a, b;
};
struct calls {
	const struct pair *v;
	unsigned n;
	unsigned rounds;
	const int *flipped;
};

/* Until a window has ended: what is to be in two windows at least does not end before. */
static void await_flip(const int *flipped)
{
	char c;

	if (read(flipped[0], &c, 1) != 1)
		_exit(1);
}

static void make_calls(void *arg)
{
	const struct calls *c = arg;

	for (unsigned r = 0; r < c->rounds; r++) {
		for (unsigned i = 0; i < c->n; i++)
			syscall(SYS_getppid, c->v[i].a, c->v[i].b);
		if (c->flipped && r == c->rounds / 2)
			await_flip(c->flipped);
	}
}

static const int64_t edges[] = {0,
				1,
				-1,
				2,
				-2,
				3,
				6,
				7,
				63,
				64,
				65,
				127,
				128,
				129,
				255,
				256,
				1000,
				-1000,
				4095,
				4096,
				4097,
				1000000,
				-1000000,
				123456789,
				INT32_MAX,
				INT32_MIN,
				(int64_t)INT32_MAX + 1,
				1LL << 40,
				-(1LL << 40),
				(1LL << 40) + 12345,
				1LL << 62,
				-(1LL << 62),
				INT64_MAX,
				INT64_MAX - 1,
				INT64_MIN,
				INT64_MIN + 1,
				0x0123456789abcdefLL};

enum { NPAIRS = 2000 };
static struct pair pairs[NPAIRS];

static void fill_pairs(void)
{
	uint64_t x = 88172645463325252ULL;

	for (unsigned i = 0; i < NPAIRS; i++) {
		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		pairs[i].a = i < sizeof(edges) / sizeof(*edges)
				     ? edges[i]
				     : (int64_t)(x >> (x & 63)) * (x & 64 ? -1 : 1);
		pairs[i].b = (int64_t)(x >> 40) % 5;
	}
}

/* Merges what the kernel gave and what user space says, window by window, and compares every word
 * and cell. */
struct seen {
	struct rn_partials p;
	struct live *l;
	unsigned checked;
};

/* Empty cells do not count: user space keeps HyperLogLog dense. */
static void compare_cells(const char *what, const struct rn_state *got, const struct rn_state *want)
{
	unsigned i = 0, j = 0;

	for (;; i++, j++) {
		while (i < got->ncells && !got->cells[i].value)
			i++;
		while (j < want->ncells && !want->cells[j].value)
			j++;
		if (i == got->ncells || j == want->ncells)
			break;
		if (got->cells[i].bucket != want->cells[j].bucket ||
		    got->cells[i].value != want->cells[j].value)
			fail_msg("%s: cell %d holds %lld, not cell %d with %lld", what,
				 got->cells[i].bucket, (long long)got->cells[i].value,
				 want->cells[j].bucket, (long long)want->cells[j].value);
	}
	if (i != got->ncells || j != want->ncells)
		fail_msg("%s: %u cells, not %u", what, got->ncells, want->ncells);
}

static int compare(void *self, const struct rn_partials *p)
{
	struct seen *s = self;
	struct live *l = s->l;
	const struct rn_fragment *f = &l->plan->frag;

	for (unsigned i = 0; i < p->n; i++) {
		struct rn_state *want = calloc(f->naggs, sizeof(*want));
		int64_t events = 0;
		bool of_pairs = f->nkeys && !strcmp(f->keys[0]->name, "arg1");

		for (unsigned k = 0; k < f->naggs; k++)
			rn_state_init(&f->aggs[k], &want[k]);
		for (unsigned j = 0; j < NPAIRS; j++) {
			struct rn_value a = rn_int(pairs[j].a), none = rn_null();
			/* the condition of all aggregates of a part here */
			bool part = (pairs[j].a & 3) == 1;

			if (of_pairs && pairs[j].b != p->parts[i].key[0].i)
				continue;
			for (unsigned k = 0; k < f->naggs; k++)
				rn_state_update(&f->aggs[k], &want[k],
						f->aggs[k].where && !part ? &none : &a, 0,
						events == 0);
			events++;
		}
		assert_int_equal(p->parts[i].events, events);
		for (unsigned k = 0; k < f->naggs; k++) {
			const struct rn_state *got = &p->parts[i].state[k];

			assert_true(!got->words == !want[k].words);
			for (unsigned w = 0; got->words && w < rn_agg_words(f->aggs[k].def); w++)
				if (got->words[w] != want[k].words[w])
					fail_msg("%s word %u: %lld, not %lld", f->aggs[k].text, w,
						 (long long)got->words[w],
						 (long long)want[k].words[w]);
			compare_cells(f->aggs[k].text, got, &want[k]);
			rn_state_free(&f->aggs[k], &want[k]);
		}
		free(want);
		s->checked++;
	}
	return 0;
}

static void check_query(const char *query, unsigned groups)
{
	struct calls c = {pairs, NPAIRS, 1};
	struct live l;
	struct seen s = {.l = &l};

	live_run(&l, query, make_calls, &c);
	assert_int_equal(l.plan->frag.agg_place, RN_AT_KERNEL);
	rn_groups_visit(l.groups, INT64_MAX, false, compare, &s);
	assert_int_equal(s.checked, groups);
	assert_int_equal(l.ledger.n[RN_L_MATCHED], NPAIRS);
	assert_int_equal(l.ledger.n[RN_L_LOST_MAP] + l.ledger.n[RN_L_LOST_CELL], 0);
	live_free(&l);
}

static void words_are_equal(void **state)
{
	(void)state;
	check_query("count, sum(arg0), avg(arg0), min(arg0), max(arg0), stddev(arg0) of getppid",
		    1);
	check_query("stddev(arg0), max(arg0), count, min(arg0) of getppid by arg1", 5);
}

static void cells_are_equal(void **state)
{
	(void)state;
	check_query("hist(arg0), p99(arg0), quantile(arg0, 0.25) of getppid", 1);
	check_query("lhist(arg0, -1000, 5000, 7), lhist(arg0, 0, 9000000000, 3000000000), "
		    "distinct(arg0) of getppid",
		    1);
	check_query("p50(arg0), distinct(arg0), sum(arg0) of getppid by arg1", 5);
}

static int first_state(void *self, const struct rn_partials *p)
{
	*(struct rn_state **)self = p->parts[0].state;
	return 0;
}

/* Some groups have no event in the part. Groups by pid go through those that CPUs keep apart. */
static void parts_are_equal(void **state)
{
	(void)state;

	fill_pairs();
	check_query("min(arg0 where arg0 & 3 = 1), avg(arg0 where arg0 & 3 = 1), max(arg0), "
		    "stddev(arg0 where arg0 & 3 = 1), count of getppid by arg1",
		    5);
	check_query("p50(arg0 where arg0 & 3 = 1), p07(arg0), distinct(arg0 where arg0 & 3 = 1), "
		    "hist(arg0 where arg0 & 3 = 1) of getppid by arg1",
		    5);
	check_query("sum(arg0 where arg0 & 3 = 1), min(arg0 where arg0 & 3 = 1), count, "
		    "max(arg0 where arg0 & 3 = 1), min(arg0) of getppid by pid",
		    1);
	for (unsigned i = 0; i < NPAIRS; i++)
		if (pairs[i].b >= 3)
			pairs[i].a &= ~3;
	check_query("min(arg0 where arg0 & 3 = 1), max(arg0 where arg0 & 3 = 1), "
		    "avg(arg0 where arg0 & 3 = 1), p50(arg0 where arg0 & 3 = 1) of getppid by "
		    "arg1",
		    5);
}

static void first_and_last(void **state)
{
	struct calls c = {pairs, NPAIRS, 1};
	struct live l;
	struct rn_finish_ctx fin = {0};
	struct rn_state *st;

	(void)state;

	live_run(&l, "first(arg0), last(arg0) of getppid", make_calls, &c);
	rn_groups_visit(l.groups, INT64_MAX, false, first_state, &st);
	assert_int_equal(
		l.plan->frag.aggs[0].def->finish(&l.plan->frag.aggs[0], &st[0], &fin, l.a).i,
		pairs[0].a);
	assert_int_equal(
		l.plan->frag.aggs[1].def->finish(&l.plan->frag.aggs[1], &st[1], &fin, l.a).i,
		pairs[NPAIRS - 1].a);
	live_free(&l);
}

/* ---- windows ---- */

static int64_t total_events;
static int add_events(void *self, const struct rn_partials *p)
{
	(void)self;
	for (unsigned i = 0; i < p->n; i++)
		total_events += p->parts[i].events;
	return 0;
}

static void windows_add_up(void **state)
{
	int flipped[2];
	struct calls c = {pairs, NPAIRS, 200, flipped};
	struct live l;
	int64_t window = 0;

	(void)state;

	assert_int_equal(pipe(flipped), 0);
	live_plan(&l, "count, sum(arg1), hist(arg1) of getppid by arg1 every 100ms", NULL);
	live_fork(&l, make_calls, &c);
	live_start(&l);
	live_go(&l);
	while (!live_poll(&l, 5)) {
		live_flip(&l, ++window, false);
		if (window == 1)
			assert_int_equal(write(flipped[1], "x", 1), 1);
		/* a look at the half that fills: must take nothing away */
		live_flip(&l, window + 1, true);
	}
	live_flip(&l, ++window, false);
	live_end(&l);
	assert_true(window >= 2);
	assert_int_equal(l.ledger.n[RN_L_MATCHED], NPAIRS * 200);
	live_free(&l);
	close(flipped[0]);
	close(flipped[1]);
}

/* ---- overflow ---- */

static struct pair spread[1000];
static int64_t other_events;
static unsigned kept_groups;
static int split_other(void *self, const struct rn_partials *p)
{
	(void)self;
	for (unsigned i = 0; i < p->n; i++) {
		int64_t cells;

		if (p->parts[i].other)
			other_events += p->parts[i].events;
		else
			kept_groups++;
		total_events += p->parts[i].events;
		/* one cell an event, in (other) too */
		cells = 0;
		for (unsigned k = 0; k < p->parts[i].state[1].ncells; k++)
			cells += p->parts[i].state[1].cells[k].value;
		assert_int_equal(cells, p->parts[i].events);
	}
	return 0;
}

static void overflow_goes_to_other(void **state)
{
	struct calls c = {spread, 1000, 1};
	struct live l;

	(void)state;

	for (int i = 0; i < 1000; i++)
		spread[i] = (struct pair){i % 10, i};
	live_plan(&l, "count, hist(arg1) of getppid by arg0", NULL);
	l.plan->frag.max_groups = 4;
	live_fork(&l, make_calls, &c);
	live_start(&l);
	live_go(&l);
	live_end(&l);
	total_events = other_events = kept_groups = 0;
	rn_groups_visit(l.groups, INT64_MAX, false, split_other, NULL);
	assert_int_equal(total_events, 1000);
	assert_int_equal(kept_groups, 4);
	assert_int_equal(other_events, 600);
	assert_int_equal(l.ledger.n[RN_L_LOST_MAP], 600);
	assert_int_equal(l.ledger.n[RN_L_LOST_CELL], 0);
	live_free(&l);
}

static void exact_every_time(void **state)
{
	struct calls c = {pairs, NPAIRS, 5};

	(void)state;

	for (int i = 0; i < 10; i++) {
		struct live l;

		live_run(&l, "count of getppid by proc, name", make_calls, &c);
		total_events = 0;
		rn_groups_visit(l.groups, INT64_MAX, false, add_events, NULL);
		assert_int_equal(total_events, NPAIRS * 5);
		assert_int_equal(rn_groups_count(l.groups), 1);
		live_free(&l);
	}
}

/* ---- tasks that take turns on a CPU: what each counted is put away when another comes ---- */

enum { TURNS = 4, TURN_CALLS = 20000 };

static void take_turns(void *flipped)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	sched_setaffinity(0, sizeof(one), &one);
	for (int64_t k = 0; k < TURNS; k++)
		if (fork() == 0) {
			for (int64_t i = 0; i < TURN_CALLS; i++) {
				syscall(SYS_getppid, (k + 1) * 100000 + i);
				if (i % (7 + k) == 0)
					sched_yield();
			}
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
	if (flipped)
		await_flip(flipped);
}

static unsigned whole_tasks;
static int check_turns(void *self, const struct rn_partials *p)
{
	(void)self;
	for (unsigned i = 0; i < p->n; i++) {
		struct rn_state *st = p->parts[i].state;
		int64_t k = st[1].words[0] / 100000, n = TURN_CALLS;

		assert_in_range(k, 1, TURNS);
		assert_int_equal(p->parts[i].events, n);
		assert_int_equal(st[0].words[0], k * 100000 * n + n * (n - 1) / 2);
		assert_int_equal(st[1].words[0], k * 100000);
		assert_int_equal(st[2].words[0], k * 100000 + n - 1);
		whole_tasks++;
	}
	return 0;
}

static void turns_are_exact(void **state)
{
	struct live l;

	(void)state;

	live_run(&l, "sum(arg0), min(arg0), max(arg0) of getppid by pid, thread", take_turns, NULL);
	whole_tasks = 0;
	rn_groups_visit(l.groups, INT64_MAX, false, check_turns, NULL);
	assert_int_equal(whole_tasks, TURNS);
	assert_int_equal(l.ledger.n[RN_L_MATCHED], TURNS * TURN_CALLS);
	live_free(&l);
}

static void turns_in_windows(void **state)
{
	int flipped[2];
	struct live l;
	int64_t window = 0;

	(void)state;

	assert_int_equal(pipe(flipped), 0);
	live_plan(&l, "count of getppid by pid every 100ms", NULL);
	live_fork(&l, take_turns, flipped);
	live_start(&l);
	live_go(&l);
	while (!live_poll(&l, 1)) {
		live_flip(&l, ++window, false);
		if (window == 1)
			assert_int_equal(write(flipped[1], "x", 1), 1);
	}
	live_flip(&l, ++window, false);
	live_end(&l);
	assert_true(window >= 2);
	assert_int_equal(l.ledger.n[RN_L_MATCHED], TURNS * TURN_CALLS);
	live_free(&l);
	close(flipped[0]);
	close(flipped[1]);
}

static int64_t newest;
static int at_least(void *self, const struct rn_partials *p)
{
	(void)self;
	newest = 0;
	for (unsigned i = 0; i < p->n; i++)
		newest += p->parts[i].events;
	return 0;
}

/* A look while tasks take turns takes nothing away, and never shows more than there was. */
static void turns_with_looks(void **state)
{
	struct live l;
	struct rn_sink look = {.partials = at_least};

	(void)state;

	live_plan(&l, "count of getppid by pid", NULL);
	live_fork(&l, take_turns, NULL);
	live_start(&l);
	live_go(&l);
	while (!live_poll(&l, 1)) {
		assert_true(l.src->ops->deliver_window(l.src, &look, 0, true, &l.err) >= 0);
		assert_in_range(newest, 0, TURNS * TURN_CALLS);
	}
	assert_true(l.src->ops->deliver_window(l.src, &look, 0, true, &l.err) >= 0);
	assert_int_equal(newest, TURNS * TURN_CALLS);
	live_end(&l);
	assert_int_equal(l.ledger.n[RN_L_MATCHED], TURNS * TURN_CALLS);
	live_free(&l);
}

static void turns_beyond_the_limit(void **state)
{
	struct live l;

	(void)state;

	live_plan(&l, "count of getppid by pid", NULL);
	l.plan->frag.max_groups = 2;
	live_fork(&l, take_turns, NULL);
	live_start(&l);
	live_go(&l);
	live_end(&l);
	assert_int_equal(l.ledger.n[RN_L_MATCHED], TURNS * TURN_CALLS);
	assert_int_equal(l.ledger.n[RN_L_LOST_MAP], (TURNS - 2) * TURN_CALLS);
	live_free(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_equal),        cmocka_unit_test(cells_are_equal),
		cmocka_unit_test(parts_are_equal),        cmocka_unit_test(first_and_last),
		cmocka_unit_test(windows_add_up),         cmocka_unit_test(overflow_goes_to_other),
		cmocka_unit_test(exact_every_time),       cmocka_unit_test(turns_are_exact),
		cmocka_unit_test(turns_in_windows),       cmocka_unit_test(turns_with_looks),
		cmocka_unit_test(turns_beyond_the_limit),
	};

	live_require();
	fill_pairs();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
