/* test_elf.c - ELF files that are made here: good, cut, sparse, compressed, with names that
 * overlap and headers that lie. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include "lang/base/memory.h"
#include "probes/process/elf.h"
#include "probes/process/symbols.h"

/* ---- a file: header, a segment, code, .dynsym, .symtab and their names, four sections ---- */

enum { CODE = 0x1000, CODE_BYTES = 0x1000, BASE = 0x401000, SECTIONS = 5 };
enum { NAMES_MAX = 1 << 20, SYMBOLS_MAX = 4096 };
struct image {
	unsigned char *p;
	size_t n;
	Elf64_Ehdr *head;
	Elf64_Phdr *seg;
	Elf64_Shdr *sec;
	Elf64_Sym *sym;
};

static const char usual[] = "\0first\0_first\0second\0data\0outside\0semi;colon";
enum { FIRST = 1, UNDER = 7, SECOND = 14, DATA = 21, OUTSIDE = 26, SEMI = 34 };
static const Elf64_Sym symbols[] = {
	{0},
	{UNDER, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, 1, BASE, 16},
	{FIRST, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, 1, BASE, 8},
	{SECOND, ELF64_ST_INFO(STB_LOCAL, STT_GNU_IFUNC), 0, 1, BASE + 32, 0},
	{DATA, ELF64_ST_INFO(STB_LOCAL, STT_OBJECT), 0, 1, BASE + 64, 8},
	{OUTSIDE, ELF64_ST_INFO(STB_LOCAL, STT_FUNC), 0, SHN_UNDEF, BASE + 80, 8},
	{SEMI, ELF64_ST_INFO(STB_LOCAL, STT_FUNC), 0, 1, BASE + 96, 8},
};

/* Sections: none, code, names, .symtab, .dynsym (empty unless a test gives it a place). */
static struct image made(const Elf64_Sym *sym, unsigned nsym, const char *names, size_t nnames)
{
	size_t at_names = CODE + CODE_BYTES, at_sym = (at_names + nnames + 15) & ~15UL;
	size_t at_sec = at_sym + nsym * sizeof(*sym);
	struct image x = {.n = at_sec + SECTIONS * sizeof(Elf64_Shdr)};

	x.p = rn_calloc(1, x.n);
	x.head = (void *)x.p;
	x.seg = (void *)(x.p + sizeof(*x.head));
	x.sec = (void *)(x.p + at_sec);
	x.sym = (void *)(x.p + at_sym);
	*x.head = (Elf64_Ehdr){
		.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		.e_machine = EM_X86_64,
		.e_phoff = sizeof(*x.head),
		.e_phentsize = sizeof(*x.seg),
		.e_phnum = 1,
		.e_shoff = at_sec,
		.e_shentsize = sizeof(*x.sec),
		.e_shnum = SECTIONS,
	};
	*x.seg = (Elf64_Phdr){PT_LOAD, PF_R | PF_X, CODE, BASE, BASE, CODE_BYTES, CODE_BYTES, 4096};
	x.sec[1] = (Elf64_Shdr){.sh_type = SHT_PROGBITS, .sh_offset = CODE, .sh_size = CODE_BYTES};
	x.sec[2] = (Elf64_Shdr){.sh_type = SHT_STRTAB, .sh_offset = at_names, .sh_size = nnames};
	x.sec[3] = (Elf64_Shdr){.sh_type = SHT_SYMTAB,
				.sh_offset = at_sym,
				.sh_link = 2,
				.sh_size = nsym * sizeof(*sym),
				.sh_entsize = sizeof(*sym)};
	memcpy(x.p + CODE, "\xf3\x0f\x1e\xfa\xc3", 5);
	memcpy(x.p + at_names, names, nnames);
	memcpy(x.sym, sym, nsym * sizeof(*sym));
	return x;
}
static struct image good(void)
{
	return made(symbols, sizeof(symbols) / sizeof(*symbols), usual, sizeof(usual));
}

/* "" if there is none. */
static const char *name_at(const struct rn_symbols *s, uint64_t address)
{
	static char out[RN_SYMBOL_BYTES];

	return rn_symbols_find(s, address, out, sizeof(out)) ? out : "";
}

static void finds(const struct image *x, const struct rn_elf_limits *limits, const char *first,
		  bool cut)
{
	struct rn_elf *e = rn_elf_memory(x->p, x->n, limits);
	struct rn_symbols *s = rn_symbols_elf(e);

	assert_non_null(e);
	assert_string_equal(name_at(s, BASE), first);
	assert_int_equal(rn_symbols_cut(s), cut);
	assert_true(rn_elf_bytes_read(e) <= limits->bytes);
	rn_symbols_free(s);
	rn_elf_close(e);
}

