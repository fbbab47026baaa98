/* main_bench_nodes.c - how long a cluster takes from the end of a window to the answer: `make
 * bench-nodes` runs this and prints a table.
 *
 *     bench_nodes [WINDOWS [LARGEST [PART]]]    of each shape up to so many nodes; PART: only
 *                                               shapes with it in their name. Figures are medians
 *                                               over the windows (at most 3 of 5 s), after one that
 *                                               is not counted
 *     bench_nodes check                         small shapes; is the answer exact? Lines `ok NAME`,
 *                                               `not ok NAME`
 *
 * A shape is a coordinator (its own process: fleet, merging, SQLite and printing are the real ones)
 * over simulated nodes (tests/support/sim_nodes.h, one process for all of them). Between the two
 * there may be relays: real ones, each a process that the coordinator starts by a command, or
 * simulated ones, which send what a relay of so many nodes sends and cost nothing here. The
 * processes are this program again:
 *
 *     bench_nodes nodes SOCKET NODES BELOW                    bench_nodes relay SOCKET FIRST NODES
 *     bench_nodes coordinator SOCKET KIND LINKS NODES WINDOWS MS-OF-A-WINDOW
 *
 * Through NATS it is a URL instead of a socket, with a real nats-server, and `bench_nodes relay URL
 * NAME`. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "exec/fleet/fleet.h"
#include "exec/nats/nats.h"
#include "exec/serve/serve.h"
#include "probes/probes.h"
#include "repl/out/output.h"
#include "tests/bench/bench.h"
#include "tests/support/nats_server.h"
#include "tests/support/sim_nodes.h"
#include "lang/resolve/resolve.h"
#include "lang/syntax/parse.h"
#include "lang/base/limits.h"
#include "lang/base/clock.h"

enum { KEYS = 1000, MAX_WINDOWS = 100, LINE = 400 };
/* What comes late is waited for: a figure over part of the nodes would be none, on however slow a
 * machine. */
#define LATE_NS (60 * 1000000000LL)
#define LEASE_NS (60 * 1000000000LL)

static volatile int stop;
static char self[4096];

static void on_signal(int sig)
{
	(void)sig;
	stop = 1;
}

