/* connections.c - pairs data sent into a connection with data received from it, on any nodes, by
 * the addresses and the place in the stream.
 *
 * TCP: both kernels number the bytes of a stream alike. The last byte of a tag has a number at the
 * receiver. The cause is the send of that byte, with the same addresses and the same tag. No clock
 * is needed. If an address was rewritten on the way (NAT), the numbers are still the same, and
 * usually one of the ports is too: a second pass pairs by tag, number and port. It also pairs what
 * splice receives from a socket without known addresses, if the tag begins at the very same number.
 * Loopback addresses belong to one network namespace of one node.
 *
 * UDP: datagrams match if they have the same tag at the same place, the same size, and the same
 * ports and addresses (as far as both ends know theirs: a socket may be bound to any address). They
 * are paired in the order in which they were sent. */
#include <stdlib.h>
#include "exec/flow/flow_impl.h"
#include "lang/base/memory.h"
#include "lang/base/vec.h"

enum {
	PORT = 16,
	LOOK_BACK = 64,
	WRAPPED = 4,
	CLASS = 4096 /* most datagrams that are compared */,
	PAIR = 2 * RN_IP_BYTES
};

struct end { /* what one hop did to a stream, and one of its tags */
	struct rn_flow_hop *hop;
	struct rn_value text; /* of the tag */
	uint32_t tag, tag_bytes;
	uint32_t scope;             /* for loopback addresses: node and namespace; else 0 */
	uint32_t seq, bytes, place; /* numbers of the first byte, and of the tag's first byte */
	bool placed, joined;        /* joined: for a send, it was received */
	unsigned char pair[PAIR];   /* sender's address, receiver's; zeros: not known */
};
struct ends {
	struct end *list;
	uint32_t n, cap;
};
typedef int compare_fn(const struct end *a, const struct end *b);

static bool is_datagram(const struct rn_flow_hop *h)
{
	return rn_flow_is(rn_flow_text(h, F_PROTO), "udp");
}

static const char *no_address(void)
{
	static const char zeros[RN_IP_BYTES];

	return zeros;
}

static const char *address(const struct rn_value *v)
{
	return v->kind == RN_STR && v->len == RN_IP_BYTES ? v->s : no_address();
}

static uint32_t scope_of(struct rn_flow *f, const struct rn_flow_hop *h)
{
	return rn_flow_id(f, rn_arena_printf(f->keys, "n|%u|%lld", h->node,
					     (long long)rn_flow_number(h, F_NETNS)));
}

static struct end *add(struct ends *e)
{
	rn_vec_room(e->list, e->n, e->cap);
	memset(&e->list[e->n], 0, sizeof(*e->list));
	return &e->list[e->n++];
}

static void add_hop(struct rn_flow *flow, struct ends *to, struct rn_flow_hop *hop, bool out)
{
	const char *local = address(rn_flow_text(hop, F_LOCAL)),
		   *peer = address(rn_flow_text(hop, F_PEER));
	struct rn_value tag;

	if (!rn_flow_has_ends(hop) && !is_datagram(hop))
		local = peer = no_address(); /* for a copy they are those of its target */
	for (uint32_t at = 0; rn_flow_tag(hop, &at, &tag);) {
		struct end *e = add(to);
		int64_t place = 0;

		e->hop = hop;
		e->text = tag;
		e->tag = rn_flow_id(flow,
				    rn_arena_printf(flow->keys, "t|%.*s", (int)tag.len, tag.s));
		e->tag_bytes = rn_flow_tag_bytes(&tag);
		e->scope = rn_flow_is_loopback(local) || rn_flow_is_loopback(peer)
				   ? scope_of(flow, hop)
				   : 0;
		e->seq = (uint32_t)rn_flow_number(hop, F_SEQ);
		e->bytes = (uint32_t)rn_flow_number(hop, F_BYTES);
		e->placed = rn_flow_place(hop, &tag, &place);
		e->place = e->seq + (uint32_t)place;
		memcpy(e->pair, out ? local : peer, RN_IP_BYTES);
		memcpy(e->pair + RN_IP_BYTES, out ? peer : local, RN_IP_BYTES);
	}
}

/* ---- streams ---- */

static int same_connection(const struct end *a, const struct end *b)
{
	int r = memcmp(a->pair, b->pair, PAIR);

	if (!r)
		r = (a->scope > b->scope) - (a->scope < b->scope);
	return r ? r : (a->tag > b->tag) - (a->tag < b->tag);
}

