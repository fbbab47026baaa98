/* sql.c - the SQL that finishes an answer: one table of finished groups or rows, one statement over
 * it.
 *
 * Groups: g(window, k0.., a0.., x_events, x_other), keys and finished aggregates. Rows and flows:
 * r(c0.., x_time, x_seq). It means the same as in the evaluator:
 *  - A comparison with NULL is false, so it is wrapped if NOT could see the difference.
 *  - Integers of more than 64 bits are NULL and counted, so + - * / on integers are functions.
 *  - Whatever SQL lacks is a function of the evaluator. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "exec/answer/sql_impl.h"
#include "exec/answer/answer.h"
#include "lang/base/str.h"

struct gen {
	struct rn_strbuf text;
	const struct rn_plan *plan;
	const char *prefix; /* of keys and aggregates: "p" for those of the window before */
	bool *shared;       /* of each aggregate: its share is asked for; NULL: none is */
};

static void expr(struct gen *g, const struct rn_expr *e);

static void put_text(struct gen *g, char quote, const char *s, size_t n)
{
	rn_strbuf_putc(&g->text, quote);
	for (size_t i = 0; i < n; i++) {
		if (s[i] == quote)
			rn_strbuf_putc(&g->text, quote);
		rn_strbuf_putc(&g->text, s[i]);
	}
	rn_strbuf_putc(&g->text, quote);
}

static void put_blob(struct gen *g, const char *s, size_t n)
{
	rn_strbuf_put(&g->text, "x'");
	for (size_t i = 0; i < n; i++)
		rn_strbuf_printf(&g->text, "%02x", (unsigned char)s[i]);
	rn_strbuf_put(&g->text, "'");
}

static bool is_blob(struct rn_ty t)
{
	return t.type == RN_T_IP || t.type == RN_T_BYTES || t.type == RN_T_SKETCH;
}

static void put_float(struct gen *g, double f)
{
	char s[40];

	if (isnan(f)) {
		rn_strbuf_put(&g->text, "null");
		return;
	}
	if (isinf(f)) {
		rn_strbuf_put(&g->text, f < 0 ? "-9e999" : "9e999");
		return;
	}
	snprintf(s, sizeof(s), "%.17g", f);
	rn_strbuf_put(&g->text, s);
	if (!strpbrk(s, ".e"))
		rn_strbuf_put(&g->text, ".0");
}

static void constant(struct gen *g, const struct rn_expr *expr)
{
	const struct rn_value *value = &expr->value;

	switch (value->kind) {
	case RN_BOOL:
	case RN_INT:
		if (value->i == INT64_MIN)
			rn_strbuf_put(&g->text, "(-9223372036854775807 - 1)");
		else
			rn_strbuf_printf(&g->text, "%lld", (long long)value->i);
		break;
	case RN_FLOAT: put_float(g, value->f); break;
	case RN_STR:
		if (is_blob(expr->ty))
			put_blob(g, value->s, value->len);
		else
			put_text(g, '\'', value->s, value->len);
		break;
	default: rn_strbuf_put(&g->text, "null");
	}
}

/* An address without a port equals the same address with any port: then only the address is
 * compared. */
static bool any_port(const struct rn_expr *e)
{
	return e->kind == RN_E_CONST && e->ty.type == RN_T_IP && e->value.kind == RN_STR &&
	       e->value.len == RN_IP_BYTES && !e->value.s[16] && !e->value.s[17];
}

static void call(struct gen *g, const char *name, struct rn_expr *const *arg, unsigned narg)
{
	rn_strbuf_printf(&g->text, "%s(", name);
	for (unsigned i = 0; i < narg; i++) {
		if (i)
			rn_strbuf_put(&g->text, ", ");
		expr(g, arg[i]);
	}
	rn_strbuf_put(&g->text, ")");
}

static void truth(struct gen *g, const struct rn_expr *e);

/* if(c, a, b) */
static void choose(struct gen *g, const struct rn_expr *e)
{
	rn_strbuf_put(&g->text, e->ty.type == RN_T_FLOAT ? "cast(case when " : "(case when ");
	truth(g, e->arg[0]);
	rn_strbuf_put(&g->text, " then ");
	expr(g, e->arg[1]);
	rn_strbuf_put(&g->text, " else ");
	expr(g, e->arg[2]);
	rn_strbuf_put(&g->text, e->ty.type == RN_T_FLOAT ? " end as real)" : " end)");
}

