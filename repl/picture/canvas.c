/* canvas.c - see canvas.h. A wide character takes two cells, of which the second is empty. */
#include <stdlib.h>
#include <string.h>
#include "lang/base/memory.h"
#include "repl/picture/canvas.h"
#include "repl/terminal/terminal.h"

struct rn_canvas_cell {
	const char *s; /* NULL: a blank */
	unsigned char n, color;
};

void rn_canvas_init(struct rn_canvas *canvas, unsigned width, bool color)
{
	canvas->cell = rn_calloc(width + 1, sizeof(*canvas->cell));
	canvas->width = width;
	canvas->color = color;
}

void rn_canvas_free(struct rn_canvas *canvas)
{
	free(canvas->cell);
}

void rn_canvas_clear(struct rn_canvas *canvas)
{
	memset(canvas->cell, 0, canvas->width * sizeof(*canvas->cell));
}

static void put(struct rn_canvas *c, unsigned x, const char *s, size_t n, unsigned color)
{
	c->cell[x] = (struct rn_canvas_cell){s, (unsigned char)n, (unsigned char)color};
}

unsigned rn_canvas_put(struct rn_canvas *canvas, unsigned x, unsigned end, const char *s,
		       unsigned color)
{
	size_t left = strlen(s);

	end = end < canvas->width ? end : canvas->width;
	while (left && x < end) {
		unsigned wide = 1;
		size_t n = rn_text_head(s, left, 1);

		if (!n) {
			n = rn_text_head(s, left, 2);
			wide = 2;
		}
		if (!n || n > 255)
			break;
		if (x + wide > end || (x + wide == end && n < left)) {
			put(canvas, x, "…", strlen("…"), color);
			return x + 1;
		}
		put(canvas, x, s, n, color);
		if (wide == 2)
			put(canvas, x + 1, "", 0, color);
		x += wide;
		s += n;
		left -= n;
	}
	return x;
}

unsigned rn_canvas_columns(const char *s)
{
	size_t left = strlen(s);
	unsigned columns = 0;

	while (left) {
		size_t n = rn_text_head(s, left, 1);

		columns += n ? 1 : 2;
		n = n ? n : rn_text_head(s, left, 2);
		if (!n)
			break;
		s += n;
		left -= n;
	}
	return columns;
}

bool rn_canvas_is_blank(const struct rn_canvas *canvas, unsigned x)
{
	return x >= canvas->width || !canvas->cell[x].s;
}

static void write_cells(struct rn_canvas *canvas, unsigned last, FILE *to)
{
	unsigned color = 0;

	for (unsigned x = 0; x < last; x++) {
		const struct rn_canvas_cell *cell = &canvas->cell[x];

		if (canvas->color && cell->color != color) {
			if (cell->color)
				fprintf(to, "\033[%um", cell->color);
			else
				fputs("\033[0m", to);
			color = cell->color;
		}
		if (cell->s)
			(void)fwrite(cell->s, 1, cell->n, to);
		else
			putc(' ', to);
	}
	if (color)
		fputs("\033[0m", to);
	rn_canvas_clear(canvas);
}

void rn_canvas_print(struct rn_canvas *canvas, FILE *to)
{
	unsigned last = canvas->width;

	while (last && !canvas->cell[last - 1].s)
		last--;
	write_cells(canvas, last, to);
	putc('\n', to);
}

void rn_canvas_print_part(struct rn_canvas *canvas, FILE *to)
{
	write_cells(canvas, canvas->width, to);
}
