/* regex.c - see regex.h. One pass over the text, with a stack of the groups that are open.
 *
 * A part is what glibc makes a node of: a character, a bracket expression, a group, an alternation,
 * a repeat. `+` is expanded to the part and the part repeated, {n} to n parts, {n,} to n + 1, {n,m}
 * to m. This reading and glibc's can differ only in a text that is no regular expression. There
 * glibc stops, and everything that it expanded until then was counted. */
#include "lang/values/regex.h"
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "lang/base/memory.h"

enum { MAX_COUNT = 1000000 }; /* larger counts are treated as equal */
enum { LOOP_PARTS = 32 };     /* so many parts in a loop cost about as much as one more way */

/* The size of a text, a group or a part of it. */
struct size {
	unsigned parts;   /* once repeats are expanded */
	unsigned repeats; /* the greatest product of counts in it */
	unsigned empty;   /* number of ways in which it matches nothing */
	unsigned ways;    /* the product of the greatest such numbers of its parts, at least 1 */
};
struct group {
	struct size before; /* of its complete alternatives */
	struct size all;    /* of the alternative that is being read, without its last part */
	struct size last;   /* of its last part: a following repeat applies to it */
};
struct reader {
	const char *text;
	size_t n, at;
	size_t from;                           /* start of the last element read */
	struct group open[RN_REGEX_BYTES + 1]; /* the last one is the innermost */
	unsigned depth;
};

static const struct size nothing = {0, 1, 1, 1}, no_branch = {0, 1, 0, 1};

static unsigned sum(unsigned a, unsigned b)
{
	return a + b > MAX_COUNT ? MAX_COUNT : a + b;
}

static unsigned product(unsigned a, unsigned b)
{
	uint64_t both = (uint64_t)a * b;

	return both > MAX_COUNT ? MAX_COUNT : (unsigned)both;
}

static unsigned power(unsigned a, unsigned n)
{
	unsigned p = 1;

	while (n-- && p < MAX_COUNT && a > 1)
		p = product(p, a);
	return a ? p : 0;
}

static unsigned greater(unsigned a, unsigned b)
{
	return a > b ? a : b;
}

/* Joins two sizes, as a sequence or (either) as alternatives. */
static struct size join(struct size a, struct size b, bool either)
{
	return (struct size){sum(a.parts, b.parts), greater(a.repeats, b.repeats),
			     either ? sum(a.empty, b.empty) : product(a.empty, b.empty),
			     product(a.ways, b.ways)};
}

/* From here on nothing can repeat the last part. */
static void settle(struct group *g)
{
	g->all = join(g->all, g->last, false);
	g->last = nothing;
}

static void add_part(struct group *g, bool matches_nothing)
{
	settle(g);
	g->last = (struct size){1, 1, matches_nothing, 1};
}

static void alternative(struct group *g)
{
	settle(g);
	g->before = join(g->before, g->all, true);
	g->before.parts = sum(g->before.parts, 1);
	g->all = nothing;
}

/* How often the last part repeats. */
struct times {
	unsigned least, most; /* most: as it is expanded, without an endless rest */
	bool counted;         /* by numbers in the text */
	bool endless;         /* and any number more */
};

/* glibc walks a loop around a part that can match nothing again for each of the loop's parts. */
static void repeat(struct group *g, struct times t)
{
	struct size *s = &g->last;
	unsigned most = greater(t.most, 1);
	bool choice = !t.least || t.most > t.least || t.endless;

	if (t.endless && s->empty)
		s->ways = product(s->ways, 1 + s->parts / LOOP_PARTS);
	s->parts = sum(product(s->parts, most), 1);
	s->repeats =
		product(s->repeats, t.counted ? greater(t.most - (t.endless && t.least), 1) : 1);
	if (choice)
		s->ways = greater(s->ways, sum(s->empty, 1));
	s->ways = power(s->ways, t.most);
	s->empty = sum(power(s->empty, most), choice && (!t.least || s->empty));
}

