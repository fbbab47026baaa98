/* record.h - checks before a planned query runs, and how its rows become a recording. */
#ifndef RN_REPL_ENGINE_RECORD_H
#define RN_REPL_ENGINE_RECORD_H
#include "repl/engine/script.h"

/* Each word of `on` must name a node. */
int rn_plan_nodes_known(const struct rn_engine *engine, const struct rn_plan *plan,
			struct rn_err *err);
/* Rows must not go where others come from. Refuses if the query plan, itself or through the lets of
 * script, reads a recording that it writes: its own (`into`), or output, which may be NULL. Also
 * refuses if any statement of script reads output. */
int rn_check_no_overwrite(const struct rn_script *script, const struct rn_plan *plan,
			  const char *output, struct rn_err *err);
/* The second half of that, for statements that are no query. path may be NULL. */
int rn_check_recordings_apart(const struct rn_trace_catalogs *read, const char *path,
			      struct rn_err *err);

/* Returns the text of `explain` for a plan, in the arena. Without a hosts file it includes what
 * this machine's policy says of the plan. */
const char *rn_plan_explain(const struct rn_engine *engine, struct rn_arena *arena,
			    const struct rn_plan *plan);
/* If the live system refused because this user may not trace, as is most often so, says that in
 * err. */
void rn_plan_explain_refusal(const struct rn_engine *engine, const struct rn_plan *plan,
			     struct rn_err *err);

/* May plan write to its `into`? Changes nothing. */
int rn_record_allowed(struct rn_arena *arena, const struct rn_plan *plan, struct rn_err *err);
/* May plan's rows be added to those of `before`, an earlier statement into the same file? Compares
 * class, tags and fields. */
int rn_record_adds(struct rn_arena *arena, const struct rn_plan *before, const struct rn_plan *plan,
		   struct rn_err *err);
/* Runs plan, which has `into`: calls run(self, ...) to run it with its rows to out. *rows: the
 * number of rows. */
int rn_record(struct rn_arena *arena, struct rn_plan *plan,
	      int (*run)(void *self, struct rn_arena *arena, struct rn_plan *plan,
			 const struct rn_output *out, struct rn_ledgers *ledgers,
			 struct rn_err *err),
	      void *self, struct rn_ledgers *ledgers, int64_t *rows, struct rn_err *err);
#endif
