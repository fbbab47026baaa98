/* encode.c - frames to bytes, and fragments to messages. The message is built in an arena of its
 * own, which borrows the frame's strings. frames.c has the bodies of the other kinds. */
#include "exec/wire/frames_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "exec/wire/pack.h"
#include "lang/base/memory.h"

char *rn_encode_text(const char *s)
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

static Rn__Wire__Expr *expr_message(struct rn_arena *arena, const struct rn_expr *expr)
{
	Rn__Wire__Expr *m = RN_NEW(arena, Rn__Wire__Expr);
	struct rn_pack pack = {0};
	unsigned nargs = expr->kind == RN_E_IN ? 1 : expr->narg;

	rn__wire__expr__init(m);
	m->kind = expr->kind;
	m->op = expr->op;
	m->type = expr->ty.type;
	m->unit = expr->ty.unit;
	m->index = expr->index;
	m->name = rn_encode_text(expr->name    ? expr->name
				 : expr->field ? expr->field->name
				 : expr->func  ? expr->func->name
					       : NULL);
	m->span_start = expr->span.start;
	m->span_end = expr->span.end;
	m->span_src = expr->span.src;
	if (expr->kind == RN_E_CONST) {
		rn_pack_value(&pack, &expr->value, NULL);
		m->value = bytes_of(arena, &pack);
	}
	m->arg = RN_NEWN(arena, Rn__Wire__Expr *, nargs);
	for (unsigned i = 0; i < nargs && i < expr->narg; i++)
		m->arg[m->n_arg++] = expr_message(arena, expr->arg[i]);
	if (expr->kind == RN_E_IN && expr->narg > 1) {
		for (unsigned i = 1; i < expr->narg; i++)
			rn_pack_value(&pack, &expr->arg[i]->value,
				      i > 1 ? &expr->arg[i - 1]->value : NULL);
		m->list = bytes_of(arena, &pack);
		m->nlist = expr->narg - 1;
		m->list_type = expr->arg[1]->ty.type;
		m->list_unit = expr->arg[1]->ty.unit;
	}
	return m;
}

static Rn__Wire__AggCall *agg_message(struct rn_arena *a, const struct rn_agg_call *c)
{
	Rn__Wire__AggCall *m = RN_NEW(a, Rn__Wire__AggCall);

	rn__wire__agg_call__init(m);
	m->name = rn_encode_text(c->def->sig.name);
	m->arg = c->arg ? expr_message(a, c->arg) : NULL;
	m->where = c->where ? expr_message(a, c->where) : NULL;
	m->n_param = 3;
	m->param = RN_NEWN(a, double, 3);
	memcpy(m->param, c->param, sizeof(c->param));
	m->type = c->ty.type;
	m->unit = c->ty.unit;
	m->text = rn_encode_text(c->text);
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
		m[i]->judged = where[i].judged;
		m[i]->reason = rn_encode_text(where[i].reason);
	}
	return m;
}

Rn__Wire__Span *rn_encode_span(struct rn_arena *arena, struct rn_span s)
{
	Rn__Wire__Span *m = s.end > s.start ? RN_NEW(arena, Rn__Wire__Span) : NULL;

	if (!m)
		return NULL;
	rn__wire__span__init(m);
	m->start = s.start;
	m->end = s.end;
	m->src = s.src;
	return m;
}

static void pair_messages(struct rn_arena *arena, Rn__Wire__Fragment *message,
			  const struct rn_fragment *fragment)
{
	message->n_end = fragment->ends ? 2 : 0;
	message->end = RN_NEWN(arena, Rn__Wire__PairEnd *, message->n_end);
	for (unsigned i = 0; i < message->n_end; i++) {
		Rn__Wire__PairEnd *e = message->end[i] = RN_NEW(arena, Rn__Wire__PairEnd);

		rn__wire__pair_end__init(e);
		e->class_name = rn_encode_text(fragment->ends[i].class_name);
		e->class_arg = rn_encode_text(fragment->ends[i].class_arg);
		e->span = rn_encode_span(arena, fragment->ends[i].span);
		e->n_where = fragment->ends[i].nwhere;
		e->where = where_messages(arena, fragment->ends[i].where, fragment->ends[i].nwhere);
	}
	message->n_pair_key = fragment->npair_keys;
	message->pair_key = RN_NEWN(arena, Rn__Wire__PairKey *, fragment->npair_keys);
	for (unsigned i = 0; i < fragment->npair_keys; i++) {
		Rn__Wire__PairKey *k = message->pair_key[i] = RN_NEW(arena, Rn__Wire__PairKey);

		rn__wire__pair_key__init(k);
		k->first = rn_encode_text(fragment->pair_keys[i].name[0]);
		k->second = rn_encode_text(fragment->pair_keys[i].name[1]);
	}
}

