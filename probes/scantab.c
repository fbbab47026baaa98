/* scantab.c - makes the tables of the tag search (probes/bpf/scan.h has the algorithm). */
#include <errno.h>
#include <string.h>
#include "probes/scantab.h"

#define MULT 0x9E3779B97F4A7C15ULL

/* How to sample, for the shortest tag: the largest stride with gram + stride - 1 <= length. */
static const struct { unsigned min_len, stride, gram; } samplings[] = {{15, 8, 8}, {6, 3, 4}, {RN_TAG_MIN, 1, 4}};

static int check(const struct rn_tag *tags, unsigned ntags, size_t *shortest, struct rn_err *err)
{
	if (!ntags)
		return rn_err_set(err, -EINVAL, "no tag is given");
	if (ntags > RN_MAX_TAGS)
		return rn_err_set(err, -EINVAL, "%u tags are given, at most %d can be searched at once", ntags, RN_MAX_TAGS);
	*shortest = RN_TAG_MAX;
	for (unsigned i = 0; i < ntags; i++) {
		size_t n = tags[i].len;
		if (n < RN_TAG_MIN || n > RN_TAG_MAX) {
			rn_err_set(err, -EINVAL, "the tag \"%.*s\" has %zu bytes; tags have %d to %d", (int)(n < 80 ? n : 80), tags[i].bytes, n, RN_TAG_MIN,
				   RN_TAG_MAX);
			rn_err_hint(err, "short tags occur by chance: use a longer, rarer text");
			return -EINVAL;
		}
		if (n < *shortest)
			*shortest = n;
	}
	return 0;
}

int rn_scan_tables_fill(struct rn_scan_tables *t, const struct rn_tag *tags, unsigned ntags, struct rn_err *err)
{
	unsigned n = 1, s = 0;
	size_t shortest = 0;
	int ret = check(tags, ntags, &shortest, err);

	if (ret)
		return ret;
	t->shortest = shortest;
	while (shortest < samplings[s].min_len)
		s++;
	for (unsigned i = 0; i < ntags; i++) {
		struct rn_scan_tag *tag = &t->tag[i];
		tag->len = tags[i].len;
		memcpy(tag->word, tags[i].bytes, tag->len);
		memset(tag->care, 0xff, tag->len);
		t->all |= 1ULL << i;
		for (unsigned off = 0; off < samplings[s].stride; off++) {
			struct rn_scan_entry *e = &t->entry[n];
			memcpy(&e->gram, tags[i].bytes + off, samplings[s].gram);
			uint64_t h = ((samplings[s].gram == 4 ? e->gram << 32 : e->gram) * MULT) >> 48;
			e->tag = (uint8_t)i;
			e->off = (uint8_t)off;
			e->next = t->head[h % RN_SCAN_HEADS];
			t->head[h % RN_SCAN_HEADS] = (uint16_t)n++;
			t->hit[h] = 1;
			unsigned chain = 0;
			for (unsigned at = t->head[h % RN_SCAN_HEADS]; at; at = t->entry[at].next)
				chain++;
			if (chain > t->chain)
				t->chain = chain;
		}
	}
	return (int)samplings[s].stride;
}
