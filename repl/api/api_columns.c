/* api_columns.c - librunnel: the columns of an answer. See runnel.h and api.h. */
#include <string.h>
#include "repl/api/api.h"

static const enum runnel_type types[] = {
	[RN_T_BOOL] = RUNNEL_BOOL,   [RN_T_INT] = RUNNEL_INT,      [RN_T_FLOAT] = RUNNEL_FLOAT,
	[RN_T_STR] = RUNNEL_TEXT,    [RN_T_IP] = RUNNEL_ADDRESS,   [RN_T_TAGS] = RUNNEL_TEXT,
	[RN_T_BYTES] = RUNNEL_BYTES, [RN_T_STACK] = RUNNEL_STACK,  [RN_T_HIST] = RUNNEL_HIST,
	[RN_T_LIST] = RUNNEL_LIST,   [RN_T_SKETCH] = RUNNEL_BYTES,
};
static const enum runnel_unit units[] = {
	[RN_U_NONE] = RUNNEL_NO_UNIT,    [RN_U_NS] = RUNNEL_NS,
	[RN_U_BYTE] = RUNNEL_BYTE,       [RN_U_EPOCH] = RUNNEL_EPOCH,
	[RN_U_ERRNO] = RUNNEL_ERRNO,     [RN_U_DEV] = RUNNEL_DEV,
	[RN_U_PER_S] = RUNNEL_PER_S,     [RN_U_BYTE_PER_S] = RUNNEL_BYTE_PER_S,
	[RN_U_HEX] = RUNNEL_HASH,        [RN_U_PART] = RUNNEL_PART,
	[RN_U_OPEN] = RUNNEL_NAMED,      [RN_U_PROT] = RUNNEL_NAMED,
	[RN_U_MAP] = RUNNEL_NAMED,       [RN_U_CLONE] = RUNNEL_NAMED,
	[RN_U_SIGNAL] = RUNNEL_NAMED,    [RN_U_FAMILY] = RUNNEL_NAMED,
	[RN_U_TCP] = RUNNEL_NAMED,       [RN_U_PROTO] = RUNNEL_NAMED,
	[RN_U_TASK] = RUNNEL_NAMED,      [RN_U_FAULT] = RUNNEL_NAMED,
	[RN_U_ETHER] = RUNNEL_NAMED,     [RN_U_SOFTIRQ] = RUNNEL_NAMED,
	[RN_U_WRITEBACK] = RUNNEL_NAMED,
};

static int role_of(const struct rn_plan *p, const struct rn_expr *e)
{
	if (p->kind != RN_PLAN_GROUPS)
		return RUNNEL_VALUE;
	return e->kind == RN_E_KEY   ? RUNNEL_KEY
	       : e->kind == RN_E_AGG ? RUNNEL_AGGREGATE
				     : RUNNEL_VALUE;
}

static struct runnel_column column(struct rn_arena *a, const char *label, struct rn_ty ty, int role)
{
	return (struct runnel_column){
		.name = rn_arena_strdup(a, label),
		.role = role,
		.type = ty.type < sizeof(types) / sizeof(*types) ? (int)types[ty.type]
								 : RUNNEL_TEXT,
		.unit = ty.unit < sizeof(units) / sizeof(*units) ? (int)units[ty.unit]
								 : RUNNEL_NO_UNIT,
		.type_name = rn_type_name(ty),
		.unit_name = rn_unit_name(ty)};
}

/* Set the columns of the answer as the coordinator will give it: see rn_answer_begin in
 * exec/answer/answer.c. */
void rn_api_columns(struct runnel_query *query)
{
	const struct rn_plan *p = query->job ? query->job->plan : NULL;
	unsigned window, n;
	struct runnel_column *cols;
	struct rn_ty *ty;

	if (!p || p->into)
		return;
	window = rn_plan_has_window(p);
	n = p->nout - p->nhidden + window;
	cols = RN_NEWN(query->kept, struct runnel_column, n);
	ty = RN_NEWN(query->kept, struct rn_ty, n);
	if (window) {
		ty[0] = (struct rn_ty){RN_T_INT, RN_U_EPOCH};
		cols[0] = column(query->kept, "window", ty[0], RUNNEL_WINDOW);
	}
	for (unsigned i = window; i < n; i++) {
		ty[i] = p->out[i - window].ty;
		cols[i] = column(query->kept, p->out[i - window].label, ty[i],
				 role_of(p, p->out[i - window].expr));
	}
	pthread_mutex_lock(&query->lock); /* a text that is checked late gets them while it runs */
	query->cols = cols;
	query->ty = ty;
	query->ncols = n;
	pthread_mutex_unlock(&query->lock);
}

unsigned runnel_column_count(const struct runnel_query *query)
{
	struct runnel_query *own;
	unsigned n;

	if (!query)
		return 0;
	own = (struct runnel_query *)(uintptr_t)query; /* taking the lock changes nothing visible */
	pthread_mutex_lock(&own->lock);
	n = query->ncols;
	pthread_mutex_unlock(&own->lock);
	return n;
}

const struct runnel_column *runnel_column(const struct runnel_query *query, unsigned i)
{
	return i < runnel_column_count(query) ? &query->cols[i] : NULL;
}
