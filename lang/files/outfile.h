/* outfile.h - every file that runnel writes is opened here: nothing is written through what others
 * placed.
 *
 * "Others" are all users but the caller, root, and whoever owns "/" (in a user namespace that is
 * the overflow uid). A place is a directory that stays open and a name in it. On the way to it a
 * symbolic link is followed only if it belongs to none of the others, has one name, and no
 * directory so far lets others place or move names (one with the sticky bit does not). Links of
 * /proc are followed if the process is none of the others'. In the place a new file is made with
 * O_EXCL and O_NOFOLLOW. An old one is written to only if it is regular, has one name and belongs
 * to the caller; or if it is a device, a FIFO of the caller's or root's, or a descriptor of this
 * process (/dev/stdout).
 *
 * Whoever moves directories meanwhile gains nothing: all is done in the directory that is open.
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
	char *name;  /* of the file in it */
	char *path;  /* both as text: what was given, unless a link was followed */
	bool moved;  /* others may move names in the directory, or on the way to it */
	bool shared; /* the same, or they may place new ones in the directory (/tmp) */
	bool own_fd; /* the name is a descriptor of this process */
};

/* Finds the place that path means. dirs: directories that are missing are made, with this mode; 0:
 * that is an error. 0, or a negative errno: err names the link or directory, and a way out;
 * -EEXIST: others placed it. To be freed in both cases. */
int rn_out_find(struct rn_out_place *p, const char *path, mode_t dirs, struct rn_err *err);
void rn_out_free(struct rn_out_place *p);
/* What is there, links not followed. False: nothing that can be looked at (errno). */
bool rn_out_stat(const struct rn_out_place *p, const char *name, struct stat *st);
/* Is uid the caller, root, or the owner of "/"? */
bool rn_out_trusted(uid_t uid);

/* A new file of this name in p's directory, open for reading and writing. The descriptor, or a
 * negative errno: -EEXIST if there is anything. */
int rn_out_make(const struct rn_out_place *p, const char *name, mode_t mode);
/* May the file that is there be written to? 0, or a negative errno; err has the reason and a way
 * out. */
int rn_out_writable(const struct rn_out_place *p, const struct stat *st, struct rn_err *err);
/* Opens what is there with these flags (O_WRONLY and the like), or makes it with this mode if they
 * have O_CREAT. O_TRUNC holds for regular files. The descriptor, or a negative errno: -ENOENT if
 * nothing is there and O_CREAT was not given. */
int rn_out_open_at(const struct rn_out_place *p, int flags, mode_t mode, struct rn_err *err);
/* A temporary file of the caller's alone: path ends with XXXXXX and a suffix of so many bytes, and
 * is changed to its name. Refused if others may move it away while programs know it by its name. */
int rn_out_temporary(char *path, int suffix, struct rn_err *err);
/* An empty file for text, as fopen(path, "we"). NULL: err says why. */
FILE *rn_out_create(const char *path, struct rn_err *err);
/* Do both paths mean one file? It need not be there. */
bool rn_out_same(const char *a, const char *b);
#endif
