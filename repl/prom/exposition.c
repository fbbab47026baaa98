/* exposition.c - see exposition.h.
 *
 * Rows of a window are kept as the text of their labels and as values. At its end they are sorted
 * by labels, which finds duplicates. Then they are written column by column, because the format
 * wants all series of a metric together. */
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "lang/base/arena.h"
#include "lang/base/memory.h"
#include "lang/values/hist.h"
#include "repl/render/json.h"
#include "repl/prom/bounds.h"
#include "repl/prom/names.h"
#include "repl/prom/self_metrics.h"
#include "repl/views/view_store.h"
#include "repl/prom/exposition.h"
#include "lang/base/vec.h"

enum role { LEFT_OUT, WINDOW, LABEL, NUMBER, HISTOGRAM };
struct column {
	enum role role;
	struct rn_ty ty;
	const char *label, *name, *doc;
	int sum;                             /* of a histogram: the column of its sum, or -1 */
	const struct rn_prom_bounds *bounds; /* of a histogram */
};
struct series {
	const char *labels;
	const struct rn_value *values;
};

struct rn_prom {
	struct rn_output out;
	const char *view, *doc;
	struct rn_arena *keep, *window; /* window: of the window that is coming in */
	const struct rn_plan *plan;     /* until begin */
	int64_t every_ns;
	struct column *col;
	unsigned ncols;
	unsigned nvalues; /* columns that make series */
	struct series *row;
	size_t nrows, cap;
	/* rows: all of the window; over: rows beyond the limit */
	int64_t window_ns, rows, over, bytes;
	bool any; /* window_ns is known */
	const char *left_out;
};

/* ---- the role of each column ---- */

static bool is_text(struct rn_ty ty)
{
	return ty.type == RN_T_STR || ty.type == RN_T_IP || ty.type == RN_T_TAGS ||
	       ty.type == RN_T_STACK || rn_unit_is_code(ty.unit) || ty.unit == RN_U_HEX;
}

/* Numbers of a table that say what a row is about. */
static bool is_identity(const struct rn_expr *e)
{
	static const char *const ids[] = {"pid", "tid", "ppid", "uid",   "gid",
					  "fd",  "cpu", "ino",  "netns", NULL};

	for (unsigned i = 0; e->kind == RN_E_FIELD && ids[i]; i++) {
		if (!strcmp(e->name, ids[i]))
			return true;
	}
	return is_text(e->ty) && e->kind != RN_E_AGG;
}

/* Does output column i of p say which group or row it is? A nested query's columns keep their
 * role. */
static bool is_key(const struct rn_plan *p, unsigned i)
{
	const struct rn_expr *e = p->out[i].expr;

	if (p->kind == RN_PLAN_GROUPS)
		return e->kind == RN_E_KEY;
	if (e->kind == RN_E_COLUMN)
		e = p->frag.cols[e->index].expr;
	if (p->child && e->kind == RN_E_FIELD) {
		unsigned window = rn_plan_has_window(p->child);

		return e->field->id >= window && e->field->id - window < p->child->nout &&
		       is_key(p->child, e->field->id - window);
	}
	return is_identity(e);
}

/* The aggregate that output column i of p shows, its own or a nested query's; NULL: it shows
 * none. */
static const struct rn_agg_call *agg_of(const struct rn_plan *p, unsigned i)
{
	const struct rn_expr *e = p->out[i].expr;
	unsigned window;

	if (p->kind == RN_PLAN_GROUPS)
		return e->kind == RN_E_AGG && (unsigned)e->index < p->frag.naggs
			       ? &p->frag.aggs[e->index]
			       : NULL;
	if (e->kind == RN_E_COLUMN)
		e = p->frag.cols[e->index].expr;
	if (!p->child || e->kind != RN_E_FIELD)
		return NULL;
	window = rn_plan_has_window(p->child);
	return e->field->id >= window && e->field->id - window < p->child->nout
		       ? agg_of(p->child, e->field->id - window)
		       : NULL;
}

/* The column with the sum of the values of the histogram in column i; -1: there is none. */
static int sum_of(const struct rn_prom *p, unsigned i, unsigned shift)
{
	const struct rn_agg_call *hist = i >= shift ? agg_of(p->plan, i - shift) : NULL;

	for (unsigned k = shift; hist && hist->arg && k < p->ncols; k++) {
		const struct rn_agg_call *sum =
			p->col[k].role == NUMBER ? agg_of(p->plan, k - shift) : NULL;

		if (sum && sum->arg && !strcmp(sum->def->sig.name, "sum") &&
		    rn_expr_equal(sum->arg, hist->arg))
			return (int)k;
	}
	return -1;
}

