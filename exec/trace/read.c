/* read.c - a recorded trace as a provider of rows: one SELECT over the columns that a
 * fragment uses, in order of time.
 *
 * Nothing of the query but its class (which rows), its tags and the node is evaluated here:
 * predicates run in the agent, as over a live node. Values come back with the types they had, or
 * the file is damaged: addresses are parsed from their text again. Rows of pairs are made by
 * pairs.c. The file is a stranger's: open.c opens it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "exec/trace/pairs_impl.h"
#include "lang/base/memory.h"
#include "lang/base/vec.h"

enum { BATCH_ROWS = 1024, BATCH_ARENA = 64 << 20 };

struct trace_source {
	struct rn_source base;
	const struct rn_fragment *fragment;
	struct rn_trace_from *from;
	sqlite3 *db;
	sqlite3_stmt *st;
	struct rn_arena *arena; /* of the batch */
	int tags_col;           /* SELECT's column with the tags to look in; -1: no filter */
	struct rn_trace_wanted *wanted; /* the tags of the query; NULL: no filter */
	/* who makes the rows of a pair's class; NULL: another class */
	struct rn_trace_pairs *pairs;
	bool started, ended;
	bool stopped; /* the statement was ended while it ran */
	int64_t seen, matched;
	int64_t text_bytes;    /* of the texts that were read, as they lie in the file */
	struct rn_arena *kept; /* as long as the source */
	const struct rn_cover *cover;
	char why[256]; /* which nodes the recording lacks, in part */
};

const char *rn_trace_meta(sqlite3 *db, struct rn_arena *arena, const char *key)
{
	const char *text = "";
	sqlite3_stmt *st;

	if (sqlite3_prepare_v2(db, "SELECT value FROM meta WHERE key = ?", -1, &st, NULL) !=
	    SQLITE_OK)
		return "";
	sqlite3_bind_text(st, 1, key, -1, SQLITE_STATIC);
	if (sqlite3_step(st) == SQLITE_ROW && sqlite3_column_text(st, 0))
		text = rn_arena_strdup(arena, (const char *)sqlite3_column_text(st, 0));
	sqlite3_finalize(st);
	return text;
}

const char *rn_trace_class_name(sqlite3 *db, struct rn_arena *arena)
{
	return rn_class_now(rn_trace_meta(db, arena, "class"));
}

const char *const *rn_trace_list(sqlite3 *db, const char *sql, struct rn_arena *arena,
				 unsigned *count)
{
	const char **v = RN_NEWN(arena, const char *, 16);
	unsigned n = 0, cap = 16;
	sqlite3_stmt *st;

	*count = 0;
	if (sqlite3_prepare_v2(db, sql, -1, &st, NULL) != SQLITE_OK)
		return v;
	while (sqlite3_step(st) == SQLITE_ROW) {
		rn_vec_room_for_in(arena, v, n, cap, 2); /* and the NULL */
		v[n++] = rn_arena_strdup(arena, sqlite3_column_text(st, 0)
							? (const char *)sqlite3_column_text(st, 0)
							: "");
	}
	sqlite3_finalize(st);
	*count = n;
	return v;
}

const char *const *rn_trace_nodes(struct rn_arena *arena, const char *path, struct rn_err *err)
{
	const char *const *v;
	unsigned n;
	sqlite3 *db;

	if (rn_trace_open(path, &db, err))
		return NULL;
	v = rn_trace_list(db, "SELECT node FROM nodes ORDER BY 1", arena, &n);
	rn_trace_shut(db);
	return v;
}

void rn_trace_begins(const char *path, void (*each)(void *self, const char *node, int64_t begin_ns),
		     void *self)
{
	struct rn_err ignored = {0};
	sqlite3_stmt *st;
	sqlite3 *db;

	if (rn_trace_open(path, &db, &ignored))
		return;
	if (sqlite3_prepare_v2(db,
			       "SELECT node, begin FROM nodes WHERE node IS NOT NULL AND begin > 0",
			       -1, &st, NULL) == SQLITE_OK) {
		while (sqlite3_step(st) == SQLITE_ROW)
			each(self, (const char *)sqlite3_column_text(st, 0),
			     sqlite3_column_int64(st, 1));
		sqlite3_finalize(st);
	}
	rn_trace_shut(db);
}

