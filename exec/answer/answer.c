/* answer.c - turns merged groups or rows into the answer.
 *
 * Rows that need no order are evaluated and passed on at once. Everything else is loaded into a
 * table of an in-memory SQLite database (groups with their aggregates finished) and read back
 * through the statement of sql.c. The table holds only what is being delivered: a window's groups
 * leave it with the window. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "exec/answer/answer_impl.h"
#include "exec/answer/sql_impl.h"
#include "exec/answer/flow_align_impl.h"
#include "exec/eval/eval.h"
#include "exec/fleet/fleet.h"
#include "exec/flow/flow.h"
#include "lang/base/memory.h"

/* SPARE_ROWS, SPARE_BYTES: how much is kept beyond the limit before it is pruned. */
enum {
	SCRATCH = 64 << 20,
	SPARE_ROWS = 10000,
	SPARE_BYTES = 16 << 20,
	ROW_BYTES = 64,
	VALUE_BYTES = 16
};

static int sql_error(struct rn_answer *w)
{
	return rn_err_set(w->err, -EIO, "the answer cannot be finished: %s", sqlite3_errmsg(w->db));
}

static int open_db(struct rn_answer *answer)
{
	const char *query = rn_sql_query(answer->arena, answer->plan, answer->by_time);
	bool prunes = answer->plan->kind == RN_PLAN_ROWS && answer->plan->limit >= 0 &&
		      answer->plan->limit < INT64_MAX / 2;

	if (sqlite3_open_v2(":memory:", &answer->db,
			    SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
			    NULL) != SQLITE_OK ||
	    rn_sql_functions(answer->db, &answer->overflow) ||
	    sqlite3_exec(answer->db, rn_sql_create(answer->arena, answer->plan), NULL, NULL,
			 NULL) != SQLITE_OK ||
	    sqlite3_prepare_v2(answer->db, rn_sql_insert(answer->arena, answer->plan), -1,
			       &answer->insert, NULL) != SQLITE_OK ||
	    sqlite3_prepare_v2(answer->db, query, -1, &answer->query, NULL) != SQLITE_OK ||
	    (prunes &&
	     (sqlite3_prepare_v2(answer->db,
				 rn_sql_prune(answer->arena, answer->plan, answer->by_time), -1,
				 &answer->prune, NULL) != SQLITE_OK ||
	      sqlite3_prepare_v2(answer->db, rn_sql_size(answer->arena, answer->plan), -1,
				 &answer->size, NULL) != SQLITE_OK)))
		return sql_error(answer);
	return 0;
}

static int prepare_rows(struct rn_answer *w)
{
	int r = 0;

	w->out = RN_NEWN(w->arena, struct rn_expr *, w->plan->nout);
	for (unsigned i = 0; i < w->plan->nout && !r; i++) {
		w->out[i] = rn_expr_clone(w->arena, w->plan->out[i].expr);
		r = rn_eval_prepare(w->arena, w->out[i], &w->overflow, w->err);
	}
	return r;
}

static void note_known(struct rn_answer *w)
{
	const struct rn_plan *p = w->plan;

	w->known = RN_NEWN(w->arena, unsigned, p->nout);
	for (unsigned i = 0; i < p->nout && p->kind != RN_PLAN_GROUPS; i++)
		if (p->out[i].known)
			w->known[w->nknown++] =
				p->kind == RN_PLAN_FLOW ? i : (unsigned)p->out[i].expr->index;
}

static void find_key(void *self, const struct rn_expr *e)
{
	struct rn_answer *w = self;

	if (e->kind == RN_E_KEY && rn_expr_has_gap(w->plan->frag.keys[e->index]))
		w->divides[w->plan->nout] = true;
	if (e->kind == RN_E_COLUMN && w->plan->kind == RN_PLAN_ROWS &&
	    rn_expr_has_gap(w->plan->frag.cols[e->index].expr))
		w->divides[w->plan->nout] = true;
}

