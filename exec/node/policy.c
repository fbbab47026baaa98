/* policy.c - see policy.h. */
#include "exec/node/policy.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lang/values/glob.h"
#include "exec/node/policy_payload_impl.h"
#include "lang/base/nearest.h"

static int set_payload(struct rn_policy *p, int which, const char *value, unsigned line)
{
	(void)which;
	p->payload = !strcmp(value, "allow") ? RN_PAYLOAD_ALLOW : RN_PAYLOAD_DENY;
	p->payload_line = line;
	return p->payload == RN_PAYLOAD_ALLOW || !strcmp(value, "deny") ? 0 : -EINVAL;
}

static int set_file(struct rn_policy *p, int which, const char *value, unsigned line)
{
	(void)which;
	if (*value != '/' || strlen(value) >= sizeof(p->hash_key.path))
		return -EINVAL;
	snprintf(p->hash_key.path, sizeof(p->hash_key.path), "%s", value);
	p->hash_key.line = line;
	return 0;
}

static int set_limit(struct rn_policy *p, int which, const char *value, unsigned line)
{
	char *end;
	long long n;

	errno = 0;
	n = strtoll(value, &end, 10);
	if (errno || *end || *value < '0' || *value > '9' || n < 1 || n > 1000000000000)
		return -EINVAL;
	p->limit[which].max = n;
	p->limit[which].line = line;
	return 0;
}

/* Returns the element of a list at *at, n bytes. Moves *at behind its comma, or sets it to NULL
 * after the last one. NULL: no element. */
static const char *next_name(const char **at, size_t *n)
{
	const char *s = *at + strspn(*at, " \t"), *end, *after;

	if (*s == '"') {
		end = strchr(++s, '"');
		after = end ? end + 1 + strspn(end + 1, " \t") : NULL;
	} else {
		after = end = s + strcspn(s, ",");
		while (end > s && strchr(" \t", end[-1]))
			end--;
	}
	if (!after || end == s || (*after && *after != ','))
		return NULL;
	*at = *after ? after + 1 : NULL;
	*n = (size_t)(end - s);
	return s;
}

/* how many bytes longer the present name of a class may be: rn_class_now */
enum { LONGER = 8 };

static int add_names(struct rn_policy *policy, int which, const char *value, unsigned line)
{
	char *to = policy->list[which].text;
	size_t used = strlen(to), n;
	const char *item;

	do {
		item = next_name(&value, &n);
		if (!item)
			return -EINVAL;
		if (used + n + 2 + LONGER > sizeof(policy->list[which].text))
			return -E2BIG;
		memcpy(to + used, item, n);
		to[used + n] = 0;
		if (which == RN_LIST_CLASSES && rn_class_now(to + used) != to + used) {
			item = rn_class_now(to + used);
			memcpy(to + used, item, strlen(item) + 1);
		}
		used += strlen(to + used);
		to[used++] = '\n';
		to[used] = 0;
	} while (value);
	if (!policy->list[which].line)
		policy->list[which].line = line;
	return 0;
}

static const char number[] = "a whole number from 1 on",
		  names[] = "a list of names and globs, with commas between",
		  globs[] = "a list of globs, with commas between, in quotes if they hold blanks",
		  file[] = "the path of a file, from / on";
static const struct {
	const char *key;
	/* -EINVAL: no such value; -E2BIG: too many */
	int (*set)(struct rn_policy *p, int which, const char *value, unsigned line);
	int which;
	const char *values;
} keys[] = {
	{"payload", set_payload, 0, "allow or deny"},
	{"tags", add_names, RN_LIST_TAGS, globs},
	{"hash_key", set_file, 0, file},
	{"ask", add_names, RN_LIST_ASK, names},
	{"classes", add_names, RN_LIST_CLASSES, names},
	{"max_queries", set_limit, RN_MAX_QUERIES, number},
	{"max_events", set_limit, RN_MAX_EVENTS, number},
	{"max_cpu", set_limit, RN_MAX_CPU, number},
	{"max_memory", set_limit, RN_MAX_MEMORY, number},
	{"max_seconds", set_limit, RN_MAX_SECONDS, number},
	{"max_groups", set_limit, RN_MAX_ALL_GROUPS, number},
};
#define NKEYS (sizeof(keys) / sizeof(*keys))

