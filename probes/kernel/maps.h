/* maps.h - the maps of one query: numbers that emitted programs refer to, and their creation.
 *
 * Only descriptors hold the maps. Nothing is pinned, so that a killed process leaves nothing
 * behind. The maps `paths` and `rn_scratch` belong to the precompiled functions (splice.h);
 * programs only refer to them by numbers from here. */
#ifndef RN_PROBES_KERNEL_MAPS_H
#define RN_PROBES_KERNEL_MAPS_H
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lang/base/err.h"
#include "probes/abi/abi.h"
#include "probes/abi/operand.h"

enum rn_map {
	/* array of one, mmapped: struct rn_globals, then the CPUs' parts (probes/gen/group.c),
	 * zeros as large as a group's value, and recent groups (probes/gen/group.c) */
	RN_MAP_GLOBALS,
	/* hash: packed keys -> for each CPU: events, words; one map for each epoch */
	RN_MAP_GROUPS0,
	RN_MAP_GROUPS1,
	RN_MAP_CELLS0, /* hash: packed keys, aggregate, bucket -> int64, updated atomically */
	RN_MAP_CELLS1,
	/* LRU hash: keys -> time and fields of a pair's first event, which waits for the second */
	RN_MAP_PAIRS,
	/* LRU hash: stack pointer, process or function -> struct rn_bpf_call that has begun, and
	 * texts */
	RN_MAP_NOTED,
	RN_MAP_START,   /* task storage: struct rn_start of the call that the thread is in */
	RN_MAP_SCOPE,   /* array of one, mmapped: a bit for each process id */
	RN_MAP_MEMBERS, /* the same for members of a live set, of the query that adds them */
	/* the members of each live set: of other queries */
	RN_MAP_LIVE0,
	RN_MAP_LIVE1,
	RN_MAP_LIVE2,
	RN_MAP_LIVE3,
	RN_MAP_RING,    /* ring buffer of rows */
	RN_MAP_SCRATCH, /* per-CPU array of one: data too large for the stack */
	RN_MAP_NAMES,   /* array by system call number: hash of its name, for `distinct(name)` */
	/* hash: struct rn_verdict_key -> 1 if the condition holds of it, else 0 */
	RN_MAP_VERDICTS,
	RN_MAP_SETS,    /* hash: struct rn_set_key, of lists that are too long for comparisons */
	RN_MAP_STACKS0, /* stack traces: RN_STACK_WAYS maps, see stack.h */
	RN_MAP_STACKS1,
	RN_MAP_STACKS2,
	RN_MAP_STACKS3,
	/* hash: processes with a new group and a user stack, which user space looks at */
	RN_MAP_PROCS,
	RN_MAP_PLACES, /* array: struct rn_operands by number of a static probe's place */
	RN_MAP_CGROUP, /* the cgroup that a node consists of */
	RN_MAP_CALLS,  /* array of one: a byte for each system call, enum rn_call_kind */
	RN_MAP_TAILS,  /* program array: what programs at hooks hand their events to */
	/* program arrays of one: the program that those on functions of one type go on in */
	RN_MAP_RETURNS0,
	RN_MAP_RETURNS1,
	RN_MAP_ENTRIES0,
	RN_MAP_ENTRIES1,
	/* of all queries of a process, see probes/live/chain.h. Program array: their programs */
	RN_MAP_CHAIN,
	/* array of one, mmapped: struct rn_route by number of the call, struct rn_passed by CPU */
	RN_MAP_ROUTES,
	/* the scratch memory of another query, whose search this one shares: probes/live/search.h
	 */
	RN_MAP_SEARCHED,
	/* the precompiled functions' map of paths, and the map for paths that do not fit it: not
	 * made here */
	RN_MAP_PATHS,
	RN_MAP_PATHS_BEYOND,
	RN_MAP_COUNT,
	RN_MAP_MADE = RN_MAP_PATHS
};

/* A search for tags leaves out other calls. It looks at special ones more closely first. */
enum rn_call_kind { RN_CALL_OTHER, RN_CALL_SEARCHED, RN_CALL_SPECIAL };
enum { RN_SEARCH_PLACES = 8 }; /* queries that share a search; its own has place 0 */
/* Places in the array of programs. AGAIN: the next operation of a hit that stands for several.
 * NEXT: by place, the program of the query that takes a hit after the one at that place. */
enum rn_tail {
	RN_TAIL_EVENT,
	RN_TAIL_LOCK_AGAIN,
	RN_TAIL_CLONE_AGAIN,
	RN_TAIL_NEXT,
	RN_TAIL_COUNT = RN_TAIL_NEXT + RN_SEARCH_PLACES
};

struct rn_globals {           /* shared with user space */
	uint64_t epoch;       /* 0 or 1: the half that takes the events */
	uint64_t want_wakeup; /* the reader of the ring sleeps: wake it */
	/* probes in programs may lose the CPU to others of this query: see RN_SCRATCH_BUSY */
	uint64_t guard;
	/* a held fragment: the monotonic time from which events count; 0: it has passed */
	uint64_t first;
	/* the query has ended: programs at tracepoints, which take long to detach, ignore events */
	uint64_t over;
	uint64_t callers; /* tasks that were in a call when the query began: probes/gen/functions.c
			   */
	uint64_t copied;  /* a file of overlayfs may have been copied up: probes/gen/ways.c */
	uint64_t next;    /* another query takes the hits of the same search after this one */
};
/* Programs of several queries at the return of system calls run one after another. A route says
 * which of them want a call. */
