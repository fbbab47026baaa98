/* catalog.h - inside probes/: what the catalogue's numbers mean, and what each system call does
 * with its arguments.
 *
 * The catalogue (catalog.c) hands out rn_class and rn_field with an `id`. This header says which id
 * is what, so that the generator, the provider and the snapshot tables switch over the same
 * numbers. The traits (syscalls.c) are the one place that knows where a system call keeps its
 * descriptor, its payload and its length.
 *
 * Fields and classes are rows of macros, X(...); each user defines X as it needs (an enum, a
 * table). Groups connect fields with classes: a field's row names one group, without its RN_G_; a
 * class's row is the set of RN_G_ bits that its events have. So COMMON of `pid` and RN_G_COMMON of
 * `fork` are the same bit, which makes `pid` a field of forks. A field that only one class has gets
 * a group and a bit of its own.
 *
 * A copy inside the kernel (sendfile, splice, tee, copy_file_range, FICLONE) is ONE event. Its
 * `file`, `fd`, `local` and `peer` are those of the destination, and `source` is the path of the
 * input. In other events `source` is empty. `bytes` counts once. */
#ifndef RN_PROBES_CATALOG_CATALOG_H
#define RN_PROBES_CATALOG_CATALOG_H
#include "lang/catalog/catalog.h"
#include "lang/catalog/direction.h"
#include "lang/base/err.h"
#include "probes/abi/abi.h"

/* ---- fields ---- */
#define RN_WHY_USER "the kernel knows numbers, names of users are looked up on the node"
#define RN_WHY_PAYLOAD "bytes of a payload are not compared in the kernel"
#define RN_WHY_CGROUP "the kernel knows the cgroup's number, its path is looked up on the node"
#define RN_WHY_HITS "places are put together as text on the node"
#define RN_WHY_FUNC "the kernel knows the function's number, its name is known to the node"
#define RN_DOC_TEXT(of) \
	"the text in memory to which " of " points, at most 123 bytes; null if it cannot be read"
#define RN_WHY_CMDLINE "the kernel only compares it with a glob"
/* Fields of events, in the order of `describe`: X(ID, name, type, unit, group, show, doc), loaded
 * by probes/gen/field_load.c; show: lang/values/show.h; N: not evaluated in the kernel, with the
 * reason. A class has the groups that its row names. `node` is the same for all events of a
 * provider: to the generator it is a constant string. The type also says how far numbers reach.
 * INT32 has 32 bits in the kernel, signed or not. MOVED is a size that one operation moves. INT may
 * be any number (arguments, results, offsets, inodes). */
