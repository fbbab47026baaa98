/* main_golden.c - runs the sectioned golden files: golden [--bless] FILE.t...
 *
 * A file is a list of cases. A case starts with `== name`. Its first section is `-- query`. Before
 * it may stand `-- views` or `-- params`, which has a NAME=VALUE a line as on the command line.
 * Every other section is a stage. Its text is compared with what the stage prints for the query
 * over the fake catalogue:
 *
 *     tokens ast print types plan split explain sql error
 *
 * The query of a case is its first statement that has one and is no `let`; the lets before it are
 * planned, none is run. `error` is the whole rendered list of diagnostics, notes too; a case
 * without an `error` section must have no error. A query at the end of a hint, after `as a query: `
 * or `a first query: `, must have a plan. --bless rewrites the files with what the stages print
 * now. One line a file that failed, then the count. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "exec/coord/coord.h"
#include "exec/answer/answer.h"
#include "lang/base/nearest.h"
#include "lang/resolve/names.h"
#include "lang/resolve/params.h"
#include "lang/resolve/resolve.h"
#include "lang/base/limits.h"
#include "lang/syntax/parse.h"
#include "lang/syntax/print.h"
#include "planner/plan/plan.h"
#include "tests/support/fake_catalog.h"
#include "tests/support/views_text.h"

struct section {
	char name[32];
	char *text; /* with its final newline; heap */
};
struct test_case {
	char *name;
	struct section sec[12];
	unsigned nsec;
};

/* ---- what a case prints ---- */

struct compiled {
	struct rn_arena *a;
	struct rn_diag *d;
	uint16_t src;
	struct rn_ast_file *file;
	struct rn_ast_query *query; /* of the first statement that has one; NULL */
	bool asserts;               /* it is that of an `assert` */
	bool resolved;
	struct rn_plan *plan;
};

/* What `tag *` stands for. */
static unsigned set_of_tags(void *self, struct rn_arena *a, const struct rn_tag **tags)
{
	static const struct rn_tag v[] = {{"fix283", 6}, {"\0zero", 5}};

	(void)self;
	(void)a;
	*tags = v;
	return 2;
}
static const struct rn_tagset tagset = {.all = set_of_tags};

/* A machine with two users and two processes. */
static bool has_user(void *self, struct rn_arena *a, const char *text, const char **near)
{
	static const char *const users[] = {"alice", "root", NULL};

	(void)self;
	(void)a;
	*near = !strcmp(text, "0") ? "root" : rn_nearest(text, users);
	return !strcmp(text, "alice") || !strcmp(text, "root") || !strcmp(text, "4711");
}
static const char *proc_like(void *self, struct rn_arena *a, const char *name)
{
	(void)self;
	(void)a;
	return !strcasecmp(name, "java") && strcmp(name, "java") ? "java" : NULL;
}
static const struct rn_here here = {.has_user = has_user, .proc_like = proc_like};

/* The lines of a `-- params` section; NULL if there is none. */
static const char *const *param_lines(struct rn_arena *a, const char *text)
{
	enum { MOST = 16 };
	const char **all = RN_NEWN(a, const char *, MOST + 1);
	unsigned n = 0;

	for (const char *p = text; p && *p && n < MOST; p += strcspn(p, "\n"), p += *p == '\n')
		all[n++] = rn_arena_strndup(a, p, strcspn(p, "\n"));
	return text ? all : NULL;
}

/* The lets of a case. */
struct results {
	struct rn_let let[8];
	unsigned n;
};

static const struct rn_let *find_let(void *self, const char *name)
{
	const struct results *r = self;

	for (unsigned i = r->n; i-- > 0;)
		if (!strcmp(r->let[i].name, name))
			return &r->let[i];
	return NULL;
}
static const char *const *let_names(void *self)
{
	static const char *names[9];
	const struct results *r = self;

	for (unsigned i = 0; i < r->n; i++)
		names[i] = r->let[i].name;
	names[r->n] = NULL;
	return names;
}

