/* sim_flow_world.c - makes the nodes, their processes, and the channels between them. See
 * sim_flow_impl.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/support/sim_flow_impl.h"

enum { SECOND = 1000000000, PPM = 1000 /* in parts of a billion */ };

/* ---- random numbers ---- */

uint64_t sim_next(uint64_t *state) /* splitmix64 */
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

unsigned sim_below(uint64_t *state, unsigned n)
{
	return (unsigned)((sim_next(state) >> 32) * n >> 32);
}

bool sim_odds(uint64_t *state, unsigned percent)
{
	return sim_below(state, 100) < percent;
}

/* ---- nodes ---- */

int64_t sim_flow_clock(const struct sim_flow *flow, unsigned node, int64_t true_ns)
{
	const struct sim_node *n = &flow->node[node];

	return n->offset_ns + true_ns + true_ns / 1000 * n->rate_ppb / 1000000;
}

static void make_nodes(struct sim_world *w)
{
	struct sim_flow *f = w->flow;

	f->nnodes = 2 + sim_below(&w->random, SIM_NODES - 1);
	for (unsigned i = 0; i < f->nnodes; i++) {
		struct sim_node *n = &f->node[i];

		snprintf(n->name, sizeof(n->name), "n%u", i + 1);
		n->offset_ns =
			100ll * SECOND + 1000ll * sim_below(&w->random, 4000000) - 2ll * SECOND;
		n->rate_ppb = (int64_t)sim_below(&w->random, 100 * PPM) - 50 * PPM;
	}
	f->ntags = 1 + sim_below(&w->random, SIM_TAGS);
	w->unused = f->kind.busy ? SIM_REUSED : f->ntags;
	for (unsigned t = 0; t < f->ntags; t++) {
		unsigned n = 4 + sim_below(&w->random, SIM_TAG_BYTES - 3);

		f->tag[t][0] = (char)('A' + t); /* no tag is part of another one */
		for (unsigned i = 1; i < n; i++)
			f->tag[t][i] = (char)('0' + sim_below(&w->random, 10));
	}
}

/* ---- channels ---- */

static void set_address(char *to, unsigned node, unsigned port, bool loopback)
{
	if (loopback)
		snprintf(to, 32, "127.0.0.1:%u", port);
	else
		snprintf(to, 32, "10.0.0.%u:%u", node + 1, port);
}

/* Each side knows both ends. An address may be rewritten on the way, or not be known. */
static void make_addresses(struct sim_world *w, struct sim_channel *c)
{
	unsigned number = w->nchannels, from = 20000 + number, to = 80 + number % 5;
	bool loopback = c->put.node == c->got.node;

	set_address(c->put.local, c->put.node, from, loopback);
	set_address(c->put.peer, c->got.node, to, loopback);
	memcpy(c->got.local, c->put.peer, sizeof(c->got.local));
	memcpy(c->got.peer, c->put.local, sizeof(c->got.peer));
	if (c->way == SIM_UDP && sim_odds(&w->random, 30))
		snprintf(c->got.local, sizeof(c->got.local), "0.0.0.0:%u", to);
	if (c->way == SIM_TCP && !loopback && sim_odds(&w->random, 20))
		snprintf(c->got.peer, sizeof(c->got.peer), "192.168.0.1:%u", from);
}

static void make_object(struct sim_world *w, struct sim_channel *c)
{
	unsigned number = w->nchannels;
	int64_t ino = 1000 + 2 * number;

	c->put.ino = ino;
	c->got.ino = ino;
	if (c->way == SIM_FILE) {
		snprintf(c->put.file, sizeof(c->put.file), "/data/%u", number);
		c->put.dev = c->got.dev = 8 << 20 | 1;
	} else if (c->way == SIM_PIPE) {
		snprintf(c->put.file, sizeof(c->put.file), "pipe:[%lld]", (long long)ino);
	} else {
		c->got.ino = ino + 1;
		snprintf(c->put.file, sizeof(c->put.file), "socket:[%lld]", (long long)ino);
	}
	memcpy(c->got.file, c->put.file, sizeof(c->got.file));
	if (c->got.ino != ino)
		snprintf(c->got.file, sizeof(c->got.file), "socket:[%lld]", (long long)ino + 1);
}

static unsigned make_channel(struct sim_world *w, unsigned from, unsigned to)
{
	struct sim_channel *c = &w->channel[w->nchannels];
	bool local = w->process[from].node == w->process[to].node;

	*c = (struct sim_channel){.from = from, .to = to};
	c->put.node = w->process[from].node;
	c->got.node = w->process[to].node;
	/* the two of a network, or any */
	c->way = (enum sim_way)(local ? sim_below(&w->random, SIM_WAYS)
				      : (sim_odds(&w->random, 20) ? SIM_UDP : SIM_TCP));
	c->shared = c->way == SIM_PIPE && sim_odds(&w->random, 50);
	c->rewrites = c->way == SIM_FILE && sim_odds(&w->random, 40);
	make_object(w, c);
	if (c->way == SIM_TCP || c->way == SIM_UDP)
		make_addresses(w, c);
	if (c->way == SIM_UNIX) { /* one side may not know the other: not accepted yet, or closed */
		unsigned unknown = sim_below(&w->random, 8);

		c->put.peer_ino = unknown == 0 ? 0 : c->got.ino;
		c->got.peer_ino = unknown == 1 ? 0 : c->put.ino;
	}
	c->put.seq = (uint32_t)sim_next(&w->random);
	if (!w->nchannels)
		c->put.seq = 0u - 1 - sim_below(&w->random, 500); /* soon begins at 0 again */
	c->got.seq = c->put.seq;
	w->flow->datagrams |= c->way == SIM_UDP && !local;
	return w->nchannels++;
}

