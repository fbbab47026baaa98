/* runnel.h - librunnel: query a live kernel, or a recording of one, from a program. C and C++.
 *
 *	struct runnel *r = runnel_open(NULL);
 *	struct runnel_query *q = runnel_query_new(r, "count of syscall by proc for 2s");
 *	if (runnel_prepare(q) == RUNNEL_OK)
 *		while (runnel_step(q, -1) == RUNNEL_ROW)
 *			take(runnel_get_text(q, 0, NULL), runnel_get_int64(q, 1));
 *	complain(runnel_error_text(q));
 *	runnel_query_free(q);
 *	runnel_close(r);
 *
 * It takes the language of the program `runnel`: man 7 runnel, docs/language.md. The guide to this
 * library is docs/library.md.
 *
 * The library prints nothing, ends no process (but see Memory), installs no signal handler, changes
 * neither locale, environment nor working directory, and has no state of its own outside of a
 * session. Compile and link with `pkg-config --cflags --libs runnel`.
 *
 * Threads. A session (struct runnel) and its queries belong to one thread at a time; several
 * sessions in several threads know nothing of each other. Only runnel_stop, runnel_cancel,
 * runnel_query_stop and runnel_query_cancel may be called from anywhere, also in a signal handler.
 * While a query runs, a thread of the library works for it, with all signals blocked. The host may
 * fork while a query runs. The child must leave sessions and queries alone (no runnel_close) and
 * should exec soon. It has the descriptors of the probes, which stay attached as long as it lives;
 * a program that it executes has none of them. The host may ignore SIGCHLD, and wait for any child.
 * The library then does not learn the status of its own children, which are agents of `local` nodes
 * and commands of a hosts file.
 *
 * Rights. A live query needs what tracing needs: root, or CAP_BPF and CAP_PERFMON. `runnel doctor`
 * says what is missing. A recording needs none. Live answers have no events of the session's own
 * process.
 *
 * Ownership. What a function returns as a pointer belongs to the library. Texts and structs of a
 * query live until its next runnel_prepare or runnel_query_free, values of a row until the next
 * runnel_step, runnel_reset, runnel_prepare or runnel_query_free; what differs says so. A function
 * copies what it is given.
 *
 * Memory. If it runs out, the query that wanted it ends with RUNNEL_E_NOMEM, and the process goes
 * on. For this, each session and each query that runs sets some MiB of address space aside, which
 * are never touched. The library gives them back then, so that what is under way can end. What is
 * large has a limit of its own and an error that names it. Texts and parameters have 1 MiB, rows
 * that wait queue_bytes, results of `let` 256 MiB. `max_groups` of the policy limits groups, and
 * the system limits what SQLite sorts. In two cases the process ends (abort, "out of memory" on
 * stderr). The first: what was set aside does not suffice for an orderly end, because another
 * thread of the host takes it at that moment, or a single piece is larger. The second: the threads
 * of libnats, or of a cluster's pings, find no memory. runnel_open and runnel_query_new give NULL
 * if there is none at all. Every function takes NULL for a session or query and says
 * RUNNEL_E_NOMEM, 0, "" or NULL.
 *
 * Versions. The numbers of enums and the members of structs keep their meaning and place while
 * RUNNEL_VERSION_MAJOR stays (before 1: while the minor version stays too). New ones are added
 * behind them. So read the structs that the library returns through the pointer; never copy them by
 * their size. */
#ifndef RUNNEL_H
#define RUNNEL_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define RUNNEL_API __attribute__((visibility("default")))
#else
#define RUNNEL_API
#endif

#define RUNNEL_VERSION_MAJOR 0
#define RUNNEL_VERSION_MINOR 1
#define RUNNEL_VERSION_PATCH 0
#define RUNNEL_VERSION "0.1.0"

/* The version that the program runs with; RUNNEL_VERSION is what it was compiled with. */
RUNNEL_API const char *runnel_version(void);

