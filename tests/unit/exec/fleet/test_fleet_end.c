/* test_fleet_end.c - nodes of a fleet (fleet_lab.h) that do not end, lie about when it is, or send
 * too much. The others answer. */
#include <poll.h>
#include <time.h>
#include "tests/unit/exec/fleet/fleet_lab.h"
#include "exec/answer/room.h"
#include "lang/base/clock.h"

/* A node that goes on sending is given up at the deadline: what it said of whole windows stays. */
static void a_node_is_given_up_at_the_deadline(void **state)
{
	struct lab *l = lab_new("count of io by pid every 1s", "agent");
	struct rn_err err = {0};

	(void)state;
	rn_fleet_destroy(l->f);
	l->hosts.deadline_ns = SECOND / 20;
	l->f = rn_fleet_create(&(struct rn_fleet_opts){.hosts = &l->hosts,
						       .program = "t",
						       .asker = "t",
						       .place = place,
						       .lease_ns = 600 * SECOND,
						       .late_ns = 600 * SECOND,
						       .stop = &l->stop,
						       .dial = dial,
						       .dial_self = l});
	l->endless = 1;
	assert_int_equal(open_all(l, &err), 0);
	assert_int_equal(rn_fleet_start(l->f, &err), 0);
	say_events(now(l, 0), 0, 3, 0);
	say_mark(now(l, 0), 1, 1);
	say_events(now(l, 0), 1, 100, 0);
	say_events(now(l, 1), 0, 4, 0);
	step(l);
	finish(l); /* or never */
	assert_int_equal(l->events[0], 7);
	assert_int_equal(l->events[1], 0);
	assert_false(ledger(l, "a")->answered);
	assert_non_null(strstr(l->why[0], "its agent lives, but has not ended the query"));
	assert_true(ledger(l, "a")->until_ns == AT(l, 1));
	assert_true(ledger(l, "b")->answered && ledger(l, "c")->answered);
	assert_true(now(l, 1)->wait_ns == SECOND / 20); /* what nodes hear */
	lab_free(l);
}

/* The client's flag is raised once more: the fleet waits for nobody, and the link stays. */
static void a_second_interrupt_waits_for_nobody(void **state)
{
	struct lab *l = running("pid of io", "agent");

	(void)state;
	l->endless = 2;
	l->stop = 1; /* it has ended the query */
	l->stop_twice = true;
	finish(l);
	assert_true(ledger(l, "a")->answered && ledger(l, "c")->answered);
	assert_false(ledger(l, "b")->answered);
	assert_string_equal(l->why[1], "it had not ended the query when the end was interrupted");
	assert_false(now(l, 1)->dead);
	lab_free(l);
}

/* A node below a relay has less time than the relay. */
static void less_below(void **state)
{
	static const struct {
		int64_t own, told, want;
	} cases[] = {
		{0, 0, RN_DEADLINE_NS / 4 * 3},       {0, 8 * SECOND, 6 * SECOND},
		{3 * SECOND, 8 * SECOND, 3 * SECOND}, {30 * SECOND, 8 * SECOND, 6 * SECOND},
		{0, INT64_MAX, 2700 * SECOND},        {0, -5, RN_DEADLINE_NS / 4 * 3},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct lab *l = running("pid of io", "agent");

		l->hosts.deadline_ns = cases[i].own;
		rn_fleet_within(l->f, cases[i].told);
		finish(l);
		assert_true(now(l, 0)->wait_ns == cases[i].want);
		lab_free(l);
	}
}

/* Times that cannot be: of the beginning, of a window. */
static void other_times(void **state)
{
	struct lab *l = lab_new("count of io by pid every 1s", "agent");
	struct rn_err err = {0};

	(void)state;
	assert_int_equal(open_all(l, &err), 0);
	now(l, 0)->begin_ns = 1;
	assert_int_equal(rn_fleet_start(l->f, &err), 0);
	assert_true(rn_fleet_begin(l->f) == l->now_ns + SECOND / 10); /* that of the others */
	say_events(now(l, 1), 40 * 24 * 3600, 9, 0);
	say_events(now(l, 2), -40 * 24 * 3600, 9, 0);
	step(l);
	l->unreachable = 7;
	finish(l);
	assert_true(ledger(l, "a")->answered && ledger(l, "a")->begin_ns > l->now_ns);
	assert_non_null(strstr(l->why[1], "it sends a window that is 34559"));
	assert_non_null(strstr(l->why[2], "it sends a window that is -34560"));
	lab_free(l);
}

