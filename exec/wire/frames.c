/* frames.c - the kinds of frames: for each one row of the table at the end, and one small function
 * each way between struct rn_frame and its message in wire.proto. */
#include <errno.h>
#include <string.h>

#include "exec/wire/frames_impl.h"
#include "exec/wire/pack.h"

/* NULL: there is no text. */
static char *text_or_null(char *s)
{
	return *s ? s : NULL;
}

/* ---- a link's own ---- */

static void encode_hello(struct rn_encoder *e, const struct rn_frame *f, Rn__Wire__Frame *m)
{
	Rn__Wire__Hello *to = m->hello;

	(void)e;
	to->program = rn_encode_text(f->hello.program);
	to->kind = rn_encode_text(f->hello.kind);
	to->name = rn_encode_text(f->hello.name);
	to->asker = rn_encode_text(f->hello.asker);
	to->nodes = f->hello.nodes;
	to->depth = f->hello.depth;
	to->place = rn_encode_text(f->hello.place);
	to->clock_base_ns = f->hello.clock_base_ns;
	to->n_pid = f->hello.npids;
	to->pid = (int32_t *)(uintptr_t)f->hello.pids;
}
static int decode_hello(struct rn_frame_decoder *d, const Rn__Wire__Frame *m, struct rn_frame *out)
{
	const Rn__Wire__Hello *from = m->hello;

	(void)d;
	out->hello = (struct rn_hello){.program = from->program,
				       .kind = from->kind,
				       .name = from->name,
				       .asker = from->asker,
				       .place = from->place,
				       .pids = from->pid,
				       .npids = (unsigned)from->n_pid,
				       .nodes = from->nodes,
				       .depth = from->depth,
				       .clock_base_ns = from->clock_base_ns};
	return 0;
}

static void encode_ping(struct rn_encoder *e, const struct rn_frame *f, Rn__Wire__Frame *m)
{
	(void)e;
	m->ping->sent_ns = f->sent_ns;
}
static int decode_ping(struct rn_frame_decoder *d, const Rn__Wire__Frame *m, struct rn_frame *out)
{
	(void)d;
	out->sent_ns = m->ping->sent_ns;
	return 0;
}

static void encode_pong(struct rn_encoder *e, const struct rn_frame *f, Rn__Wire__Frame *m)
{
	(void)e;
	m->pong->sent_ns = f->sent_ns;
	m->pong->node_ns = f->node_ns;
}
static int decode_pong(struct rn_frame_decoder *d, const Rn__Wire__Frame *m, struct rn_frame *out)
{
	(void)d;
	out->sent_ns = m->pong->sent_ns;
	out->node_ns = m->pong->node_ns;
	return 0;
}

static void encode_error(struct rn_encoder *e, const struct rn_frame *f, Rn__Wire__Frame *m)
{
	m->error->code = f->error.code;
	m->error->text = rn_encode_text(f->error.text);
	m->error->hint = rn_encode_text(f->error.hint);
	m->error->span = rn_encode_span(e->arena, f->error.span);
}
static int decode_error(struct rn_frame_decoder *d, const Rn__Wire__Frame *m, struct rn_frame *out)
{
	const Rn__Wire__Error *from = m->error;

	(void)d;
	rn_err_set(&out->error, from->code < 0 ? from->code : -EIO, "%s", from->text);
	rn_err_hint(&out->error, "%s", from->hint);
	out->error.span = rn_decode_span(from->span);
	return 0;
}

/* ---- to a node ---- */

static void encode_fragment(struct rn_encoder *e, const struct rn_frame *f, Rn__Wire__Frame *m)
{
	Rn__Wire__Fragment *to = m->fragment;

	rn_encode_fragment(e->arena, to, f->fragment);
	to->clock_shift_ns = f->clock_shift_ns;
	while (f->on && f->on[to->n_on])
		to->n_on++;
	to->on = (char **)(uintptr_t)f->on;
}
static int decode_fragment(struct rn_frame_decoder *d, const Rn__Wire__Frame *m,
			   struct rn_frame *out)
{
	const Rn__Wire__Fragment *from = m->fragment;
	const char **on = NULL;

