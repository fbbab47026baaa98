/* test_parse.c - what goldens cannot show: limits, exact spans, completeness for a shell, and the
 * printer's fixed point. */
#include <stdarg.h>
#include <stddef.h>
#include <glob.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "lang/base/limits.h"
#include "lang/syntax/parse.h"
#include "lang/syntax/print.h"
#include "lang/complete/complete.h"

struct parsed {
	struct rn_arena *a;
	struct rn_diag *d;
	struct rn_ast_file *file;
	const char *text;
};

static struct parsed parse_n(const char *text, size_t len, size_t cap)
{
	struct parsed p = {.a = rn_arena_create(cap), .text = text};

	p.d = rn_diag_new(p.a);
	p.file = rn_parse(p.a, p.d, rn_diag_source(p.d, "query", text, len));
	return p;
}

static struct parsed parse(const char *text)
{
	return parse_n(text, strlen(text), RN_ARENA_CAP);
}

static struct rn_ast_query *query(struct parsed p)
{
	if (rn_diag_errors(p.d))
		fail_msg("%s", rn_diag_render(p.d, p.a, false));
	assert_non_null(p.file->stmts);
	return p.file->stmts->query;
}

/* Exactly one error, of this code. */
static void expect_one(struct parsed p, const char *code)
{
	if (rn_diag_errors(p.d) != 1 || strcmp(rn_diag_first(p.d)->code, code))
		fail_msg("expected one %s, got %u: %.300s", code, rn_diag_errors(p.d),
			 rn_diag_render(p.d, p.a, false));
	rn_arena_destroy(p.a);
}

static void expect_none(struct parsed p)
{
	if (rn_diag_errors(p.d))
		fail_msg("%.300s", rn_diag_render(p.d, p.a, false));
	rn_arena_destroy(p.a);
}

/* head, then n times part, then tail; heap */
static char *repeat(const char *head, const char *part, size_t n, const char *tail)
{
	char *s = malloc(strlen(head) + n * strlen(part) + strlen(tail) + 1), *at = stpcpy(s, head);

	while (n--)
		at = stpcpy(at, part);
	strcpy(at, tail);
	return s;
}

static void limit_case(const char *head, const char *part, size_t n, const char *tail,
		       const char *code)
{
	char *s = repeat(head, part, n, tail);
	struct parsed p = parse(s);

	if (code)
		expect_one(p, code);
	else
		expect_none(p);
	free(s);
}

static void limit_of_text(void **state)
{
	(void)state;
	limit_case("count of read", " ", RN_MAX_TEXT - 13, "", NULL);
	limit_case("count of read", " ", RN_MAX_TEXT - 12, "", "E-LIMIT-TEXT");
}

static void limit_of_depth(void **state)
{
	(void)state;
	limit_case("count of x where ", "a = b or ", RN_MAX_DEPTH - 3, "c", NULL);
	limit_case("count of x where ", "a = b or ", RN_MAX_DEPTH, "c", "E-LIMIT-DEPTH");
	limit_case("count of x where ", "(", RN_MAX_DEPTH + 1, "c", "E-LIMIT-DEPTH");
	limit_case("count of x where ", "(", 300000, "c", "E-LIMIT-DEPTH");
	limit_case("count of x where ", "not ", 200000, "c", "E-LIMIT-DEPTH");
	limit_case("count of x where ", "not ", RN_MAX_DEPTH, "c", "E-LIMIT-DEPTH");
	limit_case("a = ", "- ", 200000, "c of x", "E-LIMIT-DEPTH");
	limit_case("a ", "+ a ", 200000, "of x", "E-LIMIT-DEPTH");
	/* deep, but within the limit */
	limit_case("count of ", "(count of ", 60, "x where (((a)))))))))))", "E-SYNTAX");
	limit_case("", "abs(", RN_MAX_DEPTH + 1, "x", "E-LIMIT-DEPTH");
	limit_case("count of ", "x where a in (b of ", RN_MAX_DEPTH + 1, "x", "E-LIMIT-DEPTH");
}

static void nested_queries_parse_deep(void **state)
{
	char *open = repeat("count of ", "(count of ", 90, "x"), *all = repeat(open, ")", 90, "");

	(void)state;
	expect_none(parse(all));
	free(open);
	free(all);
}

