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
#include "lang/base/str.h"

#define DEADLINE_MAX_NS (3600 * 1000000000LL)
enum { QUERY_ARENA = 256 << 20, PEEK_NS = 1000 * 1000 * 1000 };
enum { NAMED = 3, REASONS_BYTES = 500 }; /* of an error that names the reasons of nodes */

/* ---- open and start ---- */

static bool same_reason(const struct rn_member *a, const struct rn_member *b)
{
	return a->query.chosen && b->query.chosen && !strcmp(a->query.err.text, b->query.err.text);
}

/* Adds "nodes a, b and 7 more: WHY" for all that have the reason of the member. Returns how many
 * they are; 0: an earlier member has the same reason. */
static unsigned put_reason(struct rn_strbuf *to, const struct rn_fleet *fleet, unsigned member)
{
	const struct rn_member *m = fleet->members;
	unsigned n = 0;

	for (unsigned i = 0; i < member; i++)
		if (same_reason(&m[i], &m[member]))
			return 0;
	for (unsigned i = member; i < fleet->n; i++)
		n += same_reason(&m[i], &m[member]);
	rn_strbuf_printf(to, "; node%s ", n == 1 ? "" : "s");
	for (unsigned i = member, k = 0; i < fleet->n && k < NAMED; i++)
		if (same_reason(&m[i], &m[member]))
			rn_strbuf_printf(to, "%s%s", k++ ? ", " : "", m[i].host->name);
	if (n > NAMED)
		rn_strbuf_printf(to, " and %u more", n - NAMED);
	rn_strbuf_printf(to, ": %s", m[member].query.err.text);
	return n;
}

static int none_left(struct rn_fleet *fleet, struct rn_err *err)
{
	unsigned n = rn_fleet_parts(fleet, RN_PART_NONE, RN_PART_FAILED), told = 0;
	const struct rn_member *first = fleet->members;
	struct rn_strbuf why;

	if (!n)
		return rn_err_set(err, -EHOSTUNREACH, "no node that the query is about is in %s",
				  fleet->opts.hosts->path);
	while (!first->query.chosen)
		first++;
	rn_strbuf_init(&why, fleet->qa);
	for (unsigned i = 0; i < fleet->n && why.len < REASONS_BYTES; i++)
		if (fleet->members[i].query.chosen)
			told += put_reason(&why, fleet, i);
	if (told < n)
		rn_strbuf_printf(&why, "; and %u more", n - told);
	if (n == 1)
		rn_err_set(err, -EHOSTUNREACH, "node %s: %s", first->host->name,
			   first->query.err.text);
	else
		rn_err_set(err, -EHOSTUNREACH, "none of %u nodes answers%s", n,
			   rn_strbuf_cstr(&why));
	if (first->query.err.hint[0])
		rn_err_hint(err, "%s", first->query.err.hint);
	err->span = first->query.err.span;
	return err->code;
}

static void begin(struct rn_fleet *fleet, const struct rn_fragment *frag, const char *const *nodes,
		  const struct rn_sink *sink)
{
	rn_fleet_gather(fleet);
	fleet->frag = frag;
	fleet->on = nodes;
	fleet->qa = rn_arena_create(QUERY_ARENA);
	rn_fleet_clock_begin(fleet);
	fleet->query++;
	fleet->delivered_until_ns = INT64_MIN;
	fleet->first_ns = fleet->until_ns = 0;
	fleet->sink = *sink;
	fleet->started = fleet->stopping = false;
	fleet->refused = 0;
	for (unsigned i = 0; i < fleet->n; i++) {
		struct rn_member *member = &fleet->members[i];

		rn_member_begin(member);
		rn_member_choose(fleet, member, nodes);
		member->link.tries = 0;
	}
	rn_fleet_divide(fleet);
}

/* A link that died since the last query is noticed only now, and is started again. */
static void reach(struct rn_fleet *f)
{
	for (unsigned i = 0; i < f->n; i++)
		if (f->members[i].query.chosen && f->members[i].link.io) {
			f->members[i].link.heard_ns = rn_mono_ns();
			rn_member_take(f, &f->members[i]);
		}
	rn_fleet_take_back_nodes(f);
	for (unsigned i = 0; i < f->n; i++) {
		struct rn_member *m = &f->members[i];

		if (m->query.chosen && m->link.state == RN_M_READY)
			rn_member_ask(f, m);
		else if (m->query.chosen && m->link.state == RN_M_DOWN && !m->discovery.is_wildcard)
			m->query.part = RN_PART_NONE;
	}
	rn_fleet_greet(f);
}

