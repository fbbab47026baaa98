/* trace_append.c - may a recording be written where one is already, and what it means to add to that one.
 *
 * A recording that is added to is copied to its unfinished name first, and the copy takes its place when it is complete: the old one is never
 * written to. What is added must have the same class, tags and fields, or a query over both would not know what it reads. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "exec/trace_append.h"

enum { COPY_BYTES = 1 << 20 };

/* ---- is it the same? ------------------------------------------------------------------------------------------------- */

static int differs(const struct rn_trace_target *t, struct rn_err *err)
{
	rn_err_hint(err, "only what has the same fields can be added; write to another file, or over it: into \"%s\" replace", t->path);
	return err->code;
}

static const char *source_of(struct rn_arena *a, const char *name, const char *arg)
{
	return rn_source_text(a, name, arg && *arg ? arg : NULL);
}

static int same_class(sqlite3 *db, struct rn_arena *a, const struct rn_trace_target *t, struct rn_err *err)
{
	const char *has = source_of(a, rn_trace_meta(db, a, "class"), rn_trace_meta(db, a, "class_arg"));
	const char *wanted = source_of(a, t->cls->name, t->cls->arg);

	if (!strcmp(has, wanted))
		return 0;
	rn_err_set(err, -EINVAL, "%s holds %s, and this query records %s", t->path, has, wanted);
	return differs(t, err);
}

static bool among(const char *const *list, unsigned n, const char *text)
{
	for (unsigned i = 0; i < n; i++)
		if (!strcmp(list[i], text))
			return true;
	return false;
}

/* A tag that one run searched and the other did not would be found in a part of the rows only. */
static int same_tags(sqlite3 *db, struct rn_arena *a, const struct rn_trace_target *t, struct rn_err *err)
{
	const char **wanted = RN_NEWN(a, const char *, t->ntags + 1), *other = NULL;
	const char *const *has;
	bool here = true;
	unsigned n;

	has = rn_trace_tags_searched(db, a, &n);
	for (unsigned i = 0; i < t->ntags; i++)
		wanted[i] = rn_tag_text(a, t->tags[i]);
	for (unsigned i = 0; i < n && !other; i++)
		if (!among(wanted, t->ntags, has[i]))
			other = has[i];
	for (unsigned i = 0; i < t->ntags && !other; i++)
		if (!among(has, n, wanted[i]))
			here = false, other = wanted[i];
	if (!other)
		return 0;
	if (here)
		rn_err_set(err, -EINVAL, "%s was searched for the tag %s, and this query does not search it", t->path, other);
	else
		rn_err_set(err, -EINVAL, "%s was not searched for the tag %s, as this query does", t->path, other);
	return differs(t, err);
}

static const struct rn_column *column(const struct rn_trace_target *t, const char *label)
{
	for (unsigned i = 0; i < t->ncols; i++)
		if (!strcmp(t->cols[i].label, label))
			return &t->cols[i];
	return NULL;
}

/* One recorded field, on which the statement stands. */
static int same_field(sqlite3_stmt *st, const struct rn_trace_target *t, struct rn_err *err)
{
	const char *text[3];
	const struct rn_column *c;
	struct rn_ty ty;

	for (int i = 0; i < 3; i++)
		text[i] = sqlite3_column_text(st, i) ? (const char *)sqlite3_column_text(st, i) : "";
	c = column(t, text[0]);
	if (!rn_trace_type_parse(text[1], text[2], &ty))
		return rn_err_set(err, -EINVAL, "%s: the field %s has an unknown type", t->path, text[0]);
	if (!c)
		return rn_err_set(err, -EINVAL, "%s has the field `%s`, which this query does not record", t->path, text[0]);
	if (c->ty.type != ty.type || c->ty.unit != ty.unit)
		return rn_err_set(err, -EINVAL, "`%s` is of type %s in %s, and of type %s in this query", text[0], rn_type_name(ty), t->path,
				  rn_type_name(c->ty));
	return 0;
}

