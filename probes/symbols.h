/* symbols.h - inside probes/: from an address to the name of a function: of the kernel (kallsyms) or of an ELF file.
 *
 * A table is read once, sorted, and searched by halves. Names are as the file has them: those of C++ stay mangled. Of several
 * names for one address the plainest wins: fewest leading underscores, then the shortest, then the first in order. */
#ifndef RN_PROBES_SYMBOLS_H
#define RN_PROBES_SYMBOLS_H
#include <stddef.h>
#include <stdint.h>

struct rn_symbols;

/* Functions of a text in the form of /proc/kallsyms ("ADDRESS TYPE NAME [MODULE]"); addresses of 0 (hidden from us) do not count. */
struct rn_symbols *rn_symbols_kallsyms(const char *text, size_t n);
/* Of the running kernel. Never NULL, but empty if kallsyms cannot be read. */
struct rn_symbols *rn_symbols_kernel(void);
/* Functions of an ELF file, from .symtab and .dynsym; addresses are virtual ones of the file. Empty if it is no ELF file. */
struct rn_symbols *rn_symbols_elf(int fd);
void rn_symbols_free(struct rn_symbols *s); /* NULL is allowed */

/* The function that holds the address; NULL if none does. It lives as long as the table. */
const char *rn_symbols_find(const struct rn_symbols *s, uint64_t address);
/* ELF: the virtual address of what is at this offset of the file; the offset itself where no segment maps it. */
uint64_t rn_symbols_address(const struct rn_symbols *s, uint64_t file_offset);
#endif
