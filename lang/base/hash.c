/* hash.c - see hash.h. */
#include "lang/base/hash.h"
#include <pthread.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

_Static_assert(sizeof(struct rn_secret) >= XXH3_SECRET_SIZE_MIN, "XXH3 wants at least as much");

/* The kernel gives up to 256 random bytes at once, unless it was built without that call. Then use
 * the values that an attacker sees least of. */
static void random_bytes(void *to, size_t n)
{
	struct {
		struct timespec t[2];
		const void *where;
		pid_t pid;
	} seen = {.where = to, .pid = getpid()};

	if (getrandom(to, n, 0) == (ssize_t)n)
		return;
	clock_gettime(CLOCK_REALTIME, &seen.t[0]);
	clock_gettime(CLOCK_MONOTONIC, &seen.t[1]);
	for (size_t i = 0; i < n; i += 8) {
		uint64_t w = XXH64(&seen, sizeof(seen), i);

		memcpy((char *)to + i, &w, n - i < 8 ? n - i : 8);
	}
}

void rn_secret_make(struct rn_secret *secret)
{
	random_bytes(secret->bytes, sizeof(secret->bytes));
}

uint64_t rn_hash_secret(const struct rn_secret *secret, const void *bytes, size_t n)
{
	return XXH3_64bits_withSecret(bytes, n, secret->bytes, sizeof(secret->bytes));
}

static struct rn_secret of_process;

static void make_of_process(void)
{
	rn_secret_make(&of_process);
}

uint64_t rn_hash_process(const void *bytes, size_t n)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, make_of_process);
	return rn_hash_secret(&of_process, bytes, n);
}

uint64_t rn_hash_seed(void)
{
	uint64_t seed;

	random_bytes(&seed, sizeof(seed));
	return seed;
}
