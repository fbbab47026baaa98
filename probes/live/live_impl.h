/* live_impl.h - inside probes/: one running query of the live kernel, shared by the files that
 * load, drain and decode it.
 *
 * The source owns maps, programs and links through their descriptors. When it closes them (or
 * dies), the kernel removes them all. */
#ifndef RN_PROBES_LIVE_LIVE_IMPL_H
#define RN_PROBES_LIVE_LIVE_IMPL_H
#include "lang/base/limits.h"
#include "probes/live/decode.h"
#include "probes/live/live.h"
#include "probes/gen/gen.h"
#include "probes/live/chain.h"
#include "probes/live/search.h"
#include "probes/uprobe/kprobe.h"
#include "probes/uprobe/tls.h"
#include "probes/uprobe/user.h"

struct rn_btf_image;
struct rn_ring {                     /* consumer of the ring buffer, mapped */
	volatile uint64_t *consumer; /* first page: how far we have read */
	const volatile uint64_t *producer;
	const unsigned char *data; /* twice in a row, so that no record is cut; */
	uint64_t size, mapped;     /* of these 2 * size bytes, the first `mapped` are mapped */
	size_t page;
	int map_fd, epoll_fd, error; /* error: of mapping more; negative errno */
	/* the last look found rows: look again soon, without asking for a wakeup */
	bool busy;
};

enum { RN_TAKEN_BYTES = 1400 };
/* Programs on the kernel's functions of calls: what queries have learnt. */
struct rn_live_functions {
	bool tried, found;
	char refused[200]; /* why no query gets such programs; empty: they may */
	struct rn_call_functions list;
	/* how the calls of the query that was started last are hooked */
	char taken[RN_TAKEN_BYTES];
};

struct rn_shared {
	struct rn_chains *chains;
	struct rn_searches *searches;
};

/* What programs in the kernel have counted. */
struct rn_live_counts {
	int64_t stat[RN_STAT_COUNT];
	struct rn_bpf_stats bpf;
	int64_t misses;   /* events that a program missed because it was already running */
	int64_t unpassed; /* hits that did not reach all queries of a search */
};

/* Which numbers have been judged, by which condition: rn_conjunct.judged. */
struct rn_verdict;
struct rn_verdicts {
	struct rn_verdict *known; /* a map */
	bool any;                 /* has the fragment such conditions? */
	bool full;                /* the kernel's map has no more room */
};

/* More functions have one program for all: each program takes the kernel a while to attach. */
enum { RN_TRACED_MAX = 8 };
/* What this kernel has and refuses programs for: a query is opened again without. */
enum { RN_REFUSES_LOADS = 1, RN_REFUSES_TRACED = 2 };
/* Functions that a query names, or an end of its pair. */
struct rn_named {
	const struct rn_class *cls; /* NULL: it names none */
	bool ends;                  /* the ends of calls are the events */
	struct rn_user user;
	bool multi;                /* their programs were loaded for links that hold many */
	enum rn_kprobe_way kprobe; /* how functions of the kernel are attached to */
	/* few functions of the kernel, which have a program each; ntraced 0: all have one */
	struct rn_function traced[RN_TRACED_MAX];
	unsigned ntraced;
	/* of probe_fd: those at the entry of functions of the kernel */
	unsigned entry_from, nentry;
};

