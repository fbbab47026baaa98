/* ways_fuse.c - a file system in user space: the ways process is its server and moves payload
 * through /dev/fuse.
 *
 * Two files, `f` and `g`, without a cache. A peer mounts them in a mount namespace of its own, so
 * that nothing is left when the peer ends. If it writes them, the payload comes in by the server's
 * read. If it reads them, it goes out by the server's writev. */
#include <fcntl.h>
#include <linux/fuse.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include "ways.h"

enum {
	ROOM = MAX_SIZE + 8192,
	NODE_F = 2,
	NODE_G,
	OTHER = 65536 /* where the data of g begins in that of f */
};
enum {
	REPLIES = 1,
	OTHERWISE = 2 /* a message in two buffers where it was one, and in one where it was two */,
	SPLICED = 4
}; /* aux */
static struct {
	int dev, mounted[2], step, pipe[2];
	unsigned char *in;
} fuse;

#define HALF (j->c->len / 2)
#define REST (j->c->len - HALF)
#define A(i) j->c->tag[i]
#define B(i) (j->c->tag[i] + HALF)
static int put_at(int fd, const void *p, size_t n, off_t at)
{
	return pwrite(fd, p, n, at) != (ssize_t)n;
}
static int get_at(int fd, size_t n, off_t at)
{
	char b[4096];

	return pread(fd, b, n, at) != (ssize_t)n;
}

/* Tag 0 lies in one file, with something else between its halves; 1 in two files; 2 in two
 * places. */
static int some_requests(struct job *j, int f, int g)
{
	return put_at(f, A(0), HALF, 100) || put_at(g, "-", 1, 100) ||
	       put_at(f, B(0), REST, 100 + HALF) || put_at(f, A(1), HALF, 1000) ||
	       put_at(g, B(1), REST, 1000 + HALF) || put_at(f, A(2), HALF, 2000) ||
	       put_at(f, B(2), REST, 3000);
}
static int some_replies(struct job *j, int f, int g)
{
	return get_at(f, 100 + HALF, 0) || get_at(g, 100, 0) || get_at(f, 500, 100 + HALF) ||
	       get_at(f, 100, 900 + HALF) || get_at(g, 100, 1000 + HALF) || get_at(f, HALF, 2000) ||
	       get_at(f, 100, 3000);
}
/* Half of a tag in each of two file systems, in the same place of the same file. */
static int one_of_two(struct job *j, int f)
{
	return fuse.step ? put_at(f, B(0), REST, 100 + HALF) : put_at(f, A(0), HALF, 100);
}
static void plant_replies(struct job *j)
{
	memset(j->data, '.', 2 * OTHER);
	memcpy(j->data + 100, A(0), j->c->len);
	memcpy(j->data + 1000, A(1), HALF);
	memcpy(j->data + OTHER + 1000 + HALF, B(1), REST);
	memcpy(j->data + 2000, A(2), HALF);
	memcpy(j->data + 3000, B(2), REST);
}

static int body_mount(struct job *j)
{
	int fd, other, flags = j->w->aux & REPLIES ? O_RDONLY : O_WRONLY, bad = 0;
	char options[96], path[FILE_BYTES + 8];

	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0", fuse.dev);
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("ways", j->path_in, "fuse", MS_NOSUID | MS_NODEV, options) ||
	    write(fuse.mounted[1], "x", 1) != 1)
		return -1;
	close(fuse.dev); /* the server alone holds it: then its end ends the file system */
	snprintf(path, sizeof(path), "%s/f", j->path_in);
	fd = open(path, flags);
	snprintf(path, sizeof(path), "%s/g", j->path_in);
	other = open(path, flags);
	if (fd < 0 || other < 0)
		return -1;
	if (j->w->run == run_fuse_again)
		return one_of_two(j, fd);
	if (j->w->flags & CASE)
		return j->w->aux & REPLIES ? some_replies(j, fd, other)
					   : some_requests(j, fd, other);
	memset(j->buf, 0, j->size);
	for (size_t off = 0; off < j->size && !bad;) {
		size_t n = call_bytes(j->w, j->c, off);

		bad = (j->w->aux & REPLIES
			       ? pread(fd, j->buf + off, n, (off_t)off)
			       : pwrite(fd, j->data + off, n, (off_t)off)) != (ssize_t)n;
		off += n;
	}
	if (j->w->aux & REPLIES)
		bad |= memcmp(j->buf, j->data, j->size) != 0;
	return bad;
}

static int reply(struct job *j, const struct fuse_in_header *h, int error, const void *body,
		 size_t n)
{
	struct fuse_out_header out = {
		.len = (uint32_t)(sizeof(out) + n), .error = -error, .unique = h->unique};
	struct iovec v[2] = {{&out, sizeof(out)}, {(void *)body, n}};

	if (j->w->aux & OTHERWISE) {
		memcpy(fuse.in, &out, sizeof(out)); /* the request is not needed any more */
		memmove(fuse.in + sizeof(out), body, n);
		return write(fuse.dev, fuse.in, out.len) == (ssize_t)out.len ? 0 : -1;
	}
	return writev(fuse.dev, v, n ? 2 : 1) == (ssize_t)out.len ? 0 : -1;
}

static struct fuse_attr attributes(const struct job *j, uint64_t node)
{
	struct fuse_attr a = {.ino = node, .nlink = 1, .blksize = 4096};

	a.mode = node == 1 ? S_IFDIR | 0755 : S_IFREG | 0600;
	a.size = node == 1 ? 0 : j->w->flags & CASE ? OTHER : j->size;
	return a;
}

