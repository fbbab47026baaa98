/* text.c - see text.h. */
#include "lang/foreign/text.h"
#include <string.h>
#include <strings.h>

static const struct rn_word no_word[1];
const struct rn_phrase rn_phrase_none = {no_word, no_word};

/* ---- reading ---- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* The length of the blanks or the comment that the text begins with; 0: it begins with neither. */
static size_t blank(const char *s, size_t n)
{
	const char *end;

	if (strchr(" \t\r\n\f\v", *s))
		return 1;
	if (n >= 2 && ((s[0] == '-' && s[1] == '-') || (s[0] == '/' && s[1] == '/'))) {
		end = memchr(s, '\n', n);
		return end ? (size_t)(end - s) : n;
	}
	if (n >= 2 && s[0] == '/' && s[1] == '*') {
		end = memmem(s + 2, n - 2, "*/", 2);
		return end ? (size_t)(end - s) + 2 : n;
	}
	return 0;
}

/* The length of a string. A doubled quote does not end it, as in SQL. */
static size_t string(const char *s, size_t n)
{
	size_t i = 1;

	while (i < n && (s[i] != *s || (i + 1 < n && s[i + 1] == *s)))
		i += s[i] == '\\' || s[i] == *s ? 2 : 1;
	return i < n ? i + 1 : n;
}

/* The length of 42, 4.2, 10_000, 5m. Not that of `1..2`. */
static size_t number(const char *s, size_t n)
{
	size_t i = 0;

	while (i < n && (is_digit(s[i]) || is_letter(s[i]) ||
			 (s[i] == '.' && i + 1 < n && is_digit(s[i + 1]))))
		i++;
	return i;
}

static size_t sign(const char *s, size_t n)
{
	static const char *const two[] = {"==", "<>", "!=", "<=", ">=", "=>", "->",
					  "&&", "||", "=~", "!~", "..", "<<", ">>"};

	for (size_t i = 0; n >= 2 && i < sizeof(two) / sizeof(*two); i++)
		if (!memcmp(s, two[i], 2))
			return 2;
	return 1;
}

static struct rn_word next_word(const char *s, size_t n)
{
	struct rn_word w = {.kind = RN_WORD_SIGN, .s = s};

	if (is_letter(*s)) {
		w.kind = RN_WORD_NAME;
		while (w.n < n && (is_letter(s[w.n]) || is_digit(s[w.n])))
			w.n++;
	} else if (is_digit(*s)) {
		w.kind = RN_WORD_NUMBER;
		w.n = number(s, n);
	} else if (*s == '"' || *s == '\'') {
		w.kind = RN_WORD_STRING;
		w.n = string(s, n);
	} else {
		w.n = sign(s, n);
	}
	return w;
}

static void join_brackets(struct rn_word *w, unsigned n)
{
	unsigned open[RN_WORDS_MAX], depth = 0;

	for (unsigned i = 0; i < n; i++) {
		if (w[i].kind != RN_WORD_SIGN)
			continue;
		if (strchr("([{", *w[i].s)) {
			open[depth++] = i;
		} else if (strchr(")]}", *w[i].s) && depth) {
			depth--;
			w[open[depth]].partner = i - open[depth];
		}
	}
}

struct rn_phrase rn_phrase_read(struct rn_arena *arena, const char *text, size_t n)
{
	struct rn_word *w = RN_NEWN(arena, struct rn_word, RN_WORDS_MAX);
	unsigned count = 0;

	for (size_t i = 0, skip; i < n; i += skip) {
		skip = text[i] ? blank(text + i, n - i) : 0;
		if (skip)
			continue;
		if (count == RN_WORDS_MAX || !text[i])
			return rn_phrase_none;
		w[count] = next_word(text + i, n - i);
		skip = w[count++].n;
	}
	join_brackets(w, count);
	return (struct rn_phrase){w, w + count};
}

/* ---- taking apart ---- */

bool rn_phrase_empty(struct rn_phrase r)
{
	return r.w >= r.end;
}

bool rn_word_is(const struct rn_word *w, const char *text)
{
	return w->kind != RN_WORD_STRING && w->n == strlen(text) && !strncasecmp(w->s, text, w->n);
}

bool rn_phrase_begin(struct rn_phrase r, const char *text)
{
	return r.w < r.end && rn_word_is(r.w, text);
}

bool rn_phrase_then(struct rn_phrase r, const char *text)
{
	return r.end - r.w > 1 && rn_word_is(r.w + 1, text);
}

bool rn_phrase_name(struct rn_phrase r)
{
	return r.w < r.end && r.w->kind == RN_WORD_NAME;
}

bool rn_phrase_take(struct rn_phrase *r, const char *text)
{
	if (!rn_phrase_begin(*r, text))
		return false;
	r->w++;
	return true;
}

const char *rn_phrase_take_name(struct rn_arena *arena, struct rn_phrase *r)
{
	return rn_phrase_name(*r) ? rn_word_text(arena, r->w++) : NULL;
}

struct rn_phrase rn_phrase_take_inside(struct rn_phrase *r)
{
	struct rn_phrase in;

	if (rn_phrase_empty(*r) || !r->w->partner || r->w + r->w->partner >= r->end)
		return rn_phrase_none;
	in = (struct rn_phrase){r->w + 1, r->w + r->w->partner};
	r->w = in.end + 1;
	return in;
}

static const struct rn_word *past(const struct rn_word *w)
{
	return w + w->partner + 1;
}

const struct rn_word *rn_phrase_find(struct rn_phrase r, const char *text)
{
	for (const struct rn_word *w = r.w; w < r.end; w = past(w))
		if (rn_word_is(w, text))
			return w;
	return NULL;
}

bool rn_phrase_holds(struct rn_phrase r, const char *text)
{
	for (const struct rn_word *w = r.w; w < r.end; w++)
		if (rn_word_is(w, text))
			return true;
	return false;
}

struct rn_phrase rn_phrase_take_to(struct rn_phrase *r, const char *separator)
{
	const struct rn_word *at = rn_phrase_find(*r, separator);
	struct rn_phrase part = {r->w, at ? at : r->end};

	r->w = at ? at + 1 : r->end;
	return part;
}

struct rn_phrase rn_phrase_take_until(struct rn_phrase *r, const char *const *words)
{
	struct rn_phrase part = {r->w, r->w};

	for (; part.end < r->end; part.end = past(part.end))
		for (unsigned i = 0; words[i]; i++)
			if (rn_word_is(part.end, words[i]))
				goto found;
	part.end = r->end;
found:
	r->w = part.end;
	return part;
}

/* ---- texts ---- */

const char *rn_word_text(struct rn_arena *arena, const struct rn_word *w)
{
	return rn_arena_strndup(arena, w->s, w->n);
}

const char *rn_phrase_text(struct rn_arena *arena, struct rn_phrase r)
{
	if (rn_phrase_empty(r))
		return "";
	return rn_arena_strndup(arena, r.w->s, (size_t)(r.end[-1].s + r.end[-1].n - r.w->s));
}

const char *rn_word_string(struct rn_arena *arena, const struct rn_word *w, size_t *n)
{
	char *out = rn_arena_alloc(arena, w->n + 1);

	*n = 0;
	for (size_t i = 1; i + 1 < w->n; i++) {
		if ((w->s[i] == '\\' || w->s[i] == *w->s) && i + 2 < w->n)
			i++;
		out[(*n)++] = w->s[i];
	}
	return out;
}
