/* nats_impl.h - what the files of the NATS transport share. `lock` guards all of `struct rn_nats`
 * but its first group. */
#ifndef RN_EXEC_NATS_NATS_IMPL_H
#define RN_EXEC_NATS_NATS_IMPL_H
#include <pthread.h>
#include "exec/nats/nats.h"
#include "exec/nats/lib_impl.h"
#include "lang/base/map.h"

enum {
	NATS_URLS = 16,
	NATS_ACCEPT_MAX = 1024,
	NATS_CARD_MAX = 1024,
	NATS_NAMES_MAX = 10000,
	NATS_SHOWN = 3,
	NATS_SUBSCRIPTIONS = 3 /* one for a coordinator, two for a member */
};

/* A message that waits for the server. */
struct rn_nats_post {
	struct rn_nats_post *next;
	struct rn_nats_session *session; /* for a chunk: holds a reference; else NULL */
	size_t n;
	char *subject, *reply; /* reply: told if nobody listens; or NULL */
	char bytes[];          /* data, then the two strings */
};

enum rn_nats_stage { RN_NATS_DIALING, RN_NATS_OPEN };
struct rn_nats_session {
	struct rn_transport base;
	struct rn_nats *nats;
	UT_hash_handle by_id;
	struct rn_nats_session *accept; /* next of those not accepted yet */
	uint64_t id;
	unsigned refs;
	enum rn_nats_stage stage;
	/* subjects without the last token: of this side, of the other (NULL: unknown) */
	char *in, *to;
	char *dial;        /* subject that was dialed; NULL: this side was dialed */
	char *who;         /* the other side's name, for messages */
	char instance[17]; /* that opened it */
	int fd;            /* eventfd */
	natsMsg **got;
	size_t got_first, got_n, got_cap, got_bytes; /* ring of what arrived */
	natsMsg *given;
	/* bytes sent, and how many of them the other side has taken */
	uint64_t sent, acked;
	uint64_t received, taken, told; /* the reverse; told: as last told of `taken` */
	unsigned posted;                /* its chunks that wait for the server */
	bool blocked, flushing;         /* send or flush returned: not now */
	struct rn_err dead; /* code != 0: reported when all that arrived has been taken */
};

struct rn_nats_card {
	char name[RN_NATS_NAME_MAX + 1], host[200], version[40], instance[17];
	enum rn_nats_kind kind;
	unsigned protocol;
};

/* A name on a card. It becomes a member once it has answered under its own subject. */
struct rn_nats_name {
	UT_hash_handle by_name, by_question;
	/* the key by_name: no padding between the two; zeros after the name */
	enum rn_nats_kind kind;
	char name[RN_NATS_NAME_MAX + 1];
	uint64_t question; /* number of its last question; the key by_question */
	/* its last round; how many different instances have answered, at most two */
	unsigned asked, answers;
	bool questioned; /* it is in `questions` */
	bool waits;      /* it was asked and has not answered */
	bool told;
	struct rn_nats_card *is, *duplicate; /* first and second to answer; NULL: none */
};
/* Some of the names without an answer; and how many cards were not looked at, because there were
 * too many such names. */
struct rn_nats_doubts {
	unsigned names, beyond, shown;
	char some[NATS_SHOWN][RN_NATS_NAME_MAX + 1];
};

struct rn_nats {
	natsConnection *nc;
	natsOptions *opts;
	char *prefix, *servers; /* servers: for messages */
	char *seed;             /* nkey */
	char instance[17];
	pthread_t sender;
	int fd; /* eventfd */
	natsSubscription *sub[NATS_SUBSCRIPTIONS];
	unsigned nsub;

