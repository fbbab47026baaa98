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
static int window_of(struct rn_leaf *c, int64_t start_ns, struct rn_rows_window **out)
{
	struct rn_answer_to to = {.self = c, .row = give_row};
	struct rn_rows_window **at = &c->open, *w;
	int r;

	while (*at && (*at)->start_ns < start_ns)
		at = &(*at)->next;
	*out = *at;
	if (*at && (*at)->start_ns == start_ns)
		return 0;
	w = rn_calloc(1, sizeof(*w));
	r = rn_answer_create(c->p, &to, c->p->kind == RN_PLAN_ROWS, &w->answer, c->err);
	if (r) {
		free(w);
		return r;
	}
	if (c->room) {
		w->room = rn_room_create(0, c->room);
		rn_answer_room(w->answer, w->room, c->fleet);
	}
	w->start_ns = start_ns;
	w->next = *at;
	*at = *out = w;
	c->nopen++;
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
static int add(struct rn_leaf *c, const struct rn_rows *r, int64_t start_ns)
{
	int64_t most = c->p->kind == RN_PLAN_FLOW ? WINDOW_HOPS
		       : c->p->limit < 0          ? WINDOW_ROWS
						  : INT64_MAX,
		room;
	struct rn_rows part = *r;
	struct rn_rows_window *w;
	int s;

	if (start_ns < c->mark_ns) { /* it was given already */
		c->late += r->nrows;
		return 0;
	}
	while (c->room && rn_room_over(c->room) && !make_place(c, start_ns))
		;
	if (c->room && c->nopen >= WINDOWS && !is_open(c, start_ns) && make_place(c, start_ns)) {
		c->shed += r->nrows;
		return 0;
	}
	s = window_of(c, start_ns, &w);
	if (s)
		return s;
	room = most - w->rows;
	if (part.nrows > room) {
		c->shed += part.nrows - room;
		part.nrows = (uint32_t)room;
	}
	w->rows += part.nrows;
	return part.nrows ? rn_answer_rows(w->answer, &part) : 0;
}

int rn_leaf_window_rows(struct rn_leaf *c, const struct rn_rows *r)
{
	int64_t every = c->p->rows_every_ns;
	uint32_t from = 0, n;
	int s = 0;

	for (; from < r->nrows && s >= 0; from += n) {
		int64_t start = rn_window_start(r->time_ns[from], every);

		for (n = 1;
		     from + n < r->nrows && rn_window_start(r->time_ns[from + n], every) == start;)
			n++;
		s = add(c,
			&(struct rn_rows){n, r->ncols, r->v + (size_t)from * r->ncols,
					  r->time_ns + from},
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

int rn_leaf_window_deliver(struct rn_leaf *c, int64_t mark_ns)
{
	int r = 0;

	while (!r && c->open &&
	       (mark_ns == INT64_MAX || c->open->start_ns + c->p->rows_every_ns <= mark_ns)) {
		c->giving_ns = c->open->start_ns;
		r = rn_answer_end(c->open->answer, c->fleet, c->begin_ns);
		drop(c);
	}
	return !r && c->to.flush ? c->to.flush(c->to.self, mark_ns) : r;
}

void rn_leaf_window_close(struct rn_leaf *c)
{
	while (c->open)
		drop(c);
}
