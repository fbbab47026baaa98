/* ways.h - the parts of `ways`: moves payload in which a tag is planted through one way of the
 * kernel's, and through that way alone.
 *
 * A process whose name is "ways" makes the calls of that way. All else that touches the payload
 * (preparing a file, the other end of a pipe or socket, reading back to compare) is done by forked
 * peers named "prepare", so that a query `where proc = ways` sees the way and nothing else. Payload
 * is made by stores to private memory, which no probe watches. */
#ifndef WAYS_H
#define WAYS_H
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
	MAX_SIZE = 1 << 20,
	MAX_TAG = 64,
	MAX_CUTS = 8,
	MAX_CALLS = 64,
	MAX_ROLES = 3,
	DGRAM_BYTES = 49152,
	FILE_BYTES = 192
};

/* Where payload comes from or goes to: memory of the process, a file, or a channel with a peer at
 * its other end. */
enum end { MEM, FILE_END, PIPE, TCP4, TCP6, TCP46, UNIX, UDP4, UDP6, UNIX_DGRAM };
enum way_flags {
	ALIGNED = 1, /* calls and sizes in multiples of 512 bytes, files opened with O_DIRECT */
	MANY = 2,    /* several messages a call */
	ALONE = 4,   /* calls do not continue each other: nothing straddles */
	/* boundaries of calls are those of pages; a tag may be seen more than once */
	PAGED = 8,
	NOPLACE = 64, /* where in its call the tag ends up depends on the other end */
	CASE = 32,    /* no matrix: one case with its own calls and tags (ways_straddle.c) */
};

struct job;
struct way {
	const char *name;
	const char *op; /* name of the event that carries the tag */
	enum end in, out;
	/* One call that moves up to n bytes from off on: what it moved, or -1 with errno. */
	ssize_t (*move)(struct job *j, size_t off, size_t n);
	unsigned flags;
	size_t most;   /* bytes of a call; 0: any number */
	unsigned iovs; /* how many buffers a call has; 0: one */
	/* Instead of ends and moves: the whole of it. 0, or -1 with errno (and j->why). */
	int (*run)(struct job *j);
	unsigned aux;       /* the way's own */
	const char *none;   /* it is not searched, and has no cells: what is done instead */
	const char *expect; /* CASE: which of its tags must be seen, as "110" */
};

struct cell { /* one line of a plan */
	int id, batch;
	const struct way *way;
	char pos[12];         /* start middle end straddle, or control: no tag at all */
	unsigned len, nroles; /* tag's length; tags: one, except for CASE */
	size_t at, size, cut[MAX_CUTS];
	unsigned ncuts;
	unsigned char tag[MAX_ROLES][MAX_TAG + 1];
};
struct job {
	const struct way *w;
	const struct cell *c;
	unsigned char *data, *buf; /* payload; what was received: page aligned, MAX_SIZE each */
	size_t size;
	int src, dst;               /* of the ways process */
	struct sockaddr_storage to; /* of the peer's socket, for sendto */
	socklen_t to_len;
	long calls;
	const char *dir; /* for files */
	char path_in[FILE_BYTES], path_out[FILE_BYTES];
	const char *why; /* of a failure, if errno does not tell */
};

/* ways.c */
const struct way *way_find(const char *name);
const struct way *way_all(unsigned i); /* NULL at the end */
/* Bytes of the call that begins at off. */
size_t call_bytes(const struct way *w, const struct cell *c, size_t off);
/* Length of buffer i of `of` that share n bytes. */
size_t share(size_t n, unsigned of, unsigned i);
unsigned messages(const struct way *w, size_t n);
/* Moves the whole payload; 0, or -1. */
int move_all(struct job *j);
/* Fills iov from base; how many. */
int spread(const struct job *j, struct iovec *iov, unsigned char *base, size_t n);

/* ways_plan.c */
void plan_print(FILE *f, const char *set, unsigned max_tags);
unsigned plan_read(const char *path, int batch, struct cell **cells); /* exits if it cannot */
/* Noise that holds no capital letter, hence no tag, sown with near misses of the cells' tags. */
void noise_fill(unsigned char *p, size_t n, const struct cell *cells, unsigned ncells);
void noise_plant(unsigned char *p, size_t size, size_t at, const void *tag, size_t len);
/* A call of read, write, sendmsg or recvmsg held the whole tag in one buffer. */
bool paper_sees(const struct cell *c);
/* Where a call's bytes cannot hold the tag the cell is none: the reason, else NULL. */
const char *cell_none(const struct cell *c);

/* ways_ends.c: a peer runs body in a process named "prepare"; join: 0 if that succeeded. */
pid_t peer_start(struct job *j, int (*body)(struct job *j));
int peer_join(pid_t pid);
/* A channel: fd[0] is the receiving end, fd[1] the sending one. */
int channel_open(struct job *j, enum end kind, int fd[2]);
bool is_dgram(enum end e);
int file_prepare(struct job *j, const char *path, const void *data, size_t n); /* by a peer */
int file_compare(struct job *j, const char *path, const void *data, size_t n);
int ways_ends(struct job *j); /* a cell of a way with ends and moves */
int write_whole(int fd, const void *p, size_t n);
int read_whole(int fd, void *p, size_t n);

#define MOVE(f) ssize_t f(struct job *j, size_t off, size_t n)
#define RUN(f) int f(struct job *j)
/* ways_calls.c */
MOVE(mv_read);
MOVE(mv_pread);
MOVE(mv_readv);
MOVE(mv_preadv);
MOVE(mv_preadv2);
MOVE(mv_write);
MOVE(mv_pwrite);
MOVE(mv_writev);
MOVE(mv_pwritev);
MOVE(mv_pwritev2);
MOVE(mv_send);
MOVE(mv_sendto);
MOVE(mv_sendmsg);
MOVE(mv_sendmmsg);
MOVE(mv_recv);
MOVE(mv_recvfrom);
MOVE(mv_recvmsg);
MOVE(mv_recvmmsg);
MOVE(mv_send_rights);
MOVE(mv_recv_rights);
/* ways_splice.c */
MOVE(mv_sendfile);
MOVE(mv_splice);
MOVE(mv_splice_off);
MOVE(mv_vmsplice);
MOVE(mv_copy_range);
RUN(run_tee);
/* ways_uring.c, ways_memory.c, ways_fuse.c, ways_tls.c: aux says which */
enum {
	U_READ = 1,
	U_WRITE,
	U_READV,
	U_WRITEV,
	U_READ_FIXED,
	U_WRITE_FIXED,
	U_RECV,
	U_SEND,
	U_RECVMSG,
	U_SENDMSG,
	U_OP = 15,
	U_SQPOLL = 16,
	U_ASYNC = 32
};
MOVE(mv_uring);
MOVE(mv_aio);
/* For threads, each with a ring or context of its own: n bytes at the beginning of a file; what was
 * moved. */
struct ring;
struct ring *ring_new(void);
ssize_t ring_move(struct ring *r, bool in, int fd, void *p, size_t n);
ssize_t aio_move(unsigned long *ctx, bool in, int fd, void *p, size_t n);
RUN(run_mmap_read);
RUN(run_mmap_write);
RUN(run_clone);
RUN(run_vm);
RUN(run_zerocopy);
RUN(run_fuse);
RUN(run_fuse_again);
RUN(run_tls);
/* ways_straddle.c, ways_load.c */
RUN(run_case);
int load_main(int argc, char **argv);
#endif