/* Results of functions. Below 0: an error, which runnel_error describes. */
enum runnel_status {
	RUNNEL_OK = 0,
	RUNNEL_ROW = 1,         /* there is a row: rn_get_... */
	RUNNEL_DONE = 2,        /* no more rows; the ledger is there */
	RUNNEL_TIMEOUT = 3,     /* nothing came within the time; ask again */
	RUNNEL_INTERRUPTED = 4, /* runnel_cancel has ended the query */
	RUNNEL_E_QUERY = -1,    /* the text is wrong, or its assertion did not hold */
	/* the order or the arguments of calls are not allowed by this header */
	RUNNEL_E_MISUSE = -2,
	/* memory ran out: the result is lost, but the session can go on */
	RUNNEL_E_NOMEM = -3,
	/* the system refused: no right to trace, no such file, no node that answers */
	RUNNEL_E_SYSTEM = -4
};
RUNNEL_API const char *runnel_status_name(int status); /* "RUNNEL_ROW"; static */

/* ---- sessions ---- */

struct runnel;       /* a session: runs queries, has saved views and tags, links to nodes */
struct runnel_query; /* a text: its parameters, its errors, its rows */

struct runnel_options { /* all zero but size: this machine, all processes, the user's catalogue */
	size_t size;    /* sizeof(struct runnel_options) */
	/* a hosts file: the nodes of a cluster, as -H of the program. NULL: this machine */
	const char *hosts;
	/* the file of saved views and tags, as --catalog. NULL: the program's default place */
	const char *catalog;
	/* only these processes and all their descendants, as -p. A query ends when the last of
	 * these processes ends */
	const int32_t *pids;
	size_t npids; /* at most 1024; 0: all processes */
	/* limit of memory for rows that wait to be taken, at least 64 KiB; 0: 4 MiB */
	size_t queue_bytes;
	/* the name of `runnel` that starts nodes of the hosts file on this machine. NULL:
	 * "runnel" */
	const char *program;
	/* a node silent for so long is given up, 1000 to 3600000; 0: as the program */
	int64_t lease_ms;
};
/* Opens a session. Attaches nothing and reaches no node yet. options may be NULL. If the hosts file
 * is wrong, runnel_session_error says how, and every query of the session fails with that error. */
RUNNEL_API struct runnel *runnel_open(const struct runnel_options *options);
/* Ends running queries and frees all queries of the session too. NULL is allowed. */
RUNNEL_API void runnel_close(struct runnel *session);

/* Ends all running queries of the session, as Ctrl-C ends one in the program: runnel_step still
 * delivers the answer so far, then RUNNEL_DONE. This is how a query without `for` or `limit` gets
 * to its aggregates. Any thread and any signal handler may call it, any number of times. It also
 * counts for queries that are prepared and have not begun, so a call between runnel_prepare and
 * runnel_step is not lost. A query forgets it at runnel_prepare, at runnel_reset, at its own end
 * and when any running query ends. */
RUNNEL_API void runnel_stop(struct runnel *session);
/* Ends them at once: drops waiting rows; runnel_step gives RUNNEL_INTERRUPTED as soon as all probes
 * are closed (within some 0.2 s). */
RUNNEL_API void runnel_cancel(struct runnel *session);

/* ---- errors ---- */

enum runnel_severity { RUNNEL_ERROR, RUNNEL_WARNING, RUNNEL_NOTE };
struct runnel_error {
	int severity; /* enum runnel_severity: a running query may have notes */
	/* "E-NAME-FIELD", stable: docs/language/ledger.md lists them; "E-SYSTEM", "E-MEMORY",
	 * "E-API" if no text is at fault. E-SYSTEM has a place if the system or a node's policy
	 * refuses something that the text asks for */
	const char *code;
	const char *message; /* one line, without a final dot */
	const char *hint;    /* how to mend it; "" if unknown */
	/* the source that the place is in: "query", or for a view's text "view slow"; "" for
	 * none */
	const char *source;
	unsigned line, column;       /* from 1; column counts characters; 0: no place */
	size_t start, end;           /* the same in bytes of the source: [start, end) */
	size_t also_start, also_end; /* a second place that belongs to it; empty if start == end */
	int system;                  /* errno, or 0 */
};
/* Why the session could not be opened; NULL if it was. */
RUNNEL_API const struct runnel_error *runnel_session_error(const struct runnel *session);
/* Number of errors of the last call on the query, at most 20; they are in the order of the text. 0:
 * none. */
