/* test_clock.c - clocks of simulated nodes: whatever the delays, the aligned time is as close to
 * the truth as is said, and what was sent precedes what was received from it. No timing; all seeds
 * are fixed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>
#include "exec/clock/clock_impl.h"

#define S 1000000000.0
static const int64_t epoch_ns = 1760000000000000000;

/* A clock as a function of the true time t (ns from the start): offset, rate, and a remainder whose
 * slope is at most `wobble`. */
struct sim {
	double offset_ns, rate, wobble, period_ns;
};
struct net {
	double least_ns, jitter_there_ns, jitter_back_ns;
};

static uint64_t seed;

static double uniform(void) /* splitmix64 */
{
	uint64_t z = seed += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return (double)((z ^ z >> 31) >> 11) / 9007199254740992.0;
}

static double between(double lo, double hi)
{
	return lo + (hi - lo) * uniform();
}

static double delay(double least, double jitter)
{
	return least - jitter * log(1 - uniform());
}

static int64_t show(const struct sim *k, double t)
{
	double wobble = k->period_ns ? k->wobble * k->period_ns / (2 * M_PI) *
					       sin(2 * M_PI * t / k->period_ns)
				     : 0;

	return epoch_ns + (int64_t)floor(t + k->offset_ns + k->rate * t + wobble);
}

static struct sim random_clock(void)
{
	return (struct sim){between(-3600 * S, 3600 * S), between(-0.01, 0.01), between(0, 4e-6),
			    between(1 * S, 60 * S)};
}

static struct net random_net(void)
{
	double scale = pow(10, between(4, 8)); /* 10 us to 100 ms */

	return (struct net){scale * between(0.1, 1), scale * uniform(),
			    scale * uniform() * (uniform() < 0.5 ? 0.01 : 1)};
}

static void trip(struct rn_clocks *c, const struct sim *coord, unsigned node, const struct sim *k,
		 const struct net *net, double t)
{
	double at = t + delay(net->least_ns, net->jitter_there_ns),
	       back = at + delay(net->least_ns, net->jitter_back_ns);

	rn_clocks_trip(c, node, show(coord, t), show(k, at), show(coord, back));
}

/* The bound of one alignment, which is asserted to hold. */
static int64_t check(struct rn_clocks *c, const struct sim *coord, unsigned node,
		     const struct sim *k, double t)
{
	int64_t bound, truth = show(coord, t), at = rn_clocks_align(c, node, show(k, t), &bound);

	assert_true(bound >= 0);
	if (llabs(at - truth) > bound)
		fail_msg("at %.3f s: wrong by %lld ns, said to be at most %lld", t / S,
			 (long long)(at - truth), (long long)bound);
	return bound;
}

static void a_name_keeps_its_number(void **state)
{
	struct rn_clocks *c = rn_clocks_create();
	char name[16];

	(void)state;
	for (unsigned round = 0; round < 2; round++)
		for (unsigned i = 0; i < 1000; i++) {
			snprintf(name, sizeof(name), "node%u", i);
			assert_int_equal(rn_clocks_node(c, name), i);
			assert_string_equal(rn_clocks_name(c, i), name);
		}
	assert_int_equal(rn_clocks_count(c), 1000);
	rn_clocks_destroy(c);
}

static void nothing_known(void **state)
{
	struct rn_clocks *c = rn_clocks_create();
	unsigned a = rn_clocks_node(c, "a"), here = rn_clocks_node(c, "here");
	struct rn_clock_state s;
	int64_t bound;

	(void)state;
	rn_clocks_same(c, here);
	assert_int_equal(rn_clocks_align(c, a, epoch_ns, &bound), epoch_ns);
	assert_int_equal(bound, RN_CLOCK_UNKNOWN_NS);
	rn_clocks_state(c, a, &s);
	assert_int_equal(s.bound_ns, RN_CLOCK_UNKNOWN_NS);
	assert_int_equal(rn_clocks_align(c, here, epoch_ns, &bound), epoch_ns);
	assert_int_equal(bound, 0);
	rn_clocks_trip(c, here, 1, 2, 3); /* is not needed */
	rn_clocks_state(c, here, &s);
	assert_int_equal(s.bound_ns, 0);
	assert_int_equal(s.offset_ns, 0);
	rn_clocks_trip(c, a, 10, 5, 9); /* nonsense */
	rn_clocks_state(c, a, &s);
	assert_int_equal(s.trips, 0);
	rn_clocks_destroy(c);
}

