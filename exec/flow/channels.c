/* channels.c - what went into pipes, sockets, files and servers of FUSE, until a hop takes it out.
 *
 * A channel without positions is paired by order: first in, first out. But an entry of the same
 * size, with the tag at the same place, goes before others: so after a loss the rest is paired
 * rightly again. An entry with other bytes around its tag is excluded. The number of entries that
 * are left is the number of possible causes: calls of several writers, or readers, may overlap. */
#include "exec/flow/flow_impl.h"

enum { LOOK_AHEAD = 64, LOOK_BACK = 1024, FUSE_REPLY = 16 /* bytes of a reply's header */ };

/* A hop may be in several queues: taken out of one, it is out of all. */
struct entry {
	struct rn_flow_hop *hop;
	int64_t place;
	uint64_t tag; /* 1 << its number in the hop */
	struct rn_print print;
	bool placed;
	struct entry *next, *before;
};
struct rn_flow_queue {
	struct entry *first, *last, *latest_taken;
	uint32_t n;
};

static struct rn_flow_queue *queue_of(struct rn_flow *f, const char *what,
				      const struct rn_value *tag, bool create)
{
	struct rn_flow_slot *s =
		rn_flow_slot(f, rn_arena_printf(f->keys, "%s|%.*s", what, (int)tag->len, tag->s));

	if (!s->of && create)
		s->of = RN_NEW(f->arena, struct rn_flow_queue);
	return s->of;
}

void rn_flow_put(struct rn_flow *flow, const char *what, struct rn_flow_hop *hop)
{
	struct rn_value tag;
	uint64_t bit = 1;

	for (uint32_t at = 0; rn_flow_tag(hop, &at, &tag);) {
		struct rn_flow_queue *q = queue_of(flow, what, &tag, true);
		struct entry *e = RN_NEW(flow->arena, struct entry);

		*e = (struct entry){.hop = hop, .before = q->last, .tag = bit};
		bit = bit << 1 ? bit << 1 : bit;
		e->placed = rn_flow_place(hop, &tag, &e->place);
		rn_flow_print(hop, &tag, &e->print);
		if (q->last)
			q->last->next = e;
		else
			q->first = e;
		q->last = e;
		q->n++;
	}
}

/* The tag that a taking hop looks for. */
struct wanted {
	const struct rn_flow_hop *hop;
	int64_t place;
	struct rn_print print;
	bool placed, alike;
};

static struct wanted wanted_of(const struct rn_flow_hop *h, const struct rn_value *tag, bool alike)
{
	struct wanted w = {.hop = h, .alike = alike};

	w.placed = rn_flow_place(h, tag, &w.place);
	rn_flow_print(h, tag, &w.print);
	return w;
}

static bool is_alike(const struct entry *e, const struct wanted *w)
{
	return rn_flow_number(e->hop, F_BYTES) == rn_flow_number(w->hop, F_BYTES) &&
	       (!e->placed || !w->placed || e->place == w->place);
}

/* Data that went into a socket does not come out of the same one. */
static bool is_own(const struct entry *e, const struct wanted *w)
{
	int64_t ino = rn_flow_number(w->hop, F_INO);

	return ino && rn_flow_number(e->hop, F_INO) == ino;
}

static bool may_be(const struct entry *e, const struct wanted *w)
{
	return (!w->alike || (!is_own(e, w) && is_alike(e, w))) &&
	       rn_flow_alike(&e->print, &w->print);
}

static bool is_taken(const struct entry *e)
{
	return e->hop->taken & e->tag;
}

static bool is_sure(const struct entry *e)
{
	return e->hop->sure & e->tag;
}

static void take(struct rn_flow_queue *q, struct entry *e, bool sure)
{
	e->hop->taken |= e->tag;
	if (sure)
		e->hop->sure |= e->tag;
	e->hop->out_how = RN_HOW_ORDER;
	q->latest_taken = e;
}

/* Only so many entries stay in doubt: the oldest of them is now certain. */
static void forget_guess(struct rn_flow_queue *q)
{
	struct entry *e = q->first;

	while (e && (!is_taken(e) || is_sure(e)))
		e = e->next;
	if (e)
		e->hop->sure |= e->tag;
}

/* Gives the entry that comes out next, and counts the possible ones. An entry that another hop took
 * still counts, if that was not certain. */
static struct entry *next_out(struct rn_flow_queue *q, const struct wanted *w, uint32_t *choices)
{
	struct entry *head = NULL, *best = NULL;
	unsigned n = 0, guessed = 0;

