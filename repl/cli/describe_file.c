/* describe_file.c - `runnel describe FILE`: the parameters and statements of a query file; what a
 * recording holds. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "exec/trace/file.h"
#include "lang/files/outfile.h"
#include "lang/resolve/params.h"
#include "lang/syntax/parse.h"
#include "lang/syntax/print.h"
#include "repl/cli/describe.h"
#include "repl/out/files.h"
#include "exec/trace/trace.h"
#include "repl/cli/run.h"

/* ---- a query file: its parameters and its statements ---- */

static void put_params(struct rn_describe *d, const struct rn_param *p)
{
	for (; p; p = p->next)
		rn_describe_put(
			d, "parameter", p->name,
			rn_arena_printf(d->arena, p->deflt ? "%s = %s" : "%s, required",
					rn_type_name(p->ty),
					p->deflt ? rn_print_expr(d->arena, p->stmt->params->deflt)
						 : ""),
			"", p->stmt->doc);
}

static void put_statement(struct rn_describe *d, const struct rn_diag *diag,
			  const struct rn_ast_stmt *st)
{
	unsigned line, col;

	rn_diag_where(diag, st->span, &line, &col);
	rn_describe_put(d, "statement", rn_arena_printf(d->arena, "line %u", line), "", "",
			rn_print_stmt(d->arena, st));
}

/* Describe a query file. Only its syntax and parameters are checked: it may be about another
 * machine. */
static int describe_text(struct rn_describe *d, const char *path, const char *text, size_t len)
{
	struct rn_diag *diag = rn_diag_new(d->arena);
	uint16_t src = rn_diag_source(diag, path, text, len);
	const struct rn_ast_file *f = rn_parse(d->arena, diag, src);
	const struct rn_param *params =
		rn_diag_errors(diag) ? NULL : rn_params_declared(d->arena, diag, f);
	bool wrong = rn_diag_errors(diag) > 0;

	if (wrong)
		fputs(rn_session_diag(d->session, diag, d->arena), stderr);
	else
		put_params(d, params);
	for (const struct rn_ast_stmt *st = f->stmts; st && !wrong; st = st->next) {
		if (st->kind != RN_STMT_PARAM)
			put_statement(d, diag, st);
	}
	return wrong ? RN_EXIT_QUERY : RN_EXIT_OK;
}

/* ---- a recording: where it is from, and what queries over it may name ---- */

static const char *moment(struct rn_arena *a, sqlite3 *db, const char *key)
{
	struct rn_value v = rn_int(strtoll(rn_trace_meta(db, a, key), NULL, 10));

	return rn_value_show(a, (struct rn_ty){RN_T_INT, RN_U_EPOCH}, &v);
}

static void put_nodes(struct rn_describe *d, sqlite3 *db)
{
	static const char why[] = "SELECT CASE WHEN answered THEN '' ELSE coalesce(nullif(why, "
				  "''), 'did not answer to the end') END FROM nodes ORDER BY node";
	unsigned n, m;
	const char *const *names = rn_trace_list(db, "SELECT node FROM nodes ORDER BY node",
						 d->arena, &n),
			  *const *docs = rn_trace_list(db, why, d->arena, &m);

	for (unsigned i = 0; i < n && i < m; i++)
		rn_describe_put(d, "node", names[i], "", "", docs[i]);
}

/* Put the classes that a recording answers besides its own: a recording of `io` answers `read`. */
static void put_contained(struct rn_describe *d, const struct rn_catalog *c, const char *own)
{
	enum { MOST = 12 };
	const char *const *names = c->names(c->self), *text = "";
	unsigned n = 0;

	for (; *names; names++) {
		if (strcmp(*names, own) && n++ < MOST)
			text = rn_arena_printf(d->arena, "%s%s%s", text, *text ? ", " : "", *names);
	}
	if (n)
		rn_describe_put(d, "class",
				n == 1 ? text : rn_arena_printf(d->arena, "(%u names)", n), "", "",
				rn_arena_printf(d->arena, "what is in it of %s%s", text,
						n > MOST ? ", ..." : ""));
}

static int describe_recording(struct rn_describe *describe, const char *path)
{
	struct rn_err err = {0};
	char why[sizeof(err.text) + sizeof(err.hint)] = "";
	sqlite3 *db;
	const char *class, *arg;
	const struct rn_catalog *catalog;
	const struct rn_class *cls;

	if (rn_trace_open(path, &db, &err)) {
		rn_complain(describe->session, &err);
		return RN_EXIT_USAGE;
	}
	class = rn_trace_meta(db, describe->arena, "class");
	arg = rn_trace_meta(db, describe->arena, "class_arg");
	catalog = rn_trace_catalog(describe->traces, path, describe->session->engine->catalog, why,
				   sizeof(why));
	cls = catalog ? catalog->find(catalog->self, class, arg, why, sizeof(why)) : NULL;
	if (cls) {
		char buf[32];
		long long rows = strtoll(rn_trace_meta(db, describe->arena, "rows"), NULL, 10),
			  runs = strtoll(rn_trace_meta(db, describe->arena, "runs"), NULL, 10);
		const char *in_runs =
			runs > 1 ? rn_arena_printf(describe->arena, " in %lld runs", runs) : "";

		rn_describe_put(describe, "recording", path, "", "",
				rn_arena_printf(describe->arena, "%s row%s%s, %s to %s, by: %s",
						rn_text_commas(buf, rows), rows == 1 ? "" : "s",
						in_runs, moment(describe->arena, db, "begin"),
						moment(describe->arena, db, "end"),
						rn_trace_meta(db, describe->arena, "query")));
		put_nodes(describe, db);
		for (unsigned i = 0; i < cls->ntags; i++)
			rn_describe_put(describe, "tag", cls->tags[i], "", "", "was searched");
		rn_describe_class(describe, cls);
		put_contained(describe, catalog, class);
	} else {
		char *text = rn_text_safe(why);

		rn_say("runnel: %s\n", text);
		free(text);
	}
	rn_trace_shut(db);
	return cls ? RN_EXIT_OK : RN_EXIT_USAGE;
}

/* Is the path named like a recording? An empty or damaged one is known only by its name. */
static bool is_called_recording(const char *path)
{
	size_t n = strlen(path);

	return n > 4 && !strcmp(path + n - 4, ".rnt");
}

int rn_describe_file(struct rn_describe *describe, const char *path)
{
	const char *output = describe->session->opt->output;
	size_t len;
	char *text;
	int status;

	if (output && rn_out_same(output, path)) {
		struct rn_err err = {0};

		rn_err_set(&err, -EEXIST,
			   "%s is the file that is to be described; write to another one", path);
		rn_complain(describe->session, &err);
		return RN_EXIT_SYSTEM;
	}
	text = rn_script_load(path, &len);
	status = !text ? RN_EXIT_USAGE
		 : rn_script_database(text, len) || is_called_recording(path)
			 ? describe_recording(describe, path)
			 : describe_text(describe, path, text, len);
	free(text);
	return status;
}
