/* owner.c - see owner.h. The kernel tells by ioctl which user made a namespace, and which namespace
 * is above it (ioctl_ns(2)). */
#include "probes/process/owner.h"
#include "lang/base/memory.h"
#include "lang/base/vec.h"
#include <fcntl.h>
#include <linux/nsfs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static uint64_t inode_of(int dir, const char *path)
{
	struct stat st;

	return fstatat(dir, path, &st, 0) ? 0 : st.st_ino;
}

static uint64_t own_namespace(struct rn_owners *o)
{
	if (!o->self)
		o->self = inode_of(AT_FDCWD, "/proc/self/ns/user");
	return o->self;
}

/* The effective user id; false: the process is gone. */
static bool read_uid(int proc, uint64_t *uid)
{
	int fd = openat(proc, "status", O_RDONLY | O_CLOEXEC);
	char text[1024], *at;
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	char *real, *effective;

	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return false;
	text[n] = 0;
	at = strstr(text, "\nUid:"); /* a name cannot contain this: its line ends are escaped */
	if (!at)
		return false;
	(void)strtoul(at + strlen("\nUid:"), &real, 10);
	*uid = strtoul(real, &effective, 10);
	return effective > real;
}

/* Climb from a user namespace to the outermost one below ours; return that one's owner. Takes the
 * descriptor. */
static bool climb(struct rn_owners *owners, int fd, uint64_t *owner)
{
	struct stat st;
	uid_t uid;
	bool ok;

	for (;;) {
		int up = ioctl(fd, NS_GET_PARENT);

		if (up < 0)
			break;
		if (fstat(up, &st) || st.st_ino == own_namespace(owners)) {
			close(up);
			break;
		}
		close(fd);
		fd = up;
	}
	ok = !ioctl(fd, NS_GET_OWNER_UID, &uid) && !fstat(fd, &st);
	if (ok)
		*owner = uid ? uid : st.st_ino | UINT64_C(1) << 32;
	close(fd);
	return ok;
}

/* The owner of a user namespace that is not ours. Takes the descriptor. */
static bool owner_of(struct rn_owners *owners, int fd, uint64_t ino, uint64_t *owner)
{
	for (unsigned i = 0; i < owners->n; i++)
		if (owners->list[i].ino == ino) {
			*owner = owners->list[i].owner;
			close(fd);
			return true;
		}
	if (!climb(owners, fd, owner))
		return false;
	rn_vec_room(owners->list, owners->n, owners->cap);
	owners->list[owners->n].ino = ino;
	owners->list[owners->n++].owner = *owner;
	return true;
}

bool rn_owner_is_plain(struct rn_owners *owners, int proc)
{
	uint64_t ino = inode_of(proc, "ns/user");

	return ino && ino == own_namespace(owners);
}

bool rn_owner_of_process(struct rn_owners *owners, int proc, uint64_t *owner)
{
	uint64_t ino = inode_of(proc, "ns/user");
	int fd;

	if (ino && ino != own_namespace(owners)) {
		fd = openat(proc, "ns/user", O_RDONLY | O_CLOEXEC);
		if (fd >= 0 && owner_of(owners, fd, ino, owner))
			return true;
	}
	return read_uid(proc, owner);
}

bool rn_owner_of_mounts(struct rn_owners *owners, int proc, uint64_t *owner)
{
	int fd = openat(proc, "ns/mnt", O_RDONLY | O_CLOEXEC),
	    user = fd < 0 ? -1 : ioctl(fd, NS_GET_USERNS);
	struct stat st;

	if (fd >= 0)
		close(fd);
	if (user < 0)
		return rn_owner_of_process(owners, proc, owner);
	if (fstat(user, &st)) {
		close(user);
		return false;
	}
	if (st.st_ino != own_namespace(owners))
		return owner_of(owners, user, st.st_ino, owner);
	close(user);
	*owner = RN_OWNER_ROOT;
	return true;
}

void rn_owners_free(struct rn_owners *owners)
{
	free(owners->list);
	*owners = (struct rn_owners){0};
}