/* ?1 is the first window, before which there is none. */
static void delta(struct gen *g, const struct rn_expr *e)
{
	bool whole = e->arg[0]->ty.type != RN_T_FLOAT;

	rn_strbuf_printf(&g->text, "case when window <= ?1 then null else %s(",
			 whole ? "int_sub" : "");
	expr(g, e->arg[0]);
	rn_strbuf_printf(&g->text, "%s coalesce(", whole ? "," : " -");
	g->prefix = "p";
	expr(g, e->arg[0]);
	g->prefix = "";
	rn_strbuf_put(&g->text, ", 0)) end");
}

/* SQLite knows no types, so the argument of a sketch function is made a sketch before. */
static void scalar(struct gen *g, const struct rn_expr *e)
{
	if (e->func == &rn_func_is_null) {
		rn_strbuf_put(&g->text, "(");
		expr(g, e->arg[0]);
		rn_strbuf_put(&g->text, " is null)");
		return;
	}
	if (rn_func_chooses(e->func)) {
		choose(g, e);
		return;
	}
	if (e->func == &rn_func_share) {
		rn_strbuf_printf(&g->text, "%ss%d", g->prefix, e->arg[0]->index);
		return;
	}
	if (e->func == &rn_func_delta) {
		delta(g, e);
		return;
	}
	/* in quotes, as some are words of SQL */
	rn_strbuf_printf(&g->text, e->ty.type == RN_T_FLOAT ? "cast(\"%s\"(" : "\"%s\"(",
			 e->func->name);
	for (unsigned i = 0; i < e->narg; i++) {
		bool make = i < e->func->max_args && e->func->arg[i] == RN_ARG_SKETCH &&
			    e->arg[i]->ty.type != RN_T_SKETCH;

		rn_strbuf_put(&g->text, i ? ", " : "");
		rn_strbuf_put(&g->text, make ? "sketch_of(" : "");
		expr(g, e->arg[i]);
		rn_strbuf_put(&g->text, make ? ")" : "");
	}
	/* one of several arguments, of which another has a fraction */
	rn_strbuf_put(&g->text, e->ty.type == RN_T_FLOAT ? ") as real)" : ")");
}

static void infix(struct gen *g, const struct rn_expr *e, const char *op)
{
	rn_strbuf_put(&g->text, "(");
	expr(g, e->arg[0]);
	rn_strbuf_printf(&g->text, " %s ", op);
	expr(g, e->arg[1]);
	rn_strbuf_put(&g->text, ")");
}

static void compare(struct gen *g, const struct rn_expr *e, const char *op)
{
	bool address = any_port(e->arg[0]) || any_port(e->arg[1]);

	rn_strbuf_put(&g->text, "coalesce(");
	for (int i = 0; i < 2; i++) {
		if (i)
			rn_strbuf_printf(&g->text, " %s ", op);
		if (address)
			call(g, "address", &e->arg[i], 1);
		else
			expr(g, e->arg[i]);
	}
	rn_strbuf_put(&g->text, ", 0)");
}

static void truth(struct gen *g, const struct rn_expr *e)
{
	bool sure = e->kind == RN_E_IN || (e->kind == RN_E_OP && e->op <= RN_OP_REGEX);

	if (!sure)
		rn_strbuf_put(&g->text, "coalesce(");
	expr(g, e);
	if (!sure)
		rn_strbuf_put(&g->text, ", 0)");
}

static void logic(struct gen *g, const struct rn_expr *e, const char *op)
{
	rn_strbuf_put(&g->text, "(");
	truth(g, e->arg[0]);
	rn_strbuf_printf(&g->text, " %s ", op);
	truth(g, e->arg[1]);
	rn_strbuf_put(&g->text, ")");
}

static bool both_int(const struct rn_expr *e)
{
	return e->arg[0]->ty.type != RN_T_FLOAT && e->arg[1]->ty.type != RN_T_FLOAT;
}

/* SQLite divides integers without a rest. */
static void divide(struct gen *g, const struct rn_expr *e)
{
	if (e->ty.type != RN_T_FLOAT) {
		call(g, "int_div", e->arg, 2);
		return;
	}
	rn_strbuf_put(&g->text, "(cast(");
	expr(g, e->arg[0]);
	rn_strbuf_put(&g->text, " as real) / ");
	expr(g, e->arg[1]);
	rn_strbuf_put(&g->text, ")");
}

