/* elf.c - reads headers, tables of symbols and bytes of ELF files within limits: see elf.h. */
#include "lang/base/memory.h"
#include "probes/process/elf.h"
#include "lang/base/clock.h"
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* File systems keep very small files without a block of their own. */
enum { NO_BLOCKS = 64 << 10, MAX_SECTIONS = 65536, MAX_PHDRS = 4096, PART = 48 << 10, TABLES = 2 };

const struct rn_elf_limits rn_elf_found = {64 << 20, 64 << 20, 1 << 20, 2000000000, 1};
const struct rn_elf_limits rn_elf_named = {4ULL << 30, 256 << 20, 16 << 20, 60000000000, 1};

struct table {
	uint64_t off, bytes, names_off, names_bytes;
}; /* bytes 0: there is none */
struct header {
	uint64_t phoff, shoff;
	uint32_t phnum, shnum, names; /* names: the section of their names */
};
struct rn_elf {
	struct header header;
	int fd; /* -1: the file is in memory */
	const unsigned char *mem;
	uint64_t size, left, read;
	struct rn_elf_limits limits;
	int64_t end_ns;
	bool cut, wide; /* wide: of 64 bits */
	bool native;
	uint64_t unwind, unwind_bytes; /* address of .eh_frame_hdr; 0: there is none */
	struct rn_elf_segment seg[RN_ELF_SEGMENTS];
	unsigned nsegs;
	struct table table[TABLES]; /* .dynsym, .symtab */
	char *names;
	size_t nnames;
};

static uint64_t least(uint64_t x, uint64_t y)
{
	return x < y ? x : y;
}

/* ---- bytes ---- */

bool rn_elf_read(struct rn_elf *elf, uint64_t off, void *to, size_t n)
{
	size_t got = 0;

	if (off > elf->size || n > elf->size - off)
		return false;
	if (n > elf->left || rn_mono_ns() > elf->end_ns) {
		elf->cut = true;
		return false;
	}
	elf->left -= n;
	elf->read += n;
	if (elf->fd < 0) {
		if (n)
			memcpy(to, elf->mem + off, n);
		return true;
	}
	while (got < n) {
		ssize_t r = pread(elf->fd, (char *)to + got, n - got, (off_t)(off + got));

		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0) /* the file was cut, or its disk fails */
			return !(elf->cut = true);
		got += (size_t)r;
	}
	return true;
}

/* ---- headers, of both widths ---- */

struct section {
	uint32_t type, link;
	uint64_t flags, off, bytes, info, address;
	uint32_t name;
};

static bool get_header(struct rn_elf *elf, struct header *h)
{
	unsigned char ident[EI_NIDENT];
	bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

	if (!rn_elf_read(elf, 0, ident, sizeof(ident)) || memcmp(ident, ELFMAG, SELFMAG) != 0 ||
	    ident[EI_DATA] != (little ? ELFDATA2LSB : ELFDATA2MSB))
		return false;
	if (ident[EI_CLASS] == ELFCLASS64) {
		Elf64_Ehdr x;

		if (!rn_elf_read(elf, 0, &x, sizeof(x)) ||
		    (x.e_shnum && x.e_shentsize != sizeof(Elf64_Shdr)) ||
		    (x.e_phnum && x.e_phentsize != sizeof(Elf64_Phdr)))
			return false;
		*h = (struct header){x.e_phoff, x.e_shoff, x.e_phnum, x.e_shnum, x.e_shstrndx};
		elf->native = x.e_machine == EM_X86_64;
		return elf->wide = true;
	}
	if (ident[EI_CLASS] == ELFCLASS32) {
		Elf32_Ehdr x;

		if (!rn_elf_read(elf, 0, &x, sizeof(x)) ||
		    (x.e_shnum && x.e_shentsize != sizeof(Elf32_Shdr)) ||
		    (x.e_phnum && x.e_phentsize != sizeof(Elf32_Phdr)))
			return false;
		*h = (struct header){x.e_phoff, x.e_shoff, x.e_phnum, x.e_shnum, x.e_shstrndx};
		return true;
	}
	return false;
}

