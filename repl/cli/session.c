/* session.c - where the rows and messages of one run of the program go. */
#include "repl/cli/session.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "lang/files/outfile.h"
#include "repl/engine/record.h"
#include "repl/out/files.h"
#include "repl/terminal/pager.h"

void rn_complain(const struct rn_session *s, const struct rn_err *err)
{
	const char *red = s->err_term.color ? "\033[1;31m" : "",
		   *off = s->err_term.color ? "\033[0m" : "";
	char *text;

	if (asprintf(&text, "%serror:%s %s%s%s", red, off,
		     err->text[0] ? err->text : strerror(-err->code), err->hint[0] ? "\n  " : "",
		     err->hint) < 0)
		abort();
	rn_text_wrap(stderr, text, s->err_term.width, 2); /* err is clean: lang/base/err.c */
	free(text);
}

const char *rn_session_diag(const struct rn_session *s, struct rn_diag *d, struct rn_arena *a)
{
	rn_diag_fit(d, s->err_term.width);
	return rn_diag_render(d, a, s->err_term.color);
}

int rn_session_output(struct rn_session *s, const struct rn_trace_catalogs *read,
		      struct rn_err *err)
{
	const char *const inputs[] = {s->opt->action == RN_DO_FILE ? s->opt->subject : NULL,
				      s->opt->hosts};
	FILE *f;

	if (!s->opt->output || s->to != stdout)
		return 0;
	if (rn_recordings_apart(read, s->opt->output, err))
		return err->code;
	for (size_t i = 0; i < sizeof(inputs) / sizeof(*inputs); i++) {
		if (inputs[i] && rn_out_same(s->opt->output, inputs[i]))
			return rn_err_set(err, -EEXIST,
					  "%s is read here: rows are not written over it",
					  s->opt->output);
	}
	f = rn_output_create(s->opt->output, err);
	if (!f)
		return err->code;
	s->to = f;
	return 0;
}

struct rn_printer *rn_session_printer(struct rn_session *s)
{
	struct rn_printer *p = rn_printer_create(s->opt->format, s->to);

	if (s->to_term.tty)
		p->term = s->to_term;
	return p;
}

bool rn_session_page(struct rn_session *s)
{
	FILE *page = s->pager && s->to == stdout ? rn_pager_begin(s->pager, &s->to_term) : NULL;

	if (page)
		s->to = page;
	return page;
}

bool rn_session_unpage(struct rn_session *s)
{
	s->to = stdout;
	s->to_term = (struct rn_terminal){0};
	return rn_pager_end(s->pager);
}
