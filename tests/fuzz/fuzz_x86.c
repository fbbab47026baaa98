/* fuzz_x86.c - libFuzzer target of what is read of machine code: the input is the code of a
 * function. Points that are found are branches inside of it, in the order of the code. */
#include "probes/uprobe/points.h"
#include "tests/fuzz/fuzz.h"

/* Is the instruction there a branch that the kernel emulates: a jump if, or a call? */
static bool is_branch(const uint8_t *code, size_t n, uint32_t at)
{
	while (at < n && (strchr("\x26\x36\x64\x65\x66\x67\x2e\x3e\xf2\xf3", code[at])
				  ? code[at] != 0
				  : (code[at] & 0xf0) == 0x40))
		at++;
	MUST(at < n);
	return (code[at] & 0xf0) == 0x70 || code[at] == 0xe8 ||
	       (code[at] == 0x0f && at + 1 < n && (code[at + 1] & 0xf0) == 0x80);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct rn_points p;

	for (unsigned i = 0; i < n && i < 64; i++)
		MUST(rn_points_length(data + i, (unsigned)(n - i)) <= n - i);
	if (!rn_points_find(data, (unsigned)n, &p))
		return 0;
	MUST(n <= RN_POINTS_BYTES && p.nleave && p.nleave <= RN_POINTS_RETURNS &&
	     is_branch(data, n, p.entry.off));
	for (unsigned i = 0; i < p.nleave; i++)
		MUST(is_branch(data, n, p.leave[i].off) &&
		     p.leave[i].off >= (i ? p.leave[i - 1].off + 1 : p.entry.off));
	return 0;
}
