/* expr.h - an expression in the making. Internal to lang/foreign/: expr.c and
 * calls.c. */
#ifndef RN_LANG_FOREIGN_EXPR_H
#define RN_LANG_FOREIGN_EXPR_H
#include "lang/base/str.h"
#include "lang/foreign/query.h"

struct rn_draft {
	struct rn_reading *reading;
	struct rn_strbuf out;
	bool time;     /* a time is in the comparison */
	bool compared; /* its sign has come */
	bool ranges;   /* the next `and` is that of `between` */
};

/* ---- expr.c ---- */

/* Appends a text, with a blank before it if it needs one. */
void rn_draft_put(struct rn_draft *draft, const char *text);

/* ---- calls.c ---- */

/* Each appends what phrase begins with, moves phrase past it and returns true; or it does nothing
 * and returns false. */
bool rn_draft_call(struct rn_draft *draft, struct rn_phrase *phrase);   /* NAME(ARGUMENTS) */
bool rn_draft_member(struct rn_draft *draft, struct rn_phrase *phrase); /* ROW.FIELD, g.Count() */
#endif
