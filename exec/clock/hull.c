/* hull.c - points above a graph that is nearly a line, and the limits that they set.
 *
 * The graph has a slope within limits, and a remainder that wanders by no more than `wander` per x.
 * A point (x0, y0) above the graph limits it everywhere, by the steepest possible lines: to its
 * right with slope hi, to its left with slope lo (both include the wander). Two points also limit
 * it in between, whatever the slope is: by the line through them, plus 2 * wander * a * b / (a + b)
 * at distances a and b from them. A point that adds nothing to the limits of the others is left
 * out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "exec/clock/clock_impl.h"
#include "lang/base/memory.h"
#include "lang/base/vec.h"

/* Returns the first point at or behind x. */
static unsigned find(const struct rn_hull *h, double x)
{
	unsigned lo = 0, hi = h->n;

	if (hi && h->points[hi - 1].x < x)
		return hi;
	while (lo < hi) {
		unsigned mid = (lo + hi) / 2;

		if (h->points[mid].x < x)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static double between(const struct rn_hull_point *k, const struct rn_hull_point *m, double x,
		      double wander)
{
	double a = x - k->x, b = m->x - x, ab = m->x - k->x;

	return k->y + (m->y - k->y) * (a / ab) + 2 * wander * a * (b / ab);
}

static void refresh(struct rn_hull *h, const struct rn_slopes *s)
{
	double least = INFINITY;

	for (unsigned i = 0; i < h->n; i++)
		h->points[i].fore = least = fmin(least, h->points[i].y - s->hi * h->points[i].x);
	least = INFINITY;
	for (unsigned i = h->n; i-- > 0;)
		h->points[i].back = least = fmin(least, h->points[i].y - s->lo * h->points[i].x);
	h->fresh = true;
}

double rn_hull_at(struct rn_hull *hull, double x, const struct rn_slopes *slopes)
{
	unsigned at = find(hull, x);
	double y = INFINITY;

	if (!hull->fresh)
		refresh(hull, slopes);
	if (at < hull->n)
		y = hull->points[at].x == x
			    ? fmin(hull->points[at].y, hull->points[at].back + slopes->lo * x)
			    : hull->points[at].back + slopes->lo * x;
	if (at > 0)
		y = fmin(y, hull->points[at - 1].fore + slopes->hi * x);
	if (at > 0 && at < hull->n && hull->points[at].x > x)
		y = fmin(y, between(&hull->points[at - 1], &hull->points[at], x, slopes->wander));
	return y;
}

/* How much weaker the bound at point i would be without that point; 0 or less: not at all. */
static double says(const struct rn_hull *h, unsigned i, const struct rn_slopes *s)
{
	const struct rn_hull_point *p = &h->points[i], *k = i ? p - 1 : NULL,
				   *m = i + 1 < h->n ? p + 1 : NULL;
	double y = INFINITY;

	if (k)
		y = k->y + s->hi * (p->x - k->x);
	if (m)
		y = fmin(y, m->y - s->lo * (m->x - p->x));
	if (k && m)
		y = fmin(y, between(k, m, p->x, s->wander));
	return y - p->y;
}

static void take_out(struct rn_hull *h, unsigned i)
{
	memmove(&h->points[i], &h->points[i + 1], (--h->n - i) * sizeof(*h->points));
}

/* Forgets a point that adds little, preferably an old one. The ends stay: they hold the rate. */
static void thin(struct rn_hull *h, const struct rn_slopes *s)
{
	double best = INFINITY, last = h->points[h->n - 1].x, unit = (last - h->points[0].x) / h->n;
	unsigned worst = 1;

	for (unsigned i = 1; i + 1 < h->n; i++) {
		double worth = says(h, i, s) / (last - h->points[i].x + unit);

		if (worth < best) {
			best = worth;
			worst = i;
		}
	}
	take_out(h, worst);
}

bool rn_hull_add(struct rn_hull *hull, double x, double y, bool derived,
		 const struct rn_slopes *slopes)
{
	unsigned at;

	if (y >= rn_hull_at(hull, x, slopes))
		return false;
	at = find(hull, x);
	if (at == hull->n || hull->points[at].x > x) {
		rn_vec_room(hull->points, hull->n, hull->cap);
		memmove(&hull->points[at + 1], &hull->points[at],
			(hull->n++ - at) * sizeof(*hull->points));
	}
	hull->points[at] = (struct rn_hull_point){.x = x, .y = y, .derived = derived};
	hull->fresh = false;
	while (at > 0 && says(hull, at - 1, slopes) <= 0)
		take_out(hull, --at);
	while (at + 1 < hull->n && says(hull, at + 1, slopes) <= 0)
		take_out(hull, at + 1);
	if (hull->n > RN_HULL_POINTS)
		thin(hull, slopes);
	return true;
}

void rn_hull_drop_derived(struct rn_hull *hull)
{
	unsigned n = 0;

	for (unsigned i = 0; i < hull->n; i++)
		if (!hull->points[i].derived)
			hull->points[n++] = hull->points[i];
	hull->fresh &= n == hull->n;
	hull->n = n;
}