	out->clock_shift_ns = from->clock_shift_ns;
	if (from->n_on) {
		on = RN_DECODE_TAKE(d, const char *, from->n_on + 1);
		if (!on)
			return -EDQUOT;
		for (size_t i = 0; i < from->n_on; i++)
			on[i] = from->on[i];
	}
	out->on = on;
	return rn_decode_fragment(d, from, &out->fragment);
}

static void encode_start(struct rn_encoder *e, const struct rn_frame *f, Rn__Wire__Frame *m)
{
	(void)e;
	m->start->first_ns = f->first_ns;
	m->start->until_ns = f->until_ns;
}
static int decode_start(struct rn_frame_decoder *d, const Rn__Wire__Frame *m, struct rn_frame *out)
{
	(void)d;
	out->first_ns = m->start->first_ns;
	out->until_ns = m->start->until_ns;
	return 0;
}

static void encode_stop(struct rn_encoder *e, const struct rn_frame *f, Rn__Wire__Frame *m)
{
	(void)e;
	m->stop->wait_ns = f->wait_ns;
}
static int decode_stop(struct rn_frame_decoder *d, const Rn__Wire__Frame *m, struct rn_frame *out)
{
	(void)d;
	out->wait_ns = m->stop->wait_ns;
	return 0;
}

static void encode_peek(struct rn_encoder *e, const struct rn_frame *f, Rn__Wire__Frame *m)
{
	(void)e;
	m->peek->number = f->peek;
}
static int decode_peek(struct rn_frame_decoder *d, const Rn__Wire__Frame *m, struct rn_frame *out)
{
	(void)d;
	out->peek = m->peek->number;
	return 0;
}

/* ---- what a node answers ---- */

static void encode_accepted(struct rn_encoder *e, const struct rn_frame *f, Rn__Wire__Frame *m)
{
	(void)e;
	m->accepted->nodes = f->nodes;
	m->accepted->names = rn_encode_text(f->names);
}
static int decode_accepted(struct rn_frame_decoder *d, const Rn__Wire__Frame *m,
			   struct rn_frame *out)
{
	(void)d;
	out->nodes = m->accepted->nodes;
	out->names = text_or_null(m->accepted->names);
	return 0;
}

static void encode_started(struct rn_encoder *e, const struct rn_frame *f, Rn__Wire__Frame *m)
{
	(void)e;
	m->started->begin_ns = f->node_ns;
}
static int decode_started(struct rn_frame_decoder *d, const Rn__Wire__Frame *m,
			  struct rn_frame *out)
{
	(void)d;
	out->node_ns = m->started->begin_ns;
	return 0;
}

static void encode_trip(struct rn_encoder *e, const struct rn_frame *f, Rn__Wire__Frame *m)
{
	Rn__Wire__Trip *to = m->trip;

	(void)e;
	to->node = rn_encode_text(f->trip.node);
	to->through = rn_encode_text(f->trip.through);
	to->sent_ns = f->trip.sent_ns;
	to->node_ns = f->trip.node_ns;
	to->received_ns = f->trip.received_ns;
	to->shift_ns = f->trip.shift_ns;
}
static int decode_trip(struct rn_frame_decoder *d, const Rn__Wire__Frame *m, struct rn_frame *out)
{
	const Rn__Wire__Trip *from = m->trip;

	(void)d;
	out->trip = (struct rn_round_trip){.node = from->node,
					   .through = from->through,
					   .sent_ns = from->sent_ns,
					   .node_ns = from->node_ns,
					   .received_ns = from->received_ns,
					   .shift_ns = from->shift_ns};
	return 0;
}

/* ---- the answer itself ---- */

