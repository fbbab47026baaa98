/* process.c - finds where a process's output came from: an earlier hop that took the same tag into
 * the process.
 *
 * All such hops are choices, unless evidence excludes them:
 *   hash     the bytes before the tag, or those behind it, are the same as far as both are known,
 *            and at least RN_PRINT_ENOUGH; then hops are excluded that have others among them. If
 *            this is so on one side only, a hop of which less is known on a side stays a choice.
 *            If the process put these bytes out itself before they came in, they are no evidence.
 *   length   so are the bytes behind it, and as many follow: then hops with another number are
 *            excluded, if all is there that their sender sent. A hop that was put out before says
 *            nothing again.
 * Two hints exclude none. They say which of the choices is shown:
 *   stream   what came at some place of one connection leaves at that place plus a constant of
 *            another one: a proxy. The constant of two connections is what the latest link between
 *            them that is certain had. If the process keeps some data back, and puts out an equal
 *            message instead, this one has the same place.
 *   thread   the same thread took it, in a process none of whose links that are certain goes from
 *            one thread to another, and two threads of which have such a link.
 * If one choice is left, it is certain, unless events of the node were lost. A process that put the
 * tag out before it took it in has it from elsewhere: that is one more choice, unless evidence
 * excludes it too.
 *
 * A process that took the tag in nowhere has it from its parent, if that had taken it in before it
 * started the process: `inherit`. */
#include <stdlib.h>
#include "exec/flow/flow_impl.h"
#include "lang/base/memory.h"

enum {
	LOOK = 4096,  /* hops of one process and tag that are compared */
	ANCESTORS = 8 /* processes that are asked for a tag */
};

/* A tag that came into a process. passed: a hop that put it out may have it from there. said: how
 * many times the process had put the tag out before. */
struct taken {
	struct rn_flow_hop *hop;
	int64_t place;
	uint32_t said;
	bool placed, passed;
	/* output with the bytes of the one that is looked at came from here before; of as many */
	bool again, again_whole;
	struct rn_print print;
};
#define FROM_SEVERAL UINT32_MAX
/* A tag as a process put it out. from: 1 + the only choice; 0: its own; or FROM_SEVERAL. */
struct said {
	int64_t rest;
	uint32_t from;
	struct rn_print print;
};
/* For a process and a tag. list: hops with `out` are the process's own output. said: all output. */
struct takings {
	struct rn_evidence_list list, said;
	struct rn_flow_hop *latest;
};
/* for two streams */
struct constant {
	uint32_t of;
};
struct constants {
	struct rn_evidence_list list;
};
/* The process that has a pid now. Pids come again. */
struct process {
	int64_t pid, start, parent; /* start 0: not known */
};
/* what is certain about a process */
struct habits {
	int64_t thread;
	bool two, crosses;
};

struct linker {
	struct rn_flow *flow;
	struct rn_flow_memory *memory;
	/* the first pass learns what processes do with their threads */
	bool learning;
	uint8_t *in; /* the choices: one of `enum state` for each */
};
enum state { OUT, IN, SAME };

/* What is looked for. */
struct given {
	struct rn_flow_hop *hop;
	const struct rn_value *tag;
	struct taken as;
	struct habits *habits;
	struct taken *taken;
	uint32_t n;
	/* So many times the process had put the tag out when it first did so with the same bytes
	 * before, or behind, and with those behind and as many; if it may have had it from several
	 * hops then. UINT32_MAX: never. */
	uint32_t first[2], first_whole;
	uint32_t from; /* found: as that of struct said */
};

/* ---- memory ---- */

static void *kept(struct linker *l, const char *key, size_t size)
{
	struct rn_flow_slot *s = rn_flow_slot(l->flow, key);

	if (!s->of)
		s->of = rn_arena_alloc(l->flow->arena, size);
	return s->of;
}

static struct process process_of(const struct rn_flow_hop *h)
{
	return (struct process){rn_flow_number(h, F_PID), rn_flow_number(h, F_START),
				rn_flow_number(h, F_PPID)};
}