RUNNEL_API unsigned runnel_error_count(const struct runnel_query *query);
/* NULL: there is no such */
RUNNEL_API const struct runnel_error *runnel_error(const struct runnel_query *query, unsigned i);
/* All errors as the program prints them, with their lines of text and carets below; "" if there are
 * none. */
RUNNEL_API const char *runnel_error_text(const struct runnel_query *query);

/* ---- a text, its parameters, its columns ---- */

/* text: one or more statements, as in a file of the program. Only the last one may be a query, so
 * only that gives rows. The text is not checked yet. */
RUNNEL_API struct runnel_query *runnel_query_new(struct runnel *session, const char *text);
/* Frees the query; ends it if it runs. When this returns all its probes are closed. NULL is
 * allowed. */
RUNNEL_API void runnel_query_free(struct runnel_query *query);

/* As runnel_stop and runnel_cancel, for this query alone: from any thread, any signal handler,
 * while the query exists. */
RUNNEL_API void runnel_query_stop(struct runnel_query *query);
RUNNEL_API void runnel_query_cancel(struct runnel_query *query);

/* Set values of $parameters, by name without `$`. They take effect at the next runnel_prepare,
 * which checks types and units, and stay until they are set again. RUNNEL_OK; RUNNEL_E_MISUSE: no
 * name, not finite, or the query runs. */
RUNNEL_API int runnel_bind_int64(struct runnel_query *query, const char *name, int64_t value);
RUNNEL_API int runnel_bind_double(struct runnel_query *query, const char *name, double value);
/* Always a string, whatever it looks like; len in bytes, -1: up to the NUL. It cannot change what
 * the query means. */
RUNNEL_API int runnel_bind_text(struct runnel_query *query, const char *name, const char *value,
				int64_t len);
/* As NAME=VALUE of the command line: "10ms" is a duration, "4KiB" a size, "17" a number, all else a
 * string. */
RUNNEL_API int runnel_bind_value(struct runnel_query *query, const char *name, const char *value);

/* Checks the whole text and plans it; attaches and changes nothing. RUNNEL_OK: it may run, columns
 * are known. The caller may repeat it, which ends the run and forgets it. Other queries may run
 * meanwhile. */
RUNNEL_API int runnel_prepare(struct runnel_query *query);

enum runnel_type {                 /* of a column; how to read a value */
		   RUNNEL_BOOL,    /* int64: 0, 1 */
		   RUNNEL_INT,     /* int64 */
		   RUNNEL_FLOAT,   /* double */
		   RUNNEL_TEXT,    /* text, UTF-8 as far as the system's names are */
		   RUNNEL_ADDRESS, /* text: "10.0.0.1:80", "[::1]:80"; "" for none */
		   RUNNEL_BYTES,   /* text: any bytes, with a length */
		   RUNNEL_STACK,   /* text: functions, root first, joined by ";" */
		   RUNNEL_HIST,    /* runnel_get_hist; as text JSON: [[low, high, count], ...] */
		   RUNNEL_LIST     /* text: JSON: [...] */
};
enum runnel_unit {
	RUNNEL_NO_UNIT,
	RUNNEL_NS,         /* a duration in ns */
	RUNNEL_BYTE,       /* a size in bytes */
	RUNNEL_EPOCH,      /* a time: ns since 1970-01-01 UTC */
	RUNNEL_ERRNO,      /* an errno, 0: success; as text its name */
	RUNNEL_DEV,        /* a device: major << 20 | minor; as text "8:1" */
	RUNNEL_PER_S,      /* per second */
	RUNNEL_BYTE_PER_S, /* bytes per second */
	/* 64 bits without sign or order, a hash or a pointer; as text "0x00112233aabbccdd" */
	RUNNEL_HASH,
	RUNNEL_PART, /* 0 to 1, a part of a whole; as text in percent */
	/* flags of open, a signal, ...; as text its name, as "O_WRONLY|O_CREAT" */
	RUNNEL_NAMED
};
enum runnel_role {
	RUNNEL_VALUE, /* of an event or of a row of a table; or computed */
	RUNNEL_KEY,   /* what `by` names */
	RUNNEL_AGGREGATE,
	RUNNEL_WINDOW /* the start of the window, with `every`: always column 0 */
};
struct runnel_column {
	const char *name; /* the alias, or the expression's own text: "proc", "p99(latency)" */
	int type;         /* enum runnel_type */
	int unit;         /* enum runnel_unit; of a histogram that of low and high */
	int role;         /* enum runnel_role */
	/* as the language says it: "duration", "size", "integer", "string"; static */
	const char *type_name;
	const char *unit_name; /* "ns", "bytes", ...; "" for none; static */
};
/* 0 before runnel_prepare, and for a text without a query. */
RUNNEL_API unsigned runnel_column_count(const struct runnel_query *query);
/* NULL: there is no such */
RUNNEL_API const struct runnel_column *runnel_column(const struct runnel_query *query, unsigned i);
/* What will run where, and why, as `--explain` of the program. "" for a text without a query. */
RUNNEL_API const char *runnel_explain_query(struct runnel_query *query);

