/* spare.h - is there room for more open files?
 *
 * Whoever meets the limit in mid-course cannot always tell it from a file that is not there: so
 * room is asked for before a query begins, and again when all of it is attached. */
#ifndef RN_LANG_FILES_SPARE_H
#define RN_LANG_FILES_SPARE_H
#include "lang/base/err.h"

enum {
	RN_FILES_SPARE = 8 /* as many as a running query opens at once: files of /proc, of symbols,
			      of SQLite */
};

/* 0 if this process can open n more files now; else -EMFILE (or -ENFILE: the machine has no more),
 * with a way out. Thread-safe. */
int rn_files_spare(unsigned n, struct rn_err *err);
#endif
