/* test_link.c - messages in two lanes over chunks: order, lengths, what is lost, repeated or
 * changed on the way, and byte streams. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>
#include "tests/support/fake_wire.h"

enum { MAX = 16 << 20 };

/* a: side 0, b: side 1 */
struct pair {
	struct rn_wire w;
	struct rn_link *a, *b;
	struct rn_err err;
};

static void up(struct pair *p)
{
	*p = (struct pair){0};
	p->a = rn_link_create(rn_wire_end(&p->w, 0), MAX);
	p->b = rn_link_create(rn_wire_end(&p->w, 1), MAX);
}

static void down(struct pair *p)
{
	rn_link_destroy(p->a);
	rn_link_destroy(p->b);
	assert_int_equal(p->w.open, 0);
	rn_wire_clear(&p->w);
}

static unsigned char *pattern(size_t n, unsigned seed)
{
	unsigned char *p = malloc(n + 1);

	for (size_t i = 0; i < n; i++)
		p[i] = (unsigned char)(seed = seed * 1103515245 + 12345, seed >> 16);
	return p;
}

static void expect(struct pair *p, enum rn_lane lane, uint32_t query, const void *bytes, size_t n)
{
	struct rn_message m;

	assert_int_equal(rn_link_next(p->b, &m, &p->err), 1);
	assert_int_equal(m.lane, lane);
	assert_int_equal(m.query, query);
	assert_int_equal(m.n, n);
	assert_memory_equal(m.bytes, bytes, n);
}

static void messages_of_all_lengths_pass(void **state)
{
	static const size_t n[] = {0,
				   1,
				   3,
				   4,
				   5,
				   1000,
				   RN_CHUNK_MAX - RN_CHUNK_HEAD - 1,
				   RN_CHUNK_MAX - RN_CHUNK_HEAD,
				   RN_CHUNK_MAX - RN_CHUNK_HEAD + 1,
				   2 * RN_CHUNK_MAX,
				   5 << 20};
	struct rn_message m;
	struct pair p;

	(void)state;
	up(&p);
	for (size_t i = 0; i < sizeof(n) / sizeof(*n); i++) {
		unsigned char *bytes = pattern(n[i], (unsigned)i);

		for (int lane = 0; lane < RN_LANES; lane++) {
			rn_link_send(p.a, lane, 7, bytes, n[i]);
			assert_true(rn_link_waiting(p.a) > 0);
			assert_int_equal(rn_link_pump(p.a, &p.err), 0);
			assert_int_equal(rn_link_waiting(p.a), 0);
			assert_int_equal(rn_wire_count(&p.w, 1),
					 n[i] ? (n[i] - 1) / (RN_CHUNK_MAX - RN_CHUNK_HEAD) + 1
					      : 1);
			expect(&p, lane, 7, bytes, n[i]);
		}
		free(bytes);
	}
	assert_int_equal(rn_link_next(p.b, &m, &p.err), 0);
	down(&p);
}

/* What is not sent yet when control comes goes behind it, also in the middle of a message. */
static void control_first(void **state)
{
	size_t n = 3 << 20;
	unsigned char *bytes = pattern(n, 1);
	struct pair p;

	(void)state;
	up(&p);
	rn_link_send(p.a, RN_LANE_DATA, 1, bytes, n);
	rn_link_send(p.a, RN_LANE_DATA, 2, "second", 6);
	p.w.full = true;
	assert_int_equal(rn_link_pump(p.a, &p.err), 0); /* one chunk is made and must go first */
	rn_link_send(p.a, RN_LANE_CONTROL, 3, "stop", 4);
	rn_link_send(p.a, RN_LANE_CONTROL, 4, "ping", 4);
	p.w.full = false;
	assert_int_equal(rn_link_pump(p.a, &p.err), 0);
	expect(&p, RN_LANE_CONTROL, 3, "stop", 4);
	expect(&p, RN_LANE_CONTROL, 4, "ping", 4);
	expect(&p, RN_LANE_DATA, 1, bytes, n);
	expect(&p, RN_LANE_DATA, 2, "second", 6);
	free(bytes);
	down(&p);
}

