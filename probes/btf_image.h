/* btf_image.h - inside probes/: a BTF image (the kernel's, or any in memory) as a sequence of checked types.
 *
 * No offset that these functions give leaves its section, so that a damaged image gives an error, not a crash. */
#ifndef RN_PROBES_BTF_IMAGE_H
#define RN_PROBES_BTF_IMAGE_H
#include <linux/btf.h>
#include <stddef.h>
#include <stdint.h>
#include "lang/err.h"

struct rn_btf_image {
	const char *types, *strings;
	uint32_t type_len, str_len;
	void *map, *copy; /* of the kernel's file; NULL if the image is the caller's */
	size_t bytes;
};
int rn_btf_image_parse(struct rn_btf_image *m, const void *image, size_t bytes, struct rn_err *err);
/* The running kernel's: /sys/kernel/btf/vmlinux. */
int rn_btf_image_open(struct rn_btf_image *m, struct rn_err *err);
/* That of a module. It goes on with the kernel's: its types and its strings are counted from the kernel's last ones on. -ENOENT: no such module
 * is loaded, or it is no module. */
int rn_btf_image_open_module(struct rn_btf_image *m, const char *name, struct rn_err *err);
void rn_btf_image_close(struct rn_btf_image *m);
const char *rn_btf_image_str(const struct rn_btf_image *m, uint32_t off);
/* Bytes of the type at offset off, 0 if there is none whole. */
size_t rn_btf_image_type_bytes(const struct rn_btf_image *m, uint32_t off);
/* Offsets of all types by id, from 1 (malloc'ed); their number, or negative errno. */
int rn_btf_image_index(const struct rn_btf_image *m, uint32_t **at);
static inline const struct btf_type *rn_btf_image_at(const struct rn_btf_image *m, uint32_t off)
{
	return (const struct btf_type *)(m->types + off);
}
#endif
