/* test_flow_match.c - the two ends of a channel find each other whatever the clocks say and however
 * the rows arrive. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "exec/flow/flow.h"
#include "lang/values/value.h"

#define MS 1000000LL
#define HOUR (3600LL * 1000 * MS)

static const char *const labels[] = {"time",     "node",     "proc",  "pid",   "name",   "file",
				     "dev",      "ino",      "local", "peer",  "source", "bytes",
				     "latency",  "tags",     "netns", "proto", "offset", "seq",
				     "peer_ino", "fuse_dev", "hits"};
enum { NCOLS = sizeof(labels) / sizeof(*labels) };

/* who: a letter for each hop, which the answers speak of. Defaults: tag "tag", at place 0; 100
 * bytes. */
struct call {
	const char *who;
	int64_t time;
	const char *node;
	int pid;
	const char *name, *local, *peer, *proto;
	int64_t seq;
	const char *hits, *file, *tags, *source;
	int64_t ino, peer_ino, fuse_dev, dev, offset, bytes, latency, netns;
};

struct seen {
	char text[8192];
	const char *who[4096];
	int64_t from[4096];
	int64_t time[4096];
	unsigned n;
	struct rn_arena *keep;
};

static struct rn_value str(const char *s)
{
	return rn_strn(s ? s : "", s ? strlen(s) : 0);
}

static struct rn_value ip(struct rn_arena *a, const char *s)
{
	unsigned char *to = rn_arena_alloc(a, RN_IP_BYTES);

	if (!s)
		return str("");
	assert_true(rn_ip_parse(s, strlen(s), to));
	return rn_strn((char *)to, RN_IP_BYTES);
}

static int see(void *self, const struct rn_value *v, int64_t time_ns)
{
	struct seen *s = self;
	int64_t from = v[RN_FLOW_FROM].i;
	bool again = v[RN_FLOW_HOP].i == s->n; /* another cause of the same hop */

	s->n -= again;
	assert_true(s->n < 4096);
	assert_int_equal(v[RN_FLOW_HOP].i, s->n + 1);
	assert_int_equal(v[RN_FLOW_TIME].i, time_ns);
	assert_true(from <= s->n); /* never before the one it came from */
	assert_true(!from == !v[RN_FLOW_CHOICES].i && !from == !v[RN_FLOW_LINK].len);
	s->who[s->n] = rn_arena_strndup(s->keep, v[RN_FLOW_PROC].s, v[RN_FLOW_PROC].len);
	s->from[s->n] = from;
	s->time[s->n] = time_ns;
	if (strlen(s->text) < sizeof(s->text) - 100)
		sprintf(s->text + strlen(s->text), "%s%s<%s %.*s", s->text[0] ? ", " : "",
			s->who[s->n], from ? s->who[from - 1] : "", (int)v[RN_FLOW_MATCH].len,
			v[RN_FLOW_MATCH].s);
	s->n++;
	return 0;
}

static struct rn_flow *flow_of(struct rn_arena *a)
{
	struct rn_column *cols = RN_NEWN(a, struct rn_column, NCOLS);
	struct rn_flow *f;

	for (unsigned i = 0; i < NCOLS; i++)
		cols[i].label = labels[i];
	f = rn_flow_new(a, cols, NCOLS);
	rn_flow_whole(f);
	return f;
}

static void add(struct rn_flow *f, struct rn_arena *a, const struct call *k)
{
	struct rn_value v[NCOLS] = {rn_int(k->time),
				    str(k->node ? k->node : "n1"),
				    str(k->who),
				    rn_int(k->pid),
				    str(k->name),
				    str(k->file),
				    rn_int(k->dev),
				    rn_int(k->ino),
				    ip(a, k->local),
				    ip(a, k->peer),
				    str(k->source),
				    rn_int(k->bytes ? k->bytes : 100),
				    rn_int(k->latency),
				    str(k->tags ? k->tags : "tag"),
				    rn_int(k->netns),
				    str(k->proto),
				    rn_int(k->offset),
				    rn_int(k->seq),
				    rn_int(k->peer_ino),
				    rn_int(k->fuse_dev),
				    str(k->hits ? k->hits : "tag@0")};
	int64_t time_ns = k->time;

	rn_flow_add(
		f, &(struct rn_rows){.nrows = 1, .ncols = NCOLS, .values = v, .time_ns = &time_ns});
}

