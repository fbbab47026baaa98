/* fingerprints.c - compares the bytes around a tag by their fingerprints: the field `around`,
 * TAG@BEFORE-BEHIND for each tag.
 *
 * A side is the number of known bytes, two digits. Then comes a hash of four digits for each four
 * bytes, outwards: of all bytes up to there. The last hash may stand for less than four. The text
 * comes from a node, or out of a file: it may be anything. */
#include <stdlib.h>
#include "exec/flow/flow_impl.h"

static bool hex(const char *s, unsigned digits, unsigned *out)
{
	*out = 0;
	for (unsigned i = 0; i < digits; i++) {
		unsigned c = (unsigned char)s[i], v = c >= '0' && c <= '9'   ? c - '0'
						      : c >= 'a' && c <= 'f' ? c - 'a' + 10
									     : 16;

		if (v > 15)
			return false;
		*out = *out << 4 | v;
	}
	return true;
}

/* Returns how many characters the side has; 0: it is no side. */
static size_t read_side(const char *s, struct rn_print *p, unsigned side)
{
	unsigned known, step;
	size_t n = 2;

	if (!hex(s, 2, &known) || known > RN_PRINT_BYTES)
		return 0;
	for (unsigned k = 0; 4 * k < known; k++, n += 4) {
		if (!hex(s + n, 4, &step))
			return 0;
		p->step[side][k] = (uint16_t)step;
	}
	p->known[side] = (uint8_t)known;
	return n;
}

static bool read_print(const char *s, struct rn_print *out)
{
	struct rn_print p = {0};
	size_t n = read_side(s, &p, 0), more = n && s[n] == '-' ? read_side(s + n + 1, &p, 1) : 0;

	s += n + 1 + more;
	if (!more || (*s && *s != ' '))
		return false;
	*out = p;
	return true;
}

/* Forgets the bytes beyond that number. A step that is cut says nothing. */
static void cut(struct rn_print *p, unsigned side, int64_t bytes)
{
	if (bytes < p->known[side])
		p->known[side] = bytes < 0 ? 0 : (uint8_t)(bytes & ~3);
}

void rn_flow_print(const struct rn_flow_hop *hop, const struct rn_value *tag, struct rn_print *out)
{
	const char *first = rn_flow_text(hop, F_AROUND)->s;
	int64_t place;

	memset(out, 0, sizeof(*out));
	for (const char *s = first; tag->len && (s = strstr(s, "@")); s++) {
		const char *from = s - tag->len;

		if (s - first < (ptrdiff_t)tag->len || memcmp(from, tag->s, tag->len) ||
		    (from > first && from[-1] != ' '))
			continue;
		if (read_print(s + 1, out))
			break;
	}
	/* earlier bytes of the same stream may be another writer's */
	cut(out, 0, rn_flow_place(hop, tag, &place) ? place : 0);
}

bool rn_flow_differ(const struct rn_print *a, const struct rn_print *b, unsigned side,
		    unsigned *same)
{
	unsigned known = a->known[side] < b->known[side] ? a->known[side] : b->known[side];
	/* the last step may have fewer bytes */
	unsigned steps = a->known[side] == b->known[side] ? (known + 3) / 4 : known / 4;

	*same = 0;
	for (unsigned k = 0; k < steps; k++) {
		if (a->step[side][k] != b->step[side][k])
			return true;
		*same = 4 * (k + 1) < known ? 4 * (k + 1) : known;
	}
	return false;
}

bool rn_flow_alike(const struct rn_print *a, const struct rn_print *b)
{
	unsigned same;

	return !rn_flow_differ(a, b, 0, &same) && !rn_flow_differ(a, b, 1, &same);
}
