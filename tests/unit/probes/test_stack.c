/* test_stack.c - symbols of the kernel and of ELF files, and the text of stacks of a process that
 * lives, of one that does not. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>
#include "probes/process/elf.h"
#include "probes/live/stack.h"
#include "probes/process/symbols.h"

static const char kallsyms[] = "ffffffff81000300 T third\n"
			       "ffffffff81000100 T __second\n"
			       "ffffffff81000100 t second\n"
			       "ffffffff81000100 W another_second\n"
			       "ffffffff81000000 T first\n"
			       "ffffffff81000200 D data_not_code\n"
			       "ffffffffc0000000 t in_module\t[mod]\n"
			       "0000000000000000 T hidden\n"
			       "broken\n"
			       "ffffffff81000400 T last_line";

static void kernel_symbols_by_address(void **state)
{
	struct rn_symbols *s = rn_symbols_kallsyms(kallsyms, strlen(kallsyms));
	static const struct {
		uint64_t at;
		const char *want;
	} cases[] = {
		{0xffffffff81000000, "first"},
		{0xffffffff810000ff, "first"},
		{0xffffffff81000100, "second"},
		{0xffffffff81000210, "second"},
		/* data is no function */ {0xffffffff81000300, "third"},
		{0xffffffff81000400, "last_line"},
		{0xffffffffc0000010, "in_module"},
		/* far beyond the last */
		{0xffffffff80ffffff, NULL},
		{0, NULL},
		{0xffffffffd0000000, NULL},
	};

	(void)state;

	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char got[64] = "(none)";
		size_t n = rn_symbols_find(s, cases[i].at, got, sizeof(got));

		assert_int_equal(n, cases[i].want ? strlen(cases[i].want) : 0);
		assert_string_equal(got, cases[i].want ? cases[i].want : "(none)");
	}
	rn_symbols_free(s);
}

static void hidden_addresses_are_no_symbols(void **state)
{
	static const char text[] = "0000000000000000 T a\n0000000000000000 t b\n";
	struct rn_symbols *s = rn_symbols_kallsyms(text, strlen(text));
	char out[64];

	(void)state;

	assert_int_equal(rn_symbols_find(s, 0, out, sizeof(out)), 0);
	assert_int_equal(rn_symbols_find(s, 0xffffffff81000000, out, sizeof(out)), 0);
	rn_symbols_free(s);
	s = rn_symbols_kallsyms("", 0);
	assert_int_equal(rn_symbols_find(s, 1, out, sizeof(out)), 0);
	rn_symbols_free(s);
}

/* Their addresses are looked for: they must stay functions of their own. */
__attribute__((noinline, noclone)) int stack_test_inner(int x);
__attribute__((noinline, noclone)) int stack_test_outer(int x);
int stack_test_inner(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x * 3;
}
int stack_test_outer(int x)
{
	__asm__ volatile("" : "+r"(x));
	return stack_test_inner(x) + 1;
}

static void not_elf_is_empty(void **state)
{
	int fd = open("/proc/self/status", O_RDONLY);
	struct rn_elf *e = rn_elf_open(fd, &rn_elf_found);
	struct rn_symbols *s = rn_symbols_elf(NULL);
	char out[64];

	(void)state;

	assert_int_equal(rn_symbols_find(s, 0x1000, out, sizeof(out)), 0);
	assert_int_equal(rn_symbols_address(s, 0x1234), 0x1234);
	rn_symbols_free(s);
	assert_null(e);
	close(fd);
	assert_null(rn_elf_open(-1, &rn_elf_found));
}

static void text_is(struct rn_stacks *s, const uint64_t *ip, unsigned n, uint64_t proc,
		    const char *want)
{
	struct rn_arena *a = rn_arena_create(1 << 20);
	struct rn_value v = rn_stacks_text(s, ip, n, true, proc, a);
	char *got = rn_arena_strndup(a, v.s, v.len);

	assert_string_equal(got, want);
	rn_arena_destroy(a);
}

static void stacks_of_a_process_root_first(void **state)
{
	struct rn_stacks *s = rn_stacks_create();
	static int data;
	uint64_t in = (uint64_t)(uintptr_t)&stack_test_inner,
		 out = (uint64_t)(uintptr_t)&stack_test_outer, me = (uint64_t)getpid();

	(void)state;

	assert_int_equal(stack_test_outer(1), 4);
	text_is(s, (uint64_t[]){in, out + 4}, 2, me, "stack_test_outer;stack_test_inner");
	/* the address of return right after a function's last call is the next function's: the call
	 * counts */
	text_is(s, (uint64_t[]){out, in + 1}, 2, me, "stack_test_inner;stack_test_outer");
	/* what is no code ends the stack: there was no frame pointer */
	text_is(s, (uint64_t[]){in, (uint64_t)(uintptr_t)&data, out}, 3, me, "stack_test_inner");
	text_is(s, (uint64_t[]){in, 8, out}, 3, me, "stack_test_inner");
	text_is(s, (uint64_t[]){0x10}, 1, me, "0x10");
	text_is(s, NULL, 0, me, "");
	assert_int_equal(rn_stacks_cut(s), 0);
	rn_stacks_free(s);
}

