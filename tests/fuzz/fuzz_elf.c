/* fuzz_elf.c - libFuzzer target of ELF files and symbols. The first byte of the input says what
 * follows: an ELF file in memory or behind a descriptor, or a text like /proc/kallsyms; the second
 * one, of an ELF file, within which limits. No more is read, shown or kept than those say. */
#include <stdbool.h>
#include "probes/process/elf.h"
#include "probes/process/symbols.h"
#include "probes/uprobe/points.h"
#include "tests/fuzz/fuzz.h"

enum { IN_MEMORY, IN_FILE, KALLSYMS, WAYS };
static const char *const names[] = {"SSL_read",     "SSL_read_ex", "SSL_write",
				    "SSL_write_ex", "SSL_free",    "SSL_clear"};
enum { NAMES = sizeof(names) / sizeof(*names) };

static void look_up(const struct rn_symbols *s)
{
	char name[16];

	for (uint64_t at = 0; at < 0x3000; at += 0x111) {
		size_t n = rn_symbols_find(s, rn_symbols_address(s, at), name, sizeof(name));

		MUST(n <= sizeof(name) &&
		     (!n || strnlen(name, sizeof(name)) == (n < sizeof(name) ? n : n - 1)));
	}
	rn_symbols_find(s, UINT64_MAX, name, sizeof(name));
}

static bool show(void *self, const struct rn_elf_symbol *y)
{
	MUST(strlen(y->name) && y->address);
	++*(uint32_t *)self;
	return true;
}

static void functions(int fd, const uint8_t *file, size_t n)
{
	struct rn_elf_function f[NAMES];
	struct rn_points p;
	int found = rn_elf_functions(fd, names, NAMES, f);

	MUST(found <= NAMES);
	for (unsigned i = 0; found > 0 && i < NAMES; i++) {
		MUST(!f[i].off || f[i].off <= n);
		if (f[i].off && f[i].bytes <= n - f[i].off && f[i].bytes <= RN_POINTS_BYTES)
			rn_points_find(file + f[i].off, (unsigned)f[i].bytes, &p);
	}
}

static void elf(struct rn_elf *e, const struct rn_elf_limits *limits)
{
	uint32_t shown = 0;
	unsigned nsegs;

	if (!e)
		return;
	rn_elf_segments(e, &nsegs);
	MUST(nsegs <= RN_ELF_SEGMENTS);
	rn_elf_each(e, show, &shown);
	MUST(shown <= limits->symbols && rn_elf_bytes_read(e) <= limits->bytes);
	rn_elf_close(e);
}

static void symbols(struct rn_elf *e)
{
	struct rn_symbols *s = rn_symbols_elf(e);

	MUST(s);
	rn_symbols_cut(s);
	look_up(s);
	rn_symbols_free(s);
	rn_elf_close(e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const struct rn_elf_limits small = {6000, 200, 6, 1000000000};
	const struct rn_elf_limits *limits;
	int fd;

	if (n < 2)
		return 0;
	limits = data[1] & 1 ? &small : data[1] & 2 ? &rn_elf_named : &rn_elf_found;
	switch (data[0] % WAYS) {
	case IN_MEMORY:
		elf(rn_elf_memory(data + 2, n - 2, limits), limits);
		symbols(rn_elf_memory(data + 2, n - 2, limits));
		break;
	case IN_FILE:
		fuzz_file(0, data + 2, n - 2);
		fd = FUZZ_FILE_FD;
		elf(rn_elf_open(fd, limits), limits);
		symbols(rn_elf_open(fd, limits));
		functions(fd, data + 2, n - 2);
		break;
	default: {
		struct rn_symbols *s = rn_symbols_kallsyms((const char *)data + 2, n - 2);

		look_up(s);
		rn_symbols_free(s);
	}
	}
	return 0;
}
