/* foreign_words.c - the tables of foreign_words.h. To teach another habit, add a line. */
#include "lang/syntax/foreign_words.h"
#include <stdbool.h>
#include <string.h>
#include <strings.h>

static const struct {
	enum rn_habit kind;
	const char *word, *name;
} names[] = {
	{RN_HABIT_FIELD, "comm", "proc"},
	{RN_HABIT_FIELD, "execname", "proc"},
	{RN_HABIT_FIELD, "process", "proc"},
	{RN_HABIT_FIELD, "command", "proc"},
	{RN_HABIT_FIELD, "cmd", "proc"},
	{RN_HABIT_FIELD, "args", "cmdline"},
	{RN_HABIT_FIELD, "argv", "cmdline"},
	{RN_HABIT_FIELD, "exe", "proc"},
	{RN_HABIT_FIELD, "program", "proc"},
	{RN_HABIT_FIELD, "filename", "file"},
	{RN_HABIT_FIELD, "fname", "file"},
	{RN_HABIT_FIELD, "path", "file"},
	{RN_HABIT_FIELD, "pathname", "file"},
	{RN_HABIT_FIELD, "duration", "latency"},
	{RN_HABIT_FIELD, "elapsed", "latency"},
	{RN_HABIT_FIELD, "lat", "latency"},
	{RN_HABIT_FIELD, "size", "bytes"},
	{RN_HABIT_FIELD, "length", "bytes"},
	{RN_HABIT_FIELD, "len", "bytes"},
	{RN_HABIT_FIELD, "nbytes", "bytes"},
	{RN_HABIT_FIELD, "count", "bytes"},
	{RN_HABIT_FIELD, "errno", "error"},
	{RN_HABIT_FIELD, "err", "error"},
	{RN_HABIT_FIELD, "retval", "ret"},
	{RN_HABIT_FIELD, "rc", "ret"},
	{RN_HABIT_FIELD, "result", "ret"},
	{RN_HABIT_FIELD, "exitcode", "ret"},
	{RN_HABIT_FIELD, "ts", "time"},
	{RN_HABIT_FIELD, "timestamp", "time"},
	{RN_HABIT_FIELD, "nsecs", "time"},
	{RN_HABIT_FIELD, "syscall", "name"},
	{RN_HABIT_FIELD, "probe", "name"},
	{RN_HABIT_FIELD, "func", "name"},
	{RN_HABIT_FIELD, "tgid", "pid"},
	{RN_HABIT_FIELD, "username", "user"},
	{RN_HABIT_FIELD, "kstack", "stack"},
	{RN_HABIT_FIELD, "cgroupid", "cgroup"},
	{RN_HABIT_FIELD, "cpuid", "cpu"},
	{RN_HABIT_FIELD, "host", "node"},
	{RN_HABIT_FIELD, "hostname", "node"},
	{RN_HABIT_FIELD, "ip", "peer"},
	{RN_HABIT_FIELD, "addr", "peer"},
	{RN_HABIT_FIELD, "remote", "peer"},
	{RN_HABIT_FIELD, "dest", "peer"},
	{RN_HABIT_SOURCE, "all", "syscall"},
	{RN_HABIT_SOURCE, "any", "syscall"},
	{RN_HABIT_SOURCE, "everything", "syscall"},
	{RN_HABIT_SOURCE, "process", "proc"},
	{RN_HABIT_SOURCE, "processes", "proc"},
	{RN_HABIT_SOURCE, "ps", "proc"},
	{RN_HABIT_SOURCE, "files", "open"},
	{RN_HABIT_SOURCE, "disk", "block"},
	{RN_HABIT_SOURCE, "network", "net"},
	{RN_HABIT_SOURCE, "clone", "fork"},
	{RN_HABIT_SOURCE, "exec_process", "exec"},
	{RN_HABIT_FUNC, "average", "avg"},
	{RN_HABIT_FUNC, "mean", "avg"},
	{RN_HABIT_FUNC, "histogram", "hist"},
	{RN_HABIT_FUNC, "quantize", "hist"},
	{RN_HABIT_FUNC, "lquantize", "lhist"},
	{RN_HABIT_FUNC, "median", "p50"},
	{RN_HABIT_FUNC, "uniq", "distinct"},
	{RN_HABIT_FUNC, "unique", "set"},
	{RN_HABIT_FUNC, "total", "sum"},
	{RN_HABIT_FUNC, "length", "len"},
	{RN_HABIT_FUNC, "strlen", "len"},
	{RN_HABIT_FUNC, "percentile", "quantile"},
	{RN_HABIT_FUNC, "stdev", "stddev"},
	{RN_HABIT_FUNC, "variance", "stddev"},
	{RN_HABIT_FUNC, "stats", "avg"},
	{RN_HABIT_FUNC, "tolower", "lower"},
	{RN_HABIT_FUNC, "toupper", "upper"},
	{RN_HABIT_FUNC, "substring", "substr"},
	{RN_HABIT_UNIT, "msec", "ms"},
	{RN_HABIT_UNIT, "msecs", "ms"},
	{RN_HABIT_UNIT, "millis", "ms"},
	{RN_HABIT_UNIT, "milliseconds", "ms"},
	{RN_HABIT_UNIT, "usec", "us"},
	{RN_HABIT_UNIT, "usecs", "us"},
	{RN_HABIT_UNIT, "microseconds", "us"},
	{RN_HABIT_UNIT, "nsec", "ns"},
	{RN_HABIT_UNIT, "nanoseconds", "ns"},
	{RN_HABIT_UNIT, "sec", "s"},
	{RN_HABIT_UNIT, "secs", "s"},
	{RN_HABIT_UNIT, "second", "s"},
	{RN_HABIT_UNIT, "seconds", "s"},
	{RN_HABIT_UNIT, "min", "m"},
	{RN_HABIT_UNIT, "mins", "m"},
	{RN_HABIT_UNIT, "minute", "m"},
	{RN_HABIT_UNIT, "minutes", "m"},
	{RN_HABIT_UNIT, "hour", "h"},
	{RN_HABIT_UNIT, "hours", "h"},
	{RN_HABIT_UNIT, "days", "d"},
	{RN_HABIT_UNIT, "day", "d"},
	{RN_HABIT_UNIT, "bytes", "B"},
	{RN_HABIT_UNIT, "K", "KiB"},
	{RN_HABIT_UNIT, "G", "GiB"},
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
	{"contains", "a glob is written file ~ \"*log*\""},
	{"rlike", "a regular expression is written proc =~ \"^java\""},
	{"similar", "a regular expression is written proc =~ \"^java\""},
	{"regexp", "a regular expression is written proc =~ \"^java\""},
	{"matches", "a regular expression is written proc =~ \"^java\""},
	{"is", "no field is ever missing: compare with \"\" or 0"},
	{"now", "there is no present time: `for 5s` looks for so long; of a recording, times are "
		"compared with texts: time > \"2026-11-20 10:00:00\""},
	{"distinct", "write distinct(file) for how many there are, set(file) for which"},
	{"offset", "there is no offset: `limit N` gives the first N"},
	{"union", "one query has one source; a family such as `syscall` or `io` holds many: count "
		  "of io by name"},
	{"join", "events are paired with `between A and B on KEYS`; a set of values with `pid in "
		 "(pid of proc where ...)`"},
	{"help", "`runnel --help` shows the command line, `runnel list` what can be asked"},
	{"limits", "write `limit 10`"},
};

