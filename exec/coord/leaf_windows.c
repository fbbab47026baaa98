/* leaf_windows.c - orders rows, and links hops, within windows. Each open window has an answer of
 * its own (exec/answer/answer.c). It is given as a whole, under the window's start, once none of
 * its rows can follow.
 *
 * Memory is that of the open windows. With a limit of rows, the answer keeps few more than that.
 * Without one, a window keeps a bounded number, and the rest is counted. The rows of a fleet share
 * one room (exec/answer/room.h). Windows far from now come only from a node with a wrong clock or
 * bad intent; they make room for near ones. */
#include <errno.h>
#include <stdlib.h>
#include "exec/coord/leaf_impl.h"
#include "lang/base/memory.h"

enum { WINDOW_ROWS = 1000000, WINDOW_HOPS = 40000, WINDOWS = 1000 };

struct rn_rows_window {
	struct rn_rows_window *next;
	int64_t start_ns, rows;
	struct rn_answer *answer;
	struct rn_room *room; /* in the fleet's; or NULL */
};

static int give_row(void *self, const struct rn_value *v, int64_t time_ns)
{
	struct rn_leaf *c = self;

	(void)time_ns;
	return c->to.row(c->to.self, v, c->giving_ns);
}

/* Gives the open window with that start; makes it if it is new. */
static int window_of(struct rn_leaf *leaf, int64_t start_ns, struct rn_rows_window **out)
{
	struct rn_answer_sink to = {.self = leaf, .row = give_row};
	struct rn_rows_window **at = &leaf->open, *w;
	int r;

	while (*at && (*at)->start_ns < start_ns)
		at = &(*at)->next;
	*out = *at;
	if (*at && (*at)->start_ns == start_ns)
		return 0;
	w = rn_calloc(1, sizeof(*w));
	r = rn_answer_create(leaf->plan, &to, leaf->plan->kind == RN_PLAN_ROWS, &w->answer,
			     leaf->err);
	if (r) {
		free(w);
		return r;
	}
	rn_answer_nulls(w->answer, leaf->nulls);
	if (leaf->room) {
		w->room = rn_room_create(0, leaf->room);
		rn_answer_room(w->answer, w->room, leaf->fleet);
	}
	w->start_ns = start_ns;
	w->next = *at;
	*at = *out = w;
	leaf->nopen++;
	return 0;
}

static void destroy(struct rn_leaf *c, struct rn_rows_window *w)
{
	c->nopen--;
	c->shed += rn_answer_shed(w->answer);
	c->given_overflow += rn_answer_overflow(w->answer);
	c->given_unpaired += rn_answer_unpaired(w->answer);
	c->given_forgotten += rn_answer_forgotten(w->answer);
	rn_answer_destroy(w->answer);
	rn_room_destroy(w->room);
	free(w);
}

static int64_t distance(int64_t a, int64_t b)
{
	return a > b ? a - b : b - a;
}

/* Drops the window farthest from now, of the open ones and one with that start, and counts its
 * rows. True: it is the new one. */
static bool make_place(struct rn_leaf *c, int64_t start_ns)
{
	int64_t now = rn_fleet_now(c->fleet);
	struct rn_rows_window **far = NULL, *w;

	for (struct rn_rows_window **at = &c->open; *at; at = &(*at)->next)
		if (!far || distance((*at)->start_ns, now) > distance((*far)->start_ns, now))
			far = at;
	if (!far || distance((*far)->start_ns, now) <= distance(start_ns, now))
		return true;
	w = *far;
	*far = w->next;
	c->shed += w->rows - rn_answer_shed(w->answer);
	destroy(c, w);
	return false;
}

static bool is_open(const struct rn_leaf *c, int64_t start_ns)
{
	for (const struct rn_rows_window *w = c->open; w && w->start_ns <= start_ns; w = w->next)
		if (w->start_ns == start_ns)
			return true;
	return false;
}

/* Adds the rows of one window. */
static int add(struct rn_leaf *leaf, const struct rn_rows *rows, int64_t start_ns)
{
	int64_t most = leaf->plan->kind == RN_PLAN_FLOW ? WINDOW_HOPS
		       : leaf->plan->limit < 0          ? WINDOW_ROWS
							: INT64_MAX,
		room;
	struct rn_rows part = *rows;
	struct rn_rows_window *w;
	int s;

	if (start_ns < leaf->mark_ns) { /* it was given already */
		leaf->late += rows->nrows;
		return 0;
	}
	while (leaf->room && rn_room_over(leaf->room) && !make_place(leaf, start_ns))
		;
	if (leaf->room && leaf->nopen >= WINDOWS && !is_open(leaf, start_ns) &&
	    make_place(leaf, start_ns)) {
		leaf->shed += rows->nrows;
		return 0;
	}
	s = window_of(leaf, start_ns, &w);
	if (s)
		return s;
	room = most - w->rows;
	if (part.nrows > room) {
		leaf->shed += part.nrows - room;
		part.nrows = (uint32_t)room;
	}
	w->rows += part.nrows;
	return part.nrows ? rn_answer_rows(w->answer, &part) : 0;
}

int rn_leaf_window_rows(struct rn_leaf *leaf, const struct rn_rows *rows)
{
	int64_t every = leaf->plan->rows_every_ns;
	uint32_t from = 0, n;
	int s = 0;

	for (; from < rows->nrows && s >= 0; from += n) {
		int64_t start = rn_window_start(rows->time_ns[from], every);

		for (n = 1; from + n < rows->nrows &&
			    rn_window_start(rows->time_ns[from + n], every) == start;)
			n++;
		s = add(leaf,
			&(struct rn_rows){n, rows->ncols, rows->values + (size_t)from * rows->ncols,
					  rows->time_ns + from},
			start);
	}
	return s < 0 ? s : 0;
}

static void drop(struct rn_leaf *c)
{
	struct rn_rows_window *w = c->open;

	c->open = w->next;
	destroy(c, w);
}

int rn_leaf_window_deliver(struct rn_leaf *leaf, int64_t mark_ns)
{
	int r = 0;

	while (!r && leaf->open &&
	       (mark_ns == INT64_MAX ||
		leaf->open->start_ns + leaf->plan->rows_every_ns <= mark_ns)) {
		leaf->giving_ns = leaf->open->start_ns;
		r = rn_answer_end(leaf->open->answer, leaf->fleet, leaf->all, leaf->begin_ns);
		drop(leaf);
	}
	return !r && leaf->to.flush ? leaf->to.flush(leaf->to.self, mark_ns) : r;
}

void rn_leaf_window_close(struct rn_leaf *leaf)
{
	while (leaf->open)
		drop(leaf);
}
