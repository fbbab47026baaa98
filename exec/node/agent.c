/* agent.c - one fragment on one node: source -> stage -> sink, and the closing of windows.
 *
 * Invariants: a window is flushed once the watermark has passed its end. The watermark never goes
 * back. Groups formed in the source (the kernel) are flipped at wall-clock edges. Rows are put into
 * windows by their own time. A source without `deliver_window` forms no groups and tests no
 * predicates, whatever the plan says: then the agent does all of it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "exec/node/agent.h"
#include "exec/groups/cover.h"
#include "exec/node/live_sets.h"
#include "exec/node/missing.h"
#include "exec/node/policy.h"
#include "exec/groups/stage.h"
#include "lang/base/memory.h"
#include "lang/files/spare.h"
#include "lang/base/clock.h"

/* Rows of several CPUs come almost in order: a window stays open for this much longer. */
#define GRACE_NS (100LL * 1000 * 1000)

struct rn_agent {
	char *node;
	struct rn_source *src;
	const struct rn_provider *provider;
	const struct rn_scope *scope;
	const struct rn_fragment *fragment;
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
	int64_t no_user, no_name;   /* for the ledger: exec/node/missing.h */
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
							      r->values + (size_t)from * r->ncols,
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
	err = g->fragment->held || g->until_ns != INT64_MAX ? stage_rows(g, r)
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
	return rn_covered_partials(&g->covered, p, now_ns(g->fragment), &g->sink);
}

/* Groups by what the keys are derived from: they merge with those of events that came as rows. */
static int take_fine(void *self, const struct rn_partials *p)
{
	struct rn_agent *g = self;

	return rn_stage_regroup(g->stage, p);
}

static int pass_rows(void *self, const struct rn_rows *r)
{
	struct rn_agent *g = self;

	return g->sink.rows(g->sink.self, r);
}

static struct rn_sink own_sink(struct rn_agent *g)
{
	return (struct rn_sink){.self = g,
				.rows = take_rows,
				.partials = rn_fragment_spills(g->fragment) ? take_fine
									    : take_partials};
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

	g->in_source = g->fragment->grouped && g->fragment->agg_place == RN_AT_KERNEL &&
		       ops->deliver_window;
	if (!ops->deliver_window)
		places |= 1u << RN_AT_KERNEL;
	/* groups formed in the source need no expression here: their fields are not in the row */
	g->own_cover = (struct rn_cover){&g->own_span, 1};
	rn_covered_init(&g->covered, g->fragment, &g->own_cover);
	return rn_stage_create(g->fragment, places,
			       !rn_fragment_raw(g->fragment) &&
				       (!g->in_source || rn_fragment_spills(g->fragment)),
			       &through, &g->stage, err);
}

int rn_agent_open(const char *node, const struct rn_provider *provider,
		  struct rn_fragment *fragment, const struct rn_scope *scope, const char *asker,
		  const struct rn_sink *sink, struct rn_agent **out, struct rn_err *err)
{
	int r = check_policy(provider, fragment, asker, err);
	struct rn_agent *agent;

	if (r)
		return r;
	agent = rn_calloc(1, sizeof(*agent));
	agent->node = rn_strdup(node);
	agent->provider = provider;
	agent->scope = scope;
	agent->fragment = fragment;
	agent->sink = *sink;
	agent->newest_ns = agent->watermark_ns = INT64_MIN;
	agent->live =
		!provider->ops->replay && fragment->cls && fragment->cls->kind != RN_CLASS_TABLE;
	agent->no_user = provider->ops->replay ? 0 : rn_missing_users(fragment);
	agent->no_name = provider->ops->replay ? 0 : rn_missing_names(fragment);
	agent->first_ns = fragment->held ? INT64_MAX : INT64_MIN;
	agent->until_ns = INT64_MAX;
	r = rn_files_spare(RN_FILES_SPARE, err);
	if (!r)
		r = provider->ops->open(provider->self, fragment, scope, &agent->src, err);
	if (!r)
		r = open_stage(agent, err);
	if (r) {
		rn_agent_close(agent);
		return r;
	}
	*out = agent;
	return 0;
}

int rn_agent_start(struct rn_agent *agent, struct rn_err *err)
{
	int r = agent->src->ops->start(agent->src, err);

	r = r ? r
	      : rn_live_sets_begin(agent->provider, agent->fragment, agent->scope, agent->src, err);
	if (!r)
		r = rn_files_spare(RN_FILES_SPARE, err);
	if (r)
		return r;
	agent->started = true;
	agent->own_span = (struct rn_span_ns){now_ns(agent->fragment), INT64_MAX};
	if (agent->src->ops->cover && agent->src->ops->cover(agent->src))
		agent->covered.cover = agent->src->ops->cover(agent->src);
	agent->window_ns = rn_window_start(now_ns(agent->fragment), agent->fragment->every_ns);
	return 0;
}

