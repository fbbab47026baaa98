/* test_scan.c - the tag search in the kernel against memmem: every tag that went through a call is
 * found, and no other.
 *
 * Every system call whose payload is searched x lengths of tags x sizes x places (start, middle,
 * end, across a border of pages, across a border of iovecs). Then random data over a tiny alphabet,
 * in which nearly every position is a candidate. */
#include <asm/unistd.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include <cmocka.h>
#include "probes/catalog/catalog.h"
#include "probes/probes.h"
#include "tests/support/harness.h"

enum { MAX = 1 << 20, PAGE = 4096, MANY = 64 };
/* what is sent, what is received: page-aligned, with a page to spare on both sides */
static unsigned char *data, *back;
static int file, sink;
static const int arguments[] = {ARG_CALL, ARG_END};

static struct harness *open_scan(int nr, const char *const *tags, unsigned n)
{
	struct rn_tag list[MANY];
	struct rn_intrinsics_opts o = {.tags = list, .ntags = n};
	struct rn_err err = {0};
	struct harness *h;

	for (unsigned t = 0; t < n; t++)
		list[t] = rn_tag_of(tags[t], strlen(tags[t]));
	if (rn_probes_permitted(&err))
		skip();
	h = harness_open(nr, RN_I_SCAN, arguments, &o, &err);
	if (!h)
		fail_msg("%s", err.text);
	return h;
}

static uint64_t expected(const char *const *tags, unsigned n, const void *p, size_t len)
{
	uint64_t mask = 0;

	for (unsigned i = 0; i < n; i++)
		if (memmem(p, len, tags[i], strlen(tags[i])))
			mask |= 1ull << i;
	return mask;
}

/* ---- one call that moves the first n bytes of data; what was moved ---- */
/* uneven parts; their number */
static int cut(struct iovec *v, unsigned char *p, size_t n, int parts)
{
	int k = 0;
	size_t step = n / (unsigned)parts;

	for (; k < parts - 1 && step; k++, p += step, n -= step)
		v[k] = (struct iovec){p, step};
	v[k++] = (struct iovec){p, n};
	return k;
}
static ssize_t do_write(size_t n)
{
	return syscall(__NR_write, sink, data, n);
}
static ssize_t do_pwrite(size_t n)
{
	return syscall(__NR_pwrite64, file, data, n, 0);
}
static ssize_t do_writev(size_t n)
{
	struct iovec v[16];

	return syscall(__NR_writev, sink, v, cut(v, data, n, 7));
}
static ssize_t do_pwritev2(size_t n)
{
	struct iovec v[16];

	return syscall(__NR_pwritev2, file, v, cut(v, data, n, 16), 0, 0, 0);
}
static void fill(size_t n)
{
	if (pwrite(file, data, n, 0) != (ssize_t)n)
		fail_msg("pwrite");
	memset(back, 0, n);
}
static ssize_t do_read(size_t n)
{
	fill(n);
	lseek(file, 0, SEEK_SET);
	return syscall(__NR_read, file, back, n);
}
static ssize_t do_preadv(size_t n)
{
	struct iovec v[16];

	fill(n);
	return syscall(__NR_preadv, file, v, cut(v, back, n, 3), 0, 0);
}
static ssize_t socket_call(size_t n, int nr)
{
	struct iovec v[16], w[16];
	struct msghdr m = {.msg_iov = v}, r = {.msg_iov = w};
	struct mmsghdr mm[2] = {{.msg_hdr = {.msg_iov = v}}};
	int p[2], big = 4 << 20;
	ssize_t ret = -1;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, p))
		return -1;
	setsockopt(p[0], SOL_SOCKET, SO_SNDBUFFORCE, &big, sizeof(big));
	m.msg_iovlen = (size_t)cut(v, data, n, 5);
	r.msg_iovlen = (size_t)cut(w, back, n, 4);
	if (nr == __NR_sendmmsg) {
		mm[0].msg_hdr.msg_iovlen = m.msg_iovlen;
		ret = syscall(nr, p[0], mm, 1, 0) == 1 ? (ssize_t)mm[0].msg_len : -1;
	} else if (nr == __NR_sendto) {
		ret = syscall(nr, p[0], data, n, 0, NULL, 0);
	} else if (nr == __NR_sendmsg) {
		ret = syscall(nr, p[0], &m, 0);
	} else { /* receive */
		n = (size_t)send(p[0], data, n, 0);
		if (nr == __NR_recvfrom)
			ret = syscall(nr, p[1], back, n, MSG_WAITALL, NULL, NULL);
		else if (nr == __NR_recvmsg)
			ret = syscall(nr, p[1], &r, MSG_WAITALL);
		else {
			mm[0].msg_hdr.msg_iov = w;
			mm[0].msg_hdr.msg_iovlen = r.msg_iovlen;
			ret = syscall(nr, p[1], mm, 1, MSG_WAITALL, NULL) == 1
				      ? (ssize_t)mm[0].msg_len
				      : -1;
		}
	}
	close(p[0]);
	close(p[1]);
	return ret;
}
static ssize_t do_sendto(size_t n)
{
	return socket_call(n, __NR_sendto);
}
static ssize_t do_sendmsg(size_t n)
{
	return socket_call(n, __NR_sendmsg);
}
static ssize_t do_sendmmsg(size_t n)
{
	return socket_call(n, __NR_sendmmsg);
}
static ssize_t do_recvfrom(size_t n)
{
	return socket_call(n, __NR_recvfrom);
}
static ssize_t do_recvmsg(size_t n)
{
	return socket_call(n, __NR_recvmsg);
}
static ssize_t do_recvmmsg(size_t n)
{
	return socket_call(n, __NR_recvmmsg);
}
/* The page cache, at an offset that is no multiple of anything. */
enum { AT = 5003 };
static void fill_at(size_t n)
{
	if (pwrite(file, data, n, AT) != (ssize_t)n)
		fail_msg("pwrite");
}
static ssize_t do_sendfile(size_t n)
{
	off_t off = AT;

	fill_at(n);
	return syscall(__NR_sendfile, sink, file, &off, n);
}
static ssize_t do_sendfile_pos(size_t n)
{
	fill_at(n);
	lseek(file, AT, SEEK_SET);
	return syscall(__NR_sendfile, sink, file, NULL, n);
}
static ssize_t do_splice(size_t n)
{
	off_t off = AT;
	int p[2];
	ssize_t r;

	fill_at(n);
	if (pipe(p))
		return -1;
	fcntl(p[1], F_SETPIPE_SZ, MAX);
	r = syscall(__NR_splice, file, &off, p[1], NULL, n, 0);
	close(p[0]);
	close(p[1]);
	return r;
}
static ssize_t do_copy_file_range(size_t n)
{
	off_t off = AT, to = 0;
	int fd = open("/tmp", O_TMPFILE | O_RDWR, 0600);
	ssize_t r;

	fill_at(n);
	r = syscall(__NR_copy_file_range, file, &off, fd, &to, n, 0);
	close(fd);
	return r;
}

