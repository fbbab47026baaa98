/* agent.c - one fragment on one node: source -> stage -> sink, and the closing of windows.
 *
 * Invariants: a window is flushed once the watermark has passed its end. The watermark never goes
 * back. Groups formed in the source (the kernel) are flipped at wall-clock edges. Rows are put into
 * windows by their own time. A source without `flip` forms no groups and tests no predicates,
 * whatever the plan says: then the agent does all of it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "exec/node/agent.h"
#include "exec/groups/cover.h"
#include "exec/node/policy.h"
#include "exec/groups/stage.h"
#include "exec/node/users.h"
#include "lang/files/spare.h"
#include "lang/base/clock.h"

/* Rows of several CPUs come almost in order: a window stays open for this much longer. */
#define GRACE_NS (100LL * 1000 * 1000)

struct rn_agent {
	char *node;
	struct rn_source *src;
	const struct rn_fragment *f;
	struct rn_stage *stage;
	struct rn_sink sink;
	bool in_source; /* groups are formed in the source */
	/* events happen while it runs; else they come from a recording, a table, an answer */
	bool live;
	bool started, ended, full; /* full: the limit of rows is reached */
	int64_t window_ns;         /* in_source: the window that is being filled */
	int64_t newest_ns;         /* greatest time of a row */
	int64_t asked_ns;          /* when the source was last asked for rows */
	int64_t watermark_ns;
	/* in_source: the longest delay from a window's end to its closing */
	int64_t edge_ns;
	uint64_t batch_rows;        /* rows of the last poll */
	int64_t no_user;            /* for the ledger: rn_users_missing */
	struct rn_span_ns own_span; /* by the clock: from start to stop */
	struct rn_cover own_cover;
	/* for a query that is held: rows that came and are not in the answer */
	int64_t unmeant;
	/* The times in the answer. Held: from the first window on; INT64_MAX: not known yet. Else
	 * from INT64_MIN on. until_ns: the end, as soon as it is known. */
	int64_t first_ns, until_ns;
	struct rn_covered covered;
};

/* Now, by the clock that stamps the events. */
static int64_t now_ns(const struct rn_fragment *f)
{
	return f->clock_ns ? rn_mono_ns() + f->clock_ns : rn_epoch_ns();
}

static bool is_meant(const struct rn_agent *g, int64_t time_ns)
{
	return time_ns >= g->first_ns && time_ns < g->until_ns;
}

/* Passes on rows that are in the answer, in runs. */
static int stage_rows(struct rn_agent *g, const struct rn_rows *r)
{
	int err = 0;

	for (uint32_t from = 0, n; from < r->nrows && !err; from += n) {
		bool meant = is_meant(g, r->time_ns[from]);

		for (n = 1; from + n < r->nrows && is_meant(g, r->time_ns[from + n]) == meant;)
			n++;
		g->unmeant += meant ? 0 : n;
		if (meant)
			err = rn_stage_rows(g->stage,
					    &(struct rn_rows){n, r->ncols,
							      r->v + (size_t)from * r->ncols,
							      r->time_ns + from});
	}
	return err;
}

static int take_rows(void *self, const struct rn_rows *r)
{
	struct rn_agent *g = self;
	int err;

	if (g->full)
		return 0;
	g->batch_rows += r->nrows;
	for (uint32_t i = 0; i < r->nrows; i++)
		if (r->time_ns[i] > g->newest_ns)
			g->newest_ns = r->time_ns[i];
	err = g->f->held || g->until_ns != INT64_MAX ? stage_rows(g, r)
						     : rn_stage_rows(g->stage, r);
	if (err > 0)
		g->full = true;
	return err < 0 ? err : 0;
}

/* Groups leave the node: divides their rates by what it has covered. */
static int take_partials(void *self, const struct rn_partials *p)
{
	struct rn_agent *g = self;

	/* the cover of an answer grows while the answer is made */
	if (g->src->ops->cover && g->src->ops->cover(g->src))
		g->covered.cover = g->src->ops->cover(g->src);
	return rn_covered_partials(&g->covered, p, now_ns(g->f), &g->sink);
}

