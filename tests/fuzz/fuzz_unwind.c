/* fuzz_unwind.c - libFuzzer target of the tables for unwinding, and of all that is concluded from
 * them and from symbols: the input is an ELF file. No more of it is read than the limits say. A
 * piece has bytes, rows are in order, and each place where a function is left is in the file. */
#include "lang/base/memory.h"
#include "lang/base/vec.h"
#include "probes/uprobe/user_impl.h"
#include "tests/fuzz/fuzz.h"

struct listing {
	struct rn_user_symbol *list;
	unsigned n, cap;
};
static const struct rn_elf_limits limits = {1 << 20, 4096, 64, 1000000000, 4};

static bool take(void *self, const struct rn_elf_symbol *y)
{
	struct listing *l = self;

	rn_vec_room(l->list, l->n, l->cap);
	l->list[l->n++] = (struct rn_user_symbol){y->address, y->bytes, y->at};
	return true;
}

static void pieces(struct rn_elf *elf)
{
	struct rn_unwind *u = rn_unwind_read(elf);
	struct rn_unwind_piece p, q;
	struct rn_unwind_row rows[32];

	for (unsigned i = 0; i < rn_unwind_count(u) && i < 64; i++) {
		unsigned n;

		if (!rn_unwind_piece(u, i, &p))
			continue;
		MUST(p.bytes && p.index == i && p.address + p.bytes > p.address);
		MUST(rn_unwind_find(u, p.address, &q) && q.address == p.address);
		n = rn_unwind_rows(u, p.address, &q, rows, 32);
		MUST(n <= 32);
		for (unsigned k = 0; k < n; k++)
			MUST(rows[k].address - p.address < p.bytes &&
			     (!k || (rows[k].address > rows[k - 1].address &&
				     rows[k].fresh != rows[k - 1].fresh)));
	}
	MUST(rn_elf_bytes_read(elf) <= limits.bytes);
	rn_unwind_free(u);
	rn_elf_close(elf);
}

static void functions(struct rn_elf *elf, size_t n)
{
	struct rn_user user = {0};
	struct listing l = {0};
	struct rn_user_places *places;
	uint64_t address[64];
	unsigned count;
	size_t bytes;
	char *names;

	rn_elf_each(elf, take, &l);
	names = rn_elf_take_names(elf, &bytes);
	count = l.n < 64 ? l.n : 64;
	for (unsigned i = 0; i < count; i++)
		address[i] = l.list[i].address;
	places = rn_user_places(elf, l.list, l.n, names);
	for (unsigned i = 0; i < count; i++) {
		(void)rn_user_loops(places, address[i], address[i]);
		(void)rn_user_leaves(&user, places, address[i], address[i], i);
	}
	for (unsigned i = 0; i < user.nleave; i++)
		MUST(user.leave[i].off < n);
	MUST(rn_elf_bytes_read(elf) <= limits.bytes);
	rn_user_places_free(places);
	free(user.leave);
	free(names);
	rn_elf_close(elf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct rn_elf *elf = rn_elf_memory(data, n, &limits);

	if (!elf)
		return 0;
	pieces(elf);
	functions(rn_elf_memory(data, n, &limits), n);
	return 0;
}
