/* traffic.c - records of 64 bytes that begin with a tag, to and fro: between kernels over TCP, and
 * between this kernel and a guest over a byte stream, with the time at which each left and came
 * back.
 *
 *     traffic serve PORT                          gives each record back to whom it came from
 *     traffic talk ADDRESS PORT TAG COUNT GAP_MS  sends COUNT records there, each once the one
 *                                                 before has come back
 *     traffic echo PATH                           gives each record back that comes from a device
 *     traffic probe SOCKET TAG COUNT GAP_MS       like talk, over a Unix socket; prints when each
 *                                                 was sent and came back, ns since the epoch
 *
 * Where nobody listens yet, `talk` and `probe` try again for two minutes. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { RECORD = 64, TRIES = 1200, TRY_US = 100000 };

static int fail(const char *what)
{
	fprintf(stderr, "traffic: %s: %s\n", what, strerror(errno));
	return 1;
}

static int get(int fd, char *p)
{
	for (size_t n = 0; n < RECORD;) {
		ssize_t k = read(fd, p + n, RECORD - n);

		if (k <= 0)
			return 0;
		n += (size_t)k;
	}
	return 1;
}

static int put(int fd, const char *p)
{
	for (size_t n = 0; n < RECORD;) {
		ssize_t k = write(fd, p + n, RECORD - n);

		if (k <= 0)
			return 0;
		n += (size_t)k;
	}
	return 1;
}

static long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* Each record once the one before has come back. */
static int ask(int fd, const char *tag, long count, long gap_ms, int print)
{
	for (long i = 0; i < count; i++) {
		char out[RECORD + 1], in[RECORD];
		long long sent = now_ns();

		memset(out, '.', sizeof(out));
		out[snprintf(out, sizeof(out), "%s %ld ", tag, i)] = '.';
		if (!put(fd, out) || !get(fd, in) || memcmp(in, out, RECORD))
			return fail("what was sent did not come back");
		if (print)
			printf("%lld %lld\n", sent, now_ns());
		usleep((useconds_t)gap_ms * 1000);
	}
	return 0;
}

static int reach(int domain, const struct sockaddr *to, socklen_t n)
{
	for (int i = 0; i < TRIES; i++) {
		int fd = socket(domain, SOCK_STREAM, 0), one = 1;

		if (fd >= 0 && !connect(fd, to, n)) {
			setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
			return fd;
		}
		close(fd);
		usleep(TRY_US);
	}
	return -1;
}

static int talk(const char *address, const char *port, const char *tag, long count, long gap_ms)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};
	int fd;

	inet_pton(AF_INET, address, &to.sin_addr);
	fd = reach(AF_INET, (struct sockaddr *)&to, sizeof(to));
	return fd < 0 ? fail(address) : ask(fd, tag, count, gap_ms, 0);
}

static int probe(const char *path, const char *tag, long count, long gap_ms)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	int fd;

	snprintf(to.sun_path, sizeof(to.sun_path), "%s", path);
	fd = reach(AF_UNIX, (struct sockaddr *)&to, sizeof(to));
	return fd < 0 ? fail(path) : ask(fd, tag, count, gap_ms, 1);
}

static int serve(const char *port)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};
	int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;
	char record[RECORD];

	signal(SIGCHLD, SIG_IGN);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, (struct sockaddr *)&at, sizeof(at)) || listen(fd, 16))
		return fail("serve");
	for (;;) {
		int with = accept(fd, NULL, NULL);

		if (with < 0)
			return fail("accept");
		setsockopt(with, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
		if (!fork()) {
			while (get(with, record) && put(with, record))
				;
			_exit(0);
		}
		close(with);
	}
}

/* While nobody is at its other end, such a device says that it has ended. */
static int echo(const char *path)
{
	int fd = open(path, O_RDWR);
	char record[RECORD];

	if (fd < 0)
		return fail(path);
	for (;;)
		if (!get(fd, record) || !put(fd, record))
			usleep(TRY_US);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc == 3 && !strcmp(what, "serve"))
		return serve(argv[2]);
	if (argc == 3 && !strcmp(what, "echo"))
		return echo(argv[2]);
	if (argc == 7 && !strcmp(what, "talk"))
		return talk(argv[2], argv[3], argv[4], atol(argv[5]), atol(argv[6]));
	if (argc == 6 && !strcmp(what, "probe"))
		return probe(argv[2], argv[3], atol(argv[4]), atol(argv[5]));
	fputs("usage: traffic serve PORT | talk ADDRESS PORT TAG COUNT GAP_MS | echo PATH | probe "
	      "SOCKET TAG COUNT GAP_MS\n",
	      stderr);
	return 2;
}
