/* funcs.c - the scalar functions of lang/catalog/funcs.c, one small function each, found by name in
 * one table.
 *
 * They get as many arguments as lang/catalog/funcs.c allows, but must accept any kind of value, as
 * fragments come from the network. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exec/eval/eval_impl.h"
#include "lang/values/minhash.h"

static bool is_str(const struct rn_value *v)
{
	return v->kind == RN_STR;
}
static bool is_int(const struct rn_value *v)
{
	return v->kind == RN_INT || v->kind == RN_BOOL;
}
static double as_float(const struct rn_value *v)
{
	return v->kind == RN_FLOAT ? v->f : (double)v->i;
}
static bool is_num(const struct rn_value *v)
{
	return is_int(v) || v->kind == RN_FLOAT;
}

static struct rn_value f_abs(const struct rn_expr *e, const struct rn_value *v, struct rn_arena *a)
{
	(void)a;
	if (!is_int(v))
		return v->kind == RN_FLOAT ? rn_float(fabs(v->f)) : rn_null();
	return v->i == INT64_MIN ? rn_eval_overflow(e) : rn_int(v->i < 0 ? -v->i : v->i);
}

/* Returns what follows the last `/`; *dir is the part before it. Trailing slashes do not count, as
 * in basename(1). */
static struct rn_value split_path(const struct rn_value *v, struct rn_value *dir)
{
	size_t n = v->len, at;
	size_t d;

	while (n > 1 && v->s[n - 1] == '/')
		n--;
	for (at = n; at > 0 && v->s[at - 1] != '/';)
		at--;
	if (n == 1 && v->s[0] == '/')
		at = 0;
	d = at;
	while (d > 1 && v->s[d - 1] == '/')
		d--;
	*dir = d ? rn_strn(v->s, d) : n == 1 && v->s[0] == '/' ? rn_strn("/", 1) : rn_strn(".", 1);
	return rn_strn(v->s + at, n - at);
}

static struct rn_value f_basename(const struct rn_expr *e, const struct rn_value *v,
				  struct rn_arena *a)
{
	struct rn_value dir;

	(void)e, (void)a;
	return is_str(v) && v->len ? split_path(v, &dir) : *v;
}

static struct rn_value f_dirname(const struct rn_expr *e, const struct rn_value *v,
				 struct rn_arena *a)
{
	struct rn_value dir;

	(void)e, (void)a;
	if (!is_str(v) || !v->len)
		return *v;
	split_path(v, &dir);
	return dir;
}

static struct rn_value f_ext(const struct rn_expr *e, const struct rn_value *v, struct rn_arena *a)
{
	struct rn_value base = f_basename(e, v, a);
	const char *dot;

	if (!is_str(&base) || !base.len)
		return base;
	dot = memrchr(base.s, '.', base.len);
	if (!dot || dot == base.s)
		return rn_strn("", 0);
	return rn_strn(dot + 1, (size_t)(base.s + base.len - dot - 1));
}

static struct rn_value f_bucket(const struct rn_expr *e, const struct rn_value *v,
				struct rn_arena *a)
{
	int64_t rest;

	(void)e, (void)a;
	if (!is_num(&v[0]) || !is_num(&v[1]) || as_float(&v[1]) <= 0)
		return rn_null();
	if (v[0].kind == RN_FLOAT || v[1].kind == RN_FLOAT)
		return rn_float(floor(as_float(&v[0]) / as_float(&v[1])) * as_float(&v[1]));
	rest = v[0].i % v[1].i;
	if (rest < 0)
		rest += v[1].i;
	/* no multiple below: the least number */
	return rn_int(v[0].i < INT64_MIN + rest ? INT64_MIN : v[0].i - rest);
}

/* A number without its fraction, as an integer. */
static struct rn_value whole(const struct rn_expr *e, double x)
{
	if (isnan(x))
		return rn_null();
	return x >= -0x1p63 && x < 0x1p63 ? rn_int((int64_t)x) : rn_eval_overflow(e);
}

static struct rn_value f_div(const struct rn_expr *e, const struct rn_value *v, struct rn_arena *a)
{
	(void)a;
	if (!is_num(&v[0]) || !is_num(&v[1]) || as_float(&v[1]) == 0)
		return rn_null();
	if (v[0].kind == RN_FLOAT || v[1].kind == RN_FLOAT)
		return whole(e, trunc(as_float(&v[0]) / as_float(&v[1])));
	if (v[1].i == -1)
		return v[0].i == INT64_MIN ? rn_eval_overflow(e) : rn_int(-v[0].i);
	return rn_int(v[0].i / v[1].i);
}

