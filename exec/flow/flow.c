/* flow.c - collects the hops of tagged data, and has them paired, ordered, linked and shown.
 *
 * A hop takes data in (read, receive), puts it out (write, send), or does both in one call
 * (sendfile, splice, copy_file_range: calls with a `source`). */
#include <assert.h>
#include <stdlib.h>
#include "exec/flow/flow_impl.h"
#include "lang/base/memory.h"
#include "lang/catalog/direction.h"

static const char *const needs[F_NEEDS] = {
#define X(id, name) name,
	RN_FLOW_NEEDS(X)
#undef X
};
enum {
	BOUND = 64 << 20,
	KEYS = 1 << 20,
	LINKING = 500 /* bytes that linking takes for a hop: test_flow_graph.c measures it */
};

struct rn_flow *rn_flow_new(struct rn_arena *arena, const struct rn_column *cols, unsigned ncols)
{
	struct rn_flow *f = RN_NEW(arena, struct rn_flow);

	f->arena = arena;
	for (int i = 0; i < F_NEEDS; i++) {
		f->col[i] = -1;
		for (unsigned c = 0; c < ncols; c++)
			if (!strcmp(cols[c].label, needs[i]))
				f->col[i] = (int)c;
	}
	for (unsigned i = 0; i < RN_FLOW_IFS; i++) {
		f->condition[i] = -1;
		for (unsigned c = 0; c < ncols; c++)
			if (!strcmp(cols[c].label, rn_flow_conditions[i].column))
				f->condition[i] = (int)c;
	}
	f->texts = rn_flow_texts(arena);
	f->bound = BOUND;
	f->room = RN_FLOW_ROOM;
	rn_secret_make(&f->secret);
	f->nslots = 1024;
	f->slots = RN_NEWN(arena, struct rn_flow_slot *, f->nslots);
	return f;
}

void rn_flow_bound(struct rn_flow *flow, uint64_t bytes)
{
	flow->bound = bytes;
}

void rn_flow_room(struct rn_flow *flow, uint64_t bytes)
{
	flow->room = bytes;
}

void rn_flow_whole(struct rn_flow *flow)
{
	flow->whole = true;
}

int64_t rn_flow_shed(const struct rn_flow *flow)
{
	return flow->shed;
}

int64_t rn_flow_forgotten(const struct rn_flow *flow)
{
	return flow->forgotten;
}

void rn_flow_align(struct rn_flow *flow, rn_flow_align_fn *align, void *self)
{
	flow->align = align;
	flow->align_self = self;
}

static bool is_text(const struct rn_value *v)
{
	return v->kind == RN_STR && v->len;
}

/* ---- keys ---- */

static void keys_begin(struct rn_flow *f)
{
	f->keys = rn_arena_create(KEYS);
}

static void keys_end(struct rn_flow *f)
{
	rn_arena_destroy(f->keys);
	f->keys = NULL;
}

/* The place of a key: its own, or the free one for it. */
static struct rn_flow_slot **find(struct rn_flow_slot **slots, uint32_t n, uint32_t hash,
				  const char *key)
{
	uint32_t at = hash & (n - 1);

	while (slots[at] && (slots[at]->hash != hash || strcmp(slots[at]->key, key) != 0))
		at = (at + 1) & (n - 1);
	return &slots[at];
}

static void grow(struct rn_flow *f)
{
	struct rn_flow_slot **more =
		RN_NEWN(f->arena, struct rn_flow_slot *, (size_t)f->nslots * 2);

	for (uint32_t i = 0; i < f->nslots; i++)
		if (f->slots[i])
			*find(more, f->nslots * 2, f->slots[i]->hash, f->slots[i]->key) =
				f->slots[i];
	f->slots = more;
	f->nslots *= 2;
}

struct rn_flow_slot *rn_flow_slot(struct rn_flow *flow, const char *key)
{
	size_t n = strlen(key);
	uint32_t hash = (uint32_t)rn_hash_secret(&flow->secret, key, n);
	struct rn_flow_slot **at = find(flow->slots, flow->nslots, hash, key);

