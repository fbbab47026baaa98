/* symbols.c - tables of functions: see symbols.h. */
#include "lang/memory.h"
#include "probes/symbols.h"
#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Without a size a function reaches to the next one, but not further than this. */
enum { REACH = 1 << 20, MAX_SEGMENTS = 16 };

struct symbol { uint64_t address, size; uint32_t name; }; /* name: offset in names; size 0: not known */
struct segment { uint64_t offset, bytes, address; };
struct rn_symbols {
	struct symbol *v; size_t n, cap;
	char *names; size_t bytes, room;
	struct segment seg[MAX_SEGMENTS]; unsigned nsegs;
};

static struct rn_symbols *create(void) { return rn_calloc(1, sizeof(struct rn_symbols)); }

static void add(struct rn_symbols *s, uint64_t address, uint64_t size, const char *name, size_t len)
{
	if (s->n == s->cap) {
		s->cap = s->cap ? 2 * s->cap : 1024;
		s->v = rn_realloc(s->v, s->cap * sizeof(*s->v));
	}
	if (s->bytes + len + 1 > s->room) {
		s->room = 2 * (s->room + len + 4096);
		s->names = rn_realloc(s->names, s->room);
	}
	if (s->bytes + len + 1 > UINT32_MAX)
		return;
	s->v[s->n++] = (struct symbol){address, size, (uint32_t)s->bytes};
	memcpy(s->names + s->bytes, name, len);
	s->names[s->bytes + len] = 0;
	s->bytes += len + 1;
}

static int by_address(const void *x, const void *y, void *names)
{
	const struct symbol *a = x, *b = y;
	const char *p = (const char *)names + a->name, *q = (const char *)names + b->name;
	size_t up = strspn(p, "_"), uq = strspn(q, "_");

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	if (up != uq)
		return up < uq ? -1 : 1;
	if (strlen(p) != strlen(q))
		return strlen(p) < strlen(q) ? -1 : 1;
	return strcmp(p, q);
}

/* Sorted, one symbol for each address: the plainest name with the greatest size. */
static struct rn_symbols *finish(struct rn_symbols *s)
{
	size_t n = 0;

	if (s->n)
		qsort_r(s->v, s->n, sizeof(*s->v), by_address, s->names);
	for (size_t i = 0; i < s->n; i++) {
		if (n && s->v[n - 1].address == s->v[i].address) {
			if (s->v[i].size > s->v[n - 1].size)
				s->v[n - 1].size = s->v[i].size;
		} else {
			s->v[n++] = s->v[i];
		}
	}
	s->n = n;
	return s;
}

/* ---- the kernel ---- */

struct rn_symbols *rn_symbols_kallsyms(const char *text, size_t n)
{
	struct rn_symbols *s = create();
	const char *p = text, *end = text + n;

	while (p < end) {
		const char *line = p, *stop = memchr(p, '\n', (size_t)(end - p));
		uint64_t address = 0;
		size_t len;

		if (!stop)
			stop = end;
		p = stop + 1;
		for (; line < stop && *line != ' '; line++)
			address = address << 4 | (uint64_t)(*line <= '9' ? *line - '0' : (*line | 32) - 'a' + 10);
		if (stop - line < 4 || !address || !strchr("tTwW", line[1]))
			continue;
		line += 3;
		for (len = 0; line + len < stop && line[len] != '\t' && line[len] != ' '; len++)
			;
		add(s, address, 0, line, len);
	}
	return finish(s);
}

struct rn_symbols *rn_symbols_kernel(void)
{
	int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	size_t n = 0, room = 16 << 20;
	char *text = rn_malloc(room);
	struct rn_symbols *s;
	ssize_t r = 0;

	while (fd >= 0 && (r = read(fd, text + n, room - n)) > 0) {
		n += (size_t)r;
		if (n == room)
			text = rn_realloc(text, room *= 2);
	}
	if (fd >= 0)
		close(fd);
	s = rn_symbols_kallsyms(text, r < 0 ? 0 : n);
	free(text);
	return s;
}

/* ---- ELF ---- */

static void add_section(struct rn_symbols *s, Elf *elf, Elf_Scn *scn, const GElf_Shdr *h)
{
	Elf_Data *d = elf_getdata(scn, NULL);
	size_t n = d && h->sh_entsize ? h->sh_size / h->sh_entsize : 0;

	for (size_t i = 0; i < n && i < INT32_MAX; i++) {
		const char *name;
		GElf_Sym y;

		if (!gelf_getsym(d, (int)i, &y) || y.st_shndx == SHN_UNDEF || !y.st_value)
			continue;
		if (GELF_ST_TYPE(y.st_info) != STT_FUNC && GELF_ST_TYPE(y.st_info) != STT_GNU_IFUNC)
			continue;
		name = elf_strptr(elf, h->sh_link, y.st_name);
		if (name && *name)
			add(s, y.st_value, y.st_size, name, strcspn(name, ";\n"));
	}
}

struct rn_symbols *rn_symbols_elf(int fd)
{
	struct rn_symbols *s = create();
	Elf_Scn *scn = NULL;
	size_t n = 0;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = fd >= 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
	if (!elf || elf_kind(elf) != ELF_K_ELF)
		goto out;
	elf_getphdrnum(elf, &n);
	for (size_t i = 0; i < n && s->nsegs < MAX_SEGMENTS; i++) {
		GElf_Phdr h;

		if (gelf_getphdr(elf, (int)i, &h) && h.p_type == PT_LOAD)
			s->seg[s->nsegs++] = (struct segment){h.p_offset, h.p_filesz, h.p_vaddr};
	}
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr h;

		if (gelf_getshdr(scn, &h) && (h.sh_type == SHT_SYMTAB || h.sh_type == SHT_DYNSYM))
			add_section(s, elf, scn, &h);
	}
out:
	if (elf)
		elf_end(elf);
	return finish(s);
}

uint64_t rn_symbols_address(const struct rn_symbols *s, uint64_t off)
{
	for (unsigned i = 0; i < s->nsegs; i++)
		if (off >= s->seg[i].offset && off - s->seg[i].offset < s->seg[i].bytes)
			return off - s->seg[i].offset + s->seg[i].address;
	return off;
}

/* ---- look up ---- */

const char *rn_symbols_find(const struct rn_symbols *s, uint64_t address)
{
	size_t low = 0, high = s->n;
	const struct symbol *y;

	while (low < high) { /* the first beyond the address */
		size_t mid = (low + high) / 2;

		if (s->v[mid].address <= address)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low)
		return NULL;
	y = &s->v[low - 1];
	return address - y->address < (y->size ? y->size : REACH) ? s->names + y->name : NULL;
}

void rn_symbols_free(struct rn_symbols *s)
{
	if (!s)
		return;
	free(s->v);
	free(s->names);
	free(s);
}
