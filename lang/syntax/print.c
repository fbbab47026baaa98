/* print.c - the canonical text of a tree: clauses in one order, single spaces, as few parentheses
 * as the grammar allows.
 *
 * Numbers print as they were written. Strings print in double quotes if they were quoted. A value
 * that a later pass made has no text of its own and prints in the smallest unit, so that no digit
 * is lost. The text parses back to the same tree. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "lang/syntax/print.h"
#include "lang/base/str.h"

/* Binding strength. An operand weaker than its place needs parentheses. */
enum strength {
	S_OR = 1,
	S_AND,
	S_NOT,
	S_CMP,
	S_BITOR,
	S_BITXOR,
	S_BITAND,
	S_SHIFT,
	S_SUM,
	S_PRODUCT,
	S_SIGN,
	S_PRIMARY
};

static const struct {
	const char *text;
	enum strength strength;
} ops[] = {
	[RN_OP_NONE] = {"", S_PRIMARY},   [RN_OP_NOT] = {"not", S_NOT},
	[RN_OP_NEG] = {"-", S_SIGN},      [RN_OP_OR] = {"or", S_OR},
	[RN_OP_AND] = {"and", S_AND},     [RN_OP_EQ] = {"=", S_CMP},
	[RN_OP_NE] = {"!=", S_CMP},       [RN_OP_LT] = {"<", S_CMP},
	[RN_OP_LE] = {"<=", S_CMP},       [RN_OP_GT] = {">", S_CMP},
	[RN_OP_GE] = {">=", S_CMP},       [RN_OP_GLOB] = {"~", S_CMP},
	[RN_OP_NGLOB] = {"!~", S_CMP},    [RN_OP_REGEX] = {"=~", S_CMP},
	[RN_OP_ADD] = {"+", S_SUM},       [RN_OP_SUB] = {"-", S_SUM},
	[RN_OP_MUL] = {"*", S_PRODUCT},   [RN_OP_DIV] = {"/", S_PRODUCT},
	[RN_OP_MOD] = {"%", S_PRODUCT},   [RN_OP_BITOR] = {"|", S_BITOR},
	[RN_OP_BITXOR] = {"^", S_BITXOR}, [RN_OP_BITAND] = {"&", S_BITAND},
	[RN_OP_SHL] = {"<<", S_SHIFT},    [RN_OP_SHR] = {">>", S_SHIFT},
};

const char *rn_op_text(enum rn_op op)
{
	return ops[op].text;
}

static void put_expr(struct rn_strbuf *out, const struct rn_ast_expr *e, enum strength place);
static void put_query(struct rn_strbuf *out, const struct rn_ast_query *q);

static void put_hex(struct rn_strbuf *out, const char *s, size_t n)
{
	rn_strbuf_put(out, "x\"");
	for (size_t i = 0; i < n; i++)
		rn_strbuf_printf(out, "%02x", (unsigned char)s[i]);
	rn_strbuf_putc(out, '"');
}

static void put_literal(struct rn_strbuf *out, const struct rn_ast_expr *expr)
{
	const struct rn_value *value = &expr->value;
	char number[40];

	if (expr->text) {
		rn_strbuf_put(out, expr->text);
		return;
	}
	switch (value->kind) {
	case RN_STR:
		if (expr->ty.type == RN_T_BYTES)
			put_hex(out, value->s, value->len);
		else if (expr->quoted || expr->ty.type == RN_T_IP)
			rn_strbuf_quote(out, value->s, value->len);
		else
			rn_strbuf_putn(out, value->s, value->len);
		break;
	case RN_BOOL: rn_strbuf_put(out, value->i ? "true" : "false"); break;
	case RN_FLOAT:
		if (value->f == floor(value->f) && fabs(value->f) < 1e15)
			snprintf(number, sizeof(number), "%.1f", value->f);
		else
			rn_float_text(number, sizeof(number), value->f);
		rn_strbuf_put(out, number);
		break;
	case RN_INT:
		rn_strbuf_printf(out, "%" PRId64 "%s", value->i,
				 expr->ty.unit == RN_U_NS     ? "ns"
				 : expr->ty.unit == RN_U_BYTE ? "B"
							      : "");
		break;
	default: rn_strbuf_put(out, "null");
	}
}

