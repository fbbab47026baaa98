/* flow.c - collects the hops of tagged data, has them paired, ordered and linked, and shows them.
 *
 * A hop takes data in (read, receive), puts it out (write, send), or does both in one call
 * (sendfile, splice, copy_file_range: calls with a `source`). */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include "exec/flow/flow_impl.h"
#include "lang/catalog/direction.h"

static const char *const needs[F_NEEDS] = {
#define X(id, name) name,
	RN_FLOW_NEEDS(X)
#undef X
};
enum { BOUND = 64 << 20 };

struct rn_flow *rn_flow_new(struct rn_arena *a, const struct rn_column *cols, unsigned ncols)
{
	struct rn_flow *f = RN_NEW(a, struct rn_flow);

	f->a = a;
	for (int i = 0; i < F_NEEDS; i++) {
		f->col[i] = -1;
		for (unsigned c = 0; c < ncols; c++)
			if (!strcmp(cols[c].label, needs[i]))
				f->col[i] = (int)c;
	}
	f->bound = BOUND;
	rn_secret_make(&f->secret);
	f->nslots = 1024;
	f->slots = RN_NEWN(a, struct rn_flow_slot, f->nslots);
	return f;
}

void rn_flow_bound(struct rn_flow *f, uint64_t bytes)
{
	f->bound = bytes;
}

int64_t rn_flow_forgotten(const struct rn_flow *f)
{
	return f->forgotten;
}

void rn_flow_align(struct rn_flow *f, rn_flow_align_fn *align, void *self)
{
	f->align = align;
	f->align_self = self;
}

static bool is_text(const struct rn_value *v)
{
	return v->kind == RN_STR && v->len;
}

