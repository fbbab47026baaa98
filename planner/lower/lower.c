/* lower.c - a resolved query to its logical plan, before any rule.
 *
 * Consumes the AST as rn_resolve left it, without changes, and produces a plan in the same arena.
 * Nested queries are lowered first, because their columns are the fields of the query around
 * them. */
#include <string.h>
#include "lang/catalog/call_args.h"
#include "lang/catalog/flow_schema.h"
#include "planner/lower/lower.h"
#include "planner/rules/rules.h"
#include "lang/syntax/print.h"
#include "lang/base/limits.h"

void rn_plan_add_where(struct rn_arena *arena, struct rn_fragment *fragment, struct rn_expr *expr)
{
	struct rn_conjunct *w;

	/* beyond the limit the rest stays one condition: still right, and the fragment stays
	 * bounded */
	if (expr->kind == RN_E_OP && expr->op == RN_OP_AND &&
	    fragment->nwhere < RN_MAX_LIST - RN_MAX_DEPTH) {
		rn_plan_add_where(arena, fragment, expr->arg[0]);
		rn_plan_add_where(arena, fragment, expr->arg[1]);
		return;
	}
	w = RN_NEWN(arena, struct rn_conjunct, fragment->nwhere + 1);
	if (fragment->nwhere)
		memcpy(w, fragment->where, fragment->nwhere * sizeof(*w));
	w[fragment->nwhere++] =
		(struct rn_conjunct){.expr = expr, .place = RN_AT_NODE, .reason = ""};
	fragment->where = w;
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
	return it->label ? it->label : it->alias ? it->alias : rn_print_expr(l->arena, it->expr);
}

/* `by b` can name an output column: `bucket(latency, 1ms) as b`. */
static const struct rn_ast_expr *key_source(struct rn_lower *l, const struct rn_ast_expr *e)
{
	if (e->kind != RN_AST_NAME || rn_class_field(l->plan->frag.cls, e->name))
		return e;
	for (const struct rn_ast_item *it = l->query->items; it; it = it->next)
		if (it->alias && !strcmp(it->alias, e->name))
			return it->expr;
	return e;
}

static bool lower_keys(struct rn_lower *lower)
{
	struct rn_fragment *fragment = &lower->plan->frag;

	fragment->keys = RN_NEWN(lower->arena, struct rn_expr *, count_items(lower->query->by));
	for (const struct rn_ast_item *it = lower->query->by; it; it = it->next) {
		struct rn_expr *k = rn_lower_input(lower, key_source(lower, it->expr));
		unsigned i;

		if (!k)
			return false;
		for (i = 0; i < fragment->nkeys && !rn_expr_equal(fragment->keys[i], k); i++)
			;
		if (i == fragment->nkeys) /* a key written twice is one key */
			fragment->keys[fragment->nkeys++] = k;
	}
	if (fragment->nkeys > RN_MAX_KEYS) {
		rn_diag_add(lower->diag, RN_ERROR, "E-LIMIT-KEYS", lower->query->clause[RN_C_BY],
			    "%u keys: a query groups by at most %d", fragment->nkeys, RN_MAX_KEYS);
		return false;
	}
	return true;
}

static const struct rn_ast_item *item_of_key(struct rn_lower *l, unsigned k)
{
	for (const struct rn_ast_item *it = l->query->by; it; it = it->next) {
		struct rn_expr *x = rn_lower_input(l, key_source(l, it->expr));

		if (x && rn_expr_equal(x, l->plan->frag.keys[k]))
			return it;
	}
	return NULL;
}

/* How the column is shown: as the field, if it is one under its own name. */
static uint16_t show_of(const char *label, const struct rn_expr *e)
{
	bool same = e->kind == RN_E_FIELD && !strcmp(e->field->name, label);

	return same ? e->field->show & (uint16_t)~RN_SHOW_EXTRA : 0;
}

/* In which words the column is shown. The fields of e are those of the fragment's source, or its
 * keys and aggregates. */
