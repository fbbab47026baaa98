/* diag.h - errors in the user's query: several per run, each with a stable code, a place in a text,
 * and a way out.
 *
 * Spans are byte offsets into one of several source texts (the query, a module, a saved view).
 * Passes append an error and go on. After RN_DIAG_MAX errors the rest are only counted. Nothing
 * here prints: rn_diag_render fills a buffer. */
#ifndef RN_LANG_BASE_DIAG_H
#define RN_LANG_BASE_DIAG_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lang/base/arena.h"
#include "lang/base/err.h"
#include "lang/base/span.h"

#define RN_DIAG_MAX 20

enum rn_severity { RN_ERROR, RN_WARNING, RN_NOTE };

struct rn_diag_item {
	enum rn_severity severity;
	const char *code;    /* "E-NAME-FIELD"; static */
	struct rn_span span; /* primary, drawn with ^ */
	struct rn_span also; /* secondary, drawn with ~; empty (start == end) if none */
	const char *text;    /* one line, no final dot */
	const char *hint;    /* the way out; NULL if none */
	struct rn_diag_item *next;
};

struct rn_diag; /* lives in the arena that it was made in */

struct rn_diag *rn_diag_new(struct rn_arena *arena);
/* Registers a copy of a text and returns its number. name: "query", "file.rnl", "view slow". */
uint16_t rn_diag_source(struct rn_diag *diag, const char *name, const char *text, size_t len);

/* Appends an item and returns it, never NULL. The two functions below set its hint and also. */
struct rn_diag_item *rn_diag_add(struct rn_diag *diag, enum rn_severity sev, const char *code,
				 struct rn_span span, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
void rn_diag_hint(struct rn_diag *diag, struct rn_diag_item *it, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Forgets what was added after `mark`, which rn_diag_mark returned for the same diag. */
struct rn_diag_mark {
	struct rn_diag_item **tail;
	unsigned errors, items;
};
struct rn_diag_mark rn_diag_mark(const struct rn_diag *diag);
void rn_diag_back(struct rn_diag *diag, struct rn_diag_mark mark);

/* Replaces the hints that begin with `begin`, for callers to which the command line's advice does
 * not apply. instead must outlive diag. */
void rn_diag_rehint(struct rn_diag *diag, const char *begin, const char *instead);
unsigned rn_diag_errors(const struct rn_diag *diag); /* errors so far, beyond the maximum too */
const struct rn_diag_item *rn_diag_first(const struct rn_diag *diag);

/* Makes later rendering fit into so many columns: messages wrap, and long lines are shortened. 0:
 * no limit. */
void rn_diag_fit(struct rn_diag *diag, unsigned columns);

/* All items as a person reads them, NUL-terminated, in the arena:
 *
 *   query:1:10: error: `raed` is not an event class or table [E-NAME-SOURCE]
 *     count of raed by proc
 *              ^~~~
 *     did you mean `read`?
 *
 * The carets stay under their text after tabs and multi-byte UTF-8. color adds ANSI colours. */
const char *rn_diag_render(struct rn_diag *diag, struct rn_arena *arena, bool color);
/* Renders an error of the system in the same way, if it has a place in a text of diag; else returns
 * NULL. */
const char *rn_diag_render_err(struct rn_diag *diag, struct rn_arena *arena,
			       const struct rn_err *err, bool color);

/* ---- diag_fixit.c ---- */

/* Returns a text with every "did you mean `X`?" of its errors applied, in the arena; NULL if there
 * is none. In diag_fixit.c. */
const char *rn_diag_mend(const struct rn_diag *diag, struct rn_arena *arena, uint16_t src);

/* ---- diag.c ---- */

/* Line and column (both from 1; column counts characters) of an offset. */
void rn_diag_where(const struct rn_diag *diag, struct rn_span span, unsigned *line, unsigned *col);
const char *rn_diag_name(const struct rn_diag *diag, uint16_t src); /* as given to rn_diag_source */
const char *rn_diag_text(const struct rn_diag *diag, uint16_t src, size_t *len);
#endif
