/* trace_sql.c - see trace_sql.h. */
#include <errno.h>
#include <string.h>
#include "exec/trace_sql.h"

int rn_trace_damaged(sqlite3 *db, const char *path, struct rn_err *err)
{
	if (sqlite3_errcode(db) == SQLITE_BUSY)
		return rn_err_set(err, -EBUSY, "%s: is still being written", path);
	return rn_err_set(err, -EBADMSG, "%s: is damaged: %s", path, sqlite3_errmsg(db));
}

void rn_trace_own_nodes(sqlite3_str *q, const struct rn_trace_from *from)
{
	if (!from->node)
		return;
	sqlite3_str_appendall(q, " AND node IN (");
	for (const char *n = from->node, *end; *n; n = *end ? end + 1 : end) {
		end = strchrnul(n, ',');
		sqlite3_str_appendf(q, "%s'%.*q'", n == from->node ? "" : ", ", (int)(end - n), n);
	}
	sqlite3_str_appendall(q, ")");
}

int rn_trace_of_class(sqlite3_str *q, sqlite3 *db, struct rn_arena *a, const char *path, const struct rn_class *cls, const char *class_name,
		      struct rn_err *err)
{
	const char *recorded = rn_trace_meta(db, a, "class");
	bool all = !strcmp(recorded, class_name);
	const char *const *names = all || !cls ? NULL : cls->calls; /* a class of this trace's catalogue */

	if (!all && !names)
		return rn_err_set(err, -ENOENT, "%s: holds %s, not %s", path, recorded, class_name);
	sqlite3_str_appendall(q, names ? "name IN (" : "1");
	for (unsigned i = 0; names && names[i]; i++)
		sqlite3_str_appendf(q, "%s%Q", i ? ", " : "", names[i]);
	if (names)
		sqlite3_str_appendall(q, ")");
	return 0;
}

static bool recorded_field(sqlite3 *db, const char *name)
{
	sqlite3_stmt *st;
	bool found = false;

	if (sqlite3_prepare_v2(db, "SELECT 1 FROM fields WHERE name = ?", -1, &st, NULL) != SQLITE_OK)
		return false;
	sqlite3_bind_text(st, 1, name, -1, SQLITE_STATIC);
	found = sqlite3_step(st) == SQLITE_ROW;
	sqlite3_finalize(st);
	return found;
}

int rn_trace_need(sqlite3 *db, const char *path, const char *field, const char *what, struct rn_err *err)
{
	if (recorded_field(db, field))
		return 0;
	return rn_err_set(err, -ENOENT, "%s: %s needs the field %s, which was not recorded", path, what, field);
}

int rn_trace_of_scope(sqlite3_str *q, sqlite3 *db, const char *path, const struct rn_scope *scope, struct rn_err *err)
{
	unsigned n = scope ? scope->npids : 0;
	int r = n ? rn_trace_need(db, path, "pid", "a choice of processes", err) : 0;

	sqlite3_str_appendall(q, n ? "pid IN (" : "1");
	for (unsigned i = 0; i < n; i++)
		sqlite3_str_appendf(q, "%s%d", i ? ", " : "", (int)scope->pids[i]);
	if (n)
		sqlite3_str_appendall(q, ")");
	return r;
}

void rn_trace_in_order(sqlite3_str *q, sqlite3 *db, struct rn_arena *a)
{
	sqlite3_str_appendall(q, strcmp(rn_trace_meta(db, a, "ordered"), "1") ? " ORDER BY time, _rowid_" : " ORDER BY _rowid_");
}

/* Values are taken as sqlite3_value: without a mutex on the connection these may be read, and one call finds each. Text is copied:
 * a batch outlives the statement's row. */
static struct rn_value text_value(struct rn_arena *a, sqlite3_value *v)
{
	const char *s = sqlite3_value_blob(v);
	int n = sqlite3_value_bytes(v);

	return rn_strn(n ? rn_arena_strndup(a, s, (size_t)n) : "", (size_t)n);
}

static struct rn_value ip_value(struct rn_arena *a, sqlite3_value *v)
{
	const char *s = (const char *)sqlite3_value_text(v);
	int n = sqlite3_value_bytes(v);
	unsigned char *ip;

	if (!n)
		return rn_strn("", 0);
	ip = rn_arena_alloc(a, RN_IP_BYTES);
	return rn_ip_parse(s, (size_t)n, ip) ? rn_strn((char *)ip, RN_IP_BYTES) : rn_strn("", 0);
}

struct rn_value rn_trace_field(struct rn_arena *a, sqlite3_stmt *st, int c, const struct rn_field *f)
{
	struct rn_value v = rn_trace_value(a, st, c, f->ty);

	return v.kind == RN_NULL && f->unsure ? rn_unknown() : v;
}

struct rn_value rn_trace_value(struct rn_arena *a, sqlite3_stmt *st, int c, struct rn_ty ty)
{
	sqlite3_value *v = sqlite3_column_value(st, c);

	if (sqlite3_value_type(v) == SQLITE_NULL)
		return rn_null();
	switch (ty.type) {
	case RN_T_BOOL: return rn_bool(sqlite3_value_int64(v) != 0);
	case RN_T_INT: return rn_int(sqlite3_value_int64(v));
	case RN_T_FLOAT: return rn_float(sqlite3_value_double(v));
	case RN_T_IP: return ip_value(a, v);
	default: return text_value(a, v);
	}
}
