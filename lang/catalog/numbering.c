/* numbering.c - see numbering.h. */
#include "lang/catalog/numbering.h"
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool rn_numbering_same(const struct rn_numbering *a, const struct rn_numbering *b)
{
	bool same = a && b ? a->n == b->n : a == b;

	for (unsigned i = 0; a && b && same && i < a->n; i++)
		same = a->of[i].number == b->of[i].number && !strcmp(a->of[i].name, b->of[i].name);
	return same;
}

const char *rn_numbering_name(const struct rn_numbering *numbering, int64_t number)
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
	return !strcmp(given, shown) && !rn_numbering_name(numbering, *number);
}

bool rn_numbering_knows(const struct rn_numbering *numbering, const char *text, size_t len)
{
	int64_t number;

	for (unsigned i = 0; i < numbering->n; i++)
		if (strlen(numbering->of[i].name) == len &&
		    !memcmp(numbering->of[i].name, text, len))
			return true;
	return rn_numbering_unnamed(numbering, text, len, &number);
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
