/* test_trace.c - recordings: what is written is what is read, what a recording covers, files that
 * are none, and the generator. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include <cmocka.h>
#include "exec/trace/trace_impl.h"
#include "lang/resolve/names.h"
#include "lang/resolve/resolve.h"
#include "lang/base/limits.h"
#include "lang/syntax/parse.h"
#include "probes/catalog/catalog.h"
#include "probes/probes.h"
#include "tests/support/fake_catalog.h"
#include "tests/support/gen_trace.h"
#include "tests/support/rows_text.h"

static char dir[64], path[128], other[128];

static int make_dir(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/rn-trace-XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/x.rnt", dir);
	snprintf(other, sizeof(other), "%s/y.rnt", dir);
	return 0;
}

static int drop_dir(void **state)
{
	char part[160];

	(void)state;
	snprintf(part, sizeof(part), "%s.part", path);
	unlink(path);
	unlink(other);
	unlink(part);
	return rmdir(dir);
}

static struct rn_value str(const char *s)
{
	return rn_strn(s, strlen(s));
}

static const struct rn_catalog *live; /* instead of the fake one */

static const struct rn_catalog *catalog(void)
{
	return live ? live : rn_fake_catalog();
}

static const struct rn_class *class_of(const char *name)
{
	const struct rn_catalog *c = catalog();

	return c->find(c->self, name, NULL, NULL, 0);
}

static const struct rn_scope *scope; /* the scope of the query; NULL: all processes */
static int64_t asked[RN_L_COUNT];    /* the ledger of what was asked last */

/* Runs text, which says `from`, and gives its rows joined by \n; or the error. Heap. */
static char *ask(const char *fmt, const char *file)
{
	struct rn_arena *a = rn_arena_create(RN_ARENA_CAP);
	struct rn_trace_catalogs *traces = rn_trace_catalogs_create();
	struct rn_names names = {
		.catalog = catalog(), .trace = rn_trace_catalog, .trace_self = traces};
	struct rn_diag *d = rn_diag_new(a);
	struct rn_rows_text rows = {0};
	struct rn_output out = rn_rows_text_output(&rows);
	struct rn_run_opts o = {.catalog = catalog(), .scope = scope};
	struct rn_ledgers l = {0};
	struct rn_err err = {0};
	struct rn_plan *p = NULL;
	char text[1024], *got = calloc(1, 65536);
	struct rn_ast_file *f;

	snprintf(text, sizeof(text), "%s from \"%s\"", fmt, file);
	f = rn_parse(a, d, rn_diag_source(d, "query", text, strlen(text)));
	if (!rn_diag_errors(d) && rn_resolve(a, d, f->stmts->query, &names))
		p = rn_plan_query(a, d, f->stmts->query, &names, NULL);
	if (!p)
		snprintf(got, 65536, "%s", rn_diag_render(d, a, false));
	else if (rn_coord_run(a, p, &o, &out, &l, &err))
		snprintf(got, 65536, "error: %s", err.text);
	for (int i = 0; i < RN_L_COUNT && l.n; i++)
		asked[i] = l.nodes[0].n[i];
	for (unsigned i = 0; i < rows.n; i++)
		strcat(strcat(got, i ? "\n" : ""), rows.line[i]);
	rn_rows_text_free(&rows);
	rn_trace_catalogs_free(traces);
	rn_arena_destroy(a);
	return got;
}

static void expect(const char *query, const char *lines)
{
	char *got = ask(query, path);

	assert_string_equal(got, lines);
	free(got);
}

static void expect_part(const char *query, const char *file, const char *part)
{
	char *got = ask(query, file);

	if (!strstr(got, part))
		print_message("%s: got %s\n", query, got);
	assert_non_null(strstr(got, part));
	free(got);
}

static struct rn_value ip(const char *s)
{
	static unsigned char pool[16][RN_IP_BYTES];
	static unsigned n;
	unsigned char *to = pool[n++ % 16];

	assert_true(rn_ip_parse(s, strlen(s), to));
	return rn_strn((char *)to, RN_IP_BYTES);
}

#define COUNT(a) (sizeof(a) / sizeof(*(a)))
static enum rn_into_how into = RN_INTO_REPLACE; /* of the recordings that follow */
static const char *const *searched; /* the tags of the recordings that follow; ended by NULL */

struct record {
	int64_t time;
	const char *node, *name, *proc, *file, *peer, *tags;
	int pid, bytes;
};

