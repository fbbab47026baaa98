/* sim_flow.c - the programs: what each thread does next, and when. See sim_flow.h.
 *
 * Each call takes place at one moment of the true time, between its beginning and its return. The
 * thread whose next call comes first goes on. A thread takes a message in, makes others of it, and
 * puts these out. A process that is not concurrent has one such thread. */
#include <stdlib.h>
#include <string.h>
#include "lang/base/memory.h"
#include "tests/support/sim_flow_impl.h"

enum { HOPS = 400 /* more are not wanted */, TTL = 9, BYTES = 700 /* of a message */ };

/* ---- what a thread does next ---- */

/* The thread's latest call has returned: when does the next one begin? */
static void go_on(struct sim_world *w, struct sim_thread *t, int64_t returned_ns)
{
	int64_t delay_ns = t->nops ? t->op[0].delay_ns : 0;

	t->begin_ns = returned_ns + 500 + sim_below(&w->random, 50000) + delay_ns;
	t->next_ns = t->begin_ns + 100 + sim_below(&w->random, 8000);
}

static struct sim_op *plan(struct sim_thread *t, enum sim_op_kind kind, unsigned channel)
{
	struct sim_op *op;

	if (t->nops == SIM_QUEUE)
		return NULL;
	op = &t->op[t->nops++];
	*op = (struct sim_op){.kind = kind, .channel = channel};
	return op;
}

static bool is_tag_at(const struct sim_flow *f, const struct sim_data *data, unsigned at,
		      unsigned *bytes)
{
	for (unsigned t = 0; t < f->ntags; t++) {
		*bytes = (unsigned)strlen(f->tag[t]);
		if (at + *bytes <= data->n && !memcmp(data->bytes + at, f->tag[t], *bytes))
			return true;
	}
	return false;
}

/* Is a tag there at several places? The event of a call has only the first one. */
static bool repeats(const struct sim_flow *f, const struct sim_data *data)
{
	unsigned seen = 0, bytes;

	for (unsigned i = 0; i < data->n; i++)
		for (unsigned t = 0; t < f->ntags; t++) {
			bytes = (unsigned)strlen(f->tag[t]);
			if (i + bytes > data->n || memcmp(data->bytes + i, f->tag[t], bytes))
				continue;
			if (seen >> t & 1)
				return true;
			seen |= 1u << t;
		}
	return false;
}

/* Plans one message to be put there: in one call, or in two if it may be cut. */
static void plan_put(struct sim_world *w, struct sim_thread *t, unsigned channel,
		     const struct sim_data *data, int ttl, int64_t delay_ns)
{
	const struct sim_channel *c = &w->channel[channel];
	bool cuts = c->way == SIM_TCP || c->way == SIM_UNIX || c->way == SIM_FILE ||
		    (c->way == SIM_PIPE && !c->shared);
	unsigned cut = 0, bytes;
	struct sim_op *op;

	if (t->nops + 2 > SIM_QUEUE)
		return;
	if (cuts && sim_odds(&w->random, w->straddles) && !repeats(w->flow, data)) {
		/* in the first tag, or before it: what follows a tag stays with it, as `length`
		 * takes for granted */
		while (cut + 1 < data->n && !is_tag_at(w->flow, data, cut, &bytes))
			cut++;
		cut = sim_odds(&w->random, 80) ? cut + 1 + sim_below(&w->random, 3)
					       : sim_below(&w->random, cut + 1);
		cut = cut < data->n ? cut : data->n - 1;
	}
	op = plan(t, SIM_PUT, channel);
	op->ttl = ttl;
	op->delay_ns = delay_ns;
	op->more = cut;
	sim_data_add(&op->data, data->bytes, data->from, cut ? cut : data->n);
	if (!cut)
		return;
	op = plan(t, SIM_PUT, channel);
	op->ttl = ttl;
	sim_data_add(&op->data, data->bytes + cut, data->from + cut, data->n - cut);
}

/* ---- messages ---- */

