/* beats.c - writes that all differ in size, so that a test knows what a query must have seen of
 * them at any time.
 *
 *     beats LOG FIRST PERIOD_US
 *
 * Until it is killed, writes FIRST + 1, FIRST + 2, ... bytes to /dev/null, one call a period. LOG,
 * a file that it maps, so that no other call is made, gets for each call two 64-bit numbers:
 * CLOCK_REALTIME in ns before and after it. At most 99,999 calls. */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { MAX = 99999 };

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(int argc, char **argv)
{
	int log, null = open("/dev/null", O_WRONLY);
	long first, period;
	int64_t *to;
	char *buf;

	if (argc != 4)
		return 2;
	first = atol(argv[2]);
	period = atol(argv[3]);
	log = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (null < 0 || log < 0 || ftruncate(log, MAX * 16))
		return 1;
	to = mmap(NULL, MAX * 16, PROT_READ | PROT_WRITE, MAP_SHARED, log, 0);
	buf = mmap(NULL, (size_t)first + MAX + 1, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (to == MAP_FAILED || buf == MAP_FAILED)
		return 1;
	for (long i = 0; i < MAX; i++) {
		to[2 * i] = now();
		if (write(null, buf, (size_t)(first + i + 1)) != first + i + 1)
			return 1;
		__atomic_store_n(&to[2 * i + 1], now(), __ATOMIC_RELEASE);
		usleep((useconds_t)period);
	}
	return 0;
}
