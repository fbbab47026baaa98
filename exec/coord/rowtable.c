/* rowtable.c - the answer of a nested query in memory: as the source of the query around it, or as
 * a set of constants.
 *
 * The consumer of a child plan fills a table. A provider of class "(query)" reads it, while it is
 * filled or after. Rows that have been read can be forgotten. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "exec/coord/coord_impl.h"
#include "exec/coord/rowtable_impl.h"
#include "lang/base/memory.h"

enum { BATCH_ROWS = 1024, TABLE_ARENA = 256 << 20, SET_MAX = 1000000 };

struct rn_table {
	struct rn_arena *arena;
	unsigned ncols;
	struct rn_value *values; /* nrows * ncols; strings in the arena */
	int64_t *time_ns;
	size_t nrows, cap, read; /* read: rows already given by its source */
	bool closed;
	bool kept; /* for many readers: see rn_table_keep */
	size_t max_rows, max_bytes, bytes;
	const struct rn_ran *span; /* of the query that filled it; NULL: not known */
	struct rn_span_ns own_span;
	struct rn_cover cover;
};

struct rn_table *rn_table_create(unsigned ncols)
{
	struct rn_table *t = rn_calloc(1, sizeof(*t));

	t->arena = rn_arena_create(TABLE_ARENA);
	t->ncols = ncols;
	return t;
}

void rn_table_close(struct rn_table *table)
{
	table->closed = true;
}

void rn_table_ran(struct rn_table *table, const struct rn_ran *span)
{
	table->span = span;
}

size_t rn_table_unread(const struct rn_table *table)
{
	return table->nrows - table->read;
}

void rn_table_forget(struct rn_table *table)
{
	if (table->read < table->nrows)
		return;
	table->read = table->nrows = 0;
	rn_arena_reset(table->arena);
}

void rn_table_keep(struct rn_table *table, size_t rows, size_t bytes)
{
	table->kept = true;
	table->max_rows = rows;
	table->max_bytes = bytes;
}

/* Is there room for one more row? */
static bool fits(struct rn_table *t, const struct rn_value *v)
{
	if (!t->kept)
		return !rn_arena_full(t->arena);
	t->bytes += sizeof(int64_t) + t->ncols * sizeof(*v);
	for (unsigned i = 0; i < t->ncols; i++)
		t->bytes += v[i].kind == RN_STR ? v[i].len + 16 : 0;
	return t->nrows < t->max_rows && t->bytes <= t->max_bytes;
}

void rn_table_destroy(struct rn_table *table)
{
	if (!table)
		return;
	rn_arena_destroy(table->arena);
	free(table->values);
	free(table->time_ns);
	free(table);
}

static void grow(struct rn_table *t)
{
	size_t cap = t->cap ? t->cap * 2 : 256;

	t->values = rn_realloc(t->values, cap * (t->ncols ? t->ncols : 1) * sizeof(*t->values));
	t->time_ns = rn_realloc(t->time_ns, cap * sizeof(*t->time_ns));
	t->cap = cap;
}

static int table_row(void *self, const struct rn_value *v, int64_t time_ns)
{
	struct rn_table *t = self;
	struct rn_value *to;

	if (!fits(t, v))
		return -E2BIG;
	if (t->nrows == t->cap)
		grow(t);
	to = t->values + t->nrows * t->ncols;
	t->time_ns[t->nrows++] = time_ns;
	for (unsigned i = 0; i < t->ncols; i++) {
		to[i] = v[i];
		if (v[i].kind == RN_STR)
			to[i].s = rn_arena_strndup(t->arena, v[i].len ? v[i].s : "", v[i].len);
	}
	return 0;
}

struct rn_answer_sink rn_table_to(struct rn_table *table)
{
	return (struct rn_answer_sink){.self = table, .row = table_row};
}

/* ---- as a source ---- */

struct table_source {
	struct rn_source base;
	struct rn_table *table;
	const struct rn_fragment *fragment;
	struct rn_value *values; /* of one batch */
	/* how far it has read; a kept table has a counter for each reader */
	size_t *read, own;
};

static const struct rn_source_ops table_ops;