static int pass_rows(void *self, const struct rn_rows *r)
{
	struct rn_agent *g = self;

	return g->sink.rows(g->sink.self, r);
}

static struct rn_sink own_sink(struct rn_agent *g)
{
	return (struct rn_sink){.self = g, .rows = take_rows, .partials = take_partials};
}

/* The node's policy decides about live events. Data that is not the node's own was let out
 * before. */
static int check_policy(const struct rn_provider *provider, struct rn_fragment *f,
			const char *asker, struct rn_err *err)
{
	struct rn_policy policy;
	int r;

	if (provider->ops->replay)
		return 0;
	r = rn_policy_load(&policy, err);
	if (!r)
		r = rn_policy_check(&policy, f, asker, err);
	return r ? r : rn_policy_cap(&policy, f, err);
}

/* Does what the source leaves to do: it forms groups, or has predicates tested for it, or
 * neither. */
static int open_stage(struct rn_agent *g, struct rn_err *err)
{
	const struct rn_source_ops *ops = g->src->ops;
	struct rn_sink through = {.self = g, .rows = pass_rows, .partials = take_partials};
	unsigned places = 1u << RN_AT_NODE;

	g->in_source = g->f->grouped && g->f->agg_place == RN_AT_KERNEL && ops->flip;
	if (!ops->flip)
		places |= 1u << RN_AT_KERNEL;
	/* groups formed in the source need no expression here: their fields are not in the row */
	g->own_cover = (struct rn_cover){&g->own_span, 1};
	rn_covered_init(&g->covered, g->f, &g->own_cover);
	return rn_stage_create(g->f, places, !rn_fragment_raw(g->f) && !g->in_source, &through,
			       &g->stage, err);
}

int rn_agent_open(const char *node, const struct rn_provider *provider, struct rn_fragment *f,
		  const struct rn_scope *scope, const char *asker, const struct rn_sink *sink,
		  struct rn_agent **out, struct rn_err *err)
{
	int r = check_policy(provider, f, asker, err);
	struct rn_agent *g;

	if (r)
		return r;
	g = calloc(1, sizeof(*g));
	if (!g || !(g->node = strdup(node))) {
		free(g);
		return rn_err_set(err, -ENOMEM, "no memory for an agent");
	}
	g->f = f;
	g->sink = *sink;
	g->newest_ns = g->watermark_ns = INT64_MIN;
	g->live = !provider->ops->replay && f->cls && f->cls->kind != RN_CLASS_TABLE;
	g->no_user = provider->ops->replay ? 0 : rn_users_missing(f);
	g->first_ns = f->held ? INT64_MAX : INT64_MIN;
	g->until_ns = INT64_MAX;
	r = rn_files_spare(RN_FILES_SPARE, err);
	if (!r)
		r = provider->ops->open(provider->self, f, scope, &g->src, err);
	if (!r)
		r = open_stage(g, err);
	if (r) {
		rn_agent_close(g);
		return r;
	}
	*out = g;
	return 0;
}

int rn_agent_start(struct rn_agent *g, struct rn_err *err)
{
	int r = g->src->ops->start(g->src, err);

	if (!r)
		r = rn_files_spare(RN_FILES_SPARE, err);
	if (r)
		return r;
	g->started = true;
	g->own_span = (struct rn_span_ns){now_ns(g->f), INT64_MAX};
	if (g->src->ops->cover && g->src->ops->cover(g->src))
		g->covered.cover = g->src->ops->cover(g->src);
	g->window_ns = rn_window_start(now_ns(g->f), g->f->every_ns);
	return 0;
}

void rn_agent_hold(struct rn_agent *g, int64_t first_ns, int64_t until_ns)
{
	int64_t begin = g->own_span.begin > first_ns ? g->own_span.begin : first_ns;

	if (!g->f->held)
		return;
	g->first_ns = first_ns;
	g->until_ns = until_ns;
	g->own_span.begin = begin;
	g->window_ns = rn_window_start(begin, g->f->every_ns);
	if (g->src->ops->gate)
		g->src->ops->gate(g->src, first_ns);
}

