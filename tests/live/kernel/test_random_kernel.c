/* test_random_kernel.c - random queries, put twice at once to the same calls: one as it is planned,
 * so that the kernel tests, computes and groups what it can; one of which the kernel only delivers
 * rows. Both give the same answer.
 *
 * RN_SEED=N makes the same queries again, RN_ROUNDS=N another number of them. The seed is printed.
 */
#include "exec/node/agent.h"
#include "tests/support/live.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

/* ---- the calls ---- */

static char dir[32];
static const char *const files[] = {"one.log", "two.log", "three.txt", "four.c", "a_b.log", "five"};
static const struct {
	const char *name;
	unsigned uid;
} users[] = {{"root", 0}, {"daemon", 1}, {"nobody", 65534}, {"4711", 4711}};
enum { FILES = sizeof(files) / sizeof(*files), USERS = sizeof(users) / sizeof(*users) };

static void use_files(unsigned user)
{
	char path[64], buf[300] = {0};

	for (unsigned i = 0; i < FILES; i++) {
		int fd;

		snprintf(path, sizeof(path), "%s/%s", dir, files[i]);
		fd = open(path, O_RDWR | O_CREAT, 0666);
		for (unsigned k = 0; k < 6 + i + user; k++) {
			if (pwrite(fd, buf, 10 * k + i, 0) < 0 || pread(fd, buf, 200, k) < 0)
				_exit(1);
			if (read(fd, buf, k) < 0)
				_exit(2);
		}
		close(fd);
		snprintf(path, sizeof(path), "%s/none%u", dir, i);
		if (open(path, O_RDONLY) >= 0)
			_exit(3);
	}
}

static void use_sockets(void)
{
	int s = socket(AF_INET, SOCK_DGRAM, 0);

	for (unsigned i = 0; i < 8; i++) {
		struct sockaddr_in to = {.sin_family = AF_INET,
					 .sin_port = htons((uint16_t)(9000 + i % 3)),
					 .sin_addr.s_addr = htonl(INADDR_LOOPBACK + i % 2)};

		if (connect(s, (struct sockaddr *)&to, sizeof(to)))
			_exit(4);
		send(s, dir, 1 + i, 0); /* refused at times: nobody listens */
	}
	close(s);
}

static void calls(void *arg)
{
	(void)arg;
	for (unsigned round = 0; round < 2; round++)
		for (unsigned u = 0; u < USERS; u++) {
			pid_t pid = fork();
			int status;

			if (!pid) {
				prctl(PR_SET_NAME, u % 2 ? "odd" : "even");
				if (setgid(users[u].uid) || setuid(users[u].uid))
					_exit(5);
				use_files(u);
				use_sockets();
				for (int k = -3; k < 4; k++)
					syscall(SYS_getppid, (long)k * 1000, 1L << (k + 3), k);
				_exit(0);
			}
			if (waitpid(pid, &status, 0) != pid || status)
				_exit(6);
		}
}

/* ---- the queries ---- */

static unsigned seed;
static unsigned any(unsigned n)
{
	return (unsigned)rand_r(&seed) % n;
}
#define ONE_OF(list) list[any(sizeof(list) / sizeof(*list))]

static const char *text_of_number(struct rn_arena *a)
{
	static const char *const numbers[] = {"pid",       "uid",        "gid",   "fd",
					      "bytes",     "ret",        "error", "len(file)",
					      "len(proc)", "arg0",       "arg1",  "arg2",
					      "bytes",     "port(peer)", "tid",   "div(bytes, 10)",
					      "ino"};
	static const char *const plain[] = {"fd", "ret", "uid", "arg1", "arg2"};

	switch (any(6)) {
	case 0: return rn_arena_printf(a, "%s %% %u", ONE_OF(plain), 2 + any(9));
	case 1: return rn_arena_printf(a, "(%s & %u)", ONE_OF(plain), 1 + any(15));
	case 2: return rn_arena_printf(a, "if(uid > %u, fd, ret)", any(3));
	case 3: return rn_arena_printf(a, "(%s + %u)", ONE_OF(plain), any(100));
	default: return ONE_OF(numbers);
	}
}

