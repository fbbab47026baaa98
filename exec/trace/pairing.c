/* pairing.c - see pairing.h.
 *
 * Those that wait are in one array, found through a hash table of chains; the ones of a node form a
 * list in the order in which they began to wait. Places that are free again form a list too.
 * Numbers instead of pointers: the array grows. */
#include <stdlib.h>
#include <string.h>
#include "exec/trace/pairing.h"
#include "lang/base/hash.h"
#include "lang/base/memory.h"

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
	struct rn_pairing_counts counts;
};

struct rn_pairing *rn_pairing_create(unsigned nkeys, unsigned most)
{
	struct rn_pairing *p = rn_calloc(1, sizeof(*p));

	p->nkeys = nkeys;
	p->most = most;
	p->unused = NONE;
	rn_secret_make(&p->secret);
	return p;
}

void rn_pairing_destroy(struct rn_pairing *pairing)
{
	if (!pairing)
		return;
	for (int i = 0; i < pairing->nnodes; i++)
		free(pairing->node[i].name);
	free(pairing->node);
	free(pairing->place);
	free(pairing->key);
	free(pairing->bucket);
	free(pairing);
}

/* ---- nodes ---- */

static bool is_named(const struct node *n, const char *name, size_t len)
{
	return n->len == len && !memcmp(n->name, name, len);
}

int rn_pairing_node(struct rn_pairing *pairing, const char *name, size_t len)
{
	struct node *more;
	char *copy;

	if (pairing->nnodes && is_named(&pairing->node[pairing->last], name, len))
		return pairing->last;
	for (pairing->last = 0; pairing->last < pairing->nnodes; pairing->last++)
		if (is_named(&pairing->node[pairing->last], name, len))
			return pairing->last;
	pairing->last = 0;
	more = rn_realloc(pairing->node, ((size_t)pairing->nnodes + 1) * sizeof(*more));
	pairing->node = more;
	copy = rn_malloc(len + 1);
	memcpy(copy, name, len);
	more[pairing->nnodes] =
		(struct node){.name = copy, .len = len, .oldest = NONE, .newest = NONE};
	return pairing->last = pairing->nnodes++;
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
static void grow(struct rn_pairing *pairing)
{
	int old = pairing->nplaces, n = old ? 2 * old : FIRST_PLACES;
	struct place *place = rn_realloc(pairing->place, (size_t)n * sizeof(*place));
	int *bucket = rn_realloc(pairing->bucket, (size_t)n * sizeof(*bucket));

	pairing->place = place;
	pairing->key = rn_realloc(pairing->key, (size_t)n * pairing->nkeys * sizeof(*pairing->key));
	pairing->bucket = bucket;
	for (int i = 0; i < n; i++)
		bucket[i] = NONE;
	for (int i = n - 1; i >= old; i--) { /* there was no free one */
		place[i].chain = pairing->unused;
		pairing->unused = i;
	}
	pairing->nplaces = n;
	for (int i = 0; i < old; i++) {
		int *b = bucket_of(pairing, place[i].node, key_of(pairing, i));

		place[i].chain = *b;
		*b = i;
	}
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
	p->counts.open--;
}

static int take(struct rn_pairing *p, int node, const int64_t *key)
{
	int i, *b;

	if (p->unused == NONE)
		grow(p);
	i = p->unused;
	p->unused = p->place[i].chain;
	memcpy(key_of(p, i), key, p->nkeys * sizeof(*key));
	b = bucket_of(p, node, key);
	p->place[i].node = node;
	p->place[i].chain = *b;
	*b = i;
	p->counts.open++;
	return i;
}

/* ---- events ---- */

void rn_pairing_first(struct rn_pairing *pairing, int node, const int64_t *key,
		      const struct rn_pairing_first *first)
{
	int i = find(pairing, node, key);

	if (i != NONE) {
		leave_line(pairing, i);
		pairing->counts.reopened++;
	} else if (pairing->node[node].n == pairing->most) {
		give_back(pairing, pairing->node[node].oldest);
		pairing->counts.lost++;
	}
	if (i == NONE)
		i = take(pairing, node, key);
	pairing->place[i].first = *first;
	enter_line(pairing, i);
}

bool rn_pairing_second(struct rn_pairing *pairing, int node, const int64_t *key,
		       struct rn_pairing_first *first)
{
	int i = find(pairing, node, key);

	if (i == NONE)
		return false;
	*first = pairing->place[i].first;
	give_back(pairing, i);
	return true;
}

struct rn_pairing_counts rn_pairing_counts(const struct rn_pairing *pairing)
{
	return pairing->counts;
}
