/* query.c - a query's life over all nodes of a fleet: open, start, step, watermark, peek, finish,
 * close.
 *
 * Invariant: a member's part only goes forward, unless the member is lost. Then its part begins
 * again when its node answers again. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "exec/fleet/fleet_impl.h"
#include "lang/base/clock.h"

#define DEADLINE_MAX_NS (3600 * 1000000000LL)
enum { QUERY_ARENA = 256 << 20, TELL_NS = 500 * 1000 * 1000, PEEK_NS = 1000 * 1000 * 1000 };

/* ---- open and start ---- */

static int none_left(struct rn_fleet *f, struct rn_err *err)
{
	const struct rn_member *first = NULL;
	unsigned n = 0;

	for (unsigned i = 0; i < f->n; i++) {
		if (!f->m[i].chosen)
			continue;
		n++;
		if (!first)
			first = &f->m[i];
	}
	if (!first)
		return rn_err_set(err, -EHOSTUNREACH, "no node that the query is about is in %s",
				  f->o.hosts->path);
	if (n == 1)
		rn_err_set(err, -EHOSTUNREACH, "node %s: %s", first->host->name, first->err.text);
	else
		rn_err_set(err, -EHOSTUNREACH, "none of %u nodes answers; node %s: %s", n,
			   first->host->name, first->err.text);
	if (first->err.hint[0])
		rn_err_hint(err, "%s", first->err.hint);
	err->span = first->err.span;
	return err->code;
}

static void begin(struct rn_fleet *f, const struct rn_fragment *frag, const char *const *nodes,
		  const struct rn_sink *sink)
{
	rn_fleet_gather(f);
	f->frag = frag;
	f->on = nodes;
	f->qa = rn_arena_create(QUERY_ARENA);
	rn_fleet_clock_begin(f);
	f->query++;
	f->given_ns = INT64_MIN;
	f->first_ns = f->until_ns = 0;
	f->sink = *sink;
	f->started = f->stopping = false;
	f->refused = 0;
	for (unsigned i = 0; i < f->n; i++) {
		struct rn_member *m = &f->m[i];

		rn_member_choose(f, m, nodes);
		m->part = RN_PART_NONE;
		m->was_lost = false;
		m->nshifts = 0;
		m->joined_ns = m->lost_until_ns = m->first_ns = m->begin_ns = m->seen = m->rows =
			m->late = 0;
		m->answering_below = m->late_below = m->in_window = 0;
		memset(m->counts, 0, sizeof(m->counts));
		memset(m->counts_before, 0, sizeof(m->counts_before));
		m->mark_ns = INT64_MIN;
		m->whole_ns = m->late_from_ns = INT64_MAX;
		m->late_to_ns = 0;
		rn_member_names(m, NULL);
		rn_member_missing(m, NULL);
		m->ledgers = NULL;
		m->nledgers = 0;
		m->err = m->is_wildcard ? m->err : (struct rn_err){0};
		m->tries = 0;
	}
	rn_fleet_divide(f);
}

/* A link that died since the last query is noticed only now, and is started again. */
static void reach(struct rn_fleet *f)
{
	for (unsigned i = 0; i < f->n; i++)
		if (f->m[i].chosen && f->m[i].link) {
			f->m[i].heard_ns = rn_mono_ns();
			rn_member_take(f, &f->m[i]);
		}
	rn_fleet_take_back_nodes(f);
	for (unsigned i = 0; i < f->n; i++) {
		struct rn_member *m = &f->m[i];

		if (m->chosen && m->state == RN_M_READY)
			rn_member_ask(f, m);
		else if (m->chosen && m->state == RN_M_DOWN && !m->is_wildcard)
			m->part = RN_PART_NONE;
	}
	rn_fleet_greet(f);
}

