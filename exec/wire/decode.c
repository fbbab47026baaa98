/* decode.c - bytes to frames, and messages to fragments. Input is hostile. frames.c has the bodies
 * of the other kinds.
 *
 * protobuf-c has limits on neither depth nor count, so a walk over the raw bytes, led by the
 * message descriptors, checks both before anything is unpacked. Unpacking then allocates in the
 * caller's arena, which frees all of it whatever happens. Its cap holds: what does not fit is not
 * allocated, and the frame is refused. What a type cannot say (counts, kinds, arities, ranges) is
 * checked while the messages become the frame's structures. */
#include "exec/wire/frames_impl.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "exec/wire/pack.h"
#include "lang/base/limits.h"

enum {
	MAX_DEPTH = RN_MAX_DEPTH + 10,
	MAX_ELEMENTS = 1 << 16,
	MAX_CONSTS = 1 << 20,
	MAX_KEYS = 64,
	MAX_AGGS = 1000
};

int rn_decode_bad(struct rn_decoder *d, const char *what)
{
	return rn_err_set(d->err, -EBADMSG, "bad frame: %s", what);
}

static void *arena_alloc(void *self, size_t n)
{
	struct rn_decoder *d = self;
	void *p = rn_arena_try(d->arena, n);

	d->full |= !p;
	return p;
}
static void arena_free(void *self, void *p)
{
	(void)self, (void)p;
}

static int full(struct rn_decoder *d)
{
	return rn_err_set(d->err, -EDQUOT, "the frame takes more memory than there is for it");
}

void *rn_decode_take(struct rn_decoder *d, size_t each, size_t n)
{
	void *p = rn_arena_try(d->arena, each * n);

	if (!p)
		full(d);
	return p;
}
#define TAKE(d, type) RN_DECODE_TAKE(d, type, 1)
#define TAKEN(d, type, n) RN_DECODE_TAKE(d, type, n)

/* ---- the walk over raw bytes ---- */

static bool walk(const ProtobufCMessageDescriptor *m, struct rn_unpack *b, unsigned depth,
		 unsigned *elements)
{
	if (depth > MAX_DEPTH)
		return false;
	while (b->p < b->end && !b->bad) {
		uint64_t tag = rn_unpack_varint(b), n = 0;
		const ProtobufCFieldDescriptor *f;
		struct rn_unpack sub;

		if (b->bad || tag >> 3 > UINT32_MAX >> 3 || !(tag >> 3) ||
		    ++*elements > MAX_ELEMENTS)
			return false;
		switch (tag & 7) {
		case 0: rn_unpack_varint(b); continue;
		case 1: n = 8; break;
		case 2: n = rn_unpack_varint(b); break;
		case 5: n = 4; break;
		default: return false;
		}
		if (b->bad || n > (size_t)(b->end - b->p))
			return false;
		f = protobuf_c_message_descriptor_get_field(m, (unsigned)(tag >> 3));
		sub = rn_unpack_of(b->p, n);
		if ((tag & 7) == 2 && f && f->type == PROTOBUF_C_TYPE_MESSAGE &&
		    !walk(f->descriptor, &sub, depth + 1, elements))
			return false;
		b->p += n;
	}
	return !b->bad;
}

/* ---- expressions ---- */

static bool type_ok(uint32_t type, uint32_t unit)
{
	return type <= RN_T_SKETCH && unit <= RN_U_HEX;
}

static bool arity_ok(const Rn__Wire__Expr *m)
{
	switch (m->kind) {
	case RN_E_OP:
		if (m->op == RN_OP_NOT || m->op == RN_OP_NEG)
			return m->n_arg == 1;
		return m->op > RN_OP_NEG && m->op <= RN_OP_MOD && m->n_arg == 2;
	case RN_E_IN: return m->n_arg == 1;
	case RN_E_CALL: return m->n_arg <= 3 && *m->name;
	case RN_E_FIELD: return !m->n_arg && *m->name;
	default: return m->kind <= RN_E_CALL && !m->n_arg && m->index >= 0;
	}
}

/* The packed constants of an IN, after arg[0]. A byte of the message can be a constant, so all are
 * allocated at once. */
