/* fake_provider.h - a provider over an array of rows, for unit tests: delivers them in batches,
 * then ends or stays idle. */
#ifndef RN_TESTS_SUPPORT_FAKE_PROVIDER_H
#define RN_TESTS_SUPPORT_FAKE_PROVIDER_H
#include "planner/plan/source.h"

struct rn_fake_rows {
	const struct rn_value *v; /* nrows * ncols, in the order of the class's fields */
	const int64_t *time_ns;
	unsigned nrows, ncols;
	const struct rn_class *cls; /* which field is which column */
	unsigned batch;             /* rows a poll; 0: all */
	unsigned fail_after;        /* polls before one fails; 0: none does */
	bool idle;                  /* never ends: polls bring nothing once all are delivered */
	unsigned started, stopped, closed; /* counts, for the test to look at */
};
/* Sets every field of a row of cls to what a field that does not apply holds; then one of them by
 * name. */
void rn_fake_row(struct rn_value *row, const struct rn_class *cls);
void rn_fake_set(struct rn_value *row, const struct rn_class *cls, const char *field,
		 struct rn_value v);
/* rows outlives the provider; nothing is to be freed. */
struct rn_provider rn_fake_provider(struct rn_fake_rows *rows);
#endif
