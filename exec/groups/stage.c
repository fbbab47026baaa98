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
	const struct rn_fragment *fragment;
	struct rn_sink sink;
	bool produce;
	struct rn_arena *arena; /* copies of expressions */
	struct rn_arena *scratch;
	struct rn_expr **where, **key, **arg, **col;
	struct rn_expr **part; /* of each aggregate: which events enter it; NULL: all */
	unsigned nwhere;
	struct rn_groups *groups; /* if grouped and produce */
	int64_t rows_left;        /* -1: no limit */
	int64_t came, passed;     /* rows, and those that passed the predicates of this place */
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
	struct check c = {.nfields = s->fragment->nfields};

	rn_expr_look(e, check_field, &c);
	if (c.bad)
		return rn_err_set(
			err, -EINVAL,
			"the fragment leaves to the kernel what this source cannot give to it");
	*out = e ? rn_expr_clone(s->arena, e) : NULL;
	return *out ? rn_eval_prepare(s->arena, *out, &s->overflow, err) : 0;
}

static int prepare_agg(struct rn_stage *s, unsigned i, struct rn_err *err)
{
	int r = prepare(s, s->fragment->aggs[i].arg, &s->arg[i], err);

	return r ? r : prepare(s, s->fragment->aggs[i].where, &s->part[i], err);
}

static int prepare_all(struct rn_stage *stage, unsigned places, struct rn_err *err)
{
	const struct rn_fragment *fragment = stage->fragment;
	/* A source with a kernel gives ready groups: their fields have no place in the row. */
	bool in_source = fragment->grouped && fragment->agg_place == RN_AT_KERNEL &&
			 !rn_fragment_spills(fragment) && !(places & 1u << RN_AT_KERNEL);
	int r = 0;

	stage->where = RN_NEWN(stage->arena, struct rn_expr *, fragment->nwhere);
	stage->key = RN_NEWN(stage->arena, struct rn_expr *, fragment->nkeys);
	stage->arg = RN_NEWN(stage->arena, struct rn_expr *, fragment->naggs);
	stage->part = RN_NEWN(stage->arena, struct rn_expr *, fragment->naggs);
	stage->col = RN_NEWN(stage->arena, struct rn_expr *, fragment->ncols);
	for (unsigned i = 0; i < fragment->nwhere && !r; i++)
		if (places &
		    1u << (fragment->where[i].judged ? RN_AT_NODE : fragment->where[i].place))
			r = prepare(stage, fragment->where[i].expr, &stage->where[stage->nwhere++],
				    err);
	if (!stage->produce || in_source)
		return r;
	for (unsigned i = 0; i < fragment->nkeys && !r; i++)
		r = prepare(stage, fragment->keys[i], &stage->key[i], err);
	for (unsigned i = 0; i < fragment->naggs && !r; i++)
		r = prepare_agg(stage, i, err);
	for (unsigned i = 0; i < fragment->ncols && !fragment->grouped && !r; i++)
		r = prepare(stage, fragment->cols[i].expr, &stage->col[i], err);
	return r;
}

int rn_stage_create(const struct rn_fragment *fragment, unsigned places, bool produce,
		    const struct rn_sink *sink, struct rn_stage **out, struct rn_err *err)
{
	struct rn_stage *stage = rn_calloc(1, sizeof(*stage));
	int r;

	stage->fragment = fragment;
	stage->sink = *sink;
	stage->produce = produce;
	stage->arena = rn_arena_create(SCRATCH_CAP);
	stage->scratch = rn_arena_create(SCRATCH_CAP);
	stage->rows_left = produce && !fragment->grouped ? fragment->limit : -1;
	r = prepare_all(stage, places, err);
	if (!r && produce && fragment->grouped)
		stage->groups = rn_groups_create(fragment->aggs, fragment->naggs, fragment->nkeys,
						 fragment->max_groups);
	if (r) {
		rn_stage_destroy(stage);
		return r;
	}
	*out = stage;
	return 0;
}

