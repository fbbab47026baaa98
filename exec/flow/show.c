/* show.c - the rows of a flow: one for each hop that a hop's data came from. */
#include "exec/flow/flow_impl.h"

int64_t rn_flow_aligned(const struct rn_flow *flow, const struct rn_flow_hop *hop, int64_t ns,
			int64_t *bound_ns)
{
	int64_t bound = flow->nnodes > 1 ? -1 : 0;

	if (flow->align)
		ns = flow->align(flow->align_self, rn_flow_text(hop, F_NODE)->s, ns, &bound);
	if (bound_ns)
		*bound_ns = bound;
	return ns;
}

static struct rn_value how_text(const struct rn_flow *f, const struct rn_flow_hop *h)
{
	const char *const text[] = {"", f->whole ? "none" : "outside", "order", "nat", "exact"};
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
		[RN_LINK_PROCESS] = "process", [RN_LINK_INHERIT] = "inherit",
		[RN_LINK_OUTSIDE] = "outside",
	};

	return text(names[c->link]);
}

static const char *tags_of(const struct rn_cause *c)
{
	return c->tags ? rn_strbuf_cstr(c->tags) : c->tag;
}

/* Does the tag come from no hop that was seen? */
static bool is_orphan(const struct rn_flow_hop *h, const struct rn_value *tag)
{
	for (const struct rn_cause *c = h->causes; c; c = c->next) {
		const char *s = tags_of(c), *end = s + strlen(s);

		if (c->from && !c->from->number) /* that hop is not in the answer */
			continue;

		for (const char *comma; s <= end; s = comma + 1) {
			comma = memchr(s, ',', (size_t)(end - s));
			comma = comma ? comma : end;
			if ((size_t)(comma - s) == tag->len && !memcmp(s, tag->s, tag->len))
				return false;
		}
	}
	return true;
}

/* The tags that came from nowhere, joined by ",". */
static const char *orphans(struct rn_flow *f, const struct rn_flow_hop *h)
{
	struct rn_strbuf all;
	struct rn_value tag;

	rn_strbuf_init(&all, f->keys);
	for (uint32_t i = 0; rn_flow_tag(h, &i, &tag);)
		if (is_orphan(h, &tag))
			rn_strbuf_printf(&all, "%s%.*s", all.len ? "," : "", (int)tag.len, tag.s);
	return rn_strbuf_cstr(&all);
}

static const struct rn_value *from_text(const struct rn_cause *c, enum rn_flow_need need)
{
	static const struct rn_value none = {.kind = RN_NULL};

	return c->from ? rn_flow_text(c->from, need) : &none;
}

/* Does the answer have no hop that its data came from? Its path begins there. */
static bool is_first(const struct rn_flow_hop *h)
{
	for (const struct rn_cause *c = h->causes; c; c = c->next)
		if (c->from && c->from->number)
			return false;
	return true;
}

/* A hop counts from when its data went out, or had come in: order_ns of both. */
static struct rn_value lag(const struct rn_flow_hop *hop, const struct rn_flow_hop *from)
{
	const struct rn_flow_hop *ends[] = {hop, from};

	if (!from)
		return rn_null();
	for (unsigned i = 0; i < 2; i++)
		if (ends[i]->unseen && ends[i]->order_ns != ends[i]->end_ns)
			return rn_unknown();
	return rn_int(hop->aligned_ns - from->aligned_ns);
}

int rn_flow_show(struct rn_flow *flow, struct rn_flow_hop *hop, rn_flow_visit_fn *visit, void *self)
{
	int64_t bound,
		at = rn_flow_number(hop, F_TIME), time_ns = rn_flow_aligned(flow, hop, at, &bound),
		entry_ns = rn_flow_aligned(flow, hop, at - rn_flow_number(hop, F_LATENCY), NULL);
	struct rn_value value[RN_FLOW_COLUMNS] = {
		[RN_FLOW_HOP] = rn_int(hop->number),
		[RN_FLOW_TIME] = rn_int(time_ns),
		[RN_FLOW_NODE] = *rn_flow_text(hop, F_NODE),
		[RN_FLOW_PROC] = *rn_flow_text(hop, F_PROC),
		[RN_FLOW_PID] = rn_int(rn_flow_number(hop, F_PID)),
		[RN_FLOW_NAME] = *rn_flow_text(hop, F_NAME),
		[RN_FLOW_DIR] = text(hop->out  ? "out"
				     : hop->in ? "in"
					       : ""),
		[RN_FLOW_OBJECT] = text(rn_flow_object(flow, hop)),
		[RN_FLOW_BYTES] = rn_int(rn_flow_number(hop, F_BYTES)),
		[RN_FLOW_LATENCY] = hop->unseen ? rn_unknown() : rn_int(time_ns - entry_ns),
		[RN_FLOW_MATCH] = how_text(flow, hop),
		[RN_FLOW_DEPTH] = rn_int(hop->depth),
		[RN_FLOW_CLOCK] = bound < 0 ? rn_null() : rn_int(bound),
	};
	/* tags that came from nowhere have a row of their own */
	struct rn_cause none = {0}, **last = &hop->causes;
	int r = 0;

	while (*last)
		last = &(*last)->next;
	none.tag = orphans(flow, hop);
	none.link = hop->causes && is_first(hop) ? RN_LINK_OUTSIDE : RN_LINK_NONE;
	if (is_first(hop) || *none.tag)
		*last = &none;
	for (const struct rn_cause *c = hop->causes; c && r >= 0; c = c->next) {
		if (c->from && !c->from->number)
			continue;
		value[RN_FLOW_TAGS] = text(tags_of(c));
		value[RN_FLOW_FROM] = rn_int(c->from ? c->from->number : 0);
		value[RN_FLOW_LINK] = link_text(c);
		value[RN_FLOW_CHOICES] = rn_int(c->choices);
		value[RN_FLOW_LAG] = lag(hop, c->from);
		value[RN_FLOW_FROM_NODE] = *from_text(c, F_NODE);
		value[RN_FLOW_FROM_PROC] = *from_text(c, F_PROC);
		r = visit(self, value, time_ns);
	}
	*last = NULL;
	return r;
}
