/* test_btf.c - offsets and ids from BTF images: a small one made here, damaged ones, and the
 * running kernel's against libbpf. */
#include <bpf/btf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "probes/kernel/btf_image.h"
#include "probes/kernel/btf_subset.h"
#include "probes/kernel/btf_walk.h"
#include "probes/gen/hooks.h"

/* task_struct { int pid; union { struct { int tgid; }; int other; }; char comm[16]; }, with a bit
 * offset encoded both ways. */
static struct btf *small(void)
{
	struct btf *b = btf__new_empty();
	int i = btf__add_int(b, "int", 4, BTF_INT_SIGNED), c = btf__add_int(b, "char", 1, 0), in,
	    un;
	int comm;

	in = btf__add_struct(b, NULL, 4);
	btf__add_field(b, "tgid", i, 0, 0);
	un = btf__add_union(b, NULL, 4);
	btf__add_field(b, NULL, in, 0, 0);
	btf__add_field(b, "other", i, 0, 0);
	comm = btf__add_array(b, i, c, 16);
	btf__add_struct(b, "task_struct", 64);
	/* a bit field: the struct's offsets are then encoded with sizes */
	btf__add_field(b, "flag", i, 0, 1);
	btf__add_field(b, "pid", i, 64, 0);
	btf__add_field(b, NULL, un, 96, 0);
	btf__add_field(b, "comm", comm, 128, 0);
	btf__add_typedef(b, "btf_trace_sys_exit", i);
	return b;
}

static void offsets_of_members_are_found(void **state)
{
	struct btf *b = small();
	const void *image;
	struct rn_btf_trace want[RN_HOOK_MAX];
	struct rn_btf got;
	uint32_t n;

	(void)state;

	image = btf__raw_data(b, &n);
	assert_int_equal(rn_btf_scan(&got, image, n, want, rn_hook_traces(want), NULL), 0);
	assert_int_equal(got.off[RN_BM_TASK_PID], 8);
	assert_int_equal(got.off[RN_BM_TASK_TGID], 12);
	assert_int_equal(got.off[RN_BM_TASK_COMM], 16);
	assert_int_equal(got.off[RN_BM_CRED_UID], -1);
	assert_int_equal(got.trace[RN_HOOK_SYS_EXIT], btf__find_by_name(b, "btf_trace_sys_exit"));
	assert_int_equal(got.trace[RN_HOOK_SYS_ENTER], 0);
	btf__free(b);
}

/* Every truncation and every changed byte gives an answer or an error, never a crash (run with
 * SAN=1). */
static void damaged_types_give_an_error_and_no_crash(void **state)
{
	struct btf *b = small();
	struct rn_err err;
	struct rn_btf_trace want[RN_HOOK_MAX];
	struct rn_btf got;
	uint32_t n, refused = 0;
	const void *image = btf__raw_data(b, &n);

	(void)state;

	for (uint32_t len = 0; len < n; len++) {
		char *copy = malloc(len ? len : 1);

		memcpy(copy, image, len);
		refused +=
			rn_btf_scan(&got, copy, len, want, rn_hook_traces(want), &err) == -EBADMSG;
		free(copy);
	}
	assert_int_equal(refused, n);
	for (uint32_t at = 0; at < n; at++) {
		char *copy = malloc(n);

		memcpy(copy, image, n);
		copy[at] ^= (char)0xff;
		rn_btf_scan(&got, copy, n, want, rn_hook_traces(want), &err);
		free(copy);
	}
	btf__free(b);
}

