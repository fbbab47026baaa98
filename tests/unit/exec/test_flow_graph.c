/* test_flow_graph.c - which hops hang together, how far each is from where its data began, and what
 * is shown of it; and that a flow keeps to its room. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "exec/flow/flow.h"
#include "lang/values/value.h"

static const char *const labels[] = {"time", "node",      "proc",       "pid",     "name",   "file",
				     "ino",  "dev",       "bytes",      "latency", "offset", "tags",
				     "hits", "(through)", "(starting)", "(ending)"};
enum { NCOLS = sizeof(labels) / sizeof(*labels) };

struct call {
	int64_t time, latency;
	const char *node, *proc;
	int64_t pid;
	const char *name, *file;
	int64_t ino;
	const char *tags;
};
enum { UNSEEN = -1 }; /* a latency: the beginning was not seen */

static struct rn_value str(const char *s)
{
	return rn_strn(s, strlen(s));
}

/* Conditions name processes of one letter or more: "=cat" is through, ">cat" starting, "<cat"
 * ending;
 * ">cp<cat" are two. Does the i-th one name this process? NULL: is there such a condition? */
static bool asks(const char *ifs, unsigned i, const char *proc)
{
	const char *at = ifs ? strchr(ifs, "=><"[i]) : NULL;

	return at && (!proc || (!strncmp(at + 1, proc, strlen(proc)) &&
				strcspn(at + 1, "=><") == strlen(proc)));
}

/* ifs NULL: all flows are wanted. */
static struct rn_flow *flow_of(struct rn_arena *a, const char *ifs)
{
	struct rn_column *cols = RN_NEWN(a, struct rn_column, NCOLS);

	for (unsigned i = 0; i < NCOLS; i++)
		cols[i].label = i < NCOLS - 3 || asks(ifs, i - (NCOLS - 3), NULL) ? labels[i] : "-";
	return rn_flow_new(a, cols, NCOLS);
}

static void add(struct rn_flow *f, const struct call *c, const char *ifs)
{
	struct rn_value v[NCOLS] = {rn_int(c->time),
				    str(c->node),
				    str(c->proc),
				    rn_int(c->pid),
				    str(c->name),
				    str(c->file),
				    rn_int(c->ino),
				    rn_int(8 << 20),
				    rn_int(100),
				    c->latency == UNSEEN ? rn_unknown() : rn_int(c->latency),
				    rn_int(strncmp(c->file, "pipe", 4) ? 0 : -1),
				    str(c->tags),
				    str("t@0"),
				    rn_bool(asks(ifs, 0, c->proc)),
				    rn_bool(asks(ifs, 1, c->proc)),
				    rn_bool(asks(ifs, 2, c->proc))};

	rn_flow_add(
		f, &(struct rn_rows){.nrows = 1, .ncols = NCOLS, .values = v, .time_ns = &c->time});
}

struct seen {
	char text[2048];
	unsigned n;
};

/* "hop proc from depth lag match": `?` for a lag that is not known, `-` for none. */
static int see(void *self, const struct rn_value *v, int64_t time_ns)
{
	struct seen *s = self;
	char lag[32] = "-";

	(void)time_ns;
	s->n++;
	if (rn_is_unknown(&v[RN_FLOW_LAG]))
		strcpy(lag, "?");
	else if (v[RN_FLOW_LAG].kind == RN_INT)
		sprintf(lag, "%d", (int)v[RN_FLOW_LAG].i);
	if (strlen(s->text) < sizeof(s->text) - 100)
		sprintf(s->text + strlen(s->text), "%d %.*s %d %d %s%s%.*s\n",
			(int)v[RN_FLOW_HOP].i, (int)v[RN_FLOW_PROC].len, v[RN_FLOW_PROC].s,
			(int)v[RN_FLOW_FROM].i, (int)v[RN_FLOW_DEPTH].i, lag,
			v[RN_FLOW_MATCH].len ? " " : "", (int)v[RN_FLOW_MATCH].len,
			v[RN_FLOW_MATCH].s);
	return 0;
}

/* ahead: how far the clock of node n2 is ahead. If that is odd, its bound is 7 ns, else not known.
 */
static int64_t align(void *self, const char *node, int64_t ns, int64_t *bound)
{
	*bound = strcmp(node, "n2") != 0 ? 0 : *(int64_t *)self % 2 ? 7 : -1;
	return strcmp(node, "n2") != 0 ? ns : ns - *(int64_t *)self;
}

static void check(const struct call *c, unsigned n, const char *ifs, bool whole, int64_t ahead,
		  const char *want)
{
	struct rn_arena *a = rn_arena_create(1 << 20);
	struct rn_flow *f = flow_of(a, ifs);
	struct seen s = {0};

	if (whole)
		rn_flow_whole(f);
	for (unsigned i = 0; i < n; i++)
		add(f, &c[i], ifs);
	if (ahead)
		rn_flow_align(f, align, &ahead);
	assert_int_equal(rn_flow_visit(f, see, &s), 0);
	assert_string_equal(s.text, want);
	rn_arena_destroy(a);
}

