/* shell.h - the interactive prompt. */
#ifndef RN_REPL_SHELL_SHELL_H
#define RN_REPL_SHELL_SHELL_H
#include "repl/cli/session.h"

/* Runs the prompt until it is left; returns the exit status. */
int rn_shell(struct rn_session *session);
#endif
