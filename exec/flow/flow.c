/* flow.c - collects the hops of tagged data, has them paired, ordered and linked, and shows them.
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
enum { BOUND = 64 << 20 };

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
	f->bound = BOUND;
	rn_secret_make(&f->secret);
	f->nslots = 1024;
	f->slots = RN_NEWN(arena, struct rn_flow_slot, f->nslots);
	return f;
}

void rn_flow_bound(struct rn_flow *flow, uint64_t bytes)
{
	flow->bound = bytes;
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

static int64_t number(const struct rn_flow_hop *h, enum rn_flow_need need)
{
	return rn_flow_number(&h->fields[need]);
}

/* ---- keys ---- */

static struct rn_flow_slot *find(const struct rn_flow *f, struct rn_flow_slot *slots, uint32_t n,
				 const char *key)
{
	uint32_t at = (uint32_t)rn_hash_secret(&f->secret, key, strlen(key)) & (n - 1);

	while (slots[at].key && strcmp(slots[at].key, key))
		at = (at + 1) & (n - 1);
	return &slots[at];
}

struct rn_flow_slot *rn_flow_slot(struct rn_flow *flow, const char *key)
{
	struct rn_flow_slot *s = find(flow, flow->slots, flow->nslots, key);

	if (!s->key && flow->used >= flow->nslots / 2) {
		struct rn_flow_slot *more =
			RN_NEWN(flow->arena, struct rn_flow_slot, (size_t)flow->nslots * 2);

		for (uint32_t i = 0; i < flow->nslots; i++)
			if (flow->slots[i].key)
				*find(flow, more, flow->nslots * 2, flow->slots[i].key) =
					flow->slots[i];
		flow->slots = more;
		flow->nslots *= 2;
		s = find(flow, flow->slots, flow->nslots, key);
	}
	flow->used += !s->key;
	s->key = key;
	return s;
}

uint32_t rn_flow_id(struct rn_flow *flow, const char *key)
{
	struct rn_flow_slot *s = rn_flow_slot(flow, key);

	if (!s->value)
		s->value = ++flow->nids;
	return s->value;
}

/* ---- hops ---- */

static uint32_t node_of(struct rn_flow *f, const struct rn_flow_hop *h)
{
	struct rn_flow_slot *s =
		rn_flow_slot(f, rn_arena_printf(f->arena, "N|%s", h->fields[F_NODE].s));

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
	const struct rn_value *name = &h->fields[F_NAME];
	enum rn_dir dir = name->kind == RN_STR ? rn_call_dir(name->s, name->len) : RN_DIR_NONE;

	h->in = dir == RN_DIR_IN || (dir == RN_DIR_THROUGH && is_text(&h->fields[F_SOURCE]));
	h->out = dir == RN_DIR_OUT || dir == RN_DIR_THROUGH;
}

static void add_hop(struct rn_flow *f, struct rn_flow_hop *h)
{
	set_direction(h);
	h->end_ns = number(h, F_TIME);
	h->unseen = rn_is_unknown(&h->fields[F_LATENCY]);
	h->begin_ns = h->end_ns - number(h, F_LATENCY);
	h->order_ns = order_of(h);
	h->node = node_of(f, h);
	h->arrival = f->n++;
	f->fuse |= number(h, F_FUSE_DEV) || rn_flow_is(&h->fields[F_FILE], "/dev/fuse");
	if (f->last)
		f->last->next = h;
	else
		f->first = h;
	f->last = h;
	f->matched = false;
}

void rn_flow_add(struct rn_flow *flow, const struct rn_rows *rows)
{
	for (uint32_t k = 0; k < rows->nrows; k++) {
		const struct rn_value *row = rows->values + (size_t)k * rows->ncols;
		struct rn_flow_hop *h = RN_NEW(flow->arena, struct rn_flow_hop);

		for (int i = 0; i < F_NEEDS; i++) {
			h->fields[i] = flow->col[i] < 0 ? (i == F_TIME ? rn_int(rows->time_ns[k])
								       : rn_strn("", 0))
							: row[flow->col[i]];
			if (h->fields[i].kind == RN_STR)
				h->fields[i].s = rn_arena_strndup(
					flow->arena, h->fields[i].len ? h->fields[i].s : "",
					h->fields[i].len);
		}
		add_hop(flow, h);
	}
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
		rn_strbuf_init(&c->tags, flow->arena);
	}
	if (c->tags.len)
		rn_strbuf_putc(&c->tags, ',');
	rn_strbuf_putn(&c->tags, tag->s, tag->len);
}

bool rn_flow_tag(const struct rn_flow_hop *hop, uint32_t *at, struct rn_value *tag)
{
	const struct rn_value *all = &hop->fields[F_TAGS];
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
	const char *s = hop->fields[F_HITS].kind == RN_STR ? hop->fields[F_HITS].s : "", *first = s;

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
		int64_t ns = h->unseen ? attached_ns(flow, h->fields[F_NODE].s) : h->begin_ns;

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
	begin_unseen(f);
	rn_flow_match_streams(f);
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
			r = each(self, &(struct rn_flow_message){h->cause->fields[F_NODE].s,
								 h->fields[F_NODE].s,
								 h->cause->begin_ns, h->end_ns});
	return r < 0 ? r : 0;
}

