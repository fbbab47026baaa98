/* listing.c - tables of text for doctor, list and describe: they use the printers of answers, so -o
 * and -O work there too. The file of -O is opened with the first row, so a listing without rows
 * leaves it as it was. */
#include <stdlib.h>
#include <string.h>
#include "repl/cli/listing.h"
#include "lang/base/memory.h"
#include "repl/cli/session.h"

struct rn_listing {
	struct rn_session *session;
	struct rn_printer *printer; /* NULL: there was no row yet */
	struct rn_column *cols;
	unsigned n;
	struct rn_err err; /* why the output could not be opened */
	struct rn_value *row;
};

struct rn_listing *rn_listing_begin(struct rn_session *session, const struct rn_heading *headings,
				    unsigned n)
{
	struct rn_listing *l = rn_calloc(1, sizeof(*l));

	l->cols = rn_calloc(n, sizeof(*l->cols));
	l->row = rn_calloc(n, sizeof(*l->row));
	l->session = session;
	l->n = n;
	for (unsigned i = 0; i < n; i++)
		l->cols[i] = (struct rn_column){.label = headings[i].label,
						.ty = {.type = RN_T_STR},
						.show = headings[i].show};
	return l;
}

static void begin(struct rn_listing *l)
{
	l->printer = rn_session_printer(l->session);
	l->printer->wraps = true;
	l->printer->out.begin(l->printer->out.self,
			      &(struct rn_answer_shape){.cols = l->cols, .ncols = l->n});
}

void rn_listing_row(struct rn_listing *listing, const char *const *cells)
{
	if (listing->err.code ||
	    (!listing->printer && rn_session_output(listing->session, NULL, &listing->err)))
		return;
	if (!listing->printer)
		begin(listing);
	for (unsigned i = 0; i < listing->n; i++)
		listing->row[i] =
			rn_strn(cells[i] ? cells[i] : "", cells[i] ? strlen(cells[i]) : 0);
	listing->printer->out.row(listing->printer->out.self, listing->row);
}

int64_t rn_listing_end(struct rn_listing *listing)
{
	int64_t rows = listing->err.code ? -1 : listing->printer ? listing->printer->rows : 0;

	if (listing->err.code)
		rn_complain(listing->session, &listing->err);
	if (listing->printer) {
		listing->printer->out.end(listing->printer->out.self);
		rn_printer_destroy(listing->printer);
	}
	free(listing->cols);
	free(listing->row);
	free(listing);
	return rows;
}
