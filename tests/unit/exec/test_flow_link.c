/* test_flow_link.c - how `from` was found, and how many hops it could have been: what is certain is
 * right, and what is not says so. */
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

static const char *const labels[] = {
#define X(id, name) name,
	RN_FLOW_NEEDS(X)
#undef X
};
enum {
#define X(id, name) C_##id,
	RN_FLOW_NEEDS(X)
#undef X
		NCOLS
};

/* Defaults: tag "tag" at place 0, 100 bytes, process 2, thread 2. */
struct call {
	const char *who;
	int64_t time;
	const char *name, *file;
	int64_t bytes;
	const char *around, *hits, *tags, *source;
	int64_t ino, offset, latency, tid, pid, seq, source_ino;
	const char *local, *peer, *proto;
	int64_t flags, peer_ino, dev, fuse_dev, fuse_node, fuse_tid, ppid, start;
};
struct seen {
	char text[8192];
	const char *who[4096];
	unsigned n, rows;
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

	(void)time_ns;
	s->n = (unsigned)v[RN_FLOW_HOP].i;
	s->who[s->n] = rn_arena_strndup(s->keep, v[RN_FLOW_PROC].s, v[RN_FLOW_PROC].len);
	assert_true(from < s->n);
	if (from && strlen(s->text) < sizeof(s->text) - 200)
		sprintf(s->text + strlen(s->text), "%s%s<%s %.*s %d", s->text[0] ? ", " : "",
			s->who[s->n], s->who[from], (int)v[RN_FLOW_LINK].len, v[RN_FLOW_LINK].s,
			(int)v[RN_FLOW_CHOICES].i);
	else
		assert_true(from || (!v[RN_FLOW_LINK].len && !v[RN_FLOW_CHOICES].i));
	s->rows++;
	return 0;
}

static void add(struct rn_flow *f, struct rn_arena *a, const struct call *k, unsigned ncols)
{
	struct rn_value v[NCOLS];
	int64_t time_ns = k->time;

	for (unsigned i = 0; i < NCOLS; i++)
		v[i] = rn_int(0);
	v[C_TIME] = rn_int(k->time), v[C_NODE] = str("n"), v[C_PROC] = str(k->who),
	v[C_PID] = rn_int(k->pid ? k->pid : 2);
	v[C_NAME] = str(k->name), v[C_FILE] = str(k->file), v[C_LOCAL] = ip(a, k->local),
	v[C_PEER] = ip(a, k->peer);
	v[C_SOURCE] = str(k->source), v[C_BYTES] = rn_int(k->bytes ? k->bytes : 100),
	v[C_LATENCY] = rn_int(k->latency);
	v[C_TAGS] = str(k->tags ? k->tags : "tag"), v[C_PROTO] = str(k->proto),
	v[C_OFFSET] = rn_int(k->offset);
	v[C_HITS] = str(k->hits ? k->hits : "tag@0"), v[C_TID] = rn_int(k->tid ? k->tid : 2),
	v[C_AROUND] = str(k->around);
	v[C_INO] = rn_int(k->ino), v[C_SEQ] = rn_int(k->seq),
	v[C_SOURCE_INO] = rn_int(k->source_ino);
	v[C_SOURCE_DEV] = rn_int(k->source_ino ? 8 << 20 : 0);
	v[C_DEV] = rn_int(k->dev   ? k->dev
			  : k->ino ? 8 << 20
				   : 0),
	v[C_FUSE_DEV] = rn_int(k->fuse_dev);
	v[C_FUSE_NODE] = rn_int(k->fuse_node), v[C_FUSE_TID] = rn_int(k->fuse_tid);
	v[C_FLAGS] = rn_int(k->flags), v[C_PEER_INO] = rn_int(k->peer_ino);
	v[C_PPID] = rn_int(k->ppid), v[C_START] = rn_int(k->start);
	rn_flow_add(
		f, &(struct rn_rows){.nrows = 1, .ncols = ncols, .values = v, .time_ns = &time_ns});
}

static struct rn_flow *flow_of(struct rn_arena *a, unsigned ncols)
{
	struct rn_column *cols = RN_NEWN(a, struct rn_column, NCOLS);

	for (unsigned i = 0; i < ncols; i++)
		cols[i].label = labels[i];
	return rn_flow_new(a, cols, ncols);
}

static void expect(const struct call *c, unsigned n, const char *want)
{
	struct rn_arena *a = rn_arena_create(1 << 24);
	struct rn_flow *f = flow_of(a, NCOLS);
	struct seen *s = RN_NEW(a, struct seen);

	s->keep = a;
	for (unsigned i = 0; i < n; i++)
		add(f, a, &c[n - 1 - i], NCOLS);
	assert_int_equal(rn_flow_visit(f, see, s), 0);
	assert_string_equal(s->text, want);
	assert_int_equal(rn_flow_forgotten(f), 0);
	rn_arena_destroy(a);
}
#define EXPECT(c, want) expect(c, sizeof(c) / sizeof(*(c)), want)
#define GET(w, t, n, ...) \
	{ \
		.who = w, .time = t, .name = "read", .file = "socket:[9]", .bytes = n, __VA_ARGS__ \
	}
#define PUT(w, t, n, ...) \
	{ \
		.who = w, .time = t, .name = "write", .file = "socket:[8]", .bytes = n, \
		__VA_ARGS__ \
	}

/* What a copy in the kernel puts out comes from the file that it read, not from what the process
 * did before. */
static void a_copy_comes_from_the_file_it_read(void **state)
{
	static const struct call c[] = {
		GET("a", 10, 100),
		{.who = "b",
		 .time = 20,
		 .name = "sendfile",
		 .file = "/D",
		 .ino = 4,
		 .source = "/B",
		 .source_ino = 3},
		{.who = "c", .time = 30, .name = "write", .file = "/E", .ino = 5, .pid = 7},
		{.who = "d",
		 .time = 40,
		 .name = "sendfile",
		 .file = "/F",
		 .ino = 6,
		 .source = "/renamed",
		 .source_ino = 5},
		/* another of that name */
		{.who = "e",
		 .time = 50,
		 .name = "sendfile",
		 .file = "/F",
		 .ino = 6,
		 .source = "/E",
		 .source_ino = 9},
		{.who = "f",
		 .time = 60,
		 .name = "splice",
		 .file = "socket:[3]",
		 .source = "pipe:[7]"},
	};

	(void)state;
	EXPECT(c, "d<c file 1");
}