static const struct call {
	const char *name;
	int nr;
	ssize_t (*go)(size_t n);
} calls[] = {
	{"write", __NR_write, do_write},
	{"pwrite64", __NR_pwrite64, do_pwrite},
	{"writev", __NR_writev, do_writev},
	{"pwritev2", __NR_pwritev2, do_pwritev2},
	{"read", __NR_read, do_read},
	{"preadv", __NR_preadv, do_preadv},
	{"sendto", __NR_sendto, do_sendto},
	{"sendmsg", __NR_sendmsg, do_sendmsg},
	{"sendmmsg", __NR_sendmmsg, do_sendmmsg},
	{"recvfrom", __NR_recvfrom, do_recvfrom},
	{"recvmsg", __NR_recvmsg, do_recvmsg},
	{"recvmmsg", __NR_recvmmsg, do_recvmmsg},
	{"sendfile", __NR_sendfile, do_sendfile},
	{"sendfile", __NR_sendfile, do_sendfile_pos},
	{"splice", __NR_splice, do_splice},
	{"copy_file_range", __NR_copy_file_range, do_copy_file_range},
};

static void check(struct harness *h, const struct call *c, const char *const *tags, unsigned ntags,
		  size_t n, const char *where)
{
	static const unsigned char gap[RN_TAG_MAX];
	ssize_t moved;
	uint64_t want;

	/* what the sink took before is not to be joined */
	if (write(sink, gap, sizeof(gap)) != sizeof(gap))
		fail_msg("write");
	harness_reset(h);
	moved = c->go(n);
	if (moved <= 0)
		fail_msg("%s of %zu bytes moved %zd", c->name, n, moved);
	want = expected(tags, ntags, data, (size_t)moved);
	if (harness_value(h) != want)
		fail_msg("%s of %zu bytes (%zd moved), tag %s at %s: found %llx, want %llx",
			 c->name, n, moved, tags[0], where, (unsigned long long)harness_value(h),
			 (unsigned long long)want);
}

