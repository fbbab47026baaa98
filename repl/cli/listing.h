/* listing.h - rows of text, for doctor, list and describe. */
#ifndef RN_REPL_CLI_LISTING_H
#define RN_REPL_CLI_LISTING_H
#include "lang/values/show.h"
#include "repl/cli/session.h"

struct rn_heading {
	const char *label;
	uint16_t show; /* enum rn_show */
};
/* They go through the session's printer; columns are strings. */
struct rn_listing;
struct rn_listing *rn_listing_begin(struct rn_session *session, const struct rn_heading *headings,
				    unsigned n);
void rn_listing_row(struct rn_listing *listing, const char *const *cells);
/* returns the number of rows; -1: the output could not be opened; the reason is on stderr */
int64_t rn_listing_end(struct rn_listing *listing);
#endif
