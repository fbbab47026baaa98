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

int rn_decode_bad(struct rn_frame_decoder *decoder, const char *what)
{
	return rn_err_set(decoder->err, -EBADMSG, "bad frame: %s", what);
}

static void *arena_alloc(void *self, size_t n)
{
	struct rn_frame_decoder *d = self;
	void *p = rn_arena_try(d->arena, n);

	d->full |= !p;
	return p;
}
static void arena_free(void *self, void *p)
{
	(void)self, (void)p;
}

static int full(struct rn_frame_decoder *d)
{
	return rn_err_set(d->err, -EDQUOT, "the frame takes more memory than there is for it");
}

void *rn_decode_take(struct rn_frame_decoder *decoder, size_t each, size_t n)
{
	void *p = rn_arena_try(decoder->arena, each * n);

	if (!p)
		full(decoder);
	return p;
}
#define TAKE(d, type) RN_DECODE_TAKE(d, type, 1)
#define TAKEN(d, type, n) RN_DECODE_TAKE(d, type, n)

/* ---- the walk over raw bytes ---- */

static bool walk(const ProtobufCMessageDescriptor *m, struct rn_unpack *unpack, unsigned depth,
		 unsigned *elements)
{
	if (depth > MAX_DEPTH)
		return false;
	while (unpack->p < unpack->end && !unpack->bad) {
		uint64_t tag = rn_unpack_varint(unpack), n = 0;
		const ProtobufCFieldDescriptor *f;
		struct rn_unpack sub;

		if (unpack->bad || tag >> 3 > UINT32_MAX >> 3 || !(tag >> 3) ||
		    ++*elements > MAX_ELEMENTS)
			return false;
		switch (tag & 7) {
		case 0: rn_unpack_varint(unpack); continue;
		case 1: n = 8; break;
		case 2: n = rn_unpack_varint(unpack); break;
		case 5: n = 4; break;
		default: return false;
		}
		if (unpack->bad || n > (size_t)(unpack->end - unpack->p))
			return false;
		f = protobuf_c_message_descriptor_get_field(m, (unsigned)(tag >> 3));
		sub = rn_unpack_of(unpack->p, n);
		if ((tag & 7) == 2 && f && f->type == PROTOBUF_C_TYPE_MESSAGE &&
		    !walk(f->descriptor, &sub, depth + 1, elements))
			return false;
		unpack->p += n;
	}
	return !unpack->bad;
}

/* ---- expressions ---- */

static bool type_ok(uint32_t type, uint32_t unit)
{
	return type <= RN_T_SKETCH && unit < RN_UNITS;
}

static bool arity_ok(const Rn__Wire__Expr *m)
{
	switch (m->kind) {
	case RN_E_OP:
		if (m->op == RN_OP_NOT || m->op == RN_OP_NEG)
			return m->n_arg == 1;
		return m->op > RN_OP_NEG && m->op <= RN_OP_SHR && m->n_arg == 2;
	case RN_E_IN: return m->n_arg == 1;
	case RN_E_CALL: return m->n_arg <= RN_FUNC_ARGS && *m->name;
	case RN_E_FIELD: return !m->n_arg && *m->name;
	default: return m->kind <= RN_E_CALL && !m->n_arg && m->index >= 0;
	}
}

/* The packed constants of an IN, after arg[0]. A byte of the message can be a constant, so all are
 * allocated at once. */
static int in_list(struct rn_frame_decoder *decoder, const Rn__Wire__Expr *m, struct rn_expr *expr)
{
	struct rn_unpack unpack = rn_unpack_of(m->list.data, m->list.len);
	struct rn_ty ty = {(uint8_t)m->list_type, (uint8_t)m->list_unit};
	struct rn_expr **arg, *consts;

	if (m->nlist > MAX_CONSTS || m->nlist > m->list.len || !type_ok(m->list_type, m->list_unit))
		return rn_decode_bad(decoder, "a list of constants is cut or too long");
	arg = TAKEN(decoder, struct rn_expr *, (size_t)m->nlist + 1);
	consts = arg ? TAKEN(decoder, struct rn_expr, m->nlist) : NULL;
	if (!consts)
		return -EDQUOT;
	arg[0] = expr->arg[0];
	for (uint32_t i = 0; i < m->nlist; i++) {
		consts[i].kind = RN_E_CONST;
		consts[i].ty = ty;
		consts[i].value = rn_unpack_value(&unpack, i ? &consts[i - 1].value : NULL);
		arg[i + 1] = &consts[i];
	}
	expr->arg = arg;
	expr->narg = m->nlist + 1;
	return unpack.bad || unpack.p != unpack.end
		       ? rn_decode_bad(decoder, "a list of constants is cut or too long")
		       : 0;
}

