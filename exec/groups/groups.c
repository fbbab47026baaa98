/* groups.c - the table of groups: open addressing over pointers, keyed by window and key values.
 *
 * Each group is one block of memory: its header, states, key values and the bytes of string keys.
 * Hashing and equality follow rn_value_cmp: numbers that compare equal are one key, whatever their
 * kind. (other) groups, one a window, are in the same table, are found by their flag, and do not
 * count against max_groups. Others choose the names that become keys, so the hash has a secret
 * (lang/base/hash.h) that no other table knows. A merge groups again by the keys, and visits are in
 * the order of keys. */
#include "exec/groups/groups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/agg/state.h"
#include "lang/base/hash.h"
#include "lang/base/memory.h"

enum { DEFAULT_MAX = 1 << 20 };

struct group {
	uint64_t hash;
	int64_t window_ns;
	int64_t events;
	bool other;
	struct rn_value *key;
	struct rn_state state[];
};

struct rn_groups {
	const struct rn_agg_call *aggs;
	unsigned naggs, nkeys;
	uint32_t max_groups;
	uint32_t count; /* all, with (other) */
	uint32_t others;
	uint32_t cap; /* of slots: a power of two, at least twice count */
	struct group **slots;
	struct group *last; /* of the last update: equal keys come in runs */
	uint64_t text;      /* bytes of strings in keys */
	struct rn_secret secret;
	uint64_t steps;
	int64_t overflow; /* arguments left out */
};

struct rn_groups *rn_groups_create(const struct rn_agg_call *aggs, unsigned naggs, unsigned nkeys,
				   uint32_t max_groups)
{
	struct rn_groups *g = rn_calloc(1, sizeof(*g));

	g->aggs = aggs;
	g->naggs = naggs;
	g->nkeys = nkeys;
	g->max_groups = max_groups ? max_groups : DEFAULT_MAX;
	g->cap = 64;
	g->slots = rn_calloc(g->cap, sizeof(struct group *));
	rn_secret_make(&g->secret);
	return g;
}

static void group_free(struct rn_groups *g, struct group *p)
{
	for (unsigned i = 0; i < g->naggs; i++)
		rn_state_free(&g->aggs[i], &p->state[i]);
	free(p);
}

void rn_groups_destroy(struct rn_groups *groups)
{
	if (!groups)
		return;
	for (uint32_t i = 0; i < groups->cap; i++)
		if (groups->slots[i])
			group_free(groups, groups->slots[i]);
	free(groups->slots);
	free(groups);
}

uint32_t rn_groups_count(const struct rn_groups *groups)
{
	return groups->count;
}

uint64_t rn_groups_steps(const struct rn_groups *groups)
{
	return groups->steps;
}

int64_t rn_groups_overflow(const struct rn_groups *groups)
{
	return groups->overflow;
}

/* One word for a number: equal for numbers that rn_value_cmp finds equal. */
static uint64_t number_word(const struct rn_value *v)
{
	uint64_t w;

	if (v->kind != RN_FLOAT)
		return (uint64_t)v->i;
	if (v->f >= -0x1p63 && v->f < 0x1p63 && v->f == floor(v->f))
		return (uint64_t)(int64_t)v->f;
	w = 0x7ff8ULL << 48;
	if (!isnan(v->f))
		memcpy(&w, &v->f, 8);
	return w;
}

static uint64_t hash_key(const struct rn_groups *g, int64_t window_ns, const struct rn_value *key)
{
	uint64_t w[3] = {(uint64_t)window_ns}; /* hash of what came before; kind; value */

	for (unsigned i = 0; i < g->nkeys; i++) {
		w[1] = key[i].kind == RN_STR ? 2 : key[i].kind == RN_NULL;
		w[2] = key[i].kind == RN_STR    ? rn_hash_secret(&g->secret, key[i].s, key[i].len)
		       : key[i].kind == RN_NULL ? 0
						: number_word(&key[i]);
		w[0] = rn_hash_secret(&g->secret, w, sizeof(w));
	}
	return w[0];
}

