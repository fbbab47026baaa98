/* words.c - words that several printers have in common. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lang/base/memory.h"
#include "lang/values/value.h"
#include "repl/picture/printers.h"
#include "repl/terminal/terminal.h"

static const char *shown(char *buf, struct rn_ty ty, int64_t i)
{
	struct rn_arena *a = rn_arena_create(SIZE_MAX);
	const struct rn_value v = rn_int(i);

	snprintf(buf, RN_PICTURE_WORDS, "%s", rn_value_show(a, ty, &v));
	rn_arena_destroy(a);
	return buf;
}

const char *rn_picture_duration(char *buf, int64_t ns)
{
	return shown(buf, (struct rn_ty){RN_T_INT, RN_U_NS}, ns);
}

const char *rn_picture_since(char *buf, const struct rn_picture *picture, int64_t at_ns)
{
	/* times of others may be any: no difference overflows */
	int64_t whole = (int64_t)((uint64_t)picture->last_ns - (uint64_t)picture->first_ns),
		ns = (int64_t)((uint64_t)at_ns - (uint64_t)picture->first_ns);

	if (whole < 1000)
		snprintf(buf, RN_PICTURE_WORDS, "%" PRId64 " ns", ns);
	else if (whole < 1000000)
		snprintf(buf, RN_PICTURE_WORDS, "%.2f us", (double)ns / 1e3);
	else if (whole < 1000000000)
		snprintf(buf, RN_PICTURE_WORDS, "%.3f ms", (double)ns / 1e6);
	else
		snprintf(buf, RN_PICTURE_WORDS, "%.4f s", (double)ns / 1e9);
	return buf;
}

const char *rn_picture_bytes(char *buf, int64_t bytes)
{
	return shown(buf, (struct rn_ty){RN_T_INT, RN_U_BYTE}, bytes);
}

char *rn_picture_clean(const char *s)
{
	size_t n = strlen(s), cap = 4 * n + 20;
	char *to = rn_malloc(cap);

	to[rn_text_clean(to, cap, s, n)] = 0;
	return to;
}

static const char *plural(uint32_t n)
{
	return n == 1 ? "" : "s";
}

uint32_t rn_picture_links(const struct rn_picture *picture)
{
	uint32_t links = 0;

	for (uint32_t i = 0; i < picture->nedges; i++)
		links += picture->edges[i].count;
	return links;
}

char *rn_picture_summary(const struct rn_picture *picture)
{
	uint32_t guesses = 0, links = rn_picture_links(picture), nodes = 0;
	char took[RN_PICTURE_WORDS], buf[64];
	size_t n;
	char *text;
	FILE *to = open_memstream(&text, &n);

	if (!to)
		abort();
	if (!picture->hops)
		fputs("no hop was seen", to);
	for (uint32_t i = 0; i < picture->nedges; i++)
		guesses += picture->edges[i].choices > 1 ? picture->edges[i].count : 0;
	for (uint32_t i = 0; i < picture->nnodes; i++)
		nodes += picture->nodes[i].nlanes > 0;
	if (picture->hops)
		fprintf(to, "%s hop%s of %u process%s", rn_text_commas(buf, picture->hops),
			picture->hops == 1 ? "" : "s", picture->nlanes,
			picture->nlanes == 1 ? "" : "es");
	if (nodes && *picture->nodes->name)
		fprintf(to, " on %u node%s", nodes, plural(nodes));
	if (picture->hops)
		fprintf(to, ", %s",
			rn_picture_duration(took, picture->last_ns - picture->first_ns));
	if (guesses)
		fprintf(to, "; %u of %u link%s %s more than one choice", guesses, links,
			plural(links), guesses == 1 ? "has" : "have");
	(void)fclose(to);
	return text;
}

uint32_t rn_picture_told(const struct rn_picture *picture)
{
	return picture->complete && picture->hops ? 0 : picture->nledger;
}

void rn_picture_tell(FILE *to, const struct rn_picture *picture,
		     const struct rn_picture_screen *screen)
{
	char *text = rn_picture_summary(picture);

	rn_text_wrap(to, text, screen->width, 2);
	free(text);
	for (uint32_t i = 0; i < rn_picture_told(picture) && !screen->ledger; i++) {
		text = rn_picture_clean(picture->ledger[i]);
		rn_text_wrap(to, text, screen->width, 2);
		free(text);
	}
}

const char *rn_picture_lacks(const struct rn_picture_box *box)
{
	return box->cut                          ? "from a hop that is left out"
	       : box->side == RN_PICTURE_NONE    ? "other side not seen"
	       : box->side == RN_PICTURE_OUTSIDE ? "other side not looked at"
						 : "";
}

bool rn_picture_is_long(const struct rn_picture *picture, int64_t ns)
{
	enum { PART = 20 };
	int64_t whole;

	return ns > 0 && !__builtin_sub_overflow(picture->last_ns, picture->first_ns, &whole) &&
	       ns >= whole / PART;
}

const char *rn_picture_took(char *buf, const struct rn_picture *picture,
			    const struct rn_picture_box *box)
{
	int64_t took = box->end_ns - box->begin_ns;
	char ns[RN_PICTURE_WORDS];

	*buf = 0;
	if (box->count == 1 && box->timed && rn_picture_is_long(picture, took))
		snprintf(buf, RN_PICTURE_WORDS, ", took %.40s", rn_picture_duration(ns, took));
	return buf;
}

const char *rn_picture_evidence(char *buf, const struct rn_picture_edge *edge)
{
	if (edge->choices > 1)
		snprintf(buf, RN_PICTURE_WORDS, "%.20s, 1 of %" PRIu32, edge->link, edge->choices);
	else
		snprintf(buf, RN_PICTURE_WORDS, "%.20s", edge->link);
	return buf;
}

unsigned rn_picture_color(const char *tags, unsigned n)
{
	uint32_t h = 2166136261u; /* FNV-1a: alike in each picture */

	for (const char *s = tags; *s && *s != ','; s++)
		h = (h ^ (unsigned char)*s) * 16777619u;
	return h % n;
}

unsigned rn_picture_ansi(const char *tags)
{
	static const unsigned colors[] = {36, 33, 35, 32, 34, 31};

	return colors[rn_picture_color(tags, sizeof(colors) / sizeof(*colors))];
}
