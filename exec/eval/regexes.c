/* regexes.c - regular expressions over strings that need not end in NUL. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "exec/eval/eval_impl.h"
#include "lang/base/memory.h"
#include "lang/values/regex.h"

const void *rn_eval_regex_new(struct rn_arena *arena, const struct rn_expr *pattern,
			      struct rn_err *err)
{
	regex_t *re = RN_NEW(arena, regex_t);
	const struct rn_value *v = &pattern->value;
	struct rn_err why = {0};
	int r = rn_regex_compile(re, v->s, v->len, &why);

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

bool rn_eval_regex(const void *regex, const struct rn_value *value)
{
	/* with its NUL: not every regexec can find the end of a string without one */
	char text[4096];
	char *copy;
	bool match;

	if (value->len < sizeof(text)) {
		memcpy(text, value->len ? value->s : "", value->len);
		text[value->len] = 0;
		return rn_regex_match(regex, text);
	}
	copy = rn_strndup(value->s, value->len);
	match = rn_regex_match(regex, copy);

	free(copy);
	return match;
}

void rn_eval_regex_free(const void *regex)
{
	regfree((regex_t *)(uintptr_t)regex);
}
