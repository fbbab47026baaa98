/* mapper.c - calls the function at 0x1000 of a file that it has mapped, so that the file is in its
 * stacks.
 *
 * mapper FILE [MAPPINGS]
 *
 * 50 times a second for two minutes, each time through another mapping of that page; there is
 * one, or so many. It prints "ready" when they are made. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	long n = argc > 2 ? atol(argv[2]) : 1;
	int fd = open(argc > 1 ? argv[1] : "", O_RDONLY | O_CLOEXEC);
	void **at = calloc((size_t)n, sizeof(*at));

	for (long i = 0; i < n; i++) {
		at[i] = fd < 0 ? MAP_FAILED
			       : mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0x1000);
		if (at[i] == MAP_FAILED) {
			perror("mapper");
			return 1;
		}
	}
	puts("ready");
	fflush(stdout);
	for (int i = 0; i < 6000; i++) {
		void (*call)(void) = (void (*)(void))at[i % n];

		call();
		usleep(20000);
	}
	return 0;
}
