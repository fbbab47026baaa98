/* foreign_commands.c - tables of what users of psql, sqlite3 or a shell type: commands of ours
 * under another name, and advice about the others. */
#include <string.h>
#include "repl/shell/shell_impl.h"

#define tell(...) rn_shell_tell(__VA_ARGS__)

/* Commands that equal one of ours. */
static const struct {
	const char *name, *ours;
} synonyms[] = {
	{"quit", "q"},  {"exit", "q"},    {"help", "h"}, {"dv", "v"},   {"conninfo", "n"},
	{"d+", "d"},    {"l+", "l"},      {"dv+", "v"},  {"edit", "e"}, {"print", "p"},
	{"reset", "r"}, {"include", "i"}, {"out", "o"},  {"list", "l"},
};

const char *rn_shell_synonym(const char *name)
{
	for (size_t i = 0; i < sizeof(synonyms) / sizeof(*synonyms); i++) {
		if (!strcmp(synonyms[i].name, name))
			return synonyms[i].ours;
	}
	return name;
}

/* Commands of psql that we name otherwise. */
static const struct {
	const char *name, *say;
} elsewhere[] = {
	{"dt", "\\l lists what can be asked, tables too"},
	{"dn", "\\n lists nodes"},
	{"df", "\\d NAME describes a function; \\h aggregates"},
	{"dg", "there are no roles; `runnel doctor` says what is permitted"},
	{"du", "there are no roles; `runnel doctor` says what is permitted"},
	{"di", "there are no indexes"},
	{"c", "there is nothing to connect to: `on NODES` chooses nodes of the hosts file (-H)"},
	{"connect",
	 "there is nothing to connect to: `on NODES` chooses nodes of the hosts file (-H)"},
	{"s", "the arrow keys and Ctrl-R go through what was entered"},
	{"copy", "\\o FILE with \\f csv writes rows to a file"},
	{"a", "\\f csv gives rows that are not aligned"},
	{"t", "\\f csv gives plain rows"},
};

const char *rn_shell_elsewhere(const char *name)
{
	for (size_t i = 0; i < sizeof(elsewhere) / sizeof(*elsewhere); i++) {
		if (!strcmp(elsewhere[i].name, name))
			return elsewhere[i].say;
	}
	return NULL;
}

/* Words at the start of a statement. */
static const struct {
	const char *word, *say;
} habits[] = {
	{".tables", "\\l lists what can be asked"},
	{".schema", "\\d NAME describes a class, table or view"},
	{".help", "\\h helps"},
	{".mode", "\\f table, \\f json, \\f csv, \\f heat, \\f folded or \\f timeline; \\x for a "
		  "line for each column"},
	{".output", "\\o FILE"},
	{".once", "\\o FILE"},
	{".timer", "\\timing"},
	{".read", "\\i FILE"},
	{".show", "\\? lists the commands"},
	{".databases", "\\n lists the nodes"},
	{"ls", "\\l lists what can be asked; \\! runs a command of the shell"},
	{"man", "\\h helps, \\h TOPIC with a topic"},
	{"?", "\\h helps"},
	{"clear", "Ctrl-L clears the screen"},
	{"list", "\\l lists what can be asked"},
	{"describe", "\\d NAME describes a class, table or view"},
	{"doctor", "that is a command of the shell: \\! runnel doctor"},
	{"runnel", "type the query alone, with `;` at its end: count of syscall by proc for 5s;"},
};

bool rn_shell_habit(struct rn_shell *sh, const char *line)
{
	char word[32];
	size_t n, rest;
	bool alone;

	line += strspn(line, " \t");
	n = strcspn(line, " \t;\n");
	rest = n + strspn(line + n, " \t;\n");
	snprintf(word, sizeof(word), "%.*s", (int)n, line);
	alone = !line[rest];
	if (sh->len) { /* the word may belong to the statement: `exit` is a class */
		bool leaves = alone && (!strcmp(word, "exit") || !strcmp(word, "quit"));

		if (leaves || (alone && !strcmp(word, "help")))
			tell("(%s; Ctrl-C or \\r forgets the statement)\n",
			     leaves ? "\\q leaves" : "\\h helps");
		return false;
	}
	if (alone && (!strcmp(word, "exit") || !strcmp(word, "quit") || !strcmp(word, ".quit") ||
		      !strcmp(word, ".exit") || !strcmp(word, ".q"))) {
		sh->quit = true;
		return true;
	}
	if (alone && !strcmp(word, "help")) {
		rn_shell_help(sh, "");
		return true;
	}
	for (size_t i = 0; i < sizeof(habits) / sizeof(*habits); i++) {
		bool takes = *word == '.' || !strcmp(word, "describe") || !strcmp(word, "runnel") ||
			     !strcmp(word, "man");

		if (!strcmp(habits[i].word, word) && (alone || takes)) {
			tell("%s\n", habits[i].say);
			return true;
		}
	}
	if (*word == '.') {
		tell("commands begin with `\\` here; \\? lists them\n");
		return true;
	}
	return false;
}
