/* join.c - makes calls whose payload, taken together, holds tags that lie across calls; for
 * tests/live/payload/join.sh.
 *
 * `join list` prints a line for each case: its tag, the name of a call, and in how many such calls
 * the tag must be found (also 0: the two halves did not follow each other, or came by different
 * ways). Without an argument the calls are made. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LEN = 12, HALF = 5, REST = LEN - HALF };
static char tag[LEN + 1];

static void must(int ok, const char *what)
{
	if (!ok) {
		perror(what);
		exit(1);
	}
}
static void put(int fd, const void *p, size_t n)
{
	must(write(fd, p, n) == (ssize_t)n, "write");
}
static void get(int fd, size_t n)
{
	char b[8192];

	must(read(fd, b, n) == (ssize_t)n, "read");
}
static void get_at(int fd, size_t n, off_t at)
{
	char b[8192];

	must(pread(fd, b, n, at) == (ssize_t)n, "pread");
}
static int temporary(void)
{
	int fd = open("/tmp", O_TMPFILE | O_RDWR, 0600);

	must(fd >= 0, "open");
	return fd;
}
/* A file with the tag at 100, of 8192 bytes. It comes by way of a mapping, not by a call. */
static int filled(void)
{
	int fd = temporary();
	char *m;

	must(!ftruncate(fd, 8192), "ftruncate");
	m = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	must(m != MAP_FAILED, "mmap");
	memset(m, '.', 8192);
	memcpy(m + 100, tag, LEN);
	memcpy(m + 4200, tag, LEN);
	munmap(m, 8192);
	return fd;
}
static void pair(int type, int *s)
{
	must(!socketpair(AF_UNIX, type, 0, s), "socketpair");
}
static void connected(int *s)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t n = sizeof(a);
	int l = socket(AF_INET, SOCK_STREAM, 0);

	must(!bind(l, (void *)&a, n) && !listen(l, 1) && !getsockname(l, (void *)&a, &n), "listen");
	s[0] = socket(AF_INET, SOCK_STREAM, 0);
	must(!connect(s[0], (void *)&a, n), "connect");
	s[1] = accept(l, NULL, NULL);
	must(s[1] >= 0, "accept");
	close(l);
}
static void tx(int fd, const void *p, size_t n)
{
	must(send(fd, p, n, 0) == (ssize_t)n, "send");
}
static void rx(int fd, size_t n, int flags)
{
	char b[8192];

	must(recv(fd, b, n, flags | MSG_WAITALL) == (ssize_t)n, "recv");
}

