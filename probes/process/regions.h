/* regions.h - inside probes/: what a process has mapped, by address: its code, and what is none.
 *
 * Regions are in order and do not overlap, so that reading them again is one pass, and finding one
 * is a search by halves, however many a process makes. Neighbours that are no code are one region.
 * What was mapped at an earlier reading and is no longer stays where nothing new lies: older stacks
 * may mean it. Not for several threads. */
#ifndef RN_PROBES_PROCESS_REGIONS_H
#define RN_PROBES_PROCESS_REGIONS_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "probes/process/mapped.h"

/* Of /proc/PID/maps; by default a process may have a quarter of that. */
enum { RN_REGION_LINES = 262144 };

struct rn_region {
	uint64_t start, end, offset, ino;
	uint32_t dev;
	unsigned file;    /* of code: its number */
	bool code, stale; /* stale: no longer there at the last reading */
};
struct rn_regions {
	struct rn_region *v;
	unsigned n;
	unsigned lines; /* at the last reading */
	bool cut;       /* it had more lines than are read */
};
/* Reads a text in the form of /proc/PID/maps, of it the first so many lines. who: pid, proc and
 * uid of the process; files: gets its files of code. False: there is nothing. */
bool rn_regions_read(struct rn_regions *r, FILE *f, unsigned lines, const struct rn_mapping *who,
		     struct rn_mapped *files);
struct rn_region *rn_regions_find(const struct rn_regions *r, uint64_t address); /* NULL: none */
void rn_regions_free(struct rn_regions *r);
#endif
