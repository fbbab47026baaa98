/* regexes.c - if all texts that match a regular expression begin or end alike, a glob stands before
 * it: file =~ "^/etc/[a-z]+\\.conf$" also needs a file ~ "*.conf" that begins with /etc/. The
 * kernel tests the globs, and only what passes them leaves it for the regular expression. It is the
 * same with a glob that has brackets, which the kernel does not know.
 *
 * Only what is plain to see counts: no alternative, and letters without a quantifier outside of
 * parentheses, at an end that ^ or $ binds. */
#include <string.h>
#include "planner/split/place.h"
#include "planner/rules/rules.h"

enum { LEAST = 1, MOST = 60 };

struct plain {
	char head[MOST], tail[MOST];
	unsigned nhead, ntail;
};

/* Is it the same in a regular expression and in a glob, and one byte? */
static bool is_letter(char c)
{
	return c > ' ' && c < 0x7f && !strchr("^$.[]()|*+?{}\\", c);
}

static bool is_quantifier(char c)
{
	return c && strchr("*+?{", c);
}

/* The end of the bracket expression at s, behind its `]`. */
static const char *behind_bracket(const char *s, const char *end)
{
	s += s + 1 < end && s[1] == '^' ? 2 : 1;
	if (s < end) /* a `]` that comes first is one of the set */
		s++;
	while (s < end && *s != ']') {
		bool class = *s == '[' && s + 1 < end && strchr(":.=", s[1]);
		char kind = '\0';

		if (class)
			kind = s[1];
		for (s += class ? 2 : 1; class && s + 1 < end && !(s[0] == kind && s[1] == ']');)
			s++;
		s += class && s + 1 < end ? 2 : 0;
	}
	return s < end ? s + 1 : end;
}

/* Takes the next part of the pattern off *s. Returns the letter that it is, or 0: it is none, or a
 * quantifier follows. `depth` counts open parentheses. */
static char part(const char **s, const char *end, unsigned *depth)
{
	char c = **s, letter = 0;

	if (c == '[') {
		*s = behind_bracket(*s, end);
	} else if (c == '\\' && *s + 1 < end) {
		/* no star, question mark, bracket or backslash: globs know these */
		if (strchr(".+$^|(){}", (*s)[1]))
			letter = (*s)[1];
		*s += 2;
	} else {
		*depth += c == '(';
		*depth -= c == ')' && *depth;
		if (is_letter(c))
			letter = c;
		++*s;
	}
	if (*depth || (*s < end && is_quantifier(**s)))
		letter = '\0';
	return letter;
}

static bool has_alternative(const char *s, const char *end)
{
	while (s < end) {
		if (*s == '|')
			return true;
		s = *s == '[' ? behind_bracket(s, end) : s + (*s == '\\' ? 2 : 1);
	}
	return false;
}

/* What each text that matches the regular expression begins with, and ends with. */
static void of_regex(const char *s, size_t n, struct plain *p)
{
	const char *end = s + n;
	unsigned depth = 0;
	bool first;

	if (memchr(s, 0, n) || has_alternative(s, end))
		return;
	first = n && *s == '^';
	s += first;
	while (s < end) {
		bool last = s + 1 == end && *s == '$';
		char c;

		if (last)
			return; /* the tail stays */
		c = part(&s, end, &depth);
		first &= c != 0;
		if (first && p->nhead < MOST)
			p->head[p->nhead++] = c;
		if (!c || p->ntail == MOST)
			p->ntail = 0;
		if (c)
			p->tail[p->ntail++] = c;
	}
	p->ntail = 0;
}

/* The same of a glob with brackets: only its beginning. */
static void of_glob(const char *s, size_t n, struct plain *p)
{
	while (p->nhead < n && p->nhead < MOST && s[p->nhead] && !strchr("*?[\\", s[p->nhead])) {
		p->head[p->nhead] = s[p->nhead];
		p->nhead++;
	}
}

static struct rn_conjunct glob_of(struct rn_arena *a, const struct rn_expr *e, const char *pattern)
{
	struct rn_expr *glob = rn_expr_op(a, RN_OP_GLOB, e->ty, rn_expr_clone(a, e->arg[0]),
					  rn_expr_clone(a, e->arg[1]));

	glob->span = e->span;
	glob->arg[1]->value = rn_strn(pattern, strlen(pattern));
	return (struct rn_conjunct){.expr = glob};
}

static bool needs_help(const struct rn_expr *e)
{
	return e->kind == RN_E_OP && (e->op == RN_OP_REGEX || e->op == RN_OP_GLOB) &&
	       e->arg[0]->kind == RN_E_FIELD && e->arg[0]->ty.type == RN_T_STR &&
	       e->arg[0]->field->where & (RN_IN_KERNEL | RN_IN_GLOB) &&
	       e->arg[1]->kind == RN_E_CONST && e->arg[1]->value.kind == RN_STR &&
	       (e->op == RN_OP_REGEX || memchr(e->arg[1]->value.s, '[', e->arg[1]->value.len));
}

void rn_rule_regexes(struct rn_arena *arena, struct rn_plan *plan)
{
	struct rn_fragment *f = &plan->frag;
	struct rn_conjunct *w = RN_NEWN(arena, struct rn_conjunct, 3 * f->nwhere + 1);
	unsigned n = 0;

	if (rn_place_source(plan) || f->nwhere > 100)
		return;
	for (unsigned i = 0; i < f->nwhere; i++) {
		const struct rn_expr *e = f->where[i].expr;
		struct plain p = {.nhead = 0};

		if (needs_help(e) && e->op == RN_OP_REGEX)
			of_regex(e->arg[1]->value.s, e->arg[1]->value.len, &p);
		else if (needs_help(e))
			of_glob(e->arg[1]->value.s, e->arg[1]->value.len, &p);
		if (p.nhead >= LEAST)
			w[n++] = glob_of(arena, e,
					 rn_arena_printf(arena, "%.*s*", (int)p.nhead, p.head));
		if (p.ntail >= LEAST)
			w[n++] = glob_of(arena, e,
					 rn_arena_printf(arena, "*%.*s", (int)p.ntail, p.tail));
		w[n++] = f->where[i];
	}
	f->where = w;
	f->nwhere = n;
}
