/* users.c - see users.h. A user is shown by name, or by number if it has no name. So the number of
 * a named user is missing too. */
#include <ctype.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "exec/node/users.h"

static bool is_missing(const struct rn_value *v)
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

static bool is_user(const struct rn_expr *e)
{
	return e->kind == RN_E_FIELD && e->name && !strcmp(e->name, "user");
}

static void look(void *self, const struct rn_expr *e)
{
	bool compares = e->kind == RN_E_IN ||
			(e->kind == RN_E_OP && (e->op == RN_OP_EQ || e->op == RN_OP_NE));
	int64_t *n = self;

	for (unsigned i = 0; compares && i < e->narg; i++)
		for (unsigned k = 0; k < e->narg; k++)
			*n += i != k && is_user(e->arg[i]) && e->arg[k]->kind == RN_E_CONST &&
			      is_missing(&e->arg[k]->value);
}

static int64_t missing_in(const struct rn_conjunct *where, unsigned n)
{
	int64_t missing = 0;

	for (unsigned i = 0; i < n; i++)
		rn_expr_look(where[i].expr, look, &missing);
	return missing;
}

int64_t rn_users_missing(const struct rn_fragment *fragment)
{
	int64_t n = missing_in(fragment->where, fragment->nwhere);

	for (unsigned i = 0; fragment->ends && i < 2; i++)
		n += missing_in(fragment->ends[i].where, fragment->ends[i].nwhere);
	return n;
}
