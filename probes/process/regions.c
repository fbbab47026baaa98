/* regions.c - see regions.h. */
#include "lang/base/memory.h"
#include "probes/process/regions.h"
#include <stdlib.h>
#include <string.h>

enum { STALE = 4096 }; /* so many stale regions, and as many as there are fresh ones, are kept */

struct merge {
	struct rn_region *v;
	unsigned n, cap, stale;
	const struct rn_regions *old;
	unsigned next;
};

static struct rn_region *push(struct merge *m, const struct rn_region *r)
{
	if (m->n == m->cap) {
		m->cap = m->cap ? 2 * m->cap : 64;
		m->v = rn_realloc(m->v, m->cap * sizeof(*m->v));
	}
	m->v[m->n] = *r;
	return &m->v[m->n++];
}

/* Pass old regions that end before `start`: nothing new lies there. */
static void pass_old(struct merge *m, uint64_t start)
{
	for (; m->next < m->old->n && m->old->v[m->next].end <= start; m->next++) {
		struct rn_region *r = &m->old->v[m->next];

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
static void add_fresh(struct merge *m, struct rn_region *r, struct rn_mapping *at, const char *path,
		      struct rn_mapped *files)
{
	bool known = false;

	pass_old(m, r->start);
	for (unsigned i = m->next; r->code && i < m->old->n && m->old->v[i].start < r->end; i++)
		if (m->old->v[i].code && same(&m->old->v[i], r)) {
			r->file = m->old->v[i].file;
			known = true;
		}
	while (m->next < m->old->n && m->old->v[m->next].end <= r->end)
		m->next++;
	if (m->next < m->old->n && m->old->v[m->next].start < r->end)
		m->next++;
	if (!r->code && m->n && !m->v[m->n - 1].code && !m->v[m->n - 1].stale &&
	    m->v[m->n - 1].end == r->start) {
		m->v[m->n - 1].end = r->end;
		return;
	}
	if (r->code && !known) {
		at->start = r->start;
		at->end = r->end;
		at->offset = r->offset;
		at->dev = r->dev;
		at->ino = r->ino;
		at->path = path;
		r->file = rn_mapped_file(files, at);
	}
	push(m, r);
}

/* "START-END rwxp OFFSET MAJOR:MINOR INODE    PATH" */
static bool parse(char *line, struct rn_region *r, const char **path)
{
	char *p = line, *perms;
	uint64_t major, minor;

	*r = (struct rn_region){0};
	r->start = strtoull(p, &p, 16);
	if (*p++ != '-')
		return false;
	r->end = strtoull(p, &p, 16);
	if (*p++ != ' ' || strlen(p) < 5)
		return false;
	perms = p;
	p += 4;
	r->code = perms[2] == 'x';
	r->offset = strtoull(p, &p, 16);
	major = strtoull(p, &p, 16);
	if (*p++ != ':')
		return false;
	minor = strtoull(p, &p, 16);
	r->dev = (uint32_t)(major << 20 | minor);
	r->ino = strtoull(p, &p, 10);
	*path = p + strspn(p, " ");
	return r->start < r->end;
}

/* Drop old regions: programs may map and unmap for ever, so not all can be kept. */
static void drop_stale(struct merge *m)
{
	unsigned n = 0;

	for (unsigned i = 0; i < m->n; i++)
		if (!m->v[i].stale)
			m->v[n++] = m->v[i];
	m->n = n;
}

bool rn_regions_read(struct rn_regions *r, FILE *f, unsigned lines, const struct rn_mapping *who,
		     struct rn_mapped *files)
{
	struct merge m = {.old = r};
	struct rn_mapping at = *who;
	char *line = NULL;
	size_t room = 0;
	uint64_t end = 0;
	bool any = false;

	r->cut = false;
	for (r->lines = 0; getline(&line, &room, f) > 0; r->lines++) {
		struct rn_region x;
		const char *path;

		if (r->lines == lines) {
			r->cut = true;
			break;
		}
		line[strcspn(line, "\n")] = 0;
		if (!parse(line, &x, &path) ||
		    x.start < end) /* the list changed between two parts of it */
			continue;
		end = x.end;
		any = true;
		add_fresh(&m, &x, &at, path, files);
	}
	free(line);
	if (!any) {
		free(m.v);
		return false;
	}
	pass_old(&m, UINT64_MAX);
	if (m.stale > m.n - m.stale + STALE)
		drop_stale(&m);
	free(r->v);
	r->v = m.n ? rn_realloc(m.v, m.n * sizeof(*m.v)) : m.v;
	r->n = m.n;
	return true;
}

struct rn_region *rn_regions_find(const struct rn_regions *r, uint64_t address)
{
	unsigned low = 0, high = r->n;

	while (low < high) { /* the first that ends beyond the address */
		unsigned mid = (low + high) / 2;

		if (r->v[mid].end <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low < r->n && address >= r->v[low].start ? &r->v[low] : NULL;
}

void rn_regions_free(struct rn_regions *r)
{
	free(r->v);
	*r = (struct rn_regions){0};
}
