/* test_call_args.c - the table of pointers among the arguments of system calls, against the formats
 * of this kernel's own tracepoints. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "lang/catalog/call_args.h"
#include "probes/catalog/tracefs.h"

static const char prefix[] = "syscalls:sys_enter_";

/* Bit n: the format says that argument n, which follows the call's number, is a pointer. */
static unsigned by_format(const struct rn_tp *tp)
{
	unsigned bits = 0;

	for (unsigned i = 0; i < tp->nfields; i++)
		if (tp->field[i].offset >= 16 && tp->field[i].field.ty.unit == RN_U_HEX)
			bits |= 1u << (tp->field[i].offset - 16) / 8;
	return bits;
}

static void pointers_are_those_of_the_formats(void **state)
{
	struct rn_arena *a = rn_arena_create(64 << 20);
	struct rn_err err = {0};
	int root = rn_tracefs_open(&err);
	const char *const *all = root < 0 ? NULL : rn_tracefs_events(a, root, &err);
	unsigned compared = 0;

	(void)state;
	if (!all)
		skip();
	for (; *all; all++) {
		const char *name = *all + sizeof(prefix) - 1;
		struct rn_tp tp = {0};
		int nr;

		if (strncmp(*all, prefix, sizeof(prefix) - 1))
			continue;
		nr = rn_sys_nr_of_tracepoint(name);
		if (nr < 0 || !rn_sys_name((unsigned)nr))
			continue;
		name = rn_sys_name((unsigned)nr);
		assert_int_equal(rn_tracefs_event(a, root, "syscalls",
						  *all + sizeof("syscalls:") - 1, &tp, &err),
				 0);
		if (rn_call_pointers(name, strlen(name)) != by_format(&tp))
			fail_msg("%s: %#x, its format says %#x", name,
				 rn_call_pointers(name, strlen(name)), by_format(&tp));
		compared++;
	}
	assert_true(compared > 250);
	close(root);
	rn_arena_destroy(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pointers_are_those_of_the_formats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
