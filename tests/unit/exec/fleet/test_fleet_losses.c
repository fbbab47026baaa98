/* test_fleet_losses.c - nodes of a fleet (fleet_lab.h) that are lost, come back or come late, alone
 * and below a relay: which windows are whole, and what the ledger says of each. */
#include "tests/unit/exec/fleet/fleet_lab.h"

static void add_whole(void *self, const struct rn_window_node *n)
{
	char *text = self;

	sprintf(text + strlen(text), "%s %u/%u%s ", n->name, n->whole, n->nodes, n->why ? "!" : "");
}

/* The members of the window that ends there: "a 0/1! b 1/1 ", with ! if there is a reason. */
static void in_window(struct lab *l, int64_t mark_ns, const char *want)
{
	char text[256] = "";

	rn_fleet_window(l->f, mark_ns, add_whole, text);
	assert_string_equal(text, want);
}

/* If a node dies, its whole windows count and nothing else. The coordinator asks it again, and the
 * ledger has both. */
static void a_dead_node_keeps_its_whole_windows(void **state)
{
	struct lab *l = running("count of io by pid every 1s", "agent");

	(void)state;
	say_events(now(l, 0), 0, 3, 0);
	say_mark(now(l, 0), 1, 1);
	say_events(now(l, 0), 1, 100, 0);
	step(l);
	kill_peer(now(l, 0));
	step(l);
	l->unreachable = 1;
	say_events(now(l, 1), 0, 1, 0);
	say_mark(now(l, 1), 5, 1);
	say_mark(now(l, 2), 5, 1);
	step(l);
	assert_true(rn_fleet_watermark(l->f) == AT(l, 5)); /* nobody waits for it */
	in_window(l, AT(l, 1), "a 1/1 b 1/1 c 1/1 ");
	in_window(l, AT(l, 5), "a 0/1! b 1/1 c 1/1 ");
	finish(l);
	assert_int_equal(l->events[0], 4);
	assert_int_equal(l->events[1], 0);
	assert_false(ledger(l, "a")->answered);
	assert_true(ledger(l, "a")->until_ns == AT(l, 1));
	assert_true(ledger(l, "a")->joined_ns == 0);
	assert_true(ledger(l, "a")->begin_ns == l->now_ns + SECOND / 10);
	assert_true(ledger(l, "b")->answered);
	lab_free(l);
}

static void a_node_that_comes_back_is_asked_again(void **state)
{
	struct lab *l = running("count of io by pid every 1s", "agent");

	(void)state;
	say_mark(now(l, 0), 1, 1);
	step(l);
	kill_peer(now(l, 0));
	await(l, 0, 2);
	say_events(now(l, 0), 7, 6, 0);
	say_mark(now(l, 0), 8, 1);
	step(l);
	in_window(l, AT(l, 8), "a 1/1 b 0/1! c 0/1! ");  /* the others have not said so much */
	in_window(l, AT(l, 1), "a 0/1! b 0/1! c 0/1! "); /* it came back in the middle of it */
	kill_peer(now(l, 0)); /* and again: what was between is not told apart */
	await(l, 0, 3);
	now(l, 0)->begin_ns = 0;
	finish(l);
	assert_int_equal(l->events[7], 6);
	assert_false(ledger(l, "a")->answered);
	assert_string_equal(l->why[0], "the connection to it was lost, and it answers again");
	assert_true(ledger(l, "a")->until_ns == AT(l, 1));
	/* what the script says of the last connection */
	assert_true(ledger(l, "a")->joined_ns == l->now_ns + SECOND / 10);
	lab_free(l);
}

/* All are lost: windows stay open for whom comes back. */
static void all_lost(void **state)
{
	struct lab *l = running("count of io by pid every 1s", "agent");

	(void)state;
	for (int i = 0; i < NODES; i++)
		say_mark(now(l, i), 1, 1);
	step(l);
	for (int i = 0; i < NODES; i++)
		kill_peer(now(l, i));
	step(l);
	assert_true(rn_fleet_watermark(l->f) < AT(l, 1)); /* late_ns is long here */
	await(l, 0, 2);
	await(l, 1, 2);
	await(l, 2, 2);
	say_events(now(l, 1), 2, 9, 0);
	finish(l);
	assert_int_equal(l->events[2], 9);
	for (int i = 0; i < NODES; i++)
		assert_true(l->l[i].until_ns == AT(l, 1) && l->l[i].n[RN_L_LATE] == 0);
	lab_free(l);
}

/* All are lost as they read a table: for whom comes back it would be read at another time. */
static void table_lost(void **state)
{
	struct lab *l = running("count of processes by pid", "agent");
	struct rn_err err = {0};

	(void)state;
	for (int i = 0; i < NODES; i++)
		kill_peer(now(l, i));
	assert_int_equal(rn_fleet_step(l->f, 0, &err), 1);
	finish(l);
	assert_false(ledger(l, "a")->answered);
	lab_free(l);
}

static void comes_late(void **state)
{
	struct lab *l = lab_new("count of io by pid every 1s", "agent");
	struct rn_err err = {0};

	(void)state;
	l->unreachable = 2;
	assert_int_equal(open_all(l, &err), 0);
	assert_int_equal(rn_fleet_start(l->f, &err), 0);
	l->unreachable = 0;
	await(l, 1, 1);
	say_events(now(l, 1), 3, 2, 0);
	finish(l);
	assert_int_equal(l->events[3], 2);
	assert_false(ledger(l, "b")->answered);
	assert_true(ledger(l, "b")->until_ns == 0);
	assert_true(ledger(l, "b")->joined_ns == l->now_ns + SECOND / 10);
	lab_free(l);
}

