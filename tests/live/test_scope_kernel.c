/* test_scope_kernel.c - a node that is a part of a kernel: a network namespace, a cgroup, a tree of processes. Processes inside and outside
 * make known numbers of calls; what is answered and what is counted is that of those inside, to the last event.
 *
 * Each process of a test (a kid) takes its place, says so, waits to be let go, makes its calls and ends. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include "tests/live/live.h"

enum { MAGIC = 4711, OTHERS = 30 }; /* arg0 of the calls that are asked for; how many it makes besides */
struct kid { int32_t pid; int go; };

static void wait_for(int fd)
{
	char c;

	if (read(fd, &c, 1) != 1)
		_exit(1);
}

static void make_calls(int n)
{
	for (int i = 0; i < n; i++)
		syscall(SYS_getppid, MAGIC);
	for (int i = 0; i < OTHERS; i++)
		syscall(SYS_getppid, MAGIC + 1);
}

/* Starts a kid that makes n calls; place: puts it where it belongs, false if it cannot. With body, that instead of the calls. */
static bool kid_start(struct kid *k, bool (*place)(const void *arg), const void *arg, int n, void (*body)(int n))
{
	int ready[2], go[2];
	char c = 0;

	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	assert_int_equal(pipe2(go, O_CLOEXEC), 0);
	k->pid = fork();
	if (!k->pid) {
		close(go[1]); /* other kids' ends are inherited: each kid is let go by a byte, not by the end of its pipe */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		c = place && !place(arg) ? 'n' : 'y';
		if (write(ready[1], &c, 1) != 1 || c == 'n')
			_exit(1);
		wait_for(go[0]);
		(body ? body : make_calls)(n);
		_exit(0);
	}
	close(go[0]);
	close(ready[1]);
	k->go = go[1];
	assert_int_equal(read(ready[0], &c, 1), 1);
	close(ready[0]);
	return c == 'y';
}

static void kid_go(struct kid *k) { assert_int_equal(write(k->go, "x", 1), 1); }