/* The place of the i-th header of a table; false if no file can have it there. */
static bool place_of(uint64_t table, uint64_t i, size_t each, uint64_t *off)
{
	return !__builtin_mul_overflow(i, (uint64_t)each, off) &&
	       !__builtin_add_overflow(*off, table, off);
}

static bool get_section(struct rn_elf *elf, const struct header *h, uint32_t i, struct section *s)
{
	uint64_t off;

	if (elf->wide) {
		Elf64_Shdr x;

		if (!place_of(h->shoff, i, sizeof(x), &off) ||
		    !rn_elf_read(elf, off, &x, sizeof(x)))
			return false;
		*s = (struct section){x.sh_type, x.sh_link, x.sh_flags, x.sh_offset,
				      x.sh_size, x.sh_info, x.sh_addr,  x.sh_name};
	} else {
		Elf32_Shdr x;

		if (!place_of(h->shoff, i, sizeof(x), &off) ||
		    !rn_elf_read(elf, off, &x, sizeof(x)))
			return false;
		*s = (struct section){x.sh_type, x.sh_link, x.sh_flags, x.sh_offset,
				      x.sh_size, x.sh_info, x.sh_addr,  x.sh_name};
	}
	return true;
}

static bool get_segment(struct rn_elf *elf, const struct header *h, uint32_t i,
			struct rn_elf_segment *s, uint32_t *type)
{
	uint64_t off;

	if (elf->wide) {
		Elf64_Phdr x;

		if (!place_of(h->phoff, i, sizeof(x), &off) ||
		    !rn_elf_read(elf, off, &x, sizeof(x)))
			return false;
		*type = x.p_type;
		*s = (struct rn_elf_segment){x.p_offset, x.p_filesz, x.p_vaddr, x.p_flags & PF_X};
	} else {
		Elf32_Phdr x;

		if (!place_of(h->phoff, i, sizeof(x), &off) ||
		    !rn_elf_read(elf, off, &x, sizeof(x)))
			return false;
		*type = x.p_type;
		*s = (struct rn_elf_segment){x.p_offset, x.p_filesz, x.p_vaddr, x.p_flags & PF_X};
	}
	return true;
}

static void get_segments(struct rn_elf *elf, const struct header *h)
{
	for (uint32_t i = 0; i < h->phnum; i++) {
		struct rn_elf_segment s;
		uint32_t type;

		if (i == MAX_PHDRS || !get_segment(elf, h, i, &s, &type)) {
			elf->cut = true;
			return;
		}
		if (type == PT_GNU_EH_FRAME) {
			elf->unwind = s.address;
			elf->unwind_bytes = s.bytes;
		}
		if (type != PT_LOAD || s.off >= elf->size)
			continue;
		if (elf->nsegs == RN_ELF_SEGMENTS) {
			elf->cut = true;
			return;
		}
		s.bytes = least(s.bytes, elf->size - s.off);
		elf->seg[elf->nsegs++] = s;
	}
}

/* Is it uncompressed? Compressed sections are left alone: no linker compresses symbols, since
 * loaders and debuggers want them as they are. */
static bool plain(struct rn_elf *e, const struct section *s)
{
	if (!(s->flags & SHF_COMPRESSED) && s->off <= e->size)
		return true;
	e->cut = true;
	return false;
}

/* If there are more sections or segments than the header can say, the first section has the number.
 */
static void get_numbers(struct rn_elf *elf, struct header *h)
{
	struct section s;

	if (!h->shoff || (h->shnum && h->phnum != PN_XNUM && h->names != SHN_XINDEX) ||
	    !get_section(elf, h, 0, &s))
		return;
	if (!h->shnum)
		h->shnum = (uint32_t)least(s.bytes, MAX_SECTIONS + 1);
	h->phnum = h->phnum != PN_XNUM ? h->phnum : (uint32_t)s.info;
	h->names = h->names != SHN_XINDEX ? h->names : s.link;
}

