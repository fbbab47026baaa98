/* drain.c - groups and cells of one half of the maps to partial states.
 *
 * It reads all groups in batches, and deletes them at the end of a window. It merges the CPUs'
 * copies by the slots of planner/plan/agg.h. It adds groups that the CPUs have not yet put in the
 * map (probes/gen/group.c). Then it reads the cells, gives each to its group, and decodes the
 * keys. All memory is in the batch arena until the sink returns. */
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include "lang/base/hash.h"
#include "lang/base/memory.h"
#include "planner/agg/state.h"
#include "probes/live/live_impl.h"
#include "lang/base/vec.h"

struct group {
	const unsigned char *key;
	int64_t events;
	int64_t *words;
	int64_t *part; /* of each aggregate of a part: the events that entered it */
	bool other;
};
struct cell_entry {
	uint32_t group, agg;
	int32_t bucket;
	int64_t value;
};
struct drain {
	struct rn_live *live;
	struct group *groups;
	uint32_t ng, cap;
	uint32_t *slot;
	uint32_t nslots;         /* open addressing over packed keys: group + 1 */
	struct rn_secret secret; /* of their hash */
	struct cell_entry *cells;
	uint32_t nc, cap_c;
	unsigned words; /* of a group, all aggregates */
};

/* ---- reading a hash map ---- */

typedef void entry_fn(struct drain *d, const unsigned char *key, const unsigned char *value);

static int read_singly(struct drain *d, int fd, size_t key_bytes, size_t value_bytes, bool keep,
		       entry_fn *fn)
{
	unsigned char *key = rn_arena_alloc(d->live->batch, key_bytes),
		      *next = rn_arena_alloc(d->live->batch, key_bytes);
	unsigned char *value = rn_arena_alloc(d->live->batch, value_bytes);
	int r = bpf_map_get_next_key(fd, NULL, next);

	while (!r) {
		unsigned char *k = rn_arena_alloc(d->live->batch, key_bytes);

		memcpy(k, next, key_bytes);
		memcpy(key, next, key_bytes);
		if (!bpf_map_lookup_elem(fd, key, value))
			fn(d, k, value);
		r = bpf_map_get_next_key(fd, key, next);
		if (!keep)
			bpf_map_delete_elem(fd, key);
	}
	return r == -ENOENT ? 0 : r;
}

/* Call fn for every entry; keys stay valid, values only until fn returns. */
static int read_map(struct drain *d, int fd, size_t key_bytes, size_t value_bytes, uint32_t entries,
		    bool keep, entry_fn *fn)
{
	uint32_t cap = entries < 4096 ? entries : 4096, in = 0, out = 0;
	bool first = true;
	int r = 0;

	while (r != -ENOENT) {
		unsigned char *keys = rn_arena_alloc(d->live->batch, cap * key_bytes),
			      *values = rn_malloc(cap * value_bytes);
		uint32_t n = cap;

		r = keep ? bpf_map_lookup_batch(fd, first ? NULL : &in, &out, keys, values, &n,
						NULL)
			 : bpf_map_lookup_and_delete_batch(fd, first ? NULL : &in, &out, keys,
							   values, &n, NULL);
		if (r && r != -ENOENT) {
			free(values);
			/* a bucket holds more than fits: nothing was taken */
			if (r == -ENOSPC && cap < 1u << 22) {
				cap *= 2;
				continue;
			}
			return first ? read_singly(d, fd, key_bytes, value_bytes, keep, fn) : r;
		}
		for (uint32_t i = 0; i < n; i++)
			fn(d, keys + i * key_bytes, values + i * value_bytes);
		free(values);
		first = false;
		in = out;
	}
	return 0;
}

/* ---- groups ---- */

/* Merge the words of one slot from one CPU. The kernel's rate has two words. first: `to` has seen
 * no event yet, and holds zeros. */
static void merge_slot(enum rn_slot_op op, int64_t *to, const int64_t *from, bool first)
{
	unsigned words = rn_slot_words(op);

	if (op == RN_SLOT_RATE) {
		int64_t sign = from[1] >> 63, wide[4] = {from[0], from[1], sign, sign};

		rn_slot_merge(op, to, wide);
	} else if (first) {
		memcpy(to, from, words * sizeof(*to));
	} else {
		rn_slot_merge(op, to, from);
	}
}