void rn_answer_nulls(struct rn_answer *answer, struct rn_nulls *nulls)
{
	const struct rn_plan *p = answer->plan;

	answer->nulls = nulls;
	answer->divides = RN_NEWN(answer->arena, bool, p->nout + 1);
	for (unsigned i = 0; i < p->nout; i++) {
		answer->divides[p->nout] = false;
		rn_expr_look(p->out[i].expr, find_key, answer);
		answer->divides[i] = answer->divides[p->nout] || rn_expr_has_gap(p->out[i].expr);
	}
}

/* row: the columns of out, without the window. */
static void count_nulls(struct rn_answer *w, const struct rn_value *row, unsigned n)
{
	for (unsigned i = 0; w->nulls && !w->snapshot && i < n; i++)
		w->nulls[i].n += w->divides[i] && row[i].kind == RN_NULL;
}

static bool leaves_out(struct rn_answer *w, const struct rn_value *v)
{
	for (unsigned i = 0; i < w->nknown; i++)
		if (rn_is_unknown(&v[w->known[i]])) {
			w->unpaired++;
			return true;
		}
	return false;
}

static struct rn_flow *new_flow(struct rn_answer *answer)
{
	const struct rn_fragment *f = &answer->plan->frag;
	struct rn_flow *flow = rn_flow_new(answer->arena, f->cols, f->ncols);

	if (answer->plan->whole)
		rn_flow_whole(flow);
	return flow;
}

int rn_answer_create(const struct rn_plan *plan, const struct rn_answer_sink *to, bool by_time,
		     struct rn_answer **out, struct rn_err *err)
{
	struct rn_answer *answer = rn_calloc(1, sizeof(*answer));
	int r;

	answer->plan = plan;
	answer->to = *to;
	answer->err = err;
	answer->arena = rn_arena_create(SCRATCH);
	answer->scratch = rn_arena_create(SCRATCH);
	answer->row = RN_NEWN(answer->arena, struct rn_value, plan->nout + 1);
	answer->left = plan->limit;
	answer->by_time = by_time;
	answer->next_ns = answer->first_ns = answer->slide_end_ns = INT64_MIN;
	answer->window_ns = plan->frag.every_ns;
	if (plan->over_ns)
		answer->slide = rn_slide_create(plan->frag.aggs, plan->frag.naggs, plan->frag.nkeys,
						plan->frag.max_groups);
	answer->compares = plan->kind == RN_PLAN_GROUPS && rn_plan_calls(plan, &rn_func_delta);
	if (plan->nrow_key)
		answer->deltas = rn_deltas_new(plan);
	answer->prune_bytes = SPARE_BYTES;
	note_known(answer);
	if (plan->kind == RN_PLAN_FLOW)
		answer->flow = new_flow(answer);
	if (plan->kind == RN_PLAN_ROWS && !plan->norder && !by_time)
		r = prepare_rows(answer);
	else /* a flow comes in its own order */
		r = plan->kind == RN_PLAN_FLOW && !plan->norder ? 0 : open_db(answer);
	if (r) {
		rn_answer_destroy(answer);
		return r;
	}
	*out = answer;
	return 0;
}

void rn_answer_room(struct rn_answer *answer, struct rn_room *room, const struct rn_fleet *fleet)
{
	answer->room = room;
	answer->fleet = fleet;
}

int64_t rn_answer_shed(const struct rn_answer *answer)
{
	return answer->shed + (answer->flow ? rn_flow_shed(answer->flow) : 0);
}

/* Notes what the table holds. In an answer without a limit, the nodes hold the room until its
 * end. */
static void holds(struct rn_answer *w, int64_t rows, int64_t bytes)
{
	if (w->room && w->prune)
		rn_room_put(w->room, bytes - w->bytes);
	w->held = rows;
	w->bytes = bytes;
}

void rn_answer_destroy(struct rn_answer *answer)
{
	if (!answer)
		return;
	for (unsigned i = 0; answer->out && i < answer->plan->nout; i++)
		if (answer->out[i])
			rn_eval_release(answer->out[i]);
	sqlite3_finalize(answer->insert);
	sqlite3_finalize(answer->query);
	sqlite3_finalize(answer->prune);
	sqlite3_finalize(answer->size);
	holds(answer, 0, 0);
	rn_deltas_free(answer->deltas);
	rn_slide_destroy(answer->slide);
	sqlite3_close(answer->db);
	rn_arena_destroy(answer->scratch);
	rn_arena_destroy(answer->arena);
	free(answer);
}

