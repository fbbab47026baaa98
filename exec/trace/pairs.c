/* pairs.c - see pairs_impl.h.
 *
 * One statement reads the events of both ends: what their conditions test, their keys, and what the
 * answer wants of the second. What it wants of the first event is read again by its row when its
 * second one has come: so nothing but a number waits with it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "exec/eval/eval.h"
#include "exec/trace/pairing.h"
#include "exec/trace/pairs_impl.h"
#include "lang/base/memory.h"

enum { BATCH_PAIRS = 1024, BATCH_EVENTS = 16 * 1024, ARENA = 64 << 20 };
/* columns of the statement */
enum { AT_TIME, AT_ROW, AT_NODE, AT_FIRST, AT_SECOND, AT_SCOPE, AT_FIELDS };

struct end {
	struct rn_expr **where;
	unsigned nwhere;
	int key[RN_PAIR_KEYS]; /* columns */
};
struct out {
	enum rn_pair_part part;
	struct rn_ty ty;
	int col; /* of the statement; for FIRST, of the statement that reads the first event */
};

struct rn_trace_pairs {
	const struct rn_fragment *fragment;
	const char *path;
	const volatile int *stop;
	bool stopped; /* the statement was ended while it ran */
	sqlite3 *db;
	sqlite3_stmt *events, *first; /* first: NULL if nothing is wanted of the first event */
	/* own: conditions and columns; event: values to be tested; batch: rows that go on */
	struct rn_arena *own, *event, *batch;
	struct end end[2];
	struct out *out;             /* of the fragment's fields */
	const struct rn_field **col; /* of the statement, from AT_FIELDS on */
	unsigned ncols, ntested;     /* ntested: the first ones, which conditions test */
	struct rn_value *tested;
	struct rn_pairing *pairing;
	int64_t seen, matched, unpaired;
	uint64_t overflow; /* results of conditions of more than 64 bits */
};

/* ---- the statements ---- */

static int column_of(struct rn_trace_pairs *p, const struct rn_field *f)
{
	unsigned i = 0;

	while (i < p->ncols && strcmp(p->col[i]->name, f->name))
		i++;
	if (i == p->ncols)
		p->col[p->ncols++] = f;
	return (int)i;
}

static void lay_out(void *self, struct rn_expr *e)
{
	if (e->kind == RN_E_FIELD)
		e->index = column_of(self, e->field);
}

/* Copies the conditions: a field's index becomes its column, so those of both ends are tested over
 * one row. */
static int take_where(struct rn_trace_pairs *p, struct end *e, const struct rn_pair_end *from,
		      struct rn_err *err)
{
	int r = 0;

	e->where = RN_NEWN(p->own, struct rn_expr *, from->nwhere);
	for (unsigned i = 0; i < from->nwhere && !r; i++) {
		struct rn_expr *x = e->where[e->nwhere++] =
			rn_expr_clone(p->own, from->where[i].expr);

		rn_expr_walk(x, lay_out, p);
		r = rn_eval_prepare(p->own, x, &p->overflow, err);
	}
	return r;
}

static unsigned fields_in(const struct rn_fragment *f)
{
	return f->cls->pair->end[0]->nfields + f->cls->pair->end[1]->nfields;
}

static int lay_out_columns(struct rn_trace_pairs *pairs, sqlite3_str *wanted, struct rn_err *err)
{
	const struct rn_fragment *fragment = pairs->fragment;
	const struct rn_pair *pair = fragment->cls->pair;
	int nfirst = 0, r = 0;

	pairs->col = RN_NEWN(pairs->own, const struct rn_field *, fields_in(fragment));
	pairs->out = RN_NEWN(pairs->own, struct out, fragment->nfields);
	for (unsigned i = 0; i < 2 && !r; i++)
		r = take_where(pairs, &pairs->end[i], &fragment->ends[i], err);
	pairs->ntested = pairs->ncols;
	pairs->tested = RN_NEWN(pairs->own, struct rn_value, pairs->ntested);
	for (unsigned k = 0; k < pair->nkeys; k++)
		for (unsigned i = 0; i < 2; i++)
			pairs->end[i].key[k] = AT_FIELDS + column_of(pairs, pair->key[k][i]);
	for (unsigned i = 0; i < fragment->nfields && !r; i++) {
		const struct rn_pair_field *from =
			rn_pair_field(fragment->cls, fragment->fields[i]);

		pairs->out[i] = (struct out){.part = from->part, .ty = fragment->fields[i]->ty};
		if (from->part == RN_PAIR_SECOND)
			pairs->out[i].col = AT_FIELDS + column_of(pairs, from->of);
		if (from->part != RN_PAIR_FIRST)
			continue;
		r = rn_trace_need(pairs->db, pairs->path, from->of->name, "the query", err);
		sqlite3_str_appendf(wanted, "%s\"%w\"", nfirst ? ", " : "SELECT ", from->of->name);
		pairs->out[i].col = nfirst++;
	}
	for (unsigned i = 0; i < pairs->ncols && !r; i++)
		r = rn_trace_need(pairs->db, pairs->path, pairs->col[i]->name, "the query", err);
	return r;
}

