/* points_x86.c - see points.h: the code of x86-64. Zydis reads the instructions; what they mean for
 * a probe is said here. */
#include <Zydis/Zydis.h>
#include <string.h>
#include "probes/uprobe/points.h"

struct insn {
	ZydisDecodedInstruction in;
	ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
	unsigned len;
};

/* ---- what an instruction is ---- */

static bool is_register(const ZydisDecodedOperand *o)
{
	return o->type == ZYDIS_OPERAND_TYPE_REGISTER;
}

static bool is_number(const ZydisDecodedOperand *o)
{
	return o->type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
}

/* The whole register of which the operand is a part: %rax for %eax or %ah. */
static ZydisRegister whole(const ZydisDecodedOperand *o)
{
	return ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, o->reg.value);
}

/* Goes on elsewhere, or may: a branch, a call, a return, a system call, an interrupt. */
static bool goes_elsewhere(const struct insn *x)
{
	switch (x->in.meta.category) {
	case ZYDIS_CATEGORY_COND_BR:
	case ZYDIS_CATEGORY_UNCOND_BR:
	case ZYDIS_CATEGORY_CALL:
	case ZYDIS_CATEGORY_RET:
	case ZYDIS_CATEGORY_SYSCALL:
	case ZYDIS_CATEGORY_SYSRET:
	case ZYDIS_CATEGORY_INTERRUPT: return true;
	default: return false;
	}
}

static bool is_branch_if(const struct insn *x)
{
	return x->in.meta.category == ZYDIS_CATEGORY_COND_BR;
}
static bool is_jump(const struct insn *x)
{
	return x->in.meta.category == ZYDIS_CATEGORY_UNCOND_BR;
}
static bool is_call(const struct insn *x)
{
	return x->in.meta.category == ZYDIS_CATEGORY_CALL;
}
static bool is_ret(const struct insn *x)
{
	return x->in.meta.category == ZYDIS_CATEGORY_RET;
}

/* Leads to a place that is so far from its end. */
static bool is_direct(const struct insn *x)
{
	return is_number(&x->op[0]) && x->op[0].imm.is_relative;
}

/* The instructions that go elsewhere, as compilers make them of ordinary C. With an operand
 * size prefix they differ between makers of processors. */
