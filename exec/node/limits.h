/* limits.h - watches one running query against the limits of the node's policy
 * (exec/node/policy.h): events a second, CPU, memory, time.
 *
 * Rates are measured over the last ten seconds. So a burst is allowed if the rest of the ten
 * seconds is quiet. A query that has taken what ten seconds allow ends at once, however soon that
 * is. A query beyond a limit ends; nothing is sampled or thinned out, since an answer from a part
 * of the events would look like one from all. The reason goes into the ledger of the node. Pure:
 * the caller passes in time and usage. One thread for each object. */
#ifndef RN_EXEC_NODE_LIMITS_H
#define RN_EXEC_NODE_LIMITS_H
#include <stdint.h>
#include "exec/node/policy.h"

/* how often to look at a running query: an excess is found after so long at most */
enum { RN_LIMITS_EVERY_MS = 50 };

struct rn_limits;
/* Copies policy. */
struct rn_limits *rn_limits_create(const struct rn_policy *policy);
void rn_limits_destroy(struct rn_limits *limits);
bool rn_limits_any(const struct rn_limits *limits); /* is any limit set that must be watched? */
/* The query begins to run now: RN_MAX_SECONDS counts from here. Without this call, it counts from
 * the first step. */
void rn_limits_begin(struct rn_limits *limits, int64_t now_ns);
/* now_ns: from a clock that does not jump; the query runs from the first call on. The others are
 * totals since the query began, but memory is what it holds now. Returns 0, or -EDQUOT with the
 * reason and the way out: the query must end. */
int rn_limits_step(struct rn_limits *limits, int64_t now_ns, int64_t seen_events, int64_t cpu_ns,
		   int64_t memory_bytes, struct rn_err *err);
#endif