static void limit_of_statements(void **state)
{
	(void)state;
	limit_case("", "use a;", RN_MAX_STMTS, ";;", NULL);
	limit_case("", "use a;", RN_MAX_STMTS + 1, "", "E-LIMIT-STMTS");
}

static void limit_of_lists(void **state)
{
	(void)state;
	limit_case("a", ", a", RN_MAX_LIST - 1, " of x", NULL);
	limit_case("a", ", a", RN_MAX_LIST, " of x", "E-LIMIT-LIST");
	limit_case("a of x where a in (1", ", 1", RN_MAX_LIST, ")", "E-LIMIT-LIST");
	limit_case("f(1", ", 1", RN_MAX_LIST, ") of x", "E-LIMIT-LIST");
	limit_case("a of tag b", ", c", RN_MAX_LIST, "", "E-LIMIT-LIST");
	limit_case("a of x on b", ", c", RN_MAX_LIST, "", "E-LIMIT-LIST");
	limit_case("view v(a", ", c", RN_MAX_LIST, ") := a of b", "E-LIMIT-LIST");
}

static void limit_of_strings(void **state)
{
	(void)state;
	limit_case("a of x where b = \"", "y", RN_MAX_STRING, "\"", NULL);
	limit_case("a of x where b = \"", "y", RN_MAX_STRING + 1, "\"", "E-LIMIT-STRING");
	limit_case("a of x where b = \"", "\\x41", RN_MAX_STRING, "\"", NULL); /* of its content */
	limit_case("a of tag x\"", "00", RN_MAX_STRING + 1, "\"", "E-LIMIT-STRING");
	limit_case("a of x where ", "y", RN_MAX_STRING + 1, "", "E-LIMIT-STRING");
}

static void limit_of_memory(void **state)
{
	char *s = repeat("", "count of read where a = b and c in (1, 2, 3);", 500, "");

	(void)state;
	expect_one(parse_n(s, strlen(s), 64 << 10), "E-LIMIT-MEMORY");
	expect_none(parse_n(s, strlen(s), 16 << 20));
	free(s);
}

static void nul_bytes_are_reported(void **state)
{
	(void)state;
	expect_one(parse_n("count of read\0 by file", 22, RN_ARENA_CAP), "E-LEX-NUL");
	expect_one(parse_n("count of read where a = \"x\0\"", 28, RN_ARENA_CAP), "E-LEX-NUL");
	expect_one(parse_n("count of read -- x\0y", 20, RN_ARENA_CAP), "E-LEX-NUL");
}

static void text_need_not_end_in_nul(void **state)
{
	struct parsed p = parse_n("count of readXXXX", 13, RN_ARENA_CAP);

	(void)state;
	assert_string_equal(rn_print_query(p.a, query(p)), "count of read");
	rn_arena_destroy(p.a);
}

static void check_span(struct parsed p, struct rn_span s, const char *want)
{
	assert_int_equal(s.end - s.start, strlen(want));
	assert_memory_equal(p.text + s.start, want, strlen(want));
}

static void spans_are_exact(void **state)
{
	struct parsed p = parse("sum(bytes)  as b of tag x, \"y\" where (a + 1) * 2 not in (3) "
				"order by b  desc top 5 by -c from \"f\"");
	const struct rn_ast_query *q = query(p);

	(void)state;
	check_span(p, q->span, p.text);
	check_span(p, p.file->stmts->span, p.text);
	check_span(p, q->items->span, "sum(bytes)  as b");
	check_span(p, q->items->expr->span, "sum(bytes)");
	check_span(p, q->items->expr->args->span, "bytes");
	check_span(p, q->source->span, "tag x, \"y\"");
	check_span(p, q->source->name_span, "tag");
	check_span(p, q->source->args->next->span, "\"y\"");
	check_span(p, q->where->span, "(a + 1) * 2 not in (3)");
	check_span(p, q->where->args->args->args->span, "(a + 1)");
	check_span(p, q->clause[RN_C_WHERE], "where (a + 1) * 2 not in (3)");
	check_span(p, q->order->span, "b  desc");
	check_span(p, q->top_span, "top 5 by -c");
	check_span(p, q->top_by->span, "-c");
	check_span(p, q->from_span, "\"f\"");
	rn_arena_destroy(p.a);
}

