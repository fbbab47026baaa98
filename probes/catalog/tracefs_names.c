/* tracefs_names.c - names of numbers in the format of a tracepoint: __print_symbolic(REC->reason, {
 * 2, "NOT_SPECIFIED" }, ..., __print_flags(REC->flags, "|", { 1, "SYNC" }, ... The kernel or a
 * module wrote the text. A number may be written there as
 * a name of C; and a field may be of an enumeration, and no names be printed. For both the kernel's
 * types tell the numbers. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "lang/catalog/numbering.h"
#include "lang/base/vec.h"
#include "probes/catalog/tracefs.h"

enum { MAX_NAMES = 4096, MAX_DEPTH = 32 };

static const char *skip_blanks(const char *p)
{
	return p + strspn(p, " \t");
}

/* The text behind CALL(REC->FIELD, or CALL((unsigned long)REC->FIELD, */
static const char *behind(const char *fmt, const char *call, const char *field)
{
	static const char cast[] = "(unsigned long)", record[] = "REC->";
	size_t len = strlen(field);

	for (const char *p = fmt; p && (p = strstr(p, call));) {
		p += strlen(call);
		if (!strncmp(p, cast, sizeof(cast) - 1))
			p += sizeof(cast) - 1;
		if (strncmp(p, record, sizeof(record) - 1) != 0)
			continue;
		p += sizeof(record) - 1;
		if (!strncmp(p, field, len) && *skip_blanks(p + len) == ',')
			return skip_blanks(p + len) + 1;
	}
	return NULL;
}

const char *rn_tracefs_symbolic(const char *fmt, const char *field)
{
	return behind(fmt, "__print_symbolic(", field);
}

const char *rn_tracefs_flags(const char *fmt, const char *field)
{
	const char *p = behind(fmt, "__print_flags(", field);

	p = p ? skip_blanks(p) : "";
	if (strncmp(p, "\"|\"", 3) != 0 || *skip_blanks(p + 3) != ',')
		return NULL;
	return skip_blanks(p + 3) + 1;
}

/* A number may be written by these. */
struct words {
	const struct rn_numbering *enumerators; /* of the field's type; NULL: not known */
	unsigned depth;                         /* of parentheses that may still follow */
	bool unknown;                           /* a name of C was met that is none of these */
};

static bool parse_number(const char **at, struct words *words, int64_t *out);

/* HRTIMER_MODE_ABS */
static bool parse_enumerator(const char **at, struct words *words, int64_t *out)
{
	const struct rn_numbering *all = words->enumerators;
	size_t n = 0;

	while (isalnum((unsigned char)(*at)[n]) || (*at)[n] == '_')
		n++;
	for (unsigned i = 0; all && i < all->n; i++)
		if (strlen(all->of[i].name) == n && !memcmp(all->of[i].name, *at, n)) {
			*out = all->of[i].number;
			*at += n;
			return true;
		}
	words->unknown = true;
	return false;
}

/* (unsigned long), ( gfp_t): a number stands behind the types that casts name. They change none:
 * what is listed fits the field. */