static void expect(const struct call *c, unsigned n, const char *want)
{
	unsigned stride = n % 5 ? 5 : n % 7 ? 7 : 11; /* shares no divisor with n, for n < 385 */

	/* as they are, the other way round, and mixed */
	for (unsigned order = 0; order < 3; order++) {
		struct rn_arena *a = rn_arena_create(1 << 24);
		struct rn_flow *f = flow_of(a);
		struct seen *s = RN_NEW(a, struct seen);

		s->keep = a;
		for (unsigned i = 0; i < n; i++)
			add(f, a,
			    &c[order == 0   ? i
			       : order == 1 ? n - 1 - i
					    : (i * stride + 3) % n]);
		assert_int_equal(rn_flow_visit(f, see, s), 0);
		assert_string_equal(s->text, want);
		rn_arena_destroy(a);
	}
}
#define EXPECT(c, want) expect(c, sizeof(c) / sizeof(*(c)), want)
#define A "10.0.0.1:40000"
#define B "10.0.0.2:80"
#define SEND(w, t, n, s) \
	{ \
		.who = w, .time = t, .node = n, .pid = 1, .name = "write", .local = A, .peer = B, \
		.proto = "tcp", .seq = s \
	}
#define RECV(w, t, n, s) \
	{ \
		.who = w, .time = t, .node = n, .pid = 2, .name = "read", .local = B, .peer = A, \
		.proto = "tcp", .seq = s \
	}

/* The receiver's clock is behind by milliseconds, or by an hour: its node's hops wait for what they
 * came from. */
static void a_receiver_behind_waits_for_its_cause(void **state)
{
	static const int64_t skew[] = {0, 5 * MS, -5 * MS, HOUR, -HOUR};

	(void)state;
	for (unsigned i = 0; i < sizeof(skew) / sizeof(*skew); i++) {
		const struct call c[] = {
			{.who = "a",
			 .time = 1000,
			 .node = "n1",
			 .pid = 1,
			 .name = "read",
			 .file = "/in",
			 .ino = 7},
			SEND("b", 1100, "n1", 5000),
			RECV("c", 1200 + skew[i], "n2", 5000),
			{.who = "d",
			 .time = 1300 + skew[i],
			 .node = "n2",
			 .pid = 2,
			 .name = "write",
			 .file = "/log",
			 .ino = 8},
			{.who = "e",
			 .time = 1400 + skew[i],
			 .node = "n2",
			 .pid = 2,
			 .name = "write",
			 .local = B,
			 .peer = A,
			 .proto = "tcp",
			 .seq = 77},
			{.who = "f",
			 .time = 1500,
			 .node = "n1",
			 .pid = 1,
			 .name = "read",
			 .local = A,
			 .peer = B,
			 .proto = "tcp",
			 .seq = 77},
		};

		EXPECT(c, "a< , b<a exact, c<b exact, d<c , e<c exact, f<e exact");
	}
}

/* What goes out is ordered by entry: a send that blocks for long is before its receive. */
static void a_blocking_send_is_ordered_by_its_entry(void **state)
{
	const struct call c[] = {
		{.who = "s",
		 .time = 9000,
		 .node = "n1",
		 .pid = 1,
		 .name = "write",
		 .local = A,
		 .peer = B,
		 .proto = "tcp",
		 .seq = 5,
		 .latency = 8000},
		RECV("r", 2000, "n1", 5),
	};

	(void)state;
	EXPECT(c, "s< exact, r<s exact");
}

/* Several connections with the same tag at once; the same addresses with a tag that did not go
 * there. */
static void connections_with_the_same_tag_are_kept_apart(void **state)
{
	const struct call c[] = {
		SEND("a", 10, "n1", 1000),
		{.who = "b",
		 .time = 11,
		 .node = "n1",
		 .pid = 1,
		 .name = "write",
		 .local = "10.0.0.1:40001",
		 .peer = B,
		 .proto = "tcp",
		 .seq = 1000},
		{.who = "c",
		 .time = 12,
		 .node = "n1",
		 .pid = 1,
		 .name = "write",
		 .local = "10.0.0.1:40002",
		 .peer = B,
		 .proto = "tcp",
		 .seq = 2000},
		{.who = "x",
		 .time = 20,
		 .node = "n2",
		 .pid = 2,
		 .name = "read",
		 .local = B,
		 .peer = "10.0.0.1:40002",
		 .proto = "tcp",
		 .seq = 2000},
		RECV("y", 21, "n2", 1000),
		{.who = "z",
		 .time = 22,
		 .node = "n2",
		 .pid = 2,
		 .name = "read",
		 .local = B,
		 .peer = "[::ffff:10.0.0.1]:40001" /* IPv4, as an IPv6 socket has it */,
		 .proto = "tcp",
		 .seq = 1000},
		{.who = "o",
		 .time = 23,
		 .node = "n2",
		 .pid = 2,
		 .name = "read",
		 .local = B,
		 .peer = A,
		 .proto = "tcp",
		 .seq = 1000,
		 .tags = "other",
		 .hits = "other@0"},
	};

	(void)state;
	EXPECT(c, "a< exact, b< exact, c< exact, x<c exact, y<a exact, z<b exact, o< none");
}

