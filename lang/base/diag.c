/* diag.c - collects diagnostics and renders each with the line that it is about.
 *
 * Items are kept in the order of arrival. Rendering sorts them by source, then by place, then by
 * arrival. Beyond RN_DIAG_MAX errors a new item is not linked, only counted; callers may still set
 * its hint. */
#include "lang/base/diag.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "lang/base/str.h"
#include "lang/base/utf8.h"

#define MAX_SOURCES 256
#define MAX_LINE_COLUMNS 160 /* longer lines show only the part around the error */
#define TAB_COLUMNS 8
#define DOTS 6 /* columns of the dots on both sides of that part */
#define MIN_COLUMNS 24

struct source {
	const char *name, *text;
	size_t len;
};

struct rn_diag {
	struct rn_arena *arena;
	struct source src[MAX_SOURCES];
	unsigned nsrc;
	struct rn_diag_item *first, **tail;
	unsigned errors, items;
	unsigned width; /* columns of the output; 0: any */
};

struct rn_diag *rn_diag_new(struct rn_arena *arena)
{
	struct rn_diag *d = RN_NEW(arena, struct rn_diag);

	d->arena = arena;
	d->tail = &d->first;
	return d;
}

/* Names in s may come from a stranger. */
static const char *clean(struct rn_diag *d, const char *s)
{
	size_t n = strlen(s), cap = 4 * n + 20;
	char *to = rn_arena_alloc(d->arena, cap);

	rn_utf8_clean(to, cap, s, n, "\n\t");
	return to;
}

uint16_t rn_diag_source(struct rn_diag *diag, const char *name, const char *text, size_t len)
{
	char *copy = rn_arena_alloc(diag->arena, len + 1);

	/* views nest at most 16 deep, so only a script with hundreds of views gets here */
	if (diag->nsrc == MAX_SOURCES)
		diag->nsrc--;
	memcpy(copy, text, len);
	diag->src[diag->nsrc] = (struct source){clean(diag, name), copy, len};
	return (uint16_t)diag->nsrc++;
}

struct rn_diag_item *rn_diag_add(struct rn_diag *diag, enum rn_severity sev, const char *code,
				 struct rn_span span, const char *fmt, ...)
{
	struct rn_diag_item *it = RN_NEW(diag->arena, struct rn_diag_item);
	va_list ap;

	it->severity = sev;
	it->code = code;
	it->span = span;
	va_start(ap, fmt);
	it->text = clean(diag, rn_arena_vprintf(diag->arena, fmt, ap));
	va_end(ap);
	if (sev == RN_ERROR && ++diag->errors > RN_DIAG_MAX)
		return it;
	if (diag->items >= 4 * RN_DIAG_MAX) /* limits notes and warnings, too */
		return it;
	diag->items++;
	*diag->tail = it;
	diag->tail = &it->next;
	return it;
}

struct rn_diag_mark rn_diag_mark(const struct rn_diag *diag)
{
	return (struct rn_diag_mark){diag->tail, diag->errors, diag->items};
}

void rn_diag_back(struct rn_diag *diag, struct rn_diag_mark mark)
{
	diag->tail = mark.tail;
	*diag->tail = NULL;
	diag->errors = mark.errors;
	diag->items = mark.items;
}

void rn_diag_hint(struct rn_diag *diag, struct rn_diag_item *it, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	it->hint = clean(diag, rn_arena_vprintf(diag->arena, fmt, ap));
	va_end(ap);
}

void rn_diag_fit(struct rn_diag *diag, unsigned columns)
{
	diag->width = columns && columns < MIN_COLUMNS ? MIN_COLUMNS : columns;
}

void rn_diag_rehint(struct rn_diag *diag, const char *begin, const char *instead)
{
	for (struct rn_diag_item *it = diag->first; it; it = it->next)
		if (it->hint && !strncmp(it->hint, begin, strlen(begin)))
			it->hint = instead;
}

unsigned rn_diag_errors(const struct rn_diag *diag)
{
	return diag->errors;
}

const struct rn_diag_item *rn_diag_first(const struct rn_diag *diag)
{
	return diag->first;
}

const char *rn_diag_name(const struct rn_diag *diag, uint16_t src)
{
	return src < diag->nsrc ? diag->src[src].name : "?";
}

const char *rn_diag_text(const struct rn_diag *diag, uint16_t src, size_t *len)
{
	if (src >= diag->nsrc) {
		*len = 0;
		return "";
	}
	*len = diag->src[src].len;
	return diag->src[src].text;
}

void rn_diag_where(const struct rn_diag *diag, struct rn_span span, unsigned *line, unsigned *col)
{
	size_t len, i = 0;
	const char *t = rn_diag_text(diag, span.src, &len);
	size_t end = span.start < len ? span.start : len;

	*line = *col = 1;
	while (i < end) {
		if (t[i] == '\n') {
			(*line)++;
			*col = 1;
			i++;
			continue;
		}
		i += rn_utf8_len(t + i, len - i);
		if (i <= end)
			(*col)++;
	}
}

