/* test_usdt.c - notes of static probes, and their operands: good, cut, too long, and lying. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/user.h>
#include <cmocka.h>
#include "probes/uprobe/usdt.h"

#define AT(reg) offsetof(struct user_regs_struct, reg)
enum { NONE = RN_NO_REGISTER };

/* ---- operands ---- */

static void operands_are_read(void **state)
{
	static const struct {
		const char *text;
		struct rn_operand is;
	} cases[] = {
		{"8@%rax", {0, AT(rax), NONE, RN_OPERAND_VALUE, 0, 0, 0}},
		{"-4@%edi", {0, AT(rdi), NONE, RN_OPERAND_VALUE, 0, 32, 1}},
		{"8@%r15d", {0, AT(r15), NONE, RN_OPERAND_VALUE, 0, 32, 0}},
		{"2@%r8w", {0, AT(r8), NONE, RN_OPERAND_VALUE, 0, 48, 0}},
		{"-1@%sil", {0, AT(rsi), NONE, RN_OPERAND_VALUE, 0, 56, 1}},
		{"1@%ch", {0, AT(rcx) + 1, NONE, RN_OPERAND_VALUE, 0, 56, 0}},
		{"4@%dh", {0, AT(rdx) + 1, NONE, RN_OPERAND_VALUE, 0, 56, 0}},
		{"-4@$-1", {UINT64_MAX, NONE, NONE, RN_OPERAND_VALUE, 0, 32, 1}},
		{"8@$0x10", {16, NONE, NONE, RN_OPERAND_VALUE, 0, 0, 0}},
		{"4@(%rsp)", {0, AT(rsp), NONE, RN_OPERAND_MEMORY, 0, 32, 0}},
		{"8@-16(%rbp)", {(uint64_t)-16, AT(rbp), NONE, RN_OPERAND_MEMORY, 0, 0, 0}},
		{"8@8(%r12,%r13)", {8, AT(r12), AT(r13), RN_OPERAND_MEMORY, 0, 0, 0}},
		{"-2@(%rax,%rbx,8)", {0, AT(rax), AT(rbx), RN_OPERAND_MEMORY, 3, 48, 1}},
		{"1@4(,%rcx,2)", {4, NONE, AT(rcx), RN_OPERAND_MEMORY, 1, 56, 0}},
	};
	struct rn_operands o;
	const char *why[RN_OPERANDS];

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		if (rn_usdt_operands(cases[i].text, &o, why) != 1 || why[0] ||
		    memcmp(&o.arg[0], &cases[i].is, sizeof(o.arg[0])) != 0)
			fail_msg("%s: %s", cases[i].text, why[0] ? why[0] : "wrong");
		assert_int_equal(o.arg[1].kind, RN_OPERAND_NONE);
	}
}

static void others_say_why(void **state)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{"8@sym(%rip)", "symbol"},
		{"8@16(%rip)", "symbol"},
		{"8@8+sym(%rip)", "symbol"},
		{"8@sym", "symbol"},
		{"8@$sym", "symbol"},
		{"8@%xmm0", "floating"},
		{"8f@%xmm1", "floating"},
		{"8@%st(1)", "floating"},
		{"%rax", "not understood"},
		{"3@%rax", "not understood"},
		{"8@", "not understood"},
		{"8@%", "not understood"},
		{"8@%raxx", "not"},
		{"8@%cr3", "not"},
		{"8@(%al)", "not"},
		{"8@(%rax", "not"},
		{"8@()", "not"},
		{"8@4", "not"},
		{"8@(%rax,%rbx,3)", "not"},
		{"8@(%rax,%rbx,16)", "not"},
		{"8@(%rax)x", "not"},
		{"8@%raxx8@%rbx", "not"},
		{"-9223372036854775808@%rax", "not"},
		{"8@$99999999999999999999", "not"},
	};
	struct rn_operands o;
	const char *why[RN_OPERANDS];

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(rn_usdt_operands(cases[i].text, &o, why), 1);
		if (!why[0] || !strstr(why[0], cases[i].why) || o.arg[0].kind != RN_OPERAND_UNKNOWN)
			fail_msg("%s: %s", cases[i].text, why[0] ? why[0] : "taken");
	}
}

static void so_many_are_taken(void **state)
{
	char text[8 * 20 + 1] = "", longest[RN_USDT_OPERAND + 40];
	struct rn_operands o;
	const char *why[RN_OPERANDS];

	(void)state;
	assert_int_equal(rn_usdt_operands("", &o, why), 0);
	assert_int_equal(rn_usdt_operands("  8@%rax   4@$1 ", &o, why), 2);
	assert_int_equal(o.arg[1].constant, 1);
	for (unsigned i = 0; i < 20; i++)
		strcat(text, "8@%rax ");
	assert_int_equal(rn_usdt_operands(text, &o, why), RN_OPERANDS);
	memset(longest, '0', sizeof(longest));
	memcpy(longest, "8@$", 3);
	longest[sizeof(longest) - 1] = 0;
	assert_int_equal(rn_usdt_operands(longest, &o, why), 1);
	assert_non_null(why[0]);
}

/* ---- notes ---- */

struct notes {
	uint8_t bytes[4096];
	size_t n;
};

static void put(struct notes *to, const void *from, size_t n)
{
	memcpy(to->bytes + to->n, from, n);
	to->n += n;
}

