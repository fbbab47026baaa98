/* table.c - the aggregates as tables, and functions that their files share. The list of aggregates
 * is RN_AGGS in agg_impl.h. */
#include "planner/agg/agg_impl.h"
#include "lang/base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFINITION(name) &rn_agg_##name,
#define SIGNATURE(name) &rn_agg_##name.sig,
const struct rn_agg *const rn_aggs[] = {RN_AGGS(DEFINITION) NULL};
const struct rn_agg_sig *const rn_agg_sigs[] = {RN_AGGS(SIGNATURE) NULL};

const struct rn_agg *rn_agg_find(const char *name)
{
	for (const struct rn_agg *const *a = rn_aggs; *a; a++)
		if (!strcmp((*a)->sig.name, name))
			return *a;
	return rn_quantile_of(name, NULL) ? &rn_agg_pNN : NULL;
}

unsigned rn_agg_words(const struct rn_agg *agg)
{
	static const uint8_t words[] = {
		[RN_SLOT_COUNT] = 1, [RN_SLOT_SUM] = 2, [RN_SLOT_RATE] = 4,  [RN_SLOT_SUMSQ] = 3,
		[RN_SLOT_MIN] = 1,   [RN_SLOT_MAX] = 1, [RN_SLOT_FIRST] = 2, [RN_SLOT_LAST] = 2};
	unsigned n = 0;

	for (unsigned i = 0; i < agg->nslots; i++)
		n += words[agg->slot[i]];
	return n;
}

unsigned rn_agg_same_state(const struct rn_agg_call *aggs, unsigned i)
{
	for (unsigned k = 0; k < i && aggs[i].def->cell == RN_CELL_LOGLIN; k++)
		if (aggs[k].def->cell == RN_CELL_LOGLIN &&
		    rn_expr_equal(aggs[k].arg, aggs[i].arg) &&
		    rn_expr_equal(aggs[k].where, aggs[i].where))
			return k;
	return i;
}

static bool has_slot(const struct rn_agg *d, enum rn_slot_op from, enum rn_slot_op to)
{
	for (unsigned i = 0; i < d->nslots; i++)
		if (d->slot[i] >= from && d->slot[i] <= to)
			return true;
	return false;
}

bool rn_agg_has_rate(const struct rn_agg *agg)
{
	return has_slot(agg, RN_SLOT_RATE, RN_SLOT_RATE);
}

bool rn_agg_adds_up(const struct rn_agg *agg)
{
	return agg->nslots == 1 && (agg->slot[0] == RN_SLOT_COUNT || agg->slot[0] == RN_SLOT_SUM ||
				    agg->slot[0] == RN_SLOT_RATE);
}

bool rn_agg_counts(const struct rn_agg *agg)
{
	return rn_agg_adds_up(agg) || agg->sig.result == RN_RES_INT;
}

bool rn_agg_uses_blob(const struct rn_agg_call *call)
{
	return call->def->blob_new &&
	       (!call->def->nslots || (call->arg && rn_is_text(call->arg->ty)));
}

int64_t rn_agg_ordered(double x)
{
	int64_t i;

	x += 0.0; /* -0 becomes 0 */
	memcpy(&i, &x, 8);
	return i < 0 ? i ^ INT64_MAX : i;
}

struct rn_value rn_agg_kept(const struct rn_agg_call *call, int64_t word)
{
	double x;

	if (!call->fixed)
		return call->ty.type == RN_T_BOOL ? rn_bool(word != 0) : rn_int(word);
	word = word < 0 ? word ^ INT64_MAX : word;
	memcpy(&x, &word, 8);
	return rn_float(x);
}

rn_wide rn_agg_total(const int64_t *w)
{
	return (rn_wide)((unsigned __int128)(uint64_t)w[1] << 64 | (uint64_t)w[0]);
}

double rn_agg_scaled(const struct rn_agg_call *call, rn_wide v)
{
	return call->fixed ? ldexp((double)v, -RN_FIXED_SHIFT) : (double)v;
}

struct rn_value rn_agg_bound(const struct rn_agg_call *call, rn_wide v)
{
	if (call->fixed)
		return rn_float(rn_agg_scaled(call, v));
	return rn_int(v < INT64_MIN ? INT64_MIN : v > INT64_MAX ? INT64_MAX : (int64_t)v);
}