static int64_t aligned(const struct rn_flow *f, const struct rn_flow_hop *h, int64_t ns)
{
	return f->align ? f->align(f->align_self, h->fields[F_NODE].s, ns) : ns;
}

static struct rn_value how_text(const struct rn_flow_hop *h)
{
	static const char *const text[] = {"", "none", "order", "nat", "exact"};
	unsigned how =
		h->in_how && (!h->out_how || h->in_how < h->out_how) ? h->in_how : h->out_how;

	return rn_strn(text[how], strlen(text[how]));
}

static struct rn_value text(const char *s)
{
	return rn_strn(s, strlen(s));
}

static struct rn_value link_text(const struct rn_cause *c)
{
	static const char *const names[] = {
		[RN_LINK_NONE] = "",           [RN_LINK_EXACT] = "exact",
		[RN_LINK_NAT] = "nat",         [RN_LINK_ORDER] = "order",
		[RN_LINK_FILE] = "file",       [RN_LINK_FUSE] = "fuse",
		[RN_LINK_THREAD] = "thread",   [RN_LINK_STREAM] = "stream",
		[RN_LINK_LENGTH] = "length",   [RN_LINK_HASH] = "hash",
		[RN_LINK_PROCESS] = "process",
	};

	return text(names[c->link]);
}

/* Does the tag come from no hop that was seen? */
static bool is_orphan(const struct rn_flow_hop *h, const struct rn_value *tag)
{
	for (const struct rn_cause *c = h->causes; c; c = c->next) {
		const char *s = c->tags.s, *end = s + c->tags.len;

		for (const char *comma; s <= end; s = comma + 1) {
			comma = memchr(s, ',', (size_t)(end - s));
			comma = comma ? comma : end;
			if ((size_t)(comma - s) == tag->len && !memcmp(s, tag->s, tag->len))
				return false;
		}
	}
	return true;
}

/* The tags that came from nowhere get a cause of their own: none. */
static void add_orphans(struct rn_flow *f, struct rn_flow_hop *h)
{
	struct rn_cause none = {0}, **at = &h->causes;
	struct rn_value tag;

	rn_strbuf_init(&none.tags, f->arena);
	for (uint32_t i = 0; rn_flow_tag(h, &i, &tag);)
		if (is_orphan(h, &tag))
			rn_strbuf_printf(&none.tags, "%s%.*s", none.tags.len ? "," : "",
					 (int)tag.len, tag.s);
	if (h->causes && !none.tags.len)
		return;
	while (*at)
		at = &(*at)->next;
	*at = RN_NEW(f->arena, struct rn_cause);
	**at = none;
}

static int show(struct rn_flow *flow, struct rn_flow_hop *hop,
		int (*visit)(void *self, const struct rn_value *v, int64_t time_ns), void *self)
{
	int64_t time_ns = aligned(flow, hop, number(hop, F_TIME)),
		entry_ns = aligned(flow, hop, number(hop, F_TIME) - number(hop, F_LATENCY));
	struct rn_value value[RN_FLOW_COLUMNS] = {
		[RN_FLOW_HOP] = rn_int(hop->number),
		[RN_FLOW_TIME] = rn_int(time_ns),
		[RN_FLOW_NODE] = hop->fields[F_NODE],
		[RN_FLOW_PROC] = hop->fields[F_PROC],
		[RN_FLOW_PID] = rn_int(number(hop, F_PID)),
		[RN_FLOW_NAME] = hop->fields[F_NAME],
		[RN_FLOW_DIR] = text(hop->out  ? "out"
				     : hop->in ? "in"
					       : ""),
		[RN_FLOW_OBJECT] = text(rn_flow_object(flow, hop)),
		[RN_FLOW_BYTES] = rn_int(number(hop, F_BYTES)),
		[RN_FLOW_LATENCY] = hop->unseen ? rn_unknown() : rn_int(time_ns - entry_ns),
		[RN_FLOW_MATCH] = how_text(hop),
	};
	int r = 0;

	add_orphans(flow, hop);
	for (struct rn_cause *c = hop->causes; c && r >= 0; c = c->next) {
		value[RN_FLOW_TAGS] = text(rn_strbuf_cstr(&c->tags));
		value[RN_FLOW_FROM] = rn_int(c->from ? c->from->number : 0);
		value[RN_FLOW_LINK] = link_text(c);
		value[RN_FLOW_CHOICES] = rn_int(c->choices);
		r = visit(self, value, time_ns);
	}
	return r;
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
	settle(flow);
	for (struct rn_flow_hop *hop = flow->first; hop; hop = hop->next)
		hop->aligned_ns = aligned(flow, hop, hop->order_ns);
	rn_flow_match_datagrams(flow);
	rn_flow_order(flow, order);
	for (uint32_t i = 0; i < flow->n; i++)
		rn_flow_link(flow, order[i]);
	rn_flow_processes(flow, order);
	for (uint32_t i = 0; i < flow->n && r >= 0; i++) {
		assert(order[i]);
		r = show(flow, order[i], visit, self);
	}
	free(order);
	return r < 0 ? r : 0;
}
