/* list_source.c - see list_source.h.
 *
 * Each kind of event has hooks, programs and maps of its own, so it is a source of its own, which
 * tests the same predicates and forms the same groups. Partial states of one window come from each
 * part, and merge like those of several nodes. Rows of one poll are put in order of their time. */
#include "probes/list_source.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "lang/base/clock.h"
#include "lang/base/memory.h"
#include "lang/base/vec.h"
#include "lang/catalog/list.h"
#include "planner/plan/agg.h"
#include "probes/catalog/catalog.h"

enum { SLICE_MS = 20 };

/* ---- fragments of the parts ---- */

/* The class of those members that are system calls; fields and all else as the whole list has. */
static const struct rn_class *calls_of(struct rn_arena *arena, const struct rn_class *cls)
{
	struct rn_class *calls = RN_NEW(arena, struct rn_class);
	const struct rn_class **member;
	unsigned n = 0;

	while (cls->list[n])
		n++;
	member = RN_NEWN(arena, const struct rn_class *, n + 1);
	n = 0;
	for (const struct rn_class *const *m = cls->list; *m; m++)
		if (rn_class_is_syscall(*m))
			member[n++] = *m;
	*calls = *cls;
	calls->list = member;
	return n == 1 ? member[0] : calls;
}

struct binding {
	struct rn_arena *arena;
	const struct rn_fragment *fragment; /* of the list */
	const struct rn_class *list, *cls;
};

/* Returns the meaning that a field of the list has in the part. A condition on the events of other
 * classes may have a field that these lack: it is then one of no value. */
static const struct rn_field *own_field(const struct binding *b, const struct rn_field *field)
{
	const struct rn_field *own = b->cls->list
					     ? rn_class_field(b->cls, field->name)
					     : rn_class_list_field(b->list, b->cls, field->name);
	struct rn_field *none;

	if (!own && b->cls->list) /* one of the calls has it */
		own = rn_class_some_field(NULL, b->cls, field->name, field->ty);
	if (!own && b->cls->each && field->id >= RN_F_TP) /* one of the tracepoints may have it */
		own = field;
	if (own && own->ty.type == field->ty.type)
		return own;
	none = RN_NEW(b->arena, struct rn_field);
	*none = *field;
	none->id = RN_F_NONE;
	return none;
}

static void bind(void *self, struct rn_expr *e)
{
	const struct binding *b = self;

	if (e->kind == RN_E_FIELD && e->field && !rn_live_set_of(b->fragment, e->field))
		e->field = own_field(b, e->field);
}

static struct rn_expr *bound(struct binding *b, const struct rn_expr *e)
{
	struct rn_expr *own = e ? rn_expr_clone(b->arena, e) : NULL;

	if (own)
		rn_expr_walk(own, bind, b);
	return own;
}

/* The fragment with the fields of one part. */
static void bind_to(struct rn_arena *arena, const struct rn_class *cls,
		    const struct rn_fragment *from, struct rn_fragment *f)
{
	struct binding b = {arena, from, from->cls, cls};

	*f = *from;
	f->cls = cls;
	f->class_name = cls->name;
	f->class_arg = cls->arg;
	f->where = RN_NEWN(arena, struct rn_conjunct, f->nwhere + 1);
	for (unsigned i = 0; i < f->nwhere; i++) {
		f->where[i] = from->where[i];
		f->where[i].expr = bound(&b, from->where[i].expr);
	}
	f->fields = RN_NEWN(arena, const struct rn_field *, f->nfields + 1);
	for (unsigned i = 0; i < f->nfields; i++)
		f->fields[i] = rn_live_set_of(from, from->fields[i])
				       ? from->fields[i]
				       : own_field(&b, from->fields[i]);
	f->keys = RN_NEWN(arena, struct rn_expr *, f->nkeys + 1);
	for (unsigned i = 0; i < f->nkeys; i++)
		f->keys[i] = bound(&b, from->keys[i]);
	f->aggs = RN_NEWN(arena, struct rn_agg_call, f->naggs + 1);
	for (unsigned i = 0; i < f->naggs; i++) {
		f->aggs[i] = from->aggs[i];
		f->aggs[i].arg = bound(&b, from->aggs[i].arg);
		f->aggs[i].where = bound(&b, from->aggs[i].where);
	}
	f->cols = RN_NEWN(arena, struct rn_column, f->ncols + 1);
	for (unsigned i = 0; i < f->ncols; i++) {
		f->cols[i] = from->cols[i];
		f->cols[i].expr = bound(&b, from->cols[i].expr);
	}
}

