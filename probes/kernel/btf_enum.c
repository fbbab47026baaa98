/* btf_enum.c - the numbers of an enumeration of C, by the kernel's types. */
#include <linux/btf.h>
#include <string.h>
#include "probes/kernel/btf.h"
#include "probes/kernel/btf_image.h"

bool rn_btf_image_enum(const struct rn_btf_image *image, const char *name, rn_btf_enumerator *each,
		       void *self)
{
	const struct btf_type *found = NULL;
	const struct btf_enum *v;

	for (uint32_t off = 0, bytes; off < image->type_len; off += bytes) {
		const struct btf_type *t = rn_btf_image_at(image, off);

		bytes = (uint32_t)rn_btf_image_type_bytes(image, off);
		if (!bytes)
			return false;
		if (BTF_INFO_KIND(t->info) != BTF_KIND_ENUM || !t->name_off ||
		    strcmp(rn_btf_image_str(image, t->name_off), name) != 0)
			continue;
		/* equal ones are one type, so these two differ */
		if (found && BTF_INFO_VLEN(found->info) && BTF_INFO_VLEN(t->info))
			return false;
		if (!found || BTF_INFO_VLEN(t->info))
			found = t;
	}
	v = found ? (const struct btf_enum *)(found + 1) : NULL;
	for (unsigned i = 0; found && i < BTF_INFO_VLEN(found->info); i++)
		each(self, rn_btf_image_str(image, v[i].name_off),
		     BTF_INFO_KFLAG(found->info) ? v[i].val : (int64_t)(uint32_t)v[i].val);
	return found;
}

bool rn_btf_enum(const char *name, rn_btf_enumerator *each, void *self)
{
	struct rn_btf_image m;
	bool found;

	if (rn_btf_image_open(&m, NULL))
		return false;
	found = rn_btf_image_enum(&m, name, each, self);
	rn_btf_image_close(&m);
	return found;
}
