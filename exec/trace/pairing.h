/* pairing.h - which two events are a pair: `between A and B on KEYS` outside of the kernel, over
 * events in order of time.
 *
 * The rule is that of the kernel's programs (probes/gen/pair.c), for each node by itself:
 *   - A first event waits, under its keys, for a second one. If another one waits there, the later
 *     one counts (reopened).
 *   - A second event takes the first one that waits under its keys; if there is none, it is no
 *     pair.
 *   - An event that is both ends ends a pair before it begins one: ask rn_pairing_second first.
 *   - At most RN_PAIRING_MAX wait on a node; when there is one more, the one that has waited
 *     longest is forgotten (lost).
 * Keeps only the time and a number of a first event. The caller finds the rest by the number.
 * So memory is bounded: some 48 bytes and 8 for each key, for each that waits. Not thread-safe. */
#ifndef RN_EXEC_TRACE_PAIRING_H
#define RN_EXEC_TRACE_PAIRING_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RN_PAIRING_MAX = 65536 };

struct rn_pairing;
struct rn_pairing_first {
	int64_t time_ns, row;
};
struct rn_pairing_counts {
	int64_t open /* that wait now */, reopened, lost;
};

/* nkeys: numbers of a key, at least 1. most: first events that wait on a node; RN_PAIRING_MAX
 * except in tests. */
struct rn_pairing *rn_pairing_create(unsigned nkeys, unsigned most);
void rn_pairing_destroy(struct rn_pairing *pairing); /* NULL is allowed */
/* The number of the node of this name, which is copied. */
int rn_pairing_node(struct rn_pairing *pairing, const char *name, size_t len);
/* key: nkeys numbers, copied. */
void rn_pairing_first(struct rn_pairing *pairing, int node, const int64_t *key,
		      const struct rn_pairing_first *first);
/* True: *first was waiting, and waits no more. */
bool rn_pairing_second(struct rn_pairing *pairing, int node, const int64_t *key,
		       struct rn_pairing_first *first);
struct rn_pairing_counts rn_pairing_counts(const struct rn_pairing *pairing);
#endif
