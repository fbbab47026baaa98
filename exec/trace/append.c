/* append.c - may a recording be written where one is already, and what it means to add to
 * that one.
 *
 * A recording that is added to is copied to its unfinished name first, and the copy takes its place
 * when it is complete: the old one is never written to. What is added must have the same class,
 * tags and fields, or a query over both would not know what it reads. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "exec/trace/append_impl.h"
#include "exec/trace/place_impl.h"
#include "lang/base/limits.h"

/* ---- is it the same? ---- */

static int differs(const struct rn_trace_target *t, struct rn_err *err)
{
	rn_err_hint(err,
		    "only what has the same fields can be added; write to another file, or over "
		    "it: into \"%s\" replace",
		    t->path);
	return err->code;
}

static const char *source_of(struct rn_arena *a, const char *name, const char *arg)
{
	return rn_source_text(a, name, arg && *arg ? arg : NULL);
}

/* What a recording holds, or what a query records. */
struct held {
	const char *source;
	const char *const *tags;
	unsigned ntags;
	const struct rn_column *cols;
	unsigned ncols;
};

static struct held held_by_query(struct rn_arena *a, const struct rn_trace_target *t)
{
	const char **tags = RN_NEWN(a, const char *, t->ntags + 1);

	for (unsigned i = 0; i < t->ntags; i++)
		tags[i] = rn_tag_text(a, t->tags[i]);
	return (struct held){source_of(a, t->cls->name, t->cls->arg), tags, t->ntags, t->cols,
			     t->ncols};
}

static const char *text_at(sqlite3_stmt *st, int i)
{
	return sqlite3_column_text(st, i) ? (const char *)sqlite3_column_text(st, i) : "";
}

static int fields_of(sqlite3 *db, struct rn_arena *arena, const struct rn_trace_target *target,
		     struct held *h, struct rn_err *err)
{
	struct rn_column *c;
	sqlite3_stmt *st;
	unsigned n;
	int r = 0;

	rn_trace_list(db, "SELECT name FROM fields", arena, &n);
	h->cols = c = RN_NEWN(arena, struct rn_column, n + 1);
	if (sqlite3_prepare_v2(db, "SELECT name, type, unit FROM fields ORDER BY position", -1, &st,
			       NULL) != SQLITE_OK)
		return rn_err_set(err, -EBADMSG, "%s: is damaged: %s", target->path,
				  sqlite3_errmsg(db));
	for (; !r && h->ncols < n && sqlite3_step(st) == SQLITE_ROW; h->ncols++) {
		c[h->ncols].label = rn_arena_strdup(arena, text_at(st, 0));
		if (!rn_trace_type_parse(text_at(st, 1), text_at(st, 2), &c[h->ncols].ty))
			r = rn_err_set(err, -EINVAL, "%s: the field %s has an unknown type",
				       target->path, c[h->ncols].label);
	}
	sqlite3_finalize(st);
	return r;
}

static bool among(const char *const *list, unsigned n, const char *text)
{
	for (unsigned i = 0; i < n; i++)
		if (!strcmp(list[i], text))
			return true;
	return false;
}

/* A tag that one run searched and the other did not would be found in a part of the rows only. */
static int same_tags(const struct held *has, const struct held *wanted, const char *path,
		     struct rn_err *err)
{
	for (unsigned i = 0; i < has->ntags; i++)
		if (!among(wanted->tags, wanted->ntags, has->tags[i]))
			return rn_err_set(
				err, -EINVAL,
				"%s was searched for the tag %s, and this query does not search it",
				path, has->tags[i]);
	for (unsigned i = 0; i < wanted->ntags; i++)
		if (!among(has->tags, has->ntags, wanted->tags[i]))
			return rn_err_set(err, -EINVAL,
					  "%s was not searched for the tag %s, as this query does",
					  path, wanted->tags[i]);
	return 0;
}

static const struct rn_column *column(const struct held *h, const char *label)
{
	for (unsigned i = 0; i < h->ncols; i++)
		if (!strcmp(h->cols[i].label, label))
			return &h->cols[i];
	return NULL;
}

static int same_fields(const struct held *has, const struct held *wanted, const char *path,
		       struct rn_err *err)
{
	for (unsigned i = 0; i < has->ncols; i++) {
		const struct rn_column *f = &has->cols[i], *c = column(wanted, f->label);

		if (!c)
			return rn_err_set(err, -EINVAL,
					  "%s has the field `%s`, which this query does not record",
					  path, f->label);
		if (c->ty.type != f->ty.type || c->ty.unit != f->ty.unit)
			return rn_err_set(err, -EINVAL,
					  "`%s` is of type %s in %s, and of type %s in this query",
					  f->label, rn_type_name(f->ty), path, rn_type_name(c->ty));
	}
	for (unsigned i = 0; i < wanted->ncols; i++)
		if (!column(has, wanted->cols[i].label))
			return rn_err_set(err, -EINVAL,
					  "%s has no field `%s`, which this query records", path,
					  wanted->cols[i].label);
	return 0;
}

