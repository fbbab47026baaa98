/* test_intrinsics.c - files and sockets as the intrinsics see them, against /proc and the socket
 * calls. Skipped where BPF is not permitted. Tags have their own program, test_scan.c. */
#include <arpa/inet.h>
#include <asm/unistd.h>
#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <linux/magic.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>
#include <cmocka.h>
#include "lang/values/value.h"
#include "lang/values/glob.h"
#include "probes/live/decode.h"
#include "probes/probes.h"
#include "tests/support/harness.h"

static char top[64];

static struct harness *open_or_fail(int nr, enum rn_intrinsic i, const int *args,
				    const struct rn_intrinsics_opts *o)
{
	struct rn_err err = {0};
	struct harness *h;

	if (rn_probes_permitted(&err))
		skip();
	h = harness_open(nr, i, args, o, &err);
	if (!h)
		fail_msg("%s", err.text);
	return h;
}
static const struct rn_intrinsics_opts plain, no_casts = {.no_casts = true};

/* Paths are those of the whole machine, /proc shows them from our root: in a chroot (a test
 * machine) they begin with its path. */
static char root[4096];

static void find_root(const struct rn_intrinsics *x, const struct rn_bpf_file *f)
{
	bool cut;
	int n = rn_intrinsics_path(x, &f->name, root, &cut);

	root[n > 1 ? n : 0] = 0;
}

static const char *below_root(const char *path)
{
	size_t n = strlen(root);

	return n && !strncmp(path, root, n) ? path[n] ? path + n : "/" : path;
}

/* lseek is the trigger: harmless on any descriptor. */
static const int file_args[] = {0, ARG_CONST(RN_WANT_NAME), ARG_OUT, ARG_END};

static void check_path(struct harness *h, int fd)
{
	char link[64], want[8192], got[RN_PATH_BYTES + 1];
	struct rn_bpf_file f;
	struct stat st;
	bool cut;
	ssize_t n;
	int len;
	struct statfs fs;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, want, sizeof(want) - 1);
	assert_true(n > 0);
	want[n] = 0;
	harness_reset(h);
	lseek(fd, 0, SEEK_CUR);
	assert_int_equal(harness_runs(h), 1);
	assert_int_equal(harness_value(h), 1);
	memcpy(&f, harness_out(h), sizeof(f));
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(fstatfs(fd, &fs), 0);
	if (fs.f_type != OVERLAYFS_SUPER_MAGIC) { /* which shows numbers of its layers */
		assert_int_equal(f.ino, st.st_ino);
		assert_int_equal(f.dev, (major(st.st_dev) << 20 | minor(st.st_dev)));
	}
	assert_int_equal(f.mode & S_IFMT, st.st_mode & S_IFMT);
	len = rn_intrinsics_path(harness_intrinsics(h), &f.name, got, &cut);
	assert_true(len > 0);
	got[len] = 0;
	if (cut) {
		assert_int_equal(len, RN_PATH_BYTES - 1);
		assert_true((size_t)n + strlen(root) >= RN_PATH_BYTES);
		assert_memory_equal(below_root(got), want, (size_t)len - strlen(root));
	} else {
		assert_string_equal(below_root(got), want);
	}
}

static int make(const char *fmt, int depth)
{
	char path[8192];
	int fd, at = open(top, O_RDONLY | O_DIRECTORY);

	for (int i = 0; i < depth; i++) {
		snprintf(path, sizeof(path), fmt, i);
		mkdirat(at, path, 0700);
		fd = openat(at, path, O_RDONLY | O_DIRECTORY);
		close(at);
		at = fd;
	}
	fd = openat(at, "file", O_CREAT | O_RDWR, 0600);
	close(at);
	assert_true(fd >= 0);
	return fd;
}

