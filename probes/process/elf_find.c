/* elf_find.c - functions of an ELF file by name: see elf.h. */
#include "probes/process/elf.h"
#include <errno.h>
#include <string.h>

struct search {
	struct rn_elf *elf;
	const char *const *names;
	unsigned n;
	struct rn_elf_function *out;
	int found;
};

/* These limits are enough for a library that was found: one that is not stripped has a few hundred
 * KB of symbols. */
static const struct rn_elf_limits library = {8 << 20, 4 << 20, 1 << 18, 2000000000, 1};

static uint64_t place_of(const struct rn_elf *elf, uint64_t address, bool code)
{
	unsigned n;
	const struct rn_elf_segment *s = rn_elf_segments(elf, &n);

	for (unsigned i = 0; i < n; i++)
		if ((s[i].code || !code) && address >= s[i].address &&
		    address - s[i].address < s[i].bytes)
			return address - s[i].address + s[i].off;
	return 0;
}

uint64_t rn_elf_offset(const struct rn_elf *elf, uint64_t address)
{
	return place_of(elf, address, true);
}

uint64_t rn_elf_data(const struct rn_elf *elf, uint64_t address)
{
	return place_of(elf, address, false);
}

static uint64_t past_endbr64(struct rn_elf *e, uint64_t off)
{
	static const unsigned char endbr64[4] = {0xf3, 0x0f, 0x1e, 0xfa};
	unsigned char b[4];

	if (!rn_elf_read(e, off, b, sizeof(b)) || memcmp(b, endbr64, sizeof(b)) != 0)
		return off;
	return off + sizeof(b);
}

uint64_t rn_elf_place(struct rn_elf *elf, uint64_t address)
{
	uint64_t at = rn_elf_offset(elf, address);

	return at ? past_endbr64(elf, at) : 0;
}

static bool compare(void *self, const struct rn_elf_symbol *y)
{
	struct search *s = self;

	for (unsigned k = 0; !y->ifunc && k < s->n; k++) {
		uint64_t at, from;

		if (s->out[k].off || strcmp(y->name, s->names[k]) != 0)
			continue;
		at = rn_elf_offset(s->elf, y->address);
		if (!at)
			continue;
		from = past_endbr64(s->elf, at);
		s->out[k].off = from;
		s->out[k].bytes = y->bytes > from - at ? y->bytes - (from - at) : 0;
		s->found++;
	}
	return s->found < (int)s->n;
}

int rn_elf_find(struct rn_elf *elf, const char *const *names, unsigned n,
		struct rn_elf_function *out)
{
	struct search s = {elf, names, n, out, 0};

	memset(out, 0, n * sizeof(*out));
	rn_elf_each(elf, compare, &s);
	return s.found;
}

int rn_elf_functions(int fd, const char *const *names, unsigned n, struct rn_elf_function *out)
{
	struct rn_elf *e = rn_elf_open(fd, &library);
	int found;

	if (!e)
		return -ENOEXEC;
	found = rn_elf_find(e, names, n, out);
	if (found < (int)n && rn_elf_cut(e))
		found = -EFBIG;
	if (found > 0 && !rn_elf_native(e))
		found = -ENOTSUP;
	rn_elf_close(e);
	return found;
}
