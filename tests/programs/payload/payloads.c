/* payloads.c - moves payloads of many sizes through every call that carries some, and writes what
 * was moved to FILE: a line "CALL BYTES HASH" each, the hash by libxxhash. Descriptors that count
 * are from 100 on.
 *   payloads FILE          all calls and sizes
 *   payloads FILE limits   one payload beyond the limit of a hash, one with a page that is not in
 *                          memory
 *   payloads FILE sketch   a few payloads, with their sketch (16 words) instead of the hash
 *   payloads FILE of       nothing is moved: prints the hash of FILE
 *   payloads FILE rate     nothing but time: ns of CPU of a write of each size to /dev/null */
#define _GNU_SOURCE
#define XXH_INLINE_ALL
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

enum { MAX = 20 << 20, PAGE = 4096, LIMIT = 64 << 20 };
static unsigned char *data, *back;
static int file, null, pair[2];
static FILE *out;
static char *text;
static size_t text_bytes;
static uint64_t seed = 1;

static void check(int ok, const char *what)
{
	if (!ok) {
		perror(what);
		exit(1);
	}
}

static int high(int fd) /* the descriptor's number is from 100 on */
{
	int to = fcntl(fd, F_DUPFD, 100);

	check(fd >= 0 && to >= 0, "descriptor");
	close(fd);
	return to;
}

static int nameless(void) /* overlayfs has no O_TMPFILE */
{
	int fd = open("/tmp", O_TMPFILE | O_RDWR, 0600);

	return fd >= 0 ? fd : memfd_create("payloads", 0);
}

static void noise(size_t n)
{
	uint64_t x = ++seed * 0x9E3779B97F4A7C15ull;

	for (size_t i = 0; i < n; i += 8) {
		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		memcpy(data + i, &x, 8);
	}
}

static void moved(const char *call, ssize_t n)
{
	fprintf(out, "%s %zd %016llx\n", call, n,
		n > 0 ? (unsigned long long)XXH64(data, (size_t)n, 0) : 0);
}

/* Uneven parts, none, and such that no stripe begins where a part does; the rest is one. */
static int cut(struct iovec *v, unsigned char *p, size_t n)
{
	static const size_t odd[] = {1, 0, 31, 33, 7, 64, 5, 4095, 1000, 3};
	int k = 0;

	for (unsigned i = 0; i < 10 && n > odd[i]; i++) {
		v[k++] = (struct iovec){p, odd[i]};
		p += odd[i];
		n -= odd[i];
	}
	v[k++] = (struct iovec){p, n};
	return k;
}

static void fill(size_t n, off_t at)
{
	check(pwrite(file - 50, data, n, at) == (ssize_t)n, "pwrite");
}

/* Datagrams would be too short for some sizes: a stream, filled and emptied in turn. */
static void sockets(size_t n)
{
	struct iovec v[16], w[16];
	struct msghdr m = {.msg_iov = v}, r = {.msg_iov = w};
	struct mmsghdr mm[3] = {{.msg_hdr = {.msg_iov = v, .msg_iovlen = 1}},
				{.msg_hdr = {.msg_iov = v + 1, .msg_iovlen = 1}},
				{.msg_hdr = {.msg_iov = v + 2, .msg_iovlen = 1}}};
	size_t third = n / 3;

	noise(n);
	moved("sendto", sendto(pair[0], data, n, 0, NULL, 0));
	moved("recvfrom", syscall(SYS_recvfrom, pair[1], back, n, MSG_WAITALL, NULL, NULL));
	noise(n);
	m.msg_iovlen = (size_t)cut(v, data, n);
	moved("sendmsg", sendmsg(pair[0], &m, 0));
	r.msg_iovlen = (size_t)cut(w, back, n);
	moved("recvmsg", recvmsg(pair[1], &r, MSG_WAITALL));
	if (n < 3)
		return;
	noise(n);
	v[0] = (struct iovec){data, third};
	v[1] = (struct iovec){data + third, third};
	v[2] = (struct iovec){data + 2 * third, n - 2 * third};
	check(syscall(SYS_sendmmsg, pair[0], mm, 3, 0) == 3, "sendmmsg");
	fprintf(out, "sendmmsg 3 %016llx\n", (unsigned long long)XXH64(data, n, 0));
	for (int i = 0; i < 3; i++)
		v[i].iov_base = back + ((unsigned char *)v[i].iov_base - data);
	check(syscall(SYS_recvmmsg, pair[1], mm, 3, MSG_WAITALL, NULL) == 3, "recvmmsg");
	fprintf(out, "recvmmsg 3 %016llx\n", (unsigned long long)XXH64(data, n, 0));
}

static void copies(size_t n)
{
	off_t off = 5003, to = 11;
	struct iovec v = {data, n};
	int p[2], q[2];

	noise(n);
	fill(n, off);
	moved("sendfile", syscall(SYS_sendfile, null, file, &off, n));
	off = 5003;
	moved("copy_file_range", copy_file_range(file, &off, null + 1, &to, n, 0));
	check(pipe(p) == 0 && pipe(q) == 0, "pipe");
	p[0] = high(p[0]);
	p[1] = high(p[1]);
	q[1] = high(q[1]);
	fcntl(q[1], F_SETPIPE_SZ, 1 << 20);
	fcntl(p[1], F_SETPIPE_SZ, 1 << 20);
	off = 5003;
	moved("splice", splice(file, &off, p[1], NULL, n, 0));
	moved("tee", tee(p[0], q[1], n, 0));
	to = 77;
	moved("splice", splice(p[0], NULL, null + 1, &to, n, 0));
	moved("vmsplice", vmsplice(p[1], &v, 1, SPLICE_F_NONBLOCK));
	close(q[0]);
	close(q[1]);
	close(p[0]);
	close(p[1]);
}

