/* engine.h - what runs queries, and the names that they may use: this machine's catalogue and
 * provider, the views and tags of the user's catalogue, and with a hosts file the fleet. The
 * program has one engine. A session of the library has one, and others beside it.
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
	/* the program to start agents with; NULL: this binary, which is runnel itself */
	const char *program;
	int64_t lease_ns;         /* of the nodes; 0: RN_LEASE_NS */
	const volatile int *stop; /* if it becomes nonzero: stop waiting for nodes */
	/* An engine that outlives this one and shares its nodes and results of `let`; then hosts,
	 * program and lease are ignored. So several threads may check and run texts, each with an
	 * engine of its own; the fleet takes one query at a time. NULL: none. */
	struct rn_engine *beside;
};

struct rn_engine {
	struct rn_catalog *catalog;
	struct rn_provider *provider;
	struct rn_viewstore *views;
	struct rn_names names; /* what saved views of an older version are resolved with */
	struct rn_trace_catalogs *traces; /* of names */
	struct rn_tagstore *tags;
	struct rn_letstore *lets; /* results of `let` */
	struct rn_hosts *hosts;   /* NULL: this machine */
	struct rn_fleet *fleet;   /* over hosts */
	struct rn_arena *arena;   /* of hosts and fleet; and for what lives as long as the engine */
	const volatile int *stop;
	bool borrows;   /* hosts, fleet and lets belong to another engine */
	char node[256]; /* this machine's name */
};

/* Creates an engine. Opens no probe and no link. NULL: the hosts file is wrong, and err says
 * how. */
struct rn_engine *rn_engine_open(const struct rn_engine_opts *opts, struct rn_err *err);
void rn_engine_close(struct rn_engine *engine); /* NULL is allowed */

/* Gives the path of this binary, and the word that a command prefix starts: "runnel" if that finds
 * this binary, else its path. In the arena. */
void rn_engine_programs(struct rn_arena *arena, const char **program, const char **agent);
/* Returns user@host of this process. In the arena. */
const char *rn_engine_asker(struct rn_arena *arena);
#endif
