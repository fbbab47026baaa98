/* pair.h - the class of `between A and B on KEYS`: one event made of two that agree in the keys.
 *
 * Its fields are `start`, `end` and `latency` of its own, `time` (the end's), then those of the
 * first event, then those of the second, as `end_NAME` where the first has one of that name. So
 * both a query's text and a fragment that comes over the wire get the same class for the same ends.
 * Left out are what a first event would have to be searched for (its payload) and when it began
 * itself. */
#ifndef RN_LANG_CATALOG_PAIR_H
#define RN_LANG_CATALOG_PAIR_H
#include "lang/base/arena.h"
#include "lang/catalog/catalog.h"

enum { RN_PAIR_KEYS = 8 };
/* Where a field of a pair comes from. A key comes from the second event: both agree in it. */
enum rn_pair_part { RN_PAIR_START, RN_PAIR_END, RN_PAIR_LATENCY, RN_PAIR_FIRST, RN_PAIR_SECOND };
struct rn_pair_key {
	const char *name[2];
}; /* in the first, in the second event */
struct rn_pair_field {
	enum rn_pair_part part;
	const struct rn_field *of; /* FIRST, SECOND: the end's own field */
};
struct rn_pair {
	const struct rn_class *end[2];
	const struct rn_field *key[RN_PAIR_KEYS][2];
	unsigned nkeys;
	const struct rn_pair_field *field; /* of the class's fields, in their order */
};

/* The class, in the arena; its `pair` says the rest. At most RN_PAIR_KEYS keys, which
 * rn_pair_key_trouble has nothing against. */
const struct rn_class *rn_pair_class(struct rn_arena *a, const struct rn_class *from,
				     const struct rn_class *to, const struct rn_pair_key *keys,
				     unsigned nkeys);
/* Where f, a field of pair class c, comes from. */
const struct rn_pair_field *rn_pair_field(const struct rn_class *c, const struct rn_field *f);
/* Why this event cannot be an end of a pair; NULL: it can. In the arena. */
const char *rn_pair_end_trouble(struct rn_arena *a, const struct rn_class *c);
/* Why these two fields cannot be a key, of events of a recording or live ones; NULL: they can. In
 * the arena. */
const char *rn_pair_key_trouble(struct rn_arena *a, const struct rn_field *from,
				const struct rn_field *to, bool recorded);
#endif
