/* test_scantab.c - the tables of the tag search: by the rules of probes/bpf/scan.bpf.h, done here
 * in user space, every tag is met wherever it begins, whatever else is searched for. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "probes/abi/scan_tables.h"

static struct rn_scan_tables t;
static char bytes[RN_MAX_TAGS + 1][RN_TAG_MAX];
static struct rn_tag tags[RN_MAX_TAGS + 1];

static unsigned random_below(unsigned n)
{
	static uint64_t x = 88172645463325252ull;

	x ^= x << 13, x ^= x >> 7, x ^= x << 17;
	return (unsigned)(x % n);
}

static bool passes(uint32_t h)
{
	return t.bitmap ? t.hit.word[RN_SCAN_WORD(h)] >> RN_SCAN_BIT(h) & 1
			: t.hit.byte[RN_SCAN_BYTE(h)];
}

/* Where the tag is found in the text first; -1: nowhere. */
static int found_at(const unsigned char *text, unsigned n, unsigned stride, unsigned tag)
{
	unsigned gram_bytes = (unsigned)t.gram;

	for (unsigned p = 0; p < n; p += stride) {
		uint64_t gram = 0, h;

		memcpy(&gram, text + p, gram_bytes);
		h = gram_bytes == 4 ? RN_SCAN_HASH4(gram) : RN_SCAN_HASH8(gram);
		if (!passes(h))
			continue;
		for (unsigned at = t.head[RN_SCAN_HEAD(h)], k = 0; at; at = t.entry[at].next, k++) {
			const struct rn_scan_entry *e = &t.entry[at];
			const unsigned char *begin = text + p - e->off;

			assert_true(k < t.chain);
			if (e->tag == tag && e->gram == gram && p >= e->off &&
			    p - e->off + t.tag[tag].len <= n &&
			    !memcmp(begin, t.tag[tag].word, t.tag[tag].len))
				return (int)(p - e->off);
		}
	}
	return -1;
}

/* May a tag begin with the n bytes at p, by the table? */
static bool may_begin(const void *p, unsigned n)
{
	uint32_t x = 0, h;

	memcpy(&x, p, n < 4 ? n : 4);
	h = RN_SCAN_HASH4(RN_SCAN_PREFIX(x, n < 4 ? n : 4)) >> 16;
	return t.prefix[h >> 6] >> (h & 63) & 1;
}

/* Lengths from shortest to longest; letters: of how many bytes they are made; prefix: how many
 * bytes all have in common. */
static void every_place(unsigned n, unsigned shortest, unsigned longest, unsigned letters,
			unsigned prefix)
{
	unsigned char text[256];
	int stride;

	for (unsigned i = 0; i < n; i++) {
		unsigned len = shortest + random_below(longest - shortest + 1);

		for (unsigned k = 0; k < len; k++)
			bytes[i][k] = (char)(k < prefix ? 'p' : random_below(letters));
		tags[i] = rn_tag_of(bytes[i], len);
	}
	memset(&t, 0, sizeof(t));
	stride = rn_scan_tables_fill(&t, tags, n, NULL);
	assert_in_range(stride, 1, RN_SCAN_STRIDE_MAX);
	assert_true((size_t)stride + t.gram - 1 <= t.shortest);
	assert_int_equal(t.ntags, n);
	assert_true(t.longest >= shortest && t.longest <= longest);
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 1; k < tags[i].len; k++)
			assert_true(may_begin(tags[i].bytes, k));
	for (unsigned i = 0; i < n; i += n / 20 + 1) /* of many, some */
		for (unsigned at = 0; at < 2 * RN_SCAN_STRIDE_MAX + 1; at++) {
			int where;

			memset(text, 0xfe, sizeof(text));
			memcpy(text + at, tags[i].bytes, tags[i].len);
			where = found_at(text, at + tags[i].len, (unsigned)stride, i);
			/* before: it may overlap itself */
			assert_true(where >= 0 && where <= (int)at);
			assert_int_equal(found_at(text, at + tags[i].len - 1, (unsigned)stride,
						  i) >= (int)at,
					 0);
		}
}