struct rn_live {
	struct rn_source *set[RN_MAX_LIVE]; /* live sets: a query each, see sets.c */
	unsigned nsets;
	struct rn_arena *arena; /* lives as long as the source */
	struct rn_arena *batch; /* reset before each delivery */
	const struct rn_fragment *fragment;
	const struct rn_scope *scope;
	struct rn_gen_out out;
	struct rn_maps maps;
	struct rn_intrinsics *intrinsics; /* NULL: no precompiled function is used */
	struct rn_btf_ids ids;            /* the kernel's */
	struct rn_event_decoder dec;
	struct rn_verdicts verdicts;
	/* rows: the time and the place in the ring from which another turn of dec's names is due */
	int64_t names_ns;
	uint64_t names_pos;
	/* link: the event of a tracepoint with fields of its own */
	int prog_fd[RN_PROGS_MAX], link_fd[RN_PROGS_MAX];
	struct rn_chain_place place; /* among the queries that watch system calls */
	/* Among the queries that share a search; NULL: its own programs search for it alone. left:
	 * it takes no hits any more. The counts of the search as it came, and as it left. */
	struct rn_search *search;
	unsigned search_place;
	const char *search_key; /* equal: queries can share */
	bool left;
	struct rn_live_counts shared_begin, shared_end;
	struct rn_tls_libs tls;   /* libraries to probe: none unless the class covers them */
	bool tls_alone;           /* the class covers nothing else */
	struct rn_named named[2]; /* functions that the query names; a pair: at each end */
	int *probe_fd;
	unsigned nprobes;           /* links of probes in libraries and programs; clocks of CPUs */
	bool by_name[RN_PROGS_MAX]; /* programs on tracepoints: attached to by name */
	/* tracepoints of a glob that nothing could be attached to */
	int64_t unattached;
	bool tls_multi;      /* programs in TLS libraries were loaded for links that hold many */
	int64_t link_misses; /* what links at entries counted, before they were closed */
	char *taken;         /* how the query is hooked, for the provider; NULL: it does not ask */
	struct rn_ring ring;
	const struct rn_btf *btf; /* the provider's */
	/* its types, while the source is being opened; NULL: not open */
	const struct rn_btf_image *kernel;
	bool nfsd; /* its module was there when the query began */
	bool late; /* some programs are loaded only when they are missed */
	/* a hook of operations that are no calls, whose program the kernel refused; 0: none */
	unsigned no_hook;
	bool no_handover;    /* it refused a program that others hand events to */
	bool members, loads; /* it reads members of structs of the kernel, by loads */
	unsigned refuses;    /* the kernel refused one of its programs, perhaps for these */
	bool functions;      /* calls have programs on their functions, else on the tracepoints */
	struct rn_live_functions *known; /* the kernel's functions; NULL: they are not wanted */
	unsigned ncpus;
	uint64_t epoch;
	int64_t rows, events, other; /* delivered: rows; events in groups, of them in (other) */
	int64_t begin_ns, end_ns;
	bool started, stopped;
};

/* resource_use.c */
void rn_live_cost(const struct rn_live *live, struct rn_cost *cost); /* adds to c */
/* Returns the number of per-CPU values. CPUs are numbered from 0 without gaps (as
 * on all machines with one firmware table). */
unsigned rn_live_cpus(void);
/* The part of the mapped globals that programs write to on this CPU: RN_PART_TOTALS. */
static inline unsigned char *rn_live_part(const struct rn_live *live, unsigned cpu)
{
	return (unsigned char *)live->maps.globals + live->out.part_off +
	       (size_t)cpu * live->out.part_stride;
}

/* ledger.c: adds the counts of the query's programs so far, but not its begin and end. The other
 * one gives them as they are; whole: with what is uncovered by now. */
void rn_live_ledger(const struct rn_live *live, struct rn_ledger *ledger);
void rn_live_counts(const struct rn_live *live, bool whole, struct rn_live_counts *out);
/* live.c: closes what is left of a query that was detached. */
void rn_live_free(struct rn_live *live);
/* search.c: the query that searches for this one; NULL: it does so itself. */
const struct rn_live *rn_search_owner(const struct rn_live *live);

/* named.c: finds the functions that the fragment names, if its class, or an end of its pair, is of
 * functions; attaches program i to them. */
int rn_live_find_functions(struct rn_live *live, struct rn_err *err);
/* May each of these have a program, if the kernel's types know them? Then finds them there. */
bool rn_live_may_trace(const struct rn_live *live);
void rn_live_find_traced(struct rn_live *live, const struct rn_btf_image *kernel);
int rn_live_write_places(struct rn_live *live, struct rn_err *err); /* of static probes */
int rn_live_attach_functions(struct rn_live *live, unsigned i, struct rn_err *err);
/* Until all functions of the kernel have their probes, the entry of a call is not noted: its return
 * may have none. */
void rn_live_hold_calls(struct rn_live *live, bool hold);
/* How they are hooked, and how members are read, as lines of text. */
const char *rn_live_named_text(const struct rn_live *live, struct rn_arena *arena);
/* The functions that a program is on; its hook is one of functions that a query names. */
struct rn_named *rn_live_named_of(struct rn_live *live, const struct rn_prog *prog);
void rn_live_count_late(struct rn_live *live);  /* files that came since the query began */
void rn_live_close_named(struct rn_live *live); /* all is attached */
void rn_live_free_named(struct rn_live *live);

