/* link.h - a connection to a peer that carries whole messages both ways. Agents, relays and the
 * coordinator speak through it.
 *
 * A message belongs to a query and goes on one of two lanes. Control never waits behind data: a
 * long message travels as chunks of at most RN_CHUNK_MAX bytes, and control goes first between any
 * two of them. A chunk is
 *
 *     uint32 length of all that follows, uint8 version, uint8 flags (1 data lane, 2 last chunk of
 *       its message),
 *     uint16 0, uint32 query, uint32 number of the chunk in its lane, uint32 checksum, bytes
 *
 * all little-endian. The checksum is XXH32 of header and bytes. The bytes are masked with it: a
 * search for a tag in passing data must not find a message that only names the tag. A chunk that is
 * cut, repeated, missing or changed ends the link, never the process. A transport moves chunks and
 * knows nothing of messages. One thread. */
#ifndef RN_EXEC_LINK_LINK_H
#define RN_EXEC_LINK_LINK_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lang/base/err.h"

#define RN_CHUNK_MAX (1u << 20) /* bytes of a chunk with its header: fits a NATS message */
#define RN_CHUNK_HEAD 24u       /* its header */
#define RN_LINK_MAX (64u << 20) /* bytes that may wait in the data lane; see rn_link_room */

enum rn_lane { RN_LANE_CONTROL, RN_LANE_DATA, RN_LANES };

/* Moves chunks. Non-blocking. After a negative return the transport is dead, and only `close` may
 * be called. */
struct rn_transport;
struct rn_transport_ops {
	/* "exec", "nats" */
	const char *name;
	/* 1: taken; 0: not now; negative errno */
	int (*send)(struct rn_transport *transport, const void *chunk, size_t n,
		    struct rn_err *err);
	/* 1: a chunk, valid until the next call; 0: none yet; negative errno (-EPIPE: the peer has
	 * closed). */
	int (*recv)(struct rn_transport *transport, const unsigned char **chunk, size_t *n,
		    struct rn_err *err);
	/* 1: nothing waits in it; 0: something waits; negative errno */
	int (*flush)(struct rn_transport *transport, struct rn_err *err);
	/* Descriptors to poll, at most two: fills fd and events, returns their number. */
	unsigned (*polls)(struct rn_transport *transport, int fd[2], short events[2]);
	void (*close)(struct rn_transport *transport);
	/* gives up the other end: close will not wait for it; may be NULL */
	void (*kill)(struct rn_transport *transport);
	/* tells the peer that nothing follows; NULL: close tells it */
	void (*hangup)(struct rn_transport *transport);
	/* of the command at the other end; NULL: no command */
	int32_t (*pid)(struct rn_transport *transport);
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

/* How the error of a transport begins whose other side has gone; what the command to it said last
 * follows. */
#define RN_LINK_ENDED "the connection ended: "

struct rn_link;
/* Takes the transport, and closes it with the link. max_message: longest message taken in,
 * bytes. */
struct rn_link *rn_link_create(struct rn_transport *transport, size_t max_message);
void rn_link_allow(struct rn_link *link, size_t max_message); /* from now on */
void rn_link_destroy(struct rn_link *link);
/* Copies a message into its lane. A data message is taken whether or not there is room: ask
 * rn_link_room before. */
void rn_link_send(struct rn_link *link, enum rn_lane lane, uint32_t query, const void *bytes,
		  size_t n);
bool rn_link_room(const struct rn_link *link); /* the data lane holds less than RN_LINK_MAX */
/* bytes that wait in both lanes and in the transport's hands: at least one if any */
size_t rn_link_waiting(const struct rn_link *link);
/* Moves outward what can be moved. Returns 0, or a negative errno: the link is dead, err says
 * why. */
int rn_link_pump(struct rn_link *link, struct rn_err *err);
/* Gives the next whole message. 1: one, valid until the next call; 0: none yet; negative errno:
 * dead. */
int rn_link_next(struct rn_link *link, struct rn_message *message, struct rn_err *err);
unsigned rn_link_polls(struct rn_link *link, int fd[2], short events[2]);
/* also destroys it: does not wait for the other end, dead or silent */
void rn_link_give_up(struct rn_link *link);
/* call it before many are destroyed: so their peers end side by side */
void rn_link_hangup(struct rn_link *link);
/* of the command at the other end; 0: no command */
int32_t rn_link_pid(const struct rn_link *link);
/* drops a query's messages that wait in the data lane */
void rn_link_forget(struct rn_link *link, uint32_t query);

/* stream.c: a transport over two descriptors (may be the same), made non-blocking, closed with it.
 * pid: the command at the other end, 0: none; it is killed and waited for at the end. */
struct rn_transport *rn_stream_transport(int in, int out, int32_t pid);
/* Starts `sh -c command sh args...` with both ends connected to the stream. The last line of the
 * command's stderr is kept, and told when the link dies. NULL: err. */
struct rn_transport *rn_stream_spawn(const char *command, const char *const *args,
				     struct rn_err *err);
#endif