static int same_fields(sqlite3 *db, struct rn_arena *a, const struct rn_trace_target *t, struct rn_err *err)
{
	const char *const *has;
	unsigned n;
	sqlite3_stmt *st;
	int r = 0;

	if (sqlite3_prepare_v2(db, "SELECT name, type, unit FROM fields ORDER BY position", -1, &st, NULL) != SQLITE_OK)
		return rn_err_set(err, -EBADMSG, "%s: is damaged: %s", t->path, sqlite3_errmsg(db));
	while (!r && sqlite3_step(st) == SQLITE_ROW)
		r = same_field(st, t, err);
	sqlite3_finalize(st);
	has = rn_trace_list(db, "SELECT name FROM fields", a, &n);
	for (unsigned i = 0; i < t->ncols && !r; i++)
		if (!among(has, n, t->cols[i].label))
			r = rn_err_set(err, -EINVAL, "%s has no field `%s`, which this query records", t->path, t->cols[i].label);
	return r ? differs(t, err) : 0;
}

int rn_trace_same(sqlite3 *db, const struct rn_trace_target *t, struct rn_err *err)
{
	struct rn_arena *a = rn_arena_create(RN_ARENA_CAP);
	int r = same_class(db, a, t, err);

	if (!r)
		r = same_tags(db, a, t, err);
	if (!r)
		r = same_fields(db, a, t, err);
	rn_arena_destroy(a);
	return r;
}

/* ---- may it be written? ------------------------------------------------------------------------------------------------- */

static int is_there(const struct rn_trace_target *t, struct rn_err *err)
{
	rn_err_set(err, -EEXIST, "%s is there already", t->path);
	rn_err_hint(err, "into \"%s\" replace: a new recording in its place; into \"%s\" append: more rows in it", t->path, t->path);
	return err->code;
}

static int may_append(const struct rn_trace_target *t, struct rn_err *err)
{
	sqlite3 *db;
	int r = rn_trace_open(t->path, &db, err);

	if (r) {
		rn_err_hint(err, "nothing can be added to it; write to another file, or over it: into \"%s\" replace", t->path);
		return r;
	}
	r = rn_trace_same(db, t, err);
	sqlite3_close(db);
	return r;
}

int rn_trace_allowed(const struct rn_trace_target *t, bool *there, struct rn_err *err)
{
	struct rn_err why = {0};
	struct stat st;
	int r;

	*there = false;
	if (stat(t->path, &st))
		return 0; /* or it cannot be looked at: then it cannot be made */
	if (!S_ISREG(st.st_mode))
		return rn_err_set(err, -EEXIST, "%s: is there already, and is no file", t->path);
	if (!st.st_size)
		return 0;
	*there = true;
	r = rn_trace_check(t->path, &why);
	if (r == -EBADMSG || r == -EACCES) {
		rn_err_set(err, -EEXIST, "%s: is there already, and is no trace", t->path);
		rn_err_hint(err, "choose another name; only traces are overwritten");
		return -EEXIST;
	}
	switch (t->how) {
	case RN_INTO_REPLACE: return 0;
	case RN_INTO_APPEND: return may_append(t, err);
	default: return is_there(t, err);
	}
}

/* ---- the copy ----------------------------------------------------------------------------------------------------------- */

/* By way of this process, where the file systems cannot do it between themselves. */
static int copy_through(int from, int to)
{
	char *buf = malloc(COPY_BYTES);
	ssize_t n = buf ? 1 : -1;

	while (buf && (n = read(from, buf, COPY_BYTES)) > 0)
		for (ssize_t at = 0, k; at < n; at += k)
			if ((k = write(to, buf + at, (size_t)(n - at))) < 0) {
				free(buf);
				return -errno;
			}
	free(buf);
	return !buf ? -ENOMEM : n < 0 ? -errno : 0;
}

int rn_trace_copy(const char *path, int to, struct rn_err *err)
{
	int from = open(path, O_RDONLY | O_CLOEXEC), r = from < 0 ? -errno : 0;
	ssize_t n = 1;

	while (!r && (n = copy_file_range(from, NULL, to, NULL, 1 << 30, 0)) > 0)
		;
	if (!r && n < 0) /* it goes on where both descriptors stand */
		r = copy_through(from, to);
	if (from >= 0)
		close(from);
	return r ? rn_err_set(err, r, "%s: cannot be copied, to be added to: %s", path, strerror(-r)) : 0;
}
