/* test_btf.c - offsets and ids from BTF images: a small one made here, damaged ones, and the running kernel's against libbpf. */
#include <bpf/btf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "probes/btf.h"

/* task_struct { int pid; union { struct { int tgid; }; int other; }; char comm[16]; }, with a bit offset encoded both ways. */
static struct btf *small(void)
{
	struct btf *b = btf__new_empty();
	int i = btf__add_int(b, "int", 4, BTF_INT_SIGNED), c = btf__add_int(b, "char", 1, 0), in, un;

	in = btf__add_struct(b, NULL, 4);
	btf__add_field(b, "tgid", i, 0, 0);
	un = btf__add_union(b, NULL, 4);
	btf__add_field(b, NULL, in, 0, 0);
	btf__add_field(b, "other", i, 0, 0);
	int comm = btf__add_array(b, i, c, 16);
	btf__add_struct(b, "task_struct", 64);
	btf__add_field(b, "flag", i, 0, 1);  /* a bit field: the struct's offsets are then encoded with sizes */
	btf__add_field(b, "pid", i, 64, 0);
	btf__add_field(b, NULL, un, 96, 0);
	btf__add_field(b, "comm", comm, 128, 0);
	btf__add_typedef(b, "btf_trace_sys_exit", i);
	return b;
}

static void offsets(void **state)
{
	struct btf *b = small();
	const void *image;
	struct rn_btf got;
	uint32_t n;
	(void)state;

	image = btf__raw_data(b, &n);
	assert_int_equal(rn_btf_scan(&got, image, n, NULL), 0);
	assert_int_equal(got.off[RN_BM_TASK_PID], 8);
	assert_int_equal(got.off[RN_BM_TASK_TGID], 12);
	assert_int_equal(got.off[RN_BM_TASK_COMM], 16);
	assert_int_equal(got.off[RN_BM_CRED_UID], -1);
	assert_int_equal(got.trace[RN_HOOK_SYS_EXIT], btf__find_by_name(b, "btf_trace_sys_exit"));
	assert_int_equal(got.trace[RN_HOOK_SYS_ENTER], 0);
	btf__free(b);
}

/* Every truncation and every changed byte gives an answer or an error, never a crash (run with SAN=1). */
static void damaged(void **state)
{
	struct btf *b = small();
	struct rn_err err;
	struct rn_btf got;
	uint32_t n, refused = 0;
	const void *image = btf__raw_data(b, &n);
	(void)state;

	for (uint32_t len = 0; len < n; len++) {
		char *copy = malloc(len ? len : 1);
		memcpy(copy, image, len);
		refused += rn_btf_scan(&got, copy, len, &err) == -EBADMSG;
		free(copy);
	}
	assert_int_equal(refused, n);
	for (uint32_t at = 0; at < n; at++) {
		char *copy = malloc(n);
		memcpy(copy, image, n);
		copy[at] ^= (char)0xff;
		rn_btf_scan(&got, copy, n, &err);
		free(copy);
	}
	btf__free(b);
}

static void running_kernel(void **state)
{
	struct btf *b;
	struct rn_btf got;
	(void)state;

	if (access("/sys/kernel/btf/vmlinux", R_OK))
		skip();
	assert_int_equal(rn_btf_read(&got, NULL), 0);
	b = btf__load_vmlinux_btf();
	assert_non_null(b);
	assert_int_equal(got.trace[RN_HOOK_SYS_EXIT], btf__find_by_name_kind(b, "btf_trace_sys_exit", BTF_KIND_TYPEDEF));
	assert_int_equal(rn_btf_find("task_struct", BTF_KIND_STRUCT), btf__find_by_name_kind(b, "task_struct", BTF_KIND_STRUCT));
	assert_int_equal(rn_btf_find("no_such_thing", BTF_KIND_STRUCT), 0);
	const struct btf_type *t = btf__type_by_id(b, (uint32_t)btf__find_by_name_kind(b, "task_struct", BTF_KIND_STRUCT));
	for (unsigned i = 0; i < btf_vlen(t); i++) {
		const char *name = btf__name_by_offset(b, btf_members(t)[i].name_off);
		if (!strcmp(name, "comm"))
			assert_int_equal(got.off[RN_BM_TASK_COMM], btf_member_bit_offset(t, i) / 8);
		if (!strcmp(name, "tgid"))
			assert_int_equal(got.off[RN_BM_TASK_TGID], btf_member_bit_offset(t, i) / 8);
	}
	for (unsigned i = 0; i < RN_BM_COUNT; i++)
		assert_true(got.off[i] >= 0 || strncmp(rn_btf_member_name(i), "task_struct.", 12));
	btf__free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(offsets), cmocka_unit_test(damaged), cmocka_unit_test(running_kernel),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
