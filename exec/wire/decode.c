/* decode.c - bytes to frames. Input is hostile.
 *
 * protobuf-c has limits on neither depth nor count, so a walk over the raw bytes, led by the
 * message descriptors, checks both before anything is unpacked. Unpacking then allocates in the
 * caller's arena, which frees all of it whatever happens. Its cap holds: what does not fit is not
 * allocated, and the frame is refused. What a type cannot say (counts, kinds, arities, ranges) is
 * checked while the messages become the frame's structures. */
#include "exec/wire/codec.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "exec/wire/pack.h"
#include "exec/wire/wire.pb-c.h"
#include "lang/base/limits.h"

enum {
	MAX_DEPTH = RN_MAX_DEPTH + 10,
	MAX_ELEMENTS = 1 << 16,
	MAX_CONSTS = 1 << 20,
	MAX_KEYS = 64,
	MAX_AGGS = 1000
};

struct decoder {
	struct rn_arena *arena;
	struct rn_err *err;
	bool full;
};

static int bad(struct decoder *d, const char *what)
{
	return rn_err_set(d->err, -EBADMSG, "bad frame: %s", what);
}

static void *arena_alloc(void *self, size_t n)
{
	struct decoder *d = self;
	void *p = rn_arena_try(d->arena, n);

	d->full |= !p;
	return p;
}
static void arena_free(void *self, void *p)
{
	(void)self, (void)p;
}

static int full(struct decoder *d)
{
	return rn_err_set(d->err, -EDQUOT, "the frame takes more memory than there is for it");
}

/* n of so many bytes; NULL, and the error is set, if they do not fit. n: of what has been unpacked,
 * or checked. */
static void *take(struct decoder *d, size_t each, size_t n)
{
	void *p = rn_arena_try(d->arena, each * n);

	if (!p)
		full(d);
	return p;
}
#define TAKE(d, type) ((type *)take((d), sizeof(type), 1))
#define TAKEN(d, type, n) ((type *)take((d), sizeof(type), (n)))

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
static int in_list(struct decoder *d, const Rn__Wire__Expr *m, struct rn_expr *e)
{
	struct rn_unpack b = rn_unpack_of(m->list.data, m->list.len);
	struct rn_ty ty = {(uint8_t)m->list_type, (uint8_t)m->list_unit};
	struct rn_expr **arg, *consts;

	if (m->nlist > MAX_CONSTS || m->nlist > m->list.len || !type_ok(m->list_type, m->list_unit))
		return bad(d, "a list of constants is cut or too long");
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
	return b.bad || b.p != b.end ? bad(d, "a list of constants is cut or too long") : 0;
}

static struct rn_expr *expr(struct decoder *d, const Rn__Wire__Expr *m)
{
	struct rn_expr *e;