/* ---- honest ones ---- */

static void a_good_file(void **state)
{
	struct image x = good();
	struct rn_elf *e = rn_elf_memory(x.p, x.n, &rn_elf_found);
	struct rn_symbols *s = rn_symbols_elf(e);

	(void)state;

	assert_string_equal(name_at(s, BASE), "first");      /* the plainest of two */
	assert_string_equal(name_at(s, BASE + 15), "first"); /* with the greatest size */
	assert_string_equal(name_at(s, BASE + 16), "");
	/* without a size it reaches on, past what is no function */
	assert_string_equal(name_at(s, BASE + 64), "second");
	assert_string_equal(name_at(s, BASE + 97), "semi");
	assert_string_equal(name_at(s, BASE - 1), "");
	assert_int_equal(rn_symbols_address(s, CODE + 5), BASE + 5);
	assert_int_equal(rn_symbols_address(s, 5), 5);
	assert_false(rn_symbols_cut(s));
	rn_symbols_free(s);
	rn_elf_close(e);
	free(x.p);
}

static void functions_by_name(void **state)
{
	static const char *const names[] = {"first", "nowhere", "outside", "second"};
	struct rn_elf_function f[4];
	struct image x = good();
	struct rn_elf *e;

	(void)state;

	x.sec[4] = (Elf64_Shdr){.sh_type = SHT_DYNSYM,
				.sh_offset = x.sec[3].sh_offset,
				.sh_size = 3 * sizeof(Elf64_Sym),
				.sh_link = 2};
	e = rn_elf_memory(x.p, x.n, &rn_elf_found);
	assert_int_equal(rn_elf_find(e, names, 4, f), 1);
	assert_int_equal(f[0].off, CODE + 4); /* behind its endbr64 */
	assert_int_equal(f[0].bytes, 4);
	assert_int_equal(f[1].off | f[2].off | f[3].off, 0);
	assert_false(rn_elf_cut(e));
	rn_elf_close(e);
	x.seg->p_flags = PF_R; /* no code */
	e = rn_elf_memory(x.p, x.n, &rn_elf_found);
	assert_int_equal(rn_elf_find(e, names, 4, f), 0);
	rn_elf_close(e);
	free(x.p);
}

static void of_32_bits(void **state)
{
	static const Elf32_Sym sym = {FIRST, BASE, 16, ELF32_ST_INFO(STB_GLOBAL, STT_FUNC), 0, 1};
	struct {
		Elf32_Ehdr head;
		Elf32_Phdr seg;
		Elf32_Shdr sec[3];
		Elf32_Sym sym;
		char names[sizeof(usual)];
	} x = {
		.head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS32, ELFDATA2LSB, EV_CURRENT},
			 .e_phentsize = sizeof(Elf32_Phdr),
			 .e_phnum = 1,
			 .e_shentsize = sizeof(Elf32_Shdr),
			 .e_shnum = 3},
		.sym = sym,
	};
	struct rn_elf *e;
	struct rn_symbols *s;

	(void)state;

	x.head.e_phoff = sizeof(x.head);
	x.head.e_shoff = (uint32_t)((char *)x.sec - (char *)&x);
	x.seg = (Elf32_Phdr){PT_LOAD, 0, BASE, BASE, sizeof(x), sizeof(x), PF_X, 4096};
	x.sec[1] = (Elf32_Shdr){.sh_type = SHT_STRTAB,
				.sh_size = sizeof(usual),
				.sh_offset = (uint32_t)(x.names - (char *)&x)};
	x.sec[2] = (Elf32_Shdr){.sh_type = SHT_SYMTAB,
				.sh_size = sizeof(sym),
				.sh_link = 1,
				.sh_offset = (uint32_t)((char *)&x.sym - (char *)&x)};
	memcpy(x.names, usual, sizeof(usual));
	e = rn_elf_memory(&x, sizeof(x), &rn_elf_found);
	s = rn_symbols_elf(e);
	assert_string_equal(name_at(s, BASE + 15), "first");
	assert_int_equal(rn_symbols_address(s, 8), BASE + 8);
	assert_false(rn_symbols_cut(s));
	rn_symbols_free(s);
	rn_elf_close(e);
}

/* ---- hostile ones ---- */

/* 4,000 symbols whose names are the ends of one of a megabyte: the names are held once, and no
 * more of one is compared than is shown. */
