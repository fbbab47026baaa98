/* catalog.c - the catalogue of the running kernel: built-in classes, every system call by name, and
 * tracepoints on demand.
 *
 * Built-in classes and fields are tables. Classes of single calls and of tracepoints are made when
 * first asked for, and kept. The first question about a tracepoint opens the tracing filesystem, so
 * that everything else works without rights. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "lang/values/glob.h"
#include "probes/catalog/catalog.h"
#include "lang/base/limits.h"
#include "lang/base/vec.h"
#include "lang/catalog/numbering.h"
#include "probes/kernel/btf.h"
#include "probes/probes.h"
#include "probes/catalog/members.h"
#include "probes/catalog/tracefs.h"

#define K (RN_IN_KERNEL | RN_IN_NODE)
#define TABLE "read from /proc"

#define COUNT(x) (sizeof(x) / sizeof(*(x)))

/* How far the kernel's numbers reach, as rn_field.bits, by type. Times reach until the year 2116.
 * Durations lie between two readings of one kernel's clock since its start: up to nine years. 0:
 * any number. */
enum {
	BITS_INT = 0,
	BITS_INT32 = RN_BITS_SIGNED | 32,
	BITS_MOVED = 48,
	BITS_STR = 0,
	BITS_IP = 0,
	BITS_TAGS = 0,
	BITS_STACK = 0,
	BITS_FD = 0,
	BITS_PATH = 0,
	BITS_COMM = 0,
	BITS_USER = 0,
	BITS_WORD = 0
};
#define BITS(type, unit) \
	((unit) == RN_U_EPOCH ? RN_BITS_SIGNED | 62 \
	 : (unit) == RN_U_NS  ? RN_BITS_SIGNED | 58 \
			      : BITS_##type)

/* enum rn_field_kind of each type */
enum {
	KIND_INT,
	KIND_INT32 = 0,
	KIND_MOVED = 0,
	KIND_STR = 0,
	KIND_IP = 0,
	KIND_TAGS = 0,
	KIND_STACK = 0,
	KIND_SKETCH = 0,
	KIND_BYTES = 0,
	KIND_FD = RN_KIND_FD,
	KIND_PATH = RN_KIND_PATH,
	KIND_COMM = RN_KIND_COMM,
	KIND_USER = RN_KIND_USER,
	KIND_WORD = RN_KIND_WORD
};

/* enum rn_tells of each field */
#define TELLS(id) \
	(RN_F_##id == RN_F_HASH                            ? RN_TELLS_EQUAL \
	 : RN_F_##id == RN_F_AROUND                        ? RN_TELLS_AROUND \
	 : RN_F_##id == RN_F_SKETCH                        ? RN_TELLS_LIKENESS \
	 : RN_F_##id == RN_F_DATA || rn_is_text(RN_F_##id) ? RN_TELLS_CONTENT \
							   : RN_TELLS_NOTHING)

/* Does the kernel have a number for a field that it does not evaluate, or compare it with a glob?
 */
#define KEYED(id) \
	(RN_F_##id == RN_F_USER || RN_F_##id == RN_F_CGROUP || RN_F_##id == RN_F_CONTAINER || \
			 RN_F_##id == RN_F_FUNC || RN_F_##id == RN_F_MODULE \
		 ? RN_IN_KEY \
	 : RN_F_##id == RN_F_CMDLINE ? RN_IN_GLOB \
				     : 0)

/* enum rn_words of each field */
#define WORDS(id) \
	(RN_F_##id == RN_F_NAME ? RN_WORDS_CALL \
	 : RN_F_##id >= RN_F_ARG0 && RN_F_##id <= RN_F_ARG5 \
		 ? RN_WORDS_ARG + (RN_F_##id - RN_F_ARG0) \
		 : RN_WORDS_PLAIN)

static const struct rn_field fields[] = {
#define X(id, name, type, unit, group, show_, doc) \
	{name, \
	 {RN_T_##type, RN_U_##unit}, \
	 K, \
	 RN_F_##id, \
	 doc, \
	 NULL, \
	 BITS(type, RN_U_##unit), \
	 rn_is_text(RN_F_##id), \
	 KIND_##type, \
	 .tells = TELLS(id), \
	 .show = RN_SHOW_OF_##id, \
	 .words = WORDS(id), \
	 .unsure = RN_G_##group == RN_G_LATENCY || rn_is_text(RN_F_##id), \
	 .of_end = RN_G_##group == RN_G_LATENCY || RN_G_##group == RN_G_RET || \
		   RN_G_##group == RN_G_TEXT_RET},
#define N(id, name, type, unit, group, show_, doc, why) \
	{name, \
	 {RN_T_##type, RN_U_##unit}, \
	 RN_IN_NODE | KEYED(id), \
	 RN_F_##id, \
	 doc, \
	 why, \
	 0, \
	 false, \
	 KIND_##type, \
	 .tells = TELLS(id), \
	 .show = RN_SHOW_OF_##id},
	RN_FIELDS(X, N)
#undef X
#undef N
};
static const uint32_t groups[] = {/* of fields[] */
#define X(id, name, type, unit, group, ...) RN_G_##group,
				  RN_FIELDS(X, X)
#undef X
};
/* Rows of tables are made on the node: the kernel evaluates nothing about them. */
static const struct rn_field table_fields[] = {
#define X(id, name, type, unit, show_, doc) \
	{name,        {RN_T_##type, RN_U_##unit}, \
	 RN_IN_NODE,  RN_F_##id, \
	 doc,         TABLE, \
	 0,           false, \
	 KIND_##type, .show = (show_)},
	RN_PROC_FIELDS(X, X)
#undef X
};

/* The table clocks is the coordinator's (exec/fleet/clock_table.c), which finds its columns by
 * name. */
static const struct rn_field clock_fields[] = {
#define X(name, type, unit, show_, doc) \
	{name, {RN_T_##type, RN_U_##unit}, RN_IN_NODE, RN_F_NONE, \
	 doc,  "known to the coordinator", 0,          .show = (show_)},
	RN_CLOCK_FIELDS(X)
#undef X
};

#define LATER(name, kind, needs, doc, what) \
	{ \
		name, RN_CLS_LATER, kind, RN_G_COMMON | RN_G_STACK, needs, doc, \
			what " is not executed by this version" \
	}
static const struct spec {
	const char *name;
	uint16_t id;
	enum rn_class_kind kind;
	uint32_t groups;
	bool needs_arg;
	const char *doc, *later;
} specs[] = {
	{"syscall", RN_CLS_SYSCALL, RN_CLASS_EVENT, RN_G_ANY_CALL, false,
	 "every system call, when it returns", NULL},
	{"io", RN_CLS_IO, RN_CLASS_EVENT, RN_G_ANY_CALL | RN_G_PAYLOAD, false,
	 "calls that move data: read, write, send, recv and their kind, sendfile, splice, "
	 "copy_file_range, io_uring, ...",
	 NULL},
	{"tag", RN_CLS_TAG, RN_CLASS_EVENT, RN_G_ANY_CALL | RN_G_PAYLOAD | RN_G_TAGS, true,
	 "calls of io whose data holds one of the tags: tag fix283, ulr821", NULL},
#define X(id, name, groups, doc) \
	{name, RN_CLS_##id, RN_CLASS_EVENT, RN_G_CALL | (groups), false, doc, NULL},
	RN_FAMILIES(X)
#undef X
#define X(id, name, groups, needs, doc) \
	{name, RN_CLS_##id, RN_CLASS_EVENT, groups, needs, doc, NULL},
		RN_CLASSES(X)
#undef X
			{"tls", RN_CLS_TLS, RN_CLASS_EVENT,
			 RN_G_COMMON | RN_G_BYTES | RN_G_PAYLOAD | RN_G_RET | RN_G_LATENCY |
				 RN_G_ARGS | RN_G_STACK,
			 false,
			 "plaintext that programs read and write through OpenSSL's libssl: "
			 "SSL_read, SSL_write, SSL_read_ex, SSL_write_ex",
			 NULL},
	{"clocks", RN_CLS_CLOCK, RN_CLASS_TABLE, 0, false,
	 "what the coordinator knows of each node's clock", NULL},
	{"processes", RN_CLS_PROC, RN_CLASS_TABLE, 0, false,
	 "the processes of each node, as they are now", NULL},
	LATER("block", RN_CLASS_EVENT, false, "requests to block devices",
	      "block I/O as a source of its own"),
	LATER("sched", RN_CLASS_EVENT, false, "scheduling of threads",
	      "scheduling as a source of its own"),
	LATER("net", RN_CLASS_EVENT, false, "packets", "the network as a source of its own"),
	LATER("files", RN_CLASS_TABLE, false, "open files of all processes", "the table files"),
	LATER("sockets", RN_CLASS_TABLE, false, "sockets", "the table sockets"),
	LATER("mounts", RN_CLASS_TABLE, false, "mounted file systems", "the table mounts"),
	LATER("cgroups", RN_CLASS_TABLE, false, "control groups", "the table cgroups"),
	LATER("nodes", RN_CLASS_TABLE, false, "the nodes of the query", "the table nodes"),
	LATER("lines", RN_CLASS_TABLE, true, "lines of files: lines \"/etc/passwd\"",
	      "the table lines"),
};

/* classes of single system calls, and profiles */
struct made {
	struct rn_class cls;
	struct made *next;
};
struct made_tp {
	struct rn_tp tp;
	struct made_tp *next;
};
struct catalog {
	struct rn_catalog pub; /* must be first */
	struct rn_arena *arena;
	struct rn_class builtin[COUNT(specs)];
	struct made *calls, *samples, *functions;
	struct made_tp *tps;
	const char *const *names, *const *events;
	struct rn_types *types;
	int tracefs; /* -1: not opened */
	struct rn_err tracefs_err;
};

static void set_fields(struct catalog *c, struct rn_class *cls, uint32_t set)
{
	const struct rn_field **f = RN_NEWN(c->arena, const struct rn_field *, COUNT(fields));

	cls->fields = f;
	for (unsigned i = 0; i < COUNT(fields); i++)
		if (groups[i] & set)
			f[cls->nfields++] = &fields[i];
}

/* Set the names of the system calls that a class covers; recordings find its events by them. The
 * list for all calls also has io's operations that are no calls, so that it holds all names of io.
 * A class of one such operation has no list. */
static void set_calls(struct catalog *c, struct rn_class *cls)
{
	const char **v;
	unsigned n = 0;

	if (!rn_class_is_syscall(cls) || cls->id >= RN_CLS_NR + RN_OP_FIRST)
		return;
	v = RN_NEWN(c->arena, const char *, cls->id >= RN_CLS_NR ? 2 : RN_SYS_MAX + 1);
	for (unsigned nr = 0; nr < RN_SYS_MAX; nr++)
		if ((rn_class_covers(cls, nr) ||
		     (cls->id == RN_CLS_SYSCALL && rn_sys_trait(nr)->families & RN_FAM_IO_OPS)) &&
		    rn_sys_name(nr))
			v[n++] = rn_sys_name(nr);
	cls->calls = v;
}

/* The arguments of calls that are flags, signals and families. A class has the names if all of its
 * calls have them there. */
static const struct {
	const char *call;
	uint16_t field; /* RN_F_ARG0 and on, RN_F_FLAGS */
	enum rn_unit unit;
} named_args[] = {
	{"open", RN_F_FLAGS, RN_U_OPEN},
	{"open", RN_F_ARG1, RN_U_OPEN},
	{"openat", RN_F_FLAGS, RN_U_OPEN},
	{"openat", RN_F_ARG2, RN_U_OPEN},
	{"openat2", RN_F_FLAGS, RN_U_OPEN},
	{"creat", RN_F_FLAGS, RN_U_OPEN},
	{"open_by_handle_at", RN_F_FLAGS, RN_U_OPEN},
	{"open_by_handle_at", RN_F_ARG2, RN_U_OPEN},
	{"dup3", RN_F_ARG2, RN_U_OPEN},
	{"pipe2", RN_F_ARG1, RN_U_OPEN},
	{"mmap", RN_F_ARG2, RN_U_PROT},
	{"mmap", RN_F_ARG3, RN_U_MAP},
	{"mprotect", RN_F_ARG2, RN_U_PROT},
	{"pkey_mprotect", RN_F_ARG2, RN_U_PROT},
	{"clone", RN_F_ARG0, RN_U_CLONE},
	{"unshare", RN_F_ARG0, RN_U_CLONE},
	{"setns", RN_F_ARG1, RN_U_CLONE},
	{"kill", RN_F_ARG1, RN_U_SIGNAL},
	{"tkill", RN_F_ARG1, RN_U_SIGNAL},
	{"tgkill", RN_F_ARG2, RN_U_SIGNAL},
	{"pidfd_send_signal", RN_F_ARG1, RN_U_SIGNAL},
	{"rt_sigaction", RN_F_ARG0, RN_U_SIGNAL},
	{"rt_sigqueueinfo", RN_F_ARG1, RN_U_SIGNAL},
	{"rt_tgsigqueueinfo", RN_F_ARG2, RN_U_SIGNAL},
	{"socket", RN_F_ARG0, RN_U_FAMILY},
	{"socketpair", RN_F_ARG0, RN_U_FAMILY},
};

static enum rn_unit unit_of_arg(const char *call, uint16_t field)
{
	for (size_t i = 0; i < COUNT(named_args); i++)
		if (named_args[i].field == field && !strcmp(named_args[i].call, call))
			return named_args[i].unit;
	return RN_U_NONE;
}

/* Gives the class fields of its own where the numbers of an argument have names. */
static void set_named(struct catalog *c, struct rn_class *cls)
{
	const struct rn_field **f = (const struct rn_field **)cls->fields;

	for (unsigned i = 0; i < cls->nfields && cls->calls && cls->calls[0]; i++) {
		enum rn_unit unit = unit_of_arg(cls->calls[0], f[i]->id);
		struct rn_field *own;

		for (const char *const *call = cls->calls; *call; call++)
			if (unit_of_arg(*call, f[i]->id) != unit)
				unit = RN_U_NONE;
		if (!unit)
			continue;
		own = RN_NEW(c->arena, struct rn_field);
		*own = *f[i];
		own->ty.unit = (uint8_t)unit;
		own->words = RN_WORDS_PLAIN;
		f[i] = own;
	}
}

static struct rn_field *copy(struct catalog *c, const struct rn_field *field)
{
	struct rn_field *own = RN_NEW(c->arena, struct rn_field);

	*own = *field;
	return own;
}

/* The name of an event is that of its function, which only the node knows; it has the id of `func`.
 * The result of one that
 * jumps to another function is not known. */
static void set_own_of_functions(struct catalog *c, struct rn_class *cls)
{
	const struct rn_field **f = (const struct rn_field **)cls->fields, *func = NULL;

	for (unsigned i = 0; i < cls->nfields; i++)
		func = f[i]->id == RN_F_FUNC ? f[i] : func;
	for (unsigned i = 0; func && i < cls->nfields; i++) {
		struct rn_field *own = copy(c, f[i]->id == RN_F_NAME ? func : f[i]);

		if (f[i]->id == RN_F_NAME) {
			own->name = f[i]->name;
			own->doc = cls->id == RN_CLS_USDT
					   ? "provider and name of the probe, as `func`"
					   : "name of the function, as its file has it";
			own->show = f[i]->show;
		} else if (f[i]->id == RN_F_RET && cls->id == RN_CLS_KERNEL) {
			own->doc = "what the function returns: a register, as an integer of 64 "
				   "bits";
		} else if (f[i]->id == RN_F_RET) {
			own->doc =
				"what the function returns: a register of 64 bits, in which an "
				"int of -1 is 4294967295; null if it ends with a call of another "
				"one";
			own->unsure = true;
		} else if (cls->id == RN_CLS_USDT && rn_is_arg(f[i]->id)) {
			own->unsure = true; /* places of one name may have fewer, or elsewhere */
		} else if (cls->id == RN_CLS_USDT && f[i]->id == RN_F_FUNC) {
			own->doc = "provider and name of the probe: postgresql:query__start";
		}
		f[i] = own;
	}
}

static void set_path_as_given(struct rn_class *cls)
{
	for (unsigned nr = 0; nr < RN_SYS_MAX; nr++)
		cls->path_as_given |= rn_class_covers(cls, nr) && rn_sys_trait(nr)->path_arg >= 0;
}

/* Operations that are no calls begin and end at several hooks: none of these is the one moment that
 * a pair needs. */
static void set_no_pair(struct rn_class *cls)
{
	static const char of_none[] = "`between` pairs events that happen at one moment: this "
				      "class has operations that are seen at several";

	for (unsigned nr = RN_OP_FIRST; nr < RN_SYS_MAX; nr++)
		if (rn_class_covers(cls, nr))
			cls->no_pair = of_none;
	if (cls->id == RN_CLS_SAMPLE)
		cls->no_pair = "a look at a CPU is no event that begins or ends anything";
}

static void set_table_fields(struct catalog *c, struct rn_class *cls)
{
	bool clock = cls->id == RN_CLS_CLOCK;
	const struct rn_field *from = clock ? clock_fields : table_fields;
	unsigned n = clock ? COUNT(clock_fields) : COUNT(table_fields);
	const struct rn_field **f = RN_NEWN(c->arena, const struct rn_field *, n);

	for (unsigned i = 0; i < n; i++)
		f[i] = &from[i];
	cls->fields = f;
	cls->nfields = n;
}

static const struct rn_class *find_call(struct catalog *c, const char *name)
{
	int nr = rn_sys_nr(name);
	struct made *m;

	if (nr < 0)
		return NULL;
	for (m = c->calls; m; m = m->next)
		if (m->cls.id == RN_CLS_NR + nr)
			return &m->cls;
	m = RN_NEW(c->arena, struct made);
	m->cls = (struct rn_class){.name = rn_sys_name((unsigned)nr),
				   .kind = RN_CLASS_EVENT,
				   .id = (uint16_t)(RN_CLS_NR + nr),
				   .doc = nr < RN_OP_FIRST
						  ? "one system call, when it returns"
						  : "operations that are no calls, when they end"};
	set_fields(
		c, &m->cls,
		RN_G_ANY_CALL |
			(rn_sys_trait((unsigned)nr)->families & RN_FAM_PAYLOAD ? RN_G_PAYLOAD : 0));
	set_calls(c, &m->cls);
	set_named(c, &m->cls);
	set_path_as_given(&m->cls);
	set_no_pair(&m->cls);
	m->next = c->calls;
	c->calls = m;
	return &m->cls;
}

unsigned rn_sample_hz(const char *arg)
{
	char *end;
	unsigned long hz = arg[0] >= '0' && arg[0] <= '9' ? strtoul(arg, &end, 10) : 0;

	return hz && hz <= RN_SAMPLE_HZ_MAX && !strcasecmp(end, "hz") ? (unsigned)hz : 0;
}

static const struct rn_class *find_sample(struct catalog *c, const struct rn_class *base,
					  const char *arg, char *why, size_t why_bytes)
{
	unsigned hz = rn_sample_hz(arg);
	struct made *m;
	size_t digits = strspn(arg, "0123456789");

	if (!hz && digits && !strcasecmp(arg + digits, "hz"))
		snprintf(why, why_bytes,
			 "a profile cannot be taken at %.40s\nfrom 1hz to %dhz, as in `sample "
			 "99hz`\nE-LIMIT-HZ",
			 arg, RN_SAMPLE_HZ_MAX);
	else if (!hz)
		snprintf(why, why_bytes,
			 "a profile looks at each CPU from 1hz to %dhz, as in `sample 99hz`",
			 RN_SAMPLE_HZ_MAX);
	if (!hz)
		return NULL;
	for (m = c->samples; m; m = m->next)
		if (rn_sample_hz(m->cls.arg) == hz)
			return &m->cls;
	m = RN_NEW(c->arena, struct made);
	m->cls = *base;
	m->cls.arg = rn_arena_printf(c->arena, "%uhz", hz);
	rn_types_give(c->types, &m->cls);
	m->next = c->samples;
	c->samples = m;
	return &m->cls;
}

/* "libc:malloc, /usr/sbin/nginx:ngx_*": which files these are, only the node knows. */
static bool are_functions(const char *arg)
{
	for (bool more = true; more;) {
		const char *end = arg + rn_glob_in_list(arg), *colon = arg;

		while (colon < end && *colon != ':')
			colon += colon[0] == '\\' && colon + 1 < end ? 2 : 1;
		if (colon == arg || colon + 1 >= end)
			return false;
		more = *end;
		arg = end + 2;
	}
	return true;
}

static const struct rn_class *find_functions(struct catalog *c, const struct rn_class *base,
					     const char *arg, char *why, size_t why_bytes)
{
	struct made *m;

	if (base->id != RN_CLS_KERNEL && !are_functions(arg)) {
		snprintf(why, why_bytes, "%s",
			 base->id == RN_CLS_USER
				 ? "functions are written \"WHERE:GLOB\", as in \"libc:malloc\" or "
				   "\"/usr/sbin/nginx:ngx_*\""
				 : "static probes are written \"WHERE:PROVIDER:NAME\", as in "
				   "\"/usr/sbin/mysqld:mysql:query__start\"");
		return NULL;
	}
	for (m = c->functions; m; m = m->next)
		if (m->cls.id == base->id && !strcmp(m->cls.arg, arg))
			return &m->cls;
	m = RN_NEW(c->arena, struct made);
	m->cls = *base;
	m->cls.arg = rn_arena_strdup(c->arena, arg);
	if (base->id == RN_CLS_KERNEL)
		rn_types_give(c->types, &m->cls);
	m->next = c->functions;
	c->functions = m;
	return &m->cls;
}

static int tracefs(struct catalog *c)
{
	if (c->tracefs < 0)
		c->tracefs = rn_tracefs_open(&c->tracefs_err);
	return c->tracefs;
}

/* Set a tracepoint's fields: the common ones whose names its own leave free, its own, and the two
 * ends of its socket. */
static void tp_fields(struct catalog *c, struct rn_tp *tp)
{
	struct rn_class common = {0};
	const struct rn_field **field;
	unsigned n = 0;

	if (tp->nmatch)
		rn_tp_share_fields(c->arena, tp);
	set_fields(c, &common, RN_G_COMMON | RN_G_STACK);
	field = RN_NEWN(c->arena, const struct rn_field *, tp->nfields + common.nfields + 2);
	for (unsigned i = 0; i < common.nfields; i++) {
		struct rn_tp_field *own = rn_tp_own_field(tp, common.fields[i]->name);

		if (own)
			own->field.hides = common.fields[i];
		else
			field[n++] = common.fields[i];
	}
	for (unsigned j = 0; j < tp->nfields; j++) {
		tp->field[j].field.id = (uint16_t)(RN_F_TP + j);
		field[n++] = &tp->field[j].field;
	}
	for (unsigned i = 0; tp->ends.known && i < COUNT(fields); i++)
		if (fields[i].id == RN_F_LOCAL || fields[i].id == RN_F_PEER)
			field[n++] = &fields[i];
	tp->cls.fields = field;
	tp->cls.nfields = n;
}

static const char *const *args(void *self, const char *name);

/* Is each of them, with ", " between, written "system:name"? */
static bool are_tracepoints(const char *arg)
{
	bool fine = *arg && !strchr(arg, '/');

	for (size_t n; fine && *arg; arg += n + (arg[n] ? strlen(", ") : 0)) {
		const char *colon = strchr(arg, ':');

		n = strcspn(arg, ",");
		fine = (!arg[n] || (arg[n + 1] == ' ' && arg[n + 2])) && colon && colon != arg &&
		       colon + 1 < arg + n &&
		       !memchr(colon + 1, ':', (size_t)(arg + n - colon - 1));
	}
	return fine;
}

struct enumerators {
	struct rn_arena *arena;
	struct rn_numbered *of;
	unsigned n, cap;
};

static void add_enumerator(void *self, const char *name, int64_t number)
{
	struct enumerators *e = self;

	rn_vec_room_for_in(e->arena, e->of, e->n, e->cap, 1);
	e->of[e->n++] = (struct rn_numbered){number, rn_arena_strdup(e->arena, name)};
}

/* Those of the running kernel. */
static const struct rn_numbering *enumeration(struct rn_arena *arena, const char *name)
{
	struct enumerators e = {.arena = arena};
	struct rn_numbering *all;

	if (!rn_btf_enum(name, add_enumerator, &e))
		return NULL;
	all = RN_NEW(arena, struct rn_numbering);
	*all = (struct rn_numbering){e.of, e.n};
	return all;
}

static const struct rn_class *find_tp(struct catalog *c, const char *arg, char *why,
				      size_t why_bytes)
{
	struct rn_err err = {0};
	struct made_tp *m;
	const char *colon;
	bool glob;
	char *sys;

	if (!are_tracepoints(arg)) {
		snprintf(why, why_bytes,
			 "a tracepoint is written \"system:name\", as in \"sched:sched_switch\"");
		return NULL;
	}
	for (m = c->tps; m; m = m->next)
		if (!strcmp(m->tp.cls.arg, arg))
			return &m->tp.cls;
	if (tracefs(c) < 0) {
		snprintf(why, why_bytes, "tracepoints cannot be looked up: %s\n%s",
			 c->tracefs_err.text, c->tracefs_err.hint);
		return NULL;
	}
	m = RN_NEW(c->arena, struct made_tp);
	m->tp.enumeration = enumeration;
	glob = rn_class_arg_is_glob("tracepoint", arg);
	colon = strchr(arg, ':');
	sys = rn_arena_strndup(c->arena, arg, (size_t)(colon - arg));
	if (glob ? rn_tracefs_match(c->arena, c->tracefs, args(c, "tracepoint"), arg, &m->tp, &err)
		 : rn_tracefs_event(c->arena, c->tracefs, sys, colon + 1, &m->tp, &err)) {
		if (err.code == -ENOENT && !glob)
			snprintf(why, why_bytes, "this kernel has no tracepoint \"%s\"", arg);
		else
			snprintf(why, why_bytes, "%s%s%s%s", err.text, err.hint[0] ? "\n" : "",
				 err.hint, err.code == -E2BIG ? "\nE-LIMIT-TRACEPOINTS" : "");
		return NULL;
	}
	m->tp.cls.name = "tracepoint";
	m->tp.cls.arg = rn_arena_strdup(c->arena, arg);
	m->tp.cls.doc =
		glob ? rn_arena_printf(c->arena,
				       "%u tracepoint%s of the kernel, which `name` tells apart",
				       m->tp.nmatch, m->tp.nmatch == 1 ? "" : "s")
		     : "a tracepoint of the kernel";
	m->tp.cls.no_pair =
		glob ? "a glob stands for several kinds of events: an end of a pair is one" : NULL;
	m->tp.cls.needs_arg = true;
	m->tp.cls.id = RN_CLS_TRACEPOINT;
	tp_fields(c, &m->tp);
	if (!glob)
		rn_types_give(c->types, &m->tp.cls);
	m->next = c->tps;
	c->tps = m;
	return &m->tp.cls;
}

static const struct rn_class *find(void *self, const char *name, const char *arg, char *why,
				   size_t why_bytes)
{
	struct catalog *c = self;
	char sink[1];

	if (!why || !why_bytes)
		why = sink, why_bytes = sizeof(sink);
	why[0] = 0;
	for (unsigned i = 0; i < COUNT(specs); i++) {
		if (strcmp(specs[i].name, name))
			continue;
		if (arg && specs[i].id == RN_CLS_TRACEPOINT)
			return find_tp(c, arg, why, why_bytes);
		if (arg && rn_class_of_functions(name))
			return find_functions(c, &c->builtin[i], arg, why, why_bytes);
		return arg && specs[i].id == RN_CLS_SAMPLE
			       ? find_sample(c, &c->builtin[i], arg, why, why_bytes)
			       : &c->builtin[i];
	}
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
	const char **v;

	if (c->names)
		return c->names;
	v = RN_NEWN(c->arena, const char *, COUNT(specs) + RN_SYS_MAX + 1);
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
	struct rn_arena *arena = rn_arena_create(RN_ARENA_CAP);
	struct catalog *c = RN_NEW(arena, struct catalog);

	c->pub = (struct rn_catalog){
		.self = c, .find = find, .names = names, .args = args, .aggs = aggs};
	c->arena = arena;
	c->types = rn_types_new(arena);
	c->tracefs = -1;
	for (unsigned i = 0; i < COUNT(specs); i++) {
		const struct spec *s = &specs[i];

		c->builtin[i] = (struct rn_class){.name = s->name,
						  .kind = s->kind,
						  .doc = s->doc,
						  .later = s->later,
						  .needs_arg = s->needs_arg,
						  .id = s->id};
		if (s->groups)
			set_fields(c, &c->builtin[i], s->groups);
		else
			set_table_fields(c, &c->builtin[i]);
		set_calls(c, &c->builtin[i]);
		set_named(c, &c->builtin[i]);
		set_own_of_functions(c, &c->builtin[i]);
		set_path_as_given(&c->builtin[i]);
		set_no_pair(&c->builtin[i]);
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
	rn_types_free(c->types);
	rn_arena_destroy(c->arena);
}

const char *rn_field_word(const struct rn_class *cls, const struct rn_field *field, unsigned i)
{
	static const char *const protos[RN_PROTO_COUNT] = {"", "other", "tcp", "udp", "unix"};
	static const char *const modes[RN_MODE_COUNT] = {"program", "kernel"};
	static const char *const ways[RN_DATA_COUNT] = {"", "in", "out"};

	const struct rn_tp *tp = rn_class_tp(cls);

	if (field->id == RN_F_NAME && tp && tp->by_nr && i >= RN_TP_BY_NR &&
	    i - RN_TP_BY_NR < 2 * RN_SYS_FIRST_FREE)
		i = tp->by_nr[(i - RN_TP_BY_NR) / RN_SYS_FIRST_FREE][i % RN_SYS_FIRST_FREE] - 1u;
	if (field->id == RN_F_NAME)
		return tp && i < tp->nmatch ? tp->match[i].name : NULL;
	if (field->id == RN_F_MODE)
		return i < RN_MODE_COUNT ? modes[i] : NULL;
	if (field->id == RN_F_DIR)
		return i < RN_DATA_COUNT ? ways[i] : NULL;
	return field->id == RN_F_PROTO && i < RN_PROTO_COUNT ? protos[i] : NULL;
}

const struct rn_tp *rn_class_tp(const struct rn_class *tracepoint)
{
	return tracepoint->id == RN_CLS_TRACEPOINT && tracepoint->arg
		       ? (const struct rn_tp *)((const char *)tracepoint -
						offsetof(struct rn_tp, cls))
		       : NULL;
}