static void values_are_set(void **state)
{
	struct parsed p = parse(
		"top 3 of read top 4 limit 5 every 1s for 2m last 3h sample 12.5% from 'a' into b");
	const struct rn_ast_query *q = query(p);

	(void)state;
	assert_int_equal(q->what, RN_WHAT_TOP);
	assert_int_equal(q->what_top, 3);
	assert_true(q->has_top && q->top == 4);
	assert_true(q->has_limit && q->limit == 5);
	assert_true(q->every_ns == 1000000000 && q->for_ns == 120000000000 &&
		    q->last_ns == 3 * 3600000000000);
	assert_true(q->sample == 0.125);
	assert_string_equal(q->from, "a");
	assert_string_equal(q->into, "b");
	assert_true(q->into_table);
	rn_arena_destroy(p.a);
}

static void parameters_of_clauses_are_set_later(void **state)
{
	struct parsed p = parse("count of tag $t every $w"), v = parse("1.5s of x");
	struct rn_ast_query *q = query(p);

	(void)state;
	assert_true(q->source->args->param);
	assert_int_equal(q->every_ns, 0);
	assert_int_equal(q->value[RN_C_EVERY]->kind, RN_AST_PARAM);
	assert_true(rn_clause_set(p.d, q, RN_C_EVERY, query(v)->items->expr));
	assert_int_equal(q->every_ns, 1500000000);
	assert_string_equal(rn_print_query(p.a, q), "count of tag $t every 1.5s");
	assert_false(rn_clause_set(p.d, q, RN_C_TOP, query(v)->items->expr));
	assert_int_equal(rn_diag_errors(p.d), 1);
	rn_arena_destroy(v.a);
	rn_arena_destroy(p.a);
}

static void doc_comments_belong_to_views(void **state)
{
	struct parsed p = parse(
		"--| not this\nuse x;\n--| One.\n--|Two.  \nview v := a of b;\nview w := a of b");
	const struct rn_ast_stmt *s = p.file->stmts->next;

	(void)state;
	assert_string_equal(s->doc, "One.\nTwo.");
	assert_null(s->next->doc);
	assert_null(p.file->stmts->doc);
	rn_arena_destroy(p.a);
}

