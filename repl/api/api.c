/* api.c - librunnel: sessions. See runnel.h and api.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "lang/base/memory.h"
#include "repl/api/api.h"

enum {
	QUEUE_BYTES = 4 << 20,
	QUEUE_MIN = 64 << 10,
	MAX_PIDS = 1024,
	IDLE_ENGINES = 4,
	SPARE_BYTES = 4 << 20
};

const char *runnel_version(void)
{
	return RN_VERSION;
}

const char *runnel_status_name(int status)
{
	switch (status) {
	case RUNNEL_OK: return "RUNNEL_OK";
	case RUNNEL_ROW: return "RUNNEL_ROW";
	case RUNNEL_DONE: return "RUNNEL_DONE";
	case RUNNEL_TIMEOUT: return "RUNNEL_TIMEOUT";
	case RUNNEL_INTERRUPTED: return "RUNNEL_INTERRUPTED";
	case RUNNEL_E_QUERY: return "RUNNEL_E_QUERY";
	case RUNNEL_E_NOMEM: return "RUNNEL_E_NOMEM";
	case RUNNEL_E_MISUSE: return "RUNNEL_E_MISUSE";
	case RUNNEL_E_SYSTEM: return "RUNNEL_E_SYSTEM";
	}
	return "unknown";
}

struct rn_api_was rn_api_enter(struct runnel *session)
{
	rn_spare_fill(&session->spare, SPARE_BYTES);
	return (struct rn_api_was){session->plain ? uselocale(session->plain) : (locale_t)0,
				   rn_spare_use(&session->spare)};
}

struct rn_api_was rn_api_enter_thread(struct runnel_query *query)
{
	return (struct rn_api_was){query->session->plain ? uselocale(query->session->plain)
							 : (locale_t)0,
				   rn_spare_use(&query->spare)};
}

void rn_api_leave(struct rn_api_was was)
{
	if (was.locale)
		uselocale(was.locale);
	rn_spare_use(was.spare);
}

const struct runnel_error rn_api_memory_error = {
	.severity = RUNNEL_ERROR,
	.code = "E-MEMORY",
	.message = "out of memory",
	.source = "",
	.system = ENOMEM,
	.hint = "ask for less: fewer groups, `limit`, a narrower `where`; or let the process have "
		"more (ulimit -v)",
};

/* ---- requests to end: from any thread, any signal handler ---- */

static void ask(struct rn_api_end *e, bool cancel)
{
	if (cancel)
		__atomic_store_n(&e->cancelled, 1, __ATOMIC_RELAXED);
	/* the value changes with each request: a second one gives up nodes that do not end */
	__atomic_fetch_add(&e->stop, 1, __ATOMIC_RELAXED);
}

static void ask_all(struct runnel *r, bool cancel)
{
	for (struct rn_api_end *e = __atomic_load_n(&r->ends, __ATOMIC_ACQUIRE); e; e = e->next)
		ask(e, cancel);
}

void runnel_stop(struct runnel *session)
{
	if (session)
		ask_all(session, false);
}

void runnel_cancel(struct runnel *session)
{
	if (session)
		ask_all(session, true);
}

void runnel_query_stop(struct runnel_query *query)
{
	if (query)
		ask(query->end, false);
}

void runnel_query_cancel(struct runnel_query *query)
{
	if (query)
		ask(query->end, true);
}

bool rn_api_cancelled(const struct runnel_query *query)
{
	return __atomic_load_n(&query->end->cancelled, __ATOMIC_RELAXED);
}

void rn_api_go_on(struct runnel_query *query)
{
	__atomic_store_n(&query->end->stop, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&query->end->cancelled, 0, __ATOMIC_RELAXED);
}

struct rn_api_end *rn_api_end_take(struct runnel *session)
{
	struct rn_api_end *e = session->ends;

	while (e && e->taken)
		e = e->next;
	if (!e) {
		e = rn_calloc(1, sizeof(*e));
		e->next = session->ends;
		__atomic_store_n(&session->ends, e,
				 __ATOMIC_RELEASE); /* complete before others see it */
	}
	e->taken = true;
	return e;
}

/* ---- engines ---- */

struct rn_engine *rn_api_engine_take(struct runnel *session)
{
	struct rn_err err;

