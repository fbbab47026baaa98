/* ends.c - the two ends of connections, with calls of known sizes. The sizes alone say which end
 * reads and which writes.
 *
 *   ends recv PROTO ADDRESS PORT COUNT READY     listens; READY is a file that is made when it does
 *   ends send PROTO ADDRESS PORT COUNT READY [FROM]   waits for that file, connects; FROM: the
 *                                                     first one's own port
 *
 * PROTO: tcp, tcp6 (a socket of IPv6 that takes IPv4 as well), udp, unix (ADDRESS is a path). COUNT
 * connections at once carry the same 2500 bytes, in turn. They are sent as 1000, 700 and 800. The
 * tag lies at 500, across the end of the second send (from 1697 on), and at 1852. They are taken as
 * 400, 350, 450, 655 and 645, so that the last tag lies across two receives. PROTO early: a Unix
 * socket that is accepted when all was sent and closed. udp sends each datagram alone: 1000, 700,
 * 800 with the tag at 20, and the last one to a port where nobody is. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { MAX = 64, ALL = 2500, SENDS = 3, RECEIVES = 5 };
static const int sent[SENDS] = {1000, 700, 800}, received[RECEIVES] = {400, 350, 450, 655, 645},
		 tags[] = {500, 1697, 1852};

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/* The tag is put together here, so that it is in no program's arguments and in no file. */
static void put_tag(char *to)
{
	memcpy(to, "fix", 3);
	memcpy(to + 3, "283", 3);
}

static int address(const char *proto, const char *text, int port, struct sockaddr_storage *to)
{
	struct sockaddr_in *in;

	memset(to, 0, sizeof(*to));
	if (!strcmp(proto, "unix") || !strcmp(proto, "early")) {
		struct sockaddr_un *un = (void *)to;

		un->sun_family = AF_UNIX;
		snprintf(un->sun_path, sizeof(un->sun_path), "%s", text);
		return sizeof(*un);
	}
	if (!strcmp(proto, "tcp6")) {
		struct sockaddr_in6 *in6 = (void *)to;

		in6->sin6_family = AF_INET6;
		in6->sin6_port = htons(port);
		return sizeof(*in6);
	}
	in = (void *)to;

	in->sin_family = AF_INET;
	in->sin_port = htons(port);
	inet_pton(AF_INET, text, &in->sin_addr);
	return sizeof(*in);
}

static void make(const char *file)
{
	close(open(file, O_CREAT | O_WRONLY, 0600));
}

static void await(const char *file)
{
	while (access(file, F_OK)) /* until alarm() ends it */
		usleep(10000);
}

static const char *sent_file(const char *ready)
{
	static char name[4096];

	snprintf(name, sizeof(name), "%s.sent", ready);
	return name;
}

static void receive(const char *proto, const char *at, int port, int count, const char *ready)
{
	int c[MAX], one = 1, is_udp = !strcmp(proto, "udp");
	struct sockaddr_storage a;
	int len = address(proto, at, port, &a),
	    s = socket(a.ss_family, is_udp ? SOCK_DGRAM : SOCK_STREAM, 0);
	char buf[ALL];

	setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(s, (struct sockaddr *)&a, len) || (!is_udp && listen(s, MAX)))
		die("bind");
	make(ready);
	if (is_udp) {
		for (int i = 0; i < count * (SENDS - 1); i++) {
			struct sockaddr_storage from;
			socklen_t n = sizeof(from);

			if (recvfrom(s, buf, sizeof(buf), 0, (struct sockaddr *)&from, &n) < 0)
				die("recvfrom");
		}
		return;
	}
	if (!strcmp(proto, "early"))
		await(sent_file(ready));
	for (int i = 0; i < count; i++)
		if ((c[i] = accept(s, NULL, NULL)) < 0)
			die("accept");
	for (int k = 0; k < RECEIVES; k++)
		for (int i = 0; i < count; i++)
			if (recv(c[i], buf, received[k], MSG_WAITALL) != received[k])
				die("recv");
}

static int opened(const char *proto, const char *to, int port, int from)
{
	struct sockaddr_storage a, own;
	int len = address(strcmp(proto, "tcp6") ? proto : "tcp", to, port, &a), one = 1;
	int s = socket(a.ss_family, strcmp(proto, "udp") ? SOCK_STREAM : SOCK_DGRAM, 0);

	setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (from && (address("tcp", "0.0.0.0", from, &own),
		     bind(s, (struct sockaddr *)&own, sizeof(struct sockaddr_in))))
		die("bind");
	if (connect(s, (struct sockaddr *)&a, len))
		die("connect");
	return s;
}

static void transmit(const char *proto, const char *to, int port, int count, int from)
{
	int c[MAX], is_udp = !strcmp(proto, "udp");
	char data[ALL];

	for (int i = 0; i < count; i++)
		c[i] = opened(proto, to, port, from ? from + i : 0);
	for (int k = 0, at = 0; k < SENDS; at += sent[k++]) {
		memset(data, '.', sizeof(data));
		for (int t = 0; t < 3 && !is_udp; t++)
			put_tag(data + tags[t]);
		if (is_udp)
			put_tag(data + at + 20);
		if (is_udp && k == SENDS - 1)
			for (int i = 0; i < count; i++) {
				close(c[i]);
				c[i] = opened(proto, to, port + 1, 0);
			}
		for (int i = 0; i < count; i++)
			if (send(c[i], data + at, sent[k], 0) != sent[k])
				die("send");
	}
	for (int i = 0; i < count; i++)
		close(c[i]);
}

int main(int argc, char **argv)
{
	if (argc < 7 || atoi(argv[5]) > MAX) {
		fprintf(stderr, "usage: ends recv|send PROTO ADDRESS PORT COUNT READY [FROM]\n");
		return 2;
	}
	alarm(300);
	if (!strcmp(argv[1], "recv")) {
		receive(argv[2], argv[3], atoi(argv[4]), atoi(argv[5]), argv[6]);
		return 0;
	}
	await(argv[6]);
	transmit(argv[2], argv[3], atoi(argv[4]), atoi(argv[5]), argc > 7 ? atoi(argv[7]) : 0);
	make(sent_file(argv[6]));
	return 0;
}