static void operation(struct gen *g, const struct rn_expr *e)
{
	bool whole = e->op == RN_OP_NEG ? e->arg[0]->ty.type != RN_T_FLOAT
					: e->op >= RN_OP_ADD && both_int(e);

	switch (e->op) {
	case RN_OP_NOT:
		rn_strbuf_put(&g->text, "(not ");
		truth(g, e->arg[0]);
		rn_strbuf_put(&g->text, ")");
		break;
	case RN_OP_NEG:
		rn_strbuf_put(&g->text, whole ? "int_neg(" : "(-");
		expr(g, e->arg[0]);
		rn_strbuf_put(&g->text, ")");
		break;
	case RN_OP_AND: logic(g, e, "and"); break;
	case RN_OP_OR: logic(g, e, "or"); break;
	case RN_OP_EQ: compare(g, e, "="); break;
	case RN_OP_NE: compare(g, e, "<>"); break;
	case RN_OP_LT: compare(g, e, "<"); break;
	case RN_OP_LE: compare(g, e, "<="); break;
	case RN_OP_GT: compare(g, e, ">"); break;
	case RN_OP_GE: compare(g, e, ">="); break;
	case RN_OP_GLOB: call(g, "glob_match", e->arg, 2); break;
	case RN_OP_NGLOB: call(g, "glob_differ", e->arg, 2); break;
	case RN_OP_REGEX: call(g, "regex_match", e->arg, 2); break;
	case RN_OP_ADD: whole ? call(g, "int_add", e->arg, 2) : infix(g, e, "+"); break;
	case RN_OP_SUB: whole ? call(g, "int_sub", e->arg, 2) : infix(g, e, "-"); break;
	case RN_OP_MUL: whole ? call(g, "int_mul", e->arg, 2) : infix(g, e, "*"); break;
	case RN_OP_DIV: divide(g, e); break;
	case RN_OP_MOD: whole ? infix(g, e, "%") : call(g, "float_mod", e->arg, 2); break;
	case RN_OP_BITOR: infix(g, e, "|"); break;
	case RN_OP_BITXOR: call(g, "bit_xor", e->arg, 2); break;
	case RN_OP_BITAND: infix(g, e, "&"); break;
	case RN_OP_SHL: call(g, "shift_left", e->arg, 2); break;
	case RN_OP_SHR: call(g, "shift_right", e->arg, 2); break;
	default: rn_strbuf_put(&g->text, "null");
	}
}

static void in_part(struct gen *g, const struct rn_expr *e, bool ports)
{
	const char *sep = "";

	rn_strbuf_put(&g->text, "coalesce(");
	if (ports)
		expr(g, e->arg[0]);
	else
		call(g, "address", &e->arg[0], 1);
	rn_strbuf_put(&g->text, " in (");
	for (unsigned i = 1; i < e->narg; i++) {
		if (any_port(e->arg[i]) == ports)
			continue;
		rn_strbuf_put(&g->text, sep);
		if (ports)
			expr(g, e->arg[i]);
		else
			call(g, "address", &e->arg[i], 1);
		sep = ", ";
	}
	rn_strbuf_put(&g->text, "), 0)");
}

static void in_list(struct gen *g, const struct rn_expr *e)
{
	bool bare = false;

	if (e->index && e->narg == 1) {
		rn_strbuf_put(&g->text, "(");
		expr(g, e->arg[0]);
		rn_strbuf_printf(&g->text, " in (select c0 from s%d))", e->index - 1);
		return;
	}
	for (unsigned i = 1; i < e->narg; i++)
		bare |= any_port(e->arg[i]);
	if (bare)
		rn_strbuf_put(&g->text, "(");
	in_part(g, e, true);
	if (bare) {
		rn_strbuf_put(&g->text, " or ");
		in_part(g, e, false);
		rn_strbuf_put(&g->text, ")");
	}
}

