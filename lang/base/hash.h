/* hash.h - hashes for tables whose keys others choose: names of files and processes, payload, names
 * of nodes.
 *
 * Each table has a secret of its own, random, so nobody can choose keys that lie in one place of it
 * and make it slow. Such a hash means nothing outside of its table: it is never sent, shown or
 * compared with another's. The function is XXH3 with a secret (github.com/Cyan4973/xxHash). */
#ifndef RN_LANG_BASE_HASH_H
#define RN_LANG_BASE_HASH_H
#include <stddef.h>
#include <stdint.h>

struct rn_secret {
	unsigned char bytes[192];
};

void rn_secret_make(struct rn_secret *s); /* another one each time */
uint64_t rn_hash_secret(const struct rn_secret *s, const void *bytes, size_t n);
/* A random number, for what several processes have to hash alike. */
uint64_t rn_hash_seed(void);
#endif
