/* preads.c - what a call costs: preads FILE reads a byte of it again and again, in batches. Prints
 * the ns of a call, the hundredth part of the batches that was fastest: others on the machine only
 * ever make one slower. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { BATCHES = 800, CALLS = 250 };

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;
	static double ns[BATCHES];
	struct timespec a, b;
	char c;

	if (fd < 0)
		return 2;
	for (int i = 0; i < BATCHES; i++) {
		clock_gettime(CLOCK_MONOTONIC, &a);
		for (int k = 0; k < CALLS; k++)
			if (pread(fd, &c, 1, 0) != 1)
				return 1;
		clock_gettime(CLOCK_MONOTONIC, &b);
		ns[i] = ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) /
			CALLS;
	}
	qsort(ns, BATCHES, sizeof(*ns), by_size);
	printf("%.1f\n", ns[BATCHES / 100]);
	return 0;
}
