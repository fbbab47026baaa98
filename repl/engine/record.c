/* record.c - see record.h. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include "exec/node/policy.h"
#include "lang/values/glob.h"
#include "probes/probes.h"
#include "repl/engine/record.h"
#include "lang/syntax/print.h"
#include "exec/trace/trace.h"

/* ---- before it runs ---- */

static bool same_file(const char *a, const char *b)
{
	struct stat x, y;

	return a && b && !stat(a, &x) && !stat(b, &y) && S_ISREG(x.st_mode) &&
	       x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Does p read path? Rows that a let of u keeps come from where that let's plan reads. */
static bool reads(const struct rn_script *u, const struct rn_plan *p, const char *path)
{
	for (unsigned i = 0; i < p->nsets; i++) {
		if (reads(u, p->sets[i], path))
			return true;
	}
	for (unsigned i = 0; p->given && i < u->njobs; i++) {
		if (u->jobs[i].let == p->given && u->jobs[i].plan &&
		    reads(u, u->jobs[i].plan, path))
			return true;
	}
	return same_file(p->from, path) || (p->child && reads(u, p->child, path));
}

int rn_check_recordings_apart(const struct rn_trace_catalogs *read, const char *path,
			      struct rn_err *err)
{
	if (!path || !rn_trace_catalogs_have(read, path))
		return 0;
	rn_err_set(err, -EEXIST, "%s is a recording that is read here", path);
	rn_err_hint(err, "it would be overwritten; write to another file");
	return err->code;
}

int rn_check_no_overwrite(const struct rn_script *script, const struct rn_plan *plan,
			  const char *output, struct rn_err *err)
{
	const char *path = reads(script, plan, plan->into) ? plan->into
			   : reads(script, plan, output)   ? output
							   : NULL;

	if (!path)
		return rn_check_recordings_apart(script->traces, output, err);
	rn_err_set(err, -EEXIST, "%s is the recording that this query reads", path);
	rn_err_hint(err, "what does not match would be lost; write to another file");
	return err->code;
}

/* Return the first word of `on` that names no node; NULL: all do. */
static const struct rn_ast_name *unknown_node(const struct rn_engine *e,
					      const struct rn_ast_name *on)
{
	for (; on; on = on->next) {
		const char *const word[] = {on->text, NULL};

		if (e->hosts ? rn_hosts_unknown(e->hosts, word) != NULL
			     : strcmp(on->text, "local") && strcmp(on->text, "all") &&
				       !rn_glob_str(on->text, e->node))
			return on;
	}
	return NULL;
}

int rn_plan_nodes_known(const struct rn_engine *engine, const struct rn_plan *plan,
			struct rn_err *err)
{
	const struct rn_ast_name *unknown =
		plan->from ? NULL : unknown_node(engine, plan->query->on);

	if (unknown) {
		const char *near = engine->hosts ? rn_hosts_nearest(engine->arena, engine->hosts,
								    unknown->text)
						 : NULL;

		rn_err_set(err, -EHOSTUNREACH, "there is no node `%s`", unknown->text);
		err->span = unknown->span;
		if (near)
			rn_err_hint(err, "did you mean `%s`?", near);
		else if (engine->hosts)
			rn_err_hint(err, "%s names nodes and groups; patterns are like `node*`",
				    engine->hosts->path);
		else
			rn_err_hint(err,
				    "without a hosts file (-H FILE) there is this machine only: "
				    "`%s`, or `local`",
				    engine->node);
		return err->code;
	}
	for (unsigned i = 0; i < plan->nsets; i++) {
		if (rn_plan_nodes_known(engine, plan->sets[i], err))
			return err->code;
	}
	return plan->child ? rn_plan_nodes_known(engine, plan->child, err) : 0;
}

/* How this machine hooks the calls of the plan and of those below it. */
static const char *explain_hooks(const struct rn_engine *engine, struct rn_arena *arena,
				 const struct rn_plan *plan)
{
	const struct rn_provider *p = engine->provider;
	const char *text = "", *hooks = NULL;

	for (unsigned i = 0; i < plan->nsets; i++)
		text = rn_arena_printf(arena, "%s%s", text,
				       explain_hooks(engine, arena, plan->sets[i]));
	if (plan->child)
		text = rn_arena_printf(arena, "%s%s", text,
				       explain_hooks(engine, arena, plan->child));
	else if (!plan->from && !plan->given && p && p->ops->hooks)
		hooks = p->ops->hooks(p->self, &plan->frag, arena);
	return hooks ? rn_arena_printf(arena, "%s%s\n", text, hooks) : text;
}

const char *rn_plan_explain(const struct rn_engine *engine, struct rn_arena *arena,
			    const struct rn_plan *plan)
{
	return rn_arena_printf(arena, "%s%s%s", rn_explain(arena, plan),
			       engine->hosts ? "" : rn_policy_explain(arena, plan),
			       engine->hosts ? "" : explain_hooks(engine, arena, plan));
}

void rn_plan_explain_refusal(const struct rn_engine *engine, const struct rn_plan *plan,
			     struct rn_err *err)
{
	struct rn_err why = {0};

	if (rn_plan_is_live(plan) && !engine->fleet &&
	    (err->code == -EPERM || err->code == -EACCES) && rn_probes_permitted(&why) &&
	    why.hint[0])
		*err = why;
}

/* ---- rows go to a recording ---- */

struct recording {
	struct rn_output out;
	struct rn_trace_writer *writer;
	const struct rn_column *cols;
	unsigned ncols;
	int64_t rows;
	struct rn_arena *arena;
	struct rn_err err;
};

static int rec_begin(void *self, const struct rn_answer_shape *r)
{
	struct recording *rec = self;
	struct rn_column *c = RN_NEWN(rec->arena, struct rn_column, r->ncols);

	for (unsigned i = 0; i < r->ncols; i++)
		c[i] = (struct rn_column){.label = rn_arena_strdup(rec->arena, r->cols[i].label),
					  .expr = r->cols[i].expr,
					  .ty = r->cols[i].ty};
	rec->cols = c;
	rec->ncols = r->ncols;
	return 0;
}

static int rec_row(void *self, const struct rn_value *v)
{
	struct recording *rec = self;

	rec->rows++;
	return rn_trace_write(rec->writer, rec->cols, rec->ncols, v, &rec->err);
}

static int rec_end(void *self)
{
	(void)self;
	return 0;
}

static struct rn_trace_target target_of(struct rn_arena *a, const struct rn_plan *p)
{
	return (struct rn_trace_target){.path = p->into,
					.how = p->into_how,
					.cls = p->frag.cls,
					.query = rn_print_query(a, p->query),
					.from = p->from,
					.nodes = p->nodes,
					.cols = p->out,
					.ncols = p->nout - p->nhidden,
					.tags = p->frag.tags,
					.ntags = p->frag.ntags};
}

int rn_record_allowed(struct rn_arena *arena, const struct rn_plan *plan, struct rn_err *err)
{
	struct rn_trace_target t = target_of(arena, plan);
	bool there;

	if (rn_trace_allowed(&t, &there, err))
		err->span = plan->query->into_span;
	return err->code;
}

int rn_record_adds(struct rn_arena *arena, const struct rn_plan *before, const struct rn_plan *plan,
		   struct rn_err *err)
{
	struct rn_trace_target was = target_of(arena, before), t = target_of(arena, plan);

	if (rn_trace_alike(&was, &t, err))
		err->span = plan->query->into_span;
	return err->code;
}

int rn_record(struct rn_arena *arena, struct rn_plan *plan,
	      int (*run)(void *self, struct rn_arena *a, struct rn_plan *p,
			 const struct rn_output *out, struct rn_ledgers *l, struct rn_err *err),
	      void *self, struct rn_ledgers *ledgers, int64_t *rows, struct rn_err *err)
{
	struct recording rec = {.out = {.begin = rec_begin, .row = rec_row, .end = rec_end},
				.arena = arena};
	struct rn_trace_target target = target_of(arena, plan);
	int code;

	rec.out.self = &rec;
	code = rn_trace_create(&target, &rec.writer, err);
	if (code) {
		err->span = plan->query->into_span;
		return code;
	}
	code = run(self, arena, plan, &rec.out, ledgers, err);
	if (rec.err.code) /* the writer's own error says more */
		*err = rec.err;
	*rows = rec.rows;
	if (code) /* keep what was there before */
		rn_trace_abandon(rec.writer);
	return code ? code : rn_trace_close(rec.writer, ledgers, err);
}
