/* words.c - the tables of words.h. To teach another habit, add a line. */
#include "lang/foreign/words.h"
#include <stdbool.h>
#include <string.h>
#include <strings.h>
#include "lang/values/units.h"

static const struct {
	enum rn_foreign kind;
	const char *word, *name;
} names[] = {
	{RN_FOREIGN_FIELD, "comm", "proc"},
	{RN_FOREIGN_FIELD, "execname", "proc"},
	{RN_FOREIGN_FIELD, "process", "proc"},
	{RN_FOREIGN_FIELD, "command", "proc"},
	{RN_FOREIGN_FIELD, "cmd", "proc"},
	{RN_FOREIGN_FIELD, "args", "cmdline"},
	{RN_FOREIGN_FIELD, "argv", "cmdline"},
	{RN_FOREIGN_FIELD, "exe", "proc"},
	{RN_FOREIGN_FIELD, "program", "proc"},
	{RN_FOREIGN_FIELD, "filename", "file"},
	{RN_FOREIGN_FIELD, "fname", "file"},
	{RN_FOREIGN_FIELD, "path", "file"},
	{RN_FOREIGN_FIELD, "pathname", "file"},
	{RN_FOREIGN_FIELD, "duration", "latency"},
	{RN_FOREIGN_FIELD, "elapsed", "latency"},
	{RN_FOREIGN_FIELD, "lat", "latency"},
	{RN_FOREIGN_FIELD, "size", "bytes"},
	{RN_FOREIGN_FIELD, "length", "bytes"},
	{RN_FOREIGN_FIELD, "len", "bytes"},
	{RN_FOREIGN_FIELD, "nbytes", "bytes"},
	{RN_FOREIGN_FIELD, "count", "bytes"},
	{RN_FOREIGN_FIELD, "errno", "error"},
	{RN_FOREIGN_FIELD, "err", "error"},
	{RN_FOREIGN_FIELD, "retval", "ret"},
	{RN_FOREIGN_FIELD, "rc", "ret"},
	{RN_FOREIGN_FIELD, "result", "ret"},
	{RN_FOREIGN_FIELD, "exitcode", "ret"},
	{RN_FOREIGN_FIELD, "ts", "time"},
	{RN_FOREIGN_FIELD, "timestamp", "time"},
	{RN_FOREIGN_FIELD, "nsecs", "time"},
	{RN_FOREIGN_FIELD, "syscall", "name"},
	{RN_FOREIGN_FIELD, "probe", "name"},
	{RN_FOREIGN_FIELD, "func", "name"},
	{RN_FOREIGN_FIELD, "tgid", "pid"},
	{RN_FOREIGN_FIELD, "username", "user"},
	{RN_FOREIGN_FIELD, "kstack", "stack"},
	{RN_FOREIGN_FIELD, "cgroupid", "cgroup"},
	{RN_FOREIGN_FIELD, "cpuid", "cpu"},
	{RN_FOREIGN_FIELD, "host", "node"},
	{RN_FOREIGN_FIELD, "hostname", "node"},
	{RN_FOREIGN_FIELD, "ip", "peer"},
	{RN_FOREIGN_FIELD, "addr", "peer"},
	{RN_FOREIGN_FIELD, "remote", "peer"},
	{RN_FOREIGN_FIELD, "dest", "peer"},
	{RN_FOREIGN_SOURCE, "all", "syscall"},
	{RN_FOREIGN_SOURCE, "any", "syscall"},
	{RN_FOREIGN_SOURCE, "everything", "syscall"},
	{RN_FOREIGN_SOURCE, "proc", "processes"},
	{RN_FOREIGN_SOURCE, "process", "processes"},
	{RN_FOREIGN_SOURCE, "ps", "processes"},
	{RN_FOREIGN_SOURCE, "clock", "clocks"},
	{RN_FOREIGN_SOURCE, "fd", "files"},
	{RN_FOREIGN_SOURCE, "cgroup", "cgroups"},
	{RN_FOREIGN_SOURCE, "node", "nodes"},
	{RN_FOREIGN_SOURCE, "line", "lines"},
	{RN_FOREIGN_SOURCE, "disk", "block"},
	{RN_FOREIGN_SOURCE, "network", "net"},
	{RN_FOREIGN_SOURCE, "clone", "fork"},
	{RN_FOREIGN_SOURCE, "exec_process", "exec"},
	{RN_FOREIGN_FUNC, "average", "avg"},
	{RN_FOREIGN_FUNC, "mean", "avg"},
	{RN_FOREIGN_FUNC, "histogram", "hist"},
	{RN_FOREIGN_FUNC, "quantize", "hist"},
	{RN_FOREIGN_FUNC, "lquantize", "lhist"},
	{RN_FOREIGN_FUNC, "median", "p50"},
	{RN_FOREIGN_FUNC, "uniq", "distinct"},
	{RN_FOREIGN_FUNC, "unique", "set"},
	{RN_FOREIGN_FUNC, "total", "sum"},
	{RN_FOREIGN_FUNC, "length", "len"},
	{RN_FOREIGN_FUNC, "strlen", "len"},
	{RN_FOREIGN_FUNC, "percentile", "quantile"},
	{RN_FOREIGN_FUNC, "stdev", "stddev"},
	{RN_FOREIGN_FUNC, "variance", "stddev"},
	{RN_FOREIGN_FUNC, "stats", "avg"},
	{RN_FOREIGN_FUNC, "tolower", "lower"},
	{RN_FOREIGN_FUNC, "toupper", "upper"},
	{RN_FOREIGN_FUNC, "substring", "substr"},
	{RN_FOREIGN_FUNC, "strcontains", "contains"},
	{RN_FOREIGN_FUNC, "strpos", "contains"},
	{RN_FOREIGN_FUNC, "starts_with", "startswith"},
	{RN_FOREIGN_FUNC, "has_prefix", "startswith"},
	{RN_FOREIGN_FUNC, "ends_with", "endswith"},
	{RN_FOREIGN_FUNC, "strcat", "concat"},
	{RN_FOREIGN_FUNC, "split", "split_part"},
	{RN_FOREIGN_FUNC, "regexp_extract", "extract"},
	{RN_FOREIGN_FUNC, "iif", "if"},
	{RN_FOREIGN_FUNC, "iff", "if"},
	{RN_FOREIGN_FUNC, "btrim", "trim"},
	{RN_FOREIGN_FUNC, "strip", "trim"},
	{RN_FOREIGN_FUNC, "hourofday", "hour"},
	{RN_FOREIGN_UNIT, "msec", "ms"},
	{RN_FOREIGN_UNIT, "msecs", "ms"},
	{RN_FOREIGN_UNIT, "millis", "ms"},
	{RN_FOREIGN_UNIT, "milliseconds", "ms"},
	{RN_FOREIGN_UNIT, "usec", "us"},
	{RN_FOREIGN_UNIT, "usecs", "us"},
	{RN_FOREIGN_UNIT, "microseconds", "us"},
	{RN_FOREIGN_UNIT, "nsec", "ns"},
	{RN_FOREIGN_UNIT, "nanoseconds", "ns"},
	{RN_FOREIGN_UNIT, "sec", "s"},
	{RN_FOREIGN_UNIT, "secs", "s"},
	{RN_FOREIGN_UNIT, "second", "s"},
	{RN_FOREIGN_UNIT, "seconds", "s"},
	{RN_FOREIGN_UNIT, "min", "m"},
	{RN_FOREIGN_UNIT, "mins", "m"},
	{RN_FOREIGN_UNIT, "minute", "m"},
	{RN_FOREIGN_UNIT, "minutes", "m"},
	{RN_FOREIGN_UNIT, "hour", "h"},
	{RN_FOREIGN_UNIT, "hours", "h"},
	{RN_FOREIGN_UNIT, "days", "d"},
	{RN_FOREIGN_UNIT, "day", "d"},
	{RN_FOREIGN_UNIT, "bytes", "B"},
	{RN_FOREIGN_UNIT, "K", "KiB"},
	{RN_FOREIGN_UNIT, "G", "GiB"},
};

