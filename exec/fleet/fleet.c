/* fleet.c - begins and ends a fleet, and counts its nodes. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "exec/fleet/fleet_impl.h"
#include "lang/base/memory.h"
#include "lang/base/clock.h"

enum { FLEET_ARENA = 256 << 20, SCRATCH_ARENA = 256 << 20 };

struct rn_fleet *rn_fleet_create(const struct rn_fleet_opts *opts)
{
	struct rn_fleet *f = rn_calloc(1, sizeof(*f));

	f->opts = *opts;
	f->arena = rn_arena_create(FLEET_ARENA);
	f->scratch = rn_arena_create(SCRATCH_ARENA);
	f->held_in = rn_arena_create(SCRATCH_ARENA);
	f->base_ns = opts->base_ns ? opts->base_ns : rn_event_clock_base();
	f->clocks = rn_clocks_create();
	f->n = opts->hosts->n;
	f->deadline_ns = opts->hosts->deadline_ns ? opts->hosts->deadline_ns : RN_DEADLINE_NS;
	f->members = RN_NEWN(f->arena, struct rn_member, f->n + 1);
	for (unsigned i = 0; i < f->n; i++)
		rn_member_init(f, &f->members[i], &opts->hosts->entries[i]);
	f->keep = rn_keepalive_create(f);
	return f;
}

void rn_fleet_destroy(struct rn_fleet *fleet)
{
	if (!fleet)
		return;
	rn_fleet_close(fleet);
	rn_keepalive_destroy(fleet->keep);
	for (unsigned i = 0; i < fleet->n; i++)
		if (fleet->members[i].link.io)
			rn_link_hangup(fleet->members[i].link.io);
	for (unsigned i = 0; i < fleet->n; i++) {
		rn_link_destroy(fleet->members[i].link.io);
		free(fleet->members[i].query.below);
		free(fleet->members[i].query.missing);
	}
	rn_fleet_clock_end(fleet);
	rn_clocks_destroy(fleet->clocks);
	rn_fleet_nets_close(fleet);
	rn_fleet_names_free(fleet);
	rn_arena_destroy(fleet->scratch);
	rn_arena_destroy(fleet->held_in);
	rn_arena_destroy(fleet->arena);
	free(fleet->buf);
	free(fleet->fds);
	free(fleet);
}

void rn_fleet_set_stop(struct rn_fleet *fleet, const volatile int *stop)
{
	fleet->opts.stop = stop;
}

void rn_fleet_on_wait(struct rn_fleet *fleet,
		      void (*waiting)(void *self, const struct rn_fleet_status *status), void *self)
{
	fleet->waiting = waiting;
	fleet->waiting_self = self;
}

static bool greeting(const struct rn_fleet *f)
{
	for (unsigned i = 0; i < f->n; i++)
		if (f->members[i].query.chosen && f->members[i].link.state == RN_M_GREETING)
			return true;
	return false;
}

unsigned rn_fleet_count(struct rn_fleet *fleet, const char *const *nodes)
{
	unsigned n = 0;

	rn_fleet_gather(fleet);
	for (unsigned i = 0; i < fleet->n; i++) /* only a relay knows how many it stands for */
		if (fleet->members[i].host->kind == RN_HOST_RELAY)
			rn_member_choose(fleet, &fleet->members[i], nodes);
	rn_fleet_greet(fleet);
	rn_fleet_wait_begin(fleet);
	while (greeting(fleet) && !rn_stopped(fleet->opts.stop)) {
		rn_fleet_turn(fleet, 100);
		rn_fleet_wait_told(fleet);
	}
	rn_fleet_wait_end(fleet);
	for (unsigned i = 0; i < fleet->n; i++) {
		rn_member_choose(fleet, &fleet->members[i], nodes);
		if (fleet->members[i].query.chosen &&
		    !fleet->members[i].query.asked_for_nodes_below)
			n += fleet->members[i].relay && fleet->members[i].discovery.nodes_below
				     ? fleet->members[i].discovery.nodes_below
				     : 1;
		fleet->members[i].query.chosen = false;
	}
	return n;
}