static const struct rn_prom_bounds *bounds_of(const struct rn_prom *p, unsigned i, unsigned shift)
{
	struct rn_prom_bounds *b = RN_NEW(p->keep, struct rn_prom_bounds);

	rn_prom_bounds(p->col[i].ty, i >= shift ? agg_of(p->plan, i - shift) : NULL, b);
	return b;
}

static enum role role_of(const struct rn_prom *p, const struct rn_column *c, unsigned i,
			 unsigned shift)
{
	if (!strcmp(c->label, "window") && c->ty.unit == RN_U_EPOCH)
		return WINDOW;
	if (i >= shift && is_key(p->plan, i - shift))
		return c->ty.type == RN_T_HIST || c->ty.type == RN_T_LIST ? LEFT_OUT : LABEL;
	if (c->ty.type == RN_T_HIST)
		return HISTOGRAM;
	return !is_text(c->ty) && (c->ty.type == RN_T_INT || c->ty.type == RN_T_FLOAT ||
				   c->ty.type == RN_T_BOOL)
		       ? NUMBER
		       : LEFT_OUT;
}

/* The "NAME: text" line of the view's documentation, else its summary. */
static const char *doc_of(const struct rn_prom *p, const char *label)
{
	size_t n = strlen(label);
	const char *summary;

	for (const char *s = p->doc; s && *s; s += strcspn(s, "\n"), s += *s == '\n') {
		if (!strncmp(s, label, n) && s[n] == ':')
			return rn_arena_strndup(p->keep, s + n + 1 + strspn(s + n + 1, " "),
						strcspn(s + n + 1 + strspn(s + n + 1, " "), "\n"));
	}
	summary = rn_view_summary(p->keep, NULL, p->doc);
	return rn_arena_printf(p->keep, "%s of the view %s: %s", label, p->view,
			       summary ? summary : "its last window");
}

static void name_columns(struct rn_prom *prom)
{
	const char **metrics = RN_NEWN(prom->keep, const char *, RN_PROM_OWN + prom->ncols + 1),
		   **labels = RN_NEWN(prom->keep, const char *, prom->ncols + 1);
	unsigned nm = RN_PROM_OWN, nl = 0;

	memcpy(metrics, rn_prom_own_names, RN_PROM_OWN * sizeof(*metrics));
	for (unsigned i = 0; i < prom->ncols; i++) {
		struct column *c = &prom->col[i];

		c->doc = doc_of(prom, c->label);
		if (c->role == HISTOGRAM)
			c->doc = rn_arena_printf(
				prom->keep, "%s (of that window alone; %s)", c->doc,
				c->sum >= 0 ? "its sum is exact"
					    : "its sum is that of the middles of buckets");
		if (c->role == LABEL)
			labels[nl++] = c->name = rn_prom_label(prom->keep, c->label, labels);
		else if (c->role == NUMBER || c->role == HISTOGRAM)
			metrics[nm++] = c->name =
				rn_prom_metric(prom->keep, prom->view, c->label, c->ty, metrics),
			prom->nvalues++;
		else if (c->role == LEFT_OUT)
			prom->left_out = rn_arena_printf(prom->keep, "%s%s`%s`",
							 prom->left_out ? prom->left_out : "",
							 prom->left_out ? ", " : "", c->label);
	}
}

static int begin(void *self, const struct rn_answer_shape *result)
{
	struct rn_prom *p = self;
	unsigned shift;

	if (p->col)
		return 0;
	shift = result->ncols - (p->plan->nout - p->plan->nhidden);
	p->ncols = result->ncols;
	p->col = RN_NEWN(p->keep, struct column, result->ncols + 1);
	for (unsigned i = 0; i < result->ncols; i++)
		p->col[i] =
			(struct column){.role = role_of(p, &result->cols[i], i, shift),
					.ty = result->cols[i].ty,
					.label = rn_arena_strdup(p->keep, result->cols[i].label)};
	for (unsigned i = 0; i < result->ncols; i++) {
		p->col[i].sum = p->col[i].role == HISTOGRAM ? sum_of(p, i, shift) : -1;
		p->col[i].bounds = p->col[i].role == HISTOGRAM ? bounds_of(p, i, shift) : NULL;
	}
	name_columns(p);
	return 0;
}

/* ---- rows ---- */

static void number_text(char buf[64], struct rn_ty ty, const struct rn_value *v)
{
	double f = v->kind == RN_FLOAT ? v->f : (double)v->i;

	if (v->kind != RN_FLOAT && rn_prom_scale(ty) == 1)
		snprintf(buf, 64, "%lld", (long long)v->i);
	else
		rn_float_text(buf, 64, rn_prom_scale(ty) == 1 ? f : f / 1e9);
}

