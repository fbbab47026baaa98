/* api.h - what the files of librunnel share: repl/lib/api*.c implement runnel.h. Private to them.
 *
 * A session has an engine, and at most one query that runs. That query has a thread, which runs the statements of its text and puts rows into
 * the query's queue; the caller's thread takes them out. Whose is what:
 *
 *	caller's thread   all of a query while nothing runs; later the row that was taken, and `scratch`
 *	query's thread    the text (arena, engine, jobs) and `err` while it runs
 *	both, by `lock`   the queue, `progress`, `over`, `started`
 *	anybody, atomic   the session's `stop` and `cancelled`
 *
 * The language and the numbers that it writes are those of the C locale: every function that may write or read any works between rn_api_enter and
 * rn_api_leave, which set that for the calling thread alone. */
#ifndef RN_LIB_API_H
#define RN_LIB_API_H
#include <locale.h>
#include <pthread.h>
#include "repl/lib/runnel.h"
#include "repl/lib/text.h"

struct runnel {
	struct rn_engine *e;       /* NULL: it could not be opened, see error */
	locale_t plain;
	struct runnel_query *queries, *running;
	int32_t *pids; unsigned npids;
	size_t queue_bytes;
	int stop, cancelled;
	struct runnel_error error; /* message NULL: none */
	struct rn_err err;
};

struct api_row { /* in one piece of memory, with its values and their bytes */
	struct api_row *next;
	size_t bytes;
	unsigned snapshot;
	bool other;
	struct rn_value v[];
};

struct api_binding { char *name, *text; struct api_binding *next; }; /* text: as for rn_names.params */

enum api_state { API_NEW, API_WRONG, API_READY, API_RUNNING, API_ENDED };

struct runnel_query {
	struct runnel *r;
	struct runnel_query *next;
	char *text;
	struct api_binding *bindings;
	enum api_state state;
	int status;                    /* ENDED: what it ended with */
	bool open;                     /* u is */
	struct rn_text u;
	struct rn_job *job;            /* the query at the end of the text; NULL: there is none */
	/* What is told of it; in `kept`, which lives from one rn_prepare to the next. */
	struct rn_arena *kept, *scratch;
	struct rn_ty *ty;
	struct runnel_column *cols; unsigned ncols;
	struct runnel_error *errors; unsigned nerrors;
	const char *error_text, *explained;
	struct runnel_error misuse;
	char misuse_text[160];
	/* the run */
	int64_t refresh_ns;
	bool threaded;
	pthread_t thread;
	struct rn_arena *arena;        /* of the run */
	struct rn_diag *diag;          /* of a statement that was checked late; else NULL */
	struct rn_err err;
	int code;                      /* what the run gave: enum runnel_status */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct api_row *first, **last; size_t waiting;
	bool over, started, fresh, skip, other; /* fresh: a snapshot is being given; skip: nobody took the one before */
	unsigned snapshots;
	struct runnel_progress progress, told; /* told: the caller's copy */
	struct api_row *row;           /* that the caller looks at */
	struct rn_watch *watch;        /* of the session's pids; the thread's own */
	struct rn_ledgers ledgers;     /* in arena */
	struct runnel_ledger *ledger;  /* of the nodes, and one more of all; made when asked for */
	const char *ledger_text, *ledger_json;
};

locale_t rn_api_enter(const struct runnel *r);
void rn_api_leave(locale_t was);
bool rn_api_cancelled(const struct runnel *r);
/* Forgets that an end was asked for. */
void rn_api_go_on(struct runnel *r);

/* api_text.c. What is wrong, as rn_error gives it. system: NULL or an error of the system behind those of d, which may be NULL. */
void rn_api_errors(struct runnel_query *q, struct rn_diag *d, const struct rn_err *system);
int rn_api_misuse(struct runnel_query *q, const char *message);
struct runnel_error rn_api_system_error(struct rn_arena *a, const struct rn_err *err);

/* api_columns.c: those of the query at the end of the text, once it is planned. */
void rn_api_columns(struct runnel_query *q);

/* api_run.c: ends what runs and forgets it. */
void rn_api_end(struct runnel_query *q);
#endif