static int open_query(struct rn_fleet *fleet, const struct rn_fragment *frag,
		      const char *const *nodes, const struct rn_sink *sink, struct rn_err *err)
{
	rn_fleet_wait_begin(fleet);
	begin(fleet, frag, nodes, sink);
	reach(fleet);
	while (rn_fleet_parts(fleet, RN_PART_NONE, RN_PART_ASKED) &&
	       !rn_stopped(fleet->opts.stop)) {
		rn_fleet_turn(fleet, 100);
		rn_fleet_wait_told(fleet);
	}
	rn_fleet_wait_end(fleet);
	if (fleet->opts.stop && *fleet->opts.stop &&
	    rn_fleet_parts(fleet, RN_PART_NONE, RN_PART_ASKED))
		return rn_err_set(err, -EINTR,
				  "interrupted before all nodes had accepted the query");
	return rn_fleet_parts(fleet, RN_PART_ACCEPTED, RN_PART_ACCEPTED) ? 0
									 : none_left(fleet, err);
}

int rn_fleet_open(struct rn_fleet *fleet, const struct rn_fragment *frag, const char *const *nodes,
		  const struct rn_sink *sink, struct rn_err *err)
{
	int r;

	rn_keepalive_enter(fleet->keep);
	r = open_query(fleet, frag, nodes, sink, err);
	rn_keepalive_leave(fleet->keep);
	return r;
}

void rn_fleet_hold(struct rn_fleet *fleet, int64_t first_ns, int64_t until_ns)
{
	fleet->first_ns = first_ns;
	fleet->until_ns = until_ns;
}

static int start_query(struct rn_fleet *fleet, struct rn_err *err)
{
	struct rn_frame start = {
		.kind = RN_FRAME_START, .first_ns = fleet->first_ns, .until_ns = fleet->until_ns};

	fleet->started = true;
	fleet->began_ns = rn_fleet_now(fleet);
	for (unsigned i = 0; i < fleet->n; i++) {
		if (!fleet->members[i].query.chosen ||
		    fleet->members[i].query.part != RN_PART_ACCEPTED)
			continue;
		fleet->members[i].query.part_ns = rn_mono_ns(); /* it may have accepted long ago */
		rn_member_send(fleet, &fleet->members[i], fleet->query, &start);
	}
	rn_fleet_wait_begin(fleet);
	while (rn_fleet_parts(fleet, RN_PART_ACCEPTED, RN_PART_ACCEPTED) && !fleet->refused &&
	       !rn_stopped(fleet->opts.stop)) {
		rn_fleet_turn(fleet, 100);
		rn_fleet_wait_told(fleet);
	}
	rn_fleet_wait_end(fleet);
	if (fleet->refused)
		return fleet->refused;
	return rn_fleet_parts(fleet, RN_PART_ASKED, RN_PART_ENDED) ? 0 : none_left(fleet, err);
}

int rn_fleet_start(struct rn_fleet *fleet, struct rn_err *err)
{
	int r;

	rn_keepalive_enter(fleet->keep);
	r = start_query(fleet, err);
	rn_keepalive_leave(fleet->keep);
	return r;
}

int64_t rn_fleet_begin(const struct rn_fleet *fleet)
{
	int64_t first = 0;

	for (unsigned i = 0; i < fleet->n; i++)
		if (fleet->members[i].query.chosen && fleet->members[i].query.first_ns &&
		    (!first || fleet->members[i].query.first_ns < first))
			first = fleet->members[i].query.first_ns;
	return first;
}

/* More may come: from a node that runs, or from one that answers again. A table that is read once
 * does not wait for the latter. */
static bool may_come(const struct rn_fleet *f)
{
	bool once = rn_fleet_once(f);

	for (unsigned i = 0; i < f->n; i++)
		if (f->members[i].query.chosen && f->members[i].query.part != RN_PART_ENDED &&
		    (f->members[i].query.part != RN_PART_FAILED ||
		     (!once && f->members[i].link.retry_ns != INT64_MAX)))
			return true;
	return false;
}

