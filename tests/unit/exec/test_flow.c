/* test_flow.c - a tagged file that is copied, piped, sent and written again is one path; order does
 * not depend on arrival. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "exec/flow/flow.h"
#include "lang/catalog/direction.h"
#include "lang/values/value.h"

static const char *const labels[] = {"time", "node",  "proc", "pid",    "name",  "file",    "dev",
				     "ino",  "local", "peer", "source", "bytes", "latency", "tags"};
enum { NCOLS = sizeof(labels) / sizeof(*labels) };

struct call {
	int time;
	const char *node, *proc;
	int pid;
	const char *name, *file, *local, *peer, *source;
	int latency;
	const char *tags;
	int ino;
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

struct seen {
	char text[8192];
	int64_t from[32];
	bool unseen[32];
	unsigned n, rows;
};

static int see(void *self, const struct rn_value *v, int64_t time_ns)
{
	struct seen *s = self;

	s->rows++;
	if (v[RN_FLOW_HOP].i == s->n) /* another cause of the same hop */
		return 0;
	assert_int_equal(v[RN_FLOW_HOP].i, s->n + 1);
	assert_int_equal(v[RN_FLOW_TIME].i, time_ns);
	s->unseen[s->n] = rn_is_unknown(&v[RN_FLOW_LATENCY]);
	s->from[s->n++] = v[RN_FLOW_FROM].i;
	sprintf(s->text + strlen(s->text), "%d %.*s %.*s %.*s from %d\n", (int)v[RN_FLOW_HOP].i,
		(int)v[RN_FLOW_PROC].len, v[RN_FLOW_PROC].s, (int)v[RN_FLOW_DIR].len,
		v[RN_FLOW_DIR].s, (int)v[RN_FLOW_OBJECT].len, v[RN_FLOW_OBJECT].s,
		(int)v[RN_FLOW_FROM].i);
	return 0;
}

enum { UNSEEN = -1 }; /* a latency: the beginning was not seen */

/* backwards: rows arrive in the opposite order. attached: when the query was, to n1 and n2; NULL:
 * not known. */
static void run_attached(const struct call *c, unsigned n, bool backwards, const int64_t *attached,
			 struct seen *out);
static void run(const struct call *c, unsigned n, bool backwards, struct seen *out)
{
	run_attached(c, n, backwards, NULL, out);
}

static void run_attached(const struct call *c, unsigned n, bool backwards, const int64_t *attached,
			 struct seen *out)
{
	struct rn_arena *a = rn_arena_create(1 << 20);
	struct rn_column cols[NCOLS] = {0};
	struct rn_flow *f;

	for (unsigned i = 0; i < NCOLS; i++)
		cols[i].label = labels[i];
	f = rn_flow_new(a, cols, NCOLS);
	for (unsigned i = 0; i < n; i++) {
		const struct call *k = &c[backwards ? n - 1 - i : i];
		struct rn_value v[NCOLS] = {rn_int(k->time),
					    str(k->node),
					    str(k->proc),
					    rn_int(k->pid),
					    str(k->name),
					    str(k->file),
					    rn_int(k->ino ? 8 << 20 : 0),
					    rn_int(k->ino),
					    ip(a, k->local),
					    ip(a, k->peer),
					    str(k->source),
					    rn_int(100),
					    k->latency == UNSEEN ? rn_unknown()
								 : rn_int(k->latency),
					    str(k->tags)};
		int64_t time_ns = k->time;

		rn_flow_add(f,
			    &(struct rn_rows){
				    .nrows = 1, .ncols = NCOLS, .values = v, .time_ns = &time_ns});
	}
	for (unsigned i = 0; attached && i < 2; i++)
		rn_flow_attached(f, i ? "n2" : "n1", attached[i]);
	memset(out, 0, sizeof(*out));
	assert_int_equal(rn_flow_visit(f, see, out), 0);
	rn_arena_destroy(a);
}

/* The receivers block: their calls begin long before what they receive is sent, and the pipe's
 * reader returns before its writer does. */
static const struct call scenario[] = {
	{100, "n1", "cp", 10, "read", "/a", NULL, NULL, NULL, 10, "t"},
	{120, "n1", "cp", 10, "write", "/b", NULL, NULL, NULL, 10, "t"},
	{200, "n1", "cat", 11, "read", "/b", NULL, NULL, NULL, 10, "t"},
	{240, "n1", "cat", 11, "write", "pipe:[7]", NULL, NULL, NULL, 30, "t"},
	{230, "n1", "nc", 12, "read", "pipe:[7]", NULL, NULL, NULL, 200, "t"},
	{260, "n1", "nc", 12, "sendto", "socket:[1]", "127.0.0.1:3000", "127.0.0.1:9", NULL, 20,
	 "t"},
	{250, "n1", "nc", 13, "recvfrom", "socket:[2]", "127.0.0.1:9", "127.0.0.1:3000", NULL, 240,
	 "t"},
	{300, "n1", "nc", 13, "write", "/c", NULL, NULL, NULL, 10, "t"},
};
static const char scenario_text[] = "1 cp in /a from 0\n2 cp out /b from 1\n3 cat in /b from 2\n4 "
				    "cat out pipe:[7] from 3\n5 nc in pipe:[7] from 4\n"
				    "6 nc out 127.0.0.1:3000 -> 127.0.0.1:9 from 5\n7 nc in "
				    "127.0.0.1:9 -> 127.0.0.1:3000 from 6\n8 nc out /c from 7\n";