/* One trip: the middle of it, wrong by half of it at most. */
static void one_trip(void **state)
{
	struct rn_clocks *c = rn_clocks_create();
	unsigned a = rn_clocks_node(c, "a");
	struct rn_clock_state s;
	int64_t bound;

	(void)state;
	rn_clocks_trip(c, a, epoch_ns, epoch_ns + 3600000000000, epoch_ns + 100000);
	assert_int_equal(rn_clocks_align(c, a, epoch_ns + 3600000000000, &bound), epoch_ns + 50000);
	assert_int_equal(bound, 50001);
	rn_clocks_state(c, a, &s);
	assert_int_equal(s.offset_ns, 3600000000000 - 50000);
	assert_int_equal(s.trips, 1);
	/* a second later it may be wrong by 2.5 % more */
	rn_clocks_align(c, a, epoch_ns + 3601000000000, &bound);
	assert_in_range(bound, 25000000, 25200000);
	rn_clocks_destroy(c);
}

/* Bounds hold while trips come in, for times before, between and after them; times of a node stay
 * in order. */
static void bounds_hold(void **state)
{
	(void)state;
	for (unsigned run = 0; run < 300; run++) {
		struct rn_clocks *c = rn_clocks_create();
		struct sim coord, k;
		struct net net;
		unsigned a = rn_clocks_node(c, "a");
		double every, now = 0;
		struct rn_clock_state s;
		int64_t last = INT64_MIN, at, bound;

		seed = run;
		coord = random_clock();
		k = random_clock();
		net = random_net();
		every = between(0.05 * S, 2 * S);
		for (unsigned i = 0; i < 60; i++) {
			trip(c, &coord, a, &k, &net, now);
			for (unsigned j = 0; j < 20; j++)
				check(c, &coord, a, &k, between(-5 * S, now + 5 * S));
			now += every * between(0.5, 1.5);
		}
		rn_clocks_state(c, a, &s);
		for (double t = -10 * S; t < now + 10 * S; t += 0.037 * S) {
			at = rn_clocks_align(c, a, show(&k, t), &bound);
			assert_true(at >= last);
			last = at;
			check(c, &coord, a, &k, t);
			if (t > net.least_ns * 20 && t < now - every * 2 - net.least_ns * 20)
				assert_true(bound <= s.bound_ns);
		}
		assert_int_equal(s.breaks, 0);
		assert_int_equal(s.trips, 60);
		assert_true(fabs(s.rate_ppm - ((1 + k.rate) / (1 + coord.rate) - 1) * 1e6) <
			    20 + 4e6 * net.least_ns / now +
				    4e6 * (net.jitter_there_ns + net.jitter_back_ns) / now);
		rn_clocks_destroy(c);
	}
}

/* Half a minute of trips over an ordinary network: well below a millisecond, and the rate within a
 * few ppm. */
static void close_enough(void **state)
{
	struct rn_clocks *c = rn_clocks_create();
	struct sim coord = {0}, k = {3600 * S, 0.01, 0, 0};
	struct net net = {60e3, 80e3, 20e3};
	unsigned a = rn_clocks_node(c, "a");
	struct rn_clock_state s;

	(void)state;
	seed = 5;
	for (double t = 0; t < 30 * S; t += 0.5 * S)
		trip(c, &coord, a, &k, &net, t);
	rn_clocks_state(c, a, &s);
	assert_true(s.bound_ns > 0 && s.bound_ns < 200000);
	assert_true(fabs(s.rate_ppm - 10000) < 10);
	assert_true(llabs(s.offset_ns - (show(&k, 29.5 * S) - show(&coord, 29.5 * S))) < 200000);
	assert_true(check(c, &coord, a, &k, 10 * S) < 100000);
	rn_clocks_destroy(c);
}

/* ---- messages ---- */

enum { NODES = 5, MESSAGES = 3000 };
struct message {
	unsigned from, to;
	double sent, received;
};

