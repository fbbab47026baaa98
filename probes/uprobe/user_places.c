/* user_places.c - the functions of a file, and pieces of code without a name: see user_impl.h. */
#include <stdlib.h>
#include <string.h>
#include "lang/base/memory.h"
#include "lang/base/vec.h"
#include "probes/uprobe/leaves.h"
#include "probes/uprobe/user_impl.h"

static int by_address(const void *a, const void *b)
{
	uint64_t x = ((const struct rn_user_symbol *)a)->address,
		 y = ((const struct rn_user_symbol *)b)->address;

	return (x > y) - (x < y);
}

struct rn_user_places *rn_user_places(struct rn_elf *elf, struct rn_user_symbol *symbols,
				      unsigned n, const char *names)
{
	struct rn_user_places *p = rn_calloc(1, sizeof(*p));

	*p = (struct rn_user_places){
		.elf = elf,
		.symbols = symbols,
		.n = n,
		.names = names,
		.unwind = rn_unwind_read(elf),
		.code = rn_malloc(RN_USER_PIECE_BYTES),
		.other = rn_malloc(RN_USER_PIECE_BYTES),
		.rows = rn_malloc(RN_USER_ROWS * sizeof(struct rn_unwind_row))};
	if (n)
		qsort(symbols, n, sizeof(*symbols), by_address);
	return p;
}

void rn_user_places_free(struct rn_user_places *places)
{
	if (!places)
		return;
	rn_unwind_free(places->unwind);
	free(places->code);
	free(places->other);
	free(places->part);
	free(places->way);
	free(places->rows);
	free(places->symbols);
	free(places);
}

const struct rn_user_symbol *rn_user_symbol_before(const struct rn_user_places *places,
						   uint64_t address)
{
	unsigned low = 0, high = places->n;

	while (low < high) {
		unsigned mid = low + (high - low) / 2;

		if (places->symbols[mid].address <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? &places->symbols[low - 1] : NULL;
}

const struct rn_user_symbol *rn_user_symbol_at(const struct rn_user_places *places,
					       uint64_t address)
{
	const struct rn_user_symbol *s = rn_user_symbol_before(places, address), *longest = s;

	for (; s && s >= places->symbols && s->address == address; s--)
		longest = s->bytes > longest->bytes ? s : longest;
	return longest && longest->address == address ? longest : NULL;
}

bool rn_user_bounds(struct rn_user_places *places, const struct rn_user_symbol *symbol,
		    struct rn_user_range *range)
{
	const struct rn_user_symbol *last;
	struct rn_unwind_piece u;

	*range = (struct rn_user_range){symbol->address, symbol->bytes};
	if (!rn_unwind_find(places->unwind, symbol->address, &u) || u.address != symbol->address ||
	    u.bytes <= symbol->bytes)
		return true;
	range->bytes = u.bytes;
	last = rn_user_symbol_before(places, symbol->address + u.bytes - 1);
	return last->address == symbol->address ||
	       (symbol->bytes && last->address < symbol->address + symbol->bytes);
}

bool rn_user_read_code(struct rn_user_places *places, const struct rn_user_range *range,
		       uint8_t *to)
{
	uint64_t off = rn_elf_offset(places->elf, range->address);

	return range->bytes <= RN_USER_PIECE_BYTES && off &&
	       rn_elf_read(places->elf, off, to, range->bytes);
}

/* ---- pieces without a name ---- */

bool rn_user_is_stub(const struct rn_user_places *places, uint64_t address)
{
	static const uint8_t endbr64[4] = {0xf3, 0x0f, 0x1e, 0xfa}, jump[2] = {0xff, 0x25};
	uint64_t off = rn_elf_offset(places->elf, address);
	uint8_t b[7];
	const uint8_t *at = b;

	if (!off || !rn_elf_read(places->elf, off, b, sizeof(b)))
		return false;
	if (!memcmp(at, endbr64, sizeof(endbr64)))
		at += sizeof(endbr64);
	at += *at == 0xf2; /* bnd */
	return !memcmp(at, jump, sizeof(jump));
}

/* Does a function begin there, as symbols or tables say, or a stub? */
static bool begins_at(struct rn_user_places *p, uint64_t address)
{
	struct rn_unwind_piece u;

	if (rn_unwind_find(p->unwind, address, &u) && u.address == address)
		return u.fresh;
	return rn_user_symbol_at(p, address) || rn_user_is_stub(p, address);
}

struct looking {
	struct rn_user_places *places;
	struct rn_user_way *way;
};

/* A jump into a piece that begins in the midst of a call is one of a function that has it. */
static enum rn_target look(void *self, uint64_t to)
{
	struct looking *l = self;
	struct rn_unwind_piece u;

	if (begins_at(l->places, to) || (rn_unwind_find(l->places->unwind, to, &u) && !u.fresh))
		l->way->leaves = true;
	else
		l->way->back = to;
	return RN_TARGET_UNKNOWN;
}

/* The stubs that lead to functions of other files begin with a push of a word of a table. */
static bool are_stubs(const uint8_t *code, uint64_t n)
{
	return n > 2 && code[0] == 0xff && code[1] == 0x35;
}

const struct rn_user_way *rn_user_way(struct rn_user_places *places,
				      const struct rn_unwind_piece *piece)
{
	const struct rn_user_range range = {piece->address, piece->bytes};
	struct looking l = {places, NULL};
	const struct rn_piece code = {.address = range.address,
				      .code = places->other,
				      .n = (unsigned)range.bytes,
				      .target = look,
				      .self = &l};

	if (!places->way)
		places->way = rn_calloc(rn_unwind_count(places->unwind), sizeof(*places->way));
	l.way = &places->way[piece->index];
	if (l.way->state == RN_USER_UNREAD)
		l.way->state = rn_user_read_code(places, &range, places->other) &&
					       (are_stubs(places->other, range.bytes) ||
						rn_leaves_ways_out(&code, &l.way->returns))
				       ? RN_USER_READ
				       : RN_USER_FAULTY;
	return l.way->state == RN_USER_READ ? l.way : NULL;
}

/* Notes a piece that begins in the midst of a call, if the call may end there. */
static void note_part(struct rn_user_places *p, const struct rn_unwind_piece *u)
{
	const struct rn_user_way *w;

	if (u->fresh || !rn_elf_offset(p->elf, u->address))
		return;
	w = rn_user_way(p, u);
	p->all &= w && (!(w->returns || w->leaves) || w->back);
	if (!w || !(w->returns || w->leaves))
		return;
	rn_vec_room(p->part, p->nparts, p->cap_parts);
	p->part[p->nparts++] = (struct rn_user_part){{u->address, u->bytes}, w->back};
}

bool rn_user_know_parts(struct rn_user_places *places)
{
	unsigned n = places->looked ? 0 : rn_unwind_count(places->unwind);
	struct rn_unwind_piece piece;

	if (!places->looked)
		places->looked = places->all = true;
	for (unsigned i = 0; i < n && places->all; i++) {
		if (rn_unwind_piece(places->unwind, i, &piece))
			note_part(places, &piece);
		else
			places->all = false;
	}
	return places->all;
}
