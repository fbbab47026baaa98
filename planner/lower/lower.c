/* lower.c - a resolved query to its logical plan, before any rule.
 *
 * Consumes the AST as rn_resolve left it, without changes, and produces a plan in the same arena.
 * Nested queries are lowered first, because their columns are the fields of the query around
 * them. */
#include <string.h>
#include "lang/catalog/flow_schema.h"
#include "planner/lower/lower.h"
#include "planner/rules/rules.h"
#include "lang/syntax/print.h"
#include "lang/base/limits.h"

void rn_plan_add_where(struct rn_arena *a, struct rn_fragment *f, struct rn_expr *e)
{
	struct rn_conjunct *w;

	/* beyond the limit the rest stays one condition: still right, and the fragment stays
	 * bounded */
	if (e->kind == RN_E_OP && e->op == RN_OP_AND && f->nwhere < RN_MAX_LIST - RN_MAX_DEPTH) {
		rn_plan_add_where(a, f, e->arg[0]);
		rn_plan_add_where(a, f, e->arg[1]);
		return;
	}
	w = RN_NEWN(a, struct rn_conjunct, f->nwhere + 1);
	if (f->nwhere)
		memcpy(w, f->where, f->nwhere * sizeof(*w));
	w[f->nwhere++] = (struct rn_conjunct){.expr = e, .place = RN_AT_NODE, .reason = ""};
	f->where = w;
}

static unsigned count_items(const struct rn_ast_item *it)
{
	unsigned n = 0;

	for (; it; it = it->next)
		n++;
	return n;
}

static const char *label_of(struct rn_lower *l, const struct rn_ast_item *it)
{
	return it->label ? it->label : it->alias ? it->alias : rn_print_expr(l->a, it->expr);
}

/* `by b` can name an output column: `bucket(latency, 1ms) as b`. */
static const struct rn_ast_expr *key_source(struct rn_lower *l, const struct rn_ast_expr *e)
{
	if (e->kind != RN_AST_NAME || rn_class_field(l->p->frag.cls, e->name))
		return e;
	for (const struct rn_ast_item *it = l->q->items; it; it = it->next)
		if (it->alias && !strcmp(it->alias, e->name))
			return it->expr;
	return e;
}

static bool lower_keys(struct rn_lower *l)
{
	struct rn_fragment *f = &l->p->frag;

	f->keys = RN_NEWN(l->a, struct rn_expr *, count_items(l->q->by));
	for (const struct rn_ast_item *it = l->q->by; it; it = it->next) {
		struct rn_expr *k = rn_lower_input(l, key_source(l, it->expr));
		unsigned i;

		if (!k)
			return false;
		for (i = 0; i < f->nkeys && !rn_expr_equal(f->keys[i], k); i++)
			;
		if (i == f->nkeys) /* a key written twice is one key */
			f->keys[f->nkeys++] = k;
	}
	if (f->nkeys > RN_MAX_KEYS) {
		rn_diag_add(l->d, RN_ERROR, "E-LIMIT-KEYS", l->q->clause[RN_C_BY],
			    "%u keys: a query groups by at most %d", f->nkeys, RN_MAX_KEYS);
		return false;
	}
	return true;
}

static const struct rn_ast_item *item_of_key(struct rn_lower *l, unsigned k)
{
	for (const struct rn_ast_item *it = l->q->by; it; it = it->next) {
		struct rn_expr *x = rn_lower_input(l, key_source(l, it->expr));

		if (x && rn_expr_equal(x, l->p->frag.keys[k]))
			return it;
	}
	return NULL;
}

/* How the column is shown: as the field, if it is one under its own name. */
static uint16_t show_of(const char *label, const struct rn_expr *e)
{
	return e->kind == RN_E_FIELD && !strcmp(e->field->name, label) ? e->field->show : 0;
}

/* A column of groups; e is over keys and aggregates. */
static struct rn_column key_column(struct rn_lower *l, const char *label, struct rn_expr *e)
{
	const struct rn_fragment *f = &l->p->frag;

	return (struct rn_column){.label = label,
				  .expr = e,
				  .ty = e->ty,
				  .show = e->kind == RN_E_KEY ? show_of(label, f->keys[e->index])
							      : 0};
}