static void expr(struct gen *g, const struct rn_expr *e)
{
	switch (e->kind) {
	case RN_E_CONST: constant(g, e); break;
	case RN_E_FIELD: put_text(g, '"', e->name, strlen(e->name)); break;
	case RN_E_KEY: rn_strbuf_printf(&g->text, "%sk%d", g->prefix, e->index); break;
	case RN_E_AGG: rn_strbuf_printf(&g->text, "%sa%d", g->prefix, e->index); break;
	case RN_E_COLUMN: rn_strbuf_printf(&g->text, "c%d", e->index); break;
	case RN_E_OP: operation(g, e); break;
	case RN_E_IN: in_list(g, e); break;
	case RN_E_CALL: scalar(g, e); break;
	case RN_E_ASKED: /* in a dump: it is a constant once the query runs */
		rn_strbuf_printf(&g->text, "(select c0 from s%d)", e->index - 1);
		break;
	}
}

/* ---- statements ---- */

static bool grouped(const struct rn_plan *p)
{
	return p->kind == RN_PLAN_GROUPS;
}

/* Columns of the table of rows: the fragment's; for a flow, the answer's. */
static unsigned row_columns(const struct rn_plan *p)
{
	return p->kind == RN_PLAN_FLOW ? p->nout : p->frag.ncols;
}

static void groups_table(struct rn_strbuf *buf, const struct rn_plan *plan, const char *name)
{
	rn_strbuf_printf(buf, "create table %s (window integer, ", name);
	for (unsigned i = 0; i < plan->frag.nkeys; i++)
		rn_strbuf_printf(buf, "k%u, ", i);
	for (unsigned i = 0; i < plan->frag.naggs; i++)
		rn_strbuf_printf(buf, "a%u, ", i);
	rn_strbuf_put(buf, "x_events integer, x_other integer)");
}

const char *rn_sql_create(struct rn_arena *arena, const struct rn_plan *plan)
{
	struct rn_strbuf buf;

	rn_strbuf_init(&buf, arena);
	if (!grouped(plan)) {
		rn_strbuf_put(&buf, "create table r (");
		for (unsigned i = 0; i < row_columns(plan); i++)
			rn_strbuf_printf(&buf, "c%u, ", i);
		rn_strbuf_put(&buf, "x_time integer, x_seq integer primary key)");
		return rn_strbuf_cstr(&buf);
	}
	groups_table(&buf, plan, "g");
	if (rn_plan_calls(plan, &rn_func_delta)) {
		rn_strbuf_put(&buf, ";\n");
		groups_table(&buf, plan, "p");
	}
	return rn_strbuf_cstr(&buf);
}

const char rn_sql_keep_window[] =
	"delete from p where exists (select * from g); "
	"insert into p select * from g where window = (select max(window) from g)";

const char *rn_sql_insert(struct rn_arena *arena, const struct rn_plan *plan)
{
	unsigned n =
		grouped(plan) ? 3 + plan->frag.nkeys + plan->frag.naggs : 2 + row_columns(plan);
	struct rn_strbuf t;

	rn_strbuf_init(&t, arena);
	rn_strbuf_printf(&t, "insert into %s values (?", grouped(plan) ? "g" : "r");
	while (--n)
		rn_strbuf_put(&t, ", ?");
	rn_strbuf_put(&t, ")");
	return rn_strbuf_cstr(&t);
}

static void order_by(struct gen *g, const char *column, unsigned base)
{
	const struct rn_plan *p = g->plan;

	for (unsigned i = 0; i < p->norder; i++)
		rn_strbuf_printf(&g->text, "%s%s%u%s", i ? ", " : "", column,
				 base + (unsigned)p->order[i].column,
				 p->order[i].desc ? " desc" : "");
}

static void label(struct gen *g, unsigned i)
{
	rn_strbuf_put(&g->text, " as ");
	put_text(g, '"', g->plan->out[i].label, strlen(g->plan->out[i].label));
}

static void find_share(void *self, const struct rn_expr *e)
{
	if (e->kind == RN_E_CALL && e->func == &rn_func_share)
		((bool *)self)[e->arg[0]->index] = true;
}

static void note_shares(struct gen *g)
{
	const struct rn_plan *p = g->plan;

	if (!rn_plan_calls(p, &rn_func_share))
		return;
	g->shared = RN_NEWN(g->text.arena, bool, p->frag.naggs);
	for (unsigned i = 0; i < p->nout; i++)
		rn_expr_look(p->out[i].expr, find_share, g->shared);
	rn_expr_look(p->having, find_share, g->shared);
}

