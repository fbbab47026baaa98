/* views.c - names to view texts: what this text uses and defines, the latest first, then the catalogue.
 *
 * Saved views are read once, at the first name that is asked for. The catalogue is opened read-only except to save or drop;
 * every error says the file's path and that it was left as it is. */
#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "repl/views.h"

enum { CATALOG_APP = 0x524e4c43, CATALOG_VERSION = 1, ARENA_CAP = 16 << 20 }; /* "RNLC" */

struct entry { struct rn_view v; struct entry *next; unsigned order; }; /* order: while they are sorted */
struct rn_viewstore {
	struct rn_arena *arena;
	struct entry *entries;      /* the newest first: it hides older ones of its name */
	const char *path;
	bool loaded;
	struct rn_err problem;
	struct rn_views names;
	const char **used; unsigned nused;
};

static const char *catalog_path(struct rn_arena *a)
{
	const char *own = getenv("RUNNEL_CATALOG"), *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
	if (own && *own)
		return rn_arena_strdup(a, own);
	if (data && *data)
		return rn_arena_printf(a, "%s/runnel/catalog.db", data);
	return rn_arena_printf(a, "%s/.local/share/runnel/catalog.db", home && *home ? home : "/root");
}

static void add(struct rn_viewstore *s, const char *name, const char *text, const char *origin, const char *doc, bool saved)
{
	struct entry *e = RN_NEW(s->arena, struct entry);
	e->v = (struct rn_view){rn_arena_strdup(s->arena, name), rn_arena_strdup(s->arena, text),
				rn_arena_strdup(s->arena, origin), doc ? rn_arena_strdup(s->arena, doc) : NULL, saved};
	e->next = s->entries;
	s->entries = e;
}

static int db_error(struct rn_viewstore *s, sqlite3 *db, int rc, const char *what, struct rn_err *err)
{
	int code = rc == SQLITE_BUSY ? -EBUSY : rc == SQLITE_READONLY || rc == SQLITE_CANTOPEN ? -EACCES : -EIO;
	rn_err_set(err, code, "the catalogue of views %s cannot be %s: %s", s->path, what,
		   db ? sqlite3_errmsg(db) : sqlite3_errstr(rc));
	rn_err_hint(err, rc == SQLITE_NOTADB || rc == SQLITE_CORRUPT ?
		    "the file was left as it is; move it away, restore it, or name another in RUNNEL_CATALOG" :
		    "the file was left as it is; RUNNEL_CATALOG names another");
	return code;
}

static int pragma(sqlite3 *db, const char *sql, int64_t *out)
{
	sqlite3_stmt *st = NULL;
	int rc = sqlite3_prepare_v2(db, sql, -1, &st, NULL);
	if (rc == SQLITE_OK) {
		rc = sqlite3_step(st);
		*out = rc == SQLITE_ROW ? sqlite3_column_int64(st, 0) : 0;
		rc = rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
	}
	sqlite3_finalize(st);
	return rc;
}

/* Opens what is there and checks that it is ours; *db is NULL if there is no file (and write is false). */
static int open_db(struct rn_viewstore *s, bool write, sqlite3 **db, struct rn_err *err)
{
	*db = NULL;
	if (!write && access(s->path, F_OK) != 0)
		return 0;
	int rc = sqlite3_open_v2(s->path, db, write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY, NULL);
	int64_t app = 0, version = 0, tables = 0;
	if (rc == SQLITE_OK) {
		sqlite3_busy_timeout(*db, 2000);
		rc = pragma(*db, "select count(*) from sqlite_schema", &tables);
	}
	if (rc == SQLITE_OK)
		rc = pragma(*db, "pragma application_id", &app);
	if (rc == SQLITE_OK)
		rc = pragma(*db, "pragma user_version", &version);
	int code = 0;
	if (rc != SQLITE_OK) {
		code = db_error(s, *db, rc, rc == SQLITE_CANTOPEN ? "opened" : "read", err);
	} else if (tables && app != CATALOG_APP) {
		code = rn_err_set(err, -EINVAL, "%s is an SQLite database, but no catalogue of views", s->path);
		rn_err_hint(err, "the file was left as it is; name another in RUNNEL_CATALOG");
	} else if (version > CATALOG_VERSION) {
		code = rn_err_set(err, -EINVAL, "the catalogue of views %s was made by a newer version", s->path);
		rn_err_hint(err, "the file was left as it is; name another in RUNNEL_CATALOG");
	}
	if (code || (!tables && !write)) {
		sqlite3_close(*db);
		*db = NULL;
	}
	return code;
}