static int in_list(struct rn_decoder *d, const Rn__Wire__Expr *m, struct rn_expr *e)
{
	struct rn_unpack b = rn_unpack_of(m->list.data, m->list.len);
	struct rn_ty ty = {(uint8_t)m->list_type, (uint8_t)m->list_unit};
	struct rn_expr **arg, *consts;

	if (m->nlist > MAX_CONSTS || m->nlist > m->list.len || !type_ok(m->list_type, m->list_unit))
		return rn_decode_bad(d, "a list of constants is cut or too long");
	arg = TAKEN(d, struct rn_expr *, (size_t)m->nlist + 1);
	consts = arg ? TAKEN(d, struct rn_expr, m->nlist) : NULL;
	if (!consts)
		return -EDQUOT;
	arg[0] = e->arg[0];
	for (uint32_t i = 0; i < m->nlist; i++) {
		consts[i].kind = RN_E_CONST;
		consts[i].ty = ty;
		consts[i].value = rn_unpack_value(&b, i ? &consts[i - 1].value : NULL);
		arg[i + 1] = &consts[i];
	}
	e->arg = arg;
	e->narg = m->nlist + 1;
	return b.bad || b.p != b.end ? rn_decode_bad(d, "a list of constants is cut or too long")
				     : 0;
}

static struct rn_expr *expr(struct rn_decoder *d, const Rn__Wire__Expr *m)
{
	struct rn_expr *e;

	if (!m || !type_ok(m->type, m->unit) || !arity_ok(m)) {
		rn_decode_bad(d, "an expression of unknown form");
		return NULL;
	}
	if (!(e = TAKE(d, struct rn_expr)))
		return NULL;
	e->kind = m->kind;
	e->op = m->kind == RN_E_OP ? (enum rn_op)m->op : RN_OP_NONE;
	e->ty = (struct rn_ty){(uint8_t)m->type, (uint8_t)m->unit};
	e->index = m->index;
	e->name = m->name;
	e->span = (struct rn_span){
		.start = m->span_start, .end = m->span_end, .src = (uint16_t)m->span_src};
	if (e->kind == RN_E_CONST) {
		struct rn_unpack b = rn_unpack_of(m->value.data, m->value.len);

		e->value = rn_unpack_value(&b, NULL);
		if (b.bad || b.p != b.end) {
			rn_decode_bad(d, "a constant is cut");
			return NULL;
		}
	}
	e->narg = (unsigned)m->n_arg;
	if (!(e->arg = TAKEN(d, struct rn_expr *, m->n_arg)))
		return NULL;
	for (unsigned i = 0; i < m->n_arg; i++)
		if (!(e->arg[i] = expr(d, m->arg[i])))
			return NULL;
	return e->kind == RN_E_IN && in_list(d, m, e) ? NULL : e;
}

/* ---- fragments ---- */

static int aggs(struct rn_decoder *d, const Rn__Wire__Fragment *m, struct rn_fragment *f)
{
	f->naggs = (unsigned)m->n_agg;
	if (!(f->aggs = TAKEN(d, struct rn_agg_call, m->n_agg)))
		return -EDQUOT;
	for (unsigned i = 0; i < m->n_agg; i++) {
		const Rn__Wire__AggCall *from = m->agg[i];
		struct rn_agg_call *c = &f->aggs[i];
		/* only a name, until rn_fragment_bind */
		struct rn_agg *named = TAKE(d, struct rn_agg);

		if (!named)
			return -EDQUOT;
		named->sig.name = from->name;
		c->def = named;
		if (!*from->name || !type_ok(from->type, from->unit) || from->n_param > 3)
			return rn_decode_bad(d, "an aggregate of unknown form");
		if (from->arg && !(c->arg = expr(d, from->arg)))
			return d->err->code;
		for (unsigned k = 0; k < from->n_param; k++) {
			if (!isfinite(from->param[k]))
				return rn_decode_bad(d, "a parameter that is no number");
			c->param[k] = from->param[k];
		}
		c->ty = (struct rn_ty){(uint8_t)from->type, (uint8_t)from->unit};
		c->fixed = c->arg && c->arg->ty.type == RN_T_FLOAT;
		c->text = from->text;
		c->seed = m->seed;
	}
	return 0;
}

static int where(struct rn_decoder *d, Rn__Wire__Conjunct *const *m, size_t n,
		 struct rn_conjunct **out, unsigned *nout)
{
	struct rn_conjunct *w = TAKEN(d, struct rn_conjunct, n);

	if (!w)
		return -EDQUOT;
	*out = w;
	*nout = (unsigned)n;
	for (size_t i = 0; i < n; i++) {
		if (m[i]->place > RN_AT_COORDINATOR)
			return rn_decode_bad(d, "an unknown place");
		if (!(w[i].expr = expr(d, m[i]->expr)))
			return d->err->code;
		w[i].place = m[i]->place;
		w[i].reason = m[i]->reason;
	}
	return 0;
}

struct rn_span rn_decode_span(const Rn__Wire__Span *m)
{
	return m ? (struct rn_span){.start = m->start, .end = m->end, .src = (uint16_t)m->src}
		 : (struct rn_span){0};
}

