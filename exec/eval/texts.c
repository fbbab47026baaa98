/* texts.c - functions of texts, by bytes. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "exec/eval/eval_impl.h"
#include "lang/base/str.h"
#include "lang/values/regex.h"

static bool are_texts(const struct rn_value *v, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (v[i].kind != RN_STR)
			return false;
	return true;
}

/* Does s hold x at byte `at`? at + x.len is within s. */
static bool holds_at(const struct rn_value *s, const struct rn_value *x, size_t at)
{
	return !x->len || !memcmp(s->s + at, x->s, x->len);
}

/* The first x in s from byte `from` on; NULL: none. */
static const char *find(const struct rn_value *s, const struct rn_value *x, size_t from)
{
	return memmem(s->s + from, s->len - from, x->s, x->len);
}

struct rn_value rn_eval_contains(const struct rn_expr *e, const struct rn_value *v,
				 struct rn_arena *a)
{
	(void)e, (void)a;
	return rn_bool(are_texts(v, 2) && (!v[1].len || (v[0].len && find(&v[0], &v[1], 0))));
}

struct rn_value rn_eval_startswith(const struct rn_expr *e, const struct rn_value *v,
				   struct rn_arena *a)
{
	(void)e, (void)a;
	return rn_bool(are_texts(v, 2) && v[1].len <= v[0].len && holds_at(&v[0], &v[1], 0));
}

struct rn_value rn_eval_endswith(const struct rn_expr *e, const struct rn_value *v,
				 struct rn_arena *a)
{
	(void)e, (void)a;
	return rn_bool(are_texts(v, 2) && v[1].len <= v[0].len &&
		       holds_at(&v[0], &v[1], v[0].len - v[1].len));
}

struct rn_value rn_eval_trim(const struct rn_expr *e, const struct rn_value *v, struct rn_arena *a)
{
	static const char blanks[] = " \t\n\v\f\r";
	size_t from = 0, to = v->len;

	(void)e, (void)a;
	if (v->kind != RN_STR)
		return rn_null();
	while (from < to && v->s[from] && strchr(blanks, v->s[from]))
		from++;
	while (to > from && v->s[to - 1] && strchr(blanks, v->s[to - 1]))
		to--;
	return rn_strn(v->s + from, to - from);
}

static void append(struct rn_strbuf *out, const struct rn_value *v)
{
	char number[40];

	switch (v->kind) {
	case RN_STR: rn_strbuf_putn(out, v->s, v->len); break;
	case RN_INT: rn_strbuf_printf(out, "%" PRId64, v->i); break;
	case RN_BOOL: rn_strbuf_put(out, v->i ? "true" : "false"); break;
	case RN_FLOAT:
		rn_float_text(number, sizeof(number), v->f);
		rn_strbuf_put(out, number);
		break;
	default: break;
	}
}

static struct rn_value text_of(struct rn_strbuf *out)
{
	const char *s = rn_strbuf_cstr(out);

	return rn_strn(s, out->len);
}

struct rn_value rn_eval_concat(const struct rn_expr *e, const struct rn_value *v,
			       struct rn_arena *a)
{
	struct rn_strbuf out;

	rn_strbuf_init(&out, a);
	for (unsigned i = 0; i < e->narg && i < RN_FUNC_ARGS; i++) {
		if (v[i].kind == RN_NULL)
			return rn_null();
		append(&out, &v[i]);
	}
	return text_of(&out);
}

struct rn_value rn_eval_replace(const struct rn_expr *e, const struct rn_value *v,
				struct rn_arena *a)
{
	struct rn_strbuf out;
	size_t at = 0;
	const char *p;

	(void)e;
	if (!are_texts(v, 3))
		return rn_null();
	if (!v[1].len || !v[0].len)
		return v[0];
	rn_strbuf_init(&out, a);
	while ((p = find(&v[0], &v[1], at))) {
		rn_strbuf_putn(&out, v[0].s + at, (size_t)(p - v[0].s) - at);
		append(&out, &v[2]);
		at = (size_t)(p - v[0].s) + v[1].len;
	}
	rn_strbuf_putn(&out, v[0].s + at, v[0].len - at);
	return text_of(&out);
}

/* How many parts sep cuts s into. */
static int64_t count_parts(const struct rn_value *s, const struct rn_value *sep)
{
	int64_t n = 1;
	const char *p;

	for (size_t at = 0; s->len && (p = find(s, sep, at)); n++)
		at = (size_t)(p - s->s) + sep->len;
	return n;
}

struct rn_value rn_eval_split_part(const struct rn_expr *e, const struct rn_value *v,
				   struct rn_arena *a)
{
	int64_t n;
	size_t at = 0;
	const char *p;

	(void)e, (void)a;
	if (!are_texts(v, 2) || v[2].kind != RN_INT)
		return rn_null();
	n = v[2].i;
	if (!v[1].len) /* nothing cuts: one part */
		return n == 1 || n == -1 ? v[0] : rn_strn("", 0);
	if (n < 0)
		n = n < -INT32_MAX ? 0 : count_parts(&v[0], &v[1]) + 1 + n;
	if (n < 1 || !v[0].len)
		return rn_strn("", 0);
	for (; --n; at = (size_t)(p - v[0].s) + v[1].len)
		if (!(p = find(&v[0], &v[1], at)))
			return rn_strn("", 0);
	p = find(&v[0], &v[1], at);
	return rn_strn(v[0].s + at, p ? (size_t)(p - v[0].s) - at : v[0].len - at);
}

struct rn_value rn_eval_extract(const struct rn_expr *e, const struct rn_value *v,
				struct rn_arena *a)
{
	const void *regex = e->narg > 1 ? e->arg[1]->compiled : NULL;

	(void)a;
	if (v->kind != RN_STR)
		return rn_null();
	return regex ? rn_eval_regex_find(regex, v) : rn_strn("", 0);
}
