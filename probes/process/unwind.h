/* unwind.h - the pieces of code that an ELF file's tables for unwinding describe (.eh_frame): where
 * each begins and ends, and whether the stack is there as at the beginning of a function.
 *
 * Stripped files keep these tables: exceptions, and the ends of threads, need them. A compiler
 * writes one entry for each function, and one more for a part of it that lies elsewhere, because it
 * is seldom run. Such a part begins in the midst of a call: its frame is on the stack already.
 *
 * Any user may have made the file: every read is charged by elf.h, every size and place is checked,
 * and an entry that contradicts itself or is not understood is none. The sorted table of
 * .eh_frame_hdr is what finds an entry; without one the file has no pieces. Formats: DWARF 5,
 * section 6.4; Linux Standard Base 5, chapter 10.6; System V ABI for x86-64, section 4.2.4. */
#ifndef RN_PROBES_PROCESS_UNWIND_H
#define RN_PROBES_PROCESS_UNWIND_H
#include "probes/process/elf.h"

struct rn_unwind;
/* NULL: the file has no such tables, or none that are understood. elf must live as long. */
struct rn_unwind *rn_unwind_read(struct rn_elf *elf);
void rn_unwind_free(struct rn_unwind *unwind); /* NULL is allowed */

struct rn_unwind_piece {
	uint64_t address, bytes;
	unsigned index; /* among all, by address */
	bool fresh;     /* where it begins, the stack is as at the beginning of a function */
};
unsigned rn_unwind_count(const struct rn_unwind *unwind); /* of NULL: 0 */
/* Gives the i-th piece; reads its entry once. False: its entry is not understood. */
bool rn_unwind_piece(struct rn_unwind *unwind, unsigned i, struct rn_unwind_piece *piece);
/* Gives the piece that holds the address. False: none does. unwind may be NULL. */
bool rn_unwind_find(struct rn_unwind *unwind, uint64_t address, struct rn_unwind_piece *piece);

/* From an address on, up to the next row's. */
struct rn_unwind_row {
	uint64_t address;
	bool fresh; /* the stack is as at the beginning of a function: nothing is on it */
};
/* Gives the piece that holds the address, and its rows, the first one at its beginning; max: room
 * for them, more than one. Returns how many; 0: none, or not understood. */
unsigned rn_unwind_rows(struct rn_unwind *unwind, uint64_t address, struct rn_unwind_piece *piece,
			struct rn_unwind_row *rows, unsigned max);
#endif