#define RN_T_INT32 RN_T_INT
#define RN_T_MOVED RN_T_INT
#define RN_T_FD RN_T_INT
/* The type of a text says what it looks like: enum rn_field_kind. */
#define RN_T_PATH RN_T_STR
#define RN_T_COMM RN_T_STR
#define RN_T_USER RN_T_STR
#define RN_T_WORD RN_T_STR
#define RN_FIELDS(X, N) \
	X(TIME, "time", INT, EPOCH, COMMON, RN_SHOW_TIME, \
	  "when it happened; of a system call, when it returned") \
	X(NODE, "node", WORD, NONE, COMMON, RN_SHOW_NODE, "name of the machine") \
	X(PROC, "proc", COMM, NONE, COMMON, 0, \
	  "name of the process: of its thread group's leader, at most 15 bytes") \
	X(THREAD, "thread", COMM, NONE, COMMON, 100, "name of the thread, at most 15 bytes") \
	X(PID, "pid", INT32, NONE, COMMON, RN_SHOW_PID, "process id") \
	X(TID, "tid", INT32, NONE, COMMON, 110, "thread id") \
	X(PPID, "ppid", INT32, NONE, COMMON, 125, "process id of the parent") \
	X(UID, "uid", INT32, NONE, COMMON, 130, "user id") \
	X(GID, "gid", INT32, NONE, COMMON, 135, "group id") \
	N(USER, "user", USER, NONE, COMMON, 95, "name of the user; if it has none, its number", \
	  RN_WHY_USER) \
	N(CGROUP, "cgroup", WORD, NONE, COMMON, 145, "path of the control group", RN_WHY_CGROUP) \
	N(CONTAINER, "container", WORD, NONE, COMMON, 140, \
	  "short id or name of the container; empty outside of one", RN_WHY_CGROUP) \
	X(NETNS, "netns", INT32, NONE, COMMON, 155, "inode number of the network namespace") \
	X(CPU, "cpu", INT32, NONE, COMMON, 120, \
	  "number of the CPU; for a call, the one on which it returned") \
	X(NAME, "name", WORD, NONE, COMMON, 0, "name of the system call or tracepoint") \
	X(START, "start", INT, EPOCH, COMMON, RN_SHOW_START, "when the process began") \
	X(EXE, "exe", PATH, NONE, COMMON, 115, \
	  "path of the program that the process runs; empty for a thread of the kernel") \
	N(CMDLINE, "cmdline", STR, NONE, CMDLINE, 48, \
	  "command line, its arguments joined by spaces; of one longer than 256 bytes the first " \
	  "254 and `..`; " \
	  "empty if the program could not be started", \
	  RN_WHY_CMDLINE) \
	X(TAGS, "tags", TAGS, NONE, TAGS, 0, "tags that occur in the data") \
	N(HITS, "hits", STR, NONE, TAGS, 0, \
	  "each tag with the position of its first place in the data, TAG@POSITION; negative if " \
	  "it began in an " \
	  "earlier call; of the first 16 tags found", \
	  RN_WHY_HITS) \
	N(AROUND, "around", STR, NONE, TAGS, RN_SHOW_LINKS, \
	  "each tag with fingerprints of up to 64 bytes before it and behind it, " \
	  "TAG@BEFORE-BEHIND; of the " \
	  "first 4 tags found. A flow is linked by it; `events of` does not show it", \
	  RN_WHY_HITS) \
	X(FD, "fd", FD, NONE, FD, 55, \
	  "file descriptor; of a copy, the destination's; -1 if there is none") \
	X(FILE, "file", PATH, NONE, FILE, RN_SHOW_FILE, \
	  "what the descriptor is open on, as in /proc/PID/fd; without a descriptor, the path as " \
	  "given") \
	X(DEV, "dev", INT32, DEV, FILE, 170, "device of the file system that holds the file") \
	X(INO, "ino", INT, NONE, FILE, 175, "inode number of the file") \
	X(HASH, "hash", INT, HEX, PAYLOAD, 0, \
	  "XXH64 (seed 0) of the whole payload, keyed if the policy denies payload; 0 if there " \
	  "is none, or it is beyond 64 MiB or not all in memory") \
	N(SKETCH, "sketch", SKETCH, NONE, PAYLOAD, 0, \
	  "MinHash of the payload's 8-byte sequences, for similar()", RN_WHY_PAYLOAD) \
	N(DATA, "data", BYTES, NONE, PAYLOAD, 0, \
	  "first 256 bytes of the payload, if the node's policy allows it", RN_WHY_PAYLOAD) \
	X(DIR, "dir", WORD, NONE, BYTES, 207, \
	  "which way the call moves data: in, to the process; out, of it; a copy in the kernel " \
	  "is out; empty if it moves none") \
	X(BYTES, "bytes", MOVED, BYTE, BYTES, RN_SHOW_BYTES, "bytes moved; 0 on failure") \
	X(OFFSET, "offset", INT, BYTE, BYTES, RN_SHOW_OFFSET, \
	  "position where the data begins, in the file or in the stream of a TCP connection; -1 " \
	  "if it has none") \
	X(SEQ, "seq", INT32, NONE, BYTES, 205, \
	  "TCP sequence number of the first byte, which both ends count alike; 0 if it has none") \
	X(FUSE_DEV, "fuse_dev", INT, DEV, BYTES, 185, \
	  "of /dev/fuse, device of the file system that is served there; else 0") \
	X(FUSE_NODE, "fuse_node", INT, NONE, BYTES, 195 | RN_SHOW_LINKS, \
	  "of a file of FUSE, and of a message of /dev/fuse that has data of one: the server's " \
	  "number of " \
	  "the file; else 0") \
	X(FUSE_TID, "fuse_tid", INT32, NONE, BYTES, 190 | RN_SHOW_LINKS, \
	  "of a message of /dev/fuse that has data of a file: the thread whose call it belongs " \
	  "to; " \
	  "0 if it is not known") \
	X(LOCAL, "local", IP, NONE, SOCKET, 45, "own end of the socket") \
	X(PEER, "peer", IP, NONE, SOCKET, 40, "other end of the socket") \
	X(PROTO, "proto", WORD, NONE, SOCKET, 160, \
	  "protocol of the socket: tcp, udp, unix, other; empty if it is none") \
	X(PEER_INO, "peer_ino", INT, NONE, BYTES, 200, \
	  "inode of the socket at the other end of a Unix socket; 0 if it is not accepted yet, " \
	  "or closed") \
	X(SOURCE, "source", PATH, NONE, SOURCE, 215, \
	  "of a copy in the kernel (sendfile, splice, tee, copy_file_range, FICLONE), the file " \
	  "read from") \
	X(SOURCE_DEV, "source_dev", INT32, DEV, SOURCE, RN_SHOW_LINKS, \
	  "device of the file system that holds `source`; 0 if there is none") \
	X(SOURCE_INO, "source_ino", INT, NONE, SOURCE, RN_SHOW_LINKS, \
	  "inode number of `source`; 0 if there is none") \
	X(PEER_PID, "peer_pid", INT, NONE, SOURCE, 210, \
	  "process whose memory process_vm_readv and process_vm_writev copy; else 0") \
	X(FLAGS, "flags", INT, NONE, FLAGS, 220, "flags argument of open, send, recv, splice") \
	X(CHILD, "child", INT32, NONE, CHILD, 0, "process id of the new process") \
	X(RET, "ret", INT, NONE, RET, 50, \
	  "return value as it is; fork: the child's pid; exit: the exit code") \
	X(ERROR, "error", INT32, ERRNO, ERROR, 0, "error, 0 on success") \
	X(SIGNAL, "signal", INT32, SIGNAL, SIGNAL, 0, \
	  "signal that ended the process; 0 if it left by itself") \
	X(LATENCY, "latency", INT, NS, LATENCY, RN_SHOW_LATENCY, \
	  "from entry to return; of an exit, the life of the process") \
	X(BEGIN, "begin", INT, EPOCH, LATENCY, RN_SHOW_BEGIN, "when it began: time less latency") \
	X(ARG0, "arg0", INT, NONE, ARGS, 225, "first argument") \
	X(ARG1, "arg1", INT, NONE, ARGS, 230, "second argument") \
	X(ARG2, "arg2", INT, NONE, ARGS, 235, "third argument") \
	X(ARG3, "arg3", INT, NONE, ARGS, 240, "fourth argument") \
	X(ARG4, "arg4", INT, NONE, ARGS, 245, "fifth argument") \
	X(ARG5, "arg5", INT, NONE, ARGS, 247, "sixth argument") \
	X(ARG6, "arg6", INT, NONE, MORE_ARGS, 248, "seventh argument") \
	X(ARG7, "arg7", INT, NONE, MORE_ARGS, 249, "eighth argument") \
	X(ARG8, "arg8", INT, NONE, MORE_ARGS, 250, "ninth argument") \
	X(ARG9, "arg9", INT, NONE, MORE_ARGS, 251, "tenth argument") \
	X(ARG10, "arg10", INT, NONE, MORE_ARGS, 252, "eleventh argument") \
	X(ARG11, "arg11", INT, NONE, MORE_ARGS, 253, "twelfth argument") \
	X(TEXT0, "text(arg0)", STR, NONE, TEXTS, 0, RN_DOC_TEXT("arg0")) \
	X(TEXT1, "text(arg1)", STR, NONE, TEXTS, 0, RN_DOC_TEXT("arg1")) \
	X(TEXT2, "text(arg2)", STR, NONE, TEXTS, 0, RN_DOC_TEXT("arg2")) \
	X(TEXT3, "text(arg3)", STR, NONE, TEXTS, 0, RN_DOC_TEXT("arg3")) \
	X(TEXT4, "text(arg4)", STR, NONE, TEXTS, 0, RN_DOC_TEXT("arg4")) \
	X(TEXT5, "text(arg5)", STR, NONE, TEXTS, 0, RN_DOC_TEXT("arg5")) \
	X(TEXT6, "text(arg6)", STR, NONE, MORE_ARGS, 0, RN_DOC_TEXT("arg6")) \
	X(TEXT7, "text(arg7)", STR, NONE, MORE_ARGS, 0, RN_DOC_TEXT("arg7")) \
	X(TEXT8, "text(arg8)", STR, NONE, MORE_ARGS, 0, RN_DOC_TEXT("arg8")) \
	X(TEXT9, "text(arg9)", STR, NONE, MORE_ARGS, 0, RN_DOC_TEXT("arg9")) \
	X(TEXT10, "text(arg10)", STR, NONE, MORE_ARGS, 0, RN_DOC_TEXT("arg10")) \
	X(TEXT11, "text(arg11)", STR, NONE, MORE_ARGS, 0, RN_DOC_TEXT("arg11")) \
	X(TEXT_RET, "text(ret)", STR, NONE, TEXT_RET, 0, RN_DOC_TEXT("ret")) \
	N(FUNC, "func", WORD, NONE, FUNC, 15, \
	  "name of the function, as its author wrote it: of C++ and Rust, demangled", RN_WHY_FUNC) \
	N(MODULE, "module", WORD, NONE, FUNC, 168, "path of the file that has the function", \
	  RN_WHY_FUNC) \
	X(MODE, "mode", WORD, NONE, MODE, 0, "what the CPU was at: program, or kernel") \
	X(STACK, "stack", STACK, NONE, STACK, 0, \
	  "functions of the kernel that led here, root first, joined by \";\"") \
	X(USTACK, "ustack", STACK, NONE, STACK, 0, \
	  "functions of the program that led here, root first, joined by \";\"")