static int64_t number(const struct rn_flow_hop *h, enum rn_flow_need need)
{
	return rn_flow_number(&h->v[need]);
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

struct rn_flow_slot *rn_flow_slot(struct rn_flow *f, const char *key)
{
	struct rn_flow_slot *s = find(f, f->slots, f->nslots, key);

	if (!s->key && f->used >= f->nslots / 2) {
		struct rn_flow_slot *more =
			RN_NEWN(f->a, struct rn_flow_slot, (size_t)f->nslots * 2);

		for (uint32_t i = 0; i < f->nslots; i++)
			if (f->slots[i].key)
				*find(f, more, f->nslots * 2, f->slots[i].key) = f->slots[i];
		f->slots = more;
		f->nslots *= 2;
		s = find(f, f->slots, f->nslots, key);
	}
	f->used += !s->key;
	s->key = key;
	return s;
}

uint32_t rn_flow_id(struct rn_flow *f, const char *key)
{
	struct rn_flow_slot *s = rn_flow_slot(f, key);

	if (!s->value)
		s->value = ++f->nids;
	return s->value;
}

/* ---- hops ---- */

static uint32_t node_of(struct rn_flow *f, const struct rn_flow_hop *h)
{
	struct rn_flow_slot *s = rn_flow_slot(f, rn_arena_printf(f->a, "N|%s", h->v[F_NODE].s));

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
	const struct rn_value *name = &h->v[F_NAME];
	enum rn_dir dir = name->kind == RN_STR ? rn_call_dir(name->s, name->len) : RN_DIR_NONE;

	h->in = dir == RN_DIR_IN || (dir == RN_DIR_THROUGH && is_text(&h->v[F_SOURCE]));
	h->out = dir == RN_DIR_OUT || dir == RN_DIR_THROUGH;
}

static void add_hop(struct rn_flow *f, struct rn_flow_hop *h)
{
	set_direction(h);
	h->end_ns = number(h, F_TIME);
	h->unseen = rn_is_unknown(&h->v[F_LATENCY]);
	h->begin_ns = h->end_ns - number(h, F_LATENCY);
	h->order_ns = order_of(h);
	h->node = node_of(f, h);
	h->arrival = f->n++;
	f->fuse |= number(h, F_FUSE_DEV) || rn_flow_is(&h->v[F_FILE], "/dev/fuse");
	if (f->last)
		f->last->next = h;
	else
		f->first = h;
	f->last = h;
	f->matched = false;
}

void rn_flow_add(struct rn_flow *f, const struct rn_rows *r)
{
	for (uint32_t k = 0; k < r->nrows; k++) {
		const struct rn_value *row = r->v + (size_t)k * r->ncols;
		struct rn_flow_hop *h = RN_NEW(f->a, struct rn_flow_hop);

		for (int i = 0; i < F_NEEDS; i++) {
			h->v[i] = f->col[i] < 0
					  ? (i == F_TIME ? rn_int(r->time_ns[k]) : rn_strn("", 0))
					  : row[f->col[i]];
			if (h->v[i].kind == RN_STR)
				h->v[i].s = rn_arena_strndup(f->a, h->v[i].len ? h->v[i].s : "",
							     h->v[i].len);
		}
		add_hop(f, h);
	}
}

void rn_flow_cause(struct rn_flow *f, struct rn_flow_hop *h, struct rn_flow_hop *from,
		   const struct rn_value *tag, enum rn_flow_how_linked link, uint32_t choices)
{
	struct rn_cause **at = &h->causes, *c;

	while (*at && ((*at)->from != from || (*at)->link != link || (*at)->choices != choices))
		at = &(*at)->next;
	c = *at;
	if (!c) {
		c = *at = RN_NEW(f->a, struct rn_cause);
		*c = (struct rn_cause){.from = from, .link = (uint8_t)link, .choices = choices};
		rn_strbuf_init(&c->tags, f->a);
	}
	if (c->tags.len)
		rn_strbuf_putc(&c->tags, ',');
	rn_strbuf_putn(&c->tags, tag->s, tag->len);
}

bool rn_flow_tag(const struct rn_flow_hop *h, uint32_t *at, struct rn_value *tag)
{
	const struct rn_value *all = &h->v[F_TAGS];
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

bool rn_flow_place(const struct rn_flow_hop *h, const struct rn_value *tag, int64_t *place)
{
	const char *s = h->v[F_HITS].kind == RN_STR ? h->v[F_HITS].s : "", *first = s;

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

void rn_flow_attached(struct rn_flow *f, const char *node, int64_t time_ns)
{
	struct rn_flow_attached *a = RN_NEW(f->a, struct rn_flow_attached);

	*a = (struct rn_flow_attached){node ? rn_arena_strdup(f->a, node) : NULL, time_ns,
				       f->attached};
	f->attached = a;
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
static void begin_unseen(struct rn_flow *f)
{
	int64_t *first = RN_NEWN(f->a, int64_t, f->nnodes + 1);
	bool any = false;

	for (const struct rn_flow_hop *h = f->first; h; h = h->next)
		any |= h->unseen;
	if (!any)
		return;
	for (uint32_t i = 0; i < f->nnodes; i++)
		first[i] = INT64_MAX;
	for (const struct rn_flow_hop *h = f->first; h; h = h->next) {
		int64_t ns = h->unseen ? attached_ns(f, h->v[F_NODE].s) : h->begin_ns;

		ns = ns < h->end_ns ? ns : h->end_ns;
		first[h->node] = ns < first[h->node] ? ns : first[h->node];
	}
	for (struct rn_flow_hop *h = f->first; h; h = h->next)
		if (h->unseen) {
			h->begin_ns = first[h->node] - 1;
			h->order_ns = order_of(h);
		}
}

/* ---- the answer ---- */

/* Pairs the hops that need no common clock; once. */
static int match(struct rn_flow *f)
{
	int r;

	if (f->matched)
		return 0;
	begin_unseen(f);
	r = rn_flow_match_streams(f);
	f->matched = !r;
	return r;
}

int rn_flow_messages(struct rn_flow *f, int (*each)(void *self, const struct rn_flow_message *m),
		     void *self)
{
	int r = match(f);

	for (const struct rn_flow_hop *h = f->first; h && r >= 0; h = h->next)
		/* else it may have been sent before it "began" */
		if (h->cause && h->cause->node != h->node && !h->cause->unseen)
			r = each(self,
				 &(struct rn_flow_message){h->cause->v[F_NODE].s, h->v[F_NODE].s,
							   h->cause->begin_ns, h->end_ns});
	return r < 0 ? r : 0;
}

static int64_t aligned(const struct rn_flow *f, const struct rn_flow_hop *h, int64_t ns)
{
	return f->align ? f->align(f->align_self, h->v[F_NODE].s, ns) : ns;
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

	rn_strbuf_init(&none.tags, f->a);
	for (uint32_t i = 0; rn_flow_tag(h, &i, &tag);)
		if (is_orphan(h, &tag))
			rn_strbuf_printf(&none.tags, "%s%.*s", none.tags.len ? "," : "",
					 (int)tag.len, tag.s);
	if (h->causes && !none.tags.len)
		return;
	while (*at)
		at = &(*at)->next;
	*at = RN_NEW(f->a, struct rn_cause);
	**at = none;
}

static int show(struct rn_flow *f, struct rn_flow_hop *h,
		int (*visit)(void *self, const struct rn_value *v, int64_t time_ns), void *self)
{
	int64_t time_ns = aligned(f, h, number(h, F_TIME)),
		entry_ns = aligned(f, h, number(h, F_TIME) - number(h, F_LATENCY));
	struct rn_value v[RN_FLOW_COLUMNS] = {
		[RN_FLOW_HOP] = rn_int(h->number),
		[RN_FLOW_TIME] = rn_int(time_ns),
		[RN_FLOW_NODE] = h->v[F_NODE],
		[RN_FLOW_PROC] = h->v[F_PROC],
		[RN_FLOW_PID] = rn_int(number(h, F_PID)),
		[RN_FLOW_NAME] = h->v[F_NAME],
		[RN_FLOW_DIR] = text(h->out  ? "out"
				     : h->in ? "in"
					     : ""),
		[RN_FLOW_OBJECT] = text(rn_flow_object(f, h)),
		[RN_FLOW_BYTES] = rn_int(number(h, F_BYTES)),
		[RN_FLOW_LATENCY] = h->unseen ? rn_unknown() : rn_int(time_ns - entry_ns),
		[RN_FLOW_MATCH] = how_text(h),
	};
	int r = 0;

	add_orphans(f, h);
	for (struct rn_cause *c = h->causes; c && r >= 0; c = c->next) {
		v[RN_FLOW_TAGS] = text(rn_strbuf_cstr(&c->tags));
		v[RN_FLOW_FROM] = rn_int(c->from ? c->from->number : 0);
		v[RN_FLOW_LINK] = link_text(c);
		v[RN_FLOW_CHOICES] = rn_int(c->choices);
		r = visit(self, v, time_ns);
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

int rn_flow_visit(struct rn_flow *f,
		  int (*visit)(void *self, const struct rn_value *v, int64_t time_ns), void *self)
{
	struct rn_flow_hop **order = calloc(f->n + 1, sizeof(struct rn_flow_hop *));
	int r = order ? match(f) : -ENOMEM;

	settle(f);
	for (struct rn_flow_hop *h = f->first; h; h = h->next)
		h->aligned_ns = aligned(f, h, h->order_ns);
	if (!r)
		r = rn_flow_match_datagrams(f);
	if (!r)
		r = rn_flow_order(f, order);
	for (uint32_t i = 0; i < f->n && !r; i++)
		rn_flow_link(f, order[i]);
	if (!r)
		r = rn_flow_processes(f, order);
	for (uint32_t i = 0; i < f->n && r >= 0; i++) {
		assert(order[i]);
		r = show(f, order[i], visit, self);
	}
	free(order);
	return r < 0 ? r : 0;
}
