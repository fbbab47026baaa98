/* test_nats.c - sessions through a real nats-server: both ways, much, many, to nobody, between
 * strangers. */
#include <sys/resource.h>
#include <unistd.h>
#include "tests/unit/exec/fleet/nats_sides.h"

static void both_ways(void **state)
{
	struct rn_nats *c = open_at(server.url), *a = agent_at(server.url, "node1.example"),
		       *r = open_at(server.url);
	struct side here, there;
	struct seen seen = {0};
	struct rn_err err = {0};
	unsigned char *big = noise(5 * MIB, 7);

	(void)state;
	assert_int_equal(rn_nats_listen(r, RN_NATS_RELAY, "node1.example", "1.2", &err), 0);
	assert_int_equal(rn_nats_discover(c, 300, found, &seen, &err), 0);
	assert_int_equal(seen.n, 2);
	assert_string_equal(seen.names[0], "node1.example");
	assert_int_equal(seen.kind[0], RN_NATS_AGENT);
	assert_int_equal(seen.kind[1], RN_NATS_RELAY);
	dial(c, "node1.example", &here);
	take_call(a, &there);
	rn_link_send(here.l, RN_LANE_CONTROL, 1, "hello", 5);
	rn_link_send(here.l, RN_LANE_DATA, 1, big, 5 * MIB);
	rn_link_send(there.l, RN_LANE_DATA, 1, big, 5 * MIB);
	rn_link_send(there.l, RN_LANE_CONTROL, 1, "", 0);
	UNTIL(there.messages[RN_LANE_DATA] == 1 && here.messages[RN_LANE_DATA] == 1 &&
		      there.messages[0] == 1 && here.messages[0] == 1,
	      &here, &there);
	assert_int_equal(there.bytes, 5 * MIB + 5);
	assert_int_equal(there.sum, sum_of(big, 5 * MIB));
	assert_int_equal(here.bytes, 5 * MIB);
	UNTIL(!rn_link_waiting(here.l) && !rn_link_waiting(there.l), &here, &there);
	for (int i = 0; i < 200; i++) { /* and again and again: credit comes back */
		rn_link_send(there.l, RN_LANE_DATA, 1, big, 300000);
		rn_link_send(here.l, RN_LANE_DATA, 1, big, 3000);
		if (i % 20 == 19)
			UNTIL(here.messages[1] == (unsigned)i + 2 &&
				      there.messages[1] == (unsigned)i + 2,
			      &here, &there);
	}
	hang_up(&there);
	UNTIL(here.dead.code, &here, NULL);
	assert_int_equal(here.dead.code, -EPIPE);
	assert_non_null(strstr(here.dead.text, "node1.example has closed it"));
	hang_up(&here);
	free(big);
	rn_nats_close(r);
	rn_nats_close(a);
	rn_nats_close(c);
}

static size_t held(struct rn_nats *n)
{
	size_t v;

	pthread_mutex_lock(&n->lock);
	v = n->held;
	pthread_mutex_unlock(&n->lock);
	return v;
}

/* A side that does not read holds the other one back: nothing is lost, and little is held. */
static void slow_reader(void **state)
{
	struct rn_nats *c = open_at(server.url), *a = agent_at(server.url, "slow");
	struct side here, there;
	unsigned char *big = noise(8 * MIB, 3);

	(void)state;
	dial(c, "slow", &here);
	take_call(a, &there);
	here.deaf = true;
	for (int i = 0; i < 4; i++)
		rn_link_send(there.l, RN_LANE_DATA, 1, big, 8 * MIB);
	UNTIL(held(c) >= 3 * MIB, &here, &there);
	for (int i = 0; i < 20; i++)
		turns(&here, &there);
	assert_true(held(c) <= RN_NATS_WINDOW);
	assert_true(rn_link_waiting(there.l) > 24 * MIB);
	here.deaf = false;
	UNTIL(here.messages[RN_LANE_DATA] == 4, &here, &there);
	assert_int_equal(here.sum, sum_of(big, 8 * MIB));
	UNTIL(held(c) == 0 && !rn_link_waiting(there.l), &here, &there);
	hang_up(&here);
	hang_up(&there);
	free(big);
	rn_nats_close(c);
	rn_nats_close(a);
}

static void nobody_there(void **state)
{
	struct rn_nats *c = open_at(server.url);
	struct side here;
	struct seen seen = {0};
	struct rn_err err = {0};

	(void)state;
	dial(c, "node 7", &here);
	UNTIL(here.dead.code, &here, NULL);
	assert_int_equal(here.dead.code, -EHOSTUNREACH);
	assert_non_null(strstr(here.dead.text, "node 7 is not there"));
	assert_non_null(strstr(here.dead.text, server.url));
	hang_up(&here);
	assert_int_equal(rn_nats_discover(c, 50, found, &seen, &err), 0);
	assert_int_equal(seen.n, 0);
	rn_nats_close(c);
}

