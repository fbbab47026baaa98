/* agent.h - runs one fragment on one node. The agent drives a source, does the node's part
 * (predicates, grouping, columns), and hands on rows (of the fragment's columns) or partial states.
 * In-process for `local`; behind frames for everything else. */
#ifndef RN_EXEC_NODE_AGENT_H
#define RN_EXEC_NODE_AGENT_H
#include "exec/groups/groups.h"

struct rn_agent;
/* Opens the source. asker: the name of the asker in the node's policy; NULL: the node itself. sink:
 * takes results; rn_agent_step and rn_agent_finish call it. */
int rn_agent_open(const char *node, const struct rn_provider *provider,
		  struct rn_fragment *fragment, const struct rn_scope *scope, const char *asker,
		  const struct rn_sink *sink, struct rn_agent **out, struct rn_err *err);
int rn_agent_start(struct rn_agent *agent, struct rn_err *err);
/* For a fragment that is held, once, after start: the answer has the events from first_ns to
 * until_ns (epoch; window boundaries), as far as the agent has attached by then. The agent ends by
 * itself. */
void rn_agent_hold(struct rn_agent *agent, int64_t first_ns, int64_t until_ns);
/* Polls once, and closes windows that are due. 1: the source has ended, or the fragment's limit is
 * reached. */
int rn_agent_step(struct rn_agent *agent, int timeout_ms, struct rn_err *err);
uint64_t rn_agent_got(const struct rn_agent *agent); /* how many rows the last step brought */
/* The greatest time of a row that came, whether or not it passed the conditions; INT64_MIN: none.
 */
int64_t rn_agent_newest(const struct rn_agent *agent);
/* All rows before mark_ns have come: delivers the windows that end before it. For sources with
 * times of another machine. */
int rn_agent_advance(struct rn_agent *agent, int64_t mark_ns);
/* No row or partial state of a window that starts before this follows, except late ones. INT64_MIN:
 * nothing is known yet. */
int64_t rn_agent_watermark(const struct rn_agent *agent);
/* Gives the groups so far and ends nothing: for a table that refreshes. */
int rn_agent_peek(struct rn_agent *agent, const struct rn_sink *sink, struct rn_err *err);
/* Gives the cost of the query's source so far: its programs and maps. CPU time and memory of the
 * thread that runs it are counted by exec/node/guard.h. */
void rn_agent_cost(struct rn_agent *agent, struct rn_cost *cost);
/* Fills in its ledger so far; counts only. */
void rn_agent_ledger(struct rn_agent *agent, struct rn_ledger *ledger);
/* Which time it has covered so far; for a live source, from its start on. */
const struct rn_cover *rn_agent_cover(const struct rn_agent *agent);
/* events so far, if they are counted while it runs */
int64_t rn_agent_seen(struct rn_agent *agent);
/* Detaches, delivers what is left, and fills the ledger (its node lives until rn_agent_close). */
int rn_agent_finish(struct rn_agent *agent, struct rn_ledger *ledger, struct rn_err *err);
void rn_agent_close(struct rn_agent *agent);
#endif
