/* hosts.c - see hosts.h. A table of transports: each builds a command from what follows its
 * name. */
#include "exec/hosts/hosts.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "exec/nats/nats.h"
#include "lang/values/glob.h"
#include "lang/base/nearest.h"
#include "lang/values/value.h"
#include "lang/base/vec.h"

#define DEADLINE_MIN_NS 1000000000LL
#define DEADLINE_MAX_NS (3600 * 1000000000LL)
enum { MAX_LINE = 4096, MAX_TOLD = 5, MAX_NODES = 100000 };

struct reader {
	struct rn_arena *arena;
	struct rn_hosts *hosts;
	unsigned cap, line, errors, deadline; /* deadline: the number of its line */
	const char *group, *program, *agent;
	struct rn_err *err;
};

__attribute__((format(printf, 2, 3))) static void complain(struct reader *r, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!r->errors++)
		rn_err_set(r->err, -EINVAL, "%s:%u: %s [E-HOSTS]", r->hosts->path, r->line, text);
	else if (r->errors <= MAX_TOLD) {
		size_t n = strlen(r->err->text);

		snprintf(r->err->text + n, sizeof(r->err->text) - n, "\n  %s:%u: %s",
			 r->hosts->path, r->line, text);
	}
}

static char *trim(char *s)
{
	char *end = s + strlen(s);

	while (end > s && strchr(" \t\r\n", end[-1]))
		*--end = 0;
	return s + strspn(s, " \t");
}

/* Cuts off a comment: a `#` at the beginning, or behind a blank. */
static char *uncomment(char *s)
{
	for (char *at = strchr(s, '#'); at; at = strchr(at + 1, '#'))
		if (at == s || at[-1] == ' ' || at[-1] == '\t') {
			*at = 0;
			break;
		}
	return s;
}

static bool is_name(const char *s, size_t n)
{
	static const char ok[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

	return n && n < 200 && strspn(s, ok) >= n;
}

bool rn_host_is_name(const char *name)
{
	return is_name(name, strlen(name)) && strcmp(name, "all") && strcmp(name, "local") &&
	       strcmp(name, "except");
}

/* Quotes a word for the shell. */
static const char *quoted(struct rn_arena *a, const char *s)
{
	char *q = rn_arena_alloc(a, 4 * strlen(s) + 3), *to = q;

	*to++ = '\'';
	for (; *s; s++) {
		if (*s == '\'') {
			memcpy(to, "'\\''", 4);
			to += 4;
		} else {
			*to++ = *s;
		}
	}
	*to++ = '\'';
	*to = 0;
	return q;
}

/* A word of a command begins behind one of these: the shell's quotes are not taken apart. */
#define BREAKS " \t'\""

/* Returns the place after that word, searched after `from`; NULL: it is not there. */
static const char *behind_word(const char *from, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = from; *at; at += strcspn(at, BREAKS)) {
		at += strspn(at, BREAKS);
		if (!strncmp(at, word, n) && strchr(" \t", at[n]))
			return at + n;
	}
	return NULL;
}

/* Does the command start an agent or a relay itself? Options may stand in any order. */
static bool is_whole(const char *command)
{
	const char *agent = behind_word(command, "agent"), *relay = behind_word(command, "relay");

	return (agent && strstr(agent, "--stdio")) || (relay && strstr(relay, "--stdio"));
}

static bool make_local(struct reader *r, struct rn_host_entry *e, const char *rest)
{
	e->local = true;
	e->command = rn_arena_printf(r->arena, "exec %s agent --stdio%s%s",
				     quoted(r->arena, r->program), *rest ? " " : "", rest);
	return true;
}

static bool make_exec(struct reader *r, struct rn_host_entry *e, const char *rest)
{
	if (!*rest) {
		complain(r, "`exec:` needs a command, as in: %s exec: ip netns exec %s", e->name,
			 e->name);
		return false;
	}
	e->command = is_whole(rest) ? rn_arena_printf(r->arena, "exec %s", rest)
				    : rn_arena_printf(r->arena, "exec %s %s agent --stdio", rest,
						      quoted(r->arena, r->agent));
	return true;
}

static bool make_ssh(struct reader *r, struct rn_host_entry *e, const char *rest)
{
	if (!*rest) {
		complain(r, "`ssh:` needs a host, as in: %s ssh: admin@%s.example.org", e->name,
			 e->name);
		return false;
	}
	e->command =
		rn_arena_printf(r->arena, "exec ssh -o BatchMode=yes -o ConnectTimeout=10 %s%s",
				rest, is_whole(rest) ? "" : " runnel agent --stdio");
	return true;
}