static void get_tables(struct rn_elf *elf, const struct header *h)
{
	struct section s, names;

	if (!h->shoff)
		return;
	for (uint32_t i = 1; i < h->shnum; i++) {
		struct table *t;

		if (i == MAX_SECTIONS) {
			elf->cut = true;
			return;
		}
		if (!get_section(elf, h, i, &s)) {
			elf->cut = true;
			return;
		}
		if (s.type != SHT_SYMTAB && s.type != SHT_DYNSYM)
			continue;
		t = &elf->table[s.type == SHT_SYMTAB];
		if (t->bytes || !plain(elf, &s) || !get_section(elf, h, s.link, &names) ||
		    names.type != SHT_STRTAB || !plain(elf, &names))
			continue;
		*t = (struct table){s.off, s.bytes, names.off, names.bytes};
		if (elf->table[0].bytes && elf->table[1].bytes)
			return;
	}
}

static struct rn_elf *begin(struct rn_elf *e)
{
	struct header h;

	e->end_ns = rn_mono_ns() + e->limits.ns;
	if (!get_header(e, &h)) {
		rn_elf_close(e);
		return NULL;
	}
	get_numbers(e, &h);
	get_tables(e, &h);
	get_segments(e, &h);
	e->header = h;
	return e;
}

struct rn_elf *rn_elf_open(int fd, const struct rn_elf_limits *limits)
{
	uint64_t stored;
	struct rn_elf *e;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size < 0)
		return NULL;
	e = rn_calloc(1, sizeof(*e));
	e->fd = fd;
	e->size = (uint64_t)st.st_size;
	e->limits = *limits;
	stored = (uint64_t)st.st_blocks * 512 + NO_BLOCKS;
	e->left = least(limits->passes ? stored * limits->passes : stored, limits->bytes);
	return begin(e);
}

struct rn_elf *rn_elf_memory(const void *p, size_t n, const struct rn_elf_limits *limits)
{
	struct rn_elf *e = rn_calloc(1, sizeof(*e));

	e->fd = -1;
	e->mem = p;
	e->size = n;
	e->limits = *limits;
	e->left = limits->bytes;
	return begin(e);
}

void rn_elf_close(struct rn_elf *elf)
{
	if (!elf)
		return;
	free(elf->names);
	free(elf);
}

bool rn_elf_cut(const struct rn_elf *elf)
{
	return elf->cut;
}
bool rn_elf_native(const struct rn_elf *elf)
{
	return elf->native;
}
uint64_t rn_elf_unwind(const struct rn_elf *elf, uint64_t *bytes)
{
	*bytes = elf->unwind_bytes;
	return elf->unwind;
}
uint64_t rn_elf_bytes_read(const struct rn_elf *elf)
{
	return elf->read;
}

const struct rn_elf_segment *rn_elf_segments(const struct rn_elf *elf, unsigned *n)
{
	*n = elf->nsegs;
	return elf->seg;
}

bool rn_elf_wide(const struct rn_elf *elf)
{
	return elf->wide;
}

/* False: its bytes are not in the file as they are. */
static bool show_section(struct rn_elf *elf, const struct section *s, const struct section *names,
			 struct rn_elf_section *to)
{
	uint64_t room = s->name < names->bytes ? names->bytes - s->name : 0, at;

	*to = (struct rn_elf_section){.notes = s->type == SHT_NOTE,
				      .off = s->off,
				      .bytes = s->bytes,
				      .address = s->address};
	room = least(room, sizeof(to->name) - 1);
	return s->type != SHT_NULL && s->type != SHT_NOBITS && !(s->flags & SHF_COMPRESSED) &&
	       s->off <= elf->size && s->bytes <= elf->size - s->off && room &&
	       !__builtin_add_overflow(names->off, (uint64_t)s->name, &at) &&
	       rn_elf_read(elf, at, to->name, room);
}

void rn_elf_sections(struct rn_elf *elf, rn_elf_section_fn *fn, void *self)
{
	const struct header *h = &elf->header;
	struct rn_elf_section shown;
	struct section s, names;

	if (!h->shoff || !get_section(elf, h, h->names, &names) || names.type != SHT_STRTAB)
		return;
	for (uint32_t i = 1; i < h->shnum; i++) {
		if (i == MAX_SECTIONS || !get_section(elf, h, i, &s)) {
			elf->cut = true;
			return;
		}
		if (show_section(elf, &s, &names, &shown) && !fn(self, &shown))
			return;
	}
}

/* ---- symbols ---- */

