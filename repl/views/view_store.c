/* view_store.c - finds view texts by name: first what this text uses and defines, the latest first,
 * then the catalogue, then the modules that are not used.
 *
 * Saved views are read at the first lookup, again for each text. The catalogue is opened read-only
 * except to save or drop. The transaction that makes a change also checks it, against what is saved
 * at that moment. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "lang/base/memory.h"
#include "repl/views/catalog_db.h"
#include "repl/views/view_set.h"
#include "lang/syntax/print.h"
#include "lang/syntax/walk_sources.h"
#include "lang/syntax/parse.h"
#include "lang/base/vec.h"

enum { ARENA_CAP = 256 << 20 }; /* a catalogue of 10,000 views takes a tenth of it */

/* defined: by the text, not by a module */
struct entry {
	struct rn_view view;
	struct entry *next;
	const char *source, *origin;
	bool defined;
};
struct rn_viewstore {
	struct rn_arena *arena; /* of modules */
	/* of the text, and of saved views, until the next text begins */
	struct rn_arena *own;
	struct entry *entries; /* the newest first: it hides older ones of its name */
	struct rn_catdb file;
	struct rn_viewset *saved; /* NULL: not read yet, or there is a problem */
	struct rn_err problem;
	struct rn_views names;
	const struct rn_names *rest; /* what else resolution needs, to carry over old views */
	const char *carried;         /* not told yet */
	const char **used;
	unsigned nused;
};

static struct entry *new_entry(struct rn_arena *a, const char *name, const char *text,
			       const char *origin, const char *doc)
{
	struct entry *e = RN_NEW(a, struct entry);

	e->view = (struct rn_view){rn_arena_strdup(a, name), rn_arena_strdup(a, text),
				   rn_arena_strdup(a, origin), doc ? rn_arena_strdup(a, doc) : NULL,
				   false};
	return e;
}

static void add(struct rn_viewstore *s, struct entry *e)
{
	e->next = s->entries;
	s->entries = e;
}

/* ---- a catalogue of an older version ---- */

static bool same_views(const struct rn_viewset *a, const struct rn_viewset *b)
{
	bool same = a->n == b->n;

	for (unsigned i = 0; same && i < a->n; i++)
		same = !strcmp(a->list[i]->name, b->list[i]->name) &&
		       !strcmp(a->list[i]->text, b->list[i]->text);
	return same;
}

/* Write the views that were carried over, unless another process has changed the file since `was`
 * was read: its changes must not be lost. *kept: where the old file is; NULL: nothing was
 * written. */
static int write_carried(struct rn_viewstore *s, const struct rn_viewset *was,
			 const struct rn_viewset *after, const char **kept, struct rn_err *err)
{
	struct rn_viewset *before = rn_viewset_new(s->own, NULL);
	sqlite3 *db;
	bool late;
	int code = rn_catdb_open(&s->file, true, &db, err), rc = SQLITE_OK;

	*kept = NULL;
	if (code)
		return code;
	code = rn_catdb_version(db) < RN_CATDB_VERSION ? rn_catdb_keep(&s->file, db, kept, err) : 0;
	late = !*kept || rn_catdb_version(db) >= RN_CATDB_VERSION;
	if (!code && !late)
		code = rn_catdb_begin(&s->file, db, err);
	if (!code && !late) {
		rc = rn_catviews_read(db, before);
		late = rc == SQLITE_OK && !same_views(was, before);
		if (rc == SQLITE_OK && !late)
			rc = rn_catviews_write(db, before, after);
		if (rc == SQLITE_OK && !late)
			rc = sqlite3_exec(db, "commit", NULL, NULL, NULL);
		code = rc == SQLITE_OK ? 0 : rn_catdb_error(&s->file, db, rc, "written", err);
	}
	sqlite3_close(db); /* this undoes what was not committed */
	if (*kept && (code || late)) {
		unlink(*kept);
		*kept = NULL;
	}
	return code;
}

static void carry_over(struct rn_viewstore *s, struct rn_viewset *set)
{
	const struct rn_viewset *was = rn_viewset_new(s->own, set);
	const char *told = rn_viewset_carry_over(set, s->rest, s->own), *kept;
	struct rn_err err = {0};

	if (!told)
		return;
	if (write_carried(s, was, set, &kept, &err))
		s->carried =
			rn_arena_printf(s->arena,
					"the catalogue of views %s is of an older version, and "
					"is read as if it had been carried over: %s\n%s",
					s->file.path, err.text, told);
	else if (kept)
		s->carried = rn_arena_printf(s->arena,
					     "the catalogue of views %s was of an older version, "
					     "and is carried over; %s is the old file\n%s",
					     s->file.path, kept, told);
}

/* ---- what is saved ---- */

