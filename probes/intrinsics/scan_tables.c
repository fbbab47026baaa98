/* scan_tables.c - makes the tables of the tag search (probes/bpf/scan.bpf.h has the algorithm).
 *
 * With samples at a stride of s, one of any s neighbouring places in a tag is sampled. A tag that
 * is longer than needed leaves a choice of places. The best ones have q-grams that are rare among
 * the tags, so that tags with a common beginning do not share one chain. They are also not the same
 * byte over and over, as data often is. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "lang/base/memory.h"
#include "probes/abi/scan_tables.h"

/* How to sample: gram + stride - 1 <= length of the shortest tag. */
struct sampling {
	unsigned stride, gram;
};
/* Few tags have few q-grams of 4 bytes, and these allow a larger stride. Many would occur by
 * chance, in hexadecimal digits for example. */
enum { SHORT_GRAMS = 4, LONG_ENOUGH = 15 /* for q-grams of 8 bytes */ };

static int check(const struct rn_tag *tags, unsigned ntags, size_t *shortest, struct rn_err *err)
{
	if (!ntags)
		return rn_err_set(err, -EINVAL, "no tag is given");
	if (ntags > RN_MAX_TAGS)
		return rn_err_set(err, -EINVAL,
				  "%u tags are given, at most %d can be searched at once", ntags,
				  RN_MAX_TAGS);
	*shortest = RN_TAG_MAX;
	for (unsigned i = 0; i < ntags; i++) {
		size_t n = tags[i].len;

		if (n < RN_TAG_MIN || n > RN_TAG_MAX) {
			rn_err_set(
				err, -EINVAL, "the tag \"%.*s\" has %zu bytes; tags have %d to %d",
				(int)(n < 80 ? n : 80), tags[i].bytes, n, RN_TAG_MIN, RN_TAG_MAX);
			rn_err_hint(err, "short tags occur by chance: use a longer, rarer text");
			return -EINVAL;
		}
		if (n < *shortest)
			*shortest = n;
	}
	return 0;
}

static uint64_t gram_at(const struct rn_tag *t, unsigned off, unsigned bytes)
{
	uint64_t gram = 0;

	memcpy(&gram, t->bytes + off, bytes);
	return gram;
}

static uint32_t hash_of(uint64_t gram, unsigned bytes)
{
	return bytes == 4 ? RN_SCAN_HASH4(gram) : RN_SCAN_HASH8(gram);
}

/* Is data often full of the q-gram at off? */
enum { BLANK = 16, UNIFORM = 256 };
static unsigned dullness(const struct rn_tag *t, unsigned off, unsigned bytes)
{
	unsigned same = 0, blank = 0;

	for (unsigned i = 0; i < bytes; i++) {
		same += t->bytes[off + i] == t->bytes[off];
		blank += t->bytes[off + i] == 0 || t->bytes[off + i] == ' ';
	}
	return (same == bytes ? UNIFORM : 0) + (blank > bytes / 2 ? BLANK : 0);
}

/* How bad is it to look for the tag by the q-gram at off? */
static unsigned badness(const struct rn_tag *t, unsigned off, unsigned bytes,
			const uint16_t *common)
{
	return common[RN_SCAN_HEAD(hash_of(gram_at(t, off, bytes), bytes))] +
	       dullness(t, off, bytes);
}

/* The most neighbouring places of the tag whose q-grams are not dull. */
static unsigned lively_places(const struct rn_tag *t, unsigned bytes)
{
	unsigned most = 0, run = 0;

	for (unsigned off = 0; off + bytes <= t->len; off++) {
		run = dullness(t, off, bytes) ? 0 : run + 1;
		if (run > most)
			most = run;
	}
	return most;
}

/* The largest stride for these tags, unless a smaller one leaves out dull q-grams and is not much
 * slower. */
static struct sampling choose_sampling(const struct rn_tag *tags, unsigned ntags, size_t shortest)
{
	struct sampling s = {.gram = shortest >= LONG_ENOUGH && ntags > SHORT_GRAMS ? 8
										    : RN_TAG_MIN};
	unsigned max = (unsigned)shortest - s.gram + 1, lively = RN_SCAN_STRIDE_MAX;
	unsigned most = (ntags > RN_SCAN_FEW ? RN_SCAN_ENTRIES - 1 : RN_SCAN_FEW_ENTRIES) / ntags;