/* ---- the statement ---- */

static int prepare(struct trace_source *s, const struct rn_scope *scope, struct rn_err *err)
{
	const struct rn_fragment *fragment = s->fragment;
	sqlite3_str *q = sqlite3_str_new(s->db);
	char *sql;
	int r = 0;

	sqlite3_str_appendall(q, "SELECT time");
	for (unsigned i = 0; i < fragment->nfields && !r; i++) {
		r = rn_trace_need(s->db, s->from->path, fragment->fields[i]->name, "the query",
				  err);
		sqlite3_str_appendf(q, ", \"%w\"", fragment->fields[i]->name);
	}
	s->tags_col = -1;
	if (!r && fragment->ntags) {
		r = rn_trace_need(s->db, s->from->path, "tags", "a tag", err);
		sqlite3_str_appendall(q, ", tags");
		s->tags_col = (int)fragment->nfields + 1;
		s->wanted = rn_trace_wanted_create(fragment->tags, fragment->ntags);
	}
	sqlite3_str_appendall(q, " FROM events WHERE ");
	if (!r)
		r = rn_trace_of_class(q, s->db, s->arena, s->from->path, fragment->cls,
				      fragment->class_name, err);
	rn_trace_own_nodes(q, s->from);
	sqlite3_str_appendall(q, " AND ");
	if (!r)
		r = rn_trace_of_scope(q, s->db, s->from->path, scope, err);
	rn_trace_in_order(q, s->db, s->arena);
	sql = sqlite3_str_finish(q);
	if (!r && sqlite3_prepare_v2(s->db, sql, -1, &s->st, NULL) != SQLITE_OK)
		r = rn_trace_damaged(s->db, s->from->path, err);
	sqlite3_free(sql);
	return r;
}

static void trace_close(struct rn_source *source)
{
	struct trace_source *s = (struct trace_source *)source;

	rn_trace_pairs_destroy(s->pairs);
	sqlite3_finalize(s->st);
	rn_trace_shut(s->db);
	rn_arena_destroy(s->arena);
	rn_arena_destroy(s->kept);
	rn_trace_wanted_destroy(s->wanted);
	free(s);
}

static const struct rn_source_ops trace_ops;

static int trace_open(void *provider, const struct rn_fragment *fragment,
		      const struct rn_scope *scope, struct rn_source **out, struct rn_err *err)
{
	struct trace_source *s = rn_calloc(1, sizeof(*s));
	int r;

	s->fragment = fragment;
	s->from = provider;
	s->arena = rn_arena_create(BATCH_ARENA);
	s->kept = rn_arena_create(BATCH_ARENA);
	r = rn_trace_open(s->from->path, &s->db, err);
	if (!r) {
		rn_trace_until(s->db, s->from->stop);
		s->cover = rn_trace_cover(s->db, s->kept, s->from->node);
	}
	if (!r && strcmp(rn_trace_meta(s->db, s->arena, "ordered"), "1"))
		r = rn_trace_sortable(s->db, s->from->path, s->from->stop, err);
	if (!r)
		r = fragment->ends
			    ? rn_trace_pairs_create(fragment, s->from, s->db, scope, &s->pairs, err)
			    : prepare(s, scope, err);
	if (r) {
		trace_close(&s->base);
		return r;
	}
	s->base.ops = &trace_ops;
	*out = &s->base;
	return 0;
}

static int trace_start(struct rn_source *source, struct rn_err *err)
{
	struct trace_source *s = (struct trace_source *)source;

	(void)err;
	s->started = true;
	return 0;
}

/* ---- rows ---- */

/* What the query asks for of the tags that a recording holds. */
static void filter_hits(struct trace_source *s, const char *name, struct rn_value *v)
{
	bool prints = !strcmp(name, "around");

	if (prints || !strcmp(name, "hits"))
		*v = rn_trace_wanted_hits(s->wanted, v, prints, s->arena);
}

/* Has the event a tag that is wanted? *tags: which. Or the error. */
static int has_wanted(struct trace_source *s, struct rn_value *tags, struct rn_err *err)
{
	static const struct rn_ty ty = {RN_T_TAGS, RN_U_NONE};
	struct rn_value all;

	if (!rn_trace_value(s->arena, s->st, s->tags_col, ty, &all))
		return rn_trace_wrong(s->st, s->tags_col, ty, s->from->path, err);
	if (all.kind == RN_STR)
		*tags = rn_trace_wanted_tags(s->wanted, &all, s->arena);
	return tags->len > 0;
}