/* Several tags of several origins; one of none. */
static void several_tags_have_their_own_causes(void **state)
{
	static const struct call c[] = {
		GET("a", 10, 100, .tags = "t1", .hits = "t1@0"),
		GET("b", 20, 100, .tags = "t2,t3", .hits = "t2@0 t3@9"),
		PUT("c", 30, 300, .tags = "t1,t2,t3,t4", .hits = "t1@0 t2@5 t3@9 t4@99"),
	};

	(void)state;
	EXPECT(c, "c<a process 1, c<b process 1");
}

#define X4(d) d d d d
/* Bytes around the tag: the same, others, too few, cut, and what is no text of ours. */
static void bytes_around_a_tag_choose_its_cause(void **state)
{
	static const struct call one[] = {
		/* what stands before is others' in each */
		GET("a", 1, 100, .hits = "tag@8", .around = "tag@0811112222-10" X4("abcd")),
		GET("b", 2, 90, .hits = "tag@8", .around = "tag@0833334444-10abcd111122223333"),
		GET("c", 3, 80, .hits = "tag@8", .around = "tag@0855556666-10abcdabcd11112222"),
		PUT("p", 4, 300, .around = "tag@0877778888-10" X4("abcd"), .hits = "tag@8"),
	};
	static const struct call both[] = {
		/* all that is known of a agrees, on both sides */
		GET("a", 1, 100, .hits = "tag@8", .around = "tag@0811112222-10" X4("abcd")),
		GET("b", 2, 90, .around = "tag@00-10abcd111122223333"),
		PUT("p", 4, 300, .hits = "tag@8", .around = "tag@0811112222-10" X4("abcd")),
	};
	/* the tag alone may be b's, in a text of the process that is as a's */
	static const struct call part[] = {
		GET("a", 1, 100, .hits = "tag@16", .around = "tag@10" X4("abcd") "-02aaaa"),
		GET("b", 2, 90, .hits = "tag@8", .around = "tag@0811112222-02bbbb"),
		PUT("p", 4, 300, .hits = "tag@16", .around = "tag@10" X4("abcd") "-02aaaa"),
	};
	static const struct call cut[] = {
		/* of b so little is known that it may be b as well */
		GET("a", 1, 100, .around = "tag@00-10" X4("abcd")),
		GET("b", 2, 90, .around = "tag@00-04abcd"),
		PUT("p", 4, 300, .around = "tag@00-10" X4("abcd"), .hits = "tag@7"),
	};
	static const struct call few[] = {
		/* 4 bytes that are the same may be so by chance */
		GET("a", 1, 100, .around = "tag@00-04abcd"),
		GET("b", 2, 90, .around = "tag@00-041111"),
		PUT("p", 4, 300, .around = "tag@00-10" X4("abcd"), .hits = "tag@7"),
	};
	static const struct call none[] = {
		/* all were rewritten */
		GET("a", 1, 100, .around = "tag@00-10" X4("abcd")),
		GET("b", 2, 90, .around = "tag@00-10abcd111122223333"),
		PUT("p", 4, 300, .around = "tag@00-10" X4("7777"), .hits = "tag@7"),
	};
	/* what stands before is a header of the proxy; b's bytes are the same as far as they go */
	static const struct call before[] = {
		GET("a", 1, 100, .hits = "tag@16", .around = "tag@10abcdabcdaaaabbbb-00"),
		GET("b", 2, 90, .hits = "tag@8", .around = "tag@08abcdabcd-00"),
		PUT("p", 4, 300, .hits = "tag@16", .around = "tag@10abcdabcdccccdddd-00"),
	};
	static const struct call own[] = {
		/* what came before in the stream is not the hop's */
		GET("a", 1, 100, .hits = "tag@0", .around = "tag@10" X4("abcd") "-00"),
		GET("b", 2, 90, .hits = "tag@0", .around = "tag@10" X4("1111") "-00"),
		PUT("p", 4, 300, .hits = "tag@30", .around = "tag@10" X4("abcd") "-00"),
	};
	static const struct call bad[] = {
		GET("a", 1, 100, .around = "tag@zz-10" X4("abcd")),
		GET("b", 2, 90, .around = "tag@00-ffabcd"),
		GET("c", 3, 90, .around = "tag@"),
		GET("d", 4, 90, .around = "tag@00-10abc"),
		GET("e", 5, 90, .around = "@"),
		GET("f", 6, 90, .around = "xtag@00-10" X4("abcd")),
		PUT("p", 9, 300, .around = "tag@00-10" X4("abcd")),
	};

	(void)state;
	EXPECT(one, "p<a hash 1");
	EXPECT(both, "p<a hash 1");
	EXPECT(part, "p<b process 2");
	EXPECT(cut, "p<b process 2");
	EXPECT(few, "p<b process 2");
	EXPECT(none, "p<b process 2");
	EXPECT(before, "p<b process 2");
	EXPECT(own, "p<b process 2");
	EXPECT(bad, "p<f process 6");
}

#define C1 "10.0.0.1:41"
#define C2 "10.0.0.1:42"
#define C3 "10.0.0.1:43"
#define ME "10.0.0.2:80"
#define UP "10.0.0.3:99"
#define SENT(w, t, c, n, s, ...) \
	{ \
		.who = w, .time = t, .name = "write", .file = "socket:[1]", .bytes = n, \
		.local = c, .peer = ME, .proto = "tcp", .seq = s, .pid = 9, __VA_ARGS__ \
	}
#define GOT(w, t, c, n, s, i, ...) \
	{ \
		.who = w, .time = t, .name = "read", .file = "socket:[2]", .bytes = n, \
		.local = ME, .peer = c, .proto = "tcp", .seq = s, .ino = i, __VA_ARGS__ \
	}