static int source_open(void *provider, const struct rn_fragment *fragment,
		       const struct rn_scope *scope, struct rn_source **out, struct rn_err *err)
{
	struct rn_table *table = provider;
	struct table_source *s;

	(void)scope; /* the query below has applied it already */
	for (unsigned i = 0; i < fragment->nfields; i++)
		if (fragment->fields[i]->id >= table->ncols)
			return rn_err_set(err, -EPROTO, "the nested query has no column %u",
					  fragment->fields[i]->id);
	s = rn_calloc(1, sizeof(*s));
	s->values = rn_calloc((size_t)BATCH_ROWS * (fragment->nfields + 1), sizeof(*s->values));
	s->table = table;
	s->fragment = fragment;
	s->read = table->kept ? &s->own : &table->read;
	s->base.ops = &table_ops;
	*out = &s->base;
	return 0;
}

static int source_start(struct rn_source *source, struct rn_err *err)
{
	struct table_source *s = (struct table_source *)source;

	(void)s;
	(void)err;
	return 0;
}

static int source_poll(struct rn_source *source, const struct rn_sink *sink, int timeout_ms,
		       struct rn_err *err)
{
	struct table_source *s = (struct table_source *)source;
	struct rn_table *table = s->table;
	size_t at = *s->read, n = table->nrows - at;
	int r;

	(void)timeout_ms;
	(void)err;
	if (n > BATCH_ROWS)
		n = BATCH_ROWS;
	for (size_t k = 0; k < n; k++)
		for (unsigned i = 0; i < s->fragment->nfields; i++)
			s->values[k * s->fragment->nfields + i] =
				table->values[(at + k) * table->ncols + s->fragment->fields[i]->id];
	*s->read += n;
	r = n ? sink->rows(sink->self, &(struct rn_rows){.nrows = (uint32_t)n,
							 .ncols = s->fragment->nfields,
							 .values = s->values,
							 .time_ns = table->time_ns + at})
	      : 0;
	return r < 0 ? r : table->closed && *s->read == table->nrows;
}

static int source_stop(struct rn_source *source, struct rn_err *err)
{
	struct table_source *s = (struct table_source *)source;

	(void)s;
	(void)err; /* the table is read to its end */
	return 0;
}

static void source_ledger(struct rn_source *source, struct rn_ledger *l)
{
	struct table_source *s = (struct table_source *)source;

	(void)s;
	(void)l; /* the nodes of the nested query have ledgers */
}

/* The cover of the query that filled it, as far as it is known. */
static const struct rn_cover *source_cover(struct rn_source *source)
{
	struct table_source *s = (struct table_source *)source;
	struct rn_table *t = s->table;

	if (!t->span || (!t->span->begin && !t->span->cover))
		return NULL;
	if (t->span->cover)
		return t->span->cover;
	t->own_span = (struct rn_span_ns){t->span->begin, t->span->end ? t->span->end : INT64_MAX};
	t->cover = (struct rn_cover){&t->own_span, 1};
	return &t->cover;
}

static void source_close(struct rn_source *source)
{
	struct table_source *s = (struct table_source *)source;

	free(s->values);
	free(s);
}

static const struct rn_source_ops table_ops = {
	.start = source_start,
	.poll = source_poll,
	.stop = source_stop,
	.ledger = source_ledger,
	.close = source_close,
	.cover = source_cover,
};
static const struct rn_provider_ops table_provider_ops = {
	.open = source_open,
	.replay = true,
};

struct rn_provider rn_table_provider(struct rn_table *table)
{
	return (struct rn_provider){.ops = &table_provider_ops, .self = table};
}

/* ---- as a set ---- */

void rn_plan_visit(struct rn_plan *plan, void (*visit)(void *self, struct rn_expr *e), void *self)
{
	struct rn_fragment *f = &plan->frag;

	for (unsigned i = 0; i < f->nwhere; i++)
		rn_expr_walk(f->where[i].expr, visit, self);
	for (unsigned i = 0; i < 2 && f->ends; i++)
		for (unsigned k = 0; k < f->ends[i].nwhere; k++)
			rn_expr_walk(f->ends[i].where[k].expr, visit, self);
	for (unsigned i = 0; i < f->nkeys; i++)
		rn_expr_walk(f->keys[i], visit, self);
	for (unsigned i = 0; i < f->naggs; i++) {
		rn_expr_walk(f->aggs[i].arg, visit, self);
		rn_expr_walk(f->aggs[i].where, visit, self);
	}
	for (unsigned i = 0; i < f->ncols; i++)
		rn_expr_walk(f->cols[i].expr, visit, self);
	for (unsigned i = 0; i < plan->nout; i++)
		rn_expr_walk(plan->out[i].expr, visit, self);
	rn_expr_walk(plan->having, visit, self);
}

