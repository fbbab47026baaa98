/* btf_image.c - see btf_image.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "probes/btf_image.h"

const char *rn_btf_image_str(const struct rn_btf_image *m, uint32_t off)
{
	return off < m->str_len ? m->strings + off : "";
}

/* Bytes of a type's description; 0 for a kind that is not known. */
static size_t description_bytes(const struct btf_type *t)
{
	size_t n = BTF_INFO_VLEN(t->info), head = sizeof(*t);

	switch (BTF_INFO_KIND(t->info)) {
	case BTF_KIND_INT: case BTF_KIND_VAR: case BTF_KIND_DECL_TAG: return head + 4;
	case BTF_KIND_ARRAY: return head + sizeof(struct btf_array);
	case BTF_KIND_STRUCT: case BTF_KIND_UNION: return head + n * sizeof(struct btf_member);
	case BTF_KIND_ENUM: return head + n * sizeof(struct btf_enum);
	case BTF_KIND_FUNC_PROTO: return head + n * sizeof(struct btf_param);
	case BTF_KIND_DATASEC: return head + n * sizeof(struct btf_var_secinfo);
	case BTF_KIND_ENUM64: return head + n * 12;
	case BTF_KIND_PTR: case BTF_KIND_FWD: case BTF_KIND_TYPEDEF: case BTF_KIND_VOLATILE: case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT: case BTF_KIND_FUNC: case BTF_KIND_FLOAT: case BTF_KIND_TYPE_TAG: return head;
	default: return 0;
	}
}

size_t rn_btf_image_type_bytes(const struct rn_btf_image *m, uint32_t off)
{
	size_t room = off < m->type_len ? m->type_len - off : 0, n;

	if (room < sizeof(struct btf_type))
		return 0;
	n = description_bytes(rn_btf_image_at(m, off));
	return n <= room ? n : 0;
}

int rn_btf_image_index(const struct rn_btf_image *m, uint32_t **at)
{
	uint32_t n = 0, *v = malloc((m->type_len / sizeof(struct btf_type) + 2) * sizeof(*v));

	*at = v;
	if (!v)
		return -ENOMEM;
	for (uint32_t off = 0; off < m->type_len;) {
		size_t bytes = rn_btf_image_type_bytes(m, off);
		if (!bytes) {
			free(v);
			*at = NULL;
			return -EBADMSG;
		}
		v[++n] = off;
		off += (uint32_t)bytes;
	}
	return (int)n;
}

int rn_btf_image_parse(struct rn_btf_image *m, const void *image, size_t bytes, struct rn_err *err)
{
	const struct btf_header *h = image;

	memset(m, 0, sizeof(*m));
	if (bytes < sizeof(*h) || h->magic != BTF_MAGIC || h->hdr_len < sizeof(*h) || h->hdr_len > bytes)
		return rn_err_set(err, -EBADMSG, "the kernel's type information (BTF) has a bad header");
	size_t room = bytes - h->hdr_len;
	if (h->type_off > room || h->type_len > room - h->type_off || h->str_off > room || h->str_len > room - h->str_off ||
	    (h->hdr_len + h->type_off) % 4 || !h->str_len)
		return rn_err_set(err, -EBADMSG, "the kernel's type information (BTF) has a section out of bounds");
	m->types = (const char *)image + h->hdr_len + h->type_off;
	m->type_len = h->type_len;
	m->strings = (const char *)image + h->hdr_len + h->str_off;
	m->str_len = h->str_len;
	if (m->strings[m->str_len - 1])
		return rn_err_set(err, -EBADMSG, "the kernel's type information (BTF) has an unfinished string");
	return 0;
}

static int open_path(struct rn_btf_image *m, const char *path, struct rn_err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), ret;
	struct stat st;
	size_t got = 0;

	if (fd < 0) {
		ret = -errno;
		rn_err_set(err, ret, "the kernel's type information cannot be opened: %s: %s", path, strerror(-ret));
		rn_err_hint(err, "the kernel must be built with CONFIG_DEBUG_INFO_BTF=y");
		return ret;
	}
	if (fstat(fd, &st) || st.st_size <= 0) {
		close(fd);
		return rn_err_set(err, -EIO, "%s is empty", path);
	}
	size_t bytes = (size_t)st.st_size;
	/* Kernels from 6.16 on let it be mapped; others make us copy. */
	void *map = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
	char *copy = map == MAP_FAILED ? malloc(bytes) : NULL;
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
		ret = rn_btf_image_parse(m, copy ? copy : map, bytes, err);
	m->map = map == MAP_FAILED ? NULL : map;
	m->copy = copy;
	m->bytes = bytes;
	if (ret)
		rn_btf_image_close(m);
	return ret;
}

int rn_btf_image_open(struct rn_btf_image *m, struct rn_err *err)
{
	return open_path(m, "/sys/kernel/btf/vmlinux", err);
}

int rn_btf_image_open_module(struct rn_btf_image *m, const char *name, struct rn_err *err)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/kernel/btf/%s", name);
	return open_path(m, path, err);
}

void rn_btf_image_close(struct rn_btf_image *m)
{
	if (m->map)
		munmap(m->map, m->bytes);
	free(m->copy);
	memset(m, 0, sizeof(*m));
}
