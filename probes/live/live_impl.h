/* live_impl.h - inside probes/: one running query of the live kernel, shared by what loads, drains
 * and decodes it.
 *
 * The source owns maps, programs and links through their descriptors; closing them (or dying)
 * removes all from the kernel. */
#ifndef RN_PROBES_LIVE_LIVE_IMPL_H
#define RN_PROBES_LIVE_LIVE_IMPL_H
#include "probes/live/decode.h"
#include "probes/live/live.h"
#include "probes/gen/gen.h"
#include "probes/uprobe/tls.h"

struct rn_btf_image;
struct rn_ring {                     /* consumer of the ring buffer, mapped */
	volatile uint64_t *consumer; /* first page: how far we have read */
	const volatile uint64_t *producer;
	const unsigned char *data; /* twice in a row, so that no record is cut; */
	uint64_t size, mapped;     /* of these 2 * size bytes, the first so many are mapped */
	size_t page;
	int map_fd, epoll_fd, error; /* error: of mapping more, negative errno */
	/* the last look found something: look again soon, without asking to be woken */
	bool busy;
};

struct rn_live {
	struct rn_arena *a;     /* lives as long as the source */
	struct rn_arena *batch; /* reset before each delivery */
	const struct rn_fragment *f;
	const struct rn_scope *scope;
	struct rn_gen_out out;
	struct rn_maps maps;
	struct rn_intrinsics *x; /* NULL: no precompiled function is used */
	struct rn_decoder dec;
	/* of rows: when, and from which place in the ring on, another turn of dec's names is due */
	int64_t names_ns;
	uint64_t names_pos;
	/* link: of a tracepoint with fields of its own, its event */
	int prog_fd[RN_PROGS_MAX], link_fd[RN_PROGS_MAX];
	struct rn_tls_libs tls; /* libraries to probe: none unless the class covers them */
	bool tls_alone;         /* the class covers nothing else */
	int *probe_fd;
	unsigned nprobes;           /* links of probes in them; clocks of CPUs */
	bool by_name[RN_PROGS_MAX]; /* of programs on tracepoints: attached to by name */
	/* of the tracepoints that a glob matches, those that nothing could be attached to */
	int64_t unattached;
	bool multi; /* their programs were loaded for links that hold many */
	struct rn_ring ring;
	const struct rn_btf *btf; /* the provider's */
	/* its types, while the source is being opened; NULL: they are not open */
	const struct rn_btf_image *kernel;
	bool nfsd; /* its module was there when the query began */
	bool late; /* there are programs to be loaded when they are missed */
	/* of operations that are no calls: the kernel refused its program; 0: none */
	unsigned no_hook;
	unsigned ncpus;
	uint64_t epoch;
	int64_t rows, events, other; /* delivered: rows; events in groups, of them in (other) */
	int64_t begin_ns, end_ns;
	bool started, stopped;
};

/* ledger.c: adds what the query's programs have counted so far; not when it began and
 * ended. */
void rn_live_ledger(const struct rn_live *s, struct rn_ledger *l);

/* attach.c */
int rn_live_load(struct rn_live *s, const struct rn_btf *btf, struct rn_err *err);
int rn_live_attach(struct rn_live *s, struct rn_err *err);
/* Has the programs that look at all open files do so. */
void rn_live_look(const struct rn_live *s);
/* Loads and attaches programs that the events so far have shown to be of use. */
void rn_live_attach_late(struct rn_live *s);
/* From now on no event is seen by programs that are not in one already (rn_live_settle waits for
 * those). all: nothing is left attached; otherwise perf events of tracepoints are, which the kernel
 * takes some 60 ms to give up: their programs see that the query is over. */
void rn_live_detach(struct rn_live *s, bool all);
/* This process as the kernel's programs see it: its id in the first PID namespace. */
int32_t rn_live_self(void);
/* Waits until no program that began before is still running on any CPU. */
void rn_live_settle(void);
/* EPERM and what it means here: sets a text and a hint that names what is missing. */
int rn_live_denied(struct rn_err *err, int code, const char *what);

/* ring.c */
int rn_ring_open(struct rn_ring *r, int map_fd, uint64_t size, struct rn_err *err);
void rn_ring_close(struct rn_ring *r);
/* Delivers what is there, waiting at most timeout_ms for it. Negative: what the sink returned, or
 * -errno. */
int rn_live_rows(struct rn_live *s, const struct rn_sink *sink, int timeout_ms, struct rn_err *err);

/* drain.c: the groups of one half. keep: look only, else they are taken out. */
int rn_live_groups(struct rn_live *s, const struct rn_sink *sink, unsigned half, int64_t window_ns,
		   bool keep, struct rn_err *err);
#endif