static void add_text(struct sim_world *w, struct sim_data *to, unsigned n)
{
	for (; n; n--)
		sim_data_own(to, &(char){(char)('a' + sim_below(&w->random, 26))}, 1);
}

/* The message with nothing of the other one's bytes but its tags: in random text, or in a form. */
static void add_tags(struct sim_world *w, const struct sim_process *p, bool form,
		     struct sim_data *to, const struct sim_data *data)
{
	unsigned bytes;

	for (unsigned i = 0; i < data->n; i++)
		if (is_tag_at(w->flow, data, i, &bytes)) {
			if (form)
				sim_data_own(to, p->header, sizeof(p->header) - 1);
			else
				add_text(w, to, 10 + sim_below(&w->random, 30));
			sim_data_add(to, data->bytes + i, data->from + i, bytes);
		}
	if (form)
		sim_data_own(to, p->header, sizeof(p->header) - 1);
	else
		add_text(w, to, 10 + sim_below(&w->random, 30));
}

/* The process makes a message of its own from one that it took in. */
static struct sim_data make(struct sim_world *w, const struct sim_process *p,
			    const struct sim_data *data)
{
	struct sim_data out = {0};
	enum sim_manner manner = data->n > BYTES ? SIM_ALONE : p->manner;

	if (p->returned && manner == SIM_HEADER)
		manner = SIM_COUNTED;
	if (p->returned && manner == SIM_FORM)
		manner = SIM_ALONE;
	switch (manner) {
	case SIM_HEADER: sim_data_own(&out, p->header, sizeof(p->header) - 1); break;
	case SIM_COUNTED: add_text(w, &out, 4 + sim_below(&w->random, 12)); break;
	case SIM_ALONE:
	case SIM_FORM: add_tags(w, p, manner == SIM_FORM, &out, data); return out;
	default: break;
	}
	sim_data_copy(&out, data);
	return out;
}

/* A child of the process does what was planned since. */
static void start_child(struct sim_world *w, struct sim_thread *t, unsigned since, int64_t now_ns)
{
	int child = 1000 + (int)w->nchildren++;

	for (unsigned i = since; i < t->nops; i++) {
		t->op[i].child = child;
		t->op[i].start_ns = now_ns + 200;
	}
}

/* Plans what the process does with a message, which it has from then on. */
static void work(struct sim_world *w, struct sim_thread *t, const struct sim_data *data, int ttl,
		 int64_t now_ns)
{
	struct sim_process *p = &w->process[t->process];
	unsigned first = sim_below(&w->random, p->noutputs ? p->noutputs : 1), n = 1,
		 since = t->nops;
	struct sim_data out;

	if (!p->noutputs || ttl <= 0 || sim_odds(&w->random, p->swallows))
		return;
	while (n < p->noutputs && sim_odds(&w->random, p->fans))
		n++;
	out = make(w, p, data);
	for (unsigned i = 0; i < n; i++) {
		unsigned to = p->output[(first + i) % p->noutputs];

		plan_put(w, t, to, &out, ttl - 1, 0);
		if (sim_odds(&w->random, p->retries))
			plan_put(w, t, to, &out, ttl - 1, sim_below(&w->random, 5000000));
	}
	if (p->forks)
		start_child(w, t, since, now_ns);
	sim_data_free(&out);
}

/* A message is there as a whole. Some wait for another one, and both go on as one. */
static void receive(struct sim_world *w, struct sim_thread *t, int64_t end_ns)
{
	struct sim_process *p = &w->process[t->process];
	struct sim_data all = {0};

	if (!p->held.n && sim_odds(&w->random, p->joins)) {
		sim_data_copy(&p->held, &t->message);
		p->held_ttl = t->ttl;
		p->held_ns = end_ns;
	} else {
		if (p->held.n && p->held_ns <= end_ns && sim_odds(&w->random, 80)) {
			sim_data_copy(&all, &p->held);
			add_text(w, &all, 8); /* it says that another one follows */
			t->ttl = p->held_ttl < t->ttl ? p->held_ttl : t->ttl;
			sim_data_free(&p->held);
		}
		sim_data_copy(&all, &t->message);
		work(w, t, &all, t->ttl, end_ns);
		sim_data_free(&all);
	}
	sim_data_free(&t->message);
}

