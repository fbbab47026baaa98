/* list.c - see list.h. */
#include "lang/catalog/list.h"
#include "lang/catalog/numbering.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_tracepoint(const char *name)
{
	return !strcmp(name, "tracepoint");
}

const char *rn_class_list_trouble(const struct rn_class *cls)
{
	if (cls->later)
		return cls->later;
	if (cls->kind == RN_CLASS_TABLE)
		return "is a table, which stands alone";
	if (cls->pair)
		return "is of pairs, which stand alone";
	if (cls->needs_arg && !is_tracepoint(cls->name))
		return "stands alone";
	return NULL;
}

/* Tracepoints last. */
static int by_name(const void *a, const void *b)
{
	const char *x = *(const char *const *)a, *y = *(const char *const *)b;
	int last = is_tracepoint(x) - is_tracepoint(y);

	return last ? last : strcmp(x, y);
}

const char *rn_class_list_text(struct rn_arena *arena, const char **names, unsigned n)
{
	const char *text = "";

	qsort(names, n, sizeof(*names), by_name);
	for (unsigned i = 0; i < n; i++)
		if (!i || strcmp(names[i], names[i - 1]) != 0)
			text = rn_arena_printf(arena, "%s%s%s", text, i ? ", " : "", names[i]);
	return text;
}

/* ---- the class of a list ---- */

static bool same_type(const struct rn_field *a, const struct rn_field *b)
{
	return a && b && a->ty.type == b->ty.type && a->ty.unit == b->ty.unit &&
	       rn_numbering_same(a->numbering, b->numbering);
}

bool rn_class_list_owns(const char *name)
{
	return strcmp(name, "name") != 0 && strcmp(name, "count") != 0;
}

/* Each member's own meaning of a name counts if all have one. If only some have, the name means
 * what it means in every event: `pid` is then the process that runs, in all of them. */
static const struct rn_field *meant(const struct rn_class *const *member, const struct rn_class *of,
				    const char *name)
{
	const struct rn_field *field = rn_class_field(of, name);

	if (field && !rn_class_list_owns(name)) /* no event has a `count` that is not its own */
		return field->hides || !strcmp(name, "count") ? field->hides : field;
	for (const struct rn_class *const *m = member; field && field->hides && *m; m++) {
		const struct rn_field *other = rn_class_field(*m, name);

		if (other && !other->hides)
			return field->hides;
	}
	return field;
}

const struct rn_field *rn_class_list_field(const struct rn_class *list,
					   const struct rn_class *member, const char *name)
{
	return meant(list->list, member, name);
}

const struct rn_field *rn_class_some_field(const struct rn_catalog *catalog,
					   const struct rn_class *list, const char *name,
					   struct rn_ty ty)
{
	const struct rn_field *field = list->list ? NULL : rn_class_field(list, name);

	if (field && field->ty.type == ty.type && field->ty.unit == ty.unit)
		return field;
	field = NULL;
	for (const struct rn_class *const *m = list->list; m && *m && !field; m++)
		field = rn_class_some_field(catalog, *m, name, ty);
	for (const char *const *e = list->each; e && *e && !field; e++) {
		const struct rn_class *one = catalog->find(catalog->self, list->name, *e, NULL, 0);

		field = one ? rn_class_some_field(catalog, one, name, ty) : NULL;
	}
	return field;
}

const struct rn_class *rn_class_lacking(const struct rn_class *cls, const char *field)
{
	const struct rn_field *first = cls->list ? meant(cls->list, cls->list[0], field) : NULL;

	for (const struct rn_class *const *m = cls->list; m && *m; m++)
		if (!same_type(first, meant(cls->list, *m, field)))
			return *m;
	return NULL;
}

