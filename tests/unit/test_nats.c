/* test_nats.c - sessions through a real nats-server: both ways, much, many, to nobody, between strangers, over dying servers. */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>
#include "exec/nats_impl.h"
#include "tests/nats_server.h"

#define MIB (1u << 20)
enum { LIMIT_S = 120 };

static struct nats_server server;

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static struct rn_nats *open_at(const char *spec)
{
	struct rn_nats *n = NULL;
	struct rn_err err = {0};

	if (rn_nats_open(spec, &n, &err))
		fail_msg("%s: %s", spec, err.text);
	return n;
}

static struct rn_nats *agent_at(const char *spec, const char *name)
{
	struct rn_nats *n = open_at(spec);
	struct rn_err err = {0};

	if (rn_nats_listen(n, RN_NATS_AGENT, name, "1.2", &err))
		fail_msg("%s", err.text);
	return n;
}

/* One side: what it has taken in. */
struct side { struct rn_link *l; unsigned messages[RN_LANES]; size_t bytes; uint32_t sum; struct rn_err dead; bool deaf; uint64_t id; char in[200]; };

static uint32_t sum_of(const unsigned char *p, size_t n)
{
	uint32_t h = 2166136261u;

	while (n--)
		h = (h ^ *p++) * 16777619u;
	return h;
}

/* Moves what can be moved. */
static void turn(struct side *s)
{
	struct rn_message m;
	int r = 0;

	if (!s->l || s->dead.code)
		return;
	r = rn_link_pump(s->l, &s->dead);
	while (r >= 0 && !s->deaf && (r = rn_link_next(s->l, &m, &s->dead)) > 0) {
		s->messages[m.lane]++;
		s->bytes += m.n;
		s->sum = sum_of(m.bytes, m.n);
	}
	if (r < 0)
		assert_int_equal(s->dead.code, r);
}

/* Turns both until a moment has passed in which nothing was to do, or one is dead. */
static void turns(struct side *a, struct side *b)
{
	struct side *both[2] = {a, b};
	struct pollfd p[4];
	unsigned n = 0;

	for (int i = 0; i < 2; i++) {
		int fd[2];
		short ev[2];
		unsigned k;

		if (!both[i] || !both[i]->l)
			continue;
		turn(both[i]);
		if (both[i]->dead.code || both[i]->deaf)
			continue;
		k = rn_link_polls(both[i]->l, fd, ev);
		for (unsigned j = 0; j < k; j++)
			p[n++] = (struct pollfd){.fd = fd[j], .events = ev[j]};
	}
	poll(p, n, 20);
}

#define UNTIL(cond, a, b) do { \
		double end_s_ = now_s() + LIMIT_S; \
		while (!(cond) && now_s() < end_s_) \
			turns(a, b); \
		assert_true(cond); \
	} while (0)

static void begin_side(struct side *s, struct rn_transport *t)
{
	const struct nats_session *is = (const struct nats_session *)t;

	*s = (struct side){.l = rn_link_create(t, 64 * MIB), .id = is->id};
	snprintf(s->in, sizeof(s->in), "%s", is->in);
}

static void dial(struct rn_nats *c, const char *name, struct side *s)
{
	struct rn_err err = {0};
	struct rn_transport *t = rn_nats_dial(c, RN_NATS_AGENT, name, &err);

	if (!t)
		fail_msg("%s", err.text);
	begin_side(s, t);
}

static void take_call(struct rn_nats *n, struct side *s)
{
	struct rn_transport *t = NULL;
	double end_s = now_s() + LIMIT_S;

	while (!(t = rn_nats_accept(n)) && now_s() < end_s) {
		int fd[2];
		short ev[2];

		rn_nats_polls(n, fd, ev);
		poll(&(struct pollfd){.fd = fd[0], .events = ev[0]}, 1, 100);
	}
	assert_non_null(t);
	begin_side(s, t);
}

static void hang_up(struct side *s)
{
	rn_link_destroy(s->l);
	s->l = NULL;
}

static unsigned char *noise(size_t n, unsigned seed)
{
	unsigned char *p = malloc(n);

	for (size_t i = 0; i < n; i++)
		p[i] = (unsigned char)((seed = seed * 1103515245u + 12345u) >> 16);
	return p;
}

struct seen { unsigned n; char names[64][32]; enum rn_nats_kind kind[64]; };
static void found(void *self, const struct rn_nats_member *m)
{
	struct seen *s = self;

	assert_true(s->n < 64);
	assert_string_equal(m->version, "1.2");
	assert_int_equal(m->protocol, RN_NATS_PROTOCOL);
	assert_non_null(strstr(m->host, "process"));
	s->kind[s->n] = m->kind;
	snprintf(s->names[s->n++], 32, "%s", m->name);
}

