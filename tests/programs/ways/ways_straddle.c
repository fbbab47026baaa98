/* ways_straddle.c - cases of a tag over several calls, in which it must be found, or must not: each
 * with its own calls.
 *
 * j->c->tag[i] is tag i; A(i) and B(i) are its first and its second half. What is expected stands
 * in the table of ways. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include "ways.h"

#define HALF (j->c->len / 2)
#define REST (j->c->len - HALF)
#define A(i) j->c->tag[i]
#define B(i) (j->c->tag[i] + HALF)

/* A file of 8192 bytes of dots in which a peer has put pieces; opened. */
struct piece {
	size_t at;
	const unsigned char *p;
	size_t n;
};
static int file_of(struct job *j, const char *path, const struct piece *piece, unsigned n)
{
	static unsigned char bytes[8192];

	memset(bytes, '.', sizeof(bytes));
	for (unsigned i = 0; i < n; i++)
		memcpy(bytes + piece[i].at, piece[i].p, piece[i].n);
	return file_prepare(j, path, bytes, sizeof(bytes)) ? -1 : open(path, O_RDONLY);
}
static int get(int fd, size_t n)
{
	char b[8192];

	return read(fd, b, n) == (ssize_t)n ? 0 : -1;
}
static int get_at(int fd, size_t n, size_t at)
{
	char b[8192];

	return pread(fd, b, n, (off_t)at) == (ssize_t)n ? 0 : -1;
}

/* The halves lie far from each other, and come in consecutive calls. */
static int do_seek(struct job *j)
{
	int fd = file_of(j, j->path_in,
			 (struct piece[]){{100, A(0), HALF},
					  {5000, B(0), REST},
					  {1000, A(1), HALF},
					  {6000, B(1), REST}},
			 4);

	return fd < 0 || get(fd, 100 + HALF) || lseek(fd, 5000, SEEK_SET) != 5000 || get(fd, 500) ||
	       get_at(fd, HALF, 1000) || get_at(fd, REST, 6000) || close(fd);
}

static int do_dup(struct job *j)
{
	int fd = file_of(j, j->path_in, (struct piece[]){{100, A(0), j->c->len}}, 1),
	    other = dup(fd);

	return fd < 0 || get(fd, 100 + HALF) || get(other, 500) || close(fd) || close(other);
}

/* A child that keeps the name reads on. */
static int do_inherited(struct job *j)
{
	int fd = file_of(j, j->path_in, (struct piece[]){{100, A(0), j->c->len}}, 1), status;
	pid_t pid;

	if (fd < 0 || get(fd, 100 + HALF))
		return -1;
	if ((pid = fork()) == 0)
		_exit(get(fd, 500) ? 1 : 0);
	return waitpid(pid, &status, 0) != pid || status || close(fd);
}

/* What is opened after a close gets the place in memory of what was closed. So another file is read
 * at the place where the first one's reads ended. The same happens for a pipe, and for a file at
 * offset 0 after a pipe. */
static int do_reused(struct job *j)
{
	int fd = file_of(j, j->path_in, (struct piece[]){{100, A(0), HALF}}, 1), p[2];

	if (fd < 0 || file_prepare(j, j->path_out, j->data, 1) || get(fd, 100 + HALF) || close(fd))
		return -1;
	fd = file_of(j, j->path_out, (struct piece[]){{100 + HALF, B(0), REST}, {0, B(2), REST}},
		     2);
	if (fd < 0 || get_at(fd, 500, 100 + HALF) || close(fd))
		return -1;
	if (pipe(p) || write(p[1], A(1), HALF) != (ssize_t)HALF || get(p[0], HALF) || close(p[0]) ||
	    close(p[1]) || pipe(p) || write(p[1], B(1), REST) != (ssize_t)REST || get(p[0], REST) ||
	    write(p[1], A(2), HALF) != (ssize_t)HALF || get(p[0], HALF) || close(p[0]) ||
	    close(p[1]))
		return -1;
	return (fd = open(j->path_out, O_RDONLY)) < 0 || get(fd, REST) || close(fd);
}

/* Two threads read halves by turns through one descriptor: 0 by the first, 1 by the second; the
 * halves of 2 are far apart. */
static struct {
	struct job *j;
	int fd;
	pthread_barrier_t turn;
} th;
static void *second_thread(void *unused)
{
	struct job *j = th.j;
	int bad;

	pthread_barrier_wait(&th.turn);
	pthread_barrier_wait(&th.turn);
	bad = get_at(th.fd, 200 + HALF, 2000) || get_at(th.fd, 100, 4000);
	pthread_barrier_wait(&th.turn);
	pthread_barrier_wait(&th.turn);
	bad |= get_at(th.fd, 100, 2200 + HALF) || get_at(th.fd, REST, 7000);
	return bad ? th.j : unused;
}
static int do_threads(struct job *j)
{
	pthread_t t;
	void *bad = NULL;
	int err;

	th.j = j;
	th.fd = file_of(j, j->path_in,
			(struct piece[]){{100, A(0), j->c->len},
					 {2200, A(1), j->c->len},
					 {4100 - HALF, A(2), HALF},
					 {7000, B(2), REST}},
			4);
	pthread_barrier_init(&th.turn, NULL, 2);
	if (th.fd < 0 || pthread_create(&t, NULL, second_thread, NULL))
		return -1;
	pthread_barrier_wait(&th.turn);
	err = get_at(th.fd, 100 + HALF, 0);
	pthread_barrier_wait(&th.turn);
	pthread_barrier_wait(&th.turn);
	err |= get_at(th.fd, 500, 100 + HALF);
	pthread_barrier_wait(&th.turn);
	pthread_join(t, &bad);
	return err || bad || close(th.fd);
}

