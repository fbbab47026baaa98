/* usdt_notes.c - notes of static probes, and the operands in them: see usdt.h. Pure functions over
 * bytes of others. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/user.h>
#include "probes/uprobe/usdt.h"

/* ---- notes ---- */

enum { STAPSDT = 3 }; /* the type of these notes */
static const char owner[8] = "stapsdt";

/* Takes a text that ends with NUL off the bytes; NULL: it has no end. */
static const char *take_text(const uint8_t **p, const uint8_t *end)
{
	const uint8_t *nul = memchr(*p, 0, (size_t)(end - *p));
	const char *text = (const char *)*p;

	if (nul)
		*p = nul + 1;
	return nul ? text : NULL;
}

/* A name as C has it, or nearly: nothing that a query or a terminal takes for more than text. */
static bool is_name(const char *s)
{
	size_t n = 0;

	for (; s[n] && n <= RN_USDT_NAME; n++)
		if (!isgraph((unsigned char)s[n]) || strchr(":*?[]\\\"", s[n]))
			return false;
	return n && n <= RN_USDT_NAME;
}

static uint64_t take_address(const uint8_t **p, bool wide)
{
	uint64_t x = 0;

	memcpy(&x, *p, wide ? 8 : 4); /* of this machine's byte order, which elf.c has checked */
	*p += wide ? 8 : 4;
	return x;
}

static bool read_note(const uint8_t *p, size_t n, bool wide, struct rn_usdt_note *note)
{
	const uint8_t *end = p + n;

	if (n < 3 * (wide ? 8u : 4u))
		return false;
	note->location = take_address(&p, wide);
	note->base = take_address(&p, wide);
	note->semaphore = take_address(&p, wide);
	note->provider = take_text(&p, end);
	note->name = note->provider ? take_text(&p, end) : NULL;
	note->args = note->name ? take_text(&p, end) : NULL;
	return note->args && is_name(note->provider) && is_name(note->name);
}

bool rn_usdt_notes(const uint8_t *notes, size_t n, bool wide, rn_usdt_note_fn *fn, void *self)
{
	uint32_t head[3]; /* bytes of the owner's name, bytes of the note, type */
	struct rn_usdt_note note;
	bool whole = true;

	while (n >= sizeof(head)) {
		uint64_t name, desc, all;

		memcpy(head, notes, sizeof(head));
		name = ((uint64_t)head[0] + 3) & ~3ULL;
		desc = ((uint64_t)head[1] + 3) & ~3ULL;
		all = sizeof(head) + name + desc;
		/* the last one may lack the zeros behind it */
		if (sizeof(head) + name + head[1] > n)
			return false;
		if (head[2] == STAPSDT && head[0] == sizeof(owner) &&
		    !memcmp(notes + sizeof(head), owner, sizeof(owner))) {
			if (!read_note(notes + sizeof(head) + name, head[1], wide, &note))
				whole = false;
			else if (!fn(self, &note))
				return whole;
		}
		all = all < n ? all : n;
		notes += all;
		n -= all;
	}
	return whole && !n;
}

/* ---- operands: AT&T syntax of x86-64 ---- */

#define AT(reg) offsetof(struct user_regs_struct, reg) /* as in the kernel's struct pt_regs */
static const struct {
	const char *name[4]; /* of 64, 32, 16 and 8 bits */
	uint16_t at;
} registers[] = {
	{{"rax", "eax", "ax", "al"}, AT(rax)},      {{"rbx", "ebx", "bx", "bl"}, AT(rbx)},
	{{"rcx", "ecx", "cx", "cl"}, AT(rcx)},      {{"rdx", "edx", "dx", "dl"}, AT(rdx)},
	{{"rsi", "esi", "si", "sil"}, AT(rsi)},     {{"rdi", "edi", "di", "dil"}, AT(rdi)},
	{{"rbp", "ebp", "bp", "bpl"}, AT(rbp)},     {{"rsp", "esp", "sp", "spl"}, AT(rsp)},
	{{"r8", "r8d", "r8w", "r8b"}, AT(r8)},      {{"r9", "r9d", "r9w", "r9b"}, AT(r9)},
	{{"r10", "r10d", "r10w", "r10b"}, AT(r10)}, {{"r11", "r11d", "r11w", "r11b"}, AT(r11)},
	{{"r12", "r12d", "r12w", "r12b"}, AT(r12)}, {{"r13", "r13d", "r13w", "r13b"}, AT(r13)},
	{{"r14", "r14d", "r14w", "r14b"}, AT(r14)}, {{"r15", "r15d", "r15w", "r15b"}, AT(r15)},
	{{NULL, NULL, NULL, "ah"}, AT(rax) + 1},    {{NULL, NULL, NULL, "bh"}, AT(rbx) + 1},
	{{NULL, NULL, NULL, "ch"}, AT(rcx) + 1},    {{NULL, NULL, NULL, "dh"}, AT(rdx) + 1},
};
static const char of_symbol[] =
	"it lies at a symbol, whose address the program's loader alone knows",
		  of_float[] = "it is a floating-point number, and the kernel does not keep "
			       "their registers",
		  no_operand[] = "its operand is not understood";

