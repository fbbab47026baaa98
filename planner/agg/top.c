/* top.c - top(x, k): the k most frequent values, as JSON [[value,count],...], most frequent first,
 * equal counts in value order.
 *
 * Counts are exact for up to MAX_VALUES different values. Beyond that, the state keeps the values
 * with the MAX_VALUES least hashes. The set of values alone decides which these are. Every part
 * that saw such a value keeps it, so its count is complete, and any split and order of merging
 * gives the same answer. A last element ["(other)",n] counts the events of all other values. The
 * hash has a seed that the coordinator makes for each query. So nobody can choose values that push
 * others out, or that collide in the table. */
#include "planner/agg/agg_impl.h"
#include "lang/base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_VALUES = 65536 };

struct entry {
	uint64_t hash;
	struct rn_value value;
	int64_t count; /* 0: free */
};

struct top {
	struct entry *table; /* open addressing, size cap (a power of two), at most half full */
	uint32_t n, cap;
	uint64_t hash_max; /* entries with greater hashes are not kept */
	int64_t total;     /* all events, kept or not */
};

/* Only counts that a sender made up can overflow. They must neither wrap to 0, which means free,
 * nor be undefined. */
static int64_t plus(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

static void *top_new(const struct rn_agg_call *c)
{
	struct top *t = rn_calloc(1, sizeof(*t));

	(void)c;
	t->hash_max = UINT64_MAX;
	return t;
}

static int by_hash(const void *a, const void *b)
{
	const struct entry *x = *(const struct entry *const *)a,
			   *y = *(const struct entry *const *)b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return rn_value_cmp(&x->value, &y->value);
}

static int by_count(const void *a, const void *b)
{
	const struct entry *x = *(const struct entry *const *)a,
			   *y = *(const struct entry *const *)b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return rn_value_cmp(&x->value, &y->value);
}

/* The entries in use, by hash; the caller frees the list. */
static struct entry **kept(const struct top *t, uint32_t *n)
{
	struct entry **list = rn_malloc((t->n + 1) * sizeof(struct entry *));

	*n = 0;
	for (uint32_t i = 0; i < t->cap; i++)
		if (t->table[i].count)
			list[(*n)++] = &t->table[i];
	qsort(list, *n, sizeof(struct entry *), by_hash);
	if (*n > MAX_VALUES)
		*n = MAX_VALUES;
	return list;
}

static struct entry *find(struct top *t, uint64_t hash, const struct rn_value *v)
{
	for (uint32_t i = (uint32_t)hash & (t->cap - 1);; i = (i + 1) & (t->cap - 1)) {
		struct entry *e = &t->table[i];

		if (!e->count || (e->hash == hash && !rn_value_cmp(&e->value, v)))
			return e;
	}
}

/* Makes a new table of cap entries and moves those of list into it. */
static void rehash(struct top *t, uint32_t cap, struct entry **list, uint32_t n)
{
	struct top fresh = *t;

	fresh.cap = cap;
	fresh.n = n;
	fresh.table = rn_calloc(cap, sizeof(*fresh.table));
	for (uint32_t i = 0; i < n; i++)
		*find(&fresh, list[i]->hash, &list[i]->value) = *list[i];
	free(t->table);
	*t = fresh;
}

static void make_room(struct top *t)
{
	uint32_t n, all = t->n;
	struct entry **list;

	if (t->cap && t->n < t->cap / 2)
		return;
	list = kept(t, &n);
	for (uint32_t i = n; i < all; i++)
		rn_blob_value_free(&list[i]->value);
	if (n == MAX_VALUES)
		t->hash_max = list[n - 1]->hash;
	rehash(t, n == MAX_VALUES ? 4 * MAX_VALUES : t->cap ? t->cap * 2 : 16, list, n);
	free(list);
}

static void add(struct top *t, uint64_t hash, const struct rn_value *v, int64_t count)
{
	struct entry *e;

	if (hash > t->hash_max)
		return;
	make_room(t);
	e = find(t, hash, v);
	if (!e->count) {
		*e = (struct entry){.hash = hash, .value = rn_blob_value_dup(v)};
		t->n++;
	}
	e->count = plus(e->count, count);
}

static void update(const struct rn_agg_call *c, void *blob, const struct rn_value *v,
		   int64_t time_ns)
{
	struct top *t = blob;

	(void)time_ns;
	t->total++;
	add(t, rn_hash_seeded(v, c->seed), v, 1);
}

static void merge(const struct rn_agg_call *c, void *blob, const void *other)
{
	struct top *t = blob;
	const struct top *o = other;
	uint32_t n;
	struct entry **list = kept(o, &n);

	(void)c;
	t->total = plus(t->total, o->total);
	if (o->hash_max < t->hash_max)
		t->hash_max = o->hash_max;
	for (uint32_t i = 0; i < n; i++)
		add(t, list[i]->hash, &list[i]->value, list[i]->count);
	free(list);
}

static void encode(const struct rn_agg_call *c, const void *blob,
		   void (*put)(void *, const void *, size_t), void *to)
{
	const struct top *t = blob;
	uint32_t n;
	struct entry **list = kept(t, &n);
	uint64_t hash_max = n == MAX_VALUES ? list[n - 1]->hash : UINT64_MAX;

	(void)c;
	if (hash_max > t->hash_max)
		hash_max = t->hash_max;
	put(to, &t->total, 8);
	put(to, &hash_max, 8);
	for (uint32_t i = 0; i < n; i++) {
		put(to, &list[i]->count, 8);
		rn_blob_put_value(&list[i]->value, put, to);
	}
	free(list);
}

static void top_free(const struct rn_agg_call *c, void *blob)
{
	struct top *t = blob;

	(void)c;
	for (uint32_t i = 0; i < t->cap; i++)
		rn_blob_value_free(&t->table[i].value);
	free(t->table);
	free(t);
}

static void *decode(const struct rn_agg_call *call, const void *bytes, size_t n)
{
	const unsigned char *p = bytes, *end = p + n;
	struct top *t = top_new(call);
	int64_t hash_max, left;

	if (!rn_blob_get_i64(&p, end, &t->total) || !rn_blob_get_i64(&p, end, &hash_max) ||
	    t->total < 0)
		goto bad;
	t->hash_max = (uint64_t)hash_max;
	left = t->total;
	while (p < end) {
		struct rn_value value;
		int64_t count;

		if (!rn_blob_get_i64(&p, end, &count) || !rn_blob_get_value(&p, end, &value) ||
		    count <= 0 || count > left)
			goto bad;
		left -= count;
		add(t, rn_hash_seeded(&value, call->seed), &value, count);
	}
	return t;
bad:
	top_free(call, t);
	return NULL;
}

static struct rn_value finish(const struct rn_agg_call *call, const struct rn_state *state,
			      const struct rn_finish_ctx *ctx, struct rn_arena *arena)
{
	const struct top *top = state->blob;
	struct rn_strbuf buf;
	int64_t other = top ? top->total : 0;
	uint32_t n = 0, k = call->param[0] >= MAX_VALUES ? MAX_VALUES
			    : call->param[0] >= 1        ? (uint32_t)call->param[0]
							 : 10;
	struct entry **list = top ? kept(top, &n) : NULL;

	(void)ctx;
	for (uint32_t i = 0; i < n; i++)
		other -= list[i]->count <= other ? list[i]->count : other;
	if (n)
		qsort(list, n, sizeof(struct entry *), by_count);
	rn_strbuf_init(&buf, arena);
	rn_strbuf_put(&buf, "[");
	for (uint32_t i = 0; i < n && i < k; i++) {
		rn_strbuf_put(&buf, i ? ",[" : "[");
		rn_value_json(&buf, call->arg ? call->arg->ty : (struct rn_ty){RN_T_STR},
			      &list[i]->value);
		rn_strbuf_printf(&buf, ",%lld]", (long long)list[i]->count);
	}
	if (other)
		rn_strbuf_printf(&buf, "%s[\"(other)\",%lld]", n ? "," : "", (long long)other);
	rn_strbuf_put(&buf, "]");
	free(list);
	return rn_value_of_text(&buf);
}

const struct rn_agg rn_agg_top = {
	.sig = {.name = "top",
		.arg = RN_ARG_ANY,
		.min_params = 1,
		.max_params = 1,
		.result = RN_RES_LIST,
		.doc = "top(x, k): the k most frequent values with their counts"},
	.not_kernel = "top: the kernel has no bounded table of counted values",
	.blob_new = top_new,
	.blob_update = update,
	.blob_merge = merge,
	.blob_encode = encode,
	.blob_decode = decode,
	.blob_free = top_free,
	.finish = finish,
	.preset = 10,
};