/* The process that had the pid at last, as far as it has hops. */
static struct process *latest_process(struct linker *l, uint32_t node, int64_t pid)
{
	return kept(l,
		    rn_arena_printf(l->flow->keys, "%s|%u|%lld", l->learning ? "b" : "c", node,
				    (long long)pid),
		    sizeof(struct process));
}

static struct takings *takings_of(struct linker *l, uint32_t node, const struct process *process,
				  const struct rn_value *tag)
{
	const char *key = rn_arena_printf(l->flow->keys, "%s|%u|%lld|%lld|%.*s",
					  l->learning ? "l" : "p", node, (long long)process->pid,
					  (long long)process->start, (int)tag->len, tag->s);
	struct takings *t = kept(l, key, sizeof(*t));

	t->list.size = sizeof(struct taken);
	t->said.size = sizeof(struct said);
	return t;
}

static struct habits *habits_of(struct linker *l, const struct rn_flow_hop *h)
{
	return kept(l,
		    rn_arena_printf(l->flow->keys, "h|%u|%lld|%lld", h->node,
				    (long long)rn_flow_number(h, F_PID),
				    (long long)rn_flow_number(h, F_START)),
		    sizeof(struct habits));
}

static bool has_stream(const struct rn_flow_hop *h)
{
	return rn_flow_number(h, F_SEQ) && rn_flow_number(h, F_INO);
}

static struct constants *constants_of(struct linker *l, const struct rn_flow_hop *from,
				      const struct rn_flow_hop *to)
{
	const char *key = rn_arena_printf(l->flow->keys, "%s|%u|%lld|%lld", l->learning ? "m" : "q",
					  to->node, (long long)rn_flow_number(from, F_INO),
					  (long long)rn_flow_number(to, F_INO));
	struct constants *c = kept(l, key, sizeof(*c));

	c->list.size = sizeof(struct constant);
	return c;
}

static uint32_t distance(const struct taken *from, const struct taken *to)
{
	return (uint32_t)rn_flow_number(to->hop, F_SEQ) + (uint32_t)to->place -
	       (uint32_t)rn_flow_number(from->hop, F_SEQ) - (uint32_t)from->place;
}

static struct taken taken_of(struct rn_flow_hop *h, const struct rn_value *tag)
{
	struct taken t = {.hop = h};

	t.placed = rn_flow_place(h, tag, &t.place);
	rn_flow_print(h, tag, &t.print);
	return t;
}

static void remember(struct linker *l, struct rn_flow_hop *h, const struct rn_value *tag)
{
	struct process process = process_of(h);
	struct takings *t = takings_of(l, h->node, &process, tag);
	struct taken *e;

	rn_evidence_use(l->memory, &t->list);
	e = rn_evidence_add(l->memory, &t->list);
	*e = taken_of(h, tag);
	e->said = t->said.n + t->said.forgotten;
	t->latest = h->in ? h : t->latest;
}

/* ---- evidence ---- */

static uint32_t count(const struct linker *l, uint32_t n, enum state least)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += l->in[i] >= least;
	return sum;
}

/* Leaves only the marked choices. False: none was marked, or all were. */
static bool keep_same(struct linker *l, uint32_t n)
{
	uint32_t same = count(l, n, SAME), all = count(l, n, IN);

	for (uint32_t i = 0; i < n; i++)
		l->in[i] = !l->in[i] || (same && l->in[i] != SAME) ? OUT : IN;
	return same && same < all;
}

/* Marks the choices at the place that the streams tell. */
static void mark_stream(struct linker *l, const struct given *g)
{
	for (uint32_t i = 0; i < g->n; i++) {
		const struct taken *t = &g->taken[i];
		const struct constants *c;

		if (!l->in[i] || !has_stream(t->hop) || !t->placed)
			continue;
		c = constants_of(l, t->hop, g->hop);
		if (c->list.n && ((struct constant *)c->list.v)->of == distance(t, &g->as) &&
		    rn_flow_alike(&t->print, &g->as.print))
			l->in[i] = SAME;
	}
}

