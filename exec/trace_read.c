/* trace_read.c - a recorded trace as a provider of rows: one SELECT over the columns that a fragment uses, in order of time.
 *
 * Nothing of the query but its class (which rows), its tags and the node is evaluated here: predicates run in the agent, as
 * over a live node. Values come back with the types they had: addresses are parsed from their text again. Rows of pairs are made by
 * trace_pairs.c. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "exec/trace_pairs.h"

enum { BATCH_ROWS = 1024, BATCH_ARENA = 64 << 20, HEADER_BYTES = 100 };

struct rn_source {
	const struct rn_fragment *f;
	struct rn_trace_from *from;
	sqlite3 *db;
	sqlite3_stmt *st;
	struct rn_arena *arena;     /* of the batch */
	int tags_col;               /* SELECT's column with the tags to look in; -1: no filter */
	struct rn_trace_wanted *wanted; /* the tags of the query; NULL: no filter */
	struct rn_trace_pairs *pairs;   /* who makes the rows of a pair's class; NULL: another class */
	bool started, ended;
	int64_t seen, matched;
	struct rn_arena *kept;      /* as long as the source */
	const struct rn_cover *cover;
};

static uint32_t be32(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static int missing(const char *path, struct rn_err *err)
{
	char *part = sqlite3_mprintf("%s%s", path, RN_TRACE_PART);
	int e = errno;

	rn_err_set(err, -e, "%s: cannot be read: %s", path, strerror(e));
	if (part && e == ENOENT && !access(part, F_OK))
		rn_err_hint(err, "%s is a recording that was not finished", part);
	sqlite3_free(part);
	return -e;
}

/* The header of the file: what SQLite would also find, but told in words that fit. */
static int check_header(const char *path, const unsigned char *h, ssize_t n, int64_t size, struct rn_err *err)
{
	uint32_t page, version;

	if (!size)
		return rn_err_set(err, -EBADMSG, "%s: is empty", path);
	if (n < HEADER_BYTES || memcmp(h, "SQLite format 3", 16))
		return rn_err_set(err, -EBADMSG, "%s: is no trace: not an SQLite database", path);
	if (be32(h + 68) != RN_TRACE_APPLICATION_ID)
		return rn_err_set(err, -EBADMSG, "%s: is no trace: an SQLite database of another program", path);
	version = be32(h + 60);
	if (version > RN_TRACE_FORMAT)
		return rn_err_set(err, -EPROTONOSUPPORT, "%s: was recorded by a newer version (format %u; this one reads up to %u)",
				  path, version, RN_TRACE_FORMAT);
	page = (uint32_t)h[16] << 8 | h[17];
	if (page == 1)
		page = 65536;
	if (size < (int64_t)page * be32(h + 28))
		return rn_err_set(err, -ENODATA, "%s: is cut short: %lld of %lld bytes", path, (long long)size,
				  (long long)page * be32(h + 28));
	return 0;
}

int rn_trace_check(const char *path, struct rn_err *err)
{
	unsigned char h[HEADER_BYTES] = {0};
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), r; /* a FIFO must not hold us up */

	if (fd < 0)
		return missing(path, err);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		r = rn_err_set(err, -EBADMSG, "%s: is no trace: not a regular file", path);
	else
		r = check_header(path, h, read(fd, h, sizeof(h)), st.st_size, err);
	close(fd);
	return r;
}

int rn_trace_open(const char *path, sqlite3 **out, struct rn_err *err)
{
	sqlite3 *db = NULL;
	struct rn_arena *a;
	int r = rn_trace_check(path, err);

	if (r)
		return r;
	/* One thread reads it. Mapped: a file of its final name is complete and is never written again. */
	if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK ||
	    sqlite3_exec(db, "PRAGMA mmap_size = 1073741824; SELECT count(*) FROM meta", NULL, NULL, NULL) != SQLITE_OK) {
		r = rn_trace_damaged(db, path, err);
		sqlite3_close(db);
		return r;
	}
	a = rn_arena_create(4096);
	if (strcmp(rn_trace_meta(db, a, "complete"), "1"))
		r = rn_err_set(err, -ENODATA, "%s: was not finished: the recording ended before it was complete", path);
	rn_arena_destroy(a);
	if (r)
		sqlite3_close(db);
	else
		*out = db;
	return r;
}

