/* params.c - the parameters that a text declares: `param NAME = VALUE`, `param NAME TYPE`, `param
 * NAME TYPE = VALUE`.
 *
 * A value of the command line is read only as the declared type. A string is never a number, and a
 * number never lacks its unit. Errors are reported at the parameter's declaration. */
#include <errno.h>
#include <stdlib.h>
#include "lang/resolve/resolve_impl.h"
#include "lang/base/nearest.h"

static const struct type {
	const char *name;
	struct rn_ty ty;
	const char *phrase, *example;
} types[] = {
	{"integer", {RN_T_INT, RN_U_NONE}, "an integer", "5"},
	{"float", {RN_T_FLOAT, RN_U_NONE}, "a number", "0.5"},
	{"duration", {RN_T_INT, RN_U_NS}, "a duration", "10ms"},
	{"size", {RN_T_INT, RN_U_BYTE}, "a size", "4KiB"},
	{"string", {RN_T_STR, RN_U_NONE}, "a string", "text"},
	{"time", {RN_T_INT, RN_U_EPOCH}, "a time", "2026-11-20T10:00:00"},
	{"boolean", {RN_T_BOOL, RN_U_NONE}, "a boolean", "true"},
	{"ip", {RN_T_IP, RN_U_NONE}, "an address", "10.0.0.1"},
};
enum { NTYPES = sizeof(types) / sizeof(*types) };

static int type_named(const char *name)
{
	for (int i = 0; i < NTYPES; i++)
		if (!strcmp(types[i].name, name))
			return i;
	return -1;
}

static bool same_type(struct rn_ty a, struct rn_ty b)
{
	return a.type == b.type && a.unit == b.unit;
}

static const struct type *type_of(struct rn_ty t)
{
	int i = 0;

	while (i + 1 < NTYPES && !same_type(types[i].ty, t))
		i++;
	return &types[i];
}

/* ---- texts as values ---- */

static bool read_integer(const char *text, int64_t *out)
{
	bool hex = !strncmp(text, "0x", 2);
	char *end;

	if (!(text[0] >= '0' && text[0] <= '9') &&
	    !(text[0] == '-' && text[1] >= '0' && text[1] <= '9'))
		return false;
	errno = 0;
	*out = hex ? (int64_t)strtoull(text, &end, 16) : strtoll(text, &end, 10);
	return !*end && end > text + (hex ? 2 : 0) && !errno;
}

static bool read_float(const char *text, double *out)
{
	char *end;

	if (!*text || text[strspn(text, "0123456789.eE+-")] || strchr("eE+", text[0]))
		return false;
	errno = 0;
	*out = strtod(text, &end);
	return !*end && end > text && !errno;
}

static bool read_amount(const char *text, enum rn_unit want, int64_t *out)
{
	bool minus = text[0] == '-';
	enum rn_unit unit;

	if (!rn_unit_parse(text + minus, strlen(text + minus), out, &unit) || unit != want)
		return false;
	*out = minus ? -*out : *out;
	return true;
}

/* Reads text as a literal of type t; NULL if it is none. */
static struct rn_ast_expr *read_value(struct rn_arena *arena, struct rn_ty t, const char *text)
{
	struct rn_ast_expr *expr = RN_NEW(arena, struct rn_ast_expr);
	const char *quoted = rn_arena_printf(arena, "\"%s\"", text),
		   *as_is = rn_arena_strdup(arena, text);
	unsigned char ip[RN_IP_BYTES];
	int64_t i;
	double f;

	if (t.type == RN_T_STR) {
		make_literal(expr, rn_strn(as_is, strlen(text)), t, NULL);
		expr->quoted = true;
	} else if (t.type == RN_T_BOOL && (!strcmp(text, "true") || !strcmp(text, "false"))) {
		make_literal(expr, rn_bool(text[0] == 't'), t, as_is);
	} else if (t.type == RN_T_IP && rn_ip_parse(text, strlen(text), ip)) {
		make_literal(expr,
			     rn_strn(rn_arena_strndup(arena, (char *)ip, RN_IP_BYTES), RN_IP_BYTES),
			     t, quoted);
	} else if (t.type == RN_T_FLOAT && read_float(text, &f)) {
		make_literal(expr, rn_float(f), t, NULL);
	} else if (t.unit == RN_U_EPOCH && rn_time_parse(text, strlen(text), &i)) {
		make_literal(expr, rn_int(i), t, quoted);
	} else if (((t.unit == RN_U_NS || t.unit == RN_U_BYTE) && read_amount(text, t.unit, &i)) ||
		   (t.type == RN_T_INT && !t.unit && read_integer(text, &i))) {
		make_literal(expr, rn_int(i), t, as_is);
	} else {
		return NULL;
	}
	return expr;
}

/* ---- declarations ---- */

static void bad_type(struct rn_arena *a, struct rn_diag *d, const struct rn_ast_param *p)
{
	const char *names[NTYPES + 1] = {NULL}, *list = "", *near;
	struct rn_diag_item *it = rn_diag_add(d, RN_ERROR, "E-NAME-TYPE", p->type_span,
					      "there is no type `%s`", p->type);

	for (int i = 0; i < NTYPES; i++) {
		names[i] = types[i].name;
		list = rn_arena_printf(a, "%s%s%s", list, i ? i + 1 == NTYPES ? " and " : ", " : "",
				       types[i].name);
	}
	near = rn_nearest(p->type, names);
	if (near)
		rn_diag_hint(d, it, "did you mean `%s`?", near);
	else
		rn_diag_hint(d, it, "the types are %s", list);
}

/* Reads the default as a literal of the type want, or, if want is NULL, of any type that a
 * parameter can have. NULL after a report. */
