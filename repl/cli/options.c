/* options.c - the command line. Invariant: whatever is wrong with it is said on stderr in one line
 * with the way out, and costs exit status 2; nothing has been opened or attached by then. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "exec/serve/serve.h"
#include "lang/values/units.h"
#include "repl/cli/options.h"
#include "repl/out/output.h"
#include "repl/cli/run.h"
#include "repl/engine/stages.h"

static const char help_text[] =
	"usage: runnel [OPTION]... 'QUERY' [NAME=VALUE]...\n"
	"       runnel [OPTION]... FILE.rnl [NAME=VALUE]...\n"
	"       runnel [OPTION]... [- [NAME=VALUE]...] < STATEMENTS\n"
	"       runnel [OPTION]...          a prompt, on a terminal\n"
	"       runnel doctor | list [GLOB] | describe NAME | describe FILE\n"
	"       runnel export [VIEW]... | import FILE.rnl...   (saved views as a text, and back)\n"
	"       runnel watch VIEW [NAME=VALUE]... [--every 1s]\n"
	"       runnel export VIEW [NAME=VALUE]... --prometheus [ADDRESS:]PORT [--every 1s]\n"
	"       runnel agent --stdio | relay --stdio -H FILE   (a node's side: runnel-agent(8))\n"
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
	"      --strict          exit 3 if the answer is incomplete (see the ledger)\n"
	"      --explain         show what would run where, and why; run nothing\n"
	"      --dump=STAGE,...  show tokens, ast, types, plan, split, bpf or sql; run nothing\n"
	"      --stop-after=STAGE  check up to that stage, run nothing\n"
	"  -q, --quiet           no ledger, no notes\n"
	"  -v, --verbose         the whole ledger; a line when all is attached\n"
	"      --version, --help\n"
	"\n"
	"  runnel 'count of syscall by proc for 5s'\n"
	"  runnel 'events of open where error = ENOENT limit 20'\n"
	"  runnel -c 'make' 'hist(latency) of fsync by file'\n"
	"  runnel 'use io; events of top_files' -o json\n"
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
	OPT_PROMETHEUS
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
	{"verbose", no_argument, NULL, 'v'},
	{"version", no_argument, NULL, OPT_VERSION},
	{"help", no_argument, NULL, 'h'},
	{0},
};

__attribute__((format(printf, 1, 2))) static bool complain(const char *fmt, ...)
{
	va_list ap;
	char *text;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0)
		abort();
	rn_say("runnel: %s\n", text);
	free(text);
	return false;
}

static bool parse_format(struct rn_options *o, const char *name)
{
	char names[128];

	o->format = rn_format_find(name);
	if (!o->format)
		return complain("there is no format `%s`; use %s", name,
				rn_format_names(names, sizeof(names), "or"));
	return o->format->create
		       ? true
		       : complain("format `%s` comes with a later version; this one has %s", name,
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
			return complain("-p takes process ids separated by commas, not `%s`", list);
		if (o->npids == RN_MAX_PIDS)
			return complain("-p takes at most %d process ids", RN_MAX_PIDS);
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

		if (id < 0)
			return complain("%s has no stage `%.*s`; the stages are tokens, ast, "
					"types, plan, split, bpf, sql",
					option, (int)n, p);
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
		return complain("--every takes a time from 10ms to 366d, such as 1s, not `%s`",
				arg);
	return true;
}

static bool parse_one(struct rn_options *o, int c, const char *arg)
{
	unsigned mask = 0;

	switch (c) {
	case 'c': o->command = arg; return *arg ? true : complain("-c needs a command");
	case 'p': return parse_pids(o, arg);
	case 'o': return parse_format(o, arg);
	case 'O': o->output = arg; return true;
	case 'H': o->hosts = arg; return *arg ? true : complain("-H needs a hosts file");
	case OPT_LEASE:
		return rn_options_lease(arg, &o->lease_ns)
			       ? true
			       : complain("--lease takes seconds, from 1 to 3600, not `%s`", arg);
	case OPT_CATALOG: o->catalog = arg; return *arg ? true : complain("--catalog needs a file");
	case OPT_EVERY: return parse_every(o, arg);
	case OPT_PROMETHEUS:
		o->prometheus = arg;
		return *arg ? true : complain("--prometheus needs a port: --prometheus :9410");
	case 'q': o->quiet = true; return true;
	case 'v': o->verbose = true; return true;
	case OPT_STRICT: o->strict = true; return true;
	case OPT_EXPLAIN: o->explain = true; return true;
	case OPT_DUMP: return parse_stages("--dump", arg, &o->dump);
	case OPT_STOP:
		if (!parse_stages("--stop-after", arg, &mask))
			return false;
		if (mask & (mask - 1))
			return complain("--stop-after takes one stage");
		o->stop_after = __builtin_ctz(mask);
		return true;
	default: return complain("try `runnel --help`");
	}
}

static bool is_param(const char *s)
{
	size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

	return n && s[n] == '=' && !(s[0] >= '0' && s[0] <= '9');
}

/* watch VIEW [NAME=VALUE]..., and export with --prometheus */
static bool parse_kept(struct rn_options *o, int n, char **w)
{
	if (n < 2 || is_param(w[1]))
		return complain(n < 2 ? "%s needs a VIEW; `runnel list` shows them"
				      : "the name of the view stands behind `%s`",
				w[0]);
	for (int i = 2; i < n; i++) {
		if (!is_param(w[i]))
			return complain(
				o->prometheus
					? "`%s` is not NAME=VALUE; --prometheus serves one view"
					: "`%s` is not NAME=VALUE",
				w[i]);
	}
	o->subject = w[1];
	o->params = (const char *const *)w + 2;
	return true;
}

