/* units.c - literals with units: "1.5ms", "4KiB". Exact in integers: no value passes through a
 * double. */
#include "lang/values/units.h"
#include <string.h>

const struct rn_unit_def rn_units[] = {
	{"ns", RN_U_NS, 1},
	{"us", RN_U_NS, 1000},
	{"ms", RN_U_NS, 1000000},
	{"s", RN_U_NS, 1000000000},
	{"m", RN_U_NS, 60 * 1000000000LL},
	{"min", RN_U_NS, 60 * 1000000000LL},
	{"h", RN_U_NS, 3600 * 1000000000LL},
	{"d", RN_U_NS, 86400 * 1000000000LL},
	{"B", RN_U_BYTE, 1},
	{"kB", RN_U_BYTE, 1000},
	{"KB", RN_U_BYTE, 1000},
	{"MB", RN_U_BYTE, 1000000},
	{"GB", RN_U_BYTE, 1000000000},
	{"TB", RN_U_BYTE, 1000000000000},
	{"KiB", RN_U_BYTE, 1LL << 10},
	{"MiB", RN_U_BYTE, 1LL << 20},
	{"GiB", RN_U_BYTE, 1LL << 30},
	{"TiB", RN_U_BYTE, 1LL << 40},
	{NULL, RN_U_NONE, 0},
};
const char rn_unit_names[] =
	"ns us ms s m h d for durations, B KB MB GB TB KiB MiB GiB TiB for sizes, hz, %";

const struct rn_unit_def *rn_unit_find(const char *s, size_t n)
{
	for (const struct rn_unit_def *u = rn_units; u->name; u++)
		if (strlen(u->name) == n && !memcmp(u->name, s, n))
			return u;
	return NULL;
}

/* ---- the unit of a product ---- */

/* bytes^bytes * seconds^seconds */
static const struct dims {
	enum rn_unit unit;
	signed char bytes, seconds;
} dims[] = {
	{RN_U_NONE, 0, 0}, {RN_U_ERRNO, 0, 0},  {RN_U_DEV, 0, 0},         {RN_U_NS, 0, 1},
	{RN_U_BYTE, 1, 0}, {RN_U_PER_S, 0, -1}, {RN_U_BYTE_PER_S, 1, -1},
};
enum { NDIMS = sizeof(dims) / sizeof(*dims), NS_SHIFT = 9 };

static const struct dims *dims_of(enum rn_unit u)
{
	if (u >= RN_U_OPEN || u == RN_U_PART)
		u = RN_U_NONE;
	for (unsigned i = 0; i < NDIMS; i++)
		if (dims[i].unit == u)
			return &dims[i];
	return NULL;
}

bool rn_unit_product(enum rn_unit a, bool over, enum rn_unit b, enum rn_unit *out, int *shift)
{
	const struct dims *x = dims_of(a), *y = dims_of(b);
	int sign = over ? -1 : 1;

	if (!x || !y)
		return false;
	for (unsigned i = 0; i < NDIMS; i++) {
		if (dims[i].bytes != x->bytes + sign * y->bytes ||
		    dims[i].seconds != x->seconds + sign * y->seconds)
			continue;
		*out = dims[i].unit; /* plain numbers come first */
		*shift = NS_SHIFT * ((*out == RN_U_NS) - (a == RN_U_NS) - sign * (b == RN_U_NS));
		return true;
	}
	return false;
}

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

bool rn_decimal_scale(const char *s, size_t n, int64_t size, int64_t *out)
{
	__int128 whole = 0, frac = 0, scale = 1;
	size_t i = 0;

	if (!n || !digit(s[0]))
		return false;
	for (; i < n && digit(s[i]); i++) {
		whole = whole * 10 + (s[i] - '0');
		if (whole > INT64_MAX)
			return false;
	}
	if (i < n && s[i] == '.') {
		if (++i == n)
			return false;
		for (; i < n && digit(s[i]); i++) {
			/* further digits are below 1 ns and 1 byte */
			if (scale < 1000000000000000000) {
				frac = frac * 10 + (s[i] - '0');
				scale *= 10;
			}
		}
	}
	if (i != n)
		return false;
	whole = whole * size + frac * size / scale;
	if (whole > INT64_MAX)
		return false;
	*out = (int64_t)whole;
	return true;
}

bool rn_unit_parse(const char *s, size_t n, int64_t *out, enum rn_unit *unit)
{
	size_t num = 0;
	const struct rn_unit_def *u;

	while (num < n && (digit(s[num]) || s[num] == '.'))
		num++;
	u = rn_unit_find(s + num, n - num);
	if (!u || !rn_decimal_scale(s, num, u->size, out))
		return false;
	*unit = u->unit;
	return true;
}
