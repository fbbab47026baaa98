/* clock.c - nodes, their round trips, and alignment; exec/clock/clock.h describes the algorithm.
 *
 * A node's clock is a track: two hulls, and the limits of the slope that follow from pairs of an
 * upper and a lower point. A trip that contradicts a track is true nevertheless, as trips are our
 * own. Then messages may have been matched wrongly, and the facts from them are dropped. If that is
 * not enough, the assumptions are widened; at last a new track begins. */
#include "exec/clock/clock_impl.h"
#include "lang/base/map.h"
#include "lang/base/memory.h"
#include "lang/base/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TRACKS = 8 };
/* a remainder's change per time, assumed at first: quartz at changing temperature, steered */
#define WANDER 10e-6
#define MAX_WANDER 2e-3   /* beyond this it is no drift */
#define SPREAD 25e-3      /* of rates, at first: two clocks of -+1 % and more */
#define MAX_SPREAD 250e-3 /* adjtimex changes a rate by 10 % at most */
#define ROUNDING 1e-12    /* slopes this close are equal */

/* The number of the node of that name. */
struct rn_clock_name {
	UT_hash_handle hh;
	char *name;
	unsigned node;
};

struct rn_clocks *rn_clocks_create(void)
{
	return rn_calloc(1, sizeof(struct rn_clocks));
}

void rn_clocks_destroy(struct rn_clocks *clocks)
{
	struct rn_clock_name *x, *next;

	if (!clocks)
		return;
	for (unsigned i = 0; i < clocks->n; i++) {
		for (unsigned t = 0; t < clocks->node[i].ntracks; t++) {
			free(clocks->node[i].track[t].up.points);
			free(clocks->node[i].track[t].down.points);
		}
		free(clocks->node[i].track);
		free(clocks->node[i].kept);
	}
	HASH_ITER(hh, clocks->names, x, next)
	{
		HASH_DEL(clocks->names, x);
		free(x->name);
		free(x);
	}
	free(clocks->node);
	free(clocks);
}

unsigned rn_clocks_node(struct rn_clocks *clocks, const char *name)
{
	struct rn_clock_name *x;

	HASH_FIND_STR(clocks->names, name, x);
	if (x)
		return x->node;
	x = rn_malloc(sizeof(*x));
	x->node = clocks->n;
	x->name = rn_strdup(name);
	HASH_ADD_KEYPTR(hh, clocks->names, x->name, strlen(x->name), x);
	rn_vec_room(clocks->node, clocks->n, clocks->cap);
	clocks->node[clocks->n] = (struct rn_clock){.name = x->name};
	return clocks->n++;
}

unsigned rn_clocks_count(const struct rn_clocks *clocks)
{
	return clocks->n;
}

const char *rn_clocks_name(const struct rn_clocks *clocks, unsigned node)
{
	return clocks->node[node].name;
}

void rn_clocks_same(struct rn_clocks *clocks, unsigned node)
{
	clocks->node[node].same = true;
}

void rn_clocks_restart(struct rn_clocks *clocks, unsigned node)
{
	clocks->node[node].same = false;
	clocks->node[node].restarted = clocks->node[node].ntracks > 0;
}

/* ---- tracks ---- */

/* Returns the limits of the upper hull's slopes, or of the lower one's, whose graph is mirrored. */
static struct rn_slopes slopes(const struct rn_track *t, bool up)
{
	double lo = fmax(t->least - t->wander, -t->spread) - t->wander,
	       hi = fmin(t->most + t->wander, t->spread) + t->wander;

	return (struct rn_slopes){.lo = up ? lo : -hi, .hi = up ? hi : -lo, .wander = t->wander};
}

static void drop_derived(struct rn_clocks *c, struct rn_track *t)
{
	rn_hull_drop_derived(&t->up);
	rn_hull_drop_derived(&t->down);
	t->least = t->trips_least;
	t->most = t->trips_most;
	t->up.fresh = t->down.fresh = false;
	t->epoch = c->epoch;
}

static void forget_track(struct rn_clock *k)
{
	free(k->track[0].up.points);
	free(k->track[0].down.points);
	memmove(&k->track[0], &k->track[1], --k->ntracks * sizeof(*k->track));
}

