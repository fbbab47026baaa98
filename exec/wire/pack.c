/* pack.c - see pack.h and, for the format, exec/wire/wire.proto. */
#include "exec/wire/pack.h"
#include "lang/base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { V_NULL, V_BOOL, V_INT, V_FLOAT, V_STR, V_SAME, V_DIFF };
enum { S_WORDS = 1, S_CELLS = 2, S_BLOB = 4 };
enum { GROUPS = 64 };

/* ---- writing ---- */

static unsigned char *reserve(struct rn_pack *b, size_t n)
{
	if (b->len + n > b->cap) {
		b->cap = b->cap * 2 > b->len + n ? b->cap * 2 : b->len + n + 256;
		b->p = rn_realloc(b->p, b->cap);
	}
	return b->p + b->len;
}

void rn_pack_bytes(struct rn_pack *b, const void *bytes, size_t n)
{
	if (n)
		memcpy(reserve(b, n), bytes, n);
	b->len += n;
}

void rn_pack_varint(struct rn_pack *b, uint64_t v)
{
	unsigned char *p = reserve(b, 10), *start = p;

	for (; v >= 0x80; v >>= 7)
		*p++ = (unsigned char)(v | 0x80);
	*p++ = (unsigned char)v;
	b->len += (size_t)(p - start);
}

static void put_byte(struct rn_pack *b, unsigned kind, unsigned x)
{
	*reserve(b, 1) = (unsigned char)(kind | x << 3);
	b->len++;
}

static bool same(const struct rn_value *a, const struct rn_value *b)
{
	if (a->kind != b->kind)
		return false;
	if (a->kind == RN_STR)
		return a->len == b->len && (!a->len || !memcmp(a->s, b->s, a->len));
	return a->kind == RN_NULL || a->i == b->i;
}

static void pack_int(struct rn_pack *b, int64_t v, const struct rn_value *before)
{
	uint64_t z, d;

	if (v >= 0 && v < 31) {
		put_byte(b, V_INT, (unsigned)v + 1);
		return;
	}
	z = rn_zigzag(v);
	d = z;
	if (before && before->kind == RN_INT)
		d = rn_zigzag((int64_t)((uint64_t)v - (uint64_t)before->i));
	put_byte(b, d < z >> 7 ? V_DIFF : V_INT, 0);
	rn_pack_varint(b, d < z >> 7 ? d : z);
}

void rn_pack_value(struct rn_pack *b, const struct rn_value *v, const struct rn_value *before)
{
	if (before && v->kind != RN_NULL && same(v, before)) {
		put_byte(b, V_SAME, 0);
		return;
	}
	switch (v->kind) {
	case RN_BOOL: put_byte(b, V_BOOL, v->i != 0); break;
	case RN_INT: pack_int(b, v->i, before); break;
	case RN_FLOAT:
		put_byte(b, V_FLOAT, 0);
		rn_pack_bytes(b, &v->f, 8);
		break;
	case RN_STR:
		put_byte(b, V_STR, v->len < 31 ? v->len : 31);
		if (v->len >= 31)
			rn_pack_varint(b, v->len);
		rn_pack_bytes(b, v->s, v->len);
		break;
	default: put_byte(b, V_NULL, rn_is_unknown(v));
	}
}

void rn_pack_rows(struct rn_pack *b, const struct rn_rows *r)
{
	uint64_t before_ns = 0;

	for (uint32_t i = 0; i < r->nrows; i++) {
		const struct rn_value *row = r->v + (size_t)i * r->ncols;

		rn_pack_varint(b, rn_zigzag((int64_t)((uint64_t)r->time_ns[i] - before_ns)));
		before_ns = (uint64_t)r->time_ns[i];
		for (uint32_t c = 0; c < r->ncols; c++)
			rn_pack_value(b, &row[c], i ? &row[c] - r->ncols : NULL);
	}
}

static void put_blob(void *to, const void *bytes, size_t n)
{
	rn_pack_bytes(to, bytes, n);
}

static void pack_cells(struct rn_pack *b, const struct rn_state *s)
{
	uint32_t n = 0;
	int64_t before = 0;
	bool first;

	for (uint32_t i = 0; i < s->ncells; i++)
		n += s->cells[i].value != 0; /* a dense HyperLogLog has empty cells */
	rn_pack_varint(b, n);
	first = true;
	for (uint32_t i = 0; i < s->ncells; i++) {
		if (!s->cells[i].value)
			continue;
		rn_pack_varint(b, first ? rn_zigzag(s->cells[i].bucket)
					: (uint64_t)(s->cells[i].bucket - before));
		rn_pack_varint(b, rn_zigzag(s->cells[i].value));
		before = s->cells[i].bucket;
		first = false;
	}
}