enum { /* enum rn_show of each: RN_SHOW_OF_PID, ... */
#define X(id, name, type, unit, group, show, ...) RN_SHOW_OF_##id = (show),
       RN_FIELDS(X, X)
#undef X
};
/* Fields of the table processes: X of those that events have as well, which are shown
 * alike, OWN of the others. */
#define RN_PROC_FIELDS(X, OWN) \
	X(TIME, "time", INT, EPOCH, RN_SHOW_OF_TIME, "when the snapshot was taken") \
	X(NODE, "node", WORD, NONE, RN_SHOW_OF_NODE, "name of the machine") \
	X(PID, "pid", INT, NONE, RN_SHOW_OF_PID, "process id") \
	X(PPID, "ppid", INT, NONE, RN_SHOW_OF_PPID, "process id of the parent") \
	X(PROC, "proc", COMM, NONE, RN_SHOW_OF_PROC, "name of the process, at most 15 bytes") \
	X(UID, "uid", INT, NONE, RN_SHOW_OF_UID, "user id") \
	X(GID, "gid", INT, NONE, RN_SHOW_OF_GID, "group id") \
	X(USER, "user", USER, NONE, RN_SHOW_OF_USER, \
	  "name of the user; if it has none, its number") \
	OWN(STATE, "state", WORD, NONE, 0, \
	    "R running, S sleeping, D waiting for a disk, T stopped, Z ended and not collected, " \
	    "I idle") \
	OWN(THREADS, "threads", INT, NONE, 60, "number of threads") \
	OWN(NICE, "nice", INT, NONE, 85, "nice value, -20 to 19") \
	OWN(RSS, "rss", INT, BYTE, 0, "resident memory") \
	OWN(VSZ, "vsz", INT, BYTE, 75, "virtual memory") \
	OWN(UTIME, "utime", INT, NS, 65, "CPU time in user mode") \
	OWN(STIME, "stime", INT, NS, 70, "CPU time in the kernel") \
	X(START, "start", INT, EPOCH, RN_SHOW_OF_START, "when the process began") \
	X(EXE, "exe", PATH, NONE, RN_SHOW_OF_EXE, \
	  "path of the executable; empty for a kernel thread") \
	X(CMDLINE, "cmdline", STR, NONE, RN_SHOW_OF_CMDLINE, \
	  "command line, its arguments joined by spaces") \
	OWN(CWD, "cwd", PATH, NONE, 90, "current directory") \
	X(CGROUP, "cgroup", WORD, NONE, RN_SHOW_OF_CGROUP, "path of the control group") \
	X(CONTAINER, "container", WORD, NONE, RN_SHOW_OF_CONTAINER, \
	  "short id or name of the container; empty outside of one") \
	X(NETNS, "netns", INT, NONE, RN_SHOW_OF_NETNS, "inode number of the network namespace")