static struct rn_track *begin_track(struct rn_clocks *clocks, struct rn_clock *k, int64_t node_ns,
				    int64_t coord_ns)
{
	struct rn_track *t;

	if (k->ntracks == MAX_TRACKS)
		forget_track(k);
	k->track = rn_realloc(k->track, (k->ntracks + 1) * sizeof(*k->track));
	t = &k->track[k->ntracks++];
	*t = (struct rn_track){.node_ns = node_ns,
			       .coord_ns = coord_ns,
			       .least = -INFINITY,
			       .most = INFINITY,
			       .trips_least = -INFINITY,
			       .trips_most = INFINITY,
			       .spread = SPREAD,
			       .wander = WANDER,
			       .epoch = clocks->epoch};
	return t;
}

/* Returns the track that a time belongs to, or NULL. Drops facts derived from assumptions that have
 * been given up. */
static struct rn_track *track_of(struct rn_clocks *c, struct rn_clock *k, int64_t node_ns)
{
	unsigned i = k->ntracks;

	if (!i)
		return NULL;
	while (--i > 0 && node_ns < k->track[i].node_ns)
		;
	if (k->track[i].epoch != c->epoch)
		drop_derived(c, &k->track[i]);
	return &k->track[i];
}

static double x_of(const struct rn_track *t, int64_t node_ns)
{
	return (double)(node_ns - t->node_ns);
}

static double y_of(const struct rn_track *t, int64_t node_ns, int64_t coord_ns)
{
	return (double)((coord_ns - t->coord_ns) - (node_ns - t->node_ns));
}

static int64_t coord_of(const struct rn_track *t, int64_t node_ns, double y)
{
	return t->coord_ns + (node_ns - t->node_ns) + (int64_t)y;
}

/* The last time about which the track knows something. */
static int64_t last_ns(const struct rn_track *t)
{
	return t->node_ns + (int64_t)t->last;
}

/* Narrows the slope's range [least, most] using a new point (above or below) and the hull on the
 * other side. Never widens it. */
static void narrow(const struct rn_track *t, double x, double y, bool up, bool trips_only,
		   double *least, double *most)
{
	const struct rn_hull *other = up ? &t->down : &t->up;

	for (unsigned i = 0; i < other->n; i++) {
		const struct rn_hull_point *p = &other->points[i];
		double high = up ? y : p->y, low = up ? -p->y : y; /* the lower hull is mirrored */

		if (trips_only && p->derived)
			continue;
		if (p->x == x) {
			if (low > high) /* no slope fits both */
				*least = INFINITY;
		} else if ((p->x < x) == up) { /* from the lower point to the upper one */
			*most = fmin(*most, (high - low) / fabs(x - p->x));
		} else {
			*least = fmax(*least, (low - high) / fabs(x - p->x));
		}
	}
}

static bool possible(const struct rn_track *t, double least, double most)
{
	return fmax(least - t->wander, -t->spread) <= fmin(most + t->wander, t->spread) + ROUNDING;
}

static void add(struct rn_track *t, double x, double y, bool up, bool derived)
{
	struct rn_slopes s = slopes(t, up);

	t->first = fmin(t->first, x);
	t->last = fmax(t->last, x);
	rn_hull_add(up ? &t->up : &t->down, x, up ? y : -y, derived, &s);
}

/* Widens the track's assumptions so that a slope within least and most is possible. False: they
 * would be absurd. A clock that wanders more than assumed also wanders more than was seen, so four
 * times as much is then assumed. */
static bool widen(struct rn_track *t, double least, double most)
{
	double wander = t->wander;

	while (t->wander <= MAX_WANDER && t->spread <= MAX_SPREAD && !possible(t, least, most)) {
		if (least - t->wander > most + t->wander)
			t->wander *= 2;
		else
			t->spread *= 2;
	}
	t->up.fresh = t->down.fresh = false;
	if (!possible(t, least, most))
		return false;
	if (t->wander > wander)
		t->wander *= 4;
	return true;
}

/* Takes a trip into the track: the point (x, high) above, (x, low) below. False: no drift explains
 * it. */
