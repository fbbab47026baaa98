/* cgroups.c - see cgroups.h. */
#include "probes/kernel/cgroups.h"
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ID_DIGITS = 64 };

/* The first of the last n digits in a row; NULL: there are fewer. */
static const char *id_in(const char *name, size_t n)
{
	const char *found = NULL;
	size_t run = 0;

	for (size_t i = n; i-- > 0 && !found;) {
		run = name[i] && strchr("0123456789abcdefABCDEF", name[i]) ? run + 1 : 0;
		if (run == ID_DIGITS)
			found = name + i;
	}
	return found;
}

static bool is_roots(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && !st.st_uid;
}

void rn_cgroup_container(const char *mount, const char *path, char id[RN_CONTAINER_BYTES])
{
	char name[NAME_MAX + 1];
	int fd, below;

	id[0] = 0;
	if (!id_in(path, strlen(path)))
		return;
	fd = open(mount, O_PATH | O_DIRECTORY | O_CLOEXEC);
	for (; fd >= 0 && is_roots(fd); fd = below) {
		const char *found;
		size_t n;

		path += strspn(path, "/");
		n = strcspn(path, "/");
		/* names above our part of the tree tell nothing */
		if (!n || n > NAME_MAX || (n == 2 && !strncmp(path, "..", 2)))
			break;
		memcpy(name, path, n);
		name[n] = 0;
		path += n;
		below = openat(fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		close(fd);
		found = id_in(name, n);
		if (below < 0)
			return;
		if (found && is_roots(below)) {
			memcpy(id, found, RN_CONTAINER_BYTES - 1);
			id[RN_CONTAINER_BYTES - 1] = 0;
		}
	}
	if (fd >= 0)
		close(fd);
}