static int open_query(struct rn_fleet *f, const struct rn_fragment *frag, const char *const *nodes,
		      const struct rn_sink *sink,
		      void (*waiting)(void *self, const struct rn_fleet_status *s),
		      void *waiting_self, struct rn_err *err)
{
	int64_t tell = rn_mono_ns() + TELL_NS;
	struct rn_fleet_status status;

	begin(f, frag, nodes, sink);
	reach(f);
	while (rn_fleet_parts(f, RN_PART_NONE, RN_PART_ASKED) && !rn_stopped(f->o.stop)) {
		rn_fleet_turn(f, 100);
		if (!waiting || rn_mono_ns() < tell)
			continue;
		rn_fleet_status(f, &status);
		waiting(waiting_self, &status);
		tell = rn_mono_ns() + TELL_NS;
	}
	if (f->o.stop && *f->o.stop && rn_fleet_parts(f, RN_PART_NONE, RN_PART_ASKED))
		return rn_err_set(err, -EINTR,
				  "interrupted before all nodes had accepted the query");
	if (!rn_fleet_parts(f, RN_PART_NONE, RN_PART_FAILED))
		return rn_err_set(err, -EHOSTUNREACH, "no node that the query is about is in %s",
				  f->o.hosts->path);
	return rn_fleet_parts(f, RN_PART_ACCEPTED, RN_PART_ACCEPTED) ? 0 : none_left(f, err);
}

int rn_fleet_open(struct rn_fleet *f, const struct rn_fragment *frag, const char *const *nodes,
		  const struct rn_sink *sink,
		  void (*waiting)(void *self, const struct rn_fleet_status *s), void *waiting_self,
		  struct rn_err *err)
{
	int r;

	rn_keepalive_enter(f->keep);
	r = open_query(f, frag, nodes, sink, waiting, waiting_self, err);
	rn_keepalive_leave(f->keep);
	return r;
}

void rn_fleet_hold(struct rn_fleet *f, int64_t first_ns, int64_t until_ns)
{
	f->first_ns = first_ns;
	f->until_ns = until_ns;
}

static int start_query(struct rn_fleet *f, struct rn_err *err)
{
	struct rn_frame start = {
		.kind = RN_FRAME_START, .first_ns = f->first_ns, .until_ns = f->until_ns};

	f->started = true;
	f->began_ns = rn_fleet_now(f);
	for (unsigned i = 0; i < f->n; i++) {
		if (!f->m[i].chosen || f->m[i].part != RN_PART_ACCEPTED)
			continue;
		f->m[i].part_ns = rn_mono_ns(); /* it may have accepted long ago */
		rn_member_send(f, &f->m[i], f->query, &start);
	}
	while (rn_fleet_parts(f, RN_PART_ACCEPTED, RN_PART_ACCEPTED) && !f->refused &&
	       !rn_stopped(f->o.stop))
		rn_fleet_turn(f, 100);
	if (f->refused)
		return f->refused;
	return rn_fleet_parts(f, RN_PART_ASKED, RN_PART_ENDED) ? 0 : none_left(f, err);
}

int rn_fleet_start(struct rn_fleet *f, struct rn_err *err)
{
	int r;

	rn_keepalive_enter(f->keep);
	r = start_query(f, err);
	rn_keepalive_leave(f->keep);
	return r;
}

int64_t rn_fleet_begin(const struct rn_fleet *f)
{
	int64_t first = 0;

	for (unsigned i = 0; i < f->n; i++)
		if (f->m[i].chosen && f->m[i].first_ns && (!first || f->m[i].first_ns < first))
			first = f->m[i].first_ns;
	return first;
}

/* More may come: from a node that runs, or from one that answers again. A table that is read once
 * does not wait for the latter. */
static bool may_come(const struct rn_fleet *f)
{
	bool once = rn_fleet_once(f);

	for (unsigned i = 0; i < f->n; i++)
		if (f->m[i].chosen && f->m[i].part != RN_PART_ENDED &&
		    (f->m[i].part != RN_PART_FAILED || (!once && f->m[i].retry_ns != INT64_MAX)))
			return true;
	return false;
}