	if (!m || !type_ok(m->type, m->unit) || !arity_ok(m)) {
		bad(d, "an expression of unknown form");
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
			bad(d, "a constant is cut");
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

static int aggs(struct decoder *d, const Rn__Wire__Fragment *m, struct rn_fragment *f)
{
	f->naggs = (unsigned)m->n_agg;
	if (!(f->aggs = TAKEN(d, struct rn_agg_call, m->n_agg)))
		return -EDQUOT;
	for (unsigned i = 0; i < m->n_agg; i++) {
		const Rn__Wire__AggCall *from = m->agg[i];
		struct rn_agg_call *c = &f->aggs[i];
		/* a name alone, until rn_fragment_bind */
		struct rn_agg *named = TAKE(d, struct rn_agg);

		if (!named)
			return -EDQUOT;
		named->sig.name = from->name;
		c->def = named;
		if (!*from->name || !type_ok(from->type, from->unit) || from->n_param > 3)
			return bad(d, "an aggregate of unknown form");
		if (from->arg && !(c->arg = expr(d, from->arg)))
			return d->err->code;
		for (unsigned k = 0; k < from->n_param; k++) {
			if (!isfinite(from->param[k]))
				return bad(d, "a parameter that is no number");
			c->param[k] = from->param[k];
		}
		c->ty = (struct rn_ty){(uint8_t)from->type, (uint8_t)from->unit};
		c->fixed = c->arg && c->arg->ty.type == RN_T_FLOAT;
		c->text = from->text;
		c->seed = m->seed;
	}
	return 0;
}

static int where(struct decoder *d, Rn__Wire__Conjunct *const *m, size_t n,
		 struct rn_conjunct **out, unsigned *nout)
{
	struct rn_conjunct *w = TAKEN(d, struct rn_conjunct, n);

	if (!w)
		return -EDQUOT;
	*out = w;
	*nout = (unsigned)n;
	for (size_t i = 0; i < n; i++) {
		if (m[i]->place > RN_AT_COORDINATOR)
			return bad(d, "an unknown place");
		if (!(w[i].expr = expr(d, m[i]->expr)))
			return d->err->code;
		w[i].place = m[i]->place;
		w[i].reason = m[i]->reason;
	}
	return 0;
}

static struct rn_span span_of(const Rn__Wire__Span *m)
{
	return m ? (struct rn_span){.start = m->start, .end = m->end, .src = (uint16_t)m->src}
		 : (struct rn_span){0};
}

static int pair(struct decoder *d, const Rn__Wire__Fragment *m, struct rn_fragment *f)
{
	if (!m->n_end && !m->n_pair_key)
		return 0;
	if (m->n_end != 2 || !m->n_pair_key || m->n_pair_key > RN_PAIR_KEYS)
		return bad(d, "a pair without two ends and a key");
	f->ends = TAKEN(d, struct rn_pair_end, 2);
	f->pair_keys = f->ends ? TAKEN(d, struct rn_pair_key, m->n_pair_key) : NULL;
	if (!f->pair_keys)
		return -EDQUOT;
	for (unsigned i = 0; i < 2; i++) {
		const Rn__Wire__PairEnd *e = m->end[i];
		int err = e->n_where > RN_MAX_LIST ? bad(d, "a fragment beyond the limits")
						   : where(d, e->where, e->n_where,
							   &f->ends[i].where, &f->ends[i].nwhere);

		if (err)
			return err;
		f->ends[i].class_name = e->class_name;
		f->ends[i].class_arg = *e->class_arg ? e->class_arg : NULL;
		f->ends[i].span = span_of(e->span);
	}
	f->npair_keys = (unsigned)m->n_pair_key;
	for (unsigned i = 0; i < f->npair_keys; i++)
		f->pair_keys[i] =
			(struct rn_pair_key){{m->pair_key[i]->first, m->pair_key[i]->second}};
	return 0;
}

static int columns(struct decoder *d, const Rn__Wire__Fragment *m, struct rn_fragment *f)
{
	f->ncols = (unsigned)m->n_column;
	if (!(f->cols = TAKEN(d, struct rn_column, m->n_column)))
		return -EDQUOT;
	for (unsigned i = 0; i < m->n_column; i++) {
		const Rn__Wire__Column *c = m->column[i];

		if (!type_ok(c->type, c->unit))
			return bad(d, "an unknown type");
		if (!(f->cols[i].expr = expr(d, c->expr)))
			return d->err->code;
		f->cols[i].label = c->label;
		f->cols[i].ty = (struct rn_ty){(uint8_t)c->type, (uint8_t)c->unit};
	}
	return 0;
}

static int fields(struct decoder *d, const Rn__Wire__Fragment *m, struct rn_fragment *f)
{
	f->nfields = (unsigned)m->n_field;
	if (!(f->fields = TAKEN(d, const struct rn_field *, m->n_field)))
		return -EDQUOT;
	for (unsigned i = 0; i < m->n_field; i++) {
		struct rn_field *named = TAKE(d, struct rn_field); /* until rn_fragment_bind */

		if (!named)
			return -EDQUOT;
		if (!type_ok(m->field[i]->type, m->field[i]->unit))
			return bad(d, "an unknown type");
		named->name = m->field[i]->name;
		named->ty = (struct rn_ty){(uint8_t)m->field[i]->type, (uint8_t)m->field[i]->unit};
		f->fields[i] = named;
	}
	return 0;
}

static int tags(struct decoder *d, const Rn__Wire__Fragment *m, struct rn_fragment *f)
{
	struct rn_tag *t = TAKEN(d, struct rn_tag, m->n_tag);

	if (!t)
		return -EDQUOT;
	for (unsigned i = 0; i < m->n_tag; i++) {
		t[i] = rn_tag_of((const char *)m->tag[i].data,
				 m->tag[i].len < UINT32_MAX ? m->tag[i].len : UINT32_MAX);
		if (!rn_tag_fits(t[i]))
			return bad(d, "a tag too short or too long");
	}
	f->tags = t;
	f->ntags = (unsigned)m->n_tag;
	return 0;
}

static int fragment(struct decoder *d, const Rn__Wire__Fragment *m, struct rn_frame *out)
{
	struct rn_fragment *f = TAKE(d, struct rn_fragment);
	int err;

	if (!f)
		return -EDQUOT;
	if (m->n_tag > RN_MAX_TAGS || m->n_where > RN_MAX_LIST || m->n_field > RN_MAX_LIST ||
	    m->n_key > MAX_KEYS || m->n_agg > MAX_AGGS || m->n_column > RN_MAX_LIST ||
	    m->agg_place > RN_AT_COORDINATOR)
		return bad(d, "a fragment beyond the limits");
	if (m->every_ns < 0 || m->limit < -1 || !(m->sample >= 0 && m->sample <= 1))
		return bad(d, "a window, limit or sample out of range");
	if (m->scan_cap_bytes > RN_SCAN_CAP_MAX)
		return bad(d, "more of a call to be searched than the limit");
	f->class_name = m->class_name;
	f->class_arg = *m->class_arg ? m->class_arg : NULL;
	f->span = span_of(m->span);
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
	out->fragment = f;
	return 0;
}

/* ---- the other bodies ---- */

static int ledger(const Rn__Wire__Ledger *m, struct rn_ledger *l)
{
	l->node = m->node;
	for (unsigned i = 0; i < m->n_n && i < RN_L_COUNT; i++)
		l->n[i] = m->n[i];
	l->begin_ns = m->begin_ns;
	l->end_ns = m->end_ns;
	l->answered = m->answered;
	l->why = *m->why ? m->why : NULL;
	l->until_ns = m->until_ns;
	l->joined_ns = m->joined_ns;
	l->edge_ns = m->edge_ns;
	l->hash_key = m->hash_key;
	l->clock_bound_ns = m->clock_bound_ns;
	l->clock_offset_ns = m->clock_offset_ns;
	l->place = *m->place ? m->place : NULL;
	for (size_t i = 0; m->path_items && i < m->n_path && i / m->path_items < RN_PATH_COUNT; i++)
		if (i % m->path_items < RN_C_COUNT)
			l->path[i / m->path_items][i % m->path_items] = m->path[i];
	return 0;
}

static int partials(struct decoder *d, const Rn__Wire__Partials *m, struct rn_partials *p,
		    const struct rn_agg_call *calls, unsigned naggs, unsigned nkeys)
{
	if (m->nkeys != nkeys || m->naggs != naggs)
		return bad(d, "partial states of another query");
	p->window_ns = m->window_ns;
	p->n = m->ngroups;
	return rn_unpack_partials(d->arena, m->packed.data, m->packed.len, p, calls, naggs, nkeys)
		       ? 0
		       : bad(d, "partial states");
}

static int words(struct decoder *d, const Rn__Wire__Fragment *m, const char *const **out)
{
	const char **on = m->n_on ? TAKEN(d, const char *, m->n_on + 1) : NULL;

	if (m->n_on && !on)
		return -EDQUOT;
	for (size_t i = 0; i < m->n_on; i++)
		on[i] = m->on[i];
	*out = on;
	return 0;
}

static int body(struct decoder *d, const Rn__Wire__Frame *m, struct rn_frame *out,
		const struct rn_agg_call *calls, unsigned naggs, unsigned nkeys)
{
	switch (m->body_case) {
	case RN__WIRE__FRAME__BODY_HELLO:
		out->kind = RN_FRAME_HELLO;
		out->hello = (struct rn_hello){.program = m->hello->program,
					       .kind = m->hello->kind,
					       .name = m->hello->name,
					       .asker = m->hello->asker,
					       .place = m->hello->place,
					       .pids = m->hello->pid,
					       .npids = (unsigned)m->hello->n_pid,
					       .nodes = m->hello->nodes,
					       .depth = m->hello->depth,
					       .clock_base_ns = m->hello->clock_base_ns};
		return 0;
	case RN__WIRE__FRAME__BODY_FRAGMENT:
		out->kind = RN_FRAME_FRAGMENT;
		out->clock_shift_ns = m->fragment->clock_shift_ns;
		return words(d, m->fragment, &out->on) ? -EDQUOT : fragment(d, m->fragment, out);
	case RN__WIRE__FRAME__BODY_ROWS:
		out->kind = RN_FRAME_ROWS;
		out->rows.nrows = m->rows->nrows;
		out->rows.ncols = m->rows->ncols;
		return rn_unpack_rows(d->arena, m->rows->packed.data, m->rows->packed.len,
				      &out->rows)
			       ? 0
			       : bad(d, "rows");
	case RN__WIRE__FRAME__BODY_PARTIALS:
		out->kind = RN_FRAME_PARTIALS;
		out->peek = m->partials->peek;
		return partials(d, m->partials, &out->partials, calls, naggs, nkeys);
	case RN__WIRE__FRAME__BODY_LEDGER:
		out->kind = RN_FRAME_LEDGER;
		return ledger(m->ledger, &out->ledger);
	case RN__WIRE__FRAME__BODY_WATERMARK:
		out->kind = RN_FRAME_WATERMARK;
		out->watermark_ns = m->watermark->time_ns;
		out->seen = m->watermark->seen;
		out->answering = m->watermark->answering;
		out->late = m->watermark->late;
		out->whole = m->watermark->whole;
		out->in_window = m->watermark->in_window;
		out->names = *m->watermark->names ? m->watermark->names : NULL;
		for (size_t i = 0; i < m->watermark->n_counts && i < RN_L_COUNT; i++)
			out->ledger.n[i] = m->watermark->counts[i];
		return 0;
	case RN__WIRE__FRAME__BODY_STOP:
		out->kind = RN_FRAME_STOP;
		out->wait_ns = m->stop->wait_ns;
		return 0;
	case RN__WIRE__FRAME__BODY_ERROR:
		out->kind = RN_FRAME_ERROR;
		rn_err_set(&out->error, m->error->code < 0 ? m->error->code : -EIO, "%s",
			   m->error->text);
		rn_err_hint(&out->error, "%s", m->error->hint);
		out->error.span = span_of(m->error->span);
		return 0;
	case RN__WIRE__FRAME__BODY_END: out->kind = RN_FRAME_END; return 0;
	case RN__WIRE__FRAME__BODY_ACCEPTED:
		out->kind = RN_FRAME_ACCEPTED;
		out->nodes = m->accepted->nodes;
		out->names = *m->accepted->names ? m->accepted->names : NULL;
		return 0;
	case RN__WIRE__FRAME__BODY_START:
		out->kind = RN_FRAME_START;
		out->first_ns = m->start->first_ns;
		out->until_ns = m->start->until_ns;
		return 0;
	case RN__WIRE__FRAME__BODY_STARTED:
		out->kind = RN_FRAME_STARTED;
		out->node_ns = m->started->begin_ns;
		return 0;
	case RN__WIRE__FRAME__BODY_PING:
		out->kind = RN_FRAME_PING;
		out->sent_ns = m->ping->sent_ns;
		return 0;
	case RN__WIRE__FRAME__BODY_PONG:
		out->kind = RN_FRAME_PONG;
		out->sent_ns = m->pong->sent_ns;
		out->node_ns = m->pong->node_ns;
		return 0;
	case RN__WIRE__FRAME__BODY_PEEK:
		out->kind = RN_FRAME_PEEK;
		out->peek = m->peek->number;
		return 0;
	case RN__WIRE__FRAME__BODY_TRIP:
		out->kind = RN_FRAME_TRIP;
		out->trip = (struct rn_trip){.node = m->trip->node,
					     .through = m->trip->through,
					     .sent_ns = m->trip->sent_ns,
					     .node_ns = m->trip->node_ns,
					     .received_ns = m->trip->received_ns,
					     .shift_ns = m->trip->shift_ns};
		return 0;
	case RN__WIRE__FRAME__BODY_PEEKED:
		out->kind = RN_FRAME_PEEKED;
		out->peek = m->peeked->number;
		return 0;
	default: return bad(d, "no body that this version knows");
	}
}

int rn_frame_kind(const unsigned char *bytes, size_t n)
{
	static const struct {
		unsigned field;
		enum rn_frame_kind kind;
	} kinds[] = {
		{RN__WIRE__FRAME__BODY_HELLO, RN_FRAME_HELLO},
		{RN__WIRE__FRAME__BODY_FRAGMENT, RN_FRAME_FRAGMENT},
		{RN__WIRE__FRAME__BODY_STOP, RN_FRAME_STOP},
		{RN__WIRE__FRAME__BODY_START, RN_FRAME_START},
		{RN__WIRE__FRAME__BODY_PING, RN_FRAME_PING},
		{RN__WIRE__FRAME__BODY_PEEK, RN_FRAME_PEEK},
	};
	struct rn_unpack b = rn_unpack_of(bytes, n);
	int kind = -1;

	while (b.p < b.end && !b.bad) { /* of several bodies the last one counts, as for protobuf */
		uint64_t tag = rn_unpack_varint(&b), skip = 0;

		for (unsigned i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
			if (tag >> 3 == kinds[i].field)
				kind = (int)kinds[i].kind;
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
	struct decoder d = {.arena = a, .err = err};
	ProtobufCAllocator alloc = {.alloc = arena_alloc, .free = arena_free, .allocator_data = &d};
	struct rn_unpack raw = rn_unpack_of(bytes, n);
	unsigned elements = 0;
	Rn__Wire__Frame *m;

	memset(out, 0, sizeof(*out));
	if (n > RN_FRAME_MAX)
		return bad(&d, "longer than 16 MiB");
	if (!walk(&rn__wire__frame__descriptor, &raw, 0, &elements))
		return bad(&d, "cut, too deep or too many parts");
	m = rn__wire__frame__unpack(&alloc, n, bytes);
	if (!m)
		return d.full ? full(&d) : bad(&d, "not a frame");
	if (m->version != RN_WIRE_VERSION)
		return rn_err_set(
			err, -EPROTO,
			"the frame is of version %u, this side knows %d: upgrade the older side",
			m->version, RN_WIRE_VERSION);
	out->node = m->node;
	out->seq = m->seq;
	return body(&d, m, out, calls, naggs, nkeys);
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