static void files_by(const struct rn_intrinsics_opts *o)
{
	struct harness *h = open_or_fail(__NR_lseek, RN_I_FILE, file_args, o);
	char name[128], wide[256];
	int fd = open("/", O_RDONLY | O_DIRECTORY), p[2];

	lseek(fd, 0, SEEK_CUR);
	find_root(harness_intrinsics(h), harness_out(h));
	close(fd);
	check_path(h, fd = make("d", 1));
	close(fd);
	check_path(h, fd = make("deep%d", 40));
	close(fd);
	memset(wide, 'w', sizeof(wide));
	memcpy(wide + 200, "%d", 3);
	check_path(h, fd = make(wide, 12)); /* longer than what is kept */
	close(fd);
	check_path(h, fd = open(top, O_RDONLY | O_DIRECTORY));
	close(fd);
	check_path(h, fd = open("/", O_RDONLY | O_DIRECTORY));
	close(fd);
	/* other mounts, and one within another */
	check_path(h, fd = open("/proc/self/status", O_RDONLY));
	close(fd);
	check_path(h, fd = open("/sys/kernel/mm", O_RDONLY | O_DIRECTORY));
	close(fd);
	check_path(h, fd = open("/dev/null", O_RDWR));
	close(fd);
	/* deleted */
	snprintf(name, sizeof(name), "%s/gone", top);
	fd = open(name, O_CREAT | O_RDWR, 0600);
	unlink(name);
	check_path(h, fd);
	close(fd);
	check_path(h, fd = memfd_create("some name", 0));
	close(fd);
	/* no path */
	assert_int_equal(pipe(p), 0);
	check_path(h, p[0]);
	check_path(h, p[1]);
	check_path(h, fd = socket(AF_INET, SOCK_STREAM, 0));
	close(fd);
	check_path(h, fd = epoll_create1(0));
	close(fd);
	snprintf(name, sizeof(name), "%s/fifo", top);
	assert_int_equal(mkfifo(name, 0600), 0);
	check_path(h, fd = open(name, O_RDWR));
	close(fd);
	unlink(name);
	/* none */
	harness_reset(h);
	lseek(9999, 0, SEEK_CUR);
	assert_int_equal(harness_runs(h), 1);
	assert_int_equal(harness_value(h), 0);
	harness_close(h);
}

static void files(void **state)
{
	(void)state;
	files_by(&plain);
}
static void files_without_casts(void **state)
{
	(void)state;
	files_by(&no_casts);
}

/* A pattern on the path of a file, twice: the second verdict is the kept one. */
static void matches(void **state)
{
	char name[128], pattern[80];
	const char *const patterns[] = {pattern, "*/matched", "*", "/nowhere*", "*.log"};
	static const bool want[] = {true, true, true, false, false};
	struct rn_intrinsics_opts o = {.patterns = patterns, .npatterns = 5};
	const struct rn_file_key name_key = {1, 2};
	struct rn_file_key *key;
	int fd;

	(void)state;

	snprintf(name, sizeof(name), "%s/matched", top);
	snprintf(pattern, sizeof(pattern), "%s/*", top);
	fd = open(name, O_CREAT | O_RDWR, 0600);
	for (int i = 0; i < 5; i++) {
		const int args[] = {ARG_CONST(i), ARG_OUT, ARG_END};
		struct harness *h;
		struct rn_bpf_path path = {.len = (uint16_t)strlen(name)};

		h = open_or_fail(__NR_getppid, RN_I_MATCH, args, &o);
		memcpy(path.text, name, path.len);
		assert_int_equal(
			bpf_map_update_elem(rn_intrinsics_map(harness_intrinsics(h), "paths"),
					    &name_key, &path, BPF_ANY),
			0);
		key = (struct rn_file_key *)harness_out(h);
		*key = name_key;
		for (int again = 0; again < 2; again++) {
			syscall(__NR_getppid);
			assert_int_equal(harness_value(h), want[i]);
		}
		assert_int_equal(
			bpf_map_lookup_elem(rn_intrinsics_map(harness_intrinsics(h), "paths"),
					    &name_key, &path),
			0);
		assert_int_equal(path.known, 1u << i);
		assert_int_equal(path.verdict, want[i] ? 1u << i : 0);
		memset(key, 0, sizeof(*key)); /* no file: an empty text */
		syscall(__NR_getppid);
		assert_int_equal(harness_value(h), i == 2);
		harness_close(h);
	}
	close(fd);
}

static bool same_file(const struct rn_bpf_file *a, const struct rn_bpf_file *b)
{
	return a->dev == b->dev && a->ino == b->ino && a->gen == b->gen;
}

/* The same inode by another name is the same file, and has another name; a new file with a used
 * inode number is not the old one, and has the name of the one that was there before. */
