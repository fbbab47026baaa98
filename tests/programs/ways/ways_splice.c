/* ways_splice.c - copies inside the kernel: sendfile, splice, tee, vmsplice, copy_file_range. */
#include <fcntl.h>
#include <sys/sendfile.h>
#include "ways.h"

MOVE(mv_sendfile)
{
	off_t at = (off_t)off;

	return sendfile(j->dst, j->src, &at, n);
}
MOVE(mv_splice)
{
	(void)off;
	return splice(j->src, NULL, j->dst, NULL, n, SPLICE_F_MOVE);
}
/* From a place in a file that the call names. */
MOVE(mv_splice_off)
{
	off_t at = (off_t)off;

	return splice(j->src, &at, j->dst, NULL, n, SPLICE_F_MOVE);
}
MOVE(mv_copy_range)
{
	off_t from = (off_t)off, to = (off_t)off;

	return copy_file_range(j->src, &from, j->dst, &to, n, 0);
}
/* Into a pipe, or out of one: what it is called on decides. */
MOVE(mv_vmsplice)
{
	struct iovec v[1024];
	bool out = j->w->out == PIPE;

	return vmsplice(out ? j->dst : j->src, v,
			(size_t)spread(j, v, (out ? j->data : j->buf) + off, n), 0);
}

/* tee takes nothing out of its pipe, always looks at its beginning, and may stop early: a feeder
 * puts one call's bytes in, waits for a token, and takes them out again. A drainer compares what
 * came out of the other pipe. */
static struct {
	int feed[2], out[2], go[2], done[2];
} t;

static int body_feed(struct job *j)
{
	char token;

	for (size_t off = 0; off < j->size;) {
		size_t n = call_bytes(j->w, j->c, off);

		if (write_whole(t.feed[1], j->data + off, n) || write(t.go[1], "x", 1) != 1 ||
		    read(t.done[0], &token, 1) != 1 || read_whole(t.feed[0], j->buf, n))
			return -1;
		off += n;
	}
	return 0;
}
static int body_out(struct job *j)
{
	return read_whole(t.out[0], j->buf, j->size) || memcmp(j->buf, j->data, j->size);
}

RUN(run_tee)
{
	pid_t feeder, drainer;
	int bad = 0, err = 0;
	char token;

	if (channel_open(j, PIPE, t.feed) || channel_open(j, PIPE, t.out) || pipe(t.go) ||
	    pipe(t.done))
		return -1;
	feeder = peer_start(j, body_feed);
	drainer = peer_start(j, body_out);
	for (size_t off = 0; off < j->size && !bad;) {
		size_t n = call_bytes(j->w, j->c, off);

		bad = read(t.go[0], &token, 1) != 1 || tee(t.feed[0], t.out[1], n, 0) != (ssize_t)n;
		err = errno;
		bad |= write(t.done[1], "x", 1) != 1;
		j->calls++;
		off += n;
	}
	for (int i = 0; i < 2; i++) {
		close(t.feed[i]);
		close(t.out[i]);
		close(t.go[i]);
		close(t.done[i]);
	}
	bad |= peer_join(feeder) | peer_join(drainer);
	if (err)
		errno = err;
	return bad ? -1 : 0;
}
