/* dump.c - the logical plan and its split as text, one line a fact: for --dump=plan, --dump=split
 * and goldens.
 *
 * Deterministic and public: names and reasons only. */
#include <inttypes.h>
#include <string.h>
#include "lang/base/str.h"
#include "lang/catalog/flow_schema.h"
#include "planner/show/show.h"

/* "through", if the column is such a condition; else "". */
static const char *condition_words(const struct rn_column *col)
{
	for (unsigned i = 0; i < RN_FLOW_IFS; i++)
		if (!strcmp(col->label, rn_flow_conditions[i].column))
			return rn_flow_conditions[i].words;
	return "";
}

static void line(struct rn_strbuf *t, unsigned depth, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static void line(struct rn_strbuf *t, unsigned depth, const char *fmt, ...)
{
	va_list ap;

	rn_strbuf_pad(t, ' ', (size_t)depth * 2);
	va_start(ap, fmt);
	rn_strbuf_put(t, rn_arena_vprintf(t->arena, fmt, ap));
	va_end(ap);
	rn_strbuf_putc(t, '\n');
}

static const char *source_text(struct rn_arena *a, const struct rn_plan *p)
{
	const char *s = rn_show_class(a, &p->frag);

	if (p->given)
		return rn_arena_printf(a, "result %s", p->given->name);
	if (p->child)
		return p->view ? rn_arena_printf(a, "view %s", p->view) : "nested query";
	return p->from ? rn_arena_printf(a, "%s from \"%s\"", s, p->from) : s;
}

/* `out bytes: size`, or `out kib = bytes / 1024: size`. */
static void dump_column(struct rn_strbuf *t, const struct rn_plan *p, unsigned i, unsigned depth)
{
	const struct rn_expr *e = p->kind == RN_PLAN_ROWS ? p->frag.cols[i].expr : p->out[i].expr;
	const char *label = p->out[i].label,
		   *text = p->kind == RN_PLAN_FLOW ? label : rn_plan_text(t->arena, p, e);
	bool same = !strcmp(text, label);

	line(t, depth, "%s %s%s%s: %s", i < p->nout - p->nhidden ? "out" : "hidden", label,
	     same ? "" : " = ", same ? "" : text, rn_type_name(p->out[i].ty));
}

static void dump_finish(struct rn_strbuf *buf, const struct rn_plan *plan, unsigned depth)
{
	const char *s = "";

	for (unsigned i = 0; i < plan->nout; i++)
		dump_column(buf, plan, i, depth);
	if (plan->having)
		line(buf, depth, "having %s", rn_plan_text(buf->arena, plan, plan->having));
	for (unsigned i = 0; i < plan->norder; i++)
		s = rn_arena_printf(buf->arena, "%s%s%s%s", s, i ? ", " : "",
				    plan->out[plan->order[i].column].label,
				    plan->order[i].desc ? " desc" : "");
	if (plan->norder)
		line(buf, depth, "order %s", s);
	if (plan->limit >= 0)
		line(buf, depth, "limit %" PRId64, plan->limit);
	if (plan->every_ns)
		line(buf, depth, "every %s%s", rn_show_duration(buf->arena, plan->every_ns),
		     plan->frag.every_ns || plan->shows_window ? "" : ", of the query around it");
	if (plan->for_ns)
		line(buf, depth, "for %s", rn_show_duration(buf->arena, plan->for_ns));
	if (plan->into)
		line(buf, depth, "into \"%s\"%s%s", plan->into, plan->into_how ? " " : "",
		     rn_into_text(plan->into_how));
}

static void dump_plan(struct rn_strbuf *buf, const struct rn_plan *plan, unsigned depth)
{
	static const char *const kinds[] = {"rows", "groups", "flow"};
	const struct rn_fragment *fragment = &plan->frag;
	struct rn_arena *arena = buf->arena;

	line(buf, depth++, "%s of %s", kinds[plan->kind], source_text(arena, plan));
	if (plan->merged)
		line(buf, depth, "merged %s", plan->merged);
	for (unsigned i = 0; i < fragment->nwhere; i++)
		line(buf, depth, "where %s", rn_expr_text(arena, fragment->where[i].expr));
	for (unsigned i = 0; i < fragment->nkeys; i++)
		line(buf, depth, "key %s", rn_expr_text(arena, fragment->keys[i]));
	for (unsigned i = 0; i < fragment->naggs; i++)
		line(buf, depth, "aggregate %s", rn_show_agg(arena, plan, &fragment->aggs[i]));
	for (unsigned i = 0; i < fragment->ncols && plan->kind == RN_PLAN_FLOW; i++)
		if (!*condition_words(&fragment->cols[i]))
			line(buf, depth, "needs %s", fragment->cols[i].label);
		else
			line(buf, depth, "%s %s", condition_words(&fragment->cols[i]),
			     rn_expr_text(arena, fragment->cols[i].expr));
	if (fragment->limit >= 0)
		line(buf, depth, "limit at the node %" PRId64, fragment->limit);
	dump_finish(buf, plan, depth);
	for (unsigned i = 0; i < plan->nsets; i++) {
		line(buf, depth, "query %u:", i + 1);
		dump_plan(buf, plan->sets[i], depth + 1);
	}
	if (plan->child) {
		line(buf, depth, "source:");
		dump_plan(buf, plan->child, depth + 1);
	}
}

const char *rn_dump_plan(struct rn_arena *arena, const struct rn_plan *plan)
{
	struct rn_strbuf t;

	rn_strbuf_init(&t, arena);
	dump_plan(&t, plan, 0);
	return rn_strbuf_cstr(&t);
}

/* "kernel", or "node: why". */
static const char *place_text(struct rn_arena *a, enum rn_place place, const char *reason)
{
	return reason && *reason ? rn_arena_printf(a, "%s: %s", rn_place_name(place), reason)
				 : rn_place_name(place);
}

static void dump_split(struct rn_strbuf *buf, const struct rn_plan *plan, unsigned depth)
{
	const struct rn_fragment *fragment = &plan->frag;
	struct rn_arena *arena = buf->arena;
	const char *row = "";

	line(buf, depth++, "fragment of %s", source_text(arena, plan));
	for (unsigned i = 0; i < fragment->nwhere; i++)
		line(buf, depth, "where %s -- %s", rn_expr_text(arena, fragment->where[i].expr),
		     place_text(arena, fragment->where[i].place, fragment->where[i].reason));
	for (unsigned i = 0; i < fragment->nfields; i++)
		row = rn_arena_printf(arena, "%s%s%s", row, i ? ", " : "",
				      fragment->fields[i]->name);
	if (fragment->scan_cap_bytes != RN_SCAN_CAP_DEFAULT || fragment->scan_rate_bytes)
		line(buf, depth, "scan %s%s", rn_show_size(arena, fragment->scan_cap_bytes),
		     !fragment->scan_rate_bytes
			     ? ""
			     : rn_arena_printf(
				       arena, ", %s/s",
				       rn_show_size(arena, (int64_t)fragment->scan_rate_bytes)));
	line(buf, depth, "row (%s)", row);
	if (plan->kind == RN_PLAN_GROUPS)
		line(buf, depth, "groups -- %s",
		     place_text(arena, fragment->agg_place, fragment->agg_reason));
	for (unsigned i = 0; i < fragment->nkeys; i++)
		line(buf, depth, "key %s%s", rn_expr_text(arena, fragment->keys[i]),
		     fragment->derived >> i & 1 ? " -- derived" : "");
	for (unsigned i = 0; i < fragment->naggs; i++)
		line(buf, depth, "aggregate %s", rn_show_agg(arena, plan, &fragment->aggs[i]));
	for (unsigned i = 0; i < fragment->ncols; i++)
		line(buf, depth, "column %s", rn_expr_text(arena, fragment->cols[i].expr));
	if (fragment->limit >= 0)
		line(buf, depth, "limit %" PRId64, fragment->limit);
	if (fragment->every_ns)
		line(buf, depth, "every %s", rn_show_duration(arena, fragment->every_ns));
	for (unsigned i = 0; i < plan->nsets; i++) {
		line(buf, depth, "query %u:", i + 1);
		dump_split(buf, plan->sets[i], depth + 1);
	}
	if (plan->child) {
		line(buf, depth, "source:");
		dump_split(buf, plan->child, depth + 1);
	}
}

const char *rn_dump_split(struct rn_arena *arena, const struct rn_plan *plan)
{
	struct rn_strbuf t;

	rn_strbuf_init(&t, arena);
	dump_split(&t, plan, 0);
	return rn_strbuf_cstr(&t);
}
