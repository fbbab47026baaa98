/* set.c - set(x), set(x, k): the different values, as a JSON list in value order; at most k (64) of
 * them.
 *
 * Bounded without losing associativity: the state keeps the k least values by rn_value_cmp, and
 * whether there were more. The k least of a union are among the k least of its parts, so any split
 * and order of merging ends with the same set. An incomplete list ends with the element
 * "(more)". */
#include "planner/agg/agg_impl.h"
#include "lang/base/memory.h"
#include "lang/base/vec.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_VALUES = 65536 };

struct set {
	uint32_t n, cap;
	bool more;
	struct rn_value *values; /* sorted, different */
};

static uint32_t bound(const struct rn_agg_call *c)
{
	return c->param[0] >= 1 ? (c->param[0] < MAX_VALUES ? (uint32_t)c->param[0] : MAX_VALUES)
				: 64;
}

static void *set_new(const struct rn_agg_call *c)
{
	struct set *s = rn_calloc(1, sizeof(*s));

	(void)c;
	return s;
}

static void add(struct set *s, uint32_t max, const struct rn_value *value)
{
	uint32_t lo = 0, hi = s->n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		int cmp = rn_value_cmp(&s->values[mid], value);

		if (!cmp)
			return;
		if (cmp < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo >= max) {
		s->more = true;
		return;
	}
	if (s->n == max) {
		rn_blob_value_free(&s->values[--s->n]);
		s->more = true;
	}
	rn_vec_room(s->values, s->n, s->cap);
	memmove(&s->values[lo + 1], &s->values[lo], (s->n - lo) * sizeof(*s->values));
	s->values[lo] = rn_blob_value_dup(value);
	s->n++;
}

static void update(const struct rn_agg_call *c, void *blob, const struct rn_value *v,
		   int64_t time_ns)
{
	(void)time_ns;
	add(blob, bound(c), v);
}

static void merge(const struct rn_agg_call *c, void *blob, const void *other)
{
	struct set *s = blob;
	const struct set *o = other;

	s->more |= o->more;
	for (uint32_t i = 0; i < o->n; i++)
		add(s, bound(c), &o->values[i]);
}

static void encode(const struct rn_agg_call *c, const void *blob,
		   void (*put)(void *, const void *, size_t), void *to)
{
	const struct set *s = blob;
	uint8_t more = s->more;

	(void)c;
	put(to, &more, 1);
	for (uint32_t i = 0; i < s->n; i++)
		rn_blob_put_value(&s->values[i], put, to);
}

static void set_free(const struct rn_agg_call *c, void *blob)
{
	struct set *s = blob;

	(void)c;
	for (uint32_t i = 0; i < s->n; i++)
		rn_blob_value_free(&s->values[i]);
	free(s->values);
	free(s);
}

static void *decode(const struct rn_agg_call *call, const void *bytes, size_t n)
{
	const unsigned char *p = bytes, *end = p + n;
	struct set *s;

	if (n < 1 || *p > 1)
		return NULL;
	s = set_new(call);
	s->more = *p++;
	while (p < end) {
		struct rn_value value;

		if (!rn_blob_get_value(&p, end, &value) ||
		    (s->n && rn_value_cmp(&value, &s->values[s->n - 1]) <= 0)) {
			set_free(call, s);
			return NULL;
		}
		add(s, bound(call), &value);
	}
	return s;
}

static struct rn_value finish(const struct rn_agg_call *c, const struct rn_state *s,
			      const struct rn_finish_ctx *f, struct rn_arena *a)
{
	const struct set *set = s->blob;
	struct rn_strbuf t;

	(void)f;
	rn_strbuf_init(&t, a);
	rn_strbuf_put(&t, "[");
	for (uint32_t i = 0; set && i < set->n; i++) {
		if (i)
			rn_strbuf_put(&t, ",");
		rn_value_json(&t, c->arg ? c->arg->ty : (struct rn_ty){RN_T_STR}, &set->values[i]);
	}
	if (set && set->more)
		rn_strbuf_printf(&t, ",\"(more)\"");
	rn_strbuf_put(&t, "]");
	return rn_value_of_text(&t);
}

const struct rn_agg rn_agg_set = {
	.sig = {.name = "set",
		.arg = RN_ARG_ANY,
		.max_params = 1,
		.result = RN_RES_LIST,
		.doc = "set(x), set(x, k): the different values, at most 64 or k of them"},
	.not_kernel = "set: the kernel keeps numbers only",
	.blob_new = set_new,
	.blob_update = update,
	.blob_merge = merge,
	.blob_encode = encode,
	.blob_decode = decode,
	.blob_free = set_free,
	.finish = finish,
	.preset = 64,
};