/* One send read in parts; two sends read at once; a tag that lies across two sends, or across two
 * reads; one send with two tags. */
static void a_send_may_be_read_in_parts(void **state)
{
	const struct call partial[] = {
		{.who = "s",
		 .time = 1,
		 .node = "n1",
		 .pid = 1,
		 .name = "write",
		 .local = A,
		 .peer = B,
		 .proto = "tcp",
		 .seq = 1000,
		 .bytes = 500,
		 .hits = "tag@50"},
		{.who = "r",
		 .time = 2,
		 .node = "n2",
		 .pid = 2,
		 .name = "read",
		 .local = B,
		 .peer = A,
		 .proto = "tcp",
		 .seq = 1000,
		 .bytes = 200,
		 .hits = "tag@50"},
		{.who = "t",
		 .time = 3,
		 .node = "n2",
		 .pid = 2,
		 .name = "read",
		 .local = B,
		 .peer = A,
		 .proto = "tcp",
		 .seq = 1200,
		 .bytes = 300,
		 .hits = "tag@10"},
	};
	const struct call joined[] = {
		{.who = "a",
		 .time = 1,
		 .node = "n1",
		 .pid = 1,
		 .name = "write",
		 .local = A,
		 .peer = B,
		 .proto = "tcp",
		 .seq = 1000,
		 .bytes = 100,
		 .hits = "tag@90"},
		{.who = "b",
		 .time = 2,
		 .node = "n1",
		 .pid = 1,
		 .name = "write",
		 .local = A,
		 .peer = B,
		 .proto = "tcp",
		 .seq = 1100,
		 .bytes = 100,
		 .hits = "tag@10"},
		{.who = "r",
		 .time = 3,
		 .node = "n2",
		 .pid = 2,
		 .name = "read",
		 .local = B,
		 .peer = A,
		 .proto = "tcp",
		 .seq = 950,
		 .bytes = 151,
		 .hits = "tag@140"},
		{.who = "t",
		 .time = 4,
		 .node = "n2",
		 .pid = 2,
		 .name = "read",
		 .local = B,
		 .peer = A,
		 .proto = "tcp",
		 .seq = 1101,
		 .bytes = 99,
		 .hits = "tag@9"},
	};
	const struct call together[] = {
		SEND("a", 1, "n1", 1000),
		SEND("b", 2, "n1", 1100),
		SEND("c", 3, "n1", 1200),
		{.who = "r",
		 .time = 4,
		 .node = "n2",
		 .pid = 2,
		 .name = "read",
		 .local = B,
		 .peer = A,
		 .proto = "tcp",
		 .seq = 1000,
		 .bytes = 200},
	};
	const struct call across[] = {
		{.who = "b",
		 .time = 2,
		 .node = "n1",
		 .pid = 1,
		 .name = "write",
		 .local = A,
		 .peer = B,
		 .proto = "tcp",
		 .seq = 1100,
		 .bytes = 100,
		 .hits = "tag@-2"},
		{.who = "r",
		 .time = 3,
		 .node = "n2",
		 .pid = 2,
		 .name = "read",
		 .local = B,
		 .peer = A,
		 .proto = "tcp",
		 .seq = 1000,
		 .bytes = 200,
		 .hits = "tag@98"},
		{.who = "c",
		 .time = 5,
		 .node = "n1",
		 .pid = 1,
		 .name = "write",
		 .local = A,
		 .peer = B,
		 .proto = "tcp",
		 .seq = 1200,
		 .bytes = 100,
		 .hits = "tag@50"},
		{.who = "t",
		 .time = 6,
		 .node = "n2",
		 .pid = 2,
		 .name = "read",
		 .local = B,
		 .peer = A,
		 .proto = "tcp",
		 .seq = 1251,
		 .bytes = 49,
		 .hits = "tag@-1"},
	};
	const struct call sets[] = {
		{.who = "s",
		 .time = 1,
		 .node = "n1",
		 .pid = 1,
		 .name = "write",
		 .local = A,
		 .peer = B,
		 .proto = "tcp",
		 .seq = 1000,
		 .bytes = 100,
		 .tags = "tag,x\"2c\"",
		 .hits = "tag@0 x\"2c\"@99"},
		{.who = "r",
		 .time = 2,
		 .node = "n2",
		 .pid = 2,
		 .name = "read",
		 .local = B,
		 .peer = A,
		 .proto = "tcp",
		 .seq = 1000,
		 .bytes = 50},
		{.who = "t",
		 .time = 3,
		 .node = "n2",
		 .pid = 2,
		 .name = "read",
		 .local = B,
		 .peer = A,
		 .proto = "tcp",
		 .seq = 1050,
		 .bytes = 50,
		 .tags = "x\"2c\"",
		 .hits = "x\"2c\"@49"},
	};

	(void)state;
	EXPECT(partial, "s< exact, r<s exact, t<s exact");
	EXPECT(joined, "a< exact, b< exact, r<a exact, t<b exact");
	EXPECT(together, "a< exact, b< exact, c< none, r<a exact, r<b exact");
	EXPECT(across, "b< exact, r<b exact, c< exact, t<c exact");
	EXPECT(sets, "s< exact, r<s exact, t<s exact");
}

