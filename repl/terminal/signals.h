/* signals.h - Ctrl-C and SIGTERM end the query that runs; a second one ends the program. The
 * interactive prompt outlives its queries: there Ctrl-C ends the query only (should that hang,
 * again and again for five seconds ends the program), and SIGTERM and SIGHUP make it leave as if
 * asked to. */
#ifndef RN_REPL_TERMINAL_SIGNALS_H
#define RN_REPL_TERMINAL_SIGNALS_H
#include <signal.h>
#include <stdbool.h>
void rn_signals_install(void);
void rn_signals_default(void); /* in a child, before it becomes another program */
/* nonzero: asked to end; it changes each time that is asked */
const volatile int *rn_signals_stop(void);
/* queries go to a fleet: the second one gives up the nodes that do not end, the third one leaves */
void rn_signals_fleet(void);

/* The prompt's: from now on SIGINT ends queries only, and the signals below are counted. */
void rn_signals_shell(void);
/* a query is going to run: it was not asked to end yet, but by what asks the program to leave */
void rn_signals_begin(void);
bool rn_signals_leave(void); /* SIGTERM or SIGHUP came */
/* how often it has come back from being stopped: something else may be on the screen */
unsigned rn_signals_resumes(void);
/* The prompt's. Each time it has come back from being stopped, or its window has got another size,
 * this number is another one. */
unsigned rn_signals_redraws(void);
/* The terminal's modes, should the program leave amid a query; NULL: they are as they were. */
struct termios;
void rn_signals_modes(const struct termios *modes);
void rn_signals_mask(sigset_t *set); /* those that a wait for keys must notice */
#endif
