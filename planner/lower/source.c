/* source.c - the source of a query: an event class, a table, a pair of events, the answer of
 * another query, or the result of a let.
 *
 * The columns of a nested query become the fields of an artificial class "(query)". Everything
 * above it (predicates, groups, the evaluator) is therefore the same as over events. */
#include <string.h>
#include "planner/lower/lower.h"
#include "planner/split/place.h"
#include "planner/rules/rules.h"

static bool lower_class(struct rn_lower *l, const struct rn_ast_source *s)
{
	struct rn_fragment *f = &l->p->frag;

	f->cls = s->cls;
	f->class_name = s->cls->name;
	f->span = s->span;
	if (!strcmp(s->cls->name, "tag")) {
		f->tags = s->tags;
		f->ntags = s->ntags;
		return true;
	}
	f->class_arg = s->cls->arg ? s->cls->arg : s->args ? s->args->text : NULL;
	return true;
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

bool rn_plan_unsure(const struct rn_plan *p, unsigned i)
{
	if (p->kind == RN_PLAN_FLOW)
		return !strcmp(p->out[i].label, "latency");
	return p->kind == RN_PLAN_ROWS && rn_expr_unsure(p->frag.cols[p->out[i].expr->index].expr);
}

/* The plan owns its fields: the rule that prunes columns of a child renumbers them. */
const struct rn_class *rn_plan_class(struct rn_arena *a, const struct rn_plan *child)
{
	struct rn_class *c = RN_NEW(a, struct rn_class);
	unsigned window = rn_plan_has_window(child), n = child->nout - child->nhidden;
	const struct rn_field **fields = RN_NEWN(a, const struct rn_field *, n + window);

	if (window)
		fields[0] = new_field(a, "window", (struct rn_ty){RN_T_INT, RN_U_EPOCH}, 0);
	for (unsigned i = 0; i < n; i++) {
		const struct rn_column *of = &child->out[i];
		struct rn_field *f = new_field(a, of->label, of->ty, i + window);

		f->unsure = rn_plan_unsure(child, i);
		f->show = of->show;
		fields[i + window] = f;
	}
	c->name = "(query)";
	c->kind = RN_CLASS_TABLE;
	c->doc = "the answer of a nested query";
	c->fields = fields;
	c->nfields = n + window;
	return c;
}

/* Lowers the condition of an end, over the end's own fields. Live events are paired in the kernel,
 * which must therefore be able to test all of it. Recorded ones are tested by their reader. */
static bool lower_end_where(struct rn_lower *l, const struct rn_ast_expr *where,
			    struct rn_pair_end *end, const struct rn_class *cls)
{
	struct rn_plan alone = {.frag = {.cls = cls}, .sets = l->p->sets, .nsets = l->p->nsets};
	struct rn_lower of = {
		.a = l->a, .d = l->d, .names = l->names, .q = l->q, .p = &alone, .outer = l};
	struct rn_expr *e = rn_lower_input(&of, where);
	unsigned nodes = 0;

	if (!e)
		return false;
	l->p->sets = alone.sets;
	l->p->nsets = alone.nsets;
	rn_plan_add_where(l->a, &alone.frag, rn_fold_expr(l->a, e));
	for (unsigned i = 0; i < alone.frag.nwhere; i++) {
		struct rn_conjunct *w = &alone.frag.where[i];
		const char *why = cls->recorded ? NULL : rn_place_predicate(l->a, w->expr, &nodes);

		if (why) {
			rn_diag_hint(
				l->d,
				rn_diag_add(l->d, RN_ERROR, "E-LATER", w->expr->span,
					    "the end of a pair is chosen in the kernel, and this "
					    "cannot be tested there: %s",
					    why),
				"write what is about the first event behind the pair: between A "
				"and B on KEYS where ...; or record the "
				"events, and pair those: `from \"x.rnt\"` tests any condition");
			return false;
		}
		w->place = cls->recorded ? RN_AT_NODE : RN_AT_KERNEL;
	}
	end->where = alone.frag.where;
	end->nwhere = alone.frag.nwhere;
	return true;
}

static bool lower_pair(struct rn_lower *l, const struct rn_ast_source *s)
{
	const struct rn_ast_source *ends[] = {s->from, s->to};
	const struct rn_pair *p = s->cls->pair;
	struct rn_fragment *f = &l->p->frag;

	f->cls = s->cls;
	f->class_name = s->cls->name;
	f->span = s->span;
	f->ends = RN_NEWN(l->a, struct rn_pair_end, 2);
	f->pair_keys = RN_NEWN(l->a, struct rn_pair_key, p->nkeys);
	f->npair_keys = p->nkeys;
	for (unsigned k = 0; k < p->nkeys; k++)
		for (unsigned i = 0; i < 2; i++)
			f->pair_keys[k].name[i] = p->key[k][i]->name;
	for (unsigned i = 0; i < 2; i++) {
		f->ends[i].class_name = p->end[i]->name;
		f->ends[i].class_arg = p->end[i]->arg;
		f->ends[i].span = ends[i]->query ? ends[i]->query->source->span : ends[i]->span;
		if (ends[i]->query && ends[i]->query->where &&
		    !lower_end_where(l, ends[i]->query->where, &f->ends[i], p->end[i]))
			return false;
	}
	return true;
}

void rn_plan_ends_by(struct rn_plan *p, int64_t for_ns)
{
	if (for_ns && (!p->for_ns || for_ns < p->for_ns))
		p->for_ns = for_ns;
}

bool rn_lower_source(struct rn_lower *l)
{
	struct rn_ast_source *s = l->q->source;
	struct rn_plan *p = l->p;

	if (s->kind == RN_SRC_CLASS)
		return lower_class(l, s);
	if (s->kind == RN_SRC_BETWEEN)
		return lower_pair(l, s);
	if (s->let) { /* it was read already: the `let` said from where, and how long */
		p->given = s->let;
		p->from = NULL;
		p->for_ns = 0;
		p->frag.cls = s->let->cls;
		p->frag.class_name = p->frag.cls->name;
		return true;
	}
	p->child = rn_lower_query(l->a, l->d, s->query, l->names, l, false);
	if (!p->child)
		return false;
	rn_plan_ends_by(p, p->child->for_ns);
	p->view = s->view;
	p->frag.cls = rn_plan_class(l->a, p->child);
	p->frag.class_name = p->frag.cls->name;
	return true;
}