const char *rn_trace_meta(sqlite3 *db, struct rn_arena *a, const char *key)
{
	const char *text = "";
	sqlite3_stmt *st;

	if (sqlite3_prepare_v2(db, "SELECT value FROM meta WHERE key = ?", -1, &st, NULL) != SQLITE_OK)
		return "";
	sqlite3_bind_text(st, 1, key, -1, SQLITE_STATIC);
	if (sqlite3_step(st) == SQLITE_ROW && sqlite3_column_text(st, 0))
		text = rn_arena_strdup(a, (const char *)sqlite3_column_text(st, 0));
	sqlite3_finalize(st);
	return text;
}

const char *const *rn_trace_list(sqlite3 *db, const char *sql, struct rn_arena *a, unsigned *count)
{
	const char **v = RN_NEWN(a, const char *, 16);
	unsigned n = 0, cap = 16;
	sqlite3_stmt *st;

	*count = 0;
	if (sqlite3_prepare_v2(db, sql, -1, &st, NULL) != SQLITE_OK)
		return v;
	while (sqlite3_step(st) == SQLITE_ROW) {
		if (n + 1 == cap) {
			const char **more = RN_NEWN(a, const char *, (size_t)cap * 2);

			memcpy(more, v, n * sizeof(*v));
			v = more;
			cap *= 2;
		}
		v[n++] = rn_arena_strdup(a, sqlite3_column_text(st, 0) ? (const char *)sqlite3_column_text(st, 0) : "");
	}
	sqlite3_finalize(st);
	*count = n;
	return v;
}

const char *const *rn_trace_nodes(struct rn_arena *a, const char *path, struct rn_err *err)
{
	const char *const *v;
	unsigned n;
	sqlite3 *db;

	if (rn_trace_open(path, &db, err))
		return NULL;
	v = rn_trace_list(db, "SELECT node FROM nodes ORDER BY 1", a, &n);
	sqlite3_close(db);
	return v;
}

void rn_trace_begins(const char *path, void (*each)(void *self, const char *node, int64_t begin_ns), void *self)
{
	struct rn_err ignored = {0};
	sqlite3_stmt *st;
	sqlite3 *db;

	if (rn_trace_open(path, &db, &ignored))
		return;
	if (sqlite3_prepare_v2(db, "SELECT node, begin FROM nodes WHERE node IS NOT NULL AND begin > 0", -1, &st, NULL) == SQLITE_OK) {
		while (sqlite3_step(st) == SQLITE_ROW)
			each(self, (const char *)sqlite3_column_text(st, 0), sqlite3_column_int64(st, 1));
		sqlite3_finalize(st);
	}
	sqlite3_close(db);
}

/* ---- the statement ---------------------------------------------------------------------------------------------------- */

