/* options.c - the command line. Invariant: any error in it becomes one line on stderr with the way
 * out, and exit status 2. Nothing has been opened or attached by then. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "exec/serve/serve.h"
#include "lang/base/limits.h"
#include "lang/base/memory.h"
#include "lang/values/units.h"
#include "repl/cli/commands.h"
#include "repl/cli/options.h"
#include "repl/out/output.h"
#include "repl/cli/run.h"
#include "repl/engine/stages.h"

static const char usage_text[] = "usage: runnel [OPTION]... 'QUERY' [NAME=VALUE]...\n"
				 "       runnel [OPTION]... FILE.rnl [NAME=VALUE]...\n"
				 "       runnel [OPTION]... [- [NAME=VALUE]...] < STATEMENTS\n"
				 "       runnel [OPTION]...          a prompt, on a terminal\n";
/* formats, stages */
static const char options_text[] =
	"\n"
	"  -c, --command CMD     run CMD; the query is about it and its descendants, and ends when "
	"it ends\n"
	"                        (new: its exit status is passed on, if that of runnel is 0)\n"
	"  -p, --pid PID,...     the query is about these processes and their descendants\n"
	"  -H, --hosts FILE      the nodes to ask, one a line: NAME TRANSPORT: ARGUMENTS\n"
	"      --lease SECONDS   a node that is silent for so long is given up, and gives up (10)\n"
	"      --catalog FILE    saved views and tags are in FILE\n"
	"  -o, --format FORMAT   %s; the first is the default\n"
	"  -O, --output FILE     rows go to FILE instead of stdout\n"
	"      --every TIME      of watch and export --prometheus: the length of a window (1s)\n"
	"      --prometheus [ADDRESS:]PORT  of export: serve the latest window at /metrics\n"
	"      --saved           of list: only the views that you saved\n"
	"      --no-clean-cache  search for tags also in pages that are known to hold none\n"
	"      --max-functions N  a source of functions may name so many (10,000)\n"
	"      --strict          exit 3 if the answer is incomplete (see the ledger)\n"
	"      --explain         show what would run where, and why; run nothing\n"
	"      --dump=STAGE,...  show %s; run nothing\n"
	"      --stop-after=STAGE  check up to that stage, run nothing\n"
	"  -q, --quiet           no ledger, no notes\n"
	"  -v, --verbose         the whole ledger; numbers beside names; a line when all\n"
	"                        is attached\n"
	"      --version, --help\n"
	"\n"
	"  runnel 'count of syscall by proc for 5s'\n"
	"  runnel 'events of open where error = ENOENT limit 20'\n"
	"  runnel -c 'make' 'hist(latency) of fsync by file'\n"
	"  runnel 'events of top_files(n = 5)' -o json\n"
	"\n"
	"`runnel doctor` tells what this machine permits; runnel(1) has the rest.\n";

enum {
	OPT_STRICT = 256,
	OPT_EXPLAIN,
	OPT_DUMP,
	OPT_STOP,
	OPT_VERSION,
	OPT_LEASE,
	OPT_CATALOG,
	OPT_EVERY,
	OPT_PROMETHEUS,
	OPT_SAVED,
	OPT_NO_CLEAN_CACHE,
	OPT_MAX_FUNCTIONS
};

static const struct option long_options[] = {
	{"command", required_argument, NULL, 'c'},
	{"pid", required_argument, NULL, 'p'},
	{"hosts", required_argument, NULL, 'H'},
	{"format", required_argument, NULL, 'o'},
	{"output", required_argument, NULL, 'O'},
	{"strict", no_argument, NULL, OPT_STRICT},
	{"explain", no_argument, NULL, OPT_EXPLAIN},
	{"dump", required_argument, NULL, OPT_DUMP},
	{"stop-after", required_argument, NULL, OPT_STOP},
	{"quiet", no_argument, NULL, 'q'},
	{"lease", required_argument, NULL, OPT_LEASE},
	{"catalog", required_argument, NULL, OPT_CATALOG},
	{"every", required_argument, NULL, OPT_EVERY},
	{"prometheus", required_argument, NULL, OPT_PROMETHEUS},
	{"saved", no_argument, NULL, OPT_SAVED},
	{"no-clean-cache", no_argument, NULL, OPT_NO_CLEAN_CACHE},
	{"max-functions", required_argument, NULL, OPT_MAX_FUNCTIONS},
	{"verbose", no_argument, NULL, 'v'},
	{"version", no_argument, NULL, OPT_VERSION},
	{"help", no_argument, NULL, 'h'},
	{0},
};

bool rn_options_complain(const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = rn_vasprintf(fmt, ap);
	va_end(ap);
	rn_say("runnel: %s\n", text);
	free(text);
	return false;
}

static bool parse_format(struct rn_options *o, const char *name)
{
	char names[128];

	o->format = rn_format_find(name);
	if (!o->format)
		return rn_options_complain("there is no format `%s`; use %s", name,
					   rn_format_names(names, sizeof(names), "or"));
	return o->format->create
		       ? true
		       : rn_options_complain(
				 "format `%s` comes with a later version; this one has %s", name,
				 rn_format_names(names, sizeof(names), "and"));
}

