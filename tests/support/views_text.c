/* views_text.c - see views_text.h. A view is found by scanning for `view NAME`. */
#include <stdio.h>
#include <string.h>
#include "tests/support/views_text.h"

static const char *find_view(void *self, const char *name, const char **origin)
{
	const char *text = self;
	size_t n = strlen(name);

	for (const char *p = text; p && (p = strstr(p, "view ")); p += 5) {
		if ((p == text || p[-1] == '\n') && !strncmp(p + 5, name, n) &&
		    strchr("( :", p[5 + n])) {
			static char copy[4096];
			static unsigned turn;
			const char *end;
			size_t len;
			char *slot;

			*origin = "view";
			end = strstr(p, ";\n");
			len = end ? (size_t)(end - p) + 1 : strlen(p);
			/* one view at a time is enough: resolution parses before it asks again */
			slot = copy + (turn++ % 4) * 1024;
			snprintf(slot, 1024, "%.*s", (int)len, p);
			return slot;
		}
	}
	return NULL;
}

static const char *const *view_names(void *self)
{
	static const char *const none[] = {NULL};

	(void)self;
	return none;
}

struct rn_views rn_views_text(const char *text)
{
	return (struct rn_views){
		.self = (void *)(uintptr_t)text, .find = find_view, .names = view_names};
}
