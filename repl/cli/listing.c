/* listing.c - tables of text for doctor, list and describe: they use the printers of answers, so -o
 * and -O work there too. The file of -O is opened with the first row, so a listing without rows
 * leaves it as it was. */
#include <stdlib.h>
#include <string.h>
#include "repl/cli/listing.h"
#include "repl/cli/session.h"

struct rn_listing {
	struct rn_session *s;
	struct rn_printer *p; /* NULL: there was no row yet */
	struct rn_column *cols;
	unsigned n;
	struct rn_err err; /* why the output could not be opened */
	struct rn_value *row;
};

struct rn_listing *rn_listing_begin(struct rn_session *s, const struct rn_heading *headings,
				    unsigned n)
{
	struct rn_listing *l = calloc(1, sizeof(*l));

	if (l) {
		l->cols = calloc(n, sizeof(*l->cols));
		l->row = calloc(n, sizeof(*l->row));
	}
	if (!l || !l->cols || !l->row)
		abort();
	l->s = s;
	l->n = n;
	for (unsigned i = 0; i < n; i++)
		l->cols[i] = (struct rn_column){.label = headings[i].label,
						.ty = {.type = RN_T_STR},
						.show = headings[i].show};
	return l;
}

static void begin(struct rn_listing *l)
{
	l->p = rn_session_printer(l->s);
	l->p->wraps = true;
	l->p->out.begin(l->p->out.self, &(struct rn_result){.cols = l->cols, .ncols = l->n});
}

void rn_listing_row(struct rn_listing *l, const char *const *cells)
{
	if (l->err.code || (!l->p && rn_session_output(l->s, NULL, &l->err)))
		return;
	if (!l->p)
		begin(l);
	for (unsigned i = 0; i < l->n; i++)
		l->row[i] = rn_strn(cells[i] ? cells[i] : "", cells[i] ? strlen(cells[i]) : 0);
	l->p->out.row(l->p->out.self, l->row);
}

int64_t rn_listing_end(struct rn_listing *l)
{
	int64_t rows = l->err.code ? -1 : l->p ? l->p->rows : 0;

	if (l->err.code)
		rn_complain(l->s, &l->err);
	if (l->p) {
		l->p->out.end(l->p->out.self);
		rn_printer_destroy(l->p);
	}
	free(l->cols);
	free(l->row);
	free(l);
	return rows;
}