/* Nodes below a relay: the relay tells of each; once one has missed something, no later window of
 * the relay is whole. */
static void a_relay_that_missed_something_has_no_whole_window(void **state)
{
	struct lab *l = running("count of io by pid every 1s", "relay");
	struct rn_fleet_status s;

	(void)state;
	rn_fleet_status(l->f, &s);
	assert_int_equal(s.nodes, 2 * NODES);
	say_mark(now(l, 0), 1, 2);
	say_mark(now(l, 0), 2, 1);
	say_mark(now(l, 0), 3, 2);
	say_mark(now(l, 1), 4, 2);
	step(l);
	kill_peer(now(l, 0));
	kill_peer(now(l, 1));
	l->unreachable = 3;
	step(l);
	say_ledger(now(l, 2), "x", true, 0);
	say_ledger(now(l, 2), "y", false, AT(l, 5));
	finish(l);
	assert_true(ledger(l, "a")->until_ns == AT(l, 1));
	assert_true(ledger(l, "b")->until_ns == AT(l, 4));
	assert_true(ledger(l, "x")->answered);
	assert_false(ledger(l, "y")->answered);
	assert_true(ledger(l, "y")->joined_ns == AT(l, 5));
	lab_free(l);
}

static void take_why(void *self, const struct rn_window_node *n)
{
	if (!strcmp(n->name, "a"))
		snprintf(self, 256, "%u/%u %s", n->whole, n->nodes, n->why ? n->why : "");
}

/* A relay's statement on the nodes below it has their names, in the window and until now. So has
 * the statement on a relay that is lost. */
static void relays_names(void **state)
{
	struct lab *l = running("count of io by pid every 1s", "relay");
	struct peer *p = now(l, 0);
	char why[256] = "";

	(void)state;
	say(p, RN_LANE_DATA, p->query,
	    (struct rn_frame){.kind = RN_FRAME_WATERMARK,
			      .watermark_ns = AT(l, 1),
			      .answering = 1,
			      .whole = 1,
			      .in_window = 1,
			      .ledger.n = {[RN_L_SEEN] = 1},
			      .names = (char[]){"y (killed\033[2J)"}});
	say_mark(now(l, 1), 1, 2);
	say_mark(now(l, 2), 1, 2);
	step(l);
	rn_fleet_window(l->f, AT(l, 1), take_why, why);
	assert_string_equal(why, "1/2 not all nodes below it answer: y (killed?[2J)");
	rn_fleet_so_far(l->f, take_ledger, l);
	assert_false(ledger(l, "a")->answered);
	assert_string_equal(ledger(l, "a")->why, "not all nodes below it answer: y (killed?[2J)");
	assert_true(ledger(l, "b")->answered);
	l->nl = 0;
	say(p, RN_LANE_DATA, p->query,
	    (struct rn_frame){.kind = RN_FRAME_WATERMARK,
			      .watermark_ns = AT(l, 2),
			      .answering = 2,
			      .whole = 1,
			      .in_window = 2,
			      .ledger.n = {[RN_L_SEEN] = 1}}); /* and now all are */
	step(l);
	rn_fleet_window(l->f, AT(l, 2), take_why, why);
	assert_string_equal(why, "2/2 ");
	kill_peer(p);
	l->unreachable = 1;
	step(l);
	finish(l);
	assert_string_equal(strstr(ledger(l, "a")->why, "; below"), "; below it: x, y?");
	lab_free(l);
}

/* The relay itself was lost: what its nodes say of their own losses holds as well. */
static void relay_back(void **state)
{
	struct lab *l = running("count of io by pid every 1s", "relay");

	(void)state;
	say_mark(now(l, 0), 2, 2);
	step(l);
	kill_peer(now(l, 0));
	await(l, 0, 2);
	say_ledger(now(l, 0), "x", true, 0);
	/* it did not come back there: nothing is whole after the loss */
	say_ledger(now(l, 0), "y", false, 0);
	say_ledger(now(l, 0), "z", false, AT(l, 9));
	/* it began long after the relay and the other nodes */
	now(l, 0)->begin_ns = AT(l, 7);
	say_ledger(now(l, 0), "v", true, 0);
	finish(l);
	assert_true(ledger(l, "v")->joined_ns == AT(l, 7));
	assert_true(ledger(l, "x")->until_ns == AT(l, 2) &&
		    ledger(l, "x")->joined_ns == l->now_ns + SECOND / 10);
	assert_true(ledger(l, "y")->until_ns == AT(l, 2) && ledger(l, "y")->joined_ns == 0);
	assert_string_equal(ledger(l, "y")->node, "y");
	assert_true(ledger(l, "z")->joined_ns == AT(l, 9));
	assert_false(ledger(l, "x")->answered || ledger(l, "y")->answered ||
		     ledger(l, "z")->answered);
	lab_free(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_dead_node_keeps_its_whole_windows),
		cmocka_unit_test(a_node_that_comes_back_is_asked_again),
		cmocka_unit_test(all_lost),
		cmocka_unit_test(table_lost),
		cmocka_unit_test(comes_late),
		cmocka_unit_test(a_relay_that_missed_something_has_no_whole_window),
		cmocka_unit_test(relay_back),
		cmocka_unit_test(relays_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