	while (q->first && is_taken(q->first) && is_sure(q->first))
		q->first = q->first->next;
	*choices = 0;
	for (struct entry *e = q->first; e && n < LOOK_AHEAD; e = e->next) {
		if (is_taken(e)) {
			guessed += !is_sure(e);
			*choices += !is_sure(e) && may_be(e, w);
			continue;
		}
		n++;
		if (!may_be(e, w))
			continue;
		++*choices;
		if (!best && is_alike(e, w))
			best = e;
		if (!head)
			head = e;
	}
	if (guessed > LOOK_AHEAD)
		forget_guess(q);
	best = best ? best : head;
	if (best || w->alike)
		return best;
	*choices = q->n; /* the rest of those taken before */
	return q->latest_taken;
}

/* Entries that came out before a known hop are out for certain. */
static void settle(struct rn_flow_queue *q, const struct entry *until)
{
	unsigned n = 0;

	for (struct entry *e = q->first; e && e != until && n < 2 * LOOK_AHEAD; e = e->next, n++)
		if (is_taken(e))
			e->hop->sure |= e->tag;
}

/* One call may take out what several calls have put in. Perhaps: what else is in between, without
 * the tag, is not known. */
static void take_more(struct rn_flow *f, struct rn_flow_queue *q, struct entry *e,
		      const struct wanted *w, struct rn_flow_hop *h, const struct rn_value *tag,
		      uint32_t choices)
{
	int64_t before = e->placed && w->placed && w->place > e->place ? w->place - e->place : 0,
		left = rn_flow_number(h, F_BYTES) - before - rn_flow_number(e->hop, F_BYTES);

	for (e = e->next; e && (left -= rn_flow_number(e->hop, F_BYTES)) >= 0; e = e->next) {
		if (!is_taken(e))
			rn_flow_cause(f, h, e->hop, tag, RN_LINK_ORDER, choices + 1);
		take(q, e, false);
	}
}

bool rn_flow_take(struct rn_flow *flow, const char *what, struct rn_flow_hop *hop,
		  const struct rn_value *tag, bool alike, uint32_t unknown)
{
	struct rn_flow_queue *q = queue_of(flow, what, tag, false);
	struct wanted w = wanted_of(hop, tag, alike);
	uint32_t choices = 0;
	struct entry *e = q ? next_out(q, &w, &choices) : NULL;

	if (!e)
		return false;
	choices += unknown;
	rn_flow_cause(flow, hop, e->hop, tag, RN_LINK_ORDER, choices);
	if (choices == 1 && !alike) /* else they are of many channels, which have no order */
		settle(q, e);
	if (rn_flow_keeps(hop))
		return true;
	take(q, e, choices == 1);
	if (!alike)
		take_more(flow, q, e, &w, hop, tag, choices);
	return true;
}

/* ---- files ---- */

/* Is it a message of /dev/fuse with data of a file? Recordings of 0.1.0 do not tell. */
static bool is_told(const struct rn_flow_hop *h)
{
	return rn_flow_has(h, F_FUSE_NODE);
}

/* The position behind a hop's last byte: a reply has a header of its own. */
static int64_t end_of(const struct rn_flow_hop *h)
{
	bool reply = is_told(h) && rn_flow_is_fuse(h, rn_flow_text(h, F_FILE));

	return rn_flow_number(h, F_OFFSET) + rn_flow_number(h, F_BYTES) - (reply ? FUSE_REPLY : 0);
}

/* Does the hop tell where in the file it begins? A copy tells it of the file that it reads, which
 * may have been a pipe. */
static bool has_offset(const struct rn_flow_hop *h)
{
	return rn_flow_has(h, F_OFFSET) && rn_flow_number(h, F_OFFSET) >= 0 && !(h->in && h->out);
}

/* Does the entry's hop have the bytes of the file at w's tag? */
static bool covers(const struct entry *e, const struct wanted *w, uint32_t tag_bytes, bool strict)
{
	int64_t offset = rn_flow_number(w->hop, F_OFFSET), begin = rn_flow_number(e->hop, F_OFFSET),
		end = end_of(e->hop);
	bool known = has_offset(e->hop) && has_offset(w->hop);

	if (strict && !(known && w->placed && e->placed && begin + e->place == offset + w->place))
		return false;
	if (!known)
		return true;
	if (w->placed)
		return offset + w->place < end && offset + w->place + tag_bytes > begin;
	return offset < end && offset + rn_flow_number(w->hop, F_BYTES) > begin;
}

/* The time of a mapping's reads and writes is unknown: the kernel reports them later. */
static bool is_mapping(const struct rn_flow_hop *h)
{
	return rn_flow_starts(rn_flow_text(h, F_NAME), "mmap_");
}

/* Can its data be on the way while the thread does something else? */
static bool is_detached(const struct rn_flow_hop *h)
{
	return is_mapping(h) || rn_flow_starts(rn_flow_text(h, F_NAME), "io_");
}

