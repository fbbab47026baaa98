/* leaves_x86.c - see leaves.h: the code of x86-64, read by Zydis from the piece's beginning to its
 * end. */
#include <Zydis/Zydis.h>
#include "probes/uprobe/leaves.h"

static const char *const not_understood = "its code is not understood",
			 *const anywhere = "it jumps to where a register points";

struct insn {
	ZydisDecodedInstruction in;
	ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
	uint64_t at;
};

static bool is_direct(const struct insn *x)
{
	return x->op[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && x->op[0].imm.is_relative;
}

/* jmp *puts@GOTPCREL(%rip): to a function of another file. */
static bool through_table_of_functions(const struct insn *x)
{
	return x->op[0].type == ZYDIS_OPERAND_TYPE_MEMORY &&
	       x->op[0].mem.base == ZYDIS_REGISTER_RIP;
}

static const char *jump(const struct rn_piece *p, const struct insn *x)
{
	bool always = x->in.meta.category == ZYDIS_CATEGORY_UNCOND_BR;
	uint64_t to;

	if (!is_direct(x)) {
		if (!always || !through_table_of_functions(x))
			return anywhere;
		return p->leave(p->self, x->at, true) ? NULL : "it is left at too many places";
	}
	to = x->at + x->in.length + (uint64_t)x->op[0].imm.value.s;
	if (to == p->entry)
		return "it jumps to its own beginning";
	if (to >= p->address && to - p->address < p->n)
		return NULL;
	switch (p->target(p->self, to)) {
	case RN_TARGET_INSIDE: return NULL;
	case RN_TARGET_FUNCTION:
		if (!always)
			return "it jumps to another function on a condition";
		return p->leave(p->self, x->at, true) ? NULL : "it is left at too many places";
	default: return "it jumps to what is no function";
	}
}

const char *rn_leaves_find(const struct rn_piece *piece)
{
	const char *why = NULL;
	ZydisDecoder decoder;
	struct insn x;

	if (ZYAN_FAILED(
		    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)))
		return not_understood;
	for (unsigned at = 0; at < piece->n && !why; at += x.in.length) {
		if (ZYAN_FAILED(ZydisDecoderDecodeFull(&decoder, piece->code + at, piece->n - at,
						       &x.in, x.op)) ||
		    x.in.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
			return not_understood;
		x.at = piece->address + at;
		switch (x.in.meta.category) {
		case ZYDIS_CATEGORY_RET:
			if (x.in.mnemonic != ZYDIS_MNEMONIC_RET)
				return not_understood;
			if (!piece->leave(piece->self, x.at, false))
				why = "it is left at too many places";
			break;
		case ZYDIS_CATEGORY_COND_BR:
		case ZYDIS_CATEGORY_UNCOND_BR: why = jump(piece, &x); break;
		case ZYDIS_CATEGORY_SYSRET:
		case ZYDIS_CATEGORY_INTERRUPT:
			if (x.in.mnemonic != ZYDIS_MNEMONIC_INT3)
				return not_understood;
			break;
		default: break;
		}
	}
	return why;
}

bool rn_leaves_loops(const struct rn_piece *piece)
{
	bool loops = false;
	ZydisDecoder decoder;
	struct insn x = {.in.length = 1};

	if (ZYAN_FAILED(
		    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)))
		return false;
	for (unsigned at = 0; at < piece->n && !loops; at += x.in.length) {
		if (ZYAN_FAILED(ZydisDecoderDecodeInstruction(&decoder, NULL, piece->code + at,
							      piece->n - at, &x.in)))
			return false;
		if (x.in.meta.category == ZYDIS_CATEGORY_COND_BR ||
		    x.in.meta.category == ZYDIS_CATEGORY_UNCOND_BR)
			loops = x.in.raw.imm[0].is_relative &&
				piece->address + at + x.in.length +
						(uint64_t)x.in.raw.imm[0].value.s ==
					piece->entry;
	}
	return loops;
}
