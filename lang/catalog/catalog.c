/* catalog.c - texts of sources, and which fields are shown. */
#include <string.h>
#include "lang/catalog/catalog.h"

int rn_catalog_why(const char *why)
{
	const char *code = strstr(why, "\nE-LIMIT-");

	return (int)(code ? (size_t)(code - why) : strlen(why));
}

const struct rn_field *rn_class_field(const struct rn_class *c, const char *name)
{
	for (unsigned i = 0; i < c->nfields; i++)
		if (!strcmp(c->fields[i]->name, name))
			return c->fields[i];
	return NULL;
}

const char *rn_class_text(struct rn_arena *a, const struct rn_class *c)
{
	return rn_source_text(a, c->name, c->arg);
}

const char *rn_source_text(struct rn_arena *a, const char *name, const char *arg)
{
	if (!arg)
		return name;
	return rn_arena_printf(a, arg[0] >= '0' && arg[0] <= '9' ? "%s %s" : "%s \"%s\"", name,
			       arg);
}

bool rn_class_arg_is_glob(const char *name, const char *arg)
{
	return arg && !strcmp(name, "tracepoint") && arg[strcspn(arg, "*?[")];
}

bool rn_field_in_events(const struct rn_field *f)
{
	if (f->asked || f->ty.type == RN_T_BYTES || f->ty.type == RN_T_SKETCH ||
	    f->ty.type == RN_T_STACK)
		return false;
	return strcmp(f->name, "hash") !=
		       0 /* derived from the payload: as dear as the payload itself */
	       && !(f->show & RN_SHOW_LINKS);
}

bool rn_field_in_recording(const struct rn_field *f)
{
	return rn_field_in_events(f) || f->show & RN_SHOW_LINKS;
}
