/* main_diff.c - the main oracle: the same query over the same recorded events must give the same
 * rows however it is split.
 *
 *     diff TRACE FILE.q...
 *     diff TRACE --random N [SEED]
 *
 * A .q file is a list of cases: `== name`, perhaps `-- views`, `-- query`, and where the query can
 * be said in SQL, `-- sql` over the trace's own tables, and `paired`: those of `events` whose
 * latency is known. Each query runs in every configuration of the table below; the first is the
 * reference. One line a case. */
#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "exec/coord/coord.h"
#include "exec/trace/trace.h"
#include "planner/plan/ledger.h"
#include "probes/probes.h"
#include "tests/support/rows_text.h"
#include "lang/resolve/resolve.h"
#include "lang/syntax/parse.h"
#include "lang/base/limits.h"
#include "tests/support/random_queries.h"
#include "tests/support/rule_counts.h"
#include "tests/support/views_text.h"

static const struct config {
	const char *name;
	struct rn_plan_opts plan;
	unsigned nodes;  /* how many agents share the recorded nodes */
	unsigned fanout; /* agents to a relay */
	bool frames;
} configs[] = {
	{"coordinator only", {.no_rules = true, .no_pushdown = true}, 1, 0, false},
	{"pushed down, optimiser off", {.no_rules = true}, 1, 0, false},
	{"optimised", {0}, 1, 0, false},
	{"optimised, 1 node, frames", {0}, 1, 0, true},
	{"optimised, 2 nodes", {0}, 2, 0, true},
	{"optimised, 5 nodes and relays", {0}, 5, 2, true},
	{"coordinator only, 5 nodes", {.no_pushdown = true}, 5, 0, true},
};
enum { NCONFIG = sizeof(configs) / sizeof(*configs), MAX_NODES = 8 };

struct text_case {
	char *name, *views, *query, *sql;
};

/* ---- running one query in one configuration ---- */

struct run {
	struct rn_arena *arena;
	struct rn_rows_text rows;
	bool unordered; /* a list of rows without `order by`: any order is right */
	char error[2048];
};

/* Gives agent i of n its share of the trace's nodes: "n1,n3". */
static char *share(const char *const *nodes, unsigned i, unsigned n)
{
	char *s = calloc(1, 4096);

	for (unsigned k = 0; nodes[k]; k++)
		if (k % n == i)
			sprintf(s + strlen(s), "%s%s", *s ? "," : "", nodes[k]);
	return s;
}

static int run_plan(struct run *r, struct rn_plan *p, const struct config *c, const char *trace,
		    const struct rn_names *names)
{
	struct rn_err err = {0};
	const char *const *all = rn_trace_nodes(r->arena, trace, &err);
	struct rn_provider provider[MAX_NODES];
	struct rn_node node[MAX_NODES];
	char *part[MAX_NODES];
	unsigned n = 0;
	int rc = all ? 0 : err.code;

	for (; rc == 0 && n < c->nodes; n++) {
		part[n] = c->nodes == 1 ? NULL : share(all, n, c->nodes);
		rc = rn_trace_provider(trace, part[n], NULL, &provider[n], &err);
		node[n] = (struct rn_node){part[n] ? part[n] : "all", &provider[n]};
	}
	if (rc == 0) {
		struct rn_run_opts o = {
			.nodes = node, .nnodes = n, .fanout = c->fanout, .frames = c->frames};
		char why[256];
		struct rn_output out;
		struct rn_ledgers l;

		o.traces = names->trace_self;
		o.catalog = rn_trace_catalog(o.traces, trace, names->catalog, why, sizeof(why));
		out = rn_rows_text_output(&r->rows);
		l = (struct rn_ledgers){0};
		rc = rn_coord_run(r->arena, p, &o, &out, &l, &err);
	}
	for (unsigned i = 0; i < n; i++) {
		rn_trace_provider_free(&provider[i]);
		free(part[i]);
	}
	if (rc < 0)
		snprintf(r->error, sizeof(r->error), "%s", err.text);
	return rc < 0 ? rc : 0;
}

static struct rn_trace_catalogs *traces; /* as long as the program */

