/* runnel_sqlite.c - a loadable extension: queries of Runnel as tables of SQLite.
 *
 *     .load ./runnel_sqlite
 *     SELECT * FROM runnel('count of syscall by proc for 2s');
 *     CREATE VIRTUAL TABLE temp.calls USING runnel('count of syscall by proc for $t', 't=2s');
 *     SELECT proc FROM calls ORDER BY "count" DESC;
 *
 * Both have the columns that the query names, with their types. Values are those of the library in
 * base units (ns, bytes), an errno by name. Further arguments are NAME=VALUE, as on the command
 * line. Each time a table is read, the query runs.
 *
 * How a function's columns follow its argument. SQLite asks for the columns of a table-valued
 * function when it prepares a statement, before it looks at the argument, and keeps them for the
 * connection. So at first it gets a guess: the columns of the last query, and the usual ones (names
 * of fields, count). `*` stands for all of them. When the statement is stepped, xFilter gets the
 * argument. It registers the module again, which makes SQLite forget the columns, notes the exact
 * ones, and returns SQLITE_SCHEMA. Then sqlite3_step prepares the statement again, as it does when
 * a schema has changed, and `*` stands for the columns of the query. So SELECT * works for any
 * query. Usual names work too, also behind a `*` of a subquery. (With the exact columns, the other
 * usual ones are hidden, and reading one is an error.) When the last cursor is closed, the guess
 * comes back. Names that are neither usual nor the last query's need a virtual table. A statement
 * uses one query with runnel(...) at a time (or several with the same columns). Two different ones
 * are refused, because they would take turns for ever.
 *
 * One connection, one thread at a time, as SQLite demands of modules. Nothing here outlives the
 * connection. */
#include <sqlite3ext.h>
#include <stdlib.h>
#include <string.h>
#include "repl/api/runnel.h"
SQLITE_EXTENSION_INIT1

enum { MAX_PARAMS = 8, TURN_MS = 200 };

struct module { /* of one connection; shared by its successive registrations */
	unsigned users;
	/* for the function runnel(...): the columns of its last query, as in CREATE TABLE; NULL:
	 * none yet */
	char *decl;
	/* decl is of the running statement; else it is a guess for the next one */
	int exact;
};
struct table {
	sqlite3_vtab base;
	sqlite3 *db;
	struct module *module;
	char *decl;
	/* as in the module when this was made; always set for a virtual table */
	int exact;
	int ncols;    /* of the query; the hidden arguments follow */
	int filtered; /* cursors that run a query */
	/* of a virtual table; [0] NULL: a function, which gets its arguments with each use */
	char *args[1 + MAX_PARAMS];
};
struct cursor {
	sqlite3_vtab_cursor base;
	struct runnel *session;
	struct runnel_query *query;
	sqlite3_int64 row;
	int over, running, ran;
};

static const sqlite3_module methods;
static int register_function(sqlite3 *db, struct module *m);

static void release(void *self)
{
	struct module *m = self;

	if (--m->users)
		return;
	sqlite3_free(m->decl);
	sqlite3_free(m);
}

/* Give the library's error text to SQLite. */
static int failed(char **to, const struct runnel_query *q)
{
	const char *text = runnel_error_text(q);
	int n = (int)strlen(text);

	while (n && text[n - 1] == '\n')
		n--;
	sqlite3_free(*to);
	*to = sqlite3_mprintf("%.*s", n, text);
	return SQLITE_ERROR;
}

/* ---- columns ---- */

static const char *affinity(const struct runnel_column *c)
{
	switch (c->type) {
	case RUNNEL_BOOL:
	case RUNNEL_INT:
		return c->unit == RUNNEL_ERRNO || c->unit == RUNNEL_DEV || c->unit == RUNNEL_HASH ||
				       c->unit == RUNNEL_NAMED
			       ? "TEXT"
			       : "INTEGER";
	case RUNNEL_FLOAT: return "REAL";
	case RUNNEL_BYTES: return "BLOB";
	default: return "TEXT";
	}
}

/* Is the name taken? SQLite ignores case: `a` and `A` would be one column. */
static int taken(const struct runnel_query *q, unsigned upto, const char *name)
{
	for (unsigned i = 0; i < upto; i++) {
		if (!sqlite3_stricmp(runnel_column(q, i)->name, name))
			return 1;
	}
	return 0;
}

/* Does the query get a column `partial`? It tells which part of the row's window was covered, if
 * not all. */
