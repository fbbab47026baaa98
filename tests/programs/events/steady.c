/* steady.c - a known number of writes, at a steady rate, to many files.
 *
 *     steady SECONDS DIR FILES RATE GO TAG
 *
 * It begins when the file GO is there. Each of RATE writes a second goes to the next of FILES files
 * below DIR. One in a hundred holds TAG, and is read again and sent through a pipe, so that its
 * flow has several hops. At its end it prints the writes to these files, their bytes, and those
 * with TAG. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void one(const char *path, const char *buf, size_t n, const int *through)
{
	char back[128];
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, buf, n) != (ssize_t)n) {
		perror(path);
		exit(1);
	}
	if (through &&
	    (pread(fd, back, n, 0) != (ssize_t)n || write(through[1], back, n) != (ssize_t)n ||
	     read(through[0], back, n) != (ssize_t)n)) {
		perror("the way of the tag");
		exit(1);
	}
	close(fd);
}

int main(int argc, char **argv)
{
	unsigned long files, rate, writes = 0, bytes = 0, tagged = 0;
	char path[4096], buf[96], plain[96];
	double begin, end;
	int through[2];

	if (argc != 7 || pipe(through))
		return 2;
	files = strtoul(argv[3], NULL, 10);
	rate = strtoul(argv[4], NULL, 10);
	if (!files || !rate || strlen(argv[6]) > 32)
		return 2;
	memset(plain, '.', sizeof(plain));
	while (access(argv[5], F_OK))
		usleep(20000);
	begin = now();
	for (end = begin + strtod(argv[1], NULL); now() < end; writes++) {
		int tag = writes % 100 == 99;
		size_t n = 48 + writes % 48;

		memcpy(buf, plain, sizeof(buf));
		if (tag)
			memcpy(buf + 8, argv[6], strlen(argv[6]));
		snprintf(path, sizeof(path), "%s/%lu", argv[2], writes % files);
		one(path, buf, n, tag ? through : NULL);
		bytes += n;
		tagged += (unsigned long)tag;
		while (now() < begin + (double)(writes + 1) / (double)rate)
			usleep(2000);
	}
	printf("%lu %lu %lu\n", writes, bytes, tagged);
	return 0;
}
