/* deltas.c - see deltas.h. What is kept of a row: its key as bytes, and its last numbers. Rows that
 * were not seen for a while are forgotten, so that what is kept is bounded by what lives. */
#include "exec/answer/deltas.h"
#include <string.h>
#include "lang/base/map.h"
#include "lang/base/str.h"

enum { FORGET_WINDOWS = 60 };

struct kept {
	UT_hash_handle hh;
	int64_t window_ns;
	struct rn_value *was; /* ndeltas, behind this struct; then the key */
	char *key;
};

struct rn_deltas {
	const struct rn_plan *plan;
	struct kept *rows;
	unsigned *column, ndeltas; /* malloc */
	int64_t first_ns, last_ns; /* windows; INT64_MIN: none came yet */
};

struct rn_deltas *rn_deltas_new(const struct rn_plan *plan)
{
	struct rn_deltas *d = rn_calloc(1, sizeof(*d));

	d->plan = plan;
	d->first_ns = d->last_ns = INT64_MIN;
	d->column = rn_calloc(plan->nout, sizeof(*d->column));
	for (unsigned i = 0; i < plan->nout; i++)
		if (plan->out[i].delta)
			d->column[d->ndeltas++] = (unsigned)plan->out[i].expr->index;
	return d;
}

void rn_deltas_free(struct rn_deltas *deltas)
{
	struct kept *k, *next;

	if (!deltas)
		return;
	HASH_ITER(hh, deltas->rows, k, next)
	{
		HASH_DELETE(hh, deltas->rows, k);
		free(k);
	}
	free(deltas->column);
	free(deltas);
}

unsigned rn_deltas_kept(const struct rn_deltas *deltas)
{
	return HASH_CNT(hh, deltas->rows);
}

/* What tells the row apart, as bytes: the kind, the length and the content of each value. */
static struct rn_strbuf key_of(const struct rn_deltas *d, const struct rn_value *row,
			       struct rn_arena *arena)
{
	struct rn_strbuf key;

	rn_strbuf_init(&key, arena);
	for (unsigned i = 0; i < d->plan->nrow_key; i++) {
		const struct rn_value *v = &row[d->plan->row_key + i];
		uint32_t len = v->kind == RN_STR ? v->len : sizeof(v->i);

		rn_strbuf_putc(&key, (char)v->kind);
		rn_strbuf_putn(&key, (const char *)&len, sizeof(len));
		rn_strbuf_putn(&key, v->kind == RN_STR ? v->s : (const char *)&v->i, len);
	}
	rn_strbuf_cstr(&key);
	return key;
}

static void forget(struct rn_deltas *d, int64_t window_ns)
{
	struct kept *k, *next;

	HASH_ITER(hh, d->rows, k, next)
	{
		if (window_ns - k->window_ns <= FORGET_WINDOWS * d->plan->every_ns)
			continue;
		HASH_DELETE(hh, d->rows, k);
		free(k);
	}
}

static struct rn_value less(const struct rn_value *now, const struct rn_value *was)
{
	int64_t i;

	if (now->kind == RN_INT && was->kind == RN_INT)
		return now->i < was->i || __builtin_sub_overflow(now->i, was->i, &i) ? rn_null()
										     : rn_int(i);
	if (now->kind == RN_FLOAT && was->kind == RN_FLOAT)
		return now->f < was->f ? rn_null() : rn_float(now->f - was->f);
	return rn_null();
}

static struct kept *find(struct rn_deltas *d, const struct rn_strbuf *key, bool *is_new)
{
	struct kept *k;

	HASH_FIND(hh, d->rows, key->s, key->len, k);
	*is_new = !k;
	if (k)
		return k;
	k = rn_calloc(1, sizeof(*k) + d->ndeltas * sizeof(*k->was) + key->len);
	k->was = (struct rn_value *)(k + 1);
	k->key = (char *)(k->was + d->ndeltas);
	memcpy(k->key, key->s, key->len);
	HASH_ADD_KEYPTR(hh, d->rows, k->key, key->len, k);
	return k;
}

/* Replaces the numbers of one row, and keeps them. */
static void replace(struct rn_deltas *d, struct rn_value *row, int64_t window_ns,
		    struct rn_arena *arena)
{
	struct rn_strbuf key = key_of(d, row, arena);
	bool is_new;
	struct kept *k = find(d, &key, &is_new);
	bool before = !is_new && k->window_ns == window_ns - d->plan->every_ns;

	for (unsigned i = 0; i < d->ndeltas; i++) {
		struct rn_value *v = &row[d->column[i]], now = *v;

		if (window_ns == d->first_ns || (!is_new && !before))
			*v = rn_null();
		else
			*v = is_new ? now : less(&now, &k->was[i]);
		k->was[i] = now;
	}
	k->window_ns = window_ns;
}

const struct rn_rows *rn_deltas_of(struct rn_deltas *deltas, const struct rn_rows *rows,
				   struct rn_arena *arena)
{
	size_t n = (size_t)rows->nrows * rows->ncols;
	struct rn_value *values = RN_NEWN(arena, struct rn_value, n + 1);
	struct rn_rows *out = RN_NEW(arena, struct rn_rows);

	*out = *rows;
	out->values = values;
	if (n)
		memcpy(values, rows->values, n * sizeof(*values));
	for (uint32_t i = 0; i < rows->nrows; i++) {
		int64_t window = rn_window_start(rows->time_ns[i], deltas->plan->every_ns);

		if (deltas->first_ns == INT64_MIN)
			deltas->first_ns = window;
		if (window != deltas->last_ns)
			forget(deltas, window);
		deltas->last_ns = window;
		replace(deltas, values + (size_t)i * rows->ncols, window, arena);
	}
	return out;
}