static bool by_stream(struct linker *l, const struct given *g)
{
	if (l->learning || !has_stream(g->hop) || !g->as.placed)
		return false;
	mark_stream(l, g);
	return keep_same(l, g->n);
}

/* How many bytes on that side are known to be the same; 0: some differ, or too few are known. */
static unsigned same_bytes(const struct taken *t, const struct given *g, unsigned side)
{
	unsigned same;

	return !rn_flow_differ(&t->print, &g->as.print, side, &same) && same >= RN_PRINT_ENOUGH
		       ? same
		       : 0;
}

/* Returns how many bytes follow the tag's first one. */
static int64_t rest(const struct taken *t)
{
	return rn_flow_number(t->hop, F_BYTES) - t->place;
}

/* Finds when the process put the tag out before with the same bytes around it, as far as both are
 * known. */
static void recall(struct given *g, const struct takings *t)
{
	const struct said *said = t->said.v;

	for (uint32_t i = 0; i < g->n; i++)
		g->taken[i].again = g->taken[i].again_whole = false;
	g->first[0] = g->first[1] = g->first_whole = t->said.forgotten ? 0 : UINT32_MAX;
	for (uint32_t i = t->said.n; i-- > 0 && !t->said.forgotten;) {
		bool differ[2], equal[2], whole;

		for (unsigned side = 0; side < 2; side++) {
			unsigned same;

			differ[side] = rn_flow_differ(&said[i].print, &g->as.print, side, &same);
			equal[side] = !differ[side] && same >= RN_PRINT_ENOUGH;
		}
		for (unsigned side = 0; side < 2; side++) {
			if (!equal[side] && (!equal[!side] || differ[side]))
				continue;
			whole = side && said[i].rest == rest(&g->as);
			if (said[i].from > g->n || t->list.forgotten) {
				g->first[side] = i;
				g->first_whole = whole ? i : g->first_whole;
			} else if (said[i].from && g->taken[g->n - 1].said > i) {
				g->taken[said[i].from - 1].again = true;
				g->taken[said[i].from - 1].again_whole |= whole;
			}
		}
	}
}

/* Notes what the process has put out, and where it came from. */
static void say(struct linker *l, struct takings *t, const struct given *g, uint32_t from)
{
	struct said *said;

	rn_evidence_use(l->memory, &t->said);
	said = rn_evidence_add(l->memory, &t->said);
	*said = (struct said){.rest = rest(&g->as), .from = from, .print = g->as.print};
}

/* Do equal bytes on that side tell that the tag came with them? Not those of the process's own
 * output: it may fill in a form, and have the tag from elsewhere. Nor those that the process put
 * out before they came in: they may be its own text that came back. If that text came from one hop
 * for certain, they do tell, and that hop stays a choice (`again`). */
static bool tells(const struct taken *t, const struct given *g, unsigned side)
{
	return t->hop->in && t->said <= g->first[side];
}

/* The most equal bytes on that side of any choice that came in, counted if all that is known of it
 * is equal. */
static unsigned most(const struct linker *l, const struct given *g, unsigned side)
{
	unsigned best = 0;

	for (uint32_t i = 0; i < g->n; i++) {
		bool counts = l->in[i] && tells(&g->taken[i], g, side);
		unsigned same = counts ? same_bytes(&g->taken[i], g, side) : 0;

		best = same > best ? same : best;
	}
	return best;
}

/* Does one of these bytes differ? */
static bool is_other(const struct taken *t, const struct given *g, unsigned side, unsigned bytes)
{
	unsigned same;

	return rn_flow_differ(&t->print, &g->as.print, side, &same) && same < bytes;
}

/* Is enough known on both sides to say that the hop has other bytes? A process may take the tag
 * alone, and write the rest itself. */