static struct rn_expr *expr(struct rn_frame_decoder *decoder, const Rn__Wire__Expr *m)
{
	struct rn_expr *e;

	if (!m || !type_ok(m->type, m->unit) || !arity_ok(m)) {
		rn_decode_bad(decoder, "an expression of unknown form");
		return NULL;
	}
	if (!(e = TAKE(decoder, struct rn_expr)))
		return NULL;
	e->kind = m->kind;
	e->op = m->kind == RN_E_OP ? (enum rn_op)m->op : RN_OP_NONE;
	e->ty = (struct rn_ty){(uint8_t)m->type, (uint8_t)m->unit};
	e->index = m->index;
	e->name = m->name;
	e->span = (struct rn_span){
		.start = m->span_start, .end = m->span_end, .src = (uint16_t)m->span_src};
	if (e->kind == RN_E_CONST) {
		struct rn_unpack unpack = rn_unpack_of(m->value.data, m->value.len);

		e->value = rn_unpack_value(&unpack, NULL);
		if (unpack.bad || unpack.p != unpack.end) {
			rn_decode_bad(decoder, "a constant is cut");
			return NULL;
		}
	}
	e->narg = (unsigned)m->n_arg;
	if (!(e->arg = TAKEN(decoder, struct rn_expr *, m->n_arg)))
		return NULL;
	for (unsigned i = 0; i < m->n_arg; i++)
		if (!(e->arg[i] = expr(decoder, m->arg[i])))
			return NULL;
	return e->kind == RN_E_IN && in_list(decoder, m, e) ? NULL : e;
}

/* ---- fragments ---- */

static int aggs(struct rn_frame_decoder *decoder, const Rn__Wire__Fragment *message,
		struct rn_fragment *fragment)
{
	fragment->naggs = (unsigned)message->n_agg;
	if (!(fragment->aggs = TAKEN(decoder, struct rn_agg_call, message->n_agg)))
		return -EDQUOT;
	for (unsigned i = 0; i < message->n_agg; i++) {
		const Rn__Wire__AggCall *from = message->agg[i];
		struct rn_agg_call *call = &fragment->aggs[i];
		/* only a name, until rn_fragment_bind */
		struct rn_agg *named = TAKE(decoder, struct rn_agg);

		if (!named)
			return -EDQUOT;
		named->sig.name = from->name;
		call->def = named;
		if (!*from->name || !type_ok(from->type, from->unit) || from->n_param > 3)
			return rn_decode_bad(decoder, "an aggregate of unknown form");
		if (from->arg && !(call->arg = expr(decoder, from->arg)))
			return decoder->err->code;
		if (from->where && !(call->where = expr(decoder, from->where)))
			return decoder->err->code;
		for (unsigned k = 0; k < from->n_param; k++) {
			if (!isfinite(from->param[k]))
				return rn_decode_bad(decoder, "a parameter that is no number");
			call->param[k] = from->param[k];
		}
		call->ty = (struct rn_ty){(uint8_t)from->type, (uint8_t)from->unit};
		call->fixed = call->arg && call->arg->ty.type == RN_T_FLOAT;
		call->text = from->text;
		call->seed = message->seed;
	}
	return 0;
}

static int where(struct rn_frame_decoder *d, Rn__Wire__Conjunct *const *m, size_t n,
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
		w[i].judged = m[i]->judged;
	}
	return 0;
}

struct rn_span rn_decode_span(const Rn__Wire__Span *message)
{
	return message ? (struct rn_span){.start = message->start,
					  .end = message->end,
					  .src = (uint16_t)message->src}
		       : (struct rn_span){0};
}