static void record(const char *file, const struct rn_class *cls, const struct record *r, unsigned n,
		   struct rn_ledgers *l)
{
	const struct rn_column cols[] = {
		{"time", NULL, {RN_T_INT, RN_U_EPOCH}}, {"node", NULL, {RN_T_STR, 0}},
		{"name", NULL, {RN_T_STR, 0}},          {"proc", NULL, {RN_T_STR, 0}},
		{"file", NULL, {RN_T_STR, 0}},          {"peer", NULL, {RN_T_IP, 0}},
		{"tags", NULL, {RN_T_TAGS, 0}},         {"pid", NULL, {RN_T_INT, 0}},
		{"bytes", NULL, {RN_T_INT, RN_U_BYTE}},
	};
	struct rn_trace_writer *w;
	struct rn_err err = {0};
	struct rn_tag tag_list[8];
	unsigned ntags = 0;

	for (; searched && searched[ntags]; ntags++)
		tag_list[ntags] = rn_tag_of(searched[ntags], strlen(searched[ntags]));
	assert_int_equal(rn_trace_create(&(struct rn_trace_target){.path = file,
								   .how = into,
								   .cls = cls,
								   .query = "events of test",
								   .cols = cols,
								   .ncols = COUNT(cols),
								   .tags = tag_list,
								   .ntags = ntags},
					 &w, &err),
			 0);
	for (unsigned i = 0; i < n; i++) {
		struct rn_value v[] = {rn_int(r[i].time),
				       str(r[i].node),
				       str(r[i].name),
				       str(r[i].proc),
				       str(r[i].file),
				       r[i].peer ? ip(r[i].peer) : str(""),
				       str(r[i].tags ? r[i].tags : ""),
				       rn_int(r[i].pid),
				       rn_int(r[i].bytes)};

		assert_int_equal(rn_trace_write(w, cols, sizeof(cols) / sizeof(*cols), v, &err), 0);
	}
	assert_int_equal(rn_trace_close(w, l, &err), 0);
}

static const struct record some[] = {
	{1000, "n1", "read", "dd", "/a'b\"c", NULL, NULL, 1, 10},
	{2000, "n2", "write", "java", "", "10.0.0.1:80", "mark1", 2, 20},
	{3000, "n1", "pread64", "dd", "/\xff\xfe", "[2001:db8::1]:443", "mark1,mark2", 1, 30},
	{4000, "n1", "sendto", "nc", "socket:[1]", "192.168.0.1:9", "mark2,mark3", 3, 40},
};

static void round_trip(void **state)
{
	(void)state;
	record(path, class_of("io"), some, 4, NULL);
	expect("time, file, peer, tags, bytes of io",
	       "1000|/a'b\"c|||10\n2000||10.0.0.1:80|mark1|20\n3000|/"
	       "\xff\xfe|[2001:db8::1]:443|mark1,mark2|30\n4000|socket:[1]|192.168.0.1:9|mark2,"
	       "mark3|40");
	expect("count of io where peer = \"10.0.0.1\"", "1");
	expect("count of io where cidr(peer, \"192.168.0.0/16\")", "1");
	expect("sum(bytes) of io by node", "n1|80\nn2|20");
	assert_int_equal(access(other, F_OK), -1);
}

static void a_class_reads_what_its_recording_holds(void **state)
{
	(void)state;
	record(path, class_of("io"), some, 4, NULL);
	expect("count of read", "2");
	expect("count of pread64", "1");
	expect("count of send", "1");
	expect("count of recv", "0");
	expect_part("count of open", path, "holds only io");
	expect_part("count of syscall", path, "holds only io");
	expect_part("count of raed", path, "did you mean `read`?");
	expect_part("count of forc", path, "did you mean `fork`?");
	expect_part("count of io where latency > 1ms", path, "latency");
	record(other, class_of("syscall"), some, 4, NULL);
	expect_part("count of fsync", other, "0");
	expect_part("count of io", other, "4");
	expect_part("count of fork", other, "holds only syscall");
	record(other, class_of("read"), some, 1, NULL);
	expect_part("count of read", other, "1");
	expect_part("count of io", other, "holds only read");
}

static void ledger_is(int seen, int matched, int unpaired, int open, int reopened)
{
	assert_int_equal(asked[RN_L_SEEN], seen);
	assert_int_equal(asked[RN_L_MATCHED], matched);
	assert_int_equal(asked[RN_L_UNPAIRED], unpaired);
	assert_int_equal(asked[RN_L_OPEN], open);
	assert_int_equal(asked[RN_L_REOPENED], reopened);
	assert_int_equal(asked[RN_L_LOST_PAIR], 0);
}

