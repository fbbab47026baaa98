/* test_scope_kernel.c - a node that is a part of a kernel: a network namespace, a cgroup, a tree of
 * processes. Processes inside and outside make known numbers of calls; what is answered and what is
 * counted is that of those inside, to the last event. */
#include "tests/support/kids.h"

static const char counting[] = "count of getppid where arg0 = 4711 by pid";

/* Runs the query over kids that are ready: in scope are those with the numbers of calls in want,
 * which is 0 for those outside. */
static void check(const struct rn_scope *scope, const char *query, struct kid *k,
		  const int64_t *want, unsigned n, int64_t seen)
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
			fail_msg("kid %u: %lld events, not %lld", i,
				 (long long)events_of(&l, k[i].pid), (long long)want[i]);
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
	assert_int_equal(l.prov->ops->open(l.prov->self, &l.plan->frag, &l.scope, &l.src, &l.err),
			 -ESTALE);
	assert_non_null(strstr(l.err.text, cgroup[2]));
	l.scope.cgroup = "/nonexistent";
	assert_int_equal(l.prov->ops->open(l.prov->self, &l.plan->frag, &l.scope, &l.src, &l.err),
			 -ENOENT);
	live_free(&l);
}

/* ---- trees of processes ---- */

/* A child that is there when the query begins, and has one as well; both make n calls when this one
 * is let go, and so does a late one. */
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
	assert_int_equal(l.prov->ops->open(l.prov->self, &l.plan->frag, &l.scope, &l.src, &l.err),
			 -ESRCH);
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
	scope = (struct rn_scope){
		.pids = named, .npids = 2, .netns_ino = netns_of(k[0].pid), .tree = getpid()};
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

/* The process that queries is left out, though it is in scope. */
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
int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(network_namespace),
		cmocka_unit_test(births_and_deaths),
		cmocka_unit_test_teardown(cgroup_and_below, cgroups_remove),
		cmocka_unit_test_teardown(another_cgroup, cgroups_remove),
		cmocka_unit_test(tree),
		cmocka_unit_test(no_such_tree),
		cmocka_unit_test(all_must_hold),
		cmocka_unit_test(askers),
	};

	live_require();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
