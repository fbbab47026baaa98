/* files.h - the files that `format NAME to "FILE"` writes: A file is opened, and emptied, when the
 * first statement that names it runs. Later statements of the text append to it. */
#ifndef RN_REPL_OUT_FILES_H
#define RN_REPL_OUT_FILES_H
#include <stdbool.h>
#include <stdio.h>
#include "lang/base/err.h"

struct rn_outputs {
	struct rn_output_file *first;
}; /* zeroed: none */

/* Is f open on the regular file at path, however path is spelled? */
bool rn_output_is(FILE *f, const char *path);
/* Opens a file for rows and empties it. Never overwrites recordings, catalogues, or files that
 * others placed (lang/files/outfile.h). NULL: err says why. */
FILE *rn_output_create(const char *path, struct rn_err *err);
/* The same, but opens each file of a text only once. */
FILE *rn_outputs_open(struct rn_outputs *outputs, const char *path, struct rn_err *err);
/* Closes all. Returns 0, or a negative errno if not all rows were written. */
int rn_outputs_close(struct rn_outputs *outputs, struct rn_err *err);
#endif