static int says_partial(const struct runnel_query *q)
{
	const struct runnel_column *first = runnel_column(q, 0);

	return first && first->role == RUNNEL_WINDOW &&
	       !taken(q, runnel_column_count(q), "partial");
}

static char *declaration(const struct runnel_query *q)
{
	sqlite3_str *s = sqlite3_str_new(NULL);

	for (unsigned i = 0; i < runnel_column_count(q); i++) {
		const struct runnel_column *c = runnel_column(q, i);

		if (taken(q, i, c->name))
			sqlite3_str_appendf(s, "\"%w:%u\" %s, ", c->name, i + 1, affinity(c));
		else
			sqlite3_str_appendf(s, "\"%w\" %s, ", c->name, affinity(c));
	}
	if (says_partial(q))
		sqlite3_str_appendall(s, "\"partial\" TEXT, ");
	return sqlite3_str_finish(s);
}

/* Names that a statement may mention before its query is known. */
static const char *const usual[] = {
	/* fields of events: `make lint` compares them with the catalogue */
	"time",
	"node",
	"proc",
	"thread",
	"pid",
	"tid",
	"ppid",
	"uid",
	"gid",
	"user",
	"cgroup",
	"container",
	"netns",
	"cpu",
	"name",
	"start",
	"exe",
	"cmdline",
	"tags",
	"hits",
	"around",
	"fd",
	"file",
	"dev",
	"ino",
	"hash",
	"sketch",
	"data",
	"dir",
	"bytes",
	"offset",
	"seq",
	"fuse_dev",
	"fuse_node",
	"fuse_tid",
	"local",
	"peer",
	"proto",
	"peer_ino",
	"source",
	"source_dev",
	"source_ino",
	"peer_pid",
	"flags",
	"child",
	"ret",
	"error",
	"signal",
	"latency",
	"begin",
	"arg0",
	"arg1",
	"arg2",
	"arg3",
	"arg4",
	"arg5",
	"arg6",
	"arg7",
	"arg8",
	"arg9",
	"arg10",
	"arg11",
	"func",
	"module",
	"mode",
	"stack",
	"ustack",
	/* usual columns of queries and tables */
	"window",
	"count",
	"rate",
	"end",
	"rss",
	"threads",
	"state",
	"n",
	"calls",
	"errors",
	"total",
	"slow",
	"moved",
	"p50",
	"p90",
	"p95",
	"p99",
	"host",
	"port",
	"op",
	"path",
	"size",
	"duration",
};

/* Return usual name number i of those that the columns lack; NULL: there are no more. */
static const char *usual_name(const char *columns, int i)
{
	char quoted[32];

	for (unsigned k = 0; k < sizeof(usual) / sizeof(*usual); k++) {
		sqlite3_snprintf(sizeof(quoted), quoted, "\"%s\" ", usual[k]);
		if (!strcasestr(columns, quoted) && i-- == 0)
			return usual[k];
	}
	return NULL;
}

/* Declare the table. Hidden columns take the arguments; a query's column cannot have their names.
 * function: also declare the usual names, hidden if the columns are exact. */
static int declare(sqlite3 *db, const char *columns, int function, int exact)
{
	const char *name;
	sqlite3_str *s = sqlite3_str_new(db);
	char *sql;
	int rc;

	sqlite3_str_appendf(s, "CREATE TABLE x(%s\"runnel query\" TEXT HIDDEN", columns);
	for (int i = 1; i <= MAX_PARAMS; i++)
		sqlite3_str_appendf(s, ", \"runnel parameter %d\" TEXT HIDDEN", i);
	for (int i = 0; function && (name = usual_name(columns, i)); i++)
		sqlite3_str_appendf(s, ", \"%w\"%s", name, exact ? " HIDDEN" : "");
	sqlite3_str_appendall(s, ")");
	sql = sqlite3_str_finish(s);
	rc = sql ? sqlite3_declare_vtab(db, sql) : SQLITE_NOMEM;
	sqlite3_free(sql);
	return rc;
}

static int count_columns(const char *decl)
{
	int n = 0, quoted = 0;

	for (; *decl; decl++) {
		quoted ^= *decl == '"';
		n += !quoted && *decl == ',';
	}
	return n;
}

/* ---- a query from its arguments ---- */

