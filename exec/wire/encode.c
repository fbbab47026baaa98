/* encode.c - frames to bytes. The message is built in an arena of its own, which borrows the
 * frame's strings. */
#include "exec/wire/codec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "exec/wire/pack.h"
#include "exec/wire/wire.pb-c.h"
#include "lang/base/memory.h"

/* protobuf-c wants char *, and does not write through it. */
static char *text(const char *s)
{
	return (char *)(uintptr_t)(s ? s : "");
}

static ProtobufCBinaryData bytes_of(struct rn_arena *a, struct rn_pack *b)
{
	ProtobufCBinaryData d = {.len = b->len,
				 .data = (unsigned char *)rn_arena_strndup(
					 a, b->len ? (const char *)b->p : "", b->len)};

	free(b->p);
	*b = (struct rn_pack){0};
	return d;
}

static Rn__Wire__Expr *expr_message(struct rn_arena *a, const struct rn_expr *e)
{
	Rn__Wire__Expr *m = RN_NEW(a, Rn__Wire__Expr);
	struct rn_pack b = {0};
	unsigned nargs = e->kind == RN_E_IN ? 1 : e->narg;

	rn__wire__expr__init(m);
	m->kind = e->kind;
	m->op = e->op;
	m->type = e->ty.type;
	m->unit = e->ty.unit;
	m->index = e->index;
	m->name = text(e->name    ? e->name
		       : e->field ? e->field->name
		       : e->func  ? e->func->name
				  : NULL);
	m->span_start = e->span.start;
	m->span_end = e->span.end;
	m->span_src = e->span.src;
	if (e->kind == RN_E_CONST) {
		rn_pack_value(&b, &e->value, NULL);
		m->value = bytes_of(a, &b);
	}
	m->arg = RN_NEWN(a, Rn__Wire__Expr *, nargs);
	for (unsigned i = 0; i < nargs && i < e->narg; i++)
		m->arg[m->n_arg++] = expr_message(a, e->arg[i]);
	if (e->kind == RN_E_IN && e->narg > 1) {
		for (unsigned i = 1; i < e->narg; i++)
			rn_pack_value(&b, &e->arg[i]->value, i > 1 ? &e->arg[i - 1]->value : NULL);
		m->list = bytes_of(a, &b);
		m->nlist = e->narg - 1;
		m->list_type = e->arg[1]->ty.type;
		m->list_unit = e->arg[1]->ty.unit;
	}
	return m;
}

static Rn__Wire__AggCall *agg_message(struct rn_arena *a, const struct rn_agg_call *c)
{
	Rn__Wire__AggCall *m = RN_NEW(a, Rn__Wire__AggCall);

	rn__wire__agg_call__init(m);
	m->name = text(c->def->sig.name);
	m->arg = c->arg ? expr_message(a, c->arg) : NULL;
	m->n_param = 3;
	m->param = RN_NEWN(a, double, 3);
	memcpy(m->param, c->param, sizeof(c->param));
	m->type = c->ty.type;
	m->unit = c->ty.unit;
	m->text = text(c->text);
	return m;
}

static Rn__Wire__Conjunct **where_messages(struct rn_arena *a, const struct rn_conjunct *where,
					   unsigned n)
{
	Rn__Wire__Conjunct **m = RN_NEWN(a, Rn__Wire__Conjunct *, n);

	for (unsigned i = 0; i < n; i++) {
		m[i] = RN_NEW(a, Rn__Wire__Conjunct);
		rn__wire__conjunct__init(m[i]);
		m[i]->expr = expr_message(a, where[i].expr);
		m[i]->place = where[i].place;
		m[i]->reason = text(where[i].reason);
	}
	return m;
}

/* NULL: it is empty. */
static Rn__Wire__Span *span_message(struct rn_arena *a, struct rn_span s)
{
	Rn__Wire__Span *m = s.end > s.start ? RN_NEW(a, Rn__Wire__Span) : NULL;

	if (!m)
		return NULL;
	rn__wire__span__init(m);
	m->start = s.start;
	m->end = s.end;
	m->src = s.src;
	return m;
}