/* cp writes what cat reads and puts into a pipe; nobody reads it. Another flow has nothing to do
 * with them. */
static const struct call two_flows[] = {
	{100, 10, "n1", "cp", 1, "read", "/a", 1, "t"},
	{120, 10, "n1", "cp", 1, "write", "/b", 2, "t"},
	{150, 10, "n1", "vi", 7, "write", "/x", 9, "t"},
	{200, 10, "n1", "cat", 2, "read", "/b", 2, "t"},
	{240, 30, "n1", "cat", 2, "write", "pipe:[7]", 0, "t"},
	{300, 10, "n1", "less", 8, "read", "/x", 9, "t"},
};

static void lag_and_depth(void **state)
{
	(void)state;
	check(two_flows, 6, NULL, true, 0,
	      "1 cp 0 0 -\n2 cp 1 1 10\n3 vi 0 0 -\n4 cat 2 2 90\n5 cat 4 3 10 none\n"
	      "6 less 3 1 160\n");
}

/* A flow is whole, and its hops are numbered as if there were no other. */
static void through_takes_whole_flows(void **state)
{
	(void)state;
	check(two_flows, 6, "=cat", true, 0,
	      "1 cp 0 0 -\n2 cp 1 1 10\n3 cat 2 2 90\n4 cat 3 3 10 none\n");
	check(two_flows, 6, "=less", true, 0, "1 vi 0 0 -\n2 less 1 1 160\n");
	check(two_flows, 6, "=nobody", true, 0, "");
}

/* Two write what one reads, who passes it on to two. */
static const struct call crossing[] = {
	{100, 10, "n1", "a", 1, "write", "/a", 1, "t"},
	{120, 10, "n1", "b", 2, "write", "/b", 2, "t"},
	{150, 10, "n1", "m", 3, "read", "/a", 1, "t"},
	{200, 10, "n1", "m", 3, "write", "/c", 3, "t"},
	{300, 10, "n1", "y", 4, "read", "/c", 3, "t"},
	{400, 10, "n1", "z", 5, "read", "/c", 3, "t"},
	{500, 10, "n1", "w", 6, "read", "/b", 2, "t"},
};

static void paths_begin_and_end_as_wanted(void **state)
{
	(void)state;
	check(crossing, 7, NULL, true, 0,
	      "1 a 0 0 -\n2 b 0 0 -\n3 m 1 1 60\n4 m 3 2 40\n5 y 4 3 110\n6 z 4 3 210\n"
	      "7 w 2 1 390\n");
	check(crossing, 7, ">a", true, 0,
	      "1 a 0 0 -\n2 m 1 1 60\n3 m 2 2 40\n4 y 3 3 110\n5 z 3 3 210\n");
	check(crossing, 7, "<y", true, 0, "1 a 0 0 -\n2 m 1 1 60\n3 m 2 2 40\n4 y 3 3 110\n");
	check(crossing, 7, ">a<z", true, 0, "1 a 0 0 -\n2 m 1 1 60\n3 m 2 2 40\n4 z 3 3 210\n");
	check(crossing, 7, ">b<z", true, 0, "");
	check(crossing, 7, "=w<w", true, 0, "1 b 0 0 -\n2 w 1 1 390\n");
	check(crossing, 7, "=a<w", true, 0, "");
	/* what lies before the beginning of the path is not named */
	check(crossing, 7, ">m<y", true, 0, "1 m 0 1 -\n2 m 1 2 40\n3 y 2 3 110\n");
}

static void an_end_may_be_outside(void **state)
{
	(void)state;
	check(two_flows + 4, 1, NULL, false, 0, "1 cat 0 0 - outside\n");
	check(two_flows + 4, 1, NULL, true, 0, "1 cat 0 0 - none\n");
}

/* Two tags meet: the hop is as deep as the longer way, and has a row for each. */
static void two_tags_meet(void **state)
{
	static const struct call c[] = {
		{100, 10, "n1", "a", 1, "write", "/a", 1, "t"},
		{200, 10, "n1", "b", 2, "read", "/a", 1, "t"},
		{300, 10, "n1", "b", 2, "write", "/b", 2, "t"},
		{400, 10, "n1", "c", 3, "read", "/b", 2, "t"},
		{500, 10, "n1", "d", 4, "write", "/d", 3, "u"},
		{600, 10, "n1", "c", 3, "read", "/d", 3, "u"},
		{700, 10, "n1", "c", 3, "write", "/c", 4, "t,u"},
	};

	(void)state;
	check(c, 7, NULL, true, 0,
	      "1 a 0 0 -\n2 b 1 1 110\n3 b 2 2 90\n4 c 3 3 110\n5 d 0 0 -\n6 c 5 1 110\n"
	      "7 c 4 4 290\n7 c 6 4 90\n");
}

/* The clock of n2 is ahead: times between nodes are those of one clock. */
static void lag_is_of_one_clock(void **state)
{
	static const struct call c[] = {
		{100, 10, "n1", "a", 1, "write", "/a", 1, "t"},
		{200, 10, "n1", "b", 2, "read", "/a", 1, "t"},
		{5100, 10, "n2", "a", 1, "write", "/a", 1, "t"},
		{5130, 10, "n2", "b", 2, "read", "/a", 1, "t"},
	};

	(void)state;
	check(c, 4, NULL, true, 5000, "1 a 0 0 -\n2 a 0 0 -\n3 b 2 1 40\n4 b 1 1 110\n");
}

