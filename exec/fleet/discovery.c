/* discovery.c - members that are reached through NATS: finds them, divides them among relays, and
 * takes back the nodes of a relay that dies.
 *
 * A line `*` of the hosts file is a member of its own: it stands for nodes that are not known. It
 * is chosen only if its servers cannot be reached, or nobody answers. Nodes found there become
 * members behind those of the file, and stay. They are divided among the relays that were found
 * with them, by rendezvous hashing (Thaler and Ravishankar, 1998): if a relay comes or goes, only
 * its own share moves. While its relay lives, such a node is not chosen itself (`relay_plus1`). */
#include <assert.h>
#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include "exec/fleet/fleet_impl.h"
#include "lang/base/memory.h"
#include "lang/base/clock.h"

enum { QUIET_MS = 600, QUIET_AGAIN_MS = 150, DOUBTS_BYTES = 480 };
#define GATHER_NS (2 * 1000000000LL) /* discovery is not repeated sooner */
#define ASK_NS (3 * 1000000000LL)

struct named {
	const char *name;
	unsigned i;
};

/* ---- who is there ---- */

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

static struct rn_member *named(struct rn_fleet *f, const char *name)
{
	struct named want = {.name = name}, **at = tfind(&want, &f->names, by_name);

	return at ? &f->members[(*at)->i] : NULL;
}

static void note_name(struct rn_fleet *f, const char *name, unsigned i)
{
	struct named *d = rn_malloc(sizeof(*d));

	*d = (struct named){.name = name, .i = i};
	if (*(struct named **)tsearch(d, &f->names, by_name) != d)
		free(d);
}

void rn_fleet_names_free(struct rn_fleet *fleet)
{
	tdestroy(fleet->names, free);
	free(fleet->grown);
}

/* Adds a member. Members move in memory: no pointer to one is valid in the next turn. */
static struct rn_member *add(struct rn_fleet *f, const struct rn_host_entry *h)
{
	if (f->n >= f->cap_members) {
		unsigned cap = 2 * f->n + 64;
		struct rn_member *more = rn_calloc(cap, sizeof(*more));

		memcpy(more, f->members, f->n * sizeof(*more));
		for (unsigned i = 0; i < f->n; i++)
			if (!more[i].query.staged)
				more[i].query.staged_last = &more[i].query.staged;
		free(f->grown);
		f->members = f->grown = more;
		f->cap_members = cap;
	}
	rn_member_init(f, &f->members[f->n], h);
	return &f->members[f->n++];
}

struct finding {
	struct rn_fleet *fleet;
	struct rn_net *net;
	unsigned line; /* the member that is `*` */
};

/* A member that comes while a query runs joins late. Before the start, it is like the others. */
static void joins(struct rn_fleet *f, struct rn_member *m)
{
	if (!f->frag || f->stopping || m->discovery.share ||
	    !rn_host_chosen(m->host->name, m->host->group, false, f->on))
		return;
	m->query.chosen = true;
	m->query.mark_ns = INT64_MIN;
	if (f->started) {
		m->query.part = RN_PART_FAILED;
		rn_err_set(&m->query.err, -EHOSTUNREACH,
			   "it was found only after the query had begun");
		return;
	}
	m->query.part = RN_PART_NONE;
	rn_member_connect(f, m);
	if (m->link.io)
		rn_member_hello(f, m);
}

static void found(void *self, const struct rn_nats_member *is)
{
	struct finding *x = self;
	struct rn_fleet *fleet = x->fleet;
	const char *key = is->kind == RN_NATS_RELAY
				  ? rn_arena_printf(fleet->arena, RN_RELAY_NAME "%s", is->name)
				  : is->name;
	struct rn_member *member = named(fleet, key);
	struct rn_host_entry *entry;
	bool new = false;

	if (!rn_host_is_name(is->name)) {
		x->net->unspeakable++;
		return;
	}
	if (member && !member->discovery.found)
		return; /* the hosts file says how it is reached */
	if (!member) {
		assert(fleet->members && fleet->members[x->line].host); /* the line `*` itself */
		entry = RN_NEW(fleet->arena, struct rn_host_entry);
		*entry = *fleet->members[x->line].host;
		entry->name = rn_arena_strdup(fleet->arena, key);
		member = add(fleet, entry);
		member->discovery.found = true;
		member->discovery.kind = is->kind;
		member->relay = is->kind != RN_NATS_AGENT;
		member->discovery.share = is->kind == RN_NATS_RELAY;
		note_name(fleet, entry->name, (unsigned)(member - fleet->members));
		new = true;
	}
	member->link.retry_ns = 0; /* the agent was started again */
	member->discovery.round = x->net->round;
	member->discovery.duplicate_of =
		is->duplicate ? rn_arena_printf(fleet->arena, "%s, and %s", is->host, is->duplicate)
			      : NULL;
	fleet->members[x->line].discovery.nodes_below++;
	if (new)
		joins(fleet, member);
}

