/* table_margin.c - the lines at the margin of a flow on a terminal. A pipe gets the columns alone:
 * programs count them. So does an answer that comes in several blocks. */
#include <stdlib.h>
#include <string.h>
#include "lang/base/vec.h"
#include "repl/out/table_impl.h"
#include "repl/picture/margin.h"

enum { PART = 5 /* of the terminal's width is theirs at most */ };

static const char *const labels[RN_TABLE_FLOW] = {
	[RN_TABLE_HOP] = "hop",   [RN_TABLE_FROM] = "from", [RN_TABLE_CHOICES] = "choices",
	[RN_TABLE_LINK] = "link", [RN_TABLE_TAGS] = "tags",
};

void rn_margin_find(struct rn_table_printer *table)
{
	const struct rn_printer *p = &table->base;

	for (unsigned k = 0; k < RN_TABLE_FLOW; k++) {
		table->flow[k] = -1;
		for (unsigned i = 0; i < p->ncols; i++)
			if (!strcmp(p->cols[i].label, labels[k]))
				table->flow[k] = (int)i;
	}
	table->is_flow = p->term.tty && !p->wraps && table->flow[RN_TABLE_HOP] >= 0 &&
			 table->flow[RN_TABLE_FROM] >= 0;
}

static int64_t number(const struct rn_table_printer *t, enum rn_table_flow k,
		      const struct rn_value *row, int64_t unless)
{
	const struct rn_value *v = t->flow[k] < 0 ? NULL : &row[t->flow[k]];

	return v && v->kind == RN_INT ? v->i : unless;
}

static const char *text(struct rn_table_printer *t, enum rn_table_flow k,
			const struct rn_value *row)
{
	const struct rn_value *v = t->flow[k] < 0 ? NULL : &row[t->flow[k]];

	return v && v->kind == RN_STR ? rn_arena_strndup(t->base.arena, v->s, v->len) : "";
}

void rn_margin_note(struct rn_table_printer *table, const struct rn_value *row)
{
	int64_t from = number(table, RN_TABLE_FROM, row, 0);

	if (!table->is_flow)
		return;
	rn_vec_room(table->linked, table->nrows, table->cap_linked);
	table->linked[table->nrows] = (struct rn_margin_row){
		.hop = number(table, RN_TABLE_HOP, row, 0),
		.from = from,
		/* not known without `choices`: then it is not shown as certain */
		.guess = number(table, RN_TABLE_CHOICES, row, 2) > 1,
		.begins = !from && strcmp(text(table, RN_TABLE_LINK, row), "outside") != 0,
		.color = rn_picture_ansi(text(table, RN_TABLE_TAGS, row)),
	};
}

/* Is there room for the line, and are both hops in it? */
static bool has_room(const struct rn_table_printer *t, const unsigned *w)
{
	unsigned room = t->base.term.width;

	return (!room || rn_fit_line_width(t, w) + rn_margin_width(t->margin) <= room + 2) &&
	       rn_fit_is_shown(t, (unsigned)t->flow[RN_TABLE_HOP]) &&
	       rn_fit_is_shown(t, (unsigned)t->flow[RN_TABLE_FROM]);
}

void rn_margin_make(struct rn_table_printer *table, bool whole, unsigned *w)
{
	const struct rn_terminal *term = &table->base.term;
	const struct rn_picture_screen screen = {
		.width = term->width / PART, .color = term->color, .ascii = term->ascii};
	unsigned width = term->width, margin;

	if (table->is_flow && whole)
		table->margin = rn_margin_create(table->linked, table->nrows, &screen);
	margin = table->margin ? rn_margin_width(table->margin) : 0;
	table->base.term.width -= width ? margin : 0;
	rn_fit_shorten(table, whole);
	rn_fit_widths(table, w);
	table->base.term.width = width;
	if (!margin || has_room(table, w))
		return;
	rn_margin_forget(table);
	rn_fit_widths(table, w);
}

void rn_margin_forget(struct rn_table_printer *table)
{
	rn_margin_destroy(table->margin);
	table->margin = NULL;
}
