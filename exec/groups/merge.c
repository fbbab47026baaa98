/* merge.c - merging between agents and the coordinator. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "exec/groups/merge.h"
#include "lang/base/memory.h"

struct rn_relay {
	struct rn_groups *groups;
	struct rn_sink up;
	int64_t other; /* events whose group did not fit here */
};

struct rn_relay *rn_relay_create(const struct rn_fragment *fragment, const struct rn_sink *up)
{
	struct rn_relay *r = rn_calloc(1, sizeof(*r));

	r->up = *up;
	if (fragment->grouped)
		r->groups = rn_groups_create(fragment->aggs, fragment->naggs, fragment->nkeys,
					     fragment->max_groups);
	return r;
}

void rn_relay_destroy(struct rn_relay *relay)
{
	if (!relay)
		return;
	if (relay->groups)
		rn_groups_destroy(relay->groups);
	free(relay);
}

static int relay_rows(void *self, const struct rn_rows *rows)
{
	struct rn_relay *r = self;

	return r->up.rows(r->up.self, rows);
}

static int relay_partials(void *self, const struct rn_partials *p)
{
	struct rn_relay *r = self;
	int64_t other;

	if (!r->groups)
		return -EPROTO;
	other = rn_groups_merge(r->groups, p);
	if (other < 0)
		return (int)other;
	r->other += other;
	return 0;
}

struct rn_sink rn_relay_sink(struct rn_relay *relay)
{
	return (struct rn_sink){.self = relay, .rows = relay_rows, .partials = relay_partials};
}

int rn_relay_flush(struct rn_relay *relay, int64_t before_ns)
{
	return relay->groups ? rn_groups_visit(relay->groups, before_ns, true, relay->up.partials,
					       relay->up.self)
			     : 0;
}

void rn_relay_ledger(const struct rn_relay *right, struct rn_ledger *left)
{
	left->n[RN_L_LOST_MAP] += right->other;
}
