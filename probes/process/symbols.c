/* symbols.c - tables of functions: see symbols.h. */
#include "lang/base/memory.h"
#include "probes/process/elf.h"
#include "probes/process/symbols.h"
#include "lang/base/vec.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A function without a size reaches to the next one, but not further than this. */
enum { REACH = 1 << 20, MAX_KALLSYMS = 64 << 20 };

struct symbol {
	uint64_t address;
	uint32_t bytes; /* 0: not known */
	uint32_t name;  /* offset in names */
};
struct rn_symbols {
	struct symbol *list;
	size_t n, cap;
	char *names;
	size_t nnames, room;
	struct rn_elf_segment seg[RN_ELF_SEGMENTS];
	unsigned nsegs;
	bool cut;
};

static struct rn_symbols *create(void)
{
	return rn_calloc(1, sizeof(struct rn_symbols));
}

static void add(struct rn_symbols *s, uint64_t address, uint64_t bytes, uint32_t name)
{
	rn_vec_room(s->list, s->n, s->cap);
	if (bytes > UINT32_MAX)
		bytes = UINT32_MAX;
	s->list[s->n++] = (struct symbol){address, (uint32_t)bytes, name};
}

static int by_address(const void *x, const void *y)
{
	const struct symbol *a = x, *b = y;

	return a->address < b->address ? -1 : a->address > b->address;
}

/* Is p the plainer name? Names may be very long and share their bytes: only the part that is shown
 * is compared. */
static bool plainer(const char *p, const char *q)
{
	size_t np = strnlen(p, RN_SYMBOL_BYTES), nq = strnlen(q, RN_SYMBOL_BYTES), up = 0, uq = 0;

	while (up < np && p[up] == '_')
		up++;
	while (uq < nq && q[uq] == '_')
		uq++;
	if (up != uq)
		return up < uq;
	return np != nq ? np < nq : memcmp(p, q, np) < 0;
}

/* Sort; keep one symbol for each address: the plainest name with the greatest size. */
static struct rn_symbols *finish(struct rn_symbols *symbols)
{
	size_t n = 0;

	if (symbols->n)
		qsort(symbols->list, symbols->n, sizeof(*symbols->list), by_address);
	for (size_t i = 0; i < symbols->n; i++) {
		struct symbol *y = &symbols->list[i], *last = n ? &symbols->list[n - 1] : NULL;

		if (!last || last->address != y->address) {
			symbols->list[n++] = *y;
			continue;
		}
		if (y->bytes > last->bytes)
			last->bytes = y->bytes;
		if (plainer(symbols->names + y->name, symbols->names + last->name))
			last->name = y->name;
	}
	symbols->n = n;
	if (n && n < symbols->cap)
		symbols->list = rn_realloc(symbols->list, n * sizeof(*symbols->list));
	symbols->cap = n;
	return symbols;
}

/* ---- the kernel ---- */

static uint32_t keep_name(struct rn_symbols *s, const char *name, size_t n)
{
	uint32_t at = (uint32_t)s->nnames;

	rn_vec_room_for(s->names, s->nnames, s->room, n + 1);
	memcpy(s->names + at, name, n);
	s->names[at + n] = 0;
	s->nnames += n + 1;
	return at;
}

static uint64_t digit(char c)
{
	return (uint64_t)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
}

struct rn_symbols *rn_symbols_kallsyms(const char *text, size_t n)
{
	struct rn_symbols *symbols = create();
	const char *p = text, *end = text + n;

	if (n > MAX_KALLSYMS) {
		symbols->cut = true;
		end = text + MAX_KALLSYMS;
	}
	while (p < end) {
		const char *line = p, *stop = memchr(p, '\n', (size_t)(end - p));
		uint64_t address = 0;
		size_t len;

		if (!stop)
			stop = end;
		p = stop + 1;
		for (; line < stop && *line != ' '; line++)
			address = address << 4 | digit(*line);
		if (stop - line < 4 || !address || !strchr("tTwW", line[1]))
			continue;
		line += 3;
		for (len = 0; line + len < stop && line[len] != '\t' && line[len] != ' '; len++)
			;
		add(symbols, address, 0, keep_name(symbols, line, len));
	}
	return finish(symbols);
}

struct rn_symbols *rn_symbols_kernel(void)
{
	int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	size_t n = 0, room = 16 << 20;
	char *text = rn_malloc(room);
	struct rn_symbols *s;
	ssize_t r = 0;

	while (fd >= 0 && n <= MAX_KALLSYMS && (r = read(fd, text + n, room - n)) > 0) {
		n += (size_t)r;
		if (n == room)
			text = rn_realloc(text, room *= 2);
	}
	if (fd >= 0)
		close(fd);
	s = rn_symbols_kallsyms(text, r < 0 ? 0 : n);
	free(text);
	return s;
}

/* ---- ELF ---- */

static bool add_shown(void *self, const struct rn_elf_symbol *y)
{
	add(self, y->address, y->bytes, y->at);
	return true;
}

struct rn_symbols *rn_symbols_elf(struct rn_elf *elf)
{
	struct rn_symbols *s = create();
	const struct rn_elf_segment *seg;

	if (!elf)
		return s;
	seg = rn_elf_segments(elf, &s->nsegs);
	memcpy(s->seg, seg, s->nsegs * sizeof(*seg));
	rn_elf_each(elf, add_shown, s);
	s->names = rn_elf_take_names(elf, &s->nnames);
	s->cut = rn_elf_cut(elf);
	if (!s->n) { /* these are names of other things */
		free(s->names);
		s->names = NULL;
	}
	return finish(s);
}

bool rn_symbols_cut(const struct rn_symbols *symbols)
{
	return symbols->cut;
}

size_t rn_symbols_bytes(const struct rn_symbols *symbols)
{
	return sizeof(*symbols) + symbols->cap * sizeof(*symbols->list) +
	       (symbols->names ? symbols->nnames : 0);
}

uint64_t rn_symbols_address(const struct rn_symbols *symbols, uint64_t off)
{
	for (unsigned i = 0; i < symbols->nsegs; i++)
		if (off >= symbols->seg[i].off && off - symbols->seg[i].off < symbols->seg[i].bytes)
			return off - symbols->seg[i].off + symbols->seg[i].address;
	return off;
}

/* ---- look up ---- */

size_t rn_symbols_find(const struct rn_symbols *symbols, uint64_t address, char *out, size_t room)
{
	size_t low = 0, high = symbols->n, n = 0;
	const struct symbol *y;
	const char *name;
	uint64_t reach;

	while (low < high) { /* the first beyond the address */
		size_t mid = (low + high) / 2;

		if (symbols->list[mid].address <= address)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low)
		return 0;
	y = &symbols->list[low - 1];
	/* In a table that was cut the next function may be missing: no name is better than a wrong
	 * one. */
	reach = y->bytes ? y->bytes : symbols->cut ? 1 : REACH;
	if (address - y->address >= reach)
		return 0;
	name = symbols->names + y->name;
	for (; n < room && name[n] && name[n] != ';' && name[n] != '\n'; n++)
		out[n] = name[n];
	out[n < room ? n : room - 1] = 0;
	return n;
}

void rn_symbols_free(struct rn_symbols *symbols)
{
	if (!symbols)
		return;
	free(symbols->list);
	free(symbols->names);
	free(symbols);
}
