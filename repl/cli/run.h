/* run.h - runs statements of a text, a file or stdin. The functions report errors on stderr. Those
 * that run something return an exit status. */
#ifndef RN_REPL_CLI_RUN_H
#define RN_REPL_CLI_RUN_H
#include "repl/cli/session.h"

/* Compiles the whole text, then runs its statements in order. Returns the exit status. name:
 * "query", "file.rnl". */
int rn_run_text(struct rn_session *session, const char *name, const char *text, size_t len);

/* ---- file.c ---- */

/* Runs a .rnl file, or statements from stdin (path NULL). */
int rn_run_file(struct rn_session *session, const char *path);
/* Reads a file, or stdin (path NULL). Returns its text, NUL-terminated, with a `#!` line made a
 * comment; on the heap. NULL: it cannot be read; the reason is on stderr. */
char *rn_script_load(const char *path, size_t *len);
/* Does a word of the command line name a query file? */
bool rn_script_is(const char *word);
/* Is the text really a database, as recordings are? */
bool rn_script_database(const char *text, size_t len);

/* ---- tags.c ---- */

/* Runs a `tags` statement; returns the exit status. */
int rn_tags_run(struct rn_session *session, struct rn_script *script, const struct rn_ast_stmt *st);
#endif
