/* member_clock.c - the clocks of a fleet's nodes, and their effect on the times in rows.
 *
 * Three clocks matter for a node. Its event clock, n, is its monotonic clock plus a constant of its
 * process. It stamps a query's rows with n plus the shift that came with the query, so that its
 * windows are the coordinator's. The third is ours. Round trips and messages are about n (see
 * exec/clock/clock.h), so facts last from one query to the next. A node that comes back during a
 * query may get another shift. So the shifts of a query are kept, each with the time from which it
 * holds. */
#include <stdlib.h>
#include <string.h>
#include "exec/fleet/fleet_impl.h"
#include "lang/base/memory.h"
#include "lang/base/clock.h"

static bool exact(const struct rn_member *m)
{
	return m->same_kernel && m->base_ns;
}

/* The process at the other end is known. Notes whether it is on our kernel, and where its clock
 * begins. */
void rn_member_clock_begin(struct rn_fleet *f, struct rn_member *m, int64_t base_ns)
{
	if (m->base_ns && m->base_ns != base_ns) /* another process: not quite the same clock */
		rn_clocks_restart(f->clocks, m->clock);
	m->base_ns = base_ns;
	if (m->same_kernel)
		rn_clocks_same(f->clocks, m->clock);
}

enum { MAX_TOLD = 65536, MAX_BELOW = 1 << 20 };

static char *copy(const char *s)
{
	char *c = rn_strdup(s);

	return c;
}

/* For a relay: a trip to tell above. */
static void tell_later(struct rn_fleet *f, int member, const struct rn_trip *t)
{
	if (f->ntold == MAX_TOLD) /* not needed: others will come */
		return;
	if (f->ntold == f->told_cap) {
		f->told_cap = f->told_cap ? 2 * f->told_cap : 64;
		f->told = rn_realloc(f->told, f->told_cap * sizeof(*f->told));
	}
	f->told[f->ntold++] = (struct rn_pending_trip){
		.node = copy(t->node), .through = copy(t->through), .trip = *t, .member = member};
}

void rn_member_trip(struct rn_fleet *f, struct rn_member *m, int64_t sent_ns, int64_t node_ns,
		    int64_t received_ns)
{
	if (m->same_kernel)
		return;
	rn_clocks_trip(f->clocks, m->clock, sent_ns, node_ns, received_ns);
	if (f->o.below)
		tell_later(f, (int)(m - f->m),
			   &(struct rn_trip){.node = m->host->name,
					     .through = "",
					     .sent_ns = sent_ns,
					     .node_ns = node_ns,
					     .received_ns = received_ns});
}

/* Tells the trips. A member's own trips must wait until it has been asked: only then its shift is
 * known. */
void rn_fleet_tell_trips(struct rn_fleet *f, void (*each)(void *self, const struct rn_trip *t),
			 void *self)
{
	unsigned left = 0;

	for (unsigned i = 0; i < f->ntold; i++) {
		struct rn_pending_trip *t = &f->told[i];
		const struct rn_member *m = t->member < 0 ? NULL : &f->m[t->member];

		if (m && !m->nshifts) {
			f->told[left++] = *t;
			continue;
		}
		t->trip.node = t->node;
		t->trip.through = t->through;
		if (m)
			t->trip.shift_ns = m->shifts[m->nshifts - 1].ns;
		each(self, &t->trip);
		free(t->node);
		free(t->through);
	}
	f->ntold = left;
}

static struct rn_downstream_node *below(struct rn_fleet *f, const char *node);

static struct rn_downstream_node *add_below(struct rn_fleet *f, const char *node)
{
	if (f->nbelow == f->below_cap) {
		f->below_cap = f->below_cap ? 2 * f->below_cap : 16;
		f->below = rn_realloc(f->below, f->below_cap * sizeof(*f->below));
	}
	f->below[f->nbelow] = (struct rn_downstream_node){.name = copy(node),
							  .clock = rn_clocks_node(f->clocks, node)};
	return &f->below[f->nbelow++];
}