/* Merges the slots of one aggregate from one CPU. seen: the events of the state, those of this CPU
 * included; first: those of no other CPU are in it. */
static void merge_slots(const struct rn_agg *agg, int64_t *to, const int64_t *from, int64_t seen,
			bool first)
{
	for (unsigned k = 0; k < agg->nslots; k++) {
		enum rn_slot_op op = agg->slot[k];

		if (op == RN_SLOT_COUNT)
			*to = seen;
		else
			merge_slot(op, to, from, first);
		to += op == RN_SLOT_COUNT ? 1 : op == RN_SLOT_RATE ? 4 : rn_slot_words(op);
		from += rn_slot_words(op);
	}
}

static void merge_copy(const struct rn_fragment *fragment, struct group *g, const int64_t *value)
{
	int64_t *to = g->words;
	const int64_t *from = value + 1;
	bool first = g->events == 0;

	if (value[0] <= 0)
		return;
	g->events += value[0];
	for (unsigned i = 0; i < fragment->naggs; i++) {
		const struct rn_agg_call *call = &fragment->aggs[i];
		bool counts = rn_agg_bpf_counts(call);

		if (!counts) {
			merge_slots(call->def, to, from, g->events, first);
		} else if (from[0] > 0) {
			g->part[i] += from[0];
			merge_slots(call->def, to, from + 1, g->part[i], g->part[i] == from[0]);
		}
		to += rn_agg_words(call->def);
		from += rn_agg_bpf_words(call);
	}
}

/* A group without events. */
static struct group *new_group(struct drain *d, const unsigned char *key, bool other)
{
	struct group *g;

	rn_vec_room_in(d->live->batch, d->groups, d->ng, d->cap);
	g = &d->groups[d->ng++];
	*g = (struct group){.key = key,
			    .words = RN_NEWN(d->live->batch, int64_t, d->words + 1),
			    .part = RN_NEWN(d->live->batch, int64_t, d->live->fragment->naggs + 1),
			    .other = other};
	return g;
}

static void add_group(struct drain *d, const unsigned char *key, const unsigned char *value,
		      unsigned stride, bool other)
{
	struct group *g = new_group(d, key, other);

	for (unsigned cpu = 0; cpu < d->live->ncpus; cpu++)
		merge_copy(d->live->fragment, g,
			   (const int64_t *)(const void *)(value + (size_t)cpu * stride));
	if (!g->events)
		d->ng--;
}

static void group_entry(struct drain *d, const unsigned char *key, const unsigned char *value)
{
	add_group(d, key, value, d->live->out.stride, false);
}

/* Read the total of this half: the only group of a query without keys, else the (other) group. */
static void read_total(struct drain *d, unsigned half, bool keep)
{
	struct rn_live *live = d->live;
	size_t bytes = live->out.value_bytes;
	unsigned char *value = rn_arena_alloc(live->batch, bytes * live->ncpus);

	for (unsigned cpu = 0; cpu < live->ncpus; cpu++) {
		unsigned char *from = rn_live_part(live, cpu) + RN_PART_TOTALS + half * bytes;

		memcpy(value + cpu * bytes, from, bytes);
		if (!keep)
			memset(from, 0, bytes);
	}
	if (live->out.key.bytes) {
		unsigned char *key = rn_arena_alloc(live->batch, live->out.key.bytes);

		memset(key, 0xff, live->out.key.bytes);
		add_group(d, key, value, live->out.value_bytes, true);
	} else {
		add_group(d, rn_arena_alloc(live->batch, 1), value, live->out.value_bytes, false);
	}
}

/* ---- groups by key ---- */

/* The place of the key in the index, or where it would be. */
static uint32_t place_of(const struct drain *d, const unsigned char *key)
{
	unsigned bytes = d->live->out.key.bytes;
	uint32_t h = (uint32_t)rn_hash_secret(&d->secret, key, bytes) & (d->nslots - 1);

	while (d->slot[h] && memcmp(d->groups[d->slot[h] - 1].key, key, bytes))
		h = (h + 1) & (d->nslots - 1);
	return h;
}