/* When data went out of a call whose beginning was not seen is not known; when it came in is. */
/* Appends the bounds of the clocks: `?` for one that is not known. */
static int see_clock(void *self, const struct rn_value *v, int64_t time_ns)
{
	char *text = self;

	(void)time_ns;
	if (v[RN_FLOW_CLOCK].kind == RN_INT)
		sprintf(text + strlen(text), "%d ", (int)v[RN_FLOW_CLOCK].i);
	else
		strcat(text, "? ");
	return 0;
}

static void clocks_of(unsigned n, int64_t ahead, const char *want)
{
	static const struct call c[] = {
		{100, 10, "n1", "a", 1, "write", "/a", 1, "t"},
		{5100, 10, "n2", "a", 1, "write", "/a", 1, "t"},
	};
	struct rn_arena *a = rn_arena_create(1 << 20);
	struct rn_flow *f = flow_of(a, NULL);
	char text[64] = "";

	for (unsigned i = 0; i < n; i++)
		add(f, &c[i], NULL);
	if (ahead)
		rn_flow_align(f, align, &ahead);
	assert_int_equal(rn_flow_visit(f, see_clock, text), 0);
	assert_string_equal(text, want);
	rn_arena_destroy(a);
}

static void times_have_bounds(void **state)
{
	(void)state;
	clocks_of(1, 0, "0 ");
	clocks_of(2, 0, "? ? ");
	clocks_of(2, 5, "0 7 ");
	clocks_of(2, 6, "0 ? ");
}

static void a_beginning_not_seen_has_no_lag(void **state)
{
	static const struct call c[] = {
		{100, UNSEEN, "n1", "a", 1, "write", "/a", 1, "t"},
		{200, 10, "n1", "b", 2, "read", "/a", 1, "t"},
		{300, 10, "n1", "b", 2, "write", "/b", 2, "t"},
		{400, UNSEEN, "n1", "c", 3, "read", "/b", 2, "t"},
	};

	(void)state;
	check(c, 4, NULL, true, 0, "1 a 0 0 -\n2 b 1 1 ?\n3 b 2 2 90\n4 c 3 3 110\n");
}

enum { MANY = 100000 };

/* Chains of four hops, each of its own process and file. */
static void chains(struct rn_flow *f)
{
	for (int64_t i = 0; i < MANY; i++) {
		char file[64], proc[16];
		struct call c = {1000 * i,
				 10,
				 i & 4 ? "n1" : "n2",
				 proc,
				 i / 2,
				 i & 1 ? "write" : "read",
				 file,
				 1 + (i + 1) / 2,
				 "t"};

		sprintf(file, "/var/lib/some/service/%d", (int)c.ino);
		sprintf(proc, "worker/%d", (int)(i / 2 % 1000));
		add(f, &c, NULL);
	}
}

/* A million hops take less than a GiB. */
static void many_hops_fit(void **state)
{
	struct rn_arena *a = rn_arena_create(1 << 20);
	struct rn_flow *f = flow_of(a, NULL);
	struct seen s = {0};

	(void)state;
	rn_flow_room(f, RN_FLOW_ROOM);
	chains(f);
	print_message("%zu bytes a hop before\n", rn_arena_bytes(a) / MANY);
	assert_int_equal(rn_flow_shed(f), 0);
	assert_int_equal(rn_flow_visit(f, see, &s), 0);
	assert_int_equal(s.n, MANY);
	print_message("%zu bytes a hop\n", rn_arena_bytes(a) / MANY);
	assert_true(rn_arena_bytes(a) < RN_FLOW_ROOM / (1000000 / MANY));
	rn_arena_destroy(a);
}

static void more_are_shed_and_counted(void **state)
{
	struct rn_arena *a = rn_arena_create(1 << 20);
	struct rn_flow *f = flow_of(a, NULL);
	struct seen s = {0};

	(void)state;
	rn_flow_room(f, 10 << 20);
	chains(f);
	assert_true(rn_flow_shed(f) > MANY / 2);
	assert_int_equal(rn_flow_visit(f, see, &s), 0);
	assert_int_equal(s.n + rn_flow_shed(f), MANY);
	assert_true(rn_arena_bytes(a) < 10 << 20);
	rn_arena_destroy(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lag_and_depth),
		cmocka_unit_test(through_takes_whole_flows),
		cmocka_unit_test(paths_begin_and_end_as_wanted),
		cmocka_unit_test(an_end_may_be_outside),
		cmocka_unit_test(two_tags_meet),
		cmocka_unit_test(lag_is_of_one_clock),
		cmocka_unit_test(times_have_bounds),
		cmocka_unit_test(a_beginning_not_seen_has_no_lag),
		cmocka_unit_test(many_hops_fit),
		cmocka_unit_test(more_are_shed_and_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
