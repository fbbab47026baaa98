/* gen_trace.c - see gen_trace.h. Integers only: no libm, no libc rand, nothing that differs between
 * machines. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "exec/trace/trace.h"
#include "planner/plan/ledger.h"
#include "tests/support/gen_trace.h"

enum {
	C_TIME,
	C_NODE,
	C_PROC,
	C_THREAD,
	C_PID,
	C_TID,
	C_PPID,
	C_UID,
	C_USER,
	C_CGROUP,
	C_CONTAINER,
	C_NAME,
	C_RET,
	C_ERROR,
	C_LATENCY,
	C_FD,
	C_FILE,
	C_DEV,
	C_BYTES,
	C_OFFSET,
	C_LOCAL,
	C_PEER,
	C_TAGS,
	C_BEGIN,
	NCOLS
};

#define FIELD(n, t, u) \
	{ \
		.name = n, .ty = {RN_T_##t, RN_U_##u}, .where = RN_IN_NODE, .doc = "generated" \
	}
static const struct rn_field fields[NCOLS] = {
	[C_TIME] = FIELD("time", INT, EPOCH),
	[C_NODE] = FIELD("node", STR, NONE),
	[C_PROC] = FIELD("proc", STR, NONE),
	[C_THREAD] = FIELD("thread", STR, NONE),
	[C_PID] = FIELD("pid", INT, NONE),
	[C_TID] = FIELD("tid", INT, NONE),
	[C_PPID] = FIELD("ppid", INT, NONE),
	[C_UID] = FIELD("uid", INT, NONE),
	[C_USER] = FIELD("user", STR, NONE),
	[C_CGROUP] = FIELD("cgroup", INT, NONE),
	[C_CONTAINER] = FIELD("container", STR, NONE),
	[C_NAME] = FIELD("name", STR, NONE),
	[C_RET] = FIELD("ret", INT, NONE),
	[C_ERROR] = FIELD("error", INT, ERRNO),
	[C_LATENCY] = FIELD("latency", INT, NS),
	[C_FD] = FIELD("fd", INT, NONE),
	[C_FILE] = FIELD("file", STR, NONE),
	[C_DEV] = FIELD("dev", INT, DEV),
	[C_BYTES] = FIELD("bytes", INT, BYTE),
	[C_OFFSET] = FIELD("offset", INT, BYTE),
	[C_LOCAL] = FIELD("local", IP, NONE),
	[C_PEER] = FIELD("peer", IP, NONE),
	[C_TAGS] = FIELD("tags", TAGS, NONE),
	[C_BEGIN] = FIELD("begin", INT, EPOCH),
};

/* What a kind of process does. Lists end with NULL; earlier entries are chosen more often. */
static const struct kind {
	const char *proc, *user, *container;
	int uid, weight;
	int first_pid, pid_step, pids;
	bool sockets; /* half of its I/O goes over sockets */
	const char *thread[4], *file[8], *call[12];
} kinds[] = {
	{"java",
	 "app",
	 "c0ffee",
	 1000,
	 30,
	 1000,
	 7,
	 60,
	 true,
	 {"NIOWorkerThread", "SyncThread:1", "java"},
	 {"/var/lib/data/log.1", "/var/lib/data/snapshot.0", "/opt/app/lib/app.jar",
	  "/var/log/app.log", "/tmp/hsperf.dat"},
	 {"read", "write", "futex", "epoll_wait", "recvfrom", "sendto", "pread64", "fsync",
	  "openat", "close"}},
	{"nginx",
	 "www-data",
	 "feed",
	 33,
	 22,
	 1003,
	 500,
	 9,
	 true,
	 {"nginx"},
	 {"/var/www/index.html", "/var/log/nginx/access.log", "/var/www/img/logo.png",
	  "/etc/nginx/nginx.conf"},
	 {"epoll_wait", "recvfrom", "writev", "sendfile", "accept4", "read", "openat", "close",
	  "sendmsg"}},
	{"dd",
	 "root",
	 "",
	 0,
	 12,
	 4242,
	 1,
	 2,
	 false,
	 {"dd"},
	 {"/dev/zero", "/dev/null", "/var/tmp/out.img"},
	 {"read", "write", "lseek"}},
	{"redis-server",
	 "redis",
	 "cafe",
	 999,
	 14,
	 6379,
	 11,
	 3,
	 true,
	 {"redis-server", "bio_aof"},
	 {"/var/lib/redis/appendonly.aof", "/var/lib/redis/dump.rdb"},
	 {"read", "write", "epoll_wait", "pwrite64", "fdatasync", "accept4"}},
	{"postgres",
	 "postgres",
	 "",
	 113,
	 10,
	 2001,
	 13,
	 20,
	 true,
	 {"postgres"},
	 {"/var/lib/postgresql/15/main/base/5/2601",
	  "/var/lib/postgresql/15/main/pg_wal/000000010000000000000001",
	  "/var/lib/postgresql/15/main/base/5/1259", "/dev/shm/PostgreSQL.1804289383"},
	 {"pread64", "pwrite64", "recvfrom", "sendto", "preadv", "pwritev", "fsync", "lseek"}},
	{"sshd",
	 "root",
	 "",
	 0,
	 4,
	 801,
	 100,
	 4,
	 true,
	 {"sshd"},
	 {"/dev/pts/0", "/var/log/auth.log"},
	 {"read", "write", "select", "connect", "recvmsg", "execve"}},
	{"find",
	 "root",
	 "",
	 0,
	 5,
	 30007,
	 3,
	 5,
	 false,
	 {"find"},
	 {"/usr/lib/x86_64-linux-gnu", "/usr/share/doc", "/lib/systemd"},
	 {"openat", "newfstatat", "getdents64", "close", "read"}},
	{"rsyslogd",
	 "root",
	 "",
	 0,
	 3,
	 610,
	 1,
	 1,
	 false,
	 {"rs:main Q:Reg", "in:imuxsock"},
	 {"/var/log/syslog", "/var/log/auth.log"},
	 {"write", "recvmsg", "futex", "poll"}},
};
enum { NKINDS = sizeof(kinds) / sizeof(*kinds), NNODES = 5, MAX_LIST = 12 };
static const char *const data_calls[] = {"read",    "pread64",  "preadv", "write",   "pwrite64",
					 "writev",  "pwritev",  "sendto", "sendmsg", "recvfrom",
					 "recvmsg", "sendfile", NULL};
