/* import_export.c - `runnel export` and `runnel import`: saved views as a text, and back. Messages
 * go to stderr. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "lang/base/memory.h"
#include "repl/cli/commands.h"
#include "repl/cli/run.h"
#include "repl/cli/session.h"
#include "lang/base/limits.h"

int rn_cmd_export(struct rn_session *session)
{
	const char *const *only = session->opt->words;
	struct rn_arena *arena = rn_arena_create(RN_ARENA_CAP);
	struct rn_err err = {0};
	const char *text =
		rn_views_export(session->engine->views, only && *only ? only : NULL, arena, &err);
	int status = RN_EXIT_OK;

	if (!text || (*text && rn_session_output(session, NULL, &err))) {
		rn_complain(session, &err);
		status =
			err.code == -ENOENT || err.code == -EINVAL ? RN_EXIT_QUERY : RN_EXIT_SYSTEM;
	} else {
		fputs(text, session->to);
		if (!*text && !session->opt->quiet)
			rn_say("the catalogue %s has no views\n",
			       rn_views_path(session->engine->views));
	}
	rn_arena_destroy(arena);
	return status;
}

/* Print a line for each view with its outcome, and the sum. */
static void tell(const struct rn_session *s, const struct rn_view_change *c, unsigned n)
{
	static const char *const words[] = {[RN_VIEW_NEW] = "new",
					    [RN_VIEW_REPLACED] = "replaced",
					    [RN_VIEW_UNCHANGED] = "unchanged"};
	const char *would = s->opt->explain ? "would be " : "";
	unsigned count[3] = {0};

	for (unsigned i = 0; i < n; i++) {
		count[c[i].outcome]++;
		if (!s->opt->quiet)
			rn_say("view %s %s%s\n", c[i].name, would, words[c[i].outcome]);
	}
	if (!s->opt->quiet)
		rn_say("%u view%s: %s%u new, %u replaced, %u unchanged\n", n, n == 1 ? "" : "s",
		       would, count[0], count[1], count[2]);
}

static int report(struct rn_session *s, const struct rn_script *u, const struct rn_err *err)
{
	unsigned errors = rn_diag_errors(u->diag);
	const struct rn_err *problem;

	if (errors || (rn_diag_first(u->diag) && !s->opt->quiet))
		fputs(rn_session_diag(s, u->diag, u->arena), stderr);
	problem = err->code ? err : rn_views_problem(s->engine->views);
	if (problem->code)
		rn_complain(s, problem);
	if (problem->code)
		return RN_EXIT_SYSTEM;
	return !errors                             ? RN_EXIT_OK
	       : rn_script_system_refused(u->diag) ? RN_EXIT_SYSTEM
						   : RN_EXIT_QUERY;
}

static int import(struct rn_session *session, const struct rn_import_file *file, unsigned n)
{
	struct rn_script script;
	struct rn_view_change *change;
	unsigned nc;
	struct rn_err err = {0};
	bool right;
	int status;

	rn_script_open(&script, session->engine, file->name, file->text, file->len, NULL);
	right = rn_script_import(&script, file, n, &change, &nc, &err);
	status = report(session, &script, &err);
	if (right && !status && !session->opt->explain) {
		script.diag = rn_diag_new(script.arena);
		for (unsigned i = 0; i <= n; i++) /* in the same order, so that spans stay right */
			rn_diag_source(script.diag, file[i ? i - 1 : 0].name,
				       file[i ? i - 1 : 0].text, file[i ? i - 1 : 0].len);
		if (nc)
			rn_views_store(session->engine->views, change, nc, &script.names,
				       script.diag, script.arena, &err);
		status = report(session, &script, &err);
	}
	if (!status)
		tell(session, change, nc);
	rn_script_close(&script);
	return status;
}

int rn_cmd_import(struct rn_session *session)
{
	const char *const *paths = session->opt->words;
	unsigned n = 0, got = 0;
	struct rn_import_file *file;
	int status;

	while (paths[n])
		n++;
	file = rn_calloc(n + 1, sizeof(*file));
	for (; got < n; got++) {
		bool in = !strcmp(paths[got], "-");

		file[got].name = in ? "stdin" : paths[got];
		file[got].text = rn_script_load(in ? NULL : paths[got], &file[got].len);
		if (!file[got].text)
			break;
	}
	status = got == n ? import(session, file, n) : RN_EXIT_USAGE;
	for (unsigned i = 0; i < got; i++)
		free((char *)file[i].text);
	free(file);
	return status;
}