static void both_ways(void **state)
{
	struct rn_nats *c = open_at(server.url), *a = agent_at(server.url, "node1.example"), *r = open_at(server.url);
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
	UNTIL(there.messages[RN_LANE_DATA] == 1 && here.messages[RN_LANE_DATA] == 1 && there.messages[0] == 1 && here.messages[0] == 1, &here, &there);
	assert_int_equal(there.bytes, 5 * MIB + 5);
	assert_int_equal(there.sum, sum_of(big, 5 * MIB));
	assert_int_equal(here.bytes, 5 * MIB);
	UNTIL(!rn_link_waiting(here.l) && !rn_link_waiting(there.l), &here, &there);
	for (int i = 0; i < 200; i++) { /* and again and again: credit comes back */
		rn_link_send(there.l, RN_LANE_DATA, 1, big, 300000);
		rn_link_send(here.l, RN_LANE_DATA, 1, big, 3000);
		if (i % 20 == 19)
			UNTIL(here.messages[1] == (unsigned)i + 2 && there.messages[1] == (unsigned)i + 2, &here, &there);
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

/* This program again, as an agent that answers each message with the same; for being killed. */
static pid_t agent_process(const char *spec, const char *name)
{
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execl("/proc/self/exe", "test_nats", "agent", spec, name, NULL);
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

	if (rn_nats_open(spec, &n, &err) || rn_nats_listen(n, RN_NATS_AGENT, name, "1.2", &err))
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

static void wait_found(struct rn_nats *c, const char *name)
{
	double end_s = now_s() + LIMIT_S;

	while (now_s() < end_s) {
		struct seen seen = {0};
		struct rn_err err = {0};

		rn_nats_discover(c, 100, found, &seen, &err);
		for (unsigned i = 0; i < seen.n; i++)
			if (!strcmp(seen.names[i], name))
				return;
	}
	fail_msg("%s is not found", name);
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
	for (int i = 0; i < 1000 && !here.dead.code; i++) { /* the server may need a moment to notice */
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

/* A cluster of two: each side at another one; then each dies once, and both sides find the other. */
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

static void same_name(void **state)
{
	struct rn_nats *c = open_at(server.url), *a = agent_at(server.url, "twin"), *b = agent_at(server.url, "twin"), *d = agent_at(server.url, "other");
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

/* Who hears of a member once does not hear of it again, until it is started again. */
static void news(void **state)
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
static void many(void **state)
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

/* A member that takes no calls: those that it cannot remember are told so. */
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
				assert_non_null(strstr(err.text, "full has no room for another session"));
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

/* What anybody may publish to where a session listens: an error for that one, not for its neighbour. */
static void garbage(void **state)
{
	static const struct { const char *kind; int code; } kinds[] = {
		{".c", -EBADMSG}, {".a", -EBADMSG}, {".q", -EBADMSG}, {".o", -EBADMSG}, {".x", -EPIPE}, {".zzz", 0}, {"", 0}, {".c.c", 0},
	};
	static const char junk[] = "runnel\n1\nsome garbage";
	static const char *const open_to_all[] = {"runnel.node.g1.dial", "runnel.who", "runnel.node.g1.x", "runnel.node.g1"};
	struct rn_nats *c = open_at(server.url), *a = agent_at(server.url, "g1"), *stranger = open_at(server.url);
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
			nats_post(stranger, NULL, open_to_all[k], "", "runnel.node.g1.dial", junk, sizeof(junk));
			nats_post(stranger, NULL, open_to_all[k], "", "runnel.asks.x", junk, sizeof(junk));
			nats_post(stranger, NULL, open_to_all[k], "", NULL, NULL, 0);
		}
		nats_post(stranger, NULL, hit->in, kinds[i / 2].kind, hit->in, junk, sizeof(junk));
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
static void lost(void **state)
{
	struct rn_nats *c = open_at(server.url), *a = agent_at(server.url, "loser");
	struct side here, there;

	(void)state;
	dial(c, "loser", &here);
	take_call(a, &there);
	rn_link_send(here.l, RN_LANE_CONTROL, 1, "ping", 4);
	UNTIL(there.messages[0] == 1, &here, &there);
	pthread_mutex_lock(&a->lock);
	nats_session_find(a, there.id)->sent += 1000; /* as if NATS had dropped it */
	nats_session_reconnected(nats_session_find(a, there.id));
	pthread_mutex_unlock(&a->lock);
	UNTIL(here.dead.code, &here, &there);
	assert_int_equal(here.dead.code, -EPIPE);
	assert_non_null(strstr(here.dead.text, "NATS has lost 1000 bytes of what loser sent"));
	hang_up(&here);
	hang_up(&there);
	rn_nats_close(c);
	rn_nats_close(a);
}

static int begin(void **state)
{
	(void)state;
	if (nats_server_present())
		nats_server_start(&server, "", 0);
	return 0;
}

static int end(void **state)
{
	(void)state;
	if (nats_server_present())
		nats_server_end(&server);
	return 0;
}

static void no_server(void **state)
{
	(void)state;
	printf("skip nats: there is no nats-server: install the package of that name\n");
	skip();
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_ways), cmocka_unit_test(slow_reader), cmocka_unit_test(nobody_there), cmocka_unit_test(agent_killed),
		cmocka_unit_test(server_killed), cmocka_unit_test(two_servers), cmocka_unit_test(same_name), cmocka_unit_test(news),
		cmocka_unit_test(many), cmocka_unit_test(no_room), cmocka_unit_test(garbage), cmocka_unit_test(lost),
	};
	const struct CMUnitTest none[] = {cmocka_unit_test(no_server)};

	if (argc == 4 && !strcmp(argv[1], "agent"))
		return be_agent(argv[2], argv[3]);
	if (!nats_server_present())
		return cmocka_run_group_tests_name("nats", none, NULL, NULL);
	return cmocka_run_group_tests_name("nats", tests, begin, end);
}
