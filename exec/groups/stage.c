/* stage.c - predicates, columns and groups over rows in user space.
 *
 * Rows come in batches. The output of a batch (strings of expressions, output rows) is in a
 * scratch arena that is reset when the next batch comes. The table of groups owns the group
 * states. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "exec/eval/eval.h"
#include "exec/groups/stage.h"
#include "lang/base/memory.h"

enum { SCRATCH_CAP = 64 << 20 };

struct rn_stage {
	const struct rn_fragment *f;
	struct rn_sink sink;
	bool produce;
	struct rn_arena *arena; /* copies of expressions */
	struct rn_arena *scratch;
	struct rn_expr **where, **key, **arg, **col;
	unsigned nwhere;
	struct rn_groups *groups; /* if grouped and produce */
	int64_t rows_left;        /* -1: no limit */
	int64_t passed;           /* rows that passed the predicates of this place */
	/* rows left out, because a value that is used here is unknown */
	int64_t unpaired;
	int64_t other;     /* events whose group did not fit */
	uint64_t overflow; /* results of more than 64 bits */
};

struct check {
	unsigned nfields;
	bool bad;
};

static void check_field(void *self, const struct rn_expr *e)
{
	struct check *c = self;

	if (e->kind == RN_E_FIELD && (e->index < 0 || (unsigned)e->index >= c->nfields))
		c->bad = true;
}

/* A condition for the kernel has no place in the row: a source without a kernel cannot take such a
 * fragment. */
static int prepare(struct rn_stage *s, const struct rn_expr *e, struct rn_expr **out,
		   struct rn_err *err)
{
	struct check c = {.nfields = s->f->nfields};

	rn_expr_look(e, check_field, &c);
	if (c.bad)
		return rn_err_set(
			err, -EINVAL,
			"the fragment leaves to the kernel what this source cannot give to it");
	*out = e ? rn_expr_clone(s->arena, e) : NULL;
	return *out ? rn_eval_prepare(s->arena, *out, &s->overflow, err) : 0;
}

static int prepare_all(struct rn_stage *s, unsigned places, struct rn_err *err)
{
	const struct rn_fragment *f = s->f;
	/* A source with a kernel gives ready groups: their fields have no place in the row. */
	bool in_source =
		f->grouped && f->agg_place == RN_AT_KERNEL && !(places & 1u << RN_AT_KERNEL);
	int r = 0;

	s->where = RN_NEWN(s->arena, struct rn_expr *, f->nwhere);
	s->key = RN_NEWN(s->arena, struct rn_expr *, f->nkeys);
	s->arg = RN_NEWN(s->arena, struct rn_expr *, f->naggs);
	s->col = RN_NEWN(s->arena, struct rn_expr *, f->ncols);
	for (unsigned i = 0; i < f->nwhere && !r; i++)
		if (places & 1u << f->where[i].place)
			r = prepare(s, f->where[i].expr, &s->where[s->nwhere++], err);
	if (!s->produce || in_source)
		return r;
	for (unsigned i = 0; i < f->nkeys && !r; i++)
		r = prepare(s, f->keys[i], &s->key[i], err);
	for (unsigned i = 0; i < f->naggs && !r; i++)
		r = prepare(s, f->aggs[i].arg, &s->arg[i], err);
	for (unsigned i = 0; i < f->ncols && !f->grouped && !r; i++)
		r = prepare(s, f->cols[i].expr, &s->col[i], err);
	return r;
}

int rn_stage_create(const struct rn_fragment *f, unsigned places, bool produce,
		    const struct rn_sink *sink, struct rn_stage **out, struct rn_err *err)
{
	struct rn_stage *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return rn_err_set(err, -ENOMEM, "no memory for a stage");
	s->f = f;
	s->sink = *sink;
	s->produce = produce;
	s->arena = rn_arena_create(SCRATCH_CAP);
	s->scratch = rn_arena_create(SCRATCH_CAP);
	s->rows_left = produce && !f->grouped ? f->limit : -1;
	r = prepare_all(s, places, err);
	if (!r && produce && f->grouped)
		s->groups = rn_groups_create(f->aggs, f->naggs, f->nkeys, f->max_groups);
	if (r) {
		rn_stage_destroy(s);
		return r;
	}
	*out = s;
	return 0;
}

static void release(struct rn_expr **e, unsigned n)
{
	for (unsigned i = 0; e && i < n; i++)
		if (e[i])
			rn_eval_release(e[i]);
}

void rn_stage_destroy(struct rn_stage *s)
{
	if (!s)
		return;
	release(s->where, s->nwhere);
	release(s->key, s->f->nkeys);
	release(s->arg, s->f->naggs);
	release(s->col, s->f->ncols);
	if (s->groups)
		rn_groups_destroy(s->groups);
	rn_arena_destroy(s->arena);
	rn_arena_destroy(s->scratch);
	free(s);
}

