/* tag_store.c - see tag_store.h. The set is read once, when something asks for it, and kept in the
 * order in which tags were added. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "lang/base/memory.h"
#include "repl/views/catalog_db.h"
#include "repl/engine/tag_store.h"
#include "lang/resolve/resolve.h"
#include "lang/base/nearest.h"

enum { ARENA_CAP = 4 << 20 };

struct rn_tagstore {
	struct rn_arena *arena;
	char *path; /* NULL: its default place */
	struct rn_catdb file;
	struct rn_tag tag[RN_MAX_TAGS];
	int64_t added_ns[RN_MAX_TAGS];
	unsigned n;
	bool loaded;
	struct rn_err problem;
	struct rn_tagset names;
};

/* ---- the set ---- */

static struct rn_tag keep(struct rn_arena *a, struct rn_tag t)
{
	return rn_tag_of(rn_arena_strndup(a, t.bytes, t.len), t.len);
}

/* Read the tags of the catalogue into store. */
static int read_all(struct rn_tagstore *store, struct rn_err *err)
{
	sqlite3 *db;
	sqlite3_stmt *st = NULL;
	int code = rn_catdb_open(&store->file, false, &db, err), rc;
	bool there;

	store->n = 0;
	if (code || !db)
		return code;
	rc = sqlite3_prepare_v2(db, "select 1 from sqlite_schema where name = 'tag'", -1, &st,
				NULL);
	/* a catalogue of the first version has no table of tags */
	there = rc == SQLITE_OK && sqlite3_step(st) == SQLITE_ROW;
	sqlite3_finalize(st);
	st = NULL;
	if (there)
		rc = sqlite3_prepare_v2(db,
					"select bytes, added_ns from tag order by added_ns, rowid",
					-1, &st, NULL);
	while (there && rc == SQLITE_OK && store->n < RN_MAX_TAGS &&
	       (rc = sqlite3_step(st)) == SQLITE_ROW) {
		struct rn_tag t =
			rn_tag_of(sqlite3_column_blob(st, 0), (size_t)sqlite3_column_bytes(st, 0));

		rc = SQLITE_OK;
		if (!rn_tag_fits(t))
			continue;
		store->added_ns[store->n] = sqlite3_column_int64(st, 1);
		store->tag[store->n++] = keep(store->arena, t);
	}
	if (rc != SQLITE_DONE && rc != SQLITE_OK)
		code = rn_catdb_error(&store->file, db, rc, "read", err);
	sqlite3_finalize(st);
	sqlite3_close(db);
	return code;
}

static void load(struct rn_tagstore *s)
{
	if (!s->loaded)
		read_all(s, &s->problem);
	s->loaded = true;
}

static int find(const struct rn_tagstore *s, struct rn_tag t)
{
	for (unsigned i = 0; i < s->n; i++) {
		if (rn_tag_equal(s->tag[i], t))
			return (int)i;
	}
	return -1;
}

static unsigned all(void *self, struct rn_arena *a, const struct rn_tag **tags)
{
	struct rn_tagstore *s = self;
	struct rn_tag *v;

	load(s);
	v = RN_NEWN(a, struct rn_tag, s->n);
	for (unsigned i = 0; i < s->n; i++)
		v[i] = keep(a, s->tag[i]);
	*tags = v;
	return s->n;
}

struct rn_tagstore *rn_tagstore_create(const char *path)
{
	struct rn_tagstore *s = rn_calloc(1, sizeof(*s));

	s->arena = rn_arena_create(ARENA_CAP);
	s->path = path ? rn_strdup(path) : NULL;
	s->file = rn_catdb_of(s->arena, s->path);
	s->names = (struct rn_tagset){.self = s, .all = all};
	return s;
}

void rn_tagstore_destroy(struct rn_tagstore *store)
{
	if (!store)
		return;
	rn_arena_destroy(store->arena);
	free(store->path);
	free(store);
}

void rn_tagstore_begin(struct rn_tagstore *store)
{
	rn_arena_reset(store->arena);
	store->file = rn_catdb_of(store->arena, store->path);
	store->loaded = false;
	store->n = 0;
	store->problem = (struct rn_err){0};
}

const struct rn_tagset *rn_tagstore_names(struct rn_tagstore *store)
{
	return &store->names;
}

const struct rn_err *rn_tagstore_problem(const struct rn_tagstore *store)
{
	return &store->problem;
}

/* ---- checks ---- */

static struct rn_diag_item *wrong(struct rn_script *u, struct rn_span span, const char *code,
				  const char *text)
{
	return rn_diag_add(u->diag, RN_ERROR, code, span, "%s", text);
}

static void check_add(struct rn_script *u, const struct rn_ast_name *n)
{
	struct rn_tagstore *s = u->engine->tags;
	struct rn_tag t = rn_tag_of(n->text, n->len);

	if (!rn_tag_check(u->diag, n->span, t) || find(s, t) >= 0)
		return;
	if (s->n == RN_MAX_TAGS) {
		rn_diag_hint(u->diag,
			     rn_diag_add(u->diag, RN_ERROR, "E-LIMIT-TAGS", n->span,
					 "the set of tags holds at most %d", RN_MAX_TAGS),
			     "`tags list` shows them; make room with `tags drop`");
		return;
	}
	s->added_ns[s->n] = 0;
	s->tag[s->n++] = keep(s->arena, t);
}

