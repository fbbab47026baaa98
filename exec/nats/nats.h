/* nats.h - links through a cluster of NATS servers: a coordinator finds members and dials them;
 * agents and relays listen.
 *
 * Subjects, all under a prefix (default "runnel"; in names of nodes, all but letters, digits, - and
 * _ are written %XX):
 *
 *     PREFIX.who                            a coordinator asks who is there
 *     PREFIX.asks.INSTANCE.who.ROUND        the answers: cards (kind, name, host, versions)
 *     PREFIX.KIND.NAME.dial                 a coordinator dials; KIND is node, relay or rack. With
 *                                           `?`: it asks who listens there
 *     PREFIX.asks.INSTANCE.SESSION.X        what a session sends to the coordinator
 *     PREFIX.KIND.NAME.INSTANCE.SESSION.X   what it sends to the member; X: c chunk, o opened, a
 *                                           what was taken, q asks for a, x closed
 *
 * so a server's permissions can tell the two sides apart. INSTANCE and SESSION are random numbers.
 * A card is believed only if it came to PREFIX.asks.INSTANCE.NUMBER.o. There NUMBER is random and
 * was part of a question to PREFIX.KIND.NAME.dial, so only a permitted subscriber has seen it.
 * (Release 0.1.0 answers in the same way: it takes the question for a call of an unknown version.)
 * One subscription carries all sessions of a coordinator, two those of a member. A chunk is one
 * message of NATS. A side may have RN_NATS_WINDOW bytes on the way that the other has not taken
 * yet. Each `a` says how much was taken and how much was sent: a loss in NATS is noticed, and ends
 * the session. All functions are for one thread. libnats' threads and one of ours work behind a
 * mutex, and wake poll through descriptors. */
#ifndef RN_EXEC_NATS_NATS_H
#define RN_EXEC_NATS_NATS_H
#include "exec/link/link.h"

#define RN_NATS_PROTOCOL 1        /* of the subjects and messages here */
#define RN_NATS_NAME_MAX 64       /* letters of a name */
#define RN_NATS_WINDOW (4u << 20) /* bytes on the way in one direction of a session */
/* bytes that wait to be taken, in all sessions of a connection together */
#define RN_NATS_HELD_MAX (512u << 20)
#define RN_NATS_POSTS_MAX (64u << 20) /* bytes that wait for the server */

/* a relay takes the nodes that it is given, a rack has its own */
enum rn_nats_kind { RN_NATS_AGENT, RN_NATS_RELAY, RN_NATS_RACK, RN_NATS_KINDS };
struct rn_nats_member {
	const char *name, *host; /* host: "HOST, process PID" */
	enum rn_nats_kind kind;
	const char *version; /* of the program */
	unsigned protocol;
	/* where another member of that kind and name is; NULL: the name is unique */
	const char *duplicate;
};

struct rn_nats;
/* spec: "URL[,URL]... [ca=FILE] [cert=FILE] [key=FILE] [user=NAME] [passfile=FILE] [nkey=FILE]
 * [creds=FILE] [subject=PREFIX]", as in a hosts file behind `nats:`. URLs are
 * [nats://|tls://][USER:PASSWORD@]HOST[:PORT]. Waits until a server has answered; later reconnects
 * by itself, for ever. Returns 0 or a negative errno; err names the servers, without passwords, and
 * the reason. */
int rn_nats_open(const char *spec, struct rn_nats **out, struct rn_err *err);
/* Sends what still waits, for at most a second. Close the transports before. */
void rn_nats_close(struct rn_nats *nats);
/* Returns 0, or a negative errno: the connection is closed for good (the server has refused it
 * twice), or lacks permission for its subscriptions. */
int rn_nats_state(struct rn_nats *nats, struct rn_err *err);
/* as in spec, without passwords; lives as long as nats */
const char *rn_nats_servers(const struct rn_nats *nats);
/* One descriptor. It is readable when rn_nats_accept, rn_nats_heard or rn_nats_state may have
 * something: then call all of them that are used. */
unsigned rn_nats_polls(struct rn_nats *nats, int fd[2], short events[2]);

/* For the coordinator. `found` gets each member once; the strings live during the call. */
typedef void rn_nats_found(void *self, const struct rn_nats_member *member);

/* ---- members.c ---- */

/* Asks for members and waits until none was found for wait_ms (ten times that at most; not at all
 * if the server knows of none). Finds only names that answer under their own subject. -EEXIST: two
 * of a kind have the same name. Then err names the last such two; all others were found, and so was
 * one of the two, with its duplicate. */
int rn_nats_discover(struct rn_nats *nats, unsigned wait_ms, rn_nats_found *found, void *self,
		     struct rn_err *err);
/* The same without waiting: ask at any time, and hear new members now and then. A member that was
 * started again is reported again. */
int rn_nats_ask(struct rn_nats *nats, struct rn_err *err);
int rn_nats_heard(struct rn_nats *nats, rn_nats_found *found, void *self, struct rn_err *err);
/* Writes a line about names announced since the last discovery without an answer; "": none. to: cap
 * bytes. */
void rn_nats_doubts(struct rn_nats *nats, char *to, size_t cap);

/* ---- session.c ---- */

/* Opens a session with a member, without waiting for it: if the member is absent, the session ends.
 * NULL: err. */
struct rn_transport *rn_nats_dial(struct rn_nats *nats, enum rn_nats_kind kind, const char *name,
				  struct rn_err *err);

/* ---- members.c ---- */

/* For agent and relay. From now on it can be found and dialed. version: of the program. */
int rn_nats_listen(struct rn_nats *nats, enum rn_nats_kind kind, const char *name,
		   const char *version, struct rn_err *err);

/* ---- session.c ---- */

struct rn_transport *rn_nats_accept(struct rn_nats *nats); /* gives the next session, or NULL */
#endif
