/* test_named.c - numbers with names, against what the headers of this machine say. */
#include <fcntl.h>
#include <linux/if_ether.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <cmocka.h>
#include "lang/values/named.h"

static struct rn_arena *arena;

static int set_up(void **state)
{
	(void)state;
	arena = rn_arena_create(1 << 20);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	rn_arena_destroy(arena);
	return 0;
}

static int64_t number(enum rn_unit unit, const char *name)
{
	int64_t n = -1;

	if (!rn_named_parse(unit, name, strlen(name), &n))
		fail_msg("%s has no number", name);
	return n;
}

static void numbers_are_those_of_the_headers(void **state)
{
	(void)state;
	assert_int_equal(number(RN_U_OPEN, "O_CREAT"), O_CREAT);
	assert_int_equal(number(RN_U_OPEN, "O_TMPFILE"), 020200000);
	assert_int_equal(number(RN_U_OPEN, "O_NDELAY"), O_NONBLOCK);
	assert_int_equal(number(RN_U_MAP, "MAP_ANONYMOUS"), MAP_ANONYMOUS);
	assert_int_equal(number(RN_U_PROT, "PROT_EXEC"), PROT_EXEC);
	assert_int_equal(number(RN_U_CLONE, "CLONE_NEWUSER"), 0x10000000);
	assert_int_equal(number(RN_U_SIGNAL, "SIGUSR2"), SIGUSR2);
	assert_int_equal(number(RN_U_FAMILY, "AF_INET6"), AF_INET6);
	assert_int_equal(number(RN_U_TCP, "TCP_LISTEN"), 10);
	assert_int_equal(number(RN_U_PROTO, "IPPROTO_UDP"), 17);
	assert_int_equal(number(RN_U_ETHER, "ETH_P_IPV6"), ETH_P_IPV6);
	assert_int_equal(number(RN_U_TASK, "TASK_PREEMPTED"), 0x100);
	assert_int_equal(number(RN_U_FAULT, "X86_PF_WRITE"), 2);
	assert_int_equal(number(RN_U_SOFTIRQ, "NET_RX"), 3);
	assert_int_equal(number(RN_U_WRITEBACK, "periodic"), 3);
}

static void what_is_no_name(void **state)
{
	int64_t n;

	(void)state;
	assert_false(rn_named_parse(RN_U_OPEN, "SIGKILL", 7, &n));
	assert_false(rn_named_parse(RN_U_SIGNAL, "SIGKIL", 6, &n));
	assert_false(rn_named_parse(RN_U_SIGNAL, "SIGKILLX", 8, &n));
	assert_false(rn_named_parse(RN_U_SIGNAL, "", 0, &n));
	assert_false(rn_named_parse(RN_U_NONE, "SIGKILL", 7, &n));
	assert_null(rn_named_set(RN_U_NS));
	assert_int_equal(rn_named_of_prefix("SKB_DROP_REASON_X"), RN_U_NONE);
	assert_int_equal(rn_named_of_prefix("TCP_CLOSE"), RN_U_TCP);
	assert_int_equal(rn_named_of_prefix("TASK_RUNNING"), RN_U_NONE);
	assert_int_equal(rn_named_of_prefix(""), RN_U_NONE);
}

static void shown(enum rn_unit unit, int64_t n, const char *want)
{
	assert_string_equal(rn_named_show(arena, unit, n), want);
}

static void as_people_read_them(void **state)
{
	(void)state;
	shown(RN_U_OPEN, O_RDONLY, "O_RDONLY");
	shown(RN_U_OPEN, O_WRONLY | O_CREAT | O_TRUNC, "O_WRONLY|O_CREAT|O_TRUNC");
	shown(RN_U_OPEN, O_RDWR | 04010000, "O_RDWR|O_SYNC"); /* which holds O_DSYNC */
	shown(RN_U_OPEN, O_NONBLOCK | 3, "O_NONBLOCK|0x3");
	shown(RN_U_OPEN, O_APPEND | 1LL << 40, "O_RDONLY|O_APPEND|0x10000000000");
	shown(RN_U_OPEN, INT64_MIN / 2, "O_RDONLY|0xc000000000000000");
	shown(RN_U_PROT, 0, "PROT_NONE");
	shown(RN_U_PROT, PROT_READ | PROT_EXEC, "PROT_EXEC|PROT_READ");
	shown(RN_U_MAP, MAP_PRIVATE | MAP_ANONYMOUS, "MAP_PRIVATE|MAP_ANONYMOUS");
	shown(RN_U_MAP, 0, "0");
	shown(RN_U_CLONE, 0x00000100 | SIGCHLD, "SIGCHLD|CLONE_VM");
	shown(RN_U_CLONE, 0x00000100, "CLONE_VM");
	shown(RN_U_SIGNAL, SIGKILL, "SIGKILL");
	shown(RN_U_SIGNAL, 0, "0");
	shown(RN_U_SIGNAL, 64, "64");
	shown(RN_U_SIGNAL, -5, "-5");
	shown(RN_U_FAMILY, AF_UNIX, "AF_UNIX");
	shown(RN_U_TCP, 1, "TCP_ESTABLISHED");
	shown(RN_U_TCP, 99, "99");
	shown(RN_U_TASK, 0, "TASK_RUNNING");
	shown(RN_U_TASK, 0x102, "TASK_UNINTERRUPTIBLE|TASK_PREEMPTED");
	shown(RN_U_FAULT, 6, "X86_PF_WRITE|X86_PF_USER");
	shown(RN_U_FAULT, 0, "0");
	shown(RN_U_ETHER, 0x0800, "ETH_P_IP");
	shown(RN_U_SOFTIRQ, 0, "HI");
	shown(RN_U_WRITEBACK, 2, "sync");
	shown(RN_U_WRITEBACK, 8, "8");
	/* as a query writes them */
	assert_string_equal(rn_named_constant(arena, RN_U_OPEN, O_CREAT), "O_CREAT");
	assert_string_equal(rn_named_constant(arena, RN_U_OPEN, O_ACCMODE), "O_ACCMODE");
	assert_string_equal(rn_named_constant(arena, RN_U_OPEN, 0), "O_RDONLY");
	assert_string_equal(rn_named_constant(arena, RN_U_OPEN, O_CREAT | O_EXCL),
			    "O_CREAT|O_EXCL");
}

/* Each name reads back as its number, and each number that is shown too. */
static void there_and_back(void **state)
{
	(void)state;
	for (enum rn_unit unit = RN_U_OPEN; unit < RN_UNITS; unit++) {
		const char *const *all = rn_named_all(arena, unit);
		unsigned n = 0;

		assert_non_null(rn_named_set(unit));
		for (; all[n]; n++) {
			int64_t value = number(unit, all[n]);

			assert_int_equal(number(unit, rn_named_constant(arena, unit, value)),
					 value);
		}
		assert_true(n >= 4);
		number(unit, rn_named_example(unit));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_those_of_the_headers),
		cmocka_unit_test(what_is_no_name),
		cmocka_unit_test(as_people_read_them),
		cmocka_unit_test(there_and_back),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
