/* pair.h - the class of `between A and B on KEYS`: one event made of two that agree in the keys.
 *
 * Its fields are its own `start`, `end` and `latency`, then `time` (the end's), then the first
 * event's fields, then the second's. If both events have a field of one name, the second's is
 * called `end_NAME`. A query's text and a fragment from the wire therefore get the same class for
 * the same ends. The class leaves out two things: the time when an event itself began, and fields
 * for which the first event would have to be searched (its payload). */
#ifndef RN_LANG_CATALOG_PAIR_H
#define RN_LANG_CATALOG_PAIR_H
#include "lang/base/arena.h"
#include "lang/catalog/catalog.h"

enum { RN_PAIR_KEYS = 8 };
/* Where a field of a pair comes from. A key comes from the second event: both events agree in
 * it. */
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
	const struct rn_pair_field *field; /* for each of the class's fields, in their order */
};

/* Makes the class, in the arena; its `pair` has the details. It takes at most RN_PAIR_KEYS keys,
 * and rn_pair_key_trouble must accept each of them. */
const struct rn_class *rn_pair_class(struct rn_arena *arena, const struct rn_class *from,
				     const struct rn_class *to, const struct rn_pair_key *keys,
				     unsigned nkeys);
/* Tells where field, a field of pair class cls, comes from. */
const struct rn_pair_field *rn_pair_field(const struct rn_class *cls, const struct rn_field *field);
/* Why this event cannot be an end of a pair, in the arena; NULL: it can. */
const char *rn_pair_end_trouble(struct rn_arena *arena, const struct rn_class *cls);
/* Why these two fields cannot be a key, for recorded or live events; NULL: they can. In the
 * arena. */
const char *rn_pair_key_trouble(struct rn_arena *arena, const struct rn_field *from,
				const struct rn_field *to, bool recorded);
#endif
