/* fuzz_leaves.c - libFuzzer target of the places where functions are left: the first byte of the
 * input says how the stack is, the rest is the code of a function. Each place is inside of it, and
 * they come in the order of the code. */
#include "probes/uprobe/leaves.h"
#include "tests/fuzz/fuzz.h"

enum { AT = 0x10000, INSIDE = 0x20000 };
struct found {
	uint64_t last;
	size_t n;
	unsigned leaves, asked;
	uint8_t how;
	struct rn_leaves_seen seen;
};

static enum rn_target target(void *self, uint64_t address)
{
	struct found *f = self;

	MUST(address < AT || address - AT >= f->n);
	return f->how & 4 ? RN_TARGET_INSIDE : address & 1 ? RN_TARGET_FUNCTION : RN_TARGET_UNKNOWN;
}

static enum rn_stack_at stack(void *self, uint64_t address)
{
	struct found *f = self;

	MUST(address >= AT && address - AT < f->n);
	return (enum rn_stack_at)(f->how % 3);
}

static bool number(void *self, uint64_t address, unsigned bytes, int64_t *to)
{
	struct found *f = self;

	MUST(bytes == 4 || bytes == 8);
	f->asked++;
	*to = (int64_t)(bytes == 4 ? AT + 1 - address : AT + 1);
	return f->how & 8;
}

static bool leave(void *self, uint64_t address, bool jump)
{
	struct found *f = self;

	(void)jump;
	MUST(address >= AT && address - AT < f->n && address > f->last);
	f->last = address;
	return ++f->leaves < 100;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct found f = {.n = n ? n - 1 : 0, .how = n ? data[0] : 0};
	const struct rn_piece piece = {.address = AT,
				       .entry = AT,
				       .code = data + (n > 0),
				       .n = (unsigned)f.n,
				       .target = target,
				       .stack = stack,
				       .number = number,
				       .leave = leave,
				       .self = &f,
				       .seen = &f.seen};
	bool returns;
	const char *why = rn_leaves_find(&piece);

	MUST(!why || *why);
	MUST(!f.seen.relies || f.seen.switches);
	(void)rn_leaves_loops(&piece);
	(void)rn_leaves_ways_out(&piece, &returns);
	return 0;
}
