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
static int map_data(struct rn_ring *ring, uint64_t n)
{
	uint64_t to = n < 2 * ring->mapped ? 2 * ring->mapped : n;
	void *at = (char *)ring->data + ring->mapped;

	if (n <= ring->mapped)
		return 0;
	to = (to + ring->page - 1) & ~(uint64_t)(ring->page - 1);
	/* all of it; and behind its end the first part once more, as far as asked */
	if (to > ring->size)
		to = n <= ring->size ? ring->size
				     : ring->size + (n - ring->size + FIRST_BYTES - 1) /
							    FIRST_BYTES * FIRST_BYTES;
	if (to > 2 * ring->size)
		to = 2 * ring->size;
	if (n > to || mmap(at, to - ring->mapped, PROT_READ, MAP_SHARED | MAP_FIXED, ring->map_fd,
			   (off_t)(2 * ring->page + ring->mapped)) == MAP_FAILED)
		return n > to ? -EINVAL : -errno;
	ring->mapped = to;
	return 0;
}

int rn_ring_open(struct rn_ring *ring, int map_fd, uint64_t size, struct rn_err *err)
{
	struct epoll_event ev = {.events = EPOLLIN};
	void *p;

	ring->page = (size_t)sysconf(_SC_PAGESIZE);
	ring->size = size;
	ring->map_fd = map_fd;
	ring->epoll_fd = -1;
	p = mmap(NULL, ring->page, PROT_READ | PROT_WRITE, MAP_SHARED, map_fd, 0);
	if (p == MAP_FAILED)
		return rn_err_set(err, -errno, "cannot map the ring buffer: %s", strerror(errno));
	ring->consumer = p;
	/* room, in one piece */
	p = mmap(NULL, ring->page + 2 * size, PROT_NONE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p != MAP_FAILED) {
		ring->producer = p;
		ring->data = (const unsigned char *)p + ring->page;
	}
	if (p == MAP_FAILED ||
	    mmap(p, ring->page, PROT_READ, MAP_SHARED | MAP_FIXED, map_fd, (off_t)ring->page) ==
		    MAP_FAILED ||
	    (ring->error = map_data(ring, size < FIRST_BYTES ? size : FIRST_BYTES)))
		return rn_err_set(err, ring->error ? ring->error : -errno,
				  "cannot map the ring buffer: %s",
				  strerror(ring->error ? -ring->error : errno));
	ring->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (ring->epoll_fd < 0 || epoll_ctl(ring->epoll_fd, EPOLL_CTL_ADD, map_fd, &ev) < 0)
		return rn_err_set(err, -errno, "cannot wait for the ring buffer: %s",
				  strerror(errno));
	return 0;
}

void rn_ring_close(struct rn_ring *ring)
{
	if (!ring->consumer)
		return;
	munmap((void *)ring->consumer, ring->page);
	if (ring->producer)
		munmap((void *)ring->producer, ring->page + 2 * ring->size);
	if (ring->epoll_fd >= 0)
		close(ring->epoll_fd);
	ring->consumer = NULL;
}

/* Return the next complete record at *pos (advanced beyond it), or NULL. Discarded ones are
 * skipped. */
static const unsigned char *next_record(struct rn_ring *ring, uint64_t *pos, uint64_t end)
{
	while (*pos < end) {
		uint64_t at = *pos & (ring->size - 1);
		const unsigned char *head = ring->data + at;
		uint32_t len;

		if ((ring->error = map_data(ring, at + BPF_RINGBUF_HDR_SZ)))
			return NULL;
		len = __atomic_load_n((const uint32_t *)head, __ATOMIC_ACQUIRE);
		if (len & BPF_RINGBUF_BUSY_BIT)
			return NULL;
		if ((ring->error = map_data(ring, at + BPF_RINGBUF_HDR_SZ +
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
			if (l->fields[i].enc == RN_ENCODING_USTACK) {
				memcpy(&proc, rec + l->fields[i].off + 8, 8);
				rn_stacks_meet(s->dec.stacks, proc);
			}
}

/* Deliver one batch; return the number of rows, or what the sink returned if negative. */
static int batch(struct rn_live *live, const struct rn_sink *sink)
{
	const struct rn_layout *layout = &live->out.rec;
	struct rn_ring *ring = &live->ring;
	uint64_t pos = *ring->consumer, end = __atomic_load_n(ring->producer, __ATOMIC_ACQUIRE);
	struct rn_value *value = NULL;
	int64_t *time_ns = NULL;
	const unsigned char *rec;
	struct rn_rows rows = {.ncols = layout->n};
	int rc = 0;

	if (live->dec.stacks)
		meet(live);
	while (rows.nrows < BATCH && (rec = next_record(ring, &pos, end))) {
		uint64_t t;

		if (!value) {
			rn_arena_reset(live->batch);
			value = RN_NEWN(live->batch, struct rn_value,
					(size_t)BATCH * (layout->n ? layout->n : 1));
			time_ns = RN_NEWN(live->batch, int64_t, BATCH);
		}
		memcpy(&t, rec, 8);
		time_ns[rows.nrows] = (int64_t)t + live->dec.clock_ns;
		rn_decode_all(&live->dec, layout, rec, value + (size_t)rows.nrows * layout->n,
			      live->batch);
		rn_judge_row(live, rec, value + (size_t)rows.nrows * layout->n);
		rows.nrows++;
	}
	if (rows.nrows) {
		rows.values = value;
		rows.time_ns = time_ns;
		rc = sink->rows(sink->self, &rows);
		live->rows += rows.nrows;
	}
	__atomic_store_n(ring->consumer, pos, __ATOMIC_RELEASE);
	return rc < 0 ? rc : ring->error ? ring->error : (int)rows.nrows;
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

static int read_rows(struct rn_live *live, const struct rn_sink *sink, int timeout_ms)
{
	struct rn_ring *ring = &live->ring;
	struct epoll_event ev;
	int n;

	turn_names(live);
	n = consume(live, sink);
	if (n == 0 && timeout_ms > 0 && ring->busy && live->started && !live->stopped) {
		clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){.tv_nsec = BUSY_NS}, NULL);
		n = consume(live, sink);
		timeout_ms--;
	}
	ring->busy = n > 0;
	if (n || timeout_ms <= 0 || live->stopped)
		return n < 0 ? n : 0;
	__atomic_store_n(&live->maps.globals->want_wakeup, 1, __ATOMIC_SEQ_CST);
	n = consume(live, sink);
	if (!n && epoll_wait(ring->epoll_fd, &ev, 1, timeout_ms) > 0)
		n = consume(live, sink);
	__atomic_store_n(&live->maps.globals->want_wakeup, 0, __ATOMIC_SEQ_CST);
	ring->busy = n > 0;
	return n < 0 ? n : 0;
}

int rn_live_rows(struct rn_live *live, const struct rn_sink *sink, int timeout_ms,
		 struct rn_err *err)
{
	int n = read_rows(live, sink, timeout_ms);

	if (live->ring.error)
		rn_err_set(err, live->ring.error, "cannot map the ring buffer: %s",
			   strerror(-live->ring.error));
	return n;
}
