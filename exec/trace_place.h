/* trace_place.h - where a recording goes: the file that is meant, the unfinished file beside it,
 * its owner and mode. */
#ifndef RN_EXEC_TRACE_PLACE_H
#define RN_EXEC_TRACE_PLACE_H
#include <sys/stat.h>
#include "exec/trace.h"

/* The file that a recording into path replaces: if path is a symbolic link, the one that it leads
 * to. malloc'ed; NULL: errno. */
char *rn_trace_place(const char *path);
/* Looks at what is there: *there, *st. A link that leads nowhere: negative errno, and a way out. */
int rn_trace_place_look(const char *path, struct stat *st, bool *there, struct rn_err *err);
/* A file with other names would keep its old rows under them: negative errno, and a way out. */
int rn_trace_place_alone(const char *path, const struct stat *st, struct rn_err *err);

/* May part be made anew? Only if it is not there, is empty or is an unfinished recording. */
int rn_trace_part_allowed(const char *part, struct rn_err *err);
/* Makes part, empty and locked: *fd. path: what it becomes. If that is there, part is the user's
 * alone at first. -EBUSY: another query writes it. */
int rn_trace_part_take(const char *part, const char *path, int *fd, struct rn_err *err);
/* Gives fd the owner, the group and the mode of the file at path, if there is one. */
int rn_trace_part_own(int fd, const char *path, struct rn_err *err);
#endif