static int same_tag(const struct end *a, const struct end *b)
{
	return (a->tag > b->tag) - (a->tag < b->tag);
}

static int by_number(const struct end *a, const struct end *b)
{
	return (a->seq > b->seq) - (a->seq < b->seq);
}

static int by_connection(const void *a, const void *b)
{
	int r = same_connection(a, b);

	return r ? r : by_number(a, b);
}

static int by_tag(const void *a, const void *b)
{
	int r = same_tag(a, b);

	return r ? r : by_number(a, b);
}

static bool port_agrees(const struct end *s, const struct end *r, unsigned at)
{
	return (s->pair[at + PORT] || s->pair[at + PORT + 1]) &&
	       !memcmp(s->pair + at + PORT, r->pair + at + PORT, 2);
}

/* Can one of the addresses have been rewritten between s and r? */
static bool is_translated(const struct end *s, const struct end *r)
{
	bool exact = s->placed && r->placed && s->place == r->place,
	     known = memcmp(r->pair, no_address(), RN_IP_BYTES);

	if (s->scope && r->scope && s->scope != r->scope)
		return false;
	return known ? port_agrees(s, r, 0) || port_agrees(s, r, RN_IP_BYTES) : exact;
}

/* Did s send the byte of this number, and can it be the same occurrence of the tag? */
static bool sent(const struct end *s, const struct end *r, uint32_t number)
{
	if (number - s->seq >= s->bytes)
		return false;
	if (s->hop->node == r->hop->node && s->hop->begin_ns > r->hop->end_ns)
		return false;
	/* if r had received s's first one, its own first would not be a later one */
	return !s->placed || !r->placed || s->place == r->place || (int32_t)(s->place - r->seq) < 0;
}

static int64_t apart(const struct end *s, const struct end *r)
{
	int64_t d = s->hop->order_ns - r->hop->order_ns;

	return d < 0 ? -d : d;
}

/* Numbers repeat after 4 GiB: prefers the send that is nearest in time. */
static struct end *better(struct end *a, struct end *b, const struct end *r)
{
	if (!a || !b)
		return a ? a : b;
	if ((a->place == r->place) != (b->place == r->place))
		return a->place == r->place ? a : b;
	return apart(a, r) <= apart(b, r) ? a : b;
}

/* The first send that is not before r by `group`; with `number`, the first of those whose number is
 * above it. */
