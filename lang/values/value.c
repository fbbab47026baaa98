/* value.c - the order of values, the names of types, and values as a person reads them. For parsing
 * see units.c, time.c, ip.c, errno.c. */
#include "lang/values/value.h"
#include "lang/values/hist.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "lang/base/str.h"
#include "lang/base/utf8.h"
#include "lang/values/named.h"

static int rank(const struct rn_value *v)
{
	return v->kind == RN_NULL ? 0 : v->kind == RN_STR ? 2 : 1;
}

static int cmp_number(const struct rn_value *a, const struct rn_value *b)
{
	long double x, y;

	if (a->kind != RN_FLOAT && b->kind != RN_FLOAT)
		return (a->i > b->i) - (a->i < b->i);
	x = a->kind == RN_FLOAT ? (long double)a->f : (long double)a->i;
	y = b->kind == RN_FLOAT ? (long double)b->f : (long double)b->i;
	if (isnan(x) || isnan(y)) /* NaN goes before all numbers, so that the order stays total */
		return !!isnan(y) - !!isnan(x);
	return (x > y) - (x < y);
}

int rn_value_cmp(const struct rn_value *a, const struct rn_value *b)
{
	int ra = rank(a), rb = rank(b), c;
	size_t n;

	if (ra != rb || ra == 0)
		return ra - rb;
	if (ra == 1)
		return cmp_number(a, b);
	n = a->len < b->len ? a->len : b->len;
	c = n ? memcmp(a->s, b->s, n) : 0;
	return c ? (c > 0) - (c < 0) : (a->len > b->len) - (a->len < b->len);
}

const char *rn_type_name(struct rn_ty t)
{
	static const char *const by_unit[] = {
		[RN_U_NONE] = NULL,
		[RN_U_NS] = "duration",
		[RN_U_BYTE] = "size",
		[RN_U_EPOCH] = "time",
		[RN_U_ERRNO] = "error",
		[RN_U_DEV] = "device",
		[RN_U_PER_S] = "rate",
		[RN_U_BYTE_PER_S] = "throughput",
		[RN_U_HEX] = "hex",
		[RN_U_PART] = "part",
		[RN_U_OPEN] = "open flags",
		[RN_U_PROT] = "protection",
		[RN_U_MAP] = "map flags",
		[RN_U_CLONE] = "clone flags",
		[RN_U_SIGNAL] = "signal",
		[RN_U_FAMILY] = "family",
		[RN_U_TCP] = "TCP state",
		[RN_U_PROTO] = "protocol",
		[RN_U_TASK] = "task state",
		[RN_U_FAULT] = "page fault",
		[RN_U_ETHER] = "ethertype",
		[RN_U_SOFTIRQ] = "softirq",
		[RN_U_WRITEBACK] = "writeback reason",
	};
	static const char *const by_type[] = {
		[RN_T_ERROR] = "error",    [RN_T_BOOL] = "boolean", [RN_T_INT] = "integer",
		[RN_T_FLOAT] = "float",    [RN_T_STR] = "string",   [RN_T_IP] = "ip",
		[RN_T_TAGS] = "tag set",   [RN_T_BYTES] = "bytes",  [RN_T_STACK] = "stack",
		[RN_T_HIST] = "histogram", [RN_T_LIST] = "list",    [RN_T_SKETCH] = "sketch",
	};

	if ((t.type == RN_T_INT || t.type == RN_T_FLOAT) &&
	    t.unit < sizeof(by_unit) / sizeof(*by_unit) && by_unit[t.unit])
		return by_unit[t.unit];
	return t.type < sizeof(by_type) / sizeof(*by_type) ? by_type[t.type] : "?";
}