static void names_that_overlap(void **state)
{
	static Elf64_Sym sym[SYMBOLS_MAX];
	struct rn_elf *e;
	struct rn_symbols *s;
	struct image x;
	char *names = rn_malloc(NAMES_MAX), out[RN_SYMBOL_BYTES];
	size_t kept;

	(void)state;

	memset(names, 'A', NAMES_MAX);
	names[0] = names[NAMES_MAX - 1] = 0;
	for (unsigned i = 1; i < SYMBOLS_MAX; i++)
		sym[i] = (Elf64_Sym){.st_name = i,
				     .st_info = STT_FUNC,
				     .st_shndx = 1,
				     .st_value = BASE + i / 2 * 16,
				     .st_size = 16};
	x = made(sym, SYMBOLS_MAX, names, NAMES_MAX);
	e = rn_elf_memory(x.p, x.n, &rn_elf_found);
	s = rn_symbols_elf(e);
	/* its name is cut, and that is counted */
	assert_int_equal(rn_symbols_find(s, BASE + 160, out, sizeof(out)), sizeof(out));
	assert_int_equal(strlen(out), sizeof(out) - 1);
	assert_false(rn_symbols_cut(s));
	assert_true(rn_elf_bytes_read(e) < NAMES_MAX + sizeof(sym) + 4096);
	rn_symbols_free(s);
	rn_elf_close(e);
	e = rn_elf_memory(x.p, x.n, &rn_elf_found);
	rn_symbols_free(rn_symbols_elf(e));
	assert_null(rn_elf_take_names(e, &kept)); /* the table has them, no second copy is left */
	rn_elf_close(e);
	free(x.p);
	free(names);
}

static void limits_are_told(void **state)
{
	struct image x = good();
	struct rn_elf_limits symbols_only = rn_elf_found, names_only = rn_elf_found;
	struct rn_elf_limits bytes_only = rn_elf_found, late = rn_elf_found;

	(void)state;

	symbols_only.symbols = 1;
	finds(&x, &symbols_only, "_first", true);
	names_only.names = 14; /* "", "first" and "_first" */
	finds(&x, &names_only, "first", true);
	names_only.names = 13; /* not the whole of "_first" */
	finds(&x, &names_only, "first", true);
	names_only.names = 0;
	finds(&x, &names_only, "", true);
	bytes_only.bytes = 64 + 16 + 5 * 64 + 64 + 56;
	finds(&x, &bytes_only, "", true);
	late.ns = -1;
	assert_null(rn_elf_memory(x.p, x.n, &late));
	free(x.p);
}

/* A file may be cut at any length. No byte beyond it is touched (the sanitizers' build sees that),
 * and what is missing is counted. */
static void cut_anywhere(void **state)
{
	struct image x = good();

	(void)state;

	for (size_t n = 0; n < x.n; n += n >= 256 && n < CODE + CODE_BYTES - 16 ? 64 : 1) {
		unsigned char *p = rn_malloc(n + 1);
		struct rn_elf *e;
		struct rn_symbols *s;

		memcpy(p, x.p, n);
		p = rn_realloc(p, n ? n : 1);
		e = rn_elf_memory(p, n, &rn_elf_found);
		s = rn_symbols_elf(e);
		assert_true(!e || rn_elf_cut(e));
		rn_symbols_free(s);
		rn_elf_close(e);
		free(p);
	}
	free(x.p);
}

#define LIE(edit, first, cut) \
	do { \
		struct image x = good(); \
		edit; \
		finds(&x, &rn_elf_found, first, cut); \
		free(x.p); \
	} while (0)
#define REFUSED(edit) \
	do { \
		struct image x = good(); \
		edit; \
		assert_null(rn_elf_memory(x.p, x.n, &rn_elf_found)); \
		free(x.p); \
	} while (0)
static void headers_that_lie(void **state)
{
	(void)state;

	LIE(x.sec[3].sh_flags = SHF_COMPRESSED, "", true);
	LIE(x.sec[2].sh_flags = SHF_COMPRESSED, "", true);
	LIE(x.sec[3].sh_size = UINT64_MAX, "first", true);
	LIE(x.sec[3].sh_offset = UINT64_MAX - 8, "", true);
	LIE(x.sec[2].sh_size = UINT64_MAX, "first", true);
	LIE(x.sec[2].sh_offset = UINT64_MAX, "", true);
	LIE(x.sec[3].sh_link = UINT32_MAX, "", false);
	LIE(x.sec[3].sh_link = 1, "", false); /* no names there */
	LIE(x.sec[3].sh_entsize = 0, "first", false);
	LIE(x.sym[2].st_name = UINT32_MAX, "_first", false);
	LIE(x.head->e_shoff = UINT64_MAX - 64, "", true);
	LIE(x.head->e_phoff = UINT64_MAX - 8, "first", true);
	LIE(x.head->e_phnum = 5000, "first", true);
	/* the first section says how many there are */
	LIE(x.head->e_shnum = 0; x.sec[0].sh_size = SECTIONS, "first", false);
	LIE(x.head->e_shnum = 0; x.sec[0].sh_size = UINT64_MAX, "first", true);
	LIE(x.head->e_phnum = PN_XNUM; x.sec[0].sh_info = UINT32_MAX, "first", true);
	LIE(x.seg->p_offset = UINT64_MAX, "first", false);
	LIE(x.seg->p_filesz = UINT64_MAX, "first", false);
	REFUSED(x.head->e_shentsize = 65);
	REFUSED(x.head->e_phentsize = 1);
	REFUSED(x.head->e_ident[EI_DATA] = ELFDATA2MSB);
	REFUSED(x.head->e_ident[EI_CLASS] = 7);
}