int rn_answer_begin(struct rn_answer *answer)
{
	unsigned window = rn_plan_has_window(answer->plan),
		 n = answer->plan->nout - answer->plan->nhidden;
	struct rn_column *cols = RN_NEWN(answer->arena, struct rn_column, n + window);
	struct rn_answer_shape r = {.cols = cols,
				    .ncols = n + window,
				    .every_ns = answer->plan->every_ns,
				    .shares = answer->plan->share && answer->to.share};

	if (window)
		cols[0] = (struct rn_column){.label = "window", .ty = {RN_T_INT, RN_U_EPOCH}};
	memcpy(cols + window, answer->plan->out, n * sizeof(*cols));
	return answer->to.begin ? answer->to.begin(answer->to.self, &r) : 0;
}

/* ---- into SQLite ---- */

static bool is_binary(struct rn_ty ty)
{
	return ty.type == RN_T_IP || ty.type == RN_T_BYTES || ty.type == RN_T_SKETCH;
}

/* An unknown value becomes an empty blob: no number and no text is one, so it comes out as unknown
 * again. Nothing compares it. */
static void bind_null(sqlite3_stmt *st, int i, const struct rn_value *v)
{
	if (rn_is_unknown(v))
		sqlite3_bind_zeroblob(st, i, 0);
	else
		sqlite3_bind_null(st, i);
}

static void bind(sqlite3_stmt *st, int i, struct rn_ty ty, const struct rn_value *v)
{
	switch (v->kind) {
	case RN_BOOL:
	case RN_INT: sqlite3_bind_int64(st, i, v->i); break;
	case RN_FLOAT: sqlite3_bind_double(st, i, v->f); break;
	case RN_NULL: bind_null(st, i, v); break;
	default:
		if (is_binary(ty))
			sqlite3_bind_blob(st, i, v->s ? v->s : "", (int)v->len, SQLITE_STATIC);
		else
			sqlite3_bind_text(st, i, v->s ? v->s : "", (int)v->len, SQLITE_STATIC);
	}
}

static int insert(struct rn_answer *w)
{
	int r = sqlite3_step(w->insert);

	sqlite3_reset(w->insert);
	return r == SQLITE_DONE ? 0 : sql_error(w);
}

static int insert_row(struct rn_answer *w, const struct rn_column *cols, unsigned ncols,
		      const struct rn_value *v, int64_t time_ns)
{
	for (unsigned i = 0; i < ncols; i++)
		bind(w->insert, (int)i + 1, cols[i].ty, &v[i]);
	sqlite3_bind_int64(w->insert, (int)ncols + 1, time_ns);
	sqlite3_bind_int64(w->insert, (int)ncols + 2, ++w->seq);
	return insert(w);
}

/* The keys of (other): a text key says "(other)", numbers and addresses have no value. */
static void bind_key(struct rn_answer *w, int i, const struct rn_expr *key,
		     const struct rn_partial *g, unsigned k)
{
	bool text =
		key->ty.type == RN_T_STR || key->ty.type == RN_T_TAGS || key->ty.type == RN_T_STACK;

	if (!g->other)
		bind(w->insert, i, key->ty, &g->key[k]);
	else if (text)
		sqlite3_bind_text(w->insert, i, "(other)", -1, SQLITE_STATIC);
	else
		sqlite3_bind_null(w->insert, i);
}

/* What aggregate i counts, if that is what another one leaves out. */
void rn_answer_count_companion(struct rn_answer *w, unsigned i, const struct rn_value *value)
{
	if (w->plan->frag.aggs[i].nulls_of && w->nulls && !w->snapshot && value->kind == RN_INT)
		w->nulls[w->plan->nout + i].n += value->i;
}

