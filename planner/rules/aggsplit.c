/* aggsplit.c - decides where the partial states of a grouped query form: in the kernel if it knows
 * every predicate, key and argument, else at the node. Merging and finishing stay in their places,
 * so the answer cannot change.
 *
 * If the kernel does not know a key, it may still know what the key is computed from: the file of
 * ext(file), the uid of `user`. Then it groups by that, and the node merges the states of groups
 * whose keys are equal once they are computed. */
#include "planner/split/place.h"
#include "planner/rules/rules.h"

struct base {
	const struct rn_field *field[RN_KERNEL_KEYS];
	unsigned n;
	bool ok;
};

/* Can the kernel group by the field, and are its values few beside the events? Times and sizes are
 * not. */
static bool may_be_base(const struct rn_field *field)
{
	switch (field->ty.type) {
	case RN_T_STR: return field->where & (RN_IN_KERNEL | RN_IN_KEY);
	case RN_T_IP: return field->where & RN_IN_KERNEL;
	case RN_T_INT:
		return field->where & RN_IN_KERNEL &&
		       (rn_unit_is_code(field->ty.unit) ||
			(!field->ty.unit && field->bits == (RN_BITS_SIGNED | 32)));
	default: return false;
	}
}

static void find_base(void *self, const struct rn_expr *e)
{
	struct base *b = self;
	unsigned i = 0;

	if (e->kind == RN_E_IN && e->index)
		b->ok = false; /* a set that is known later */
	if (e->kind != RN_E_FIELD)
		return;
	while (i < b->n && b->field[i] != e->field)
		i++;
	if (i < b->n)
		return;
	if (b->n == RN_KERNEL_KEYS || !may_be_base(e->field))
		b->ok = false;
	else
		b->field[b->n++] = e->field;
}

/* Why the kernel cannot group by these keys, not even by what they are computed from; NULL: it
 * can. */
static const char *place_keys(struct rn_arena *arena, struct rn_fragment *fragment)
{
	struct base base = {.ok = !fragment->cls->pair};
	const char *why = NULL, *stacks = NULL;
	struct rn_fragment fine;

	fragment->derived = 0;
	for (unsigned i = 0; i < fragment->nkeys; i++) {
		const char *key = rn_place_key(arena, fragment->keys[i]);

		if (fragment->keys[i]->ty.type == RN_T_STACK)
			stacks = "a stack beside it";
		if (!key)
			continue;
		why = why ? why : key;
		rn_expr_look(fragment->keys[i], find_base, &base);
		fragment->derived |= i < 64 ? 1ull << i : 0;
	}
	if (why && base.ok && base.n && !stacks && fragment->nkeys < 64) {
		fine = *fragment;
		fine.fields = base.field;
		fine.nfine = base.n;
		fine = rn_fragment_fine(arena, &fine);
		why = rn_place_key_set(&fine);
	} else if (why) {
		why = rn_arena_printf(arena, "one key needs the node (%s)", why);
	} else {
		why = rn_place_key_set(fragment);
	}
	if (why)
		fragment->derived = 0;
	return why;
}

/* Why this fragment's groups cannot be formed in the kernel; NULL if they can. */
static const char *why_not(struct rn_arena *arena, struct rn_plan *plan)
{
	struct rn_fragment *fragment = &plan->frag;
	const char *why = rn_place_source(plan);
	unsigned nodes = 0;

	for (unsigned i = 0; i < fragment->nwhere && !why; i++)
		if (!rn_place_judged(plan, fragment->where[i].expr) &&
		    rn_place_predicate(arena, fragment->where[i].expr, &nodes))
			why = "a predicate before it runs at the node";
	if (!why && fragment->naggs > RN_KERNEL_AGGS)
		why = "more than 64 aggregates: not in the kernel";
	if (!why)
		why = place_keys(arena, fragment);
	for (unsigned i = 0; i < fragment->naggs && !why; i++) {
		if (fragment->aggs[i].where)
			why = rn_place_predicate(arena, fragment->aggs[i].where, &nodes);
		if (!why)
			why = rn_place_agg(arena, &fragment->aggs[i]);
	}
	return why;
}

void rn_rule_aggsplit(struct rn_arena *arena, struct rn_plan *plan)
{
	const char *why;

	if (plan->kind != RN_PLAN_GROUPS)
		return;
	why = why_not(arena, plan);
	plan->frag.agg_place = why ? RN_AT_NODE : RN_AT_KERNEL;
	plan->frag.agg_reason =
		why                  ? why
		: plan->frag.derived ? "every predicate and argument is known to the kernel, and "
				       "what the keys are computed from"
				     : "every predicate, key and argument is known to the kernel";
	if (why)
		plan->frag.derived = 0;
}
