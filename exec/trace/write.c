/* write.c - writes rows into a trace file.
 *
 * What may be written over, and how a recording is added to, append.c says; which file it is,
 * place.c. The file is made beside its destination under another name, locked while it is
 * written, and renamed when it is complete: a file of the final name is always whole. SQLite has
 * its descriptor, not its name (fdvfs_impl.h). Rows go through one prepared statement inside one
 * transaction, without a journal: a crash leaves only the unfinished file. The table `events` is
 * made when the first row tells the columns. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "exec/trace/fdvfs_impl.h"
#include "exec/hosts/hosts.h"
#include "exec/trace/append_impl.h"
#include "exec/trace/place_impl.h"
#include "exec/trace/processes_impl.h"
#include "exec/trace/schema_impl.h"
#include "lang/base/memory.h"
#include "lang/base/limits.h"

#ifndef RN_VERSION
#define RN_VERSION "unknown"
#endif

struct rn_trace_writer {
	struct rn_trace_place place;
	const char *path;   /* of place, for messages */
	char *query, *name; /* name: what `name` holds if it is not recorded */
	/* as in rn_trace_target; nodes_of are the caller's */
	char *from;
	const char *const *nodes_of;
	const struct rn_class *cls;
	int part; /* the unfinished file, locked */
	struct rn_fdvfs vfs;
	sqlite3 *db;
	sqlite3_stmt *insert;
	/* there was nothing: nothing that came meanwhile is overwritten */
	bool fresh;
	bool leave; /* the unfinished file is to be left */
	struct {
		int64_t runs;
		char *query;
	} before; /* of what is added to; 0: it is a new one */
	struct rn_trace_procs *procs;
	/* names seen in events; node_at: the last one met */
	char **nodes;
	unsigned nnodes, node_at;
	unsigned ncols;
	/* -1: not recorded */
	int time_col, node_col, pid_col, ppid_col, proc_col, name_col, file_col;
	int64_t rows, first_ns, last_ns, begin_ns, end_ns;
	bool ordered; /* rows came in order of time */
	int failed;   /* negative errno of the first failure */
};

static int db_error(struct rn_trace_writer *w, struct rn_err *err)
{
	int r = sqlite3_errcode(w->db) == SQLITE_FULL ? -ENOSPC : -EIO;

	if (!w->failed)
		w->failed = r;
	return rn_err_set(err, r, "%s: cannot write: %s", w->path, sqlite3_errmsg(w->db));
}

