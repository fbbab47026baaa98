/* chain.c - see chain.h. The programs read the routes while they change, one byte at a time. At
 * each moment a route leads through each program at most once, in the order of their places. So a
 * call reaches a query that comes or goes once or not at all, and the others once. */
#include "probes/live/chain.h"
#include <bpf/bpf.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "lang/base/clock.h"
#include "lang/base/memory.h"
#include "probes/live/live_impl.h"
#include "probes/live/parallel.h"

enum { AT_ENTRY, AT_RETURN, HEADS };
struct rn_chain {
	struct rn_chain *next;
	struct rn_maps maps;
	int head_fd[HEADS], link_fd[HEADS]; /* -1: none */
	struct place {
		bool taken, stale; /* stale: a call under way may still be in its last program */
		bool in, begins;
		bool wants[RN_ROUTES];
	} place[RN_CHAIN_PLACES];
};
struct rn_chains {
	pthread_mutex_t lock;
	struct rn_chain *first; /* a process with many queries has several */
	bool refused;
};

static void close_chain(struct rn_chain *c)
{
	for (int i = 0; i < HEADS; i++) {
		if (c->link_fd[i] >= 0)
			close(c->link_fd[i]);
		if (c->head_fd[i] >= 0)
			close(c->head_fd[i]);
	}
	rn_maps_close(&c->maps);
	free(c);
}

static int load_head(struct rn_chain *c, const struct rn_btf *btf, int head)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_TRACE_RAW_TP,
		    .attach_btf_id =
			    btf->trace[head == AT_ENTRY ? RN_HOOK_SYS_ENTER : RN_HOOK_SYS_EXIT]);
	struct rn_arena *a = rn_arena_create(16 << 20);
	struct rn_emit *e = rn_gen_chain_head(a, btf, rn_live_cpus(), head == AT_ENTRY, NULL);
	unsigned n = 0;
	struct bpf_insn *insn = e ? rn_emit_resolve(e, c->maps.fd, &n) : NULL;

	if (insn)
		c->head_fd[head] =
			bpf_prog_load(BPF_PROG_TYPE_TRACING,
				      head == AT_ENTRY ? "rn_chain_enter" : "rn_chain_exit",
				      "Dual MIT/GPL", insn, n, &opts);
	rn_arena_destroy(a);
	return c->head_fd[head] < 0 ? -1 : 0;
}

static struct rn_chain *open_chain(const struct rn_btf *btf)
{
	struct rn_chain *c = rn_calloc(1, sizeof(*c));
	struct rn_map_spec *spec = c->maps.spec;

	for (int i = 0; i < HEADS; i++)
		c->head_fd[i] = c->link_fd[i] = -1;
	rn_gen_chain_specs(spec, rn_live_cpus());
	spec[RN_MAP_CHAIN].used = spec[RN_MAP_ROUTES].used = true;
	spec[RN_MAP_START] = (struct rn_map_spec){
		BPF_MAP_TYPE_TASK_STORAGE, 4, sizeof(uint64_t), 0, BPF_F_NO_PREALLOC, true};
	if (rn_maps_create(&c->maps, NULL)) {
		free(c);
		return NULL;
	}
	for (unsigned r = 0; r < RN_ROUTES; r++)
		memset(c->maps.routes[r].next, RN_CHAIN_PLACES, RN_CHAIN_PLACES);
	if (load_head(c, btf, AT_ENTRY) || load_head(c, btf, AT_RETURN)) {
		close_chain(c);
		return NULL;
	}
	return c;
}

/* Find a place that no program can still be at. To wait for one makes all of them free. */
static bool find_place(struct rn_chain *c, unsigned *nr)
{
	bool any = false;

	for (int waited = 0; waited < 2; waited++) {
		for (unsigned i = 0; i < RN_CHAIN_PLACES; i++) {
			any |= !c->place[i].taken;
			if (!c->place[i].taken && !c->place[i].stale) {
				*nr = i;
				return true;
			}
		}
		if (!any)
			return false;
		rn_live_settle();
		for (unsigned i = 0; i < RN_CHAIN_PLACES; i++)
			c->place[i].stale &= c->place[i].taken;
	}
	return false;
}

bool rn_chain_take(struct rn_chains *chains, const struct rn_btf *btf, struct rn_chain_place *place)
{
	struct rn_chain *c;
	unsigned nr = 0;

	pthread_mutex_lock(&chains->lock);
	for (c = chains->first; c && !find_place(c, &nr);)
		c = c->next;
	if (!c && !chains->refused && (c = open_chain(btf))) {
		c->next = chains->first;
		chains->first = c;
	}
	chains->refused |= !c;
	if (c) {
		c->place[nr] = (struct place){.taken = true};
		*place = (struct rn_chain_place){chains, c, nr};
	}
	pthread_mutex_unlock(&chains->lock);
	return c != NULL;
}

