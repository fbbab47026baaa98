/* ways_clone.c - files that share blocks, by ioctl, and by a copy_file_range that the file system
 * makes so. The directory of such a file system is named by WAYS_REFLINKS; without one, this
 * machine does not do it. */
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include "ways.h"

enum { WHOLE, RANGE, DEDUPE, COPY }; /* aux */

static int clone_range(struct job *j, size_t off, size_t n)
{
	struct file_clone_range r = {
		.src_fd = j->src, .src_offset = off, .src_length = n, .dest_offset = off};

	return ioctl(j->dst, FICLONERANGE, &r);
}

static int dedupe(struct job *j, size_t off, size_t n)
{
	struct {
		struct file_dedupe_range r;
		struct file_dedupe_range_info info;
	} a = {.r = {.src_offset = off, .src_length = n, .dest_count = 1},
	       .info = {.dest_fd = j->dst, .dest_offset = off}};

	return ioctl(j->src, FIDEDUPERANGE, &a) || a.info.status || a.info.bytes_deduped != n ? -1
											      : 0;
}

static int copy(struct job *j, size_t off, size_t n)
{
	off_t from = (off_t)off, to = (off_t)off;

	return copy_file_range(j->src, &from, j->dst, &to, n, 0) == (ssize_t)n ? 0 : -1;
}

static int one(struct job *j, size_t off, size_t n)
{
	switch (j->w->aux) {
	case WHOLE: return ioctl(j->dst, FICLONE, j->src);
	case RANGE: return clone_range(j, off, n);
	case DEDUPE: return dedupe(j, off, n);
	default: return copy(j, off, n);
	}
}

RUN(run_clone)
{
	const char *dir = getenv("WAYS_REFLINKS");
	char in[FILE_BYTES], out[FILE_BYTES];
	int bad = 0, err;

	if (!dir) {
		errno = EOPNOTSUPP;
		return -1;
	}
	snprintf(in, sizeof(in), "%s/in.%d", dir, j->c->id);
	snprintf(out, sizeof(out), "%s/out.%d", dir, j->c->id);
	if (file_prepare(j, in, j->data, j->size) ||
	    (j->w->aux == DEDUPE && file_prepare(j, out, j->data, j->size)))
		return -1;
	j->src = open(in, O_RDONLY);
	j->dst = open(out, O_RDWR | O_CREAT, 0600);
	for (size_t off = 0; off < j->size && !bad;) {
		size_t n = call_bytes(j->w, j->c, off);

		bad = one(j, off, n);
		j->calls++;
		off += n;
	}
	err = errno;
	close(j->src);
	close(j->dst);
	if (!bad)
		bad = file_compare(j, out, j->data, j->size);
	unlink(in);
	unlink(out);
	errno = err;
	return bad;
}