static void load(struct rn_viewstore *s)
{
	if (s->loaded)
		return;
	s->loaded = true;
	sqlite3 *db;
	sqlite3_stmt *st = NULL;
	if (open_db(s, false, &db, &s->problem) || !db)
		return;
	struct entry *newer = s->entries; /* of this text: they stay in front */
	s->entries = NULL;
	int rc = sqlite3_prepare_v2(db, "select name, text, doc from view order by name desc", -1, &st, NULL);
	while (rc == SQLITE_OK && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(st, 0), *text = (const char *)sqlite3_column_text(st, 1);
		if (name && text)
			add(s, name, text, rn_arena_printf(s->arena, "view %s", name), (const char *)sqlite3_column_text(st, 2),
			    true);
		rc = SQLITE_OK;
	}
	if (rc != SQLITE_DONE)
		db_error(s, db, rc, "read", &s->problem);
	sqlite3_finalize(st);
	sqlite3_close(db);
	struct entry **tail = &newer;
	while (*tail)
		tail = &(*tail)->next;
	*tail = s->entries;
	s->entries = newer;
}

static const struct rn_view *lookup(struct rn_viewstore *s, const char *name)
{
	for (int pass = 0; pass < 2; pass++) {
		for (struct entry *e = s->entries; e; e = e->next) {
			if (!strcmp(e->v.name, name))
				return &e->v;
		}
		load(s); /* only if nothing nearer explains the name */
	}
	return NULL;
}

static const char *find(void *self, const char *name, const char **origin)
{
	const struct rn_view *v = lookup(self, name);
	if (v && origin)
		*origin = v->origin;
	return v ? v->text : NULL;
}

/* By name, and of one name first what hides the others. */
static int by_name(const void *a, const void *b)
{
	const struct entry *x = *(const struct entry *const *)a, *y = *(const struct entry *const *)b;
	int c = strcmp(x->v.name, y->v.name);
	return c ? c : (x->order > y->order) - (x->order < y->order);
}

/* All views that a query may name now; sorted, each name once. */
static const struct rn_view **collect(struct rn_viewstore *s, struct rn_arena *a, unsigned *n)
{
	unsigned all = 0;
	load(s);
	for (struct entry *e = s->entries; e; e = e->next)
		e->order = all++;
	struct entry **sorted = RN_NEWN(a, struct entry *, all + 1);
	const struct rn_view **v = RN_NEWN(a, const struct rn_view *, all + 1);
	for (struct entry *e = s->entries; e; e = e->next)
		sorted[e->order] = e;
	qsort(sorted, all, sizeof *sorted, by_name);
	*n = 0;
	for (unsigned i = 0; i < all; i++) {
		if (!*n || strcmp(v[*n - 1]->name, sorted[i]->v.name))
			v[(*n)++] = &sorted[i]->v;
	}
	return v;
}

static const char *const *names(void *self)
{
	struct rn_viewstore *s = self;
	unsigned n;
	const struct rn_view **v = collect(s, s->arena, &n);
	const char **out = RN_NEWN(s->arena, const char *, n + 1);
	for (unsigned i = 0; i < n; i++)
		out[i] = v[i]->name;
	return out;
}

static const char *module_text(void *self, const char *name)
{
	(void)self;
	for (const struct rn_module_data *m = rn_stdlib; m->name; m++) {
		if (!strcmp(m->name, name))
			return m->text;
	}
	return NULL;
}

struct rn_viewstore *rn_views_create(void)
{
	struct rn_viewstore *s = calloc(1, sizeof *s);
	if (!s)
		abort();
	s->arena = rn_arena_create(ARENA_CAP);
	s->path = catalog_path(s->arena);
	s->names = (struct rn_views){.self = s, .find = find, .names = names, .module = module_text};
	return s;
}

void rn_views_destroy(struct rn_viewstore *s)
{
	if (!s)
		return;
	rn_arena_destroy(s->arena);
	free(s->used);
	free(s);
}

const struct rn_views *rn_views_names(struct rn_viewstore *s)
{
	return &s->names;
}

const struct rn_err *rn_views_problem(const struct rn_viewstore *s)
{
	return &s->problem;
}

/* A module's views, by parsing it: their texts are slices of its own. */
static void add_module(struct rn_viewstore *s, const char *name, const char *text)
{
	struct rn_diag *d = rn_diag_new(s->arena);
	uint16_t src = rn_diag_source(d, name, text, strlen(text));
	const struct rn_ast_file *f = rn_parse(s->arena, d, src);
	const char *origin = rn_arena_printf(s->arena, "stdlib/%s.rnl", name);
	for (const struct rn_ast_stmt *st = f->stmts; st; st = st->next) {
		if (st->kind == RN_STMT_VIEW)
			add(s, st->name, rn_print_stmt(s->arena, st), origin, st->doc, false);
	}
}

int rn_views_use(struct rn_viewstore *s, const char *module)
{
	const char *text = module_text(s, module);
	if (!text)
		return -ENOENT;
	for (unsigned i = 0; i < s->nused; i++) {
		if (!strcmp(s->used[i], module))
			return 1;
	}
	s->used = realloc(s->used, (s->nused + 1) * sizeof *s->used);
	if (!s->used)
		abort();
	s->used[s->nused++] = rn_arena_strdup(s->arena, module);
	add_module(s, module, text);
	return 0;
}