static bool is_known(const struct taken *t)
{
	return t->print.known[0] >= RN_PRINT_ENOUGH && t->print.known[1] >= RN_PRINT_ENOUGH;
}

static bool by_hash(struct linker *l, const struct given *g)
{
	unsigned before = most(l, g, 0), behind = most(l, g, 1);

	for (uint32_t i = 0; i < g->n; i++) {
		const struct taken *t = &g->taken[i];
		bool other = is_other(t, g, 0, before) || is_other(t, g, 1, behind);

		if (l->in[i] && (!other || t->again || (!(before && behind) && !is_known(t))))
			l->in[i] = SAME;
	}
	return keep_same(l, g->n);
}

/* Does a hop have all that its sender sent in one call? Then none of it is still to come. */
static bool is_whole(const struct rn_flow_hop *h)
{
	const struct rn_flow_hop *s = h->cause;

	return s &&
	       (uint32_t)(rn_flow_number(s, F_SEQ) + rn_flow_number(s, F_BYTES)) ==
		       (uint32_t)(rn_flow_number(h, F_SEQ) + rn_flow_number(h, F_BYTES)) &&
	       rn_flow_number(s, F_SEQ);
}

/* Is it one that has the bytes behind the tag, and as many? */
static bool has_length(const struct taken *t, const struct given *g)
{
	return t->hop->in && t->said <= g->first_whole && t->placed && !t->passed &&
	       rest(t) == rest(&g->as) && same_bytes(t, g, 1);
}

static bool by_length(struct linker *l, const struct given *g)
{
	bool any = false;

	for (uint32_t i = 0; i < g->n && g->as.placed; i++)
		any |= l->in[i] && has_length(&g->taken[i], g);
	for (uint32_t i = 0; any && i < g->n; i++)
		if (l->in[i] && (!g->taken[i].placed || g->taken[i].again_whole ||
				 rest(&g->taken[i]) == rest(&g->as) || !is_whole(g->taken[i].hop)))
			l->in[i] = SAME;
	return any && keep_same(l, g->n);
}

static bool by_thread(struct linker *l, const struct given *g)
{
	const struct habits *p = g->habits;

	if (l->learning || p->crosses || !p->two)
		return false;
	for (uint32_t i = 0; i < g->n; i++)
		if (l->in[i] &&
		    rn_flow_number(g->taken[i].hop, F_TID) == rn_flow_number(g->hop, F_TID))
			l->in[i] = SAME;
	return keep_same(l, g->n);
}

/* Leaves the choices in l->in. Returns which evidence excluded the last of the others. */
static enum rn_flow_how_linked weigh(struct linker *l, const struct given *g)
{
	static const struct {
		bool (*by)(struct linker *l, const struct given *g);
		enum rn_flow_how_linked link;
	} all[] = {
		{by_hash, RN_LINK_HASH},
		{by_length, RN_LINK_LENGTH},
	};
	enum rn_flow_how_linked link = RN_LINK_PROCESS;

	memset(l->in, IN, g->n);
	for (unsigned i = 0; i < sizeof(all) / sizeof(*all) && count(l, g->n, IN) > 1; i++)
		if (all[i].by(l, g))
			link = all[i].link;
	return link;
}

/* ---- links ---- */

/* Learns from a certain link what it says about others. */
static void learn(struct linker *l, const struct given *g, const struct taken *from)
{
	int64_t tid = rn_flow_number(g->hop, F_TID);
	struct constant of, *known;
	struct constants *c;

	g->habits->crosses |= tid != rn_flow_number(from->hop, F_TID);
	g->habits->two |= g->habits->thread && g->habits->thread != tid;
	g->habits->thread = tid;
	if (!has_stream(from->hop) || !has_stream(g->hop) || !from->placed || !g->as.placed)
		return;
	c = constants_of(l, from->hop, g->hop);
	of.of = distance(from, &g->as); /* now: a new element may have others forgotten */
	rn_evidence_use(l->memory, &c->list);
	known = c->list.n ? c->list.v : rn_evidence_add(l->memory, &c->list);
	*known = of;
}

