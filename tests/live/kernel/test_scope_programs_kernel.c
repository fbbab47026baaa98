/* test_scope_programs_kernel.c - a node that is a part of a kernel: searches for tags, programs of
 * every kind, and the table of processes keep to it as well. */
#include "tests/support/kids.h"

/* ---- searches for tags, and every kind of program ---- */

/* made up at run time: this program's own pages, which are read through memory, do not hold it */
static char tag[40];

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

/* The kernel takes the programs of all hooks with all of it at once, and these see what is
 * inside. */
static void every_program(void **state)
{
	static const char *const queries[] = {
		"count of tag fix283 by pid, file",
		"count of tls by pid",
		"count of exit by pid",
		"time, pid of tracepoint \"sched:sched_switch\"",
		"count, p99(latency) of read by pid, stack",
		"time, pid, file, netns, cgroup of write",
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
		assert_int_equal(l.src->ops->start(l.src, &l.err), 0);
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

	live_plan(&l, "pid of processes", NULL);
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
		cmocka_unit_test(tags),
		cmocka_unit_test_teardown(every_program, cgroups_remove),
		cmocka_unit_test_teardown(table_of_processes, cgroups_remove),
	};

	live_require();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