int rn_member_trip_below(struct rn_fleet *f, struct rn_member *m, const struct rn_trip *in)
{
	const struct rn_downstream_node *parent = *in->through ? below(f, in->through) : NULL;
	struct rn_trip t = *in;
	struct rn_downstream_node *b;

	/* its clock is ours, with another origin */
	if (m->same_kernel && m->base_ns && !*t.through) {
		t.sent_ns += f->base_ns - m->base_ns;
		t.received_ns += f->base_ns - m->base_ns;
	}
	if (f->o.below) {
		if (!*t.through && !m->same_kernel)
			t.through = m->host->name;
		tell_later(f, -1, &t);
		return 0;
	}
	b = below(f, t.node);
	if (!b && f->nbelow < MAX_BELOW)
		b = add_below(f, t.node);
	if (!b)
		return 0;
	if (*in->through && parent) /* adding may have moved it */
		parent = below(f, in->through);
	rn_clocks_trip_through(f->clocks, parent ? parent->clock : m->clock, t.sent_ns, b->clock,
			       t.node_ns, t.received_ns);
	if (b->nshifts && b->shifts[b->nshifts - 1].ns == t.shift_ns)
		return 0;
	if (b->nshifts == RN_SHIFTS)
		memmove(b->shifts, b->shifts + 1, --b->nshifts * sizeof(*b->shifts));
	b->shifts[b->nshifts] = (struct rn_clock_correction){
		.from_ns = b->nshifts ? rn_fleet_now(f) : INT64_MIN, .ns = t.shift_ns};
	b->nshifts++;
	return 0;
}

void rn_fleet_clock_begin(struct rn_fleet *f)
{
	for (unsigned i = 0; i < f->nbelow; i++)
		f->below[i].nshifts = 0;
}

void rn_fleet_clock_end(struct rn_fleet *f)
{
	for (unsigned i = 0; i < f->nbelow; i++)
		free((char *)(uintptr_t)f->below[i].name);
	for (unsigned i = 0; i < f->ntold; i++) {
		free(f->told[i].node);
		free(f->told[i].through);
	}
	free(f->below);
	free(f->told);
}

/* Returns what the node must add to its clock for this query. */
int64_t rn_member_shift(struct rn_fleet *f, struct rn_member *m)
{
	int64_t now = rn_mono_ns() + f->base_ns, shift = exact(m) ? f->base_ns - m->base_ns : 0;

	if (!m->same_kernel)
		shift = now - rn_clocks_show(f->clocks, m->clock, now);
	if (m->nshifts == RN_SHIFTS)
		memmove(m->shifts, m->shifts + 1, --m->nshifts * sizeof(*m->shifts));
	m->shifts[m->nshifts] = (struct rn_clock_correction){
		.from_ns = m->nshifts ? rn_fleet_now(f) : INT64_MIN, .ns = f->o.shift_ns + shift};
	m->nshifts++;
	return f->o.shift_ns + shift;
}

/* For a node behind a relay, the ledger already has its clock relative to the relay's. */
void rn_member_clock_ledger(struct rn_fleet *f, const struct rn_member *m, struct rn_ledger *l)
{
	struct rn_clock_state s;

	rn_clocks_state(f->clocks, m->clock, &s);
	if (!m->relay)
		l->clock_offset_ns = l->clock_bound_ns = 0;
	l->clock_offset_ns += s.offset_ns;
	l->clock_bound_ns = s.bound_ns < 0 || l->clock_bound_ns < 0
				    ? RN_CLOCK_UNKNOWN_NS
				    : l->clock_bound_ns + s.bound_ns;
}

/* ---- rows ---- */

static int64_t unshift(const struct rn_clock_correction *shifts, unsigned n, int64_t time_ns)
{
	while (n > 1 && time_ns < shifts[n - 1].from_ns)
		n--;
	return n ? time_ns - shifts[n - 1].ns : time_ns;
}

/* Returns a row's time as the node's event clock had it. */
static int64_t event_clock(const struct rn_fleet *f, const struct rn_member *m, int64_t time_ns)
{
	/* the same kernel: has our clock */
	return m->same_kernel ? time_ns - f->o.shift_ns : unshift(m->shifts, m->nshifts, time_ns);
}

