/* carry_over.c - writes saved views of version 0.1.0 in the words of this version, so that they
 * answer as before: `of proc` is `of processes`, and `/` between whole numbers, which had no
 * fraction, is div().
 *
 * Whether `/` stands between whole numbers is found by resolving the view, the views that it uses
 * first. A division inside of another one is written first, since the types around it follow from
 * it. */
#include <string.h>
#include "lang/base/utf8.h"
#include "lang/base/limits.h"
#include "lang/catalog/catalog.h"
#include "lang/resolve/resolve.h"
#include "lang/syntax/parse.h"
#include "lang/syntax/print.h"
#include "lang/syntax/walk_sources.h"
#include "repl/views/view_set.h"

struct carry {
	struct rn_viewset *views;
	const struct rn_names *names;
	struct rn_arena *arena;
	const char *told;
};

/* One view on its way. */
struct carried {
	struct rn_arena *arena; /* freed after the view */
	const char *name, *text, *doc;
	struct rn_ast_file *file;
	struct rn_ast_stmt *view; /* of file; NULL: it cannot be read */
	const char *was;          /* the table that it reads, as it was called; NULL: none */
	bool divides, by_div;     /* it has a `/`; one was replaced */
	const char *why;          /* why it cannot be carried over; NULL: it can */
};

static void tell(struct carry *c, const char *name, const char *what)
{
	char clean[512]; /* the file may be a stranger's */

	rn_utf8_clean(clean, sizeof(clean), what, strlen(what), "");
	c->told = rn_arena_printf(c->arena, "%s  `%s` %s\n", c->told ? c->told : "", name, clean);
}

static void read_text(struct carried *v)
{
	struct rn_diag *diag = rn_diag_new(v->arena);

	v->view = NULL;
	v->file = rn_parse(v->arena, diag, rn_diag_source(diag, v->name, v->text, strlen(v->text)));
	for (struct rn_ast_stmt *st = v->file->stmts; st; st = st->next)
		if (st->kind == RN_STMT_VIEW && st->query && !strcmp(st->name, v->name))
			v->view = st;
	if (rn_diag_errors(diag)) {
		v->view = NULL;
		v->why = rn_arena_printf(v->arena, "it cannot be read: %s",
					 rn_diag_first(diag)->text);
	}
}

/* Makes the text of what v->view is now, behind the `use` lines of the old text. */
static void write_text(struct carried *v)
{
	const char *text = rn_print_stmt(v->arena, v->view);

	for (const struct rn_ast_stmt *st = v->file->stmts; st; st = st->next)
		if (st->kind == RN_STMT_USE)
			text = rn_arena_printf(v->arena, "use %s;\n%s", st->name, text);
	v->text = text;
}

/* ---- tables ---- */

static void rename_source(void *self, struct rn_ast_source *src)
{
	struct carried *v = self;
	const char *now = rn_class_now(src->name);

	if (now == src->name)
		return;
	v->was = src->name;
	src->name = now;
}

static void note_division(void *self, struct rn_ast_expr *e)
{
	((struct carried *)self)->divides |= e->kind == RN_AST_BINARY && e->op == RN_OP_DIV;
}

/* ---- divisions ---- */

/* The divisions of a view: those of whole numbers, and one of which nobody knows. */
struct divisions {
	struct carried *v;
	uint16_t src; /* the view's text in the diag of the query over it */
	struct rn_span whole[64];
	const char *text[64]; /* as written; a column of the list stands in `having` by its text */
	unsigned n;
	const char *unknown;
};

static bool is_division(const struct rn_ast_expr *e)
{
	return e->kind == RN_AST_BINARY && e->op == RN_OP_DIV;
}

static void find_whole(void *self, struct rn_ast_expr *e)
{
	struct divisions *d = self;
	const struct rn_ast_expr *l = e->args, *r = l ? l->next : NULL;

	if (!is_division(e) || !l || !r || e->span.src != d->src || e->column >= 0)
		return;
	if (l->ty.type == RN_T_INT && r->ty.type == RN_T_INT && e->ty.type == RN_T_FLOAT) {
		if (d->n < sizeof(d->whole) / sizeof(*d->whole))
			d->whole[d->n++] = e->span;
	} else if (l->ty.type == RN_T_ERROR || r->ty.type == RN_T_ERROR) {
		d->unknown = rn_print_expr(d->v->arena, e);
	}
}

static void keep_text(void *self, struct rn_ast_expr *e)
{
	struct divisions *d = self;

	for (unsigned i = 0; is_division(e) && i < d->n; i++)
		if (e->span.start == d->whole[i].start && e->span.end == d->whole[i].end)
			d->text[i] = rn_print_expr(d->v->arena, e);
}

static void write_div(void *self, struct rn_ast_expr *e)
{
	struct divisions *d = self;
	bool found = false;

	for (unsigned i = 0; is_division(e) && i < d->n && !found; i++)
		found = d->text[i] && !strcmp(rn_print_expr(d->v->arena, e), d->text[i]);
	if (!found)
		return;
	e->kind = RN_AST_CALL;
	e->op = RN_OP_NONE;
	e->name = "div";
}