static int bind(struct runnel_query *q, const char *arg, char **why)
{
	char *name = sqlite3_mprintf("%s", arg), *value = name ? strchr(name, '=') : NULL;
	int rc = SQLITE_OK;

	if (value)
		*value++ = '\0';
	if (!value || runnel_bind_value(q, name, value) != RUNNEL_OK) {
		sqlite3_free(*why);
		*why = sqlite3_mprintf("`%s` is no NAME=VALUE", arg);
		rc = SQLITE_ERROR;
	}
	sqlite3_free(name);
	return rc;
}

/* Prepare a query in a session of its own, so that several cursors may run at once. */
static int open_query(const char *const *args, int nargs, struct runnel **session,
		      struct runnel_query **query, char **why)
{
	int rc = SQLITE_OK;

	*session = runnel_open(NULL);
	*query = runnel_query_new(*session, args[0]);
	for (int i = 1; i < nargs && rc == SQLITE_OK; i++)
		rc = args[i] ? bind(*query, args[i], why) : SQLITE_OK;
	if (rc == SQLITE_OK && runnel_prepare(*query) != RUNNEL_OK)
		rc = failed(why, *query);
	if (rc == SQLITE_OK && !runnel_column_count(*query)) {
		sqlite3_free(*why);
		*why = sqlite3_mprintf(
			"the text has no query whose columns are known before it runs");
		rc = SQLITE_ERROR;
	}
	if (rc == SQLITE_OK)
		return rc;
	runnel_close(*session);
	*session = NULL;
	*query = NULL;
	return rc;
}

/* ---- tables ---- */

/* Unquote an argument of CREATE VIRTUAL TABLE, which comes as it was written: 'it''s', "x", or
 * bare. */
static char *unquoted(const char *s)
{
	size_t n = strlen(s);
	char quote = *s, *out = sqlite3_malloc64(n + 1), *to = out;

	if (!out)
		return NULL;
	if ((quote != '\'' && quote != '"') || n < 2 || s[n - 1] != quote)
		return memcpy(out, s, n + 1);
	for (const char *p = s + 1; p < s + n - 1; p++) {
		*to++ = *p;
		p += *p == quote && p[1] == quote;
	}
	*to = '\0';
	return out;
}

static int disconnect(sqlite3_vtab *base)
{
	struct table *t = (struct table *)base;

	for (int i = 0; i <= MAX_PARAMS; i++)
		sqlite3_free(t->args[i]);
	sqlite3_free(t->decl);
	release(t->module);
	sqlite3_free(t);
	return SQLITE_OK;
}

static int describe(struct table *t, char **why)
{
	struct runnel *r;
	struct runnel_query *q;
	int rc;

	if (!t->args[0]) { /* a function */
		t->decl = sqlite3_mprintf("%s", t->module->decl ? t->module->decl : "");
		t->exact = t->module->exact;
		return t->decl ? SQLITE_OK : SQLITE_NOMEM;
	}
	rc = open_query((const char *const *)t->args, 1 + MAX_PARAMS, &r, &q, why);
	if (rc != SQLITE_OK)
		return rc;
	t->decl = declaration(q);
	t->exact = 1;
	runnel_close(r);
	return t->decl ? SQLITE_OK : SQLITE_NOMEM;
}

/* argv: module, database, table, and the arguments of CREATE VIRTUAL TABLE. The function is a table
 * of the module's name without arguments. */
static int connect(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **out,
		   char **why)
{
	struct table *t = sqlite3_malloc64(sizeof(*t));
	int rc;

	if (!t)
		return SQLITE_NOMEM;
	memset(t, 0, sizeof(*t));
	t->db = db;
	t->module = aux;
	t->module->users++;
	rc = SQLITE_OK;
	if (argc == 3 && strcmp(argv[2], argv[0])) {
		*why = sqlite3_mprintf(
			"say which query: USING runnel('count of syscall by proc for 2s')");
		rc = SQLITE_ERROR;
	} else if (argc > 3 + 1 + MAX_PARAMS) {
		*why = sqlite3_mprintf("runnel takes a query and at most %d parameters",
				       MAX_PARAMS);
		rc = SQLITE_ERROR;
	}
	for (int i = 3; i < argc && rc == SQLITE_OK; i++) {
		t->args[i - 3] = unquoted(argv[i]);
		rc = t->args[i - 3] ? SQLITE_OK : SQLITE_NOMEM;
	}
	if (rc == SQLITE_OK)
		rc = describe(t, why);
	if (rc == SQLITE_OK)
		rc = declare(db, t->decl, !t->args[0], t->exact);
	if (rc != SQLITE_OK) {
		disconnect(&t->base);
		return rc;
	}
	t->ncols = count_columns(t->decl);
	*out = &t->base;
	return SQLITE_OK;
}

