/* output.c - what all formats share: the columns' copies, and when to flush.
 *
 * Rows may trickle or pour. Flushing each row would cost a system call each; never flushing would
 * hide rows. So a row is flushed if the last flush was 50 ms ago, and the coordinator's idle tick
 * flushes the rest. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "repl/out/output.h"
#include "lang/base/nearest.h"
#include "lang/base/str.h"
#include "lang/base/clock.h"

enum { FLUSH_NS = 50 * 1000 * 1000, ARENA_CAP = 64 << 20 };

#define FORMAT(name, json, kind) {#name, rn_printer_##name, json, RN_FORMAT_##kind},
static const struct rn_format formats[] = {
	RN_FORMATS(FORMAT)
	/* names are fixed; a later version draws them */
	{"perfetto"},
};
enum { NFORMATS = sizeof(formats) / sizeof(*formats) };

const struct rn_format *rn_format_find(const char *name)
{
	for (unsigned i = 0; i < NFORMATS; i++) {
		if (!name || !strcmp(formats[i].name, name))
			return &formats[i];
	}
	return NULL;
}

const char *const *rn_format_list(void)
{
#define NAME(name, json, kind) #name,
	static const char *const names[] = {RN_FORMATS(NAME) NULL};
#undef NAME

	return names;
}

const char *rn_format_nearest(const char *name)
{
	return rn_nearest(name, rn_format_list());
}

const char *rn_format_names(char *buf, size_t bytes, const char *before_last)
{
	return rn_str_names(buf, bytes, rn_format_list(), before_last);
}

struct rn_printer *rn_printer_create(const struct rn_format *format, FILE *to)
{
	return format->create(to);
}

static void other(void *self, int column)
{
	struct rn_printer *p = self;

	p->other = true;
	p->other_column = column;
}

static void partial(void *self, const struct rn_extent *covered)
{
	struct rn_printer *p = self;

	p->partial = true;
	p->covered = *covered;
}

const char *rn_printer_mark(const struct rn_printer *printer, unsigned column, char *buf)
{
	return printer->partial && printer->window_ns && column == printer->window
		       ? rn_partial_text(buf, printer->covered.ns, printer->window_ns)
		       : "";
}

const char *rn_printer_show(struct rn_arena *arena, struct rn_ty ty, const struct rn_value *value)
{
	return ty.unit == RN_U_ERRNO && value->kind == RN_INT && !value->i
		       ? "-"
		       : rn_value_show(arena, ty, value);
}

bool rn_printer_shows_other(const struct rn_printer *printer, unsigned column,
			    const struct rn_value *value)
{
	return printer->other && (int)column == printer->other_column && value->kind == RN_NULL;
}

bool rn_printer_reads_other(const struct rn_printer *printer, const char *s, size_t n)
{
	return !printer->other && n == 7 && !memcmp(s, "(other)", 7);
}

static const char *label(struct rn_printer *p, const char *s)
{
	size_t n = strlen(s), cap = 4 * n + 20;
	char *to = rn_arena_alloc(p->keep, cap);

	if (p->clean)
		rn_text_clean(to, cap, s, n);
	else
		memcpy(to, s, n + 1);
	return to;
}

void rn_printer_init(struct rn_printer *printer, FILE *to)
{
	printer->to = to;
	printer->arena = rn_arena_create(ARENA_CAP);
	printer->keep = rn_arena_create(ARENA_CAP);
	printer->out.self = printer;
	printer->out.other = other;
	printer->out.partial = partial;
	rn_terminal_query(&printer->term, to);
}

void rn_printer_columns(struct rn_printer *printer, const struct rn_answer_shape *result)
{
	struct rn_column *c;

	rn_arena_reset(printer->keep);
	c = RN_NEWN(printer->keep, struct rn_column, result->ncols);
	for (unsigned i = 0; i < result->ncols; i++)
		c[i] = (struct rn_column){.label = label(printer, result->cols[i].label),
					  .ty = result->cols[i].ty,
					  .show = result->cols[i].show,
					  .words = result->cols[i].words};
	printer->cols = c;
	printer->ncols = result->ncols;
	printer->every_ns = result->every_ns;
	printer->window = result->window;
	printer->window_ns = result->window_ns;
}

int rn_printer_flush(struct rn_printer *printer, bool now)
{
	if (!now) {
		int64_t t = rn_mono_ns();

		if (t - printer->flushed_ns < FLUSH_NS)
			return 0;
		printer->flushed_ns = t;
	}
	return fflush(printer->to) == 0 ? 0 : -errno;
}

void rn_printer_tick(struct rn_printer *printer)
{
	if (printer->tick)
		printer->tick(printer);
	fflush(printer->to);
}

void rn_printer_destroy(struct rn_printer *printer)
{
	struct rn_arena *arena, *keep;

	if (!printer)
		return;
	arena = printer->arena;
	keep = printer->keep;
	if (printer->destroy)
		printer->destroy(printer);
	rn_arena_destroy(arena);
	rn_arena_destroy(keep);
	free(printer);
}