static void running_kernel(void **state)
{
	struct btf *b;
	struct rn_btf_trace want[RN_HOOK_MAX];
	struct rn_btf got;
	const struct btf_type *t;

	(void)state;

	if (access("/sys/kernel/btf/vmlinux", R_OK))
		skip();
	assert_int_equal(rn_btf_read(&got, want, rn_hook_traces(want), NULL), 0);
	b = btf__load_vmlinux_btf();
	assert_non_null(b);
	assert_int_equal(got.trace[RN_HOOK_SYS_EXIT],
			 btf__find_by_name_kind(b, "btf_trace_sys_exit", BTF_KIND_TYPEDEF));
	assert_int_equal(rn_btf_find("task_struct", BTF_KIND_STRUCT),
			 btf__find_by_name_kind(b, "task_struct", BTF_KIND_STRUCT));
	assert_int_equal(rn_btf_find("no_such_thing", BTF_KIND_STRUCT), 0);
	t = btf__type_by_id(b, (uint32_t)btf__find_by_name_kind(b, "task_struct", BTF_KIND_STRUCT));
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

/* By kind and name, the first that is so; what is damaged after the first type is an error; all
 * types have their places afterwards. */
static void types_are_found_by_kind_and_name(void **state)
{
	struct btf *b = small();
	struct rn_btf_name v[] = {{"task_struct", BTF_KIND_STRUCT, 0},
				  {"task_struct", BTF_KIND_UNION, 0},
				  {"int", BTF_KIND_INT, 0},
				  {"btf_trace_sys_exit", BTF_KIND_TYPEDEF, 0},
				  {"", BTF_KIND_STRUCT, 0},
				  {"int", BTF_KIND_INT, 77},
				  {"int", BTF_KIND_INT, 0}};
	struct rn_btf_image m;
	uint32_t n;
	const void *image;

	(void)state;

	btf__add_struct(b, "task_struct", 8);
	image = btf__raw_data(b, &n);
	assert_int_equal(rn_btf_image_parse(&m, image, n, NULL), 0);
	assert_int_equal(rn_btf_image_find(&m, v, sizeof(v) / sizeof(*v)), 0);
	assert_int_equal(v[0].id, btf__find_by_name_kind(b, "task_struct", BTF_KIND_STRUCT));
	assert_int_equal(v[1].id, 0);
	assert_int_equal(v[2].id, 1);
	assert_int_equal(v[3].id, btf__find_by_name(b, "btf_trace_sys_exit"));
	assert_int_equal(v[4].id, 0); /* without a name it is not found */
	assert_int_equal(v[5].id, 77);
	assert_int_equal(v[6].id, 1);
	assert_int_equal(m.n, btf__type_cnt(b) - 1);
	for (uint32_t id = 1; id <= m.n; id++)
		assert_memory_equal(rn_btf_image_type(&m, id), btf__type_by_id(b, id),
				    sizeof(struct btf_type));
	assert_null(rn_btf_image_type(&m, 0));
	assert_null(rn_btf_image_type(&m, m.n + 1));
	rn_btf_image_close(&m);
	btf__free(b);
}

/* "LOW=-1 A=0 " */
static void put_enumerator(void *self, const char *name, int64_t number)
{
	char *text = self;

	sprintf(text + strlen(text), "%s=%lld ", name, (long long)number);
}

static void enumerations_tell_their_numbers(void **state)
{
	struct btf *b = btf__new_empty();
	struct rn_btf_image m;
	char text[4096] = "";
	const void *image;
	uint32_t n;

	(void)state;
	btf__add_enum(b, "signed", 4);
	btf__add_enum_value(b, "LOW", -1);
	btf__add_enum_value(b, "A", 0);
	btf__add_enum(b, "unsigned", 4);
	btf__add_enum_value(b, "HIGH", 0xfffffff0);
	btf__add_enum_value(b, "ALIAS", 0xfffffff0);
	btf__add_enum(b, "twice", 4);
	btf__add_enum_value(b, "ONE", 1);
	btf__add_enum(b, "twice", 4);
	btf__add_enum_value(b, "ONE", 2);
	btf__add_int(b, "number", 4, 0);
	image = btf__raw_data(b, &n);
	assert_int_equal(rn_btf_image_parse(&m, image, n, NULL), 0);
	assert_true(rn_btf_image_enum(&m, "signed", put_enumerator, text));
	assert_string_equal(text, "LOW=-1 A=0 ");
	*text = 0;
	assert_true(rn_btf_image_enum(&m, "unsigned", put_enumerator, text));
	assert_string_equal(text, "HIGH=4294967280 ALIAS=4294967280 ");
	*text = 0;
	assert_false(rn_btf_image_enum(&m, "twice", put_enumerator, text));
	assert_false(rn_btf_image_enum(&m, "number", put_enumerator, text));
	assert_false(rn_btf_image_enum(&m, "", put_enumerator, text));
	assert_string_equal(text, "");
	rn_btf_image_close(&m);
	btf__free(b);
}

static int bit_of(const struct btf *b, const char *strct, const char *member)
{
	const struct btf_type *t =
		btf__type_by_id(b, (uint32_t)btf__find_by_name_kind(b, strct, BTF_KIND_STRUCT));

	for (unsigned i = 0; t && i < btf_vlen(t); i++)
		if (!strcmp(btf__name_by_offset(b, btf_members(t)[i].name_off), member))
			return (int)btf_member_bit_offset(t, i);
	return -1;
}

/* What the precompiled functions are relocated against says the same as all of the kernel's
 * types. */
static void the_subset_says_what_all_types_say(void **state)
{
	static const char *const members[][2] = {{"file", "f_inode"},      {"file", "f_pos"},
						 {"inode", "i_ino"},       {"dentry", "d_parent"},
						 {"task_struct", "files"}, {"files_struct", "fdt"},
						 {"super_block", "s_dev"}, {"mount", "mnt_parent"}};
	struct rn_btf_subset s;
	struct btf *all, *part;

	(void)state;

	if (access("/sys/kernel/btf/vmlinux", R_OK))
		skip();
	assert_int_equal(rn_btf_subset_read(&s, NULL), 0);
	all = btf__load_vmlinux_btf();
	part = btf__new(s.image, (uint32_t)s.bytes);
	assert_non_null(part);
	assert_int_equal(s.ids.file, btf__find_by_name_kind(all, "file", BTF_KIND_STRUCT));
	assert_int_equal(s.ids.task, btf__find_by_name_kind(all, "task_struct", BTF_KIND_STRUCT));
	for (unsigned i = 0; i < sizeof(members) / sizeof(*members); i++) {
		assert_true(bit_of(all, members[i][0], members[i][1]) >= 0);
		assert_int_equal(bit_of(part, members[i][0], members[i][1]),
				 bit_of(all, members[i][0], members[i][1]));
	}
	assert_true(btf__type_cnt(part) < btf__type_cnt(all) / 10);
	assert_int_equal(rn_btf_subset_stale(&s), 0);
	btf__free(part);
	btf__free(all);
	rn_btf_subset_free(&s);
}

/* ---- the way to a member ---- */

/* struct inner { char name[16]; struct inner *next; u32 a:3, b:5; __be16 port; enum color c;
 *                struct { long x[4]; } arr; char *text; }
 * struct outer { int n; struct inner in; struct inner *to; } */
static struct btf *nested(uint32_t *inner, uint32_t *outer)
{
	struct btf *b = btf__new_empty();
	int n = btf__add_int(b, "int", 4, BTF_INT_SIGNED), c = btf__add_int(b, "char", 1, 0),
	    u = btf__add_int(b, "unsigned int", 4, 0),
	    l = btf__add_int(b, "long", 8, BTF_INT_SIGNED),
	    h = btf__add_int(b, "unsigned short", 2, 0), be = btf__add_typedef(b, "__be16", h),
	    name = btf__add_array(b, n, c, 16), x = btf__add_array(b, n, l, 4), color, unnamed, to,
	    text = btf__add_ptr(b, c), in;

	color = btf__add_enum(b, "color", 4);
	btf__add_enum_value(b, "RED", 0);
	btf__add_enum_value(b, "BLUE", 7);
	unnamed = btf__add_struct(b, NULL, 32);
	btf__add_field(b, "x", x, 0, 0);
	to = btf__add_ptr(b, unnamed + 2); /* the next but one */
	in = btf__add_struct(b, "inner", 88);
	assert_int_equal(in, unnamed + 2);
	btf__add_field(b, "name", name, 0, 0);
	btf__add_field(b, "next", to, 128, 0);
	btf__add_field(b, "a", u, 192, 3);
	btf__add_field(b, "b", u, 195, 5);
	btf__add_field(b, "port", be, 208, 0);
	btf__add_field(b, "c", color, 224, 0);
	btf__add_field(b, "arr", unnamed, 256, 0);
	btf__add_field(b, "text", text, 512, 0);
	btf__add_field(b, NULL, unnamed, 576, 0);
	*inner = (uint32_t)in;
	*outer = (uint32_t)btf__add_struct(b, "outer", 200);
	btf__add_field(b, "n", n, 0, 0);
	btf__add_field(b, "in", in, 64, 0);
	btf__add_field(b, "to", to, 64 + 8 * 104, 0);
	return b;
}

/* Goes from a pointer to `type` by "a.b[2].c"; 0, or why not. */
static int go(const struct rn_btf_image *image, uint32_t type, const char *path,
	      struct rn_walk *walk, struct rn_err *err)
{
	struct rn_btf_cursor at = {.image = image, .type = type, .points = true};
	int r = 0;

	memset(err, 0, sizeof(*err));
	while (!r && *path) {
		size_t n = strcspn(path, ".[");

		if (*path == '[') {
			r = rn_btf_to_element(&at, (uint32_t)strtoul(path + 1, NULL, 10), err);
			path = strchr(path, ']') + 1;
		} else {
			r = rn_btf_to_member(&at, path, n, err);
			path += n;
		}
		path += *path == '.';
	}
	return r ? r : rn_btf_arrive(&at, walk, err);
}

static void a_way_leads_to_a_member(void **state)
{
	struct rn_btf_image image = {0};
	struct rn_walk w = {0};
	struct rn_err err;
	uint32_t inner, outer, n;
	struct btf *b = nested(&inner, &outer);
	const void *bytes = btf__raw_data(b, &n);

	(void)state;
	assert_int_equal(rn_btf_image_parse(&image, bytes, n, NULL), 0);
	assert_int_equal(rn_btf_image_find(&image, NULL, 0), 0);

	assert_int_equal(go(&image, outer, "in.arr.x[2]", &w, &err), 0);
	assert_int_equal(w.nload, 0);
	assert_int_equal(w.off[0], 8 + 32 + 16);
	assert_true(w.is_signed && w.bytes == 8 && !w.bits);
	assert_int_equal(go(&image, outer, "to.next.x[1]", &w, &err), 0);
	assert_int_equal(w.nload, 2);
	assert_int_equal(w.off[0], 112);
	assert_int_equal(w.off[1], 16);
	assert_int_equal(w.off[2], 72 + 8);
	assert_int_equal(go(&image, inner, "b", &w, &err), 0);
	assert_true(w.off[0] == 24 && w.first_bit == 3 && w.bits == 5 && !w.is_signed);
	assert_int_equal(go(&image, outer, "in.port", &w, &err), 0);
	assert_true(w.off[0] == 8 + 26 && w.bytes == 2 && w.big_endian);
	assert_int_equal(go(&image, outer, "in.c", &w, &err), 0);
	assert_true(w.enumeration != 0);
	assert_int_equal(go(&image, outer, "to.name", &w, &err), 0);
	assert_true(w.kind == RN_WALK_CHARS && w.bytes == 16 && w.nload == 1);
	assert_int_equal(go(&image, outer, "in.text", &w, &err), 0);
	assert_int_equal(w.kind, RN_WALK_STRING);
	assert_int_equal(go(&image, outer, "to[2].c", &w, &err), 0);
	assert_int_equal(w.off[1], 2 * 88 + 28);

	assert_int_equal(go(&image, outer, "in.namee", &w, &err), -ENOENT);
	assert_string_equal(err.text, "struct inner has no member `namee`");
	assert_string_equal(err.hint, "did you mean `name`?");
	assert_true(go(&image, outer, "in", &w, &err) < 0);
	assert_true(go(&image, outer, "in.arr.x[4]", &w, &err) == -ERANGE);
	assert_true(go(&image, outer, "n.x", &w, &err) < 0);
	assert_true(go(&image, outer, "in.b.x", &w, &err) < 0);
	assert_true(go(&image, outer, "to.next.next.next.next.next.next.next.next.next.a", &w,
		       &err) == -E2BIG);
	rn_btf_image_close(&image);
	btf__free(b);
}

static void the_struct_around_a_member(void **state)
{
	struct rn_btf_image image = {0};
	struct rn_btf_cursor at;
	struct rn_err err = {0};
	struct rn_walk w = {0};
	uint32_t inner, outer, n;
	struct btf *b = nested(&inner, &outer);
	const void *bytes = btf__raw_data(b, &n);

	(void)state;
	assert_int_equal(rn_btf_image_parse(&image, bytes, n, NULL), 0);
	assert_int_equal(rn_btf_image_find(&image, NULL, 0), 0);
	at = (struct rn_btf_cursor){.image = &image, .type = inner, .points = true};
	assert_int_equal(rn_btf_container(&at, outer, "in", &err), 0);
	assert_int_equal(rn_btf_to_member(&at, "n", 1, &err), 0);
	assert_int_equal(rn_btf_arrive(&at, &w, &err), 0);
	assert_true(!w.nload && w.off[0] == -8 && w.bytes == 4);
	at = (struct rn_btf_cursor){.image = &image, .type = inner, .points = true};
	assert_true(rn_btf_container(&at, outer, "to.next", &err) < 0); /* a pointer lies between */
	rn_btf_image_close(&image);
	btf__free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(offsets_of_members_are_found),
		cmocka_unit_test(a_way_leads_to_a_member),
		cmocka_unit_test(the_struct_around_a_member),
		cmocka_unit_test(damaged_types_give_an_error_and_no_crash),
		cmocka_unit_test(running_kernel),
		cmocka_unit_test(enumerations_tell_their_numbers),
		cmocka_unit_test(types_are_found_by_kind_and_name),
		cmocka_unit_test(the_subset_says_what_all_types_say),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