int rn_fleet_step(struct rn_fleet *fleet, int timeout_ms, struct rn_err *err)
{
	int r;

	(void)err;
	rn_keepalive_enter(fleet->keep);
	r = rn_fleet_turn(fleet, timeout_ms);
	rn_keepalive_leave(fleet->keep);
	if (r < 0)
		return r;
	if (rn_fleet_parts(fleet, RN_PART_NONE, RN_PART_RUNNING))
		return 0;
	if (rn_fleet_parts(fleet, RN_PART_ENDED, RN_PART_ENDED))
		return 1;
	return !may_come(fleet); /* all were lost */
}

int64_t rn_fleet_watermark(struct rn_fleet *fleet)
{
	int64_t mark = INT64_MAX, now = rn_fleet_now(fleet);
	unsigned waited = 0;

	for (unsigned i = 0; i < fleet->n; i++) {
		const struct rn_member *member = &fleet->members[i];

		if (!member->query.chosen || member->query.part != RN_PART_RUNNING ||
		    rn_member_late(fleet, member, now))
			continue;
		waited++;
		if (member->query.mark_ns < mark)
			mark = member->query.mark_ns;
	}
	if (!waited && may_come(fleet)) /* what comes then belongs to windows that are open now */
		mark = fleet->frag->every_ns
			       ? rn_window_start(now - fleet->opts.late_ns, fleet->frag->every_ns) -
					 fleet->frag->every_ns
			       : INT64_MIN;
	if (mark > fleet->delivered_until_ns && mark != INT64_MAX)
		fleet->delivered_until_ns = mark;
	return mark;
}

static int peek_query(struct rn_fleet *fleet, const struct rn_sink *sink, struct rn_err *err)
{
	struct rn_frame peek = {.kind = RN_FRAME_PEEK, .peek = ++fleet->peek_number};
	struct rn_sink own = *sink;
	int64_t end = rn_mono_ns() + PEEK_NS;
	unsigned left = 1;

	(void)err;
	fleet->peek = &own;
	for (unsigned i = 0; i < fleet->n; i++)
		if (fleet->members[i].query.chosen &&
		    fleet->members[i].query.part == RN_PART_RUNNING)
			rn_member_send(fleet, &fleet->members[i], fleet->query, &peek);
	while (left && rn_mono_ns() < end && rn_fleet_turn(fleet, 50) >= 0) {
		left = 0;
		for (unsigned i = 0; i < fleet->n; i++)
			left += fleet->members[i].query.chosen &&
				fleet->members[i].query.part == RN_PART_RUNNING &&
				fleet->members[i].query.peeked != fleet->peek_number;
	}
	fleet->peek = NULL;
	return fleet->refused;
}

int rn_fleet_peek(struct rn_fleet *fleet, const struct rn_sink *sink, struct rn_err *err)
{
	int r;

	rn_keepalive_enter(fleet->keep);
	r = peek_query(fleet, sink, err);
	rn_keepalive_leave(fleet->keep);
	return r;
}

/* ---- the end ---- */

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Adds what a node's own ledger cannot know: lost connections, and windows delivered without it.
 * The node's data is complete before `until` and after `joined`. began_ns: when the node itself
 * began, on the last connection; 0: not known. Below a relay that came back, one node can begin
 * long after another, which is when the relay began. */
static void add_loss(const struct rn_member *member, struct rn_ledger *ledger, int64_t began_ns,
		     const char *lost)
{
	int64_t until = ledger->answered ? INT64_MAX : ledger->until_ns;
	const char *why = NULL;

	if (member->query.joined_ns) {
		until = 0;
		why = "it was reached only after the query had begun";
	}
	if (member->query.was_lost) {
		until = member->query.lost_until_ns < until || member->query.joined_ns
				? member->query.lost_until_ns
				: until;
		why = lost;
	}
	if (member->query.late_from_ns < until) {
		until = member->query.late_from_ns;
		why = why ? why : "it was behind, and windows were delivered without it";
	}
	if (ledger->answered || ledger->joined_ns) { /* else nothing is whole after `until` */
		if (member->query.joined_ns)
			ledger->joined_ns =
				later(ledger->joined_ns, later(member->query.joined_ns, began_ns));
		ledger->joined_ns = later(ledger->joined_ns, member->query.late_to_ns);
	}
	if (!why)
		return;
	ledger->why = ledger->answered ? why : ledger->why;
	ledger->answered = false;
	ledger->until_ns = until < ledger->end_ns ? until : ledger->end_ns;
}

