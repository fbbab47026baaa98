/* job.h - one query that an agent or a relay serves, in a thread of its own: its commands, and the
 * frames that it sends.
 *
 * The serving thread (exec/serve/serve.c) gives commands and takes messages. The job's thread runs
 * a body (exec/serve/job_agent.c, exec/serve/job_relay.c) that waits for commands and sends frames.
 * The bytes that wait to be sent are bounded. Rows wait for room, so an excess is lost in the
 * kernel's ring and counted there. Partial states cannot wait, as their window has ended: they are
 * counted as shed. */
#ifndef RN_EXEC_SERVE_JOB_H
#define RN_EXEC_SERVE_JOB_H
#include "exec/wire/codec.h"
#include "exec/link/link.h"

#define RN_JOB_ROOM (32u << 20) /* bytes of rows that may wait */
#define RN_JOB_ROOM_PARTIALS (128u << 20)

/* OVER: it has taken more than allowed, and must end with what it has so far. */
enum rn_job_command {
	RN_JOB_START = 1,
	RN_JOB_STOP = 2,
	RN_JOB_PEEK = 4,
	RN_JOB_ABORT = 8,
	RN_JOB_OVER = 16
};

struct rn_job;
struct rn_job_from { /* the asker and the query: copied */
	uint32_t query;
	/* the node's name for this query; user@host of the asker */
	const char *name, *asker;
	const int32_t *pids;
	unsigned npids;   /* processes of the asker */
	unsigned depth;   /* relays above this one */
	int64_t clock_ns; /* the node's event clock: CLOCK_MONOTONIC plus this */
	const unsigned char *fragment;
	size_t n; /* size of the message with the fragment */
};
/* Starts the thread. wake_fd: an eventfd that is written when there is a message to take. The body
 * returns when the job is done. */
struct rn_job *rn_job_create(const struct rn_job_from *from,
			     void (*body)(struct rn_job *job, void *self), void *self, int wake_fd);
void rn_job_destroy(struct rn_job *job); /* aborts it, and waits for its end */

/* For the serving thread. */
/* the times of the frame START */
void rn_job_start(struct rn_job *job, int64_t first_ns, int64_t until_ns);
void rn_job_stop(struct rn_job *job, int64_t wait_ns); /* the time of the frame STOP */
void rn_job_command(struct rn_job *job, enum rn_job_command c, uint32_t peek);
struct rn_job_message {
	struct rn_job_message *next;
	enum rn_lane lane;
	size_t n;
	unsigned char bytes[];
};
struct rn_job_message *rn_job_take(struct rn_job *job); /* NULL: none; to be freed */
/* the body has returned and all has been taken */
bool rn_job_done(struct rn_job *job);
uint32_t rn_job_query(const struct rn_job *job);

/* For the body. */
const struct rn_job_from *rn_job_of(const struct rn_job *job);
struct rn_account *rn_job_account(struct rn_job *job); /* of the job's thread */
/* Returns the commands so far, as bits. Waits at most timeout_ms (-1: for ever) for one that is not
 * in `but`. rn_job_peek takes PEEK back. */
unsigned rn_job_wait(struct rn_job *job, unsigned but, int timeout_ms);
void rn_job_held(struct rn_job *job, int64_t *first_ns, int64_t *until_ns); /* what START said */
int64_t rn_job_wait_ns(struct rn_job *job); /* what STOP said; 0: nothing */
/* becomes nonzero: no peer waits for this job */
const volatile int *rn_job_aborted(const struct rn_job *job);
/* number of the last peek without an answer; 0: none */
uint32_t rn_job_peek(struct rn_job *job);
/* Sends a frame, and fills in its node and number. Halves frames that are too long. fragment: the
 * query whose states it holds; NULL: not needed. Returns 0, -ECANCELED (aborted), or the codec's
 * error. */
int rn_job_send(struct rn_job *job, struct rn_frame *frame, const struct rn_fragment *fragment);
void rn_job_refuse(struct rn_job *job, const struct rn_err *err); /* sends ERROR and ends */
int64_t rn_job_shed(struct rn_job *job);                          /* events that were shed */
#endif