static bool is_word(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!(s[i] == '_' || (s[i] >= '0' && s[i] <= '9' && i) ||
		      ((s[i] | 0x20) >= 'a' && (s[i] | 0x20) <= 'z')))
			return false;
	return n > 0;
}

static void put_name(struct rn_strbuf *out, const struct rn_ast_name *n)
{
	if (n->hex) {
		put_hex(out, n->text, n->len);
	} else if (n->quoted) {
		rn_strbuf_quote(out, n->text, n->len ? n->len : strlen(n->text));
	} else {
		rn_strbuf_printf(out, "%s%s", n->param ? "$" : "", n->text);
	}
}

static void put_names(struct rn_strbuf *out, const struct rn_ast_name *n)
{
	for (bool except = false; n; n = n->next) {
		if (n->except && !except)
			rn_strbuf_put(out, "except ");
		except = n->except;
		put_name(out, n);
		if (n->next)
			rn_strbuf_put(out, n->next->except && !except ? " " : ", ");
	}
}

static void put_exprs(struct rn_strbuf *out, const struct rn_ast_expr *e)
{
	for (; e; e = e->next) {
		put_expr(out, e, S_OR);
		if (e->next)
			rn_strbuf_put(out, ", ");
	}
}

/* ---- expressions ---- */

static bool is_null(const struct rn_ast_expr *e)
{
	return e->kind == RN_AST_CALL && !strcmp(e->name, rn_func_is_null.name);
}

static bool negates(const struct rn_ast_expr *e) /* x not in (...), x not between ... */
{
	return e->kind == RN_AST_UNARY && e->op == RN_OP_NOT &&
	       (e->args->kind == RN_AST_IN || e->args->kind == RN_AST_BETWEEN || is_null(e->args));
}

static enum strength strength_of(const struct rn_ast_expr *e)
{
	switch (e->kind) {
	case RN_AST_UNARY: return negates(e) ? S_CMP : ops[e->op].strength;
	case RN_AST_BINARY: return ops[e->op].strength;
	case RN_AST_IN:
	case RN_AST_BETWEEN: return S_CMP;
	case RN_AST_CALL: return is_null(e) ? S_CMP : S_PRIMARY;
	case RN_AST_LITERAL:
		if ((e->text && e->text[0] == '-') || (e->value.kind == RN_INT && e->value.i < 0))
			return S_SIGN;
		return S_PRIMARY;
	default: return S_PRIMARY;
	}
}

static void put_in(struct rn_strbuf *out, const struct rn_ast_expr *e, const char *word)
{
	put_expr(out, e->args, S_BITOR);
	rn_strbuf_put(out, word);
	rn_strbuf_put(out, e->live ? " live (" : " (");
	if (e->query)
		put_query(out, e->query);
	else
		put_exprs(out, e->args->next);
	rn_strbuf_putc(out, ')');
}

static void put_between(struct rn_strbuf *out, const struct rn_ast_expr *e, const char *word)
{
	put_expr(out, e->args, S_BITOR);
	rn_strbuf_put(out, word);
	put_expr(out, e->args->next, S_BITOR);
	rn_strbuf_put(out, " and ");
	put_expr(out, e->args->next->next, S_BITOR);
}

static void put_is_null(struct rn_strbuf *out, const struct rn_ast_expr *e, const char *words)
{
	put_expr(out, e->args, S_BITOR);
	rn_strbuf_put(out, words);
}

static void put_unary(struct rn_strbuf *out, const struct rn_ast_expr *e)
{
	const struct rn_ast_expr *x = e->args;

	if (negates(e)) {
		if (x->kind == RN_AST_IN)
			put_in(out, x, " not in");
		else if (is_null(x))
			put_is_null(out, x, " is not null");
		else
			put_between(out, x, " not between ");
	} else if (e->op == RN_OP_NOT) {
		rn_strbuf_put(out, "not ");
		put_expr(out, x, S_NOT);
	} else {
		/* S_PRIMARY: a second minus goes into parentheses, since `--` starts a comment */
		rn_strbuf_putc(out, '-');
		put_expr(out, x, S_PRIMARY);
	}
}