	if (*at)
		return *at;
	if (flow->used >= flow->nslots / 2) {
		grow(flow);
		at = find(flow->slots, flow->nslots, hash, key);
	}
	flow->used++;
	*at = rn_arena_alloc(flow->arena, sizeof(**at) + n + 1);
	(*at)->hash = hash;
	memcpy((*at)->key, key, n + 1);
	return *at;
}

uint32_t rn_flow_id(struct rn_flow *flow, const char *key)
{
	struct rn_flow_slot *s = rn_flow_slot(flow, key);

	if (!s->value)
		s->value = ++flow->nids;
	return s->value;
}

/* ---- hops ---- */

/* Texts are kept once: the same node has the same pointer. */
static uint32_t node_of(struct rn_flow *f, const struct rn_flow_hop *h)
{
	const char *node = rn_flow_text(h, F_NODE)->s;
	struct rn_flow_slot *s;

	if (f->last && rn_flow_text(f->last, F_NODE)->s == node)
		return f->last->node;
	rn_arena_reset(f->keys);
	s = rn_flow_slot(f, rn_arena_printf(f->keys, "N|%s", node));
	if (!s->value)
		s->value = ++f->nnodes;
	return s->value - 1;
}

static int64_t order_of(const struct rn_flow_hop *h)
{
	return !h->out || rn_flow_waits(h) ? h->end_ns : h->begin_ns;
}

/* A copy within the kernel whose source is not known is a hop that puts its data out. */
static void set_direction(struct rn_flow_hop *h)
{
	const struct rn_value *name = rn_flow_text(h, F_NAME);
	enum rn_dir dir = name->kind == RN_STR ? rn_call_dir(name->s, name->len) : RN_DIR_NONE;

	h->in = dir == RN_DIR_IN || (dir == RN_DIR_THROUGH && is_text(rn_flow_text(h, F_SOURCE)));
	h->out = dir == RN_DIR_OUT || dir == RN_DIR_THROUGH;
}

static void add_hop(struct rn_flow *f, struct rn_flow_hop *h)
{
	set_direction(h);
	h->end_ns = rn_flow_number(h, F_TIME);
	h->begin_ns = h->end_ns - rn_flow_number(h, F_LATENCY);
	h->order_ns = order_of(h);
	h->node = node_of(f, h);
	h->arrival = f->n++;
	f->fuse |=
		rn_flow_number(h, F_FUSE_DEV) || rn_flow_is(rn_flow_text(h, F_FILE), "/dev/fuse");
	if (f->last)
		f->last->next = h;
	else
		f->first = h;
	f->last = h;
	f->matched = false;
}

static bool is_true(const struct rn_value *v)
{
	return v->kind == RN_BOOL && v->i;
}

static void set_field(struct rn_flow *f, struct rn_flow_hop *h, int need, const struct rn_value *v)
{
	if (v->kind == RN_INT) {
		h->numbers |= 1u << need;
		h->field[need].i = v->i;
	} else if (v->kind == RN_STR) {
		h->texts |= 1u << need;
		h->field[need].text = rn_flow_keep(f, v->s, v->len);
	} else if (need == F_LATENCY) {
		h->unseen = rn_is_unknown(v);
	}
}

/* Is there room for one more hop, and for what linking takes for it? */
static bool has_room(const struct rn_flow *f)
{
	return rn_arena_bytes(f->arena) + (uint64_t)LINKING * (f->n + 1) < f->room;
}

void rn_flow_add(struct rn_flow *flow, const struct rn_rows *rows)
{
	keys_begin(flow);
	for (uint32_t k = 0; k < rows->nrows; k++) {
		const struct rn_value *row = rows->values + (size_t)k * rows->ncols;
		struct rn_flow_hop *h;

		if (!has_room(flow)) {
			flow->shed += rows->nrows - k;
			break;
		}
		h = RN_NEW(flow->arena, struct rn_flow_hop);
		for (int i = 0; i < F_NEEDS; i++)
			if (flow->col[i] >= 0)
				set_field(flow, h, i, &row[flow->col[i]]);
			else if (i == F_TIME)
				set_field(
					flow, h, i,
					&(struct rn_value){.kind = RN_INT, .i = rows->time_ns[k]});
		for (unsigned i = 0; i < RN_FLOW_IFS; i++)
			if (flow->condition[i] >= 0 && is_true(&row[flow->condition[i]]))
				h->holds |= (uint8_t)(1u << i);
		add_hop(flow, h);
	}
	keys_end(flow);
}

