/* test_fleet.c - a query over nodes that are scripted (fleet_lab.h): what counts of what they say,
 * and what becomes of one that is behind, refuses, or sends what it must not. Nodes that are lost:
 * test_fleet_losses.c. */
#include "tests/unit/exec/fleet/fleet_lab.h"

/* Statements on a window count once the window is whole. */
static void a_window_counts_once_it_is_whole(void **state)
{
	struct lab *l = running("count of io by pid every 1s", "agent");

	(void)state;
	say_events(now(l, 0), 0, 3, 0);
	say_events(now(l, 0), 0, 4, 0);
	say_events(now(l, 1), 0, 10, 0);
	step(l);
	assert_int_equal(l->events[0], 0);
	assert_true(rn_fleet_watermark(l->f) == INT64_MIN);
	say_mark(now(l, 0), 1, 1);
	step(l);
	assert_int_equal(l->events[0], 7);
	assert_true(rn_fleet_watermark(l->f) == INT64_MIN);
	say_mark(now(l, 1), 1, 1);
	say_mark(now(l, 2), 2, 1);
	step(l);
	assert_int_equal(l->events[0], 17);
	assert_true(rn_fleet_watermark(l->f) == AT(l, 1));
	rn_fleet_so_far(l->f, take_ledger, l);
	assert_int_equal(l->nl, NODES);
	for (int i = 0; i < NODES; i++)
		assert_true(l->l[i].answered && l->l[i].n[RN_L_SEEN] == 1 &&
			    l->l[i].n[RN_L_LOST_RING] == 2);
	l->nl = 0;
	say_events(now(l, 2), 2, 1, 0); /* the end makes it whole */
	finish(l);
	assert_int_equal(l->events[2], 1);
	assert_int_equal(l->nl, NODES);
	for (int i = 0; i < NODES; i++)
		assert_true(l->l[i].answered && !l->l[i].until_ns && !l->l[i].joined_ns);
	lab_free(l);
}

/* Windows that were delivered without a node, as it was behind: what comes for them is counted, and
 * the ledger says which they are. */
static void what_comes_after_its_window_is_counted(void **state)
{
	struct lab *l = running("count of io by pid every 1s", "agent");

	(void)state;
	for (int i = 0; i < NODES; i++)
		say_mark(now(l, i), 3, 1);
	step(l);
	assert_true(rn_fleet_watermark(l->f) == AT(l, 3));
	say_events(now(l, 0), 1, 20, 0); /* against what it said */
	say_events(now(l, 0), 2, 2, 0);
	say_events(now(l, 0), 3, 1, 0);
	say_mark(now(l, 0), 4, 1);
	step(l);
	finish(l);
	assert_int_equal(l->events[1] + l->events[2], 0);
	assert_int_equal(l->events[3], 1);
	assert_int_equal(ledger(l, "a")->n[RN_L_LATE], 22);
	assert_false(ledger(l, "a")->answered);
	assert_true(ledger(l, "a")->until_ns == AT(l, 1));
	assert_true(ledger(l, "a")->joined_ns == AT(l, 3));
	assert_true(ledger(l, "b")->answered);
	lab_free(l);
}

static void a_peek_that_comes_too_late_is_dropped(void **state)
{
	struct lab *l = running("count of io by pid every 1s", "agent");
	struct rn_sink sink = {.self = l, .rows = take_rows, .partials = take_peek};
	struct rn_err err = {0};

	(void)state;
	assert_int_equal(rn_fleet_peek(l->f, &sink, &err), 0);
	assert_int_equal(l->peeked, 15);
	/* an answer that comes too late is nobody's */
	say_events(now(l, 0), 0, 50, now(l, 0)->peeked);
	say_mark(now(l, 0), 1, 1);
	step(l);
	assert_int_equal(l->peeked, 15);
	assert_int_equal(l->events[0], 0);
	finish(l);
	lab_free(l);
}

