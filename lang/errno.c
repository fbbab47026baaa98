/* errno.c - error numbers by name. The names come from libc, which knows those of this architecture. */
#include <errno.h>
#include <string.h>
#include "lang/types.h"

#define LAST_ERRNO 133

static const struct {
	const char *name;
	int number;
} alias[] = {{"EWOULDBLOCK", EWOULDBLOCK}, {"EDEADLOCK", EDEADLOCK}, {"ENOTSUP", ENOTSUP}};

int rn_errno_parse(const char *s, size_t n)
{
	if (n < 2 || s[0] != 'E')
		return 0;
	for (int e = 1; e <= LAST_ERRNO; e++) {
		const char *name = rn_errno_name(e);

		if (name && strlen(name) == n && !memcmp(name, s, n))
			return e;
	}
	for (size_t i = 0; i < sizeof(alias) / sizeof(*alias); i++)
		if (strlen(alias[i].name) == n && !memcmp(alias[i].name, s, n))
			return alias[i].number;
	return 0;
}

const char *rn_errno_name(int e)
{
	return e > 0 ? strerrorname_np(e) : NULL;
}
