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

void rn_api_errors(struct runnel_query *q, struct rn_diag *d, const struct rn_err *system)
{
	struct rn_arena *a = q->kept;
	unsigned n = 0;
	struct runnel_error *e;
	const char *shown;

	for (const struct rn_diag_item *it = d ? rn_diag_first(d) : NULL; it; it = it->next)
		n++;
	if (d)
		rn_diag_rehint(d, "give it one behind the query",
			       "bind a value to it: runnel_bind_text and its kind; in SQLite an "
			       "argument behind the text, 'NAME=VALUE'");
	q->errors = RN_NEWN(a, struct runnel_error, n + 1);
	q->nerrors = 0;
	for (const struct rn_diag_item *it = d ? rn_diag_first(d) : NULL; it; it = it->next)
		insert(q->errors, q->nerrors++, error_of(a, d, it));
	q->error_text = n ? rn_diag_render(d, a, false) : "";
	if (!system || !system->code)
		return;
	e = &q->errors[q->nerrors++];
	*e = system_error(a, system);
	shown = q->places ? rn_diag_render_err(q->places, a, system, false) : NULL;
	if (shown) {
		e->source = rn_arena_strdup(a, rn_diag_name(q->places, system->span.src));
		e->start = system->span.start;
		e->end = system->span.end;
		rn_diag_where(q->places, system->span, &e->line, &e->column);
	}
	q->error_text = rn_arena_printf(a, "%s%s", q->error_text, shown ? shown : error_text(a, e));
}

/* A mistake of the caller; message is a literal. Uses no arena: the thread may have them. */
int rn_api_misuse(struct runnel_query *q, const char *message)
{
	q->misuse = (struct runnel_error){.severity = RUNNEL_ERROR,
					  .code = "E-API",
					  .message = message,
					  .hint = "",
					  .source = ""};
	snprintf(q->misuse_text, sizeof(q->misuse_text), "error: %s\n", message);
	q->errors = &q->misuse;
	q->nerrors = 1;
	q->error_text = q->misuse_text;
	return RUNNEL_E_MISUSE;
}

int rn_api_nomem(struct runnel_query *q)
{
	q->misuse = rn_api_memory_error;
	snprintf(q->misuse_text, sizeof(q->misuse_text), "error: %s\n  %s\n", q->misuse.message,
		 q->misuse.hint);
	q->errors = &q->misuse;
	q->nerrors = 1;
	q->error_text = q->misuse_text;
	return RUNNEL_E_NOMEM;
}

unsigned runnel_error_count(const struct runnel_query *q)
{
	return q ? q->nerrors : 1;
}

const struct runnel_error *runnel_error(const struct runnel_query *q, unsigned i)
{
	return !q ? i ? NULL : &rn_api_memory_error : i < q->nerrors ? &q->errors[i] : NULL;
}

const char *runnel_error_text(const struct runnel_query *q)
{
	return q ? q->error_text : "error: out of memory\n";
}

/* ---- a text ---- */

