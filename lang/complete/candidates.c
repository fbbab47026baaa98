/* candidates.c - the names of each kind that can stand at a cursor. */
#include <string.h>
#include "lang/complete/complete_impl.h"
#include "lang/catalog/list.h"
#include "lang/syntax/grammar.h"
#include "lang/syntax/print.h"
#include "lang/catalog/funcs.h"
#include "lang/resolve/resolve.h"
#include "lang/syntax/parse.h"
#include "lang/base/limits.h"
#include "lang/base/vec.h"

void rn_complete_add(struct rn_completer *completer, enum rn_candidate_kind kind, const char *text)
{
	if (strncmp(text, completer->word, completer->nword))
		return;
	rn_vec_room_in(completer->arena, completer->candidates, completer->nc, completer->cap);
	completer->candidates[completer->nc++] = (struct rn_candidate){text, kind};
}

/* ---- keywords ---- */

static const struct {
	int kind;
	const char *text;
	bool clause; /* a query has it at most once */
} keywords[] = {
/* to add a keyword, add its row */
#define T(k) RN_TOK_##k
	{T(OF), "of"},
	{T(WHERE), "where", true},
	{T(BY), "by", true},
	{T(HAVING), "having", true},
	{T(THROUGH), "through", true},
	{T(STARTING), "starting where", true},
	{T(ENDING), "ending where", true},
	{T(ORDER), "order by", true},
	{T(TOP), "top", true},
	{T(LIMIT), "limit", true},
	{T(EVERY), "every", true},
	{T(FOR), "for", true},
	{T(LAST), "last", true},
	{T(SAMPLE), "sample", true},
	{T(SCAN), "scan", true},
	{T(ON), "on", true},
	{T(EXCEPT), "except"},
	{T(FROM), "from", true},
	{T(INTO), "into", true},
	{T(AS), "as"},
	{T(AND), "and"},
	{T(OR), "or"},
	{T(NOT), "not"},
	{T(IN), "in"},
	{T(BETWEEN), "between"},
	{T(LIVE), "live"},
	{T(IS), "is"},
	{T(NULLWORD), "null"},
	{T(ASC), "asc"},
	{T(DESC), "desc"},
	{T(TRUE), "true"},
	{T(FALSE), "false"},
	{T(EVENTS), "events"},
	{T(FLOW), "flow"},
	{T(VIEW), "view"},
	{T(DECLARE), "param"},
	{T(LET), "let"},
	{T(ASSERT), "assert"},
	{T(ELSE), "else"},
	{T(FORMAT), "format"},
	{T(TO), "to"},
	{T(REPLACE), "replace"},
	{T(APPEND), "append"},
	{T(USE), "use"},
	{T(DROP), "drop"},
	{T(EXPLAIN), "explain"},
	{T(TAG), "tag"},
	{T(TAGS), "tags"},
#undef T
};

/* Does the query around the cursor have this clause? `order by` and `top 5 by` do not count as
 * `by`. */
static bool has_clause(const struct rn_completer *k, int kind)
{
	unsigned of, end;
	int begin, depth = 0;

	if (!rn_complete_query(k, k->at, &begin, &end, &of))
		return false;
	for (unsigned i = of; i < end; i++) {
		depth +=
			(k->tokens[i].kind == RN_TOK_LPAREN) - (k->tokens[i].kind == RN_TOK_RPAREN);
		if (depth || k->tokens[i].kind != kind)
			continue;
		if (kind != RN_TOK_BY ||
		    (k->tokens[i - 1].kind != RN_TOK_ORDER && k->tokens[i - 2].kind != RN_TOK_TOP))
			return true;
	}
	return false;
}

void rn_complete_keywords(struct rn_completer *completer)
{
	unsigned of, end;
	int begin;
	bool query = rn_complete_query(completer, completer->at, &begin, &end, &of),
	     behind = query && of < completer->at;
	/* an expression begins here */
	bool value = completer->accepts[RN_TOK_STRING] && completer->accepts[RN_TOK_LPAREN];

	for (size_t i = 0; i < sizeof(keywords) / sizeof(*keywords); i++) {
		int kind = keywords[i].kind;
		bool of_top = kind == RN_TOK_BY && completer->at > 1 &&
			      (completer->tokens[completer->at - 2].kind == RN_TOK_TOP ||
			       completer->tokens[completer->at - 1].kind == RN_TOK_ORDER);

		if (!completer->accepts[kind] || (kind == RN_TOK_OF && query && !behind))
			continue;
		if (keywords[i].clause && behind && !of_top && has_clause(completer, kind))
			continue;
		if (value && (kind == RN_TOK_TRUE || kind == RN_TOK_FALSE) && !completer->nword)
			continue; /* rarely wanted, and in the way */
		if (completer->at && (kind == RN_TOK_BY &&
				      completer->tokens[completer->at - 1].kind == RN_TOK_ORDER))
			rn_complete_add(completer, RN_CAND_KEYWORD, "by");
		else
			rn_complete_add(completer, RN_CAND_KEYWORD, keywords[i].text);
	}
}