static unsigned wrong_order(struct rn_clocks *c, const struct sim *k, const struct message *m,
			    unsigned n)
{
	unsigned wrong = 0;

	for (unsigned i = 0; i < n; i++)
		wrong += rn_clocks_align(c, m[i].from, show(&k[m[i].from], m[i].sent), NULL) >
			 rn_clocks_align(c, m[i].to, show(&k[m[i].to], m[i].received), NULL);
	return wrong;
}

static uint64_t violations(struct rn_clocks *c)
{
	struct rn_clock_state s;
	uint64_t n = 0;

	for (unsigned i = 0; i < rn_clocks_count(c); i++) {
		rn_clocks_state(c, i, &s);
		n += s.violations;
	}
	return n;
}

/* Trips over a slow, lopsided network, messages over a fast one: the middles of the trips
 * contradict many messages, and after reconciliation none. */
static void causality_holds(void **state)
{
	static struct message m[MESSAGES];
	static struct rn_clock_message all[MESSAGES];
	unsigned naive = 0;

	(void)state;
	for (unsigned run = 0; run < 40; run++) {
		struct rn_clocks *c = rn_clocks_create(), *trips = rn_clocks_create();
		struct sim coord, k[NODES];
		struct net net[NODES];
		char name[NODES][8];
		unsigned n = run % 3 == 0 ? 300 : MESSAGES, done = 0;

		seed = run;
		coord = random_clock();
		for (unsigned i = 0; i < NODES; i++) {
			k[i] = random_clock();
			net[i] = (struct net){1e6, between(0, 1e8), between(0, 1e8)};
			snprintf(name[i], sizeof(name[i]), "n%u", i);
			assert_int_equal(rn_clocks_node(c, name[i]), i);
			assert_int_equal(rn_clocks_node(trips, name[i]), i);
		}
		for (unsigned i = 0; i < n; i++) {
			m[i].from = (unsigned)(uniform() * NODES);
			m[i].to = (m[i].from + 1 + (unsigned)(uniform() * (NODES - 1))) % NODES;
			m[i].sent = 30 * S * i / n;
			m[i].received = m[i].sent + delay(20e3, 100e3);
		}
		/* as they come in: trips and messages */
		for (double t = 0; t < 30 * S; t += S / 2) {
			for (unsigned i = 0; i < NODES; i++) {
				trip(c, &coord, i, &k[i], &net[i], t);
				trip(trips, &coord, i, &k[i], &net[i], t);
			}
			for (; done < n && m[done].received < t; done++)
				rn_clocks_message(c, m[done].from,
						  show(&k[m[done].from], m[done].sent), m[done].to,
						  show(&k[m[done].to], m[done].received));
		}
		rn_clocks_reconcile(c);
		assert_int_equal(violations(c), 0);
		assert_true(wrong_order(c, k, m, done) <= done / 100);
		for (unsigned i = 0; i < done; i++)
			all[i] = (struct rn_clock_message){m[i].from, m[i].to,
							   show(&k[m[i].from], m[i].sent),
							   show(&k[m[i].to], m[i].received)};
		assert_int_equal(rn_clocks_settle(c, all, done), 0);
		assert_int_equal(wrong_order(c, k, m, done), 0);
		naive += wrong_order(trips, k, m, done);
		for (unsigned i = 0; i < 2000; i++) {
			unsigned node = i % NODES;

			check(c, &coord, node, &k[node], between(-S, 31 * S));
		}
		rn_clocks_destroy(c);
		rn_clocks_destroy(trips);
	}
	assert_true(naive > 10000);
}