/* Columns of the table clocks: X(name, type, unit, show, doc). */
#define RN_CLOCK_FIELDS(X) \
	X("time", INT, EPOCH, RN_SHOW_TIME, "when the snapshot was taken") \
	X("node", STR, NONE, RN_SHOW_NODE, "name of the node, as the hosts file has it") \
	X("offset", INT, NS, 0, "how far its clock is ahead of the coordinator's") \
	X("rate", FLOAT, NONE, 0, "how much faster it runs, in millionths") \
	X("bound", INT, NS, 0, \
	  "no aligned time of the node is wrong by more; -1: nothing is known") \
	X("trips", INT, NONE, 0, "round trips that were taken into account") \
	X("messages", INT, NONE, 0, \
	  "messages of flows that the node sent or received and that were matched") \
	X("violations", INT, NONE, 0, \
	  "of these, received before they were sent, whatever its clock is assumed to be")

enum rn_field_id {
	RN_F_NONE,
#define X(id, ...) RN_F_##id,
#define SHARED(id, ...)
	RN_FIELDS(X, X) RN_PROC_FIELDS(SHARED, X)
#undef SHARED
#undef X
		RN_F_MEMBER = 0xff, /* members.h */
	RN_F_TP = 0x100,            /* RN_F_TP + i: field i of a tracepoint, rn_tp.field[i] */
};
enum { /* groups of fields: a set */
       RN_G_COMMON = 1,
       RN_G_TAGS = 2,
       RN_G_FD = 4,
       RN_G_FILE = 8,
       RN_G_BYTES = 16,
       RN_G_SOCKET = 32,
       RN_G_SOURCE = 64,
       RN_G_FLAGS = 128,
       RN_G_CHILD = 256,
       RN_G_RET = 512,
       RN_G_ERROR = 1024,
       RN_G_SIGNAL = 2048,
       RN_G_LATENCY = 4096,
       RN_G_ARGS = 8192,
       RN_G_STACK = 16384,
       RN_G_PAYLOAD = 32768,
       RN_G_MODE = 65536,
       RN_G_CMDLINE = 131072,
       RN_G_FUNC = 262144,
       RN_G_TEXTS = 524288,
       RN_G_TEXT_RET = 1048576,
       RN_G_MORE_ARGS = 2097152,
       /* of every system call */
       RN_G_CALL = RN_G_COMMON | RN_G_RET | RN_G_ERROR | RN_G_LATENCY | RN_G_STACK,
       RN_G_DATA = RN_G_FD | RN_G_FILE | RN_G_BYTES | RN_G_SOCKET | RN_G_FLAGS | RN_G_ARGS,
       RN_G_ANY_CALL = RN_G_CALL | RN_G_DATA | RN_G_SOURCE,
};

