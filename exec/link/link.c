/* link.c - lanes of messages over a transport of chunks: see link.h.
 *
 * Invariants: both sides number the chunks of a lane without gaps. Only a lane's first message can
 * be partly sent. `part` of a lane holds the chunks of an incomplete message. */
#include "exec/link/link.h"
#include "lang/base/memory.h"
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { VERSION = 1, DATA = 1, LAST = 2, BODY_MAX = RN_CHUNK_MAX - RN_CHUNK_HEAD, PART_KEPT = 4096 };

struct out {
	struct out *next;
	uint32_t query;
	size_t n;
	unsigned char bytes[];
};
struct lane {
	struct out *first, **last;
	size_t sent; /* of the first message */
	size_t waiting;
	uint32_t out_number, in_number;
	unsigned char *part;
	size_t part_n, part_cap;
	uint32_t part_query;
	bool whole; /* part has been given out */
};
struct rn_link {
	struct rn_transport *transport;
	struct lane lane[RN_LANES];
	size_t max_message;
	unsigned char *chunk; /* ready, but not yet taken by the transport */
	size_t chunk_n;
};

static void put32(unsigned char *p, uint32_t v)
{
	p[0] = (unsigned char)v;
	p[1] = (unsigned char)(v >> 8);
	p[2] = (unsigned char)(v >> 16);
	p[3] = (unsigned char)(v >> 24);
}

