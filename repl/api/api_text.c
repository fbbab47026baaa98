/* api_text.c - librunnel: texts, their parameters, and their errors. See runnel.h and api.h. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lang/base/memory.h"
#include "repl/api/api.h"
#include "repl/render/json.h"
#include "repl/engine/tag_store.h"
#include "repl/engine/record.h"
#include "lang/base/limits.h"

enum { KEPT_CAP = 16 << 20, SCRATCH_CAP = 16 << 20 };

/* ---- errors ---- */

static struct runnel_error system_error(struct rn_arena *a, const struct rn_err *err)
{
	const char *text = err->text[0] ? err->text : strerror(-err->code);

	return (struct runnel_error){.severity = RUNNEL_ERROR,
				     .code = "E-SYSTEM",
				     .message = rn_arena_strdup(a, text),
				     .hint = rn_arena_strdup(a, err->hint),
				     .source = "",
				     .system = -err->code};
}

static struct runnel_error error_of(struct rn_arena *a, const struct rn_diag *d,
				    const struct rn_diag_item *it)
{
	struct runnel_error e = {.severity = (int)it->severity,
				 .code = it->code,
				 .message = rn_arena_strdup(a, it->text),
				 .hint = rn_arena_strdup(a, it->hint ? it->hint : ""),
				 .start = it->span.start,
				 .end = it->span.end,
				 .also_start = it->also.start,
				 .also_end = it->also.end};

	e.source = rn_arena_strdup(a, rn_diag_name(d, it->span.src));
	rn_diag_where(d, it->span, &e.line, &e.column);
	return e;
}

static const char *error_text(struct rn_arena *a, const struct runnel_error *e)
{
	return rn_arena_printf(a, "error: %s\n%s%s%s", e->message, e->hint[0] ? "  " : "", e->hint,
			       e->hint[0] ? "\n" : "");
}

/* Insert an error in the order of the text, as they are printed. */
static void insert(struct runnel_error *v, unsigned n, struct runnel_error e)
{
	for (; n && !strcmp(v[n - 1].source, e.source) && v[n - 1].start > e.start; n--)
		v[n] = v[n - 1];
	v[n] = e;
}

void rn_api_errors(struct runnel_query *query, struct rn_diag *diag, const struct rn_err *system)
{
	struct rn_arena *arena = query->kept;
	unsigned n = 0;
	struct runnel_error *e;
	const char *shown;

	for (const struct rn_diag_item *it = diag ? rn_diag_first(diag) : NULL; it; it = it->next)
		n++;
	if (diag)
		rn_diag_rehint(diag, "give it one behind the query",
			       "bind a value to it: runnel_bind_text and its kind; in SQLite an "
			       "argument behind the text, 'NAME=VALUE'");
	query->errors = RN_NEWN(arena, struct runnel_error, n + 1);
	query->nerrors = 0;
	for (const struct rn_diag_item *it = diag ? rn_diag_first(diag) : NULL; it; it = it->next)
		insert(query->errors, query->nerrors++, error_of(arena, diag, it));
	query->error_text = n ? rn_diag_render(diag, arena, false) : "";
	if (!system || !system->code)
		return;
	e = &query->errors[query->nerrors++];
	*e = system_error(arena, system);
	shown = query->places ? rn_diag_render_err(query->places, arena, system, false) : NULL;
	if (shown) {
		e->source = rn_arena_strdup(arena, rn_diag_name(query->places, system->span.src));
		e->start = system->span.start;
		e->end = system->span.end;
		rn_diag_where(query->places, system->span, &e->line, &e->column);
	}
	query->error_text = rn_arena_printf(arena, "%s%s", query->error_text,
					    shown ? shown : error_text(arena, e));
}

/* A mistake of the caller; message is a literal. Uses no arena: the thread may have them. */
int rn_api_misuse(struct runnel_query *query, const char *message)
{
	query->misuse = (struct runnel_error){.severity = RUNNEL_ERROR,
					      .code = "E-API",
					      .message = message,
					      .hint = "",
					      .source = ""};
	snprintf(query->misuse_text, sizeof(query->misuse_text), "error: %s\n", message);
	query->errors = &query->misuse;
	query->nerrors = 1;
	query->error_text = query->misuse_text;
	return RUNNEL_E_MISUSE;
}

int rn_api_nomem(struct runnel_query *query)
{
	query->misuse = rn_api_memory_error;
	snprintf(query->misuse_text, sizeof(query->misuse_text), "error: %s\n  %s\n",
		 query->misuse.message, query->misuse.hint);
	query->errors = &query->misuse;
	query->nerrors = 1;
	query->error_text = query->misuse_text;
	return RUNNEL_E_NOMEM;
}

