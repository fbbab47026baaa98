/* net.c - connections to NATS, one for each server of the hosts file. */
#include <errno.h>
#include <string.h>
#include "exec/fleet/fleet_impl.h"
#include "lang/base/clock.h"

enum { NETS = 16 };
#define REOPEN_NS (5 * 1000000000LL)

struct rn_net *rn_net_of(struct rn_fleet *fleet, const char *spec)
{
	struct rn_net *t = fleet->nets;

	while (t && (t->old || strcmp(t->spec, spec)))
		t = t->next;
	if (t)
		return t;
	t = RN_NEW(fleet->arena, struct rn_net);
	t->spec = spec;
	t->next = fleet->nets;
	return fleet->nets = t;
}

struct rn_net *rn_net_up(struct rn_fleet *fleet, const char *spec, struct rn_err *err)
{
	struct rn_net *net = rn_net_of(fleet, spec);

	if (net->nats && !rn_nats_state(net->nats, &net->err))
		return net;
	if (net->nats) {
		net->old = true;
		net = rn_net_of(fleet, spec);
	}
	if (!net->tried_ns || rn_mono_ns() - net->tried_ns >= REOPEN_NS) {
		net->err = (struct rn_err){0};
		rn_nats_open(spec, &net->nats, &net->err);
		net->tried_ns = rn_mono_ns();
	}
	if (net->nats)
		return net;
	*err = net->err;
	return NULL;
}

struct rn_transport *rn_member_dial(struct rn_fleet *fleet, struct rn_member *member,
				    struct rn_err *err)
{
	struct rn_net *t;

	if (member->discovery.duplicate_of) {
		rn_err_set(err, -EEXIST, "two %s of NATS are called so: %s",
			   member->relay ? "relays" : "agents", member->discovery.duplicate_of);
		rn_err_hint(err, "give one of them another name with --node");
		return NULL;
	}
	t = rn_net_up(fleet, member->host->command, err);
	return t ? rn_nats_dial(t->nats, member->discovery.kind,
				member->host->name +
					(member->discovery.share ? strlen(RN_RELAY_NAME) : 0),
				err)
		 : NULL;
}

unsigned rn_fleet_net_polls(struct rn_fleet *fleet, struct pollfd *fds)
{
	unsigned n = 0;

	for (struct rn_net *t = fleet->nets; t && n < NETS; t = t->next) {
		int fd[2];
		short ev[2];

		if (!t->nats || t->old)
			continue;
		rn_nats_polls(t->nats, fd, ev);
		fds[n++] = (struct pollfd){.fd = fd[0], .events = ev[0]};
	}
	return n;
}

void rn_fleet_nets_close(struct rn_fleet *fleet)
{
	for (struct rn_net *t = fleet->nets; t; t = t->next)
		rn_nats_close(t->nats);
}