static void identity(void **state)
{
	struct harness *h = open_or_fail(__NR_lseek, RN_I_FILE, file_args, &plain);
	char a[128], b[128];
	struct rn_bpf_file one, two;
	int fd, fd2;

	(void)state;

	snprintf(a, sizeof(a), "%s/one", top);
	snprintf(b, sizeof(b), "%s/two", top);
	fd = open(a, O_CREAT | O_RDWR, 0600);
	assert_int_equal(link(a, b), 0);
	fd2 = open(b, O_RDWR);
	lseek(fd, 0, SEEK_CUR);
	memcpy(&one, harness_out(h), sizeof(one));
	lseek(fd2, 0, SEEK_CUR);
	memcpy(&two, harness_out(h), sizeof(two));
	assert_true(same_file(&one, &two));
	assert_memory_not_equal(&one.name, &two.name, sizeof(one.name));
	close(fd);
	close(fd2);
	unlink(a);
	unlink(b);
	for (int i = 0; i < 50; i++) { /* most file systems give the number again */
		fd = open(a, O_CREAT | O_RDWR, 0600);
		lseek(fd, 0, SEEK_CUR);
		memcpy(&two, harness_out(h), sizeof(two));
		assert_false(same_file(&one, &two));
		assert_memory_equal(&one.name, &two.name, sizeof(one.name));
		close(fd);
		unlink(a);
	}
	harness_close(h);
}

static void given_names(void **state)
{
	static const int args[] = {1, ARG_CONST(RN_WANT_NAME), ARG_OUT, ARG_END};
	struct harness *h = open_or_fail(__NR_openat, RN_I_NAME, args, &plain);
	char got[RN_PATH_BYTES], longest[RN_PATH_BYTES + 50];
	const char *const names[] = {"x", "/no/such", "1234567", "12345678", "123456789", longest};
	struct rn_bpf_file f;
	bool cut;

	(void)state;

	memset(longest, 'l', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = 0;
	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++) {
		size_t n = strlen(names[i]), kept = n < RN_PATH_BYTES ? n : RN_PATH_BYTES - 1;

		assert_int_equal(syscall(__NR_openat, AT_FDCWD, names[i], O_RDONLY), -1);
		if (harness_value(h) != 1)
			fail_msg("name %u '%.40s': value %d after %d runs", i, names[i],
				 (int)harness_value(h), (int)harness_runs(h));
		memcpy(&f, harness_out(h), sizeof(f));
		assert_int_equal(f.kind, RN_FILE_NAME);
		assert_int_equal(rn_intrinsics_path(harness_intrinsics(h), &f.name, got, &cut),
				 kept);
		assert_memory_equal(got, names[i], kept);
		assert_int_equal(cut, n >= RN_PATH_BYTES);
	}
	for (unsigned i = 0; i < 2; i++) { /* empty, NULL: no name */
		static const struct rn_bpf_file none;

		assert_int_equal(syscall(__NR_openat, AT_FDCWD, i ? NULL : "", O_RDONLY), -1);
		assert_int_equal(harness_value(h), RN_NAME_EMPTY);
		memcpy(&f, harness_out(h), sizeof(f));
		assert_memory_equal(&f, &none, sizeof(f));
	}
	harness_close(h);
}

static void executable(void **state)
{
	static const int args[] = {ARG_CONST(RN_WANT_NAME), ARG_OUT, ARG_END};
	struct harness *h = open_or_fail(__NR_getppid, RN_I_EXE, args, &plain);
	char want[4096], got[RN_PATH_BYTES];
	struct rn_bpf_file f;
	ssize_t n = readlink("/proc/self/exe", want, sizeof(want) - 1);
	bool cut;
	int len;

	(void)state;

	syscall(__NR_getppid);
	assert_int_equal(harness_value(h), 1);
	memcpy(&f, harness_out(h), sizeof(f));
	len = rn_intrinsics_path(harness_intrinsics(h), &f.name, got, &cut);
	assert_true(len > 0 && len < RN_PATH_BYTES);
	got[len] = want[n] = 0;
	assert_string_equal(below_root(got), want);
	harness_close(h);
}