void rn_chain_lend(const struct rn_chain_place *place, struct rn_maps *maps)
{
	static const enum rn_map lent[] = {RN_MAP_CHAIN, RN_MAP_ROUTES};

	for (unsigned i = 0; i < sizeof(lent) / sizeof(*lent); i++) {
		maps->lent |= 1ULL << lent[i];
		maps->fd[lent[i]] = place->chain->maps.fd[lent[i]];
	}
}

/* Write the routes as the places say. */
static void write_routes(struct rn_chain *c)
{
	uint64_t now = (uint64_t)rn_mono_ns();

	for (unsigned r = 0; r < RN_ROUTES; r++) {
		struct rn_route *route = &c->maps.routes[r];
		uint8_t next = RN_CHAIN_PLACES;
		bool begins = false;

		for (unsigned i = RN_CHAIN_PLACES; i-- > 0;) {
			if (c->place[i].in && c->place[i].wants[r]) {
				next = (uint8_t)i;
				begins |= c->place[i].begins;
			}
			__atomic_store_n(&route->next[i], next, __ATOMIC_RELEASE);
		}
		if (begins != (route->since_ns != 0))
			__atomic_store_n(&route->since_ns, begins ? now : 0, __ATOMIC_RELEASE);
	}
}

static void close_link(void *self, unsigned i)
{
	int *fd = self;

	if (fd[i] >= 0)
		close(fd[i]);
}

/* Attach what the places need, and detach what they do not. Detaching waits for the kernel, so both
 * heads do it at once. */
static int attach_heads(struct rn_chain *c, struct rn_err *err)
{
	bool needed[HEADS] = {false, false};
	int unneeded[HEADS] = {-1, -1}, r = 0;

	for (unsigned i = 0; i < RN_CHAIN_PLACES; i++) {
		needed[AT_RETURN] |= c->place[i].in;
		needed[AT_ENTRY] |= c->place[i].in && c->place[i].begins;
	}
	for (int i = 0; i < HEADS; i++) {
		if (!needed[i]) {
			unneeded[i] = c->link_fd[i];
			c->link_fd[i] = -1;
		} else if (c->link_fd[i] < 0) {
			c->link_fd[i] = bpf_raw_tracepoint_open(NULL, c->head_fd[i]);
			if (c->link_fd[i] < 0)
				r = rn_live_denied(err, -errno, "cannot attach a BPF program");
		}
	}
	rn_parallel_for(HEADS, close_link, unneeded);
	return r;
}

int rn_chain_enter(struct rn_chain_place *place, int prog_fd, const struct rn_gen_out *out,
		   struct rn_err *err)
{
	struct rn_chain *c = place->chain;
	struct place *p = &c->place[place->nr];
	uint32_t key = place->nr;
	int r = 0;

	pthread_mutex_lock(&place->chains->lock);
	if (bpf_map_update_elem(c->maps.fd[RN_MAP_CHAIN], &key, &prog_fd, BPF_ANY))
		r = rn_live_denied(err, -errno, "cannot link a BPF program to the others");
	if (!r) {
		for (unsigned nr = 0; nr < RN_SYS_FIRST_FREE; nr++)
			p->wants[nr] = out->calls[nr];
		p->wants[RN_ROUTE_COMPAT] = true; /* they are counted */
		p->wants[RN_ROUTE_OTHER] = out->all_calls;
		p->begins = out->chain_begins;
		p->in = true;
		write_routes(c);
		r = attach_heads(c, err);
	}
	pthread_mutex_unlock(&place->chains->lock);
	return r;
}

static void leave(struct rn_chain *c, struct place *p)
{
	if (!p->in)
		return;
	p->in = false;
	p->stale = true;
	write_routes(c);
	attach_heads(c, NULL);
}

void rn_chain_leave(struct rn_chain_place *place)
{
	if (!place->chains)
		return;
	pthread_mutex_lock(&place->chains->lock);
	leave(place->chain, &place->chain->place[place->nr]);
	pthread_mutex_unlock(&place->chains->lock);
}

void rn_chain_give(struct rn_chain_place *place)
{
	uint32_t key = place->nr;
	struct place *p;

	if (!place->chains)
		return;
	p = &place->chain->place[place->nr];
	pthread_mutex_lock(&place->chains->lock);
	leave(place->chain, p);
	bpf_map_delete_elem(place->chain->maps.fd[RN_MAP_CHAIN], &key);
	p->taken = false;
	pthread_mutex_unlock(&place->chains->lock);
	*place = (struct rn_chain_place){0};
}

struct rn_chains *rn_chains_create(void)
{
	struct rn_chains *s = rn_calloc(1, sizeof(*s));

	pthread_mutex_init(&s->lock, NULL);
	return s;
}

void rn_chains_destroy(struct rn_chains *chains)
{
	struct rn_chain *next;

	for (struct rn_chain *c = chains->first; c; c = next) {
		next = c->next;
		close_chain(c);
	}
	pthread_mutex_destroy(&chains->lock);
	free(chains);
}
