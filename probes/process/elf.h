/* elf.h - inside probes/: reads ELF files that anybody may have made, and so costs no more than its
 * limits say.
 *
 * Sections and symbols of ELF files are read here alone. Not libelf: that takes a section whole,
 * keeps room for as many sections as the header claims, and a sparse file of a megabyte makes it
 * fill gigabytes. Here every byte is read by pread (a file that its owner cuts meanwhile is a short
 * read and no signal), is charged before it is read, and a table of symbols passes by in parts;
 * only its names are kept. What a limit left out is told by rn_elf_cut. ELF of 64 and of 32 bits,
 * of this machine's byte order; of tables, the first .symtab and .dynsym.
 *
 * An rn_elf belongs to one thread. The format: System V ABI, chapters 4 and 5; elf(5). */
#ifndef RN_PROBES_PROCESS_ELF_H
#define RN_PROBES_PROCESS_ELF_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RN_ELF_SEGMENTS = 64 };

struct rn_elf_limits {
	uint64_t bytes;   /* that are read of one file */
	uint64_t names;   /* bytes of names that are held in memory */
	uint32_t symbols; /* functions that are shown */
	int64_t ns;       /* from the opening on */
};
/* What a process has mapped: it may be the file of any user. */
extern const struct rn_elf_limits rn_elf_found;
/* What the query names itself. */
extern const struct rn_elf_limits rn_elf_named;

struct rn_elf;
/* The file `fd`, which stays the caller's and must stay open. NULL if it is no regular file, or
 * no ELF file that is understood. No more is read than the file has blocks on its disk. */
struct rn_elf *rn_elf_open(int fd, const struct rn_elf_limits *limits);
/* n bytes of memory that must live as long. */
struct rn_elf *rn_elf_memory(const void *p, size_t n, const struct rn_elf_limits *limits);
void rn_elf_close(struct rn_elf *e); /* NULL is allowed */

/* Did a limit, or a table that contradicts itself, leave something out? */
bool rn_elf_cut(const struct rn_elf *e);
uint64_t rn_elf_bytes_read(const struct rn_elf *e);
/* Copies n bytes at `off`. False if the file does not have them, or they are more than may still
 * be read. */
bool rn_elf_read(struct rn_elf *e, uint64_t off, void *to, size_t n);

struct rn_elf_segment {
	uint64_t off, bytes, address;
	bool code;
}; /* what is loaded */
const struct rn_elf_segment *rn_elf_segments(const struct rn_elf *e, unsigned *n);

struct rn_elf_symbol {
	uint64_t address, bytes;
	const char *name; /* in the names, which overlap as they do in the file */
	uint32_t at;      /* where there */
	bool ifunc;       /* its address is that of what chooses it */
};
/* Shows each defined function with a name, those of .dynsym first; an address may come twice.
 * Ends if fn returns false. */
typedef bool rn_elf_fn(void *self, const struct rn_elf_symbol *y);
void rn_elf_each(struct rn_elf *e, rn_elf_fn *fn, void *self);
/* The names, once rn_elf_each has returned: to be freed by the caller. */
char *rn_elf_take_names(struct rn_elf *e, size_t *n);

/* Functions by name: offset in the file (0: it does not define that one) and length. An endbr64
 * that a function begins with is skipped, which makes a probe there an order of magnitude
 * cheaper. The number found. */
struct rn_elf_function {
	uint64_t off, bytes;
};
int rn_elf_find(struct rn_elf *e, const char *const *names, unsigned n,
		struct rn_elf_function *out);
/* The same of a file that was found, which is not read beyond what a library needs. Negative
 * errno: -ENOEXEC if it is no ELF file, -EFBIG if a limit kept some from being found. */
int rn_elf_functions(int fd, const char *const *names, unsigned n, struct rn_elf_function *out);
#endif