/* Groups with s0.. for the aggregates of which a share is asked. */
static void with_shares(struct gen *g, const char *from)
{
	const struct rn_plan *p = g->plan;
	const char *over = p->frag.every_ns ? "partition by window" : "";

	rn_strbuf_put(&g->text, "(select *");
	for (unsigned i = 0; i < p->frag.naggs; i++)
		if (g->shared[i]) /* total() does not overflow */
			rn_strbuf_printf(&g->text, ", a%u / total(a%u) over (%s) as s%u", i, i,
					 over, i);
	rn_strbuf_printf(&g->text, " from %s)", from);
}

/* Groups with pk0.., pa0.., ps0..: those of the same keys in the window before, which are in the
 * table p. */
static void with_windows_before(struct gen *g)
{
	static const char both[] =
		"(select *, 0 as x_old from g union all select *, 1 as x_old from p)";
	const struct rn_plan *p = g->plan;

	rn_strbuf_put(&g->text, "(with w as materialized ");
	if (g->shared)
		with_shares(g, both);
	else
		rn_strbuf_put(&g->text, both);
	rn_strbuf_put(&g->text, "\nselect n.*");
	for (unsigned i = 0; i < p->frag.nkeys; i++)
		rn_strbuf_printf(&g->text, ", p.k%u as pk%u", i, i);
	for (unsigned i = 0; i < p->frag.naggs; i++)
		rn_strbuf_printf(&g->text, ", p.a%u as pa%u", i, i);
	for (unsigned i = 0; g->shared && i < p->frag.naggs; i++)
		if (g->shared[i])
			rn_strbuf_printf(&g->text, ", p.s%u as ps%u", i, i);
	rn_strbuf_printf(&g->text,
			 "\nfrom w as n left join w as p on p.window = n.window - %lld and "
			 "p.x_other = n.x_other",
			 (long long)p->frag.every_ns);
	for (unsigned i = 0; i < p->frag.nkeys; i++)
		rn_strbuf_printf(&g->text, " and p.k%u is n.k%u", i, i);
	rn_strbuf_put(&g->text, "\nwhere not n.x_old)");
}

static void where_having(struct gen *g)
{
	rn_strbuf_put(&g->text, " from ");
	if (rn_plan_calls(g->plan, &rn_func_delta))
		with_windows_before(g);
	else if (g->shared)
		with_shares(g, "g");
	else
		rn_strbuf_put(&g->text, "g");
	if (!g->plan->having)
		return;
	rn_strbuf_put(&g->text, "\nwhere ");
	truth(g, g->plan->having);
}

/* `top` and `limit` hold in each window: rank within it, then keep the first. (other) is no group:
 * it takes no group's place and is kept after them. */
static void ranked(struct gen *g)
{
	const struct rn_plan *p = g->plan;
	const char *window = p->frag.every_ns ? "window, " : "";

	rn_strbuf_printf(&g->text, "select %s", window);
	for (unsigned i = 0; i < p->nout; i++) {
		rn_strbuf_printf(&g->text, "%so%u", i ? ", " : "", i);
		label(g, i);
	}
	rn_strbuf_put(&g->text, ", x_other");
	if (p->share)
		rn_strbuf_put(&g->text, ", x_share");
	rn_strbuf_put(&g->text, "\nfrom (select *, ");
	if (p->share) /* total() does not overflow */
		rn_strbuf_printf(&g->text, "o%u / total(o%u) over (%s) as x_share, ", p->share - 1,
				 p->share - 1, *window ? "partition by window" : "");
	rn_strbuf_printf(&g->text, "row_number() over (%sorder by x_other",
			 *window ? "partition by window " : "");
	if (p->norder)
		rn_strbuf_put(&g->text, ", ");
	order_by(g, "o", 0);
	rn_strbuf_printf(&g->text, ") as x_rank\n  from (select %sx_other", window);
	for (unsigned i = 0; i < p->nout; i++) {
		rn_strbuf_put(&g->text, ", ");
		expr(g, p->out[i].expr);
		rn_strbuf_printf(&g->text, " as o%u", i);
	}
	where_having(g);
	rn_strbuf_printf(&g->text, "))\nwhere x_rank <= %lld or x_other\norder by %sx_rank",
			 (long long)p->limit, window);
}

