/* tagset.h - the catalogue's set of tags: `tag *`, and the statements tags add, list, drop.
 *
 * A text is checked as a whole before it runs: what it adds and drops is known to the queries behind it at once, and
 * reaches the catalogue when its turn comes. */
#ifndef RN_REPL_TAGSET_H
#define RN_REPL_TAGSET_H
#include "repl/session.h"
#include "repl/statements.h"

struct rn_tagstore;
struct rn_tagstore *rn_tagstore_create(void);
void rn_tagstore_destroy(struct rn_tagstore *s);
/* A new text begins: the set is read again when it is asked for. */
void rn_tagstore_begin(struct rn_tagstore *s);
const struct rn_tagset *rn_tagstore_names(struct rn_tagstore *s);
/* Why the catalogue cannot be read; code 0 if it can be, or was not needed. */
const struct rn_err *rn_tagstore_problem(const struct rn_tagstore *s);
/* Checks a `tags` statement; what is wrong is reported to u->diag. */
void rn_tags_check(struct rn_text *u, const struct rn_ast_stmt *st);
/* Runs it; the exit status. */
int rn_tags_run(struct rn_text *u, const struct rn_ast_stmt *st);
#endif