/* bytes, 3; bytes where dir = out */
static void put_args(struct rn_strbuf *out, const struct rn_ast_expr *call)
{
	for (const struct rn_ast_expr *x = call->args; x; x = x->next) {
		bool condition = call->partial && !x->next;

		if (x != call->args)
			rn_strbuf_put(out, condition ? " " : ", ");
		if (condition)
			rn_strbuf_put(out, "where ");
		put_expr(out, x, S_OR);
	}
}

static void put_bare(struct rn_strbuf *out, const struct rn_ast_expr *expr)
{
	switch (expr->kind) {
	case RN_AST_LITERAL: put_literal(out, expr); break;
	case RN_AST_NAME: rn_strbuf_put(out, expr->name); break;
	case RN_AST_PARAM: rn_strbuf_printf(out, "$%s", expr->name); break;
	case RN_AST_CALL:
		if (is_null(expr)) {
			put_is_null(out, expr, " is null");
			break;
		}
		rn_strbuf_put(out, expr->name);
		if (expr->bare)
			break;
		rn_strbuf_putc(out, '(');
		put_args(out, expr);
		rn_strbuf_putc(out, ')');
		break;
	case RN_AST_UNARY: put_unary(out, expr); break;
	case RN_AST_BINARY: {
		enum strength s = ops[expr->op].strength;

		put_expr(out, expr->args, s == S_CMP ? S_BITOR : s);
		rn_strbuf_printf(out, " %s ", ops[expr->op].text);
		put_expr(out, expr->args->next, s + 1);
		break;
	}
	case RN_AST_IN: put_in(out, expr, " in"); break;
	case RN_AST_ASKED:
		rn_strbuf_putc(out, '(');
		put_query(out, expr->query);
		rn_strbuf_putc(out, ')');
		break;
	case RN_AST_BETWEEN: put_between(out, expr, " between "); break;
	}
}

static void put_expr(struct rn_strbuf *out, const struct rn_ast_expr *e, enum strength place)
{
	bool parens = strength_of(e) < place;

	if (parens)
		rn_strbuf_putc(out, '(');
	put_bare(out, e);
	if (parens)
		rn_strbuf_putc(out, ')');
}

/* ---- queries ---- */

static void put_items(struct rn_strbuf *out, const struct rn_ast_item *i)
{
	for (; i; i = i->next) {
		put_expr(out, i->expr, S_OR);
		if (i->alias)
			rn_strbuf_printf(out, " as %s", i->alias);
		if (i->desc)
			rn_strbuf_put(out, " desc");
		if (i->next)
			rn_strbuf_put(out, ", ");
	}
}

static void put_class(struct rn_strbuf *out, const struct rn_ast_source *src)
{
	rn_strbuf_printf(out, "%s%s", src->param ? "$" : "", src->name);
	if (src->all)
		rn_strbuf_put(out, " *");
	if (src->args) {
		rn_strbuf_put(out, src->from_file ? " from " : " ");
		put_names(out, src->args);
	}
	if (src->view_args) {
		rn_strbuf_putc(out, '(');
		put_exprs(out, src->view_args);
		rn_strbuf_putc(out, ')');
	}
}

static void put_source(struct rn_strbuf *out, const struct rn_ast_source *src)
{
	switch (src->kind) {
	case RN_SRC_QUERY:
		if (src->let) {
			rn_strbuf_put(out, src->let->name);
			break;
		}
		rn_strbuf_putc(out, '(');
		put_query(out, src->query);
		rn_strbuf_putc(out, ')');
		break;
	case RN_SRC_BETWEEN:
		rn_strbuf_put(out, "between ");
		put_source(out, src->from);
		rn_strbuf_put(out, " and ");
		put_source(out, src->to);
		rn_strbuf_put(out, " on ");
		for (const struct rn_ast_name *k = src->keys; k; k = k->next)
			rn_strbuf_printf(out, "%s%s%s%s", k->text, k->match ? " = " : "",
					 k->match ? k->match : "", k->next ? ", " : "");
		break;
	case RN_SRC_CLASS:
		for (; src; src = src->next) {
			put_class(out, src);
			if (src->next)
				rn_strbuf_put(out, ", ");
		}
	}
}

