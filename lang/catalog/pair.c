/* pair.c - makes pair classes: see pair.h. */
#include "lang/catalog/pair.h"
#include <string.h>
#include "lang/values/show.h"

#define OF_TIME .where = RN_IN_KERNEL | RN_IN_NODE, .bits = RN_BITS_SIGNED | 62
/* both ends are of one kernel, which runs for nine years at most */
#define OF_DURATION .where = RN_IN_KERNEL | RN_IN_NODE, .bits = RN_BITS_SIGNED | 58
static const struct {
	struct rn_field f;
	enum rn_pair_part part;
} own[] = {
	{{.name = "start",
	  .ty = {RN_T_INT, RN_U_EPOCH},
	  OF_TIME,
	  .show = RN_SHOW_START,
	  .doc = "when the first event happened"},
	 RN_PAIR_START},
	{{.name = "end",
	  .ty = {RN_T_INT, RN_U_EPOCH},
	  OF_TIME,
	  .doc = "when the second event happened"},
	 RN_PAIR_END},
	{{.name = "latency",
	  .ty = {RN_T_INT, RN_U_NS},
	  OF_DURATION,
	  .show = RN_SHOW_LATENCY,
	  .doc = "from the first to the second"},
	 RN_PAIR_LATENCY},
	{{.name = "time",
	  .ty = {RN_T_INT, RN_U_EPOCH},
	  OF_TIME,
	  .show = RN_SHOW_TIME,
	  .doc = "as end"},
	 RN_PAIR_END},
};
enum { OWN = sizeof(own) / sizeof(*own) };

/* Fields of an end that the pair leaves out. */
static bool left_out(const struct rn_field *f)
{
	static const char *const names[] = {"begin", "hash", "sketch", "data",
					    "tags",  "hits", "around"};

	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(f->name, names[i]))
			return true;
	return false;
}

struct maker {
	struct rn_class *c;
	struct rn_pair *p;
	const struct rn_field **fields;
	struct rn_pair_field *from;
};

/* True if the pair's field of this name, if any, takes over the second event's field, or is
 * unrelated to it. */
static bool agree(const struct rn_pair_field *has, const struct rn_field *second)
{
	return !has->of || (has->part == RN_PAIR_SECOND && has->of == second) ||
	       !strcmp(second->name, "node");
}

/* The name of an end's field in the pair; NULL: the pair leaves it out. */
static const char *name_in_pair(const struct maker *m, struct rn_arena *a, const struct rn_field *f,
				enum rn_pair_part part)
{
	const struct rn_field *other = rn_class_field(m->c, f->name);
	const char *name = f->name;

	for (unsigned i = 0; i < m->c->nfields && part == RN_PAIR_SECOND; i++)
		if (m->c->fields[i] == other && !agree(&m->from[i], f))
			name = rn_arena_printf(a, "end_%s", f->name);
	return rn_class_field(m->c, name) ? NULL : name;
}

static void add(struct maker *m, struct rn_arena *a, const struct rn_field *f,
		enum rn_pair_part part)
{
	const char *name = left_out(f) ? NULL : name_in_pair(m, a, f, part);
	struct rn_pair_field from = {part, f};
	struct rn_field *copy;

	if (!name)
		return;
	for (unsigned k = 0; k < m->p->nkeys && part == RN_PAIR_FIRST; k++)
		if (m->p->key[k][0] == f)
			from = (struct rn_pair_field){RN_PAIR_SECOND, m->p->key[k][1]};
	/* both ends may be of the same class: each needs its own copy */
	copy = RN_NEW(a, struct rn_field);
	*copy = *f;
	copy->name = name;
	copy->asked |= name != f->name;
	copy->show = name == f->name ? f->show : 0;
	copy->unsure = false;
	copy->doc = rn_arena_printf(a, "%s; of the %s event", f->doc ? f->doc : "",
				    part == RN_PAIR_FIRST ? "first" : "second");
	m->fields[m->c->nfields] = copy;
	m->from[m->c->nfields++] = from;
}

const struct rn_class *rn_pair_class(struct rn_arena *a, const struct rn_class *from,
				     const struct rn_class *to, const struct rn_pair_key *keys,
				     unsigned nkeys)
{
	unsigned most = OWN + from->nfields + to->nfields;
	struct rn_class *c = RN_NEW(a, struct rn_class);
	struct rn_pair *p = RN_NEW(a, struct rn_pair);
	struct maker m = {c, p, RN_NEWN(a, const struct rn_field *, most),
			  RN_NEWN(a, struct rn_pair_field, most)};

	*p = (struct rn_pair){.end = {from, to}, .nkeys = nkeys, .field = m.from};
	for (unsigned k = 0; k < nkeys; k++) {
		p->key[k][0] = rn_class_field(from, keys[k].name[0]);
		p->key[k][1] = rn_class_field(to, keys[k].name[1]);
	}
	*c = (struct rn_class){.name = "between",
			       .doc = "pairs of events",
			       .fields = m.fields,
			       .pair = p,
			       .recorded = from->recorded,
			       .path_as_given = from->path_as_given || to->path_as_given};
	for (unsigned i = 0; i < OWN; i++) {
		m.fields[i] = &own[i].f;
		m.from[i] = (struct rn_pair_field){own[i].part, NULL};
	}
	c->nfields = OWN;
	for (unsigned i = 0; i < from->nfields; i++)
		add(&m, a, from->fields[i], RN_PAIR_FIRST);
	for (unsigned i = 0; i < to->nfields; i++)
		add(&m, a, to->fields[i], RN_PAIR_SECOND);
	return c;
}

const struct rn_pair_field *rn_pair_field(const struct rn_class *c, const struct rn_field *f)
{
	for (unsigned i = 0; i < c->nfields; i++)
		if (c->fields[i] == f)
			return &c->pair->field[i];
	return NULL;
}

const char *rn_pair_end_trouble(struct rn_arena *a, const struct rn_class *c)
{
	if (c->kind == RN_CLASS_TABLE)
		return rn_arena_printf(a, "`%s` is a table: it has no events to pair", c->name);
	return c->no_pair;
}

const char *rn_pair_key_trouble(struct rn_arena *a, const struct rn_field *from,
				const struct rn_field *to, bool recorded)
{
	const struct rn_field *both[] = {from, to};

	for (unsigned i = 0; i < 2; i++) {
		if (both[i]->ty.type != RN_T_INT)
			return rn_arena_printf(
				a, "events are paired by numbers, and `%s` is no number",
				both[i]->name);
		if (left_out(both[i]))
			return rn_arena_printf(a, "`%s` is each event's own: it pairs none",
					       both[i]->name);
		if (!recorded && !(both[i]->where & RN_IN_KERNEL))
			return rn_arena_printf(
				a, "events are paired in the kernel, where `%s` is not known",
				both[i]->name);
		if (!strcmp(both[i]->name, "latency"))
			return "each event has a latency of its own: it pairs none";
	}
	return NULL;
}