static void kid_end(struct kid *k)
{
	int status;

	close(k->go);
	assert_int_equal(waitpid(k->pid, &status, 0), k->pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void kid_stop(struct kid *k) /* one that could not take its place */
{
	close(k->go);
	waitpid(k->pid, NULL, 0);
}

static bool new_netns(const void *arg)
{
	(void)arg;
	return unshare(CLONE_NEWNET) == 0;
}

static uint64_t netns_of(int32_t pid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/ns/net", pid);
	assert_int_equal(stat(path, &st), 0);
	return st.st_ino;
}

/* ---- what was answered ---- */

struct found { int32_t pid; int64_t events; };

static int look(void *self, const struct rn_partials *p)
{
	struct found *f = self;

	for (uint32_t i = 0; i < p->n; i++)
		if (p->p[i].key[0].i == f->pid)
			f->events += p->p[i].events;
	return 0;
}

static int64_t events_of(struct live *l, int32_t pid)
{
	struct found f = {.pid = pid};

	rn_groups_visit(l->groups, INT64_MAX, false, look, &f);
	return f.events;
}

static const char counting[] = "count of getppid where arg0 = 4711 by pid";

/* Runs the query over kids that are ready: in scope are those with the numbers of calls in want, which is 0 for those outside. */
static void check(const struct rn_scope *scope, const char *query, struct kid *k, const int64_t *want, unsigned n, int64_t seen)
{
	unsigned inside = 0;
	int64_t sum = 0;
	struct live l;

	live_plan(&l, query, NULL);
	l.scope = *scope;
	l.pid = k[0].pid; /* live_end waits for this one */
	live_start(&l);
	for (unsigned i = 0; i < n; i++)
		kid_go(&k[i]);
	for (unsigned i = 1; i < n; i++)
		kid_end(&k[i]);
	close(k[0].go);
	live_end(&l);
	for (unsigned i = 0; i < n; i++) {
		if (events_of(&l, k[i].pid) != want[i])
			fail_msg("kid %u: %lld events, not %lld", i, (long long)events_of(&l, k[i].pid), (long long)want[i]);
		inside += want[i] > 0;
		sum += want[i];
	}
	assert_int_equal(rn_groups_count(l.groups), inside);
	assert_int_equal(l.ledger.n[RN_L_MATCHED], sum);
	assert_int_equal(l.ledger.n[RN_L_SEEN], seen);
	live_free(&l);
}

/* ---- network namespaces ---- */

static void network_namespace(void **state)
{
	struct kid k[3];
	const int64_t want[] = {100, 0, 0};
	struct rn_scope scope = {.npids = 0};

	(void)state;
	if (!kid_start(&k[0], new_netns, NULL, 100, NULL)) {
		kid_stop(&k[0]);
		skip();
	}
	kid_start(&k[1], NULL, NULL, 50, NULL);
	assert_true(kid_start(&k[2], new_netns, NULL, 70, NULL));
	scope.netns_ino = netns_of(k[0].pid);
	check(&scope, counting, k, want, 3, 100 + OTHERS);
}

static void ends(int n)
{
	int pid;

	(void)n;
	pid = fork();
	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
}

/* Processes that begin and end: the task is still in its namespace when it tells of its end. */
static void births_and_deaths(void **state)
{
	static const char *const queries[] = {"count of fork by pid", "count of exit by pid"};

	(void)state;
	for (int q = 0; q < 2; q++) {
		struct rn_scope scope = {.npids = 0};
		struct kid k[2];
		struct live l;

		if (!kid_start(&k[0], new_netns, NULL, 0, ends)) {
			kid_stop(&k[0]);
			skip();
		}
		kid_start(&k[1], NULL, NULL, 0, ends);
		scope.netns_ino = netns_of(k[0].pid);
		live_plan(&l, queries[q], NULL);
		l.scope = scope;
		l.pid = k[0].pid;
		live_start(&l);
		kid_go(&k[0]);
		kid_go(&k[1]);
		kid_end(&k[1]);
		close(k[0].go);
		live_end(&l);
		assert_int_equal(l.ledger.n[RN_L_MATCHED], q ? 2 : 1);
		assert_int_equal(l.ledger.n[RN_L_SEEN], q ? 2 : 1);
		live_free(&l);
	}
}

/* ---- cgroups ---- */

static char cgroup[4][300]; /* one, one below it, one beside it whose name begins alike, and below that */

static bool is_cgroup2(const char *path)
{
	struct statfs fs;

	return !statfs(path, &fs) && fs.f_type == 0x63677270;
}

static bool cgroups_make(void)
{
	const char *root = is_cgroup2("/sys/fs/cgroup") ? "/sys/fs/cgroup" : "/sys/fs/cgroup/unified";

	if (!is_cgroup2(root))
		return false;
	snprintf(cgroup[0], sizeof(*cgroup), "%s/runnel-test-%d", root, getpid());
	snprintf(cgroup[1], sizeof(*cgroup), "%.200s/below", cgroup[0]);
	snprintf(cgroup[2], sizeof(*cgroup), "%.200s-beside", cgroup[0]);
	snprintf(cgroup[3], sizeof(*cgroup), "%.200s/below", cgroup[2]);
	for (int i = 0; i < 4; i++)
		if (mkdir(cgroup[i], 0755))
			return false;
	return true;
}

static int cgroups_remove(void **state)
{
	(void)state;
	for (int i = 4; i-- > 0;)
		for (int tries = 0; cgroup[i][0] && rmdir(cgroup[i]) && errno == EBUSY && tries < 500; tries++)
			usleep(10000); /* a process that has been waited for may still be on its way out */
	memset(cgroup, 0, sizeof(cgroup));
	return 0;
}

static bool into_cgroup(const void *path)
{
	char file[320];
	int fd;
	bool fine;

	snprintf(file, sizeof(file), "%s/cgroup.procs", (const char *)path);
	fd = open(file, O_WRONLY | O_CLOEXEC);
	fine = fd >= 0 && write(fd, "0", 1) == 1;
	close(fd);
	return fine;
}

static struct rn_scope cgroup_scope(int i)
{
	struct stat st;

	assert_int_equal(stat(cgroup[i], &st), 0);
	return (struct rn_scope){.cgroup_id = st.st_ino, .cgroup = cgroup[i]};
}

static void cgroup_and_below(void **state)
{
	static const int64_t want[][5] = {{10, 20, 0, 0, 0}, {0, 20, 0, 0, 0}, {0, 0, 30, 40, 0}};

	(void)state;
	if (!cgroups_make())
		skip();
	for (int i = 0; i < 3; i++) {
		struct rn_scope scope = cgroup_scope(i);
		struct kid k[5];
		int64_t seen = 0;

		for (int j = 0; j < 4; j++)
			assert_true(kid_start(&k[j], into_cgroup, cgroup[j], 10 * (j + 1), NULL));
		kid_start(&k[4], NULL, NULL, 50, NULL);
		for (int j = 0; j < 5; j++)
			seen += want[i][j] ? want[i][j] + OTHERS : 0;
		check(&scope, counting, k, want[i], 5, seen);
	}
}

/* Its path is taken at its word only as long as it leads to the cgroup that was meant. */
static void another_cgroup(void **state)
{
	struct live l;

	(void)state;
	if (!cgroups_make())
		skip();
	live_plan(&l, counting, NULL);
	l.scope = cgroup_scope(0);
	l.scope.cgroup = cgroup[2];
	assert_int_equal(l.prov->ops->open(l.prov->self, &l.plan->frag, &l.scope, &l.src, &l.err), -ESTALE);
	assert_non_null(strstr(l.err.text, cgroup[2]));
	l.scope.cgroup = "/nonexistent";
	assert_int_equal(l.prov->ops->open(l.prov->self, &l.plan->frag, &l.scope, &l.src, &l.err), -ENOENT);
	live_free(&l);
}

/* ---- trees of processes ---- */

/* A child that is there when the query begins, and has one as well; both make n calls when this one is let go, and so does a late one. */
static int tree_go[2], tree_ready[2];

static bool grow(const void *arg)
{
	char c;

	(void)arg;
	if (!fork()) {
		bool child = fork() != 0;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (write(tree_ready[1], "y", 1) != 1)
			_exit(1);
		wait_for(tree_go[0]);
		make_calls(7);
		if (child)
			wait(NULL);
		_exit(0);
	}
	return read(tree_ready[0], &c, 1) == 1 && read(tree_ready[0], &c, 1) == 1;
}

static void bear(int n)
{
	if (write(tree_go[1], "xx", 2) != 2)
		_exit(1);
	if (!fork()) {
		make_calls(7);
		_exit(0);
	}
	make_calls(n);
	while (wait(NULL) > 0)
		;
}

static void tree(void **state)
{
	struct rn_scope scope = {.npids = 0};
	struct kid k[2];
	struct live l;

	(void)state;
	assert_int_equal(pipe2(tree_go, O_CLOEXEC), 0);
	assert_int_equal(pipe2(tree_ready, O_CLOEXEC), 0);
	assert_true(kid_start(&k[0], grow, NULL, 5, bear));
	kid_start(&k[1], NULL, NULL, 50, NULL);
	scope.tree = k[0].pid;
	live_plan(&l, counting, NULL);
	l.scope = scope;
	l.pid = k[0].pid;
	live_start(&l);
	kid_go(&k[0]);
	kid_go(&k[1]);
	kid_end(&k[1]);
	close(k[0].go);
	live_end(&l);
	assert_int_equal(rn_groups_count(l.groups), 4);
	assert_int_equal(events_of(&l, k[0].pid), 5);
	assert_int_equal(l.ledger.n[RN_L_MATCHED], 5 + 3 * 7);
	assert_int_equal(l.ledger.n[RN_L_SEEN], 5 + 3 * 7 + 4 * OTHERS);
	live_free(&l);
	for (int i = 0; i < 2; i++) {
		close(tree_go[i]);
		close(tree_ready[i]);
	}
}

static void no_such_tree(void **state)
{
	struct kid k;
	struct live l;

	(void)state;
	kid_start(&k, NULL, NULL, 0, NULL);
	kid_go(&k);
	kid_end(&k);
	live_plan(&l, counting, NULL);
	l.scope = (struct rn_scope){.tree = k.pid};
	assert_int_equal(l.prov->ops->open(l.prov->self, &l.plan->frag, &l.scope, &l.src, &l.err), -ESRCH);
	assert_true(l.err.hint[0]);
	live_free(&l);
}

/* Processes that the query names, of which one is not of the node. */
static void all_must_hold(void **state)
{
	struct rn_scope scope = {.npids = 0};
	const int64_t want[] = {11, 0, 0};
	struct kid k[3];
	int32_t named[2];

	(void)state;
	if (!kid_start(&k[0], new_netns, NULL, 11, NULL)) {
		kid_stop(&k[0]);
		skip();
	}
	kid_start(&k[1], NULL, NULL, 12, NULL);
	kid_start(&k[2], NULL, NULL, 13, NULL);
	named[0] = k[0].pid;
	named[1] = k[1].pid;
	scope = (struct rn_scope){.pids = named, .npids = 2, .netns_ino = netns_of(k[0].pid), .tree = getpid()};
	check(&scope, counting, k, want, 3, 11 + OTHERS);
	for (int i = 0; i < 3; i++)
		kid_start(&k[i], NULL, NULL, 11 + i, NULL);
	named[0] = k[0].pid;
	scope = (struct rn_scope){.pids = named, .npids = 1, .tree = k[0].pid};
	check(&scope, counting, k, want, 3, 11 + OTHERS);
	for (int i = 0; i < 3; i++)
		kid_start(&k[i], NULL, NULL, 11 + i, NULL);
	named[0] = k[1].pid;
	scope = (struct rn_scope){.pids = named, .npids = 1, .tree = k[0].pid};
	check(&scope, counting, k, (int64_t[]){0, 0, 0}, 3, 0);
}

/* Whoever asks is left out, though it is in scope. */
static void askers(void **state)
{
	const int64_t want[] = {0, 6, 0};
	struct rn_scope scope = {.tree = getpid()};
	struct kid k[3];
	int32_t who[2];

	(void)state;
	for (int i = 0; i < 3; i++)
		kid_start(&k[i], NULL, NULL, 5 + i, NULL);
	who[0] = k[0].pid;
	who[1] = k[2].pid;
	scope.askers = who;
	scope.naskers = 2;
	check(&scope, counting, k, want, 3, 6 + OTHERS);
}

/* ---- searches for tags, and every kind of program ---- */

static char tag[40]; /* made up at run time: this program's own pages, which are read through memory, do not hold it */

static void write_tags(int n)
{
	int fd = open("/dev/null", O_WRONLY), len = (int)strlen(tag);

	for (int i = 0; i < n; i++)
		if (write(fd, tag, (size_t)len) != len)
			_exit(1);
	close(fd);
}

static void tags(void **state)
{
	struct rn_scope scope = {.npids = 0};
	char query[100];
	struct kid k[2];
	struct live l;

	(void)state;
	snprintf(tag, sizeof(tag), "tag%dof%d", getpid(), getppid());
	snprintf(query, sizeof(query), "count of tag %s where name = write by pid", tag);
	if (!kid_start(&k[0], new_netns, NULL, 9, write_tags)) {
		kid_stop(&k[0]);
		skip();
	}
	kid_start(&k[1], NULL, NULL, 90, write_tags);
	scope.netns_ino = netns_of(k[0].pid);
	live_plan(&l, query, NULL);
	l.scope = scope;
	l.pid = k[0].pid;
	live_start(&l);
	kid_go(&k[0]);
	kid_go(&k[1]);
	kid_end(&k[1]);
	close(k[0].go);
	live_end(&l);
	assert_int_equal(events_of(&l, k[0].pid), 9);
	assert_int_equal(rn_groups_count(l.groups), 1);
	assert_int_equal(l.ledger.path[RN_PATH_OTHER][RN_C_CALLS], 9);
	assert_int_equal(l.ledger.path[RN_PATH_OTHER][RN_C_BYTES_SCANNED], 9 * (int)strlen(tag));
	live_free(&l);
}

/* The kernel takes the programs of all hooks with all of it at once, and these see what is inside. */
static void every_program(void **state)
{
	static const char *const queries[] = {
		"count of tag fix283 by pid, file", "count of tls by pid", "count of exit by pid", "time, pid of tracepoint \"sched:sched_switch\"",
		"count, p99(latency) of read by pid, stack", "time, pid, file, netns, cgroup of write",
	};
	struct rn_scope scope = {.npids = 0};
	int32_t me = getpid(), asks[2] = {1, getppid()};

	(void)state;
	if (cgroups_make()) {
		scope = cgroup_scope(0);
	} else {
		print_message("without a cgroup\n");
	}
	scope.netns_ino = netns_of(getpid());
	scope.tree = me;
	scope.askers = asks;
	scope.naskers = 2;
	for (unsigned i = 0; i < sizeof(queries) / sizeof(*queries); i++) {
		struct live l;

		live_plan(&l, queries[i], NULL);
		l.scope = scope;
		if (l.prov->ops->open(l.prov->self, &l.plan->frag, &l.scope, &l.src, &l.err) < 0) {
			if (strstr(l.err.text, "no TLS library")) { /* none on this machine */
				live_free(&l);
				continue;
			}
			fail_msg("%s: %s\n%s", queries[i], l.err.text, l.err.hint);
		}
		assert_int_equal(l.prov->ops->start(l.src, &l.err), 0);
		live_end(&l);
		live_free(&l);
	}
}

/* ---- the table ---- */

static bool listed(const struct live *l, int32_t pid)
{
	for (unsigned i = 0; i < l->nrows; i++)
		if (l->row[i].i == pid)
			return true;
	return false;
}

static void table(const struct rn_scope *scope, const struct kid *k, const bool *want, unsigned n)
{
	unsigned inside = 0;
	struct live l;

	live_plan(&l, "pid of proc", NULL);
	l.scope = *scope;
	l.pid = k[0].pid; /* so that the scope is passed on */
	live_start(&l);
	l.pid = 0;
	live_poll(&l, 0);
	live_end(&l);
	for (unsigned i = 0; i < n; i++) {
		if (listed(&l, k[i].pid) != want[i])
			fail_msg("kid %u is %sin the table", i, want[i] ? "not " : "");
		inside += want[i];
	}
	assert_int_equal(l.nrows, inside);
	assert_int_equal(l.ledger.n[RN_L_SEEN], inside);
	live_free(&l);
}

static void table_of_processes(void **state)
{
	struct rn_scope scope = {.npids = 0};
	struct kid k[5];
	bool places;

	(void)state;
	if (!cgroups_make())
		skip();
	places = kid_start(&k[0], new_netns, NULL, 0, NULL);
	for (int i = 1; i < 5; i++)
		assert_true(kid_start(&k[i], into_cgroup, cgroup[i - 1], 0, NULL));
	if (places) {
		scope.netns_ino = netns_of(k[0].pid);
		table(&scope, k, (bool[]){true, false, false, false, false}, 5);
	}
	scope = cgroup_scope(0);
	table(&scope, k, (bool[]){false, true, true, false, false}, 5);
	scope = cgroup_scope(3);
	table(&scope, k, (bool[]){false, false, false, false, true}, 5);
	scope = (struct rn_scope){.tree = k[2].pid};
	table(&scope, k, (bool[]){false, false, true, false, false}, 5);
	scope = cgroup_scope(0);
	scope.tree = k[3].pid;
	table(&scope, k, (bool[]){false, false, false, false, false}, 5);
	for (int i = 0; i < 5; i++) {
		if (i || places)
			kid_go(&k[i]);
		kid_stop(&k[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(network_namespace), cmocka_unit_test(births_and_deaths),
		cmocka_unit_test_teardown(cgroup_and_below, cgroups_remove), cmocka_unit_test_teardown(another_cgroup, cgroups_remove),
		cmocka_unit_test(tree), cmocka_unit_test(no_such_tree), cmocka_unit_test(all_must_hold), cmocka_unit_test(askers),
		cmocka_unit_test(tags), cmocka_unit_test_teardown(every_program, cgroups_remove),
		cmocka_unit_test_teardown(table_of_processes, cgroups_remove),
	};

	live_require();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