static int pair(struct rn_decoder *d, const Rn__Wire__Fragment *m, struct rn_fragment *f)
{
	if (!m->n_end && !m->n_pair_key)
		return 0;
	if (m->n_end != 2 || !m->n_pair_key || m->n_pair_key > RN_PAIR_KEYS)
		return rn_decode_bad(d, "a pair without two ends and a key");
	f->ends = TAKEN(d, struct rn_pair_end, 2);
	f->pair_keys = f->ends ? TAKEN(d, struct rn_pair_key, m->n_pair_key) : NULL;
	if (!f->pair_keys)
		return -EDQUOT;
	for (unsigned i = 0; i < 2; i++) {
		const Rn__Wire__PairEnd *e = m->end[i];
		int err = e->n_where > RN_MAX_LIST
				  ? rn_decode_bad(d, "a fragment beyond the limits")
				  : where(d, e->where, e->n_where, &f->ends[i].where,
					  &f->ends[i].nwhere);

		if (err)
			return err;
		f->ends[i].class_name = e->class_name;
		f->ends[i].class_arg = *e->class_arg ? e->class_arg : NULL;
		f->ends[i].span = rn_decode_span(e->span);
	}
	f->npair_keys = (unsigned)m->n_pair_key;
	for (unsigned i = 0; i < f->npair_keys; i++)
		f->pair_keys[i] =
			(struct rn_pair_key){{m->pair_key[i]->first, m->pair_key[i]->second}};
	return 0;
}

static int columns(struct rn_decoder *d, const Rn__Wire__Fragment *m, struct rn_fragment *f)
{
	f->ncols = (unsigned)m->n_column;
	if (!(f->cols = TAKEN(d, struct rn_column, m->n_column)))
		return -EDQUOT;
	for (unsigned i = 0; i < m->n_column; i++) {
		const Rn__Wire__Column *c = m->column[i];

		if (!type_ok(c->type, c->unit))
			return rn_decode_bad(d, "an unknown type");
		if (!(f->cols[i].expr = expr(d, c->expr)))
			return d->err->code;
		f->cols[i].label = c->label;
		f->cols[i].ty = (struct rn_ty){(uint8_t)c->type, (uint8_t)c->unit};
	}
	return 0;
}

static int fields(struct rn_decoder *d, const Rn__Wire__Fragment *m, struct rn_fragment *f)
{
	f->nfields = (unsigned)m->n_field;
	if (!(f->fields = TAKEN(d, const struct rn_field *, m->n_field)))
		return -EDQUOT;
	for (unsigned i = 0; i < m->n_field; i++) {
		struct rn_field *named = TAKE(d, struct rn_field); /* until rn_fragment_bind */

		if (!named)
			return -EDQUOT;
		if (!type_ok(m->field[i]->type, m->field[i]->unit))
			return rn_decode_bad(d, "an unknown type");
		named->name = m->field[i]->name;
		named->ty = (struct rn_ty){(uint8_t)m->field[i]->type, (uint8_t)m->field[i]->unit};
		f->fields[i] = named;
	}
	return 0;
}

static int tags(struct rn_decoder *d, const Rn__Wire__Fragment *m, struct rn_fragment *f)
{
	struct rn_tag *t = TAKEN(d, struct rn_tag, m->n_tag);

	if (!t)
		return -EDQUOT;
	for (unsigned i = 0; i < m->n_tag; i++) {
		t[i] = rn_tag_of((const char *)m->tag[i].data,
				 m->tag[i].len < UINT32_MAX ? m->tag[i].len : UINT32_MAX);
		if (!rn_tag_fits(t[i]))
			return rn_decode_bad(d, "a tag too short or too long");
	}
	f->tags = t;
	f->ntags = (unsigned)m->n_tag;
	return 0;
}

