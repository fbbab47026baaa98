/* ways_load.c - traffic of known amount, for the soak test.
 *
 *     ways load SECONDS THREADS DIR TAG EVERY SIZE OUT     noise through files and pipes, the tag in every EVERY-th call
 *     ways load fill FILLING CALLS SIZE DIR OUT            CALLS writes of SIZE bytes that repeat the text FILLING
 *
 * Threads move blocks of 1 to SIZE bytes: write to a file, read it back, write to a pipe and read from it. OUT gets one line: calls,
 * bytes, and calls whose data held the tag. */
#include <fcntl.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <time.h>
#include "ways.h"

struct load { const char *dir, *tag; double seconds; long every, size; unsigned index; uint64_t calls, bytes, tagged; int bad; };

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The block goes four ways; each call moves all of it. */
static int move_block(struct load *l, int fd, const int *pipe_fd, unsigned char *block, unsigned char *back, size_t n)
{
	return pwrite(fd, block, n, 0) != (ssize_t)n || pread(fd, back, n, 0) != (ssize_t)n || write(pipe_fd[1], block, n) != (ssize_t)n ||
		read(pipe_fd[0], back, n) != (ssize_t)n ? (l->bad = 1) : 0;
}

static void *load_run(void *arg)
{
	struct load *l = arg;
	unsigned char *noise = malloc((size_t)l->size), *back = malloc((size_t)l->size);
	char path[FILE_BYTES];
	size_t len = strlen(l->tag);
	double end = now_s() + l->seconds;
	int p[2], fd;

	snprintf(path, sizeof(path), "%s/load.%u", l->dir, l->index);
	fd = open(path, O_CREAT | O_TRUNC | O_RDWR, 0600);
	l->bad = fd < 0 || pipe(p) || fcntl(p[1], F_SETPIPE_SZ, MAX_SIZE) < 0;
	noise_fill(noise, (size_t)l->size, NULL, 0);
	for (long k = 0; !l->bad && now_s() < end; k++) {
		size_t n = len + 1 + (size_t)(k * 7919 % (l->size - (long)len - 1)), at = (size_t)k * 104729 % (n - len);
		bool tagged = k % l->every == 0;
		unsigned char saved[MAX_TAG];

		memcpy(saved, noise + at, len);
		if (tagged)
			memcpy(noise + at, l->tag, len);
		if (move_block(l, fd, p, noise, back, n))
			break;
		memcpy(noise + at, saved, len);
		l->calls += 4;
		l->bytes += 4 * n;
		l->tagged += tagged ? 4 : 0;
	}
	unlink(path);
	return NULL;
}

static int load_fill(char **argv)
{
	size_t size = strtoul(argv[3], NULL, 10), len = strlen(argv[1]);
	unsigned char *block = malloc(size);
	char path[FILE_BYTES];
	long calls = atol(argv[2]);
	double begin;
	FILE *out = fopen(argv[5], "w");
	int fd;

	snprintf(path, sizeof(path), "%s/fill", argv[4]);
	for (size_t i = 0; i < size; i++)
		block[i] = (unsigned char)argv[1][i % len];
	fd = open(path, O_CREAT | O_TRUNC | O_RDWR, 0600);
	if (!out || fd < 0)
		return 1;
	prctl(PR_SET_NAME, "ways");
	begin = now_s();
	for (long i = 0; i < calls; i++)
		if (pwrite(fd, block, size, 0) != (ssize_t)size)
			return 1;
	fprintf(out, "%ld %zu %.6f\n", calls, calls * size, now_s() - begin);
	unlink(path);
	return fclose(out) ? 1 : 0;
}

int load_main(int argc, char **argv)
{
	struct load l[16] = {0}, sum = {0};
	pthread_t t[16];

	if (argc == 6 && !strcmp(argv[0], "fill"))
		return load_fill(argv);
	if (argc != 7)
		return 2;
	unsigned n = (unsigned)atoi(argv[1]);
	FILE *out = fopen(argv[6], "w");
	if (!out || n < 1 || n > 16)
		return 2;
	prctl(PR_SET_NAME, "ways");
	for (unsigned i = 0; i < n; i++) {
		l[i] = (struct load){.dir = argv[2], .tag = argv[3], .seconds = atof(argv[0]), .every = atol(argv[4]), .size = atol(argv[5]), .index = i};
		if (pthread_create(&t[i], NULL, load_run, &l[i]))
			return 1;
	}
	for (unsigned i = 0; i < n; i++) {
		pthread_join(t[i], NULL);
		sum.calls += l[i].calls;
		sum.bytes += l[i].bytes;
		sum.tagged += l[i].tagged;
		sum.bad |= l[i].bad;
	}
	fprintf(out, "%lu %lu %lu\n", sum.calls, sum.bytes, sum.tagged);
	return fclose(out) || sum.bad;
}
