/* tag.c - tags as text: see tag.h. */
#include "lang/values/tag.h"
#include <string.h>
#include "lang/base/str.h"
#include "lang/base/utf8.h"

bool rn_tag_equal(struct rn_tag a, struct rn_tag b)
{
	return a.len == b.len && !memcmp(a.bytes, b.bytes, a.len);
}

/* Printable: valid UTF-8 without control characters. */
static bool is_printable(struct rn_tag t)
{
	size_t n;

	for (size_t i = 0; i < t.len; i += n) {
		uint32_t c = rn_utf8_decode(t.bytes + i, t.len - i);

		n = rn_utf8_len(t.bytes + i, t.len - i);
		if (c < 0x20 || (n == 1 ? c >= 0x7F : c < 0xA0))
			return false;
	}
	return t.len > 0;
}

static const char *hex_form(struct rn_arena *a, struct rn_tag t)
{
	struct rn_strbuf out;

	rn_strbuf_init(&out, a);
	rn_strbuf_put(&out, "x\"");
	for (unsigned i = 0; i < t.len; i++)
		rn_strbuf_printf(&out, "%02x", (unsigned char)t.bytes[i]);
	rn_strbuf_putc(&out, '"');
	return rn_strbuf_cstr(&out);
}

const char *rn_tag_text(struct rn_arena *arena, struct rn_tag t)
{
	if (is_printable(t) && !memchr(t.bytes, ',', t.len) && !memchr(t.bytes, '"', t.len))
		return rn_arena_strndup(arena, t.bytes, t.len);
	return hex_form(arena, t);
}

static bool is_word(struct rn_tag t)
{
	for (unsigned i = 0; i < t.len; i++) {
		char c = t.bytes[i];

		if (!(c == '_' || (c >= '0' && c <= '9' && i) || (c >= 'a' && c <= 'z') ||
		      (c >= 'A' && c <= 'Z')))
			return false;
	}
	return t.len > 0;
}

/* Words as long as a tag that are not allowed as names anywhere. */
static bool is_reserved(struct rn_tag t)
{
	static const char *const words[] = {"where", "having", "between", "true", "false"};

	for (unsigned i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (t.len == strlen(words[i]) && !memcmp(t.bytes, words[i], t.len))
			return true;
	return t.len < RN_TAG_MIN;
}

const char *rn_tag_source(struct rn_arena *arena, struct rn_tag t)
{
	struct rn_strbuf out;

	if (!is_printable(t))
		return hex_form(arena, t);
	if (is_word(t) && !is_reserved(t))
		return rn_arena_strndup(arena, t.bytes, t.len);
	rn_strbuf_init(&out, arena);
	rn_strbuf_quote(&out, t.bytes, t.len);
	return rn_strbuf_cstr(&out);
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

size_t rn_tag_bad_digit(const char *digits, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (hex_digit(digits[i]) < 0)
			return i;
	return n % 2 ? n - 1 : n;
}

/* Length of the x"hex" at the start of s; 0 if there is none. */
static size_t hex_len(const char *s, size_t len)
{
	size_t i = 2;

	if (len < 5 || s[0] != 'x' || s[1] != '"')
		return 0;
	while (i + 1 < len && hex_digit(s[i]) >= 0 && hex_digit(s[i + 1]) >= 0)
		i += 2;
	return i > 2 && i < len && s[i] == '"' ? i + 1 : 0;
}

struct rn_tag rn_tag_parse(struct rn_arena *arena, const char *text, size_t len)
{
	size_t n = hex_len(text, len);
	char *bytes;

	if (!n || n != len)
		return rn_tag_of(rn_arena_strndup(arena, text, len), len);
	n = (len - 3) / 2;
	bytes = rn_arena_alloc(arena, n + 1);
	for (size_t i = 0; i < n; i++)
		bytes[i] = (char)((unsigned)hex_digit(text[2 + 2 * i]) << 4 |
				  (unsigned)hex_digit(text[3 + 2 * i]));
	bytes[n] = 0;
	return rn_tag_of(bytes, n);
}