static enum rn_words words_of(const struct rn_fragment *f, const struct rn_expr *e)
{
	if (e->kind == RN_E_FIELD)
		return f->cls ? rn_class_words(f->cls, e->field) : e->field->words;
	if (e->kind == RN_E_KEY)
		return words_of(f, f->keys[e->index]);
	if (e->kind == RN_E_AGG)
		return rn_agg_counts(f->aggs[e->index].def) ? RN_WORDS_COUNT : RN_WORDS_PLAIN;
	return RN_WORDS_PLAIN;
}

/* A column of groups; e is over keys and aggregates. */
static struct rn_column key_column(struct rn_lower *l, const char *label, struct rn_expr *e)
{
	const struct rn_fragment *f = &l->plan->frag;

	return (struct rn_column){.label = label,
				  .expr = e,
				  .ty = e->ty,
				  .show = e->kind == RN_E_KEY ? show_of(label, f->keys[e->index])
							      : 0,
				  .words = words_of(f, e)};
}

/* Columns of groups: keys that the list does not show, in the order of `by`; then the list. */
static bool lower_groups(struct rn_lower *lower)
{
	struct rn_plan *p = lower->plan;
	unsigned n = count_items(lower->query->items), first = 0;
	struct rn_column *list = RN_NEWN(lower->arena, struct rn_column, n ? n : 1);
	const struct rn_ast_item *it = lower->query->items;

	for (unsigned i = 0; i < n; i++, it = it->next) {
		struct rn_expr *expr = rn_lower_grouped(lower, it->expr);

		if (!expr)
			return false;
		list[i] = key_column(lower, label_of(lower, it), expr);
	}
	p->out = RN_NEWN(lower->arena, struct rn_column, n + p->frag.nkeys);
	for (unsigned k = 0; k < p->frag.nkeys; k++) {
		struct rn_expr *key =
			rn_expr_ref(lower->arena, RN_E_KEY, (int)k, p->frag.keys[k]->ty);
		bool shown = false;

		for (unsigned i = 0; i < n; i++)
			shown |= rn_expr_equal(list[i].expr, key);
		if (shown)
			continue;
		it = item_of_key(lower, k);
		p->out[first++] = key_column(lower, label_of(lower, it), key);
	}
	memcpy(p->out + first, list, n * sizeof(*list));
	p->nout = first + n;
	if (lower->query->having) {
		lower->over_output = true;
		p->having = rn_lower_grouped(lower, lower->query->having);
		return p->having != NULL;
	}
	return true;
}

/* A field beside the core that a clause names has its room in a table as the core has. */
static uint16_t show_named(const struct rn_lower *l, uint16_t show)
{
	bool listed = l->query->what == RN_WHAT_LIST || l->query->all;

	return listed || show & RN_SHOW_ALIKE || (show & RN_SHOW_TURN) < RN_SHOW_CORE
		       ? show
		       : (uint16_t)((show & ~RN_SHOW_TURN) | RN_SHOW_BYTES);
}

static void add_row_column(struct rn_lower *l, const char *label, struct rn_expr *e, bool extra)
{
	struct rn_plan *p = l->plan;
	unsigned i = p->frag.ncols++;

	p->frag.cols[i] = (struct rn_column){.label = label, .expr = e, .ty = e->ty};
	p->out[i] = (struct rn_column){.label = label,
				       .expr = rn_expr_ref(l->arena, RN_E_COLUMN, (int)i, e->ty),
				       .ty = e->ty,
				       .show = extra ? show_of(label, e) | RN_SHOW_EXTRA
						     : show_named(l, show_of(label, e)),
				       .words = words_of(&p->frag, e)};
	p->nout++;
}

static struct rn_expr *field_ref(struct rn_lower *l, const struct rn_field *f)
{
	struct rn_expr *e = rn_expr_new(l->arena, RN_E_FIELD, f->ty, l->query->span);

	e->field = f;
	e->name = f->name;
	e->index = -1;
	return e;
}

enum { MOST_ROW_KEYS = 3 };