/* ---- sources ---- */

static const struct rn_class *find(const struct rn_completer *k, const char *name, const char *arg)
{
	const struct rn_catalog *c = k->names->catalog;

	return c->find(c->self, name, arg, NULL, 0);
}

static const struct rn_ast_query *view_query(const struct rn_completer *k, const char *name)
{
	const char *text;
	const struct rn_ast_stmt *view = rn_complete_view(k, name, &text);

	return view ? view->query : NULL;
}

/* Is it events of a class where a condition holds? Then it can be in a list. */
static bool is_of_events(struct rn_completer *k, const char *name)
{
	const struct rn_ast_query *q = NULL;

	/* a view may be another one under a name of its own */
	for (unsigned i = 0; i < RN_MAX_VIEW_DEPTH && (q = view_query(k, name)); i++) {
		bool other = q->what != RN_WHAT_EVENTS || q->by || q->source->kind != RN_SRC_CLASS;

		for (int c = 0; c < RN_CLAUSES; c++)
			other |= c != RN_C_WHERE && q->clause[c].end > q->clause[c].start;
		if (other)
			return false;
		name = q->source->name;
		if (find(k, name, NULL))
			return !rn_class_list_trouble(find(k, name, NULL));
	}
	return false;
}

/* listed: those that can be in a list of classes */
static void views(struct rn_completer *k, bool listed)
{
	const struct rn_views *v = k->names->views;

	for (const char *const *n = v ? v->names(v->self) : NULL; n && *n; n++)
		if (!strncmp(*n, k->word, k->nword) && (!listed || is_of_events(k, *n)))
			rn_complete_add(k, RN_CAND_VIEW, *n);
}

void rn_complete_views(struct rn_completer *completer)
{
	views(completer, false);
}

void rn_complete_results(struct rn_completer *completer)
{
	const struct rn_lets *l = completer->names->lets;

	for (const char *const *n = l ? l->names(l->self) : NULL; n && *n; n++)
		rn_complete_add(completer, RN_CAND_TABLE, *n);
}

/* Hundreds of names, such as the system calls, share one description. Such a name is offered only
 * after the user has typed its beginning. */
static bool is_one_of_many(const char *const *names, const struct rn_completer *k,
			   const struct rn_class *c)
{
	unsigned same = 0;

	for (; *names && same < 9; names++) {
		const struct rn_class *other = find(k, *names, NULL);

		same += other && other->doc && c->doc && !strcmp(other->doc, c->doc);
	}
	return same >= 9;
}

/* Can a source of this class stand at the place? */
static bool stands(const struct rn_class *cls, enum rn_source_place place)
{
	switch (place) {
	case RN_SOURCE_LISTED: return !rn_class_list_trouble(cls);
	case RN_SOURCE_ARGUMENT: return !cls->needs_arg;
	default: return true;
	}
}

void rn_complete_sources(struct rn_completer *completer, enum rn_source_place place)
{
	const struct rn_catalog *catalog = completer->names->catalog;
	const char *const *names = catalog->names(catalog->self);
	const char *many = NULL;

	for (const char *const *n = names; n && *n; n++) {
		const struct rn_class *cls = strncmp(*n, completer->word, completer->nword)
						     ? NULL
						     : find(completer, *n, NULL);

		if (!cls || cls->later || !strcmp(*n, "tag") || !stands(cls, place))
			continue;
		if (!completer->nword && ((many && cls->doc && !strcmp(cls->doc, many)) ||
					  is_one_of_many(names, completer, cls))) {
			many = cls->doc;
			continue;
		}
		rn_complete_add(completer,
				cls->kind == RN_CLASS_TABLE ? RN_CAND_TABLE : RN_CAND_CLASS, *n);
	}
	if (many)
		completer->note = "or any system call by its name";
	views(completer, place == RN_SOURCE_LISTED);
	if (place == RN_SOURCE_ALONE)
		rn_complete_results(completer);
}

