/* room.c - see room.h. */
#include "exec/answer/room.h"
#include <stdlib.h>
#include <string.h>
#include "lang/base/memory.h"

enum { SHARE = 4 }; /* how many times the free room */

struct rn_room {
	struct rn_room *of;
	int64_t max, held;
	int64_t *by;
	unsigned n; /* bytes held by each node; the rest was put */
};

struct rn_room *rn_room_create(int64_t max_bytes, struct rn_room *of)
{
	struct rn_room *r = rn_calloc(1, sizeof(*r));

	r->of = of;
	r->max = max_bytes;
	return r;
}

static int64_t *share(struct rn_room *r, unsigned node)
{
	if (node >= r->n) {
		unsigned n = node + 16;

		r->by = rn_realloc(r->by, n * sizeof(*r->by));
		memset(r->by + r->n, 0, (n - r->n) * sizeof(*r->by));
		r->n = n;
	}
	return &r->by[node];
}

void rn_room_destroy(struct rn_room *room)
{
	if (!room)
		return;
	for (unsigned i = 0; room->of && i < room->n; i++)
		if (room->by[i])
			*share(room->of, i) -= room->by[i];
	if (room->of)
		room->of->held -= room->held;
	free(room->by);
	free(room);
}

bool rn_room_take(struct rn_room *room, unsigned node, int64_t bytes)
{
	struct rn_room *all = room->of ? room->of : room;
	int64_t free_bytes = all->max - all->held - bytes;

	if (free_bytes < 0 || *share(all, node) + bytes > SHARE * free_bytes)
		return false;
	for (; room; room = room->of) {
		*share(room, node) += bytes;
		room->held += bytes;
	}
	return true;
}

void rn_room_put(struct rn_room *room, int64_t bytes)
{
	for (; room; room = room->of)
		room->held += bytes;
}

bool rn_room_over(const struct rn_room *room)
{
	const struct rn_room *all = room->of ? room->of : room;

	return all->held > all->max;
}