static void define_lets(struct compiled *c, struct rn_names *names, struct results *r)
{
	for (const struct rn_ast_stmt *s = c->file->stmts; s && r->n < 8; s = s->next) {
		struct rn_plan *p = NULL;
		unsigned col;
		struct rn_let *let;

		if (s->kind != RN_STMT_LET)
			continue;
		if (rn_resolve(c->a, c->d, s->query, names))
			p = rn_plan_query(c->a, c->d, s->query, names, &(struct rn_plan_opts){0});
		let = &r->let[r->n];
		*let = (struct rn_let){.name = s->name};
		rn_diag_where(c->d, s->span, &let->line, &col);
		if (p) {
			let->shape = rn_let_shape(c->a, s->query);
			let->cls = rn_plan_class(c->a, p);
		}
		r->n++;
	}
}

static void resolve_and_plan(struct compiled *c, const char *views, const char *params)
{
	struct rn_views v = rn_views_text(views);
	struct rn_names names = {.catalog = rn_fake_catalog(),
				 .views = views ? &v : NULL,
				 .tagset = &tagset,
				 .params = param_lines(c->a, params),
				 .here = &here};
	struct rn_param *declared = rn_params_declared(c->a, c->d, c->file);
	struct results *results;
	struct rn_lets lets;
	unsigned errors, first, n;

	names.declared = declared;
	rn_params_bind(c->a, c->d, declared, names.params);
	results = RN_NEW(c->a, struct results); /* plans point to them */
	lets = (struct rn_lets){.self = results, .find = find_let, .names = let_names};
	errors = rn_diag_errors(c->d);
	names.lets = &lets;
	define_lets(c, &names, results);
	c->resolved = c->query && rn_resolve(c->a, c->d, c->query, &names);
	if (c->resolved && c->asserts)
		c->resolved = rn_assert_columns(c->a, c->d, c->query, &first, &n);
	if (c->resolved && rn_diag_errors(c->d) == errors)
		c->plan = rn_plan_query(c->a, c->d, c->query, &names, &(struct rn_plan_opts){0});
}

static void compile(struct compiled *c, const char *query, const char *views, const char *params,
		    bool syntax_only)
{
	c->a = rn_arena_create(RN_ARENA_CAP);
	c->d = rn_diag_new(c->a);
	c->src = rn_diag_source(c->d, "query", query, strlen(query));
	c->file = rn_parse(c->a, c->d, c->src);
	for (struct rn_ast_stmt *s = c->file->stmts; s && !c->query; s = s->next) {
		c->query = s->kind == RN_STMT_LET ? NULL : s->query;
		c->asserts = s->kind == RN_STMT_ASSERT;
	}
	if (!syntax_only && (c->query || c->file->stmts) && !rn_diag_errors(c->d))
		resolve_and_plan(c, views, params);
}

static const char *print_all(struct compiled *c)
{
	const char *out = "";

	for (struct rn_ast_stmt *s = c->file->stmts; s; s = s->next)
		out = rn_arena_printf(c->a, "%s%s\n", out, rn_print_stmt(c->a, s));
	return out;
}

/* The text of a stage, or NULL if the query did not get that far. */
static const char *stage_text(struct compiled *c, const char *stage)
{
	if (!strcmp(stage, "tokens"))
		return rn_dump_tokens(c->a, c->d, c->src);
	if (!strcmp(stage, "error"))
		return rn_diag_render(c->d, c->a, false);
	if (!strcmp(stage, "print"))
		return print_all(c);
	if (!strcmp(stage, "ast"))
		return c->query ? rn_dump_ast(c->a, c->query, false) : NULL;
	if (!strcmp(stage, "types"))
		return c->resolved ? rn_dump_ast(c->a, c->query, true) : NULL;
	if (!c->plan)
		return NULL;
	if (!strcmp(stage, "plan"))
		return rn_dump_plan(c->a, c->plan);
	if (!strcmp(stage, "split"))
		return rn_dump_split(c->a, c->plan);
	if (!strcmp(stage, "explain"))
		return rn_explain(c->a, c->plan);
	if (!strcmp(stage, "sql"))
		return rn_dump_sql(c->a, c->plan);
	return NULL;
}