/* Takes `%NAME` off the text; *bits: its width. */
static bool take_register(const char **p, uint16_t *at, unsigned *bits)
{
	size_t n = 0;

	if (**p != '%')
		return false;
	while (isalnum((unsigned char)(*p)[1 + n]))
		n++;
	for (size_t i = 0; i < sizeof(registers) / sizeof(*registers); i++)
		for (unsigned k = 0; k < 4; k++) {
			const char *name = registers[i].name[k];

			if (!name || strlen(name) != n || strncmp(name, *p + 1, n) != 0)
				continue;
			*at = registers[i].at;
			*bits = 64u >> k;
			*p += 1 + n;
			return true;
		}
	return false;
}

static bool take_number(const char **p, uint64_t *x)
{
	bool minus = **p == '-';
	const char *digits = *p + minus;
	char *end;

	if (!isdigit((unsigned char)*digits))
		return false;
	errno = 0;
	*x = strtoull(digits, &end, 0);
	if (errno)
		return false;
	*x = minus ? -*x : *x;
	*p = end;
	return true;
}

/* `(%base,%index,scale)`, of which each part may be missing. */
static const char *take_memory(const char **p, struct rn_operand *o)
{
	unsigned bits, scale_bits = 0;
	uint64_t scale = 1;

	o->kind = RN_OPERAND_MEMORY;
	if (**p != '(')
		return no_operand;
	++*p;
	if (!strncmp(*p, "%rip", 4))
		return of_symbol;
	if (**p == '%' && (!take_register(p, &o->base, &bits) || bits < 32))
		return no_operand;
	if (**p == ',') {
		++*p;
		if (!take_register(p, &o->index, &bits) || bits < 32)
			return no_operand;
		if (**p == ',') {
			++*p;
			if (!take_number(p, &scale))
				return no_operand;
		}
	}
	while (scale_bits < 3 && scale > 1ULL << scale_bits)
		scale_bits++;
	if (**p != ')' || scale != 1ULL << scale_bits ||
	    (o->base == RN_NO_REGISTER && o->index == RN_NO_REGISTER))
		return no_operand;
	++*p;
	o->scale = (uint8_t)scale_bits;
	return NULL;
}

/* The operand behind `SIZE@`. */
static const char *take_operand(const char **p, struct rn_operand *o, unsigned *bits)
{
	if (**p == '$') {
		++*p;
		o->kind = RN_OPERAND_VALUE;
		if (take_number(p, &o->constant))
			return NULL;
		return isdigit((unsigned char)**p) || **p == '-' ? no_operand : of_symbol;
	}
	if (**p == '%') {
		unsigned width;

		if (!strncmp(*p, "%xmm", 4) || !strncmp(*p, "%ymm", 4) || !strncmp(*p, "%st", 3))
			return of_float;
		o->kind = RN_OPERAND_VALUE;
		if (!take_register(p, &o->base, &width))
			return no_operand;
		*bits = width < *bits ? width : *bits;
		return NULL;
	}
	if (isalpha((unsigned char)**p) || **p == '_' || **p == '.')
		return of_symbol;
	if (**p != '(' && !take_number(p, &o->constant))
		return no_operand;
	if (**p == '+' || **p == '-') /* 8+symbol(%rip) */
		return of_symbol;
	return take_memory(p, o);
}

/* One operand, a text of at most RN_USDT_OPERAND bytes. Returns why it cannot be read; NULL: it
 * can. */
static const char *read_operand(const char *p, struct rn_operand *o)
{
	uint64_t size;
	unsigned bits;
	const char *why;

	if (!take_number(&p, &size))
		return no_operand;
	if (*p == 'f' && p[1] == '@')
		return of_float;
	o->is_signed = (int64_t)size < 0;
	size = o->is_signed ? -size : size;
	if (*p != '@' || (size != 1 && size != 2 && size != 4 && size != 8))
		return no_operand;
	p++;
	bits = (unsigned)(8 * size);
	why = take_operand(&p, o, &bits);
	if (!why && *p)
		return no_operand;
	o->shift = (uint8_t)(64 - bits);
	return why;
}

unsigned rn_usdt_operands(const char *args, struct rn_operands *out, const char *why[RN_OPERANDS])
{
	unsigned n = 0;

	memset(out, 0, sizeof(*out));
	memset(why, 0, RN_OPERANDS * sizeof(*why));
	for (;;) {
		const struct rn_operand none = {.base = RN_NO_REGISTER, .index = RN_NO_REGISTER};
		char one[RN_USDT_OPERAND + 1];
		size_t len;

		args += strspn(args, " ");
		len = strcspn(args, " ");
		if (!len || n == RN_OPERANDS)
			return n;
		out->arg[n] = none;
		if (len < sizeof(one)) {
			memcpy(one, args, len);
			one[len] = 0;
			why[n] = read_operand(one, &out->arg[n]);
		} else {
			why[n] = no_operand;
		}
		if (why[n]) {
			out->arg[n] = none;
			out->arg[n].kind = RN_OPERAND_UNKNOWN;
		}
		n++;
		args += len;
	}
}