static bool parse_pids(struct rn_options *o, const char *list)
{
	for (const char *p = list;; p++) {
		char *end;
		long v;

		errno = 0;
		v = strtol(p, &end, 10);
		if (end == p || errno || v <= 0 || v > INT32_MAX || (*end && *end != ','))
			return rn_options_complain(
				"-p takes process ids separated by commas, not `%s`", list);
		if (o->npids == RN_MAX_PIDS)
			return rn_options_complain("-p takes at most %d process ids", RN_MAX_PIDS);
		o->pids[o->npids++] = (int32_t)v;
		if (!*end)
			return true;
		p = end;
	}
}

static bool parse_stages(const char *option, const char *list, unsigned *mask)
{
	for (const char *p = list;; p++) {
		size_t n = strcspn(p, ",");
		int id = rn_dump_stage_find(p, n);
		char names[128];

		if (id < 0)
			return rn_options_complain("%s has no stage `%.*s`; the stages are %s",
						   option, (int)n, p,
						   rn_dump_stage_names(names, sizeof(names), ""));
		*mask |= 1u << id;
		p += n;
		if (!*p)
			return true;
	}
}

bool rn_options_lease(const char *arg, int64_t *ns)
{
	char *end;
	double s = strtod(arg, &end);

	*ns = (int64_t)(s * 1e9);
	return end != arg && !*end && s >= 1 && s <= 3600;
}

static bool parse_every(struct rn_options *o, const char *arg)
{
	enum rn_unit unit = RN_U_NONE;

	if (!rn_unit_parse(arg, strlen(arg), &o->every_ns, &unit) || unit != RN_U_NS ||
	    o->every_ns < 10000000 || o->every_ns > 366 * 86400000000000)
		return rn_options_complain(
			"--every takes a time from 10ms to 366d, such as 1s, not `%s`", arg);
	return true;
}

static bool parse_max_functions(struct rn_options *o, const char *arg)
{
	char *end;
	unsigned long n = *arg >= '1' && *arg <= '9' ? strtoul(arg, &end, 10) : 0;

	o->max_functions = n <= RN_MAX_FUNCTIONS ? (uint32_t)n : 0;
	return (o->max_functions && !*end) ||
	       rn_options_complain("--max-functions takes a number from 1 to %d, not `%s`",
				   RN_MAX_FUNCTIONS, arg);
}

static bool parse_one(struct rn_options *options, int c, const char *arg)
{
	unsigned mask = 0;

	switch (c) {
	case 'c':
		options->command = arg;
		return *arg ? true : rn_options_complain("-c needs a command");
	case 'p': return parse_pids(options, arg);
	case 'o': return parse_format(options, arg);
	case 'O': options->output = arg; return true;
	case 'H':
		options->hosts = arg;
		return *arg ? true : rn_options_complain("-H needs a hosts file");
	case OPT_LEASE:
		return rn_options_lease(arg, &options->lease_ns)
			       ? true
			       : rn_options_complain(
					 "--lease takes seconds, from 1 to 3600, not `%s`", arg);
	case OPT_CATALOG:
		options->catalog = arg;
		return *arg ? true : rn_options_complain("--catalog needs a file");
	case OPT_EVERY: return parse_every(options, arg);
	case OPT_PROMETHEUS:
		options->prometheus = arg;
		return *arg ? true
			    : rn_options_complain("--prometheus needs a port: --prometheus :9410");
	case OPT_SAVED: options->saved = true; return true;
	case 'q': options->quiet = true; return true;
	case 'v': options->verbose = true; return true;
	case OPT_NO_CLEAN_CACHE: options->no_clean_cache = true; return true;
	case OPT_MAX_FUNCTIONS: return parse_max_functions(options, arg);
	case OPT_STRICT: options->strict = true; return true;
	case OPT_EXPLAIN: options->explain = true; return true;
	case OPT_DUMP: return parse_stages("--dump", arg, &options->dump);
	case OPT_STOP:
		if (!parse_stages("--stop-after", arg, &mask))
			return false;
		if (mask & (mask - 1))
			return rn_options_complain("--stop-after takes one stage");
		options->stop_after = __builtin_ctz(mask);
		return true;
	default: return rn_options_complain("try `runnel --help`");
	}
}

bool rn_options_is_param(const char *s)
{
	size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

	return n && s[n] == '=' && !(s[0] >= '0' && s[0] <= '9');
}

/* A word behind the text that is no parameter. */
static bool one_too_many(const struct rn_options *options, const char *first, const char *word)
{
	const char *near = strchr(first, ' ') ? NULL : rn_command_near(first);

	if (options->action != RN_DO_QUERY)
		return rn_options_complain("`%s` is not NAME=VALUE", word);
	if (near)
		return rn_options_complain("`%s` is no query; did you mean `runnel %s`?", first,
					   near);
	return rn_options_complain("`%s` is one word too many; quote the query: runnel "
				   "'count of syscall by proc'",
				   word);
}

