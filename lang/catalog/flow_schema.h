/* flow_schema.h - the columns of a flow: one table for the language, the planner, and the code that
 * assembles a flow (exec/flow/flow.h). */
#ifndef RN_LANG_CATALOG_FLOW_SCHEMA_H
#define RN_LANG_CATALOG_FLOW_SCHEMA_H
#include "lang/values/show.h"

/* The columns of a flow, in this order: X(ID, name, type, unit). */
#define RN_FLOW_SHOWS(X) \
	X(HOP, "hop", INT, NONE, RN_SHOW_SUBJECT) \
	X(TIME, "time", INT, EPOCH, RN_SHOW_TIME) \
	X(NODE, "node", STR, NONE, RN_SHOW_NODE) \
	X(PROC, "proc", STR, NONE, 0) \
	X(PID, "pid", INT, NONE, RN_SHOW_PID) \
	X(NAME, "name", STR, NONE, 0) \
	X(DIR, "dir", STR, NONE, 25) \
	X(OBJECT, "object", STR, NONE, RN_SHOW_SUBJECT | RN_SHOW_OBJECT) \
	X(BYTES, "bytes", INT, BYTE, RN_SHOW_BYTES) \
	X(LATENCY, "latency", INT, NS, RN_SHOW_LATENCY) \
	X(TAGS, "tags", TAGS, NONE, 0) \
	X(FROM, "from", INT, NONE, 0) \
	X(MATCH, "match", STR, NONE, 35) \
	X(LINK, "link", STR, NONE, 15) \
	X(CHOICES, "choices", INT, NONE, 5) \
	X(LAG, "lag", INT, NS, 17) \
	X(DEPTH, "depth", INT, NONE, 16) \
	X(CLOCK, "clock", INT, NS, 18) \
	X(FROM_NODE, "from_node", STR, NONE, 105 | RN_SHOW_EXTRA) \
	X(FROM_PROC, "from_proc", STR, NONE, 104 | RN_SHOW_EXTRA)

/* The conditions that choose flows, or paths of them: X(ID, words, column). The column of a flow's
 * events says whether the condition holds of the hop. No field has its name. */
#define RN_FLOW_CONDITIONS(X) \
	X(THROUGH, "through", "(through)") \
	X(STARTING, "starting where", "(starting)") \
	X(ENDING, "ending where", "(ending)")
enum rn_flow_condition {
#define X(id, words, column) RN_FLOW_IF_##id,
	RN_FLOW_CONDITIONS(X)
#undef X
		RN_FLOW_IFS
};
static const struct {
	const char *words, *column;
} rn_flow_conditions[RN_FLOW_IFS] __attribute__((unused)) = {
#define X(id, words, column) {words, column},
	RN_FLOW_CONDITIONS(X)
#undef X
};

/* How `by` folds a flow to links between groups: the columns of the answer, X(name, aggregate,
 * argument), and the keys, each of the hop that data went to and of the one it came from, X(to,
 * from). */
#define RN_FLOW_FOLDS(X) \
	X("hops", "count", NULL) \
	X("bytes", "sum", "bytes") \
	X("p50", "p50", "lag") \
	X("p99", "p99", "lag")
#define RN_FLOW_KEYS(X) \
	X("node", "from_node") \
	X("proc", "from_proc")

/* The fields of an event from which a flow is assembled: X(ID, name). */
#define RN_FLOW_NEEDS(X) \
	X(TIME, "time") \
	X(NODE, "node") \
	X(PROC, "proc") \
	X(PID, "pid") \
	X(NAME, "name") \
	X(FILE, "file") \
	X(DEV, "dev") \
	X(INO, "ino") \
	X(LOCAL, "local") \
	X(PEER, "peer") \
	X(SOURCE, "source") \
	X(BYTES, "bytes") \
	X(LATENCY, "latency") \
	X(TAGS, "tags") \
	X(NETNS, "netns") \
	X(PROTO, "proto") \
	X(OFFSET, "offset") \
	X(SEQ, "seq") \
	X(PEER_INO, "peer_ino") \
	X(FUSE_DEV, "fuse_dev") \
	X(HITS, "hits") \
	X(TID, "tid") \
	X(AROUND, "around") \
	X(SOURCE_DEV, "source_dev") \
	X(SOURCE_INO, "source_ino") \
	X(FUSE_NODE, "fuse_node") \
	X(FUSE_TID, "fuse_tid") \
	X(FLAGS, "flags") \
	X(PPID, "ppid") \
	X(START, "start")
#endif