static void encode_rows(struct rn_encoder *e, const struct rn_frame *f, Rn__Wire__Frame *m)
{
	m->rows->nrows = f->rows.nrows;
	m->rows->ncols = f->rows.ncols;
	rn_pack_rows(&e->packed, &f->rows);
	m->rows->packed = (ProtobufCBinaryData){.len = e->packed.len, .data = e->packed.p};
}
static int decode_rows(struct rn_frame_decoder *d, const Rn__Wire__Frame *m, struct rn_frame *out)
{
	const ProtobufCBinaryData *packed = &m->rows->packed;

	out->rows.nrows = m->rows->nrows;
	out->rows.ncols = m->rows->ncols;
	if (!rn_unpack_rows(d->arena, packed->data, packed->len, &out->rows))
		return rn_decode_bad(d, "rows");
	return 0;
}

static void encode_partials(struct rn_encoder *e, const struct rn_frame *f, Rn__Wire__Frame *m)
{
	Rn__Wire__Partials *to = m->partials;

	to->window_ns = f->partials.window_ns;
	to->ngroups = f->partials.n;
	to->nkeys = e->nkeys;
	to->naggs = e->naggs;
	to->peek = f->peek;
	rn_pack_partials(&e->packed, &f->partials, e->aggs, e->naggs, e->nkeys);
	to->packed = (ProtobufCBinaryData){.len = e->packed.len, .data = e->packed.p};
}
static int decode_partials(struct rn_frame_decoder *d, const Rn__Wire__Frame *m,
			   struct rn_frame *out)
{
	const Rn__Wire__Partials *from = m->partials;

	out->peek = from->peek;
	if (from->nkeys != d->nkeys || from->naggs != d->naggs)
		return rn_decode_bad(d, "partial states of another query");
	out->partials.window_ns = from->window_ns;
	out->partials.n = from->ngroups;
	if (!rn_unpack_partials(d->arena, from->packed.data, from->packed.len, &out->partials,
				d->aggs, d->naggs, d->nkeys))
		return rn_decode_bad(d, "partial states");
	return 0;
}

static void encode_watermark(struct rn_encoder *e, const struct rn_frame *f, Rn__Wire__Frame *m)
{
	Rn__Wire__Watermark *to = m->watermark;

	to->time_ns = f->watermark_ns;
	to->seen = f->seen;
	to->answering = f->answering;
	to->late = f->late;
	to->whole = f->whole;
	to->in_window = f->in_window;
	to->names = rn_encode_text(f->names);
	to->counts = RN_NEWN(e->arena, int64_t, RN_L_COUNT);
	for (size_t i = 0; i < RN_L_COUNT; i++) {
		to->counts[i] = f->ledger.n[i];
		to->n_counts = f->ledger.n[i] ? i + 1 : to->n_counts;
	}
}
static int decode_watermark(struct rn_frame_decoder *d, const Rn__Wire__Frame *m,
			    struct rn_frame *out)
{
	const Rn__Wire__Watermark *from = m->watermark;

	(void)d;
	out->watermark_ns = from->time_ns;
	out->seen = from->seen;
	out->answering = from->answering;
	out->late = from->late;
	out->whole = from->whole;
	out->in_window = from->in_window;
	out->names = text_or_null(from->names);
	for (size_t i = 0; i < from->n_counts && i < RN_L_COUNT; i++)
		out->ledger.n[i] = from->counts[i];
	return 0;
}

static void encode_peeked(struct rn_encoder *e, const struct rn_frame *f, Rn__Wire__Frame *m)
{
	(void)e;
	m->peeked->number = f->peek;
}
static int decode_peeked(struct rn_frame_decoder *d, const Rn__Wire__Frame *m, struct rn_frame *out)
{
	(void)d;
	out->peek = m->peeked->number;
	return 0;
}

