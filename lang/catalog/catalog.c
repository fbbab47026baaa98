/* catalog.c - texts of sources, and which fields are shown. */
#include <string.h>
#include "lang/catalog/catalog.h"

int rn_catalog_why(const char *why)
{
	const char *code = strstr(why, "\nE-LIMIT-");

	return (int)(code ? (size_t)(code - why) : strlen(why));
}

const char *rn_class_now(const char *name)
{
	static const struct {
		const char *was, *is;
	} renamed[] = {{"proc", "processes"}, {"clock", "clocks"}};

	for (size_t i = 0; i < sizeof(renamed) / sizeof(*renamed); i++)
		if (!strcmp(renamed[i].was, name))
			return renamed[i].is;
	return name;
}

const struct rn_field *rn_class_field(const struct rn_class *cls, const char *name)
{
	for (unsigned i = 0; i < cls->nfields; i++)
		if (!strcmp(cls->fields[i]->name, name))
			return cls->fields[i];
	return NULL;
}

const char *rn_class_text(struct rn_arena *arena, const struct rn_class *cls)
{
	return rn_source_text(arena, cls->name, cls->arg);
}

const char *rn_source_text(struct rn_arena *arena, const char *name, const char *arg)
{
	if (!arg)
		return name;
	return rn_arena_printf(arena, arg[0] >= '0' && arg[0] <= '9' ? "%s %s" : "%s \"%s\"", name,
			       arg);
}

bool rn_class_arg_is_glob(const char *name, const char *arg)
{
	return arg && !strcmp(name, "tracepoint") && arg[strcspn(arg, "*?[")];
}

bool rn_field_in_events(const struct rn_field *field)
{
	if (field->asked || field->ty.type == RN_T_BYTES || field->ty.type == RN_T_SKETCH ||
	    field->ty.type == RN_T_STACK)
		return false;
	return strcmp(field->name, "hash") !=
		       0 /* derived from the payload: as dear as the payload itself */
	       && !(field->show & RN_SHOW_LINKS);
}

bool rn_field_in_recording(const struct rn_field *field)
{
	return rn_field_in_events(field) || field->show & RN_SHOW_LINKS;
}
