/* numbering.c - see numbering.h. */
#include "lang/catalog/numbering.h"
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool rn_numbering_same(const struct rn_numbering *a, const struct rn_numbering *b)
{
	bool same = a && b ? a->n == b->n && a->flags == b->flags : a == b;

	for (unsigned i = 0; a && b && same && i < a->n; i++)
		same = a->of[i].number == b->of[i].number && !strcmp(a->of[i].name, b->of[i].name);
	return same;
}

/* NULL: it has none. */
static const char *name_of(const struct rn_numbering *numbering, int64_t number)
{
	unsigned low = 0, high = numbering->n;

	while (low < high) {
		unsigned mid = low + (high - low) / 2;

		if (numbering->of[mid].number == number)
			return numbering->of[mid].name;
		if (numbering->of[mid].number < number)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

static const char *text_of_flags(struct rn_arena *arena, const struct rn_numbering *numbering,
				 uint64_t bits)
{
	const char *text = NULL;

	for (unsigned i = 0; i < numbering->n && bits; i++) {
		uint64_t of = (uint64_t)numbering->of[i].number;

		if ((bits & of) != of)
			continue;
		bits &= ~of;
		text = text ? rn_arena_printf(arena, "%s|%s", text, numbering->of[i].name)
			    : numbering->of[i].name;
	}
	if (!text)
		return bits ? rn_arena_printf(arena, "0x%" PRIx64, bits) : "0";
	return bits ? rn_arena_printf(arena, "%s|0x%" PRIx64, text, bits) : text;
}

const char *rn_numbering_text(struct rn_arena *arena, const struct rn_numbering *numbering,
			      int64_t number)
{
	const char *name = numbering->flags ? text_of_flags(arena, numbering, (uint64_t)number)
					    : name_of(numbering, number);

	return name ? name : rn_arena_printf(arena, "%" PRId64, number);
}

bool rn_numbering_unnamed(const struct rn_numbering *numbering, const char *text, size_t len,
			  int64_t *number)
{
	char given[24], shown[24];

	if (!len || len >= sizeof(given))
		return false;
	memcpy(given, text, len);
	given[len] = 0;
	*number = strtoll(given, NULL, 10);
	snprintf(shown, sizeof(shown), "%" PRId64, *number);
	return !strcmp(given, shown) && !name_of(numbering, *number);
}

static const struct rn_numbered *named(const struct rn_numbering *numbering, const char *text,
				       size_t len)
{
	for (unsigned i = 0; i < numbering->n; i++)
		if (strlen(numbering->of[i].name) == len &&
		    !memcmp(numbering->of[i].name, text, len))
			return &numbering->of[i];
	return NULL;
}

/* 0x8000000, 0 */
static bool is_hex(const char *text, size_t len, uint64_t *number)
{
	char digits[17], *end; /* at most 64 bits */

	*number = 0;
	if (len == 1 && *text == '0')
		return true;
	if (len < 3 || len - 2 >= sizeof(digits) || memcmp(text, "0x", 2) != 0 ||
	    !isxdigit((unsigned char)text[2]))
		return false;
	memcpy(digits, text + 2, len - 2);
	digits[len - 2] = 0;
	*number = strtoull(digits, &end, 16);
	return !*end;
}

bool rn_numbering_bits(const struct rn_numbering *numbering, const char *text, size_t len,
		       int64_t *number)
{
	uint64_t all = 0, part;
	bool known = len > 0;

	for (size_t at = 0; at < len;) {
		const char *bar = memchr(text + at, '|', len - at);
		size_t n = bar ? (size_t)(bar - text) - at : len - at;
		const struct rn_numbered *one = named(numbering, text + at, n);

		if (one)
			all |= (uint64_t)one->number;
		else if (is_hex(text + at, n, &part))
			all |= part;
		else
			known = false;
		at += n + (bar != NULL);
		known &= !bar || at < len;
	}
	*number = (int64_t)all;
	return known;
}

struct rn_value rn_numbering_ordered(struct rn_arena *arena, const struct rn_numbering *numbering,
				     const struct rn_value *text)
{
	const char *ordered;
	int64_t number;

	if (!numbering->flags || !rn_numbering_bits(numbering, text->s, text->len, &number))
		return *text;
	ordered = rn_numbering_text(arena, numbering, number);
	return rn_strn(ordered, strlen(ordered));
}

bool rn_numbering_knows(const struct rn_numbering *numbering, const char *text, size_t len)
{
	int64_t number;

	if (numbering->flags)
		return rn_numbering_bits(numbering, text, len, &number);
	return named(numbering, text, len) || rn_numbering_unnamed(numbering, text, len, &number);
}

bool rn_numbering_glob(const char *glob, size_t len)
{
	bool other = false;

	for (size_t i = 0; i < len; i++) {
		if (glob[i] == '[' || glob[i] == '\\')
			return false;
		other |= !strchr("*?-0123456789", glob[i]);
	}
	return other;
}

const char *rn_numbering_short(const struct rn_field *field, const char *name)
{
	static const char what[] = "enum ";
	const char *type;
	size_t n = 0;

	if (field->ty.type != RN_T_STR || !field->doc ||
	    strncmp(field->doc, what, sizeof(what) - 1) != 0)
		return name;
	type = field->doc + sizeof(what) - 1;
	for (; isalnum((unsigned char)type[n]) || type[n] == '_'; n++)
		if (toupper((unsigned char)type[n]) != name[n])
			return name;
	return n && name[n] == '_' && name[n + 1] ? name + n + 1 : name;
}
