/* node.c - `runnel agent` and `runnel relay`: a node's side. They write messages to stderr; with
 * --stdio the coordinator reads the last line of that. */
#include <errno.h>
#include <getopt.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "exec/node/confine.h"
#include "exec/node/policy.h"
#include "exec/node/scope.h"
#include "exec/serve/serve.h"
#include "planner/plan/agg.h"
#include "probes/probes.h"
#include "repl/node/node.h"
#include "repl/terminal/signals.h"

struct node_options {
	bool relay, stdio, unconfined;
	const char *nats, *hosts, *name, *scope, *policy;
	int64_t lease_ns;
};

static const char node_help[] =
	"usage: runnel agent --stdio|--nats SERVERS [--node NAME] [--scope SCOPE] [--policy FILE] "
	"[--lease SECONDS]\n"
	"       runnel relay --stdio -H FILE [--lease SECONDS]\n"
	"       runnel relay --nats SERVERS [-H FILE] [--node NAME] [--lease SECONDS]\n"
	"\n"
	"An agent runs queries on this node for a coordinator; a relay puts them to the nodes of "
	"FILE, or of NATS, and merges what they\n"
	"answer. With --stdio nobody types this: `runnel -H FILE 'QUERY'` does, over ssh, ip netns "
	"exec, docker exec or kubectl exec.\n"
	"\n"
	"      --stdio          the coordinator is at stdin and stdout\n"
	"      --nats SERVERS   coordinators come through NATS; as behind `nats:` in a hosts file, "
	"for instance\n"
	"                       'tls://a:4222,tls://b:4222 ca=/etc/runnel/ca.pem "
	"nkey=/etc/runnel/seed'\n"
	"      --node NAME      how this node is called; otherwise as the coordinator calls it, or "
	"with --nats as the host is\n"
	"      --scope SCOPE    which part of this machine the node is: machine, netns, "
	"cgroup=PATH, "
	"pid=N, or several joined by commas;\n"
	"                       otherwise the network namespace, if the agent runs in another one "
	"than the machine\n"
	"      --policy FILE    what this node lets a query have; otherwise RUNNEL_POLICY, "
	"or " RN_POLICY_FILE "\n"
	"      --unconfined     keeps all rights it was started with: for finding out what a "
	"confined agent lacks\n"
	"  -H, --hosts FILE     the nodes below a relay; with --nats, without: those that "
	"coordinators divide among such relays\n"
	"      --lease SECONDS  a coordinator that is silent for so long is gone: its queries are "
	"ended (10)\n"
	"\n"
	"runnel-agent(8) has the rest.\n";

enum { OPT_STDIO = 256, OPT_NODE, OPT_LEASE, OPT_SCOPE, OPT_POLICY, OPT_UNCONFINED, OPT_NATS };
static const struct option node_long[] = {
	{"nats", required_argument, NULL, OPT_NATS},
	{"stdio", no_argument, NULL, OPT_STDIO},
	{"node", required_argument, NULL, OPT_NODE},
	{"hosts", required_argument, NULL, 'H'},
	{"lease", required_argument, NULL, OPT_LEASE},
	{"scope", required_argument, NULL, OPT_SCOPE},
	{"policy", required_argument, NULL, OPT_POLICY},
	{"unconfined", no_argument, NULL, OPT_UNCONFINED},
	{"help", no_argument, NULL, 'h'},
	{0},
};

static int usage(const char *text)
{
	rn_say("runnel: %s\n", text);
	return RN_EXIT_USAGE;
}

