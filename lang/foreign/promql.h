/* promql.h - one side of an operator of PromQL. Internal to lang/foreign/: promql.c and
 * promql_select.c. */
#ifndef RN_LANG_FOREIGN_PROMQL_H
#define RN_LANG_FOREIGN_PROMQL_H
#include "lang/foreign/query.h"

/* Texts are "" for what is not there. */
struct rn_vector {
	const char *expr; /* an aggregate */
	const char *source, *field, *where;
	const char *range; /* of a selector that no function has taken yet */
	const char *windows, *top, *least;
	struct rn_foreign_list by;
	bool over_series; /* an aggregation has made one number of several series */
};

/* ---- promql_select.c ---- */

/* Reads a selector into an empty vector and moves phrase past it. Sets failed if it is none. */
struct rn_vector rn_vector_select(struct rn_reading *reading, struct rn_phrase *phrase,
				  struct rn_vector vector);
/* Reads the name of a label: the field that it is here. */
const char *rn_vector_label(struct rn_reading *reading, struct rn_phrase *phrase);
#endif
