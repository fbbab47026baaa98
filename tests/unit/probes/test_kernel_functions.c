/* test_kernel_functions.c - which of the kernel's functions a name means, and where they begin. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "probes/uprobe/user.h"

static const char with_addresses[] = "ffffffff81000004 vfs_read\n"
				     "ffffffff81000100 vfs_write\n"
				     "ffffffff81000204 twice\n"
				     "ffffffff81000304 twice [ext4]\n"
				     "ffffffff81000444 nowhere\n"
				     "ffffffff81000504 __probestub_a\n"
				     "ffffffff81000604 dead\n";
static const char symbols[] = "ffffffff81000000 T vfs_read\n"
			      "ffffffff81000100 t vfs_write\n"
			      "ffffffff81000200 t twice\n"
			      "ffffffff81000300 t twice\t[ext4]\n"
			      "ffffffff81000440 d nowhere\n"
			      "ffffffff81000500 t __probestub_a\n"
			      "ffffffff81000600 t dead\n";
static const char names[] = "vfs_read\n"
			    "twice\n"
			    "twice [ext4]\n"
			    "__ftrace_invalid_address___12\n"
			    "dead [beef]\n"
			    "beef\n";

static int find(struct rn_user *user, const char *list, const char *kallsyms, const char *arg,
		struct rn_err *err)
{
	FILE *l = fmemopen((void *)list, strlen(list), "r"),
	     *s = kallsyms ? fmemopen((void *)kallsyms, strlen(kallsyms), "r") : NULL;
	int r;

	assert_non_null(l);
	*user = (struct rn_user){0};
	r = rn_user_find_kernel(user, l, s, arg, err);
	(void)fclose(l);
	if (s)
		(void)fclose(s);
	return r;
}

static void addresses_are_where_functions_begin(void **state)
{
	struct rn_user u;

	(void)state;
	assert_int_equal(find(&u, with_addresses, symbols, "vfs_*, dead", NULL), 0);
	assert_int_equal(u.n, 3);
	assert_string_equal(u.at[0].name, "dead");
	assert_int_equal(u.at[0].off, 0xffffffff81000600);
	assert_int_equal(u.at[1].off, 0xffffffff81000000);
	assert_int_equal(u.at[2].off, 0xffffffff81000100);
	assert_int_equal(u.at[2].cookie, 2);
	assert_int_equal(u.left_out, 0);
	assert_int_equal(u.nidle, 1);
	assert_int_equal(u.idle[0].off, 0xffffffff81000500);
	assert_int_equal(u.idle[0].cookie, UINT64_MAX);
	rn_user_free(&u);
}

static void functions_of_one_name_have_one_number(void **state)
{
	struct rn_user u;

	(void)state;
	assert_int_equal(find(&u, with_addresses, symbols, "*", NULL), 0);
	assert_int_equal(u.n, 6);
	assert_int_equal(u.left_out, 1); /* it has no symbol */
	assert_string_equal(u.name[2], "twice");
	assert_string_equal(u.name[3], "twice");
	assert_true(u.at[2].off != u.at[3].off);
	assert_int_equal((uint32_t)u.at[2].cookie, 2);
	assert_int_equal((uint32_t)u.at[3].cookie, 2);
	assert_string_equal(u.file[u.at[2].cookie >> 32].path, "kernel");
	assert_string_equal(u.file[u.at[3].cookie >> 32].path, "ext4");
	rn_user_free(&u);
}

static void without_addresses_a_name_is_probed_once(void **state)
{
	struct rn_user u;

	(void)state;
	assert_int_equal(find(&u, names, symbols, "*", NULL), 0);
	assert_int_equal(u.n, 4); /* and nothing that the kernel calls invalid */
	for (unsigned i = 0; i < u.n; i++)
		assert_int_equal(u.at[i].off, 0);
	assert_string_equal(u.name[0], "beef");
	assert_string_equal(u.file[u.at[1].cookie >> 32].path, "beef");
	rn_user_free(&u);
	/* a kernel that hides where its functions are */
	assert_int_equal(find(&u, with_addresses, "0000000000000000 T vfs_read\n", "twice", NULL),
			 0);
	assert_int_equal(u.n, 1);
	assert_int_equal(u.at[0].off, 0);
	rn_user_free(&u);
}

static void the_nearest_name_is_told(void **state)
{
	struct rn_user u;
	struct rn_err err = {0};

	(void)state;
	assert_int_equal(find(&u, with_addresses, symbols, "vfs_red", &err), -ENOENT);
	assert_non_null(strstr(err.hint, "vfs_read"));
	rn_user_free(&u);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_are_where_functions_begin),
		cmocka_unit_test(functions_of_one_name_have_one_number),
		cmocka_unit_test(without_addresses_a_name_is_probed_once),
		cmocka_unit_test(the_nearest_name_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