/* Read what is saved now; NULL: err says why not. */
static struct rn_viewset *read_saved(struct rn_viewstore *s, struct rn_arena *a, struct rn_err *err)
{
	struct rn_viewset *set = rn_viewset_new(a, NULL);
	sqlite3 *db;
	bool old;
	int rc;

	if (rn_catdb_open(&s->file, false, &db, err))
		return NULL;
	if (!db)
		return set;
	rc = rn_catviews_read(db, set);
	if (rc != SQLITE_OK)
		rn_catdb_error(&s->file, db, rc, "read", err);
	old = rn_catdb_version(db) < RN_CATDB_VERSION;
	sqlite3_close(db);
	if (rc == SQLITE_OK && old)
		carry_over(s, set);
	return rc == SQLITE_OK ? set : NULL;
}

static void load(struct rn_viewstore *s)
{
	if (!s->saved && !s->problem.code)
		s->saved = read_saved(s, s->own, &s->problem);
}

static const char *find(void *self, const char *name, const char **origin)
{
	struct rn_viewstore *s = self;
	const struct rn_module_data *m;

	for (struct entry *e = s->entries; e; e = e->next) {
		if (strcmp(e->view.name, name))
			continue;
		if (origin)
			*origin = e->source ? e->origin : e->view.origin;
		return e->source ? e->source : e->view.text;
	}
	load(s); /* only if nothing else explains the name */
	if (s->saved)
		return s->saved->views.find(s->saved, name, origin);
	m = rn_module_of(name);
	if (m && origin)
		*origin = rn_module_origin(s->own, m);
	return m ? m->text : NULL;
}

/* ---- all that there are ---- */

struct listing {
	struct rn_view view;
	unsigned order;
};
struct lists {
	struct rn_arena *arena;
	struct listing *list;
	unsigned n, cap;
};

static void put(struct lists *x, struct rn_view v)
{
	rn_vec_room_in(x->arena, x->list, x->n, x->cap);
	x->list[x->n] = (struct listing){v, x->n};
	x->n++;
}

/* Order by name; for equal names, first the view that hides the others. */
static int by_name(const void *a, const void *b)
{
	const struct listing *x = a, *y = b;
	int c = strcmp(x->view.name, y->view.name);

	return c ? c : (x->order > y->order) - (x->order < y->order);
}

/* Visit a module's views, by parsing it. */
static void each_of_module(struct rn_arena *a, const struct rn_module_data *m,
			   void (*visit)(void *self, struct entry *e), void *self)
{
	struct rn_diag *d = rn_diag_new(a);
	const struct rn_ast_file *f =
		rn_parse(a, d, rn_diag_source(d, m->name, m->text, strlen(m->text)));
	const char *origin = rn_module_origin(a, m);

	for (const struct rn_ast_stmt *st = f->stmts; st; st = st->next) {
		if (st->kind == RN_STMT_VIEW)
			visit(self, new_entry(a, st->name, rn_print_stmt(a, st), origin, st->doc));
	}
}

static void put_entry(void *self, struct entry *e)
{
	put(self, e->view);
}

static bool is_used(const struct rn_viewstore *s, const char *module)
{
	for (unsigned i = 0; i < s->nused; i++) {
		if (!strcmp(s->used[i], module))
			return true;
	}
	return false;
}

const struct rn_view *const *rn_views_list(struct rn_viewstore *store, struct rn_arena *arena,
					   bool all)
{
	struct lists x = {.arena = arena};
	const struct rn_view **out;
	unsigned n;

	load(store);
	for (struct entry *e = store->entries; e; e = e->next)
		put(&x, e->view);
	for (unsigned i = 0; store->saved && i < store->saved->n; i++) {
		const struct rn_saved *saved = store->saved->list[i];

		put(&x,
		    (struct rn_view){saved->name, saved->text, saved->origin, saved->doc, true});
	}
	for (const struct rn_module_data *m = rn_stdlib; all && m->name; m++) {
		if (!is_used(store, m->name))
			each_of_module(arena, m, put_entry, &x);
	}
	if (x.n)
		qsort(x.list, x.n, sizeof(*x.list), by_name);
	out = RN_NEWN(arena, const struct rn_view *, x.n + 1);
	n = 0;
	for (unsigned i = 0; i < x.n; i++) {
		if (!n || strcmp(out[n - 1]->name, x.list[i].view.name))
			out[n++] = &x.list[i].view;
	}
	return out;
}

static const char *const *names(void *self)
{
	struct rn_viewstore *s = self;
	const struct rn_view *const *v = rn_views_list(s, s->own, true);
	unsigned n = 0;
	const char **out;

	while (v[n])
		n++;
	out = RN_NEWN(s->own, const char *, n + 1);
	for (unsigned i = 0; i < n; i++)
		out[i] = v[i]->name;
	return out;
}

