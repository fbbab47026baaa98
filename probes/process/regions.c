/* regions.c - see regions.h. */
#include "lang/base/memory.h"
#include "probes/process/regions.h"
#include "lang/base/vec.h"
#include <stdlib.h>
#include <string.h>

enum { STALE = 4096 }; /* so many stale regions, and as many as there are fresh ones, are kept */

struct merge {
	struct rn_region *list;
	unsigned n, cap, stale;
	const struct rn_regions *old;
	unsigned next;
};

static struct rn_region *push(struct merge *m, const struct rn_region *r)
{
	rn_vec_room(m->list, m->n, m->cap);
	m->list[m->n] = *r;
	return &m->list[m->n++];
}

/* Pass old regions that end before `start`: nothing new lies there. */
static void pass_old(struct merge *m, uint64_t start)
{
	for (; m->next < m->old->n && m->old->list[m->next].end <= start; m->next++) {
		struct rn_region *r = &m->old->list[m->next];

		if (!r->code) /* it says no more than a missing region */
			continue;
		push(m, r)->stale = true;
		m->stale++;
	}
}

static bool same(const struct rn_region *x, const struct rn_region *y)
{
	return x->start == y->start && x->end == y->end && x->offset == y->offset &&
	       x->dev == y->dev && x->ino == y->ino;
}

/* Add a fresh region: it replaces old ones that it overlaps. If it was there already, it keeps its
 * file. */
static void add_fresh(struct merge *m, struct rn_region *region, struct rn_mapping *at,
		      const char *path, struct rn_mapped *files)
{
	bool known = false;

	pass_old(m, region->start);
	for (unsigned i = m->next;
	     region->code && i < m->old->n && m->old->list[i].start < region->end; i++)
		if (m->old->list[i].code && same(&m->old->list[i], region)) {
			region->file = m->old->list[i].file;
			known = true;
		}
	while (m->next < m->old->n && m->old->list[m->next].end <= region->end)
		m->next++;
	if (m->next < m->old->n && m->old->list[m->next].start < region->end)
		m->next++;
	if (!region->code && m->n && !m->list[m->n - 1].code && !m->list[m->n - 1].stale &&
	    m->list[m->n - 1].end == region->start) {
		m->list[m->n - 1].end = region->end;
		return;
	}
	if (region->code && !known) {
		at->start = region->start;
		at->end = region->end;
		at->offset = region->offset;
		at->dev = region->dev;
		at->ino = region->ino;
		at->path = path;
		region->file = rn_mapped_file(files, at);
	}
	push(m, region);
}

/* "START-END rwxp OFFSET MAJOR:MINOR INODE    PATH" */
static bool parse(char *line, struct rn_region *region, const char **path)
{
	char *p = line, *perms;
	uint64_t major, minor;

	*region = (struct rn_region){0};
	region->start = strtoull(p, &p, 16);
	if (*p++ != '-')
		return false;
	region->end = strtoull(p, &p, 16);
	if (*p++ != ' ' || strlen(p) < 5)
		return false;
	perms = p;
	p += 4;
	region->code = perms[2] == 'x';
	region->offset = strtoull(p, &p, 16);
	major = strtoull(p, &p, 16);
	if (*p++ != ':')
		return false;
	minor = strtoull(p, &p, 16);
	region->dev = (uint32_t)(major << 20 | minor);
	region->ino = strtoull(p, &p, 10);
	*path = p + strspn(p, " ");
	return region->start < region->end;
}

/* Drop old regions: programs may map and unmap for ever, so not all can be kept. */
static void drop_stale(struct merge *m)
{
	unsigned n = 0;

	for (unsigned i = 0; i < m->n; i++)
		if (!m->list[i].stale)
			m->list[n++] = m->list[i];
	m->n = n;
}

bool rn_regions_read(struct rn_regions *regions, FILE *f, unsigned lines,
		     const struct rn_mapping *who, struct rn_mapped *files)
{
	struct merge m = {.old = regions};
	struct rn_mapping at = *who;
	char *line = NULL;
	size_t room = 0;
	uint64_t end = 0;
	bool any = false;

	regions->cut = false;
	for (regions->lines = 0; getline(&line, &room, f) > 0; regions->lines++) {
		struct rn_region region;
		const char *path;

		if (regions->lines == lines) {
			regions->cut = true;
			break;
		}
		line[strcspn(line, "\n")] = 0;
		if (!parse(line, &region, &path) ||
		    region.start < end) /* the list changed between two parts of it */
			continue;
		end = region.end;
		any = true;
		add_fresh(&m, &region, &at, path, files);
	}
	free(line);
	if (!any) {
		free(m.list);
		return false;
	}
	pass_old(&m, UINT64_MAX);
	if (m.stale > m.n - m.stale + STALE)
		drop_stale(&m);
	free(regions->list);
	regions->list = m.n ? rn_realloc(m.list, m.n * sizeof(*m.list)) : m.list;
	regions->n = m.n;
	return true;
}

struct rn_region *rn_regions_find(const struct rn_regions *regions, uint64_t address)
{
	unsigned low = 0, high = regions->n;

	while (low < high) { /* the first that ends beyond the address */
		unsigned mid = (low + high) / 2;

		if (regions->list[mid].end <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low < regions->n && address >= regions->list[low].start ? &regions->list[low] : NULL;
}

void rn_regions_free(struct rn_regions *regions)
{
	free(regions->list);
	*regions = (struct rn_regions){0};
}
