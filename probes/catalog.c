/* catalog.c - the catalogue of the running kernel: built-in classes, every system call by name, and tracepoints on demand.
 *
 * Built-in classes and fields are tables; classes of single calls and of tracepoints are made when first asked for and kept. The
 * tracing filesystem is opened at the first question about a tracepoint, so that everything else works without rights. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "probes/catalog.h"
#include "lang/parse.h"
#include "probes/probes.h"
#include "probes/tracefs.h"

#define K (RN_IN_KERNEL | RN_IN_NODE)
#define BY_NAME_USER "the kernel knows numbers, names of users are looked up on the node"
#define BY_NAME_CGROUP "the kernel knows the cgroup's number, its path is looked up on the node"
#define TABLE "read from /proc"

static const struct rn_field fields[] = {
#define F(id, name, type, unit, doc) {name, {RN_T_##type, RN_U_##unit}, K, RN_F_##id, doc, NULL}
#define FN(id, name, type, unit, doc, why) {name, {RN_T_##type, RN_U_##unit}, RN_IN_NODE, RN_F_##id, doc, why}
	F(TIME, "time", INT, EPOCH, "when it happened; of a system call, when it returned"),
	F(NODE, "node", STR, NONE, "name of the machine"),
	F(PROC, "proc", STR, NONE, "name of the process: of its thread group's leader, at most 15 bytes"),
	F(THREAD, "thread", STR, NONE, "name of the thread, at most 15 bytes"),
	F(PID, "pid", INT, NONE, "process id"),
	F(TID, "tid", INT, NONE, "thread id"),
	F(PPID, "ppid", INT, NONE, "process id of the parent"),
	F(UID, "uid", INT, NONE, "user id"),
	F(GID, "gid", INT, NONE, "group id"),
	FN(USER, "user", STR, NONE, "name of the user; the number where it has none", BY_NAME_USER),
	FN(CGROUP, "cgroup", STR, NONE, "path of the control group", BY_NAME_CGROUP),
	FN(CONTAINER, "container", STR, NONE, "short id or name of the container; empty outside of one", BY_NAME_CGROUP),
	F(NETNS, "netns", INT, NONE, "inode number of the network namespace"),
	F(NAME, "name", STR, NONE, "name of the system call or tracepoint"),
	F(FD, "fd", INT, NONE, "file descriptor; of a copy, the destination's; -1 if there is none"),
	F(FILE, "file", STR, NONE, "what the descriptor is open on, as in /proc/PID/fd; the path as given where there is no descriptor"),
	F(DEV, "dev", INT, DEV, "device of the file system that holds the file"),
	F(INO, "ino", INT, NONE, "inode number of the file"),
	F(BYTES, "bytes", INT, BYTE, "bytes moved; 0 on failure"),
	F(RET, "ret", INT, NONE, "return value as it is; fork: the child's pid; exit: the exit code"),
	F(ERROR, "error", INT, ERRNO, "error, 0 on success"),
	F(LATENCY, "latency", INT, NS, "from entry to return; of an exit, the life of the process"),
	F(OFFSET, "offset", INT, BYTE, "position in the file where the data begins; 0 if it has none"),
	F(LOCAL, "local", IP, NONE, "own end of the socket"),
	F(PEER, "peer", IP, NONE, "other end of the socket"),
	F(SOURCE, "source", STR, NONE, "of a copy in the kernel (sendfile, splice, tee, copy_file_range), the file read from"),
	F(TAGS, "tags", TAGS, NONE, "tags that occur in the data"),
	F(FLAGS, "flags", INT, NONE, "flags argument of open, send, recv, splice"),
	F(ARG0, "arg0", INT, NONE, "first argument"),
	F(ARG1, "arg1", INT, NONE, "second argument"),
	F(ARG2, "arg2", INT, NONE, "third argument"),
	F(ARG3, "arg3", INT, NONE, "fourth argument"),
	F(ARG4, "arg4", INT, NONE, "fifth argument"),
	F(ARG5, "arg5", INT, NONE, "sixth argument"),
	F(CHILD, "child", INT, NONE, "process id of the new process"),
	F(SIGNAL, "signal", INT, NONE, "signal that ended the process; 0 if it left by itself"),
	F(STACK, "stack", STACK, NONE, "functions of the kernel that led here, root first, joined by \";\""),
	F(USTACK, "ustack", STACK, NONE, "functions of the program that led here, root first, joined by \";\""),
#undef F
};
/* Rows of tables are made on the node: nothing about them is evaluated in the kernel. */
static const struct rn_field table_fields[] = {
#define F(id, name, type, unit, doc) FN(id, name, type, unit, doc, TABLE)
	F(TIME, "time", INT, EPOCH, "when the snapshot was taken"),
	F(NODE, "node", STR, NONE, "name of the machine"),
	F(PID, "pid", INT, NONE, "process id"),
	F(PPID, "ppid", INT, NONE, "process id of the parent"),
	F(PROC, "proc", STR, NONE, "name of the process, at most 15 bytes"),
	F(UID, "uid", INT, NONE, "user id"),
	F(GID, "gid", INT, NONE, "group id"),
	F(USER, "user", STR, NONE, "name of the user; the number where it has none"),
	F(STATE, "state", STR, NONE, "R running, S sleeping, D waiting for a disk, T stopped, Z ended and not collected, I idle"),
	F(THREADS, "threads", INT, NONE, "number of threads"),
	F(NICE, "nice", INT, NONE, "nice value, -20 to 19"),
	F(RSS, "rss", INT, BYTE, "resident memory"),
	F(VSZ, "vsz", INT, BYTE, "virtual memory"),
	F(UTIME, "utime", INT, NS, "CPU time in user mode"),
	F(STIME, "stime", INT, NS, "CPU time in the kernel"),
	F(START, "start", INT, EPOCH, "when the process began"),
	F(EXE, "exe", STR, NONE, "path of the executable; empty for a kernel thread"),
	F(CMDLINE, "cmdline", STR, NONE, "command line, its arguments joined by spaces"),
	F(CWD, "cwd", STR, NONE, "current directory"),
	F(CGROUP, "cgroup", STR, NONE, "path of the control group"),
	F(CONTAINER, "container", STR, NONE, "short id or name of the container; empty outside of one"),
	F(NETNS, "netns", INT, NONE, "inode number of the network namespace"),
#undef F
};
#define COUNT(x) (sizeof(x) / sizeof(*(x)))
static const struct rn_field *field_of(unsigned id)
{
	for (unsigned i = 0; i < COUNT(fields); i++)
		if (fields[i].id == id)
			return &fields[i];
	return NULL;
}