static int run(struct rn_trace_writer *w, const char *sql, struct rn_err *err)
{
	return sqlite3_exec(w->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : db_error(w, err);
}

static void bind_number(sqlite3_stmt *st, int i, int64_t v, bool negative_is_null)
{
	if (negative_is_null && v < 0)
		sqlite3_bind_null(st, i);
	else
		sqlite3_bind_int64(st, i, v);
}

/* kinds: what each value is: 's' text (NULL allowed), 'i' int64, 'n' int64 that is NULL if
 * negative. */
static int insert(struct rn_trace_writer *writer, struct rn_err *err, const char *sql,
		  const char *kinds, ...)
{
	sqlite3_stmt *st;
	va_list ap;
	int r;

	if (sqlite3_prepare_v2(writer->db, sql, -1, &st, NULL) != SQLITE_OK)
		return db_error(writer, err);
	va_start(ap, kinds);
	for (int i = 0; kinds[i]; i++)
		if (kinds[i] == 's')
			sqlite3_bind_text(st, i + 1, va_arg(ap, const char *), -1,
					  SQLITE_TRANSIENT);
		else
			bind_number(st, i + 1, va_arg(ap, int64_t), kinds[i] == 'n');
	va_end(ap);
	r = sqlite3_step(st);
	sqlite3_finalize(st);
	return r == SQLITE_DONE ? 0 : db_error(writer, err);
}

static int meta(struct rn_trace_writer *w, const char *key, const char *value, struct rn_err *err)
{
	return insert(w, err, "INSERT OR REPLACE INTO meta VALUES (?, ?)", "ss", key, value);
}

#define PRAGMAS \
	"PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;"
static const char schema[] =
	PRAGMAS "PRAGMA application_id = 1380865073; PRAGMA user_version = 1;"
		"BEGIN;"
		"CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;"
		"CREATE TABLE fields (position INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, "
		"type TEXT NOT NULL, unit TEXT NOT NULL,"
		" doc TEXT NOT NULL);"
		"CREATE TABLE nodes (node TEXT PRIMARY KEY, begin INTEGER, \"end\" INTEGER, "
		"answered INTEGER NOT NULL, why TEXT);"
		"CREATE TABLE processes (node TEXT NOT NULL, pid INTEGER NOT NULL, ppid INTEGER, "
		"proc TEXT, exe TEXT,"
		" start INTEGER);"
		"CREATE TABLE coverage (node TEXT NOT NULL, begin INTEGER NOT NULL, \"end\" "
		"INTEGER NOT NULL);"
		"CREATE TABLE ledger (node TEXT NOT NULL, item TEXT NOT NULL, count INTEGER NOT "
		"NULL, PRIMARY KEY (node, item));"
		"COMMIT;";
_Static_assert(RN_TRACE_APPLICATION_ID == 1380865073 && RN_TRACE_FORMAT == 1,
	       "the schema names both");

static void destroy(struct rn_trace_writer *w)
{
	sqlite3_finalize(w->insert);
	rn_fdvfs_close(&w->vfs, w->db);
	rn_trace_procs_destroy(w->procs);
	for (unsigned i = 0; i < w->nnodes; i++)
		free(w->nodes[i]);
	free(w->nodes);
	if (w->part >= 0)
		close(w->part);
	rn_trace_place_free(&w->place);
	free(w->query);
	free(w->from);
	free(w->name);
	free(w->before.query);
	free(w);
}

static const char *sql_type(struct rn_ty t)
{
	switch (t.type) {
	case RN_T_BOOL:
	case RN_T_INT: return "INTEGER";
	case RN_T_FLOAT: return "REAL";
	case RN_T_BYTES:
	case RN_T_SKETCH: return "BLOB";
	default: return "TEXT";
	}
}

static void note_column(struct rn_trace_writer *w, const char *label, int i)
{
	struct {
		const char *name;
		int *col;
	} known[] = {
		{"time", &w->time_col}, {"node", &w->node_col}, {"pid", &w->pid_col},
		{"ppid", &w->ppid_col}, {"proc", &w->proc_col}, {"name", &w->name_col},
		{"file", &w->file_col},
	};

	for (size_t k = 0; k < sizeof(known) / sizeof(*known); k++)
		if (!strcmp(label, known[k].name))
			*known[k].col = i;
}

static void note_columns(struct rn_trace_writer *w, const struct rn_column *cols, unsigned ncols)
{
	w->time_col = w->node_col = w->pid_col = w->ppid_col = w->proc_col = w->name_col =
		w->file_col = -1;
	for (unsigned i = 0; i < ncols; i++)
		note_column(w, cols[i].label, (int)i);
}

static int make_fields(struct rn_trace_writer *w, const struct rn_column *cols, unsigned ncols,
		       struct rn_err *err)
{
	int r = 0;

	note_columns(w, cols, ncols);
	for (unsigned i = 0; i < ncols && !r; i++) {
		const struct rn_field *f = rn_class_field(w->cls, cols[i].label);

		r = insert(w, err, "INSERT INTO fields VALUES (?, ?, ?, ?, ?)", "issss", (int64_t)i,
			   cols[i].label, rn_trace_type_name(cols[i].ty),
			   rn_trace_unit_name(cols[i].ty), f && f->doc ? f->doc : "");
	}
	return r;
}

/* The statement that fills `events`: the recorded columns, then those of time, node, name that are
 * not among them. */
static int prepare_insert(struct rn_trace_writer *writer, const struct rn_column *cols,
			  unsigned ncols, struct rn_err *err)
{
	sqlite3_str *names = sqlite3_str_new(NULL), *values = sqlite3_str_new(NULL);
	char *n, *v, *sql;
	int r = 0;

	for (unsigned k = 0; k < ncols; k++) {
		sqlite3_str_appendf(names, "%s\"%w\"", k ? ", " : "", cols[k].label);
		sqlite3_str_appendall(values, k ? ", ?" : "?");
	}
	if (writer->time_col < 0)
		sqlite3_str_appendall(names, ", time"), sqlite3_str_appendall(values, ", 0");
	if (writer->node_col < 0)
		sqlite3_str_appendall(names, ", node"), sqlite3_str_appendall(values, ", ''");
	if (writer->name_col < 0)
		sqlite3_str_appendall(names, ", name"),
			sqlite3_str_appendf(values, ", '%q'", writer->name);
	n = sqlite3_str_finish(names);
	v = sqlite3_str_finish(values);
	sql = sqlite3_mprintf("INSERT INTO events (%s) VALUES (%s)", n, v);
	if (sqlite3_prepare_v3(writer->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &writer->insert,
			       NULL) != SQLITE_OK)
		r = db_error(writer, err);
	sqlite3_free(sql);
	sqlite3_free(n);
	sqlite3_free(v);
	writer->ncols = ncols;
	return r ? r : run(writer, "BEGIN", err);
}

/* Makes `events` with these columns. */
static int make_events(struct rn_trace_writer *writer, const struct rn_column *cols, unsigned ncols,
		       struct rn_err *err)
{
	sqlite3_str *create = sqlite3_str_new(NULL);
	int r = make_fields(writer, cols, ncols, err);
	char *c;

	sqlite3_str_appendall(create, "CREATE TABLE events (");
	for (unsigned k = 0; k < ncols; k++)
		sqlite3_str_appendf(create, "%s\"%w\" %s", k ? ", " : "", cols[k].label,
				    sql_type(cols[k].ty));
	if (writer->time_col < 0)
		sqlite3_str_appendall(create, ", time INTEGER DEFAULT 0");
	if (writer->node_col < 0)
		sqlite3_str_appendall(create, ", node TEXT");
	if (writer->name_col < 0)
		sqlite3_str_appendall(create, ", name TEXT");
	sqlite3_str_appendall(create, ")");
	c = sqlite3_str_finish(create);
	if (!r)
		r = run(writer, c, err);
	sqlite3_free(c);
	return r ? r : prepare_insert(writer, cols, ncols, err);
}

static int write_tags(struct rn_trace_writer *w, const struct rn_trace_target *t,
		      struct rn_err *err)
{
	struct rn_arena *a = rn_arena_create(1 << 20);
	char key[24];
	int r = 0;

	for (unsigned i = 0; i < t->ntags && !r; i++) {
		snprintf(key, sizeof(key), RN_TRACE_TAG "%04u", i + 1);
		r = meta(w, key, rn_tag_text(a, t->tags[i]), err);
	}
	rn_arena_destroy(a);
	return r;
}

/* ---- adding to a recording ---- */

static int64_t number(struct rn_trace_writer *w, const char *sql)
{
	sqlite3_stmt *st;
	int64_t n = 0;

	if (sqlite3_prepare_v2(w->db, sql, -1, &st, NULL) != SQLITE_OK)
		return 0;
	if (sqlite3_step(st) == SQLITE_ROW)
		n = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	return n;
}

/* Those of older versions do not say which time of a node is in them: all from its beginning to its
 * end. */
static const char older[] = "CREATE TABLE coverage (node TEXT NOT NULL, begin INTEGER NOT NULL, "
			    "\"end\" INTEGER NOT NULL);"
			    "INSERT INTO coverage SELECT node, begin, \"end\" FROM nodes WHERE "
			    "begin > 0 AND \"end\" > begin";

/* Goes on from what the copy holds. It is not complete until it has the new rows. */
static int go_on(struct rn_trace_writer *writer, const struct rn_trace_target *target,
		 struct rn_err *err)
{
	struct rn_arena *arena = rn_arena_create(RN_ARENA_CAP);
	int64_t runs = strtoll(rn_trace_meta(writer->db, arena, "runs"), NULL, 10);
	int r = rn_trace_plain(writer->db, target->path, err);

	if (!r)
		r = rn_trace_schema(writer->db, target->path, err);
	if (!r)
		r = run(writer, PRAGMAS, err);
	if (!r)
		r = rn_trace_same(writer->db, target, err);
	if (!r)
		r = run(writer, "DELETE FROM meta WHERE key = 'complete'", err);
	if (!r && !number(writer, "SELECT count(*) FROM sqlite_master WHERE name = 'coverage'"))
		r = run(writer, older, err);
	writer->before.runs = runs > 0 ? runs : 1;
	writer->before.query = rn_strdup(rn_trace_meta(writer->db, arena, "query"));
	writer->rows = number(writer, "SELECT count(*) FROM events");
	writer->begin_ns = strtoll(rn_trace_meta(writer->db, arena, "begin"), NULL, 10);
	writer->end_ns = strtoll(rn_trace_meta(writer->db, arena, "end"), NULL, 10);
	writer->ordered = strtoll(rn_trace_meta(writer->db, arena, "ordered"), NULL, 10) == 1;
	writer->first_ns = writer->begin_ns;
	writer->last_ns = number(writer, "SELECT time FROM events ORDER BY rowid DESC LIMIT 1");
	rn_arena_destroy(arena);
	note_columns(writer, target->cols, target->ncols);
	return r ? r : prepare_insert(writer, target->cols, target->ncols, err);
}

/* ---- the beginning ---- */

static struct rn_trace_writer *make(const struct rn_trace_target *t)
{
	struct rn_trace_writer *w = rn_calloc(1, sizeof(*w));

	w->part = w->place.at.dir = -1;
	w->ordered = true;
	w->cls = t->cls;
	w->query = rn_strdup(t->query ? t->query : "");
	w->from = t->from ? rn_strdup(t->from) : NULL;
	w->nodes_of = t->nodes;
	w->name = rn_strdup(t->cls->arg ? t->cls->arg : t->cls->name);
	w->procs = rn_trace_procs_create();
	return w;
}

static int open_part(struct rn_trace_writer *writer, const struct rn_trace_target *target,
		     bool there, struct rn_err *err)
{
	bool add = there && target->how == RN_INTO_APPEND;
	struct stat st;
	int r = add ? rn_trace_place_copy(&writer->place, writer->part, err) : 0;

	writer->fresh = target->how == RN_INTO_NEW &&
			!rn_out_stat(&writer->place.at, writer->place.at.name, &st);
	if (!r)
		r = rn_trace_part_own(&writer->place, writer->part, err);
	if (!r && (rn_fdvfs_open(&writer->vfs, writer->part, true, &writer->db) != SQLITE_OK ||
		   rn_trace_defend(writer->db, true) != SQLITE_OK))
		r = db_error(writer, err);
	if (r || add)
		return r ? r : go_on(writer, target, err);
	r = run(writer, schema, err);
	if (!r)
		r = write_tags(writer, target, err);
	return r || !target->ncols ? r : make_events(writer, target->cols, target->ncols, err);
}

int rn_trace_create(const struct rn_trace_target *target, struct rn_trace_writer **out,
		    struct rn_err *err)
{
	struct rn_trace_writer *writer = make(target);
	bool there;
	int r = rn_trace_place_find(&writer->place, target->path, err);

	writer->path = writer->place.at.path;
	if (!r)
		r = rn_trace_allowed_at(&writer->place, target, &there, err);
	if (!r)
		r = rn_trace_part_take(&writer->place, &writer->part, err);
	if (!r)
		r = open_part(writer, target, there, err);
	if (r)
		rn_trace_abandon(writer);
	else
		*out = writer;
	return r;
}

void rn_trace_abandon(struct rn_trace_writer *writer)
{
	if (writer->part >= 0 && !writer->leave)
		rn_trace_part_remove(&writer->place, writer->part);
	destroy(writer);
}

static void bind(sqlite3_stmt *st, int i, struct rn_ty ty, const struct rn_value *value)
{
	char ip[64];

	switch (value->kind) {
	case RN_NULL: sqlite3_bind_null(st, i); break;
	case RN_BOOL:
	case RN_INT: sqlite3_bind_int64(st, i, value->i); break;
	case RN_FLOAT: sqlite3_bind_double(st, i, value->f); break;
	default:
		if (ty.type == RN_T_BYTES || ty.type == RN_T_SKETCH)
			sqlite3_bind_blob(st, i, value->s, (int)value->len, SQLITE_STATIC);
		else if (ty.type != RN_T_IP)
			sqlite3_bind_text(st, i, value->s, (int)value->len, SQLITE_STATIC);
		else if (value->len == RN_IP_BYTES)
			sqlite3_bind_text(
				st, i, ip,
				(int)rn_ip_show((const unsigned char *)value->s, ip, sizeof(ip)),
				SQLITE_TRANSIENT);
		else
			sqlite3_bind_text(st, i, "", 0, SQLITE_STATIC);
	}
}

static void note_process(struct rn_trace_writer *w, const struct rn_value *v, int64_t time_ns)
{
	struct rn_value none = rn_strn("", 0);
	struct rn_trace_seen s = {.pid = v[w->pid_col].i,
				  .ppid = w->ppid_col < 0 ? -1 : v[w->ppid_col].i,
				  .time_ns = time_ns};

	s.node = w->node_col < 0 ? none : v[w->node_col];
	s.proc = w->proc_col < 0 ? none : v[w->proc_col];
	s.name = w->name_col < 0 ? none : v[w->name_col];
	s.file = w->file_col < 0 ? none : v[w->file_col];
	rn_trace_procs_seen(w->procs, &s);
}

static bool is_node(const struct rn_trace_writer *w, unsigned i, const struct rn_value *v)
{
	return i < w->nnodes && !strncmp(w->nodes[i], v->s, v->len) && !w->nodes[i][v->len];
}

/* Readers find all nodes in the table `nodes`, without reading the events: so each that occurs is
 * noted, ledger or not. */
static void note_node(struct rn_trace_writer *writer, const struct rn_value *value)
{
	unsigned i = 0;

	if (is_node(writer, writer->node_at, value))
		return;
	while (i < writer->nnodes && !is_node(writer, i, value))
		i++;
	writer->node_at = i;
	if (i < writer->nnodes)
		return;
	writer->nodes = rn_realloc(writer->nodes, (writer->nnodes + 1) * sizeof(*writer->nodes));
	writer->nodes[i] = rn_strndup(value->s, value->len);
	writer->nnodes++;
}

int rn_trace_write(struct rn_trace_writer *writer, const struct rn_column *cols, unsigned ncols,
		   const struct rn_value *value, struct rn_err *err)
{
	int64_t time_ns;
	int r;

	if (writer->failed)
		return rn_err_set(err, writer->failed, "%s: an earlier write failed", writer->path);
	if (!writer->insert && (r = make_events(writer, cols, ncols, err)))
		return r;
	if (ncols != writer->ncols)
		return rn_err_set(err, writer->failed = -EINVAL,
				  "%s: rows with %u columns follow rows with %u", writer->path,
				  ncols, writer->ncols);
	for (unsigned i = 0; i < ncols; i++)
		bind(writer->insert, (int)i + 1, cols[i].ty, &value[i]);
	r = sqlite3_step(writer->insert);
	sqlite3_reset(writer->insert);
	if (r != SQLITE_DONE)
		return db_error(writer, err);
	time_ns = writer->time_col < 0 ? 0 : value[writer->time_col].i;
	if (!writer->rows++)
		writer->first_ns = writer->last_ns = time_ns;
	if (time_ns < writer->last_ns)
		writer->ordered = false;
	if (time_ns < writer->first_ns)
		writer->first_ns = time_ns;
	if (time_ns > writer->last_ns)
		writer->last_ns = time_ns;
	if (writer->pid_col >= 0)
		note_process(writer, value, time_ns);
	if (writer->node_col >= 0)
		note_node(writer, &value[writer->node_col]);
	return 0;
}

static int write_span(struct rn_trace_writer *w, const char *node, int64_t begin_ns, int64_t end_ns,
		      struct rn_err *err)
{
	return end_ns <= begin_ns || !begin_ns
		       ? 0
		       : insert(w, err, "INSERT INTO coverage VALUES (?, ?, ?)", "sii", node,
				begin_ns, end_ns);
}

/* Which time of the node's is in the recording: of one that was away, before it was lost and from
 * its coming back on. */
static int write_coverage(struct rn_trace_writer *w, const char *node, const struct rn_ledger *l,
			  struct rn_err *err)
{
	int r;

	if (l->answered || (!l->until_ns && !l->joined_ns))
		return write_span(w, node, l->begin_ns, l->end_ns, err);
	r = write_span(w, node, l->begin_ns, l->until_ns, err);
	return r || !l->joined_ns ? r : write_span(w, node, l->joined_ns, l->end_ns, err);
}

struct copied {
	struct rn_trace_writer *writer;
	struct rn_err *err;
};

static int copy_span(void *self, const char *node, const struct rn_span_ns *span)
{
	struct copied *c = self;

	return rn_host_chosen(node, NULL, true, c->writer->nodes_of)
		       ? write_span(c->writer, node, span->begin, span->end, c->err)
		       : 0;
}

/* What comes from a recording covers what that one does. */
static int copy_coverage(struct rn_trace_writer *w, struct rn_err *err)
{
	sqlite3 *from;
	int r = rn_trace_open(w->from, &from, err);

	if (r)
		return r;
	r = rn_trace_cover_each(from, copy_span, &(struct copied){w, err});
	rn_trace_shut(from);
	return r;
}

/* A node of an earlier run has been there in both, and answered if it did in both; counts add
 * up. */
static const char add_node[] =
	"INSERT INTO nodes VALUES (?, ?, ?, ?, ?) ON CONFLICT (node) DO UPDATE SET"
	" begin = min(coalesce(nullif(begin, 0), excluded.begin), excluded.begin), \"end\" = "
	"max(coalesce(\"end\", 0), excluded.\"end\"),"
	" answered = min(answered, excluded.answered), why = coalesce(nullif(why, ''), "
	"excluded.why)";
static const char add_count[] = "INSERT INTO ledger VALUES (?, ?, ?) ON CONFLICT (node, item) DO "
				"UPDATE SET count = count + excluded.count";

static int write_ledger(struct rn_trace_writer *w, const struct rn_ledger *l, struct rn_err *err)
{
	const char *node = l->node ? l->node : "";
	int r = insert(w, err, add_node, "siiis", node, l->begin_ns, l->end_ns,
		       (int64_t)l->answered, l->why);

	if (!r && !w->from)
		r = write_coverage(w, node, l, err);
	for (int i = 0; i < RN_L_COUNT && !r; i++)
		r = insert(w, err, add_count, "ssi", node, rn_ledger_name((enum rn_ledger_item)i),
			   l->n[i]);
	if (l->begin_ns && (!w->begin_ns || l->begin_ns < w->begin_ns))
		w->begin_ns = l->begin_ns;
	if (l->end_ns > w->end_ns)
		w->end_ns = l->end_ns;
	return r;
}

static int write_process(void *self, const struct rn_trace_process *p)
{
	return insert(self, NULL, "INSERT INTO processes VALUES (?, ?, ?, ?, ?, ?)", "sinssi",
		      p->node, p->pid, p->ppid, p->proc, p->exe, p->start_ns);
}

/* The queries that recorded it, each once in a row. */
static int write_query(struct rn_trace_writer *w, struct rn_err *err)
{
	const char *was = w->before.query ? w->before.query : "";
	size_t n = strlen(was), own = strlen(w->query);
	bool again = n >= own && !strcmp(was + n - own, w->query) &&
		     (n == own || (n > own + 1 && !strncmp(was + n - own - 2, "; ", 2)));
	char *both = again || !n ? NULL : sqlite3_mprintf("%s; %s", was, w->query);
	int r = meta(w, "query", both ? both : again ? was : w->query, err);

	sqlite3_free(both);
	return r;
}

static int write_meta(struct rn_trace_writer *writer, struct rn_err *err)
{
	const struct {
		const char *key, *text;
		int64_t number;
	} m[] = {
		{"format", NULL, RN_TRACE_FORMAT},
		{"version", RN_VERSION},
		{"class", writer->cls->name},
		{"class_arg", writer->cls->arg ? writer->cls->arg : ""},
		{"kind", writer->cls->kind == RN_CLASS_TABLE ? "table" : "event"},
		{"doc", writer->cls->doc ? writer->cls->doc : ""},
		{"begin", NULL, writer->begin_ns ? writer->begin_ns : writer->first_ns},
		{"end", NULL, writer->end_ns ? writer->end_ns : writer->last_ns},
		{"rows", NULL, writer->rows},
		{"ordered", NULL, writer->ordered},
		{"runs", NULL, writer->before.runs + 1},
		{"complete", NULL, 1},
	};
	int r = write_query(writer, err);

	for (size_t i = 0; i < sizeof(m) / sizeof(*m) && !r; i++)
		r = m[i].text ? meta(writer, m[i].key, m[i].text, err)
			      : insert(writer, err, "INSERT OR REPLACE INTO meta VALUES (?, ?)",
				       "si", m[i].key, m[i].number);
	return r;
}

/* A recording without rows still has its table, with the fields that `events of` would have
 * recorded. */
static int make_empty(struct rn_trace_writer *w, struct rn_err *err)
{
	struct rn_column *c = rn_calloc(w->cls->nfields + 1, sizeof(*c));
	unsigned n = 0;
	int r;

	for (unsigned i = 0; i < w->cls->nfields; i++)
		if (rn_field_in_recording(w->cls->fields[i]))
			c[n++] = (struct rn_column){.label = w->cls->fields[i]->name,
						    .ty = w->cls->fields[i]->ty};
	r = make_events(w, c, n, err);
	free(c);
	return r;
}

static int finish(struct rn_trace_writer *writer, const struct rn_ledgers *ledgers,
		  struct rn_err *err)
{
	int r = writer->failed;

	if (r)
		return rn_err_set(err, r, "%s: an earlier write failed", writer->path);
	if (!writer->insert)
		r = make_empty(writer, err);
	for (unsigned i = 0; ledgers && i < ledgers->n && !r; i++)
		r = write_ledger(writer, &ledgers->nodes[i], err);
	if (!r && writer->from)
		r = copy_coverage(writer, err);
	for (unsigned i = 0; i < writer->nnodes && !r; i++)
		r = insert(writer, err,
			   "INSERT OR IGNORE INTO nodes VALUES (?, NULL, NULL, 1, NULL)", "s",
			   writer->nodes[i]);
	if (!r && rn_trace_procs_visit(writer->procs, write_process, writer))
		r = db_error(writer, err);
	if (!r)
		r = write_meta(writer, err);
	if (!r)
		r = run(writer, "COMMIT", err);
	if (!r && fsync(writer->part) < 0)
		r = rn_err_set(err, -errno, "%s: cannot write: %s", writer->path, strerror(errno));
	return r ? r
		 : rn_trace_part_name(&writer->place, writer->part, writer->fresh, &writer->leave,
				      err);
}

int rn_trace_close(struct rn_trace_writer *writer, const struct rn_ledgers *ledgers,
		   struct rn_err *err)
{
	int r = finish(writer, ledgers, err);

	if (r)
		rn_trace_abandon(writer);
	else
		destroy(writer);
	return r;
}
