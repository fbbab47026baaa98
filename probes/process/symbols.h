/* symbols.h - inside probes/: from an address to the name of a function: of the kernel (kallsyms)
 * or of an ELF file.
 *
 * A table is read once, sorted, and searched by halves. Names are as the file has them: those of
 * C++ stay mangled. Of several names for one address the plainest wins: fewest leading
 * underscores, then the shortest, then the first in order. A table of a file points into the
 * file's own names, however many symbols share them. */
#ifndef RN_PROBES_PROCESS_SYMBOLS_H
#define RN_PROBES_PROCESS_SYMBOLS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rn_elf;
struct rn_symbols;
/* Of a name, with the zero byte: of longer ones no more is looked at. */
enum { RN_SYMBOL_BYTES = 512 };

/* Functions of a text in the form of /proc/kallsyms ("ADDRESS TYPE NAME [MODULE]"); addresses of
 * 0 (hidden from us) do not count. */
struct rn_symbols *rn_symbols_kallsyms(const char *text, size_t n);
/* Of the running kernel. Never NULL, but empty if kallsyms cannot be read. */
struct rn_symbols *rn_symbols_kernel(void);
/* Functions of an ELF file, within the limits that it was opened with; addresses are virtual
 * ones of the file. e stays the caller's. NULL: the table is empty. */
struct rn_symbols *rn_symbols_elf(struct rn_elf *e);
void rn_symbols_free(struct rn_symbols *s);          /* NULL is allowed */
bool rn_symbols_cut(const struct rn_symbols *s);     /* a limit left functions out */
size_t rn_symbols_bytes(const struct rn_symbols *s); /* of memory, of a file's table */

/* The name of the function that holds the address goes to out, up to a ";" or a line's end. Its
 * length, `room` if it was cut, 0 if there is none. */
size_t rn_symbols_find(const struct rn_symbols *s, uint64_t address, char *out, size_t room);
/* ELF: the virtual address of what is at this offset of the file; the offset itself if no
 * segment maps it. */
uint64_t rn_symbols_address(const struct rn_symbols *s, uint64_t file_offset);
#endif
