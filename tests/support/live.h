/* live.h - for tests of the live provider: a query text becomes a running source, scoped to a child
 * that makes known calls.
 *
 * The child is forked before the query starts and waits; live_go lets it run, live_end waits for
 * it. Results are kept as copies. Skips (cmocka's skip) where programs may not be loaded. */
#ifndef RN_TESTS_SUPPORT_LIVE_H
#define RN_TESTS_SUPPORT_LIVE_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "exec/groups/groups.h"
#include "lang/resolve/names.h"
#include "lang/resolve/resolve.h"
#include <stdio.h>
#include "lang/base/limits.h"
#include "lang/syntax/parse.h"
#include "planner/plan/plan.h"
#include "probes/probes.h"

/* Ends the program as skipped, with the reason, where programs may not be loaded. */
static inline void live_require(void)
{
	struct rn_err err = {0};

	if (rn_probes_permitted(&err) == 0)
		return;
	printf("1..0 # SKIP tracing is not permitted here: %s\n", err.text);
	exit(0);
}

struct live {
	struct rn_arena *a;
	struct rn_diag *d;
	struct rn_catalog *cat;
	struct rn_shared *shared;
	struct rn_provider *prov;
	struct rn_plan *plan;
	struct rn_source *src;
	struct rn_err err;
	int32_t pid; /* the child; 0: none, everybody */
	int go;      /* its pipe */
	int status;  /* of the child, as waitpid gives it; once it has ended */
	struct rn_scope scope;
	struct rn_value *row; /* rows: nrows * plan->frag.nfields */
	int64_t *row_time;
	unsigned nrows, cap_rows;
	struct rn_groups *groups; /* merged partials of all windows */
	unsigned ndrains;
	struct rn_ledger ledger;
};

static inline int live_rows(void *self, const struct rn_rows *r)
{
	struct live *l = self;

	for (unsigned i = 0; i < r->nrows; i++) {
		if (l->nrows == l->cap_rows) {
			l->cap_rows = l->cap_rows ? 2 * l->cap_rows : 1024;
			l->row = realloc(l->row, (l->cap_rows * r->ncols + 1) * sizeof(*l->row));
			l->row_time = realloc(l->row_time, l->cap_rows * sizeof(*l->row_time));
		}
		l->row_time[l->nrows] = r->time_ns[i];
		for (unsigned k = 0; k < r->ncols; k++) {
			struct rn_value v = r->values[i * r->ncols + k];

			if (v.kind == RN_STR)
				v.s = rn_arena_strndup(l->a, v.s, v.len);
			l->row[l->nrows * r->ncols + k] = v;
		}
		l->nrows++;
	}
	return 0;
}

static inline int live_partials(void *self, const struct rn_partials *p)
{
	struct live *l = self;

	l->ndrains++;
	rn_groups_merge(l->groups, p);
	return 0;
}

static inline struct rn_sink live_sink(struct live *l)
{
	return (struct rn_sink){.self = l, .rows = live_rows, .partials = live_partials};
}

/* Plans the query; fails the test if it is wrong. */
static inline void live_plan(struct live *l, const char *text, const struct rn_plan_opts *opts)
{
	static const struct rn_plan_opts none;
	struct rn_names names = {0};
	struct rn_ast_file *f;

	memset(l, 0, sizeof(*l));
	l->a = rn_arena_create(RN_ARENA_CAP);
	l->d = rn_diag_new(l->a);
	l->cat = rn_probes_catalog(rn_agg_sigs);
	names.catalog = l->cat;
	f = rn_parse(l->a, l->d, rn_diag_source(l->d, "query", text, strlen(text)));
	if (!rn_diag_errors(l->d) && rn_resolve(l->a, l->d, f->stmts->query, &names))
		l->plan = rn_plan_query(l->a, l->d, f->stmts->query, &names, opts ? opts : &none);
	if (!l->plan)
		fail_msg("%s\n%s", text, rn_diag_render(l->d, l->a, false));
	l->groups = rn_groups_create(l->plan->frag.aggs, l->plan->frag.naggs, l->plan->frag.nkeys,
				     1 << 20);
	l->shared = rn_shared_create();
	l->prov = rn_probes_provider("testnode", l->shared);
}

/* Gives the query what it shares with others. */
static inline void live_share(struct live *l, struct rn_shared *shared)
{
	rn_probes_provider_free(l->prov);
	rn_shared_destroy(l->shared);
	l->shared = NULL;
	l->prov = rn_probes_provider("testnode", shared);
}

/* Forks a child that runs body once it is let go. */
static inline void live_fork(struct live *l, void (*body)(void *), void *arg)
{
	int p[2];
	char c;

	assert_int_equal(pipe(p), 0);
	l->pid = fork();
	if (l->pid == 0) {
		close(p[1]);
		if (read(p[0], &c, 1) == 1)
			body(arg);
		_exit(0);
	}
	close(p[0]);
	l->go = p[1];
	l->scope = (struct rn_scope){.pids = &l->pid, .npids = 1, .follow = true};
}

static inline void live_start(struct live *l)
{
	if (l->prov->ops->open(l->prov->self, &l->plan->frag, l->pid ? &l->scope : NULL, &l->src,
			       &l->err) < 0)
		fail_msg("open: %s\n%s", l->err.text, l->err.hint);
	if (l->src->ops->start(l->src, &l->err) < 0)
		fail_msg("start: %s\n%s", l->err.text, l->err.hint);
}

static inline void live_go(struct live *l)
{
	assert_int_equal(write(l->go, "x", 1), 1);
	close(l->go);
}

static inline bool live_poll(struct live *l, int timeout_ms) /* true when the child has ended */
{
	struct rn_sink sink = live_sink(l);

	assert_true(l->src->ops->poll(l->src, &sink, timeout_ms, &l->err) >= 0);
	if (l->pid && waitpid(l->pid, &l->status, WNOHANG) == l->pid) {
		l->pid = 0;
		return true;
	}
	return false;
}

static inline void live_flip(struct live *l, int64_t window_ns, bool peek)
{
	struct rn_sink sink = live_sink(l);

	if (l->src->ops->deliver_window(l->src, &sink, window_ns, peek, &l->err) < 0)
		fail_msg("flip: %s", l->err.text);
}

static inline void live_end(struct live *l)
{
	struct rn_sink sink = live_sink(l);
	unsigned before;

	while (l->pid && !live_poll(l, 10))
		;
	assert_int_equal(l->src->ops->stop(l->src, &l->err), 0);
	do { /* a poll takes some of what there is */
		before = l->nrows;
		assert_true(l->src->ops->poll(l->src, &sink, 0, &l->err) >= 0);
	} while (l->nrows != before);
	live_flip(l, 0, false);
	l->src->ops->ledger(l->src, &l->ledger);
	l->src->ops->close(l->src);
	l->src = NULL;
}

static inline void live_free(struct live *l)
{
	rn_groups_destroy(l->groups);
	rn_probes_provider_free(l->prov);
	rn_shared_destroy(l->shared);
	rn_probes_catalog_free(l->cat);
	free(l->row);
	free(l->row_time);
	rn_arena_destroy(l->a);
}

/* The whole of it: a query scoped to a child that runs body. */
static inline void live_run(struct live *l, const char *text, void (*body)(void *), void *arg)
{
	live_plan(l, text, NULL);
	live_fork(l, body, arg);
	live_start(l);
	live_go(l);
	live_end(l);
	if (WIFEXITED(l->status) && WEXITSTATUS(l->status))
		fail_msg("%s: the child that makes the calls ended with %d", text,
			 WEXITSTATUS(l->status));
}
#endif
