/* clock_impl.h - what exec/clock/ share: hulls, the track of a clock, the messages that are kept.
 *
 * Inside a track all is relative: x is a node's time minus the track's origin, y is f's residue:
 * the coordinator's time minus its origin, minus x. So y is small and a slope is the rate minus
 * one; doubles are exact enough (a year is 3e16 ns, but y then has lost nothing that matters
 * against the wander; whole nanoseconds within 100 days). */
#ifndef RN_EXEC_CLOCK_CLOCK_IMPL_H
#define RN_EXEC_CLOCK_CLOCK_IMPL_H
#include <stddef.h>
#include "exec/clock/clock.h"
#include "lang/base/hash.h"

enum { RN_HULL_POINTS = 96, RN_KEPT_MESSAGES = 512 };

/* Points above the graph of f. Those below it are held as points above the graph of -f. */
struct rn_hull_point {
	double x, y;
	/* what this point and those before (behind) it say: the least y at x = 0 of a line of the
	 * greatest (least) slope */
	double fore, back;
	bool derived; /* from a message, not from a trip */
};
struct rn_hull {
	struct rn_hull_point *p; /* in the order of x */
	unsigned n, cap;
	bool fresh; /* fore and back are up to date */
};

/* The limits of the slope. Constant but for what lo and hi already include: they are the rate's
 * limits -+ the wander. */
struct rn_slopes {
	double lo, hi, wander;
};

/* The greatest possible value at x; INFINITY if nothing is known. */
double rn_hull_at(struct rn_hull *h, double x, const struct rn_slopes *s);
/* Adds a point, unless it says nothing new: then false. */
bool rn_hull_add(struct rn_hull *h, double x, double y, bool derived, const struct rn_slopes *s);
void rn_hull_drop_derived(struct rn_hull *h);

struct rn_track {                  /* a stretch of a clock that no break divides */
	int64_t node_ns, coord_ns; /* the origin */
	struct rn_hull up, down;
	double first, last; /* x from the first to the last point that there ever was */
	/* limits of the slope, before the wander: lines through points; least > most: only the
	 * wander explains it */
	double least, most;
	double trips_least, trips_most; /* those that follow from trips alone */
	/* assumed: |slope| <= spread; change of the remainder per time */
	double spread, wander;
	uint32_t epoch; /* of the derived points that it holds */
};

/* A message. at_ns: when it was, by the clock of the node that keeps it. */
struct rn_clock_sample {
	int64_t sent_ns, received_ns, at_ns, margin_ns;
	unsigned from, to;
};

struct rn_clock {
	char *name;
	struct rn_track *track; /* the latest last; none: no trip yet */
	unsigned ntracks;
	bool same, restarted; /* has our clock; what comes belongs to a new track */
	uint64_t trips, messages, breaks, violations;
	uint64_t lost_violations; /* among the messages that are no longer kept */
	/* messages received here; of a node behind another one, what its trips say */
	struct rn_clock_sample *kept;
	unsigned nkept, kept_cap;
};

struct rn_clocks {
	struct rn_clock *node;
	unsigned n, cap;
	unsigned *slots, nslots; /* by name: open addressing; 0: free, else number + 1 */
	struct rn_secret secret; /* of their hash */
	uint32_t epoch;          /* what was derived before it may be false */
};

/* The least and the greatest coordinator's time when the node's clock showed n. False: not limited
 * on both sides (each is then INT64_MIN, INT64_MAX where it is not). */
bool rn_clock_limits(struct rn_clocks *c, unsigned node, int64_t n, int64_t *lo, int64_t *hi);
/* The middle of what rn_clock_limits gives; n itself where nothing is known. */
int64_t rn_clock_middle(int64_t n, int64_t lo, int64_t hi);
/* It follows from a message that f(n) >= (up: <=) coord_ns. 1: that is new, 0: it was known, -1: it
 * cannot be. */
int rn_clock_derive(struct rn_clocks *c, unsigned node, int64_t n, int64_t coord_ns, bool up);
#endif