/* What is true of the field in every member. */
static const struct rn_field *common_field(struct rn_arena *arena,
					   const struct rn_class *const *member, const char *name)
{
	const struct rn_field *first = meant(member, *member, name);
	struct rn_field *own = NULL;

	for (const struct rn_class *const *m = member + 1; *m; m++) {
		const struct rn_field *f = meant(member, *m, name);

		if (f == first)
			continue;
		if (!own) {
			own = RN_NEW(arena, struct rn_field);
			*own = *first;
		}
		own->where &= f->where;
		own->not_kernel = own->not_kernel ? own->not_kernel : f->not_kernel;
		own->bits = own->bits == f->bits ? own->bits : 0;
		own->kind = own->kind == f->kind ? own->kind : RN_KIND_OTHER;
		own->words = own->words == f->words ? own->words : RN_WORDS_PLAIN;
		own->tells = own->tells > f->tells ? own->tells : f->tells;
		own->unsure |= f->unsure;
		own->asked |= f->asked;
	}
	return own ? own : first;
}

/* The calls of all members; NULL if some events are no calls. */
static const char *const *all_calls(struct rn_arena *arena, const struct rn_class *const *member)
{
	const char **v;
	unsigned n = 0, kept = 0;

	for (const struct rn_class *const *m = member; *m; m++) {
		if (!(*m)->calls)
			return NULL;
		for (const char *const *c = (*m)->calls; *c; c++)
			n++;
	}
	v = RN_NEWN(arena, const char *, n + 1);
	n = 0;
	for (const struct rn_class *const *m = member; *m; m++)
		for (const char *const *c = (*m)->calls; *c; c++)
			v[n++] = *c;
	qsort(v, n, sizeof(*v), by_name);
	for (unsigned i = 0; i < n; i++)
		if (!kept || strcmp(v[kept - 1], v[i]) != 0)
			v[kept++] = v[i];
	v[kept] = NULL;
	return v;
}

static const struct rn_class *make(struct rn_arena *arena, const char *name, const char *arg,
				   const struct rn_class *const *member)
{
	struct rn_class *cls = RN_NEW(arena, struct rn_class);
	const struct rn_field **fields =
		RN_NEWN(arena, const struct rn_field *, member[0]->nfields + 1);

	*cls = (struct rn_class){
		.name = rn_arena_strdup(arena, name),
		.arg = arg ? rn_arena_strdup(arena, arg) : NULL,
		.kind = RN_CLASS_EVENT,
		.doc = "events of several classes, which `name` tells apart",
		.list = member,
		.fields = fields,
		.calls = all_calls(arena, member),
		.recorded = member[0]->recorded,
		.no_pair = "a list stands for several kinds of events: an end of a pair is one"};
	for (const struct rn_class *const *m = member; *m; m++)
		cls->path_as_given |= (*m)->path_as_given;
	for (unsigned i = 0; i < member[0]->nfields; i++) {
		const char *field = member[0]->fields[i]->name;

		if (!rn_class_lacking(cls, field))
			fields[cls->nfields++] = common_field(arena, member, field);
	}
	return cls;
}

const struct rn_class *rn_class_find(struct rn_arena *arena, const struct rn_catalog *catalog,
				     const char *name, const char *arg, char *why, size_t why_bytes)
{
	const struct rn_class *cls = catalog->find(catalog->self, name, arg, why, why_bytes);
	const struct rn_class **member;
	unsigned n = 0;

	if (cls || !strchr(name, ','))
		return cls;
	if (why && why_bytes)
		why[0] = 0;
	member = RN_NEWN(arena, const struct rn_class *, RN_MAX_CLASSES + 1);
	for (const char *from = name, *end; *from; from = end + strspn(end, ", ")) {
		const char *one;

		end = from + strcspn(from, ",");
		one = rn_arena_strndup(arena, from, (size_t)(end - from));
		if (n == RN_MAX_CLASSES)
			return NULL;
		member[n] = catalog->find(catalog->self, one, is_tracepoint(one) ? arg : NULL, why,
					  why_bytes);
		if (!member[n])
			return NULL;
		if (rn_class_list_trouble(member[n])) {
			if (why && why_bytes)
				snprintf(why, why_bytes, "%s %s", one,
					 rn_class_list_trouble(member[n]));
			return NULL;
		}
		n++;
	}
	return n ? make(arena, name, arg, member) : NULL;
}