static bool make_relay(struct reader *r, struct rn_host_entry *entry, const char *rest)
{
	const char *file = strrchr(rest, ' ');
	int prefix = file ? (int)(file - rest) : 0;

	file = file ? file + 1 : rest;
	if (!*rest) {
		complain(r, "`relay:` needs a hosts file, as in: %s relay: %s.hosts", entry->name,
			 entry->name);
		return false;
	}
	entry->kind = RN_HOST_RELAY;
	if (is_whole(rest)) {
		entry->command = rn_arena_printf(r->arena, "exec %s", rest);
	} else if (prefix) {
		entry->command = rn_arena_printf(r->arena, "exec %.*s runnel relay --stdio -H %s",
						 prefix, rest, quoted(r->arena, file));
	} else { /* relative to the file that names it */
		const char *slash = strrchr(r->hosts->path, '/');

		if (*file != '/' && slash)
			file = rn_arena_printf(r->arena, "%.*s/%s", (int)(slash - r->hosts->path),
					       r->hosts->path, file);
		entry->command =
			rn_arena_printf(r->arena, "exec %s relay --stdio -H %s",
					quoted(r->arena, r->program), quoted(r->arena, file));
	}
	return true;
}

static bool make_nats(struct reader *r, struct rn_host_entry *e, const char *rest)
{
	e->kind = RN_HOST_NATS;
	e->command = rest;
	if (strlen(e->name) > RN_NATS_NAME_MAX) {
		complain(r, "`%.60s...` is too long: names on NATS have at most %d letters",
			 e->name, RN_NATS_NAME_MAX);
		return false;
	}
	if (*rest)
		return true;
	complain(r, "`nats:` needs a server, as in: %s nats: nats://10.0.0.1:4222", e->name);
	return false;
}

static const struct {
	const char *name;
	bool (*make)(struct reader *r, struct rn_host_entry *e, const char *rest);
} transports[] = {
	{"local", make_local}, {"exec", make_exec}, {"ssh", make_ssh},
	{"relay", make_relay}, {"nats", make_nats},
};
enum { NTRANSPORTS = sizeof(transports) / sizeof(*transports) };

static struct rn_host_entry *add(struct reader *r)
{
	struct rn_hosts *h = r->hosts;

	rn_vec_room_in(r->arena, h->entries, h->n, r->cap);
	return &h->entries[h->n];
}

static void unknown_transport(struct reader *r, const char *word)
{
	const char *names[NTRANSPORTS + 1] = {0}, *near;

	for (int i = 0; i < NTRANSPORTS; i++)
		names[i] = transports[i].name;
	near = rn_nearest(word, names);
	complain(r, "there is no transport `%s`; %s%s%s", word,
		 near ? "did you mean `" : "there are local, exec, ssh, relay and nats",
		 near ? near : "", near ? ":`?" : "");
}

static const struct rn_host_entry *twice(const struct rn_hosts *h, const char *name)
{
	for (unsigned i = 0; i < h->n && strcmp(name, "*"); i++)
		if (!strcmp(h->entries[i].name, name))
			return &h->entries[i];
	return NULL;
}

/* The rest of a line, behind its transport. */
static void reached_by(struct reader *r, struct rn_host_entry *entry, int transport,
		       const char *rest)
{
	const char *name = transports[transport].name;

	entry->shown = transports[transport].make == make_exec
			       ? rest
			       : rn_arena_printf(r->arena, "%s%s%s", name, *rest ? " " : "", rest);
	if (transports[transport].make(r, entry, rest))
		r->hosts->n++;
}

static void node_line(struct reader *r, char *s)
{
	size_t n = strcspn(s, " \t");
	char *at = s + n + strspn(s + n, " \t"), *colon = strchr(at, ':');
	const struct rn_host_entry *other;
	struct rn_host_entry *entry = add(r);
	int i;

	if (!*at || !colon) {
		complain(r, "`%.60s` is not NAME TRANSPORT: ARGUMENTS", s);
		return;
	}
	s[n] = 0;
	*colon = 0;
	*entry = (struct rn_host_entry){
		.name = rn_arena_strdup(r->arena, s), .group = r->group, .line = r->line};
	for (i = 0; i < NTRANSPORTS && strcmp(at, transports[i].name); i++)
		;
	if (strcmp(s, "*") && !is_name(s, n))
		complain(r, "`%.60s` is no name of a node: letters, digits, `.`, `_` and `-`", s);
	else if (!strcmp(s, "all") || !strcmp(s, "local") || !strcmp(s, "except"))
		complain(r, "`%s` has a meaning of its own in `on`: name the node otherwise", s);
	else if ((other = twice(r->hosts, s)))
		complain(r, "the node `%s` stands in line %u already", s, other->line);
	else if (i == NTRANSPORTS)
		unknown_transport(r, at);
	else if (!strcmp(s, "*") && strcmp(at, "nats"))
		complain(r, "`*` stands for all nodes that `nats:` finds; `%s:` needs a name", at);
	else
		reached_by(r, entry, i, rn_arena_strdup(r->arena, trim(colon + 1)));
}

/* `deadline TIME` holds for all nodes of the file, wherever it stands. */
static void deadline_line(struct reader *r, const char *s)
{
	const char *value = s + strcspn(s, " \t");
	enum rn_unit unit = RN_U_NONE;
	int64_t ns = 0;

	value += strspn(value, " \t");
	if (r->deadline)
		complain(r, "`deadline` stands in line %u already", r->deadline);
	else if (!*value || !rn_unit_parse(value, strlen(value), &ns, &unit) || unit != RN_U_NS ||
		 ns < DEADLINE_MIN_NS || ns > DEADLINE_MAX_NS)
		complain(r,
			 "`deadline` takes a time from 1s to 1h, as in: deadline 30s; not `%.60s`",
			 value);
	r->deadline = r->line;
	r->hosts->deadline_ns = ns;
}

