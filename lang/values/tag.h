/* tag.h - a tag: any bytes to search for in payload; its limits; its form as text.
 *
 * The text form is the same in every place that shows a tag (the field `tags`, explain,
 * recordings). It is the tag itself if that is printable text without `,` and `"`, otherwise
 * x"hex". So no two tags share a form, and a list joined by `,` can be split again. The limits are
 * shared with BPF. */
#ifndef RN_LANG_VALUES_TAG_H
#define RN_LANG_VALUES_TAG_H
#define RN_MAX_TAGS 1000 /* in one query */
#define RN_TAG_MIN 4     /* bytes: shorter ones occur by chance */
#define RN_TAG_MAX 64
/* How much of the payload is searched: the clause `scan`. */
#define RN_SCAN_CAP_DEFAULT (1u << 20) /* bytes of one call */
#define RN_SCAN_CAP_MIN 4096
#define RN_SCAN_CAP_MAX (16u << 20)
#define RN_SCAN_RATE_MIN (1u << 20) /* bytes a second, if there is a limit */
#ifndef __bpf__
#include <stdbool.h>
#include <stddef.h>
#include "lang/base/arena.h"

struct rn_tag {
	const char *bytes;
	unsigned len;
};

static inline struct rn_tag rn_tag_of(const char *bytes, size_t len)
{
	return (struct rn_tag){bytes, (unsigned)len};
}
bool rn_tag_equal(struct rn_tag a, struct rn_tag b);
/* Returns the text form, in the arena. */
const char *rn_tag_text(struct rn_arena *arena, struct rn_tag t);
/* Returns the tag as a query writes it: a bareword, "quoted" or x"hex". */
const char *rn_tag_source(struct rn_arena *arena, struct rn_tag t);
/* Returns the tag of a text form. A text that is not x"hex" is the tag itself, so any text is
 * valid. */
struct rn_tag rn_tag_parse(struct rn_arena *arena, const char *text, size_t len);
/* The offset of the first byte in the digits of x"hex" that is not part of a pair of digits; n if
 * all are pairs. */
size_t rn_tag_bad_digit(const char *digits, size_t n);
/* True if its length can be searched. */
static inline bool rn_tag_fits(struct rn_tag t)
{
	return t.len >= RN_TAG_MIN && t.len <= RN_TAG_MAX;
}
#endif
#endif