int rn_fleet_step(struct rn_fleet *f, int timeout_ms, struct rn_err *err)
{
	int r;

	(void)err;
	rn_keepalive_enter(f->keep);
	r = rn_fleet_turn(f, timeout_ms);
	rn_keepalive_leave(f->keep);
	if (r < 0)
		return r;
	if (rn_fleet_parts(f, RN_PART_NONE, RN_PART_RUNNING))
		return 0;
	if (rn_fleet_parts(f, RN_PART_ENDED, RN_PART_ENDED))
		return 1;
	return !may_come(f); /* all were lost */
}

int64_t rn_fleet_watermark(struct rn_fleet *f)
{
	int64_t mark = INT64_MAX, now = rn_fleet_now(f);
	unsigned waited = 0;

	for (unsigned i = 0; i < f->n; i++) {
		const struct rn_member *m = &f->m[i];

		if (!m->chosen || m->part != RN_PART_RUNNING || rn_member_late(f, m, now))
			continue;
		waited++;
		if (m->mark_ns < mark)
			mark = m->mark_ns;
	}
	if (!waited && may_come(f)) /* what comes then belongs to windows that are open now */
		mark = f->frag->every_ns ? rn_window_start(now - f->o.late_ns, f->frag->every_ns) -
						   f->frag->every_ns
					 : INT64_MIN;
	if (mark > f->given_ns && mark != INT64_MAX)
		f->given_ns = mark;
	return mark;
}

static int peek_query(struct rn_fleet *f, const struct rn_sink *sink, struct rn_err *err)
{
	struct rn_frame peek = {.kind = RN_FRAME_PEEK, .peek = ++f->peek_number};
	struct rn_sink own = *sink;
	int64_t end = rn_mono_ns() + PEEK_NS;
	unsigned left = 1;

	(void)err;
	f->peek = &own;
	for (unsigned i = 0; i < f->n; i++)
		if (f->m[i].chosen && f->m[i].part == RN_PART_RUNNING)
			rn_member_send(f, &f->m[i], f->query, &peek);
	while (left && rn_mono_ns() < end && rn_fleet_turn(f, 50) >= 0) {
		left = 0;
		for (unsigned i = 0; i < f->n; i++)
			left += f->m[i].chosen && f->m[i].part == RN_PART_RUNNING &&
				f->m[i].peeked != f->peek_number;
	}
	f->peek = NULL;
	return f->refused;
}

int rn_fleet_peek(struct rn_fleet *f, const struct rn_sink *sink, struct rn_err *err)
{
	int r;

	rn_keepalive_enter(f->keep);
	r = peek_query(f, sink, err);
	rn_keepalive_leave(f->keep);
	return r;
}

/* ---- the end ---- */

/* Adds what a node's own ledger cannot know: lost connections, and windows delivered without it.
 * The node's data is complete before `until` and after `joined`. */
static void add_loss(const struct rn_member *m, struct rn_ledger *l, const char *lost)
{
	int64_t until = l->answered ? INT64_MAX : l->until_ns;
	const char *why = NULL;

	if (m->joined_ns) {
		until = 0;
		why = "it was reached only after the query had begun";
	}
	if (m->was_lost) {
		until = m->lost_until_ns < until || m->joined_ns ? m->lost_until_ns : until;
		why = lost;
	}
	if (m->late_from_ns < until) {
		until = m->late_from_ns;
		why = why ? why : "it was behind, and windows were delivered without it";
	}
	if (l->answered || l->joined_ns) { /* else nothing is whole after `until` */
		l->joined_ns = m->joined_ns > l->joined_ns ? m->joined_ns : l->joined_ns;
		l->joined_ns = m->late_to_ns > l->joined_ns ? m->late_to_ns : l->joined_ns;
	}
	if (!why)
		return;
	l->why = l->answered ? why : l->why;
	l->answered = false;
	l->until_ns = until < l->end_ns ? until : l->end_ns;
}