/* ---- life ---- */

struct rn_viewstore *rn_views_create(const char *path, const struct rn_names *rest)
{
	struct rn_viewstore *s = rn_calloc(1, sizeof(*s));

	s->arena = rn_arena_create(ARENA_CAP);
	s->own = rn_arena_create(ARENA_CAP);
	s->file = rn_catdb_of(s->arena, path);
	s->rest = rest;
	s->names = (struct rn_views){
		.self = s, .find = find, .names = names, .module = rn_module_text};
	return s;
}

void rn_views_destroy(struct rn_viewstore *store)
{
	if (!store)
		return;
	rn_arena_destroy(store->arena);
	rn_arena_destroy(store->own);
	free(store->used);
	free(store);
}

const char *rn_views_carried(struct rn_viewstore *store)
{
	const char *told = store->carried;

	store->carried = NULL;
	return told;
}

const char *rn_views_path(const struct rn_viewstore *store)
{
	return store->file.path;
}

static void forget(struct rn_viewstore *s, bool defined)
{
	for (struct entry **e = &s->entries; *e;) {
		if ((*e)->defined == defined)
			*e = (*e)->next;
		else
			e = &(*e)->next;
	}
}

void rn_views_begin(struct rn_viewstore *store)
{
	forget(store, true);
	rn_arena_reset(store->own);
	store->saved = NULL;
	store->problem = (struct rn_err){0};
}

const struct rn_views *rn_views_names(struct rn_viewstore *store)
{
	return &store->names;
}

const struct rn_err *rn_views_problem(const struct rn_viewstore *store)
{
	return &store->problem;
}

static void use_entry(void *self, struct entry *e)
{
	add(self, e);
}

int rn_views_use(struct rn_viewstore *store, const char *module)
{
	const struct rn_module_data *m = rn_stdlib;

	while (m->name && strcmp(m->name, module))
		m++;
	if (!m->name)
		return -ENOENT;
	if (is_used(store, module))
		return 1;
	store->used = rn_realloc(store->used, (store->nused + 1) * sizeof(*store->used));
	store->used[store->nused++] = m->name;
	each_of_module(store->arena, m, use_entry, store);
	return 0;
}

void rn_views_unuse(struct rn_viewstore *store)
{
	forget(store, false);
	store->nused = 0;
}

const char *rn_views_hidden(struct rn_viewstore *store, struct rn_arena *arena, const char *module)
{
	const char *origin = rn_arena_printf(arena, "stdlib/%s.rnl", module), *list = NULL;

	load(store);
	for (const struct entry *e = store->entries; e && store->saved; e = e->next) {
		if (!strcmp(e->view.origin, origin) && rn_viewset_find(store->saved, e->view.name))
			list = rn_arena_printf(arena, "%s%s`%s`", list ? list : "",
					       list ? ", " : "", e->view.name);
	}
	return list;
}

void rn_views_define(struct rn_viewstore *store, const char *name, const char *text,
		     const char *doc, const char *source, const char *origin)
{
	struct entry *e = new_entry(store->own, name, text,
				    rn_arena_printf(store->own, "view %s", name), doc);

	if (source) {
		e->source = rn_arena_strdup(store->own, source);
		e->origin = rn_arena_strdup(store->own, origin);
	}
	e->defined = true;
	add(store, e);
}

/* ---- the text that is saved ---- */

/* The sources of a view: names of modules that it needs, and of other views. */
struct needs {
	struct rn_viewstore *store;
	struct rn_arena *arena;
	const char **module, **other;
	unsigned nmodules, nothers, most;
};

static bool put_once(const char **list, unsigned *n, unsigned most, const char *name)
{
	for (unsigned i = 0; i < *n; i++) {
		if (!strcmp(list[i], name))
			return false;
	}
	if (*n < most)
		list[(*n)++] = name;
	return true;
}

static void need(void *self, const struct rn_ast_source *src)
{
	struct needs *x = self;
	const char *origin = "";

	if (!find(x->store, src->name, &origin))
		return;
	if (!strncmp(origin, "stdlib/", 7))
		put_once(x->module, &x->nmodules, x->most,
			 rn_arena_strndup(x->arena, origin + 7, strcspn(origin + 7, ".")));
	else
		put_once(x->other, &x->nothers, x->most, src->name);
}

static void count_source(void *self, const struct rn_ast_source *src)
{
	(void)src;
	++*(unsigned *)self;
}