static const struct {
	const char *word, *hint;
} syntax[] = {
	{"group", "groups are made with `by` alone: count of read by proc"},
	{"grouped", "groups are made with `by` alone: count of read by proc"},
	{"sort", "write `order by count desc`, or `top 10`"},
	{"sorted", "write `order by count desc`, or `top 10`"},
	{"desc", "`desc` follows `order by`: order by count desc"},
	{"asc", "`asc` follows `order by`: order by count asc"},
	{"descending", "write `desc`"},
	{"ascending", "write `asc`"},
	{"like", "a glob is written proc ~ \"java*\", a regular expression proc =~ \"^java\""},
	{"ilike", "a glob is written proc ~ \"java*\"; lower(proc) ignores case"},
	{"glob", "a glob is written proc ~ \"java*\""},
	{"contains", "write contains(file, \"log\")"},
	{"startswith", "write startswith(file, \"/var/\")"},
	{"endswith", "write endswith(file, \".log\")"},
	{"rlike", "a regular expression is written proc =~ \"^java\""},
	{"similar", "a regular expression is written proc =~ \"^java\""},
	{"regexp", "a regular expression is written proc =~ \"^java\""},
	{"matches", "a regular expression is written proc =~ \"^java\""},
	{"now",
	 "now() is the time at which the query begins: time > now() - 1h; `for 5s` looks for so "
	 "long"},
	{"distinct", "write distinct(file) for how many there are, set(file) for which"},
	{"offset", "there is no offset: `limit N` gives the first N"},
	{"union", "one query has one source; a family such as `syscall` or `io` holds many: count "
		  "of io by name"},
	{"join", "events are paired with `between A and B on KEYS`; a set of values with `pid in "
		 "(pid of processes where ...)`"},
	{"help", "`runnel --help` shows the command line, `runnel list` what can be asked"},
	{"limits", "write `limit 10`"},
};

