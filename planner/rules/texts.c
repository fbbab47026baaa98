/* texts.c - startswith(file, "/var/l") becomes a glob, file ~ "/var/l*", and so do contains,
 * endswith, substr(file, 0, 4) = "/var" and cmdline = "sleep 1": the kernel knows globs.
 *
 * All compare bytes, so they agree on every text. A text that holds a character of globs, or is
 * empty, stays as it is. */
#include <string.h>
#include "planner/rules/rules.h"

static const struct {
	const char *function, *before, *after;
} globs[] = {
	{"contains", "*", "*"},
	{"startswith", "", "*"},
	{"endswith", "*", ""},
};

static bool is_plain(const struct rn_expr *e)
{
	if (e->kind != RN_E_CONST || e->value.kind != RN_STR || !e->value.len)
		return false;
	for (uint32_t i = 0; i < e->value.len; i++)
		if (!e->value.s[i] || strchr("*?[]\\", e->value.s[i]))
			return false;
	return true;
}

static bool is_text_field(const struct rn_expr *e)
{
	return e->kind == RN_E_FIELD && e->ty.type == RN_T_STR;
}

/* Makes e the comparison of field with a glob. */
static void become(struct rn_expr *e, enum rn_op op, struct rn_expr *field, struct rn_expr *text,
		   const char *glob)
{
	text->value = rn_strn(glob, strlen(glob));
	e->kind = RN_E_OP;
	e->op = op;
	e->func = NULL;
	e->arg[0] = field;
	e->arg[1] = text;
	e->narg = 2;
}

static void of_function(struct rn_arena *a, struct rn_expr *e)
{
	const struct rn_value *text = &e->arg[1]->value;

	for (unsigned i = 0; i < sizeof(globs) / sizeof(*globs); i++)
		if (!strcmp(globs[i].function, e->func->name)) {
			become(e, RN_OP_GLOB, e->arg[0], e->arg[1],
			       rn_arena_printf(a, "%s%.*s%s", globs[i].before, (int)text->len,
					       text->s, globs[i].after));
			return;
		}
}

static bool is_number(const struct rn_expr *e)
{
	return e->kind == RN_E_CONST && e->value.kind == RN_INT;
}

enum { ANY_BYTES = 63 };
static const char any[ANY_BYTES + 1] =
	"???????????????????????????????????????????????????????????????";

/* The glob of substr(s, start[, n]) = text; NULL: it is none. If s ends before start + n, substr
 * has fewer than n bytes. */
static const char *of_substr(struct rn_arena *a, const struct rn_expr *call,
			     const struct rn_value *text)
{
	int64_t start, n;
	bool rest = call->narg < 3;

	if (!is_number(call->arg[1]) || !(rest || is_number(call->arg[2])))
		return NULL;
	start = call->arg[1]->value.i;
	n = rest ? INT64_MAX : call->arg[2]->value.i;
	if (n < text->len || start > ANY_BYTES)
		return NULL;
	if (start >= 0)
		return rn_arena_printf(a, "%.*s%.*s%s", (int)start, any, (int)text->len, text->s,
				       n == text->len ? "*" : "");
	/* the last -start bytes; of a shorter text all */
	if (start == INT64_MIN || n < -start || text->len > -start)
		return NULL;
	return rn_arena_printf(a, "%s%.*s", text->len == -start ? "*" : "", (int)text->len,
			       text->s);
}

static void of_equal(struct rn_arena *a, struct rn_expr *e)
{
	bool text_first = e->arg[0]->kind == RN_E_CONST;
	struct rn_expr *x = e->arg[text_first], *text = e->arg[!text_first];
	enum rn_op op = e->op == RN_OP_EQ ? RN_OP_GLOB : RN_OP_NGLOB;
	const char *glob = NULL;

	if (!is_plain(text))
		return;
	if (is_text_field(x) && x->field->where & RN_IN_GLOB)
		glob = rn_arena_strndup(a, text->value.s, text->value.len);
	if (x->kind == RN_E_CALL && !strcmp(x->func->name, "substr") && is_text_field(x->arg[0]))
		glob = of_substr(a, x, &text->value);
	if (glob)
		become(e, op, x->kind == RN_E_CALL ? x->arg[0] : x, text, glob);
}

static struct rn_expr *rewrite(void *self, struct rn_expr *e)
{
	struct rn_arena *a = self;

	for (unsigned i = 0; i < e->narg; i++)
		e->arg[i] = rewrite(self, e->arg[i]);
	if (e->kind == RN_E_CALL && e->narg == 2 && is_text_field(e->arg[0]) && is_plain(e->arg[1]))
		of_function(a, e);
	if (e->kind == RN_E_OP && (e->op == RN_OP_EQ || e->op == RN_OP_NE))
		of_equal(a, e);
	return e;
}

void rn_rule_texts(struct rn_arena *arena, struct rn_plan *plan)
{
	rn_plan_rewrite(plan, rewrite, arena);
}
