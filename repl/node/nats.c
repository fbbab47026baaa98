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
	int r = rn_nats_open(x->spec, &x->n, err);

	if (!r)
		r = rn_nats_listen(x->n, x->kind, x->name, RN_VERSION, err);
	if (!r)
		rn_say("runnel: %s %s listens on NATS at %s\n",
		       x->kind == RN_NATS_AGENT ? "the agent" : "the relay", x->name,
		       rn_nats_servers(x->n));
	return r;
}

int rn_node_nats_open(struct rn_node_nats *x, struct rn_arena *a, struct rn_err *err)
{
	char host[256] = "";

	if (!x->name) {
		gethostname(host, sizeof(host) - 1);
		x->name = rn_arena_strdup(a, host);
	}
	if (!rn_host_is_name(x->name)) {
		rn_err_set(err, -EINVAL,
			   "`%s` is no name of a node: letters, digits, `.`, `_` and `-`", x->name);
		rn_err_hint(err, "say --node NAME");
		return -EINVAL;
	}
	return listen_there(x, err);
}

/* Connect again, at most every REOPEN_S seconds. The old connection stays in memory, because links
 * of the server still use it. */
static void again(struct rn_node_nats *x, const struct rn_err *why)
{
	time_t now = time(NULL);
	struct rn_err err = {0};
	struct rn_nats *old;

	if (now - x->tried_s < REOPEN_S)
		return;
	if (!x->told)
		rn_say("runnel: %s; it is tried again every %d s\n", why->text, REOPEN_S);
	x->told = true;
	x->tried_s = now;
	old = x->n;
	if (listen_there(x, &err)) {
		if (x->n != old)
			rn_nats_close(x->n);
		x->n = old;
		return;
	}
	x->told = false;
}

struct rn_transport *rn_node_nats_accept(void *self)
{
	struct rn_node_nats *x = self;
	struct rn_err err = {0};

	if (rn_nats_state(x->n, &err))
		again(x, &err);
	return rn_nats_accept(x->n);
}

unsigned rn_node_nats_polls(void *self, int fd[2], short events[2])
{
	return rn_nats_polls(((struct rn_node_nats *)self)->n, fd, events);
}
