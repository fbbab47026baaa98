/* overlap.c - windows that overlap, every 1s over 10s: takes the parts as they come, and loads each
 * window once its last part is there. exec/groups/slide.c merges. */
#include "exec/answer/answer_impl.h"

static int load_window(void *self, const struct rn_partials *p)
{
	struct rn_answer *w = self;
	int r = 0;

	rn_arena_reset(w->scratch);
	for (uint32_t i = 0; i < p->n && !r; i++)
		r = rn_answer_insert_group(w, p->window_ns, &p->parts[i]);
	return r;
}

/* The window that ends at the next end. The first ones have only the parts since the beginning: a
 * rate is that of their time. */
static int slide_on(struct rn_answer *w)
{
	const struct rn_fragment *f = &w->plan->frag;
	int64_t from = w->slide_end_ns - w->plan->over_ns, first = w->first_ns, moved = 0;
	int r;

	w->window_ns = from < first ? w->slide_end_ns - first : w->plan->over_ns;
	r = rn_slide_window(w->slide, from, from, load_window, w, &moved);
	if (moved > w->window_moved)
		w->window_moved = moved;
	if (!r && !f->nkeys && rn_slide_empty(w->slide))
		r = rn_answer_load_empty(w, from);
	w->slide_end_ns += f->every_ns;
	return r;
}

int rn_answer_slide_until(struct rn_answer *w, int64_t until_ns)
{
	int64_t every = w->plan->frag.every_ns;
	int r = 0;

	if (w->slide_end_ns == INT64_MIN)
		return 0;
	if (until_ns == INT64_MAX)
		until_ns = w->slide_part_ns + every;
	for (int i = 0; w->slide_end_ns <= until_ns && !r && i < RN_MOST_EMPTY; i++) {
		if (rn_slide_empty(w->slide) && w->plan->frag.nkeys)
			break;
		r = slide_on(w);
	}
	if (w->slide_end_ns <= until_ns)
		w->slide_end_ns = rn_window_start(until_ns, every) + every;
	return r;
}

/* A companion counts each event once, in its part. */
static void count_part(struct rn_answer *w, const struct rn_partials *p)
{
	const struct rn_fragment *f = &w->plan->frag;
	struct rn_finish_ctx ctx = {0};

	for (uint32_t i = 0; i < p->n; i++)
		for (unsigned k = 0; k < f->naggs; k++) {
			struct rn_value v;

			if (!f->aggs[k].nulls_of)
				continue;
			v = f->aggs[k].def->finish(&f->aggs[k], &p->parts[i].state[k], &ctx,
						   w->scratch);
			rn_answer_count_companion(w, k, &v);
		}
}

int rn_answer_slide_part(void *self, const struct rn_partials *p)
{
	struct rn_answer *w = self;
	int64_t every = w->plan->frag.every_ns;
	int r;

	if (w->first_ns == INT64_MIN)
		w->first_ns = p->window_ns;
	if (w->slide_end_ns == INT64_MIN)
		w->slide_end_ns = p->window_ns + every;
	r = rn_answer_slide_until(w, p->window_ns);
	w->slide_part_ns = p->window_ns;
	w->part_moved += rn_slide_add(w->slide, p);
	count_part(w, p);
	return r;
}