	if (session->nidle)
		return session->idle[--session->nidle];
	return session->engine
		       ? rn_engine_open(&(struct rn_engine_opts){.catalog = session->catalog,
								 .beside = session->engine},
					&err)
		       : NULL;
}

void rn_api_engine_give(struct runnel *session, struct rn_engine *engine)
{
	if (engine != session->engine && session->nidle > IDLE_ENGINES) {
		rn_engine_close(engine);
		return;
	}
	session->idle[session->nidle++] = engine; /* the session's own has room, too */
}

/* ---- sessions ---- */

/* Copy the options; members that an older program does not know are zero. */
static struct runnel_options options_of(const struct runnel_options *o)
{
	struct runnel_options own = {0};

	if (o && o->size >= sizeof(o->size))
		memcpy(&own, o, o->size < sizeof(own) ? o->size : sizeof(own));
	return own;
}

static int check_options(const struct runnel_options *o, struct rn_err *err)
{
	if (o->npids > MAX_PIDS || (o->npids && !o->pids))
		return rn_err_set(err, -EINVAL, "pids: from 0 to %d process ids", MAX_PIDS);
	if (o->queue_bytes && o->queue_bytes < QUEUE_MIN)
		return rn_err_set(err, -EINVAL, "queue_bytes: at least %d, or 0", QUEUE_MIN);
	if (o->lease_ms && (o->lease_ms < 1000 || o->lease_ms > 3600000))
		return rn_err_set(err, -EINVAL, "lease_ms: from 1000 to 3600000, or 0");
	return 0;
}

static void *own(const void *p, size_t n)
{
	void *copy = rn_malloc(n + 1);

	*((char *)copy + n) = 0;
	return n ? memcpy(copy, p, n) : copy;
}

struct runnel *runnel_open(const struct runnel_options *given)
{
	struct runnel_options options = options_of(given);
	struct runnel *session = calloc(1, sizeof(*session));
	struct rn_api_was was;

	if (!session)
		return NULL;
	session->plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	session->queue_bytes = options.queue_bytes ? options.queue_bytes : QUEUE_BYTES;
	was = rn_api_enter(session);
	if (session->plain && !rn_memory_short() && !check_options(&options, &session->err)) {
		session->npids = (unsigned)options.npids;
		session->pids = own(options.pids, options.npids * sizeof(*options.pids));
		session->engine = rn_engine_open(
			&(struct rn_engine_opts){.hosts = options.hosts,
						 .catalog = options.catalog,
						 .program = options.program ? options.program
									    : "runnel",
						 .lease_ns = options.lease_ms * 1000000,
						 .stop = &session->stop},
			&session->err);
		session->catalog =
			options.catalog ? own(options.catalog, strlen(options.catalog)) : NULL;
		if (session->engine && rn_memory_short()) {
			rn_engine_close(session->engine);
			session->engine = NULL;
		}
		if (session->engine)
			rn_api_engine_give(session, session->engine);
	}
	if (!session->engine && (!session->plain || rn_memory_short()))
		rn_err_set(&session->err, -ENOMEM, "out of memory");
	rn_api_leave(was);
	if (!session->engine)
		session->error = session->err.code == -ENOMEM
					 ? rn_api_memory_error
					 : (struct runnel_error){.severity = RUNNEL_ERROR,
								 .code = "E-SYSTEM",
								 .message = session->err.text,
								 .hint = session->err.hint,
								 .source = "",
								 .system = -session->err.code};
	return session;
}

const struct runnel_error *runnel_session_error(const struct runnel *session)
{
	return !session ? &rn_api_memory_error : session->error.message ? &session->error : NULL;
}

void runnel_close(struct runnel *session)
{
	struct rn_api_was was;

	if (!session)
		return;
	while (session->queries)
		runnel_query_free(session->queries);
	was = rn_api_enter(session);
	while (session->nidle) {
		if (session->idle[--session->nidle] != session->engine)
			rn_engine_close(session->idle[session->nidle]);
	}
	rn_engine_close(session->engine); /* closed last: the others depend on it */
	for (struct rn_api_end *e = session->ends, *next; e; e = next) {
		next = e->next;
		free(e);
	}
	rn_api_leave(was);
	if (session->plain)
		freelocale(session->plain);
	rn_spare_empty(&session->spare);
	free(session->catalog);
	free(session->pids);
	free(session);
}
