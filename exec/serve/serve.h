/* serve.h - the serving side of links: an agent that runs queries on its node, or a relay that puts
 * them to the nodes below it.
 *
 * One thread moves messages and answers pings at once, whatever the queries do; each query runs in
 * a thread of its own (exec/serve/job.h). A link on which nothing came for the lease is dropped
 * with all its queries: their programs are detached. */
#ifndef RN_EXEC_SERVE_SERVE_H
#define RN_EXEC_SERVE_SERVE_H
#include "exec/serve/job.h"
#include "planner/plan/source.h"

enum { RN_DEPTH_MAX = 4 };              /* relays one below another */
#define RN_LEASE_NS (10 * 1000000000LL) /* unless options say otherwise */

/* What an agent stands on: given by who knows the kernel. All may be called from several
 * threads. */
struct rn_host {
	void *self;
	const struct rn_scope *scope; /* of the node; its askers are those of each query */
	const char *place;            /* of its ledger: the kernel and the scope */
	/* A catalogue and a provider of one query's own; the policy has been asked. Negative errno:
	 * it is refused, err says why. */
	int (*open)(void *self, const char *node, const struct rn_job_from *from,
		    struct rn_catalog **c, struct rn_provider **p, struct rn_err *err);
	void (*close)(void *self, struct rn_catalog *c, struct rn_provider *p);
};
/* job_agent.c: the body of an agent's queries; host: a struct rn_host */
void rn_job_agent(struct rn_job *j, void *host);

struct rn_serve_opts {
	/* "runnel 0.1.0"; "agent", "relay"; its name; NULL: as the coordinator calls it */
	const char *program, *kind, *node;
	const char *place; /* rn_place_here() */
	unsigned nodes;    /* of a relay: how many are below */
	int64_t lease_ns;
	/* May who said hello ask, as things stand now? Called before each query is looked at. 0, or
	 * a negative errno: then no byte of the query is decoded. NULL: whoever gets here may. */
	int (*ask)(void *self, const char *asker, struct rn_err *err);
	/* may one more query run? 0, or a negative errno. NULL: it may */
	int (*room)(void *self, unsigned running, struct rn_err *err);
	void (*body)(struct rn_job *j, void *self);
	void *body_self;          /* of body, ask and room */
	const volatile int *stop; /* becomes nonzero: end */
	/* New links, of a transport that has many; NULL: there is but the first, and the end of it
	 * is the end. */
	struct rn_transport *(*accept)(void *self);
	unsigned (*polls)(void *self, int fd[2], short events[2]);
	void *accept_self;
	/* a link that is dropped with queries ends the server at once: what it holds ends with the
	 * process */
	bool quit;
};
/* Serves until stop, or the end of the only link. first: taken; NULL: only what is accepted. 0, or
 * a negative errno with the reason why the only link died (-EPIPE: the peer has gone; -ETIMEDOUT:
 * it was silent for the lease). */
int rn_serve(const struct rn_serve_opts *o, struct rn_transport *first, struct rn_err *err);

/* job_relay.c: the body of a relay's queries; self: a struct rn_relay_host of
 * exec/fleet/fleet.h. */
void rn_job_relay(struct rn_job *j, void *self);
#endif
