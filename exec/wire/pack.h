/* pack.h - the packed forms of exec/wire/wire.proto: varints, values, rows, groups. Private to
 * exec/.
 *
 * Writing appends to a heap buffer and cannot fail. Reading never leaves its bytes. The first bad
 * byte sets `bad`, and everything after it reads as 0, so callers test once. Strings point into the
 * bytes. */
#ifndef RN_EXEC_WIRE_PACK_H
#define RN_EXEC_WIRE_PACK_H
#include "planner/plan/source.h"

struct rn_pack {
	unsigned char *p;
	size_t len, cap;
};
void rn_pack_bytes(struct rn_pack *pack, const void *bytes, size_t n);
void rn_pack_varint(struct rn_pack *pack, uint64_t v);
/* before may be NULL */
void rn_pack_value(struct rn_pack *pack, const struct rn_value *value,
		   const struct rn_value *before);
void rn_pack_rows(struct rn_pack *pack, const struct rn_rows *rows);
void rn_pack_partials(struct rn_pack *pack, const struct rn_partials *partials,
		      const struct rn_agg_call *aggs, unsigned naggs, unsigned nkeys);

struct rn_unpack {
	const unsigned char *p, *end;
	bool bad;
};
/* bytes may be NULL if n is 0 */
static inline struct rn_unpack rn_unpack_of(const void *bytes, size_t n)
{
	const unsigned char *p = n ? bytes : (const unsigned char *)"";
	return (struct rn_unpack){.p = p, .end = p + n};
}
uint64_t rn_unpack_varint(struct rn_unpack *unpack);
struct rn_value rn_unpack_value(struct rn_unpack *unpack, const struct rn_value *before);
/* Fill rows or p (whose counts are set) in the arena. False: the bytes are not exactly that. If the
 * second fails, it leaves no blob. */
bool rn_unpack_rows(struct rn_arena *arena, const void *bytes, size_t n, struct rn_rows *rows);
bool rn_unpack_partials(struct rn_arena *arena, const void *bytes, size_t n,
			struct rn_partials *partials, const struct rn_agg_call *aggs,
			unsigned naggs, unsigned nkeys);

static inline uint64_t rn_zigzag(int64_t v)
{
	return (uint64_t)v << 1 ^ (uint64_t)(v >> 63);
}
static inline int64_t rn_unzigzag(uint64_t v)
{
	return (int64_t)(v >> 1 ^ -(v & 1));
}
#endif