const char *rn_unit_name(struct rn_ty t)
{
	static const char *const names[] = {
		[RN_U_NONE] = "",           [RN_U_NS] = "ns",
		[RN_U_BYTE] = "bytes",      [RN_U_EPOCH] = "ns since 1970",
		[RN_U_ERRNO] = "errno",     [RN_U_DEV] = "major:minor",
		[RN_U_PER_S] = "1/s",       [RN_U_BYTE_PER_S] = "bytes/s",
		[RN_U_HEX] = "hexadecimal", [RN_U_PART] = "0 to 1",
	};

	return t.unit < sizeof(names) / sizeof(*names) && names[t.unit] ? names[t.unit] : "";
}

/* ---- values for people ---- */

struct scale { /* a step of a ladder of units: `size` of the base unit make one of this */
	double size;
	const char *name;
};
static const struct scale durations[] = {{1, "ns"},     {1e3, "us"},   {1e6, "ms"},    {1e9, "s"},
					 {60e9, "min"}, {3600e9, "h"}, {86400e9, "d"}, {0, NULL}};
static const struct scale sizes[] = {{1, "B"},        {0x1p10, "KiB"}, {0x1p20, "MiB"},
				     {0x1p30, "GiB"}, {0x1p40, "TiB"}, {0x1p50, "PiB"},
				     {0x1p60, "EiB"}, {0, NULL}};

/* Writes x with three significant digits, but never fewer than its whole part has: "1.23", "12.3",
 * "1023", "9.54e-07". */
static void three_digits(char *out, size_t cap, double x)
{
	int decimals = x < 9.995 ? 2 : x < 99.95 ? 1 : 0;

	if (x < 0.095)
		snprintf(out, cap, "%.3g", x);
	else
		snprintf(out, cap, "%.*f", decimals, x);
}

static const char *show_scaled(struct rn_arena *a, double x, bool whole, const struct scale *s,
			       const char *suffix)
{
	const char *sign = x < 0 ? "-" : "";
	char num[64];

	x = fabs(x);
	/* Also step up if rounding would show a full next unit: 999.9996 us is 1.00 ms. */
	while (s[1].name && x >= s[1].size - s[0].size * 0.5)
		s++;
	if (s->size == 1 && (whole || x == 0))
		snprintf(num, sizeof(num), "%.0f", x);
	else
		three_digits(num, sizeof(num), x / s->size);
	return rn_arena_printf(a, "%s%s %s%s", sign, num, s->name, suffix);
}

static const char *show_time(struct rn_arena *a, int64_t ns)
{
	int64_t frac = ns % 1000000000;
	time_t sec = (time_t)(ns / 1000000000);
	struct tm tm;
	char buf[64];

	if (frac < 0) {
		frac += 1000000000;
		sec--;
	}
	if (!localtime_r(&sec, &tm) || !strftime(buf, sizeof(buf), "%Y-%m-%d %H:%M:%S", &tm))
		return rn_arena_printf(a, "%lld ns", (long long)ns);
	return rn_arena_printf(a, "%s.%06d", buf, (int)(frac / 1000));
}

/* Text from processes reaches a terminal here: control bytes and broken UTF-8 become escapes. */
static const char *show_text(struct rn_arena *arena, const char *s, size_t n)
{
	struct rn_strbuf buf;
	size_t i = 0;

	rn_strbuf_init(&buf, arena);
	while (i < n) {
		size_t k = rn_utf8_len(s + i, n - i);
		unsigned char c = (unsigned char)s[i];

		if (c == '\n')
			rn_strbuf_put(&buf, "\\n");
		else if (c == '\t')
			rn_strbuf_put(&buf, "\\t");
		else if (k == 1 && (c < 0x20 || c >= 0x7F))
			rn_strbuf_printf(&buf, "\\x%02x", c);
		else
			rn_strbuf_putn(&buf, s + i, k);
		i += k;
	}
	return rn_strbuf_cstr(&buf);
}