static bool is_ordinary(const struct insn *x)
{
	if (x->in.attributes & ZYDIS_ATTRIB_HAS_OPERANDSIZE ||
	    x->in.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
		return false;
	if (is_branch_if(x)) /* by the flags: no loop, no transaction */
		return (x->in.opcode & 0xf0) ==
		       (x->in.opcode_map == ZYDIS_OPCODE_MAP_DEFAULT ? 0x70 : 0x80);
	if (is_ret(x)) /* no number of bytes, no interrupt */
		return x->in.opcode == 0xc3;
	return is_jump(x) || is_call(x);
}

/* Decodes one instruction. False: it is cut short, or not understood. Newer encodings (VEX and
 * those after it) are not: a function that has them is not of the kind that this is made for. */
static bool decode(const uint8_t *code, unsigned room, struct insn *x)
{
	ZydisDecoder decoder;

	if (ZYAN_FAILED(
		    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) ||
	    ZYAN_FAILED(ZydisDecoderDecodeFull(&decoder, code, room, &x->in, x->op)) ||
	    x->in.encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY)
		return false;
	x->len = x->in.length;
	return !goes_elsewhere(x) || is_ordinary(x);
}

unsigned rn_points_length(const uint8_t *code, unsigned n)
{
	struct insn x;

	return decode(code, n, &x) ? x.len : 0;
}

/* Kinds of instructions that compilers begin functions with, and that mean the same at another
 * place. */
static bool is_plain_kind(const struct insn *x)
{
	switch (x->in.meta.category) {
	case ZYDIS_CATEGORY_BINARY:
	case ZYDIS_CATEGORY_BITBYTE:
	case ZYDIS_CATEGORY_CALL:
	case ZYDIS_CATEGORY_CMOV:
	case ZYDIS_CATEGORY_COND_BR:
	case ZYDIS_CATEGORY_CONVERT:
	case ZYDIS_CATEGORY_DATAXFER:
	case ZYDIS_CATEGORY_LOGICAL:
	case ZYDIS_CATEGORY_LOGICAL_FP:
	case ZYDIS_CATEGORY_NOP:
	case ZYDIS_CATEGORY_POP:
	case ZYDIS_CATEGORY_RET:
	case ZYDIS_CATEGORY_ROTATE:
	case ZYDIS_CATEGORY_SETCC:
	case ZYDIS_CATEGORY_SHIFT:
	case ZYDIS_CATEGORY_SSE:
	case ZYDIS_CATEGORY_UNCOND_BR:
	case ZYDIS_CATEGORY_WIDENOP: return true;
	case ZYDIS_CATEGORY_PUSH: /* its copy would push the flag of the step */
		return x->in.mnemonic == ZYDIS_MNEMONIC_PUSH;
	default: return x->in.mnemonic == ZYDIS_MNEMONIC_LEA;
	}
}

/* Those of segments mean nothing in programs of 64 bits, and the kernel refuses them. A repeated
 * instruction is hit each time. */
static bool has_odd_prefix(const struct insn *x)
{
	for (unsigned i = 0; i < x->in.raw.prefix_count; i++)
		switch (x->in.raw.prefixes[i].value) {
		case 0x26:
		case 0x2e:
		case 0x36:
		case 0x3e:
		case 0xf0: return true; /* lock */
		default: break;
		}
	return x->in.attributes &
	       (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE);
}

bool rn_points_probed(const uint8_t *code, unsigned n)
{
	struct insn x;

	if (!decode(code, n, &x) || has_odd_prefix(&x) || !is_plain_kind(&x))
		return false;
	for (unsigned i = 0; i < x.in.operand_count; i++) /* its copy would delay the step's trap */
		if (is_register(&x.op[i]) &&
		    ZydisRegisterGetClass(x.op[i].reg.value) == ZYDIS_REGCLASS_SEGMENT)
			return false;
	return true;
}

/* arch/x86/kernel/uprobes.c: branch_setup_xol_ops, push_setup_xol_ops. */
static bool is_emulated(const struct insn *x)
{
	if (x->in.mnemonic == ZYDIS_MNEMONIC_NOP)
		return x->in.length == 1;
	if (x->in.mnemonic == ZYDIS_MNEMONIC_PUSH)
		return is_register(&x->op[0]) && x->in.opcode >= 0x50 && x->in.opcode <= 0x57 &&
		       !(x->in.attributes & ZYDIS_ATTRIB_HAS_OPERANDSIZE);
	return is_branch_if(x) || ((is_jump(x) || is_call(x)) && is_direct(x));
}

bool rn_points_emulated(const uint8_t *code, unsigned n)
{
	struct insn x;

	return decode(code, n, &x) && is_emulated(&x);
}

/* A register that neither holds an argument nor points to the stack. */
static bool is_spare(ZydisRegister r)
{
	return r == ZYDIS_REGISTER_RAX || r == ZYDIS_REGISTER_RBX || r == ZYDIS_REGISTER_RBP ||
	       (r >= ZYDIS_REGISTER_R10 && r <= ZYDIS_REGISTER_R15);
}

/* Memory at a fixed place of the file or of the thread is there. */
static bool is_safe(const ZydisDecodedOperand *o)
{
	return o->type != ZYDIS_OPERAND_TYPE_MEMORY || o->mem.base == ZYDIS_REGISTER_RIP ||
	       (o->mem.segment == ZYDIS_REGISTER_FS && o->mem.base == ZYDIS_REGISTER_NONE);
}

static bool is_passed(const struct insn *x)
{
	switch (x->in.mnemonic) {
	case ZYDIS_MNEMONIC_ENDBR64:
	case ZYDIS_MNEMONIC_NOP: return true;
	case ZYDIS_MNEMONIC_CMP:
	case ZYDIS_MNEMONIC_TEST: return is_safe(&x->op[0]) && is_safe(&x->op[1]);
	case ZYDIS_MNEMONIC_MOV:
	case ZYDIS_MNEMONIC_MOVZX:
	case ZYDIS_MNEMONIC_MOVSX:
	case ZYDIS_MNEMONIC_MOVSXD:
	case ZYDIS_MNEMONIC_XOR:
		return is_register(&x->op[0]) && is_spare(whole(&x->op[0])) && is_safe(&x->op[1]);
	case ZYDIS_MNEMONIC_LEA: return is_spare(whole(&x->op[0]));
	default: return false;
	}
}

unsigned rn_points_ahead(const uint8_t *code, unsigned n)
{
	struct insn x;

	for (unsigned at = 0; at < n && decode(code + at, n - at, &x); at += x.len) {
		if (is_emulated(&x))
			return rn_points_probed(code + at, n - at) ? at : 0;
		if (!is_passed(&x))
			return 0;
	}
	return 0;
}

/* cmp 16(%r14),%rsp or a register that was computed of it: the bound is in the goroutine, which
 * older versions kept in %rcx. */
static bool asks_for_room(const struct insn *x)
{
	const ZydisDecodedOperand *o = &x->op[1];

	return x->in.mnemonic == ZYDIS_MNEMONIC_CMP && is_register(&x->op[0]) &&
	       o->type == ZYDIS_OPERAND_TYPE_MEMORY && o->mem.disp.value == 16 &&
	       (o->mem.base == ZYDIS_REGISTER_R14 || o->mem.base == ZYDIS_REGISTER_RCX);
}

unsigned rn_points_stack_test(const uint8_t *code, unsigned n)
{
	enum { INSNS = 6, BELOW_OR_EQUAL = 6 };
	bool asked = false;
	struct insn x;

	for (unsigned i = 0, at = 0; i < INSNS && at < n && decode(code + at, n - at, &x); i++) {
		at += x.len;
		if (asked)
			return is_branch_if(&x) && (x.in.opcode & 0xf) == BELOW_OR_EQUAL ? at : 0;
		asked = asks_for_room(&x);
	}
	return 0;
}

/* ---- what may stand where ---- */

/* `add imm, %rsp`, `sub imm, %rsp`: how far. */
static bool moves_sp(const struct insn *x, ZydisMnemonic how, int64_t *by)
{
	if (x->in.mnemonic != how || !is_register(&x->op[0]) ||
	    x->op[0].reg.value != ZYDIS_REGISTER_RSP || !is_number(&x->op[1]))
		return false;
	*by = x->op[1].imm.value.s;
	return true;
}

/* Adds to a sum of such moves. False: no compiler makes a frame so large. */
static bool add_move(int32_t *sum, int64_t by)
{
	enum { FRAME_MAX = 1 << 24 };
	int64_t to = *sum + by;

	if (to < -FRAME_MAX || to > FRAME_MAX)
		return false;
	*sum = (int32_t)to;
	return true;
}

/* A register that holds no argument of the functions that are probed, nor the stack pointer. */
static bool is_free(ZydisRegister r)
{
	return r == ZYDIS_REGISTER_RAX || r == ZYDIS_REGISTER_RBX || r == ZYDIS_REGISTER_RBP ||
	       (r >= ZYDIS_REGISTER_R8 && r <= ZYDIS_REGISTER_R15);
}

/* May stand before the first branch: leaves arguments and stack pointer alone. */
static bool harmless(const struct insn *x)
{
	switch (x->in.mnemonic) {
	case ZYDIS_MNEMONIC_ENDBR64:
	case ZYDIS_MNEMONIC_NOP:
	case ZYDIS_MNEMONIC_CMP:
	case ZYDIS_MNEMONIC_TEST: return true;
	case ZYDIS_MNEMONIC_MOV:
		if (x->op[0].type == ZYDIS_OPERAND_TYPE_MEMORY)
			return true;
		break;
	case ZYDIS_MNEMONIC_XOR:
	case ZYDIS_MNEMONIC_LEA: break;
	default: return false;
	}
	return is_register(&x->op[0]) && is_free(whole(&x->op[0]));
}

/* The first branch, where the arguments are still in their registers. */
static bool find_entry(const uint8_t *code, unsigned n, struct rn_point *out)
{
	struct insn x;
	int32_t sub = 0;
	int64_t by;

	for (unsigned at = 0; at < n && decode(code + at, n - at, &x); at += x.len) {
		if (is_branch_if(&x) || (is_call(&x) && is_direct(&x))) {
			*out = (struct rn_point){at, sub};
			return true;
		}
		if (moves_sp(&x, ZYDIS_MNEMONIC_SUB, &by) ? !add_move(&sub, by) : !harmless(&x))
			return false;
	}
	return false;
}

/* Can this stand between the last branch and `ret`? What it adds to the stack pointer goes to
 * *add. */
static bool epilogue(const struct insn *x, int32_t *add)
{
	ZydisRegister r;
	int64_t by;

	if (moves_sp(x, ZYDIS_MNEMONIC_ADD, &by))
		return add_move(add, by);
	if (!is_register(&x->op[0]))
		return false;
	r = whole(&x->op[0]);
	if (r == ZYDIS_REGISTER_RAX || r == ZYDIS_REGISTER_RSP)
		return false;
	if (x->in.mnemonic == ZYDIS_MNEMONIC_POP && x->op[0].size == 64)
		return add_move(add, 8);
	return x->in.mnemonic == ZYDIS_MNEMONIC_XOR && is_register(&x->op[1]) &&
	       x->op[0].reg.value == x->op[1].reg.value;
}

/* Is there a call at `at` that nothing follows, so that it cannot return (__stack_chk_fail)? The
 * branch to it is then taken at most once. */
static bool gives_up(const uint8_t *code, unsigned n, int64_t at)
{
	struct insn x;

	return at > 0 && at < n && decode(code + at, n - (unsigned)at, &x) && is_call(&x) &&
	       is_direct(&x) && at + x.len == n;
}

/* Where the branch at `at` leads. */
static int64_t target(const struct insn *x, unsigned at)
{
	return (int64_t)at + x->len + x->op[0].imm.value.s;
}

/* Offset of the `ret` after a point where the function is left. */
static unsigned ret_after(const uint8_t *code, unsigned n, unsigned at)
{
	struct insn x;

	while (at < n && decode(code + at, n - at, &x) && !is_ret(&x))
		at += x.len;
	return at;
}

/* The points where the function is left. False: not all of it is understood, or too many are. */
static bool find_leaves(const uint8_t *code, unsigned n, struct rn_points *out)
{
	/* offset of the last branch, if only an epilogue's instructions followed, + 1 */
	uint32_t branch = 0;
	int32_t add = 0;
	struct insn x;

	for (unsigned at = 0; at < n; at += x.len) {
		if (!decode(code + at, n - at, &x))
			return false;
		if (is_branch_if(&x)) {
			branch = gives_up(code, n, target(&x, at)) ? at + 1 : 0;
			add = 0;
		} else if (is_ret(&x)) {
			if (!branch || out->nleave == RN_POINTS_RETURNS)
				return false;
			out->leave[out->nleave++] = (struct rn_point){branch - 1, add};
			branch = 0;
		} else if (!branch || !epilogue(&x, &add)) {
			branch = 0;
		}
		if (is_jump(&x) && !is_direct(&x)) /* to who knows where */
			return false;
	}
	return out->nleave > 0;
}

/* No branch leads out of the function other than a call, into the way from its beginning to the
 * entry, or past a point where it is left. */
static bool stays_inside(const uint8_t *code, unsigned n, const struct rn_points *p)
{
	struct insn x;

	for (unsigned at = 0; at < n; at += x.len) {
		int64_t to;

		if (!decode(code + at, n - at, &x))
			return false;
		if (!is_branch_if(&x) && !is_jump(&x))
			continue;
		to = target(&x, at);
		if (to < 0 || to >= n || to <= p->entry.off)
			return false;
		for (unsigned i = 0; i < p->nleave; i++)
			if (to > p->leave[i].off && to <= ret_after(code, n, p->leave[i].off))
				return false;
	}
	return true;
}

bool rn_points_find(const uint8_t *code, unsigned n, struct rn_points *out)
{
	memset(out, 0, sizeof(*out));
	return n <= RN_POINTS_BYTES && find_entry(code, n, &out->entry) &&
	       find_leaves(code, n, out) && stays_inside(code, n, out);
}