static int compile(struct rn_trace_pairs *p, sqlite3_str *text, sqlite3_stmt **out,
		   struct rn_err *err)
{
	char *sql = sqlite3_str_finish(text);
	int r = sql && sqlite3_prepare_v2(p->db, sql, -1, out, NULL) != SQLITE_OK
			? rn_trace_damaged(p->db, p->path, err)
			: 0;

	sqlite3_free(sql);
	return r;
}

/* Is it one of end i's, by its class? */
static int is_end(struct rn_trace_pairs *p, sqlite3_str *q, unsigned i, struct rn_err *err)
{
	return rn_trace_of_class(q, p->db, p->own, p->path, p->fragment->cls->pair->end[i],
				 p->fragment->ends[i].class_name, err);
}

static int prepare_events(struct rn_trace_pairs *pairs, const struct rn_trace_from *from,
			  const struct rn_scope *scope, struct rn_err *err)
{
	sqlite3_str *sql = sqlite3_str_new(pairs->db);
	int r = 0;

	sqlite3_str_appendall(sql, "SELECT time, _rowid_, node");
	for (unsigned i = 0; i < 2 && !r; i++) {
		sqlite3_str_appendall(sql, ", ");
		r = is_end(pairs, sql, i, err);
	}
	sqlite3_str_appendall(sql, ", ");
	if (!r)
		r = rn_trace_of_scope(sql, pairs->db, pairs->path, scope, err);
	for (unsigned i = 0; i < pairs->ncols; i++)
		sqlite3_str_appendf(sql, ", \"%w\"", pairs->col[i]->name);
	sqlite3_str_appendall(sql, " FROM events WHERE (");
	for (unsigned i = 0; i < 2 && !r; i++) {
		r = is_end(pairs, sql, i, err);
		sqlite3_str_appendall(sql, i ? ")" : " OR ");
	}
	rn_trace_own_nodes(sql, from);
	rn_trace_in_order(sql, pairs->db, pairs->own);
	if (!r)
		return compile(pairs, sql, &pairs->events, err);
	sqlite3_free(sqlite3_str_finish(sql));
	return r;
}

static int prepare(struct rn_trace_pairs *p, const struct rn_trace_from *from,
		   const struct rn_scope *scope, struct rn_err *err)
{
	sqlite3_str *wanted = sqlite3_str_new(p->db); /* of the first event */
	int r = lay_out_columns(p, wanted, err);

	if (sqlite3_str_length(wanted))
		sqlite3_str_appendall(wanted, " FROM events WHERE _rowid_ = ?");
	if (r)
		sqlite3_free(sqlite3_str_finish(wanted));
	else
		r = compile(p, wanted, &p->first, err);
	return r ? r : prepare_events(p, from, scope, err);
}

int rn_trace_pairs_create(const struct rn_fragment *fragment, const struct rn_trace_from *from,
			  sqlite3 *db, const struct rn_scope *scope, struct rn_trace_pairs **out,
			  struct rn_err *err)
{
	struct rn_trace_pairs *p = rn_calloc(1, sizeof(*p));
	int r;

	*p = (struct rn_trace_pairs){
		.fragment = fragment,
		.path = from->path,
		.stop = from->stop,
		.db = db,
		.own = rn_arena_create(ARENA),
		.event = rn_arena_create(ARENA),
		.batch = rn_arena_create(ARENA),
		.pairing = rn_pairing_create(fragment->cls->pair->nkeys, RN_PAIRING_MAX)};
	r = prepare(p, from, scope, err);
	if (r)
		rn_trace_pairs_destroy(p);
	else
		*out = p;
	return r;
}