/* more: groups that may be added to the index later */
static void index_groups(struct drain *d, uint32_t more)
{
	rn_secret_make(&d->secret);
	for (d->nslots = 16; d->nslots < 2 * (d->ng + more);)
		d->nslots *= 2;
	d->slot = RN_NEWN(d->live->batch, uint32_t, d->nslots);
	for (uint32_t i = 0; i < d->ng; i++)
		d->slot[place_of(d, d->groups[i].key)] = i + 1;
}

/* ---- recent groups: see probes/gen/group.c ---- */

static unsigned char *recent_of(const struct rn_live *s, unsigned cpu, unsigned half)
{
	return (unsigned char *)s->maps.globals + s->out.recent_off +
	       (size_t)(2 * cpu + half) * s->out.recent_stride;
}

static uint64_t changes_of(const struct rn_live *s, unsigned cpu, unsigned half)
{
	const uint64_t *p =
		(const void *)(recent_of(s, cpu, half) + s->out.value_bytes + s->out.key.bytes);

	return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}

/* The group for a recent group's key: that of the map, a new one, or (other) if the map is full. */
static struct group *group_of(struct drain *d, const unsigned char *key)
{
	uint32_t h = place_of(d, key);

	if (d->slot[h])
		return &d->groups[d->slot[h] - 1];
	if (d->ng >= d->live->out.map[RN_MAP_GROUPS0].entries) {
		for (uint32_t i = d->ng; i-- > 0;)
			if (d->groups[i].other)
				return &d->groups[i];
		return new_group(d, key, true);
	}
	d->slot[h] = d->ng + 1;
	return new_group(d, key, false);
}

static void read_recent(struct drain *d, unsigned half, bool keep)
{
	struct rn_live *s = d->live;
	size_t bytes = s->out.value_bytes + s->out.key.bytes;

	index_groups(d, s->ncpus);
	for (unsigned cpu = 0; cpu < s->ncpus; cpu++) {
		unsigned char *from = recent_of(s, cpu, half),
			      *copy = rn_arena_alloc(s->batch, bytes);
		const int64_t *value = (const void *)copy;

		memcpy(copy, from, bytes);
		if (value[0] > 0)
			merge_copy(s->fragment, group_of(d, copy + s->out.value_bytes), value);
		if (!keep)
			memset(from, 0, s->out.value_bytes);
	}
}

/* ---- cells ---- */

static void cell_entry(struct drain *d, const unsigned char *key, const unsigned char *value)
{
	unsigned bytes = d->live->out.key.bytes;
	uint32_t h = place_of(d, key);
	struct cell_entry *c;

	if (!d->slot[h])
		return; /* its group came after the groups were read: only during a peek */
	rn_vec_room_in(d->live->batch, d->cells, d->nc, d->cap_c);
	c = &d->cells[d->nc];
	c->group = d->slot[h] - 1;
	memcpy(&c->agg, key + bytes, 4);
	memcpy(&c->bucket, key + bytes + 4, 4);
	memcpy(&c->value, value, 8);
	if (c->value > 0 && c->agg < d->live->fragment->naggs)
		d->nc++;
}

static int by_place(const void *x, const void *y)
{
	const struct cell_entry *a = x, *b = y;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->agg != b->agg)
		return a->agg < b->agg ? -1 : 1;
	return a->bucket < b->bucket ? -1 : a->bucket > b->bucket;
}

/* ---- the answer ---- */

static struct rn_partial *partials(struct drain *d)
{
	struct rn_live *live = d->live;
	const struct rn_fragment *fragment = live->fragment;
	struct rn_partial *p = RN_NEWN(live->batch, struct rn_partial, d->ng + 1);
	struct rn_cell *cells = RN_NEWN(live->batch, struct rn_cell, d->nc + 1);