static void open_group(struct reader *r)
{
	settle(&r->open[r->depth]);
	r->open[++r->depth] = (struct group){no_branch, nothing, nothing};
}

static void close_group(struct reader *r)
{
	struct group *in = &r->open[r->depth--], *g = &r->open[r->depth];

	alternative(in);
	settle(g);
	g->last = in->before; /* this counts one part too many: the group itself */
	g->last.ways = greater(g->last.ways, g->last.empty);
}

/* The offset after the bracket expression that begins at r->at. */
static size_t after_bracket(const struct reader *r)
{
	size_t i = r->at + 1;

	if (i < r->n && r->text[i] == '^')
		i++;
	for (size_t first = i; i < r->n; i++) {
		if (r->text[i] == ']' && i > first)
			return i + 1;
		if (r->text[i] == '[' && i + 1 < r->n && strchr(".=:", r->text[i + 1])) {
			const char end[] = {r->text[i + 1], ']'};
			const char *at = memmem(r->text + i + 2, r->n - i - 2, end, 2);

			if (!at)
				return r->n;
			i = (size_t)(at - r->text) + 1;
		}
	}
	return r->n;
}

static unsigned number(const struct reader *r, size_t *i)
{
	unsigned v = 0;

	for (; *i < r->n && r->text[*i] >= '0' && r->text[*i] <= '9'; ++*i)
		v = v > MAX_COUNT / 10 ? MAX_COUNT : v * 10 + (unsigned)(r->text[*i] - '0');
	return v;
}

/* {n}, {n,}, {,m} or {n,m} at r->at; returns where it ends. */
static size_t interval(struct reader *r)
{
	struct group *g = &r->open[r->depth];
	size_t i = r->at + 1;
	unsigned low = number(r, &i), high = low;
	bool open = false;

	if (i < r->n && r->text[i] == ',') {
		i++;
		open = i >= r->n || r->text[i] < '0' || r->text[i] > '9';
		high = greater(number(r, &i), low);
	}
	repeat(g, (struct times){low, high + (open && low), true, open});
	while (i < r->n && r->text[i] != '}') /* which is an error */
		i++;
	return i < r->n ? i + 1 : i;
}

/* The size of all that was read so far. */
static struct size so_far(const struct reader *r)
{
	struct size s = nothing;

	for (unsigned i = 0; i <= r->depth; i++) {
		s = join(s, r->open[i].before, false);
		s = join(s, r->open[i].all, false);
		s = join(s, r->open[i].last, false);
	}
	return s;
}

static int beyond(const struct reader *r, struct rn_err *err)
{
	const struct size s = so_far(r);

	if (s.repeats > RN_REGEX_REPEATS) {
		rn_err_set(err, -E2BIG,
			   "repeats inside of one another multiply to more than %d at byte %zu",
			   RN_REGEX_REPEATS, r->from);
		rn_err_hint(err, "use `*` or `+`, which count as no number, or smaller counts");
		return -E2BIG;
	}
	if (s.parts > RN_REGEX_PARTS) {
		rn_err_set(err, -E2BIG,
			   "with its repeats written out it has more than %d parts at byte %zu",
			   RN_REGEX_PARTS, r->from);
		rn_err_hint(err, "use `*` instead of counts and of `+` inside of `+`, "
				 "or several conditions with `and`");
		return -E2BIG;
	}
	if (s.ways > RN_REGEX_WAYS) {
		rn_err_set(err, -E2BIG,
			   "parts of it match nothing in more than %d ways at byte %zu",
			   RN_REGEX_WAYS, r->from);
		rn_err_hint(err, "one `*` or `?` is enough: `(a*)*` is `a*`, and `(a?)?` is `a?`");
		return -E2BIG;
	}
	return 0;
}

