/* nats.c - an agent or a relay that coordinators reach through NATS. It listens, and connects again
 * if the servers have closed the connection. */
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "repl/node/node.h"

enum { REOPEN_S = 5 };

static int listen_there(struct rn_node_nats *x, struct rn_err *err)
{
	int r = rn_nats_open(x->spec, &x->nats, err);

	if (!r)
		r = rn_nats_listen(x->nats, x->kind, x->name, RN_VERSION, err);
	if (!r)
		rn_say("runnel: %s %s listens on NATS at %s\n",
		       x->kind == RN_NATS_AGENT ? "the agent" : "the relay", x->name,
		       rn_nats_servers(x->nats));
	return r;
}

int rn_node_nats_open(struct rn_node_nats *nats, struct rn_arena *arena, struct rn_err *err)
{
	char host[256] = "";

	if (!nats->name) {
		gethostname(host, sizeof(host) - 1);
		nats->name = rn_arena_strdup(arena, host);
	}
	if (!rn_host_is_name(nats->name)) {
		rn_err_set(err, -EINVAL,
			   "`%s` is no name of a node: letters, digits, `.`, `_` and `-`",
			   nats->name);
		rn_err_hint(err, "say --node NAME");
		return -EINVAL;
	}
	return listen_there(nats, err);
}

/* Connect again, at most every REOPEN_S seconds. The old connection stays in memory, because links
 * of the server still use it. */
static void again(struct rn_node_nats *nats, const struct rn_err *why)
{
	time_t now = time(NULL);
	struct rn_err err = {0};
	struct rn_nats *old;

	if (now - nats->tried_s < REOPEN_S)
		return;
	if (!nats->told)
		rn_say("runnel: %s; it is tried again every %d s\n", why->text, REOPEN_S);
	nats->told = true;
	nats->tried_s = now;
	old = nats->nats;
	if (listen_there(nats, &err)) {
		if (nats->nats != old)
			rn_nats_close(nats->nats);
		nats->nats = old;
		return;
	}
	nats->told = false;
}

struct rn_transport *rn_node_nats_accept(void *self)
{
	struct rn_node_nats *x = self;
	struct rn_err err = {0};

	if (rn_nats_state(x->nats, &err))
		again(x, &err);
	return rn_nats_accept(x->nats);
}

unsigned rn_node_nats_polls(void *self, int fd[2], short events[2])
{
	return rn_nats_polls(((struct rn_node_nats *)self)->nats, fd, events);
}