/* The wait ends at the window's edge at the latest, so that windows close in time. */
static int wait_ms(const struct rn_agent *g, int timeout_ms)
{
	int64_t now, edge, left;

	if (!g->f->every_ns)
		return timeout_ms;
	now = now_ns(g->f);
	edge = (g->in_source ? g->window_ns : rn_window_start(now, g->f->every_ns)) +
	       g->f->every_ns;
	left = (edge - now) / 1000000 + 1;
	if (left < 0)
		left = 0;
	return left < timeout_ms ? (int)left : timeout_ms;
}

/* Ends a query: what follows is not in the answer. */
static void end_held(struct rn_agent *g)
{
	g->own_span.end = g->until_ns;
	if (g->src->ops->gate)
		g->src->ops->gate(g->src, INT64_MAX);
}

static int close_windows(struct rn_agent *g, struct rn_err *err)
{
	int64_t every = g->f->every_ns, now = now_ns(g->f), mark;
	struct rn_sink own = own_sink(g);
	int r;

	if (g->in_source) {
		if (now < g->window_ns + every)
			return 0;
		if (now - g->window_ns - every > g->edge_ns)
			g->edge_ns = now - g->window_ns - every;
		g->ended = now >= g->until_ns;
		if (g->ended) {
			end_held(g);
			now = g->until_ns;
		}
		r = g->src->ops->flip(g->src, &own, g->window_ns, false, err);
		g->window_ns = g->watermark_ns = rn_window_start(now, every);
		return r;
	}
	mark = g->src->ops->given_to ? g->src->ops->given_to(g->src) : INT64_MIN;
	if (mark != INT64_MIN)
		mark += GRACE_NS; /* nothing is out of order */
	else
		mark = g->newest_ns;
	/* nothing waited in the source: all events before the question have been seen */
	if (!g->batch_rows && g->asked_ns > mark)
		mark = g->asked_ns;
	if (mark == INT64_MIN)
		return 0;
	mark = rn_window_start(mark - GRACE_NS, every);
	if (mark <= g->watermark_ns)
		return 0;
	g->watermark_ns = mark;
	if (mark >= g->until_ns) {
		g->ended = true;
		end_held(g);
	}
	r = rn_stage_flush(g->stage, mark);
	return r < 0 ? rn_err_set(err, r, "%s: cannot deliver a window", g->node) : 0;
}

/* The source has ended: sends up all that is here, so that others need not wait for this node. */
static int last_windows(struct rn_agent *g, struct rn_err *err)
{
	int r = rn_stage_flush(g->stage, INT64_MAX);

	g->watermark_ns = INT64_MAX;
	return r < 0 ? rn_err_set(err, r, "%s: cannot deliver the last groups", g->node) : 0;
}

int rn_agent_step(struct rn_agent *g, int timeout_ms, struct rn_err *err)
{
	struct rn_sink own = own_sink(g);
	int r;

	if (g->ended || g->full)
		return 1;
	g->batch_rows = 0;
	g->asked_ns = now_ns(g->f);
	r = g->src->ops->poll(g->src, &own, wait_ms(g, timeout_ms), err);
	if (r < 0)
		return r;
	g->ended = r > 0;
	r = 0;
	if (g->ended)
		r = last_windows(g, err);
	else if (g->f->every_ns)
		r = close_windows(g, err);
	return r < 0 ? r : g->ended || g->full;
}

uint64_t rn_agent_got(const struct rn_agent *g)
{
	return g->batch_rows;
}

int rn_agent_advance(struct rn_agent *g, int64_t mark_ns)
{
	int64_t mark = rn_window_start(mark_ns, g->f->every_ns);

	if (g->in_source || mark <= g->watermark_ns)
		return 0;
	g->watermark_ns = mark;
	return rn_stage_flush(g->stage, mark);
}

int64_t rn_agent_watermark(const struct rn_agent *g)
{
	return g->watermark_ns;
}

struct peek {
	struct rn_agent *g;
	const struct rn_sink *sink;
};

static int peek_partials(void *self, const struct rn_partials *p)
{
	struct peek *k = self;

	return rn_covered_partials(&k->g->covered, p, now_ns(k->g->f), k->sink);
}

