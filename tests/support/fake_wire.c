/* fake_wire.c - see fake_wire.h. */
#include "tests/support/fake_wire.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct end {
	struct rn_transport base;
	struct rn_wire *w;
	int side;
	struct rn_wire_chunk *given;
};

static int wire_send(struct rn_transport *t, const void *chunk, size_t n, struct rn_err *err)
{
	struct end *e = (struct end *)t;
	struct rn_wire_chunk *c, **at = &e->w->way[!e->side];

	if (e->w->cut)
		return rn_err_set(err, -EPIPE, "the wire is cut");
	if (e->w->full)
		return 0;
	c = malloc(sizeof(*c) + n);
	*c = (struct rn_wire_chunk){.n = n};
	memcpy(c->bytes, chunk, n);
	while (*at)
		at = &(*at)->next;
	*at = c;
	return 1;
}

static int wire_recv(struct rn_transport *t, const unsigned char **chunk, size_t *n,
		     struct rn_err *err)
{
	struct end *e = (struct end *)t;

	if (!e->side && e->w->turn)
		e->w->turn(e->w->self);
	free(e->given);
	e->given = e->w->way[e->side];
	if (!e->given)
		return e->w->cut ? rn_err_set(err, -EPIPE, "the wire is cut") : 0;
	e->w->way[e->side] = e->given->next;
	*chunk = e->given->bytes;
	*n = e->given->n;
	return 1;
}

static int wire_flush(struct rn_transport *t, struct rn_err *err)
{
	(void)t;
	(void)err;
	return 1;
}

static unsigned wire_polls(struct rn_transport *t, int fd[2], short events[2])
{
	const struct end *e = (struct end *)t;

	fd[0] = e->w->ready_fd;
	events[0] = 1; /* POLLIN */
	return !e->side && e->w->ready_fd > 0;
}

static void wire_close(struct rn_transport *t)
{
	struct end *e = (struct end *)t;

	e->w->open--;
	free(e->given);
	free(e);
}

static const struct rn_transport_ops ops = {
	.name = "wire",
	.send = wire_send,
	.recv = wire_recv,
	.flush = wire_flush,
	.polls = wire_polls,
	.close = wire_close,
};

struct rn_transport *rn_wire_end(struct rn_wire *w, int side)
{
	struct end *e = calloc(1, sizeof(*e));

	*e = (struct end){.base = {.ops = &ops}, .w = w, .side = side};
	w->open++;
	return &e->base;
}

static struct rn_wire_chunk **place(struct rn_wire *w, int side, unsigned i)
{
	struct rn_wire_chunk **at = &w->way[side];

	while (i-- && *at)
		at = &(*at)->next;
	return at;
}

unsigned rn_wire_count(const struct rn_wire *w, int side)
{
	unsigned n = 0;

	for (const struct rn_wire_chunk *c = w->way[side]; c; c = c->next)
		n++;
	return n;
}

void rn_wire_drop(struct rn_wire *w, int side, unsigned i)
{
	struct rn_wire_chunk **at = place(w, side, i), *c = *at;

	*at = c->next;
	free(c);
}

void rn_wire_repeat(struct rn_wire *w, int side, unsigned i)
{
	struct rn_wire_chunk *c = *place(w, side, i), *copy = malloc(sizeof(*c) + c->n);

	memcpy(copy, c, sizeof(*c) + c->n);
	c->next = copy;
}

void rn_wire_swap(struct rn_wire *w, int side, unsigned i)
{
	struct rn_wire_chunk **at = place(w, side, i), *c = *at, *next = c->next;

	*at = next;
	c->next = next->next;
	next->next = c;
}

void rn_wire_clear(struct rn_wire *w)
{
	for (int side = 0; side < 2; side++)
		while (w->way[side])
			rn_wire_drop(w, side, 0);
}