/* What waits for a query is dropped, but not what is partly sent. */
static void what_waits_for_a_query_can_be_dropped(void **state)
{
	size_t n = 3 << 20;
	unsigned char *bytes = pattern(n, 2);
	struct pair p;

	(void)state;
	up(&p);
	rn_link_send(p.a, RN_LANE_DATA, 1, bytes, n);
	p.w.full = true;
	rn_link_pump(p.a, &p.err);
	rn_link_send(p.a, RN_LANE_DATA, 1, "gone", 4);
	rn_link_send(p.a, RN_LANE_DATA, 2, "stays", 5);
	rn_link_send(p.a, RN_LANE_CONTROL, 1, "control", 7);
	rn_link_forget(p.a, 1);
	p.w.full = false;
	assert_int_equal(rn_link_pump(p.a, &p.err), 0);
	rn_link_send(p.a, RN_LANE_DATA, 2, "last", 4);
	assert_int_equal(rn_link_pump(p.a, &p.err), 0);
	expect(&p, RN_LANE_CONTROL, 1, "control", 7);
	expect(&p, RN_LANE_DATA, 1, bytes, n);
	expect(&p, RN_LANE_DATA, 2, "stays", 5);
	expect(&p, RN_LANE_DATA, 2, "last", 4);
	free(bytes);
	down(&p);
}

static void a_full_link_takes_no_more(void **state)
{
	size_t n = RN_LINK_MAX / 4;
	unsigned char *bytes = pattern(n, 3);
	struct pair p;
	int taken = 0;

	(void)state;
	up(&p);
	p.w.full = true;
	for (; rn_link_room(p.a) && taken < 10; taken++)
		rn_link_send(p.a, RN_LANE_DATA, 1, bytes, n);
	assert_int_equal(taken, 4);
	p.w.full = false;
	assert_int_equal(rn_link_pump(p.a, &p.err), 0);
	assert_true(rn_link_room(p.a));
	free(bytes);
	down(&p);
}

/* Loses, repeats, swaps, cuts or changes chunk `i` of three; the link must die at it, and not
 * before. */
static void harm(int how, unsigned i, int code)
{
	struct rn_message m;
	unsigned whole = 0;
	struct pair p;
	int r;
	struct rn_wire_chunk *c;

	up(&p);
	for (int k = 0; k < 3; k++)
		rn_link_send(p.a, RN_LANE_DATA, 5, "message", 7);
	rn_link_pump(p.a, &p.err);
	c = p.w.way[1];
	for (unsigned k = 0; k < i; k++)
		c = c->next;
	switch (how) {
	case 0: rn_wire_drop(&p.w, 1, i); break;
	case 1: rn_wire_repeat(&p.w, 1, i); break;
	case 2: rn_wire_swap(&p.w, 1, i); break;
	case 3: c->n--; break;
	case 4: c->n = 3; break;
	default: c->bytes[how - 5] ^= 1u << (how % 8); break;
	}
	while ((r = rn_link_next(p.b, &m, &p.err)) > 0)
		whole++;
	assert_int_equal(r, code);
	assert_true(p.err.text[0]);
	assert_int_equal(whole, how == 1 ? i + 1 : i);
	down(&p);
}

static void a_harmed_chunk_ends_the_link(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		if (i < 2) { /* the loss of the last one is seen when another comes */
			harm(0, i, -EPROTO);
			harm(2, i, -EPROTO);
		}
		harm(1, i, -EPROTO);
		harm(3, i, -EBADMSG);
		harm(4, i, -EBADMSG);
		for (int byte = 0; byte < (int)RN_CHUNK_HEAD + 7; byte++)
			harm(5 + byte, i, byte == 4 ? -EPROTO : -EBADMSG);
	}
}

static void a_message_beyond_the_limit_ends_the_link(void **state)
{
	unsigned char *bytes = pattern(MAX + 1, 4);
	struct rn_message m;
	struct pair p;

	(void)state;
	up(&p);
	rn_link_send(p.a, RN_LANE_DATA, 1, bytes, MAX);
	rn_link_pump(p.a, &p.err);
	expect(&p, RN_LANE_DATA, 1, bytes, MAX);
	rn_link_send(p.a, RN_LANE_DATA, 1, bytes, MAX + 1);
	rn_link_pump(p.a, &p.err);
	assert_int_equal(rn_link_next(p.b, &m, &p.err), -EBADMSG);
	free(bytes);
	down(&p);
}

/* A tag that is in a message is not in what passes. */
static void no_tag_of_a_message_is_seen_in_what_passes(void **state)
{
	static const char tag[] = "a tag that somebody searches for";
	char text[4096];
	struct pair p;

	(void)state;
	for (size_t i = 0; i + sizeof(tag) <= sizeof(text); i += sizeof(tag))
		memcpy(text + i, tag, sizeof(tag));
	up(&p);
	rn_link_send(p.a, RN_LANE_DATA, 1, text, sizeof(text) - sizeof(text) % sizeof(tag));
	rn_link_pump(p.a, &p.err);
	assert_null(memmem(p.w.way[1]->bytes, p.w.way[1]->n, tag, 6));
	expect(&p, RN_LANE_DATA, 1, text, sizeof(text) - sizeof(text) % sizeof(tag));
	down(&p);
}

