/* decode.h - inside probes/: packed values of the kernel side back to rn_value.
 *
 * A query has one decoder. It keeps what it has looked up: paths, names of users, paths of
 * cgroups. */
#ifndef RN_PROBES_LIVE_DECODE_H
#define RN_PROBES_LIVE_DECODE_H
#include "probes/gen/gen.h"
#include "probes/live/stack.h"

struct rn_names_cache; /* key -> text */
struct rn_event_decoder {
	const struct rn_class *cls;
	const char *node, *event; /* what NODE and EVENT stand for */
	const struct rn_intrinsics *intrinsics;
	/* functions that the query names; of a pair's first and second event; NULL: none */
	const struct rn_user *functions[2];
	const struct rn_tag *tags;
	unsigned ntags;
	int64_t clock_ns;
	struct rn_names_cache *cache;
	struct rn_stacks *stacks; /* NULL: the query has none */
	int64_t cut;              /* paths that were cut */
};
void rn_decoder_init(struct rn_event_decoder *decoder);
void rn_decoder_free(struct rn_event_decoder *decoder);
/* Ends a turn: a window has been read, or all that was in the ring a while ago, and none of its
 * values is in use. Drops paths that no longer occur. */
void rn_decoder_turn(struct rn_event_decoder *decoder);
/* Joins n bytes of arguments, each with a NUL behind it, into one text; returns its length. Empty
 * arguments at the end, which programs leave behind that rename themselves, are dropped. */
size_t rn_cmdline_join(char *text, size_t n);
/* Returns the value packed at p. Strings point into p, into the decoder, or into scratch. */
struct rn_value rn_decode(struct rn_event_decoder *decoder, const struct rn_packed_field *packed,
			  const unsigned char *p, struct rn_arena *scratch);
/* Decodes the packed key or record of `layout` at base into n values. */
void rn_decode_all(struct rn_event_decoder *decoder, const struct rn_layout *layout,
		   const unsigned char *base, struct rn_value *value, struct rn_arena *scratch);
#endif
