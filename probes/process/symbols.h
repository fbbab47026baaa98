/* symbols.h - inside probes/: from an address to the name of a function, of the kernel (kallsyms)
 * or of an ELF file.
 *
 * A table is read once, sorted, and searched by halves. Names are as in the file: those of C++ stay
 * mangled. If an address has several names, the plainest wins: fewest leading underscores, then the
 * shortest, then the first in order. A file's table points into the file's own names, however many
 * symbols share them. */
#ifndef RN_PROBES_PROCESS_SYMBOLS_H
#define RN_PROBES_PROCESS_SYMBOLS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rn_elf;
struct rn_symbols;
/* The part of a name that is read, with the zero byte. */
enum { RN_SYMBOL_BYTES = 512 };

/* Reads functions from a text in the form of /proc/kallsyms ("ADDRESS TYPE NAME [MODULE]");
 * addresses of 0 (hidden from us) do not count. */
struct rn_symbols *rn_symbols_kallsyms(const char *text, size_t n);
/* Reads those of the running kernel. Never NULL, but empty if kallsyms cannot be read. */
struct rn_symbols *rn_symbols_kernel(void);
/* Reads functions of an ELF file, within the limits that it was opened with; addresses are virtual
 * ones of the file. elf stays the caller's. NULL: the table is empty. */
struct rn_symbols *rn_symbols_elf(struct rn_elf *elf);
void rn_symbols_free(struct rn_symbols *symbols);          /* NULL is allowed */
bool rn_symbols_cut(const struct rn_symbols *symbols);     /* a limit left functions out */
size_t rn_symbols_bytes(const struct rn_symbols *symbols); /* memory of a file's table */

/* Copies the name of the function that holds the address to out, up to a ";" or a line's end.
 * Returns its length, `room` if it was cut, 0 if there is none. */
size_t rn_symbols_find(const struct rn_symbols *symbols, uint64_t address, char *out, size_t room);
/* ELF: returns the virtual address of this offset of the file; the offset itself if no segment maps
 * it. */
uint64_t rn_symbols_address(const struct rn_symbols *symbols, uint64_t file_offset);
#endif