static bool is_input(const char *section)
{
	return !strcmp(section, "query") || !strcmp(section, "views") || !strcmp(section, "params");
}
static bool is_syntax(const char *s)
{
	return !strcmp(s, "tokens") || !strcmp(s, "ast") || !strcmp(s, "print");
}

static char *with_newline(const char *s)
{
	size_t n = strlen(s);
	char *out = malloc(n + 2);

	memcpy(out, s, n + 1);
	if (n && s[n - 1] != '\n')
		strcpy(out + n, "\n");
	return out;
}

/* ---- one case ---- */

static const char *section_text(const struct test_case *t, const char *name)
{
	for (unsigned i = 0; i < t->nsec; i++)
		if (!strcmp(t->sec[i].name, name))
			return t->sec[i].text;
	return NULL;
}

/* The query at the end of a hint that offers one; NULL. */
static const char *offer_of(const struct rn_diag_item *it)
{
	static const char *const marks[] = {"s a query: ", "irst query: "};
	const char *at = NULL;

	for (unsigned i = 0; it->hint && !at && i < 2; i++)
		if ((at = strstr(it->hint, marks[i])))
			at += strlen(marks[i]);
	return at;
}

/* A query that an error offers must have a plan. In tutorials.t there must be one. Returns how many
 * are bad. */
static int check_offers(const char *file, const struct test_case *t, const struct compiled *c)
{
	unsigned offers = 0;
	int bad = 0;

	for (const struct rn_diag_item *it = rn_diag_first(c->d); it; it = it->next) {
		const char *at = offer_of(it);
		struct compiled offered = {0};

		if (!at)
			continue;
		offers++;
		compile(&offered, at, NULL, NULL, false);
		if (rn_diag_errors(offered.d) || !offered.plan) {
			printf("%s: %s: it offers a query that does not run\n%s\n", file, t->name,
			       rn_diag_render(offered.d, offered.a, false));
			bad++;
		}
		rn_arena_destroy(offered.a);
	}
	if (rn_diag_errors(c->d) && !offers && strstr(file, "/tutorials.t")) {
		printf("%s: %s: no query is offered\n", file, t->name);
		bad++;
	}
	return bad;
}

/* Compares every stage, or replaces it if bless; returns the number of stages that differ. */
static int run_case(const char *file, struct test_case *t, bool bless)
{
	const char *query = section_text(t, "query");
	char *q;
	bool syntax_only;
	struct compiled c;
	int bad;

	if (!query) {
		printf("%s: %s: no `-- query` section\n", file, t->name);
		return 1;
	}
	q = strdup(query);
	/* the section's final newline is not the query's */
	q[strcspn(q, "") ? strlen(q) - 1 : 0] = '\0';
	syntax_only = true;
	for (unsigned i = 0; i < t->nsec; i++)
		syntax_only &= is_input(t->sec[i].name) || is_syntax(t->sec[i].name) ||
			       (!strcmp(t->sec[i].name, "error") && strstr(file, "/syntax"));
	c = (struct compiled){0};
	compile(&c, q, section_text(t, "views"), section_text(t, "params"), syntax_only);
	bad = check_offers(file, t, &c);
	if (!section_text(t, "error") && rn_diag_errors(c.d)) {
		printf("%s: %s: unexpected error\n%s\n", file, t->name,
		       rn_diag_render(c.d, c.a, false));
		bad++;
	}
	for (unsigned i = 0; i < t->nsec; i++) {
		struct section *s = &t->sec[i];
		const char *got;
		char *text;

		if (is_input(s->name))
			continue;
		got = stage_text(&c, s->name);
		text = with_newline(got ? got : "(no such stage for this query)\n");
		if (strcmp(text, s->text)) {
			if (!bless) {
				printf("%s: %s: -- %s\n--- expected\n%s--- got\n%s---\n", file,
				       t->name, s->name, s->text, text);
				bad++;
			}
			free(s->text);
			s->text = text;
		} else {
			free(text);
		}
	}
	rn_arena_destroy(c.a);
	free(q);
	return bad;
}

