/* fake_catalog.c - see fake_catalog.h. Tables only, and the four functions of the interface. */
#include <stdio.h>
#include <string.h>
#include "lang/catalog/numbering.h"
#include "planner/plan/agg.h"
#include "tests/support/fake_catalog.h"

enum { BOTH = RN_IN_KERNEL | RN_IN_NODE };

/* Every field, by its place in `field`. */
enum {
	F_TIME,
	F_NODE,
	F_PROC,
	F_THREAD,
	F_PID,
	F_TID,
	F_PPID,
	F_UID,
	F_USER,
	F_CGROUP,
	F_CONTAINER,
	F_NAME,
	F_FUNC,
	F_FD,
	F_FILE,
	F_DEV,
	F_BYTES,
	F_RET,
	F_ERROR,
	F_LATENCY,
	F_OFFSET,
	F_LOCAL,
	F_PEER,
	F_TAGS,
	F_DATA,
	F_SKETCH,
	F_HASH,
	F_STACK,
	F_USTACK,
	F_ARG0,
	F_ARG1,
	F_ARG2,
	F_ARG3,
	F_ARG4,
	F_ARG5,
	F_TEXT0,
	F_TEXT1,
	F_PREV_COMM,
	F_PREV_PID,
	F_PREV_STATE,
	F_NEXT_COMM,
	F_NEXT_PID,
	F_SECTOR,
	F_RSS,
	F_VSIZE,
	F_THREADS,
	F_STATE,
	F_STARTED,
	F_CMDLINE,
	F_TEXT,
	F_REASON,
	F_GFP,
};

#define BITS(u) \
	((u) == RN_U_BYTE    ? 48 \
	 : (u) == RN_U_NS    ? RN_BITS_SIGNED | 58 \
	 : (u) == RN_U_EPOCH ? RN_BITS_SIGNED | 62 \
			     : 0)
