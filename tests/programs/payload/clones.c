/* clones.c - shares blocks between files, one ioctl (or copy) each time, and says what the kernel
 * answered.
 *
 *     clones whole SRC DST                           FICLONE
 *     clones range SRC FROM LENGTH DST AT            FICLONERANGE; LENGTH 0: to the end
 *     clones dedupe SRC FROM LENGTH DST AT [DST AT]  FIDEDUPERANGE of one source and several files;
 *                                                    a line for each
 *     clones copy SRC FROM LENGTH DST AT             copy_file_range
 *     clones hold FILE...                            keeps their pages in memory until it is killed
 *     clones bad                                     each ioctl with arguments that it refuses */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int get(const char *path, int flags)
{
	int fd = open(path, flags, 0600);

	if (fd < 0) {
		perror(path);
		exit(2);
	}
	return fd;
}

static int dedupe(int argc, char **argv)
{
	int n = (argc - 3) / 2;
	size_t bytes = sizeof(struct file_dedupe_range) +
		       (size_t)n * sizeof(struct file_dedupe_range_info);
	struct file_dedupe_range *r = calloc(1, bytes);
	int src = get(argv[0], O_RDONLY);

	r->src_offset = strtoull(argv[1], NULL, 0);
	r->src_length = strtoull(argv[2], NULL, 0);
	r->dest_count = (__u16)n;
	for (int i = 0; i < n; i++) {
		r->info[i].dest_fd = get(argv[3 + 2 * i], O_RDWR);
		r->info[i].dest_offset = strtoull(argv[4 + 2 * i], NULL, 0);
	}
	if (ioctl(src, FIDEDUPERANGE, r))
		return perror("FIDEDUPERANGE"), 1;
	for (int i = 0; i < n; i++)
		printf("%d %llu\n", r->info[i].status,
		       (unsigned long long)r->info[i].bytes_deduped);
	return 0;
}

/* Pages that are mapped stay, whatever others do to the page cache. */
static int hold(int argc, char **argv)
{
	struct stat st;

	for (int i = 0; i < argc; i++) {
		int fd = get(argv[i], O_RDONLY);

		if (fstat(fd, &st) || mmap(NULL, (size_t)st.st_size, PROT_READ,
					   MAP_SHARED | MAP_POPULATE, fd, 0) == MAP_FAILED)
			return perror(argv[i]), 1;
	}
	puts("held");
	fflush(stdout);
	return pause();
}

static int refused(void)
{
	struct file_clone_range r = {.src_fd = -1};

	return ioctl(1, FICLONE, -1) != -1 || ioctl(1, FICLONERANGE, &r) != -1 ||
	       ioctl(1, FICLONERANGE, 8) != -1 || ioctl(1, FIDEDUPERANGE, 8) != -1;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int bad = 2;

	if (!strcmp(what, "whole") && argc == 4) {
		bad = ioctl(get(argv[3], O_RDWR | O_CREAT), FICLONE, get(argv[2], O_RDONLY));
	} else if (!strcmp(what, "range") && argc == 7) {
		struct file_clone_range r = {.src_fd = get(argv[2], O_RDONLY),
					     .src_offset = strtoull(argv[3], NULL, 0),
					     .src_length = strtoull(argv[4], NULL, 0),
					     .dest_offset = strtoull(argv[6], NULL, 0)};

		bad = ioctl(get(argv[5], O_RDWR | O_CREAT), FICLONERANGE, &r);
	} else if (!strcmp(what, "copy") && argc == 7) {
		off_t from = strtoll(argv[3], NULL, 0), at = strtoll(argv[6], NULL, 0);

		bad = copy_file_range(get(argv[2], O_RDONLY), &from, get(argv[5], O_RDWR | O_CREAT),
				      &at, strtoull(argv[4], NULL, 0), 0) < 0;
	} else if (!strcmp(what, "dedupe") && argc >= 7) {
		return dedupe(argc - 2, argv + 2);
	} else if (!strcmp(what, "hold")) {
		return hold(argc - 2, argv + 2);
	} else if (!strcmp(what, "bad")) {
		return refused();
	}
	if (bad)
		fprintf(stderr, "clones %s: %s\n", what, strerror(errno));
	return bad ? 1 : 0;
}
