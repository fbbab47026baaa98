/* below.c - the nodes below a relay by their names. The relay writes the list, since nobody else
 * knows all of them; the nodes above show it unchanged. Names that do not fit are counted. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "exec/fleet/fleet_impl.h"
#include "lang/base/memory.h"

enum { NAME_BYTES = 80, WHY_BYTES = 120, REST_BYTES = 24 /* ", and 4294967295 more" */ };

struct list {
	char *to;
	size_t n, cap;
	unsigned more;
};

/* How many bytes of s are shown: at most max, no half a character. */
static int shown(const char *s, size_t max)
{
	size_t n = strlen(s) < max ? strlen(s) : max;

	while (n && s[n] && ((unsigned char)s[n] & 0xC0) == 0x80)
		n--;
	return (int)n;
}

static void add(struct list *l, const char *name, const char *about, unsigned nodes)
{
	char item[NAME_BYTES + WHY_BYTES + 8];
	int n = snprintf(item, sizeof(item), "%s%.*s%s%.*s%s", l->n ? ", " : "",
			 shown(name, NAME_BYTES), name, about ? " (" : "",
			 about ? shown(about, WHY_BYTES) : 0, about ? about : "", about ? ")" : "");

	if (l->more || l->n + (size_t)n + REST_BYTES > l->cap) {
		l->more += nodes;
		return;
	}
	memcpy(l->to + l->n, item, (size_t)n + 1);
	l->n += (size_t)n;
}

static void end(struct list *l)
{
	if (l->more)
		snprintf(l->to + l->n, l->cap - l->n, "%s%u more", l->n ? ", and " : "", l->more);
}

void rn_fleet_names(const struct rn_fleet *fleet, char *to, size_t cap)
{
	struct list l = {.to = to, .cap = cap};

	*to = 0;
	for (unsigned i = 0; i < fleet->n; i++)
		if (fleet->members[i].query.chosen)
			add(&l, fleet->members[i].host->name, fleet->members[i].query.below,
			    fleet->members[i].relay && fleet->members[i].discovery.nodes_below
				    ? fleet->members[i].discovery.nodes_below
				    : 1);
	end(&l);
}

static void add_missing(void *self, const struct rn_window_node *n)
{
	if (n->whole < n->nodes)
		add(self, n->name, n->why, n->nodes - n->whole);
}

void rn_fleet_missing(const struct rn_fleet *fleet, int64_t mark_ns, char *to, size_t cap)
{
	struct list l = {.to = to, .cap = cap};

	*to = 0;
	rn_fleet_window(fleet, mark_ns, add_missing, &l);
	end(&l);
}

static void replace(char **s, char *by)
{
	free(*s);
	*s = by;
}

void rn_member_names(struct rn_member *member, const char *names)
{
	replace(&member->query.below, names ? rn_strdup(names) : NULL);
}

void rn_member_missing(struct rn_member *member, const char *names)
{
	const char *what = member->query.in_window ? "not all nodes below it answer"
						   : "no node below it answers";
	size_t n = names ? strlen(what) + strlen(names) + 3 : 0;
	char *text = names ? rn_malloc(n) : NULL;

	if (text)
		snprintf(text, n, "%s: %s", what, names);
	replace(&member->query.missing, text);
}

void rn_member_wrong(struct rn_member *member, const struct rn_err *err)
{
	static const char below[] = "; below it: ";
	size_t n;

	member->query.err = *err;
	n = strlen(member->query.err.text);
	if (member->query.below && !strstr(member->query.err.text, below) &&
	    n < sizeof(member->query.err.text) - REST_BYTES)
		snprintf(member->query.err.text + n, sizeof(member->query.err.text) - n, "%s%.*s",
			 below,
			 shown(member->query.below,
			       sizeof(member->query.err.text) - n - sizeof(below)),
			 member->query.below);
}