static bool take_trip(struct rn_clocks *clocks, struct rn_track *t, double x, double low,
		      double high)
{
	double least = t->trips_least, most = t->trips_most, all_least = t->least,
	       all_most = t->most;

	narrow(t, x, high, true, true, &least, &most);
	narrow(t, x, low, false, true, &least, &most);
	narrow(t, x, high, true, false, &all_least, &all_most);
	narrow(t, x, low, false, false, &all_least, &all_most);
	/* other facts from these messages, or from the assumptions, may be false too */
	if (!possible(t, all_least, all_most)) {
		clocks->epoch++;
		drop_derived(clocks, t);
		if (!possible(t, least, most) && !widen(t, least, most))
			return false;
		all_least = least;
		all_most = most;
	}
	t->trips_least = least;
	t->trips_most = most;
	if (all_least != t->least || all_most != t->most)
		t->up.fresh = t->down.fresh = false;
	t->least = all_least;
	t->most = all_most;
	add(t, x, high, true, false);
	add(t, x, low, false, false);
	return true;
}

void rn_clocks_trip(struct rn_clocks *clocks, unsigned node, int64_t sent_ns, int64_t node_ns,
		    int64_t received_ns)
{
	struct rn_clock *k = &clocks->node[node];
	struct rn_track *t;

	if (received_ns < sent_ns || k->same)
		return;
	k->trips++;
	/* it was set back: nothing distinguishes the old times any more */
	while (k->restarted && k->ntracks && node_ns <= last_ns(&k->track[k->ntracks - 1]))
		forget_track(k);
	t = k->restarted ? NULL : track_of(clocks, k, node_ns);
	if (t && t != &k->track[k->ntracks - 1]) /* older than a break: that track is complete */
		return;
	if (t && take_trip(clocks, t, x_of(t, node_ns), y_of(t, node_ns, sent_ns),
			   y_of(t, node_ns, received_ns)))
		return;
	k->breaks += t != NULL;
	k->restarted = false;
	t = begin_track(clocks, k, node_ns, sent_ns);
	take_trip(clocks, t, 0, 0, (double)(received_ns - sent_ns));
}

int rn_clock_derive(struct rn_clocks *clocks, unsigned node, int64_t n, int64_t coord_ns, bool up)
{
	struct rn_clock *k = &clocks->node[node];
	struct rn_track *t = track_of(clocks, k, n);
	int64_t lo, hi;
	double least, most, y;

	rn_clock_limits(clocks, node, n, &lo, &hi);
	if (up ? coord_ns >= hi : coord_ns <= lo)
		return 0;
	if (k->same || (up ? coord_ns < lo : coord_ns > hi))
		return -1;
	if (!t)
		t = begin_track(clocks, k, n, coord_ns);
	y = y_of(t, n, coord_ns);
	least = t->least;
	most = t->most;
	narrow(t, x_of(t, n), y, up, false, &least, &most);
	if (!possible(t, least, most))
		return -1;
	if (least != t->least || most != t->most)
		t->up.fresh = t->down.fresh = false;
	t->least = least;
	t->most = most;
	add(t, x_of(t, n), y, up, true);
	return 1;
}

/* ---- alignment ---- */

static void limits_in(struct rn_track *t, int64_t n, int64_t *lo, int64_t *hi)
{
	struct rn_slopes up = slopes(t, true), down = slopes(t, false);
	double x = x_of(t, n), high = rn_hull_at(&t->up, x, &up),
	       low = -rn_hull_at(&t->down, x, &down);

	*lo = isfinite(low) ? coord_of(t, n, floor(low)) : INT64_MIN;
	*hi = isfinite(high) ? coord_of(t, n, ceil(high)) : INT64_MAX;
}

bool rn_clock_limits(struct rn_clocks *clocks, unsigned node, int64_t n, int64_t *lo, int64_t *hi)
{
	struct rn_clock *k = &clocks->node[node];
	struct rn_track *t = track_of(clocks, k, n);
	int64_t other;

	*lo = k->same ? n : INT64_MIN;
	*hi = k->same ? n : INT64_MAX;
	if (k->same || !t)
		return k->same;
	if (t == &k->track[k->ntracks - 1] || n <= last_ns(t)) {
		limits_in(t, n, lo, hi);
	} else { /* its clock broke somewhere here: only the order is known */
		limits_in(t, last_ns(t), lo, &other);
		limits_in(t + 1, t[1].node_ns, &other, hi);
	}
	return *lo != INT64_MIN && *hi != INT64_MAX;
}

