/* tls_returns.c - where functions of a TLS library return, if there is no cheaper place for a
 * probe: see tls_impl.h. */
#include <stdlib.h>
#include <string.h>
#include "lang/base/memory.h"
#include "lang/base/vec.h"
#include "probes/uprobe/points.h"
#include "probes/uprobe/tls_impl.h"
#include "probes/uprobe/user.h"

/* As for other reads of such a library, but its code and its tables for unwinding are read, too. */
static const struct rn_elf_limits limits = {8 << 20, 4 << 20, 1 << 18, 2000000000, 4};

struct listing {
	struct rn_elf *elf;
	struct rn_user_symbol *list;
	unsigned n, cap;
};

static bool take(void *self, const struct rn_elf_symbol *symbol)
{
	struct listing *l = self;

	if (symbol->ifunc)
		return true;
	rn_vec_room(l->list, l->n, l->cap);
	l->list[l->n++] = (struct rn_user_symbol){symbol->address, symbol->bytes, symbol->at};
	return true;
}

static const struct rn_user_symbol *symbol_at(const struct listing *l, uint64_t off)
{
	uint64_t at;

	for (unsigned i = 0; i < l->n; i++) {
		at = rn_elf_offset(l->elf, l->list[i].address);
		if (at && at <= off && off - at <= 4 &&
		    rn_elf_place(l->elf, l->list[i].address) == off)
			return &l->list[i];
	}
	return NULL;
}

/* A jump to another function in place of a return does not show the result. */
static bool add(struct rn_tls_lib *lib, unsigned function, const struct rn_user *user)
{
	if (lib->nleave + user->nleave > RN_TLS_LEAVES)
		return false;
	for (unsigned i = 0; i < user->nleave; i++)
		if (user->leave[i].cookie & RN_USER_JUMP)
			return false;
	for (unsigned i = 0; i < user->nleave; i++)
		lib->leave[lib->nleave++] = (struct rn_probe_at){user->leave[i].off, function};
	lib->entry[lib->nentry++] = (struct rn_probe_at){lib->off[function], function};
	return user->nleave > 0;
}

static bool may_begin_at(struct rn_elf *elf, uint64_t off)
{
	uint8_t code[16];

	return rn_elf_read(elf, off, code, sizeof(code)) && rn_points_probed(code, sizeof(code));
}

void rn_tls_returns(struct rn_tls_lib *lib)
{
	struct listing l = {.elf = rn_elf_open(lib->fd, &limits)};
	struct rn_user_places *places;
	size_t bytes;
	char *names;

	if (!l.elf) {
		lib->refused = true;
		return;
	}
	rn_elf_each(l.elf, take, &l);
	names = rn_elf_take_names(l.elf, &bytes);
	places = rn_user_places(l.elf, l.list, l.n, names);
	for (unsigned i = 0; i < RN_TLS_FUNCS; i++) {
		const struct rn_user_symbol *s = lib->off[i] ? symbol_at(&l, lib->off[i]) : NULL;
		struct rn_user user = {0};
		uint64_t entry =
			s ? s->address + (lib->off[i] - rn_elf_offset(l.elf, s->address)) : 0;

		if (lib->off[i])
			lib->refused |= !s || !may_begin_at(l.elf, lib->off[i]) ||
					rn_user_leaves(&user, places, s->address, entry, 0) ||
					!add(lib, i, &user);
		free(user.leave);
	}
	rn_user_places_free(places);
	rn_elf_close(l.elf);
	free(names);
}