int rn_agent_peek(struct rn_agent *g, const struct rn_sink *sink, struct rn_err *err)
{
	struct peek k = {g, sink};
	struct rn_sink through = {.self = &k, .rows = sink->rows, .partials = peek_partials};

	if (!g->f->grouped)
		return 0;
	if (g->in_source)
		return g->src->ops->flip(g->src, &through, g->window_ns, true, err);
	return rn_stage_peek(g->stage, &through);
}

/* After stop no new event comes in: reads until a poll brings nothing. */
static int drain(struct rn_agent *g, struct rn_err *err)
{
	struct rn_sink own = own_sink(g);
	int r = 0;

	while (!g->ended && !g->full && !r) {
		g->batch_rows = 0;
		r = g->src->ops->poll(g->src, &own, 0, err);
		if (!r && !g->batch_rows)
			break;
	}
	return r < 0 ? r : 0;
}

void rn_agent_cost(struct rn_agent *g, struct rn_cost *c)
{
	*c = (struct rn_cost){0};
	if (g->src->ops->cost)
		g->src->ops->cost(g->src, c);
}

void rn_agent_ledger(struct rn_agent *g, struct rn_ledger *l)
{
	g->src->ops->ledger(g->src, l);
	l->n[RN_L_SEEN] -= g->unmeant;
	l->n[RN_L_MATCHED] -= g->unmeant;
	rn_stage_ledger(g->stage, l);
	l->n[RN_L_NO_USER] += g->no_user;
	l->n[RN_L_OWN_KEY] += g->f->withhold.own_key;
}

const struct rn_cover *rn_agent_cover(const struct rn_agent *g)
{
	return g->covered.cover;
}

int64_t rn_agent_seen(struct rn_agent *g)
{
	struct rn_ledger l = {0};

	g->src->ops->ledger(g->src, &l);
	return l.n[RN_L_SEEN];
}

/* Sets the time until which all was seen. Some probes are detached later than others and see more:
 * rows of that time would be too many for the covered time. */
static void set_end(struct rn_agent *g, int64_t now)
{
	struct rn_ledger l = {0};

	g->src->ops->ledger(g->src, &l); /* the source knows best */
	if (g->live && l.end_ns > now)
		now = l.end_ns;
	g->own_span.end = now < g->until_ns ? now : g->until_ns;
	if (g->live && g->own_span.end > g->own_span.begin) /* else the clock was set */
		g->until_ns = g->own_span.end;
	if (g->own_span.end < g->own_span.begin) /* it was stopped before its first window */
		g->own_span.end = g->own_span.begin;
}

int rn_agent_finish(struct rn_agent *g, struct rn_ledger *l, struct rn_err *err)
{
	struct rn_sink own = own_sink(g);
	bool over;
	int r = 0, f;

	memset(l, 0, sizeof(*l));
	l->node = g->node;
	l->answered = true; /* a recording may know better */
	if (g->started) {
		int64_t now = now_ns(g->f);

		over = g->own_span.end != INT64_MAX; /* a held query reached its end */
		r = g->src->ops->stop(g->src, err);
		set_end(g, now);
		if (!r)
			r = drain(g, err);
		if (!r && g->in_source && !over)
			r = g->src->ops->flip(g->src, &own, g->window_ns, false, err);
		f = rn_stage_flush(g->stage, INT64_MAX);
		if (!r && f < 0)
			r = rn_err_set(err, f, "%s: cannot deliver the last groups", g->node);
		rn_agent_ledger(g, l);
		l->node = g->node;
		l->edge_ns = g->edge_ns;
		l->hash_key = g->f->withhold.key_id;
		if (g->covered.cover == &g->own_cover) {
			l->begin_ns = g->own_span.begin;
			l->end_ns = g->own_span.end;
		}
	}
	g->started = false;
	g->ended = true;
	g->watermark_ns = INT64_MAX;
	if (r < 0)
		l->answered = false;
	return r < 0 ? r : 0;
}

void rn_agent_close(struct rn_agent *g)
{
	if (!g)
		return;
	if (g->src)
		g->src->ops->close(g->src);
	rn_stage_destroy(g->stage);
	rn_covered_release(&g->covered);
	free(g->node);
	free(g);
}