/* Fields of a class: of these groups, in this order. */
#define COMMON RN_F_TIME, RN_F_NODE, RN_F_PROC, RN_F_THREAD, RN_F_PID, RN_F_TID, RN_F_PPID, RN_F_UID, RN_F_GID, RN_F_USER, \
	       RN_F_CGROUP, RN_F_CONTAINER, RN_F_NETNS, RN_F_NAME
#define STACKS RN_F_STACK, RN_F_USTACK
#define RESULT RN_F_RET, RN_F_ERROR, RN_F_LATENCY
#define ARGS RN_F_ARG0, RN_F_ARG1, RN_F_ARG2, RN_F_ARG3, RN_F_ARG4, RN_F_ARG5
#define FILES RN_F_FD, RN_F_FILE, RN_F_DEV, RN_F_INO
#define DATA RN_F_BYTES, RN_F_OFFSET, RN_F_LOCAL, RN_F_PEER, RN_F_SOURCE, RN_F_FLAGS
static const uint8_t fs_common[] = {COMMON, STACKS, 0};
static const uint8_t fs_syscall[] = {COMMON, FILES, DATA, RESULT, ARGS, STACKS, 0};
static const uint8_t fs_file[] = {COMMON, FILES, RN_F_BYTES, RN_F_OFFSET, RN_F_LOCAL, RN_F_PEER, RN_F_FLAGS, RESULT, ARGS, STACKS, 0};
static const uint8_t fs_open[] = {COMMON, FILES, RN_F_FLAGS, RESULT, ARGS, STACKS, 0};
static const uint8_t fs_close[] = {COMMON, FILES, RESULT, ARGS, STACKS, 0};
static const uint8_t fs_exec[] = {COMMON, RN_F_FILE, RN_F_DEV, RN_F_INO, RESULT, STACKS, 0};
static const uint8_t fs_sock[] = {COMMON, FILES, RN_F_LOCAL, RN_F_PEER, RESULT, ARGS, STACKS, 0};
static const uint8_t fs_tag[] = {COMMON, RN_F_TAGS, FILES, DATA, RESULT, ARGS, STACKS, 0};
static const uint8_t fs_fork[] = {COMMON, RN_F_CHILD, RN_F_RET, STACKS, 0};
static const uint8_t fs_exit[] = {COMMON, RN_F_RET, RN_F_SIGNAL, RN_F_LATENCY, STACKS, 0};