/* Pass each given argument to xFilter, in their order; idxNum is the set of given ones. */
static int best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
	struct table *t = (struct table *)base;
	int at[1 + MAX_PARAMS], n = 0;

	memset(at, -1, sizeof(at));
	for (int i = 0; i < info->nConstraint; i++) {
		int arg = info->aConstraint[i].iColumn - t->ncols;

		if (arg < 0 || arg > MAX_PARAMS ||
		    info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ)
			continue;
		if (!info->aConstraint[i].usable)
			/* in this order of tables its value is not known yet */
			return SQLITE_CONSTRAINT;
		at[arg] = i;
	}
	info->idxNum = 0;
	for (int arg = 0; arg <= MAX_PARAMS; arg++) {
		if (at[arg] < 0)
			continue;
		info->aConstraintUsage[at[arg]].argvIndex = ++n;
		info->aConstraintUsage[at[arg]].omit = 1;
		info->idxNum |= 1 << arg;
	}
	info->estimatedCost = 1e6;
	return SQLITE_OK;
}

/* ---- cursors ---- */

static int open_cursor(sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
	struct cursor *c = sqlite3_malloc64(sizeof(*c));

	(void)base;
	if (!c)
		return SQLITE_NOMEM;
	memset(c, 0, sizeof(*c));
	*out = &c->base;
	return SQLITE_OK;
}

static void end_query(struct cursor *c)
{
	((struct table *)c->base.pVtab)->filtered -= c->running;
	runnel_close(c->session);
	c->session = NULL;
	c->query = NULL;
	c->running = 0;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
	struct cursor *c = (struct cursor *)base;
	struct table *t = (struct table *)base->pVtab;
	int last = c->ran && !t->args[0] && t->module->exact;

	end_query(c);
	sqlite3_free(c);
	if (last && !t->filtered) { /* the next statement may be about another query */
		t->module->exact = 0;
		register_function(t->db, t->module);
	}
	return SQLITE_OK;
}

/* Was sqlite3_interrupt called? Any statement tells. */
static int interrupted(sqlite3 *db)
{
	return sqlite3_exec(db, "SELECT 1", NULL, NULL, NULL) == SQLITE_INTERRUPT;
}

static int next(sqlite3_vtab_cursor *base)
{
	struct cursor *c = (struct cursor *)base;
	struct table *t = (struct table *)base->pVtab;
	int status;

	while ((status = runnel_step(c->query, TURN_MS)) == RUNNEL_TIMEOUT) {
		if (interrupted(t->db))
			return SQLITE_INTERRUPT;
	}
	c->over = status != RUNNEL_ROW;
	c->row++;
	return status < 0 ? failed(&base->pVtab->zErrMsg, c->query) : SQLITE_OK;
}

static int refuse(struct table *t, const char *why)
{
	sqlite3_free(t->base.zErrMsg);
	t->base.zErrMsg = sqlite3_mprintf("%s", why);
	return SQLITE_ERROR;
}

/* SQLite knows other columns than this query's: prepare again, see above. */
static int start_again(struct table *t, char *decl)
{
	struct module *m = t->module;
	int rc;

	if (t->filtered) {
		sqlite3_free(decl);
		return refuse(t, "runnel(...) stands for two queries of different columns in one "
				 "statement; make a table of one: "
				 "CREATE VIRTUAL TABLE temp.x USING runnel('...')");
	}
	sqlite3_free(m->decl);
	m->decl = decl;
	m->exact = 1;
	rc = register_function(t->db, m);
	return rc == SQLITE_OK ? SQLITE_SCHEMA : rc;
}

/* of: a bit for each given argument. Returns an error text, or NULL if they can be used. */
static const char *arguments(const struct table *t, int of, int argc, sqlite3_value **argv,
			     const char **args)
{
	for (int i = 0, n = 0; i <= MAX_PARAMS; i++) {
		args[i] = t->args[i];
		if (!(of & 1 << i) || n == argc)
			continue;
		args[i] = (const char *)sqlite3_value_text(argv[n]);
		if (args[i] && strlen(args[i]) != (size_t)sqlite3_value_bytes(argv[n]))
			return "an argument has a NUL inside"; /* it would end there */
		n++;
	}
	return args[0] ? NULL : "say which query: runnel('count of syscall by proc for 2s')";
}