static void groups_query(struct gen *g)
{
	const struct rn_plan *p = g->plan;
	bool windows = p->frag.every_ns > 0;

	rn_strbuf_put(&g->text, windows ? "select window" : "select ");
	for (unsigned i = 0; i < p->nout; i++) {
		if (i || windows)
			rn_strbuf_put(&g->text, ", ");
		expr(g, p->out[i].expr);
		label(g, i);
	}
	rn_strbuf_put(&g->text, ", x_other");
	where_having(g);
	rn_strbuf_printf(&g->text, "\norder by %sx_other", windows ? "window, " : "");
	if (p->norder)
		rn_strbuf_put(&g->text, ", ");
	order_by(g, "", windows ? 2 : 1);
}

static void rows_query(struct gen *g, bool by_time)
{
	const struct rn_plan *p = g->plan;

	rn_strbuf_put(&g->text, "select ");
	for (unsigned i = 0; i < p->nout; i++) {
		expr(g, p->out[i].expr);
		label(g, i);
		rn_strbuf_put(&g->text, ", ");
	}
	rn_strbuf_put(&g->text, "x_time from r\norder by ");
	order_by(g, "", 1);
	if (p->norder)
		rn_strbuf_put(&g->text, ", ");
	rn_strbuf_put(&g->text, p->norder || by_time ? "x_time, x_seq" : "x_seq");
	if (p->limit >= 0)
		rn_strbuf_printf(&g->text, "\nlimit %lld", (long long)p->limit);
}

const char *rn_sql_prune(struct rn_arena *arena, const struct rn_plan *plan, bool by_time)
{
	struct gen g = {.plan = plan, .prefix = ""};

	rn_strbuf_init(&g.text, arena);
	rn_strbuf_put(&g.text, "delete from r where x_seq not in (select x_seq from r order by ");
	for (unsigned i = 0; i < plan->norder; i++) {
		expr(&g, plan->out[plan->order[i].column].expr);
		rn_strbuf_put(&g.text, plan->order[i].desc ? " desc, " : ", ");
	}
	rn_strbuf_printf(&g.text, "%s limit ?)",
			 plan->norder || by_time ? "x_time, x_seq" : "x_seq");
	return rn_strbuf_cstr(&g.text);
}

const char *rn_sql_size(struct rn_arena *arena, const struct rn_plan *plan)
{
	struct rn_strbuf t;

	rn_strbuf_init(&t, arena);
	rn_strbuf_put(&t, "select count(*), coalesce(sum(0");
	for (unsigned i = 0; i < row_columns(plan); i++)
		rn_strbuf_printf(&t, " + coalesce(length(cast(c%u as blob)), 0)", i);
	rn_strbuf_put(&t, "), 0) from r");
	return rn_strbuf_cstr(&t);
}

const char *rn_sql_query(struct rn_arena *arena, const struct rn_plan *plan, bool by_time)
{
	struct gen g = {.plan = plan, .prefix = ""};

	rn_strbuf_init(&g.text, arena);
	note_shares(&g);
	if (!grouped(plan))
		rows_query(&g, by_time);
	else if (plan->limit >= 0)
		ranked(&g);
	else
		groups_query(&g);
	return rn_strbuf_cstr(&g.text);
}

static void dump(struct rn_strbuf *t, struct rn_arena *a, const struct rn_plan *p,
		 const char *title)
{
	if (p->child)
		dump(t, a, p->child, "nested query");
	for (unsigned i = 0; i < p->nsets; i++)
		dump(t, a, p->sets[i], rn_arena_printf(a, "set %u", i));
	rn_strbuf_printf(t, "-- %s\n", title);
	if (p->kind == RN_PLAN_ROWS && !p->norder)
		rn_strbuf_put(t,
			      "-- rows are not ordered: they go out as they come, without SQL\n");
	else
		rn_strbuf_printf(t, "%s;\n%s;\n", rn_sql_create(a, p), rn_sql_query(a, p, false));
}

const char *rn_dump_sql(struct rn_arena *arena, const struct rn_plan *plan)
{
	struct rn_strbuf t;

	rn_strbuf_init(&t, arena);
	dump(&t, arena, plan, "query");
	return rn_strbuf_cstr(&t);
}