/* Returns the latest that came in among the choices that are left, or NULL, and counts them. The
 * process's own data counts as one. */
static const struct taken *latest_of(const struct linker *l, const struct given *g,
				     uint32_t *choices)
{
	const struct taken *best = NULL;
	bool own = false;

	for (uint32_t i = 0; i < g->n; i++) {
		if (!l->in[i])
			continue;
		own |= g->taken[i].hop->out;
		*choices += g->taken[i].hop->in;
		best = g->taken[i].hop->in ? &g->taken[i] : best;
	}
	*choices += own;
	return best;
}

/* Chooses which of several is shown: the place in the stream and the usual thread are hints, not
 * knowledge. */
static const struct taken *prefer(struct linker *l, const struct given *g, const struct taken *from,
				  enum rn_flow_how_linked *link)
{
	static const struct {
		bool (*by)(struct linker *l, const struct given *g);
		enum rn_flow_how_linked link;
	} hints[] = {
		{by_stream, RN_LINK_STREAM},
		{by_thread, RN_LINK_THREAD},
	};

	for (unsigned i = 0; i < sizeof(hints) / sizeof(*hints); i++) {
		const struct taken *best;
		uint32_t n = 0;

		if (!hints[i].by(l, g))
			continue;
		best = latest_of(l, g, &n);
		*link = best ? hints[i].link : *link;
		return best ? best : from;
	}
	return from;
}

static void pass(struct linker *l, const struct given *g)
{
	for (uint32_t i = 0; i < g->n; i++)
		g->taken[i].passed |= l->in[i] == IN;
}

/* Finds the hop that the tag came from, and counts the choices. False: it came from no hop that is
 * remembered. */
static bool choose(struct linker *l, struct given *g, const struct takings *t,
		   const struct taken **from, enum rn_flow_how_linked *link, uint32_t *choices)
{
	recall(g, t);
	*link = weigh(l, g);
	*from = latest_of(l, g, choices);
	if (!*from && !t->list.forgotten)
		return false;
	pass(l, g);
	if (*from && *choices > 1)
		*from = prefer(l, g, *from, link);
	if (*from && *link == RN_LINK_PROCESS && *choices == 1 &&
	    (same_bytes(*from, g, 1) || same_bytes(*from, g, 0)))
		*link = RN_LINK_HASH;
	return true;
}

/* False: the tag is the process's own, as far as was seen. */
static bool find(struct linker *l, struct given *g, const struct takings *t)
{
	enum rn_flow_how_linked link = RN_LINK_PROCESS;
	const struct taken *from = NULL;
	uint32_t choices = t->list.forgotten + rn_flow_unknown(l->flow, g->hop);

	if (!t->latest)
		return false;
	if (g->n > LOOK || t->said.n > LOOK)
		choices += g->n;
	else if (!choose(l, g, t, &from, &link, &choices))
		return false;
	if (!l->learning)
		rn_flow_cause(l->flow, g->hop, from ? from->hop : t->latest, g->tag, link, choices);
	g->from = from && choices == 1 ? 1 + (uint32_t)(from - g->taken) : FROM_SEVERAL;
	if (from && choices == 1)
		learn(l, g, from);
	return true;
}

/* How many of what the parent took were there when it started the child: all up to the last one
 * that was complete. *begun: so many had begun, too. */
static uint32_t inherited(const struct takings *t, int64_t start_ns, uint32_t *begun)
{
	const struct taken *taken = t->list.v;
	uint32_t n = t->list.n;

	*begun = 0;
	for (; n && (taken[n - 1].hop->out || taken[n - 1].hop->end_ns > start_ns); n--)
		*begun += !taken[n - 1].hop->out && taken[n - 1].hop->begin_ns < start_ns;
	return n;
}

/* When the latest child of that process began that put the tag out, though it was in no hop before;
 * 0: there is none. So its parent may have it from elsewhere. */