int rn_answer_insert_group(struct rn_answer *answer, int64_t window_ns,
			   const struct rn_partial *partial)
{
	const struct rn_fragment *fragment = &answer->plan->frag;
	struct rn_finish_ctx ctx = {.window_ns = answer->window_ns, .overflow = &answer->overflow};
	int at = 1;

	sqlite3_bind_int64(answer->insert, at++, window_ns);
	for (unsigned k = 0; k < fragment->nkeys; k++)
		bind_key(answer, at++, fragment->keys[k], partial, k);
	for (unsigned i = 0; i < fragment->naggs; i++) {
		const struct rn_agg_call *call = &fragment->aggs[i];
		struct rn_value value =
			call->def->finish(call, &partial->state[i], &ctx, answer->scratch);

		bind(answer->insert, at++, call->ty, &value);
		if (!answer->slide)
			rn_answer_count_companion(answer, i, &value);
	}
	sqlite3_bind_int64(answer->insert, at++, partial->events);
	sqlite3_bind_int64(answer->insert, at, partial->other);
	answer->loaded++;
	return insert(answer);
}

/* A group without events: count 0, sum 0, the rest NULL or empty. */
int rn_answer_load_empty(struct rn_answer *w, int64_t window_ns)
{
	struct rn_state *s;

	rn_arena_reset(w->scratch);
	s = RN_NEWN(w->scratch, struct rn_state, w->plan->frag.naggs + 1);
	return rn_answer_insert_group(w, window_ns, &(struct rn_partial){.state = s});
}

/* Gives a row for each window without events before until_ns, for an aggregate without keys. */
static int load_gap(struct rn_answer *w, int64_t until_ns)
{
	int64_t every = w->plan->frag.every_ns, at = w->next_ns;
	int r = 0;

	if (w->plan->frag.nkeys || !every || at == INT64_MIN || at >= until_ns)
		return 0;
	w->next_ns = until_ns;
	if (((uint64_t)until_ns - (uint64_t)at) / (uint64_t)every > RN_MOST_EMPTY)
		return 0;
	for (; at < until_ns && !r; at += every)
		r = rn_answer_load_empty(w, at);
	return r;
}

static int load(void *self, const struct rn_partials *p)
{
	struct rn_answer *w = self;
	int r = load_gap(w, p->window_ns);

	if (w->first_ns == INT64_MIN)
		w->first_ns = p->window_ns;
	if (p->window_ns >= w->next_ns &&
	    __builtin_add_overflow(p->window_ns, w->plan->frag.every_ns, &w->next_ns))
		w->next_ns = INT64_MAX;
	rn_arena_reset(w->scratch);
	for (uint32_t i = 0; i < p->n && !r; i++)
		r = rn_answer_insert_group(w, p->window_ns, &p->parts[i]);
	return r;
}

/* ---- out of SQLite ---- */

static struct rn_value column(sqlite3_stmt *st, int i, struct rn_ty ty)
{
	if (sqlite3_column_type(st, i) == SQLITE_NULL)
		return rn_null();
	if (sqlite3_column_type(st, i) == SQLITE_BLOB && !is_binary(ty))
		return rn_unknown();
	switch (ty.type) {
	case RN_T_BOOL: return rn_bool(sqlite3_column_int64(st, i) != 0);
	case RN_T_INT: return rn_int(sqlite3_column_int64(st, i));
	case RN_T_FLOAT: return rn_float(sqlite3_column_double(st, i));
	default: {
		const void *s = sqlite3_column_blob(st, i);

		return rn_strn(s ? s : "", (size_t)sqlite3_column_bytes(st, i));
	}
	}
}

/* The column of the first key that is shown; -1: none. */
static int key_column(const struct rn_answer *w)
{
	for (unsigned i = 0; i < w->plan->nout - w->plan->nhidden; i++)
		if (w->plan->out[i].expr->kind == RN_E_KEY)
			return (int)i + rn_plan_has_window(w->plan);
	return -1;
}

