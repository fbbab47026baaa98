/* names.c - see names.h. The tables below avoid what `promtool check metrics` warns of. */
#include <ctype.h>
#include <string.h>
#include "repl/prom/names.h"

/* Words that mean a unit or a type. A part of a name that equals one gets "col" appended, so that
 * it is not taken for a unit. */
static const char *const words[] = {
	"s",
	"ms",
	"us",
	"ns",
	"sec",
	"b",
	"kb",
	"mb",
	"gb",
	"tb",
	"pb",
	"m",
	"h",
	"d",
	"counter",
	"gauge",
	"histogram",
	"summary",
	"untyped",
	"milliseconds",
	"microseconds",
	"nanoseconds",
	"minutes",
	"hours",
	"days",
	"weeks",
	"kilobytes",
	"megabytes",
	"gigabytes",
	"terabytes",
	"petabytes",
	"kibibytes",
	"mebibytes",
	"gibibytes",
	"bits",
	"percent",
	"percentage",
	"kelvins",
	"fahrenheit",
	"celsiuses",
	"feet",
	"inches",
	"yards",
	"miles",
	"grains",
	"drams",
	"ounces",
	"pounds",
	"calories",
	"horsepower",
	"watts",
	"kilograms",
	NULL,
};
/* Endings that a gauge's name cannot have, and their replacements. */
static const struct {
	const char *end, *instead;
} ends[] = {
	{"_count", "_events"},      {"_sum", "_sum_value"},   {"_bucket", "_bucket_value"},
	{"_total", "_total_value"}, {"_info", "_info_value"}, {"_created", "_created_value"},
};

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), k = strlen(end);

	return n >= k && !strcmp(s + n - k, end);
}

static bool is_taken(const char *const *taken, const char *name)
{
	for (; taken && *taken; taken++) {
		if (!strcmp(*taken, name))
			return true;
	}
	return false;
}

static const char *not_taken(struct rn_arena *a, const char *name, const char *const *taken)
{
	const char *own = name;

	for (unsigned i = 2; is_taken(taken, own); i++)
		own = rn_arena_printf(a, "%s_%u", name, i);
	return own;
}

/* Letters, digits and single underlines: "sum(bytes)" is sum_bytes, "maxLatency" max_latency. */
static const char *snake(struct rn_arena *arena, const char *s)
{
	char *out = rn_arena_alloc(arena, 2 * strlen(s) + 2);
	size_t n = 0;

	for (const char *p = s; *p; p++) {
		unsigned char c = (unsigned char)*p;

		if (isupper(c) && n && p > s && islower((unsigned char)p[-1]))
			out[n++] = '_';
		if (c < 128 && isalnum(c))
			out[n++] = (char)tolower(c);
		else if (n && out[n - 1] != '_')
			out[n++] = '_';
	}
	while (n && out[n - 1] == '_')
		n--;
	out[n] = 0;
	return n ? out : "value";
}

/* Append "col" to each part that is a word of the table. */
static const char *without_words(struct rn_arena *a, const char *name)
{
	const char *out = "";

	for (const char *p = name; *p; p += *p == '_') {
		size_t n = strcspn(p, "_");
		const char *part = rn_arena_strndup(a, p, n);

		out = rn_arena_printf(a, "%s%s%s%s", out, *out ? "_" : "", part,
				      is_taken(words, part) ? "col" : "");
		p += n;
	}
	return out;
}

static const char *unit_of(struct rn_ty ty)
{
	switch (ty.unit) {
	case RN_U_NS: return "_seconds";
	case RN_U_BYTE: return "_bytes";
	case RN_U_EPOCH: return "_timestamp_seconds";
	case RN_U_PER_S: return "_per_second";
	case RN_U_BYTE_PER_S: return "_bytes_per_second";
	case RN_U_PART: return "_ratio";
	default: return "";
	}
}

double rn_prom_scale(struct rn_ty ty)
{
	return ty.unit == RN_U_NS || ty.unit == RN_U_EPOCH ? 1e-9 : 1;
}

const char *rn_prom_metric(struct rn_arena *arena, const char *view, const char *column,
			   struct rn_ty ty, const char *const *taken)
{
	const char *unit = unit_of(ty),
		   *name = rn_arena_printf(arena, "runnel_%s_%s",
					   without_words(arena, snake(arena, view)),
					   without_words(arena, snake(arena, column)));

	if (!ends_with(name, unit))
		name = rn_arena_printf(arena, "%s%s", name, unit);
	for (unsigned i = 0; ty.type != RN_T_HIST && i < sizeof(ends) / sizeof(*ends); i++) {
		if (ends_with(name, ends[i].end))
			name = rn_arena_printf(arena, "%.*s%s",
					       (int)(strlen(name) - strlen(ends[i].end)), name,
					       ends[i].instead);
	}
	return not_taken(arena, name, taken);
}

const char *rn_prom_label(struct rn_arena *arena, const char *column, const char *const *taken)
{
	const char *name = snake(arena, column);

	/* Prometheus reserves these */
	if (!strcmp(name, "le") || !strcmp(name, "quantile") || isdigit((unsigned char)*name))
		name = rn_arena_printf(arena, "key_%s", name);
	return not_taken(arena, name, taken);
}