const char *rn_foreign_name(enum rn_foreign kind, const char *word)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (names[i].kind == kind && !strcasecmp(names[i].word, word))
			return names[i].name;
	return NULL;
}

const char *rn_foreign_syntax(const char *word)
{
	for (size_t i = 0; i < sizeof(syntax) / sizeof(*syntax); i++)
		if (!strcasecmp(syntax[i].word, word))
			return syntax[i].hint;
	return NULL;
}

/* Each has a hint, or the command and the prompt's command that do it. named: the next word is put
 * behind them. */
static const struct {
	const char *word, *hint, *command, *prompt;
	bool named;
} statements[] = {
	{.word = "select",
	 .hint = "there is no `select`: `select pid, rss from processes` is `pid, rss of "
		 "processes`, and "
		 "groups are made by `by`: count of syscall by proc"},
	{.word = "case",
	 .hint = "there is no `case`: if(bytes > 4096, \"long\", \"short\") is one of two values"},
	{.word = "with",
	 .hint = "a result gets a name by `let NAME := QUERY;`, and is then a source: events of "
		 "NAME"},
	{.word = "create",
	 .hint = "a view is made by `view NAME := QUERY`: view slow := count of read where latency "
		 "> 10ms by file"},
	{.word = "insert",
	 .hint = "what a query finds is recorded by `into`: events of read for 5s into \"x.rnt\""},
	{.word = "watch",
	 .hint = "`runnel watch` takes a view; a query alone goes on by itself: count of open "
		 "every 1s"},
	{.word = "describe", .command = "runnel describe", .prompt = "\\d", .named = true},
	{.word = "desc", .command = "runnel describe", .prompt = "\\d", .named = true},
	{.word = "show", .command = "runnel list", .prompt = "\\l"},
	{.word = "list", .command = "runnel list", .prompt = "\\l"},
	{.word = "doctor", .command = "runnel doctor", .prompt = "\\! runnel doctor"},
};