unsigned runnel_error_count(const struct runnel_query *query)
{
	return query ? query->nerrors : 1;
}

const struct runnel_error *runnel_error(const struct runnel_query *query, unsigned i)
{
	return !query               ? i ? NULL : &rn_api_memory_error
	       : i < query->nerrors ? &query->errors[i]
				    : NULL;
}

const char *runnel_error_text(const struct runnel_query *query)
{
	return query ? query->error_text : "error: out of memory\n";
}

/* ---- a text ---- */

static void drop_query(struct runnel_query *q)
{
	for (struct rn_api_binding *b = q->bindings, *next; b; b = next) {
		next = b->next;
		free(b->name);
		free(b->text);
		free(b);
	}
	rn_arena_destroy(q->kept);
	rn_arena_destroy(q->scratch);
	pthread_cond_destroy(&q->changed);
	pthread_mutex_destroy(&q->lock);
	q->end->taken = false;
	free(q->text);
	free(q);
}

struct runnel_query *runnel_query_new(struct runnel *session, const char *text)
{
	struct runnel_query *query = session ? calloc(1, sizeof(*query)) : NULL;
	pthread_condattr_t monotonic;
	struct rn_api_was was;
	bool none;

	if (!query)
		return NULL;
	was = rn_api_enter(session);
	none = rn_memory_short(); /* not even the spare could be had */
	if (none) {
		rn_api_leave(was);
		free(query);
		return NULL;
	}
	query->session = session;
	query->bytes = strlen(text ? text : "");
	query->text = rn_strndup(text ? text : "", query->bytes > RN_MAX_TEXT ? 0 : query->bytes);
	query->end = rn_api_end_take(session);
	rn_api_go_on(query);
	query->kept = rn_arena_create(KEPT_CAP);
	query->scratch = rn_arena_create(SCRATCH_CAP);
	/* its first chunk stays, so small texts need no new memory */
	rn_arena_alloc(query->scratch, 1);
	query->error_text = query->explained = "";
	query->last = &query->first;
	pthread_mutex_init(&query->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&query->changed, &monotonic);
	pthread_condattr_destroy(&monotonic);
	none = rn_memory_short();
	rn_api_leave(was);
	if (none) {
		drop_query(query);
		return NULL;
	}
	query->next = session->queries;
	session->queries = query;
	return query;
}

/* Go back to the state before the first runnel_prepare, but keep the bindings. */
static void forget(struct runnel_query *q)
{
	rn_api_end(q);
	if (q->open)
		rn_script_close(&q->script);
	if (q->engine)
		rn_api_engine_give(q->session, q->engine);
	q->engine = NULL;
	q->open = false;
	q->job = NULL;
	q->errors = NULL;
	q->cols = NULL;
	q->nerrors = q->ncols = 0;
	q->error_text = q->explained = "";
	q->state = RN_API_NEW;
	rn_arena_reset(q->kept);
}

void runnel_query_free(struct runnel_query *query)
{
	struct rn_api_was was;

	if (!query)
		return;
	was = rn_api_enter(query->session);
	forget(query);
	rn_api_leave(was);
	for (struct runnel_query **p = &query->session->queries; *p; p = &(*p)->next) {
		if (*p == query) {
			*p = query->next;
			break;
		}
	}
	drop_query(query);
}

/* ---- parameters ---- */

static bool is_name(const char *s)
{
	size_t n = s ? strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
		     : 0;

	return n && !s[n] && !isdigit((unsigned char)s[0]);
}

/* Keep `NAME=VALUE`, or with sep ":=" `NAME:=TEXT`. Without memory the earlier binding stays. */
static int keep(struct runnel_query *query, const char *name, const char *sep, const char *value,
		size_t n)
{
	struct rn_api_was was = rn_api_enter(query->session);
	struct rn_api_binding *b = query->bindings;
	size_t head = strlen(name), mid = strlen(sep);
	char *text = rn_malloc(head + mid + n + 1);
	int r;

	memcpy(text, name, head);
	memcpy(text + head, sep, mid);
	memcpy(text + head + mid, value, n);
	text[head + mid + n] = 0;
	while (b && strcmp(b->name, name))
		b = b->next;
	if (!b) {
		b = rn_calloc(1, sizeof(*b));
		b->name = rn_strdup(name);
		b->next = query->bindings;
		query->bindings = b;
	}
	if (b->text && rn_memory_short()) {
		free(text);
	} else {
		free(b->text);
		b->text = text;
	}
	r = rn_memory_short() ? rn_api_nomem(query) : RUNNEL_OK;
	rn_api_leave(was);
	return r;
}

