/* user_leaves.c - the places where the functions of a file are left: see user.h.
 *
 * Symbols say where functions begin. In a stripped file those are missing that no other file needs;
 * its tables for unwinding have a piece for each (probes/process/unwind.h). A jump to where a piece
 * begins is one to another function. But a function may have a second piece elsewhere, for what is
 * seldom run: NAME.cold, if the file has that name. Without a name it is known by this:
 *   - where it begins, something is on the stack already, so it is no function;
 *   - or nothing is: then it may be a function too. If it never returns, it does not matter which.
 *     If it goes back into the function, it is not known where that is left. Otherwise the jump is
 *     the end, as of a call in place of a return. */
#include <stdlib.h>
#include <string.h>
#include "lang/base/memory.h"
#include "probes/uprobe/leaves.h"
#include "probes/uprobe/points.h"
#include "probes/uprobe/user_impl.h"

enum { LEAVES = 256, PIECES = 8 };

/* One function, while its pieces are read. */
struct reading {
	struct rn_user_places *places;
	const struct rn_user_symbol *of;
	struct rn_user_range piece[PIECES]; /* the first is that of its symbol */
	unsigned npieces, now;              /* now: the one that is read */
	/* how the stack is in these bounds; row: the last that was needed */
	struct rn_user_range of_rows;
	unsigned nrows, row;
	bool empties; /* what was put on the stack is taken off, somewhere */
	struct rn_leaves_seen seen;
	struct rn_probe_at leave[LEAVES];
	unsigned n;
	uint64_t cookie;
};

static bool is_piece(const struct reading *r, uint64_t address)
{
	for (unsigned i = 0; i < r->npieces; i++)
		if (rn_user_holds(&r->piece[i], address))
			return true;
	return false;
}

static bool add_piece(struct reading *r, const struct rn_user_range *piece)
{
	if (r->npieces == PIECES)
		return false;
	r->piece[r->npieces++] = *piece;
	return true;
}

static bool is_cold_of(const struct reading *r, const struct rn_user_symbol *s)
{
	const char *name = r->places->names + r->of->at, *other = r->places->names + s->at;
	size_t n = strlen(name);

	return !strncmp(other, name, n) && !strncmp(other + n, ".cold", 5);
}

/* A piece of the function that has its name, of several that may begin there. */
static const struct rn_user_symbol *cold_at(const struct reading *r, uint64_t address)
{
	const struct rn_user_symbol *s = rn_user_symbol_before(r->places, address), *x = s;

	for (; x && x >= r->places->symbols && x->address == s->address; x--)
		if (address - x->address < x->bytes && is_cold_of(r, x))
			return x;
	return NULL;
}

/* Is there a function, and no piece of one, as its name says? */
static bool has_other_name(const struct reading *r, uint64_t address)
{
	const struct rn_user_symbol *s = rn_user_symbol_at(r->places, address);

	return s && !strstr(r->places->names + s->at, ".cold");
}

/* A function without a name, or a piece of this one; see above. */
static enum rn_target nameless(struct reading *r, const struct rn_unwind_piece *u)
{
	const struct rn_user_way *w = rn_user_way(r->places, u);

	if (!w || (w->back && !is_piece(r, w->back)))
		return RN_TARGET_UNKNOWN;
	if (!w->returns && !w->leaves)
		return RN_TARGET_INSIDE;
	return w->back ? RN_TARGET_UNKNOWN : RN_TARGET_FUNCTION;
}

static enum rn_target target(void *self, uint64_t address)
{
	struct reading *r = self;
	const struct rn_user_symbol *cold = cold_at(r, address);
	struct rn_unwind_piece u;
	bool known, named;

