/* view_import.c - files of views as one change of the catalogue. Each file is a text with its own
 * `use` lines, and knows the views of the files before it. */
#include <string.h>
#include "repl/engine/script.h"
#include "lang/syntax/parse.h"
#include "lang/base/vec.h"

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
static const char *alone(const struct rn_script *script, const struct rn_ast_file *file,
			 const struct rn_ast_stmt *view)
{
	const char *start = script->text + view->span.start, *line = start, *at = script->text;
	size_t most = 0, column = 0;
	char *text, *p, *own;

	for (; line > script->text && line[-1] != '\n'; line--)
		column += ((unsigned char)line[-1] & 0xc0) != 0x80;
	for (const char *s = script->text; s < start; s++)
		most += *s == '\n';
	for (const struct rn_ast_stmt *st = file->stmts; st != view->next; st = st->next)
		most += st->kind == RN_STMT_USE || st == view ? st->span.end - st->span.start + 1
							      : 0;
	text = rn_arena_alloc(script->arena, most + column + 1);
	p = text;
	for (const struct rn_ast_stmt *st = file->stmts; st != view; st = st->next) {
		if (st->kind != RN_STMT_USE)
			continue;
		p = put_statement(put_lines(p, at, script->text + st->span.start), script, st);
		at = script->text + st->span.end;
	}
	p = put_lines(p, at, start);
	own = memrchr(text, '\n', (size_t)(p - text));
	for (own = own ? own + 1 : text; (size_t)(p - own) < column;)
		*p++ = ' ';
	put_statement(p, script, view);
	return text;
}

/* Append the views of the file to *change. */
static void take_file(struct rn_script *script, struct rn_view_change **change, unsigned *n,
		      unsigned *cap, struct rn_err *err)
{
	struct rn_ast_file *file = rn_parse(script->arena, script->diag, script->src);

	rn_views_unuse(script->engine->views);
	for (const struct rn_ast_stmt *st = file->stmts; st && !err->code; st = st->next) {
		struct rn_statement job = {0};

		if (st->kind != RN_STMT_VIEW && st->kind != RN_STMT_USE) {
			refuse(script, st);
			continue;
		}
		script->view_source = st->kind == RN_STMT_VIEW ? alone(script, file, st) : NULL;
		rn_statement_check(script, st, &job, err);
		if (st->kind == RN_STMT_USE)
			continue;
		rn_vec_room_in(script->arena, *change, *n, *cap);
		(*change)[(*n)++] = (struct rn_view_change){.name = st->name,
							    .text = job.text,
							    .doc = st->doc,
							    .span = st->span,
							    .source = script->view_source,
							    .origin = script->name};
	}
}

bool rn_script_import(struct rn_script *script, const struct rn_import_file *file, unsigned n,
		      struct rn_view_change **change, unsigned *nc, struct rn_err *err)
{
	unsigned cap = 0;
	struct rn_viewset *set;

	*change = NULL;
	*nc = 0;
	for (unsigned i = 0; i < n && !err->code; i++) {
		struct rn_script own = *script;

		/* it is no module of ours */
		own.name = strncmp(file[i].name, "stdlib/", 7)
				   ? file[i].name
				   : rn_arena_printf(script->arena, "./%s", file[i].name);
		own.text = file[i].text;
		own.len = file[i].len;
		own.src = rn_diag_source(script->diag, own.name, own.text, own.len);
		take_file(&own, change, nc, &cap, err);
	}
	rn_views_unuse(script->engine->views);
	set = NULL;
	if (!rn_diag_errors(script->diag) && !err->code)
		rn_views_try(script->engine->views, &set, *change, *nc, &script->names,
			     script->diag, script->arena);
	return !rn_diag_errors(script->diag) && !err->code;
}