/* Numbers go round at 2^32. */
static void sequence_numbers_go_round(void **state)
{
	const struct call c[] = {
		{.who = "s",
		 .time = 1,
		 .node = "n1",
		 .pid = 1,
		 .name = "write",
		 .local = A,
		 .peer = B,
		 .proto = "tcp",
		 .seq = 0xfffffff0,
		 .bytes = 100,
		 .hits = "tag@50"},
		RECV("r", 2, "n2", 34),
		SEND("t", 3, "n1", 500),
		RECV("u", 4, "n2", 500),
	};

	(void)state;
	EXPECT(c, "s< exact, r<s exact, t< exact, u<t exact");
}

/* One end's address was rewritten: the receiver's, the sender's, both (not said, with two
 * connections of the same kind), none. */
static void rewritten_addresses_are_matched_by_number(void **state)
{
	const struct call c[] = {
		SEND("a", 1, "n1", 1000),
		{.who = "b",
		 .time = 2,
		 .node = "n2",
		 .pid = 2,
		 .name = "read",
		 .local = "172.17.0.2:8080",
		 .peer = A,
		 .proto = "tcp",
		 .seq = 1000},
		SEND("c", 3, "n1", 3000),
		{.who = "d",
		 .time = 4,
		 .node = "n2",
		 .pid = 2,
		 .name = "read",
		 .local = B,
		 .peer = "192.168.1.1:999",
		 .proto = "tcp",
		 .seq = 3000},
		SEND("e", 5, "n1", 6000),
		{.who = "f",
		 .time = 6,
		 .node = "n2",
		 .pid = 2,
		 .name = "read",
		 .local = "172.17.0.2:8080",
		 .peer = "192.168.1.1:999",
		 .proto = "tcp",
		 .seq = 6000},
		{.who = "g",
		 .time = 7,
		 .node = "n2",
		 .pid = 2,
		 .name = "splice",
		 .file = "pipe:[5]",
		 .source = "socket:[9]",
		 .seq = 6000},
	};

	/* splice waits for the one before it, and returns only when the one after it has
	 * returned */
	const struct call copies[] = {
		{.who = "a",
		 .time = 50,
		 .pid = 1,
		 .name = "write",
		 .local = "127.0.0.1:1",
		 .peer = "127.0.0.1:2",
		 .proto = "tcp",
		 .seq = 1000,
		 .latency = 5},
		{.who = "b",
		 .time = 60,
		 .pid = 2,
		 .name = "splice",
		 .file = "pipe:[5]",
		 .source = "socket:[9]",
		 .seq = 1000,
		 .latency = 59},
		{.who = "c",
		 .time = 99,
		 .pid = 2,
		 .name = "splice",
		 .file = "socket:[10]",
		 .local = "127.0.0.1:3",
		 .peer = "127.0.0.1:4",
		 .proto = "tcp",
		 .source = "pipe:[5]",
		 .seq = 70,
		 .latency = 30},
		{.who = "d",
		 .time = 80,
		 .pid = 3,
		 .name = "read",
		 .local = "127.0.0.1:4",
		 .peer = "127.0.0.1:3",
		 .proto = "tcp",
		 .seq = 70,
		 .latency = 79},
	};

	(void)state;
	EXPECT(c, "a< nat, b<a nat, c< nat, d<c nat, e< exact, f< none, g<e none");
	EXPECT(copies, "a< exact, b<a order, c<b order, d<c exact");
}

