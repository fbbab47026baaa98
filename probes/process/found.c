/* found.c - see found.h. */
#include "probes/process/found.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

/* File systems that ask only the kernel. Some have no name in linux/magic.h. */
static const uint32_t local[] = {
	TMPFS_MAGIC,           RAMFS_MAGIC,
	HUGETLBFS_MAGIC,       EXT4_SUPER_MAGIC,
	XFS_SUPER_MAGIC,       BTRFS_SUPER_MAGIC,
	0xf2f52010 /* F2FS */, SQUASHFS_MAGIC,
	EROFS_SUPER_MAGIC_V1,  CRAMFS_MAGIC,
	ISOFS_SUPER_MAGIC,     MSDOS_SUPER_MAGIC,
	0x2fc12fc1 /* ZFS */,  0xca451a4e /* bcachefs */,
};

/* Is this file system mounted in our own mount namespace, as another kind than FUSE? Its device or
 * its mount (0: neither known) names it: an overlay whose layers are of several file systems has
 * devices for its files that stand in no table. overlay: is it an overlay there? */
static bool is_ours(uint32_t dev, uint64_t mount, bool overlay)
{
	FILE *f = fopen("/proc/self/mountinfo", "re");
	char *line = NULL, want[32];
	size_t room = 0;
	bool ours = false;

	snprintf(want, sizeof(want), "%u:%u", dev >> 20, dev & 0xfffff);
	while (f && !ours && getline(&line, &room, f) > 0) {
		char at[32], *type = strstr(line, " - ");
		unsigned long long id;

		if (!type || sscanf(line, "%llu %*d %31s", &id, at) != 2)
			continue;
		if (strcmp(at, want) != 0 && (!mount || id != mount))
			continue;
		type += 3;
		ours = overlay ? !strncmp(type, "overlay ", 8) : strncmp(type, "fuse", 4) != 0;
		if (!ours)
			break;
	}
	free(line);
	if (f)
		(void)fclose(f);
	return ours;
}

static bool is_local(uint32_t kind)
{
	for (unsigned i = 0; i < sizeof(local) / sizeof(*local); i++)
		if (kind == local[i])
			return true;
	return false;
}

int rn_found_look(int at, uint32_t dev, struct rn_found_kind *kind)
{
	struct statfs fs;
	struct statx x;
	uint64_t mount;
	uint32_t own;
	bool ours;

	/* Neither question reaches a server, not even root's about FUSE. */
	if (fstatfs(at, &fs))
		return -errno;
	if ((uint32_t)fs.f_type == FUSE_SUPER_MAGIC)
		return -EREMOTE;
	if (statx(at, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE | STATX_MNT_ID, &x))
		return -errno;
	mount = x.stx_mask & STATX_MNT_ID ? x.stx_mnt_id : 0;
	kind->mode = x.stx_mode;
	if (is_local((uint32_t)fs.f_type))
		return 0;
	own = x.stx_dev_major << 20 | x.stx_dev_minor;
	if (kind->allowed && kind->allowed == own)
		return 0;
	/* In a mapping, older kernels name the file system below an overlay. */
	if ((uint32_t)fs.f_type == OVERLAYFS_SUPER_MAGIC)
		ours = is_ours(own, mount, true) || (dev && is_ours(dev, 0, true));
	else
		ours = is_ours(dev ? dev : own, 0, false);
	if (!ours)
		return -EREMOTE;
	kind->allowed = own;
	return 0;
}

static int open_at(const char *path, uint32_t dev)
{
	int at = open(path, O_PATH | O_CLOEXEC), r;
	struct rn_found_kind k = {0};
	char self[40];

	if (at < 0)
		return -errno;
	r = rn_found_look(at, dev, &k);
	if (!r && !S_ISREG(k.mode))
		r = -EINVAL;
	if (!r) {
		snprintf(self, sizeof(self), "/proc/self/fd/%d", at);
		r = open(self, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
		if (r < 0)
			r = -errno;
	}
	close(at);
	return r;
}

int rn_found_open(const char *link, uint32_t dev)
{
	return open_at(link, dev);
}

int rn_found_path(int pid, const char *path, uint32_t dev)
{
	struct stat theirs, ours;
	char name[4200];

	snprintf(name, sizeof(name), "/proc/%d/ns/user", pid);
	if (stat(name, &theirs) || stat("/proc/self/ns/user", &ours))
		return -errno;
	if (theirs.st_ino != ours.st_ino)
		return -EREMOTE;
	snprintf(name, sizeof(name), "/proc/%d/root%s", pid, path);
	return open_at(name, dev);
}
