/* tracefs_names.c - names of numbers in the format of a tracepoint: __print_symbolic(REC->reason, {
 * 2, "NOT_SPECIFIED" }, ... The kernel or a module wrote the text. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "lang/catalog/numbering.h"
#include "lang/base/vec.h"
#include "probes/catalog/tracefs.h"

enum { MAX_NAMES = 4096, MAX_DEPTH = 16 };

const char *rn_tracefs_symbolic(const char *fmt, const char *field)
{
	static const char call[] = "__print_symbolic(REC->";
	size_t len = strlen(field);

	for (const char *p = fmt; p && (p = strstr(p, call));) {
		p += sizeof(call) - 1;
		if (!strncmp(p, field, len) && p[len] == ',')
			return p + len + 1;
	}
	return NULL;
}

static const char *skip_blanks(const char *p)
{
	return p + strspn(p, " \t");
}

static bool parse_number(const char **at, unsigned depth, int64_t *out);

/* 0x1f, 7ULL, -1, (1 << 3), ((1u)) */
static bool parse_operand(const char **at, unsigned depth, int64_t *out)
{
	const char *p = skip_blanks(*at);
	bool minus = *p == '-';
	char *end;

	p = skip_blanks(p + minus);
	if (*p == '(') {
		p++;
		if (!depth || !parse_number(&p, depth - 1, out) || *skip_blanks(p) != ')')
			return false;
		*at = skip_blanks(p) + 1;
	} else {
		if (!isdigit((unsigned char)*p))
			return false;
		*out = (int64_t)strtoull(p, &end, 0);
		*at = end + strspn(end, "uUlL");
	}
	if (minus)
		*out = (int64_t)(0 - (uint64_t)*out);
	return true;
}

/* Operands joined by << and |, of which << is the stronger one; false: anything else. */
static bool parse_number(const char **at, unsigned depth, int64_t *out)
{
	int64_t part, shift;
	uint64_t all = 0;

	for (bool more = true; more; *at += more) {
		if (!parse_operand(at, depth, &part))
			return false;
		for (*at = skip_blanks(*at); !strncmp(*at, "<<", 2); *at = skip_blanks(*at)) {
			*at += 2;
			if (!parse_operand(at, depth, &shift) || shift < 0 || shift > 63)
				return false;
			part = (int64_t)((uint64_t)part << shift);
		}
		all |= (uint64_t)part;
		more = **at == '|';
	}
	*out = (int64_t)all;
	return true;
}

/* "NO_SOCKET", also in parts: "KVM_EXIT_" "UNKNOWN". NULL: no text, or one with escapes. */
static const char *parse_text(struct rn_arena *arena, const char **at)
{
	const char *text = NULL;

	for (const char *p = skip_blanks(*at); *p == '"'; p = skip_blanks(*at)) {
		size_t n = strcspn(p + 1, "\"\\\n");

		if (p[1 + n] != '"')
			return NULL;
		text = rn_arena_printf(arena, "%s%.*s", text ? text : "", (int)n, p + 1);
		*at = p + n + 2;
	}
	*at = skip_blanks(*at);
	return text && *text ? text : NULL;
}

/* The number as a field of that size holds it: as the program in the kernel loads it. */
static int64_t as_held(int64_t number, unsigned size, bool is_signed)
{
	unsigned shift = 64 - 8 * size;
	uint64_t top = (uint64_t)number << shift;

	return is_signed ? (int64_t)top >> shift : (int64_t)(top >> shift);
}

static int by_number(const void *a, const void *b)
{
	int64_t x = ((const struct rn_numbered *)a)->number,
		y = ((const struct rn_numbered *)b)->number;

	return (x > y) - (x < y);
}

/* The kernel shows the first name of a number. */
static bool is_there(const struct rn_numbered *v, unsigned n, int64_t number)
{
	for (unsigned i = 0; i < n; i++)
		if (v[i].number == number)
			return true;
	return false;
}

const struct rn_numbering *rn_tracefs_names(struct rn_arena *arena, const char *list, unsigned size,
					    bool is_signed)
{
	struct rn_numbering *all = RN_NEW(arena, struct rn_numbering);
	struct rn_numbered *v = NULL;
	unsigned cap = 0;
	int64_t number;

	for (const char *p = skip_blanks(list); *p == '{' && all->n < MAX_NAMES;) {
		const char *name;
		bool known;

		p++;
		known = parse_number(&p, MAX_DEPTH, &number);
		/* a name of C that is no number here: shown as its number */
		p = known ? skip_blanks(p) : p + strcspn(p, ",}\n");
		if (*p != ',')
			break;
		p++;
		name = parse_text(arena, &p);
		if (!name || *p != '}')
			break;
		p = skip_blanks(p + 1);
		p = *p == ',' ? skip_blanks(p + 1) : p;
		number = as_held(known ? number : 0, size, is_signed);
		if (!known || is_there(v, all->n, number))
			continue;
		rn_vec_room_for_in(arena, v, all->n, cap, 1);
		v[all->n++] = (struct rn_numbered){number, name};
	}
	if (!all->n)
		return NULL;
	qsort(v, all->n, sizeof(*v), by_number);
	all->of = v;
	return all;
}
