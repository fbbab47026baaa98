/* stages.h - the stages of a compilation and how each is printed: one table for --dump,
 * --stop-after and `explain`. */
#ifndef RN_REPL_ENGINE_STAGES_H
#define RN_REPL_ENGINE_STAGES_H
#include "lang/base/err.h"
#include "planner/plan/source.h"

enum rn_dump_stage_id {
	RN_STAGE_TOKENS,
	RN_STAGE_AST,
	RN_STAGE_TYPES,
	RN_STAGE_PLAN,
	RN_STAGE_SPLIT,
	RN_STAGE_BPF,
	RN_STAGE_SQL,
	RN_STAGE_COUNT
};

/* what is known so far of one statement; parts of later stages are NULL */
struct rn_compiled {
	struct rn_arena *arena;
	struct rn_diag *diag;
	uint16_t src;
	const struct rn_ast_query *query;
	const struct rn_plan *plan;
	const struct rn_provider *provider;
};
struct rn_dump_stage {
	const char *name;
	/* Returns text in the arena, ending in a newline; NULL with err set if the system
	 * refuses. */
	const char *(*print)(const struct rn_compiled *compiled, struct rn_err *err);
};
extern const struct rn_dump_stage rn_dump_stages[RN_STAGE_COUNT];

/* "tokens, ast, ...": as rn_str_names. */
const char *rn_dump_stage_names(char *buf, size_t bytes, const char *before_last);
int rn_dump_stage_find(const char *name, size_t len); /* -1: no such stage */
#endif
