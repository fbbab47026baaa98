/* spare.h - is there room for more open files?
 *
 * Code that meets the limit in the middle of a query cannot always tell it from a missing file. So
 * a query asks for room before it begins, and again once all of it is attached. */
#ifndef RN_LANG_FILES_SPARE_H
#define RN_LANG_FILES_SPARE_H
#include "lang/base/err.h"

enum {
	/* how many files a running query opens at once: of /proc, of symbols, of SQLite */
	RN_FILES_SPARE = 8
};

/* Returns 0 if this process can open n more files now; else -EMFILE (or -ENFILE: the machine has no
 * more), with a way out. Thread-safe. */
int rn_files_spare(unsigned n, struct rn_err *err);
#endif