/* ---- classes ---- */
/* Classes of events: X(ID, name, fields, needs an argument, doc). probes/gen/hooks.c makes the
 * events. */
#define RN_CLASSES(X) \
	X(FORK, "fork", RN_G_COMMON | RN_G_CHILD | RN_G_RET | RN_G_STACK, false, \
	  "a process made another one") \
	X(EXIT, "exit", RN_G_COMMON | RN_G_RET | RN_G_SIGNAL | RN_G_LATENCY | RN_G_STACK, false, \
	  "a process ended") \
	X(TRACEPOINT, "tracepoint", RN_G_COMMON | RN_G_STACK, true, \
	  "a tracepoint of the kernel, with its own fields: tracepoint \"sched:sched_switch\"; " \
	  "or several: tracepoint \"sched:*\"") \
	X(SAMPLE, "sample", RN_G_COMMON | RN_G_MODE | RN_G_STACK, true, \
	  "a profile: what each CPU is at, so often a second: sample 99hz") \
	X(USER, "user", \
	  RN_G_COMMON | RN_G_FUNC | RN_G_ARGS | RN_G_TEXTS | RN_G_RET | RN_G_TEXT_RET | \
		  RN_G_LATENCY | RN_G_STACK, \
	  true, \
	  "functions of programs and libraries: user \"libc:malloc\", " \
	  "user \"/usr/sbin/nginx:ngx_http_*\"") \
	X(USDT, "usdt", \
	  RN_G_COMMON | RN_G_FUNC | RN_G_ARGS | RN_G_MORE_ARGS | RN_G_TEXTS | RN_G_STACK, true, \
	  "static probes that authors left in their programs: " \
	  "usdt \"/usr/lib/postgresql/15/bin/postgres:postgresql:query__start\"") \
	X(KERNEL, "kernel", \
	  RN_G_COMMON | RN_G_FUNC | RN_G_ARGS | RN_G_TEXTS | RN_G_RET | RN_G_TEXT_RET | \
		  RN_G_LATENCY | RN_G_STACK, \
	  true, "functions of the kernel: kernel \"vfs_*\"")