/* Messages in both directions are enough for a node that no trip reaches. */
static void messages_only(void **state)
{
	struct rn_clocks *c = rn_clocks_create();
	struct sim coord = {0},
		   k[2] = {{-1800 * S, 0.004, 1e-6, 10 * S}, {3600 * S, -0.01, 1e-6, 7 * S}};
	struct net net = {50e3, 50e3, 50e3};
	unsigned a = rn_clocks_node(c, "a"), b = rn_clocks_node(c, "b");
	int64_t bound;
	double t;

	(void)state;
	seed = 77;
	for (t = 0; t < 10 * S; t += 0.1 * S) {
		trip(c, &coord, a, &k[0], &net, t);
		rn_clocks_message(c, a, show(&k[0], t), b, show(&k[1], t + delay(10e3, 30e3)));
		if (t == 0) {
			rn_clocks_align(c, b, show(&k[1], t), &bound);
			assert_int_equal(bound, RN_CLOCK_UNKNOWN_NS);
		}
		rn_clocks_message(c, b, show(&k[1], t), a, show(&k[0], t + delay(10e3, 30e3)));
	}
	rn_clocks_reconcile(c);
	assert_int_equal(violations(c), 0);
	for (t = 0; t < 12 * S; t += 0.011 * S)
		check(c, &coord, b, &k[1], t);
	assert_true(check(c, &coord, b, &k[1], 5 * S) < 300000);
	rn_clocks_destroy(c);
}

/* Nodes behind a relay, whose clock is not ours: bounds hold, and messages between them too. */
static void behind_a_relay(void **state)
{
	(void)state;
	for (unsigned run = 0; run < 40; run++) {
		struct rn_clocks *c = rn_clocks_create();
		struct sim coord, k[3];
		struct net near = {20e3, 50e3, 50e3}, far = {1e6, 3e6, 1e6};
		unsigned relay = rn_clocks_node(c, "relay"), a = rn_clocks_node(c, "a"),
			 b = rn_clocks_node(c, "b");
		struct rn_clock_state s;
		double now;

		seed = 500 + run;
		coord = random_clock();
		for (unsigned i = 0; i < 3; i++)
			k[i] = random_clock();
		for (now = 0; now < 30 * S; now += S / 4) {
			trip(c, &coord, relay, &k[0], &far, now);
			for (unsigned i = 1; i < 3; i++) {
				double at = now + delay(near.least_ns, near.jitter_there_ns),
				       back = at + delay(near.least_ns, near.jitter_back_ns);

				rn_clocks_trip_through(c, relay, show(&k[0], now), i,
						       show(&k[i], at), show(&k[0], back));
			}
			rn_clocks_message(c, a, show(&k[1], now), b,
					  show(&k[2], now + delay(10e3, 50e3)));
			for (unsigned i = 0; i < 10; i++)
				check(c, &coord, i % 3, &k[i % 3], between(-S, now + S));
		}
		rn_clocks_reconcile(c);
		assert_int_equal(violations(c), 0);
		for (double t = 0; t < 30 * S; t += 0.1 * S)
			for (unsigned i = 0; i < 3; i++)
				check(c, &coord, i, &k[i], t);
		rn_clocks_state(c, b, &s);
		assert_int_equal(s.trips, 120);
		assert_int_equal(s.messages, 120);
		assert_true(s.bound_ns > 0 && s.bound_ns < 20e6);
		rn_clocks_destroy(c);
	}
}

/* A pair that was matched wrongly and cannot be is counted; it moves nothing. One that could be is
 * found out by what follows. */
static void false_matches(void **state)
{
	struct rn_clocks *c = rn_clocks_create();
	struct sim coord = {0}, k[2] = {{-1800 * S, 0.004, 0, 0}, {3600 * S, -0.01, 0, 0}};
	struct net net = {50e3, 50e3, 50e3}, slow = {50e6, 50e6, 50e6};
	unsigned a = rn_clocks_node(c, "a"), b = rn_clocks_node(c, "b");
	struct rn_clock_state s;
	double t;

	(void)state;
	seed = 78;
	for (t = 0; t < 5 * S; t += 0.1 * S) {
		trip(c, &coord, a, &k[0], &net, t);
		trip(c, &coord, b, &k[1], &slow, t);
	}
	rn_clocks_message(c, a, show(&k[0], 3 * S), b, show(&k[1], 2 * S));
	rn_clocks_message(c, a, show(&k[0], 3 * S), b, show(&k[1], 3 * S + 1e5));
	rn_clocks_message(c, b, show(&k[1], 3 * S), b, show(&k[1], 3 * S + 1e5));
	rn_clocks_reconcile(c);
	rn_clocks_state(c, b, &s);
	assert_int_equal(s.violations, 1);
	assert_int_equal(s.messages, 3);
	for (t = 0; t < 5 * S; t += 0.01 * S)
		check(c, &coord, b, &k[1], t);
	/* 10 ms too early: within what the slow trips allow */
	rn_clocks_message(c, a, show(&k[0], 4 * S), b, show(&k[1], 4 * S - 10e6));
	for (t = 5 * S; t < 20 * S; t += 0.1 * S)
		trip(c, &coord, b, &k[1], &net, t);
	rn_clocks_reconcile(c);
	rn_clocks_state(c, b, &s);
	assert_int_equal(s.violations, 2);
	assert_int_equal(s.breaks, 0);
	for (t = 0; t < 20 * S; t += 0.01 * S)
		check(c, &coord, b, &k[1], t);
	rn_clocks_destroy(c);
}

