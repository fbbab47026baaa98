/* signals.h - Ctrl-C and SIGTERM end the query that runs; a second one ends the program. The
 * interactive prompt outlives its queries: there Ctrl-C ends only the query. If the query hangs,
 * repeated Ctrl-C for five seconds ends the program. SIGTERM and SIGHUP make the prompt leave as if
 * the user had asked. */
#ifndef RN_REPL_TERMINAL_SIGNALS_H
#define RN_REPL_TERMINAL_SIGNALS_H
#include <signal.h>
#include <stdbool.h>
void rn_signals_install(void);
void rn_signals_default(void); /* in a child, before exec */
/* nonzero: the query is asked to end; the value changes with each request */
const volatile int *rn_signals_stop(void);
/* queries go to a fleet: the second signal gives up nodes that do not end, the third leaves */
void rn_signals_fleet(void);

/* For the prompt: from now on SIGINT ends only queries, and the signals below are counted. */
void rn_signals_shell(void);
/* a query is about to run: forgets earlier interrupts, but not a request to leave the program */
void rn_signals_begin(void);
/* While a query runs: a signal that ends it interrupts its waiting, but no write. stdio drops what
 * is left of a line if a write is interrupted, and a slow reader would get half of one. */
void rn_signals_keep_writes(bool keep);
bool rn_signals_leave(void); /* SIGTERM or SIGHUP came */
/* how often the program was resumed after a stop: something else may be on the screen */
unsigned rn_signals_resumes(void);
/* For the prompt: a number that changes each time the program is resumed after a stop, or its
 * window changes size. */
unsigned rn_signals_redraws(void);
/* The terminal modes to restore if the program leaves during a query; NULL: they are unchanged. */
struct termios;
void rn_signals_modes(const struct termios *modes);
void rn_signals_mask(sigset_t *set); /* signals that a wait for keys must notice */
#endif
