/* unwind.c - see unwind.h. An entry has instructions, of which those count that say where the
 * call's frame begins, counted from a register. */
#include <stdlib.h>
#include <string.h>
#include "lang/base/memory.h"
#include "probes/process/unwind.h"

enum {
	PIECES_MAX = 1 << 20,
	ENTRY_BYTES = 64 << 10, /* of one entry of .eh_frame */
	STATES_MAX = 16,
	HEAD_BYTES = 12, /* of .eh_frame_hdr, before its table */
	PART = 48 << 10,
};
/* how a number is written: DW_EH_PE_... */
enum {
	FORMAT = 0x0f,
	ABSOLUTE = 0x00,
	UNSIGNED_4 = 0x03,
	UNSIGNED_8 = 0x04,
	SIGNED_4 = 0x0b,
	SIGNED_8 = 0x0c,
	FROM_HERE = 0x10,
	FROM_TABLE = 0x30,
};

struct entry {
	int32_t code, at; /* from the table's address */
};
/* How far an entry has been read. */
enum state { UNREAD, FAULTY, FRESH, USED };
struct known {
	uint32_t bytes; /* of its piece */
	uint8_t state;
};
/* What entries share: a CIE. */
struct common {
	uint64_t address; /* 0: none was read */
	uint8_t encoding; /* of addresses */
	bool augmented;
	uint64_t code_align;
	int64_t data_align;
	uint8_t *bytes; /* instructions */
	unsigned n;
};
struct rn_unwind {
	struct rn_elf *elf;
	uint64_t table; /* its address */
	struct entry *entry;
	struct known *known; /* of each */
	unsigned n;
	struct common common;
	uint8_t *buf; /* of the entry that is read */
};

/* ---- bytes ---- */

struct bytes {
	const uint8_t *p, *end;
	uint64_t address; /* of p */
	bool bad;         /* something was missing, or not understood */
};

static const uint8_t *take(struct bytes *b, uint64_t n)
{
	const uint8_t *p = b->p;

	if (b->bad || n > (uint64_t)(b->end - b->p)) {
		b->bad = true;
		return NULL;
	}
	b->p += n;
	b->address += n;
	return p;
}

/* A number of n bytes. */
static uint64_t number(struct bytes *b, unsigned n)
{
	const uint8_t *p = take(b, n);
	uint64_t x = 0;

	if (p)
		memcpy(&x, p, n);
	return x;
}

static int64_t signed_4(struct bytes *b)
{
	return (int32_t)number(b, 4);
}

