/* source.c - the source of a query: an event class, a table, a pair of events, the answer of
 * another query, or the result of a let.
 *
 * The columns of a nested query become the fields of an artificial class "(query)". Everything
 * above it (predicates, groups, the evaluator) is therefore the same as over events. */
#include <string.h>
#include "planner/lower/lower.h"
#include "planner/split/place.h"
#include "planner/rules/rules.h"

/* A list with views of events means only some events: that is one more condition. */
static bool lower_only(struct rn_lower *l, const struct rn_ast_expr *only)
{
	struct rn_expr *expr = rn_lower_input(l, only);

	if (expr)
		rn_plan_add_where(l->arena, &l->plan->frag, expr);
	return expr != NULL;
}

static bool lower_class(struct rn_lower *l, const struct rn_ast_source *s)
{
	struct rn_fragment *f = &l->plan->frag;

	f->cls = s->cls;
	f->class_name = s->cls->name;
	f->span = s->span;
	if (!strcmp(s->cls->name, "tag")) {
		f->tags = s->tags;
		f->ntags = s->ntags;
		return true;
	}
	f->class_arg = s->cls->arg ? s->cls->arg : s->args ? s->args->text : NULL;
	return !s->only || lower_only(l, s->only);
}

static struct rn_field *new_field(struct rn_arena *a, const char *name, struct rn_ty ty,
				  unsigned id)
{
	struct rn_field *f = RN_NEW(a, struct rn_field);

	f->name = rn_arena_strdup(a, name);
	f->ty = ty;
	f->where = RN_IN_NODE;
	f->id = (uint16_t)id;
	f->doc = "a column of the nested query";
	f->not_kernel = "a column of a nested query";
	return f;
}

bool rn_plan_unsure(const struct rn_plan *plan, unsigned i)
{
	if (plan->kind == RN_PLAN_FLOW)
		return !strcmp(plan->out[i].label, "latency");
	return plan->kind == RN_PLAN_ROWS &&
	       rn_expr_unsure(plan->frag.cols[plan->out[i].expr->index].expr);
}

/* The plan owns its fields: the rule that prunes columns of a child renumbers them. */
const struct rn_class *rn_plan_class(struct rn_arena *arena, const struct rn_plan *child)
{
	struct rn_class *cls = RN_NEW(arena, struct rn_class);
	unsigned window = rn_plan_has_window(child), n = child->nout - child->nhidden;
	const struct rn_field **fields = RN_NEWN(arena, const struct rn_field *, n + window);

	if (window)
		fields[0] = new_field(arena, "window", (struct rn_ty){RN_T_INT, RN_U_EPOCH}, 0);
	for (unsigned i = 0; i < n; i++) {
		const struct rn_column *of = &child->out[i];
		struct rn_field *field = new_field(arena, of->label, of->ty, i + window);

		field->unsure = rn_plan_unsure(child, i);
		field->show = of->show;
		field->words = of->words;
		fields[i + window] = field;
	}
	cls->name = "(query)";
	cls->kind = RN_CLASS_TABLE;
	cls->doc = "the answer of a nested query";
	cls->fields = fields;
	cls->nfields = n + window;
	return cls;
}

/* Lowers the condition of an end, over the end's own fields. Live events are paired in the kernel,
 * which must therefore be able to test all of it. Recorded ones are tested by their reader. */
static bool lower_end_where(struct rn_lower *lower, const struct rn_ast_expr *where,
			    struct rn_pair_end *end, const struct rn_class *cls)
{
	struct rn_plan alone = {
		.frag = {.cls = cls}, .sets = lower->plan->sets, .nsets = lower->plan->nsets};
	struct rn_lower of = {.arena = lower->arena,
			      .diag = lower->diag,
			      .names = lower->names,
			      .query = lower->query,
			      .plan = &alone,
			      .outer = lower};
	struct rn_expr *expr = rn_lower_input(&of, where);
	unsigned nodes = 0;

	if (!expr)
		return false;
	lower->plan->sets = alone.sets;
	lower->plan->nsets = alone.nsets;
	rn_plan_add_where(lower->arena, &alone.frag, rn_fold_expr(lower->arena, expr));
	for (unsigned i = 0; i < alone.frag.nwhere; i++) {
		struct rn_conjunct *conjunct = &alone.frag.where[i];
		const char *why =
			cls->recorded ? NULL
				      : rn_place_predicate(lower->arena, conjunct->expr, &nodes);

		if (why) {
			rn_diag_hint(lower->diag,
				     rn_diag_add(lower->diag, RN_ERROR, "E-LATER",
						 conjunct->expr->span,
						 "the kernel chooses the ends of a pair, and "
						 "cannot test this: %s",
						 why),
				     "write conditions on the first event behind the pair: between "
				     "A and B on KEYS where ...; or record the events and pair "
				     "those: `from \"x.rnt\"` tests any condition");
			return false;
		}
		conjunct->place = cls->recorded ? RN_AT_NODE : RN_AT_KERNEL;
	}
	end->where = alone.frag.where;
	end->nwhere = alone.frag.nwhere;
	return true;
}

static bool lower_pair(struct rn_lower *lower, const struct rn_ast_source *src)
{
	const struct rn_ast_source *ends[] = {src->from, src->to};
	const struct rn_pair *p = src->cls->pair;
	struct rn_fragment *fragment = &lower->plan->frag;

	fragment->cls = src->cls;
	fragment->class_name = src->cls->name;
	fragment->span = src->span;
	fragment->ends = RN_NEWN(lower->arena, struct rn_pair_end, 2);
	fragment->pair_keys = RN_NEWN(lower->arena, struct rn_pair_key, p->nkeys);
	fragment->npair_keys = p->nkeys;
	for (unsigned k = 0; k < p->nkeys; k++)
		for (unsigned i = 0; i < 2; i++)
			fragment->pair_keys[k].name[i] = p->key[k][i]->name;
	for (unsigned i = 0; i < 2; i++) {
		fragment->ends[i].class_name = p->end[i]->name;
		fragment->ends[i].class_arg = p->end[i]->arg;
		fragment->ends[i].span =
			ends[i]->query ? ends[i]->query->source->span : ends[i]->span;
		if (ends[i]->query && ends[i]->query->where &&
		    !lower_end_where(lower, ends[i]->query->where, &fragment->ends[i], p->end[i]))
			return false;
	}
	return true;
}

void rn_plan_ends_by(struct rn_plan *plan, int64_t for_ns)
{
	if (for_ns && (!plan->for_ns || for_ns < plan->for_ns))
		plan->for_ns = for_ns;
}

bool rn_lower_source(struct rn_lower *lower)
{
	struct rn_ast_source *src = lower->query->source;
	struct rn_plan *p = lower->plan;

	if (src->kind == RN_SRC_CLASS)
		return lower_class(lower, src);
	if (src->kind == RN_SRC_BETWEEN)
		return lower_pair(lower, src);
	if (src->let) { /* it was read already: the `let` said from where, and how long */
		p->given = src->let;
		p->from = NULL;
		p->for_ns = 0;
		p->frag.cls = src->let->cls;
		p->frag.class_name = p->frag.cls->name;
		return true;
	}
	p->child =
		rn_lower_query(lower->arena, lower->diag, src->query, lower->names, lower, false);
	if (!p->child)
		return false;
	rn_plan_ends_by(p, p->child->for_ns);
	p->view = src->view;
	p->frag.cls = rn_plan_class(lower->arena, p->child);
	p->frag.class_name = p->frag.cls->name;
	return true;
}