static void same_name(void **state)
{
	struct rn_nats *c = open_at(server.url), *a = agent_at(server.url, "twin"),
		       *b = agent_at(server.url, "twin"), *d = agent_at(server.url, "other");
	struct seen seen = {0};
	struct rn_err err = {0};
	struct side here, there, dead;

	(void)state;
	assert_int_equal(rn_nats_discover(c, 500, found, &seen, &err), -EEXIST);
	assert_non_null(strstr(err.text, "two agents are called twin: "));
	assert_non_null(strstr(err.text, ", and "));
	assert_int_equal(seen.n, 2); /* `other`, and one of them */
	dial(c, "twin", &dead);
	UNTIL(dead.dead.code, &dead, NULL);
	assert_int_equal(dead.dead.code, -EEXIST);
	dial(c, "other", &here);
	take_call(d, &there);
	rn_link_send(here.l, RN_LANE_CONTROL, 1, "ping", 4);
	UNTIL(there.messages[0] == 1, &here, &there);
	hang_up(&dead);
	hang_up(&here);
	hang_up(&there);
	rn_nats_close(a);
	rn_nats_close(b);
	rn_nats_close(c);
	rn_nats_close(d);
}

/* A coordinator hears of a member once, and not again until it is started again. */
static void a_member_is_reported_once_a_life(void **state)
{
	struct rn_nats *c = open_at(server.url), *a = agent_at(server.url, "n1");
	struct rn_err err = {0};
	struct seen seen = {0};

	(void)state;
	for (int life = 1; life <= 2; life++) {
		double end_s = now_s() + LIMIT_S;

		while (seen.n < (unsigned)life && now_s() < end_s) {
			assert_int_equal(rn_nats_ask(c, &err), 0);
			poll(NULL, 0, 20);
			assert_int_equal(rn_nats_heard(c, found, &seen, &err), 0);
		}
		assert_int_equal(seen.n, life);
		assert_int_equal(rn_nats_heard(c, found, &seen, &err), 0);
		assert_int_equal(seen.n, life);
		rn_nats_close(a);
		a = agent_at(server.url, "n1");
	}
	rn_nats_close(a);
	rn_nats_close(c);
}

/* Thousands of sessions cost one subscription. */
static void many_sessions_need_one_subscription(void **state)
{
	enum { N = 400 };
	struct rn_nats *c = open_at(server.url), *a = agent_at(server.url, "many");
	static struct side here[N], there[N];

	(void)state;
	for (int i = 0; i < N; i++) {
		dial(c, "many", &here[i]);
		rn_link_send(here[i].l, RN_LANE_CONTROL, (uint32_t)i, &i, sizeof(i));
	}
	for (int i = 0; i < N; i++)
		take_call(a, &there[i]);
	for (int i = 0; i < N; i++) {
		double end_s = now_s() + LIMIT_S;

		while (!there[i].messages[0] && now_s() < end_s) {
			for (int k = 0; k < N; k++) {
				turn(&here[k]);
				turn(&there[k]);
			}
			poll(NULL, 0, 1);
		}
		assert_int_equal(there[i].messages[0], 1);
	}
	assert_int_equal(c->nsub, 1);
	assert_int_equal(a->nsub, 2);
	for (int i = 0; i < N; i++) {
		hang_up(&here[i]);
		hang_up(&there[i]);
	}
	rn_nats_close(c);
	rn_nats_close(a);
}

/* A member that takes no calls says so to those that it cannot remember. */
static void no_room(void **state)
{
	enum { N = NATS_ACCEPT_MAX + 3 };
	struct rn_nats *c, *a;
	static struct rn_transport *t[N];
	unsigned turned_away = 0;
	double end_s = now_s() + LIMIT_S;
	struct rlimit l;

	(void)state;
	if (getrlimit(RLIMIT_NOFILE, &l) || l.rlim_max < 4 * N)
		skip(); /* this machine does not permit so many descriptors */
	l.rlim_cur = l.rlim_max;
	setrlimit(RLIMIT_NOFILE, &l);
	c = open_at(server.url);
	a = agent_at(server.url, "full");
	for (int i = 0; i < N; i++) {
		struct rn_err err = {0};

		t[i] = rn_nats_dial(c, RN_NATS_AGENT, "full", &err);
		if (!t[i])
			fail_msg("%s", err.text);
	}
	while (turned_away < N - NATS_ACCEPT_MAX && now_s() < end_s) {
		turned_away = 0;
		for (int i = 0; i < N; i++) {
			const unsigned char *chunk;
			struct rn_err err = {0};
			size_t n;

			if (t[i]->ops->recv(t[i], &chunk, &n, &err) < 0) {
				assert_non_null(
					strstr(err.text, "full has no room for another session"));
				turned_away++;
			}
		}
		poll(NULL, 0, 10);
	}
	assert_int_equal(turned_away, N - NATS_ACCEPT_MAX);
	for (int i = 0; i < N; i++)
		t[i]->ops->close(t[i]);
	rn_nats_close(c);
	rn_nats_close(a);
}