/* ---- clocks that are not as assumed ---- */

/* A virtual machine that is suspended: its clock stands still. Its times before and after are
 * right, those at the break uncertain. */
static void a_suspended_clock_is_uncertain_only_at_the_break(void **state)
{
	struct rn_clocks *c = rn_clocks_create();
	struct sim coord = {0}, before = {100 * S, 0.005, 1e-6, 9 * S},
		   after = {70 * S, 0.005, 1e-6, 9 * S};
	struct net net = {50e3, 50e3, 50e3};
	unsigned a = rn_clocks_node(c, "a");
	struct rn_clock_state s;
	int64_t bound;
	double t;

	(void)state;
	seed = 9;
	for (t = 0; t < 20 * S; t += S)
		trip(c, &coord, a, &before, &net, t);
	for (t = 50 * S; t < 70 * S; t += S)
		trip(c, &coord, a, &after, &net, t);
	for (t = 0; t < 19 * S; t += 0.1 * S)
		assert_true(check(c, &coord, a, &before, t) < S);
	for (t = 51 * S; t < 72 * S; t += 0.1 * S)
		assert_true(check(c, &coord, a, &after, t) < S);
	for (t = 19 * S; t < 20 * S; t += 0.1 * S)
		check(c, &coord, a, &before, t);
	rn_clocks_align(c, a, show(&before, 19.5 * S), &bound);
	assert_true(bound > 10 * S);
	rn_clocks_state(c, a, &s);
	assert_int_equal(s.breaks, 1);
	assert_true(s.bound_ns > 10 * S);
	rn_clocks_destroy(c);
}

/* An agent that is started again has another clock: near the old one, or an hour behind. Times of
 * the old one stay right as long as something distinguishes the two. That is no break. */
static void a_restarted_agent_has_another_clock(void **state)
{
	static const double jump[] = {1000, 5 * S, -3600 * S};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct rn_clocks *c = rn_clocks_create();
		struct sim coord = {0}, before = {100 * S, 0.005, 1e-6, 9 * S}, after = before;
		struct net net = {50e3, 50e3, 50e3};
		unsigned a = rn_clocks_node(c, "a");
		struct rn_clock_state s;
		double t;

		seed = 12 + i;
		after.offset_ns += jump[i];
		rn_clocks_restart(c, a); /* nothing was known */
		for (t = 0; t < 10 * S; t += S / 2)
			trip(c, &coord, a, &before, &net, t);
		rn_clocks_restart(c, a);
		for (t = 20 * S; t < 30 * S; t += S / 2)
			trip(c, &coord, a, &after, &net, t);
		for (t = 0; t < 9 * S && jump[i] >= 0; t += 0.1 * S)
			assert_true(check(c, &coord, a, &before, t) < S);
		for (t = 21 * S; t < 30 * S; t += 0.1 * S)
			assert_true(check(c, &coord, a, &after, t) < S);
		rn_clocks_state(c, a, &s);
		assert_int_equal(s.breaks, 0);
		assert_int_equal(s.trips, 40);
		rn_clocks_destroy(c);
	}
}