static int refuse_binding(struct runnel_query *q, const char *name)
{
	if (!q)
		return RUNNEL_E_NOMEM;
	if (q->state == RN_API_RUNNING)
		return rn_api_misuse(q, "a parameter is given while the query runs");
	return is_name(name)
		       ? 0
		       : rn_api_misuse(
				 q,
				 "the name of a parameter is letters, digits and `_`, without `$`");
}

int runnel_bind_int64(struct runnel_query *query, const char *name, int64_t value)
{
	char number[32];
	int r = refuse_binding(query, name);
	int n = snprintf(number, sizeof(number), "%lld", (long long)value);

	return r ? r : keep(query, name, "=", number, (size_t)n);
}

int runnel_bind_double(struct runnel_query *query, const char *name, double value)
{
	char number[64];
	int r = refuse_binding(query, name);
	struct rn_api_was was;
	size_t n;

	if (r || !isfinite(value))
		return r ? r : rn_api_misuse(query, "a parameter is not a finite number");
	was = rn_api_enter(query->session);
	rn_float_text(number, sizeof(number) - 2, value);
	rn_api_leave(was);
	n = strlen(number);
	if (!strpbrk(number, ".e"))
		n += (size_t)snprintf(number + n, 3, ".0"); /* a double stays a double */
	return keep(query, name, "=", number, n);
}

int runnel_bind_text(struct runnel_query *query, const char *name, const char *value, int64_t len)
{
	int r = refuse_binding(query, name);
	size_t n = len < 0 ? strlen(value ? value : "") : (size_t)len;

	if (!r && (n > RN_MAX_TEXT || (n && memchr(value, 0, n))))
		return rn_api_misuse(
			query, "the text of a parameter is longer than 1 MiB, or has a NUL inside");
	return r ? r : keep(query, name, ":=", value ? value : "", n);
}

int runnel_bind_value(struct runnel_query *query, const char *name, const char *value)
{
	int r = refuse_binding(query, name);
	size_t n = strlen(value ? value : "");

	if (!r && n > RN_MAX_TEXT)
		return rn_api_misuse(query, "the value of a parameter is longer than 1 MiB");
	return r ? r : keep(query, name, "=", value ? value : "", n);
}

static const char *const *params_of(struct runnel_query *q)
{
	unsigned n = 0;
	const char **v;

	for (const struct rn_api_binding *b = q->bindings; b; b = b->next)
		n++;
	v = RN_NEWN(q->kept, const char *, n + 1);
	for (const struct rn_api_binding *b = q->bindings; b; b = b->next)
		v[--n] = rn_arena_strdup(q->kept, b->text);
	return v;
}

/* ---- checks ---- */

static bool gives_rows(const struct rn_ast_stmt *st)
{
	return st->kind == RN_STMT_QUERY && !(st->query && st->query->into);
}

/* Check more than the program does: only the last statement gives rows, and only the program may
 * print. */
static void check_statements(struct runnel_query *query)
{
	struct rn_script *script = &query->script;

	for (unsigned i = 0; i < script->njobs; i++) {
		const struct rn_ast_stmt *st = script->jobs[i].stmt;

		if (gives_rows(st) && i + 1 < script->njobs)
			rn_diag_hint(
				script->diag,
				rn_diag_add(script->diag, RN_ERROR, "E-API-ROWS", st->span,
					    "only the last statement of a text gives rows here"),
				"make a text of its own of it");
		else if (st->format_to)
			rn_diag_hint(script->diag,
				     rn_diag_add(script->diag, RN_ERROR, "E-API-ROWS",
						 st->format_span,
						 "files of rows are written by the program"),
				     "leave `to` out: rows come by runnel_step");
		else if (st->kind == RN_STMT_EXPLAIN)
			rn_diag_hint(script->diag,
				     rn_diag_add(script->diag, RN_ERROR, "E-API-ROWS", st->span,
						 "`explain` is a statement of the program"),
				     "leave the word out, prepare the query, and call "
				     "runnel_explain_query");
		else if (st->kind == RN_STMT_TAGS && !strcmp(st->name, "list"))
			rn_diag_hint(script->diag,
				     rn_diag_add(script->diag, RN_ERROR, "E-API-ROWS", st->span,
						 "`tags list` is a statement of the program"),
				     "`tag *` in a query means all of them");
	}
}

/* Report a bound parameter that the text does not use: it is a slip. */
static void check_bindings(struct runnel_query *q)
{
	const char *near, *stray = rn_script_stray(&q->script, &near);
	int n;
	struct rn_diag_item *it;

	if (!stray)
		return;
	n = (int)strcspn(stray, ":=");
	it = rn_diag_add(q->script.diag, RN_ERROR, "E-NAME-PARAM",
			 (struct rn_span){.src = q->script.src},
			 "`%.*s` is given, but the text has no parameter of that name", n, stray);
	if (near)
		rn_diag_hint(q->script.diag, it, "did you mean `%s`?", near);
}

