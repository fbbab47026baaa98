/* peeks.c - payload on ways that are no calls with a buffer: what a TCP connection maps, what a
 * ring shows, what ptrace and /proc/PID/mem move.
 *
 *     peeks zerocopy SIZE AT TAG [COPY]  a child sends SIZE bytes with the tag at AT (its own loads
 *                                        and stores are no events); received through
 *                                        getsockopt(TCP_ZEROCOPY_RECEIVE), the rest by recv; COPY:
 *                                        room for bytes that are copied. Prints how many bytes were
 *                                        mapped, copied and read, and the sum of their bytes as
 *                                        against that sent
 *     peeks options N                    N ordinary getsockopts
 *     peeks ring N [rx|tx]               N sockets with a ring each, in its own network namespace;
 *                                        N datagrams through each
 *     peeks use-ring READY GO            makes a ring, writes READY, waits for GO to exist, and
 *                                        looks at what the ring has meanwhile
 *     peeks ptrace N KIND                N children, each traced: KIND peek, poke (memory),
 *                                        registers, none
 *     peeks memory read|write TAG        a child's memory with the tag, through /proc/PID/mem: in
 *                                        two calls, the tag across them */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/tcp.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, MOST = 1 << 20, BLOCKS = 4, BLOCK_BYTES = 1 << 16, FRAME_BYTES = 2048 };

static int fail(const char *what)
{
	fprintf(stderr, "peeks: %s: %s\n", what, strerror(errno));
	return 1;
}