/* In order of time, each node by itself; whom the query is about is asked of the first event
 * only. */
static void pairs_are_made_in_order_of_time_on_each_node(void **state)
{
	static const struct record both[] = {
		{1000, "n1", "read", "a", "/1", "10.0.0.1:80", "mark1", 1, 10},
		{1500, "n2", "write", "b", "/2", NULL, NULL, 1, 20},
		{2000, "n1", "read", "c", "/3", NULL, NULL, 1, 30},
		{1800, "n2", "pread64", "d", "/4", NULL, NULL, 1, 40},
		{3000, "n1", "write", "e", "/5", NULL, NULL, 1, 50},
		{3100, "n1", "write", "f", "/6", NULL, NULL, 1, 60},
		{1200, "n2", "read", "g", "/7", "[::1]:7", "mark2", 1, 70},
		{5000, "n1", "read", "h", "/8", NULL, NULL, 8, 80},
		{6000, "n1", "write", "i", "/9", NULL, NULL, 10, 90},
	};
	static const int32_t pid = 8;
	static const struct rn_scope one = {.pids = &pid, .npids = 1};

	(void)state;
	record(path, class_of("io"), both, sizeof(both) / sizeof(*both), NULL);
	expect("start, end, latency, time, node, proc, file, bytes, peer of between read and write "
	       "on pid",
	       "1200|1500|300|1500|n2|g|/7|70|[::1]:7\n2000|3000|1000|3000|n1|c|/3|30|");
	ledger_is(9, 2, 2, 2, 1);
	expect("proc, latency of between (events of read where bytes < 35) and (events of write "
	       "where file =~ \"[56]\") on pid",
	       "c|1000");
	ledger_is(9, 1, 1, 0, 1);
	expect("start, end, proc of between io and io on pid where file !~ \"/[45]\"",
	       "1200|1500|g\n1500|1800|b\n1000|2000|a\n2000|3000|c");
	ledger_is(9 + 9, 4, 4, 4, 0);
	scope = &one;
	expect("proc of between read and write on pid", "");
	ledger_is(1, 0, 0, 1, 0); /* what others write is not unpaired */
	scope = NULL;
	expect("count of between read and recv on pid", "0");
	expect_part("count of between read and fsync on pid", path, "holds only io");
	expect_part("count of between read and write on tid", path,
		    "`tid` is not a field of `read`");
	searched = (const char *const[]){"mark1", "mark2", NULL};
	record(path, class_of("tag"), both, 2, NULL);
	searched = NULL;
	expect_part("count of between tag mark1 and tag mark2 on pid", path, "not by tags");
}

/* Several tracepoints are one class, in which `name` tells them apart. */
static void several_tracepoints_are_one_class_of_a_recording(void **state)
{
	static const struct record three[] = {
		{1000, "n1", "sched:sched_wakeup", "a", "", NULL, NULL, 1, 10},
		{2000, "n1", "sched:sched_switch", "b", "", NULL, NULL, 1, 20},
		{3000, "n1", "sched:sched_made_up", "c", "", NULL, NULL, 1, 30},
	};
	const struct rn_class glob = {
		.name = "tracepoint", .arg = "sched:sched_*", .needs_arg = true};

	(void)state;
	record(path, &glob, three, 3, NULL);
	expect("count of tracepoint \"sched:sched_*\"", "3");
	expect("latency, name of between (events of tracepoint \"sched:sched_*\" where name ~ "
	       "\"*_wakeup\") and "
	       "(events of tracepoint \"sched:sched_*\" where name = \"sched:sched_switch\") on "
	       "pid",
	       "1000|sched:sched_wakeup");
	ledger_is(3 + 3, 1, 0, 0, 0);
	/* a tracepoint by itself may have a field of its own that is called like one which all
	 * have */
	expect_part("count of between sched_wakeup and sched_switch on pid", path, "error");
}

/* Every class of the live catalogue over a recording of one of each system call: its calls and no
 * others, or no answer. */
