/* never.c - notes on comparisons that can never be true, or that always are: file ~ "passwd".
 *
 * Such a comparison is no error: its query runs, and finds nothing. rn_field.kind says what the
 * texts of a field look like. Each row of `rules` is one mistake in comparisons of some kinds. A
 * comparison gets one note, from the first rule that fits. Questions to this machine (is there such
 * a user?) are asked only if the query runs on this machine alone: rn_names.here. */
#include <ctype.h>
#include "lang/resolve/resolve_impl.h"
#include "lang/base/nearest.h"
#include "lang/base/str.h"
#include "lang/catalog/numbering.h"
#include "lang/syntax/print.h"
#include "lang/values/glob.h"

struct comparison {
	struct rn_resolve_scope *scope;
	enum rn_op op; /* NONE: `constant` is one of a list behind `in` */
	/* what shows a field, perhaps through other queries */
	const struct rn_ast_expr *what, *constant;
	const struct rn_field *field;
	/* the field's class, with only its kind for a `let`; NULL: not known */
	const struct rn_class *cls;
	const char *text; /* text of a constant string, without NULs */
	double number;
};

/* ---- what is compared ---- */

static const struct rn_class *class_of(const struct rn_ast_query *q)
{
	return q->source && q->source->kind != RN_SRC_QUERY ? q->source->cls : NULL;
}

static const struct rn_ast_item *item_at(const struct rn_ast_query *q, int column)
{
	const struct rn_ast_item *it = q ? q->items : NULL;

	while (it && column-- > 0)
		it = it->next;
	return it;
}

const struct rn_field *rn_resolve_find_field(const struct rn_ast_query *query,
					     const struct rn_ast_expr *expr,
					     const struct rn_class **cls)
{
	while (expr->kind == RN_AST_NAME && !expr->field && query->source &&
	       query->source->kind == RN_SRC_QUERY) {
		const struct rn_ast_item *it =
			expr->column >= 0 ? item_at(query->source->query, expr->column) : NULL;

		if (!it)
			return NULL;
		query = query->source->query;
		expr = it->expr;
	}
	*cls = expr->kind == RN_AST_NAME && expr->field && expr->field->shown ? expr->field->shown
									      : class_of(query);
	return expr->kind == RN_AST_NAME ? expr->field : NULL;
}

/* In having and order, a name can be one of the query's own columns. */
static void find(struct comparison *c)
{
	const struct rn_ast_item *own =
		c->scope->place == IN_OUTPUT ? item_at(c->scope->query, c->what->column) : NULL;
	bool is_own =
		own && c->what->column >= 0 && own->label && !strcmp(own->label, c->what->name);

	c->field = rn_resolve_find_field(c->scope->query, is_own ? own->expr : c->what, &c->cls);
}

static const char *field_text(const struct comparison *c)
{
	return rn_print_expr(c->scope->resolver->arena, c->what);
}

static bool negative(enum rn_op op)
{
	return op == RN_OP_NE || op == RN_OP_NGLOB || op == RN_OP_GT || op == RN_OP_GE;
}

static const char *so(const struct comparison *c)
{
	return c->op == RN_OP_NONE ? "so none is this"
	       : negative(c->op)   ? "so this always holds"
				   : "so this never holds";
}

static bool is_glob(const struct comparison *c)
{
	return c->op == RN_OP_GLOB || c->op == RN_OP_NGLOB;
}

/* `~`, or `!~` for a negative comparison. */
static const char *glob_op(const struct comparison *c)
{
	return rn_op_text(negative(c->op) ? RN_OP_NGLOB : RN_OP_GLOB);
}

static const char *equal_op(const struct comparison *c)
{
	return rn_op_text(negative(c->op) ? RN_OP_NE : RN_OP_EQ);
}

