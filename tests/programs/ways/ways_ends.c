/* ways_ends.c - peers, files and channels: everything of a way that is not the way itself. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include "ways.h"

pid_t peer_start(struct job *j, int (*body)(struct job *j))
{
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_NAME, "prepare");
		alarm(100);
		_exit(body(j) ? 1 : 0);
	}
	return pid;
}

int peer_join(pid_t pid)
{
	int status;

	if (pid <= 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	if (status)
		errno = EPROTO;
	return status ? -1 : 0;
}

int write_whole(int fd, const void *p, size_t n)
{
	for (size_t done = 0; done < n;) {
		ssize_t k = write(fd, (const char *)p + done, n - done);

		if (k <= 0)
			return -1;
		done += (size_t)k;
	}
	return 0;
}

int read_whole(int fd, void *p, size_t n)
{
	for (size_t done = 0; done < n;) {
		ssize_t k = read(fd, (char *)p + done, n - done);

		if (k <= 0)
			return -1;
		done += (size_t)k;
	}
	return 0;
}

struct file_job {
	const char *path;
	const void *data;
	size_t n;
};
static struct file_job file; /* of the peer: it has a copy */

static int body_prepare(struct job *j)
{
	int fd = open(file.path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
	int bad = fd < 0 || write_whole(fd, file.data, file.n);

	if (!bad && j->w->flags & ALIGNED)
		bad = fsync(fd);
	return bad;
}

static int body_compare(struct job *j)
{
	int fd = open(file.path, O_RDONLY);

	memset(j->buf, 0, file.n);
	return fd < 0 || read_whole(fd, j->buf, file.n) || memcmp(j->buf, file.data, file.n);
}

int file_prepare(struct job *j, const char *path, const void *data, size_t n)
{
	file = (struct file_job){path, data, n};
	return peer_join(peer_start(j, body_prepare));
}

int file_compare(struct job *j, const char *path, const void *data, size_t n)
{
	file = (struct file_job){path, data, n};
	if (peer_join(peer_start(j, body_compare)) == 0)
		return 0;
	j->why = "what arrived is not what was sent";
	return -1;
}

bool is_dgram(enum end e)
{
	return e == UDP4 || e == UDP6 || e == UNIX_DGRAM;
}

static int bound(int s, int family, struct sockaddr_storage *ss, socklen_t *len)
{
	memset(ss, 0, sizeof(*ss));
	if (family == AF_INET) {
		*(struct sockaddr_in *)ss = (struct sockaddr_in){
			.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
		*len = sizeof(struct sockaddr_in);
	} else {
		*(struct sockaddr_in6 *)ss = (struct sockaddr_in6){
			.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
		*len = sizeof(struct sockaddr_in6);
	}
	return bind(s, (struct sockaddr *)ss, *len) || getsockname(s, (struct sockaddr *)ss, len);
}

/* The address of a v4 socket as a v6 one sees it: ::ffff:127.0.0.1. */
static void map_v4(struct sockaddr_storage *ss, socklen_t *len)
{
	struct sockaddr_in v4 = *(struct sockaddr_in *)ss;
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = v4.sin_port};

	v6.sin6_addr.s6_addr[10] = v6.sin6_addr.s6_addr[11] = 255;
	memcpy(v6.sin6_addr.s6_addr + 12, &v4.sin_addr, 4);
	*(struct sockaddr_in6 *)ss = v6;
	*len = sizeof(v6);
}

static int tcp_pair(struct job *j, enum end kind, int fd[2])
{
	int family = kind == TCP6 ? AF_INET6 : AF_INET, one = 1;
	int l = socket(family, SOCK_STREAM, 0),
	    c = socket(kind == TCP4 ? AF_INET : AF_INET6, SOCK_STREAM, 0);

	if (l < 0 || c < 0 || bound(l, family, &j->to, &j->to_len) || listen(l, 1))
		return -1;
	if (kind == TCP46)
		map_v4(&j->to, &j->to_len);
	if (connect(c, (struct sockaddr *)&j->to, j->to_len))
		return -1;
	fd[0] = accept(l, NULL, NULL);
	fd[1] = c;
	if (kind == TCP46 && j->w->in == TCP46) { /* the mapped end is the one that the way uses */
		fd[1] = fd[0];
		fd[0] = c;
	}
	setsockopt(fd[1], IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	close(l);
	return fd[0] < 0 || fd[1] < 0 ? -1 : 0;
}

static int udp_pair(struct job *j, int family, int fd[2])
{
	int bytes = 8 << 20;
	struct sockaddr_storage mine;
	socklen_t len;

	fd[0] = socket(family, SOCK_DGRAM, 0);
	fd[1] = socket(family, SOCK_DGRAM, 0);
	if (fd[0] < 0 || fd[1] < 0 || bound(fd[1], family, &mine, &len) ||
	    bound(fd[0], family, &j->to, &j->to_len))
		return -1;
	if (setsockopt(fd[0], SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)))
		setsockopt(fd[0], SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	return 0;
}

int channel_open(struct job *j, enum end kind, int fd[2])
{
	switch (kind) {
	case PIPE:
		if (pipe(fd))
			return -1;
		return fcntl(fd[1], F_SETPIPE_SZ, MAX_SIZE) < 0 ? -1 : 0;
	case TCP4:
	case TCP6:
	case TCP46: return tcp_pair(j, kind, fd);
	case UDP4: return udp_pair(j, AF_INET, fd);
	case UDP6: return udp_pair(j, AF_INET6, fd);
	case UNIX: return socketpair(AF_UNIX, SOCK_STREAM, 0, fd);
	case UNIX_DGRAM: return socketpair(AF_UNIX, SOCK_DGRAM, 0, fd);
	default: errno = EINVAL; return -1;
	}
}

static int peer_fd; /* of the peer */

/* The sending peer. Datagrams are cut as the way's calls will read them. */
static int body_send(struct job *j)
{
	if (!is_dgram(j->w->in))
		return write_whole(peer_fd, j->data, j->size);
	for (size_t off = 0; off < j->size;) {
		size_t n = call_bytes(j->w, j->c, off);
		unsigned m = messages(j->w, n);

		for (unsigned i = 0; i < m; i++) {
			size_t k = share(n, m, i);

			if (sendto(peer_fd, j->data + off, k, 0, j->to_len ? (void *)&j->to : NULL,
				   j->to_len) != (ssize_t)k)
				return -1;
			off += k;
		}
	}
	return 0;
}

/* Leaves a pipe alone until the way has closed its end, or the pipe is full: what another process
 * takes out before the call returns cannot be looked at there. */
static int waits(pid_t pid) /* is not merely kept from running */
{
	char path[64], state = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "r");
	if (!f)
		return 1;
	if (fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
		state = 0;
	fclose(f);
	return state == 'S';
}
static void let_fill(struct job *j)
{
	struct pollfd p = {.fd = peer_fd, .events = POLLIN};
	int n = 0, before = -1, still = 0;

	close(j->dst);
	while (poll(&p, 1, 0) >= 0 && !(p.revents & POLLHUP) && still < 400) {
		usleep(500);
		if (ioctl(peer_fd, FIONREAD, &n))
			return;
		still = n && n == before && waits(getppid()) ? still + 1 : 0;
		before = n;
	}
}

static int body_drain(struct job *j)
{
	size_t done = 0;

	memset(j->buf, 0, j->size);
	if (j->w->out == PIPE)
		let_fill(j);
	while (done < j->size) {
		ssize_t k = read(peer_fd, j->buf + done, j->size - done);

		if (k <= 0)
			return -1;
		done += (size_t)k;
	}
	return memcmp(j->buf, j->data, j->size);
}

static int open_in(struct job *j, pid_t *pid, int *theirs)
{
	int fd[2], flags = O_RDONLY | (j->w->flags & ALIGNED ? O_DIRECT : 0);

	if (j->w->in == MEM)
		return 0;
	if (j->w->in == FILE_END) {
		if (file_prepare(j, j->path_in, j->data, j->size))
			return -1;
		j->src = open(j->path_in, flags);
		return j->src < 0 ? -1 : 0;
	}
	if (channel_open(j, j->w->in, fd))
		return -1;
	j->src = fd[0];
	*theirs = peer_fd = fd[1];
	*pid = peer_start(j, body_send);
	/* a pipe holds it all: then each call gets what it asks for */
	if (j->w->in == PIPE && peer_join(*pid))
		return -1;
	if (j->w->in == PIPE)
		*pid = 0;
	return 0;
}

static int open_out(struct job *j, pid_t *pid, int *theirs)
{
	int fd[2], flags = O_CREAT | O_TRUNC | O_RDWR | (j->w->flags & ALIGNED ? O_DIRECT : 0);

	if (j->w->out == MEM)
		return 0;
	if (j->w->out == FILE_END) {
		j->dst = open(j->path_out, flags, 0600);
		return j->dst < 0 ? -1 : 0;
	}
	if (channel_open(j, j->w->out, fd))
		return -1;
	j->dst = fd[1];
	*theirs = peer_fd = fd[0];
	*pid = peer_start(j, body_drain);
	return 0;
}

int ways_ends(struct job *j)
{
	pid_t sender = 0, drainer = 0;
	int theirs[2] = {-1, -1}, bad, err;

	j->src = j->dst = -1;
	j->to_len = 0;
	if (j->w->out == MEM)
		memset(j->buf, 0, j->size);
	bad = open_in(j, &sender, &theirs[0]) || open_out(j, &drainer, &theirs[1]) || move_all(j);
	err = errno;
	for (int i = 0; i < 2; i++)
		if (theirs[i] >= 0)
			close(theirs[i]);
	if (j->src >= 0)
		close(j->src);
	if (j->dst >= 0)
		close(j->dst);
	if (sender && peer_join(sender) && !bad)
		bad = 1, err = errno;
	if (drainer && peer_join(drainer) && !bad) {
		bad = 1, err = errno;
		j->why = "what arrived is not what was sent";
	}
	if (!bad && j->w->out == MEM && memcmp(j->buf, j->data, j->size)) {
		bad = 1, err = EPROTO;
		j->why = "what arrived is not what was sent";
	}
	errno = err;
	if (!bad && j->w->out == FILE_END)
		bad = file_compare(j, j->path_out, j->data, j->size);
	return bad ? -1 : 0;
}