static void drop_query(struct runnel_query *q)
{
	for (struct api_binding *b = q->bindings, *next; b; b = next) {
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

struct runnel_query *runnel_query_new(struct runnel *r, const char *text)
{
	struct runnel_query *q = r ? calloc(1, sizeof(*q)) : NULL;
	pthread_condattr_t monotonic;
	struct api_was was;
	bool none;

	if (!q)
		return NULL;
	was = rn_api_enter(r);
	none = rn_memory_short(); /* not even the spare could be had */
	if (none) {
		rn_api_leave(was);
		free(q);
		return NULL;
	}
	q->r = r;
	q->bytes = strlen(text ? text : "");
	q->text = rn_strndup(text ? text : "", q->bytes > RN_MAX_TEXT ? 0 : q->bytes);
	q->end = rn_api_end_take(r);
	rn_api_go_on(q);
	q->kept = rn_arena_create(KEPT_CAP);
	q->scratch = rn_arena_create(SCRATCH_CAP);
	/* its first chunk stays, so small texts need no new memory */
	rn_arena_alloc(q->scratch, 1);
	q->error_text = q->explained = "";
	q->last = &q->first;
	pthread_mutex_init(&q->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&q->changed, &monotonic);
	pthread_condattr_destroy(&monotonic);
	none = rn_memory_short();
	rn_api_leave(was);
	if (none) {
		drop_query(q);
		return NULL;
	}
	q->next = r->queries;
	r->queries = q;
	return q;
}

/* Go back to the state before the first runnel_prepare, but keep the bindings. */
static void forget(struct runnel_query *q)
{
	rn_api_end(q);
	if (q->open)
		rn_script_close(&q->u);
	if (q->e)
		rn_api_engine_give(q->r, q->e);
	q->e = NULL;
	q->open = false;
	q->job = NULL;
	q->errors = NULL;
	q->cols = NULL;
	q->nerrors = q->ncols = 0;
	q->error_text = q->explained = "";
	q->state = API_NEW;
	rn_arena_reset(q->kept);
}

void runnel_query_free(struct runnel_query *q)
{
	struct api_was was;

	if (!q)
		return;
	was = rn_api_enter(q->r);
	forget(q);
	rn_api_leave(was);
	for (struct runnel_query **p = &q->r->queries; *p; p = &(*p)->next) {
		if (*p == q) {
			*p = q->next;
			break;
		}
	}
	drop_query(q);
}

/* ---- parameters ---- */

static bool is_name(const char *s)
{
	size_t n = s ? strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
		     : 0;

	return n && !s[n] && !isdigit((unsigned char)s[0]);
}

/* Keep `NAME=VALUE`, or with sep ":=" `NAME:=TEXT`. Without memory the earlier binding stays. */
static int keep(struct runnel_query *q, const char *name, const char *sep, const char *value,
		size_t n)
{
	struct api_was was = rn_api_enter(q->r);
	struct api_binding *b = q->bindings;
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
		b->next = q->bindings;
		q->bindings = b;
	}
	if (b->text && rn_memory_short()) {
		free(text);
	} else {
		free(b->text);
		b->text = text;
	}
	r = rn_memory_short() ? rn_api_nomem(q) : RUNNEL_OK;
	rn_api_leave(was);
	return r;
}

static int refuse_binding(struct runnel_query *q, const char *name)
{
	if (!q)
		return RUNNEL_E_NOMEM;
	if (q->state == API_RUNNING)
		return rn_api_misuse(q, "a parameter is given while the query runs");
	return is_name(name)
		       ? 0
		       : rn_api_misuse(
				 q,
				 "the name of a parameter is letters, digits and `_`, without `$`");
}

int runnel_bind_int64(struct runnel_query *q, const char *name, int64_t value)
{
	char number[32];
	int r = refuse_binding(q, name);
	int n = snprintf(number, sizeof(number), "%lld", (long long)value);

	return r ? r : keep(q, name, "=", number, (size_t)n);
}

int runnel_bind_double(struct runnel_query *q, const char *name, double value)
{
	char number[64];
	int r = refuse_binding(q, name);
	struct api_was was;
	size_t n;

	if (r || !isfinite(value))
		return r ? r : rn_api_misuse(q, "a parameter is not a finite number");
	was = rn_api_enter(q->r);
	rn_float_text(number, sizeof(number) - 2, value);
	rn_api_leave(was);
	n = strlen(number);
	if (!strpbrk(number, ".e"))
		n += (size_t)snprintf(number + n, 3, ".0"); /* a double stays a double */
	return keep(q, name, "=", number, n);
}

int runnel_bind_text(struct runnel_query *q, const char *name, const char *value, int64_t len)
{
	int r = refuse_binding(q, name);
	size_t n = len < 0 ? strlen(value ? value : "") : (size_t)len;

	if (!r && (n > RN_MAX_TEXT || (n && memchr(value, 0, n))))
		return rn_api_misuse(
			q, "the text of a parameter is longer than 1 MiB, or has a NUL inside");
	return r ? r : keep(q, name, ":=", value ? value : "", n);
}

int runnel_bind_value(struct runnel_query *q, const char *name, const char *value)
{
	int r = refuse_binding(q, name);
	size_t n = strlen(value ? value : "");

	if (!r && n > RN_MAX_TEXT)
		return rn_api_misuse(q, "the value of a parameter is longer than 1 MiB");
	return r ? r : keep(q, name, "=", value ? value : "", n);
}

static const char *const *params_of(struct runnel_query *q)
{
	unsigned n = 0;
	const char **v;

	for (const struct api_binding *b = q->bindings; b; b = b->next)
		n++;
	v = RN_NEWN(q->kept, const char *, n + 1);
	for (const struct api_binding *b = q->bindings; b; b = b->next)
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
static void check_statements(struct runnel_query *q)
{
	struct rn_script *u = &q->u;

	for (unsigned i = 0; i < u->njobs; i++) {
		const struct rn_ast_stmt *st = u->jobs[i].stmt;

		if (gives_rows(st) && i + 1 < u->njobs)
			rn_diag_hint(
				u->diag,
				rn_diag_add(u->diag, RN_ERROR, "E-API-ROWS", st->span,
					    "only the last statement of a text gives rows here"),
				"make a text of its own of it");
		else if (st->format_to)
			rn_diag_hint(u->diag,
				     rn_diag_add(u->diag, RN_ERROR, "E-API-ROWS", st->format_span,
						 "files of rows are written by the program"),
				     "leave `to` out: rows come by runnel_step");
		else if (st->kind == RN_STMT_EXPLAIN)
			rn_diag_hint(u->diag,
				     rn_diag_add(u->diag, RN_ERROR, "E-API-ROWS", st->span,
						 "`explain` is a statement of the program"),
				     "leave the word out, prepare the query, and call "
				     "runnel_explain_query");
		else if (st->kind == RN_STMT_TAGS && !strcmp(st->name, "list"))
			rn_diag_hint(u->diag,
				     rn_diag_add(u->diag, RN_ERROR, "E-API-ROWS", st->span,
						 "`tags list` is a statement of the program"),
				     "`tag *` in a query means all of them");
	}
}

/* Report a bound parameter that the text does not use: it is a slip. */
static void check_bindings(struct runnel_query *q)
{
	const char *near, *stray = rn_script_stray(&q->u, &near);
	int n;
	struct rn_diag_item *it;

	if (!stray)
		return;
	n = (int)strcspn(stray, ":=");
	it = rn_diag_add(q->u.diag, RN_ERROR, "E-NAME-PARAM", (struct rn_span){.src = q->u.src},
			 "`%.*s` is given, but the text has no parameter of that name", n, stray);
	if (near)
		rn_diag_hint(q->u.diag, it, "did you mean `%s`?", near);
}

static bool check(struct runnel_query *q, struct rn_err *err)
{
	if (!rn_script_parse(&q->u))
		return false;
	check_statements(q);
	check_bindings(q);
	if (rn_diag_errors(q->u.diag))
		return false;
	return rn_script_check(&q->u, err) && rn_script_check_nodes(&q->u) &&
	       rn_script_check_into(&q->u);
}

/* The error of a catalogue that cannot be read: it may be why names are unknown. */
static const struct rn_err *catalogue_problem(const struct runnel_query *q)
{
	const struct rn_err *views = rn_views_problem(q->e->views),
			    *tags = rn_tagstore_problem(q->e->tags);

	return views->code ? views : tags->code ? tags : NULL;
}

static int wrong(struct runnel_query *q, const struct rn_err *err)
{
	bool system = err->code || rn_script_system_refused(q->u.diag);

	if (err->code == -ENOMEM && !err->text[0])
		return q->state = API_WRONG, q->status = rn_api_nomem(q);
	rn_api_errors(q, q->u.diag, err->code ? err : catalogue_problem(q));
	q->state = API_WRONG;
	return q->status = err->code == -ENOMEM ? RUNNEL_E_NOMEM
			   : system             ? RUNNEL_E_SYSTEM
						: RUNNEL_E_QUERY;
}

/* Between rn_api_enter and leave. */
static int prepare(struct runnel_query *q)
{
	struct runnel *r = q->r;
	struct rn_err err = {0};
	struct rn_statement *last;

	if (rn_memory_short())
		return RUNNEL_E_NOMEM;
	q->e = rn_api_engine_take(r);
	if (!q->e) {
		rn_api_errors(q, NULL, &r->err);
		return r->err.code == -ENOMEM ? RUNNEL_E_NOMEM : RUNNEL_E_SYSTEM;
	}
	rn_script_open(&q->u, q->e, "query", q->text, strlen(q->text), params_of(q));
	q->u.names.scope = r->npids ? "`pids` of the session" : NULL;
	q->open = true;
	if (q->bytes > RN_MAX_TEXT) {
		rn_diag_add(q->u.diag, RN_ERROR, "E-LIMIT-TEXT", (struct rn_span){.src = q->u.src},
			    "a text of %zu bytes; the longest is %d", q->bytes, RN_MAX_TEXT);
		return wrong(q, &err);
	}
	if (!check(q, &err))
		return wrong(q, &err);
	last = q->u.njobs ? &q->u.jobs[q->u.njobs - 1] : NULL;
	rn_api_errors(q, q->u.diag, NULL); /* notes */
	q->job = last && last->stmt->kind == RN_STMT_QUERY ? last : NULL;
	rn_api_columns(q);
	return RUNNEL_OK;
}

int runnel_prepare(struct runnel_query *q)
{
	struct api_was was;

	if (!q)
		return RUNNEL_E_NOMEM;
	was = rn_api_enter(q->r);
	forget(q);
	rn_api_go_on(q);
	q->status = prepare(q);
	if (rn_memory_short()) { /* errors may come from a lack of memory: they do not count */
		forget(q);
		q->status = rn_api_nomem(q);
	}
	q->state = q->status == RUNNEL_OK ? API_READY : API_WRONG;
	rn_api_leave(was);
	return q->status;
}

const char *runnel_explain_query(struct runnel_query *q)
{
	if (!q)
		return "";
	if (!q->explained[0] && q->job && q->job->plan && q->state != API_RUNNING) {
		struct api_was was = rn_api_enter(q->r);

		q->explained =
			rn_arena_strdup(q->kept, rn_plan_explain(q->u.e, q->u.arena, q->job->plan));
		rn_api_leave(was);
	}
	return q->explained;
}