const char *rn_views_hidden(struct rn_viewstore *s, struct rn_arena *a, const char *module)
{
	const char *origin = rn_arena_printf(a, "stdlib/%s.rnl", module), *names = NULL;
	load(s);
	for (const struct entry *e = s->entries; e; e = e->next) {
		for (const struct entry *saved = e->next; !strcmp(e->v.origin, origin) && saved; saved = saved->next) {
			if (saved->v.saved && !strcmp(saved->v.name, e->v.name))
				names = rn_arena_printf(a, "%s%s`%s`", names ? names : "", names ? ", " : "", e->v.name);
		}
	}
	return names;
}

const char *rn_views_module_of(struct rn_viewstore *s, const char *name)
{
	for (const struct rn_module_data *m = rn_stdlib; m->name; m++) {
		struct rn_diag *d = rn_diag_new(s->arena);
		const struct rn_ast_file *f = rn_parse(s->arena, d, rn_diag_source(d, m->name, m->text, strlen(m->text)));
		for (const struct rn_ast_stmt *st = f->stmts; st; st = st->next) {
			if (st->kind == RN_STMT_VIEW && !strcmp(st->name, name))
				return m->name;
		}
	}
	return NULL;
}

void rn_views_define(struct rn_viewstore *s, const char *name, const char *text, const char *doc)
{
	add(s, name, text, rn_arena_printf(s->arena, "view %s", name), doc, false);
}

/* mkdir -p of the directory that holds path. */
static void make_parents(struct rn_arena *a, const char *path)
{
	char *p = rn_arena_strdup(a, path);
	for (char *q = p + 1; *q; q++) {
		if (*q != '/')
			continue;
		*q = 0;
		mkdir(p, 0755); /* what cannot be made shows when the file is opened */
		*q = '/';
	}
}

static int make_schema(struct rn_viewstore *s, sqlite3 *db)
{
	return sqlite3_exec(db, rn_arena_printf(s->arena, "create table if not exists "
			    "view(name text primary key, text text not null, doc text, saved_ns integer not null);"
			    "pragma application_id = %d; pragma user_version = %d;", CATALOG_APP, CATALOG_VERSION), NULL, NULL, NULL);
}

int rn_views_save(struct rn_viewstore *s, const char *name, const char *text, const char *doc, struct rn_err *err)
{
	sqlite3 *db;
	sqlite3_stmt *st = NULL;
	make_parents(s->arena, s->path);
	int code = open_db(s, true, &db, err);
	if (code)
		return code;
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	int rc = sqlite3_exec(db, "begin immediate", NULL, NULL, NULL);
	if (rc == SQLITE_OK)
		rc = make_schema(s, db);
	if (rc == SQLITE_OK)
		rc = sqlite3_prepare_v2(db, "insert or replace into view values(?, ?, ?, ?)", -1, &st, NULL);
	if (rc == SQLITE_OK) {
		sqlite3_bind_text(st, 1, name, -1, SQLITE_STATIC);
		sqlite3_bind_text(st, 2, text, -1, SQLITE_STATIC);
		sqlite3_bind_text(st, 3, doc, -1, SQLITE_STATIC);
		sqlite3_bind_int64(st, 4, now.tv_sec * 1000000000LL + now.tv_nsec);
		rc = sqlite3_step(st);
		rc = rc == SQLITE_DONE ? sqlite3_exec(db, "commit", NULL, NULL, NULL) : rc;
	}
	if (rc != SQLITE_OK)
		code = db_error(s, db, rc, "written", err);
	sqlite3_finalize(st);
	sqlite3_close(db);
	return code;
}

int rn_views_drop(struct rn_viewstore *s, const char *name, struct rn_err *err)
{
	sqlite3 *db;
	sqlite3_stmt *st = NULL;
	if (access(s->path, F_OK) != 0)
		return -ENOENT;
	int code = open_db(s, true, &db, err), rc;
	if (code)
		return code;
	rc = sqlite3_prepare_v2(db, "delete from view where name = ?", -1, &st, NULL);
	if (rc == SQLITE_OK) {
		sqlite3_bind_text(st, 1, name, -1, SQLITE_STATIC);
		rc = sqlite3_step(st);
	}
	if (rc != SQLITE_DONE)
		code = db_error(s, db, rc, "written", err);
	else if (!sqlite3_changes(db))
		code = -ENOENT;
	sqlite3_finalize(st);
	sqlite3_close(db);
	for (struct entry **e = &s->entries; !code && *e;) {
		if ((*e)->v.saved && !strcmp((*e)->v.name, name))
			*e = (*e)->next;
		else
			e = &(*e)->next;
	}
	return code;
}

const struct rn_view *const *rn_views_list(struct rn_viewstore *s, struct rn_arena *a, bool all)
{
	unsigned n;
	for (const struct rn_module_data *m = rn_stdlib; all && m->name; m++)
		rn_views_use(s, m->name);
	return collect(s, a, &n);
}