static const char *long_list(struct rn_arena *a, const char *format, const char *first)
{
	const char *list = first;

	for (unsigned i = 0; i < 70; i++)
		list = rn_arena_printf(a, format, list, any(2) ? i : any(10000));
	return list;
}

static const char *text_of_names(struct rn_arena *a)
{
	static const char *const patterns[] = {"*o*", "d*", "*t", "[a-m]*", "????", "*", "x*"};
	static const char *const names[] = {"user", "container", "cgroup", "proc", "thread"};
	static const char *const few[] = {"root", "daemon", "nobody", "4711",
					  "even", "odd",    "games"};
	const char *name = ONE_OF(names);

	switch (any(5)) {
	case 0: return rn_arena_printf(a, "%s = \"%s\"", name, ONE_OF(few));
	case 1: return rn_arena_printf(a, "%s != \"%s\"", name, ONE_OF(few));
	case 2: return rn_arena_printf(a, "%s in (\"%s\", \"%s\")", name, ONE_OF(few), ONE_OF(few));
	case 3:
		return rn_arena_printf(a, "%s in (%s)", any(2) ? "proc" : name,
				       long_list(a, "%s, \"n%u\"", any(2) ? "even" : "daemon"));
	default:
		return rn_arena_printf(a, "%s %s \"%s\"", name, any(2) ? "~" : "!~",
				       ONE_OF(patterns));
	}
}

static const char *text_of_file(struct rn_arena *a)
{
	static const char *const regexes[] = {
		"log$",      "^/tmp/.*txt$", "o[a-z]+[.]", "a_b", "^/tmp/[a-z_0-9A-Z]*/(one|two)",
		"none[0-3]$"};

	switch (any(9)) {
	case 8:
		return rn_arena_printf(a, "file in (\"%s/%s\", \"%s/%s\", \"\")", dir,
				       files[any(FILES)], dir, files[any(FILES)]);
	case 6: return rn_arena_printf(a, "len(file) %s %u", any(2) ? "<" : "=", any(40));
	case 7:
		return rn_arena_printf(a, "substr(file, %d) = \"%s\"", any(2) ? -3 : -4,
				       any(2) ? ".log" : "log");
	case 0: return rn_arena_printf(a, "file = \"%s/%s\"", dir, files[any(FILES)]);
	case 1: return rn_arena_printf(a, "file ~ \"*%s\"", any(2) ? ".log" : "e*");
	case 2: return rn_arena_printf(a, "file =~ \"%s\"", ONE_OF(regexes));
	case 3: return rn_arena_printf(a, "endswith(file, \"%s\")", any(2) ? ".c" : "log");
	case 4: return rn_arena_printf(a, "basename(file) = \"%s\"", files[any(FILES)]);
	default: return rn_arena_printf(a, "file ~ \"/tmp/*[a-f]/*o[nu]*\"");
	}
}

static const char *condition(struct rn_arena *a, unsigned depth)
{
	static const char *const ops[] = {"=", "!=", "<", "<=", ">", ">="};
	static const char *const calls_[] = {"pread64", "write", "openat", "getppid", "p*", "*d*"};

	switch (depth ? any(10) : 3 + any(7)) {
	case 0:
		return rn_arena_printf(a, "(%s and %s)", condition(a, depth - 1),
				       condition(a, depth - 1));
	case 1:
		return rn_arena_printf(a, "(%s or %s)", condition(a, depth - 1),
				       condition(a, depth - 1));
	case 2: return rn_arena_printf(a, "not %s", condition(a, depth - 1));
	case 3:
	case 4: return text_of_names(a);
	case 5:
	case 6: return text_of_file(a);
	case 7: return rn_arena_printf(a, "name ~ \"%s\"", ONE_OF(calls_));
	case 8:
		return rn_arena_printf(a, "%s in (%s)", text_of_number(a),
				       any(2) ? long_list(a, "%s, %u", "1") : "0, 1, 9001, 20");
	default:
		return rn_arena_printf(a, "%s %s %u", text_of_number(a), ONE_OF(ops),
				       any(3) ? any(40) : any(10000));
	}
}