/* The row that the statement stands on: 1; 0 if the tag filter rejects it; or the error. */
static int read_row(struct trace_source *s, struct rn_value *to, struct rn_err *err)
{
	const struct rn_fragment *fragment = s->fragment;
	struct rn_value tags = {0};
	int r = s->tags_col < 0 ? 1 : has_wanted(s, &tags, err);

	for (unsigned i = 0; i < fragment->nfields && r > 0; i++) {
		if (s->tags_col >= 0 && !strcmp(fragment->fields[i]->name, "tags")) {
			to[i] = tags;
			continue;
		}
		if (!rn_trace_field(s->arena, s->st, (int)i + 1, fragment->fields[i], &to[i]))
			return rn_trace_wrong(s->st, (int)i + 1, fragment->fields[i]->ty,
					      s->from->path, err);
		if (to[i].kind == RN_STR && fragment->fields[i]->ty.type != RN_T_IP)
			s->text_bytes += (int64_t)to[i].len;
		if (s->tags_col >= 0 && to[i].kind == RN_STR)
			filter_hits(s, fragment->fields[i]->name, &to[i]);
	}
	return r;
}

/* The next row of a batch, as read_row. It is of *time. */
static int next_row(struct trace_source *s, struct rn_value *to, int64_t *time, struct rn_err *err)
{
	static const struct rn_ty ty = {RN_T_INT, RN_U_EPOCH};
	struct rn_value v;
	int r;

	s->seen++;
	if (!rn_trace_value(s->arena, s->st, 0, ty, &v) || v.kind != RN_INT)
		return rn_trace_wrong(s->st, 0, ty, s->from->path, err);
	*time = v.i;
	r = read_row(s, to, err);
	return r < 0 || !rn_trace_fits(s->db, s->from->path, s->seen, s->text_bytes, err)
		       ? r
		       : -EBADMSG;
}

/* No more rows: all have been read, the end was asked for, or the file is damaged. */
static int end_rows(struct trace_source *s, int rc, struct rn_err *err)
{
	/* the caller that asks for more rows knows why there are none */
	s->stopped = rc == SQLITE_INTERRUPT && rn_stopped(s->from->stop);
	if (s->stopped)
		return 0;
	s->ended = true;
	return rc != SQLITE_DONE ? rn_trace_damaged(s->db, s->from->path, err)
				 : rn_trace_unchanged(s->db, s->from->path, err);
}

static int trace_poll(struct rn_source *source, const struct rn_sink *sink, int timeout_ms,
		      struct rn_err *err)
{
	struct trace_source *s = (struct trace_source *)source;
	uint32_t ncols = s->fragment->nfields, n = 0;
	struct rn_value *value;
	int64_t *time;
	int rc = SQLITE_ROW, r = 0;

	(void)timeout_ms;
	if (s->ended || s->stopped)
		return s->ended;
	if (s->pairs) {
		r = rn_trace_pairs_poll(s->pairs, sink, err);
		s->ended = r > 0;
		return r;
	}
	rn_arena_reset(s->arena);
	value = RN_NEWN(s->arena, struct rn_value, (size_t)BATCH_ROWS * (ncols + 1));
	time = RN_NEWN(s->arena, int64_t, BATCH_ROWS);
	while (n < BATCH_ROWS && !rn_arena_full(s->arena) &&
	       (rc = sqlite3_step(s->st)) == SQLITE_ROW) {
		r = next_row(s, value + (size_t)n * ncols, &time[n], err);
		if (r < 0)
			return r;
		n += (uint32_t)r;
	}
	r = rc == SQLITE_ROW ? 0 : end_rows(s, rc, err);
	if (r < 0)
		return r;
	s->matched += n;
	r = n ? sink->rows(sink->self,
			   &(struct rn_rows){
				   .nrows = n, .ncols = ncols, .values = value, .time_ns = time})
	      : 0;
	return r < 0 ? r : s->ended;
}

static int trace_stop(struct rn_source *source, struct rn_err *err)
{
	struct trace_source *s = (struct trace_source *)source;

	(void)err;
	s->ended = true;
	return 0;
}

