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
	struct rn_class *cls;
	struct rn_pair *pair;
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
	const struct rn_field *other = rn_class_field(m->cls, f->name);
	const char *name = f->name;

	for (unsigned i = 0; i < m->cls->nfields && part == RN_PAIR_SECOND; i++)
		if (m->cls->fields[i] == other && !agree(&m->from[i], f))
			name = rn_arena_printf(a, "end_%s", f->name);
	return rn_class_field(m->cls, name) ? NULL : name;
}

static void add(struct maker *m, struct rn_arena *arena, const struct rn_field *field,
		enum rn_pair_part part)
{
	const char *name = left_out(field) ? NULL : name_in_pair(m, arena, field, part);
	struct rn_pair_field from = {part, field};
	struct rn_field *copy;

	if (!name)
		return;
	for (unsigned k = 0; k < m->pair->nkeys && part == RN_PAIR_FIRST; k++)
		if (m->pair->key[k][0] == field)
			from = (struct rn_pair_field){RN_PAIR_SECOND, m->pair->key[k][1]};
	/* both ends may be of the same class: each needs its own copy */
	copy = RN_NEW(arena, struct rn_field);
	*copy = *field;
	copy->name = name;
	copy->asked |= name != field->name;
	copy->show = name == field->name ? field->show : 0;
	copy->unsure = false;
	copy->doc = rn_arena_printf(arena, "%s; of the %s event", field->doc ? field->doc : "",
				    part == RN_PAIR_FIRST ? "first" : "second");
	m->fields[m->cls->nfields] = copy;
	m->from[m->cls->nfields++] = from;
}

const struct rn_class *rn_pair_class(struct rn_arena *arena, const struct rn_class *from,
				     const struct rn_class *to, const struct rn_pair_key *keys,
				     unsigned nkeys)
{
	unsigned most = OWN + from->nfields + to->nfields;
	struct rn_class *cls = RN_NEW(arena, struct rn_class);
	struct rn_pair *p = RN_NEW(arena, struct rn_pair);
	struct maker m = {cls, p, RN_NEWN(arena, const struct rn_field *, most),
			  RN_NEWN(arena, struct rn_pair_field, most)};

	*p = (struct rn_pair){.end = {from, to}, .nkeys = nkeys, .field = m.from};
	for (unsigned k = 0; k < nkeys; k++) {
		p->key[k][0] = rn_class_field(from, keys[k].name[0]);
		p->key[k][1] = rn_class_field(to, keys[k].name[1]);
	}
	*cls = (struct rn_class){.name = "between",
				 .doc = "pairs of events",
				 .fields = m.fields,
				 .pair = p,
				 .recorded = from->recorded,
				 .path_as_given = from->path_as_given || to->path_as_given};
	for (unsigned i = 0; i < OWN; i++) {
		m.fields[i] = &own[i].f;
		m.from[i] = (struct rn_pair_field){own[i].part, NULL};
	}
	cls->nfields = OWN;
	for (unsigned i = 0; i < from->nfields; i++)
		add(&m, arena, from->fields[i], RN_PAIR_FIRST);
	for (unsigned i = 0; i < to->nfields; i++)
		add(&m, arena, to->fields[i], RN_PAIR_SECOND);
	return cls;
}

const struct rn_pair_field *rn_pair_field(const struct rn_class *cls, const struct rn_field *field)
{
	for (unsigned i = 0; i < cls->nfields; i++)
		if (cls->fields[i] == field)
			return &cls->pair->field[i];
	return NULL;
}

const char *rn_pair_end_trouble(struct rn_arena *arena, const struct rn_class *cls)
{
	if (cls->kind == RN_CLASS_TABLE)
		return rn_arena_printf(arena, "`%s` is a table: it has no events to pair",
				       cls->name);
	return cls->no_pair;
}

const char *rn_pair_key_trouble(struct rn_arena *arena, const struct rn_field *from,
				const struct rn_field *to, bool recorded)
{
	const struct rn_field *both[] = {from, to};

	for (unsigned i = 0; i < 2; i++) {
		if (both[i]->ty.type != RN_T_INT)
			return rn_arena_printf(
				arena, "events are paired by numbers, and `%s` is no number",
				both[i]->name);
		if (left_out(both[i]))
			return rn_arena_printf(arena, "`%s` is each event's own: it pairs none",
					       both[i]->name);
		if (!recorded && !(both[i]->where & RN_IN_KERNEL))
			return rn_arena_printf(arena,
					       "the kernel pairs events, and does not know `%s`",
					       both[i]->name);
		if (!strcmp(both[i]->name, "latency"))
			return "each event has a latency of its own: it pairs none";
	}
	return NULL;
}
