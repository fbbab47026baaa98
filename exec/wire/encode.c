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
	m->name = rn_encode_text(e->name    ? e->name
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
	m->name = rn_encode_text(c->def->sig.name);
	m->arg = c->arg ? expr_message(a, c->arg) : NULL;
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
		m[i]->reason = rn_encode_text(where[i].reason);
	}
	return m;
}

Rn__Wire__Span *rn_encode_span(struct rn_arena *a, struct rn_span s)
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
		e->class_name = rn_encode_text(f->ends[i].class_name);
		e->class_arg = rn_encode_text(f->ends[i].class_arg);
		e->span = rn_encode_span(a, f->ends[i].span);
		e->n_where = f->ends[i].nwhere;
		e->where = where_messages(a, f->ends[i].where, f->ends[i].nwhere);
	}
	m->n_pair_key = f->npair_keys;
	m->pair_key = RN_NEWN(a, Rn__Wire__PairKey *, f->npair_keys);
	for (unsigned i = 0; i < f->npair_keys; i++) {
		Rn__Wire__PairKey *k = m->pair_key[i] = RN_NEW(a, Rn__Wire__PairKey);

		rn__wire__pair_key__init(k);
		k->first = rn_encode_text(f->pair_keys[i].name[0]);
		k->second = rn_encode_text(f->pair_keys[i].name[1]);
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

void rn_encode_fragment(struct rn_arena *a, Rn__Wire__Fragment *m, const struct rn_fragment *f)
{
	m->class_name = rn_encode_text(f->class_name ? f->class_name
				       : f->cls      ? f->cls->name
						     : NULL);
	m->class_arg = rn_encode_text(f->class_arg ? f->class_arg : f->cls ? f->cls->arg : NULL);
	m->span = rn_encode_span(a, f->span);
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
		m->field[i]->name = rn_encode_text(f->fields[i]->name);
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
	m->agg_reason = rn_encode_text(f->agg_reason);
	m->seed = f->naggs ? f->aggs[0].seed : 0;
	column_messages(a, m, f);
	m->every_ns = f->every_ns;
	m->limit = f->limit;
	m->sample = f->sample;
	m->max_groups = f->max_groups;
	m->held = f->held;
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

int rn_frame_encode(const struct rn_frame *f, const struct rn_agg_call *aggs, unsigned naggs,
		    unsigned nkeys, unsigned char **buf, size_t *len, size_t *cap)
{
	const struct rn_frame_form *form = rn_frame_form(f->kind);
	struct rn_encoder e = {.aggs = aggs, .naggs = naggs, .nkeys = nkeys};
	Rn__Wire__Frame m = RN__WIRE__FRAME__INIT;
	int err;

	if (!form)
		return -EINVAL;
	e.arena = rn_arena_create(RN_FRAME_MAX);
	m.version = RN_WIRE_VERSION;
	m.node = rn_encode_text(f->node);
	m.seq = f->seq;
	begin_body(e.arena, &m, form->body);
	if (form->encode)
		form->encode(&e, f, &m);
	err = append(&m, buf, len, cap);
	free(e.packed.p);
	rn_arena_destroy(e.arena);
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