/* Loopback is one network namespace of one node. */
static void loopback_is_one_namespace_of_one_node(void **state)
{
	const struct call c[] = {
		{.who = "a",
		 .time = 1,
		 .node = "n1",
		 .pid = 1,
		 .name = "write",
		 .local = "127.0.0.1:1",
		 .peer = "127.0.0.1:2",
		 .proto = "tcp",
		 .seq = 1000,
		 .netns = 1},
		{.who = "b",
		 .time = 2,
		 .node = "n1",
		 .pid = 2,
		 .name = "read",
		 .local = "127.0.0.1:2",
		 .peer = "127.0.0.1:1",
		 .proto = "tcp",
		 .seq = 1000,
		 .netns = 2},
		{.who = "c",
		 .time = 3,
		 .node = "n2",
		 .pid = 2,
		 .name = "read",
		 .local = "127.0.0.1:2",
		 .peer = "127.0.0.1:1",
		 .proto = "tcp",
		 .seq = 1000,
		 .netns = 1},
		{.who = "d",
		 .time = 4,
		 .node = "n1",
		 .pid = 2,
		 .name = "read",
		 .local = "127.0.0.1:2",
		 .peer = "127.0.0.1:1",
		 .proto = "tcp",
		 .seq = 1000,
		 .netns = 1},
	};

	(void)state;
	EXPECT(c, "a< exact, b< none, c< none, d<a exact");
}

/* Without numbers: in the order of the stream. */
static void without_numbers_the_order_of_the_stream_counts(void **state)
{
	const struct call c[] = {
		SEND("a", 1, "n1", 0),
		SEND("b", 2, "n1", 0),
		RECV("c", 3, "n2", 0),
		RECV("d", 4, "n2", 0),
		{.who = "e",
		 .time = 5,
		 .node = "n2",
		 .pid = 2,
		 .name = "read",
		 .local = B,
		 .peer = "10.0.0.9:1",
		 .proto = "tcp"},
	};

	(void)state;
	EXPECT(c, "a< order, b< order, c<a order, d<b order, e< none");
}

/* UDP: size, place of the tag and order; ends that do not know the other's address, or their
 * own. */
#define UDP(w, t, n, what, l, p, size, at) \
	{ \
		.who = w, .time = t, .node = n, .pid = (what)[0], .name = what, .local = l, \
		.peer = p, .proto = "udp", .bytes = size, .hits = at \
	}
static void datagrams_match_by_size_place_and_order(void **state)
{
	const struct call c[] = {
		UDP("a", 1, "n1", "sendto", "0.0.0.0:5353", "10.0.0.2:53", 60, "tag@5"),
		UDP("b", 2, "n1", "sendto", "0.0.0.0:5353", "10.0.0.2:53", 70, "tag@5"),
		UDP("c", 3, "n1", "sendto", "0.0.0.0:5353", "10.0.0.2:53", 60, "tag@5"),
		UDP("d", 4, "n1", "sendto", "0.0.0.0:5353", "10.0.0.2:53", 60, "tag@6"),
		UDP("e", 5 - MS, "n2", "recvfrom", "0.0.0.0:53", "10.0.0.1:5353", 70, "tag@5"),
		UDP("f", 6 - MS, "n2", "recvfrom", "0.0.0.0:53", NULL, 60, "tag@5"),
		UDP("g", 7 - MS, "n2", "recvfrom", "10.0.0.2:53", "10.0.0.1:5353", 60, "tag@5"),
		UDP("h", 8 - MS, "n2", "recvfrom", "10.0.0.2:54", "10.0.0.1:5353", 60, "tag@6"),
	};
	const struct call lost[] = {
		UDP("a", 10, "n1", "sendto", A, B, 60, "tag@5"),
		UDP("b", 20, "n1", "sendto", A, B, 60, "tag@5"),
		UDP("c", 30, "n1", "sendto", A, B, 60, "tag@5"),
		UDP("r", 25, "n1", "recvfrom", B, A, 60, "tag@5"),
	};

	(void)state;
	EXPECT(c,
	       "a< order, b< order, e<b order, f<a order, c< order, g<c order, h< none, d< none");
	EXPECT(lost, "a< none, b< order, r<b order, c< none");
}

/* Unix sockets: by inode; by order; one that was written before it was accepted, and closed before
 * it was read. */
#define UNIX(w, t, what, own, other, size) \
	{ \
		.who = w, .time = t, .pid = own, .name = what, .file = "socket:[1]", \
		.proto = "unix", .ino = own, .peer_ino = other, .bytes = size \
	}
