/* merge.h - a merging node of a tree, and a hop that passes everything through the codec.
 *
 * A relay knows nothing of the query but the shape of its partial states: it merges those of its
 * children window by window and passes rows on as they come. A hop encodes and decodes whatever
 * passes, as a network would, and hands on what comes out. */
#ifndef RN_EXEC_RELAY_H
#define RN_EXEC_RELAY_H
#include "exec/groups/groups.h"

struct rn_relay;
/* up: who gets merged partial states and rows. f must outlive the relay. */
struct rn_relay *rn_relay_create(const struct rn_fragment *f, const struct rn_sink *up);
void rn_relay_destroy(struct rn_relay *r);
/* Where children deliver; the same for all of them. */
struct rn_sink rn_relay_sink(struct rn_relay *r);
/* All children have passed this watermark: merged windows that start before it go up. */
int rn_relay_flush(struct rn_relay *r, int64_t before_ns);
void rn_relay_ledger(const struct rn_relay *r, struct rn_ledger *l);

struct rn_hop;
struct rn_hop *rn_hop_create(const char *node, const struct rn_fragment *f,
			     const struct rn_sink *next, struct rn_err *err);
void rn_hop_destroy(struct rn_hop *h);
struct rn_sink rn_hop_sink(struct rn_hop *h);
/* The fragment as a node receives it: encoded, decoded, bound to a catalogue; in the arena. NULL:
 * see err. */
struct rn_fragment *rn_hop_fragment(struct rn_arena *a, const struct rn_fragment *f,
				    const struct rn_catalog *c, struct rn_err *err);
/* The same for a ledger: it goes through the codec, and what comes out (in the arena) replaces
 * it. */
int rn_hop_ledger(struct rn_arena *a, struct rn_ledger *l, struct rn_err *err);
#endif