#define LATER(name, kind, needs, doc, what) {name, RN_CLS_LATER, kind, fs_common, needs, doc, what " is not executed by this version"}
static const struct spec {
	const char *name; uint16_t id; enum rn_class_kind kind; const uint8_t *fields; bool needs_arg; const char *doc, *later;
} specs[] = {
	{"syscall", RN_CLS_SYSCALL, RN_CLASS_EVENT, fs_syscall, false, "every system call, when it returns", NULL},
	{"io", RN_CLS_IO, RN_CLASS_EVENT, fs_syscall, false,
	 "system calls that move data: read, write, send, recv and their kind, sendfile, splice, copy_file_range, ...", NULL},
	{"read", RN_CLS_READ, RN_CLASS_EVENT, fs_file, false, "read, pread64, readv, preadv, preadv2", NULL},
	{"write", RN_CLS_WRITE, RN_CLASS_EVENT, fs_file, false, "write, pwrite64, writev, pwritev, pwritev2", NULL},
	{"send", RN_CLS_SEND, RN_CLASS_EVENT, fs_file, false, "sendto, sendmsg, sendmmsg", NULL},
	{"recv", RN_CLS_RECV, RN_CLASS_EVENT, fs_file, false, "recvfrom, recvmsg, recvmmsg", NULL},
	{"open", RN_CLS_OPEN, RN_CLASS_EVENT, fs_open, false, "open, openat, openat2, creat", NULL},
	{"close", RN_CLS_CLOSE, RN_CLASS_EVENT, fs_close, false, "close; file is what the descriptor was", NULL},
	{"exec", RN_CLS_EXEC, RN_CLASS_EVENT, fs_exec, false, "execve, execveat; file is the new program", NULL},
	{"connect", RN_CLS_CONNECT, RN_CLASS_EVENT, fs_sock, false, "connect", NULL},
	{"accept", RN_CLS_ACCEPT, RN_CLASS_EVENT, fs_sock, false, "accept, accept4; fd and file are the new connection's", NULL},
	{"tag", RN_CLS_TAG, RN_CLASS_EVENT, fs_tag, true, "calls of io whose data holds one of the tags: tag fix283, ulr821", NULL},
	{"fork", RN_CLS_FORK, RN_CLASS_EVENT, fs_fork, false, "a process made another one", NULL},
	{"exit", RN_CLS_EXIT, RN_CLASS_EVENT, fs_exit, false, "a process ended", NULL},
	{"tracepoint", RN_CLS_TRACEPOINT, RN_CLASS_EVENT, fs_common, true,
	 "a tracepoint of the kernel, with its own fields: tracepoint \"sched:sched_switch\"", NULL},
	{"proc", RN_CLS_PROC, RN_CLASS_TABLE, NULL, false, "the processes of each node, as they are now", NULL},
	LATER("block", RN_CLASS_EVENT, false, "requests to block devices", "block I/O as a source of its own"),
	LATER("sched", RN_CLASS_EVENT, false, "scheduling of threads", "scheduling as a source of its own"),
	LATER("net", RN_CLASS_EVENT, false, "packets", "the network as a source of its own"),
	LATER("kernel", RN_CLASS_EVENT, true, "kernel functions by glob: kernel \"tcp_*\"", "tracing of kernel functions"),
	LATER("user", RN_CLASS_EVENT, true, "functions of programs: user \"/usr/sbin/nginx:ngx_*\"", "tracing of user functions"),
	LATER("usdt", RN_CLASS_EVENT, true, "static probes of programs", "tracing of static user probes"),
	LATER("sample", RN_CLASS_EVENT, true, "CPU profile: sample 99hz", "sampling"),
	LATER("tls", RN_CLASS_EVENT, false, "plaintext at SSL_read and SSL_write", "tracing of TLS"),
	LATER("fd", RN_CLASS_TABLE, false, "open files of all processes", "the table fd"),
	LATER("socket", RN_CLASS_TABLE, false, "sockets", "the table socket"),
	LATER("mount", RN_CLASS_TABLE, false, "mounted file systems", "the table mount"),
	LATER("cgroup", RN_CLASS_TABLE, false, "control groups", "the table cgroup"),
	LATER("node", RN_CLASS_TABLE, false, "the nodes of the query", "the table node"),
	LATER("line", RN_CLASS_TABLE, true, "lines of files: line \"/etc/passwd\"", "the table line"),
	LATER("clock", RN_CLASS_TABLE, false, "clocks of the nodes", "the table clock"),
};