static void noise(size_t n, unsigned seed)
{
	uint64_t x = seed * 0x9E3779B97F4A7C15ull + 1;

	for (size_t i = 0; i < n; i++) {
		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		data[i] = (unsigned char)(x >> 33);
	}
}

static void recall(void **state)
{
	static const size_t sizes[] = {64, 100, 4095, 4096, 4097, 8192, 70000, MAX};
	static const unsigned lengths[] = {4, 6, 15, 16, 64};
	static const char alphabet[65] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
	unsigned checks = 0;

	(void)state;

	for (unsigned l = 0; l < 5; l++) {
		char tag[65] = "", other[65] = "";
		const char *const tags[2] = {tag, other};
		unsigned w = lengths[l];

		memcpy(tag, alphabet + 64 - w, w);
		memcpy(other, alphabet + 64 - w, w);
		other[w - 1] ^= 1; /* nearly the same, never there */
		for (unsigned c = 0; c < sizeof(calls) / sizeof(*calls); c++) {
			struct harness *h = open_scan(calls[c].nr, tags, 2);

			for (unsigned s = 0; s < 8; s++) {
				size_t n = sizes[s];
				size_t places[] = {0,
						   1,
						   n / 2,
						   n - w,
						   n - w + 1 /* cut off */,
						   n / 7 - w / 2,
						   n / 5 - 1,
						   n / 4 - w + 1,
						   n / 3 - 2,
						   PAGE - w / 2,
						   PAGE - 1,
						   PAGE - w + 1,
						   n / 16 * 15 - w / 2,
						   n > 3 * PAGE ? 2 * PAGE - 2 : 3};

				noise(n + 128, s + 1);
				check(h, &calls[c], tags, 2, n, "nowhere");
				for (unsigned p = 0; p < sizeof(places) / sizeof(*places); p++) {
					size_t at = places[p];
					unsigned char saved[64];
					char where[32];

					if (at > n)
						continue;
					memcpy(saved, data + at, w);
					memcpy(data + at, tag, w);
					snprintf(where, sizeof(where), "%zu", at);
					check(h, &calls[c], tags, 2, n, where);
					memcpy(data + at, saved, w);
					checks++;
				}
			}
			harness_close(h);
		}
	}
	assert_true(checks > 5000);
}

/* Two letters only: candidates everywhere, chains with many entries, many tags at once, of
 * different lengths. */
static void dense(void **state)
{
	static char text[MANY][65];
	const char *tags[MANY];

	(void)state;

	for (unsigned w = 4; w <= 20; w += 4) {
		struct harness *h;

		noise(MANY * 64, w);
		for (unsigned i = 0; i < MANY; i++) {
			unsigned len = w + i % 9;

			for (unsigned k = 0; k < len; k++)
				text[i][k] = "ab"[data[i * 64 + k] & 1];
			text[i][len] = 0;
			tags[i] = text[i];
		}
		h = open_scan(__NR_write, tags, MANY);
		for (unsigned round = 0; round < 60; round++) {
			size_t n = 20 + round * 97 % 9000;

			noise(n, round + 99);
			for (size_t i = 0; i < n; i++)
				data[i] = "ab"[data[i] & 1];
			check(h, &calls[0], tags, MANY, n, "random places");
		}
		memset(data, 'a', 5000);
		check(h, &calls[0], tags, MANY, 5000, "a monotonous text");
		harness_close(h);
	}
}

/* A counter over all paths. */
static uint64_t sum(const struct rn_bpf_stats *st, size_t member)
{
	uint64_t n = 0, one;

	for (unsigned i = 0; i < sizeof(st->path) / sizeof(*st->path); i++) {
		memcpy(&one, (const char *)&st->path[i] + member, sizeof(one));
		n += one;
	}
	return n;
}

/* What lies in the buffer beyond the returned length is not there; what came in the call before
 * is. */