/* Plans it in r->arena; NULL: r->error says why. */
static struct rn_plan *plan_query(struct run *r, const char *query, const struct config *c,
				  const char *trace, const struct rn_names *names)
{
	struct rn_diag *d = rn_diag_new(r->arena);
	struct rn_ast_file *f =
		rn_parse(r->arena, d, rn_diag_source(d, "query", query, strlen(query)));
	struct rn_plan *p = NULL;

	if (!rn_diag_errors(d) && f->stmts && f->stmts->query) {
		struct rn_ast_query *q = f->stmts->query;

		q->from = rn_arena_strdup(r->arena, trace);
		if (rn_resolve(r->arena, d, q, names))
			p = rn_plan_query(r->arena, d, q, names, &c->plan);
		r->unordered = p && p->kind == RN_PLAN_ROWS && !p->norder;
	}
	if (!p)
		snprintf(r->error, sizeof(r->error), "%s", rn_diag_render(d, r->arena, false));
	return p;
}

static int run_query(struct run *r, const struct text_case *t, const struct config *c,
		     const char *trace, const struct rn_catalog *catalog)
{
	struct rn_views views = rn_views_text(t->views);
	struct rn_names names = {.catalog = catalog,
				 .views = t->views ? &views : NULL,
				 .trace = rn_trace_catalog,
				 .trace_self = traces};
	struct rn_plan *p;

	r->arena = rn_arena_create(RN_ARENA_CAP);
	p = plan_query(r, t->query, c, trace, &names);
	return p ? run_plan(r, p, c, trace, &names) : -EINVAL;
}

/* ---- SQL by hand ---- */