static int pair(struct rn_frame_decoder *decoder, const Rn__Wire__Fragment *message,
		struct rn_fragment *fragment)
{
	if (!message->n_end && !message->n_pair_key)
		return 0;
	if (message->n_end != 2 || !message->n_pair_key || message->n_pair_key > RN_PAIR_KEYS)
		return rn_decode_bad(decoder, "a pair without two ends and a key");
	fragment->ends = TAKEN(decoder, struct rn_pair_end, 2);
	fragment->pair_keys =
		fragment->ends ? TAKEN(decoder, struct rn_pair_key, message->n_pair_key) : NULL;
	if (!fragment->pair_keys)
		return -EDQUOT;
	for (unsigned i = 0; i < 2; i++) {
		const Rn__Wire__PairEnd *e = message->end[i];
		int err = e->n_where > RN_MAX_LIST
				  ? rn_decode_bad(decoder, "a fragment beyond the limits")
				  : where(decoder, e->where, e->n_where, &fragment->ends[i].where,
					  &fragment->ends[i].nwhere);

		if (err)
			return err;
		fragment->ends[i].class_name = e->class_name;
		fragment->ends[i].class_arg = *e->class_arg ? e->class_arg : NULL;
		fragment->ends[i].span = rn_decode_span(e->span);
	}
	fragment->npair_keys = (unsigned)message->n_pair_key;
	for (unsigned i = 0; i < fragment->npair_keys; i++)
		fragment->pair_keys[i] = (struct rn_pair_key){
			{message->pair_key[i]->first, message->pair_key[i]->second}};
	return 0;
}

static int columns(struct rn_frame_decoder *d, const Rn__Wire__Fragment *m, struct rn_fragment *f)
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

static int fields(struct rn_frame_decoder *d, const Rn__Wire__Fragment *m, struct rn_fragment *f)
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

static int tags(struct rn_frame_decoder *d, const Rn__Wire__Fragment *m, struct rn_fragment *f)
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

/* A set's own fragments have no sets. */
static int part_of_set(struct rn_frame_decoder *d, const Rn__Wire__Fragment *m,
		       struct rn_fragment **out)
{
	if (m->n_live)
		return rn_decode_bad(d, "a live set within a live set");
	return rn_decode_fragment(d, m, out);
}

static int live_sets(struct rn_frame_decoder *d, const Rn__Wire__Fragment *m, struct rn_fragment *f)
{
	int err = 0;

	if (m->n_live > RN_MAX_LIVE)
		return rn_decode_bad(d, "more live sets than the limit");
	if (!m->n_live)
		return 0;
	if (!(f->live = TAKEN(d, struct rn_live_set *, m->n_live)))
		return -EDQUOT;
	for (unsigned i = 0; i < m->n_live && !err; i++) {
		const Rn__Wire__LiveSet *from = m->live[i];
		struct rn_live_set *set = TAKE(d, struct rn_live_set);
		struct rn_field *named = TAKE(d, struct rn_field); /* until rn_fragment_bind */

		if (!set || !named)
			return -EDQUOT;
		if (!from->exec)
			return rn_decode_bad(d, "a live set that takes nobody");
		named->name = from->name;
		set->field = named;
		set->of_parent = from->of_parent;
		err = part_of_set(d, from->exec, &set->exec);
		if (!err && from->begin)
			err = part_of_set(d, from->begin, &set->begin);
		f->live[f->nlive++] = set;
	}
	return err;
}

int rn_decode_fragment(struct rn_frame_decoder *decoder, const Rn__Wire__Fragment *message,
		       struct rn_fragment **out)
{
	struct rn_fragment *fragment = TAKE(decoder, struct rn_fragment);
	int err;

	if (!fragment)
		return -EDQUOT;
	if (message->n_tag > RN_MAX_TAGS || message->n_where > RN_MAX_LIST ||
	    message->n_field > RN_MAX_LIST || message->n_key > MAX_KEYS ||
	    message->n_agg > MAX_AGGS || message->n_column > RN_MAX_LIST ||
	    message->agg_place > RN_AT_COORDINATOR)
		return rn_decode_bad(decoder, "a fragment beyond the limits");
	if (message->every_ns < 0 || message->limit < -1 ||
	    !(message->sample >= 0 && message->sample <= 1))
		return rn_decode_bad(decoder, "a window, limit or sample out of range");
	if (message->scan_cap_bytes > RN_SCAN_CAP_MAX)
		return rn_decode_bad(decoder, "more of a call to be searched than the limit");
	if (message->max_functions > RN_MAX_FUNCTIONS)
		return rn_decode_bad(decoder, "more functions than the limit");
	fragment->class_name = message->class_name;
	fragment->class_arg = *message->class_arg ? message->class_arg : NULL;
	fragment->span = rn_decode_span(message->span);
	if ((err = tags(decoder, message, fragment)))
		return err;
	fragment->grouped = message->grouped;
	fragment->agg_place = message->agg_place;
	fragment->derived = message->derived;
	fragment->nfine = message->n_fine;
	fragment->agg_reason = *message->agg_reason ? message->agg_reason : NULL;
	fragment->every_ns = message->every_ns;
	fragment->limit = message->limit;
	fragment->sample = message->sample;
	fragment->max_groups = message->max_groups;
	fragment->held = message->held;
	fragment->scan_cap_bytes =
		message->scan_cap_bytes ? message->scan_cap_bytes : RN_SCAN_CAP_DEFAULT;
	fragment->scan_rate_bytes = message->scan_rate_bytes;
	fragment->no_clean_cache = message->no_clean_cache;
	fragment->max_functions = message->max_functions;
	if ((err = live_sets(decoder, message, fragment)) ||
	    (err = pair(decoder, message, fragment)) ||
	    (err = where(decoder, message->where, message->n_where, &fragment->where,
			 &fragment->nwhere)) ||
	    (err = fields(decoder, message, fragment)) ||
	    (err = aggs(decoder, message, fragment)) || (err = columns(decoder, message, fragment)))
		return err;
	fragment->nkeys = (unsigned)message->n_key;
	if (!(fragment->keys = TAKEN(decoder, struct rn_expr *, message->n_key)))
		return -EDQUOT;
	for (unsigned i = 0; i < message->n_key; i++)
		if (!(fragment->keys[i] = expr(decoder, message->key[i])))
			return decoder->err->code;
	*out = fragment;
	return 0;
}