/* A node may have this name as well: then a transport follows. */
static bool is_deadline(const char *s)
{
	size_t n = strcspn(s, " \t");

	return n == strlen("deadline") && !strncmp(s, "deadline", n) && !strchr(s, ':');
}

static void group_line(struct reader *r, char *s)
{
	size_t n = strlen(s);

	if (n < 3 || s[n - 1] != ']' || !is_name(s + 1, n - 2))
		complain(r, "`%.60s` is not [GROUP]", s);
	else
		r->group = rn_arena_strndup(r->arena, s + 1, n - 2);
}

struct rn_hosts *rn_hosts_load(struct rn_arena *arena, const char *path, const char *program,
			       const char *agent, struct rn_err *err)
{
	struct rn_hosts *hosts = RN_NEW(arena, struct rn_hosts);
	struct reader r = {
		.arena = arena, .hosts = hosts, .program = program, .agent = agent, .err = err};
	char text[MAX_LINE];
	FILE *f = fopen(path, "re");

	hosts->path = rn_arena_strdup(arena, path);
	if (!f) {
		rn_err_set(err, -errno, "the hosts file %s cannot be read: %s", path,
			   strerror(errno));
		return NULL;
	}
	while (fgets(text, sizeof(text), f) && hosts->n < MAX_NODES) {
		char *s = trim(uncomment(text));

		r.line++;
		if (strlen(text) == sizeof(text) - 1)
			complain(&r, "a line of more than %d bytes", MAX_LINE - 2);
		else if (*s == '[')
			group_line(&r, s);
		else if (is_deadline(s))
			deadline_line(&r, s);
		else if (*s && *s != '#')
			node_line(&r, s);
	}
	if (ferror(f) && !r.errors++)
		rn_err_set(err, -EIO, "the hosts file %s cannot be read: %s", path,
			   strerror(errno));
	(void)fclose(f);
	if (!r.errors && !hosts->n)
		rn_err_set(err, -EINVAL, "%s names no node [E-HOSTS]", path);
	if (r.errors > MAX_TOLD) {
		size_t n = strlen(err->text);

		snprintf(err->text + n, sizeof(err->text) - n, "\n  and %u more",
			 r.errors - MAX_TOLD);
	}
	if (r.errors || !hosts->n)
		rn_err_hint(err, "a line is NAME TRANSPORT: ARGUMENTS, for instance: node1 exec: "
				 "ip netns exec lab1");
	return r.errors || !hosts->n ? NULL : hosts;
}

/* ---- `on NODES` ---- */

static bool named(const char *word, const char *name, const char *group, bool local)
{
	return !strcmp(word, "all") || (local && !strcmp(word, "local")) ||
	       rn_glob_str(word, name) || (group && !strcmp(word, group));
}

bool rn_host_chosen(const char *name, const char *group, bool local, const char *const *nodes)
{
	bool chosen = !nodes || !nodes[0] || !strcmp(nodes[0], "except"), out = false;

	for (unsigned i = 0; nodes && nodes[i]; i++) {
		if (!strcmp(nodes[i], "except"))
			out = true;
		else if (named(nodes[i], name, group, local))
			chosen = !out;
	}
	return chosen;
}

const char *const *rn_hosts_below(const char *name, const char *group, const char *const *nodes,
				  bool *asked)
{
	const char *const *except = nodes;
	bool chosen = rn_host_chosen(name, group, false, nodes);

	*asked = true;
	while (except && *except && strcmp(*except, "except"))
		except++;
	if (chosen)
		return except && *except ? except : NULL;
	for (const char *const *w = except; w && *w && *asked; w++)
		*asked = !named(*w, name, group, false);
	return nodes;
}

const char *rn_hosts_unknown(const struct rn_hosts *hosts, const char *const *nodes)
{
	for (unsigned i = 0; nodes && nodes[i]; i++) {
		bool found = !strcmp(nodes[i], "except");

		for (unsigned k = 0; k < hosts->n && !found; k++)
			found = named(nodes[i], hosts->entries[k].name, hosts->entries[k].group,
				      hosts->entries[k].local) ||
				!strcmp(hosts->entries[k].name, "*") ||
				hosts->entries[k].kind == RN_HOST_RELAY;
		if (!found)
			return nodes[i];
	}
	return NULL;
}

const char *rn_hosts_nearest(struct rn_arena *arena, const struct rn_hosts *hosts, const char *word)
{
	const char **names = RN_NEWN(arena, const char *, 2 * (size_t)hosts->n + 1);
	unsigned n = 0;

	for (unsigned i = 0; i < hosts->n; i++) {
		names[n++] = hosts->entries[i].name;
		if (hosts->entries[i].group)
			names[n++] = hosts->entries[i].group;
	}
	return rn_nearest(word, names);
}
