/* windows.c - windows of groups on a terminal, drawn one over the other: a title, the top rows that
 * fit, and how the number that orders them has changed since the window before.
 *
 * The rows of a window come at once, and belong together by their first column. They are kept until
 * the next window, and given to a table (table.c) as a snapshot. It is painted at the next tick, at
 * most four times a second: a window that is over before that is only compared. At the end the last
 * window is printed with all of its rows; if the user interrupted it, the last whole one. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "lang/base/clock.h"
#include "lang/base/map.h"
#include "lang/base/str.h"
#include "lang/base/vec.h"
#include "repl/out/output.h"
#include "repl/terminal/signals.h"

enum { PAINT_NS = 250 * 1000 * 1000, KEYS_MAX = 10000, ARENA_CAP = 256 << 20 };

/* A group of the window before. */
struct was {
	UT_hash_handle hh;
	struct rn_value value;
	size_t nkey;
	char key[];
};
struct held { /* rows of one window */
	struct rn_arena *arena;
	struct rn_value *values; /* row-major, without the window; then the change */
	int *other;              /* of each row: column of its (other); NONE */
	double *share;           /* of each row: as rn_output.share */
	unsigned n, cap, cap_other, cap_share;
	int64_t start_ns;
	bool partial;
	char mark[RN_PARTIAL_BYTES];
	bool compared; /* the rows have their change */
};
struct windows {
	struct rn_printer base; /* must be first */
	struct rn_printer *table;
	const struct rn_plan *plan;
	char *what;            /* the query's text, for the title */
	struct held now, last; /* last: the window before, covered whole */
	struct was *was;       /* of the window before */
	bool any_before, full; /* full: it had more than KEYS_MAX groups */
	unsigned ncols;        /* of a row of the table */
	int measure;           /* column whose change is shown; -1: none */
	bool *is_key;
	int other;
	double share;
	int64_t painted_ns;
	bool painted; /* the rows of now are on the screen */
};
enum { NONE = -2 };

/* ---- change ---- */

static bool is_number(struct rn_ty ty)
{
	return (ty.type == RN_T_INT && ty.unit != RN_U_EPOCH) || ty.type == RN_T_FLOAT;
}

/* Does the column of a plan tell the groups, or the rows of a table, apart? */
static bool is_key(const struct rn_plan *p, const struct rn_column *c)
{
	const struct rn_expr *e = c->expr;

	if (e->kind == RN_E_COLUMN && p->kind == RN_PLAN_ROWS)
		e = p->frag.cols[e->index].expr;
	if (e->kind == RN_E_FIELD && p->child) {
		unsigned window = rn_plan_has_window(p->child), i = e->field->id - window;

		return e->field->id >= window && i < p->child->nout &&
		       is_key(p->child, &p->child->out[i]);
	}
	return e->kind == RN_E_KEY ||
	       (p->kind == RN_PLAN_ROWS && (!is_number(c->ty) || c->show & RN_SHOW_SUBJECT));
}

/* The bytes by which a group is found again. */
static const char *key_of(const struct windows *w, const struct rn_value *row, size_t *n)
{
	struct rn_strbuf key;

	rn_strbuf_init(&key, w->now.arena);
	for (unsigned i = 0; i + 1 < w->ncols; i++) {
		const struct rn_value *v = &row[i];

		if (!w->is_key[i])
			continue;
		rn_strbuf_printf(&key, "%u:%u:", v->kind, v->kind == RN_STR ? v->len : 0);
		if (v->kind == RN_STR) /* an address has bytes that are 0 */
			rn_strbuf_putn(&key, v->s, v->len);
		else if (v->kind != RN_NULL)
			rn_strbuf_putn(&key, (const char *)&v->i, sizeof(v->i));
	}
	*n = key.len;
	return rn_strbuf_cstr(&key);
}

static double number(const struct rn_value *v)
{
	return v->kind == RN_FLOAT ? v->f : v->kind == RN_INT ? (double)v->i : 0;
}

/* "+1.2 ms", "-3", "new"; "" if nothing changed or nothing is known. */
static const char *change(const struct windows *w, const struct was *was,
			  const struct rn_value *value)
{
	struct rn_ty ty = w->base.cols[w->measure + 1].ty;
	double diff;
	struct rn_value size;

	if (value->kind == RN_NULL || !w->any_before)
		return "";
	if (!was)
		return w->full ? "" : "new";
	if (was->value.kind == RN_NULL)
		return "";
	diff = number(value) - number(&was->value);
	if (diff == 0)
		return "";
	size = ty.type == RN_T_FLOAT ? rn_float(diff < 0 ? -diff : diff)
				     : rn_int((int64_t)(diff < 0 ? -diff : diff));
	return rn_arena_printf(w->now.arena, "%c%s", diff < 0 ? '-' : '+',
			       rn_value_show(w->now.arena, ty, &size));
}