/* Adds the note, unless the place has one: a view that is expanded twice has noted it already. */
static bool tell(const struct comparison *c, const char *text, const char *way)
{
	struct rn_diag *d = c->scope->resolver->diag;
	struct rn_span at = c->constant->span;

	for (const struct rn_diag_item *it = rn_diag_first(d); it; it = it->next)
		if (it->severity == RN_NOTE && it->span.start == at.start &&
		    it->span.end == at.end &&
		    !strcmp(rn_diag_name(d, it->span.src), rn_diag_name(d, at.src)))
			return true;
	rn_diag_hint(d, rn_diag_add(d, RN_NOTE, "N-NEVER", at, "%s", text), "%s", way);
	return true;
}

#define say(c, ...) rn_arena_printf((c)->scope->resolver->arena, __VA_ARGS__)

/* Returns before, text and behind as one string of the language. */
static const char *quoted(const struct comparison *c, const char *before, const char *text,
			  const char *behind)
{
	const char *all = say(c, "%s%s%s", before, text, behind);
	struct rn_strbuf out;

	rn_strbuf_init(&out, c->scope->resolver->arena);
	rn_strbuf_quote(&out, all, strlen(all));
	return rn_strbuf_cstr(&out);
}

/* ---- mistakes ---- */

/* socket:[81], anon_inode:[eventpoll]: a file without a path has a kind. */
static bool names_a_kind(const char *text)
{
	size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyz_");

	return n && text[n] == ':';
}

/* pipe*, net?[0-9]*: a glob that begins like a kind, with at least three of its letters before the
 * colon. */
static bool begins_a_kind(const char *glob)
{
	static const char *const kinds[] = {"socket", "pipe", "anon_inode", "memfd",
					    "net",    "mnt",  "uts",        "ipc",
					    "pid",    "user", "cgroup",     "time"};
	size_t n = strcspn(glob, "*?[\\");

	for (size_t i = 0; n > 2 && glob[n] && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strncmp(kinds[i], glob, n))
			return true;
	return false;
}

/* file ~ "passwd*" */
static bool rule_begins(const struct comparison *c)
{
	const char *t = c->text, *name = field_text(c);

	if (!is_glob(c) || strchr("/*?[\\", *t) || names_a_kind(t) || begins_a_kind(t) || !c->cls ||
	    (c->cls->path_as_given && !strcmp(c->field->name, "file")))
		return false;
	return tell(
		c,
		say(c, "`%s` is a whole path and the glob begins in its middle, %s", name, so(c)),
		say(c, "a file of that name: %s %s %s; a path with it anywhere: %s", name,
		    glob_op(c), quoted(c, "*/", t, ""),
		    quoted(c, "*", t, t[strlen(t) - 1] == '*' ? "" : "*")));
}

/* file ~ "/etc" */
static bool rule_no_wildcard(const struct comparison *c)
{
	const char *t = c->text, *name = field_text(c);
	size_t n = strlen(t);

	if (!is_glob(c) || strpbrk(t, "*?[\\"))
		return false;
	if (names_a_kind(t) && t[n - 1] == ':')
		return tell(c, say(c, "behind the colon `%s` has more, %s", name, so(c)),
			    say(c, "write %s %s %s", name, glob_op(c), quoted(c, "", t, "*")));
	if (t[0] != '/')
		return tell(c, "a glob without `*`, `?` or `[` matches nothing but its own text",
			    say(c, "a path with it anywhere: %s %s %s", name, glob_op(c),
				quoted(c, "*", t, "*")));
	return tell(c, "a glob without `*`, `?` or `[` matches nothing but its own text",
		    say(c, "what is below it: %s %s %s; itself: %s %s %s", name, glob_op(c),
			quoted(c, "", t, t[n - 1] == '/' ? "*" : "/*"), name, equal_op(c),
			quoted(c, "", t, "")));
}

/* file = "*.log" */
static bool rule_star(const struct comparison *c)
{
	const char *wild = strpbrk(c->text, "*?");

	/* `?` alone is the name of a file whose name did not fit */
	if (!wild || is_glob(c) || (c->field->kind == RN_KIND_PATH && !strcmp(c->text, "?")))
		return false;
	return tell(c,
		    say(c, "`%s` takes `%c` as it is, not as a wildcard",
			c->op ? rn_op_text(c->op) : "in", *wild),
		    say(c, "a glob is compared by `%s`: %s %s %s", glob_op(c), field_text(c),
			glob_op(c), quoted(c, "", c->text, "")));
}