static int64_t *own_child(struct linker *l, uint32_t node, int64_t parent,
			  const struct rn_value *tag)
{
	return kept(l,
		    rn_arena_printf(l->flow->keys, "%s|%u|%lld|%.*s", l->learning ? "d" : "e", node,
				    (long long)parent, (int)tag->len, tag->s),
		    sizeof(int64_t));
}

/* Finds which of the first g->n of an ancestor's takings the tag is from. others: how many more it
 * may be from. */
static bool inherit(struct linker *l, struct given *g, const struct takings *t, uint32_t others)
{
	uint32_t choices = t->list.forgotten + rn_flow_unknown(l->flow, g->hop) + others;
	enum rn_flow_how_linked link;
	const struct taken *from = NULL;

	g->taken = t->list.v;
	if (g->n > LOOK || t->said.n > LOOK) {
		choices += g->n;
		from = &g->taken[g->n - 1];
	} else if (!choose(l, g, t, &from, &link, &choices) || !from) {
		return false;
	}
	if (!l->learning)
		rn_flow_cause(l->flow, g->hop, from->hop, g->tag, RN_LINK_INHERIT, choices);
	return true;
}

/* The process took the tag in nowhere: it has it from the nearest ancestor that did before it
 * started the next one. False: none did. */
static bool find_inherited(struct linker *l, const struct given *given)
{
	struct process child = process_of(given->hop);
	uint32_t node = given->hop->node;

	for (unsigned i = 0; i < ANCESTORS && child.start && child.parent; i++) {
		const struct process *parent = latest_process(l, node, child.parent);
		const struct takings *t;
		struct given g = *given;
		uint32_t begun;

		if (!parent->pid || !parent->start || parent->start > child.start)
			return false;
		t = takings_of(l, node, parent, g.tag);
		g.n = inherited(t, child.start, &begun);
		if (g.n) {
			bool own = *own_child(l, node, parent->pid, g.tag) > parent->start;

			return inherit(l, &g, t, begun + own);
		}
		child = *parent;
	}
	return false;
}

static void link_tag(struct linker *l, struct rn_flow_hop *hop, const struct rn_value *tag)
{
	struct process process = process_of(hop);
	struct takings *t = takings_of(l, hop->node, &process, tag);
	struct given g = {.hop = hop, .tag = tag, .taken = t->list.v, .n = t->list.n};

	if (g.n)
		rn_evidence_use(l->memory, &t->list);
	g.habits = habits_of(l, hop);
	g.as = taken_of(hop, tag);
	if (!t->latest && !find_inherited(l, &g) && process.start)
		*own_child(l, hop->node, process.parent, tag) = process.start;
	if (!find(l, &g, t))
		remember(l, hop, tag); /* so may be what it puts out later */
	say(l, t, &g, g.from);
}

static void through(struct linker *l, struct rn_flow_hop **order)
{
	l->memory = rn_flow_memory(l->flow->bound);
	for (uint32_t i = 0; i < l->flow->n; i++) {
		struct rn_flow_hop *h = order[i];
		struct rn_value tag;

		rn_arena_reset(l->flow->keys);
		*latest_process(l, h->node, rn_flow_number(h, F_PID)) = process_of(h);
		if (h->in == h->out) /* it does not pass through the process, or nobody knows */
			continue;
		for (uint32_t at = 0; rn_flow_tag(h, &at, &tag);)
			if (h->out)
				link_tag(l, h, &tag);
			else
				remember(l, h, &tag);
	}
	l->flow->forgotten = rn_flow_memory_end(l->memory);
}

void rn_flow_processes(struct rn_flow *flow, struct rn_flow_hop **order)
{
	struct linker l = {.flow = flow, .learning = true, .in = rn_malloc(LOOK)};

	if (flow->col[F_TID] >= 0)
		through(&l, order);
	l.learning = false;
	through(&l, order);
	free(l.in);
}