static void pack_state(struct rn_pack *b, const struct rn_agg_call *c, const struct rn_state *s)
{
	unsigned nwords = rn_agg_words(c->def);
	unsigned char flags = (s->words && nwords ? S_WORDS : 0) | (s->ncells ? S_CELLS : 0) |
			      (s->blob ? S_BLOB : 0);

	rn_pack_bytes(b, &flags, 1);
	for (unsigned i = 0; flags & S_WORDS && i < nwords; i++)
		rn_pack_varint(b, rn_zigzag(s->words[i]));
	if (flags & S_CELLS)
		pack_cells(b, s);
	if (flags & S_BLOB) {
		struct rn_pack blob = {0};

		c->def->blob_encode(c, s->blob, put_blob, &blob);
		rn_pack_varint(b, blob.len);
		rn_pack_bytes(b, blob.p, blob.len);
		free(blob.p);
	}
}

void rn_pack_partials(struct rn_pack *b, const struct rn_partials *p,
		      const struct rn_agg_call *aggs, unsigned naggs, unsigned nkeys)
{
	const struct rn_value *before = NULL;

	for (uint32_t i = 0; i < p->n; i++) {
		const struct rn_partial *g = &p->p[i];

		rn_pack_varint(b, (uint64_t)g->events << 1 | g->other);
		if (!g->other) {
			for (unsigned k = 0; k < nkeys; k++)
				rn_pack_value(b, &g->key[k], before ? &before[k] : NULL);
			before = g->key;
		}
		for (unsigned k = 0; k < naggs; k++)
			pack_state(b, &aggs[k], &g->state[k]);
	}
}

/* ---- reading ---- */

static bool fail(struct rn_unpack *b)
{
	b->bad = true;
	b->p = b->end;
	return false;
}

static uint64_t long_varint(struct rn_unpack *b)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 64 && b->p < b->end; shift += 7) {
		unsigned char c = *b->p++;

		if (shift == 63 && c > 1)
			break;
		v |= (uint64_t)(c & 0x7f) << shift;
		if (c < 0x80)
			return v;
	}
	fail(b);
	return 0;
}

/* Most varints have one byte. */
static inline uint64_t varint(struct rn_unpack *b)
{
	return b->p < b->end && *b->p < 0x80 ? *b->p++ : long_varint(b);
}

uint64_t rn_unpack_varint(struct rn_unpack *b)
{
	return varint(b);
}

struct rn_value rn_unpack_value(struct rn_unpack *b, const struct rn_value *before)
{
	struct rn_value v = rn_null();
	unsigned kind, x;

	if (b->p == b->end) {
		fail(b);
		return v;
	}
	kind = *b->p & 7;
	x = *b->p >> 3;
	b->p++;
	switch (kind) {
	case V_NULL: return x == 1 ? rn_unknown() : v;
	case V_BOOL: return rn_bool(x & 1);
	case V_INT: return rn_int(x ? (int64_t)x - 1 : rn_unzigzag(varint(b)));
	case V_FLOAT:
		if (b->end - b->p < 8)
			break;
		v.kind = RN_FLOAT;
		memcpy(&v.f, b->p, 8);
		b->p += 8;
		return v;
	case V_STR: {
		uint64_t n = x < 31 ? x : varint(b);

		if (b->bad || n > (size_t)(b->end - b->p))
			break;
		v = rn_strn((const char *)b->p, n);
		b->p += n;
		return v;
	}
	case V_SAME:
		if (!before)
			break;
		return *before;
	case V_DIFF:
		if (!before || before->kind != RN_INT)
			break;
		return rn_int((int64_t)((uint64_t)before->i + (uint64_t)rn_unzigzag(varint(b))));
	}
	fail(b);
	return rn_null();
}

bool rn_unpack_rows(struct rn_arena *a, const void *bytes, size_t n, struct rn_rows *r)
{
	struct rn_unpack b = rn_unpack_of(bytes, n);
	uint64_t before_ns = 0;
	struct rn_value *v;
	int64_t *time_ns;

	/* A row takes one byte for its time and one for each value, so a count cannot ask for more
	 * memory than its bytes justify. */
	if (r->nrows && (r->ncols >= n || (uint64_t)r->nrows * (r->ncols + 1) > n))
		return false;
	v = RN_NEWN(a, struct rn_value, (size_t)r->nrows * r->ncols);
	time_ns = RN_NEWN(a, int64_t, r->nrows);
	for (uint32_t i = 0; i < r->nrows && !b.bad; i++) {
		struct rn_value *row = v + (size_t)i * r->ncols;

		before_ns += (uint64_t)rn_unzigzag(varint(&b));
		time_ns[i] = (int64_t)before_ns;
		for (uint32_t c = 0; c < r->ncols; c++)
			row[c] = rn_unpack_value(&b, i ? &row[c] - r->ncols : NULL);
	}
	r->v = v;
	r->time_ns = time_ns;
	return !b.bad && b.p == b.end;
}