/* A peer takes the data of a WRITE request out of the pipe. */
static int body_take(struct job *j)
{
	struct fuse_write_in *in = (void *)(fuse.in + sizeof(struct fuse_in_header));
	unsigned char *to = j->buf + in->offset;

	return read_whole(fuse.pipe[0], to, in->size) || memcmp(to, j->data + in->offset, in->size);
}
/* The next request into a pipe; all of it, or its headers if it is a WRITE, from there into
 * memory. */
static ssize_t spliced_request(struct job *j)
{
	struct fuse_write_in *in = (void *)(fuse.in + sizeof(struct fuse_in_header));
	size_t head = sizeof(struct fuse_in_header) + sizeof(*in);
	ssize_t n;
	int err;

	if (pipe(fuse.pipe) || fcntl(fuse.pipe[1], F_SETPIPE_SZ, MAX_SIZE) < 0)
		return -1;
	n = splice(fuse.dev, NULL, fuse.pipe[1], NULL, ROOM, 0);
	if (n > 0) {
		if (head > (size_t)n)
			head = (size_t)n;
		if (read_whole(fuse.pipe[0], fuse.in, head))
			n = -1;
		else if (((struct fuse_in_header *)fuse.in)->opcode != FUSE_WRITE)
			n = read_whole(fuse.pipe[0], fuse.in + head, (size_t)n - head) ? -1 : n;
		else if (peer_join(peer_start(j, body_take)))
			n = -1;
		else
			memcpy(in + 1, j->data + in->offset, in->size);
	}
	err = errno;
	close(fuse.pipe[0]);
	close(fuse.pipe[1]);
	errno = err;
	return n;
}

/* The next request; in two buffers it is cut within its second header. */
static ssize_t request(struct job *j)
{
	struct iovec v[2] = {{fuse.in, 50}, {fuse.in + 50, ROOM - 50}};

	if (j->w->aux & SPLICED)
		return spliced_request(j);
	return j->w->aux & OTHERWISE ? readv(fuse.dev, v, 2) : read(fuse.dev, fuse.in, ROOM);
}

/* Answers one request; 1: the file system is gone. */
static int reply_init(struct job *j, struct fuse_in_header *h, struct fuse_init_in *in)
{
	struct fuse_init_out out = {.major = FUSE_KERNEL_VERSION,
				    .minor = in->minor < 31 ? in->minor : 31,
				    .max_write = j->w->most ? j->w->most : MAX_SIZE,
				    .flags = in->flags & (FUSE_BIG_WRITES | FUSE_MAX_PAGES),
				    .max_pages = 256,
				    .max_background = 8,
				    .congestion_threshold = 6,
				    .time_gran = 1};

	return reply(j, h, 0, &out, sizeof(out));
}

static int serve(struct job *j)
{
	struct fuse_in_header *h = (void *)fuse.in;
	void *arg = h + 1;
	ssize_t n = request(j);

	if (n < (ssize_t)sizeof(*h))
		return errno == ENODEV || errno == EPERM                      ? 1
		       : errno == EINTR || errno == EAGAIN || errno == ENOENT ? 0
									      : -1;
	switch (h->opcode) {
	case FUSE_INIT: return reply_init(j, h, arg);
	case FUSE_LOOKUP: {
		uint64_t node = strcmp(arg, "f") ? NODE_G : NODE_F;
		struct fuse_entry_out out = {.nodeid = node, .attr = attributes(j, node)};

		return strlen(arg) > 1 ? reply(j, h, ENOENT, NULL, 0)
				       : reply(j, h, 0, &out, sizeof(out));
	}
	case FUSE_GETATTR: {
		struct fuse_attr_out out = {.attr = attributes(j, h->nodeid)};

		return reply(j, h, 0, &out, sizeof(out));
	}
	case FUSE_OPEN: {
		struct fuse_open_out out = {.open_flags = FOPEN_DIRECT_IO};

		return reply(j, h, 0, &out, sizeof(out));
	}
	case FUSE_READ: {
		struct fuse_read_in *in = arg;
		size_t size = j->w->flags & CASE ? OTHER : j->size,
		       room = in->offset < size ? size - in->offset : 0;

		j->calls++;
		return reply(j, h, 0, j->data + (h->nodeid == NODE_G ? OTHER : 0) + in->offset,
			     in->size < room ? in->size : room);
	}
	case FUSE_WRITE: {
		struct fuse_write_in *in = arg;
		struct fuse_write_out out = {.size = in->size};

		j->calls++;
		if (in->offset + in->size <= MAX_SIZE)
			memcpy(j->buf + in->offset, in + 1, in->size);
		return reply(j, h, 0, &out, sizeof(out));
	}
	case FUSE_FLUSH:
	case FUSE_RELEASE: return reply(j, h, 0, NULL, 0);
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT: return 0;
	case FUSE_DESTROY: reply(j, h, 0, NULL, 0); return 1;
	default: return reply(j, h, ENOSYS, NULL, 0);
	}
}

RUN(run_fuse)
{
	pid_t pid;
	int state, bad;
	char token;

	if (j->w->flags & CASE && j->w->aux & REPLIES)
		plant_replies(j);
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
	if (bad || j->w->flags & CASE)
		return bad ? -1 : 0;
	return !(j->w->aux & REPLIES) && memcmp(j->buf, j->data, j->size) ? -1 : 0;
}

RUN(run_fuse_again)
{
	int bad;

	fuse.step = 0;
	bad = run_fuse(j);
	fuse.step = 1;
	return bad ? bad : run_fuse(j);
}