static int64_t align(struct rn_fleet *f, const struct rn_member *m, int64_t time_ns,
		     int64_t *bound_ns)
{
	return rn_clocks_align(f->clocks, m->clock, event_clock(f, m, time_ns), bound_ns) +
	       f->o.shift_ns;
}

static bool is_of(const struct rn_member *m, const char *node)
{
	if (!strcmp(m->host->name, node))
		return true;
	for (unsigned i = 0; m->relay && i < m->nledgers; i++)
		if (!strcmp(m->ledgers[i].node, node))
			return true;
	return false;
}

static struct rn_downstream_node *below(struct rn_fleet *f, const char *node)
{
	for (unsigned i = 0; i < f->nbelow; i++)
		if (!strcmp(f->below[i].name, node))
			return &f->below[i];
	return NULL;
}

/* Gives a row's time by its node's clock. A node behind a relay that no trip has told of has the
 * relay's clock. */
static bool find_clock(struct rn_fleet *f, const char *node, int64_t time_ns, unsigned *clock,
		       int64_t *node_ns)
{
	const struct rn_downstream_node *b = below(f, node);

	if (b && b->nshifts) {
		*clock = b->clock;
		*node_ns = unshift(b->shifts, b->nshifts, time_ns);
		return true;
	}
	for (unsigned i = 0; i < f->n; i++) {
		unsigned k = (f->last_found + i) % f->n;

		if (f->m[k].chosen && is_of(&f->m[k], node)) {
			f->last_found = k;
			*clock = f->m[k].clock;
			*node_ns = event_clock(f, &f->m[k], time_ns);
			return true;
		}
	}
	return false;
}

int64_t rn_fleet_align(struct rn_fleet *f, const char *node, int64_t time_ns, int64_t *bound_ns)
{
	unsigned clock;
	int64_t n;

	if (find_clock(f, node, time_ns, &clock, &n))
		return rn_clocks_align(f->clocks, clock, n, bound_ns) + f->o.shift_ns;
	if (bound_ns)
		*bound_ns = RN_CLOCK_UNKNOWN_NS;
	return time_ns;
}

bool rn_fleet_message(struct rn_fleet *f, const char *from, int64_t sent_ns, const char *to,
		      int64_t received_ns, struct rn_clock_message *out)
{
	if (!find_clock(f, from, sent_ns, &out->a, &out->sent_ns) ||
	    !find_clock(f, to, received_ns, &out->b, &out->received_ns) || out->a == out->b)
		return false;
	rn_clocks_message(f->clocks, out->a, out->sent_ns, out->b, out->received_ns);
	return true;
}

struct rn_clocks *rn_fleet_clocks(struct rn_fleet *f)
{
	return f->clocks;
}

/* ---- rows that are passed on as they come ---- */

void rn_fleet_align_rows(struct rn_fleet *f, bool on)
{
	f->align_rows = on;
}

static bool is_time(const struct rn_field *field)
{
	return field && !strcmp(field->name, "time");
}

/* Aligns the event's time in rows of the fragment's columns, or of its fields. Values that the node
 * computed from it stay. */
void rn_member_align_rows(struct rn_fleet *f, struct rn_member *m, struct rn_rows *r)
{
	const struct rn_fragment *g = f->frag;
	bool raw = rn_fragment_raw(g);
	struct rn_value *v = (struct rn_value *)(uintptr_t)r->v; /* ours: just decoded */
	int64_t *time_ns = (int64_t *)(uintptr_t)r->time_ns;

	if (!f->align_rows || m->same_kernel || r->ncols != (raw ? g->nfields : g->ncols))
		return;
	for (uint32_t k = 0; k < r->nrows; k++)
		time_ns[k] = align(f, m, time_ns[k], NULL);
	for (uint32_t c = 0; c < r->ncols; c++) {
		const struct rn_expr *e = raw ? NULL : g->cols[c].expr;

		if (raw ? !is_time(g->fields[c]) : e->kind != RN_E_FIELD || strcmp(e->name, "time"))
			continue;
		for (uint32_t k = 0; k < r->nrows; k++)
			if (v[(size_t)k * r->ncols + c].kind == RN_INT)
				v[(size_t)k * r->ncols + c].i =
					align(f, m, v[(size_t)k * r->ncols + c].i, NULL);
	}
}
