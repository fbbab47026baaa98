/* fleet.c - begins and ends a fleet, and counts its nodes. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "exec/fleet/fleet_impl.h"
#include "lang/base/memory.h"
#include "lang/base/clock.h"

enum { FLEET_ARENA = 256 << 20, SCRATCH_ARENA = 256 << 20 };

struct rn_fleet *rn_fleet_create(const struct rn_fleet_opts *o)
{
	struct rn_fleet *f = rn_calloc(1, sizeof(*f));

	f->o = *o;
	f->a = rn_arena_create(FLEET_ARENA);
	f->scratch = rn_arena_create(SCRATCH_ARENA);
	f->held_in = rn_arena_create(SCRATCH_ARENA);
	f->base_ns = o->base_ns ? o->base_ns : rn_event_clock_base();
	f->clocks = rn_clocks_create();
	f->n = o->hosts->n;
	f->deadline_ns = o->hosts->deadline_ns ? o->hosts->deadline_ns : RN_DEADLINE_NS;
	f->m = RN_NEWN(f->a, struct rn_member, f->n + 1);
	for (unsigned i = 0; i < f->n; i++)
		rn_member_init(f, &f->m[i], &o->hosts->e[i]);
	f->keep = rn_keepalive_create(f);
	return f;
}

void rn_fleet_destroy(struct rn_fleet *f)
{
	if (!f)
		return;
	rn_fleet_close(f);
	rn_keepalive_destroy(f->keep);
	for (unsigned i = 0; i < f->n; i++)
		if (f->m[i].link)
			rn_link_hangup(f->m[i].link);
	for (unsigned i = 0; i < f->n; i++) {
		rn_link_destroy(f->m[i].link);
		free(f->m[i].below);
		free(f->m[i].missing);
	}
	rn_fleet_clock_end(f);
	rn_clocks_destroy(f->clocks);
	rn_fleet_nets_close(f);
	rn_fleet_names_free(f);
	rn_arena_destroy(f->scratch);
	rn_arena_destroy(f->held_in);
	rn_arena_destroy(f->a);
	free(f->buf);
	free(f->fds);
	free(f);
}

void rn_fleet_set_stop(struct rn_fleet *f, const volatile int *stop)
{
	f->o.stop = stop;
}

static bool greeting(const struct rn_fleet *f)
{
	for (unsigned i = 0; i < f->n; i++)
		if (f->m[i].chosen && f->m[i].state == RN_M_GREETING)
			return true;
	return false;
}

unsigned rn_fleet_count(struct rn_fleet *f, const char *const *nodes)
{
	unsigned n = 0;

	rn_fleet_gather(f);
	for (unsigned i = 0; i < f->n; i++) /* only a relay knows how many it stands for */
		if (f->m[i].host->kind == RN_HOST_RELAY)
			rn_member_choose(f, &f->m[i], nodes);
	rn_fleet_greet(f);
	while (greeting(f) && !rn_stopped(f->o.stop))
		rn_fleet_turn(f, 100);
	for (unsigned i = 0; i < f->n; i++) {
		rn_member_choose(f, &f->m[i], nodes);
		if (f->m[i].chosen && !f->m[i].asked_for_nodes_below)
			n += f->m[i].relay && f->m[i].nodes_below ? f->m[i].nodes_below : 1;
		f->m[i].chosen = false;
	}
	return n;
}
