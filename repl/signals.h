/* signals.h - Ctrl-C and SIGTERM end the query that runs; a second one ends the program. */
#ifndef RN_REPL_SIGNALS_H
#define RN_REPL_SIGNALS_H
void rn_signals_install(void);
void rn_signals_default(void);        /* in a child, before it becomes another program */
const volatile int *rn_signals_stop(void); /* nonzero: asked to end */
#endif
