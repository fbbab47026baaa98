/* loopback.c - frames out and in again on one machine. */
#include "exec/wire/loopback.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "exec/wire/codec.h"
#include "lang/base/memory.h"

enum { LOOPBACK_ARENA = 64 << 20, LENGTH_PREFIX = 4 };

struct rn_loopback {
	char *node;
	const struct rn_fragment *fragment;
	struct rn_sink next;
	struct rn_arena *arena;
	unsigned char *buf;
	size_t len, cap;
	uint64_t seq, received;
	struct rn_err *err;
};

struct rn_loopback *rn_loopback_create(const char *node, const struct rn_fragment *fragment,
				       const struct rn_sink *next, struct rn_err *err)
{
	struct rn_loopback *h = rn_calloc(1, sizeof(*h));

	h->node = rn_strdup(node);
	h->fragment = fragment;
	h->next = *next;
	h->arena = rn_arena_create(LOOPBACK_ARENA);
	h->err = err;
	return h;
}

void rn_loopback_destroy(struct rn_loopback *loopback)
{
	if (!loopback)
		return;
	rn_arena_destroy(loopback->arena);
	free(loopback->buf);
	free(loopback->node);
	free(loopback);
}

/* Passes one frame out and in again, and checks that its kind and number are those that were
 * sent. */
static int pass(struct rn_loopback *loopback, struct rn_frame *out, struct rn_frame *in)
{
	const struct rn_fragment *fragment = loopback->fragment;
	int r;

	rn_arena_reset(loopback->arena);
	loopback->len = 0;
	out->node = loopback->node;
	out->seq = loopback->seq + 1;
	r = rn_frame_encode(out, fragment->aggs, fragment->naggs, fragment->nkeys, &loopback->buf,
			    &loopback->len, &loopback->cap);
	if (r == -EMSGSIZE && (out->kind == RN_FRAME_ROWS ? out->rows.nrows : out->partials.n) > 1)
		return r; /* the caller splits it in two */
	if (r < 0)
		return rn_err_set(loopback->err, r, "%s: a frame cannot be encoded",
				  loopback->node);
	loopback->seq++;
	r = rn_frame_decode(loopback->arena, loopback->buf + LENGTH_PREFIX,
			    loopback->len - LENGTH_PREFIX, fragment->aggs, fragment->naggs,
			    fragment->nkeys, in, loopback->err);
	if (r < 0)
		return r;
	if (in->kind != out->kind || in->seq != ++loopback->received) {
		rn_frame_release(in, fragment->aggs, fragment->naggs);
		return rn_err_set(loopback->err, -EPROTO, "%s: frame %llu is missing",
				  loopback->node, (unsigned long long)loopback->received);
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
	rn_frame_release(&in, h->fragment->aggs, h->fragment->naggs);
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
	rn_frame_release(&in, h->fragment->aggs, h->fragment->naggs);
	return r;
}

struct rn_sink rn_loopback_sink(struct rn_loopback *loopback)
{
	return (struct rn_sink){.self = loopback, .rows = loop_rows, .partials = loop_partials};
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

struct rn_fragment *rn_loopback_fragment(struct rn_arena *arena, const struct rn_fragment *fragment,
					 const struct rn_catalog *catalog, struct rn_err *err)
{
	struct rn_frame out = {.kind = RN_FRAME_FRAGMENT,
			       .node = "",
			       .fragment = (struct rn_fragment *)fragment},
			in = {0};

	if (there_and_back(arena, &out, &in, err) < 0)
		return NULL;
	if (!in.fragment) {
		rn_err_set(err, -EPROTO, "a fragment came back as something else");
		return NULL;
	}
	return rn_fragment_bind(arena, in.fragment, catalog, err) < 0 ? NULL : in.fragment;
}

int rn_loopback_ledger(struct rn_arena *arena, struct rn_ledger *ledger, struct rn_err *err)
{
	struct rn_frame out = {.kind = RN_FRAME_LEDGER, .node = ledger->node, .ledger = *ledger},
			in = {0};
	int r = there_and_back(arena, &out, &in, err);

	if (r < 0)
		return r;
	*ledger = in.ledger;
	return 0;
}