static void unix_sockets(void **state)
{
	const struct call c[] = {
		UNIX("a", 1, "write", 10, 11, 100), UNIX("b", 2, "write", 20, 21, 100),
		UNIX("c", 3, "write", 10, 11, 100), UNIX("d", 4, "read", 11, 10, 100),
		UNIX("e", 5, "read", 21, 0, 100),   UNIX("f", 6, "read", 11, 10, 100),
		UNIX("g", 7, "write", 30, 0, 50),   UNIX("h", 8, "read", 31, 30, 50),
		UNIX("i", 9, "write", 40, 0, 60),   UNIX("j", 10, "read", 41, 0, 60),
		UNIX("k", 11, "read", 51, 50, 60),
	};

	const struct call accepted[] = {
		/* between the first and the second */
		UNIX("a", 1, "write", 10, 0, 100), UNIX("b", 2, "write", 10, 11, 80),
		UNIX("c", 3, "read", 11, 10, 35),  UNIX("d", 4, "read", 11, 10, 65),
		UNIX("e", 5, "read", 11, 10, 80),  UNIX("f", 6, "read", 51, 0, 80),
	};

	(void)state;
	EXPECT(accepted, "a< order, b< order, c<a order, d<b order, e<b order, f< none");
	EXPECT(c, "a< order, b< order, c< order, d<a order, e<b order, f<c order, g< order, h<g "
		  "order, i< order, j<i order, k< none");
}

/* The connection of TLS is not known. Two ends match once if they have the same size, with the tag
 * at the same place. */
#define TLS(w, t, n, what, p, size, at) \
	{ \
		.who = w, .time = t, .node = n, .pid = p, .name = what, .bytes = size, .hits = at \
	}
static void ends_of_tls_match_once_by_size_and_place(void **state)
{
	const struct call c[] = {
		TLS("a", 1, "n1", "tls_write", 1, 100, "tag@1"),
		TLS("b", 2, "n1", "tls_write", 1, 100, "tag@2"),
		TLS("c", 3, "n2", "tls_read", 2, 100, "tag@2"),
		TLS("d", 4, "n2", "tls_read", 2, 100, "tag@2"),
		TLS("e", 5, "n2", "tls_read", 2, 90, "tag@1"),
		TLS("f", 6, "n2", "tls_read", 2, 100, "tag@1"),
	};

	(void)state;
	EXPECT(c, "a< order, b< order, c<b order, d< none, e< none, f<a order");
}

/* A pipe gives in the order in which it took; several writes may be read at once. */
#define PIPE(w, t, what, p, size, at) \
	{ \
		.who = w, .time = t, .pid = p, .name = what, .file = "pipe:[5]", .ino = 5, \
		.bytes = size, .hits = at \
	}
static void a_pipe_gives_in_the_order_it_took(void **state)
{
	const struct call c[] = {
		PIPE("a", 1, "write", 1, 100, "tag@1"), PIPE("b", 2, "write", 1, 100, "tag@2"),
		PIPE("c", 3, "read", 2, 100, "tag@1"),  PIPE("d", 4, "write", 1, 100, "tag@3"),
		PIPE("e", 5, "read", 2, 200, "tag@2"),  PIPE("f", 6, "write", 1, 100, "tag@4"),
		PIPE("g", 7, "read", 2, 100, "tag@4"),
	};

	(void)state;
	EXPECT(c, "a< order, b< order, c<a order, d< order, e<b order, e<d order, f< order, g<f "
		  "order");
}

/* A server of FUSE: the reply with the place that is read, though another came later; a request for
 * what was written. The reader's second read has what the kernel kept. */