/* Hidden columns that tell the rows of a table apart. */
static void add_row_key(struct rn_lower *l)
{
	struct rn_plan *p = l->plan;
	const char *const *key = rn_table_key(p->frag.cls);

	p->row_key = p->nout;
	for (; key && *key; key++, p->nhidden++, p->nrow_key++)
		add_row_column(l, *key, field_ref(l, rn_class_field(p->frag.cls, *key)), false);
}

/* Columns of rows: the list, or every field if the query has no list (`top 10 of (query)`). */
static bool lower_rows(struct rn_lower *lower)
{
	struct rn_plan *p = lower->plan;
	const struct rn_class *cls = p->frag.cls;
	unsigned n = lower->query->items ? count_items(lower->query->items) : cls->nfields;
	bool any_delta = false;

	p->frag.cols = RN_NEWN(lower->arena, struct rn_column, n + MOST_ROW_KEYS);
	p->out = RN_NEWN(lower->arena, struct rn_column, n + MOST_ROW_KEYS);
	for (unsigned i = 0; !lower->query->items && i < n; i++)
		add_row_column(lower, cls->fields[i]->name, field_ref(lower, cls->fields[i]),
			       cls->fields[i]->show & RN_SHOW_EXTRA);
	for (const struct rn_ast_item *it = lower->query->items; it; it = it->next) {
		bool delta = it->expr->kind == RN_AST_CALL && it->expr->func == &rn_func_delta;
		struct rn_expr *expr = rn_lower_input(lower, delta ? it->expr->args : it->expr);

		if (!expr)
			return false;
		add_row_column(lower, label_of(lower, it), expr, it->extra);
		p->out[p->nout - 1].known = it->asserted && rn_expr_unsure(expr);
		if (!delta)
			continue;
		p->out[p->nout - 1].delta = any_delta = true;
		p->out[p->nout - 1].ty = p->out[p->nout - 1].expr->ty = it->expr->ty;
	}
	if (any_delta)
		add_row_key(lower);
	if (lower->query->having) {
		rn_diag_hint(lower->diag,
			     rn_diag_add(lower->diag, RN_ERROR, "E-LATER",
					 lower->query->having->span, "`having` is for groups"),
			     "rows are chosen with `where`");
		return false;
	}
	return true;
}

/* A flow shows fixed columns. Each node sends the fields from which the path is reconstructed. */
static bool lower_flow(struct rn_lower *lower)
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
	struct rn_plan *p = lower->plan;
	struct rn_fragment *fragment = &p->frag;

	fragment->cols = RN_NEWN(lower->arena, struct rn_column, NNEEDS + RN_FLOW_IFS);
	for (unsigned i = 0; i < NNEEDS; i++) {
		const struct rn_field *field = rn_class_field(fragment->cls, needs[i]);

		if (field)
			fragment->cols[fragment->ncols++] =
				(struct rn_column){.label = field->name,
						   .expr = field_ref(lower, field),
						   .ty = field->ty};
	}
	for (unsigned i = 0; i < RN_FLOW_IFS; i++) {
		struct rn_expr *holds;

		if (!lower->query->flow_if[i])
			continue;
		holds = rn_lower_input(lower, lower->query->flow_if[i]);
		if (!holds)
			return false;
		fragment->cols[fragment->ncols++] =
			(struct rn_column){.label = rn_flow_conditions[i].column,
					   .expr = holds,
					   .ty = {RN_T_BOOL, RN_U_NONE}};
	}
	p->whole = !lower->query->where;
	p->out = RN_NEWN(lower->arena, struct rn_column, NSHOWS);
	p->nout = NSHOWS;
	for (unsigned i = 0; i < NSHOWS; i++)
		p->out[i] = (struct rn_column){
			.label = shows[i].label,
			.ty = shows[i].ty,
			.show = shows[i].show,
			.expr = rn_expr_ref(lower->arena, RN_E_COLUMN, (int)i, shows[i].ty)};
	return true;
}