static void *memory(size_t n)
{
	void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static unsigned long sum_of(const unsigned char *p, size_t n, unsigned long sum)
{
	for (size_t i = 0; i < n; i++)
		sum = sum * 31 + p[i];
	return sum;
}

/* ---- TCP ---- */

/* Segments of whole pages, which can be mapped: 12 bytes of them are the option with timestamps. */
static int connected(int s[2])
{
	int mss = PAGE + 12;
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t n = sizeof(a);
	int l = socket(AF_INET, SOCK_STREAM, 0);

	s[1] = socket(AF_INET, SOCK_STREAM, 0);
	if (l < 0 || s[1] < 0 || setsockopt(l, IPPROTO_TCP, TCP_MAXSEG, &mss, sizeof(mss)) ||
	    setsockopt(s[1], IPPROTO_TCP, TCP_MAXSEG, &mss, sizeof(mss)) ||
	    bind(l, (void *)&a, n) || listen(l, 1) || getsockname(l, (void *)&a, &n) ||
	    connect(s[1], (void *)&a, n))
		return -1;
	s[0] = accept(l, NULL, NULL);
	close(l);
	return s[0];
}

/* Through a pipe: its pages go into the segments as they are. */
static int send_all(int s, const unsigned char *p, size_t n)
{
	int through[2];

	prctl(PR_SET_NAME, "sender");
	if (pipe(through))
		return 1;
	while (n) {
		ssize_t k = write(through[1], p, n < 16 * PAGE ? n : 16 * PAGE);

		if (k <= 0)
			return 1;
		p += k;
		n -= (size_t)k;
		for (ssize_t sent; k; k -= sent)
			if ((sent = splice(through[0], NULL, s, NULL, (size_t)k,
					   n ? SPLICE_F_MORE : 0)) <= 0)
				return 1;
	}
	return 0;
}

struct received {
	size_t mapped, copied, read;
	unsigned long sum;
};

/* What is there is mapped, then copied; what can be neither is read. 0: the end; -1. */
static ssize_t receive_some(int s, unsigned char *at, size_t room, unsigned char *copy,
			    size_t copy_bytes, struct received *r)
{
	struct tcp_zerocopy_receive z = {.address = (uintptr_t)at,
					 .length = (uint32_t)room,
					 .copybuf_address = (uintptr_t)copy,
					 .copybuf_len = (int32_t)copy_bytes};
	static unsigned char rest[MOST];
	socklen_t n = sizeof(z);
	ssize_t k;

	if (getsockopt(s, IPPROTO_TCP, TCP_ZEROCOPY_RECEIVE, &z, &n)) {
		if (errno != EIO) /* there is nothing more */
			return -1;
		z = (struct tcp_zerocopy_receive){0};
	}
	r->sum = sum_of(at, z.length, r->sum);
	r->mapped += z.length;
	if (z.copybuf_len > 0) {
		r->sum = sum_of(copy, (size_t)z.copybuf_len, r->sum);
		r->copied += (size_t)z.copybuf_len;
	}
	if (z.length || z.copybuf_len > 0)
		return 1;
	k = recv(s, rest, z.recv_skip_hint ? z.recv_skip_hint : 1, 0);
	if (k > 0) {
		r->sum = sum_of(rest, (size_t)k, r->sum);
		r->read += (size_t)k;
	}
	return k;
}

static int zerocopy(size_t size, size_t place, const char *tag, size_t copy_bytes)
{
	unsigned char *data = memory(MOST), *copy = memory(MOST), *at;
	struct received r = {0};
	unsigned long want;
	int s[2], status;

	if (!data || !copy || size > MOST || place + strlen(tag) > size || connected(s) < 0)
		return fail("a connection");
	memset(data, '.', size);
	memcpy(data + place, tag, strlen(tag));
	want = sum_of(data, size, 0);
	if (!fork())
		_exit(close(s[0]) || send_all(s[1], data, size));
	close(s[1]);
	wait(&status);
	at = mmap(NULL, MOST, PROT_READ, MAP_SHARED, s[0], 0);
	if (at == MAP_FAILED)
		return fail("mmap of a connection");
	for (ssize_t k = 1; k > 0;)
		if ((k = receive_some(s[0], at, MOST, copy, copy_bytes, &r)) < 0)
			return fail("TCP_ZEROCOPY_RECEIVE");
	printf("mapped %zu copied %zu read %zu %s\n", r.mapped, r.copied, r.read,
	       r.sum == want && !status ? "same" : "different");
	return r.sum != want;
}

static int options(int n)
{
	int s = socket(AF_INET, SOCK_STREAM, 0), v, bad = 0;

	for (int i = 0; i < n; i++)
		bad |= getsockopt(s, SOL_SOCKET, SO_ERROR, &v, &(socklen_t){sizeof(v)});
	return bad;
}

/* ---- rings ---- */

/* Its own network namespace, so that nobody else's packets are in the rings; with its loopback
 * up. */
static int lonely(void)
{
	struct ifreq r = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
	int s;

	if (unshare(CLONE_NEWNET))
		return -1;
	s = socket(AF_INET, SOCK_DGRAM, 0);
	return ioctl(s, SIOCSIFFLAGS, &r) || close(s);
}

static int ring_of(int option)
{
	struct tpacket_req q = {BLOCK_BYTES, BLOCKS, FRAME_BYTES,
				BLOCKS * BLOCK_BYTES / FRAME_BYTES};
	int s = socket(AF_PACKET, SOCK_RAW, htons(ETH_P_IP)), v = TPACKET_V2;

	if (s < 0 || setsockopt(s, SOL_PACKET, PACKET_VERSION, &v, sizeof(v)) ||
	    setsockopt(s, SOL_PACKET, option, &q, sizeof(q)) ||
	    setsockopt(s, SOL_PACKET, option, &q, 0) != -1)
		return -1;
	return s;
}

static unsigned char *look_at(int s)
{
	unsigned char *p =
		mmap(NULL, BLOCKS * BLOCK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, s, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* How many frames there are that the kernel has given to the program. */
static int frames(unsigned char *ring)
{
	int n = 0;

	for (int i = 0; i < BLOCKS * BLOCK_BYTES / FRAME_BYTES; i++)
		n += ((struct tpacket2_hdr *)(ring + i * FRAME_BYTES))->tp_status & TP_STATUS_USER;
	return n;
}

static int say(const char *text)
{
	struct sockaddr_in to = {.sin_family = AF_INET,
				 .sin_port = htons(9),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int s = socket(AF_INET, SOCK_DGRAM, 0);

	return sendto(s, text, strlen(text), 0, (void *)&to, sizeof(to)) < 0 || close(s);
}

static int rings(int n, int option)
{
	struct tpacket_req none = {0};
	int seen = 0;

	if (lonely())
		return errno == EPERM ? 77 : fail("a network namespace");
	for (int i = 0; i < n; i++) {
		int s = ring_of(option);
		unsigned char *ring = s < 0 ? NULL : look_at(s);

		if (!ring || say("through a ring"))
			return fail("a ring");
		seen += frames(ring);
		munmap(ring, BLOCKS * BLOCK_BYTES);
		/* given back: no second ring */
		setsockopt(s, SOL_PACKET, option, &none, sizeof(none));
		close(s);
	}
	printf("%d frames\n", seen);
	return 0;
}

static int use_ring(const char *ready, const char *go)
{
	int s = lonely() ? -1 : ring_of(PACKET_RX_RING), tries = 1200;
	unsigned char *ring = s < 0 ? NULL : look_at(s);

	if (!ring)
		return fail("a ring");
	close(open(ready, O_CREAT | O_WRONLY, 0600));
	while (access(go, F_OK) && tries--)
		usleep(50000);
	if (say("through a ring"))
		return fail("a datagram");
	printf("%d frames\n", frames(ring));
	return 0;
}

/* ---- memory of others ---- */

static unsigned char theirs[2 * PAGE];

static pid_t child(bool traced)
{
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_NAME, "tracee");
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (traced)
			ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		pause();
		_exit(0);
	}
	waitpid(pid, NULL, WUNTRACED);
	return pid;
}

static int trace(int n, const char *kind)
{
	struct user_regs_struct regs;
	int bad = 0;

	memset(theirs, 'x', sizeof(theirs));
	for (int i = 0; i < n; i++) {
		pid_t pid = child(true);

		for (int k = 0; k < 64 && !strcmp(kind, "peek"); k += 8)
			bad |= ptrace(PTRACE_PEEKDATA, pid, theirs + k, NULL) != 0x7878787878787878;
		for (int k = 0; k < 64 && !strcmp(kind, "poke"); k += 8)
			bad |= ptrace(PTRACE_POKEDATA, pid, theirs + k, 0x7979797979797979) != 0;
		if (!strcmp(kind, "registers"))
			bad |= ptrace(PTRACE_GETREGS, pid, NULL, &regs) != 0;
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	return bad;
}

static int by_file(bool in, const char *tag)
{
	size_t n = strlen(tag), half = n / 2;
	unsigned char mine[64];
	char path[64];
	pid_t pid;
	int fd, bad;

	memcpy(in ? theirs + 100 : mine, tag, n);
	pid = child(false);
	memset(theirs, 0, sizeof(theirs));
	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	fd = open(path, O_RDWR);
	if (fd < 0)
		return fail(path);
	prctl(PR_SET_NAME, "peeks");
	if (in)
		bad = pread(fd, mine, half, (off_t)(uintptr_t)theirs + 100) != (ssize_t)half ||
		      pread(fd, mine + half, n - half, (off_t)((uintptr_t)theirs + 100 + half)) !=
			      (ssize_t)(n - half) ||
		      memcmp(mine, tag, n);
	else
		bad = pwrite(fd, mine, half, (off_t)(uintptr_t)theirs) != (ssize_t)half ||
		      pwrite(fd, mine + half, n - half, (off_t)((uintptr_t)theirs + half)) !=
			      (ssize_t)(n - half);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return bad;
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";

	if (!strcmp(what, "zerocopy") && argc > 4)
		return zerocopy(strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10), argv[4],
				argc > 5 ? strtoul(argv[5], NULL, 10) : 0);
	if (!strcmp(what, "options"))
		return options(atoi(argv[2]));
	if (!strcmp(what, "ring"))
		return rings(atoi(argv[2]),
			     argc > 3 && !strcmp(argv[3], "tx") ? PACKET_TX_RING : PACKET_RX_RING);
	if (!strcmp(what, "use-ring") && argc > 3)
		return use_ring(argv[2], argv[3]);
	if (!strcmp(what, "ptrace") && argc > 3)
		return trace(atoi(argv[2]), argv[3]);
	if (!strcmp(what, "memory") && argc > 3)
		return by_file(!strcmp(argv[2], "read"), argv[3]);
	fprintf(stderr, "usage: peeks zerocopy|options|ring|use-ring|ptrace|memory ...\n");
	return 2;
}