const char *rn_policy_limit_name(enum rn_policy_limit l)
{
	for (size_t i = 0; i < NKEYS; i++)
		if (keys[i].set == set_limit && keys[i].which == (int)l)
			return keys[i].key;
	return "?";
}

static char *trim(char *s)
{
	char *end = s + strlen(s);

	while (end > s && strchr(" \t\r\n", end[-1]))
		*--end = 0;
	return s + strspn(s, " \t");
}

static int unknown_key(const struct rn_policy *policy, unsigned line, const char *key,
		       struct rn_err *err)
{
	const char *known[NKEYS + 1] = {0}, *near;
	char all[200] = "";

	for (size_t i = 0; i < NKEYS; i++) {
		known[i] = keys[i].key;
		snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s", i ? ", " : "",
			 keys[i].key);
	}
	rn_err_set(err, -EINVAL, "%s:%u: `%.60s` is no key of a policy [E-POLICY]", policy->path,
		   line, key);
	near = rn_nearest(key, known);
	if (near)
		rn_err_hint(err, "did you mean `%s`?", near);
	else
		rn_err_hint(err, "there are %s", all);
	return -EINVAL;
}

static int parse_line(struct rn_policy *policy, char *text, unsigned line, struct rn_err *err)
{
	char *s = trim(text), *eq = strchr(s, '='), *key, *value;

	if (!*s || *s == '#')
		return 0;
	if (!eq) {
		rn_err_set(err, -EINVAL, "%s:%u: `%.60s` is not `key = value` [E-POLICY]",
			   policy->path, line, s);
		rn_err_hint(err, "for instance `payload = deny`");
		return -EINVAL;
	}
	*eq = 0;
	key = trim(s);
	value = trim(eq + 1);
	for (size_t i = 0; i < NKEYS; i++) {
		int r;

		if (strcmp(key, keys[i].key))
			continue;
		r = keys[i].set(policy, keys[i].which, value, line);

		if (!r)
			return 0;
		if (r == -E2BIG)
			return rn_err_set(err, r,
					  "%s:%u: `%s` is too long a list, more than %zu bytes: "
					  "use globs [E-POLICY]",
					  policy->path, line, key,
					  sizeof(policy->list[0].text) - 1);
		return rn_err_set(err, -EINVAL, "%s:%u: `%s` is %s, not `%.60s` [E-POLICY]",
				  policy->path, line, key, keys[i].values, value);
	}
	return unknown_key(policy, line, key, err);
}

/* Refuses lines that need another line: their owner believes that something is closed. */
static int check_whole(const struct rn_policy *p, struct rn_err *err)
{
	const unsigned tags = p->list[RN_LIST_TAGS].line, key = p->hash_key.line,
		       line = tags ? tags : key;

	if (p->payload == RN_PAYLOAD_DENY || !line)
		return 0;
	rn_err_set(err, -EINVAL, "%s:%u: `%s` holds only with `payload = deny` [E-POLICY]", p->path,
		   line, tags ? "tags" : "hash_key");
	rn_err_hint(err, "write `payload = deny` into it, or leave the line out");
	return -EINVAL;
}

