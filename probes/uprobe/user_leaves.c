/* user_leaves.c - the places where the functions of a file are left: see user.h. A function may
 * have a piece elsewhere, which compilers call NAME.cold: what is seldom run. */
#include <stdlib.h>
#include <string.h>
#include "lang/base/memory.h"
#include "probes/uprobe/leaves.h"
#include "probes/uprobe/user.h"

enum { PIECE_BYTES = 1 << 20, LEAVES = 256 };

struct rn_user_places {
	struct rn_elf *elf;
	struct rn_user_symbol *symbols;
	unsigned n;
	const char *names;
	uint8_t *code; /* of the piece that is read */
};

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

	*p = (struct rn_user_places){elf, symbols, n, names, rn_malloc(PIECE_BYTES)};
	if (n)
		qsort(symbols, n, sizeof(*symbols), by_address);
	return p;
}

void rn_user_places_free(struct rn_user_places *places)
{
	if (!places)
		return;
	free(places->code);
	free(places->symbols);
	free(places);
}

/* The last symbol that begins at the address, or before it; NULL: there is none. */
static const struct rn_user_symbol *symbol_before(const struct rn_user_places *p, uint64_t address)
{
	unsigned low = 0, high = p->n;

	while (low < high) {
		unsigned mid = low + (high - low) / 2;

		if (p->symbols[mid].address <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? &p->symbols[low - 1] : NULL;
}

/* One function, while its pieces are read. */
struct reading {
	struct rn_user_places *places;
	const struct rn_user_symbol *of;
	const struct rn_user_symbol *cold; /* NULL: none was met */
	struct rn_probe_at leave[LEAVES];
	unsigned n;
	uint64_t cookie;
};

static bool is_cold_of(const struct reading *r, const struct rn_user_symbol *s)
{
	const char *name = r->places->names + r->of->at, *other = r->places->names + s->at;
	size_t n = strlen(name);

	return !strncmp(other, name, n) && !strncmp(other + n, ".cold", 5);
}

static bool holds(const struct rn_user_symbol *s, uint64_t address)
{
	return s && address >= s->address && address - s->address < s->bytes;
}

static enum rn_target target(void *self, uint64_t address)
{
	struct reading *r = self;
	const struct rn_user_symbol *s = symbol_before(r->places, address);

	if (holds(r->of, address) || holds(r->cold, address))
		return RN_TARGET_INSIDE;
	if (!s)
		return RN_TARGET_UNKNOWN;
	/* several names may begin there */
	for (const struct rn_user_symbol *x = s; x >= r->places->symbols && !r->cold; x--) {
		if (x->address != s->address)
			break;
		if (holds(x, address) && is_cold_of(r, x)) {
			r->cold = x;
			return RN_TARGET_INSIDE;
		}
	}
	return s->address == address ? RN_TARGET_FUNCTION : RN_TARGET_UNKNOWN;
}

static bool leave(void *self, uint64_t address, bool jump)
{
	struct reading *r = self;
	uint64_t at = rn_elf_offset(r->places->elf, address);

	if (r->n == LEAVES || !at)
		return false;
	r->leave[r->n++] = (struct rn_probe_at){at, r->cookie | (jump ? RN_USER_JUMP : 0)};
	return true;
}

static const char *read_piece(struct reading *r, const struct rn_user_symbol *s, uint64_t entry)
{
	uint64_t off = rn_elf_offset(r->places->elf, s->address);
	const struct rn_piece piece = {.address = s->address,
				       .entry = entry,
				       .code = r->places->code,
				       .n = (unsigned)s->bytes,
				       .target = target,
				       .leave = leave,
				       .self = r};

	if (!s->bytes)
		return "its length is not known";
	if (s->bytes > PIECE_BYTES || !off ||
	    !rn_elf_read(r->places->elf, off, r->places->code, s->bytes))
		return "its code cannot be read";
	return rn_leaves_find(&piece);
}

static void add(struct rn_user *u, const struct reading *r)
{
	if (u->nleave + r->n > u->cap_leave) {
		u->cap_leave = 2 * (u->nleave + r->n);
		u->leave = rn_realloc(u->leave, u->cap_leave * sizeof(*u->leave));
	}
	memcpy(u->leave + u->nleave, r->leave, r->n * sizeof(*r->leave));
	u->nleave += r->n;
}

/* Returns the longest function that begins there; NULL: none does. */
static const struct rn_user_symbol *symbol_at(const struct rn_user_places *p, uint64_t address)
{
	const struct rn_user_symbol *s = symbol_before(p, address), *longest = s;

	for (; s && s >= p->symbols && s->address == address; s--)
		longest = s->bytes > longest->bytes ? s : longest;
	return longest && longest->address == address ? longest : NULL;
}

bool rn_user_loops(struct rn_user_places *places, uint64_t address, uint64_t entry)
{
	const struct rn_user_symbol *s = symbol_at(places, address);
	uint64_t off = rn_elf_offset(places->elf, address);
	const struct rn_piece piece = {.address = address,
				       .entry = entry,
				       .code = places->code,
				       .n = s && s->bytes < PIECE_BYTES ? (unsigned)s->bytes : 0};

	return piece.n && off && rn_elf_read(places->elf, off, places->code, piece.n) &&
	       rn_leaves_loops(&piece);
}

const char *rn_user_leaves(struct rn_user *user, struct rn_user_places *places, uint64_t address,
			   uint64_t entry, uint64_t cookie)
{
	struct reading r = {.places = places, .of = symbol_at(places, address), .cookie = cookie};
	const char *why;

	if (!r.of)
		return "it has no symbol";
	why = read_piece(&r, r.of, entry);
	if (!why && r.cold)
		why = read_piece(&r, r.cold, entry);
	for (unsigned i = 0; i < r.n && !why; i++)
		if (r.leave[i].off == rn_elf_offset(places->elf, entry))
			why = "it is left where it begins";
	if (!why)
		add(user, &r);
	return why;
}
