/* tag_store.h - the catalogue's set of tags: `tag *`, and the statements tags add, list, drop.
 *
 * A text is checked as a whole before it runs: what it adds and drops is known to the queries
 * behind it at once, and reaches the catalogue when its turn comes. */
#ifndef RN_REPL_ENGINE_TAG_STORE_H
#define RN_REPL_ENGINE_TAG_STORE_H
#include "repl/engine/script.h"

struct rn_tagstore;
/* of the catalogue; NULL: where it is by default */
struct rn_tagstore *rn_tagstore_create(const char *path);
void rn_tagstore_destroy(struct rn_tagstore *s);
/* A new text begins: the set is read again when it is asked for. */
void rn_tagstore_begin(struct rn_tagstore *s);
const struct rn_tagset *rn_tagstore_names(struct rn_tagstore *s);
/* Why the catalogue cannot be read; code 0 if it can be, or was not needed. */
const struct rn_err *rn_tagstore_problem(const struct rn_tagstore *s);
/* Checks a `tags` statement; what is wrong is reported to u->diag. */
void rn_tags_check(struct rn_script *u, const struct rn_ast_stmt *st);
/* Runs `tags add` and `tags drop`: changes the catalogue. *said: what happened to each, a line a
 * tag. */
int rn_tags_store(struct rn_script *u, const struct rn_ast_stmt *st, const char **said,
		  struct rn_err *err);
/* The tags of the catalogue as they are now (not at the end of the text), in the order in which
 * they were added. In the arena. */
struct rn_tag_entry {
	struct rn_tag tag;
	int64_t added_ns;
};
int rn_tags_read(struct rn_tagstore *s, struct rn_arena *a, struct rn_tag_entry **out, unsigned *n,
		 struct rn_err *err);
#endif