static inline bool same_value(const struct rn_value *a, const struct rn_value *b)
{
	if (a->kind == b->kind) {
		if (a->kind == RN_STR)
			return a->len == b->len && (!a->len || !memcmp(a->s, b->s, a->len));
		if (a->kind == RN_INT || a->kind == RN_BOOL)
			return a->i == b->i;
	}
	return !rn_value_cmp(a, b);
}

static bool same_key(const struct rn_groups *g, const struct group *p, uint64_t hash,
		     int64_t window_ns, bool other, const struct rn_value *key)
{
	if (p->hash != hash || p->window_ns != window_ns || p->other != other)
		return false;
	for (unsigned i = 0; i < g->nkeys && !other; i++)
		if (!same_value(&p->key[i], &key[i]))
			return false;
	return true;
}

static void grow(struct rn_groups *groups)
{
	uint32_t cap = groups->cap * 2;
	struct group **slots = rn_calloc(cap, sizeof(struct group *));

	for (uint32_t i = 0; i < groups->cap; i++) {
		struct group *p = groups->slots[i];
		uint32_t at;

		if (!p)
			continue;
		at = (uint32_t)p->hash & (cap - 1);
		while (slots[at])
			at = (at + 1) & (cap - 1);
		slots[at] = p;
	}
	free(groups->slots);
	groups->slots = slots;
	groups->cap = cap;
}

static size_t text_of(const struct rn_groups *g, const struct rn_value *key)
{
	size_t text = 0;

	for (unsigned i = 0; i < g->nkeys; i++)
		text += key[i].kind == RN_STR ? key[i].len : 0;
	return text;
}

static struct group *group_new(struct rn_groups *groups, uint64_t hash, int64_t window_ns,
			       bool other, const struct rn_value *key)
{
	size_t states = groups->naggs * sizeof(struct rn_state),
	       keys = groups->nkeys * sizeof(struct rn_value),
	       text = other ? 0 : text_of(groups, key);

	struct group *p = rn_malloc(sizeof(*p) + states + keys + text);
	char *s;

	*p = (struct group){.hash = hash, .window_ns = window_ns, .other = other};
	p->key = (struct rn_value *)((char *)(p + 1) + states);
	s = (char *)p->key + keys;
	for (unsigned i = 0; i < groups->nkeys; i++) {
		p->key[i] = other ? rn_null() : key[i];
		if (p->key[i].kind != RN_STR)
			continue;
		if (key[i].len)
			memcpy(s, key[i].s, key[i].len);
		p->key[i].s = s;
		s += key[i].len;
	}
	for (unsigned i = 0; i < groups->naggs; i++)
		rn_state_init(&groups->aggs[i], &p->state[i]);
	return p;
}

/* Finds the group of a key, or makes it. A new key beyond the bound gets the window's (other). */
static struct group *lookup(struct rn_groups *groups, int64_t window_ns, bool other,
			    const struct rn_value *key)
{
	uint64_t hash = other ? ~((uint64_t)window_ns * 0x9E3779B97F4A7C15ULL)
			      : hash_key(groups, window_ns, key);
	uint32_t at;
	struct group *p;

	if (groups->last && same_key(groups, groups->last, hash, window_ns, other, key))
		return groups->last;
	at = (uint32_t)hash & (groups->cap - 1);
	for (; groups->slots[at]; at = (at + 1) & (groups->cap - 1), groups->steps++)
		if (same_key(groups, groups->slots[at], hash, window_ns, other, key))
			return groups->last = groups->slots[at];
	if (!other && (groups->count - groups->others >= groups->max_groups ||
		       groups->text + text_of(groups, key) > RN_GROUPS_TEXT))
		return lookup(groups, window_ns, true, NULL);
	p = group_new(groups, hash, window_ns, other, key);
	groups->slots[at] = p;
	groups->count++;
	groups->others += other;
	groups->text += other ? 0 : text_of(groups, key);
	if (groups->count > groups->cap / 2)
		grow(groups);
	return groups->last = p;
}