bool rn_complete_which(struct rn_completer *completer, const char *class_name)
{
	static const struct {
		const char *class_name, *note;
	} notes[] = {
		{"sample", "how often a second, as 99hz"},
		{"user", "functions in quotes, as \"libc:malloc\", \"/usr/bin/app:main\""},
		{"usdt", "static probes in quotes, as \"postgres:query__start\""},
		{"kernel", "functions in quotes, as \"vfs_*\""},
	};
	const struct rn_class *c = find(completer, class_name, NULL);

	if (!c || c->later || !c->needs_arg)
		return false;
	completer->note = "its name in quotes, as \"sched:sched_switch\"";
	for (size_t i = 0; i < sizeof(notes) / sizeof(*notes); i++)
		if (!strcmp(class_name, notes[i].class_name))
			completer->note = notes[i].note;
	return true;
}

void rn_complete_args(struct rn_completer *completer, const char *class_name)
{
	const struct rn_catalog *catalog = completer->names->catalog;
	const char *const *n = catalog->args ? catalog->args(catalog->self, class_name) : NULL;
	bool group = !memchr(completer->word, ':', completer->nword);
	size_t last = 0;

	if (rn_class_of_functions(class_name) && find(completer, class_name, NULL)) {
		completer->wants |= RN_WANT_FUNCTION;
		completer->functions_of = class_name;
		return;
	}
	for (const char *before = ""; n && *n; n++) {
		const char *colon = strchr(*n, ':');
		size_t len = colon ? (size_t)(colon - *n) + 1 : 0;

		if (!group || !len) {
			rn_complete_add(completer, RN_CAND_ARG, *n);
		} else if (len != last || strncmp(before, *n, len)) {
			rn_complete_add(completer, RN_CAND_ARG,
					rn_arena_strndup(completer->arena, *n, len));
			before = *n;
			last = len;
		}
	}
}

/* ---- expressions ---- */

static void fields_of(struct rn_completer *k, const struct rn_class *c)
{
	for (unsigned i = 0; i < c->nfields; i++)
		rn_complete_add(k, RN_CAND_FIELD, c->fields[i]->name);
}

/* Adds the labels of a query's list, as far as they are names. */
static void columns_of(struct rn_completer *k, const struct rn_ast_query *q,
		       enum rn_candidate_kind kind)
{
	for (const struct rn_ast_item *it = q ? q->items : NULL; it; it = it->next) {
		const char *name = it->alias ? it->alias : it->label ? it->label : it->expr->name;

		if (name && !strpbrk(name, " ()*+-/%"))
			rn_complete_add(k, kind, name);
	}
}

/* For a source that is more than a class: resolves it and adds its columns. */
static bool resolve_source_text(struct rn_completer *k, const char *text)
{
	struct rn_diag *d = rn_diag_new(k->arena);
	const char *all = rn_arena_printf(k->arena, "events of %s", text);
	struct rn_ast_file *f = rn_parse(k->arena, d, rn_diag_source(d, "", all, strlen(all)));
	struct rn_ast_query *q = f->stmts ? f->stmts->query : NULL;

	if (rn_diag_errors(d) || !q || f->stmts->kind != RN_STMT_QUERY ||
	    !rn_resolve(k->arena, d, q, k->names))
		return false;
	columns_of(k, q, RN_CAND_COLUMN);
	return true;
}

struct rn_ast_stmt *rn_complete_view(const struct rn_completer *completer, const char *name,
				     const char **text)
{
	const struct rn_views *v = completer->names->views;
	struct rn_diag *d = rn_diag_new(completer->arena);
	const char *origin;
	struct rn_ast_stmt *st;

	*text = v ? v->find(v->self, name, &origin) : NULL;
	if (!*text)
		return NULL;
	st = rn_parse(completer->arena, d, rn_diag_source(d, "", *text, strlen(*text)))->stmts;
	while (st && (st->kind != RN_STMT_VIEW || strcmp(st->name, name))) /* a module has many */
		st = st->next;
	return st && st->query ? st : NULL;
}

/* Adds the names in a view's list, if the arguments of the view are not complete yet; false: it is
 * no view. */
static bool columns_of_view(struct rn_completer *k, const char *name)
{
	const struct rn_ast_query *q = view_query(k, name);

	if (!q)
		return false;
	columns_of(k, q, RN_CAND_COLUMN);
	for (const struct rn_ast_item *it = q->by; it; it = it->next)
		if (it->expr->name)
			rn_complete_add(k, RN_CAND_COLUMN, it->expr->name);
	return true;
}