const char *rn_foreign_statement(struct rn_arena *arena, const char *first, const char *next)
{
	for (size_t i = 0; i < sizeof(statements) / sizeof(*statements); i++) {
		const char *name = statements[i].named
					   ? rn_arena_printf(arena, " %s", *next ? next : "NAME")
					   : "";

		if (strcasecmp(statements[i].word, first))
			continue;
		if (statements[i].hint)
			return statements[i].hint;
		return rn_arena_printf(
			arena, "that is no query: at the command line `%s%s`, at the prompt `%s%s`",
			statements[i].command, name, statements[i].prompt, name);
	}
	return NULL;
}

#define OF_KERNEL \
	"functions of the kernel are written kernel \"vfs_read\": count of kernel \"vfs_*\" by " \
	"func; if it has no kprobes, tracepoints are there: `runnel list 'tcp:*'`"
#define AT_RETURN \
	"the end of a call is asked for by `latency` or `ret`: hist(latency) of kernel " \
	"\"vfs_read\"; of system calls: hist(latency) of read"
#define OF_PROGRAM \
	"functions of programs are written user \"libc:malloc\": count of user \"libc:malloc\" " \
	"by " \
	"proc"
#define AT_END \
	"the end of a call is asked for by `latency` or `ret`: hist(latency) of user " \
	"\"libc:malloc\""
#define OF_TRACEPOINT "a tracepoint of the kernel is written tracepoint \"sched:sched_switch\""
static const struct {
	const char *word, *hint;
} probes[] = {
	{"profile", "a profile is written `sample 99hz`: count of sample 99hz by stack"},
	{"sample", "a profile is written `sample 99hz`: count of sample 99hz by stack"},
	{"interval", "answers come at intervals by `every`: count of read by proc every 1s"},
	{"kprobe", OF_KERNEL},
	{"fentry", OF_KERNEL},
	{"kfunc", OF_KERNEL},
	{"fbt", OF_KERNEL},
	{"kretprobe", AT_RETURN},
	{"fexit", AT_RETURN},
	{"kretfunc", AT_RETURN},
	{"uprobe", OF_PROGRAM},
	{"uretprobe", AT_END},
	{"watchpoint", "memory is not watched: calls of functions are, count of user "
		       "\"libc:malloc\" by proc"},
	{"rawtracepoint", OF_TRACEPOINT},
	{"raw_tracepoint", OF_TRACEPOINT},
	{"usdt",
	 "static probes are there: count of usdt \"/usr/sbin/mysqld:mysql:query__start\" by "
	 "proc"},
	{"software",
	 "such events are tracepoints: count of tracepoint \"exceptions:page_fault_user\" by proc"},
	{"hardware",
	 "counters of the hardware are not there; the clock is: count of sample 99hz by proc"},
};

const char *rn_foreign_probe(const char *word, size_t len)
{
	for (size_t i = 0; i < sizeof(probes) / sizeof(*probes); i++)
		if (strlen(probes[i].word) == len && !strncasecmp(probes[i].word, word, len))
			return probes[i].hint;
	return NULL;
}

static const struct {
	const char *word, *hint;
} calls[] = {
	{"topk", "the greatest are chosen at the end: sum(bytes) of read by file top 5"},
	{"bottomk", "the least are chosen at the end: sum(bytes) as b of read by file order by b "
		    "limit 5"},
	{"coalesce", "write if(latency is null, 0ns, latency)"},
	{"ifnull", "write if(latency is null, 0ns, latency)"},
	{"floor", "div(x, 1) is a number without its fraction, bucket(x, 10) the ten below it"},
	{"histogram_quantile", "write p99(latency), or quantile(latency, 0.99)"},
	{"increase", "a window is `every`: sum(bytes) of read every 5m"},
	{"irate", "a window is `every`: rate(bytes) of read every 1s"},
	{"avg_over_time", "a window is `every`: avg(latency) of read every 5m"},
	{"max_over_time", "a window is `every`: max(latency) of read every 5m"},
};

const char *rn_foreign_call(const char *name)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (!strcasecmp(calls[i].word, name))
			return calls[i].hint;
	return NULL;
}

