/* reads.c TEXT ROUNDS - how long a write of TEXT to a pipe and the read of it take, in ns of this
 * thread's CPU time. It takes chunks of 200 such pairs and prints the one at the 10th percentile.
 * That leaves out what else runs on the machine. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { CHUNK = 200 };

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	int chunks = argc == 3 ? atoi(argv[2]) / CHUNK : 0, fd[2];
	double *took = calloc((size_t)chunks + 1, sizeof(*took));
	size_t n = argc == 3 ? strlen(argv[1]) : 0;
	char buf[256];

	if (chunks < 1 || !n || n > sizeof(buf) || !took || pipe(fd))
		return 2;
	for (int c = 0; c < chunks; c++) {
		double begin = now_ns();

		for (int i = 0; i < CHUNK; i++)
			if (write(fd[1], argv[1], n) != (ssize_t)n ||
			    read(fd[0], buf, sizeof(buf)) != (ssize_t)n)
				return 1;
		took[c] = (now_ns() - begin) / CHUNK;
	}
	qsort(took, (size_t)chunks, sizeof(*took), by_size);
	printf("%.0f\n", took[chunks / 10]);
	return 0;
}