/* LEB128; bits beyond 64 are lost, as in other readers. sign: the last byte's second bit is it. */
static uint64_t leb(struct bytes *b, bool sign)
{
	uint64_t x = 0, byte;
	unsigned shift = 0;

	do {
		byte = number(b, 1);
		if (shift < 64)
			x |= (byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80 && !b->bad);
	if (sign && byte & 0x40 && shift < 64)
		x |= ~0ULL << shift;
	return x;
}

static uint64_t encoded(struct bytes *b, unsigned encoding)
{
	uint64_t here = b->address, x = 0;

	switch (encoding & FORMAT) {
	case ABSOLUTE:
	case UNSIGNED_8:
	case SIGNED_8: x = number(b, 8); break;
	case UNSIGNED_4: x = number(b, 4); break;
	case SIGNED_4: x = (uint64_t)signed_4(b); break;
	default: b->bad = true;
	}
	switch (encoding & ~FORMAT) {
	case 0: return x;
	case FROM_HERE: return x + here;
	default: b->bad = true; return 0;
	}
}

/* ---- .eh_frame: entries, and what they share ---- */

/* Reads the record at the address into buf, behind its length. */
static bool record(struct rn_unwind *u, uint64_t address, struct bytes *out)
{
	uint64_t off = rn_elf_data(u->elf, address);
	uint32_t n;

	if (!off || !rn_elf_read(u->elf, off, &n, sizeof(n)) || n < 4 || n > ENTRY_BYTES ||
	    !rn_elf_read(u->elf, off + sizeof(n), u->buf, n))
		return false;
	*out = (struct bytes){u->buf, u->buf + n, address + sizeof(n), false};
	return true;
}

/* The parts of an entry that the letters of its augmentation announce. */
static void augmentation(struct common *c, struct bytes *b, const char *letters)
{
	uint64_t n;
	const uint8_t *end;

	if (!*letters)
		return;
	if (*letters != 'z') {
		b->bad = true;
		return;
	}
	c->augmented = true;
	n = leb(b, false);
	end = n <= (uint64_t)(b->end - b->p) ? b->p + n : NULL;
	for (letters++; *letters && !b->bad; letters++)
		switch (*letters) {
		case 'R': c->encoding = (uint8_t)number(b, 1); break;
		case 'L': (void)number(b, 1); break;
		case 'P': (void)encoded(b, number(b, 1) & (FORMAT | FROM_HERE)); break;
		case 'S':
		case 'B': break;
		default: b->bad = true;
		}
	b->bad |= !end || b->p > end;
	if (!b->bad)
		(void)take(b, (uint64_t)(end - b->p));
}

static bool read_common(struct rn_unwind *u, uint64_t address)
{
	struct common c = {.address = address};
	const char *letters;
	struct bytes b;
	uint64_t version;

	if (address == u->common.address)
		return true;
	if (!record(u, address, &b) || number(&b, 4))
		return false;
	version = number(&b, 1);
	letters = (const char *)b.p;
	if (b.bad || (version != 1 && version != 3) || !memchr(letters, 0, (size_t)(b.end - b.p)) ||
	    !take(&b, strlen(letters) + 1))
		return false;
	c.code_align = leb(&b, false);
	c.data_align = (int64_t)leb(&b, true);
	if (version == 1)
		(void)number(&b, 1); /* the register of the return address */
	else
		(void)leb(&b, false);
	augmentation(&c, &b, letters);
	if (b.bad)
		return false;
	c.n = (unsigned)(b.end - b.p);
	c.bytes = rn_malloc(c.n + 1);
	memcpy(c.bytes, b.p, c.n);
	free(u->common.bytes);
	u->common = c;
	return true;
}

/* Reads the i-th entry: the piece's bounds; *b: its instructions. */
static bool read_entry(struct rn_unwind *u, unsigned i, struct rn_unwind_piece *piece,
		       struct bytes *b)
{
	uint64_t at = u->table + (uint64_t)(int64_t)u->entry[i].at, common, by;

	if (!record(u, at, b))
		return false;
	by = number(b, 4);
	common = at + 4 - by;
	if (!by) /* it is what others share */
		return false;
	/* what they share is read into the same memory */
	if (common != u->common.address &&
	    (!read_common(u, common) || !record(u, at, b) || !take(b, 4)))
		return false;
	piece->address = encoded(b, u->common.encoding);
	piece->bytes = encoded(b, u->common.encoding & FORMAT);
	if (u->common.augmented)
		(void)take(b, leb(b, false));
	piece->index = i;
	return !b->bad && piece->bytes && piece->bytes <= UINT32_MAX &&
	       piece->address == u->table + (uint64_t)(int64_t)u->entry[i].code &&
	       piece->address + piece->bytes > piece->address;
}

/* ---- instructions ---- */

struct frame {         /* where the call's frame begins */
	uint64_t from; /* register */
	int64_t off;
	bool computed;
};
struct machine {
	struct frame now, first, kept[STATES_MAX];
	unsigned nkept;
	const struct common *common;
	uint64_t address;
};

static bool is_fresh(const struct frame *f)
{
	enum { STACK_POINTER = 7, RETURN_ADDRESS = 8 }; /* alone is on the stack */

	return !f->computed && f->from == STACK_POINTER && f->off == RETURN_ADDRESS;
}

static void keep(struct machine *m, struct bytes *b)
{
	b->bad |= m->nkept == STATES_MAX;
	if (!b->bad)
		m->kept[m->nkept++] = m->now;
}

static void restore(struct machine *m, struct bytes *b)
{
	b->bad |= !m->nkept;
	if (!b->bad)
		m->now = m->kept[--m->nkept];
}

/* The rules of registers are passed over. False: it is none of these. */
static bool of_registers(struct bytes *b, unsigned op)
{
	switch (op) {
	case 0x00: return true;                      /* nop */
	case 0x06:                                   /* restore */
	case 0x07:                                   /* undefined */
	case 0x08:                                   /* same value */
	case 0x2e: (void)leb(b, false); return true; /* size of arguments */
	case 0x05:                                   /* at an offset */
	case 0x09:                                   /* in a register */
	case 0x11:                                   /* at a signed offset */
	case 0x14:                                   /* an offset */
	case 0x15:                                   /* a signed offset */
	case 0x2f:                                   /* at a negative offset */
		(void)leb(b, false);
		(void)leb(b, false);
		return true;
	case 0x10: /* expressions */
	case 0x16:
		(void)leb(b, false);
		(void)take(b, leb(b, false));
		return true;
	default: return false;
	}
}

/* One instruction. Returns how far the address moves. */
static uint64_t step(struct machine *m, struct bytes *b)
{
	unsigned op = (unsigned)number(b, 1);

	switch (op >> 6) {
	case 1: return (op & 0x3f) * m->common->code_align;
	case 2: (void)leb(b, false); return 0;
	case 3: return 0;
	default: break;
	}
	switch (op) {
	case 0x02: return number(b, 1) * m->common->code_align;
	case 0x03: return number(b, 2) * m->common->code_align;
	case 0x04: return number(b, 4) * m->common->code_align;
	case 0x0a: keep(m, b); return 0;
	case 0x0b: restore(m, b); return 0;
	case 0x0c:
		m->now.from = leb(b, false);
		m->now.off = (int64_t)leb(b, false);
		m->now.computed = false;
		return 0;
	case 0x0d: m->now.from = leb(b, false); return 0;
	case 0x0e: m->now.off = (int64_t)leb(b, false); return 0;
	case 0x0f:
		(void)take(b, leb(b, false));
		m->now.computed = true;
		return 0;
	case 0x12:
		m->now.from = leb(b, false);
		m->now.off = (int64_t)(leb(b, true) * (uint64_t)m->common->data_align);
		m->now.computed = false;
		return 0;
	case 0x13: m->now.off = (int64_t)(leb(b, true) * (uint64_t)m->common->data_align); return 0;
	default: b->bad |= !of_registers(b, op); return 0;
	}
}

static bool begin(struct rn_unwind *u, struct machine *m)
{
	struct bytes b = {u->common.bytes, u->common.bytes + u->common.n, 0, false};

	*m = (struct machine){.common = &u->common, .now = {.computed = true}};
	while (b.p < b.end && !b.bad)
		b.bad |= step(m, &b) != 0;
	return !b.bad;
}

/* Runs the instructions of a piece; returns the number of rows, 0 if they are not understood, or
 * are more than max. With max 1: only what holds where it begins. */
static unsigned run(struct rn_unwind *u, const struct rn_unwind_piece *piece, struct bytes *b,
		    struct rn_unwind_row *rows, unsigned max)
{
	uint64_t at = piece->address, by;
	struct machine m;
	unsigned n = 0;

	if (!begin(u, &m))
		return 0;
	for (;;) {
		by = 0;
		while (b->p < b->end && !b->bad && !by)
			by = step(&m, b);
		if (b->bad)
			return 0;
		if (!n || rows[n - 1].fresh != is_fresh(&m.now)) {
			if (n == max)
				return 0;
			rows[n++] = (struct rn_unwind_row){at, is_fresh(&m.now)};
		}
		/* what follows the end is beyond the piece */
		if (!by || max == 1 || by >= piece->address + piece->bytes - at)
			return n;
		at += by;
	}
}

/* ---- the table ---- */

static bool read_table(struct rn_unwind *u, uint64_t off, uint64_t bytes)
{
	uint8_t head[HEAD_BYTES];
	uint32_t n;

	/* the table of pairs that linkers write: numbers of four bytes, counted from its address */
	if (bytes < sizeof(head) || !rn_elf_read(u->elf, off, head, sizeof(head)) || head[0] != 1 ||
	    head[1] != (FROM_HERE | SIGNED_4) || head[2] != UNSIGNED_4 ||
	    head[3] != (FROM_TABLE | SIGNED_4))
		return false;
	memcpy(&n, head + 8, sizeof(n));
	if (!n || n > PIECES_MAX || n > (bytes - sizeof(head)) / sizeof(*u->entry))
		return false;
	u->entry = rn_malloc(n * sizeof(*u->entry));
	u->n = n;
	for (size_t done = 0, all = n * sizeof(*u->entry); done < all; done += PART)
		if (!rn_elf_read(u->elf, off + sizeof(head) + done, (char *)u->entry + done,
				 all - done < PART ? all - done : PART))
			return false;
	for (unsigned i = 1; i < n; i++)
		if (u->entry[i].code <= u->entry[i - 1].code)
			return false;
	return true;
}

struct rn_unwind *rn_unwind_read(struct rn_elf *elf)
{
	struct rn_unwind *u = rn_calloc(1, sizeof(*u));
	uint64_t bytes, off;

	u->elf = elf;
	u->table = rn_elf_unwind(elf, &bytes);
	off = u->table && rn_elf_native(elf) ? rn_elf_data(elf, u->table) : 0;
	if (!off || !read_table(u, off, bytes)) {
		rn_unwind_free(u);
		return NULL;
	}
	u->known = rn_calloc(u->n, sizeof(*u->known));
	u->buf = rn_malloc(ENTRY_BYTES);
	return u;
}

void rn_unwind_free(struct rn_unwind *unwind)
{
	if (!unwind)
		return;
	free(unwind->entry);
	free(unwind->known);
	free(unwind->common.bytes);
	free(unwind->buf);
	free(unwind);
}

unsigned rn_unwind_count(const struct rn_unwind *unwind)
{
	return unwind ? unwind->n : 0;
}

static void learn(struct rn_unwind *u, unsigned i)
{
	struct rn_unwind_piece piece;
	struct rn_unwind_row row;
	struct bytes b;

	u->known[i].state = FAULTY;
	if (!read_entry(u, i, &piece, &b) || !run(u, &piece, &b, &row, 1))
		return;
	u->known[i] = (struct known){(uint32_t)piece.bytes, row.fresh ? FRESH : USED};
}

bool rn_unwind_piece(struct rn_unwind *unwind, unsigned i, struct rn_unwind_piece *piece)
{
	const struct known *k = &unwind->known[i];

	if (k->state == UNREAD)
		learn(unwind, i);
	*piece = (struct rn_unwind_piece){.address = unwind->table +
						     (uint64_t)(int64_t)unwind->entry[i].code,
					  .bytes = k->bytes,
					  .index = i,
					  .fresh = k->state == FRESH};
	return k->state != FAULTY;
}

/* The last entry that begins at the address or before it; -1: none does. */
static int entry_before(const struct rn_unwind *u, uint64_t address)
{
	int64_t code = (int64_t)(address - u->table);
	unsigned low = 0, high = u->n;

	while (low < high) {
		unsigned mid = low + (high - low) / 2;

		if (u->entry[mid].code <= code)
			low = mid + 1;
		else
			high = mid;
	}
	return (int)low - 1;
}

bool rn_unwind_find(struct rn_unwind *unwind, uint64_t address, struct rn_unwind_piece *piece)
{
	int i = unwind ? entry_before(unwind, address) : -1;

	return i >= 0 && rn_unwind_piece(unwind, (unsigned)i, piece) &&
	       address - piece->address < piece->bytes;
}

unsigned rn_unwind_rows(struct rn_unwind *unwind, uint64_t address, struct rn_unwind_piece *piece,
			struct rn_unwind_row *rows, unsigned max)
{
	int i = unwind ? entry_before(unwind, address) : -1;
	struct bytes b;
	unsigned n;

	if (i < 0 || !read_entry(unwind, (unsigned)i, piece, &b) ||
	    address - piece->address >= piece->bytes)
		return 0;
	n = run(unwind, piece, &b, rows, max);
	piece->fresh = n && rows[0].fresh;
	return n;
}
