/* search.c - see search.h. The place of a query says who takes a hit after whom: the slot of the
 * program array that belongs to a place has the program of the next query (RN_TAIL_NEXT). To take a
 * query out, its predecessor gets its successor. Its own slot stays as it is, for hits under
 * way: so each of the others gets each hit once. */
#include "probes/live/search.h"
#include <bpf/bpf.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "lang/base/memory.h"
#include "probes/live/live_impl.h"
#include "probes/probes.h"

enum { OWNER }; /* the place of the query whose programs search */
struct rn_search {
	struct rn_search *next;
	struct rn_searches *all;
	char *key;
	struct place {
		struct rn_live *live; /* NULL: the place is free */
		bool in;              /* it takes hits */
		int prog_fd;
		unsigned next; /* whose program its slot names; OWNER: none */
	} place[RN_SEARCH_PLACES];
	bool kept; /* the owner is closed: it is freed with the search */
};
struct rn_searches {
	pthread_mutex_t lock;
	struct rn_search *first;
};

struct rn_searches *rn_searches_create(void)
{
	struct rn_searches *all = rn_calloc(1, sizeof(*all));

	pthread_mutex_init(&all->lock, NULL);
	return all;
}

void rn_searches_destroy(struct rn_searches *all)
{
	if (!all)
		return;
	pthread_mutex_destroy(&all->lock);
	free(all);
}

static struct rn_live *owner_of(const struct rn_search *s)
{
	return s->place[OWNER].live;
}

static bool is_shared(const struct rn_search *s)
{
	for (unsigned i = OWNER + 1; i < RN_SEARCH_PLACES; i++)
		if (s->place[i].live)
			return true;
	return false;
}

/* A scope as a text. */
static const char *scope_key(struct rn_arena *a, const struct rn_gen_opts *o,
			     const struct rn_scope *who)
{
	const char *key = rn_arena_printf(a, "%d %llu %llu %d %d", o->self_pid,
					  (unsigned long long)o->netns_ino,
					  (unsigned long long)o->cgroup, who->tree, who->follow);

	for (unsigned i = 0; i < who->npids; i++)
		key = rn_arena_printf(a, "%s +%d", key, who->pids[i]);
	for (unsigned i = 0; i < who->naskers; i++)
		key = rn_arena_printf(a, "%s -%d", key, who->askers[i]);
	return key;
}

bool rn_search_join(struct rn_searches *all, const struct rn_gen_opts *opts, struct rn_live *live)
{
	static const struct rn_scope everybody;
	const struct rn_scope *scope = live->scope ? live->scope : &everybody;
	const char *key = rn_arena_printf(live->arena, "%s %s", scope_key(live->arena, opts, scope),
					  rn_gen_search_key(live->arena, live->fragment));

	live->search_key = key;
	pthread_mutex_lock(&all->lock);
	for (struct rn_search *s = all->first; s && !live->search; s = s->next)
		for (unsigned i = OWNER + 1; i < RN_SEARCH_PLACES && !live->search; i++)
			if (!s->place[i].live && !strcmp(s->key, key)) {
				s->place[i] = (struct place){.live = live};
				live->search = s;
				live->search_place = i;
			}
	pthread_mutex_unlock(&all->lock);
	return live->search != NULL;
}

void rn_search_lend(const struct rn_live *live, struct rn_maps *maps)
{
	const struct rn_live *owner = owner_of(live->search);

	maps->lent |= 1ULL << RN_MAP_SEARCHED | 1ULL << RN_MAP_TAILS;
	maps->fd[RN_MAP_SEARCHED] = owner->maps.fd[RN_MAP_SCRATCH];
	maps->fd[RN_MAP_TAILS] = owner->maps.fd[RN_MAP_TAILS];
}

const struct rn_live *rn_search_owner(const struct rn_live *live)
{
	return live->search && live->search_place != OWNER ? owner_of(live->search) : NULL;
}

void rn_search_offer(struct rn_searches *all, struct rn_live *live)
{
	struct rn_search *s = rn_calloc(1, sizeof(*s));

	s->all = all;
	s->key = rn_strdup(live->search_key);
	s->place[OWNER] = (struct place){.live = live, .in = true};
	live->search = s;
	live->search_place = OWNER;
	pthread_mutex_lock(&all->lock);
	s->next = all->first;
	all->first = s;
	pthread_mutex_unlock(&all->lock);
}

static void set_next(const struct rn_live *live, bool any)
{
	__atomic_store_n(&live->maps.globals->next, any, __ATOMIC_SEQ_CST);
}

/* Make the slots of the places before `end` name the next program. The last ones come first: a hit
 * that finds a new program finds a way on from there. */
