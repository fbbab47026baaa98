/* user_impl.h - inside of the search for functions: texts that name them, and the functions of a
 * file by address, from its symbols and its tables for unwinding, and where pieces of code go. */
#ifndef RN_PROBES_UPROBE_USER_IMPL_H
#define RN_PROBES_UPROBE_USER_IMPL_H
#include "probes/process/unwind.h"
#include "probes/uprobe/user.h"

enum { RN_USER_PIECE_BYTES = 1 << 20, RN_USER_ROWS = 8192 };

struct rn_user_range {
	uint64_t address, bytes;
};
static inline bool rn_user_holds(const struct rn_user_range *range, uint64_t address)
{
	return address >= range->address && address - range->address < range->bytes;
}

/* A piece of a function apart from the rest; it jumps back to this place in the function. */
struct rn_user_part {
	struct rn_user_range at;
	uint64_t back;
};
/* The ways out of a piece. */
struct rn_user_way {
	enum { RN_USER_UNREAD, RN_USER_FAULTY, RN_USER_READ } state;
	bool returns;
	bool leaves;   /* jumps to where a function begins */
	uint64_t back; /* a place that it jumps to, and where none begins; 0: none */
};
struct rn_user_places {
	struct rn_elf *elf;
	struct rn_user_symbol *symbols; /* by address */
	unsigned n;
	const char *names;
	struct rn_unwind *unwind;   /* NULL: the file has no such tables */
	uint8_t *code;              /* of the piece that is read */
	uint8_t *other;             /* of one that it jumps to */
	struct rn_unwind_row *rows; /* RN_USER_ROWS of them */
	struct rn_user_part *part;  /* pieces that begin in the midst of a call, and may end it */
	unsigned nparts, cap_parts;
	struct rn_user_way *way; /* of each piece of the tables */
	bool looked;             /* the parts are known; */
	bool all;                /* and each has an owner */
};

/* ---- user_text.c ---- */

/* Cuts the next WHERE:GLOB off "WHERE:GLOB, WHERE:GLOB", in place; NULL: there is none. */
char *rn_user_part(char **rest);
/* Passes each path of the loader's cache, of which n bytes are in memory. */
void rn_user_each_cached(const char *text, size_t n, void (*take)(void *self, const char *path),
			 void *self);

/* ---- user_places.c ---- */

/* The last symbol that begins at the address, or before it; NULL: there is none. */
const struct rn_user_symbol *rn_user_symbol_before(const struct rn_user_places *places,
						   uint64_t address);
/* Returns the longest function that begins there; NULL: none does. */
const struct rn_user_symbol *rn_user_symbol_at(const struct rn_user_places *places,
					       uint64_t address);
/* Where does the function of that symbol end? The longer of what the symbol and the tables say.
 * False: another function begins before that. */
bool rn_user_bounds(struct rn_user_places *places, const struct rn_user_symbol *symbol,
		    struct rn_user_range *range);
bool rn_user_read_code(struct rn_user_places *places, const struct rn_user_range *range,
		       uint8_t *to);
/* Is it a stub that leads to a function of another file: jmp *TABLE(%rip)? */
bool rn_user_is_stub(const struct rn_user_places *places, uint64_t address);
/* Where does the piece go? NULL: it is not understood. */
const struct rn_user_way *rn_user_way(struct rn_user_places *places,
				      const struct rn_unwind_piece *piece);
/* Reads all pieces of the file once, for `part`. False: some have no owner, so a switch may lead
 * there. */
bool rn_user_know_parts(struct rn_user_places *places);
#endif