/* Families of system calls: X(ID, name, fields besides RN_G_CALL, doc): the calls whose trait
 * (syscalls.c) has RN_FAM_ID. */
#define RN_FAMILIES(X) \
	X(READ, "read", RN_G_DATA | RN_G_PAYLOAD, "read, pread64, readv, preadv, preadv2") \
	X(WRITE, "write", RN_G_DATA | RN_G_PAYLOAD, "write, pwrite64, writev, pwritev, pwritev2") \
	X(SEND, "send", RN_G_DATA | RN_G_PAYLOAD, "sendto, sendmsg, sendmmsg") \
	X(RECV, "recv", RN_G_DATA | RN_G_PAYLOAD, "recvfrom, recvmsg, recvmmsg") \
	X(OPEN, "open", RN_G_FD | RN_G_FILE | RN_G_FLAGS | RN_G_ARGS, \
	  "open, openat, openat2, creat") \
	X(CLOSE, "close", RN_G_FD | RN_G_FILE | RN_G_ARGS, \
	  "close; file is what the descriptor was") \
	X(EXEC, "exec", RN_G_FILE | RN_G_CMDLINE, "execve, execveat; file is the new program") \
	X(CONNECT, "connect", RN_G_FD | RN_G_FILE | RN_G_SOCKET | RN_G_ARGS, "connect") \
	X(ACCEPT, "accept", RN_G_FD | RN_G_FILE | RN_G_SOCKET | RN_G_ARGS, \
	  "accept, accept4; fd and file are the new connection's")

/* Is it arg0, ...? Is it the text at one of them, or at the result? */
#define rn_is_arg(id) ((id) >= RN_F_ARG0 && (id) <= RN_F_ARG11)
#define rn_is_text(id) ((id) >= RN_F_TEXT0 && (id) <= RN_F_TEXT_RET)
enum { RN_ARGS_MAX = RN_F_ARG11 - RN_F_ARG0 + 1, RN_TEXTS_MAX = RN_F_TEXT_RET - RN_F_TEXT0 + 1 };

/* rn_class.id. RN_CLS_NR + n is the class of system call number n alone (fsync, ...). */
enum rn_class_id {
	RN_CLS_NONE,
	RN_CLS_SYSCALL, /* every system call */
	RN_CLS_IO,      /* the calls of RN_FAM_IO */
	RN_CLS_TAG,     /* the same events; needs the fragment's tags */
#define X(id, ...) RN_CLS_##id,
	RN_FAMILIES(X) RN_CLASSES(X)
#undef X
		RN_CLS_TLS, /* plaintext of a TLS library */
	RN_CLS_PROC,        /* snapshot table */
	RN_CLS_CLOCK,       /* the coordinator's own */
	RN_CLS_LATER,       /* has a `later` text */
	RN_CLS_NR = 0x1000,
};
enum { /* families: a set */
#define X(id, ...) RN_FAM_##id = 1 << (RN_CLS_##id - RN_CLS_TAG),
       RN_FAMILIES(X)
#undef X
	       RN_FAM_XFER =
		       1, /* data between two descriptors or two processes; no class of its own */
       RN_FAM_ASYNC = 1 << 20,  /* io_uring, aio: in io and tag */
       RN_FAM_MAPPED = 1 << 21, /* pages of mapped files, and of TCP connections: in tag */
       RN_FAM_TLS = 1 << 22,    /* plaintext of a TLS library: in tag and tls */
       /* bytes: rn_sys_ret_is_bytes */
       RN_FAM_IO = RN_FAM_READ | RN_FAM_WRITE | RN_FAM_SEND | RN_FAM_RECV | RN_FAM_XFER,
       RN_FAM_IO_OPS = RN_FAM_ASYNC | RN_FAM_XFER, /* the part of io that is no calls */
       RN_FAM_PAYLOAD = RN_FAM_IO | RN_FAM_ASYNC | RN_FAM_MAPPED | RN_FAM_TLS,
};