static const char *key(struct rn_arena *a)
{
	static const char *const keys[] = {"user",
					   "proc",
					   "name",
					   "file",
					   "uid",
					   "error",
					   "fd",
					   "ext(file)",
					   "basename(file)",
					   "upper(proc)",
					   "container",
					   "cgroup",
					   "port(peer)",
					   "peer",
					   "len(file)",
					   "substr(name, 0, 3)",
					   "dirname(file)",
					   "bucket(bytes, 64B)",
					   "concat(user, proc)",
					   "proto",
					   "dir"};

	switch (any(6)) {
	case 0: return rn_arena_printf(a, "%s", condition(a, 0));
	case 1: return rn_arena_printf(a, "if(%s, \"yes\", \"no\")", condition(a, 0));
	case 2: return text_of_number(a);
	default: return ONE_OF(keys);
	}
}

static const char *aggregate(struct rn_arena *a)
{
	static const char *const of_numbers[] = {"sum", "min",  "max",      "avg", "stddev",
						 "p50", "hist", "distinct", "p95"};
	static const char *const numbers[] = {"bytes", "ret", "fd", "arg1", "uid"};
	static const char *const texts[] = {"file", "proc", "name", "user", "peer"};
	const char *where = any(3) ? "" : rn_arena_printf(a, " where %s", condition(a, 0));

	switch (any(5)) {
	case 0: return *where ? rn_arena_printf(a, "count(%s)", where + 1) : "count";
	case 1: return rn_arena_printf(a, "distinct(%s%s)", ONE_OF(texts), where);
	case 2: return any(4) ? "count" : rn_arena_printf(a, "set(%s%s)", ONE_OF(texts), where);
	default: return rn_arena_printf(a, "%s(%s%s)", ONE_OF(of_numbers), ONE_OF(numbers), where);
	}
}

static const char *make_query(struct rn_arena *a)
{
	static const char *const sources[] = {"syscall",
					      "syscall",
					      "io",
					      "io",
					      "read",
					      "openat",
					      "write",
					      "pread64",
					      "read, write, pwrite64",
					      "send",
					      "connect",
					      "openat, close, getppid",
					      "openat, exit, fork",
					      "exit, tracepoint \"sched:sched_process_ex*\""};
	const char *list = "", *keys = "", *where = "";
	bool rows = !any(5);

	for (unsigned n = 1 + any(3); n; n--) {
		list = rn_arena_printf(a, "%s%s%s as c%u", list, *list ? ", " : "",
				       rows ? key(a) : aggregate(a), n);
		if (!rows && any(5))
			keys = rn_arena_printf(a, "%s%s%s as k%u", keys, *keys ? ", " : " by ",
					       key(a), n);
	}
	for (unsigned n = any(3); n; n--)
		where = rn_arena_printf(a, "%s%s %s", where, *where ? " and" : " where",
					condition(a, 2));
	return rn_arena_printf(a, "%s of %s%s%s%s", list, ONE_OF(sources), where, keys,
			       !rows && !any(4) ? " every 20ms" : "");
}

/* ---- the two answers ---- */

struct asked {
	struct live l;
	struct rn_agent *agent;
	struct rn_sink sink;
	struct rn_ledger ledger;
	char **line; /* of the answer, sorted at the end */
	size_t n, cap;
};

static void add_line(struct asked *q, const char *line)
{
	if (q->n == q->cap) {
		q->cap = q->cap ? 2 * q->cap : 256;
		q->line = realloc(q->line, q->cap * sizeof(*q->line));
	}
	q->line[q->n++] = strdup(line);
}

static const char *value_text(struct rn_arena *a, const struct rn_value *v)
{
	const char *hex = "";

	if (v->kind == RN_INT || v->kind == RN_BOOL)
		return rn_arena_printf(a, "%" PRId64, v->i);
	if (v->kind == RN_FLOAT)
		return rn_arena_printf(a, "%.12g", v->f);
	if (v->kind == RN_NULL)
		return "null";
	if (!memchr(v->s, 0, v->len))
		return rn_arena_printf(a, "%.*s", (int)v->len, v->s);
	for (uint32_t i = 0; i < v->len; i++)
		hex = rn_arena_printf(a, "%s%02x", hex, (unsigned char)v->s[i]);
	return hex;
}

