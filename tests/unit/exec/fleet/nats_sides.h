/* nats_sides.h - for tests of sessions through a real nats-server: a side that takes in what comes,
 * and both of them turned until something is so. Static functions, as they fail the test that
 * includes them. */
#ifndef RN_TESTS_UNIT_EXEC_FLEET_NATS_SIDES_H
#define RN_TESTS_UNIT_EXEC_FLEET_NATS_SIDES_H
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>
#include "exec/nats/nats_impl.h"
#include "tests/support/nats_server.h"

#define MIB (1u << 20)
enum { LIMIT_S = 120 };

static struct nats_server server; /* of the whole program: from begin to end */

static inline double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* As rn_nats_open; again where a server stood still for as long as is waited for it. */
static inline int open_soon(const char *spec, struct rn_nats **n, struct rn_err *err)
{
	double end_s = now_s() + LIMIT_S;
	int r;

	do {
		*err = (struct rn_err){0};
		r = rn_nats_open(spec, n, err);
	} while (r &&
		 (strstr(err->text, "answers only now") ||
		  strstr(err->text, "answers there within")) &&
		 now_s() < end_s);
	return r;
}

static inline struct rn_nats *open_at(const char *spec)
{
	struct rn_nats *n = NULL;
	struct rn_err err = {0};

	if (open_soon(spec, &n, &err))
		fail_msg("%s: %s", spec, err.text);
	return n;
}

static inline struct rn_nats *agent_at(const char *spec, const char *name)
{
	struct rn_nats *n = open_at(spec);
	struct rn_err err = {0};

	if (rn_nats_listen(n, RN_NATS_AGENT, name, "1.2", &err))
		fail_msg("%s", err.text);
	return n;
}

/* One side: what it has taken in. */
struct side {
	struct rn_link *l;
	unsigned messages[RN_LANES];
	size_t bytes;
	uint32_t sum;
	struct rn_err dead;
	bool deaf;
	uint64_t id;
	char in[200];
};

static inline uint32_t sum_of(const unsigned char *p, size_t n)
{
	uint32_t h = 2166136261u;

	while (n--)
		h = (h ^ *p++) * 16777619u;
	return h;
}

/* Moves what can be moved. */
static inline void turn(struct side *s)
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
static inline void turns(struct side *a, struct side *b)
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

#define UNTIL(cond, a, b) \
	do { \
		double end_s_ = now_s() + LIMIT_S; \
		while (!(cond) && now_s() < end_s_) \
			turns(a, b); \
		assert_true(cond); \
	} while (0)

static inline void begin_side(struct side *s, struct rn_transport *t)
{
	const struct rn_nats_session *is = (const struct rn_nats_session *)t;

	*s = (struct side){.l = rn_link_create(t, 64 * MIB), .id = is->id};
	snprintf(s->in, sizeof(s->in), "%s", is->in);
}

static inline void dial(struct rn_nats *c, const char *name, struct side *s)
{
	struct rn_err err = {0};
	struct rn_transport *t = rn_nats_dial(c, RN_NATS_AGENT, name, &err);

	if (!t)
		fail_msg("%s", err.text);
	begin_side(s, t);
}

static inline void take_call(struct rn_nats *n, struct side *s)
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

static inline void hang_up(struct side *s)
{
	rn_link_destroy(s->l);
	s->l = NULL;
}

static inline unsigned char *noise(size_t n, unsigned seed)
{
	unsigned char *p = malloc(n);

	for (size_t i = 0; i < n; i++)
		p[i] = (unsigned char)((seed = seed * 1103515245u + 12345u) >> 16);
	return p;
}

struct seen {
	unsigned n;
	char names[64][32];
	enum rn_nats_kind kind[64];
};
static inline void found(void *self, const struct rn_nats_member *m)
{
	struct seen *s = self;

	assert_true(s->n < 64);
	assert_string_equal(m->version, "1.2");
	assert_int_equal(m->protocol, RN_NATS_PROTOCOL);
	assert_non_null(strstr(m->host, "process"));
	s->kind[s->n] = m->kind;
	snprintf(s->names[s->n++], 32, "%s", m->name);
}

static inline void wait_found(struct rn_nats *c, const char *name)
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

static inline int begin(void **state)
{
	(void)state;
	if (nats_server_present())
		nats_server_start(&server, "", 0);
	return 0;
}

static inline int end(void **state)
{
	(void)state;
	if (nats_server_present())
		nats_server_end(&server);
	return 0;
}

static inline void no_server(void **state)
{
	(void)state;
	print_message("# there is no nats-server: install the package of that name\n");
	skip();
}
#endif
