/* flow_queue.c - what went into pipes, sockets and servers of FUSE and waits for who takes it out.
 *
 * A channel without positions is paired by order: the first that went in is the first that comes out, but one of the same size, with
 * the tag at the same place, goes before others: after a loss the rest is paired rightly again. */
#include "exec/flow_impl.h"

enum { LOOK_AHEAD = 64, LOOK_BACK = 1024 };

/* A hop may lie in several queues: what is taken out of one is out of all. */
struct entry { struct rn_hop *h; int64_t place; uint64_t tag /* 1 << its number in the hop */; bool placed; struct entry *next, *before; };
struct rn_flow_queue { struct entry *first, *last, *latest_taken; };

static struct rn_flow_queue *queue_of(struct rn_flow *f, const char *what, const struct rn_value *tag, bool create)
{
	struct rn_flow_slot *s = rn_flow_slot(f, rn_arena_printf(f->a, "%s|%.*s", what, (int)tag->len, tag->s));

	if (!s->queue && create)
		s->queue = RN_NEW(f->a, struct rn_flow_queue);
	return s->queue;
}

void rn_flow_put(struct rn_flow *f, const char *what, struct rn_hop *h)
{
	struct rn_value tag;
	uint64_t bit = 1;

	for (uint32_t at = 0; rn_flow_tag(h, &at, &tag);) {
		struct rn_flow_queue *q = queue_of(f, what, &tag, true);
		struct entry *e = RN_NEW(f->a, struct entry);

		*e = (struct entry){.h = h, .before = q->last, .tag = bit};
		bit = bit << 1 ? bit << 1 : bit;
		e->placed = rn_flow_place(h, &tag, &e->place);
		if (q->last)
			q->last->next = e;
		else
			q->first = e;
		q->last = e;
	}
}

static bool is_alike(const struct entry *e, const struct rn_hop *h, bool placed, int64_t place)
{
	return rn_flow_number(&e->h->v[F_BYTES]) == rn_flow_number(&h->v[F_BYTES]) && (!e->placed || !placed || e->place == place);
}

/* What went into a socket does not come out of the same one. */
static bool is_own(const struct entry *e, const struct rn_hop *h)
{
	int64_t ino = rn_flow_number(&h->v[F_INO]);

	return ino && rn_flow_number(&e->h->v[F_INO]) == ino;
}

static bool is_taken(const struct entry *e)
{
	return e->h->taken & e->tag;
}

static void take(struct rn_flow_queue *q, struct entry *e)
{
	e->h->taken |= e->tag;
	e->h->out_how = RN_HOW_ORDER;
	q->latest_taken = e;
}

static struct entry *next_out(struct rn_flow_queue *q, const struct rn_hop *h, const struct rn_value *tag, bool alike)
{
	struct entry *head = NULL;
	int64_t place = 0;
	bool placed = rn_flow_place(h, tag, &place);
	unsigned n = 0;

	while (q->first && is_taken(q->first))
		q->first = q->first->next;
	for (struct entry *e = q->first; e && n < LOOK_AHEAD; e = e->next, n++) {
		if (is_taken(e) || (alike && is_own(e, h)))
			continue;
		if (is_alike(e, h, placed, place))
			return e;
		if (!head)
			head = e;
	}
	if (alike)
		return NULL;
	return head ? head : q->latest_taken;
}

/* A call may take out what several have put in. */
static void take_more(struct rn_flow_queue *q, struct entry *e, const struct rn_hop *h)
{
	int64_t left = rn_flow_number(&h->v[F_BYTES]);

	for (; e && (left -= rn_flow_number(&e->h->v[F_BYTES])) >= 0; e = e->next)
		take(q, e);
}

struct rn_hop *rn_flow_take(struct rn_flow *f, const char *what, const struct rn_hop *h, bool alike)
{
	struct rn_hop *best = NULL;
	struct rn_value tag;

	for (uint32_t at = 0; rn_flow_tag(h, &at, &tag);) {
		struct rn_flow_queue *q = queue_of(f, what, &tag, false);
		struct entry *e = q ? next_out(q, h, &tag, alike) : NULL;

		if (!e)
			continue;
		if (!best || e->h->number > best->number)
			best = e->h;
		take(q, e);
		take_more(q, e, h);
	}
	return best;
}

struct rn_hop *rn_flow_covering(struct rn_flow *f, const char *what, const struct rn_hop *h, bool strict)
{
	struct rn_value tag;

	for (uint32_t at = 0; rn_flow_tag(h, &at, &tag);) {
		struct rn_flow_queue *q = queue_of(f, what, &tag, false);
		int64_t offset = rn_flow_number(&h->v[F_OFFSET]), place = 0;
		bool placed = rn_flow_place(h, &tag, &place);
		unsigned n = 0;

		for (struct entry *e = q ? q->last : NULL; e && n < LOOK_BACK; e = e->before, n++) {
			int64_t begin = rn_flow_number(&e->h->v[F_OFFSET]), end = begin + rn_flow_number(&e->h->v[F_BYTES]);

			if (strict && !(placed && e->placed && begin + e->place == offset + place))
				continue;
			if (placed ? offset + place < end && offset + place + rn_flow_tag_bytes(&tag) > begin :
				     offset < end && offset + rn_flow_number(&h->v[F_BYTES]) > begin)
				return e->h;
		}
	}
	return NULL;
}