/* Bounds on the buckets that an aggregate's finish accepts, and on the values of its cells. */
struct bounds {
	int64_t low, high, most;
};
#define FARTHEST ((rn_wide)1 << (RN_FIXED_BITS + RN_FIXED_SHIFT))
static struct bounds cell_bounds(enum rn_cell_fn fn)
{
	switch (fn) {
	case RN_CELL_LOG2: return (struct bounds){-1, RN_FIXED_BITS + RN_FIXED_SHIFT, INT64_MAX};
	case RN_CELL_LINEAR: return (struct bounds){-1, INT32_MAX - 1, INT64_MAX};
	case RN_CELL_LOGLIN:
		return (struct bounds){rn_bucket_loglin(-FARTHEST), rn_bucket_loglin(FARTHEST),
				       INT64_MAX};
	case RN_CELL_HLL: return (struct bounds){0, (1 << RN_HLL_BITS) - 1, 50};
	default: return (struct bounds){0, -1, 0};
	}
}

static bool unpack_cells(struct rn_arena *a, struct rn_unpack *b, enum rn_cell_fn fn,
			 struct rn_state *s)
{
	struct bounds in = cell_bounds(fn);
	uint64_t n = varint(b);
	int64_t bucket = 0;

	if (n > (size_t)(b->end - b->p) / 2)
		return fail(b);
	s->cells = RN_NEWN(a, struct rn_cell, n);
	s->ncells = s->cap_cells = (uint32_t)n;
	for (uint64_t i = 0; i < n; i++) {
		uint64_t step = varint(b);

		if (i && (!step || step > UINT32_MAX))
			return fail(b);
		bucket = i ? bucket + (int64_t)step : rn_unzigzag(step);
		s->cells[i].value = rn_unzigzag(varint(b));
		if (b->bad || bucket < in.low || bucket > in.high || s->cells[i].value <= 0 ||
		    s->cells[i].value > in.most)
			return fail(b);
		s->cells[i].bucket = (int32_t)bucket;
	}
	return true;
}

static bool unpack_state(struct rn_arena *a, struct rn_unpack *b, const struct rn_agg_call *c,
			 struct rn_state *s)
{
	unsigned nwords = rn_agg_words(c->def);
	unsigned char flags;
	bool blob;

	if (b->p == b->end)
		return fail(b);
	flags = *b->p++;
	blob = rn_agg_uses_blob(c);
	if (flags & ~7 || (flags & S_WORDS && (!nwords || blob)) || (flags & S_BLOB && !blob))
		return fail(b);
	if (flags & S_WORDS) {
		s->words = RN_NEWN(a, int64_t, nwords);
		for (unsigned i = 0; i < nwords; i++)
			s->words[i] = rn_unzigzag(varint(b));
	}
	if (flags & S_CELLS && !unpack_cells(a, b, c->def->cell, s))
		return false;
	if (flags & S_BLOB) {
		uint64_t n = varint(b);

		if (b->bad || n > (size_t)(b->end - b->p) ||
		    !(s->blob = c->def->blob_decode(c, b->p, n)))
			return fail(b);
		b->p += n;
	}
	return !b->bad;
}

static void free_blobs(struct rn_partials *p, uint32_t n, const struct rn_agg_call *aggs,
		       unsigned naggs)
{
	for (uint32_t i = 0; i < n; i++)
		for (unsigned k = 0; k < naggs; k++)
			if (p->p[i].state[k].blob)
				aggs[k].def->blob_free(&aggs[k], p->p[i].state[k].blob);
}

bool rn_unpack_partials(struct rn_arena *a, const void *bytes, size_t n, struct rn_partials *p,
			const struct rn_agg_call *aggs, unsigned naggs, unsigned nkeys)
{
	struct rn_unpack b = rn_unpack_of(bytes, n);
	const struct rn_value *before = NULL;
	struct rn_value *keys = NULL;
	struct rn_state *states = NULL;
	uint32_t i, others = 0;

	/* A group takes one byte for its events and one for each state. Longer ones are allocated
	 * for a few groups at a time. */
	if (p->n && (naggs >= n || (uint64_t)p->n * (naggs + 1) > n)) {
		p->n = 0;
		return false;
	}
	p->p = RN_NEWN(a, struct rn_partial, p->n);
	for (i = 0; i < p->n && !b.bad; i++) {
		struct rn_partial *g = &p->p[i];
		uint64_t head = varint(&b);
		struct rn_value *key;

		if (!(i % GROUPS)) {
			uint32_t left = p->n - i < GROUPS ? p->n - i : GROUPS;

			keys = RN_NEWN(a, struct rn_value, (size_t)left * nkeys);
			states = RN_NEWN(a, struct rn_state, (size_t)left * naggs);
		}
		key = keys + (size_t)(i % GROUPS) * nkeys;
		g->events = (int64_t)(head >> 1);
		g->other = head & 1;
		g->key = key;
		g->state = states + (size_t)(i % GROUPS) * naggs;
		for (unsigned k = 0; k < nkeys && !g->other; k++)
			key[k] = rn_unpack_value(&b, before ? &before[k] : NULL);
		if (!g->other)
			before = key;
		if (!g->events || (g->other && others++))
			fail(&b);
		for (unsigned k = 0; k < naggs && !b.bad; k++)
			unpack_state(a, &b, &aggs[k], &g->state[k]);
	}
	if (!b.bad && b.p == b.end)
		return true;
	free_blobs(p, i, aggs, naggs);
	p->n = 0;
	return false;
}
