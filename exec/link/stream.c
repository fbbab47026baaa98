/* stream.c - chunks over a byte stream: pipes to a command (ssh, ip netns exec, docker exec,
 * kubectl exec) or stdin and stdout.
 *
 * At most one chunk waits to be written. What is read waits until a chunk is whole. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "exec/link/link.h"
#include "lang/base/str.h"
#include "lang/base/memory.h"

enum { WHY_BYTES = 400 };

struct stream {
	struct rn_transport base;
	int in, out, errfd; /* errfd: stderr of the command; -1: none */
	int32_t pid;
	unsigned char *wait;
	size_t wait_n, wait_at; /* chunk being written */
	unsigned char *got;
	size_t got_n, got_used; /* got_used: bytes of the chunk given out */
	char why[WHY_BYTES];
	size_t why_n;
};

static struct stream *of(struct rn_transport *t)
{
	return (struct stream *)t;
}

/* Reads what the command said last, and keeps the end of it. */
static void hear(struct stream *s)
{
	char b[512];
	ssize_t n;

	while (s->errfd >= 0 && (n = read(s->errfd, b, sizeof(b))) > 0) {
		size_t k = (size_t)n;

		if (k >= WHY_BYTES) {
			memcpy(s->why, b + k - (WHY_BYTES - 1), WHY_BYTES - 1);
			s->why_n = WHY_BYTES - 1;
			continue;
		}
		if (s->why_n + k >= WHY_BYTES) {
			size_t drop = s->why_n + k - (WHY_BYTES - 1);

			memmove(s->why, s->why + drop, s->why_n - drop);
			s->why_n -= drop;
		}
		memcpy(s->why + s->why_n, b, k);
		s->why_n += k;
	}
}

/* Returns its last two lines as one: the error is often in the first, the way out in the second. */
static const char *last_words(struct stream *s)
{
	char *cut, *before, *line;

	hear(s);
	while (s->why_n && strchr("\r\n\t ", s->why[s->why_n - 1]))
		s->why_n--;
	s->why[s->why_n] = 0;
	for (char *end = s->why; (end = strstr(end, "\r\n"));) /* as ssh ends its lines */
		memmove(end, end + 1, strlen(end));
	cut = strrchr(s->why, '\n');
	line = s->why;
	if (cut) {
		if (s->why_n + 1 < WHY_BYTES) { /* "; " in place of the end of a line */
			memmove(cut + 2, cut + 1, strlen(cut));
			cut[1] = ' ';
		}
		*cut = ';';
		before = memrchr(s->why, '\n', (size_t)(cut - s->why));
		line = before ? before + 1 : s->why;
	}
	rn_str_printable(line);
	return line;
}

/* Has the command ended? Its end closely follows that of its stdout. */
static bool has_ended(struct stream *s, int *status)
{
	for (int i = 0; s->pid > 0 && i < 20; i++) {
		if (waitpid(s->pid, status, WNOHANG) == s->pid) {
			s->pid = 0;
			return true;
		}
		poll(NULL, 0, 5);
	}
	return false;
}

static int gone(struct stream *s, int code, struct rn_err *err)
{
	struct pollfd p = {.fd = s->errfd, .events = POLLIN};
	const char *said;
	int st;

	if (s->errfd >= 0)
		poll(&p, 1, 100); /* its last words may still be coming */
	said = last_words(s);
	if (*said)
		return rn_err_set(err, code, RN_LINK_ENDED "%s", said);
	if (code != -EPIPE)
		return rn_err_set(err, code, RN_LINK_ENDED "%s", strerror(-code));
	if (!has_ended(s, &st))
		return rn_err_set(err, code, RN_LINK_ENDED "the other side has gone");
	if (WIFEXITED(st))
		return rn_err_set(err, code, RN_LINK_ENDED "the command to it ended with status %d",
				  WEXITSTATUS(st));
	return rn_err_set(err, code, RN_LINK_ENDED "signal %d ended the command to it (%s)",
			  WTERMSIG(st), strsignal(WTERMSIG(st)));
}

/* A peer that has gone is an error here, not a signal. */
static ssize_t put(int fd, const void *bytes, size_t n)
{
	ssize_t r = send(fd, bytes, n, MSG_NOSIGNAL | MSG_DONTWAIT);

	return r < 0 && errno == ENOTSOCK ? write(fd, bytes, n) : r;
}

