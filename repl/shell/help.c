/* help.c - the topics of \h. A line that begins with four blanks is an example. A test checks that
 * the examples parse and resolve, with each topic as one text. */
#include <stdlib.h>
#include <string.h>
#include "lang/base/memory.h"
#include "repl/shell/shell_impl.h"

const struct rn_help_topic rn_help_topics[] = {
	{"query", "the shape of a question",
	 "A query is WHAT of SOURCE and its clauses, in any order, with `;` at its end.\n"
	 "    count of syscall by proc for 5s;\n"
	 "    count, sum(bytes), p99(latency) of read by file for 5s;\n"
	 "    events of open where error = ENOENT limit 20;\n"
	 "    pid, proc, rss of processes order by rss desc limit 10;\n"
	 "WHAT is a list of expressions, `events` (all fields), `flow` (hops of tagged data), or\n"
	 "`top N`. Without `for` or `limit` a live query runs until Ctrl-C, then shows what it "
	 "has.\n"},
	{"sources", "what can be asked: classes, tables, tracepoints",
	 "Classes of events: `syscall` (all calls), each system call by its name, families such "
	 "as\n"
	 "`io read write send recv open close connect accept`, `exec fork exit`, `tag`, `tls`, "
	 "and\n"
	 "tracepoints. Tables such as `processes` are a snapshot. A query in parentheses is a "
	 "source "
	 "too.\n"
	 "    count of fsync by proc, file for 5s;\n"
	 "    count of tracepoint \"sched:sched_process_exec\" for 5s;\n"
	 "    count of read, fsync, tracepoint \"irq:*\", \"timer:*\" by name for 5s;\n"
	 "    max(calls) of (count as calls of syscall by proc for 5s);\n"
	 "\\l lists them, \\d NAME describes one, \\l 'sched:*' lists tracepoints,\n"
	 "\\l user:libc:mem* functions of a library, \\l kernel:vfs_* of the kernel.\n"},
	{"fields", "what is known of an event",
	 "Fields have the same names everywhere: time, proc, pid, name, file, bytes, latency, "
	 "error...\n"
	 "    time, proc, file, latency of fsync limit 20;\n"
	 "    count of read by user, proc for 5s;\n"
	 "A field that does not apply holds \"\", 0, or -1 for fd. \\d CLASS lists those of a "
	 "class,\n"
	 "\\d FIELD says what one is and who has it.\n"},
	{"where", "which events count",
	 "Comparisons, `and or not`, `in (...)`, `between`, `is null`; `~` is a glob, `=~` a "
	 "regular expression.\n"
	 "A word that is compared with text needs no quotes.\n"
	 "    count of read where proc = java and bytes > 4KiB by file for 5s;\n"
	 "    events of open where file ~ \"/etc/*\" and error != 0 limit 20;\n"
	 "Errors, flags, signals and states have names, and -v shows the number too:\n"
	 "    count of open where flags & O_CREAT != 0 or error = ENOENT by flags for 5s;\n"
	 "    count of write where pid in (pid of processes where user = root) by proc for 5s;\n"
	 "`in live` asks of processes that begin while the query runs, and of their children:\n"
	 "    count of read where pid in live (pid of exec where proc = sh) by file for 5s;\n"
	 "`(QUERY)` of one column is a value, asked first: latency > (p99(latency) of read for "
	 "5s).\n"
	 "Durations and sizes have units: 10ms, 5s, 4KiB. `having` does the same with groups.\n"},
	{"aggregates", "count, sum, quantiles, histograms",
	 "An aggregate makes a row for each group of `by`: count sum avg min max stddev first "
	 "last\n"
	 "p50 p90 p95 p99 p999 quantile(x, q) hist(x) lhist(x, lo, hi, step) distinct(x) set(x)\n"
	 "top(x, k) rate. pNN is a quantile of two to four digits: p75 p9999. `where` in the\n"
	 "parentheses takes a part of the events. share(count) is the part of all groups, and\n"
	 "delta(count), with `every`, the difference to the window before:\n"
	 "    count, count(where error != 0) as failed, p99(latency where error = 0) of read for "
	 "5s;\n"
	 "    hist(latency) of read for 5s;\n"
	 "    p50(latency), p99(latency), max(latency) of write by file top 10 for 5s;\n"
	 "    distinct(file), sum(bytes) as moved of io by proc order by moved desc for 5s;\n"
	 "They are kept in the kernel; \\d NAME tells about each.\n"},
	{"functions", "texts, numbers, times, choices",
	 "if(c, a, b) is a if c is true, else b.\n"
	 "Texts: contains startswith endswith replace trim concat split_part extract substr len "
	 "lower\n"
	 "upper basename dirname ext. Numbers: bucket div round abs sqrt log2 least greatest.\n"
	 "Times: now() hour(t) date(t). Addresses: port ip4 cidr. Bits: & | ^ << >>.\n"
	 "    count of open where flags & 64 != 0 by ext(file) for 5s;\n"
	 "    count of io by if(bytes >= 64KiB, \"large\", \"small\") as size for 5s;\n"
	 "\\d NAME tells about each.\n"},
	{"windows", "every so often, for so long",
	 "    count of syscall by proc every 1s for 10s;\n"
	 "    sum(bytes) of read every 500ms for 5s;\n"
	 "`every 1s over 10s` gives each second the groups of the last ten:\n"
	 "    p99(latency) of read by proc every 1s over 3s for 5s;\n"
	 "Without `every` an answer on a terminal refreshes in place and stays when it ends.\n"
	 "`\\watch 5` repeats a query that ends by itself, such as one of a table:\n"
	 "    proc, rss of processes order by rss desc limit 5;\n"},
	{"flow", "where does this data go",
	 "Put a marker into the data, of 4 to 64 bytes, and ask for it: every call whose data "
	 "holds it\n"
	 "is an event, and `flow` says which hop each came from.\n"
	 "    flow of tag fix283 for 10s;\n"
	 "    count of tag fix283, \"order 17\" by proc, file for 10s;\n"
	 "    events of tag x\"00ff1234\" where proc != bash limit 20;\n"
	 "`tags add fix283;` keeps tags; `tag *` is all that are kept.\n"},
	{"views", "questions with a name",
	 "    view slow(threshold = 10ms) := count of read where latency > $threshold by file;\n"
	 "    events of slow(50ms) for 5s;\n"
	 "A view is saved, and a source like others; `drop view slow;` forgets it. Many are "
	 "there.\n"
	 "A parameter may be a field, a condition or a source; Tab offers what it takes:\n"
	 "    view busiest(what, key) := count of $what by $key top 10;\n"
	 "    events of busiest(read, file) for 5s;\n"
	 "The name alone is a statement, for all of a view's rows:\n"
	 "    biggest(5);\n"
	 "    events of top_files for 5s;\n"
	 "A view of events can be in a list of classes:\n"
	 "    view late := events of open where latency > 1ms;\n"
	 "    count of read, late by name for 5s;\n"
	 "\\v lists views, \\d NAME describes one.\n"},
	{"results", "answers that are kept",
	 "`let` runs a query now and keeps its rows until the session ends; they are a source "
	 "then.\n"
	 "    let slow := count as calls, p99(latency) of read by proc, file for 5s;\n"
	 "    proc, file, calls of slow where calls > 10 order by calls desc limit 5;\n"
	 "\\v lists results and views, \\d NAME has the columns of one.\n"},
	{"scripts", "files of statements",
	 "Statements with `;` between them, in a file: `\\i FILE` runs it here, `runnel FILE.rnl` "
	 "there,\n"
	 "with NAME=VALUE for each $NAME. `--` begins a comment. \\o FILE and \\f json or csv "
	 "write rows\n"
	 "for programs, as -O and -o do on the command line.\n"
	 "    count of syscall by proc for 1s;\n"},
	{"recordings", "ask the past",
	 "    events of io for 5s into \"io.rnt\";\n"
	 "    count of io by proc from \"io.rnt\";\n"
	 "A recording is an SQLite file; the same query runs over it, and needs no rights. One "
	 "that is\n"
	 "there is written over by `replace` behind its name, and added to by `append`:\n"
	 "    events of io for 5s into \"io.rnt\" append;\n"},
	{"cluster", "many machines answer as one",
	 "`runnel -H FILE` asks the nodes of a hosts file; \\n lists them.\n"
	 "    count of read by node, proc for 5s;\n"
	 "    count of syscall on local for 5s;\n"
	 "A node that is down does not end the query: the ledger names it. `clocks` has their "
	 "clocks.\n"},
	{"ledger", "how complete is the answer",
	 "Every answer ends with its ledger: events seen, matched and lost, payload searched and "
	 "not.\n"
	 "What was lost is named with its cause and what helps. runnel -v shows all of it, "
	 "--strict\n"
	 "makes it an error not to be complete.\n"
	 "    explain count of read where proc = java by file;\n"
	 "shows what would run where, and why; \\explain QUERY does too, and alone with the last "
	 "one.\n"},
	{"keys", "at the prompt",
	 "Tab completes a word, or shows what can stand there. The arrows go through what was "
	 "entered,\n"
	 "Ctrl-R searches it; after an error that asks `did you mean`, Ctrl-X puts in what was "
	 "meant.\n"
	 "Ctrl-C ends a running query, or forgets the line; Ctrl-D leaves. Ctrl-Z suspends: a\n"
	 "query goes on being counted in the kernel, and what finds no room there while nobody "
	 "takes it\n"
	 "out is in the ledger as lost. What begins with a blank is not remembered.\n"},
	{0},
};

