/* ledger.c - names, documentation and merging of the counts that tell what an answer covers.
 *
 * One table gives every item its JSON key, a text for people, and whether a count above zero makes
 * an answer incomplete. */
#include "planner/plan/ledger.h"
#include <stddef.h>

static const struct {
	const char *name, *doc, *one; /* texts for people, after a count; one: after the count 1 */
	bool loss; /* a count means that the answer lacks or misplaces something */
} items[RN_L_COUNT] = {
	[RN_L_SEEN] = {"seen", "events that reached a probe of this query",
		       "event that reached a probe of this query", false},
	[RN_L_MATCHED] = {"matched", "events that passed every predicate",
			  "event that passed every predicate", false},
	[RN_L_LOST_RING] = {"lost_ring", "rows lost because the ring buffer was full",
			    "row lost because the ring buffer was full", true},
	[RN_L_LOST_MAP] = {"lost_map",
			   "events counted in (other) because the table of groups was full",
			   "event counted in (other) because the table of groups was full", true},
	[RN_L_LOST_CELL] = {"lost_cell",
			    "histogram or quantile updates lost because their table was full",
			    "histogram or quantile update lost because its table was full", true},
	[RN_L_LOST_SCRATCH] = {"lost_scratch",
			       "events lost because a CPU's scratch space was in use",
			       "event lost because a CPU's scratch space was in use", true},
	[RN_L_UNPAIRED] =
		{"unpaired",
		 "calls that were already running when the query began, second events of a "
		 "pair without a first, or events without a value that the query uses",
		 "call that was already running when the query began, second event of a "
		 "pair without a first, or event without a value that the query uses",
		 false},
	[RN_L_BYTES_SEEN] = {"bytes_seen", "payload bytes of the calls that a tag scan looked at",
			     "payload byte of the calls that a tag scan looked at", false},
	[RN_L_BYTES_SCANNED] = {"bytes_scanned", "payload bytes that were searched for tags",
				"payload byte that was searched for tags", false},
	[RN_L_BEYOND_CAP] = {"beyond_cap", "payload bytes beyond the searched part of a call",
			     "payload byte beyond the searched part of a call", true},
	[RN_L_FAULTED] = {"faulted",
			  "texts, arguments, members or bytes of payload that could not be read",
			  "text, argument, member or byte of payload that could not be read", true},
	[RN_L_TRUNCATED] =
		{"truncated",
		 "strings, paths, payloads and tables of functions that were cut, or had no room "
		 "left",
		 "string, path, payload or table of functions that was cut, or had no room left",
		 true},
	[RN_L_UNJOINED] = {"unjoined",
			   "ends of streams that had to be forgotten: a tag across them and what "
			   "follows would not be seen",
			   "end of a stream that had to be forgotten: a tag across it and what "
			   "follows would not be seen",
			   true},
	[RN_L_UNCOVERED] =
		{"uncovered",
		 "calls, or other uses, of a path of payload that this query does not search",
		 "call, or other use, of a path of payload that this query does not search", true},
	[RN_L_LATE] = {"late", "rows or partial states that came after their window was closed",
		       "row or partial state that came after its window was closed", true},
	[RN_L_LOST_STACK] = {"lost_stack",
			     "stacks lost because their table was full: shown as (stack lost)",
			     "stack lost because their table was full: shown as (stack lost)",
			     true},
	[RN_L_COMPAT] = {"compat", "system calls of 32-bit programs, which this version leaves out",
			 "system call of a 32-bit program, which this version leaves out", true},
	[RN_L_SKIPPED] =
		{"skipped",
		 "events whose payload was not looked at, because `where` left them out before",
		 "event whose payload was not looked at, because `where` left it out before",
		 false},
	[RN_L_UNATTACHED] = {"unattached",
			     "tracepoints and functions that match and that nothing can be "
			     "attached to: their events are not seen",
			     "tracepoint or function that matches and that nothing can be "
			     "attached to: its events are not seen",
			     true},
	[RN_L_SHED] = {"shed",
		       "events whose rows or partial states found no room in a queue on the way",
		       "event whose row or partial state found no room in a queue on the way",
		       true},
	[RN_L_OPEN] = {"open", "first events of a pair whose second had not come at the end",
		       "first event of a pair whose second had not come at the end", false},
	[RN_L_REOPENED] = {"reopened",
			   "first events of a pair that were followed by another with the same "
			   "key, which counts in their place",
			   "first event of a pair that was followed by another with the same key, "
			   "which counts in its place",
			   false},
	[RN_L_LOST_PAIR] = {"lost_pair",
			    "first events of a pair that were forgotten because too many waited "
			    "for their second",
			    "first event of a pair that was forgotten because too many waited for "
			    "their second",
			    true},
	[RN_L_OVERFLOW] =
		{"overflow",
		 "results and values too great for 64 bits: null, or left out of an aggregate",
		 "result or value too great for 64 bits: null, or left out of an aggregate", true},
	[RN_L_NO_USER] = {"no_user", "comparisons with a user whom the node does not have",
			  "comparison with a user whom the node does not have", false},
	[RN_L_UNSETTLED] =
		{"unsettled",
		 "names of files that changed each time they were read, so that they may be wrong",
		 "name of a file that changed each time it was read, so that it may be wrong",
		 true},
	[RN_L_FORGOTTEN] = {"forgotten",
			    "hops of a flow that had to be forgotten as evidence: links have more "
			    "choices for it",
			    "hop of a flow that had to be forgotten as evidence: links have more "
			    "choices for it",
			    false},
	[RN_L_WITHHELD] = {"withheld",
			   "hashes of payloads, or fingerprints of what lies around tags, that the "
			   "policy of their node keeps back",
			   "hash of a payload, or fingerprint of what lies around tags, that the "
			   "policy of its node keeps back",
			   true},
	[RN_L_OWN_KEY] = {"own_key", "nodes whose hashes have a key of their own in this query",
			  "node whose hashes have a key of their own in this query", false},
	[RN_L_UNPROBED] = {"unprobed",
			   "TLS libraries that are not probed: what goes through them is not seen",
			   "TLS library that is not probed: what goes through it is not seen",
			   true},
	[RN_L_KNOWN_CLEAN] =
		{"known_clean",
		 "payload bytes not searched again: their pages are known to hold no tag",
		 "payload byte not searched again: its page is known to hold no tag", false},
	[RN_L_NO_NAME] = {"no_name", "comparisons with a name that the node's kernel does not have",
			  "comparison with a name that the node's kernel does not have", false},
};