int rn_decode_fragment(struct rn_decoder *d, const Rn__Wire__Fragment *m, struct rn_fragment **out)
{
	struct rn_fragment *f = TAKE(d, struct rn_fragment);
	int err;

	if (!f)
		return -EDQUOT;
	if (m->n_tag > RN_MAX_TAGS || m->n_where > RN_MAX_LIST || m->n_field > RN_MAX_LIST ||
	    m->n_key > MAX_KEYS || m->n_agg > MAX_AGGS || m->n_column > RN_MAX_LIST ||
	    m->agg_place > RN_AT_COORDINATOR)
		return rn_decode_bad(d, "a fragment beyond the limits");
	if (m->every_ns < 0 || m->limit < -1 || !(m->sample >= 0 && m->sample <= 1))
		return rn_decode_bad(d, "a window, limit or sample out of range");
	if (m->scan_cap_bytes > RN_SCAN_CAP_MAX)
		return rn_decode_bad(d, "more of a call to be searched than the limit");
	f->class_name = m->class_name;
	f->class_arg = *m->class_arg ? m->class_arg : NULL;
	f->span = rn_decode_span(m->span);
	if ((err = tags(d, m, f)))
		return err;
	f->grouped = m->grouped;
	f->agg_place = m->agg_place;
	f->agg_reason = *m->agg_reason ? m->agg_reason : NULL;
	f->every_ns = m->every_ns;
	f->limit = m->limit;
	f->sample = m->sample;
	f->max_groups = m->max_groups;
	f->held = m->held;
	f->scan_cap_bytes = m->scan_cap_bytes ? m->scan_cap_bytes : RN_SCAN_CAP_DEFAULT;
	f->scan_rate_bytes = m->scan_rate_bytes;
	if ((err = pair(d, m, f)) ||
	    (err = where(d, m->where, m->n_where, &f->where, &f->nwhere)) ||
	    (err = fields(d, m, f)) || (err = aggs(d, m, f)) || (err = columns(d, m, f)))
		return err;
	f->nkeys = (unsigned)m->n_key;
	if (!(f->keys = TAKEN(d, struct rn_expr *, m->n_key)))
		return -EDQUOT;
	for (unsigned i = 0; i < m->n_key; i++)
		if (!(f->keys[i] = expr(d, m->key[i])))
			return d->err->code;
	*out = f;
	return 0;
}

/* ---- frames ---- */

int rn_frame_kind(const unsigned char *bytes, size_t n)
{
	struct rn_unpack b = rn_unpack_of(bytes, n);
	int kind = -1;

	while (b.p < b.end && !b.bad) { /* the last of several bodies counts, as in protobuf */
		uint64_t tag = rn_unpack_varint(&b), skip = 0;
		const struct rn_frame_form *form = rn_frame_form_of_body(tag >> 3);

		kind = form ? (int)form->kind : kind;
		if ((tag & 7) == 0)
			rn_unpack_varint(&b);
		else
			skip = (tag & 7) == 2 ? rn_unpack_varint(&b) : (tag & 7) == 1 ? 8 : 4;
		if (b.bad || skip > (size_t)(b.end - b.p))
			return -1;
		b.p += skip;
	}
	return kind;
}

int rn_frame_decode(struct rn_arena *a, const unsigned char *bytes, size_t n,
		    const struct rn_agg_call *calls, unsigned naggs, unsigned nkeys,
		    struct rn_frame *out, struct rn_err *err)
{
	struct rn_decoder d = {
		.arena = a, .err = err, .aggs = calls, .naggs = naggs, .nkeys = nkeys};
	ProtobufCAllocator alloc = {.alloc = arena_alloc, .free = arena_free, .allocator_data = &d};
	struct rn_unpack raw = rn_unpack_of(bytes, n);
	const struct rn_frame_form *form;
	unsigned elements = 0;
	Rn__Wire__Frame *m;

	memset(out, 0, sizeof(*out));
	if (n > RN_FRAME_MAX)
		return rn_decode_bad(&d, "longer than 16 MiB");
	if (!walk(&rn__wire__frame__descriptor, &raw, 0, &elements))
		return rn_decode_bad(&d, "cut, too deep or too many parts");
	m = rn__wire__frame__unpack(&alloc, n, bytes);
	if (!m)
		return d.full ? full(&d) : rn_decode_bad(&d, "not a frame");
	if (m->version != RN_WIRE_VERSION)
		return rn_err_set(
			err, -EPROTO,
			"the frame is of version %u, this side knows %d: upgrade the older side",
			m->version, RN_WIRE_VERSION);
	out->node = m->node;
	out->seq = m->seq;
	form = rn_frame_form_of_body(m->body_case);
	if (!form)
		return rn_decode_bad(&d, "no body that this version knows");
	out->kind = form->kind;
	return form->decode ? form->decode(&d, m, out) : 0;
}

void rn_frame_release(struct rn_frame *f, const struct rn_agg_call *calls, unsigned naggs)
{
	if (f->kind != RN_FRAME_PARTIALS)
		return;
	for (uint32_t i = 0; i < f->partials.n; i++)
		for (unsigned k = 0; k < naggs; k++)
			if (f->partials.p[i].state[k].blob) {
				calls[k].def->blob_free(&calls[k], f->partials.p[i].state[k].blob);
				f->partials.p[i].state[k].blob = NULL;
			}
}