static void column_messages(struct rn_arena *a, Rn__Wire__Fragment *m, const struct rn_fragment *f)
{
	m->n_column = f->ncols;
	m->column = RN_NEWN(a, Rn__Wire__Column *, f->ncols);
	for (unsigned i = 0; i < f->ncols; i++) {
		Rn__Wire__Column *c = m->column[i] = RN_NEW(a, Rn__Wire__Column);

		rn__wire__column__init(c);
		c->label = rn_encode_text(f->cols[i].label);
		c->expr = expr_message(a, f->cols[i].expr);
		c->type = f->cols[i].ty.type;
		c->unit = f->cols[i].ty.unit;
	}
}

static Rn__Wire__Fragment *nested(struct rn_arena *arena, const struct rn_fragment *fragment)
{
	Rn__Wire__Fragment *message = fragment ? RN_NEW(arena, Rn__Wire__Fragment) : NULL;

	if (!message)
		return NULL;
	rn__wire__fragment__init(message);
	rn_encode_fragment(arena, message, fragment);
	return message;
}

static void live_messages(struct rn_arena *arena, Rn__Wire__Fragment *message,
			  const struct rn_fragment *fragment)
{
	message->n_live = fragment->nlive;
	message->live = RN_NEWN(arena, Rn__Wire__LiveSet *, fragment->nlive);
	for (unsigned i = 0; i < fragment->nlive; i++) {
		const struct rn_live_set *set = fragment->live[i];
		Rn__Wire__LiveSet *m = message->live[i] = RN_NEW(arena, Rn__Wire__LiveSet);

		rn__wire__live_set__init(m);
		m->name = rn_encode_text(set->field->name);
		m->of_parent = set->of_parent;
		m->exec = nested(arena, set->exec);
		m->begin = nested(arena, set->begin);
	}
}

void rn_encode_fragment(struct rn_arena *arena, Rn__Wire__Fragment *message,
			const struct rn_fragment *fragment)
{
	message->class_name = rn_encode_text(fragment->class_name ? fragment->class_name
					     : fragment->cls      ? fragment->cls->name
								  : NULL);
	message->class_arg = rn_encode_text(fragment->class_arg ? fragment->class_arg
					    : fragment->cls     ? fragment->cls->arg
								: NULL);
	message->span = rn_encode_span(arena, fragment->span);
	message->n_tag = fragment->ntags;
	message->tag = RN_NEWN(arena, ProtobufCBinaryData, fragment->ntags);
	for (unsigned i = 0; i < fragment->ntags; i++)
		message->tag[i] = (ProtobufCBinaryData){.len = fragment->tags[i].len,
							.data = (uint8_t *)fragment->tags[i].bytes};
	pair_messages(arena, message, fragment);
	message->n_where = fragment->nwhere;
	message->where = where_messages(arena, fragment->where, fragment->nwhere);
	message->n_field = fragment->nfields;
	message->field = RN_NEWN(arena, Rn__Wire__Field *, fragment->nfields);
	for (unsigned i = 0; i < fragment->nfields; i++) {
		message->field[i] = RN_NEW(arena, Rn__Wire__Field);
		rn__wire__field__init(message->field[i]);
		message->field[i]->name = rn_encode_text(fragment->fields[i]->name);
		message->field[i]->type = fragment->fields[i]->ty.type;
		message->field[i]->unit = fragment->fields[i]->ty.unit;
	}
	message->grouped = fragment->grouped;
	message->n_key = fragment->nkeys;
	message->key = RN_NEWN(arena, Rn__Wire__Expr *, fragment->nkeys);
	for (unsigned i = 0; i < fragment->nkeys; i++)
		message->key[i] = expr_message(arena, fragment->keys[i]);
	message->n_agg = fragment->naggs;
	message->agg = RN_NEWN(arena, Rn__Wire__AggCall *, fragment->naggs);
	for (unsigned i = 0; i < fragment->naggs; i++)
		message->agg[i] = agg_message(arena, &fragment->aggs[i]);
	message->scan_cap_bytes = fragment->scan_cap_bytes;
	message->scan_rate_bytes = fragment->scan_rate_bytes;
	message->no_clean_cache = fragment->no_clean_cache;
	message->max_functions = fragment->max_functions;
	message->agg_place = fragment->agg_place;
	message->derived = fragment->derived;
	message->n_fine = fragment->derived ? fragment->nfine : 0;
	message->agg_reason = rn_encode_text(fragment->agg_reason);
	message->seed = fragment->naggs ? fragment->aggs[0].seed : 0;
	column_messages(arena, message, fragment);
	message->every_ns = fragment->every_ns;
	message->limit = fragment->limit;
	message->sample = fragment->sample;
	message->max_groups = fragment->max_groups;
	message->held = fragment->held;
	live_messages(arena, message, fragment);
}

