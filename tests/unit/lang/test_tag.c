/* test_tag.c - tags as text: one form each, read back to the same bytes, and written so that a
 * query has them again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
#include "lang/base/diag.h"
#include "lang/base/limits.h"
#include "lang/syntax/parse.h"
#include "lang/values/tag.h"

static struct rn_arena *arena;

#define TAG(s) \
	{ \
		s, sizeof(s) - 1 \
	}
static const struct {
	struct rn_tag tag;
	const char *text, *source;
} cases[] = {
	{TAG("fix283"), "fix283", "fix283"},
	{TAG("b c d"), "b c d", "\"b c d\""},
	{TAG("a,bb"), "x\"612c6262\"", "\"a,bb\""},
	{TAG("a\"bb"), "x\"61226262\"", "\"a\\\"bb\""},
	{TAG("x\"616263\""), "x\"782236313632363322\"", "\"x\\\"616263\\\"\""},
	{TAG("\0\xff\x12z"), "x\"00ff127a\"", "x\"00ff127a\""},
	{TAG("gr\xc3\xbc\xc3\x9f"), "gr\xc3\xbc\xc3\x9f", "\"gr\xc3\xbc\xc3\x9f\""},
	{TAG("gr\xc3"), "x\"6772c3\"", "x\"6772c3\""},
	{TAG("ab\xc2\x80"), "x\"6162c280\"", "x\"6162c280\""}, /* a control character too */
	{TAG("tab\t"), "x\"74616209\"", "x\"74616209\""},
	{TAG("where"), "where", "\"where\""},
	{TAG("1234"), "1234", "\"1234\""},
	{TAG("back\\slash"), "back\\slash", "\"back\\\\slash\""},
};

static void a_tag_and_its_text_form_are_one(void **state)
{
	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *text = rn_tag_text(arena, cases[i].tag);

		assert_string_equal(text, cases[i].text);
		assert_true(rn_tag_equal(rn_tag_parse(arena, text, strlen(text)), cases[i].tag));
		assert_string_equal(rn_tag_source(arena, cases[i].tag), cases[i].source);
	}
}

/* What is written as rn_tag_source says is the same tag in a query. */
static void a_tag_is_the_same_written_in_a_query(void **state)
{
	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct rn_diag *d = rn_diag_new(arena);
		const char *q = rn_arena_printf(arena, "count of tag %s",
						rn_tag_source(arena, cases[i].tag));
		struct rn_ast_file *f = rn_parse(arena, d, rn_diag_source(d, "q", q, strlen(q)));
		const struct rn_ast_name *n;

		assert_non_null(f->stmts);
		n = f->stmts->query->source->args;
		assert_true(rn_tag_equal(rn_tag_of(n->text, n->len), cases[i].tag));
	}
}

/* Nearly the form x"hex" is a tag of those very characters, as recordings of the first version have
 * them. */
static void no_forms(void **state)
{
	static const char *const texts[] = {"x\"",     "x\"\"",    "x\"6\"", "x\"616\"", "x\"6g\"",
					    "x\"6161", "x\"61\"x", "fix283", "x'61'",    ""};

	(void)state;
	for (unsigned i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_true(rn_tag_equal(rn_tag_parse(arena, texts[i], strlen(texts[i])),
					 rn_tag_of(texts[i], strlen(texts[i]))));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(a_tag_and_its_text_form_are_one),
					   cmocka_unit_test(a_tag_is_the_same_written_in_a_query),
					   cmocka_unit_test(no_forms)};
	int failed;

	arena = rn_arena_create(RN_ARENA_CAP);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	rn_arena_destroy(arena);
	return failed;
}