struct fill {
	int number;
	bool asked; /* its value is wanted, not its rows */
	struct rn_value value;
	struct rn_expr **constant;
	unsigned n;
	struct rn_arena *arena;
};

/* Makes the list that of an ordinary IN. All that refer to the set share the constants. */
static void fill_in(void *self, struct rn_expr *e)
{
	struct fill *s = self;
	struct rn_expr **arg;

	if (e->kind != RN_E_IN || e->index != s->number || e->narg != 1)
		return;
	arg = RN_NEWN(s->arena, struct rn_expr *, s->n + 1);
	arg[0] = e->arg[0];
	memcpy(arg + 1, s->constant, s->n * sizeof(struct rn_expr *));
	e->arg = arg;
	e->narg = s->n + 1;
	e->index = 0;
}

/* Makes the value of a query a constant. */
static void fill_value(void *self, struct rn_expr *e)
{
	struct fill *s = self;

	if (e->kind != RN_E_ASKED || e->index != s->number)
		return;
	e->kind = RN_E_CONST;
	e->index = 0;
	e->value = s->value;
}

static void find_asked(void *self, struct rn_expr *e)
{
	struct fill *s = self;

	s->asked |= e->kind == RN_E_ASKED && e->index == s->number;
}

/* The column of the set, behind its window, in row i. */
static struct rn_value value_at(const struct rn_table *table, const struct rn_plan *set, size_t i)
{
	return table->values[i * table->ncols + table->ncols - (set->nout - set->nhidden)];
}

static int into_value(const struct rn_table *table, struct rn_plan *plan, struct fill *s,
		      struct rn_err *err)
{
	if (table->nrows > 1) {
		rn_err_set(err, -E2BIG,
			   "a query as a value gave %zu rows, and only one can be taken",
			   table->nrows);
		rn_err_hint(err, "`limit 1`, or an aggregate, makes it one");
		err->span = plan->sets[s->number - 1]->query->span;
		return -E2BIG;
	}
	s->value = table->nrows ? value_at(table, plan->sets[s->number - 1], 0) : rn_null();
	if (s->value.kind == RN_NULL)
		s->value = rn_null(); /* not unknown: it is a value of no event */
	if (s->value.kind == RN_STR)
		s->value.s = rn_arena_strndup(s->arena, s->value.s, s->value.len);
	rn_plan_visit(plan, fill_value, s);
	return 0;
}

static int by_value(const void *a, const void *b)
{
	return rn_value_cmp(a, b);
}

int rn_table_into_set(struct rn_arena *arena, const struct rn_table *table, struct rn_plan *plan,
		      unsigned number, struct rn_err *err)
{
	struct fill s = {.number = (int)number + 1, .arena = arena};
	struct rn_ty ty = plan->sets[number]->out[0].ty;
	struct rn_value *value;

	rn_plan_visit(plan, find_asked, &s);
	if (s.asked)
		return into_value(table, plan, &s, err);
	value = rn_calloc(table->nrows + 1, sizeof(*value));
	for (size_t i = 0; i < table->nrows; i++)
		value[i] = value_at(table, plan->sets[number], i);
	qsort(value, table->nrows, sizeof(*value), by_value);
	s.constant = RN_NEWN(arena, struct rn_expr *, table->nrows + 1);
	for (size_t i = 0; i < table->nrows; i++) {
		if (value[i].kind == RN_NULL ||
		    (s.n && !rn_value_cmp(&value[i], &s.constant[s.n - 1]->value)))
			continue;
		if (s.n == SET_MAX) {
			free(value);
			return rn_err_set(
				err, -E2BIG,
				"`in (query)`: the query gave more than %d different values",
				SET_MAX);
		}
		s.constant[s.n] = rn_expr_new(arena, RN_E_CONST, ty, (struct rn_span){0});
		s.constant[s.n]->value = value[i];
		if (value[i].kind == RN_STR)
			s.constant[s.n]->value.s =
				rn_arena_strndup(arena, value[i].s, value[i].len);
		s.n++;
	}
	free(value);
	rn_plan_visit(plan, fill_in, &s);
	return 0;
}