static void pair_messages(struct rn_arena *a, Rn__Wire__Fragment *m, const struct rn_fragment *f)
{
	m->n_end = f->ends ? 2 : 0;
	m->end = RN_NEWN(a, Rn__Wire__PairEnd *, m->n_end);
	for (unsigned i = 0; i < m->n_end; i++) {
		Rn__Wire__PairEnd *e = m->end[i] = RN_NEW(a, Rn__Wire__PairEnd);

		rn__wire__pair_end__init(e);
		e->class_name = text(f->ends[i].class_name);
		e->class_arg = text(f->ends[i].class_arg);
		e->span = span_message(a, f->ends[i].span);
		e->n_where = f->ends[i].nwhere;
		e->where = where_messages(a, f->ends[i].where, f->ends[i].nwhere);
	}
	m->n_pair_key = f->npair_keys;
	m->pair_key = RN_NEWN(a, Rn__Wire__PairKey *, f->npair_keys);
	for (unsigned i = 0; i < f->npair_keys; i++) {
		Rn__Wire__PairKey *k = m->pair_key[i] = RN_NEW(a, Rn__Wire__PairKey);

		rn__wire__pair_key__init(k);
		k->first = text(f->pair_keys[i].name[0]);
		k->second = text(f->pair_keys[i].name[1]);
	}
}

static void column_messages(struct rn_arena *a, Rn__Wire__Fragment *m, const struct rn_fragment *f)
{
	m->n_column = f->ncols;
	m->column = RN_NEWN(a, Rn__Wire__Column *, f->ncols);
	for (unsigned i = 0; i < f->ncols; i++) {
		Rn__Wire__Column *c = m->column[i] = RN_NEW(a, Rn__Wire__Column);

		rn__wire__column__init(c);
		c->label = text(f->cols[i].label);
		c->expr = expr_message(a, f->cols[i].expr);
		c->type = f->cols[i].ty.type;
		c->unit = f->cols[i].ty.unit;
	}
}

static Rn__Wire__Fragment *fragment_message(struct rn_arena *a, const struct rn_fragment *f)
{
	Rn__Wire__Fragment *m = RN_NEW(a, Rn__Wire__Fragment);

	rn__wire__fragment__init(m);
	m->class_name = text(f->class_name ? f->class_name : f->cls ? f->cls->name : NULL);
	m->class_arg = text(f->class_arg ? f->class_arg : f->cls ? f->cls->arg : NULL);
	m->span = span_message(a, f->span);
	m->n_tag = f->ntags;
	m->tag = RN_NEWN(a, ProtobufCBinaryData, f->ntags);
	for (unsigned i = 0; i < f->ntags; i++)
		m->tag[i] = (ProtobufCBinaryData){.len = f->tags[i].len,
						  .data = (uint8_t *)f->tags[i].bytes};
	pair_messages(a, m, f);
	m->n_where = f->nwhere;
	m->where = where_messages(a, f->where, f->nwhere);
	m->n_field = f->nfields;
	m->field = RN_NEWN(a, Rn__Wire__Field *, f->nfields);
	for (unsigned i = 0; i < f->nfields; i++) {
		m->field[i] = RN_NEW(a, Rn__Wire__Field);
		rn__wire__field__init(m->field[i]);
		m->field[i]->name = text(f->fields[i]->name);
		m->field[i]->type = f->fields[i]->ty.type;
		m->field[i]->unit = f->fields[i]->ty.unit;
	}
	m->grouped = f->grouped;
	m->n_key = f->nkeys;
	m->key = RN_NEWN(a, Rn__Wire__Expr *, f->nkeys);
	for (unsigned i = 0; i < f->nkeys; i++)
		m->key[i] = expr_message(a, f->keys[i]);
	m->n_agg = f->naggs;
	m->agg = RN_NEWN(a, Rn__Wire__AggCall *, f->naggs);
	for (unsigned i = 0; i < f->naggs; i++)
		m->agg[i] = agg_message(a, &f->aggs[i]);
	m->scan_cap_bytes = f->scan_cap_bytes;
	m->scan_rate_bytes = f->scan_rate_bytes;
	m->agg_place = f->agg_place;
	m->agg_reason = text(f->agg_reason);
	m->seed = f->naggs ? f->aggs[0].seed : 0;
	column_messages(a, m, f);
	m->every_ns = f->every_ns;
	m->limit = f->limit;
	m->sample = f->sample;
	m->max_groups = f->max_groups;
	m->held = f->held;
	return m;
}

