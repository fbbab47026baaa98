/* clock_impl.h - what the files of exec/clock/ share: hulls, the track of a clock, the messages
 * that are kept.
 *
 * Inside a track all is relative. x is a node's time minus the track's origin. y is f's residue:
 * the coordinator's time minus its origin, minus x. So y is small, and a slope is the rate minus
 * one. Doubles are exact enough: whole nanoseconds within 100 days. (A year is 3e16 ns, but y then
 * has lost nothing that matters against the wander.) */
#ifndef RN_EXEC_CLOCK_CLOCK_IMPL_H
#define RN_EXEC_CLOCK_CLOCK_IMPL_H
#include <stddef.h>
#include "exec/clock/clock.h"
#include "lang/base/hash.h"

enum { RN_HULL_POINTS = 96, RN_KEPT_MESSAGES = 512 };

/* Points above the graph of f. Those below it are held as points above the graph of -f. */
struct rn_hull_point {
	double x, y;
	/* limits from this point and those before (behind) it: the least y at x = 0 of a line of
	 * the greatest (least) slope */
	double fore, back;
	bool derived; /* from a message, not from a trip */
};
struct rn_hull {
	struct rn_hull_point *points; /* in the order of x */
	unsigned n, cap;
	bool fresh; /* fore and back are up to date */
};

/* The limits of the slope. Constant, except for what lo and hi already include: they are the rate's
 * limits -+ the wander. */
struct rn_slopes {
	double lo, hi, wander;
};

/* ---- hull.c ---- */

/* Returns the greatest possible value at x; INFINITY if nothing is known. */
double rn_hull_at(struct rn_hull *hull, double x, const struct rn_slopes *slopes);
/* Adds a point. False: it adds nothing new and is left out. */
bool rn_hull_add(struct rn_hull *hull, double x, double y, bool derived,
		 const struct rn_slopes *slopes);
void rn_hull_drop_derived(struct rn_hull *hull);

struct rn_track {                  /* a stretch of a clock without a break */
	int64_t node_ns, coord_ns; /* the origin */
	struct rn_hull up, down;
	double first, last; /* x of the first and the last point ever taken */
	/* limits of the slope, before the wander: lines through points; least > most: only the
	 * wander explains it */
	double least, most;
	double trips_least, trips_most; /* the limits that follow from trips alone */
	/* assumed: |slope| <= spread; change of the remainder per time */
	double spread, wander;
	uint32_t epoch; /* of the derived points in it */
};

/* A message. at_ns: its time by the clock of the node that keeps it. */
struct rn_clock_sample {
	int64_t sent_ns, received_ns, at_ns, margin_ns;
	unsigned from, to;
};

struct rn_clock {
	char *name;
	struct rn_track *track; /* the latest last; none: no trip yet */
	unsigned ntracks;
	bool same, restarted; /* has our clock; its next trip begins a new track */
	uint64_t trips, messages, breaks, violations;
	uint64_t lost_violations; /* violations among messages that are no longer kept */
	/* messages received here; for a node behind another one, its trips */
	struct rn_clock_sample *kept;
	unsigned nkept, kept_cap;
};

struct rn_clocks {
	struct rn_clock *node;
	unsigned n, cap;
	struct rn_clock_name *names; /* clock.c */
	uint32_t epoch;              /* raised when what was derived before may be false */
};

/* ---- clock.c ---- */

/* Gives the least and the greatest coordinator's time when the node's clock showed n. False: a side
 * has no limit, and is INT64_MIN or INT64_MAX. */
bool rn_clock_limits(struct rn_clocks *clocks, unsigned node, int64_t n, int64_t *lo, int64_t *hi);
/* The middle of the limits of rn_clock_limits; n itself if nothing is known. */
int64_t rn_clock_middle(int64_t n, int64_t lo, int64_t hi);
/* A message implies that f(n) >= (up: <=) coord_ns. Returns 1 if that is new, 0 if it was known, -1
 * if it cannot be. */
int rn_clock_derive(struct rn_clocks *clocks, unsigned node, int64_t n, int64_t coord_ns, bool up);
#endif
