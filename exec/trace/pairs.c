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
	const struct rn_fragment *f;
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

static int lay_out_columns(struct rn_trace_pairs *p, sqlite3_str *wanted, struct rn_err *err)
{
	const struct rn_fragment *f = p->f;
	const struct rn_pair *pair = f->cls->pair;
	int nfirst = 0, r = 0;

	p->col = RN_NEWN(p->own, const struct rn_field *, fields_in(f));
	p->out = RN_NEWN(p->own, struct out, f->nfields);
	for (unsigned i = 0; i < 2 && !r; i++)
		r = take_where(p, &p->end[i], &f->ends[i], err);
	p->ntested = p->ncols;
	p->tested = RN_NEWN(p->own, struct rn_value, p->ntested);
	for (unsigned k = 0; k < pair->nkeys; k++)
		for (unsigned i = 0; i < 2; i++)
			p->end[i].key[k] = AT_FIELDS + column_of(p, pair->key[k][i]);
	for (unsigned i = 0; i < f->nfields && !r; i++) {
		const struct rn_pair_field *from = rn_pair_field(f->cls, f->fields[i]);

		p->out[i] = (struct out){.part = from->part, .ty = f->fields[i]->ty};
		if (from->part == RN_PAIR_SECOND)
			p->out[i].col = AT_FIELDS + column_of(p, from->of);
		if (from->part != RN_PAIR_FIRST)
			continue;
		r = rn_trace_need(p->db, p->path, from->of->name, "the query", err);
		sqlite3_str_appendf(wanted, "%s\"%w\"", nfirst ? ", " : "SELECT ", from->of->name);
		p->out[i].col = nfirst++;
	}
	for (unsigned i = 0; i < p->ncols && !r; i++)
		r = rn_trace_need(p->db, p->path, p->col[i]->name, "the query", err);
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
	return rn_trace_of_class(q, p->db, p->own, p->path, p->f->cls->pair->end[i],
				 p->f->ends[i].class_name, err);
}

