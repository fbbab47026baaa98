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
#include "lang/base/vec.h"

static bool exact(const struct rn_member *m)
{
	return m->same_kernel && m->clock.base_ns;
}

/* The process at the other end is known. Notes whether it is on our kernel, and where its clock
 * begins. */
void rn_member_clock_begin(struct rn_fleet *fleet, struct rn_member *member, int64_t base_ns)
{
	if (member->clock.base_ns &&
	    member->clock.base_ns != base_ns) /* another process: not quite the same clock */
		rn_clocks_restart(fleet->clocks, member->clock.number);
	member->clock.base_ns = base_ns;
	if (member->same_kernel)
		rn_clocks_same(fleet->clocks, member->clock.number);
}

enum { MAX_TOLD = 65536, MAX_BELOW = 1 << 20 };

static char *copy(const char *s)
{
	char *c = rn_strdup(s);

	return c;
}

/* For a relay: a trip to tell above. */
static void tell_later(struct rn_fleet *f, int member, const struct rn_round_trip *t)
{
	if (f->ntold == MAX_TOLD) /* not needed: others will come */
		return;
	rn_vec_room(f->told, f->ntold, f->told_cap);
	f->told[f->ntold++] = (struct rn_pending_trip){
		.node = copy(t->node), .through = copy(t->through), .trip = *t, .member = member};
}

void rn_member_trip(struct rn_fleet *fleet, struct rn_member *member, int64_t sent_ns,
		    int64_t node_ns, int64_t received_ns)
{
	if (member->same_kernel)
		return;
	rn_clocks_trip(fleet->clocks, member->clock.number, sent_ns, node_ns, received_ns);
	if (fleet->opts.below)
		tell_later(fleet, (int)(member - fleet->members),
			   &(struct rn_round_trip){.node = member->host->name,
						   .through = "",
						   .sent_ns = sent_ns,
						   .node_ns = node_ns,
						   .received_ns = received_ns});
}

/* Tells the trips. A member's own trips must wait until it has been asked: only then its shift is
 * known. */
void rn_fleet_tell_trips(struct rn_fleet *fleet,
			 void (*each)(void *self, const struct rn_round_trip *t), void *self)
{
	unsigned left = 0;

	for (unsigned i = 0; i < fleet->ntold; i++) {
		struct rn_pending_trip *t = &fleet->told[i];
		const struct rn_member *member = t->member < 0 ? NULL : &fleet->members[t->member];

		if (member && !member->query.nshifts) {
			fleet->told[left++] = *t;
			continue;
		}
		t->trip.node = t->node;
		t->trip.through = t->through;
		if (member)
			t->trip.shift_ns = member->query.shifts[member->query.nshifts - 1].ns;
		each(self, &t->trip);
		free(t->node);
		free(t->through);
	}
	fleet->ntold = left;
}

static struct rn_downstream_node *below(struct rn_fleet *f, const char *node);

static struct rn_downstream_node *add_below(struct rn_fleet *f, const char *node)
{
	rn_vec_room(f->below, f->nbelow, f->below_cap);
	f->below[f->nbelow] = (struct rn_downstream_node){.name = copy(node),
							  .clock = rn_clocks_node(f->clocks, node)};
	return &f->below[f->nbelow++];
}

int rn_member_trip_below(struct rn_fleet *fleet, struct rn_member *member,
			 const struct rn_round_trip *in)
{
	const struct rn_downstream_node *parent = *in->through ? below(fleet, in->through) : NULL;
	struct rn_round_trip trip = *in;
	struct rn_downstream_node *b;

	/* its clock is ours, with another origin */
	if (member->same_kernel && member->clock.base_ns && !*trip.through) {
		trip.sent_ns += fleet->base_ns - member->clock.base_ns;
		trip.received_ns += fleet->base_ns - member->clock.base_ns;
	}
	if (fleet->opts.below) {
		if (!*trip.through && !member->same_kernel)
			trip.through = member->host->name;
		tell_later(fleet, -1, &trip);
		return 0;
	}
	b = below(fleet, trip.node);
	if (!b && fleet->nbelow < MAX_BELOW)
		b = add_below(fleet, trip.node);
	if (!b)
		return 0;
	if (*in->through && parent) /* adding may have moved it */
		parent = below(fleet, in->through);
	rn_clocks_trip_through(fleet->clocks, parent ? parent->clock : member->clock.number,
			       trip.sent_ns, b->clock, trip.node_ns, trip.received_ns);
	if (b->nshifts && b->shifts[b->nshifts - 1].ns == trip.shift_ns)
		return 0;
	if (b->nshifts == RN_SHIFTS)
		memmove(b->shifts, b->shifts + 1, --b->nshifts * sizeof(*b->shifts));
	b->shifts[b->nshifts] = (struct rn_clock_correction){
		.from_ns = b->nshifts ? rn_fleet_now(fleet) : INT64_MIN, .ns = trip.shift_ns};
	b->nshifts++;
	return 0;
}

void rn_fleet_clock_begin(struct rn_fleet *fleet)
{
	for (unsigned i = 0; i < fleet->nbelow; i++)
		fleet->below[i].nshifts = 0;
}

void rn_fleet_clock_end(struct rn_fleet *fleet)
{
	for (unsigned i = 0; i < fleet->nbelow; i++)
		free((char *)(uintptr_t)fleet->below[i].name);
	for (unsigned i = 0; i < fleet->ntold; i++) {
		free(fleet->told[i].node);
		free(fleet->told[i].through);
	}
	free(fleet->below);
	free(fleet->told);
}

