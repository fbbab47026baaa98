/* commands.c - the commands of the program: one table, and what each takes for its words. */
#include <stdio.h>
#include <string.h>
#include "lang/base/nearest.h"
#include "repl/cli/commands.h"
#include "repl/cli/options.h"

static bool parse_doctor(struct rn_options *o, int n, char **w)
{
	(void)o;
	return n == 1 ? true : rn_options_complain("`%s` takes no operand", w[0]);
}

static bool parse_list(struct rn_options *o, int n, char **w)
{
	o->subject = n > 1 ? w[1] : NULL;
	return n <= 2 ? true : rn_options_complain("`%s` takes one GLOB; quote it", w[0]);
}

static bool parse_describe(struct rn_options *o, int n, char **w)
{
	if (n < 2)
		return rn_options_complain("describe needs a NAME; `runnel list` shows them");
	if (n > 2)
		return rn_options_complain("`%s` takes one NAME; quote it, as in: runnel describe "
					   "'tracepoint \"sched:sched_switch\"'",
					   w[0]);
	o->subject = w[1];
	return true;
}

static bool parse_export(struct rn_options *o, int n, char **w)
{
	(void)n;
	o->words = (const char *const *)w + 1;
	return true;
}

static bool parse_import(struct rn_options *o, int n, char **w)
{
	o->words = (const char *const *)w + 1;
	return n > 1 ? true
		     : rn_options_complain(
			       "import needs a FILE, or `-` for stdin: runnel import views.rnl");
}

/* VIEW [NAME=VALUE]... */
static bool parse_view(struct rn_options *o, int n, char **w)
{
	if (n < 2 || rn_options_is_param(w[1]))
		return rn_options_complain(n < 2 ? "%s needs a VIEW; `runnel list` shows them"
						 : "write the name of the view after `%s`",
					   w[0]);
	for (int i = 2; i < n; i++) {
		if (!rn_options_is_param(w[i]) && !strcmp(w[i], "of"))
			return rn_options_complain("`%s` takes the name of a view; a query alone "
						   "goes on until Ctrl-C: "
						   "runnel '%s of ...'",
						   w[0], w[1]);
		if (!rn_options_is_param(w[i]))
			return rn_options_complain(
				o->prometheus
					? "`%s` is not NAME=VALUE; --prometheus serves one view"
					: "`%s` is not NAME=VALUE",
				w[i]);
	}
	o->subject = w[1];
	o->params = (const char *const *)w + 2;
	return true;
}

const struct rn_command rn_commands[] = {
	{.name = "doctor", .usage = "doctor", .parse = parse_doctor, .run = rn_cmd_doctor},
	{.name = "list",
	 .usage = "list [GLOB] [--saved]",
	 .joins = true,
	 .parse = parse_list,
	 .run = rn_cmd_list},
	{.name = "describe",
	 .usage = "describe NAME | describe FILE",
	 .joins = true,
	 .parse = parse_describe,
	 .run = rn_cmd_describe},
	{.name = "export",
	 .usage = "export [VIEW]...",
	 .parse = parse_export,
	 .run = rn_cmd_export},
	{.name = "import",
	 .usage = "import FILE.rnl...",
	 .note = "(saved views as a text, and back)",
	 .joins = true,
	 .parse = parse_import,
	 .run = rn_cmd_import},
	{.name = "watch",
	 .usage = "watch VIEW [NAME=VALUE]... [--every 1s]",
	 .windows = true,
	 .parse = parse_view,
	 .run = rn_cmd_watch},
	{.name = "export",
	 .usage = "export VIEW [NAME=VALUE]... --prometheus [ADDRESS:]PORT [--every 1s]",
	 .prometheus = true,
	 .windows = true,
	 .parse = parse_view,
	 .run = rn_cmd_prometheus},
	{.name = "agent", .usage = "agent --stdio", .own_options = true},
	{.name = "relay",
	 .usage = "relay --stdio -H FILE",
	 .note = "(a node's side: runnel-agent(8))",
	 .joins = true,
	 .own_options = true},
	{.name = NULL},
};

const struct rn_command *rn_command_find(const char *name, bool prometheus)
{
	const struct rn_command *found = NULL;

	for (const struct rn_command *c = rn_commands; c->name; c++)
		if (!strcmp(c->name, name) && (!found || c->prometheus == prometheus))
			found = c;
	return found;
}

const char *rn_command_near(const char *word)
{
	const char *names[sizeof(rn_commands) / sizeof(*rn_commands)];
	unsigned n = 0;

	for (const struct rn_command *c = rn_commands; c->name; c++)
		names[n++] = c->name;
	names[n] = NULL;
	return rn_nearest(word, names);
}

void rn_commands_usage(FILE *to)
{
	for (const struct rn_command *c = rn_commands; c->name; c++) {
		fprintf(to, "%s%s", c->joins ? " | " : "       runnel ", c->usage);
		if (c->note)
			fprintf(to, "   %s", c->note);
		if (!c[1].joins)
			putc('\n', to);
	}
}
