/* x86.c - see x86.h: lengths of the instructions that compilers make of ordinary C, branches, and
 * what moves the stack pointer. */
#include "probes/uprobe/x86.h"
#include <string.h>

struct insn {
	unsigned len;
	uint8_t op, modrm, rex;
	bool two, segment, has_modrm; /* two: opcode 0f op */
	int64_t imm;                  /* or the distance of a branch */
};

/* By opcode: m modrm; 1 imm8; 4 imm32; b modrm, imm8; d modrm, imm32; j rel8; J rel32; . nothing; f
 * group 3 (f6, f7); else not understood. */
static const char one[257] =
	"mmmm14  mmmm14  mmmm14  mmmm14  mmmm14  mmmm14  mmmm14  mmmm14  " /* 00-3f */
	"                ................   m    4d1b    jjjjjjjjjjjjjjjj" /* 40-7f: 40-4f
									    * prefixes */
	"bd bmmmmmmmm m  ..........      "                                 /* 80-9f */
	"    ..  14..    1111111144444444"                                 /* a0-bf */
	"bb .  bd .      mmmm            "                                 /* c0-df */
	"        JJ j          ff......mm";                                /* e0-ff */
static const char two[257] =
	"           .    mm      mm    mm        mm    mm                "  /* 00-3f */
	"mmmmmmmmmmmmmmmm      m     m mm       m    mm                mm"  /* 40-7f */
	"JJJJJJJJJJJJJJJJmmmmmmmmmmmmmmmm   m       m   m      mm  b   mm"  /* 80-bf */
	"                      m                        m                "; /* c0-ff */

static unsigned modrm_bytes(const uint8_t *p, unsigned room)
{
	unsigned mod = p[0] >> 6, rm = p[0] & 7, n = 1;

	if (mod == 3)
		return 1;
	if (rm == 4) {
		if (room < 2)
			return 0;
		n = 2;
		if (!mod && (p[1] & 7) == 5)
			return 6;
	}
	return n + (mod == 1 ? 1 : mod == 2 || (!mod && rm == 5) ? 4 : 0);
}

static int64_t number(const uint8_t *p, unsigned bytes)
{
	int8_t b;
	int32_t w = 0;

	if (bytes == 1)
		return memcpy(&b, p, 1), b;
	memcpy(&w, p, bytes < 4 ? bytes : 4);
	return w;
}

static bool decode(const uint8_t *code, unsigned room, struct insn *x)
{
	unsigned i = 0, imm = 0, m;
	bool small = false;
	char kind;

	memset(x, 0, sizeof(*x));
	for (; i < room && i < 8; i++) { /* prefixes */
		uint8_t b = code[i];

		if (b == 0x66)
			small = true;
		else if (b == 0x64 || b == 0x65)
			x->segment = true;
		else if (b != 0x2e && b != 0x3e && b != 0xf2 && b != 0xf3)
			break;
	}
	if (i < room && (code[i] & 0xf0) == 0x40)
		x->rex = code[i++];
	if (i < room && code[i] == 0x0f) {
		x->two = true;
		i++;
	}
	if (i >= room)
		return false;
	x->op = code[i++];
	kind = (x->two ? two : one)[x->op];
	if (strchr("mbdf", kind)) {
		if (i >= room || !(m = modrm_bytes(code + i, room - i)))
			return false;
		x->modrm = code[i];
		x->has_modrm = true;
		i += m;
	}
	switch (kind) {
	case '.':
	case 'm': break;
	case '1':
	case 'b':
	case 'j': imm = 1; break;
	case '4':
	case 'd': imm = x->rex & 8 && x->op >= 0xb8 && x->op <= 0xbf ? 8 : small ? 2 : 4; break;
	case 'J': imm = 4; break;
	case 'f': imm = x->modrm >> 3 & 6 ? 0 : x->op == 0xf6 ? 1 : small ? 2 : 4; break;
	default: return false;
	}
	if (i + imm > room)
		return false;
	if (imm)
		x->imm = number(code + i, imm);
	x->len = i + imm;
	return true;
}

unsigned rn_x86_length(const uint8_t *code, unsigned n)
{
	struct insn x;

	return decode(code, n, &x) ? x.len : 0;
}

static bool is_branch_if(const struct insn *x)
{
	return x->two ? (x->op & 0xf0) == 0x80 : (x->op & 0xf0) == 0x70;
}
static bool is_jump(const struct insn *x)
{
	return !x->two && (x->op == 0xe9 || x->op == 0xeb);
}
static bool is_ret(const struct insn *x)
{
	return !x->two && x->op == 0xc3;
}
static bool is_register(const struct insn *x)
{
	return x->has_modrm && x->modrm >> 6 == 3;
}
static unsigned rm_of(const struct insn *x)
{
	return (x->modrm & 7u) | (x->rex & 1 ? 8 : 0);
}
static unsigned reg_of(const struct insn *x)
{
	return (x->modrm >> 3 & 7u) | (x->rex & 4 ? 8 : 0);
}
enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI };

