/* ring.c - rows from the ring buffer to the sink.
 *
 * While rows keep coming, the reader consumes on a timer of 1 ms, and programs submit without a
 * wakeup. That is 8 to 18 times cheaper for the traced task than a wakeup for each event. A look
 * that finds nothing sets want_wakeup, looks once more, and sleeps in epoll until the next row.
 * Records are read in place (the data is mapped twice in a row) and released after the sink has
 * seen the batch.
 *
 * To map all of a large ring takes longer than most of what precedes a query's first row. So only
 * the part that the reader has reached is mapped, and twice as much whenever that has been read. A
 * query of a few rows pays for a few pages. */
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include "probes/live/live_impl.h"
#include "lang/base/clock.h"

enum { BATCH = 1024, BUSY_NS = 1000000, TURN_NS = 50000000, FIRST_BYTES = 256 << 10 };

/* Map the first n bytes of the data, which is twice the ring. */
static int map_data(struct rn_ring *r, uint64_t n)
{
	uint64_t to = n < 2 * r->mapped ? 2 * r->mapped : n;
	void *at = (char *)r->data + r->mapped;

	if (n <= r->mapped)
		return 0;
	to = (to + r->page - 1) & ~(uint64_t)(r->page - 1);
	/* all of it; and behind its end the first part once more, as far as asked */
	if (to > r->size)
		to = n <= r->size ? r->size
				  : r->size + (n - r->size + FIRST_BYTES - 1) / FIRST_BYTES *
						      FIRST_BYTES;
	if (to > 2 * r->size)
		to = 2 * r->size;
	if (n > to || mmap(at, to - r->mapped, PROT_READ, MAP_SHARED | MAP_FIXED, r->map_fd,
			   (off_t)(2 * r->page + r->mapped)) == MAP_FAILED)
		return n > to ? -EINVAL : -errno;
	r->mapped = to;
	return 0;
}

int rn_ring_open(struct rn_ring *r, int map_fd, uint64_t size, struct rn_err *err)
{
	struct epoll_event ev = {.events = EPOLLIN};
	void *p;

	r->page = (size_t)sysconf(_SC_PAGESIZE);
	r->size = size;
	r->map_fd = map_fd;
	r->epoll_fd = -1;
	p = mmap(NULL, r->page, PROT_READ | PROT_WRITE, MAP_SHARED, map_fd, 0);
	if (p == MAP_FAILED)
		return rn_err_set(err, -errno, "cannot map the ring buffer: %s", strerror(errno));
	r->consumer = p;
	/* room, in one piece */
	p = mmap(NULL, r->page + 2 * size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		 -1, 0);
	if (p != MAP_FAILED) {
		r->producer = p;
		r->data = (const unsigned char *)p + r->page;
	}
	if (p == MAP_FAILED ||
	    mmap(p, r->page, PROT_READ, MAP_SHARED | MAP_FIXED, map_fd, (off_t)r->page) ==
		    MAP_FAILED ||
	    (r->error = map_data(r, size < FIRST_BYTES ? size : FIRST_BYTES)))
		return rn_err_set(err, r->error ? r->error : -errno,
				  "cannot map the ring buffer: %s",
				  strerror(r->error ? -r->error : errno));
	r->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (r->epoll_fd < 0 || epoll_ctl(r->epoll_fd, EPOLL_CTL_ADD, map_fd, &ev) < 0)
		return rn_err_set(err, -errno, "cannot wait for the ring buffer: %s",
				  strerror(errno));
	return 0;
}

void rn_ring_close(struct rn_ring *r)
{
	if (!r->consumer)
		return;
	munmap((void *)r->consumer, r->page);
	if (r->producer)
		munmap((void *)r->producer, r->page + 2 * r->size);
	if (r->epoll_fd >= 0)
		close(r->epoll_fd);
	r->consumer = NULL;
}

/* Return the next complete record at *pos (advanced beyond it), or NULL. Discarded ones are
 * skipped. */
static const unsigned char *next_record(struct rn_ring *r, uint64_t *pos, uint64_t end)
{
	while (*pos < end) {
		uint64_t at = *pos & (r->size - 1);
		const unsigned char *head = r->data + at;
		uint32_t len;

		if ((r->error = map_data(r, at + BPF_RINGBUF_HDR_SZ)))
			return NULL;
		len = __atomic_load_n((const uint32_t *)head, __ATOMIC_ACQUIRE);
		if (len & BPF_RINGBUF_BUSY_BIT)
			return NULL;
		if ((r->error = map_data(r, at + BPF_RINGBUF_HDR_SZ +
						    (len & ~BPF_RINGBUF_DISCARD_BIT))))
			return NULL;
		*pos += ((size_t)(len & ~BPF_RINGBUF_DISCARD_BIT) + BPF_RINGBUF_HDR_SZ + 7) / 8 * 8;
		if (!(len & BPF_RINGBUF_DISCARD_BIT))
			return head + BPF_RINGBUF_HDR_SZ;
	}
	return NULL;
}