static int run_sql(struct rn_rows_text *out, const char *trace, const char *sql, char *error,
		   size_t n)
{
	sqlite3 *db;
	sqlite3_stmt *st = NULL;
	int rc = sqlite3_open_v2(trace, &db, SQLITE_OPEN_READONLY, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_exec(
			db,
			"create temp view paired as select * from events where latency is not null",
			NULL, NULL, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_prepare_v2(db, sql, -1, &st, NULL);
	while (rc == SQLITE_OK && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		rn_rows_text_sql(out, st);
		rc = SQLITE_OK;
	}
	if (rc != SQLITE_DONE)
		snprintf(error, n, "sql: %s", sqlite3_errmsg(db));
	sqlite3_finalize(st);
	sqlite3_close(db);
	return rc == SQLITE_DONE ? 0 : -1;
}

/* ---- one case ---- */

static bool same(const struct text_case *t, const char *what, const struct rn_rows_text *a,
		 const struct rn_rows_text *b)
{
	char where[512];

	if (rn_rows_text_equal(a, b, where, sizeof(where)))
		return true;
	printf("not ok %s: %s\n  %s\n  %s\n", t->name, what, t->query, where);
	return false;
}

static bool run_case(const struct text_case *t, const char *trace, const struct rn_catalog *catalog)
{
	struct run r[NCONFIG] = {0};
	bool ok = true;
	unsigned done = 0;

	for (; ok && done < NCONFIG; done++) {
		struct run *x = &r[done];

		if (run_query(x, t, &configs[done], trace, catalog) < 0) {
			printf("not ok %s: %s\n  %s\n%s\n", t->name, configs[done].name, t->query,
			       x->error);
			ok = false;
			continue;
		}
		if (x->unordered)
			rn_rows_text_sort(&x->rows);
		ok = !done || same(t, configs[done].name, &r[0].rows, &x->rows);
	}
	if (ok && t->sql) {
		struct rn_rows_text sql = {0};
		char error[512];

		if (run_sql(&sql, trace, t->sql, error, sizeof(error)) < 0) {
			printf("not ok %s: %s\n", t->name, error);
			ok = false;
		} else {
			rn_rows_text_sort(&sql);
			rn_rows_text_sort(&r[0].rows);
			ok = same(t, "SQL by hand", &sql, &r[0].rows);
		}
		rn_rows_text_free(&sql);
	}
	if (ok)
		printf("ok %s (%u rows)\n", t->name, r[0].rows.n);
	for (unsigned i = 0; i < done; i++) {
		rn_rows_text_free(&r[i].rows);
		rn_arena_destroy(r[i].arena);
	}
	return ok;
}

/* ---- files ---- */

static void add_line(char **s, const char *line)
{
	size_t n = *s ? strlen(*s) : 0;

	*s = realloc(*s, n + strlen(line) + 1);
	strcpy(*s + n, line);
}

static unsigned run_file(const char *path, const char *trace, const struct rn_catalog *catalog,
			 unsigned *cases)
{
	FILE *f = fopen(path, "r");
	struct text_case t;
	char *line, **section;
	size_t cap;
	unsigned failed;

	if (!f) {
		printf("not ok %s: %s\n", path, strerror(errno));
		return 1;
	}
	t = (struct text_case){0};
	line = NULL;
	section = NULL;
	cap = 0;
	failed = 0;
	for (ssize_t n = 0; n >= 0;) {
		n = getline(&line, &cap, f);
		if (n < 0 || !strncmp(line, "== ", 3)) {
			if (t.query) {
				failed += !run_case(&t, trace, catalog);
				++*cases;
			}
			free(t.name), free(t.views), free(t.query), free(t.sql);
			t = (struct text_case){
				.name = n < 0 ? NULL : strndup(line + 3, strcspn(line + 3, "\n"))};
			section = NULL;
		} else if (!strcmp(line, "-- views\n")) {
			section = &t.views;
		} else if (!strcmp(line, "-- query\n")) {
			section = &t.query;
		} else if (!strcmp(line, "-- sql\n")) {
			section = &t.sql;
		} else if (section) {
			add_line(section, line);
		}
	}
	free(line);
	fclose(f);
	return failed;
}

/* ---- random queries ---- */

/* Is it a query that can be asked? If it is not, its error is no difference. */
static bool is_fine(const char *query, const char *trace, const struct rn_catalog *catalog)
{
	struct rn_names names = {
		.catalog = catalog, .trace = rn_trace_catalog, .trace_self = traces};
	struct run r = {.arena = rn_arena_create(RN_ARENA_CAP)};
	bool fine = plan_query(&r, query, &configs[2], trace, &names) != NULL;

	if (!fine && getenv("RN_SHOW"))
		printf("# refused: %s\n%s\n", query, r.error);
	rn_arena_destroy(r.arena);
	return fine;
}

static unsigned run_random(unsigned n, unsigned seed, const char *trace,
			   const struct rn_catalog *catalog)
{
	struct rn_rule_counts *rules = rn_rule_counts_create("lang/syntax/grammar.y");
	unsigned failed = 0, refused = 0, in_sql = 0, few;

	if (!rules) {
		printf("not ok lang/syntax/grammar.y: cannot be read\n");
		return 1;
	}
	printf("# seed %u\n", seed);
	for (unsigned i = 0; i < n; i++) {
		struct rn_arena *a = rn_arena_create(1 << 20);
		char name[32];
		struct rn_random_query q;
		struct text_case t = {.name = name};

		snprintf(name, sizeof(name), "seed %u", seed);
		q = rn_random_query(a, &seed);
		t.query = (char *)(uintptr_t)q.text;
		t.sql = (char *)(uintptr_t)q.sql;
		if (!is_fine(q.text, trace, catalog)) {
			refused++;
		} else {
			failed += !run_case(&t, trace, catalog);
			in_sql += q.sql != NULL;
			rn_rule_counts_add(rules, q.text);
		}
		rn_arena_destroy(a);
	}
	few = rn_rule_counts_print(rules, n / 200);
	rn_rule_counts_free(rules);
	printf("# %u random queries, %u of them also in SQL, %u refused: %u differ; %u rules or "
	       "calls "
	       "in fewer than %u\n",
	       n, in_sql, refused, failed, few, n / 200);
	if (refused * 20 > n)
		printf("not ok more than 5 %% of the random queries are refused\n");
	return failed + (refused * 20 > n);
}

int main(int argc, char **argv)
{
	struct rn_catalog *catalog;
	unsigned failed, cases;

	if (argc < 3) {
		fprintf(stderr, "usage: diff TRACE FILE.q...\n");
		return 2;
	}
	catalog = rn_probes_catalog(rn_agg_sigs);
	failed = 0;
	cases = 0;
	traces = rn_trace_catalogs_create();
	if (!strcmp(argv[2], "--random"))
		failed = run_random(argc > 3 ? (unsigned)atoi(argv[3]) : 500,
				    argc > 4 ? (unsigned)atoi(argv[4]) : (unsigned)time(NULL),
				    argv[1], catalog);
	for (int i = 2; i < argc && argv[2][0] != '-'; i++)
		failed += run_file(argv[i], argv[1], catalog, &cases);
	rn_trace_catalogs_free(traces);
	rn_probes_catalog_free(catalog);
	printf("# %u queries, each in %d ways: %u differ\n", cases, NCONFIG, failed);
	return failed > 0;
}
