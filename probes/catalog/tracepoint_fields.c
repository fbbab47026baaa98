/* tracepoint_fields.c - the own fields of a tracepoint, and those that all tracepoints of a glob or
 * of a list have.
 *
 * They have a field alike if its type is the same, and the set of names of its numbers. Its place
 * may differ from record to record: each tracepoint has a program of its own, which reads it there
 * (probes/gen/hooks.c). */
#include <string.h>
#include "lang/catalog/list.h"
#include "lang/catalog/numbering.h"
#include "probes/catalog/catalog.h"

struct rn_tp_field *rn_tp_own_field(const struct rn_tp *tp, const char *name)
{
	for (unsigned i = 0; i < tp->nfields; i++)
		if (!strcmp(tp->field[i].field.name, name))
			return &tp->field[i];
	return NULL;
}

/* Does every tracepoint have such a field? Leaves in it what is true of all. */
static bool in_all(const struct rn_tp *glob, struct rn_field *field)
{
	for (unsigned i = 0; i < glob->nmatch; i++) {
		const struct rn_tp_field *own = rn_tp_own_field(glob->match[i].tp, field->name);

		if (!own || own->field.ty.type != field->ty.type ||
		    own->field.ty.unit != field->ty.unit ||
		    !rn_numbering_same(own->field.numbering, field->numbering))
			return false;
		if (own->field.kind != field->kind)
			field->kind = RN_KIND_OTHER;
		if (own->field.bits != field->bits)
			field->bits = 0;
		if (own->field.words != field->words)
			field->words = RN_WORDS_PLAIN;
	}
	return true;
}

void rn_tp_share_fields(struct rn_arena *arena, struct rn_tp *glob)
{
	const struct rn_tp *first = glob->match[0].tp;

	for (unsigned i = 0; i < glob->nmatch; i++)
		if (!glob->match[i].tp)
			return;
	glob->ends.known = true;
	for (unsigned i = 0; i < glob->nmatch; i++)
		glob->ends.known &= glob->match[i].tp->ends.known;
	glob->field = RN_NEWN(arena, struct rn_tp_field, first->nfields);
	for (unsigned i = 0; i < first->nfields; i++) {
		struct rn_tp_field *to = &glob->field[glob->nfields];

		to->field = first->field[i].field;
		glob->nfields += rn_class_list_owns(to->field.name) && in_all(glob, &to->field);
	}
}