static void tell_ledger(struct rn_fleet *f, const struct rn_member *m,
			void (*each)(void *self, const struct rn_ledger *l), void *self)
{
	struct rn_ledger l = {.node = m->host->name};
	bool ended = m->nledgers && m->part == RN_PART_ENDED;
	const char *lost =
		ended ? "the connection to it was lost, and it answers again" : m->err.text;

	for (unsigned i = 0; i < m->nledgers && ended; i++) {
		l = m->ledgers[i];
		rn_member_clock_ledger(f, m, &l);
		if (m->was_lost && m->first_ns < l.begin_ns)
			l.begin_ns = m->first_ns;
		add_loss(m, &l, lost);
		/* its counts when it was lost */
		for (unsigned k = 0; !i && !m->relay && k < RN_L_COUNT; k++)
			l.n[k] += m->counts_before[k];
		l.n[RN_L_LATE] += i ? 0 : m->late;
		each(self, &l);
	}
	if (ended)
		return;
	l.begin_ns = m->first_ns;
	l.end_ns = m->first_ns ? rn_fleet_now(f) : 0;
	l.answered = m->was_lost;
	add_loss(m, &l, lost);
	l.why = m->err.text[0] ? m->err.text : "it was never reached";
	l.joined_ns = 0; /* what came since the loss is not whole */
	for (unsigned k = 0; k < RN_L_COUNT; k++)
		l.n[k] = m->counts_before[k] + m->counts[k];
	l.n[RN_L_LATE] += m->late;
	if (m->rows)
		l.n[RN_L_MATCHED] = m->rows; /* of them, those that came */
	each(self, &l);
}

void rn_fleet_attached(const struct rn_fleet *f,
		       void (*each)(void *self, const char *node, int64_t begin_ns), void *self)
{
	for (unsigned i = 0; i < f->n; i++) {
		const struct rn_member *m = &f->m[i];

		if (!m->chosen || !m->first_ns)
			continue;
		each(self, m->relay ? NULL : m->host->name, m->first_ns);
		for (unsigned k = 0; m->relay && k < m->nledgers; k++)
			if (m->ledgers[k].begin_ns)
				each(self, m->ledgers[k].node, m->ledgers[k].begin_ns);
	}
}

static void tell_so_far(struct rn_fleet *f, const struct rn_member *m,
			void (*each)(void *self, const struct rn_ledger *l), void *self)
{
	bool runs = m->part == RN_PART_RUNNING || m->part == RN_PART_ENDED;
	struct rn_ledger l = {.node = m->host->name,
			      .begin_ns = m->first_ns,
			      .end_ns = m->first_ns ? rn_fleet_now(f) : 0,
			      .answered = runs || m->was_lost};
	const char *lost =
		runs ? "the connection to it was lost, and it answers again" : m->err.text;

	for (unsigned k = 0; k < RN_L_COUNT; k++)
		l.n[k] = m->counts_before[k] + m->counts[k];
	add_loss(m, &l, lost);
	if (!runs && !l.why)
		l.why = m->err.text[0] ? m->err.text : "it has not begun yet";
	if (runs && m->missing && l.answered) {
		l.answered = false;
		l.why = m->missing;
	}
	if (!l.n[RN_L_SEEN] && !l.n[RN_L_MATCHED]) {
		l.n[RN_L_SEEN] = m->seen;
		l.n[RN_L_MATCHED] = m->rows;
	}
	l.n[RN_L_LATE] += m->late;
	each(self, &l);
}

void rn_fleet_so_far(struct rn_fleet *f, void (*each)(void *self, const struct rn_ledger *l),
		     void *self)
{
	for (unsigned i = 0; i < f->n; i++)
		if (f->m[i].chosen)
			tell_so_far(f, &f->m[i], each, self);
	rn_fleet_doubts(f, each, self);
}

