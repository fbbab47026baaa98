/* lets.h - results of `let`: names for rows that are kept.
 *
 * They belong to an engine, so that later texts (of a prompt, of the library) may read them. If a
 * text ends before a `let` runs, that result is forgotten with the text. A name that is given again
 * means the latest result, from its statement on. A text keeps alive what it names: a result that
 * another text replaces stays until no text reads it. Texts may be in several threads. Functions
 * without a text are for one thread. */
#ifndef RN_REPL_ENGINE_LETS_H
#define RN_REPL_ENGINE_LETS_H
#include "exec/coord/let_result.h"
#include "repl/engine/script.h"

struct rn_letstore;
struct rn_letstore *rn_lets_create(void);
void rn_lets_destroy(struct rn_letstore *lets);
/* Lists all results, the latest first, NULL-terminated. In the arena; valid until one is dropped or
 * replaced. */
const struct rn_let *const *rn_lets_list(const struct rn_letstore *lets, struct rn_arena *arena);

/* Finds results by name, for completion; a result found lives until it is replaced. */
const struct rn_lets *rn_lets_names(struct rn_letstore *lets);

/* Names for the resolution of the text script, which holds the results it finds until rn_lets_end.
 */
const struct rn_lets *rn_lets_begin(struct rn_script *script);
void rn_lets_end(struct rn_script *script);
/* Makes the name of a checked `let` known to the statements behind it. job->plan is its plan; sets
 * job->let. */
void rn_let_define(struct rn_script *script, struct rn_statement *job);
/* Marks a `let` as wrong, which was reported: statements that read it are not reported too. */
void rn_let_broken(struct rn_script *script, const struct rn_ast_stmt *st);
/* Call it when the `let` runs. Returns where its rows go (rn_run_opts.keep). Then one of two: */
struct rn_let_result *rn_let_begin(const struct rn_statement *job);
/* the engine owns the result from now on */
void rn_let_done(struct rn_script *script, const struct rn_statement *job,
		 struct rn_let_result *rows);
/* (or rn_let_result_destroy: the `let` was interrupted or refused, and has no result.) */
#endif