static void one_path(void **state)
{
	struct seen s;

	(void)state;
	run(scenario, 8, false, &s);
	assert_string_equal(s.text, scenario_text);
	run(scenario, 8, true, &s);
	assert_string_equal(s.text, scenario_text);
}

/* Each call goes the way of the table; a copy without its source puts out. */
static void directions_are_those_of_the_table(void **state)
{
	static const struct {
		const char *name;
		enum rn_dir dir;
	} calls[] = {
#define X(call, dir) {#call, RN_DIR_##dir},
		RN_CALL_DIRS(X)
#undef X
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		struct call c = {1, "n1", "p", 1, calls[i].name, "/a", NULL, NULL, NULL, 1, "t"};
		struct seen s;

		run(&c, 1, false, &s);
		assert_string_equal(s.text, calls[i].dir == RN_DIR_IN ? "1 p in /a from 0\n"
								      : "1 p out /a from 0\n");
	}
}

/* A call that a newer version has recorded is no send: nothing is linked to it. */
static void unknown_calls_have_no_direction(void **state)
{
	static const struct call c[] = {
		{10, "n1", "a", 1, "write_somehow", "/a", NULL, NULL, NULL, 1, "t"},
		{20, "n1", "b", 2, "read", "/a", NULL, NULL, NULL, 1, "t"},
		{30, "n1", "c", 3, "send_somehow", "socket:[1]", "10.0.0.1:80", "10.0.0.2:5", NULL,
		 1, "t"},
		{40, "n2", "d", 4, "read", "socket:[9]", "10.0.0.2:5", "10.0.0.1:80", NULL, 1, "t"},
	};
	struct seen s;

	(void)state;
	run(c, 4, false, &s);
	assert_string_equal(s.text, "1 a  /a from 0\n2 b in /a from 0\n"
				    "3 c  10.0.0.1:80 -> 10.0.0.2:5 from 0\n"
				    "4 d in 10.0.0.2:5 -> 10.0.0.1:80 from 0\n");
}

static void transfers_between_files_and_sockets_are_linked(void **state)
{
	static const struct call c[] = {
		{10, "n1", "cp", 1, "copy_file_range", "/b", NULL, NULL, "/a", 1, "t"},
		{20, "n1", "nginx", 2, "sendfile", "socket:[1]", "10.0.0.1:80", "10.0.0.2:5", "/b",
		 1, "t"},
		{30, "n2", "curl", 3, "read", "socket:[9]", "10.0.0.2:5", "10.0.0.1:80", NULL, 1,
		 "t"},
	};
	struct seen s;

	(void)state;
	run(c, 3, false, &s);
	assert_string_equal(
		s.text,
		"1 cp out /a => /b from 0\n2 nginx out /b => 10.0.0.1:80 -> 10.0.0.2:5 from 1\n"
		"3 curl in 10.0.0.2:5 -> 10.0.0.1:80 from 2\n");
}

/* Neither another tag, another node's file of the same name or loopback, nor another process is a
 * source. */
static void strangers_are_no_source(void **state)
{
	static const struct call c[] = {
		{10, "n1", "a", 1, "write", "/f", NULL, NULL, NULL, 1, "t1"},
		{20, "n2", "b", 2, "read", "/f", NULL, NULL, NULL, 1, "t1"},
		{30, "n1", "c", 3, "read", "/f", NULL, NULL, NULL, 1, "t2"},
		{40, "n1", "d", 4, "write", "/g", NULL, NULL, NULL, 1, "t2"},
		{50, "n1", "e", 5, "sendto", "socket:[1]", "127.0.0.1:1", "127.0.0.1:2", NULL, 1,
		 "t1"},
		{60, "n2", "f", 6, "recvfrom", "socket:[1]", "127.0.0.1:2", "127.0.0.1:1", NULL, 1,
		 "t1"},
		{70, "n1", "g", 7, "read", "/f", NULL, NULL, NULL, 1, "t1,t2"},
		/* a Unix socket: its other end reads this */
		{80, "n1", "h", 8, "write", "socket:[5]", NULL, NULL, NULL, 1, "t1", 5},
		{90, "n1", "i", 9, "read", "socket:[5]", NULL, NULL, NULL, 1, "t1", 5},
	};
	struct seen s;

	(void)state;
	run(c, 9, false, &s);
	for (unsigned i = 0; i < 9; i++)
		assert_int_equal(s.from[i], i == 6); /* one of its tags is enough */
	assert_int_equal(s.rows, 10);                /* the other one came from elsewhere */
}