void rn_agent_hold(struct rn_agent *agent, int64_t first_ns, int64_t until_ns)
{
	int64_t begin = agent->own_span.begin > first_ns ? agent->own_span.begin : first_ns;

	if (!agent->fragment->held)
		return;
	agent->first_ns = first_ns;
	agent->until_ns = until_ns;
	agent->own_span.begin = begin;
	agent->window_ns = rn_window_start(begin, agent->fragment->every_ns);
	if (agent->src->ops->gate)
		agent->src->ops->gate(agent->src, first_ns);
}

/* The wait ends at the window's edge at the latest, so that windows close in time. */
static int wait_ms(const struct rn_agent *g, int timeout_ms)
{
	int64_t now, edge, left;

	if (!g->fragment->every_ns)
		return timeout_ms;
	now = now_ns(g->fragment);
	edge = (g->in_source ? g->window_ns : rn_window_start(now, g->fragment->every_ns)) +
	       g->fragment->every_ns;
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

/* Delivers a window of groups that the source formed. With derived keys, some events of the window
 * are rows that wait in the source: those before the first one that is later than the closing. */
static int close_in_source(struct rn_agent *g, int64_t next_ns, struct rn_err *err)
{
	struct rn_sink own = own_sink(g);
	int r = g->src->ops->deliver_window(g->src, &own, g->window_ns, false, err);
	int64_t closed_ns = now_ns(g->fragment);

	if (!rn_fragment_spills(g->fragment))
		return r;
	for (g->batch_rows = 1; r >= 0 && g->batch_rows && g->newest_ns < closed_ns;) {
		g->batch_rows = 0;
		r = g->src->ops->poll(g->src, &own, 0, err);
	}
	if (r < 0)
		return r;
	r = rn_stage_flush(g->stage, next_ns);
	return r < 0 ? rn_err_set(err, r, "%s: cannot deliver a window", g->node) : 0;
}

static int close_windows(struct rn_agent *agent, struct rn_err *err)
{
	int64_t every = agent->fragment->every_ns, now = now_ns(agent->fragment), mark, next;
	int r;

	if (agent->in_source) {
		if (now < agent->window_ns + every)
			return 0;
		if (now - agent->window_ns - every > agent->edge_ns)
			agent->edge_ns = now - agent->window_ns - every;
		agent->ended = now >= agent->until_ns;
		if (agent->ended) {
			end_held(agent);
			now = agent->until_ns;
		}
		next = rn_window_start(now, every);
		r = close_in_source(agent, next, err);
		agent->window_ns = agent->watermark_ns = next;
		return r;
	}
	mark = agent->src->ops->complete_until ? agent->src->ops->complete_until(agent->src)
					       : INT64_MIN;
	if (mark != INT64_MIN)
		mark += GRACE_NS; /* nothing is out of order */
	else
		mark = agent->newest_ns;
	/* nothing waited in the source: all events before the question have been seen */
	if (!agent->batch_rows && agent->asked_ns > mark)
		mark = agent->asked_ns;
	if (mark == INT64_MIN)
		return 0;
	mark = rn_window_start(mark - GRACE_NS, every);
	if (mark <= agent->watermark_ns)
		return 0;
	agent->watermark_ns = mark;
	if (mark >= agent->until_ns) {
		agent->ended = true;
		end_held(agent);
	}
	r = rn_stage_flush(agent->stage, mark);
	return r < 0 ? rn_err_set(err, r, "%s: cannot deliver a window", agent->node) : 0;
}

/* The source has ended: sends up all that is here, so that others need not wait for this node. */
static int last_windows(struct rn_agent *g, struct rn_err *err)
{
	int r = rn_stage_flush(g->stage, INT64_MAX);

	g->watermark_ns = INT64_MAX;
	return r < 0 ? rn_err_set(err, r, "%s: cannot deliver the last groups", g->node) : 0;
}

int rn_agent_step(struct rn_agent *agent, int timeout_ms, struct rn_err *err)
{
	struct rn_sink own = own_sink(agent);
	int r;

	if (agent->ended || agent->full)
		return 1;
	agent->batch_rows = 0;
	agent->asked_ns = now_ns(agent->fragment);
	r = agent->src->ops->poll(agent->src, &own, wait_ms(agent, timeout_ms), err);
	if (r < 0)
		return r;
	agent->ended = r > 0;
	r = 0;
	if (agent->ended)
		r = last_windows(agent, err);
	else if (agent->fragment->every_ns)
		r = close_windows(agent, err);
	return r < 0 ? r : agent->ended || agent->full;
}

uint64_t rn_agent_got(const struct rn_agent *agent)
{
	return agent->batch_rows;
}

int64_t rn_agent_newest(const struct rn_agent *agent)
{
	return agent->newest_ns;
}

int rn_agent_advance(struct rn_agent *agent, int64_t mark_ns)
{
	int64_t mark = rn_window_start(mark_ns, agent->fragment->every_ns);

	if (agent->in_source || mark <= agent->watermark_ns)
		return 0;
	agent->watermark_ns = mark;
	return rn_stage_flush(agent->stage, mark);
}

int64_t rn_agent_watermark(const struct rn_agent *agent)
{
	return agent->watermark_ns;
}

struct peek {
	struct rn_agent *agent;
	const struct rn_sink *sink;
};

static int peek_partials(void *self, const struct rn_partials *p)
{
	struct peek *k = self;

	return rn_covered_partials(&k->agent->covered, p, now_ns(k->agent->fragment), k->sink);
}

static int peek_fine(void *self, const struct rn_partials *p)
{
	struct peek *k = self;
	struct rn_sink through = {.self = k, .rows = k->sink->rows, .partials = peek_partials};

	return rn_stage_peek_regrouped(k->agent->stage, p, &through);
}

int rn_agent_peek(struct rn_agent *agent, const struct rn_sink *sink, struct rn_err *err)
{
	struct peek k = {agent, sink};
	struct rn_sink through = {.self = &k, .rows = sink->rows, .partials = peek_partials};

	if (!agent->fragment->grouped)
		return 0;
	if (agent->in_source) {
		struct rn_sink fine = {.self = &k, .rows = sink->rows, .partials = peek_fine};
		int r = agent->src->ops->deliver_window(
			agent->src, rn_fragment_spills(agent->fragment) ? &fine : &through,
			agent->window_ns, true, err);

		if (r < 0 || !rn_fragment_spills(agent->fragment))
			return r;
	}
	return rn_stage_peek(agent->stage, &through);
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

void rn_agent_cost(struct rn_agent *agent, struct rn_cost *cost)
{
	*cost = (struct rn_cost){0};
	if (agent->src->ops->cost)
		agent->src->ops->cost(agent->src, cost);
}

void rn_agent_ledger(struct rn_agent *agent, struct rn_ledger *ledger)
{
	agent->src->ops->ledger(agent->src, ledger);
	ledger->n[RN_L_SEEN] -= agent->unmeant;
	ledger->n[RN_L_MATCHED] -= agent->unmeant;
	rn_stage_ledger(agent->stage, ledger);
	ledger->n[RN_L_NO_USER] += agent->no_user;
	ledger->n[RN_L_NO_NAME] += agent->no_name;
	ledger->n[RN_L_OWN_KEY] += agent->fragment->withhold.own_key;
}

const struct rn_cover *rn_agent_cover(const struct rn_agent *agent)
{
	return agent->covered.cover;
}

int64_t rn_agent_seen(struct rn_agent *agent)
{
	struct rn_ledger l = {0};

	agent->src->ops->ledger(agent->src, &l);
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

int rn_agent_finish(struct rn_agent *agent, struct rn_ledger *ledger, struct rn_err *err)
{
	struct rn_sink own = own_sink(agent);
	bool over;
	int r = 0, f;

	memset(ledger, 0, sizeof(*ledger));
	ledger->node = agent->node;
	ledger->answered = true; /* a recording may know better */
	if (agent->started) {
		int64_t now = now_ns(agent->fragment);

		over = agent->own_span.end != INT64_MAX; /* a held query reached its end */
		r = agent->src->ops->stop(agent->src, err);
		set_end(agent, now);
		if (!r)
			r = drain(agent, err);
		if (!r && agent->in_source && !over)
			r = agent->src->ops->deliver_window(agent->src, &own, agent->window_ns,
							    false, err);
		f = rn_stage_flush(agent->stage, INT64_MAX);
		if (!r && f < 0)
			r = rn_err_set(err, f, "%s: cannot deliver the last groups", agent->node);
		rn_agent_ledger(agent, ledger);
		ledger->node = agent->node;
		ledger->edge_ns = agent->edge_ns;
		ledger->hash_key = agent->fragment->withhold.key_id;
		if (agent->covered.cover == &agent->own_cover) {
			ledger->begin_ns = agent->own_span.begin;
			ledger->end_ns = agent->own_span.end;
		}
	}
	agent->started = false;
	agent->ended = true;
	agent->watermark_ns = INT64_MAX;
	if (r < 0)
		ledger->answered = false;
	return r < 0 ? r : 0;
}

void rn_agent_close(struct rn_agent *agent)
{
	if (!agent)
		return;
	if (agent->src)
		agent->src->ops->close(agent->src);
	rn_stage_destroy(agent->stage);
	rn_covered_release(&agent->covered);
	free(agent->node);
	free(agent);
}