void rn_flow_cause(struct rn_flow *flow, struct rn_flow_hop *hop, struct rn_flow_hop *from,
		   const struct rn_value *tag, enum rn_flow_how_linked link, uint32_t choices)
{
	struct rn_cause **at = &hop->causes, *c;

	while (*at && ((*at)->from != from || (*at)->link != link || (*at)->choices != choices))
		at = &(*at)->next;
	c = *at;
	if (!c) {
		c = *at = RN_NEW(flow->arena, struct rn_cause);
		*c = (struct rn_cause){.from = from, .link = (uint8_t)link, .choices = choices};
		c->tag = rn_flow_keep(flow, tag->s, tag->len)->s;
		return;
	}
	if (!c->tags) {
		c->tags = RN_NEW(flow->arena, struct rn_strbuf);
		rn_strbuf_init(c->tags, flow->arena);
		rn_strbuf_put(c->tags, c->tag);
	}
	rn_strbuf_putc(c->tags, ',');
	rn_strbuf_putn(c->tags, tag->s, tag->len);
}

bool rn_flow_tag(const struct rn_flow_hop *hop, uint32_t *at, struct rn_value *tag)
{
	const struct rn_value *all = rn_flow_text(hop, F_TAGS);
	uint32_t end = *at;

	if (*at > all->len || all->kind != RN_STR)
		return false;
	while (end < all->len && all->s[end] != ',')
		end++;
	*tag = rn_strn(all->s + *at, end - *at);
	*at = end + 1;
	return true;
}

uint32_t rn_flow_tag_bytes(const struct rn_value *tag)
{
	bool hex = tag->len > 3 && !memcmp(tag->s, "x\"", 2) && tag->s[tag->len - 1] == '"';

	return tag->len && hex ? (tag->len - 3) / 2 : tag->len ? tag->len : 1;
}

bool rn_flow_place(const struct rn_flow_hop *hop, const struct rn_value *tag, int64_t *place)
{
	const char *s = rn_flow_text(hop, F_HITS)->s, *first = s;

	for (; tag->len && (s = strstr(s, "@")); s++) { /* TAG@POSITION, separated by blanks */
		const char *from = s - tag->len;
		char *end;

		if (s - first < (ptrdiff_t)tag->len || memcmp(from, tag->s, tag->len) ||
		    (from > first && from[-1] != ' '))
			continue;
		*place = strtoll(s + 1, &end, 10);
		if (end > s + 1 && (!*end || *end == ' '))
			return true;
	}
	return false;
}

/* ---- hops whose beginning was not seen ---- */

void rn_flow_attached(struct rn_flow *flow, const char *node, int64_t time_ns)
{
	struct rn_flow_attached *a = RN_NEW(flow->arena, struct rn_flow_attached);

	*a = (struct rn_flow_attached){node ? rn_arena_strdup(flow->arena, node) : NULL, time_ns,
				       flow->attached};
	flow->attached = a;
}

void rn_flow_lost(struct rn_flow *flow, const char *node)
{
	struct rn_flow_lost *l = RN_NEW(flow->arena, struct rn_flow_lost);

	*l = (struct rn_flow_lost){node ? rn_arena_strdup(flow->arena, node) : NULL, flow->lost};
	flow->lost = l;
}

/* Finds the nodes whose events are not all there. Hops that were shed may be of any. */
static void find_lossy(struct rn_flow *f)
{
	f->lossy = RN_NEWN(f->arena, bool, f->nnodes + 1);
	f->any_lossy = f->lost || f->shed;
	for (const struct rn_flow_hop *h = f->first; h && f->any_lossy; h = h->next) {
		f->lossy[h->node] |= f->shed;
		for (const struct rn_flow_lost *l = f->lost; l && !f->lossy[h->node]; l = l->next)
			f->lossy[h->node] =
				!l->node || !strcmp(l->node, rn_flow_text(h, F_NODE)->s);
	}
}

