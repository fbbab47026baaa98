/* fake_wire.h - a transport between two links of one process: chunks wait in memory, and the test
 * says what becomes of them. */
#ifndef RN_TESTS_SUPPORT_FAKE_WIRE_H
#define RN_TESTS_SUPPORT_FAKE_WIRE_H
#include "exec/link/link.h"

struct rn_wire_chunk {
	struct rn_wire_chunk *next;
	size_t n;
	unsigned char bytes[];
};
struct rn_wire {
	struct rn_wire_chunk *way[2]; /* chunks on their way to side 0, to side 1 */
	/* both ends see that the other one has gone, once they have taken what is there */
	bool cut;
	bool full;     /* no side can send */
	int ready_fd;  /* what side 0 polls, so that no turn waits; 0: nothing */
	unsigned open; /* ends that are not closed yet */
	/* called before side 0 looks for a chunk: the other side's turn; NULL: nothing to do */
	void (*turn)(void *self);
	void *self;
};
/* The end of a side. The wire outlives both. */
struct rn_transport *rn_wire_end(struct rn_wire *w, int side);
unsigned rn_wire_count(const struct rn_wire *w, int side); /* chunks that wait for a side */
/* loses chunk i of those that wait for a side */
void rn_wire_drop(struct rn_wire *w, int side, unsigned i);
/* sends it once more, behind itself */
void rn_wire_repeat(struct rn_wire *w, int side, unsigned i);
void rn_wire_swap(struct rn_wire *w, int side, unsigned i); /* puts it behind the next one */
void rn_wire_clear(struct rn_wire *w);
#endif