static int prepare(struct rn_source *s, const struct rn_scope *scope, struct rn_err *err)
{
	const struct rn_fragment *f = s->f;
	sqlite3_str *q = sqlite3_str_new(s->db);
	char *sql;
	int r = 0;

	sqlite3_str_appendall(q, "SELECT time");
	for (unsigned i = 0; i < f->nfields && !r; i++) {
		r = rn_trace_need(s->db, s->from->path, f->fields[i]->name, "the query", err);
		sqlite3_str_appendf(q, ", \"%w\"", f->fields[i]->name);
	}
	s->tags_col = -1;
	if (!r && f->ntags) {
		r = rn_trace_need(s->db, s->from->path, "tags", "a tag", err);
		sqlite3_str_appendall(q, ", tags");
		s->tags_col = (int)f->nfields + 1;
		s->wanted = rn_trace_wanted_create(f->tags, f->ntags);
	}
	sqlite3_str_appendall(q, " FROM events WHERE ");
	if (!r)
		r = rn_trace_of_class(q, s->db, s->arena, s->from->path, f->cls, f->class_name, err);
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

static void trace_close(struct rn_source *s)
{
	rn_trace_pairs_destroy(s->pairs);
	sqlite3_finalize(s->st);
	sqlite3_close(s->db);
	rn_arena_destroy(s->arena);
	rn_arena_destroy(s->kept);
	rn_trace_wanted_destroy(s->wanted);
	free(s);
}

static int trace_open(void *provider, const struct rn_fragment *f, const struct rn_scope *scope, struct rn_source **out,
		      struct rn_err *err)
{
	struct rn_source *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return rn_err_set(err, -ENOMEM, "no memory for a trace");
	s->f = f;
	s->from = provider;
	s->arena = rn_arena_create(BATCH_ARENA);
	s->kept = rn_arena_create(BATCH_ARENA);
	r = rn_trace_open(s->from->path, &s->db, err);
	if (!r)
		s->cover = rn_trace_cover(s->db, s->kept, s->from->node);
	if (!r)
		r = f->ends ? rn_trace_pairs_create(f, s->from, s->db, scope, &s->pairs, err) : prepare(s, scope, err);
	if (r) {
		trace_close(s);
		return r;
	}
	*out = s;
	return 0;
}

static int trace_start(struct rn_source *s, struct rn_err *err)
{
	(void)err;
	s->started = true;
	return 0;
}

/* ---- rows ------------------------------------------------------------------------------------------------------------- */

/* Of the tags that a recording holds, what the query asks for. */
static void filter_hits(struct rn_source *s, const char *name, struct rn_value *v)
{
	bool prints = !strcmp(name, "around");

	if (prints || !strcmp(name, "hits"))
		*v = rn_trace_wanted_hits(s->wanted, v, prints, s->arena);
}

/* The row that the statement stands on; false if the tag filter rejects it. */
static bool read_row(struct rn_source *s, struct rn_value *to)
{
	const struct rn_fragment *f = s->f;
	struct rn_value tags = {0};

	if (s->tags_col >= 0) {
		struct rn_value all = rn_trace_value(s->arena, s->st, s->tags_col, (struct rn_ty){RN_T_TAGS, RN_U_NONE});

		if (all.kind == RN_STR)
			tags = rn_trace_wanted_tags(s->wanted, &all, s->arena);
		if (!tags.len)
			return false;
	}
	for (unsigned i = 0; i < f->nfields; i++) {
		if (s->tags_col >= 0 && !strcmp(f->fields[i]->name, "tags")) {
			to[i] = tags;
			continue;
		}
		to[i] = rn_trace_field(s->arena, s->st, (int)i + 1, f->fields[i]);
		if (s->tags_col >= 0 && to[i].kind == RN_STR)
			filter_hits(s, f->fields[i]->name, &to[i]);
	}
	return true;
}

static int trace_poll(struct rn_source *s, const struct rn_sink *sink, int timeout_ms, struct rn_err *err)
{
	uint32_t ncols = s->f->nfields, n = 0;
	struct rn_value *v;
	int64_t *time;
	int r = SQLITE_ROW;

	(void)timeout_ms;
	if (s->ended)
		return 1;
	if (s->pairs) {
		r = rn_trace_pairs_poll(s->pairs, sink, err);
		s->ended = r > 0;
		return r;
	}
	rn_arena_reset(s->arena);
	v = RN_NEWN(s->arena, struct rn_value, (size_t)BATCH_ROWS * (ncols + 1));
	time = RN_NEWN(s->arena, int64_t, BATCH_ROWS);
	while (n < BATCH_ROWS && (r = sqlite3_step(s->st)) == SQLITE_ROW) {
		s->seen++;
		time[n] = sqlite3_value_int64(sqlite3_column_value(s->st, 0));
		n += read_row(s, v + (size_t)n * ncols);
	}
	s->ended = r != SQLITE_ROW;
	if (r != SQLITE_ROW && r != SQLITE_DONE)
		return rn_trace_damaged(s->db, s->from->path, err);
	s->matched += n;
	r = n ? sink->rows(sink->self, &(struct rn_rows){.nrows = n, .ncols = ncols, .v = v, .time_ns = time}) : 0;
	return r < 0 ? r : s->ended;
}

static int trace_stop(struct rn_source *s, struct rn_err *err)
{
	(void)err;
	s->ended = true;
	return 0;
}

/* What was lost while recording is missing in every answer from the recording: it counts here too. */
static void recorded_ledger(struct rn_source *s, struct rn_ledger *l)
{
	sqlite3_stmt *st;

	if (sqlite3_prepare_v2(s->db, "SELECT item, count FROM ledger WHERE ?1 IS NULL OR instr(',' || ?1 || ',', ',' || node || ',')", -1, &st, NULL) != SQLITE_OK)
		return;
	sqlite3_bind_text(st, 1, s->from->node, -1, SQLITE_STATIC);
	while (sqlite3_step(st) == SQLITE_ROW)
		for (int i = RN_L_MATCHED + 1; i < RN_L_COUNT; i++)
			if (!strcmp((const char *)sqlite3_column_text(st, 0), rn_ledger_name((enum rn_ledger_item)i)))
				l->n[i] += sqlite3_column_int64(st, 1);
	sqlite3_finalize(st);
}

static void trace_ledger(struct rn_source *s, struct rn_ledger *l)
{
	struct rn_arena *a = rn_arena_create(4096);
	sqlite3_stmt *st;

	l->n[RN_L_SEEN] += s->seen;
	l->n[RN_L_MATCHED] += s->matched;
	if (s->pairs)
		rn_trace_pairs_ledger(s->pairs, l);
	l->begin_ns = strtoll(rn_trace_meta(s->db, a, "begin"), NULL, 10);
	l->end_ns = strtoll(rn_trace_meta(s->db, a, "end"), NULL, 10);
	rn_arena_destroy(a);
	recorded_ledger(s, l);
	if (sqlite3_prepare_v2(s->db, "SELECT 1 FROM nodes WHERE NOT answered AND (?1 IS NULL OR instr(',' || ?1 || ',', ',' || node || ','))", -1, &st, NULL) != SQLITE_OK)
		return;
	sqlite3_bind_text(st, 1, s->from->node, -1, SQLITE_STATIC);
	if (sqlite3_step(st) == SQLITE_ROW) {
		l->answered = false;
		l->why = "did not answer to the end when it was recorded";
	}
	sqlite3_finalize(st);
}

static const struct rn_cover *trace_cover(struct rn_source *s)
{
	return s->cover->n ? s->cover : NULL;
}

static const struct rn_source_ops trace_ops = {
	.open = trace_open, .start = trace_start, .poll = trace_poll, .stop = trace_stop, .ledger = trace_ledger,
	.close = trace_close, .cover = trace_cover,
};

int rn_trace_provider(const char *path, const char *node, struct rn_provider *out, struct rn_err *err)
{
	struct rn_trace_from *t;
	int r = rn_trace_check(path, err);

	if (r)
		return r;
	t = calloc(1, sizeof(*t));
	if (!t || !(t->path = strdup(path)) || (node && !(t->node = strdup(node)))) {
		if (t)
			free(t->path);
		free(t);
		return rn_err_set(err, -ENOMEM, "no memory for a trace");
	}
	*out = (struct rn_provider){.ops = &trace_ops, .self = t};
	return 0;
}

void rn_trace_provider_free(struct rn_provider *p)
{
	struct rn_trace_from *t = p->self;

	if (!t)
		return;
	free(t->path);
	free(t->node);
	free(t);
	p->self = NULL;
}

const char *rn_trace_provider_nodes(const struct rn_provider *p)
{
	return ((struct rn_trace_from *)p->self)->node;
}

const char *rn_trace_provider_path(const struct rn_provider *p)
{
	return p->ops == &trace_ops ? ((struct rn_trace_from *)p->self)->path : NULL;
}
