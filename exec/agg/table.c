/* table.c - the aggregates as tables, and what their files share. The list of them is RN_AGGS in aggs.h. */
#include "exec/agg/aggs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEFINITION(name) &rn_agg_##name,
#define SIGNATURE(name) &rn_agg_##name.sig,
const struct rn_agg *const rn_aggs[] = {RN_AGGS(DEFINITION) NULL};
const struct rn_agg_sig *const rn_agg_sigs[] = {RN_AGGS(SIGNATURE) NULL};

unsigned rn_agg_words(const struct rn_agg *d)
{
	unsigned n = 0;

	for (unsigned i = 0; i < d->nslots; i++)
		n += d->slot[i] == RN_SLOT_SUMSQ || d->slot[i] == RN_SLOT_FIRST || d->slot[i] == RN_SLOT_LAST ? 2 : 1;
	return n;
}

bool rn_agg_uses_blob(const struct rn_agg_call *c)
{
	return c->def->blob_new && (!c->def->nslots || (c->arg && rn_is_text(c->arg->ty)));
}

struct rn_value rn_agg_result(const struct rn_agg_call *c, int64_t word)
{
	if (c->fixed)
		return rn_float(ldexp((double)word, -RN_FIXED_SHIFT));
	if (c->ty.type == RN_T_BOOL)
		return rn_bool(word != 0);
	if (c->ty.type == RN_T_FLOAT)
		return rn_float((double)word);
	return rn_int(word);
}

/* Nearest integer, saturating. */
static int64_t round_word(double x)
{
	if (x >= 0x1p63)
		return INT64_MAX;
	if (x < -0x1p63)
		return INT64_MIN;
	return llrint(x);
}

bool rn_agg_word(const struct rn_agg_call *c, const struct rn_value *v, int64_t *out)
{
	if (v->kind == RN_INT || v->kind == RN_BOOL) {
		*out = c->fixed ? round_word(ldexp((double)v->i, RN_FIXED_SHIFT)) : v->i;
		return true;
	}
	if (v->kind != RN_FLOAT || isnan(v->f))
		return false;
	*out = round_word(c->fixed ? ldexp(v->f, RN_FIXED_SHIFT) : v->f);
	return true;
}

void rn_agg_linear_params(const struct rn_agg_call *c, int64_t *lo, int64_t *hi, int64_t *step)
{
	int shift = c->fixed ? RN_FIXED_SHIFT : 0;

	*lo = round_word(ldexp(c->param[0], shift));
	*hi = round_word(ldexp(c->param[1], shift));
	*step = round_word(ldexp(c->param[2], shift));
	if (*step < 1)
		*step = 1;
}

void rn_blob_put_value(const struct rn_value *v, void (*put)(void *, const void *, size_t), void *to)
{
	uint32_t len = v->kind == RN_STR ? v->len : 8;

	put(to, &v->kind, 1);
	put(to, &len, 4);
	put(to, v->kind == RN_STR ? (const void *)v->s : (const void *)&v->i, len);
}

bool rn_blob_get_i64(const unsigned char **p, const unsigned char *end, int64_t *v)
{
	if (end - *p < 8)
		return false;
	memcpy(v, *p, 8);
	*p += 8;
	return true;
}

bool rn_blob_get_value(const unsigned char **p, const unsigned char *end, struct rn_value *v)
{
	uint32_t len;

	if (end - *p < 5)
		return false;
	*v = (struct rn_value){.kind = **p};
	memcpy(&len, *p + 1, 4);
	*p += 5;
	if (v->kind > RN_STR || v->kind == RN_NULL || len > (size_t)(end - *p) || (v->kind != RN_STR && len != 8))
		return false;
	if (v->kind == RN_STR) {
		v->len = len;
		v->s = (const char *)*p;
	} else {
		memcpy(&v->i, *p, 8);
	}
	*p += len;
	return true;
}

struct rn_value rn_blob_value_dup(const struct rn_value *v)
{
	struct rn_value d = *v;

	if (v->kind == RN_STR) {
		char *s = malloc(v->len + 1);
		if (!s)
			abort();
		if (v->len)
			memcpy(s, v->s, v->len);
		s[v->len] = 0;
		d.s = s;
	}
	return d;
}

void rn_blob_value_free(struct rn_value *v)
{
	if (v->kind == RN_STR)
		free((char *)(uintptr_t)v->s);
	*v = rn_null();
}
