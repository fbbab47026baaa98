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

#define FORMAT(name, json) {#name, rn_printer_##name, json},
static const struct rn_format formats[] = {
	RN_FORMATS(FORMAT)
	/* names are fixed; a later version draws them */
	{"dot"},
	{"svg"},
	{"html"},
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
#define NAME(name, json) #name,
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

const char *rn_printer_mark(const struct rn_printer *p, unsigned column, char *buf)
{
	return p->partial && p->window_ns && column == p->window
		       ? rn_partial_text(buf, p->covered.ns, p->window_ns)
		       : "";
}

bool rn_printer_shows_other(const struct rn_printer *p, unsigned column, const struct rn_value *v)
{
	return p->other && (int)column == p->other_column && v->kind == RN_NULL;
}

bool rn_printer_reads_other(const struct rn_printer *p, const char *s, size_t n)
{
	return !p->other && n == 7 && !memcmp(s, "(other)", 7);
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

void rn_printer_init(struct rn_printer *p, FILE *to)
{
	p->to = to;
	p->arena = rn_arena_create(ARENA_CAP);
	p->keep = rn_arena_create(ARENA_CAP);
	p->out.self = p;
	p->out.other = other;
	p->out.partial = partial;
	rn_terminal_query(&p->term, to);
}

void rn_printer_columns(struct rn_printer *p, const struct rn_result *r)
{
	struct rn_column *c;

	rn_arena_reset(p->keep);
	c = RN_NEWN(p->keep, struct rn_column, r->ncols);
	for (unsigned i = 0; i < r->ncols; i++)
		c[i] = (struct rn_column){.label = label(p, r->cols[i].label),
					  .ty = r->cols[i].ty,
					  .show = r->cols[i].show};
	p->cols = c;
	p->ncols = r->ncols;
	p->every_ns = r->every_ns;
	p->window = r->window;
	p->window_ns = r->window_ns;
}

int rn_printer_flush(struct rn_printer *p, bool now)
{
	if (!now) {
		int64_t t = rn_mono_ns();

		if (t - p->flushed_ns < FLUSH_NS)
			return 0;
		p->flushed_ns = t;
	}
	return fflush(p->to) == 0 ? 0 : -errno;
}

void rn_printer_tick(struct rn_printer *p)
{
	if (p->tick)
		p->tick(p);
	fflush(p->to);
}

void rn_printer_destroy(struct rn_printer *p)
{
	struct rn_arena *arena, *keep;

	if (!p)
		return;
	arena = p->arena;
	keep = p->keep;
	if (p->destroy)
		p->destroy(p);
	rn_arena_destroy(arena);
	rn_arena_destroy(keep);
	free(p);
}