static int take_rows(void *self, const struct rn_rows *r)
{
	struct asked *q = self;
	struct rn_arena *a = rn_arena_create(64 << 20);

	for (uint32_t i = 0; i < r->nrows; i++) {
		const char *line = "";

		for (uint32_t k = 0; k < r->ncols; k++)
			line = rn_arena_printf(a, "%s|%s", line,
					       value_text(a, &r->values[i * r->ncols + k]));
		add_line(q, line);
	}
	rn_arena_destroy(a);
	return 0;
}

/* All windows as one: which window an event at an edge is in differs. */
static int take_partials(void *self, const struct rn_partials *p)
{
	struct asked *q = self;
	struct rn_partials one = *p;

	one.window_ns = 0;
	rn_groups_merge(q->l.groups, &one);
	return 0;
}

static int put_groups(void *self, const struct rn_partials *p)
{
	struct asked *q = self;
	const struct rn_fragment *f = &q->l.plan->frag;
	struct rn_finish_ctx ctx = {0};
	struct rn_arena *a = rn_arena_create(64 << 20);

	for (uint32_t i = 0; i < p->n; i++) {
		const char *line = rn_arena_printf(
			a, "%s%" PRId64 ":", p->parts[i].other ? "other " : "", p->parts[i].events);

		for (unsigned k = 0; k < f->nkeys && !p->parts[i].other; k++)
			line = rn_arena_printf(a, "%s|%s", line,
					       value_text(a, &p->parts[i].key[k]));
		for (unsigned k = 0; k < f->naggs; k++) {
			struct rn_value v =
				f->aggs[k].def->finish(&f->aggs[k], &p->parts[i].state[k], &ctx, a);

			line = rn_arena_printf(a, "%s|%s", line, value_text(a, &v));
		}
		add_line(q, line);
	}
	rn_arena_destroy(a);
	return 0;
}

static int by_text(const void *x, const void *y)
{
	return strcmp(*(char *const *)x, *(char *const *)y);
}

/* False: the query has a mistake, such as a field that its source does not have. */
static bool plan_it(struct asked *q, const char *text, bool rows)
{
	struct rn_plan_opts opts = {.no_rules = rows, .no_kernel = rows};
	struct rn_names names = {0};
	struct live *l = &q->l;
	struct rn_ast_file *f;

	memset(q, 0, sizeof(*q));
	l->a = rn_arena_create(RN_ARENA_CAP);
	l->d = rn_diag_new(l->a);
	names.catalog = l->cat = rn_probes_catalog(rn_agg_sigs);
	f = rn_parse(l->a, l->d, rn_diag_source(l->d, "query", text, strlen(text)));
	if (!rn_diag_errors(l->d) && rn_resolve(l->a, l->d, f->stmts->query, &names))
		l->plan = rn_plan_query(l->a, l->d, f->stmts->query, &names, &opts);
	if (!l->plan)
		return false;
	l->groups = rn_groups_create(l->plan->frag.aggs, l->plan->frag.naggs, l->plan->frag.nkeys,
				     1 << 20);
	l->shared = rn_shared_create();
	l->prov = rn_probes_provider("testnode", l->shared);
	q->sink = (struct rn_sink){.self = q, .rows = take_rows, .partials = take_partials};
	return true;
}

static void begin(struct asked *q, const char *text, const struct rn_scope *scope)
{
	if (rn_agent_open("testnode", q->l.prov, &q->l.plan->frag, scope, NULL, &q->sink, &q->agent,
			  &q->l.err) ||
	    rn_agent_start(q->agent, &q->l.err))
		fail_msg("%s: %s", text, q->l.err.text);
}

static void end(struct asked *q)
{
	assert_int_equal(rn_agent_finish(q->agent, &q->ledger, &q->l.err), 0);
	if (q->l.plan->frag.grouped)
		rn_groups_visit(q->l.groups, INT64_MAX, false, put_groups, q);
	if (q->n)
		qsort(q->line, q->n, sizeof(*q->line), by_text);
}

