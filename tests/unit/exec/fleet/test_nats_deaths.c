/* test_nats_deaths.c - sessions through a real nats-server when an agent or a server dies. */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/unit/exec/fleet/nats_sides.h"

/* This program again, as an agent that answers each message with the same; for being killed. */
static pid_t agent_process(const char *spec, const char *name)
{
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execl("/proc/self/exe", "test_nats_deaths", "agent", spec, name, NULL);
		_exit(127);
	}
	return pid;
}

static int be_agent(const char *spec, const char *name)
{
	struct rn_nats *n = NULL;
	struct rn_err err = {0};
	struct rn_transport *t;
	struct rn_link *l = NULL;
	struct rn_message m;

	if (open_soon(spec, &n, &err) || rn_nats_listen(n, RN_NATS_AGENT, name, "1.2", &err))
		return 1;
	for (;;) {
		struct pollfd p;
		int fd[2];
		short ev[2];

		rn_nats_polls(n, fd, ev);
		if (l)
			rn_link_polls(l, fd, ev);
		p = (struct pollfd){.fd = fd[0], .events = ev[0]};
		poll(&p, 1, 50);
		if (!l && (t = rn_nats_accept(n)))
			l = rn_link_create(t, 64 * MIB);
		while (l && rn_link_next(l, &m, &err) > 0)
			rn_link_send(l, m.lane, m.query, m.bytes, m.n);
		if (l && rn_link_pump(l, &err) < 0) {
			rn_link_destroy(l);
			l = NULL;
		}
	}
}

static void agent_killed(void **state)
{
	struct rn_nats *c = open_at(server.url);
	pid_t pid = agent_process(server.url, "victim");
	struct side here;

	(void)state;
	wait_found(c, "victim");
	dial(c, "victim", &here);
	rn_link_send(here.l, RN_LANE_CONTROL, 1, "ping", 4);
	UNTIL(here.messages[0] == 1, &here, NULL);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	/* the server may need a moment to notice */
	for (int i = 0; i < 1000 && !here.dead.code; i++) {
		rn_link_send(here.l, RN_LANE_CONTROL, 1, "ping", 4);
		turns(&here, NULL);
	}
	assert_int_equal(here.dead.code, -EPIPE);
	assert_non_null(strstr(here.dead.text, "victim has gone"));
	hang_up(&here);
	rn_nats_close(c);
}

static void server_killed(void **state)
{
	struct nats_server s = {0};
	struct rn_nats *c, *a;
	struct side here, there, later;

	(void)state;
	nats_server_start(&s, "", 0);
	c = open_at(s.url);
	a = agent_at(s.url, "phoenix");
	dial(c, "phoenix", &here);
	take_call(a, &there);
	rn_link_send(here.l, RN_LANE_CONTROL, 1, "ping", 4);
	UNTIL(there.messages[0] == 1, &here, &there);
	nats_server_kill(&s);
	rn_link_send(there.l, RN_LANE_DATA, 1, "while it is dead", 16);
	turns(&here, &there);
	nats_server_again(&s);
	/* What was said then comes, or the link says why not. */
	UNTIL(here.dead.code || here.messages[RN_LANE_DATA] == 1, &here, &there);
	if (here.dead.code)
		assert_non_null(strstr(here.dead.text, "phoenix"));
	hang_up(&here);
	wait_found(c, "phoenix"); /* connected again by itself */
	hang_up(&there);
	dial(c, "phoenix", &later);
	take_call(a, &there);
	rn_link_send(later.l, RN_LANE_CONTROL, 1, "ping", 4);
	UNTIL(there.messages[0] == 1, &later, &there);
	hang_up(&later);
	hang_up(&there);
	rn_nats_close(c);
	rn_nats_close(a);
	nats_server_end(&s);
}

/* A cluster of two: each side at another one; then each dies once, and both sides find the
 * other. */
static void two_servers(void **state)
{
	struct nats_server one = {.cluster = 1}, two = {0};
	struct rn_nats *c, *a;
	char both[200];

	(void)state;
	nats_server_start(&one, "", 0);
	nats_server_start(&two, "", one.cluster);
	snprintf(both, sizeof(both), "%s,%s", one.url, two.url);
	c = open_at(one.url);
	a = agent_at(two.url, "far");
	wait_found(c, "far");
	rn_nats_close(c);
	rn_nats_close(a);
	c = open_at(both);
	a = agent_at(both, "near");
	assert_string_equal(rn_nats_servers(c), both);
	for (int i = 0; i < 2; i++) {
		struct nats_server *victim = i ? &two : &one;
		struct side here, there;
		unsigned char *big = noise(3 * MIB, 11);

		wait_found(c, "near");
		nats_server_kill(victim);
		wait_found(c, "near");
		dial(c, "near", &here);
		take_call(a, &there);
		rn_link_send(there.l, RN_LANE_DATA, 1, big, 3 * MIB);
		UNTIL(here.messages[RN_LANE_DATA] == 1, &here, &there);
		assert_int_equal(here.sum, sum_of(big, 3 * MIB));
		hang_up(&here);
		hang_up(&there);
		free(big);
		nats_server_again(victim);
	}
	rn_nats_close(c);
	rn_nats_close(a);
	nats_server_end(&one);
	nats_server_end(&two);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agent_killed),
		cmocka_unit_test(server_killed),
		cmocka_unit_test(two_servers),
	};
	const struct CMUnitTest none[] = {cmocka_unit_test(no_server)};

	if (argc == 4 && !strcmp(argv[1], "agent"))
		return be_agent(argv[2], argv[3]);
	if (!nats_server_present())
		return cmocka_run_group_tests_name("nats_deaths", none, NULL, NULL);
	return cmocka_run_group_tests_name("nats_deaths", tests, begin, end);
}
