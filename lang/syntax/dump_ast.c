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

static const char *expr_head(struct dump *d, const struct rn_ast_expr *e)
{
	switch (e->kind) {
	case RN_AST_LITERAL:
		return rn_arena_printf(d->arena, "literal %s", rn_print_expr(d->arena, e));
	case RN_AST_NAME:
		return rn_arena_printf(d->arena, "%s %s",
				       e->field          ? "field"
				       : e->column != -1 ? "column"
							 : "name",
				       e->name);
	case RN_AST_PARAM: return rn_arena_printf(d->arena, "param %s", e->name);
	case RN_AST_CALL:
		return rn_arena_printf(d->arena, "%s %s",
				       e->agg    ? "aggregate"
				       : e->func ? "function"
						 : "call",
				       e->name);
	case RN_AST_IN: return e->query ? "in query" : "in";
	case RN_AST_BETWEEN: return "between";
	default: return rn_op_text(e->op);
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

static void dump_names(struct dump *d, const char *title, const struct rn_ast_name *n,
		       unsigned depth)
{
	for (; n; n = n->next) {
		const char *form = n->except  ? "except "
				   : n->param ? "param "
				   : n->hex   ? "hex "
					      : "";

		if (n->hex) {
			char *hex = rn_arena_alloc(d->arena, 2 * (size_t)n->len + 1);

			for (uint32_t i = 0; i < n->len; i++) {
				hex[(size_t)2 * i] =
					"0123456789abcdef"[(unsigned char)n->text[i] >> 4];
				hex[2 * i + 1] = "0123456789abcdef"[n->text[i] & 0xF];
			}
			line(d, depth, rn_arena_printf(d->arena, "%s %s%s", title, form, hex));
		} else {
			line(d, depth,
			     rn_arena_printf(d->arena, n->quoted ? "%s %s\"%s\"" : "%s %s%s", title,
					     form, n->text));
		}
	}
}

static void dump_source(struct dump *d, const struct rn_ast_source *s, unsigned depth)
{
	switch (s->kind) {
	case RN_SRC_QUERY:
		if (s->let) {
			line(d, depth, rn_arena_printf(d->arena, "source result %s", s->let->name));
			break;
		}
		line(d, depth,
		     s->view ? rn_arena_printf(d->arena, "source view %s", s->view)
			     : "source query");
		dump_query(d, s->query, depth + 1);
		break;
	case RN_SRC_BETWEEN:
		line(d, depth, "source between");
		dump_source(d, s->from, depth + 1);
		dump_source(d, s->to, depth + 1);
		for (const struct rn_ast_name *k = s->keys; k; k = k->next)
			line(d, depth + 1,
			     rn_arena_printf(d->arena, k->match ? "on %s = %s" : "on %s", k->text,
					     k->match));
		break;
	case RN_SRC_CLASS:
		line(d, depth,
		     rn_arena_printf(d->arena, "source %s%s%s", s->name, s->all ? " *" : "",
				     s->from_file ? " from" : ""));
		dump_names(d, "arg", s->args, depth + 1);
		for (const struct rn_ast_expr *e = s->view_args; e; e = e->next)
			dump_expr(d, e, depth + 1);
	}
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
				     c == RN_C_SAMPLE      ? "%"
				     : c == RN_C_SCAN_RATE ? "/s"
							   : ""));
	else if (set)
		line(d, depth, name);
}

static void dump_query(struct dump *d, const struct rn_ast_query *q, unsigned depth)
{
	static const char *const what[] = {"list", "events", "flow", "spans", "top"};

	if (q->what == RN_WHAT_TOP && q->value[RN_C_WHAT_TOP])
		line(d, depth,
		     rn_arena_printf(d->arena, "query top %s",
				     rn_print_expr(d->arena, q->value[RN_C_WHAT_TOP])));
	else
		line(d, depth,
		     rn_arena_printf(d->arena, "query %s%s", what[q->what],
				     d->typed && q->grouped ? " grouped" : ""));
	dump_items(d, "items", q->items, depth + 1);
	dump_source(d, q->source, depth + 1);
	dump_tree(d, "where", q->where, depth + 1);
	dump_items(d, "by", q->by, depth + 1);
	dump_tree(d, "having", q->having, depth + 1);
	dump_items(d, "order", q->order, depth + 1);
	dump_value(d, RN_C_TOP, q, q->has_top, depth + 1);
	dump_tree(d, "top by", q->top_by, depth + 1);
	dump_value(d, RN_C_LIMIT, q, q->has_limit, depth + 1);
	dump_value(d, RN_C_EVERY, q, q->every_ns, depth + 1);
	dump_value(d, RN_C_FOR, q, q->for_ns, depth + 1);
	dump_value(d, RN_C_LAST, q, q->last_ns, depth + 1);
	dump_value(d, RN_C_SAMPLE, q, q->sample > 0, depth + 1);
	dump_value(d, RN_C_SCAN, q, false, depth + 1);
	dump_value(d, RN_C_SCAN_RATE, q, false, depth + 1);
	dump_names(d, "on", q->on, depth + 1);
	dump_value(d, RN_C_FROM, q, q->from, depth + 1);
	dump_value(d, RN_C_INTO, q, q->into, depth + 1);
	if (q->into_how)
		line(d, depth + 2, rn_into_text(q->into_how));
}

const char *rn_dump_ast(struct rn_arena *a, const struct rn_ast_query *q, bool typed)
{
	struct dump d = {.arena = a, .typed = typed};

	rn_strbuf_init(&d.out, a);
	dump_query(&d, q, 0);
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

const char *rn_dump_tokens(struct rn_arena *a, struct rn_diag *d, uint16_t src)
{
	struct rn_lexer l;
	struct rn_token t;
	struct rn_strbuf out;
	struct place at;

	rn_lexer_init(&l, a, d, src);
	at = (struct place){l.text, 1, 1};
	l.quiet = true; /* the parser reports their errors */
	rn_strbuf_init(&out, a);
	do {
		t = rn_lexer_next(&l);
		walk(&at, l.text + t.span.start, l.end);
		rn_strbuf_printf(&out, "%u:%u %s", at.row, at.col, class_of(&t));
		if (t.kind == RN_TOK_DURATION)
			rn_strbuf_printf(&out, " %s = %lld ns", t.text, (long long)t.value.i);
		else if (t.kind == RN_TOK_SIZE)
			rn_strbuf_printf(&out, " %s = %lld bytes", t.text, (long long)t.value.i);
		else if (t.kind)
			rn_strbuf_printf(&out, " %.*s", (int)(t.span.end - t.span.start),
					 l.text + t.span.start);
		rn_strbuf_putc(&out, '\n');
	} while (t.kind);
	return rn_strbuf_cstr(&out);
}