static void classes_are_those_of_the_catalogue(void **state)
{
	struct record all[RN_OP_FIRST];
	struct rn_catalog *c = rn_probes_catalog((const struct rn_agg_sig *const[]){NULL});
	unsigned n = 0, answered = 0;

	(void)state;
	for (unsigned nr = 0; nr < RN_OP_FIRST; nr++)
		if (rn_sys_name(nr)) {
			all[n] = (struct record){.time = 1000 + n,
						 .node = "n",
						 .name = rn_sys_name(nr),
						 .proc = "p",
						 .file = ""};
			n++;
		}
	live = c;
	record(path, class_of("syscall"), all, n, NULL);
	for (const char *const *name = c->names(c->self); *name; name++) {
		const struct rn_class *cls = class_of(*name);
		char want[16384] = "", query[128], *got;

		for (unsigned nr = 0; nr < RN_OP_FIRST; nr++)
			if (rn_sys_name(nr) && rn_class_covers(cls, nr))
				strcat(strcat(want, *want ? "\n" : ""), rn_sys_name(nr));
		snprintf(query, sizeof(query), "name of %s%s", *name,
			 !strcmp(*name, "tag") ? " abcdef" : "");
		got = ask(query, path);
		if (*want && !cls->needs_arg) {
			assert_string_equal(got, want);
			answered++;
		} else {
			assert_non_null(strstr(got, "error"));
		}
		free(got);
	}
	assert_true(answered > n);
	live = NULL;
	rn_probes_catalog_free(c);
}

/* Whole tags, and only those that were asked for. */
static void only_whole_tags_that_were_asked_for_match(void **state)
{
	static const char *const list[] = {"mark1", "mark2", "mark3", "mark", NULL};

	(void)state;
	searched = list;
	record(path, class_of("tag"), some + 1, 3, NULL);
	expect("time, tags of tag mark1", "2000|mark1\n3000|mark1");
	expect("count of tag mark2, mark3 by tags", "mark2|1\nmark2,mark3|1");
	expect("count of tag mark", "0");
	expect_part(
		"flow of tag mark1", path,
		"1|2000|n2|java|2|write|out||20|0|mark1|0|||0||0|||\n2|3000|n1|dd|1|pread64|in|");
	searched = NULL;
}

/* Places of tags are taken apart like the tags, also of tags that hold blanks and `@`; tags of any
 * bytes are in text form. */
static void places_of_tags_are_taken_apart_like_the_tags(void **state)
{
	static const struct {
		const char *tags, *hits, *want;
	} cases[] = {
		{"mark1,mark2", "mark1@5 mark2@-3", "mark2@-3"},
		{"mark1", "mark1@5", ""},
		{"mark2", "mark2@0", "mark2@0"},
		{"a b@9 c,mark2", "a b@9 c@17 mark2@1", "a b@9 c@17 mark2@1"},
		{"a b,mark2", "a b@4 mark2@1", "mark2@1"},
		{"mark2x", "mark2x@4", ""},
		{"", "", ""},
		{"mark2", "mark2@", ""},
		{"x\"00ff\"", "x\"00ff1234\"@77", "x\"00ff1234\"@77"},
	};
	const struct rn_tag wanted[] = {{"mark2", 5}, {"a b@9 c", 7}, {"\0\xff\x12\x34", 4}};
	struct rn_trace_wanted *w = rn_trace_wanted_create(wanted, 3);
	struct rn_arena *a = rn_arena_create(RN_ARENA_CAP);
	struct rn_value all, got;

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		all = rn_strn(cases[i].hits, strlen(cases[i].hits));
		got = rn_trace_wanted_hits(w, &all, false, a);
		assert_string_equal(got.s, cases[i].want);
	}
	all = rn_strn("x\"00ff1234\",mark1,mark22,a b@9 c", 32);
	got = rn_trace_wanted_tags(w, &all, a);
	assert_string_equal(got.s, "x\"00ff1234\",a b@9 c");
	rn_arena_destroy(a);
	rn_trace_wanted_destroy(w);
}

/* What nobody searched for is not answered with "none". */
static void other_tags(void **state)
{
	static const char *const list[] = {"mark1", "a,bb", NULL};
	static const struct record r[] = {
		{1000, "n1", "read", "dd", "/x", NULL, "a,bb,mark1", 1, 10},
		{2000, "n1", "read", "dd", "/x", NULL, "mark1", 1, 10}};

	(void)state;
	searched = list;
	record(path, class_of("tag"), r, 2, NULL);
	searched = NULL;
	expect_part("count of tag mark2", path, "the tag `mark2` was not searched while");
	expect_part("flow of tag mark1, mark2", path, "[E-TRACE]");
	expect_part("flow of tag mark1, mark2", path,
		    "it holds `mark1`, `x\"612c6262\"`; record again with `events of tag mark2 "
		    "into ...`");
	expect("time, tags of tag mark1, \"a,bb\"", "1000|x\"612c6262\",mark1\n2000|mark1");
	expect("count of tag \"a,bb\"", "1");
	record(path, class_of("io"), r, 2, NULL);
	expect_part("count of tag mark1", path,
		    "holds io, and no payload: tags are searched while recording");
}