	max = max < most ? max : most;
	max = max < RN_SCAN_STRIDE_MAX ? max : RN_SCAN_STRIDE_MAX;
	for (unsigned i = 0; i < ntags; i++) {
		unsigned n = lively_places(&tags[i], s.gram);

		lively = n < lively ? n : lively;
	}
	s.stride = lively < max && (lively >= 8 || lively * 4 >= max * 3) ? lively : max;
	return s;
}

/* The first of the places by which the search looks for the tag. */
static unsigned best_place(const struct rn_tag *t, const struct sampling *s, const uint16_t *common)
{
	unsigned best = 0, least = ~0u;

	for (unsigned at = 0; at + s->stride - 1 + s->gram <= t->len; at++) {
		unsigned sum = 0;

		for (unsigned k = 0; k < s->stride; k++)
			sum += badness(t, at + k, s->gram, common);
		if (sum < least)
			best = at, least = sum;
	}
	return best;
}

/* Later entries come first in their chain: for one tag, that is the entry that begins earliest in
 * the data. */
static void add_entry(struct rn_scan_tables *t, unsigned n, unsigned tag, unsigned off,
		      uint64_t gram, uint32_t hash)
{
	unsigned chain = 0;

	t->entry[n] = (struct rn_scan_entry){.gram = gram,
					     .next = t->head[RN_SCAN_HEAD(hash)],
					     .tag = (uint16_t)tag,
					     .off = (uint8_t)off};
	t->head[RN_SCAN_HEAD(hash)] = (uint16_t)n;
	if (t->bitmap)
		t->hit.word[RN_SCAN_WORD(hash)] |= 1ULL << RN_SCAN_BIT(hash);
	else
		t->hit.byte[RN_SCAN_BYTE(hash)] = 1;
	for (unsigned at = n; at; at = t->entry[at].next)
		chain++;
	if (chain > t->chain)
		t->chain = chain;
}

/* Add how the tag begins: the end of a call need not be remembered if it holds no such
 * beginning. */
static void add_prefixes(struct rn_scan_tables *t, const struct rn_tag *tag)
{
	if (tag->len > t->longest)
		t->longest = tag->len;
	for (unsigned n = 1; n <= 4; n++) {
		uint32_t x = 0, h;

		memcpy(&x, tag->bytes, n);
		h = RN_SCAN_HASH4(RN_SCAN_PREFIX(x, n)) >> 16;
		t->prefix[h >> 6] |= 1ULL << (h & 63);
	}
}

int rn_scan_tables_fill(struct rn_scan_tables *tables, const struct rn_tag *tags, unsigned ntags,
			struct rn_err *err)
{
	struct sampling chosen;
	const struct sampling *s = &chosen;
	uint16_t *common;
	unsigned n = 1;
	size_t shortest = 0;
	int ret = check(tags, ntags, &shortest, err);

	if (ret)
		return ret;
	common = rn_calloc(RN_SCAN_HEADS, sizeof(*common));
	tables->shortest = shortest;
	tables->ntags = ntags;
	tables->bitmap = ntags > RN_SCAN_FEW;
	chosen = choose_sampling(tags, ntags, shortest);
	tables->gram = s->gram;
	for (unsigned i = 0; i < ntags; i++)
		for (unsigned off = 0; off + s->gram <= tags[i].len; off++)
			common[RN_SCAN_HEAD(hash_of(gram_at(&tags[i], off, s->gram), s->gram))]++;
	for (unsigned i = 0; i < ntags; i++) {
		struct rn_scan_tag *tag = &tables->tag[i];
		unsigned from = best_place(&tags[i], s, common);

		tag->len = tags[i].len;
		memcpy(tag->word, tags[i].bytes, tag->len);
		memset(tag->care, 0xff, tag->len);
		for (unsigned off = from; off < from + s->stride; off++) {
			uint64_t gram = gram_at(&tags[i], off, s->gram);

			add_entry(tables, n++, i, off, gram, hash_of(gram, s->gram));
		}
	}
	for (unsigned i = 0; i < ntags; i++)
		add_prefixes(tables, &tags[i]);
	free(common);
	return (int)s->stride;
}