#define ON(w, t, n, s, i, ...) \
	{ \
		.who = w, .time = t, .name = "write", .file = "socket:[3]", .bytes = n, \
		.local = ME, .peer = UP, .proto = "tcp", .seq = s, .ino = i, __VA_ARGS__ \
	}
#define XX "tag@00-10" X4("abcd")

/* The same bytes behind the tag, and as many: but only if those that have another number have all
 * of what their sender sent. */
static void lengths_choose_only_if_the_send_is_whole(void **state)
{
	static const struct call whole[] = {
		SENT("s", 1, C1, 100, 1000, .around = XX),
		SENT("t", 2, C2, 110, 1000, .around = XX),
		GOT("a", 3, C1, 100, 1000, 21, .around = XX),
		GOT("b", 4, C2, 110, 1000, 22, .around = XX),
		ON("p", 5, 153, 7000, 31, .around = XX, .hits = "tag@53"),
		ON("q", 6, 163, 7000, 32, .around = XX, .hits = "tag@53"),
	};
	/* the rest of what t sent has no tag: nobody knows when it came */
	static const struct call part[] = {
		SENT("s", 1, C1, 100, 1000, .around = XX),
		SENT("t", 2, C2, 110, 1000, .around = XX),
		GOT("a", 3, C1, 100, 1000, 21, .around = XX),
		GOT("b", 4, C2, 90, 1000, 22, .around = XX),
		ON("p", 5, 153, 7000, 31, .around = XX, .hits = "tag@53"),
	};
	static const struct call again[] = {
		/* a was put out before: q has a part of b */
		SENT("s", 1, C1, 100, 1000, .around = XX),
		GOT("a", 2, C1, 100, 1000, 21, .around = XX),
		ON("p", 3, 100, 7000, 31, .around = XX),
		SENT("t", 4, C2, 110, 1000, .around = XX),
		GOT("b", 5, C2, 110, 1000, 22, .around = XX),
		ON("q", 6, 100, 7100, 31, .around = XX),
	};

	(void)state;
	EXPECT(whole, "a<s exact 1, b<t exact 1, p<a length 1, q<b length 1");
	EXPECT(part, "a<s exact 1, b<t exact 1, p<b process 2");
	EXPECT(again, "a<s exact 1, p<a hash 1, b<t exact 1, q<b process 2");
}

/* A tunnel: the first link of two connections is the only one that there is; later ones are as far
 * apart. That names one of the choices, and excludes none: the tunnel may keep c back, and pass on
 * b, which is equal to it. */
static void a_tunnel_keeps_the_distance_of_its_first_link(void **state)
{
	static const struct call c[] = {
		GOT("a", 1, C1, 100, 1000, 21), ON("p", 2, 100, 7000, 31),
		GOT("b", 3, C2, 100, 5000, 22), GOT("c", 4, C1, 100, 1100, 21),
		GOT("d", 5, C3, 100, 9000, 23), ON("q", 6, 100, 7100, 31),
		ON("r", 7, 100, 7200, 31),
	};

	/* b was answered by the proxy itself: what stands around the tag is c's */
	static const struct call told[] = {
		GOT("a", 1, C1, 100, 1000, 21),
		ON("p", 2, 100, 7000, 31),
		GOT("b", 3, C1, 100, 1100, 21,
		    .around = "tag@00-1011112222"
			      "33334444"),
		GOT("c", 4, C1, 100, 1200, 21, .around = XX),
		ON("q", 5, 100, 7100, 31, .around = XX),
	};

	(void)state;
	EXPECT(c, "p<a process 1, q<c stream 4, r<d process 4");
	EXPECT(told, "p<a process 1, q<c process 3");
}

/* A thread for each connection, as far as is certain; and threads that pass on what they took. */
static void a_thread_for_each_connection_is_followed(void **state)
{
	static const struct call c[] = {
		GET("a", 1, 100, .tags = "t1", .hits = "t1@0", .tid = 11),
		PUT("p", 2, 100, .tags = "t1", .hits = "t1@0", .tid = 11),
		GET("b", 3, 100, .tags = "t2", .hits = "t2@0", .tid = 12),
		PUT("q", 4, 100, .tags = "t2", .hits = "t2@0", .tid = 12),
		GET("c", 5, 100, .tid = 11),
		GET("d", 6, 100, .tid = 12),
		PUT("r", 7, 100, .tid = 11),
		PUT("s", 8, 100, .tid = 12),
		PUT("t", 9, 100, .tid = 13),
	};
	static const struct call crossing[] = {
		GET("a", 1, 100, .tags = "t1", .hits = "t1@0", .tid = 11),
		PUT("p", 2, 100, .tags = "t1", .hits = "t1@0", .tid = 11),
		GET("b", 3, 100, .tags = "t2", .hits = "t2@0", .tid = 12),
		PUT("q", 4, 100, .tags = "t2", .hits = "t2@0", .tid = 12),
		GET("c", 5, 100, .tid = 11),
		GET("d", 6, 100, .tid = 12),
		PUT("r", 7, 100, .tid = 11),
		GET("e", 8, 100, .tags = "t3", .hits = "t3@0", .tid = 11),
		PUT("u", 9, 100, .tags = "t3", .hits = "t3@0", .tid = 12),
	};

	(void)state;
	EXPECT(c, "p<a process 1, q<b process 1, r<c thread 2, s<d thread 2, t<d process 2");
	EXPECT(crossing, "p<a process 1, q<b process 1, r<d process 2, u<e process 1");
}

#define FILE_(w, t, n, o, ...) \
	{ \
		.who = w, .time = t, .name = n, .file = "/f", .ino = 7, .offset = o, .bytes = 50, \
		.pid = t, __VA_ARGS__ \
	}
/* A file: by the place that is read. What was overwritten is no choice; what was written at the
 * same time is. */
