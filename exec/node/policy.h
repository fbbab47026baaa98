/* policy.h - what this node allows to a query: a small file of its owner.
 *
 *     # /etc/runnel/policy
 *     payload = deny
 *     tags = zq*, "order *"
 *     hash_key = /etc/runnel/hash.key
 *     ask = alice@ops1, *@lab
 *     classes = read, write, tag, tracepoint sched:*
 *     max_seconds = 600
 *
 * One `key = value` a line. Elements of lists may be quoted. Blank lines and lines that begin with
 * `#` are ignored. An unknown key or a malformed line is an error, and then no live query runs: a
 * slip must not open what was to be closed. Without a file the defaults hold. If a key is repeated,
 * the last one counts. Repeated lists are joined, so a long one may have several lines.
 *
 *   payload      may a query have payload, which programs read and write? Without this line it is
 *                hidden: no query has the field `data`. Hashes, sketches and tags work as
 *                ever, and an asker who asks often enough can find out the payload from them.
 *                `allow`: it may. `deny`: it may not, and nothing that reveals it to an
 *                asker leaves the node: `hash` is keyed, and is shown, a key, or taken by
 *                set, distinct and top; no other use is allowed. Payloads of less than
 *                RN_HASH_LEAST bytes and those of terminals have no hash. Tags are searched only if
 *                `tags` lists them. The bytes around a tag (`around`) are left out; `data`,
 *                `sketch` and `similar` are refused.
 *   tags         with `payload = deny`: globs of the tags that may be searched. Default: none.
 *   hash_key     with `payload = deny`: a file with a secret of at least 16 bytes, which only its
 *                owner can read: root or the agent's user. Hashes of nodes with the same secret can
 *                be compared. Without it each query has a key of its own on each node.
 *   ask          list of globs: users who may ask, user@host, as the transport or the coordinator
 *                says; all others are refused. Without it, anybody who gets as far as the
 *                agent may ask. A user who runs a query on the node itself is not tested.
 *   classes      list of globs: the classes of events that a query may use, by the name that the
 *                query has them by. A tracepoint is `tracepoint GROUP:NAME`. A family means only
 *                itself: `read` does not allow `io`. Default: all, but functions of programs and of
 *                the kernel only for the node's own queries; for others they are named:
 *                `user /opt/app:*`, `kernel vfs_*`.
 *   max_queries  queries that run at the same time; one more is refused.
 *   max_groups   groups of a query at a time; events of further groups are counted as (other), like
 *                those beyond a query's own limit.
 *
 * If a query exceeds one of these, it ends on this node, and its ledger says why
 * (exec/node/limits.h):
 *
 *   max_events   events a second, over any ten seconds
 *   max_cpu      percent of one CPU, over any ten seconds: what the agent does for the query, and
 *                its programs in the kernel as far as the kernel measures that (`runnel agent` asks
 *                it to, and says if it does not)
 *   max_memory   MiB: the query's programs and maps in the kernel, and what the agent holds
 *   max_seconds  how long it runs
 *
 * Limits are whole numbers from 1 on. Without a line there is no limit. */
#ifndef RN_EXEC_NODE_POLICY_H
#define RN_EXEC_NODE_POLICY_H
#include <stdbool.h>
#include "lang/base/err.h"
#include "planner/plan/plan.h"

#define RN_POLICY_FILE "/etc/runnel/policy" /* default; RUNNEL_POLICY names another */

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
	unsigned payload_line; /* its line in the file; 0: no such line */
	struct {
		char path[256];
		unsigned line; /* 0: no such line */
	} hash_key;
	struct {
		char text[2000];
		unsigned line; /* of its first line; 0: no such line */
	} list[RN_LIST_COUNT]; /* each element ends with a newline */
	struct {
		int64_t max;
		unsigned line; /* 0: no limit */
	} limit[RN_LIMIT_COUNT];
};
/* Reads the file. Returns 0, or a negative errno with file and line in err. path lives as long as
 * the environment. */
int rn_policy_load(struct rn_policy *policy, struct rn_err *err);
/* Returns 0, or -EPERM: this asker may not ask, by `ask`. Needs nothing of the query. */
int rn_policy_ask(const struct rn_policy *policy, const char *asker, struct rn_err *err);
/* Returns 0, or -EPERM: asker may not ask, or the fragment takes what the policy does not allow;
 * err->span has where. asker: as for `ask`; NULL: the node itself. */
int rn_policy_check(const struct rn_policy *policy, const struct rn_fragment *fragment,
		    const char *asker, struct rn_err *err);
/* May one more query run besides `running` ones? Returns 0 or -EBUSY. */
int rn_policy_room(const struct rn_policy *policy, unsigned running, struct rn_err *err);
/* Lowers the fragment's limits to what the policy allows. Makes it count what the policy limits,
 * and withhold what it denies. Returns 0, or a negative errno: the key of its hashes is not
 * available. */
int rn_policy_cap(const struct rn_policy *policy, struct rn_fragment *fragment, struct rn_err *err);

/* ---- policy_payload.c ---- */

/* Gives the key of hashes, made from the whole file as it is now. Returns 0, or a negative errno
 * with the file and a way out in err. Without a line `hash_key`, a random key. */
int rn_policy_hash_key(const struct rn_policy *policy, uint64_t key[2], struct rn_err *err);
/* For `explain`: what this machine's policy, as it is now, withholds from the plan's live queries.
 * Lines in the arena; "" if nothing. */
const char *rn_policy_explain(struct rn_arena *arena, const struct rn_plan *plan);

/* ---- policy.c ---- */

const char *rn_policy_limit_name(enum rn_policy_limit l); /* "max_events" */
#endif
