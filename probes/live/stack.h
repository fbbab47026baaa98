/* stack.h - inside probes/: stacks by number, as the kernel's maps hold them, to text.
 *
 * The kernel keeps each different stack once in maps of BPF_MAP_TYPE_STACK_TRACE. Its hash decides
 * its only place there: two stacks of one place cannot both stay. So there are RN_STACK_WAYS maps.
 * A stack that finds its place taken in one goes to the next; if all are taken, it is lost, and
 * counted. The number of a stack is its place and the map.
 *
 * A user stack is addresses. They have a meaning only in its process, in one life between two
 * execs. Programs put the process of each new group into the map `procs`, and rn_stacks_learn reads
 * the mappings of these processes while they live. Files are kept open, and their symbols read when
 * a stack first needs them.
 *
 * Text: functions, root first, joined by ";". */
#ifndef RN_PROBES_LIVE_STACK_H
#define RN_PROBES_LIVE_STACK_H
#include "lang/base/arena.h"
#include "lang/values/value.h"
#include "probes/kernel/maps.h"

struct rn_stacks;
struct rn_stacks *rn_stacks_create(void);
void rn_stacks_free(struct rn_stacks *stacks); /* NULL is allowed */
/* Sets where stacks are: descriptors of the maps, the bytes of one stack, and the map of processes
 * (-1: none). foreign: the kernel's process ids are not those of our /proc. */
void rn_stacks_maps(struct rn_stacks *stacks, const int way[RN_STACK_WAYS], unsigned bytes,
		    int procs, bool foreign);
/* Reads the symbols of the kernel, which takes 0.1 s: call it before events come. */
void rn_stacks_prepare(struct rn_stacks *stacks);
/* Reads the mappings of a process at once, before anything that takes time. Reads those of a known
 * process again, the more seldom the older it is: libraries are mapped after the first system
 * calls. */
void rn_stacks_meet(struct rn_stacks *stacks, uint64_t proc);
/* Takes the processes out of their map and reads their mappings. */
void rn_stacks_learn(struct rn_stacks *stacks);
/* Texts live as long as stacks, or as scratch. proc: process id | number of execs << 32. */
struct rn_value rn_stacks_kernel(struct rn_stacks *stacks, int64_t number,
				 struct rn_arena *scratch);
struct rn_value rn_stacks_user(struct rn_stacks *stacks, int64_t number, uint64_t proc,
			       struct rn_arena *scratch);
/* Returns the text of n addresses, innermost first, of the kernel or of a process: for tests. */
struct rn_value rn_stacks_text(struct rn_stacks *stacks, const uint64_t *ip, unsigned n, bool user,
			       uint64_t proc, struct rn_arena *arena);
/* Counts texts that lack their root or a part of a name, and files whose functions a limit left
 * out. */
int64_t rn_stacks_cut(const struct rn_stacks *stacks);
#endif