static int stop_flag(const struct rn_fleet *f)
{
	return f->o.stop ? __atomic_load_n(f->o.stop, __ATOMIC_RELAXED) : 0;
}

/* Gives up the nodes that have not ended: the user does not want to wait. */
static void give_up_rest(struct rn_fleet *f)
{
	for (unsigned i = 0; i < f->n; i++) {
		struct rn_member *m = &f->m[i];
		struct rn_err err = {0};

		if (!m->chosen || m->part != RN_PART_RUNNING)
			continue;
		rn_err_set(&err, -EINTR, "it had not ended the query when the end was interrupted");
		rn_member_failed(m, &err);
		m->lost_its_nodes = true;
	}
	rn_fleet_take_back_nodes(f);
}

void rn_fleet_within(struct rn_fleet *f, int64_t wait_ns)
{
	int64_t own = f->o.hosts->deadline_ns, most = wait_ns > 0 ? wait_ns : RN_DEADLINE_NS;

	most = (most < DEADLINE_MAX_NS ? most : DEADLINE_MAX_NS) / 4 * 3;
	f->deadline_ns = own && own < most ? own : most;
}

static int finish_query(struct rn_fleet *f, void (*each)(void *self, const struct rn_ledger *l),
			void *self, struct rn_err *err)
{
	struct rn_frame stop = {.kind = RN_FRAME_STOP, .wait_ns = f->deadline_ns};
	int asked = stop_flag(f);

	(void)err;
	f->stopping = true;
	f->stop_ns = rn_mono_ns();
	for (unsigned i = 0; i < f->n; i++) {
		struct rn_member *m = &f->m[i];
		struct rn_err late = {0};

		if (!m->chosen || !m->link)
			continue;
		if (m->part >= RN_PART_ASKED && m->part <= RN_PART_RUNNING)
			rn_member_send(f, m, f->query, &stop);
		/* it had no time to begin */
		if (m->part == RN_PART_ASKED || m->part == RN_PART_ACCEPTED) {
			rn_err_set(&late, -ETIMEDOUT, "the query ended before it had begun there");
			rn_member_failed(m, m->err.code ? &m->err : &late);
			m->lost_its_nodes = true;
		}
	}
	rn_fleet_take_back_nodes(f);
	while (rn_fleet_parts(f, RN_PART_RUNNING, RN_PART_RUNNING) && !f->refused &&
	       stop_flag(f) == asked)
		rn_fleet_turn(f, 100);
	give_up_rest(f);
	for (unsigned i = 0; i < f->n; i++)
		if (f->m[i].chosen)
			tell_ledger(f, &f->m[i], each, self);
	rn_fleet_doubts(f, each, self);
	return f->refused;
}

int rn_fleet_finish(struct rn_fleet *f, void (*each)(void *self, const struct rn_ledger *l),
		    void *self, struct rn_err *err)
{
	int r;

	rn_keepalive_enter(f->keep);
	r = finish_query(f, each, self, err);
	rn_keepalive_leave(f->keep);
	return r;
}

static void close_query(struct rn_fleet *f)
{
	struct rn_frame stop = {.kind = RN_FRAME_STOP};

	if (!f->frag)
		return;
	for (unsigned i = 0; i < f->n; i++) {
		struct rn_member *m = &f->m[i];
		struct rn_err err = {0};

		if (m->link && m->part >= RN_PART_ASKED && m->part <= RN_PART_RUNNING) {
			rn_member_send(f, m, f->query, &stop);
			rn_link_pump(m->link, &err);
		}
		rn_member_unstage(m);
		m->part = RN_PART_NONE;
		m->chosen = false;
	}
	rn_fleet_unhold(f);
	f->frag = NULL;
	rn_arena_destroy(f->qa);
	f->qa = NULL;
}

void rn_fleet_close(struct rn_fleet *f)
{
	rn_keepalive_enter(f->keep);
	close_query(f);
	rn_keepalive_leave(f->keep);
}