static void a_reply_of_fuse_has_what_was_read_there(void **state)
{
	const struct call c[] = {
		{.who = "a",
		 .time = 1,
		 .pid = 1,
		 .name = "writev",
		 .file = "/dev/fuse",
		 .ino = 3,
		 .fuse_dev = 50,
		 .offset = 0,
		 .bytes = 4000,
		 .hits = "tag@10"},
		{.who = "b",
		 .time = 2,
		 .pid = 1,
		 .name = "writev",
		 .file = "/dev/fuse",
		 .ino = 3,
		 .fuse_dev = 50,
		 .offset = 4096,
		 .bytes = 4000,
		 .hits = "tag@10"},
		{.who = "c",
		 .time = 3,
		 .pid = 9,
		 .name = "writev",
		 .file = "/dev/fuse",
		 .ino = 3,
		 .fuse_dev = 51,
		 .offset = 0,
		 .bytes = 4000,
		 .hits = "tag@10"},
		{.who = "d",
		 .time = 4,
		 .pid = 2,
		 .name = "read",
		 .file = "/mnt/f",
		 .ino = 1,
		 .dev = 50,
		 .offset = 0,
		 .bytes = 20,
		 .hits = "tag@10"},
		{.who = "e",
		 .time = 5,
		 .pid = 2,
		 .name = "read",
		 .file = "/mnt/f",
		 .ino = 1,
		 .dev = 50,
		 .offset = 4100,
		 .bytes = 20,
		 .hits = "tag@6"},
		{.who = "f",
		 .time = 6,
		 .pid = 2,
		 .name = "write",
		 .file = "/mnt/g",
		 .ino = 2,
		 .dev = 50,
		 .offset = 7,
		 .bytes = 20,
		 .hits = "tag@0"},
		{.who = "g",
		 .time = 7,
		 .pid = 1,
		 .name = "read",
		 .file = "/dev/fuse",
		 .ino = 3,
		 .fuse_dev = 50,
		 .offset = 7,
		 .bytes = 99,
		 .hits = "tag@0"},
		{.who = "h",
		 .time = 8,
		 .pid = 9,
		 .name = "read",
		 .file = "/dev/fuse",
		 .ino = 3,
		 .fuse_dev = 51,
		 .offset = 7,
		 .bytes = 99,
		 .hits = "tag@0"},
	};
	const struct call unknown[] = {
		/* the kernel does not say which file system */
		{.who = "a",
		 .time = 1,
		 .pid = 1,
		 .name = "writev",
		 .file = "/dev/fuse",
		 .ino = 3,
		 .offset = 0,
		 .bytes = 4000,
		 .hits = "tag@10"},
		{.who = "b",
		 .time = 2,
		 .pid = 2,
		 .name = "read",
		 .file = "/mnt/f",
		 .ino = 1,
		 .dev = 50,
		 .offset = 0,
		 .bytes = 20,
		 .hits = "tag@10"},
		{.who = "c",
		 .time = 3,
		 .pid = 2,
		 .name = "read",
		 .file = "/disk/f",
		 .ino = 1,
		 .dev = 8 << 20,
		 .offset = 0,
		 .bytes = 20,
		 .hits = "tag@10"},
		{.who = "d",
		 .time = 4,
		 .pid = 2,
		 .name = "write",
		 .file = "/mnt/f",
		 .ino = 1,
		 .dev = 50,
		 .offset = 5,
		 .bytes = 20},
		{.who = "e",
		 .time = 5,
		 .pid = 1,
		 .name = "read",
		 .file = "/dev/fuse",
		 .ino = 3,
		 .offset = 5,
		 .bytes = 99},
	};

	(void)state;
	EXPECT(c,
	       "a< exact, b< exact, c< none, d<a exact, e<b exact, f<e exact, g<f exact, h< none");
	EXPECT(unknown, "a< order, b<a order, c< , d<c order, e<d order");
}

static int count(void *self, const struct rn_value *v, int64_t time_ns)
{
	(void)v;
	(void)time_ns;
	++*(unsigned *)self;
	return 0;
}

/* Two pairings that cannot both be true: the answer is an answer all the same. */
static void pairings_that_contradict_still_give_an_answer(void **state)
{
	const struct call c[] = {
		RECV("a", 1, "n2", 1000),
		{.who = "b",
		 .time = 2,
		 .node = "n2",
		 .pid = 2,
		 .name = "write",
		 .local = B,
		 .peer = A,
		 .proto = "tcp",
		 .seq = 50},
		{.who = "c",
		 .time = 1,
		 .node = "n1",
		 .pid = 1,
		 .name = "read",
		 .local = A,
		 .peer = B,
		 .proto = "tcp",
		 .seq = 50},
		SEND("d", 2, "n1", 1000),
	};
	struct rn_arena *a = rn_arena_create(1 << 20);
	struct rn_flow *f = flow_of(a);
	unsigned n = 0;

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		add(f, a, &c[i]);
	assert_int_equal(rn_flow_visit(f, count, &n), 0);
	assert_int_equal(n, 4);
	rn_arena_destroy(a);
}

/* ---- messages and alignment, on many random hops ---- */

enum { NODES = 5, MESSAGES = 1500 };
static const int64_t clocks[NODES] = {0, HOUR, -HOUR, 7 * MS, -7 * MS};
static const char *const node_names[NODES] = {"n0", "n1", "n2", "n3", "n4"};

struct found {
	unsigned n;
	int64_t least;
};

static int found(void *self, const struct rn_flow_message *m)
{
	struct found *f = self;
	int64_t took =
		(m->received_ns - clocks[m->to[1] - '0']) - (m->sent_ns - clocks[m->from[1] - '0']);

	assert_string_not_equal(m->from, m->to);
	assert_true(took > 0); /* by a clock that knows */
	f->least = !f->n || took < f->least ? took : f->least;
	f->n++;
	return 0;
}

static int64_t straight(void *self, const char *node, int64_t time_ns, int64_t *bound_ns)
{
	(void)self;
	*bound_ns = 0;
	return time_ns - clocks[node[1] - '0'];
}

/* MESSAGES sends of random sizes over a few connections between nodes with clocks of their own;
 * each is read in one or two parts. */