/* Was the thread named in the message within this call, which waits for the reply? */
static bool is_call_of(const struct rn_flow_hop *call, const struct rn_flow_hop *message,
		       bool request)
{
	int64_t tid = rn_flow_number(message, F_FUSE_TID),
		at = request ? message->end_ns : message->begin_ns;

	return tid && tid == rn_flow_number(call, F_TID) && call->begin_ns <= at &&
	       at <= call->end_ns && !is_detached(call);
}

/* Can the entry be the other half of what w looks for? PLACELESS: a reply to an unknown request. */
enum fit { FIT_NOT, FIT_PLACELESS, FIT_PLACE, FIT_OWN, FITS };
static enum fit fit_of(const struct entry *e, const struct wanted *w, const struct rn_flow_fuse *p,
		       uint32_t tag_bytes)
{
	const struct rn_flow_hop *message = p->request ? w->hop : e->hop,
				 *call = p->request ? e->hop : w->hop;
	int64_t node = rn_flow_number(message, F_FUSE_NODE),
		file = rn_flow_number(call, F_FUSE_NODE);

	if (is_told(message) && !node) /* names, attributes */
		return p->request || p->strict ? FIT_NOT : FIT_PLACELESS;
	if ((node && file && node != file) || !covers(e, w, tag_bytes, p->strict))
		return FIT_NOT;
	if (is_call_of(call, message, p->request))
		return FIT_OWN;
	/* a thread is named if it waits: then the call is its own */
	return p->request && rn_flow_number(message, F_FUSE_TID) && !is_detached(call) ? FIT_NOT
										       : FIT_PLACE;
}

struct rn_flow_hop *rn_flow_covering(struct rn_flow *flow, struct rn_flow_fuse *fuse,
				     const struct rn_flow_hop *hop, const struct rn_value *tag)
{
	struct rn_flow_queue *q = queue_of(flow, fuse->what, tag, false);
	struct wanted w = wanted_of(hop, tag, false);
	struct rn_flow_hop *latest[FITS] = {0};
	uint32_t count[FITS] = {0}, n = 0, detached = 0;

	for (struct entry *e = q ? q->last : NULL; e && n < LOOK_BACK; e = e->before, n++) {
		enum fit fit = fit_of(e, &w, fuse, rn_flow_tag_bytes(tag));

		count[fit]++;
		latest[fit] = latest[fit] ? latest[fit] : e->hop;
		detached += fit == FIT_PLACE && is_detached(e->hop);
	}
	fuse->own = latest[FIT_OWN];
	fuse->choices = fuse->own ? count[FIT_OWN] + (fuse->request ? detached : 0)
				  : count[FIT_PLACE] + count[FIT_PLACELESS] + (q ? q->n - n : 0) +
					    rn_flow_unknown(flow, hop) +
					    (!latest[FIT_PLACE] || !is_told(hop));
	return fuse->own           ? latest[FIT_OWN]
	       : latest[FIT_PLACE] ? latest[FIT_PLACE]
				   : latest[FIT_PLACELESS];
}

/* Did e, or a later hop, write all that is there when h reads its tag? */
static bool seals(const struct entry *e, const struct wanted *w, uint32_t tag_bytes)
{
	int64_t begin = rn_flow_number(e->hop, F_OFFSET),
		end = begin + rn_flow_number(e->hop, F_BYTES);
	int64_t tag = rn_flow_number(w->hop, F_OFFSET) + w->place;

	return begin <= tag && tag + tag_bytes <= end && e->hop->end_ns <= w->hop->begin_ns &&
	       !is_mapping(e->hop) && !is_mapping(w->hop);
}

struct rn_flow_hop *rn_flow_written(struct rn_flow *flow, const char *what,
				    const struct rn_flow_hop *hop, const struct rn_value *tag,
				    uint32_t *choices)
{
	struct rn_flow_queue *q = queue_of(flow, what, tag, false);
	struct wanted w = wanted_of(hop, tag, false);
	uint32_t tag_bytes = rn_flow_tag_bytes(tag), n = 0;
	int64_t sealed = INT64_MIN;
	struct rn_flow_hop *best = NULL;

	*choices = 0;
	for (struct entry *e = q ? q->last : NULL; e && n < LOOK_BACK; e = e->before, n++) {
		bool placed = w.placed && has_offset(hop) && has_offset(e->hop);

		if ((placed && !covers(e, &w, tag_bytes, false)) ||
		    (sealed != INT64_MIN && e->hop->end_ns <= sealed))
			continue;
		++*choices;
		best = best ? best : e->hop;
		if (placed && sealed == INT64_MIN && seals(e, &w, tag_bytes))
			sealed = e->hop->begin_ns;
	}
	if (q && sealed == INT64_MIN && q->n > n) /* those that were not looked at */
		*choices += q->n - n;
	*choices += rn_flow_unknown(flow, hop);
	return best;
}
