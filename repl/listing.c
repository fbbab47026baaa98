/* listing.c - tables of text for doctor, list and describe: the same printers as for answers, so -o works there too. */
#include <stdlib.h>
#include <string.h>
#include "repl/session.h"

struct rn_listing {
	struct rn_printer *p;
	struct rn_column *cols;
	unsigned n;
	bool begun;                 /* the header comes with the first row: what finds nothing prints nothing */
	struct rn_value *row;
};

struct rn_listing *rn_listing_begin(struct rn_session *s, const char *const *labels, unsigned n)
{
	struct rn_listing *l = calloc(1, sizeof *l);
	if (l) {
		l->cols = calloc(n, sizeof *l->cols);
		l->row = calloc(n, sizeof *l->row);
	}
	if (!l || !l->cols || !l->row)
		abort();
	l->p = rn_session_printer(s);
	l->p->wraps = true;
	l->n = n;
	for (unsigned i = 0; i < n; i++)
		l->cols[i] = (struct rn_column){.label = labels[i], .ty = {.type = RN_T_STR}};
	return l;
}

void rn_listing_row(struct rn_listing *l, const char *const *cells)
{
	if (!l->begun)
		l->p->out.begin(l->p->out.self, &(struct rn_result){.cols = l->cols, .ncols = l->n});
	l->begun = true;
	for (unsigned i = 0; i < l->n; i++)
		l->row[i] = rn_strn(cells[i] ? cells[i] : "", cells[i] ? strlen(cells[i]) : 0);
	l->p->out.row(l->p->out.self, l->row);
}

int64_t rn_listing_end(struct rn_listing *l)
{
	int64_t rows = l->p->rows;
	if (l->begun)
		l->p->out.end(l->p->out.self);
	rn_printer_destroy(l->p);
	free(l->cols);
	free(l->row);
	free(l);
	return rows;
}