static void put_duration(struct rn_strbuf *out, const char *word, const struct rn_ast_expr *v,
			 int64_t ns)
{
	if (!v && !ns)
		return;
	rn_strbuf_put(out, word);
	if (v)
		put_expr(out, v, S_PRIMARY);
	else
		rn_strbuf_printf(out, "%" PRId64 "ns", ns);
}

static void put_count(struct rn_strbuf *out, const char *word, const struct rn_ast_expr *v,
		      int64_t n)
{
	rn_strbuf_put(out, word);
	if (v)
		put_expr(out, v, S_PRIMARY);
	else
		rn_strbuf_printf(out, "%" PRId64, n);
}

static void put_file(struct rn_strbuf *out, const char *word, const struct rn_ast_expr *v,
		     const char *name)
{
	if (!v && !name)
		return;
	rn_strbuf_put(out, word);
	if (v)
		put_expr(out, v, S_PRIMARY);
	else
		rn_strbuf_quote(out, name, strlen(name));
}

static void put_scan(struct rn_strbuf *out, const struct rn_ast_query *q)
{
	const struct rn_ast_expr *cap = q->value[RN_C_SCAN], *rate = q->value[RN_C_SCAN_RATE];

	if (cap)
		rn_strbuf_put(out, " scan "), put_expr(out, cap, S_PRIMARY);
	if (rate)
		rn_strbuf_put(out, cap ? ", " : " scan "), put_expr(out, rate, S_PRIMARY);
}

static void put_clauses(struct rn_strbuf *out, const struct rn_ast_query *query)
{
	if (query->where)
		rn_strbuf_put(out, " where "), put_expr(out, query->where, S_OR);
	for (unsigned i = 0; i < RN_FLOW_IFS; i++)
		if (query->flow_if[i]) {
			rn_strbuf_printf(out, " %s ", rn_flow_conditions[i].words);
			put_expr(out, query->flow_if[i], S_OR);
		}
	if (query->by)
		rn_strbuf_put(out, " by "), put_items(out, query->by);
	if (query->having)
		rn_strbuf_put(out, " having "), put_expr(out, query->having, S_OR);
	if (query->order)
		rn_strbuf_put(out, " order by "), put_items(out, query->order);
	if (query->has_top)
		put_count(out, " top ", query->value[RN_C_TOP], query->top);
	if (query->top_by)
		rn_strbuf_put(out, " by "), put_expr(out, query->top_by, S_OR);
	if (query->has_limit || query->value[RN_C_LIMIT])
		put_count(out, " limit ", query->value[RN_C_LIMIT], query->limit);
	put_duration(out, " every ", query->value[RN_C_EVERY], query->every_ns);
	put_duration(out, " over ", query->value[RN_C_OVER], query->over_ns);
	put_duration(out, " for ", query->value[RN_C_FOR], query->for_ns);
	put_duration(out, " last ", query->value[RN_C_LAST], query->last_ns);
	if (query->value[RN_C_SAMPLE])
		rn_strbuf_put(out, " sample "), put_expr(out, query->value[RN_C_SAMPLE], S_PRIMARY),
			rn_strbuf_putc(out, '%');
	else if (query->sample > 0)
		rn_strbuf_printf(out, " sample %.15g%%", query->sample * 100);
	put_scan(out, query);
	if (query->on)
		rn_strbuf_put(out, " on "), put_names(out, query->on);
	put_file(out, " from ", query->value[RN_C_FROM], query->from);
	if (query->into_table && !query->value[RN_C_INTO] &&
	    is_word(query->into, strlen(query->into)))
		rn_strbuf_printf(out, " into %s", query->into);
	else
		put_file(out, " into ", query->value[RN_C_INTO], query->into);
	if (query->into_how)
		rn_strbuf_printf(out, " %s", rn_into_text(query->into_how));
}

