/* pack.c - see pack.h and, for the format, exec/wire/wire.proto. */
#include "exec/wire/pack.h"
#include "lang/base/memory.h"
#include "lang/base/vec.h"

#include <stdlib.h>
#include <string.h>

enum { V_NULL, V_BOOL, V_INT, V_FLOAT, V_STR, V_SAME, V_DIFF };
enum { S_WORDS = 1, S_CELLS = 2, S_BLOB = 4 };
enum { GROUPS = 64 };

/* ---- writing ---- */

static unsigned char *reserve(struct rn_pack *b, size_t n)
{
	rn_vec_room_for(b->p, b->len, b->cap, n);
	return b->p + b->len;
}

void rn_pack_bytes(struct rn_pack *pack, const void *bytes, size_t n)
{
	if (n)
		memcpy(reserve(pack, n), bytes, n);
	pack->len += n;
}

void rn_pack_varint(struct rn_pack *pack, uint64_t v)
{
	unsigned char *p = reserve(pack, 10), *start = p;

	for (; v >= 0x80; v >>= 7)
		*p++ = (unsigned char)(v | 0x80);
	*p++ = (unsigned char)v;
	pack->len += (size_t)(p - start);
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

void rn_pack_value(struct rn_pack *pack, const struct rn_value *value,
		   const struct rn_value *before)
{
	if (before && value->kind != RN_NULL && same(value, before)) {
		put_byte(pack, V_SAME, 0);
		return;
	}
	switch (value->kind) {
	case RN_BOOL: put_byte(pack, V_BOOL, value->i != 0); break;
	case RN_INT: pack_int(pack, value->i, before); break;
	case RN_FLOAT:
		put_byte(pack, V_FLOAT, 0);
		rn_pack_bytes(pack, &value->f, 8);
		break;
	case RN_STR:
		put_byte(pack, V_STR, value->len < 31 ? value->len : 31);
		if (value->len >= 31)
			rn_pack_varint(pack, value->len);
		rn_pack_bytes(pack, value->s, value->len);
		break;
	default: put_byte(pack, V_NULL, rn_is_unknown(value));
	}
}

void rn_pack_rows(struct rn_pack *pack, const struct rn_rows *rows)
{
	uint64_t before_ns = 0;

	for (uint32_t i = 0; i < rows->nrows; i++) {
		const struct rn_value *row = rows->values + (size_t)i * rows->ncols;

		rn_pack_varint(pack, rn_zigzag((int64_t)((uint64_t)rows->time_ns[i] - before_ns)));
		before_ns = (uint64_t)rows->time_ns[i];
		for (uint32_t c = 0; c < rows->ncols; c++)
			rn_pack_value(pack, &row[c], i ? &row[c] - rows->ncols : NULL);
	}
}

static void put_blob(void *to, const void *bytes, size_t n)
{
	rn_pack_bytes(to, bytes, n);
}

static void pack_cells(struct rn_pack *pack, const struct rn_state *state)
{
	uint32_t n = 0;
	int64_t before = 0;
	bool first;

	for (uint32_t i = 0; i < state->ncells; i++)
		n += state->cells[i].value != 0; /* a dense HyperLogLog has empty cells */
	rn_pack_varint(pack, n);
	first = true;
	for (uint32_t i = 0; i < state->ncells; i++) {
		if (!state->cells[i].value)
			continue;
		rn_pack_varint(pack, first ? rn_zigzag(state->cells[i].bucket)
					   : (uint64_t)(state->cells[i].bucket - before));
		rn_pack_varint(pack, rn_zigzag(state->cells[i].value));
		before = state->cells[i].bucket;
		first = false;
	}
}

static void pack_state(struct rn_pack *pack, const struct rn_agg_call *call,
		       const struct rn_state *state)
{
	unsigned nwords = rn_agg_words(call->def);
	unsigned char flags = (state->words && nwords ? S_WORDS : 0) |
			      (state->ncells ? S_CELLS : 0) | (state->blob ? S_BLOB : 0);

	rn_pack_bytes(pack, &flags, 1);
	for (unsigned i = 0; flags & S_WORDS && i < nwords; i++)
		rn_pack_varint(pack, rn_zigzag(state->words[i]));
	if (flags & S_CELLS)
		pack_cells(pack, state);
	if (flags & S_BLOB) {
		struct rn_pack blob = {0};

		call->def->blob_encode(call, state->blob, put_blob, &blob);
		rn_pack_varint(pack, blob.len);
		rn_pack_bytes(pack, blob.p, blob.len);
		free(blob.p);
	}
}

void rn_pack_partials(struct rn_pack *pack, const struct rn_partials *partials,
		      const struct rn_agg_call *aggs, unsigned naggs, unsigned nkeys)
{
	const struct rn_value *before = NULL;

	for (uint32_t i = 0; i < partials->n; i++) {
		const struct rn_partial *g = &partials->parts[i];

		rn_pack_varint(pack, (uint64_t)g->events << 1 | g->other);
		if (!g->other) {
			for (unsigned k = 0; k < nkeys; k++)
				rn_pack_value(pack, &g->key[k], before ? &before[k] : NULL);
			before = g->key;
		}
		for (unsigned k = 0; k < naggs; k++)
			pack_state(pack, &aggs[k], &g->state[k]);
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

uint64_t rn_unpack_varint(struct rn_unpack *unpack)
{
	return varint(unpack);
}

struct rn_value rn_unpack_value(struct rn_unpack *unpack, const struct rn_value *before)
{
	struct rn_value value = rn_null();
	unsigned kind, x;

	if (unpack->p == unpack->end) {
		fail(unpack);
		return value;
	}
	kind = *unpack->p & 7;
	x = *unpack->p >> 3;
	unpack->p++;
	switch (kind) {
	case V_NULL: return x == 1 ? rn_unknown() : value;
	case V_BOOL: return rn_bool(x & 1);
	case V_INT: return rn_int(x ? (int64_t)x - 1 : rn_unzigzag(varint(unpack)));
	case V_FLOAT:
		if (unpack->end - unpack->p < 8)
			break;
		value.kind = RN_FLOAT;
		memcpy(&value.f, unpack->p, 8);
		unpack->p += 8;
		return value;
	case V_STR: {
		uint64_t n = x < 31 ? x : varint(unpack);

		if (unpack->bad || n > (size_t)(unpack->end - unpack->p))
			break;
		value = rn_strn((const char *)unpack->p, n);
		unpack->p += n;
		return value;
	}
	case V_SAME:
		if (!before)
			break;
		return *before;
	case V_DIFF:
		if (!before || before->kind != RN_INT)
			break;
		return rn_int(
			(int64_t)((uint64_t)before->i + (uint64_t)rn_unzigzag(varint(unpack))));
	}
	fail(unpack);
	return rn_null();
}

bool rn_unpack_rows(struct rn_arena *arena, const void *bytes, size_t n, struct rn_rows *rows)
{
	struct rn_unpack unpack = rn_unpack_of(bytes, n);
	uint64_t before_ns = 0;
	struct rn_value *value;
	int64_t *time_ns;

	/* A row takes one byte for its time and one for each value, so a count cannot ask for more
	 * memory than its bytes justify. */
	if (rows->nrows && (rows->ncols >= n || (uint64_t)rows->nrows * (rows->ncols + 1) > n))
		return false;
	value = RN_NEWN(arena, struct rn_value, (size_t)rows->nrows * rows->ncols);
	time_ns = RN_NEWN(arena, int64_t, rows->nrows);
	for (uint32_t i = 0; i < rows->nrows && !unpack.bad; i++) {
		struct rn_value *row = value + (size_t)i * rows->ncols;

		before_ns += (uint64_t)rn_unzigzag(varint(&unpack));
		time_ns[i] = (int64_t)before_ns;
		for (uint32_t c = 0; c < rows->ncols; c++)
			row[c] = rn_unpack_value(&unpack, i ? &row[c] - rows->ncols : NULL);
	}
	rows->values = value;
	rows->time_ns = time_ns;
	return !unpack.bad && unpack.p == unpack.end;
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
	case RN_CELL_NONE: break;
	}
	return (struct bounds){0, -1, 0};
}

static bool unpack_cells(struct rn_arena *arena, struct rn_unpack *unpack, enum rn_cell_fn fn,
			 struct rn_state *state)
{
	struct bounds in = cell_bounds(fn);
	uint64_t n = varint(unpack);
	int64_t bucket = 0;

	if (n > (size_t)(unpack->end - unpack->p) / 2)
		return fail(unpack);
	state->cells = RN_NEWN(arena, struct rn_cell, n);
	state->ncells = state->cap_cells = (uint32_t)n;
	for (uint64_t i = 0; i < n; i++) {
		uint64_t step = varint(unpack);

		if (i && (!step || step > UINT32_MAX))
			return fail(unpack);
		bucket = i ? bucket + (int64_t)step : rn_unzigzag(step);
		state->cells[i].value = rn_unzigzag(varint(unpack));
		if (unpack->bad || bucket < in.low || bucket > in.high ||
		    state->cells[i].value <= 0 || state->cells[i].value > in.most)
			return fail(unpack);
		state->cells[i].bucket = (int32_t)bucket;
	}
	return true;
}

static bool unpack_state(struct rn_arena *arena, struct rn_unpack *unpack,
			 const struct rn_agg_call *call, struct rn_state *state)
{
	unsigned nwords = rn_agg_words(call->def);
	unsigned char flags;
	bool blob;

	if (unpack->p == unpack->end)
		return fail(unpack);
	flags = *unpack->p++;
	blob = rn_agg_uses_blob(call);
	if (flags & ~7 || (flags & S_WORDS && (!nwords || blob)) || (flags & S_BLOB && !blob))
		return fail(unpack);
	if (flags & S_WORDS) {
		state->words = RN_NEWN(arena, int64_t, nwords);
		for (unsigned i = 0; i < nwords; i++)
			state->words[i] = rn_unzigzag(varint(unpack));
	}
	if (flags & S_CELLS && !unpack_cells(arena, unpack, call->def->cell, state))
		return false;
	if (flags & S_BLOB) {
		uint64_t n = varint(unpack);

		if (unpack->bad || n > (size_t)(unpack->end - unpack->p) ||
		    !(state->blob = call->def->blob_decode(call, unpack->p, n)))
			return fail(unpack);
		unpack->p += n;
	}
	return !unpack->bad;
}

static void free_blobs(struct rn_partials *p, uint32_t n, const struct rn_agg_call *aggs,
		       unsigned naggs)
{
	for (uint32_t i = 0; i < n; i++)
		for (unsigned k = 0; k < naggs; k++)
			if (p->parts[i].state[k].blob)
				aggs[k].def->blob_free(&aggs[k], p->parts[i].state[k].blob);
}

bool rn_unpack_partials(struct rn_arena *arena, const void *bytes, size_t n,
			struct rn_partials *partials, const struct rn_agg_call *aggs,
			unsigned naggs, unsigned nkeys)
{
	struct rn_unpack unpack = rn_unpack_of(bytes, n);
	const struct rn_value *before = NULL;
	struct rn_value *keys = NULL;
	struct rn_state *states = NULL;
	uint32_t i, others = 0;

	/* A group takes one byte for its events and one for each state. Longer ones are allocated
	 * for a few groups at a time. */
	if (partials->n && (naggs >= n || (uint64_t)partials->n * (naggs + 1) > n)) {
		partials->n = 0;
		return false;
	}
	partials->parts = RN_NEWN(arena, struct rn_partial, partials->n);
	for (i = 0; i < partials->n && !unpack.bad; i++) {
		struct rn_partial *partial = &partials->parts[i];
		uint64_t head = varint(&unpack);
		struct rn_value *key;

		if (!(i % GROUPS)) {
			uint32_t left = partials->n - i < GROUPS ? partials->n - i : GROUPS;

			keys = RN_NEWN(arena, struct rn_value, (size_t)left * nkeys);
			states = RN_NEWN(arena, struct rn_state, (size_t)left * naggs);
		}
		key = keys + (size_t)(i % GROUPS) * nkeys;
		partial->events = (int64_t)(head >> 1);
		partial->other = head & 1;
		partial->key = key;
		partial->state = states + (size_t)(i % GROUPS) * naggs;
		for (unsigned k = 0; k < nkeys && !partial->other; k++)
			key[k] = rn_unpack_value(&unpack, before ? &before[k] : NULL);
		if (!partial->other)
			before = key;
		if (!partial->events || (partial->other && others++))
			fail(&unpack);
		for (unsigned k = 0; k < naggs && !unpack.bad; k++)
			unpack_state(arena, &unpack, &aggs[k], &partial->state[k]);
	}
	if (!unpack.bad && unpack.p == unpack.end)
		return true;
	free_blobs(partials, i, aggs, naggs);
	partials->n = 0;
	return false;
}