static void met_everywhere(void **state)
{
	static const unsigned counts[] = {1, 2, 30, 64, 65, 1000},
			      lengths[] = {4, 5, 6, 7, 14, 15, 16, 64};

	(void)state;

	for (unsigned c = 0; c < 6; c++)
		for (unsigned l = 0; l < 8; l++) {
			every_place(counts[c], lengths[l], lengths[l], 250, 0);
			/* short and long ones together */
			every_place(counts[c], lengths[l], RN_TAG_MAX, 250, 0);
			/* a common beginning */
			every_place(counts[c], lengths[l], lengths[l], 250, lengths[l] - 2);
			/* zeros and ones: candidates everywhere */
			every_place(counts[c], lengths[l], RN_TAG_MAX, 2, 0);
		}
}

/* Tags with a common beginning are looked for by what they differ in, where their length allows
 * it. */
static void common_beginning(void **state)
{
	(void)state;

	for (unsigned i = 0; i < RN_MAX_TAGS; i++) {
		memcpy(bytes[i], "request-id-0000000000000000", 27);
		for (unsigned k = 0; k < 16; k++)
			bytes[i][11 + k] = (char)('a' + random_below(26));
		tags[i] = rn_tag_of(bytes[i], 27);
	}
	memset(&t, 0, sizeof(t));
	assert_int_equal(rn_scan_tables_fill(&t, tags, RN_MAX_TAGS, NULL), 8);
	assert_true(t.chain < 16);
	memset(&t, 0, sizeof(t));
	for (unsigned i = 0; i < 64; i++)
		tags[i] = rn_tag_of(i % 2 ? "\0\0\0\0\0\0\0\0\0\0\0\0abcdefghijklmnopqrst"
					  : "                fix283 and more",
				    31);
	/* by no q-gram that blank data is full of: the last 17 bytes have 14 others */
	assert_int_equal(rn_scan_tables_fill(&t, tags, 2, NULL), 14);
	for (unsigned i = 1; i <= 28; i++)
		assert_true(t.entry[i].gram != 0 && t.entry[i].gram != 0x20202020);
}

static void the_stride_follows_from_the_shortest_tag(void **state)
{
	static const struct {
		unsigned len;
		int stride;
	} cases[] = {
		{3, -EINVAL}, {0, -EINVAL}, {4, 1},   {5, 2},        {6, 3},
		{14, 11},     {16, 13},     {64, 32}, {65, -EINVAL},
	};
	static const char some[65] =
		"0123456789012345678901234567890123456789012345678901234567890123";
	static const struct {
		unsigned ntags;
		int stride; /* of tags of 27 bytes */
	} many[] = {{4, 24}, {5, 20}, {64, 8}, {65, 20}, {1000, 8}};

	(void)state;

	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct rn_tag one = rn_tag_of(some, cases[i].len);

		memset(&t, 0, sizeof(t));
		assert_int_equal(rn_scan_tables_fill(&t, &one, 1, NULL), cases[i].stride);
	}
	/* with more tags q-grams are longer, and the tables hold a limited number of them */
	for (unsigned i = 0; i < sizeof(many) / sizeof(*many); i++) {
		for (unsigned k = 0; k < many[i].ntags; k++)
			tags[k] = rn_tag_of(some, 27);
		memset(&t, 0, sizeof(t));
		assert_int_equal(rn_scan_tables_fill(&t, tags, many[i].ntags, NULL),
				 many[i].stride);
	}
	for (unsigned i = 0; i <= RN_MAX_TAGS; i++)
		tags[i] = rn_tag_of("the same tag, over and over", 27);
	memset(&t, 0, sizeof(t));
	assert_int_equal(rn_scan_tables_fill(&t, tags, RN_MAX_TAGS, NULL), 8);
	assert_true(t.chain >= RN_MAX_TAGS); /* none is cut */
	memset(&t, 0, sizeof(t));
	assert_int_equal(rn_scan_tables_fill(&t, tags, RN_MAX_TAGS + 1, NULL), -EINVAL);
	assert_int_equal(rn_scan_tables_fill(&t, tags, 0, NULL), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(met_everywhere),
		cmocka_unit_test(common_beginning),
		cmocka_unit_test(the_stride_follows_from_the_shortest_tag),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
