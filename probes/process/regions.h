/* regions.h - inside probes/: the mappings of a process, by address: its code, and the rest.
 *
 * Regions are in order and do not overlap. So reading them again is one pass, and finding one is a
 * binary search, however many a process makes. Neighbours without code are one region. A mapping
 * from an earlier reading that is gone stays if nothing new lies there: older stacks may refer to
 * it. Not for several threads. */
#ifndef RN_PROBES_PROCESS_REGIONS_H
#define RN_PROBES_PROCESS_REGIONS_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "probes/process/mapped.h"

/* Lines of /proc/PID/maps; by default a process may have a quarter of that. */
enum { RN_REGION_LINES = 262144 };

struct rn_region {
	uint64_t start, end, offset, ino;
	uint32_t dev;
	unsigned file;    /* code: the number of its file */
	bool code, stale; /* stale: no longer there at the last reading */
};
struct rn_regions {
	struct rn_region *list;
	unsigned n;
	unsigned lines; /* at the last reading */
	bool cut;       /* it had more lines than the limit */
};
/* Reads the first lines of a text in the form of /proc/PID/maps, as many as allowed. who: pid, proc
 * and uid of the process; files: gets its files of code. False: there is nothing. */
bool rn_regions_read(struct rn_regions *regions, FILE *f, unsigned lines,
		     const struct rn_mapping *who, struct rn_mapped *files);
struct rn_region *rn_regions_find(const struct rn_regions *regions,
				  uint64_t address); /* NULL: none */
void rn_regions_free(struct rn_regions *regions);
#endif
