/* select_impl.h - pieces of the statements that read a recording's events, and the values that come
 * back. The first condition stands behind `FROM events WHERE`. */
#ifndef RN_EXEC_TRACE_SELECT_IMPL_H
#define RN_EXEC_TRACE_SELECT_IMPL_H
#include "exec/trace/trace_impl.h"

struct rn_trace_from {
	char *path, *node;        /* node: names joined by ","; NULL: all */
	const volatile int *stop; /* becomes nonzero: no more rows; may be NULL */
};

/* ---- open.c ---- */

/* Sets err to what is wrong with the database that was just asked; the code. */
int rn_trace_damaged(sqlite3 *db, const char *path, struct rn_err *err);

/* ---- select.c ---- */

/* " AND node IN (...)", if not all are meant. */
void rn_trace_own_nodes(sqlite3_str *sql, const struct rn_trace_from *from);
/* A condition on events for those of a class that the trace's catalogue gave: "1", or "name IN
 * (...)". a: for what is read meanwhile. */
int rn_trace_of_class(sqlite3_str *sql, sqlite3 *db, struct rn_arena *arena, const char *path,
		      const struct rn_class *cls, const char *class_name, struct rn_err *err);
/* A condition for the processes of the scope: "1", or "pid IN (...)". */
int rn_trace_of_scope(sqlite3_str *sql, sqlite3 *db, const char *path, const struct rn_scope *scope,
		      struct rn_err *err);
/* " ORDER BY ...": time, and of the same time as they were recorded. */
void rn_trace_in_order(sqlite3_str *sql, sqlite3 *db, struct rn_arena *arena);
/* Column c of the row that st stands on, as a value of type ty. Text is copied into the arena: it
 * outlives the statement's row. False: it is none of that type, and *out is NULL; rn_trace_wrong
 * says so. */
bool rn_trace_value(struct rn_arena *arena, sqlite3_stmt *st, int c, struct rn_ty ty,
		    struct rn_value *out);
/* The same of a recorded field: NULL may be what is not known of the event. */
bool rn_trace_field(struct rn_arena *arena, sqlite3_stmt *st, int c, const struct rn_field *field,
		    struct rn_value *out);
/* rows of so many bytes of text have been read: can the file hold them? Its pages may be made to
 * lie at several places of it, so that it has no end. If not: -EBADMSG. */
int rn_trace_fits(sqlite3 *db, const char *path, int64_t rows, int64_t bytes, struct rn_err *err);
/* The same of all events, before they are sorted: that takes room for all. 0 also if *stop became
 * nonzero. */
int rn_trace_sortable(sqlite3 *db, const char *path, const volatile int *stop, struct rn_err *err);
int rn_trace_wrong(sqlite3_stmt *st, int c, struct rn_ty ty, const char *path, struct rn_err *err);
#endif