static void globs(void **state)
{
	static const char *const patterns[] = {
		"",
		"*",
		"?",
		"a",
		"a*",
		"*a",
		"*a*",
		"a?c",
		"*a*b*c*",
		"**",
		"a**b",
		"?*",
		"*?",
		"ab?",
		"socket:*",
		"/var/lib/*",
		"*.log",
		"a\\*b",
		"*aab",
		"*ab?ab*",
		"012345678901234567890123456789012345678901234567890123456789*12"};
	static const char *const texts[] = {
		"",
		"a",
		"b",
		"ab",
		"abc",
		"aXc",
		"aabb",
		"cab",
		"xxaxxbxxcxx",
		"socket:[12]",
		"/var/lib/x/y",
		"a*b",
		"aXb",
		"x.log",
		"x.log.1",
		"aaab",
		"aaaab",
		"abxab",
		"zabxabz",
		"a.c",
		"/var/libx",
		"012345678901234567890123456789012345678901234567890123456789xyz12"};
	struct rn_err err = {0};

	(void)state;

	for (unsigned p = 0; p < sizeof(patterns) / sizeof(*patterns); p++)
		for (unsigned t = 0; t < sizeof(texts) / sizeof(*texts); t++)
			if (rn_glob_text(patterns[p], texts[t], (unsigned)strlen(texts[t])) !=
			    !fnmatch(patterns[p], texts[t], 0))
				fail_msg("glob '%s' on '%s'", patterns[p], texts[t]);
	if (rn_probes_permitted(&err))
		skip();
	/* In the kernel: the result's memory is the string. */
	for (unsigned p = 0; p < sizeof(patterns) / sizeof(*patterns); p++) {
		static const int glob_args[] = {ARG_CONST(0), ARG_OUT, ARG_END};
		struct rn_intrinsics_opts o = {.patterns = &patterns[p], .npatterns = 1};
		struct harness *h = open_or_fail(__NR_getppid, RN_I_GLOB, glob_args, &o);

		for (unsigned t = 0; t < sizeof(texts) / sizeof(*texts); t++) {
			struct rn_bpf_str *s = (struct rn_bpf_str *)harness_out(h);

			s->len = (uint32_t)strlen(texts[t]);
			memset(s->text, 'z', sizeof(s->text));
			memcpy(s->text, texts[t], s->len);
			syscall(__NR_getppid);
			if (harness_value(h) != !fnmatch(patterns[p], texts[t], 0))
				fail_msg("in the kernel: glob '%s' on '%s'", patterns[p], texts[t]);
		}
		harness_close(h);
	}
}

/* Command lines: the kernel matches the text that a row shows, however long they are, and wherever
 * NULs and the bytes of a character lie. */
static void command_lines(void **state)
{
	static const char *const patterns[] = {"*",   "",       "a b",     "a",    "a  *",
					       "*..", "*x..",   "*é..",    "*xé*", "* ..",
					       "*?",  "a b c*", "*xx xx*", "*x",   "*é"};
	static const struct rn_packed_field packed = {.enc = RN_ENCODING_CMDLINE};
	static const unsigned long lengths[] = {0,   1,   2,   4,   100, 253,   254,
						255, 256, 257, 258, 300, 100000};
	static const int args[] = {ARG_CONST(0), ARG_OUT, ARG_END};
	struct rn_arena *a = rn_arena_create(1 << 20);
	struct rn_event_decoder decoder = {0};
	unsigned matched = 0, n = 0;

	(void)state;
	for (unsigned p = 0; p < sizeof(patterns) / sizeof(*patterns); p++) {
		struct rn_intrinsics_opts o = {.patterns = &patterns[p], .npatterns = 1};
		struct harness *h = open_or_fail(__NR_getppid, RN_I_GLOB_ARGS, args, &o);
		struct rn_bpf_data *d = (struct rn_bpf_data *)harness_out(h);

		for (unsigned i = 0; i < 4 * sizeof(lengths) / sizeof(*lengths); i++) {
			struct rn_value v;

			d->len = lengths[i / 4];
			for (unsigned k = 0; k < RN_DATA_BYTES; k++)
				d->byte[k] = i % 4 == 0   ? 'x'
					     : i % 4 == 1 ? (k % 5 ? 'x' : 0)
					     : i % 4 == 2 ? (k < 3 || k % 2 ? 0xa9 : 0xc3)
							  : (k % 2 ? 0xa9 : 0xc3);
			memcpy(d->byte, i % 4 == 1 ? "a\0b\0c" : "a\0\0", i % 4 == 1 ? 5 : 3);
			if (d->len > 3 && d->len <= RN_DATA_BYTES + 1)
				d->byte[d->len < RN_DATA_BYTES ? d->len - 1 : RN_DATA_BYTES - 1] =
					0;
			v = rn_decode(&decoder, &packed, (const unsigned char *)d, a);
			syscall(__NR_getppid);
			n++;
			matched += harness_value(h) != 0;
			if (harness_value(h) !=
			    rn_glob(patterns[p], strlen(patterns[p]), v.s, v.len))
				fail_msg("glob '%s' on '%.*s' of %lu", patterns[p], (int)v.len, v.s,
					 lengths[i / 4]);
		}
		harness_close(h);
	}
	rn_arena_destroy(a);
	assert_in_range(matched, n / 10, n / 2);
}

