/* net.c - connections to NATS, one for each server of the hosts file. */
#include <errno.h>
#include <string.h>
#include "exec/fleet/fleet_impl.h"
#include "lang/base/clock.h"

enum { NETS = 16 };
#define REOPEN_NS (5 * 1000000000LL)

struct rn_net *rn_net_of(struct rn_fleet *f, const char *spec)
{
	struct rn_net *t = f->nets;

	while (t && (t->old || strcmp(t->spec, spec)))
		t = t->next;
	if (t)
		return t;
	t = RN_NEW(f->a, struct rn_net);
	t->spec = spec;
	t->next = f->nets;
	return f->nets = t;
}

struct rn_net *rn_net_up(struct rn_fleet *f, const char *spec, struct rn_err *err)
{
	struct rn_net *t = rn_net_of(f, spec);

	if (t->n && !rn_nats_state(t->n, &t->err))
		return t;
	if (t->n) {
		t->old = true;
		t = rn_net_of(f, spec);
	}
	if (!t->tried_ns || rn_mono_ns() - t->tried_ns >= REOPEN_NS) {
		t->err = (struct rn_err){0};
		rn_nats_open(spec, &t->n, &t->err);
		t->tried_ns = rn_mono_ns();
	}
	if (t->n)
		return t;
	*err = t->err;
	return NULL;
}

struct rn_transport *rn_member_dial(struct rn_fleet *f, struct rn_member *m, struct rn_err *err)
{
	struct rn_net *t;

	if (m->duplicate_of) {
		rn_err_set(err, -EEXIST, "two %s of NATS are called so: %s",
			   m->relay ? "relays" : "agents", m->duplicate_of);
		rn_err_hint(err, "give one of them another name with --node");
		return NULL;
	}
	t = rn_net_up(f, m->host->command, err);
	return t ? rn_nats_dial(t->n, m->nats,
				m->host->name + (m->share ? strlen(RN_RELAY_NAME) : 0), err)
		 : NULL;
}

unsigned rn_fleet_net_polls(struct rn_fleet *f, struct pollfd *fds)
{
	unsigned n = 0;

	for (struct rn_net *t = f->nets; t && n < NETS; t = t->next) {
		int fd[2];
		short ev[2];

		if (!t->n || t->old)
			continue;
		rn_nats_polls(t->n, fd, ev);
		fds[n++] = (struct pollfd){.fd = fd[0], .events = ev[0]};
	}
	return n;
}

void rn_fleet_nets_close(struct rn_fleet *f)
{
	for (struct rn_net *t = f->nets; t; t = t->next)
		rn_nats_close(t->n);
}