const char *rn_habit_name(enum rn_habit kind, const char *word)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (names[i].kind == kind && !strcasecmp(names[i].word, word))
			return names[i].name;
	return NULL;
}

const char *rn_habit_syntax(const char *word)
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
	 .hint = "there is no `select`: `select pid, rss from proc` is `pid, rss of proc`, and "
		 "groups are made by `by`: count of syscall by proc"},
	{.word = "case",
	 .hint = "there is no `case`: sum(bytes > 4096) counts where it holds, and `by bytes > "
		 "4096` makes a group of each"},
	{.word = "with",
	 .hint = "a result gets a name by `let NAME := QUERY;`, and is then a source: events of "
		 "NAME"},
	{.word = "create",
	 .hint = "a view is made by `view NAME := QUERY`: view slow := count of read where latency "
		 "> 10ms by file"},
	{.word = "insert",
	 .hint = "what a query finds is recorded by `into`: events of read for 5s into \"x.rnt\""},
	{.word = "describe", .command = "runnel describe", .prompt = "\\d", .named = true},
	{.word = "desc", .command = "runnel describe", .prompt = "\\d", .named = true},
	{.word = "show", .command = "runnel list", .prompt = "\\l"},
	{.word = "list", .command = "runnel list", .prompt = "\\l"},
	{.word = "doctor", .command = "runnel doctor", .prompt = "\\! runnel doctor"},
};

const char *rn_habit_statement(struct rn_arena *arena, const char *first, const char *next)
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
	"functions of the kernel are not probed: tracepoints are, `runnel list 'tcp:*'` shows " \
	"those of tcp; and system calls by name"
#define AT_RETURN \
	"functions of the kernel are not probed: system calls are, by name, and `latency` is " \
	"from entry to return: hist(latency) of read"
#define OF_PROGRAM \
	"functions of programs are not probed: system calls are, with the stack that made them: " \
	"count of write by ustack"
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
	{"uretprobe", OF_PROGRAM},
	{"watchpoint", OF_PROGRAM},
	{"rawtracepoint", OF_TRACEPOINT},
	{"raw_tracepoint", OF_TRACEPOINT},
	{"usdt", "probes of programs are not there: system calls are, with the stack that made "
		 "them: count of write by ustack"},
	{"software",
	 "such events are tracepoints: count of tracepoint \"exceptions:page_fault_user\" by proc"},
	{"hardware",
	 "counters of the hardware are not there; the clock is: count of sample 99hz by proc"},
};

const char *rn_habit_probe(const char *word, size_t len)
{
	for (size_t i = 0; i < sizeof(probes) / sizeof(*probes); i++)
		if (strlen(probes[i].word) == len && !strncasecmp(probes[i].word, word, len))
			return probes[i].hint;
	return NULL;
}

const char rn_habit_args[] =
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
	{"kernel", "tracepoints are there, `runnel list 'tcp:*'` shows those of tcp; and system "
		   "calls by name"},
	{"user", "system calls are there, with the stack that made them: count of write by ustack"},
	{"usdt", "system calls are there, with the stack that made them: count of write by ustack"},
	{"fd", "what is opened while you look is there: events of open"},
	{"socket", "what is connected while you look is there: events of connect"},
};

const char *rn_habit_instead(const char *class_name)
{
	for (size_t i = 0; i < sizeof(instead) / sizeof(*instead); i++)
		if (!strcmp(instead[i].name, class_name))
			return instead[i].hint;
	return NULL;
}
