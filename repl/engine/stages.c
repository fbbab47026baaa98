/* stages.c - the table of stages. Each printer is deterministic: it prints no pointers,
 * descriptors, hash order or kernel offsets. */
#include <string.h>
#include "exec/answer/answer.h"
#include "lang/base/str.h"
#include "repl/engine/stages.h"
#include "lang/syntax/print.h"
#include "lang/syntax/parse.h"

static const char *print_tokens(const struct rn_compiled *c, struct rn_err *err)
{
	(void)err;
	return rn_dump_tokens(c->arena, c->diag, c->src);
}

static const char *print_ast(const struct rn_compiled *c, struct rn_err *err)
{
	(void)err;
	return rn_dump_ast(c->arena, c->query, false);
}

static const char *print_types(const struct rn_compiled *c, struct rn_err *err)
{
	(void)err;
	return rn_dump_ast(c->arena, c->query, true);
}

static const char *print_plan(const struct rn_compiled *c, struct rn_err *err)
{
	(void)err;
	return rn_dump_plan(c->arena, c->plan);
}

static const char *print_split(const struct rn_compiled *c, struct rn_err *err)
{
	(void)err;
	return rn_dump_split(c->arena, c->plan);
}

/* Print a program set for each plan that scans the live kernel: first those of sets, then from the
 * innermost query outwards. */
static const char *bpf_of(const struct rn_compiled *compiled, const struct rn_plan *plan,
			  const char *sofar, struct rn_err *err)
{
	const char *own;

	for (unsigned i = 0; sofar && i < plan->nsets; i++)
		sofar = bpf_of(compiled, plan->sets[i], sofar, err);
	if (!sofar)
		return NULL;
	if (plan->child)
		return bpf_of(compiled, plan->child, sofar, err);
	if (plan->given)
		return rn_arena_printf(compiled->arena,
				       "%s; no BPF: the result `%s` is read in user space\n", sofar,
				       plan->given->name);
	if (plan->from || !compiled->provider->ops->dump)
		return rn_arena_printf(compiled->arena, "%s; no BPF: %s\n", sofar,
				       plan->from ? "a recorded trace is read in user space"
						  : "this source has none");
	own = compiled->provider->ops->dump(compiled->provider->self, &plan->frag, compiled->arena,
					    err);
	if (!own && err->code)
		return NULL;
	return rn_arena_printf(compiled->arena, "%s%s", sofar,
			       own ? own : "; no BPF: a table is read in user space\n");
}

static const char *print_bpf(const struct rn_compiled *c, struct rn_err *err)
{
	return bpf_of(c, c->plan, "", err);
}

static const char *print_sql(const struct rn_compiled *c, struct rn_err *err)
{
	(void)err;
	return rn_dump_sql(c->arena, c->plan);
}

const struct rn_dump_stage rn_dump_stages[RN_STAGE_COUNT] = {
	[RN_STAGE_TOKENS] = {"tokens", print_tokens}, [RN_STAGE_AST] = {"ast", print_ast},
	[RN_STAGE_TYPES] = {"types", print_types},    [RN_STAGE_PLAN] = {"plan", print_plan},
	[RN_STAGE_SPLIT] = {"split", print_split},    [RN_STAGE_BPF] = {"bpf", print_bpf},
	[RN_STAGE_SQL] = {"sql", print_sql},
};

const char *rn_dump_stage_names(char *buf, size_t bytes, const char *before_last)
{
	const char *names[RN_STAGE_COUNT + 1] = {NULL};

	for (int i = 0; i < RN_STAGE_COUNT; i++)
		names[i] = rn_dump_stages[i].name;
	return rn_str_names(buf, bytes, names, before_last);
}

int rn_dump_stage_find(const char *name, size_t len)
{
	for (int i = 0; i < RN_STAGE_COUNT; i++) {
		if (strlen(rn_dump_stages[i].name) == len &&
		    !memcmp(rn_dump_stages[i].name, name, len))
			return i;
	}
	return -1;
}
