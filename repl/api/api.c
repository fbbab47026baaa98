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

struct api_was rn_api_enter(struct runnel *r)
{
	rn_spare_fill(&r->spare, SPARE_BYTES);
	return (struct api_was){r->plain ? uselocale(r->plain) : (locale_t)0,
				rn_spare_use(&r->spare)};
}

struct api_was rn_api_enter_thread(struct runnel_query *q)
{
	return (struct api_was){q->r->plain ? uselocale(q->r->plain) : (locale_t)0,
				rn_spare_use(&q->spare)};
}

void rn_api_leave(struct api_was was)
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

static void ask(struct api_end *e, bool cancel)
{
	if (cancel)
		__atomic_store_n(&e->cancelled, 1, __ATOMIC_RELAXED);
	/* the value changes with each request: a second one gives up nodes that do not end */
	__atomic_fetch_add(&e->stop, 1, __ATOMIC_RELAXED);
}

static void ask_all(struct runnel *r, bool cancel)
{
	for (struct api_end *e = __atomic_load_n(&r->ends, __ATOMIC_ACQUIRE); e; e = e->next)
		ask(e, cancel);
}

void runnel_stop(struct runnel *r)
{
	if (r)
		ask_all(r, false);
}

void runnel_cancel(struct runnel *r)
{
	if (r)
		ask_all(r, true);
}

void runnel_query_stop(struct runnel_query *q)
{
	if (q)
		ask(q->end, false);
}

void runnel_query_cancel(struct runnel_query *q)
{
	if (q)
		ask(q->end, true);
}

bool rn_api_cancelled(const struct runnel_query *q)
{
	return __atomic_load_n(&q->end->cancelled, __ATOMIC_RELAXED);
}

void rn_api_go_on(struct runnel_query *q)
{
	__atomic_store_n(&q->end->stop, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&q->end->cancelled, 0, __ATOMIC_RELAXED);
}

struct api_end *rn_api_end_take(struct runnel *r)
{
	struct api_end *e = r->ends;

	while (e && e->taken)
		e = e->next;
	if (!e) {
		e = rn_calloc(1, sizeof(*e));
		e->next = r->ends;
		__atomic_store_n(&r->ends, e, __ATOMIC_RELEASE); /* complete before others see it */
	}
	e->taken = true;
	return e;
}

/* ---- engines ---- */

struct rn_engine *rn_api_engine_take(struct runnel *r)
{
	struct rn_err err;

	if (r->nidle)
		return r->idle[--r->nidle];
	return r->e ? rn_engine_open(
			      &(struct rn_engine_opts){.catalog = r->catalog, .beside = r->e}, &err)
		    : NULL;
}

void rn_api_engine_give(struct runnel *r, struct rn_engine *e)
{
	if (e != r->e && r->nidle > IDLE_ENGINES) {
		rn_engine_close(e);
		return;
	}
	r->idle[r->nidle++] = e; /* the session's own has room, too */
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
	struct runnel_options o = options_of(given);
	struct runnel *r = calloc(1, sizeof(*r));
	struct api_was was;

	if (!r)
		return NULL;
	r->plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	r->queue_bytes = o.queue_bytes ? o.queue_bytes : QUEUE_BYTES;
	was = rn_api_enter(r);
	if (r->plain && !rn_memory_short() && !check_options(&o, &r->err)) {
		r->npids = (unsigned)o.npids;
		r->pids = own(o.pids, o.npids * sizeof(*o.pids));
		r->e = rn_engine_open(
			&(struct rn_engine_opts){.hosts = o.hosts,
						 .catalog = o.catalog,
						 .program = o.program ? o.program : "runnel",
						 .lease_ns = o.lease_ms * 1000000,
						 .stop = &r->stop},
			&r->err);
		r->catalog = o.catalog ? own(o.catalog, strlen(o.catalog)) : NULL;
		if (r->e && rn_memory_short()) {
			rn_engine_close(r->e);
			r->e = NULL;
		}
		if (r->e)
			rn_api_engine_give(r, r->e);
	}
	if (!r->e && (!r->plain || rn_memory_short()))
		rn_err_set(&r->err, -ENOMEM, "out of memory");
	rn_api_leave(was);
	if (!r->e)
		r->error = r->err.code == -ENOMEM ? rn_api_memory_error
						  : (struct runnel_error){.severity = RUNNEL_ERROR,
									  .code = "E-SYSTEM",
									  .message = r->err.text,
									  .hint = r->err.hint,
									  .source = "",
									  .system = -r->err.code};
	return r;
}

const struct runnel_error *runnel_session_error(const struct runnel *r)
{
	return !r ? &rn_api_memory_error : r->error.message ? &r->error : NULL;
}

void runnel_close(struct runnel *r)
{
	struct api_was was;

	if (!r)
		return;
	while (r->queries)
		runnel_query_free(r->queries);
	was = rn_api_enter(r);
	while (r->nidle) {
		if (r->idle[--r->nidle] != r->e)
			rn_engine_close(r->idle[r->nidle]);
	}
	rn_engine_close(r->e); /* closed last: the others depend on it */
	for (struct api_end *e = r->ends, *next; e; e = next) {
		next = e->next;
		free(e);
	}
	rn_api_leave(was);
	if (r->plain)
		freelocale(r->plain);
	rn_spare_empty(&r->spare);
	free(r->catalog);
	free(r->pids);
	free(r);
}
