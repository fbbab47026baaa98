/* test_scope.c - the text of a node's scope: what it means on this machine, and what is said about
 * a wrong one. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "exec/node/scope.h"

static const char *mounted(void)
{
	struct stat st;

	return !stat("/sys/fs/cgroup/cgroup.procs", &st)           ? "/sys/fs/cgroup"
	       : !stat("/sys/fs/cgroup/unified/cgroup.procs", &st) ? "/sys/fs/cgroup/unified"
								   : NULL;
}

static bool first_pid_ns(void)
{
	struct stat st;

	return !stat("/proc/self/ns/pid", &st) && st.st_ino == 0xEFFFFFFC;
}

static void a_scope_means_the_processes_it_names(void **state)
{
	struct rn_scope s = {.npids = 0};
	struct rn_err err = {0};
	struct stat st;
	char text[300];

	(void)state;
	assert_int_equal(stat("/proc/self/ns/net", &st), 0);
	assert_int_equal(rn_scope_parse("netns", &s, &err), 0);
	assert_int_equal(s.netns_ino, st.st_ino);
	assert_true(!s.cgroup && !s.cgroup_id && !s.tree && !s.npids);
	if (first_pid_ns()) {
		s = (struct rn_scope){0};
		snprintf(text, sizeof(text), "netns,pid=%d", getpid());
		assert_int_equal(rn_scope_parse(text, &s, &err), 0);
		assert_int_equal(s.netns_ino, st.st_ino);
		assert_int_equal(s.tree, getpid());
	}
	if (mounted()) {
		s = (struct rn_scope){0};
		snprintf(text, sizeof(text), "cgroup=%s/", mounted());
		assert_int_equal(stat(mounted(), &st), 0);
		assert_int_equal(rn_scope_parse(text, &s, &err), 0);
		assert_int_equal(s.cgroup_id, st.st_ino);
		assert_string_equal(s.cgroup, mounted());
		rn_scope_free(&s);
		assert_null(s.cgroup);
	}
}

static void a_wrong_scope_is_an_error_with_a_hint(void **state)
{
	static const struct {
		const char *text;
		int code;
		const char *why, *hint;
	} cases[] = {
		{"", -EINVAL, "scope ``: this is no part of a kernel that can be a node",
		 "there are netns, cgroup=PATH and pid=N"},
		{"network", -EINVAL, "scope `network`", "netns"},
		{"netns=3", -EINVAL, "scope `netns=3`", "netns"},
		{"cgroup", -EINVAL, "scope `cgroup`", "cgroup=PATH"},
		{"pid=", -EINVAL, "scope `pid=`", "pid=N"},
		{"netns,", -EINVAL, "scope ``", "netns"},
		{"netns,netns", -EINVAL, "`netns` is there twice", ""},
		{"pid=x", -EINVAL, "scope `pid=x`: this is no process id", "for instance pid=1234"},
		{"pid=-3", -EINVAL, "no process id", "pid=1234"},
		{"pid=99999999", -EINVAL, "no process id", "pid=1234"},
		{"cgroup=/nonexistent/x", -ENOENT, "scope `cgroup=/nonexistent/x`: No such file",
		 "version 2"},
		{"cgroup=/etc", -ENOTDIR,
		 "scope `cgroup=/etc`: this is no directory of a cgroup of version 2", "version 2"},
	};
	struct rn_scope s;
	struct rn_err err;

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		memset(&s, 0, sizeof(s));
		memset(&err, 0, sizeof(err));
		assert_int_equal(rn_scope_parse(cases[i].text, &s, &err), cases[i].code);
		if (!strstr(err.text, cases[i].why) || !strstr(err.hint, cases[i].hint))
			fail_msg("%s: %s\n%s", cases[i].text, err.text, err.hint);
		assert_null(s.cgroup);
	}
}

static void a_process_that_ended(void **state)
{
	struct rn_scope s = {.npids = 0};
	struct rn_err err = {0};
	char text[40];
	int pid = fork();

	(void)state;
	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	snprintf(text, sizeof(text), "pid=%d", pid);
	assert_int_equal(rn_scope_parse(text, &s, &err), first_pid_ns() ? -ESRCH : -ENOTSUP);
	assert_non_null(strstr(err.text, text));
	assert_true(err.hint[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(a_scope_means_the_processes_it_names),
					   cmocka_unit_test(a_wrong_scope_is_an_error_with_a_hint),
					   cmocka_unit_test(a_process_that_ended)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
