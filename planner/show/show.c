/* show.c - see show.h; also prints expressions with the plan's names of keys, aggregates and
 * columns. */
#include <string.h>
#include "planner/show/show.h"

enum { SHOWN_TAGS = 16 };

struct names {
	struct rn_arena *arena;
	const struct rn_plan *plan;
};

static const char *ref_name(void *self, const struct rn_expr *e)
{
	const struct names *n = self;
	const struct rn_fragment *f = &n->plan->frag;
	unsigned i = (unsigned)e->index;

	switch (e->kind) {
	case RN_E_KEY: return i < f->nkeys ? rn_expr_text(n->arena, f->keys[i]) : NULL;
	case RN_E_AGG: return i < f->naggs ? f->aggs[i].text : NULL;
	case RN_E_COLUMN:
		return n->plan->kind != RN_PLAN_FLOW && i < f->ncols ? f->cols[i].label : NULL;
	default: return NULL;
	}
}

const char *rn_plan_text(struct rn_arena *arena, const struct rn_plan *plan,
			 const struct rn_expr *expr)
{
	struct names n = {.arena = arena, .plan = plan};

	return rn_expr_text_named(arena, expr, ref_name, &n);
}

const char *rn_show_duration(struct rn_arena *arena, int64_t ns)
{
	struct rn_expr e = {.kind = RN_E_CONST, .ty = {RN_T_INT, RN_U_NS}, .value = rn_int(ns)};

	return rn_expr_text(arena, &e);
}

const char *rn_show_size(struct rn_arena *arena, int64_t bytes)
{
	struct rn_expr e = {
		.kind = RN_E_CONST, .ty = {RN_T_INT, RN_U_BYTE}, .value = rn_int(bytes)};

	return rn_expr_text(arena, &e);
}

static const char *end_text(struct rn_arena *a, const struct rn_pair_end *end)
{
	const char *s = rn_source_text(a, end->class_name, end->class_arg);

	for (unsigned i = 0; i < end->nwhere; i++)
		s = rn_arena_printf(a, "%s%s %s", s, i ? " and" : " where",
				    rn_expr_text(a, end->where[i].expr));
	return end->nwhere ? rn_arena_printf(a, "(events of %s)", s) : s;
}

static const char *pair_text(struct rn_arena *a, const struct rn_fragment *f)
{
	const char *s = rn_arena_printf(a, "between %s and %s on", end_text(a, &f->ends[0]),
					end_text(a, &f->ends[1]));

	for (unsigned i = 0; i < f->npair_keys; i++) {
		const char *const *k = f->pair_keys[i].name;

		s = rn_arena_printf(a, "%s%s %s%s%s", s, i ? "," : "", k[0],
				    strcmp(k[0], k[1]) ? " = " : "",
				    strcmp(k[0], k[1]) ? k[1] : "");
	}
	return s;
}

const char *rn_show_class(struct rn_arena *arena, const struct rn_fragment *fragment)
{
	const char *s = fragment->ends
				? pair_text(arena, fragment)
				: rn_source_text(arena, fragment->class_name, fragment->class_arg);

	for (unsigned i = 0; i < fragment->ntags && i < SHOWN_TAGS; i++)
		s = rn_arena_printf(arena, "%s%s %s", s, i ? "," : "",
				    rn_tag_text(arena, fragment->tags[i]));
	if (fragment->ntags > SHOWN_TAGS)
		s = rn_arena_printf(arena, "%s, ... (%u tags)", s, fragment->ntags);
	return s;
}

const char *rn_show_agg(struct rn_arena *arena, const struct rn_plan *plan,
			const struct rn_agg_call *call)
{
	const char *arg = call->arg ? rn_expr_text(arena, call->arg) : "";

	return !plan->merged || strstr(call->text, arg)
		       ? call->text
		       : rn_arena_printf(arena, "%s of %s", call->text, arg);
}
