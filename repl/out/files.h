/* files.h - the files that `format NAME to "FILE"` writes: each is opened, and emptied, when the
 * first statement of a text that names it runs, and the later ones write behind it. */
#ifndef RN_REPL_OUT_FILES_H
#define RN_REPL_OUT_FILES_H
#include <stdbool.h>
#include <stdio.h>
#include "lang/base/err.h"

struct rn_outputs {
	struct rn_output_file *first;
}; /* zeroed: none */

/* Is f open on the file of that name, however it is spelled? */
bool rn_output_is(FILE *f, const char *path);
/* A file for rows, emptied. Recordings and catalogues are not written over, nor what others placed
 * (lang/files/outfile.h). NULL: err says why. */
FILE *rn_output_create(const char *path, struct rn_err *err);
/* The same, once for each file that is named in a text. */
FILE *rn_outputs_open(struct rn_outputs *o, const char *path, struct rn_err *err);
/* 0, or a negative errno: what was written is not all there. */
int rn_outputs_close(struct rn_outputs *o, struct rn_err *err);
#endif