/* What a node must not send costs it its link, and nobody else anything. */
static void misbehaviour(struct peer *p, int how)
{
	struct rn_value v[2] = {rn_int(1), rn_strn("x", 1)};
	int64_t time_ns = 1;
	struct rn_state s;
	/* a text, where the key is a number */
	struct rn_partial one = {.key = &v[1], .events = 1, .state = &s};
	struct rn_frame rows = {.kind = RN_FRAME_ROWS,
				.rows = {.nrows = 1, .ncols = 2, .values = v, .time_ns = &time_ns}};

	memset(&s, 0, sizeof(s));
	rn_state_init(p->lab->p->frag.aggs, &s);
	switch (how) {
	case 0: say(p, RN_LANE_DATA, p->query, rows); break;
	case 1:
		say(p, RN_LANE_DATA, p->query,
		    (struct rn_frame){
			    .kind = RN_FRAME_PARTIALS,
			    .partials = {.window_ns = AT(p->lab, 0), .n = 1, .parts = &one}});
		break;
	case 2:
		one.key = &v[0];
		say(p, RN_LANE_DATA, p->query,
		    (struct rn_frame){.kind = RN_FRAME_PARTIALS,
				      .partials = {.window_ns = 5, .n = 1, .parts = &one}});
		break;
	case 3:
		say(p, RN_LANE_CONTROL, p->query, (struct rn_frame){.kind = RN_FRAME_STARTED});
		break;
	case 4:
		say(p, RN_LANE_CONTROL, p->query, (struct rn_frame){.kind = RN_FRAME_ACCEPTED});
		break;
	case 5:
		say(p, RN_LANE_CONTROL, 0,
		    (struct rn_frame){.kind = RN_FRAME_HELLO,
				      .hello = {.kind = "agent",
						.program = "",
						.name = "",
						.asker = "",
						.place = ""}});
		break;
	case 6: say(p, RN_LANE_CONTROL, p->query, (struct rn_frame){.kind = RN_FRAME_STOP}); break;
	case 7:
		say_ledger(p, "x", true, 0);
		say_ledger(p, "x", true, 0);
		break;
	case 8:
		say_end(p);
		say_events(p, 0, 1, 0);
		break;
	case 9:
		rn_link_send(p->l, RN_LANE_DATA, p->query, "\xff\xff\xff", 3);
		rn_link_pump(p->l, &(struct rn_err){0});
		break;
	default:
		rn_link_send(p->l, RN_LANE_DATA, p->query, "", 0);
		rn_link_pump(p->l, &(struct rn_err){0});
		break;
	}
}

static void a_node_that_breaks_the_protocol_is_dropped(void **state)
{
	(void)state;
	for (int how = 0; how <= 10; how++) {
		struct lab *l = running("count of io by pid every 1s", "agent");
		struct rn_fleet_status s;

		l->unreachable = 7;
		misbehaviour(now(l, 1), how);
		say_events(now(l, 0), 0, 3, 0);
		step(l);
		rn_fleet_status(l->f, &s);
		if (s.attached != NODES - 1 && how != 8)
			fail_msg("%d: %u nodes are attached", how, s.attached);
		finish(l);
		assert_int_equal(l->events[0], 3);
		assert_true(ledger(l, "a")->answered);
		assert_true(ledger(l, "c")->answered);
		if (how != 8 && (ledger(l, "b")->answered || !l->why[1][0]))
			fail_msg("%d: the ledger says nothing", how);
		lab_free(l);
	}
}

static void a_fleet_whose_nodes_refuse_says_why(void **state)
{
	struct lab *l = lab_new("count of io by pid every 1s", "agent");
	struct rn_err err = {0};

	(void)state;
	l->refuses[0] = l->refuses[1] = true;
	assert_int_equal(open_all(l, &err), 0);
	assert_int_equal(rn_fleet_start(l->f, &err), 0);
	finish(l);
	assert_string_equal(l->why[0], "its policy says no");
	assert_true(ledger(l, "c")->answered);
	lab_free(l);
	l = lab_new("count of io by pid every 1s", "agent");
	l->refuses[0] = l->refuses[1] = l->refuses[2] = true;
	assert_true(open_all(l, &err) < 0);
	assert_string_equal(err.text, "none of 3 nodes answers; nodes a, b, c: its policy says no");
	rn_fleet_close(l->f);
	lab_free(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_window_counts_once_it_is_whole),
		cmocka_unit_test(what_comes_after_its_window_is_counted),
		cmocka_unit_test(a_peek_that_comes_too_late_is_dropped),
		cmocka_unit_test(a_node_that_breaks_the_protocol_is_dropped),
		cmocka_unit_test(a_fleet_whose_nodes_refuse_says_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