/* ---- running ---- */

/* Several queries of a session may run at once, each in a thread of the library; the caller steps
 * them in turns. But with a hosts file only one query about nodes runs at a time, because the links
 * carry one. For a second one runnel_start and runnel_step give RUNNEL_E_MISUSE; use a second
 * session.
 *
 * Begins, unless it has begun, and returns when all probes are attached: the answer covers all that
 * happens from then on. For programs that begin their work when it is watched; runnel_step begins
 * by itself. timeout_ms: as for runnel_step. RUNNEL_OK, RUNNEL_TIMEOUT, or an error. */
RUNNEL_API int runnel_start(struct runnel_query *query, int timeout_ms);
/* Gives the next row, waiting at most timeout_ms for it (-1: as long as it takes, 0: not at all).
 * RUNNEL_ROW, RUNNEL_DONE, RUNNEL_TIMEOUT, RUNNEL_INTERRUPTED, or an error. RUNNEL_DONE,
 * RUNNEL_INTERRUPTED and errors (but RUNNEL_E_MISUSE) end the run; later calls give the same again.
 *
 * The library makes rows while the caller works, up to queue_bytes. If the caller does not take
 * them in time, events wait in the kernel; events that find no room there are counted in the ledger
 * as lost. An aggregate without `every` gives its rows when the query ends. With `every`, the rows
 * of a window come when it is over: window after window, each with its start in column 0. Rows of
 * one window come together, in the order of the query. */
RUNNEL_API int runnel_step(struct runnel_query *query, int timeout_ms);
/* From the next run on: an aggregate of live events without `every` gives the groups so far every
 * `ms` milliseconds (50 at least; 0: never). The rows of such a snapshot replace those of the one
 * before; see runnel_snapshot. While rows wait to be taken, no snapshot is made. */
RUNNEL_API int runnel_refresh(struct runnel_query *query, int ms);
/* Ends the run, forgets rows and ledger. Then runnel_step runs the query again, with the same
 * parameters. RUNNEL_OK, or RUNNEL_E_MISUSE if it was never prepared. */
RUNNEL_API int runnel_reset(struct runnel_query *query);

/* ---- the row that runnel_step gave ---- */

/* All take the number of a column, from 0. If there is no such column, or no row: 0, "" or NULL.
 *
 * runnel_is_null: 1 if the column has no value in this row. Then it is `latency` or `begin` of a
 * call that was under way when the query began, or computed from them; a division by zero; an
 * integer of more than 64 bits; or an aggregate of nothing. */
RUNNEL_API int runnel_is_null(const struct runnel_query *query, unsigned i);
/* a double loses its fraction; text gives 0 */
RUNNEL_API int64_t runnel_get_int64(const struct runnel_query *query, unsigned i);
RUNNEL_API double runnel_get_double(const struct runnel_query *query, unsigned i);
/* Any value as a script wants it: numbers in base units, an errno by name. Ends in NUL, which *len
 * (in bytes) does not count; len may be NULL. A NULL value gives "". */
RUNNEL_API const char *runnel_get_text(struct runnel_query *query, unsigned i, size_t *len);
/* Any value as a person reads it: "1.2 ms", "4.0 KiB". A NULL value gives "-". */
RUNNEL_API const char *runnel_get_shown(struct runnel_query *query, unsigned i);