/* The row's part of what all groups have together; -1: they have nothing. */
static double share(const struct rn_answer *w, unsigned first)
{
	int at = (int)(w->plan->nout + first) + 1;

	return sqlite3_column_type(w->query, at) == SQLITE_NULL
		       ? -1
		       : sqlite3_column_double(w->query, at);
}

/* Where the first window begins, before which there is none. */
static int64_t first_window(const struct rn_answer *w)
{
	const struct rn_plan *p = w->plan;

	return w->slide ? w->first_ns + p->frag.every_ns - p->over_ns : w->first_ns;
}

static int deliver(struct rn_answer *answer)
{
	unsigned window = rn_plan_has_window(answer->plan),
		 n = answer->plan->nout - answer->plan->nhidden;
	bool groups = answer->plan->kind == RN_PLAN_GROUPS;
	/* rows have no window in the statement: it follows from their time */
	unsigned first = groups ? window : 0;
	int r = 0, s, key = groups ? key_column(answer) : -1;

	if (answer->compares)
		sqlite3_bind_int64(answer->query, 1, first_window(answer));
	while (!r && (s = sqlite3_step(answer->query)) == SQLITE_ROW) {
		int64_t time_ns = first ? sqlite3_column_int64(answer->query, 0) : 0;

		if (groups && answer->to.other &&
		    sqlite3_column_int64(answer->query, (int)(answer->plan->nout + first)))
			answer->to.other(answer->to.self, key);
		if (answer->plan->share && answer->to.share)
			answer->to.share(answer->to.self, share(answer, first));
		if (!groups)
			time_ns = sqlite3_column_int64(answer->query, (int)answer->plan->nout);
		if (window)
			answer->row[0] = rn_int(rn_window_start(time_ns, answer->plan->every_ns));
		for (unsigned i = 0; i < n; i++)
			answer->row[i + window] =
				column(answer->query, (int)(i + first), answer->plan->out[i].ty);
		count_nulls(answer, answer->row + window, n);
		r = answer->to.row(answer->to.self, answer->row, time_ns);
	}
	if (!r && s != SQLITE_DONE)
		r = sql_error(answer);
	sqlite3_reset(answer->query);
	if (answer->compares && !answer->snapshot &&
	    sqlite3_exec(answer->db, rn_sql_keep_window, NULL, NULL, NULL) != SQLITE_OK && !r)
		r = sql_error(answer);
	if (sqlite3_exec(answer->db, groups ? "delete from g" : "delete from r", NULL, NULL,
			 NULL) != SQLITE_OK &&
	    !r)
		r = sql_error(answer);
	holds(answer, 0, 0);
	return r < 0 ? r : 0;
}

int64_t rn_answer_overflow(const struct rn_answer *answer)
{
	return (int64_t)answer->overflow;
}

int64_t rn_answer_other(const struct rn_answer *answer)
{
	return answer->part_moved + answer->window_moved;
}

int64_t rn_answer_unpaired(const struct rn_answer *answer)
{
	return answer->unpaired;
}

int64_t rn_answer_forgotten(const struct rn_answer *answer)
{
	return answer->flow ? rn_flow_forgotten(answer->flow) : 0;
}

static int deliver_groups(struct rn_answer *answer, struct rn_groups *groups, int64_t before_ns,
			  bool last, bool snapshot)
{
	const struct rn_fragment *fragment = &answer->plan->frag;
	int r;

	answer->loaded = 0;
	answer->snapshot = snapshot;
	if (sqlite3_exec(answer->db, "begin", NULL, NULL, NULL) != SQLITE_OK)
		return sql_error(answer);
	r = rn_groups_visit(groups, before_ns, !snapshot,
			    answer->slide ? rn_answer_slide_part : load, answer);
	if (!r && answer->slide)
		r = rn_answer_slide_until(answer, before_ns);
	if (!r && last && !answer->loaded && !fragment->nkeys && !fragment->every_ns)
		r = rn_answer_load_empty(answer, 0);
	if (!r && answer->by_clock && !answer->slide && !snapshot && before_ns != INT64_MAX)
		r = load_gap(answer, before_ns);
	if (sqlite3_exec(answer->db, "commit", NULL, NULL, NULL) != SQLITE_OK && !r)
		r = sql_error(answer);
	if (r < 0)
		return r;
	if (!answer->loaded && !snapshot)
		return answer->to.flush ? answer->to.flush(answer->to.self, before_ns) : 0;
	if (snapshot && (r = answer->to.snapshot(answer->to.self, true)) < 0)
		return r;
	r = deliver(answer);
	if (!snapshot && !r && answer->to.flush)
		r = answer->to.flush(answer->to.self, before_ns);
	if (snapshot && !r)
		r = answer->to.snapshot(answer->to.self, false);
	return r;
}