static int filter(sqlite3_vtab_cursor *base, int of, const char *name, int argc,
		  sqlite3_value **argv)
{
	struct cursor *c = (struct cursor *)base;
	struct table *t = (struct table *)base->pVtab;
	const char *args[1 + MAX_PARAMS];
	const char *why;
	int rc;
	char *decl;

	(void)name;
	end_query(c);
	c->row = 0;
	if (t->args[0] && of)
		return refuse(t, "the query of this table is given already");
	why = arguments(t, of, argc, argv, args);
	if (why)
		return refuse(t, why);
	rc = open_query(args, 1 + MAX_PARAMS, &c->session, &c->query, &t->base.zErrMsg);
	if (rc != SQLITE_OK)
		return rc;
	decl = declaration(c->query);
	if (!decl)
		return SQLITE_NOMEM;
	if (!t->exact || (!t->args[0] && strcmp(decl, t->decl))) {
		end_query(c);
		return start_again(t, decl);
	}
	sqlite3_free(decl);
	c->running = c->ran = 1;
	t->filtered++;
	return next(base);
}

static int at_end(sqlite3_vtab_cursor *base)
{
	return ((struct cursor *)base)->over;
}

static int value(sqlite3_vtab_cursor *base, sqlite3_context *to, int i)
{
	struct runnel_query *query = ((struct cursor *)base)->query;
	const struct table *t = (const struct table *)base->pVtab;
	const struct runnel_column *c = runnel_column(query, (unsigned)i);
	const char *absent = i > t->ncols + MAX_PARAMS
				     ? usual_name(t->decl, i - t->ncols - MAX_PARAMS - 1)
				     : NULL;
	size_t n;
	const char *as;

	if (absent) {
		char *why = sqlite3_mprintf("no such column: %s", absent);

		sqlite3_result_error(to, why ? why : absent, -1);
		sqlite3_free(why);
		return SQLITE_OK;
	}
	if (!c && (unsigned)i == runnel_column_count(query) && says_partial(query)) {
		int64_t from, until;

		if (runnel_partial(query, &from, &until)) {
			char *text =
				sqlite3_mprintf("%lld/%lld", (long long)from, (long long)until);

			sqlite3_result_text(to, text, -1, sqlite3_free);
		}
		return SQLITE_OK;
	}
	if (!c || runnel_is_null(query, (unsigned)i))
		return SQLITE_OK; /* NULL, as are hidden columns */
	as = affinity(c);
	if (*as == 'I') {
		sqlite3_result_int64(to, runnel_get_int64(query, (unsigned)i));
	} else if (*as == 'R') {
		sqlite3_result_double(to, runnel_get_double(query, (unsigned)i));
	} else {
		const char *s = runnel_get_text(query, (unsigned)i, &n);

		if (*as == 'B')
			sqlite3_result_blob64(to, s, n, SQLITE_TRANSIENT);
		else
			sqlite3_result_text64(to, s, n, SQLITE_TRANSIENT, SQLITE_UTF8);
	}
	return SQLITE_OK;
}

static int rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
	*out = ((struct cursor *)base)->row;
	return SQLITE_OK;
}

/* ---- the module ---- */

static const sqlite3_module methods = {
	.iVersion = 1,
	.xCreate = connect,
	.xConnect = connect,
	.xBestIndex = best_index,
	.xDisconnect = disconnect,
	.xDestroy = disconnect,
	.xOpen = open_cursor,
	.xClose = close_cursor,
	.xFilter = filter,
	.xNext = next,
	.xEof = at_end,
	.xColumn = value,
	.xRowid = rowid,
};

static int register_function(sqlite3 *db, struct module *m)
{
	m->users++;
	return sqlite3_create_module_v2(db, "runnel", &methods, m, release);
}

__attribute__((visibility("default"))) int sqlite3_runnelsqlite_init(
	sqlite3 *db, char **why, const sqlite3_api_routines *api);
int sqlite3_runnelsqlite_init(sqlite3 *db, char **why, const sqlite3_api_routines *api)
{
	struct module *m;

	SQLITE_EXTENSION_INIT2(api);
	(void)why;
	m = sqlite3_malloc64(sizeof(*m));
	if (!m)
		return SQLITE_NOMEM;
	memset(m, 0, sizeof(*m));
	return register_function(db, m);
}