struct rn_list_parts rn_list_take_apart(struct rn_arena *arena, const struct rn_fragment *fragment)
{
	const struct rn_class *cls = fragment->cls;
	struct rn_list_parts p = {RN_NEWN(arena, struct rn_fragment, RN_MAX_CLASSES), 0};
	bool calls = false;

	if (!cls->list || rn_class_is_syscall(cls)) {
		p.part[p.n++] = *fragment;
		return p;
	}
	for (const struct rn_class *const *m = cls->list; *m; m++) {
		if (!rn_class_is_syscall(*m))
			bind_to(arena, *m, fragment, &p.part[p.n++]);
		else if (!calls)
			bind_to(arena, calls_of(arena, cls), fragment, &p.part[p.n++]);
		calls |= rn_class_is_syscall(*m);
	}
	return p;
}

/* ---- the source ---- */

struct list_source {
	struct rn_source base; /* must be first */
	struct rn_arena *arena, *batch;
	struct rn_list_parts parts;
	struct rn_source **src;
	bool rows; /* rows come, so that each part is asked in turn */
	/* rows of the present poll */
	uint32_t nrows, cap, ncols;
	struct held {
		int64_t time_ns;
		uint32_t nr;
		struct rn_value *value;
	} * row;
};

static int start(struct rn_source *source, struct rn_err *err)
{
	struct list_source *l = (struct list_source *)source;
	int r = 0;

	for (unsigned i = 0; i < l->parts.n && !r; i++)
		r = l->src[i]->ops->start(l->src[i], err);
	return r;
}

static int hold_rows(void *self, const struct rn_rows *r)
{
	struct list_source *l = self;

	l->ncols = r->ncols;
	for (uint32_t i = 0; i < r->nrows; i++) {
		struct rn_value *v = RN_NEWN(l->batch, struct rn_value, r->ncols + 1);

		memcpy(v, r->values + (size_t)i * r->ncols, r->ncols * sizeof(*v));
		for (uint32_t k = 0; k < r->ncols; k++)
			if (v[k].kind == RN_STR)
				v[k].s = rn_arena_strndup(l->batch, v[k].s, v[k].len);
		rn_vec_room(l->row, l->nrows, l->cap);
		l->row[l->nrows] = (struct held){r->time_ns[i], l->nrows, v};
		l->nrows++;
	}
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct held *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return x->nr < y->nr ? -1 : 1;
}

static int pass_rows(struct list_source *l, const struct rn_sink *sink)
{
	struct rn_value *values =
		RN_NEWN(l->batch, struct rn_value, (size_t)l->nrows * l->ncols + 1);
	int64_t *time = RN_NEWN(l->batch, int64_t, l->nrows + 1);

	if (!l->nrows)
		return 0;
	qsort(l->row, l->nrows, sizeof(*l->row), by_time);
	for (uint32_t i = 0; i < l->nrows; i++) {
		time[i] = l->row[i].time_ns;
		memcpy(values + (size_t)i * l->ncols, l->row[i].value, l->ncols * sizeof(*values));
	}
	return sink->rows(sink->self, &(struct rn_rows){l->nrows, l->ncols, values, time});
}

/* Asks each part once, without waiting. Returns 1 if one has ended. */
static int ask_each(struct list_source *l, struct rn_err *err)
{
	const struct rn_sink own = {.self = l, .rows = hold_rows};
	int ended = 0, r;

	for (unsigned i = 0; i < l->parts.n; i++) {
		r = l->src[i]->ops->poll(l->src[i], &own, 0, err);
		if (r < 0)
			return r;
		ended |= r;
	}
	return ended;
}

static int poll_parts(struct rn_source *source, const struct rn_sink *sink, int timeout_ms,
		      struct rn_err *err)
{
	struct list_source *l = (struct list_source *)source;
	const struct rn_sink own = {.self = l, .rows = hold_rows};
	int64_t end = rn_mono_ns() + timeout_ms * 1000000LL;
	int r, passed;

