/* merge.h - a merging node of a tree.
 *
 * A relay knows only the shape of a query's partial states. It merges those of its children window
 * by window, and passes rows on as they come. */
#ifndef RN_EXEC_GROUPS_MERGE_H
#define RN_EXEC_GROUPS_MERGE_H
#include "exec/groups/groups.h"

struct rn_relay;
/* up: takes merged partial states and rows. fragment must outlive the relay. */
struct rn_relay *rn_relay_create(const struct rn_fragment *fragment, const struct rn_sink *up);
void rn_relay_destroy(struct rn_relay *relay);
/* The sink for all children. */
struct rn_sink rn_relay_sink(struct rn_relay *relay);
/* All children have passed this watermark: sends up the merged windows that start before it. */
int rn_relay_flush(struct rn_relay *relay, int64_t before_ns);
void rn_relay_ledger(const struct rn_relay *right, struct rn_ledger *left);
#endif
