/* flow_impl.h - inside of exec/flow/: hops, and how they are paired.
 *
 * flow.c collects hops and shows them. connections.c pairs the two ends of a connection as far as
 * no clock is needed. order.c puts all hops in one order. causes.c, in that order, finds where each
 * came from. channels.c remembers what went into a channel until it comes out. Whatever a process
 * puts out came from something that it took in: process.c finds that, by evidence. fingerprints.c
 * compares the bytes around a tag. evidence.c is the memory for it, which is bounded. */
#ifndef RN_EXEC_FLOW_FLOW_IMPL_H
#define RN_EXEC_FLOW_FLOW_IMPL_H
#include <string.h>
#include "exec/flow/flow.h"
#include "lang/base/hash.h"
#include "lang/base/str.h"
#include "lang/values/value.h"

enum rn_flow_need {
#define X(id, name) F_##id,
	RN_FLOW_NEEDS(X)
#undef X
		F_NEEDS
};

/* How the two ends of a channel were paired; greater is better. NOT_ASKED: it is no end of a
 * channel. */
enum rn_flow_how { RN_HOW_NOT_ASKED, RN_HOW_UNMATCHED, RN_HOW_ORDER, RN_HOW_NAT, RN_HOW_EXACT };

/* How `from` was found. */
enum rn_flow_how_linked {
	RN_LINK_NONE,
	RN_LINK_EXACT,
	RN_LINK_NAT,
	RN_LINK_ORDER,
	RN_LINK_FILE,
	RN_LINK_FUSE,
	RN_LINK_THREAD,
	RN_LINK_STREAM,
	RN_LINK_LENGTH,
	RN_LINK_HASH,
	RN_LINK_PROCESS,
	RN_LINK_INHERIT,
	RN_LINK_OUTSIDE /* not found: the hops that it came from are left out of the answer */
};

/* One of the hops that a hop's data came from, and which of its tags did. */
struct rn_cause {
	struct rn_cause *next;
	struct rn_flow_hop *from;
	const char *tag;        /* the first one */
	struct rn_strbuf *tags; /* if there are several: all, joined by "," */
	uint32_t choices;       /* how many hops were possible */
	uint8_t link;           /* enum rn_flow_how_linked */
};

struct rn_flow_hop {
	/* of a number its value, of a text the one that is kept: rn_flow_number, rn_flow_text */
	union {
		int64_t i;
		const struct rn_value *text;
	} field[F_NEEDS];
	uint32_t numbers, texts;  /* bits of the fields that are such */
	int64_t begin_ns, end_ns; /* entry and return */
	/* its place in the order: entry of a send, return of a receive; by the node's clock, by the
	 * common one */
	int64_t order_ns, aligned_ns;
	/* takes data in, puts it out; neither: a call that lang/catalog/direction.h does not have,
	 * from a newer recording */
	bool in, out;
	/* its beginning was not seen: begin_ns is the time of attaching to its node */
	bool unseen;
	uint8_t in_how, out_how; /* enum rn_flow_how */
	/* bits of its tags: taken out of the channel, and for certain; channels.c */
	uint64_t taken, sure;
	uint32_t node, arrival; /* number of the node; order of arrival */
	uint32_t alternatives;  /* for a datagram: how many sends `cause` could be */
	uint32_t number;        /* in the answer, counted from 1 */
	/* the send paired with this receive before there was an order: the latest */
	struct rn_flow_hop *cause;
	struct rn_cause *causes;
	struct rn_flow_hop *next; /* in arrival order */
	uint32_t waiting;         /* order.c: 1 + the first node that waits for this hop */
	uint32_t depth;           /* graph.c: hops from the beginning, by the longest way */
	/* bits of the conditions that hold of it. For the first of a flow: `through` holds of one
	 * of it. graph.c: `starting` is set on all that lies behind such a hop, `ending` before one
	 */
	uint8_t holds;
	struct rn_flow_hop *part; /* graph.c: another hop of its flow, nearer to the first; NULL */
};

/* When the query was attached to a node, by that node's clock. */
struct rn_flow_attached {
	const char *node;
	int64_t ns;
	struct rn_flow_attached *next;
};
/* A node whose events are not all there; NULL: all of them. */
struct rn_flow_lost {
	const char *node;
	struct rn_flow_lost *next;
};
struct rn_flow_slot {
	void *of;
	uint32_t value, hash;
	char key[];
};
struct rn_flow {
	struct rn_arena *arena;
	struct rn_arena *keys; /* what is made for one hop; while hops are matched and linked */
	struct rn_flow_texts *texts; /* texts.c */
	int col[F_NEEDS];            /* column in a row; -1: none */
	int condition[RN_FLOW_IFS];  /* its column; -1: there is none */
	bool whole;
	uint64_t room;
	int64_t shed;
	struct rn_flow_hop *first, *last;
	uint32_t n, nnodes, nids;
	bool matched, fuse; /* sockets are paired; some hop is of a server of FUSE */
	rn_flow_align_fn *align;
	void *align_self;
	struct rn_flow_attached *attached;
	struct rn_flow_lost *lost;
	bool *lossy; /* of each node: events were lost there; set before hops are linked */
	bool any_lossy;
	struct rn_flow_slot **slots; /* open addressing; a power of two */
	uint32_t nslots, used;
	struct rn_secret secret;       /* for their hash */
	struct rn_flow_memory *memory; /* evidence.c */
	uint64_t bound;
	int64_t forgotten;
};