	if (is_piece(r, address))
		return RN_TARGET_INSIDE;
	if (cold)
		return add_piece(r, &(struct rn_user_range){cold->address, cold->bytes})
			       ? RN_TARGET_INSIDE
			       : RN_TARGET_UNKNOWN;
	if (rn_user_is_stub(r->places, address))
		return RN_TARGET_FUNCTION;
	known = rn_unwind_find(r->places->unwind, address, &u);
	named = rn_user_symbol_at(r->places, address) != NULL;
	if (known && !u.fresh)
		return !has_other_name(r, u.address) &&
				       add_piece(r, &(struct rn_user_range){u.address, u.bytes})
			       ? RN_TARGET_INSIDE
			       : RN_TARGET_UNKNOWN;
	if (named)
		return RN_TARGET_FUNCTION;
	return known && u.address == address ? nameless(r, &u) : RN_TARGET_UNKNOWN;
}

/* Takes the rows of the piece that holds the address. False: nothing is known of it. */
static bool take_rows(struct reading *r, uint64_t address)
{
	const struct rn_unwind_row *rows = r->places->rows;
	struct rn_unwind_piece u;

	r->row = 0;
	r->nrows = rn_unwind_rows(r->places->unwind, address, &u, r->places->rows, RN_USER_ROWS);
	if (!r->nrows)
		return false;
	r->of_rows = (struct rn_user_range){u.address, u.bytes};
	for (unsigned i = 1; i < r->nrows; i++)
		r->empties |= rows[i].fresh;
	return true;
}

static enum rn_stack_at stack_at(void *self, uint64_t address)
{
	struct reading *r = self;
	const struct rn_unwind_row *rows = r->places->rows;

	if ((!r->nrows || !rn_user_holds(&r->of_rows, address)) && !take_rows(r, address))
		return RN_STACK_UNKNOWN;
	if (address < rows[r->row].address)
		r->row = 0;
	while (r->row + 1 < r->nrows && rows[r->row + 1].address <= address)
		r->row++;
	return rows[r->row].fresh ? RN_STACK_FRESH : RN_STACK_USED;
}

static bool number_at(void *self, uint64_t address, unsigned bytes, int64_t *to)
{
	struct reading *r = self;
	uint64_t off = rn_elf_data(r->places->elf, address);
	int32_t less;

	if (!off || !rn_elf_read(r->places->elf, off, bytes == 4 ? (void *)&less : to, bytes))
		return false;
	if (bytes == 4)
		*to = less;
	return true;
}

static bool leave(void *self, uint64_t address, bool jump)
{
	struct reading *r = self;
	uint64_t at = rn_elf_offset(r->places->elf, address);
	const struct rn_user_range *now = &r->piece[r->now];

	if (r->n == LEAVES || !at ||
	    !rn_points_probed(r->places->code + (address - now->address),
			      (unsigned)(now->bytes - (address - now->address))))
		return false;
	r->leave[r->n++] = (struct rn_probe_at){at, r->cookie | (jump ? RN_USER_JUMP : 0)};
	return true;
}

static const char *read_piece(struct reading *r, unsigned i, uint64_t entry)
{
	const struct rn_user_range *s = &r->piece[i];
	const struct rn_piece piece = {.address = s->address,
				       .entry = entry,
				       .code = r->places->code,
				       .n = (unsigned)s->bytes,
				       .target = target,
				       .stack = stack_at,
				       .number = number_at,
				       .leave = leave,
				       .self = r,
				       .seen = &r->seen};

	if (!s->bytes)
		return "its length is not known";
	if (!rn_user_read_code(r->places, s, r->places->code))
		return "its code cannot be read";
	r->now = i;
	return rn_leaves_find(&piece);
}

/* Adds the pieces of the function to which only a switch leads. False: others may be, too. */
static bool add_parts(struct reading *r)
{
	struct rn_user_places *p = r->places;

	if (!rn_user_know_parts(p))
		return false;
	for (unsigned i = 0; i < p->nparts; i++)
		if (is_piece(r, p->part[i].back) && !is_piece(r, p->part[i].at.address) &&
		    !add_piece(r, &p->part[i].at))
			return false;
	return true;
}