/* [low, high), in the column's unit; -INFINITY and INFINITY: no bound */
struct runnel_bucket {
	double low, high;
	int64_t count;
};
/* The buckets of a histogram, ascending; *n is their number. n may be NULL: one more bucket, with
 * low and high both 0, follows the last. NULL: it is no histogram, or has no buckets. */
RUNNEL_API const struct runnel_bucket *runnel_get_hist(struct runnel_query *query, unsigned i,
						       size_t *n);

/* the start of the row's window, ns since the epoch; 0 without `every` */
RUNNEL_API int64_t runnel_window(const struct runnel_query *query);
/* 1: the row stands for all groups that found no room. Its text keys are "(other)", its other keys
 * NULL. */
RUNNEL_API int runnel_is_other(const struct runnel_query *query);
/* 1: only a part of the row's window was covered, because the query (or the recording) began or
 * ended in it. *from and *until, ns since the epoch, are the first and the last moment of that
 * part. A recording that was added to may have a gap between them. 0: all of the window was
 * covered, or there are no windows; both are 0 then. Both may be NULL. Windows may also be those of
 * a nested query, or of a result; then runnel_window is 0. */
RUNNEL_API int runnel_partial(const struct runnel_query *query, int64_t *from, int64_t *until);
/* 1, 2, ...: the row is of this snapshot; 0: it is of the answer */
RUNNEL_API unsigned runnel_snapshot(const struct runnel_query *query);

/* ---- how complete the answer is ---- */

struct runnel_progress { /* about twice a second */
	/* events so far; 0 if they are not counted while the query runs */
	int64_t seen;
	unsigned nodes; /* nodes of a cluster that are asked; 0: this machine */
	unsigned attached, answering, late;
	int started;          /* all probes are attached */
	size_t waiting_bytes; /* of rows that wait to be taken */
};
/* While it runs, and after. Never NULL. */
RUNNEL_API const struct runnel_progress *runnel_progress(struct runnel_query *query);

struct runnel_ledger {        /* of one node, or of all */
	const char *node;     /* "" for all */
	int answered;         /* 1: to the end; while it runs: until now */
	const char *why;      /* why not, or "" */
	int64_t begin, end;   /* attached and detached, ns since the epoch */
	int64_t lost;         /* the sum of what was lost */
	unsigned nitems;      /* see runnel_ledger_item_name */
	const int64_t *items; /* counts */
};
/* The ledger of the query at the end of the text. Once runnel_step has given RUNNEL_DONE, it is of
 * the whole answer. While the query runs, it is what was known when the last runnel_step or
 * runnel_start returned, and is valid until the next one. It is renewed twice a second and before
 * each window, so it has the events of all rows taken from a window. Before that, and if the query
 * failed: NULL, 0, "". node: from 0 to runnel_ledger_nodes() - 1, or -1 for the sum of all.
 *
 * While the query runs every count may still grow. `answered` may turn from 1 to 0, and back if a
 * node is only behind. So the answer is not known to be complete yet. Some counts are known only at
 * the end: "open", and the lost_pair of pairs that were forgotten; for aggregates without `every`
 * also what a kernel table could not hold (lost_map), and seen and matched if they are counted in
 * groups. In a cluster, counts are those that each node told last; a relay stands for the nodes
 * below it. */
RUNNEL_API unsigned runnel_ledger_nodes(const struct runnel_query *query);
RUNNEL_API const struct runnel_ledger *runnel_ledger_of(const struct runnel_query *query, int node);
/* The name of count i, as in JSON ("seen", "lost_ring"), and as text for people; NULL: there is
 * none. *loss: 1 if a count above 0 makes an answer incomplete; loss may be NULL. Static. */
RUNNEL_API const char *runnel_ledger_item_name(unsigned i, int *loss);
RUNNEL_API const char *runnel_ledger_item_text(unsigned i);
/* as the program prints it on stderr */
RUNNEL_API const char *runnel_ledger_text(const struct runnel_query *query);
/* {"ledger": {...}}, one line with its newline: docs/library.md. While the query runs it has
 * "so_far": true and "complete": null. */
RUNNEL_API const char *runnel_ledger_json(const struct runnel_query *query);
/* 1: the query is over, and nothing was lost, cut or unanswered, as --strict demands */
RUNNEL_API int runnel_complete(const struct runnel_query *query);

#ifdef __cplusplus
}
#endif
#endif