struct made { struct rn_class cls; struct made *next; };  /* classes of single system calls */
struct made_tp { struct rn_tp tp; struct made_tp *next; };
struct catalog {
	struct rn_catalog pub; /* must be first */
	struct rn_arena *arena;
	struct rn_class builtin[COUNT(specs)];
	struct made *calls;
	struct made_tp *tps;
	const char *const *names, *const *events;
	int tracefs;           /* -1: not opened */
	struct rn_err tracefs_err;
};

static void set_fields(struct catalog *c, struct rn_class *cls, const uint8_t *ids)
{
	unsigned n = 0;

	while (ids[n])
		n++;
	const struct rn_field **f = RN_NEWN(c->arena, const struct rn_field *, n);
	for (unsigned i = 0; i < n; i++)
		f[i] = field_of(ids[i]);
	cls->fields = f;
	cls->nfields = n;
}

static void set_table_fields(struct catalog *c, struct rn_class *cls)
{
	const struct rn_field **f = RN_NEWN(c->arena, const struct rn_field *, COUNT(table_fields));

	for (unsigned i = 0; i < COUNT(table_fields); i++)
		f[i] = &table_fields[i];
	cls->fields = f;
	cls->nfields = COUNT(table_fields);
}

static const struct rn_class *find_call(struct catalog *c, const char *name)
{
	int nr = rn_sys_nr(name);

	if (nr < 0)
		return NULL;
	for (struct made *m = c->calls; m; m = m->next)
		if (m->cls.id == RN_CLS_NR + nr)
			return &m->cls;
	struct made *m = RN_NEW(c->arena, struct made);
	m->cls = (struct rn_class){.name = rn_sys_name((unsigned)nr), .kind = RN_CLASS_EVENT, .id = (uint16_t)(RN_CLS_NR + nr),
				   .doc = "one system call, when it returns"};
	set_fields(c, &m->cls, fs_syscall);
	m->next = c->calls;
	c->calls = m;
	return &m->cls;
}

static int tracefs(struct catalog *c)
{
	if (c->tracefs < 0)
		c->tracefs = rn_tracefs_open(&c->tracefs_err);
	return c->tracefs;
}

/* A tracepoint's own fields, then the common ones that its names leave free. */
static void tp_fields(struct catalog *c, struct rn_tp *tp)
{
	unsigned n = 0, ncommon = COUNT(fs_common) - 1;
	const struct rn_field **f = RN_NEWN(c->arena, const struct rn_field *, tp->nfields + ncommon);

	for (unsigned i = 0; i < ncommon; i++) {
		bool hidden = false;
		for (unsigned j = 0; j < tp->nfields; j++)
			hidden |= !strcmp(tp->field[j].f.name, field_of(fs_common[i])->name);
		if (!hidden)
			f[n++] = field_of(fs_common[i]);
	}
	for (unsigned j = 0; j < tp->nfields; j++) {
		tp->field[j].f.id = (uint16_t)(RN_F_TP + j);
		f[n++] = &tp->field[j].f;
	}
	tp->cls.fields = f;
	tp->cls.nfields = n;
}

