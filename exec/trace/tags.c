/* tags.c - of the tags that a recording holds of an event, those that a query asks for: a
 * live query for them would have seen no others. */
#include <ctype.h>
#include <string.h>
#include "exec/trace/trace_impl.h"
#include "lang/base/str.h"

struct rn_trace_wanted {
	struct rn_arena *arena;
	unsigned n;
	struct {
		struct rn_tag tag;
		const char *form;
		size_t len;
	} * list;
};

struct rn_trace_wanted *rn_trace_wanted_create(const struct rn_tag *tags, unsigned n)
{
	struct rn_arena *a = rn_arena_create(1 << 20);
	struct rn_trace_wanted *w = RN_NEW(a, struct rn_trace_wanted);

	w->arena = a;
	w->n = n;
	w->list = rn_arena_alloc(a, n * sizeof(*w->list));
	for (unsigned i = 0; i < n; i++) {
		w->list[i].tag = tags[i];
		w->list[i].form = rn_tag_text(a, tags[i]);
		w->list[i].len = strlen(w->list[i].form);
	}
	return w;
}

void rn_trace_wanted_destroy(struct rn_trace_wanted *wanted)
{
	if (wanted)
		rn_arena_destroy(wanted->arena);
}

static bool starts(const char *tag, size_t n, const char *list, size_t left, char then)
{
	return n <= left && list[0] == tag[0] && !memcmp(tag, list, n) &&
	       (n == left ? then == ',' : list[n] == then);
}

/* The longest tag of the query that stands at the beginning of a list and is followed by `then`:
 * its text form, and its length there; NULL: none. In recordings of the first version a tag may
 * stand as its bytes, which may hold a comma. */
static const char *find(const struct rn_trace_wanted *wanted, const char *list, size_t left,
			char then, size_t *len)
{
	const char *best = NULL;

	*len = 0;
	for (unsigned i = 0; i < wanted->n; i++) {
		size_t n = wanted->list[i].len;

		if (!starts(wanted->list[i].form, n, list, left, then))
			n = starts(wanted->list[i].tag.bytes, wanted->list[i].tag.len, list, left,
				   then)
				    ? wanted->list[i].tag.len
				    : 0;
		if (n > *len) {
			best = wanted->list[i].form;
			*len = n;
		}
	}
	return best;
}

struct rn_value rn_trace_wanted_tags(const struct rn_trace_wanted *wanted,
				     const struct rn_value *all, struct rn_arena *arena)
{
	struct rn_strbuf to;

	rn_strbuf_init(&to, arena);
	for (size_t at = 0, n; at < all->len; at += n + 1) {
		const char *comma = memchr(all->s + at, ',', all->len - at),
			   *tag = find(wanted, all->s + at, all->len - at, ',', &n);

		if (tag)
			rn_strbuf_printf(&to, "%s%s", to.len ? "," : "", tag);
		else
			n = (comma ? (size_t)(comma - all->s) : all->len) - at;
	}
	return rn_strn(rn_strbuf_cstr(&to), to.len);
}

/* Length of what stands behind `@` at s, up to the blank or the end; 0: it is not that. prints:
 * fingerprints (0a12-0b34), else a position. */
static size_t position(const char *s, size_t left, bool prints)
{
	size_t n = left && *s == '-' && !prints, first = n;

	while (n < left && (isdigit((unsigned char)s[n]) ||
			    (prints && (isxdigit((unsigned char)s[n]) || s[n] == '-'))))
		n++;
	return n > first && (n == left || s[n] == ' ') ? n : 0;
}

/* Length of the TAG@... at s. A tag may hold blanks and `@`: it ends where a position follows. */
static size_t element(const struct rn_trace_wanted *w, const char *s, size_t left, bool prints,
		      bool *wanted)
{
	size_t n, digits = 0;

	*wanted = find(w, s, left, '@', &n) && (digits = position(s + n + 1, left - n - 1, prints));
	if (*wanted)
		return n + 1 + digits;
	for (n = 0; n < left; n++)
		if (s[n] == '@' && (digits = position(s + n + 1, left - n - 1, prints)))
			return n + 1 + digits;
	return left;
}

struct rn_value rn_trace_wanted_hits(const struct rn_trace_wanted *list, const struct rn_value *all,
				     bool prints, struct rn_arena *arena)
{
	struct rn_strbuf to;
	bool wanted;

	rn_strbuf_init(&to, arena);
	for (size_t at = 0, n; at < all->len; at += n + 1) {
		n = element(list, all->s + at, all->len - at, prints, &wanted);
		if (wanted)
			rn_strbuf_printf(&to, "%s%.*s", to.len ? " " : "", (int)n, all->s + at);
	}
	return rn_strn(rn_strbuf_cstr(&to), to.len);
}