static Rn__Wire__Ledger *ledger_message(struct rn_arena *a, const struct rn_ledger *l)
{
	Rn__Wire__Ledger *m = RN_NEW(a, Rn__Wire__Ledger);

	rn__wire__ledger__init(m);
	m->node = text(l->node);
	m->n_n = RN_L_COUNT;
	m->n = RN_NEWN(a, int64_t, RN_L_COUNT);
	memcpy(m->n, l->n, sizeof(l->n));
	m->begin_ns = l->begin_ns;
	m->end_ns = l->end_ns;
	m->answered = l->answered;
	m->why = text(l->why);
	m->n_path = (size_t)RN_PATH_COUNT * RN_C_COUNT;
	m->path = RN_NEWN(a, int64_t, m->n_path);
	memcpy(m->path, l->path, sizeof(l->path));
	m->path_items = RN_C_COUNT;
	m->until_ns = l->until_ns;
	m->joined_ns = l->joined_ns;
	m->edge_ns = l->edge_ns;
	m->hash_key = l->hash_key;
	m->clock_bound_ns = l->clock_bound_ns;
	m->clock_offset_ns = l->clock_offset_ns;
	m->place = text(l->place);
	return m;
}

#define BODY(m, lower, upper) \
	((m)->body_case = RN__WIRE__FRAME__BODY_##upper, \
	 (m)->lower = RN_NEW(a, __typeof__(*(m)->lower)), (m)->lower)

/* Fills the message's body. Packed bytes are lent from heap, to be freed when the message is
 * written. */
static int body_message(struct rn_arena *a, Rn__Wire__Frame *m, const struct rn_frame *f,
			const struct rn_agg_call *aggs, unsigned naggs, unsigned nkeys,
			struct rn_pack *heap)
{
	switch (f->kind) {
	case RN_FRAME_HELLO:
		rn__wire__hello__init(BODY(m, hello, HELLO));
		m->hello->program = text(f->hello.program);
		m->hello->kind = text(f->hello.kind);
		m->hello->name = text(f->hello.name);
		m->hello->asker = text(f->hello.asker);
		m->hello->nodes = f->hello.nodes;
		m->hello->depth = f->hello.depth;
		m->hello->place = text(f->hello.place);
		m->hello->clock_base_ns = f->hello.clock_base_ns;
		m->hello->n_pid = f->hello.npids;
		m->hello->pid = (int32_t *)(uintptr_t)f->hello.pids;
		return 0;
	case RN_FRAME_FRAGMENT:
		m->body_case = RN__WIRE__FRAME__BODY_FRAGMENT;
		m->fragment = fragment_message(a, f->fragment);
		m->fragment->clock_shift_ns = f->clock_shift_ns;
		while (f->on && f->on[m->fragment->n_on])
			m->fragment->n_on++;
		m->fragment->on = (char **)(uintptr_t)f->on;
		return 0;
	case RN_FRAME_ROWS:
		rn__wire__rows__init(BODY(m, rows, ROWS));
		m->rows->nrows = f->rows.nrows;
		m->rows->ncols = f->rows.ncols;
		rn_pack_rows(heap, &f->rows);
		m->rows->packed = (ProtobufCBinaryData){.len = heap->len, .data = heap->p};
		return 0;
	case RN_FRAME_PARTIALS:
		rn__wire__partials__init(BODY(m, partials, PARTIALS));
		m->partials->window_ns = f->partials.window_ns;
		m->partials->ngroups = f->partials.n;
		m->partials->nkeys = nkeys;
		m->partials->naggs = naggs;
		m->partials->peek = f->peek;
		rn_pack_partials(heap, &f->partials, aggs, naggs, nkeys);
		m->partials->packed = (ProtobufCBinaryData){.len = heap->len, .data = heap->p};
		return 0;
	case RN_FRAME_LEDGER:
		m->body_case = RN__WIRE__FRAME__BODY_LEDGER;
		m->ledger = ledger_message(a, &f->ledger);
		return 0;
	case RN_FRAME_WATERMARK:
		rn__wire__watermark__init(BODY(m, watermark, WATERMARK));
		m->watermark->time_ns = f->watermark_ns;
		m->watermark->seen = f->seen;
		m->watermark->answering = f->answering;
		m->watermark->late = f->late;
		m->watermark->whole = f->whole;
		m->watermark->in_window = f->in_window;
		m->watermark->names = text(f->names);
		m->watermark->counts = RN_NEWN(a, int64_t, RN_L_COUNT);
		for (size_t i = 0; i < RN_L_COUNT; i++) {
			m->watermark->counts[i] = f->ledger.n[i];
			m->watermark->n_counts = f->ledger.n[i] ? i + 1 : m->watermark->n_counts;
		}
		return 0;
	case RN_FRAME_STOP:
		rn__wire__stop__init(BODY(m, stop, STOP));
		m->stop->wait_ns = f->wait_ns;
		return 0;
	case RN_FRAME_ERROR:
		rn__wire__error__init(BODY(m, error, ERROR));
		m->error->code = f->error.code;
		m->error->text = text(f->error.text);
		m->error->hint = text(f->error.hint);
		m->error->span = span_message(a, f->error.span);
		return 0;
	case RN_FRAME_END: rn__wire__end__init(BODY(m, end, END)); return 0;
	case RN_FRAME_ACCEPTED:
		rn__wire__accepted__init(BODY(m, accepted, ACCEPTED));
		m->accepted->nodes = f->nodes;
		m->accepted->names = text(f->names);
		return 0;
	case RN_FRAME_START:
		rn__wire__start__init(BODY(m, start, START));
		m->start->first_ns = f->first_ns;
		m->start->until_ns = f->until_ns;
		return 0;
	case RN_FRAME_STARTED:
		rn__wire__started__init(BODY(m, started, STARTED));
		m->started->begin_ns = f->node_ns;
		return 0;
	case RN_FRAME_PING:
		rn__wire__ping__init(BODY(m, ping, PING));
		m->ping->sent_ns = f->sent_ns;
		return 0;
	case RN_FRAME_PONG:
		rn__wire__pong__init(BODY(m, pong, PONG));
		m->pong->sent_ns = f->sent_ns;
		m->pong->node_ns = f->node_ns;
		return 0;
	case RN_FRAME_PEEK:
		rn__wire__peek__init(BODY(m, peek, PEEK));
		m->peek->number = f->peek;
		return 0;
	case RN_FRAME_TRIP:
		rn__wire__trip__init(BODY(m, trip, TRIP));
		m->trip->node = text(f->trip.node);
		m->trip->through = text(f->trip.through);
		m->trip->sent_ns = f->trip.sent_ns;
		m->trip->node_ns = f->trip.node_ns;
		m->trip->received_ns = f->trip.received_ns;
		m->trip->shift_ns = f->trip.shift_ns;
		return 0;
	case RN_FRAME_PEEKED:
		rn__wire__peeked__init(BODY(m, peeked, PEEKED));
		m->peeked->number = f->peek;
		return 0;
	}
	return -EINVAL;
}