static double cpu_ms(int who)
{
	struct rusage u;

	getrusage(who, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e3 +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e3;
}

static double most_mib(int who)
{
	struct rusage u;

	getrusage(who, &u);
	return (double)u.ru_maxrss / 1024;
}

static int fail(const struct rn_err *err)
{
	printf("failed %s\n", err->text);
	fflush(stdout);
	return 1;
}

static struct rn_hosts *make_hosts(struct rn_arena *a, unsigned first, unsigned n, char letter,
				   enum rn_host_kind kind)
{
	struct rn_hosts *h = RN_NEW(a, struct rn_hosts);

	h->path = "simulated";
	h->n = n;
	h->entries = RN_NEWN(a, struct rn_host_entry, n + 1);
	for (unsigned i = 0; i < n; i++)
		h->entries[i] = (struct rn_host_entry){
			.name = rn_arena_printf(a, "%c%u", letter, first + i),
			.kind = kind,
			.command = ""};
	return h;
}

/* ---- the simulated nodes, and a relay ---- */

static int be_nodes(char **arg)
{
	struct sim_opts o = {.path = arg[0],
			     .nodes = (unsigned)atoi(arg[1]),
			     .below = (unsigned)atoi(arg[2]),
			     .keys = KEYS,
			     .stop = &stop,
			     .report = stdout};
	int r = sim_run(&o);

	if (r < 0)
		printf("failed nodes: %s\n", strerror(-r));
	return r < 0;
}

static int be_relay(char **arg)
{
	struct rn_arena *a = rn_arena_create(64 << 20);
	unsigned n = (unsigned)atoi(arg[2]);
	struct rn_relay_host host = {
		.fleet = {.hosts = make_hosts(a, (unsigned)atoi(arg[1]), n, 'n', RN_HOST_EXEC),
			  .program = "runnel",
			  .place = rn_place_here(a),
			  .lease_ns = LEASE_NS,
			  .late_ns = LATE_NS,
			  .dial = sim_dial,
			  .dial_self = arg[0]}};
	struct rn_serve_opts o = {.program = "runnel",
				  .kind = "relay",
				  .place = host.fleet.place,
				  .lease_ns = LEASE_NS,
				  .body = rn_job_relay,
				  .body_self = &host,
				  .stop = &stop,
				  .nodes = n};
	struct rn_err err = {0};
	int r = rn_serve(&o, rn_stream_transport(0, 1, 0), &err);

	if (r && r != -EPIPE)
		fprintf(stderr, "%s\n", err.text);
	rn_arena_destroy(a);
	return r && r != -EPIPE;
}

static struct rn_transport *next_session(void *n)
{
	return rn_nats_accept(n);
}

static unsigned net_polls(void *n, int fd[2], short events[2])
{
	return rn_nats_polls(n, fd, events);
}

static int be_nats_relay(char **arg)
{
	struct rn_arena *a = rn_arena_create(64 << 20);
	struct rn_relay_host host = {.nats = arg[0],
				     .fleet = {.program = "runnel",
					       .place = rn_place_here(a),
					       .lease_ns = LEASE_NS,
					       .late_ns = LATE_NS}};
	struct rn_serve_opts o = {.program = "runnel",
				  .kind = "relay",
				  .node = arg[1],
				  .place = host.fleet.place,
				  .lease_ns = LEASE_NS,
				  .body = rn_job_relay,
				  .body_self = &host,
				  .stop = &stop,
				  .accept = next_session,
				  .polls = net_polls};
	struct rn_err err = {0};
	struct rn_nats *n;
	int r = rn_nats_open(arg[0], &n, &err);

	if (r || (r = rn_nats_listen(n, RN_NATS_RELAY, arg[1], "0", &err)))
		return fail(&err);
	printf("listening\n");
	fflush(stdout);
	o.accept_self = n;
	rn_serve(&o, NULL, &err);
	rn_nats_close(n);
	rn_arena_destroy(a);
	return 0;
}

/* ---- the coordinator ---- */

struct asked { /* rows go through a printer into /dev/null; each window says what it took */
	struct rn_printer *printer;
	unsigned count; /* the column with the number of events */
	/* of the window that is being printed; rows 0: none is */
	int64_t window_ns, every_ns, rows, events;
	unsigned windows, wanted;
	double cpu;
};

static int began(void *of, const struct rn_answer_shape *r)
{
	struct asked *x = of;

	for (unsigned i = 0; i < r->ncols; i++)
		if (!strcmp(r->cols[i].label, "count"))
			x->count = i;
	return x->printer->out.begin(x->printer, r);
}

static void tell_window(struct asked *x)
{
	int64_t now = rn_clock_ns(CLOCK_REALTIME);
	double cpu = cpu_ms(RUSAGE_SELF);

	printf("window %lld %.1f %.1f %lld %lld\n", (long long)x->window_ns,
	       (double)(now - x->window_ns - x->every_ns) / 1e6, cpu - x->cpu, (long long)x->rows,
	       (long long)x->events);
	fflush(stdout);
	x->cpu = cpu;
	x->windows++;
	x->rows = x->events = 0;
}

static int row(void *of, const struct rn_value *v)
{
	struct asked *x = of;

	if (x->rows && v[0].i != x->window_ns) /* two in one turn */
		tell_window(x);
	x->window_ns = v[0].i;
	x->rows++;
	x->events += v[x->count].i;
	return x->printer->out.row(x->printer, v);
}

static int ended(void *of)
{
	struct asked *x = of;

	return x->printer->out.end(x->printer);
}

/* Between the coordinator's turns: what it printed in the last one was a window. */
static int done(void *of)
{
	struct asked *x = of;

	rn_printer_tick(x->printer);
	if (x->rows)
		tell_window(x);
	return stop || x->windows >= x->wanted;
}

static struct rn_plan *plan(struct rn_arena *a, const struct rn_catalog *c, const char *query)
{
	struct rn_diag *d = rn_diag_new(a);
	struct rn_ast_file *f = rn_parse(a, d, rn_diag_source(d, "query", query, strlen(query)));
	struct rn_names names = {.catalog = c};
	struct rn_plan_opts o = {0};

	if (rn_diag_errors(d) || !rn_resolve(a, d, f->stmts->query, &names))
		return NULL;
	return rn_plan_query(a, d, f->stmts->query, &names, &o);
}

/* KIND: direct, relays (real ones), simulated (relays), nats. */
static struct rn_hosts *whom(struct rn_arena *a, const char *socket, const char *kind,
			     unsigned links, unsigned nodes)
{
	bool relays;
	struct rn_hosts *h;

	if (!strcmp(kind, "nats")) {
		struct rn_hosts *all = make_hosts(a, 0, 1, '*', RN_HOST_NATS);

		all->entries[0].name = "*";
		all->entries[0].command = socket;
		return all;
	}
	relays = strcmp(kind, "direct");
	h = make_hosts(a, 0, links, relays ? 'r' : 'n', relays ? RN_HOST_RELAY : RN_HOST_EXEC);

	for (unsigned i = 0, first = 0; i < links && !strcmp(kind, "relays"); i++) {
		unsigned n = nodes / links + (i < nodes % links);

		h->entries[i].command =
			rn_arena_printf(a, "exec '%s' relay '%s' %u %u", self, socket, first, n);
		first += n;
	}
	return h;
}

static void tell_ledger(const struct rn_ledgers *l)
{
	struct rn_ledger sum = {0};
	unsigned answered = 0;

	for (unsigned i = 0; i < l->n; i++) {
		answered += l->nodes[i].answered;
		rn_ledger_add(&sum, &l->nodes[i]);
	}
	printf("ledger %u %u %lld\n", l->n, answered,
	       (long long)(sum.n[RN_L_LATE] + sum.n[RN_L_LOST_MAP] + sum.n[RN_L_SHED]));
}

static int be_coordinator(char **arg)
{
	const char *socket = arg[0], *kind = arg[1];
	unsigned links = (unsigned)atoi(arg[2]), nodes = (unsigned)atoi(arg[3]);
	struct rn_arena *a = rn_arena_create(RN_ARENA_CAP);
	struct rn_catalog *c = rn_probes_catalog(rn_agg_sigs);
	struct rn_plan *p = plan(
		a, c,
		rn_arena_printf(a, "count, sum(bytes), p99(latency) of read by file every %sms",
				arg[5]));
	struct rn_err err = {0};
	struct rn_fleet *fleet = rn_fleet_create(&(struct rn_fleet_opts){
		.hosts = whom(a, socket, kind, links, nodes),
		.program = "runnel",
		.asker = "bench",
		.place = rn_place_here(a),
		.lease_ns = LEASE_NS,
		.late_ns = LATE_NS,
		.stop = &stop,
		.dial = !strcmp(kind, "direct") || !strcmp(kind, "simulated") ? sim_dial : NULL,
		.dial_self = arg[0]});
	FILE *null = fopen("/dev/null", "w");
	struct asked x = {.printer = rn_printer_create(rn_format_find("csv"), null),
			  .wanted = (unsigned)atoi(arg[4]),
			  .every_ns = atoll(arg[5]) * 1000000};
	struct rn_scope scope = {0};
	struct rn_run_opts o = {.scope = &scope,
				.fleet = fleet,
				.catalog = c,
				.stop = &stop,
				.started_self = &x,
				.done = done};
	struct rn_output out = {.self = &x, .begin = began, .row = row, .end = ended};
	struct rn_ledgers l = {0};

	if (!p)
		return fail(&(struct rn_err){.text = "the query is wrong"});
	if (rn_coord_run(a, p, &o, &out, &l, &err) < 0)
		return fail(&err);
	tell_ledger(&l);
	rn_fleet_destroy(fleet); /* waits for the relays */
	printf("used %.1f %.1f %.1f\n", most_mib(RUSAGE_SELF), most_mib(RUSAGE_CHILDREN),
	       cpu_ms(RUSAGE_CHILDREN));
	fflush(stdout);
	rn_printer_destroy(x.printer);
	fclose(null);
	rn_probes_catalog_free(c);
	rn_arena_destroy(a);
	return 0;
}

/* ---- a shape ---- */

struct shape {
	const char *kind;
	unsigned links, nodes, every_ms;
};
struct figures {
	/* ms: answer, coordinator's CPU, all nodes had sent */
	double wait[MAX_WINDOWS], cpu[MAX_WINDOWS], sent[MAX_WINDOWS];
	unsigned windows, nsent, nodes, answered;
	double mib, relay_mib, relays_cpu;
	long long expected, bytes, missing, rows;
	bool exact;
	char failed[LINE];
};

static FILE *spawn(pid_t *pid, char *const argv[])
{
	int p[2];

	if (pipe(p))
		return NULL;
	*pid = fork();
	if (*pid == 0) {
		dup2(p[1], 1);
		close(p[0]);
		close(p[1]);
		execv(self, argv);
		_exit(127);
	}
	close(p[1]);
	return fdopen(p[0], "r");
}

static void hear_nodes(FILE *from, struct figures *f)
{
	char line[LINE];
	double ms;
	long long w;

	while (fgets(line, sizeof(line), from)) {
		if (sscanf(line, "expects %lld %lld", &f->expected, &f->bytes) == 2)
			continue;
		if (sscanf(line, "sent %lld %lf", &w, &ms) == 2 && f->nsent < MAX_WINDOWS)
			f->sent[f->nsent++] = ms;
		else if (strncmp(line, "sent", 4))
			snprintf(f->failed, sizeof(f->failed), "%s", line);
	}
}

static void hear_coordinator(FILE *from, struct figures *f, long long events[MAX_WINDOWS])
{
	char line[LINE];
	double ms, cpu;
	long long w, rows, n;

	while (fgets(line, sizeof(line), from)) {
		if (sscanf(line, "window %lld %lf %lf %lld %lld", &w, &ms, &cpu, &rows, &n) == 5 &&
		    f->windows < MAX_WINDOWS) {
			f->wait[f->windows] = ms;
			f->cpu[f->windows] = cpu;
			f->rows = rows;
			events[f->windows++] = n;
		} else if (sscanf(line, "ledger %u %u %lld", &f->nodes, &f->answered,
				  &f->missing) != 3 &&
			   sscanf(line, "used %lf %lf %lf", &f->mib, &f->relay_mib,
				  &f->relays_cpu) != 3)
			snprintf(f->failed, sizeof(f->failed), "%s", line);
	}
}

static char *number(char *buf, unsigned n)
{
	sprintf(buf, "%u", n);
	return buf;
}

enum { MAX_RELAYS = 200 };
struct relays {
	pid_t pid[MAX_RELAYS];
	FILE *out[MAX_RELAYS];
	unsigned n;
};

static bool start_relays(struct relays *r, unsigned n, char *url)
{
	char name[12], line[LINE] = "";

	for (r->n = 0; r->n < n && r->n < MAX_RELAYS; r->n++) {
		sprintf(name, "r%u", r->n);
		r->out[r->n] = spawn(&r->pid[r->n], (char *[]){self, "relay", url, name, NULL});
		if (!fgets(line, sizeof(line), r->out[r->n]) || strcmp(line, "listening\n")) {
			r->n++;
			return false;
		}
	}
	return true;
}

static void end_relays(struct relays *r, struct figures *f)
{
	struct rusage u;

	for (unsigned i = 0; i < r->n; i++) {
		kill(r->pid[i], SIGTERM);
		fclose(r->out[i]);
		wait4(r->pid[i], NULL, 0, &u);
		f->relays_cpu += (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e3 +
				 (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e3;
		f->relay_mib = (double)u.ru_maxrss / 1024 > f->relay_mib
				       ? (double)u.ru_maxrss / 1024
				       : f->relay_mib;
	}
}

static void run_shape(const struct shape *s, unsigned windows, struct figures *f)
{
	struct nats_server server = {0};
	struct relays relays = {0};
	bool nats = !strcmp(s->kind, "nats");
	char path[100], links[12], nodes[12], below[12], many[12], every[12], line[LINE];
	bool simulated = !strcmp(s->kind, "simulated");
	long long events[MAX_WINDOWS];
	pid_t sim, coord;
	FILE *a, *b;

	*f = (struct figures){0};
	snprintf(path, sizeof(path), "%s/bench_nodes.%d",
		 getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp", (int)getpid());
	if (nats) {
		nats_server_start(&server, "", 0);
		snprintf(path, sizeof(path), "%s", server.url);
	}
	a = spawn(&sim,
		  (char *[]){self, "nodes", path, number(links, simulated ? s->links : s->nodes),
			     number(below, simulated ? s->nodes / s->links : 0), NULL});
	if (a && fgets(line, sizeof(line), a) && !strcmp(line, "listening\n") &&
	    (!nats || start_relays(&relays, s->links, path))) {
		b = spawn(&coord,
			  (char *[]){self, "coordinator", path, (char *)(uintptr_t)s->kind,
				     number(links, s->links), number(nodes, s->nodes),
				     number(many, windows), number(every, s->every_ms), NULL});
		hear_coordinator(b, f, events);
		fclose(b);
		waitpid(coord, NULL, 0);
	} else {
		strcpy(f->failed, "the simulated nodes did not start\n");
	}
	kill(sim, SIGTERM);
	hear_nodes(a, f);
	fclose(a);
	waitpid(sim, NULL, 0);
	if (nats) {
		end_relays(&relays, f);
		nats_server_end(&server);
	} else {
		unlink(path);
	}
	f->exact = f->windows >= windows && f->nodes == s->nodes && f->answered == f->nodes &&
		   !f->missing && f->rows == KEYS;
	for (unsigned i = 0; i < f->windows; i++)
		f->exact &= events[i] == f->expected;
}

static void name_of(const struct shape *s, char name[LINE])
{
	if (!strcmp(s->kind, "direct"))
		snprintf(name, LINE, "%u nodes, direct", s->nodes);
	else if (!strcmp(s->kind, "nats") && !s->links)
		snprintf(name, LINE, "%u nodes, NATS", s->nodes);
	else if (!strcmp(s->kind, "nats"))
		snprintf(name, LINE, "%u nodes, NATS, %u relays", s->nodes, s->links);
	else
		snprintf(name, LINE, "%u nodes, %u %s", s->nodes, s->links,
			 !strcmp(s->kind, "relays") ? "relays" : "simulated relays");
}

static bool show(const struct shape *s, unsigned windows)
{
	static struct figures f;
	char name[LINE];
	double wait;
	unsigned n;

	name_of(s, name);
	run_shape(s, windows + 1, &f);
	if (!f.exact || f.windows < 2) {
		printf("| %s | failed: %s |\n", name,
		       f.failed[0] ? strtok(f.failed, "\n")
				   : "the answer is not that of all nodes");
		return false;
	}
	n = f.windows - 1; /* the first one makes memory and connections warm */
	wait = bench_median(f.wait + 1, n);
	printf("| %s | %.0f (%.0f to %.0f) | %.0f | %.0f | %.1f | ", name, wait, f.wait[1],
	       f.wait[n], bench_median(f.sent + 1, f.nsent > n ? n : f.nsent - 1),
	       bench_median(f.cpu + 1, n), f.mib);
	if (f.relay_mib > 0 && (!strcmp(s->kind, "relays") || s->links))
		printf("%.0f | %.1f | ", f.relays_cpu / f.windows / s->links, f.relay_mib);
	else
		printf("| | ");
	printf("%.1f |\n", (double)f.bytes / s->nodes / 1024);
	fflush(stdout);
	return true;
}

static int bench(unsigned windows, unsigned largest, const char *part)
{
	static const struct shape shapes[] = {
		{"direct", 10, 10, 1000},       {"direct", 100, 100, 1000},
		{"direct", 1000, 1000, 2000},   {"relays", 1, 100, 1000},
		{"relays", 10, 100, 1000},      {"relays", 10, 1000, 2000},
		{"relays", 100, 10000, 5000},   {"nats", 0, 10, 1000},
		{"nats", 0, 100, 1000},         {"nats", 0, 1000, 2000},
		{"nats", 1, 100, 1000},         {"nats", 10, 1000, 2000},
		{"simulated", 10, 1000, 1000},  {"simulated", 100, 10000, 1000},
		{"direct", 10000, 10000, 5000},
	};
	int status = 0;

	printf("| shape | window's end to answer, ms | nodes had sent, ms | coordinator's CPU, ms "
	       "a window | its memory, MiB | a relay's CPU, ms a window | its memory, MiB | KiB of "
	       "a node and window |\n"
	       "|---|---|---|---|---|---|---|---|\n");
	fflush(stdout);
	for (unsigned i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		char name[LINE];

		name_of(&shapes[i], name);
		if (!strcmp(shapes[i].kind, "nats") && !nats_server_present())
			continue;
		if (shapes[i].nodes <= largest && (!part || strstr(name, part)))
			status |= !show(&shapes[i],
					shapes[i].every_ms >= 5000 && windows > 3 ? 3 : windows);
	}
	return status;
}

static int check(void)
{
	static const struct shape shapes[] = {{"direct", 20, 20, 1000},
					      {"relays", 3, 20, 1000},
					      {"simulated", 2, 20, 1000},
					      {"nats", 0, 20, 1000},
					      {"nats", 2, 20, 1000}};
	static struct figures f;
	int status = 0;

	for (unsigned i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		char name[LINE];

		name_of(&shapes[i], name);
		if (!strcmp(shapes[i].kind, "nats") && !nats_server_present()) {
			printf("skip %s: there is no nats-server\n", name);
			continue;
		}
		run_shape(&shapes[i], 2, &f);
		printf("%sok %s: %lld rows of %lld events, %u of %u nodes answered %s\n",
		       f.exact ? "" : "not ", name, f.rows, f.expected, f.answered, f.nodes,
		       f.failed);
		status |= !f.exact;
	}
	return status;
}

int main(int argc, char **argv)
{
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	struct sigaction act = {.sa_handler = on_signal};
	const char *what = argc > 1 ? argv[1] : "";
	struct rlimit l;

	if (!getrlimit(RLIMIT_NOFILE, &l)) { /* a node takes some */
		l.rlim_cur = l.rlim_max;
		setrlimit(RLIMIT_NOFILE, &l);
	}

	self[n > 0 ? n : 0] = 0;
	sigaction(SIGTERM, &act, NULL);
	sigaction(SIGINT, &act, NULL);
	signal(SIGPIPE, SIG_IGN);
	if (!strcmp(what, "nodes") && argc == 5)
		return be_nodes(argv + 2);
	if (!strcmp(what, "relay") && argc == 5)
		return be_relay(argv + 2);
	if (!strcmp(what, "relay") && argc == 4)
		return be_nats_relay(argv + 2);
	if (!strcmp(what, "coordinator") && argc == 8)
		return be_coordinator(argv + 2);
	if (!strcmp(what, "check"))
		return check();
	return bench(argc > 1 ? (unsigned)atoi(argv[1]) : 5,
		     argc > 2 ? (unsigned)atoi(argv[2]) : 10000, argc > 3 ? argv[3] : NULL);
}
