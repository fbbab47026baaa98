/* state.c - partial states by the table: init, update and merge of slots and cells; blobs by the
 * aggregate's own functions.
 *
 * Invariants: words are allocated at the first event (NULL: nothing seen); cells are sorted by
 * bucket and unique. As in SQL, NULL and NaN arguments change nothing; nor do fractions beyond the
 * bounds of planner/plan/agg.h. A HyperLogLog that fills up becomes dense (a cell for each
 * register, 0 for the empty ones), so that an update is an index and not an insertion. */
#include "planner/agg/state.h"

#include <stdlib.h>
#include <string.h>

#include "planner/agg/agg_impl.h"
#include "lang/base/memory.h"

enum { HLL_REGISTERS = 1 << RN_HLL_BITS, HLL_DENSE_FROM = HLL_REGISTERS / 16 };

void rn_state_init(const struct rn_agg_call *call, struct rn_state *state)
{
	(void)call;
	memset(state, 0, sizeof(*state));
}

void rn_state_free(const struct rn_agg_call *call, struct rn_state *state)
{
	free(state->words);
	free(state->cells);
	if (state->blob)
		call->def->blob_free(call, state->blob);
	memset(state, 0, sizeof(*state));
}

static void words_alloc(const struct rn_agg_call *c, struct rn_state *s)
{
	if (!s->words)
		s->words = rn_malloc(rn_agg_words(c->def) * sizeof(int64_t));
}

static inline int64_t wrap_add(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* w += o, numbers of n words, lowest first. Sums of events never wrap; those that peers send
 * may. */
static void add_words(int64_t *w, const int64_t *o, unsigned n)
{
	uint64_t carry = 0;

	for (unsigned i = 0; i < n; i++) {
		unsigned __int128 x = (unsigned __int128)(uint64_t)w[i] + (uint64_t)o[i] + carry;

		w[i] = (int64_t)(uint64_t)x;
		carry = (uint64_t)(x >> 64);
	}
}

static void put_words(int64_t *w, unsigned __int128 v)
{
	w[0] = (int64_t)(uint64_t)v;
	w[1] = (int64_t)(uint64_t)(v >> 64);
}

/* w = m * m in three words, m < 2^96. */
static void square(int64_t *w, unsigned __int128 m)
{
	uint64_t lo = (uint64_t)m, hi = (uint64_t)(m >> 64);
	unsigned __int128 cross = (unsigned __int128)lo * hi; /* twice, at word 1 */
	int64_t twice[3] = {0, (int64_t)(uint64_t)cross, (int64_t)(uint64_t)(cross >> 64)};

	put_words(w, (unsigned __int128)lo * lo);
	w[2] = (int64_t)(hi * hi);
	add_words(w, twice, 3);
	add_words(w, twice, 3);
}

/* Compares (time, value) of w and o; negative if w comes first. */
static int cmp_edge(const int64_t *w, const int64_t *o)
{
	if (w[0] != o[0])
		return w[0] < o[0] ? -1 : 1;
	return w[1] < o[1] ? -1 : w[1] > o[1];
}

/* Merges one slot with the words of another state or of a single event. Returns its number of
 * words. */
unsigned rn_slot_merge(enum rn_slot_op op, int64_t *w, const int64_t *o)
{
	switch (op) {
	case RN_SLOT_COUNT: w[0] = wrap_add(w[0], o[0]); return 1;
	case RN_SLOT_SUM: add_words(w, o, 2); return 2;
	case RN_SLOT_RATE: add_words(w, o, 4); return 4;
	case RN_SLOT_SUMSQ: add_words(w, o, 3); return 3;
	case RN_SLOT_MIN:
		if (o[0] < w[0])
			w[0] = o[0];
		return 1;
	case RN_SLOT_MAX:
		if (o[0] > w[0])
			w[0] = o[0];
		return 1;
	case RN_SLOT_FIRST:
		if (cmp_edge(o, w) < 0)
			memcpy(w, o, 16);
		return 2;
	case RN_SLOT_LAST:
		if (cmp_edge(o, w) > 0)
			memcpy(w, o, 16);
		return 2;
	}
	return 1;
}

/* Makes the words of a state that saw one event. */
static unsigned event_slot(enum rn_slot_op op, int64_t *w, bool has_arg, rn_wide arg,
			   int64_t time_ns)
{
	switch (op) {
	case RN_SLOT_COUNT: w[0] = 1; return 1;
	case RN_SLOT_SUM: put_words(w, (unsigned __int128)arg); return 2;
	case RN_SLOT_RATE:
		put_words(w, has_arg ? (unsigned __int128)arg : 1);
		w[2] = w[3] = w[1] >> 63;
		return 4;
	case RN_SLOT_SUMSQ:
		square(w, arg < 0 ? -(unsigned __int128)arg : (unsigned __int128)arg);
		return 3;
	case RN_SLOT_MIN:
	case RN_SLOT_MAX: w[0] = (int64_t)arg; return 1;
	case RN_SLOT_FIRST:
	case RN_SLOT_LAST:
		w[0] = time_ns;
		w[1] = (int64_t)arg;
		return 2;
	}
	return 1;
}

static void cells_reserve(struct rn_state *s, uint32_t n)
{
	uint32_t cap;

	if (n <= s->cap_cells)
		return;
	cap = s->cap_cells ? s->cap_cells * 2 : 8;
	if (cap < n)
		cap = n;
	s->cells = rn_realloc(s->cells, cap * sizeof(*s->cells));
	s->cap_cells = cap;
}

static void hll_make_dense(struct rn_state *s)
{
	struct rn_cell *d = rn_calloc(HLL_REGISTERS, sizeof(*d));

	for (int32_t i = 0; i < HLL_REGISTERS; i++)
		d[i].bucket = i;
	for (uint32_t i = 0; i < s->ncells; i++)
		d[s->cells[i].bucket].value = s->cells[i].value;
	free(s->cells);
	s->cells = d;
	s->ncells = s->cap_cells = HLL_REGISTERS;
}

/* The cell of a bucket; makes it with value 0 if there is none. */
static struct rn_cell *cell_at(enum rn_cell_fn fn, struct rn_state *state, int32_t bucket)
{
	uint32_t lo = 0, hi = state->ncells;

	if (fn == RN_CELL_HLL && state->ncells == HLL_REGISTERS)
		return &state->cells[bucket];
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (state->cells[mid].bucket < bucket)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo < state->ncells && state->cells[lo].bucket == bucket)
		return &state->cells[lo];
	if (fn == RN_CELL_HLL && state->ncells >= HLL_DENSE_FROM) {
		hll_make_dense(state);
		return &state->cells[bucket];
	}
	cells_reserve(state, state->ncells + 1);
	memmove(&state->cells[lo + 1], &state->cells[lo],
		(state->ncells - lo) * sizeof(*state->cells));
	state->cells[lo] = (struct rn_cell){.bucket = bucket};
	state->ncells++;
	return &state->cells[lo];
}

