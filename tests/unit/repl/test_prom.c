/* test_prom.c - the text that is served to Prometheus: names, labels of every kind, histograms,
 * limits; promtool accepts it without a warning where it is installed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "repl/prom/names.h"
#include "repl/prom/exposition.h"
#include "tests/support/hist_text.h"

#define SECOND 1000000000LL

static const struct rn_ty number = {RN_T_INT, RN_U_NONE}, duration = {RN_T_INT, RN_U_NS},
			  size = {RN_T_INT, RN_U_BYTE}, epoch = {RN_T_INT, RN_U_EPOCH},
			  text = {RN_T_STR, RN_U_NONE}, hist = {RN_T_HIST, RN_U_NS},
			  quantile = {RN_T_FLOAT, RN_U_NS}, rate = {RN_T_FLOAT, RN_U_PER_S};

static struct rn_value str(const char *s)
{
	return rn_strn(s, strlen(s));
}

/* A plan whose output has these columns; the first nkeys are keys. */
static struct rn_plan *plan_of(struct rn_arena *a, const struct rn_column *c, unsigned n,
			       unsigned nkeys)
{
	struct rn_plan *p = RN_NEW(a, struct rn_plan);

	p->kind = RN_PLAN_GROUPS;
	p->out = RN_NEWN(a, struct rn_column, n);
	p->nout = n;
	for (unsigned i = 0; i < n; i++) {
		p->out[i] = c[i];
		p->out[i].expr = rn_expr_ref(a, i < nkeys ? RN_E_KEY : RN_E_AGG, (int)i, c[i].ty);
	}
	return p;
}

static void begin(struct rn_arena *a, struct rn_prom *p, const struct rn_column *c, unsigned n,
		  unsigned nkeys)
{
	struct rn_column *all = RN_NEWN(a, struct rn_column, n + 1);
	const struct rn_output *out;

	all[0] = (struct rn_column){.label = "window", .ty = epoch};
	memcpy(all + 1, c, n * sizeof(*c));
	rn_prom_plan(p, plan_of(a, c, n, nkeys), SECOND);
	out = rn_prom_output(p);
	assert_int_equal(out->begin(out->self, &(struct rn_answer_shape){all, n + 1}), 0);
}

/* False: promtool is not here. */
static bool promtool(const char *served)
{
	char path[] = "/tmp/prom_XXXXXX", command[200];
	int fd = mkstemp(path);
	char said[2000] = "";
	FILE *f;
	size_t n;
	int status;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, served, strlen(served)), (ssize_t)strlen(served));
	close(fd);
	snprintf(command, sizeof(command),
		 "command -v promtool >/dev/null || exit 77; promtool check metrics <%s 2>&1",
		 path);
	f = popen(command, "r");
	n = fread(said, 1, sizeof(said) - 1, f);
	status = pclose(f);
	unlink(path);
	if (WEXITSTATUS(status) == 77)
		return false;
	if (status || n)
		fail_msg("promtool: status %d: %s\n%s", status, said, served);
	return true;
}

static char *window(struct rn_prom *p, int64_t mark_ns, const struct rn_ledger *sum)
{
	char *served;
	size_t len;
	const struct rn_window_node nodes[] = {{"n1", 1, 1, NULL}, {"r\"1", 5, 3, "why"}};
	const struct rn_ledger none = {0};

	assert_int_equal(
		rn_prom_window(p, &(struct rn_window_end){mark_ns, sum ? sum : &none, nodes, 2},
			       &served, &len),
		0);
	assert_int_equal(len, strlen(served));
	return served;
}

static void has(const char *served, const char *line)
{
	if (!strstr(served, line))
		fail_msg("no\n%s\nin\n%s", line, served);
}

static const struct rn_column columns[] = {
	{.label = "proc", .ty = {RN_T_STR, 0}},
	{.label = "le", .ty = {RN_T_STR, 0}},
	{.label = "1st key", .ty = {RN_T_INT, RN_U_NS}},
	{.label = "count", .ty = {RN_T_INT, 0}},
	{.label = "sum(bytes)", .ty = {RN_T_INT, RN_U_BYTE}},
	{.label = "hist(latency)", .ty = {RN_T_HIST, RN_U_NS}},
	{.label = "p99(latency)", .ty = {RN_T_FLOAT, RN_U_NS}},
	{.label = "last(file)", .ty = {RN_T_STR, 0}},
	{.label = "m", .ty = {RN_T_INT, 0}},
};
enum { NCOLUMNS = sizeof(columns) / sizeof(*columns), NKEYS = 3 };