static void tell_ledger(struct rn_fleet *fleet, const struct rn_member *member,
			void (*each)(void *self, const struct rn_ledger *l), void *self)
{
	struct rn_ledger ledger = {.node = member->host->name};
	bool ended = member->query.nledgers && member->query.part == RN_PART_ENDED;
	const char *lost = ended ? "the connection to it was lost, and it answers again"
				 : member->query.err.text;

	for (unsigned i = 0; i < member->query.nledgers && ended; i++) {
		int64_t began_ns = member->query.ledgers[i].begin_ns;

		ledger = member->query.ledgers[i];
		rn_member_clock_ledger(fleet, member, &ledger);
		if (member->query.was_lost && member->query.first_ns < ledger.begin_ns)
			ledger.begin_ns = member->query.first_ns;
		add_loss(member, &ledger, began_ns, lost);
		/* its counts when it was lost */
		for (unsigned k = 0; !i && !member->relay && k < RN_L_COUNT; k++)
			ledger.n[k] += member->query.counts_before[k];
		ledger.n[RN_L_LATE] += i ? 0 : member->query.late;
		each(self, &ledger);
	}
	if (ended)
		return;
	ledger.begin_ns = member->query.first_ns;
	ledger.end_ns = member->query.first_ns ? rn_fleet_now(fleet) : 0;
	ledger.answered = member->query.was_lost;
	add_loss(member, &ledger, 0, lost);
	ledger.why = member->query.err.text[0] ? member->query.err.text : "it was never reached";
	ledger.joined_ns = 0; /* what came since the loss is not whole */
	for (unsigned k = 0; k < RN_L_COUNT; k++)
		ledger.n[k] = member->query.counts_before[k] + member->query.counts[k];
	ledger.n[RN_L_LATE] += member->query.late;
	if (member->query.rows)
		ledger.n[RN_L_MATCHED] = member->query.rows; /* of them, those that came */
	each(self, &ledger);
}

void rn_fleet_attached(const struct rn_fleet *fleet,
		       void (*each)(void *self, const char *node, int64_t begin_ns), void *self)
{
	for (unsigned i = 0; i < fleet->n; i++) {
		const struct rn_member *m = &fleet->members[i];

		if (!m->query.chosen || !m->query.first_ns)
			continue;
		each(self, m->relay ? NULL : m->host->name, m->query.first_ns);
		for (unsigned k = 0; m->relay && k < m->query.nledgers; k++)
			if (m->query.ledgers[k].begin_ns)
				each(self, m->query.ledgers[k].node, m->query.ledgers[k].begin_ns);
	}
}

static void tell_so_far(struct rn_fleet *fleet, const struct rn_member *member,
			void (*each)(void *self, const struct rn_ledger *l), void *self)
{
	bool runs = member->query.part == RN_PART_RUNNING || member->query.part == RN_PART_ENDED;
	struct rn_ledger ledger = {.node = member->host->name,
				   .begin_ns = member->query.first_ns,
				   .end_ns = member->query.first_ns ? rn_fleet_now(fleet) : 0,
				   .answered = runs || member->query.was_lost};
	const char *lost = runs ? "the connection to it was lost, and it answers again"
				: member->query.err.text;

	for (unsigned k = 0; k < RN_L_COUNT; k++)
		ledger.n[k] = member->query.counts_before[k] + member->query.counts[k];
	add_loss(member, &ledger, 0, lost);
	if (!runs && !ledger.why)
		ledger.why =
			member->query.err.text[0] ? member->query.err.text : "it has not begun yet";
	if (runs && member->query.missing && ledger.answered) {
		ledger.answered = false;
		ledger.why = member->query.missing;
	}
	if (!ledger.n[RN_L_SEEN] && !ledger.n[RN_L_MATCHED]) {
		ledger.n[RN_L_SEEN] = member->query.seen;
		ledger.n[RN_L_MATCHED] = member->query.rows;
	}
	ledger.n[RN_L_LATE] += member->query.late;
	each(self, &ledger);
}

void rn_fleet_so_far(struct rn_fleet *fleet, void (*each)(void *self, const struct rn_ledger *l),
		     void *self)
{
	for (unsigned i = 0; i < fleet->n; i++)
		if (fleet->members[i].query.chosen)
			tell_so_far(fleet, &fleet->members[i], each, self);
	rn_fleet_doubts(fleet, each, self);
}