/* Read the mappings of processes whose stacks are in the next batch: these processes may end while
 * a row is decoded. */
static void meet(struct rn_live *s)
{
	uint64_t pos = *s->ring.consumer, end = __atomic_load_n(s->ring.producer, __ATOMIC_ACQUIRE),
		 proc;
	const struct rn_layout *l = &s->out.rec;
	const unsigned char *rec;

	for (unsigned n = 0; n < BATCH && (rec = next_record(&s->ring, &pos, end)); n++)
		for (unsigned i = 0; i < l->n; i++)
			if (l->v[i].enc == RN_ENC_USTACK) {
				memcpy(&proc, rec + l->v[i].off + 8, 8);
				rn_stacks_meet(s->dec.stacks, proc);
			}
}

/* Deliver one batch; return the number of rows, or what the sink returned if negative. */
static int batch(struct rn_live *s, const struct rn_sink *sink)
{
	const struct rn_layout *l = &s->out.rec;
	struct rn_ring *r = &s->ring;
	uint64_t pos = *r->consumer, end = __atomic_load_n(r->producer, __ATOMIC_ACQUIRE);
	struct rn_value *v = NULL;
	int64_t *time_ns = NULL;
	const unsigned char *rec;
	struct rn_rows rows = {.ncols = l->n};
	int rc = 0;

	if (s->dec.stacks)
		meet(s);
	while (rows.nrows < BATCH && (rec = next_record(r, &pos, end))) {
		uint64_t t;

		if (!v) {
			rn_arena_reset(s->batch);
			v = RN_NEWN(s->batch, struct rn_value, (size_t)BATCH * (l->n ? l->n : 1));
			time_ns = RN_NEWN(s->batch, int64_t, BATCH);
		}
		memcpy(&t, rec, 8);
		time_ns[rows.nrows] = (int64_t)t + s->dec.clock_ns;
		rn_decode_all(&s->dec, l, rec, v + (size_t)rows.nrows * l->n, s->batch);
		rows.nrows++;
	}
	if (rows.nrows) {
		rows.v = v;
		rows.time_ns = time_ns;
		rc = sink->rows(sink->self, &rows);
		s->rows += rows.nrows;
	}
	__atomic_store_n(r->consumer, pos, __ATOMIC_RELEASE);
	return rc < 0 ? rc : r->error ? r->error : (int)rows.nrows;
}

/* Deliver all that is there now, or as much as TURN_NS allows. So a fast producer cannot hold us
 * when the query has to end. */
static int consume(struct rn_live *s, const struct rn_sink *sink)
{
	int64_t end = rn_mono_ns() + TURN_NS;
	int total = 0;

	while (total == 0 || rn_mono_ns() < end) {
		int n = batch(s, sink);

		if (n <= 0)
			return n < 0 ? n : total;
		total += n;
		if (n < BATCH)
			break;
	}
	return total;
}

/* If all rows are read that the ring held at the end of the last turn, end a turn of the names,
 * once a second. */
static void turn_names(struct rn_live *s)
{
	int64_t now = rn_mono_ns();

	if (now < s->names_ns || *s->ring.consumer < s->names_pos)
		return;
	rn_decoder_turn(&s->dec);
	s->names_ns = now + 1000000000;
	s->names_pos = __atomic_load_n(s->ring.producer, __ATOMIC_ACQUIRE);
}

static int read_rows(struct rn_live *s, const struct rn_sink *sink, int timeout_ms)
{
	struct rn_ring *r = &s->ring;
	struct epoll_event ev;
	int n;

	turn_names(s);
	n = consume(s, sink);
	if (n == 0 && timeout_ms > 0 && r->busy && s->started && !s->stopped) {
		clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){.tv_nsec = BUSY_NS}, NULL);
		n = consume(s, sink);
		timeout_ms--;
	}
	r->busy = n > 0;
	if (n || timeout_ms <= 0 || s->stopped)
		return n < 0 ? n : 0;
	__atomic_store_n(&s->maps.globals->want_wakeup, 1, __ATOMIC_SEQ_CST);
	n = consume(s, sink);
	if (!n && epoll_wait(r->epoll_fd, &ev, 1, timeout_ms) > 0)
		n = consume(s, sink);
	__atomic_store_n(&s->maps.globals->want_wakeup, 0, __ATOMIC_SEQ_CST);
	r->busy = n > 0;
	return n < 0 ? n : 0;
}

int rn_live_rows(struct rn_live *s, const struct rn_sink *sink, int timeout_ms, struct rn_err *err)
{
	int n = read_rows(s, sink, timeout_ms);

	if (s->ring.error)
		rn_err_set(err, s->ring.error, "cannot map the ring buffer: %s",
			   strerror(-s->ring.error));
	return n;
}
