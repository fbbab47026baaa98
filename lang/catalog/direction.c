/* direction.c - which way a call moves data, by its name. */
#include "lang/catalog/direction.h"

#include <string.h>

enum rn_dir rn_call_dir(const char *name, size_t n)
{
	static const struct {
		const char *name;
		size_t n;
		enum rn_dir dir;
	} calls[] = {
#define X(call, dir) {#call, sizeof(#call) - 1, RN_DIR_##dir},
		RN_CALL_DIRS(X)
#undef X
	};

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (calls[i].n == n && !memcmp(calls[i].name, name, n))
			return calls[i].dir;
	return RN_DIR_NONE;
}