static const struct rn_class *find_tp(struct catalog *c, const char *arg, char *why, size_t why_bytes)
{
	const char *colon = strchr(arg, ':');
	struct rn_err err = {0};

	if (!colon || colon == arg || !colon[1] || strchr(colon + 1, ':') || strchr(arg, '/')) {
		snprintf(why, why_bytes, "a tracepoint is written \"system:name\", as in \"sched:sched_switch\"");
		return NULL;
	}
	for (struct made_tp *m = c->tps; m; m = m->next)
		if (!strcmp(m->tp.cls.arg, arg))
			return &m->tp.cls;
	if (tracefs(c) < 0) {
		snprintf(why, why_bytes, "tracepoints cannot be looked up: %s", c->tracefs_err.text);
		return NULL;
	}
	struct made_tp *m = RN_NEW(c->arena, struct made_tp);
	char *sys = rn_arena_strndup(c->arena, arg, (size_t)(colon - arg));
	if (rn_tracefs_event(c->arena, c->tracefs, sys, colon + 1, &m->tp, &err)) {
		if (err.code == -ENOENT)
			snprintf(why, why_bytes, "this kernel has no tracepoint \"%s\"", arg);
		else
			snprintf(why, why_bytes, "%s", err.text);
		return NULL;
	}
	m->tp.cls.name = "tracepoint";
	m->tp.cls.arg = rn_arena_strdup(c->arena, arg);
	m->tp.cls.doc = "a tracepoint of the kernel";
	m->tp.cls.needs_arg = true;
	m->tp.cls.id = RN_CLS_TRACEPOINT;
	tp_fields(c, &m->tp);
	m->next = c->tps;
	c->tps = m;
	return &m->tp.cls;
}

static const struct rn_class *find(void *self, const char *name, const char *arg, char *why, size_t why_bytes)
{
	struct catalog *c = self;
	char sink[1];

	if (!why || !why_bytes)
		why = sink, why_bytes = sizeof(sink);
	why[0] = 0;
	for (unsigned i = 0; i < COUNT(specs); i++)
		if (!strcmp(specs[i].name, name))
			return arg && specs[i].id == RN_CLS_TRACEPOINT ? find_tp(c, arg, why, why_bytes) : &c->builtin[i];
	return find_call(c, name);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static const char *const *names(void *self)
{
	struct catalog *c = self;
	unsigned n = 0;

	if (c->names)
		return c->names;
	const char **v = RN_NEWN(c->arena, const char *, COUNT(specs) + RN_SYS_MAX + 1);
	for (unsigned i = 0; i < COUNT(specs); i++)
		v[n++] = specs[i].name;
	for (unsigned nr = 0; nr < RN_SYS_MAX; nr++) {
		const char *s = rn_sys_name(nr);
		for (unsigned i = 0; s && i < COUNT(specs); i++)
			if (!strcmp(s, specs[i].name))
				s = NULL;
		if (s)
			v[n++] = s;
	}
	qsort(v, n, sizeof(*v), by_name);
	return c->names = v;
}

static const char *const *args(void *self, const char *name)
{
	struct catalog *c = self;

	if (strcmp(name, "tracepoint") || tracefs(c) < 0)
		return NULL;
	if (!c->events)
		c->events = rn_tracefs_events(c->arena, c->tracefs, NULL);
	return c->events;
}

struct rn_catalog *rn_probes_catalog(const struct rn_agg_sig *const *aggs)
{
	struct rn_arena *a = rn_arena_create(RN_ARENA_CAP);
	struct catalog *c = RN_NEW(a, struct catalog);

	c->pub = (struct rn_catalog){.self = c, .find = find, .names = names, .args = args, .aggs = aggs};
	c->arena = a;
	c->tracefs = -1;
	for (unsigned i = 0; i < COUNT(specs); i++) {
		const struct spec *s = &specs[i];
		c->builtin[i] = (struct rn_class){.name = s->name, .kind = s->kind, .doc = s->doc, .later = s->later,
						  .needs_arg = s->needs_arg, .id = s->id};
		if (s->fields)
			set_fields(c, &c->builtin[i], s->fields);
		else
			set_table_fields(c, &c->builtin[i]);
	}
	return &c->pub;
}

void rn_probes_catalog_free(struct rn_catalog *pub)
{
	struct catalog *c = (struct catalog *)pub;

	if (!c)
		return;
	if (c->tracefs >= 0)
		close(c->tracefs);
	rn_arena_destroy(c->arena);
}

const struct rn_tp *rn_class_tp(const struct rn_class *c)
{
	return c->id == RN_CLS_TRACEPOINT && c->arg ? (const struct rn_tp *)((const char *)c - offsetof(struct rn_tp, cls)) : NULL;
}
