/* test_nats_who.c - who is believed: cards of a stranger at a real nats-server, beside agents that
 * are what they say. */
#include "lang/base/memory.h"
#include "tests/unit/exec/fleet/nats_sides.h"

/* A stranger publishes a card, as if in answer to the last question of c. */
static void claim(struct rn_nats *stranger, const struct rn_nats *c, enum rn_nats_kind kind,
		  const char *name)
{
	char *subject = rn_asprintf("%s.asks.%s.who.%u", c->prefix, c->instance, c->round);
	char *card =
		rn_asprintf("runnel\n1\n%s\n%016llx\n1.2\nstranger, process 1\n%s\n",
			    rn_nats_kind_token[kind], (unsigned long long)rn_nats_random(), name);

	pthread_mutex_lock(&stranger->lock);
	rn_nats_post(stranger, NULL, subject, "", NULL, card, strlen(card));
	pthread_mutex_unlock(&stranger->lock);
	free(subject);
	free(card);
}

static unsigned waiting(struct rn_nats *c, unsigned *names)
{
	unsigned n;

	pthread_mutex_lock(&c->lock);
	n = c->waiting_names;
	*names = c->doubted + c->believed + c->beyond;
	pthread_mutex_unlock(&c->lock);
	return n;
}

/* Until so many names were announced, and each of them is answered for or not. */
static void await_names(struct rn_nats *c, unsigned names)
{
	double end_s = now_s() + LIMIT_S;
	unsigned n = 0;

	while ((waiting(c, &n) || n < names) && now_s() < end_s)
		poll(NULL, 0, 5);
	assert_int_equal(n, names);
}

static void is_found(struct rn_nats *c, const char *names)
{
	struct seen seen = {0};
	struct rn_err err = {0};
	char text[512] = "";

	assert_int_equal(rn_nats_heard(c, found, &seen, &err), 0);
	for (unsigned i = 0; i < seen.n; i++)
		sprintf(text + strlen(text), "%s%s", i ? " " : "", seen.names[i]);
	assert_string_equal(text, names);
}

static void doubts_are(struct rn_nats *c, const char *want)
{
	char text[480];

	rn_nats_doubts(c, text, sizeof(text));
	assert_string_equal(text, want);
}

static void a_forged_card_is_no_member(void **state)
{
	struct rn_nats *c = open_at(server.url), *a = agent_at(server.url, "n1"),
		       *stranger = open_at(server.url);
	struct rn_err err = {0};

	(void)state;
	assert_int_equal(rn_nats_ask(c, &err), 0);
	claim(stranger, c, RN_NATS_AGENT, "n1");
	claim(stranger, c, RN_NATS_RELAY, "n1");
	claim(stranger, c, RN_NATS_AGENT, "ghost");
	await_names(c, 3);
	is_found(c, "n1");
	is_found(c, ""); /* once: the stranger is no twin */
	for (int i = 0; i < 3; i++)
		claim(stranger, c, RN_NATS_AGENT, "n1");
	claim(stranger, c, RN_NATS_AGENT, "another");
	await_names(c, 4);
	is_found(c, "");
	/* a new round: what was doubted is forgotten, but not that it was */
	assert_int_equal(rn_nats_ask(c, &err), 0);
	claim(stranger, c, RN_NATS_AGENT, "ghost");
	await_names(c, 2);
	is_found(c, "");
	pthread_mutex_lock(&c->lock);
	assert_int_equal(c->doubts.names, 3);
	pthread_mutex_unlock(&c->lock);
	rn_nats_close(a);
	rn_nats_close(c);
	rn_nats_close(stranger);
}

static void names_that_no_node_may_have_are_ignored(void **state)
{
	char longest[66];
	struct rn_nats *c = open_at(server.url), *stranger = open_at(server.url);
	struct rn_err err = {0};

	(void)state;
	memset(longest, 'x', 64);
	longest[64] = 0;
	assert_int_equal(rn_nats_ask(c, &err), 0);
	doubts_are(c, "");
	claim(stranger, c, RN_NATS_AGENT,
	      "a\xc2\x9b"
	      "2J");
	claim(stranger, c, RN_NATS_AGENT,
	      "a\xe2\x80\xae"
	      "b");
	claim(stranger, c, RN_NATS_AGENT, "a\033[2J");
	claim(stranger, c, RN_NATS_AGENT, "");
	claim(stranger, c, RN_NATS_AGENT, longest);
	longest[64] = 'x';
	longest[65] = 0;
	claim(stranger, c, RN_NATS_AGENT, longest);
	longest[64] = 0;
	claim(stranger, c, RN_NATS_AGENT, "a b.c>*");
	await_names(c, 2);
	pthread_mutex_lock(&c->lock);
	assert_int_equal(c->doubted, 2);
	pthread_mutex_unlock(&c->lock);
	is_found(c, "");
	rn_nats_close(c);
	rn_nats_close(stranger);
}

/* More names than are looked at: the agent that was asked before them is found, they are counted,
 * and the next round begins again. */
static void a_flood_of_names_hides_no_agent(void **state)
{
	struct rn_nats *c = open_at(server.url), *a = agent_at(server.url, "n1"),
		       *stranger = open_at(server.url);
	struct rn_err err = {0};
	char name[32], text[480];

	(void)state;
	assert_int_equal(rn_nats_ask(c, &err), 0);
	await_names(c, 1);
	for (unsigned i = 0; i < NATS_NAMES_MAX + 500; i++) {
		snprintf(name, sizeof(name), "f%u", i);
		claim(stranger, c, RN_NATS_AGENT, name);
	}
	await_names(c, NATS_NAMES_MAX + 501);
	is_found(c, "n1");
	rn_nats_doubts(c, text, sizeof(text));
	assert_non_null(strstr(
		text, "and 9997 more: these names were announced, but nobody answers under them"));
	assert_non_null(strstr(text, "and 500 cards were not looked at"));
	assert_int_equal(rn_nats_ask(c, &err), 0);
	claim(stranger, c, RN_NATS_AGENT, "f0");
	await_names(c, 2);
	rn_nats_close(a);
	rn_nats_close(c);
	rn_nats_close(stranger);
}

/* Questions that are no calls: an agent opens no session for them. */
static void asked_only(void **state)
{
	struct rn_nats *c = open_at(server.url), *a = agent_at(server.url, "n1");
	struct rn_err err = {0};

	(void)state;
	for (int i = 0; i < 50; i++) {
		struct seen seen = {0};

		rn_nats_discover(c, 20, found, &seen, &err);
	}
	wait_found(c, "n1");
	assert_null(rn_nats_accept(a));
	rn_nats_close(a);
	rn_nats_close(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_forged_card_is_no_member),
		cmocka_unit_test(names_that_no_node_may_have_are_ignored),
		cmocka_unit_test(a_flood_of_names_hides_no_agent), cmocka_unit_test(asked_only)};
	const struct CMUnitTest none[] = {cmocka_unit_test(no_server)};

	if (!nats_server_present())
		return cmocka_run_group_tests_name("nats_who", none, NULL, NULL);
	return cmocka_run_group_tests_name("nats_who", tests, begin, end);
}