/* What a node's clock shows at a time of ours is what is aligned with that time. */
static void other_way(void **state)
{
	(void)state;
	for (unsigned run = 0; run < 50; run++) {
		struct rn_clocks *c = rn_clocks_create();
		struct sim coord, k;
		struct net net;
		unsigned a = rn_clocks_node(c, "a");

		seed = 1000 + run;
		coord = random_clock();
		k = random_clock();
		net = random_net();
		assert_int_equal(rn_clocks_show(c, a, 12345), 12345); /* nothing is known */
		for (double t = 0; t < 10 * S; t += S)
			trip(c, &coord, a, &k, &net, t);
		for (double t = -S; t < 60 * S; t += S) {
			int64_t n = rn_clocks_show(c, a, show(&coord, t));

			assert_true(llabs(rn_clocks_align(c, a, n, NULL) - show(&coord, t)) < 1000);
		}
		rn_clocks_destroy(c);
	}
}

/* A clock that runs 6 % slow, and one whose rate changes by 200 ppm: what was assumed is widened,
 * and then bounds hold. */
static void odd_rates(void **state)
{
	struct rn_clocks *c = rn_clocks_create();
	struct sim coord = {0}, slow = {-5 * S, -0.06, 0, 0},
		   swings = {5 * S, 0.001, 200e-6, 20 * S};
	struct net net = {50e3, 50e3, 50e3};
	unsigned a = rn_clocks_node(c, "a"), b = rn_clocks_node(c, "b");
	struct rn_clock_state s;
	double t;

	(void)state;
	seed = 10;
	for (t = 0; t < 60 * S; t += S / 4) {
		trip(c, &coord, a, &slow, &net, t);
		trip(c, &coord, b, &swings, &net, t);
	}
	for (t = 0; t < 60 * S; t += 0.1 * S) {
		check(c, &coord, a, &slow, t);
		check(c, &coord, b, &swings, t);
	}
	rn_clocks_state(c, a, &s);
	assert_int_equal(s.breaks, 0);
	assert_true(fabs(s.rate_ppm + 60000) < 50);
	rn_clocks_state(c, b, &s);
	assert_int_equal(s.breaks, 0);
	assert_true(s.bound_ns < 10000000);
	rn_clocks_destroy(c);
}

/* A day of trips and messages: memory is limited, the latest times are known as well as after a
 * minute. */
static void long_query(void **state)
{
	struct rn_clocks *c = rn_clocks_create();
	struct sim coord = {0},
		   k[2] = {{-1800 * S, 0.004, 1e-6, 1000 * S}, {3600 * S, -0.01, 2e-6, 7000 * S}};
	struct net net = {50e3, 500e3, 50e3};
	int64_t bound = 0;
	double t;

	(void)state;
	seed = 11;
	rn_clocks_node(c, "a");
	rn_clocks_node(c, "b");
	for (t = 0; t < 86400 * S; t += S) {
		unsigned from = uniform() < 0.5;

		for (unsigned i = 0; i < 2; i++) {
			trip(c, &coord, i, &k[i], &net, t);
			if (fmod(t, 600 * S) == 0)
				bound = check(c, &coord, i, &k[i], t);
		}
		rn_clocks_message(c, from, show(&k[from], t), 1 - from,
				  show(&k[1 - from], t + delay(10e3, 100e3)));
	}
	rn_clocks_reconcile(c);
	assert_true(bound > 0 && bound < 500000);
	for (unsigned i = 0; i < 2; i++) {
		assert_true(c->node[i].nkept <= RN_KEPT_MESSAGES);
		assert_int_equal(c->node[i].ntracks, 1);
		assert_true(c->node[i].track->up.n <= RN_HULL_POINTS);
		assert_true(c->node[i].track->down.n <= RN_HULL_POINTS);
		for (t = 0; t < 86400 * S; t += 60.7 * S)
			check(c, &coord, i, &k[i], t);
	}
	rn_clocks_destroy(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_keeps_its_number),
		cmocka_unit_test(nothing_known),
		cmocka_unit_test(one_trip),
		cmocka_unit_test(bounds_hold),
		cmocka_unit_test(close_enough),
		cmocka_unit_test(causality_holds),
		cmocka_unit_test(messages_only),
		cmocka_unit_test(behind_a_relay),
		cmocka_unit_test(false_matches),
		cmocka_unit_test(a_suspended_clock_is_uncertain_only_at_the_break),
		cmocka_unit_test(a_restarted_agent_has_another_clock),
		cmocka_unit_test(other_way),
		cmocka_unit_test(odd_rates),
		cmocka_unit_test(long_query),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