/* Columns of groups: keys that the list does not show, in the order of `by`; then the list. */
static bool lower_groups(struct rn_lower *l)
{
	struct rn_plan *p = l->p;
	unsigned n = count_items(l->q->items), first = 0;
	struct rn_column *list = RN_NEWN(l->a, struct rn_column, n ? n : 1);
	const struct rn_ast_item *it = l->q->items;

	for (unsigned i = 0; i < n; i++, it = it->next) {
		struct rn_expr *e = rn_lower_grouped(l, it->expr);

		if (!e)
			return false;
		list[i] = key_column(l, label_of(l, it), e);
	}
	p->out = RN_NEWN(l->a, struct rn_column, n + p->frag.nkeys);
	for (unsigned k = 0; k < p->frag.nkeys; k++) {
		struct rn_expr *key = rn_expr_ref(l->a, RN_E_KEY, (int)k, p->frag.keys[k]->ty);
		bool shown = false;

		for (unsigned i = 0; i < n; i++)
			shown |= rn_expr_equal(list[i].expr, key);
		if (shown)
			continue;
		it = item_of_key(l, k);
		p->out[first++] = key_column(l, label_of(l, it), key);
	}
	memcpy(p->out + first, list, n * sizeof(*list));
	p->nout = first + n;
	if (l->q->having) {
		l->over_output = true;
		p->having = rn_lower_grouped(l, l->q->having);
		return p->having != NULL;
	}
	return true;
}

static void add_row_column(struct rn_lower *l, const char *label, struct rn_expr *e)
{
	struct rn_plan *p = l->p;
	unsigned i = p->frag.ncols++;

	p->frag.cols[i] = (struct rn_column){.label = label, .expr = e, .ty = e->ty};
	p->out[i] = (struct rn_column){.label = label,
				       .expr = rn_expr_ref(l->a, RN_E_COLUMN, (int)i, e->ty),
				       .ty = e->ty,
				       .show = show_of(label, e)};
	p->nout++;
}

static struct rn_expr *field_ref(struct rn_lower *l, const struct rn_field *f)
{
	struct rn_expr *e = rn_expr_new(l->a, RN_E_FIELD, f->ty, l->q->span);

	e->field = f;
	e->name = f->name;
	e->index = -1;
	return e;
}

/* Columns of rows: the list, or every field if the query has no list (`top 10 of (query)`). */
static bool lower_rows(struct rn_lower *l)
{
	struct rn_plan *p = l->p;
	const struct rn_class *c = p->frag.cls;
	unsigned n = l->q->items ? count_items(l->q->items) : c->nfields;

	p->frag.cols = RN_NEWN(l->a, struct rn_column, n);
	p->out = RN_NEWN(l->a, struct rn_column, n);
	for (unsigned i = 0; !l->q->items && i < n; i++)
		add_row_column(l, c->fields[i]->name, field_ref(l, c->fields[i]));
	for (const struct rn_ast_item *it = l->q->items; it; it = it->next) {
		struct rn_expr *e = rn_lower_input(l, it->expr);

		if (!e)
			return false;
		add_row_column(l, label_of(l, it), e);
		p->out[p->nout - 1].known = it->asserted && rn_expr_unsure(e);
	}
	if (l->q->having) {
		rn_diag_hint(l->d,
			     rn_diag_add(l->d, RN_ERROR, "E-LATER", l->q->having->span,
					 "`having` is for groups"),
			     "rows are chosen with `where`");
		return false;
	}
	return true;
}

/* A flow shows fixed columns. Each node sends the fields from which the path is reconstructed. */
static bool lower_flow(struct rn_lower *l)
{
	static const char *const needs[] = {
#define X(id, name) name,
		RN_FLOW_NEEDS(X)
#undef X
	};
	static const struct {
		const char *label;
		struct rn_ty ty;
		uint16_t show;
	} shows[] = {
#define X(id, name, type, unit, show) {name, {RN_T_##type, RN_U_##unit}, show},
		RN_FLOW_SHOWS(X)
#undef X
	};
	enum { NNEEDS = sizeof(needs) / sizeof(*needs), NSHOWS = sizeof(shows) / sizeof(*shows) };
	struct rn_plan *p = l->p;
	struct rn_fragment *f = &p->frag;

	f->cols = RN_NEWN(l->a, struct rn_column, NNEEDS);
	for (unsigned i = 0; i < NNEEDS; i++) {
		const struct rn_field *field = rn_class_field(f->cls, needs[i]);

		if (field)
			f->cols[f->ncols++] = (struct rn_column){
				.label = field->name, .expr = field_ref(l, field), .ty = field->ty};
	}
	p->out = RN_NEWN(l->a, struct rn_column, NSHOWS);
	p->nout = NSHOWS;
	for (unsigned i = 0; i < NSHOWS; i++)
		p->out[i] = (struct rn_column){
			.label = shows[i].label,
			.ty = shows[i].ty,
			.show = shows[i].show,
			.expr = rn_expr_ref(l->a, RN_E_COLUMN, (int)i, shows[i].ty)};
	return true;
}