static inline bool rn_flow_starts(const struct rn_value *value, const char *s)
{
	return value->kind == RN_STR && value->len >= strlen(s) && !memcmp(value->s, s, strlen(s));
}

static inline bool rn_flow_is(const struct rn_value *value, const char *s)
{
	return rn_flow_starts(value, s) && value->len == strlen(s);
}

/* Is it a number? A recording may lack the field. */
static inline bool rn_flow_has(const struct rn_flow_hop *hop, enum rn_flow_need need)
{
	return hop->numbers >> need & 1;
}

static inline int64_t rn_flow_number(const struct rn_flow_hop *hop, enum rn_flow_need need)
{
	return rn_flow_has(hop, need) ? hop->field[need].i : 0;
}

/* Its text, which ends in NUL; empty if it has none. */
static inline const struct rn_value *rn_flow_text(const struct rn_flow_hop *hop,
						  enum rn_flow_need need)
{
	static const struct rn_value none = {.kind = RN_STR, .s = ""};

	return hop->texts >> need & 1 ? hop->field[need].text : &none;
}

/* Is that /dev/fuse? It may have another name: of a container, or of a root elsewhere. The other
 * side of a splice is a pipe. */
static inline bool rn_flow_is_fuse(const struct rn_flow_hop *hop, const struct rn_value *path)
{
	return rn_flow_is(path, "/dev/fuse") ||
	       (rn_flow_number(hop, F_FUSE_DEV) && !rn_flow_starts(path, "pipe:["));
}

/* ---- flow.c ---- */

/* ---- keys: flow.c ---- */
/* The slot of a key, made with value 0 if it is new. */
struct rn_flow_slot *rn_flow_slot(struct rn_flow *flow, const char *key);
uint32_t rn_flow_id(struct rn_flow *flow, const char *key); /* a number for each key, from 1 */

/* ---- hops: flow.c ---- */
/* for (at = 0; rn_flow_tag(hop, &at, &tag);) */
bool rn_flow_tag(const struct rn_flow_hop *hop, uint32_t *at, struct rn_value *tag);
uint32_t rn_flow_tag_bytes(const struct rn_value *tag);
/* Gives where the tag begins, counted from the first byte of the hop's data; negative: it began in
 * an earlier call. False: not known. */
bool rn_flow_place(const struct rn_flow_hop *hop, const struct rn_value *tag, int64_t *place);

/* How many choices a link to the hop has that were lost with events of its node: 0 or 1. */
static inline uint32_t rn_flow_unknown(const struct rn_flow *flow, const struct rn_flow_hop *hop)
{
	return flow->lossy[hop->node];
}

/* Notes that hop has `tag` from there: adds a cause, or a tag to a known cause. */
void rn_flow_cause(struct rn_flow *flow, struct rn_flow_hop *hop, struct rn_flow_hop *from,
		   const struct rn_value *tag, enum rn_flow_how_linked link, uint32_t choices);

/* ---- texts.c ---- */
/* Texts of hops, each once. */
struct rn_flow_texts *rn_flow_texts(struct rn_arena *arena);
/* Returns the text that is kept, which ends in NUL. */
const struct rn_value *rn_flow_keep(struct rn_flow *flow, const char *s, uint32_t len);

/* ---- graph.c ---- */
/* Finds what hangs together, and the depth of each hop; then numbers the hops that are shown, and
 * sets the others' number to 0. */
void rn_flow_graph(struct rn_flow *flow, struct rn_flow_hop **order);

/* ---- show.c ---- */
typedef int rn_flow_visit_fn(void *self, const struct rn_value *value, int64_t time_ns);
/* bound_ns: as of rn_flow_align_fn; may be NULL */
int64_t rn_flow_aligned(const struct rn_flow *flow, const struct rn_flow_hop *hop, int64_t ns,
			int64_t *bound_ns);
/* Visits a hop's rows. */
int rn_flow_show(struct rn_flow *flow, struct rn_flow_hop *hop, rn_flow_visit_fn *visit,
		 void *self);