static void forget_before(struct windows *w)
{
	struct was *was, *next;

	HASH_ITER(hh, w->was, was, next)
	{
		HASH_DEL(w->was, was);
		free(was);
	}
}

/* Gives each row its change, and keeps what the next window is compared with. */
static void compare(struct windows *w)
{
	struct was *next = NULL;

	if (w->now.compared || w->measure < 0)
		return;
	w->now.compared = true;
	for (unsigned r = 0; r < w->now.n; r++) {
		struct rn_value *row = w->now.values + (size_t)r * w->ncols;
		size_t n;
		const char *key = key_of(w, row, &n), *text;
		struct was *was;

		HASH_FIND(hh, w->was, key, n, was);
		text = change(w, was, &row[w->measure]);
		row[w->ncols - 1] = rn_strn(text, strlen(text));
		if (HASH_COUNT(next) == KEYS_MAX)
			continue;
		was = rn_calloc(1, sizeof(*was) + n + 1);
		memcpy(was->key, key, n);
		was->nkey = n;
		was->value = row[w->measure];
		HASH_ADD(hh, next, key, n, was);
	}
	forget_before(w);
	w->was = next;
	w->full = w->now.n > KEYS_MAX;
	w->any_before = true;
}

/* ---- drawing ---- */

static void title(struct windows *w, const struct held *h)
{
	time_t s = (time_t)(h->start_ns / 1000000000);
	struct tm tm;
	char at[32];
	size_t n = strftime(at, sizeof(at), "%H:%M:%S", localtime_r(&s, &tm));

	if (w->base.every_ns % 1000000000)
		snprintf(at + n, sizeof(at) - n, ".%03d",
			 (int)(h->start_ns % 1000000000 / 1000000));
	snprintf(w->table->title, sizeof(w->table->title), "%s%s  %s", at, h->mark, w->what);
}

static void give(struct windows *w, const struct held *h)
{
	const struct rn_output *to = &w->table->out;

	for (unsigned r = 0; r < h->n; r++) {
		if (h->other[r] != NONE && to->other)
			to->other(to->self, h->other[r]);
		if (to->share)
			to->share(to->self, h->share[r]);
		to->row(to->self, h->values + (size_t)r * w->ncols);
	}
}

static void paint(struct windows *w)
{
	const struct rn_output *to = &w->table->out;

	compare(w);
	memcpy(w->table->note, w->base.note, sizeof(w->table->note));
	title(w, &w->now);
	to->snapshot(to->self, true);
	give(w, &w->now);
	to->snapshot(to->self, false);
	w->painted_ns = rn_mono_ns();
	w->painted = true;
}

/* ---- rows ---- */

static void empty(struct held *h)
{
	h->n = 0;
	h->partial = h->compared = false;
	h->mark[0] = 0;
	rn_arena_reset(h->arena);
}

/* The window of `now` is over. */
static void turn(struct windows *w)
{
	compare(w);
	if (w->now.n && !w->now.partial) {
		struct held swap = w->last;

		w->last = w->now;
		w->now = swap;
	}
	empty(&w->now);
	w->painted = false;
}

static int begin(void *self, const struct rn_answer_shape *r)
{
	struct windows *w = self;
	struct rn_answer_shape inner = *r;

	rn_printer_columns(&w->base, r);
	w->table->one_node = w->base.one_node;
	w->base.in_place = r->ncols > 1 && !strcmp(r->cols[0].label, "window");
	if (!w->base.in_place)
		return w->table->out.begin(w->table->out.self, r);
	w->ncols = r->ncols; /* without the window, and with the change */
	w->is_key = RN_NEWN(w->base.keep, bool, r->ncols + 1);
	w->measure = -1;
	inner.cols = RN_NEWN(w->base.keep, struct rn_column, r->ncols + 1);
	memcpy(inner.cols, r->cols + 1, (r->ncols - 1) * sizeof(*inner.cols));
	for (unsigned i = 0; i + 1 < r->ncols; i++) {
		w->is_key[i] = is_key(w->plan, &inner.cols[i]);
		if (!w->is_key[i] && w->measure < 0 && is_number(inner.cols[i].ty))
			w->measure = (int)i;
	}
	if (w->plan->norder && w->plan->order[0].column + 1 < (int)r->ncols &&
	    is_number(inner.cols[w->plan->order[0].column].ty) &&
	    !w->is_key[w->plan->order[0].column])
		w->measure = w->plan->order[0].column;
	inner.cols[r->ncols - 1] =
		(struct rn_column){.label = "change", .ty = {RN_T_STR, RN_U_NONE}};
	inner.ncols = w->measure < 0 ? r->ncols - 1 : r->ncols;
	inner.every_ns = inner.window_ns = 0;
	return w->table->out.begin(w->table->out.self, &inner);
}

