/* codec.h - frames: length-prefixed protobuf (exec/wire/wire.proto), the same on every transport.
 *
 * A frame is a little-endian uint32 length (at most RN_FRAME_MAX), then a Frame message. Decoders
 * treat input as hostile: every count, depth, index and length is checked, and bad bytes give
 * -EBADMSG with a reason, never a crash. */
#ifndef RN_EXEC_WIRE_CODEC_H
#define RN_EXEC_WIRE_CODEC_H
#include "planner/plan/source.h"

#define RN_FRAME_MAX (16u << 20)
/* 2: wide sums; 3: rates divided at the node, fragments that are held, more items of ledgers; 4: a
 * seed of hashes */
#define RN_WIRE_VERSION 5

enum rn_frame_kind {
	RN_FRAME_HELLO,
	RN_FRAME_FRAGMENT,
	RN_FRAME_ROWS,
	RN_FRAME_PARTIALS,
	RN_FRAME_LEDGER,
	RN_FRAME_WATERMARK,
	RN_FRAME_STOP,
	RN_FRAME_ERROR,
	RN_FRAME_END,
	RN_FRAME_ACCEPTED,
	RN_FRAME_START,
	RN_FRAME_STARTED,
	RN_FRAME_PING,
	RN_FRAME_PONG,
	RN_FRAME_PEEK,
	RN_FRAME_PEEKED,
	RN_FRAME_TRIP,
	RN_FRAME_COUNT
};
struct rn_hello {
	const char *program, *kind, *name, *asker, *place;
	const int32_t *pids;
	unsigned npids;
	uint32_t nodes, depth;
	int64_t clock_base_ns;
};
/* see wire.proto */
struct rn_round_trip {
	const char *node, *through;
	int64_t sent_ns, node_ns, received_ns, shift_ns;
};
struct rn_frame { /* decoded; all in the arena given to rn_frame_decode */
	enum rn_frame_kind kind;
	const char *node; /* sender */
	uint64_t seq;
	struct rn_fragment *fragment; /* FRAGMENT; not bound yet */
	struct rn_rows rows;
	struct rn_partials partials;
	struct rn_ledger ledger; /* LEDGER; for WATERMARK its counts */
	/* PARTIALS of a peek, PEEK, PEEKED: its number; 0: for a window */
	uint32_t peek;
	/* WATERMARK: no row or partial of an earlier window follows */
	int64_t watermark_ns;
	/* WATERMARK: events so far; with the counts of `ledger` (.n alone), all 0 if there are
	 * none */
	int64_t seen;
	/* FRAGMENT to a relay: which of its nodes, as for rn_host_chosen; NULL: all */
	const char *const *on;
	/* WATERMARK of a relay: nodes below; whole: nodes that have missed nothing so far */
	uint32_t answering, late, whole;
	/* WATERMARK: how many nodes have a whole part of the window that ends there */
	uint32_t in_window;
	int64_t clock_shift_ns;     /* FRAGMENT: what the node adds to its event clock */
	int64_t first_ns, until_ns; /* START, for a fragment that is held */
	/* STOP: how long the sender waits for the end; 0: not told */
	int64_t wait_ns;
	int64_t sent_ns, node_ns; /* PING, PONG; STARTED: node_ns is the begin */
	uint32_t nodes;           /* ACCEPTED */
	/* from a relay, with ACCEPTED: the nodes below; with WATERMARK: those that are not in the
	 * window, and why. NULL: none told */
	char *names;
	struct rn_hello hello;
	struct rn_round_trip trip;
	struct rn_err error;
};

/* ---- encode.c ---- */

/* Appends length and message to *buf (realloc'ed; updates *len, *cap). aggs: the calls that the
 * states in partials belong to. */
int rn_frame_encode(const struct rn_frame *frame, const struct rn_agg_call *aggs, unsigned naggs,
		    unsigned nkeys, unsigned char **buf, size_t *len, size_t *cap);

/* ---- frames.c ---- */

/* Frames of this kind stay in order with rows and partial states. They travel on the data lane, all
 * others on the control lane. */
bool rn_frame_in_order(enum rn_frame_kind kind);

/* ---- decode.c ---- */

/* What the message is, from its first level alone, without decoding it; -1: not known. Cheap, takes
 * no memory. */
int rn_frame_kind(const unsigned char *bytes, size_t n);
/* Decodes one message. bytes: without its length prefix. The result takes no more than the arena's
 * cap; beyond it -EDQUOT. aggs as above for PARTIALS (blobs are decoded); needs no catalogue.
 * States are in the arena, except blobs, which rn_frame_release frees. */
int rn_frame_decode(struct rn_arena *arena, const unsigned char *bytes, size_t n,
		    const struct rn_agg_call *aggs, unsigned naggs, unsigned nkeys,
		    struct rn_frame *out, struct rn_err *err);
void rn_frame_release(struct rn_frame *frame, const struct rn_agg_call *aggs, unsigned naggs);

/* ---- encode.c ---- */

/* Splits a batch that is too long for a frame (-EMSGSIZE) into halves; n is at least 2. */
void rn_rows_halve(const struct rn_rows *rows, struct rn_rows half[2]);
void rn_partials_halve(const struct rn_partials *partials, struct rn_partials half[2]);

/* ---- bind.c ---- */

/* Looks up class, fields, functions and aggregates of a received fragment again, and checks types.
 * Errors name what is unknown. */
int rn_fragment_bind(struct rn_arena *arena, struct rn_fragment *fragment,
		     const struct rn_catalog *catalog, struct rn_err *err);
/* The same for the aggregates alone: a relay, which merges states, needs no more. */
int rn_fragment_bind_aggs(struct rn_fragment *fragment, struct rn_err *err);
#endif
