/* node.h - a node of a cluster: `runnel agent` and `runnel relay`. */
#ifndef RN_REPL_NODE_NODE_H
#define RN_REPL_NODE_NODE_H
#include "exec/nats/nats.h"
#include "exec/serve/serve.h"
#include "repl/cli/session.h"
#include <time.h>

/* node.c: runs `runnel agent` or `runnel relay`; argv[0] is "agent" or "relay". Returns the exit
 * status. */
int rn_node_main(int argc, char **argv);
/* nats.c: a node that is reached through NATS; its functions are callbacks for struct
 * rn_serve_opts. */
struct rn_node_nats {
	const char *spec, *name;
	enum rn_nats_kind kind;
	struct rn_nats *nats;
	time_t tried_s;
	bool told;
};
/* nats->name NULL: sets it to the host's */
int rn_node_nats_open(struct rn_node_nats *nats, struct rn_arena *arena, struct rn_err *err);
struct rn_transport *rn_node_nats_accept(void *self);
unsigned rn_node_nats_polls(void *self, int fd[2], short events[2]);
#endif
