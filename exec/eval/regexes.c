/* regexes.c - regular expressions over strings that need not end in NUL. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "exec/eval/eval_impl.h"
#include "lang/base/memory.h"
#include "lang/values/regex.h"

const void *rn_eval_regex_new(struct rn_arena *arena, const struct rn_expr *pattern, bool groups,
			      struct rn_err *err)
{
	regex_t *re = RN_NEW(arena, regex_t);
	const struct rn_value *v = &pattern->value;
	struct rn_err why = {0};
	int r = groups ? rn_regex_compile_groups(re, v->s, v->len, &why)
		       : rn_regex_compile(re, v->s, v->len, &why);

	if (!r)
		return re;
	rn_err_set(err, r, "`%.60s%s` is not taken as a regular expression: %s [%s]",
		   rn_arena_strndup(arena, v->s, v->len), v->len > 60 ? "..." : "", why.text,
		   r == -E2BIG ? "E-LIMIT-REGEX" : "E-TYPE");
	if (*why.hint)
		rn_err_hint(err, "%s", why.hint);
	err->span = pattern->span;
	return NULL;
}

/* The text with its NUL, as not every regexec can find the end of a string without one: in buf, or,
 * if that is too small, from malloc. */
static char *ended(const struct rn_value *value, char *buf, size_t cap)
{
	if (value->len >= cap)
		return rn_strndup(value->s, value->len);
	memcpy(buf, value->len ? value->s : "", value->len);
	buf[value->len] = 0;
	return buf;
}

bool rn_eval_regex(const void *regex, const struct rn_value *value)
{
	char buf[4096], *text = ended(value, buf, sizeof(buf));
	bool match = rn_regex_match(regex, text);

	if (text != buf)
		free(text);
	return match;
}

struct rn_value rn_eval_regex_find(const void *regex, const struct rn_value *value)
{
	char buf[4096], *text = ended(value, buf, sizeof(buf));
	size_t from, to;
	bool match = rn_regex_find(regex, text, &from, &to);

	if (text != buf)
		free(text);
	return match ? rn_strn(value->s + from, to - from) : rn_strn("", 0);
}

void rn_eval_regex_free(const void *regex)
{
	regfree((regex_t *)(uintptr_t)regex);
}
