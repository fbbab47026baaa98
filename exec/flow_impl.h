/* flow_impl.h - inside of flow*.c: hops, and what pairs them.
 *
 * flow.c collects hops and shows them; flow_match.c pairs the two ends of a connection by what needs no clock; flow_order.c puts all hops in
 * one order; flow_link.c, in that order, finds where each came from; flow_queue.c remembers what went into a channel until it comes out. */
#ifndef RN_EXEC_FLOW_IMPL_H
#define RN_EXEC_FLOW_IMPL_H
#include <string.h>
#include "exec/flow.h"
#include "lang/types.h"

enum rn_flow_need {
#define X(id, name) F_##id,
	RN_FLOW_NEEDS(X)
#undef X
	F_NEEDS
};

/* How the two ends of a channel were paired, the better the greater. NOT_ASKED: it is no end of a channel. */
enum rn_flow_how { RN_HOW_NOT_ASKED, RN_HOW_UNMATCHED, RN_HOW_ORDER, RN_HOW_NAT, RN_HOW_EXACT };

struct rn_hop {
	struct rn_value v[F_NEEDS];   /* strings end in NUL */
	int64_t begin_ns, end_ns;     /* entry and return */
	int64_t order_ns, aligned_ns; /* where it stands: of what sends the entry, of what receives the return: by the node's clock, by the common one */
	bool in, out;
	bool unseen;                  /* its beginning was not seen: begin_ns is when the query was attached to its node */
	uint8_t in_how, out_how;      /* enum rn_flow_how */
	uint64_t taken;               /* of its tags, which were taken out of the channel; flow_queue.c */
	uint32_t node, arrival;       /* number of the node; of the hop, as it came */
	uint32_t number, from;        /* in the answer, from 1 */
	struct rn_hop *cause;         /* the send that was paired with this receive before there was an order */
	struct rn_hop *next;          /* as they came */
	uint32_t waiting;             /* flow_order.c: 1 + the first node that waits for this hop */
};

/* When the query was attached to a node, by that node's clock. */
struct rn_flow_attached { const char *node; int64_t ns; struct rn_flow_attached *next; };
struct rn_flow_slot { const char *key; uint32_t value; struct rn_flow_queue *queue; };
struct rn_flow {
	struct rn_arena *a;
	int col[F_NEEDS];             /* place in a row; -1: not there */
	struct rn_hop *first, *last;
	uint32_t n, nnodes, nids;
	bool matched, fuse;           /* sockets are paired; a server of FUSE is among the hops */
	rn_flow_align_fn *align;
	void *align_self;
	struct rn_flow_attached *attached;
	struct rn_flow_slot *slots;   /* open addressing; a power of two */
	uint32_t nslots, used;
};

static inline bool rn_flow_starts(const struct rn_value *v, const char *s)
{
	return v->kind == RN_STR && v->len >= strlen(s) && !memcmp(v->s, s, strlen(s));
}

static inline bool rn_flow_is(const struct rn_value *v, const char *s)
{
	return rn_flow_starts(v, s) && v->len == strlen(s);
}

static inline int64_t rn_flow_number(const struct rn_value *v)
{
	return v->kind == RN_INT ? v->i : 0;
}

/* ---- keys: flow.c ---- */
/* The slot of a key, made if it is new (its value is then 0). Until the next call. */
struct rn_flow_slot *rn_flow_slot(struct rn_flow *f, const char *key);
uint32_t rn_flow_id(struct rn_flow *f, const char *key); /* a number for each key, from 1 */

/* ---- hops: flow.c ---- */
/* for (at = 0; rn_flow_tag(h, &at, &tag);) */
bool rn_flow_tag(const struct rn_hop *h, uint32_t *at, struct rn_value *tag);
uint32_t rn_flow_tag_bytes(const struct rn_value *tag);
/* Where the tag begins, from the first byte of the hop's data: negative if it began in an earlier call. false: not known. */
bool rn_flow_place(const struct rn_hop *h, const struct rn_value *tag, int64_t *place);

/* ---- flow_link.c ---- */
bool rn_flow_waits(const struct rn_hop *h);                      /* does it both, and may have waited for what it takes? */
bool rn_flow_is_loopback(const char *address);
bool rn_flow_has_ends(const struct rn_hop *h);                   /* both addresses of a connection */
const char *rn_flow_object(struct rn_flow *f, const struct rn_hop *h); /* what it is about, for the answer */
void rn_flow_link(struct rn_flow *f, struct rn_hop *h);          /* sets `from`; in order */

/* ---- flow_match.c ---- */
/* Sets `cause` of what was received over TCP: without regard to time between nodes. 0; -ENOMEM. */
int rn_flow_match_streams(struct rn_flow *f);
/* The same over UDP, by order and size: once all is aligned. */
int rn_flow_match_datagrams(struct rn_flow *f);

/* ---- flow_order.c ---- */
/* All hops in order; order has room for f->n. 0; -ENOMEM. */
int rn_flow_order(struct rn_flow *f, struct rn_hop **order);

/* ---- flow_queue.c ---- */
/* What went into a channel, by name and tag, and comes out in the same order. */
void rn_flow_put(struct rn_flow *f, const char *what, struct rn_hop *h);
/* The hop that h got its data from; NULL: none. alike: only one of the same size, with the tag at the same place, of another socket. */
struct rn_hop *rn_flow_take(struct rn_flow *f, const char *what, const struct rn_hop *h, bool alike);
/* The latest hop put there that covers the place in the file where h has the tag. strict: that has it at the same place. */
struct rn_hop *rn_flow_covering(struct rn_flow *f, const char *what, const struct rn_hop *h, bool strict);
#endif
