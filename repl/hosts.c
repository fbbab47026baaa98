/* hosts.c - the nodes of a session: the hosts file of -H, and the fleet over it. */
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "repl/nodes.h"
#include "repl/signals.h"

/* Is the `runnel` that a shell would find this very binary? */
static bool in_path(struct rn_arena *a, const char *program)
{
	struct stat own, found;
	const char *path = getenv("PATH");
	if (stat(program, &own))
		return false;
	for (const char *p = path; p && *p; p += *p == ':') {
		size_t n = strcspn(p, ":");
		if (!stat(rn_arena_printf(a, "%.*s/runnel", (int)n, p), &found))
			return found.st_dev == own.st_dev && found.st_ino == own.st_ino;
		p += n;
	}
	return false;
}

void rn_nodes_programs(struct rn_arena *a, const char **program, const char **agent)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
	path[n > 0 ? n : 0] = 0;
	*program = rn_arena_strdup(a, n > 0 ? path : "runnel");
	*agent = in_path(a, *program) ? "runnel" : *program;
}

const char *rn_nodes_asker(struct rn_arena *a)
{
	char host[256] = "localhost";
	const struct passwd *pw = getpwuid(geteuid());
	if (gethostname(host, sizeof host - 1))
		strcpy(host, "localhost");
	return pw ? rn_arena_printf(a, "%s@%s", pw->pw_name, host) : rn_arena_printf(a, "%u@%s", (unsigned)geteuid(), host);
}

bool rn_nodes_open(struct rn_session *s, struct rn_err *err)
{
	const char *program, *agent;
	if (!s->opt->hosts)
		return true;
	s->arena = rn_arena_create(64 << 20);
	rn_nodes_programs(s->arena, &program, &agent);
	s->hosts = rn_hosts_load(s->arena, s->opt->hosts, program, agent, err);
	if (!s->hosts)
		return false;
	s->fleet = rn_fleet_create(&(struct rn_fleet_opts){
		.hosts = s->hosts, .program = "runnel " RN_VERSION, .asker = rn_nodes_asker(s->arena), .place = rn_place_here(s->arena),
		.lease_ns = s->opt->lease_ns, .late_ns = RN_LATE_NS, .stop = rn_signals_stop()});
	return true;
}

void rn_nodes_close(struct rn_session *s)
{
	rn_fleet_destroy(s->fleet);
	if (s->arena)
		rn_arena_destroy(s->arena);
}