/* An empty body of that kind, in the message. */
static void begin_body(struct rn_arena *a, Rn__Wire__Frame *m, unsigned body)
{
	const ProtobufCFieldDescriptor *f =
		protobuf_c_message_descriptor_get_field(&rn__wire__frame__descriptor, body);
	const ProtobufCMessageDescriptor *of = f->descriptor;
	void *p = rn_arena_alloc(a, of->sizeof_message);

	protobuf_c_message_init(of, p);
	memcpy((char *)m + f->offset, &p, sizeof(p));
	m->body_case = (Rn__Wire__Frame__BodyCase)body;
}

/* Length and message behind what is in *buf. -EMSGSIZE: the message is too long for a frame. */
static int append(const Rn__Wire__Frame *m, unsigned char **buf, size_t *len, size_t *cap)
{
	struct rn_pack out = {.p = *buf, .len = *len, .cap = *cap};
	size_t n = rn__wire__frame__get_packed_size(m);
	unsigned char head[4] = {(unsigned char)n, (unsigned char)(n >> 8),
				 (unsigned char)(n >> 16), (unsigned char)(n >> 24)};

	if (n > RN_FRAME_MAX)
		return -EMSGSIZE;
	rn_pack_bytes(&out, head, sizeof(head));
	if (out.len + n > out.cap) {
		out.cap = out.len + n + out.cap / 2;
		out.p = rn_realloc(out.p, out.cap);
	}
	out.len += rn__wire__frame__pack(m, out.p + out.len);
	*buf = out.p;
	*len = out.len;
	*cap = out.cap;
	return 0;
}

int rn_frame_encode(const struct rn_frame *frame, const struct rn_agg_call *aggs, unsigned naggs,
		    unsigned nkeys, unsigned char **buf, size_t *len, size_t *cap)
{
	const struct rn_frame_form *form = rn_frame_form(frame->kind);
	struct rn_encoder encoder = {.aggs = aggs, .naggs = naggs, .nkeys = nkeys};
	Rn__Wire__Frame m = RN__WIRE__FRAME__INIT;
	int err;

	if (!form)
		return -EINVAL;
	encoder.arena = rn_arena_create(RN_FRAME_MAX);
	m.version = RN_WIRE_VERSION;
	m.node = rn_encode_text(frame->node);
	m.seq = frame->seq;
	begin_body(encoder.arena, &m, form->body);
	if (form->encode)
		form->encode(&encoder, frame, &m);
	err = append(&m, buf, len, cap);
	free(encoder.packed.p);
	rn_arena_destroy(encoder.arena);
	return err;
}

void rn_rows_halve(const struct rn_rows *rows, struct rn_rows half[2])
{
	uint32_t n = rows->nrows / 2;

	half[0] = half[1] = *rows;
	half[0].nrows = n;
	half[1].nrows -= n;
	half[1].values += (size_t)n * rows->ncols;
	half[1].time_ns += n;
}

void rn_partials_halve(const struct rn_partials *partials, struct rn_partials half[2])
{
	half[0] = half[1] = *partials;
	half[0].n = partials->n / 2;
	half[1].n -= half[0].n;
	half[1].parts += half[0].n;
}
