/* tags.c - runs the statements tags add, list, drop in the program. */
#include <string.h>
#include "lang/values/show.h"
#include "repl/engine/tag_store.h"
#include "repl/cli/run.h"
#include "repl/cli/session.h"

static void print(struct rn_session *session, struct rn_arena *arena, const struct rn_tag_entry *t,
		  unsigned n)
{
	struct rn_column cols[] = {
		{.label = "tag", .ty = {RN_T_STR, RN_U_NONE}},
		{.label = "bytes", .ty = {RN_T_INT, RN_U_BYTE}, .show = RN_SHOW_BYTES},
		{.label = "added", .ty = {RN_T_INT, RN_U_EPOCH}},
	};
	struct rn_printer *p = rn_session_printer(session);

	p->out.begin(p->out.self, &(struct rn_answer_shape){.cols = cols, .ncols = 3});
	for (unsigned i = 0; i < n; i++) {
		const char *text = rn_tag_text(arena, t[i].tag);
		struct rn_value row[] = {rn_strn(text, strlen(text)), rn_int(t[i].tag.len),
					 rn_int(t[i].added_ns)};

		p->out.row(p->out.self, row);
	}
	p->out.end(p->out.self);
	rn_printer_destroy(p);
}

int rn_tags_run(struct rn_session *session, struct rn_script *script, const struct rn_ast_stmt *st)
{
	struct rn_err err = {0};
	struct rn_tag_entry *now;
	const char *said = NULL;
	unsigned n = 0;
	bool list = !strcmp(st->name, "list");
	int code = list ? rn_tags_read(session->engine->tags, script->arena, &now, &n, &err)
			: rn_tags_store(script, st, &said, &err);

	if (!code && n)
		code = rn_session_output(session, script->traces, &err);
	if (code) {
		rn_complain(session, &err);
		return RN_EXIT_SYSTEM;
	}
	if (n)
		print(session, script->arena, now, n);
	else if (!session->opt->quiet)
		fputs(list ? "the set of tags is empty\n" : said, stderr);
	return RN_EXIT_OK;
}