static int next_of(struct rn_link *l, struct rn_message *m, struct rn_err *err)
{
	int r = 0;

	for (int i = 0; i < 600 && !r; i++) { /* a minute */
		int fd[2];
		short ev[2];
		struct pollfd p[2];
		unsigned n = rn_link_polls(l, fd, ev);

		for (unsigned k = 0; k < n; k++)
			p[k] = (struct pollfd){.fd = fd[k], .events = ev[k]};
		r = rn_link_pump(l, err);
		if (!r)
			r = rn_link_next(l, m, err);
		if (!r)
			poll(p, n, 100);
	}
	return r;
}

/* `cat` gives back what it gets: more than any pipe holds, both ways at once. */
static void a_stream_takes_both_ways_at_once(void **state)
{
	size_t n = 9 << 20;
	unsigned char *bytes = pattern(n, 5);
	struct rn_err err = {0};
	struct rn_link *l = rn_link_create(rn_stream_spawn("exec cat", NULL, &err), MAX);
	struct rn_message m;

	(void)state;
	assert_true(rn_link_pid(l) > 0);
	for (int i = 0; i < 3; i++)
		rn_link_send(l, RN_LANE_DATA, (uint32_t)i, bytes, n);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(next_of(l, &m, &err), 1);
		assert_int_equal(m.query, i);
		assert_int_equal(m.n, n);
		assert_memory_equal(m.bytes, bytes, n);
	}
	free(bytes);
	rn_link_destroy(l);
}

static const struct {
	const char *command, *why;
	int code;
} ends[] = {
	{"exit 3", "the connection ended: ", -EPIPE},
	/* of two reasons, either may be seen first */
	{"echo; echo the line before >&2; echo no such host >&2; exit 255", "", 0},
	{"echo no such host >&2; exit 255", "the connection ended: no such host", -EPIPE},
	{"echo hello, this is no agent",
	 "what came is no chunk of this protocol, but begins with `hello, ", -EBADMSG},
	{"printf '\\033[2Jabcdefgh'",
	 "what came is no chunk of this protocol, but begins with `?[2J", -EBADMSG},
	{"printf '\\024\\0\\0\\0\\001\\0\\0\\0aaaaaaaaaaaaaaaa'",
	 "what came is no chunk of this protocol: its ", -EBADMSG},
	{"exec nosuchprogram", "the connection ended: ", -EPIPE},
};

static void how_a_command_ended_is_in_the_error(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		struct rn_err err = {0};
		struct rn_message m;
		struct rn_link *l =
			rn_link_create(rn_stream_spawn(ends[i].command, NULL, &err), MAX);
		int r = next_of(l, &m, &err);

		if (ends[i].code &&
		    (r != ends[i].code || strncmp(err.text, ends[i].why, strlen(ends[i].why))))
			fail_msg("%s: %d, %s", ends[i].command, r, err.text);
		assert_true(r < 0);
		rn_link_destroy(l);
	}
}

/* What the other side has sent before it went is taken in, although nothing can be sent to it any
 * more. */
static void last_words(void **state)
{
	struct rn_err err = {0};
	struct rn_message m;
	int fd[2];
	struct rn_link *a, *b;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
	a = rn_link_create(rn_stream_transport(fd[0], fd[0], 0), MAX);
	b = rn_link_create(rn_stream_transport(fd[1], fd[1], 0), MAX);
	rn_link_send(b, RN_LANE_CONTROL, 1, "farewell", 8);
	assert_int_equal(rn_link_pump(b, &err), 0);
	rn_link_destroy(b);
	rn_link_send(a, RN_LANE_CONTROL, 1, "ping", 4);
	assert_int_equal(rn_link_pump(a, &err), 0);
	assert_int_equal(rn_link_next(a, &m, &err), 1);
	assert_memory_equal(m.bytes, "farewell", 8);
	assert_int_equal(rn_link_next(a, &m, &err), -EPIPE);
	rn_link_destroy(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_of_all_lengths_pass),
		cmocka_unit_test(control_first),
		cmocka_unit_test(what_waits_for_a_query_can_be_dropped),
		cmocka_unit_test(a_full_link_takes_no_more),
		cmocka_unit_test(a_harmed_chunk_ends_the_link),
		cmocka_unit_test(a_message_beyond_the_limit_ends_the_link),
		cmocka_unit_test(no_tag_of_a_message_is_seen_in_what_passes),
		cmocka_unit_test(a_stream_takes_both_ways_at_once),
		cmocka_unit_test(how_a_command_ended_is_in_the_error),
		cmocka_unit_test(last_words),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
