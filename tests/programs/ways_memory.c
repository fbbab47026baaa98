/* ways_memory.c - ways without a call that names the payload's place in this process: mapped files, and another process's memory. */
#include <fcntl.h>
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

static struct { int ready[2], done[2]; } vm;

/* The other process: its copy of `data` is what is read, its `buf` what is written. */
static int body_vm(struct job *j)
{
	char token;

	memset(j->buf, 0, j->size);
	if (write(vm.ready[1], "x", 1) != 1 || read(vm.done[0], &token, 1) != 1)
		return -1;
	return j->w->aux ? memcmp(j->buf, j->data, j->size) : 0;
}

RUN(run_vm)
{
	struct iovec local[8];
	pid_t pid;
	char token;
	int bad = 0, err;

	if (pipe(vm.ready) || pipe(vm.done))
		return -1;
	memset(j->buf, 0, j->size);
	pid = peer_start(j, body_vm);
	bad = read(vm.ready[0], &token, 1) != 1;
	for (size_t off = 0; off < j->size && !bad;) {
		size_t n = call_bytes(j->w, j->c, off);
		struct iovec remote = {(j->w->aux ? j->buf : j->data) + off, n};
		int v = spread(j, local, (j->w->aux ? j->data : j->buf) + off, n);
		ssize_t k = j->w->aux ? process_vm_writev(pid, local, (unsigned long)v, &remote, 1, 0) :
					process_vm_readv(pid, local, (unsigned long)v, &remote, 1, 0);

		bad = k != (ssize_t)n;
		j->calls++;
		off += n;
	}
	err = errno;
	bad |= write(vm.done[1], "x", 1) != 1;
	for (int i = 0; i < 2; i++) {
		close(vm.ready[i]);
		close(vm.done[i]);
	}
	if (peer_join(pid) && !bad)
		return -1;
	errno = err;
	return bad || (!j->w->aux && memcmp(j->buf, j->data, j->size)) ? -1 : 0;
}
