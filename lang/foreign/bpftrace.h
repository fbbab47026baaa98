/* bpftrace.h - programs of bpftrace and DTrace. Internal to lang/foreign/. */
#ifndef RN_LANG_FOREIGN_BPFTRACE_H
#define RN_LANG_FOREIGN_BPFTRACE_H
#include "lang/foreign/query.h"

struct rn_block { /* PROBE /CONDITION/ { BODY } */
	struct rn_phrase probe, condition, body;
	bool several; /* probe is the first of several */
};
/* Takes the blocks of a program apart, at most `most`. Returns how many: 0 if it is none. */
unsigned rn_foreign_blocks(struct rn_phrase phrase, struct rn_block *list, unsigned most);
/* Makes a query of them; false if there is none. */
bool rn_foreign_bpftrace(struct rn_reading *reading, const struct rn_block *block, unsigned n);
#endif