/* ---- system calls ---- */
/* how buf_arg and len_arg describe the data; same numbers as RN_SCAN_BUF ... of probes/abi/abi.h */
enum rn_payload {
	RN_PAY_NONE,
	RN_PAY_BUF,     /* buf: address; bounded by ret */
	RN_PAY_IOVEC,   /* buf: struct iovec[len]; bounded by ret */
	RN_PAY_MSGHDR,  /* buf: struct msghdr *; bounded by ret */
	RN_PAY_MMSGHDR, /* buf: struct mmsghdr[ret], each bounded by its msg_len */
	/* the data behind src_arg, else the data now behind fd_arg: probes/bpf/pages.bpf.h */
	RN_PAY_PAGES,
	RN_PAY_PIPE,   /* the first bytes of the pipe behind src_arg; they stay in it */
	RN_PAY_MAPPED, /* the part of file fd_arg in memory, from off_arg on; bounded by ret */
	/* getsockopt(TCP_ZEROCOPY_RECEIVE): its value tells; ret is 0 */
	RN_PAY_ZEROCOPY = 11,
	RN_PAY_AIO_SUBMIT = 12, /* buf: struct iocb *[len]; the data that they write */
	RN_PAY_AIO_EVENTS,  /* buf: struct io_event[ret]; data that their operations have read */
	RN_PAY_BY_ARG = 15, /* argument 5 names one of these; for operations that are not calls */
};
enum rn_addr_kind { RN_ADDR_NONE, RN_ADDR_SOCKADDR, RN_ADDR_MSGHDR };

/* RN_ARG_RET: the descriptor is the return value; AIO: that of the first operation that moved
 * data */
enum { RN_ARG_NO = -1, RN_ARG_RET = 6, RN_ARG_AIO };
struct rn_sys_trait {
	uint32_t families; /* RN_FAM_... */
	uint8_t payload;   /* enum rn_payload */
	uint8_t dir;       /* enum rn_dir */
	/* argument 0..5: the descriptor for `fd` and `file`; RN_ARG_RET; RN_ARG_NO */
	int8_t fd_arg;
	/* descriptor of the input of an XFER, for `source` and PAGES; else RN_ARG_NO */
	int8_t src_arg;
	/* pointer to the input's offset (loff_t *, may be NULL: f_pos); else RN_ARG_NO */
	int8_t srcpos_arg;
	int8_t buf_arg, len_arg;
	/* user string with the name of a file: `file` if there is no descriptor (yet); RN_ARG_NO */
	int8_t path_arg;
	int8_t flags_arg;  /* open flags, send/recv flags; for field `flags`; RN_ARG_NO */
	int8_t off_arg;    /* explicit file offset (pread64, ...); RN_ARG_NO: f_pos - ret */
	int8_t addr_arg;   /* peer's address in user memory; RN_ARG_NO */
	uint8_t addr_kind; /* enum rn_addr_kind */
	bool known;        /* has an entry in the table */
	uint8_t path;      /* enum rn_path; 0: by the kind of the file */
	bool peer;         /* the first argument is the id of the process whose memory is meant */
	/* copies: 1 + argument that points to the output's offset (as srcpos_arg); 0: there is
	 * none */
	uint8_t topos;
	/* the argument before path_arg is a directory's descriptor; an empty path means the file
	 * that this is open on */
	bool at;
};
/* Protocols of sockets, the values of `proto` in the kernel. */
enum rn_proto {
	RN_PROTO_NONE,
	RN_PROTO_OTHER,
	RN_PROTO_TCP,
	RN_PROTO_UDP,
	RN_PROTO_UNIX,
	RN_PROTO_COUNT
};
/* Ways of data, the values of `dir` in the kernel. */
enum rn_data_dir { RN_DATA_NONE, RN_DATA_IN, RN_DATA_OUT, RN_DATA_COUNT };
/* The words of a field that is a number in the kernel: the text of number i; NULL: it has none, or
 * there are no more. Not for fields with names of the kernel's own (rn_field.numbering). */
const char *rn_field_word(const struct rn_class *cls, const struct rn_field *field, unsigned i);

/* ---- syscalls.c ---- */