/* Another name drains what is sent, so that only the sends are seen. */
static int socks[4];
static int body_drain_two(struct job *j)
{
	char b[64];
	size_t n = j->c->len;

	return read_whole(socks[0], b, n) || read_whole(socks[2], b, n) ||
	       read_whole(socks[0], b, HALF) || read_whole(socks[2], b, REST);
}
static int put(int fd, const void *p, size_t n)
{
	return send(fd, p, n, 0) == (ssize_t)n ? 0 : -1;
}
static int do_two_sockets(struct job *j)
{
	pid_t pid;
	int bad;

	if (channel_open(j, TCP4, socks) || channel_open(j, TCP4, socks + 2))
		return -1;
	pid = peer_start(j, body_drain_two);
	bad = put(socks[1], A(0), HALF) || put(socks[3], A(1), HALF) || put(socks[1], B(0), REST) ||
	      put(socks[3], B(1), REST) || put(socks[1], A(2), HALF) || put(socks[3], B(2), REST);
	for (int i = 0; i < 4; i++)
		close(socks[i]);
	return bad | peer_join(pid);
}

/* Half sent, half received, on a socket; half written to a file, half read back where the write
 * ended. */
static int body_answer(struct job *j)
{
	char b[64];

	return read_whole(socks[0], b, HALF) || write_whole(socks[0], B(0), REST);
}
static int do_directions(struct job *j)
{
	int fd;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, socks))
		return -1;
	pid = peer_start(j, body_answer);
	if (write_whole(socks[1], A(0), HALF) || get(socks[1], REST) || peer_join(pid) ||
	    close(socks[0]) || close(socks[1]))
		return -1;
	fd = file_of(j, j->path_in, (struct piece[]){{HALF, B(1), REST}}, 1);
	close(fd);
	fd = open(j->path_in, O_RDWR);
	return fd < 0 || write_whole(fd, A(1), HALF) || get(fd, REST) || close(fd);
}

/* Calls that move nothing in between: a failed one, one of no bytes; and the end of a file. */
static sigset_t told;
static int body_feed_late(struct job *j)
{
	int sig;

	return write_whole(socks[1], A(0), HALF) || sigwait(&told, &sig) ||
	       write_whole(socks[1], B(0), REST);
}
static int do_between(struct job *j)
{
	char b[16];
	int fd, k;
	pid_t pid;

	if (pipe2(socks, O_NONBLOCK))
		return -1;
	sigemptyset(&told);
	sigaddset(&told, SIGUSR1);
	sigprocmask(SIG_BLOCK, &told, NULL);
	pid = peer_start(j, body_feed_late);
	while (read(socks[0], b, HALF) < 0)
		;
	if (read(socks[0], b, sizeof(b)) >= 0 || errno != EAGAIN || kill(pid, SIGUSR1))
		return -1;
	while ((k = (int)read(socks[0], b, REST)) < 0)
		usleep(1000);
	if (k != (int)REST || peer_join(pid) || close(socks[0]) || close(socks[1]))
		return -1;
	fd = file_of(j, j->path_in, (struct piece[]){{100, A(1), j->c->len}}, 1);
	return fd < 0 || get(fd, 100 + HALF) || read(fd, b, 0) || get(fd, 500) || close(fd);
}

/* A look at the first half takes nothing away: the stream goes on where the last real read
 * ended. */
static int body_feed_peek(struct job *j)
{
	return write_whole(socks[1], A(0), j->c->len);
}
static int do_peek(struct job *j)
{
	char b[64];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, socks))
		return -1;
	pid = peer_start(j, body_feed_peek);
	if (peer_join(pid) || recv(socks[0], b, HALF, MSG_PEEK) != (ssize_t)HALF ||
	    recv(socks[0], b, HALF, 0) != (ssize_t)HALF ||
	    recv(socks[0], b, REST, 0) != (ssize_t)REST || close(socks[0]) || close(socks[1]))
		return -1;
	return 0;
}

static int do_append(struct job *j)
{
	int fd = open(j->path_in, O_CREAT | O_TRUNC | O_WRONLY | O_APPEND, 0600);

	return fd < 0 || write_whole(fd, A(0), HALF) || write_whole(fd, B(0), REST) || close(fd);
}

static int body_two_datagrams(struct job *j)
{
	char b[64];

	return read(socks[0], b, sizeof(b)) != (ssize_t)HALF ||
	       read(socks[0], b, sizeof(b)) != (ssize_t)REST;
}
static int do_datagrams(struct job *j)
{
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, socks))
		return -1;
	pid = peer_start(j, body_two_datagrams);
	if (put(socks[1], A(0), HALF) || put(socks[1], B(0), REST))
		return -1;
	close(socks[0]);
	close(socks[1]);
	return peer_join(pid);
}

RUN(run_case)
{
	static int (*const cases[])(struct job * j) = {
		do_seek,       do_dup,     do_inherited, do_reused, do_threads,  do_two_sockets,
		do_directions, do_between, do_peek,      do_append, do_datagrams};
	int bad = cases[j->w->aux](j);

	unlink(j->path_in);
	unlink(j->path_out);
	return bad ? -1 : 0;
}
