/* rows.c - takes the rows of a flow, as they come.
 *
 * A million rows are usual, and their texts are few: each text is kept once. */
#include <errno.h>
#include <string.h>
#include "lang/base/map.h"
#include "lang/base/vec.h"
#include "repl/picture/picture_impl.h"

/* The columns that a picture reads: as of `flow of`, by label. */
static const struct {
	const char *label;
	bool needed;
} columns[RN_PICTURE_COLUMNS] = {
	[RN_PICTURE_HOP] = {"hop", true},          [RN_PICTURE_TIME] = {"time", true},
	[RN_PICTURE_FROM] = {"from", true},        [RN_PICTURE_PROC] = {"proc", true},
	[RN_PICTURE_DIR] = {"dir", true},          [RN_PICTURE_OBJECT] = {"object", true},
	[RN_PICTURE_NODE] = {"node", false},       [RN_PICTURE_PID] = {"pid", false},
	[RN_PICTURE_NAME] = {"name", false},       [RN_PICTURE_BYTES] = {"bytes", false},
	[RN_PICTURE_LATENCY] = {"latency", false}, [RN_PICTURE_TAGS] = {"tags", false},
	[RN_PICTURE_MATCH] = {"match", false},     [RN_PICTURE_LINK] = {"link", false},
	[RN_PICTURE_CHOICES] = {"choices", false}, [RN_PICTURE_LAG] = {"lag", false},
	[RN_PICTURE_DEPTH] = {"depth", false},     [RN_PICTURE_CLOCK] = {"clock", false},
};

/* A text of the rows, once; its key follows. */
struct text {
	UT_hash_handle hh;
	size_t n;
	char s[];
};

struct rn_pictured *rn_picture_create(const struct rn_column *cols, unsigned ncols,
				      struct rn_err *err)
{
	struct rn_pictured *p = rn_calloc(1, sizeof(*p));

	p->arena = rn_arena_create(SIZE_MAX);
	p->ncols = ncols;
	for (unsigned k = 0; k < RN_PICTURE_COLUMNS; k++) {
		p->col[k] = -1;
		for (unsigned i = 0; i < ncols; i++)
			if (!strcmp(cols[i].label, columns[k].label))
				p->col[k] = (int)i;
		if (p->col[k] >= 0 || !columns[k].needed)
			continue;
		rn_err_set(err, -EINVAL, "a picture shows a flow: the rows have no column `%s`",
			   columns[k].label);
		rn_err_hint(err, "ask `flow of tag T`, or `* of (flow of tag T) where ...`");
		rn_picture_destroy(p);
		return NULL;
	}
	return p;
}

void rn_picture_destroy(struct rn_pictured *pictured)
{
	if (!pictured)
		return;
	HASH_CLEAR(hh, pictured->texts);
	free(pictured->hops);
	free(pictured->causes);
	free(pictured->boxes);
	rn_arena_destroy(pictured->arena);
	free(pictured);
}

static struct text *keep(struct rn_pictured *p, const char *s, size_t n)
{
	struct text *t, *all = p->texts;

	HASH_FIND(hh, all, s, n, t);
	if (!t) {
		t = rn_arena_alloc(p->arena, sizeof(*t) + n + 1);
		t->n = n;
		memcpy(t->s, s, n);
		HASH_ADD_KEYPTR(hh, all, t->s, n, t);
		p->texts = all;
	}
	return t;
}

const char *rn_picture_text(struct rn_pictured *pictured, const char *s, size_t n)
{
	return keep(pictured, s, n)->s;
}

static const struct rn_value *value(const struct rn_pictured *p, const struct rn_value *row,
				    enum rn_picture_source k)
{
	return p->col[k] < 0 ? NULL : &row[p->col[k]];
}

static const char *text(struct rn_pictured *p, const struct rn_value *row, enum rn_picture_source k)
{
	const struct rn_value *v = value(p, row, k);
	struct text *t = p->latest[k];

	if (!v || v->kind != RN_STR)
		return "";
	if (!t || t->n != v->len || memcmp(t->s, v->s, v->len) != 0)
		p->latest[k] = t = keep(p, v->s, v->len);
	return t->s;
}

