/* line_editor.c - libedit, but we read the keys. So Ctrl-C, Ctrl-Z, a new window size, SIGTERM and
 * bytes that are not UTF-8 work as they should at any moment.
 *
 * While a line is edited the terminal sends no signals for keys (-isig): Ctrl-C and Ctrl-Z are
 * ordinary keys. Signals from elsewhere are let in only while we wait for a key. libedit works in
 * characters of the locale. So we call it in a UTF-8 locale of this thread; the rest of the program
 * keeps the locale of the process. */
#include <errno.h>
#include <histedit.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>
#include "lang/base/memory.h"
#include "repl/shell/history.h"
#include "repl/shell/line_editor.h"
#include "repl/terminal/signals.h"
#include "repl/terminal/terminal.h"
#include "lang/base/vec.h"

struct rn_line {
	struct rn_line_ops ops;
	EditLine *el;     /* NULL: a plain terminal */
	FILE *out, *none; /* none: swallows libedit's complaints */
	locale_t utf8;
	const char *prompt;
	char *plain; /* the line of a plain terminal */
	size_t cap;
	bool canceled, ended, vi;
	bool pasting;              /* the terminal said that the next keys are pasted */
	unsigned redraws, resumes; /* as of the last look */
};

static struct rn_line *of(EditLine *el)
{
	void *self = NULL;

	el_get(el, EL_CLIENTDATA, &self);
	return self;
}

static char *prompt_of(EditLine *el)
{
	return (char *)(uintptr_t)of(el)->prompt;
}

/* ---- keys ---- */

/* Return the rows of the screen between the line's first one and the cursor. */
static unsigned rows_above(const struct rn_line *line)
{
	const LineInfo *li = el_line(line->el);
	struct rn_terminal term;
	unsigned rows = 0;
	unsigned width, column, w;

	rn_terminal_query(&term, line->out);
	width = term.width ? term.width : 80;
	column = rn_utf8_width(line->prompt, strlen(line->prompt));
	for (const char *p = li->buffer; p < li->cursor;
	     p += *p == '\n' ? 1 : rn_utf8_char(p, (size_t)(li->cursor - p))) {
		w = *p == '\n' ? 0 : rn_utf8_width(p, rn_utf8_char(p, (size_t)(li->cursor - p)));
		/* a wide character does not begin in the last column */
		if (*p == '\n' || column + w > width) {
			column = 0;
			rows++;
		}
		column += w;
		if (column >= width) {
			column = 0;
			rows++;
		}
	}
	return rows;
}

/* Draw prompt and line again, from that many rows above; clear what is below. */
static void draw_again(struct rn_line *l, unsigned above)
{
	fputs("\r", l->out);
	if (above)
		fprintf(l->out, "\033[%uA", above);
	fputs("\033[J", l->out);
	fflush(l->out);
	el_set(l->el, EL_REFRESH);
}

static void redraw(struct rn_line *l)
{
	unsigned now = rn_signals_redraws();

	if (now == l->redraws)
		return;
	l->redraws = now;
	if (!l->el) { /* the terminal has dropped what was typed before the stop */
		if (rn_signals_resumes() != l->resumes)
			fputs(l->prompt, l->out);
		l->resumes = rn_signals_resumes();
		fflush(l->out);
		return;
	}
	el_set(l->el, EL_PREP_TERM, 1); /* another program may have changed the modes */
	el_resize(l->el);
	draw_again(l, rows_above(l));
}

