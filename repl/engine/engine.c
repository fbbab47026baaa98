/* engine.c - see engine.h. */
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "exec/serve/serve.h"
#include "exec/trace/trace.h"
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

void rn_engine_programs(struct rn_arena *arena, const char **program, const char **agent)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	path[n > 0 ? n : 0] = 0;
	*program = rn_arena_strdup(arena, n > 0 ? path : "runnel");
	*agent = in_path(arena, *program) ? "runnel" : *program;
}

const char *rn_engine_asker(struct rn_arena *arena)
{
	char host[256] = "localhost", room[4096];
	struct passwd own, *pw = NULL;

	getpwuid_r(geteuid(), &own, room, sizeof(room), &pw);
	if (gethostname(host, sizeof(host) - 1))
		strcpy(host, "localhost");
	return pw ? rn_arena_printf(arena, "%s@%s", pw->pw_name, host)
		  : rn_arena_printf(arena, "%u@%s", (unsigned)geteuid(), host);
}

static bool open_hosts(struct rn_engine *engine, const struct rn_engine_opts *opts,
		       struct rn_err *err)
{
	const char *program, *agent;

	if (!opts->hosts)
		return true;
	if (opts->program)
		program = agent = rn_arena_strdup(engine->arena, opts->program);
	else
		rn_engine_programs(engine->arena, &program, &agent);
	engine->hosts = rn_hosts_load(engine->arena, opts->hosts, program, agent, err);
	if (!engine->hosts)
		return false;
	engine->fleet = rn_fleet_create(
		&(struct rn_fleet_opts){.hosts = engine->hosts,
					.program = "runnel " RN_VERSION,
					.asker = rn_engine_asker(engine->arena),
					.place = rn_place_here(engine->arena),
					.lease_ns = opts->lease_ns ? opts->lease_ns : RN_LEASE_NS,
					.late_ns = RN_LATE_NS,
					.stop = opts->stop});
	return true;
}

struct rn_engine *rn_engine_open(const struct rn_engine_opts *opts, struct rn_err *err)
{
	struct rn_engine *engine;

	if (!opts->beside && rn_files_spare(RN_FILES_SPARE, err))
		return NULL;
	engine = rn_calloc(1, sizeof(*engine));
	engine->arena = rn_arena_create(ARENA_CAP);
	engine->stop = opts->stop;
	if (gethostname(engine->node, sizeof(engine->node) - 1) || !engine->node[0])
		strcpy(engine->node, "local");
	engine->catalog = rn_probes_catalog(rn_agg_sigs);
	/* it runs one query at a time, which a chain makes dearer */
	engine->provider = rn_probes_provider(engine->node, NULL);
	engine->traces = rn_trace_catalogs_create();
	engine->names = (struct rn_names){.catalog = engine->catalog,
					  .trace = rn_trace_catalog,
					  .trace_self = engine->traces};
	engine->views = rn_views_create(opts->catalog, &engine->names);
	engine->tags = rn_tagstore_create(opts->catalog);
	if (opts->beside) {
		engine->borrows = true;
		engine->lets = opts->beside->lets;
		engine->hosts = opts->beside->hosts;
		engine->fleet = opts->beside->fleet;
		return engine;
	}
	engine->lets = rn_lets_create();
	if (!open_hosts(engine, opts, err)) {
		rn_engine_close(engine);
		return NULL;
	}
	return engine;
}

void rn_engine_close(struct rn_engine *engine)
{
	if (!engine)
		return;
	if (!engine->borrows) {
		rn_fleet_destroy(engine->fleet);
		rn_lets_destroy(engine->lets);
	}
	rn_views_destroy(engine->views);
	rn_trace_catalogs_free(engine->traces);
	rn_tagstore_destroy(engine->tags);
	rn_probes_provider_free(engine->provider);
	rn_probes_catalog_free(engine->catalog);
	rn_arena_destroy(engine->arena);
	free(engine);
}
