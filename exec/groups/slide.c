/* slide.c - see slide.h. All tables hold their groups under window 0: the time of a part is beside
 * its table. */
#include "exec/groups/slide.h"
#include <stdlib.h>
#include "lang/base/memory.h"
#include "lang/base/vec.h"

/* Groups of all parts together: beyond this, those of a new part go to (other). */
enum { MOST_GROUPS = 1 << 22 };

struct part {
	int64_t start_ns;
	/* of the newer parts its own groups; of the older ones merged with all older ones behind
	 * it */
	struct rn_groups *groups;
};

struct rn_slide {
	const struct rn_agg_call *aggs;
	unsigned naggs, nkeys;
	uint32_t max_groups;
	/* by time: first the nold older ones, then the newer ones */
	struct part *parts;
	uint32_t first, n, cap;  /* parts[first..n) are alive */
	uint32_t old;            /* parts[first..old) are the older ones */
	struct rn_groups *newer; /* merge of parts[old..n) */
};

static struct rn_groups *table(const struct rn_slide *s, uint64_t room)
{
	return rn_groups_create(s->aggs, s->naggs, s->nkeys,
				room < s->max_groups ? (uint32_t)room : s->max_groups);
}

struct rn_slide *rn_slide_create(const struct rn_agg_call *aggs, unsigned naggs, unsigned nkeys,
				 uint32_t max_groups)
{
	struct rn_slide *s = rn_calloc(1, sizeof(*s));

	s->aggs = aggs;
	s->naggs = naggs;
	s->nkeys = nkeys;
	s->max_groups = max_groups;
	s->newer = table(s, max_groups);
	return s;
}

void rn_slide_destroy(struct rn_slide *slide)
{
	if (!slide)
		return;
	for (uint32_t i = slide->first; i < slide->n; i++)
		rn_groups_destroy(slide->parts[i].groups);
	rn_groups_destroy(slide->newer);
	free(slide->parts);
	free(slide);
}

uint64_t rn_slide_groups(const struct rn_slide *slide)
{
	uint64_t sum = rn_groups_count(slide->newer);

	for (uint32_t i = slide->first; i < slide->n; i++)
		sum += rn_groups_count(slide->parts[i].groups);
	return sum;
}

bool rn_slide_empty(const struct rn_slide *slide)
{
	return slide->first == slide->n;
}

struct into {
	struct rn_groups *groups;
	int64_t moved;
};

static int merge(void *self, const struct rn_partials *p)
{
	struct into *to = self;
	struct rn_partials part = {.window_ns = 0, .n = p->n, .parts = p->parts};

	to->moved += rn_groups_merge(to->groups, &part);
	return 0;
}

static int64_t merge_into(struct rn_groups *to, struct rn_groups *from)
{
	struct into into = {.groups = to};

	rn_groups_visit(from, INT64_MAX, false, merge, &into);
	return into.moved;
}

int64_t rn_slide_add(struct rn_slide *slide, const struct rn_partials *partials)
{
	struct into to = {0};
	uint64_t held;

	if (slide->first == slide->n || slide->parts[slide->n - 1].start_ns < partials->window_ns) {
		held = rn_slide_groups(slide);
		rn_vec_room(slide->parts, slide->n, slide->cap);
		slide->parts[slide->n++] = (struct part){
			partials->window_ns,
			table(slide, held + 1 < MOST_GROUPS ? MOST_GROUPS - held : 1)};
	}
	to.groups = slide->parts[slide->n - 1].groups;
	merge(&to, partials);
	to.groups = slide->newer;
	merge(&to, partials);
	return to.moved;
}

/* All parts are newer ones: makes them older ones, the last one first. */
static void turn(struct rn_slide *s)
{
	for (uint32_t i = s->n - 1; i > s->first; i--)
		merge_into(s->parts[i - 1].groups, s->parts[i].groups);
	s->old = s->n;
	rn_groups_destroy(s->newer);
	s->newer = table(s, s->max_groups);
}

static void forget_before(struct rn_slide *s, int64_t from_ns)
{
	while (s->first < s->n && s->parts[s->first].start_ns < from_ns) {
		if (s->first >= s->old)
			turn(s);
		rn_groups_destroy(s->parts[s->first++].groups);
	}
	if (s->first == s->n) {
		s->first = s->n = s->old = 0;
	} else if (s->first > s->n / 2) { /* the room of those that are gone */
		for (uint32_t i = s->first; i < s->n; i++)
			s->parts[i - s->first] = s->parts[i];
		s->n -= s->first;
		s->old = s->old > s->first ? s->old - s->first : 0;
		s->first = 0;
	}
}

struct as_window {
	int64_t window_ns;
	int (*visit)(void *self, const struct rn_partials *p);
	void *self;
};

static int under_window(void *self, const struct rn_partials *p)
{
	const struct as_window *w = self;
	struct rn_partials part = {.window_ns = w->window_ns, .n = p->n, .parts = p->parts};

	return w->visit(w->self, &part);
}

int rn_slide_window(struct rn_slide *slide, int64_t from_ns, int64_t window_ns,
		    int (*visit)(void *self, const struct rn_partials *partials), void *self,
		    int64_t *moved)
{
	struct as_window w = {window_ns, visit, self};
	struct rn_groups *all;
	int r;

	forget_before(slide, from_ns);
	if (rn_slide_empty(slide))
		return 0;
	all = table(slide, slide->max_groups);
	if (slide->first < slide->old)
		*moved += merge_into(all, slide->parts[slide->first].groups);
	*moved += merge_into(all, slide->newer);
	r = rn_groups_visit(all, INT64_MAX, false, under_window, &w);
	rn_groups_destroy(all);
	return r;
}