const char *rn_views_canonical(struct rn_viewstore *store, struct rn_arena *arena,
			       const struct rn_ast_stmt *view, struct rn_diag *diag)
{
	struct needs x = {.store = store, .arena = arena};
	const char *text = rn_print_stmt(arena, view);

	rn_query_sources(view->query, count_source, &x.most);
	x.module = RN_NEWN(arena, const char *, x.most);
	x.other = RN_NEWN(arena, const char *, x.most);
	rn_query_sources(view->query, need, &x);
	for (unsigned i = 0; i < x.nmodules; i++) {
		for (unsigned k = 0; k < x.nothers; k++) {
			if (!rn_module_view(arena, x.module[i], x.other[k]))
				continue;
			rn_diag_hint(
				diag,
				rn_diag_add(diag, RN_ERROR, "E-NAME-VIEW", view->span,
					    "`%s` uses the module %s and a view `%s` of yours, a "
					    "name that the module has too",
					    view->name, x.module[i], x.other[k]),
				"rename yours: later nobody could say which of the two is meant");
			return NULL;
		}
	}
	/* the module named first comes last: it is looked up first */
	for (unsigned i = 0; i < x.nmodules; i++)
		text = rn_arena_printf(arena, "use %s;\n%s", x.module[i], text);
	return text;
}

/* ---- changes ---- */

struct rn_viewset *rn_views_saved(struct rn_viewstore *store, struct rn_arena *arena)
{
	load(store);
	return store->saved ? rn_viewset_new(arena, store->saved) : NULL;
}

bool rn_views_try(struct rn_viewstore *store, struct rn_viewset **set,
		  struct rn_view_change *change, unsigned n, const struct rn_names *names,
		  struct rn_diag *diag, struct rn_arena *arena)
{
	struct rn_arena *scratch;
	struct rn_viewset *before;
	bool whole;

	if (!*set)
		*set = rn_views_saved(store, arena);
	if (!*set)
		return true;                  /* rn_views_store will report why */
	scratch = rn_arena_create(ARENA_CAP); /* each statement of a long text is tried */
	before = rn_viewset_new(scratch, *set);
	rn_viewset_apply(*set, change, n);
	whole = rn_viewset_check(before, *set, change, n, names, diag);
	rn_arena_destroy(scratch);
	return whole;
}

/* If there is no file and all changes are drops, there is nothing to do. */
static bool nothing_to_drop(const struct rn_viewstore *s, struct rn_view_change *c, unsigned n)
{
	if (access(s->file.path, F_OK) == 0)
		return false;
	for (unsigned i = 0; i < n; i++) {
		if (c[i].text)
			return false;
		c[i].outcome = RN_VIEW_NOT_SAVED;
	}
	return true;
}

/* A view cannot be read back and has no error: the memory is used up. */
static int too_much(unsigned n, struct rn_err *err)
{
	rn_err_set(err, -ENOMEM,
		   "%u changes of saved views at once take too much memory: none was made", n);
	rn_err_hint(err, "divide the text");
	return err->code;
}

static int store(struct rn_viewstore *s, sqlite3 *db, struct rn_arena *arena,
		 struct rn_view_change *change, unsigned n, const struct rn_names *names,
		 struct rn_diag *diag, struct rn_err *err)
{
	struct rn_viewset *before = rn_viewset_new(arena, NULL), *after;
	bool same = true;
	int code = rn_catdb_begin(&s->file, db, err);
	int rc;

	if (code)
		return code;
	rc = rn_catviews_read(db, before);
	after = rn_viewset_new(arena, before);
	rn_viewset_apply(after, change, n);
	for (unsigned i = 0; i < n; i++)
		same &= change[i].outcome == RN_VIEW_UNCHANGED ||
			change[i].outcome == RN_VIEW_NOT_SAVED;
	if (rc == SQLITE_OK && !rn_viewset_check(before, after, change, n, names, diag))
		return rn_diag_errors(diag) ? 1 : too_much(n, err);
	if (rc == SQLITE_OK && !same)
		rc = rn_catviews_write(db, before, after);
	if (rc == SQLITE_OK && !same)
		rc = sqlite3_exec(db, "update catalog set generation = generation + 1", NULL, NULL,
				  NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(db, "commit", NULL, NULL, NULL);
	return rc == SQLITE_OK ? 0 : rn_catdb_error(&s->file, db, rc, "written", err);
}

int rn_views_store(struct rn_viewstore *views, struct rn_view_change *change, unsigned n,
		   const struct rn_names *names, struct rn_diag *diag, struct rn_arena *arena,
		   struct rn_err *err)
{
	sqlite3 *db;
	int code;

	load(views); /* an old file is carried over before it is changed */
	if (nothing_to_drop(views, change, n))
		return 0;
	code = rn_catdb_open(&views->file, true, &db, err);
	if (code)
		return code;
	code = store(views, db, arena, change, n, names, diag, err);
	sqlite3_close(db); /* this undoes what was not committed */
	views->saved = NULL;
	return code;
}