/* Writes what is wrong with a line `*`, apart from the members that it found. False: nothing. */
static bool doubts(const struct rn_net *t, char *to, size_t cap)
{
	size_t n;

	rn_nats_doubts(t->nats, to, cap);
	n = strlen(to);
	if (t->unspeakable && n < cap)
		snprintf(to + n, cap - n,
			 "%s%u agents have names that no query can name: give them others with "
			 "--node",
			 n ? "; " : "", t->unspeakable);
	return *to;
}

static void nobody(struct rn_member *star, const struct rn_net *t)
{
	char more[DOUBTS_BYTES];
	bool any = doubts(t, more, sizeof(more));

	rn_err_set(&star->query.err, -EHOSTUNREACH, "no agent answers on NATS at %s%s%s",
		   rn_nats_servers(t->nats), any ? "; " : "", more);
	rn_err_hint(&star->query.err, "on the nodes: runnel agent --nats %s",
		    rn_nats_servers(t->nats));
}

static void gather_star(struct rn_fleet *fleet, unsigned i)
{
	struct rn_err err = {0};
	struct rn_net *net =
		rn_net_up(fleet, fleet->members[i].host->command, &fleet->members[i].query.err);
	struct finding x = {.fleet = fleet, .net = net, .line = i};

	if (!net || (net->gathered_ns && rn_mono_ns() - net->gathered_ns < GATHER_NS))
		return;
	net->round++;
	net->unspeakable = 0;
	fleet->members[i].discovery.nodes_below = 0;
	fleet->members[i].query.err = (struct rn_err){0};
	/* -EEXIST: `found` was called as well */
	rn_nats_discover(net->nats, net->round > 1 ? QUIET_AGAIN_MS : QUIET_MS, found, &x, &err);
	if (err.code && err.code != -EEXIST)
		fleet->members[i].query.err = err;
	else if (!fleet->members[i].discovery.nodes_below)
		nobody(&fleet->members[i], net);
	net->gathered_ns = net->asked_ns = rn_mono_ns();
}

void rn_fleet_gather(struct rn_fleet *fleet)
{
	unsigned n = fleet->n;

	if (!fleet->names)
		for (unsigned i = 0; i < n; i++)
			note_name(fleet, fleet->members[i].host->name, i);
	for (unsigned i = 0; i < n; i++)
		if (fleet->members[i].discovery.is_wildcard)
			gather_star(fleet, i);
}

void rn_fleet_news(struct rn_fleet *fleet)
{
	unsigned n = fleet->n;

	for (unsigned i = 0; fleet->nets && i < n; i++) {
		struct rn_net *net = fleet->members[i].discovery.is_wildcard
					     ? rn_net_of(fleet, fleet->members[i].host->command)
					     : NULL;
		struct finding x = {.fleet = fleet, .net = net, .line = i};
		struct rn_err err = {0};

		if (!net || !net->nats)
			continue;
		if (fleet->started && !fleet->stopping && rn_mono_ns() - net->asked_ns >= ASK_NS) {
			net->asked_ns = rn_mono_ns();
			rn_nats_ask(net->nats, &err);
		}
		rn_nats_heard(net->nats, found, &x, &err);
		if (fleet->members[i].discovery.nodes_below)
			fleet->members[i].query.chosen = false; /* some node is there now */
	}
}

/* Could a word of `on` mean a node that this line would have found? */
static bool star_meant(struct rn_fleet *f, const struct rn_member *star, const char *const *nodes)
{
	if (!nodes || !nodes[0] || rn_host_chosen("*", star->host->group, false, nodes))
		return true;
	for (; nodes && *nodes && strcmp(*nodes, "except"); nodes++) {
		bool known = strpbrk(*nodes, "*?[") == NULL && named(f, *nodes);

		for (unsigned i = 0; f->members && i < f->n && !known; i++)
			known = f->members[i].host->group &&
				!strcmp(f->members[i].host->group, *nodes);
		if (!known)
			return true;
	}
	return false;
}

void rn_fleet_doubts(struct rn_fleet *fleet, void (*each)(void *self, const struct rn_ledger *l),
		     void *self)
{
	char why[DOUBTS_BYTES];

	for (unsigned i = 0; i < fleet->n; i++) {
		struct rn_member *m = &fleet->members[i];
		struct rn_net *t = m->discovery.is_wildcard && !m->query.chosen
					   ? rn_net_of(fleet, m->host->command)
					   : NULL;

		if (t && t->nats && star_meant(fleet, m, fleet->on) && doubts(t, why, sizeof(why)))
			each(self, &(struct rn_ledger){.node = m->host->name, .why = why});
	}
}

