/* room.h - room for rows that wait at the coordinator, shared by the nodes that send them.
 *
 * A node may hold so much as four times what is free: dynamic thresholds (Choudhury and Hahne,
 * 1998). One node alone gets four fifths of all; one that floods leaves room for those that send
 * after it, and nobody has to know before how many will send. One thread. */
#ifndef RN_EXEC_ANSWER_ROOM_H
#define RN_EXEC_ANSWER_ROOM_H
#include <stdbool.h>
#include <stdint.h>

#define RN_ROOM_BYTES (256 << 20) /* of the rows of one query */

struct rn_room;
/* of: what is taken here is taken there as well, and given back to it at the end; it has to live
 * longer. NULL: this is all there is, max_bytes. */
struct rn_room *rn_room_create(int64_t max_bytes, struct rn_room *of);
void rn_room_destroy(struct rn_room *r);
/* For a row of the node of that number. False: the node has had its share. */
bool rn_room_take(struct rn_room *r, unsigned node, int64_t bytes);
/* without asking, of no node; negative: gives back */
void rn_room_put(struct rn_room *r, int64_t bytes);
/* by what was put, more is held than there is room for */
bool rn_room_over(const struct rn_room *r);
#endif