/* attach.c */
/* Makes room for n more descriptors of attached things other than links of programs. */
int *rn_live_more_probes(struct rn_live *live, unsigned n);
int rn_live_load(struct rn_live *live, const struct rn_btf *btf, struct rn_err *err);
int rn_live_attach(struct rn_live *live, struct rn_err *err);
int rn_live_attach_way(struct rn_live *live, enum rn_way way, struct rn_err *err);
void rn_live_iterate(int link_fd); /* runs an iterator once */
/* Runs the programs that look at all open files. */
void rn_live_look(const struct rn_live *live);
/* Loads and attaches programs that events so far have shown to be useful. */
void rn_live_attach_late(struct rn_live *live);
/* Detaches: from now on no program sees an event unless it is in one already (rn_live_settle waits
 * for those). all: nothing stays attached. Otherwise perf events of tracepoints stay, as the kernel
 * takes some 60 ms to end one: their programs see that the query is over. */
void rn_live_detach(struct rn_live *live, bool all);
/* Returns this process's id as the kernel's programs see it: in the first PID namespace. */
int32_t rn_live_self(void);
/* Do processes have the same ids here as in events? If not, -ENOTSUP: so says what cannot be done,
 * hint what can. */
int rn_live_check_ids(struct rn_err *err, const char *so, const char *hint);
/* Waits until no program that began before still runs on any CPU. */
void rn_live_settle(void);
/* Handles EPERM: sets a text that says what it means, and a hint that names what is missing. */
int rn_live_denied(struct rn_err *err, int code, const char *what);

/* functions.c: may programs on functions be tried? Only the first time takes long. */
bool rn_live_functions_try(struct rn_live_functions *known, const struct rn_btf *btf);
bool rn_live_has_functions(const struct rn_live *live); /* are there such programs? */
/* The kernel refused one of them, with err: this query, and later ones, go without. */
void rn_live_no_functions(struct rn_live *live, int code, const struct rn_err *err);
/* Attaches the programs of system calls: those on functions, if they see all that the others would
 * see. */
int rn_live_attach_calls(struct rn_live *live, struct rn_err *err);
/* How the calls of the query are hooked, as a line of text; NULL: there are none. */
const char *rn_live_hooks_text(const struct rn_live *live, struct rn_arena *arena);

/* ring.c */
int rn_ring_open(struct rn_ring *ring, int map_fd, uint64_t size, struct rn_err *err);
void rn_ring_close(struct rn_ring *ring);
/* Delivers the rows that are there, waiting at most timeout_ms for them. Negative: what the sink
 * returned, or -errno. */
int rn_live_rows(struct rn_live *live, const struct rn_sink *sink, int timeout_ms,
		 struct rn_err *err);

/* drain.c: delivers the groups of one half. keep: only looks; otherwise takes them out. */
int rn_live_groups(struct rn_live *live, const struct rn_sink *sink, unsigned half,
		   int64_t window_ns, bool keep, struct rn_err *err);

/* live.c: the query behind a source of rn_live_open. */
struct rn_live *rn_live_of(struct rn_source *source);

/* ---- sets.c ---- */

/* Writes out.sets[set], a list after `in`, into the map of lists. What equals no value of its field
 * is left out. */
int rn_set_write(struct rn_live *live, unsigned set, struct rn_err *err);
/* Writes the hashes of the names of system calls, for `distinct(name)`, if they are wanted. */
int rn_names_write(struct rn_live *live, struct rn_err *err);

/* Opens the live sets of the fragment. On error those that were opened wait to be closed. */
int rn_members_open(struct rn_live_kernel *kernel, struct rn_live *live,
		    const struct rn_fragment *fragment, const struct rn_scope *scope,
		    struct rn_err *err);
void rn_members_lend(struct rn_live *live); /* gives the query the maps of its sets */
int rn_members_start(struct rn_live *live, struct rn_err *err);
void rn_members_add(struct rn_live *live, unsigned set, const int64_t *pids, unsigned n);
void rn_members_stop(struct rn_live *live, struct rn_err *err);
/* Adds the programs that began unseen: their processes may be missing in a set. */
void rn_members_ledger(const struct rn_live *live, struct rn_ledger *ledger);
void rn_members_close(struct rn_live *live);

/* ---- judge.c ---- */

void rn_judge_init(struct rn_live *live); /* once its fragment is set */
/* Judges the numbers in a row that are new; rec: the row as the kernel wrote it. */
void rn_judge_row(struct rn_live *live, const unsigned char *rec, const struct rn_value *row);
void rn_judge_free(struct rn_live *live);
#endif