/* ---- sockets ---- */
static const int sock_args[] = {0, 1, ARG_CONST(0), ARG_OUT, ARG_END};

static void address(const struct sockaddr_storage *sa, unsigned char out[RN_IP_BYTES])
{
	memset(out, 0, RN_IP_BYTES);
	if (sa->ss_family == AF_INET) {
		const struct sockaddr_in *in = (const void *)sa;

		if (!in->sin_port && !in->sin_addr.s_addr)
			return;
		out[10] = out[11] = 255;
		memcpy(out + 12, &in->sin_addr, 4);
		memcpy(out + 16, &in->sin_port, 2);
	} else if (sa->ss_family == AF_INET6) {
		const struct sockaddr_in6 *in = (const void *)sa;

		memcpy(out, &in->sin6_addr, 16);
		memcpy(out + 16, &in->sin6_port, 2);
	}
}

static void check_sock(struct harness *h, int fd, int type)
{
	struct sockaddr_storage sa = {0};
	socklen_t len = sizeof(sa);
	unsigned char want[RN_IP_BYTES];
	struct rn_bpf_sock s;
	struct stat st;

	lseek(fd, 0, SEEK_CUR);
	assert_int_equal(harness_value(h), 1);
	memcpy(&s, harness_out(h), sizeof(s));
	assert_int_equal(getsockname(fd, (struct sockaddr *)&sa, &len), 0);
	address(&sa, want);
	assert_memory_equal(s.local, want, sizeof(want));
	memset(&sa, 0, sizeof(sa));
	len = sizeof(sa);
	if (getpeername(fd, (struct sockaddr *)&sa, &len))
		sa.ss_family = 0;
	address(&sa, want);
	assert_memory_equal(s.peer, want, sizeof(want));
	assert_int_equal(s.type, type);
	assert_int_equal(stat("/proc/self/ns/net", &st), 0);
	assert_int_equal(s.netns, st.st_ino);
}

static void pair(struct harness *h, int family, int client_family, const char *client_addr)
{
	struct sockaddr_storage sa = {.ss_family = (sa_family_t)family};
	socklen_t len = sizeof(sa);
	int l = socket(family, SOCK_STREAM, 0), c = socket(client_family, SOCK_STREAM, 0), a,
	    off = 0;
	in_port_t port;

	if (family == AF_INET6)
		setsockopt(l, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	check_sock(h, c, SOCK_STREAM); /* nothing yet */
	assert_int_equal(
		bind(l, (struct sockaddr *)&sa,
		     family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6)),
		0);
	assert_int_equal(listen(l, 1), 0);
	check_sock(h, l, SOCK_STREAM);
	getsockname(l, (struct sockaddr *)&sa, &len);
	port = family == AF_INET ? ((struct sockaddr_in *)&sa)->sin_port
				 : ((struct sockaddr_in6 *)&sa)->sin6_port;
	if (client_family == AF_INET) {
		struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = port};

		inet_pton(AF_INET, client_addr, &to.sin_addr);
		assert_int_equal(connect(c, (struct sockaddr *)&to, sizeof(to)), 0);
	} else {
		struct sockaddr_in6 to = {.sin6_family = AF_INET6, .sin6_port = port};

		inet_pton(AF_INET6, client_addr, &to.sin6_addr);
		assert_int_equal(connect(c, (struct sockaddr *)&to, sizeof(to)), 0);
	}
	a = accept(l, NULL, NULL);
	check_sock(h, c, SOCK_STREAM);
	check_sock(h, a, SOCK_STREAM);
	close(a);
	close(c);
	close(l);
}

static bool have_v6(void)
{
	struct sockaddr_in6 sa = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	int fd = socket(AF_INET6, SOCK_STREAM, 0);
	bool ok = fd >= 0 && !bind(fd, (struct sockaddr *)&sa, sizeof(sa));

	close(fd);
	return ok;
}