/* Returns INT64_MAX if it is not known. */
static int64_t attached_ns(const struct rn_flow *f, const char *node)
{
	int64_t others = INT64_MAX;

	for (const struct rn_flow_attached *a = f->attached; a; a = a->next)
		if (a->node && !strcmp(a->node, node))
			return a->ns;
		else if (!a->node && a->ns < others)
			others = a->ns;
	return others;
}

/* Such hops began when the query was attached, so before any hop of their node whose beginning was
 * seen. */
static void begin_unseen(struct rn_flow *flow)
{
	int64_t *first = RN_NEWN(flow->arena, int64_t, flow->nnodes + 1);
	bool any = false;

	for (const struct rn_flow_hop *h = flow->first; h; h = h->next)
		any |= h->unseen;
	if (!any)
		return;
	for (uint32_t i = 0; i < flow->nnodes; i++)
		first[i] = INT64_MAX;
	for (const struct rn_flow_hop *h = flow->first; h; h = h->next) {
		int64_t ns =
			h->unseen ? attached_ns(flow, rn_flow_text(h, F_NODE)->s) : h->begin_ns;

		ns = ns < h->end_ns ? ns : h->end_ns;
		first[h->node] = ns < first[h->node] ? ns : first[h->node];
	}
	for (struct rn_flow_hop *h = flow->first; h; h = h->next)
		if (h->unseen) {
			h->begin_ns = first[h->node] - 1;
			h->order_ns = order_of(h);
		}
}

/* ---- the answer ---- */

/* Pairs the hops that need no common clock; once. */
static void match(struct rn_flow *f)
{
	if (f->matched)
		return;
	keys_begin(f);
	begin_unseen(f);
	rn_flow_match_streams(f);
	keys_end(f);
	f->matched = true;
}

int rn_flow_messages(struct rn_flow *flow, int (*each)(void *self, const struct rn_flow_message *m),
		     void *self)
{
	int r = 0;

	match(flow);
	for (const struct rn_flow_hop *h = flow->first; h && r >= 0; h = h->next)
		/* else it may have been sent before it "began" */
		if (h->cause && h->cause->node != h->node && !h->cause->unseen)
			r = each(self, &(struct rn_flow_message){rn_flow_text(h->cause, F_NODE)->s,
								 rn_flow_text(h, F_NODE)->s,
								 h->cause->begin_ns, h->end_ns});
	return r < 0 ? r : 0;
}

/* A call that both receives and sends is ordered after the send it consumed and before the receive
 * that consumes it. */
static void settle(struct rn_flow *f)
{
	for (struct rn_flow_hop *h = f->first; h; h = h->next) {
		struct rn_flow_hop *s = h->cause;

		if (s && s->node == h->node && s->in && s->out && s->order_ns > h->end_ns)
			s->order_ns = h->end_ns > s->begin_ns ? h->end_ns : s->begin_ns;
	}
	for (struct rn_flow_hop *h = f->first; h; h = h->next)
		if (h->cause && h->cause->node == h->node && h->out &&
		    h->order_ns <= h->cause->order_ns)
			h->order_ns = h->cause->order_ns + 1;
}

int rn_flow_visit(struct rn_flow *flow,
		  int (*visit)(void *self, const struct rn_value *v, int64_t time_ns), void *self)
{
	struct rn_flow_hop **order = rn_calloc(flow->n + 1, sizeof(struct rn_flow_hop *));
	int r = 0;

	match(flow);
	find_lossy(flow);
	keys_begin(flow);
	settle(flow);
	for (struct rn_flow_hop *hop = flow->first; hop; hop = hop->next)
		hop->aligned_ns = rn_flow_aligned(flow, hop, hop->order_ns, NULL);
	rn_flow_match_datagrams(flow);
	rn_flow_order(flow, order);
	for (uint32_t i = 0; i < flow->n; i++) {
		rn_arena_reset(flow->keys);
		rn_flow_link(flow, order[i]);
	}
	rn_flow_processes(flow, order);
	rn_flow_graph(flow, order);
	for (uint32_t i = 0; i < flow->n && r >= 0; i++) {
		assert(order[i]);
		rn_arena_reset(flow->keys);
		r = order[i]->number ? rn_flow_show(flow, order[i], visit, self) : 0;
	}
	keys_end(flow);
	free(order);
	return r < 0 ? r : 0;
}