static int stop_flag(const struct rn_fleet *f)
{
	return f->opts.stop ? __atomic_load_n(f->opts.stop, __ATOMIC_RELAXED) : 0;
}

/* Gives up the nodes that have not ended: the user does not want to wait. */
static void give_up_rest(struct rn_fleet *f)
{
	for (unsigned i = 0; i < f->n; i++) {
		struct rn_member *m = &f->members[i];
		struct rn_err err = {0};

		if (!m->query.chosen || m->query.part != RN_PART_RUNNING)
			continue;
		rn_err_set(&err, -EINTR, "it had not ended the query when the end was interrupted");
		rn_member_failed(m, &err);
		m->discovery.lost_its_nodes = true;
	}
	rn_fleet_take_back_nodes(f);
}

void rn_fleet_within(struct rn_fleet *fleet, int64_t wait_ns)
{
	int64_t own = fleet->opts.hosts->deadline_ns, most = wait_ns > 0 ? wait_ns : RN_DEADLINE_NS;

	most = (most < DEADLINE_MAX_NS ? most : DEADLINE_MAX_NS) / 4 * 3;
	fleet->deadline_ns = own && own < most ? own : most;
}

static int finish_query(struct rn_fleet *fleet, void (*each)(void *self, const struct rn_ledger *l),
			void *self, struct rn_err *err)
{
	struct rn_frame stop = {.kind = RN_FRAME_STOP, .wait_ns = fleet->deadline_ns};
	int asked = stop_flag(fleet);

	(void)err;
	fleet->stopping = true;
	fleet->stop_ns = rn_mono_ns();
	for (unsigned i = 0; i < fleet->n; i++) {
		struct rn_member *member = &fleet->members[i];
		struct rn_err late = {0};

		if (!member->query.chosen || !member->link.io)
			continue;
		if (member->query.part >= RN_PART_ASKED && member->query.part <= RN_PART_RUNNING)
			rn_member_send(fleet, member, fleet->query, &stop);
		/* it had no time to begin */
		if (member->query.part == RN_PART_ASKED || member->query.part == RN_PART_ACCEPTED) {
			rn_err_set(&late, -ETIMEDOUT, "the query ended before it had begun there");
			rn_member_failed(member,
					 member->query.err.code ? &member->query.err : &late);
			member->discovery.lost_its_nodes = true;
		}
	}
	rn_fleet_take_back_nodes(fleet);
	while (rn_fleet_parts(fleet, RN_PART_RUNNING, RN_PART_RUNNING) && !fleet->refused &&
	       stop_flag(fleet) == asked)
		rn_fleet_turn(fleet, 100);
	give_up_rest(fleet);
	for (unsigned i = 0; i < fleet->n; i++)
		if (fleet->members[i].query.chosen)
			tell_ledger(fleet, &fleet->members[i], each, self);
	rn_fleet_doubts(fleet, each, self);
	return fleet->refused;
}

int rn_fleet_finish(struct rn_fleet *fleet, void (*each)(void *self, const struct rn_ledger *l),
		    void *self, struct rn_err *err)
{
	int r;

	rn_keepalive_enter(fleet->keep);
	r = finish_query(fleet, each, self, err);
	rn_keepalive_leave(fleet->keep);
	return r;
}

static void close_query(struct rn_fleet *fleet)
{
	struct rn_frame stop = {.kind = RN_FRAME_STOP};

	if (!fleet->frag)
		return;
	for (unsigned i = 0; i < fleet->n; i++) {
		struct rn_member *member = &fleet->members[i];
		struct rn_err err = {0};

		if (member->link.io && member->query.part >= RN_PART_ASKED &&
		    member->query.part <= RN_PART_RUNNING) {
			rn_member_send(fleet, member, fleet->query, &stop);
			rn_link_pump(member->link.io, &err);
		}
		rn_member_unstage(member);
		member->query.part = RN_PART_NONE;
		member->query.chosen = false;
	}
	rn_fleet_unhold(fleet);
	fleet->frag = NULL;
	rn_arena_destroy(fleet->qa);
	fleet->qa = NULL;
}

void rn_fleet_close(struct rn_fleet *fleet)
{
	rn_keepalive_enter(fleet->keep);
	close_query(fleet);
	rn_keepalive_leave(fleet->keep);
}