static void every_split(void)
{
	int fd = temporary();

	for (int k = 1; k < LEN; k++) {
		put(fd, tag, (size_t)k);
		put(fd, tag + k, (size_t)(LEN - k));
		put(fd, "--", 2);
	}
}
static void every_split_read(void)
{
	int fd = filled();

	for (int k = 1; k < LEN; k++) {
		lseek(fd, 90, SEEK_SET);
		get(fd, (size_t)(10 + k));
		get(fd, (size_t)(LEN - k));
	}
}
static void three(void)
{
	int fd = temporary();

	put(fd, tag, 4);
	put(fd, tag + 4, 4);
	put(fd, tag + 8, 4);
}
static void bytes(void)
{
	int p[2];

	must(!pipe(p), "pipe");
	for (int i = 0; i < LEN; i++)
		put(p[1], tag + i, 1);
	for (int i = 0; i < LEN; i++)
		get(p[0], 1);
}
static void seek_away(void)
{
	int fd = temporary();

	put(fd, tag, HALF);
	lseek(fd, 1, SEEK_CUR);
	put(fd, tag + HALF, REST);
}
static void seek_back(void)
{
	int fd = temporary();

	put(fd, tag, HALF);
	lseek(fd, 1000, SEEK_SET);
	put(fd, "something else", 14);
	lseek(fd, HALF, SEEK_SET);
	put(fd, tag + HALF, REST);
}
static void twice(void)
{
	int fd = temporary();

	put(fd, tag, HALF);
	put(dup(fd), tag + HALF, REST);
}
static void child(void)
{
	int fd = temporary(), status = 1;
	pid_t pid;

	put(fd, tag, HALF);
	pid = fork();
	if (!pid) {
		put(fd, tag + HALF, REST);
		_exit(0);
	}
	must(waitpid(pid, &status, 0) == pid && !status, "child");
}
struct reader {
	int fd;
	off_t at;
	pthread_barrier_t *turn;
};
static void *read_on(void *arg)
{
	struct reader *r = arg;

	for (int i = 0; i < 8; i++) {
		pthread_barrier_wait(r->turn);
		get_at(r->fd, 2, r->at + 2 * i);
	}
	return NULL;
}
static void threads(void)
{
	pthread_barrier_t turn;
	struct reader a = {filled(), 97, &turn}, b = {a.fd, 4197, &turn};
	pthread_t t;

	pthread_barrier_init(&turn, NULL, 2);
	pthread_create(&t, NULL, read_on, &a);
	read_on(&b);
	pthread_join(t, NULL);
}
static void two_sockets(void)
{
	int a[2], b[2];

	pair(SOCK_STREAM, a);
	pair(SOCK_STREAM, b);
	tx(a[0], tag, HALF);
	tx(b[0], tag, HALF);
	tx(a[0], tag + HALF, REST);
	tx(b[0], tag + HALF, REST);
	rx(a[1], HALF, 0);
	rx(b[1], HALF, 0);
	rx(a[1], REST, 0);
	rx(b[1], REST, 0);
}
static void mixed_sockets(void)
{
	int a[2], b[2];

	pair(SOCK_STREAM, a);
	connected(b);
	tx(a[0], tag, HALF);
	tx(b[0], tag + HALF, REST);
	rx(a[1], HALF, 0);
	rx(b[1], REST, 0);
}
static void tcp(void)
{
	int s[2];

	connected(s);
	for (int i = 0; i < 3; i++) {
		tx(s[i & 1], tag, HALF);
		rx(s[~i & 1], HALF, 0);
		tx(s[i & 1], tag + HALF, REST);
		rx(s[~i & 1], REST, 0);
	}
	tx(s[0], tag, LEN - 1);
	tx(s[0], tag + LEN - 1, 1);
	close(s[0]);
	rx(s[1], LEN - 1, 0);
	rx(s[1], 1, 0);
}
static void peek_by(int *s)
{
	tx(s[0], tag, HALF);
	rx(s[1], HALF, MSG_PEEK);
	rx(s[1], HALF, 0);
	tx(s[0], tag + HALF, REST);
	rx(s[1], REST, MSG_PEEK);
	rx(s[1], 3, MSG_PEEK);
	rx(s[1], REST, 0);
}
static void peek(void)
{
	int s[2];

	connected(s);
	peek_by(s);
	pair(SOCK_STREAM, s);
	peek_by(s);
}
static void files(void)
{
	put(temporary(), tag, HALF);
	put(temporary(), tag + HALF, REST);
}
static void opens(void)
{
	char name[64];
	int fd = filled(), other;

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	other = open(name, O_RDONLY);
	must(other >= 0, "open");
	get_at(fd, HALF, 100);
	get_at(other, REST, 100 + HALF);
}
static void datagrams(void)
{
	int s[2];

	pair(SOCK_DGRAM, s);
	tx(s[0], tag, HALF);
	tx(s[0], tag + HALF, REST);
	rx(s[1], HALF, 0);
	rx(s[1], REST, 0);
	pair(SOCK_SEQPACKET, s);
	tx(s[0], tag, HALF);
	tx(s[0], tag + HALF, REST);
	rx(s[1], HALF, 0);
	rx(s[1], REST, 0);
}
static void vectors(void)
{
	char a[200], b[200];
	struct iovec v[] = {{a, 100}, {b, 2}}, w[] = {{a, 3}, {b, 100}};
	int fd = filled();

	must(preadv(fd, v, 2, 0) == 102 && preadv(fd, w, 2, 102) == 103, "preadv");
}
static void steps(void)
{
	int fd = filled(), sink = open("/dev/null", O_WRONLY);
	off_t at = 105;

	must(sendfile(sink, fd, &at, 4096) == 4096 && sendfile(sink, fd, &at, 100) == 100,
	     "sendfile");
}
static void append(void)
{
	int fd = temporary();

	fcntl(fd, F_SETFL, O_APPEND);
	put(fd, "begin", 5);
	put(fd, tag, HALF);
	lseek(fd, 0, SEEK_SET);
	put(fd, tag + HALF, REST);
}
static void messages(void)
{
	struct iovec v[] = {{tag, 3}, {tag + 3, 3}, {tag + 6, 3}, {tag + 9, 3}};
	struct mmsghdr m[4];
	int s[2];

	memset(m, 0, sizeof(m));
	for (int i = 0; i < 4; i++) {
		m[i].msg_hdr.msg_iov = &v[i];
		m[i].msg_hdr.msg_iovlen = 1;
	}
	connected(s);
	must(sendmmsg(s[0], m, 4, 0) == 4 && sendmmsg(s[0], m, 2, 0) == 2 &&
		     sendmmsg(s[0], m + 2, 2, 0) == 2,
	     "sendmmsg");
	pair(SOCK_STREAM, s);
	must(sendmmsg(s[0], m, 3, 0) == 3 && sendmmsg(s[0], m + 3, 1, 0) == 1, "sendmmsg");
	pair(SOCK_DGRAM, s);
	must(sendmmsg(s[0], m, 4, 0) == 4, "sendmmsg");
}
static void nothing_between(void)
{
	char b[8];
	int p[2];

	must(!pipe2(p, O_NONBLOCK), "pipe2");
	put(p[1], tag, HALF);
	get(p[0], HALF);
	must(read(p[0], b, 8) == -1, "read of an empty pipe");
	must(write(p[1], b, 0) == 0, "write of nothing");
	put(p[1], tag + HALF, REST);
	get(p[0], REST);
}
static void large(void)
{
	enum { BIG = 9 << 20 };
	int fd = open("/dev/null", O_WRONLY);
	char *m = mmap(NULL, BIG, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	must(m != MAP_FAILED, "mmap");
	memcpy(m + BIG - HALF, tag, HALF);
	put(fd, m, BIG);
	put(fd, tag + HALF, REST);
	munmap(m, BIG);
}
static void again(void)
{
	char b[8000];
	int fd = temporary();

	memset(b, '.', sizeof(b));
	memcpy(b, tag, LEN);
	memcpy(b + sizeof(b) - HALF, tag, HALF);
	put(fd, b, sizeof(b));
	put(fd, tag + HALF, REST);
	put(fd, "x", 1);
	put(fd, "x", 1); /* and not once more */
}
static void both_ways(void)
{
	int fd = filled();

	lseek(fd, 100, SEEK_SET);
	put(fd, tag, HALF);
	get(fd, REST);
}
static void written_over(void)
{
	int fd = temporary();

	put(fd, tag, HALF);
	lseek(fd, 0, SEEK_SET);
	put(fd, "other", HALF);
	put(fd, tag + HALF, REST);
}
static void many(void)
{
	int p[200][2];

	for (int i = 0; i < 200; i++) {
		must(!pipe(p[i]), "pipe");
		put(p[i][1], tag, HALF);
	}
	for (int i = 0; i < 200; i++)
		put(p[i][1], tag + HALF, REST);
}

/* What tee copied is taken out, whole or in part; and once it is not, so that the next one begins
 * with it again. On one CPU, on which something went out of a pipe before: that is no part of
 * it. */
static void tees(void)
{
	int a[2], b[2], s[2];
	cpu_set_t here;

	must(!pipe(a) && !pipe(b), "pipe");
	pair(SOCK_STREAM, s);
	CPU_ZERO(&here);
	CPU_SET(sched_getcpu(), &here);
	must(!sched_setaffinity(0, sizeof(here), &here), "sched_setaffinity");
	put(a[1], "other data", 10);
	must(splice(a[0], NULL, s[0], NULL, 10, 0) == 10, "splice");
	put(a[1], tag, HALF);
	must(tee(a[0], b[1], HALF, 0) == HALF, "tee");
	get(a[0], HALF);
	put(a[1], tag + HALF, REST);
	must(tee(a[0], b[1], REST, 0) == REST, "tee");
	get(a[0], REST);
	put(a[1], tag, LEN);
	must(tee(a[0], b[1], HALF, 0) == HALF, "tee");
	get(a[0], HALF);
	must(tee(a[0], b[1], REST, 0) == REST, "tee");
	get(a[0], REST);
	put(a[1], tag + HALF, REST);
	put(a[1], tag, HALF); /* the wrong way round */
	for (int i = 0; i < 3; i++)
		must(tee(a[0], b[1], LEN, 0) == LEN, "tee");
	get(a[0], 1);
	must(tee(a[0], b[1], LEN, 0) == LEN - 1, "tee");
}

static const struct {
	const char *name;
	void (*go)(void);
	struct {
		const char *call;
		int n;
	} found[3];
} cases[] = {
	{"splits", every_split, {{"write", LEN - 1}}},
	{"reads", every_split_read, {{"read", LEN - 1}}},
	{"three", three, {{"write", 1}}},
	{"bytes", bytes, {{"write", 1}, {"read", 1}}},
	{"seek", seek_away, {{"write", 0}}},
	{"back", seek_back, {{"write", 1}}},
	{"dup", twice, {{"write", 1}}},
	{"fork", child, {{"write", 1}}},
	{"threads", threads, {{"pread64", 2}}},
	{"sockets", two_sockets, {{"sendto", 2}, {"recvfrom", 2}}},
	{"mixed", mixed_sockets, {{"sendto", 0}, {"recvfrom", 0}}},
	{"tcp", tcp, {{"sendto", 4}, {"recvfrom", 4}}},
	{"peek", peek, {{"sendto", 2}, {"recvfrom", 2}}},
	{"files", files, {{"write", 0}}},
	{"opens", opens, {{"pread64", 0}}},
	{"dgrams", datagrams, {{"sendto", 0}, {"recvfrom", 0}}},
	{"vectors", vectors, {{"preadv", 1}}},
	{"steps", steps, {{"sendfile", 1}}},
	{"append", append, {{"write", 1}}},
	{"messages", messages, {{"sendmmsg", 3}}},
	{"between", nothing_between, {{"write", 1}, {"read", 1}}},
	{"large", large, {{"write", 1}}},
	{"again", again, {{"write", 2}}},
	{"ways", both_ways, {{"write", 0}, {"read", 0}}},
	{"over", written_over, {{"write", 0}}},
	{"tee", tees, {{"tee", 2}, {"write", 2}, {"read", 2}}},
	{"many", many, {{"write", 200}}},
};

/* Two ends of a connection and how far each got; the receiver reads in other pieces, and the last
 * with the end of the connection. */
static void stream(void)
{
	static const size_t out[] = {10, 5000, 1, 100000, 7}, in[] = {1, 3000, 30000, 70000, 2016};
	static char b[100000];
	int s[2];

	connected(s);
	for (int turn = 0; turn < 2; turn++) {
		for (int i = 0; i < 5; i++)
			tx(s[turn], b, out[i]);
		if (turn)
			close(s[turn]);
		rx(s[!turn], 1, MSG_PEEK);
		for (int i = 0; i < 5; i++)
			must(recv(s[!turn], b, in[i], MSG_WAITALL) == (ssize_t)in[i], "recv");
		must(recv(s[!turn], b, 100, MSG_DONTWAIT) == (turn ? 1 : 1), "the last byte");
	}
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "stream")) {
		stream();
		return 0;
	}
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		memcpy(tag, "------------", LEN);
		memcpy(tag, cases[i].name, strlen(cases[i].name));
		if (argc > 1)
			for (int k = 0; k < 3 && cases[i].found[k].call; k++)
				printf("%s %s %d\n", tag, cases[i].found[k].call,
				       cases[i].found[k].n);
		else
			cases[i].go();
	}
	return 0;
}