static struct rn_value f_round(const struct rn_expr *e, const struct rn_value *v,
			       struct rn_arena *a)
{
	(void)a;
	if (v->kind == RN_FLOAT)
		return whole(e, round(v->f));
	return is_int(v) ? rn_int(v->i) : rn_null();
}

/* Compares "10.0.0.0/8" or "fd00::/8" with the 16 address bytes. */
static struct rn_value f_cidr(const struct rn_expr *e, const struct rn_value *v, struct rn_arena *a)
{
	unsigned char net[RN_IP_BYTES];
	unsigned bits;
	unsigned char mask;

	(void)e, (void)a;
	if (!is_str(&v[0]) || !is_str(&v[1]) || v[0].len != RN_IP_BYTES ||
	    !rn_ip_parse_net(v[1].s, v[1].len, net, &bits))
		return rn_bool(false);
	mask = (unsigned char)(0xff00 >> bits % 8);
	return rn_bool(
		!memcmp(v[0].s, net, bits / 8) &&
		(!(bits % 8) || !(((unsigned char)v[0].s[bits / 8] ^ net[bits / 8]) & mask)));
}

static struct rn_value f_ip4(const struct rn_expr *e, const struct rn_value *v, struct rn_arena *a)
{
	unsigned char *ip = rn_arena_alloc(a, RN_IP_BYTES);

	(void)e;
	if (!is_str(v) || !rn_ip_parse(v->s, v->len, ip))
		return rn_null();
	return rn_strn((const char *)ip, RN_IP_BYTES);
}

static struct rn_value f_port(const struct rn_expr *e, const struct rn_value *v, struct rn_arena *a)
{
	(void)e, (void)a;
	if (!is_str(v) || v->len != RN_IP_BYTES)
		return rn_int(0);
	return rn_int((unsigned char)v->s[16] << 8 | (unsigned char)v->s[17]);
}

static struct rn_value f_len(const struct rn_expr *e, const struct rn_value *v, struct rn_arena *a)
{
	(void)e, (void)a;
	return is_str(v) ? rn_int(v->len) : rn_null();
}

static struct rn_value change_case(const struct rn_value *v, struct rn_arena *a, char from)
{
	char *s;

	if (!is_str(v))
		return rn_null();
	s = rn_arena_strndup(a, v->len ? v->s : "", v->len);
	for (uint32_t i = 0; i < v->len; i++)
		if ((unsigned char)(s[i] - from) < 26)
			s[i] ^= 0x20;
	return rn_strn(s, v->len);
}

static struct rn_value f_lower(const struct rn_expr *e, const struct rn_value *v,
			       struct rn_arena *a)
{
	(void)e;
	return change_case(v, a, 'A');
}

static struct rn_value f_upper(const struct rn_expr *e, const struct rn_value *v,
			       struct rn_arena *a)
{
	(void)e;
	return change_case(v, a, 'a');
}

/* The coordinator knows the number of nodes and leaves it in the call's own value; alone there is
 * one node. */
static struct rn_value f_nodes(const struct rn_expr *e, const struct rn_value *v,
			       struct rn_arena *a)
{
	(void)v, (void)a;
	return e->value.kind == RN_INT ? e->value : rn_int(1);
}

static struct rn_value f_substr(const struct rn_expr *e, const struct rn_value *v,
				struct rn_arena *a)
{
	int64_t len, from, n;

	(void)a;
	if (!is_str(&v[0]) || !is_int(&v[1]) || (e->narg > 2 && !is_int(&v[2])))
		return rn_null();
	len = v[0].len;
	from = v[1].i < 0 ? (v[1].i < -len ? 0 : len + v[1].i) : v[1].i > len ? len : v[1].i;
	n = len - from;
	if (e->narg > 2 && v[2].i < n)
		n = v[2].i < 0 ? 0 : v[2].i;
	return rn_strn(v[0].s + from, (size_t)n);
}

/* The sketch of an argument: made before if it is a constant, taken as it is, or made of its bytes.
 * An argument without a type (in SQL) is a sketch. */
static struct rn_sketch sketch_of(const struct rn_expr *e, const struct rn_value *v)
{
	struct rn_sketch s;

