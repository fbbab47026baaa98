/* fuzz_where.c - libFuzzer target of texts that name files and functions. If the input begins with
 * a zero, the rest is a loader's cache; else it is the argument of a query. A path of the cache
 * lies in it and ends there; parts of an argument do not overlap, and have a glob behind a colon.
 */
#include "probes/uprobe/user_impl.h"
#include "tests/fuzz/fuzz.h"

struct cache {
	const char *text;
	size_t n;
	unsigned paths;
};

static void take(void *self, const char *path)
{
	struct cache *c = self;

	MUST(path >= c->text && path < c->text + c->n);
	MUST(strnlen(path, (size_t)(c->text + c->n - path)) < (size_t)(c->text + c->n - path));
	c->paths++;
}

static void argument(char *text, size_t n)
{
	char *rest = text, *part, *last = text - 1, *glob;
	size_t bytes;

	while ((part = rn_user_part(&rest))) {
		MUST(part > last && part <= text + n);
		bytes = strlen(part);
		glob = rn_user_split(part);
		MUST(!glob || (glob > part && glob <= part + bytes && strlen(part) < bytes));
		last = part;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct cache c = {.text = (const char *)data + 1, .n = n ? n - 1 : 0};
	char *text;

	if (!n)
		return 0;
	if (!*data) {
		rn_user_each_cached(c.text, c.n, take, &c);
		MUST(c.paths <= c.n / 24);
		return 0;
	}
	text = fuzz_text(data, n);
	argument(text, strlen(text));
	free(text);
	return 0;
}
