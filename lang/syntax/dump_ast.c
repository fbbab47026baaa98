/* dump_ast.c - the tree as indented lines, and the tokens as a list: for --dump=ast, --dump=types,
 * --dump=tokens.
 *
 * Deterministic: names and values only, no pointers, no order of hashing. */
#include <string.h>
#include "lang/syntax/grammar.h"
#include "lang/syntax/parse.h"
#include "lang/syntax/print.h"
#include "lang/base/str.h"
#include "lang/base/utf8.h"
#include "lang/syntax/token.h"

struct dump {
	struct rn_strbuf out;
	struct rn_arena *arena;
	bool typed;
};

static void line(struct dump *d, unsigned depth, const char *text)
{
	rn_strbuf_pad(&d->out, ' ', 2 * (size_t)depth);
	rn_strbuf_put(&d->out, text);
	rn_strbuf_putc(&d->out, '\n');
}

static void dump_query(struct dump *d, const struct rn_ast_query *q, unsigned depth);

static const char *expr_head(struct dump *d, const struct rn_ast_expr *expr)
{
	switch (expr->kind) {
	case RN_AST_LITERAL:
		return rn_arena_printf(d->arena, "literal %s", rn_print_expr(d->arena, expr));
	case RN_AST_NAME:
		return rn_arena_printf(d->arena, "%s %s",
				       expr->field          ? "field"
				       : expr->column != -1 ? "column"
							    : "name",
				       expr->name);
	case RN_AST_PARAM: return rn_arena_printf(d->arena, "param %s", expr->name);
	case RN_AST_CALL:
		return rn_arena_printf(d->arena, "%s %s",
				       expr->agg    ? "aggregate"
				       : expr->func ? "function"
						    : "call",
				       expr->name);
	case RN_AST_ASKED: return "value of query";
	case RN_AST_IN: return expr->live ? "in live query" : expr->query ? "in query" : "in";
	case RN_AST_BETWEEN: return "between";
	default: return rn_op_text(expr->op);
	}
}

static void dump_expr(struct dump *d, const struct rn_ast_expr *e, unsigned depth)
{
	const char *head = expr_head(d, e);

	line(d, depth,
	     d->typed ? rn_arena_printf(d->arena, "%s : %s", head, rn_type_name(e->ty)) : head);
	for (const struct rn_ast_expr *x = e->args; x; x = x->next)
		dump_expr(d, x, depth + 1);
	if (e->query)
		dump_query(d, e->query, depth + 1);
}

static void dump_items(struct dump *d, const char *title, const struct rn_ast_item *i,
		       unsigned depth)
{
	if (!i)
		return;
	line(d, depth, title);
	for (; i; i = i->next) {
		if (i->alias)
			line(d, ++depth, rn_arena_printf(d->arena, "as %s", i->alias));
		if (i->desc)
			line(d, ++depth, "desc");
		dump_expr(d, i->expr, depth + 1);
		depth -= (i->alias != NULL) + i->desc;
	}
}

static void dump_names(struct dump *d, const char *title, const struct rn_ast_name *name,
		       unsigned depth)
{
	for (; name; name = name->next) {
		const char *form = name->except  ? "except "
				   : name->param ? "param "
				   : name->hex   ? "hex "
						 : "";

		if (name->hex) {
			char *hex = rn_arena_alloc(d->arena, 2 * (size_t)name->len + 1);

			for (uint32_t i = 0; i < name->len; i++) {
				hex[(size_t)2 * i] =
					"0123456789abcdef"[(unsigned char)name->text[i] >> 4];
				hex[2 * i + 1] = "0123456789abcdef"[name->text[i] & 0xF];
			}
			line(d, depth, rn_arena_printf(d->arena, "%s %s%s", title, form, hex));
		} else {
			line(d, depth,
			     rn_arena_printf(d->arena, name->quoted ? "%s %s\"%s\"" : "%s %s%s",
					     title, form, name->text));
		}
	}
}

static void dump_source(struct dump *d, const struct rn_ast_source *src, unsigned depth)
{
	switch (src->kind) {
	case RN_SRC_QUERY:
		if (src->let) {
			line(d, depth,
			     rn_arena_printf(d->arena, "source result %s", src->let->name));
			break;
		}
		line(d, depth,
		     src->view ? rn_arena_printf(d->arena, "source view %s", src->view)
			       : "source query");
		dump_query(d, src->query, depth + 1);
		break;
	case RN_SRC_BETWEEN:
		line(d, depth, "source between");
		dump_source(d, src->from, depth + 1);
		dump_source(d, src->to, depth + 1);
		for (const struct rn_ast_name *k = src->keys; k; k = k->next)
			line(d, depth + 1,
			     rn_arena_printf(d->arena, k->match ? "on %s = %s" : "on %s", k->text,
					     k->match));
		break;
	case RN_SRC_CLASS:
		line(d, depth,
		     rn_arena_printf(d->arena, "source %s%s%s", src->name, src->all ? " *" : "",
				     src->from_file ? " from" : ""));
		dump_names(d, "arg", src->args, depth + 1);
		for (const struct rn_ast_expr *expr = src->view_args; expr; expr = expr->next)
			dump_expr(d, expr, depth + 1);
	}
	if (src->next)
		dump_source(d, src->next, depth);
}

static void dump_tree(struct dump *d, const char *title, const struct rn_ast_expr *e,
		      unsigned depth)
{
	if (!e)
		return;
	line(d, depth, title);
	dump_expr(d, e, depth + 1);
}