void rn_answer_since(struct rn_answer *answer, int64_t begin_ns)
{
	answer->next_ns = rn_window_start(begin_ns, answer->plan->frag.every_ns);
	answer->first_ns = answer->next_ns;
	if (answer->slide)
		answer->slide_end_ns = answer->next_ns + answer->plan->frag.every_ns;
	answer->by_clock = true;
}

int rn_answer_groups(struct rn_answer *answer, struct rn_groups *groups, int64_t before_ns,
		     bool last, bool snapshot)
{
	uint64_t overflow = answer->overflow;
	int r = deliver_groups(answer, groups, before_ns, last, snapshot);

	if (snapshot) /* the same groups will be finished again */
		answer->overflow = overflow;
	return r;
}

/* ---- rows ---- */

int rn_answer_mark(struct rn_answer *answer, int64_t mark_ns)
{
	return !answer->db && !answer->flow && answer->to.flush
		       ? answer->to.flush(answer->to.self, mark_ns)
		       : 0;
}

static int stream(struct rn_answer *answer, const struct rn_rows *rows)
{
	unsigned n = answer->plan->nout - answer->plan->nhidden,
		 window = rn_plan_has_window(answer->plan);
	int s = 0;

	for (uint32_t k = 0; k < rows->nrows && answer->left && !s; k++) {
		const struct rn_value *value = rows->values + (size_t)k * rows->ncols;

		if (leaves_out(answer, value))
			continue;
		if (window)
			answer->row[0] =
				rn_int(rn_window_start(rows->time_ns[k], answer->plan->every_ns));
		for (unsigned i = 0; i < n; i++)
			answer->row[i + window] = rn_eval(answer->out[i], value, answer->scratch);
		count_nulls(answer, answer->row + window, n);
		s = answer->to.row(answer->to.self, answer->row, rows->time_ns[k]);
		if (answer->left > 0)
			answer->left--;
	}
	if (s >= 0)
		s = rn_answer_mark(answer, INT64_MIN);
	return s < 0 ? s : 0;
}

static int keep_first(struct rn_answer *w, int64_t rows)
{
	int s;

	sqlite3_bind_int64(w->prune, 1, rows);
	s = sqlite3_step(w->prune);
	sqlite3_reset(w->prune);
	if (s != SQLITE_DONE || sqlite3_step(w->size) != SQLITE_ROW)
		return sql_error(w);
	rows = sqlite3_column_int64(w->size, 0);
	holds(w, rows,
	      sqlite3_column_int64(w->size, 1) +
		      rows * (ROW_BYTES + VALUE_BYTES * (int64_t)w->plan->frag.ncols));
	sqlite3_reset(w->size);
	return 0;
}

/* Forgets rows that cannot be in the answer any more, many at a time. If the others are still too
 * much, leaves the last of them out. */
static int prune(struct rn_answer *w)
{
	bool over = w->room && rn_room_over(w->room);
	int r;

	if (!w->prune ||
	    (w->held <= 2 * w->plan->limit + SPARE_ROWS && w->bytes <= w->prune_bytes && !over))
		return 0;
	r = keep_first(w, w->plan->limit);
	while (!r && over && w->held && rn_room_over(w->room)) {
		int64_t before = w->held;

		r = keep_first(w, before / 2);
		w->shed += before - w->held;
	}
	w->prune_bytes = 2 * w->bytes > SPARE_BYTES ? 2 * w->bytes : SPARE_BYTES;
	return r;
}