int64_t rn_clock_middle(int64_t n, int64_t lo, int64_t hi)
{
	if (lo == INT64_MIN)
		return hi == INT64_MAX ? n : hi;
	return hi == INT64_MAX ? lo : lo + (hi - lo) / 2;
}

int64_t rn_clocks_align(struct rn_clocks *clocks, unsigned node, int64_t node_ns, int64_t *bound_ns)
{
	int64_t lo, hi, at;
	bool known = rn_clock_limits(clocks, node, node_ns, &lo, &hi);

	at = rn_clock_middle(node_ns, lo, hi);
	if (bound_ns)
		*bound_ns = !known                    ? RN_CLOCK_UNKNOWN_NS
			    : clocks->node[node].same ? 0
						      : llabs(hi - at) + 1;
	return at;
}

int64_t rn_clocks_show(struct rn_clocks *clocks, unsigned node, int64_t coord_ns)
{
	int64_t n = coord_ns;

	/* both clocks run at nearly the same rate: each round is closer by a factor of some tens */
	for (int i = 0; i < 10; i++)
		n -= rn_clocks_align(clocks, node, n, NULL) - coord_ns;
	return n;
}

/* ---- what is shown ---- */

static bool width(struct rn_track *t, int64_t n, int64_t *most)
{
	int64_t lo, hi;

	limits_in(t, n, &lo, &hi);
	if (lo == INT64_MIN || hi == INT64_MAX)
		return false;
	if (hi - lo > *most)
		*most = hi - lo;
	return true;
}

/* Returns the greatest width of possible times in a track; -1: it has no limits. Looks at each
 * point and at three places in between. Between two such places the width can be greater only as
 * far as both limits can bend. */
static int64_t widest(struct rn_track *t)
{
	enum { PARTS = 4 };
	struct rn_slopes s = slopes(t, true);
	int64_t most = -1, before = t->node_ns + (int64_t)t->first, end = last_ns(t);
	unsigned u = 0, d = 0;

	for (int64_t at = before; at <= end; before = at) {
		int64_t part, here = -1;

		while (u < t->up.n && t->node_ns + (int64_t)t->up.points[u].x <= before)
			u++;
		while (d < t->down.n && t->node_ns + (int64_t)t->down.points[d].x <= before)
			d++;
		at = end;
		if (u < t->up.n)
			at = t->node_ns + (int64_t)t->up.points[u].x;
		if (d < t->down.n && t->node_ns + (int64_t)t->down.points[d].x < at)
			at = t->node_ns + (int64_t)t->down.points[d].x;
		part = (at - before) / PARTS;
		for (int i = 0; i <= PARTS; i++)
			if (!width(t, i == PARTS ? at : before + i * part, &here))
				return -1;
		here += (int64_t)((double)part * (s.hi - s.lo) / 2);
		most = here > most ? here : most;
		if (at == before)
			break;
	}
	return most;
}

void rn_clocks_state(struct rn_clocks *clocks, unsigned node, struct rn_clock_state *out)
{
	struct rn_clock *k = &clocks->node[node];
	struct rn_track *t = k->ntracks ? track_of(clocks, k, INT64_MAX) : NULL;
	struct rn_slopes state;
	int64_t last, lo, hi, most;

	*out = (struct rn_clock_state){.bound_ns = k->same ? 0 : RN_CLOCK_UNKNOWN_NS,
				       .trips = k->trips,
				       .messages = k->messages,
				       .violations = k->violations,
				       .breaks = k->breaks};
	if (!t || k->same)
		return;
	last = last_ns(t);
	state = slopes(t, true);
	rn_clock_limits(clocks, node, last, &lo, &hi);
	out->offset_ns = last - rn_clock_middle(last, lo, hi);
	out->rate_ppm = (1 / (1 + (state.lo + state.hi) / 2) - 1) * 1e6;
	for (unsigned i = 0; i < k->ntracks; i++) {
		most = widest(track_of(clocks, k, k->track[i].node_ns));
		if (most < 0) {
			out->bound_ns = RN_CLOCK_UNKNOWN_NS;
			return;
		}
		if (i + 1 < k->ntracks) { /* across the break */
			rn_clock_limits(clocks, node, k->track[i + 1].node_ns - 1, &lo, &hi);
			most = hi - lo > most ? hi - lo : most;
		}
		if (most / 2 + 2 > out->bound_ns)
			out->bound_ns = most / 2 + 2;
	}
}
