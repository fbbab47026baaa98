/* badagent.c - an agent that keeps to the protocol until it does not: what a coordinator has to
 * bear.
 *
 *     badagent MODE [FILE]    its coordinator is at stdin and stdout; FILE is made when it is to
 *                             end the query
 *
 * Modes are words of greet(), misbehave() and of these, which begin with the query and never end,
 * whatever the coordinator says:
 *     drip       a small row each 10 ms, or that nothing new is known, if the query has groups
 *     flood      small rows, as many as go
 *     big        rows with a megabyte of text
 *     scatter    small rows, each of another second, from 1970 on */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "exec/wire/codec.h"
#include "exec/link/link.h"
#include "lang/base/clock.h"

enum { COLS = 16, FLOOD_ROWS = 500, BIG = 1 << 20 };

struct bad {
	struct rn_link *l;
	const char *mode, *file;
	struct rn_arena *a;
	unsigned char *buf;
	size_t cap;
	uint64_t seq;
	uint32_t query;
	bool endless; /* it sends on and on */
	bool grouped;
	unsigned ncols;
	bool text[COLS]; /* columns of the query that are text; others are numbers */
	int64_t at_ns;
};

static bool is(const struct bad *b, const char *mode)
{
	return !strcmp(b->mode, mode);
}

static size_t encode(struct bad *b, struct rn_frame *f)
{
	size_t n = 0;

	f->node = "bad";
	f->seq = b->seq++;
	if (rn_frame_encode(f, NULL, 0, f->partials.n ? 1 : 0, &b->buf, &n, &b->cap) < 0)
		exit(1);
	return n;
}

static void pump(struct bad *b)
{
	struct rn_err err = {0};

	if (rn_link_pump(b->l, &err) < 0)
		exit(0);
}

static void send_frame(struct bad *b, enum rn_lane lane, uint32_t query, struct rn_frame f)
{
	size_t n = encode(b, &f);

	rn_link_send(b->l, lane, query, b->buf + 4, n - 4);
	pump(b);
}

/* Past the link: bytes as they are. */
static void raw(const void *bytes, size_t n)
{
	for (const char *p = bytes; n;) {
		ssize_t k = write(STDOUT_FILENO, p, n);
		struct pollfd full = {.fd = STDOUT_FILENO, .events = POLLOUT};

		if (k > 0) {
			p += k;
			n -= (size_t)k;
		} else {
			poll(&full, 1, 1000);
		}
	}
}

/* A chunk as a link makes it, in a pipe. */
static size_t chunk_of(struct bad *b, struct rn_frame f, unsigned char *to, size_t cap)
{
	struct rn_err err = {0};
	size_t n = encode(b, &f);
	struct rn_link *l;
	int fd[2];
	ssize_t k;

	if (pipe(fd))
		exit(1);
	l = rn_link_create(rn_stream_transport(open("/dev/null", 0), fd[1], 0), RN_FRAME_MAX);
	rn_link_send(l, RN_LANE_CONTROL, 0, b->buf + 4, n - 4);
	rn_link_pump(l, &err);
	k = read(fd[0], to, cap);
	rn_link_destroy(l);
	close(fd[0]);
	return k > 0 ? (size_t)k : 0;
}

static struct rn_frame hello(void)
{
	return (struct rn_frame){.kind = RN_FRAME_HELLO,
				 .hello = {.program = "bad",
					   .kind = "agent",
					   .name = "bad",
					   .asker = "",
					   .place = "elsewhere"}};
}

static void greet(struct bad *b)
{
	unsigned char c[4096];
	size_t n = chunk_of(b, hello(), c, sizeof(c));

	if (is(b, "version")) { /* of the chunk */
		c[4] = 9;
		raw(c, n);
	} else if (is(b, "kind")) {
		struct rn_frame f = hello();

		f.hello.kind = "teapot";
		send_frame(b, RN_LANE_CONTROL, 0, f);
	} else if (is(b, "changed")) {
		c[n - 1] ^= 4;
		raw(c, n);
	} else if (is(b, "repeated")) {
		raw(c, n);
		raw(c, n);
	} else if (is(b, "cut")) {
		raw(c, n - 5);
		exit(0);
	} else if (is(b, "escape")) {
		static const char text[] = "\033[2J\033]0;mine\007\nroot@coordinator# ";

		raw(text, sizeof(text) - 1);
	} else {
		send_frame(b, RN_LANE_CONTROL, 0, hello());
	}
}

