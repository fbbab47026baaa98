/* limits.h - watches one running query against the limits of the node's policy
 * (exec/node/policy.h): events a second, CPU, memory, time.
 *
 * Rates are measured over the last ten seconds: what a burst takes is allowed if the rest of the
 * ten seconds is quiet, and a query that takes as much as ten seconds may is ended at once, however
 * soon that is. A query that goes beyond a limit ends; nothing is sampled or thinned out, since an
 * answer from a part of the events would look like one from all. The reason is what the ledger of
 * the node says. Pure: time and what was used are passed in. One thread for each object. */
#ifndef RN_EXEC_NODE_LIMITS_H
#define RN_EXEC_NODE_LIMITS_H
#include <stdint.h>
#include "exec/node/policy.h"

/* how often a running query should be looked at: what it takes more than it may is found so late */
enum { RN_LIMITS_EVERY_MS = 50 };

struct rn_limits;
/* p is copied. NULL: no memory. */
struct rn_limits *rn_limits_create(const struct rn_policy *p);
void rn_limits_destroy(struct rn_limits *l);
bool rn_limits_any(const struct rn_limits *l); /* is there one that has to be watched? */
/* The query begins to run now: RN_MAX_SECONDS is counted from here on. Without it, from the first
 * step on. */
void rn_limits_begin(struct rn_limits *l, int64_t now_ns);
/* now_ns: of a clock that does not jump; from the first call on the query runs. The others are
 * totals since the query began, memory what it holds now. 0; -EDQUOT with the reason and the way
 * out: the query is to be ended. */
int rn_limits_step(struct rn_limits *l, int64_t now_ns, int64_t seen_events, int64_t cpu_ns,
		   int64_t memory_bytes, struct rn_err *err);
#endif