static int same(const struct held *has, const struct held *wanted, const char *path,
		struct rn_err *err)
{
	int r = 0;

	if (strcmp(has->source, wanted->source))
		return rn_err_set(err, -EINVAL, "%s holds %s, and this query records %s", path,
				  has->source, wanted->source);
	r = same_tags(has, wanted, path, err);
	return r ? r : same_fields(has, wanted, path, err);
}

int rn_trace_same(sqlite3 *db, const struct rn_trace_target *target, struct rn_err *err)
{
	struct rn_arena *a = rn_arena_create(RN_ARENA_CAP);
	struct held wanted = held_by_query(a, target),
		    has = {source_of(a, rn_trace_class_name(db, a),
				     rn_trace_meta(db, a, "class_arg"))};
	int r = fields_of(db, a, target, &has, err);

	has.tags = rn_trace_tags_searched(db, a, &has.ntags);
	if (!r)
		r = same(&has, &wanted, target->path, err);
	rn_arena_destroy(a);
	return r ? differs(target, err) : 0;
}

int rn_trace_alike(const struct rn_trace_target *before, const struct rn_trace_target *target,
		   struct rn_err *err)
{
	struct rn_arena *a = rn_arena_create(RN_ARENA_CAP);
	struct held has = held_by_query(a, before), wanted = held_by_query(a, target);
	struct rn_err why = {0};
	int r = same(&has, &wanted, target->path, &why);

	rn_arena_destroy(a);
	if (!r)
		return 0;
	rn_err_set(err, r, "after the statement before it, %s", why.text);
	rn_err_hint(err, "only what has the same fields can be added; write to another file");
	return r;
}

/* ---- may it be written? ---- */

static int is_there(const struct rn_trace_target *t, struct rn_err *err)
{
	rn_err_set(err, -EEXIST, "%s is there already", t->path);
	rn_err_hint(err,
		    "into \"%s\" replace: a new recording in its place; into \"%s\" append: more "
		    "rows in it",
		    t->path, t->path);
	return err->code;
}

static int may_append(const struct rn_trace_target *t, struct rn_err *err)
{
	sqlite3 *db;
	int r = rn_trace_open(t->path, &db, err);

	if (r) {
		rn_err_hint(err,
			    "nothing can be added to it; write to another file, or over it: into "
			    "\"%s\" replace",
			    t->path);
		return r;
	}
	r = rn_trace_same(db, t, err);
	rn_trace_shut(db);
	return r;
}

static int may_replace(const struct rn_trace_place *p, const struct rn_trace_target *t,
		       const struct stat *st, struct rn_err *err)
{
	struct rn_err why = {0};
	int r = rn_trace_check(t->path, &why);

	if (r == -EBADMSG || r == -EACCES) {
		rn_err_set(err, -EEXIST, "%s: is there already, and is no trace", t->path);
		rn_err_hint(err, "choose another name; only traces are overwritten");
		return -EEXIST;
	}
	if (t->how == RN_INTO_NEW)
		return is_there(t, err);
	r = t->how == RN_INTO_APPEND ? may_append(t, err) : 0;
	return r ? r : rn_trace_place_alone(p, st, err);
}

int rn_trace_allowed_at(const struct rn_trace_place *place, const struct rn_trace_target *target,
			bool *there, struct rn_err *err)
{
	struct stat st = {0};
	int r = rn_trace_place_look(place, target->path, &st, there, err);

	if (!r && *there && !S_ISREG(st.st_mode))
		r = rn_err_set(err, -EEXIST, "%s: is there already, and is no file", target->path);
	else if (!r && *there)
		r = st.st_size ? may_replace(place, target, &st, err)
			       : rn_trace_place_alone(place, &st, err);
	*there = *there && st.st_size;
	return r ? r : rn_trace_part_allowed(place, err);
}

int rn_trace_allowed(const struct rn_trace_target *target, bool *there, struct rn_err *err)
{
	struct rn_trace_place p;
	int r = rn_trace_place_find(&p, target->path, err);

	if (!r)
		r = rn_trace_allowed_at(&p, target, there, err);
	rn_trace_place_free(&p);
	return r;
}
