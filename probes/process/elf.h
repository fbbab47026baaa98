/* elf.h - inside probes/: reads ELF files that any user may have made, and so costs no more than
 * its limits allow.
 *
 * Only this module reads sections and symbols of ELF files. It does not use libelf: that reads a
 * section whole and keeps room for as many sections as the header claims, so a sparse file of a
 * megabyte makes it fill gigabytes. Here pread reads every byte: a file that its owner cuts
 * meanwhile is a short read and no signal. Every byte is charged before it is read. A table of
 * symbols passes by in parts; only its names are kept. rn_elf_cut reports what a limit left out.
 * ELF of 64 and of 32 bits, of this machine's byte order; of tables, the first .symtab and .dynsym.
 *
 * An rn_elf belongs to one thread. The format: System V ABI, chapters 4 and 5; elf(5). */
#ifndef RN_PROBES_PROCESS_ELF_H
#define RN_PROBES_PROCESS_ELF_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RN_ELF_SEGMENTS = 64 };

struct rn_elf_limits {
	uint64_t bytes;   /* bytes read from one file */
	uint64_t names;   /* bytes of names held in memory */
	uint32_t symbols; /* functions passed to the callback */
	int64_t ns;       /* from the opening on */
	uint32_t passes;  /* times that the blocks of the file may be read; 0: once */
};
/* For files that a process has mapped: any user may have made them. */
extern const struct rn_elf_limits rn_elf_found;
/* For files that the query names. */
extern const struct rn_elf_limits rn_elf_named;

struct rn_elf;
/* Opens the file `fd`, which stays the caller's and must stay open. NULL if it is no regular file,
 * or no ELF file that is understood. Reads no more than the file's blocks on its disk, once, or as
 * often as the limits say. */
struct rn_elf *rn_elf_open(int fd, const struct rn_elf_limits *limits);
/* The same for n bytes of memory, which must live as long. */
struct rn_elf *rn_elf_memory(const void *p, size_t n, const struct rn_elf_limits *limits);
void rn_elf_close(struct rn_elf *elf); /* NULL is allowed */

/* Did a limit, or a table that contradicts itself, leave something out? */
bool rn_elf_cut(const struct rn_elf *elf);
/* Is it of 64 bits, for the processor that this program is for? */
bool rn_elf_native(const struct rn_elf *elf);
/* Address and length of .eh_frame_hdr, as the header says; 0: there is none. */
uint64_t rn_elf_unwind(const struct rn_elf *elf, uint64_t *bytes);
uint64_t rn_elf_bytes_read(const struct rn_elf *elf);
/* Copies n bytes at `off`. False if the file does not have them, or if they exceed what may still
 * be read. */
bool rn_elf_read(struct rn_elf *elf, uint64_t off, void *to, size_t n);

struct rn_elf_segment {
	uint64_t off, bytes, address;
	bool code;
}; /* a loaded segment */
const struct rn_elf_segment *rn_elf_segments(const struct rn_elf *elf, unsigned *n);

/* A section that the file has bytes of; its name, cut to what fits. */
struct rn_elf_section {
	char name[32];
	bool notes; /* it is one of notes */
	uint64_t off, bytes, address;
};
/* Passes each section to fn. Ends if fn returns false. */
typedef bool rn_elf_section_fn(void *self, const struct rn_elf_section *section);
void rn_elf_sections(struct rn_elf *elf, rn_elf_section_fn *fn, void *self);
bool rn_elf_wide(const struct rn_elf *elf); /* is it of 64 bits? */

struct rn_elf_symbol {
	uint64_t address, bytes;
	const char *name; /* in the names, which overlap as they do in the file */
	uint32_t at;      /* place in names */
	bool ifunc;       /* its address is that of the function that chooses it */
};
/* Passes each defined function with a name to fn, those of .dynsym first; an address may come
 * twice. Ends if fn returns false. */
typedef bool rn_elf_fn(void *self, const struct rn_elf_symbol *symbol);
void rn_elf_each(struct rn_elf *elf, rn_elf_fn *fn, void *self);
/* Returns the names, once rn_elf_each has returned: the caller frees them. */
char *rn_elf_take_names(struct rn_elf *elf, size_t *n);

/* Finds functions by name: offset in the file (0: not defined there) and length. Skips an endbr64
 * at a function's beginning, which makes a probe there an order of magnitude cheaper. Returns the
 * number found. */
struct rn_elf_function {
	uint64_t off, bytes;
};

/* ---- elf_find.c ---- */

/* Returns where in the file the byte of this address is; 0: it is in no loaded code. */
uint64_t rn_elf_offset(const struct rn_elf *elf, uint64_t address);
/* The same of any loaded byte; 0 also for the file's first one. */
uint64_t rn_elf_data(const struct rn_elf *elf, uint64_t address);
/* Returns where in the file a probe on the function at this address belongs: behind an endbr64. 0:
 * the address is in no loaded code. */
uint64_t rn_elf_place(struct rn_elf *elf, uint64_t address);
int rn_elf_find(struct rn_elf *elf, const char *const *names, unsigned n,
		struct rn_elf_function *out);
/* The same for a found file; reads no more than a library needs. Negative errno: -ENOEXEC if it is
 * no ELF file, -EFBIG if a limit kept some from being found, -ENOTSUP if it has them for another
 * processor. */
int rn_elf_functions(int fd, const char *const *names, unsigned n, struct rn_elf_function *out);
#endif
