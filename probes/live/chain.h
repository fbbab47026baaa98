/* chain.h - queries of one process that watch system calls share what is attached.
 *
 * The head of a chain is attached to sys_exit, and to sys_enter if a query needs to know when calls
 * begin. Each query has a place in a chain. Its program runs for the calls that it wants, after
 * those of the queries at lower places. probes/gen/chain.c generates both.
 *
 * Thread-safe: queries in several threads may come and go. */
#ifndef RN_PROBES_LIVE_CHAIN_H
#define RN_PROBES_LIVE_CHAIN_H
#include <stdbool.h>
#include <stdint.h>
#include "lang/base/err.h"
#include "probes/gen/gen.h"

struct rn_chains; /* of one process */
struct rn_chains *rn_chains_create(void);
void rn_chains_destroy(struct rn_chains *chains); /* no query is left */

/* A query's place. */
struct rn_chain_place {
	struct rn_chains *chains; /* NULL: it has none */
	struct rn_chain *chain;
	unsigned nr;
};

/* Takes a free place. false: the kernel refuses a chain, so the query has to attach its program
 * itself. */
bool rn_chain_take(struct rn_chains *chains, const struct rn_btf *btf,
		   struct rn_chain_place *place);
/* Lends the chain's maps to those of the query, before these are created. They stay the chain's. */
void rn_chain_lend(const struct rn_chain_place *place, struct rn_maps *maps);
/* From now on, calls go to the program, as its generator's output says: which, and whether their
 * beginnings are noted. Negative errno: err says why the chain cannot be attached. */
int rn_chain_enter(struct rn_chain_place *place, int prog_fd, const struct rn_gen_out *out,
		   struct rn_err *err);
/* No further call goes to the program. One that is under way may: rn_live_settle waits for it. If
 * no other query is in the chain, nothing stays attached. Allowed at any time, and repeatedly. */
void rn_chain_leave(struct rn_chain_place *place);
/* Gives the place back, after it was left. */
void rn_chain_give(struct rn_chain_place *place);
#endif
