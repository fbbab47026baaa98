/* lower_source.c - the source of a query: an event class, a table, or the answer of another query.
 *
 * The columns of a nested query become the fields of a made-up class "(query)", so that everything above it (predicates,
 * groups, the evaluator) is the same as over events. */
#include <string.h>
#include "planner/lower.h"

static bool lower_class(struct rn_lower *l, const struct rn_ast_source *s)
{
	struct rn_fragment *f = &l->p->frag;

	f->cls = s->cls;
	f->class_name = s->cls->name;
	if (!strcmp(s->cls->name, "tag")) {
		f->tags = s->tags;
		f->ntags = s->ntags;
		return true;
	}
	f->class_arg = s->cls->arg ? s->cls->arg : s->args ? s->args->text : NULL;
	return true;
}

static struct rn_field *new_field(struct rn_arena *a, const char *name, struct rn_ty ty, unsigned id)
{
	struct rn_field *f = RN_NEW(a, struct rn_field);

	f->name = name;
	f->ty = ty;
	f->where = RN_IN_NODE;
	f->id = (uint16_t)id;
	f->doc = "a column of the nested query";
	f->not_kernel = "a column of a nested query";
	return f;
}

/* The class of a child's answer. Fields are the plan's own: the rule that prunes columns renumbers them. */
static const struct rn_class *class_of_child(struct rn_arena *a, const struct rn_plan *child)
{
	struct rn_class *c = RN_NEW(a, struct rn_class);
	unsigned window = child->frag.every_ns ? 1 : 0, n = child->nout - child->nhidden;
	const struct rn_field **fields = RN_NEWN(a, const struct rn_field *, n + window);

	if (window)
		fields[0] = new_field(a, "window", (struct rn_ty){RN_T_INT, RN_U_EPOCH}, 0);
	for (unsigned i = 0; i < n; i++)
		fields[i + window] = new_field(a, child->out[i].label, child->out[i].ty, i + window);
	c->name = "(query)";
	c->kind = RN_CLASS_TABLE;
	c->doc = "the answer of a nested query";
	c->fields = fields;
	c->nfields = n + window;
	return c;
}

bool rn_lower_source(struct rn_lower *l)
{
	struct rn_ast_source *s = l->q->source;
	struct rn_plan *p = l->p;

	if (s->kind == RN_SRC_CLASS)
		return lower_class(l, s);
	p->child = rn_lower_query(l->a, l->d, s->query, l->names, l, false);
	if (!p->child)
		return false;
	p->view = s->view;
	p->frag.cls = class_of_child(l->a, p->child);
	p->frag.class_name = p->frag.cls->name;
	return true;
}
