/* leaves_x86.c - see leaves.h: the code of x86-64, read by Zydis from the piece's beginning to its
 * end. */
#include <Zydis/Zydis.h>
#include <string.h>
#include "probes/uprobe/leaves.h"

static const char *const not_understood = "its code is not understood",
			 *const anywhere = "it jumps to where a register points",
			 *const too_many = "it is left at too many places, or where no probe may "
					   "sit";

struct insn {
	ZydisDecodedInstruction in;
	ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
	uint64_t at;
};
/* The last instructions, in a ring. */
enum { BEFORE = 8 };
struct walk {
	const struct rn_piece *piece;
	ZydisDecoder decoder;
	unsigned at; /* of the next instruction */
	struct insn last[BEFORE];
	unsigned n; /* instructions so far; the latest is last[(n - 1) % BEFORE] */
};

static bool begin(struct walk *w, const struct rn_piece *piece)
{
	memset(w, 0, sizeof(*w));
	w->piece = piece;
	return ZYAN_SUCCESS(
		ZydisDecoderInit(&w->decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64));
}

/* The instruction that is k before the latest; NULL: it is not kept. */
static const struct insn *before(const struct walk *w, unsigned k)
{
	return k < BEFORE && k < w->n ? &w->last[(w->n - 1 - k) % BEFORE] : NULL;
}

/* Returns the next instruction; NULL at the end, and with *bad if it is not understood. */
static const struct insn *next(struct walk *w, bool *bad)
{
	struct insn *x = &w->last[w->n % BEFORE];

	if (w->at >= w->piece->n)
		return NULL;
	*bad = ZYAN_FAILED(ZydisDecoderDecodeFull(&w->decoder, w->piece->code + w->at,
						  w->piece->n - w->at, &x->in, x->op)) ||
	       x->in.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR;
	if (*bad)
		return NULL;
	x->at = w->piece->address + w->at;
	w->at += x->in.length;
	w->n++;
	return x;
}

/* ---- instructions ---- */

static bool is_register(const ZydisDecodedOperand *o)
{
	return o->type == ZYDIS_OPERAND_TYPE_REGISTER;
}

static bool is_memory(const ZydisDecodedOperand *o)
{
	return o->type == ZYDIS_OPERAND_TYPE_MEMORY;
}

static bool is_jump(const struct insn *x)
{
	return x->in.meta.category == ZYDIS_CATEGORY_COND_BR ||
	       x->in.meta.category == ZYDIS_CATEGORY_UNCOND_BR;
}

static bool is_always(const struct insn *x)
{
	return x->in.meta.category == ZYDIS_CATEGORY_UNCOND_BR;
}