/* Recordings of 0.1.0 have no table `coverage`. */
static void as_of_010(const char *file)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "DROP TABLE coverage", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

static void a_recording_keeps_its_ledger(void **state)
{
	struct rn_ledger l[2] = {
		{.node = "n1", .answered = true, .begin_ns = 500, .end_ns = 2000000500},
		{.node = "n2", .answered = true, .begin_ns = 1000000500, .end_ns = 2000000500}};
	struct rn_ledgers all = {.nodes = l, .n = 2};
	struct rn_err err = {0};
	const char *const *nodes;
	struct rn_arena *a = rn_arena_create(RN_ARENA_CAP);

	(void)state;
	l[0].n[RN_L_LOST_RING] = 7;
	record(path, class_of("io"), some, 4, &all);
	nodes = rn_trace_nodes(a, path, &err);
	assert_string_equal(nodes[0], "n1");
	assert_string_equal(nodes[1], "n2");
	assert_null(nodes[2]);
	record(path, class_of("io"), some, 4, NULL); /* no ledger: the events tell */
	nodes = rn_trace_nodes(a, path, &err);
	assert_string_equal(nodes[0], "n1");
	assert_string_equal(nodes[1], "n2");
	assert_null(nodes[2]);
	record(path, class_of("io"), some, 4, &all);
	/* in the 2 s that were recorded of n1 and the 1 s of n2, not the 3 us that the events
	 * span */
	expect("rate, count of io by node", "n1|1.5|3\nn2|1|1");
	expect("rate of io", "2.5");
	l[1].answered = false; /* it was away for a while */
	l[1].begin_ns = 500;
	l[1].until_ns = 500000500;
	l[1].joined_ns = 1500000500;
	record(path, class_of("io"), some, 4, &all);
	expect("rate of io", "2.5");
	expect("rate, count of io where node = n2 every 1s", "0|2|1");
	as_of_010(path);
	expect("rate of io", "2"); /* it said no more than when a node began and ended */
	rn_arena_destroy(a);
}

static void events_come_in_order_of_time(void **state)
{
	struct record r[] = {some[2], some[0], some[1]};

	(void)state;
	record(path, class_of("io"), r, 3, NULL);
	expect("time of io", "1000\n2000\n3000");
}

static void an_empty_recording_has_empty_answers(void **state)
{
	(void)state;
	record(path, class_of("io"), NULL, 0, NULL);
	expect("count, sum(bytes) of io where proc = dd", "0|0");
	expect("proc of io", "");
}

static void put(const char *file, const void *bytes, size_t n)
{
	FILE *f = fopen(file, "w");

	assert_non_null(f);
	fwrite(bytes, 1, n, f);
	fclose(f);
}

static size_t get(const char *file, char *bytes, size_t cap)
{
	FILE *f = fopen(file, "r");
	size_t n;

	assert_non_null(f);
	n = fread(bytes, 1, cap, f);
	fclose(f);
	return n;
}

static void copy(const char *from, const char *to)
{
	static char bytes[1 << 20];

	put(to, bytes, get(from, bytes, sizeof(bytes)));
}

static void bad_files(void **state)
{
	static char bytes[1 << 20];
	size_t n;

	(void)state;
	expect_part("count of io", "/nonexistent/x.rnt", "cannot be read: No such file");
	expect_part("count of io", dir, "not a regular file");
	put(other, "", 0);
	expect_part("count of io", other, "is empty");
	put(other, "hello, world", 12);
	expect_part("count of io", other, "not an SQLite database");
	record(path, class_of("io"), some, 4, NULL);
	n = get(path, bytes, sizeof(bytes));
	put(other, bytes, n / 2);
	expect_part("count of io", other, "is cut short");
	bytes[63] = 9; /* user_version */
	put(other, bytes, n);
	expect_part("count of io", other, "newer version");
	bytes[63] = 1;
	bytes[68] = 0; /* application_id */
	put(other, bytes, n);
	expect_part("count of io", other, "another program");
	bytes[68] = 'R';
	memset(bytes + 100, 0xee, n - 100);
	put(other, bytes, n);
	expect_part("count of io", other, "is damaged");
}

static int create(const char *file, enum rn_into_how how, struct rn_trace_writer **w,
		  struct rn_err *err)
{
	return rn_trace_create(
		&(struct rn_trace_target){
			.path = file, .how = how, .cls = class_of("io"), .query = "q"},
		w, err);
}