/* A query, a file or stdin, with its parameters. */
static bool parse_text(struct rn_options *options, int n, char **w)
{
	bool piped = !strcmp(w[0], "-");

	options->subject = piped ? NULL : w[0];
	options->action = piped ? RN_DO_STDIN : rn_script_is(w[0]) ? RN_DO_FILE : RN_DO_QUERY;
	if (n > 1 && !strcmp(w[0], "explain") && !rn_options_is_param(w[1]))
		return rn_options_complain("`explain` is part of the query: runnel 'explain %s', "
					   "or runnel --explain '%s'",
					   w[1], w[1]);
	for (int i = 1; i < n; i++) {
		if (!rn_options_is_param(w[i]))
			return one_too_many(options, w[0], w[i]);
	}
	options->params = (const char *const *)w + 1;
	return true;
}

/* What the words that are no options mean. */
static bool parse_words(struct rn_options *o, int n, char **w)
{
	const struct rn_command *c;

	if (!n) {
		o->action = RN_DO_STDIN;
		return true;
	}
	if (!w[0][strspn(w[0], " \t\r\n;")])
		return rn_options_complain(
			"the query is empty; try: runnel 'count of syscall by proc'");
	c = rn_command_find(w[0], o->prometheus);
	if (!c || c->own_options)
		return parse_text(o, n, w);
	o->action = RN_DO_COMMAND;
	o->cmd = c;
	return c->parse(o, n, w);
}

/* What does not go together. */
/* The end of a file's name says which picture it is to have, unless -o says something else. */
static void format_by_file(struct rn_options *o)
{
	const char *end = o->output ? strrchr(o->output, '.') : NULL;
	const struct rn_format *f = end ? rn_format_find(end + 1) : NULL;

	if (f && f->kind == RN_FORMAT_PROGRAM && o->format == rn_format_find(NULL))
		o->format = f;
}

static bool check_together(const struct rn_options *o)
{
	bool windows = o->action == RN_DO_COMMAND && o->cmd->windows;

	if (o->every_ns && !windows)
		return rn_options_complain(
			"--every is for `runnel watch VIEW` and `export VIEW --prometheus`; a "
			"query has a clause of that name: 'count of syscall by proc every 1s'");
	if (o->prometheus && !(o->action == RN_DO_COMMAND && o->cmd->prometheus))
		return rn_options_complain("--prometheus goes with `runnel export VIEW`");
	if (o->saved && !(o->action == RN_DO_COMMAND && o->cmd->run == rn_cmd_list))
		return rn_options_complain("--saved goes with `runnel list`");
	if (o->format->kind != RN_FORMAT_ROWS && o->action == RN_DO_COMMAND)
		return rn_options_complain("format `%s` draws a flow, and `runnel %s` shows none: "
					   "runnel -o %s 'flow of tag T'",
					   o->format->name, o->cmd->name, o->format->name);
	if (o->command && o->npids)
		return rn_options_complain("-c and -p exclude each other");
	if (o->hosts && (o->command || o->npids))
		return rn_options_complain(
			"-%c is about processes of this machine, and does not go with -H",
			o->command ? 'c' : 'p');
	return true;
}

static void help(void)
{
	char formats[128], stages[128];

	fputs(usage_text, stdout);
	rn_commands_usage(stdout);
	printf(options_text, rn_format_names(formats, sizeof(formats), ""),
	       rn_dump_stage_names(stages, sizeof(stages), "or"));
}

int rn_options_told(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return RN_EXIT_OK;
	rn_options_complain("the text could not be written in full: %s", strerror(errno));
	return RN_EXIT_SYSTEM;
}

/* Is it a query that was taken for options? */
static bool is_text(const char *arg)
{
	return arg && *arg == '-' && strpbrk(arg, " \n");
}

bool rn_options_parse(int argc, char **argv, struct rn_options *options, int *status)
{
	const struct rn_command *first = argc > 1 ? rn_command_find(argv[1], false) : NULL;
	int c;

	*options = (struct rn_options){
		.stop_after = -1, .lease_ns = RN_LEASE_NS, .format = rn_format_find(NULL)};
	*status = RN_EXIT_USAGE;
	if (first && first->own_options) {
		options->action = RN_DO_COMMAND;
		options->cmd = first;
		return true;
	}
	while ((c = getopt_long(argc, argv, "c:p:H:o:O:qvh", long_options, NULL)) != -1) {
		if (c == 'h' || c == OPT_VERSION) {
			if (c == 'h')
				help();
			else
				puts("runnel " RN_VERSION);
			*status = rn_options_told();
			return false;
		}
		/* getopt_long has told the error */
		if (c == '?' && (is_text(argv[optind - 1]) || is_text(argv[optind])))
			return rn_options_complain(
				"write a query that begins with `-` after `--`: runnel -- 'QUERY'");
		if (!parse_one(options, c, optarg))
			return false;
	}
	format_by_file(options);
	return parse_words(options, argc - optind, argv + optind) && check_together(options);
}
