/* context.c - moves the tag fix283 through descriptors of many kinds. Standard output has a line
 * for the ends of each, so that a test can hold an answer against them. All descriptors are open
 * before the first line "ready"; then it waits for a line on standard input.
 *
 *   tcp CLIENT SERVER         the client's end, the server's end: "127.0.0.1:PORT"
 *   mapped CLIENT SERVER      an IPv4 client of an IPv6 socket: both ends are IPv4 in what is seen
 *   tcp6 CLIENT SERVER
 *   udp SENDER RECEIVER
 *   unix INODE INODE          of both sockets
 *   pipe INODE
 *   pids PARENT CHILD         the parent copies its child's memory */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static char text[] = "the tag fix283 is here";
static char buf[64];
enum { N = sizeof(text) };

static void check(int ok, const char *what)
{
	if (!ok) {
		perror(what);
		exit(1);
	}
}

static int end(int family, int type, int v6only)
{
	struct sockaddr_in6 a6 = {.sin6_family = AF_INET6};
	struct sockaddr_in a4 = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(family, type, 0);

	check(fd >= 0, "socket");
	if (family == AF_INET6) {
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &v6only, sizeof(v6only));
		if (v6only)
			a6.sin6_addr = in6addr_loopback;
		check(!bind(fd, (void *)&a6, sizeof(a6)), "bind");
	} else {
		check(!bind(fd, (void *)&a4, sizeof(a4)), "bind");
	}
	return fd;
}

static unsigned port(int fd)
{
	struct sockaddr_in6 a;
	socklen_t n = sizeof(a);

	check(!getsockname(fd, (void *)&a, &n), "getsockname");
	return ntohs(a.sin6_port); /* at the same place in both families */
}

static void to(int fd, int family, unsigned to_port)
{
	struct sockaddr_in6 a6 = {.sin6_family = AF_INET6,
				  .sin6_addr = in6addr_loopback,
				  .sin6_port = htons((uint16_t)to_port)};
	struct sockaddr_in a4 = {.sin_family = AF_INET,
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
				 .sin_port = htons((uint16_t)to_port)};

	check(!connect(fd, family == AF_INET6 ? (void *)&a6 : (void *)&a4,
		       family == AF_INET6 ? sizeof(a6) : sizeof(a4)),
	      "connect");
}

static void stream(const char *name, int client, int server, int v6only, const char *host,
		   int fd[2])
{
	int listener = end(server, SOCK_STREAM, v6only);

	check(!listen(listener, 1), "listen");
	fd[0] = end(client, SOCK_STREAM, 1);
	to(fd[0], client, port(listener));
	fd[1] = accept(listener, NULL, NULL);
	check(fd[1] >= 0, "accept");
	close(listener);
	printf("%s %s:%u %s:%u\n", name, host, port(fd[0]), host, port(fd[1]));
}

static unsigned long ino(int fd)
{
	struct stat st;

	check(!fstat(fd, &st), "fstat");
	return (unsigned long)st.st_ino;
}

int main(void)
{
	int tcp[2], mapped[2], tcp6[2], udp[2], un[2], pipes[2], go[2];
	struct iovec mine = {buf, N}, its = {text, N};
	int *const each[] = {tcp, mapped, tcp6, udp, un};
	pid_t child;

	stream("tcp", AF_INET, AF_INET, 0, "127.0.0.1", tcp);
	stream("mapped", AF_INET, AF_INET6, 0, "127.0.0.1", mapped);
	stream("tcp6", AF_INET6, AF_INET6, 1, "[::1]", tcp6);
	udp[0] = end(AF_INET, SOCK_DGRAM, 0);
	udp[1] = end(AF_INET, SOCK_DGRAM, 0);
	to(udp[0], AF_INET, port(udp[1]));
	to(udp[1], AF_INET, port(udp[0]));
	printf("udp 127.0.0.1:%u 127.0.0.1:%u\n", port(udp[0]), port(udp[1]));
	check(!socketpair(AF_UNIX, SOCK_STREAM, 0, un), "socketpair");
	printf("unix %lu %lu\n", ino(un[0]), ino(un[1]));
	check(!pipe(pipes) && !pipe(go), "pipe");
	printf("pipe %lu\n", ino(pipes[0]));
	fflush(stdout);
	child = fork();
	check(child >= 0, "fork");
	if (!child) {
		close(go[1]);
		_exit(read(go[0], buf, 1) != 0);
	}
	printf("pids %d %d\nready\n", getpid(), child);
	fflush(stdout);
	check(read(0, buf, 1) == 1, "standard input");

	for (int i = 0; i < 5; i++) {
		check(write(each[i][0], text, N) == N, "write");
		check(read(each[i][1], buf, N) == N, "read");
	}
	check(write(pipes[1], text, N) == N && read(pipes[0], buf, N) == N, "pipe");
	check(process_vm_readv(child, &mine, 1, &its, 1, 0) == N, "process_vm_readv");
	close(go[1]);
	waitpid(child, NULL, 0);
	return 0;
}