static void encode_ledger(struct rn_encoder *encoder, const struct rn_frame *frame,
			  Rn__Wire__Frame *m)
{
	const struct rn_ledger *ledger = &frame->ledger;
	Rn__Wire__Ledger *to = m->ledger;

	to->node = rn_encode_text(ledger->node);
	to->n_n = RN_L_COUNT;
	to->n = RN_NEWN(encoder->arena, int64_t, RN_L_COUNT);
	memcpy(to->n, ledger->n, sizeof(ledger->n));
	to->begin_ns = ledger->begin_ns;
	to->end_ns = ledger->end_ns;
	to->answered = ledger->answered;
	to->why = rn_encode_text(ledger->why);
	to->n_path = (size_t)RN_PATH_COUNT * RN_C_COUNT;
	to->path = RN_NEWN(encoder->arena, int64_t, to->n_path);
	memcpy(to->path, ledger->path, sizeof(ledger->path));
	to->path_items = RN_C_COUNT;
	to->until_ns = ledger->until_ns;
	to->joined_ns = ledger->joined_ns;
	to->edge_ns = ledger->edge_ns;
	to->hash_key = ledger->hash_key;
	to->clock_bound_ns = ledger->clock_bound_ns;
	to->clock_offset_ns = ledger->clock_offset_ns;
	to->place = rn_encode_text(ledger->place);
}
static int decode_ledger(struct rn_frame_decoder *decoder, const Rn__Wire__Frame *m,
			 struct rn_frame *out)
{
	const Rn__Wire__Ledger *from = m->ledger;
	struct rn_ledger *ledger = &out->ledger;
	size_t items = from->path_items;

	(void)decoder;
	ledger->node = from->node;
	for (unsigned i = 0; i < from->n_n && i < RN_L_COUNT; i++)
		ledger->n[i] = from->n[i];
	ledger->begin_ns = from->begin_ns;
	ledger->end_ns = from->end_ns;
	ledger->answered = from->answered;
	ledger->why = text_or_null(from->why);
	ledger->until_ns = from->until_ns;
	ledger->joined_ns = from->joined_ns;
	ledger->edge_ns = from->edge_ns;
	ledger->hash_key = from->hash_key;
	ledger->clock_bound_ns = from->clock_bound_ns;
	ledger->clock_offset_ns = from->clock_offset_ns;
	ledger->place = text_or_null(from->place);
	for (size_t i = 0; items && i < from->n_path && i / items < RN_PATH_COUNT; i++)
		if (i % items < RN_C_COUNT)
			ledger->path[i / items][i % items] = from->path[i];
	return 0;
}

/* ---- the table ---- */

#define FORM(KIND, in_order, encode, decode) \
	{ \
		RN_FRAME_##KIND, RN__WIRE__FRAME__BODY_##KIND, in_order, encode, decode \
	}

static const struct rn_frame_form forms[] = {
	FORM(HELLO, false, encode_hello, decode_hello),
	FORM(FRAGMENT, false, encode_fragment, decode_fragment),
	FORM(ROWS, true, encode_rows, decode_rows),
	FORM(PARTIALS, true, encode_partials, decode_partials),
	FORM(LEDGER, true, encode_ledger, decode_ledger),
	FORM(WATERMARK, true, encode_watermark, decode_watermark),
	FORM(STOP, false, encode_stop, decode_stop),
	FORM(ERROR, false, encode_error, decode_error),
	FORM(END, true, NULL, NULL),
	FORM(ACCEPTED, false, encode_accepted, decode_accepted),
	FORM(START, false, encode_start, decode_start),
	FORM(STARTED, false, encode_started, decode_started),
	FORM(PING, false, encode_ping, decode_ping),
	FORM(PONG, false, encode_pong, decode_pong),
	FORM(PEEK, false, encode_peek, decode_peek),
	FORM(PEEKED, true, encode_peeked, decode_peeked),
	FORM(TRIP, false, encode_trip, decode_trip),
};
enum { NFORMS = sizeof(forms) / sizeof(*forms) };

const struct rn_frame_form *rn_frame_form(enum rn_frame_kind kind)
{
	for (unsigned i = 0; i < NFORMS; i++)
		if (forms[i].kind == kind)
			return &forms[i];
	return NULL;
}

const struct rn_frame_form *rn_frame_form_of_body(uint64_t body)
{
	for (unsigned i = 0; i < NFORMS; i++)
		if (forms[i].body == body)
			return &forms[i];
	return NULL;
}

bool rn_frame_in_order(enum rn_frame_kind kind)
{
	const struct rn_frame_form *form = rn_frame_form(kind);

	return form && form->in_order;
}