/* What was lost while recording is missing in every answer from the recording: it counts here
 * too. */
static void recorded_ledger(struct trace_source *s, struct rn_ledger *l)
{
	sqlite3_stmt *st;

	if (sqlite3_prepare_v2(s->db,
			       "SELECT item, count FROM ledger WHERE ?1 IS NULL OR instr(',' || ?1 "
			       "|| ',', ',' || node || ',')",
			       -1, &st, NULL) != SQLITE_OK)
		return;
	sqlite3_bind_text(st, 1, s->from->node, -1, SQLITE_STATIC);
	while (sqlite3_step(st) == SQLITE_ROW)
		for (int i = RN_L_MATCHED + 1; i < RN_L_COUNT; i++)
			if (!strcmp((const char *)sqlite3_column_text(st, 0),
				    rn_ledger_name((enum rn_ledger_item)i)))
				l->n[i] = rn_ledger_sum(l->n[i], sqlite3_column_int64(st, 1));
	sqlite3_finalize(st);
}

static void trace_ledger(struct rn_source *source, struct rn_ledger *ledger)
{
	struct trace_source *s = (struct trace_source *)source;
	struct rn_arena *arena = rn_arena_create(4096);
	sqlite3_stmt *st;

	ledger->n[RN_L_SEEN] += s->seen;
	ledger->n[RN_L_MATCHED] += s->matched;
	if (s->pairs)
		rn_trace_pairs_ledger(s->pairs, ledger);
	ledger->begin_ns = strtoll(rn_trace_meta(s->db, arena, "begin"), NULL, 10);
	ledger->end_ns = strtoll(rn_trace_meta(s->db, arena, "end"), NULL, 10);
	rn_arena_destroy(arena);
	recorded_ledger(s, ledger);
	if (sqlite3_prepare_v2(s->db,
			       "SELECT group_concat(node, ', ') || ' did not answer to the end' "
			       "|| coalesce(': ' || min(why), '') FROM nodes WHERE NOT answered "
			       "AND (?1 IS NULL OR instr(',' || ?1 || ',', ',' || node || ','))",
			       -1, &st, NULL) != SQLITE_OK)
		return;
	sqlite3_bind_text(st, 1, s->from->node, -1, SQLITE_STATIC);
	if (sqlite3_step(st) == SQLITE_ROW && sqlite3_column_text(st, 0)) {
		snprintf(s->why, sizeof(s->why), "%s", (const char *)sqlite3_column_text(st, 0));
		ledger->answered = false;
		ledger->why = s->why;
	}
	sqlite3_finalize(st);
}

static const struct rn_cover *trace_cover(struct rn_source *source)
{
	struct trace_source *s = (struct trace_source *)source;

	return s->cover->n ? s->cover : NULL;
}

static const struct rn_source_ops trace_ops = {
	.start = trace_start,
	.poll = trace_poll,
	.stop = trace_stop,
	.ledger = trace_ledger,
	.close = trace_close,
	.cover = trace_cover,
};
static const struct rn_provider_ops trace_provider_ops = {
	.open = trace_open,
	.replay = true,
};

int rn_trace_provider(const char *path, const char *node, const volatile int *stop,
		      struct rn_provider *out, struct rn_err *err)
{
	struct rn_trace_from *t;
	int r = rn_trace_check(path, err);

	if (r)
		return r;
	t = rn_calloc(1, sizeof(*t));
	t->path = rn_strdup(path);
	t->node = node ? rn_strdup(node) : NULL;
	t->stop = stop;
	*out = (struct rn_provider){.ops = &trace_provider_ops, .self = t};
	return 0;
}

void rn_trace_provider_free(struct rn_provider *provider)
{
	struct rn_trace_from *t = provider->self;

	if (!t)
		return;
	free(t->path);
	free(t->node);
	free(t);
	provider->self = NULL;
}

const char *rn_trace_provider_nodes(const struct rn_provider *provider)
{
	return ((struct rn_trace_from *)provider->self)->node;
}

const char *rn_trace_provider_path(const struct rn_provider *provider)
{
	return provider->ops == &trace_provider_ops ? ((struct rn_trace_from *)provider->self)->path
						    : NULL;
}