/* Read the names of a table, behind those already read; return how many bytes of them are whole
 * names. If there are too many, the table itself keeps up to half of the bytes that may still be
 * read. */
static uint64_t load_names(struct rn_elf *elf, const struct table *t)
{
	uint64_t room = elf->left - least(t->bytes, elf->left / 2);
	uint64_t n = least(t->names_bytes, elf->size - t->names_off);
	char *to;

	room = least(room, elf->limits.names - elf->nnames);
	if (n < t->names_bytes || n > room)
		elf->cut = true;
	n = least(n, room);
	if (!n)
		return 0;
	elf->names = rn_realloc(elf->names, elf->nnames + n);
	to = elf->names + elf->nnames;
	for (uint64_t done = 0; done < n; done += PART)
		if (!rn_elf_read(elf, t->names_off + done, to + done, least(PART, n - done))) {
			elf->cut = true;
			n = done;
		}
	for (; n && to[n - 1]; n--)
		elf->cut = true;
	return n;
}

struct raw {
	uint64_t value, bytes;
	uint32_t name;
	uint16_t section;
	unsigned char info;
};

static struct raw raw_of(const struct rn_elf *e, const unsigned char *p)
{
	Elf64_Sym wide;
	Elf32_Sym x;

	if (e->wide) {
		memcpy(&wide, p, sizeof(wide));
		return (struct raw){wide.st_value, wide.st_size, wide.st_name, wide.st_shndx,
				    wide.st_info};
	}
	memcpy(&x, p, sizeof(x));
	return (struct raw){x.st_value, x.st_size, x.st_name, x.st_shndx, x.st_info};
}

struct names {
	size_t base;
	uint64_t bytes;
}; /* of one table */
struct shown {
	rn_elf_fn *fn;
	void *self;
	uint32_t n;
};

/* False: enough. */
static bool show(struct rn_elf *e, const struct raw *r, const struct names *names, struct shown *to)
{
	unsigned type = ELF64_ST_TYPE(r->info); /* the same in both widths */
	struct rn_elf_symbol y;

	if (r->section == SHN_UNDEF || !r->value || (type != STT_FUNC && type != STT_GNU_IFUNC))
		return true;
	/* without a name; or beyond the kept names, which was reported */
	if (r->name >= names->bytes || !e->names[names->base + r->name])
		return true;
	if (to->n == e->limits.symbols)
		return !(e->cut = true);
	to->n++;
	y = (struct rn_elf_symbol){.address = r->value, .bytes = r->bytes};
	y.ifunc = type == STT_GNU_IFUNC;
	y.at = (uint32_t)(names->base + r->name);
	y.name = e->names + y.at;
	return to->fn(to->self, &y);
}

/* False: enough. */
static bool each_of(struct rn_elf *elf, const struct table *t, struct shown *to)
{
	size_t one = elf->wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym), part = PART / one * one;
	struct names names = {elf->nnames, load_names(elf, t)};
	uint64_t bytes = least(t->bytes, elf->size - t->off);
	unsigned char *buf = rn_malloc(PART);
	bool more = true;

	elf->nnames += names.bytes;
	elf->cut |= bytes < t->bytes;
	bytes -= bytes % one;
	for (uint64_t done = 0; more && done < bytes; done += part) {
		size_t n = least(part, bytes - done);

		n = least(n, elf->left / one * one);
		elf->cut |= n < least(part, bytes - done);
		if (!n || !rn_elf_read(elf, t->off + done, buf, n))
			break;
		for (size_t i = 0; more && i < n; i += one) {
			struct raw r = raw_of(elf, buf + i);

			more = show(elf, &r, &names, to);
		}
	}
	free(buf);
	return more;
}

void rn_elf_each(struct rn_elf *elf, rn_elf_fn *fn, void *self)
{
	struct shown to = {fn, self, 0};

	for (unsigned i = 0; i < TABLES; i++)
		if (elf->table[i].bytes && !each_of(elf, &elf->table[i], &to))
			return;
}

char *rn_elf_take_names(struct rn_elf *elf, size_t *n)
{
	char *names = elf->names;

	*n = elf->nnames;
	elf->names = NULL;
	elf->nnames = 0;
	return names;
}