	rn_arena_reset(l->batch);
	l->nrows = 0;
	r = ask_each(l, err);
	while (!r && !l->nrows && timeout_ms > 0 && rn_mono_ns() < end) {
		int64_t left = (end - rn_mono_ns()) / 1000000 + 1;

		r = l->src[0]->ops->poll(l->src[0], &own,
					 left < SLICE_MS || !l->rows ? (int)left : SLICE_MS, err);
		if (!r)
			r = ask_each(l, err);
	}
	passed = r < 0 ? 0 : pass_rows(l, sink);
	return passed < 0 ? passed : r;
}

static int deliver_window(struct rn_source *source, const struct rn_sink *sink, int64_t window_ns,
			  bool snapshot, struct rn_err *err)
{
	struct list_source *l = (struct list_source *)source;
	int r = 0;

	for (unsigned i = 0; i < l->parts.n && r >= 0; i++)
		r = l->src[i]->ops->deliver_window(l->src[i], sink, window_ns, snapshot, err);
	return r;
}

static int stop(struct rn_source *source, struct rn_err *err)
{
	struct list_source *l = (struct list_source *)source;
	int r = 0;

	for (unsigned i = 0; i < l->parts.n; i++) {
		int one = l->src[i]->ops->stop(l->src[i], err);

		r = r ? r : one;
	}
	return r;
}

static void ledger(struct rn_source *source, struct rn_ledger *to)
{
	struct list_source *l = (struct list_source *)source;

	for (unsigned i = 0; i < l->parts.n; i++) {
		struct rn_ledger one = {.answered = true};

		l->src[i]->ops->ledger(l->src[i], &one);
		rn_ledger_add(to, &one);
	}
}

static void close_parts(struct rn_source *source)
{
	struct list_source *l = (struct list_source *)source;

	for (unsigned i = 0; i < l->parts.n; i++)
		if (l->src[i])
			l->src[i]->ops->close(l->src[i]);
	free(l->row);
	rn_arena_destroy(l->batch);
	rn_arena_destroy(l->arena);
	free(l);
}

static void cost(struct rn_source *source, struct rn_cost *to)
{
	struct list_source *l = (struct list_source *)source;

	for (unsigned i = 0; i < l->parts.n; i++) {
		struct rn_cost one = {0};

		if (l->src[i]->ops->cost)
			l->src[i]->ops->cost(l->src[i], &one);
		to->cpu_ns += one.cpu_ns;
		to->memory_bytes += one.memory_bytes;
	}
}

static void gate(struct rn_source *source, int64_t from_ns)
{
	struct list_source *l = (struct list_source *)source;

	for (unsigned i = 0; i < l->parts.n; i++)
		if (l->src[i]->ops->gate)
			l->src[i]->ops->gate(l->src[i], from_ns);
}

static void add_members(struct rn_source *source, unsigned set, const int64_t *pids, unsigned n)
{
	struct list_source *l = (struct list_source *)source;

	for (unsigned i = 0; i < l->parts.n; i++)
		if (l->src[i]->ops->add_members)
			l->src[i]->ops->add_members(l->src[i], set, pids, n);
}

static const struct rn_source_ops list_ops = {
	.add_members = add_members,
	.start = start,
	.poll = poll_parts,
	.deliver_window = deliver_window,
	.stop = stop,
	.ledger = ledger,
	.close = close_parts,
	.cost = cost,
	.gate = gate,
};

int rn_list_open(const struct rn_fragment *fragment,
		 int (*open)(void *self, const struct rn_fragment *part,
			     const struct rn_scope *scope, struct rn_source **out,
			     struct rn_err *err),
		 void *self, const struct rn_scope *scope, struct rn_source **out,
		 struct rn_err *err)
{
	struct list_source *l = rn_calloc(1, sizeof(*l));
	int r = 0;

	l->base.ops = &list_ops;
	l->arena = rn_arena_create(512u << 20); /* `in` may have a million values */
	l->batch = rn_arena_create(256 << 20);
	l->parts = rn_list_take_apart(l->arena, fragment);
	l->src = RN_NEWN(l->arena, struct rn_source *, l->parts.n);
	l->rows = !fragment->grouped || fragment->agg_place != RN_AT_KERNEL ||
		  rn_fragment_spills(fragment);
	for (unsigned i = 0; i < l->parts.n && !r; i++)
		r = open(self, &l->parts.part[i], scope, &l->src[i], err);
	if (r) {
		close_parts(&l->base);
		return r;
	}
	*out = &l->base;
	return 0;
}
