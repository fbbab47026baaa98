/* dump.c - the logical plan and its split as text, one line a fact: for --dump=plan, --dump=split
 * and goldens.
 *
 * Deterministic and public: names and reasons only. */
#include <inttypes.h>
#include <string.h>
#include "lang/base/str.h"
#include "planner/show/show.h"

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

static void dump_finish(struct rn_strbuf *t, const struct rn_plan *p, unsigned depth)
{
	const char *s = "";

	for (unsigned i = 0; i < p->nout; i++)
		dump_column(t, p, i, depth);
	if (p->having)
		line(t, depth, "having %s", rn_plan_text(t->arena, p, p->having));
	for (unsigned i = 0; i < p->norder; i++)
		s = rn_arena_printf(t->arena, "%s%s%s%s", s, i ? ", " : "",
				    p->out[p->order[i].column].label,
				    p->order[i].desc ? " desc" : "");
	if (p->norder)
		line(t, depth, "order %s", s);
	if (p->limit >= 0)
		line(t, depth, "limit %" PRId64, p->limit);
	if (p->every_ns)
		line(t, depth, "every %s%s", rn_show_duration(t->arena, p->every_ns),
		     p->frag.every_ns || p->shows_window ? "" : ", of the query around it");
	if (p->for_ns)
		line(t, depth, "for %s", rn_show_duration(t->arena, p->for_ns));
	if (p->into)
		line(t, depth, "into \"%s\"%s%s", p->into, p->into_how ? " " : "",
		     rn_into_text(p->into_how));
}

static void dump_plan(struct rn_strbuf *t, const struct rn_plan *p, unsigned depth)
{
	static const char *const kinds[] = {"rows", "groups", "flow"};
	const struct rn_fragment *f = &p->frag;
	struct rn_arena *a = t->arena;

	line(t, depth++, "%s of %s", kinds[p->kind], source_text(a, p));
	if (p->merged)
		line(t, depth, "merged %s", p->merged);
	for (unsigned i = 0; i < f->nwhere; i++)
		line(t, depth, "where %s", rn_expr_text(a, f->where[i].expr));
	for (unsigned i = 0; i < f->nkeys; i++)
		line(t, depth, "key %s", rn_expr_text(a, f->keys[i]));
	for (unsigned i = 0; i < f->naggs; i++)
		line(t, depth, "aggregate %s", rn_show_agg(a, p, &f->aggs[i]));
	for (unsigned i = 0; i < f->ncols && p->kind == RN_PLAN_FLOW; i++)
		line(t, depth, "needs %s", f->cols[i].label);
	if (f->limit >= 0)
		line(t, depth, "limit at the node %" PRId64, f->limit);
	dump_finish(t, p, depth);
	for (unsigned i = 0; i < p->nsets; i++) {
		line(t, depth, "query %u:", i + 1);
		dump_plan(t, p->sets[i], depth + 1);
	}
	if (p->child) {
		line(t, depth, "source:");
		dump_plan(t, p->child, depth + 1);
	}
}

const char *rn_dump_plan(struct rn_arena *a, const struct rn_plan *p)
{
	struct rn_strbuf t;

	rn_strbuf_init(&t, a);
	dump_plan(&t, p, 0);
	return rn_strbuf_cstr(&t);
}

/* "kernel", or "node: why". */
static const char *place_text(struct rn_arena *a, enum rn_place place, const char *reason)
{
	return reason && *reason ? rn_arena_printf(a, "%s: %s", rn_place_name(place), reason)
				 : rn_place_name(place);
}

static void dump_split(struct rn_strbuf *t, const struct rn_plan *p, unsigned depth)
{
	const struct rn_fragment *f = &p->frag;
	struct rn_arena *a = t->arena;
	const char *row = "";

	line(t, depth++, "fragment of %s", source_text(a, p));
	for (unsigned i = 0; i < f->nwhere; i++)
		line(t, depth, "where %s -- %s", rn_expr_text(a, f->where[i].expr),
		     place_text(a, f->where[i].place, f->where[i].reason));
	for (unsigned i = 0; i < f->nfields; i++)
		row = rn_arena_printf(a, "%s%s%s", row, i ? ", " : "", f->fields[i]->name);
	if (f->scan_cap_bytes != RN_SCAN_CAP_DEFAULT || f->scan_rate_bytes)
		line(t, depth, "scan %s%s", rn_show_size(a, f->scan_cap_bytes),
		     !f->scan_rate_bytes
			     ? ""
			     : rn_arena_printf(a, ", %s/s",
					       rn_show_size(a, (int64_t)f->scan_rate_bytes)));
	line(t, depth, "row (%s)", row);
	if (p->kind == RN_PLAN_GROUPS)
		line(t, depth, "groups -- %s", place_text(a, f->agg_place, f->agg_reason));
	for (unsigned i = 0; i < f->nkeys; i++)
		line(t, depth, "key %s", rn_expr_text(a, f->keys[i]));
	for (unsigned i = 0; i < f->naggs; i++)
		line(t, depth, "aggregate %s", rn_show_agg(a, p, &f->aggs[i]));
	for (unsigned i = 0; i < f->ncols; i++)
		line(t, depth, "column %s", rn_expr_text(a, f->cols[i].expr));
	if (f->limit >= 0)
		line(t, depth, "limit %" PRId64, f->limit);
	if (f->every_ns)
		line(t, depth, "every %s", rn_show_duration(a, f->every_ns));
	for (unsigned i = 0; i < p->nsets; i++) {
		line(t, depth, "query %u:", i + 1);
		dump_split(t, p->sets[i], depth + 1);
	}
	if (p->child) {
		line(t, depth, "source:");
		dump_split(t, p->child, depth + 1);
	}
}

const char *rn_dump_split(struct rn_arena *a, const struct rn_plan *p)
{
	struct rn_strbuf t;

	rn_strbuf_init(&t, a);
	dump_split(&t, p, 0);
	return rn_strbuf_cstr(&t);
}