/* Read the next byte; -1: there is none, or a signal asks to leave. */
static int get_byte(struct rn_line *line)
{
	sigset_t wanted, before;
	unsigned char c;
	ssize_t n = -1;

	rn_signals_mask(&wanted);
	sigprocmask(SIG_BLOCK, &wanted, &before);
	for (;;) {
		struct pollfd p;
		sigset_t came;

		if (rn_signals_leave())
			break;
		if (*rn_signals_stop()) { /* a SIGINT that came from no key */
			rn_signals_begin();
			line->canceled = true;
			break;
		}
		redraw(line);
		p = (struct pollfd){.fd = STDIN_FILENO, .events = POLLIN};
		if (ppoll(&p, 1, NULL, &before) < 0 && errno == EINTR)
			continue;
		/* handle it before the key that woke us, which belongs to the next line */
		if (!sigpending(&came) && sigismember(&came, SIGINT)) {
			sigprocmask(SIG_SETMASK, &before, NULL);
			sigprocmask(SIG_BLOCK, &wanted, NULL);
			continue;
		}
		n = read(STDIN_FILENO, &c, 1);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		break;
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (n == 1)
		return c;
	line->ended |= !line->canceled;
	return -1;
}

/* Read one character; skip bytes that are not UTF-8. */
static int get_char(EditLine *el, wchar_t *to)
{
	struct rn_line *line = of(el);
	char s[8] = {0};
	size_t n = 0;

	for (;;) {
		int c = get_byte(line);
		size_t len;
		bool lead;

		if (c < 0) {
			*to = 0;
			return line->canceled ? -1 : 0;
		}
		if (n && (c & 0xc0) != 0x80)
			n = 0; /* the character was not continued: drop it */
		s[n++] = (char)c;
		len = rn_utf8_char(s, n);
		if (len) {
			static const unsigned char mask[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
			wchar_t w = (unsigned char)s[0] & mask[len];

			for (size_t i = 1; i < len; i++)
				w = (wchar_t)(w << 6 | (s[i] & 0x3f));
			*to = w;
			return 1;
		}
		lead = (s[0] & 0xe0) == 0xc0 || (s[0] & 0xf0) == 0xe0 || (s[0] & 0xf8) == 0xf0;
		if (!lead || n >= 4)
			n = 0;
	}
}

/* ---- what keys do ---- */

/* Was a Tab pasted? Then it is a blank and asks nothing. Most terminals mark pasted text if asked
 * to. For the others, it was pasted if more bytes wait than anybody types in advance. */
static bool was_pasted(const struct rn_line *l)
{
	enum { TYPED = 32 };
	int waits = 0;

	ioctl(STDIN_FILENO, FIONREAD, &waits);
	return waits > (l->pasting ? 0 : TYPED);
}

static unsigned char on_paste(EditLine *el, int key)
{
	(void)key;
	of(el)->pasting = true;
	return CC_NORM;
}

static unsigned char on_pasted(EditLine *el, int key)
{
	(void)key;
	of(el)->pasting = false;
	return CC_NORM;
}

/* Ask the terminal to mark pasted text (xterm's "bracketed paste"). Not in vi mode: its Escape
 * would switch to commands. */
static void ask_for_pastes(const struct rn_line *l, bool on)
{
	if (!l->vi)
		fputs(on ? "\033[?2004h" : "\033[?2004l", l->out);
	fflush(l->out);
}

static void to_end(struct rn_line *l)
{
	const LineInfo *li = el_line(l->el);
	unsigned above = rows_above(l);

	/* in bytes: at least as many as characters; the cursor stops at the end */
	el_cursor(l->el, (int)(li->lastchar - li->cursor));
	draw_again(l, above);
}

static unsigned char on_cancel(EditLine *el, int key)
{
	struct rn_line *l = of(el);

	(void)key;
	to_end(l);
	l->canceled = true;
	fputs("^C\n", l->out);
	fflush(l->out);
	return CC_NEWLINE;
}

static unsigned char on_suspend(EditLine *el, int key)
{
	struct rn_line *l = of(el);

	(void)key;
	el_set(el, EL_PREP_TERM, 0);
	fputs("\n", l->out);
	ask_for_pastes(l, false);
	(void)signal(SIGTSTP, SIG_DFL);
	raise(SIGTSTP);
	el_set(el, EL_PREP_TERM, 1);
	ask_for_pastes(l, true);
	l->redraws = rn_signals_redraws();
	el_resize(el);
	el_set(el, EL_REFRESH);
	return CC_NORM;
}

/* Show text below the line, then draw the line again below that. */
static void show_below(struct rn_line *l, const char *text)
{
	const LineInfo *li = el_line(l->el);
	unsigned after = rn_utf8_width(li->cursor, (size_t)(li->lastchar - li->cursor));

	to_end(l);
	fprintf(l->out, "\n%s", text);
	fflush(l->out);
	el_cursor(l->el, -(int)after); /* in characters */
	el_set(l->el, EL_REFRESH);
}

static unsigned char on_complete(EditLine *el, int key)
{
	struct rn_line *l = of(el);
	struct rn_terminal term;
	const LineInfo *li = el_line(el);
	char *insert = NULL, *show = NULL, tab[2] = "\t";
	size_t len, cursor;
	char *line;
	unsigned char what;

	(void)key;
	if (was_pasted(l)) {
		el_insertstr(el, tab);
		return CC_REFRESH;
	}
	rn_terminal_query(&term, l->out);
	len = (size_t)(li->lastchar - li->buffer);
	cursor = (size_t)(li->cursor - li->buffer);
	line = rn_strndup(li->buffer, len);
	l->ops.complete(l->ops.self, line, cursor, term.width ? term.width : 80,
			term.height ? term.height : 24, &insert, &show);
	free(line);
	if (insert && *insert)
		el_insertstr(el, insert);
	if (show && *show)
		show_below(l, show);
	what = show && *show ? CC_NORM : insert && *insert ? CC_REFRESH : CC_ERROR;
	free(insert);
	free(show);
	return what;
}

static unsigned char on_mend(EditLine *el, int key)
{
	struct rn_line *l = of(el);
	const char *text = l->ops.mended(l->ops.self);
	const LineInfoW *li;

	(void)key;
	if (!text)
		return CC_ERROR;
	li = el_wline(el); /* in characters, as libedit counts here */
	el_cursor(el, (int)(li->lastchar - li->cursor));
	el_deletestr(el, (int)(li->lastchar - li->buffer));
	el_insertstr(el, text);
	return CC_REFRESH;
}

/* ---- its life ---- */

static const char *const keys[][2] = {
	{"^I", "rn-complete"},
	{"^C", "rn-cancel"},
	{"^Z", "rn-suspend"},
	{"^X", "rn-mend"},
	{"^R", "em-inc-search-prev"},
	{"^S", "em-inc-search-next"},
	{"^W", "ed-delete-prev-word"},
	{"^L", "ed-clear-screen"},
	{"\\e[200~", "rn-paste"},
	{"\\e[201~", "rn-pasted"},
	{"\\e[3~", "ed-delete-next-char"},
	{"\\e[1~", "ed-move-to-beg"},
	{"\\e[4~", "ed-move-to-end"},
	{"\\e[7~", "ed-move-to-beg"},
	{"\\e[8~", "ed-move-to-end"},
	{"\\e[H", "ed-move-to-beg"},
	{"\\e[F", "ed-move-to-end"},
	{"\\eOH", "ed-move-to-beg"},
	{"\\eOF", "ed-move-to-end"},
	{"\\e[1;5C", "em-next-word"},
	{"\\e[1;5D", "ed-prev-word"},
	{"\\e[1;3C", "em-next-word"},
	{"\\e[1;3D", "ed-prev-word"},
};
enum { NKEYS = sizeof(keys) / sizeof(*keys) };

static void name_functions(EditLine *el)
{
	/* as wide characters: libedit keeps these pointers, but would convert narrow names and
	 * never free them */
	el_wset(el, EL_ADDFN, L"rn-complete", L"complete the word", on_complete);
	el_wset(el, EL_ADDFN, L"rn-cancel", L"forget the line", on_cancel);
	el_wset(el, EL_ADDFN, L"rn-mend", L"put in what was meant", on_mend);
	el_wset(el, EL_ADDFN, L"rn-paste", L"what follows is pasted", on_paste);
	el_wset(el, EL_ADDFN, L"rn-pasted", L"what follows is typed", on_pasted);
	el_wset(el, EL_ADDFN, L"rn-suspend", L"suspend the program", on_suspend);
}

/* Letters such as Ã¤ are not keys with an eighth bit. */
static void bind_letters(EditLine *el)
{
	for (wchar_t key[2] = {0x80, 0}; key[0] <= 0xff; key[0]++)
		el_wset(el, EL_BIND, key, L"ed-insert", NULL);
}

/* Leave libedit's own command line unbound: it ends the program if it is left empty. */
static void bind_keys(EditLine *el)
{
	el_set(el, EL_EDITOR, "emacs");
	for (size_t i = 0; i < NKEYS; i++)
		el_set(el, EL_BIND, keys[i][0], keys[i][1], NULL);
	bind_letters(el);
	el_set(el, EL_BIND, "-r", "\\ex", NULL);
	el_set(el, EL_BIND, "-r", "\\eX", NULL);
	el_set(el, EL_SETTY, "-d", "-isig", NULL); /* while a line is edited */
}

/* Bind the keys again, because `bind -v` forgets them. An Escape leads to vi's commands, so the
 * rest of a key's sequence is bound there. */
static void bind_vi_keys(EditLine *el)
{
	for (size_t i = 0; i < NKEYS; i++) {
		bool escape = keys[i][0][0] == '\\';

		if (!escape)
			el_set(el, EL_BIND, keys[i][0], keys[i][1], NULL);
		el_set(el, EL_BIND, "-a", keys[i][0] + (escape ? strlen("\\e") : 0), keys[i][1],
		       NULL);
	}
	bind_letters(el);
	el_set(el, EL_BIND, "-a", "-r", ":", NULL);
}

static void open_editor(struct rn_line *line, struct rn_history *past)
{
	locale_t before;

	line->none = fopen("/dev/null", "we");
	line->utf8 = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
	before = line->utf8 ? uselocale(line->utf8) : (locale_t)0;
	if (!line->utf8 || MB_CUR_MAX < 2) {
		uselocale(before ? before : LC_GLOBAL_LOCALE);
		if (line->utf8)
			freelocale(line->utf8);
		line->utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
		before = line->utf8 ? uselocale(line->utf8) : (locale_t)0;
	}
	line->el = line->none ? el_init("runnel", stdin, line->out, line->none) : NULL;
	if (line->el) {
		const char *mode;

		el_set(line->el, EL_CLIENTDATA, line);
		el_set(line->el, EL_SIGNAL, 0);
		el_set(line->el, EL_PROMPT, prompt_of);
		el_set(line->el, EL_GETCFN, get_char);
		if (past)
			el_set(line->el, EL_HIST, history, rn_history_list(past));
		mode = "";
		name_functions(line->el);
		bind_keys(line->el);
		el_source(line->el, NULL); /* ~/.editrc */
		el_get(line->el, EL_EDITOR, &mode);
		line->vi = !strcmp(mode, "vi");
		if (line->vi)
			bind_vi_keys(line->el);
	}
	uselocale(before ? before : LC_GLOBAL_LOCALE);
}

struct rn_line *rn_line_create(const struct rn_line_ops *ops, struct rn_history *past)
{
	struct rn_line *l = rn_calloc(1, sizeof(*l));
	struct rn_terminal term;

	l->ops = *ops;
	l->out = isatty(STDOUT_FILENO) ? stdout : stderr;
	l->prompt = "";
	l->redraws = rn_signals_redraws();
	rn_terminal_query(&term, l->out);
	if (term.inplace)
		open_editor(l, past);
	return l;
}

void rn_line_destroy(struct rn_line *line)
{
	if (!line)
		return;
	if (line->el)
		el_end(line->el);
	if (line->none)
		(void)fclose(line->none);
	if (line->utf8)
		freelocale(line->utf8);
	free(line->plain);
	free(line);
}

bool rn_line_edits(const struct rn_line *line)
{
	return line->el != NULL;
}

/* Read a line that the terminal itself edits: only whole lines come. */
static enum rn_line_end read_plain(struct rn_line *line, const char **text)
{
	size_t n = 0;
	int c;

	line->redraws = rn_signals_redraws();
	line->resumes = rn_signals_resumes();
	fputs(line->prompt, line->out);
	fflush(line->out);
	while ((c = get_byte(line)) >= 0 && c != '\n') {
		rn_vec_room_for(line->plain, n, line->cap, 2);
		if (c)
			line->plain[n++] = (char)c;
	}
	if (line->canceled)
		fputs("\n", line->out);
	if (!line->plain)
		line->plain = rn_calloc(1, line->cap = 256);
	line->plain[n] = 0;
	*text = line->plain;
	return line->canceled ? RN_LINE_CANCEL : c < 0 && !n ? RN_LINE_EOF : RN_LINE_DONE;
}

static enum rn_line_end read_edited(struct rn_line *l, const char **text)
{
	int n = 0;
	locale_t before = uselocale(l->utf8 ? l->utf8 : LC_GLOBAL_LOCALE);
	const char *line;
	size_t len;

	ask_for_pastes(l, true);
	line = el_gets(l->el, &n);
	ask_for_pastes(l, false);
	uselocale(before);
	if (l->canceled)
		return RN_LINE_CANCEL;
	if (!line || n <= 0)
		return RN_LINE_EOF;
	free(l->plain);
	l->plain = rn_strndup(line, (size_t)n);
	len = strlen(l->plain);
	while (len && (l->plain[len - 1] == '\n' || l->plain[len - 1] == '\r'))
		l->plain[--len] = 0;
	*text = l->plain;
	return RN_LINE_DONE;
}

enum rn_line_end rn_line_read(struct rn_line *line, const char *prompt, const char **text)
{
	line->prompt = prompt;
	line->canceled = line->ended = false;
	rn_signals_begin();
	*text = "";
	return line->el ? read_edited(line, text) : read_plain(line, text);
}