#define KERNEL(n, t, u, d) \
	{ \
		.name = n, .ty = {RN_T_##t, RN_U_##u}, .where = BOTH, .doc = d, \
		.bits = BITS(RN_U_##u) \
	}
#define OF_END(n, t, u, d) \
	{ \
		.name = n, .ty = {RN_T_##t, RN_U_##u}, .where = BOTH, .doc = d, \
		.bits = BITS(RN_U_##u), .of_end = true \
	}
#define TEXT(n, k, d) \
	{ \
		.name = n, .ty = {RN_T_STR, RN_U_NONE}, .where = BOTH, .doc = d, \
		.kind = RN_KIND_##k \
	}
#define SHORT(n, d) \
	{ \
		.name = n, .ty = {RN_T_INT, RN_U_NONE}, .where = BOTH, .doc = d, \
		.bits = RN_BITS_SIGNED | 32 \
	}
#define NODE(n, t, u, d, why) \
	{ \
		.name = n, .ty = {RN_T_##t, RN_U_##u}, .where = RN_IN_NODE, .doc = d, \
		.not_kernel = why \
	}
#define PAYLOAD(n, t, u, d, why, k) \
	{ \
		.name = n, .ty = {RN_T_##t, RN_U_##u}, .where = RN_IN_NODE, .doc = d, \
		.not_kernel = why, .tells = RN_TELLS_##k \
	}

/* one of the names is a field too */
static const struct rn_numbered reasons[] = {
	{2, "NOT_SPECIFIED"}, {3, "NO_SOCKET"}, {4, "TCP_CSUM"}, {5, "proc"}};
static const struct rn_numbering reason = {reasons, sizeof(reasons) / sizeof(*reasons), false};

/* 0x400 has no name */
static const struct rn_numbered gfps[] = {
	{0xc0, "GFP_NOIO"}, {0x40, "__GFP_IO"}, {0x80, "__GFP_FS"}, {0x100, "__GFP_ZERO"}};
static const struct rn_numbering gfp = {gfps, sizeof(gfps) / sizeof(*gfps), true};

static const struct rn_field field[] = {
	[F_TIME] = KERNEL("time", INT, EPOCH, "when it happened"),
	[F_NODE] = NODE("node", STR, NONE, "name of the node",
			"one value a node: known without looking at the event"),
	[F_PROC] = TEXT("proc", COMM, "name of the process"),
	[F_THREAD] = TEXT("thread", COMM, "name of the thread"),
	[F_PID] = SHORT("pid", "process id"),
	[F_TID] = SHORT("tid", "thread id"),
	[F_PPID] = SHORT("ppid", "process id of the parent"),
	[F_UID] = SHORT("uid", "user id"),
	[F_USER] = {.name = "user",
		    .ty = {RN_T_STR, RN_U_NONE},
		    .where = RN_IN_NODE | RN_IN_KEY,
		    .doc = "name of the user",
		    .not_kernel = "names of users are in /etc/passwd",
		    .kind = RN_KIND_USER},
	[F_CGROUP] = KERNEL("cgroup", INT, NONE, "id of the control group"),
	[F_CONTAINER] = NODE("container", STR, NONE, "name of the container",
			     "names of containers are known to user space only"),
	[F_NAME] = TEXT("name", WORD, "name of the system call"),
	[F_FUNC] = {.name = "func",
		    .ty = {RN_T_STR, RN_U_NONE},
		    .where = RN_IN_NODE | RN_IN_KEY,
		    .doc = "name of the function",
		    .not_kernel = "the node knows the function's name",
		    .kind = RN_KIND_WORD},
	[F_FD] = {.name = "fd",
		  .ty = {RN_T_INT, RN_U_NONE},
		  .where = BOTH,
		  .doc = "file descriptor",
		  .bits = RN_BITS_SIGNED | 32,
		  .kind = RN_KIND_FD},
	[F_FILE] = TEXT("file", PATH, "file, socket or pipe as /proc/PID/fd shows it"),
	[F_DEV] = KERNEL("dev", INT, DEV, "device of the file"),
	[F_BYTES] = KERNEL("bytes", INT, BYTE, "bytes moved"),
	[F_RET] = OF_END("ret", INT, NONE, "what the call returned"),
	[F_ERROR] = KERNEL("error", INT, ERRNO, "why the call failed; 0: it did not"),
	[F_LATENCY] = OF_END("latency", INT, NS, "from entry to return"),
	[F_OFFSET] = KERNEL("offset", INT, BYTE, "position in the file"),
	[F_LOCAL] = KERNEL("local", IP, NONE, "own end of the socket"),
	[F_PEER] = KERNEL("peer", IP, NONE, "other end of the socket"),
	[F_TAGS] = KERNEL("tags", TAGS, NONE, "tags found in the data"),
	[F_DATA] = PAYLOAD("data", BYTES, NONE, "the payload",
			   "the payload is copied out and looked at in user space", CONTENT),
	[F_SKETCH] = PAYLOAD("sketch", SKETCH, NONE, "sketch of the payload",
			     "the payload is looked at in user space", LIKENESS),
	[F_HASH] = PAYLOAD("hash", INT, HEX, "hash of the payload",
			   "the payload is hashed in user space", EQUAL),
	[F_STACK] = KERNEL("stack", STACK, NONE, "stack in the kernel"),
	[F_USTACK] = KERNEL("ustack", STACK, NONE, "stack in the program"),
	[F_ARG0] = KERNEL("arg0", INT, NONE, "first argument"),
	[F_ARG1] = KERNEL("arg1", INT, NONE, "second argument"),
	[F_ARG2] = KERNEL("arg2", INT, NONE, "third argument"),
	[F_ARG3] = KERNEL("arg3", INT, NONE, "fourth argument"),
	[F_ARG4] = KERNEL("arg4", INT, NONE, "fifth argument"),
	[F_ARG5] = KERNEL("arg5", INT, NONE, "sixth argument"),
	[F_TEXT0] = KERNEL("text(arg0)", STR, NONE, "text at the first argument"),
	[F_TEXT1] = KERNEL("text(arg1)", STR, NONE, "text at the second argument"),
	[F_PREV_COMM] = KERNEL("prev_comm", STR, NONE, "thread that leaves the CPU"),
	[F_PREV_PID] = KERNEL("prev_pid", INT, NONE, "its id"),
	[F_PREV_STATE] = KERNEL("prev_state", INT, NONE, "its state"),
	[F_NEXT_COMM] = KERNEL("next_comm", STR, NONE, "thread that takes the CPU"),
	[F_NEXT_PID] = KERNEL("next_pid", INT, NONE, "its id"),
	[F_SECTOR] = KERNEL("sector", INT, NONE, "first sector"),
	[F_RSS] = NODE("rss", INT, BYTE, "resident memory", "read from /proc"),
	[F_VSIZE] = NODE("vsz", INT, BYTE, "size of the address space", "read from /proc"),
	[F_THREADS] = NODE("threads", INT, NONE, "number of threads", "read from /proc"),
	[F_STATE] = NODE("state", STR, NONE, "state of the process", "read from /proc"),
	[F_STARTED] = NODE("started", INT, EPOCH, "when it started", "read from /proc"),
	[F_CMDLINE] = NODE("cmdline", STR, NONE, "command line", "read from /proc"),
	[F_TEXT] = NODE("text", STR, NONE, "the line", "read from the file"),
	[F_REASON] = {.name = "reason",
		      .ty = {RN_T_STR, RN_U_NONE},
		      .where = BOTH,
		      .doc = "enum skb_drop_reason: NOT_SPECIFIED, NO_SOCKET, ...",
		      .kind = RN_KIND_WORD,
		      .numbering = &reason},
	[F_GFP] = {.name = "gfp_flags",
		   .ty = {RN_T_STR, RN_U_NONE},
		   .where = BOTH,
		   .doc = "unsigned long: GFP_NOIO, __GFP_IO, ...",
		   .kind = RN_KIND_WORD,
		   .numbering = &gfp},
};

/* The fields of each class, in the order of `describe`. */
#define F(n) &field[F_##n]
static const struct rn_field *const syscall_fields[] = {
	F(TIME), F(NODE),   F(PROC),      F(THREAD), F(PID),  F(TID),   F(PPID),    F(UID),
	F(USER), F(CGROUP), F(CONTAINER), F(NAME),   F(RET),  F(ERROR), F(LATENCY), F(FD),
	F(FILE), F(DEV),    F(BYTES),     F(LOCAL),  F(PEER), F(STACK), F(USTACK),  F(ARG0),
	F(ARG1), F(ARG2),   F(ARG3),      F(ARG4),   F(ARG5),
};
static const struct rn_field *const io_fields[] = {
	F(TIME),    F(NODE), F(PROC),   F(THREAD),    F(PID),   F(TID),    F(PPID),
	F(UID),     F(USER), F(CGROUP), F(CONTAINER), F(NAME),  F(RET),    F(ERROR),
	F(LATENCY), F(FD),   F(FILE),   F(DEV),       F(BYTES), F(OFFSET), F(LOCAL),
	F(PEER),    F(DATA), F(SKETCH), F(HASH),      F(STACK), F(USTACK), F(ARG0),
	F(ARG1),    F(ARG2), F(ARG3),   F(ARG4),      F(ARG5),
};
static const struct rn_field *const tag_fields[] = {
	F(TIME),    F(NODE), F(PROC),   F(THREAD),    F(PID),   F(TID),    F(PPID),
	F(UID),     F(USER), F(CGROUP), F(CONTAINER), F(NAME),  F(RET),    F(ERROR),
	F(LATENCY), F(FD),   F(FILE),   F(DEV),       F(BYTES), F(OFFSET), F(LOCAL),
	F(PEER),    F(TAGS), F(DATA),   F(SKETCH),    F(HASH),  F(STACK),  F(USTACK),
	F(ARG0),    F(ARG1), F(ARG2),   F(ARG3),      F(ARG4),  F(ARG5),
};
static const struct rn_field *const open_fields[] = {
	F(TIME),    F(NODE), F(PROC),   F(THREAD),    F(PID),   F(TID),    F(PPID),
	F(UID),     F(USER), F(CGROUP), F(CONTAINER), F(NAME),  F(RET),    F(ERROR),
	F(LATENCY), F(FD),   F(FILE),   F(DEV),       F(STACK), F(USTACK), F(ARG0),
	F(ARG1),    F(ARG2), F(ARG3),   F(ARG4),      F(ARG5),
};
static const struct rn_field *const sock_fields[] = {
	F(TIME),    F(NODE), F(PROC),   F(THREAD),    F(PID),   F(TID),  F(PPID),
	F(UID),     F(USER), F(CGROUP), F(CONTAINER), F(NAME),  F(RET),  F(ERROR),
	F(LATENCY), F(FD),   F(FILE),   F(DEV),       F(LOCAL), F(PEER), F(STACK),
	F(USTACK),  F(ARG0), F(ARG1),   F(ARG2),      F(ARG3),  F(ARG4), F(ARG5),
};
static const struct rn_field *const plain_fields[] = {
	F(TIME),   F(NODE),   F(PROC),      F(THREAD), F(PID),  F(TID),   F(PPID),    F(UID),
	F(USER),   F(CGROUP), F(CONTAINER), F(NAME),   F(RET),  F(ERROR), F(LATENCY), F(STACK),
	F(USTACK), F(ARG0),   F(ARG1),      F(ARG2),   F(ARG3), F(ARG4),  F(ARG5),
};
static const struct rn_field *const exec_fields[] = {
	F(TIME),  F(NODE),   F(PROC),      F(THREAD), F(PID),  F(TID),   F(PPID),    F(UID),
	F(USER),  F(CGROUP), F(CONTAINER), F(NAME),   F(RET),  F(ERROR), F(LATENCY), F(FILE),
	F(STACK), F(USTACK), F(ARG0),      F(ARG1),   F(ARG2), F(ARG3),  F(ARG4),    F(ARG5),
};
static const struct rn_field *const task_fields[] = {
	F(TIME), F(NODE), F(PROC),   F(THREAD),    F(PID),  F(TID), F(PPID),
	F(UID),  F(USER), F(CGROUP), F(CONTAINER), F(NAME), F(RET), F(LATENCY),
};
static const struct rn_field *const tp_fields[] = {
	F(TIME), F(NODE), F(PROC),   F(THREAD),    F(PID),  F(TID),   F(PPID),
	F(UID),  F(USER), F(CGROUP), F(CONTAINER), F(NAME), F(STACK), F(USTACK),
};
static const struct rn_field *const switch_fields[] = {
	F(TIME),      F(NODE),     F(PROC),      F(THREAD),   F(PID),
	F(TID),       F(PPID),     F(UID),       F(USER),     F(CGROUP),
	F(CONTAINER), F(NAME),     F(PREV_COMM), F(PREV_PID), F(PREV_STATE),
	F(NEXT_COMM), F(NEXT_PID), F(STACK),     F(USTACK),
};
static const struct rn_field *const user_fields[] = {
	F(TIME), F(NODE),   F(PROC),      F(THREAD), F(PID),   F(TID),    F(PPID), F(UID),
	F(USER), F(CGROUP), F(CONTAINER), F(FUNC),   F(STACK), F(USTACK), F(ARG0), F(ARG1),
	F(ARG2), F(ARG3),   F(ARG4),      F(ARG5),   F(TEXT0), F(TEXT1),  F(RET),  F(LATENCY),
};
static const struct rn_field *const block_fields[] = {
	F(TIME), F(NODE),   F(PROC),      F(THREAD), F(PID), F(TID),    F(PPID),  F(UID),
	F(USER), F(CGROUP), F(CONTAINER), F(NAME),   F(DEV), F(SECTOR), F(BYTES),
};
static const struct rn_field *const drop_fields[] = {
	F(TIME), F(NODE),   F(PROC),      F(THREAD), F(PID),   F(TID),    F(PPID),   F(UID),
	F(USER), F(CGROUP), F(CONTAINER), F(NAME),   F(STACK), F(USTACK), F(REASON), F(GFP),
};
static const struct rn_field *const proc_fields[] = {
	F(NODE),    F(PID),   F(PPID), F(PROC),  F(UID),     F(USER),    F(CGROUP),
	F(THREADS), F(STATE), F(RSS),  F(VSIZE), F(STARTED), F(CMDLINE),
};
static const struct rn_field *const fd_fields[] = {
	F(NODE), F(PID), F(PROC), F(FD), F(FILE), F(DEV),
};
static const struct rn_field *const socket_fields[] = {
	F(NODE), F(PID), F(PROC), F(FD), F(LOCAL), F(PEER), F(STATE),
};
static const struct rn_field *const line_fields[] = {
	F(NODE),
	F(FILE),
	F(TEXT),
};
static const struct rn_field *const sample_fields[] = {
	F(TIME), F(NODE), F(PROC),   F(THREAD),    F(PID),   F(TID),    F(PPID),
	F(UID),  F(USER), F(CGROUP), F(CONTAINER), F(STACK), F(USTACK),
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define CALLS_OF(n, set, d, given, ...) \
	{ \
		.name = n, .doc = d, .fields = set##_fields, .nfields = COUNT(set##_fields), \
		.path_as_given = given, .calls = (const char *const[]) \
		{ \
			__VA_ARGS__, NULL \
		} \
	}
#define CALLS(n, set, d, ...) CALLS_OF(n, set, d, false, __VA_ARGS__)
#define GIVEN(n, set, d, ...) CALLS_OF(n, set, d, true, __VA_ARGS__)
#define ONE(n, set) CALLS(n, set, "the system call", n)
#define EVENT(n, set, d) \
	{ \
		.name = n, .doc = d, .fields = set##_fields, .nfields = COUNT(set##_fields) \
	}
#define LATER(n, k, set, d, needs) \
	{ \
		.name = n, .kind = k, .doc = d, .fields = set##_fields, \
		.nfields = COUNT(set##_fields), .needs_arg = needs, \
		.later = "`" n "` is not executed by this version" \
	}

#define READ_CALLS "read", "pread64", "readv", "preadv", "preadv2"
#define WRITE_CALLS "write", "pwrite64", "writev", "pwritev", "pwritev2"
#define SEND_CALLS "sendto", "sendmsg", "sendmmsg"
#define RECV_CALLS "recvfrom", "recvmsg", "recvmmsg"
#define IO_CALLS \
	READ_CALLS, WRITE_CALLS, SEND_CALLS, RECV_CALLS, "sendfile", "splice", "tee", "vmsplice", \
		"copy_file_range", "process_vm_readv", "process_vm_writev"
#define SYS_CALLS \
	IO_CALLS, "accept", "accept4", "clone3", "close", "connect", "creat", "execve", \
		"execveat", "fsync", "getppid", "mmap", "open", "openat", "openat2"

/* Sorted by name. */
static const struct rn_class classes[] = {
	CALLS("accept", sock, "connections accepted", "accept", "accept4"),
	LATER("block", RN_CLASS_EVENT, block, "requests to disks", false),
	LATER("cgroups", RN_CLASS_TABLE, fd, "control groups", false),
	LATER("clocks", RN_CLASS_TABLE, fd, "clocks of the nodes", false),
	ONE("clone3", plain),
	CALLS("close", open, "descriptors closed", "close"),
	CALLS("connect", sock, "connections asked for", "connect"),
	GIVEN("exec", exec, "programs started", "execve", "execveat"),
	EVENT("exit", task, "processes that end"),
	LATER("files", RN_CLASS_TABLE, fd, "open descriptors", false),
	EVENT("fork", task, "processes made"),
	ONE("fsync", open),
	ONE("getppid", plain),
	CALLS("io", io, "every operation that carries data", IO_CALLS),
	{.name = "kernel",
	 .doc = "functions of the kernel",
	 .fields = user_fields,
	 .nfields = COUNT(user_fields),
	 .needs_arg = true},
	LATER("lines", RN_CLASS_TABLE, line, "lines of files", true),
	ONE("mmap", open),
	LATER("mounts", RN_CLASS_TABLE, fd, "mounts", false),
	LATER("net", RN_CLASS_EVENT, sock, "packets", false),
	LATER("nodes", RN_CLASS_TABLE, fd, "the nodes", false),
	GIVEN("open", open, "files opened", "open", "openat", "openat2", "creat"),
	ONE("openat", open),
	ONE("pread64", io),
	{.name = "processes",
	 .kind = RN_CLASS_TABLE,
	 .doc = "processes",
	 .fields = proc_fields,
	 .nfields = COUNT(proc_fields)},
	CALLS("read", io, "reads", READ_CALLS),
	CALLS("recv", io, "receives", RECV_CALLS),
	ONE("recvfrom", io),
	{.name = "sample",
	 .doc = "profile of the CPUs",
	 .fields = sample_fields,
	 .nfields = COUNT(sample_fields),
	 .needs_arg = true},
	LATER("sched", RN_CLASS_EVENT, switch, "the scheduler", false),
	CALLS("send", io, "sends", SEND_CALLS),
	ONE("sendto", io),
	LATER("sockets", RN_CLASS_TABLE, socket, "sockets", false),
	GIVEN("syscall", syscall, "all system calls", SYS_CALLS),
	{.name = "tag",
	 .calls = (const char *const[]){IO_CALLS, NULL},
	 .doc = "I/O whose data holds a tag",
	 .fields = tag_fields,
	 .nfields = COUNT(tag_fields),
	 .needs_arg = true},
	{.name = "tracepoint",
	 .doc = "kernel tracepoint by name",
	 .fields = tp_fields,
	 .nfields = COUNT(tp_fields),
	 .needs_arg = true},
	{.name = "usdt",
	 .doc = "static probes of programs",
	 .fields = user_fields,
	 .nfields = COUNT(user_fields),
	 .needs_arg = true},
	{.name = "user",
	 .doc = "functions of programs",
	 .fields = user_fields,
	 .nfields = COUNT(user_fields),
	 .needs_arg = true},
	CALLS("write", io, "writes", WRITE_CALLS),
	ONE("writev", io),
};
static const char *const class_names[] = {
	"accept",  "block",  "cgroups",    "clocks", "clone3",  "close",  "connect", "exec",
	"exit",    "files",  "fork",       "fsync",  "getppid", "io",     "kernel",  "lines",
	"mmap",    "mounts", "net",        "nodes",  "open",    "openat", "pread64", "processes",
	"read",    "recv",   "recvfrom",   "sample", "sched",   "send",   "sendto",  "sockets",
	"syscall", "tag",    "tracepoint", "usdt",   "user",    "write",  "writev",  NULL};

#define TRACEPOINT(n, set) \
	{ \
		.name = "tracepoint", .arg = n, .doc = "kernel tracepoint", \
		.fields = set##_fields, .nfields = COUNT(set##_fields) \
	}
#define SEVERAL(n, set, ...) \
	{ \
		.name = "tracepoint", .arg = n, .doc = "kernel tracepoints", \
		.fields = set##_fields, .nfields = COUNT(set##_fields), \
		.each = (const char *const[]) \
		{ \
			__VA_ARGS__, NULL \
		} \
	}
#define SCHED "sched:sched_process_exec", "sched:sched_switch", "sched:sched_wakeup"
static const struct rn_class tracepoints[] = {
	TRACEPOINT("block:block_rq_complete", block),
	TRACEPOINT("block:block_rq_issue", block),
	SEVERAL("block:block_rq_*", block, "block:block_rq_complete", "block:block_rq_issue"),
	SEVERAL("block:block_rq_issue, sched:sched_switch", tp, "block:block_rq_issue",
		"sched:sched_switch"),
	SEVERAL("sched:sched*", tp, SCHED),
	SEVERAL("sched:sched_*", tp, SCHED),
	TRACEPOINT("sched:sched_process_exec", tp),
	SEVERAL("sched:sched_process_exec, sched:sched_wakeup", tp, "sched:sched_process_exec",
		"sched:sched_wakeup"),
	TRACEPOINT("sched:sched_switch", switch),
	TRACEPOINT("sched:sched_wakeup", tp),
	TRACEPOINT("skb:kfree_skb", drop),
};
static const char *const tracepoint_names[] = {"block:block_rq_complete",
					       "block:block_rq_issue",
					       "sched:sched_process_exec",
					       "sched:sched_switch",
					       "sched:sched_wakeup",
					       "skb:kfree_skb",
					       NULL};

static const struct rn_class *find(void *self, const char *name, const char *arg, char *why,
				   size_t why_bytes)
{
	(void)self;
	if (arg && !strcmp(name, "tracepoint")) {
		for (size_t i = 0; i < COUNT(tracepoints); i++)
			if (!strcmp(tracepoints[i].arg, arg))
				return &tracepoints[i];
		if (why)
			snprintf(why, why_bytes, "this kernel has no tracepoint `%s`", arg);
		return NULL;
	}
	for (size_t i = 0; i < COUNT(classes); i++)
		if (!strcmp(classes[i].name, name))
			return &classes[i];
	return NULL;
}

static const char *const *names(void *self)
{
	(void)self;
	return class_names;
}

static const char *const *args(void *self, const char *name)
{
	(void)self;
	return strcmp(name, "tracepoint") ? NULL : tracepoint_names;
}

struct rn_catalog *rn_fake_catalog(void)
{
	static struct rn_catalog fake = {
		.find = find, .names = names, .args = args, .aggs = rn_agg_sigs};

	return &fake;
}