static void a_file_gives_what_was_written_at_that_place(void **state)
{
	static const struct call c[] = {
		FILE_("a", 10, "write", 0),
		FILE_("b", 20, "write", 100),
		FILE_("r", 30, "read", 0),
		FILE_("s", 40, "read", 100),
		FILE_("c", 50, "write", 0),
		FILE_("u", 60, "read", 0),
		FILE_("d", 90, "write", 0, .latency = 20),
		FILE_("e", 91, "write", 0, .latency = 20),
		FILE_("v", 100, "read", 0),
		FILE_("w", 110, "read", 500),
	};
	static const struct call mapped[] = {
		/* who knows when it was written? */
		FILE_("a", 10, "write", 0),
		FILE_("b", 20, "mmap_write", 0),
		FILE_("r", 30, "read", 0),
	};

	(void)state;
	EXPECT(c, "r<a file 1, s<b file 1, u<c file 1, v<e file 2");
	EXPECT(mapped, "r<b file 2");
}

#define COPY(w, t, from, to, o) \
	{ \
		.who = w, .time = t, .name = "copy_file_range", .file = "/to", .ino = to, \
		.source = "/from", .source_ino = from, .offset = o, .bytes = 50, .pid = t \
	}
/* A copy says where it reads, not where it writes. */
static void a_copy_says_where_it_reads(void **state)
{
	static const struct call joined[] = {
		/* cat p1 p2 >p3; cat p3 */
		{.who = "a", .time = 10, .name = "write", .file = "/p1", .ino = 1, .pid = 3},
		{.who = "b", .time = 20, .name = "write", .file = "/p2", .ino = 2, .pid = 4},
		COPY("c", 30, 1, 7, 0),
		COPY("d", 40, 2, 7, 0),
		FILE_("r", 50, "read", 0),
	};
	static const struct call swapped[] = {
		COPY("a", 10, 3, 7, 0),
		COPY("b", 20, 3, 7, 4096),
		FILE_("r", 30, "read", 0),
		FILE_("s", 40, "read", 4096),
	};
	static const struct call moved[] = {COPY("a", 10, 3, 7, 4096),
					    FILE_("r", 30, "read", 8192)};
	static const struct call over[] = {FILE_("a", 10, "write", 0), COPY("b", 20, 3, 7, 0),
					   FILE_("r", 30, "read", 0), FILE_("c", 40, "write", 0),
					   FILE_("s", 50, "read", 0)};

	(void)state;
	EXPECT(joined, "c<a file 1, d<b file 1, r<d file 2");
	EXPECT(swapped, "r<b file 2, s<b file 2");
	EXPECT(moved, "r<a file 1");
	EXPECT(over, "r<b file 2, s<c file 1");
}

#define PIPED(w, t, n, i, path, ...) \
	{ \
		.who = w, .time = t, .name = n, .file = path, .bytes = 100, .pid = i, __VA_ARGS__ \
	}
#define PIPE(w, t, n, i, ...) PIPED(w, t, n, i, "pipe:[7]", __VA_ARGS__)
/* A pipe: what waits in it are the choices, but those with other bytes. */
static void what_waits_in_a_pipe_are_the_choices(void **state)
{
	static const struct call c[] = {
		PIPE("a", 1, "write", 1), PIPE("r", 2, "read", 2), PIPE("b", 3, "write", 1),
		PIPE("c", 4, "write", 1), PIPE("s", 5, "read", 2), PIPE("t", 6, "read", 2),
	};
	static const struct call told[] = {
		PIPE("b", 3, "write", 1, .around = "tag@00-10" X4("abcd")),
		PIPE("c", 4, "write", 1, .around = "tag@00-10" X4("1111")),
		PIPE("s", 5, "read", 2, .around = "tag@00-10" X4("1111")),
		PIPE("t", 6, "read", 2, .around = "tag@00-10" X4("abcd")),
	};

	(void)state;
	EXPECT(c, "r<a order 1, s<b order 2, t<c order 2");
	EXPECT(told, "s<c order 1, t<b order 1");
}

/* The server's side of a file of FUSE: w, node 5; messages without data of a file have none. */
#define WRITES(w, t, id, o, n, ...) \
	{ \
		.who = w, .time = t, .pid = id, .tid = id, .name = "write", .file = "/mnt/g", \
		.ino = 2, .dev = 50, .fuse_node = 5, .offset = o, .bytes = n, __VA_ARGS__ \
	}
#define READS(w, t, id, o, n, ...) \
	{ \
		.who = w, .time = t, .pid = id, .tid = id, .name = "read", .file = "/mnt/g", \
		.ino = 2, .dev = 50, .fuse_node = 5, .offset = o, .bytes = n, __VA_ARGS__ \
	}
#define ASKS(w, t, o, n, ...) \
	{ \
		.who = w, .time = t, .pid = 1, .name = "splice", .file = "pipe:[7]", \
		.source = "/dev/fuse", .source_ino = 3, .fuse_dev = 50, .offset = o, .bytes = n, \
		__VA_ARGS__ \
	}
#define REPLIES(w, t, o, n, ...) \
	{ \
		.who = w, .time = t, .pid = 1, .name = "writev", .file = "/dev/fuse", .ino = 3, \
		.fuse_dev = 50, .offset = o, .bytes = n, __VA_ARGS__ \
	}

/* A request belongs to the call of the thread that it names. Without a thread (it was written back)
 * all that wrote there may be it, and so may what leaves the thread alone. A request with a name in
 * it is nobody's data. */
static void fuse_requests(void **state)
{
	static const struct call c[] = {
		WRITES("f", 60, 31, 0, 20, .latency = 50),
		WRITES("g", 61, 32, 0, 20, .latency = 50),
		{.who = "h",
		 .time = 62,
		 .tid = 31,
		 .name = "write",
		 .file = "/mnt/h",
		 .ino = 3,
		 .dev = 50,
		 .fuse_node = 6,
		 .latency = 48},
		ASKS("m", 20, 0, 100, .fuse_node = 5, .fuse_tid = 31),
		ASKS("n", 21, 0, 100, .fuse_node = 5, .fuse_tid = 32),
		ASKS("lookup", 22, 0, 49),
		ASKS("o", 23, 0, 100, .fuse_node = 5, .fuse_tid = 33),
		ASKS("p", 70, 0, 100, .fuse_node = 5),
		WRITES("i", 80, 34, 200, 20, .latency = 5),
		WRITES("j", 90, 34, 200, 20, .latency = 5),
		ASKS("q", 87, 200, 100, .fuse_node = 5, .fuse_tid = 34),
	};
	static const struct call detached[] = {
		{.who = "f",
		 .time = 10,
		 .tid = 31,
		 .name = "io_submit",
		 .file = "/mnt/g",
		 .ino = 2,
		 .dev = 50,
		 .fuse_node = 5,
		 .latency = 5},
		WRITES("g", 30, 31, 0, 20, .latency = 10),
		ASKS("m", 25, 0, 100, .fuse_node = 5, .fuse_tid = 31),
		ASKS("n", 40, 0, 100, .fuse_node = 5, .fuse_tid = 31),
	};

	(void)state;
	EXPECT(c, "m<f fuse 1, n<g fuse 1, p<g fuse 2, q<j fuse 1");
	EXPECT(detached, "m<g fuse 2, n<f fuse 1");
}