/* ---- files ---- */

static void append(char **s, const char *line)
{
	size_t n = *s ? strlen(*s) : 0;

	*s = realloc(*s, n + strlen(line) + 1);
	strcpy(*s + n, line);
}

/* Blank lines at the end of a section belong to the layout, not to the text. */
static void trim(struct test_case *t)
{
	for (unsigned i = 0; i < t->nsec; i++) {
		char *s = t->sec[i].text ? t->sec[i].text : (t->sec[i].text = strdup(""));

		for (size_t n = strlen(s); n > 1 && s[n - 1] == '\n' && s[n - 2] == '\n'; n--)
			s[n - 1] = '\0';
		if (!strcmp(s, "\n"))
			s[0] = '\0';
	}
}

static unsigned read_cases(const char *path, struct test_case **out, char **head)
{
	FILE *f = fopen(path, "r");
	char *line;
	size_t cap;
	unsigned n;
	struct test_case *t;

	if (!f) {
		fprintf(stderr, "golden: %s: %s\n", path, strerror(errno));
		exit(2);
	}
	line = NULL;
	cap = 0;
	n = 0;
	t = NULL;
	while (getline(&line, &cap, f) > 0) {
		if (!strncmp(line, "== ", 3)) {
			t = realloc(t, (n + 1) * sizeof(*t));
			t[n] = (struct test_case){
				.name = strndup(line + 3, strcspn(line + 3, "\n"))};
			n++;
		} else if (n && !strncmp(line, "-- ", 3) && line[3] >= 'a' && line[3] <= 'z' &&
			   !strchr(line + 3, ' ') && t[n - 1].nsec < 12) {
			struct section *s = &t[n - 1].sec[t[n - 1].nsec++];

			snprintf(s->name, sizeof(s->name), "%.*s", (int)strcspn(line + 3, "\n"),
				 line + 3);
		} else if (n && t[n - 1].nsec) {
			append(&t[n - 1].sec[t[n - 1].nsec - 1].text, line);
		} else {
			append(head, line);
		}
	}
	if (ferror(f) || !n) {
		fprintf(stderr, "golden: %s: %s\n", path,
			ferror(f) ? strerror(errno) : "it has no cases");
		exit(2);
	}
	for (unsigned i = 0; i < n; i++)
		trim(&t[i]);
	free(line);
	fclose(f);
	*out = t;
	return n;
}

static void write_cases(const char *path, const struct test_case *t, unsigned n, const char *head)
{
	FILE *f = fopen(path, "w");

	fputs(head ? head : "", f);
	for (unsigned i = 0; i < n; i++) {
		fprintf(f, "%s== %s\n", i ? "\n" : "", t[i].name);
		for (unsigned k = 0; k < t[i].nsec; k++)
			fprintf(f, "-- %s\n%s", t[i].sec[k].name, t[i].sec[k].text);
	}
	fclose(f);
}

static void free_cases(struct test_case *t, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		for (unsigned k = 0; k < t[i].nsec; k++)
			free(t[i].sec[k].text);
		free(t[i].name);
	}
	free(t);
}

/* Prints the result of a case as a line of TAP. Returns if it failed. */
static bool report(const char *file, const struct test_case *t, bool ok)
{
	printf("%sok - %s: %s\n", ok ? "" : "not ", file, t->name);
	return !ok;
}

int main(int argc, char **argv)
{
	bool bless = argc > 1 && !strcmp(argv[1], "--bless");
	unsigned cases = 0, failed = 0;

	for (int i = 1 + bless; i < argc; i++) {
		struct test_case *t;
		char *head = NULL;
		unsigned n = read_cases(argv[i], &t, &head);

		for (unsigned k = 0; k < n; k++)
			failed += report(argv[i], &t[k], run_case(argv[i], &t[k], bless) == 0);
		cases += n;
		if (bless)
			write_cases(argv[i], t, n, head);
		free_cases(t, n);
		free(head);
	}
	printf("1..%u\n", cases);
	return failed > 0;
}