/* Never NULL: a call outside the table has only RN_ARG_NO. */
const struct rn_sys_trait *rn_sys_trait(unsigned nr);
/* Does a call that moves data return the bytes moved, as max(ret, 0)? False if ret counts
 * operations or messages. Also false for recvfrom and recvmsg with MSG_TRUNC: ret is then the
 * length of a datagram that may be longer than its buffers. */
bool rn_sys_ret_is_bytes(const struct rn_sys_trait *trait);
const char *rn_sys_name(unsigned nr); /* NULL: no such number */
int rn_sys_nr(const char *name);      /* -1: no such name */
/* Does class cls (of this catalogue, or any rn_class with its id) cover system call nr? False for
 * non-syscall classes. */
bool rn_class_covers(const struct rn_class *cls, unsigned nr);
/* The call with the tracepoints syscalls:sys_enter_NAME and sys_exit_NAME; -1: not known. */
int rn_sys_nr_of_tracepoint(const char *name);
/* SYSCALL, families, TAG, RN_CLS_NR + n, lists of these */
bool rn_class_is_syscall(const struct rn_class *cls);

/* ---- profiles ---- */
enum { RN_SAMPLE_HZ_MAX = 10000 };
/* the values of `mode` in the kernel */
enum rn_mode { RN_MODE_PROGRAM, RN_MODE_KERNEL, RN_MODE_COUNT };

/* ---- catalog.c ---- */

unsigned rn_sample_hz(const char *arg); /* of "99hz"; 0: no rate, or out of range */

/* ---- tracepoints ---- */
enum {
	RN_TP_MATCH_MAX = 512, /* without those of single system calls */
	/* number of a name in the kernel: its index in match; or this + number of the call; its
	 * return RN_SYS_FIRST_FREE more */
	RN_TP_BY_NR = 1 << 16,
};
enum rn_tp_kind {
	RN_TP_INT,
	RN_TP_CHARS /* char x[size] */,
	RN_TP_LOC /* __data_loc char[]: u32 offset | length << 16 */,
	RN_TP_RELLOC /* __rel_loc: offset from the end of the u32 */
};
struct rn_tp_field {
	struct rn_field field;
	/* in the record that a BPF_PROG_TYPE_TRACEPOINT program gets as its context */
	uint16_t offset, size;
	uint8_t kind; /* enum rn_tp_kind */
	bool is_signed;
};
struct rn_tp_match {
	const char *name; /* "sched:sched_switch" */
	int id, nr; /* the call of syscalls:sys_enter_..., sys_exit_...; -1: none, or not known */
	/* its own fields, each at its own place of its record; NULL: they are not known */
	const struct rn_tp *tp;
};
/* The numbers of an enumeration of the kernel ("hrtimer_mode"), in its order; in the arena. NULL:
 * not known. */
typedef const struct rn_numbering *rn_enumeration(struct rn_arena *arena, const char *name);
struct rn_tp {
	struct rn_class cls;
	const char *sys, *name;
	rn_enumeration *enumeration; /* of the kernel that has it; NULL: unknown */
	int id;                      /* for perf_event_open */
	/* a glob: the tracepoints that it matches, sorted; its own fields are those that all of
	 * them have, and lie at no place. 0: no glob */
	const struct rn_tp_match *match;
	unsigned nmatch;
	/* a glob: entries, returns of each system call: 1 + index in match; 0: not matched. NULL:
	 * no call is matched */
	uint16_t (*by_nr)[RN_SYS_FIRST_FREE];
	struct rn_tp_field *field;
	unsigned nfields;
	/* a TCP socket, for `local` and `peer`: offsets of saddr_v6, daddr_v6 (IPv4 mapped), and of
	 * ports in host order */
	struct rn_tp_ends {
		bool known;
		uint16_t local, peer, sport, dport;
	} ends;
};
const struct rn_tp *rn_class_tp(
	const struct rn_class *tracepoint); /* NULL unless RN_CLS_TRACEPOINT */

/* ---- tracepoint_fields.c ---- */

/* NULL: it has none of this name */
struct rn_tp_field *rn_tp_own_field(const struct rn_tp *tp, const char *name);
/* Gives a glob the own fields that all of its tracepoints have alike: field, nfields and
 * ends.known. */
void rn_tp_share_fields(struct rn_arena *arena, struct rn_tp *glob);
#endif
