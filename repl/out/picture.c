/* picture.c - formats that draw a flow: the rows are collected, and drawn when all is known. */
#include <stdlib.h>
#include <string.h>
#include "lang/base/memory.h"
#include "repl/out/output.h"
#include "repl/picture/printers.h"

typedef void draw_fn(FILE *to, const struct rn_picture *picture,
		     const struct rn_picture_screen *screen);
struct drawing {
	struct rn_printer base;
	struct rn_pictured *rows;
	draw_fn *draw;
};

static int begin(void *self, const struct rn_answer_shape *r)
{
	struct drawing *d = self;

	rn_printer_columns(&d->base, r);
	rn_picture_destroy(d->rows);
	d->rows = rn_picture_create(r->cols, r->ncols, &d->base.err);
	return d->rows ? 0 : d->base.err.code;
}

static int row(void *self, const struct rn_value *value)
{
	struct drawing *d = self;

	if (!d->rows)
		return d->base.err.code;
	rn_picture_add(d->rows, value);
	d->base.rows++;
	return 0;
}

static void finish(struct rn_printer *printer, const struct rn_ledgers *ledgers)
{
	struct drawing *d = (struct drawing *)printer;
	const struct rn_picture_screen screen = {.width = printer->term.width,
						 .color = printer->term.color,
						 .ascii = printer->term.ascii,
						 .ledger = printer->term.tty};

	if (d->rows)
		d->draw(printer->to, rn_picture_end(d->rows, ledgers), &screen);
	rn_picture_destroy(d->rows);
	d->rows = NULL;
}

static void destroy(struct rn_printer *printer)
{
	rn_picture_destroy(((struct drawing *)printer)->rows);
}

static struct rn_printer *create(FILE *to, draw_fn *draw)
{
	struct drawing *d = rn_calloc(1, sizeof(*d));

	rn_printer_init(&d->base, to);
	d->draw = draw;
	d->base.out.begin = begin;
	d->base.out.row = row;
	d->base.finish = finish;
	d->base.destroy = destroy;
	return &d->base;
}

bool rn_printer_refuses(const struct rn_format *format, const struct rn_column *cols,
			unsigned ncols, struct rn_err *err)
{
	struct rn_pictured *rows =
		format->kind == RN_FORMAT_ROWS ? NULL : rn_picture_create(cols, ncols, err);
	bool refused = format->kind != RN_FORMAT_ROWS && !rows;

	rn_picture_destroy(rows);
	return refused;
}

#define PRINTER(name, json, kind) \
	struct rn_printer *rn_printer_##name(FILE *to) \
	{ \
		return create(to, rn_picture_##name); \
	}
RN_PICTURES(PRINTER)