/* A file is its inode: read under another name it is the same, and a new file of its old name is
 * not. What is known by path only is found by the path. */
static void a_file_is_its_inode(void **state)
{
	static const struct call c[] = {
		{10, "n1", "a", 1, "write", "/log", NULL, NULL, NULL, 1, "t", 7},
		{20, "n1", "b", 2, "read", "/log.1", NULL, NULL, NULL, 1, "t", 7},
		{30, "n1", "c", 3, "read", "/log", NULL, NULL, NULL, 1, "t", 8},
		{40, "n1", "d", 4, "copy_file_range", "/copy", NULL, NULL, "/log", 1, "t", 9},
		{50, "n1", "e", 5, "read", "/mnt/copy", NULL, NULL, NULL, 1, "t", 9},
		{60, "n1", "f", 6, "read", "/log", NULL, NULL, NULL, 1, "t"},
	};
	static const int64_t from[] = {0, 1, 0, 1, 4, 1};
	struct seen s;

	(void)state;
	run(c, 6, true, &s);
	for (unsigned i = 0; i < 6; i++)
		assert_int_equal(s.from[i], from[i]);
}

/* A long chain. */
static void long_chain(void **state)
{
	enum { N = 30 };
	struct call *c = calloc(N, sizeof(*c));
	struct seen s;
	char(*file)[16] = calloc(N, sizeof(*file));

	(void)state;
	for (unsigned i = 0; i < N; i++) {
		snprintf(file[i], 16, "/f%u", i / 2);
		c[i] = (struct call){(int)i * 10,
				     "n",
				     "p",
				     (int)(i + 1) / 2,
				     i % 2 ? "read" : "write",
				     file[i],
				     NULL,
				     NULL,
				     NULL,
				     1,
				     "t"};
	}
	run(c, N, true, &s);
	for (unsigned i = 0; i < N; i++)
		assert_int_equal(s.from[i], i);
	free(c);
	free(file);
}

/* Receivers that were waiting already stand where they return; a sender that was stands before all
 * that its node began. */
static void begun_before(void **state)
{
	static const struct call c[] = {
		{200, "n1", "a", 1, "write", "pipe:[7]", NULL, NULL, NULL, 100, "t"},
		{210, "n1", "b", 2, "read", "pipe:[7]", NULL, NULL, NULL, UNSEEN, "t"},
		{220, "n1", "b", 2, "write", "/c", NULL, NULL, NULL, 5, "t"},
		/* the pipe was full */
		{300, "n1", "d", 3, "write", "pipe:[8]", NULL, NULL, NULL, UNSEEN, "t"},
		{110, "n1", "e", 4, "read", "pipe:[8]", NULL, NULL, NULL, 8, "t"},
	};
	struct seen s;

	(void)state;
	for (int backwards = 0; backwards < 2; backwards++) {
		run(c, 5, backwards, &s);
		assert_string_equal(
			s.text,
			"1 d out pipe:[8] from 0\n2 a out pipe:[7] from 0\n3 e in pipe:[8] from 1\n"
			"4 b in pipe:[7] from 2\n5 b out /c from 4\n");
		assert_true(s.unseen[0] && !s.unseen[1] && !s.unseen[2] && s.unseen[3] &&
			    !s.unseen[4]);
	}
}

/* Between nodes it is the time at which the query was attached to the node, not that of the node's
 * first hop, nor when the call ended. */
static void begun_before_elsewhere(void **state)
{
	static const struct call c[] = {
		{150, "n1", "a", 1, "write", "/a", NULL, NULL, NULL, 10, "t"},
		{900, "n2", "b", 2, "write", "/b", NULL, NULL, NULL, UNSEEN, "t"},
		{800, "n2", "c", 3, "write", "/c", NULL, NULL, NULL, 10, "t"},
		{350, "n1", "d", 4, "write", "/d", NULL, NULL, NULL, 10, "t"},
	};
	struct seen s;

	(void)state;
	run_attached(c, 4, false, (int64_t[]){90, 200}, &s);
	assert_string_equal(
		s.text,
		"1 a out /a from 0\n2 b out /b from 0\n3 d out /d from 0\n4 c out /c from 0\n");
	run_attached(c, 4, false, (int64_t[]){90, 100}, &s);
	assert_string_equal(
		s.text,
		"1 b out /b from 0\n2 a out /a from 0\n3 d out /d from 0\n4 c out /c from 0\n");
	run(c, 4, false, &s);
	assert_string_equal(
		s.text,
		"1 a out /a from 0\n2 d out /d from 0\n3 b out /b from 0\n4 c out /c from 0\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_path),
		cmocka_unit_test(directions_are_those_of_the_table),
		cmocka_unit_test(unknown_calls_have_no_direction),
		cmocka_unit_test(transfers_between_files_and_sockets_are_linked),
		cmocka_unit_test(strangers_are_no_source),
		cmocka_unit_test(a_file_is_its_inode),
		cmocka_unit_test(long_chain),
		cmocka_unit_test(begun_before),
		cmocka_unit_test(begun_before_elsewhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
