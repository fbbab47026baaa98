/* vec.h - arrays that grow. An array is three variables or members of its owner: the elements, how
 * many there are, and for how many there is room. All three begin as zero; free() ends it.
 *
 *	rn_vec_room(list, n, cap);
 *	list[n++] = element;
 *
 * The room doubles, so n elements are copied fewer than 2 * n times. The calls cannot fail: memory
 * is that of lang/base/memory.h, or of an arena. Pointers to elements are valid until the next
 * call. */
#ifndef RN_LANG_BASE_VEC_H
#define RN_LANG_BASE_VEC_H
#include <string.h>
#include "lang/base/arena.h"
#include "lang/base/memory.h"

enum { RN_VEC_FIRST = 8 /* elements of a new array */ };

/* The bytes of n elements. */
#define rn_vec_bytes(list, n) \
	((size_t)(n) * sizeof(*(list))) // NOLINT(bugprone-sizeof-expression): may be pointers
/* Makes room for one more element. Arguments are evaluated more than once. cap may be of any
 * integer type that can hold the doubled number. */
#define rn_vec_room(list, n, cap) rn_vec_room_for(list, n, cap, 1)
/* Makes room for `more` elements. */
#define rn_vec_room_for(list, n, cap, more) \
	do { \
		size_t vec_least = (size_t)(n) + (size_t)(more); \
		if (vec_least > (size_t)(cap)) { \
			(cap) = (__typeof__(cap))rn_vec_cap((size_t)(cap), vec_least); \
			(list) = rn_realloc((list), rn_vec_bytes(list, cap)); \
		} \
	} while (0)
/* The same for an array in an arena. The arena keeps the old array until it ends itself. */
#define rn_vec_room_in(arena, list, n, cap) rn_vec_room_for_in(arena, list, n, cap, 1)
#define rn_vec_room_for_in(arena, list, n, cap, more) \
	do { \
		size_t vec_least = (size_t)(n) + (size_t)(more); \
		if (vec_least > (size_t)(cap)) { \
			(cap) = (__typeof__(cap))rn_vec_cap((size_t)(cap), vec_least); \
			(list) = rn_vec_copy((arena), (list), rn_vec_bytes(list, n), \
					     rn_vec_bytes(list, cap)); \
		} \
	} while (0)

/* The next capacity: `cap` doubled until it holds `least`. */
static inline size_t rn_vec_cap(size_t cap, size_t least)
{
	if (!cap)
		cap = RN_VEC_FIRST;
	while (cap < least)
		cap *= 2;
	return cap;
}

/* The first `used` bytes of old in `bytes` new ones of the arena. */
static inline void *rn_vec_copy(struct rn_arena *arena, const void *old, size_t used, size_t bytes)
{
	void *fresh = rn_arena_alloc(arena, bytes);

	return used ? memcpy(fresh, old, used) : fresh;
}
#endif