static uint32_t bound(const struct ends *s, const struct end *r, compare_fn *group, bool above,
		      uint32_t number)
{
	uint32_t low = 0, high = s->n;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		int c = group(&s->list[mid], r);

		if (c < 0 || (!c && above && s->list[mid].seq <= number))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Finds the send of the byte `number`, and counts the possible ones. s is sorted by group, then by
 * number. */
static struct end *sender(const struct ends *s, const struct end *r, compare_fn *group,
			  uint32_t number, bool nat, uint32_t *choices)
{
	uint32_t from = bound(s, r, group, false, 0), to = bound(s, r, group, true, number),
		 last = bound(s, r, group, true, UINT32_MAX);
	struct end *best = NULL;

	*choices = 0;
	for (uint32_t i = to; i > from && to - i < LOOK_BACK; i--)
		if (sent(&s->list[i - 1], r, number) &&
		    (!nat || is_translated(&s->list[i - 1], r))) {
			best = better(best, &s->list[i - 1], r);
			++*choices;
		}
	/* a send that passes the greatest number */
	for (uint32_t i = last; !best && i > to && last - i < WRAPPED; i--)
		if (sent(&s->list[i - 1], r, number) &&
		    (!nat || is_translated(&s->list[i - 1], r))) {
			best = &s->list[i - 1];
			*choices = 1;
		}
	return best;
}

/* Notes r's source, s. */
static void join(struct rn_flow *f, struct end *s, const struct end *r, enum rn_flow_how how,
		 uint32_t choices)
{
	if (!r->hop->cause || r->hop->cause->order_ns < s->hop->order_ns)
		r->hop->cause = s->hop;
	s->joined = true;
	if (s->hop->out_how < how)
		s->hop->out_how = (uint8_t)how;
	rn_flow_cause(f, r->hop, s->hop, &r->text, how == RN_HOW_NAT ? RN_LINK_NAT : RN_LINK_EXACT,
		      choices);
}

static enum rn_flow_how how_of(const struct end *r, bool nat)
{
	return nat && memcmp(r->pair, no_address(), RN_IP_BYTES) ? RN_HOW_NAT : RN_HOW_EXACT;
}

static void pair(struct rn_flow *flow, const struct ends *s, const struct ends *r,
		 compare_fn *group, bool nat)
{
	for (uint32_t i = 0; i < r->n; i++) {
		const struct end *e = &r->list[i];
		struct end *from;
		uint32_t choices;

		if (nat && e->hop->in_how)
			continue;
		from = sender(s, e, group,
			      e->placed ? e->place + e->tag_bytes - 1 : e->seq + e->bytes - 1, nat,
			      &choices);
		if (!from && !e->placed)
			from = sender(s, e, group, e->seq, nat, &choices);
		if (from)
			join(flow, from, e, how_of(e, nat), choices);
	}
	for (uint32_t i = 0; i < r->n; i++) /* only now: each tag may say its cause */
		if (r->list[i].hop->cause && !r->list[i].hop->in_how)
			r->list[i].hop->in_how = (uint8_t)how_of(&r->list[i], nat);
}

/* Did the hop that r was paired with send into the same connection? Texts are kept once. */
static bool same_sender(const struct end *s, const struct end *r)
{
	const struct rn_flow_hop *a = s->hop, *b = r->hop->cause;

	return rn_flow_text(a, F_LOCAL) == rn_flow_text(b, F_LOCAL) &&
	       rn_flow_text(a, F_PEER) == rn_flow_text(b, F_PEER);
}

/* One receive may have the data of several sends: it says where its first tag is, the others say
 * where theirs are. */
static void arrived(struct rn_flow *flow, const struct ends *s, const struct ends *r,
		    compare_fn *group)
{
	for (uint32_t i = 0; i < s->n; i++) {
		struct end *e = &s->list[i];
		uint32_t number = e->place + e->tag_bytes - 1, from, to;

		if (e->joined || !e->placed)
			continue;
		from = bound(r, e, group, false, 0);
		to = bound(r, e, group, true, number);
		for (uint32_t k = to; k > from && to - k < WRAPPED; k--) {
			const struct end *x = &r->list[k - 1];

			if (x->hop->in_how && number - x->seq < x->bytes && same_sender(e, x)) {
				join(flow, e, x, (enum rn_flow_how)x->hop->in_how, 1);
				break;
			}
		}
	}
}

static void sort(struct ends *e, int (*by)(const void *, const void *))
{
	if (e->n)
		qsort(e->list, e->n, sizeof(*e->list), by);
}

void rn_flow_match_streams(struct rn_flow *flow)
{
	struct ends s = {0}, r = {0};

	for (struct rn_flow_hop *hop = flow->first; hop; hop = hop->next) {
		bool out;

		if (is_datagram(hop) || !rn_flow_number(hop, F_SEQ) || (!hop->in && !hop->out))
			continue;
		/* a copy within the kernel: counts for its socket, the one with addresses or the
		 * one that it reads */
		out = hop->out && (!hop->in || rn_flow_has_ends(hop));
		add_hop(flow, out ? &s : &r, hop, out);
	}
	sort(&s, by_connection);
	sort(&r, by_connection);
	pair(flow, &s, &r, same_connection, false);
	arrived(flow, &s, &r, same_connection);
	sort(&s, by_tag);
	sort(&r, by_tag);
	pair(flow, &s, &r, same_tag, true);
	arrived(flow, &s, &r, same_tag);
	free(s.list);
	free(r.list);
}

/* ---- datagrams ---- */

static bool is_any(const unsigned char *a)
{
	static const unsigned char v6[16], v4[16] = {[10] = 255, [11] = 255};

	return !memcmp(a, v6, 16) || !memcmp(a, v4, 16);
}

static bool agrees(const unsigned char *a, const unsigned char *b)
{
	bool a_port = a[PORT] || a[PORT + 1], b_port = b[PORT] || b[PORT + 1];

	if (a_port && b_port && memcmp(a + PORT, b + PORT, 2))
		return false;
	return is_any(a) || is_any(b) || !memcmp(a, b, PORT);
}

static bool is_multicast(const unsigned char *a)
{
	return is_any(a) ? false
			 : a[0] == 255 || (!memcmp(a, "\0\0\0\0\0\0\0\0\0\0\377\377", 12) &&
					   (a[12] >= 224 || a[15] == 255));
}

/* One class: the same size, tag and place. */
static int same_kind(const struct end *a, const struct end *b)
{
	uint32_t x[] = {a->tag, a->bytes, a->placed, a->place},
		 y[] = {b->tag, b->bytes, b->placed, b->place};

	for (unsigned i = 0; i < 4; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

static int by_kind(const void *a, const void *b)
{
	const struct end *x = a, *y = b;
	int r = same_kind(x, y);

	if (!r)
		r = (x->hop->aligned_ns > y->hop->aligned_ns) -
		    (x->hop->aligned_ns < y->hop->aligned_ns);
	return r ? r : (x->hop->arrival > y->hop->arrival) - (x->hop->arrival < y->hop->arrival);
}

static bool is_way(const struct end *s, const struct end *r)
{
	if ((s->scope || r->scope) && s->scope != r->scope)
		return false;
	return agrees(s->pair, r->pair) && agrees(s->pair + RN_IP_BYTES, r->pair + RN_IP_BYTES);
}

/* The send to pair with r, of those of r's class from `from` on. It is the first one left, if as
 * many were sent as received. If some were lost, it is the latest one sent before. */
static struct end *datagram(struct ends *s, uint32_t from, const struct end *r, bool lost)
{
	struct end *best = NULL;
	unsigned n = 0;

	for (uint32_t i = from; i < s->n && !same_kind(&s->list[i], r) && n < CLASS; i++, n++) {
		struct end *e = &s->list[i];

		if (e->seq || !is_way(e, r)) /* seq: it was received, once */
			continue;
		if (e->hop->node == r->hop->node && e->hop->order_ns > r->hop->order_ns)
			break;
		if (!lost)
			return e;
		if (e->hop->aligned_ns > r->hop->aligned_ns)
			break;
		best = e;
	}
	return best;
}

/* How many of e[from, ...) are of x's class, may have the same ends, and were not paired. */
static uint32_t alike(const struct ends *e, uint32_t from, const struct end *x)
{
	uint32_t n = 0;

	for (uint32_t k = from; k < e->n && k - from < CLASS && !same_kind(&e->list[k], x); k++)
		n += !e->list[k].seq && is_way(&e->list[k], x);
	return n;
}

/* How many sends of r's class from `from` on may be r's. Those before it were received. */
static uint32_t could_be(const struct ends *s, uint32_t from, const struct end *r)
{
	uint32_t n = 0;

	while (from && !same_kind(&s->list[from - 1], r) && n < CLASS)
		from--, n++;
	n = 0;
	for (uint32_t k = from; k < s->n && k - from < CLASS && !same_kind(&s->list[k], r); k++) {
		const struct rn_flow_hop *h = s->list[k].hop;

		n += is_way(&s->list[k], r) &&
		     !(h->node == r->hop->node && h->order_ns > r->hop->order_ns);
	}
	return n ? n : 1;
}

static void pair_datagrams(struct ends *s, struct ends *r)
{
	uint32_t sends = 0, receives = 0;

	for (uint32_t i = 0, at = 0; i < r->n; i++) {
		struct end *e = &r->list[i], *from;

		while (at < s->n && (same_kind(&s->list[at], e) < 0 ||
				     (!same_kind(&s->list[at], e) && s->list[at].seq)))
			at++;
		if (!i || same_kind(e, e - 1) || memcmp(e->pair, e[-1].pair, PAIR)) {
			sends = alike(s, at, e);
			receives = alike(r, i, e);
		}
		from = datagram(s, at, e, sends != receives);
		receives -= !e->seq;
		if (!from)
			continue;
		from->seq = !e->seq && !is_multicast(from->pair + RN_IP_BYTES);
		sends -= from->seq;
		if (!e->hop->cause) {
			e->hop->cause = from->hop;
			e->hop->alternatives = could_be(s, at, e);
		}
		e->hop->in_how = from->hop->out_how = RN_HOW_ORDER;
	}
}

void rn_flow_match_datagrams(struct rn_flow *flow)
{
	struct ends s = {0}, r = {0};

	for (struct rn_flow_hop *hop = flow->first; hop; hop = hop->next)
		if (is_datagram(hop) && (hop->in || hop->out))
			add_hop(flow, hop->out ? &s : &r, hop, hop->out);
	for (uint32_t i = 0; i < s.n; i++)
		s.list[i].seq = 0; /* not received yet */
	for (uint32_t i = 0; i < r.n; i++)
		r.list[i].seq = rn_flow_keeps(r.list[i].hop); /* it takes no data */
	sort(&s, by_kind);
	sort(&r, by_kind);
	pair_datagrams(&s, &r);
	free(s.list);
	free(r.list);
}
