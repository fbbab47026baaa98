/* areas.c FILE AREAS TEXT - maps the file's pages so many times, each as an area of its own, writes
 * the text into each, and ends all mappings by one call. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, APART = 2 * PAGE /* so that no two areas become one */ };

int main(int argc, char **argv)
{
	int n = argc == 4 ? atoi(argv[2]) : 0;
	int fd = n > 0 ? open(argv[1], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644) : -1;
	char *all, *area;

	if (fd < 0)
		return 2;
	all = mmap(NULL, (size_t)n * APART, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (all == MAP_FAILED || ftruncate(fd, (off_t)n * PAGE))
		return 1;
	for (int i = 0; i < n; i++) {
		area = mmap(all + (size_t)i * APART, PAGE, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_FIXED, fd, (off_t)i * PAGE);
		if (area == MAP_FAILED)
			return 1;
		strcpy(area + 100, argv[3]);
	}
	return munmap(all, (size_t)n * APART) != 0;
}