static void release(struct asked *q)
{
	struct live *l = &q->l;

	rn_agent_close(q->agent);
	for (size_t i = 0; i < q->n; i++)
		free(q->line[i]);
	free(q->line);
	if (l->groups)
		rn_groups_destroy(l->groups);
	if (l->prov)
		rn_probes_provider_free(l->prov);
	if (l->shared)
		rn_shared_destroy(l->shared);
	rn_probes_catalog_free(l->cat);
	rn_arena_destroy(l->a);
}

static void compare(const char *text, const struct asked *x, const struct asked *y)
{
	for (size_t i = 0; i < x->n || i < y->n; i++)
		if (i >= x->n || i >= y->n || strcmp(x->line[i], y->line[i]) != 0)
			fail_msg("%s\n  line %zu in the kernel: %s\n  of rows: %s\n  %zu and %zu "
				 "lines",
				 text, i, i < x->n ? x->line[i] : "(none)",
				 i < y->n ? y->line[i] : "(none)", x->n, y->n);
	if (x->ledger.n[RN_L_MATCHED] != y->ledger.n[RN_L_MATCHED])
		fail_msg("%s: %" PRId64 " events matched in the kernel, %" PRId64 " of the rows",
			 text, x->ledger.n[RN_L_MATCHED], y->ledger.n[RN_L_MATCHED]);
}

struct tally {
	unsigned refused, grouped, derived, judged, lines;
};

static void ask(const char *text, struct tally *t)
{
	struct asked q[2];
	bool fine = plan_it(&q[0], text, false);

	fine &= plan_it(&q[1], text, true);
	t->refused += !fine;
	if (fine) {
		const struct rn_fragment *f = &q[0].l.plan->frag;
		struct live child = {0};

		live_fork(&child, calls, NULL);
		for (unsigned i = 0; i < 2; i++)
			begin(&q[i], text, &child.scope);
		live_go(&child);
		while (waitpid(child.pid, &child.status, WNOHANG) != child.pid)
			for (unsigned i = 0; i < 2; i++)
				assert_true(rn_agent_step(q[i].agent, 1, &q[i].l.err) >= 0);
		assert_int_equal(child.status, 0);
		for (unsigned i = 0; i < 2; i++)
			end(&q[i]);
		compare(text, &q[0], &q[1]);
		t->grouped += f->grouped && f->agg_place == RN_AT_KERNEL;
		t->derived += f->derived != 0;
		for (unsigned i = 0; i < f->nwhere; i++)
			t->judged += f->where[i].judged;
		t->lines += (unsigned)q[0].n;
	}
	release(&q[0]);
	release(&q[1]);
}

static void random_queries(void **state)
{
	const char *given = getenv("RN_SEED"), *wanted = getenv("RN_ROUNDS");
	unsigned rounds = wanted ? (unsigned)atoi(wanted) : 60;
	struct tally t = {0};

	(void)state;
	seed = given ? (unsigned)atoi(given) : (unsigned)time(NULL);
	printf("# RN_SEED=%u\n", seed);
	for (unsigned i = 0; i < rounds; i++) {
		struct rn_arena *a = rn_arena_create(1 << 20);
		unsigned before = seed;
		const char *text = make_query(a);

		if (getenv("RN_SHOW"))
			printf("# RN_SEED=%u %s\n", before, text);
		ask(text, &t);
		rn_arena_destroy(a);
	}
	printf("# %u queries, %u refused; %u grouped in the kernel, %u with derived keys, %u "
	       "conditions judged, %u lines\n",
	       rounds, t.refused, t.grouped, t.derived, t.judged, t.lines);
	assert_true(rounds < 60 || (t.refused < rounds / 2 && t.grouped > 5 && t.lines > 50));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(random_queries)};
	int failed;

	live_require();
	if (geteuid()) {
		puts("1..0 # SKIP only root can be other users");
		return 0;
	}
	snprintf(dir, sizeof(dir), "/tmp/rnXXXXXX");
	if (!mkdtemp(dir) || chmod(dir, 0777))
		return 1;
	umask(0);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	for (unsigned i = 0; i < FILES; i++) {
		char path[64];

		snprintf(path, sizeof(path), "%s/%s", dir, files[i]);
		unlink(path);
	}
	rmdir(dir);
	return failed;
}
