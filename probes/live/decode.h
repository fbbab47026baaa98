/* decode.h - inside probes/: packed values of the kernel side back to rn_value.
 *
 * One decoder a query. It keeps what it has looked up: paths, names of users, paths of cgroups. */
#ifndef RN_PROBES_LIVE_DECODE_H
#define RN_PROBES_LIVE_DECODE_H
#include "probes/gen/gen.h"
#include "probes/live/stack.h"

struct rn_names_cache; /* key -> text */
struct rn_decoder {
	const struct rn_class *cls;
	const char *node, *event; /* what NODE and EVENT stand for */
	const struct rn_intrinsics *x;
	const struct rn_tag *tags;
	unsigned ntags;
	int64_t clock_ns;
	struct rn_names_cache *cache;
	struct rn_stacks *stacks; /* NULL: the query has none */
	int64_t cut;              /* paths that were cut */
};
void rn_decoder_init(struct rn_decoder *d);
void rn_decoder_free(struct rn_decoder *d);
/* A window has been read, or all that was in the ring a while ago; no value of it is in use any
 * more. Gives up paths that are not met. */
void rn_decoder_turn(struct rn_decoder *d);
/* Makes one text of n bytes of arguments with a NUL behind each: its length. Empty ones at the end
 * are not in it, as in what programs that name themselves anew leave behind. */
size_t rn_cmdline_join(char *text, size_t n);
/* The value packed at p. Strings point into p, into the decoder, or into scratch. */
struct rn_value rn_decode(struct rn_decoder *d, const struct rn_packed *l, const unsigned char *p,
			  struct rn_arena *scratch);
/* Packed key or record of `l` at base to n values. */
void rn_decode_all(struct rn_decoder *d, const struct rn_layout *l, const unsigned char *base,
		   struct rn_value *v, struct rn_arena *scratch);
#endif