static void a_page_has_every_metric_and_label(void **state)
{
	static const char *const parts[] = {
		"# HELP runnel_slow_reads_events how many\n# TYPE runnel_slow_reads_events gauge\n",
		"runnel_slow_reads_events{proc=\"a\\\"b\\\\c\\nd\xef\xbf\xbd\xc3\xa9\",key_le=\"\","
		"key_1st_key=\"1.5\"} 4\n",
		"# TYPE runnel_slow_reads_sum_bytes gauge\n",
		"_sum_bytes{proc=",
		"# TYPE runnel_slow_reads_hist_latency_seconds histogram\n",
		"key_1st_key=\"1.5\",le=\"2.048e-06\"} 3\n",
		"key_1st_key=\"1.5\",le=\"4.096e-06\"} 4\n",
		"key_1st_key=\"1.5\",le=\"+Inf\"} 4\n",
		"key_1st_key=\"1.5\",le=\"1.024e-06\"} 4\n",
		"key_1st_key=\"1.5\",le=\"+Inf\"} 6\n",
		"key_1st_key=\"1.5\"} 2.75e-09\n", /* the sum: 0, 3 * 0.25 and 2 * 1 */
		"runnel_slow_reads_hist_latency_seconds_count{proc=",
		"key_1st_key=\"1.5\"} 1.2345e-06\n",
		"runnel_slow_reads_mcol{",
		"runnel_window_start_timestamp_seconds 5\n",
		"runnel_window_rows 2\n",
		"runnel_events_seen_total 7\n",
		"runnel_incomplete_total{cause=\"lost_ring\"} 3\n",
		"runnel_window_nodes{state=\"whole\"} 4\nrunnel_window_nodes{state=\"missing\"} "
		"2\n",
		"runnel_node_in_window{node=\"r\\\"1\"} 0\nrunnel_node_in_window{node=\"n1\"} 1\n",
	};
	struct rn_arena *a = rn_arena_create(1 << 20);
	struct rn_value v[] = {rn_int(5 * SECOND),
			       str("a\"b\\c\nd\xff\xc3\xa9"),
			       str(""),
			       rn_int(1500000000),
			       rn_int(4),
			       rn_int(4096),
			       hist_of(a, "[[1024,2048,3],[2048,4096,1]]"),
			       rn_float(1234.5),
			       str("/x"),
			       rn_int(-1)};
	struct rn_prom *p;
	const struct rn_output *out;
	struct rn_ledger sum;
	char *s;
	unsigned n;
	bool checked;

	(void)state;
	p = rn_prom_create("slowReads", "Reads that \\ are\nslow.\ncount: how many\nm: more");
	out = rn_prom_output(p);
	sum = (struct rn_ledger){0};
	begin(a, p, columns, NCOLUMNS, NKEYS);
	sum.n[RN_L_SEEN] = 7;
	sum.n[RN_L_LOST_RING] = 3;
	assert_int_equal(out->row(out->self, v), 0);
	v[2] = str("other");
	/* ns in fractions, with open ends */
	v[6] = hist_of(a, "[[-4.611686018427388e+18,0,1],[0,0.5,3],[1,4.611686018427388e+18,2]]");
	v[7] = rn_null(); /* of nothing */
	assert_int_equal(out->row(out->self, v), 0);
	s = window(p, 6 * SECOND, &sum);
	for (unsigned i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		has(s, parts[i]);
	assert_null(strstr(s, "last_file"));
	assert_string_equal(rn_prom_left_out(p), "`last(file)`");
	n = 0;
	for (const char *at = s; (at = strstr(at, "\nrunnel_slow_reads_p99_latency_seconds{"));
	     at++)
		n++;
	assert_int_equal(n, 1); /* what is null is no sample */
	checked = promtool(s);
	free(s);
	s = window(p, 8 * SECOND, NULL); /* nothing came since: the latest window has no rows */
	has(s, "runnel_window_start_timestamp_seconds 7\n");
	has(s, "runnel_window_rows 0\n");
	assert_null(strstr(s, "runnel_slow_reads_events{"));
	if (checked)
		promtool(s);
	free(s);
	rn_prom_destroy(p);
	rn_arena_destroy(a);
	if (!checked)
		skip();
}

static void a_page_is_bounded(void **state)
{
	static const struct rn_column c[] = {{.label = "file", .ty = {RN_T_STR, 0}},
					     {.label = "count", .ty = {RN_T_INT, 0}}};
	struct rn_arena *a;
	struct rn_prom *p;
	const struct rn_output *out;
	char name[32], *s;
	unsigned n;

	(void)state;
	a = rn_arena_create(1 << 20);
	p = rn_prom_create("many", NULL);
	out = rn_prom_output(p);
	begin(a, p, c, 2, 1);
	for (int i = 0; i < RN_PROM_SERIES + 5; i++) {
		snprintf(name, sizeof(name), "file%d", i < 100 ? 0 : i);
		assert_int_equal(out->row(out->self, (struct rn_value[]){rn_int(SECOND), str(name),
									 rn_int(i)}),
				 0);
	}
	s = window(p, 2 * SECOND, NULL);
	has(s, "runnel_window_rows 10005\n");
	has(s, "runnel_series_left_out{why=\"beyond_limit\"} 5\n");
	has(s, "runnel_series_left_out{why=\"same_labels\"} 99\n");
	n = 0;
	for (const char *at = s; (at = strstr(at, "\nrunnel_many_events{")); at++)
		n++;
	assert_int_equal(n, RN_PROM_SERIES - 99);
	free(s);
	/* the next window starts from nothing */
	out->row(out->self, (struct rn_value[]){rn_int(2 * SECOND), str("x"), rn_int(1)});
	s = window(p, 3 * SECOND, NULL);
	has(s, "runnel_window_rows 1\n");
	has(s, "runnel_series_left_out{why=\"beyond_limit\"} 0\n");
	free(s);
	rn_prom_destroy(p);
	rn_arena_destroy(a);
}

static void names_of_metrics_follow_columns(void **state)
{
	static const struct {
		const char *view, *column, *metric;
		const struct rn_ty *ty;
	} cases[] = {
		{"v", "count", "runnel_v_events", &number},
		{"v", "calls", "runnel_v_calls", &number},
		{"v", "latency", "runnel_v_latency_seconds", &duration},
		{"v", "moved", "runnel_v_moved_bytes", &size},
		{"v", "moved_bytes", "runnel_v_moved_bytes", &size},
		{"v", "sum(bytes) / 2", "runnel_v_sum_bytes_2", &number},
		{"v", "per_second", "runnel_v_per_second", &rate},
		{"v", "start", "runnel_v_start_timestamp_seconds", &epoch},
		{"v", "p50(latency)", "runnel_v_p50_latency_seconds", &quantile},
		{"v", "time_ms", "runnel_v_time_mscol", &number},
		{"v", "hist(latency)", "runnel_v_hist_latency_seconds", &hist},
		{"v", "read_total", "runnel_v_read_total_value", &number},
		{"v", "\xc3\xa9", "runnel_v_value", &text},
		{"Top Files", "n", "runnel_top_files_n", &number},
	};
	struct rn_arena *a;

	(void)state;
	a = rn_arena_create(1 << 20);
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_string_equal(
			rn_prom_metric(a, cases[i].view, cases[i].column, *cases[i].ty, NULL),
			cases[i].metric);
	assert_string_equal(rn_prom_metric(a, "v", "calls", number,
					   (const char *const[]){"runnel_v_calls", NULL}),
			    "runnel_v_calls_2");
	assert_string_equal(rn_prom_label(a, "quantile", NULL), "key_quantile");
	assert_string_equal(rn_prom_label(a, "basename(file)", NULL), "basename_file");
	assert_string_equal(rn_prom_label(a, "__x", NULL), "x");
	rn_arena_destroy(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_page_has_every_metric_and_label),
		cmocka_unit_test(a_page_is_bounded),
		cmocka_unit_test(names_of_metrics_follow_columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
