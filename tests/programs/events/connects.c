/* connects.c - connections over loopback to itself, with different ends. 17 are closed by both
 * ends, 8 are refused, and the process of one ends without closing it. Two go on in the background:
 * one succeeds a second later, one is given up. The last two need a listener whose queue is full;
 * what fills it is the 20th that succeeds at last. An accept that has nobody to take. Prints what
 * it did. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static int fail(const char *what)
{
	perror(what);
	exit(1);
}

/* Bound to a port of loopback; backlog < 0: does not listen. */
static int bound(struct sockaddr_in *at, int backlog)
{
	int s = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t len = sizeof(*at);

	*at = (struct sockaddr_in){.sin_family = AF_INET,
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	if (s < 0 || bind(s, (struct sockaddr *)at, len) ||
	    getsockname(s, (struct sockaddr *)at, &len) || (backlog >= 0 && listen(s, backlog)))
		fail("bind");
	return s;
}

/* error: what connect is to say. */
static int connected(const struct sockaddr_in *at, int flags, int error)
{
	int s = socket(AF_INET, SOCK_STREAM | flags, 0),
	    got = connect(s, (const struct sockaddr *)at, sizeof(*at)) ? errno : 0;

	if (got != error) {
		errno = got;
		fail("connect");
	}
	return s;
}

static int accepted(int listener)
{
	int s = accept(listener, NULL, NULL);

	return s < 0 ? fail("accept") : s;
}

/* A connection with that port is not over: it is neither listening nor waits for its last packets
 * to die out. */
static int in_use(const struct sockaddr_in *at)
{
	unsigned local, peer, state, port = ntohs(at->sin_port);
	char line[256];
	int n = 0;
	FILE *f = fopen("/proc/self/net/tcp", "r");

	while (f && fgets(line, sizeof(line), f))
		n += sscanf(line, "%*d: %*x:%x %*x:%x %x", &local, &peer, &state) == 3 &&
		     (local == port || peer == port) && state != TCP_LISTEN &&
		     state != TCP_TIME_WAIT;
	if (f)
		fclose(f);
	return n;
}

int main(void)
{
	struct sockaddr_in open, closed, full;
	int listener = bound(&open, 64), one, other, late;
	struct pollfd poller;
	char byte;

	bound(&closed, -1);
	for (int i = 0; i < 17; i++) {
		one = connected(&open, 0, 0);
		other = accepted(listener);
		close(one);
		close(other);
	}
	for (int i = 0; i < 8; i++)
		close(connected(&closed, 0, ECONNREFUSED));
	if (!fork()) {
		connected(&open, 0, 0);
		_exit(0);
	}
	other = accepted(listener);
	wait(NULL);
	if (read(other, &byte, 1)) /* it has gone */
		fail("read");
	close(other);
	fcntl(listener, F_SETFL, O_NONBLOCK);
	if (accept(listener, NULL, NULL) >= 0 || errno != EAGAIN)
		fail("accept of nobody");
	close(-1);
	listener = bound(&full, 0);
	one = connected(&full, 0, 0);
	poller = (struct pollfd){.fd = listener, .events = POLLIN};
	if (poll(&poller, 1, 100000) != 1) /* it is in the queue */
		fail("poll");
	close(connected(&full, SOCK_NONBLOCK, EINPROGRESS));
	late = connected(&full, SOCK_NONBLOCK, EINPROGRESS);
	other = accepted(listener);
	close(one);
	close(other);
	poller = (struct pollfd){.fd = late, .events = POLLOUT};
	if (poll(&poller, 1, 100000) != 1 || poller.revents != POLLOUT)
		fail("poll");
	other = accepted(listener);
	close(late);
	close(other);
	for (int i = 0; i < 6000 && (in_use(&open) || in_use(&full)); i++)
		usleep(10000);
	usleep(100000); /* what the kernel still has to do about it */
	puts("20 opened, each closed by who accepted it");
	return 0;
}
