/* room.h - room for rows that wait at the coordinator, shared by the nodes that send them.
 *
 * A node may hold four times the free room: dynamic thresholds (Choudhury and Hahne, 1998). A
 * single node gets four fifths of all. A node that floods leaves room for those that send after it,
 * and the number of senders need not be known before. Used by one thread. */
#ifndef RN_EXEC_ANSWER_ROOM_H
#define RN_EXEC_ANSWER_ROOM_H
#include <stdbool.h>
#include <stdint.h>

#define RN_ROOM_BYTES (256 << 20) /* for the rows of one query */

struct rn_room;
/* of: the room around this one; it must live longer. Whatever is taken here is taken there too, and
 * given back to it at the end. NULL: this is all the room, max_bytes. */
struct rn_room *rn_room_create(int64_t max_bytes, struct rn_room *of);
void rn_room_destroy(struct rn_room *room);
/* Takes room for a row of the node of that number. False: the node has had its share. */
bool rn_room_take(struct rn_room *room, unsigned node, int64_t bytes);
/* without asking, for no node; negative: gives back */
void rn_room_put(struct rn_room *room, int64_t bytes);
/* more is held than fits, because of what was put */
bool rn_room_over(const struct rn_room *room);
#endif