static void an_unfinished_recording_is_not_read(void **state)
{
	struct rn_trace_writer *w, *w2;
	struct rn_err err = {0};
	char part[160];

	(void)state;
	unlink(path);
	assert_int_equal(create(path, RN_INTO_REPLACE, &w, &err), 0);
	assert_int_equal(create(path, RN_INTO_REPLACE, &w2, &err), -EBUSY);
	snprintf(part, sizeof(part), "%s.part", path);
	expect_part("count of io", path, "is a recording that was not finished");
	expect_part("count of io", part, "is still being written");
	copy(part, other); /* as it would be found after a crash */
	expect_part("count of io", other, "was not finished");
	assert_int_equal(rn_trace_close(w, NULL, &err), 0);
	assert_int_equal(access(part, F_OK), -1);
	expect("count of io", "0");
}

static void a_file_that_is_no_recording_is_not_replaced(void **state)
{
	struct rn_trace_writer *w;
	struct rn_err err = {0};

	(void)state;
	assert_true(create("/nonexistent/x.rnt", RN_INTO_NEW, &w, &err) == -ENOENT);
	put(other, "precious", 8);
	assert_int_equal(create(other, RN_INTO_REPLACE, &w, &err), -EEXIST);
	assert_non_null(strstr(err.text, "is no trace"));
	record(path, class_of("io"), some, 4, NULL);
	/* a trace is overwritten, if that is asked for */
	record(path, class_of("io"), some, 1, NULL);
	expect("count of io", "1");
	assert_int_equal(create(path, RN_INTO_NEW, &w, &err), -EEXIST);
	assert_non_null(strstr(err.text, "is there already"));
	assert_non_null(strstr(err.hint, " replace"));
	assert_non_null(strstr(err.hint, " append"));
}

static void processes_are_a_table_of_the_recording(void **state)
{
	sqlite3 *db;
	struct rn_rows_text rows = {0};
	sqlite3_stmt *st;

	(void)state;
	record(path, class_of("io"), some, 4, NULL);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	sqlite3_prepare_v2(db, "select node, pid, proc, start from processes order by pid", -1, &st,
			   NULL);
	while (sqlite3_step(st) == SQLITE_ROW)
		rn_rows_text_sql(&rows, st);
	sqlite3_finalize(st);
	sqlite3_close(db);
	assert_int_equal(rows.n, 3);
	assert_string_equal(rows.line[0], "n1|1|dd|1000");
	rn_rows_text_free(&rows);
}

static void the_same_seed_makes_the_same_recording(void **state)
{
	struct rn_err err = {0};
	char *a, *b;

	(void)state;
	unlink(other);
	assert_int_equal(rn_gen_trace(path, 3000, 7, &err), 0);
	assert_int_equal(rn_gen_trace(other, 3000, 7, &err), 0);
	a = ask("count, sum(bytes), sum(latency), max(time), distinct(file) of syscall by proc, "
		"name",
		path);
	b = ask("count, sum(bytes), sum(latency), max(time), distinct(file) of syscall by proc, "
		"name",
		other);
	assert_string_equal(a, b);
	assert_non_null(strstr(a, "java|read|"));
	free(a);
	free(b);
	expect("count of syscall", "3000");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trip),
		cmocka_unit_test(a_class_reads_what_its_recording_holds),
		cmocka_unit_test(pairs_are_made_in_order_of_time_on_each_node),
		cmocka_unit_test(several_tracepoints_are_one_class_of_a_recording),
		cmocka_unit_test(classes_are_those_of_the_catalogue),
		cmocka_unit_test(only_whole_tags_that_were_asked_for_match),
		cmocka_unit_test(places_of_tags_are_taken_apart_like_the_tags),
		cmocka_unit_test(other_tags),
		cmocka_unit_test(a_recording_keeps_its_ledger),
		cmocka_unit_test(events_come_in_order_of_time),
		cmocka_unit_test(an_empty_recording_has_empty_answers),
		cmocka_unit_test(bad_files),
		cmocka_unit_test(an_unfinished_recording_is_not_read),
		cmocka_unit_test(a_file_that_is_no_recording_is_not_replaced),
		cmocka_unit_test(processes_are_a_table_of_the_recording),
		cmocka_unit_test(the_same_seed_makes_the_same_recording),
	};

	return cmocka_run_group_tests(tests, make_dir, drop_dir);
}
