/* sim_flow_channels.c - moves data into channels and out of them, and notes each call as a hop. See
 * sim_flow_impl.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lang/base/memory.h"
#include "lang/base/vec.h"
#include "tests/support/sim_flow_impl.h"

static bool is_stream(const struct sim_channel *c)
{
	return c->way == SIM_TCP || c->way == SIM_PIPE || c->way == SIM_UNIX;
}

/* ---- hops ---- */

static const char *proto_of(enum sim_way way)
{
	static const char *const of[SIM_WAYS] = {[SIM_TCP] = "tcp",
						 [SIM_UDP] = "udp",
						 [SIM_PIPE] = "",
						 [SIM_UNIX] = "unix",
						 [SIM_UNIX_DATAGRAM] = "unix",
						 [SIM_FILE] = ""};

	return of[way];
}

static const char *name_of(struct sim_world *w, const struct sim_channel *c, bool out)
{
	static const char *const put[] = {"write", "writev", "sendto", "sendmsg"},
				 *const get[] = {"read", "readv", "recvfrom", "recvmsg"};
	bool socket = *proto_of(c->way);

	return (out ? put : get)[sim_below(&w->random, socket ? 4 : 2)];
}

/* The call's object, as that side of the channel sees it. */
static void describe(struct sim_hop *h, const struct sim_channel *c, const struct sim_end *e)
{
	h->proto = proto_of(c->way);
	h->channel = c->way != SIM_FILE;
	memcpy(h->file, e->file, sizeof(h->file));
	memcpy(h->local, e->local, sizeof(h->local));
	memcpy(h->peer, e->peer, sizeof(h->peer));
	h->dev = e->dev;
	h->ino = e->ino;
	h->peer_ino = e->peer_ino;
	h->offset = c->way == SIM_TCP || c->way == SIM_FILE ? e->offset : -1;
	h->seq = c->way == SIM_TCP ? e->seq : 0;
}

/* Notes a call that takes place now. Returns its hop, or SIM_OWN if no tag ends in it. */
static int note(struct sim_world *w, const struct sim_thread *t, struct sim_hop *h,
		const struct sim_data *data, const struct sim_tail *tail, int64_t end_ns)
{
	struct sim_flow *f = w->flow;
	struct sim_process *p = &w->process[t->process];

	if (!sim_hop_search(f, h, data, tail))
		return SIM_OWN;
	for (unsigned i = 0; i < h->nfound; i++) {
		p->taken |= h->in ? 1u << h->found[i].tag : 0;
		p->made |= h->out && h->found[i].cause[0] == SIM_OWN ? 1u << h->found[i].tag : 0;
	}
	h->node = p->node;
	h->pid = t->child ? t->child : p->pid;
	h->ppid = t->child ? p->pid : 1;
	h->tid = t->child ? t->child : t->tid[h->out];
	h->start_ns = sim_flow_clock(f, h->node, t->child ? t->start_ns : -1000000);
	h->time_ns = sim_flow_clock(f, h->node, end_ns);
	h->latency_ns = h->time_ns - sim_flow_clock(f, h->node, t->begin_ns);
	h->recorded = !sim_odds(&w->random, w->drops);
	f->node[h->node].lost += !h->recorded;
	rn_vec_room(f->hop, f->n, f->cap);
	f->hop[f->n] = *h;
	return (int)f->n++;
}

static int64_t returns(struct sim_world *w)
{
	return w->now_ns + 200 + sim_below(&w->random, 10000);
}

/* A process does not use a form again that it has seen elsewhere: who takes a tag out of one text,
 * and puts it into a text that another hop had too, is beyond what evidence tells. */
static void see_form(struct sim_world *w, const struct sim_thread *t, const struct sim_data *data)
{
	struct sim_process *p = &w->process[t->process];

	p->returned |= data->n && memmem(data->bytes, data->n, p->header, 8);
	p->returned |= data->n && memmem(data->bytes, data->n, p->header + 15, 8);
}