static void code_without_a_symbol(void **state)
{
	struct rn_stacks *s = rn_stacks_create();
	unsigned char *p =
		mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char want[64];

	(void)state;

	assert_ptr_not_equal(p, MAP_FAILED);
	snprintf(want, sizeof(want), "[anon]+0x%llx", (unsigned long long)(uintptr_t)(p + 16));
	text_is(s, (uint64_t[]){(uint64_t)(uintptr_t)(p + 16)}, 1, (uint64_t)getpid(), want);
	munmap(p, 4096);
	rn_stacks_free(s);
}

static void mappings_made_later_are_found(void **state)
{
	struct rn_stacks *s = rn_stacks_create();
	uint64_t in = (uint64_t)(uintptr_t)&stack_test_inner, me = (uint64_t)getpid();
	unsigned char *p;
	char want[96];

	(void)state;

	text_is(s, &in, 1, me, "stack_test_inner");
	p = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	snprintf(want, sizeof(want), "[anon]+0x%llx", (unsigned long long)(uintptr_t)p);
	text_is(s, (uint64_t[]){(uint64_t)(uintptr_t)p}, 1, me, want);
	munmap(p, 4096);
	rn_stacks_free(s);
}

static void a_process_that_is_gone(void **state)
{
	struct rn_stacks *s = rn_stacks_create();

	(void)state;

	text_is(s, (uint64_t[]){0x401000, 0x402001}, 2, 0x7fffffff,
		"[pid gone]+0x402000;[pid gone]+0x401000");
	/* a life before the last exec cannot be read any more, though the process lives */
	text_is(s, (uint64_t[]){(uint64_t)(uintptr_t)&stack_test_inner}, 1,
		(uint64_t)getpid() | 2ULL << 32, "stack_test_inner");
	text_is(s, (uint64_t[]){0x401000}, 1, (uint64_t)getpid() | 1ULL << 32,
		"[pid gone]+0x401000");
	rn_stacks_free(s);
}

static void deep_stacks_say_that_they_are_cut(void **state)
{
	struct rn_stacks *s = rn_stacks_create();
	struct rn_arena *a = rn_arena_create(1 << 20);
	uint64_t ip[RN_STACK_FRAMES];
	struct rn_value v;

	(void)state;

	for (unsigned i = 0; i < RN_STACK_FRAMES; i++)
		ip[i] = 0x400001 + i;
	v = rn_stacks_text(s, ip, RN_STACK_FRAMES, true, 0x7fffffff, a);
	assert_memory_equal(v.s, "...;[pid gone]+0x", 17);
	assert_int_equal(rn_stacks_cut(s), 1);
	rn_arena_destroy(a);
	rn_stacks_free(s);
}

static void numbers_that_are_no_stack(void **state)
{
	struct rn_stacks *s = rn_stacks_create();
	struct rn_arena *a = rn_arena_create(1 << 20);
	struct rn_value lost = rn_stacks_kernel(s, RN_STACK_LOST, a),
			none = rn_stacks_user(s, RN_STACK_NONE, 0, a);
	struct rn_value wrong =
		rn_stacks_kernel(s, (int64_t)RN_STACK_WAYS << RN_STACK_WAY_SHIFT, a);

	(void)state;

	assert_int_equal(none.len, 0);
	assert_int_equal(lost.len, 12);
	assert_memory_equal(lost.s, "(stack lost)", 12);
	assert_memory_equal(wrong.s, "(stack lost)", 12);
	rn_arena_destroy(a);
	rn_stacks_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernel_symbols_by_address),
		cmocka_unit_test(hidden_addresses_are_no_symbols),
		cmocka_unit_test(not_elf_is_empty),
		cmocka_unit_test(stacks_of_a_process_root_first),
		cmocka_unit_test(code_without_a_symbol),
		cmocka_unit_test(mappings_made_later_are_found),
		cmocka_unit_test(a_process_that_is_gone),
		cmocka_unit_test(deep_stacks_say_that_they_are_cut),
		cmocka_unit_test(numbers_that_are_no_stack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
