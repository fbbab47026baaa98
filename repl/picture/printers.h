/* printers.h - draws a picture: a file for each way. All take what others have chosen (names,
 * paths) as hostile: nothing of it gets out of its place. */
#ifndef RN_REPL_PICTURE_PRINTERS_H
#define RN_REPL_PICTURE_PRINTERS_H
#include "repl/picture/picture.h"

struct rn_picture_screen {
	unsigned width; /* columns; 0: not limited, as in a file */
	bool color;
	bool ascii;  /* the terminal has no lines of its own */
	bool ledger; /* the same terminal shows the ledger as well */
};
/* timeline.c: time goes down; a column for each process, under its node; an arrow for each message.
 * More processes than fit are put together by program, then by node. */
void rn_picture_timeline(FILE *to, const struct rn_picture *picture,
			 const struct rn_picture_screen *screen);
/* tree.c: each hop below the one that its data came from. */
void rn_picture_tree(FILE *to, const struct rn_picture *picture,
		     const struct rn_picture_screen *screen);
/* svg.c: the timeline as a picture for paper, which needs no other file. */
void rn_picture_svg(FILE *to, const struct rn_picture *picture,
		    const struct rn_picture_screen *screen);
/* dot.c: the graph of processes and objects, for Graphviz. */
void rn_picture_dot(FILE *to, const struct rn_picture *picture,
		    const struct rn_picture_screen *screen);
/* html.c: a page that shows the timeline beside the graph, and needs no other file. */
void rn_picture_html(FILE *to, const struct rn_picture *picture,
		     const struct rn_picture_screen *screen);

/* ---- words.c: words that printers share ---- */

/* A time since the picture's first one, a lag or a bound, as "12.3 ms"; buf has RN_PICTURE_WORDS
 * bytes. */
enum { RN_PICTURE_WORDS = 64 };
const char *rn_picture_duration(char *buf, int64_t ns);
/* A time of the epoch as one since the first hop: with enough digits to tell neighbours apart, in
 * one unit for the whole picture. */
const char *rn_picture_since(char *buf, const struct rn_picture *picture, int64_t at_ns);
const char *rn_picture_bytes(char *buf, int64_t bytes); /* as "12.3 KiB" */
/* Text of others, without control characters, on one line; on the heap. */
char *rn_picture_clean(const char *s);
/* "17 hops of 5 processes on 2 nodes, 2.1 ms; 3 of 16 links have more than one choice", or "no hop
 * was seen"; on the heap. */
char *rn_picture_summary(const struct rn_picture *picture);
/* Writes the summary and what the answer lacks. */
void rn_picture_tell(FILE *to, const struct rn_picture *picture,
		     const struct rn_picture_screen *screen);
/* Says in a few words if the other side of a box, or its origin, was not seen; else "". */
const char *rn_picture_lacks(const struct rn_picture_box *box);
/* How many links the hops have: an edge may be several. */
uint32_t rn_picture_links(const struct rn_picture *picture);
/* How many lines of the ledger a picture shows: all if the answer lacks something or has no hop. */
uint32_t rn_picture_told(const struct rn_picture *picture);
/* Is a time a twentieth of the whole picture's, or more? Then a label says it. */
bool rn_picture_is_long(const struct rn_picture *picture, int64_t ns);
/* ", took 7.90 ms" if a hop took so long; else "". */
const char *rn_picture_took(char *buf, const struct rn_picture *picture,
			    const struct rn_picture_box *box);
/* The evidence of an edge: "exact", "hash, 1 of 3"; buf has RN_PICTURE_WORDS bytes. */
const char *rn_picture_evidence(char *buf, const struct rn_picture_edge *edge);
/* A number from 0 to n - 1 for the first tag of the list, the same wherever it is drawn. */
unsigned rn_picture_color(const char *tags, unsigned n);
unsigned rn_picture_ansi(const char *tags); /* the same as a colour of a terminal */
#endif
