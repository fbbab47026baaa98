/* link.h - a connection with a peer that carries whole messages both ways: what agents, relays and
 * the coordinator speak through.
 *
 * A message belongs to a query and goes on one of two lanes. Control never waits behind data: what
 * is long travels as chunks of at most RN_CHUNK_MAX bytes, and between any two of them control goes
 * first. A chunk is
 *
 *     uint32 length of all that follows, uint8 version, uint8 flags (1 data lane, 2 last chunk of
 *       its message),
 *     uint16 0, uint32 query, uint32 number of the chunk in its lane, uint32 checksum, bytes
 *
 * all little-endian. The checksum is XXH32 of header and bytes; the bytes are masked with it, so
 * that a message that names a tag is not itself found as carrying the tag by those who search what
 * passes. A chunk that is cut, repeated, missing or changed ends the link, never the process. A
 * transport moves chunks and knows nothing of messages. One thread. */
#ifndef RN_EXEC_LINK_LINK_H
#define RN_EXEC_LINK_LINK_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lang/base/err.h"

#define RN_CHUNK_MAX (1u << 20) /* bytes of a chunk with its header: fits a NATS message */
#define RN_CHUNK_HEAD 24u       /* of which header */
#define RN_LINK_MAX (64u << 20) /* bytes that may wait in the data lane; see rn_link_room */

enum rn_lane { RN_LANE_CONTROL, RN_LANE_DATA, RN_LANES };

/* What moves chunks. Non-blocking; after a negative return the transport is dead and only `close`
 * may be called. */
struct rn_transport;
struct rn_transport_ops {
	/* "exec", "nats" */
	const char *name;
	/* 1: taken; 0: not now; negative errno */
	int (*send)(struct rn_transport *t, const void *chunk, size_t n, struct rn_err *err);
	/* 1: a chunk, valid until the next call; 0: none yet; negative errno (-EPIPE: the peer has
	 * closed). */
	int (*recv)(struct rn_transport *t, const unsigned char **chunk, size_t *n,
		    struct rn_err *err);
	/* 1: nothing waits in it; 0: something does; negative errno */
	int (*flush)(struct rn_transport *t, struct rn_err *err);
	/* Descriptors to poll, at most two: fills fd and events, returns how many. */
	unsigned (*polls)(struct rn_transport *t, int fd[2], short events[2]);
	void (*close)(struct rn_transport *t);
	/* the other end is given up: close is not to wait for it; may be NULL */
	void (*kill)(struct rn_transport *t);
	/* lets the peer know that nothing follows; NULL: close does */
	void (*hangup)(struct rn_transport *t);
	/* of the command at the other end; NULL: there is none */
	int32_t (*pid)(struct rn_transport *t);
};
struct rn_transport {
	const struct rn_transport_ops *ops;
}; /* first member of each */

struct rn_message {
	enum rn_lane lane;
	uint32_t query;
	const unsigned char *bytes;
	size_t n;
};

struct rn_link;
/* Takes the transport; it is closed with the link. max_message: longest message that is taken in,
 * bytes. */
struct rn_link *rn_link_create(struct rn_transport *t, size_t max_message);
void rn_link_allow(struct rn_link *l, size_t max_message); /* from now on */
void rn_link_destroy(struct rn_link *l);
/* Puts a message (copied) into its lane. A message of data is taken whether or not there is room:
 * ask before. */
void rn_link_send(struct rn_link *l, enum rn_lane lane, uint32_t query, const void *bytes,
		  size_t n);
bool rn_link_room(const struct rn_link *l); /* the data lane holds less than RN_LINK_MAX */
/* bytes that wait in both lanes and in the transport's hands at least one if any */
size_t rn_link_waiting(const struct rn_link *l);
/* Moves what can be moved outward. 0, or a negative errno: the link is dead, err says why. */
int rn_link_pump(struct rn_link *l, struct rn_err *err);
/* The next whole message: 1, valid until the next call; 0: none yet; negative errno: dead. */
int rn_link_next(struct rn_link *l, struct rn_message *m, struct rn_err *err);
unsigned rn_link_polls(struct rn_link *l, int fd[2], short events[2]);
/* and destroyed: the other end, dead or silent, is not waited for */
void rn_link_give_up(struct rn_link *l);
/* before many are destroyed: so their peers end side by side */
void rn_link_hangup(struct rn_link *l);
/* of the command at the other end; 0: there is none */
int32_t rn_link_pid(const struct rn_link *l);
/* drops what waits in the data lane for a query */
void rn_link_forget(struct rn_link *l, uint32_t query);

/* stream.c: two descriptors (may be the same), made non-blocking, closed with the transport.
 * pid: the command that is at the other end, 0: none; it is killed and waited for at the end. */
struct rn_transport *rn_stream_transport(int in, int out, int32_t pid);
/* Starts `sh -c command sh args...` with both ends connected to the stream. stderr of the command:
 * its last line is kept and said when the link dies. NULL: err. */
struct rn_transport *rn_stream_spawn(const char *command, const char *const *args,
				     struct rn_err *err);
#endif
