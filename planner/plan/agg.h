/* agg.h - what an aggregate is: a table of slots and cells. The kernel, a node, a relay and the
 * coordinator all follow the same description. A new aggregate is one file in planner/agg/ and its
 * name in the list of planner/agg/agg_impl.h.
 *
 * The partial state of one aggregate in one group:
 *   words  one int64 per slot (more for the wide ones, lowest first), updated by simple operations
 *          that commute;
 *   cells  a sparse array bucket -> int64, for histograms, quantiles and HyperLogLog;
 *   blob   state that fits neither (set, top, first/last of strings): updated in user space only.
 *
 * Update, merge and the kernel's code follow from the table. Only finish is code. All arithmetic is
 * on integers, so any order and grouping of merges gives the same answer: FLOAT arguments are first
 * rounded to multiples of 2^-20.
 *
 * No state overflows. A test for overflow in a merge would depend on the order of merges, because a
 * sum that left a range can come back into it. So states are wide enough for all that they can ever
 * hold: 2^64 events of 64-bit arguments add up to less than 2^127, and their squares to less than
 * 2^190. Fractions below 2^62 take 82 bits, so 2^45 of the greatest fit. Those of stddev, below
 * 2^53, take 73 bits, so 2^45 of the greatest squares fit. Only a value can then be too great. It
 * is an argument beyond these bounds, which is left out like NULL, or the result of an integer sum
 * with more than 64 bits, which is NULL. Both are counted (RN_L_OVERFLOW). */
#ifndef RN_PLANNER_PLAN_AGG_H
#define RN_PLANNER_PLAN_AGG_H
#include "planner/plan/expr.h"

#define RN_FIXED_SHIFT 20 /* a FLOAT argument x enters as rint(x * 2^20) */
/* |x| < 2^62; 2^53 if its square is added up */
enum { RN_FIXED_BITS = 62, RN_FIXED_SQ_BITS = 53 };

enum rn_slot_op {
	RN_SLOT_COUNT, /* 1 word: += 1 */
	RN_SLOT_SUM,   /* 2 words: signed 128-bit += arg */
	/* 4 words: signed 256-bit += arg; += 1 if the call has no argument. See rn_agg_cover */
	RN_SLOT_RATE,
	RN_SLOT_SUMSQ, /* 3 words: unsigned 192-bit += arg * arg */
	RN_SLOT_MIN,   /* 1 word */
	RN_SLOT_MAX,   /* 1 word */
	RN_SLOT_FIRST, /* 2 words: time, arg; keeps the least (time, arg) */
	RN_SLOT_LAST,  /* 2 words: time, arg; keeps the greatest (time, arg) */
};
/* Quantiles have cells, and also MIN and MAX, which bound their results. For FLOAT arguments MIN to
 * LAST hold not the fixed-point number but the double itself, as the integer that rn_agg_ordered
 * makes of it. */
/* A group's words exist from its first event on; MIN, MAX, FIRST, LAST take that event's value. A
 * per-CPU copy that saw no event of the group (its event count is 0) takes no part in a merge. */

enum rn_cell_fn {
	RN_CELL_NONE,
	RN_CELL_LOG2,   /* hist: see rn_bucket_log2 */
	RN_CELL_LINEAR, /* lhist(x, lo, hi, step): params 0..2; -1 below, n at or above hi */
	RN_CELL_LOGLIN, /* quantile: see rn_bucket_loglin */
	RN_CELL_HLL,    /* distinct: bucket = register, value = rank; merged by MAX */
};

/* ---- planner/agg/bucket.c ---- */

/* Bucket functions: the kernel's generated code must compute the same. */
typedef __int128 rn_wide;          /* a fixed-point number, or a sum */
int32_t rn_bucket_log2(rn_wide v); /* v < 0: -1; 0: 0; else 1 + floor(log2 v) */
/* 64 sub-buckets an octave: |v| < 128 exact; the midpoint is within 1/128 of any value in the
 * bucket. Negative values take the negative of |v|'s bucket, minus 1. Source: HdrHistogram's
 * log-linear layout. */
int32_t rn_bucket_loglin(rn_wide v);
rn_wide rn_bucket_loglin_mid(int32_t b);
int32_t rn_bucket_linear(rn_wide v, rn_wide lo, rn_wide hi, rn_wide step);
/* 64-bit hash of a value, the same in BPF. It starts with h = 0x9E3779B97F4A7C15. Each 8-byte
 * little-endian word w that is not 0 makes h = mix(h ^ w). An INT is one word; a string is
 * zero-padded to a multiple of 8. At last h = mix(h ^ 0x5bd1e995). mix(x): x ^= x >> 32; x *=
 * 0xd6e8feb86659fd93; twice; x ^= x >> 32. */
uint64_t rn_hash_value(const struct rn_value *value);
/* The same from h = 0x9E3779B97F4A7C15 ^ seed on. A person who does not know the seed cannot choose
 * values with certain hashes. */
uint64_t rn_hash_seeded(const struct rn_value *value, uint64_t seed);
#define RN_HLL_BITS 14 /* registers 2^14: standard error 0.81 % */
/* reg = hash >> 50; rank = 1 + ctz(hash | 1 << 49) */
void rn_hll_cell(uint64_t hash, int32_t *reg, int64_t *rank);