/* ---- frames ---- */

int rn_frame_kind(const unsigned char *bytes, size_t n)
{
	struct rn_unpack unpack = rn_unpack_of(bytes, n);
	int kind = -1;

	while (unpack.p < unpack.end &&
	       !unpack.bad) { /* the last of several bodies counts, as in protobuf */
		uint64_t tag = rn_unpack_varint(&unpack), skip = 0;
		const struct rn_frame_form *form = rn_frame_form_of_body(tag >> 3);

		kind = form ? (int)form->kind : kind;
		if ((tag & 7) == 0)
			rn_unpack_varint(&unpack);
		else
			skip = (tag & 7) == 2 ? rn_unpack_varint(&unpack) : (tag & 7) == 1 ? 8 : 4;
		if (unpack.bad || skip > (size_t)(unpack.end - unpack.p))
			return -1;
		unpack.p += skip;
	}
	return kind;
}

int rn_frame_decode(struct rn_arena *arena, const unsigned char *bytes, size_t n,
		    const struct rn_agg_call *calls, unsigned naggs, unsigned nkeys,
		    struct rn_frame *out, struct rn_err *err)
{
	struct rn_frame_decoder decoder = {
		.arena = arena, .err = err, .aggs = calls, .naggs = naggs, .nkeys = nkeys};
	ProtobufCAllocator alloc = {
		.alloc = arena_alloc, .free = arena_free, .allocator_data = &decoder};
	struct rn_unpack raw = rn_unpack_of(bytes, n);
	const struct rn_frame_form *form;
	unsigned elements = 0;
	Rn__Wire__Frame *m;

	memset(out, 0, sizeof(*out));
	if (n > RN_FRAME_MAX)
		return rn_decode_bad(&decoder, "longer than 16 MiB");
	if (!walk(&rn__wire__frame__descriptor, &raw, 0, &elements))
		return rn_decode_bad(&decoder, "cut, too deep or too many parts");
	m = rn__wire__frame__unpack(&alloc, n, bytes);
	if (!m)
		return decoder.full ? full(&decoder) : rn_decode_bad(&decoder, "not a frame");
	if (m->version != RN_WIRE_VERSION)
		return rn_err_set(
			err, -EPROTO,
			"the frame is of version %u, this side knows %d: upgrade the older side",
			m->version, RN_WIRE_VERSION);
	out->node = m->node;
	out->seq = m->seq;
	form = rn_frame_form_of_body(m->body_case);
	if (!form)
		return rn_decode_bad(&decoder, "no body that this version knows");
	out->kind = form->kind;
	return form->decode ? form->decode(&decoder, m, out) : 0;
}

void rn_frame_release(struct rn_frame *frame, const struct rn_agg_call *calls, unsigned naggs)
{
	if (frame->kind != RN_FRAME_PARTIALS)
		return;
	for (uint32_t i = 0; i < frame->partials.n; i++)
		for (unsigned k = 0; k < naggs; k++)
			if (frame->partials.parts[i].state[k].blob) {
				calls[k].def->blob_free(&calls[k],
							frame->partials.parts[i].state[k].blob);
				frame->partials.parts[i].state[k].blob = NULL;
			}
}
