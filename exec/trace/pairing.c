/* pairing.c - see pairing.h.
 *
 * Those that wait are in one array, found through a hash table of chains; the ones of a node form a
 * list in the order in which they began to wait. Places that are free again form a list too.
 * Numbers instead of pointers: the array grows. */
#include <stdlib.h>
#include <string.h>
#include "exec/trace/pairing.h"
#include "lang/base/hash.h"

enum { NONE = -1, FIRST_PLACES = 256 };

struct place {
	struct rn_pairing_first first;
	int node, chain /* also of free places */, older, newer;
};
struct node {
	char *name;
	size_t len;
	int oldest, newest;
	unsigned n;
};

struct rn_pairing {
	unsigned nkeys, most;
	struct place *place;
	int64_t *key;        /* nkeys for each place */
	int *bucket;         /* as many as there are places: a power of two */
	int nplaces, unused; /* unused: the first free place; NONE */
	struct node *node;
	int nnodes, last;        /* last: the node that was asked for last */
	struct rn_secret secret; /* of the hash */
	struct rn_pairing_counts c;
};

struct rn_pairing *rn_pairing_create(unsigned nkeys, unsigned most)
{
	struct rn_pairing *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->nkeys = nkeys;
	p->most = most;
	p->unused = NONE;
	rn_secret_make(&p->secret);
	return p;
}

void rn_pairing_destroy(struct rn_pairing *p)
{
	if (!p)
		return;
	for (int i = 0; i < p->nnodes; i++)
		free(p->node[i].name);
	free(p->node);
	free(p->place);
	free(p->key);
	free(p->bucket);
	free(p);
}

/* ---- nodes ---- */

static bool is_named(const struct node *n, const char *name, size_t len)
{
	return n->len == len && !memcmp(n->name, name, len);
}

int rn_pairing_node(struct rn_pairing *p, const char *name, size_t len)
{
	struct node *more;
	char *copy;

	if (p->nnodes && is_named(&p->node[p->last], name, len))
		return p->last;
	for (p->last = 0; p->last < p->nnodes; p->last++)
		if (is_named(&p->node[p->last], name, len))
			return p->last;
	p->last = 0;
	more = realloc(p->node, ((size_t)p->nnodes + 1) * sizeof(*more));
	if (!more)
		return NONE;
	p->node = more;
	copy = malloc(len + 1);
	if (!copy)
		return NONE;
	memcpy(copy, name, len);
	more[p->nnodes] = (struct node){.name = copy, .len = len, .oldest = NONE, .newest = NONE};
	return p->last = p->nnodes++;
}

/* ---- places ---- */

static int64_t *key_of(const struct rn_pairing *p, int i)
{
	return p->key + (size_t)i * p->nkeys;
}

static int *bucket_of(const struct rn_pairing *p, int node, const int64_t *key)
{
	uint64_t w[2] = {rn_hash_secret(&p->secret, key, p->nkeys * sizeof(*key)), (uint64_t)node};

	return &p->bucket[rn_hash_secret(&p->secret, w, sizeof(w)) & (uint64_t)(p->nplaces - 1)];
}

/* Doubles the places. What waits is chained again. */
static bool grow(struct rn_pairing *p)
{
	int old = p->nplaces, n = old ? 2 * old : FIRST_PLACES;
	struct place *place = realloc(p->place, (size_t)n * sizeof(*place));
	int64_t *key = place ? realloc(p->key, (size_t)n * p->nkeys * sizeof(*key)) : NULL;
	int *bucket = key ? realloc(p->bucket, (size_t)n * sizeof(*bucket)) : NULL;

	p->place = place ? place : p->place;
	p->key = key ? key : p->key;
	if (!bucket)
		return false;
	p->bucket = bucket;
	for (int i = 0; i < n; i++)
		bucket[i] = NONE;
	for (int i = n - 1; i >= old; i--) { /* there was no free one */
		place[i].chain = p->unused;
		p->unused = i;
	}
	p->nplaces = n;
	for (int i = 0; i < old; i++) {
		int *b = bucket_of(p, place[i].node, key_of(p, i));

		place[i].chain = *b;
		*b = i;
	}
	return true;
}

static int find(const struct rn_pairing *p, int node, const int64_t *key)
{
	int i = p->nplaces ? *bucket_of(p, node, key) : NONE;

	while (i != NONE &&
	       (p->place[i].node != node || memcmp(key_of(p, i), key, p->nkeys * sizeof(*key))))
		i = p->place[i].chain;
	return i;
}

static void leave_line(struct rn_pairing *p, int i)
{
	struct place *x = &p->place[i];
	struct node *n = &p->node[x->node];

	*(x->older == NONE ? &n->oldest : &p->place[x->older].newer) = x->newer;
	*(x->newer == NONE ? &n->newest : &p->place[x->newer].older) = x->older;
	n->n--;
}

static void enter_line(struct rn_pairing *p, int i)
{
	struct place *x = &p->place[i];
	struct node *n = &p->node[x->node];

	x->newer = NONE;
	x->older = n->newest;
	*(n->newest == NONE ? &n->oldest : &p->place[n->newest].newer) = i;
	n->newest = i;
	n->n++;
}

static void give_back(struct rn_pairing *p, int i)
{
	int *at = bucket_of(p, p->place[i].node, key_of(p, i));

	leave_line(p, i);
	while (*at != i)
		at = &p->place[*at].chain;
	*at = p->place[i].chain;
	p->place[i].chain = p->unused;
	p->unused = i;
	p->c.open--;
}

static int take(struct rn_pairing *p, int node, const int64_t *key)
{
	int i, *b;

	if (p->unused == NONE && !grow(p))
		return NONE;
	i = p->unused;
	p->unused = p->place[i].chain;
	memcpy(key_of(p, i), key, p->nkeys * sizeof(*key));
	b = bucket_of(p, node, key);
	p->place[i].node = node;
	p->place[i].chain = *b;
	*b = i;
	p->c.open++;
	return i;
}

/* ---- events ---- */

bool rn_pairing_first(struct rn_pairing *p, int node, const int64_t *key,
		      const struct rn_pairing_first *first)
{
	int i = find(p, node, key);

	if (i != NONE) {
		leave_line(p, i);
		p->c.reopened++;
	} else if (p->node[node].n == p->most) {
		give_back(p, p->node[node].oldest);
		p->c.lost++;
	}
	if (i == NONE)
		i = take(p, node, key);
	if (i == NONE)
		return false;
	p->place[i].first = *first;
	enter_line(p, i);
	return true;
}

bool rn_pairing_second(struct rn_pairing *p, int node, const int64_t *key,
		       struct rn_pairing_first *first)
{
	int i = find(p, node, key);

	if (i == NONE)
		return false;
	*first = p->place[i].first;
	give_back(p, i);
	return true;
}

struct rn_pairing_counts rn_pairing_counts(const struct rn_pairing *p)
{
	return p->c;
}