static void dump_value(struct dump *d, enum rn_clause c, const struct rn_ast_query *q, bool set,
		       unsigned depth)
{
	const char *name = rn_clause_text(c);

	if (q->value[c])
		line(d, depth,
		     rn_arena_printf(d->arena, "%s %s%s", name,
				     rn_print_expr(d->arena, q->value[c]),
				     c == RN_C_SAMPLE ? "%" : ""));
	else if (set)
		line(d, depth, name);
}

static void dump_query(struct dump *d, const struct rn_ast_query *query, unsigned depth)
{
	static const char *const what[] = {"list", "events", "flow", "spans", "top"};

	if (query->what == RN_WHAT_TOP && query->value[RN_C_WHAT_TOP])
		line(d, depth,
		     rn_arena_printf(d->arena, "query top %s",
				     rn_print_expr(d->arena, query->value[RN_C_WHAT_TOP])));
	else
		line(d, depth,
		     rn_arena_printf(d->arena, "query %s%s%s", what[query->what],
				     query->all ? " all" : "",
				     d->typed && query->grouped ? " grouped" : ""));
	dump_items(d, "items", query->items, depth + 1);
	dump_source(d, query->source, depth + 1);
	dump_tree(d, "where", query->where, depth + 1);
	for (unsigned i = 0; i < RN_FLOW_IFS; i++)
		dump_tree(d, rn_flow_conditions[i].words, query->flow_if[i], depth + 1);
	dump_items(d, "by", query->by, depth + 1);
	dump_tree(d, "having", query->having, depth + 1);
	dump_items(d, "order", query->order, depth + 1);
	dump_value(d, RN_C_TOP, query, query->has_top, depth + 1);
	dump_tree(d, "top by", query->top_by, depth + 1);
	dump_value(d, RN_C_LIMIT, query, query->has_limit, depth + 1);
	dump_value(d, RN_C_EVERY, query, query->every_ns, depth + 1);
	dump_value(d, RN_C_OVER, query, query->over_ns, depth + 1);
	dump_value(d, RN_C_FOR, query, query->for_ns, depth + 1);
	dump_value(d, RN_C_LAST, query, query->last_ns, depth + 1);
	dump_value(d, RN_C_SAMPLE, query, query->sample > 0, depth + 1);
	dump_value(d, RN_C_SCAN, query, false, depth + 1);
	dump_value(d, RN_C_SCAN_RATE, query, false, depth + 1);
	dump_names(d, "on", query->on, depth + 1);
	dump_value(d, RN_C_FROM, query, query->from, depth + 1);
	dump_value(d, RN_C_INTO, query, query->into, depth + 1);
	if (query->into_how)
		line(d, depth + 2, rn_into_text(query->into_how));
}

const char *rn_dump_ast(struct rn_arena *arena, const struct rn_ast_query *query, bool typed)
{
	struct dump d = {.arena = arena, .typed = typed};

	rn_strbuf_init(&d.out, arena);
	dump_query(&d, query, 0);
	return rn_strbuf_cstr(&d.out);
}

/* ---- tokens ---- */

static const char *class_of(const struct rn_token *t)
{
	switch (t->kind) {
	case 0: return "END";
	case RN_TOK_ID: return "NAME";
	case RN_TOK_PARAM: return "PARAM";
	case RN_TOK_STRING: return "STRING";
	case RN_TOK_HEX: return "HEX";
	case RN_TOK_INT: return "INTEGER";
	case RN_TOK_FLOAT: return "FLOAT";
	case RN_TOK_DURATION: return "DURATION";
	case RN_TOK_SIZE: return "SIZE";
	case RN_TOK_RATE: return "RATE";
	case RN_TOK_HZ: return "FREQUENCY";
	default:
		return (t->text[0] | 0x20) >= 'a' && (t->text[0] | 0x20) <= 'z' ? "KEYWORD"
										: "OPERATOR";
	}
}

struct place {
	const char *at;
	unsigned row, col;
};

/* Walks on to `to`. To ask the diagnostics for each token's place would read the text again and
 * again. */
static void walk(struct place *p, const char *to, const char *end)
{
	while (p->at < to) {
		bool newline = *p->at == '\n';

		p->at += rn_utf8_len(p->at, (size_t)(end - p->at));
		p->row += newline;
		p->col = newline ? 1 : p->col + 1;
	}
}

const char *rn_dump_tokens(struct rn_arena *arena, struct rn_diag *diag, uint16_t src)
{
	struct rn_lexer lexer;
	struct rn_token token;
	struct rn_strbuf out;
	struct place at;

	rn_lexer_init(&lexer, arena, diag, src);
	at = (struct place){lexer.text, 1, 1};
	lexer.quiet = true; /* the parser reports their errors */
	rn_strbuf_init(&out, arena);
	do {
		token = rn_lexer_next(&lexer);
		walk(&at, lexer.text + token.span.start, lexer.end);
		rn_strbuf_printf(&out, "%u:%u %s", at.row, at.col, class_of(&token));
		if (token.kind == RN_TOK_DURATION)
			rn_strbuf_printf(&out, " %s = %lld ns", token.text,
					 (long long)token.value.i);
		else if (token.kind == RN_TOK_SIZE)
			rn_strbuf_printf(&out, " %s = %lld bytes", token.text,
					 (long long)token.value.i);
		else if (token.kind)
			rn_strbuf_printf(&out, " %.*s", (int)(token.span.end - token.span.start),
					 lexer.text + token.span.start);
		rn_strbuf_putc(&out, '\n');
	} while (token.kind);
	return rn_strbuf_cstr(&out);
}
