/* schema_impl.h - what a recording has to look like before a query may read it: which tables, of
 * which columns, and what may stand in the small ones. docs/trace-format.md describes the same. */
#ifndef RN_EXEC_TRACE_SCHEMA_IMPL_H
#define RN_EXEC_TRACE_SCHEMA_IMPL_H
#include "exec/trace/select_impl.h"

enum {
	RN_TRACE_FIELDS_MAX = 1000,   /* that one recording has */
	RN_TRACE_SQL_MAX = 128 << 10, /* bytes of the text of a table's definition */
	RN_TRACE_ROW_MAX = 4 << 20,   /* bytes of a row, and of a value */
};

/* ---- open.c ---- */

/* Limits and settings of SQLite, under which a stranger's schema can run nothing. write: a copy
 * that is added to, without a journal, which SQLite's defensive mode does not allow. An SQLite
 * code. */
int rn_trace_defend(sqlite3 *db, bool write);

/* ---- schema.c ---- */

/* Is there nothing but tables and indexes: no view, trigger or virtual table? If not: -EBADMSG, and
 * err names it. */
int rn_trace_plain(sqlite3 *db, const char *path, struct rn_err *err);
/* Are there the tables that there must be, with their columns, and is none of these computed? If
 * not: -EBADMSG, and err names it. */
int rn_trace_schema(sqlite3 *db, const char *path, struct rn_err *err);
/* Checks all tables except `events`: each column has what it may have, and each table is as small
 * as in recordings. Otherwise -EBADMSG, and err names the first that differs. */
int rn_trace_contents(sqlite3 *db, const char *path, struct rn_err *err);
#endif