/* The words of `on`; "except" stands before the excluded ones. */
static const char *const *node_names(struct rn_arena *arena, const struct rn_ast_name *on)
{
	const char **names;
	unsigned n = 0;
	bool except = false;

	for (const struct rn_ast_name *x = on; x; x = x->next)
		n++;
	if (!n)
		return NULL;
	names = RN_NEWN(arena, const char *, n + 2);
	n = 0;
	for (const struct rn_ast_name *x = on; x; x = x->next) {
		if (x->except && !except)
			names[n++] = "except";
		except = x->except;
		names[n++] = x->text;
	}
	return names;
}

static struct rn_plan *new_plan(struct rn_lower *lower, struct rn_ast_query *query)
{
	struct rn_plan *p = RN_NEW(lower->arena, struct rn_plan);

	p->query = query;
	p->kind = query->what == RN_WHAT_FLOW ? RN_PLAN_FLOW
		  : query->grouped            ? RN_PLAN_GROUPS
					      : RN_PLAN_ROWS;
	p->limit = p->frag.limit = -1;
	p->frag.max_groups = RN_MAX_GROUPS;
	p->every_ns = query->every_ns ? query->every_ns : query->rows_every_ns;
	p->frag.scan_cap_bytes = query->scan_cap ? (uint32_t)query->scan_cap : RN_SCAN_CAP_DEFAULT;
	p->frag.scan_rate_bytes = (uint64_t)query->scan_rate;
	p->frag.no_clean_cache = lower->names->no_clean_cache;
	p->frag.max_functions = lower->names->max_functions;
	p->frag.grouped = p->kind == RN_PLAN_GROUPS;
	p->frag.agg_place = RN_AT_NODE;
	p->frag.agg_reason = "";
	p->for_ns = query->for_ns;
	p->from = query->from;
	p->into = query->into;
	p->into_how = query->into_how;
	p->nodes = node_names(lower->arena, query->on);
	/* clauses of the whole query apply to the live events or the recording that its nested
	 * source reads */
	if (lower->outer && !lower->is_set && lower->outer->plan) {
		rn_plan_ends_by(p, lower->outer->plan->for_ns);
		if (!p->from)
			p->from = lower->outer->plan->from;
		if (!p->nodes)
			p->nodes = lower->outer->plan->nodes;
		if (!p->every_ns)
			p->every_ns = lower->outer->plan->every_ns;
	}
	p->frag.every_ns = p->frag.grouped ? p->every_ns : 0;
	p->over_ns = p->frag.every_ns ? query->over_ns : 0;
	p->shows_window = !p->frag.grouped && query->every_ns;
	return p;
}

struct rn_plan *rn_lower_query(struct rn_arena *arena, struct rn_diag *diag,
			       struct rn_ast_query *query, const struct rn_names *names,
			       struct rn_lower *outer, bool is_set)
{
	struct rn_lower lower = {.arena = arena,
				 .diag = diag,
				 .names = names,
				 .query = query,
				 .outer = outer,
				 .is_set = is_set};
	bool ok;

	if (!rn_refuse_query(&lower))
		return NULL;
	lower.plan = new_plan(&lower, query);
	if (!rn_lower_source(&lower))
		return NULL;
	if (query->where) {
		struct rn_expr *expr = rn_lower_input(&lower, query->where);

		if (!expr)
			return NULL;
		rn_plan_add_where(arena, &lower.plan->frag, expr);
	}
	if (lower.plan->kind == RN_PLAN_GROUPS)
		ok = lower_keys(&lower) && lower_groups(&lower);
	else
		ok = lower.plan->kind == RN_PLAN_FLOW ? lower_flow(&lower) : lower_rows(&lower);
	ok = ok && rn_lower_order(&lower);
	if (lower.plan->kind != RN_PLAN_GROUPS &&
	    (lower.plan->kind == RN_PLAN_FLOW || lower.plan->norder || lower.plan->limit >= 0))
		lower.plan->rows_every_ns = lower.plan->every_ns;
	return ok && rn_refuse_plan(&lower) ? lower.plan : NULL;
}
