/* terminal.c - terminals and text that must fit on them. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "lang/base/memory.h"
#include "repl/terminal/terminal.h"

enum { ARROW = 4 /* bytes and columns of " -> " */, MIN_ENDS = 16 /* columns for both ends */ };

/* The locale, as programs read it. */
static bool is_ascii(void)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *s = getenv(names[i]);

		if (s && *s)
			return !strcasestr(s, "utf-8") && !strcasestr(s, "utf8");
	}
	return false;
}

/* As terminals say it themselves: in TERM, or in COLORTERM if they have even more. */
static bool has_many_colors(const char *term)
{
	const char *more = getenv("COLORTERM");

	return (more && (!strcmp(more, "truecolor") || !strcmp(more, "24bit"))) ||
	       (term && (strstr(term, "256color") || strstr(term, "direct")));
}

void rn_terminal_query(struct rn_terminal *tty, FILE *f)
{
	const char *term, *no;
	struct winsize w;

	*tty = (struct rn_terminal){.tty = isatty(fileno(f)), .ascii = is_ascii()};
	if (!tty->tty)
		return;
	term = getenv("TERM");
	no = getenv("NO_COLOR");
	tty->inplace = term && *term && strcmp(term, "dumb");
	tty->color = tty->inplace && !(no && *no);
	tty->many_colors = has_many_colors(term);
	if (ioctl(fileno(f), TIOCGWINSZ, &w) == 0) {
		tty->width = w.ws_col;
		tty->height = w.ws_row;
	}
}

size_t rn_text_head(const char *s, size_t n, unsigned width)
{
	size_t i = 0, len;

	for (unsigned w = 0; i < n; i += len) {
		len = rn_utf8_len(s + i, n - i);
		w += rn_utf8_width(s + i, len);
		if (w > width)
			break;
	}
	return i;
}

size_t rn_text_line(const char *s, size_t n, unsigned width)
{
	size_t whole = rn_text_head(s, n, width), end = whole;

	if (whole == n || (whole && s[whole] == ' '))
		return whole;
	while (end && s[end - 1] != ' ')
		end--;
	while (end && s[end - 1] == ' ')
		end--;
	return end ? end : whole ? whole : n ? rn_utf8_len(s, n) : 0;
}

void rn_text_wrap(FILE *to, const char *s, unsigned width, unsigned more)
{
	while (*s) {
		unsigned indent = (unsigned)strspn(s, " "), column = indent;

		fprintf(to, "%*s", (int)indent, "");
		s += indent;
		for (unsigned blanks = 0; *s && *s != '\n';
		     blanks = (unsigned)strspn(s, " "), s += blanks) {
			unsigned w;
			size_t n = rn_utf8_word(s, &w);

			if (blanks && width && column + blanks + w > width) {
				column = indent + more;
				fprintf(to, "\n%*s", (int)column, "");
			} else {
				fprintf(to, "%*s", (int)blanks, "");
				column += blanks;
			}
			fwrite(s, 1, n, to);
			column += w;
			s += n;
		}
		putc('\n', to);
		s += *s == '\n';
	}
}

size_t rn_text_clean(char *buf, size_t cap, const char *s, size_t n)
{
	return rn_utf8_clean(buf, cap, s, n, "");
}

char *rn_text_safe(const char *s)
{
	size_t n = strlen(s), cap = 4 * n + 20;
	char *text = rn_malloc(cap);

	rn_utf8_clean(text, cap, s, n, "\n\t");
	return text;
}

void rn_say(const char *fmt, ...)
{
	char *text, *safe;
	va_list ap;

	va_start(ap, fmt);
	text = rn_vasprintf(fmt, ap);
	va_end(ap);
	safe = rn_text_safe(text);
	fputs(safe, stderr);
	free(safe);
	free(text);
}

/* The arrow in "A -> B" or "A => B"; NULL: there is none. */
static const char *arrow_in(const char *s, size_t n)
{
	for (size_t i = 0; i + ARROW < n; i++)
		if (!memcmp(s + i, " -> ", ARROW) || !memcmp(s + i, " => ", ARROW))
			return s + i;
	return NULL;
}

static size_t cut(char *buf, const char *s, size_t n, unsigned width)
{
	unsigned w = rn_utf8_width(s, n);
	size_t i, j, o, len;

	if (w <= width || width < 3) {
		memcpy(buf, s, n);
		buf[n] = 0;
		return n;
	}
	i = rn_text_head(s, n, (width - 1) / 2);
	j = i;
	for (unsigned rest = w - rn_utf8_width(s, i); rest > width - 1 - (width - 1) / 2;
	     j += len) {
		len = rn_utf8_len(s + j, n - j);
		rest -= rn_utf8_width(s + j, len);
	}
	memcpy(buf, s, i);
	o = i;
	memcpy(buf + o, "\xe2\x80\xa6", 3);
	o += 3;
	memcpy(buf + o, s + j, n - j);
	o += n - j;
	buf[o] = 0;
	return o;
}

size_t rn_text_cut(char *buf, const char *s, size_t n, unsigned width)
{
	const char *arrow = arrow_in(s, n), *right;
	unsigned room = width - ARROW, of_left, of_right;
	size_t left;

	if (!arrow || width < MIN_ENDS || rn_utf8_width(s, n) <= width)
		return cut(buf, s, n, width);
	right = arrow + ARROW;
	of_left = rn_utf8_width(s, (size_t)(arrow - s));
	of_right = rn_utf8_width(right, (size_t)(s + n - right));
	/* the end that needs less than its half gives the other what is left */
	if (of_left > room / 2)
		of_left = of_right < room - room / 2 ? room - of_right : room / 2;
	left = cut(buf, s, (size_t)(arrow - s), of_left);
	memcpy(buf + left, arrow, ARROW);
	left += ARROW;
	return left + cut(buf + left, right, (size_t)(s + n - right), room - of_left);
}
