/* view_import.c - files of views as one change of the catalogue. Each file is a text with its own
 * `use` lines, and knows the views of the files before it. */
#include <string.h>
#include "repl/engine/script.h"
#include "lang/syntax/parse.h"

static void refuse(struct rn_script *u, const struct rn_ast_stmt *st)
{
	static const char *const what[] = {[RN_STMT_QUERY] = "a query",
					   [RN_STMT_DROP] = "`drop`",
					   [RN_STMT_EXPLAIN] = "`explain`",
					   [RN_STMT_TAGS] = "`tags`"};
	const char *is = (unsigned)st->kind < sizeof(what) / sizeof(*what) && what[st->kind]
				 ? what[st->kind]
				 : "another statement";

	rn_diag_hint(u->diag,
		     rn_diag_add(u->diag, RN_ERROR, "E-IMPORT", st->span,
				 "import takes views and `use`; this is %s", is),
		     "without `import`, runnel runs all statements of a file");
}

/* Write a newline for each one from s to end, and nothing else. */
static char *put_lines(char *to, const char *s, const char *end)
{
	for (; s < end; s++) {
		if (*s == '\n')
			*to++ = '\n';
	}
	return to;
}

static char *put_statement(char *to, const struct rn_script *u, const struct rn_ast_stmt *st)
{
	size_t n = st->span.end - st->span.start;

	memcpy(to, u->text + st->span.start, n);
	to[n] = ';';
	return to + n + 1;
}

/* Return the view and the `use` lines before it, at their lines and column in the file, so that
 * messages tell places in the file. */
static const char *alone(const struct rn_script *u, const struct rn_ast_file *f,
			 const struct rn_ast_stmt *view)
{
	const char *start = u->text + view->span.start, *line = start, *at = u->text;
	size_t most = 0, column = 0;
	char *text, *p, *own;

	for (; line > u->text && line[-1] != '\n'; line--)
		column += ((unsigned char)line[-1] & 0xc0) != 0x80;
	for (const char *s = u->text; s < start; s++)
		most += *s == '\n';
	for (const struct rn_ast_stmt *st = f->stmts; st != view->next; st = st->next)
		most += st->kind == RN_STMT_USE || st == view ? st->span.end - st->span.start + 1
							      : 0;
	text = rn_arena_alloc(u->arena, most + column + 1);
	p = text;
	for (const struct rn_ast_stmt *st = f->stmts; st != view; st = st->next) {
		if (st->kind != RN_STMT_USE)
			continue;
		p = put_statement(put_lines(p, at, u->text + st->span.start), u, st);
		at = u->text + st->span.end;
	}
	p = put_lines(p, at, start);
	own = memrchr(text, '\n', (size_t)(p - text));
	for (own = own ? own + 1 : text; (size_t)(p - own) < column;)
		*p++ = ' ';
	put_statement(p, u, view);
	return text;
}

/* Append the views of the file to *c. */
static void take_file(struct rn_script *u, struct rn_view_change **c, unsigned *n, unsigned *cap,
		      struct rn_err *err)
{
	struct rn_ast_file *f = rn_parse(u->arena, u->diag, u->src);

	rn_views_unuse(u->e->views);
	for (const struct rn_ast_stmt *st = f->stmts; st && !err->code; st = st->next) {
		struct rn_statement job = {0};

		if (st->kind != RN_STMT_VIEW && st->kind != RN_STMT_USE) {
			refuse(u, st);
			continue;
		}
		u->view_source = st->kind == RN_STMT_VIEW ? alone(u, f, st) : NULL;
		rn_statement_check(u, st, &job, err);
		if (st->kind == RN_STMT_USE)
			continue;
		if (*n == *cap) {
			struct rn_view_change *more = RN_NEWN(u->arena, struct rn_view_change,
							      *cap = *cap ? 2 * *cap : 64);

			if (*n)
				memcpy(more, *c, *n * sizeof(*more));
			*c = more;
		}
		(*c)[(*n)++] = (struct rn_view_change){.name = st->name,
						       .text = job.text,
						       .doc = st->doc,
						       .span = st->span,
						       .source = u->view_source,
						       .origin = u->name};
	}
}

bool rn_script_import(struct rn_script *u, const struct rn_import_file *f, unsigned n,
		      struct rn_view_change **c, unsigned *nc, struct rn_err *err)
{
	unsigned cap = 0;
	struct rn_viewset *set;

	*c = NULL;
	*nc = 0;
	for (unsigned i = 0; i < n && !err->code; i++) {
		struct rn_script own = *u;

		/* it is no module of ours */
		own.name = strncmp(f[i].name, "stdlib/", 7)
				   ? f[i].name
				   : rn_arena_printf(u->arena, "./%s", f[i].name);
		own.text = f[i].text;
		own.len = f[i].len;
		own.src = rn_diag_source(u->diag, own.name, own.text, own.len);
		take_file(&own, c, nc, &cap, err);
	}
	rn_views_unuse(u->e->views);
	set = NULL;
	if (!rn_diag_errors(u->diag) && !err->code)
		rn_views_try(u->e->views, &set, *c, *nc, &u->names, u->diag, u->arena);
	if (rn_diag_errors(u->diag))
		rn_script_hint_modules(u, u->diag);
	return !rn_diag_errors(u->diag) && !err->code;
}
