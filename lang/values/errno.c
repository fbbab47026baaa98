/* errno.c - error numbers by name. libc knows the names for this architecture. The numbers above
 * are the kernel's own (include/linux/errno.h): programs never see them, but an observer of the end
 * of a system call does, as with strace. */
#include <errno.h>
#include <string.h>
#include "lang/values/value.h"

enum { KERNEL_FIRST = 512 };

static const char *const kernel[] = {
	"ERESTARTSYS",
	"ERESTARTNOINTR",
	"ERESTARTNOHAND",
	"ENOIOCTLCMD",
	"ERESTART_RESTARTBLOCK",
	"EPROBE_DEFER",
	"EOPENSTALE",
	"ENOPARAM",
	NULL,
	"EBADHANDLE",
	"ENOTSYNC",
	"EBADCOOKIE",
	"ENOTSUPP",
	"ETOOSMALL",
	"ESERVERFAULT",
	"EBADTYPE",
	"EJUKEBOX",
	"EIOCBQUEUED",
	"ERECALLCONFLICT",
	"ENOGRACE",
};
_Static_assert(KERNEL_FIRST + sizeof(kernel) / sizeof(*kernel) == RN_ERRNO_END,
	       "the table has a name for each number");

static const struct {
	const char *name;
	int number;
} alias[] = {{"EWOULDBLOCK", EWOULDBLOCK}, {"EDEADLOCK", EDEADLOCK}, {"ENOTSUP", ENOTSUP}};

int rn_errno_parse(const char *s, size_t n)
{
	if (n < 2 || s[0] != 'E')
		return 0;
	for (int e = 1; e < RN_ERRNO_END; e++) {
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
	if (e >= KERNEL_FIRST && e < RN_ERRNO_END)
		return kernel[e - KERNEL_FIRST];
	return e > 0 ? strerrorname_np(e) : NULL;
}