bool rn_complete_fields_of(struct rn_completer *completer, const char *source)
{
	struct rn_diag *d = rn_diag_new(completer->arena);
	const char *all = rn_arena_printf(completer->arena, "events of %s", source);
	struct rn_ast_file *f =
		rn_parse(completer->arena, d, rn_diag_source(d, "", all, strlen(all)));
	const struct rn_ast_source *s =
		f->stmts && f->stmts->query ? f->stmts->query->source : NULL;
	const struct rn_class *cls =
		s && s->kind == RN_SRC_CLASS && !s->next && !s->view_args
			? find(completer, s->name, s->args ? s->args->text : NULL)
			: NULL;

	if (cls) {
		fields_of(completer, cls);
		return true;
	}
	return resolve_source_text(completer, source) ||
	       (s && s->name && columns_of_view(completer, s->name));
}

/* Returns the source's last token. It also reads a `from "x"` that follows, which decides the
 * meaning of `tag` and classes. */
static unsigned source_end(const struct rn_completer *k, unsigned of, unsigned end)
{
	int depth = 0;
	unsigned i = of + 1;

	for (; i < end && k->tokens[i].kind; i++) {
		int kind = k->tokens[i].kind;
		bool goes_on;

		depth += (kind == RN_TOK_LPAREN) - (kind == RN_TOK_RPAREN);
		goes_on = kind == RN_TOK_ID || kind == RN_TOK_STRING || kind == RN_TOK_COMMA ||
			  kind == RN_TOK_TAG || kind == RN_TOK_BETWEEN || kind == RN_TOK_AND ||
			  kind == RN_TOK_RPAREN || kind == RN_TOK_LPAREN || kind == RN_TOK_INT ||
			  kind == RN_TOK_HEX || kind == RN_TOK_STAR || kind == RN_TOK_HZ;
		if (depth == 0 && !goes_on)
			break;
	}
	return i;
}

/* read, fsync: more than one class */
static bool is_list(const struct rn_token *first)
{
	return first[first[1].kind == RN_TOK_STRING ? 2 : 1].kind == RN_TOK_COMMA;
}

/* Adds the fields of the source at hand; false: there is no source yet. */
static bool source_fields(struct rn_completer *completer)
{
	unsigned of, end, last;
	int begin;
	const struct rn_token *token;
	const char *text;

	if (!rn_complete_query(completer, completer->at, &begin, &end, &of) || of + 1 >= end)
		return false;
	token = &completer->tokens[of + 1];
	if ((token->kind == RN_TOK_ID && !is_list(token)) || token->kind == RN_TOK_TAG) {
		const struct rn_class *cls =
			find(completer, token->text,
			     token[1].kind == RN_TOK_STRING ? token[1].text : NULL);

		if (cls) {
			fields_of(completer, cls);
			return true;
		}
	}
	last = source_end(completer, of, end);
	if (last <= of + 1)
		return false;
	text = rn_arena_strndup(completer->arena, completer->text + token->span.start,
				completer->tokens[last - 1].span.end - token->span.start);
	if (!resolve_source_text(completer, text) && token->kind == RN_TOK_ID)
		columns_of_view(completer, token->text);
	else if (token->kind == RN_TOK_BETWEEN && token[1].kind == RN_TOK_ID &&
		 find(completer, token[1].text, NULL))
		fields_of(completer, find(completer, token[1].text, NULL));
	return true;
}

/* `sum(bytes) as moved`: names that the query gives, for having and order. */
static void own_columns(struct rn_completer *k)
{
	unsigned of, end;
	int begin;

	if (!rn_complete_query(k, k->at, &begin, &end, &of)) { /* the list is being written */
		begin = -1;
		of = k->at;
	}
	for (unsigned i = (unsigned)(begin + 1); i + 1 < of && i + 1 < k->at; i++)
		if (k->tokens[i].kind == RN_TOK_AS && k->tokens[i + 1].kind == RN_TOK_ID)
			rn_complete_add(k, RN_CAND_COLUMN, k->tokens[i + 1].text);
}

void rn_complete_common_fields(struct rn_completer *completer)
{
	static const char *const common[] = {"syscall", "io", "processes"};

	for (unsigned i = 0; i < sizeof(common) / sizeof(*common); i++)
		if (find(completer, common[i], NULL))
			fields_of(completer, find(completer, common[i], NULL));
}

