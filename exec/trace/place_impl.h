/* place_impl.h - where a recording goes: the file that is meant, the unfinished file beside it,
 * its owner and mode.
 *
 * All is done in the directory that rn_trace_place_find opened, even if another process moves it
 * meanwhile (lang/files/outfile.h). */
#ifndef RN_EXEC_TRACE_PLACE_IMPL_H
#define RN_EXEC_TRACE_PLACE_IMPL_H
#include "exec/trace/trace_impl.h"
#include <sys/stat.h>
#include "lang/files/outfile.h"

struct rn_trace_place {
	struct rn_out_place at; /* of the recording; at.path: for messages */
	char *part, *part_path; /* the unfinished file: its name there, and for messages */
};

/* The file that a recording into path replaces: if path is a symbolic link of the caller's or
 * root's, the one that it leads to. 0, or a negative errno and a way out. To be freed in both
 * cases. */
int rn_trace_place_find(struct rn_trace_place *place, const char *path, struct rn_err *err);
void rn_trace_place_free(struct rn_trace_place *place);
/* Looks at what is there: *there, *st. A link that leads nowhere: negative errno, and a way out. */
int rn_trace_place_look(const struct rn_trace_place *place, const char *path, struct stat *st,
			bool *there, struct rn_err *err);
/* May st, which is there, be replaced? A file with other names would keep its old rows under them;
 * one of another user, if others may place files there, would give him the new rows: negative
 * errno, and a way out. */
int rn_trace_place_alone(const struct rn_trace_place *place, const struct stat *st,
			 struct rn_err *err);
/* What is there, into the empty file that `to` is open on. */
int rn_trace_place_copy(const struct rn_trace_place *place, int to, struct rn_err *err);

/* May the unfinished file be replaced? Only if it is not there, is empty or is an unfinished
 * recording, of the caller's and of one name. */
int rn_trace_part_allowed(const struct rn_trace_place *place, struct rn_err *err);
/* Makes it, empty and locked: *fd. If the recording is there, it is the caller's alone at first.
 * -EBUSY: another query writes it. */
int rn_trace_part_take(const struct rn_trace_place *place, int *fd, struct rn_err *err);
/* Can fd become what stands in for the file that is there? It gets its group; its owner, when it is
 * complete. */
int rn_trace_part_own(const struct rn_trace_place *place, int fd, struct rn_err *err);
/* fd: that is open on it. What has its name by now, and is another file, stays. */
void rn_trace_part_remove(const struct rn_trace_place *place, int fd);
/* It is complete: it gets the owner and the mode of the file that is there, and its name. fresh: if
 * something is there now, that is another program's. *leave: the unfinished file is whole, and is
 * to stay. */
int rn_trace_part_name(const struct rn_trace_place *place, int fd, bool fresh, bool *leave,
		       struct rn_err *err);
#endif