static void sockets_by(const struct rn_intrinsics_opts *o)
{
	struct harness *h = open_or_fail(__NR_lseek, RN_I_SOCK, sock_args, o);
	struct sockaddr_in to = {.sin_family = AF_INET,
				 .sin_port = htons(9),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd, p[2];

	pair(h, AF_INET, AF_INET, "127.0.0.1");
	if (have_v6()) {
		pair(h, AF_INET6, AF_INET6, "::1");
		pair(h, AF_INET6, AF_INET, "127.0.0.1"); /* v4-mapped on the accepting side */
		pair(h, AF_INET6, AF_INET6, "::ffff:127.0.0.1");
	}
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	connect(fd, (struct sockaddr *)&to, sizeof(to));
	check_sock(h, fd, SOCK_DGRAM);
	close(fd);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, p), 0);
	check_sock(h, p[0], SOCK_STREAM); /* no addresses: zeros */
	close(p[0]);
	close(p[1]);
	lseek(0, 0, SEEK_CUR);
	assert_int_equal(harness_value(h), 0);
	harness_close(h);
}

static void sockets(void **state)
{
	(void)state;
	sockets_by(&plain);
}
static void sockets_without_casts(void **state)
{
	(void)state;
	sockets_by(&no_casts);
}

/* A socket that is not connected: the peer is the one that the call names. */
static void named_peer(void **state)
{
	static const int to_args[] = {0, 4, ARG_CONST(1), ARG_OUT, ARG_END},
			 msg_args[] = {0, 1, ARG_CONST(2), ARG_OUT, ARG_END};
	struct harness *h = open_or_fail(__NR_sendto, RN_I_SOCK, to_args, &plain);
	struct sockaddr_in to = {.sin_family = AF_INET,
				 .sin_port = htons(4321),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct sockaddr_storage sa = {0};
	unsigned char want[RN_IP_BYTES];
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	struct rn_bpf_sock s;
	struct iovec v;
	struct msghdr m;

	(void)state;

	memcpy(&sa, &to, sizeof(to));
	address(&sa, want);
	sendto(fd, "x", 1, 0, (struct sockaddr *)&to, sizeof(to));
	memcpy(&s, harness_out(h), sizeof(s));
	assert_memory_equal(s.peer, want, sizeof(want));
	harness_close(h);
	h = open_or_fail(__NR_sendmsg, RN_I_SOCK, msg_args, &plain);
	v = (struct iovec){(void *)"x", 1};
	m = (struct msghdr){
		.msg_name = &to, .msg_namelen = sizeof(to), .msg_iov = &v, .msg_iovlen = 1};
	sendmsg(fd, &m, 0);
	memcpy(&s, harness_out(h), sizeof(s));
	assert_memory_equal(s.peer, want, sizeof(want));
	close(fd);
	harness_close(h);
}

/* Each as the verifier sees it when it alone is wanted, with those maps that it then has. On an
 * older kernel it may be refused for another reason. */
static void alone(void **state)
{
	static const struct rn_tag tag[] = {{"a tag of a test", 15}};
	static const char *const pattern[] = {"*"};

	(void)state;

	if (rn_probes_permitted(NULL))
		skip();
	for (unsigned i = 0; i < RN_I_COUNT; i++) {
		struct rn_intrinsics_opts o = {.wanted = 1ull << i,
					       .tags = tag,
					       .ntags = 1,
					       .patterns = pattern,
					       .npatterns = 1,
					       .verify = true};
		struct rn_intrinsics *x = NULL;
		struct rn_err err = {0};
		int ret = rn_intrinsics_open(&o, &x, &err);
		bool lacks_map =
			strstr(err.text, "invalid func") || strstr(err.text, "wasn't created");

		rn_intrinsics_close(x);
		if (ret && lacks_map)
			fail_msg("%s", err.text);
		if (ret)
			print_message("%s\n", err.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files),       cmocka_unit_test(files_without_casts),
		cmocka_unit_test(matches),     cmocka_unit_test(identity),
		cmocka_unit_test(given_names), cmocka_unit_test(executable),
		cmocka_unit_test(globs),       cmocka_unit_test(command_lines),
		cmocka_unit_test(sockets),     cmocka_unit_test(sockets_without_casts),
		cmocka_unit_test(named_peer),  cmocka_unit_test(alone),
	};
	char clean[128];
	int ret;

	snprintf(top, sizeof(top), "/tmp/runnel-intrinsics-XXXXXX");
	if (!mkdtemp(top))
		return 1;
	ret = cmocka_run_group_tests(tests, NULL, NULL);
	snprintf(clean, sizeof(clean), "rm -rf %s", top);
	return system(clean) ? 1 : ret;
}
