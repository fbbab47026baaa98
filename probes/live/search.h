/* search.h - queries of one process that look for the same tags share a search.
 *
 * Example: an agent runs `flow of tag fix283`, then `count of tag fix283 by proc`. The programs of
 * the first one search. Each hit goes on to the program of the second one (probes/gen/handover.c),
 * which costs its conditions and its result alone. If the first query ends before the second, its
 * programs stay until that ends, too.
 *
 * Two queries can share if they have the same tags, limits, scope and conditions on the process,
 * and if the first has no condition on the event. Functions of TLS libraries are no part of it:
 * each query searches there by itself.
 *
 * Thread-safe: queries in several threads may come and go. */
#ifndef RN_PROBES_LIVE_SEARCH_H
#define RN_PROBES_LIVE_SEARCH_H
#include <stdbool.h>
#include "lang/base/err.h"

struct rn_gen_opts;
struct rn_live;
struct rn_maps;
struct rn_search;
struct rn_searches; /* of one process */

struct rn_searches *rn_searches_create(void);
void rn_searches_destroy(struct rn_searches *all); /* no query is left */

/* Takes a place among the queries of a running search that does for this one, if there is one with
 * room. Then live->search is set. opts: what its programs will be made with. */
bool rn_search_join(struct rn_searches *all, const struct rn_gen_opts *opts, struct rn_live *live);
/* Lends the maps of the query that searches, before others are created. */
void rn_search_lend(const struct rn_live *live, struct rn_maps *maps);
/* The programs of this query search from now on, and others may share that. */
void rn_search_offer(struct rn_searches *all, struct rn_live *live);
/* From now on, hits go to the program of this query, which has joined. Negative errno: see err. */
int rn_search_enter(struct rn_live *live, int prog_fd, struct rn_err *err);
/* Looks for what is not searched, as the query that searches does at its begin and end. */
void rn_search_look(const struct rn_live *live);
/* No further hit goes to the query; one that is under way may. Do its programs have to stay, since
 * others share them? Allowed repeatedly. */
bool rn_search_leave(struct rn_live *live);
/* The query is closed. true: others share its search; rn_live_free is called when they end. */
bool rn_search_keeps(struct rn_live *live);
/* Gives the place back, after it was left. */
void rn_search_give(struct rn_live *live);
#endif
