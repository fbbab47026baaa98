/* map.h - hash tables. uthash (troydhanson.github.io/uthash) makes them of the owner's structs:
 *
 *	struct entry {
 *		UT_hash_handle hh;
 *		uint64_t key;
 *		...
 *	} *map = NULL, *e;
 *
 *	HASH_FIND(hh, map, &key, sizeof(key), e);
 *	HASH_ADD(hh, map, key, sizeof(e->key), e);
 *
 * What this header adds: memory that never fails (lang/base/memory.h), and a hash with a secret of
 * the process, so that nobody can choose keys that collide. A key is compared by its bytes, so a
 * struct that is a key has no padding. HASH_ITER goes in the order of adding. Not thread-safe.
 *
 * An entry costs 56 bytes more than its data. Tables with an entry for each event or for each group
 * of an answer are therefore their owner's: exec/groups, exec/flow's keys, exec/trace/pairing.c,
 * probes/live. */
#ifndef RN_LANG_BASE_MAP_H
#define RN_LANG_BASE_MAP_H
#include <stdlib.h>
#include "lang/base/hash.h"
#include "lang/base/memory.h"

#define uthash_malloc(bytes) rn_malloc(bytes)
#define uthash_free(block, bytes) free(block)
#define uthash_fatal(message) abort() /* cannot happen: rn_malloc never gives NULL */
#define HASH_FUNCTION(key, bytes, hash) ((hash) = (unsigned)rn_hash_process((key), (bytes)))
#include <uthash.h>
/* The analyzer believes that the head of a map can be an entry that was taken out and freed. */
#undef HASH_DELETE
#define HASH_DELETE(hh, head, delptr) \
	HASH_DELETE_HH(hh, head, &(delptr)->hh) // NOLINT(clang-analyzer-unix.Malloc)
#endif
