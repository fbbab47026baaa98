/* outfile.h - opens every file that runnel writes, and never writes through files or links that
 * others placed.
 *
 * "Others" are all users except the caller, root, and the owner of "/" (in a user namespace that is
 * the overflow uid). A place is a directory that stays open and a name in it. On the way to it, the
 * walk follows a symbolic link only under three conditions. The link belongs to none of the others.
 * It has one name. No directory so far lets others place or move names (one with the sticky bit
 * does not). It follows links of /proc if the process is none of the others'. A new file is made
 * with O_EXCL and O_NOFOLLOW. An old file is written to only if it is regular, has one name and
 * belongs to the caller; or if it is a device, a FIFO of the caller's or root's, or a descriptor of
 * this process (/dev/stdout).
 *
 * A user who moves directories meanwhile gains nothing: all work happens in the open directory.
 * Thread-safe; no state. */
#ifndef RN_LANG_FILES_OUTFILE_H
#define RN_LANG_FILES_OUTFILE_H
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>
#include "lang/base/err.h"

struct rn_out_place {
	int dir;     /* O_PATH descriptor of the directory */
	char *name;  /* name of the file in it */
	char *path;  /* both as text: the path as given, unless a link was followed */
	bool moved;  /* others may move names in the directory, or on the way to it */
	bool shared; /* the same, or others may place new names in the directory (/tmp) */
	bool own_fd; /* the name is a descriptor of this process */
};

/* Finds the place that path means. dirs: the mode for missing directories, which are made; 0: a
 * missing one is an error. Returns 0 or a negative errno: err names the link or directory, and a
 * way out; -EEXIST: others placed it. Free place in both cases. */
int rn_out_find(struct rn_out_place *place, const char *path, mode_t dirs, struct rn_err *err);
void rn_out_free(struct rn_out_place *place);
/* Stats the file there without following links. False: it cannot be looked at (errno). */
bool rn_out_stat(const struct rn_out_place *place, const char *name, struct stat *st);
/* Is uid the caller, root, or the owner of "/"? */
bool rn_out_trusted(uid_t uid);

/* Makes a new file of this name in place's directory, open for reading and writing. Returns the
 * descriptor, or a negative errno: -EEXIST if anything is there. */
int rn_out_make(const struct rn_out_place *place, const char *name, mode_t mode);
/* Can the existing file be written to? Returns 0 or a negative errno; err has the reason and a way
 * out. */
int rn_out_writable(const struct rn_out_place *place, const struct stat *st, struct rn_err *err);
/* Opens the existing file with these flags (O_WRONLY and the like). If there is none and flags has
 * O_CREAT, makes it with this mode. O_TRUNC applies to regular files. Returns the descriptor, or a
 * negative errno: -ENOENT if nothing is there and O_CREAT was not given. */
int rn_out_open_at(const struct rn_out_place *place, int flags, mode_t mode, struct rn_err *err);
/* Makes a temporary file of the caller's alone. path ends with XXXXXX and a suffix of so many
 * bytes; it is changed to the file's name. Refused if others could move the file away while
 * programs know it by its name. */
int rn_out_temporary(char *path, int suffix, struct rn_err *err);
/* Makes an empty text file, as fopen(path, "we"). NULL: err says why. */
FILE *rn_out_create(const char *path, struct rn_err *err);
/* Do both paths mean one file? It need not exist. */
bool rn_out_same(const char *a, const char *b);
#endif
