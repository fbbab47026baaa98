/* gaps.c - finds the times in which nothing of a flow happened, and which a timeline must mark.
 *
 * Before each box but the first, time passed since the last hop before it had ended, or none did.
 * A gap is such a time that is at least a tenth of the whole picture's, and at least ten times the
 * median of all of them. So a picture has ten gaps at most, and none if hops come evenly. */
#include <stdlib.h>
#include "lang/base/memory.h"
#include "repl/picture/picture_impl.h"

enum { OF_WHOLE = 10, OF_MEDIAN = 10 };

/* A difference, which is never below 0. Times of others may be any. */
static int64_t passed(int64_t from, int64_t to)
{
	int64_t ns;

	if (to <= from)
		return 0;
	return __builtin_sub_overflow(to, from, &ns) ? INT64_MAX : ns;
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

void rn_picture_find_gaps(struct rn_picture *picture, struct rn_arena *arena)
{
	uint32_t steps = picture->nboxes > 1 ? picture->nboxes - 1 : 0, n = 0;
	int64_t *idle = rn_calloc(2 * (size_t)steps + 1, sizeof(*idle)), *sorted = idle + steps,
		whole = passed(picture->first_ns, picture->last_ns), ended = INT64_MIN, median = 0;
	struct rn_picture_gap *gaps = RN_NEWN(arena, struct rn_picture_gap, OF_WHOLE);

	for (uint32_t i = 0; i < steps; i++) {
		const struct rn_picture_box *b = &picture->boxes[i];

		ended = b->end_ns > ended ? b->end_ns : ended;
		sorted[i] = idle[i] = passed(ended, b[1].at_ns);
	}
	qsort(sorted, steps, sizeof(*sorted), by_value);
	if (steps)
		median = sorted[(steps - 1) / 2];
	for (uint32_t i = 0; i < steps && n < OF_WHOLE; i++)
		if (idle[i] > 0 && idle[i] / OF_MEDIAN >= median && idle[i] >= whole / OF_WHOLE)
			gaps[n++] = (struct rn_picture_gap){i + 1, idle[i]};
	free(idle);
	picture->gaps = gaps;
	picture->ngaps = n;
}