/* For an event whose beginning was not seen: is its group unknown? */
static bool group_unknown(const struct rn_stage *s, const struct rn_value *row)
{
	for (unsigned i = 0; i < s->f->nkeys; i++)
		if (rn_eval_unknown(s->key[i], row))
			return true;
	for (unsigned i = 0; i < s->f->naggs; i++)
		if (s->arg[i] && rn_eval_unknown(s->arg[i], row))
			return true;
	return false;
}

static bool passes(struct rn_stage *s, const struct rn_value *row)
{
	for (unsigned i = 0; i < s->nwhere; i++) {
		if (rn_eval_unknown(s->where[i], row)) {
			s->unpaired++;
			return false;
		}
		if (!rn_eval_true(s->where[i], row, s->scratch))
			return false;
	}
	if (s->groups && group_unknown(s, row)) {
		s->unpaired++;
		return false;
	}
	s->passed++;
	return true;
}

/* A column computed from something unknown is unknown. */
static struct rn_value column_of(struct rn_stage *s, uint32_t c, const struct rn_value *row)
{
	return rn_eval_unknown(s->col[c], row) ? rn_unknown() : rn_eval(s->col[c], row, s->scratch);
}

static void group_row(struct rn_stage *s, const struct rn_value *row, int64_t time_ns,
		      struct rn_value *tmp)
{
	const struct rn_fragment *f = s->f;
	int64_t window = rn_window_start(time_ns, f->every_ns);
	struct rn_value *arg = tmp + f->nkeys;

	for (unsigned i = 0; i < f->nkeys; i++)
		tmp[i] = rn_eval(s->key[i], row, s->scratch);
	for (unsigned i = 0; i < f->naggs; i++)
		if (s->arg[i])
			arg[i] = rn_eval(s->arg[i], row, s->scratch);
	s->other += rn_groups_update(s->groups, window, tmp, arg, time_ns);
}

static int group_rows(struct rn_stage *s, const struct rn_rows *r)
{
	struct rn_value *tmp = RN_NEWN(s->scratch, struct rn_value, s->f->nkeys + s->f->naggs);

	for (uint32_t i = 0; i < r->nrows; i++) {
		const struct rn_value *row = r->v + (size_t)i * r->ncols;

		bool pass = passes(s, row);

		if (rn_account_ended()) /* the result for this row may be wrong */
			return -EDQUOT;
		if (pass)
			group_row(s, row, r->time_ns[i], tmp);
	}
	return 0;
}

/* Passes on the rows that pass: as they are, or their columns. */
static int pass_rows(struct rn_stage *s, const struct rn_rows *r)
{
	uint32_t ncols = s->produce ? s->f->ncols : r->ncols, n = 0;
	struct rn_value *v = RN_NEWN(s->scratch, struct rn_value, (size_t)r->nrows * ncols);
	int64_t *time = RN_NEWN(s->scratch, int64_t, r->nrows);
	int err, ended = 0;

	for (uint32_t i = 0; i < r->nrows && s->rows_left; i++) {
		const struct rn_value *row = r->v + (size_t)i * r->ncols;
		struct rn_value *to = v + (size_t)n * ncols;

		bool pass = passes(s, row);

		for (uint32_t c = 0; c < ncols && pass; c++)
			to[c] = s->produce ? column_of(s, c, row) : row[c];
		if (rn_account_ended()) { /* the result for this row may be wrong */
			ended = -EDQUOT;
			break;
		}
		if (!pass)
			continue;
		time[n++] = r->time_ns[i];
		if (s->rows_left > 0)
			s->rows_left--;
	}
	if (n) {
		err = s->sink.rows(
			s->sink.self,
			&(struct rn_rows){.nrows = n, .ncols = ncols, .v = v, .time_ns = time});
		if (err < 0)
			return err;
	}
	return ended ? ended : s->rows_left == 0;
}

int rn_stage_rows(struct rn_stage *s, const struct rn_rows *r)
{
	rn_arena_reset(s->scratch);
	return s->groups ? group_rows(s, r) : pass_rows(s, r);
}

int rn_stage_flush(struct rn_stage *s, int64_t before_ns)
{
	return s->groups
		       ? rn_groups_visit(s->groups, before_ns, true, s->sink.partials, s->sink.self)
		       : 0;
}

int rn_stage_peek(struct rn_stage *s, const struct rn_sink *sink)
{
	return s->groups ? rn_groups_visit(s->groups, INT64_MAX, false, sink->partials, sink->self)
			 : 0;
}

bool rn_stage_tests(const struct rn_stage *s)
{
	return s->nwhere > 0;
}

void rn_stage_ledger(const struct rn_stage *s, struct rn_ledger *l)
{
	if (rn_stage_tests(s))
		l->n[RN_L_MATCHED] = s->passed;
	else
		l->n[RN_L_MATCHED] -= s->unpaired;
	l->n[RN_L_UNPAIRED] += s->unpaired;
	l->n[RN_L_LOST_MAP] += s->other;
	l->n[RN_L_OVERFLOW] +=
		(int64_t)s->overflow + (s->groups ? rn_groups_overflow(s->groups) : 0);
}