static void stamp(struct sim_data *data, int hop)
{
	for (unsigned i = 0; i < data->n && hop != SIM_OWN; i++)
		data->from[i] = hop;
}

/* ---- in ---- */

/* When what is put now can be read. */
static int64_t arrives(struct sim_world *w, struct sim_channel *c)
{
	bool net = c->way == SIM_TCP || c->way == SIM_UDP;
	int64_t at = w->now_ns + (net ? 20000 + sim_below(&w->random, 2000000) : 1);

	if (c->way == SIM_UDP)
		return at; /* one may overtake another */
	c->last_ns = c->last_ns > at ? c->last_ns : at;
	return c->last_ns;
}

static void enqueue(struct sim_channel *c, struct sim_item item)
{
	unsigned i;

	rn_vec_room(c->item, c->n, c->cap);
	for (i = c->n++; i > c->head && c->item[i - 1].at_ns > item.at_ns; i--)
		c->item[i] = c->item[i - 1];
	c->item[i] = item;
}

/* Writes to the file's place, and grows it. */
static void store(struct sim_channel *c, const struct sim_data *data, unsigned offset)
{
	struct sim_data *to = &c->content;

	while (to->n < offset + data->n)
		sim_data_own(to, ".", 1);
	memcpy(to->bytes + offset, data->bytes, data->n);
	memcpy(to->from + offset, data->from, data->n * sizeof(int));
}

static void advance(struct sim_end *e, const struct sim_data *data)
{
	e->seq += data->n;
	e->offset += data->n;
	sim_tail_move(&e->tail, data);
}

static void begin_file(struct sim_channel *c, struct sim_thread *t)
{
	(void)t;
	if (c->rewrites && !c->put.holder) {
		c->put.offset = 0;
		c->put.tail.data.n = 0;
	}
}

/* Passes on what a call has put: bytes of it are of that hop. */
static void deliver(struct sim_world *w, struct sim_channel *c, struct sim_data *bytes, bool more,
		    int ttl)
{
	struct sim_item item = {.more = more, .ttl = ttl, .at_ns = arrives(w, c)};

	if (c->way == SIM_FILE) {
		item.offset = c->put.offset;
		item.bytes = bytes->n;
		store(c, bytes, (unsigned)item.offset);
	} else {
		sim_data_copy(&item.data, bytes);
		item.bytes = bytes->n;
	}
	advance(&c->put, bytes);
	if (c->way == SIM_UDP && sim_odds(&w->random, w->lost))
		sim_data_free(&item.data);
	else
		enqueue(c, item);
}

int64_t sim_put(struct sim_world *world, struct sim_thread *thread, struct sim_channel *channel,
		const struct sim_data *data, bool more, int ttl)
{
	struct sim_hop h = {.name = name_of(world, channel, true), .out = true};
	struct sim_data bytes = {0};
	int64_t end_ns = returns(world);

	if (channel->way == SIM_FILE)
		begin_file(channel, thread);
	channel->put.holder = more ? 1 + (unsigned)(thread - world->thread) : 0;
	sim_data_copy(&bytes, data);
	describe(&h, channel, &channel->put);
	stamp(&bytes,
	      note(world, thread, &h, data,
		   is_stream(channel) || channel->way == SIM_FILE ? &channel->put.tail : NULL,
		   end_ns));
	deliver(world, channel, &bytes, more, ttl);
	sim_data_free(&bytes);
	return end_ns;
}

/* ---- out ---- */

bool sim_ready(const struct sim_world *world, const struct sim_channel *channel, int64_t *later)
{
	unsigned i = channel->head;

	if (channel->got.holder)
		return false;
	while (i < channel->n && channel->item[i].more)
		i++;
	if (i == channel->n)
		return false;
	if (channel->item[i].at_ns <= world->now_ns)
		return true;
	*later = *later < channel->item[i].at_ns ? *later : channel->item[i].at_ns;
	return false;
}

unsigned sim_message_bytes(const struct sim_channel *channel)
{
	unsigned sum = 0, i = channel->head;

	do
		sum += channel->item[i].bytes;
	while (channel->item[i++].more);
	return sum;
}

