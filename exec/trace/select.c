/* select.c - see select_impl.h. */
#include <errno.h>
#include <string.h>
#include "exec/trace/select_impl.h"

void rn_trace_own_nodes(sqlite3_str *sql, const struct rn_trace_from *from)
{
	if (!from->node)
		return;
	sqlite3_str_appendall(sql, " AND node IN (");
	for (const char *n = from->node, *end; *n; n = *end ? end + 1 : end) {
		end = strchrnul(n, ',');
		sqlite3_str_appendf(sql, "%s'%.*q'", n == from->node ? "" : ", ", (int)(end - n),
				    n);
	}
	sqlite3_str_appendall(sql, ")");
}

int rn_trace_of_class(sqlite3_str *sql, sqlite3 *db, struct rn_arena *arena, const char *path,
		      const struct rn_class *cls, const char *class_name, struct rn_err *err)
{
	const char *recorded = rn_trace_class_name(db, arena);
	bool all = !strcmp(recorded, class_name);
	/* a class of this trace's catalogue */
	const char *const *names = all || !cls ? NULL : cls->calls;

	if (!all && !names)
		return rn_err_set(err, -ENOENT, "%s: holds %s, not %s", path, recorded, class_name);
	sqlite3_str_appendall(sql, names ? "name IN (" : "1");
	for (unsigned i = 0; names && names[i]; i++)
		sqlite3_str_appendf(sql, "%s%Q", i ? ", " : "", names[i]);
	if (names)
		sqlite3_str_appendall(sql, ")");
	return 0;
}

static bool recorded_field(sqlite3 *db, const char *name)
{
	sqlite3_stmt *st;
	bool found = false;

	if (sqlite3_prepare_v2(db, "SELECT 1 FROM fields WHERE name = ?", -1, &st, NULL) !=
	    SQLITE_OK)
		return false;
	sqlite3_bind_text(st, 1, name, -1, SQLITE_STATIC);
	found = sqlite3_step(st) == SQLITE_ROW;
	sqlite3_finalize(st);
	return found;
}

int rn_trace_need(sqlite3 *db, const char *path, const char *field, const char *what,
		  struct rn_err *err)
{
	if (recorded_field(db, field))
		return 0;
	return rn_err_set(err, -ENOENT, "%s: %s needs the field %s, which was not recorded", path,
			  what, field);
}

int rn_trace_of_scope(sqlite3_str *sql, sqlite3 *db, const char *path, const struct rn_scope *scope,
		      struct rn_err *err)
{
	unsigned n = scope ? scope->npids : 0;
	int r = n ? rn_trace_need(db, path, "pid", "a choice of processes", err) : 0;

	sqlite3_str_appendall(sql, n ? "pid IN (" : "1");
	for (unsigned i = 0; i < n; i++)
		sqlite3_str_appendf(sql, "%s%d", i ? ", " : "", (int)scope->pids[i]);
	if (n)
		sqlite3_str_appendall(sql, ")");
	return r;
}

void rn_trace_in_order(sqlite3_str *sql, sqlite3 *db, struct rn_arena *arena)
{
	sqlite3_str_appendall(sql, strcmp(rn_trace_meta(db, arena, "ordered"), "1")
					   ? " ORDER BY time, _rowid_"
					   : " ORDER BY _rowid_");
}

/* Values are taken as sqlite3_value: without a mutex on the connection these may be read, and one
 * call finds each. Text is copied: a batch outlives the statement's row. */
static struct rn_value text_value(struct rn_arena *a, sqlite3_value *v)
{
	const char *s = sqlite3_value_blob(v);
	int n = sqlite3_value_bytes(v);

	return rn_strn(n ? rn_arena_strndup(a, s, (size_t)n) : "", (size_t)n);
}

/* A value that cannot be one of the type is RN_NULL here. */
static struct rn_value ip_value(struct rn_arena *a, sqlite3_value *v)
{
	const char *s = (const char *)sqlite3_value_text(v);
	int n = sqlite3_value_bytes(v);
	unsigned char *ip;

	if (!n)
		return rn_strn("", 0);
	ip = rn_arena_alloc(a, RN_IP_BYTES);
	return rn_ip_parse(s, (size_t)n, ip) ? rn_strn((char *)ip, RN_IP_BYTES) : rn_null();
}