/* ---- files ---- */

static int temporary(void)
{
	char name[] = "/tmp/runnel-elf-XXXXXX";
	int fd = mkstemp(name);

	assert_true(fd >= 0);
	unlink(name);
	return fd;
}

/* A section of 3 GiB that is a hole: next to nothing is read. */
static void sparse_files(void **state)
{
	static const char *const names[] = {"first", "nowhere"};
	struct rn_elf_function f[2];
	struct image x = good();
	struct rn_elf *e;
	struct rn_symbols *s;
	int fd = temporary();

	(void)state;

	x.sec[3].sh_size = 3UL << 30;
	assert_int_equal(pwrite(fd, x.p, x.n, 0), (ssize_t)x.n);
	assert_int_equal(ftruncate(fd, 4L << 30), 0);
	e = rn_elf_open(fd, &rn_elf_found);
	s = rn_symbols_elf(e);
	assert_string_equal(name_at(s, BASE), "first");
	assert_true(rn_symbols_cut(s));
	assert_true(rn_elf_bytes_read(e) < 1 << 20);
	rn_symbols_free(s);
	rn_elf_close(e);
	e = rn_elf_open(fd, &rn_elf_named); /* the blocks count here as well */
	rn_symbols_free(rn_symbols_elf(e));
	assert_true(rn_elf_cut(e) && rn_elf_bytes_read(e) < 1 << 20);
	rn_elf_close(e);
	assert_int_equal(rn_elf_functions(fd, names, 2, f), -EFBIG);
	assert_int_equal(rn_elf_functions(fd, names, 1, f), 1); /* all: nothing was missed */
	close(fd);
	free(x.p);
}

/* Its owner cuts a file that is open here: no signal comes, and the result says so. */
static void cut_while_it_is_read(void **state)
{
	struct image x = good();
	struct rn_elf *e;
	struct rn_symbols *s;
	int fd = temporary();

	(void)state;

	assert_int_equal(pwrite(fd, x.p, x.n, 0), (ssize_t)x.n);
	e = rn_elf_open(fd, &rn_elf_found);
	assert_int_equal(ftruncate(fd, CODE), 0);
	s = rn_symbols_elf(e);
	assert_string_equal(name_at(s, BASE), "");
	assert_true(rn_symbols_cut(s));
	rn_symbols_free(s);
	rn_elf_close(e);
	close(fd);
	free(x.p);
}

static void what_is_no_file(void **state)
{
	static const char *const paths[] = {"/dev/zero", "/dev/null", "/tmp", "/proc/self/status"};
	static const char *const names[] = {"first"};
	struct rn_elf_function f[1];
	int ends[2];

	(void)state;

	for (unsigned i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		int fd = open(paths[i], O_RDONLY | O_CLOEXEC);

		assert_null(rn_elf_open(fd, &rn_elf_found));
		assert_int_equal(rn_elf_functions(fd, names, 1, f), -ENOEXEC);
		close(fd);
	}
	assert_int_equal(pipe(ends), 0);
	assert_null(rn_elf_open(ends[0], &rn_elf_found)); /* it would wait for ever */
	assert_null(rn_elf_open(-1, &rn_elf_found));
	close(ends[0]);
	close(ends[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_good_file),          cmocka_unit_test(functions_by_name),
		cmocka_unit_test(of_32_bits),           cmocka_unit_test(names_that_overlap),
		cmocka_unit_test(limits_are_told),      cmocka_unit_test(cut_anywhere),
		cmocka_unit_test(headers_that_lie),     cmocka_unit_test(sparse_files),
		cmocka_unit_test(cut_while_it_is_read), cmocka_unit_test(what_is_no_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