/* -1: go on */
static int parse(int argc, char **argv, struct node_options *o)
{
	int c;

	*o = (struct node_options){.relay = !strcmp(argv[0], "relay"), .lease_ns = RN_LEASE_NS};
	while ((c = getopt_long(argc, argv, "H:h", node_long, NULL)) != -1) {
		switch (c) {
		case OPT_STDIO: o->stdio = true; break;
		case OPT_NATS: o->nats = optarg; break;
		case OPT_NODE: o->name = optarg; break;
		case OPT_SCOPE: o->scope = optarg; break;
		case OPT_UNCONFINED: o->unconfined = true; break;
		case OPT_POLICY: o->policy = optarg; break;
		case OPT_LEASE:
			if (!rn_options_lease(optarg, &o->lease_ns))
				return usage("--lease takes seconds, from 1 to 3600");
			break;
		case 'H': o->hosts = optarg; break;
		case 'h': fputs(node_help, stdout); return rn_options_told();
		default: return usage("try `runnel agent --help`");
		}
	}
	if (optind < argc)
		return usage("an agent and a relay take options only; try `runnel agent --help`");
	if (o->stdio == !!o->nats)
		return usage(o->nats ? "--stdio or --nats: a coordinator is reached in one way"
				     : "how is the coordinator reached? --stdio, or --nats "
				       "SERVERS; try `runnel agent --help`");
	if (o->relay && !o->hosts && !o->nats)
		return usage("a relay needs the nodes below it: -H FILE");
	if (!o->relay && o->hosts)
		return usage("-H is for a relay: an agent has no nodes below it");
	if (o->stdio && isatty(STDIN_FILENO))
		return usage("--stdio is for a program at the other end; to ask, say: runnel -H "
			     "FILE 'QUERY'");
	return -1;
}

/* ---- what an agent is built on ---- */

/* Does the policy limit the CPU time of a query? An error in it goes to the client. */
static bool limits_cpu(struct rn_policy *p)
{
	struct rn_err err = {0};

	return !rn_policy_load(p, &err) && p->limit[RN_MAX_CPU].line;
}

/* The kernel measures a chain of programs as one. So if each query's time counts, queries share
 * nothing. */
static int open_probes(void *self, const char *node, const struct rn_job_from *from,
		       struct rn_catalog **c, struct rn_provider **p, struct rn_err *err)
{
	struct rn_policy policy;

	(void)from;
	(void)err;
	*c = rn_probes_catalog(rn_agg_sigs);
	*p = rn_probes_provider(node, limits_cpu(&policy) ? NULL : self);
	return 0;
}

/* May this asker run queries? Reads the current policy. */
static int ask(void *self, const char *asker, struct rn_err *err)
{
	struct rn_policy policy;
	int r = rn_policy_load(&policy, err);

	(void)self;
	return r ? r : rn_policy_ask(&policy, asker, err);
}

/* May one more query run beside the running ones? Reads the current policy. */
static int room(void *self, unsigned running, struct rn_err *err)
{
	struct rn_policy policy;
	int r = rn_policy_load(&policy, err);

	(void)self;
	return r ? r : rn_policy_room(&policy, running, err);
}

static void close_probes(void *self, struct rn_catalog *c, struct rn_provider *p)
{
	(void)self;
	if (p)
		rn_probes_provider_free(p);
	if (c)
		rn_probes_catalog_free(c);
}

/* Make the kernel measure programs if the policy limits CPU time. The descriptor stays open until
 * the process ends. */
static void measure(void)
{
	struct rn_policy p;
	struct rn_err err = {0};

	if (!limits_cpu(&p))
		return;
	if (rn_probes_measure(&err) < 0)
		rn_say("runnel: `max_cpu` of %s counts the agent's own time alone: %s; %s\n",
		       p.path, err.text, err.hint);
}

/* Do everything that needs rights which the agent does not keep, then give them up. */
static int confine(const struct node_options *n, struct rn_err *err)
{
	if (n->relay || n->unconfined)
		return 0;
	measure();
	rn_probes_hold();
	return rn_confine(err);
}

/* The scope without --scope: the network namespace, if the agent was started in one of its own. */
static const char *default_scope(void)
{
	return rn_scope_own_netns() ? "netns" : "machine";
}

static int fail(const struct rn_err *err)
{
	/* one line */
	rn_say("runnel: %.*s%s%s\n", (int)strcspn(err->text, "\n"), err->text,
	       err->hint[0] ? "; " : "", err->hint);
	return RN_EXIT_SYSTEM;
}

