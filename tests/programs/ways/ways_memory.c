/* ways_memory.c - ways without a call that names the payload's place in this process: mapped files
 * and connections; and another process's memory. */
#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include "ways.h"

/* Loads from a mapping, page after page. */
RUN(run_mmap_read)
{
	int fd, bad;
	unsigned char *p;

	if (file_prepare(j, j->path_in, j->data, j->size) || (fd = open(j->path_in, O_RDONLY)) < 0)
		return -1;
	p = mmap(NULL, j->size, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (p == MAP_FAILED)
		return -1;
	memcpy(j->buf, p, j->size);
	j->calls++;
	bad = memcmp(j->buf, j->data, j->size);
	munmap(p, j->size);
	return bad ? -1 : 0;
}

/* Stores to a mapping, written back by msync. */
RUN(run_mmap_write)
{
	int fd = open(j->path_out, O_CREAT | O_TRUNC | O_RDWR, 0600), bad;
	unsigned char *p;

	if (fd < 0 || ftruncate(fd, (off_t)j->size))
		return -1;
	p = mmap(NULL, j->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (p == MAP_FAILED)
		return -1;
	memcpy(p, j->data, j->size);
	bad = msync(p, j->size, MS_SYNC);
	j->calls++;
	munmap(p, j->size);
	return bad ? -1 : file_compare(j, j->path_out, j->data, j->size);
}

static struct {
	int ready[2], done[2];
} vm;
enum { VM_WRITES = 1, VM_BY_FILE = 2 }; /* aux */

/* The other process: its copy of `data` is what is read, its `buf` what is written. */
static int body_vm(struct job *j)
{
	char token;

	memset(j->buf, 0, j->size);
	if (write(vm.ready[1], "x", 1) != 1 || read(vm.done[0], &token, 1) != 1)
		return -1;
	return j->w->aux & VM_WRITES ? memcmp(j->buf, j->data, j->size) : 0;
}

/* Its memory from off on, n bytes: by the calls for that, or as a file. */
static ssize_t vm_move(struct job *j, pid_t pid, int fd, size_t off, size_t n)
{
	bool writes = j->w->aux & VM_WRITES;
	unsigned char *theirs = (writes ? j->buf : j->data) + off,
		      *mine = (writes ? j->data : j->buf) + off;
	struct iovec local[8], remote = {theirs, n};
	unsigned long v;

	if (j->w->aux & VM_BY_FILE)
		return writes ? pwrite(fd, mine, n, (off_t)(uintptr_t)theirs)
			      : pread(fd, mine, n, (off_t)(uintptr_t)theirs);
	v = (unsigned long)spread(j, local, mine, n);
	return writes ? process_vm_writev(pid, local, v, &remote, 1, 0)
		      : process_vm_readv(pid, local, v, &remote, 1, 0);
}

RUN(run_vm)
{
	char token, path[40];
	int bad = 0, err, fd;
	pid_t pid;

	if (pipe(vm.ready) || pipe(vm.done))
		return -1;
	memset(j->buf, 0, j->size);
	pid = peer_start(j, body_vm);
	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	fd = open(path, O_RDWR);
	bad = fd < 0 || read(vm.ready[0], &token, 1) != 1;
	for (size_t off = 0; off < j->size && !bad;) {
		size_t n = call_bytes(j->w, j->c, off);

		bad = vm_move(j, pid, fd, off, n) != (ssize_t)n;
		j->calls++;
		off += n;
	}
	err = errno;
	bad |= write(vm.done[1], "x", 1) != 1;
	close(fd);
	for (int i = 0; i < 2; i++) {
		close(vm.ready[i]);
		close(vm.done[i]);
	}
	if (peer_join(pid) && !bad)
		return -1;
	errno = err;
	return bad || (!(j->w->aux & VM_WRITES) && memcmp(j->buf, j->data, j->size)) ? -1 : 0;
}

/* ---- a connection that is received without a copy ---- */

enum { PAGE_BYTES = 4096, COPIED = PAGE_BYTES - 1 };
static int zero_fd; /* of the peer */

/* Sends whole pages, out of a pipe: they go into segments as they are. Each call's bytes only when
 * those before were received. */
static int body_zerocopy(struct job *j)
{
	int through[2];
	char token;

	if (pipe(through))
		return -1;
	for (size_t off = 0; off < j->size;) {
		for (size_t end = off + call_bytes(j->w, j->c, off); off < end;) {
			size_t n = end - off < 16 * PAGE_BYTES ? end - off : 16 * PAGE_BYTES;

			if (write_whole(through[1], j->data + off, n))
				return -1;
			off += n;
			for (ssize_t k; n; n -= (size_t)k)
				if ((k = splice(through[0], NULL, zero_fd, NULL, n,
						off < end ? SPLICE_F_MORE : 0)) <= 0)
					return -1;
		}
		if (read(vm.done[0], &token, 1) != 1)
			return -1;
	}
	return 0;
}

/* Pages as far as they can be mapped, then what is copied behind them. How many bytes; 0: none are
 * there yet. */
static ssize_t zero_receive(struct job *j, unsigned char *map, size_t off)
{
	static unsigned char copy[COPIED];
	struct tcp_zerocopy_receive z = {.address = (uintptr_t)map,
					 .length = MAX_SIZE,
					 .copybuf_address = (uintptr_t)copy,
					 .copybuf_len = COPIED};
	socklen_t len = sizeof(z);
	size_t copied;

	if (getsockopt(j->src, IPPROTO_TCP, TCP_ZEROCOPY_RECEIVE, &z, &len) || z.copybuf_len < 0)
		return -1;
	copied = (size_t)z.copybuf_len;
	if (off + z.length + copied > j->size)
		return -1;
	memcpy(j->buf + off, map, z.length);
	memcpy(j->buf + off + z.length, copy, copied);
	j->calls += z.length + copied > 0;
	return (ssize_t)(z.length + copied);
}

RUN(run_zerocopy)
{
	int fd[2], mss = PAGE_BYTES + 12 /* the option with timestamps */, bad = 0;
	unsigned char *map;
	pid_t pid;

	if (pipe(vm.done) || channel_open(j, TCP4, fd) ||
	    setsockopt(fd[1], IPPROTO_TCP, TCP_MAXSEG, &mss, sizeof(mss)))
		return -1;
	j->src = fd[0];
	zero_fd = fd[1];
	map = mmap(NULL, MAX_SIZE, PROT_READ, MAP_SHARED, j->src, 0);
	if (map == MAP_FAILED)
		return -1;
	memset(j->buf, 0, j->size);
	pid = peer_start(j, body_zerocopy);
	for (size_t off = 0; off < j->size && !bad; bad = bad || write(vm.done[1], "x", 1) != 1)
		for (size_t end = off + call_bytes(j->w, j->c, off); off < end && !bad;) {
			ssize_t n = zero_receive(j, map, off);

			bad = n < 0;
			off += n > 0 ? (size_t)n : 0;
			if (!n)
				usleep(100);
		}
	munmap(map, MAX_SIZE);
	close(fd[0]);
	close(fd[1]);
	close(vm.done[0]);
	close(vm.done[1]);
	return peer_join(pid) || bad || memcmp(j->buf, j->data, j->size) ? -1 : 0;
}
