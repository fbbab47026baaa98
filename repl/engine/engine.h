/* engine.h - what queries are put to, and the names that they may use: this machine's catalogue and
 * provider, the views and tags of the user's catalogue, and with a hosts file the fleet. The
 * program has one; each handle of the library has one.
 *
 * repl/engine is shared by the program and by librunnel: nothing in it prints, exits, or keeps
 * state outside of an engine. One thread at a time. */
#ifndef RN_REPL_ENGINE_ENGINE_H
#define RN_REPL_ENGINE_ENGINE_H
#include "exec/coord/coord.h"
#include "exec/fleet/fleet.h"
#include "repl/views/view_store.h"

struct rn_tagstore;
struct rn_letstore;

struct rn_engine_opts {
	const char *hosts; /* a hosts file; NULL: this machine */
	/* the file of views and tags; NULL: $RUNNEL_CATALOG, or below $XDG_DATA_HOME or ~ */
	const char *catalog;
	/* how agents are started; NULL: as this binary, which is runnel itself */
	const char *program;
	int64_t lease_ns;         /* of the nodes; 0: RN_LEASE_NS */
	const volatile int *stop; /* becomes nonzero: stop waiting for nodes */
	/* One that outlives this: nodes and results of `let` are those of that engine, hosts,
	 * program and lease are not looked at. So texts of several threads may be checked and run,
	 * each with an engine of its own; the fleet takes one query at a time. NULL: none. */
	struct rn_engine *beside;
};

struct rn_engine {
	struct rn_catalog *catalog;
	struct rn_provider *provider;
	struct rn_viewstore *views;
	struct rn_tagstore *tags;
	struct rn_letstore *lets; /* results of `let` */
	struct rn_hosts *hosts;   /* NULL: this machine */
	struct rn_fleet *fleet;   /* over hosts */
	struct rn_arena *arena;   /* of both; and for what lives as long as the engine */
	const volatile int *stop;
	bool borrows;   /* hosts, fleet and lets are another engine's */
	char node[256]; /* this machine's name */
};

/* Opens no probe and no link. NULL: the hosts file is wrong, err says how. */
struct rn_engine *rn_engine_open(const struct rn_engine_opts *o, struct rn_err *err);
void rn_engine_close(struct rn_engine *e); /* NULL is allowed */

/* The path of this binary, and what a command prefix is to start: "runnel" if that is this binary,
 * else its path. In the arena. */
void rn_engine_programs(struct rn_arena *a, const char **program, const char **agent);
/* user@host of this process. In the arena. */
const char *rn_engine_asker(struct rn_arena *a);
#endif