/* ---- rendering ---- */

struct paint { /* escape sequences; all empty without colour */
	const char *sev[3], *bold, *mark, *also, *hint, *off;
};
static const struct paint plain = {{"", "", ""}, "", "", "", "", ""};
static const struct paint ansi = {{"\033[1;31m", "\033[1;35m", "\033[1;36m"},
				  "\033[1m",
				  "\033[1;31m",
				  "\033[1;34m",
				  "\033[32m",
				  "\033[0m"};
static const char *const sev_name[] = {"error", "warning", "note"};

struct line { /* the part of a line that is shown: [start, end) of the text */
	const char *text;
	size_t start, end;
	bool cut_left, cut_right;
};

/* Returns the line that holds offset `at`, narrowed around it if it is longer than `most`. */
static struct line line_of(const char *text, size_t len, size_t at, size_t most)
{
	struct line l = {.text = text};

	if (at > len)
		at = len;
	l.start = l.end = at;
	while (l.start > 0 && text[l.start - 1] != '\n')
		l.start--;
	while (l.end < len && text[l.end] != '\n')
		l.end++;
	if (l.end > l.start && text[l.end - 1] == '\r')
		l.end--;
	if (l.end - l.start > most) {
		most -= DOTS;
		if (at - l.start > most / 2) {
			l.start = at - most / 2;
			while (l.start < at && ((unsigned char)text[l.start] & 0xC0) == 0x80)
				l.start++;
			l.cut_left = true;
		}
		if (l.end - l.start > most) {
			l.end = l.start + most;
			while (l.end > at && ((unsigned char)text[l.end] & 0xC0) == 0x80)
				l.end--;
			l.cut_right = true;
		}
	}
	return l;
}

static bool inside(struct rn_span s, size_t at)
{
	return at >= s.start && at < s.end;
}

static bool is_shown(const char *s, size_t n)
{
	return rn_utf8_char(s, n) && rn_utf8_is_plain(rn_utf8_decode(s, n));
}

/* Appends the line and, under it, the marks. Characters that are not plain, and broken UTF-8, are
 * shown as `?`, one column each. */
static void render_line(struct rn_strbuf *out, struct line l, const struct rn_diag_item *it,
			const struct paint *p)
{
	struct rn_span prim = it->span, also = it->also;
	struct rn_strbuf marks;
	unsigned col = 0;
	char last = ' ';
	size_t i;

	if (prim.end <= prim.start)
		/* an empty span still gets its caret, also at the end of the line */
		prim.end = prim.start + 1;
	if (prim.end > l.end + 1 && prim.start < l.end)
		prim.end = (uint32_t)l.end;
	rn_strbuf_init(&marks, out->arena);
	rn_strbuf_put(out, l.cut_left ? "  ..." : "  ");
	rn_strbuf_put(&marks, l.cut_left ? "     " : "  ");
	for (i = l.start; i <= l.end;) {
		size_t n = i < l.end ? rn_utf8_len(l.text + i, l.end - i) : 1;
		unsigned w = i < l.end ? rn_utf8_width(l.text + i, n) : 1;
		/* if a marked character takes no column, the next one gets its mark */
		bool marked = i == prim.start && !w && is_shown(l.text + i, n);
		char m = (char)(i == prim.start                      ? '^'
				: inside(prim, i) || inside(also, i) ? '~'
								     : ' ');
		const char *paint = m == ' '                             ? p->off
				    : i >= prim.start && inside(prim, i) ? p->mark
									 : p->also;

		if (i < l.end) {
			if (l.text[i] == '\t') {
				w = TAB_COLUMNS - col % TAB_COLUMNS;
				rn_strbuf_pad(out, ' ', w);
			} else if (!is_shown(l.text + i, n)) {
				rn_strbuf_put(out, "?");
				w = 1;
			} else {
				rn_strbuf_putn(out, l.text + i, n);
			}
		} else if (m == ' ') {
			break;
		}
		if (m != last && (m == ' ' || last == ' ' || m == '^'))
			rn_strbuf_put(&marks, paint);
		if (w || marked)
			rn_strbuf_putc(&marks, m);
		if (w > 1)
			rn_strbuf_pad(&marks, (char)(m == '^' ? '~' : m), w - 1);
		last = (char)(m == '^' ? '~' : m);
		col += w;
		i += n;
	}
	rn_strbuf_put(out, l.cut_right ? "...\n" : "\n");
	rn_strbuf_trim(&marks, ' ');
	rn_strbuf_putn(out, marks.s, marks.len);
	rn_strbuf_put(out, p->off);
	rn_strbuf_putc(out, '\n');
}