static uint32_t get32(const unsigned char *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Marsaglia's xorshift32, seeded by the checksum. */
static void mask(unsigned char *to, const unsigned char *from, size_t n, uint32_t seed)
{
	uint32_t x = seed ? seed : 0x9e3779b9u, w;
	size_t i = 0;

	for (; i < n; i += 4) {
		x ^= x << 13;
		x ^= x >> 17;
		x ^= x << 5;
		if (n - i < 4)
			break;
		memcpy(&w, from + i, 4);
		w ^= htole32(x);
		memcpy(to + i, &w, 4);
	}
	for (size_t k = i; k < n; k++)
		to[k] = from[k] ^ (unsigned char)(x >> 8 * (k - i));
}

static uint32_t checksum(const unsigned char *head, const unsigned char *bytes, size_t n)
{
	return XXH32(bytes, n, XXH32(head, RN_CHUNK_HEAD - 8, 0));
}

struct rn_link *rn_link_create(struct rn_transport *transport, size_t max_message)
{
	struct rn_link *l = rn_calloc(1, sizeof(*l));

	l->transport = transport;
	l->max_message = max_message;
	l->chunk = rn_malloc(RN_CHUNK_MAX);
	for (int i = 0; i < RN_LANES; i++)
		l->lane[i].last = &l->lane[i].first;
	return l;
}

void rn_link_allow(struct rn_link *link, size_t max_message)
{
	link->max_message = max_message;
}

void rn_link_destroy(struct rn_link *link)
{
	if (!link)
		return;
	for (int i = 0; i < RN_LANES; i++) {
		for (struct out *o = link->lane[i].first, *next; o; o = next) {
			next = o->next;
			free(o);
		}
		free(link->lane[i].part);
	}
	link->transport->ops->close(link->transport);
	free(link->chunk);
	free(link);
}

void rn_link_send(struct rn_link *link, enum rn_lane lane, uint32_t query, const void *bytes,
		  size_t n)
{
	struct out *o = rn_malloc(sizeof(*o) + n);

	*o = (struct out){.query = query, .n = n};
	if (n)
		memcpy(o->bytes, bytes, n);
	*link->lane[lane].last = o;
	link->lane[lane].last = &o->next;
	link->lane[lane].waiting += n + RN_CHUNK_HEAD;
}

bool rn_link_room(const struct rn_link *link)
{
	return link->lane[RN_LANE_DATA].waiting < RN_LINK_MAX;
}

size_t rn_link_waiting(const struct rn_link *link)
{
	struct rn_err unused = {0};
	size_t n = link->lane[RN_LANE_CONTROL].waiting + link->lane[RN_LANE_DATA].waiting +
		   link->chunk_n;

	return n ? n : link->transport->ops->flush(link->transport, &unused) == 0;
}

static void drop_first(struct lane *a)
{
	struct out *o = a->first;

	a->first = o->next;
	if (!a->first)
		a->last = &a->first;
	a->waiting -= o->n + RN_CHUNK_HEAD;
	a->sent = 0;
	free(o);
}

void rn_link_forget(struct rn_link *link, uint32_t query)
{
	struct lane *a = &link->lane[RN_LANE_DATA];
	/* finish a message that is partly sent */
	struct out **at = a->sent ? &a->first->next : &a->first;

	if (!a->first)
		return;
	for (struct out *o; (o = *at);) {
		if (o->query != query) {
			at = &o->next;
			continue;
		}
		*at = o->next;
		a->waiting -= o->n + RN_CHUNK_HEAD;
		free(o);
	}
	a->last = at;
}

static void make_chunk(struct rn_link *link, int lane)
{
	struct lane *a = &link->lane[lane];
	struct out *o = a->first;
	size_t n = o->n - a->sent;
	unsigned char *h = link->chunk;
	uint32_t sum;

	if (n > BODY_MAX)
		n = BODY_MAX;
	put32(h, (uint32_t)(RN_CHUNK_HEAD - 4 + n));
	h[4] = VERSION;
	h[5] = (unsigned char)((lane == RN_LANE_DATA ? DATA : 0) |
			       (a->sent + n == o->n ? LAST : 0));
	h[6] = h[7] = 0;
	put32(h + 8, o->query);
	put32(h + 12, a->out_number++);
	sum = checksum(h, o->bytes + a->sent, n);
	put32(h + 16, sum);
	put32(h + 20, 0);
	mask(h + RN_CHUNK_HEAD, o->bytes + a->sent, n, sum);
	link->chunk_n = RN_CHUNK_HEAD + n;
	a->sent += n;
	if (h[5] & LAST)
		drop_first(a);
}

int rn_link_pump(struct rn_link *link, struct rn_err *err)
{
	int r;

	for (;;) {
		int lane = link->lane[RN_LANE_CONTROL].first ? RN_LANE_CONTROL : RN_LANE_DATA;

		if (!link->chunk_n && link->lane[lane].first)
			make_chunk(link, lane);
		if (!link->chunk_n)
			break;
		r = link->transport->ops->send(link->transport, link->chunk, link->chunk_n, err);
		if (r <= 0)
			return r;
		link->chunk_n = 0;
	}
	r = link->transport->ops->flush(link->transport, err);
	return r < 0 ? r : 0;
}

static int bad(struct rn_err *err, const char *what)
{
	rn_err_set(err, -EBADMSG, "what came is no chunk of this protocol: %s", what);
	rn_err_hint(err,
		    "is something printing to the agent's stdout, or is it of another version?");
	return -EBADMSG;
}

/* Appends a chunk to those of its lane. 1: its message is whole. */
static int take_chunk(struct rn_link *link, const unsigned char *c, size_t n, struct lane **of,
		      struct rn_err *err)
{
	size_t body = n - RN_CHUNK_HEAD;
	struct lane *a;

	if (n < RN_CHUNK_HEAD || n > RN_CHUNK_MAX || get32(c) != n - 4)
		return bad(err, "its length");
	if (c[4] != VERSION)
		return rn_err_set(err, -EPROTO,
				  "the peer speaks version %u of the protocol, this side %d: "
				  "upgrade the older one",
				  c[4], VERSION);
	if (c[5] & ~(DATA | LAST) || c[6] || c[7] || get32(c + 20))
		return bad(err, "its flags");
	a = *of = &link->lane[c[5] & DATA ? RN_LANE_DATA : RN_LANE_CONTROL];
	if (a->whole) {
		a->part_n = 0;
		a->whole = false;
		/* else each of thousands of links would hold its longest message */
		if (a->part_cap > PART_KEPT) {
			free(a->part);
			a->part = NULL;
			a->part_cap = 0;
		}
	}
	if (a->part_n && a->part_query != get32(c + 8))
		return bad(err, "two messages in one");
	if (a->part_n + body > link->max_message)
		return bad(err, "a message beyond the limit");
	if (!a->part || a->part_n + body > a->part_cap) {
		a->part_cap = a->part_n + body + a->part_cap / 2 + 64;
		a->part = rn_realloc(a->part, a->part_cap);
	}
	mask(a->part + a->part_n, c + RN_CHUNK_HEAD, body, get32(c + 16));
	if (checksum(c, a->part + a->part_n, body) != get32(c + 16))
		return bad(err, "its checksum");
	if (get32(c + 12) != a->in_number)
		return rn_err_set(
			err, -EPROTO,
			"chunk %u came instead of %u: something was lost or repeated on the way",
			get32(c + 12), a->in_number);
	a->in_number++;
	a->part_n += body;
	a->part_query = get32(c + 8);
	a->whole = c[5] & LAST;
	return a->whole;
}

int rn_link_next(struct rn_link *link, struct rn_message *message, struct rn_err *err)
{
	const unsigned char *c;
	struct lane *a = NULL;
	size_t n;
	int r;

	while ((r = link->transport->ops->recv(link->transport, &c, &n, err)) > 0) {
		r = take_chunk(link, c, n, &a, err);
		if (r < 0)
			return r;
		if (!r || !a)
			continue;
		*message = (struct rn_message){
			.lane = a == &link->lane[RN_LANE_DATA] ? RN_LANE_DATA : RN_LANE_CONTROL,
			.query = a->part_query,
			.bytes = a->part ? a->part : (const unsigned char *)"",
			.n = a->part_n};
		return 1;
	}
	return r;
}

unsigned rn_link_polls(struct rn_link *link, int fd[2], short events[2])
{
	return link->transport->ops->polls(link->transport, fd, events);
}

int32_t rn_link_pid(const struct rn_link *link)
{
	return link->transport->ops->pid ? link->transport->ops->pid(link->transport) : 0;
}

void rn_link_hangup(struct rn_link *link)
{
	if (link->transport->ops->hangup)
		link->transport->ops->hangup(link->transport);
}

void rn_link_give_up(struct rn_link *link)
{
	if (link->transport->ops->kill)
		link->transport->ops->kill(link->transport);
	rn_link_destroy(link);
}