void rn_trace_pairs_destroy(struct rn_trace_pairs *pairs)
{
	if (!pairs)
		return;
	for (unsigned i = 0; i < 2; i++)
		for (unsigned k = 0; k < pairs->end[i].nwhere; k++)
			rn_eval_release(pairs->end[i].where[k]);
	sqlite3_finalize(pairs->events);
	sqlite3_finalize(pairs->first);
	rn_pairing_destroy(pairs->pairing);
	rn_arena_destroy(pairs->own);
	rn_arena_destroy(pairs->event);
	rn_arena_destroy(pairs->batch);
	free(pairs);
}

/* ---- events ---- */

static int64_t number(const struct rn_trace_pairs *p, int col)
{
	return sqlite3_value_int64(sqlite3_column_value(p->events, col));
}

static int wrong(const struct rn_trace_pairs *p, int col, struct rn_ty ty, struct rn_err *err)
{
	return rn_trace_wrong(p->events, col, ty, p->path, err);
}

/* Is every column of the event what it has to be? What conditions test is taken on the way. 0, or
 * the error. */
static int take_columns(struct rn_trace_pairs *p, struct rn_err *err)
{
	static const struct rn_ty time = {RN_T_INT, RN_U_EPOCH};
	struct rn_value v;

	if (!rn_trace_value(p->event, p->events, AT_TIME, time, &v) || v.kind != RN_INT)
		return wrong(p, AT_TIME, time, err);
	for (unsigned i = 0; i < p->ncols; i++)
		if (!rn_trace_field(p->event, p->events, AT_FIELDS + (int)i, p->col[i],
				    i < p->ntested ? &p->tested[i] : &v))
			return wrong(p, AT_FIELDS + (int)i, p->col[i]->ty, err);
	return 0;
}

/* Is the event one of end i, with all that must hold of it? */
static bool passes(struct rn_trace_pairs *p, unsigned i)
{
	const struct end *e = &p->end[i];

	if (!number(p, AT_FIRST + (int)i) || (!i && !number(p, AT_SCOPE)))
		return false;
	p->seen += e->nwhere > 0; /* without a condition, those that go on are all that is seen */
	for (unsigned k = 0; k < e->nwhere; k++) {
		if (rn_eval_unknown(e->where[k], p->tested, p->event)) {
			p->unpaired++;
			return false;
		}
		if (!rn_eval_true(e->where[k], p->tested, p->event))
			return false;
	}
	return true;
}

/* A column of the pair, out of the event that st stands on. */
static int take_value(struct rn_trace_pairs *p, sqlite3_stmt *st, const struct out *o,
		      struct rn_value *to, struct rn_err *err)
{
	return rn_trace_value(p->batch, st, o->col, o->ty, to)
		       ? 0
		       : rn_trace_wrong(st, o->col, o->ty, p->path, err);
}

static void key_of(const struct rn_trace_pairs *p, unsigned i, int64_t *key)
{
	for (unsigned k = 0; k < p->fragment->cls->pair->nkeys; k++)
		key[k] = number(p, p->end[i].key[k]);
}

/* The row of a pair, whose second event is the one at hand. 0, or the error. */
static int make_row(struct rn_trace_pairs *pairs, const struct rn_pairing_first *first,
		    struct rn_value *to, struct rn_err *err)
{
	int64_t end_ns = number(pairs, AT_TIME), latency_ns;
	int r = 0;

	if (pairs->first) {
		sqlite3_bind_int64(pairs->first, 1, first->row);
		if (sqlite3_step(pairs->first) != SQLITE_ROW)
			return rn_trace_damaged(pairs->db, pairs->path, err);
	}
	if (__builtin_sub_overflow(end_ns, first->time_ns, &latency_ns))
		latency_ns = INT64_MAX;
	for (unsigned i = 0; i < pairs->fragment->nfields && !r; i++) {
		const struct out *o = &pairs->out[i];

		switch (o->part) {
		case RN_PAIR_START: to[i] = rn_int(first->time_ns); break;
		case RN_PAIR_END: to[i] = rn_int(end_ns); break;
		case RN_PAIR_LATENCY: to[i] = rn_int(latency_ns); break;
		case RN_PAIR_FIRST: r = take_value(pairs, pairs->first, o, &to[i], err); break;
		case RN_PAIR_SECOND: r = take_value(pairs, pairs->events, o, &to[i], err); break;
		}
	}
	if (pairs->first)
		sqlite3_reset(pairs->first);
	return r;
}

