/* fleet_clock.c - the clocks of a fleet's nodes, and what they make of the times in rows.
 *
 * Three clocks of a node: its event clock, n, its monotonic clock plus a constant of its process; what it stamps a query's rows with, n plus
 * the shift that came with the query, so that its windows are the coordinator's; and ours. Round trips and messages are about n
 * (exec/clock.h has the rest), so that what is known lasts from one query to the next. A node that comes back during a query may get another
 * shift: the shifts of a query are kept with the time from which on they hold. */
#include <string.h>
#include "exec/fleet_impl.h"
#include "exec/stage.h"

static bool exact(const struct rn_member *m)
{
	return m->same_kernel && m->base_ns;
}

/* The process at the other end is known: is it on our kernel, and where does its clock begin? */
void rn_member_clock_begin(struct rn_fleet *f, struct rn_member *m, int64_t base_ns)
{
	if (m->base_ns && m->base_ns != base_ns) /* another process: near, but not the same clock */
		rn_clocks_restart(f->clocks, m->clock);
	m->base_ns = base_ns;
	if (m->same_kernel)
		rn_clocks_same(f->clocks, m->clock);
}

void rn_member_trip(struct rn_fleet *f, struct rn_member *m, int64_t sent_ns, int64_t node_ns, int64_t received_ns)
{
	if (!m->same_kernel)
		rn_clocks_trip(f->clocks, m->clock, sent_ns, node_ns, received_ns);
}

/* What the node is to add to its clock for this query. */
int64_t rn_member_shift(struct rn_fleet *f, struct rn_member *m)
{
	int64_t now = rn_mono_ns() + f->base_ns, shift = exact(m) ? f->base_ns - m->base_ns : 0;

	if (!m->same_kernel)
		shift = now - rn_clocks_show(f->clocks, m->clock, now);
	if (m->nshifts == RN_SHIFTS)
		memmove(m->shifts, m->shifts + 1, --m->nshifts * sizeof(*m->shifts));
	m->shifts[m->nshifts++] = (struct rn_shift){.from_ns = m->nshifts ? rn_fleet_now(f) : INT64_MIN, .ns = f->o.shift_ns + shift};
	return f->o.shift_ns + shift;
}

/* Of a node behind a relay it says already what its clock is to the relay's. */
void rn_member_clock_ledger(struct rn_fleet *f, const struct rn_member *m, struct rn_ledger *l)
{
	struct rn_clock_state s;

	rn_clocks_state(f->clocks, m->clock, &s);
	if (!m->relay)
		l->clock_offset_ns = l->clock_bound_ns = 0;
	l->clock_offset_ns += s.offset_ns;
	l->clock_bound_ns = s.bound_ns < 0 || l->clock_bound_ns < 0 ? RN_CLOCK_UNKNOWN_NS : l->clock_bound_ns + s.bound_ns;
}

/* ---- rows ------------------------------------------------------------------------------------------------------------- */

/* What a node stamped a row with, as its event clock. */
static int64_t event_clock(const struct rn_fleet *f, const struct rn_member *m, int64_t time_ns)
{
	unsigned i = m->nshifts;

	if (m->same_kernel) /* has ours */
		return time_ns - f->o.shift_ns;
	while (i > 1 && time_ns < m->shifts[i - 1].from_ns)
		i--;
	return i ? time_ns - m->shifts[i - 1].ns : time_ns;
}