static inline void cell_merge(enum rn_cell_fn fn, struct rn_cell *to, int64_t value)
{
	if (fn != RN_CELL_HLL)
		to->value = wrap_add(to->value, value);
	else if (value > to->value)
		to->value = value;
}

static void update_cells(const struct rn_agg_call *call, struct rn_state *state,
			 const struct rn_value *arg, rn_wide word)
{
	enum rn_cell_fn fn = call->def->cell;
	int32_t b = 0;
	int64_t value = 1;

	switch (fn) {
	case RN_CELL_NONE: return;
	case RN_CELL_LOG2: b = rn_bucket_log2(word); break;
	case RN_CELL_LINEAR: b = rn_agg_step_of(call, word); break;
	case RN_CELL_LOGLIN: b = rn_bucket_loglin(word); break;
	case RN_CELL_HLL: {
		struct rn_value v = arg->kind == RN_STR ? *arg : rn_int((int64_t)word);

		rn_hll_cell(rn_hash_value(&v), &b, &value);
		break;
	}
	}
	cell_merge(fn, cell_at(fn, state, b), value);
}

/* The word that MIN and MAX keep beside cells. A fraction stays itself, as without cells. */
static rn_wide kept_word(const struct rn_agg_call *c, const struct rn_value *arg, rn_wide word)
{
	if (!c->fixed || c->def->cell == RN_CELL_NONE)
		return word;
	return rn_agg_ordered(arg->kind == RN_FLOAT ? arg->f : (double)arg->i);
}

