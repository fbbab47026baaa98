/* main.c - the life of the process: options, what a session needs, one action, one exit status. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "planner/agg.h"
#include "probes/probes.h"
#include "repl/nodes.h"
#include "repl/session.h"
#include "repl/signals.h"
#include "repl/tagset.h"

static int act(struct rn_session *s)
{
	const struct rn_options *o = s->opt;
	switch (o->action) {
	case RN_DO_QUERY: return rn_run_text(s, "query", o->subject, strlen(o->subject));
	case RN_DO_FILE: return rn_run_file(s, o->subject);
	case RN_DO_STDIN: return rn_run_file(s, NULL);
	case RN_DO_DOCTOR: return rn_doctor(s);
	case RN_DO_LIST: return rn_list(s, o->subject);
	case RN_DO_NODE: return RN_EXIT_USAGE;
	case RN_DO_DESCRIBE: return rn_describe(s, o->subject);
	}
	return RN_EXIT_USAGE;
}

/* A standard descriptor that the caller has closed would be given to the next file that is opened, and messages would be
 * written into a recording. Their places are taken; stdout in a way that makes rows fail, as they would have. */
static void take_closed_descriptors(void)
{
	static const int mode[] = {O_RDONLY, O_RDONLY, O_WRONLY};
	for (int fd = 0; fd < 3; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", mode[fd]) != fd)
			_exit(RN_EXIT_SYSTEM);
	}
}

int main(int argc, char **argv)
{
	struct rn_options opt;
	int status;
	take_closed_descriptors();
	if (!rn_options_parse(argc, argv, &opt, &status))
		return status;
	rn_signals_install();
	if (opt.action == RN_DO_NODE)
		return rn_node_main(argc - 1, argv + 1);
	struct rn_session s = {.opt = &opt, .to = stdout};
	struct rn_err err = {0};
	rn_terminal_query(&s.err_term, stderr);
	if (gethostname(s.node, sizeof s.node - 1) || !s.node[0])
		strcpy(s.node, "local");
	s.catalog = rn_probes_catalog(rn_agg_sigs);
	s.provider = rn_probes_provider(s.node);
	s.views = rn_views_create();
	s.tags = rn_tagstore_create();
	bool reachable = rn_nodes_open(&s, &err);
	bool subcommand = opt.action == RN_DO_DOCTOR || opt.action == RN_DO_LIST || opt.action == RN_DO_DESCRIBE;
	if (!reachable) {
		rn_complain(&s, &err);
		status = RN_EXIT_USAGE;
	} else if (subcommand && rn_session_output(&s, &err)) {
		rn_complain(&s, &err);
		status = RN_EXIT_SYSTEM;
	} else {
		status = act(&s);
	}
	if ((ferror(s.to) | fclose(s.to)) && status == RN_EXIT_OK) {
		fputs("runnel: the rows could not be written in full\n", stderr);
		status = RN_EXIT_SYSTEM;
	}
	rn_nodes_close(&s);
	rn_views_destroy(s.views);
	rn_tagstore_destroy(s.tags);
	rn_probes_provider_free(s.provider);
	rn_probes_catalog_free(s.catalog);
	return status;
}
