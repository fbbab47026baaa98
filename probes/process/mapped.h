/* mapped.h - inside probes/: files that processes have mapped, each once, and their functions.
 *
 * A file is known by the device and inode of the open file. /proc/PID/maps is trusted for these
 * only once both have agreed, since a process may map another file before it is opened. Some files
 * are opened when they are first seen (their process may end soon), the others when a name is
 * wanted. Then tables of functions are read, on behalf of the process's user, within the user's
 * share of bytes. If the user's tables take too much memory, those not used for longest are
 * forgotten.
 *
 * rn_mapped_sweep forgets files that no caller marks as still in use. Not for several threads. */
#ifndef RN_PROBES_PROCESS_MAPPED_H
#define RN_PROBES_PROCESS_MAPPED_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rn_mapping { /* of a file, or of none */
	int pid;
	uint64_t proc; /* its life */
	uint32_t uid;  /* its owner */
	uint64_t start, end, offset, ino;
	uint32_t dev;     /* major << 20 | minor */
	const char *path; /* NULL: not known any more */
};

struct rn_mapped;
struct rn_mapped *rn_mapped_create(void);
void rn_mapped_free(struct rn_mapped *mapped); /* NULL is allowed */
/* Returns the number of the file that is mapped there. */
unsigned rn_mapped_file(struct rn_mapped *mapped, const struct rn_mapping *at);
/* Finds the name of the place `off` behind the beginning of the mapping: a function, or the file's
 * name and the place in it. *file may become another number for the same file. True: the name is
 * whole. */
bool rn_mapped_name(struct rn_mapped *mapped, unsigned *file, const struct rn_mapping *at,
		    uint64_t off, char *out, size_t room);
/* Counts files whose functions were cut, refused, or not read for want of a share, each once; and
 * names that were cut. */
int64_t rn_mapped_cut(const struct rn_mapped *mapped);
size_t rn_mapped_held(const struct rn_mapped *mapped); /* bytes of tables */

/* Are there many more files than at the last sweep? Then mark those in use, and sweep. */
bool rn_mapped_full(const struct rn_mapped *mapped);
void rn_mapped_mark(struct rn_mapped *mapped, unsigned file);
void rn_mapped_sweep(struct rn_mapped *mapped);
#endif