/* 1: a pair ends with this event, its row is at to; 0: none does; or the error. */
static int take_event(struct rn_trace_pairs *pairs, struct rn_value *to, struct rn_err *err)
{
	static const struct rn_ty text = {RN_T_STR, RN_U_NONE};
	struct rn_value node;
	int at, r = take_columns(pairs, err);
	struct rn_pairing_first first;
	int64_t key[RN_PAIR_KEYS];

	if (r)
		return r;
	if (!rn_trace_value(pairs->event, pairs->events, AT_NODE, text, &node))
		return wrong(pairs, AT_NODE, text, err);
	at = rn_pairing_node(pairs->pairing, node.kind == RN_STR ? node.s : "",
			     node.kind == RN_STR ? node.len : 0);
	if (passes(pairs, 1)) {
		bool paired, mine = number(pairs, AT_SCOPE);

		key_of(pairs, 1, key);
		paired = rn_pairing_second(pairs->pairing, at, key, &first);
		pairs->seen += !pairs->end[1].nwhere && (paired || mine);
		pairs->unpaired += !paired && mine;
		if (paired)
			r = make_row(pairs, &first, to, err);
		if (paired && !r)
			r = 1;
	}
	if (r >= 0 && passes(pairs, 0)) {
		key_of(pairs, 0, key);
		pairs->seen += !pairs->end[0].nwhere;
		first = (struct rn_pairing_first){number(pairs, AT_TIME), number(pairs, AT_ROW)};
		rn_pairing_first(pairs->pairing, at, key, &first);
	}
	return r;
}

int rn_trace_pairs_poll(struct rn_trace_pairs *pairs, const struct rn_sink *sink,
			struct rn_err *err)
{
	uint32_t ncols = pairs->fragment->nfields, n = 0, events = 0;
	struct rn_value *value;
	int64_t *time;
	int step = SQLITE_ROW, r = 0;

	if (pairs->stopped)
		return 0;
	rn_arena_reset(pairs->batch);
	value = RN_NEWN(pairs->batch, struct rn_value, (size_t)BATCH_PAIRS * (ncols + 1));
	time = RN_NEWN(pairs->batch, int64_t, BATCH_PAIRS);
	while (n < BATCH_PAIRS && !rn_arena_full(pairs->batch) && events++ < BATCH_EVENTS &&
	       (step = sqlite3_step(pairs->events)) == SQLITE_ROW) {
		rn_arena_reset(pairs->event);
		r = take_event(pairs, value + (size_t)n * ncols, err);
		if (r < 0)
			return r;
		time[n] = number(pairs, AT_TIME);
		n += (uint32_t)r;
	}
	/* the caller that asks for more knows why there are none */
	pairs->stopped = step == SQLITE_INTERRUPT && rn_stopped(pairs->stop);
	if (step != SQLITE_ROW && step != SQLITE_DONE && !pairs->stopped)
		return rn_trace_damaged(pairs->db, pairs->path, err);
	if (step == SQLITE_DONE && rn_trace_unchanged(pairs->db, pairs->path, err))
		return -EBADMSG;
	pairs->matched += n;
	r = n ? sink->rows(sink->self,
			   &(struct rn_rows){
				   .nrows = n, .ncols = ncols, .values = value, .time_ns = time})
	      : 0;
	return r < 0 ? r : step == SQLITE_DONE;
}

void rn_trace_pairs_ledger(const struct rn_trace_pairs *pairs, struct rn_ledger *ledger)
{
	struct rn_pairing_counts c = rn_pairing_counts(pairs->pairing);

	ledger->n[RN_L_SEEN] += pairs->seen;
	ledger->n[RN_L_MATCHED] += pairs->matched;
	ledger->n[RN_L_UNPAIRED] += pairs->unpaired;
	ledger->n[RN_L_OVERFLOW] += (int64_t)pairs->overflow;
	ledger->n[RN_L_OPEN] += c.open;
	ledger->n[RN_L_REOPENED] += c.reopened;
	ledger->n[RN_L_LOST_PAIR] += c.lost;
}