static int64_t row_bytes(const struct rn_value *v, unsigned n)
{
	int64_t bytes = ROW_BYTES + VALUE_BYTES * (int64_t)n;

	for (unsigned i = 0; i < n; i++)
		bytes += v[i].kind == RN_STR ? (int64_t)v[i].len : 0;
	return bytes;
}

/* Puts one row into the table, if there is room. */
static int hold_row(struct rn_answer *w, const struct rn_value *v, int64_t time_ns)
{
	const struct rn_fragment *f = &w->plan->frag;
	int64_t bytes = row_bytes(v, f->ncols);
	int r;

	if (w->room && !w->prune &&
	    !rn_room_take(w->room, w->fleet ? rn_fleet_sender(w->fleet) : 0, bytes)) {
		w->shed++;
		return 0;
	}
	r = insert_row(w, f->cols, f->ncols, v, time_ns);
	holds(w, w->held + 1, w->bytes + bytes);
	return r ? r : prune(w);
}

int rn_answer_rows(struct rn_answer *answer, const struct rn_rows *rows)
{
	const struct rn_fragment *fragment = &answer->plan->frag;
	int s = 0;

	if (rows->ncols != fragment->ncols)
		return rn_err_set(answer->err, -EPROTO, "rows came with %u columns instead of %u",
				  rows->ncols, fragment->ncols);
	if (answer->flow) {
		rn_flow_add(answer->flow, rows);
		return 0;
	}
	rn_arena_reset(answer->scratch);
	if (answer->deltas)
		rows = rn_deltas_of(answer->deltas, rows, answer->scratch);
	if (!answer->db)
		return stream(answer, rows);
	if (sqlite3_exec(answer->db, "begin", NULL, NULL, NULL) != SQLITE_OK)
		return sql_error(answer);
	for (uint32_t k = 0; k < rows->nrows && !s; k++) {
		const struct rn_value *value = rows->values + (size_t)k * rows->ncols;

		if (leaves_out(answer, value))
			continue;
		s = hold_row(answer, value, rows->time_ns[k]);
	}
	if (sqlite3_exec(answer->db, "commit", NULL, NULL, NULL) != SQLITE_OK && !s)
		s = sql_error(answer);
	return s;
}

bool rn_answer_full(const struct rn_answer *answer)
{
	return answer->plan->limit == 0 || (!answer->db && answer->left == 0) ||
	       (answer->to.full && answer->to.full(answer->to.self));
}

/* A row of a flow that has no order of its own. */
static int pass_hop(struct rn_answer *w, const struct rn_value *v, int64_t time_ns)
{
	unsigned window = rn_plan_has_window(w->plan);

	if (!w->left)
		return 0;
	w->left -= w->left > 0;
	if (window)
		w->row[0] = rn_int(rn_window_start(time_ns, w->plan->every_ns));
	memcpy(w->row + window, v, w->plan->nout * sizeof(*v));
	return w->to.row(w->to.self, w->row, time_ns);
}

static int load_hop(void *self, const struct rn_value *v, int64_t time_ns)
{
	struct rn_answer *w = self;

	if (leaves_out(w, v))
		return 0;
	if (!w->db)
		return pass_hop(w, v, time_ns);
	return insert_row(w, w->plan->out, w->plan->nout, v, time_ns);
}

int rn_answer_end(struct rn_answer *answer, struct rn_fleet *fleet,
		  const struct rn_ledgers *ledgers, int64_t begin_ns)
{
	int r = 0;

	if (answer->flow) {
		rn_answer_flow_attached(answer->flow, answer->plan, fleet, begin_ns);
		rn_answer_flow_lost(answer->flow, fleet, ledgers);
		r = rn_answer_align_flow(answer->flow, fleet);
	}
	if (answer->flow && !r)
		r = rn_flow_visit(answer->flow, load_hop, answer);
	if (!r && answer->db && answer->plan->kind != RN_PLAN_GROUPS)
		r = deliver(answer);
	if (!r && answer->to.end)
		r = answer->to.end(answer->to.self);
	return r < 0 ? r : 0;
}