static const char *const paths[RN_PATH_COUNT] = {
	[RN_PATH_OTHER] = "other",    [RN_PATH_FILE] = "file",   [RN_PATH_SOCKET] = "socket",
	[RN_PATH_PIPE] = "pipe",      [RN_PATH_PAGES] = "pages", [RN_PATH_MMAP] = "mmap",
	[RN_PATH_URING] = "io_uring", [RN_PATH_AIO] = "aio",     [RN_PATH_VM] = "process_vm",
	[RN_PATH_FUSE] = "fuse",      [RN_PATH_TLS] = "tls",
};
static const char *const covers[RN_C_COUNT] = {"calls",      "bytes_seen",  "bytes_scanned",
					       "beyond_cap", "faulted",     "uncovered",
					       "unjoined",   "known_clean", "postponed"};

const char *rn_path_name(enum rn_path p)
{
	return (unsigned)p < RN_PATH_COUNT ? paths[p] : "unknown";
}

const char *rn_cover_name(enum rn_cover_item i)
{
	return (unsigned)i < RN_C_COUNT ? covers[i] : "unknown";
}

const char *rn_ledger_name(enum rn_ledger_item i)
{
	return (unsigned)i < RN_L_COUNT ? items[i].name : "unknown";
}

const char *rn_ledger_doc(enum rn_ledger_item i, int64_t n)
{
	return (unsigned)i >= RN_L_COUNT ? "" : n == 1 ? items[i].one : items[i].doc;
}

bool rn_ledger_is_loss(enum rn_ledger_item i)
{
	return (unsigned)i < RN_L_COUNT && items[i].loss;
}

static bool keyed_apart(const struct rn_ledger *a, const struct rn_ledger *b)
{
	/* a recording has only RN_L_OWN_KEY */
	return a->hash_key != b->hash_key || a->n[RN_L_OWN_KEY] || b->n[RN_L_OWN_KEY];
}

bool rn_ledger_apart(const struct rn_ledgers *ledgers, unsigned pair[2])
{
	for (pair[0] = 0; pair[0] < ledgers->n && !ledgers->nodes[pair[0]].answered;)
		pair[0]++;
	for (pair[1] = pair[0] + 1; pair[1] < ledgers->n; pair[1]++)
		if (ledgers->nodes[pair[1]].answered &&
		    keyed_apart(&ledgers->nodes[pair[0]], &ledgers->nodes[pair[1]]))
			return true;
	return false;
}

bool rn_ledger_complete(const struct rn_ledgers *ledgers)
{
	unsigned pair[2];

	if (rn_ledger_apart(ledgers, pair))
		return false;
	for (unsigned k = 0; k < ledgers->n; k++) {
		if (!ledgers->nodes[k].answered)
			return false;
		for (int i = 0; i < RN_L_COUNT; i++)
			if (items[i].loss && ledgers->nodes[k].n[i])
				return false;
	}
	return true;
}

int64_t rn_ledger_sum(int64_t a, int64_t b)
{
	int64_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return INT64_MAX;
	return sum;
}

/* Adds counts, and unites both times. If one node did not answer, the sum counts as not
 * answered. */
void rn_ledger_add(struct rn_ledger *to, const struct rn_ledger *from)
{
	for (int i = 0; i < RN_L_COUNT; i++)
		to->n[i] = rn_ledger_sum(to->n[i], from->n[i]);
	for (int p = 0; p < RN_PATH_COUNT; p++)
		for (int i = 0; i < RN_C_COUNT; i++)
			to->path[p][i] = rn_ledger_sum(to->path[p][i], from->path[p][i]);
	if (from->begin_ns && (!to->begin_ns || from->begin_ns < to->begin_ns))
		to->begin_ns = from->begin_ns;
	if (from->end_ns > to->end_ns)
		to->end_ns = from->end_ns;
	if (from->until_ns && (!to->until_ns || from->until_ns < to->until_ns))
		to->until_ns = from->until_ns;
	if (from->joined_ns > to->joined_ns)
		to->joined_ns = from->joined_ns;
	if (from->edge_ns > to->edge_ns)
		to->edge_ns = from->edge_ns;
	if (from->clock_bound_ns > to->clock_bound_ns) {
		to->clock_bound_ns = from->clock_bound_ns;
		to->clock_offset_ns = from->clock_offset_ns;
	}
	if (!to->place)
		to->place = from->place;
	if (!from->answered) {
		to->answered = false;
		if (!to->why)
			to->why = from->why;
	}
}
