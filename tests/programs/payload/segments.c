/* segments.c - moves payload in many small pieces, or such that a search for tags finds candidates
 * everywhere.
 *
 *     segments iovecs N AT        writev of N iovecs of 8 bytes, "fix283" (of 6) from byte AT on;
 *                                 the same by readv
 *     segments messages N AT      sendmmsg and recvmmsg of N messages of 16 bytes, "fix283" in
 *                                 message AT
 *     segments adverse N          a write of N bytes `a` to /dev/null
 *     segments writes N TIMES     TIMES writes of N bytes of noise, "fix283" first in each, to
 *                                 /dev/null */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { MOST = 1024, PIECE = 8, MESSAGE = 16 };

static int fail(const char *what)
{
	perror(what);
	return 1;
}

static int iovecs(int n, int at)
{
	static char data[MOST * PIECE], back[MOST * PIECE];
	struct iovec v[MOST], w[MOST];
	char path[] = "/tmp/segments.XXXXXX";
	int fd = mkstemp(path);

	unlink(path);
	memset(data, '.', sizeof(data));
	memcpy(data + at, "fix283", 6);
	for (int i = 0; i < n; i++) {
		v[i] = (struct iovec){data + i * PIECE, PIECE};
		/* they need not be in order */
		w[i] = (struct iovec){back + (n - 1 - i) * PIECE, PIECE};
	}
	if (writev(fd, v, n) != n * PIECE || lseek(fd, 0, SEEK_SET) || readv(fd, w, n) != n * PIECE)
		return fail("iovecs");
	return 0;
}

static int messages(int n, int at)
{
	static char data[MOST][MESSAGE], back[MOST][MESSAGE];
	static struct mmsghdr m[MOST], r[MOST];
	static struct iovec v[MOST], w[MOST];
	int p[2], big = 16 << 20, done = 0;

	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, p))
		return fail("socketpair");
	setsockopt(p[0], SOL_SOCKET, SO_SNDBUFFORCE, &big, sizeof(big));
	for (int i = 0; i < n; i++) {
		memset(data[i], '.', MESSAGE);
		if (i == at)
			memcpy(data[i] + 5, "fix283", 6);
		v[i] = (struct iovec){data[i], MESSAGE};
		w[i] = (struct iovec){back[i], MESSAGE};
		m[i].msg_hdr = (struct msghdr){.msg_iov = &v[i], .msg_iovlen = 1};
		r[i].msg_hdr = (struct msghdr){.msg_iov = &w[i], .msg_iovlen = 1};
	}
	if (!fork()) { /* a datagram socket's queue is short */
		while (done < n) {
			int got = recvmmsg(p[1], r, n - done, MSG_WAITFORONE, NULL);

			if (got <= 0)
				_exit(1);
			done += got;
		}
		_exit(0);
	}
	if (sendmmsg(p[0], m, n, 0) != n)
		return fail("sendmmsg");
	return 0;
}

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[2]) : 0, x = argc > 3 ? atoi(argv[3]) : 0,
	    null = open("/dev/null", O_WRONLY);
	char *data;

	if (argc < 3)
		return 2;
	if (!strcmp(argv[1], "iovecs"))
		return iovecs(n, x);
	if (!strcmp(argv[1], "messages"))
		return messages(n, x);
	data = malloc(n);
	memset(data, 'a', n);
	if (!strcmp(argv[1], "adverse"))
		return write(null, data, n) == n ? 0 : 1;
	for (int i = 0; i < n; i++)
		data[i] = (char)(i * 7 ^ i >> 8);
	memcpy(data, "fix283", 6);
	for (int i = 0; i < x; i++)
		if (write(null, data, n) != n)
			return 1;
	return 0;
}
