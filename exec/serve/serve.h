/* serve.h - the serving side of links: an agent that runs queries on its node, or a relay that
 * sends them to the nodes below it.
 *
 * One thread moves messages and answers pings at once, whatever the queries do. Each query runs in
 * a thread of its own (exec/serve/job.h). If nothing comes on a link for the lease, it is dropped
 * with all its queries: their programs are detached. */
#ifndef RN_EXEC_SERVE_SERVE_H
#define RN_EXEC_SERVE_SERVE_H
#include "exec/serve/job.h"
#include "planner/plan/source.h"

enum { RN_DEPTH_MAX = 4 };              /* relays one below another */
#define RN_LEASE_NS (10 * 1000000000LL) /* unless options say otherwise */

/* What an agent needs from the code that knows the kernel. Several threads may call all of it. */
struct rn_host {
	void *self;
	const struct rn_scope *scope; /* of the node; each query adds its own askers */
	const char *place;            /* for its ledger: the kernel and the scope */
	/* Makes a catalogue and a provider for one query. The policy has been asked before.
	 * Negative errno: the query is refused, err says why. */
	int (*open)(void *self, const char *node, const struct rn_job_from *from,
		    struct rn_catalog **catalog, struct rn_provider **provider, struct rn_err *err);
	void (*close)(void *self, struct rn_catalog *catalog, struct rn_provider *provider);
};
/* job_agent.c: the body of an agent's queries; host: a struct rn_host */
void rn_job_agent(struct rn_job *job, void *host);

struct rn_serve_opts {
	/* "runnel 0.1.0"; "agent", "relay"; its name; NULL: the one that the coordinator uses */
	const char *program, *kind, *node;
	const char *place; /* rn_place_here() */
	unsigned nodes;    /* for a relay: how many nodes are below */
	int64_t lease_ns;
	/* May the peer that said hello ask now? Called before each query is looked at. Returns 0,
	 * or a negative errno: then no byte of the query is decoded. NULL: every peer may ask. */
	int (*ask)(void *self, const char *asker, struct rn_err *err);
	/* may one more query run? 0, or a negative errno. NULL: yes */
	int (*room)(void *self, unsigned running, struct rn_err *err);
	void (*body)(struct rn_job *job, void *self);
	void *body_self;          /* for body, ask and room */
	const volatile int *stop; /* becomes nonzero: end */
	/* Gives new links, for a transport with many. NULL: there is only the first, and the server
	 * ends with it. */
	struct rn_transport *(*accept)(void *self);
	unsigned (*polls)(void *self, int fd[2], short events[2]);
	void *accept_self;
	/* if a link is dropped with queries, ends the server at once: the process frees what it
	 * holds */
	bool quit;
};

/* ---- serve.c ---- */

/* Serves until stop, or until the only link ends. Takes first; NULL: only accepted links. Returns
 * 0, or a negative errno with the reason why the only link died (-EPIPE: the peer has gone;
 * -ETIMEDOUT: it was silent for the lease). */
int rn_serve(const struct rn_serve_opts *opts, struct rn_transport *first, struct rn_err *err);

/* job_relay.c: the body of a relay's queries. self: a struct rn_relay_host of
 * exec/fleet/fleet.h. */
void rn_job_relay(struct rn_job *job, void *self);
#endif