static const char *labels_of(struct rn_prom *prom, const struct rn_value *value)
{
	char *text = NULL, buf[64];
	size_t len, n = 0;
	FILE *f = open_memstream(&text, &len);
	const char *kept;

	if (!f)
		abort();
	for (unsigned i = 0; i < prom->ncols; i++) {
		const struct column *c = &prom->col[i];

		if (c->role != LABEL)
			continue;
		fprintf(f, "%s%s=", n++ ? "," : "", c->name);
		if (value[i].kind == RN_NULL) {
			fputs("\"\"", f);
		} else if (value[i].kind == RN_STR && c->ty.type != RN_T_IP) {
			rn_prom_quoted(f, value[i].s, value[i].len);
		} else if (is_text(c->ty)) {
			const char *s = rn_value_show(prom->window, c->ty, &value[i]);

			rn_prom_quoted(f, s, strlen(s));
		} else {
			number_text(buf, c->ty, &value[i]);
			fprintf(f, "\"%s\"", buf);
		}
	}
	(void)fclose(f);
	kept = rn_arena_strndup(prom->window, text, len);
	free(text);
	return kept;
}

static const struct rn_value *values_of(struct rn_prom *p, const struct rn_value *v)
{
	struct rn_value *kept = RN_NEWN(p->window, struct rn_value, p->ncols);

	for (unsigned i = 0; i < p->ncols; i++) {
		kept[i] =
			p->col[i].role == NUMBER || p->col[i].role == HISTOGRAM ? v[i] : rn_null();
		if (kept[i].kind == RN_STR) {
			kept[i].s = rn_arena_strndup(p->window, v[i].s, v[i].len);
			p->bytes += v[i].len;
		}
	}
	return kept;
}

static void new_window(struct rn_prom *p, int64_t start_ns)
{
	rn_arena_reset(p->window);
	p->nrows = 0;
	p->rows = p->over = p->bytes = 0;
	p->window_ns = start_ns;
	p->any = true;
}

static int row(void *self, const struct rn_value *value)
{
	struct rn_prom *p = self;

	for (unsigned i = 0; i < p->ncols; i++) {
		if (p->col[i].role == WINDOW && (!p->any || value[i].i != p->window_ns))
			new_window(p, value[i].i);
	}
	p->rows++;
	if (!p->nvalues || (p->nrows + 1) * p->nvalues > RN_PROM_SERIES ||
	    p->bytes > RN_PROM_BYTES) {
		p->over++;
		return 0;
	}
	rn_vec_room(p->row, p->nrows, p->cap);
	p->row[p->nrows] = (struct series){labels_of(p, value), values_of(p, value)};
	p->bytes += (int64_t)strlen(p->row[p->nrows++].labels) * p->nvalues;
	return 0;
}

/* ---- the text ---- */

static void put_bucket(FILE *f, const struct column *c, const struct series *x, const char *le,
		       double count)
{
	fprintf(f, "%s_bucket{%s%sle=\"%s\"} %.0f\n", c->name, x->labels, *x->labels ? "," : "", le,
		count);
}

/* Write the bounds less than `below`, each with `count` values: all buckets up to them have been
 * counted. (A bound of lhist is calculated separately, so rounding may put it slightly off the end
 * of its bucket.) */
static unsigned put_bounds(FILE *f, const struct column *c, const struct series *x, unsigned from,
			   double below, double count)
{
	double scale = rn_prom_scale(c->ty) == 1 ? 1 : 1e9;
	const struct rn_prom_bounds *b = c->bounds;
	char buf[64];

	for (; from < b->n && b->at[from] < below - fabs(below) * 1e-12; from++) {
		rn_float_text(buf, sizeof(buf), b->at[from] / scale);
		put_bucket(f, c, x, buf, count);
	}
	return from;
}

/* Buckets are [low, high): a value that equals a bound is in the bucket above it. If the sum is
 * unknown, the sum of the buckets' middles is written. */
