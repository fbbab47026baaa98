/* commands.h - the commands of the program. Each returns its exit status. */
#ifndef RN_REPL_CLI_COMMANDS_H
#define RN_REPL_CLI_COMMANDS_H
#include "repl/cli/session.h"

/* Saved views as a text (only: NULL-terminated names; none: all), and such files (`-`:
 * stdin) into the catalogue. */
int rn_cmd_export(struct rn_session *s, const char *const *only);
int rn_cmd_import(struct rn_session *s, const char *const *paths);
/* `runnel watch VIEW`; `runnel export VIEW --prometheus ADDRESS`. */
int rn_cmd_watch(struct rn_session *s);
int rn_cmd_prometheus(struct rn_session *s);
int rn_cmd_doctor(struct rn_session *s);
int rn_cmd_list(struct rn_session *s, const char *glob);
int rn_cmd_describe(struct rn_session *s, const char *name);
#endif
