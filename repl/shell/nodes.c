/* nodes.c - \n: shows the nodes of the hosts file, and which of them answer. It reaches them as a
 * query would. */
#include <string.h>
#include "repl/shell/shell_impl.h"
#include "repl/terminal/signals.h"
#include "repl/cli/listing.h"
#include "repl/out/progress.h"

static const char *kind_of(const struct rn_host_entry *e)
{
	return e->kind == RN_HOST_RELAY  ? "relay"
	       : e->kind == RN_HOST_NATS ? "nats"
	       : e->local                ? "local"
					 : "command";
}

static void put(void *self, const struct rn_host_entry *e, bool reached, const char *why)
{
	rn_listing_row(self,
		       (const char *const[]){e->name, e->group,
					     reached ? "answers"
					     : *why  ? why
						     : "does not answer",
					     kind_of(e), e->local ? "this machine" : e->command});
}

static void waiting(void *self, const struct rn_fleet_status *s)
{
	rn_progress_show(self, s);
}

void rn_shell_nodes(struct rn_shell *sh)
{
	static const struct rn_heading headings[] = {
		{"node", RN_SHOW_NODE}, {"group", 0}, {"state", 0}, {"reached by", 0}, {"what", 0}};
	const struct rn_engine *engine = sh->session->engine;
	struct rn_progress progress = {.waits = true};
	bool paged;
	struct rn_listing *listing;

	if (!engine->hosts) {
		rn_say("this machine only: %s. `runnel -H FILE` asks the nodes of a hosts file\n",
		       engine->node);
		return;
	}
	rn_signals_begin();
	rn_shell_silent(sh);
	rn_progress_begin(&progress, &sh->session->err_term);
	if (sh->session->err_term.inplace)
		rn_fleet_on_wait(engine->fleet, waiting, &progress);
	rn_fleet_read_clocks(engine->fleet, NULL);
	rn_fleet_on_wait(engine->fleet, NULL, NULL);
	rn_progress_erase(&progress);
	rn_shell_loud(sh);
	paged = rn_session_page(sh->session);
	listing = rn_listing_begin(sh->session, headings, 5);
	rn_fleet_members(engine->fleet, put, listing);
	rn_listing_end(listing);
	if (paged)
		rn_session_unpage(sh->session);
	fflush(sh->session->to);
}