/* What comes once the query runs. */
static void misbehave(struct bad *b)
{
	struct rn_value number = rn_int(7), text = rn_strn("abc", 3), two[2] = {number, number};
	int64_t now[2] = {1, 2};
	struct rn_partial p = {.key = &text, .events = 1};
	struct rn_frame f = {.kind = RN_FRAME_ROWS,
			     .rows = {.nrows = 1, .ncols = 2, .values = two, .time_ns = now}};

	if (is(b, "columns")) {
		send_frame(b, RN_LANE_DATA, b->query, f);
	} else if (is(b, "types")) {
		f.rows.ncols = 1;
		f.rows.values = &text;
		send_frame(b, RN_LANE_DATA, b->query, f);
	} else if (is(b, "states")) {
		send_frame(b, RN_LANE_DATA, b->query,
			   (struct rn_frame){.kind = RN_FRAME_PARTIALS,
					     .partials = {.n = 1, .parts = &p}});
	} else if (is(b, "garbage")) {
		raw("\x40\0\0\0"
		    "this is not what anybody asked for, and it is long enough to be a chunk",
		    72);
	} else if (is(b, "unasked")) {
		send_frame(b, RN_LANE_CONTROL, b->query,
			   (struct rn_frame){.kind = RN_FRAME_ACCEPTED, .nodes = 1});
	} else if (is(b, "commands")) {
		send_frame(b, RN_LANE_CONTROL, b->query, (struct rn_frame){.kind = RN_FRAME_STOP});
	} else if (is(b, "ledgers")) {
		for (int i = 0; i < 3; i++)
			send_frame(b, RN_LANE_DATA, b->query,
				   (struct rn_frame){.kind = RN_FRAME_LEDGER,
						     .ledger = {.node = "x", .answered = true}});
	} else if (is(b, "error")) {
		struct rn_frame e = {.kind = RN_FRAME_ERROR,
				     .error = {.code = -5, .text = "no \033[31mred\033[0m text"}};

		send_frame(b, RN_LANE_CONTROL, b->query, e);
	} else if (is(b, "future")) {
		send_frame(b, RN_LANE_DATA, b->query,
			   (struct rn_frame){.kind = RN_FRAME_WATERMARK,
					     .watermark_ns = INT64_MAX,
					     .answering = UINT32_MAX});
	}
}

/* The next of what never ends. */
static void go_on(struct bad *b)
{
	static char big[BIG];
	static struct rn_value v[FLOOD_ROWS * COLS];
	static int64_t times[FLOOD_ROWS];
	uint32_t n = is(b, "flood") || is(b, "scatter") ? FLOOD_ROWS : 1;
	struct rn_frame f = {
		.kind = RN_FRAME_ROWS,
		.rows = {.nrows = n, .ncols = b->ncols, .values = v, .time_ns = times}};

	memset(big, 'x', sizeof(big));
	for (uint32_t i = 0; i < n; i++) {
		times[i] = is(b, "scatter") ? b->at_ns += 1000000000 : rn_epoch_ns();
		for (unsigned c = 0; c < b->ncols; c++)
			v[i * b->ncols + c] = !b->text[c]    ? rn_int(7)
					      : is(b, "big") ? rn_strn(big, sizeof(big))
							     : rn_strn("zz bad", 6);
	}
	if (b->grouped)
		f = (struct rn_frame){.kind = RN_FRAME_WATERMARK, .watermark_ns = 1};
	send_frame(b, RN_LANE_DATA, b->query, f);
}

/* What its rows have to look like. */
static void look_at(struct bad *b, const struct rn_fragment *f)
{
	b->grouped = f->grouped;
	b->ncols = f->ncols < COLS ? f->ncols : COLS;
	for (unsigned i = 0; i < b->ncols; i++)
		b->text[i] = f->cols[i].ty.type == RN_T_STR;
}

static void note_stop(const char *path)
{
	FILE *f = path ? fopen(path, "w") : NULL;

	if (f)
		fclose(f);
}

static void answer(struct bad *b, const struct rn_message *m)
{
	struct rn_frame in;
	struct rn_err err = {0};

	rn_arena_reset(b->a);
	if (rn_frame_decode(b->a, m->bytes, m->n, NULL, 0, 0, &in, &err))
		exit(2);
	switch (in.kind) {
	case RN_FRAME_HELLO: greet(b); break;
	case RN_FRAME_PING:
		send_frame(b, RN_LANE_CONTROL, 0,
			   (struct rn_frame){.kind = RN_FRAME_PONG,
					     .sent_ns = in.sent_ns,
					     .node_ns = in.sent_ns});
		break;
	case RN_FRAME_FRAGMENT:
		b->query = m->query;
		look_at(b, in.fragment);
		if (!is(b, "never"))
			send_frame(b, RN_LANE_CONTROL, m->query,
				   (struct rn_frame){.kind = RN_FRAME_ACCEPTED, .nodes = 1});
		break;
	case RN_FRAME_START:
		send_frame(b, RN_LANE_CONTROL, m->query,
			   (struct rn_frame){.kind = RN_FRAME_STARTED, .node_ns = 1});
		misbehave(b);
		b->endless = is(b, "drip") || is(b, "flood") || is(b, "big") || is(b, "scatter");
		break;
	case RN_FRAME_STOP: /* and it never ends the query */ note_stop(b->file); break;
	default: break;
	}
}

int main(int argc, char **argv)
{
	struct bad b = {.mode = argc > 1 ? argv[1] : "",
			.file = argc > 2 && *argv[2] != '#' ? argv[2] : NULL};
	struct rn_err err = {0};
	struct rn_message m;
	int r = 0;

	b.a = rn_arena_create(64 << 20);
	b.l = rn_link_create(rn_stream_transport(STDIN_FILENO, STDOUT_FILENO, 0), RN_FRAME_MAX);
	while (r >= 0) {
		struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};

		poll(&p, 1, !b.endless ? 1000 : is(&b, "drip") ? 10 : rn_link_room(b.l) ? 0 : 10);
		if (b.endless && rn_link_room(b.l))
			go_on(&b);
		pump(&b);
		while ((r = rn_link_next(b.l, &m, &err)) > 0)
			answer(&b, &m);
	}
	return 0;
}
