/* api.h - what the files of librunnel share; they implement runnel.h. Private to them.
 *
 * A session has engines: the first one, with the fleet and the results of `let`, and others beside
 * it (engine.h). A prepared query has one to itself, until it is prepared again or freed. A
 * query that runs has a thread, which runs the statements of its text and puts rows into the
 * query's queue; the caller's thread takes them out. Each part has an owner:
 *
 *     caller's thread   the session; all of a query while it does not run; later the row that was
 *                       taken, `known`, and `scratch`
 *     query's thread    the text (arena, engine, statements) and `err` while it runs; the fleet, if
 *                       the session's `on_fleet` is this query
 *     both, by `lock`   the queue, `progress`, `fresh_ledgers`, `over`, `started`
 *     anybody, atomic   `stop` and `cancelled` of a query's api_end
 *
 * The language reads and writes numbers as in the C locale. Every function that may read or write
 * one works between rn_api_enter and rn_api_leave, which set that locale for the calling thread
 * alone. */
#ifndef RN_REPL_API_API_H
#define RN_REPL_API_API_H
#include <locale.h>
#include <pthread.h>
#include "lang/base/memory.h"
#include "repl/api/runnel.h"
#include "repl/engine/script.h"

/* The request that a query end. It is never freed before its session, because a signal handler may
 * set it at any moment. */
struct rn_api_end {
	struct rn_api_end *next;
	int stop, cancelled;
	bool taken;
};

struct runnel {
	struct rn_engine *engine; /* the first; NULL: it could not be opened, see error */
	struct rn_engine *idle[8];
	unsigned nidle; /* engines that no query has */
	locale_t plain;
	struct runnel_query *queries;
	/* the query whose live events the links to the nodes carry */
	struct runnel_query *on_fleet;
	struct rn_api_end *ends; /* of all queries that exist or existed; grows at its head */
	int stop;                /* the fleet's flag while no query has it: never set */
	int32_t *pids;
	unsigned npids;
	size_t queue_bytes;
	char *catalog;
	struct rn_spare spare;     /* for the caller's thread */
	struct runnel_error error; /* message NULL: none */
	struct rn_err err;
};

struct rn_api_row { /* in one piece of memory, with its values and their bytes */
	struct rn_api_row *next;
	size_t bytes;
	unsigned snapshot;
	bool other, partial;
	struct rn_extent covered; /* the covered part of its window, if partial */
	struct rn_value values[];
};

/* what was known at one moment, with its strings */
struct rn_api_ledgers {
	struct rn_arena *arena;
	struct rn_ledgers list;
};

/* text: as for rn_names.params */
struct rn_api_binding {
	char *name, *text;
	struct rn_api_binding *next;
};

enum rn_api_state { RN_API_NEW, RN_API_WRONG, RN_API_READY, RN_API_RUNNING, RN_API_ENDED };

struct runnel_query {
	struct runnel *session;
	struct runnel_query *next;
	struct rn_api_end *end;
	struct rn_engine *engine; /* NULL: it is not prepared */
	/* bytes: of the text given; a text that is too long is kept only as far as shows that */
	char *text;
	size_t bytes;
	struct rn_api_binding *bindings;
	enum rn_api_state state;
	int status; /* RN_API_ENDED: what it ended with */
	bool open;  /* u is open */
	struct rn_script script;
	struct rn_statement *job; /* the query at the end of the text; NULL: there is none */
	/* Results of runnel_prepare, in `kept`, which lives until the next one. */
	struct rn_arena *kept, *scratch;
	struct rn_ty *ty;
	struct runnel_column *cols;
	unsigned ncols;
	struct runnel_error *errors;
	unsigned nerrors;
	const char *error_text, *explained;
	struct runnel_error misuse;
	char misuse_text[160];
	/* the run */
	int64_t refresh_ns;
	bool threaded;
	pthread_t thread;
	struct rn_spare spare;  /* for that thread */
	struct rn_arena *arena; /* of the run */
	struct rn_diag *diag;   /* of a statement that was checked late, else NULL */
	/* of the statement that runs, or ran last; NULL: none has run */
	struct rn_diag *places;
	struct rn_err err;
	int code; /* result of the run: enum runnel_status */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct rn_api_row *first, **last;
	size_t waiting;
	/* fresh: a snapshot is being given; skip: the caller has not taken the last one */
	bool over, started, fresh, skip, other, partial;
	struct rn_extent covered;
	unsigned snapshots;
	struct runnel_progress progress, told; /* told: the caller's copy */
	struct rn_api_row *row;                /* the row that the caller looks at */
	struct rn_pid_watch *watch;            /* of the session's pids; the thread's own */
	struct rn_ledgers ledgers;             /* in arena */
	/* while the query runs: the thread's latest ledgers that the caller has not looked at */
	struct rn_api_ledgers *fresh_ledgers;
	/* the ledgers that the caller looks at until its next step; NULL: nothing is known, or all
	 * is (`ledgers`) */
	struct rn_api_ledgers *known;
	struct runnel_ledger *ledger; /* of each node, and one of all; made when asked for */
	const char *ledger_text, *ledger_json;
};

/* Call these around everything that may read or write a number, or allocate. They set the C locale
 * and a spare for the calling thread (that of the session, or of q). */
struct rn_api_was {
	locale_t locale;
	struct rn_spare *spare;
};
struct rn_api_was rn_api_enter(struct runnel *session);
struct rn_api_was rn_api_enter_thread(struct runnel_query *query);
void rn_api_leave(struct rn_api_was was);
/* api.c: take an engine for a query to be prepared (NULL: the session has none), and give it
 * back. */
struct rn_engine *rn_api_engine_take(struct runnel *session);
void rn_api_engine_give(struct runnel *session, struct rn_engine *engine);
/* api.c: take a record for requests that the query end. */
struct rn_api_end *rn_api_end_take(struct runnel *session);
bool rn_api_cancelled(const struct runnel_query *query);
/* Forgets a request to end. */
void rn_api_go_on(struct runnel_query *query);

/* api_text.c. Sets the errors that runnel_error gives: those of diag, which may be NULL, and behind
 * them `system`, an error of the system or NULL. */
void rn_api_errors(struct runnel_query *query, struct rn_diag *diag, const struct rn_err *system);
int rn_api_misuse(struct runnel_query *query, const char *message);
/* Memory has run out: gives RUNNEL_E_NOMEM, with an error that needs none. */
int rn_api_nomem(struct runnel_query *query);

/* ---- api.c ---- */

extern const struct runnel_error rn_api_memory_error;

/* api_columns.c: sets the columns of the query at the end of the text, once it is planned. */
void rn_api_columns(struct runnel_query *query);

/* api_run.c: ends the run and forgets it. */
void rn_api_end(struct runnel_query *query);

/* api_ledger.c. The query's thread tells what is known by now. The caller's thread, with the lock
 * held, takes that to look at, or forgets it. */
void rn_api_ledgers_told(void *query, const struct rn_ledgers *ledgers);
void rn_api_ledgers_look(struct runnel_query *query);
void rn_api_ledgers_forget(struct runnel_query *query);
#endif
