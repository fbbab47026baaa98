/* test_slide.c - windows that overlap, against the same parts merged one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "exec/groups/slide.h"
#include "lang/base/arena.h"
#include "planner/agg/state.h"

enum { PARTS = 400, EVERY = 10, MOST = 512 };

static struct rn_arena *arena;
static struct rn_agg_call aggs[3];

static int set_up(void **state)
{
	(void)state;
	arena = rn_arena_create(1 << 20);
	aggs[0] = (struct rn_agg_call){.def = rn_agg_find("count")};
	aggs[1] = (struct rn_agg_call){.def = rn_agg_find("sum")};
	aggs[2] = (struct rn_agg_call){.def = rn_agg_find("max")};
	for (int i = 1; i < 3; i++)
		aggs[i].arg = rn_expr_ref(arena, RN_E_COLUMN, 0, (struct rn_ty){RN_T_INT, 0});
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	rn_arena_destroy(arena);
	return 0;
}

/* Event i of a part, the same each time: some keys live long, some come once. */
static void update(struct rn_groups *g, int64_t window_ns, int part, int i)
{
	struct rn_value key = rn_int(i % 3 ? i % 5 : part), arg[3];

	arg[1] = arg[2] = rn_int((part * 7 + i * 13) % 101 - 50);
	rn_groups_update(g, window_ns, &key, arg, 0);
}

static int events_of(int part)
{
	return part % 4 == 3 ? 0 : part % 11 + 1;
}

struct list {
	int64_t window_ns;
	unsigned n;
	int64_t key[MOST], events[MOST], sum[MOST], max[MOST];
};

static int note(void *self, const struct rn_partials *p)
{
	struct list *l = self;

	for (uint32_t i = 0; i < p->n; i++, l->n++) {
		assert_true(l->n < MOST);
		l->window_ns = p->window_ns;
		l->key[l->n] = p->parts[i].key[0].i;
		l->events[l->n] = p->parts[i].events;
		assert_int_equal(p->parts[i].state[0].words[0], p->parts[i].events);
		l->sum[l->n] = p->parts[i].state[1].words[0];
		l->max[l->n] = p->parts[i].state[2].words[0];
	}
	return 0;
}

static int add(void *self, const struct rn_partials *p)
{
	assert_int_equal(rn_slide_add(self, p), 0);
	return 0;
}

static int add_some(void *self, const struct rn_partials *p)
{
	assert_true(rn_slide_add(self, p) <= 2);
	return 0;
}

/* The groups of parts [from, to), from the events. */
static struct list truth(int from, int to)
{
	struct rn_groups *g = rn_groups_create(aggs, 3, 1, 1 << 16);
	struct list l = {0};

	for (int part = from < 0 ? 0 : from; part < to; part++)
		for (int i = 0; i < events_of(part); i++)
			update(g, 0, part, i);
	rn_groups_visit(g, INT64_MAX, false, note, &l);
	rn_groups_destroy(g);
	return l;
}

static void check_length(int length)
{
	struct rn_slide *slide = rn_slide_create(aggs, 3, 1, 1 << 16);
	int64_t moved = 0;

	for (int part = 0; part < PARTS; part++) {
		struct rn_groups *g = rn_groups_create(aggs, 3, 1, 1 << 16);
		struct list got = {0}, want = truth(part + 1 - length, part + 1);
		int64_t from = (int64_t)(part + 1 - length) * EVERY;

		for (int i = 0; i < events_of(part); i++)
			update(g, (int64_t)part * EVERY, part, i);
		rn_groups_visit(g, INT64_MAX, false, add, slide);
		rn_groups_destroy(g);
		assert_int_equal(rn_slide_window(slide, from, from, note, &got, &moved), 0);
		assert_int_equal(got.n, want.n);
		assert_true(!got.n || got.window_ns == from);
		assert_memory_equal(got.key, want.key, sizeof(got.key));
		assert_memory_equal(got.events, want.events, sizeof(got.events));
		assert_memory_equal(got.sum, want.sum, sizeof(got.sum));
		assert_memory_equal(got.max, want.max, sizeof(got.max));
	}
	assert_int_equal(moved, 0);
	rn_slide_window(slide, INT64_MAX, 0, note, &(struct list){0}, &moved);
	assert_true(rn_slide_empty(slide));
	assert_int_equal(rn_slide_groups(slide), 0);
	rn_slide_destroy(slide);
}

static void windows_of_any_length(void **state)
{
	static const int lengths[] = {1, 2, 3, 7, 10, 60, PARTS, 3600};

	(void)state;
	for (unsigned i = 0; i < sizeof(lengths) / sizeof(*lengths); i++)
		check_length(lengths[i]);
	rn_slide_destroy(NULL);
}

/* Beyond the limit of groups, events go to (other) and are counted. */
static void there_is_no_room(void **state)
{
	struct rn_slide *slide = rn_slide_create(aggs, 3, 1, 4);
	struct rn_groups *g = rn_groups_create(aggs, 3, 1, 1 << 16);
	struct rn_value arg[3] = {0};
	struct list l = {0};
	int64_t moved = 0, lost = 0;

	(void)state;
	for (int i = 0; i < 6; i++) {
		struct rn_value key = rn_int(i);

		arg[1] = arg[2] = rn_int(1);
		rn_groups_update(g, i / 3 * EVERY, &key, arg, 0);
	}
	rn_groups_visit(g, INT64_MAX, false, add_some, slide);
	rn_slide_window(slide, 0, 0, note, &l, &moved);
	for (unsigned i = 0; i < l.n; i++)
		lost += l.events[i];
	assert_int_equal(lost, 6); /* all are there, two of them as (other) */
	assert_int_equal(l.n, 5);
	rn_groups_destroy(g);
	rn_slide_destroy(slide);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(windows_of_any_length, set_up, tear_down),
		cmocka_unit_test_setup_teardown(there_is_no_room, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