int rn_groups_update(struct rn_groups *groups, int64_t window_ns, const struct rn_value *key,
		     const struct rn_value *arg, int64_t time_ns)
{
	struct group *p = lookup(groups, window_ns, false, key);

	for (unsigned i = 0; i < groups->naggs; i++)
		groups->overflow +=
			!rn_state_update(&groups->aggs[i], &p->state[i], &arg[i], time_ns, false);
	p->events++;
	return p->other;
}

int64_t rn_groups_merge(struct rn_groups *groups, const struct rn_partials *parts)
{
	int64_t moved = 0;

	for (uint32_t n = 0; n < parts->n; n++) {
		const struct rn_partial *from = &parts->parts[n];
		struct group *p = lookup(groups, parts->window_ns, from->other, from->key);

		for (unsigned i = 0; i < groups->naggs; i++)
			rn_state_merge(&groups->aggs[i], &p->state[i], false, &from->state[i]);
		p->events = (int64_t)((uint64_t)p->events + (uint64_t)from->events);
		if (p->other && !from->other)
			moved = (int64_t)((uint64_t)moved + (uint64_t)from->events);
	}
	return moved;
}

static int by_order(const void *a, const void *b, void *self)
{
	const struct group *x = *(struct group *const *)a, *y = *(struct group *const *)b;
	const struct rn_groups *g = self;

	if (x->window_ns != y->window_ns)
		return x->window_ns < y->window_ns ? -1 : 1;
	if (x->other != y->other)
		return x->other - y->other;
	for (unsigned i = 0; i < g->nkeys; i++) {
		int cmp = rn_value_cmp(&x->key[i], &y->key[i]);

		if (cmp)
			return cmp;
	}
	return 0;
}

/* Takes the groups of windows before before_ns out of the table and frees them. */
static void drop_before(struct rn_groups *groups, int64_t before_ns)
{
	struct group **old = groups->slots;
	uint32_t cap = groups->cap;

	groups->slots = rn_calloc(groups->cap, sizeof(struct group *));
	groups->count = groups->others = 0;
	groups->text = 0;
	groups->last = NULL;
	for (uint32_t i = 0; i < cap; i++) {
		struct group *p = old[i];
		uint32_t at;

		if (!p)
			continue;
		if (p->window_ns < before_ns || before_ns == INT64_MAX) {
			group_free(groups, p);
			continue;
		}
		at = (uint32_t)p->hash & (groups->cap - 1);
		while (groups->slots[at])
			at = (at + 1) & (groups->cap - 1);
		groups->slots[at] = p;
		groups->count++;
		groups->others += p->other;
		groups->text += text_of(groups, p->key); /* the NULL keys of (other) have none */
	}
	free(old);
}

int rn_groups_visit(struct rn_groups *groups, int64_t before_ns, bool drop,
		    int (*visit)(void *self, const struct rn_partials *p), void *self)
{
	struct group **list = rn_malloc((groups->count + 1) * sizeof(struct group *));
	struct rn_partial *parts = rn_malloc((groups->count + 1) * sizeof(*parts));
	uint32_t n = 0;
	int err = 0;

	for (uint32_t i = 0; i < groups->cap; i++)
		if (groups->slots[i] &&
		    (groups->slots[i]->window_ns < before_ns || before_ns == INT64_MAX))
			list[n++] = groups->slots[i];
	qsort_r(list, n, sizeof(struct group *), by_order, groups);
	for (uint32_t i = 0; i < n; i++)
		parts[i] = (struct rn_partial){.key = list[i]->key,
					       .events = list[i]->events,
					       .state = list[i]->state,
					       .other = list[i]->other};
	for (uint32_t from = 0, to; from < n && err >= 0; from = to) {
		struct rn_partials p;

		for (to = from + 1; to < n && list[to]->window_ns == list[from]->window_ns;)
			to++;
		p = (struct rn_partials){
			.window_ns = list[from]->window_ns, .n = to - from, .parts = parts + from};
		err = visit(self, &p);
	}
	free(parts);
	free(list);
	if (drop && n)
		drop_before(groups, before_ns);
	return err < 0 ? err : 0;
}