bool rn_state_update(const struct rn_agg_call *call, struct rn_state *state,
		     const struct rn_value *arg, int64_t time_ns, bool first)
{
	const struct rn_agg *agg = call->def;
	enum rn_arg_fit fit;
	rn_wide word = 0;
	int64_t *w, one[4];

	if (call->arg && arg->kind == RN_NULL)
		return true;
	if (rn_agg_uses_blob(call)) {
		if (!state->blob)
			state->blob = agg->blob_new(call);
		agg->blob_update(call, state->blob, arg, time_ns);
		return true;
	}
	if (call->arg && !(arg->kind == RN_STR && agg->cell == RN_CELL_HLL) &&
	    (fit = rn_agg_number(call, arg, &word)) != RN_ARG_TAKEN)
		return fit != RN_ARG_BEYOND;
	if (agg->nslots) {
		rn_wide kept = kept_word(call, arg, word);

		first |= !state->words;
		words_alloc(call, state);
		w = state->words;
		for (unsigned i = 0; i < agg->nslots; i++) {
			unsigned n = event_slot(agg->slot[i], first ? w : one, call->arg != NULL,
						kept, time_ns);

			if (!first)
				rn_slot_merge(agg->slot[i], w, one);
			w += n;
		}
	}
	update_cells(call, state, arg, word);
	return true;
}

/* Finds the first cell from i on that is not before the bucket: near i, or anywhere. The latter has
 * no unpredictable branches. */
static uint32_t next_from(const struct rn_state *s, uint32_t i, int32_t bucket)
{
	while (i < s->ncells && s->cells[i].bucket < bucket)
		i++;
	return i;
}

static uint32_t find_from(const struct rn_state *s, uint32_t i, int32_t bucket)
{
	const struct rn_cell *c = s->cells + i;
	uint32_t n = s->ncells - i;

	if (!n)
		return i;
	for (; n > 1; n -= n / 2)
		c += c[n / 2 - 1].bucket < bucket ? n / 2 : 0;
	return (uint32_t)(c - s->cells) + (c->bucket < bucket);
}

/* Both are sorted: one pass counts the new buckets, another inserts them, from the end. */
static void merge_sorted(enum rn_cell_fn fn, struct rn_state *s, const struct rn_state *o)
{
	bool far = s->ncells > 16 * o->ncells;
	uint32_t fresh = 0, i = 0, k = 0, to;

	for (; k < o->ncells; k++) {
		i = far ? find_from(s, i, o->cells[k].bucket) : next_from(s, i, o->cells[k].bucket);
		if (i < s->ncells && s->cells[i].bucket == o->cells[k].bucket)
			cell_merge(fn, &s->cells[i], o->cells[k].value);
		else
			fresh++;
	}
	if (!fresh)
		return;
	cells_reserve(s, s->ncells + fresh);
	i = s->ncells;
	to = s->ncells += fresh;
	for (k = o->ncells; k && to > i;) {
		if (i && s->cells[i - 1].bucket >= o->cells[k - 1].bucket) {
			k -= s->cells[i - 1].bucket == o->cells[k - 1].bucket;
			s->cells[--to] = s->cells[--i];
		} else {
			s->cells[--to] = o->cells[--k];
		}
	}
}

static void merge_cells(const struct rn_agg_call *c, struct rn_state *s, const struct rn_state *o)
{
	enum rn_cell_fn fn = c->def->cell;

	if (!s->ncells && o->ncells) {
		cells_reserve(s, o->ncells);
		memcpy(s->cells, o->cells, o->ncells * sizeof(*o->cells));
		s->ncells = o->ncells;
		return;
	}
	if (fn == RN_CELL_HLL &&
	    (s->ncells == HLL_REGISTERS || s->ncells + o->ncells > HLL_DENSE_FROM)) {
		for (uint32_t i = 0; i < o->ncells; i++)
			cell_merge(fn, cell_at(fn, s, o->cells[i].bucket), o->cells[i].value);
		return;
	}
	merge_sorted(fn, s, o);
}

void rn_state_merge(const struct rn_agg_call *call, struct rn_state *state, bool s_empty,
		    const struct rn_state *other)
{
	const struct rn_agg *agg = call->def;

	if (s_empty)
		rn_state_free(call, state);
	if (other->blob) {
		if (!state->blob)
			state->blob = agg->blob_new(call);
		agg->blob_merge(call, state->blob, other->blob);
	}
	if (other->words && agg->nslots) {
		unsigned n = rn_agg_words(agg);

		if (!state->words) {
			words_alloc(call, state);
			memcpy(state->words, other->words, n * sizeof(int64_t));
		} else {
			for (unsigned i = 0, at = 0; i < agg->nslots; i++)
				at += rn_slot_merge(agg->slot[i], state->words + at,
						    other->words + at);
		}
	}
	merge_cells(call, state, other);
}