	for (uint32_t i = 0; i < d->ng; i++) {
		struct rn_value *key = RN_NEWN(live->batch, struct rn_value, fragment->nkeys + 1);
		struct rn_state *st = RN_NEWN(live->batch, struct rn_state, fragment->naggs + 1);
		int64_t *w = d->groups[i].words;

		if (!d->groups[i].other)
			rn_decode_all(&live->dec, &live->out.key, d->groups[i].key, key,
				      live->batch);
		for (unsigned k = 0; k < fragment->naggs; k++) {
			bool none =
				!rn_agg_words(fragment->aggs[k].def) ||
				(rn_agg_bpf_counts(&fragment->aggs[k]) && !d->groups[i].part[k]);

			st[k].words = none ? NULL : w;
			w += rn_agg_words(fragment->aggs[k].def);
		}
		p[i] = (struct rn_partial){.key = key,
					   .events = d->groups[i].events,
					   .state = st,
					   .other = d->groups[i].other};
	}
	if (d->nc)
		qsort(d->cells, d->nc, sizeof(*d->cells), by_place);
	for (uint32_t i = 0; i < d->nc; i++) {
		struct rn_state *st = &p[d->cells[i].group].state[d->cells[i].agg];

		cells[i] = (struct rn_cell){d->cells[i].bucket, d->cells[i].value};
		if (!st->ncells)
			st->cells = &cells[i];
		st->cap_cells = ++st->ncells;
	}
	for (uint32_t i = 0; i < d->ng; i++)
		for (unsigned k = 0; k < fragment->naggs; k++)
			p[i].state[k] = p[i].state[rn_agg_same_state(fragment->aggs, k)];
	return p;
}

/* Read all groups of one half. Programs still write to it only during a peek. */
static int read_groups(struct drain *d, unsigned half, bool keep)
{
	struct rn_live *s = d->live;
	const struct rn_map_spec *m = s->out.map;
	int r = 0;

	d->ng = d->nc = 0;
	if (m[RN_MAP_GROUPS0 + half].used)
		r = read_map(d, s->maps.fd[RN_MAP_GROUPS0 + half], s->out.key.bytes,
			     m[RN_MAP_GROUPS0].value_bytes, m[RN_MAP_GROUPS0].entries, keep,
			     group_entry);
	if (r)
		return r;
	read_total(d, half, keep);
	if (s->out.recent_stride)
		read_recent(d, half, keep);
	return 0;
}

/* A peek sees each event once: it looks again if a recent group went to the map meanwhile. If that
 * happens all the time, the runs are short, and a look misses as little. */
static int peek_groups(struct drain *d, unsigned half)
{
	enum { TRIES = 10 };
	struct rn_live *s = d->live;
	uint64_t *before = RN_NEWN(s->batch, uint64_t, s->ncpus);
	bool changed = false;
	int r = 0;

	for (int i = 0; !r && (i == 0 || changed) && i < TRIES; i++) {
		changed = false;
		for (unsigned cpu = 0; s->out.recent_stride && cpu < s->ncpus; cpu++)
			before[cpu] = changes_of(s, cpu, half);
		r = read_groups(d, half, true);
		for (unsigned cpu = 0; s->out.recent_stride && cpu < s->ncpus; cpu++)
			changed |= (before[cpu] & 1) || changes_of(s, cpu, half) != before[cpu];
	}
	return r;
}

int rn_live_groups(struct rn_live *live, const struct rn_sink *sink, unsigned half,
		   int64_t window_ns, bool keep, struct rn_err *err)
{
	struct drain d = {.live = live};
	const struct rn_map_spec *m = live->out.map;
	unsigned key_bytes = live->out.key.bytes;
	struct rn_partials out = {.window_ns = window_ns};
	int r;

	rn_arena_reset(live->batch);
	for (unsigned i = 0; i < live->fragment->naggs; i++)
		d.words += rn_agg_words(live->fragment->aggs[i].def);
	r = keep ? peek_groups(&d, half) : read_groups(&d, half, false);
	if (!r && m[RN_MAP_CELLS0 + half].used) {
		index_groups(&d, 0);
		r = read_map(&d, live->maps.fd[RN_MAP_CELLS0 + half], key_bytes + 8, 8,
			     m[RN_MAP_CELLS0].entries, keep, cell_entry);
	}
	if (r)
		return rn_err_set(err, r, "cannot read the groups of the query: %s", strerror(-r));
	out.parts = partials(&d);
	out.n = d.ng;
	for (uint32_t i = 0; !keep && i < d.ng; i++) {
		live->events += d.groups[i].events;
		live->other += d.groups[i].other ? d.groups[i].events : 0;
	}
	r = sink->partials(sink->self, &out);
	if (!keep)
		rn_decoder_turn(&live->dec);
	return r;
}