static const char *skip_casts(const char *p)
{
	for (p = skip_blanks(p); *p == '(';) {
		const char *q = skip_blanks(p + 1);

		if (!isalpha((unsigned char)*q) && *q != '_')
			break;
		q += strspn(q, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789 ");
		if (*q != ')' || !strchr("(~-0123456789", *skip_blanks(q + 1)))
			break;
		p = skip_blanks(q + 1);
	}
	return p;
}

/* 0x1f, 7ULL, -1, ~1, (1 << 3), (( gfp_t)1u), HRTIMER_MODE_ABS */
static bool parse_operand(const char **at, struct words *words, int64_t *out)
{
	const char *p = skip_casts(*at);
	bool minus = *p == '-', not = *p == '~';
	char *end;

	p = skip_casts(p + (minus || not ));
	if (*p == '(') {
		bool fine;

		p++;
		if (!words->depth)
			return false;
		words->depth--;
		fine = parse_number(&p, words, out);
		words->depth++;
		if (!fine || *skip_blanks(p) != ')')
			return false;
		*at = skip_blanks(p) + 1;
	} else if (isalpha((unsigned char)*p) || *p == '_') {
		if (!parse_enumerator(&p, words, out))
			return false;
		*at = p;
	} else {
		if (!isdigit((unsigned char)*p))
			return false;
		*out = (int64_t)strtoull(p, &end, 0);
		*at = end + strspn(end, "uUlL");
	}
	if (minus)
		*out = (int64_t)(0 - (uint64_t)*out);
	else if (not )
		*out = ~*out;
	return true;
}

static bool parse_shifts(const char **at, struct words *words, int64_t *out)
{
	int64_t shift;

	if (!parse_operand(at, words, out))
		return false;
	for (*at = skip_blanks(*at); !strncmp(*at, "<<", 2); *at = skip_blanks(*at)) {
		*at += 2;
		if (!parse_operand(at, words, &shift) || shift < 0 || shift > 63)
			return false;
		*out = (int64_t)((uint64_t)*out << shift);
	}
	return true;
}

/* Operands joined by <<, & and |, the strongest first; false: anything else. */
static bool parse_number(const char **at, struct words *words, int64_t *out)
{
	int64_t part;
	uint64_t all = 0, both;

	for (bool more = true; more; *at += more) {
		both = UINT64_MAX;
		for (bool next = true; next; *at += next) {
			if (!parse_shifts(at, words, &part))
				return false;
			both &= (uint64_t)part;
			next = **at == '&';
		}
		all |= both;
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

/* A growing list, in which the first name of a number stays: the kernel shows that. */
struct names {
	struct rn_arena *arena;
	struct rn_numbered *of;
	unsigned n, cap;
	bool flags;
};

static void add(struct names *names, int64_t number, const char *name)
{
	/* a text of flags can be taken apart again */
	if (names->flags && (!number || strchr(name, '|') || isdigit((unsigned char)*name)))
		return;
	for (unsigned i = 0; i < names->n; i++)
		if (names->of[i].number == number)
			return;
	rn_vec_room_for_in(names->arena, names->of, names->n, names->cap, 1);
	names->of[names->n++] = (struct rn_numbered){number, name};
}

static const struct rn_numbering *sorted(const struct names *names)
{
	struct rn_numbering *all = RN_NEW(names->arena, struct rn_numbering);

	if (!names->n)
		return NULL;
	if (!names->flags)
		qsort(names->of, names->n, sizeof(*names->of), by_number);
	*all = (struct rn_numbering){names->of, names->n, names->flags};
	return all;
}

/* Reads { NUMBER, "name" }, { ... up to what is no such pair. A number that is not known has no
 * name. */
static void parse_list(struct names *names, const char *list, struct words *words,
		       const struct rn_tp_field *f)
{
	for (const char *p = skip_blanks(list); *p == '{' && names->n < MAX_NAMES;) {
		const char *name;
		int64_t number;
		bool known;

		p++;
		known = parse_number(&p, words, &number);
		p = known ? skip_blanks(p) : p + strcspn(p, ",}\n");
		if (*p != ',')
			return;
		p++;
		name = parse_text(names->arena, &p);
		if (!name || *p != '}')
			return;
		p = skip_blanks(p + 1);
		p = *p == ',' ? skip_blanks(p + 1) : p;
		if (known)
			add(names, as_held(number, f->size, f->is_signed), name);
	}
}

/* Gives the enumerators of the field's type the form in which the field holds their numbers. */
static const struct rn_numbering *all_of(struct rn_arena *arena, const struct rn_numbering *of,
					 const struct rn_tp_field *f)
{
	struct names names = {.arena = arena};

	for (unsigned i = 0; of && i < of->n && names.n < MAX_NAMES; i++)
		add(&names, as_held(of->of[i].number, f->size, f->is_signed), of->of[i].name);
	return sorted(&names);
}

const struct rn_numbering *rn_tracefs_names(struct rn_arena *arena, const char *list, bool flags,
					    const char *declared, const struct rn_tp_field *field,
					    rn_enumeration *enumeration)
{
	bool is_enum = enumeration && !strncmp(declared, "enum ", 5);
	const struct names none = {.arena = arena, .flags = flags};
	struct words words = {.depth = MAX_DEPTH};
	struct names names = none;

	if (!list)
		return is_enum ? all_of(arena, enumeration(arena, declared + 5), field) : NULL;
	parse_list(&names, list, &words, field);
	if (words.unknown && is_enum) {
		words.enumerators = enumeration(arena, declared + 5);
		names = none;
		parse_list(&names, list, &words, field);
	}
	return sorted(&names);
}
