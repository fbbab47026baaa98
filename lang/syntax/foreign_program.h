/* foreign_program.h - whole programs of other tools that people type here: of bpftrace and DTrace,
 * and ranges of PromQL. One error says what it is and what to write instead. */
#ifndef RN_LANG_SYNTAX_FOREIGN_PROGRAM_H
#define RN_LANG_SYNTAX_FOREIGN_PROGRAM_H
#include "lang/base/diag.h"

/* Is the text of that source such a program? Then one error with the query in its hint was added,
 * and nothing else of it should be read. */
bool rn_foreign_program(struct rn_arena *arena, struct rn_diag *diag, uint16_t src);
#endif