static void release(struct rn_expr **e, unsigned n)
{
	for (unsigned i = 0; e && i < n; i++)
		if (e[i])
			rn_eval_release(e[i]);
}

void rn_stage_destroy(struct rn_stage *stage)
{
	if (!stage)
		return;
	release(stage->where, stage->nwhere);
	release(stage->key, stage->fragment->nkeys);
	release(stage->arg, stage->fragment->naggs);
	release(stage->part, stage->fragment->naggs);
	release(stage->col, stage->fragment->ncols);
	if (stage->groups)
		rn_groups_destroy(stage->groups);
	rn_arena_destroy(stage->arena);
	rn_arena_destroy(stage->scratch);
	free(stage);
}

/* For an event whose beginning was not seen: is its group unknown? */
static bool group_unknown(const struct rn_stage *s, const struct rn_value *row)
{
	for (unsigned i = 0; i < s->fragment->nkeys; i++)
		if (rn_eval_unknown(s->key[i], row, s->scratch))
			return true;
	for (unsigned i = 0; i < s->fragment->naggs; i++)
		if ((s->arg[i] && rn_eval_unknown(s->arg[i], row, s->scratch)) ||
		    (s->part[i] && rn_eval_unknown(s->part[i], row, s->scratch)))
			return true;
	return false;
}