static int prepare_events(struct rn_trace_pairs *p, const struct rn_trace_from *from,
			  const struct rn_scope *scope, struct rn_err *err)
{
	sqlite3_str *q = sqlite3_str_new(p->db);
	int r = 0;

	sqlite3_str_appendall(q, "SELECT time, _rowid_, node");
	for (unsigned i = 0; i < 2 && !r; i++) {
		sqlite3_str_appendall(q, ", ");
		r = is_end(p, q, i, err);
	}
	sqlite3_str_appendall(q, ", ");
	if (!r)
		r = rn_trace_of_scope(q, p->db, p->path, scope, err);
	for (unsigned i = 0; i < p->ncols; i++)
		sqlite3_str_appendf(q, ", \"%w\"", p->col[i]->name);
	sqlite3_str_appendall(q, " FROM events WHERE (");
	for (unsigned i = 0; i < 2 && !r; i++) {
		r = is_end(p, q, i, err);
		sqlite3_str_appendall(q, i ? ")" : " OR ");
	}
	rn_trace_own_nodes(q, from);
	rn_trace_in_order(q, p->db, p->own);
	if (!r)
		return compile(p, q, &p->events, err);
	sqlite3_free(sqlite3_str_finish(q));
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

int rn_trace_pairs_create(const struct rn_fragment *f, const struct rn_trace_from *from,
			  sqlite3 *db, const struct rn_scope *scope, struct rn_trace_pairs **out,
			  struct rn_err *err)
{
	struct rn_trace_pairs *p = calloc(1, sizeof(*p));
	int r;

	if (!p)
		return rn_err_set(err, -ENOMEM, "no memory for pairs of events");
	*p = (struct rn_trace_pairs){
		.f = f,
		.path = from->path,
		.stop = from->stop,
		.db = db,
		.own = rn_arena_create(ARENA),
		.event = rn_arena_create(ARENA),
		.batch = rn_arena_create(ARENA),
		.pairing = rn_pairing_create(f->cls->pair->nkeys, RN_PAIRING_MAX)};
	r = p->pairing ? prepare(p, from, scope, err)
		       : rn_err_set(err, -ENOMEM, "no memory for pairs of events");
	if (r)
		rn_trace_pairs_destroy(p);
	else
		*out = p;
	return r;
}

void rn_trace_pairs_destroy(struct rn_trace_pairs *p)
{
	if (!p)
		return;
	for (unsigned i = 0; i < 2; i++)
		for (unsigned k = 0; k < p->end[i].nwhere; k++)
			rn_eval_release(p->end[i].where[k]);
	sqlite3_finalize(p->events);
	sqlite3_finalize(p->first);
	rn_pairing_destroy(p->pairing);
	rn_arena_destroy(p->own);
	rn_arena_destroy(p->event);
	rn_arena_destroy(p->batch);
	free(p);
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
		if (rn_eval_unknown(e->where[k], p->tested)) {
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
	for (unsigned k = 0; k < p->f->cls->pair->nkeys; k++)
		key[k] = number(p, p->end[i].key[k]);
}

/* The row of a pair, whose second event is the one at hand. 0, or the error. */
static int make_row(struct rn_trace_pairs *p, const struct rn_pairing_first *first,
		    struct rn_value *to, struct rn_err *err)
{
	int64_t end_ns = number(p, AT_TIME), latency_ns;
	int r = 0;

	if (p->first) {
		sqlite3_bind_int64(p->first, 1, first->row);
		if (sqlite3_step(p->first) != SQLITE_ROW)
			return rn_trace_damaged(p->db, p->path, err);
	}
	if (__builtin_sub_overflow(end_ns, first->time_ns, &latency_ns))
		latency_ns = INT64_MAX;
	for (unsigned i = 0; i < p->f->nfields && !r; i++) {
		const struct out *o = &p->out[i];

		switch (o->part) {
		case RN_PAIR_START: to[i] = rn_int(first->time_ns); break;
		case RN_PAIR_END: to[i] = rn_int(end_ns); break;
		case RN_PAIR_LATENCY: to[i] = rn_int(latency_ns); break;
		case RN_PAIR_FIRST: r = take_value(p, p->first, o, &to[i], err); break;
		case RN_PAIR_SECOND: r = take_value(p, p->events, o, &to[i], err); break;
		}
	}
	if (p->first)
		sqlite3_reset(p->first);
	return r;
}

/* 1: a pair ends with this event, its row is at to; 0: none does; or the error. */
static int take_event(struct rn_trace_pairs *p, struct rn_value *to, struct rn_err *err)
{
	static const struct rn_ty text = {RN_T_STR, RN_U_NONE};
	struct rn_value node;
	int at, r = take_columns(p, err);
	struct rn_pairing_first first;
	int64_t key[RN_PAIR_KEYS];

	if (r)
		return r;
	if (!rn_trace_value(p->event, p->events, AT_NODE, text, &node))
		return wrong(p, AT_NODE, text, err);
	at = rn_pairing_node(p->pairing, node.kind == RN_STR ? node.s : "",
			     node.kind == RN_STR ? node.len : 0);
	if (at < 0)
		return rn_err_set(err, -ENOMEM, "no memory for the names of nodes");
	if (passes(p, 1)) {
		bool paired, mine = number(p, AT_SCOPE);

		key_of(p, 1, key);
		paired = rn_pairing_second(p->pairing, at, key, &first);
		p->seen += !p->end[1].nwhere && (paired || mine);
		p->unpaired += !paired && mine;
		if (paired)
			r = make_row(p, &first, to, err);
		if (paired && !r)
			r = 1;
	}
	if (r >= 0 && passes(p, 0)) {
		key_of(p, 0, key);
		p->seen += !p->end[0].nwhere;
		first = (struct rn_pairing_first){number(p, AT_TIME), number(p, AT_ROW)};
		if (!rn_pairing_first(p->pairing, at, key, &first))
			return rn_err_set(err, -ENOMEM,
					  "no memory for events that wait for their second");
	}
	return r;
}

int rn_trace_pairs_poll(struct rn_trace_pairs *p, const struct rn_sink *sink, struct rn_err *err)
{
	uint32_t ncols = p->f->nfields, n = 0, events = 0;
	struct rn_value *v;
	int64_t *time;
	int step = SQLITE_ROW, r = 0;

	if (p->stopped)
		return 0;
	rn_arena_reset(p->batch);
	v = RN_NEWN(p->batch, struct rn_value, (size_t)BATCH_PAIRS * (ncols + 1));
	time = RN_NEWN(p->batch, int64_t, BATCH_PAIRS);
	while (n < BATCH_PAIRS && !rn_arena_full(p->batch) && events++ < BATCH_EVENTS &&
	       (step = sqlite3_step(p->events)) == SQLITE_ROW) {
		rn_arena_reset(p->event);
		r = take_event(p, v + (size_t)n * ncols, err);
		if (r < 0)
			return r;
		time[n] = number(p, AT_TIME);
		n += (uint32_t)r;
	}
	/* the caller that asks for more knows why there are none */
	p->stopped = step == SQLITE_INTERRUPT && rn_stopped(p->stop);
	if (step != SQLITE_ROW && step != SQLITE_DONE && !p->stopped)
		return rn_trace_damaged(p->db, p->path, err);
	if (step == SQLITE_DONE && rn_trace_unchanged(p->db, p->path, err))
		return -EBADMSG;
	p->matched += n;
	r = n ? sink->rows(sink->self,
			   &(struct rn_rows){.nrows = n, .ncols = ncols, .v = v, .time_ns = time})
	      : 0;
	return r < 0 ? r : step == SQLITE_DONE;
}

void rn_trace_pairs_ledger(const struct rn_trace_pairs *p, struct rn_ledger *l)
{
	struct rn_pairing_counts c = rn_pairing_counts(p->pairing);

	l->n[RN_L_SEEN] += p->seen;
	l->n[RN_L_MATCHED] += p->matched;
	l->n[RN_L_UNPAIRED] += p->unpaired;
	l->n[RN_L_OVERFLOW] += (int64_t)p->overflow;
	l->n[RN_L_OPEN] += c.open;
	l->n[RN_L_REOPENED] += c.reopened;
	l->n[RN_L_LOST_PAIR] += c.lost;
}