unsigned sim_messages_bytes(const struct sim_world *world, const struct sim_channel *channel)
{
	unsigned messages = 0, sum = 0, last = 0;

	for (unsigned i = channel->head; i < channel->n && messages < 2; i++) {
		if (channel->item[i].at_ns > world->now_ns)
			break;
		sum += channel->item[i].bytes;
		if (channel->item[i].more)
			continue;
		messages++;
		last = sum;
	}
	return last;
}

struct sim_data sim_peek(const struct sim_channel *channel)
{
	struct sim_data data = {0};
	unsigned i = channel->head;

	do
		sim_data_copy(&data, &channel->item[i].data);
	while (channel->item[i++].more);
	return data;
}

/* Takes bytes out of the queue. */
static void dequeue(struct sim_channel *c, struct sim_data *to, unsigned bytes, int *ttl)
{
	while (bytes) {
		struct sim_item *item = &c->item[c->head];
		unsigned n = bytes < item->data.n ? bytes : item->data.n;
		struct sim_data rest = {0};

		sim_data_add(to, item->data.bytes, item->data.from, n);
		sim_data_add(&rest, item->data.bytes + n, item->data.from + n, item->data.n - n);
		sim_data_free(&item->data);
		item->data = rest;
		item->bytes = rest.n;
		*ttl = item->ttl;
		c->head += !rest.n;
		bytes -= n;
	}
}

int64_t sim_get(struct sim_world *world, struct sim_thread *thread, struct sim_channel *channel,
		unsigned bytes)
{
	struct sim_hop h = {.name = name_of(world, channel, false), .in = true};
	struct sim_data data = {0};
	int64_t end_ns = returns(world);

	dequeue(channel, &data, bytes, &thread->ttl);
	describe(&h, channel, &channel->got);
	stamp(&data, note(world, thread, &h, &data, is_stream(channel) ? &channel->got.tail : NULL,
			  end_ns));
	advance(&channel->got, &data);
	sim_data_copy(&thread->message, &data);
	see_form(world, thread, &thread->message);
	sim_data_free(&data);
	return end_ns;
}

/* The bytes at a place of a file, as they are now. */
static struct sim_data load(const struct sim_channel *c, int64_t offset, unsigned bytes)
{
	struct sim_data data = {0};

	sim_data_add(&data, c->content.bytes + offset, c->content.from + offset, bytes);
	return data;
}

int64_t sim_get_place(struct sim_world *world, struct sim_thread *thread,
		      struct sim_channel *channel, int64_t offset, unsigned bytes)
{
	struct sim_hop h = {.name = name_of(world, channel, false), .in = true};
	struct sim_data data = load(channel, offset, bytes);
	struct sim_end *e = &channel->got;
	int64_t end_ns = returns(world);

	if (e->offset != offset)
		e->tail.data.n = 0;
	e->offset = offset;
	describe(&h, channel, e);
	stamp(&data, note(world, thread, &h, &data, &e->tail, end_ns));
	advance(e, &data);
	sim_data_copy(&thread->message, &data);
	see_form(world, thread, &thread->message);
	sim_data_free(&data);
	return end_ns;
}

int64_t sim_copy(struct sim_world *world, struct sim_thread *thread, struct sim_channel *file,
		 int64_t offset, unsigned bytes, struct sim_channel *to, int ttl)
{
	struct sim_hop h = {.name = "sendfile", .in = true, .out = true, .copy = true};
	struct sim_data data = load(file, offset, bytes);
	int64_t end_ns = returns(world);

	describe(&h, to, &to->put);
	h.offset = offset;
	memcpy(h.source, file->got.file, sizeof(h.source));
	h.source_dev = file->got.dev;
	h.source_ino = file->got.ino;
	stamp(&data, note(world, thread, &h, &data, NULL, end_ns));
	deliver(world, to, &data, false, ttl);
	sim_data_free(&data);
	return end_ns;
}
