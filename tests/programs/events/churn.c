/* churn.c - keys that live briefly: files that are made, written, read and removed, under names of
 * its own that the process takes as well.
 *
 *     churn SECONDS DIR [FILES_A_SECOND]     the files of a second go through 100 names of the
 *                                            process; 500 without the last
 *
 * Every fifth second is one of rest, so that windows without anything come too. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void one(const char *dir, unsigned long n, unsigned long second)
{
	char path[4096], name[16], buf[512] = "";
	int fd;

	snprintf(name, sizeof(name), "churn%lu", second % 1000 * 100 + n % 100);
	prctl(PR_SET_NAME, name);
	snprintf(path, sizeof(path), "%s/file.%lu.%lu", dir, second, n);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, buf, 1 + n % sizeof(buf)) < 0 || pread(fd, buf, sizeof(buf), 0) < 0)
		perror(path);
	close(fd);
	unlink(path);
}

int main(int argc, char **argv)
{
	double end = now() + (argc > 2 ? atof(argv[1]) : 0);
	unsigned long rate = argc > 3 ? strtoul(argv[3], NULL, 10) : 500;

	if (argc < 3 || !rate)
		return 2;
	for (unsigned long second = 0; now() < end; second++) {
		double next = now() + 1;

		for (unsigned long n = 0; second % 5 != 4 && n < rate && now() < next; n++) {
			one(argv[2], n, second);
			if (n % 50 == 49)
				usleep((useconds_t)(1e6 / (double)rate * 40));
		}
		while (now() < next && now() < end)
			usleep(10000);
	}
	return 0;
}
