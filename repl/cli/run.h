/* run.h - statements of a text, of a file or of stdin. What is wrong has been said on stderr. Those
 * that run something return an exit status. */
#ifndef RN_REPL_CLI_RUN_H
#define RN_REPL_CLI_RUN_H
#include "repl/cli/session.h"

/* Compiles the whole text, then runs its statements in order. Returns the exit status. name:
 * "query", "file.rnl". */
int rn_run_text(struct rn_session *s, const char *name, const char *text, size_t len);
/* A .rnl file, or statements from stdin (path NULL). */
int rn_run_file(struct rn_session *s, const char *path);
/* The text of a file, or of stdin (path NULL), NUL-terminated, with what a `#!` line would disturb
 * taken out; on the heap. NULL: it cannot be read, which has been said. */
char *rn_script_load(const char *path, size_t *len);
/* Does a word of the command line name a query file? */
bool rn_script_is(const char *word);
/* Is what was read no text but a database, as recordings are? */
bool rn_script_database(const char *text, size_t len);
/* Runs a `tags` statement; the exit status. */
int rn_tags_run(struct rn_session *s, struct rn_script *u, const struct rn_ast_stmt *st);
#endif
