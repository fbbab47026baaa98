/* views.c - names to view texts: what this text uses and defines, the latest first, then the catalogue.
 *
 * Saved views are read once, at the first name that is asked for. The catalogue is opened read-only except to save or drop. */
#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "repl/lib/catdb.h"
#include "repl/lib/views.h"

enum { ARENA_CAP = 16 << 20 };

struct entry { struct rn_view v; struct entry *next; unsigned order; }; /* order: while they are sorted */
struct rn_viewstore {
	struct rn_arena *arena;
	struct entry *entries;      /* the newest first: it hides older ones of its name */
	struct rn_catdb file;
	bool loaded;
	struct rn_err problem;
	struct rn_views names;
	const char **used; unsigned nused;
};

static void add(struct rn_viewstore *s, const char *name, const char *text, const char *origin, const char *doc, bool saved)
{
	struct entry *e = RN_NEW(s->arena, struct entry);
	e->v = (struct rn_view){rn_arena_strdup(s->arena, name), rn_arena_strdup(s->arena, text),
				rn_arena_strdup(s->arena, origin), doc ? rn_arena_strdup(s->arena, doc) : NULL, saved};
	e->next = s->entries;
	s->entries = e;
}

static void load(struct rn_viewstore *s)
{
	if (s->loaded)
		return;
	s->loaded = true;
	sqlite3 *db;
	sqlite3_stmt *st = NULL;
	if (rn_catdb_open(&s->file, false, &db, &s->problem) || !db)
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
		rn_catdb_error(&s->file, db, rc, "read", &s->problem);
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

struct rn_viewstore *rn_views_create(const char *path)
{
	struct rn_viewstore *s = calloc(1, sizeof *s);
	if (!s)
		abort();
	s->arena = rn_arena_create(ARENA_CAP);
	s->file = rn_catdb_of(s->arena, path);
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

int rn_views_save(struct rn_viewstore *s, const char *name, const char *text, const char *doc, struct rn_err *err)
{
	sqlite3 *db;
	sqlite3_stmt *st = NULL;
	int code = rn_catdb_open(&s->file, true, &db, err);
	if (code)
		return code;
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	int rc = rn_catdb_begin(db);
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
		code = rn_catdb_error(&s->file, db, rc, "written", err);
	sqlite3_finalize(st);
	sqlite3_close(db);
	return code;
}

int rn_views_drop(struct rn_viewstore *s, const char *name, struct rn_err *err)
{
	sqlite3 *db;
	sqlite3_stmt *st = NULL;
	if (access(s->file.path, F_OK) != 0)
		return -ENOENT;
	int code = rn_catdb_open(&s->file, true, &db, err), rc;
	if (code)
		return code;
	rc = sqlite3_prepare_v2(db, "delete from view where name = ?", -1, &st, NULL);
	if (rc == SQLITE_OK) {
		sqlite3_bind_text(st, 1, name, -1, SQLITE_STATIC);
		rc = sqlite3_step(st);
	}
	if (rc != SQLITE_DONE)
		code = rn_catdb_error(&s->file, db, rc, "written", err);
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