/* `add imm, %rsp` (which = 0), `sub imm, %rsp` (5). */
static bool moves_sp(const struct insn *x, unsigned which)
{
	return !x->two && (x->op == 0x83 || x->op == 0x81) && x->rex & 8 && is_register(x) &&
	       rm_of(x) == RSP && (x->modrm >> 3 & 7u) == which;
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

/* May stand before the first branch: leaves arguments and stack pointer alone. */
static bool harmless(const struct insn *x)
{
	unsigned to;

	if (x->two)
		return x->op == 0x1e || x->op == 0x1f; /* endbr64, nop */
	switch (x->op) {
	/* cmp, test */
	case 0x38:
	case 0x39:
	case 0x3a:
	case 0x3b:
	case 0x84:
	case 0x85: return true;
	/* cmp with a number */
	case 0x80:
	case 0x81:
	case 0x83: return (x->modrm >> 3 & 7) == 7;
	case 0x89:
	case 0x31: /* mov, xor to memory or register */
		if (!is_register(x))
			return x->op == 0x89;
		to = rm_of(x);
		break;
	case 0x8b:
	case 0x33:
	case 0x8d: to = reg_of(x); break;
	default: return false;
	}
	return to == RAX || to == RBX || to == RBP || to > RDI;
}

/* The first branch, where the arguments are still in their registers. */
static bool find_entry(const uint8_t *code, unsigned n, struct rn_x86_point *out)
{
	struct insn x;
	int32_t sub = 0;

	for (unsigned at = 0; at < n && decode(code + at, n - at, &x); at += x.len) {
		if (is_branch_if(&x) || (!x.two && x.op == 0xe8)) {
			*out = (struct rn_x86_point){at, sub};
			return true;
		}
		if (moves_sp(&x, 5) ? !add_move(&sub, x.imm) : !harmless(&x))
			return false;
	}
	return false;
}

/* Can this stand between the last branch and `ret`? What it adds to the stack pointer goes to
 * *add. */
static bool epilogue(const struct insn *x, int32_t *add)
{
	if (moves_sp(x, 0))
		return add_move(add, x->imm);
	if (!x->two && (x->op & 0xf8) == 0x58) /* pop */
		return *add += 8, (x->op & 7) != RSP && ((x->op & 7) != RAX || x->rex & 1);
	/* xor r, r */
	return !x->two && x->op == 0x31 && is_register(x) && rm_of(x) == reg_of(x) &&
	       rm_of(x) != RAX && rm_of(x) != RSP;
}

/* Is there a call at `at` that nothing follows, so that it cannot return (__stack_chk_fail)? The
 * branch to it is then taken at most once. */
static bool gives_up(const uint8_t *code, unsigned n, int64_t at)
{
	struct insn x;

	return at > 0 && at < n && decode(code + at, n - (unsigned)at, &x) && !x.two &&
	       x.op == 0xe8 && at + x.len == n;
}

/* Offset of the `ret` after a point where the function is left. */
static unsigned ret_after(const uint8_t *code, unsigned n, unsigned at)
{
	struct insn x;

	while (at < n && decode(code + at, n - at, &x) && !is_ret(&x))
		at += x.len;
	return at;
}

bool rn_x86_points(const uint8_t *code, unsigned n, struct rn_x86_points *out)
{
	/* offset of the last branch, if only an epilogue's instructions followed, + 1 */
	uint32_t branch = 0;
	int32_t add = 0;
	struct insn x;

	memset(out, 0, sizeof(*out));
	if (n > RN_X86_BYTES || !find_entry(code, n, &out->entry))
		return false;
	for (unsigned at = 0; at < n; at += x.len) {
		if (!decode(code + at, n - at, &x))
			return false;
		if (is_branch_if(&x)) {
			branch = gives_up(code, n, at + x.len + x.imm) ? at + 1 : 0;
			add = 0;
		} else if (is_ret(&x)) {
			if (!branch || out->nleave == RN_X86_RETURNS)
				return false;
			out->leave[out->nleave++] = (struct rn_x86_point){branch - 1, add};
			branch = 0;
		} else if (!branch || !epilogue(&x, &add)) {
			branch = 0;
		}
		/* a jump to who knows where */
		if (!x.two && x.op == 0xff && ((x.modrm >> 3 & 7) == 4 || (x.modrm >> 3 & 7) == 5))
			return false;
	}
	/* No branch leads out of the function other than a call, into the way from its beginning to
	 * the entry, or past a point where it is left. */
	for (unsigned at = 0; at < n; at += x.len) {
		int64_t to;

		if (!decode(code + at, n - at, &x))
			return false;
		if (!is_branch_if(&x) && !is_jump(&x))
			continue;
		to = (int64_t)at + x.len + x.imm;
		if (to < 0 || to >= n || to <= out->entry.off)
			return false;
		for (unsigned i = 0; i < out->nleave; i++)
			if (to > out->leave[i].off && to <= ret_after(code, n, out->leave[i].off))
				return false;
	}
	return out->nleave > 0;
}
