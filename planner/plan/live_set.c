/* live_set.c - see live_set.h. */
#include <string.h>
#include "planner/plan/live_set.h"
#include "planner/plan/plan.h"

const struct rn_field *rn_live_field(struct rn_arena *arena, const struct rn_class *cls,
				     const char *name, bool of_parent)
{
	const struct rn_field *of = rn_class_field(cls, of_parent ? "ppid" : "pid");
	struct rn_field *own;

	if (!of || !(of->where & RN_IN_KERNEL) || cls->pair)
		return NULL;
	own = RN_NEW(arena, struct rn_field);
	*own = *of;
	own->name = name;
	own->ty = (struct rn_ty){RN_T_BOOL, RN_U_NONE};
	own->bits = 1;
	return own;
}

const struct rn_live_set *rn_live_set_named(const struct rn_fragment *fragment, const char *name)
{
	for (unsigned i = 0; i < fragment->nlive; i++)
		if (!strcmp(fragment->live[i]->field->name, name))
			return fragment->live[i];
	return NULL;
}

const struct rn_live_set *rn_live_set_of(const struct rn_fragment *fragment,
					 const struct rn_field *field)
{
	for (unsigned i = 0; i < fragment->nlive; i++)
		if (fragment->live[i]->field == field)
			return fragment->live[i];
	return NULL;
}
