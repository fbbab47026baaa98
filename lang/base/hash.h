/* hash.h - hashes for tables whose keys others choose: names of files, processes and nodes,
 * payload.
 *
 * Each table has a random secret of its own. Nobody can therefore choose keys that collide in it
 * and make it slow. Such a hash means nothing outside of its table: it is never sent, shown or
 * compared with another table's. The function is XXH3 with a secret
 * (github.com/Cyan4973/xxHash). */
#ifndef RN_LANG_BASE_HASH_H
#define RN_LANG_BASE_HASH_H
#include <stddef.h>
#include <stdint.h>

struct rn_secret {
	unsigned char bytes[192];
};

void rn_secret_make(struct rn_secret *secret); /* a different one each time */
uint64_t rn_hash_secret(const struct rn_secret *secret, const void *bytes, size_t n);
/* The same with a secret that the process makes at its first call. Thread-safe. */
uint64_t rn_hash_process(const void *bytes, size_t n);
/* Returns a random number, as a seed for hashes that several processes must share. */
uint64_t rn_hash_seed(void);
#endif
