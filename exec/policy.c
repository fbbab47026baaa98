/* policy.c - see policy.h. */
#include "exec/policy.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool set_payload(struct rn_policy *p, const char *value, unsigned line)
{
	p->payload = !strcmp(value, "allow");
	p->payload_line = line;
	return p->payload || !strcmp(value, "deny");
}

static const struct {
	const char *key;
	bool (*set)(struct rn_policy *p, const char *value, unsigned line);
	const char *values;
} keys[] = {
	{"payload", set_payload, "allow or deny"},
};
#define NKEYS (sizeof(keys) / sizeof(*keys))

static char *trim(char *s)
{
	char *end = s + strlen(s);

	while (end > s && strchr(" \t\r\n", end[-1]))
		*--end = 0;
	return s + strspn(s, " \t");
}

static int unknown_key(const struct rn_policy *p, unsigned line, const char *key, struct rn_err *err)
{
	const char *names[NKEYS + 1] = {0}, *near;

	for (size_t i = 0; i < NKEYS; i++)
		names[i] = keys[i].key;
	rn_err_set(err, -EINVAL, "%s:%u: `%s` is no key of a policy [E-POLICY]", p->path, line, key);
	near = rn_nearest(key, names);
	rn_err_hint(err, near ? "did you mean `%s`?" : "there is `%s`", near ? near : names[0]);
	return -EINVAL;
}

static int parse_line(struct rn_policy *p, char *text, unsigned line, struct rn_err *err)
{
	char *s = trim(text), *eq = strchr(s, '='), *key, *value;

	if (!*s || *s == '#')
		return 0;
	if (!eq) {
		rn_err_set(err, -EINVAL, "%s:%u: `%.60s` is not `key = value` [E-POLICY]", p->path, line, s);
		rn_err_hint(err, "for instance `payload = deny`");
		return -EINVAL;
	}
	*eq = 0;
	key = trim(s);
	value = trim(eq + 1);
	for (size_t i = 0; i < NKEYS; i++) {
		if (strcmp(key, keys[i].key))
			continue;
		if (keys[i].set(p, value, line))
			return 0;
		return rn_err_set(err, -EINVAL, "%s:%u: `%s` is %s, not `%.60s` [E-POLICY]", p->path, line, key, keys[i].values, value);
	}
	return unknown_key(p, line, key, err);
}

int rn_policy_load(struct rn_policy *p, struct rn_err *err)
{
	const char *own = getenv("RUNNEL_POLICY");
	char text[512];
	unsigned line = 0;
	int r = 0;
	FILE *f;

	*p = (struct rn_policy){.path = own && *own ? own : RN_POLICY_FILE};
	f = fopen(p->path, "re");
	if (!f && (errno == ENOENT || errno == ENOTDIR))
		return 0;
	if (!f) {
		r = -errno;
		return rn_err_set(err, r, "the policy of this node, %s, cannot be read: %s [E-POLICY]", p->path, strerror(-r));
	}
	while (!r && fgets(text, sizeof(text), f)) {
		line++;
		if (!strchr(text, '\n') && !feof(f))
			r = rn_err_set(err, -EINVAL, "%s:%u: a line of more than %zu bytes [E-POLICY]", p->path, line, sizeof(text) - 2);
		else
			r = parse_line(p, text, line, err);
	}
	if (!r && ferror(f)) {
		r = errno ? -errno : -EIO;
		rn_err_set(err, r, "the policy of this node, %s, cannot be read: %s [E-POLICY]", p->path, strerror(-r));
	}
	fclose(f);
	return r;
}

static void look(void *self, const struct rn_expr *e)
{
	bool *found = self;

	*found |= e->kind == RN_E_FIELD && e->ty.type == RN_T_BYTES;
}

/* Does anything of the fragment hold bytes of payload? Its row lists what leaves the kernel, its expressions what they use. */
static bool takes_payload(const struct rn_fragment *f)
{
	bool found = false;

	for (unsigned i = 0; i < f->nfields; i++)
		found |= f->fields[i]->ty.type == RN_T_BYTES;
	for (unsigned i = 0; i < f->nwhere; i++)
		rn_expr_look(f->where[i].expr, look, &found);
	for (unsigned i = 0; i < f->nkeys; i++)
		rn_expr_look(f->keys[i], look, &found);
	for (unsigned i = 0; i < f->naggs; i++)
		rn_expr_look(f->aggs[i].arg, look, &found);
	for (unsigned i = 0; i < f->ncols; i++)
		rn_expr_look(f->cols[i].expr, look, &found);
	return found;
}

int rn_policy_check(const struct rn_policy *p, const struct rn_fragment *f, struct rn_err *err)
{
	if (p->payload || !takes_payload(f))
		return 0;
	if (p->payload_line)
		rn_err_set(err, -EPERM, "the policy of this node does not let a query have payload, the field data: %s:%u [E-POLICY]",
			   p->path, p->payload_line);
	else
		rn_err_set(err, -EPERM, "the policy of this node does not let a query have payload, the field data: %s does not "
			   "allow it [E-POLICY]", p->path);
	rn_err_hint(err, "who owns the node can write `payload = allow` into %s; tags, hash and similar() need no leave", p->path);
	return -EPERM;
}
