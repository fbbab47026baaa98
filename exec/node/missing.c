/* missing.c - see missing.h. A user is shown by name, or by number if it has no name. So the number
 * of a named user is missing too. Likewise for names of the kernel's own numbers. */
#include <ctype.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "exec/node/missing.h"
#include "lang/catalog/numbering.h"

static bool is_no_user(const struct rn_value *v)
{
	char name[256], room[4096], *end;
	struct passwd pw, *found = NULL;
	unsigned long uid;

	if (v->kind != RN_STR || !v->len || v->len >= sizeof(name) || memchr(v->s, 0, v->len))
		return false;
	memcpy(name, v->s, v->len);
	name[v->len] = 0;
	if (getpwnam_r(name, &pw, room, sizeof(room), &found) || found)
		return false; /* if the directory of users cannot be read, nothing is known */
	if (!isdigit((unsigned char)name[0]))
		return true;
	uid = strtoul(name, &end, 10);
	return *end || uid > UINT32_MAX ||
	       (!getpwuid_r((uid_t)uid, &pw, room, sizeof(room), &found) && found);
}

/* Is the value, compared with the field, one that this node does not have? */
typedef bool is_missing(const struct rn_field *field, const struct rn_value *value);

static bool misses_user(const struct rn_field *field, const struct rn_value *value)
{
	return !strcmp(field->name, "user") && is_no_user(value);
}

static bool misses_name(const struct rn_field *field, const struct rn_value *value)
{
	return field->numbering && value->kind == RN_STR &&
	       !rn_numbering_knows(field->numbering, value->s, value->len);
}

struct look {
	is_missing *is_missing;
	int64_t n;
};

static const struct rn_field *field_of(const struct rn_expr *e)
{
	return e->kind == RN_E_FIELD ? e->field : rn_expr_numbered(e);
}

static void look(void *self, const struct rn_expr *e)
{
	bool compares = e->kind == RN_E_IN ||
			(e->kind == RN_E_OP && (e->op == RN_OP_EQ || e->op == RN_OP_NE ||
						(e->op == RN_OP_BITAND && rn_expr_numbered(e))));
	struct look *l = self;

	for (unsigned i = 0; compares && i < e->narg; i++) {
		const struct rn_field *f = field_of(e->arg[i]);

		for (unsigned k = 0; f && k < e->narg; k++)
			l->n += i != k && e->arg[k]->kind == RN_E_CONST &&
				l->is_missing(f, &e->arg[k]->value);
	}
}

static void look_in(struct look *l, const struct rn_conjunct *where, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		rn_expr_look(where[i].expr, look, l);
}

static int64_t missing(const struct rn_fragment *f, is_missing *what)
{
	struct look l = {what, 0};

	look_in(&l, f->where, f->nwhere);
	for (unsigned i = 0; f->ends && i < 2; i++)
		look_in(&l, f->ends[i].where, f->ends[i].nwhere);
	for (unsigned i = 0; i < f->nkeys; i++)
		rn_expr_look(f->keys[i], look, &l);
	for (unsigned i = 0; i < f->naggs; i++) {
		if (f->aggs[i].arg)
			rn_expr_look(f->aggs[i].arg, look, &l);
		if (f->aggs[i].where)
			rn_expr_look(f->aggs[i].where, look, &l);
	}
	for (unsigned i = 0; i < f->ncols; i++)
		rn_expr_look(f->cols[i].expr, look, &l);
	return l.n;
}

int64_t rn_missing_users(const struct rn_fragment *fragment)
{
	return missing(fragment, misses_user);
}

int64_t rn_missing_names(const struct rn_fragment *fragment)
{
	return missing(fragment, misses_name);
}