int rn_policy_load(struct rn_policy *policy, struct rn_err *err)
{
	const char *own = getenv("RUNNEL_POLICY");
	char text[512];
	unsigned line = 0;
	int r = 0;
	FILE *f;

	*policy = (struct rn_policy){.path = own && *own ? own : RN_POLICY_FILE};
	f = fopen(policy->path, "re");
	if (!f && (errno == ENOENT || errno == ENOTDIR))
		return 0;
	if (!f) {
		r = -errno;
		return rn_err_set(err, r,
				  "the policy of this node, %s, cannot be read: %s [E-POLICY]",
				  policy->path, strerror(-r));
	}
	while (!r && fgets(text, sizeof(text), f)) {
		line++;
		if (!strchr(text, '\n') && !feof(f))
			r = rn_err_set(err, -EINVAL,
				       "%s:%u: a line of more than %zu bytes [E-POLICY]",
				       policy->path, line, sizeof(text) - 2);
		else
			r = parse_line(policy, text, line, err);
	}
	if (!r && ferror(f)) {
		r = errno ? -errno : -EIO;
		rn_err_set(err, r, "the policy of this node, %s, cannot be read: %s [E-POLICY]",
			   policy->path, strerror(-r));
	}
	(void)fclose(f);
	return r ? r : check_whole(policy, err);
}

/* Does one of the list's globs match? */
static bool listed(const char *list, const char *text, size_t n)
{
	for (const char *end; (end = strchr(list, '\n')); list = end + 1)
		if (rn_glob(list, (size_t)(end - list), text, n))
			return true;
	return false;
}

bool rn_policy_admits(const struct rn_policy *policy, struct rn_tag tag)
{
	return listed(policy->list[RN_LIST_TAGS].text, tag.bytes, tag.len);
}

static int check_list(const struct rn_policy *p, enum rn_policy_list l, const char *text,
		      const char *who, const char *key, struct rn_err *err)
{
	if (!p->list[l].line || listed(p->list[l].text, text, strlen(text)))
		return 0;
	rn_err_set(err, -EPERM,
		   "the policy of this node does not let %s%.100s%.100s: %s:%u [E-POLICY]", who,
		   l == RN_LIST_ASK ? text : "", l == RN_LIST_ASK ? " ask" : text, p->path,
		   p->list[l].line);
	rn_err_hint(err, "the owner of the node can add the line `%s = %s` to %s", key, text,
		    p->path);
	return -EPERM;
}

/* ---- functions of programs and of the kernel ----
 *
 * A glob of the query is allowed by an element that ends with `*` and begins as the query's does up
 * to its first wildcard: `user /opt/app:*` allows "/opt/app:do_*", and `user /opt/app:do_?` does
 * not. A path with `..` is none that an element means. */

static bool covers(const char *element, size_t n, const char *text)
{
	size_t plain = strcspn(text, "*?[");

	if (!text[plain])
		return rn_glob(element, n, text, plain);
	return n && element[n - 1] == '*' && n - 1 <= plain && !memchr(element, '*', n - 1) &&
	       !memchr(element, '?', n - 1) && !memchr(element, '[', n - 1) &&
	       !memcmp(element, text, n - 1);
}

static bool names_functions(const struct rn_policy *p, const char *text)
{
	const char *list = p->list[RN_LIST_CLASSES].text;

	if (strstr(text, "/../"))
		return false;
	for (const char *end; (end = strchr(list, '\n')); list = end + 1)
		if (covers(list, (size_t)(end - list), text))
			return true;
	return false;
}

/* Others may have them only if the policy names them: of all that is traced, they show most of what
 * a program does. */
static int check_functions(const struct rn_policy *p, const struct rn_class *c, bool others,
			   struct rn_err *err)
{
	unsigned line = p->list[RN_LIST_CLASSES].line;
	char text[4200];

	for (const char *part = c->arg, *end; part && (line || others);
	     part = *end ? end + 2 : NULL) {
		int n;

		end = part + rn_glob_in_list(part);
		n = snprintf(text, sizeof(text), "%s %.*s", c->name, (int)(end - part), part);
		/* an element is never compared with a part of the text */
		if (n < (int)sizeof(text) && names_functions(p, text))
			continue;
		if (line)
			rn_err_set(err, -EPERM,
				   "the policy of this node does not let a query have events of "
				   "the class %.200s: %s:%u [E-POLICY]",
				   text, p->path, line);
		else
			rn_err_set(err, -EPERM,
				   "this node lets others trace functions only if its policy names "
				   "them [E-POLICY]");
		rn_err_hint(err,
			    "the owner of the node can add the line `classes = %.200s` to %s%s",
			    text, p->path,
			    line ? "" : "; then it lists all classes that a query may have");
		return -EPERM;
	}
	return 0;
}