/* What is read is from the reply to its own request, else from the latest that has it. A reply of
 * which nobody knows what it answers may be it. */
static void fuse_replies(void **state)
{
	static const struct call c[] = {
		REPLIES("a", 10, 0, 4112, .fuse_node = 5, .fuse_tid = 31),
		REPLIES("b", 12, 0, 4112, .fuse_node = 5, .fuse_tid = 32),
		READS("r", 20, 31, 0, 100, .latency = 15),
		READS("s", 21, 33, 0, 100),
		REPLIES("c", 30, 8192, 4112, .fuse_node = 5),
		READS("t", 40, 33, 12288, 100),
		READS("u", 41, 33, 8192, 100),
		REPLIES("names", 50, 0, 99),
		READS("v", 60, 33, 8192, 100),
	};
	/* to the file: before the reply, while the reader was at work, and after */
	static const struct call written[] = {
		WRITES("f", 5, 30, 0, 20),
		REPLIES("a", 10, 0, 4112, .fuse_node = 5, .fuse_tid = 31),
		READS("r", 20, 31, 0, 100, .latency = 15),
		WRITES("g", 30, 30, 0, 20),
		READS("s", 40, 31, 0, 20),
		WRITES("h", 50, 30, 0, 20, .latency = 5),
		READS("t", 55, 31, 0, 20, .latency = 9),
	};
	static const struct call spliced[] = {REPLIES("a", 10, 0, 4112),
					      READS("r", 20, 31, 0, 100)};

	(void)state;
	EXPECT(c, "r<a fuse 1, s<b fuse 2, u<c fuse 1, v<c fuse 2");
	EXPECT(written, "r<a fuse 1, s<g file 1, t<h file 3");
	EXPECT(spliced, "r<a fuse 2");
}

#define NOWHERE(w, t, n, i, path, ...) \
	{ \
		.who = w, .time = t, .name = n, .file = path, .ino = 7, .offset = -1, \
		.bytes = 100, .pid = i, __VA_ARGS__ \
	}
#define FIFO(w, t, n, i, ...) NOWHERE(w, t, n, i, "/fifo", __VA_ARGS__)
/* What has an inode and no positions is a channel: what was written last is not what is read first.
 * Nothing is known of a terminal. */
static void what_has_no_positions_is_a_channel(void **state)
{
	static const struct call c[] = {
		FIFO("a", 1, "write", 1),
		FIFO("b", 2, "write", 3),
		FIFO("r", 3, "read", 2),
		FIFO("s", 4, "read", 2),
	};
	static const struct call told[] = {
		FIFO("a", 1, "write", 1, .around = XX),
		FIFO("b", 2, "write", 3, .around = "tag@00-10" X4("1111")),
		FIFO("r", 3, "read", 2, .around = XX),
		FIFO("s", 4, "read", 4, .around = "tag@00-10" X4("1111")),
	};
	static const struct call filled[] = {
		/* by a copy, which has the place in what it reads */
		FIFO("a", 1, "write", 1),
		{.who = "b",
		 .time = 2,
		 .name = "splice",
		 .file = "/fifo",
		 .ino = 7,
		 .source = "/f",
		 .source_ino = 5,
		 .pid = 3},
		FIFO("r", 3, "read", 2),
		{.who = "s",
		 .time = 4,
		 .name = "splice",
		 .file = "/out",
		 .ino = 9,
		 .source = "/fifo",
		 .source_ino = 7,
		 .pid = 4,
		 .offset = -1},
		{.who = "t", .time = 5, .name = "read", .file = "/out", .ino = 9, .pid = 5},
	};
	static const struct call terminal[] = {
		NOWHERE("a", 1, "write", 1, "/dev/pts/3"),
		NOWHERE("b", 2, "write", 3, "/dev/ptmx"),
		NOWHERE("r", 3, "read", 2, "/dev/pts/3"),
		NOWHERE("s", 4, "read", 2, "/dev/ptmx"),
	};

	(void)state;
	EXPECT(c, "r<a order 2, s<b order 2");
	EXPECT(told, "r<a order 1, s<b order 1");
	EXPECT(filled, "r<a order 2, s<b order 2, t<s file 1");
	EXPECT(terminal, "");
}

#define UNIX(w, t, n, i, peer, ...) \
	{ \
		.who = w, .time = t, .name = n, .file = "socket:[5]", .proto = "unix", .ino = i, \
		.peer_ino = peer, .pid = i, __VA_ARGS__ \
	}
#define UDP(w, t, n, i, ...) \
	{ \
		.who = w, .time = t, .name = n, .file = "socket:[5]", .proto = "udp", \
		.local = i ? C1 : ME, .peer = i ? ME : C1, .pid = i + 1, __VA_ARGS__ \
	}