static void put_histogram(FILE *f, const struct rn_prom *prom, const struct column *c,
			  const struct series *x, const struct rn_value *value)
{
	const char *open = *x->labels ? "{" : "", *close = *x->labels ? "}" : "";
	double count = 0, sum = 0, scale = rn_prom_scale(c->ty) == 1 ? 1 : 1e9;
	unsigned bound = 0;
	char buf[64];

	for (unsigned i = 0; i < rn_hist_count(value); i++) {
		struct rn_bucket bucket = rn_hist_bucket(value, i);

		bound = put_bounds(f, c, x, bound, isinf(bucket.high) ? DBL_MAX : bucket.high,
				   count);
		count += (double)bucket.count;
		sum += (double)bucket.count *
		       (isinf(bucket.low)    ? bucket.high
			: isinf(bucket.high) ? bucket.low
					     : bucket.low + (bucket.high - bucket.low) / 2);
	}
	put_bounds(f, c, x, bound, DBL_MAX, count);
	put_bucket(f, c, x, "+Inf", count);
	if (c->sum >= 0 && x->values[c->sum].kind != RN_NULL)
		number_text(buf, prom->col[c->sum].ty, &x->values[c->sum]);
	else
		rn_float_text(buf, sizeof(buf), sum / scale);
	fprintf(f, "%s_sum%s%s%s %s\n%s_count%s%s%s %.0f\n", c->name, open, x->labels, close, buf,
		c->name, open, x->labels, close, count);
}

static void put_column(FILE *f, const struct rn_prom *prom, unsigned i)
{
	const struct column *c = &prom->col[i];
	char buf[64];

	rn_prom_head(f, c->name, c->role == HISTOGRAM ? "histogram" : "gauge", c->doc);
	for (size_t k = 0; k < prom->nrows; k++) {
		const struct series *x = &prom->row[k];
		const struct rn_value *value = &x->values[i];

		if (value->kind == RN_NULL)
			continue;
		if (c->role == HISTOGRAM) {
			put_histogram(f, prom, c, x, value);
			continue;
		}
		number_text(buf, c->ty, value);
		fprintf(f, *x->labels ? "%s{%s} %s\n" : "%s%s %s\n", c->name, x->labels, buf);
	}
}

static int by_labels(const void *a, const void *b)
{
	return strcmp(((const struct series *)a)->labels, ((const struct series *)b)->labels);
}

/* Rows with the same labels are one series: keep one of them. Return how many were dropped. */
static size_t drop_doubles(struct rn_prom *p)
{
	size_t n = 0, all = p->nrows;

	if (all)
		qsort(p->row, all, sizeof(*p->row), by_labels);
	for (size_t i = 0; i < all; i++) {
		if (!n || strcmp(p->row[n - 1].labels, p->row[i].labels))
			p->row[n++] = p->row[i];
	}
	p->nrows = n;
	return all - n;
}

static void put_window(FILE *f, struct rn_prom *p)
{
	int64_t doubles = (int64_t)drop_doubles(p) * p->nvalues,
		over = p->over * (p->nvalues ? p->nvalues : 1);

	for (unsigned i = 0; i < p->ncols; i++) {
		if (p->col[i].role == NUMBER || p->col[i].role == HISTOGRAM)
			put_column(f, p, i);
	}
	rn_prom_own_window(f, p->window_ns, p->every_ns, p->rows, over, doubles);
}

int rn_prom_window(struct rn_prom *prom, const struct rn_window_end *end, char **text, size_t *len)
{
	FILE *f = open_memstream(text, len);

	if (!f)
		return -ENOMEM;
	/* no row came for the last window */
	if (prom->every_ns && (!prom->any || prom->window_ns < end->mark_ns - prom->every_ns))
		new_window(prom, end->mark_ns - prom->every_ns);
	rn_prom_own_build(f, prom->view);
	if (prom->any)
		put_window(f, prom);
	rn_prom_own_nodes(f, end);
	rn_prom_own_ledger(f, end->sum);
	return fclose(f) ? -ENOMEM : 0;
}

/* ---- life ---- */

struct rn_prom *rn_prom_create(const char *view, const char *doc)
{
	struct rn_prom *p = rn_calloc(1, sizeof(*p));

	p->keep = rn_arena_create(1 << 20);
	p->window = rn_arena_create((size_t)2 * RN_PROM_BYTES);
	p->view = rn_arena_strdup(p->keep, view);
	p->doc = doc ? rn_arena_strdup(p->keep, doc) : NULL;
	p->out = (struct rn_output){.self = p, .begin = begin, .row = row};
	return p;
}

void rn_prom_plan(struct rn_prom *prom, const struct rn_plan *plan, int64_t every_ns)
{
	prom->plan = plan;
	prom->every_ns = every_ns;
}

const struct rn_output *rn_prom_output(struct rn_prom *prom)
{
	return &prom->out;
}

const char *rn_prom_left_out(const struct rn_prom *prom)
{
	return prom->left_out;
}

void rn_prom_destroy(struct rn_prom *prom)
{
	if (!prom)
		return;
	rn_arena_destroy(prom->keep);
	rn_arena_destroy(prom->window);
	free(prom->row);
	free(prom);
}