static const char *read_pieces(struct reading *r, uint64_t entry)
{
	static const char *const anywhere = "it jumps to where a register points";
	const char *why = NULL;

	for (unsigned i = 0; i < r->npieces && !why; i++) {
		why = read_piece(r, i, entry);
		if (!why && r->seen.switches && i + 1 == r->npieces && !add_parts(r))
			why = anywhere;
	}
	if (!why && r->seen.relies && (r->seen.doubtful || !r->empties))
		why = anywhere;
	return why;
}

static void add(struct rn_user *u, const struct reading *r)
{
	if (!r->n)
		return;
	if (u->nleave + r->n > u->cap_leave) {
		u->cap_leave = 2 * (u->nleave + r->n);
		u->leave = rn_realloc(u->leave, u->cap_leave * sizeof(*u->leave));
	}
	memcpy(u->leave + u->nleave, r->leave, r->n * sizeof(*r->leave));
	u->nleave += r->n;
}

bool rn_user_loops(struct rn_user_places *places, uint64_t address, uint64_t entry)
{
	const struct rn_user_symbol *s = rn_user_symbol_at(places, address);
	struct rn_piece piece = {.address = address, .entry = entry, .code = places->code};
	struct rn_user_range r;

	if (!s)
		return false;
	(void)rn_user_bounds(places, s, &r);
	piece.n = (unsigned)r.bytes;
	return rn_user_read_code(places, &r, places->code) && rn_leaves_loops(&piece);
}

/* A piece of the function that lies elsewhere may come back to anywhere. */
static enum rn_target function_or_piece(void *self, uint64_t address)
{
	const struct rn_user_places *p = self;
	const struct rn_user_symbol *s = rn_user_symbol_at(p, address);

	if (rn_user_is_stub(p, address))
		return RN_TARGET_FUNCTION;
	return s && !strstr(p->names + s->at, ".cold") ? RN_TARGET_FUNCTION : RN_TARGET_UNKNOWN;
}

unsigned rn_user_ahead(struct rn_user_places *places, uint64_t address, uint64_t entry,
		       bool *stepped)
{
	const struct rn_user_symbol *s = rn_user_symbol_at(places, address);
	struct rn_piece piece = {.address = address,
				 .entry = entry,
				 .code = places->code,
				 .target = function_or_piece,
				 .self = places};
	struct rn_user_range r;
	unsigned from = (unsigned)(entry - address), ahead;

	*stepped = false;
	if (!s || !rn_user_bounds(places, s, &r) || from >= r.bytes ||
	    !rn_user_read_code(places, &r, places->code))
		return 0;
	piece.n = (unsigned)r.bytes;
	ahead = rn_points_ahead(piece.code + from, piece.n - from);
	if (ahead && !rn_leaves_once(&piece, entry + ahead))
		ahead = 0;
	*stepped = !rn_points_emulated(piece.code + from + ahead, piece.n - from - ahead);
	return ahead;
}

const char *rn_user_leaves(struct rn_user *user, struct rn_user_places *places, uint64_t address,
			   uint64_t entry, uint64_t cookie)
{
	struct reading r = {.places = places,
			    .of = rn_user_symbol_at(places, address),
			    .cookie = cookie,
			    .npieces = 1};
	struct rn_unwind_piece u;
	const char *why;

	if (!r.of)
		return "it has no symbol";
	if (!rn_user_bounds(places, r.of, &r.piece[0]))
		return "another function begins in it";
	if (rn_unwind_find(places->unwind, address, &u) && u.address == address && !u.fresh)
		return "it is a piece of another function";
	why = read_pieces(&r, entry);
	for (unsigned i = 0; i < r.n && !why; i++)
		if (r.leave[i].off == rn_elf_offset(places->elf, entry))
			why = "it is left where it begins";
	if (!why)
		add(user, &r);
	return why;
}
