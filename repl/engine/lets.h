/* lets.h - results of `let`: names for rows that are kept.
 *
 * They belong to an engine, so that later texts (of a prompt, of the library) may read them; those
 * of a text that does not run to their turn are forgotten with it. A name that is given again means
 * the latest result, from its statement on. A text keeps what it names alive: a result that another
 * text replaces stays until no text reads it. Texts may be in several threads, those functions that
 * take none are for one. */
#ifndef RN_REPL_ENGINE_LETS_H
#define RN_REPL_ENGINE_LETS_H
#include "exec/coord/let_result.h"
#include "repl/engine/script.h"

struct rn_letstore;
struct rn_letstore *rn_lets_create(void);
void rn_lets_destroy(struct rn_letstore *s);
/* The results that are there, the latest first, NULL-terminated. In the arena; valid until one is
 * dropped or replaced. */
const struct rn_let *const *rn_lets_list(const struct rn_letstore *s, struct rn_arena *a);

/* The same by name, for completion: what is found lives until it is replaced. */
const struct rn_lets *rn_lets_names(struct rn_letstore *s);

/* What name resolution asks for the text u, which holds what it is given until rn_lets_end. */
const struct rn_lets *rn_lets_begin(struct rn_script *u);
void rn_lets_end(struct rn_script *u);
/* A checked `let`: its name is known to the statements behind it. job->plan is its plan; sets
 * job->let. */
void rn_let_define(struct rn_script *u, struct rn_statement *job);
/* One that is wrong, which has been reported: what reads it is not reported as well. */
void rn_let_broken(struct rn_script *u, const struct rn_ast_stmt *st);
/* Its turn has come: where its rows go (rn_run_opts.keep). Then one of the two: */
struct rn_let_result *rn_let_begin(const struct rn_statement *job);
/* the engine has it from now on */
void rn_let_done(struct rn_script *u, const struct rn_statement *job, struct rn_let_result *rows);
/* (or rn_let_result_destroy: it was interrupted or refused, and there is no result.) */
#endif
