/* texts.c - the texts of hops, each once: names, paths and addresses come again in many hops. */
#include "exec/flow/flow_impl.h"

struct text {
	struct rn_value *kept; /* NULL: free */
	uint32_t hash;
};
struct rn_flow_texts {
	struct text *at; /* open addressing; a power of two */
	uint32_t n, used;
};

struct rn_flow_texts *rn_flow_texts(struct rn_arena *arena)
{
	struct rn_flow_texts *t = RN_NEW(arena, struct rn_flow_texts);

	t->n = 1024;
	t->at = RN_NEWN(arena, struct text, t->n);
	return t;
}

/* The place of a text: its own, or the free one for it. */
static struct text *find(struct text *at, uint32_t n, uint32_t hash, const char *s, uint32_t len)
{
	uint32_t i = hash & (n - 1);

	while (at[i].kept &&
	       (at[i].hash != hash || at[i].kept->len != len || memcmp(at[i].kept->s, s, len) != 0))
		i = (i + 1) & (n - 1);
	return &at[i];
}

static void grow(struct rn_flow *f)
{
	struct rn_flow_texts *t = f->texts;
	struct text *more = RN_NEWN(f->arena, struct text, (size_t)t->n * 2);

	for (uint32_t i = 0; i < t->n; i++)
		if (t->at[i].kept)
			*find(more, t->n * 2, t->at[i].hash, t->at[i].kept->s, t->at[i].kept->len) =
				t->at[i];
	t->at = more;
	t->n *= 2;
}

const struct rn_value *rn_flow_keep(struct rn_flow *flow, const char *s, uint32_t len)
{
	uint32_t hash = (uint32_t)rn_hash_secret(&flow->secret, s, len);
	struct text *t = find(flow->texts->at, flow->texts->n, hash, s, len);

	if (t->kept)
		return t->kept;
	if (flow->texts->used >= flow->texts->n / 2) {
		grow(flow);
		t = find(flow->texts->at, flow->texts->n, hash, s, len);
	}
	flow->texts->used++;
	t->hash = hash;
	t->kept = RN_NEW(flow->arena, struct rn_value);
	*t->kept = rn_strn(rn_arena_strndup(flow->arena, s, len), len);
	return t->kept;
}
