/* shared.c - what the queries of one process share: see chain.h and search.h. */
#include <stdlib.h>
#include "lang/base/memory.h"
#include "probes/live/live_impl.h"
#include "probes/probes.h"

struct rn_shared *rn_shared_create(void)
{
	struct rn_shared *s = rn_calloc(1, sizeof(*s));

	s->chains = rn_chains_create();
	s->searches = rn_searches_create();
	return s;
}

void rn_shared_destroy(struct rn_shared *shared)
{
	if (!shared)
		return;
	rn_chains_destroy(shared->chains);
	rn_searches_destroy(shared->searches);
	free(shared);
}
