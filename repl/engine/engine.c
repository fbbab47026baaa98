/* engine.c - see engine.h. */
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "exec/serve/serve.h"
#include "lang/files/spare.h"
#include "lang/base/memory.h"
#include "planner/plan/agg.h"
#include "probes/probes.h"
#include "repl/engine/engine.h"
#include "repl/engine/lets.h"
#include "repl/engine/tag_store.h"

enum { ARENA_CAP = 64 << 20 };

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

void rn_engine_programs(struct rn_arena *a, const char **program, const char **agent)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	path[n > 0 ? n : 0] = 0;
	*program = rn_arena_strdup(a, n > 0 ? path : "runnel");
	*agent = in_path(a, *program) ? "runnel" : *program;
}

const char *rn_engine_asker(struct rn_arena *a)
{
	char host[256] = "localhost", room[4096];
	struct passwd own, *pw = NULL;

	getpwuid_r(geteuid(), &own, room, sizeof(room), &pw);
	if (gethostname(host, sizeof(host) - 1))
		strcpy(host, "localhost");
	return pw ? rn_arena_printf(a, "%s@%s", pw->pw_name, host)
		  : rn_arena_printf(a, "%u@%s", (unsigned)geteuid(), host);
}

static bool open_hosts(struct rn_engine *e, const struct rn_engine_opts *o, struct rn_err *err)
{
	const char *program, *agent;

	if (!o->hosts)
		return true;
	if (o->program)
		program = agent = rn_arena_strdup(e->arena, o->program);
	else
		rn_engine_programs(e->arena, &program, &agent);
	e->hosts = rn_hosts_load(e->arena, o->hosts, program, agent, err);
	if (!e->hosts)
		return false;
	e->fleet = rn_fleet_create(
		&(struct rn_fleet_opts){.hosts = e->hosts,
					.program = "runnel " RN_VERSION,
					.asker = rn_engine_asker(e->arena),
					.place = rn_place_here(e->arena),
					.lease_ns = o->lease_ns ? o->lease_ns : RN_LEASE_NS,
					.late_ns = RN_LATE_NS,
					.stop = o->stop});
	return true;
}

struct rn_engine *rn_engine_open(const struct rn_engine_opts *o, struct rn_err *err)
{
	struct rn_engine *e;

	if (!o->beside && rn_files_spare(RN_FILES_SPARE, err))
		return NULL;
	e = rn_calloc(1, sizeof(*e));
	e->arena = rn_arena_create(ARENA_CAP);
	e->stop = o->stop;
	if (gethostname(e->node, sizeof(e->node) - 1) || !e->node[0])
		strcpy(e->node, "local");
	e->catalog = rn_probes_catalog(rn_agg_sigs);
	e->provider = rn_probes_provider(e->node);
	e->views = rn_views_create(o->catalog);
	e->tags = rn_tagstore_create(o->catalog);
	if (o->beside) {
		e->borrows = true;
		e->lets = o->beside->lets;
		e->hosts = o->beside->hosts;
		e->fleet = o->beside->fleet;
		return e;
	}
	e->lets = rn_lets_create();
	if (!open_hosts(e, o, err)) {
		rn_engine_close(e);
		return NULL;
	}
	return e;
}

void rn_engine_close(struct rn_engine *e)
{
	if (!e)
		return;
	if (!e->borrows) {
		rn_fleet_destroy(e->fleet);
		rn_lets_destroy(e->lets);
	}
	rn_views_destroy(e->views);
	rn_tagstore_destroy(e->tags);
	rn_probes_provider_free(e->provider);
	rn_probes_catalog_free(e->catalog);
	rn_arena_destroy(e->arena);
	free(e);
}
