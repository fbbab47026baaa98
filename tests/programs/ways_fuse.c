/* ways_fuse.c - a file system in user space: the ways process is its server and moves payload through /dev/fuse.
 *
 * One file, `f`, without a cache. A peer mounts it in a mount namespace of its own, so that nothing is left when the peer ends, and
 * writes the file (then the payload comes in by the server's read) or reads it (then it goes out by the server's writev). */
#include <fcntl.h>
#include <linux/fuse.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include "ways.h"

enum { ROOM = MAX_SIZE + 8192 };
static struct { int dev, mounted[2]; unsigned char *in; } fuse;

static int body_mount(struct job *j)
{
	char options[96], path[FILE_BYTES + 8];
	int fd, bad = 0;

	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0", fuse.dev);
	snprintf(path, sizeof(path), "%s/f", j->path_in);
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("ways", j->path_in, "fuse", MS_NOSUID | MS_NODEV, options) || write(fuse.mounted[1], "x", 1) != 1)
		return -1;
	close(fuse.dev); /* the server alone holds it: then its end ends the file system */
	fd = open(path, j->w->aux ? O_RDONLY : O_WRONLY);
	if (fd < 0)
		return -1;
	memset(j->buf, 0, j->size);
	for (size_t off = 0; off < j->size && !bad;) {
		size_t n = call_bytes(j->w, j->c, off);

		bad = (j->w->aux ? pread(fd, j->buf + off, n, (off_t)off) : pwrite(fd, j->data + off, n, (off_t)off)) != (ssize_t)n;
		off += n;
	}
	if (j->w->aux)
		bad |= memcmp(j->buf, j->data, j->size) != 0;
	return bad;
}

static int reply(const struct fuse_in_header *h, int error, const void *body, size_t n)
{
	struct fuse_out_header out = {.len = (uint32_t)(sizeof(out) + n), .error = -error, .unique = h->unique};
	struct iovec v[2] = {{&out, sizeof(out)}, {(void *)body, n}};

	return writev(fuse.dev, v, n ? 2 : 1) == (ssize_t)out.len ? 0 : -1;
}

static struct fuse_attr attributes(const struct job *j, uint64_t node)
{
	struct fuse_attr a = {.ino = node, .nlink = 1, .blksize = 4096};

	a.mode = node == 1 ? S_IFDIR | 0755 : S_IFREG | 0600;
	a.size = node == 1 ? 0 : j->size;
	return a;
}

/* Answers one request; 1: the file system is gone. */
static int serve(struct job *j)
{
	struct fuse_in_header *h = (void *)fuse.in;
	void *arg = h + 1;
	ssize_t n = read(fuse.dev, fuse.in, ROOM);

	if (n < (ssize_t)sizeof(*h))
		return errno == ENODEV || errno == EPERM ? 1 : errno == EINTR || errno == EAGAIN || errno == ENOENT ? 0 : -1;
	switch (h->opcode) {
	case FUSE_INIT: {
		struct fuse_init_in *in = arg;
		struct fuse_init_out out = {.major = FUSE_KERNEL_VERSION, .minor = in->minor < 31 ? in->minor : 31, .max_write = MAX_SIZE,
					    .flags = in->flags & (FUSE_BIG_WRITES | FUSE_MAX_PAGES), .max_pages = 256,
					    .max_background = 8, .congestion_threshold = 6, .time_gran = 1};
		return reply(h, 0, &out, sizeof(out));
	}
	case FUSE_LOOKUP: {
		struct fuse_entry_out out = {.nodeid = 2, .attr = attributes(j, 2)};
		return strcmp(arg, "f") ? reply(h, ENOENT, NULL, 0) : reply(h, 0, &out, sizeof(out));
	}
	case FUSE_GETATTR: {
		struct fuse_attr_out out = {.attr = attributes(j, h->nodeid)};
		return reply(h, 0, &out, sizeof(out));
	}
	case FUSE_OPEN: {
		struct fuse_open_out out = {.open_flags = FOPEN_DIRECT_IO};
		return reply(h, 0, &out, sizeof(out));
	}
	case FUSE_READ: {
		struct fuse_read_in *in = arg;
		size_t room = in->offset < j->size ? j->size - in->offset : 0;
		j->calls++;
		return reply(h, 0, j->data + in->offset, in->size < room ? in->size : room);
	}
	case FUSE_WRITE: {
		struct fuse_write_in *in = arg;
		struct fuse_write_out out = {.size = in->size};
		j->calls++;
		if (in->offset + in->size <= MAX_SIZE)
			memcpy(j->buf + in->offset, in + 1, in->size);
		return reply(h, 0, &out, sizeof(out));
	}
	case FUSE_FLUSH: case FUSE_RELEASE: return reply(h, 0, NULL, 0);
	case FUSE_FORGET: case FUSE_BATCH_FORGET: case FUSE_INTERRUPT: return 0;
	case FUSE_DESTROY: reply(h, 0, NULL, 0); return 1;
	default: return reply(h, ENOSYS, NULL, 0);
	}
}

RUN(run_fuse)
{
	pid_t pid;
	int state, bad;
	char token;

	fuse.dev = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	if (fuse.dev < 0 || pipe(fuse.mounted)) {
		j->why = "/dev/fuse cannot be opened";
		return -1;
	}
	if (!fuse.in)
		fuse.in = aligned_alloc(4096, (ROOM + 4095) / 4096 * 4096);
	unlink(j->path_in);
	mkdir(j->path_in, 0700);
	memset(j->buf, 0, j->size);
	pid = peer_start(j, body_mount);
	close(fuse.mounted[1]);
	state = read(fuse.mounted[0], &token, 1) == 1 ? 0 : 1;
	close(fuse.mounted[0]);
	while (state == 0)
		state = serve(j);
	close(fuse.dev);
	bad = peer_join(pid);
	rmdir(j->path_in);
	if (!j->calls) {
		j->why = "a FUSE file system cannot be mounted";
		errno = EPERM;
		return -1;
	}
	return bad || (!j->w->aux && memcmp(j->buf, j->data, j->size)) ? -1 : 0;
}