/* Appends the words of s. If the line would be wider than the terminal, it continues below,
 * indented. column: where s begins. */
static void put_words(const struct rn_diag *diag, struct rn_strbuf *out, const char *s,
		      unsigned column, unsigned indent)
{
	while (*s) {
		unsigned w;
		size_t blanks = strspn(s, " \n"), n = rn_utf8_word(s + blanks, &w);

		if (diag->width && blanks && !memchr(s, '\n', blanks) &&
		    column + blanks + w > diag->width) {
			rn_strbuf_putc(out, '\n');
			rn_strbuf_pad(out, ' ', indent);
			column = indent;
			s += blanks;
			blanks = 0;
		}
		for (size_t i = 0; i < blanks; i++)
			column = s[i] == '\n' ? 0 : column + 1;
		rn_strbuf_putn(out, s, blanks + n);
		column += w;
		s += blanks + n;
	}
}

static void render_item(struct rn_diag *diag, struct rn_strbuf *out, const struct rn_diag_item *it,
			const struct paint *p)
{
	unsigned line, col;
	size_t len, most = diag->width && diag->width < MAX_LINE_COLUMNS ? diag->width - 2
									 : MAX_LINE_COLUMNS + DOTS;
	const char *text = rn_diag_text(diag, it->span.src, &len);
	const char *place, *message;

	rn_diag_where(diag, it->span, &line, &col);
	place = rn_arena_printf(out->arena, "%s:%u:%u:", rn_diag_name(diag, it->span.src), line,
				col);
	message = it->code ? rn_arena_printf(out->arena, "%s [%s]", it->text, it->code) : it->text;
	rn_strbuf_printf(out, "%s%s%s %s%s:%s %s", p->bold, place, p->off, p->sev[it->severity],
			 sev_name[it->severity], p->off, p->bold);
	put_words(diag, out, message,
		  (unsigned)(strlen(place) + strlen(sev_name[it->severity])) + 3, 4);
	rn_strbuf_printf(out, "%s\n", p->off);
	if (len) {
		struct line l = line_of(text, len, it->span.start, most);
		bool other = it->also.end > it->also.start &&
			     (it->also.src != it->span.src || it->also.end <= l.start ||
			      it->also.start > l.end);

		render_line(out, l, it, p);
		if (other) { /* the secondary span is on another line: show that too */
			struct rn_diag_item second = {
				.span = {UINT32_MAX - 1, UINT32_MAX, it->span.src},
				.also = it->also};
			const char *t2 = rn_diag_text(diag, it->also.src, &len);

			render_line(out, line_of(t2, len, it->also.start, most), &second, p);
		}
	}
	if (it->hint) {
		rn_strbuf_printf(out, "  %s", p->hint);
		put_words(diag, out, it->hint, 2, 2);
		rn_strbuf_printf(out, "%s\n", p->off);
	}
}

struct sort_key {
	const struct rn_diag_item *it;
	unsigned seq;
};

static int by_place(const void *a, const void *b)
{
	const struct sort_key *x = a, *y = b;
	struct rn_span s = x->it->span, t = y->it->span;

	if (s.src != t.src)
		return s.src < t.src ? -1 : 1;
	if (s.start != t.start)
		return s.start < t.start ? -1 : 1;
	return x->seq < y->seq ? -1 : 1;
}

const char *rn_diag_render(struct rn_diag *diag, struct rn_arena *arena, bool color)
{
	const struct paint *p = color ? &ansi : &plain;
	struct sort_key *keys = RN_NEWN(arena, struct sort_key, diag->items + 1);
	struct rn_strbuf out;
	unsigned n = 0, i;

	rn_strbuf_init(&out, arena);
	for (const struct rn_diag_item *it = diag->first; it; it = it->next, n++)
		keys[n] = (struct sort_key){it, n};
	qsort(keys, n, sizeof(*keys), by_place);
	for (i = 0; i < n; i++)
		render_item(diag, &out, keys[i].it, p);
	if (diag->errors > RN_DIAG_MAX)
		rn_strbuf_printf(&out, "%u more errors are not shown\n",
				 diag->errors - RN_DIAG_MAX);
	return rn_strbuf_cstr(&out);
}

const char *rn_diag_render_err(struct rn_diag *diag, struct rn_arena *arena,
			       const struct rn_err *err, bool color)
{
	struct rn_diag_item it = {.severity = RN_ERROR,
				  .span = err->span,
				  .text = err->text,
				  .hint = err->hint[0] ? err->hint : NULL};
	struct rn_strbuf out;
	size_t len;

	rn_diag_text(diag, err->span.src, &len);
	if (err->span.end <= err->span.start || err->span.end > len)
		return NULL;
	rn_strbuf_init(&out, arena);
	render_item(diag, &out, &it, color ? &ansi : &plain);
	return rn_strbuf_cstr(&out);
}
