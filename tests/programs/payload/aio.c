/* aio.c - operations through io_submit and io_getevents, without a library, so that the answer can
 * be held against what was done.
 *
 *     aio [direct] OP READ-FILE WRITE-FILE TAG
 *
 * OP is read, readv, write, writev, or one of these. OP pread is a read that io_pgetevents waits
 * for. OP both is a write and a read in one call. OP split is two writes in one call, one after the
 * other in the file, with the tag across them. OP ring is a read whose completion comes from the
 * shared ring, without a call. Writes carry TAG at their byte 100. direct: past the page cache.
 * Exit 77: this kernel or file system does not have that. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { SIZE = 4096, AT = 100 };
struct ring {
	unsigned id, nr, head, tail, magic, compat, incompat, header_bytes;
};
static char *buf;

static struct iocb op(int code, int fd, void *data, size_t n, long long at)
{
	return (struct iocb){.aio_lio_opcode = (unsigned short)code,
			     .aio_fildes = (unsigned)fd,
			     .aio_buf = (unsigned long)data,
			     .aio_nbytes = n,
			     .aio_offset = at};
}

static void failed(const char *what)
{
	fprintf(stderr, "aio: %s: %s\n", what, strerror(errno));
	exit(errno == ENOSYS || errno == EINVAL ? 77 : 1);
}

/* Those that the name stands for, in *list[]; how many, 0: none has that name. */
static int operations(const char *name, int in, int out, struct iocb *const list[2])
{
	static struct iovec from[2], to[2];
	int n = 1;

	from[0] = (struct iovec){buf, AT + 2};
	from[1] = (struct iovec){buf + AT + 2, SIZE - AT - 2};
	to[0] = (struct iovec){buf + 2 * SIZE, AT + 2};
	to[1] = (struct iovec){buf + 2 * SIZE + AT + 2, SIZE - AT - 2};
	if (!strcmp(name, "write")) {
		*list[0] = op(IOCB_CMD_PWRITE, out, buf, SIZE, 0);
	} else if (!strcmp(name, "writev")) {
		*list[0] = op(IOCB_CMD_PWRITEV, out, from, 2, 0);
	} else if (!strcmp(name, "read") || !strcmp(name, "pread") || !strcmp(name, "ring")) {
		*list[0] = op(IOCB_CMD_PREAD, in, buf + 2 * SIZE, SIZE, 0);
	} else if (!strcmp(name, "readv")) {
		*list[0] = op(IOCB_CMD_PREADV, in, to, 2, 0);
	} else if (!strcmp(name, "both")) {
		*list[0] = op(IOCB_CMD_PREAD, in, buf + 2 * SIZE, SIZE, 0);
		*list[1] = op(IOCB_CMD_PWRITE, out, buf, SIZE, 0);
		n = 2;
	} else if (!strcmp(name, "split")) {
		*list[0] = op(IOCB_CMD_PWRITE, out, buf, AT + 3, 0);
		*list[1] = op(IOCB_CMD_PWRITE, out, buf + AT + 3, SIZE - AT - 3, AT + 3);
		n = 2;
	} else {
		return 0;
	}
	return n;
}

int main(int argc, char **argv)
{
	int direct = argc > 1 && !strcmp(argv[1], "direct"), n;
	char **a = argv + direct;
	aio_context_t ctx = 0;
	struct io_event done[4];
	struct iocb first, second, *list[2] = {&first, &second};
	const char *name, *tag;
	int in, out;

	if (argc - direct != 5)
		return 2;
	name = a[1];
	tag = a[4];
	in = open(a[2], O_RDONLY | (direct ? O_DIRECT : 0));
	out = open(a[3], O_WRONLY | O_CREAT | O_TRUNC | (direct ? O_DIRECT : 0), 0600);
	buf = mmap(NULL, 4 * SIZE, PROT_READ | PROT_WRITE,
		   MAP_ANONYMOUS | MAP_PRIVATE | MAP_POPULATE, -1, 0);
	if (in < 0 || out < 0)
		failed("open");
	if (syscall(SYS_io_setup, 8, &ctx))
		failed("io_setup");
	memset(buf, '.', SIZE);
	memcpy(buf + AT, tag, strlen(tag));
	n = operations(name, in, out, list);
	if (!n)
		return 2;
	if (syscall(SYS_io_submit, ctx, (long)n, list) != n)
		failed("io_submit");
	if (!strcmp(name, "ring")) {
		struct ring *r = (void *)ctx;

		while (__atomic_load_n(&r->tail, __ATOMIC_ACQUIRE) == r->head)
			usleep(1000);
		r->head = (r->head + 1) % r->nr;
		return 0;
	}
	if (syscall(*name == 'p' ? SYS_io_pgetevents : SYS_io_getevents, ctx, (long)n, (long)n,
		    done, NULL, NULL) != n)
		failed("io_getevents");
	for (int i = 0; i < n; i++)
		if (done[i].res <= 0) {
			errno = (int)-done[i].res;
			failed("the operation");
		}
	return 0;
}
