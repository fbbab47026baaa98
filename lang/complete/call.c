/* call.c - the arguments of a view's call: which parameter the cursor is at, and what can stand for
 * it.
 *
 * The view's text says what kind a parameter is (lang/resolve/param_kinds.h). For a field or a
 * condition the fields of the source are offered that the view asks with it. The view names that
 * source, or another argument of the call does. */
#include <string.h>
#include "lang/base/str.h"
#include "lang/catalog/funcs.h"
#include "lang/complete/complete_impl.h"
#include "lang/resolve/param_kinds.h"
#include "lang/syntax/grammar.h"
#include "lang/syntax/print.h"

#define NAME "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

/* Returns the token behind the argument that begins at token `first`: a comma, the `)`, the end. */
static unsigned argument_end(const struct rn_completer *k, unsigned first)
{
	unsigned i = first;

	for (int depth = 0; k->tokens[i].kind; i++) {
		int kind = k->tokens[i].kind;

		if (!depth && (kind == RN_TOK_COMMA || kind == RN_TOK_RPAREN))
			break;
		depth += (kind == RN_TOK_LPAREN) - (kind == RN_TOK_RPAREN);
	}
	return i;
}

/* Returns the parameter that the argument at token `first`, the nth of the call, is for; NULL: the
 * view has none. *value: where its value begins. */
static const struct rn_ast_param *parameter(const struct rn_completer *k,
					    const struct rn_ast_stmt *view, unsigned first,
					    unsigned nth, unsigned *value)
{
	const struct rn_token *token = &k->tokens[first];
	const struct rn_ast_param *p = view->params;
	bool named = token->kind == RN_TOK_ID && token[1].kind == RN_TOK_EQ;

	for (; named && p; p = p->next)
		if (!strcmp(p->name, token->text)) {
			*value = first + 2;
			return p;
		}
	*value = first;
	for (p = view->params; p && nth; nth--)
		p = p->next;
	return p;
}

/* Does a query stand in this `(`, of which the cursor has passed the `of`? */
static bool holds_query(const struct rn_completer *k, unsigned open)
{
	int depth = 0;

	for (unsigned i = open + 1; i < k->at; i++) {
		depth +=
			(k->tokens[i].kind == RN_TOK_LPAREN) - (k->tokens[i].kind == RN_TOK_RPAREN);
		if (!depth && k->tokens[i].kind == RN_TOK_OF)
			return true;
	}
	return false;
}

/* The view that the `(` at token `open` calls, with its parameters' kinds; NULL: it calls none. A
 * name behind `of` is a view's; elsewhere an aggregate or a function goes first. */
static struct rn_ast_stmt *called(const struct rn_completer *k, unsigned open, const char **text)
{
	const char *name = open ? k->tokens[open - 1].text : NULL;
	struct rn_ast_stmt *view;

	if (!name || k->tokens[open - 1].kind != RN_TOK_ID)
		return NULL;
	if (open < 2 || k->tokens[open - 2].kind != RN_TOK_OF) {
		if (rn_func_find(name) || rn_quantile_of(name, NULL))
			return NULL;
		for (const struct rn_agg_sig *const *g = k->names->catalog->aggs; *g; g++)
			if (!strcmp((*g)->name, name))
				return NULL;
	}
	view = rn_complete_view(k, name, text);
	if (view)
		rn_param_kinds(view, NULL);
	return view;
}

bool rn_complete_call(struct rn_completer *completer, struct rn_call *call)
{
	int open = (int)completer->at;
	bool bare = false; /* a parenthesis of its own is around the cursor */
	unsigned nth = 0, value;

	*call = (struct rn_call){0};
	while (!call->view) {
		open = rn_complete_open(completer, (unsigned)open);
		if (open < 0 || holds_query(completer, (unsigned)open))
			return false;
		call->view = called(completer, (unsigned)open, &call->text);
		bare |= !open || completer->tokens[open - 1].kind != RN_TOK_ID;
	}
	call->first = (unsigned)open + 1;
	for (unsigned first = call->first, end;; first = end + 1, nth++) {
		end = argument_end(completer, first);
		if (completer->at > end)
			continue;
		call->param = parameter(completer, call->view, first, nth, &value);
		break;
	}
	/* in parentheses, a source is a query */
	return !bare || !call->param || call->param->kind != RN_PARAM_SOURCE;
}

/* Returns the text that stands for the view's parameter of that name: what the call says, else the
 * default; NULL: nothing does. */
static const char *text_for(const struct rn_completer *k, const struct rn_call *call,
			    const char *name)
{
	const struct rn_ast_param *p;
	unsigned nth = 0, value, end;

	for (unsigned first = call->first;; first = end + 1, nth++) {
		end = argument_end(k, first);
		p = parameter(k, call->view, first, nth, &value);
		if (p && !strcmp(p->name, name) && value < end)
			return rn_arena_strndup(k->arena, k->text + k->tokens[value].span.start,
						k->tokens[end - 1].span.end -
							k->tokens[value].span.start);
		if (k->tokens[end].kind != RN_TOK_COMMA)
			break;
	}
	for (p = call->view->params; p && strcmp(p->name, name); p = p->next)
		;
	return p && p->deflt ? rn_print_expr(k->arena, p->deflt) : NULL;
}

/* Returns the text of the source that the view asks with the parameter, with what stands for its
 * own parameters; NULL: there is none. */
static const char *source_of(const struct rn_completer *k, const struct rn_call *call)
{
	const struct rn_ast_source *source = call->param->user->source, *last = source;
	const char *at, *end, *name, *value;
	struct rn_strbuf out;

	if (!source)
		return NULL;
	while (last->next)
		last = last->next;
	at = call->text + source->span.start;
	end = call->text + last->span.end;
	rn_strbuf_init(&out, k->arena);
	while (at < end) {
		size_t n = *at == '$' ? strspn(at + 1, NAME) : 0;

		name = rn_arena_strndup(k->arena, at + 1, n);
		value = n ? text_for(k, call, name) : NULL;
		rn_strbuf_put(&out, value ? value : rn_arena_strndup(k->arena, at, n + 1));
		at += n + 1;
	}
	return rn_strbuf_cstr(&out);
}

void rn_complete_argument(struct rn_completer *completer, const struct rn_call *call)
{
	const struct rn_ast_param *p = call->param;
	const char *of = rn_arena_printf(completer->arena, "%s(%s)", call->view->name,
					 rn_param_signature(completer->arena, call->view)),
		   *source;

	completer->note = of;
	if (!p)
		return;
	if (p->kind == RN_PARAM_SOURCE)
		rn_complete_sources(completer, RN_SOURCE_ARGUMENT);
	if (p->user && p->kind != RN_PARAM_VALUE) {
		source = source_of(completer, call);
		if (!source || !rn_complete_fields_of(completer, source))
			rn_complete_common_fields(completer);
		rn_complete_functions(completer, false);
	}
	if (p->kind == RN_PARAM_CONDITION)
		rn_complete_add(completer, RN_CAND_KEYWORD, "not");
	completer->note = rn_arena_printf(completer->arena, "%s: %s; %s", p->name,
					  rn_param_phrase((enum rn_param_kind)p->kind), of);
}
