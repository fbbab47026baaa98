/* answer.h - turns rows and groups into the answer of one plan. */
#ifndef RN_EXEC_ANSWER_ANSWER_H
#define RN_EXEC_ANSWER_ANSWER_H
#include "exec/answer/output.h"
#include "exec/answer/room.h"
#include "exec/groups/groups.h"

/* The consumer of a plan's answer. Like rn_output, but each row comes with the time of its event; a
 * group comes with the time of its window. */
struct rn_answer_sink {
	void *self;
	int (*begin)(void *self, const struct rn_answer_shape *result);
	int (*row)(void *self, const struct rn_value *value, int64_t time_ns);
	void (*other)(void *self, int column);   /* as in rn_output */
	void (*share)(void *self, double share); /* as in rn_output */
	int (*snapshot)(void *self, bool begin); /* NULL: not wanted */
	/* Some rows have been given, including all of times before mark_ns (INT64_MIN: not known).
	 * NULL: not wanted. */
	int (*flush)(void *self, int64_t mark_ns);
	bool (*full)(void *self); /* no further row can matter; NULL: all do */
	int (*end)(void *self);
};

struct rn_answer;
struct rn_fleet; /* exec/fleet/fleet.h */
/* by_time: puts the rows of several agents in order of time, even if the query wants no order. */
int rn_answer_create(const struct rn_plan *plan, const struct rn_answer_sink *to, bool by_time,
		     struct rn_answer **out, struct rn_err *err);
void rn_answer_destroy(struct rn_answer *answer);
/* Limits the room of rows that wait here for their order. An answer with a limit forgets the rows
 * that it cannot need. If the rest is still too much, rows are left out and counted. fleet: tells
 * which node a row comes from; NULL: there is one node. Call it before the first row. */
void rn_answer_room(struct rn_answer *answer, struct rn_room *room, const struct rn_fleet *fleet);
int64_t rn_answer_shed(const struct rn_answer *answer); /* rows that were left out */
int rn_answer_begin(struct rn_answer *answer);
/* Takes rows of the fragment's columns. */
int rn_answer_rows(struct rn_answer *answer, const struct rn_rows *rows);
bool rn_answer_full(const struct rn_answer *answer); /* no further row can matter */
/* All rows of times before mark_ns have come. Tells this to the consumer of rows that are passed on
 * at once. */
int rn_answer_mark(struct rn_answer *answer, int64_t mark_ns);
/* The windows of an aggregate without keys follow one another from begin_ns on, as time goes by.
 * Without this call, the first and the last window are those with events. */
void rn_answer_since(struct rn_answer *answer, int64_t begin_ns);
/* Finishes and delivers the groups of windows before before_ns. Then forgets them, unless this is a
 * snapshot. last: nothing follows, so a global aggregate without events gives its row. */
int rn_answer_groups(struct rn_answer *answer, struct rn_groups *groups, int64_t before_ns,
		     bool last, bool snapshot);
/* Results of more than 64 bits in what was delivered so far. */
/* Counts in nulls, which the caller owns, what divisions leave without a value: number i is column
 * i of the plan's out, number nout + i its aggregate i. */
void rn_answer_nulls(struct rn_answer *answer, struct rn_nulls *nulls);
int64_t rn_answer_overflow(const struct rn_answer *answer);
int64_t rn_answer_forgotten(const struct rn_answer *answer); /* hops; see exec/flow/flow.h */
/* Rows left out so far, because the order or an assertion needs a value that is unknown for
 * them. */
int64_t rn_answer_unpaired(const struct rn_answer *answer);
/* How many events went to (other) in windows that overlap, for lack of room. */
int64_t rn_answer_other(const struct rn_answer *answer);
/* Delivers the rows that waited for the last one. fleet: whose clocks to align; NULL: there is one
 * clock. ledgers: those of the nodes; NULL: not known yet. begin_ns: when the query began here. */
int rn_answer_end(struct rn_answer *answer, struct rn_fleet *fleet,
		  const struct rn_ledgers *ledgers, int64_t begin_ns);

/* ---- sql.c ---- */

/* The statement that finishes the answer of plan, for --dump=sql; in the arena. */
const char *rn_dump_sql(struct rn_arena *arena, const struct rn_plan *plan);
#endif
