/* subprogs.c - see subprogs.h. Functions of .text are matched by their length and code.
 *
 * The object is our own and part of the binary, yet lengths are checked: it may have been made by another toolchain. */
#include "probes/subprogs.h"
#include <bpf/btf.h>
#include <elf.h>
#include <errno.h>
#include <string.h>

struct section { const unsigned char *p; size_t n; };
struct ext_header { uint16_t magic; uint8_t version, flags; uint32_t hdr_len, func_off, func_len, line_off, line_len; };
struct ext_sec { uint32_t name, count; };
struct ext_func { uint32_t byte, type; };

static struct section find_section(const unsigned char *elf, size_t bytes, const char *name)
{
	const Elf64_Ehdr *h = (const void *)elf;
	const Elf64_Shdr *s;

	if (bytes < sizeof(*h) || h->e_shoff > bytes || (bytes - h->e_shoff) / sizeof(*s) < h->e_shnum || h->e_shstrndx >= h->e_shnum)
		return (struct section){0};
	s = (const void *)(elf + h->e_shoff);
	for (unsigned i = 0; i < h->e_shnum; i++) {
		const Elf64_Shdr *str = &s[h->e_shstrndx];

		if (str->sh_offset + s[i].sh_name + strlen(name) < bytes && s[i].sh_offset <= bytes &&
		    s[i].sh_size <= bytes - s[i].sh_offset && !strcmp((const char *)elf + str->sh_offset + s[i].sh_name, name))
			return (struct section){elf + s[i].sh_offset, s[i].sh_size};
	}
	return (struct section){0};
}

/* How many instructions differ in kind. Relocation changes immediates and offsets, now and then the width of a load, and puts a
 * call of no function where a kernel lacks a field: so the closest function is the one. */
static unsigned differences(const struct bpf_insn *a, const struct bpf_insn *b, unsigned n)
{
	unsigned d = 0;

	for (unsigned i = 0; i < n; i++)
		d += a[i].code != b[i].code || a[i].dst_reg != b[i].dst_reg;
	return d;
}

/* The functions of .text, in order: their records, and how many. */
static const struct ext_func *text_functions(struct section ext, const struct btf *btf, unsigned *count)
{
	const struct ext_header *h = (const void *)ext.p;
	const unsigned char *p, *end;
	uint32_t rec;

	if (ext.n < sizeof(*h) || h->hdr_len > ext.n || h->func_off > ext.n - h->hdr_len ||
	    h->func_len > ext.n - h->hdr_len - h->func_off || h->func_len < 4)
		return NULL;
	p = ext.p + h->hdr_len + h->func_off;
	end = p + h->func_len;
	memcpy(&rec, p, 4);
	p += 4;
	while ((size_t)(end - p) >= sizeof(struct ext_sec) && rec == sizeof(struct ext_func)) {
		const struct ext_sec *s = (const void *)p;
		const char *name = btf__name_by_offset(btf, s->name);

		p += sizeof(*s);
		if ((size_t)(end - p) / rec < s->count)
			return NULL;
		if (name && !strcmp(name, ".text")) {
			*count = s->count;
			return (const void *)p;
		}
		p += (size_t)s->count * rec;
	}
	return NULL;
}

int rn_subprog_types(const void *elf, size_t elf_bytes, const struct btf *btf, const struct bpf_insn *in, unsigned n,
		     const unsigned *start, unsigned nsubs, uint32_t *type, struct rn_err *err)
{
	struct section text = find_section(elf, elf_bytes, ".text"), ext = find_section(elf, elf_bytes, ".BTF.ext");
	unsigned count = 0;
	const struct ext_func *f = text_functions(ext, btf, &count);

	for (unsigned s = 0; s < nsubs; s++) {
		unsigned len = (s + 1 < nsubs ? start[s + 1] : n) - start[s], best = len / 4 + 1;

		type[s] = 0;
		for (unsigned k = 0; f && k < count; k++) {
			size_t end = k + 1 < count ? f[k + 1].byte : text.n;
			unsigned d;

			if (f[k].byte > end || end > text.n || (end - f[k].byte) / sizeof(*in) != len)
				continue;
			d = differences((const void *)(text.p + f[k].byte), in + start[s], len);
			if (d < best) {
				best = d;
				type[s] = f[k].type;
			}
		}
		if (!type[s])
			return rn_err_set(err, -EINVAL, "a function of the precompiled object is not described in it");
	}
	return 0;
}
