/* prometheus.c - `runnel export VIEW --prometheus ADDRESS`: keeps a view running, and serves its
 * latest window (repl/prom/server.c) as text (repl/prom/exposition.c). It binds the address before
 * anything is attached. */
#include <errno.h>
#include <malloc.h>
#include "repl/engine/continuous.h"
#include "repl/prom/server.h"
#include "repl/prom/exposition.h"
#include "repl/cli/commands.h"
#include "repl/cli/query.h"
#include "repl/cli/session.h"
#include "lang/base/limits.h"

struct exported {
	struct rn_session *session;
	struct rn_prom *prom;
	struct rn_prom_server *server;
	bool told; /* the columns left out are on stderr */
};

static void on_plan(void *self, const struct rn_plan *p, int64_t every_ns)
{
	struct exported *x = self;

	rn_prom_plan(x->prom, p, every_ns);
}

static int on_window(void *self, const struct rn_window_end *w, char **told)
{
	struct exported *x = self;
	char *text = NULL;
	size_t len;
	int code;

	(void)told;
	if (w->partial) /* it would look as if less happened */
		return 0;
	code = rn_prom_window(x->prom, w, &text, &len);
	if (code)
		return code;
	rn_prom_server_put(x->server, text, len);
	if (!x->told && !x->session->opt->quiet && rn_prom_left_out(x->prom))
		rn_say("not served: %s, which are neither numbers nor keys\n",
		       rn_prom_left_out(x->prom));
	x->told = true;
	return 0;
}

static void tell_where(void *self)
{
	const struct exported *x = self;

	if (!x->session->opt->quiet)
		rn_say("serving http://%s/metrics\n", rn_prom_server_where(x->server));
}

int rn_cmd_prometheus(struct rn_session *session)
{
	struct exported x = {.session = session};
	struct rn_arena *arena = rn_arena_create(RN_ARENA_CAP);
	struct rn_err err = {0};
	int status;
	int code;

	/* texts of windows differ in size: large ones go back to the system and leave no gaps */
	mallopt(M_MMAP_THRESHOLD, 128 << 10);
	rn_views_begin(session->engine->views);
	x.prom = rn_prom_create(
		session->opt->subject,
		rn_continuous_doc(session->engine->views, session->opt->subject, arena));
	code = rn_prom_server_create(session->opt->prometheus, &x.server, &err);
	if (code) {
		rn_complain(session, &err);
		status = code == -EINVAL ? RN_EXIT_USAGE : RN_EXIT_SYSTEM;
	} else {
		struct rn_continuous k = {.self = &x,
					  .out = rn_prom_output(x.prom),
					  .plan = on_plan,
					  .window = on_window,
					  .begun = tell_where};

		status = rn_continuous_run(session, &k);
	}
	rn_prom_server_destroy(x.server);
	rn_prom_destroy(x.prom);
	rn_arena_destroy(arena);
	return status;
}