static void an_unfinished_statement_is_told_from_a_whole_one(void **state)
{
	static const struct {
		const char *s;
		bool whole;
	} c[] = {
		{"", false},
		{";", true},
		{"count of read", false},
		{"count of read;", true},
		{"count of read;  -- done\n\n", true},
		{"count of read -- ;", false},
		{"count of read where a = \";", false},
		{"count of read where a = ';';", true},
		{"a of b where c = \"\\\";", false},
		{"a of b where c = \"\\\"\";", true},
		{"a of b; c", false},
		{"a of b where c = \"x\n;", true},
		{"#! x;", false},
		{"#! x\na of b;", true},
		{"a - - b of c;", true},
		{"a of b where c = '--';", true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(c) / sizeof(*c); i++)
		if (rn_parse_complete(c[i].s, strlen(c[i].s)) != c[i].whole)
			fail_msg("%s", c[i].s);
}

/* Trees that a later pass builds without texts of their own print so that they parse back. */
static void printed_without_texts(void **state)
{
	struct parsed p = parse(
		"count of read top 5 limit 6 every 1s for 2s last 3s sample 50% from 'f' into 'g'");
	struct rn_ast_query *q = query(p);
	struct rn_ast_expr ns = {.kind = RN_AST_LITERAL,
				 .value = rn_int(5),
				 .ty = {RN_T_INT, RN_U_NS},
				 .column = -1};
	struct rn_ast_expr f = {
		.kind = RN_AST_LITERAL, .value = rn_float(2), .ty = {RN_T_FLOAT, 0}, .column = -1};

	(void)state;
	memset(q->value, 0, sizeof(q->value));
	assert_string_equal(
		rn_print_query(p.a, q),
		"count of read top 5 limit 6 every 1000000000ns for 2000000000ns last 3000000000ns "
		"sample 50% from \"f\" into \"g\"");
	assert_string_equal(rn_print_expr(p.a, &ns), "5ns");
	assert_string_equal(rn_print_expr(p.a, &f), "2.0");
	rn_arena_destroy(p.a);
}

/* Sentences made at random from the grammar's words: whatever parses must print to text that parses
 * and prints the same. */
static void printing_is_a_fixed_point(void **state)
{
	static const char *const words[] = {
		"a",     "b",        "count",    "sum(bytes)", "of",    "of",      "read",
		"(",     ")",        ",",        "where",      "by",    "and",     "or",
		"not",   "in",       "between",  "=",          "<",     "~",       "+",
		"-",     "-",        "*",        "%",          "1",     "-2",      "1.5",
		"3ms",   "4KiB",     "\"s\\n\"", "'q\"'",      "$p",    "top",     "5",
		"limit", "order by", "desc",     "last",       "tag",   "x\"0a\"", "from",
		"into",  "on",       "as",       "events of",  "every", "true",    "sample",
		"line",
	};
	unsigned seed = 12345, parsed = 0;

	(void)state;
	for (int round = 0; round < 30000; round++) {
		char text[512] = "a of read where ", *at = text + (round % 3 ? 16 : 0);
		struct parsed p;

		for (int n = 2 + round % 9; n > 0; n--) {
			seed = seed * 1103515245 + 12345;
			at += sprintf(at, "%s ",
				      words[(seed >> 16) % (sizeof(words) / sizeof(*words))]);
		}
		p = parse(text);

		if (!rn_diag_errors(p.d) && p.file->stmts) {
			const char *once = rn_print_stmt(p.a, p.file->stmts);
			struct parsed again = parse(once);

			parsed++;
			if (rn_diag_errors(again.d))
				fail_msg("%s\n%s", text, rn_diag_render(again.d, again.a, false));
			assert_string_equal(rn_print_stmt(again.a, again.file->stmts), once);
			rn_arena_destroy(again.a);
		}
		rn_arena_destroy(p.a);
	}
	assert_true(parsed > 300);
}

/* The queries of one block of a page: all of it with `;`, else a line each. */
static unsigned parse_block(char *block)
{
	bool whole = strchr(block, ';');
	unsigned n = 0;

	if (!block[0] || block[0] == '$' || strstr(block, "WHAT of SOURCE") ||
	    strstr(block, "error:"))
		return 0; /* nothing, a command, the form of all queries, a message */
	for (char *save, *q = strtok_r(block, whole ? "" : "\n", &save); q;
	     q = strtok_r(NULL, whole ? "" : "\n", &save), n++)
		expect_none(parse(q));
	return n;
}

/* The queries in the indented blocks of a page. */
static unsigned parse_page(const char *path)
{
	FILE *f = fopen(path, "r");
	char line[1024], block[8192] = "";
	unsigned n = 0;

	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (!strncmp(line, "    ", 4)) {
			assert_true(strlen(block) + strlen(line) < sizeof(block));
			strcat(block, line + 4);
			continue;
		}
		n += parse_block(block);
		block[0] = '\0';
	}
	fclose(f);
	return n + parse_block(block);
}

static void examples_of_the_manual_parse(void **state)
{
	unsigned n = parse_page("docs/language.md");
	glob_t pages;

	(void)state;
	assert_int_equal(glob("docs/language/*.md", 0, NULL, &pages), 0);
	for (size_t i = 0; i < pages.gl_pathc; i++)
		if (!strstr(pages.gl_pathv[i], "/grammar.md"))
			n += parse_page(pages.gl_pathv[i]);
	globfree(&pages);
	assert_true(n >= 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limit_of_text),
		cmocka_unit_test(limit_of_depth),
		cmocka_unit_test(nested_queries_parse_deep),
		cmocka_unit_test(limit_of_statements),
		cmocka_unit_test(limit_of_lists),
		cmocka_unit_test(limit_of_strings),
		cmocka_unit_test(limit_of_memory),
		cmocka_unit_test(nul_bytes_are_reported),
		cmocka_unit_test(text_need_not_end_in_nul),
		cmocka_unit_test(spans_are_exact),
		cmocka_unit_test(values_are_set),
		cmocka_unit_test(parameters_of_clauses_are_set_later),
		cmocka_unit_test(doc_comments_belong_to_views),
		cmocka_unit_test(an_unfinished_statement_is_told_from_a_whole_one),
		cmocka_unit_test(printed_without_texts),
		cmocka_unit_test(printing_is_a_fixed_point),
		cmocka_unit_test(examples_of_the_manual_parse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