	pthread_mutex_t lock;
	pthread_cond_t work, ended;
	struct rn_nats_post *first, **last;
	size_t waiting;
	bool full;         /* a session was refused because of RN_NATS_POSTS_MAX */
	bool stop, asking; /* asking: the coordinator has its subscription */
	struct rn_nats_session *sessions;
	struct rn_nats_session *accept, **accept_last;
	unsigned naccept;
	size_t held;
	char *listen; /* PREFIX.KIND.NAME; NULL: does not listen */
	char *card;
	struct rn_nats_name *names, *questions;
	/* names by state; beyond: cards of this round that were not looked at */
	unsigned doubted, believed, waiting_names, beyond;
	struct rn_nats_doubts doubts; /* the most in one round */
	/* round: the latest of asking; news: answers under names since its begin */
	unsigned round, news;
	bool nobody; /* the server said that the last question reached no member */
	bool untold; /* a member that rn_nats_heard has not told */
	bool closed;
	unsigned delivering; /* calls that libnats may still make */
	struct rn_err dead;
};

/* server_options.c */
enum { NATS_CONNECT_MS = 3000 };
struct rn_nats_spec {
	char *url[NATS_URLS];
	unsigned nurl;
	char *ca, *cert, *key, *user, *passfile, *nkey, *creds, *subject;
};
int rn_nats_spec_parse(const char *text, struct rn_nats_spec *spec, struct rn_err *err);
void rn_nats_spec_free(struct rn_nats_spec *spec);
char *rn_nats_url_shown(const char *url); /* without user and password; heap */
/* Makes the options of one or all servers (url: -1 all). seed: set to the secret of nkey=, heap;
 * lives as long as the options. */
int rn_nats_spec_options(const struct rn_nats_spec *spec, int url, char **seed, natsOptions **out,
			 struct rn_err *err);
/* refusal.c: says for each server why it cannot be used. */
int rn_nats_spec_why(const struct rn_nats_spec *spec, struct rn_err *err);
/* nkey.c: gives the public key of a seed ("SU..."). Returns 0 or -EINVAL. */
int rn_nats_key_public(const char *seed, char out[64]);

/* nats.c */
void *rn_nats_need(void *p);
void rn_nats_wake(int fd);
void rn_nats_calm(int fd);
uint64_t rn_nats_random(void);
/* Puts a message in the queue for the server. Call it with the lock held. */
void rn_nats_post(struct rn_nats *nats, struct rn_nats_session *session, const char *subject,
		  const char *suffix, const char *reply, const void *bytes, size_t len);
int rn_nats_subscribe(struct rn_nats *nats, const char *subject, struct rn_err *err);
/* Subscribes to answers and to what members send. */
int rn_nats_asking(struct rn_nats *nats, struct rn_err *err);

/* session.c; lock held. */
struct rn_nats_session *rn_nats_session_find(struct rn_nats *nats, uint64_t id);
void rn_nats_session_unref(struct rn_nats_session *session);
void rn_nats_session_dies(struct rn_nats_session *session, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void rn_nats_session_take(struct rn_nats_session *session, const char *kind,
			  natsMsg *msg); /* owns msg */
void rn_nats_session_dialed(struct rn_nats *nats, natsMsg *msg);
void rn_nats_session_reconnected(struct rn_nats_session *session);
/* Calls f for each session. */
void rn_nats_session_each(struct rn_nats *nats,
			  void (*f)(struct rn_nats_session *session, void *self), void *self);

/* card.c */
bool rn_nats_is_printable(const char *s); /* only printable ASCII */
bool rn_nats_card_read(struct rn_nats_card *card, const char *bytes, size_t n);
char *rn_nats_card_write(const struct rn_nats *nats, enum rn_nats_kind kind, const char *name,
			 const char *version);
char *rn_nats_name_token(const char *name); /* heap */
extern const char *const rn_nats_kind_token[RN_NATS_KINDS];

/* members.c */
/* lock held */
void rn_nats_card_heard(struct rn_nats *nats, unsigned round, const char *bytes, size_t len);
/* Takes an answer to a question's number. False: the number is of no question. kind: the last
 * token, or "". lock held. */
bool rn_nats_name_answered(struct rn_nats *nats, uint64_t number, const char *kind, natsMsg *msg);
void rn_nats_names_forget(struct rn_nats *nats);
#endif
