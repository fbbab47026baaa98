/* test_regex.c - which regular expressions are taken, and the messages for the others. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <cmocka.h>
#include "lang/values/regex.h"

/* 0, and it matches yes and not no; or the error. */
static const struct {
	const char *text;
	int r;
	const char *said, *yes, *no;
} cases[] = {
	{"x{1000}", 0},
	{"x{0,1000}y", 0, NULL, "xxy", "xx"},
	{"x{1000,}", 0},
	{"(ab){1000}", 0},
	{"(x{10}y){100}", 0},
	{"(x{500}){2}", 0},
	{"(a+){1000}", 0},
	{"x{3}", 0, NULL, "xxx", "xx"},
	{"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$", 0, NULL,
	 "0123abcd-0123-4567-89ab-0123456789ab", "0123abcd"},
	{"", 0, NULL, "any", NULL},
	{"a||b", 0, NULL, "", NULL},
	{"()", 0, NULL, "", NULL},
	{"((((a+)+)+)+)+", 0, NULL, "aa", "b"},
	{"(a*)*", 0, NULL, "", NULL},
	{"a{1000}{1}b{1000}", 0},
	{"a{100}|b{100}|c{100}", 0},
	{"\\{100\\}\\{100\\}", 0, NULL, "{100}{100}", "100"},
	{"[{]1000}[{]1000}", 0, NULL, "{1000}{1000}", "1"},
	{"[\\1]", 0, NULL, "1", "2"},
	{"\\\\1", 0, NULL, "\\1", "1"},
	{"[]{}]", 0, NULL, "{", "a"},
	{"[^]{9}]", 0, NULL, "a", "9"},
	{"[[:digit:]]{2}", 0, NULL, "12", "1"},
	{"[[.].]{9}]", 0, NULL, "]", "a"},
	{"[a[=b=]]{2}", 0, NULL, "ab", "a"},
	{"\\.log$", 0, NULL, "x.log", "xlog"},
	{"a)b", 0, NULL, "a)b", "ab"},

	{"((((a{1,100}){1,100}){1,100}){1,100})", -E2BIG,
	 "repeats inside of one another multiply to more than 1000 at byte 13"},
	{"a{1001}", -E2BIG, "multiply to more than 1000"},
	{"a{99999999999999999999}", -E2BIG, "multiply"},
	{"(x{10}y){101}", -E2BIG, "multiply"},
	{"(a{2}|b{500}){3}", -E2BIG, "multiply"},
	{"a{32}{32}", -E2BIG, "multiply"},
	{"a{1001,}", -E2BIG, "multiply"},
	{"a{,1001}", -E2BIG, "multiply"},
	{"(a{1000}){0,2}", -E2BIG, "multiply"},
	{"([[:alpha:]]{40}){40}", -E2BIG, "multiply"},
	{"([]{}]{40}){40}", -E2BIG, "multiply"},
	{"(abcde){1000}", -E2BIG, "more than 5000 parts at byte 7"},
	{"(a?b?c?){1000}", -E2BIG, "parts"},
	{"((((((((((((((a+)+)+)+)+)+)+)+)+)+)+)+)+)+)+", -E2BIG, "parts"},
	{"(a|b|c){1000}", -E2BIG, "parts"},
	{"x{1000}x{1000}x{1000}x{1000}x{1000}x{1000}", -E2BIG, "parts"},
	{"(x{1000}(x{1000}(x{1000}(x{1000}(x{1000}", -E2BIG, "parts"},
	{"^(a?\?){1000}", -E2BIG, "parts of it match nothing in more than 64 ways at byte 6"},
	{"((a*)*){7}", -E2BIG, "ways"},
	{"((a*)*){6}x", 0},
	{"((^|$)(a|b)?){250}", -E2BIG, "ways"},
	{"(a?|b*|c{0,9}){4}", -E2BIG, "ways"},
	{"(a?b*){900}", 0},
	{"((a?b*)?){30}", -E2BIG, "ways"},
	{"(\\<|\\b){9}", -E2BIG, "ways"},
	{"(a**b)+c(d**e)+(f**g)+", 0, NULL, "abcdegfg", "abcde"},
	{"^( *[0-9]* *)*(,( *[a-z]* *)*)*$", 0, NULL, "12 , ab", "?"},
	{"((a?){600})+", -E2BIG, "ways"},
	{"((a?){600})*", 0},
	{"(ab?){600}+", 0},
	{"(a)\\1", -EINVAL, "`\\1` at byte 3 is a back reference"},
	{"(a)\\9", -EINVAL, "back reference"},
	{"[\\]\\1", -EINVAL, "`\\1` at byte 3"},
	{"(unclosed", -EINVAL, "Unmatched ( or \\("},
	{"[a", -EINVAL, "Unmatched ["},
	{"a{2", -EINVAL, "Unmatched"},
	{"a\\", -EINVAL, "backslash"},
	{"a{1,2,3}", -EINVAL, "content of"},
	{"*a{x}", -EINVAL, "regular expression"},
	{"[[:nosuch:]]", -EINVAL, "class"},
};