const char *rn_bytes_text(struct rn_arena *arena, const char *s, size_t n, bool *readable)
{
	struct rn_strbuf buf;
	size_t k;

	*readable = n < 2 || s[0] != 'x' || s[1] != '"';
	for (size_t i = 0; i < n && *readable; i += k) {
		uint32_t c = rn_utf8_decode(s + i, n - i);

		k = rn_utf8_len(s + i, n - i);
		*readable = k > 1 ? c >= 0xA0
				  : (c >= 0x20 && c < 0x7F) || c == '\t' || c == '\n' || c == '\r';
	}
	if (*readable)
		return rn_arena_strndup(arena, s, n);
	rn_strbuf_init(&buf, arena);
	rn_strbuf_put(&buf, "x\"");
	for (size_t i = 0; i < n; i++)
		rn_strbuf_printf(&buf, "%02x", (unsigned char)s[i]);
	rn_strbuf_putc(&buf, '"');
	return rn_strbuf_cstr(&buf);
}

static const char *show_number(struct rn_arena *arena, struct rn_ty t, const struct rn_value *value)
{
	bool whole = value->kind != RN_FLOAT;
	double x = whole ? (double)value->i : value->f;
	char num[64];

	if (!whole && !isfinite(x))
		return isnan(x) ? "nan" : x < 0 ? "-inf" : "inf";
	switch (t.unit) {
	case RN_U_NS: return show_scaled(arena, x, whole, durations, "");
	case RN_U_BYTE: return show_scaled(arena, x, whole, sizes, "");
	case RN_U_BYTE_PER_S: return show_scaled(arena, x, whole, sizes, "/s");
	case RN_U_PER_S:
		three_digits(num, sizeof(num), fabs(x));
		return rn_arena_printf(arena, "%s%s/s", x < 0 ? "-" : "", num);
	case RN_U_PART:
		three_digits(num, sizeof(num), fabs(x) * 100);
		return rn_arena_printf(arena, "%s%s%%", x < 0 ? "-" : "", num);
	case RN_U_EPOCH: return show_time(arena, whole ? value->i : (int64_t)x);
	case RN_U_ERRNO:
		if (whole && value->i > 0 && value->i < RN_ERRNO_END &&
		    rn_errno_name((int)value->i))
			return rn_errno_name((int)value->i);
		break;
	case RN_U_HEX:
		if (whole)
			return rn_arena_printf(arena, "0x%016llx", (unsigned long long)value->i);
		break;
	case RN_U_DEV:
		if (whole)
			return rn_arena_printf(arena, "%lld:%lld", (long long)(value->i >> 20),
					       (long long)(value->i & 0xFFFFF));
		break;
	}
	if (whole && rn_named_set((enum rn_unit)t.unit))
		return rn_named_show(arena, (enum rn_unit)t.unit, value->i);
	if (value->kind == RN_BOOL && t.type == RN_T_BOOL)
		return value->i ? "true" : "false";
	return whole ? rn_arena_printf(arena, "%lld", (long long)value->i)
		     : rn_arena_printf(arena, "%.6g", x);
}

const char *rn_value_show(struct rn_arena *arena, struct rn_ty t, const struct rn_value *value)
{
	bool readable;
	char ip[64];

	switch (value->kind) {
	case RN_NULL: return "-";
	case RN_STR:
		if (t.type == RN_T_IP && value->len == RN_IP_BYTES) {
			rn_ip_show((const unsigned char *)value->s, ip, sizeof(ip));
			return rn_arena_strdup(arena, ip);
		}
		if (t.type == RN_T_BYTES || t.type == RN_T_SKETCH) {
			const char *text = rn_bytes_text(arena, value->s, value->len, &readable);

			return readable ? show_text(arena, text, value->len) : text;
		}
		if (t.type == RN_T_HIST)
			return rn_hist_text(arena, value);
		return show_text(arena, value->s, value->len);
	default: return show_number(arena, t, value);
	}
}

void rn_float_text(char *buf, size_t cap, double f)
{
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(buf, cap, "%.*g", digits, f);
		if (strtod(buf, NULL) == f)
			return;
	}
}