/* The number of bytes that a text must have at least to match the glob. */
static size_t least_bytes(const char *glob)
{
	size_t n = 0;

	for (; *glob; glob++) {
		if (*glob == '[' && glob[1] && strchr(glob + 2, ']'))
			glob = strchr(glob + 2, ']');
		else if (*glob == '\\' && glob[1])
			glob++;
		n += *glob != '*';
	}
	return n;
}

/* The text as the kernel cuts it, compared with =. If the cut would split a character, it is
 * compared with a glob. */
static const char *as_cut(const struct comparison *c)
{
	size_t cut = RN_COMM_BYTES;

	while (cut && ((unsigned char)c->text[cut] & 0xc0) == 0x80)
		cut--;
	return say(c, "%s %s %s", field_text(c), cut == RN_COMM_BYTES ? equal_op(c) : glob_op(c),
		   quoted(c, "", rn_arena_strndup(c->scope->resolver->arena, c->text, cut),
			  cut == RN_COMM_BYTES ? "" : "*"));
}

/* proc = "a-name-of-more-than-15-bytes" */
static bool rule_too_long(const struct comparison *c)
{
	size_t n = is_glob(c) ? least_bytes(c->text) : strlen(c->text);
	bool starts = !is_glob(c) || strcspn(c->text, "*?[\\") >= RN_COMM_BYTES;

	/* a snapshot has the names of the kernel's workers in full */
	if (n <= RN_COMM_BYTES || !c->cls || c->cls->kind != RN_CLASS_EVENT)
		return false;
	return tell(c,
		    say(c, "`%s` has at most %d bytes and this %s %zu, %s", field_text(c),
			RN_COMM_BYTES, is_glob(c) ? "glob at least" : "text", n, so(c)),
		    say(c, "the kernel cuts the name there: %s",
			starts ? as_cut(c) : "shorten the glob"));
}

/* What this machine knows of names, if the query runs on this machine alone; else NULL. */
static const struct rn_here *here(const struct comparison *c)
{
	const struct rn_names *n = c->scope->resolver->names;
	bool equal = !is_glob(c) || !strpbrk(c->text, "*?[\\");

	return equal && *c->text && c->cls && !c->cls->recorded && !n->unbound ? n->here : NULL;
}

/* user = nobdy */
static bool rule_user(const struct comparison *c)
{
	const struct rn_here *h = here(c);
	const char *name = field_text(c), *near;

	if (!h || h->has_user(h->self, c->scope->resolver->arena, c->text, &near))
		return false;
	if (!c->text[strspn(c->text, "0123456789")])
		return tell(
			c,
			say(c, "`%s` is a name, and the user %s has one, %s", name, c->text, so(c)),
			near ? say(c, "write %s %s %s, or uid %s %s", name, equal_op(c),
				   quoted(c, "", near, ""), equal_op(c), c->text)
			     : say(c, "by number: uid %s %s", equal_op(c), c->text));
	return tell(c, say(c, "this machine has no user `%s`, %s", c->text, so(c)),
		    near ? say(c, "did you mean `%s`?", near)
			 : "`getent passwd` lists them; by number: uid = 1000");
}

/* proc = Java, while java runs */
static bool rule_case(const struct comparison *c)
{
	const struct rn_here *h = here(c);
	const char *other;

	if (!h || strcmp(c->field->name, "proc") ||
	    !(other = h->proc_like(h->self, c->scope->resolver->arena, c->text)))
		return false;
	return tell(c,
		    say(c, "no process is called `%s` now, but one is called `%s`", c->text, other),
		    say(c, "capitals count: %s %s %s", field_text(c), equal_op(c),
			quoted(c, "", other, "")));
}

/* Does the glob match no name? */
static bool matches_none(const struct rn_numbering *numbering, const char *glob)
{
	for (unsigned i = 0; i < numbering->n; i++)
		if (rn_glob_str(glob, numbering->of[i].name))
			return false;
	return !numbering->flags && rn_numbering_glob(glob, strlen(glob));
}