static int64_t number(const struct rn_pictured *p, const struct rn_value *row,
		      enum rn_picture_source k, int64_t unless)
{
	const struct rn_value *v = value(p, row, k);

	return v && v->kind == RN_INT && !rn_is_unknown(v) ? v->i : unless;
}

static uint8_t side_of(const char *match)
{
	return !strcmp(match, "none")      ? RN_PICTURE_NONE
	       : !strcmp(match, "outside") ? RN_PICTURE_OUTSIDE
					   : RN_PICTURE_SEEN;
}

static uint8_t dir_of(const char *dir)
{
	return !strcmp(dir, "in")    ? RN_PICTURE_IN
	       : !strcmp(dir, "out") ? RN_PICTURE_OUT
				     : RN_PICTURE_NEITHER;
}

static void add_hop(struct rn_pictured *p, const struct rn_value *row, int64_t number_of)
{
	int64_t latency = number(p, row, RN_PICTURE_LATENCY, -1);
	struct rn_picture_hop *h;

	if (p->nhops == p->hop_cap) {
		rn_vec_room(p->hops, p->nhops, p->hop_cap);
		rn_memory_large(p->hops, rn_vec_bytes(p->hops, p->hop_cap));
	}
	h = &p->hops[p->nhops++];
	*h = (struct rn_picture_hop){
		.number = number_of,
		.end_ns = number(p, row, RN_PICTURE_TIME, 0),
		.pid = number(p, row, RN_PICTURE_PID, 0),
		.bytes = number(p, row, RN_PICTURE_BYTES, 0),
		.clock_ns = p->col[RN_PICTURE_CLOCK] < 0
				    ? 0
				    : number(p, row, RN_PICTURE_CLOCK, RN_PICTURE_UNKNOWN),
		.depth = (uint32_t)number(p, row, RN_PICTURE_DEPTH, 0),
		.node = text(p, row, RN_PICTURE_NODE),
		.proc = text(p, row, RN_PICTURE_PROC),
		.name = text(p, row, RN_PICTURE_NAME),
		.object = text(p, row, RN_PICTURE_OBJECT),
		.tags = text(p, row, RN_PICTURE_TAGS),
		.side = side_of(text(p, row, RN_PICTURE_MATCH)),
		.dir = dir_of(text(p, row, RN_PICTURE_DIR)),
		.timed = latency >= 0,
	};
	h->begin_ns = h->end_ns - (h->timed ? latency : 0);
	h->at_ns = h->dir == RN_PICTURE_OUT ? h->begin_ns : h->end_ns;
}

void rn_picture_add(struct rn_pictured *pictured, const struct rn_value *row)
{
	int64_t hop = number(pictured, row, RN_PICTURE_HOP, 0),
		from = number(pictured, row, RN_PICTURE_FROM, 0),
		lag = number(pictured, row, RN_PICTURE_LAG, INT64_MIN);
	uint32_t last = pictured->nhops;

	if (hop <= 0)
		return;
	/* rows of one hop come one behind the other, unless they were sorted */
	if (!last || pictured->hops[last - 1].number != hop)
		add_hop(pictured, row, hop);
	if (from <= 0) {
		pictured->hops[pictured->nhops - 1].cut |=
			!strcmp(text(pictured, row, RN_PICTURE_LINK), "outside");
		return;
	}
	if (pictured->ncauses == pictured->cause_cap) {
		rn_vec_room(pictured->causes, pictured->ncauses, pictured->cause_cap);
		rn_memory_large(pictured->causes,
				rn_vec_bytes(pictured->causes, pictured->cause_cap));
	}
	pictured->causes[pictured->ncauses++] = (struct rn_picture_cause){
		.hop = hop,
		.from = from,
		.lag_ns = lag,
		.timed = lag != INT64_MIN,
		.choices = (uint32_t)number(pictured, row, RN_PICTURE_CHOICES, 1),
		.link = text(pictured, row, RN_PICTURE_LINK),
		.tags = text(pictured, row, RN_PICTURE_TAGS),
	};
}