void rn_complete_functions(struct rn_completer *completer, bool aggs)
{
	const struct rn_func *func;

	for (unsigned i = 0; (func = rn_func_at(i)); i++)
		if (aggs || (func != &rn_func_share && func != &rn_func_delta))
			rn_complete_add(completer, RN_CAND_FUNCTION, func->name);
}

void rn_complete_expression(struct rn_completer *completer, bool aggs, bool outputs)
{
	bool fields;

	if (outputs || aggs)
		own_columns(completer);
	fields = source_fields(completer);

	if (!fields && !completer->nword && !aggs)
		completer->note = "or a field of the source, as bytes, latency, file";
	if (!fields && completer->nword) /* no source yet */
		rn_complete_common_fields(completer);
	for (const struct rn_agg_sig *const *g = completer->names->catalog->aggs; aggs && *g; g++)
		if (strcmp((*g)->name, rn_quantile_form)) /* which stands for many */
			rn_complete_add(completer, RN_CAND_AGGREGATE, (*g)->name);
	rn_complete_functions(completer, aggs);
}

/* ---- values, parameters ---- */

static const struct rn_class *class_in_hand(const struct rn_completer *k)
{
	unsigned of, end;
	int begin;
	const struct rn_token *s;

	if (!rn_complete_query(k, k->at, &begin, &end, &of))
		return NULL;
	s = &k->tokens[of + 1];
	return s->kind == RN_TOK_ID || s->kind == RN_TOK_TAG
		       ? find(k, s->text, s[1].kind == RN_TOK_STRING ? s[1].text : NULL)
		       : NULL;
}

void rn_complete_values(struct rn_completer *completer, const char *field)
{
	const struct rn_class *cls = class_in_hand(completer);

	if (!strcmp(field, "proc") || !strcmp(field, "thread")) {
		completer->wants |= RN_WANT_PROCESS;
	} else if (!strcmp(field, "user")) {
		completer->wants |= RN_WANT_USER;
	} else if (!strcmp(field, "node")) {
		completer->wants |= RN_WANT_NODE;
	} else if (!strcmp(field, "file") && completer->quoted) {
		completer->wants |= RN_WANT_FILE;
	} else if (!strcmp(field, "error")) {
		for (int e = 1; e < RN_ERRNO_END; e++)
			if (rn_errno_name(e))
				rn_complete_add(completer, RN_CAND_VALUE, rn_errno_name(e));
	} else if (!strcmp(field, "dir")) {
		rn_complete_add(completer, RN_CAND_VALUE, "in");
		rn_complete_add(completer, RN_CAND_VALUE, "out");
	} else if (!strcmp(field, "name")) {
		const char *const *calls = cls ? cls->calls : NULL;

		for (; calls && *calls; calls++)
			rn_complete_add(completer, RN_CAND_VALUE, *calls);
	}
}

void rn_complete_unit(struct rn_completer *completer, const char *field)
{
	const struct rn_class *c = class_in_hand(completer);
	const struct rn_field *f = c ? rn_class_field(c, field) : NULL;

	if (f && f->ty.unit == RN_U_NS)
		completer->note = "a duration, as 10ms";
	else if (f && f->ty.unit == RN_U_BYTE)
		completer->note = "a size, as 4KiB";
}

/* After `$`: the parameters of the view that is being written, and of the command line. */
void rn_complete_params(struct rn_completer *completer)
{
	if (completer->tokens[0].kind == RN_TOK_VIEW && completer->n > 2 &&
	    completer->tokens[2].kind == RN_TOK_LPAREN)
		for (unsigned i = 3; i < completer->n && completer->tokens[i].kind &&
				     completer->tokens[i].kind != RN_TOK_ASSIGN;
		     i++)
			if (completer->tokens[i].kind == RN_TOK_ID &&
			    (completer->tokens[i - 1].kind == RN_TOK_LPAREN ||
			     completer->tokens[i - 1].kind == RN_TOK_COMMA))
				rn_complete_add(completer, RN_CAND_PARAM,
						rn_arena_printf(completer->arena, "$%s",
								completer->tokens[i].text));
	for (const char *const *p = completer->names->params; p && *p; p++)
		rn_complete_add(
			completer, RN_CAND_PARAM,
			rn_arena_printf(completer->arena, "$%.*s", (int)strcspn(*p, "="), *p));
}