static int write_slots(struct rn_search *s, unsigned end)
{
	int fd = owner_of(s)->maps.fd[RN_MAP_TAILS], r = 0;

	for (unsigned i = end; i-- > 0;) {
		uint32_t slot = RN_TAIL_NEXT + i;
		unsigned next = i + 1;

		if (!s->place[i].in)
			continue;
		while (next < RN_SEARCH_PLACES && !s->place[next].in)
			next++;
		if (next == RN_SEARCH_PLACES) {
			/* the slot stays, for a hit that is about to go there */
			set_next(s->place[i].live, false);
			continue;
		}
		if (bpf_map_update_elem(fd, &slot, &s->place[next].prog_fd, BPF_ANY))
			r = -errno;
		s->place[i].next = next;
		set_next(s->place[i].live, true);
	}
	return r;
}

/* With the lock, when no hit is under way to this place or from it: its slot, and those that still
 * name its program, hold nothing any more. */
static void clear_slots(struct rn_search *s, unsigned place)
{
	int fd = owner_of(s)->maps.fd[RN_MAP_TAILS];

	for (unsigned i = 0; i < RN_SEARCH_PLACES; i++) {
		uint32_t slot = RN_TAIL_NEXT + i;

		if (i != place && s->place[i].next != place)
			continue;
		bpf_map_delete_elem(fd, &slot);
		s->place[i].next = OWNER;
	}
}

int rn_search_enter(struct rn_live *live, int prog_fd, struct rn_err *err)
{
	struct rn_search *s = live->search;
	struct place *p = &s->place[live->search_place];
	int r;

	pthread_mutex_lock(&s->all->lock);
	rn_intrinsics_joined(owner_of(s)->intrinsics);
	rn_live_counts(owner_of(s), false, &live->shared_begin);
	p->prog_fd = prog_fd;
	p->in = true;
	r = write_slots(s, RN_SEARCH_PLACES);
	if (r)
		p->in = false;
	pthread_mutex_unlock(&s->all->lock);
	return r ? rn_live_denied(err, r,
				  "cannot link a BPF program to the search of another query")
		 : 0;
}

void rn_search_look(const struct rn_live *live)
{
	const struct rn_live *owner = rn_search_owner(live);

	if (owner)
		rn_live_look(owner);
}

bool rn_search_leave(struct rn_live *live)
{
	struct rn_search *s = live->search;
	struct place *p = s ? &s->place[live->search_place] : NULL;
	bool stays;

	if (!s)
		return false;
	pthread_mutex_lock(&s->all->lock);
	stays = live->search_place == OWNER && is_shared(s);
	if (live->search_place != OWNER && p->in) {
		p->in = false;
		write_slots(s, live->search_place);
	}
	if (!live->left && (stays || live->search_place != OWNER)) {
		live->left = true;
		rn_live_counts(owner_of(s), true, &live->shared_end);
	}
	pthread_mutex_unlock(&s->all->lock);
	return stays;
}

/* With the lock: nobody can join any more. */
static void take_out(struct rn_search *s)
{
	struct rn_search **at = &s->all->first;

	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
}

static void free_search(struct rn_search *s)
{
	free(s->key);
	free(s);
}

bool rn_search_keeps(struct rn_live *live)
{
	struct rn_search *s = live->search;

	if (!s || live->search_place != OWNER)
		return false;
	pthread_mutex_lock(&s->all->lock);
	s->kept = is_shared(s);
	if (!s->kept)
		take_out(s);
	pthread_mutex_unlock(&s->all->lock);
	if (s->kept)
		return true;
	live->search = NULL;
	free_search(s);
	return false;
}

void rn_search_give(struct rn_live *live)
{
	struct rn_search *s = live->search;
	struct rn_live *owner = NULL;
	bool last;

	if (!s || live->search_place == OWNER)
		return;
	rn_search_leave(live);
	rn_live_settle(); /* then the slot is not read any more, and the place can be taken */
	pthread_mutex_lock(&s->all->lock);
	clear_slots(s, live->search_place);
	s->place[live->search_place] = (struct place){0};
	last = s->kept && !is_shared(s);
	if (last) {
		take_out(s);
		owner = owner_of(s);
	}
	pthread_mutex_unlock(&s->all->lock);
	live->search = NULL;
	if (!last)
		return;
	owner->search = NULL;
	free_search(s);
	rn_live_detach(owner, true);
	rn_live_free(owner);
}

/* ---- what the queries of one process share: see chain.h, too ---- */

struct rn_shared *rn_shared_create(void)
{
	struct rn_shared *s = rn_calloc(1, sizeof(*s));

	s->chains = rn_chains_create();
	s->searches = rn_searches_create();
	return s;
}

void rn_shared_destroy(struct rn_shared *shared)
{
	if (!shared)
		return;
	rn_chains_destroy(shared->chains);
	rn_searches_destroy(shared->searches);
	free(shared);
}