/* The subcommands about views. False: it is none of them; else *right says whether it is right. */
static bool parse_views(struct rn_options *o, int n, char **w, bool *right)
{
	static const struct {
		const char *name;
		enum rn_action action;
	} commands[] = {
		{"export", RN_DO_EXPORT},
		{"import", RN_DO_IMPORT},
		{"watch", RN_DO_WATCH},
	};
	unsigned i = 0;

	while (i < 3 && strcmp(w[0], commands[i].name))
		i++;
	if (i == 3)
		return false;
	o->action = commands[i].action;
	o->words = (const char *const *)w + 1;
	*right = true;
	if (o->action == RN_DO_EXPORT && o->prometheus)
		o->action = RN_DO_PROMETHEUS;
	if (o->action == RN_DO_WATCH || o->action == RN_DO_PROMETHEUS)
		*right = parse_kept(o, n, w);
	else if (o->action == RN_DO_IMPORT && n < 2)
		*right = complain("import needs a FILE, or `-` for stdin: runnel import views.rnl");
	return true;
}

/* What the words that are no options mean: a subcommand with its operand, or a query or a file with
 * its parameters. */
static bool parse_words(struct rn_options *o, int n, char **w)
{
	bool piped, right, list, describe, doctor;

	if (!n) {
		o->action = RN_DO_STDIN;
		return true;
	}
	piped = !strcmp(w[0], "-");
	o->subject = piped ? NULL : w[0];
	if (!w[0][strspn(w[0], " \t\r\n;")])
		return complain("the query is empty; try: runnel 'count of syscall by proc'");
	list = !strcmp(w[0], "list");
	describe = !strcmp(w[0], "describe");
	doctor = !strcmp(w[0], "doctor");
	if (list || describe || doctor) {
		o->action = list ? RN_DO_LIST : describe ? RN_DO_DESCRIBE : RN_DO_DOCTOR;
		o->subject = n > 1 ? w[1] : NULL;
		if (describe && n < 2)
			return complain("describe needs a NAME; `runnel list` shows them");
		if (n > (doctor ? 1 : 2))
			return complain("`%s` takes %s", w[0],
					doctor ? "no operand"
					: list ? "one GLOB; quote it"
					       : "one NAME; quote it, as in: runnel describe "
						 "'tracepoint \"sched:sched_switch\"'");
		return true;
	}
	if (parse_views(o, n, w, &right))
		return right;
	o->action = piped ? RN_DO_STDIN : rn_script_is(w[0]) ? RN_DO_FILE : RN_DO_QUERY;
	if (n > 1 && !strcmp(w[0], "explain") && !is_param(w[1]))
		return complain("`explain` is part of the query: runnel 'explain %s', or runnel "
				"--explain '%s'",
				w[1], w[1]);
	for (int i = 1; i < n; i++) {
		if (!is_param(w[i]))
			return complain(o->action != RN_DO_QUERY
						? "`%s` is not NAME=VALUE"
						: "`%s` is one word too many; quote the query: "
						  "runnel 'count of syscall by proc'",
					w[i]);
	}
	o->params = (const char *const *)w + 1;
	return true;
}

int rn_options_told(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return RN_EXIT_OK;
	complain("the text could not be written in full: %s", strerror(errno));
	return RN_EXIT_SYSTEM;
}

/* A text that was taken for options. */
static bool is_text(const char *arg)
{
	return arg && *arg == '-' && strpbrk(arg, " \n");
}

bool rn_options_parse(int argc, char **argv, struct rn_options *o, int *status)
{
	int c;

	*o = (struct rn_options){
		.stop_after = -1, .lease_ns = RN_LEASE_NS, .format = rn_format_find(NULL)};
	*status = RN_EXIT_USAGE;
	/* with options of their own */
	if (argc > 1 && (!strcmp(argv[1], "agent") || !strcmp(argv[1], "relay"))) {
		o->action = RN_DO_NODE;
		return true;
	}
	while ((c = getopt_long(argc, argv, "c:p:H:o:O:qvh", long_options, NULL)) != -1) {
		if (c == 'h' || c == OPT_VERSION) {
			char names[128];

			if (c == 'h')
				printf(help_text, rn_format_names(names, sizeof(names), ""));
			else
				puts("runnel " RN_VERSION);
			*status = rn_options_told();
			return false;
		}
		/* getopt_long has said what it missed */
		if (c == '?' && (is_text(argv[optind - 1]) || is_text(argv[optind])))
			return complain("a query that begins with `-` stands behind `--`: runnel "
					"-- 'QUERY'");
		if (!parse_one(o, c, optarg))
			return false;
	}
	if (!parse_words(o, argc - optind, argv + optind))
		return false;
	if (o->every_ns && o->action != RN_DO_WATCH && o->action != RN_DO_PROMETHEUS)
		return complain(
			"--every is for `runnel watch VIEW` and `export VIEW --prometheus`; a "
			"query has a clause of that name: 'count of syscall by proc every 1s'");
	if (o->prometheus && o->action != RN_DO_PROMETHEUS)
		return complain("--prometheus goes with `runnel export VIEW`");
	if (o->command && o->npids)
		return complain("-c and -p exclude each other");
	if (o->hosts && (o->command || o->npids))
		return complain("-%c is about processes of this machine, and does not go with -H",
				o->command ? 'c' : 'p');
	return true;
}
