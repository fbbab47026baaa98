/* shades.h - how much, as a character by its density, and as a colour that dark and light grounds
 * both show: from blue for little to red for much. */
#ifndef RN_REPL_OUT_SHADES_H
#define RN_REPL_OUT_SHADES_H
#include <stdint.h>
#include "lang/base/str.h"
#include "repl/terminal/terminal.h"

enum { RN_SHADES = 10 }; /* 0 is nothing: a blank, in no colour */

/* The shade of a count: the same in every window and query. */
unsigned rn_shade_of(int64_t count);
int64_t rn_shade_least(unsigned shade); /* the least count that has it */
/* The shade of a part of the greatest. Any count above 0 has one. */
unsigned rn_shade_of_part(int64_t count, int64_t greatest);
/* Appends the shade's character n times. */
void rn_shade_put(struct rn_strbuf *to, const struct rn_terminal *term, unsigned shade, unsigned n);
/* The sequence after which text has the shade's colour, and the one after which it has none; "" if
 * the terminal has no colours. buf has RN_SHADE_BYTES. */
enum { RN_SHADE_BYTES = 32 };
const char *rn_shade_on(char *buf, const struct rn_terminal *term, unsigned shade);
const char *rn_shade_off(const struct rn_terminal *term);
#endif