/* Resolves the view among the others. False: it is wrong, and *why says how. */
static bool find_divisions(struct carry *c, struct divisions *d, const char **why)
{
	struct carried *v = d->v;
	const char *text = rn_arena_printf(v->arena, "events of %s", v->name);
	struct rn_diag *diag = rn_diag_new(v->arena);
	struct rn_names own = *c->names;
	struct rn_ast_query *query;
	bool right;

	own.views = &c->views->views;
	own.lets = NULL;
	own.params = NULL;
	own.declared = NULL;
	own.here = NULL;
	own.unbound = true;
	rn_viewset_put(c->views, v->name, v->text, v->doc);
	query = rn_parse(v->arena, diag, rn_diag_source(diag, v->name, text, strlen(text)))
			->stmts->query;
	right = rn_resolve(v->arena, diag, query, &own);
	*why = right ? NULL : rn_diag_first(diag)->text;
	if (!query->source->query)
		return right;
	d->src = query->source->query->span.src;
	rn_query_walk(query->source->query, &(struct rn_ast_visit){.expr = find_whole, .self = d});
	return right;
}

static void write_divisions(struct carry *c, struct carried *v)
{
	struct divisions *d = RN_NEW(v->arena, struct divisions);
	const char *wrong;
	bool right;

	do { /* a division is found once those inside of it are written */
		*d = (struct divisions){.v = v};
		right = find_divisions(c, d, &wrong);
		if (!d->n)
			break;
		read_text(v);
		if (!v->view)
			return; /* v->why says it */
		rn_query_walk(v->view->query, &(struct rn_ast_visit){.expr = keep_text, .self = d});
		rn_query_walk(v->view->query, &(struct rn_ast_visit){.expr = write_div, .self = d});
		write_text(v);
		v->by_div = true;
	} while (true);
	if (!right)
		v->why = rn_arena_printf(v->arena, "%s", wrong);
	else if (d->unknown)
		v->why = rn_arena_printf(v->arena,
					 "if `%s` divides whole numbers, write div(): it depends "
					 "on the values given",
					 d->unknown);
}

/* ---- a view, and all ---- */

static const char *changes(const struct carried *v)
{
	const char *table = v->was ? rn_arena_printf(v->arena, "reads `%s`, which was `%s`",
						     rn_class_now(v->was), v->was)
				   : NULL;
	static const char div[] = "divides whole numbers by div(), as `/` has a fraction now";

	return table && v->by_div ? rn_arena_printf(v->arena, "%s, and %s", table, div)
	       : table            ? table
				  : div;
}

/* Is it the name of a saved view, and now of a table, which goes first? */
static bool is_taken(const struct carry *c, const char *name)
{
	const struct rn_catalog *catalog = c->names->catalog;
	const struct rn_class *cls = rn_viewset_find(c->views, name)
					     ? catalog->find(catalog->self, name, NULL, NULL, 0)
					     : NULL;

	return cls && cls->kind == RN_CLASS_TABLE;
}

static void check_taken(const struct carry *c, const struct rn_saved *saved, struct carried *v)
{
	if (is_taken(c, saved->name))
		v->why = "a table has this name now: save the view under another one";
	for (const char *const *used = saved->names; *used && !v->why; used++)
		if (is_taken(c, *used))
			v->why = rn_arena_printf(v->arena,
						 "it uses the view `%s`, and a table has this name "
						 "now",
						 *used);
}

static void carry_view(struct carry *c, const char *name)
{
	const struct rn_saved *saved = rn_viewset_find(c->views, name);
	struct carried v = {.arena = rn_arena_create(RN_ARENA_CAP),
			    .name = saved->name,
			    .text = saved->text,
			    .doc = saved->doc};

	read_text(&v);
	check_taken(c, saved, &v);
	if (v.view && !v.why) {
		rn_query_walk(v.view->query,
			      &(struct rn_ast_visit){rename_source, note_division, &v});
		if (v.was)
			write_text(&v);
		if (v.divides)
			write_divisions(c, &v);
	}
	if (v.why) {
		rn_viewset_put(c->views, name, saved->text, saved->doc);
		tell(c, name, rn_arena_printf(c->arena, "stays as it was: %s", v.why));
	} else if (v.was || v.by_div) {
		rn_viewset_put(c->views, name, v.text, saved->doc);
		tell(c, name, changes(&v));
	}
	rn_arena_destroy(v.arena);
}

const char *rn_viewset_carry_over(struct rn_viewset *views, const struct rn_names *names,
				  struct rn_arena *arena)
{
	struct carry c = {.views = views, .names = names, .arena = arena};
	const char *why;
	const struct rn_saved *const *order = rn_viewset_order(views, NULL, arena, &why);
	unsigned n = views->n;
	const char **all = RN_NEWN(arena, const char *, n);

	for (unsigned i = 0; i < n; i++)
		all[i] = (order ? order[i] : views->list[i])->name;
	for (unsigned i = 0; i < n; i++)
		carry_view(&c, all[i]);
	return c.told;
}
