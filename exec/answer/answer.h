/* answer.h - rows and groups become the answer of one plan. */
#ifndef RN_EXEC_ANSWER_ANSWER_H
#define RN_EXEC_ANSWER_ANSWER_H
#include "exec/answer/output.h"
#include "exec/answer/room.h"
#include "exec/groups/groups.h"

/* Where a plan's answer goes: like rn_output, but a row comes with the time of its event (of a
 * group: of its window). */
struct rn_answer_to {
	void *self;
	int (*begin)(void *self, const struct rn_result *r);
	int (*row)(void *self, const struct rn_value *v, int64_t time_ns);
	void (*other)(void *self, int column);   /* as that of rn_output */
	int (*snapshot)(void *self, bool begin); /* NULL: not wanted */
	/* Some rows have been given, and all of times before mark_ns (INT64_MIN: that is not
	 * known). NULL: not wanted. */
	int (*flush)(void *self, int64_t mark_ns);
	bool (*full)(void *self); /* no further row can matter; NULL: all do */
	int (*end)(void *self);
};

struct rn_answer;
struct rn_fleet; /* exec/fleet/fleet.h */
/* by_time: rows of several agents are put in order of time, even if the query wants no order. */
int rn_answer_create(const struct rn_plan *p, const struct rn_answer_to *to, bool by_time,
		     struct rn_answer **out, struct rn_err *err);
void rn_answer_destroy(struct rn_answer *w);
/* Rows that wait here for their order take room. What an answer with a limit does not need it
 * forgets; of others, and where even that is too much, rows are left out and counted. fleet: which
 * node a row is of; NULL: all are of one. Before the first row. */
void rn_answer_room(struct rn_answer *w, struct rn_room *room, const struct rn_fleet *fleet);
int64_t rn_answer_shed(const struct rn_answer *w); /* rows that were left out */
int rn_answer_begin(struct rn_answer *w);
/* Rows of the fragment's columns. */
int rn_answer_rows(struct rn_answer *w, const struct rn_rows *r);
bool rn_answer_full(const struct rn_answer *w); /* no further row can matter */
/* All rows of times before mark_ns have come: tells the consumer of rows that are passed on at
 * once. */
int rn_answer_mark(struct rn_answer *w, int64_t mark_ns);
/* Windows of an aggregate without keys follow one another from begin_ns on, as time goes by.
 * Without this call the first and the last are those that something happened in. */
void rn_answer_since(struct rn_answer *w, int64_t begin_ns);
/* Finishes and delivers the groups of windows before before_ns, and forgets them unless this is a
 * snapshot. last: nothing follows, so a global aggregate without events gives its row. */
int rn_answer_groups(struct rn_answer *w, struct rn_groups *g, int64_t before_ns, bool last,
		     bool snapshot);
/* Results of more than 64 bits so far, in what was delivered. */
int64_t rn_answer_overflow(const struct rn_answer *w);
int64_t rn_answer_forgotten(const struct rn_answer *w); /* hops: exec/flow/flow.h */
/* Rows so far that were left out, as the order or an assertion needs what is not known of them. */
int64_t rn_answer_unpaired(const struct rn_answer *w);
/* Delivers what waited for the last row. fleet: whose clocks are to be aligned; NULL: there is one.
 * begin_ns: when the query began here. */
int rn_answer_end(struct rn_answer *w, struct rn_fleet *fleet, int64_t begin_ns);
/* The statement that finishes the answer of p, for --dump=sql: in the arena. */
const char *rn_dump_sql(struct rn_arena *a, const struct rn_plan *p);
#endif
