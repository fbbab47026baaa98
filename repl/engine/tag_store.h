/* tag_store.h - the catalogue's set of tags: `tag *`, and the statements tags add, list, drop.
 *
 * A text is checked as a whole before it runs. Queries behind a `tags` statement know at once what
 * it adds and drops; the catalogue changes when the statement runs. */
#ifndef RN_REPL_ENGINE_TAG_STORE_H
#define RN_REPL_ENGINE_TAG_STORE_H
#include "repl/engine/script.h"

struct rn_tagstore;
/* path: the catalogue's; NULL: its default place */
struct rn_tagstore *rn_tagstore_create(const char *path);
void rn_tagstore_destroy(struct rn_tagstore *store);
/* Begins a new text: the set is read again when needed. */
void rn_tagstore_begin(struct rn_tagstore *store);
const struct rn_tagset *rn_tagstore_names(struct rn_tagstore *store);
/* Returns why the catalogue cannot be read; code 0 if it can be, or was not needed. */
const struct rn_err *rn_tagstore_problem(const struct rn_tagstore *store);
/* Checks a `tags` statement; reports errors to script->diag. */
void rn_tags_check(struct rn_script *script, const struct rn_ast_stmt *st);
/* Runs `tags add` and `tags drop`: changes the catalogue. *said: the outcome, a line for each
 * tag. */
int rn_tags_store(struct rn_script *script, const struct rn_ast_stmt *st, const char **said,
		  struct rn_err *err);
/* Reads the tags of the catalogue as they are now (not at the end of the text), in the order in
 * which they were added. In the arena. */
struct rn_tag_entry {
	struct rn_tag tag;
	int64_t added_ns;
};
int rn_tags_read(struct rn_tagstore *store, struct rn_arena *arena, struct rn_tag_entry **out,
		 unsigned *n, struct rn_err *err);
#endif