/* ---- relays ---- */

static bool is_there(struct rn_fleet *f, const struct rn_member *m)
{
	return m->discovery.share && !m->discovery.duplicate_of &&
	       m->discovery.round == rn_net_of(f, m->host->command)->round;
}

static unsigned relay_for(struct rn_fleet *f, const struct rn_member *m, const unsigned *relays,
			  unsigned n)
{
	unsigned best = 0;
	XXH64_hash_t most = 0;

	for (unsigned k = 0; k < n; k++) {
		const struct rn_member *r = &f->members[relays[k]];
		XXH64_hash_t h = XXH64(m->host->name, strlen(m->host->name),
				       XXH64(r->host->name, strlen(r->host->name), 0));

		if (h < most || strcmp(r->host->command, m->host->command))
			continue;
		most = h;
		best = relays[k] + 1;
	}
	return best;
}

/* Lists the nodes of a relay, as the words of `on` for it. */
static void list_share(struct rn_fleet *f, unsigned relay)
{
	struct rn_member *r = &f->members[relay];
	const char **on;
	unsigned n = 0;

	for (unsigned i = 0; i < f->n; i++)
		n += f->members[i].discovery.relay_plus1 == relay + 1;
	r->query.chosen = n > 0;
	r->discovery.nodes_below = n;
	r->query.on = on = RN_NEWN(f->qa, const char *, n + 1);
	n = 0;
	for (unsigned i = 0; i < f->n; i++)
		if (f->members[i].discovery.relay_plus1 == relay + 1)
			on[n++] = f->members[i].host->name;
}

void rn_fleet_divide(struct rn_fleet *fleet)
{
	unsigned *relays = RN_NEWN(fleet->qa, unsigned, fleet->n + 1), n = 0;

	for (unsigned i = 0; i < fleet->n; i++) {
		struct rn_member *m = &fleet->members[i];

		m->discovery.relay_plus1 = 0;
		if (m->discovery.is_wildcard && m->query.err.code &&
		    star_meant(fleet, m, fleet->on)) {
			m->query.chosen = true;
			m->query.part = RN_PART_FAILED;
			m->link.retry_ns = INT64_MAX;
		}
		if (is_there(fleet, m))
			relays[n++] = i;
	}
	for (unsigned i = 0; i < fleet->n && n; i++) {
		struct rn_member *m = &fleet->members[i];

		if (!m->discovery.found || !m->query.chosen || m->discovery.duplicate_of ||
		    m->discovery.kind != RN_NATS_AGENT)
			continue;
		m->discovery.relay_plus1 = relay_for(fleet, m, relays, n);
		m->query.chosen = !m->discovery.relay_plus1;
	}
	for (unsigned k = 0; k < n; k++)
		list_share(fleet, relays[k]);
}

/* From now on we ask the node ourselves. */
static void ask_directly(struct rn_fleet *f, struct rn_member *m, const struct rn_member *r)
{
	m->discovery.relay_plus1 = 0;
	m->query.chosen = true;
	m->query.part = f->stopping ? RN_PART_FAILED : RN_PART_NONE;
	m->query.begin_ns = r->query.begin_ns;
	m->query.was_lost = r->query.was_lost;
	m->query.lost_until_ns = r->query.lost_until_ns;
	rn_err_set(&m->query.err, r->query.err.code ? r->query.err.code : -EPIPE, "its %s: %s",
		   r->host->name, r->query.err.text);
	if (f->stopping)
		return;
	if (m->link.state == RN_M_READY)
		rn_member_ask(f, m);
	else if (m->link.state == RN_M_DOWN)
		rn_member_connect(f, m);
	if (m->link.io && m->link.state == RN_M_GREETING && !m->link.seq)
		rn_member_hello(f, m);
}

void rn_fleet_take_back_nodes(struct rn_fleet *fleet)
{
	for (unsigned i = 0; i < fleet->n; i++) {
		struct rn_member *relay = &fleet->members[i];
		bool lost = relay->discovery.lost_its_nodes && relay->discovery.share &&
			    relay->query.chosen && fleet->frag;

		relay->discovery.lost_its_nodes = false;
		if (!lost)
			continue;
		relay->query.chosen = false;
		for (unsigned k = 0; k < fleet->n; k++)
			if (fleet->members[k].discovery.relay_plus1 == i + 1)
				ask_directly(fleet, &fleet->members[k], relay);
	}
}