int rn_frame_encode(const struct rn_frame *f, const struct rn_agg_call *aggs, unsigned naggs,
		    unsigned nkeys, unsigned char **buf, size_t *len, size_t *cap)
{
	struct rn_arena *a = rn_arena_create(RN_FRAME_MAX);
	struct rn_pack heap = {0}, out = {.p = *buf, .len = *len, .cap = *cap};
	Rn__Wire__Frame m;
	int err;
	size_t n;

	rn__wire__frame__init(&m);
	m.version = RN_WIRE_VERSION;
	m.node = text(f->node);
	m.seq = f->seq;
	err = body_message(a, &m, f, aggs, naggs, nkeys, &heap);
	n = err ? 0 : rn__wire__frame__get_packed_size(&m);
	if (!err && n > RN_FRAME_MAX)
		err = -EMSGSIZE;
	if (!err) {
		unsigned char head[4] = {(unsigned char)n, (unsigned char)(n >> 8),
					 (unsigned char)(n >> 16), (unsigned char)(n >> 24)};

		rn_pack_bytes(&out, head, sizeof(head));
		if (out.len + n > out.cap) {
			out.cap = out.len + n + out.cap / 2;
			out.p = rn_realloc(out.p, out.cap);
		}
		out.len += rn__wire__frame__pack(&m, out.p + out.len);
		*buf = out.p;
		*len = out.len;
		*cap = out.cap;
	}
	free(heap.p);
	rn_arena_destroy(a);
	return err;
}

void rn_rows_halve(const struct rn_rows *r, struct rn_rows half[2])
{
	uint32_t n = r->nrows / 2;

	half[0] = half[1] = *r;
	half[0].nrows = n;
	half[1].nrows -= n;
	half[1].v += (size_t)n * r->ncols;
	half[1].time_ns += n;
}

void rn_partials_halve(const struct rn_partials *p, struct rn_partials half[2])
{
	half[0] = half[1] = *p;
	half[0].n = p->n / 2;
	half[1].n -= half[0].n;
	half[1].p += half[0].n;
}
