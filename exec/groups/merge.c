/* merge.c - merging between agents and the coordinator, and hops through the codec. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "exec/wire/codec.h"
#include "exec/groups/merge.h"

enum { HOP_ARENA = 64 << 20, LENGTH_PREFIX = 4 };

struct rn_relay {
	struct rn_groups *groups;
	struct rn_sink up;
	int64_t other; /* events whose group did not fit here */
};

struct rn_relay *rn_relay_create(const struct rn_fragment *f, const struct rn_sink *up)
{
	struct rn_relay *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->up = *up;
	if (f->grouped)
		r->groups = rn_groups_create(f->aggs, f->naggs, f->nkeys, f->max_groups);
	return r;
}

void rn_relay_destroy(struct rn_relay *r)
{
	if (!r)
		return;
	if (r->groups)
		rn_groups_destroy(r->groups);
	free(r);
}

static int relay_rows(void *self, const struct rn_rows *rows)
{
	struct rn_relay *r = self;

	return r->up.rows(r->up.self, rows);
}

static int relay_partials(void *self, const struct rn_partials *p)
{
	struct rn_relay *r = self;
	int64_t other;

	if (!r->groups)
		return -EPROTO;
	other = rn_groups_merge(r->groups, p);
	if (other < 0)
		return (int)other;
	r->other += other;
	return 0;
}

struct rn_sink rn_relay_sink(struct rn_relay *r)
{
	return (struct rn_sink){.self = r, .rows = relay_rows, .partials = relay_partials};
}

int rn_relay_flush(struct rn_relay *r, int64_t before_ns)
{
	return r->groups ? rn_groups_visit(r->groups, before_ns, true, r->up.partials, r->up.self)
			 : 0;
}

void rn_relay_ledger(const struct rn_relay *r, struct rn_ledger *l)
{
	l->n[RN_L_LOST_MAP] += r->other;
}

struct rn_hop {
	char *node;
	const struct rn_fragment *f;
	struct rn_sink next;
	struct rn_arena *arena;
	unsigned char *buf;
	size_t len, cap;
	uint64_t seq, received;
	struct rn_err *err;
};

struct rn_hop *rn_hop_create(const char *node, const struct rn_fragment *f,
			     const struct rn_sink *next, struct rn_err *err)
{
	struct rn_hop *h = calloc(1, sizeof(*h));

	if (!h || !(h->node = strdup(node))) {
		free(h);
		return NULL;
	}
	h->f = f;
	h->next = *next;
	h->arena = rn_arena_create(HOP_ARENA);
	h->err = err;
	return h;
}

void rn_hop_destroy(struct rn_hop *h)
{
	if (!h)
		return;
	rn_arena_destroy(h->arena);
	free(h->buf);
	free(h->node);
	free(h);
}

/* One frame out and in again; the result is checked to be of the kind and number that was sent. */
static int pass(struct rn_hop *h, struct rn_frame *out, struct rn_frame *in)
{
	const struct rn_fragment *f = h->f;
	int r;

	rn_arena_reset(h->arena);
	h->len = 0;
	out->node = h->node;
	out->seq = h->seq + 1;
	r = rn_frame_encode(out, f->aggs, f->naggs, f->nkeys, &h->buf, &h->len, &h->cap);
	if (r == -EMSGSIZE && (out->kind == RN_FRAME_ROWS ? out->rows.nrows : out->partials.n) > 1)
		return r; /* the caller sends it in two */
	if (r < 0)
		return rn_err_set(h->err, r, "%s: a frame cannot be encoded", h->node);
	h->seq++;
	r = rn_frame_decode(h->arena, h->buf + LENGTH_PREFIX, h->len - LENGTH_PREFIX, f->aggs,
			    f->naggs, f->nkeys, in, h->err);
	if (r < 0)
		return r;
	if (in->kind != out->kind || in->seq != ++h->received) {
		rn_frame_release(in, f->aggs, f->naggs);
		return rn_err_set(h->err, -EPROTO, "%s: frame %llu is missing", h->node,
				  (unsigned long long)h->received);
	}
	return 0;
}

static int hop_rows(void *self, const struct rn_rows *rows)
{
	struct rn_hop *h = self;
	struct rn_frame out = {.kind = RN_FRAME_ROWS, .rows = *rows}, in = {0};
	int r = pass(h, &out, &in);

	if (r == -EMSGSIZE && rows->nrows > 1) {
		struct rn_rows half[2];

		rn_rows_halve(rows, half);
		r = hop_rows(self, &half[0]);
		return r < 0 ? r : hop_rows(self, &half[1]);
	}
	if (r < 0)
		return r;
	r = h->next.rows(h->next.self, &in.rows);
	rn_frame_release(&in, h->f->aggs, h->f->naggs);
	return r;
}

static int hop_partials(void *self, const struct rn_partials *p)
{
	struct rn_hop *h = self;
	struct rn_frame out = {.kind = RN_FRAME_PARTIALS, .partials = *p}, in = {0};
	int r = pass(h, &out, &in);

	if (r == -EMSGSIZE && p->n > 1) {
		struct rn_partials half[2];

		rn_partials_halve(p, half);
		r = hop_partials(self, &half[0]);
		return r < 0 ? r : hop_partials(self, &half[1]);
	}
	if (r < 0)
		return r;
	r = h->next.partials(h->next.self, &in.partials);
	rn_frame_release(&in, h->f->aggs, h->f->naggs);
	return r;
}

struct rn_sink rn_hop_sink(struct rn_hop *h)
{
	return (struct rn_sink){.self = h, .rows = hop_rows, .partials = hop_partials};
}

static int there_and_back(struct rn_arena *a, const struct rn_frame *out, struct rn_frame *in,
			  struct rn_err *err)
{
	unsigned char *buf = NULL;
	size_t len = 0, cap = 0;
	int r = rn_frame_encode(out, NULL, 0, 0, &buf, &len, &cap);

	if (r < 0)
		rn_err_set(err, r, "a frame cannot be encoded");
	else
		r = rn_frame_decode(a, buf + LENGTH_PREFIX, len - LENGTH_PREFIX, NULL, 0, 0, in,
				    err);
	free(buf);
	return r;
}

struct rn_fragment *rn_hop_fragment(struct rn_arena *a, const struct rn_fragment *f,
				    const struct rn_catalog *c, struct rn_err *err)
{
	struct rn_frame out = {.kind = RN_FRAME_FRAGMENT,
			       .node = "",
			       .fragment = (struct rn_fragment *)f},
			in = {0};

	if (there_and_back(a, &out, &in, err) < 0)
		return NULL;
	if (!in.fragment) {
		rn_err_set(err, -EPROTO, "a fragment came back as something else");
		return NULL;
	}
	return rn_fragment_bind(a, in.fragment, c, err) < 0 ? NULL : in.fragment;
}

int rn_hop_ledger(struct rn_arena *a, struct rn_ledger *l, struct rn_err *err)
{
	struct rn_frame out = {.kind = RN_FRAME_LEDGER, .node = l->node, .ledger = *l}, in = {0};
	int r = there_and_back(a, &out, &in, err);

	if (r < 0)
		return r;
	*l = in.ledger;
	return 0;
}