static void connect(struct sim_process *from, struct sim_process *to, unsigned channel)
{
	if (from->noutputs < SIM_OUTPUTS && to->ninputs < SIM_INPUTS) {
		from->output[from->noutputs++] = channel;
		to->input[to->ninputs++] = channel;
	}
}

/* Later processes are behind earlier ones, unless the flow may have circles. */
static void connect_process(struct sim_world *w, unsigned i, bool circles)
{
	struct sim_process *p = &w->process[i];
	unsigned n = 1 + (sim_odds(&w->random, 40) ? 1 : 0) + (sim_odds(&w->random, 15) ? 1 : 0);

	for (unsigned k = 0; k < n; k++) {
		unsigned to = circles ? sim_below(&w->random, w->nprocesses)
				      : i + 1 + sim_below(&w->random, 5);
		struct sim_process *q = &w->process[to];

		if (to == i || to >= w->nprocesses || w->nchannels == SIM_CHANNELS)
			continue;
		connect(p, q, make_channel(w, i, to));
	}
}

/* A pipe that others of the node write to, or read from, as well. */
static void share_pipe(struct sim_world *w, unsigned channel, bool circles)
{
	const struct sim_channel *c = &w->channel[channel];

	for (unsigned i = 0; i < w->nprocesses; i++) {
		struct sim_process *p = &w->process[i];

		if (p->node != c->put.node || sim_odds(&w->random, 60))
			continue;
		if ((circles || i < c->to) && sim_odds(&w->random, 50)) {
			if (p->noutputs < SIM_OUTPUTS)
				p->output[p->noutputs++] = channel;
		} else if ((circles || i > c->from) && p->ninputs < SIM_INPUTS) {
			p->input[p->ninputs++] = channel;
		}
	}
}

/* ---- processes ---- */

static void make_process(struct sim_world *w, unsigned node)
{
	struct sim_process *p = &w->process[w->nprocesses];
	bool calm = !w->flow->kind.busy;

	p->node = node;
	p->pid = 100 + (int)w->nprocesses;
	p->manner = (enum sim_manner)sim_below(&w->random, SIM_MANNERS);
	for (unsigned i = 0; i < sizeof(p->header) - 1; i++)
		p->header[i] = (char)('a' + sim_below(&w->random, 26));
	p->swallows = sim_odds(&w->random, 30) ? 20 : 0;
	p->retries = sim_odds(&w->random, calm ? 5 : 30) ? 25 : 0;
	p->fans = sim_below(&w->random, calm ? 30 : 60);
	p->joins = sim_odds(&w->random, 30) ? 40 : 0;
	p->copies = sim_odds(&w->random, 30);
	p->forks = sim_odds(&w->random, 15);
	w->nprocesses++;
}

static void make_threads(struct sim_world *w, unsigned process)
{
	/* one that makes messages itself puts them out before it takes others in */
	bool several = w->flow->kind.concurrent && !w->process[process].begins;
	unsigned n = several ? 1 + sim_below(&w->random, 4) : 1;
	int tid = w->process[process].pid * 10;

	for (unsigned i = 0; i < n && w->nthreads < SIM_THREADS; i++) {
		struct sim_thread *t = &w->thread[w->nthreads++];

		t->process = process;
		t->tid[0] = tid + (int)i;
		t->tid[1] = sim_odds(&w->random, 20) ? tid + 9 : t->tid[0]; /* hands it over */
		t->begin_ns = t->next_ns = 1000 + sim_below(&w->random, SECOND / 10);
	}
}

void sim_world_make(struct sim_world *world)
{
	bool circles;

	make_nodes(world);
	world->straddles = sim_odds(&world->random, 50) ? 25 : 5;
	world->lost = 10;
	world->drops = world->flow->kind.drops ? 5 + sim_below(&world->random, 15) : 0;
	for (unsigned i = 0; i < world->flow->nnodes; i++)
		for (unsigned n = 1 + sim_below(&world->random, 3); n; n--)
			make_process(world, i);
	/* which process is behind which has nothing to do with its node */
	for (unsigned i = world->nprocesses; i > 1; i--) {
		unsigned k = sim_below(&world->random, i);
		struct sim_process p = world->process[k];

		world->process[k] = world->process[i - 1];
		world->process[i - 1] = p;
	}
	circles = world->flow->kind.busy && sim_odds(&world->random, 40);
	for (unsigned i = 0; i < world->nprocesses; i++)
		connect_process(world, i, circles);
	for (unsigned c = 0; c < world->nchannels; c++)
		if (world->channel[c].shared)
			share_pipe(world, c, circles);
	for (unsigned i = 0; i < world->nprocesses; i++) {
		if (i < 2 || sim_odds(&world->random, 10))
			world->process[i].begins = 1 + sim_below(&world->random, 4);
		make_threads(world, i);
	}
}

void sim_world_free(struct sim_world *world)
{
	for (unsigned i = 0; i < world->nchannels; i++) {
		struct sim_channel *c = &world->channel[i];

		for (unsigned k = 0; k < c->n; k++)
			sim_data_free(&c->item[k].data);
		free(c->item);
		sim_data_free(&c->content);
		sim_data_free(&c->put.tail.data);
		sim_data_free(&c->got.tail.data);
	}
	for (unsigned i = 0; i < world->nprocesses; i++)
		sim_data_free(&world->process[i].held);
	for (unsigned i = 0; i < world->nthreads; i++) {
		for (unsigned k = 0; k < world->thread[i].nops; k++)
			sim_data_free(&world->thread[i].op[k].data);
		sim_data_free(&world->thread[i].message);
	}
}
