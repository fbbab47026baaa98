/* loopback.c - frames out and in again on one machine. */
#include "exec/wire/loopback.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "exec/wire/codec.h"

enum { LOOPBACK_ARENA = 64 << 20, LENGTH_PREFIX = 4 };

struct rn_loopback {
	char *node;
	const struct rn_fragment *f;
	struct rn_sink next;
	struct rn_arena *arena;
	unsigned char *buf;
	size_t len, cap;
	uint64_t seq, received;
	struct rn_err *err;
};

struct rn_loopback *rn_loopback_create(const char *node, const struct rn_fragment *f,
				       const struct rn_sink *next, struct rn_err *err)
{
	struct rn_loopback *h = calloc(1, sizeof(*h));

	if (!h || !(h->node = strdup(node))) {
		free(h);
		return NULL;
	}
	h->f = f;
	h->next = *next;
	h->arena = rn_arena_create(LOOPBACK_ARENA);
	h->err = err;
	return h;
}

void rn_loopback_destroy(struct rn_loopback *h)
{
	if (!h)
		return;
	rn_arena_destroy(h->arena);
	free(h->buf);
	free(h->node);
	free(h);
}

/* Passes one frame out and in again, and checks that its kind and number are those that were
 * sent. */
static int pass(struct rn_loopback *h, struct rn_frame *out, struct rn_frame *in)
{
	const struct rn_fragment *f = h->f;
	int r;

	rn_arena_reset(h->arena);
	h->len = 0;
	out->node = h->node;
	out->seq = h->seq + 1;
	r = rn_frame_encode(out, f->aggs, f->naggs, f->nkeys, &h->buf, &h->len, &h->cap);
	if (r == -EMSGSIZE && (out->kind == RN_FRAME_ROWS ? out->rows.nrows : out->partials.n) > 1)
		return r; /* the caller splits it in two */
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

static int loop_rows(void *self, const struct rn_rows *rows)
{
	struct rn_loopback *h = self;
	struct rn_frame out = {.kind = RN_FRAME_ROWS, .rows = *rows}, in = {0};
	int r = pass(h, &out, &in);

	if (r == -EMSGSIZE && rows->nrows > 1) {
		struct rn_rows half[2];

		rn_rows_halve(rows, half);
		r = loop_rows(self, &half[0]);
		return r < 0 ? r : loop_rows(self, &half[1]);
	}
	if (r < 0)
		return r;
	r = h->next.rows(h->next.self, &in.rows);
	rn_frame_release(&in, h->f->aggs, h->f->naggs);
	return r;
}

static int loop_partials(void *self, const struct rn_partials *p)
{
	struct rn_loopback *h = self;
	struct rn_frame out = {.kind = RN_FRAME_PARTIALS, .partials = *p}, in = {0};
	int r = pass(h, &out, &in);

	if (r == -EMSGSIZE && p->n > 1) {
		struct rn_partials half[2];

		rn_partials_halve(p, half);
		r = loop_partials(self, &half[0]);
		return r < 0 ? r : loop_partials(self, &half[1]);
	}
	if (r < 0)
		return r;
	r = h->next.partials(h->next.self, &in.partials);
	rn_frame_release(&in, h->f->aggs, h->f->naggs);
	return r;
}

struct rn_sink rn_loopback_sink(struct rn_loopback *h)
{
	return (struct rn_sink){.self = h, .rows = loop_rows, .partials = loop_partials};
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

struct rn_fragment *rn_loopback_fragment(struct rn_arena *a, const struct rn_fragment *f,
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

int rn_loopback_ledger(struct rn_arena *a, struct rn_ledger *l, struct rn_err *err)
{
	struct rn_frame out = {.kind = RN_FRAME_LEDGER, .node = l->node, .ledger = *l}, in = {0};
	int r = there_and_back(a, &out, &in, err);

	if (r < 0)
		return r;
	*l = in.ledger;
	return 0;
}
