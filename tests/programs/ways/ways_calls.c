/* ways_calls.c - one plain system call each: reads, writes, sends and receives. */
#include <sys/syscall.h>
#include "ways.h"

size_t share(size_t n, unsigned of, unsigned i)
{
	return i + 1 < of ? n / of : n - n / of * (of - 1);
}

unsigned messages(const struct way *w, size_t n)
{
	unsigned m = !(w->flags & MANY) ? 1 : is_dgram(w->in) || is_dgram(w->out) ? 3 : 4;

	return n < m ? 1 : m;
}

int spread(const struct job *j, struct iovec *iov, unsigned char *base, size_t n)
{
	unsigned v = j->w->iovs ? j->w->iovs : 1;

	if (v > n)
		v = n ? (unsigned)n : 1;
	for (unsigned i = 0; i < v; i++) {
		iov[i] = (struct iovec){base, share(n, v, i)};
		base += iov[i].iov_len;
	}
	return (int)v;
}

MOVE(mv_read)
{
	return read(j->src, j->buf + off, n);
}
MOVE(mv_pread)
{
	return pread(j->src, j->buf + off, n, (off_t)off);
}
MOVE(mv_write)
{
	return write(j->dst, j->data + off, n);
}
MOVE(mv_pwrite)
{
	return pwrite(j->dst, j->data + off, n, (off_t)off);
}
MOVE(mv_send)
{
	return send(j->dst, j->data + off, n, 0);
}
MOVE(mv_sendto)
{
	return sendto(j->dst, j->data + off, n, 0, (void *)&j->to, j->to_len);
}
MOVE(mv_recv)
{
	return recv(j->src, j->buf + off, n, MSG_WAITALL);
}
MOVE(mv_recvfrom)
{
	struct sockaddr_storage from;
	socklen_t len = sizeof(from);

	return recvfrom(j->src, j->buf + off, n, MSG_WAITALL, (void *)&from, &len);
}

MOVE(mv_readv)
{
	struct iovec v[1024];

	return readv(j->src, v, spread(j, v, j->buf + off, n));
}
MOVE(mv_preadv)
{
	struct iovec v[1024];

	return preadv(j->src, v, spread(j, v, j->buf + off, n), (off_t)off);
}
/* With a flag, since glibc makes a preadv or pwritev of one without. */
MOVE(mv_preadv2)
{
	struct iovec v[1024];

	return preadv2(j->src, v, spread(j, v, j->buf + off, n), (off_t)off, RWF_HIPRI);
}
MOVE(mv_writev)
{
	struct iovec v[1024];

	return writev(j->dst, v, spread(j, v, j->data + off, n));
}
MOVE(mv_pwritev)
{
	struct iovec v[1024];

	return pwritev(j->dst, v, spread(j, v, j->data + off, n), (off_t)off);
}
MOVE(mv_pwritev2)
{
	struct iovec v[1024];

	return pwritev2(j->dst, v, spread(j, v, j->data + off, n), (off_t)off, RWF_DSYNC);
}
MOVE(mv_sendmsg)
{
	struct iovec v[1024];
	struct msghdr m = {.msg_iov = v, .msg_iovlen = (size_t)spread(j, v, j->data + off, n)};

	return sendmsg(j->dst, &m, 0);
}
MOVE(mv_recvmsg)
{
	struct iovec v[1024];
	struct msghdr m = {.msg_iov = v, .msg_iovlen = (size_t)spread(j, v, j->buf + off, n)};

	return recvmsg(j->src, &m, MSG_WAITALL);
}

/* A descriptor goes along. */
MOVE(mv_send_rights)
{
	struct iovec v[1024];
	union {
		struct cmsghdr h;
		char bytes[CMSG_SPACE(sizeof(int))];
	} c = {0};
	struct msghdr m = {.msg_iov = v,
			   .msg_iovlen = (size_t)spread(j, v, j->data + off, n),
			   .msg_control = &c,
			   .msg_controllen = sizeof(c)};

	c.h = (struct cmsghdr){.cmsg_level = SOL_SOCKET,
			       .cmsg_type = SCM_RIGHTS,
			       .cmsg_len = CMSG_LEN(sizeof(int))};
	memcpy(CMSG_DATA(&c.h), &j->dst, sizeof(int));
	return sendmsg(j->dst, &m, 0);
}
MOVE(mv_recv_rights)
{
	struct iovec v[1024];
	union {
		struct cmsghdr h;
		char bytes[CMSG_SPACE(sizeof(int))];
	} c = {0};
	struct msghdr m = {.msg_iov = v,
			   .msg_iovlen = (size_t)spread(j, v, j->buf + off, n),
			   .msg_control = &c,
			   .msg_controllen = sizeof(c)};

	return recvmsg(j->src, &m, MSG_WAITALL);
}

/* Several messages of two buffers each. On a stream the next message goes on where the last one
 * ended. */
static unsigned make_messages(struct job *j, struct mmsghdr *m, struct iovec *v,
			      unsigned char *base, size_t n)
{
	unsigned count = messages(j->w, n);

	memset(m, 0, count * sizeof(*m));
	for (unsigned i = 0; i < count; i++, v += 2) {
		size_t k = share(n, count, i);

		v[0] = (struct iovec){base, k / 2};
		v[1] = (struct iovec){base + k / 2, k - k / 2};
		m[i].msg_hdr.msg_iov = v;
		m[i].msg_hdr.msg_iovlen = 2;
		if (is_dgram(j->w->out) && j->to_len) {
			m[i].msg_hdr.msg_name = &j->to;
			m[i].msg_hdr.msg_namelen = j->to_len;
		}
		base += k;
	}
	return count;
}
static ssize_t moved(const struct mmsghdr *m, int count)
{
	ssize_t sum = 0;

	for (int i = 0; i < count; i++)
		sum += m[i].msg_len;
	return count < 0 ? -1 : sum;
}
MOVE(mv_sendmmsg)
{
	struct mmsghdr m[4];
	struct iovec v[8];

	return moved(m, sendmmsg(j->dst, m, make_messages(j, m, v, j->data + off, n), 0));
}
MOVE(mv_recvmmsg)
{
	struct mmsghdr m[4];
	struct iovec v[8];

	return moved(
		m, recvmmsg(j->src, m, make_messages(j, m, v, j->buf + off, n), MSG_WAITALL, NULL));
}