/* A node is read no faster than it may be; all that it sends comes, and the others are not
 * behind. */
static void a_node_is_read_no_faster_than_it_may_be(void **state)
{
	enum { RATE = 1 << 20, ROWS = 4000, FRAMES = 100 };
	struct lab *l = lab_new("pid of io", "agent");
	static struct rn_value v[ROWS];
	static int64_t times[ROWS];
	struct rn_err err = {0};
	int64_t begin, others = 0, bytes_a_row = 3;

	(void)state;
	rn_fleet_destroy(l->f);
	l->f = rn_fleet_create(&(struct rn_fleet_opts){.hosts = &l->hosts,
						       .program = "t",
						       .asker = "t",
						       .place = place,
						       .lease_ns = 600 * SECOND,
						       .late_ns = 600 * SECOND,
						       .stop = &l->stop,
						       .node_bytes_s = RATE,
						       .dial = dial,
						       .dial_self = l});
	assert_int_equal(open_all(l, &err), 0);
	assert_int_equal(rn_fleet_start(l->f, &err), 0);
	for (int i = 0; i < ROWS; i++) {
		v[i] = rn_int(100000 + i % 2); /* 3 bytes at least */
		times[i] = l->now_ns;
	}
	begin = rn_mono_ns();
	for (int k = 0; k < FRAMES; k++)
		say(now(l, 0), RN_LANE_DATA, now(l, 0)->query,
		    (struct rn_frame){.kind = RN_FRAME_ROWS, .rows = {ROWS, 1, v, times}});
	for (int k = 0; k < 200 && l->rows * bytes_a_row < 3 * RATE / 2; k++) {
		int64_t had = l->rows, elapsed;

		step(l);
		elapsed = rn_mono_ns() - begin;
		assert_true((l->rows - others) * bytes_a_row <=
			    RATE + RATE * elapsed / SECOND + ROWS * 16);
		had = l->rows;
		say(now(l, 1), RN_LANE_DATA, now(l, 1)->query,
		    (struct rn_frame){.kind = RN_FRAME_ROWS, .rows = {1, 1, v, times}});
		others++;
		step(l);
		assert_true(l->rows > had); /* that one is there at once */
		poll(NULL, 0, 5);
	}
	finish(l);
	assert_int_equal(l->rows, (int64_t)FRAMES * ROWS + others);
	assert_true(ledger(l, "a")->answered && ledger(l, "b")->answered);
	lab_free(l);
}

static void no_node_takes_all_the_memory(void **state)
{
	struct rn_room *all = rn_room_create(1000, NULL), *one = rn_room_create(0, all),
		       *two = rn_room_create(0, all);
	int64_t held[3] = {0};

	(void)state;
	while (rn_room_take(one, 5, 10))
		held[0] += 10;
	assert_in_range(held[0], 780, 800); /* four fifths */
	while (rn_room_take(two, 900, 10))
		held[1] += 10;
	assert_in_range(held[1], 130, 170); /* of the rest */
	while (rn_room_take(all, 0, 1))
		held[2]++;
	assert_true(held[2] > 0);
	assert_false(rn_room_over(all));
	assert_false(rn_room_take(all, 7, 1001));
	rn_room_put(two, 2000);
	assert_true(rn_room_over(one) && rn_room_over(all));
	rn_room_put(two, -2000);
	rn_room_destroy(one); /* what it has taken can be taken again */
	held[0] = 0;
	while (rn_room_take(two, 5, 10))
		held[0] += 10;
	assert_in_range(held[0], 500, 780);
	rn_room_destroy(two);
	rn_room_destroy(all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_node_is_given_up_at_the_deadline),
		cmocka_unit_test(a_second_interrupt_waits_for_nobody),
		cmocka_unit_test(less_below),
		cmocka_unit_test(other_times),
		cmocka_unit_test(a_node_is_read_no_faster_than_it_may_be),
		cmocka_unit_test(no_node_takes_all_the_memory),
	};

	return cmocka_run_group_tests_name("fleet_end", tests, NULL, NULL);
}
