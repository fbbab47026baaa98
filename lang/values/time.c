/* time.c - reads points in time from text, as ns since the epoch. Strict: every field has two
 * digits (the year four) and is in range. A mistyped date is therefore an error and not another
 * date. */
#include <string.h>
#include <time.h>
#include "lang/values/value.h"

struct cursor {
	const char *s;
	size_t n;
};

static bool number(struct cursor *c, size_t digits, int lo, int hi, int *out)
{
	int v = 0;

	if (c->n < digits)
		return false;
	for (size_t i = 0; i < digits; i++) {
		if (c->s[i] < '0' || c->s[i] > '9')
			return false;
		v = v * 10 + (c->s[i] - '0');
	}
	c->s += digits;
	c->n -= digits;
	*out = v;
	return v >= lo && v <= hi;
}

static bool skip(struct cursor *c, char ch)
{
	if (!c->n || *c->s != ch)
		return false;
	c->s++;
	c->n--;
	return true;
}

static int64_t fraction_ns(struct cursor *c)
{
	int64_t ns = 0, unit = 100000000;

	for (; c->n && *c->s >= '0' && *c->s <= '9'; c->s++, c->n--, unit /= 10)
		ns += (*c->s - '0') * unit;
	return ns;
}

/* "Z", "+01:00", "-0330" or nothing (local time). */
static bool zone(struct cursor *c, bool *local, int *east_s)
{
	int sign, h, m = 0;

	*local = false;
	*east_s = 0;
	if (!c->n) {
		*local = true;
		return true;
	}
	if (skip(c, 'Z'))
		return c->n == 0;
	sign = *c->s == '-' ? -1 : 1;
	if (!skip(c, '+') && !skip(c, '-'))
		return false;
	if (!number(c, 2, 0, 14, &h))
		return false;
	skip(c, ':');
	if (c->n && !number(c, 2, 0, 59, &m))
		return false;
	*east_s = sign * (h * 3600 + m * 60);
	return c->n == 0;
}

static int days_in(int year, int month)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	return days[month - 1] + (month == 2 && leap);
}

bool rn_time_parse(const char *s, size_t n, int64_t *out)
{
	struct cursor c = {s, n};
	struct tm tm = {.tm_isdst = -1};
	int64_t frac = 0, sec;
	int year, month, east = 0;
	bool local = true;

	/* 2261 is the last year whose every day fits into int64 ns. */
	if (!number(&c, 4, 1970, 2261, &year) || !skip(&c, '-') || !number(&c, 2, 1, 12, &month) ||
	    !skip(&c, '-') || !number(&c, 2, 1, days_in(year, month), &tm.tm_mday))
		return false;
	tm.tm_year = year - 1900;
	tm.tm_mon = month - 1;
	if (skip(&c, ' ') || skip(&c, 'T')) {
		if (!number(&c, 2, 0, 23, &tm.tm_hour) || !skip(&c, ':') ||
		    !number(&c, 2, 0, 59, &tm.tm_min))
			return false;
		if (skip(&c, ':')) {
			if (!number(&c, 2, 0, 60, &tm.tm_sec))
				return false;
			if (skip(&c, '.')) {
				if (!c.n || *c.s < '0' || *c.s > '9')
					return false;
				frac = fraction_ns(&c);
			}
		}
		if (!zone(&c, &local, &east))
			return false;
	}
	if (c.n)
		return false;
	sec = local ? (int64_t)mktime(&tm) : (int64_t)timegm(&tm) - east;
	*out = sec * 1000000000 + frac;
	return true;
}