/* Serve coordinators through NATS until a signal comes. */
static int serve_nats(const struct node_options *n, struct rn_serve_opts *opts,
		      struct rn_arena *arena)
{
	struct rn_node_nats nats = {.spec = n->nats,
				    .name = n->name,
				    .kind = !n->relay  ? RN_NATS_AGENT
					    : n->hosts ? RN_NATS_RACK
						       : RN_NATS_RELAY};
	struct rn_err err = {0};

	/* in this order: each thread has its own rights, and NATS starts threads */
	if (confine(n, &err) || rn_node_nats_open(&nats, arena, &err))
		return fail(&err);
	opts->node = nats.name;
	opts->quit = false;
	opts->accept = rn_node_nats_accept;
	opts->polls = rn_node_nats_polls;
	opts->accept_self = &nats;
	rn_serve(opts, NULL, &err);
	rn_nats_close(nats.nats);
	return RN_EXIT_OK;
}

static int serve(const struct node_options *n, struct rn_arena *arena)
{
	struct rn_err err = {0};
	struct rn_scope scope = {0};
	struct rn_host host = {.scope = &scope, .open = open_probes, .close = close_probes};
	struct rn_relay_host relay = {.fleet = {.program = "runnel " RN_VERSION,
						.place = rn_place_here(arena),
						.lease_ns = n->lease_ns,
						.late_ns = RN_LATE_RELAY_NS}};
	struct rn_serve_opts opts = {.program = "runnel " RN_VERSION,
				     .kind = n->relay ? "relay" : "agent",
				     .node = n->name,
				     .place = rn_place_here(arena),
				     .lease_ns = n->lease_ns,
				     .stop = rn_signals_stop(),
				     .quit = true};
	const char *program, *agent;
	int out;
	const char *text;
	int r;

	opts.ask = n->relay ? NULL : ask;
	opts.room = n->relay ? NULL : room;
	host.self = n->relay ? NULL : rn_shared_create();
	opts.body = n->relay ? rn_job_relay : rn_job_agent;
	opts.body_self = n->relay ? (void *)&relay : (void *)&host;
	relay.nats = n->nats;
	if (n->hosts) {
		rn_engine_programs(arena, &program, &agent);
		relay.fleet.hosts = rn_hosts_load(arena, n->hosts, program, agent, &err);
		if (!relay.fleet.hosts)
			return fail(&err);
		opts.nodes = relay.fleet.hosts->n;
	}
	text = n->scope ? n->scope : default_scope();
	if (strcmp(text, "machine") && rn_scope_parse(text, &scope, &err))
		return fail(&err);
	host.place = rn_arena_printf(
		arena, "%s %s", opts.place,
		strcmp(text, "netns") ? text
				      : rn_arena_printf(arena, "netns:%llu",
							(unsigned long long)scope.netns_ino));
	if (n->nats)
		return serve_nats(n, &opts, arena);
	if (confine(n, &err))
		return fail(&err);
	out = dup(STDOUT_FILENO); /* stray output must not mix with the frames */
	if (out < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return RN_EXIT_SYSTEM;
	r = rn_serve(&opts, rn_stream_transport(STDIN_FILENO, out, 0), &err);
	return r == 0 || r == -EPIPE ? RN_EXIT_OK : fail(&err);
}

int rn_node_main(int argc, char **argv)
{
	struct node_options n;
	int status = parse(argc, argv, &n);
	struct rn_arena *a;

	if (status >= 0)
		return status;
	(void)signal(SIGPIPE, SIG_IGN);
	/* each query has a thread; with few arenas the next one reuses freed memory */
	mallopt(M_ARENA_MAX, 2);
	if (n.policy)
		setenv("RUNNEL_POLICY", n.policy, 1);
	a = rn_arena_create(64 << 20);
	status = serve(&n, a);
	fflush(NULL);
	_exit(status); /* running queries end with the process, whatever they do */
}
