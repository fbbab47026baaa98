/* flow_schema.h - the columns of a flow: one table for the language, the planner, and what puts a
 * flow together (exec/flow/flow.h). */
#ifndef RN_LANG_CATALOG_FLOW_SCHEMA_H
#define RN_LANG_CATALOG_FLOW_SCHEMA_H

/* What a flow shows, in this order: X(ID, name, type, unit). */
#define RN_FLOW_SHOWS(X) \
	X(HOP, "hop", INT, NONE) \
	X(TIME, "time", INT, EPOCH) \
	X(NODE, "node", STR, NONE) \
	X(PROC, "proc", STR, NONE) \
	X(PID, "pid", INT, NONE) \
	X(NAME, "name", STR, NONE) \
	X(DIR, "dir", STR, NONE) \
	X(OBJECT, "object", STR, NONE) \
	X(BYTES, "bytes", INT, BYTE) \
	X(LATENCY, "latency", INT, NS) \
	X(TAGS, "tags", TAGS, NONE) \
	X(FROM, "from", INT, NONE) \
	X(MATCH, "match", STR, NONE) \
	X(LINK, "link", STR, NONE) \
	X(CHOICES, "choices", INT, NONE)

/* The fields of an event that a flow is put together from: X(ID, name). */
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
	X(FLAGS, "flags")
#endif
