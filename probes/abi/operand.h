/* operand.h - where a static probe of a program keeps its arguments. probes/uprobe/usdt_notes.c
 * makes it of a note; programs in the kernel read the value by it (probes/gen/arguments.c). */
#ifndef RN_PROBES_ABI_OPERAND_H
#define RN_PROBES_ABI_OPERAND_H
#include "probes/abi/abi.h"

enum { RN_OPERANDS = 12 }; /* of one probe; arg0 to arg11 */
enum rn_operand_kind {
	RN_OPERAND_NONE,    /* the place has no such argument */
	RN_OPERAND_UNKNOWN, /* it has one, and it cannot be read */
	/* the sum is the value; or the address of the value in memory of the program */
	RN_OPERAND_VALUE,
	RN_OPERAND_MEMORY,
};
/* The sum: base register + (index register << scale) + constant. Registers are offsets in the
 * kernel's struct pt_regs, plus 1 for the second byte of a register; RN_NO_REGISTER: there is none.
 * The lower 64 - shift bits of the value count, with their sign or without. */
struct rn_operand {
	rn_u64 constant;
	rn_u16 base, index;
	rn_u8 kind, scale, shift, is_signed;
};
enum { RN_NO_REGISTER = 0xffff };
struct rn_operands { /* of one place of a probe: value of the map of places, by number of the place
		      */
	struct rn_operand arg[RN_OPERANDS];
};
#endif