/* What anybody may publish to where a session listens: an error for that one, not for its
 * neighbour. */
static void garbage_ends_its_session_alone(void **state)
{
	static const struct {
		const char *kind;
		int code;
	} kinds[] = {
		{".c", -EBADMSG}, {".a", -EBADMSG}, {".q", -EBADMSG}, {".o", -EBADMSG},
		{".x", -EPIPE},   {".zzz", 0},      {"", 0},          {".c.c", 0},
	};
	static const char junk[] = "runnel\n1\nsome garbage";
	static const char *const open_to_all[] = {"runnel.node.g1.dial", "runnel.who",
						  "runnel.node.g1.x", "runnel.node.g1"};
	struct rn_nats *c = open_at(server.url), *a = agent_at(server.url, "g1"),
		       *stranger = open_at(server.url);
	struct side other, other_end;

	(void)state;
	dial(c, "g1", &other);
	take_call(a, &other_end);
	for (unsigned i = 0; i < 2 * sizeof(kinds) / sizeof(*kinds); i++) {
		struct side here, there, *hit = i % 2 ? &here : &there;
		int code = kinds[i / 2].code;

		dial(c, "g1", &here);
		take_call(a, &there);
		rn_link_send(here.l, RN_LANE_CONTROL, 1, "ping", 4);
		UNTIL(there.messages[0] == 1, &here, &there);
		pthread_mutex_lock(&stranger->lock);
		for (unsigned k = 0; k < sizeof(open_to_all) / sizeof(*open_to_all); k++) {
			rn_nats_post(stranger, NULL, open_to_all[k], "", "runnel.node.g1.dial",
				     junk, sizeof(junk));
			rn_nats_post(stranger, NULL, open_to_all[k], "", "runnel.asks.x", junk,
				     sizeof(junk));
			rn_nats_post(stranger, NULL, open_to_all[k], "", NULL, NULL, 0);
		}
		rn_nats_post(stranger, NULL, hit->in, kinds[i / 2].kind, hit->in, junk,
			     sizeof(junk));
		pthread_mutex_unlock(&stranger->lock);
		if (code) {
			UNTIL(hit->dead.code, &here, &there);
			assert_int_equal(hit->dead.code, code);
		} else {
			rn_link_send(here.l, RN_LANE_CONTROL, 1, "ping", 4);
			UNTIL(there.messages[0] == 2, &here, &there);
		}
		hang_up(&here);
		hang_up(&there);
	}
	rn_link_send(other.l, RN_LANE_CONTROL, 1, "ping", 4);
	UNTIL(other_end.messages[0] == 1, &other, &other_end);
	hang_up(&other);
	hang_up(&other_end);
	rn_nats_close(stranger);
	rn_nats_close(c);
	rn_nats_close(a);
}

/* A chunk that never comes is missed at the next word of the other side. */
static void a_lost_chunk_is_missed_at_the_next_word(void **state)
{
	struct rn_nats *c = open_at(server.url), *a = agent_at(server.url, "loser");
	struct side here, there;

	(void)state;
	dial(c, "loser", &here);
	take_call(a, &there);
	rn_link_send(here.l, RN_LANE_CONTROL, 1, "ping", 4);
	UNTIL(there.messages[0] == 1, &here, &there);
	pthread_mutex_lock(&a->lock);
	rn_nats_session_find(a, there.id)->sent += 1000; /* as if NATS had dropped it */
	rn_nats_session_reconnected(rn_nats_session_find(a, there.id));
	pthread_mutex_unlock(&a->lock);
	UNTIL(here.dead.code, &here, &there);
	assert_int_equal(here.dead.code, -EPIPE);
	assert_non_null(strstr(here.dead.text, "NATS has lost 1000 bytes of what loser sent"));
	hang_up(&here);
	hang_up(&there);
	rn_nats_close(c);
	rn_nats_close(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_ways),
		cmocka_unit_test(slow_reader),
		cmocka_unit_test(nobody_there),
		cmocka_unit_test(same_name),
		cmocka_unit_test(a_member_is_reported_once_a_life),
		cmocka_unit_test(many_sessions_need_one_subscription),
		cmocka_unit_test(no_room),
		cmocka_unit_test(garbage_ends_its_session_alone),
		cmocka_unit_test(a_lost_chunk_is_missed_at_the_next_word),
	};
	const struct CMUnitTest none[] = {cmocka_unit_test(no_server)};

	if (!nats_server_present())
		return cmocka_run_group_tests_name("nats", none, NULL, NULL);
	return cmocka_run_group_tests_name("nats", tests, begin, end);
}