	if (e->kind == RN_E_CONST && e->compiled)
		return *(const struct rn_sketch *)e->compiled;
	if (is_str(v) && v->len == RN_SKETCH_BYTES &&
	    (e->ty.type == RN_T_SKETCH || e->ty.type == RN_T_ERROR))
		rn_sketch_read(&s, v->s);
	else
		rn_sketch_make(&s, is_str(v) && e->ty.type != RN_T_SKETCH ? v->s : "",
			       is_str(v) && e->ty.type != RN_T_SKETCH ? v->len : 0);
	return s;
}

static struct rn_value f_similar(const struct rn_expr *e, const struct rn_value *v,
				 struct rn_arena *a)
{
	struct rn_sketch x = sketch_of(e->arg[0], &v[0]), y = sketch_of(e->arg[1], &v[1]);

	(void)a;
	return is_str(&v[0]) && is_str(&v[1]) ? rn_float(rn_sketch_similarity(&x, &y)) : rn_null();
}

const void *rn_eval_sketch_new(struct rn_arena *arena, const struct rn_value *value)
{
	struct rn_sketch *s = RN_NEW(arena, struct rn_sketch);

	rn_sketch_make(s, value->s, value->len);
	return s;
}

static struct rn_value f_is_null(const struct rn_expr *e, const struct rn_value *v,
				 struct rn_arena *a)
{
	(void)e, (void)a;
	return rn_bool(v->kind == RN_NULL);
}

static struct rn_value f_sqrt(const struct rn_expr *e, const struct rn_value *v, struct rn_arena *a)
{
	(void)e, (void)a;
	return is_num(v) && as_float(v) >= 0 ? rn_float(sqrt(as_float(v))) : rn_null();
}

static struct rn_value f_log2(const struct rn_expr *e, const struct rn_value *v, struct rn_arena *a)
{
	(void)e, (void)a;
	return is_num(v) && as_float(v) > 0 ? rn_float(log2(as_float(v))) : rn_null();
}

/* The argument that compares with all others as `sign` says; NULL ones do not count. */
static struct rn_value extreme(const struct rn_expr *e, const struct rn_value *v, int sign)
{
	struct rn_value best = rn_null();

	for (unsigned i = 0; i < e->narg; i++)
		if (v[i].kind != RN_NULL &&
		    (best.kind == RN_NULL || rn_value_cmp(&v[i], &best) * sign > 0))
			best = v[i];
	return best;
}

static struct rn_value f_least(const struct rn_expr *e, const struct rn_value *v,
			       struct rn_arena *a)
{
	(void)a;
	return extreme(e, v, -1);
}

static struct rn_value f_greatest(const struct rn_expr *e, const struct rn_value *v,
				  struct rn_arena *a)
{
	(void)a;
	return extreme(e, v, 1);
}

static struct rn_value f_if(const struct rn_expr *e, const struct rn_value *v, struct rn_arena *a)
{
	(void)e, (void)a;
	return (is_num(&v[0]) && as_float(&v[0]) != 0) ? v[1] : v[2];
}

static const struct entry {
	const char *name;
	rn_eval_fn *call;
} functions[] = {
	{"abs", f_abs},
	{"basename", f_basename},
	{"bucket", f_bucket},
	{"cidr", f_cidr},
	{"concat", rn_eval_concat},
	{"contains", rn_eval_contains},
	{"date", rn_eval_date},
	{"dirname", f_dirname},
	{"div", f_div},
	{"endswith", rn_eval_endswith},
	{"ext", f_ext},
	{"extract", rn_eval_extract},
	{"greatest", f_greatest},
	{"hour", rn_eval_hour},
	{"if", f_if},
	{"ip4", f_ip4},
	{"is null", f_is_null},
	{"least", f_least},
	{"len", f_len},
	{"log2", f_log2},
	{"lower", f_lower},
	{"nodes", f_nodes},
	{"port", f_port},
	{"replace", rn_eval_replace},
	{"round", f_round},
	{"similar", f_similar},
	{"split_part", rn_eval_split_part},
	{"sqrt", f_sqrt},
	{"startswith", rn_eval_startswith},
	{"substr", f_substr},
	{"trim", rn_eval_trim},
	{"upper", f_upper},
};

const void *rn_eval_call_find(const char *name)
{
	for (unsigned i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (!strcmp(functions[i].name, name))
			return &functions[i];
	return NULL;
}

struct rn_value rn_eval_call(const struct rn_expr *expr, const struct rn_value *arg,
			     struct rn_arena *scratch)
{
	const struct entry *f = expr->compiled ? expr->compiled
				: expr->func   ? rn_eval_call_find(expr->func->name)
					       : NULL;

	return f ? f->call(expr, arg, scratch) : rn_null();
}
