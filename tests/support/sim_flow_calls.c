/* sim_flow_calls.c - the event of a call: which tags end in its data, where, what is around them,
 * and where they truly came from. See sim_flow_impl.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lang/base/memory.h"
#include "tests/support/sim_flow_impl.h"

enum { SIDE = 64 /* bytes of `around` on a side */, TOLD = 4 /* tags */ };

/* ---- data ---- */

void sim_data_add(struct sim_data *data, const char *bytes, const int *from, unsigned n)
{
	if (data->n + n > data->cap) {
		data->cap = 2 * (data->n + n);
		data->bytes = rn_realloc(data->bytes, data->cap);
		data->from = rn_realloc(data->from, data->cap * sizeof(int));
	}
	if (!n)
		return;
	memcpy(data->bytes + data->n, bytes, n);
	memcpy(data->from + data->n, from, n * sizeof(int));
	data->n += n;
}

void sim_data_own(struct sim_data *data, const char *bytes, unsigned n)
{
	const int own = SIM_OWN;

	for (unsigned i = 0; i < n; i++)
		sim_data_add(data, bytes + i, &own, 1);
}

void sim_data_copy(struct sim_data *to, const struct sim_data *data)
{
	sim_data_add(to, data->bytes, data->from, data->n);
}

void sim_data_free(struct sim_data *data)
{
	free(data->bytes);
	free(data->from);
	memset(data, 0, sizeof(*data));
}

void sim_tail_move(struct sim_tail *tail, const struct sim_data *data)
{
	struct sim_data all = {0};
	unsigned skip;

	sim_data_copy(&all, &tail->data);
	sim_data_copy(&all, data);
	skip = all.n > SIM_TAG_BYTES - 1 ? all.n - (SIM_TAG_BYTES - 1) : 0;
	tail->data.n = 0;
	sim_data_add(&tail->data, all.bytes + skip, all.from + skip, all.n - skip);
	sim_data_free(&all);
}

/* ---- what is told of a tag ---- */

/* A hash of the bytes up to each step of 4, outwards. */
static void put_side(char *to, const char *at, unsigned n, int step)
{
	uint32_t hash = 2166136261u;
	char *end = to + strlen(to);

	n = n < SIDE ? n : SIDE;
	end += sprintf(end, "%02x", n);
	for (unsigned i = 0; i < n; i++) {
		hash = (hash ^ (unsigned char)at[(int)i * step]) * 16777619u;
		if (i % 4 == 3 || i == n - 1)
			end += sprintf(end, "%04x", (hash ^ hash >> 16) & 0xffff);
	}
}

/* The tag begins at place of the call's data, which may be before its first byte. */
static void put_found(const struct sim_flow *flow, struct sim_hop *hop, unsigned tag, int place,
		      const struct sim_data *data)
{
	const char *text = flow->tag[tag];
	int end = place + (int)strlen(text);

	sprintf(hop->tags + strlen(hop->tags), "%s%s", *hop->tags ? "," : "", text);
	sprintf(hop->hits + strlen(hop->hits), "%s%s@%d", *hop->hits ? " " : "", text, place);
	if (hop->nfound > TOLD)
		return;
	sprintf(hop->around + strlen(hop->around), "%s%s@", *hop->around ? " " : "", text);
	put_side(hop->around, place > 0 ? data->bytes + place - 1 : NULL,
		 place > 0 ? (unsigned)place : 0, -1);
	strcat(hop->around, "-");
	put_side(hop->around, data->bytes + end, data->n - (unsigned)end, 1);
}

/* Each cause is there once, at its first place. */
static void put_cause(struct sim_found *found, int cause)
{
	for (unsigned i = 0; i < found->ncauses; i++)
		if (found->cause[i] == cause)
			return;
	if (found->ncauses < SIM_PLACES)
		found->cause[found->ncauses++] = cause;
}

static void search_tag(const struct sim_flow *flow, struct sim_hop *hop, unsigned tag,
		       const struct sim_data *all, unsigned before, const struct sim_data *data)
{
	const char *text = flow->tag[tag];
	unsigned n = (unsigned)strlen(text);
	struct sim_found *found = NULL;

	for (unsigned i = 0; i + n <= all->n; i++) {
		if (i + n <= before || memcmp(all->bytes + i, text, n))
			continue;
		if (!found) {
			found = &hop->found[hop->nfound++];
			*found = (struct sim_found){.tag = tag};
			put_found(flow, hop, tag, (int)i - (int)before, data);
		}
		put_cause(found, all->from[i + n - 1]);
	}
}

bool sim_hop_search(const struct sim_flow *flow, struct sim_hop *hop, const struct sim_data *data,
		    const struct sim_tail *tail)
{
	struct sim_data all = {0};

	if (tail)
		sim_data_copy(&all, &tail->data);
	sim_data_copy(&all, data);
	for (unsigned t = 0; t < flow->ntags; t++)
		search_tag(flow, hop, t, &all, tail ? tail->data.n : 0, data);
	sim_data_free(&all);
	hop->bytes = data->n;
	return hop->nfound;
}
