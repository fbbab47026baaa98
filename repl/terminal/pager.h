/* pager.h - long results through $PAGER: a stream that holds what it gets as long as that fits on
 * the screen, then starts the pager and hands all of it on. For the prompt, and for results that
 * are finished: a table that refreshes is never paged. */
#ifndef RN_REPL_TERMINAL_PAGER_H
#define RN_REPL_TERMINAL_PAGER_H
#include <stdbool.h>
#include <stdio.h>
#include "repl/terminal/terminal.h"

struct rn_pager;
struct rn_pager *rn_pager_create(void);
void rn_pager_destroy(struct rn_pager *p);
void rn_pager_switch(struct rn_pager *p, bool on);
bool rn_pager_is_on(const struct rn_pager *p); /* and stdout is a terminal */
/* Where to write what is shown, in place of stdout; NULL: there is no paging here. term: how wide
 * its lines may be. Until the end there is one stream. */
FILE *rn_pager_begin(struct rn_pager *p, struct rn_terminal *term);
/* Closes the stream: waits until the pager is left, or writes what fitted to stdout. True: the
 * reader left before all was written. */
bool rn_pager_end(struct rn_pager *p);
#endif