static bool check(struct runnel_query *q, struct rn_err *err)
{
	if (!rn_script_parse(&q->script))
		return false;
	check_statements(q);
	check_bindings(q);
	if (rn_diag_errors(q->script.diag))
		return false;
	return rn_script_check(&q->script, err) && rn_script_check_nodes(&q->script) &&
	       rn_script_check_into(&q->script);
}

/* The error of a catalogue that cannot be read: it may be why names are unknown. */
static const struct rn_err *catalogue_problem(const struct runnel_query *q)
{
	const struct rn_err *views = rn_views_problem(q->engine->views),
			    *tags = rn_tagstore_problem(q->engine->tags);

	return views->code ? views : tags->code ? tags : NULL;
}

/* Add a note for each saved view of an older version. */
static void note_carried(struct runnel_query *q)
{
	const char *told = rn_views_carried(q->engine->views);

	for (size_t n; told && *told; told += n + (told[n] == '\n')) {
		n = strcspn(told, "\n");
		rn_diag_add(q->script.diag, RN_NOTE, "N-CATALOGUE",
			    (struct rn_span){.src = q->script.src}, "%.*s", (int)n, told);
	}
}

static int wrong(struct runnel_query *q, const struct rn_err *err)
{
	bool system = err->code || rn_script_system_refused(q->script.diag);

	if (err->code == -ENOMEM && !err->text[0])
		return q->state = RN_API_WRONG, q->status = rn_api_nomem(q);
	rn_api_errors(q, q->script.diag, err->code ? err : catalogue_problem(q));
	q->state = RN_API_WRONG;
	return q->status = err->code == -ENOMEM ? RUNNEL_E_NOMEM
			   : system             ? RUNNEL_E_SYSTEM
						: RUNNEL_E_QUERY;
}

/* Between rn_api_enter and leave. */
static int prepare(struct runnel_query *query)
{
	struct runnel *session = query->session;
	struct rn_err err = {0};
	struct rn_statement *last;
	bool right;

	if (rn_memory_short())
		return RUNNEL_E_NOMEM;
	query->engine = rn_api_engine_take(session);
	if (!query->engine) {
		rn_api_errors(query, NULL, &session->err);
		return session->err.code == -ENOMEM ? RUNNEL_E_NOMEM : RUNNEL_E_SYSTEM;
	}
	rn_script_open(&query->script, query->engine, "query", query->text, strlen(query->text),
		       params_of(query));
	query->script.names.scope = session->npids ? "`pids` of the session" : NULL;
	query->open = true;
	if (query->bytes > RN_MAX_TEXT) {
		rn_diag_add(query->script.diag, RN_ERROR, "E-LIMIT-TEXT",
			    (struct rn_span){.src = query->script.src},
			    "a text of %zu bytes; the longest is %d", query->bytes, RN_MAX_TEXT);
		return wrong(query, &err);
	}
	right = check(query, &err);
	note_carried(query);
	if (!right)
		return wrong(query, &err);
	last = query->script.njobs ? &query->script.jobs[query->script.njobs - 1] : NULL;
	rn_api_errors(query, query->script.diag, NULL); /* notes */
	query->job = last && last->stmt->kind == RN_STMT_QUERY ? last : NULL;
	rn_api_columns(query);
	return RUNNEL_OK;
}

int runnel_prepare(struct runnel_query *query)
{
	struct rn_api_was was;

	if (!query)
		return RUNNEL_E_NOMEM;
	was = rn_api_enter(query->session);
	forget(query);
	rn_api_go_on(query);
	query->status = prepare(query);
	if (rn_memory_short()) { /* errors may come from a lack of memory: they do not count */
		forget(query);
		query->status = rn_api_nomem(query);
	}
	query->state = query->status == RUNNEL_OK ? RN_API_READY : RN_API_WRONG;
	rn_api_leave(was);
	return query->status;
}

const char *runnel_explain_query(struct runnel_query *query)
{
	if (!query)
		return "";
	if (!query->explained[0] && query->job && query->job->plan &&
	    query->state != RN_API_RUNNING) {
		struct rn_api_was was = rn_api_enter(query->session);

		query->explained = rn_arena_strdup(
			query->kept, rn_plan_explain(query->script.engine, query->script.arena,
						     query->job->plan));
		rn_api_leave(was);
	}
	return query->explained;
}
