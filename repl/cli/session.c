/* session.c - where the rows and messages of one run of the program go. */
#include "repl/cli/session.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "lang/base/memory.h"
#include "lang/files/outfile.h"
#include "repl/engine/record.h"
#include "repl/out/files.h"
#include "repl/terminal/pager.h"

void rn_complain(const struct rn_session *session, const struct rn_err *err)
{
	const char *red = session->err_term.color ? "\033[1;31m" : "",
		   *off = session->err_term.color ? "\033[0m" : "";
	char *text = rn_asprintf("%serror:%s %s%s%s", red, off,
				 err->text[0] ? err->text : strerror(-err->code),
				 err->hint[0] ? "\n  " : "", err->hint);

	rn_text_wrap(stderr, text, session->err_term.width, 2); /* err is clean: lang/base/err.c */
	free(text);
}

void rn_session_carried(const struct rn_session *session)
{
	/* an engine that could not be opened has none */
	const char *told = session->engine ? rn_views_carried(session->engine->views) : NULL;

	if (told)
		rn_say("note: %s", told);
}

const char *rn_session_diag(const struct rn_session *session, struct rn_diag *diag,
			    struct rn_arena *arena)
{
	rn_diag_fit(diag, session->err_term.width);
	return rn_diag_render(diag, arena, session->err_term.color);
}

int rn_session_output(struct rn_session *session, const struct rn_trace_catalogs *read,
		      struct rn_err *err)
{
	const char *const inputs[] = {session->opt->action == RN_DO_FILE ? session->opt->subject
									 : NULL,
				      session->opt->hosts};
	FILE *f;

	if (!session->opt->output || session->to != stdout)
		return 0;
	if (rn_check_recordings_apart(read, session->opt->output, err))
		return err->code;
	for (size_t i = 0; i < sizeof(inputs) / sizeof(*inputs); i++) {
		if (inputs[i] && rn_out_same(session->opt->output, inputs[i]))
			return rn_err_set(err, -EEXIST,
					  "%s is read here: rows are not written over it",
					  session->opt->output);
	}
	f = rn_output_create(session->opt->output, err);
	if (!f)
		return err->code;
	session->to = f;
	return 0;
}

struct rn_printer *rn_session_printer(struct rn_session *session)
{
	/* only answers are drawn */
	const struct rn_format *format = session->opt->format->kind == RN_FORMAT_ROWS
						 ? session->opt->format
						 : rn_format_find(NULL);
	struct rn_printer *p = rn_printer_create(format, session->to);

	p->numbers = session->opt->verbose;
	if (session->to_term.tty)
		p->term = session->to_term;
	return p;
}

bool rn_session_page(struct rn_session *session)
{
	FILE *page = session->pager && session->to == stdout
			     ? rn_pager_begin(session->pager, &session->to_term)
			     : NULL;

	if (page)
		session->to = page;
	return page;
}

bool rn_session_unpage(struct rn_session *session)
{
	session->to = stdout;
	session->to_term = (struct rn_terminal){0};
	return rn_pager_end(session->pager);
}