/* An escape at r->at: a character, an assertion such as `\<`, or a back reference. */
static int escape(struct reader *r, struct rn_err *err)
{
	char c = 0;

	if (r->at + 1 < r->n)
		c = r->text[r->at + 1];
	if (c < '1' || c > '9') {
		add_part(&r->open[r->depth], c && strchr("<>bB`'", c));
		return 0;
	}
	rn_err_set(err, -EINVAL,
		   "`\\%c` at byte %zu is a back reference, which takes exponential time", c,
		   r->at);
	rn_err_hint(err, "write out what may stand there; a backslash is written `\\\\`");
	return -EINVAL;
}

/* Reads the element at r->at. */
static int take(struct reader *r, struct rn_err *err)
{
	struct group *g = &r->open[r->depth];
	size_t next = r->at + 1;
	char c = r->text[r->at];

	switch (c) {
	case '\\':
		if (escape(r, err))
			return -EINVAL;
		next += next < r->n;
		break;
	case '[':
		add_part(g, false);
		next = after_bracket(r);
		break;
	case '(': open_group(r); break;
	case ')':
		if (r->depth)
			close_group(r);
		else
			add_part(g, false);
		break;
	case '|': alternative(g); break;
	case '*':
	case '?': repeat(g, (struct times){0, 1, false, c == '*'}); break;
	case '+': repeat(g, (struct times){1, 2, false, true}); break;
	case '{': next = interval(r); break;
	default: add_part(g, c == '^' || c == '$');
	}
	r->from = r->at;
	r->at = next;
	return beyond(r, err);
}

static int check(const char *text, size_t n, struct rn_err *err)
{
	struct reader r = {.text = text, .n = n, .open = {{no_branch, nothing, nothing}}};
	int bad = 0;

	if (n > RN_REGEX_BYTES) {
		rn_err_set(err, -E2BIG, "it has %zu bytes, and at most %d are taken", n,
			   RN_REGEX_BYTES);
		rn_err_hint(err, "use several conditions with `or`, or `in` for a list of texts");
		return -E2BIG;
	}
	if (memchr(text, 0, n)) {
		rn_err_set(err, -EINVAL, "it has a byte 0, and no text has one");
		rn_err_hint(err, "leave it out");
		return -EINVAL;
	}
	while (!bad && r.at < n)
		bad = take(&r, err);
	return bad;
}

static int compile(regex_t *re, const char *text, size_t n, int flags, struct rn_err *err)
{
	char ended[RN_REGEX_BYTES + 1], why[128];
	int bad = check(n ? text : "", n, err);

	if (bad)
		return bad;
	memcpy(ended, n ? text : "", n);
	ended[n] = 0;
	rn_account_may_fail(true);
	bad = regcomp(re, ended, REG_EXTENDED | flags);
	rn_account_may_fail(false);
	if (!bad)
		return 0;
	regerror(bad, re, why, sizeof(why));
	return rn_err_set(err, bad == REG_ESPACE ? -ENOMEM : -EINVAL, "%s", why);
}

int rn_regex_compile(regex_t *re, const char *text, size_t n, struct rn_err *err)
{
	return compile(re, text, n, REG_NOSUB, err);
}

int rn_regex_compile_groups(regex_t *re, const char *text, size_t n, struct rn_err *err)
{
	return compile(re, text, n, 0, err);
}

static bool match(const regex_t *re, const char *text, size_t n, regmatch_t *places)
{
	int r;

	rn_account_may_fail(true);
	r = regexec(re, text, n, places, 0);
	rn_account_may_fail(false);
	if (r && r != REG_NOMATCH)
		rn_memory_refused();
	return !r;
}

bool rn_regex_match(const regex_t *re, const char *text)
{
	return match(re, text, 0, NULL);
}

bool rn_regex_find(const regex_t *re, const char *text, size_t *from, size_t *to)
{
	regmatch_t place[2], *found = &place[re->re_nsub > 0];

	*from = *to = 0;
	if (!match(re, text, 2, place))
		return false;
	if (found->rm_so >= 0) {
		*from = (size_t)found->rm_so;
		*to = (size_t)found->rm_eo;
	}
	return true;
}