/* May the process begin a message with that tag? If each tag is for one message, they are used up
 * from the last one to the first. */
static bool may_begin(struct sim_world *w, const struct sim_process *p, unsigned tag)
{
	if (w->unused != SIM_REUSED)
		return tag + 1 == w->unused;
	return (p->made >> tag & 1 || !(p->taken >> tag & 1)) &&
	       (w->flow->ntags == 1 || sim_odds(&w->random, 60));
}

/* A message that comes from nowhere else. A tag that came in before is none of the process's own:
 * nobody could see that it has it from elsewhere too. */
static void begin_message(struct sim_world *w, struct sim_thread *t)
{
	struct sim_flow *f = w->flow;
	struct sim_process *p = &w->process[t->process];
	struct sim_data data = {0};

	p->begins--;
	add_text(w, &data, sim_below(&w->random, 80));
	for (unsigned i = 0; i < f->ntags; i++)
		if (may_begin(w, p, i)) {
			w->unused -= w->unused != SIM_REUSED;
			sim_data_own(&data, f->tag[i], (unsigned)strlen(f->tag[i]));
			add_text(w, &data, sim_below(&w->random, 80));
		}
	add_text(w, &data, 4);
	work(w, t, &data, TTL, w->now_ns);
	sim_data_free(&data);
}

/* ---- taking in ---- */

/* Reads a record of a file, and perhaps again; or copies it on within the kernel. */
static int64_t take_record(struct sim_world *w, struct sim_thread *t, struct sim_channel *c)
{
	const struct sim_process *p = &w->process[t->process];
	int64_t offset = c->item[c->head].offset, end_ns;
	unsigned bytes = sim_message_bytes(c);
	struct sim_channel *to = p->noutputs ? &w->channel[p->output[0]] : NULL;

	t->begin_ns = w->now_ns - 100; /* it does not wait in that call */
	t->ttl = c->item[c->head].ttl;
	while (c->item[c->head++].more)
		;
	if (p->copies && to && to->way == SIM_TCP && !to->put.holder && t->ttl > 0)
		return sim_copy(w, t, c, offset, bytes, to, t->ttl - 1);
	end_ns = sim_get_place(w, t, c, offset, bytes);
	receive(w, t, end_ns);
	return end_ns;
}

/* May the message at the head be read in two calls? Without numbers nobody can tell which of a
 * tag's places in the same data a call has. */
static bool may_split(struct sim_world *w, const struct sim_channel *c)
{
	struct sim_data data = sim_peek(c);
	bool may = c->way == SIM_TCP || !repeats(w->flow, &data);

	sim_data_free(&data);
	return may;
}

/* Takes the message at the head: in one call, in two, or with the one behind it. */
static int64_t take(struct sim_world *w, struct sim_thread *t, unsigned channel)
{
	struct sim_channel *c = &w->channel[channel];
	bool stream = c->way == SIM_TCP || c->way == SIM_UNIX || (c->way == SIM_PIPE && !c->shared);
	unsigned bytes = sim_message_bytes(c), cut;
	int64_t end_ns;
	struct sim_op *op;

	if (c->way == SIM_FILE)
		return take_record(w, t, c);
	if (stream && bytes > 8 && sim_odds(&w->random, w->straddles) && may_split(w, c)) {
		cut = 1 + sim_below(&w->random, bytes - 1);
		end_ns = sim_get(w, t, c, cut);
		c->got.holder = 1 + (unsigned)(t - w->thread);
		op = plan(t, SIM_GET_REST, channel);
		op->bytes = bytes - cut;
		return end_ns;
	}
	if (stream && sim_odds(&w->random, 30))
		bytes = sim_messages_bytes(w, c);
	end_ns = sim_get(w, t, c, bytes);
	receive(w, t, end_ns);
	return end_ns;
}