enum rn_arg_fit rn_agg_number(const struct rn_agg_call *call, const struct rn_value *value,
			      rn_wide *out)
{
	bool whole = value->kind == RN_INT || value->kind == RN_BOOL;
	double x = whole ? (double)value->i : value->f;

	if ((!whole && value->kind != RN_FLOAT) || isnan(x))
		return RN_ARG_IGNORED;
	if (whole && !call->fixed) {
		*out = value->i;
		return RN_ARG_TAKEN;
	}
	if (call->fixed &&
	    (call->def->cell == RN_CELL_HLL ||
	     (call->def->cell == RN_CELL_NONE && has_slot(call->def, RN_SLOT_MIN, RN_SLOT_LAST)))) {
		*out = rn_agg_ordered(x);
		return RN_ARG_TAKEN;
	}
	if (fabs(x) >= ldexp(1, has_slot(call->def, RN_SLOT_SUMSQ, RN_SLOT_SUMSQ) ? RN_FIXED_SQ_BITS
										  : RN_FIXED_BITS))
		return RN_ARG_BEYOND;
	*out = (rn_wide)rint(call->fixed ? ldexp(x, RN_FIXED_SHIFT) : x);
	return RN_ARG_TAKEN;
}

/* A parameter on the scale of the argument, limited to a range just wider than all arguments. */
static rn_wide param(const struct rn_agg_call *c, double x)
{
	double limit = ldexp(1, 2 + RN_FIXED_BITS);

	x = x > limit ? limit : x < -limit ? -limit : x;
	return (rn_wide)rint(c->fixed ? ldexp(x, RN_FIXED_SHIFT) : x);
}

/* The beginning of step b, or hi, before scaling: on the argument's scale, steps such as 0.2 have
 * no exact place. */
static double step_begin(const struct rn_agg_call *c, int32_t b)
{
	double x = c->param[0] + b * c->param[2];

	return x < c->param[1] ? x : c->param[1];
}

static int32_t step_of_fraction(const struct rn_agg_call *c, rn_wide v)
{
	double at = v >= param(c, c->param[1]) ? c->param[1] : rn_agg_scaled(c, v),
	       b = floor((at - c->param[0]) / c->param[2]);
	int32_t i = b > 0 ? b < INT32_MAX - 1 ? (int32_t)b : INT32_MAX - 1 : 0;
	rn_wide hi = param(c, c->param[1]);

	if (v < param(c, c->param[0]))
		return -1;
	while (i > 0 && param(c, step_begin(c, i)) > v) /* both loops correct a rounding */
		i--;
	while (param(c, step_begin(c, i)) < hi && param(c, step_begin(c, i + 1)) <= v)
		i++;
	while (i > 1 && v >= hi && param(c, step_begin(c, i - 1)) >= hi)
		i--;
	return i;
}

static rn_wide whole_step(const struct rn_agg_call *c)
{
	rn_wide step = param(c, c->param[2]);

	return step < 1 ? 1 : step;
}

int32_t rn_agg_step_of(const struct rn_agg_call *call, rn_wide v)
{
	return call->fixed ? step_of_fraction(call, v)
			   : rn_bucket_linear(v, param(call, call->param[0]),
					      param(call, call->param[1]), whole_step(call));
}

struct rn_value rn_agg_step_begin(const struct rn_agg_call *call, int32_t b)
{
	rn_wide at = param(call, call->param[0]) + b * whole_step(call),
		hi = param(call, call->param[1]);
	char digits[32];

	if (!call->fixed)
		return rn_agg_bound(call, at < hi ? at : hi);
	snprintf(digits, sizeof(digits), "%.12g", step_begin(call, b)); /* 0.6, not 3 * 0.2 */
	return rn_float(strtod(digits, NULL));
}

void rn_blob_put_value(const struct rn_value *value, void (*put)(void *, const void *, size_t),
		       void *to)
{
	uint32_t len = value->kind == RN_STR ? value->len : 8;

	put(to, &value->kind, 1);
	put(to, &len, 4);
	put(to, value->kind == RN_STR ? (const void *)value->s : (const void *)&value->i, len);
}

bool rn_blob_get_i64(const unsigned char **p, const unsigned char *end, int64_t *v)
{
	if (end - *p < 8)
		return false;
	memcpy(v, *p, 8);
	*p += 8;
	return true;
}

bool rn_blob_get_value(const unsigned char **p, const unsigned char *end, struct rn_value *value)
{
	uint32_t len;

	if (end - *p < 5)
		return false;
	*value = (struct rn_value){.kind = **p};
	memcpy(&len, *p + 1, 4);
	*p += 5;
	if (value->kind > RN_STR || value->kind == RN_NULL || len > (size_t)(end - *p) ||
	    (value->kind != RN_STR && len != 8))
		return false;
	if (value->kind == RN_STR) {
		value->len = len;
		value->s = (const char *)*p;
	} else {
		memcpy(&value->i, *p, 8);
	}
	*p += len;
	return true;
}

struct rn_value rn_blob_value_dup(const struct rn_value *value)
{
	struct rn_value d = *value;

	if (value->kind == RN_STR) {
		char *s = rn_malloc(value->len + 1);

		if (value->len)
			memcpy(s, value->s, value->len);
		s[value->len] = 0;
		d.s = s;
	}
	return d;
}

void rn_blob_value_free(struct rn_value *value)
{
	if (value->kind == RN_STR)
		free((char *)(uintptr_t)value->s);
	*value = rn_null();
}