static void check_drop(struct rn_script *script, const struct rn_ast_name *name)
{
	struct rn_tagstore *store = script->engine->tags;
	struct rn_tag t = rn_tag_of(name->text, name->len);
	int at = find(store, t);
	struct rn_diag_item *it;
	const char *known[RN_MAX_TAGS + 1], *near;

	if (at >= 0) {
		store->n--;
		memmove(store->tag + at, store->tag + at + 1,
			(store->n - (unsigned)at) * sizeof(*store->tag));
		memmove(store->added_ns + at, store->added_ns + at + 1,
			(store->n - (unsigned)at) * sizeof(*store->added_ns));
		return;
	}
	it = rn_diag_add(script->diag, RN_ERROR, "E-NAME-TAG", name->span,
			 "the set has no tag `%s`", rn_tag_text(script->arena, t));
	for (unsigned i = 0; i < store->n; i++)
		known[i] = rn_tag_text(script->arena, store->tag[i]);
	known[store->n] = NULL;
	near = rn_nearest(rn_tag_text(script->arena, t), known);
	if (near)
		rn_diag_hint(script->diag, it, "did you mean `%s`?", near);
	else
		rn_diag_hint(script->diag, it, store->n ? "`tags list` shows them" : "it is empty");
}

void rn_tags_check(struct rn_script *script, const struct rn_ast_stmt *st)
{
	static const char *const verbs[] = {"add", "list", "drop", NULL};
	bool adds = !strcmp(st->name, "add"), drops = !strcmp(st->name, "drop");
	const char *near;

	if (!adds && !drops && strcmp(st->name, "list")) {
		struct rn_diag_item *it =
			rn_diag_add(script->diag, RN_ERROR, "E-SYNTAX", st->name_span,
				    "`tags %s` is no statement", st->name);

		near = rn_nearest(st->name, verbs);
		if (near)
			rn_diag_hint(script->diag, it, "did you mean `%s`?", near);
		else
			rn_diag_hint(
				script->diag, it,
				"there are `tags add T, ...`, `tags list` and `tags drop T, ...`");
		return;
	}
	if (!adds && !drops && st->names) {
		wrong(script, st->names->span, "E-SYNTAX",
		      "`tags list` takes no tags: it shows all");
		return;
	}
	if ((adds || drops) && !st->names) {
		rn_diag_hint(script->diag, wrong(script, st->span, "E-SYNTAX", "which tags?"),
			     "name them: tags %s fix283, \"b c d\", x\"00ff1234\"", st->name);
		return;
	}
	if (!rn_resolve_words(script->arena, script->diag, st->names, &script->names))
		return;
	load(script->engine->tags);
	for (const struct rn_ast_name *n = st->names; n; n = n->next) {
		if (adds)
			check_add(script, n);
		else
			check_drop(script, n);
	}
}

/* ---- running ---- */

int rn_tags_read(struct rn_tagstore *store, struct rn_arena *arena, struct rn_tag_entry **out,
		 unsigned *n, struct rn_err *err)
{
	struct rn_tagstore *now = rn_tagstore_create(store->path);
	int code = read_all(now, err);

	*n = now->n;
	*out = RN_NEWN(arena, struct rn_tag_entry, now->n + 1);
	for (unsigned i = 0; i < now->n; i++)
		(*out)[i] = (struct rn_tag_entry){keep(arena, now->tag[i]), now->added_ns[i]};
	rn_tagstore_destroy(now);
	return code;
}

/* Change one row of the table `tag`; *changed: the row was there (drop), or was not (add). */
static int change(sqlite3 *db, bool adds, struct rn_tag t, int64_t now_ns, bool *changed)
{
	sqlite3_stmt *st = NULL;
	int rc = sqlite3_prepare_v2(db,
				    adds ? "insert or ignore into tag values(?1, ?2)"
					 : "delete from tag where bytes = ?1",
				    -1, &st, NULL);

	if (rc == SQLITE_OK) {
		sqlite3_bind_blob(st, 1, t.bytes, (int)t.len, SQLITE_STATIC);
		if (adds)
			sqlite3_bind_int64(st, 2, now_ns);
		rc = sqlite3_step(st);
	}
	*changed = sqlite3_changes(db) > 0;
	sqlite3_finalize(st);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

int rn_tags_store(struct rn_script *script, const struct rn_ast_stmt *st, const char **said,
		  struct rn_err *err)
{
	bool adds = !strcmp(st->name, "add"), changed;
	struct rn_catdb file = rn_catdb_of(script->arena, script->engine->tags->path);
	struct timespec now;
	sqlite3 *db;
	int code = rn_catdb_open(&file, true, &db, err);
	int64_t now_ns;
	int rc;

	*said = "";
	if (code)
		return code;
	clock_gettime(CLOCK_REALTIME, &now);
	now_ns = now.tv_sec * 1000000000LL + now.tv_nsec;
	code = rn_catdb_begin(&file, db, err);
	rc = SQLITE_OK;
	for (const struct rn_ast_name *n = st->names; n && !code && rc == SQLITE_OK; n = n->next) {
		rc = change(db, adds, rn_tag_of(n->text, n->len), now_ns++, &changed);
		*said = rn_arena_printf(script->arena, "%stag %s %s\n", *said,
					rn_tag_text(script->arena, rn_tag_of(n->text, n->len)),
					changed ? adds ? "added" : "dropped"
					: adds  ? "was there already"
						: "was not there");
	}
	if (!code && rc == SQLITE_OK)
		rc = sqlite3_exec(db, "commit", NULL, NULL, NULL);
	if (rc != SQLITE_OK)
		code = rn_catdb_error(&file, db, rc, "written", err);
	sqlite3_close(db);
	return code;
}