struct rn_cell {
	int32_t bucket;
	int64_t value;
};
struct rn_state {
	/* nwords of the definition; NULL if it has none, or if no event touched the state */
	int64_t *words;
	struct rn_cell *cells; /* sorted by bucket, unique */
	uint32_t ncells, cap_cells;
	void *blob; /* in the definition's own format */
};

struct rn_agg_call;
struct rn_finish_ctx {
	int64_t window_ns; /* length of the window; 0: no windows */
	/* gets 1 more for each result of more than 64 bits; NULL: not wanted */
	uint64_t *overflow;
};
struct rn_agg {
	struct rn_agg_sig sig; /* must be first: the language sees only this part */
	uint8_t nslots;
	enum rn_slot_op slot[4];
	enum rn_cell_fn cell;
	/* why the kernel cannot update it; NULL: slots and cells suffice */
	const char *not_kernel;
	/* Blob aggregates only, NULL otherwise. Memory is from malloc; blob_free releases it.
	 * encode appends to a growing buffer through put; decode returns a new blob or NULL if the
	 * bytes are bad (they come from the network). */
	void *(*blob_new)(const struct rn_agg_call *call);
	void (*blob_update)(const struct rn_agg_call *call, void *blob,
			    const struct rn_value *value, int64_t time_ns);
	void (*blob_merge)(const struct rn_agg_call *call, void *blob, const void *other);
	void (*blob_encode)(const struct rn_agg_call *call, const void *blob,
			    void (*put)(void *, const void *, size_t), void *to);
	void *(*blob_decode)(const struct rn_agg_call *call, const void *bytes, size_t n);
	void (*blob_free)(const struct rn_agg_call *call, void *blob);
	/* Returns the answer, in the arena. Results for an untouched state (no event): count 0, sum
	 * 0, others RN_NULL or empty. A sum of integers with more than 64 bits is RN_NULL, counted
	 * in f. */
	struct rn_value (*finish)(const struct rn_agg_call *call, const struct rn_state *state,
				  const struct rn_finish_ctx *ctx, struct rn_arena *arena);
	/* parameter that the name implies: 0.99 for p99 */
	double preset;
};

struct rn_agg_call { /* one use of an aggregate in a query */
	const struct rn_agg *def;
	struct rn_expr *arg; /* NULL: none (count) */
	/* only events of which this is true enter the state; NULL: all */
	struct rn_expr *where;
	double param[3];  /* constants after the argument, or the preset */
	struct rn_ty ty;  /* of the result */
	bool fixed;       /* arg is FLOAT: sums and cells hold fixed-point values */
	const char *text; /* canonical, "p99(latency)" */
	/* of the coordinator: the text of the aggregate whose missing values this one counts; NULL:
	 * it is one of the query (planner/lower/nulls.c) */
	const char *nulls_of;
	/* seed of hashes that decide which values are kept: random, equal on all nodes of a
	 * query */
	uint64_t seed;
};

/* ---- planner/agg/table.c ---- */

/* All aggregates, and their signatures for the catalogues; NULL-terminated. planner/agg/table.c
 * makes them from one list. */
extern const struct rn_agg *const rn_aggs[];
extern const struct rn_agg_sig *const rn_agg_sigs[];
/* Returns the aggregate of that name, which may be p and two to four digits; NULL: there is none.
 */
const struct rn_agg *rn_agg_find(const char *name);
unsigned rn_agg_words(const struct rn_agg *agg); /* number of words of its slots */
/* A rate divides by the time that its node has covered. It is divided before states of several
 * nodes are merged, so rates of nodes add up. A node counts in RN_SLOT_RATE as in a sum. When it
 * gives a window away, it turns that sum into what a whole window would have held at this pace, in
 * multiples of 2^-RN_RATE_SHIFT: w = w * whole_ns / covered_ns. No state overflows: |sum| < 2^127,
 * whole_ns < 2^63, covered_ns >= 1. For a query without windows whole_ns is a second
 * (RN_RATE_NS). */
#define RN_RATE_SHIFT 64
#define RN_RATE_NS 1000000000LL

/* ---- planner/agg/rate.c ---- */

void rn_agg_cover(int64_t w[4], int64_t whole_ns, int64_t covered_ns);

/* ---- planner/agg/table.c ---- */

/* Does this aggregate have a RN_SLOT_RATE? */
bool rn_agg_has_rate(const struct rn_agg *agg);
/* Do the results of all groups add up to that of all events together, as count and sum do? */
bool rn_agg_adds_up(const struct rn_agg *agg);
/* Does it count or add, so that its result is no value of a field? */
bool rn_agg_counts(const struct rn_agg *agg);
/* Returns the index of the first call with the same state as call i, which may be i. Only finish
 * may differ, as in p50(x) and p99(x). The kernel keeps that state alone. */
unsigned rn_agg_same_state(const struct rn_agg_call *aggs, unsigned i);
/* True if this use keeps its state in the blob and not in slots: set, top, and first/last of text.
 * Never in the kernel. */
bool rn_agg_uses_blob(const struct rn_agg_call *call);
#endif