/* Checks the class as this node's catalogue has it, not as the query names it; for a glob, each
 * class that it matches; for a list, each of its classes. others: the query is not the node's. */
static int check_class(const struct rn_policy *p, const struct rn_class *c, struct rn_span span,
		       bool others, struct rn_err *err)
{
	const char *const one[] = {c->arg, NULL}, *const *v = c->each ? c->each : one;
	char name[300];
	int r = 0;

	for (const struct rn_class *const *m = c->list; m && *m && !r; m++)
		r = check_class(p, *m, span, others, err);
	if (c->list)
		return r;
	if (rn_class_of_functions(c->name)) {
		r = check_functions(p, c, others, err);
		if (r)
			err->span = span;
		return r;
	}
	do {
		snprintf(name, sizeof(name), "%s%s%s", c->name, *v ? " " : "", *v ? *v : "");
		r = check_list(p, RN_LIST_CLASSES, name, "a query have events of the class ",
			       "classes", err);
	} while (!r && *v && *++v);
	if (r)
		err->span = span;
	return r;
}

int rn_policy_ask(const struct rn_policy *policy, const char *asker, struct rn_err *err)
{
	return check_list(policy, RN_LIST_ASK, *asker ? asker : "(nobody)", "", "ask", err);
}

static int check_fragment(const struct rn_policy *policy, const struct rn_fragment *fragment,
			  bool others, struct rn_err *err)
{
	const struct rn_class *cls[] = {fragment->cls->pair ? fragment->cls->pair->end[0]
							    : fragment->cls,
					fragment->cls->pair ? fragment->cls->pair->end[1] : NULL};
	int r = 0;

	for (unsigned i = 0; i < 2 && cls[i] && !r; i++)
		r = check_class(policy, cls[i],
				fragment->ends ? fragment->ends[i].span : fragment->span, others,
				err);
	for (unsigned i = 0; i < fragment->nlive && !r; i++) {
		r = check_fragment(policy, fragment->live[i]->exec, others, err);
		if (!r && fragment->live[i]->begin)
			r = check_fragment(policy, fragment->live[i]->begin, others, err);
	}
	return r ? r : rn_policy_check_payload(policy, fragment, err);
}

int rn_policy_check(const struct rn_policy *policy, const struct rn_fragment *fragment,
		    const char *asker, struct rn_err *err)
{
	int r = asker ? rn_policy_ask(policy, asker, err) : 0;

	return r ? r : check_fragment(policy, fragment, asker != NULL, err);
}

int rn_policy_room(const struct rn_policy *policy, unsigned running, struct rn_err *err)
{
	const int64_t max = policy->limit[RN_MAX_QUERIES].max;

	if (!policy->limit[RN_MAX_QUERIES].line || running < max)
		return 0;
	rn_err_set(err, -EBUSY,
		   "the policy of this node lets %lld quer%s run at a time, and so many do: %s:%u "
		   "[E-POLICY]",
		   (long long)max, max == 1 ? "y" : "ies", policy->path,
		   policy->limit[RN_MAX_QUERIES].line);
	rn_err_hint(err, "ask again when one of them has ended, or raise `max_queries` there");
	return -EBUSY;
}

int rn_policy_cap(const struct rn_policy *policy, struct rn_fragment *fragment, struct rn_err *err)
{
	const int64_t max = policy->limit[RN_MAX_ALL_GROUPS].max;

	if (policy->limit[RN_MAX_ALL_GROUPS].line &&
	    (!fragment->max_groups || fragment->max_groups > max))
		fragment->max_groups = (uint32_t)max;
	fragment->counted |= policy->limit[RN_MAX_EVENTS].line != 0;
	return rn_policy_withhold(policy, fragment, err);
}