static int64_t align(struct rn_fleet *f, const struct rn_member *m, int64_t time_ns, int64_t *bound_ns)
{
	return rn_clocks_align(f->clocks, m->clock, event_clock(f, m, time_ns), bound_ns) + f->o.shift_ns;
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

/* The member that a node is, or stands behind; NULL. */
static const struct rn_member *member_of(struct rn_fleet *f, const char *node)
{
	for (unsigned i = 0; i < f->n; i++) {
		unsigned k = (f->last_found + i) % f->n;

		if (f->m[k].chosen && is_of(&f->m[k], node)) {
			f->last_found = k;
			return &f->m[k];
		}
	}
	return NULL;
}

int64_t rn_fleet_align(struct rn_fleet *f, const char *node, int64_t time_ns, int64_t *bound_ns)
{
	const struct rn_member *m = member_of(f, node);

	if (m)
		return align(f, m, time_ns, bound_ns);
	if (bound_ns)
		*bound_ns = RN_CLOCK_UNKNOWN_NS;
	return time_ns;
}

bool rn_fleet_message(struct rn_fleet *f, const char *from, int64_t sent_ns, const char *to, int64_t received_ns, struct rn_clock_message *out)
{
	const struct rn_member *a = member_of(f, from), *b = member_of(f, to);

	if (!a || !b || a == b)
		return false;
	*out = (struct rn_clock_message){.a = a->clock, .b = b->clock, .sent_ns = event_clock(f, a, sent_ns),
					 .received_ns = event_clock(f, b, received_ns)};
	rn_clocks_message(f->clocks, out->a, out->sent_ns, out->b, out->received_ns);
	return true;
}

struct rn_clocks *rn_fleet_clocks(struct rn_fleet *f)
{
	return f->clocks;
}

/* ---- rows that are passed on as they come ------------------------------------------------------------------------------- */

void rn_fleet_align_rows(struct rn_fleet *f, bool on)
{
	f->align_rows = on;
}

static bool is_time(const struct rn_field *field)
{
	return field && !strcmp(field->name, "time");
}

/* Rows of the fragment's columns, or of its fields: where they have the event's time. What is computed from it at the node stays. */
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
				v[(size_t)k * r->ncols + c].i = align(f, m, v[(size_t)k * r->ncols + c].i, NULL);
	}
}

/* ---- between queries ------------------------------------------------------------------------------------------------------ */

enum { READ_TRIPS = 5, READ_NS_S = 5 };

bool rn_fleet_chosen(const struct rn_fleet *f, unsigned clock, const char *const *nodes)
{
	return clock < f->n && rn_host_chosen(f->m[clock].host->name, f->m[clock].host->group, f->m[clock].host->local && !f->o.below, nodes);
}

static uint64_t trips(struct rn_fleet *f, const struct rn_member *m)
{
	struct rn_clock_state s;

	rn_clocks_state(f->clocks, m->clock, &s);
	return s.trips;
}

/* Those that have not been greeted are; the others are asked at once. */
static void reach(struct rn_fleet *f, struct rn_member *m)
{
	m->read_trips = trips(f, m) + READ_TRIPS;
	if (m->link)
		m->heard_ns = rn_mono_ns(); /* it was not listened to since the last query */
	if (m->state == RN_M_DOWN) {
		rn_member_connect(f, m);
		if (m->link)
			rn_member_hello(f, m);
	}
}

void rn_fleet_read_clocks(struct rn_fleet *f, const char *const *nodes)
{
	int64_t end = rn_mono_ns() + READ_NS_S * 1000000000LL;
	unsigned left = 1;

	if (f->frag)
		return;
	for (unsigned i = 0; i < f->n; i++)
		if (rn_fleet_chosen(f, i, nodes))
			reach(f, &f->m[i]);
	while (left && !(f->o.stop && *f->o.stop)) {
		left = 0;
		for (unsigned i = 0; i < f->n; i++) {
			struct rn_member *m = &f->m[i];
			bool wanted = rn_fleet_chosen(f, i, nodes) && m->link && !(m->state == RN_M_READY && m->same_kernel);

			if (!wanted || (m->state == RN_M_READY && (trips(f, m) >= m->read_trips || rn_mono_ns() > end)))
				continue;
			if (m->state == RN_M_READY && rn_mono_ns() - m->pinged_ns > 50 * 1000000)
				rn_member_ping(f, m);
			left++;
		}
		if (left)
			rn_fleet_turn(f, 50);
	}
}
