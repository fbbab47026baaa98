/* loopback.h - passes everything through the codec, as a network would.
 *
 * A loopback encodes and decodes its input, and hands the result on. It shows that an answer does
 * not depend on whether nodes are in this process. One thread. */
#ifndef RN_EXEC_WIRE_LOOPBACK_H
#define RN_EXEC_WIRE_LOOPBACK_H
#include "planner/plan/source.h"

struct rn_loopback;
struct rn_loopback *rn_loopback_create(const char *node, const struct rn_fragment *fragment,
				       const struct rn_sink *next, struct rn_err *err);
void rn_loopback_destroy(struct rn_loopback *loopback);
struct rn_sink rn_loopback_sink(struct rn_loopback *loopback);
/* Returns the fragment as a node receives it: encoded, decoded, bound to a catalogue; in the arena.
 * NULL: see err. */
struct rn_fragment *rn_loopback_fragment(struct rn_arena *arena, const struct rn_fragment *fragment,
					 const struct rn_catalog *catalog, struct rn_err *err);
/* The same for a ledger: the decoded one (in the arena) replaces it. */
int rn_loopback_ledger(struct rn_arena *arena, struct rn_ledger *ledger, struct rn_err *err);
#endif