/* What a value of the type is stored as; a number may be stored as INTEGER where a fraction is
 * meant. */
static int stored_as(struct rn_ty ty)
{
	switch (ty.type) {
	case RN_T_BOOL:
	case RN_T_INT: return SQLITE_INTEGER;
	case RN_T_FLOAT: return SQLITE_FLOAT;
	case RN_T_BYTES:
	case RN_T_SKETCH: return SQLITE_BLOB;
	default: return SQLITE_TEXT;
	}
}

bool rn_trace_value(struct rn_arena *arena, sqlite3_stmt *st, int c, struct rn_ty ty,
		    struct rn_value *out)
{
	sqlite3_value *v = sqlite3_column_value(st, c);
	int is = sqlite3_value_type(v), as = stored_as(ty);

	*out = rn_null();
	if (is == SQLITE_NULL)
		return true;
	if (is != as && (is != SQLITE_INTEGER || as != SQLITE_FLOAT))
		return false;
	switch (ty.type) {
	case RN_T_BOOL: *out = rn_bool(sqlite3_value_int64(v) != 0); break;
	case RN_T_INT: *out = rn_int(sqlite3_value_int64(v)); break;
	case RN_T_FLOAT: *out = rn_float(sqlite3_value_double(v)); break;
	case RN_T_IP: *out = ip_value(arena, v); break;
	default: *out = text_value(arena, v);
	}
	return out->kind != RN_NULL;
}

bool rn_trace_field(struct rn_arena *arena, sqlite3_stmt *st, int c, const struct rn_field *field,
		    struct rn_value *out)
{
	bool is = rn_trace_value(arena, st, c, field->ty, out);

	if (is && out->kind == RN_NULL && field->unsure)
		*out = rn_unknown();
	return is;
}

int rn_trace_wrong(sqlite3_stmt *st, int c, struct rn_ty ty, const char *path, struct rn_err *err)
{
	static const char *const stored[] = {
		[SQLITE_INTEGER] = "a number", [SQLITE_FLOAT] = "a fraction",
		[SQLITE_TEXT] = "a text",      [SQLITE_BLOB] = "bytes",
		[SQLITE_NULL] = "NULL",
	};
	int is = sqlite3_column_type(st, c);

	return rn_err_set(err, -EBADMSG, "%s: is damaged: events.%s holds %s, not %s", path,
			  sqlite3_column_name(st, c), stored[is],
			  ty.type == RN_T_IP ? "an address" : stored[stored_as(ty)]);
}

/* of a row in the file: a cell of 4 bytes, and 2 that say where it is */
enum { ROW_BYTES_MIN = 6 };

int rn_trace_fits(sqlite3 *db, const char *path, int64_t rows, int64_t bytes, struct rn_err *err)
{
	int64_t size = rn_trace_bytes(db);

	if (rows <= size / ROW_BYTES_MIN && bytes <= size)
		return 0;
	return rn_err_set(err, -EBADMSG,
			  "%s: is damaged: its rows are more than a file of %lld bytes can hold",
			  path, (long long)size);
}

static int64_t text_bytes(sqlite3_stmt *st)
{
	int64_t bytes = 0;

	for (int c = 0, n = sqlite3_column_count(st); c < n; c++) {
		int is = sqlite3_column_type(st, c);

		if (is == SQLITE_TEXT || is == SQLITE_BLOB)
			bytes += sqlite3_column_bytes(st, c);
	}
	return bytes;
}

int rn_trace_sortable(sqlite3 *db, const char *path, const volatile int *stop, struct rn_err *err)
{
	int64_t rows = 0, bytes = 0;
	sqlite3_stmt *st = NULL;
	int r = 0, rc = sqlite3_prepare_v2(db, "SELECT * FROM events", -1, &st, NULL);

	while (!r && rc == SQLITE_OK && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		rc = SQLITE_OK;
		bytes += text_bytes(st);
		r = rn_trace_fits(db, path, ++rows, bytes, err);
	}
	if (!r && rc != SQLITE_DONE && !(rc == SQLITE_INTERRUPT && rn_stopped(stop)))
		r = rn_trace_damaged(db, path, err);
	sqlite3_finalize(st);
	return r;
}