static void one_size(size_t n)
{
	struct iovec v[16];

	noise(n);
	moved("write", write(null, data, n));
	noise(n);
	moved("pwrite64", pwrite(file, data, n, 0));
	moved("pread64", pread(file, back, n, 0));
	lseek(file, 0, SEEK_SET);
	moved("read", read(file, back, n));
	moved("preadv", preadv(file, v, cut(v, back, n), 0));
	noise(n);
	moved("writev", writev(null, v, cut(v, data, n)));
	moved("pwritev2", pwritev2(file, v, cut(v, data, n), 0, 0));
	lseek(file, 0, SEEK_SET);
	moved("readv", readv(file, v, cut(v, back, n)));
	if (n && n <= 1 << 20) {
		sockets(n);
		copies(n);
	}
}

static void sketches(void)
{
	static const size_t sizes[] = {7, 8, 9, 100, 4095, 4096, 4097, 8199, 100000, 1 << 20};
	struct iovec v[16];

	for (unsigned s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
		uint32_t min[16];
		ssize_t n;

		noise(sizes[s]);
		memset(min, 0xff, sizeof(min));
		for (size_t i = 0; i + 8 <= sizes[s]; i++) {
			uint64_t x;

			memcpy(&x, data + i, 8);
			x *= 0x9E3779B97F4A7C15ull;
			if ((uint32_t)(x >> 28) < min[x >> 60])
				min[x >> 60] = (uint32_t)(x >> 28);
		}
		n = writev(null, v, cut(v, data, sizes[s]));
		fprintf(out, "writev %zd ", n);
		for (int i = 0; i < 64; i++)
			fprintf(out, "%02x", ((unsigned char *)min)[i]);
		fputc('\n', out);
	}
}

static void limits(void)
{
	unsigned char *big = mmap(NULL, LIMIT + PAGE, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	check(big != MAP_FAILED, "mmap");
	/* the page between them is not there, and is not asked for by /dev/null */
	big[0] = big[2 * PAGE] = 1;
	check(write(null, big, 3 * PAGE) == 3 * PAGE, "write");
	memset(big, 3, LIMIT + PAGE);
	check(write(null, big, LIMIT) == LIMIT, "write");
	fprintf(out, "write %d %016llx\n", LIMIT, (unsigned long long)XXH64(big, LIMIT, 0));
	check(write(null, big, LIMIT + 1) == LIMIT + 1, "write");
}

static void rate(void)
{
	static const size_t sizes[] = {64, 512, 4096, 65536, 1 << 20};

	for (unsigned s = 0; s < 5; s++) {
		unsigned rounds = (unsigned)((200u << 20) / (sizes[s] + 4096));
		struct timespec a, b;

		noise(sizes[s]);
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
		for (unsigned i = 0; i < rounds; i++)
			check(write(null, data, sizes[s]) > 0, "write");
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
		fprintf(out, "%zu %.0f\n", sizes[s],
			((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) /
				rounds);
	}
}

static int of_file(const char *path)
{
	FILE *f = fopen(path, "r");
	size_t n;

	check(f != NULL, path);
	n = fread(data, 1, MAX, f);
	printf("0x%016llx\n", (unsigned long long)XXH64(data, n, 0));
	return fclose(f);
}

int main(int argc, char **argv)
{
	static const size_t sizes[] = {127,  128,  129,   4095,    4096, 4097,
				       5333, 8191, 65537, 1 << 20, MAX};
	const char *what = argc > 2 ? argv[2] : "";
	int big = 4 << 20;
	int fd;

	if (argc < 2)
		return 2;
	out = open_memstream(&text, &text_bytes);
	data = mmap(NULL, MAX + PAGE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (!strcmp(what, "of"))
		return of_file(argv[1]);
	back = mmap(NULL, MAX + PAGE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	file = high(nameless());
	/* for what prepares a call, and does not count */
	check(dup2(file, file - 50) >= 0, "dup2");
	null = high(open("/dev/null", O_WRONLY));
	check(high(nameless()) == null + 1, "descriptor");
	check(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair), "socketpair");
	pair[0] = high(pair[0]);
	pair[1] = high(pair[1]);
	setsockopt(pair[0], SOL_SOCKET, SO_SNDBUFFORCE, &big, sizeof(big));
	if (!strcmp(what, "limits"))
		limits();
	else if (!strcmp(what, "sketch"))
		sketches();
	else if (!strcmp(what, "rate"))
		rate();
	else {
		for (size_t n = 0; n <= 70; n++)
			one_size(n);
		for (unsigned s = 0; s < sizeof(sizes) / sizeof(*sizes); s++)
			one_size(sizes[s]);
	}
	fclose(out);
	fd = open(argv[1], O_CREAT | O_TRUNC | O_WRONLY, 0644);
	check(write(fd, text, text_bytes) == (ssize_t)text_bytes, argv[1]);
	return 0;
}