/* The words of `on`; "except" stands before the excluded ones. */
static const char *const *node_names(struct rn_arena *a, const struct rn_ast_name *on)
{
	const char **names;
	unsigned n = 0;
	bool except = false;

	for (const struct rn_ast_name *x = on; x; x = x->next)
		n++;
	if (!n)
		return NULL;
	names = RN_NEWN(a, const char *, n + 2);
	n = 0;
	for (const struct rn_ast_name *x = on; x; x = x->next) {
		if (x->except && !except)
			names[n++] = "except";
		except = x->except;
		names[n++] = x->text;
	}
	return names;
}

static struct rn_plan *new_plan(struct rn_lower *l, struct rn_ast_query *q)
{
	struct rn_plan *p = RN_NEW(l->a, struct rn_plan);

	p->query = q;
	p->kind = q->what == RN_WHAT_FLOW ? RN_PLAN_FLOW
		  : q->grouped            ? RN_PLAN_GROUPS
					  : RN_PLAN_ROWS;
	p->limit = p->frag.limit = -1;
	p->frag.max_groups = RN_MAX_GROUPS;
	p->every_ns = q->every_ns ? q->every_ns : q->rows_every_ns;
	p->frag.scan_cap_bytes = q->scan_cap ? (uint32_t)q->scan_cap : RN_SCAN_CAP_DEFAULT;
	p->frag.scan_rate_bytes = (uint64_t)q->scan_rate;
	p->frag.grouped = p->kind == RN_PLAN_GROUPS;
	p->frag.agg_place = RN_AT_NODE;
	p->frag.agg_reason = "";
	p->for_ns = q->for_ns;
	p->from = q->from;
	p->into = q->into;
	p->into_how = q->into_how;
	p->nodes = node_names(l->a, q->on);
	/* clauses of the whole query apply to the live events or the recording that its nested
	 * source reads */
	if (l->outer && !l->is_set && l->outer->p) {
		rn_plan_ends_by(p, l->outer->p->for_ns);
		if (!p->from)
			p->from = l->outer->p->from;
		if (!p->nodes)
			p->nodes = l->outer->p->nodes;
		if (!p->every_ns)
			p->every_ns = l->outer->p->every_ns;
	}
	p->frag.every_ns = p->frag.grouped ? p->every_ns : 0;
	p->shows_window = !p->frag.grouped && q->every_ns;
	return p;
}

struct rn_plan *rn_lower_query(struct rn_arena *a, struct rn_diag *d, struct rn_ast_query *q,
			       const struct rn_names *names, struct rn_lower *outer, bool is_set)
{
	struct rn_lower l = {
		.a = a, .d = d, .names = names, .q = q, .outer = outer, .is_set = is_set};
	bool ok;

	if (!rn_refuse_query(&l))
		return NULL;
	l.p = new_plan(&l, q);
	if (!rn_lower_source(&l))
		return NULL;
	if (q->where) {
		struct rn_expr *w = rn_lower_input(&l, q->where);

		if (!w)
			return NULL;
		rn_plan_add_where(a, &l.p->frag, w);
	}
	if (l.p->kind == RN_PLAN_GROUPS)
		ok = lower_keys(&l) && lower_groups(&l);
	else
		ok = l.p->kind == RN_PLAN_FLOW ? lower_flow(&l) : lower_rows(&l);
	ok = ok && rn_lower_order(&l);
	if (l.p->kind != RN_PLAN_GROUPS &&
	    (l.p->kind == RN_PLAN_FLOW || l.p->norder || l.p->limit >= 0))
		l.p->rows_every_ns = l.p->every_ns;
	return ok && rn_refuse_plan(&l) ? l.p : NULL;
}