static void bounds(void **state)
{
	const char *const tags[] = {"fix283"};
	struct rn_bpf_stats before, st;
	struct harness *h;
	int p[2];

	(void)state;

	h = open_scan(__NR_read, tags, 1);
	/* its own first call reads the number of CPUs */
	rn_intrinsics_stats(harness_intrinsics(h), &before);
	rn_intrinsics_stats(harness_intrinsics(h), &before);
	assert_int_equal(pipe(p), 0);
	memcpy(back, "fix283", 6);
	assert_int_equal(write(p[1], "fix", 3), 3);
	assert_int_equal(syscall(__NR_read, p[0], back, 100), 3);
	assert_int_equal(harness_value(h), 0);
	assert_int_equal(write(p[1], "283", 3), 3);
	assert_int_equal(syscall(__NR_read, p[0], back, 100), 3);
	assert_int_equal(harness_value(h), 1); /* the tag came in two calls */
	assert_int_equal(write(p[1], "fix283", 6), 6);
	assert_int_equal(syscall(__NR_read, p[0], back, 100), 6);
	assert_int_equal(harness_value(h), 1);
	rn_intrinsics_stats(harness_intrinsics(h), &st);
	assert_int_equal(sum(&st, offsetof(struct rn_bpf_cover, bytes_seen)) -
				 sum(&before, offsetof(struct rn_bpf_cover, bytes_seen)),
			 12);
	assert_int_equal(sum(&st, offsetof(struct rn_bpf_cover, bytes_scanned)) -
				 sum(&before, offsetof(struct rn_bpf_cover, bytes_scanned)),
			 12);
	assert_int_equal(sum(&st, offsetof(struct rn_bpf_cover, faulted)), 0);
	close(p[0]);
	close(p[1]);
	harness_close(h);
}

static void counted(void **state)
{
	const char *const tags[] = {"fix283"};
	struct rn_bpf_stats st;
	struct harness *h;
	int null;
	unsigned char *big, *holes;

	(void)state;

	h = open_scan(__NR_write, tags, 1);
	/* Beyond the cap. /dev/null takes any length without looking at it. */
	null = open("/dev/null", O_WRONLY);
	big = mmap(NULL, MAX + 2 * PAGE, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	memcpy(big + MAX + 10, "fix283", 6);
	assert_int_equal(syscall(__NR_write, null, big, MAX + PAGE), MAX + PAGE);
	assert_int_equal(harness_value(h), 0);
	rn_intrinsics_stats(harness_intrinsics(h), &st);
	assert_int_equal(sum(&st, offsetof(struct rn_bpf_cover, bytes_seen)), MAX + PAGE);
	assert_int_equal(sum(&st, offsetof(struct rn_bpf_cover, beyond_cap)), PAGE);
	assert_int_equal(sum(&st, offsetof(struct rn_bpf_cover, bytes_scanned)), MAX);
	/* Pages that are not there: counted, and the others are searched. */
	holes = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(holes + 2 * PAGE + 5, "fix283", 6);
	assert_int_equal(syscall(__NR_write, null, holes, 3 * PAGE), 3 * PAGE);
	assert_int_equal(harness_value(h), 1);
	rn_intrinsics_stats(harness_intrinsics(h), &st);
	assert_int_equal(sum(&st, offsetof(struct rn_bpf_cover, faulted)), 2 * PAGE);
	munmap(big, MAX + 2 * PAGE);
	munmap(holes, 3 * PAGE);
	close(null);
	harness_close(h);
}

static void refused(void **state)
{
	static const struct rn_tag shorter[] = {{"abc", 3}};
	struct rn_intrinsics *x;
	struct rn_err err = {0};
	struct rn_intrinsics_opts o = {.wanted = 1 << RN_I_SCAN, .tags = shorter, .ntags = 1};

	(void)state;

	assert_int_equal(rn_intrinsics_open(&o, &x, &err), -EINVAL);
	assert_string_equal(err.text, "the tag \"abc\" has 3 bytes; tags have 4 to 64");
	o.tags = NULL;
	o.ntags = 0;
	assert_int_equal(rn_intrinsics_open(&o, &x, &err), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recall),  cmocka_unit_test(dense),   cmocka_unit_test(bounds),
		cmocka_unit_test(counted), cmocka_unit_test(refused),
	};

	data = mmap(NULL, MAX + 2 * PAGE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	back = mmap(NULL, MAX + 2 * PAGE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	file = open("/tmp", O_TMPFILE | O_RDWR, 0600);
	sink = open("/dev/null", O_WRONLY);
	if (data == MAP_FAILED || back == MAP_FAILED || file < 0 || sink < 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