/* reason = NO_SOKET */
static bool rule_numbered(const struct comparison *c)
{
	const struct rn_numbering *all = c->field->numbering;
	const struct rn_names *n = c->scope->resolver->names;
	const char **names, *near, *name = field_text(c);

	if (!all || !n->here ||
	    (is_glob(c) ? !matches_none(all, c->text)
			: rn_numbering_knows(all, c->text, strlen(c->text))))
		return false;
	names = RN_NEWN(c->scope->resolver->arena, const char *, all->n + 1);
	for (unsigned i = 0; i < all->n; i++)
		names[i] = all->of[i].name;
	near = rn_nearest(c->text, names);
	return tell(c, say(c, "this kernel has no name `%s` for `%s`, %s", c->text, name, so(c)),
		    near ? say(c, "did you mean `%s`?", near)
			 : say(c, "such names are like %s", names[0]));
}

/* ---- numbers ---- */

/* Is the answer the same for every number from least on? */
static bool is_decided(const struct comparison *c, double least)
{
	return c->op == RN_OP_LT ? c->number <= least : c->number < least;
}

static bool rule_error(const struct comparison *c)
{
	const char *name = c->number < 0 && c->number > -RN_ERRNO_END
				   ? rn_errno_name((int)-c->number)
				   : NULL,
		   *what = field_text(c);

	if (!is_decided(c, 0))
		return false;
	return tell(c, say(c, "`%s` is never below 0, %s", what, so(c)),
		    name && (c->op == RN_OP_EQ || c->op == RN_OP_NE)
			    ? say(c, "an error is a positive number or its name: %s %s %s", what,
				  equal_op(c), name)
			    : say(c, "what failed is %s != 0", what));
}

static bool rule_fd(const struct comparison *c)
{
	if (!is_decided(c, -1))
		return false;
	return tell(c, say(c, "`%s` is never below -1, %s", field_text(c), so(c)),
		    "-1 says that there is no descriptor");
}

/* ---- all of them ---- */

#define KIND(k) (1u << RN_KIND_##k)
static const struct {
	unsigned kinds;
	bool (*note)(const struct comparison *c);
} rules[] = {
	{KIND(PATH) | KIND(COMM) | KIND(USER) | KIND(WORD), rule_star},
	{KIND(PATH), rule_begins},
	{KIND(PATH), rule_no_wildcard},
	{KIND(COMM), rule_too_long},
	{KIND(COMM), rule_case},
	{KIND(USER), rule_user},
	{KIND(WORD), rule_numbered},
};

static void of_text(struct comparison *c)
{
	const struct rn_value *v = &c->constant->value;

	if (!v->len || memchr(v->s, 0, v->len) || c->op == RN_OP_LT || c->op == RN_OP_LE ||
	    c->op == RN_OP_GT || c->op == RN_OP_GE)
		return;
	c->text = rn_arena_strndup(c->scope->resolver->arena, v->s, v->len);
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		if (rules[i].kinds & 1u << c->field->kind && rules[i].note(c))
			return;
}

void rn_resolve_note_never(struct rn_resolve_scope *scope, enum rn_op op,
			   const struct rn_ast_expr *left, const struct rn_ast_expr *right)
{
	struct comparison c = {.scope = scope, .op = op, .what = left, .constant = right};
	bool swapped = left->kind == RN_AST_LITERAL ||
		       (rn_resolve_constant_number(left, &c.number) && right->kind == RN_AST_NAME);

	if (swapped)
		c = (struct comparison){
			.scope = scope, .op = rn_op_mirrored(op), .what = right, .constant = left};
	if (c.what->kind != RN_AST_NAME)
		return;
	find(&c);
	if (!c.field)
		return;
	if (is_string_literal(c.constant))
		of_text(&c);
	else if (rn_resolve_constant_number(c.constant, &c.number) && c.what->ty.unit == RN_U_ERRNO)
		rule_error(&c);
	else if (rn_resolve_constant_number(c.constant, &c.number) && c.field->kind == RN_KIND_FD)
		rule_fd(&c);
}
