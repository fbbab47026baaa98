/* test_child.c - the command of -c: held until it may go, its status, its end. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>
#include "repl/terminal/child.h"

static const struct rlimit files = {64, 64};

static char state_of(int pid)
{
	char path[64], line[512] = "", *p;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "r");
	if (!f)
		return 0;
	p = fgets(line, sizeof(line), f) ? strrchr(line, ')') : NULL;
	fclose(f);
	return p ? p[2] : 0;
}

static void wait_for(struct rn_child *c)
{
	while (!rn_child_exited(c))
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static void held_then_let_go(void **state)
{
	struct rn_child *c;
	struct rn_err err;

	(void)state;
	c = NULL;
	err = (struct rn_err){0};
	assert_int_equal(rn_child_create("exit 3", &files, &c, &err), 0);
	assert_int_equal(state_of(rn_child_pid(c)), 'T');
	assert_false(rn_child_exited(c));
	assert_int_equal(rn_child_status(c), -1);
	rn_child_go(c);
	wait_for(c);
	assert_int_equal(rn_child_status(c), 3);
	rn_child_destroy(c);
}

static void no_such_command(void **state)
{
	struct rn_child *c;
	struct rn_err err;

	(void)state;
	c = NULL;
	err = (struct rn_err){0};
	assert_int_equal(rn_child_create("exec /nonexistent/command 2>/dev/null", &files, &c, &err),
			 0);
	rn_child_go(c);
	wait_for(c);
	assert_int_equal(rn_child_status(c), 127);
	rn_child_destroy(c);
}

static void ended_with_the_query(void **state)
{
	struct rn_err err;

	(void)state;
	err = (struct rn_err){0};
	for (int go = 0; go < 2; go++) { /* held, and running */
		struct rn_child *c = NULL;
		int pid;

		assert_int_equal(rn_child_create("exec sleep 1000", &files, &c, &err), 0);
		pid = rn_child_pid(c);
		if (go)
			rn_child_go(c);
		rn_child_destroy(c);
		assert_int_equal(kill(pid, 0), -1);
	}
	rn_child_destroy(NULL);
}

static void ends_what_the_shell_started(void **state)
{
	char path[64], line[64] = "";
	struct rn_err err;
	struct rn_child *c;
	int grandchild;

	(void)state;
	err = (struct rn_err){0};
	c = NULL;
	grandchild = 0;
	/* two commands: the shell stays */
	assert_int_equal(rn_child_create("sleep 1000; true", &files, &c, &err), 0);
	rn_child_go(c);
	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)rn_child_pid(c),
		 (int)rn_child_pid(c));
	while (!grandchild) {
		FILE *f = fopen(path, "r");

		assert_non_null(f);
		if (fgets(line, sizeof(line), f))
			sscanf(line, "%d", &grandchild);
		fclose(f);
	}
	rn_child_destroy(c);
	for (int i = 0; i < 12000 && state_of(grandchild) && state_of(grandchild) != 'Z'; i++)
		nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
	assert_true(!state_of(grandchild) || state_of(grandchild) == 'Z');
}

static void stdout_goes_to_stderr(void **state)
{
	char text[64] = "";
	struct rn_child *c;
	struct rn_err err;
	FILE *f;
	int saved, r;

	(void)state;
	c = NULL;
	err = (struct rn_err){0};
	f = tmpfile();
	saved = dup(STDERR_FILENO);
	fflush(stderr);
	dup2(fileno(f), STDERR_FILENO);
	r = rn_child_create("echo to stdout", &files, &c, &err);
	dup2(saved, STDERR_FILENO);
	close(saved);
	assert_int_equal(r, 0);
	rn_child_go(c);
	wait_for(c);
	rewind(f);
	assert_non_null(fgets(text, sizeof(text), f));
	assert_string_equal(text, "to stdout\n");
	rn_child_destroy(c);
	fclose(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(held_then_let_go),
		cmocka_unit_test(no_such_command),
		cmocka_unit_test(ended_with_the_query),
		cmocka_unit_test(ends_what_the_shell_started),
		cmocka_unit_test(stdout_goes_to_stderr),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
