/* btf_image.h - inside probes/: a BTF image (the kernel's, or any in memory) as a sequence of
 * checked types.
 *
 * No offset that these functions return leaves its section. So a damaged image causes an error, not
 * a crash. */
#ifndef RN_PROBES_KERNEL_BTF_IMAGE_H
#define RN_PROBES_KERNEL_BTF_IMAGE_H
#include <linux/btf.h>
#include <stddef.h>
#include <stdint.h>
#include "lang/base/err.h"

struct rn_btf_image {
	const char *types, *strings;
	uint32_t type_len, str_len;
	/* offsets of the types by id, from 1, and their number; NULL until rn_btf_image_find */
	uint32_t *at, n;
	/* a module: the kernel's image, whose types and strings precede its own; else NULL */
	const struct rn_btf_image *base;
	void *map, *copy; /* the kernel's file; NULL if the image is the caller's */
	size_t bytes;
};
int rn_btf_image_parse(struct rn_btf_image *out, const void *image, size_t bytes,
		       struct rn_err *err);

/* ---- btf_kernel.c ---- */

/* Open the running kernel's image: /sys/kernel/btf/vmlinux. */
int rn_btf_image_open(struct rn_btf_image *image, struct rn_err *err);
/* Open a module's image over the kernel's, which has been searched and must stay open. -ENOENT: no
 * such module is loaded, or it is built in. */
int rn_btf_image_open_module(struct rn_btf_image *image, const struct rn_btf_image *base,
			     const char *name, struct rn_err *err);

/* ---- btf_image.c ---- */

void rn_btf_image_close(struct rn_btf_image *image);
const char *rn_btf_image_str(const struct rn_btf_image *image, uint32_t off);
/* Bytes of the type at offset off; 0 if no whole type is there. */
size_t rn_btf_image_type_bytes(const struct rn_btf_image *image, uint32_t off);
static inline const struct btf_type *rn_btf_image_at(const struct rn_btf_image *image, uint32_t off)
{
	return (const struct btf_type *)(image->types + off);
}

/* A type to find by kind (BTF_KIND_*) and name. id: of the first match; 0: there is none. */
struct rn_btf_name {
	const char *name;
	unsigned kind;
	uint32_t id;
};
enum { RN_BTF_NAMES_MAX = 512 };
/* Find the types of name[n] whose id is 0, in one pass over the image (for a module: over its own
 * types). From then on the image knows the place of every type. n: at most RN_BTF_NAMES_MAX. 0,
 * -ENOMEM, or -EBADMSG for a damaged image. */
int rn_btf_image_find(struct rn_btf_image *image, struct rn_btf_name *name, unsigned n);
/* The type with that id, after rn_btf_image_find; NULL: there is none. */
const struct btf_type *rn_btf_image_type(const struct rn_btf_image *image, uint32_t id);
#endif
