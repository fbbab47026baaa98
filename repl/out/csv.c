/* csv.c - CSV as RFC 4180 quotes it, with a header line; lines end in LF, as psql and sqlite3 on
 * Unix write them.
 *
 * An answer in windows has a last column `partial`. For a window that was covered in part it holds
 * FROM/UNTIL in ns since 1970, else nothing. If there is a gap between the two, /COVERED follows:
 * how many ns were covered. On a terminal, control characters and the like are escaped; a file or a
 * pipe gets every byte. A value "(other)" is written so that no reader takes it for the row
 * (other). Values are those of JSON (ns, bytes, errno names), so a column means the same in both. A
 * null is an empty field. */
#include <stdlib.h>
#include <string.h>
#include "lang/base/memory.h"
#include "repl/out/output.h"

static void put(FILE *to, const char *s, size_t n)
{
	bool quote = n == 0 || memchr(s, '"', n) || memchr(s, ',', n) || memchr(s, '\n', n) ||
		     memchr(s, '\r', n) || s[0] == ' ' || s[n - 1] == ' ';

	if (!quote) {
		fwrite(s, 1, n, to);
		return;
	}
	putc('"', to);
	for (size_t i = 0; i < n; i++) {
		if (s[i] == '"')
			putc('"', to);
		putc(s[i], to);
	}
	putc('"', to);
}

static void field(struct rn_printer *p, const char *s, size_t n)
{
	size_t cap = 4 * n + 20;
	char *shown;

	if (!p->term.tty) {
		put(p->to, s, n);
		return;
	}
	shown = rn_arena_alloc(p->arena, cap);
	put(p->to, shown, rn_text_clean(shown, cap, s, n));
}

static void text_field(struct rn_printer *p, const char *s, size_t n)
{
	if (rn_printer_reads_other(p, s, n))
		put(p->to, RN_OTHER_VALUE, strlen(RN_OTHER_VALUE));
	else
		field(p, s, n);
}

static int begin(void *self, const struct rn_answer_shape *r)
{
	struct rn_printer *p = self;

	rn_printer_columns(p, r);
	for (unsigned i = 0; i < p->ncols; i++) {
		if (i)
			putc(',', p->to);
		field(p, p->cols[i].label, strlen(p->cols[i].label));
	}
	fputs(p->window_ns ? ",partial\n" : "\n", p->to);
	return 0;
}

static int row(void *self, const struct rn_value *value)
{
	struct rn_printer *p = self;

	for (unsigned i = 0; i < p->ncols; i++) {
		struct rn_ty ty = p->cols[i].ty;

		if (i)
			putc(',', p->to);
		if (value[i].kind == RN_STR && (ty.type == RN_T_BYTES || ty.type == RN_T_SKETCH)) {
			bool readable;
			const char *s =
				rn_bytes_text(p->arena, value[i].s, value[i].len, &readable);

			field(p, s, strlen(s));
		} else if (value[i].kind == RN_STR && ty.type != RN_T_IP && ty.type != RN_T_HIST) {
			text_field(p, value[i].s, value[i].len);
		} else if (value[i].kind == RN_STR ||
			   (value[i].kind == RN_INT &&
			    (rn_unit_is_code(ty.unit) || ty.unit == RN_U_HEX))) {
			const char *s =
				value[i].kind == RN_INT && ty.unit == RN_U_ERRNO && !value[i].i
					? ""
					: rn_value_show(p->arena, ty, &value[i]);

			field(p, s, strlen(s));
		} else if (rn_printer_shows_other(p, i, &value[i])) {
			fputs("(other)", p->to);
		} else if (value[i].kind != RN_NULL) {
			rn_json_value(p->to, ty, &value[i], p->arena);
		}
	}
	if (p->window_ns)
		putc(',', p->to);
	if (p->partial)
		fprintf(p->to, "%lld/%lld", (long long)p->covered.hull.begin,
			(long long)p->covered.hull.end);
	if (p->partial && p->covered.ns != p->covered.hull.end - p->covered.hull.begin)
		fprintf(p->to, "/%lld", (long long)p->covered.ns);
	putc('\n', p->to);
	p->rows++;
	p->other = p->partial = false;
	rn_arena_reset(p->arena);
	return rn_printer_flush(p, false);
}

static int end(void *self)
{
	return rn_printer_flush(self, true);
}

struct rn_printer *rn_printer_csv(FILE *to)
{
	struct rn_printer *p = rn_calloc(1, sizeof(*p));

	rn_printer_init(p, to);
	p->out.begin = begin;
	p->out.row = row;
	p->out.end = end;
	return p;
}