static int match(const regex_t *re, const char *text)
{
	return regexec(re, text, 0, NULL, 0);
}

static void the_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct rn_err err = {0};
		regex_t re;
		int r = rn_regex_compile(&re, cases[i].text, strlen(cases[i].text), &err);

		if (r != cases[i].r || (r && !strstr(err.text, cases[i].said)))
			fail_msg("%s: %d %s", cases[i].text, r, err.text);
		if (r == -E2BIG || strstr(err.text, "back reference"))
			assert_true(*err.hint);
		if (r)
			continue;
		if ((cases[i].yes && match(&re, cases[i].yes)) ||
		    (cases[i].no && !match(&re, cases[i].no)))
			fail_msg("%s: matches the wrong texts", cases[i].text);
		regfree(&re);
	}
}

/* Writes `what` n times behind text. */
static void put(char *text, const char *what, unsigned n)
{
	char *end = text + strlen(text);

	for (; n; n--, end += strlen(what))
		strcpy(end, what);
}

static void a_regex_is_as_long_as_1024_bytes(void **state)
{
	char text[3000] = "";
	struct rn_err err = {0};
	regex_t re;

	(void)state;
	put(text, "a", 1024);
	assert_int_equal(rn_regex_compile(&re, text, 1024, &err), 0);
	assert_int_equal(match(&re, text), 0);
	regfree(&re);
	assert_int_equal(rn_regex_compile(&re, text, 1023, &err), 0); /* n counts, not a NUL */
	regfree(&re);
	put(text, "a", 1);
	assert_int_equal(rn_regex_compile(&re, text, 1025, &err), -E2BIG);
	assert_string_equal(err.text, "it has 1025 bytes, and at most 1024 are taken");
	assert_int_equal(rn_regex_compile(&re, "a\0b", 3, &err), -EINVAL);
	assert_non_null(strstr(err.text, "a byte 0"));
	assert_int_equal(rn_regex_compile(&re, NULL, 0, &err), 0);
	regfree(&re);
}

/* As deep as 1,024 bytes go. */
static void a_regex_is_as_deep_as_its_bytes_go(void **state)
{
	static const char *const around[][3] = {{"(", "a", ")"}, {"(", "a", ")*"}, {"(", "a", ")?"},
						{"(", "", ""},   {"", "", ")"},    {"(|", "a", ")"},
						{"[", "", ""}};

	(void)state;
	for (size_t i = 0; i < sizeof(around) / sizeof(*around); i++) {
		unsigned n =
			RN_REGEX_BYTES / (unsigned)(strlen(around[i][0]) + strlen(around[i][2])) -
			1;
		char text[3000] = "";
		struct rn_err err = {0};
		regex_t re;

		put(text, around[i][0], n);
		put(text, around[i][1], 1);
		put(text, around[i][2], n);
		if (!rn_regex_compile(&re, text, strlen(text), &err))
			regfree(&re);
		else
			assert_true(err.code == -EINVAL || err.code == -E2BIG);
	}
}

/* What is taken can be compiled in little memory: in 200 MiB of address space, which refuses
 * malloc. ASan has terabytes. */
static void what_is_taken_compiles_in_little_memory(void **state)
{
#ifdef __SANITIZE_ADDRESS__
	(void)state;
	skip();
#else
	static const char *const worst[] = {"(a?a?){999}",  "(a*a*){999}",    "([^a]?[^b]?){999}",
					    "(a|){999}",    "((a?){31}){32}", "(((a+)+){100})+",
					    "((a|b)*){700}"};
	struct rlimit was, most;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_AS, &was), 0);
	most = was;
	most.rlim_cur = 200 << 20;
	assert_int_equal(setrlimit(RLIMIT_AS, &most), 0);
	for (size_t i = 0; i < sizeof(worst) / sizeof(*worst); i++) {
		struct rn_err err = {0};
		regex_t re;
		int r = rn_regex_compile(&re, worst[i], strlen(worst[i]), &err);

		if (r)
			fail_msg("%s: %s", worst[i], err.text);
		regfree(&re);
	}
	assert_int_equal(setrlimit(RLIMIT_AS, &was), 0);
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_table), cmocka_unit_test(a_regex_is_as_long_as_1024_bytes),
		cmocka_unit_test(a_regex_is_as_deep_as_its_bytes_go),
		cmocka_unit_test(what_is_taken_compiles_in_little_memory)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
