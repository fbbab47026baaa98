/* catalog_rows.c - the saved views as rows: reads them into a set, and writes the difference of two
 * sets. */
#include <string.h>
#include <time.h>
#include "repl/views/catalog_db.h"
#include "repl/views/view_set.h"

void rn_catviews_complete(struct rn_viewset *views)
{
	for (unsigned i = 0; i < views->n; i++) {
		const struct rn_saved *v = views->list[i];
		const char *text = v->text;

		for (const char *const *n = v->names; *n; n++) {
			const struct rn_module_data *m = rn_stdlib;

			while (m->name && !rn_module_view(views->arena, m->name, *n))
				m++;
			if (m->name && !rn_viewset_find(views, *n) &&
			    !strstr(text, rn_arena_printf(views->arena, "use %s;\n", m->name)))
				text = rn_arena_printf(views->arena, "use %s;\n%s", m->name, text);
		}
		if (text != v->text)
			rn_viewset_put(views, v->name, text, v->doc);
	}
}

int rn_catviews_read(sqlite3 *db, struct rn_viewset *views)
{
	sqlite3_stmt *st = NULL;
	int rc = rn_catviews_rows(db, views);

	if (rc == SQLITE_OK)
		rc = sqlite3_prepare_v2(db, "select 1 from sqlite_schema where name = 'view_use'",
					-1, &st, NULL);
	if (rc == SQLITE_OK && sqlite3_step(st) != SQLITE_ROW) /* version 1 */
		rn_catviews_complete(views);
	sqlite3_finalize(st);
	return rc;
}

int rn_catviews_rows(sqlite3 *db, struct rn_viewset *views)
{
	sqlite3_stmt *st = NULL;
	int rc = sqlite3_prepare_v2(db, "select name, text, doc from view order by name", -1, &st,
				    NULL);

	while (rc == SQLITE_OK && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(st, 0),
			   *text = (const char *)sqlite3_column_text(st, 1);

		if (name && text)
			rn_viewset_put(views, name, text, (const char *)sqlite3_column_text(st, 2));
		rc = SQLITE_OK;
	}
	sqlite3_finalize(st);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* Run one statement; a NULL text stays null. */
static int run(sqlite3 *db, const char *sql, const char *const text[3], int64_t now_ns)
{
	sqlite3_stmt *st = NULL;
	int rc = sqlite3_prepare_v2(db, sql, -1, &st, NULL),
	    n = rc == SQLITE_OK ? sqlite3_bind_parameter_count(st) : 0;

	for (int i = 0; i < 3 && i < n; i++)
		sqlite3_bind_text(st, i + 1, text[i], -1, SQLITE_STATIC);
	if (n > 3)
		sqlite3_bind_int64(st, 4, now_ns);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(st);
	sqlite3_finalize(st);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int write_uses(sqlite3 *db, const struct rn_viewset *s)
{
	int rc = sqlite3_exec(db, "delete from view_use", NULL, NULL, NULL);

	for (unsigned i = 0; i < s->n; i++) {
		for (const char *const *n = s->list[i]->names; *n && rc == SQLITE_OK; n++) {
			if (rn_viewset_find(s, *n))
				rc = run(db, "insert into view_use values(?1, ?2)",
					 (const char *const[]){s->list[i]->name, *n, NULL}, 0);
		}
	}
	return rc;
}

int rn_catviews_write(sqlite3 *db, const struct rn_viewset *before, const struct rn_viewset *after)
{
	struct timespec t;
	int rc = SQLITE_OK;
	int64_t now_ns;

	clock_gettime(CLOCK_REALTIME, &t);
	now_ns = t.tv_sec * 1000000000LL + t.tv_nsec;
	for (unsigned i = 0; i < before->n && rc == SQLITE_OK; i++) {
		if (!rn_viewset_find(after, before->list[i]->name))
			rc = run(db, "delete from view where name = ?1",
				 (const char *const[]){before->list[i]->name, NULL, NULL}, 0);
	}
	for (unsigned i = 0; i < after->n && rc == SQLITE_OK; i++) {
		const struct rn_saved *saved = after->list[i],
				      *was = rn_viewset_find(before, saved->name);

		if (was == saved ||
		    (was && !strcmp(was->text, saved->text) &&
		     !strcmp(was->doc ? was->doc : "", saved->doc ? saved->doc : "")))
			continue;
		rc = run(db,
			 "insert into view(name, text, doc, saved_ns, created_ns, saves) "
			 "values(?1, ?2, ?3, ?4, ?4, 1) on conflict(name) "
			 "do update set text = ?2, doc = ?3, saved_ns = ?4, saves = saves + 1",
			 (const char *const[]){saved->name, saved->text, saved->doc}, now_ns);
	}
	return rc == SQLITE_OK ? write_uses(db, after) : rc;
}