static void put_query(struct rn_strbuf *out, const struct rn_ast_query *q)
{
	if (q->alone) {
		put_source(out, q->source);
		return;
	}
	switch (q->what) {
	case RN_WHAT_LIST: put_items(out, q->items); break;
	case RN_WHAT_EVENTS: /* its items are made by resolution */
		rn_strbuf_put(out, q->all ? "*" : "events");
		break;
	case RN_WHAT_FLOW: rn_strbuf_put(out, "flow"); break;
	case RN_WHAT_SPANS: rn_strbuf_put(out, "spans"); break;
	case RN_WHAT_TOP: put_count(out, "top ", q->value[RN_C_WHAT_TOP], q->what_top); break;
	}
	rn_strbuf_put(out, " of ");
	put_source(out, q->source);
	put_clauses(out, q);
}

/* ---- statements ---- */

static void put_view(struct rn_strbuf *out, const struct rn_ast_stmt *stmt)
{
	for (const char *line = stmt->doc; line;
	     line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		size_t n = strcspn(line, "\n");

		rn_strbuf_put(out, n ? "--| " : "--|");
		rn_strbuf_putn(out, line, n);
		rn_strbuf_putc(out, '\n');
	}
	rn_strbuf_printf(out, "view %s", stmt->name);
	if (stmt->params) {
		rn_strbuf_putc(out, '(');
		for (const struct rn_ast_param *p = stmt->params; p; p = p->next) {
			rn_strbuf_put(out, p->name);
			if (p->deflt)
				rn_strbuf_put(out, " = "), put_expr(out, p->deflt, S_OR);
			if (p->next)
				rn_strbuf_put(out, ", ");
		}
		rn_strbuf_putc(out, ')');
	}
	rn_strbuf_put(out, " := ");
	put_query(out, stmt->query);
}

static void put_format(struct rn_strbuf *out, const struct rn_ast_stmt *s)
{
	if (s->format)
		rn_strbuf_printf(out, " format %s", s->format);
	if (s->format_to)
		rn_strbuf_put(out, " to "),
			rn_strbuf_quote(out, s->format_to, strlen(s->format_to));
}

static void put_declared(struct rn_strbuf *out, const struct rn_ast_param *p)
{
	rn_strbuf_printf(out, "param %s%s%s", p->name, p->type ? " " : "", p->type ? p->type : "");
	if (p->deflt)
		rn_strbuf_put(out, " = "), put_expr(out, p->deflt, S_OR);
}

const char *rn_print_stmt(struct rn_arena *arena, const struct rn_ast_stmt *stmt)
{
	struct rn_strbuf out;

	rn_strbuf_init(&out, arena);
	switch (stmt->kind) {
	case RN_STMT_QUERY:
		put_query(&out, stmt->query);
		put_format(&out, stmt);
		break;
	case RN_STMT_LET:
		rn_strbuf_printf(&out, "let %s := ", stmt->name);
		put_query(&out, stmt->query);
		break;
	case RN_STMT_ASSERT:
		rn_strbuf_put(&out, "assert ");
		put_query(&out, stmt->query);
		if (stmt->message)
			rn_strbuf_put(&out, " else "),
				rn_strbuf_quote(&out, stmt->message, strlen(stmt->message));
		break;
	case RN_STMT_EXPLAIN:
		rn_strbuf_put(&out, "explain ");
		put_query(&out, stmt->query);
		break;
	case RN_STMT_VIEW: put_view(&out, stmt); break;
	case RN_STMT_USE: rn_strbuf_printf(&out, "use %s", stmt->name); break;
	case RN_STMT_DROP:
		rn_strbuf_put(&out, "drop view ");
		put_names(&out, stmt->names);
		break;
	case RN_STMT_PARAM: put_declared(&out, stmt->params); break;
	case RN_STMT_TAGS:
		rn_strbuf_printf(&out, "tags %s%s", stmt->name, stmt->names ? " " : "");
		put_names(&out, stmt->names);
		break;
	}
	return rn_strbuf_cstr(&out);
}

const char *rn_print_expr(struct rn_arena *arena, const struct rn_ast_expr *expr)
{
	struct rn_strbuf out;

	rn_strbuf_init(&out, arena);
	put_expr(&out, expr, S_OR);
	return rn_strbuf_cstr(&out);
}

const char *rn_print_query(struct rn_arena *arena, const struct rn_ast_query *query)
{
	struct rn_strbuf out;

	rn_strbuf_init(&out, arena);
	put_query(&out, query);
	return rn_strbuf_cstr(&out);
}
