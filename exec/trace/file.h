/* file.h - a recording that is open for reading: its database, what it says of itself, and which
 * time it covers. */
#ifndef RN_EXEC_TRACE_FILE_H
#define RN_EXEC_TRACE_FILE_H
#include <sqlite3.h>
#include "planner/plan/ledger.h"
#include "planner/plan/source.h"

#define RN_TRACE_APPLICATION_ID 0x524e5431 /* "RNT1" */
#define RN_TRACE_PART ".part"              /* what a recording is called until it is complete */

/* ---- open.c ---- */

/* The file is a stranger's. 0 if it is, by its header and by what lies beside it, a
 * trace that this version reads; else negative errno and a message that names the fault. */
int rn_trace_check(const char *path, struct rn_err *err);
/* Opens for reading, after rn_trace_check and checks of all but its events. One thread at a time.
 * Statements take some seconds at most. */
int rn_trace_open(const char *path, sqlite3 **db, struct rn_err *err);
/* that rn_trace_open gave, instead of sqlite3_close; NULL is allowed */
void rn_trace_shut(sqlite3 *db);
/* From now on statements take as long as they need, until *stop (which may be NULL) is not zero:
 * SQLITE_INTERRUPT. */
void rn_trace_until(sqlite3 *db, const volatile int *stop);
int64_t rn_trace_bytes(sqlite3 *db); /* of the file, when it was opened */
/* Is the file as it was when it was opened, and did no statement take too long? If not, what was
 * read may be wrong: -EBADMSG. */
int rn_trace_unchanged(sqlite3 *db, const char *path, struct rn_err *err);

/* ---- read.c ---- */

/* Text of a key of `meta`, in the arena; "" if absent. */
const char *rn_trace_meta(sqlite3 *db, struct rn_arena *arena, const char *key);
/* the name of its class, in the words of this version */
const char *rn_trace_class_name(sqlite3 *db, struct rn_arena *arena);
/* Texts of a statement's first column, in the arena, ended by NULL; *n: how many. */
const char *const *rn_trace_list(sqlite3 *db, const char *sql, struct rn_arena *arena, unsigned *n);

/* ---- coverage.c ---- */

/* Which time these nodes (names joined by ","; NULL: all) were recorded, together.
 * In the arena; never NULL. */
const struct rn_cover *rn_trace_cover(sqlite3 *db, struct rn_arena *arena, const char *nodes);
/* Each node's own spans. What `each` returns, if that is not 0: it ends them. */
int rn_trace_cover_each(sqlite3 *db,
			int (*each)(void *self, const char *node, const struct rn_span_ns *span),
			void *self);
/* Adds the nodes that did not answer to the end, a thousand at most, to what the ledgers know. In
 * the arena. */
void rn_trace_unanswered(sqlite3 *db, struct rn_arena *arena, struct rn_ledgers *ledgers);
/* The same nodes, divided into lists of names of nodes that were recorded at the same times: *n of
 * them. In the arena. */
const char *const *rn_trace_cover_shares(sqlite3 *db, struct rn_arena *arena, const char *nodes,
					 unsigned *n);

/* ---- read.c ---- */

/* When each of its nodes began to record, by the clock of its rows. A file that cannot be read has
 * none. */
void rn_trace_begins(const char *path, void (*each)(void *self, const char *node, int64_t begin_ns),
		     void *self);

/* ---- catalog.c ---- */

/* The tags that were searched, in their text form of today, in the arena. */
const char *const *rn_trace_tags_searched(sqlite3 *db, struct rn_arena *arena, unsigned *n);

/* ---- read.c ---- */

/* A provider that reads a trace: its path; NULL if it is another. */
const char *rn_trace_provider_path(const struct rn_provider *provider);
const char *rn_trace_provider_nodes(
	const struct rn_provider *provider); /* of such a one; NULL: all */
/* ---- select.c ---- */

/* Was the field recorded? what: who needs it, for the message. */
int rn_trace_need(sqlite3 *db, const char *path, const char *field, const char *what,
		  struct rn_err *err);
#endif