enum { PEEK = 2 /* MSG_PEEK */ };
/* What looks at the data, or copies it, leaves it there for the next one. */
static void a_peek_leaves_the_data_for_the_next(void **state)
{
	static const struct call local[] = {
		UNIX("a", 1, "sendto", 3, 4),   UNIX("p", 2, "recvfrom", 4, 3, .flags = PEEK),
		UNIX("b", 3, "sendto", 3, 4),   UNIX("r", 4, "recvfrom", 4, 3),
		UNIX("s", 5, "recvfrom", 4, 3),
	};
	static const struct call datagrams[] = {
		UDP("a", 1, "sendto", 1),   UDP("p", 2, "recvfrom", 0, .flags = PEEK),
		UDP("b", 3, "sendto", 1),   UDP("r", 4, "recvfrom", 0),
		UDP("s", 5, "recvfrom", 0),
	};
	static const struct call tee[] = {
		PIPE("a", 1, "write", 1), PIPED("t", 2, "tee", 2, "pipe:[8]", .source = "pipe:[7]"),
		PIPE("b", 3, "write", 1), PIPE("r", 4, "read", 3),
		PIPE("s", 5, "read", 3),  PIPED("u", 6, "read", 4, "pipe:[8]"),
	};
	static const struct call spliced[] = {
		/* the same number is SPLICE_F_NONBLOCK */
		PIPE("a", 1, "write", 1),
		PIPED("t", 2, "splice", 2, "pipe:[8]", .source = "pipe:[7]", .flags = PEEK),
		PIPE("b", 3, "write", 1),
		PIPE("r", 4, "read", 3),
	};

	(void)state;
	EXPECT(local, "p<a order 1, r<a order 2, s<b order 2");
	EXPECT(datagrams, "p<a order 1, r<a order 2, s<b order 2");
	EXPECT(tee, "t<a order 1, r<a order 2, s<b order 2, u<t order 1");
	EXPECT(spliced, "t<a order 1, r<b order 1");
}

/* What a recording of 0.1.0 lacks is not known: its links say that there are more choices, none is
 * wrong. */
static void what_a_recording_of_0_1_0_lacks_is_not_known(void **state)
{
	static const struct call c[] = {
		GET("a", 1, 100, .around = XX),
		GET("b", 2, 90),
		PUT("p", 4, 300, .around = XX),
	};
	struct rn_arena *a = rn_arena_create(1 << 24);
	struct rn_flow *f = flow_of(a, C_TID);
	struct seen *s = RN_NEW(a, struct seen);

	(void)state;
	s->keep = a;
	for (unsigned i = 0; i < 3; i++)
		add(f, a, &c[i], C_TID);
	assert_int_equal(rn_flow_visit(f, see, s), 0);
	assert_string_equal(s->text, "p<b process 2");
	rn_arena_destroy(a);
}

/* With little memory hops are forgotten: the least recently used process's first. They are counted,
 * and stay choices. */
static void forgotten_hops_are_counted_and_stay_choices(void **state)
{
	enum { N = 1000 };
	struct rn_arena *a = rn_arena_create(1 << 26);
	struct rn_flow *f = flow_of(a, NCOLS);
	struct seen *s = RN_NEW(a, struct seen);

	(void)state;
	s->keep = a;
	for (unsigned i = 0; i < N; i++)
		add(f, a, &(struct call)GET("g", i + 1, 100, .pid = i % 2 ? 5 : 6, .around = XX),
		    NCOLS);
	add(f, a,
	    &(struct call)GET("last", N + 1, 100, .pid = 6,
			      .around = "tag@00-1011112222"
					"33334444"),
	    NCOLS);
	add(f, a,
	    &(struct call)PUT("p", N + 2, 100, .pid = 6,
			      .around = "tag@00-1011112222"
					"33334444"),
	    NCOLS);
	add(f, a, &(struct call)PUT("q", N + 3, 100, .pid = 5, .around = XX), NCOLS);
	rn_flow_bound(f, 20000);
	assert_int_equal(rn_flow_visit(f, see, s), 0);
	assert_int_equal(s->n, N + 3);
	assert_true(rn_flow_forgotten(f) > N / 2);
	assert_non_null(strstr(s->text, "p<last "));
	/* those that were forgotten may have had the same bytes */
	assert_null(strstr(s->text, "p<last hash 1,"));
	assert_non_null(strstr(s->text, "q<g process 500"));
	rn_arena_destroy(a);
}

/* ---- what is no knowledge: random flows have shown it (test_flow_truth.c) ---- */

#define EE "tag@10" X4("eeee") "-10" X4("ffff")
#define MM "tag@10" X4("1111") "-10" X4("2222")

/* A process fills in a form: what it put out before it took the tag in has the same bytes. It may
 * have the tag in the second one from either. */
static void a_form_does_not_tell_where_its_tag_came_from(void **state)
{
	static const struct call c[] = {
		PUT("o", 1, 100, .hits = "tag@16", .around = EE),
		GET("a", 2, 100, .hits = "tag@16", .around = MM),
		PUT("p", 3, 100, .hits = "tag@16", .around = EE),
	};

	(void)state;
	EXPECT(c, "p<a process 2");
}

/* The process's own text comes back, and it sends that text again: it need not have it from
 * there. Text that it had not put out before does tell. */
static void a_text_that_came_back_does_not_tell(void **state)
{
	static const struct call again[] = {
		GET("a", 1, 100, .hits = "tag@16", .around = MM),
		PUT("p", 2, 90, .hits = "tag@16", .around = EE),
		GET("b", 3, 90, .hits = "tag@16", .around = EE),
		PUT("q", 4, 90, .hits = "tag@16", .around = EE),
	};
	/* only a part of it was put out before */
	static const struct call part[] = {
		GET("a", 1, 100, .hits = "tag@16", .around = MM),
		PUT("p", 2, 90, .hits = "tag@16", .around = "tag@10" X4("eeee") "-00"),
		GET("b", 3, 90, .hits = "tag@16", .around = EE),
		PUT("q", 4, 90, .hits = "tag@16", .around = EE),
	};
	static const struct call other[] = {
		GET("a", 1, 100, .hits = "tag@16", .around = MM),
		PUT("p", 2, 90, .hits = "tag@16", .around = MM),
		GET("b", 3, 90, .hits = "tag@16", .around = EE),
		PUT("q", 4, 90, .hits = "tag@16", .around = EE),
	};

	(void)state;
	EXPECT(again, "p<a process 1, q<b process 2");
	EXPECT(part, "p<a process 1, q<b process 2");
	EXPECT(other, "p<a hash 1, q<b hash 1");
}