static void pad(struct notes *to)
{
	while (to->n % 4)
		to->bytes[to->n++] = 0;
}

/* A note of any type and owner; text: `provider\0name\0args\0`. */
static void add(struct notes *to, uint32_t type, const char *owner, bool wide, const char *text,
		size_t bytes)
{
	static const uint64_t address[] = {0x1111, 0x2222, 0x3334};
	uint32_t head[] = {(uint32_t)strlen(owner) + 1, (uint32_t)(bytes + (wide ? 24 : 12)), type};

	put(to, head, sizeof(head));
	put(to, owner, head[0]);
	pad(to);
	for (unsigned i = 0; i < 3; i++)
		put(to, &address[i], wide ? 8 : 4);
	put(to, text, bytes);
	pad(to);
}
#define ADD(to, text) add(to, 3, "stapsdt", true, text, sizeof(text))

struct seen {
	char text[1000];
	unsigned most;
};

static bool see(void *self, const struct rn_usdt_note *note)
{
	struct seen *s = self;
	size_t n = strlen(s->text);

	snprintf(s->text + n, sizeof(s->text) - n, "%s:%s(%s)@%llx/%llx/%llx;", note->provider,
		 note->name, note->args, (unsigned long long)note->location,
		 (unsigned long long)note->base, (unsigned long long)note->semaphore);
	return !s->most || --s->most;
}

static void notes_are_read(void **state)
{
	struct notes n = {.n = 0};
	struct seen s = {.most = 0};

	(void)state;
	ADD(&n, "p\0one\0"
		"8@%rax");
	add(&n, 1, "GNU", true, "x", 2);          /* another's */
	add(&n, 4, "stapsdt", true, "p\0q\0", 5); /* of another type */
	ADD(&n, "p\0two\0");
	assert_true(rn_usdt_notes(n.bytes, n.n, true, see, &s));
	assert_string_equal(s.text, "p:one(8@%rax)@1111/2222/3334;p:two()@1111/2222/3334;");
	s = (struct seen){.most = 1};
	assert_true(rn_usdt_notes(n.bytes, n.n, true, see, &s));
	assert_string_equal(s.text, "p:one(8@%rax)@1111/2222/3334;");
	n.n = 0;
	add(&n, 3, "stapsdt", false, "p\0three\0", 9);
	s = (struct seen){.most = 0};
	assert_true(rn_usdt_notes(n.bytes, n.n, false, see, &s));
	assert_string_equal(s.text, "p:three()@1111/2222/3334;");
	assert_true(rn_usdt_notes(n.bytes, 0, true, see, &s));
}

static void bad_notes_are_left_out(void **state)
{
	static const struct {
		const char *text;
		size_t n;
	} bad[] = {
		{"p\0name\0args", 11}, /* no end */
		{"p\0name", 7},        {"p", 1},       {"", 0},
		{"\0name\0", 7},       {"p\0\0", 4},   {"p\0a b\0", 7},
		{"p\0a:b\0", 7},       {"p*\0a\0", 6}, {"p\0\x1b[m\0", 7},
		{"p\0\xc3\xa4\0", 6},
	};
	char longest[3 * RN_USDT_NAME] = "p";

	(void)state;
	for (unsigned i = 0; i <= sizeof(bad) / sizeof(*bad); i++) {
		struct notes n = {.n = 0};
		struct seen s = {.most = 0};

		if (i < sizeof(bad) / sizeof(*bad)) {
			add(&n, 3, "stapsdt", true, bad[i].text, bad[i].n);
		} else {
			memset(longest + 2, 'x', RN_USDT_NAME + 1);
			add(&n, 3, "stapsdt", true, longest, sizeof(longest));
		}
		ADD(&n, "p\0good\0");
		assert_false(rn_usdt_notes(n.bytes, n.n, true, see, &s));
		assert_string_equal(s.text, "p:good()@1111/2222/3334;");
	}
}

/* Whatever is cut off, or claimed, nothing beyond the bytes is read: sanitizers would tell. */
static void lengths_may_lie(void **state)
{
	static const uint32_t lies[] = {0, 1, 0x7fffffff, 0xfffffffd, 0xffffffff};

	(void)state;
	for (unsigned field = 0; field < 2; field++)
		for (unsigned i = 0; i < sizeof(lies) / sizeof(*lies); i++) {
			struct notes n = {.n = 0};
			struct seen s = {.most = 0};

			ADD(&n, "p\0one\0");
			memcpy(n.bytes + 4 * (size_t)field, &lies[i], 4);
			rn_usdt_notes(n.bytes, n.n, true, see, &s);
			assert_string_equal(s.text, "");
		}
	for (size_t cut = 0;; cut++) {
		struct notes n = {.n = 0};
		struct seen s = {.most = 0};
		bool whole;

		ADD(&n, "p\0one\0");
		if (cut >= n.n)
			break;
		/* the zeros at its end may be missing */
		whole = rn_usdt_notes(n.bytes, cut, true, see, &s);
		assert_int_equal(whole, !cut || s.text[0] != 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operands_are_read),      cmocka_unit_test(others_say_why),
		cmocka_unit_test(so_many_are_taken),      cmocka_unit_test(notes_are_read),
		cmocka_unit_test(bad_notes_are_left_out), cmocka_unit_test(lengths_may_lie),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