static bool is_direct(const struct insn *x)
{
	return x->op[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && x->op[0].imm.is_relative;
}

static uint64_t target_of(const struct insn *x)
{
	return x->at + x->in.length + (uint64_t)x->op[0].imm.value.s;
}

/* jmp *puts@GOTPCREL(%rip): to a function of another file. */
static bool through_table_of_functions(const struct insn *x)
{
	return is_memory(&x->op[0]) && x->op[0].mem.base == ZYDIS_REGISTER_RIP;
}

/* What follows it in the code is not run after it: a call that ends a piece does not return. */
static bool ends(const struct insn *x)
{
	return is_always(x) || x->in.meta.category == ZYDIS_CATEGORY_RET ||
	       x->in.meta.category == ZYDIS_CATEGORY_CALL || x->in.mnemonic == ZYDIS_MNEMONIC_UD2 ||
	       x->in.mnemonic == ZYDIS_MNEMONIC_HLT || x->in.mnemonic == ZYDIS_MNEMONIC_INT3;
}

static bool is_nothing(const struct insn *x)
{
	return x->in.meta.category == ZYDIS_CATEGORY_NOP ||
	       x->in.meta.category == ZYDIS_CATEGORY_WIDENOP;
}

/* ---- a jump to a place that a table gives ---- */

/* The latest instruction before that one, counted from the latest, that writes to the register.
 * NULL: none of those that are kept does. */
static const struct insn *written(const struct walk *w, unsigned *k, ZydisRegister r)
{
	const struct insn *x;

	while ((x = before(w, ++*k)))
		for (unsigned i = 0; i < x->in.operand_count; i++)
			if (is_register(&x->op[i]) &&
			    x->op[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE &&
			    ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64,
							     x->op[i].reg.value) == r)
				return x;
	return NULL;
}

/* Is it the address of an entry of a table: TABLE(,%index,SIZE)? */
static bool is_entry(const ZydisDecodedOperand *o, ZydisRegister base, unsigned size)
{
	return is_memory(o) && o->mem.base == base && o->mem.index != ZYDIS_REGISTER_NONE &&
	       o->mem.scale == size && o->mem.segment != ZYDIS_REGISTER_FS &&
	       o->mem.segment != ZYDIS_REGISTER_GS;
}

/* lea TABLE(%rip),%base; movslq (%base,%index,4),%x; add: with the base in one of two registers. */
static bool distances(const struct walk *w, unsigned k, ZydisRegister base, ZydisRegister x,
		      uint64_t *place)
{
	unsigned from = k;
	const struct insn *load = written(w, &k, x), *lea = written(w, &from, base);
	int64_t by;

	if (!load || load->in.mnemonic != ZYDIS_MNEMONIC_MOVSXD ||
	    !is_entry(&load->op[1], base, 4) || load->op[1].mem.disp.value || !lea ||
	    lea->at > load->at || lea->in.mnemonic != ZYDIS_MNEMONIC_LEA ||
	    lea->op[1].mem.base != ZYDIS_REGISTER_RIP)
		return false;
	*place = lea->at + lea->in.length + (uint64_t)lea->op[1].mem.disp.value;
	if (!w->piece->number(w->piece->self, *place, 4, &by))
		return false;
	*place += (uint64_t)by;
	return true;
}

static bool addresses(const struct walk *w, const ZydisDecodedOperand *o, uint64_t *place)
{
	int64_t x;

	if (!is_entry(o, ZYDIS_REGISTER_NONE, 8) ||
	    !w->piece->number(w->piece->self, (uint64_t)o->mem.disp.value, 8, &x))
		return false;
	*place = (uint64_t)x;
	return true;
}

/* Finds the first place of the table that gives the latest instruction its place. */
static bool first_of_table(const struct walk *w, const struct insn *x, uint64_t *place)
{
	const struct insn *set;
	unsigned k = 0;

	if (is_memory(&x->op[0]))
		return addresses(w, &x->op[0], place);
	if (!is_register(&x->op[0]))
		return false;
	set = written(w, &k, x->op[0].reg.value);
	if (set && set->in.mnemonic == ZYDIS_MNEMONIC_ADD && is_register(&set->op[0]) &&
	    is_register(&set->op[1]))
		return distances(w, k, set->op[0].reg.value, set->op[1].reg.value, place) ||
		       distances(w, k, set->op[1].reg.value, set->op[0].reg.value, place);
	return set && set->in.mnemonic == ZYDIS_MNEMONIC_MOV && addresses(w, &set->op[1], place);
}

/* ---- all of a piece ---- */

static bool is_inside(const struct rn_piece *p, uint64_t address)
{
	return (address >= p->address && address - p->address < p->n) ||
	       p->target(p->self, address) == RN_TARGET_INSIDE;
}

static const char *leave(const struct rn_piece *p, const struct insn *x, bool jump)
{
	p->seen->doubtful |= p->stack(p->self, x->at) == RN_STACK_USED;
	return p->leave(p->self, x->at, jump) ? NULL : too_many;
}

/* A jump to another function. */
static const char *leave_by(const struct rn_piece *p, const struct insn *x)
{
	return is_always(x) ? leave(p, x, true) : "it jumps to another function on a condition";
}

static const char *jump_anywhere(const struct walk *w, const struct insn *x)
{
	const struct rn_piece *p = w->piece;
	enum rn_stack_at stack = p->stack(p->self, x->at);
	uint64_t place;

	if (!is_always(x))
		return anywhere;
	if (through_table_of_functions(x))
		return leave_by(p, x);
	if (stack == RN_STACK_USED)
		p->seen->relies = true;
	else if (stack == RN_STACK_UNKNOWN || !first_of_table(w, x, &place) || place == p->entry ||
		 !is_inside(p, place))
		return anywhere;
	p->seen->switches = true;
	return NULL;
}

static const char *jump(const struct walk *w, const struct insn *x)
{
	const struct rn_piece *p = w->piece;
	uint64_t to;

	if (!is_direct(x))
		return jump_anywhere(w, x);
	to = target_of(x);
	if (to == p->entry)
		return "it jumps to its own beginning";
	if (to >= p->address && to - p->address < p->n)
		return NULL;
	switch (p->target(p->self, to)) {
	case RN_TARGET_INSIDE: return NULL;
	case RN_TARGET_FUNCTION: return leave_by(p, x);
	default: return "it jumps to what is no function";
	}
}

static const char *look_at(const struct walk *w, const struct insn *x)
{
	const struct rn_piece *p = w->piece;

	switch (x->in.meta.category) {
	case ZYDIS_CATEGORY_RET:
		if (x->in.mnemonic != ZYDIS_MNEMONIC_RET)
			return not_understood;
		return leave(p, x, false);
	case ZYDIS_CATEGORY_COND_BR:
	case ZYDIS_CATEGORY_UNCOND_BR: return jump(w, x);
	case ZYDIS_CATEGORY_SYSRET:
	case ZYDIS_CATEGORY_INTERRUPT:
		return x->in.mnemonic == ZYDIS_MNEMONIC_INT3 ? NULL : not_understood;
	default: return NULL;
	}
}

const char *rn_leaves_find(const struct rn_piece *piece)
{
	const char *why = NULL;
	const struct insn *x;
	struct walk w;
	bool bad = false, ended = false;

	if (!begin(&w, piece))
		return not_understood;
	while (!why && (x = next(&w, &bad))) {
		why = look_at(&w, x);
		ended = ends(x) || (ended && is_nothing(x));
	}
	if (bad)
		return not_understood;
	return why ? why : ended ? NULL : "it goes on in what follows it";
}

bool rn_leaves_loops(const struct rn_piece *piece)
{
	const struct insn *x;
	bool bad = false;
	struct walk w;

	if (!begin(&w, piece))
		return false;
	while ((x = next(&w, &bad)))
		if (is_jump(x) && is_direct(x) && target_of(x) == piece->entry)
			return true;
	return false;
}

bool rn_leaves_once(const struct rn_piece *piece, uint64_t probe)
{
	const struct insn *x;
	bool bad = false;
	struct walk w;

	if (!begin(&w, piece))
		return false;
	while ((x = next(&w, &bad))) {
		if (!is_jump(x))
			continue;
		if (!is_direct(x) || (target_of(x) >= piece->entry && target_of(x) <= probe))
			return false;
		if (target_of(x) - piece->address >= piece->n &&
		    piece->target(piece->self, target_of(x)) != RN_TARGET_FUNCTION)
			return false;
	}
	return !bad;
}

bool rn_leaves_ways_out(const struct rn_piece *piece, bool *returns)
{
	const struct insn *x;
	bool bad = false;
	struct walk w;

	*returns = false;
	if (!begin(&w, piece))
		return false;
	while ((x = next(&w, &bad))) {
		*returns |=
			x->in.meta.category == ZYDIS_CATEGORY_RET || (is_jump(x) && !is_direct(x));
		if (is_jump(x) && is_direct(x) && target_of(x) - piece->address >= piece->n)
			piece->target(piece->self, target_of(x));
	}
	return !bad;
}
