/* fuzz_usdt.c - libFuzzer target of notes of static probes, and of their operands. The first byte
 * of the input says what follows: notes of 64 or of 32 bits, operands, or an ELF file whose
 * sections are read. */
#include <stdbool.h>
#include "probes/process/elf.h"
#include "probes/uprobe/usdt.h"
#include "tests/fuzz/fuzz.h"

enum { WIDE, NARROW, OPERANDS, FILES, WAYS };

static void operands(const char *text)
{
	const char *why[RN_OPERANDS];
	struct rn_operands o;
	unsigned n = rn_usdt_operands(text, &o, why);

	MUST(n <= RN_OPERANDS);
	for (unsigned i = 0; i < RN_OPERANDS; i++) {
		const struct rn_operand *a = &o.arg[i];

		MUST(i < n ? a->kind != RN_OPERAND_NONE : a->kind == RN_OPERAND_NONE && !why[i]);
		MUST((why[i] != NULL) == (a->kind == RN_OPERAND_UNKNOWN));
		if (a->kind < RN_OPERAND_VALUE)
			continue;
		MUST(a->shift <= 56 && a->shift % 8 == 0 && a->scale <= 3);
		/* registers that a program has, of the kernel's struct pt_regs */
		MUST(a->base == RN_NO_REGISTER || a->base <= 152);
		MUST(a->index == RN_NO_REGISTER || a->index <= 152);
		MUST(a->kind == RN_OPERAND_VALUE || a->base != RN_NO_REGISTER ||
		     a->index != RN_NO_REGISTER);
	}
}

static bool take(void *self, const struct rn_usdt_note *note)
{
	MUST(note->provider[0] && strlen(note->provider) <= RN_USDT_NAME);
	MUST(note->name[0] && strlen(note->name) <= RN_USDT_NAME);
	MUST(!strpbrk(note->provider, ":*\"\x1b ") && !strpbrk(note->name, ":*\"\x1b "));
	operands(note->args);
	++*(size_t *)self;
	return true;
}

static void notes(const uint8_t *data, size_t n, bool wide)
{
	size_t taken = 0;

	rn_usdt_notes(data, n, wide, take, &taken);
	MUST(taken <= n / 28);
}

static bool section(void *self, const struct rn_elf_section *s)
{
	struct rn_elf *elf = self;
	uint8_t bytes[512];
	size_t n = s->bytes < sizeof(bytes) ? s->bytes : sizeof(bytes);

	MUST(strnlen(s->name, sizeof(s->name)) < sizeof(s->name));
	if (s->notes && rn_elf_read(elf, s->off, bytes, n))
		notes(bytes, n, rn_elf_wide(elf));
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct rn_elf *elf;
	char *text;

	if (!n)
		return 0;
	switch (data[0] % WAYS) {
	case WIDE: notes(data + 1, n - 1, true); break;
	case NARROW: notes(data + 1, n - 1, false); break;
	case OPERANDS:
		text = fuzz_text(data + 1, n - 1);
		operands(text);
		free(text);
		break;
	default:
		elf = rn_elf_memory(data + 1, n - 1, &rn_elf_found);
		if (elf)
			rn_elf_sections(elf, section, elf);
		rn_elf_close(elf);
	}
	return 0;
}