static int flush(struct rn_transport *transport, struct rn_err *err)
{
	struct stream *s = of(transport);

	while (s->wait_at < s->wait_n) {
		ssize_t n = put(s->out, s->wait + s->wait_at, s->wait_n - s->wait_at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return 0;
		/* first read what it still sent, and then the end */
		if (n < 0 && (errno == EPIPE || errno == ECONNRESET)) {
			s->wait_at = s->wait_n;
			break;
		}
		if (n < 0)
			return gone(s, -errno, err);
		s->wait_at += (size_t)n;
	}
	return 1;
}

static int stream_send(struct rn_transport *t, const void *chunk, size_t n, struct rn_err *err)
{
	struct stream *s = of(t);
	int r = flush(t, err);

	if (r <= 0)
		return r;
	memcpy(s->wait, chunk, n);
	s->wait_n = n;
	s->wait_at = 0;
	r = flush(t, err);
	return r < 0 ? r : 1;
}

static int no_chunk(struct stream *s, struct rn_err *err)
{
	char begin[41] = "";

	memcpy(begin, s->got, s->got_n < sizeof(begin) - 1 ? s->got_n : sizeof(begin) - 1);
	rn_str_printable(begin);
	rn_err_set(err, -EBADMSG, "what came is no chunk of this protocol, but begins with `%s`",
		   begin);
	rn_err_hint(err, "is something printing to the agent's stdout?");
	return -EBADMSG;
}

static int stream_recv(struct rn_transport *transport, const unsigned char **chunk, size_t *n,
		       struct rn_err *err)
{
	struct stream *s = of(transport);

	hear(s);
	if (s->got_used) {
		memmove(s->got, s->got + s->got_used, s->got_n - s->got_used);
		s->got_n -= s->got_used;
		s->got_used = 0;
	}
	for (;;) {
		ssize_t k;

		if (s->got_n >= 4) {
			size_t len = 4 + (s->got[0] | (size_t)s->got[1] << 8 |
					  (size_t)s->got[2] << 16 | (size_t)s->got[3] << 24);

			if (len < RN_CHUNK_HEAD || len > RN_CHUNK_MAX)
				return no_chunk(s, err);
			if (s->got_n >= len) {
				*chunk = s->got;
				*n = s->got_used = len;
				return 1;
			}
		}
		if (!s->got)
			s->got = rn_malloc(RN_CHUNK_MAX);
		k = read(s->in, s->got + s->got_n, RN_CHUNK_MAX - s->got_n);
		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0 && errno == EAGAIN) {
			/* frees the buffer for others: few of thousands of streams are in
			 * mid-chunk */
			if (!s->got_n) {
				free(s->got);
				s->got = NULL;
			}
			return 0;
		}
		if (k <= 0)
			return gone(s, k && errno != ECONNRESET ? -errno : -EPIPE, err);
		s->got_n += (size_t)k;
	}
}

static unsigned stream_polls(struct rn_transport *t, int fd[2], short events[2])
{
	struct stream *s = of(t);
	bool out = s->wait_at < s->wait_n;

	fd[0] = s->in;
	events[0] = POLLIN;
	if (out && s->in == s->out)
		events[0] |= POLLOUT;
	if (!out || s->in == s->out)
		return 1;
	fd[1] = s->out;
	events[1] = POLLOUT;
	return 2;
}

/* Gives the command a moment to end by itself, now that its stdin has ended. */
static void end_command(int32_t pid)
{
	int st;

	for (int i = 0; i < 40; i++) {
		if (waitpid(pid, &st, WNOHANG) != 0)
			return;
		poll(NULL, 0, 5);
		if (i == 20)
			kill(pid, SIGTERM);
	}
	kill(pid, SIGKILL);
	/* one that the kernel does not end is left behind */
	for (int i = 0; i < 1000 && waitpid(pid, &st, WNOHANG) == 0; i++)
		poll(NULL, 0, 10);
}

static void stream_close(struct rn_transport *t)
{
	struct stream *s = of(t);

	close(s->in);
	if (s->out != s->in)
		close(s->out);
	if (s->pid > 0)
		end_command(s->pid);
	if (s->errfd >= 0)
		close(s->errfd);
	free(s->wait);
	free(s->got);
	free(s);
}

static void stream_kill(struct rn_transport *t)
{
	/* it leads a group, except in the moment before it has become leader */
	if (of(t)->pid > 0 && kill(-of(t)->pid, SIGKILL))
		kill(of(t)->pid, SIGKILL);
}

static int32_t stream_pid(struct rn_transport *t)
{
	return of(t)->pid;
}

static void stream_hangup(struct rn_transport *t)
{
	shutdown(of(t)->out, SHUT_WR);
}

static const struct rn_transport_ops stream_ops = {
	.name = "exec",
	.send = stream_send,
	.recv = stream_recv,
	.flush = flush,
	.polls = stream_polls,
	.close = stream_close,
	.kill = stream_kill,
	.hangup = stream_hangup,
	.pid = stream_pid,
};

static void set_nonblocking(int fd)
{
	if (fd >= 0)
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

struct rn_transport *rn_stream_transport(int in, int out, int32_t pid)
{
	struct stream *s = rn_calloc(1, sizeof(*s));

	s->wait = rn_malloc(RN_CHUNK_MAX);
	s->base.ops = &stream_ops;
	s->in = in;
	s->out = out;
	s->errfd = -1;
	s->pid = pid;
	set_nonblocking(in);
	set_nonblocking(out);
	return &s->base;
}

/* In the child: makes the stream stdin and stdout. Calls only what is async-signal-safe. */
static void become(int stream, int errors, char *const *argv)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	(void)signal(SIGPIPE, SIG_DFL);
	setpgid(0, 0); /* Ctrl-C is for the coordinator, which then asks for the results so far */
	if (dup2(stream, 0) < 0 || dup2(stream, 1) < 0 || dup2(errors, 2) < 0)
		return;
	execv("/bin/sh", argv);
}

struct rn_transport *rn_stream_spawn(const char *command, const char *const *args,
				     struct rn_err *err)
{
	const char *argv[64] = {"sh", "-c", command, "sh"};
	int pair[2] = {-1, -1}, errors[2] = {-1, -1}, n = 4;
	struct rn_transport *transport;
	pid_t pid;

	for (; args && *args && n < 63; args++)
		argv[n++] = *args;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) || pipe2(errors, O_CLOEXEC)) {
		rn_err_set(err, -errno, "no connection for a command: %s", strerror(errno));
		close(pair[0]);
		close(pair[1]);
		return NULL;
	}
	pid = fork();
	if (pid == 0) {
		become(pair[1], errors[1], (char *const *)(uintptr_t)argv);
		kill(getpid(), SIGKILL);
	}
	close(pair[1]);
	close(errors[1]);
	if (pid < 0) {
		rn_err_set(err, -errno, "the command cannot be started: %s", strerror(errno));
		close(pair[0]);
		close(errors[0]);
		return NULL;
	}
	transport = rn_stream_transport(pair[0], pair[0], pid);
	of(transport)->errfd = errors[0];
	set_nonblocking(errors[0]);
	return transport;
}