static struct rn_ast_expr *read_default(struct rn_arena *arena, struct rn_diag *diag,
					const struct rn_ast_param *param, const struct rn_ty *want)
{
	struct rn_ast_expr *expr = rn_resolve_copy_expr(arena, param->deflt);
	struct rn_diag_item *it;

	if (expr->kind == RN_AST_NAME) { /* a bareword is a string */
		make_literal(expr, rn_strn(expr->name, strlen(expr->name)), ty(RN_T_STR, RN_U_NONE),
			     NULL);
		expr->quoted = true;
	}
	if (expr->kind != RN_AST_LITERAL || expr->ty.type == RN_T_BYTES) {
		rn_diag_add(diag, RN_ERROR, "E-TYPE", expr->span,
			    "the default of a parameter is a constant: a number, a text, `true` or "
			    "`false`");
		return NULL;
	}
	expr->span = (struct rn_span){0};
	if (!want || same_type(*want, expr->ty))
		return expr;
	if (want->type == RN_T_FLOAT && expr->ty.type == RN_T_INT && !expr->ty.unit) {
		make_literal(expr, rn_float((double)expr->value.i), *want, NULL);
		return expr;
	}
	if (is_string_literal(expr) && (want->type == RN_T_IP || want->unit == RN_U_EPOCH)) {
		expr = read_value(arena, *want, expr->value.s);
		if (expr)
			return expr;
	}
	it = rn_diag_add(diag, RN_ERROR, "E-TYPE", param->deflt->span,
			 "the parameter `%s` is declared as %s, and its default is none",
			 param->name, type_of(*want)->phrase);
	it->also = param->type_span;
	if (want->type == RN_T_STR || want->type == RN_T_IP || want->unit == RN_U_EPOCH)
		rn_diag_hint(diag, it, "for instance \"%s\"", type_of(*want)->example);
	else
		rn_diag_hint(diag, it, "for instance %s", type_of(*want)->example);
	return NULL;
}

static struct rn_param *declare(struct rn_arena *a, struct rn_diag *d, const struct rn_ast_stmt *st)
{
	const struct rn_ast_param *p = st->params;
	struct rn_param *x = RN_NEW(a, struct rn_param);
	int type = p->type ? type_named(p->type) : -1;

	*x = (struct rn_param){.stmt = st, .name = p->name};
	if (p->type && type < 0)
		bad_type(a, d, p);
	else if (p->deflt)
		x->deflt = read_default(a, d, p, p->type ? &types[type].ty : NULL);
	x->ty = type >= 0 ? types[type].ty : x->deflt ? x->deflt->ty : ty_error();
	return x;
}

const struct rn_param *rn_params_find(const struct rn_param *all, const char *name, size_t len)
{
	for (; all; all = all->next)
		if (strlen(all->name) == len && !memcmp(all->name, name, len))
			return all;
	return NULL;
}

struct rn_param *rn_params_declared(struct rn_arena *arena, struct rn_diag *diag,
				    const struct rn_ast_file *file)
{
	struct rn_param *all = NULL, **tail = &all;

	for (const struct rn_ast_stmt *st = file->stmts; st; st = st->next) {
		const struct rn_param *first;

		if (st->kind != RN_STMT_PARAM)
			continue;
		first = rn_params_find(all, st->name, strlen(st->name));
		if (first) {
			rn_diag_add(diag, RN_ERROR, "E-NAME-PARAM", st->params->name_span,
				    "the parameter `%s` is declared twice", st->name)
				->also = first->stmt->params->name_span;
			continue;
		}
		*tail = declare(arena, diag, st);
		tail = &(*tail)->next;
	}
	return all;
}

/* ---- values ---- */

const char *rn_params_way(struct rn_arena *arena, const char *text_name, const char *param)
{
	if (!strcmp(text_name, "query"))
		return rn_arena_printf(
			arena, "give it one behind the query: runnel 'QUERY' %s=VALUE", param);
	if (!strcmp(text_name, "stdin"))
		return rn_arena_printf(arena, "give it one on the command line: runnel - %s=VALUE",
				       param);
	return rn_arena_printf(arena, "give it one behind the file: runnel %s %s=VALUE", text_name,
			       param);
}

static const char *given_value(const char *const *given, const char *name)
{
	const char *value = NULL;
	size_t n = strlen(name);

	for (; given && *given; given++)
		if (!strncmp(*given, name, n) &&
		    ((*given)[n] == '=' || !strncmp(*given + n, ":=", 2)))
			value = strchr(*given, '=') + 1;
	return value;
}

static void bind(struct rn_arena *arena, struct rn_diag *diag, struct rn_param *p, const char *text)
{
	struct rn_span at = p->stmt->params->name_span;
	struct rn_diag_item *it;

	if (p->ty.type == RN_T_ERROR)
		return;
	p->value = text ? read_value(arena, p->ty, text) : p->deflt;
	if (p->value)
		return;
	if (text) {
		it = rn_diag_add(diag, RN_ERROR, "E-PARAM", at,
				 "the parameter `%s` is %s, and `%s=%s` gives it none", p->name,
				 type_of(p->ty)->phrase, p->name, text);
		rn_diag_hint(diag, it, "for instance %s=%s", p->name, type_of(p->ty)->example);
	} else if (!p->stmt->params->deflt) {
		it = rn_diag_add(diag, RN_ERROR, "E-PARAM", at,
				 "the parameter `%s` has no value: %s is needed", p->name,
				 type_of(p->ty)->phrase);
		rn_diag_hint(diag, it, "%s",
			     rn_params_way(arena, rn_diag_name(diag, at.src), p->name));
	}
}

void rn_params_bind(struct rn_arena *arena, struct rn_diag *diag, struct rn_param *all,
		    const char *const *given)
{
	for (; all; all = all->next)
		bind(arena, diag, all, given_value(given, all->name));
}
