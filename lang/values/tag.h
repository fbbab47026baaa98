/* tag.h - a tag: the bytes that are searched for in payload, any bytes at all; its limits; its form
 * as text.
 *
 * The text form is the same wherever a tag is shown (the field `tags`, explain, recordings): the
 * tag itself if it is printable text without `,` and `"`, otherwise x"hex". So no two tags share a
 * form, and a list joined by `,` can be taken apart. The limits are shared with BPF. */
#ifndef RN_LANG_VALUES_TAG_H
#define RN_LANG_VALUES_TAG_H
#define RN_MAX_TAGS 1000 /* of one query */
#define RN_TAG_MIN 4     /* bytes: shorter ones occur by chance */
#define RN_TAG_MAX 64
/* What of the payload is searched: the clause `scan`. */
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
/* The text form, in the arena. */
const char *rn_tag_text(struct rn_arena *a, struct rn_tag t);
/* How the tag is written in a query: a bareword, "quoted" or x"hex". */
const char *rn_tag_source(struct rn_arena *a, struct rn_tag t);
/* The tag of a text form. What has not the form x"hex" is the tag itself, so that this takes any
 * text. */
struct rn_tag rn_tag_parse(struct rn_arena *a, const char *text, size_t len);
/* The first place in the digits of x"hex" where no pair of digits stands, one byte of it; n if all
 * are pairs. */
size_t rn_tag_bad_digit(const char *digits, size_t n);
/* True if it has a length that can be searched. */
static inline bool rn_tag_fits(struct rn_tag t)
{
	return t.len >= RN_TAG_MIN && t.len <= RN_TAG_MAX;
}
#endif
#endif