static const struct {
	const char *word; /* ends in `*`: how the name begins */
	const char *hint;
} sources[] = {
	{"dns", "DNS goes to port 53: count of send where port(peer) = 53 by proc, peer"},
	{"http", "HTTP goes to ports: count of send where port(peer) = 80 by proc, peer"},
	{"https", "TLS is read in the program: count of tls_read by proc"},
	{"malloc", OF_PROGRAM},
	{"free", OF_PROGRAM},
	{"vfs_read", "the function is kernel \"vfs_*\"; the system call, which every kernel shows, "
		     "is: count of read"},
	{"vfs_write", "the function is kernel \"vfs_*\"; the system call, which every kernel "
		      "shows, is: count of write"},
	{"vfs_open", "the function is kernel \"vfs_*\"; the system call, which every kernel shows, "
		     "is: count of open"},
	{"vfs_fsync", "the function is kernel \"vfs_*\"; the system call, which every kernel "
		      "shows, is: count of fsync"},
	{"vfs_*", OF_KERNEL},
	{"tcp_*", OF_KERNEL},
	{"udp_*", OF_KERNEL},
	{"ip_*", OF_KERNEL},
	{"ext4_*", OF_KERNEL},
	{"xfs_*", OF_KERNEL},
	{"do_*", OF_KERNEL},
	{"__*", OF_KERNEL},
};

const char *rn_foreign_source(const char *name)
{
	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++) {
		size_t n = strlen(sources[i].word);

		if (!strcmp(sources[i].word, name) ||
		    (sources[i].word[n - 1] == '*' && !strncmp(sources[i].word, name, n - 1)))
			return sources[i].hint;
	}
	return NULL;
}

static const struct {
	const char *word, *of, *hint; /* of: the class; NULL: any */
} fields[] = {
	{"dport", NULL, "the port of the other end is port(peer): port(peer) = 80"},
	{"sport", NULL, "the own port is port(local): port(local) = 80"},
	{"lport", NULL, "the own port is port(local): port(local) = 80"},
	{"rport", NULL, "the port of the other end is port(peer): port(peer) = 80"},
	{"daddr", NULL, "the other end is `peer`: peer = \"10.0.0.1\""},
	{"saddr", NULL, "the own end is `local`: local = \"10.0.0.1\""},
	{"args", "syscall", "the arguments are arg0 to arg5: proc, name, arg0, arg1"},
	{"cpu", "processes", "the table has `utime` and `stime`; or count of sample 99hz by proc"},
};

const char *rn_foreign_field(const char *name, const char *class_name)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		if (!strcmp(fields[i].word, name) &&
		    (!fields[i].of || !strcmp(fields[i].of, class_name)))
			return fields[i].hint;
	return NULL;
}

const char *rn_foreign_unit(const char *word)
{
	for (const struct rn_unit_def *u = rn_units; u->name; u++)
		if (!strcasecmp(u->name, word))
			return u->name;
	return rn_foreign_name(RN_FOREIGN_UNIT, word);
}

const char rn_foreign_args[] =
	"arguments are fields: `file`, `fd`, `flags`, `arg0` to `arg5` of a call, a tracepoint's "
	"own by their names; `runnel describe openat` lists them";

static const struct {
	const char *name, *hint;
} instead[] = {
	{"block", "its tracepoints are there: count of tracepoint \"block:block_rq_issue\""},
	{"sched",
	 "its tracepoints are there: count of tracepoint \"sched:sched_switch\" by next_comm"},
	{"net", "its tracepoints are there: count of tracepoint \"net:net_dev_queue\"; or the "
		"calls: sum(bytes) of send by peer"},
	{"files", "files are found by what is done to them: count of open by file"},
	{"sockets", "what is connected while you look is there: events of connect"},
};

const char *rn_foreign_instead(const char *class_name)
{
	for (size_t i = 0; i < sizeof(instead) / sizeof(*instead); i++)
		if (!strcmp(instead[i].name, class_name))
			return instead[i].hint;
	return NULL;
}
