/* record.h - what is to be known before a planned query runs, and how its rows become a
 * recording. */
#ifndef RN_REPL_ENGINE_RECORD_H
#define RN_REPL_ENGINE_RECORD_H
#include "repl/engine/script.h"

/* Each word of `on` must name something. */
int rn_plan_nodes_known(const struct rn_engine *e, const struct rn_plan *p, struct rn_err *err);
/* No recording that the query p reads, by itself or through the lets of u, is one that it writes:
 * its own (`into`), or output, which may be NULL. Nor is output one that any statement of u reads:
 * rows must not go where others come from. */
int rn_plan_files_apart(const struct rn_script *u, const struct rn_plan *p, const char *output,
			struct rn_err *err);
/* The second half of that, for what is no query: path may be NULL. */
int rn_recordings_apart(const struct rn_trace_catalogs *read, const char *path, struct rn_err *err);

/* What `explain` says of a plan, in the arena: without a hosts file, what the policy of this
 * machine makes of it too. */
const char *rn_plan_explain(const struct rn_engine *e, struct rn_arena *a, const struct rn_plan *p);
/* The reason why the live system refused is most often that this user may not trace: then say
 * that. */
void rn_plan_explain_refusal(const struct rn_engine *e, const struct rn_plan *p,
			     struct rn_err *err);

/* May p write where its `into` says? Looks only. */
int rn_record_allowed(struct rn_arena *a, const struct rn_plan *p, struct rn_err *err);
/* May p's rows be added to what `before`, an earlier statement into the same file, records? By
 * class, tags and fields. */
int rn_record_adds(struct rn_arena *a, const struct rn_plan *before, const struct rn_plan *p,
		   struct rn_err *err);
/* Runs p with `into`: run (of self) is to run it with its rows to out. *rows: how many there
 * were. */
int rn_record(struct rn_arena *a, struct rn_plan *p,
	      int (*run)(void *self, struct rn_arena *a, struct rn_plan *p,
			 const struct rn_output *out, struct rn_ledgers *l, struct rn_err *err),
	      void *self, struct rn_ledgers *l, int64_t *rows, struct rn_err *err);
#endif
