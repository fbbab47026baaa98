/* catalog.c - texts of sources, and which fields are shown. */
#include <string.h>
#include "lang/catalog/catalog.h"
#include "lang/values/glob.h"

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
	return cls->member ? cls->member(cls->member_self, cls, name, NULL, 0) : NULL;
}

bool rn_is_member(const char *text)
{
	return text[strcspn(text, ".[(")];
}

const char *rn_class_text(struct rn_arena *arena, const struct rn_class *cls)
{
	return rn_source_text(arena, cls->name, cls->arg);
}

const char *rn_source_text(struct rn_arena *arena, const char *name, const char *arg)
{
	const char *comma;

	if (!arg)
		return name;
	for (; *(comma = arg + rn_glob_in_list(arg)); arg = comma + 2)
		name = rn_arena_printf(arena, "%s%s\"%.*s\"", name,
				       name[strlen(name) - 1] == '"' ? ", " : " ",
				       (int)(comma - arg), arg);
	if (name[strlen(name) - 1] == '"')
		return rn_arena_printf(arena, "%s, \"%s\"", name, arg);
	return rn_arena_printf(arena, arg[0] >= '0' && arg[0] <= '9' ? "%s %s" : "%s \"%s\"", name,
			       arg);
}

bool rn_class_arg_is_glob(const char *name, const char *arg)
{
	return arg && !strcmp(name, "tracepoint") && arg[strcspn(arg, "*?[,")];
}

bool rn_class_of_functions(const char *name)
{
	return !strcmp(name, "user") || !strcmp(name, "usdt") || !strcmp(name, "kernel");
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

const char rn_quantile_form[] = "pNN";

/* How many digits follow the `p`, if nothing else does; 0: it is no such name. */
static size_t quantile_digits(const char *name)
{
	size_t n = name[0] == 'p' ? strspn(name + 1, "0123456789") : 0;

	return n && !name[1 + n] ? n : 0;
}

/* p100, p1000: 100 percent */
static bool is_whole(const char *name)
{
	return name[1] == '1' && strspn(name + 2, "0") == strlen(name + 2);
}

bool rn_quantile_of(const char *name, double *q)
{
	size_t n = quantile_digits(name);
	double part = 0, ten = 1;

	if (n < 2 || n > 4 || (n > 2 && is_whole(name)))
		return false;
	for (size_t i = 0; i < n; i++) {
		part = part * 10 + (name[1 + i] - '0');
		ten *= 10;
	}
	if (q)
		*q = part / ten;
	return true;
}

const char *rn_quantile_hint(struct rn_arena *arena, const char *name)
{
	size_t n = quantile_digits(name);

	if (!n || rn_quantile_of(name, NULL))
		return NULL;
	if (n == 1)
		return rn_arena_printf(arena, "the quantile 0.0%s is p0%s, 0.%s is p%s0", name + 1,
				       name + 1, name + 1, name + 1);
	if (is_whole(name))
		return "the greatest is max(x)";
	return rn_arena_printf(arena, "write quantile(x, 0.%s)", name + 1);
}

const char *const *rn_table_key(const struct rn_class *cls)
{
	/* a number of a process is used again: its beginning tells two apart */
	static const char *const process[] = {"node", "pid", "start", NULL};
	static const char *const node[] = {"node", NULL};

	if (cls->kind != RN_CLASS_TABLE)
		return NULL;
	return !strcmp(cls->name, "processes") ? process
	       : !strcmp(cls->name, "clocks")  ? node
					       : NULL;
}
