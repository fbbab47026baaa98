/* texts.c - startswith(file, "/var/l") becomes a glob, file ~ "/var/l*", and so do contains and
 * endswith: the kernel knows globs.
 *
 * Both compare bytes, so they agree on every text. A text that holds a character of globs, or is
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

static struct rn_expr *rewrite(void *self, struct rn_expr *e)
{
	struct rn_arena *a = self;
	const char *glob;

	for (unsigned i = 0; i < e->narg; i++)
		e->arg[i] = rewrite(self, e->arg[i]);
	if (e->kind != RN_E_CALL || e->narg != 2 || e->arg[0]->kind != RN_E_FIELD ||
	    e->arg[0]->ty.type != RN_T_STR || !is_plain(e->arg[1]))
		return e;
	for (unsigned i = 0; i < sizeof(globs) / sizeof(*globs); i++) {
		if (strcmp(globs[i].function, e->func->name) != 0)
			continue;
		glob = rn_arena_printf(a, "%s%.*s%s", globs[i].before, (int)e->arg[1]->value.len,
				       e->arg[1]->value.s, globs[i].after);
		e->arg[1]->value = rn_strn(glob, strlen(glob));
		e->kind = RN_E_OP;
		e->op = RN_OP_GLOB;
		e->func = NULL;
		break;
	}
	return e;
}

void rn_rule_texts(struct rn_arena *arena, struct rn_plan *plan)
{
	rn_plan_rewrite(plan, rewrite, arena);
}