static unsigned traffic(struct rn_flow *f, struct rn_arena *a, unsigned seed, bool shuffled)
{
	struct call *c = calloc(3 * MESSAGES, sizeof(*c));
	int64_t seq[NODES][NODES], now = HOUR * 10;
	unsigned n = 0, crossings = 0;

	srand(seed);
	for (unsigned i = 0; i < NODES * NODES; i++)
		seq[i / NODES][i % NODES] = (int64_t)((uint32_t)rand() * 77777u);
	for (unsigned i = 0; i < MESSAGES; i++) {
		unsigned x = (unsigned)rand() % NODES, y = (unsigned)rand() % NODES,
			 parts = 1 + (unsigned)rand() % 2;
		int64_t bytes = 40 + rand() % 1000,
			first = parts > 1 ? 20 + rand() % (bytes - 30) : bytes;
		const char *from = rn_arena_printf(a, "10.0.0.%u:100%u", x + 1, y),
			   *to = rn_arena_printf(a, "10.0.0.%u:80", y + 1);

		now += 1 + rand() % 1000;
		c[n++] = (struct call){.who = rn_arena_printf(a, "s%u", i),
				       .time = now + clocks[x],
				       .node = node_names[x],
				       .pid = 1,
				       .name = "write",
				       .local = from,
				       .peer = to,
				       .proto = "tcp",
				       .seq = seq[x][y],
				       .bytes = bytes};
		now += 1 + rand() % 100;
		for (unsigned p = 0; p < parts; p++) {
			int64_t at = p ? first : 0;

			c[n++] = (struct call){.who = rn_arena_printf(a, "r%u", i),
					       .time = ++now + clocks[y],
					       .node = node_names[y],
					       .pid = 2,
					       .name = "read",
					       .local = to,
					       .peer = from,
					       .proto = "tcp",
					       .seq = (seq[x][y] + at) & UINT32_MAX,
					       .bytes = p ? bytes - first : first,
					       .hits = p ? "tag@5" : "tag@0"};
			crossings += x != y;
		}
		seq[x][y] = (seq[x][y] + bytes) & UINT32_MAX;
	}
	for (unsigned i = n; shuffled && i > 1; i--) {
		unsigned k = (unsigned)rand() % i;
		struct call t = c[i - 1];

		c[i - 1] = c[k];
		c[k] = t;
	}
	for (unsigned i = 0; i < n; i++)
		add(f, a, &c[i]);
	free(c);
	return crossings;
}

static void random_traffic(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= 6; seed++) {
		struct rn_arena *a = rn_arena_create(1 << 26);
		struct rn_flow *f = flow_of(a);
		struct seen *s = RN_NEW(a, struct seen);
		struct found m = {0};
		unsigned crossings = traffic(f, a, seed, seed > 2);

		assert_int_equal(rn_flow_messages(f, found, &m), 0);
		assert_int_equal(m.n, crossings);
		assert_true(m.least > 0);
		if (seed % 2)
			rn_flow_align(f, straight, NULL);
		s->keep = a;
		assert_int_equal(rn_flow_visit(f, see, s), 0);
		for (unsigned i = 0; i < s->n; i++) {
			if (s->who[i][0] != 'r')
				continue;
			assert_true(s->from[i] > 0);
			assert_string_equal(s->who[i] + 1, s->who[s->from[i] - 1] + 1);
		}
		/* with clocks that are right: in the order of time, except for a send that has
		 * begun before */
		for (unsigned i = 1; i < s->n && seed % 2; i++)
			assert_true(s->time[i] >= s->time[i - 1] - 1);
		rn_arena_destroy(a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_receiver_behind_waits_for_its_cause),
		cmocka_unit_test(a_blocking_send_is_ordered_by_its_entry),
		cmocka_unit_test(connections_with_the_same_tag_are_kept_apart),
		cmocka_unit_test(a_send_may_be_read_in_parts),
		cmocka_unit_test(sequence_numbers_go_round),
		cmocka_unit_test(rewritten_addresses_are_matched_by_number),
		cmocka_unit_test(loopback_is_one_namespace_of_one_node),
		cmocka_unit_test(without_numbers_the_order_of_the_stream_counts),
		cmocka_unit_test(datagrams_match_by_size_place_and_order),
		cmocka_unit_test(unix_sockets),
		cmocka_unit_test(ends_of_tls_match_once_by_size_and_place),
		cmocka_unit_test(a_pipe_gives_in_the_order_it_took),
		cmocka_unit_test(a_reply_of_fuse_has_what_was_read_there),
		cmocka_unit_test(pairings_that_contradict_still_give_an_answer),
		cmocka_unit_test(random_traffic),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
