/* user_text.c - the texts from which files and functions are found: the argument of a query, and
 * the loader's cache. The cache's format is that of glibc: elf/cache.c, sysdeps/generic/dl-cache.h.
 */
#include <string.h>
#include "lang/values/glob.h"
#include "probes/uprobe/user_impl.h"

char *rn_user_part(char **rest)
{
	char *part = *rest, *end = part ? part + rn_glob_in_list(part) : NULL;

	*rest = end && *end ? end + 2 : NULL;
	if (end)
		*end = 0;
	return part;
}

char *rn_user_split(char *part)
{
	char *to = part;

	for (char *p = part; *p; p++) {
		if (*p == ':') {
			*to = 0;
			return p + 1;
		}
		if (*p == '\\' && p[1] == ':')
			p++;
		*to++ = *p;
	}
	return NULL;
}

struct cache_head { /* cache_file_new of glibc */
	char magic[20];
	uint32_t n, len_strings, unused[5];
};
struct cache_entry {
	int32_t flags;
	uint32_t key, value, os;
	uint64_t hwcap;
};

void rn_user_each_cached(const char *text, size_t n, void (*take)(void *self, const char *path),
			 void *self)
{
	struct cache_head head;
	struct cache_entry e;

	if (n < sizeof(head) || memcmp(text, "glibc-ld.so.cache1.1", sizeof(head.magic)) != 0)
		return;
	memcpy(&head, text, sizeof(head));
	for (uint32_t i = 0; i < head.n && sizeof(head) + (i + 1ULL) * sizeof(e) <= n; i++) {
		memcpy(&e, text + sizeof(head) + i * sizeof(e), sizeof(e));
		if (e.value < n && memchr(text + e.value, 0, n - e.value))
			take(self, text + e.value);
	}
}