static bool passes(struct rn_stage *s, const struct rn_value *row)
{
	s->came++;
	for (unsigned i = 0; i < s->nwhere; i++) {
		if (rn_eval_unknown(s->where[i], row, s->scratch)) {
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
	return rn_eval_unknown(s->col[c], row, s->scratch) ? rn_unknown()
							   : rn_eval(s->col[c], row, s->scratch);
}

static void group_row(struct rn_stage *s, const struct rn_value *row, int64_t time_ns,
		      struct rn_value *tmp)
{
	const struct rn_fragment *f = s->fragment;
	int64_t window = rn_window_start(time_ns, f->every_ns);
	struct rn_value *arg = tmp + f->nkeys;

	for (unsigned i = 0; i < f->nkeys; i++)
		tmp[i] = rn_eval(s->key[i], row, s->scratch);
	for (unsigned i = 0; i < f->naggs; i++)
		if (s->part[i] && !rn_eval_true(s->part[i], row, s->scratch))
			arg[i] = rn_null(); /* enters no state */
		else if (s->arg[i])
			arg[i] = rn_eval(s->arg[i], row, s->scratch);
	s->other += rn_groups_update(s->groups, window, tmp, arg, time_ns);
}

static int group_rows(struct rn_stage *s, const struct rn_rows *r)
{
	struct rn_value *tmp =
		RN_NEWN(s->scratch, struct rn_value, s->fragment->nkeys + s->fragment->naggs);

	for (uint32_t i = 0; i < r->nrows; i++) {
		const struct rn_value *row = r->values + (size_t)i * r->ncols;

		bool pass = passes(s, row);

		if (rn_account_ended()) /* the result for this row may be wrong */
			return -EDQUOT;
		if (pass)
			group_row(s, row, r->time_ns[i], tmp);
	}
	return 0;
}

/* Passes on the rows that pass: as they are, or their columns. */
static int pass_rows(struct rn_stage *stage, const struct rn_rows *rows)
{
	uint32_t ncols = stage->produce ? stage->fragment->ncols : rows->ncols, n = 0;
	struct rn_value *value =
		RN_NEWN(stage->scratch, struct rn_value, (size_t)rows->nrows * ncols);
	int64_t *time = RN_NEWN(stage->scratch, int64_t, rows->nrows);
	int err, ended = 0;

	for (uint32_t i = 0; i < rows->nrows && stage->rows_left; i++) {
		const struct rn_value *row = rows->values + (size_t)i * rows->ncols;
		struct rn_value *to = value + (size_t)n * ncols;

		bool pass = passes(stage, row);

		for (uint32_t c = 0; c < ncols && pass; c++)
			to[c] = stage->produce ? column_of(stage, c, row) : row[c];
		if (rn_account_ended()) { /* the result for this row may be wrong */
			ended = -EDQUOT;
			break;
		}
		if (!pass)
			continue;
		time[n++] = rows->time_ns[i];
		if (stage->rows_left > 0)
			stage->rows_left--;
	}
	if (n) {
		err = stage->sink.rows(stage->sink.self, &(struct rn_rows){.nrows = n,
									   .ncols = ncols,
									   .values = value,
									   .time_ns = time});
		if (err < 0)
			return err;
	}
	return ended ? ended : stage->rows_left == 0;
}

int rn_stage_rows(struct rn_stage *stage, const struct rn_rows *rows)
{
	rn_arena_reset(stage->scratch);
	return stage->groups ? group_rows(stage, rows) : pass_rows(stage, rows);
}

/* The keys of a group, from those that the kernel groups by: the fields that derived keys use, then
 * the other keys. */
static struct rn_partial regroup(struct rn_stage *s, const struct rn_partial *fine)
{
	const struct rn_fragment *f = s->fragment;
	struct rn_value *key = RN_NEWN(s->scratch, struct rn_value, f->nkeys);
	struct rn_partial p = *fine;
	unsigned other = f->nfine;

	for (unsigned i = 0; i < f->nkeys && !fine->other; i++)
		key[i] = i < 64 && f->derived >> i & 1 ? rn_eval(s->key[i], fine->key, s->scratch)
						       : fine->key[other++];
	p.key = key;
	return p;
}

static struct rn_partials regroup_all(struct rn_stage *s, const struct rn_partials *fine)
{
	struct rn_partials p = *fine;

	rn_arena_reset(s->scratch);
	p.parts = RN_NEWN(s->scratch, struct rn_partial, p.n);
	for (uint32_t i = 0; i < p.n; i++)
		p.parts[i] = regroup(s, &fine->parts[i]);
	return p;
}

int rn_stage_regroup(struct rn_stage *stage, const struct rn_partials *fine)
{
	struct rn_partials p = regroup_all(stage, fine);

	if (rn_account_ended())
		return -EDQUOT;
	stage->other += rn_groups_merge(stage->groups, &p);
	return 0;
}

int rn_stage_peek_regrouped(struct rn_stage *stage, const struct rn_partials *fine,
			    const struct rn_sink *sink)
{
	struct rn_partials p = regroup_all(stage, fine);

	return sink->partials(sink->self, &p);
}

int rn_stage_flush(struct rn_stage *stage, int64_t before_ns)
{
	return stage->groups ? rn_groups_visit(stage->groups, before_ns, true, stage->sink.partials,
					       stage->sink.self)
			     : 0;
}

int rn_stage_peek(struct rn_stage *stage, const struct rn_sink *sink)
{
	return stage->groups ? rn_groups_visit(stage->groups, INT64_MAX, false, sink->partials,
					       sink->self)
			     : 0;
}

bool rn_stage_tests(const struct rn_stage *stage)
{
	return stage->nwhere > 0;
}

void rn_stage_ledger(const struct rn_stage *stage, struct rn_ledger *ledger)
{
	if (rn_fragment_spills(stage->fragment)) /* the source formed groups of most events */
		ledger->n[RN_L_MATCHED] -= stage->came - stage->passed;
	else if (rn_stage_tests(stage))
		ledger->n[RN_L_MATCHED] = stage->passed;
	else
		ledger->n[RN_L_MATCHED] -= stage->unpaired;
	ledger->n[RN_L_UNPAIRED] += stage->unpaired;
	ledger->n[RN_L_LOST_MAP] += stage->other;
	ledger->n[RN_L_OVERFLOW] +=
		(int64_t)stage->overflow + (stage->groups ? rn_groups_overflow(stage->groups) : 0);
}
