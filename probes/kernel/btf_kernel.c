/* btf_kernel.c - the running kernel's types: files below /sys/kernel/btf, opened and read for
 * btf_image.h, btf.h and btf_subset.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "lang/base/memory.h"
#include "probes/kernel/btf_image.h"
#include "probes/kernel/btf_subset.h"

static int open_path(struct rn_btf_image *image, const char *path, struct rn_err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), ret;
	struct stat st;
	size_t got = 0;
	size_t bytes;
	void *map;
	char *copy;

	if (fd < 0) {
		ret = -errno;
		rn_err_set(err, ret, "the kernel's type information cannot be opened: %s: %s", path,
			   strerror(-ret));
		rn_err_hint(err, "the kernel must be built with CONFIG_DEBUG_INFO_BTF=y");
		return ret;
	}
	if (fstat(fd, &st) || st.st_size <= 0) {
		close(fd);
		return rn_err_set(err, -EIO, "%s is empty", path);
	}
	bytes = (size_t)st.st_size;
	/* Kernels from 6.16 on allow mapping it; for others we copy it. */
	map = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
	copy = map == MAP_FAILED ? rn_malloc(bytes) : NULL;
	while (copy && got < bytes) {
		ssize_t r = read(fd, copy + got, bytes - got);

		if (r <= 0)
			break;
		got += (size_t)r;
	}
	close(fd);
	if (map == MAP_FAILED && got < bytes)
		ret = rn_err_set(err, -EIO, "%s cannot be read", path);
	else
		ret = rn_btf_image_parse(image, copy ? copy : map, bytes, err);
	image->map = map == MAP_FAILED ? NULL : map;
	image->copy = copy;
	image->bytes = bytes;
	if (ret)
		rn_btf_image_close(image);
	return ret;
}

int rn_btf_image_open(struct rn_btf_image *image, struct rn_err *err)
{
	return open_path(image, "/sys/kernel/btf/vmlinux", err);
}

int rn_btf_image_open_module(struct rn_btf_image *image, const struct rn_btf_image *base,
			     const char *name, struct rn_err *err)
{
	char path[64];
	int ret;

	snprintf(path, sizeof(path), "/sys/kernel/btf/%s", name);
	ret = open_path(image, path, err);
	image->base = base;
	return ret;
}

int rn_btf_read(struct rn_btf *btf, const struct rn_btf_trace *want, unsigned nwant,
		struct rn_err *err)
{
	struct rn_btf_image m;
	int ret = rn_btf_image_open(&m, err);

	if (ret)
		return ret;
	ret = rn_btf_take(btf, &m, want, nwant, err);
	rn_btf_image_close(&m);
	return ret;
}

uint32_t rn_btf_find(const char *name, unsigned kind)
{
	struct rn_btf_name v = {name, kind, 0};
	struct rn_btf_image m;

	if (rn_btf_image_open(&m, NULL))
		return 0;
	rn_btf_image_find(&m, &v, 1);
	rn_btf_image_close(&m);
	return v.id;
}

void rn_btf_subset_of(struct rn_btf_subset *subset, const struct rn_btf *btf,
		      const struct rn_btf_image *kernel)
{
	struct rn_btf_image fuse;
	struct rn_err none = {0};
	bool is_module = !rn_btf_image_open_module(&fuse, kernel, "fuse", &none);

	rn_btf_subset_make(subset, btf, kernel, is_module ? &fuse : NULL);
	if (is_module)
		rn_btf_image_close(&fuse);
}

int rn_btf_subset_read(struct rn_btf_subset *subset, struct rn_err *err)
{
	struct rn_btf_image m;
	struct rn_btf b;
	int ret = rn_btf_image_open(&m, err);

	memset(subset, 0, sizeof(*subset));
	if (ret)
		return ret;
	ret = rn_btf_take(&b, &m, NULL, 0, err);
	if (!ret)
		rn_btf_subset_of(subset, &b, &m);
	rn_btf_image_close(&m);
	return ret;
}

bool rn_btf_subset_stale(const struct rn_btf_subset *subset)
{
	return subset->no_fuse && !access("/sys/kernel/btf/fuse", R_OK);
}

int rn_btf_subset_file(const struct rn_btf_subset *subset, struct rn_err *err)
{
	int fd = memfd_create("btf", MFD_CLOEXEC), ret = fd < 0 ? -errno : 0;

	if (!ret && write(fd, subset->image, subset->bytes) != (ssize_t)subset->bytes)
		ret = -EIO;
	if (!ret)
		return fd;
	if (fd >= 0)
		close(fd);
	return rn_err_set(err, ret, "a part of the kernel's type information cannot be kept: %s",
			  strerror(-ret));
}