/* ---- fingerprints.c ---- */
enum {
	RN_PRINT_STEPS = 16,
	RN_PRINT_BYTES = 4 * RN_PRINT_STEPS,
	RN_PRINT_ENOUGH = 8 /* so many equal bytes are no chance */
};
/* hashes of the bytes before a tag, and behind it, in steps of 4 */
struct rn_print {
	uint16_t step[2][RN_PRINT_STEPS];
	uint8_t known[2];
};
/* Gives what is known of the bytes around the tag, as far as they belong to the hop itself. */
void rn_flow_print(const struct rn_flow_hop *hop, const struct rn_value *tag, struct rn_print *out);
/* Are the bytes on that side different? *same: how many are equal, as far as both are known. */
bool rn_flow_differ(const struct rn_print *a, const struct rn_print *b, unsigned side,
		    unsigned *same);
/* Can it be the same data through a channel, which changes no byte? */
bool rn_flow_alike(const struct rn_print *a, const struct rn_print *b);

/* ---- causes.c ---- */
/* does the data that it takes stay there? A peek, or tee */
bool rn_flow_keeps(const struct rn_flow_hop *hop);
/* does it take and put, and perhaps wait for what it takes? */
bool rn_flow_waits(const struct rn_flow_hop *hop);
bool rn_flow_is_loopback(const char *address);
/* are both addresses of a connection known? */
bool rn_flow_has_ends(const struct rn_flow_hop *hop);
/* the object of the hop, for the answer */
const char *rn_flow_object(struct rn_flow *flow, const struct rn_flow_hop *hop);
/* finds its data's causes; in order */
void rn_flow_link(struct rn_flow *flow, struct rn_flow_hop *hop);

/* ---- connections.c ---- */
/* Sets `cause` of what was received over TCP, whatever the time between nodes. */
void rn_flow_match_streams(struct rn_flow *flow);
/* The same for UDP, by order and size, once all is aligned. */
void rn_flow_match_datagrams(struct rn_flow *flow);

/* ---- order.c ---- */
/* Puts all hops in order; order has room for flow->n. */
void rn_flow_order(struct rn_flow *flow, struct rn_flow_hop **order);

/* ---- channels.c ---- */
/* Puts hop into a channel, by name and tag; hops come out in the same order. */
void rn_flow_put(struct rn_flow *flow, const char *what, struct rn_flow_hop *hop);
/* Finds the causes of hop's tag: the hops whose data it took out of there, in order. False: none.
 * alike: only from another socket, with the same size and the tag at the same place. unknown: how
 * many choices were lost. */
bool rn_flow_take(struct rn_flow *flow, const char *what, struct rn_flow_hop *hop,
		  const struct rn_value *tag, bool alike, uint32_t unknown);
/* A file of FUSE: which hop wrote what the server got with a request, and which reply has what was
 * read. */
struct rn_flow_fuse {
	const char *what;     /* the queue: of writes, or of replies */
	bool request, strict; /* strict: the tag must be at the same place of the file */
	bool own;             /* found: the message belongs to the call itself */
	uint32_t choices;     /* found: how many were possible */
};
/* Finds the hop put there that has the bytes of hop's tag: the one of the same call, else the
 * latest. */
struct rn_flow_hop *rn_flow_covering(struct rn_flow *flow, struct rn_flow_fuse *fuse,
				     const struct rn_flow_hop *hop, const struct rn_value *tag);
/* Finds the latest hop put there that may have written what hop reads, and counts those that may;
 * overwritten ones do not. */
struct rn_flow_hop *rn_flow_written(struct rn_flow *flow, const char *what,
				    const struct rn_flow_hop *hop, const struct rn_value *tag,
				    uint32_t *choices);

/* ---- process.c ---- */
/* Links what processes put out to its causes. */
void rn_flow_processes(struct rn_flow *flow, struct rn_flow_hop **order);

/* ---- evidence.c ---- */
/* Lists that grow. If all together are beyond the bound, the least recently used one is emptied. */
struct rn_evidence_list {
	struct rn_evidence_list *newer, *older;
	void *v;
	uint32_t n, cap, size; /* of an element */
	uint32_t forgotten;    /* elements that it has lost */
};
struct rn_flow_memory *rn_flow_memory(uint64_t bound);
/* frees all; returns how many elements were forgotten */
int64_t rn_flow_memory_end(struct rn_flow_memory *memory);
/* Marks the list as used now. It is part of something that outlives the memory; a new list is
 * zeroed except for `size`. */
void rn_evidence_use(struct rn_flow_memory *memory, struct rn_evidence_list *evidence);
/* Makes room for one more element of a list that was used; may empty other lists. NULL: no
 * memory. */
void *rn_evidence_add(struct rn_flow_memory *memory, struct rn_evidence_list *evidence);
#endif
