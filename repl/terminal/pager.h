/* pager.h - long results through $PAGER: a stream that holds its text while that fits on the
 * screen. If it does not fit, the stream starts the pager and passes all text on. Only the prompt
 * uses it, for finished results: a table that refreshes is never paged. */
#ifndef RN_REPL_TERMINAL_PAGER_H
#define RN_REPL_TERMINAL_PAGER_H
#include <stdbool.h>
#include <stdio.h>
#include "repl/terminal/terminal.h"

struct rn_pager;
struct rn_pager *rn_pager_create(void);
void rn_pager_destroy(struct rn_pager *pager);
void rn_pager_switch(struct rn_pager *pager, bool on);
bool rn_pager_is_on(const struct rn_pager *pager); /* and stdin and stdout are terminals */
/* Returns the stream to write to in place of stdout; NULL: there is no paging here, or a stream is
 * open. *term gets the width of its lines. The pager owns the stream until rn_pager_end. */
FILE *rn_pager_begin(struct rn_pager *pager, struct rn_terminal *term);
/* Closes the stream: waits until the reader leaves the pager, or writes the text that fits to
 * stdout. True: the reader left before all was written. */
bool rn_pager_end(struct rn_pager *pager);
#endif