/* A tunnel keeps b back, and passes on c, which has the same bytes: it stands where b would. */
static void a_place_in_a_stream_excludes_no_equal_message(void **state)
{
	static const struct call c[] = {
		GOT("a", 1, C1, 100, 1000, 21, .around = MM, .hits = "tag@16"),
		ON("p", 2, 100, 7000, 31, .around = MM, .hits = "tag@16"),
		GOT("b", 3, C1, 100, 1100, 21, .around = XX),
		GOT("c", 4, C1, 100, 1200, 21, .around = XX),
		ON("q", 5, 100, 7100, 31, .around = XX),
	};

	(void)state;
	EXPECT(c, "p<a hash 1, q<b stream 2");
}

/* Each tag of a receive is paired, if an address was rewritten and it has a later part of what was
 * sent. */
static void each_tag_of_a_rewritten_connection_is_paired(void **state)
{
#define NAT(w, t, n, s, at) GOT(w, t, "192.168.0.1:41", n, s, 21, .tags = "t1,t2", .hits = at)
	static const struct call c[] = {
		SENT("s", 1, C1, 100, 1000, .tags = "t1,t2", .hits = "t1@10 t2@20"),
		NAT("a", 2, 50, 1000, "t1@10 t2@20"),
		NAT("b", 3, 50, 1050, "t1@10 t2@20"),
	};
	struct rn_arena *a = rn_arena_create(1 << 24);
	struct rn_flow *f = flow_of(a, NCOLS);
	struct seen *s = RN_NEW(a, struct seen);

	(void)state;
	s->keep = a;
	for (unsigned i = 0; i < 3; i++)
		add(f, a, &c[i], NCOLS);
	assert_int_equal(rn_flow_visit(f, see, s), 0);
	assert_string_equal(s->text, "a<s nat 1, b<s nat 1");
	assert_int_equal(s->rows, 3); /* no tag has a row of its own */
	rn_arena_destroy(a);
}

/* What t sent was not received. a is of another connection, though its port and numbers are the
 * same. */
static void a_send_is_received_by_its_own_connection(void **state)
{
	static const struct call c[] = {
		SENT("s", 1, C1, 100, 1000),
		SENT("t", 2, C2, 100, 1050, .hits = "tag@5"),
		GOT("a", 3, C1, 100, 1000, 21),
	};

	(void)state;
	EXPECT(c, "a<s exact 1");
}

/* Bytes that have numbers do not go by order: what s sent and what a received are others. */
static void numbers_are_not_replaced_by_order(void **state)
{
	static const struct call c[] = {
		SENT("s", 1, C1, 100, 1000),
		GOT("a", 2, C1, 100, 5000, 21),
	};

	(void)state;
	EXPECT(c, "");
}

#define IN_PIPE(w, t, n, size, at, ...) \
	{ \
		.who = w, .time = t, .name = n, .file = "pipe:[5]", .bytes = size, .hits = at, \
		.pid = t, __VA_ARGS__ \
	}
/* A read has the end of other data before what a wrote. So b does not fit into it. In the other
 * one b fits, but so would data without the tag. */
static void a_read_may_have_more_than_one_write(void **state)
{
	static const struct call before[] = {
		IN_PIPE("a", 1, "write", 69, "tag@4"),
		IN_PIPE("b", 2, "write", 45, "tag@3"),
		IN_PIPE("r", 3, "read", 115, "tag@50", .around = XX),
	};
	static const struct call both[] = {
		IN_PIPE("a", 1, "write", 70, "tag@4", .around = XX),
		IN_PIPE("b", 2, "write", 45, "tag@3", .around = MM),
		IN_PIPE("r", 3, "read", 115, "tag@4", .around = XX),
	};

	(void)state;
	EXPECT(before, "r<a order 2");
	EXPECT(both, "r<a order 1, r<b order 2");
}

#define IN_UNIX(w, t, n, own, other, size, ...) \
	{ \
		.who = w, .time = t, .name = n, .file = "socket:[1]", .proto = "unix", .ino = own, \
		.peer_ino = other, .bytes = size, .pid = t, __VA_ARGS__ \
	}
/* Sockets that do not know their other end are many channels. That one of them was read, for
 * certain, does not tell what was read of another before. */
static void sockets_without_another_end_have_no_order(void **state)
{
	static const struct call c[] = {
		IN_UNIX("a", 1, "write", 10, 0, 100), IN_UNIX("b", 2, "write", 20, 0, 100),
		IN_UNIX("c", 3, "write", 30, 0, 70),  IN_UNIX("d", 4, "read", 21, 0, 100),
		IN_UNIX("e", 5, "read", 31, 0, 70),   IN_UNIX("f", 6, "write", 10, 11, 100),
		IN_UNIX("g", 7, "read", 11, 10, 100),
	};

	(void)state;
	EXPECT(c, "d<a order 2, e<c order 1, g<f order 2");
}

/* If events of the node were lost, they are one more choice of all links but those by numbers. */
static void lost_events_are_a_choice(void **state)
{
	static const struct call c[] = {
		SENT("s", 1, C1, 100, 1000),
		GOT("a", 2, C1, 100, 1000, 21, .around = XX),
		ON("p", 3, 100, 7000, 31, .around = XX),
		FILE_("b", 4, "write", 0),
		FILE_("d", 5, "read", 0),
		IN_PIPE("e", 6, "write", 100, "tag@0"),
		IN_PIPE("f", 7, "read", 100, "tag@0"),
	};
	static const char *const nodes[] = {"other", "n", NULL};
	static const char *const want[] = {
		"a<s exact 1, p<a hash 1, d<b file 1, f<e order 1",
		"a<s exact 1, p<a process 2, d<b file 2, f<e order 2",
		"a<s exact 1, p<a process 2, d<b file 2, f<e order 2",
	};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct rn_arena *a = rn_arena_create(1 << 24);
		struct rn_flow *f = flow_of(a, NCOLS);
		struct seen *s = RN_NEW(a, struct seen);

		s->keep = a;
		for (unsigned k = 0; k < sizeof(c) / sizeof(*c); k++)
			add(f, a, &c[k], NCOLS);
		rn_flow_lost(f, nodes[i]);
		assert_int_equal(rn_flow_visit(f, see, s), 0);
		assert_string_equal(s->text, want[i]);
		rn_arena_destroy(a);
	}
}

