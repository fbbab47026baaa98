/* shell_nodes.c - \n: the nodes of the hosts file, and what is known of each since the session began. */
#include <string.h>
#include "repl/shell.h"

static const char *kind_of(const struct rn_host_entry *e)
{
	return e->kind == RN_HOST_RELAY ? "relay" : e->kind == RN_HOST_NATS ? "nats" : e->local ? "local" : "command";
}

void rn_shell_nodes(struct rn_shell *sh)
{
	static const char *const labels[] = {"node", "group", "reached by", "what"};
	const struct rn_hosts *hosts = sh->s->e->hosts;
	if (!hosts) {
		fprintf(stderr, "this machine only: %s. `runnel -H FILE` asks the nodes of a hosts file\n", sh->s->e->node);
		return;
	}
	bool paged = rn_session_page(sh->s);
	struct rn_listing *l = rn_listing_begin(sh->s, labels, 4);
	for (unsigned i = 0; i < hosts->n; i++) {
		const struct rn_host_entry *e = &hosts->e[i];
		rn_listing_row(l, (const char *const[]){e->name, e->group, kind_of(e), e->local ? "this machine" : e->command});
	}
	rn_listing_end(l);
	if (paged)
		rn_session_unpage(sh->s);
}