/* Print n bytes of lines as one paragraph, as wide as the terminal. */
static void put_paragraph(struct rn_session *s, const char *text, size_t n)
{
	char *joined = rn_strndup(text, n);

	for (char *c = joined; (c = strchr(c, '\n'));)
		*c = ' ';
	rn_text_wrap(s->to, joined, s->err_term.width ? s->err_term.width : 80, 0);
	free(joined);
}

static int show_topic(struct rn_session *session, const struct rn_help_topic *t)
{
	const char *bold = session->err_term.color && session->to == stdout ? "\033[1m" : "",
		   *off = *bold ? "\033[0m" : "";

	for (const char *p = t->text; *p;) {
		const char *end = strchr(p, '\n'), *example;

		if (!strncmp(p, "    ", 4)) {
			char line[256];

			snprintf(line, sizeof(line), "    %s%.*s%s", bold, (int)(end - p) - 4,
				 p + 4, off);
			rn_text_wrap(session->to, line, session->err_term.width, 2);
		} else {
			example = strstr(p, "\n    ");
			end = example ? example : p + strlen(p) - 1;
			put_paragraph(session, p, (size_t)(end - p));
		}
		p = end + 1;
	}
	return 0;
}

static void show_topics(struct rn_session *s)
{
	unsigned width = s->err_term.width;

	rn_text_wrap(
		s->to,
		"Ask WHAT of SOURCE, with clauses, and `;` at the end:\n"
		"    count of syscall by proc for 5s;\n"
		"Tab completes; Ctrl-C ends a query; \\? lists commands, \\q leaves. \\h TOPIC:",
		width, 0);
	for (const struct rn_help_topic *t = rn_help_topics; t->name; t++) {
		char line[256];

		snprintf(line, sizeof(line), "  %-11s %s", t->name, t->about);
		rn_text_wrap(s->to, line, width, 12);
	}
}

/* Find a topic by its name, or by a beginning that no other topic has; NULL: there is none. */
static const struct rn_help_topic *find_topic(const char *topic)
{
	const struct rn_help_topic *found = NULL;

	for (const struct rn_help_topic *t = rn_help_topics; t->name; t++) {
		if (!strcmp(t->name, topic))
			return t;
		if (strncmp(t->name, topic, strlen(topic)))
			continue;
		if (found)
			return NULL;
		found = t;
	}
	return found;
}

bool rn_shell_help(struct rn_shell *sh, const char *topic)
{
	struct rn_session *s = sh->session;
	const struct rn_help_topic *t = *topic ? find_topic(topic) : NULL;
	bool paged;

	if (*topic && !t)
		return false;
	paged = rn_session_page(s);
	if (*topic)
		show_topic(s, t);
	else
		show_topics(s);
	if (paged)
		rn_session_unpage(s);
	fflush(s->to);
	return true;
}
