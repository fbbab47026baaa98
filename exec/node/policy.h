/* policy.h - what this node lets a query have: a small file of its owner's.
 *
 *     # /etc/runnel/policy
 *     payload = deny
 *     tags = zq*, "order *"
 *     hash_key = /etc/runnel/hash.key
 *     ask = alice@ops1, *@lab
 *     classes = read, write, tag, tracepoint sched:*
 *     max_seconds = 600
 *
 * One `key = value` a line; elements of lists may stand in quotes; blank lines and lines that begin
 * with `#` are left out. A key that is not known or a line that is none is an error, and then no
 * live query runs: a slip must not open what was to be closed. Without a file the defaults hold. Of
 * a key that is there several times the last one counts; lists are added to each other, so that a
 * long one may have several lines.
 *
 *   payload      may a query have payload, what programs read and write? Without this line it is
 *                out of sight: no query has the field `data`. Hashes, sketches and tags work as
 *                ever, and who can ask again and again can find out from them what the payload is.
 *                `allow`: it may. `deny`: it may not, and nothing leaves the node from which an
 *                asker could find out what it is: `hash` is keyed, and is shown, a key, or taken by
 *                set, distinct and top; nothing else may be done with it. Payloads of less than
 *                RN_HASH_LEAST bytes and those of terminals have none. Tags are searched only if
 *                `tags` lists them. What lies around a tag (`around`) is left out; `data`, `sketch`
 *                and `similar` are refused.
 *   tags         with `payload = deny`: globs of the tags that may be searched. Without it, none.
 *   hash_key     with `payload = deny`: a file with a secret of at least 16 bytes, which only its
 *                owner reads, root or the agent's user. Hashes of nodes that have the same one can
 *                be compared. Without it each query has a key of its own on each node.
 *   ask          list of globs: who may ask, as user@host, as the transport or the coordinator
 *                says; any who is not in it is refused. Without it, whoever gets as far as the
 *                agent may ask. Who runs a query on the node itself is not tested.
 *   classes      list of globs: the classes of events a query may be about, by the name that the
 *                query has them by. A tracepoint is `tracepoint GROUP:NAME`. A family stands for
 *                itself: `read` lets nobody ask for `io`. Without it, all.
 *   max_queries  queries that run at once; one more is refused.
 *   max_groups   groups of a query at a time; the events of any more are counted as (other), as
 *                those beyond a query's own limit.
 *
 * A query that goes beyond one of these ends on this node, and its ledger says why
 * (exec/node/limits.h):
 *
 *   max_events   events a second, over any ten seconds
 *   max_cpu      percent of one CPU, over any ten seconds: what the agent does for the query, and
 *                its programs in the kernel as far as the kernel measures that (`runnel agent` asks
 *                it to, and says if it does not)
 *   max_memory   MiB: the query's programs and maps in the kernel, and what the agent holds
 *   max_seconds  how long it runs
 *
 * Limits are whole numbers from 1 on. Without one there is none. */
#ifndef RN_EXEC_NODE_POLICY_H
#define RN_EXEC_NODE_POLICY_H
#include <stdbool.h>
#include "lang/base/err.h"
#include "planner/plan/plan.h"

#define RN_POLICY_FILE "/etc/runnel/policy" /* unless RUNNEL_POLICY names another */

enum rn_policy_limit {
	RN_MAX_QUERIES,
	RN_MAX_EVENTS,
	RN_MAX_CPU,
	RN_MAX_MEMORY,
	RN_MAX_SECONDS,
	RN_MAX_ALL_GROUPS,
	RN_LIMIT_COUNT
};
enum rn_policy_list { RN_LIST_ASK, RN_LIST_CLASSES, RN_LIST_TAGS, RN_LIST_COUNT };
enum rn_policy_payload { RN_PAYLOAD_UNSEEN /* no line */, RN_PAYLOAD_ALLOW, RN_PAYLOAD_DENY };
enum { RN_HASH_KEY_MIN = 16, RN_HASH_KEY_MAX = 4096 /* bytes of the file */, RN_HASH_LEAST = 16 };

struct rn_policy {
	const char *path;
	enum rn_policy_payload payload;
	unsigned payload_line; /* where the file says so; 0: it does not */
	struct {
		char path[256];
		unsigned line; /* 0: there is none */
	} hash_key;
	struct {
		char text[2000];
		unsigned line; /* its first; 0: there is none */
	} list[RN_LIST_COUNT]; /* each element ends with a newline */
	struct {
		int64_t max;
		unsigned line; /* 0: no limit */
	} limit[RN_LIMIT_COUNT];
};
/* Reads the file; 0, or a negative errno with file and line in err. path lives as long as the
 * environment. */
int rn_policy_load(struct rn_policy *p, struct rn_err *err);
/* 0, or -EPERM: this one may not ask, as of `ask`. Needs nothing of the query. */
int rn_policy_ask(const struct rn_policy *p, const char *asker, struct rn_err *err);
/* 0, or -EPERM: asker may not ask, or the fragment takes what the policy does not allow, which
 * err->span then has. asker: as of `ask`; NULL: of the node itself. */
int rn_policy_check(const struct rn_policy *p, const struct rn_fragment *f, const char *asker,
		    struct rn_err *err);
/* May one more query run besides those that do? 0 or -EBUSY. */
int rn_policy_room(const struct rn_policy *p, unsigned running, struct rn_err *err);
/* Lowers what the fragment may hold to what the policy allows, has it count what the policy limits
 * and keep in what it denies. 0, or a negative errno: the key of its hashes cannot be had. */
int rn_policy_cap(const struct rn_policy *p, struct rn_fragment *f, struct rn_err *err);
/* The key of hashes as the file has it now, made from the whole of it: 0, or a negative errno with
 * the file and a way out in err. Without a line `hash_key`, a random one. */
int rn_policy_hash_key(const struct rn_policy *p, uint64_t key[2], struct rn_err *err);
/* What this machine's policy, as it is now, keeps in of the plan's live queries, for `explain`:
 * lines in the arena; "" if nothing. */
const char *rn_policy_explain(struct rn_arena *a, const struct rn_plan *p);
const char *rn_policy_limit_name(enum rn_policy_limit l); /* "max_events" */
#endif