#define OF(id, parent, began, ...) .pid = id, .ppid = parent, .start = began, __VA_ARGS__
/* A child has what its parent had taken when it started the child, and nothing that came later. */
static void a_child_has_what_its_parent_had(void **state)
{
	static const struct call one[] = {
		GET("shell", 10, 100, OF(2, 1, 1)),
		PUT("child", 20, 100, OF(3, 2, 15)),
		PUT("child", 21, 50, OF(3, 2, 15)),
	};
	static const struct call before[] = {
		GET("shell", 10, 100, OF(2, 1, 1)),
		PUT("child", 20, 100, OF(3, 2, 5)),
	};
	static const struct call later[] = {
		GET("shell", 10, 100, OF(2, 1, 1)),
		GET("shell", 17, 100, OF(2, 1, 1)),
		PUT("child", 20, 100, OF(3, 2, 15)),
	};
	/* the parent's second call had begun when the child did */
	static const struct call within[] = {
		GET("shell", 10, 100, OF(2, 1, 1)),
		GET("shell", 17, 100, OF(2, 1, 1, .latency = 5)),
		PUT("child", 20, 100, OF(3, 2, 15)),
	};
	static const struct call several[] = {
		GET("a", 10, 100,
		    OF(2, 1, 1, .hits = "tag@8", .around = "tag@08aaaaaaaa-10" X4("aaaa"))),
		GET("b", 11, 100,
		    OF(2, 1, 1, .hits = "tag@8", .around = "tag@08bbbbbbbb-10" X4("bbbb"))),
		PUT("c", 20, 100, OF(3, 2, 15)),
		PUT("d", 21, 100,
		    OF(4, 2, 15, .hits = "tag@8", .around = "tag@08aaaaaaaa-10" X4("aaaa"))),
	};
	/* it took the tag in itself */
	static const struct call own[] = {
		GET("shell", 10, 100, OF(2, 1, 1)),
		GET("child", 18, 100, OF(3, 2, 15)),
		PUT("child", 20, 100, OF(3, 2, 15)),
	};

	/* another child put it out before the parent took it in */
	static const struct call elsewhere[] = {
		PUT("first", 7, 100, OF(5, 2, 6)),
		GET("shell", 10, 100, OF(2, 1, 1)),
		PUT("child", 20, 100, OF(3, 2, 15)),
	};

	(void)state;
	EXPECT(elsewhere, "child<shell inherit 2");
	EXPECT(one, "child<shell inherit 1, child<shell inherit 1");
	EXPECT(before, "");
	EXPECT(later, "child<shell inherit 1");
	EXPECT(within, "child<shell inherit 2");
	EXPECT(several, "c<b inherit 2, d<a inherit 1");
	EXPECT(own, "child<child process 1");
}

/* A process is its pid and when it began. An ancestor farther away is known if the ones between
 * have hops. */
static void ancestors_are_found_by_pid_and_start(void **state)
{
	static const struct call grandchild[] = {
		GET("shell", 10, 100, OF(2, 1, 1)),
		PUT("middle", 13, 100, OF(3, 2, 12, .tags = "gut", .hits = "gut@0")),
		PUT("cat", 20, 100, OF(4, 3, 15)),
	};
	/* the one between was started before the tag came */
	static const struct call early[] = {
		GET("shell", 10, 100, OF(2, 1, 1)),
		PUT("middle", 13, 100, OF(3, 2, 9, .tags = "gut", .hits = "gut@0")),
		PUT("cat", 20, 100, OF(4, 3, 15)),
	};
	static const struct call again[] = {
		GET("old", 10, 100, OF(2, 1, 1)),
		PUT("new", 14, 100, OF(2, 1, 12)),
		PUT("child", 20, 100, OF(3, 2, 15)),
	};
	static const struct call unknown[] = {
		GET("shell", 10, 100, OF(2, 1, 0)),
		PUT("child", 20, 100, OF(3, 2, 0)),
	};

	(void)state;
	EXPECT(grandchild, "cat<shell inherit 1");
	EXPECT(early, "");
	EXPECT(again, "");
	EXPECT(unknown, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_copy_comes_from_the_file_it_read),
		cmocka_unit_test(several_tags_have_their_own_causes),
		cmocka_unit_test(bytes_around_a_tag_choose_its_cause),
		cmocka_unit_test(lengths_choose_only_if_the_send_is_whole),
		cmocka_unit_test(a_tunnel_keeps_the_distance_of_its_first_link),
		cmocka_unit_test(a_thread_for_each_connection_is_followed),
		cmocka_unit_test(a_file_gives_what_was_written_at_that_place),
		cmocka_unit_test(a_copy_says_where_it_reads),
		cmocka_unit_test(what_has_no_positions_is_a_channel),
		cmocka_unit_test(a_peek_leaves_the_data_for_the_next),
		cmocka_unit_test(what_waits_in_a_pipe_are_the_choices),
		cmocka_unit_test(fuse_requests),
		cmocka_unit_test(fuse_replies),
		cmocka_unit_test(what_a_recording_of_0_1_0_lacks_is_not_known),
		cmocka_unit_test(forgotten_hops_are_counted_and_stay_choices),
		cmocka_unit_test(a_form_does_not_tell_where_its_tag_came_from),
		cmocka_unit_test(a_text_that_came_back_does_not_tell),
		cmocka_unit_test(a_place_in_a_stream_excludes_no_equal_message),
		cmocka_unit_test(each_tag_of_a_rewritten_connection_is_paired),
		cmocka_unit_test(a_send_is_received_by_its_own_connection),
		cmocka_unit_test(numbers_are_not_replaced_by_order),
		cmocka_unit_test(a_read_may_have_more_than_one_write),
		cmocka_unit_test(sockets_without_another_end_have_no_order),
		cmocka_unit_test(lost_events_are_a_choice),
		cmocka_unit_test(a_child_has_what_its_parent_had),
		cmocka_unit_test(ancestors_are_found_by_pid_and_start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