static void other(void *self, int column)
{
	((struct windows *)self)->other = column;
}

static void share(void *self, double share)
{
	((struct windows *)self)->share = share;
}

/* A row without a window is the table's at once. */
static int pass(struct windows *w, const struct rn_value *value)
{
	const struct rn_output *to = &w->table->out;

	if (w->other != NONE)
		to->other(to->self, w->other);
	if (w->base.partial)
		to->partial(to->self, &w->base.covered);
	if (to->share)
		to->share(to->self, w->share);
	w->other = NONE;
	w->base.partial = false;
	return to->row(to->self, value);
}

static int row(void *self, const struct rn_value *value)
{
	struct windows *w = self;
	struct held *h = &w->now;
	struct rn_value *to;

	w->base.rows++;
	if (!w->base.in_place)
		return pass(w, value);
	if (h->n && h->start_ns != value[0].i)
		turn(w);
	h->start_ns = value[0].i;
	if (w->base.partial) {
		rn_printer_mark(&w->base, w->base.window, h->mark);
		h->partial = true;
	}
	w->base.partial = false;
	rn_vec_room(h->other, h->n, h->cap_other);
	rn_vec_room(h->share, h->n, h->cap_share);
	h->share[h->n] = w->share;
	rn_vec_room_for(h->values, (size_t)h->n * w->ncols, h->cap, w->ncols);
	h->other[h->n] = w->other > 0 ? w->other - 1 : w->other;
	to = h->values + (size_t)h->n++ * w->ncols;
	for (unsigned i = 0; i + 1 < w->ncols; i++) {
		to[i] = value[i + 1];
		if (to[i].kind == RN_STR)
			to[i].s = rn_arena_strndup(h->arena, to[i].s, to[i].len);
	}
	to[w->ncols - 1] = rn_strn("", 0);
	w->other = NONE;
	w->painted = false;
	return 0;
}

static void tick(struct rn_printer *p)
{
	struct windows *w = (struct windows *)p;

	if (!w->base.in_place)
		rn_printer_tick(w->table);
	else if (w->now.n && !w->painted && rn_mono_ns() - w->painted_ns >= PAINT_NS)
		paint(w);
}

static int end(void *self)
{
	struct windows *w = self;
	/* an interrupted window is no match for a whole one */
	bool cut = w->now.partial && *rn_signals_stop() && w->last.n;
	const struct held *h = w->now.n && !cut ? &w->now : &w->last;
	int code;

	if (w->now.n)
		compare(w);
	if (h->n)
		title(w, h);
	w->table->note[0] = 0;
	give(w, h);
	code = w->table->out.end(w->table->out.self);
	w->base.nextra = w->table->nextra;
	memcpy(w->base.no_room, w->table->no_room, sizeof(w->base.no_room));
	return code;
}

static void destroy(struct rn_printer *p)
{
	struct windows *w = (struct windows *)p;

	forget_before(w);
	rn_printer_destroy(w->table);
	free(w->what);
	for (unsigned i = 0; i < 2; i++) {
		struct held *h = i ? &w->last : &w->now;

		rn_arena_destroy(h->arena);
		free(h->values);
		free(h->other);
		free(h->share);
	}
}

struct rn_printer *rn_printer_windows(FILE *to, const struct rn_plan *plan, const char *what)
{
	struct windows *w = rn_calloc(1, sizeof(*w));

	rn_printer_init(&w->base, to);
	w->base.out = (struct rn_output){.self = w,
					 .begin = begin,
					 .row = row,
					 .other = other,
					 .share = share,
					 .partial = w->base.out.partial,
					 .end = end};
	w->base.counts = true;
	w->base.tick = tick;
	w->base.destroy = destroy;
	w->table = rn_printer_table(to);
	w->plan = plan;
	w->what = rn_strdup(what);
	w->now.arena = rn_arena_create(ARENA_CAP);
	w->last.arena = rn_arena_create(ARENA_CAP);
	w->other = NONE;
	return &w->base;
}

void rn_printer_tell(struct rn_printer *printer, char *told)
{
	if (told && printer && printer->in_place)
		rn_text_clean(printer->note, sizeof(printer->note), told, strcspn(told, "\n"));
	else if (told)
		rn_say("%s", told);
	free(told);
}