/* The input whose message came first; -1: none is there. *later: when one will be. */
static int ready(struct sim_world *w, const struct sim_process *p, int64_t *later)
{
	int best = -1;

	for (unsigned i = 0; i < p->ninputs; i++) {
		struct sim_channel *c = &w->channel[p->input[i]];

		if (sim_ready(w, c, later) &&
		    (best < 0 ||
		     c->item[c->head].at_ns < w->channel[best].item[w->channel[best].head].at_ns))
			best = (int)p->input[i];
	}
	return best;
}

/* ---- time ---- */

/* Somebody may wait for what has just been put. */
static void wake(struct sim_world *w)
{
	for (unsigned i = 0; i < w->nthreads; i++) {
		struct sim_thread *t = &w->thread[i];
		int64_t later = INT64_MAX;

		if (t->next_ns != INT64_MAX)
			continue;
		if (ready(w, &w->process[t->process], &later) >= 0)
			later = w->now_ns;
		t->next_ns = later == INT64_MAX ? later : later + 1 + sim_below(&w->random, 3000);
	}
}

/* Does what the thread has planned. */
static void act(struct sim_world *w, struct sim_thread *t)
{
	struct sim_op op = t->op[0];
	struct sim_channel *c = &w->channel[op.channel];
	unsigned self = 1 + (unsigned)(t - w->thread);
	int64_t end_ns;

	if (op.kind == SIM_PUT && c->put.holder && c->put.holder != self) {
		t->next_ns = w->now_ns + 20000;
		t->begin_ns = t->next_ns - 50;
		return;
	}
	memmove(t->op, t->op + 1, --t->nops * sizeof(*t->op));
	if (op.kind == SIM_PUT) {
		t->child = op.child;
		t->start_ns = op.start_ns;
		end_ns = sim_put(w, t, c, &op.data, op.more, op.ttl);
		t->child = 0;
	} else {
		end_ns = sim_get(w, t, c, op.bytes);
		c->got.holder = 0;
		receive(w, t, end_ns);
	}
	sim_data_free(&op.data);
	go_on(w, t, end_ns);
}

static void step(struct sim_world *w, struct sim_thread *t)
{
	struct sim_process *p = &w->process[t->process];
	int64_t later = INT64_MAX;
	int channel;

	if (t->nops) {
		act(w, t);
	} else if (p->begins && w->unused && sim_odds(&w->random, 50)) {
		begin_message(w, t);
		go_on(w, t, w->now_ns + 3000000);
	} else if ((channel = ready(w, p, &later)) >= 0) {
		if (p->ninputs > 1 && t->begin_ns < w->now_ns - 100)
			t->begin_ns = w->now_ns - 100; /* it waited for any of them first */
		go_on(w, t, take(w, t, (unsigned)channel));
	} else if (p->begins && w->unused) {
		go_on(w, t, w->now_ns + 3000000);
	} else {
		t->next_ns = later == INT64_MAX ? later : later + 1;
	}
}

struct sim_flow *sim_flow_create(uint64_t seed)
{
	struct sim_flow *f = rn_calloc(1, sizeof(*f));
	struct sim_world *w = rn_calloc(1, sizeof(*w));

	f->kind.concurrent = seed & 1;
	f->kind.busy = seed & 5;
	f->kind.drops = seed & 2;
	w->flow = f;
	w->random = seed * 0x2545f4914f6cdd1dull + 1;
	sim_world_make(w);
	while (f->n < HOPS) {
		struct sim_thread *first = &w->thread[0];

		for (unsigned i = 1; i < w->nthreads; i++)
			if (w->thread[i].next_ns < first->next_ns)
				first = &w->thread[i];
		if (first->next_ns == INT64_MAX)
			break;
		w->now_ns = first->next_ns;
		step(w, first);
		wake(w);
	}
	f->end_ns = w->now_ns;
	sim_world_free(w);
	free(w);
	return f;
}

void sim_flow_destroy(struct sim_flow *flow)
{
	free(flow->hop);
	free(flow);
}