/* Returns what the node must add to its clock for this query. */
int64_t rn_member_shift(struct rn_fleet *fleet, struct rn_member *member)
{
	int64_t now = rn_mono_ns() + fleet->base_ns,
		shift = exact(member) ? fleet->base_ns - member->clock.base_ns : 0;

	if (!member->same_kernel)
		shift = now - rn_clocks_show(fleet->clocks, member->clock.number, now);
	if (member->query.nshifts == RN_SHIFTS)
		memmove(member->query.shifts, member->query.shifts + 1,
			--member->query.nshifts * sizeof(*member->query.shifts));
	member->query.shifts[member->query.nshifts] = (struct rn_clock_correction){
		.from_ns = member->query.nshifts ? rn_fleet_now(fleet) : INT64_MIN,
		.ns = fleet->opts.shift_ns + shift};
	member->query.nshifts++;
	return fleet->opts.shift_ns + shift;
}

/* For a node behind a relay, the ledger already has its clock relative to the relay's. */
void rn_member_clock_ledger(struct rn_fleet *fleet, const struct rn_member *member,
			    struct rn_ledger *ledger)
{
	struct rn_clock_state s;

	rn_clocks_state(fleet->clocks, member->clock.number, &s);
	if (!member->relay)
		ledger->clock_offset_ns = ledger->clock_bound_ns = 0;
	ledger->clock_offset_ns += s.offset_ns;
	ledger->clock_bound_ns = s.bound_ns < 0 || ledger->clock_bound_ns < 0
					 ? RN_CLOCK_UNKNOWN_NS
					 : ledger->clock_bound_ns + s.bound_ns;
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
	return m->same_kernel ? time_ns - f->opts.shift_ns
			      : unshift(m->query.shifts, m->query.nshifts, time_ns);
}

static int64_t align(struct rn_fleet *f, const struct rn_member *m, int64_t time_ns,
		     int64_t *bound_ns)
{
	return rn_clocks_align(f->clocks, m->clock.number, event_clock(f, m, time_ns), bound_ns) +
	       f->opts.shift_ns;
}

static bool is_of(const struct rn_member *m, const char *node)
{
	if (!strcmp(m->host->name, node))
		return true;
	for (unsigned i = 0; m->relay && i < m->query.nledgers; i++)
		if (!strcmp(m->query.ledgers[i].node, node))
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
static bool find_clock(struct rn_fleet *fleet, const char *node, int64_t time_ns, unsigned *clock,
		       int64_t *node_ns)
{
	const struct rn_downstream_node *b = below(fleet, node);

	if (b && b->nshifts) {
		*clock = b->clock;
		*node_ns = unshift(b->shifts, b->nshifts, time_ns);
		return true;
	}
	for (unsigned i = 0; i < fleet->n; i++) {
		unsigned k = (fleet->last_found + i) % fleet->n;

		if (fleet->members[k].query.chosen && is_of(&fleet->members[k], node)) {
			fleet->last_found = k;
			*clock = fleet->members[k].clock.number;
			*node_ns = event_clock(fleet, &fleet->members[k], time_ns);
			return true;
		}
	}
	return false;
}

int64_t rn_fleet_align(struct rn_fleet *fleet, const char *node, int64_t time_ns, int64_t *bound_ns)
{
	unsigned clock;
	int64_t n;

	if (find_clock(fleet, node, time_ns, &clock, &n))
		return rn_clocks_align(fleet->clocks, clock, n, bound_ns) + fleet->opts.shift_ns;
	if (bound_ns)
		*bound_ns = RN_CLOCK_UNKNOWN_NS;
	return time_ns;
}

bool rn_fleet_message(struct rn_fleet *fleet, const char *from, int64_t sent_ns, const char *to,
		      int64_t received_ns, struct rn_clock_message *out)
{
	if (!find_clock(fleet, from, sent_ns, &out->a, &out->sent_ns) ||
	    !find_clock(fleet, to, received_ns, &out->b, &out->received_ns) || out->a == out->b)
		return false;
	rn_clocks_message(fleet->clocks, out->a, out->sent_ns, out->b, out->received_ns);
	return true;
}

struct rn_clocks *rn_fleet_clocks(struct rn_fleet *fleet)
{
	return fleet->clocks;
}

/* ---- rows that are passed on as they come ---- */

void rn_fleet_align_rows(struct rn_fleet *fleet, bool on)
{
	fleet->align_rows = on;
}

static bool is_time(const struct rn_field *field)
{
	return field && !strcmp(field->name, "time");
}

/* Aligns the event's time in rows of the fragment's columns, or of its fields. Values that the node
 * computed from it stay. */
void rn_member_align_rows(struct rn_fleet *fleet, struct rn_member *member, struct rn_rows *rows)
{
	const struct rn_fragment *fragment = fleet->frag;
	bool raw = rn_fragment_raw(fragment);
	struct rn_value *value =
		(struct rn_value *)(uintptr_t)rows->values; /* ours: just decoded */
	int64_t *time_ns = (int64_t *)(uintptr_t)rows->time_ns;

	if (!fleet->align_rows || member->same_kernel ||
	    rows->ncols != (raw ? fragment->nfields : fragment->ncols))
		return;
	for (uint32_t k = 0; k < rows->nrows; k++)
		time_ns[k] = align(fleet, member, time_ns[k], NULL);
	for (uint32_t c = 0; c < rows->ncols; c++) {
		const struct rn_expr *expr = raw ? NULL : fragment->cols[c].expr;

		if (raw ? !is_time(fragment->fields[c])
			: expr->kind != RN_E_FIELD || strcmp(expr->name, "time"))
			continue;
		for (uint32_t k = 0; k < rows->nrows; k++)
			if (value[(size_t)k * rows->ncols + c].kind == RN_INT)
				value[(size_t)k * rows->ncols + c].i = align(
					fleet, member, value[(size_t)k * rows->ncols + c].i, NULL);
	}
}