enum {
	RN_CHAIN_PLACES = 32, /* kernel: MAX_TAIL_CALL_CNT is 33 */
	/* routes without a number: of 32-bit calls, of calls that have no number here */
	RN_ROUTE_COMPAT = RN_SYS_FIRST_FREE,
	RN_ROUTE_OTHER,
	RN_ROUTES
};
struct rn_route {
	/* by place: the first program at this place or after it; RN_CHAIN_PLACES: none */
	uint8_t next[RN_CHAIN_PLACES];
	/* monotonic time from which the beginning of the call is noted; 0: it is not */
	uint64_t since_ns;
	uint64_t spare[3]; /* a route is a line of the processor's cache */
};
struct rn_passed {         /* from one program to the next */
	uint64_t route;    /* bytes from the first route */
	uint64_t begin_ns; /* 0: not known */
};
enum rn_stat {
	RN_STAT_SEEN,
	RN_STAT_LOST_RING,
	RN_STAT_LOST_CELL,
	RN_STAT_UNPAIRED,
	RN_STAT_TRUNCATED,
	RN_STAT_COMPAT,
	RN_STAT_LOST_STACK,
	RN_STAT_LOST_SCRATCH,
	RN_STAT_FAULTED /* texts of programs */,
	RN_STAT_EMPTY /* calls to be searched that have no payload */,
	/* pairs: first events; first events that replaced another with the same key; first events
	 * without room; pairs */
	RN_STAT_PAIR_BEGUN,
	RN_STAT_PAIR_AGAIN,
	RN_STAT_PAIR_LOST,
	RN_STAT_PAIRED,
	/* calls of functions whose end is the event: noted when they begin; without room; ended */
	RN_STAT_NOTED,
	RN_STAT_NOTE_LOST,
	RN_STAT_ENDED,
	RN_STAT_COUNT
};
/* In a CPU's part of the globals: counters by enum rn_stat, then a group's value for each epoch:
 * the only group of a query without keys, else (other). */
enum { RN_PART_TOTALS = 8 * RN_STAT_COUNT };
/* words: the name of a file, and which it is */
enum { RN_START_FILE = offsetof(struct rn_bpf_file, mode) / 8 };
/* at entry: monotonic time; the file that is closed */
struct rn_start {
	uint64_t time_ns, file[RN_START_FILE];
};

/* A number that stands for a name, and the place in `where` of a condition on that name. */
struct rn_verdict_key {
	uint64_t number, conjunct;
};
/* beyond it, events stay unjudged: they are rows */
enum { RN_VERDICTS_MAX = 16384 };
/* A value of `in (...)`: which list it is in, then a number and 0, or the name of a task. */
struct rn_set_key {
	uint64_t set, value[2];
};

/* first events that wait; for each CPU, those it may have set aside */
enum { RN_PAIRS_MAX = 16384, RN_PAIRS_CPU = 128 };
/* Stacks: probes/live/stack.h says how they are kept. */
enum {
	RN_STACK_WAYS = 4,
	RN_STACK_PLACES = 4096,  /* in each map */
	RN_STACK_WAY_SHIFT = 24, /* number = place | way << this */
	RN_STACK_FRAMES = 127,   /* more are cut at the root; the kernel's own default limit */
	RN_STACK_PROCS = 1024,
	RN_STACK_LEARN_MS = 1, /* interval of looking at the map of processes */
};
enum { RN_STACK_LOST = -1, RN_STACK_NONE = -2 }; /* instead of a number */
enum { RN_SCOPE_PIDS = 1 << 22 };                /* the kernel's PID_MAX_LIMIT */

enum { RN_RING_BYTES = 16 << 20 }; /* 160,000 rows of 100 bytes: how far a reader may lag */

struct rn_map_spec {
	int type;
	uint32_t key_bytes, value_bytes, entries, flags;
	bool used;
};
struct rn_maps {
	struct rn_map_spec spec[RN_MAP_COUNT];
	int fd[RN_MAP_COUNT];       /* -1: none */
	struct rn_globals *globals; /* mapped; NULL if not used */
	uint64_t *scope, *members;  /* mapped; NULL if not used */
	struct rn_route *routes;    /* the same */
	uint64_t lent;              /* set of 1 << map: neither made nor closed here */
	/* being made: by rn_maps_begin_ring */
	struct {
		bool begun;
		pthread_t thread;
		int fd;
	} ring;
};

const char *rn_map_name(int map);
/* Begin to make the ring in a thread, before it is certain to be used: the kernel takes
 * milliseconds, page by page. Optional. */
void rn_maps_begin_ring(struct rn_maps *maps);
/* Create the maps that spec says are used, except a ring under way. The fds from RN_MAP_MADE on are
 * left alone. On error all are closed again. */
int rn_maps_create(struct rn_maps *maps, struct rn_err *err);
/* Wait for the ring, or make it if none was begun. Same errors. */
int rn_maps_ready(struct rn_maps *maps, struct rn_err *err);
void rn_maps_close(struct rn_maps *maps);
/* Bytes that a map or a program takes in the kernel, by its descriptor; 0: not known. */
int64_t rn_map_memory(int fd);
#endif