static const char *const tags[] = {"fix283", "ulr821", "fix283,ulr821"};

static uint64_t next(uint64_t *s) /* splitmix64 */
{
	uint64_t z = *s += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

static unsigned below(uint64_t *s, unsigned n)
{
	return (unsigned)((next(s) >> 32) * n >> 32);
}

/* 0..n-1, small ones more often: the square of a uniform number. */
static unsigned skewed(uint64_t *s, unsigned n)
{
	uint64_t u = next(s) >> 48;

	return (unsigned)((u * u >> 16) * n >> 16);
}

static bool among(const char *const *list, const char *name)
{
	for (; *list; list++)
		if (!strcmp(*list, name))
			return true;
	return false;
}

static const char *pick(uint64_t *s, const char *const *list, unsigned max)
{
	unsigned n = 0;

	while (n < max && list[n])
		n++;
	return list[skewed(s, n)];
}

static const struct kind *pick_kind(uint64_t *s)
{
	int at = (int)below(s, 100);

	for (int i = 0; i < NKINDS; i++) {
		at -= kinds[i].weight;
		if (at < 0)
			return &kinds[i];
	}
	return &kinds[0];
}

static int64_t pick_size(uint64_t *s)
{
	switch (below(s, 8)) {
	case 0: return 1;
	case 1:
	case 2: return 1 + skewed(s, 512);
	case 3:
	case 4: return 4096 * (1 + (int64_t)skewed(s, 16));
	case 5: return 65536;
	case 6: return 1 + skewed(s, 200000);
	default: return 0;
	}
}

/* From a fraction of a microsecond, each octave half as often as the one before. */
static int64_t pick_latency(uint64_t *s)
{
	unsigned octave = (unsigned)__builtin_ctzll(next(s) | 1ull << 17);
	int64_t base = 250ll << octave;

	return base + (int64_t)below(s, (unsigned)base);
}

static int pick_error(uint64_t *s, const char *call)
{
	static const int errors[] = {EAGAIN, EAGAIN, EAGAIN, EINTR, EPIPE};
	unsigned odds = below(s, 100);

	if (!strcmp(call, "openat") || !strcmp(call, "execve"))
		return odds < 30 ? ENOENT : odds < 33 ? EACCES : 0;
	return odds < 4 ? errors[below(s, 5)] : 0;
}

struct event {
	struct rn_value v[NCOLS];
	char file[32];
	unsigned char local[RN_IP_BYTES], peer[RN_IP_BYTES];
};

static struct rn_value str(const char *s)
{
	return rn_strn(s, strlen(s));
}

static void socket_of(struct event *e, uint64_t *s, const struct kind *k, unsigned node)
{
	static const unsigned ports[] = {443, 6379, 2181, 5432};
	unsigned n = skewed(s, 40), from = 33000 + n * 17, to = ports[n % 4];
	char ip[64];
	int len = snprintf(ip, sizeof(ip), "10.0.%u.%u:%u", node, 1 + k->uid % 7, from);

	rn_ip_parse(ip, (size_t)len, e->local);
	if (n % 9 == 8)
		len = snprintf(ip, sizeof(ip), "[2001:db8::%x]:%u", n, to);
	else
		len = snprintf(ip, sizeof(ip), "%s.%u.%u:%u", n % 5 == 4 ? "192.168" : "10.0",
			       n % 3, n, to);
	rn_ip_parse(ip, (size_t)len, e->peer);
	snprintf(e->file, sizeof(e->file), "socket:[%u]", 20000 + node * 1000 + n);
	e->v[C_FILE] = str(e->file);
	e->v[C_LOCAL] = rn_strn((char *)e->local, RN_IP_BYTES);
	e->v[C_PEER] = rn_strn((char *)e->peer, RN_IP_BYTES);
	e->v[C_FD] = rn_int(10 + n);
	e->v[C_DEV] = rn_int(0);
	e->v[C_OFFSET] = rn_int(0);
}

static void object_of(struct event *e, uint64_t *s, const struct kind *k, unsigned node)
{
	unsigned f = skewed(s, 8);

	while (f && !k->file[f])
		f--;
	e->v[C_FILE] = str(k->file[f]);
	e->v[C_FD] = rn_int(3 + f);
	e->v[C_DEV] = rn_int(strncmp(k->file[f], "/dev/", 5) ? 8 << 20 | 1 : 0);
	e->v[C_OFFSET] = rn_int(4096ll * skewed(s, 1000));
	e->v[C_LOCAL] = e->v[C_PEER] = str("");
	if (k->sockets && below(s, 2))
		socket_of(e, s, k, node);
}

static void process_of(struct event *e, uint64_t *s, const struct kind *k)
{
	unsigned i = skewed(s, (unsigned)k->pids), t = skewed(s, 4);
	int pid = k->first_pid + k->pid_step * (int)i;

	while (t && !k->thread[t])
		t--;
	e->v[C_PROC] = str(k->proc);
	e->v[C_THREAD] = str(k->thread[t]);
	e->v[C_PID] = rn_int(pid);
	e->v[C_TID] = rn_int(pid + (int)t);
	e->v[C_PPID] = rn_int(i % 4 ? k->first_pid : 1);
	e->v[C_UID] = rn_int(k->uid);
	e->v[C_USER] = str(k->user);
	e->v[C_CGROUP] = rn_int(100 + k->uid);
	e->v[C_CONTAINER] = str(k->container);
}

static void call_of(struct event *e, uint64_t *s, const struct kind *k)
{
	const char *call = pick(s, k->call, MAX_LIST);
	bool data = among(data_calls, call);
	int error = pick_error(s, call);
	int64_t ret = error                     ? -error
		      : data                    ? pick_size(s)
		      : !strcmp(call, "openat") ? 3 + skewed(s, 8)
						: 0;

	if (data && !strcmp(k->proc, "dd") && !error)
		ret = 512;
	e->v[C_NAME] = str(call);
	e->v[C_RET] = rn_int(ret);
	e->v[C_ERROR] = rn_int(error);
	e->v[C_LATENCY] = rn_int(pick_latency(s));
	e->v[C_BYTES] = rn_int(data && ret > 0 ? ret : 0);
	e->v[C_TAGS] = str(data && ret > 64 && below(s, 50) == 0 ? tags[below(s, 3)] : "");
}

/* Not all nodes are covered from the beginning to the end: their rates are divided each by its own
 * time. */
#define BEGIN_NS 1795168800000000000ll /* 2026-11-20 10:00:00 UTC */
static const int64_t begins_late_ns[NNODES] = {0, 0, 300000000, 0, 1700000123},
		     ends_early_ns[NNODES] = {0, 0, 0, 700000000, 2100000077};

/* One in sixteen was waiting when the query began: its entry was not seen. It has a random sequence
 * of its own, so that all else is as without. */
static void beginning_of(struct event *e, uint64_t *s)
{
	bool unseen = below(s, 16) == 0;

	if (unseen)
		e->v[C_LATENCY] = rn_unknown();
	e->v[C_BEGIN] = unseen ? rn_unknown() : rn_int(e->v[C_TIME].i - e->v[C_LATENCY].i);
}

static int write_events(struct rn_trace_writer *w, unsigned events, uint64_t seed,
			struct rn_ledgers *l, struct rn_err *err)
{
	static const char *const nodes[NNODES] = {"node1", "node2", "node3", "node4", "node5"};
	struct rn_column cols[NCOLS] = {0};
	int64_t time_ns = BEGIN_NS;
	uint64_t s = seed, unseen = ~seed;
	int r = 0;

	for (unsigned c = 0; c < NCOLS; c++)
		cols[c] = (struct rn_column){.label = fields[c].name, .ty = fields[c].ty};
	for (unsigned i = 0; i < events && !r; i++) {
		const struct kind *k = pick_kind(&s);
		unsigned node = skewed(&s, NNODES);
		struct event e = {0};

		time_ns += 1 + below(&s, 2000000);
		e.v[C_TIME] = rn_int(time_ns);
		e.v[C_NODE] = str(nodes[node]);
		process_of(&e, &s, k);
		call_of(&e, &s, k);
		beginning_of(&e, &unseen);
		object_of(&e, &s, k, node);
		l->nodes[node].n[RN_L_SEEN]++;
		l->nodes[node].n[RN_L_MATCHED]++;
		r = rn_trace_write(w, cols, NCOLS, e.v, err);
	}
	for (unsigned n = 0; n < NNODES; n++)
		l->nodes[n] = (struct rn_ledger){.node = nodes[n],
						 .answered = true,
						 .begin_ns = BEGIN_NS + begins_late_ns[n],
						 .end_ns = time_ns + 1 - ends_early_ns[n],
						 .n = {l->nodes[n].n[0], l->nodes[n].n[1]}};
	return r;
}

int rn_gen_trace(const char *path, unsigned events, uint64_t seed, struct rn_err *err)
{
	const struct rn_field *list[NCOLS];
	struct rn_class cls = {.name = "syscall",
			       .doc = "generated system calls",
			       .fields = list,
			       .nfields = NCOLS};
	struct rn_ledger ledger[NNODES] = {0};
	struct rn_ledgers l = {.nodes = ledger, .n = NNODES};
	struct rn_trace_writer *w;
	int r, closed;

	for (unsigned c = 0; c < NCOLS; c++)
		list[c] = &fields[c];
	r = rn_trace_create(&(struct rn_trace_target){.path = path,
						      .how = RN_INTO_REPLACE,
						      .cls = &cls,
						      .query = "events of syscall"},
			    &w, err);
	if (r)
		return r;
	for (unsigned n = 0; n < NNODES; n++)
		ledger[n].begin_ns = BEGIN_NS;
	r = write_events(w, events, seed, &l, err);
	closed = rn_trace_close(w, &l, err);
	return r ? r : closed;
}
